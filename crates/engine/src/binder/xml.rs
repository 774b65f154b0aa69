//! `FOR XML PATH`: rows as text, each column an element of its name or, without a name, its bare value.
//!
//! ```text
//! Aggregate (the rows' texts one after the other) ── Compute (a row's text) ── the query with its ORDER BY
//! ```
//! Nothing here runs by itself: a row's text is put together by the functions CONCAT and REPLACE. The result is
//! nvarchar(max), NULL without rows. TYPE, attributes (`@name`), paths (`a/b`) and the other modes are refused.

use super::query::BoundQuery;
use super::{Binder, Bound, unsupported};
use crate::functions;
use crate::plan::expr::{Call, Expr};
use crate::plan::node::{Agg, AggFunction, Aggregate, Compute, Node};
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, OptionValue};
use taffrail_types::arith::BinaryOp;
use taffrail_types::{Conversion, Family, MaxLen, SqlType, Value};

const TEXT: SqlType = SqlType::NVarChar(MaxLen::Max);
/// The name of the column that a client gets.
const COLUMN: &str = "XML_F52E2B61-18A1-11d1-B105-00805F49916B";

/// A name as XML allows it: other characters as `_xHHHH_`.
fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (i, c) in name.chars().enumerate() {
        let plain =
            c.is_alphabetic() || c == '_' || (i > 0 && (c.is_numeric() || "-.".contains(c)));
        match plain {
            true => out.push(c),
            false => out.push_str(&format!("_x{:04X}_", c as u32)),
        }
    }
    out
}

fn constant(text: &str) -> Bound {
    Bound::not_null(Expr::Const(Value::nvarchar(text)), TEXT)
}

impl Binder<'_> {
    fn call(&self, name: &str, args: Vec<Bound>) -> SqlResult<Bound> {
        let types: Vec<SqlType> = args.iter().map(|b| b.ty).collect();
        let function = functions::bind(name, None, &types)?;
        let ty = function.result;
        let params = function.params.clone();
        let cast = args.into_iter().zip(params).map(|(b, to)| self.cast_to(b, to));
        let args = cast.collect::<SqlResult<_>>()?;
        Ok(Bound::new(Expr::Call(Box::new(Call { function, args })), ty))
    }

    /// `CAST(… AS xml)`: the text, which must be well-formed.
    pub(super) fn xml_content(&mut self, b: Bound) -> SqlResult<Bound> {
        if !b.untyped && !matches!(b.ty.family(), Family::Char | Family::NChar) {
            return Err(SqlError::new(529, &[&b.ty.name(), &"xml"]));
        }
        let text = Bound { expr: self.cast_to(b, TEXT)?, ..Bound::new(Expr::NULL, TEXT) };
        self.call(functions::xml::CONTENT, vec![text])
    }

    /// Rows as XML.
    pub(super) fn for_xml(&mut self, f: &ast::ForClause, q: BoundQuery) -> SqlResult<BoundQuery> {
        let (mut row, mut root) = (None, None);
        for o in &f.options {
            let text = match &o.value {
                Some(OptionValue::Text(text)) => Some(text.to_string()),
                _ => None,
            };
            match &*o.name.value {
                "PATH" => row = Some(text.unwrap_or_else(|| "row".into())),
                "ROOT" => root = Some(text.unwrap_or_else(|| "root".into())),
                "ELEMENTS" => {}
                other => return Err(unsupported(format_args!("FOR XML {other}"))),
            }
        }
        let Some(row) = row else { return Err(unsupported("FOR XML without PATH")) };
        if !q.assign.is_empty() {
            return Err(unsupported("FOR XML of an assignment"));
        }
        let mut parts = vec![constant("")];
        if !row.is_empty() {
            parts.push(constant(&format!("<{}>", encoded(&row))));
        }
        for (slot, c) in q.outputs.iter().zip(&q.columns) {
            parts.push(self.xml_value(*slot, c)?);
        }
        if !row.is_empty() {
            parts.push(constant(&format!("</{}>", encoded(&row))));
        }
        // CONCAT wants two arguments at least.
        parts.push(constant(""));
        let text = self.call("CONCAT", parts)?;
        let text = Bound { expr: self.cast_to(text, TEXT)?, ..Bound::new(Expr::NULL, TEXT) };
        let row_slot = self.computed_slot(&text, "");
        let node =
            Node::Compute(Box::new(Compute { input: q.node, items: vec![(text.expr, row_slot)] }));
        let all = Bound::new(Expr::NULL, TEXT);
        let all_slot = self.computed_slot(&all, "");
        let agg = Agg {
            function: AggFunction::StringAgg,
            int_count: false,
            arg: Some(Expr::Slot(row_slot)),
            separator: Some(Expr::Const(Value::nvarchar(""))),
            order: Vec::new(),
            distinct: false,
            quiet: true,
            arg_ty: TEXT,
            ty: TEXT,
            collation: Default::default(),
            slot: all_slot,
        };
        let aggregate =
            Aggregate { input: node, groups: Vec::new(), aggs: vec![agg], scalar: true };
        let mut node = Node::Aggregate(Box::new(aggregate));
        let mut out = all_slot;
        if let Some(root) = root {
            let name = encoded(&root);
            let inner = Bound::new(Expr::Slot(all_slot), TEXT);
            // NULL stays NULL: `+` rather than CONCAT.
            let begun = self.joined(constant(&format!("<{name}>")), inner)?;
            let whole = self.joined(begun, constant(&format!("</{name}>")))?;
            let whole = Bound { expr: self.cast_to(whole, TEXT)?, ..Bound::new(Expr::NULL, TEXT) };
            out = self.computed_slot(&whole, "");
            node = Node::Compute(Box::new(Compute { input: node, items: vec![(whole.expr, out)] }));
        }
        let columns = vec![super::query::column_desc(COLUMN, &Bound::new(Expr::NULL, TEXT))];
        Ok(BoundQuery { node, outputs: vec![out], columns, ..BoundQuery::default() })
    }

    fn joined(&mut self, l: Bound, r: Bound) -> SqlResult<Bound> {
        self.binary(BinaryOp::Add, l, r)
    }

    /// A column's text: NULL is nothing at all.
    fn xml_value(&mut self, slot: u32, c: &crate::sink::ColumnDesc) -> SqlResult<Bound> {
        let name = match &*c.name {
            "text()" | "node()" | "*" => "",
            name => name,
        };
        if name.starts_with('@') || name.contains('/') || name.ends_with("()") {
            return Err(unsupported(format_args!("The column name '{name}' with FOR XML PATH")));
        }
        let style = match c.ty.family() {
            Family::Binary | Family::RowVersion | Family::Variant => {
                let what = format!("A column of type {} with FOR XML", c.ty.name());
                return Err(unsupported(&what));
            }
            // xsd:dateTime
            Family::OldDate | Family::NewDate => Some(Expr::Const(Value::Int(126))),
            // Four decimals.
            Family::Float | Family::Money => Some(Expr::Const(Value::Int(2))),
            _ => None,
        };
        let value = Expr::Slot(slot);
        let expr = self.conversion(value, c.ty, TEXT, style, Conversion::Explicit, false);
        let mut text = Bound::new(expr, TEXT);
        if matches!(c.ty.family(), Family::Char | Family::NChar) {
            let node = if name.is_empty() { "NoName" } else { name };
            text = self.call(functions::xml::TEXT, vec![text, constant(node)])?;
            for (from, to) in [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#x0D;")] {
                text = self.call("REPLACE", vec![text, constant(from), constant(to)])?;
            }
        }
        if name.is_empty() {
            return Ok(text);
        }
        let name = encoded(name);
        let open = self.joined(constant(&format!("<{name}>")), text)?;
        self.joined(open, constant(&format!("</{name}>")))
    }
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn names_become_xml_names() {
        assert_eq!(encoded("a1-b.c_"), "a1-b.c_");
        assert_eq!(encoded("1 x"), "_x0031__x0020_x");
    }
}

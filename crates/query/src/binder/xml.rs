//! `FOR XML PATH` and `RAW`: rows as text, each column an element of its name, an attribute or, without a name, its bare value;
//! the methods of xml values.
//!
//! ```text
//! Aggregate (the rows' texts one after the other) ── Compute (a row's text) ── the query with its ORDER BY
//! ```
//! Nothing here runs by itself: a row's text is put together by the functions CONCAT and REPLACE. The result is
//! nvarchar(max), NULL without rows; with TYPE it is marked as XML ([`Bound::xml`]). Paths (`a/b`) and the other modes are refused.

use super::query::BoundQuery;
use super::{Binder, Bound, Source, SourceColumn, SourceKind, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_functions::spelling::split_name;
use taffrail_functions::xquery::Outside;
use taffrail_functions::{self as functions, xquery};
use taffrail_plan::expr::{Call, Expr, Pred};
use taffrail_plan::node::{Agg, AggFunction};
use taffrail_plan::rel::{Group, Rel, RowsetSource};
use taffrail_plan::system_view::NODES;
use taffrail_syntax::ast::{self, OptionValue};
use taffrail_types::arith::BinaryOp;
use taffrail_types::convert::{Declared, Large};
use taffrail_types::names::{self, TypeUse};
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

/// An argument of a method, which is a literal.
fn method_text(arguments: &[ast::Expr], at: usize, method: &str) -> SqlResult<String> {
    match &arguments[at].kind {
        ast::ExprKind::Literal(ast::Literal::String(s) | ast::Literal::NString(s)) => {
            Ok(s.to_string())
        }
        _ => Err(SqlError::new(8172, &[&(at + 1), &method])),
    }
}

impl Source {
    /// It is a call of nodes().
    pub(super) fn is_nodes(&self) -> bool {
        match &self.kind {
            SourceKind::Rowset { source: RowsetSource::View(view), .. } => view.name == NODES,
            _ => false,
        }
    }
}

impl<'a> Binder<'a> {
    fn call(&self, name: &str, args: Vec<Bound>) -> SqlResult<Bound> {
        let types: Vec<SqlType> = args.iter().map(|b| b.ty).collect();
        let function = functions::bind(name, None, &types)?;
        let ty = function.result;
        let params = function.params.clone();
        let cast = args.into_iter().zip(params).map(|(b, to)| self.cast_to(b.plain(), to));
        let args = cast.collect::<SqlResult<_>>()?;
        Ok(Bound::new(Expr::Call(Box::new(Call { function, args })), ty))
    }

    /// Text or binary as xml: read, and written as xml is kept. The pair of types has been checked.
    pub(super) fn xml_content(
        &mut self,
        b: Bound,
        style: Option<Expr>,
        or_null: bool,
    ) -> SqlResult<Bound> {
        let name = if or_null { functions::xml::TRY_CONTENT } else { functions::xml::CONTENT };
        let style = style.unwrap_or(Expr::Const(Value::Int(0)));
        let style = Bound::new(style, SqlType::Int);
        Ok(Bound { large: Large::Xml, ..self.call(name, vec![b, style])? })
    }

    /// xml as text or binary of this type: an error, or NULL, where that is too short or cannot hold its characters.
    pub(super) fn xml_written(&mut self, b: Bound, to: SqlType, or_null: bool) -> SqlResult<Bound> {
        let form = match to.family() {
            Family::Char => functions::xml::AS_CHAR,
            Family::Binary => functions::xml::AS_BINARY,
            _ => functions::xml::AS_NCHAR,
        };
        let number = |n: i32| Bound::not_null(Expr::Const(Value::Int(n)), SqlType::Int);
        let args = vec![b, number(form), number(to.max_length().into()), number(or_null.into())];
        self.call(functions::xml::WRITTEN, args)
    }

    /// The xml column of a call `column.method(…)` or `table.column.method(…)`.
    pub(super) fn method_target(&mut self, name: &ast::ObjectName) -> Option<Bound> {
        let column = name.schema.clone()?;
        let qualifier = name.database.clone().map(|table| ast::ObjectName {
            server: None,
            database: None,
            schema: name.server.clone(),
            name: table,
            span: name.span,
        });
        self.existing_column(&ast::ColumnRef { qualifier, name: column }).ok().filter(Bound::is_xml)
    }

    /// `value`, `query` or `exist` of an xml value. Names of methods are in lower case.
    pub(super) fn xml_method(
        &mut self,
        target: Bound,
        name: &str,
        arguments: &'a [ast::Expr],
    ) -> SqlResult<Bound> {
        self.may_call_method(&target)?;
        let (functions, wanted) = match name {
            "value" => (xquery::VALUE, 2),
            "query" => (xquery::QUERY, 1),
            "exist" => (xquery::EXIST, 1),
            "nodes" | "modify" => return Err(unsupported(format_args!("The method {name} here"))),
            other => return Err(SqlError::new(227, &[&other])),
        };
        if arguments.len() != wanted {
            return Err(SqlError::new(174, &[&name, &wanted]));
        }
        let source = method_text(arguments, 0, name)?;
        let query = xquery::Query::read(&source)?;
        let function = functions[usize::from(self.is_of_nodes(&target))];
        let mut args = vec![target, constant(&source)];
        self.values_of_query(&query, &mut args)?;
        let found = self.call(function, args)?;
        if name != "value" {
            let large = if name == "query" { Large::Xml } else { Large::Plain };
            return Ok(Bound { large, ..found });
        }
        if !query.is_singleton() {
            return Err(SqlError::new(2389, &[&"value()", &"xdt:untypedAtomic *"]));
        }
        let ty = method_text(arguments, 1, name)?;
        let bare = ty.trim().to_ascii_lowercase();
        if matches!(&*bare, "xml" | "text" | "ntext" | "image" | "sql_variant") {
            return Err(SqlError::new(9500, &[&bare]));
        }
        let to = match names::parse(&ty, TypeUse::Declaration) {
            Some(to) => to?,
            None => return Err(SqlError::new(243, &[&ty])),
        };
        let expr = self.conversion(found.expr, TEXT, to, None, Conversion::Explicit, false);
        Ok(Bound::new(expr, to))
    }

    fn may_call_method(&self, target: &Bound) -> SqlResult<()> {
        if !target.is_xml() {
            return Err(SqlError::new(258, &[&target.declared().name()]));
        }
        let wrong = self.meta.wrong_for_xml_methods();
        if !wrong.is_empty() {
            let what = "indexed views and/or indexes on computed columns and/or filtered indexes and/or query \
                        notifications and/or XML data type methods and/or spatial index operations";
            return Err(SqlError::new(1934, &[&"SELECT", &wrong.join(", "), &what]));
        }
        Ok(())
    }

    /// The values of SQL that an expression names, behind its other arguments.
    fn values_of_query(&mut self, q: &xquery::Query, args: &mut Vec<Bound>) -> SqlResult<()> {
        if q.outside.len() > xquery::OUTSIDE_MOST {
            return Err(unsupported("An XQuery expression with so many values of SQL"));
        }
        for named in &q.outside {
            args.push(match named {
                Outside::Variable(name) => self.variable(name)?,
                Outside::Column(name) => {
                    let ident = |value: String| ast::Ident {
                        value: value.into(),
                        span: Default::default(),
                        delimited: true,
                    };
                    let mut parts = split_name(name).unwrap_or_default();
                    let Some(column) = parts.pop() else {
                        return Err(SqlError::new(207, &[name]));
                    };
                    let qualifier = parts.pop().map(|table| ast::ObjectName {
                        server: None,
                        database: None,
                        schema: parts.pop().map(ident),
                        name: ident(table),
                        span: Default::default(),
                    });
                    self.column(&ast::ColumnRef { qualifier, name: ident(column) })?
                }
            });
        }
        Ok(())
    }

    /// `x.nodes('…') AS t(c)`, where `x` is a column or variable; none: it is no method of one.
    pub(super) fn nodes(&mut self, f: &'a ast::TableFunction) -> SqlResult<Option<Source>> {
        let Some(of) = f.call.name.schema.as_ref().filter(|_| &*f.call.name.name.value == "nodes")
        else {
            return Ok(None);
        };
        let target = if of.value.starts_with('@') && !of.delimited {
            self.variable(&of.value)?
        } else {
            match self.method_target(&f.call.name) {
                Some(target) => target,
                None => return Ok(None),
            }
        };
        self.may_call_method(&target)?;
        if f.call.arguments.len() != 1 {
            return Err(SqlError::new(174, &[&"nodes", &1]));
        }
        let Some(alias) = &f.alias else { return Err(SqlError::new(102, &[&")"])) };
        let [column] = &f.columns[..] else {
            let number = if f.columns.is_empty() { 8158 } else { 8159 };
            return Err(SqlError::new(number, &[&alias.value]));
        };
        let source = method_text(&f.call.arguments, 0, "nodes")?;
        let query = xquery::Query::read(&source)?;
        let part = i32::from(self.is_of_nodes(&target));
        let part = Bound::not_null(Expr::Const(Value::Int(part)), SqlType::Int);
        let mut args = vec![target, constant(&source), part];
        let named = args.len();
        self.values_of_query(&query, &mut args)?;
        let mut exprs = Vec::with_capacity(args.len());
        for (n, b) in args.into_iter().enumerate() {
            exprs.push(if n < named { b.expr } else { self.cast_to(b, TEXT)? });
        }
        let column = SourceColumn {
            name: (&*column.value).into(),
            ty: TEXT,
            nullable: true,
            collation: Default::default(),
            origin: None,
            large: Large::Xml,
            user_type: 0,
            slot: None,
        };
        let database = self.meta.current_database()?;
        let view = self.meta.nodes();
        Ok(Some(Source {
            id: self.source_id(),
            alias: (&*alias.value).into(),
            schema: None,
            qualified: false,
            columns: vec![column],
            kind: SourceKind::Rowset {
                database,
                source: RowsetSource::View(view),
                args: exprs,
                dirty: false,
            },
            locator: None,
            left_out: false,
            object: None,
        }))
    }

    /// It is what nodes() has found, which only methods may touch.
    pub(super) fn is_of_nodes(&self, b: &Bound) -> bool {
        let Expr::Slot(slot) = b.expr else { return false };
        if !b.is_xml() {
            return false;
        }
        let id = self.mentions[slot as usize].source;
        let sources = self.blocks.iter().flat_map(|b| &b.sources);
        sources.filter(|s| s.id == id).any(Source::is_nodes)
    }

    /// A column that is no part of what nodes() has found: 493.
    pub(super) fn used_directly(&self, b: Bound) -> SqlResult<Bound> {
        match self.is_of_nodes(&b) {
            true => {
                let Expr::Slot(slot) = b.expr else { unreachable!("a column of nodes()") };
                Err(SqlError::new(493, &[&self.mentions[slot as usize].column]))
            }
            false => Ok(b),
        }
    }

    /// Rows as XML. `nested`: a value in another query, which is NULL without rows; a result has no row then, unless it has a type.
    pub(super) fn for_xml(
        &mut self,
        f: &ast::ForClause,
        q: BoundQuery,
        nested: bool,
    ) -> SqlResult<BoundQuery> {
        let (mut row, mut root) = (None, None);
        let (mut raw, mut elements, mut typed) = (false, false, false);
        for o in &f.options {
            let text = match &o.value {
                Some(OptionValue::Text(text)) => Some(text.to_string()),
                _ => None,
            };
            match &*o.name.value {
                mode @ ("PATH" | "RAW") => {
                    row = Some(text.unwrap_or_else(|| "row".into()));
                    raw = mode == "RAW";
                }
                "ROOT" => root = Some(text.unwrap_or_else(|| "root".into())),
                "ELEMENTS" => elements = true,
                "TYPE" => typed = true,
                other => return Err(unsupported(format_args!("FOR XML {other}"))),
            }
        }
        let Some(row) = row else { return Err(unsupported("FOR XML without PATH or RAW")) };
        if !q.assign.is_empty() {
            return Err(SqlError::new(6819, &[&"ASSIGNMENT"]));
        }
        let tag = encoded(&row);
        // Attributes come before what stands within the row's element.
        let mut head = vec![constant(&format!("<{tag}"))];
        let mut parts = vec![constant("")];
        for (slot, c) in q.outputs.iter().zip(&q.columns) {
            let name = match c.name.strip_prefix('@') {
                Some(name) if !raw => Some(name),
                _ => (raw && !elements).then_some(&*c.name),
            };
            if raw && c.name.is_empty() {
                return Err(SqlError::new(6809, &[]));
            }
            let Some(name) = name else {
                parts.push(self.xml_value(*slot, c, c.large == Large::Xml)?);
                continue;
            };
            if parts.len() > 1 {
                return Err(SqlError::new(6852, &[&c.name]));
            }
            if row.is_empty() {
                return Err(SqlError::new(6864, &[]));
            }
            head.push(self.xml_attribute(*slot, c, name)?);
        }
        // CONCAT wants two arguments at least.
        parts.push(constant(""));
        head.push(constant(""));
        let mut text = self.call("CONCAT", parts)?;
        if !row.is_empty() {
            let head = self.call("CONCAT", head)?;
            text = self.call(functions::xml::ELEMENT, vec![head, text, constant(&tag)])?;
        }
        let text = Bound { expr: self.cast_to(text, TEXT)?, ..Bound::new(Expr::NULL, TEXT) };
        let row_slot = self.computed_slot(&text, "");
        let rel = Rel::compute(q.rel, vec![(text.expr, row_slot)]);
        let (mut rel, all_slot) = self.texts_joined(rel, row_slot);
        let mut out = all_slot;
        if let Some(root) = root {
            let name = encoded(&root);
            let inner = Bound::new(Expr::Slot(all_slot), TEXT);
            // NULL stays NULL: `+` rather than CONCAT.
            let begun = self.joined(constant(&format!("<{name}>")), inner)?;
            let whole = self.joined(begun, constant(&format!("</{name}>")))?;
            let whole = Bound { expr: self.cast_to(whole, TEXT)?, ..Bound::new(Expr::NULL, TEXT) };
            out = self.computed_slot(&whole, "");
            rel = Rel::compute(rel, vec![(whole.expr, out)]);
        }
        if !nested && !typed {
            let null = Pred::IsNull(Box::new(Expr::Slot(out)));
            rel = Rel::select(rel, vec![Pred::Not(Box::new(null))]);
        }
        if typed {
            self.columns[out].ty = Declared::new(TEXT, Large::Xml);
        }
        let columns = self.described(&rel, &[out], [COLUMN]);
        Ok(BoundQuery { rel, outputs: vec![out], columns, ..BoundQuery::default() })
    }

    /// The texts of rows, one after the other: NULL without rows.
    pub(super) fn texts_joined(&mut self, rel: Rel, row_slot: u32) -> (Rel, u32) {
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
        let (keys, sets, marks) = (Vec::new(), Vec::new(), Vec::new());
        let group = Group { input: rel, keys, aggs: vec![agg], scalar: true, sets, marks };
        (Rel::Group(Box::new(group)), all_slot)
    }

    fn joined(&mut self, l: Bound, r: Bound) -> SqlResult<Bound> {
        self.binary(BinaryOp::Add, l, r)
    }

    /// A value's text with these characters written as XML has to.
    fn xml_text(
        &mut self,
        slot: u32,
        c: &taffrail_plan::sink::ColumnDesc,
        name: &str,
        escapes: &[(&str, &str)],
    ) -> SqlResult<Bound> {
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
            for (from, to) in escapes {
                text = self.call("REPLACE", vec![text, constant(from), constant(to)])?;
            }
        }
        Ok(text)
    }

    /// ` name="value"`; NULL is nothing at all.
    fn xml_attribute(
        &mut self,
        slot: u32,
        c: &taffrail_plan::sink::ColumnDesc,
        name: &str,
    ) -> SqlResult<Bound> {
        let escapes = [
            ("&", "&amp;"),
            ("<", "&lt;"),
            (">", "&gt;"),
            ("\"", "&quot;"),
            ("\t", "&#x09;"),
            ("\n", "&#x0A;"),
            ("\r", "&#x0D;"),
        ];
        let text = self.xml_text(slot, c, name, &escapes)?;
        let begun = self.joined(constant(&format!(" {}=\"", encoded(name))), text)?;
        self.joined(begun, constant("\""))
    }

    /// What a column is within the row's element: NULL is nothing at all.
    fn xml_value(
        &mut self,
        slot: u32,
        c: &taffrail_plan::sink::ColumnDesc,
        is_xml: bool,
    ) -> SqlResult<Bound> {
        let name = match &*c.name {
            "text()" | "node()" | "*" => "",
            name => name,
        };
        let instruction =
            name.strip_prefix("processing-instruction(").and_then(|n| n.strip_suffix(')'));
        if let Some(target) = instruction {
            let text = self.xml_text(slot, c, target, &[])?;
            let begun = self.joined(constant(&format!("<?{} ", encoded(target))), text)?;
            return self.joined(begun, constant("?>"));
        }
        if name.starts_with('@') || name.contains('/') || name.ends_with("()") {
            return Err(unsupported(format_args!("The column name '{name}' with FOR XML PATH")));
        }
        let escapes = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#x0D;")];
        let text = match is_xml {
            true => Bound::new(Expr::Slot(slot), TEXT),
            false => self.xml_text(slot, c, name, &escapes)?,
        };
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

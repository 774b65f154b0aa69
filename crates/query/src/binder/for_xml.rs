//! `FOR XML RAW`, `AUTO` and `PATH`: what a row's columns become.
//!
//! ```text
//! Compute (XML) ── Aggregate (the rows' texts one after the other) ── Compute (a row's text) ── the query with its ORDER BY
//! ```
//! What a row's text and the whole become is said by an [`XmlForm`]. The result is nvarchar(max), NULL without rows; with TYPE it is marked
//! as XML. EXPLICIT and schemas are refused.

use super::query::BoundQuery;
use super::{Binder, Bound, unsupported};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_functions::json::Form;
use taffrail_functions::xml::{
    FORM_ROW, FORM_ROWS, XmlForm, XmlLevel, XmlPart, begins_name, in_name,
};
use taffrail_functions::xquery::quoted;
use taffrail_plan::expr::{Call, Expr, Pred};
use taffrail_plan::node::{Agg, AggFunction};
use taffrail_plan::rel::{Group, Rel};
use taffrail_plan::sink::ColumnDesc;
use taffrail_syntax::ast::{self, OptionValue};
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{Family, MaxLen, SqlType, Value};

const TEXT: SqlType = SqlType::NVarChar(MaxLen::Max);
/// The name of the column that a client gets.
const COLUMN: &str = "XML_F52E2B61-18A1-11d1-B105-00805F49916B";
/// The declaration that `xsi:nil` needs.
const NIL_SPACE: &str = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";

#[derive(Clone, Copy, PartialEq, Eq)]
enum XmlMode {
    Raw,
    Auto,
    Path,
}

/// The options of a FOR XML.
struct XmlOptions {
    mode: XmlMode,
    row: String,
    root: Option<String>,
    elements: bool,
    nils: bool,
    typed: bool,
    base64: bool,
}

/// A name as XML allows it: other characters as `_xHHHH_`, and so what looks like that.
fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (i, (at, c)) in name.char_indices().enumerate() {
        let plain = if i == 0 { begins_name(c) } else { in_name(c) };
        let looks = name[at..].starts_with("_x");
        match plain && !looks {
            true => out.push(c),
            false => out.push_str(&format!("_x{:04X}_", c as u32)),
        }
    }
    out
}

impl XmlOptions {
    fn read(f: &ast::ForClause) -> SqlResult<XmlOptions> {
        let mut out = XmlOptions {
            mode: XmlMode::Raw,
            row: "row".into(),
            root: None,
            elements: false,
            nils: false,
            typed: false,
            base64: false,
        };
        for (n, o) in f.options.iter().enumerate() {
            let text = match &o.value {
                Some(OptionValue::Text(text)) => Some(text.to_string()),
                _ => None,
            };
            match &*o.name.value {
                mode @ ("RAW" | "PATH") if n == 0 => {
                    out.mode = if mode == "RAW" { XmlMode::Raw } else { XmlMode::Path };
                    out.row = text.unwrap_or(out.row);
                }
                "AUTO" if n == 0 => out.mode = XmlMode::Auto,
                "EXPLICIT" if n == 0 => return Err(unsupported("FOR XML EXPLICIT")),
                other if n == 0 => return Err(SqlError::new(102, &[&other])),
                "ROOT" => out.root = Some(text.unwrap_or_else(|| "root".into())),
                "ELEMENTS" | "ELEMENTS ABSENT" => out.elements = true,
                "ELEMENTS XSINIL" => (out.elements, out.nils) = (true, true),
                "TYPE" => out.typed = true,
                "BINARY BASE64" => out.base64 = true,
                other @ ("XMLSCHEMA" | "XMLDATA") => {
                    return Err(unsupported(format_args!("FOR XML {other}")));
                }
                other => return Err(SqlError::new(102, &[&other])),
            }
        }
        match &out.root {
            Some(root) if root.is_empty() => Err(SqlError::new(6861, &[])),
            _ => Ok(out),
        }
    }
}

impl Binder<'_> {
    /// Rows as XML. `nested`: a value in another query, which is NULL without rows; a result has no row then, unless it has a type.
    pub(super) fn for_xml(
        &mut self,
        f: &ast::ForClause,
        query: &ast::Query,
        q: BoundQuery,
        nested: bool,
    ) -> SqlResult<BoundQuery> {
        let options = XmlOptions::read(f)?;
        if !q.assign.is_empty() {
            return Err(SqlError::new(6819, &[&"ASSIGNMENT"]));
        }
        if options.mode == XmlMode::Auto && query.body.first_block().from.is_empty() {
            return Err(SqlError::new(6800, &[]));
        }
        let levels = match options.mode {
            XmlMode::Raw => vec![self.raw_level(&q, &options)?],
            XmlMode::Auto => self.auto_levels(&q, &options, &query.body.first_block().from)?,
            XmlMode::Path => vec![self.path_level(&q, &options)?],
        };
        let root = match options.root {
            Some(name) => Some(self.element_name(&name, options.mode, "ROOT")?.into()),
            None => None,
        };
        let declared = self.declarations(options.nils)?.into();
        let (nils, typed) = (options.nils, options.typed);
        let form = Arc::new(Form::Xml(XmlForm { levels, root, declared, nils, typed }));
        let mut args = Vec::with_capacity(q.outputs.len());
        for (slot, c) in q.outputs.iter().zip(&q.columns) {
            args.push(self.value_of_xml(*slot, c)?);
        }
        let text = self.form_call(&form, FORM_ROW, args)?;
        let row_slot = self.computed_slot(&text, "");
        let rel = Rel::compute(q.rel, vec![(text.expr, row_slot)]);
        let (rel, texts) = self.texts_joined(rel, row_slot);
        let whole = self.form_call(&form, FORM_ROWS, vec![Bound::new(Expr::Slot(texts), TEXT)])?;
        let out = self.computed_slot(&whole, "");
        let mut rel = Rel::compute(rel, vec![(whole.expr, out)]);
        if !nested && !options.typed {
            let null = Pred::IsNull(Box::new(Expr::Slot(out)));
            rel = Rel::select(rel, vec![Pred::Not(Box::new(null))]);
        }
        if options.typed {
            self.columns[out].ty = Declared::new(TEXT, Large::Xml);
        }
        let columns = self.described(&rel, &[out], [COLUMN]);
        Ok(BoundQuery { rel, outputs: vec![out], columns, ..BoundQuery::default() })
    }

    fn form_call(&self, form: &Arc<Form>, name: &str, args: Vec<Bound>) -> SqlResult<Bound> {
        let types: Vec<SqlType> = args.iter().map(|b| b.ty).collect();
        let function = form.call(name, &types)?;
        let args = args.into_iter().map(|b| b.expr).collect();
        Ok(Bound::new(Expr::Call(Box::new(Call { function, args })), TEXT))
    }

    /// The declarations of namespaces, the last one first.
    fn declarations(&self, nils: bool) -> SqlResult<String> {
        let mut out = String::new();
        if nils {
            if self.namespaces.iter().any(|n| n.0 == "xsi") {
                return Err(SqlError::new(6873, &[]));
            }
            out.push_str(NIL_SPACE);
        }
        for (prefix, uri) in self.namespaces.iter().rev() {
            out.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
            out.push_str(prefix);
            quoted(uri, &mut out);
        }
        Ok(out)
    }

    /// A column's value as the functions take it: text, or the bytes of a binary.
    fn value_of_xml(&mut self, slot: u32, c: &ColumnDesc) -> SqlResult<Bound> {
        let value = Expr::Slot(slot);
        Ok(match c.ty.family() {
            _ if c.large == Large::Xml => Bound::new(value, TEXT),
            Family::Variant => {
                return Err(unsupported("A column of type sql_variant with FOR XML"));
            }
            Family::Binary | Family::RowVersion => {
                let binary = SqlType::VarBinary(MaxLen::Max);
                Bound::new(self.cast_to(Bound::new(value, c.ty), binary)?, binary)
            }
            _ => Bound::new(self.as_xml_text(Bound::new(value, c.ty))?, TEXT),
        })
    }

    /// A name of an element or attribute that stands in the statement: encoded, or of PATH refused where it is none (6850, 6846, 6867).
    fn element_name(&self, name: &str, mode: XmlMode, what: &str) -> SqlResult<String> {
        let (prefix, local) = match name.split_once(':') {
            Some((prefix, local)) if !self.namespaces.is_empty() || mode == XmlMode::Path => {
                (prefix, local)
            }
            _ => ("", name),
        };
        if prefix == "xmlns" || local == "xmlns" && mode == XmlMode::Path {
            return Err(SqlError::new(6867, &[]));
        }
        let known =
            matches!(prefix, "" | "xml" | "xsi") || self.namespaces.iter().any(|n| n.0 == prefix);
        if !known {
            return Err(SqlError::new(6846, &[&prefix, &what.to_lowercase(), &name]));
        }
        if mode != XmlMode::Path {
            let local = encoded(local);
            return Ok(if prefix.is_empty() { local } else { format!("{prefix}:{local}") });
        }
        let wrong = local.chars().enumerate().find(|(n, c)| match n {
            0 => !begins_name(*c),
            _ => !in_name(*c),
        });
        match wrong {
            Some((_, c)) => {
                Err(SqlError::new(6850, &[&what, &name, &c, &format!("{:04X}", c as u32)]))
            }
            None => Ok(name.to_owned()),
        }
    }

    fn raw_level(&self, q: &BoundQuery, options: &XmlOptions) -> SqlResult<XmlLevel> {
        let mut level = XmlLevel {
            tag: self.element_name(&options.row, options.mode, "Row tag")?.into(),
            attributes: Vec::new(),
            content: Vec::new(),
            varies: false,
        };
        for (n, c) in q.columns.iter().enumerate() {
            self.column_of_row(&mut level, n, c, options)?;
        }
        if options.row.is_empty() && !level.attributes.is_empty() {
            return Err(SqlError::new(6864, &[]));
        }
        Ok(level)
    }

    /// A column of RAW or AUTO: an attribute or an element of its name.
    fn column_of_row(
        &self,
        level: &mut XmlLevel,
        n: usize,
        c: &ColumnDesc,
        options: &XmlOptions,
    ) -> SqlResult<()> {
        if matches!(c.ty.family(), Family::Binary) && !options.base64 {
            return Err(match options.mode {
                XmlMode::Auto => unsupported("FOR XML AUTO without BINARY BASE64 of binary"),
                _ => SqlError::new(6829, &[&c.name]),
            });
        }
        let xml = c.large == Large::Xml;
        if c.name.is_empty() {
            // A value of xml alone may have no name.
            if !xml {
                return Err(SqlError::new(6809, &[]));
            }
            level.content.push(XmlPart::Xml(n));
            return Ok(());
        }
        let name: Box<str> = self.element_name(&c.name, options.mode, "Column")?.into();
        level.varies |= xml;
        if !xml && !options.elements {
            if level.attributes.iter().any(|a| a.0 == name) {
                return Err(SqlError::new(6810, &[&c.name]));
            }
            level.attributes.push((name, n));
            return Ok(());
        }
        let value = if xml { XmlPart::Xml(n) } else { XmlPart::Text(n, name.clone()) };
        level.content.push(XmlPart::Element(name, Vec::new(), vec![value]));
        Ok(())
    }

    /// The levels of AUTO: a source that gives a column as it is has one, without any the first of `from`; what is computed goes with the
    /// column before it.
    fn auto_levels(
        &self,
        q: &BoundQuery,
        options: &XmlOptions,
        from: &[ast::TableRef],
    ) -> SqlResult<Vec<XmlLevel>> {
        let mut ids: Vec<u32> = Vec::new();
        let mut levels: Vec<XmlLevel> = Vec::new();
        for (id, name) in q.sources.iter().flatten() {
            if !ids.contains(id) {
                ids.push(*id);
                let tag = self.element_name(name, options.mode, "Table")?.into();
                let (attributes, content) = (Vec::new(), Vec::new());
                levels.push(XmlLevel { tag, attributes, content, varies: false });
            }
        }
        if levels.is_empty() {
            let Some(ast::TableRef::Named(first)) = from.first() else {
                return Err(SqlError::new(6800, &[]));
            };
            let name = match &first.alias {
                Some(alias) => alias.value.to_string(),
                None => first.name.to_string(),
            };
            let tag = self.element_name(&name, options.mode, "Table")?.into();
            let (attributes, content) = (Vec::new(), Vec::new());
            levels.push(XmlLevel { tag, attributes, content, varies: false });
        }
        let mut at = 0;
        for (n, c) in q.columns.iter().enumerate() {
            if let Some(Some((id, _))) = q.sources.get(n) {
                at = ids.iter().position(|i| i == id).unwrap_or(at);
            }
            self.column_of_row(&mut levels[at], n, c, options)?;
        }
        Ok(levels)
    }

    fn path_level(&self, q: &BoundQuery, options: &XmlOptions) -> SqlResult<XmlLevel> {
        let tag = match options.row.is_empty() {
            true => String::new(),
            false => self.element_name(&options.row, options.mode, "Row tag")?,
        };
        let (mut attributes, mut content) = (Vec::new(), Vec::new());
        for (n, c) in q.columns.iter().enumerate() {
            let within = (&mut attributes, &mut content);
            self.place(within, (n, c), &c.name, options.row.is_empty())?;
        }
        Ok(XmlLevel { tag: tag.into(), attributes, content, varies: false })
    }

    /// Puts a column where its path leads: 6849, 6851 to 6854, 6864.
    fn place(
        &self,
        (attributes, content): (&mut Vec<(Box<str>, usize)>, &mut Vec<XmlPart>),
        (n, c): (usize, &ColumnDesc),
        path: &str,
        no_row: bool,
    ) -> SqlResult<()> {
        let xml = c.large == Large::Xml;
        if let Some((step, rest)) = path.split_once('/') {
            if step.is_empty() || rest.is_empty() || step.starts_with('@') {
                return Err(SqlError::new(6849, &[&c.name]));
            }
            let name: Box<str> = self.element_name(step, XmlMode::Path, "Column")?.into();
            let inner = inner_of(content, name);
            return self.place(inner, (n, c), rest, false);
        }
        if let Some(name) = path.strip_prefix('@') {
            if xml {
                return Err(SqlError::new(6851, &[&c.name]));
            }
            if no_row {
                return Err(SqlError::new(6864, &[]));
            }
            if !content.is_empty() {
                return Err(SqlError::new(6852, &[&c.name]));
            }
            let name: Box<str> = self.element_name(name, XmlMode::Path, "Column")?.into();
            if attributes.iter().any(|a| a.0 == name) {
                return Err(SqlError::new(6810, &[&c.name]));
            }
            attributes.push((name, n));
            return Ok(());
        }
        let node: Box<str> = path.into();
        content.push(match path {
            "" | "*" | "node()" if xml => XmlPart::Xml(n),
            "" | "*" | "node()" | "text()" | "data()" if xml => {
                return Err(SqlError::new(6853, &[&c.name]));
            }
            "" | "*" | "node()" | "text()" => XmlPart::Text(n, "".into()),
            "data()" => XmlPart::Data(n, "".into()),
            "comment()" if xml => return Err(SqlError::new(6853, &[&c.name])),
            "comment()" => XmlPart::Comment(n),
            _ if path.starts_with("processing-instruction") => {
                let target = path.strip_prefix("processing-instruction(");
                let target = target.and_then(|t| t.strip_suffix(')')).filter(|t| !t.is_empty());
                let Some(target) = target else { return Err(SqlError::new(6854, &[&c.name])) };
                if xml {
                    return Err(SqlError::new(6853, &[&c.name]));
                }
                XmlPart::Instruction(self.element_name(target, XmlMode::Path, "Column")?.into(), n)
            }
            _ => {
                let name: Box<str> = self.element_name(path, XmlMode::Path, "Column")?.into();
                let value = if xml { XmlPart::Xml(n) } else { XmlPart::Text(n, node) };
                inner_of(content, name).1.push(value);
                return Ok(());
            }
        });
        Ok(())
    }
}

/// The inside of the last element where it has that name, else of a new one.
fn inner_of(
    content: &mut Vec<XmlPart>,
    name: Box<str>,
) -> (&mut Vec<(Box<str>, usize)>, &mut Vec<XmlPart>) {
    let is_last = matches!(content.last(), Some(XmlPart::Element(last, ..)) if *last == name);
    if !is_last {
        content.push(XmlPart::Element(name, Vec::new(), Vec::new()));
    }
    match content.last_mut() {
        Some(XmlPart::Element(_, attributes, inner)) => (attributes, inner),
        _ => unreachable!("an element was pushed"),
    }
}

impl Binder<'_> {
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
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn names_become_xml_names() {
        assert_eq!(encoded("a1-b.c_"), "a1-b.c_");
        assert_eq!(encoded("1 x"), "_x0031__x0020_x");
        assert_eq!(encoded("a_x"), "a_x005F_x");
    }
}

//! The methods of xml values, what becomes xml, and WITH XMLNAMESPACES.

use super::{Binder, Bound, Source, SourceColumn, SourceKind, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_functions::spelling::split_name;
use taffrail_functions::xml::{begins_name, in_name};
use taffrail_functions::xquery::{Given, Method, Outside};
use taffrail_functions::{self as functions, xquery};
use taffrail_plan::expr::Expr;
use taffrail_plan::rel::RowsetSource;
use taffrail_plan::system_view::NODES;
use taffrail_syntax::ast;
use taffrail_types::convert::Large;
use taffrail_types::names::{self, TypeUse};
use taffrail_types::{Conversion, Family, MaxLen, SqlType, Value};

const TEXT: SqlType = SqlType::NVarChar(MaxLen::Max);
/// The place of the document among the arguments of nodes().
const DOCUMENT: usize = 3;

/// The expression of a method, judged.
struct Asked {
    /// The expression, as the functions take it.
    packed: String,
    /// The values of SQL that it names.
    outside: Vec<Bound>,
    /// 0 of a document, 1 of what nodes() has found, 2 of that with its document.
    whence: usize,
    document: Option<Bound>,
}

fn constant(text: &str) -> Bound {
    Bound::not_null(Expr::Const(Value::nvarchar(text)), TEXT)
}

/// Whether a method is the change of xml that SET and UPDATE make.
pub(super) fn changes_xml(m: &ast::MethodCall) -> bool {
    &*m.name.value == ast::CHANGE_OF_XML
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
    /// The namespaces of WITH XMLNAMESPACES come into scope: 6869 to 6874.
    pub(super) fn declare_namespaces(&mut self, list: &[ast::XmlNamespace]) -> SqlResult<()> {
        const XML: &str = "http://www.w3.org/XML/1998/namespace";
        for n in list {
            let prefix = n.prefix.as_ref().map_or("", |p| &*p.value);
            if n.uri.is_empty() {
                return Err(SqlError::new(6874, &[]));
            }
            if prefix == "xmlns" {
                return Err(SqlError::new(6871, &[&prefix]));
            }
            if (prefix == "xml") != (&*n.uri == XML) {
                return Err(SqlError::new(6872, &[]));
            }
            let wrong = prefix.chars().enumerate().find(|(n, c)| match n {
                0 => !begins_name(*c),
                _ => !in_name(*c),
            });
            if let Some((_, c)) = wrong {
                return Err(SqlError::new(6870, &[&prefix, &c, &format!("{:04X}", c as u32)]));
            }
            if self.namespaces.iter().any(|known| known.0 == prefix) {
                return Err(SqlError::new(6869, &[&prefix]));
            }
            self.namespaces.push((prefix.to_owned(), n.uri.to_string()));
        }
        Ok(())
    }

    pub(super) fn call_by_name(&self, name: &str, args: Vec<Bound>) -> SqlResult<Bound> {
        self.call_of(name, args, None)
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
        let b = self.widened(b)?;
        Ok(Bound { large: Large::Xml, ..self.call_by_name(name, vec![b, style])? })
    }

    /// xml as text or binary of this type: an error, or NULL, where that is too short or cannot hold its characters.
    pub(super) fn xml_written(&mut self, b: Bound, to: SqlType, or_null: bool) -> SqlResult<Bound> {
        let form = match to.family() {
            Family::Char => self.collation.page().number().into(),
            Family::Binary => functions::xml::AS_BINARY,
            _ => functions::xml::AS_NCHAR,
        };
        let number = |n: i32| Bound::not_null(Expr::Const(Value::Int(n)), SqlType::Int);
        let args = vec![b, number(form), number(to.max_length().into()), number(or_null.into())];
        self.call_by_name(functions::xml::WRITTEN, args)
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
        let (functions, method, wanted) = match name {
            "value" => (xquery::VALUE, Method::Value, 2),
            "query" => (xquery::QUERY, Method::Query, 1),
            "exist" => (xquery::EXIST, Method::Exist, 1),
            ast::CHANGE_OF_XML => return self.xml_change(target, arguments),
            "modify" => return Err(SqlError::new(8137, &[&name])),
            "nodes" => return Err(unsupported("The method nodes here")),
            other => return Err(SqlError::new(227, &[&other])),
        };
        if arguments.len() != wanted {
            return Err(SqlError::new(174, &[&name, &wanted]));
        }
        let source = method_text(arguments, 0, name)?;
        let Asked { packed, outside, whence, document } = self.ask(&target, &source, method)?;
        let mut args = vec![target, constant(&packed)];
        args.extend(document);
        args.extend(outside);
        let found = self.call_by_name(functions[whence], args)?;
        if name != "value" {
            let large = if name == "query" { Large::Xml } else { Large::Plain };
            return Ok(Bound { large, ..found });
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
        let (found, from) = match to.family() {
            Family::Binary => {
                let bytes = self.call_by_name(functions::xml::DECODED, vec![found])?;
                (bytes.expr, bytes.ty)
            }
            _ => (found.expr, TEXT),
        };
        let expr = self.conversion(found, from, to, None, Conversion::Explicit, false);
        Ok(Bound::new(expr, to))
    }

    /// `modify` of a column that a statement changes.
    pub(super) fn xml_of_target(
        &mut self,
        id: u32,
        at: usize,
        call: &'a ast::MethodCall,
    ) -> SqlResult<Bound> {
        let target = self.target_column(id, at);
        self.xml_method(target, ast::CHANGE_OF_XML, &call.arguments)
    }

    /// `modify` of a variable or column: the value that it has then.
    fn xml_change(&mut self, target: Bound, arguments: &'a [ast::Expr]) -> SqlResult<Bound> {
        if arguments.len() != 1 {
            return Err(SqlError::new(174, &[&"modify", &1]));
        }
        let source = method_text(arguments, 0, "modify")?;
        let name = match &target.expr {
            Expr::Slot(slot) => self.mentions[*slot as usize].column.to_string(),
            Expr::Var(at) => self.variables.list[*at as usize].name.to_string(),
            _ => String::new(),
        };
        let Asked { packed, outside, .. } = self.ask(&target, &source, Method::Modify)?;
        let mut args = vec![target, constant(&packed), constant(&name)];
        args.extend(outside);
        Ok(Bound { large: Large::Xml, ..self.call_by_name(xquery::MODIFY, args)? })
    }

    /// Reads and judges the expression of a method.
    fn ask(&mut self, target: &Bound, source: &str, method: Method) -> SqlResult<Asked> {
        let name = self.method_name(target, method);
        let query = xquery::Query::read(source, &name, &self.namespaces)?;
        let (outside, given) = self.values_of_query(&query)?;
        query.judged(method, &name, &given)?;
        let packed = xquery::Query::packed(source, &self.namespaces, &given);
        let of_nodes = self.is_of_nodes(target);
        let document = match of_nodes && query.leads_out {
            true => self.document_of(target),
            false => None,
        };
        let whence = usize::from(of_nodes) + usize::from(document.is_some());
        Ok(Asked { packed, outside, whence, document })
    }

    /// The method as errors of its expression name it: of a table's column with both names.
    fn method_name(&self, target: &Bound, method: Method) -> String {
        let method = match method {
            Method::Value => "value()",
            Method::Query => "query()",
            Method::Exist => "exist()",
            Method::Nodes => "nodes()",
            Method::Modify => "modify()",
        };
        if let Expr::Slot(slot) = target.expr {
            let mention = &self.mentions[slot as usize];
            let sources = self.blocks.iter().flat_map(|b| &b.sources);
            let table = sources.filter(|s| s.id == mention.source).find_map(|s| match &s.kind {
                // A temporary table has another name in the catalogue.
                SourceKind::Table { .. } if s.alias.starts_with('#') => Some(s.alias.to_string()),
                SourceKind::Table { table, .. } => Some(table.name().to_owned()),
                _ => None,
            });
            if let Some(table) = table {
                return format!("{table}.{}.{method}", mention.column);
            }
        }
        method.to_owned()
    }

    /// The document that a column of nodes() is part of.
    fn document_of(&mut self, target: &Bound) -> Option<Bound> {
        let Expr::Slot(slot) = target.expr else { return None };
        let id = self.mentions[slot as usize].source;
        let sources = self.blocks.iter().flat_map(|b| &b.sources);
        let document = sources.filter(|s| s.id == id).find_map(|s| match &s.kind {
            SourceKind::Rowset { args, .. } => args.get(DOCUMENT).cloned(),
            _ => None,
        })?;
        self.read_outside(&document);
        Some(Bound::new(document, TEXT))
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

    /// The values of SQL that an expression names, as text, and their types.
    fn values_of_query(&mut self, q: &xquery::Query) -> SqlResult<(Vec<Bound>, Vec<Given>)> {
        if q.outside.len() > xquery::OUTSIDE_MOST {
            return Err(unsupported("An XQuery expression with so many values of SQL"));
        }
        let (mut texts, mut types) = (Vec::new(), Vec::new());
        for named in &q.outside {
            let value = match named {
                Outside::Variable(name) => self.variable(name).map_err(|e| match e.number {
                    137 => SqlError::new(9501, &[name]),
                    _ => e,
                })?,
                Outside::Column(name) => self.column_of_query(name)?,
            };
            if value.is_xml() {
                types.push(Given::XML);
                texts.push(Bound::new(value.expr, TEXT));
                continue;
            }
            let given = Given::of(value.ty).filter(|_| value.large == Large::Plain);
            let Some(given) = given else {
                let place = "XQuery: ";
                return Err(SqlError::new(9344, &[&place, &value.declared().name()]));
            };
            types.push(given);
            texts.push(Bound::new(self.as_xml_text(value)?, TEXT));
        }
        Ok((texts, types))
    }

    /// The column that `sql:column` names.
    fn column_of_query(&mut self, name: &str) -> SqlResult<Bound> {
        let ident = |value: String| ast::Ident {
            value: value.into(),
            span: Default::default(),
            delimited: true,
        };
        let mut parts = split_name(name).unwrap_or_default();
        let Some(column) = parts.pop() else {
            return Err(SqlError::new(207, &[&name]));
        };
        let qualifier = parts.pop().map(|table| ast::ObjectName {
            server: None,
            database: None,
            schema: parts.pop().map(ident),
            name: ident(table),
            span: Default::default(),
        });
        let found = self.column(&ast::ColumnRef { qualifier, name: ident(column) })?;
        self.used_directly(found)
    }

    /// A value as XML writes it, before characters are escaped.
    pub(super) fn as_xml_text(&mut self, value: Bound) -> SqlResult<Expr> {
        let style = match value.ty.family() {
            // Text is of its own code page, which need not be the database's.
            Family::Char => return self.cast_to(value.plain(), TEXT),
            // xsd:dateTime
            Family::OldDate | Family::NewDate => Some(Expr::Const(Value::Int(126))),
            // Four decimals.
            Family::Float | Family::Money => Some(Expr::Const(Value::Int(2))),
            _ => None,
        };
        Ok(self.conversion(value.expr, value.ty, TEXT, style, Conversion::Explicit, false))
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
        let Asked { packed, outside, whence, .. } = self.ask(&target, &source, Method::Nodes)?;
        let document = match self.is_of_nodes(&target) {
            true => self.document_of(&target).map_or(Expr::NULL, |b| b.expr),
            false => target.expr.clone(),
        };
        let part = Expr::Const(Value::Int(whence as i32));
        let mut exprs = vec![target.expr, constant(&packed).expr, part, document];
        exprs.extend(outside.into_iter().map(|b| b.expr));
        let column = SourceColumn {
            name: (&*column.value).into(),
            ty: TEXT,
            nullable: true,
            collation: Default::default(),
            origin: None,
            large: Large::Xml,
            user_type: 0,
            hidden: false,
            slot: None,
        };
        let database = self.meta.current_database()?;
        let view = self.meta.method(NODES);
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
}

//! EXEC … WITH RESULT SETS: the results that a caller has declared, under which those of the callee reach the client.
//!
//! A sink between the callee and the client gives each result the columns that are declared for it, and converts its rows. An error of
//! the clause is raised by the statement that makes the rows, and ends the EXEC; results that have not come are told of at its end.

use super::compile::Compiler;
use super::interpret::{Flow, Interpreter, Step, Unwind};
use super::module::{ExecTarget, Execute, Module, Stmt};
use crate::binder::declared;
use crate::catalog::{Column, Meaning};
use crate::database::Database;
use crate::session::Session;
use crate::sink::ClientGone;
use crate::sink::{
    ColumnDesc, Command, Done, DoneKind, EnvChange, ResultSink, ReturnValue, SinkResult,
};
use std::sync::Arc;
use taffrail_base::{Origin, SqlError, SqlResult};
use taffrail_syntax::ast::{self, ResultSetDefinition};
use taffrail_types::convert::{Kind, Large};
use taffrail_types::{Collation, Conversion, ConvertContext, Family, Pages, Value, convert};

/// Looks up the columns of a name.
type ColumnsOf = fn(&Session, &Arc<Database>, &ast::ObjectName) -> SqlResult<Vec<ColumnDesc>>;

/// A result as the clause declares it.
pub enum DeclaredResult {
    /// The columns, each with its type.
    Columns(Vec<ColumnDesc>),
    /// The columns of the object that has this name when the EXEC runs.
    Object(ast::ObjectName),
    /// The columns of the table type that has this name then.
    Type(ast::ObjectName),
    /// FOR XML makes it.
    ForXml,
}

impl Compiler<'_> {
    /// The results that an EXEC declares; none where it declares nothing.
    pub(super) fn result_sets(
        &mut self,
        written: Option<Vec<ResultSetDefinition>>,
    ) -> SqlResult<Option<Vec<DeclaredResult>>> {
        let Some(list) = written else { return Ok(None) };
        let one = |definition| {
            Ok(match definition {
                ResultSetDefinition::Columns(columns) => {
                    let columns = columns.iter().zip(1..);
                    let columns = columns.map(|(c, n)| self.result_set_column(c, n));
                    DeclaredResult::Columns(columns.collect::<SqlResult<_>>()?)
                }
                ResultSetDefinition::Object(name) => DeclaredResult::Object(name),
                ResultSetDefinition::Type(name) => DeclaredResult::Type(name),
                ResultSetDefinition::ForXml => DeclaredResult::ForXml,
            })
        };
        Ok(Some(list.into_iter().map(one).collect::<SqlResult<_>>()?))
    }

    /// The `ordinal`th column of a result; its type may be an alias.
    fn result_set_column(
        &mut self,
        c: &ast::ResultSetColumn,
        ordinal: usize,
    ) -> SqlResult<ColumnDesc> {
        let named = self.named_type(&c.ty, ordinal).and_then(|n| n.scalar(&c.ty, ordinal));
        let named = named.map_err(|e| declared::named_too_wide(e, &c.ty, &c.name.value))?;
        let ty = named.declared.ty;
        let is_text = matches!(ty.family(), Family::Char | Family::NChar);
        let own = self.home.collation();
        let collation = match &c.collation {
            Some(name) => Some(declared::collation(name, ty, own)?),
            None => is_text.then_some(own),
        };
        let nullable = c.nullable.or(named.nullable).unwrap_or(true);
        let large = named.declared.large();
        Ok(ColumnDesc { nullable, collation, large, ..ColumnDesc::new(&*c.name.value, ty) })
    }
}

impl Interpreter<'_> {
    /// EXEC under the results that it declares.
    pub(super) fn execute_declared(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        e: &Execute,
        list: &[DeclaredResult],
    ) -> Step {
        let results = list.iter().map(|r| self.declared_columns(module, r));
        let results = match results.collect::<SqlResult<Vec<_>>>() {
            Ok(results) => results,
            Err(e) => return self.fail(module, s, e, false, Command::EXECUTE),
        };
        let (declared, context) = (results.len(), self.session.convert_context());
        let mut sink = Declared {
            inner: self.sink,
            results,
            begun: 0,
            sources: Vec::new(),
            row: Vec::new(),
            context,
            refused: None,
            is_over: false,
        };
        let mut inner = Interpreter::new(self.session, &mut sink);
        inner.shown = self.shown;
        let step = inner.execute_plainly(module, s, e);
        (self.shown, self.controls) = (inner.shown, 0);
        let (begun, is_over) = (sink.begun, sink.is_over);
        match step {
            // The statement that made the rows has told why.
            Err(Unwind::Insert) if is_over => self.execute_failed(e),
            Ok(_) if begun < declared && !self.session.activation.options.fmtonly => {
                let e = SqlError::new(11536, &[&declared, &begun]);
                self.fail(module, s, e, false, Command::EXECUTE)
            }
            step => step,
        }
    }

    /// The DONE of an EXEC that an error of its clause has ended.
    fn execute_failed(&mut self, e: &Execute) -> Step {
        let kind = match (self.session.activation.nest_level, &e.target) {
            (0, ExecTarget::Text(_)) => DoneKind::Statement,
            (0, _) => DoneKind::Procedure,
            _ => DoneKind::InProcedure,
        };
        let done = Done { kind, command: Command::EXECUTE, rows: None, error: true };
        self.sink.done(done).map_err(|_| Unwind::Gone)?;
        Ok(Flow::Next)
    }

    /// The columns of a declared result; none where FOR XML makes the result. 11533 for a name that is none of an object with columns,
    /// 11534 for one that is none of a table type.
    fn declared_columns(
        &mut self,
        module: &Module,
        result: &DeclaredResult,
    ) -> SqlResult<Option<Vec<ColumnDesc>>> {
        let (name, of): (_, ColumnsOf) = match result {
            DeclaredResult::Columns(columns) => return Ok(Some(columns.clone())),
            DeclaredResult::ForXml => return Ok(None),
            DeclaredResult::Object(name) => (name, object_columns),
            DeclaredResult::Type(name) => (name, type_columns),
        };
        let home = module.database.clone().unwrap_or_else(|| self.session.database.clone());
        self.context(0).settled(|cx| of(cx.session, &home, name)).map(Some)
    }
}

/// The columns of the table, view or function that a result is declared AS: 11533.
pub fn object_columns(
    session: &Session,
    home: &Arc<Database>,
    name: &ast::ObjectName,
) -> SqlResult<Vec<ColumnDesc>> {
    let missing = || SqlError::new(11533, &[name]);
    let database = match &name.database {
        Some(d) => session.instance.databases().get(&d.value).map_err(|_| missing())?,
        None => home.clone(),
    };
    let schema = name.schema.as_ref().map(|s| &*s.value);
    let catalog = &database.catalog;
    session.note_blocked(catalog.blocked_name(schema, &name.name.value, session.id));
    let found = catalog.find_named(schema, &name.name.value, session.id);
    let object = found.filter(|o| !o.columns().is_empty()).ok_or_else(missing)?;
    Ok(object.columns().iter().map(described).collect())
}

/// The columns of the table type that a result is declared AS: 11534.
pub fn type_columns(
    session: &Session,
    home: &Arc<Database>,
    name: &ast::ObjectName,
) -> SqlResult<Vec<ColumnDesc>> {
    let wrong = || SqlError::new(11534, &[name]);
    if name.database.is_some() {
        return Err(wrong());
    }
    let (schema, catalog) = (name.schema.as_ref().map(|s| &*s.value), &home.catalog);
    let found = catalog.find_type(schema, &name.name.value, session.id).ok_or_else(wrong)?;
    let Meaning::Table { table, .. } = found.meaning else { return Err(wrong()) };
    let table = catalog.object(table, session.id).ok_or_else(wrong)?;
    Ok(table.columns().iter().map(described).collect())
}

/// A column of an object as a result has it.
fn described(c: &Column) -> ColumnDesc {
    let is_text = matches!(c.ty.family(), Family::Char | Family::NChar);
    let collation = is_text.then_some(c.collation);
    let (nullable, large) = (c.nullable, c.large());
    ColumnDesc { nullable, collation, large, ..ColumnDesc::new(&*c.name, c.ty) }
}

/// The sink of a callee whose results are declared.
struct Declared<'c> {
    inner: &'c mut dyn ResultSink,
    /// The columns of each result; none where those of the callee pass.
    results: Vec<Option<Vec<ColumnDesc>>>,
    /// Results that have begun.
    begun: usize,
    /// The columns of the result that the callee sends.
    sources: Vec<ColumnDesc>,
    /// The row that goes to the client.
    row: Vec<Value>,
    context: ConvertContext,
    /// The error of the clause, until the statement that made the rows raises it.
    refused: Option<Box<SqlError>>,
    /// An error of the clause was raised.
    is_over: bool,
}

impl Declared<'_> {
    fn refuse<T>(&mut self, e: Box<SqlError>) -> Result<T, ClientGone> {
        self.refused = Some(e.with_origin(Origin::ResultSets));
        self.is_over = true;
        Err(ClientGone)
    }

    /// 11537 and 11538 where the columns that come cannot be those that are declared for the result `number`.
    fn check(&self, number: usize, columns: &[ColumnDesc]) -> SqlResult<()> {
        let declared = self.results[number - 1].as_deref();
        let expected = declared.map_or(1, <[ColumnDesc]>::len);
        if expected != columns.len() {
            return Err(SqlError::new(11537, &[&expected, &number, &columns.len()]));
        }
        let pairs = declared.unwrap_or_default().iter().zip(columns);
        for (at, (to, from)) in (1..).zip(pairs) {
            let (to, from) = (to.declared(), from.declared());
            if convert::check_declared(from, to, Conversion::Implicit).is_err() {
                return Err(SqlError::new(11538, &[&to, &at, &number, &from]));
            }
        }
        Ok(())
    }

    fn convert(&mut self, values: &[Value]) -> SqlResult<()> {
        self.row.clear();
        let Some(Some(declared)) = self.results.get(self.begun - 1) else { return Ok(()) };
        for (at, ((to, from), v)) in (1..).zip(declared.iter().zip(&self.sources).zip(values)) {
            if v.is_null() && !to.nullable {
                return Err(SqlError::new(11553, &[&at, &self.begun]));
            }
            self.row.push(converted(v, from, to, &self.context)?);
        }
        Ok(())
    }
}

/// A value as a declared column has it: 8114 where it is none of the type.
fn converted(
    v: &Value,
    from: &ColumnDesc,
    to: &ColumnDesc,
    context: &ConvertContext,
) -> SqlResult<Value> {
    if v.is_null() {
        return Ok(Value::Null);
    }
    let page = |c: &ColumnDesc| c.collation.map_or(context.pages.to, Collation::page);
    if to.declared().kind == Kind::Xml && from.large != Large::Xml {
        return crate::functions::xml::as_xml_of(v, 0, page(from));
    }
    let pages = Pages { from: page(from), to: page(to) };
    if from.ty == to.ty && (pages.from == pages.to || from.ty.family() != Family::Char) {
        return Ok(v.clone());
    }
    let context = &context.with_pages(pages);
    let cast = convert::cast_with(v, from.ty, to.ty, None, Conversion::Implicit, context);
    cast.map_err(|_| SqlError::new(8114, &[&from.declared(), &to.declared()]))
}

impl ResultSink for Declared<'_> {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        if self.begun == self.results.len() {
            return self.refuse(SqlError::new(11535, &[&self.results.len()]));
        }
        if let Err(e) = self.check(self.begun + 1, columns) {
            return self.refuse(e);
        }
        self.begun += 1;
        self.sources = columns.to_vec();
        match &self.results[self.begun - 1] {
            Some(declared) => self.inner.columns(declared),
            None => self.inner.columns(columns),
        }
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        if self.begun == 0 || self.results[self.begun - 1].is_none() {
            return self.inner.row(values);
        }
        match self.convert(values) {
            Ok(()) => self.inner.row(&self.row),
            Err(e) => self.refuse(e),
        }
    }

    fn refusal(&mut self) -> Option<Box<SqlError>> {
        self.refused.take().or_else(|| self.inner.refusal())
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        self.inner.message(message)
    }

    fn done(&mut self, done: Done) -> SinkResult {
        self.inner.done(done)
    }

    fn return_status(&mut self, status: i32) -> SinkResult {
        self.inner.return_status(status)
    }

    fn return_value(&mut self, value: ReturnValue) -> SinkResult {
        self.inner.return_value(value)
    }

    fn env_change(&mut self, change: EnvChange) -> SinkResult {
        self.inner.env_change(change)
    }

    fn order(&mut self, columns: &[u16]) -> SinkResult {
        self.inner.order(columns)
    }

    fn flush(&mut self) -> SinkResult {
        self.inner.flush()
    }
}

/// The error of a sink that took nothing: that of its caller's clause, or that the client has gone.
pub(crate) fn not_taken(sink: &mut dyn ResultSink) -> Box<SqlError> {
    sink.refusal().unwrap_or_else(taffrail_base::message::client_gone)
}

//! Plans that are shown instead of run: SET SHOWPLAN_TEXT, SHOWPLAN_ALL and SHOWPLAN_XML, `taffrail.plan_of`.
//!
//! Statements are numbered over the batch in the order of the text, those without a plan too. Both branches of IF are shown, the body
//! of WHILE once, and the statements of a procedure behind its EXEC.

pub(super) mod document;
mod rows;

use super::activation::MAX_NEST_LEVEL;
use super::declarations::columns_of_type;
use super::interpret::{Flow, Interpreter, Step, source_of};
use super::module::{Code, Cond, DeclaredVariable, ExecTarget, Module, Stmt, StmtKind};
use super::planning::{self, Explained, Source};
use super::procedure::{Callee, Home};
use crate::catalog::{self, Table};
use crate::database::Database;
use crate::features::tables::tables;
use crate::plan::showplan::document::{Actual, Counted};
use crate::plan::showplan::{Line, drawn};
use crate::session::Session;
use crate::sink::{ColumnDesc, Command};
use document::{PlanSource, Teller, ToldPlan};
use rows::Head;
use std::sync::Arc;
use taffrail_base::message::client_gone;
use taffrail_base::{ObjectId, Origin, SqlError, SqlResult};
use taffrail_syntax::ast::{self, SwitchOption};
use taffrail_types::{SqlType, Value};

/// The forms that SET SHOWPLAN has asked for: SHOWPLAN_XML is sent before SHOWPLAN_ALL, and that before SHOWPLAN_TEXT.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Showing {
    pub text: bool,
    pub all: bool,
    pub xml: bool,
}

/// The forms in which SET STATISTICS has asked for plans that run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Profiling {
    pub rows: bool,
    pub xml: bool,
}

impl Profiling {
    /// Whether operators are counted.
    #[inline]
    pub fn is_on(self) -> bool {
        self.rows | self.xml
    }
}

impl Showing {
    /// Whether nothing is run.
    #[inline]
    pub fn is_on(self) -> bool {
        self.text | self.all | self.xml
    }
}

/// How many statements, and nodes of plans, a request has shown.
#[derive(Clone, Copy, Default)]
pub struct Shown {
    statements: i32,
    nodes: i32,
}

/// SET SHOWPLAN_…: it stands alone in its batch, and works while plans are shown.
pub(super) fn is_showplan(options: &[SwitchOption]) -> bool {
    let of = |o: &SwitchOption| {
        matches!(
            o,
            SwitchOption::ShowPlanText | SwitchOption::ShowPlanAll | SwitchOption::ShowPlanXml
        )
    };
    options.iter().any(of)
}

/// 1067 for a SET SHOWPLAN that does not stand alone.
pub(super) fn stands_alone(o: &ast::SetOptionStatement, alone: bool) -> SqlResult<()> {
    match o {
        ast::SetOptionStatement::Switch { options, .. } if is_showplan(options) && !alone => {
            Err(SqlError::new(1067, &[]))
        }
        _ => Ok(()),
    }
}

/// Calls `f` with each statement, in the order of the text. Blocks and TRY are no statements of their own.
fn each<'m, E>(list: &'m [Stmt], f: &mut dyn FnMut(&'m Stmt) -> Result<(), E>) -> Result<(), E> {
    for s in list {
        match &s.kind {
            StmtKind::Block(list) => each(list, f)?,
            StmtKind::TryCatch(body, catch) => {
                each(body, f)?;
                each(catch, f)?;
            }
            StmtKind::If(_, then, others) => {
                f(s)?;
                each(std::slice::from_ref(&**then), f)?;
                each(others, f)?;
            }
            StmtKind::While(_, body) => {
                f(s)?;
                each(std::slice::from_ref(&**body), f)?;
            }
            StmtKind::Label(_) => {}
            _ => f(s)?,
        }
    }
    Ok(())
}

/// What of a statement is planned.
fn sources(s: &Stmt) -> Vec<Source<'_>> {
    fn of_code(code: &Code) -> Option<Source<'_>> {
        match code {
            Code::Ready(..) => None,
            Code::Lazy(e, _, to) => Some(Source::Scalar(e, *to)),
        }
    }
    match &s.kind {
        StmtKind::If(Cond::Lazy(e, _), ..) | StmtKind::While(Cond::Lazy(e, _), _) => {
            vec![Source::Condition(e)]
        }
        StmtKind::Set(_, Code::Lazy(e, _, to))
        | StmtKind::Return(Some(Code::Lazy(e, _, to)))
        | StmtKind::Result(Code::Lazy(e, _, to)) => {
            vec![Source::Scalar(e, *to)]
        }
        StmtKind::Declare(list) => {
            list.iter().filter_map(DeclaredVariable::value).filter_map(of_code).collect()
        }
        _ => source_of(s).into_iter().collect(),
    }
}

/// The text of a statement: of IF and WHILE without what they run.
fn text<'m>(module: &'m Module, s: &Stmt) -> &'m str {
    let end = match &s.kind {
        StmtKind::If(_, body, _) | StmtKind::While(_, body) => body.span.start,
        _ => s.span.end,
    };
    module.shown().get(s.span.start as usize..end as usize).unwrap_or_default().trim()
}

/// `Type` of a statement.
fn kind(s: &Stmt) -> &'static str {
    match &s.kind {
        StmtKind::Select(q) if q.query.body.first_block().into.is_some() => "SELECT INTO",
        StmtKind::Select(q) if q.query.body.first_block().from.is_empty() => "SELECT WITHOUT QUERY",
        StmtKind::Select(_) => "SELECT",
        StmtKind::Insert(_) | StmtKind::InsertExec(..) => "INSERT",
        StmtKind::Update(_) => "UPDATE",
        StmtKind::Delete(_) => "DELETE",
        StmtKind::Merge(_) => "MERGE",
        StmtKind::Declare(list) if !list.iter().any(|d| d.value().is_some()) => "OTHER",
        StmtKind::Declare(_) | StmtKind::Set(..) => "ASSIGN",
        StmtKind::If(Cond::Lazy(..), ..) | StmtKind::While(Cond::Lazy(..), _) => "COND WITH QUERY",
        StmtKind::If(..) | StmtKind::While(..) => "COND",
        StmtKind::Print(_) => "PRINT",
        StmtKind::RaisError { .. } => "RAISERROR",
        StmtKind::Throw(_) => "THROW",
        StmtKind::WaitFor { .. } => "WAITFOR",
        StmtKind::Return(_) => "RETURN NONE",
        StmtKind::Result(_) => "RETURN",
        StmtKind::Begin(..) => "BEGIN TRANSACTION",
        StmtKind::Commit(_) => "COMMIT TRANSACTION",
        StmtKind::Rollback(_) => "ROLLBACK TRANSACTION",
        StmtKind::Save(_) => "SAVE TRANSACTION",
        StmtKind::Use(_) => "USE DATABASE",
        StmtKind::SetSwitches(..)
        | StmtKind::SetIsolation(_)
        | StmtKind::SetIdentityInsert(..)
        | StmtKind::SetValue(..) => "SET ON/OFF",
        StmtKind::Execute(e) => match e.target {
            ExecTarget::Text(_) => "EXECUTE STRING",
            _ => "EXECUTE PROC",
        },
        StmtKind::DeclareCursor(_) => "DECLARE CURSOR",
        StmtKind::SetCursor(..) => "ASSIGN",
        StmtKind::OpenCursor(_) => "OPEN CURSOR",
        StmtKind::Fetch(_) => "FETCH CURSOR",
        StmtKind::CloseCursor(_) => "CLOSE CURSOR",
        StmtKind::DeallocateCursor(_) => "DEALLOCATE CURSOR",
        StmtKind::Registered(_, s) => s.kind.words(),
        _ => "OTHER",
    }
}

/// The table variables that a statement sees, which nobody has to have made.
pub fn unmade_tables(
    session: &Session,
    module: &Module,
    visible: u32,
) -> SqlResult<Vec<(String, Arc<Table>)>> {
    let seen = module.table_variables.iter().take_while(|t| t.var < visible);
    let own = module.database.as_ref().unwrap_or(&session.database).collation();
    seen.map(|t| {
        let name = &module.variables.list[t.var as usize].name;
        let text = t.of.as_ref().map_or(&module.text, |(_, text)| text);
        let table = tables().unmade_variable(session, own, name, &t.body, text)?;
        Ok((name.clone(), Arc::new(table)))
    })
    .collect()
}

/// Empty tables for the table-valued parameters of a function of a database, for a look at its query.
pub fn unmade_parameters(
    session: &Session,
    database: &Database,
    parameters: &[catalog::Parameter],
) -> SqlResult<Vec<(String, Arc<Table>)>> {
    let of_tables = parameters.iter().filter(|p| p.readonly);
    of_tables.map(|p| unmade_of_type(session, database, (&p.name, p.user_type))).collect()
}

/// An empty table of a table type of a database, by the name of a variable and the type's `user_type_id`.
pub fn unmade_of_type(
    session: &Session,
    database: &Database,
    (name, of): (&str, i32),
) -> SqlResult<(String, Arc<Table>)> {
    let of = database.catalog.type_by_id(of, session.sight_of_types());
    let (body, text) = columns_of_type(&*of.ok_or_else(|| SqlError::new(5243, &[]))?)?;
    let own = database.collation();
    let table = tables().unmade_variable(session, own, name, &body, &text)?;
    Ok((name.to_owned(), Arc::new(table)))
}

/// The plans of a statement.
fn explained(session: &Session, module: &Module, s: &Stmt) -> SqlResult<Vec<Explained>> {
    let sources = sources(s);
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let home = module.database.clone().unwrap_or_else(|| session.database.clone());
    let unmade = unmade_tables(session, module, s.visible)?;
    let one =
        |source: &Source<'_>| planning::explain(session, &home, module, s.visible, &unmade, source);
    sources.iter().map(one).collect()
}

/// A statement of a text with its plans.
pub struct PlanOf {
    /// The number of the statement in its text, from 1.
    pub statement: i32,
    /// The line on which the statement begins.
    pub line: u32,
    /// The relations, as the binder made them.
    pub logical: String,
    /// The operators, as the planner chose them.
    pub physical: String,
    /// The objects that it needs, one a line.
    pub needs: String,
}

/// The plans of a batch's statements; those that have none are left out.
pub fn plans_of(session: &Session, batch: &str) -> SqlResult<Vec<PlanOf>> {
    let first = |e: Vec<SqlError>| {
        Box::new(e.into_iter().next().unwrap_or_else(|| *SqlError::new(102, &[&""])))
    };
    let module = super::compile::batch(session, &Arc::from(batch)).map_err(first)?;
    if !module.errors.is_empty() {
        return Err(first(module.errors));
    }
    let (mut out, mut number) = (Vec::new(), 0);
    each(&module.statements, &mut |s| -> SqlResult<()> {
        session.check_cancel()?;
        number += 1;
        let plans = explained(session, &module, s).map_err(|e| e.with_line(s.line))?;
        for Explained { logical, told, needs } in plans {
            let physical = drawn(&told.lines).join("\n");
            out.push(PlanOf { statement: number, line: s.line, logical, physical, needs });
        }
        Ok(())
    })?;
    Ok(out)
}

/// The one column of a plan's XML, by which tools know it.
const DOCUMENT: &str = "Microsoft SQL Server 2005 XML Showplan";

/// Plans that are made to be shown, with the procedures that statements call.
struct Estimated<'i, 's> {
    it: &'i mut Interpreter<'s>,
    /// Procedures that are not told again.
    shown: Vec<ObjectId>,
    level: u32,
}

impl PlanSource for Estimated<'_, '_> {
    /// The error, with the line of its statement.
    type Error = Box<SqlError>;

    fn plans(&mut self, module: &Arc<Module>, s: &Stmt) -> SqlResult<Vec<ToldPlan>> {
        self.it.session.check_cancel()?;
        let plans = self.it.explained(module, s).map_err(|e| e.with_line(s.line))?;
        Ok(plans.into_iter().map(|p| p.told).collect())
    }

    fn called(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
    ) -> SqlResult<Option<(String, Arc<Module>)>> {
        let called = self.it.called(module, s).map_err(|e| e.with_line(s.line))?;
        let Some((id, callee)) = called.filter(|(id, _)| !self.shown.contains(id)) else {
            return Ok(None);
        };
        if self.level == MAX_NEST_LEVEL {
            return Err(SqlError::new(217, &[&MAX_NEST_LEVEL]).with_line(s.line));
        }
        self.level += 1;
        self.shown.push(id);
        let name = callee.name.as_deref().unwrap_or_default().to_string();
        Ok(Some((name, callee)))
    }

    fn left(&mut self) {
        self.level -= 1;
    }
}

impl Interpreter<'_> {
    /// Shows a statement, and what stands in it, instead of running it.
    pub(super) fn show(&mut self, module: &Arc<Module>, s: &Stmt) -> Step {
        self.show_list(module, std::slice::from_ref(s), &mut Vec::new(), 0)?;
        Ok(Flow::Next)
    }

    /// `shown`: the procedures that are not shown again, so that those which call each other come to an end.
    fn show_list(
        &mut self,
        module: &Arc<Module>,
        list: &[Stmt],
        shown: &mut Vec<ObjectId>,
        level: u32,
    ) -> Result<(), super::interpret::Unwind> {
        each(list, &mut |s| {
            let one = self.session.check_cancel().and_then(|()| self.show_one(module, s));
            if let Err(e) = one {
                return self.fail(module, s, e, false, Command::NONE).map(|_| ());
            }
            match self.called(module, s) {
                Ok(Some((id, _))) if !shown.contains(&id) && level == MAX_NEST_LEVEL => {
                    let e = SqlError::new(217, &[&MAX_NEST_LEVEL]);
                    self.fail(module, s, e, false, Command::NONE).map(|_| ())
                }
                Ok(Some((id, callee))) if !shown.contains(&id) => {
                    shown.push(id);
                    self.show_list(&callee, &callee.statements, shown, level + 1)
                }
                Ok(_) => Ok(()),
                Err(e) => self.fail(module, s, e, false, Command::NONE).map(|_| ()),
            }
        })
    }

    /// The procedure of the user's that a statement calls.
    fn called(&self, module: &Module, s: &Stmt) -> SqlResult<Option<(ObjectId, Arc<Module>)>> {
        let (StmtKind::Execute(e) | StmtKind::InsertExec(_, e)) = &s.kind else { return Ok(None) };
        let ExecTarget::Procedure(name) = &e.target else { return Ok(None) };
        let home = module.database.clone().unwrap_or_else(|| self.session.database.clone());
        let home = Home { database: &home, schema: module.schema.as_deref() };
        let database = name.database.as_ref().map(|d| &*d.value);
        let schema = name.schema.as_ref().map(|d| &*d.value);
        match self.session.find_procedure(database, schema, &name.name.value, home, name)? {
            Callee::User(_, procedure) if procedure.options.encrypted => Ok(None),
            Callee::User(database, procedure) => {
                if module.execute_as.is_none() {
                    self.session.allow_call(&database, &procedure, module)?;
                }
                let module = self.session.procedure_module(&database, &procedure)?;
                Ok(Some((procedure.head.id, module)))
            }
            _ => Ok(None),
        }
    }

    /// The plans of a statement, once other sessions' DDL on what it names has ended.
    fn explained(&mut self, module: &Module, s: &Stmt) -> SqlResult<Vec<Explained>> {
        loop {
            self.session.take_blocked();
            self.session.lookups.failed_views.take();
            let plans = explained(self.session, module, s);
            match (self.session.take_blocked(), plans) {
                (Some(blocked), _) => self.session.wait_for_ddl(blocked)?,
                (None, Ok(plans)) => return Ok(plans),
                (None, Err(e)) => {
                    let e = self.context(s.line).binding_failed(e)?;
                    return Err(e.with_origin(Origin::Binding));
                }
            }
        }
    }

    fn show_one(&mut self, module: &Module, s: &Stmt) -> SqlResult<()> {
        let plans = self.explained(module, s)?;
        let text = text(module, s);
        self.shown.statements += 1;
        if !self.session.activation.options.showing.all {
            self.show_rows(&rows::text_column(), &[vec![Value::nvarchar(text)]])?;
            for plan in plans {
                let lines = drawn(&plan.told.lines);
                let rows: Vec<_> = lines.iter().map(|l| vec![Value::nvarchar(l)]).collect();
                self.show_rows(&rows::text_column(), &rows)?;
            }
            return Ok(());
        }
        let head = Head { text, statement: self.shown.statements, kind: kind(s) };
        let plans: Vec<&[Line]> = plans.iter().map(|p| &*p.told.lines).collect();
        let all = rows::rows(&head, &plans, &mut self.shown.nodes, None);
        self.show_rows(&rows::columns(false), &all)
    }

    /// The list of a batch or module: run, or shown as one document.
    pub(crate) fn list_or_document(&mut self, module: &Arc<Module>) -> Step {
        let options = &self.session.activation.options;
        let own =
            matches!(&module.statements[..], [s] if super::left_out::is_set_showplan(&s.kind));
        match options.showing.xml && !own {
            true => self.show_document(module),
            false => self.list(module, &module.statements),
        }
    }

    #[cold]
    fn show_document(&mut self, module: &Arc<Module>) -> Step {
        let options = self.session.activation.options;
        let mut teller =
            Teller { options: &options, cached: false, counted: None, times: None, number: 0 };
        let mut from = Estimated { it: self, shown: Vec::new(), level: 0 };
        let told = teller.list(module, &module.statements, &mut from);
        let sent = told.and_then(|told| self.send_document(&document::whole(told).text()));
        match (sent, module.statements.first()) {
            (Err(e), Some(first)) => {
                let line = e.line;
                let s = document::at_line(first, line);
                self.fail(module, &s, e, false, Command::NONE)
            }
            _ => Ok(Flow::Next),
        }
    }

    fn send_document(&mut self, text: &str) -> SqlResult<()> {
        let column = ColumnDesc::new(DOCUMENT, SqlType::NVARCHAR_MAX);
        self.show_rows(&[column], &[vec![Value::nvarchar(text)]])
    }

    /// Tells what the operators of a statement have done, by the plan that has run.
    pub(super) fn show_profile(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        told: ToldPlan,
        (counted, rows, times): (Counted<'_>, u64, (u64, u64)),
    ) -> SqlResult<()> {
        let options = self.session.activation.options;
        self.shown.statements += 1;
        if options.profiling.rows {
            let head =
                Head { text: text(module, s), statement: self.shown.statements, kind: kind(s) };
            let own = Actual { rows, executions: 1, ends: 1, ..Actual::default() };
            let all =
                rows::rows(&head, &[&told.lines], &mut self.shown.nodes, Some((own, counted)));
            self.show_rows(&rows::columns(true), &all)?;
        }
        if options.profiling.xml {
            let number = self.shown.statements - 1;
            let (counted, times) = (Some(counted), Some(times));
            let mut teller = Teller { options: &options, cached: true, counted, times, number };
            let text = teller.ran(module, s, told).text();
            self.send_document(&text)?;
        }
        Ok(())
    }

    fn show_rows(&mut self, columns: &[ColumnDesc], rows: &[Vec<Value>]) -> SqlResult<()> {
        let count = rows.len() as u64;
        let mut cx = self.context(0);
        cx.columns(columns)?;
        rows.iter().try_for_each(|row| cx.row(row))?;
        let ended = super::interpret::Ended { command: Command::SELECT, rows: Some(count) };
        self.done(ended).map(|_| ()).map_err(|_| client_gone())
    }
}

//! Single statements: queries to the client, assignments, changes, and the small ones.

use super::cursor::positioned;
use super::ddl_events::EventText;
use super::interpret::{Ended, Interpreter, source_of};
use super::module::{DeclaredVariable, Module, Plan, Stmt, StmtKind};
use super::ops;
use super::planning::Source;
use super::result_sets::not_taken;
use super::runtime::Rt;
use crate::features::{RegisteredStatement, Run};
use crate::memory;
use crate::permissions::{PermissionId, SecurableClass, known};
use crate::plan::facts::{Action, Need};
use crate::plan::statement::SelectPlan;
use crate::plan::statement::Statement;
use crate::sink::{Command, EnvChange};
use std::sync::Arc;
use taffrail_base::message::client_gone;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::convert::Large;
use taffrail_types::{Conversion, SqlType, Value, convert};

/// The permission to end other sessions.
const KILLS: PermissionId = known(SecurableClass::Server, "ALTER ANY CONNECTION");

impl Interpreter<'_> {
    /// Runs a statement that is no flow of control.
    pub fn run(&mut self, module: &Arc<Module>, s: &Stmt) -> SqlResult<Ended> {
        let plain = |command| Ok(Ended { command, rows: None });
        self.session.note_statement(&s.kind)?;
        match &s.kind {
            StmtKind::Select(_)
            | StmtKind::Insert(_)
            | StmtKind::Update(_)
            | StmtKind::Delete(_)
            | StmtKind::Merge(_) => {
                let source = source_of(s).expect("such a statement is planned");
                self.planned(module, s, &source)
            }
            StmtKind::Declare(list) => {
                for declared in list {
                    match declared {
                        DeclaredVariable::Value(var, code) => {
                            let v = self.value(module, s, code)?;
                            let vars = &mut self.session.activation.locals.vars;
                            memory::variables(vars, *var as usize, &v)?;
                            vars[*var as usize] = v;
                            self.session.activation.last.row_count = 1;
                        }
                        DeclaredVariable::Table(n) => self.declare_table(*n)?,
                    }
                }
                Ok(Ended { command: Command::NONE, rows: None })
            }
            StmtKind::Print(code) => {
                let v = self.value(module, s, code)?;
                let from = self.type_of(code);
                convert::check_declared(
                    from,
                    SqlType::nvarchar(4000).into(),
                    Conversion::Implicit,
                )?;
                self.print(&v, from.ty, s.line, module)?;
                self.session.activation.last.row_count = 0;
                plain(Command::OTHER)
            }
            StmtKind::RaisError { .. } | StmtKind::Throw(_) => {
                self.raise(module, s)?;
                plain(Command::OTHER)
            }
            StmtKind::WaitFor { until, value } => {
                let v = self.value(module, s, value)?;
                self.wait_for(*until, &v)?;
                self.session.activation.last.row_count = 0;
                plain(Command::OTHER)
            }
            StmtKind::Begin(name, mark) => {
                let name = name.as_ref().map(|n| self.transaction_name(n)).transpose()?;
                let mark = match mark {
                    Some(Some(code)) => {
                        Some(self.value(module, s, code)?.as_text().unwrap_or_default())
                    }
                    Some(None) => Some(String::new()),
                    None => None,
                };
                self.session.begin_implicitly(self.sink)?;
                self.session.begin_transaction(name, self.sink)?;
                if mark.is_some() {
                    if self.session.transaction.mark.is_some() {
                        self.context(s.line).message(SqlError::new(3920, &[]))?;
                    } else {
                        self.session.transaction.mark = mark;
                    }
                }
                plain(Command::BEGIN_TRAN)
            }
            StmtKind::Commit(delayed) => {
                let taking = self.session.activation.taking;
                if taking.is_some_and(|t| self.session.transaction.count <= t.transactions) {
                    return Err(SqlError::new(3916, &[]).with_state(0));
                }
                self.session.commit_transaction(*delayed, self.sink)?;
                plain(Command::COMMIT)
            }
            StmtKind::Rollback(name) => {
                if self.session.activation.taking.is_some() {
                    return Err(SqlError::new(3915, &[]).with_state(0));
                }
                let name = name.as_ref().map(|n| self.transaction_name(n)).transpose()?;
                self.session.rollback_transaction(name.as_deref(), self.sink)?;
                plain(Command::ROLLBACK)
            }
            StmtKind::Save(name) => {
                let name = self.transaction_name(name)?;
                self.session.save_transaction(&name)?;
                plain(Command::SAVE_TRAN)
            }
            StmtKind::SetSwitches(list, on) => {
                for o in list {
                    self.session.set_switch(*o, *on)?;
                }
                // A procedure keeps what it was created under.
                if let Some(on) = module.ansi_nulls {
                    self.session.activation.options.ansi_nulls = on;
                }
                self.session.publish();
                self.session.activation.last.row_count = 0;
                plain(Command::SET)
            }
            StmtKind::SetIsolation(level) => {
                self.session.set_isolation(*level)?;
                self.session.publish();
                self.session.activation.last.row_count = 0;
                plain(Command::SET)
            }
            StmtKind::SetIdentityInsert(table, on) => {
                self.session.set_identity_insert(module, table, *on)?;
                self.session.activation.last.row_count = 0;
                plain(Command::SET)
            }
            StmtKind::SetValue(option, code) => {
                let v = self.value(module, s, code)?;
                let language = self.session.set_value(*option, &v)?;
                self.session.publish();
                if let Some((new, old)) = language {
                    self.tell_language(new, old)?;
                }
                self.session.activation.last.row_count = 0;
                plain(Command::SET)
            }
            StmtKind::Use(name) => {
                self.use_database(name, s.line)?;
                self.session.activation.last.row_count = 0;
                plain(Command::OTHER)
            }
            StmtKind::Checkpoint(seconds) => {
                self.session.allow_checkpoint()?;
                let seconds = match seconds {
                    Some(code) => Some(self.value(module, s, code)?),
                    None => None,
                };
                self.checkpoint(seconds.as_ref())?;
                self.session.activation.last.row_count = 0;
                plain(Command::OTHER)
            }
            StmtKind::Kill(code, status) => {
                let v = self.value(module, s, code)?;
                self.kill(&v, *status)?;
                plain(Command::OTHER)
            }
            StmtKind::Registered(found, statement) => self.registered(module, s, found, statement),
            StmtKind::DeclareCursor(text) => self.declare_cursor(module, s, text),
            StmtKind::SetCursor(name, cursor) => self.set_cursor(name, cursor),
            StmtKind::OpenCursor(cursor) => {
                let opened = self.open_cursor(cursor);
                self.cursor_moved(opened)
            }
            StmtKind::Fetch(f) => {
                let fetched = self.fetch(module, s, f);
                self.cursor_moved(fetched)
            }
            StmtKind::CloseCursor(cursor) => self.close_cursor(cursor),
            StmtKind::DeallocateCursor(cursor) => self.deallocate_cursor(cursor),
            StmtKind::Unsupported(what) => Err(taffrail_base::message::unsupported(what)),
            StmtKind::Block(_)
            | StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::Set(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Result(_)
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::TryCatch(..)
            | StmtKind::InsertExec(..)
            | StmtKind::Execute(_) => unreachable!("flow of control is run elsewhere"),
        }
    }

    /// A statement of a feature.
    fn registered(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        found: &RegisteredStatement,
        statement: &ast::Statement,
    ) -> SqlResult<Ended> {
        let value = |name: &str| {
            let seen = module.variables.find(name);
            let seen = seen.filter(|(at, v)| *at < s.visible && v.ty.is_some());
            let (at, _) = seen.ok_or_else(|| SqlError::new(137, &[&name]).with_state(2))?;
            Ok(self.session.activation.locals.vars[at as usize].clone())
        };
        let filled = match found.fill {
            Some(fill) => fill(statement, &value)?,
            None => None,
        };
        let statement = filled.as_ref().unwrap_or(statement);
        let refused = self.session.refused_statement(found, statement)?;
        self.context(s.line).refuse_with(refused)?;
        let ended = self.run_registered(module, s, found, statement);
        let text = module.text.get(s.span.start as usize..s.span.end as usize);
        let place = (text.unwrap_or_default(), s.line);
        let observer = self.session.instance.observer();
        observer.registered_ran(self.session, place, statement, ended.is_ok());
        ended
    }

    fn run_registered(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        found: &RegisteredStatement,
        statement: &ast::Statement,
    ) -> SqlResult<Ended> {
        let run = match found.run {
            Run::Within(run) => run,
            Run::Itself(run) => {
                let rows = run(self, statement, s.line)?;
                return Ok(Ended { command: found.done, rows });
            }
        };
        self.session.activation.last.row_count = 0;
        if found.begins_transaction {
            if self.session.transaction.doomed {
                return Err(SqlError::new(3930, &[]));
            }
            self.session.begin_implicitly(self.sink)?;
            self.session.refuse_under_snapshot(statement)?;
        }
        self.session.running.events.clear();
        self.in_statement(|it| {
            run(&mut it.context(s.line), statement, &module.text)?;
            it.fire_events(&EventText::of(module, s))?;
            Ok(Ended { command: found.done, rows: None })
        })
    }

    /// A query or change.
    fn planned(&mut self, module: &Arc<Module>, s: &Stmt, source: &Source<'_>) -> SqlResult<Ended> {
        if self.session.transaction.doomed {
            // Table variables are no part of it.
            let plan = self.plan(module, s.plan, s.visible, source)?;
            if !plan.kind.changes_table_variables_only() {
                return Err(SqlError::new(3930, &[]));
            }
        }
        if self.session.activation.options.implicit_transactions
            && self.session.transaction.count == 0
        {
            // A query without tables begins nothing; nobody looks into a function that is run.
            let plan = self.plan(module, s.plan, s.visible, source)?;
            let reads = |n: &Need| n.action == Action::Select && n.object.object.0 > 0;
            if !plan.uses.is_empty() || plan.facts.needs.iter().any(reads) {
                self.session.begin_implicitly(self.sink)?;
            }
        }
        let fmtonly = self.session.activation.options.fmtonly;
        let mut began = None;
        let ended = self.in_statement(|it| {
            let plan = it.locked_plan(module, s.plan, s.visible, source)?;
            began = (!fmtonly).then(|| it.session.starts_plan(module, s.plan, &plan));
            if let Statement::Select(_, Some(_)) = &plan.kind
                && fmtonly
            {
                return Ok(Ended { command: Command::OTHER, rows: Some(0) });
            }
            if let Statement::Select(q, Some(into)) = &plan.kind {
                let filegroup = match source {
                    Source::Select(s) => s.query.body.first_block().into_filegroup.as_ref(),
                    _ => None,
                };
                let ended = it.select_into(&plan, q, (into, filegroup), s.line)?;
                it.fire_events(&EventText::of(module, s))?;
                it.session.activation.last.row_count = ended.rows.unwrap_or(0) as i64;
                return Ok(ended);
            }
            it.one_writer(&plan)?;
            let positioned = match positioned::cursor_of(source) {
                Some(cursor) if !fmtonly => Some(it.begin_positioned(cursor, &plan)?),
                _ => None,
            };
            let ran = it.with_runtime(&plan, s.line, |rt| {
                Ok(match &plan.kind {
                    Statement::Select(q, _) if q.replaces.is_some() => {
                        let (command, rows) = super::modify::replaced::run(rt, q, fmtonly)?;
                        (command, Some(rows))
                    }
                    Statement::Select(q, _) if q.json.is_some() => {
                        (Command::SELECT, Some(super::for_json::send(rt, q, fmtonly)?))
                    }
                    Statement::Select(q, _) if q.assign.is_empty() => {
                        (Command::SELECT, Some(send(rt, q, fmtonly)?))
                    }
                    Statement::Select(q, _) => (Command::SELECT, Some(assign(rt, q)?)),
                    _ if fmtonly => (Command::OTHER, Some(0)),
                    Statement::Insert(i) => {
                        (Command::INSERT, Some(super::modify::insert::run(rt, i)?))
                    }
                    Statement::Update(u) => {
                        (Command::UPDATE, Some(super::modify::update::run(rt, u)?))
                    }
                    Statement::Delete(d) => {
                        (Command::DELETE, Some(super::modify::delete::run(rt, d)?))
                    }
                    Statement::Merge(m) => {
                        (Command::MERGE, Some(super::modify::merge::run(rt, m)?))
                    }
                    Statement::Scalar(..) | Statement::Condition(_) => {
                        unreachable!("planned from a statement")
                    }
                })
            });
            if ran.is_err() {
                it.session.running.due.clear();
            }
            let (command, rows) = ran?;
            if let Some(positioned) = positioned {
                it.end_positioned(&positioned, &plan, rows.unwrap_or(0))?;
            }
            it.fire_due(rows.unwrap_or(0))?;
            it.session.activation.last.row_count = rows.unwrap_or(0) as i64;
            it.warn_if_due(s.line)?;
            Ok(Ended { command, rows })
        });
        let rows = self.session.activation.last.row_count.max(0) as u64;
        self.executed(module, s.plan, began, ended.as_ref().map(|_| rows).map_err(|e| &**e));
        ended
    }

    /// Messages of what a statement went over: 8153, 3606, 3607.
    pub(super) fn warn(&mut self, line: u32) -> SqlResult<()> {
        if std::mem::take(&mut self.session.activation.warnings.null_eliminated) {
            self.context(line).message(SqlError::new(8153, &[]))?;
        }
        let overflowed = std::mem::take(&mut self.session.activation.warnings.overflowed);
        let divided = std::mem::take(&mut self.session.activation.warnings.divided_by_zero);
        for (due, number) in [(divided, 3607), (overflowed, 3606)] {
            if due && !self.session.activation.options.arithignore {
                self.context(line).message(SqlError::new(number, &[]))?;
            }
        }
        Ok(())
    }

    /// A transaction changes one durable database.
    pub(super) fn one_writer(&mut self, plan: &Plan) -> SqlResult<()> {
        let target = match &plan.kind {
            Statement::Insert(p) => &p.database,
            Statement::Update(p) => &p.database,
            Statement::Delete(p) => &p.database,
            Statement::Merge(p) => &p.database,
            _ => return Ok(()),
        };
        let other = |p: &crate::session::TransactionPart| {
            p.database.id != target.id && !p.database.is_temporary() && p.tx.has_written()
        };
        if !target.is_temporary() && self.session.transaction.parts.iter().any(other) {
            return Err(taffrail_base::message::unsupported(
                "A transaction that changes two databases",
            ));
        }
        Ok(())
    }

    /// KILL: 6101, 6104, 6106, 6115, 6120.
    fn kill(&mut self, v: &Value, status_only: bool) -> SqlResult<()> {
        let Some(n) = v.as_i64() else {
            return Err(taffrail_base::message::unsupported("KILL of a unit of work"));
        };
        if !self.session.may_on_server(KILLS) {
            return Err(SqlError::new(6102, &[]));
        }
        if self.session.transaction.count > 0 {
            return Err(SqlError::new(6115, &[]));
        }
        let id = u16::try_from(n).ok().filter(|n| *n > 0);
        let id = id.ok_or_else(|| SqlError::new(6101, &[&n]))?;
        let id = taffrail_base::SessionId(id);
        let is_own = |s: &Arc<crate::session::entry::SessionEntry>| s.id == id && !s.is_user();
        if self.session.instance.all_sessions().iter().any(is_own) {
            return Err(SqlError::new(6107, &[]));
        }
        if status_only {
            let sessions = self.session.instance.sessions();
            return match sessions.iter().any(|s| s.id == id && s.is_killed()) {
                true => Err(taffrail_base::message::unsupported("The status of a rollback")),
                false => Err(SqlError::new(6120, &[&n])),
            };
        }
        if id == self.session.id {
            return Err(SqlError::new(6104, &[]));
        }
        if !self.session.instance.kill_session(id) {
            return Err(SqlError::new(6106, &[&n]));
        }
        let client = &self.session.client;
        taffrail_observe::EventRing::global().push(taffrail_observe::Event::SessionKilled {
            session: id,
            by: self.session.id,
            host: client.host_name.clone(),
            process: client.client_pid,
        });
        Ok(())
    }

    fn use_database(&mut self, name: &str, line: u32) -> SqlResult<()> {
        let database = self
            .session
            .instance
            .databases()
            .get(name)
            .map_err(|e| if e.number == 911 { e.with_state(1) } else { e })?;
        let context = self.session.activation.security();
        if context.is_application_role() {
            return Err(SqlError::new(505, &[]));
        }
        if !context.is_sa() {
            self.session.identity_in(&database)?;
        }
        self.session.enter_database(database, line, self.sink)
    }

    fn tell_language(&mut self, new: String, old: String) -> SqlResult<()> {
        let info = SqlError::new(5703, &[&new]).with_severity(0);
        let change = EnvChange::Language { new, old };
        self.sink.env_change(change).map_err(|_| client_gone())?;
        self.sink.message(&info).map_err(|_| client_gone())
    }
}

/// SET TEXTSIZE in bytes, where it concerns a column of the query.
fn text_size(rt: &Rt<'_>, q: &SelectPlan) -> Option<usize> {
    let most = usize::try_from(rt.cx.session.activation.options.text_size).ok()?;
    let concerned = q.plan.columns.iter().any(|c| c.ty.is_max());
    (most < i32::MAX as usize && concerned).then_some(most)
}

/// Large values are sent no longer than SET TEXTSIZE says; xml is sent whole.
#[cold]
fn cut_to_text_size(row: &mut [Value], q: &SelectPlan, most: usize) {
    for (v, c) in row.iter_mut().zip(&q.plan.columns) {
        if !c.ty.is_max() || c.large == Large::Xml {
            continue;
        }
        match v {
            Value::VarChar(b) | Value::Binary(b) => b.truncate(most),
            // Whole characters.
            Value::NVarChar(b) => b.truncate(most & !1),
            _ => {}
        }
    }
}

/// Sends a query's rows.
fn send(rt: &mut Rt<'_>, q: &SelectPlan, fmtonly: bool) -> SqlResult<u64> {
    let plan = &q.plan;
    if fmtonly {
        rt.cx.columns(&plan.columns)?;
        return Ok(0);
    }
    let mut op = ops::build(&plan.node);
    ops::refuse_counts(rt, &plan.node)?;
    // An error before the first row comes without a result.
    rt.cx.columns(&plan.columns)?;
    op.open(rt)?;
    if !q.order.is_empty() {
        rt.cx.sink.order(&q.order).map_err(|_| client_gone())?;
    }
    let limit = rt.cx.session.row_limit();
    let mut count = 0;
    let first = plan.outputs.first().copied().unwrap_or(0) as usize;
    let together = plan.outputs.iter().enumerate().all(|(i, s)| *s as usize == first + i);
    let mut row = Vec::with_capacity(plan.outputs.len());
    let text_size = text_size(rt, q);
    while count < limit && op.next(rt)? {
        rt.tick()?;
        if together && text_size.is_none() {
            let values = &rt.frame[first..first + plan.outputs.len()];
            rt.cx.sink.row(values).map_err(|_| not_taken(rt.cx.sink))?;
        } else {
            row.clear();
            row.extend(plan.outputs.iter().map(|s| rt.frame[*s as usize].clone()));
            if let Some(most) = text_size {
                cut_to_text_size(&mut row, q, most);
            }
            rt.cx.row(&row)?;
        }
        count += 1;
    }
    Ok(count)
}

/// `SELECT @v = …`: the last row's values stay.
fn assign(rt: &mut Rt<'_>, q: &SelectPlan) -> SqlResult<u64> {
    let limit = rt.cx.session.row_limit();
    let mut op = ops::build(&q.plan.node);
    op.open(rt)?;
    let mut count = 0;
    while count < limit && op.next(rt)? {
        rt.tick()?;
        for (var, e) in &q.assign {
            rt.assign(*var as usize, e)?;
        }
        count += 1;
    }
    Ok(count)
}

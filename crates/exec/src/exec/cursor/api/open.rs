//! sp_cursoropen, sp_cursorprepare, sp_cursorexecute, sp_cursorprepexec, sp_cursorunprepare.

use super::super::{CursorText, NewCursor};
use super::options::{AskedOptions, MadeOptions};
use super::{ApiCursor, ended, number, outputs, text};
use crate::database::Database;
use crate::exec::activation::{Locals, Way};
use crate::exec::called::{Called, Passed, Returned};
use crate::exec::fate::{Place, Raised, fate};
use crate::exec::interpret::{Ended, Interpreter, Unwind};
use crate::exec::module::{Module, Stmt, StmtKind};
use crate::exec::planning::Source;
use crate::exec::rpc;
use crate::plan::statement::Statement;
use crate::session::Prepared;
use crate::sink::{ColumnDesc, Command, CursorTables};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::SelectStatement;
use taffrail_types::SqlType;

/// The return status of sp_cursorprepare for a text without a result.
const NO_METADATA: i32 = 0x1FF6;

/// The places of a call's arguments.
#[derive(Clone, Copy)]
struct Places {
    cursor: usize,
    scroll: usize,
    concurrency: usize,
    rows: usize,
    /// The first value of a parameter.
    values: usize,
}

/// A text of which a cursor is to be made, and the call that wants it.
struct Wanted<'a> {
    text: Arc<str>,
    declared: String,
    asked: AskedOptions,
    places: Places,
    passed: &'a [Passed],
}

impl Wanted<'_> {
    fn values(&self) -> &[Passed] {
        self.passed.get(self.places.values..).unwrap_or(&[])
    }

    /// The options as they were given, and no cursor.
    fn none(&self) -> Returned {
        let Places { cursor, scroll, concurrency, rows, .. } = self.places;
        let asked = (self.asked.scroll, self.asked.concurrency);
        let told = [(cursor, 0), (scroll, asked.0), (concurrency, asked.1), (rows, 0)];
        Returned { outputs: outputs(self.passed, told), ..Returned::default() }
    }
}

/// The query of a text that is a cursor's: one SELECT that does nothing else than give rows.
fn query_of(module: &Module) -> Option<(&Stmt, &SelectStatement)> {
    let [one] = &module.statements[..] else { return None };
    match &one.kind {
        StmtKind::Select(s) if s.query.for_clause.is_none() => Some((one, s)),
        _ => None,
    }
}

/// The columns of a fetched row: those of the query, and ROWSTAT.
pub(super) fn with_status(columns: &[ColumnDesc]) -> Vec<ColumnDesc> {
    let status = ColumnDesc { nullable: false, ..ColumnDesc::new("ROWSTAT", SqlType::Int) };
    columns.iter().cloned().chain([status]).collect()
}

impl Interpreter<'_> {
    /// `sp_cursoropen cursor OUTPUT, stmt, scrollopt OUTPUT, ccopt OUTPUT, rowcount OUTPUT, paramdef, values …`.
    pub(super) fn cursor_open(
        &mut self,
        passed: &[Passed],
        place: Option<Arc<Database>>,
    ) -> Result<Called, Unwind> {
        const NAME: &str = "sp_cursoropen";
        let places = Places { cursor: 0, scroll: 2, concurrency: 3, rows: 4, values: 6 };
        let wanted = || -> SqlResult<Wanted<'_>> {
            let asked = AskedOptions::read(passed, (2, 3, 4), NAME)?;
            asked.check(NAME)?;
            let declared = match passed.get(5) {
                None => String::new(),
                Some(_) if asked.is_parameterized() => text(passed, 5, NAME, "paramdef")?,
                Some(_) => return Err(super::invalid(NAME, "boundparam")),
            };
            let text = text(passed, 1, NAME, "stmt")?.into();
            Ok(Wanted { text, declared, asked, places, passed })
        };
        match wanted() {
            Ok(w) => self.open_api(&w, place),
            Err(e) => Ok(Err(ended(e))),
        }
    }

    /// `sp_cursorprepexec handle OUTPUT, cursor OUTPUT, params, stmt, scrollopt, ccopt, rowcount OUTPUT, values …`.
    pub(super) fn cursor_prepexec(
        &mut self,
        passed: &[Passed],
        place: Option<Arc<Database>>,
    ) -> Result<Called, Unwind> {
        const NAME: &str = "sp_cursorprepexec";
        let places = Places { cursor: 1, scroll: 4, concurrency: 5, rows: 6, values: 7 };
        let wanted = || -> SqlResult<Wanted<'_>> {
            let asked = AskedOptions::read(passed, (4, 5, 6), NAME)?;
            asked.check(NAME)?;
            let declared = text(passed, 2, NAME, "params")?;
            let text = text(passed, 3, NAME, "statement")?.into();
            Ok(Wanted { text, declared, asked, places, passed })
        };
        let wanted = match wanted() {
            Ok(w) => w,
            Err(e) => return Ok(Err(ended(e))),
        };
        // A handle that is given is replaced.
        self.session.held.prepared.remove(&rpc::handle(passed.first()));
        let mut returned = self.open_api(&wanted, place)?;
        if let Ok(r) = &mut returned {
            let handle = self.new_handle(wanted.text.to_string(), wanted.declared);
            r.outputs.splice(0..0, outputs(passed, [(0, handle)]));
        }
        Ok(returned)
    }

    /// `sp_cursorexecute handle, cursor OUTPUT, scrollopt OUTPUT, ccopt OUTPUT, rowcount OUTPUT, values …`.
    pub(super) fn cursor_execute(
        &mut self,
        passed: &[Passed],
        place: Option<Arc<Database>>,
    ) -> Result<Called, Unwind> {
        const NAME: &str = "sp_cursorexecute";
        let places = Places { cursor: 1, scroll: 2, concurrency: 3, rows: 4, values: 5 };
        let wanted = || -> SqlResult<Wanted<'_>> {
            let asked = AskedOptions::read(passed, (2, 3, 4), NAME)?;
            asked.check(NAME)?;
            if asked.is_parameterized() {
                return Err(super::invalid(NAME, "scrollopt"));
            }
            let Prepared { text, declarations } = self.prepared_cursor(passed, NAME)?;
            Ok(Wanted { text, declared: declarations, asked, places, passed })
        };
        match wanted() {
            Ok(w) => self.open_api(&w, place),
            Err(e) => Ok(Err(ended(e))),
        }
    }

    /// The text of a handle: 8179.
    fn prepared_cursor(&self, passed: &[Passed], procedure: &'static str) -> SqlResult<Prepared> {
        let handle = number(passed, 0, procedure, "prepared_handle")?.unwrap_or(0);
        let known = i32::try_from(handle).ok().and_then(|h| self.session.held.prepared.get(&h));
        known.cloned().ok_or_else(|| SqlError::new(8179, &[&handle]))
    }

    /// sp_cursorunprepare: the handle is no one's from then on.
    pub(super) fn cursor_unprepare(&mut self, passed: &[Passed]) -> Called {
        const NAME: &str = "sp_cursorunprepare";
        self.prepared_cursor(passed, NAME).map_err(ended)?;
        if let Some(handle) = number(passed, 0, NAME, "handle").map_err(ended)? {
            self.session.held.prepared.remove(&(handle as i32));
        }
        Ok(Returned::default())
    }

    /// `sp_cursorprepare handle OUTPUT, params, stmt, options, scrollopt OUTPUT, ccopt OUTPUT`: looks at the text, and sends its columns
    /// where the options say so.
    pub(super) fn cursor_prepare(
        &mut self,
        passed: &[Passed],
        place: Option<Arc<Database>>,
    ) -> Result<Called, Unwind> {
        const NAME: &str = "sp_cursorprepare";
        let read = || -> SqlResult<(Arc<str>, String, MadeOptions, bool)> {
            let asked = AskedOptions::read(passed, (4, 5, usize::MAX), NAME)?.prepared()?;
            let declared = text(passed, 1, NAME, "params")?;
            let wanted = number(passed, 3, NAME, "options")?.unwrap_or(0) & 1 != 0;
            Ok((text(passed, 2, NAME, "stmt")?.into(), declared, asked, wanted))
        };
        let (text, declared, asked, wanted) = match read() {
            Ok(r) => r,
            Err(e) => return Ok(Err(ended(e))),
        };
        let way = Way { place, ..Way::of_text() };
        let returned = self.within(way, |it| {
            let module = match it.session.batch_module(&text, &declared) {
                Ok(m) => m,
                Err(errors) => return it.no_cursor(errors),
            };
            match it.columns_of_text(&module) {
                Ok(None) => Ok(Ok(Returned { status: NO_METADATA, ..Returned::default() })),
                Ok(Some(columns)) if wanted => it.send_columns(&columns, &CursorTables::default()),
                Ok(Some(_)) => Ok(Ok(Returned::default())),
                Err(e) => it.no_cursor(vec![*e]),
            }
        })?;
        Ok(returned.map(|r| {
            let handle = self.new_handle(text.to_string(), declared);
            let told = [(0, handle), (4, asked.scroll), (5, asked.concurrency)];
            Returned { outputs: outputs(passed, told), ..r }
        }))
    }

    /// The columns of a text of which a cursor can be made, as it is bound now; none for another text.
    fn columns_of_text(&mut self, module: &Arc<Module>) -> SqlResult<Option<Vec<ColumnDesc>>> {
        let Some((s, select)) = query_of(module) else { return Ok(None) };
        let mut own = Locals::new(module.clone());
        let plan = self.with_locals(&mut own, |it| {
            it.plan(module, s.plan, s.visible, &Source::Select(select))
        })?;
        Ok(match &plan.kind {
            Statement::Select(q, _) => Some(with_status(&q.plan.columns)),
            _ => None,
        })
    }

    /// Sends the columns of a cursor, and no rows.
    fn send_columns(
        &mut self,
        columns: &[ColumnDesc],
        tables: &CursorTables,
    ) -> Result<Called, Unwind> {
        if let Err(e) = self.context(0).cursor_columns(columns, tables) {
            return Ok(Err(e.into()));
        }
        self.done(Ended { command: Command::SELECT, rows: Some(0) })?;
        Ok(Ok(Returned::default()))
    }

    /// The text has mistakes, and so there is no cursor: the mistakes are told, then 16945, but behind none that undoes the transaction by
    /// itself (a deadlock) or is the client's wish: those end what they end.
    fn no_cursor(&mut self, mut errors: Vec<SqlError>) -> Result<Called, Unwind> {
        let status = errors.first().map(|e| e.number);
        let place = Place { xact_abort: false, ..self.place(Raised::Other) };
        let goes_on = |e: &SqlError| Unwind::of(e).is_none() && !fate(e, place).undoes;
        if place.tries == 0 && errors.last().is_none_or(goes_on) {
            errors.push(*SqlError::new(16945, &[]).with_state(2));
        }
        let mut called = self.several(errors)?;
        if let Err(failed) = &mut called {
            failed.status = status;
        }
        Ok(called)
    }

    /// Opens a cursor over a text, or runs the text where that is allowed and no cursor can be made of it: 16937.
    fn open_api(
        &mut self,
        wanted: &Wanted<'_>,
        place: Option<Arc<Database>>,
    ) -> Result<Called, Unwind> {
        let way = Way { place, ..Way::of_text() };
        self.within(way, |it| {
            let module = match it.session.batch_module(&wanted.text, &wanted.declared) {
                Ok(m) => m,
                Err(errors) => return it.no_cursor(errors),
            };
            let Some((stmt, select)) = query_of(&module) else {
                return it.run_instead(wanted, module);
            };
            if let Err(e) = it.load(&module, "", wanted.values()) {
                return Ok(Err(ended(e)));
            }
            let errors = it.check();
            if !errors.is_empty() {
                return it.no_cursor(errors);
            }
            it.session.begins(Some(&module));
            match it.make_api(wanted, &module, stmt, select) {
                Ok(Some(at)) => {
                    let answered = it.answer_open(wanted, at);
                    if !matches!(answered, Ok(Ok(_))) {
                        // The client has been given no handle to close it by.
                        it.session.held.cursors.remove(at);
                    }
                    answered
                }
                Ok(None) => it.run_instead(wanted, module.clone()),
                Err(e) if e.number == 16955 => Ok(Err(ended(e))),
                Err(e) => it.no_cursor(vec![*e]),
            }
        })
    }

    /// The text runs, its results go to the client, and there is no cursor: 16954 says so beforehand.
    fn run_instead(&mut self, wanted: &Wanted<'_>, module: Arc<Module>) -> Result<Called, Unwind> {
        if !wanted.asked.allows_direct() {
            return Ok(Err(ended(SqlError::new(16937, &[]))));
        }
        let told = SqlError::new(16954, &[]).with_severity(10);
        self.sink.message(&told).map_err(|_| Unwind::Gone)?;
        let ran = self.run_module(module, "", wanted.values(), false)?;
        Ok(ran.map(|r| {
            let behind = r.outputs.into_iter().map(|(n, v, ty)| (n + wanted.places.values, v, ty));
            let mut outputs = wanted.none().outputs;
            outputs.extend(behind);
            Returned { status: self.session.activation.last.error, outputs, ..Returned::default() }
        }))
    }

    /// Makes the cursor and opens it; none where the query is one that gives no rows.
    fn make_api(
        &mut self,
        wanted: &Wanted<'_>,
        module: &Arc<Module>,
        stmt: &Stmt,
        select: &SelectStatement,
    ) -> SqlResult<Option<usize>> {
        let (model, scroll, concurrency) = wanted.asked.wanted();
        let text = Arc::new(CursorText {
            name: "".into(),
            local: false,
            global: true,
            model,
            scroll,
            concurrency,
            warns: false,
            for_update: None,
            is_api: true,
            select: select.clone(),
        });
        let new = NewCursor { module, number: stmt.plan, visible: stmt.visible, line: stmt.line };
        let at = match self.make_cursor(&new, &text, None, true) {
            Ok(at) => at,
            Err(e) if e.number == 16907 => return Ok(None),
            Err(e) => return Err(e),
        };
        let result = self.open_made(wanted, at);
        if result.is_err() {
            self.session.held.cursors.remove(at);
        }
        result.map(|()| Some(at))
    }

    fn open_made(&mut self, wanted: &Wanted<'_>, at: usize) -> SqlResult<()> {
        let made = wanted.asked.made(&self.session.held.cursors.list[at].made)?;
        self.open_at(at)?;
        if made.told {
            let told = SqlError::new(16956, &[]);
            self.sink.message(&told).map_err(|_| taffrail_base::message::client_gone())?;
        }
        self.session.held.cursors.list[at].api = Some(ApiCursor {
            scroll: made.scroll,
            concurrency: made.concurrency,
            closes_itself: wanted.asked.closes_itself(),
            ..ApiCursor::default()
        });
        Ok(())
    }

    /// Sends the columns of an opened cursor, the first rows where they are asked for, and what became of the options.
    fn answer_open(&mut self, wanted: &Wanted<'_>, at: usize) -> Result<Called, Unwind> {
        let c = &self.session.held.cursors.list[at];
        let (handle, rows) = (c.shown.id, c.shown.state().rows);
        let Some(api) = &c.api else { return Ok(Ok(wanted.none())) };
        let (scroll, concurrency) = (api.scroll, api.concurrency);
        let (mut status, mut told) = (0, rows);
        match wanted.asked.sent() {
            None => {
                let columns = c.open.as_ref().map(|o| with_status(&o.columns)).unwrap_or_default();
                let told = c.made.told.clone();
                if let Err(failed) = self.send_columns(&columns, &told)? {
                    return Ok(Err(failed));
                }
            }
            Some(n) => match self.send_next(at, n)? {
                Err(failed) => return Ok(Err(failed)),
                Ok(sent) => (status, told) = (sent.status, sent.rows as i32),
            },
        }
        let places = wanted.places;
        let told = [
            (places.cursor, handle),
            (places.scroll, scroll),
            (places.concurrency, concurrency),
            (places.rows, told),
        ];
        let outputs = outputs(wanted.passed, told);
        Ok(Ok(Returned { status, outputs, ..Returned::default() }))
    }
}

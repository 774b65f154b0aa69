//! Remote calls, and the procedures that run texts: sp_executesql, sp_prepare, sp_execute, sp_prepexec, sp_unprepare.

use super::activation::Way;
use super::called::{Called, Passed, Returned};
use super::fate::{Raised, fate};
use super::interpret::{Interpreter, Unwind};
use super::procedure::{Callee, Home, name_parts};
use crate::database::Database;
use crate::rpc::{RpcCall, RpcParam, RpcProcedure};
use crate::session::Prepared;
use crate::sink::{Command, Done, DoneKind, ReturnValue};
use std::sync::Arc;
use taffrail_base::procedure::{SP_EXECUTE, SP_EXECUTESQL, SP_PREPARE, SP_PREPEXEC, SP_UNPREPARE};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{Family, SqlType, Value, convert};

/// The database that a callee runs in, if not the current one.
type Elsewhere = Option<Arc<Database>>;

/// A text that must be national: 214 in this state.
fn text_argument(
    p: Option<&Passed>,
    parameter: &str,
    procedure: &str,
    state: u8,
) -> SqlResult<String> {
    let missing = || SqlError::new(201, &[&procedure, &parameter]);
    let p = p.ok_or_else(missing)?;
    let value = p.value.as_ref().ok_or_else(missing)?;
    let national = matches!(p.ty, SqlType::NChar(_) | SqlType::NVarChar(_));
    match value.as_text() {
        Some(text) if national => Ok(text),
        // NULL as written has no type that could be wrong.
        None if value.is_null() && (national || p.ty == SqlType::Int) => Ok(String::new()),
        _ => {
            let e = SqlError::new(214, &[&parameter, &"ntext/nchar/nvarchar"]);
            Err(e.with_state(state).in_procedure(procedure).with_line(1))
        }
    }
}

/// `sp_prepexecrpc`: a remote call inside a remote call.
pub(super) const SP_PREPEXECRPC: u16 = 14;

/// The procedure's name in `{?=call p(?, ?)}`, `{call p}` or `p`; none where an argument is anything but a marker.
fn called(text: &str) -> Option<&str> {
    let text = text.trim();
    let Some(inner) = text.strip_prefix('{') else { return Some(text) };
    let inner = inner.strip_suffix('}')?.trim();
    let inner = match inner.strip_prefix('?') {
        Some(rest) => rest.trim_start().strip_prefix('=')?.trim_start(),
        None => inner,
    };
    let word = inner.get(..4).filter(|w| w.eq_ignore_ascii_case("call"))?;
    let rest = inner[word.len()..].trim();
    match rest.split_once('(') {
        None => Some(rest),
        Some((name, arguments)) => {
            let arguments = arguments.trim_end().strip_suffix(')')?.trim();
            let markers = arguments.is_empty() || arguments.split(',').all(|a| a.trim() == "?");
            markers.then_some(name.trim_end())
        }
    }
}

/// `p;1`: a name and its number in a group of procedures of one name. Only the first can be there.
pub fn numbered(name: &str) -> (&str, Option<u32>) {
    match name.rsplit_once(';') {
        // A bracket or quote that is open would have to close behind the number.
        Some((before, number)) => match number.trim().parse() {
            Ok(number) => (before.trim_end(), Some(number)),
            Err(_) => (name, None),
        },
        None => (name, None),
    }
}

/// The handle that an argument names; 0, which no text has, for what can be none.
pub(super) fn handle(p: Option<&Passed>) -> i32 {
    let given = p.and_then(|p| p.value.as_ref()).and_then(Value::as_i64);
    given.and_then(|n| i32::try_from(n).ok()).unwrap_or(0)
}

impl Interpreter<'_> {
    /// One of the procedures that run texts, by its number; `place` is where its text runs, if not in the current database.
    pub(crate) fn special(
        &mut self,
        number: u16,
        passed: &[Passed],
        place: Elsewhere,
    ) -> Result<Called, Unwind> {
        match number {
            SP_EXECUTESQL => self.executesql(passed, place),
            SP_PREPARE => Ok(self.prepare(passed)),
            SP_EXECUTE => self.execute_prepared(passed, place),
            SP_PREPEXEC => self.prepexec(passed, place),
            SP_UNPREPARE => Ok(self.unprepare(passed)),
            SP_PREPEXECRPC => self.prepexecrpc(passed),
            _ => {
                self.session.promises.learn();
                self.cursor_procedure(number, passed, place)
            }
        }
    }

    /// `sp_executesql @stmt, @params, …`.
    fn executesql(&mut self, passed: &[Passed], place: Elsewhere) -> Result<Called, Unwind> {
        let texts = || -> SqlResult<(String, String)> {
            let text = text_argument(passed.first(), "@statement", "sp_executesql", 2)?;
            let declared = match passed.get(1) {
                None => String::new(),
                p => text_argument(p, "@parameters", "sp_executesql", 3)?,
            };
            Ok((text, declared))
        };
        match texts() {
            Ok((text, declared)) => {
                let passed = passed.get(2..).unwrap_or(&[]);
                self.call_text(&Arc::from(text), &declared, passed, 2, place)
            }
            Err(e) => Ok(Err(e.into())),
        }
    }

    fn call_text(
        &mut self,
        text: &Arc<str>,
        declared: &str,
        passed: &[Passed],
        skipped: usize,
        place: Elsewhere,
    ) -> Result<Called, Unwind> {
        let way = Way { place, ..Way::of_text() };
        let mut returned = self.within(way, |it| it.run_text(text, declared, passed))?;
        match &mut returned {
            Ok(r) => {
                r.outputs.iter_mut().for_each(|(n, ..)| *n += skipped);
                r.status = self.session.activation.last.error;
                r.silent = false;
            }
            Err(failed) => failed.status = Some(failed.error.number),
        }
        Ok(returned)
    }

    pub(super) fn new_handle(&mut self, text: String, declarations: String) -> i32 {
        self.session.held.next_handle += 1;
        let handle = self.session.held.next_handle;
        let prepared = Prepared { text: text.into(), declarations };
        self.session.held.prepared.insert(handle, prepared);
        handle
    }

    /// `sp_prepare @handle OUTPUT, @params, @stmt, @options`.
    fn prepare(&mut self, passed: &[Passed]) -> Called {
        let declared = text_argument(passed.get(1), "@params", "sp_prepare", 3)?;
        let text = text_argument(passed.get(2), "@stmt", "sp_prepare", 2)?;
        if let Err(errors) = self.session.batch_module(&Arc::from(&*text), &declared) {
            for e in &errors {
                self.sink.message(e).map_err(|_| taffrail_base::message::client_gone())?;
            }
            return Err(SqlError::new(8180, &[]).into());
        }
        let handle = self.new_handle(text, declared);
        Ok(Returned {
            outputs: vec![(0, Value::Int(handle), SqlType::Int.into())],
            ..Returned::default()
        })
    }

    /// `sp_execute @handle, …`.
    fn execute_prepared(&mut self, passed: &[Passed], place: Elsewhere) -> Result<Called, Unwind> {
        let handle = handle(passed.first());
        let Some(p) = self.session.held.prepared.get(&handle) else {
            return Ok(Err(SqlError::new(8179, &[&handle]).into()));
        };
        let (text, declared) = (p.text.clone(), p.declarations.clone());
        if declared.is_empty() && text.trim_start().starts_with('{') && called(&text).is_some() {
            return self.call_prepared(&text, passed.get(1..).unwrap_or(&[]), 1);
        }
        self.call_text(&text, &declared, passed.get(1..).unwrap_or(&[]), 1, place)
    }

    /// `sp_prepexec @handle OUTPUT, @params, @stmt, …`.
    fn prepexec(&mut self, passed: &[Passed], place: Elsewhere) -> Result<Called, Unwind> {
        let texts = || -> SqlResult<(String, String)> {
            let declared = text_argument(passed.get(1), "@params", "sp_prepexec", 3)?;
            Ok((text_argument(passed.get(2), "@stmt", "sp_prepexec", 2)?, declared))
        };
        let (text, declared) = match texts() {
            Ok(t) => t,
            Err(e) => return Ok(Err(e.into())),
        };
        // A handle that is given is replaced.
        let old = handle(passed.first());
        if old != 0 {
            self.session.held.prepared.remove(&old);
        }
        let text: Arc<str> = text.into();
        let own = passed.get(3..).unwrap_or(&[]);
        let mut returned = self.call_text(&text, &declared, own, 3, place)?;
        if let Ok(r) = &mut returned {
            let handle = self.new_handle(text.to_string(), declared);
            r.outputs.insert(0, (0, Value::Int(handle), SqlType::Int.into()));
        }
        Ok(returned)
    }

    /// `sp_prepexecrpc @handle OUTPUT, @RPCCall, …`: the procedure's results, and a handle for more calls of it.
    fn prepexecrpc(&mut self, passed: &[Passed]) -> Result<Called, Unwind> {
        let text = match text_argument(passed.get(1), "@RPCCall", "sp_prepexecrpc", 2) {
            Ok(t) => t,
            Err(e) => return Ok(Err(e.into())),
        };
        let old = handle(passed.first());
        if old != 0 {
            self.session.held.prepared.remove(&old);
        }
        let mut returned = self.call_prepared(&text, passed.get(2..).unwrap_or(&[]), 2)?;
        if let Ok(r) = &mut returned {
            // `sp_execute` knows a call by its brace.
            let call =
                if text.trim_start().starts_with('{') { text } else { format!("{{call {text}}}") };
            let handle = self.new_handle(call, String::new());
            r.outputs.insert(0, (0, Value::Int(handle), SqlType::Int.into()));
        }
        Ok(returned)
    }

    fn call_prepared(
        &mut self,
        text: &str,
        passed: &[Passed],
        skipped: usize,
    ) -> Result<Called, Unwind> {
        let Some(name) = called(text) else {
            let what = format!("sp_prepexecrpc of {text}");
            return Ok(Err(taffrail_base::message::unsupported(what).into()));
        };
        let (callee, name, place) = match self.callee(&RpcProcedure::Name(name.into())) {
            Ok(found) => found,
            Err(e) => return Ok(Err(e.into())),
        };
        let way = Way { place, ..Way::default() };
        let mut returned = self.call(callee, &name, passed, way)?;
        if let Ok(r) = &mut returned {
            r.outputs.iter_mut().for_each(|(n, ..)| *n += skipped);
        }
        Ok(returned)
    }

    fn unprepare(&mut self, passed: &[Passed]) -> Called {
        let handle = handle(passed.first());
        match self.session.held.prepared.remove(&handle) {
            Some(_) => Ok(Returned::default()),
            None => Err(SqlError::new(8179, &[&handle]).into()),
        }
    }

    /// A remote call: results, return status, output parameters, DONEPROC.
    pub(crate) fn remote_call(&mut self, call: RpcCall) -> Result<(), Unwind> {
        let RpcCall { procedure, mut params } = call;
        if params.iter().any(|p| p.ty.family() == Family::Char) {
            let page = self.session.page();
            params.iter_mut().for_each(|p| p.settle(page));
        }
        self.session.cell.set_command(taffrail_observe::session::Command::Execute);
        let (tables, filled) = self.take_tables(&procedure, &mut params);
        let passed: Vec<Passed> = params
            .iter()
            .zip(&tables)
            .map(|(p, table)| Passed {
                name: p.name.clone(),
                value: (!p.default && p.table.is_none()).then(|| p.value.clone()),
                ty: p.ty,
                // What its text is, the parameter's declaration says: as xml it is read.
                large: Large::Plain,
                typed: false,
                output: p.by_ref,
                table: table.clone(),
                cursor: None,
            })
            .collect();
        // A table that cannot be filled keeps the call from running.
        let callee = filled.and_then(|()| self.callee(&procedure));
        if let Ok((Callee::User(database, module), ..)) = &callee {
            self.session.entry.set_called(database.id.0, module.head.id.0);
        }
        let result = match callee {
            // Texts take what they are given for output only where they declare it so.
            Ok((callee, name, place)) => match callee {
                Callee::Special(n @ (SP_EXECUTESQL | SP_EXECUTE | SP_PREPEXEC)) => {
                    self.special(n, &passed, place)
                }
                // Plans are shown: what has none does nothing.
                Callee::System(_) if self.session.activation.options.showing.is_on() => {
                    Ok(Ok(Returned::default()))
                }
                callee => self.call(callee, &name, &passed, Way { place, ..Way::default() }),
            },
            Err(e) => Ok(Err(e.into())),
        };
        let dropped = self.drop_tables(&tables);
        let result = result.map(|r| dropped.map_err(Into::into).and(r));
        let error = match result {
            Err(Unwind::Module | Unwind::Batch) => true,
            Err(other) => return Err(other),
            Ok(Err(e)) => {
                self.remote_error(e.error)?;
                true
            }
            Ok(Ok(r)) => {
                self.sink.return_status(r.status).map_err(|_| Unwind::Gone)?;
                self.give_outputs(&params, r.outputs)?;
                false
            }
        };
        let done = Done { kind: DoneKind::Procedure, command: Command::EXECUTE, rows: None, error };
        self.sink.done(done).map_err(|_| Unwind::Gone)
    }

    /// Sends what parameters are for output.
    fn give_outputs(
        &mut self,
        params: &[RpcParam],
        outputs: Vec<(usize, Value, Declared)>,
    ) -> Result<(), Unwind> {
        for (n, value, Declared { ty, .. }) in outputs {
            let param = params.get(n);
            let name = param.map(|p| p.name.clone()).unwrap_or_default();
            // The client's parameter is the caller's variable: it has its type, not that of the declaration.
            let (value, ty) = match param {
                Some(p) if p.ty != ty => {
                    let (implicit, context) =
                        (convert::Conversion::Implicit, self.session.convert_context());
                    match convert::cast_with(&value, ty, p.ty, None, implicit, &context) {
                        Ok(converted) => (converted, p.ty),
                        Err(_) => (value, ty),
                    }
                }
                _ => (value, ty),
            };
            let out = ReturnValue { ordinal: n as u16, name, ty, value };
            self.sink.return_value(out).map_err(|_| Unwind::Gone)?;
        }
        Ok(())
    }

    fn remote_error(&mut self, e: Box<SqlError>) -> Result<(), Unwind> {
        if let Some(unwind) = Unwind::of(&e) {
            return Err(unwind);
        }
        self.session.tell_full(&e);
        let e = if e.procedure.is_some() { e } else { e.with_line(1) };
        let fate = fate(&e, self.place(Raised::Other));
        self.note(&e, &fate);
        self.sink.message(&e).map_err(|_| Unwind::Gone)?;
        if fate.undoes {
            self.session.rollback_all(self.sink).map_err(|_| Unwind::Gone)?;
        }
        Ok(())
    }

    /// The procedure of a remote call, its name and the database that it runs in, if not the current one.
    pub(super) fn callee(
        &mut self,
        procedure: &RpcProcedure,
    ) -> SqlResult<(Callee, String, Elsewhere)> {
        match procedure {
            RpcProcedure::Id(n @ 1..=15) => Ok((Callee::Special(*n), String::new(), None)),
            // There is no such procedure.
            RpcProcedure::Id(_) => Err(SqlError::new(8004, &[])),
            RpcProcedure::Name(text) => {
                let (text, number) = numbered(text);
                if text.trim().is_empty() {
                    return Err(SqlError::new(8004, &[]));
                }
                if number.is_some_and(|n| n != 1) {
                    return Err(SqlError::new(2812, &[&text]).with_state(62));
                }
                let mut parts = name_parts(text);
                let name = parts.pop().unwrap_or_default();
                let schema = parts.pop();
                let database = parts.pop().filter(|d| !d.is_empty());
                let home = self.session.database.clone();
                let callee = self.context(0).settled(|cx| {
                    let (database, schema) = (database.as_deref(), schema.as_deref());
                    let home = Home { database: &home, schema: None };
                    cx.session.find_procedure(database, schema, &name, home, &text)
                })?;
                let place = self.session.runs_in(&callee, database.as_deref())?;
                Ok((callee, name, place))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::called;

    #[test]
    fn calls_are_known_by_their_name() {
        for (text, name) in [
            ("{?=call dbo.p(?,?)}", Some("dbo.p")),
            ("{ ? = CALL p (?) }", Some("p")),
            ("{call [a b]}", Some("[a b]")),
            ("p", Some("p")),
            ("{call p()}", Some("p")),
            ("{call p(1,?)}", None),
            ("{call p(?", None),
            ("{é}", None),
        ] {
            assert_eq!(called(text), name, "{text}");
        }
    }
}

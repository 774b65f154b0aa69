//! PRINT, RAISERROR, THROW, WAITFOR.

use super::interpret::{Interpreter, Unwind};
use super::module::{Module, Stmt, StmtKind};
use crate::functions::FnContext;
use crate::functions::placeholders::{self, Argument};
use std::time::Duration;
use taffrail_base::message::client_gone;
use taffrail_base::{Origin, SqlError, SqlResult};
use taffrail_observe::{Event, EventRing};
use taffrail_types::convert::Declared;
use taffrail_types::datetime::Local;
use taffrail_types::{CodePage, Conversion, MaxLen, SqlType, Value, convert};

/// The worst severity that RAISERROR needs no WITH LOG for, and the worst that there is.
const MAX_UNLOGGED: i64 = 18;
const MAX_SEVERITY: i64 = 25;

/// RAISERROR's longest text.
const MAX_TEXT: usize = 2047;

/// The place of RAISERROR's first argument behind text, severity and state.
const FIRST_ARGUMENT: usize = 4;

/// RAISERROR takes whole numbers, text and binary values to put into its text: 2748.
fn check_argument(ty: Declared, place: usize) -> SqlResult<()> {
    use SqlType as T;
    let taken = matches!(
        ty.ty,
        T::TinyInt
            | T::SmallInt
            | T::Int
            | T::BigInt
            | T::Char(_)
            | T::VarChar(_)
            | T::NChar(_)
            | T::NVarChar(_)
            | T::Binary(_)
            | T::VarBinary(_)
    );
    if taken { Ok(()) } else { Err(SqlError::new(2748, &[&ty.ty.name(), &place])) }
}

/// Digits and colons, as in `hh:mm:ss.mmm` with AM or PM behind, or nothing: no date.
fn only_a_time(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    let half = text.strip_suffix("am").or_else(|| text.strip_suffix("pm"));
    let digits = half.unwrap_or(&text).trim_end();
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'));
    plain && (half.is_some() || digits.contains(':') || digits.is_empty())
}

fn as_text(v: &Value, ty: SqlType, page: CodePage) -> SqlResult<String> {
    if v.is_null() {
        return Ok(String::new());
    }
    if let Some(t) = v.text_of(page) {
        return Ok(t);
    }
    let to = SqlType::NVarChar(MaxLen::N(4000));
    let v = convert::cast(v, ty, to, None, Conversion::Implicit)?;
    Ok(v.as_text().unwrap_or_default())
}

impl Interpreter<'_> {
    /// PRINT: an informational message of severity 0.
    pub fn print(&mut self, v: &Value, ty: SqlType, line: u32, module: &Module) -> SqlResult<()> {
        let mut text = as_text(v, ty, self.session.page())?;
        // As SQL Server: up to 8,000 bytes.
        let most = if matches!(ty, SqlType::NChar(_) | SqlType::NVarChar(_)) { 4000 } else { 8000 };
        if let Some((at, _)) = text.char_indices().nth(most) {
            text.truncate(at);
        }
        if text.is_empty() {
            text.push(' ');
        }
        let mut info = SqlError::of_text(0, 0, text).with_line(line);
        info.procedure = module.name.as_deref().map(Into::into);
        self.sink.message(&info).map_err(|_| client_gone())
    }

    /// RETURN of NULL in a procedure: 282, and the status is 0.
    pub(crate) fn null_status(&mut self, module: &Module, s: &Stmt) -> Result<(), Unwind> {
        let name = module.name.as_deref().unwrap_or_default();
        let info = SqlError::new(282, &[&name]).with_severity(0);
        let info = info.in_procedure(name).with_line(s.line);
        self.sink.message(&info).map_err(|_| Unwind::Gone)
    }

    /// RAISERROR and THROW.
    pub fn raise(&mut self, module: &std::sync::Arc<Module>, s: &Stmt) -> SqlResult<()> {
        let e = match &s.kind {
            StmtKind::Throw(None) => match self.session.activation.caught() {
                Some(e) => return Err(Box::new(e.clone()).with_origin(Origin::Throw)),
                None => return Err(SqlError::new(10704, &[])),
            },
            StmtKind::Throw(Some(t)) => {
                let number = self.value(module, s, &t.0)?;
                let text = self.value(module, s, &t.1)?;
                let state = self.value(module, s, &t.2)?;
                let number = number.as_i64().unwrap_or(0);
                if !(50_000..=i32::MAX as i64).contains(&number) {
                    return Err(SqlError::new(35100, &[&number]));
                }
                let state = state.as_i64().unwrap_or(1).clamp(0, 255) as u8;
                let text = self.session.text_of(&text).unwrap_or_default();
                let e = SqlError::of_text(number as i32, 16, text).with_state(state);
                return Err(e.with_line(s.line).with_origin(Origin::Throw));
            }
            StmtKind::RaisError { message, severity, state, arguments, log, nowait, set_error } => {
                let m = self.value(module, s, message)?;
                let m_ty = self.type_of(message).ty;
                let severity = self.value(module, s, severity)?.as_i64().unwrap_or(16);
                let state = self.value(module, s, state)?.as_i64().unwrap_or(1);
                // Before anything else is made of it: a message that may not be raised has no text and no severity.
                self.session.allow_raise(severity, *log)?;
                if severity > MAX_UNLOGGED && !log {
                    return Err(SqlError::new(2754, &[&MAX_UNLOGGED]));
                }
                let mut severity = severity.min(MAX_SEVERITY);
                let mut log = *log;
                let mut args = Vec::new();
                for (at, a) in arguments.iter().enumerate() {
                    let v = self.value(module, s, a)?;
                    check_argument(self.type_of(a), at + FIRST_ARGUMENT)?;
                    let v = match v {
                        Value::VarChar(b) => Value::NVarChar(self.session.page().to_utf16(&b)),
                        v => v,
                    };
                    args.push(match Argument::of(&v) {
                        Some(argument) => argument,
                        None => {
                            Argument::Text(as_text(&v, self.type_of(a).ty, self.session.page())?)
                        }
                    });
                }
                let (number, text) = match m.as_i64() {
                    Some(n) if n < 13_000 || n == 50_000 => {
                        return Err(SqlError::new(2732, &[&n, &13_000, &i32::MAX]));
                    }
                    Some(n) => match self.session.message(i32::try_from(n).unwrap_or_default())? {
                        Some(found) => {
                            // Severity -1 stands for the message's own.
                            if severity < 0 {
                                severity = found.severity.into();
                                self.session.allow_raise(severity, log)?;
                            }
                            log |= found.is_logged;
                            (n as i32, (found.original, found.text))
                        }
                        None => {
                            let known = SqlError::new(18054, &[&n, &severity, &state]);
                            return Err(known.with_severity(severity.clamp(0, 18) as u8));
                        }
                    },
                    None => {
                        let text = as_text(&m, m_ty, self.session.page())?;
                        (50_000, (text.clone(), text))
                    }
                };
                let mut text = placeholders::translated(&text.0, &text.1, &args)?;
                if text.len() > MAX_TEXT {
                    let mut at = MAX_TEXT - 3;
                    while !text.is_char_boundary(at) {
                        at -= 1;
                    }
                    text.truncate(at);
                    text.push_str("...");
                }
                // A negative state is 1.
                let state = if state < 0 { 1 } else { state.min(255) as u8 };
                let severity = severity.max(0) as u8;
                let mut e = SqlError::of_text(number, severity, text).with_state(state);
                e.line = s.line;
                e.procedure = module.name.as_deref().map(Into::into);
                if log {
                    self.session.before_others()?;
                    let (session, text) = (self.session.id, e.message.clone());
                    let event = Event::Raised { session, number, severity, state, text };
                    EventRing::global().push(event);
                }
                if e.severity <= 10 {
                    self.session.activation.last.set_error = set_error.then_some(number);
                    self.session.instance.counters().told(e.severity);
                    self.sink.message(&e).map_err(|_| client_gone())?;
                    if *nowait {
                        self.sink.flush().map_err(|_| client_gone())?;
                    }
                    return Ok(());
                }
                e.with_origin(Origin::RaisError)
            }
            _ => unreachable!("only RAISERROR and THROW"),
        };
        Err(e)
    }

    /// WAITFOR DELAY and TIME; an attention ends it.
    pub fn wait_for(&mut self, until: bool, v: &Value) -> SqlResult<()> {
        let ticks = match v {
            Value::NVarChar(_) | Value::VarChar(_) | Value::Null => {
                let text = super::transaction::text_of(v);
                // When it is to end may be said with the day that stands for none.
                let days: &[&str] = if until { &["1900-01-01 ", "19000101 "] } else { &[] };
                let day = days.iter().find_map(|day| text.trim_start().strip_prefix(day));
                if !only_a_time(day.unwrap_or(&text)) {
                    return Err(SqlError::new(148, &[&text]));
                }
                let from = match v {
                    Value::VarChar(_) => SqlType::VarChar(MaxLen::Max),
                    _ => SqlType::NVarChar(MaxLen::Max),
                };
                let time = convert::cast(v, from, SqlType::Time(7), None, Conversion::Implicit);
                let Ok(Value::Time(ticks)) = time else {
                    return Err(SqlError::new(148, &[&text]));
                };
                ticks
            }
            // Of a datetime its time.
            v => match Local::from_value(v) {
                Some(local)
                    if matches!(v, Value::DateTime { .. } | Value::SmallDateTime { .. }) =>
                {
                    local.ticks
                }
                _ => return Err(SqlError::new(9815, &[&type_name(v)])),
            },
        };
        const DAY: u64 = 864_000_000_000;
        let wait = if until {
            let now = crate::functions::FnContext::moment(&*self.session);
            let local = now.utc.wrapping_add_signed(now.offset as i64 * 600_000_000) % DAY;
            (ticks + DAY - local) % DAY
        } else {
            ticks
        };
        self.sink.flush().map_err(|_| client_gone())?;
        let env = self.session.instance.options().env.clone();
        let end = env.clock.monotonic() + Duration::from_nanos(wait * 100);
        let _wait = taffrail_observe::wait(taffrail_observe::WaitType::Waitfor);
        loop {
            self.session.check_cancel()?;
            let left = end.saturating_sub(env.clock.monotonic());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(Duration::from_millis(20)));
        }
    }
}

/// The type of a value that WAITFOR does not take.
fn type_name(v: &Value) -> &'static str {
    match v {
        Value::Bit(_) => "bit",
        Value::TinyInt(_) => "tinyint",
        Value::SmallInt(_) => "smallint",
        Value::Int(_) => "int",
        Value::BigInt(_) => "bigint",
        Value::Decimal(_) => "numeric",
        Value::Money(_) => "money",
        Value::Real(_) => "real",
        Value::Float(_) => "float",
        Value::Guid(_) => "uniqueidentifier",
        Value::Variant(_) => "sql_variant",
        Value::Date(..) => "date",
        Value::Time(..) => "time",
        Value::DateTime2 { .. } => "datetime2",
        Value::DateTimeOffset { .. } => "datetimeoffset",
        _ => "varbinary",
    }
}

//! What a session of events is, as it is stored: the statement that would make it, in sysinfo of master under the key `3, id`.
//!
//! The row under `3, 0` says that the sessions of a new server have been made once, so that they stay dropped.

use crate::catalog::systab::{self, SystemTables, text};
use crate::rowcodec::damaged;
use std::fmt;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{BeginSpec, Durability};
use taffrail_syntax::ast::{
    EventDefinition, EventSession, EventSessionPart, NamedOption, OptionValue, StatementKind,
    TargetDefinition,
};
use taffrail_types::Value;

const SESSIONS: i64 = 3;
/// The least that MAX_MEMORY can be: three buffers of 64 KB.
const LEAST_MEMORY: i64 = 3 * 65_536;

/// `WITH (…)`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Options {
    /// EVENT_RETENTION_MODE: S, M, N.
    pub retention: char,
    /// MAX_DISPATCH_LATENCY, ms; 0 is without end.
    pub latency_ms: i64,
    /// MAX_MEMORY.
    pub memory_kb: i64,
    /// MAX_EVENT_SIZE.
    pub event_size_kb: i64,
    /// MEMORY_PARTITION_MODE: N, G (by node), C.
    pub partition: char,
    /// TRACK_CAUSALITY.
    pub causality: bool,
    /// STARTUP_STATE.
    pub startup: bool,
    /// MAX_DURATION, seconds; 0 is without end.
    pub duration_s: i64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            retention: 'S',
            latency_ms: 30_000,
            memory_kb: 4096,
            event_size_kb: 0,
            partition: 'N',
            causality: false,
            startup: false,
            duration_s: 0,
        }
    }
}

/// As views and statements name it.
pub(crate) fn retention_name(mode: char) -> &'static str {
    match mode {
        'M' => "ALLOW_MULTIPLE_EVENT_LOSS",
        'N' => "NO_EVENT_LOSS",
        _ => "ALLOW_SINGLE_EVENT_LOSS",
    }
}

/// The same of the partition mode.
pub(crate) fn partition_name(mode: char) -> &'static str {
    match mode {
        'G' => "PER_NODE",
        'C' => "PER_CPU",
        _ => "NONE",
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = |b| if b { "ON" } else { "OFF" };
        write!(f, "WITH (MAX_MEMORY={} KB,", self.memory_kb)?;
        write!(f, "EVENT_RETENTION_MODE={},", retention_name(self.retention))?;
        write!(f, "MAX_DISPATCH_LATENCY={} SECONDS,", self.latency_ms / 1000)?;
        write!(f, "MAX_EVENT_SIZE={} KB,", self.event_size_kb)?;
        write!(f, "MEMORY_PARTITION_MODE={},", partition_name(self.partition))?;
        write!(f, "TRACK_CAUSALITY={},STARTUP_STATE={}", on(self.causality), on(self.startup))?;
        match self.duration_s {
            0 => write!(f, ")"),
            s => write!(f, ",MAX_DURATION={s} SECONDS)"),
        }
    }
}

fn size_kb(value: &Option<OptionValue>) -> Option<i64> {
    match value {
        Some(OptionValue::Quantity(n, unit)) => {
            let n = i64::try_from(*n).ok()?;
            match () {
                () if unit.is("KB") => Some(n),
                () if unit.is("MB") => n.checked_mul(1024),
                () => None,
            }
        }
        _ => None,
    }
}

impl Options {
    /// Takes over what is written; 25702 for an option that is there twice, 25703 for a value that it cannot have.
    pub fn set(&mut self, written: &[NamedOption]) -> SqlResult<()> {
        for (n, option) in written.iter().enumerate() {
            let name = option.name.value.to_uppercase();
            if written[..n].iter().any(|o| o.name.is(&name)) {
                return Err(SqlError::new(25702, &[&name]));
            }
            let wrong = || SqlError::new(25703, &[&name]);
            let word = match &option.value {
                Some(OptionValue::Word(w)) => w.value.to_uppercase(),
                _ => String::new(),
            };
            let switch = match &option.value {
                Some(OptionValue::On) => Some(true),
                Some(OptionValue::Off) => Some(false),
                _ => None,
            };
            match &*name {
                "MAX_MEMORY" => {
                    let kb = size_kb(&option.value).ok_or_else(wrong)?;
                    if kb.saturating_mul(1024) < LEAST_MEMORY {
                        return Err(SqlError::new(25632, &[&LEAST_MEMORY]));
                    }
                    if kb >= 2 << 20 {
                        return Err(SqlError::new(25633, &[]));
                    }
                    self.memory_kb = kb;
                }
                "MAX_EVENT_SIZE" => {
                    self.event_size_kb = match &option.value {
                        Some(OptionValue::Number(n)) if &**n == "0" => 0,
                        other => size_kb(other).ok_or_else(wrong)?,
                    }
                }
                "EVENT_RETENTION_MODE" => {
                    let all = ['S', 'M', 'N'];
                    let found = all.into_iter().find(|m| retention_name(*m) == word);
                    self.retention = found.ok_or_else(wrong)?;
                }
                "MEMORY_PARTITION_MODE" => {
                    let found = ['N', 'G', 'C'].into_iter().find(|m| partition_name(*m) == word);
                    self.partition = found.ok_or_else(wrong)?;
                }
                "MAX_DISPATCH_LATENCY" => {
                    self.latency_ms = match &option.value {
                        Some(OptionValue::Quantity(n, unit))
                            if unit.is("SECONDS") && *n <= i32::MAX as u64 =>
                        {
                            *n as i64 * 1000
                        }
                        _ if word == "INFINITE" => 0,
                        _ => return Err(wrong()),
                    }
                }
                "TRACK_CAUSALITY" => {
                    self.causality = switch.ok_or_else(wrong)?;
                }
                "STARTUP_STATE" => self.startup = switch.ok_or_else(wrong)?,
                "MAX_DURATION" => {
                    self.duration_s = match &option.value {
                        Some(OptionValue::Quantity(n, unit)) => {
                            let units = [
                                ("SECONDS", 1),
                                ("MINUTES", 60),
                                ("HOURS", 3600),
                                ("DAYS", 86_400),
                            ];
                            let unit = units.into_iter().find(|(name, _)| unit.is(name));
                            let (_, s) = unit.ok_or_else(wrong)?;
                            let all = i64::try_from(*n).ok().and_then(|n| n.checked_mul(s));
                            let all = all.filter(|s| (1..=i32::MAX.into()).contains(s));
                            all.ok_or_else(wrong)?
                        }
                        _ if word == "UNLIMITED" => 0,
                        _ => return Err(wrong()),
                    }
                }
                _ => return Err(SqlError::new(102, &[&option.name.value])),
            }
        }
        let size = self.event_size_kb;
        if size != 0 && (size < 64 || size < self.memory_kb) {
            return Err(SqlError::new(25640, &[]));
        }
        Ok(())
    }
}

/// A session of events.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// `event_session_id`.
    pub id: i32,
    /// Its name.
    pub name: Arc<str>,
    /// What it wants.
    pub events: Vec<EventDefinition>,
    /// Where that goes.
    pub targets: Vec<TargetDefinition>,
    /// The rest.
    pub options: Options,
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.replace(']', "]]");
        write!(f, "CREATE EVENT SESSION [{name}] ON SERVER ")?;
        for (n, event) in self.events.iter().enumerate() {
            write!(f, "{}{event}", if n > 0 { "," } else { "" })?;
        }
        for (n, target) in self.targets.iter().enumerate() {
            write!(f, "{}{target}", if n > 0 { "," } else { " " })?;
        }
        write!(f, " {}", self.options)
    }
}

impl Definition {
    /// What a CREATE EVENT SESSION says.
    pub fn of(id: i32, s: &EventSession) -> SqlResult<Definition> {
        let mut options = Options::default();
        options.set(&s.options)?;
        let (events, targets) = (Vec::new(), Vec::new());
        let mut d = Definition { id, name: (*s.name.value).into(), events, targets, options };
        for part in &s.parts {
            match part {
                EventSessionPart::AddEvent(e) => d.events.push(e.clone()),
                EventSessionPart::AddTarget(t) => d.targets.push(t.clone()),
                EventSessionPart::DropEvent(_) | EventSessionPart::DropTarget(_) => {}
            }
        }
        Ok(d)
    }

    /// The inverse of its text.
    pub fn parse(id: i32, text: &str) -> SqlResult<Definition> {
        let batch = taffrail_syntax::parse_batch(text, Default::default());
        let kind = batch.ok().and_then(|mut b| b.statements.pop()).map(|s| s.kind);
        match kind {
            Some(StatementKind::EventSession(s)) => Definition::of(id, &s),
            _ => Err(damaged("a session of events")),
        }
    }
}

type Master = Arc<taffrail_storage::Database>;

fn begin(master: &Master) -> taffrail_storage::Transaction {
    master.begin(BeginSpec { name: "master", lock_timeout_ms: -1, ..BeginSpec::default() })
}

/// All of them, by id; `None`: those of a new server have not been made.
pub(super) fn load(master: &Master) -> SqlResult<Option<Vec<Definition>>> {
    let mut tx = begin(master);
    let rows = systab::scan(&mut tx, &SystemTables::INFO, &[SESSIONS])?;
    tx.commit(Durability::Full).map_err(|e| e.to_sql())?;
    if rows.is_empty() {
        return Ok(None);
    }
    let of = |(key, row): &(Vec<i64>, Vec<Value>)| match key[..] {
        [_, 0] => Ok(None),
        [_, id] => Definition::parse(id as i32, &text(row, 1)?).map(Some),
        _ => Err(damaged("the key of a session of events")),
    };
    rows.iter().filter_map(|r| of(r).transpose()).collect::<SqlResult<_>>().map(Some)
}

/// Writes one, or (0) that those of a new server have been made; durable when it returns.
pub(super) fn put(master: &Master, id: i32, text: &str) -> SqlResult<()> {
    let mut tx = begin(master);
    let row = [Value::BigInt(0), Value::nvarchar(text), Value::Null];
    systab::put(&mut tx, &SystemTables::INFO, &[SESSIONS, id.into()], &row)?;
    tx.commit(Durability::Full).map_err(|e| e.to_sql())
}

/// Removes one; durable when it returns.
pub(super) fn remove(master: &Master, id: i32) -> SqlResult<()> {
    let mut tx = begin(master);
    systab::remove(&mut tx, &SystemTables::INFO, &[SESSIONS, id.into()])?;
    tx.commit(Durability::Full).map_err(|e| e.to_sql())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_its_text() {
        let text = "CREATE EVENT SESSION [a]]b] ON SERVER ADD EVENT sqlserver.sql_batch_completed(SET \
            collect_batch_text=0 ACTION (package0.event_sequence, [sqlserver].[session_id]) WHERE duration > 15 AND \
            (([sqlserver].[database_name])=N'it''s' OR NOT package0.equal_uint64(cpu_time, (3)) )), ADD EVENT \
            [03FDA7D0-91BA-45F8-9875-8B6DD0B8E9F2].sqlos.wait_info ADD TARGET package0.ring_buffer(SET max_memory=(8)), \
            ADD TARGET package0.event_counter WITH (MAX_MEMORY=8 MB, STARTUP_STATE=ON, MAX_DISPATCH_LATENCY=0 SECONDS)";
        let d = Definition::parse(7, text).unwrap();
        assert_eq!((d.events.len(), d.targets.len(), d.options.memory_kb), (2, 2, 8192));
        assert_eq!(
            d.events[0].predicate.as_ref().unwrap().to_string(),
            "([duration]>(15)) AND (([sqlserver].[database_name]=N'it''s') OR NOT \
             ([package0].[equal_uint64]([cpu_time],(3))))"
        );
        assert_eq!(&*d.events[1].name.package.value, "sqlos");
        let again = Definition::parse(7, &d.to_string()).unwrap();
        assert_eq!(again.to_string(), d.to_string());
        assert_eq!((&*again.name, &again.options), ("a]b", &d.options));
        let timed = text.replace("STARTUP_STATE=ON", "STARTUP_STATE=ON, MAX_DURATION=2 MINUTES");
        let timed = Definition::parse(7, &timed).unwrap();
        assert_eq!(Definition::parse(7, &timed.to_string()).unwrap().options.duration_s, 120);
    }

    #[test]
    fn options_have_their_limits() {
        let number = |with: &str| {
            let text = format!("CREATE EVENT SESSION s ON SERVER ADD EVENT a.b WITH ({with})");
            let batch = taffrail_syntax::parse_batch(&text, Default::default()).unwrap();
            let StatementKind::EventSession(s) = &batch.statements[0].kind else { panic!() };
            Definition::of(1, s).err().map(|e| e.number)
        };
        for (with, expected) in [
            ("MAX_MEMORY = 4 MB", None),
            ("MAX_MEMORY = 4", Some(25703)),
            ("MAX_MEMORY = 1 KB", Some(25632)),
            ("MAX_MEMORY = 2048 MB", Some(25633)),
            ("MAX_MEMORY = 9007199254740991 MB", Some(25633)),
            ("MAX_MEMORY = 9223372036854775807 KB", Some(25633)),
            ("STARTUP_STATE = ON, STARTUP_STATE = OFF", Some(25702)),
            ("EVENT_RETENTION_MODE = EVERY", Some(25703)),
            ("MAX_EVENT_SIZE = 64 KB", Some(25640)),
            ("MAX_EVENT_SIZE = 4 MB MAX_DISPATCH_LATENCY = INFINITE", None),
            ("TRACK_CAUSALITY = ON", None),
            ("MAX_DURATION = 2 HOURS", None),
            ("MAX_DURATION = UNLIMITED", None),
            ("MAX_DURATION = 0 SECONDS", Some(25703)),
            ("MAX_DURATION = 5 WEEKS", Some(25703)),
            ("MAX_DURATION = 30000 DAYS", Some(25703)),
        ] {
            assert_eq!(number(with), expected, "{with}");
        }
    }
}

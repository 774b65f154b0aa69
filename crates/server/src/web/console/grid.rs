//! What a batch says, as lines of JSON, handed on as it comes: nothing is kept here but what has not been taken yet.
//!
//! ```text
//! {"columns":[["a","int",true],…]}     a result begins: name, type, whether its cells are numbers
//! ["1","x",null]                        a row of it: cells are text as a grid shows it, whole
//! {"cut":[1,70000000]}                  of the next row this cell, the first being 0, is only the beginning of so many characters
//! {"message":[number,severity,state,line,procedure,text]}
//! {"rows":3}                            a statement has ended and tells its count
//! {"database":"shop"}                   the session has another database now
//! {"transactions":1}                    how many transactions the session has open behind the batch (@@TRANCOUNT), if any
//! {"end":"done"}                        the last line: done, cancelled, closed (the session has ended)
//! ```

use axum::body::Bytes;
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};
use taffrail_base::SqlError;
use taffrail_engine::{ClientGone, ColumnDesc, Command, Done, EnvChange, ResultSink, SinkResult};
use taffrail_observe::WaitType;
use taffrail_types::{MaxLen, SqlType, Value, convert, text};
use tokio::sync::mpsc::{Sender, error::TrySendError};

/// Bytes that are handed on together.
const CHUNK: usize = 32 << 10;
/// Who waits for a batch that goes on sees within this time what there is.
const SOON: Duration = Duration::from_millis(50);
/// Characters of a cell; of longer ones the beginning is told, and that it is one. (A page keeps what it is told.)
const CELL: usize = 16 << 20;

/// Chunks on their way to a viewer; one that does not take them stops the batch.
pub(super) struct Grid {
    to: Sender<Bytes>,
    waits: Vec<u8>,
    sent: Instant,
    types: Vec<SqlType>,
}

impl Grid {
    pub(super) fn new(to: Sender<Bytes>) -> Grid {
        Grid {
            to,
            waits: Vec::with_capacity(CHUNK + 4096),
            sent: Instant::now(),
            types: Vec::new(),
        }
    }

    fn line(&mut self, line: &serde_json::Value) -> SinkResult {
        // Writing to a Vec does not fail.
        let _ = writeln!(self.waits, "{line}");
        self.send_if(self.sent.elapsed() > SOON)
    }

    fn send_if(&mut self, due: bool) -> SinkResult {
        if self.waits.is_empty() || !(due || self.waits.len() >= CHUNK) {
            return Ok(());
        }
        let chunk = std::mem::replace(&mut self.waits, Vec::with_capacity(CHUNK + 4096));
        self.sent = Instant::now();
        match self.to.try_send(chunk.into()) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(ClientGone),
            Err(TrySendError::Full(chunk)) => {
                let _waiting = taffrail_observe::wait(WaitType::AsyncNetworkIo);
                self.to.blocking_send(chunk).map_err(|_| ClientGone)
            }
        }
    }

    /// Tells how many transactions the batch has left open.
    pub(super) fn transactions(&mut self, open: u32) {
        // Nobody may be there to hear it.
        let _ = self.line(&json!({ "transactions": open }));
    }

    /// The last line.
    pub(super) fn end(&mut self, how: &str) {
        // Nobody may be there to hear it.
        let _ = self.line(&json!({ "end": how })).and_then(|()| self.send_if(true));
    }
}

impl ResultSink for Grid {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.types = columns.iter().map(|c| c.ty).collect();
        let told = columns.iter().map(|c| json!([c.name, c.ty.to_string(), is_number(c.ty)]));
        self.line(&json!({ "columns": told.collect::<Vec<_>>() }))
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        let begin = self.waits.len();
        self.waits.push(b'[');
        for (i, (value, ty)) in values.iter().zip(&self.types).enumerate() {
            if i > 0 {
                self.waits.push(b',');
            }
            if let Some(characters) = write_cell(&mut self.waits, value, *ty) {
                let told = format!("{}\n", json!({ "cut": [i, characters] }));
                self.waits.splice(begin..begin, told.bytes());
            }
        }
        self.waits.extend_from_slice(b"]\n");
        self.send_if(false)
    }

    fn message(&mut self, m: &SqlError) -> SinkResult {
        let told = json!([m.number, m.severity, m.state, m.line, m.procedure, m.message]);
        self.line(&json!({ "message": told }))
    }

    fn done(&mut self, done: Done) -> SinkResult {
        // What gave variables their values is a SELECT without a result, and no rows are affected.
        let result = !std::mem::take(&mut self.types).is_empty() || done.command != Command::SELECT;
        match done.rows.filter(|_| result) {
            Some(rows) => self.line(&json!({ "rows": rows })),
            None => self.send_if(self.sent.elapsed() > SOON),
        }
    }

    fn env_change(&mut self, change: EnvChange) -> SinkResult {
        match change {
            EnvChange::Database { new, .. } => self.line(&json!({ "database": new })),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> SinkResult {
        self.send_if(true)
    }
}

fn is_number(ty: SqlType) -> bool {
    use SqlType::*;
    matches!(
        ty,
        TinyInt
            | SmallInt
            | Int
            | BigInt
            | Decimal { .. }
            | Numeric { .. }
            | Money
            | SmallMoney
            | Real
            | Float
    )
}

/// How many characters it has, when only the first [`CELL`] of them have been written.
fn write_cell(out: &mut Vec<u8>, value: &Value, ty: SqlType) -> Option<usize> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Variant(inner) => return write_cell(out, &inner.1, inner.0),
        // Writing to a Vec does not fail.
        Value::Int(n) => drop(write!(out, "\"{n}\"")),
        Value::BigInt(n) => drop(write!(out, "\"{n}\"")),
        Value::Float(f) => drop(write!(out, "\"{f:?}\"")),
        Value::Real(f) => drop(write!(out, "\"{f:?}\"")),
        value => {
            let mut text = shown(value, ty);
            let end = if text.len() > CELL { text.char_indices().nth(CELL) } else { None };
            let cut = end.map(|(end, _)| {
                let characters = text.chars().count();
                text.truncate(end);
                characters
            });
            drop(serde_json::to_writer(out, &text));
            return cut;
        }
    }
    None
}

/// Dates as ISO has them and money with its four decimals; all else as PRINT shows it.
fn shown(value: &Value, ty: SqlType) -> String {
    let style = match value {
        Value::DateTime { .. } | Value::SmallDateTime { .. } => 121,
        Value::Money(_) => 2,
        _ => return text::display(value, ty),
    };
    let to = SqlType::NVarChar(MaxLen::Max);
    let cast = convert::cast(value, ty, to, Some(style), convert::Conversion::Explicit);
    cast.ok().and_then(|text| text.as_text()).unwrap_or_else(|| text::display(value, ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc;

    fn column() -> Vec<ColumnDesc> {
        vec![ColumnDesc::new("a", SqlType::VarChar(MaxLen::Max))]
    }

    /// The lines of one row.
    fn row(value: &str) -> Vec<String> {
        let (to, mut chunks) = mpsc::channel(64);
        let mut grid = Grid::new(to);
        grid.columns(&column()).unwrap();
        grid.row(&[Value::varchar(value)]).unwrap();
        grid.end("done");
        let mut all = Vec::new();
        while let Ok(chunk) = chunks.try_recv() {
            all.extend_from_slice(&chunk);
        }
        String::from_utf8(all).unwrap().lines().skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn a_cell_is_whole_or_said_to_be_cut() {
        let long = "x".repeat(CELL);
        assert_eq!(row(&long), [format!("[\"{long}\"]"), "{\"end\":\"done\"}".into()]);
        let told = format!("{{\"cut\":[0,{}]}}", CELL + 2);
        assert!(row(&format!("{long}yz"))[..2] == [told, format!("[\"{long}\"]")]);
    }

    #[test]
    fn who_does_not_read_keeps_the_session_waiting_for_the_network() {
        let (to, mut chunks) = mpsc::channel(1);
        let waits = || {
            let all = taffrail_observe::WaitStats::global();
            all.row(WaitType::AsyncNetworkIo).waiting_tasks_count
        };
        let before = waits();
        let sender = std::thread::spawn(move || {
            let mut grid = Grid::new(to);
            grid.columns(&column()).unwrap();
            for _ in 0..3 {
                grid.row(&[Value::varchar(&"x".repeat(CHUNK))]).unwrap();
            }
        });
        std::thread::sleep(Duration::from_millis(50));
        while chunks.blocking_recv().is_some() {}
        sender.join().unwrap();
        assert!(waits() > before);
    }
}

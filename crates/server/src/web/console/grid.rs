//! What a batch says, as lines of JSON, handed on as it comes: nothing is kept here but what has not been taken yet.
//!
//! ```text
//! {"columns":[["a","int",true],…]}     a result begins: name, type, whether its cells are numbers
//! ["1","x",null]                        a row of it: cells are text as a grid shows it
//! {"message":[number,severity,state,line,procedure,text]}
//! {"rows":3}                            a statement has ended and tells its count
//! {"database":"shop"}                   the session has another database now
//! {"end":"done"}                        the last line: done, cancelled, closed (the session has ended)
//! ```

use axum::body::Bytes;
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};
use taffrail_base::SqlError;
use taffrail_engine::{ClientGone, ColumnDesc, Done, EnvChange, ResultSink, SinkResult};
use taffrail_types::{MaxLen, SqlType, Value, convert, text};
use tokio::sync::mpsc::Sender;

/// Bytes that are handed on together.
const CHUNK: usize = 32 << 10;
/// Who waits for a batch that goes on sees within this time what there is.
const SOON: Duration = Duration::from_millis(50);
/// Characters of a cell; of longer ones the beginning is told, as other tools have it.
const CELL: usize = 65_535;

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
        self.to.blocking_send(chunk.into()).map_err(|_| ClientGone)
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
        self.waits.push(b'[');
        for (i, (value, ty)) in values.iter().zip(&self.types).enumerate() {
            if i > 0 {
                self.waits.push(b',');
            }
            write_cell(&mut self.waits, value, *ty);
        }
        self.waits.extend_from_slice(b"]\n");
        self.send_if(false)
    }

    fn message(&mut self, m: &SqlError) -> SinkResult {
        let told = json!([m.number, m.severity, m.state, m.line, m.procedure, m.message]);
        self.line(&json!({ "message": told }))
    }

    fn done(&mut self, done: Done) -> SinkResult {
        match done.rows {
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

fn write_cell(out: &mut Vec<u8>, value: &Value, ty: SqlType) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Variant(inner) => write_cell(out, &inner.1, inner.0),
        // Writing to a Vec does not fail.
        Value::Int(n) => drop(write!(out, "\"{n}\"")),
        Value::BigInt(n) => drop(write!(out, "\"{n}\"")),
        Value::Float(f) => drop(write!(out, "\"{f:?}\"")),
        Value::Real(f) => drop(write!(out, "\"{f:?}\"")),
        value => {
            let mut text = shown(value, ty);
            if let Some((end, _)) = text.char_indices().nth(CELL) {
                text.truncate(end);
                text.push('…');
            }
            drop(serde_json::to_writer(out, &text));
        }
    }
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

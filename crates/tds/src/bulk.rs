//! Bulk load: the rows of an INSERT BULK, in the data of a message of type 0x07.
//!
//! ```text
//!   COLMETADATA   as in a result, but a text, ntext or image column names its table by one US_VARCHAR
//!   ROW *         (NBCROW is not expected from a client, but understood)
//!   DONE          some clients leave it out; what follows it is ignored
//! ```
//!
//! The message may be far larger than memory: [`BulkDecoder`] takes it piece by piece and gives rows as they are
//! complete. A row that is cut off by the end of a piece is read again from its start when more has come; to keep a
//! value of many megabytes from being read once per packet, that is not tried before the bytes that wait have doubled.

use crate::error::ProtocolError;
use crate::reader::{Reader, put_b_varchar};
use crate::token::kind;
use crate::typeinfo::{TypeInfo, Wire};
use crate::value;
use crate::version::TdsVersion;
use taffrail_types::{MaxLen, SqlType, Value};

/// Bytes of one row, at most.
pub const ROW_BYTES_MAX: usize = 256 << 20;

/// A column that the client announces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BulkColumn {
    /// The name of the column.
    pub name: String,
    /// The type of the values that come.
    pub info: TypeInfo,
}

impl BulkColumn {
    /// Bytes of a value, at most.
    fn max_bytes(&self) -> usize {
        use SqlType::*;
        match self.info.sql {
            Char(n) | Binary(n) | VarChar(MaxLen::N(n)) | VarBinary(MaxLen::N(n)) => n as usize,
            NChar(n) | NVarChar(MaxLen::N(n)) => n as usize * 2,
            _ => usize::MAX,
        }
    }
}

/// Why rows could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BulkError {
    /// The stream is broken, or ends too early.
    Protocol(ProtocolError),
    /// A value is longer than its column, or has no length of its type (message 4815). 1-based column.
    Length(usize),
    /// A value is none of its type (message 4816's relative). 1-based column, type.
    Value(usize, &'static str),
}

impl From<ProtocolError> for BulkError {
    fn from(e: ProtocolError) -> BulkError {
        BulkError::Protocol(e)
    }
}

type Result<T> = std::result::Result<T, BulkError>;

/// The findings of [`BulkDecoder::row`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BulkNext {
    /// A row was decoded.
    Row,
    /// Nothing complete: feed more.
    More,
    /// No row will come any more.
    End,
}

/// Takes the data of a bulk load message in pieces.
///
/// Invariants: (1) `input[start..]` begins with a token, or with COLMETADATA while `columns` is `None`; (2) after
/// [`BulkNext::End`] nothing is read any more.
#[derive(Debug)]
pub struct BulkDecoder {
    version: TdsVersion,
    columns: Option<Vec<BulkColumn>>,
    limits: Vec<usize>,
    input: Vec<u8>,
    start: usize,
    /// Bytes that must wait before it makes sense to try again.
    wanted: usize,
    complete: bool,
    ended: bool,
}

impl BulkDecoder {
    /// For a client that speaks this version.
    pub fn new(version: TdsVersion) -> BulkDecoder {
        BulkDecoder {
            version,
            columns: None,
            limits: Vec::new(),
            input: Vec::new(),
            start: 0,
            wanted: 0,
            complete: false,
            ended: false,
        }
    }

    /// Where the next piece is to be appended. What is done with has been dropped.
    pub fn input(&mut self) -> &mut Vec<u8> {
        if self.start == self.input.len() {
            self.input.clear();
        } else {
            self.input.drain(..self.start);
        }
        self.start = 0;
        &mut self.input
    }

    /// The message has ended: nothing more will be fed.
    pub fn complete(&mut self) {
        self.complete = true;
        self.wanted = 0;
    }

    /// The columns, or `None` while they are not complete.
    pub fn columns(&mut self) -> Result<Option<&[BulkColumn]>> {
        if self.columns.is_none() {
            let mut r = Reader::new(&self.input[self.start..]);
            match columns(&mut r, self.version) {
                Ok(columns) => {
                    self.start += r.position();
                    self.limits = columns.iter().map(BulkColumn::max_bytes).collect();
                    self.columns = Some(columns);
                }
                Err(ProtocolError::Truncated) if !self.complete => return Ok(None),
                Err(e) => return Err(e.into()),
            }
        }
        Ok(self.columns.as_deref())
    }

    /// The next row, into `out`. The columns have been read before.
    pub fn row(&mut self, out: &mut Vec<Value>) -> Result<BulkNext> {
        let waiting = self.input.len() - self.start;
        if self.ended || (self.complete && waiting == 0) {
            return Ok(BulkNext::End);
        }
        if waiting == 0 || waiting < self.wanted {
            return Ok(BulkNext::More);
        }
        let Some(columns) = &self.columns else {
            return Err(ProtocolError::Malformed("rows before their columns").into());
        };
        let mut r = Reader::new(&self.input[self.start..]);
        match row(&mut r, columns, &self.limits, out) {
            Ok(true) => {
                self.start += r.position();
                self.wanted = 0;
                Ok(BulkNext::Row)
            }
            Ok(false) => {
                self.ended = true;
                Ok(BulkNext::End)
            }
            Err(BulkError::Protocol(ProtocolError::Truncated)) if !self.complete => {
                if waiting > ROW_BYTES_MAX {
                    return Err(ProtocolError::TooLong.into());
                }
                self.wanted = waiting * 2;
                Ok(BulkNext::More)
            }
            Err(e) => Err(e),
        }
    }
}

/// COLMETADATA of a bulk load.
fn columns(
    r: &mut Reader<'_>,
    version: TdsVersion,
) -> std::result::Result<Vec<BulkColumn>, ProtocolError> {
    if r.u8()? != kind::COLMETADATA {
        return Err(ProtocolError::Malformed("a bulk load without COLMETADATA"));
    }
    let count = r.u16()?;
    let mut columns = Vec::new();
    if count == 0xFFFF {
        return Ok(columns);
    }
    for _ in 0..count {
        r.bytes(if version.is_wide() { 6 } else { 4 })?;
        let info = TypeInfo::decode(r, true)?;
        if info.wire == Wire::TextPointer {
            r.us_varchar()?;
        }
        columns.push(BulkColumn { name: r.b_varchar()?, info });
    }
    Ok(columns)
}

/// One token: true for a row, false for the end.
fn row(
    r: &mut Reader<'_>,
    columns: &[BulkColumn],
    limits: &[usize],
    out: &mut Vec<Value>,
) -> Result<bool> {
    out.clear();
    let bitmap: &[u8] = match r.u8()? {
        kind::ROW => &[],
        kind::NBCROW => r.bytes(columns.len().div_ceil(8))?,
        kind::DONE | kind::DONEPROC | kind::DONEINPROC => return Ok(false),
        _ => return Err(ProtocolError::Malformed("unknown token in a bulk load").into()),
    };
    for (i, (column, limit)) in columns.iter().zip(limits).enumerate() {
        if bitmap.get(i / 8).is_some_and(|b| b >> (i % 8) & 1 == 1) {
            out.push(Value::Null);
            continue;
        }
        let value = value::decode(r, &column.info).map_err(|e| match e {
            ProtocolError::Truncated => BulkError::Protocol(e),
            ProtocolError::BadValue { type_name, .. } => BulkError::Value(i + 1, type_name),
            ProtocolError::Malformed(_) => BulkError::Length(i + 1),
            other => BulkError::Protocol(other),
        })?;
        if value.as_bytes().is_some_and(|b| b.len() > *limit) {
            return Err(BulkError::Length(i + 1));
        }
        out.push(value);
    }
    Ok(true)
}

/// Appends COLMETADATA as a client sends it before its rows.
pub fn put_columns(out: &mut Vec<u8>, columns: &[BulkColumn], version: TdsVersion) {
    out.push(kind::COLMETADATA);
    out.extend_from_slice(&(columns.len() as u16).to_le_bytes());
    for column in columns {
        out.extend_from_slice(&[0; 2]);
        if version.is_wide() {
            out.extend_from_slice(&[0; 2]);
        }
        // Nullable, updateable.
        out.extend_from_slice(&0x0009u16.to_le_bytes());
        column.info.encode(out);
        if column.info.wire == Wire::TextPointer {
            out.extend_from_slice(&[0, 0]);
        }
        put_b_varchar(out, &column.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::encode::{DoneToken, done};
    use crate::token::{DoneKind, RowEncoder};
    use taffrail_types::Bytes;

    const VERSION: TdsVersion = TdsVersion::V7_4;

    fn stream(types: &[SqlType], rows: &[Vec<Value>], with_done: bool) -> Vec<u8> {
        let columns: Vec<BulkColumn> = types
            .iter()
            .map(|ty| BulkColumn {
                name: format!("{ty}"),
                info: TypeInfo::for_result(*ty, [0; 5], VERSION),
            })
            .collect();
        let mut out = Vec::new();
        put_columns(&mut out, &columns, VERSION);
        let specs: Vec<_> = types
            .iter()
            .map(|ty| crate::token::ColumnSpec {
                name: "",
                ty: *ty,
                collation: [0; 5],
                nullable: true,
                identity: false,
                computed: false,
                large: Default::default(),
                user_type: 0,
            })
            .collect();
        let encoder = RowEncoder::new(&specs, VERSION);
        for row in rows {
            encoder.row(&mut out, row).unwrap();
        }
        if with_done {
            let end = DoneToken { kind: DoneKind::Statement, status: 0, command: 0, rows: 0 };
            done(&mut out, &end, VERSION);
        }
        out
    }

    fn read(stream: &[u8], step: usize) -> Result<Vec<Vec<Value>>> {
        let mut decoder = BulkDecoder::new(VERSION);
        let mut pieces = stream.chunks(step);
        let mut feed = |d: &mut BulkDecoder| match pieces.next() {
            Some(piece) => d.input().extend_from_slice(piece),
            None => d.complete(),
        };
        while decoder.columns()?.is_none() {
            feed(&mut decoder);
        }
        let (mut rows, mut row) = (Vec::new(), Vec::new());
        loop {
            match decoder.row(&mut row)? {
                BulkNext::Row => rows.push(row.clone()),
                BulkNext::More => feed(&mut decoder),
                BulkNext::End => return Ok(rows),
            }
        }
    }

    fn sample() -> (Vec<SqlType>, Vec<Vec<Value>>) {
        let types = vec![
            SqlType::Int,
            SqlType::VarChar(MaxLen::N(20)),
            SqlType::NVarChar(MaxLen::Max),
            SqlType::DateTime,
        ];
        let row = |i: i32| {
            vec![
                Value::Int(i),
                if i % 3 == 0 { Value::Null } else { Value::varchar("abc") },
                Value::nvarchar(&"long ü ".repeat(i as usize % 700)),
                Value::DateTime { days: i, ticks: 7 },
            ]
        };
        (types, (0..300).map(row).collect())
    }

    #[test]
    fn rows_survive_any_cut() {
        let (types, rows) = sample();
        for with_done in [true, false] {
            let bytes = stream(&types, &rows, with_done);
            for step in [1, 3, 100, 4088, bytes.len()] {
                assert_eq!(read(&bytes, step).unwrap(), rows, "pieces of {step}");
            }
        }
    }

    #[test]
    fn a_cut_row_at_the_end_is_an_error() {
        let (types, rows) = sample();
        let bytes = stream(&types, &rows, false);
        let cut = read(&bytes[..bytes.len() - 1], 1000);
        assert_eq!(cut, Err(BulkError::Protocol(ProtocolError::Truncated)));
        assert_eq!(
            read(&bytes[..5], 1000),
            Err(BulkError::Protocol(ProtocolError::Truncated)),
            "columns cut off"
        );
        let empty = stream(&types, &[], true);
        assert_eq!(read(&empty, 7), Ok(Vec::new()));
    }

    #[test]
    fn lengths_that_are_wrong_name_their_column() {
        let mut bytes = stream(&[SqlType::Int, SqlType::VarChar(MaxLen::N(5))], &[], false);
        bytes.extend_from_slice(&[kind::ROW, 4, 1, 0, 0, 0, 6, 0]);
        bytes.extend_from_slice(b"abcdef");
        assert_eq!(read(&bytes, 9), Err(BulkError::Length(2)));
        let mut bytes = stream(&[SqlType::Int], &[], false);
        bytes.extend_from_slice(&[kind::ROW, 3, 1, 0, 0]);
        assert_eq!(read(&bytes, 9), Err(BulkError::Length(1)));
        let mut bytes = stream(&[SqlType::DateTime], &[], false);
        bytes.extend_from_slice(&[kind::ROW, 8, 0, 0, 0, 0, 255, 255, 255, 255]);
        assert_eq!(read(&bytes, 9), Err(BulkError::Value(1, "datetime")));
    }

    #[test]
    fn noise_is_an_error_and_never_a_panic() {
        let (types, rows) = sample();
        let good = stream(&types, &rows[..20], true);
        for at in 0..good.len() {
            for bit in [0x01, 0x80] {
                let mut bad = good.clone();
                bad[at] ^= bit;
                let _ = read(&bad, 50);
            }
        }
    }

    #[test]
    fn a_long_value_in_small_packets_is_read_a_few_times_only() {
        let text = Value::VarChar(Bytes::from_vec(vec![b'x'; 4 << 20]));
        let bytes = stream(&[SqlType::VarChar(MaxLen::Max)], &[vec![text.clone()]], true);
        assert_eq!(read(&bytes, 4088).unwrap(), vec![vec![text]]);
    }
}

//! A row of a trace: the columns that an event has, and how a file holds them.
//!
//! ```text
//! block  = row …
//! row    = length of what follows (u32) · column …
//! column = id (u8) · number or time (8 bytes) | length (u32) · text or bytes
//! ```

use crate::catalog::datetime;
use taffrail_io::UtcTime;
use taffrail_types::Value;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    /// int
    Int,
    /// bigint
    BigInt,
    /// datetime, kept as 100 ns since 0001-01-01 UTC
    Time,
    /// nvarchar(256)
    Name,
    /// ntext, as nvarchar(max)
    Text,
    /// image, as varbinary(max)
    Bytes,
    /// uniqueidentifier
    Guid,
}

use Holds::{BigInt, Bytes, Guid, Int, Name, Text, Time};

/// Name and contents of the columns; the first has the id 1.
pub(super) static COLUMNS: [(&str, Holds); 66] = [
    ("TextData", Text),
    ("BinaryData", Bytes),
    ("DatabaseID", Int),
    ("TransactionID", BigInt),
    ("LineNumber", Int),
    ("NTUserName", Name),
    ("NTDomainName", Name),
    ("HostName", Name),
    ("ClientProcessID", Int),
    ("ApplicationName", Name),
    ("LoginName", Name),
    ("SPID", Int),
    ("Duration", BigInt),
    ("StartTime", Time),
    ("EndTime", Time),
    ("Reads", BigInt),
    ("Writes", BigInt),
    ("CPU", Int),
    ("Permissions", BigInt),
    ("Severity", Int),
    ("EventSubClass", Int),
    ("ObjectID", Int),
    ("Success", Int),
    ("IndexID", Int),
    ("IntegerData", Int),
    ("ServerName", Name),
    ("EventClass", Int),
    ("ObjectType", Int),
    ("NestLevel", Int),
    ("State", Int),
    ("Error", Int),
    ("Mode", Int),
    ("Handle", Int),
    ("ObjectName", Name),
    ("DatabaseName", Name),
    ("FileName", Name),
    ("OwnerName", Name),
    ("RoleName", Name),
    ("TargetUserName", Name),
    ("DBUserName", Name),
    ("LoginSid", Bytes),
    ("TargetLoginName", Name),
    ("TargetLoginSid", Bytes),
    ("ColumnPermissions", Int),
    ("LinkedServerName", Name),
    ("ProviderName", Name),
    ("MethodName", Name),
    ("RowCounts", BigInt),
    ("RequestID", Int),
    ("XactSequence", BigInt),
    ("EventSequence", BigInt),
    ("BigintData1", BigInt),
    ("BigintData2", BigInt),
    ("GUID", Guid),
    ("IntegerData2", Int),
    ("ObjectID2", BigInt),
    ("Type", Int),
    ("OwnerID", Int),
    ("ParentName", Name),
    ("IsSystem", Int),
    ("Offset", Int),
    ("SourceDatabaseID", Int),
    ("SqlHandle", Bytes),
    ("SessionLoginName", Name),
    ("PlanHandle", Bytes),
    ("GroupID", Int),
];

/// Columns that rows here have, by their ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "they are their names")]
#[repr(u8)]
pub(super) enum Column {
    TextData = 1,
    DatabaseId = 3,
    TransactionId = 4,
    LineNumber = 5,
    HostName = 8,
    ClientProcessId = 9,
    ApplicationName = 10,
    LoginName = 11,
    Spid = 12,
    Duration = 13,
    StartTime = 14,
    EndTime = 15,
    Severity = 20,
    EventSubClass = 21,
    ObjectId = 22,
    Success = 23,
    IndexId = 24,
    IntegerData = 25,
    ServerName = 26,
    EventClass = 27,
    ObjectType = 28,
    NestLevel = 29,
    State = 30,
    Error = 31,
    ObjectName = 34,
    DatabaseName = 35,
    FileName = 36,
    DbUserName = 40,
    LoginSid = 41,
    TargetLoginName = 42,
    TargetLoginSid = 43,
    RequestId = 49,
    EventSequence = 51,
    IsSystem = 60,
    SessionLoginName = 64,
}

/// UTF-16 units of a name.
const NAME: usize = 256;
/// Bytes of a text: what is longer is cut.
const TEXT: usize = 64 << 10;

/// A row that is put together, as a file holds it.
pub(super) struct Row(Vec<u8>);

impl Row {
    /// Of a class of events.
    pub fn new(class: u16) -> Row {
        let mut row = Row(Vec::with_capacity(256));
        row.0.extend([0; 4]);
        row.number(Column::EventClass, class);
        row
    }

    fn holds(column: Column) -> Holds {
        COLUMNS[column as usize - 1].1
    }

    /// A number, or a time.
    pub fn number(&mut self, column: Column, value: impl TryInto<i64>) {
        assert!(matches!(Row::holds(column), Int | BigInt | Time), "{column:?} is no number");
        // What does not fit is not known.
        let Ok(value) = value.try_into() else { return };
        self.0.push(column as u8);
        self.0.extend(value.to_le_bytes());
    }

    /// A text.
    pub fn text(&mut self, column: Column, value: &str) {
        let most = match Row::holds(column) {
            Name => value.char_indices().nth(NAME).map_or(value.len(), |(at, _)| at),
            holds => {
                assert_eq!(holds, Text, "{column:?} is no text");
                value.floor_char_boundary(TEXT)
            }
        };
        self.some(column, &value.as_bytes()[..most]);
    }

    /// Bytes.
    pub fn bytes(&mut self, column: Column, value: &[u8]) {
        assert_eq!(Row::holds(column), Bytes, "{column:?} holds no bytes");
        self.some(column, value);
    }

    fn some(&mut self, column: Column, bytes: &[u8]) {
        self.0.push(column as u8);
        self.0.extend((bytes.len() as u32).to_le_bytes());
        self.0.extend(bytes);
    }

    /// As a file holds it.
    pub fn finish(mut self) -> Vec<u8> {
        let length = (self.0.len() - 4) as u32;
        self.0[..4].copy_from_slice(&length.to_le_bytes());
        self.0
    }
}

/// A row that was read: a value for each column.
pub(super) type Cells = Vec<Value>;

fn value(holds: Holds, bytes: &[u8]) -> Option<Value> {
    let number = || Some(i64::from_le_bytes(bytes.try_into().ok()?));
    Some(match holds {
        Int => Value::Int(i32::try_from(number()?).ok()?),
        BigInt => Value::BigInt(number()?),
        Time => {
            /// No time is later than 9999-12-31.
            const END: i64 = 3_155_378_975_999_999_999;
            let ticks = number().filter(|t| (0..=END).contains(t))?;
            datetime(UtcTime(ticks as u64))
        }
        Name | Text => Value::nvarchar(std::str::from_utf8(bytes).ok()?),
        Bytes => Value::binary(bytes),
        Guid => Value::Guid(bytes.try_into().ok()?),
    })
}

/// The first row of what is left of a block, and what follows it; none: it is no row.
pub(super) fn decode(bytes: &[u8]) -> Option<(Cells, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (mut row, following) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let mut cells = vec![Value::Null; COLUMNS.len()];
    while let Some((id, rest)) = row.split_first() {
        let column = usize::from(*id).checked_sub(1)?;
        let holds = COLUMNS.get(column)?.1;
        let (length, rest) = match holds {
            Int | BigInt | Time => (8, rest),
            Guid => (16, rest),
            Name | Text | Bytes => {
                let (length, rest) = rest.split_first_chunk::<4>()?;
                (u32::from_le_bytes(*length) as usize, rest)
            }
        };
        let (held, rest) = rest.split_at_checked(length)?;
        cells[column] = value(holds, held)?;
        row = rest;
    }
    Some((cells, following))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_and_any_bytes_are_rows_or_none() {
        let mut row = Row::new(93);
        row.text(Column::FileName, "log");
        row.number(Column::IntegerData, 8);
        row.number(Column::Duration, u64::MAX);
        row.bytes(Column::LoginSid, &[1]);
        row.text(Column::ObjectName, &"x".repeat(1000));
        let block = row.finish();
        let (cells, rest) = decode(&block).unwrap();
        assert!(rest.is_empty());
        assert_eq!(cells[26], Value::Int(93));
        assert_eq!(cells[35], Value::nvarchar("log"));
        assert_eq!(cells[24], Value::Int(8));
        assert_eq!(cells[12], Value::Null, "what does not fit is not there");
        assert_eq!(cells[33], Value::nvarchar(&"x".repeat(256)));
        for cut in 1..block.len() {
            assert!(decode(&block[..cut]).is_none(), "{cut}");
        }
        for at in 0..block.len() {
            let mut other = block.clone();
            other[at] = other[at].wrapping_add(100);
            let _ = decode(&other);
        }
    }

    #[test]
    fn columns_are_where_their_ids_say() {
        for (column, name) in [
            (Column::Duration, "Duration"),
            (Column::EventClass, "EventClass"),
            (Column::FileName, "FileName"),
            (Column::IsSystem, "IsSystem"),
            (Column::SessionLoginName, "SessionLoginName"),
            (Column::TargetLoginSid, "TargetLoginSid"),
        ] {
            assert_eq!(COLUMNS[column as usize - 1].0, name);
        }
    }
}

//! Tokens to bytes. Each function appends one token.

use super::{DoneKind, kind};
use crate::reader::{put_b_varchar, put_us_varchar};
use crate::typeinfo::{Large, TypeInfo, Wire};
use crate::value;
use crate::version::TdsVersion;
use taffrail_types::{SqlType, Value};

/// A result column to announce.
#[derive(Clone, Copy, Debug)]
pub struct ColumnSpec<'a> {
    /// Its name, perhaps empty.
    pub name: &'a str,
    /// The type of its values.
    pub ty: SqlType,
    /// For character types, five bytes as TDS has them.
    pub collation: [u8; 5],
    /// Whether NULL can occur.
    pub nullable: bool,
    /// Whether it is an identity column.
    pub identity: bool,
    /// An expression, which cannot be updated.
    pub computed: bool,
    /// Declared as one of the large types.
    pub large: Large,
    /// The number of the alias type that it is declared with, 256 or more; 0 for a system type.
    pub user_type: u32,
}

impl ColumnSpec<'_> {
    /// Its type on the wire.
    pub(crate) fn info(&self, version: TdsVersion) -> TypeInfo {
        let info = TypeInfo::for_large(self.ty, self.large, self.collation, version);
        if self.nullable { info } else { info.not_null() }
    }
}

const FLAG_NULLABLE: u16 = 0x01;
const FLAG_CASE_SENSITIVE: u16 = 0x02;
const FLAG_UPDATEABLE_UNKNOWN: u16 = 0x08;
const FLAG_IDENTITY: u16 = 0x10;
const FLAG_COMPUTED: u16 = 0x20;
/// Collation flags "binary" (bit 24) and "binary2" (bit 25), in the fourth byte.
const COLLATION_BINARY: u8 = 0x03;
/// Longer texts are cut: the token's own length has two bytes.
const MESSAGE_UNITS_MAX: usize = 20_000;

fn put_user_type_and_flags(out: &mut Vec<u8>, user: u32, flags: u16, version: TdsVersion) {
    if version.is_wide() {
        out.extend_from_slice(&user.to_le_bytes());
    } else {
        out.extend_from_slice(&(user as u16).to_le_bytes());
    }
    out.extend_from_slice(&flags.to_le_bytes());
}

/// Appends COLMETADATA: the columns of the rows that follow.
pub fn columns(out: &mut Vec<u8>, columns: &[ColumnSpec<'_>], version: TdsVersion) {
    out.push(kind::COLMETADATA);
    out.extend_from_slice(&(columns.len() as u16).to_le_bytes());
    for column in columns {
        let info = column.info(version);
        let mut flags = 0;
        if column.nullable {
            flags |= FLAG_NULLABLE;
        }
        if column.collation[3] & COLLATION_BINARY != 0 {
            flags |= FLAG_CASE_SENSITIVE;
        }
        if column.identity {
            flags |= FLAG_IDENTITY;
        } else if column.computed {
            flags |= FLAG_COMPUTED;
        } else if column.ty != SqlType::RowVersion {
            flags |= FLAG_UPDATEABLE_UNKNOWN;
        }
        let user = if column.user_type == 0 { info.user_type() } else { column.user_type };
        put_user_type_and_flags(out, user, flags, version);
        info.encode(out);
        if info.wire == Wire::TextPointer {
            // The table's name: one string in 7.1, then one to four parts; no name is known here.
            let name: &[u8] = if version.is_wide() { &[1, 0, 0] } else { &[0, 0] };
            out.extend_from_slice(name);
        }
        put_b_varchar(out, column.name);
    }
}

/// The end of a statement or procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DoneToken {
    /// The token: DONE, DONEPROC or DONEINPROC.
    pub kind: DoneKind,
    /// The status, bits `DONE_*`.
    pub status: u16,
    /// The kind of statement: `CurCmd`.
    pub command: u16,
    /// Meant only with `DONE_COUNT`.
    pub rows: u64,
}

/// DONE, DONEPROC or DONEINPROC.
pub fn done(out: &mut Vec<u8>, done: &DoneToken, version: TdsVersion) {
    out.push(done.kind as u8);
    out.extend_from_slice(&done.status.to_le_bytes());
    out.extend_from_slice(&done.command.to_le_bytes());
    if version.is_wide() {
        out.extend_from_slice(&done.rows.to_le_bytes());
    } else {
        out.extend_from_slice(&(done.rows.min(u32::MAX as u64) as u32).to_le_bytes());
    }
}

/// An error or an informational message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageToken<'a> {
    /// The number of the message.
    pub number: i32,
    /// The state of the message.
    pub state: u8,
    /// Severity; from 11 on an ERROR token, below an INFO token.
    pub class: u8,
    /// The text of the message.
    pub text: &'a str,
    /// The name of the server.
    pub server: &'a str,
    /// The name of the procedure; empty for a batch.
    pub procedure: &'a str,
    /// The line in the batch or procedure.
    pub line: u32,
}

/// The message that running requests get when the server stops: its class goes out as it is.
const SHUTDOWN: i32 = 6005;

/// ERROR or INFO, by class. Class 10 goes out as 0.
pub fn message(out: &mut Vec<u8>, m: &MessageToken<'_>, version: TdsVersion) {
    out.push(if m.class > 10 { kind::ERROR } else { kind::INFO });
    let at = out.len();
    out.extend_from_slice(&[0, 0]);
    out.extend_from_slice(&m.number.to_le_bytes());
    let zero = m.class == 10 && m.number != SHUTDOWN;
    out.extend_from_slice(&[m.state, if zero { 0 } else { m.class }]);
    put_us_varchar(out, m.text, MESSAGE_UNITS_MAX);
    put_b_varchar(out, m.server);
    put_b_varchar(out, m.procedure);
    if version.is_wide() {
        out.extend_from_slice(&m.line.to_le_bytes());
    } else {
        out.extend_from_slice(&(m.line.min(u16::MAX as u32) as u16).to_le_bytes());
    }
    put_length(out, at);
}

/// Fills the two-byte length that was left free at `at`.
fn put_length(out: &mut [u8], at: usize) {
    let length = out.len() - at - 2;
    debug_assert!(length <= u16::MAX as usize);
    out[at..at + 2].copy_from_slice(&(length as u16).to_le_bytes());
}

/// A change of the environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnvChange<'a> {
    /// Current database: new, old.
    Database(&'a str, &'a str),
    /// The names of the language: new, old.
    Language(&'a str, &'a str),
    /// Packet size: new, old.
    PacketSize(usize, usize),
    /// Collation of the current database.
    Collation([u8; 5]),
    /// A transaction has begun.
    BeginTransaction(u64),
    /// A transaction has been committed.
    CommitTransaction(u64),
    /// A transaction has been rolled back.
    RollbackTransaction(u64),
    /// The connection has been reset.
    ResetAck,
}

/// Appends ENVCHANGE: a change of the session's environment.
pub fn env_change(out: &mut Vec<u8>, change: &EnvChange<'_>) {
    out.push(kind::ENVCHANGE);
    let at = out.len();
    out.extend_from_slice(&[0, 0]);
    let descriptor = |out: &mut Vec<u8>, d: u64| {
        out.push(8);
        out.extend_from_slice(&d.to_le_bytes());
    };
    match *change {
        EnvChange::Database(new, old) => {
            out.push(1);
            put_b_varchar(out, new);
            put_b_varchar(out, old);
        }
        EnvChange::Language(new, old) => {
            out.push(2);
            put_b_varchar(out, new);
            put_b_varchar(out, old);
        }
        EnvChange::PacketSize(new, old) => {
            out.push(4);
            put_b_varchar(out, &new.to_string());
            put_b_varchar(out, &old.to_string());
        }
        EnvChange::Collation(collation) => {
            out.extend_from_slice(&[7, 5]);
            out.extend_from_slice(&collation);
            out.push(0);
        }
        EnvChange::BeginTransaction(d) => {
            out.push(8);
            descriptor(out, d);
            out.push(0);
        }
        EnvChange::CommitTransaction(d) => {
            out.extend_from_slice(&[9, 0]);
            descriptor(out, d);
        }
        EnvChange::RollbackTransaction(d) => {
            out.extend_from_slice(&[10, 0]);
            descriptor(out, d);
        }
        EnvChange::ResetAck => out.extend_from_slice(&[18, 0, 0]),
    }
    put_length(out, at);
}

/// LOGINACK. `program_version` is major, minor, build.
pub fn login_ack(
    out: &mut Vec<u8>,
    version: TdsVersion,
    program: &str,
    program_version: (u8, u8, u16),
) {
    out.push(kind::LOGINACK);
    let at = out.len();
    out.extend_from_slice(&[0, 0, 1]);
    out.extend_from_slice(&version.loginack_bytes());
    put_b_varchar(out, program);
    let (major, minor, build) = program_version;
    let [high, low] = build.to_be_bytes();
    out.extend_from_slice(&[major, minor, high, low]);
    put_length(out, at);
}

/// FEATUREEXTACK with each feature's id and data.
pub fn feature_ext_ack(out: &mut Vec<u8>, features: &[(u8, &[u8])]) {
    out.push(kind::FEATUREEXTACK);
    for (id, data) in features {
        out.push(*id);
        out.extend_from_slice(&(data.len() as u32).to_le_bytes());
        out.extend_from_slice(data);
    }
    out.push(0xFF);
}

/// Appends RETURNSTATUS: the return code of a procedure.
pub fn return_status(out: &mut Vec<u8>, status: i32) {
    out.push(kind::RETURNSTATUS);
    out.extend_from_slice(&status.to_le_bytes());
}

/// RETURNVALUE of an output parameter.
pub fn return_value(
    out: &mut Vec<u8>,
    ordinal: u16,
    name: &str,
    ty: SqlType,
    collation: [u8; 5],
    value: &Value,
    version: TdsVersion,
) -> Result<(), crate::EncodeError> {
    let start = out.len();
    out.push(kind::RETURNVALUE);
    out.extend_from_slice(&ordinal.to_le_bytes());
    put_b_varchar(out, name);
    out.push(1);
    let mut info = TypeInfo::for_result(ty, collation, version);
    if info.wire == Wire::TextPointer {
        // Output parameters have no text pointers; what fits goes as an ordinary string.
        info.wire = Wire::ShortLen;
        info.sql = match ty {
            SqlType::NVarChar(_) => SqlType::NVarChar(taffrail_types::MaxLen::N(4000)),
            SqlType::VarChar(_) => SqlType::VarChar(taffrail_types::MaxLen::N(8000)),
            _ => SqlType::VarBinary(taffrail_types::MaxLen::N(8000)),
        };
    }
    put_user_type_and_flags(out, info.user_type(), FLAG_NULLABLE, version);
    info.encode(out);
    value::Encoder::new(&info, ty).put(out, value).map_err(|what| {
        out.truncate(start);
        crate::EncodeError { column: ordinal as usize, what }
    })
}

/// COLINFO status: the column is an expression.
const EXPRESSION: u8 = 4;
/// COLINFO status: the column is not shown.
const HIDDEN: u8 = 0x10;

/// COLINFO status: the column has another name in its table.
const DIFFERENT_NAME: u8 = 0x20;

/// A column of a cursor as COLINFO tells of it.
pub struct CursorColumn {
    /// It is an expression.
    pub computed: bool,
    /// The number of its table, from 1; 0 for none.
    pub table: u8,
    /// Its name in the table, where that is another one.
    pub base: Option<String>,
}

/// TABNAME, where there are tables, and COLINFO of a cursor's columns, of which the last one is hidden. Numbers have a byte, and
/// lengths have two: nothing is said of more than 255 columns, or of longer names.
pub fn cursor_columns(out: &mut Vec<u8>, tables: &[Vec<String>], columns: &[CursorColumn]) {
    let Ok(count) = u8::try_from(columns.len()) else { return };
    let units =
        |name: &str| -> Vec<u8> { name.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let mut names = Vec::new();
    for parts in tables {
        names.push(parts.len() as u8);
        for part in parts {
            let part = units(part);
            names.extend_from_slice(&((part.len() / 2) as u16).to_le_bytes());
            names.extend_from_slice(&part);
        }
    }
    let mut told = Vec::new();
    for (number, c) in (1..=count).zip(columns) {
        let hidden = if number == count { HIDDEN } else { 0 };
        let expression = if c.computed { EXPRESSION } else { 0 };
        let other = if c.base.is_some() { DIFFERENT_NAME } else { 0 };
        told.extend_from_slice(&[number, c.table, hidden | expression | other]);
        if let Some(base) = &c.base {
            let name = units(base);
            told.push((name.len() / 2) as u8);
            told.extend_from_slice(&name);
        }
    }
    let lengths = u16::try_from(names.len()).and_then(|n| Ok((n, u16::try_from(told.len())?)));
    let Ok((of_names, of_columns)) = lengths else { return };
    if !tables.is_empty() {
        out.push(kind::TABNAME);
        out.extend_from_slice(&of_names.to_le_bytes());
        out.extend_from_slice(&names);
    }
    out.push(kind::COLINFO);
    out.extend_from_slice(&of_columns.to_le_bytes());
    out.extend_from_slice(&told);
}

/// ORDER: the columns (from 1) that the rows are sorted by.
pub fn order(out: &mut Vec<u8>, columns: &[u16]) {
    out.push(kind::ORDER);
    out.extend_from_slice(&((columns.len() * 2) as u16).to_le_bytes());
    for column in columns {
        out.extend_from_slice(&column.to_le_bytes());
    }
}

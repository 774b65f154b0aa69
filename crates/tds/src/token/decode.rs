//! Bytes to tokens: the client's side.
//!
//! [`TokenReader::next`] takes one token from the front of what has arrived. While the stream is still arriving a
//! token may be incomplete ([`ProtocolError::Truncated`]): nothing has then been taken, and the caller asks again
//! with more bytes.

use super::{DoneKind, kind};
use crate::error::ProtocolError;
use crate::reader::Reader;
use crate::typeinfo::{TypeInfo, Wire};
use crate::value;
use crate::version::TdsVersion;
use taffrail_types::Value;

type Result<T> = std::result::Result<T, ProtocolError>;

/// A column of a result set, as a client reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name of the column.
    pub name: String,
    /// The type of the column.
    pub info: TypeInfo,
    /// Whether NULL can occur.
    pub nullable: bool,
    /// Whether it is an identity column.
    pub identity: bool,
}

/// A token of a response, as a client reads it.
#[derive(Clone, Debug)]
pub enum Token {
    /// COLMETADATA: the columns of the rows that follow.
    Columns(Vec<Column>),
    /// ROW or NBCROW: the values of a row.
    Row(Vec<Value>),
    /// Any of the three DONEs.
    Done(super::DoneToken),
    /// ERROR or INFO: a message for the client.
    Message {
        /// It is an ERROR.
        error: bool,
        /// The number of the message.
        number: i32,
        /// The state of the message.
        state: u8,
        /// The severity of the message.
        class: u8,
        /// The text of the message.
        text: String,
        /// The name of the server.
        server: String,
        /// The name of the procedure; empty for a batch.
        procedure: String,
        /// The line in the batch or procedure.
        line: u32,
    },
    /// ENVCHANGE: its type and the bytes of its new and old values.
    EnvChange {
        /// 1 database, 2 language, 4 packet size, 7 collation, 8 begin, 9 commit, 10 rollback, 18 reset …
        kind: u8,
        /// The new and old values, behind the type.
        data: Vec<u8>,
    },
    /// LOGINACK: the login has succeeded.
    LoginAck {
        /// The version the server chose.
        version: u32,
        /// The name of the server's program.
        program: String,
        /// The program's version: major, minor, build.
        program_version: (u8, u8, u16),
    },
    /// FEATUREEXTACK: the features that the server grants, with their data.
    FeatureExtAck(Vec<(u8, Vec<u8>)>),
    /// RETURNSTATUS: the return code of a procedure.
    ReturnStatus(i32),
    /// RETURNVALUE: an output parameter or a function's result.
    ReturnValue {
        /// The position of the parameter.
        ordinal: u16,
        /// The name of the parameter.
        name: String,
        /// The value of the parameter.
        value: Value,
    },
    /// ORDER: the columns that the rows are sorted by.
    Order(Vec<u16>),
    /// A token that carries nothing for a client of ours.
    Other(u8),
}

/// Reads the tokens of a connection. Knows the columns of the result under way.
#[derive(Clone, Debug, Default)]
pub struct TokenReader {
    version: TdsVersion,
    columns: Vec<Column>,
}

impl TokenReader {
    /// For a connection that speaks this version.
    pub fn new(version: TdsVersion) -> TokenReader {
        TokenReader { version, columns: Vec::new() }
    }

    /// The columns of the result under way.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The next token; `Ok(None)` at the end of the bytes. On an error the reader stays where it was.
    pub fn next(&mut self, r: &mut Reader<'_>) -> Result<Option<Token>> {
        if r.is_empty() {
            return Ok(None);
        }
        let mut ahead = *r;
        let token = self.token(&mut ahead)?;
        if let Token::Columns(columns) = &token {
            self.columns.clone_from(columns);
        }
        *r = ahead;
        Ok(Some(token))
    }

    fn token(&self, r: &mut Reader<'_>) -> Result<Token> {
        let wide = self.version.is_wide();
        Ok(match r.u8()? {
            kind::COLMETADATA => self.column_metadata(r)?,
            kind::ROW => self.row(r)?,
            kind::NBCROW => self.compressed_row(r)?,
            k @ (kind::DONE | kind::DONEPROC | kind::DONEINPROC) => Token::Done(super::DoneToken {
                kind: match k {
                    kind::DONE => DoneKind::Statement,
                    kind::DONEPROC => DoneKind::Procedure,
                    _ => DoneKind::InProcedure,
                },
                status: r.u16()?,
                command: r.u16()?,
                rows: if wide { r.u64()? } else { r.u32()? as u64 },
            }),
            k @ (kind::ERROR | kind::INFO) => {
                let r = &mut counted(r)?;
                Token::Message {
                    error: k == kind::ERROR,
                    number: r.i32()?,
                    state: r.u8()?,
                    class: r.u8()?,
                    text: r.us_varchar()?,
                    server: r.b_varchar()?,
                    procedure: r.b_varchar()?,
                    line: if wide { r.u32()? } else { r.u16()? as u32 },
                }
            }
            kind::ENVCHANGE => {
                let r = &mut counted(r)?;
                Token::EnvChange { kind: r.u8()?, data: r.rest().to_vec() }
            }
            kind::LOGINACK => {
                let r = &mut counted(r)?;
                r.u8()?;
                Token::LoginAck {
                    version: u32::from_be_bytes(r.array()?),
                    program: r.b_varchar()?,
                    program_version: (r.u8()?, r.u8()?, r.u16_be()?),
                }
            }
            kind::FEATUREEXTACK => features(r)?,
            kind::RETURNSTATUS => Token::ReturnStatus(r.i32()?),
            kind::RETURNVALUE => self.return_value(r)?,
            kind::ORDER => {
                let mut r = counted(r)?;
                let mut columns = Vec::new();
                while !r.is_empty() {
                    columns.push(r.u16()?);
                }
                Token::Order(columns)
            }
            k @ (kind::TABNAME | kind::COLINFO | kind::SSPI) => {
                counted(r)?;
                Token::Other(k)
            }
            kind::SESSIONSTATE => {
                let length = r.u32()? as usize;
                r.bytes(length)?;
                Token::Other(kind::SESSIONSTATE)
            }
            _ => return Err(ProtocolError::Malformed("unknown token")),
        })
    }

    fn row(&self, r: &mut Reader<'_>) -> Result<Token> {
        let mut row = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            row.push(value::decode(r, &column.info)?);
        }
        Ok(Token::Row(row))
    }

    /// A row whose NULLs stand in a bitmap before the other values.
    fn compressed_row(&self, r: &mut Reader<'_>) -> Result<Token> {
        let bitmap = r.bytes(self.columns.len().div_ceil(8))?;
        let mut row = Vec::with_capacity(self.columns.len());
        for (i, column) in self.columns.iter().enumerate() {
            row.push(if bitmap[i / 8] >> (i % 8) & 1 == 1 {
                Value::Null
            } else {
                value::decode(r, &column.info)?
            });
        }
        Ok(Token::Row(row))
    }

    fn return_value(&self, r: &mut Reader<'_>) -> Result<Token> {
        let ordinal = r.u16()?;
        let name = r.b_varchar()?;
        r.u8()?;
        r.bytes(if self.version.is_wide() { 6 } else { 4 })?;
        let info = TypeInfo::decode(r, false)?;
        Ok(Token::ReturnValue { ordinal, name, value: value::decode(r, &info)? })
    }

    fn column_metadata(&self, r: &mut Reader<'_>) -> Result<Token> {
        let count = r.u16()?;
        let mut columns = Vec::new();
        if count == 0xFFFF {
            return Ok(Token::Columns(columns));
        }
        for _ in 0..count {
            r.bytes(if self.version.is_wide() { 4 } else { 2 })?;
            let flags = r.u16()?;
            let info = TypeInfo::decode(r, true)?;
            if info.wire == Wire::TextPointer {
                let parts = if self.version.is_wide() { r.u8()? } else { 1 };
                for _ in 0..parts {
                    r.us_varchar()?;
                }
            }
            columns.push(Column {
                name: r.b_varchar()?,
                info,
                nullable: flags & 0x01 != 0,
                identity: flags & 0x10 != 0,
            });
        }
        Ok(Token::Columns(columns))
    }
}

fn features(r: &mut Reader<'_>) -> Result<Token> {
    let mut features = Vec::new();
    loop {
        match r.u8()? {
            0xFF => return Ok(Token::FeatureExtAck(features)),
            id => {
                let length = r.u32()? as usize;
                features.push((id, r.bytes(length)?.to_vec()));
            }
        }
    }
}

/// The bytes that a two-byte length announces.
fn counted<'a>(r: &mut Reader<'a>) -> Result<Reader<'a>> {
    let length = r.u16()? as usize;
    Ok(Reader::new(r.bytes(length)?))
}

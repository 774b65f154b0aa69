//! RPC: remote procedure calls with typed parameters.
//!
//! ```text
//!   ALL_HEADERS
//!   name US_VARCHAR | 0xFFFF id u16 · option flags u16
//!   parameter*: name B_VARCHAR · status u8 (1 by reference, 2 default, 8 encrypted) · TYPE_INFO · value, or a table ([`crate::tvp`])
//!   separator 0xFF (0x80 before 7.2), next call …       0xFE: do not run the call before it
//! ```

use crate::error::ProtocolError;
use crate::reader::{Reader, put_b_varchar, put_us_varchar};
use crate::request::AllHeaders;
use crate::tvp::{self, TableValue};
use crate::typeinfo::TypeInfo;
use crate::value;
use crate::version::TdsVersion;
use taffrail_types::{SqlType, Value};

type Result<T> = std::result::Result<T, ProtocolError>;

/// The procedure of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Procedure {
    /// By name, as sent.
    Name(String),
    /// By the number of a system procedure.
    Id(u16),
}

pub use taffrail_base::procedure::{SP_EXECUTE, SP_EXECUTESQL, SP_PREPARE};

/// A parameter of a call.
#[derive(Clone, Debug)]
pub struct Param {
    /// With its at-sign; empty when it goes by position.
    pub name: String,
    /// The caller wants it back.
    pub by_ref: bool,
    /// The procedure's default is to be taken; the value is NULL.
    pub default: bool,
    /// The type of the value.
    pub ty: SqlType,
    /// The value that is passed.
    pub value: Value,
    /// A table in place of a value, which is NULL then.
    pub table: Option<Box<TableValue>>,
}

/// One call of a message.
#[derive(Clone, Debug)]
pub struct Call {
    /// The procedure that is called.
    pub procedure: Procedure,
    /// Option flags: 1 recompile, 2 no metadata, 4 reuse metadata.
    pub options: u16,
    /// The parameters in the order sent.
    pub params: Vec<Param>,
    /// Followed by the separator that says not to run it.
    pub skip: bool,
}

const BY_ID: u16 = 0xFFFF;
const STATUS_BY_REF: u8 = 1;
const STATUS_DEFAULT: u8 = 2;
const STATUS_ENCRYPTED: u8 = 8;
const SEPARATOR: u8 = 0xFF;
const SEPARATOR_7_1: u8 = 0x80;
const SEPARATOR_NO_EXEC: u8 = 0xFE;
/// SQL Server's limit of parameters per call (message 8003).
pub const PARAMS_MAX: usize = 2100;
/// Calls in one message. A call takes seven bytes at least but far more memory, so their number has a bound.
const CALLS_MAX: usize = 65_536;

fn is_separator(b: u8, version: TdsVersion) -> bool {
    // Both marks lie beyond 128, the longest parameter name, so no name can be taken for one.
    b == SEPARATOR_NO_EXEC || b == if version.is_wide() { SEPARATOR } else { SEPARATOR_7_1 }
}

/// Reads a message's calls. There is at least one.
pub fn decode(data: &[u8], version: TdsVersion) -> Result<Vec<Call>> {
    let mut r = Reader::new(data);
    AllHeaders::decode(&mut r, version)?;
    let mut calls = Vec::new();
    loop {
        let mut call = decode_call(&mut r, version)?;
        if !r.is_empty() {
            call.skip = r.u8()? == SEPARATOR_NO_EXEC;
        }
        if calls.len() == CALLS_MAX {
            return Err(ProtocolError::Unsupported("more than 65536 calls in one message"));
        }
        calls.push(call);
        if r.is_empty() {
            return Ok(calls);
        }
    }
}

/// One call, up to its separator or the end.
fn decode_call(r: &mut Reader<'_>, version: TdsVersion) -> Result<Call> {
    let units = r.u16()?;
    let procedure = if units == BY_ID {
        Procedure::Id(r.u16()?)
    } else if units <= 1046 {
        // An empty name is nobody's, as the engine says.
        Procedure::Name(crate::reader::utf16(r.bytes(units as usize * 2)?))
    } else {
        return Err(ProtocolError::Malformed("procedure name"));
    };
    let options = r.u16()?;
    let mut params = Vec::new();
    while let Some(next) = r.peek() {
        if is_separator(next, version) {
            break;
        }
        if params.len() == PARAMS_MAX {
            return Err(ProtocolError::Unsupported("more than 2100 parameters"));
        }
        params.push(decode_param(r, params.len() as u16 + 1, version)?);
    }
    Ok(Call { procedure, options, params, skip: false })
}

fn decode_param(r: &mut Reader<'_>, number: u16, version: TdsVersion) -> Result<Param> {
    let name = r.b_varchar()?;
    let status = r.u8()?;
    if status & STATUS_ENCRYPTED != 0 {
        return Err(ProtocolError::Unsupported("encrypted parameters"));
    }
    let named = |e| match e {
        ProtocolError::BadValue { type_name, .. } => {
            ProtocolError::BadValue { ordinal: number, name: name.clone(), type_name }
        }
        other => other,
    };
    let (mut ty, mut value, mut table) = (SqlType::Int, Value::Null, None);
    if tvp::is_next(r) {
        table = Some(Box::new(tvp::decode(r, version).map_err(named)?));
    } else {
        let info = TypeInfo::decode(r, false)?;
        value = value::decode(r, &info).map_err(named)?;
        ty = info.sql;
    }
    let (by_ref, default) = (status & STATUS_BY_REF != 0, status & STATUS_DEFAULT != 0);
    Ok(Param { name, by_ref, default, ty, value, table })
}

/// Appends calls as one message. `collation` goes with every string.
pub fn encode(
    calls: &[Call],
    transaction: u64,
    collation: [u8; 5],
    version: TdsVersion,
    out: &mut Vec<u8>,
) -> std::result::Result<(), crate::EncodeError> {
    AllHeaders::encode(transaction, version, out);
    for (i, call) in calls.iter().enumerate() {
        if i > 0 {
            out.push(match (calls[i - 1].skip, version.is_wide()) {
                (true, _) => SEPARATOR_NO_EXEC,
                (false, true) => SEPARATOR,
                (false, false) => SEPARATOR_7_1,
            });
        }
        match &call.procedure {
            Procedure::Name(name) => put_us_varchar(out, name, 1046),
            Procedure::Id(id) => {
                out.extend_from_slice(&BY_ID.to_le_bytes());
                out.extend_from_slice(&id.to_le_bytes());
            }
        }
        out.extend_from_slice(&call.options.to_le_bytes());
        for (column, param) in call.params.iter().enumerate() {
            put_b_varchar(out, &param.name);
            let by_ref = if param.by_ref { STATUS_BY_REF } else { 0 };
            out.push(by_ref | if param.default { STATUS_DEFAULT } else { 0 });
            if let Some(table) = &param.table {
                tvp::encode(out, table, collation, version)
                    .map_err(|what| crate::EncodeError { column, what })?;
                continue;
            }
            let mut info = TypeInfo::for_result(param.ty, collation, version);
            if info.wire == crate::Wire::TextPointer {
                return Err(crate::EncodeError { column, what: "(max) parameter below TDS 7.2" });
            }
            if param.ty == SqlType::RowVersion {
                info.sql = SqlType::Binary(8);
            }
            info.encode(out);
            value::encode(out, &info, &param.value)
                .map_err(|what| crate::EncodeError { column, what })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_types::MaxLen;

    fn param(name: &str, ty: SqlType, value: Value) -> Param {
        Param { name: name.into(), by_ref: false, default: false, ty, value, table: None }
    }

    fn message(version: TdsVersion) -> Vec<u8> {
        let mut out = Vec::new();
        let calls = [
            Call {
                procedure: Procedure::Id(SP_EXECUTESQL),
                options: 2,
                params: vec![
                    param(
                        "",
                        SqlType::NVarChar(MaxLen::N(4000)),
                        Value::NVarChar([b'x', 0][..].into()),
                    ),
                    param("@p", SqlType::Int, Value::Int(7)),
                ],
                skip: false,
            },
            Call {
                procedure: Procedure::Name("dbo.p".into()),
                options: 0,
                params: vec![Param { by_ref: true, ..param("@o", SqlType::BigInt, Value::Null) }],
                skip: false,
            },
        ];
        encode(&calls, 5, [9, 4, 0xD0, 0, 0x34], version, &mut out).unwrap();
        out
    }

    #[test]
    fn calls_round_trip() {
        for version in [TdsVersion::V7_1, TdsVersion::V7_4] {
            let calls = decode(&message(version), version).unwrap();
            assert_eq!(calls.len(), 2);
            assert_eq!(calls[0].procedure, Procedure::Id(SP_EXECUTESQL));
            assert!(matches!(calls[0].params[1].value, Value::Int(7)));
            assert_eq!(calls[1].procedure, Procedure::Name("dbo.p".into()));
            assert!(calls[1].params[0].by_ref && calls[1].params[0].value.is_null());
            assert_eq!(calls[1].params[0].ty, SqlType::BigInt);
        }
    }

    #[test]
    fn cut_messages_are_errors_or_fewer_parameters() {
        let data = message(TdsVersion::V7_4);
        for n in 0..data.len() {
            // A cut between two parameters or calls is a shorter but complete message.
            if let Ok(calls) = decode(&data[..n], TdsVersion::V7_4) {
                assert!(calls.iter().map(|c| c.params.len()).sum::<usize>() < 3);
            }
        }
    }

    #[test]
    fn an_empty_name_is_a_call_that_somebody_has_to_refuse() {
        let calls = decode(&[0, 0, 0, 0], TdsVersion::V7_1).unwrap();
        assert_eq!(calls[0].procedure, Procedure::Name(String::new()));
    }

    #[test]
    fn what_is_not_taken_is_named() {
        let head = |rest: &[u8]| {
            let mut out = vec![1, 0, b'p', 0, 0, 0, 0, 0];
            out.extend_from_slice(rest);
            out
        };
        let unsupported = |rest: &[u8]| match decode(&head(rest), TdsVersion::V7_1) {
            Err(ProtocolError::Unsupported(what)) => what,
            other => panic!("{other:?}"),
        };
        assert_eq!(unsupported(&[0xF3]), "table-valued parameters below TDS 7.3");
        assert_eq!(unsupported(&[0xF0]), "CLR user-defined types");
        // numeric(2,0) of 100.
        let bad = head(&[0x6C, 5, 2, 0, 5, 1, 100, 0, 0, 0]);
        let e = decode(&bad, TdsVersion::V7_1).unwrap_err();
        assert_eq!(
            e,
            ProtocolError::BadValue { ordinal: 1, name: String::new(), type_name: "numeric" }
        );
    }

    #[test]
    fn legacy_parameter_types_are_read() {
        // name "", status 0, ntext: max length, collation, length, data.
        let mut data = vec![1, 0, b'p', 0, 0, 0];
        data.extend_from_slice(&[
            0, 0, 0x63, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'a', 0,
        ]);
        // NULL text
        data.extend_from_slice(&[0, 0, 0x23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]);
        // short varchar and the NULL type
        data.extend_from_slice(&[0, 0, 0x27, 10, 2, b'h', b'i', 0, 0, 0x1F]);
        let calls = decode(&data, TdsVersion::V7_1).unwrap();
        let p = &calls[0].params;
        assert_eq!(p[0].ty, SqlType::NVarChar(MaxLen::Max));
        assert_eq!(p[0].value.as_bytes(), Some(&[b'a', 0][..]));
        assert!(p[1].value.is_null() && p[3].value.is_null());
        assert_eq!(p[2].value.as_bytes(), Some(&b"hi"[..]));
    }
}

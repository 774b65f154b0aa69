//! Types as ODBC numbers and describes them; sp_datatype_info.

use super::{Argument, Arguments};
use crate::context::StatementContext;
use crate::results::send;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::names::SYS_TYPES;
use taffrail_types::{MaxLen, SqlType};

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));
const SMALL: SqlType = SqlType::SmallInt;
const INT: SqlType = SqlType::Int;

/// ODBC's facts about a type.
pub(super) struct Odbc {
    pub data_type: i32,
    pub precision: i32,
    pub length: i32,
    pub scale: Option<i32>,
    pub radix: Option<i32>,
    pub sql_type: i32,
    pub subtype: Option<i32>,
    pub octets: Option<i32>,
}

/// `version` 2 has its own numbers for dates.
pub(super) fn odbc(ty: SqlType, version: i64) -> Odbc {
    use SqlType::*;
    let bytes = ty.max_length() as i32;
    let precision = ty.precision() as i32;
    let number = |data_type, length, scale, radix| Odbc {
        data_type,
        precision,
        length,
        scale,
        radix: Some(radix),
        sql_type: data_type,
        subtype: None,
        octets: None,
    };
    let string = |data_type: i32, max_type: i32, characters: i32| Odbc {
        data_type: if bytes < 0 { max_type } else { data_type },
        precision: if bytes < 0 { 0 } else { characters },
        length: bytes.max(0),
        scale: None,
        radix: None,
        sql_type: if bytes < 0 { max_type } else { data_type },
        subtype: None,
        octets: Some(bytes.max(0)),
    };
    let moment = |v3: i32, v2: i32, subtype: i32, length: i32, scale: i32| Odbc {
        data_type: if version >= 3 { v3 } else { v2 },
        precision,
        length,
        scale: Some(scale),
        radix: None,
        sql_type: 9,
        subtype: Some(subtype),
        octets: None,
    };
    match ty {
        Bit => number(-7, 1, None, 10),
        TinyInt => number(-6, 1, Some(0), 10),
        SmallInt => number(5, 2, Some(0), 10),
        Int => number(4, 4, Some(0), 10),
        BigInt => number(-5, 8, Some(0), 10),
        Decimal { scale, .. } => number(3, precision + 2, Some(scale as i32), 10),
        Numeric { scale, .. } => number(2, precision + 2, Some(scale as i32), 10),
        Money => number(3, 21, Some(4), 10),
        SmallMoney => number(3, 12, Some(4), 10),
        Real => number(7, 4, None, 2),
        Float => number(6, 8, None, 2),
        Date => moment(91, -9, 1, 6, 0),
        Time(n) => Odbc { sql_type: -154, subtype: Some(0), ..moment(-154, -9, 2, 12, n as i32) },
        DateTime => moment(93, 11, 3, 16, 3),
        SmallDateTime => moment(93, 11, 3, 16, 0),
        DateTime2(n) => moment(93, -9, 3, 16, n as i32),
        DateTimeOffset(n) => {
            Odbc { sql_type: -155, subtype: Some(0), ..moment(-155, -9, 0, 20, n as i32) }
        }
        Char(_) => string(1, 1, bytes),
        VarChar(_) => string(12, 12, bytes),
        NChar(_) => string(-8, -8, bytes / 2),
        NVarChar(_) => string(-9, -9, bytes / 2),
        Binary(_) => string(-2, -2, bytes),
        VarBinary(_) => string(-3, -3, bytes),
        RowVersion => Odbc { precision: 8, length: 8, octets: Some(8), ..string(-2, -2, 8) },
        UniqueIdentifier => {
            Odbc { precision: 36, length: 16, octets: None, ..string(-11, -11, 36) }
        }
        Variant => Odbc { precision: 8000, length: 8000, octets: None, ..string(-150, -150, 8000) },
    }
}

/// `sp_datatype_info`: the types that tables can have here.
pub(super) fn datatype_info(cx: &mut StatementContext<'_>, given: &[Argument]) -> SqlResult<i32> {
    let args = Arguments::new("sp_datatype_info", &["@data_type", "@ODBCVer"], given)?;
    let wanted = args.number(0).filter(|n| *n != 0);
    let version = args.number(1).unwrap_or(2);
    let mut rows = Vec::new();
    for t in SYS_TYPES {
        use taffrail_types::names::{TypeArg, TypeUse, resolve};
        let length = match t.name {
            "varchar" | "char" | "varbinary" | "binary" => vec![TypeArg::N(8000)],
            "nvarchar" | "nchar" => vec![TypeArg::N(4000)],
            "decimal" | "numeric" => vec![TypeArg::N(38), TypeArg::N(0)],
            _ => Vec::new(),
        };
        let Some(Ok(ty)) = resolve(t.name, &length, TypeUse::Declaration) else { continue };
        let o = odbc(ty, version);
        if wanted.is_some_and(|w| w != o.data_type as i64) {
            continue;
        }
        let text = t.collated;
        let quote = match ty {
            _ if text => Some(if t.name.starts_with('n') { "N'" } else { "'" }),
            SqlType::Binary(_) | SqlType::VarBinary(_) | SqlType::RowVersion => Some("0x"),
            SqlType::Date
            | SqlType::Time(_)
            | SqlType::DateTime
            | SqlType::SmallDateTime
            | SqlType::DateTime2(_)
            | SqlType::DateTimeOffset(_)
            | SqlType::UniqueIdentifier => Some("'"),
            _ => None,
        };
        let suffix = quote.filter(|q| *q != "0x").map(|_| "'");
        let parameters = match t.name {
            "decimal" | "numeric" => Some("precision,scale"),
            "char" | "nchar" | "binary" => Some("length"),
            "varchar" | "nvarchar" | "varbinary" => Some("max length"),
            "time" | "datetime2" | "datetimeoffset" => Some("scale"),
            _ => None,
        };
        let is_number = o.radix.is_some();
        rows.push(row![
            t.name,
            o.data_type,
            o.precision,
            quote,
            suffix,
            parameters,
            t.nullable as i32,
            text as i32,
            if text { 3 } else { 2 },
            is_number.then_some((t.name == "tinyint" || t.name == "bit") as i32),
            (t.name.contains("money")) as i32,
            is_number.then_some(0),
            t.name,
            o.scale.map(|_| 0),
            o.scale,
            o.sql_type,
            o.subtype,
            o.radix,
            (),
            t.user_type_id
        ]);
    }
    rows.sort_by_key(|r| r[1].as_i64());
    let columns = [
        ("TYPE_NAME", NAME, false),
        ("DATA_TYPE", SMALL, false),
        ("PRECISION", INT, true),
        ("LITERAL_PREFIX", SqlType::VarChar(MaxLen::N(32)), true),
        ("LITERAL_SUFFIX", SqlType::VarChar(MaxLen::N(32)), true),
        ("CREATE_PARAMS", SqlType::VarChar(MaxLen::N(32)), true),
        ("NULLABLE", SMALL, false),
        ("CASE_SENSITIVE", SMALL, false),
        ("SEARCHABLE", SMALL, false),
        ("UNSIGNED_ATTRIBUTE", SMALL, true),
        ("MONEY", SMALL, false),
        ("AUTO_INCREMENT", SMALL, true),
        ("LOCAL_TYPE_NAME", NAME, true),
        ("MINIMUM_SCALE", SMALL, true),
        ("MAXIMUM_SCALE", SMALL, true),
        ("SQL_DATA_TYPE", SMALL, false),
        ("SQL_DATETIME_SUB", SMALL, true),
        ("NUM_PREC_RADIX", INT, true),
        ("INTERVAL_PRECISION", SMALL, true),
        ("USERTYPE", SMALL, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

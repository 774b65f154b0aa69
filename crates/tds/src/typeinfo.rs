//! TYPE_INFO: a type as the wire describes it, before the values that follow.
//!
//! ```text
//!   0x26 INTN n · 0x68 BITN 1 · 0x6D FLTN n · 0x6E MONEYN n · 0x6F DATETIMN n · 0x24 GUID 16
//!   0x6A DECIMALN, 0x6C NUMERICN  length precision scale
//!   0x28 DATE · 0x29 TIME scale · 0x2A DATETIME2 scale · 0x2B DATETIMEOFFSET scale
//!   0xAF CHAR, 0xA7 VARCHAR, 0xEF NCHAR, 0xE7 NVARCHAR  max bytes u16 (0xFFFF: PLP) collation[5]
//!   0xAD BINARY, 0xA5 VARBINARY  max bytes u16 (0xFFFF: PLP)
//!   0x23 TEXT, 0x63 NTEXT, 0x22 IMAGE  max bytes u32 [collation[5]]
//!   0x62 SQL_VARIANT  max bytes u32
//!   0xF1 XML  0 (no schema)
//! ```
//!
//! Result columns that cannot be NULL have the forms without a length where their type has one:
//!
//! ```text
//!   0x30 INT1 · 0x32 BIT · 0x34 INT2 · 0x38 INT4 · 0x7F INT8 · 0x3B FLT4 · 0x3E FLT8
//!   0x3C MONEY · 0x7A MONEY4 · 0x3D DATETIME · 0x3A DATETIM4
//! ```
//!
//! What a version does not know yet goes out as something it does: (max) types as text, ntext and image to 7.1, the date
//! types of 2008 as nvarchar below 7.3.

use crate::error::ProtocolError;
use crate::reader::Reader;
use crate::version::TdsVersion;
use taffrail_types::{MaxLen, SqlType};

type Result<T> = std::result::Result<T, ProtocolError>;

#[allow(missing_docs)]
pub(crate) mod byte {
    pub const NULL: u8 = 0x1F;
    pub const IMAGE: u8 = 0x22;
    pub const TEXT: u8 = 0x23;
    pub const GUID: u8 = 0x24;
    pub const VARBINARY_SHORT: u8 = 0x25;
    pub const INTN: u8 = 0x26;
    pub const VARCHAR_SHORT: u8 = 0x27;
    pub const DATE: u8 = 0x28;
    pub const TIME: u8 = 0x29;
    pub const DATETIME2: u8 = 0x2A;
    pub const DATETIMEOFFSET: u8 = 0x2B;
    pub const BINARY_SHORT: u8 = 0x2D;
    pub const CHAR_SHORT: u8 = 0x2F;
    pub const INT1: u8 = 0x30;
    pub const BIT: u8 = 0x32;
    pub const INT2: u8 = 0x34;
    pub const DECIMAL_OLD: u8 = 0x37;
    pub const INT4: u8 = 0x38;
    pub const DATETIME4: u8 = 0x3A;
    pub const FLT4: u8 = 0x3B;
    pub const MONEY: u8 = 0x3C;
    pub const DATETIME: u8 = 0x3D;
    pub const FLT8: u8 = 0x3E;
    pub const NUMERIC_OLD: u8 = 0x3F;
    pub const VARIANT: u8 = 0x62;
    pub const NTEXT: u8 = 0x63;
    pub const BITN: u8 = 0x68;
    pub const DECIMALN: u8 = 0x6A;
    pub const NUMERICN: u8 = 0x6C;
    pub const FLTN: u8 = 0x6D;
    pub const MONEYN: u8 = 0x6E;
    pub const DATETIMN: u8 = 0x6F;
    pub const MONEY4: u8 = 0x7A;
    pub const INT8: u8 = 0x7F;
    pub const VARBINARY: u8 = 0xA5;
    pub const VARCHAR: u8 = 0xA7;
    pub const BINARY: u8 = 0xAD;
    pub const CHAR: u8 = 0xAF;
    pub const NVARCHAR: u8 = 0xE7;
    pub const NCHAR: u8 = 0xEF;
    pub const UDT: u8 = 0xF0;
    pub const XML: u8 = 0xF1;
    pub const TVP: u8 = 0xF3;
    pub const JSON: u8 = 0xF4;
    pub const VECTOR: u8 = 0xF5;
}

/// How the values of a type are delimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wire {
    /// No length: so many bytes, never NULL.
    Fixed(u8),
    /// Length in one byte, 0 is NULL.
    ByteLen,
    /// Length in two bytes, 0xFFFF is NULL.
    ShortLen,
    /// Parameters of text, ntext, image: length in four bytes, -1 is NULL.
    LongLen,
    /// Columns of text, ntext, image: text pointer, timestamp, length in four bytes.
    TextPointer,
    /// Partially length-prefixed: total in eight bytes, then chunks.
    Plp,
    /// The same, announced as xml without a schema.
    Xml,
    /// Length in four bytes, base type, properties, data; 0 is NULL.
    Variant,
    /// No bytes follow: the type of NULL.
    Null,
}

/// Large types with a form of their own that [`SqlType`] does not tell from the (max) types.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Large {
    /// Any type without such a form.
    #[default]
    Plain,
    /// The type xml alone.
    Xml,
    /// The types text, ntext and image.
    Old,
}

/// A type on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeInfo {
    /// The type its values have here.
    pub sql: SqlType,
    /// How they are delimited.
    pub wire: Wire,
    /// Collation of character types; zeroes are the server's default.
    pub collation: [u8; 5],
}

/// Bytes that a decimal of this precision takes, its sign included.
pub(crate) fn decimal_bytes(precision: u8) -> u8 {
    match precision {
        0..=9 => 5,
        10..=19 => 9,
        20..=28 => 13,
        _ => 17,
    }
}

/// Bytes of a time of this scale.
pub(crate) fn time_bytes(scale: u8) -> u8 {
    match scale {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    }
}

const MAX: u16 = 0xFFFF;

/// The form of a type whose values have no length, and how long they are.
/// The type of a form without a length, and the bytes of its values.
fn fixed_type(kind: u8) -> Option<(SqlType, u8)> {
    use SqlType::*;
    Some(match kind {
        byte::INT1 => (TinyInt, 1),
        byte::BIT => (Bit, 1),
        byte::INT2 => (SmallInt, 2),
        byte::INT4 => (Int, 4),
        byte::INT8 => (BigInt, 8),
        byte::FLT4 => (Real, 4),
        byte::FLT8 => (Float, 8),
        byte::MONEY => (Money, 8),
        byte::MONEY4 => (SmallMoney, 4),
        byte::DATETIME => (DateTime, 8),
        byte::DATETIME4 => (SmallDateTime, 4),
        _ => return None,
    })
}

/// The type of a form whose length tells its relatives apart.
fn type_of_length(kind: u8, bytes: u8) -> Option<SqlType> {
    use SqlType::*;
    Some(match (kind, bytes) {
        (byte::INTN, 1) => TinyInt,
        (byte::INTN, 2) => SmallInt,
        (byte::INTN, 4) => Int,
        (byte::INTN, 8) => BigInt,
        (byte::BITN, 1) => Bit,
        (byte::FLTN, 4) => Real,
        (byte::FLTN, 8) => Float,
        (byte::MONEYN, 4) => SmallMoney,
        (byte::MONEYN, 8) => Money,
        (byte::DATETIMN, 4) => SmallDateTime,
        (byte::DATETIMN, 8) => DateTime,
        (byte::GUID, 16) => UniqueIdentifier,
        _ => return None,
    })
}

/// The type of a form that TDS 4.2 had, with a length of one byte.
fn short_type(kind: u8, n: u16) -> SqlType {
    match kind {
        byte::CHAR_SHORT => SqlType::Char(n),
        byte::VARCHAR_SHORT => SqlType::VarChar(MaxLen::N(n)),
        byte::BINARY_SHORT => SqlType::Binary(n),
        _ => SqlType::VarBinary(MaxLen::N(n)),
    }
}

/// Reads the length and the collation of text, ntext or image.
fn old_large(kind: u8, wire: Wire, r: &mut Reader<'_>) -> Result<TypeInfo> {
    r.u32()?;
    let (sql, collation) = match kind {
        byte::TEXT => (SqlType::VarChar(MaxLen::Max), r.array()?),
        byte::NTEXT => (SqlType::NVarChar(MaxLen::Max), r.array()?),
        _ => (SqlType::VarBinary(MaxLen::Max), [0; 5]),
    };
    Ok(TypeInfo { sql, wire, collation })
}

/// Reads the length and the collation of a text type.
fn characters(kind: u8, r: &mut Reader<'_>) -> Result<TypeInfo> {
    use SqlType::*;
    let bytes = r.u16()?;
    let collation = r.array()?;
    let wide = matches!(kind, byte::NCHAR | byte::NVARCHAR);
    // FreeTDS declares longer variable strings than a column may have: those are (max) values whose lengths still
    // take two bytes.
    let (wire, length) = match bytes {
        MAX => (Wire::Plp, MaxLen::Max),
        8001.. => (Wire::ShortLen, MaxLen::Max),
        n if wide => (Wire::ShortLen, MaxLen::N((n / 2).max(1))),
        n => (Wire::ShortLen, MaxLen::N(n.max(1))),
    };
    let sql = match (kind, length) {
        (byte::CHAR, MaxLen::N(n)) => Char(n),
        (byte::NCHAR, MaxLen::N(n)) => NChar(n),
        (byte::CHAR | byte::VARCHAR, length) => VarChar(length),
        (_, length) => NVarChar(length),
    };
    Ok(TypeInfo { sql, wire, collation })
}

fn fixed_form(sql: SqlType) -> Option<(u8, u8)> {
    Some(match sql {
        SqlType::Bit => (byte::BIT, 1),
        SqlType::TinyInt => (byte::INT1, 1),
        SqlType::SmallInt => (byte::INT2, 2),
        SqlType::Int => (byte::INT4, 4),
        SqlType::BigInt => (byte::INT8, 8),
        SqlType::Real => (byte::FLT4, 4),
        SqlType::Float => (byte::FLT8, 8),
        SqlType::SmallMoney => (byte::MONEY4, 4),
        SqlType::Money => (byte::MONEY, 8),
        SqlType::SmallDateTime => (byte::DATETIME4, 4),
        SqlType::DateTime => (byte::DATETIME, 8),
        _ => return None,
    })
}

impl TypeInfo {
    /// The form in which a server of this version sends values of `sql`.
    pub fn for_result(sql: SqlType, collation: [u8; 5], version: TdsVersion) -> TypeInfo {
        let sql = if version.has_new_dates() { sql } else { crate::downlevel::substitute(sql) };
        let wire = match sql {
            SqlType::VarChar(MaxLen::Max)
            | SqlType::NVarChar(MaxLen::Max)
            | SqlType::VarBinary(MaxLen::Max) => {
                if version.is_wide() {
                    Wire::Plp
                } else {
                    Wire::TextPointer
                }
            }
            SqlType::Char(_)
            | SqlType::NChar(_)
            | SqlType::Binary(_)
            | SqlType::VarChar(_)
            | SqlType::NVarChar(_)
            | SqlType::VarBinary(_)
            | SqlType::RowVersion => Wire::ShortLen,
            SqlType::Variant => Wire::Variant,
            _ => Wire::ByteLen,
        };
        TypeInfo { sql, wire, collation }
    }

    /// As [`Self::for_result`], for a column that was declared as one of the large types.
    pub fn for_large(
        sql: SqlType,
        large: Large,
        collation: [u8; 5],
        version: TdsVersion,
    ) -> TypeInfo {
        let info = TypeInfo::for_result(sql, collation, version);
        let wire = match (large, info.wire) {
            (Large::Xml, Wire::Plp) => Wire::Xml,
            (Large::Old, Wire::Plp) => Wire::TextPointer,
            (_, wire) => wire,
        };
        TypeInfo { wire, ..info }
    }

    /// The type of a column that is never NULL: without a length, where the type has such a form.
    pub fn not_null(self) -> TypeInfo {
        match fixed_form(self.sql) {
            Some((_, bytes)) => TypeInfo { wire: Wire::Fixed(bytes), ..self },
            None => self,
        }
    }

    /// Appends the TYPE_INFO. The types are those that [`TypeInfo::for_result`] makes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        use SqlType::*;
        let text = |out: &mut Vec<u8>, kind: u8, bytes: u16| {
            out.push(kind);
            out.extend_from_slice(&bytes.to_le_bytes());
            out.extend_from_slice(&self.collation);
        };
        let binary = |out: &mut Vec<u8>, kind: u8, bytes: u16| {
            out.push(kind);
            out.extend_from_slice(&bytes.to_le_bytes());
        };
        let legacy = |out: &mut Vec<u8>, kind: u8, bytes: u32| {
            out.push(kind);
            out.extend_from_slice(&bytes.to_le_bytes());
            if kind != byte::IMAGE {
                out.extend_from_slice(&self.collation);
            }
        };
        let pointer = self.wire == Wire::TextPointer || self.wire == Wire::LongLen;
        if let (Wire::Fixed(_), Some((kind, _))) = (self.wire, fixed_form(self.sql)) {
            out.push(kind);
            return;
        }
        match self.sql {
            Bit => out.extend_from_slice(&[byte::BITN, 1]),
            TinyInt => out.extend_from_slice(&[byte::INTN, 1]),
            SmallInt => out.extend_from_slice(&[byte::INTN, 2]),
            Int => out.extend_from_slice(&[byte::INTN, 4]),
            BigInt => out.extend_from_slice(&[byte::INTN, 8]),
            Decimal { precision, scale } => {
                out.extend_from_slice(&[byte::DECIMALN, decimal_bytes(precision), precision, scale])
            }
            Numeric { precision, scale } => {
                out.extend_from_slice(&[byte::NUMERICN, decimal_bytes(precision), precision, scale])
            }
            Money => out.extend_from_slice(&[byte::MONEYN, 8]),
            SmallMoney => out.extend_from_slice(&[byte::MONEYN, 4]),
            Real => out.extend_from_slice(&[byte::FLTN, 4]),
            Float => out.extend_from_slice(&[byte::FLTN, 8]),
            Date => out.push(byte::DATE),
            Time(scale) => out.extend_from_slice(&[byte::TIME, scale]),
            DateTime => out.extend_from_slice(&[byte::DATETIMN, 8]),
            SmallDateTime => out.extend_from_slice(&[byte::DATETIMN, 4]),
            DateTime2(scale) => out.extend_from_slice(&[byte::DATETIME2, scale]),
            DateTimeOffset(scale) => out.extend_from_slice(&[byte::DATETIMEOFFSET, scale]),
            UniqueIdentifier => out.extend_from_slice(&[byte::GUID, 16]),
            Variant => {
                out.push(byte::VARIANT);
                out.extend_from_slice(&8009u32.to_le_bytes());
            }
            Char(n) => text(out, byte::CHAR, n),
            NChar(n) => text(out, byte::NCHAR, n.saturating_mul(2)),
            VarChar(MaxLen::N(n)) => text(out, byte::VARCHAR, n),
            NVarChar(MaxLen::N(n)) => text(out, byte::NVARCHAR, n.saturating_mul(2)),
            Binary(n) => binary(out, byte::BINARY, n),
            RowVersion => binary(out, byte::BINARY, 8),
            VarBinary(MaxLen::N(n)) => binary(out, byte::VARBINARY, n),
            VarChar(MaxLen::Max) if pointer => legacy(out, byte::TEXT, 0x7FFF_FFFF),
            NVarChar(MaxLen::Max) if self.wire == Wire::Xml => {
                out.extend_from_slice(&[byte::XML, 0]);
            }
            NVarChar(MaxLen::Max) if pointer => legacy(out, byte::NTEXT, 0x7FFF_FFFE),
            VarBinary(MaxLen::Max) if pointer => legacy(out, byte::IMAGE, 0x7FFF_FFFF),
            VarChar(MaxLen::Max) => text(out, byte::VARCHAR, MAX),
            NVarChar(MaxLen::Max) => text(out, byte::NVARCHAR, MAX),
            VarBinary(MaxLen::Max) => binary(out, byte::VARBINARY, MAX),
        }
    }

    /// Reads a TYPE_INFO: of a result column with `column`, otherwise of a parameter.
    pub fn decode(r: &mut Reader<'_>, column: bool) -> Result<TypeInfo> {
        use SqlType::*;
        let kind = r.u8()?;
        let plain = |sql: SqlType, wire: Wire| Ok(TypeInfo { sql, wire, collation: [0; 5] });
        let bad = ProtocolError::Malformed("length of a data type");
        if let Some((sql, bytes)) = fixed_type(kind) {
            return plain(sql, Wire::Fixed(bytes));
        }
        match kind {
            byte::NULL => plain(NVarChar(MaxLen::N(1)), Wire::Null),
            byte::INTN | byte::BITN | byte::FLTN | byte::MONEYN | byte::DATETIMN | byte::GUID => {
                plain(type_of_length(kind, r.u8()?).ok_or(bad)?, Wire::ByteLen)
            }
            byte::DECIMALN | byte::NUMERICN | byte::DECIMAL_OLD | byte::NUMERIC_OLD => {
                let (_, precision, scale) = (r.u8()?, r.u8()?, r.u8()?);
                // Who passes NULLs alone in a table knows no precision (Microsoft's JDBC driver).
                let precision = if (precision, scale) == (0, 0) { 38 } else { precision };
                match kind {
                    _ if !(1..=38).contains(&precision) || scale > precision => Err(bad),
                    byte::DECIMALN | byte::DECIMAL_OLD => {
                        plain(Decimal { precision, scale }, Wire::ByteLen)
                    }
                    _ => plain(Numeric { precision, scale }, Wire::ByteLen),
                }
            }
            byte::DATE => plain(Date, Wire::ByteLen),
            byte::TIME | byte::DATETIME2 | byte::DATETIMEOFFSET => match (kind, r.u8()?) {
                (_, 8..) => Err(bad),
                (byte::TIME, scale) => plain(Time(scale), Wire::ByteLen),
                (byte::DATETIME2, scale) => plain(DateTime2(scale), Wire::ByteLen),
                (_, scale) => plain(DateTimeOffset(scale), Wire::ByteLen),
            },
            byte::CHAR | byte::VARCHAR | byte::NCHAR | byte::NVARCHAR => characters(kind, r),
            byte::BINARY | byte::VARBINARY => match (kind, r.u16()?) {
                (_, MAX) => plain(VarBinary(MaxLen::Max), Wire::Plp),
                (_, 8001..) => plain(VarBinary(MaxLen::Max), Wire::ShortLen),
                (byte::BINARY, n) => plain(Binary(n.max(1)), Wire::ShortLen),
                (_, n) => plain(VarBinary(MaxLen::N(n.max(1))), Wire::ShortLen),
            },
            byte::CHAR_SHORT | byte::VARCHAR_SHORT | byte::BINARY_SHORT | byte::VARBINARY_SHORT => {
                plain(short_type(kind, (r.u8()? as u16).max(1)), Wire::ByteLen)
            }
            byte::TEXT | byte::NTEXT | byte::IMAGE => {
                let wire = if column { Wire::TextPointer } else { Wire::LongLen };
                old_large(kind, wire, r)
            }
            byte::XML => {
                if r.u8()? != 0 {
                    r.b_varchar()?;
                    r.b_varchar()?;
                    r.us_varchar()?;
                }
                plain(NVarChar(MaxLen::Max), Wire::Plp)
            }
            byte::VARIANT => {
                r.u32()?;
                plain(Variant, Wire::Variant)
            }
            byte::TVP => Err(ProtocolError::Unsupported("table-valued parameters")),
            byte::UDT => Err(ProtocolError::Unsupported("CLR user-defined types")),
            byte::JSON => Err(ProtocolError::Unsupported("the json data type")),
            byte::VECTOR => Err(ProtocolError::Unsupported("the vector data type")),
            _ => Err(ProtocolError::Malformed("unknown data type")),
        }
    }

    /// `UserType` of a result column: 0x50 for rowversion, else 0.
    pub fn user_type(&self) -> u32 {
        if self.sql == SqlType::RowVersion { 0x50 } else { 0 }
    }
}

/// A type's name as messages call it.
pub(crate) fn type_name(sql: SqlType) -> &'static str {
    use SqlType::*;
    match sql {
        Bit => "bit",
        TinyInt => "tinyint",
        SmallInt => "smallint",
        Int => "int",
        BigInt => "bigint",
        Decimal { .. } => "decimal",
        Numeric { .. } => "numeric",
        Money => "money",
        SmallMoney => "smallmoney",
        Real => "real",
        Float => "float",
        Date => "date",
        Time(_) => "time",
        DateTime => "datetime",
        SmallDateTime => "smalldatetime",
        DateTime2(_) => "datetime2",
        DateTimeOffset(_) => "datetimeoffset",
        Char(_) => "char",
        VarChar(_) => "varchar",
        NChar(_) => "nchar",
        NVarChar(_) => "nvarchar",
        Binary(_) => "binary",
        VarBinary(_) => "varbinary",
        UniqueIdentifier => "uniqueidentifier",
        Variant => "sql_variant",
        RowVersion => "timestamp",
    }
}

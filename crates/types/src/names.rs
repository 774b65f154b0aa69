//! Type names, and the facts of `sys.types` and `sys.columns`.

use crate::{MaxLen, SqlType};
use std::fmt;
use taffrail_base::{SqlError, SqlResult};

/// An argument in a type's parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeArg {
    /// A length, precision or scale.
    N(u32),
    /// The word MAX, for a length without bound.
    Max,
}

/// Where a type stands: a missing length is 1 in a declaration, 30 in CAST and CONVERT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeUse {
    /// Column, variable or parameter.
    Declaration,
    /// The target of CAST or CONVERT.
    Cast,
}

/// A row of `sys.types`.
#[derive(Clone, Copy, Debug)]
pub struct SysType {
    /// The type's name, `sys.types.name`.
    pub name: &'static str,
    /// The number `system_type_id` of the base type.
    pub system_type_id: u8,
    /// The number `user_type_id`, unique among types.
    pub user_type_id: i32,
    /// The `max_length` in bytes; -1 is (max).
    pub max_length: i16,
    /// The `precision`, 0 for types that are no numbers.
    pub precision: u8,
    /// The `scale`, 0 for types that are no numbers.
    pub scale: u8,
    /// Has the database's collation.
    pub collated: bool,
    /// The flag `is_nullable` of the type.
    pub nullable: bool,
    /// The flag `is_assembly_type`: a type of the CLR.
    pub assembly: bool,
}

#[allow(clippy::too_many_arguments)]
const fn row(
    name: &'static str,
    system_type_id: u8,
    user_type_id: i32,
    max_length: i16,
    precision: u8,
    scale: u8,
    collated: bool,
    nullable: bool,
    assembly: bool,
) -> SysType {
    SysType {
        name,
        system_type_id,
        user_type_id,
        max_length,
        precision,
        scale,
        collated,
        nullable,
        assembly,
    }
}

/// The rows of `sys.types` in every database, in SQL Server's order. Some are types that columns cannot have here
/// ([`resolve`] does not know them); clients expect the rows all the same.
#[rustfmt::skip]
pub static SYS_TYPES: &[SysType] = &[
    row("image", 34, 34, 16, 0, 0, false, true, false),
    row("text", 35, 35, 16, 0, 0, true, true, false),
    row("uniqueidentifier", 36, 36, 16, 0, 0, false, true, false),
    row("date", 40, 40, 3, 10, 0, false, true, false),
    row("time", 41, 41, 5, 16, 7, false, true, false),
    row("datetime2", 42, 42, 8, 27, 7, false, true, false),
    row("datetimeoffset", 43, 43, 10, 34, 7, false, true, false),
    row("tinyint", 48, 48, 1, 3, 0, false, true, false),
    row("smallint", 52, 52, 2, 5, 0, false, true, false),
    row("int", 56, 56, 4, 10, 0, false, true, false),
    row("smalldatetime", 58, 58, 4, 16, 0, false, true, false),
    row("real", 59, 59, 4, 24, 0, false, true, false),
    row("money", 60, 60, 8, 19, 4, false, true, false),
    row("datetime", 61, 61, 8, 23, 3, false, true, false),
    row("float", 62, 62, 8, 53, 0, false, true, false),
    row("sql_variant", 98, 98, 8016, 0, 0, false, true, false),
    row("ntext", 99, 99, 16, 0, 0, true, true, false),
    row("bit", 104, 104, 1, 1, 0, false, true, false),
    row("decimal", 106, 106, 17, 38, 38, false, true, false),
    row("numeric", 108, 108, 17, 38, 38, false, true, false),
    row("smallmoney", 122, 122, 4, 10, 4, false, true, false),
    row("bigint", 127, 127, 8, 19, 0, false, true, false),
    row("hierarchyid", 240, 128, 892, 0, 0, false, true, true),
    row("geometry", 240, 129, -1, 0, 0, false, true, true),
    row("geography", 240, 130, -1, 0, 0, false, true, true),
    row("varbinary", 165, 165, 8000, 0, 0, false, true, false),
    row("varchar", 167, 167, 8000, 0, 0, true, true, false),
    row("binary", 173, 173, 8000, 0, 0, false, true, false),
    row("char", 175, 175, 8000, 0, 0, true, true, false),
    row("timestamp", 189, 189, 8, 0, 0, false, false, false),
    row("nvarchar", 231, 231, 8000, 0, 0, true, true, false),
    row("nchar", 239, 239, 8000, 0, 0, true, true, false),
    row("xml", 241, 241, -1, 0, 0, false, true, false),
    row("sysname", 231, 256, 256, 0, 0, true, false, false),
];

/// A system type by name (any case, synonyms included) and arguments. None: no such type here. Some(Err): bad
/// arguments (131, 192, 1001, 1002, 2716, 2750). Messages name column 1 and line 1; the caller may know better.
pub fn resolve(name: &str, args: &[TypeArg], type_use: TypeUse) -> Option<SqlResult<SqlType>> {
    let lower = name.to_ascii_lowercase();
    let lower = match lower.as_str() {
        "integer" => "int",
        "dec" => "decimal",
        "double precision" => "float",
        "character" => "char",
        "char varying" | "character varying" => "varchar",
        "national char" | "national character" => "nchar",
        "national char varying" | "national character varying" => "nvarchar",
        "binary varying" => "varbinary",
        "rowversion" => "timestamp",
        other => other,
    };
    let plain = |ty: SqlType| {
        Some(match args {
            [] => Ok(ty),
            _ => Err(SqlError::new(2716, &[&1, &ty.name()])),
        })
    };
    match lower {
        "bit" => plain(SqlType::Bit),
        "tinyint" => plain(SqlType::TinyInt),
        "smallint" => plain(SqlType::SmallInt),
        "int" => plain(SqlType::Int),
        "bigint" => plain(SqlType::BigInt),
        "money" => plain(SqlType::Money),
        "smallmoney" => plain(SqlType::SmallMoney),
        "real" => plain(SqlType::Real),
        "date" => plain(SqlType::Date),
        "datetime" => plain(SqlType::DateTime),
        "smalldatetime" => plain(SqlType::SmallDateTime),
        "uniqueidentifier" => plain(SqlType::UniqueIdentifier),
        "sql_variant" => plain(SqlType::Variant),
        "timestamp" => plain(SqlType::RowVersion),
        // Names of old for large values; only the catalogue tells them from the new ones.
        "text" => plain(SqlType::VarChar(MaxLen::Max)),
        "ntext" => plain(SqlType::NVarChar(MaxLen::Max)),
        "image" => plain(SqlType::VarBinary(MaxLen::Max)),
        "sysname" => plain(SqlType::NVarChar(MaxLen::N(128))),
        // Its text; the catalogue and the binder know it apart.
        "xml" => plain(SqlType::NVarChar(MaxLen::Max)),
        "float" => Some(match args {
            [] => Ok(SqlType::Float),
            [TypeArg::N(n @ 1..=53)] => Ok(if *n <= 24 { SqlType::Real } else { SqlType::Float }),
            [TypeArg::N(n)] => Err(SqlError::new(1001, &[&1, n])),
            _ => Err(SqlError::new(2716, &[&1, &"float"])),
        }),
        "decimal" => Some(
            decimal_args("decimal", args)
                .map(|(precision, scale)| SqlType::Decimal { precision, scale }),
        ),
        "numeric" => Some(
            decimal_args("numeric", args)
                .map(|(precision, scale)| SqlType::Numeric { precision, scale }),
        ),
        "time" => Some(fraction("time", args).map(SqlType::Time)),
        "datetime2" => Some(fraction("datetime2", args).map(SqlType::DateTime2)),
        "datetimeoffset" => Some(fraction("datetimeoffset", args).map(SqlType::DateTimeOffset)),
        "char" => Some(fixed("char", args, 8000, type_use).map(SqlType::Char)),
        "nchar" => Some(fixed("nchar", args, 4000, type_use).map(SqlType::NChar)),
        "binary" => Some(fixed("binary", args, 8000, type_use).map(SqlType::Binary)),
        "varchar" => Some(variable("varchar", args, 8000, type_use).map(SqlType::VarChar)),
        "nvarchar" => Some(variable("nvarchar", args, 4000, type_use).map(SqlType::NVarChar)),
        "varbinary" => Some(variable("varbinary", args, 8000, type_use).map(SqlType::VarBinary)),
        _ => None,
    }
}

fn decimal_args(name: &str, args: &[TypeArg]) -> SqlResult<(u8, u8)> {
    let (precision, scale) = match args {
        [] => (18, 0),
        [TypeArg::N(p)] => (*p, 0),
        [TypeArg::N(p), TypeArg::N(s)] => (*p, *s),
        _ => return Err(SqlError::new(2716, &[&1, &name])),
    };
    if precision == 0 {
        return Err(SqlError::new(1001, &[&1, &precision]));
    }
    if precision > 38 {
        return Err(SqlError::new(2750, &[&1, &precision, &38]));
    }
    if scale > precision {
        return Err(SqlError::new(192, &[]));
    }
    Ok((precision as u8, scale as u8))
}

fn fraction(name: &str, args: &[TypeArg]) -> SqlResult<u8> {
    match args {
        [] => Ok(7),
        [TypeArg::N(n @ 0..=7)] => Ok(*n as u8),
        [TypeArg::N(n)] => Err(SqlError::new(1002, &[&1, n])),
        _ => Err(SqlError::new(2716, &[&1, &name])),
    }
}

fn fixed(name: &str, args: &[TypeArg], limit: u16, type_use: TypeUse) -> SqlResult<u16> {
    match variable(name, args, limit, type_use)? {
        MaxLen::N(n) => Ok(n),
        MaxLen::Max => Err(SqlError::new(102, &[&"max"])),
    }
}

fn variable(name: &str, args: &[TypeArg], limit: u16, type_use: TypeUse) -> SqlResult<MaxLen> {
    match args {
        [] => Ok(MaxLen::N(if type_use == TypeUse::Cast { 30 } else { 1 })),
        [TypeArg::Max] => Ok(MaxLen::Max),
        [TypeArg::N(0)] => Err(SqlError::new(1001, &[&1, &0])),
        [TypeArg::N(n)] if *n <= limit as u32 => Ok(MaxLen::N(*n as u16)),
        [TypeArg::N(n)] if *n > 8000 => {
            let state = if type_use == TypeUse::Cast { 1 } else { 3 };
            Err(SqlError::new(131, &[n, &"type", &name, &8000]).with_state(state))
        }
        // nchar and nvarchar of 4,001 to 8,000. Who declares a column or a variable puts its name there.
        [TypeArg::N(n)] if type_use == TypeUse::Cast => {
            Err(SqlError::new(131, &[n, &"convert specification", &name, &4000]))
        }
        [TypeArg::N(n)] => Err(too_wide(*n, name)),
        _ => Err(SqlError::new(2716, &[&1, &name])),
    }
}

/// 2717: an nchar or nvarchar of more than 4,000 characters; `whose` is a column's or a variable's name.
pub fn too_wide(n: u32, whose: &str) -> Box<SqlError> {
    SqlError::new(2717, &[&n, &"parameter", &whose, &4000]).with_severity(16).with_state(2)
}

/// Parses the text of a type: `decimal(10, 2)`, `nvarchar(max)`. None where it is none.
pub fn parse(text: &str, type_use: TypeUse) -> Option<SqlResult<SqlType>> {
    let text = text.trim();
    let Some((name, rest)) = text.split_once('(') else { return resolve(text, &[], type_use) };
    let rest = rest.trim_end().strip_suffix(')')?;
    let args: Option<Vec<TypeArg>> = rest
        .split(',')
        .map(|a| match a.trim() {
            m if m.eq_ignore_ascii_case("max") => Some(TypeArg::Max),
            n => n.parse().ok().map(TypeArg::N),
        })
        .collect();
    resolve(name.trim_end(), &args?, type_use)
}

impl SqlType {
    /// `int`, `varchar`, `decimal` … without length.
    pub fn name(self) -> &'static str {
        match self {
            SqlType::Bit => "bit",
            SqlType::TinyInt => "tinyint",
            SqlType::SmallInt => "smallint",
            SqlType::Int => "int",
            SqlType::BigInt => "bigint",
            SqlType::Decimal { .. } => "decimal",
            SqlType::Numeric { .. } => "numeric",
            SqlType::Money => "money",
            SqlType::SmallMoney => "smallmoney",
            SqlType::Real => "real",
            SqlType::Float => "float",
            SqlType::Date => "date",
            SqlType::Time(_) => "time",
            SqlType::DateTime => "datetime",
            SqlType::SmallDateTime => "smalldatetime",
            SqlType::DateTime2(_) => "datetime2",
            SqlType::DateTimeOffset(_) => "datetimeoffset",
            SqlType::Char(_) => "char",
            SqlType::VarChar(_) => "varchar",
            SqlType::NChar(_) => "nchar",
            SqlType::NVarChar(_) => "nvarchar",
            SqlType::Binary(_) => "binary",
            SqlType::VarBinary(_) => "varbinary",
            SqlType::UniqueIdentifier => "uniqueidentifier",
            SqlType::Variant => "sql_variant",
            SqlType::RowVersion => "timestamp",
        }
    }

    /// The name in conversion messages: decimal appears as numeric there.
    pub fn message_name(self) -> &'static str {
        match self {
            SqlType::Decimal { .. } => "numeric",
            other => other.name(),
        }
    }

    /// The type's row of `sys.types`.
    pub fn sys_type(self) -> &'static SysType {
        let name = self.name();
        SYS_TYPES.iter().find(|t| t.name == name).expect("every type has its row")
    }

    /// The number `sys.types.system_type_id` of the type.
    pub fn system_type_id(self) -> u8 {
        self.sys_type().system_type_id
    }

    /// The number `sys.types.user_type_id` of the type.
    pub fn user_type_id(self) -> i32 {
        self.sys_type().user_type_id
    }

    /// `sys.columns.max_length`: bytes, -1 for (max).
    pub fn max_length(self) -> i16 {
        match self {
            SqlType::Char(n) | SqlType::Binary(n) => n as i16,
            SqlType::NChar(n) => 2 * n as i16,
            SqlType::VarChar(MaxLen::N(n)) | SqlType::VarBinary(MaxLen::N(n)) => n as i16,
            SqlType::NVarChar(MaxLen::N(n)) => 2 * n as i16,
            SqlType::VarChar(MaxLen::Max)
            | SqlType::VarBinary(MaxLen::Max)
            | SqlType::NVarChar(MaxLen::Max) => -1,
            SqlType::Decimal { precision, .. } | SqlType::Numeric { precision, .. } => {
                crate::Decimal::storage_bytes(precision) as i16
            }
            SqlType::Time(n) => 3 + fraction_bytes(n),
            SqlType::DateTime2(n) => 6 + fraction_bytes(n),
            SqlType::DateTimeOffset(n) => 8 + fraction_bytes(n),
            other => other.sys_type().max_length,
        }
    }

    /// The `sys.columns.precision` of a column of this type.
    pub fn precision(self) -> u8 {
        let point = |n: u8| if n > 0 { n + 1 } else { 0 };
        match self {
            SqlType::Decimal { precision, .. } | SqlType::Numeric { precision, .. } => precision,
            SqlType::Time(n) => 8 + point(n),
            SqlType::DateTime2(n) => 19 + point(n),
            SqlType::DateTimeOffset(n) => 26 + point(n),
            other => other.sys_type().precision,
        }
    }

    /// The `sys.columns.scale` of a column of this type.
    pub fn scale(self) -> u8 {
        match self {
            SqlType::Decimal { scale, .. } | SqlType::Numeric { scale, .. } => scale,
            SqlType::Time(n) | SqlType::DateTime2(n) | SqlType::DateTimeOffset(n) => n,
            other => other.sys_type().scale,
        }
    }
}

/// Bytes that decimals of seconds add to three.
fn fraction_bytes(n: u8) -> i16 {
    match n {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2,
    }
}

impl fmt::Display for SqlType {
    /// As written in a declaration: `varchar(10)`, `decimal(10,2)`, `int`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match *self {
            SqlType::Decimal { precision, scale } | SqlType::Numeric { precision, scale } => {
                write!(f, "({precision},{scale})")
            }
            SqlType::Time(n) | SqlType::DateTime2(n) | SqlType::DateTimeOffset(n) => {
                write!(f, "({n})")
            }
            SqlType::Char(n) | SqlType::NChar(n) | SqlType::Binary(n) => write!(f, "({n})"),
            SqlType::VarChar(n) | SqlType::NVarChar(n) | SqlType::VarBinary(n) => match n {
                MaxLen::N(n) => write!(f, "({n})"),
                MaxLen::Max => f.write_str("(max)"),
            },
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(text: &str) -> SqlType {
        parse(text, TypeUse::Declaration).unwrap().unwrap()
    }

    #[test]
    fn printing_and_parsing_agree() {
        for text in [
            "bit",
            "tinyint",
            "smallint",
            "int",
            "bigint",
            "decimal(10,2)",
            "numeric(38,38)",
            "money",
            "smallmoney",
            "real",
            "float",
            "date",
            "time(3)",
            "datetime",
            "smalldatetime",
            "datetime2(7)",
            "datetimeoffset(0)",
            "char(10)",
            "varchar(8000)",
            "varchar(max)",
            "nchar(4000)",
            "nvarchar(max)",
            "binary(8)",
            "varbinary(max)",
            "uniqueidentifier",
            "sql_variant",
            "timestamp",
        ] {
            assert_eq!(ty(text).to_string(), text);
            assert_eq!(ty(text).sys_type().name, ty(text).name());
        }
        assert_eq!(ty("INTEGER"), SqlType::Int);
        assert_eq!(ty("dec( 5 , 2 )"), SqlType::Decimal { precision: 5, scale: 2 });
        assert_eq!(ty("float(24)"), SqlType::Real);
        assert_eq!(ty("national character varying(5)"), SqlType::NVarChar(MaxLen::N(5)));
        assert_eq!(ty("varchar"), SqlType::VarChar(MaxLen::N(1)));
        assert_eq!(parse("varchar", TypeUse::Cast).unwrap(), Ok(SqlType::VarChar(MaxLen::N(30))));
        assert!(parse("widget", TypeUse::Cast).is_none());
    }

    #[test]
    fn bad_arguments() {
        let number = |text: &str| parse(text, TypeUse::Declaration).unwrap().unwrap_err().number;
        assert_eq!(number("varchar(8001)"), 131);
        assert_eq!(number("nvarchar(4001)"), 2717);
        assert_eq!(number("nvarchar(8001)"), 131);
        assert_eq!(number("char(0)"), 1001);
        assert_eq!(number("decimal(39)"), 2750);
        assert_eq!(number("decimal(5,6)"), 192);
        assert_eq!(number("int(4)"), 2716);
        assert_eq!(number("time(8)"), 1002);
    }

    #[test]
    fn column_facts() {
        let facts = |t: &str| {
            (ty(t).system_type_id(), ty(t).max_length(), ty(t).precision(), ty(t).scale())
        };
        assert_eq!(facts("decimal(10,2)"), (106, 9, 10, 2));
        assert_eq!(facts("nvarchar(10)"), (231, 20, 0, 0));
        assert_eq!(facts("varchar(max)"), (167, -1, 0, 0));
        assert_eq!(facts("datetime2(7)"), (42, 8, 27, 7));
        assert_eq!(facts("datetime2(0)"), (42, 6, 19, 0));
        assert_eq!(facts("time(3)"), (41, 4, 12, 3));
        assert_eq!(facts("datetimeoffset(7)"), (43, 10, 34, 7));
        assert_eq!(SYS_TYPES.len(), 34);
    }
}

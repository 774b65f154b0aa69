//! Types as ODBC numbers and describes them; sp_datatype_info.

use super::Arguments;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use taffrail_base::SqlResult;
use taffrail_types::{Collation, MaxLen, SqlType};

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));
const SMALL: SqlType = SqlType::SmallInt;
const INT: SqlType = SqlType::Int;

/// Which numbers of types a caller knows: those of the procedures of 2000, 2005 (`_90`) or 2008 (`_100`), and those of
/// ODBC 2 or 3.
#[derive(Clone, Copy)]
pub(super) struct Dialect {
    /// 80, 90 or 100.
    pub level: u8,
    /// ODBC's version; 3 and more are one.
    pub odbc: i64,
}

impl Dialect {
    /// `@ODBCVer` may be left out.
    pub fn new(level: u8, odbc: Option<i64>) -> Dialect {
        Dialect { level, odbc: odbc.unwrap_or(2) }
    }
}

/// A type as `sp_datatype_info` shows it.
struct TypeRow {
    name: &'static str,
    /// DATA_TYPE for ODBC 2 and 3 of the old procedure, then of `_100`.
    numbers: [i16; 4],
    precision: i32,
    prefix: Option<&'static str>,
    parameters: Option<&'static str>,
    /// NULLABLE, CASE_SENSITIVE under a collation that is, SEARCHABLE.
    flags: [i32; 3],
    unsigned: Option<i32>,
    money: i32,
    auto: Option<i32>,
    /// Least and greatest.
    scales: [Option<i32>; 2],
    /// SQL_DATA_TYPE, SQL_DATETIME_SUB.
    verbose: (i32, Option<i32>),
    radix: Option<i32>,
    user_type: i32,
}

#[allow(clippy::too_many_arguments)]
const fn r(
    name: &'static str,
    numbers: [i16; 4],
    precision: i32,
    prefix: Option<&'static str>,
    parameters: Option<&'static str>,
    flags: [i32; 3],
    unsigned: Option<i32>,
    money: i32,
    auto: Option<i32>,
    scales: [Option<i32>; 2],
    verbose: (i32, Option<i32>),
    radix: Option<i32>,
    user_type: i32,
) -> TypeRow {
    TypeRow {
        name,
        numbers,
        precision,
        prefix,
        parameters,
        flags,
        unsigned,
        money,
        auto,
        scales,
        verbose,
        radix,
        user_type,
    }
}

const N: Option<i32> = None;
const X: Option<&str> = None;

/// The first of a number is what a driver takes for it.
#[rustfmt::skip]
static TYPES: &[TypeRow] = &[
    r("nvarchar", [-9, -9, -9, -9], 4000, Some("N'"), Some("max length"), [1, 1, 3], N, 0, N, [N, N], (-9, N), N, 0),
    r("datetimeoffset", [-9, -9, -155, -155], 34, Some("'"), Some("scale"), [1, 0, 3], N, 0, N, [Some(0), Some(7)], (-155, Some(0)), N, 0),
    r("time", [-9, -9, -154, -154], 16, Some("'"), Some("scale"), [1, 0, 3], N, 0, N, [Some(0), Some(7)], (-154, Some(0)), N, 0),
    r("ntext", [-10, -10, -10, -10], 1_073_741_823, Some("N'"), X, [1, 1, 1], N, 0, N, [N, N], (-10, N), N, 0),
    r("xml", [-10, -10, -152, -152], 0, Some("N'"), X, [1, 1, 0], N, 0, N, [N, N], (-152, N), N, 0),
    r("sql_variant", [-150, -150, -150, -150], 8000, X, X, [1, 0, 2], N, 0, N, [Some(0), Some(0)], (-150, N), Some(10), 0),
    r("uniqueidentifier", [-11, -11, -11, -11], 36, Some("'"), X, [1, 0, 2], N, 0, N, [N, N], (-11, N), N, 0),
    r("sysname", [-9, -9, -9, -9], 128, Some("N'"), X, [0, 1, 3], N, 0, N, [N, N], (-9, N), N, 18),
    r("nchar", [-8, -8, -8, -8], 4000, Some("N'"), Some("length"), [1, 1, 3], N, 0, N, [N, N], (-8, N), N, 0),
    r("bit", [-7, -7, -7, -7], 1, X, X, [1, 0, 2], N, 0, N, [Some(0), Some(0)], (-7, N), N, 16),
    r("tinyint", [-6, -6, -6, -6], 3, X, X, [1, 0, 2], Some(1), 0, Some(0), [Some(0), Some(0)], (-6, N), Some(10), 5),
    r("tinyint identity", [-6, -6, -6, -6], 3, X, X, [0, 0, 2], Some(1), 0, Some(1), [Some(0), Some(0)], (-6, N), Some(10), 5),
    r("bigint", [-5, -5, -5, -5], 19, X, X, [1, 0, 2], Some(0), 0, Some(0), [Some(0), Some(0)], (-5, N), Some(10), 0),
    r("bigint identity", [-5, -5, -5, -5], 19, X, X, [0, 0, 2], Some(0), 0, Some(1), [Some(0), Some(0)], (-5, N), Some(10), 0),
    r("image", [-4, -4, -4, -4], 2_147_483_647, Some("0x"), X, [1, 0, 0], N, 0, N, [N, N], (-4, N), N, 20),
    r("varbinary", [-3, -3, -3, -3], 8000, Some("0x"), Some("max length"), [1, 0, 2], N, 0, N, [N, N], (-3, N), N, 4),
    r("binary", [-2, -2, -2, -2], 8000, Some("0x"), Some("length"), [1, 0, 2], N, 0, N, [N, N], (-2, N), N, 3),
    r("timestamp", [-2, -2, -2, -2], 8, Some("0x"), X, [0, 0, 2], N, 0, N, [N, N], (-2, N), N, 80),
    r("text", [-1, -1, -1, -1], 2_147_483_647, Some("'"), X, [1, 1, 1], N, 0, N, [N, N], (-1, N), N, 19),
    r("char", [1, 1, 1, 1], 8000, Some("'"), Some("length"), [1, 1, 3], N, 0, N, [N, N], (1, N), N, 1),
    r("numeric", [2, 2, 2, 2], 38, X, Some("precision,scale"), [1, 0, 2], Some(0), 0, Some(0), [Some(0), Some(38)], (2, N), Some(10), 10),
    r("numeric() identity", [2, 2, 2, 2], 38, X, Some("precision"), [0, 0, 2], Some(0), 0, Some(1),
        [Some(0), Some(0)], (2, N), Some(10), 10),
    r("decimal", [3, 3, 3, 3], 38, X, Some("precision,scale"), [1, 0, 2], Some(0), 0, Some(0), [Some(0), Some(38)], (3, N), Some(10), 24),
    r("money", [3, 3, 3, 3], 19, Some("$"), X, [1, 0, 2], Some(0), 1, Some(0), [Some(4), Some(4)], (3, N), Some(10), 11),
    r("smallmoney", [3, 3, 3, 3], 10, Some("$"), X, [1, 0, 2], Some(0), 1, Some(0), [Some(4), Some(4)], (3, N), Some(10), 21),
    r("decimal() identity", [3, 3, 3, 3], 38, X, Some("precision"), [0, 0, 2], Some(0), 0, Some(1),
        [Some(0), Some(0)], (3, N), Some(10), 24),
    r("int", [4, 4, 4, 4], 10, X, X, [1, 0, 2], Some(0), 0, Some(0), [Some(0), Some(0)], (4, N), Some(10), 7),
    r("int identity", [4, 4, 4, 4], 10, X, X, [0, 0, 2], Some(0), 0, Some(1), [Some(0), Some(0)], (4, N), Some(10), 7),
    r("smallint", [5, 5, 5, 5], 5, X, X, [1, 0, 2], Some(0), 0, Some(0), [Some(0), Some(0)], (5, N), Some(10), 6),
    r("smallint identity", [5, 5, 5, 5], 5, X, X, [0, 0, 2], Some(0), 0, Some(1), [Some(0), Some(0)], (5, N), Some(10), 6),
    r("float", [6, 6, 6, 6], 53, X, X, [1, 0, 2], Some(0), 0, Some(0), [N, N], (6, N), Some(2), 8),
    r("real", [7, 7, 7, 7], 24, X, X, [1, 0, 2], Some(0), 0, Some(0), [N, N], (7, N), Some(2), 23),
    r("varchar", [12, 12, 12, 12], 8000, Some("'"), Some("max length"), [1, 1, 3], N, 0, N, [N, N], (12, N), N, 2),
    r("date", [-9, -9, 9, 91], 10, Some("'"), X, [1, 0, 3], N, 0, N, [N, Some(0)], (9, Some(1)), N, 0),
    r("datetime2", [-9, -9, 11, 93], 27, Some("'"), Some("scale"), [1, 0, 3], N, 0, N, [Some(0), Some(7)], (9, Some(3)), N, 0),
    r("datetime", [11, 93, 11, 93], 23, Some("'"), X, [1, 0, 3], N, 0, N, [Some(3), Some(3)], (9, Some(3)), N, 12),
    r("smalldatetime", [11, 93, 11, 93], 16, Some("'"), X, [1, 0, 3], N, 0, N, [Some(0), Some(0)], (9, Some(3)), N, 22),
    r("hierarchyid", [-4, -4, -151, -151], 0, X, X, [1, 1, 0], N, 0, N, [N, N], (-151, N), N, 0),
    r("geometry", [-4, -4, -151, -151], 0, X, X, [1, 1, 0], N, 0, N, [N, N], (-151, N), N, 0),
    r("geography", [-4, -4, -151, -151], 0, X, X, [1, 1, 0], N, 0, N, [N, N], (-151, N), N, 0),
];

/// Such a type of the dialect: `name` as the catalogue shows it.
fn type_row(name: &str) -> Option<&'static TypeRow> {
    TYPES.iter().find(|t| t.name == name)
}

impl TypeRow {
    fn number(&self, dialect: Dialect) -> i32 {
        let new = match dialect.level {
            100.. => true,
            // What 2005 brought.
            90 => matches!(self.verbose.0, -152 | -151),
            _ => false,
        };
        self.numbers[2 * usize::from(new) + usize::from(dialect.odbc >= 3)].into()
    }
}

/// ODBC's facts about the type of a column or parameter.
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

/// `name` is the type's name as the catalogue shows it: it tells text from varchar(max).
pub(super) fn odbc(name: &str, ty: SqlType, dialect: Dialect) -> Odbc {
    use SqlType::*;
    let bytes = ty.max_length() as i32;
    let precision = ty.precision() as i32;
    let known = type_row(name).or_else(|| type_row(ty.name()));
    let data_type = known.map_or(0, |t| t.number(dialect));
    let (sql_type, subtype) = known.map_or((0, None), |t| t.verbose);
    let plain = Odbc {
        data_type,
        precision,
        length: bytes.max(0),
        scale: None,
        radix: None,
        sql_type,
        subtype,
        octets: None,
    };
    let number = |length, scale, radix| Odbc { length, scale, radix: Some(radix), ..plain };
    let string = |characters: i32| Odbc {
        precision: characters.max(0),
        octets: Some(bytes.max(0)),
        ..plain
    };
    // To an old client they are texts.
    let moment = |length: i32, scale: i32| match data_type {
        -9 => Odbc { length: 2 * precision, octets: Some(2 * precision), ..plain },
        _ => Odbc { length, scale: Some(scale), ..plain },
    };
    let large = |precision: i32, octets: i32| Odbc {
        precision,
        length: octets,
        octets: Some(octets),
        ..plain
    };
    match name {
        "text" | "image" => return large(i32::MAX, i32::MAX),
        "ntext" => return large(i32::MAX / 2, i32::MAX - 1),
        "xml" => return large(0, 0),
        _ => {}
    }
    match ty {
        Bit => number(1, None, 10),
        TinyInt => number(1, Some(0), 10),
        SmallInt => number(2, Some(0), 10),
        Int => number(4, Some(0), 10),
        BigInt => number(8, Some(0), 10),
        Decimal { scale, .. } | Numeric { scale, .. } => {
            number(precision + 2, Some(scale as i32), 10)
        }
        Money => number(21, Some(4), 10),
        SmallMoney => number(12, Some(4), 10),
        Real => number(4, None, 2),
        Float => number(8, None, 2),
        Date => moment(6, 0),
        Time(n) => moment(12, n as i32),
        DateTime => moment(16, 3),
        SmallDateTime => moment(16, 0),
        DateTime2(n) => moment(16, n as i32),
        DateTimeOffset(n) => moment(20, n as i32),
        Char(_) | VarChar(_) | Binary(_) | VarBinary(_) => string(bytes),
        NChar(_) | NVarChar(_) => string(bytes / 2),
        RowVersion => Odbc { precision: 8, length: 8, octets: Some(8), ..plain },
        UniqueIdentifier => Odbc { precision: 36, length: 16, ..plain },
        Variant => Odbc { precision: 8000, length: 8000, ..plain },
    }
}

/// `sp_datatype_info`.
pub(super) fn datatype_info(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    types_of(cx, args, 80)
}

/// `sp_datatype_info_90`.
pub(super) fn datatype_info_90(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    types_of(cx, args, 90)
}

/// `sp_datatype_info_100`.
pub(super) fn datatype_info_100(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    types_of(cx, args, 100)
}

fn types_of(cx: &mut StatementContext<'_>, args: &Arguments<'_>, level: u8) -> SqlResult<i32> {
    let wanted = args.number(0).filter(|n| *n != 0);
    let dialect = Dialect::new(level, args.number(1));
    let mut found: Vec<&TypeRow> = TYPES.iter().collect();
    found.retain(|t| wanted.is_none_or(|w| w == i64::from(t.number(dialect))));
    found.sort_by_key(|t| (t.number(dialect), t.auto, t.money, t.user_type));
    let sensitive = i32::from(!Collation::default().eq_str("a", "A"));
    let mut rows = Vec::new();
    for t in found {
        let [nullable, cased, searchable] = t.flags;
        let has_collation = t.prefix.is_some() && t.name != "xml";
        rows.push(row![
            t.name,
            t.number(dialect),
            t.precision,
            t.prefix,
            t.prefix.filter(|p| p.ends_with('\'')).map(|_| "'"),
            t.parameters,
            nullable,
            if has_collation { cased * sensitive } else { cased },
            searchable,
            t.unsigned,
            t.money,
            t.auto,
            t.name,
            t.scales[0],
            t.scales[1],
            t.verbose.0,
            t.verbose.1,
            t.radix,
            (),
            t.user_type
        ]);
    }
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

//! Calls through [`bind`] with casts done as the binder does them, on a context of fixed answers.

mod fixed;
mod format;
mod json;
mod more;

use super::*;
use crate::globals::GLOBALS;
use fixed::Fixed;
use std::cell::Cell;
use taffrail_types::convert::cast;
use taffrail_types::names::{TypeUse, parse};
use taffrail_types::text::display;
use taffrail_types::{Conversion, MaxLen};

/// A literal as its type makes it: digits are int, digits with a point numeric, `N'…'` and `'…'` text, NULL int,
/// `type'…'` a cast.
fn literal(text: &str) -> (SqlType, Value) {
    if text == "NULL" {
        return (SqlType::Int, Value::Null);
    }
    if let Ok(n) = text.parse::<i32>() {
        return (SqlType::Int, Value::Int(n));
    }
    if let Ok((d, t)) = taffrail_types::Decimal::parse_literal(text) {
        let ty = SqlType::Numeric { precision: t.precision, scale: t.scale };
        return (ty, Value::Decimal(d));
    }
    let (ty, rest) = text.split_once('\'').unwrap();
    let body = rest.strip_suffix('\'').unwrap();
    match ty {
        "" => (SqlType::varchar(body.len()), Value::varchar(body)),
        "N" => (SqlType::nvarchar(body.len()), Value::nvarchar(body)),
        ty => {
            let ty = parse(ty, TypeUse::Cast).unwrap().unwrap();
            let from = SqlType::NVarChar(MaxLen::Max);
            (ty, cast(&Value::nvarchar(body), from, ty, None, Conversion::Explicit).unwrap())
        }
    }
}

fn call(text: &str) -> SqlResult<(Value, SqlType)> {
    let context = Fixed { random: Cell::new(1) };
    let (name, rest) = text.split_once('(').unwrap();
    let inner = rest.strip_suffix(')').unwrap();
    let mut parts: Vec<&str> = Vec::new();
    let (mut from, mut quoted) = (0, false);
    for (i, c) in inner.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            ',' if !quoted && !inner[from..i].contains('(')
                || c == ',' && !quoted && inner[from..i].contains(')') =>
            {
                parts.push(inner[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    if !inner.is_empty() {
        parts.push(inner[from..].trim());
    }
    let datepart = takes_datepart(name).then(|| parts.remove(0));
    let literals: Vec<(SqlType, Value)> = parts.into_iter().map(literal).collect();
    let types: Vec<SqlType> = literals.iter().map(|l| l.0).collect();
    let bound = bind(name, datepart, &types)?;
    let mut args = Vec::new();
    for ((from, v), to) in literals.iter().zip(&bound.params) {
        args.push(cast(v, *from, *to, None, Conversion::Implicit)?);
    }
    Ok((bound.eval(&context, &args)?, bound.result))
}

/// The result as text, or the error's number and message.
fn value(text: &str) -> String {
    match call(text) {
        Ok((v, ty)) => display(&v, ty),
        Err(e) => format!("{} {}", e.number, e.message),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(value(text), *expected, "{text}");
    }
}

#[test]
fn strings() {
    check(&[
        ("LEN('abc  ')", "3"),
        ("len(N'abc')", "3"),
        ("LEN(12345)", "5"),
        ("LEN(NULL)", "NULL"),
        ("DATALENGTH(N'abc ')", "8"),
        ("DATALENGTH(1)", "4"),
        ("DATALENGTH(decimal(20,2)'1')", "13"),
        ("LEFT('abc', 2)", "ab"),
        (
            "LEFT('abc', -1)",
            "537 Invalid length parameter passed to the LEFT or SUBSTRING function.",
        ),
        ("RIGHT('abc', 2)", "bc"),
        ("RIGHT('abc', -1)", "536 Invalid length parameter passed to the RIGHT function."),
        ("SUBSTRING('abcdef', 2, 3)", "bcd"),
        ("SUBSTRING('abcdef', 0, 3)", "ab"),
        ("SUBSTRING('abcdef', 5, 100)", "ef"),
        ("SUBSTRING('abc', 9, 1)", ""),
        ("CHARINDEX('C', 'abcabc')", "3"),
        ("CHARINDEX('c', 'abcabc', 4)", "6"),
        ("CHARINDEX('x', 'abc')", "0"),
        ("CHARINDEX('', 'abc')", "0"),
        ("PATINDEX('%[0-9]%', 'ab1')", "3"),
        ("REPLACE('aXbx', 'x', '--')", "a--b--"),
        ("REPLACE('abc', '', 'x')", "abc"),
        ("REPLICATE('ab', 3)", "ababab"),
        ("REPLICATE('ab', -1)", "NULL"),
        ("REVERSE('abc')", "cba"),
        ("STUFF('abcdef', 2, 3, 'XY')", "aXYef"),
        ("STUFF('abc', 0, 1, 'x')", "NULL"),
        ("STUFF('abc', 1, 1, NULL)", "bc"),
        ("UPPER('aé')", "AÉ"),
        ("LOWER(N'AÉΩ')", "aéω"),
        ("LTRIM('  a ')", "a "),
        ("RTRIM('  a ')", "  a"),
        ("TRIM('  a ')", "a"),
        ("TRIM('xxaxx', 'x')", "a"),
        ("SPACE(3)", "   "),
        ("STR(123.45, 6, 1)", " 123.5"),
        ("STR(123.45)", "       123"),
        ("STR(1234, 2)", "**"),
        ("ASCII('A')", "65"),
        ("CHAR(65)", "A"),
        ("CHAR(256)", "NULL"),
        ("NCHAR(937)", "Ω"),
        ("UNICODE(N'Ω')", "937"),
        ("QUOTENAME('a]b')", "[a]]b]"),
        ("QUOTENAME('a''b', '\"')", "\"a''b\""),
        ("CONCAT('a', NULL, 1)", "a1"),
        ("CONCAT('a')", "189 The concat function requires 2 to 254 arguments."),
        ("CONCAT_WS('-', 'a', NULL, 'b')", "a-b"),
        ("TRANSLATE('2*[3+4]', '[]', '()')", "2*(3+4)"),
        (
            "TRANSLATE('a', 'ab', 'c')",
            "9828 The second and third arguments of the TRANSLATE built-in function must contain an equal number of characters.",
        ),
        ("STRING_ESCAPE('a\"/', 'json')", "a\\\"\\/"),
        ("SOUNDEX('Robert')", "R163"),
        ("SOUNDEX('Tymczak')", "T522"),
        ("SOUNDEX('Ashcraft')", "A226"),
        ("SOUNDEX('BHB')", "B000"),
        ("DIFFERENCE('Green', 'Greene')", "4"),
        ("PARSENAME('a.[b.c].d', 2)", "b.c"),
        ("PARSENAME('a', 2)", "NULL"),
        ("FORMAT(1234567.891, 'N2')", "1,234,567.89"),
        ("FORMAT(1234567, '#,##0.00')", "1,234,567.00"),
        ("FORMAT(7, 'D3')", "007"),
        ("FORMAT(0.256, 'P1')", "25.6%"),
        ("FORMAT(-5, 'C')", "($5.00)"),
        (
            "FORMAT(datetime'2026-11-05 14:07:09', 'yyyy-MM-dd hh:mm:ss tt')",
            "2026-11-05 02:07:09 PM",
        ),
        ("FORMAT(date'2026-11-05', 'D')", "Thursday, November 5, 2026"),
        (
            "FORMAT('a', 'D')",
            "8116 Argument data type varchar is invalid for argument 1 of format function.",
        ),
    ]);
    let ty = |t: &str| call(t).unwrap().1.to_string();
    assert_eq!(ty("LEFT('abc', 2)"), "varchar(3)");
    assert_eq!(ty("CONCAT('abc', N'd')"), "nvarchar(4)");
    assert_eq!(ty("REPLICATE(varchar(max)'a', 2)"), "varchar(max)");
    assert_eq!(ty("LEN(varchar(max)'a')"), "bigint");
}

#[test]
fn numbers() {
    check(&[
        ("ABS(-5)", "5"),
        (
            "ABS(-2147483648)",
            "8115 Arithmetic overflow error converting expression to data type int.",
        ),
        ("ABS(-5.50)", "5.50"),
        ("CEILING(1.2)", "2"),
        ("CEILING(-1.2)", "-1"),
        ("FLOOR(1.8)", "1"),
        ("FLOOR(-1.2)", "-2"),
        ("FLOOR(money'-1.2')", "-2.00"),
        ("ROUND(123.456, 1)", "123.500"),
        ("ROUND(123.456, 1, 1)", "123.400"),
        ("ROUND(-123.456, -2)", "-100.000"),
        ("ROUND(150, -2)", "200"),
        ("ROUND(float'2.5', 0)", "3"),
        (
            "ROUND(99.9, 0)",
            "8115 Arithmetic overflow error converting expression to data type numeric.",
        ),
        ("SIGN(-3)", "-1"),
        ("SIGN(0.00)", "0.00"),
        ("POWER(2, 10)", "1024"),
        ("POWER(2.5, 2)", "6.3"),
        ("SQRT(16)", "4"),
        ("SQRT(-1)", "3623 An invalid floating point operation occurred."),
        ("LOG(0)", "3623 An invalid floating point operation occurred."),
        ("LOG(8, 2)", "3"),
        ("LOG10(1000)", "3"),
        ("SQUARE(3)", "9"),
        ("RADIANS(180)", "3"),
        ("RADIANS(float'1e-307')", "0"),
        ("PI()", "3.14159"),
        ("ISNUMERIC('12.5')", "1"),
        ("ISNUMERIC('1e5')", "1"),
        ("ISNUMERIC('$1,000')", "1"),
        ("ISNUMERIC('abc')", "0"),
        ("ISNUMERIC('')", "0"),
        ("ISNUMERIC(5)", "1"),
        ("NEWID()", "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF"),
        ("GREATEST(1, 2.5, NULL)", "2.5"),
        ("LEAST('b', 'A', 'c')", "A"),
        ("ABS('x')", "8114 Error converting data type varchar to float."),
        (
            "ABS(date'2026-01-01')",
            "8116 Argument data type date is invalid for argument 1 of abs function.",
        ),
    ]);
    assert_eq!(value("CHECKSUM('abc', 1)"), value("CHECKSUM('ABC ', 1)"));
    assert_ne!(value("BINARY_CHECKSUM('abc')"), value("BINARY_CHECKSUM('ABC')"));
    assert_eq!(value("RAND(5)"), value("RAND(5)"));
}

#[test]
fn dates() {
    check(&[
        ("GETDATE()", "Nov 21 2026 12:00PM"),
        ("GETUTCDATE()", "Nov 21 2026 10:00AM"),
        ("SYSDATETIMEOFFSET()", "2026-11-21 12:00:00.0000000 +02:00"),
        ("DATEADD(month, 1, date'2026-01-31')", "2026-02-28"),
        ("DATEADD(dd, 1, '2026-11-21')", "Nov 22 2026 12:00AM"),
        ("DATEADD(ms, 3, datetime'2026-11-21')", "Nov 21 2026 12:00AM"),
        ("DATEADD(day, 1, 0)", "Jan  2 1900 12:00AM"),
        (
            "DATEADD(hour, 1, date'2026-01-31')",
            "9810 The datepart hour is not supported by date function dateadd for data type date.",
        ),
        (
            "DATEADD(year, 9999, datetime'2026-11-21')",
            "517 Adding a value to a 'datetime' column caused an overflow.",
        ),
        ("DATEADD(bogus, 1, '2026-11-21')", "155 'bogus' is not a recognized dateadd option."),
        ("DATEADD(day, 1)", "174 The dateadd function requires 3 argument(s)."),
        ("DATEDIFF(day, '2026-11-01', '2026-11-21')", "20"),
        (
            "DATEDIFF(ms, '1900-01-01', '2026-11-21')",
            "535 The datediff function resulted in an overflow. The number of dateparts separating two \
                date/time instances is too large. Try to use datediff with a less precise datepart.",
        ),
        ("DATEDIFF_BIG(ms, '1900-01-01', '1900-01-02')", "86400000"),
        ("DATEPART(weekday, '2026-11-21')", "7"),
        (
            "DATEPART(hour, date'2026-11-21')",
            "9810 The datepart hour is not supported by date function datepart for data type date.",
        ),
        ("DATENAME(month, '2026-11-21')", "November"),
        ("YEAR('2026-11-21')", "2026"),
        ("MONTH(datetime2'2026-11-21')", "11"),
        ("DAY(date'2026-11-21')", "21"),
        ("EOMONTH('2026-02-10')", "2026-02-28"),
        ("EOMONTH('2026-02-10', -1)", "2026-01-31"),
        ("DATEFROMPARTS(2026, 11, 21)", "2026-11-21"),
        (
            "DATEFROMPARTS(2026, 2, 30)",
            "289 Cannot construct data type date, some of the arguments have values which are not valid.",
        ),
        ("DATETIMEFROMPARTS(2026, 11, 21, 1, 2, 3, 4)", "Nov 21 2026  1:02AM"),
        ("DATETIME2FROMPARTS(2026, 11, 21, 1, 2, 3, 5, 1)", "2026-11-21 01:02:03.5000000"),
        ("TIMEFROMPARTS(1, 2, 3, 5, 1)", "01:02:03.5000000"),
        (
            "DATETIMEOFFSETFROMPARTS(2026, 11, 21, 1, 2, 3, 0, -5, -30, 0)",
            "2026-11-21 01:02:03.0000000 -05:30",
        ),
        ("ISDATE('2026-11-21')", "1"),
        ("ISDATE('2026-02-30')", "0"),
        ("ISDATE('x')", "0"),
        ("SWITCHOFFSET('2026-11-21 12:00 +02:00', '-05:00')", "2026-11-21 05:00:00.0000000 -05:00"),
        (
            "SWITCHOFFSET('2026-11-21 12:00 +02:00', 'x')",
            "9812 The timezone provided to builtin function switchoffset is invalid.",
        ),
        ("TODATETIMEOFFSET(datetime2(0)'2026-11-21 12:00', 60)", "2026-11-21 12:00:00 +01:00"),
    ]);
}

#[test]
fn session_and_catalogue() {
    check(&[
        ("DB_ID()", "5"),
        ("DB_ID('SALES')", "5"),
        ("DB_ID('nope')", "NULL"),
        ("DB_NAME()", "sales"),
        ("DB_NAME(5)", "sales"),
        ("OBJECT_ID('dbo.t', 'U')", "100"),
        ("OBJECT_ID('dbo.t', 'P')", "NULL"),
        ("OBJECT_NAME(100)", "t"),
        ("COL_NAME(100, 1)", "c"),
        ("SCHEMA_NAME()", "dbo"),
        ("TYPE_ID('int')", "56"),
        ("TYPE_NAME(231)", "nvarchar"),
        ("TYPE_NAME(256)", "sysname"),
        ("SERVERPROPERTY('EngineEdition')", "3"),
        ("SERVERPROPERTY('nope')", "NULL"),
        ("OBJECTPROPERTY(100, 'IsTable')", "3"),
        ("SUSER_SNAME()", "sa"),
        ("SUSER_SNAME(varbinary(4)'')", "NULL"),
        ("USER_NAME()", "dbo"),
        ("IS_SRVROLEMEMBER('sysadmin')", "1"),
        ("ERROR_NUMBER()", "208"),
        ("ERROR_MESSAGE()", "Invalid object name 't'."),
        ("ERROR_LINE()", "7"),
        ("ERROR_PROCEDURE()", "p"),
        ("ROWCOUNT_BIG()", "3"),
        ("IDENT_CURRENT('dbo.t')", "10"),
        ("SQL_VARIANT_PROPERTY(5, 'BaseType')", "int"),
        ("COLLATIONPROPERTY('SQL_Latin1_General_CP1_CI_AS', 'CodePage')", "1252"),
        ("NOSUCH(1)", "195 'NOSUCH' is not a recognized built-in function name."),
        ("DB_NAME(1, 2)", "189 The db_name function requires 0 to 1 arguments."),
        ("SUBSTRING('abc')", "174 The substring function requires 3 argument(s)."),
        ("SUBSTRING('abc', 2)", "174 The substring function requires 3 argument(s)."),
        ("CHARINDEX('a')", "189 The charindex function requires 2 to 3 arguments."),
        ("LEN()", "174 The len function requires 1 argument(s)."),
    ]);
}

#[test]
fn names_are_unique_and_globals_in_order() {
    let mut names: Vec<&str> = TABLES.iter().flat_map(|t| t.iter()).map(|f| f.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|w| w[0] != w[1]));
    assert!(names.iter().all(|n| *n == n.to_ascii_uppercase()));
    assert!(GLOBALS.windows(2).all(|w| w[0].0 < w[1].0));
    assert_eq!(global_type("@@spid"), Some(SqlType::SmallInt));
    assert_eq!(global_type("@@nope"), None);
}

/// Every function, called with NULLs of every type it takes, gives a value or a SQL error.
#[test]
fn null_arguments() {
    let types = [
        "int",
        "decimal(10,2)",
        "float",
        "money",
        "varchar(5)",
        "nvarchar(5)",
        "datetime",
        "date",
        "time",
        "varbinary(5)",
        "uniqueidentifier",
        "bit",
    ];
    let context = Fixed { random: Cell::new(1) };
    let mut calls = 0;
    for f in TABLES.iter().flat_map(|t| t.iter()) {
        for n in f.args.0..=f.args.1.min(f.args.0 + 2) {
            for t in types {
                let ty = parse(t, TypeUse::Cast).unwrap().unwrap();
                let args = vec![ty; n as usize];
                let Ok(bound) = bind(f.name, f.datepart.then_some("day"), &args) else { continue };
                let _ = bound.eval(&context, &vec![Value::Null; n as usize]);
                calls += 1;
            }
        }
    }
    assert!(calls > 500, "{calls}");
}

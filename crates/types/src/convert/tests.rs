use super::*;
use crate::Decimal;
use crate::names::{TypeUse, parse};
use crate::text::display;

fn ty(text: &str) -> SqlType {
    parse(text, TypeUse::Cast).unwrap().unwrap()
}

/// CAST of a literal of one type to another, as text; errors as their number.
fn via(text: &str, from: &str, to: &str, style: Option<i32>) -> String {
    let (from, to) = (ty(from), ty(to));
    let v = cast(&Value::nvarchar(text), SqlType::NVARCHAR_MAX, from, None, Conversion::Explicit)
        .unwrap();
    match cast(&v, from, to, style, Conversion::Explicit) {
        Ok(v) => display(&v, to),
        Err(e) => format!("{}: {}", e.number, e.message),
    }
}

#[test]
fn casts() {
    for (text, from, to, expected) in [
        ("12", "varchar", "int", "12"),
        (" -12 ", "varchar", "int", "-12"),
        ("", "varchar", "int", "0"),
        (
            "abc",
            "varchar",
            "int",
            "245: Conversion failed when converting the varchar value 'abc' to data type int.",
        ),
        (
            "1.5",
            "nvarchar",
            "int",
            "245: Conversion failed when converting the nvarchar value '1.5' to data type int.",
        ),
        (
            "99999999999",
            "varchar",
            "int",
            "248: The conversion of the varchar value '99999999999' overflowed an int column.",
        ),
        (
            "99999",
            "varchar",
            "smallint",
            "244: The conversion of the varchar value '99999' overflowed an INT2 column. Use a larger integer column.",
        ),
        (
            "300",
            "varchar",
            "tinyint",
            "244: The conversion of the varchar value '300' overflowed an INT1 column. Use a larger integer column.",
        ),
        (
            "99999999999999999999",
            "varchar",
            "bigint",
            "8115: Arithmetic overflow error converting expression to data type bigint.",
        ),
        ("-9223372036854775808", "varchar", "bigint", "-9223372036854775808"),
        ("abc", "varchar", "bigint", "8114: Error converting data type varchar to bigint."),
        ("abc", "varchar", "decimal(5,2)", "8114: Error converting data type varchar to numeric."),
        (
            "1234.5",
            "varchar",
            "decimal(5,2)",
            "8115: Arithmetic overflow error converting varchar to data type numeric.",
        ),
        ("1.255", "varchar", "decimal(5,2)", "1.26"),
        (
            "300",
            "int",
            "tinyint",
            "220: Arithmetic overflow error for data type tinyint, value = 300.",
        ),
        (
            "99999999999",
            "bigint",
            "int",
            "8115: Arithmetic overflow error converting expression to data type int.",
        ),
        (
            "12345.67",
            "decimal(10,2)",
            "decimal(5,2)",
            "8115: Arithmetic overflow error converting numeric to data type numeric.",
        ),
        ("-1.9", "decimal(5,2)", "int", "-1"),
        (
            "99999999999",
            "decimal(20,0)",
            "int",
            "8115: Arithmetic overflow error converting expression to data type int.",
        ),
        ("-1.9", "float", "int", "-1"),
        ("3e9", "float", "int", "232: Arithmetic overflow error for type int"),
        ("1.5", "money", "int", "2"),
        ("$1,234.56785", "varchar", "money", "1234.57"),
        ("-\u{A4}1", "varchar", "money", "-1.00"),
        ("0.1", "real", "decimal(20,12)", "0.100000001490"),
        (
            "x",
            "varchar",
            "money",
            "235: Cannot convert a char value to money. The char value has incorrect syntax.",
        ),
        ("12345", "int", "varchar(3)", "*"),
        (
            "12345",
            "int",
            "nvarchar(3)",
            "8115: Arithmetic overflow error converting expression to data type nvarchar.",
        ),
        (
            "12345",
            "bigint",
            "varchar(3)",
            "8115: Arithmetic overflow error converting expression to data type varchar.",
        ),
        (
            "12.50",
            "decimal(5,2)",
            "varchar(3)",
            "8115: Arithmetic overflow error converting numeric to data type varchar.",
        ),
        (
            "12.50",
            "money",
            "varchar(3)",
            "234: There is insufficient result space to convert a money value to varchar.",
        ),
        ("abcdef", "varchar(10)", "varchar(3)", "abc"),
        ("ab", "varchar(10)", "char(4)", "ab  "),
        ("ab", "varchar(10)", "nchar(4)", "ab  "),
        ("Ж", "nvarchar(10)", "varchar(10)", "?"),
        ("Ω", "nvarchar(10)", "varchar(10)", "O"),
        ("true", "varchar", "bit", "1"),
        ("2", "varchar", "bit", "1"),
        (
            "yes",
            "varchar",
            "bit",
            "245: Conversion failed when converting the varchar value 'yes' to data type bit.",
        ),
        ("1e3", "varchar", "float", "1000"),
        ("nan", "varchar", "float", "8114: Error converting data type varchar to float."),
        ("1e39", "float", "real", "232: Arithmetic overflow error for type real"),
        ("Nov 21 2026 11:51AM", "varchar", "datetime", "Nov 21 2026 11:51AM"),
        (
            "nonsense",
            "varchar",
            "datetime",
            "241: Conversion failed when converting date and/or time from character string.",
        ),
        (
            "2026-02-30",
            "varchar",
            "datetime",
            "242: The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.",
        ),
        (
            "1500-01-01",
            "varchar",
            "datetime",
            "242: The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.",
        ),
        (
            "2026-02-30",
            "varchar",
            "date",
            "241: Conversion failed when converting date and/or time from character string.",
        ),
        (
            "1500-01-01",
            "datetime2",
            "datetime",
            "242: The conversion of a datetime2 data type to a datetime data type resulted in an out-of-range value.",
        ),
        ("2026-11-21 11:51:44.5", "datetime2", "date", "2026-11-21"),
        ("2026-11-21 11:51:44.5", "datetime", "time(0)", "11:51:45"),
        ("11:51", "time", "datetime2(0)", "1900-01-01 11:51:00"),
        ("2026-11-21 11:51 +02:00", "datetimeoffset", "datetime2(0)", "2026-11-21 11:51:00"),
        ("2026-11-21 11:51", "datetime2", "datetimeoffset(0)", "2026-11-21 11:51:00 +00:00"),
        ("1.5", "decimal(3,1)", "datetime", "Jan  2 1900 12:00PM"),
        ("1900-01-02 12:00", "datetime", "int", "2"),
        ("1900-01-02 12:00", "datetime", "float", "1.5"),
        ("258", "int", "varbinary(10)", "0x00000102"),
        ("258", "int", "binary(2)", "0x0102"),
        ("258", "int", "binary(6)", "0x000000000102"),
        ("1.5", "decimal(2,1)", "varbinary(20)", "0x020100010F000000"),
        ("ab", "varchar(2)", "binary(4)", "0x61620000"),
        ("ab", "nvarchar(2)", "varbinary(10)", "0x61006200"),
        (
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
            "uniqueidentifier",
            "varbinary(16)",
            "0xFF19966F868B11D0B42D00C04FC964FF",
        ),
        (
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
            "uniqueidentifier",
            "varchar(35)",
            "8170: Insufficient result space to convert uniqueidentifier value to char.",
        ),
        (
            "6F9619FF",
            "varchar",
            "uniqueidentifier",
            "8169: Conversion failed when converting from a character string to uniqueidentifier.",
        ),
        ("5", "int", "sql_variant", "5"),
    ] {
        let got = via(text, from, to, None);
        // The value that 232 ends with is printed with six decimals.
        let got = if got.starts_with("232") { got.split(',').next().unwrap() } else { &got };
        assert_eq!(got, expected, "{from} '{text}' to {to}");
    }
}

#[test]
fn styles() {
    assert_eq!(via("21/11/2026", "varchar", "datetime", Some(103)), "Nov 21 2026 12:00AM");
    assert_eq!(via("2026-11-21", "datetime", "varchar", Some(112)), "20261121");
    assert_eq!(via("2026-11-21", "datetime", "varchar(6)", Some(112)), "202611");
    assert!(
        via("2026-11-21", "datetime", "varchar", Some(99))
            .starts_with("281: 99 is not a valid style")
    );
    assert_eq!(via("0x4142", "varchar", "varbinary(5)", Some(1)), "0x4142");
    assert_eq!(via("4142", "varchar", "varbinary(5)", Some(2)), "0x4142");
    assert!(via("414", "varchar", "varbinary(5)", Some(2)).starts_with("8114"));
    assert_eq!(via("1234567.891", "money", "varchar", Some(1)), "1,234,567.89");
}

#[test]
fn binary_to_numbers_and_text() {
    let b = Value::binary(&[0x41, 0x42]);
    let to =
        |t: &str, style| cast(&b, ty("varbinary(2)"), ty(t), style, Conversion::Explicit).unwrap();
    assert_eq!(to("int", None).as_i64(), Some(0x4142));
    assert_eq!(to("varchar(9)", None).as_text().unwrap(), "AB");
    assert_eq!(to("varchar(9)", Some(1)).as_text().unwrap(), "0x4142");
    assert_eq!(to("nvarchar(9)", Some(2)).as_text().unwrap(), "4142");
}

/// Every pair of the matrix: what may be cast gives a value of the type or one of the errors of conversion, and
/// never a mismatch; the cells themselves are spot-checked against the published table.
#[test]
fn the_matrix_is_walked() {
    let samples: Vec<(SqlType, Value)> = [
        ("bit", "1"),
        ("tinyint", "7"),
        ("smallint", "7"),
        ("int", "7"),
        ("bigint", "7"),
        ("decimal(10,2)", "7"),
        ("numeric(5,0)", "7"),
        ("money", "7"),
        ("smallmoney", "7"),
        ("real", "7"),
        ("float", "7"),
        ("date", "2001-02-03"),
        ("time(3)", "01:02:03"),
        ("datetime", "2001-02-03 04:05"),
        ("smalldatetime", "2001-02-03 04:05"),
        ("datetime2(3)", "2001-02-03 04:05"),
        ("datetimeoffset(3)", "2001-02-03 04:05 +01:00"),
        ("char(3)", "7"),
        ("varchar(40)", "7"),
        ("nchar(3)", "7"),
        ("nvarchar(40)", "7"),
        ("binary(8)", "7"),
        ("varbinary(8)", "7"),
        ("uniqueidentifier", "6F9619FF-8B86-D011-B42D-00C04FC964FF"),
        ("sql_variant", "7"),
        ("timestamp", "7"),
    ]
    .map(|(t, text)| {
        let t = ty(t);
        let v = cast(&Value::varchar(text), SqlType::varchar(40), t, None, Conversion::Explicit);
        (t, v.unwrap())
    })
    .to_vec();
    let (mut implicit, mut explicit, mut never) = (0, 0, 0);
    for (from, v) in &samples {
        for (to, like) in &samples {
            match rule(*from, *to) {
                Rule::NotAllowed => {
                    never += 1;
                    assert_eq!(check(*from, *to, Conversion::Explicit).unwrap_err().number, 529);
                    continue;
                }
                Rule::Explicit => {
                    explicit += 1;
                    assert_eq!(check(*from, *to, Conversion::Implicit).unwrap_err().number, 257);
                }
                Rule::Implicit => implicit += 1,
            }
            match cast(v, *from, *to, None, Conversion::Explicit) {
                Ok(v) => assert_eq!(
                    std::mem::discriminant(&v),
                    std::mem::discriminant(like),
                    "{from} to {to}"
                ),
                Err(e) => assert!(
                    [210, 220, 232, 234, 235, 237, 241, 242, 245, 295, 529, 8114, 8115, 8169, 8170]
                        .contains(&e.number),
                    "{from} to {to}: {e}"
                ),
            }
            if is_noop(*from, *to) {
                let same = cast(v, *from, *to, None, Conversion::Implicit).unwrap();
                assert_eq!(display(&same, *to), display(v, *from));
            }
        }
    }
    assert_eq!((implicit, explicit, never), (implicit, explicit, 26 * 26 - implicit - explicit));
    for (from, to, expected) in [
        ("int", "datetime", Rule::Implicit),
        ("datetime", "int", Rule::Explicit),
        ("date", "int", Rule::NotAllowed),
        ("date", "time", Rule::NotAllowed),
        ("varchar", "varbinary", Rule::Explicit),
        ("varbinary", "varchar", Rule::Implicit),
        ("uniqueidentifier", "int", Rule::NotAllowed),
        ("varbinary", "float", Rule::NotAllowed),
        ("sql_variant", "int", Rule::Explicit),
        ("varchar(max)", "sql_variant", Rule::NotAllowed),
        ("nvarchar", "timestamp", Rule::NotAllowed),
    ] {
        assert_eq!(rule(ty(from), ty(to)), expected, "{from} to {to}");
    }
}

#[test]
fn common_types() {
    let common = |a: &str, b: &str| match common_type(ty(a), ty(b)) {
        Ok(t) => t.to_string(),
        Err(e) => e.number.to_string(),
    };
    for (a, b, expected) in [
        ("int", "bigint", "bigint"),
        ("int", "decimal(5,2)", "decimal(12,2)"),
        ("varchar(5)", "char(9)", "varchar(9)"),
        ("varchar(8000)", "nvarchar(5)", "nvarchar(4000)"),
        ("varchar(max)", "nvarchar(5)", "nvarchar(max)"),
        ("varchar(5)", "int", "int"),
        ("varchar(5)", "datetime", "datetime"),
        ("datetime", "datetime2(1)", "datetime2(3)"),
        ("date", "datetime", "datetime"),
        ("date", "time(3)", "206"),
        ("date", "int", "206"),
        ("datetime", "int", "datetime"),
        ("uniqueidentifier", "varchar(36)", "uniqueidentifier"),
        ("uniqueidentifier", "int", "206"),
        ("real", "float", "float"),
        ("sql_variant", "int", "sql_variant"),
        ("binary(5)", "varchar(3)", "varchar(5)"),
    ] {
        assert_eq!(common(a, b), expected, "{a}, {b}");
        assert_eq!(common(b, a), expected, "{b}, {a}");
    }
}

#[test]
fn columns_refuse_to_truncate() {
    let context = ConvertContext::default();
    let put = |v: Value, from: &str, to: &str| assign(v, ty(from), ty(to), &context);
    let text = |r: Result<Value, AssignError>| r.unwrap().as_text().unwrap();
    assert_eq!(text(put(Value::varchar("abc"), "varchar(9)", "varchar(3)")), "abc");
    assert_eq!(text(put(Value::varchar("abc  "), "varchar(9)", "varchar(3)")), "abc");
    assert_eq!(text(put(Value::varchar("ab"), "varchar(9)", "char(4)")), "ab  ");
    assert_eq!(text(put(Value::nvarchar("ab"), "nvarchar(9)", "char(4)")), "ab  ");
    let e = put(Value::varchar("abcd"), "varchar(9)", "varchar(3)").unwrap_err();
    assert_eq!(e, AssignError::Truncated("abc".into()));
    let number = |r: Result<Value, AssignError>| match r {
        Err(AssignError::Sql(e)) => (e.number, e.state),
        other => panic!("{other:?}"),
    };
    assert_eq!(number(put(Value::Int(12345), "int", "varchar(3)")), (8115, 2));
    assert_eq!(number(put(Value::Float(1234.5), "float", "varchar(3)")), (232, 2));
    assert_eq!(number(put(Value::Money(12_345_000), "money", "varchar(3)")), (234, 2));
    assert!(
        matches!(put(Value::Int(12345), "int", "varchar(3)"), Err(AssignError::Sql(e)) if e.number == 8115)
    );
    assert!(
        matches!(put(Value::Int(300), "int", "tinyint"), Err(AssignError::Sql(e)) if e.number == 220)
    );
    assert!(put(Value::Null, "int", "varchar(3)").unwrap().is_null());
}

#[test]
fn integers_as_text_do_not_allocate() {
    for v in [0, 7, -1, i32::MIN, i32::MAX, 500_000] {
        let b = int_to_varchar(v);
        assert!(!b.spilled());
        assert_eq!(&b[..], v.to_string().as_bytes());
    }
}

/// Every pair of the thirty types: what the matrix refuses has its number, state and both names.
#[test]
fn every_pair_is_refused_with_its_number() {
    let declared = |kind: Kind, name: &str| {
        let ty = match kind {
            Kind::Xml | Kind::NText => SqlType::NVARCHAR_MAX,
            Kind::Text => SqlType::VarChar(MaxLen::Max),
            Kind::Image => SqlType::VarBinary(MaxLen::Max),
            _ => ty(name),
        };
        Declared { ty, kind }
    };
    let mut counts = [0; 3];
    for (from, from_name) in KINDS {
        for (to, to_name) in KINDS {
            let (a, b) = (declared(from, from_name), declared(to, to_name));
            let outcome = |conversion| match check_declared(a, b, conversion) {
                Ok(()) => None,
                Err(e) => {
                    let (left, right) = (e.message.find(from_name), e.message.rfind(to_name));
                    assert!(left.is_some() && left <= right, "{}", e.message);
                    Some((e.number, e.state))
                }
            };
            let both = (outcome(Conversion::Implicit), outcome(Conversion::Explicit));
            let rule = rule_of(a, b);
            counts[rule as usize] += 1;
            let expected = match rule {
                Rule::Implicit => (None, None),
                Rule::Explicit => (Some((257, 3)), None),
                Rule::NotAllowed => (Some((206, 2)), Some((529, 2))),
            };
            assert_eq!(both, expected, "{from_name} to {to_name}");
            if from == to {
                assert_eq!(rule, Rule::Implicit, "{from_name}");
            }
        }
    }
    assert_eq!(counts.iter().sum::<i32>(), 900);
    for (from, to, rule) in [
        (Kind::Money, Kind::VarChar, Rule::Explicit),
        (Kind::Xml, Kind::VarChar, Rule::Explicit),
        (Kind::VarChar, Kind::Xml, Rule::Implicit),
        (Kind::VarBinary, Kind::Xml, Rule::Implicit),
        (Kind::Int, Kind::Xml, Rule::NotAllowed),
        (Kind::Int, Kind::NText, Rule::NotAllowed),
        (Kind::Text, Kind::NVarChar, Rule::Implicit),
        (Kind::NText, Kind::Char, Rule::Implicit),
        (Kind::NVarChar, Kind::Image, Rule::NotAllowed),
        (Kind::Binary, Kind::Float, Rule::NotAllowed),
        (Kind::DateTime, Kind::Int, Rule::Explicit),
        (Kind::Time, Kind::Int, Rule::NotAllowed),
    ] {
        assert_eq!(from.to(to), rule, "{from:?} to {to:?}");
    }
}

#[test]
fn what_goes_into_a_column() {
    let context = ConvertContext::default();
    let int = |to: &str| assign(Value::Int(123), SqlType::Int, ty(to), &context).unwrap();
    assert_eq!(display(&int("binary(8)"), ty("binary(8)")), "0x000000000000007B");
    assert_eq!(display(&int("varbinary(8)"), ty("varbinary(8)")), "0x0000007B");
    let exact = Decimal::new(false, 11234, 4).map(Value::Decimal).unwrap();
    let lossy = ConvertContext { round_abort: true, ..context };
    let (from, to) = (ty("decimal(5,4)"), ty("decimal(5,2)"));
    let e = cast_with(&exact, from, to, None, Conversion::Implicit, &lossy).unwrap_err();
    assert_eq!(e.number, 8115);
    assert!(cast_with(&exact, from, to, None, Conversion::Implicit, &context).is_ok());
}

use super::*;
use crate::names::{TypeUse, parse};
use BinaryOp::*;

fn ty(text: &str) -> SqlType {
    parse(text, TypeUse::Declaration).unwrap().unwrap()
}

fn result(op: BinaryOp, a: &str, b: &str) -> String {
    match binary(op, ty(a), ty(b)) {
        Ok(o) => o.result.to_string(),
        Err(e) => e.number.to_string(),
    }
}

#[test]
fn result_types() {
    for (op, a, b, expected) in [
        (Add, "int", "int", "int"),
        (Add, "tinyint", "bigint", "bigint"),
        (Add, "tinyint", "tinyint", "tinyint"),
        (Add, "bit", "int", "int"),
        (Add, "bit", "bit", "402"),
        (Add, "varchar(5)", "varchar(7)", "varchar(12)"),
        (Add, "char(5)", "char(7)", "char(12)"),
        (Add, "char(5)", "nvarchar(7)", "nvarchar(12)"),
        (Add, "varchar(8000)", "varchar(8000)", "varchar(8000)"),
        (Add, "varchar(max)", "varchar(1)", "varchar(max)"),
        (Add, "varbinary(3)", "binary(3)", "varbinary(6)"),
        (Add, "varchar(5)", "int", "int"),
        (Add, "varchar(5)", "varbinary(5)", "402"),
        (Subtract, "varchar(5)", "varchar(5)", "8117"),
        (Subtract, "varchar(5)", "int", "int"),
        (Multiply, "decimal(10,2)", "int", "decimal(21,2)"),
        (Divide, "numeric(10,2)", "numeric(10,2)", "numeric(23,13)"),
        (Divide, "int", "numeric(2,1)", "numeric(17,6)"),
        (Divide, "int", "int", "int"),
        (Multiply, "money", "int", "money"),
        (Multiply, "money", "decimal(5,2)", "decimal(25,6)"),
        (Add, "real", "int", "real"),
        (Add, "real", "decimal(5,2)", "real"),
        (Add, "real", "float", "float"),
        (Modulo, "float", "int", "402"),
        (Modulo, "real", "float", "8117"),
        (Modulo, "decimal(5,2)", "varchar(2)", "402"),
        (Modulo, "int", "varchar(2)", "int"),
        (Subtract, "varbinary(2)", "varbinary(2)", "402"),
        (Multiply, "varbinary(2)", "varbinary(2)", "8117"),
        (Multiply, "bit", "bit", "8117"),
        (Add, "bit", "varchar(2)", "402"),
        (Add, "varbinary(2)", "real", "206"),
        (Modulo, "decimal(5,2)", "int", "decimal(5,2)"),
        (Add, "datetime", "int", "datetime"),
        (Add, "int", "datetime", "datetime"),
        (Subtract, "datetime", "datetime", "datetime"),
        (Subtract, "smalldatetime", "datetime", "datetime"),
        (Multiply, "datetime", "int", "8117"),
        (Add, "date", "int", "206"),
        (Subtract, "datetime2", "datetime2", "8117"),
        (Add, "date", "time", "402"),
        (Add, "uniqueidentifier", "int", "402"),
        (BitAnd, "int", "bigint", "bigint"),
        (BitAnd, "bit", "bit", "bit"),
        (BitOr, "float", "int", "402"),
        (BitXor, "int", "varbinary(4)", "int"),
        (Add, "sql_variant", "int", "8117"),
        (Add, "int", "varbinary(4)", "int"),
    ] {
        assert_eq!(result(op, a, b), expected, "{a} {op:?} {b}");
    }
}

fn eval(op: BinaryOp, a: (&str, Value), b: (&str, Value)) -> SqlResult<Value> {
    binary(op, ty(a.0), ty(b.0)).unwrap().eval(&a.1, &b.1)
}

fn int(op: BinaryOp, a: i32, b: i32) -> Result<i64, String> {
    eval(op, ("int", Value::Int(a)), ("int", Value::Int(b)))
        .map(|v| v.as_i64().unwrap())
        .map_err(|e| format!("{} {}", e.number, e.message))
}

#[test]
fn integers() {
    assert_eq!(int(Add, 2, 3), Ok(5));
    let message = "8115 Arithmetic overflow error converting expression to data type int.";
    assert_eq!(int(Add, i32::MAX, 1), Err(message.into()));
    assert_eq!(int(Multiply, 65536, 65536), Err(message.into()));
    assert_eq!(int(Divide, i32::MIN, -1), Err(message.into()));
    assert_eq!(int(Divide, 1, 0), Err("8134 Divide by zero error encountered.".into()));
    assert_eq!(int(Modulo, 1, 0), Err("8134 Divide by zero error encountered.".into()));
    assert_eq!(int(Modulo, i32::MIN, -1), Err(message.into()));
    assert_eq!(int(Modulo, -7, 3), Ok(-1));
    assert_eq!(int(Divide, -7, 2), Ok(-3));
    assert_eq!(int(BitXor, 6, 3), Ok(5));
    let e = eval(Add, ("tinyint", Value::TinyInt(200)), ("tinyint", Value::TinyInt(100)));
    assert_eq!(e.unwrap_err().number, 8115);
    assert!(eval(Add, ("int", Value::Null), ("int", Value::Int(1))).unwrap().is_null());
}

#[test]
fn others() {
    let money = |op, a, b| match eval(op, ("money", Value::Money(a)), ("money", Value::Money(b))) {
        Ok(Value::Money(m)) => m,
        other => panic!("{other:?}"),
    };
    assert_eq!(money(Divide, 20_000, 30_000), 6_666);
    assert_eq!(money(Multiply, 12_345, 5_000), 6_173);
    let v = eval(Divide, ("float", Value::Float(1.0)), ("float", Value::Float(0.0)));
    assert_eq!(v.unwrap_err().number, 8134);
    let v = eval(Multiply, ("float", Value::Float(1e300)), ("float", Value::Float(1e300)));
    assert_eq!(v.unwrap_err().number, 8115);
    let day = |days, ticks| Value::DateTime { days, ticks };
    let v = eval(Subtract, ("datetime", day(10, 0)), ("datetime", day(1, 1))).unwrap();
    assert!(matches!(v, Value::DateTime { days: 8, ticks: 25_919_999 }));
    let v = eval(Add, ("varchar(3)", Value::varchar("abc")), ("char(2)", Value::varchar("de")));
    assert_eq!(v.unwrap().as_text().unwrap(), "abcde");
    assert_eq!(&concat(b"abc", b"def", 4)[..], b"abcd");
    assert!(!concat(&[1; 12], &[2; 12], 100).spilled());
}

#[test]
fn unary_operators() {
    assert!(matches!(eval_unary(UnaryOp::BitNot, &Value::Int(0)), Ok(Value::Int(-1))));
    assert_eq!(eval_unary(UnaryOp::Minus, &Value::Int(i32::MIN)).unwrap_err().number, 8115);
    assert_eq!(unary(UnaryOp::Minus, SqlType::TinyInt), Ok(SqlType::SmallInt));
    assert_eq!(unary(UnaryOp::Minus, ty("varchar(3)")).unwrap_err().number, 8117);
    assert_eq!(unary(UnaryOp::BitNot, SqlType::Float).unwrap_err().number, 8117);
}

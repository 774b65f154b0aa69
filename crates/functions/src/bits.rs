//! Bits of integers and binary values: LEFT_SHIFT, RIGHT_SHIFT, BIT_COUNT, GET_BIT, SET_BIT.
//!
//! Bit 0 is the lowest: of binary values, the lowest of the last byte. A shift beyond the width leaves nothing, one by a
//! negative number goes the other way; to the right, no sign comes in.

use super::typing::{any_null, int, signature};
use super::{Call, Function, Rule, Signature};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Family, SqlType, Value};

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("LEFT_SHIFT", 2, 2, |r| rule(r, None), |c, a| Ok(shift(c, a, 1))),
    Function::new("RIGHT_SHIFT", 2, 2, |r| rule(r, None), |c, a| Ok(shift(c, a, -1))),
    Function::new("BIT_COUNT", 1, 1, |r| rule(r, Some(SqlType::BigInt)), |c, a| Ok(count(c, a))),
    Function::new("GET_BIT", 2, 2, |r| rule(r, Some(SqlType::Bit)), get),
    Function::new("SET_BIT", 2, 3, |r| rule(r, None), set),
];

fn rule(r: &Rule<'_>, result: Option<SqlType>) -> SqlResult<Signature> {
    let ty = match r.args[0].family() {
        Family::Integer if r.args[0] == SqlType::BigInt => SqlType::BigInt,
        Family::Integer | Family::Bit => r.args[0],
        Family::Binary if !r.args[0].is_max() => r.args[0],
        _ => return Err(r.invalid(0)),
    };
    let mut params = vec![ty];
    for at in 1..r.args.len() {
        params.push(r.param(at, SqlType::BigInt)?);
    }
    Ok(signature(&params, result.unwrap_or(super::typing::varying(ty))))
}

/// The bytes of a value, most significant first.
fn bytes(v: &Value) -> Vec<u8> {
    match v {
        Value::Bit(b) => vec![*b as u8],
        Value::TinyInt(n) => vec![*n],
        Value::SmallInt(n) => n.to_be_bytes().to_vec(),
        Value::Int(n) => n.to_be_bytes().to_vec(),
        Value::BigInt(n) => n.to_be_bytes().to_vec(),
        other => other.as_bytes().unwrap_or_default().to_vec(),
    }
}

/// The value of such bytes.
fn value(like: &Value, b: &[u8]) -> Value {
    let wide = b.iter().fold(0u64, |n, b| n << 8 | *b as u64);
    match like {
        Value::Bit(_) => Value::Bit(wide & 1 != 0),
        Value::TinyInt(_) => Value::TinyInt(wide as u8),
        Value::SmallInt(_) => Value::SmallInt(wide as i16),
        Value::Int(_) => Value::Int(wide as i32),
        Value::BigInt(_) => Value::BigInt(wide as i64),
        _ => Value::binary(b),
    }
}

/// How many bits a value has.
fn width(v: &Value, b: &[u8]) -> i64 {
    if matches!(v, Value::Bit(_)) { 1 } else { b.len() as i64 * 8 }
}

fn bit(b: &[u8], at: i64) -> bool {
    let byte = b[b.len() - 1 - at as usize / 8];
    byte >> (at % 8) & 1 != 0
}

fn put(b: &mut [u8], at: i64, on: bool) {
    let last = b.len() - 1;
    let byte = &mut b[last - at as usize / 8];
    *byte = *byte & !(1 << (at % 8)) | (on as u8) << (at % 8);
}

fn shift(_: &Call<'_>, args: &[Value], direction: i64) -> Value {
    if any_null(args) {
        return Value::Null;
    }
    let from = bytes(&args[0]);
    let width = width(&args[0], &from);
    let by = int(&args[1]).saturating_mul(direction);
    let mut to = vec![0; from.len()];
    for at in 0..width {
        if let Some(source) = at.checked_sub(by).filter(|s| (0..width).contains(s)) {
            put(&mut to, at, bit(&from, source));
        }
    }
    value(&args[0], &to)
}

fn count(_: &Call<'_>, args: &[Value]) -> Value {
    if any_null(args) {
        return Value::Null;
    }
    Value::BigInt(bytes(&args[0]).iter().map(|b| i64::from(b.count_ones())).sum())
}

/// The place of a bit in the value: an error outside it.
fn place(c: &Call<'_>, args: &[Value], b: &[u8]) -> SqlResult<i64> {
    let at = int(&args[1]);
    if (0..width(&args[0], b)).contains(&at) {
        return Ok(at);
    }
    let name = c.bound.name().to_ascii_lowercase();
    Err(SqlError::new(1023, &[&2, &name]).with_severity(16))
}

fn get(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let b = bytes(&args[0]);
    Ok(Value::Bit(bit(&b, place(c, args, &b)?)))
}

fn set(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let mut b = bytes(&args[0]);
    let at = place(c, args, &b)?;
    let on = match args.get(2).map(int) {
        None | Some(1) => true,
        Some(0) => false,
        Some(_) => return Err(SqlError::new(1023, &[&3, &"set_bit"]).with_severity(16)),
    };
    put(&mut b, at, on);
    Ok(value(&args[0], &b))
}

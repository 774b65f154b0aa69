//! Functions on numbers, random ones among them, checksums, and the extremes of a list.
//!
//! ABS, ROUND and their neighbours keep the type of their argument; the transcendental ones compute in float. Text is
//! taken as float.

use super::typing::{any_null, float, int, narrow, signature};
use super::{Call, Function, Rule, SettledCall, Signature};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::parse_float;
use taffrail_types::{Conversion, Decimal, Family, SqlType, Value, compare};

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("ABS", 1, 1, same_number, abs),
    Function::new("CEILING", 1, 1, whole_number, |c, a| to_whole(c, a, true)),
    Function::new("FLOOR", 1, 1, whole_number, |c, a| to_whole(c, a, false)),
    Function::new("ROUND", 2, 3, round_rule, round),
    Function::new("SIGN", 1, 1, same_number, sign),
    Function::new("POWER", 2, 2, power_rule, power),
    Function::new("DEGREES", 1, 1, angle_rule, |c, a| angle(c, a, f64::to_degrees)),
    Function::new("RADIANS", 1, 1, angle_rule, |c, a| angle(c, a, f64::to_radians)),
    Function::new("SQRT", 1, 1, float_rule, |_, a| real(a, f64::sqrt)),
    Function::new("SQUARE", 1, 1, float_rule, |_, a| real(a, |x| x * x)),
    Function::new("EXP", 1, 1, float_rule, |_, a| real(a, f64::exp)),
    Function::new("LOG", 1, 2, float_rule, log),
    Function::new("LOG10", 1, 1, float_rule, |_, a| real(a, f64::log10)),
    Function::new("SIN", 1, 1, float_rule, |_, a| real(a, f64::sin)),
    Function::new("COS", 1, 1, float_rule, |_, a| real(a, f64::cos)),
    Function::new("TAN", 1, 1, float_rule, |_, a| real(a, f64::tan)),
    Function::new("COT", 1, 1, float_rule, |_, a| real(a, |x| 1.0 / x.tan())),
    Function::new("ASIN", 1, 1, float_rule, |_, a| real(a, f64::asin)),
    Function::new("ACOS", 1, 1, float_rule, |_, a| real(a, f64::acos)),
    Function::new("ATAN", 1, 1, float_rule, |_, a| real(a, f64::atan)),
    Function::new("ATN2", 2, 2, float_rule, atn2),
    Function::new("PI", 0, 0, float_rule, |_, _| Ok(Value::Float(std::f64::consts::PI))),
    Function::new("RAND", 0, 1, |r| r.fixed(&[SqlType::Int], SqlType::Float), rand).per_statement(),
    Function::new("ISNUMERIC", 1, 1, |r| r.as_given(SqlType::Int), isnumeric),
    Function::new("CHECKSUM", 1, 254, |r| r.as_given(SqlType::Int), |c, a| checksum(c, a, false)),
    Function::new("BINARY_CHECKSUM", 1, 254, |r| r.as_given(SqlType::Int), |c, a| checksum(c, a, true)),
    Function::new("GREATEST", 1, 254, common_rule, |c, a| extreme(c, a, true)),
    Function::new("LEAST", 1, 254, common_rule, |c, a| extreme(c, a, false)),
    Function::new("NEWID", 0, 0, |r| r.as_given(SqlType::UniqueIdentifier), newid).per_call(),
    Function::new("NEWSEQUENTIALID", 0, 0, |r| r.as_given(SqlType::UniqueIdentifier),
        |c, _| Ok(Value::Guid(c.context.sequential_guid()))).per_call(),
];

/// A number as it is (bit as int); text as float.
fn number_type(r: &Rule<'_>, at: usize) -> SqlResult<SqlType> {
    let ty = r.args[at];
    match ty.family() {
        Family::Integer | Family::Decimal | Family::Money | Family::Float => Ok(ty),
        Family::Bit => Ok(SqlType::Int),
        Family::Char | Family::NChar => Ok(SqlType::Float),
        _ => Err(r.invalid(at)),
    }
}

/// The types that numeric functions return: small integers become int, real becomes float.
fn widened(ty: SqlType) -> SqlType {
    match ty {
        SqlType::TinyInt | SqlType::SmallInt => SqlType::Int,
        SqlType::Real => SqlType::Float,
        SqlType::SmallMoney => SqlType::Money,
        other => other,
    }
}

fn same_number(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = widened(number_type(r, 0)?);
    Ok(signature(&[ty], ty))
}

fn whole_number(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = widened(number_type(r, 0)?);
    let result = match ty {
        SqlType::Decimal { precision, .. } => SqlType::Decimal { precision, scale: 0 },
        SqlType::Numeric { precision, .. } => SqlType::Numeric { precision, scale: 0 },
        other => other,
    };
    Ok(signature(&[ty], result))
}

fn float_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    r.fixed(&[SqlType::Float, SqlType::Float], SqlType::Float)
}

fn overflow(ty: SqlType) -> Box<SqlError> {
    SqlError::new(8115, &[&"expression", &ty.message_name()]).with_state(2)
}

fn abs(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let over = || overflow(c.bound.result);
    Ok(match args[0] {
        Value::Int(x) => Value::Int(x.checked_abs().ok_or_else(over)?),
        Value::BigInt(x) => Value::BigInt(x.checked_abs().ok_or_else(over)?),
        Value::Money(x) => Value::Money(x.checked_abs().ok_or_else(over)?),
        Value::Decimal(d) => Value::Decimal(d.abs()),
        Value::Float(x) => Value::Float(x.abs()),
        ref other => other.clone(),
    })
}

fn sign(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(match args[0] {
        Value::Int(x) => Value::Int(x.signum()),
        Value::BigInt(x) => Value::BigInt(x.signum()),
        Value::Money(x) => Value::Money(x.signum() * 10_000),
        Value::Decimal(d) => {
            let one = Decimal::from_i64(if d.is_zero() {
                0
            } else if d.is_negative() {
                -1
            } else {
                1
            });
            one.rescale(d.scale()).map_or(Value::Null, Value::Decimal)
        }
        Value::Float(x) => Value::Float(if x == 0.0 { 0.0 } else { x.signum() }),
        ref other => other.clone(),
    })
}

fn to_whole(c: &Call<'_>, args: &[Value], up: bool) -> SqlResult<Value> {
    Ok(match args[0] {
        Value::Decimal(d) => {
            let cut = d.truncate(0);
            let one = if d == cut || d.is_negative() == up { 0 } else { 1 };
            let step = if up { one } else { -one };
            let to = taffrail_types::decimal::NumericType { precision: 38, scale: 0 };
            let moved = Decimal::add(cut, Decimal::from_i64(step), to);
            Value::Decimal(moved.map_err(|_| overflow(c.bound.result))?)
        }
        Value::Money(m) => {
            let whole = m.div_euclid(10_000) + (up && m.rem_euclid(10_000) != 0) as i64;
            Value::Money(whole.checked_mul(10_000).ok_or_else(|| overflow(c.bound.result))?)
        }
        Value::Float(x) => Value::Float(if up { x.ceil() } else { x.floor() }),
        ref other => other.clone(),
    })
}

fn round_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = widened(number_type(r, 0)?);
    let mut params = vec![ty];
    for at in 1..r.args.len() {
        params.push(r.param(at, SqlType::Int)?);
    }
    Ok(signature(&params, ty))
}

/// ROUND(x, digits [, not 0: truncate]). Exact types keep their scale; digits may be negative.
fn round(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let digits = int(&args[1]).clamp(-100, 100);
    let cut = args.get(2).is_some_and(|v| int(v) != 0);
    let over = || overflow(c.bound.result);
    let exact = |scaled: i128, scale: i64| -> Option<i128> {
        let drop = scale - digits;
        if drop <= 0 {
            return Some(scaled);
        }
        if drop > 38 {
            return Some(0);
        }
        let unit = 10i128.pow(drop as u32);
        let rest = scaled % unit;
        let whole = scaled - rest;
        // Half of 10^38 is still far from i128's end.
        let away = !cut && rest.abs() >= unit / 2;
        if away { whole.checked_add(unit * scaled.signum()) } else { Some(whole) }
    };
    Ok(match args[0] {
        Value::Int(x) => {
            let v = exact(x as i128, 0).and_then(|v| i32::try_from(v).ok());
            Value::Int(v.ok_or_else(over)?)
        }
        Value::BigInt(x) => {
            let v = exact(x as i128, 0).and_then(|v| i64::try_from(v).ok());
            Value::BigInt(v.ok_or_else(over)?)
        }
        Value::Money(x) => {
            let v = exact(x as i128, 4).and_then(|v| i64::try_from(v).ok());
            Value::Money(v.ok_or_else(over)?)
        }
        Value::Decimal(d) => {
            let v = exact(d.scaled(), d.scale() as i64);
            let v = v.and_then(|v| Decimal::from_scaled(v, d.scale()));
            Value::Decimal(v.filter(|v| v.fits(c.bound.result.precision())).ok_or_else(over)?)
        }
        Value::Float(x) => {
            let power = 10f64.powi(digits.unsigned_abs() as i32);
            let scaled = if digits >= 0 { x * power } else { x / power };
            if !scaled.is_finite() {
                return Ok(Value::Float(x));
            }
            let whole = if cut { scaled.trunc() } else { scaled.round() };
            Value::Float(if digits >= 0 { whole / power } else { whole * power })
        }
        ref other => other.clone(),
    })
}

/// Back from float to the type of the result; 8115.
fn from_float(x: f64, to: SqlType) -> SqlResult<Value> {
    if !x.is_finite() {
        return Err(SqlError::new(3623, &[]));
    }
    taffrail_types::convert::cast(&Value::Float(x), SqlType::Float, to, None, Conversion::Explicit)
}

fn power_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = widened(number_type(r, 0)?);
    let result = match ty {
        SqlType::Decimal { scale, .. } => SqlType::Decimal { precision: 38, scale },
        SqlType::Numeric { scale, .. } => SqlType::Numeric { precision: 38, scale },
        other => other,
    };
    Ok(signature(&[SqlType::Float, r.param(1, SqlType::Float)?], result))
}

fn power(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let (base, exponent) = (float(&args[0]), float(&args[1]));
    if base == 0.0 && exponent < 0.0 {
        return Err(SqlError::new(8134, &[]));
    }
    let x = base.powf(exponent);
    if x.is_infinite() {
        return Err(overflow(c.bound.result));
    }
    // 10^23 is not a double; a whole power of a whole number is rounded to the whole number that it is nearest to.
    from_float(x, c.bound.result)
}

fn angle_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = widened(number_type(r, 0)?);
    let result = match ty.family() {
        Family::Decimal => SqlType::Numeric { precision: 38, scale: 18 },
        _ => ty,
    };
    Ok(signature(&[SqlType::Float], result))
}

fn angle(c: &Call<'_>, args: &[Value], f: fn(f64) -> f64) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    // Below the range of float, which ends at 2.23E-308, there is 0.
    let x = Some(f(float(&args[0]))).filter(|x| !x.is_subnormal());
    from_float(x.unwrap_or(0.0), c.bound.result)
}

fn real(args: &[Value], f: fn(f64) -> f64) -> SqlResult<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    finite(f(float(&args[0])))
}

/// 3623 for what is not defined (the logarithm of 0, the root of -1), 8115 for what is too large.
fn finite(x: f64) -> SqlResult<Value> {
    if x.is_nan() || x == f64::NEG_INFINITY {
        return Err(SqlError::new(3623, &[]));
    }
    if x.is_infinite() {
        return Err(overflow(SqlType::Float));
    }
    Ok(Value::Float(x))
}

fn log(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let ln = float(&args[0]).ln();
    // There is no logarithm to a base that is not positive, or 1.
    let to_base = |base: f64| if base <= 0.0 || base == 1.0 { f64::NAN } else { ln / base.ln() };
    finite(args.get(1).map_or(ln, |base| to_base(float(base))))
}

fn atn2(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let (y, x) = (float(&args[0]), float(&args[1]));
    // No angle: NaN is refused.
    finite(if y == 0.0 && x == 0.0 { f64::NAN } else { y.atan2(x) })
}

fn rand(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    match args.first() {
        Some(Value::Null) => return Ok(Value::Null),
        Some(seed) => c.context.seed_random(int(seed) as i32),
        None => {}
    }
    Ok(Value::Float(c.context.random()))
}

/// Whether the text converts to some numeric type; a lone sign, point or currency symbol does.
fn isnumeric(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let yes = match &args[0] {
        Value::VarChar(_) | Value::NVarChar(_) => {
            let text = narrow(&args[0]);
            let text = text.trim_ascii();
            let money = || {
                let (from, to) = (c.bound.params[0], SqlType::Money);
                taffrail_types::convert::cast(&args[0], from, to, None, Conversion::Explicit)
                    .is_ok()
            };
            !text.is_empty()
                && (matches!(text, b"+" | b"-" | b"." | b",")
                    || parse_float(text).is_some_and(f64::is_finite)
                    || money())
        }
        Value::Bit(_) => false,
        Value::Decimal(_) | Value::Money(_) | Value::Real(_) | Value::Float(_) => true,
        other => other.as_i64().is_some(),
    };
    Ok(Value::Int(yes as i32))
}

fn checksum(c: &Call<'_>, args: &[Value], binary: bool) -> SqlResult<Value> {
    let SettledCall { params, collations, .. } = c.bound;
    Ok(Value::Int(super::checksum::checksum(args, params, collations, binary)))
}

/// All arguments as their common type.
fn common_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let mut ty = r.args[0];
    for other in &r.args[1..] {
        ty = taffrail_types::convert::common_type(ty, *other)?;
    }
    Ok(signature(&vec![ty; r.args.len()], ty))
}

/// The greatest or least that is not NULL.
fn extreme(c: &Call<'_>, args: &[Value], greatest: bool) -> SqlResult<Value> {
    let collation = c.collation();
    let mut best: Option<&Value> = None;
    for v in args.iter().filter(|v| !v.is_null()) {
        let better = best.is_none_or(|b| {
            let order = compare::compare(v, b, collation);
            if greatest { order.is_gt() } else { order.is_lt() }
        });
        if better {
            best = Some(v);
        }
    }
    Ok(best.cloned().unwrap_or(Value::Null))
}

fn newid(c: &Call<'_>, _: &[Value]) -> SqlResult<Value> {
    let mut g = [0; 16];
    c.context.entropy(&mut g);
    // Version 4; the third group is stored with its last byte first.
    g[7] = g[7] & 0x0F | 0x40;
    g[8] = g[8] & 0x3F | 0x80;
    Ok(Value::Guid(g))
}

//! Operators: their types, settled once per statement, and their evaluation.
//!
//! [`binary`] follows data type precedence: text becomes the other side's type, the lower number becomes the higher,
//! decimals keep their own precision and scale and the result gets what [`crate::decimal`]'s rules give. Integers do
//! not widen: int + int is int, or error 8115. An untyped NULL has no place here: the binder gives it the other
//! operand's type.
//!
//! | operands | `+ -` | `* /` | `%` | `& \| ^` |
//! |---|---|---|---|---|
//! | integers (bit with another integer) | yes | yes | yes | yes |
//! | decimal, money | yes | yes | yes | no: 402 |
//! | float, real | yes | yes | no: 402, two of them 8117 | no: 402 |
//! | datetime, smalldatetime, with each other or a number | yes | no: 8117 | no | no |
//! | date, time, datetime2, datetimeoffset | no: 206, 402, 8117 | no | no | no |
//! | text + text, binary + binary | `+` only | no: 8117 | no | binary with an integer |
//!
//! Text goes with `%` beside integers only. Two bits go with nothing but `& | ^`.

use crate::decimal::{self, DecimalError, NumericType};
use crate::value::INLINE_BYTES;
use crate::{Bytes, Decimal, Family, MaxLen, SqlType, Value};
use taffrail_base::{SqlError, SqlResult};

/// A binary operator that computes (comparisons are in [`crate::compare`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
}

impl BinaryOp {
    /// The operator's name in messages, such as `add`.
    pub fn message_name(self) -> &'static str {
        match self {
            BinaryOp::Add => "add",
            BinaryOp::Subtract => "subtract",
            BinaryOp::Multiply => "multiply",
            BinaryOp::Divide => "divide",
            BinaryOp::Modulo => "modulo",
            BinaryOp::BitAnd => "'&'",
            BinaryOp::BitOr => "'|'",
            BinaryOp::BitXor => "'^'",
        }
    }

    fn is_bitwise(self) -> bool {
        matches!(self, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor)
    }
}

/// A unary operator on numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `+x`
    Plus,
    /// `-x`
    Minus,
    /// `~x`
    BitNot,
}

/// An operator with its operand types settled: cast the operands to `left` and `right` (where they differ from
/// what they are), then [`Operation::eval`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// The operator that is applied.
    pub op: BinaryOp,
    /// The type that the left operand is converted to (implicitly).
    pub left: SqlType,
    /// The type that the right operand is converted to.
    pub right: SqlType,
    /// The type of the result.
    pub result: SqlType,
}

/// Settles types by T-SQL's rules; 402, 206, 8117 where the types do not go together.
pub fn binary(op: BinaryOp, left: SqlType, right: SqlType) -> SqlResult<Operation> {
    use Family::*;
    let incompatible =
        || Err(SqlError::new(402, &[&left.name(), &right.name(), &op.message_name()]));
    let invalid = |ty: SqlType| Err(SqlError::new(8117, &[&ty.name(), &op.message_name()]));
    let same = |ty: SqlType| Ok(Operation { op, left: ty, right: ty, result: ty });
    let (l, r) = (left.family(), right.family());
    if l == Variant || r == Variant {
        return invalid(SqlType::Variant);
    }
    if op.is_bitwise() {
        return match (l, r) {
            (Bit, Bit) => same(SqlType::Bit),
            (Bit | Integer, Bit | Integer) => same(higher(left, right)),
            (Integer, Binary | RowVersion) => same(left),
            (Binary | RowVersion, Integer) => same(right),
            _ => incompatible(),
        };
    }
    match (l, r) {
        (Char | NChar, Char | NChar) | (Binary, Binary) => match op {
            BinaryOp::Add => Ok(concatenation(left, right)),
            BinaryOp::Subtract | BinaryOp::Modulo if l == Binary => incompatible(),
            _ => invalid(left),
        },
        (Char | NChar, Binary) | (Binary, Char | NChar) => incompatible(),
        (Char | NChar, _) => text_with(op, right, left, right),
        (_, Char | NChar) => text_with(op, left, left, right),
        (NewDate, _) | (_, NewDate) => {
            if l == r && left.name() == right.name() {
                return invalid(left);
            }
            if l == NewDate && right.is_number() || r == NewDate && left.is_number() {
                return Err(SqlError::new(206, &[&left.name(), &right.name()]));
            }
            incompatible()
        }
        (OldDate, _) | (_, OldDate) => {
            if l == Guid || r == Guid {
                return incompatible();
            }
            if !matches!(op, BinaryOp::Add | BinaryOp::Subtract) {
                return invalid(if l == OldDate { left } else { right });
            }
            match (l, r) {
                (OldDate, OldDate) => same(higher(left, right)),
                (OldDate, _) => same(left),
                _ => same(right),
            }
        }
        (Guid, Guid) | (RowVersion, RowVersion) => invalid(left),
        (Guid, _) | (_, Guid) => incompatible(),
        (Binary | RowVersion, Binary | RowVersion) => incompatible(),
        (Binary | RowVersion, Float) | (Float, Binary | RowVersion) => {
            Err(SqlError::new(206, &[&left.name(), &right.name()]))
        }
        (Binary | RowVersion, _) => numbers(op, right, right),
        (_, Binary | RowVersion) => numbers(op, left, left),
        _ => numbers(op, left, right),
    }
}

/// The concatenation of two texts, or of two strings of bytes.
fn concatenation(left: SqlType, right: SqlType) -> Operation {
    let result = concat_type(left, right);
    let unicode = result.is_unicode();
    // Both sides keep their own lengths; only the character set may change.
    let side = |ty: SqlType| match (ty, unicode) {
        (SqlType::Char(n), true) => SqlType::NChar(n.min(4000)),
        (SqlType::VarChar(MaxLen::N(n)), true) => SqlType::NVarChar(MaxLen::N(n.min(4000))),
        (SqlType::VarChar(MaxLen::Max), true) => SqlType::NVARCHAR_MAX,
        (other, _) => other,
    };
    Operation { op: BinaryOp::Add, left: side(left), right: side(right), result }
}

/// Text beside something else becomes that.
fn text_with(op: BinaryOp, other: SqlType, left: SqlType, right: SqlType) -> SqlResult<Operation> {
    match other.family() {
        Family::Guid | Family::RowVersion | Family::NewDate => {
            Err(SqlError::new(402, &[&left.name(), &right.name(), &op.message_name()]))
        }
        family if op == BinaryOp::Modulo && family != Family::Integer => {
            Err(SqlError::new(402, &[&left.name(), &right.name(), &op.message_name()]))
        }
        Family::Bit if op == BinaryOp::Add || op == BinaryOp::Subtract => {
            Err(SqlError::new(402, &[&left.name(), &right.name(), &op.message_name()]))
        }
        _ => binary(op, other, other),
    }
}

fn numbers(op: BinaryOp, left: SqlType, right: SqlType) -> SqlResult<Operation> {
    use Family::*;
    let incompatible =
        || Err(SqlError::new(402, &[&left.name(), &right.name(), &op.message_name()]));
    let same = |ty: SqlType| Ok(Operation { op, left: ty, right: ty, result: ty });
    match (left.family(), right.family()) {
        (Bit, Bit) if matches!(op, BinaryOp::Multiply | BinaryOp::Divide) => {
            Err(SqlError::new(8117, &[&left.name(), &op.message_name()]))
        }
        (Bit, Bit) => incompatible(),
        (Float, Float) if op == BinaryOp::Modulo => {
            Err(SqlError::new(8117, &[&left.name(), &op.message_name()]))
        }
        (Float, _) | (_, Float) if op == BinaryOp::Modulo => incompatible(),
        (Float, _) | (_, Float) => same(higher(left, right)),
        (Decimal, _) | (_, Decimal) => {
            let (Some(a), Some(b)) = (left.as_numeric(), right.as_numeric()) else {
                return incompatible();
            };
            let to = match op {
                BinaryOp::Add | BinaryOp::Subtract => decimal::add_type(a, b),
                BinaryOp::Multiply => decimal::mul_type(a, b),
                BinaryOp::Divide => decimal::div_type(a, b),
                _ => decimal::rem_type(a, b),
            };
            let is_decimal = matches!(left, SqlType::Decimal { .. })
                || matches!(right, SqlType::Decimal { .. }) && left.family() != Decimal;
            let ty = |t: NumericType| {
                let NumericType { precision, scale } = t;
                if is_decimal {
                    SqlType::Decimal { precision, scale }
                } else {
                    SqlType::Numeric { precision, scale }
                }
            };
            let side = |own: SqlType, t: NumericType| {
                if own.family() == Decimal { own } else { ty(t) }
            };
            Ok(Operation { op, left: side(left, a), right: side(right, b), result: ty(to) })
        }
        _ => same(higher(left, right)),
    }
}

fn higher(a: SqlType, b: SqlType) -> SqlType {
    use crate::convert::precedence;
    if precedence(a) >= precedence(b) { a } else { b }
}

/// The type of `text + text` or `binary + binary`: lengths add up, to at most 8,000 bytes unless one is (max).
pub fn concat_type(a: SqlType, b: SqlType) -> SqlType {
    let unicode = a.is_unicode() || b.is_unicode();
    let binary = a.family() == Family::Binary;
    let fixed = a.is_padded() && b.is_padded();
    let len = match (a.length(), b.length()) {
        (Some(MaxLen::N(x)), Some(MaxLen::N(y))) => {
            MaxLen::N((x as u32 + y as u32).clamp(1, if unicode { 4000 } else { 8000 }) as u16)
        }
        _ => MaxLen::Max,
    };
    match (len, fixed) {
        (MaxLen::N(n), true) if binary => SqlType::Binary(n),
        (MaxLen::N(n), true) if unicode => SqlType::NChar(n),
        (MaxLen::N(n), true) => SqlType::Char(n),
        _ if binary => SqlType::VarBinary(len),
        _ if unicode => SqlType::NVarChar(len),
        _ => SqlType::VarChar(len),
    }
}

#[cold]
fn overflow(ty: SqlType) -> Box<SqlError> {
    SqlError::new(8115, &[&"expression", &ty.message_name()]).with_state(2)
}

#[cold]
fn divide_by_zero() -> Box<SqlError> {
    SqlError::new(8134, &[])
}

/// int + int; 8115.
#[inline]
pub fn add_int(a: i32, b: i32) -> SqlResult<i32> {
    a.checked_add(b).ok_or_else(|| overflow(SqlType::Int))
}

/// int - int; 8115.
#[inline]
pub fn sub_int(a: i32, b: i32) -> SqlResult<i32> {
    a.checked_sub(b).ok_or_else(|| overflow(SqlType::Int))
}

/// Two byte strings, cut at `max` bytes: no allocation while the result fits inline.
#[inline]
pub fn concat(a: &[u8], b: &[u8], max: usize) -> Bytes {
    let a = &a[..a.len().min(max)];
    let b = &b[..b.len().min(max - a.len())];
    let len = a.len() + b.len();
    if len <= INLINE_BYTES {
        let mut buffer = [0; INLINE_BYTES];
        buffer[..a.len()].copy_from_slice(a);
        buffer[a.len()..len].copy_from_slice(b);
        return Bytes::from_buf_and_len(buffer, len);
    }
    let mut out = Vec::with_capacity(len);
    out.extend_from_slice(a);
    out.extend_from_slice(b);
    Bytes::from_vec(out)
}

/// Integer operators by width.
macro_rules! integer {
    ($op:expr, $x:expr, $y:expr, $variant:path, $ty:expr) => {{
        let (x, y) = ($x, $y);
        let result = match $op {
            BinaryOp::Add => x.checked_add(y),
            BinaryOp::Subtract => x.checked_sub(y),
            BinaryOp::Multiply => x.checked_mul(y),
            BinaryOp::Divide if y == 0 => return Err(divide_by_zero()),
            BinaryOp::Divide => x.checked_div(y),
            BinaryOp::Modulo if y == 0 => return Err(divide_by_zero()),
            // Of the least integer and -1 the division overflows.
            BinaryOp::Modulo => x.checked_rem(y),
            BinaryOp::BitAnd => Some(x & y),
            BinaryOp::BitOr => Some(x | y),
            BinaryOp::BitXor => Some(x ^ y),
        };
        result.map($variant).ok_or_else(|| overflow($ty))
    }};
}

impl Operation {
    /// Computes; NULL if either is NULL. The values must be of the families of `left` and `right`.
    #[inline]
    pub fn eval(&self, a: &Value, b: &Value) -> SqlResult<Value> {
        match (a, b) {
            (Value::Int(x), Value::Int(y)) => integer!(self.op, *x, *y, Value::Int, SqlType::Int),
            (Value::VarChar(x), Value::VarChar(y)) => {
                Ok(Value::VarChar(concat(x, y, self.result.byte_limit())))
            }
            _ => self.eval_others(a, b),
        }
    }

    /// Whether exact numbers have lost no digit in a result of [`Operation::eval`].
    pub fn is_exact(&self, a: &Value, b: &Value, result: &Value) -> bool {
        match (a, b, result) {
            (Value::Decimal(x), Value::Decimal(y), Value::Decimal(v)) => match self.op {
                BinaryOp::Add => Decimal::sum_is_exact(*x, *y, v.scale()),
                BinaryOp::Subtract => Decimal::sum_is_exact(*x, y.negate(), v.scale()),
                BinaryOp::Multiply => Decimal::product_is_exact(*x, *y, v.scale()),
                BinaryOp::Divide => Decimal::quotient_is_exact(*x, *y, *v),
                _ => true,
            },
            (Value::Money(x), Value::Money(y), Value::Money(_)) => match self.op {
                BinaryOp::Multiply => i128::from(*x) * i128::from(*y) % 10_000 == 0,
                BinaryOp::Divide => i128::from(*x) * 10_000 % i128::from(*y) == 0,
                _ => true,
            },
            _ => true,
        }
    }

    /// 8115 of its result.
    #[cold]
    pub fn overflow(&self) -> Box<SqlError> {
        overflow(self.result)
    }

    fn eval_others(&self, a: &Value, b: &Value) -> SqlResult<Value> {
        let op = self.op;
        match (a, b) {
            (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
            (Value::BigInt(x), Value::BigInt(y)) => {
                integer!(op, *x, *y, Value::BigInt, SqlType::BigInt)
            }
            (Value::SmallInt(x), Value::SmallInt(y)) => {
                integer!(op, *x, *y, Value::SmallInt, SqlType::SmallInt)
            }
            (Value::TinyInt(x), Value::TinyInt(y)) => {
                integer!(op, *x, *y, Value::TinyInt, SqlType::TinyInt)
            }
            (Value::Bit(x), Value::Bit(y)) => Ok(Value::Bit(match op {
                BinaryOp::BitAnd => x & y,
                BinaryOp::BitOr => x | y,
                BinaryOp::BitXor => x ^ y,
                _ => return Err(self.mismatch(a, b)),
            })),
            (Value::Decimal(x), Value::Decimal(y)) => self.decimals(*x, *y).map(Value::Decimal),
            (Value::Money(x), Value::Money(y)) => self.money(*x as i128, *y as i128),
            (Value::Float(x), Value::Float(y)) => {
                let v = float(op, *x, *y)?;
                if v.is_finite() { Ok(Value::Float(v)) } else { Err(overflow(SqlType::Float)) }
            }
            (Value::Real(x), Value::Real(y)) => {
                let v = float(op, *x as f64, *y as f64)? as f32;
                if v.is_finite() { Ok(Value::Real(v)) } else { Err(overflow(SqlType::Real)) }
            }
            (Value::NVarChar(x), Value::NVarChar(y)) => {
                Ok(Value::NVarChar(concat(x, y, self.result.byte_limit())))
            }
            (Value::Binary(x), Value::Binary(y)) => {
                Ok(Value::Binary(concat(x, y, self.result.byte_limit())))
            }
            (Value::DateTime { days, ticks }, Value::DateTime { days: e, ticks: u }) => {
                let sign = if op == BinaryOp::Subtract { -1 } else { 1 };
                let per_day = crate::datetime::DATETIME_TICKS_PER_DAY as i64;
                let at = |days: i32, ticks: u32| days as i64 * per_day + ticks as i64;
                let sum = at(*days, *ticks) + sign * at(*e, *u);
                let (days, ticks) = (sum.div_euclid(per_day), sum.rem_euclid(per_day));
                if !crate::datetime::datetime_in_range(days) {
                    return Err(overflow(SqlType::DateTime));
                }
                Ok(Value::DateTime { days: days as i32, ticks: ticks as u32 })
            }
            (
                Value::SmallDateTime { days, minutes },
                Value::SmallDateTime { days: e, minutes: u },
            ) => {
                let sign = if op == BinaryOp::Subtract { -1 } else { 1 };
                let at = |days: u16, minutes: u16| days as i64 * 1440 + minutes as i64;
                let sum = at(*days, *minutes) + sign * at(*e, *u);
                let days = u16::try_from(sum.div_euclid(1440));
                let days = days.map_err(|_| overflow(SqlType::SmallDateTime))?;
                Ok(Value::SmallDateTime { days, minutes: sum.rem_euclid(1440) as u16 })
            }
            _ => Err(self.mismatch(a, b)),
        }
    }

    /// The binder's casts left values that the operation does not know: a mistake of ours, not the user's.
    #[cold]
    fn mismatch(&self, a: &Value, b: &Value) -> Box<SqlError> {
        debug_assert!(false, "{self:?} on {a:?} and {b:?}");
        SqlError::new(402, &[&self.left.name(), &self.right.name(), &self.op.message_name()])
    }

    fn decimals(&self, x: Decimal, y: Decimal) -> SqlResult<Decimal> {
        let to = self.result.as_numeric().ok_or_else(|| overflow(self.result))?;
        let result = match self.op {
            BinaryOp::Add => Decimal::add(x, y, to),
            BinaryOp::Subtract => Decimal::sub(x, y, to),
            BinaryOp::Multiply => Decimal::mul(x, y, to),
            BinaryOp::Divide => Decimal::div(x, y, to),
            _ => Decimal::rem(x, y, to),
        };
        result.map_err(|e| match e {
            DecimalError::Overflow => overflow(self.result),
            DecimalError::DivideByZero => divide_by_zero(),
        })
    }

    /// Ten-thousandths: products round, quotients truncate.
    fn money(&self, x: i128, y: i128) -> SqlResult<Value> {
        let result = match self.op {
            BinaryOp::Add => x + y,
            BinaryOp::Subtract => x - y,
            BinaryOp::Multiply => {
                let product = x * y;
                (product + product.signum() * 5_000) / 10_000
            }
            BinaryOp::Divide | BinaryOp::Modulo if y == 0 => return Err(divide_by_zero()),
            BinaryOp::Divide => x * 10_000 / y,
            _ => x % y,
        };
        let small = self.result == SqlType::SmallMoney;
        let fits =
            if small { i32::try_from(result).is_ok() } else { i64::try_from(result).is_ok() };
        if fits { Ok(Value::Money(result as i64)) } else { Err(overflow(self.result)) }
    }
}

fn float(op: BinaryOp, x: f64, y: f64) -> SqlResult<f64> {
    Ok(match op {
        BinaryOp::Add => x + y,
        BinaryOp::Subtract => x - y,
        BinaryOp::Multiply => x * y,
        _ if y == 0.0 => return Err(divide_by_zero()),
        _ => x / y,
    })
}

/// The result type of a unary operator (the operand is cast to it first); 8117.
pub fn unary(op: UnaryOp, operand: SqlType) -> SqlResult<SqlType> {
    let name = match op {
        UnaryOp::Plus => return Ok(operand),
        UnaryOp::Minus => "minus",
        UnaryOp::BitNot => "'~'",
    };
    match (op, operand.family()) {
        (UnaryOp::BitNot, Family::Bit | Family::Integer) => Ok(operand),
        (UnaryOp::Minus, Family::Integer) if operand == SqlType::TinyInt => Ok(SqlType::SmallInt),
        (UnaryOp::Minus, Family::Integer | Family::Decimal | Family::Money | Family::Float) => {
            Ok(operand)
        }
        _ => Err(SqlError::new(8117, &[&operand.name(), &name])),
    }
}

/// Computes a unary operator on a value of the type that [`unary`] gave.
pub fn eval_unary(op: UnaryOp, v: &Value) -> SqlResult<Value> {
    if op == UnaryOp::Plus {
        return Ok(v.clone());
    }
    let not = op == UnaryOp::BitNot;
    Ok(match *v {
        Value::Null => Value::Null,
        Value::Int(x) if not => Value::Int(!x),
        Value::BigInt(x) if not => Value::BigInt(!x),
        Value::SmallInt(x) if not => Value::SmallInt(!x),
        Value::TinyInt(x) if not => Value::TinyInt(!x),
        Value::Bit(x) if not => Value::Bit(!x),
        Value::Int(x) => Value::Int(x.checked_neg().ok_or_else(|| overflow(SqlType::Int))?),
        Value::BigInt(x) => {
            Value::BigInt(x.checked_neg().ok_or_else(|| overflow(SqlType::BigInt))?)
        }
        Value::SmallInt(x) => {
            Value::SmallInt(x.checked_neg().ok_or_else(|| overflow(SqlType::SmallInt))?)
        }
        Value::Decimal(d) => Value::Decimal(d.negate()),
        Value::Money(m) => Value::Money(m.checked_neg().ok_or_else(|| overflow(SqlType::Money))?),
        Value::Float(x) => Value::Float(-x),
        Value::Real(x) => Value::Real(-x),
        ref other => {
            debug_assert!(false, "{op:?} on {other:?}");
            return Err(SqlError::new(8117, &[&"expression", &"minus"]));
        }
    })
}

#[cfg(test)]
mod tests;

//! Operators.
use crate::{Bytes, SqlType, Value};
use taffrail_base::SqlResult;

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

/// A unary operator.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The operator.
    pub op: BinaryOp,
    /// What the left operand must be converted to (implicitly).
    pub left: SqlType,
    /// What the right operand must be converted to.
    pub right: SqlType,
    /// The type of the result.
    pub result: SqlType,
}

/// Settles types by T-SQL's rules; 402, 206, 257, 8117 where the types do not go together.
pub fn binary(op: BinaryOp, left: SqlType, right: SqlType) -> SqlResult<Operation> {
    let _ = (op, left, right);
    todo!()
}

impl Operation {
    /// Computes; NULL if either is NULL. The values must be of the families of `left` and `right`.
    #[inline]
    pub fn eval(&self, a: &Value, b: &Value) -> SqlResult<Value> {
        let _ = (a, b);
        todo!()
    }
}

/// The result type of a unary operator (the operand is cast to it first); 8117.
pub fn unary(op: UnaryOp, operand: SqlType) -> SqlResult<SqlType> {
    let _ = (op, operand);
    todo!()
}

/// Computes a unary operator on a value of the type that [`unary`] gave.
pub fn eval_unary(op: UnaryOp, v: &Value) -> SqlResult<Value> {
    let _ = (op, v);
    todo!()
}

/// int + int; 8115.
#[inline]
pub fn add_int(a: i32, b: i32) -> SqlResult<i32> {
    let _ = (a, b);
    todo!()
}
/// int - int; 8115.
#[inline]
pub fn sub_int(a: i32, b: i32) -> SqlResult<i32> {
    let _ = (a, b);
    todo!()
}

/// Two byte strings, cut at `max` bytes: no allocation while the result fits inline.
#[inline]
pub fn concat(a: &[u8], b: &[u8], max: usize) -> Bytes {
    let _ = (a, b, max);
    todo!()
}

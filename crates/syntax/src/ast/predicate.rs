//! Conditions: comparisons and the predicates that keywords make.

use super::{Expr, Query};

/// The operators that compare two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `<>`, `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`, `!>`
    Le,
    /// `>`
    Gt,
    /// `>=`, `!<`
    Ge,
}

/// The comparison `left op right`.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The operator between the operands.
    pub op: CompareOp,
    /// The operand on the left.
    pub left: Expr,
    /// The operand on the right.
    pub right: Expr,
}

/// `left op ALL | ANY | SOME (query)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantified {
    /// The operator between the operands.
    pub op: CompareOp,
    /// `ALL`; else `ANY` or `SOME`.
    pub all: bool,
    /// The operand on the left.
    pub left: Expr,
    /// The rows compared with.
    pub query: Query,
}

/// `operand IS [NOT] NULL`.
#[derive(Clone, Debug, PartialEq)]
pub struct IsNull {
    /// The value that is tested for NULL.
    pub operand: Expr,
    /// Whether `NOT` was written.
    pub negated: bool,
}

/// `left IS [NOT] DISTINCT FROM right`.
#[derive(Clone, Debug, PartialEq)]
pub struct IsDistinct {
    /// The operand on the left.
    pub left: Expr,
    /// The operand on the right.
    pub right: Expr,
    /// Whether `NOT` was written.
    pub negated: bool,
}

/// `operand [NOT] BETWEEN low AND high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Between {
    /// The value that is compared with both bounds.
    pub operand: Expr,
    /// The lower bound, which is inside.
    pub low: Expr,
    /// The upper bound, which is inside.
    pub high: Expr,
    /// Whether `NOT` was written.
    pub negated: bool,
}

/// `operand [NOT] IN (list)`.
#[derive(Clone, Debug, PartialEq)]
pub struct InList {
    /// The value that is sought in the list.
    pub operand: Expr,
    /// The values, at least one.
    pub list: Vec<Expr>,
    /// Whether `NOT` was written.
    pub negated: bool,
}

/// `operand [NOT] IN (query)`.
#[derive(Clone, Debug, PartialEq)]
pub struct InQuery {
    /// The value that is sought among the rows.
    pub operand: Expr,
    /// The query of one column whose rows are searched.
    pub query: Query,
    /// Whether `NOT` was written.
    pub negated: bool,
}

/// `operand [NOT] LIKE pattern [ESCAPE escape]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Like {
    /// The string that is matched with the pattern.
    pub operand: Expr,
    /// The pattern, with `%`, `_` and `[…]`.
    pub pattern: Expr,
    /// The character that takes a wildcard's meaning away.
    pub escape: Option<Expr>,
    /// Whether `NOT` was written.
    pub negated: bool,
}

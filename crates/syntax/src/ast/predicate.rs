//! Conditions: comparisons and the predicates that keywords make.

use super::{Expr, Query};

/// Comparison operators.
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

/// `left op right`.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The operator.
    pub op: CompareOp,
    /// Left operand.
    pub left: Expr,
    /// Right operand.
    pub right: Expr,
}

/// `left op ALL | ANY | SOME (query)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantified {
    /// The operator.
    pub op: CompareOp,
    /// `ALL`; else `ANY` or `SOME`.
    pub all: bool,
    /// Left operand.
    pub left: Expr,
    /// The rows compared with.
    pub query: Query,
}

/// `operand IS [NOT] NULL`.
#[derive(Clone, Debug, PartialEq)]
pub struct IsNull {
    /// What is tested.
    pub operand: Expr,
    /// `NOT`.
    pub negated: bool,
}

/// `left IS [NOT] DISTINCT FROM right`.
#[derive(Clone, Debug, PartialEq)]
pub struct IsDistinct {
    /// Left operand.
    pub left: Expr,
    /// Right operand.
    pub right: Expr,
    /// `NOT`.
    pub negated: bool,
}

/// `operand [NOT] BETWEEN low AND high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Between {
    /// What is tested.
    pub operand: Expr,
    /// Lower bound, inclusive.
    pub low: Expr,
    /// Upper bound, inclusive.
    pub high: Expr,
    /// `NOT`.
    pub negated: bool,
}

/// `operand [NOT] IN (list)`.
#[derive(Clone, Debug, PartialEq)]
pub struct InList {
    /// What is tested.
    pub operand: Expr,
    /// The values, at least one.
    pub list: Vec<Expr>,
    /// `NOT`.
    pub negated: bool,
}

/// `operand [NOT] IN (query)`.
#[derive(Clone, Debug, PartialEq)]
pub struct InQuery {
    /// What is tested.
    pub operand: Expr,
    /// The rows.
    pub query: Query,
    /// `NOT`.
    pub negated: bool,
}

/// `operand [NOT] LIKE pattern [ESCAPE escape]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Like {
    /// What is tested.
    pub operand: Expr,
    /// The pattern.
    pub pattern: Expr,
    /// The escape character.
    pub escape: Option<Expr>,
    /// `NOT`.
    pub negated: bool,
}

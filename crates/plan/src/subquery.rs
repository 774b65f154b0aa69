//! How a subquery of an expression is run.

use crate::expr::Expr;
use crate::node::Node;
use taffrail_types::Collation;

/// A subquery of an expression.
#[derive(Clone, Debug, Default)]
pub struct SubqueryPlan {
    /// Its rows for one outer row.
    pub node: Node,
    /// The same for all outer rows at once, where that can be.
    pub keyed: Option<Box<Keyed>>,
}

/// What reads of its outer row nothing but one side of equalities: its rows for all outer rows are found at once and kept by the
/// other side.
#[derive(Clone, Debug)]
pub struct Keyed {
    /// The rows of the subquery without the equalities; of an aggregation, one for each different key.
    pub node: Node,
    /// Equalities: an expression of the outer row, one of the rows.
    pub keys: Vec<(Expr, Expr, Collation)>,
    /// It aggregates: without any row there is a result, too.
    pub grouped: bool,
    /// So many outer rows are answered one by one before it pays.
    pub after: u32,
}

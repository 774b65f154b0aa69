//! Functions over windows.

use crate::expr::{Expr, Slot};
use crate::node::{Agg, Node, SortKey};
use taffrail_types::Collation;

/// The functions over a window.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum WindowFunction {
    /// The number of the row: ROW_NUMBER.
    RowNumber,
    /// The rank with gaps: RANK.
    Rank,
    /// The rank without gaps: DENSE_RANK.
    DenseRank,
    /// The rank as a share: PERCENT_RANK.
    PercentRank,
    /// The share of the rows up to the peers of this one: CUME_DIST.
    CumeDist,
    /// The functions PERCENTILE_CONT and PERCENTILE_DISC, over rows in the order of the value.
    Percentile {
        /// The share of the rows, a float.
        fraction: Expr,
        /// The value of a row.
        value: Expr,
        /// The result may lie between two values, which are floats.
        continuous: bool,
    },
    /// The function NTILE, with its count.
    Ntile(Expr),
    /// LAG, LEAD (negative offset): value, offset, default.
    Offset {
        /// The value of the other row.
        value: Expr,
        /// How many rows back.
        offset: Expr,
        /// LEAD rather than LAG.
        lead: bool,
        /// Where there is no such row.
        default: Option<Expr>,
        /// IGNORE NULLS: from a row whose value is NULL it goes on to the next one that has a value.
        ignore_nulls: bool,
    },
    /// The functions FIRST_VALUE and LAST_VALUE.
    Edge {
        /// The value of that row.
        value: Expr,
        /// LAST_VALUE rather than FIRST_VALUE.
        last: bool,
        /// IGNORE NULLS is written.
        ignore_nulls: bool,
    },
    /// An aggregate over the frame.
    Aggregate(Agg),
}

impl WindowFunction {
    /// Calls `f` with the function's expressions.
    pub fn exprs<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        match self {
            WindowFunction::RowNumber
            | WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::PercentRank
            | WindowFunction::CumeDist => {}
            WindowFunction::Percentile { fraction, value, .. } => {
                f(fraction);
                f(value);
            }
            WindowFunction::Ntile(e) => f(e),
            WindowFunction::Offset { value, offset, default, .. } => {
                f(value);
                f(offset);
                default.iter().for_each(f);
            }
            WindowFunction::Edge { value, .. } => f(value),
            WindowFunction::Aggregate(a) => a.exprs(f),
        }
    }

    /// The same, to change them.
    pub fn exprs_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        match self {
            WindowFunction::RowNumber
            | WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::PercentRank
            | WindowFunction::CumeDist => {}
            WindowFunction::Percentile { fraction, value, .. } => {
                f(fraction);
                f(value);
            }
            WindowFunction::Ntile(e) => f(e),
            WindowFunction::Offset { value, offset, default, .. } => {
                f(value);
                f(offset);
                default.iter_mut().for_each(f);
            }
            WindowFunction::Edge { value, .. } => f(value),
            WindowFunction::Aggregate(a) => a.exprs_mut(f),
        }
    }
}

/// The frame of a window.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WindowFrame {
    /// All rows of the partition.
    Partition,
    /// To the current row and its peers.
    RangeToCurrent,
    /// From the current row and its peers on.
    RangeFromCurrent,
    /// The current row and its peers.
    Peers,
    /// Rows from an offset to an offset of the current one; `None` is unbounded.
    Rows(Option<i64>, Option<i64>),
}

/// A function over a window.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WindowItem {
    /// The function with its arguments.
    pub function: WindowFunction,
    /// The frame of its rows.
    pub frame: WindowFrame,
    /// Where the result goes.
    pub slot: Slot,
}

/// The window of a [`Node::Window`].
#[derive(Clone, Debug)]
pub struct Window {
    /// The operator below it.
    pub input: Node,
    /// The expressions of PARTITION BY.
    pub partition: Vec<(Expr, Collation)>,
    /// ORDER BY within it.
    pub order: Vec<SortKey>,
    /// The functions over this window.
    pub items: Vec<WindowItem>,
    /// The slots that are kept.
    pub save: Vec<Slot>,
    /// The functions look back only, and the rows come in the window's order: none is kept.
    pub streamed: bool,
    /// Rows numbered higher are not asked for. Only where they are streamed, in one partition.
    pub until: Option<Expr>,
}

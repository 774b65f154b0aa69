//! Operator trees.
//!
//! An operator reads and writes slots of the statement's frame. Operators that keep rows (sort, hash, spool) keep the
//! slots named in their `save` lists and put them back before they hand a row up.

use crate::expr::{Call, Expr, Pred, Slot};
use crate::grouping::GroupingMark;
pub use crate::join_type::{JoinType, Mark};
use crate::locking::Locking;
use crate::rel::RowsetSource;
use crate::sink::ColumnDesc;
use std::sync::Arc;
use taffrail_catalog::database::Database;
use taffrail_catalog::{Index, Table};
use taffrail_types::{Collation, SqlType};

/// A query whose rows go to a client, a table, a variable. Its rows are operators, or (`R` is [`Rel`]) not planned yet.
///
/// [`Rel`]: crate::rel::Rel
#[derive(Clone, Debug)]
pub struct QueryPlan<R = Node> {
    /// Its rows.
    pub node: R,
    /// Where its columns appear.
    pub outputs: Vec<Slot>,
    /// What they are.
    pub columns: Vec<ColumnDesc>,
}

/// An operator. The planner is alone with it and changes it; once planned it is shared with the operators that run, each of
/// which holds its own part of the plan.
#[derive(Clone, Debug, Default)]
pub enum Node {
    /// One row without columns: SELECT without FROM.
    OneRow,
    /// No row.
    #[default]
    Nothing,
    /// Rows of a table.
    Scan(Arc<Scan>),
    /// Rows of a system view or table-valued function.
    View(Arc<ViewScan>),
    /// Constant rows.
    Values(Arc<ValuesScan>),
    /// Only rows that satisfy the condition.
    Filter(Arc<Filter>),
    /// Computes expressions into slots.
    Compute(Arc<Compute>),
    /// For each left row the right side again.
    Loop(Arc<LoopJoin>),
    /// The right side hashed by its keys.
    Hash(Arc<HashJoin>),
    /// Both sides in the order of the keys, side by side.
    Merge(Arc<MergeJoin>),
    /// Keeps the input's rows and gives them again.
    Spool(Arc<Spool>),
    /// Sorted.
    Sort(Arc<Sort>),
    /// Grouped.
    Aggregate(Arc<Aggregate>),
    /// Window functions.
    Window(Arc<Window>),
    /// The first rows.
    Top(Arc<Top>),
    /// Without duplicates.
    Distinct(Arc<Distinct>),
    /// One input after the other; all write the same slots.
    Concat(Vec<Node>),
    /// EXCEPT and INTERSECT.
    SetOperation(Arc<SetOperation>),
    /// A recursive common table expression.
    Recursive(Arc<Recursive>),
}

/// What is sought in an index: values of its first columns, then what the next column may be.
#[derive(Clone, Debug, Default)]
pub struct Seek {
    /// Values of the first columns of the key.
    pub equal: Vec<SeekValue>,
    /// The next column is any of these; anything where there are none.
    pub then: Vec<SeekBound>,
}

impl Seek {
    /// Nothing is sought: the whole index.
    pub fn is_whole(&self) -> bool {
        self.equal.is_empty() && self.then.is_empty()
    }
}

/// What a column of a key may be.
#[derive(Clone, Debug)]
pub enum SeekBound {
    /// This value; none if it is NULL.
    Equal(SeekValue),
    /// NULL.
    Null,
    /// Anything but NULL.
    NotNull,
    /// Text that begins as a pattern of LIKE does, up to its first wildcard.
    Beginning {
        /// The pattern.
        pattern: SeekValue,
        /// ESCAPE.
        escape: Option<Expr>,
    },
    /// What lies between two values; the flags: the end itself, too. (Without a lower one, NULL is below.)
    Range {
        /// The lower end.
        low: Option<(SeekValue, bool)>,
        /// The upper end.
        high: Option<(SeekValue, bool)>,
    },
}

/// A value to seek.
#[derive(Clone, Debug)]
pub struct SeekValue {
    /// Computed when the scan opens, from constants, variables and slots of earlier sources.
    pub expr: Expr,
    /// Its type.
    pub from: SqlType,
    /// The column's type.
    pub to: SqlType,
    /// What NULL finds.
    pub null: NullFinds,
}

/// What NULL finds where it is sought.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NullFinds {
    /// Nothing: no value is equal to it.
    #[default]
    Nothing,
    /// NULL: the comparison is IS NOT DISTINCT FROM, or one under SET ANSI_NULLS OFF.
    Null,
    /// NULL where the session's ANSI_NULLS is OFF when it is sought.
    BySession,
}

/// How a table's rows are found.
#[derive(Clone, Debug)]
pub enum Access {
    /// The heap or clustered index, all of it (backwards: descending).
    Full,
    /// A range of the clustered index.
    Clustered(Arc<Index>, Seek),
    /// A range of a nonclustered index, then the row unless the index holds all the columns.
    Nonclustered(Arc<Index>, Seek),
}

/// Rows of a table.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The database.
    pub database: Arc<Database>,
    /// The table.
    pub table: Arc<Table>,
    /// Which rows, by which way.
    pub access: Access,
    /// Columns (by position in the table) and the slots they go to: those that the filter reads, then the others, each ascending.
    pub columns: Vec<(usize, Slot)>,
    /// So many of them does the filter read: the others are read of rows that pass it.
    pub filtered: usize,
    /// Where the row's locator goes, for UPDATE and DELETE.
    pub locator: Option<Slot>,
    /// Conditions on this table's columns.
    pub filter: Option<Pred>,
    /// How it locks.
    pub locks: Locking,
    /// Against the index's order.
    pub backward: bool,
    /// What functions ask of large values: computed once the filter holds.
    pub parts: Vec<LargePart>,
}

/// A function of a large value, which reads no more of it than it needs.
#[derive(Clone, Debug)]
pub struct LargePart {
    /// The column, by position in the table.
    pub column: usize,
    /// The function; its first argument is the column.
    pub call: Box<Call>,
    /// Where the result goes.
    pub slot: Slot,
}

/// Rows of a system view or of a function.
#[derive(Clone, Debug)]
pub struct ViewScan {
    /// The view or function.
    pub source: RowsetSource,
    /// The database through which a view was named, or that a function belongs to.
    pub database: Arc<Database>,
    /// NOLOCK: what is not committed is shown too.
    pub dirty: bool,
    /// Arguments of a function.
    pub args: Vec<Expr>,
    /// Columns and their slots.
    pub columns: Vec<(usize, Slot)>,
    /// Conditions on its columns.
    pub filter: Option<Pred>,
}

/// Constant rows.
#[derive(Clone, Debug)]
pub struct ValuesScan {
    /// The rows' expressions.
    pub rows: Vec<Vec<Expr>>,
    /// Where they go.
    pub slots: Vec<Slot>,
}

/// See [`Node::Filter`].
#[derive(Clone, Debug)]
pub struct Filter {
    /// Input.
    pub input: Node,
    /// The condition.
    pub pred: Pred,
    /// It does not depend on the input: checked once, before the input is read.
    pub startup: bool,
}

/// See [`Node::Compute`].
#[derive(Clone, Debug)]
pub struct Compute {
    /// Input.
    pub input: Node,
    /// What goes where.
    pub items: Vec<(Expr, Slot)>,
}

/// See [`Node::Loop`].
#[derive(Clone, Debug)]
pub struct LoopJoin {
    /// Outer input.
    pub left: Node,
    /// Inner input, opened again for each left row.
    pub right: Node,
    /// Which rows.
    pub kind: JoinType,
    /// The condition beyond what the right side already checks.
    pub on: Option<Pred>,
    /// The right side's slots: NULL where there is no partner.
    pub right_slots: Vec<Slot>,
}

/// See [`Node::Hash`].
#[derive(Clone, Debug)]
pub struct HashJoin {
    /// Probe side.
    pub left: Node,
    /// Build side.
    pub right: Node,
    /// Which rows.
    pub kind: JoinType,
    /// Equalities: left and right expression of one type.
    pub keys: Vec<(Expr, Expr, Collation)>,
    /// The rest of the condition.
    pub residual: Option<Pred>,
    /// Slots of the left side (for FULL).
    pub left_slots: Vec<Slot>,
    /// Slots of the right side to keep.
    pub right_slots: Vec<Slot>,
}

/// A pair of columns that a merge join finds equal.
#[derive(Clone, Debug)]
pub struct MergeKey {
    /// Of the left side.
    pub left: Expr,
    /// Of the right side, of the same type.
    pub right: Expr,
    /// For text.
    pub collation: Collation,
    /// Both sides are in descending order of it.
    pub descending: bool,
}

/// See [`Node::Merge`]. Both inputs come in the order of `keys`, as a sort by them has it.
#[derive(Clone, Debug)]
pub struct MergeJoin {
    /// The side whose rows meet those of the other one.
    pub left: Node,
    /// The side that is read along.
    pub right: Node,
    /// Which rows.
    pub kind: JoinType,
    /// Equalities, by which both sides are ordered.
    pub keys: Vec<MergeKey>,
    /// More than one left row may meet a right row: those of one key are kept.
    pub many_to_many: bool,
    /// The rest of the condition.
    pub residual: Option<Pred>,
    /// Slots of the left side to keep (for FULL).
    pub left_slots: Vec<Slot>,
    /// Slots of the right side to keep.
    pub right_slots: Vec<Slot>,
}

/// See [`Node::Spool`].
#[derive(Clone, Debug)]
pub struct Spool {
    /// Input; must not depend on what changes between two openings.
    pub input: Node,
    /// Slots to keep.
    pub save: Vec<Slot>,
}

/// A key of a sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SortKey {
    /// The value.
    pub expr: Expr,
    /// DESC.
    pub descending: bool,
    /// For text.
    pub collation: Collation,
}

/// See [`Node::Sort`].
#[derive(Clone, Debug)]
pub struct Sort {
    /// Input.
    pub input: Node,
    /// By what.
    pub keys: Vec<SortKey>,
    /// Slots to keep.
    pub save: Vec<Slot>,
    /// Only so many of the first rows are needed.
    pub limit: Option<Expr>,
}

/// Aggregate functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum AggFunction {
    CountStar,
    Count,
    CountBig,
    Sum,
    Avg,
    Min,
    Max,
    StDev,
    StDevP,
    Var,
    VarP,
    StringAgg,
    ChecksumAgg,
}

/// One aggregate.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Agg {
    /// The function.
    pub function: AggFunction,
    /// COUNT rather than COUNT_BIG: the result is int.
    pub int_count: bool,
    /// Its argument, converted to `ty` where the function adds.
    pub arg: Option<Expr>,
    /// STRING_AGG's separator.
    pub separator: Option<Expr>,
    /// STRING_AGG's WITHIN GROUP (ORDER BY …).
    pub order: Vec<SortKey>,
    /// Only different values.
    pub distinct: bool,
    /// A NULL that is left out is no news: message 8153 is not sent.
    pub quiet: bool,
    /// Type of the argument after conversion.
    pub arg_ty: SqlType,
    /// Type of the result.
    pub ty: SqlType,
    /// For MIN and MAX of text and DISTINCT.
    pub collation: Collation,
    /// Where the result goes.
    pub slot: Slot,
}

impl Agg {
    /// Calls `f` with the aggregate's expressions.
    pub fn exprs<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        self.arg.iter().chain(&self.separator).for_each(&mut *f);
        self.order.iter().for_each(|k| f(&k.expr));
    }

    /// The same, to change them.
    pub fn exprs_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.arg.iter_mut().chain(&mut self.separator).for_each(&mut *f);
        self.order.iter_mut().for_each(|k| f(&mut k.expr));
    }

    /// Whether the other one has the same result, wherever it goes.
    pub fn is_same(&self, other: &Agg) -> bool {
        (self.function, self.int_count, self.distinct, self.quiet)
            == (other.function, other.int_count, other.distinct, other.quiet)
            && (self.arg_ty, self.ty, self.collation) == (other.arg_ty, other.ty, other.collation)
            && (&self.arg, &self.separator, &self.order)
                == (&other.arg, &other.separator, &other.order)
    }
}

/// See [`Node::Aggregate`].
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// Input.
    pub input: Node,
    /// Group keys: expression, slot of the result, collation.
    pub groups: Vec<(Expr, Slot, Collation)>,
    /// Aggregates.
    pub aggs: Vec<Agg>,
    /// Without GROUP BY: one row even from no input.
    pub scalar: bool,
    /// See [`crate::rel::Group::sets`].
    pub sets: Vec<u32>,
    /// GROUPING and GROUPING_ID.
    pub marks: Vec<GroupingMark>,
    /// The rows of a group follow each other.
    pub ordered: bool,
}

/// Window functions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum WindowFunction {
    /// ROW_NUMBER.
    RowNumber,
    /// RANK.
    Rank,
    /// DENSE_RANK.
    DenseRank,
    /// NTILE(n).
    Ntile(Expr),
    /// LAG, LEAD (negative offset): value, offset, default.
    Offset {
        /// The value.
        value: Expr,
        /// How many rows back.
        offset: Expr,
        /// Forward instead.
        lead: bool,
        /// Where there is no such row.
        default: Option<Expr>,
        /// IGNORE NULLS: from a row whose value is NULL it goes on to the next one that has a value.
        ignore_nulls: bool,
    },
    /// FIRST_VALUE, LAST_VALUE.
    Edge {
        /// The value.
        value: Expr,
        /// LAST_VALUE.
        last: bool,
        /// IGNORE NULLS.
        ignore_nulls: bool,
    },
    /// An aggregate over the frame.
    Aggregate(Agg),
}

impl WindowFunction {
    /// Calls `f` with the function's expressions.
    pub fn exprs<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        match self {
            WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank => {}
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
            WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank => {}
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
    /// The whole partition.
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

/// One window function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WindowItem {
    /// The function.
    pub function: WindowFunction,
    /// The frame.
    pub frame: WindowFrame,
    /// Where the result goes.
    pub slot: Slot,
}

/// See [`Node::Window`].
#[derive(Clone, Debug)]
pub struct Window {
    /// Input.
    pub input: Node,
    /// PARTITION BY.
    pub partition: Vec<(Expr, Collation)>,
    /// ORDER BY within it.
    pub order: Vec<SortKey>,
    /// The functions over this window.
    pub items: Vec<WindowItem>,
    /// Slots to keep.
    pub save: Vec<Slot>,
    /// The functions look back only, and the rows come in the window's order: none is kept.
    pub streamed: bool,
    /// Rows numbered higher are not asked for. Only where they are streamed, in one partition.
    pub until: Option<Expr>,
}

/// See [`Node::Top`].
#[derive(Clone, Debug)]
pub struct Top {
    /// Input.
    pub input: Node,
    /// How many; `None` for all (OFFSET alone).
    pub count: Option<Expr>,
    /// PERCENT.
    pub percent: bool,
    /// WITH TIES: the sort keys, that decide what is a tie.
    pub ties: Option<Vec<(Expr, Collation)>>,
    /// Rows to leave out before.
    pub offset: Option<Expr>,
    /// Slots to keep (PERCENT).
    pub save: Vec<Slot>,
}

/// See [`Node::Distinct`].
#[derive(Clone, Debug)]
pub struct Distinct {
    /// Input.
    pub input: Node,
    /// What makes rows equal.
    pub slots: Vec<(Slot, Collation)>,
    /// Equal rows follow each other.
    pub ordered: bool,
}

/// See [`Node::SetOperation`].
#[derive(Clone, Debug)]
pub struct SetOperation {
    /// Left input, whose slots are the result's.
    pub left: Node,
    /// Right input.
    pub right: Node,
    /// EXCEPT rather than INTERSECT.
    pub except: bool,
    /// Columns of the left input.
    pub left_slots: Vec<(Slot, Collation)>,
    /// Columns of the right input, of the same types.
    pub right_slots: Vec<Slot>,
}

/// See [`Node::Recursive`].
#[derive(Clone, Debug)]
pub struct Recursive {
    /// The first rows: one after the other, all into `slots`.
    pub anchors: Vec<Node>,
    /// What is made of each row, into `slots` too. At least one.
    pub parts: Vec<Node>,
    /// Where the result's columns appear.
    pub slots: Vec<Slot>,
    /// Where the parts find the row that they work on.
    pub work: Vec<Slot>,
    /// The greatest depth; 0 for none.
    pub limit: u32,
}

//! Operator trees.
//!
//! An operator reads and writes slots of the statement's frame. Operators that keep rows (sort, hash, spool) keep the
//! slots named in their `save` lists and put them back before they hand a row up.

use crate::expr::{Call, Expr, Pred, Slot};
use crate::grouping::GroupingMark;
pub use crate::join_type::{JoinType, Mark};
use crate::locking::{Locking, TableSample};
use crate::rel::RowsetSource;
use crate::sink::ColumnDesc;
pub use crate::window::{Window, WindowFrame, WindowFunction, WindowItem};
use std::sync::Arc;
use taffrail_catalog::database::Database;
use taffrail_catalog::{Index, IndexKind, Table};
use taffrail_types::{Collation, SqlType};

/// A query whose rows go to a client, a table, a variable. Its rows are operators, or (`R` is [`Rel`]) not planned yet.
///
/// [`Rel`]: crate::rel::Rel
#[derive(Clone, Debug)]
pub struct QueryPlan<R = Node> {
    /// The rows of the query.
    pub node: R,
    /// Where its columns appear.
    pub outputs: Vec<Slot>,
    /// The columns that a client is told of.
    pub columns: Vec<ColumnDesc>,
}

/// An operator. The planner is alone with it and changes it; once planned it is shared with the operators that run, each of
/// which holds its own part of the plan.
#[derive(Clone, Debug, Default)]
pub enum Node {
    /// One row without columns: SELECT without FROM.
    OneRow,
    /// An input without rows.
    #[default]
    Nothing,
    /// Rows of a table.
    Scan(Arc<Scan>),
    /// Rows of a system view or table-valued function.
    View(Arc<ViewScan>),
    /// Rows of constant expressions.
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
    /// The rows in an order.
    Sort(Arc<Sort>),
    /// The rows in groups.
    Aggregate(Arc<Aggregate>),
    /// Window functions over the rows.
    Window(Arc<Window>),
    /// The first rows of the input.
    Top(Arc<Top>),
    /// The rows without duplicates.
    Distinct(Arc<Distinct>),
    /// One input after the other; all write the same slots.
    Concat(Vec<Node>),
    /// The operators EXCEPT and INTERSECT.
    SetOperation(Arc<SetOperation>),
    /// A recursive common table expression.
    Recursive(Arc<Recursive>),
}

/// The values that are sought in an index: those of its first columns, then the values that the next column may have.
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

/// The values that a column of a key may have.
#[derive(Clone, Debug)]
pub enum SeekBound {
    /// This value; none if it is NULL.
    Equal(SeekValue),
    /// The value NULL alone.
    Null,
    /// Every value but NULL.
    NotNull,
    /// Text that begins as a pattern of LIKE does, up to its first wildcard.
    Beginning {
        /// The pattern of the LIKE.
        pattern: SeekValue,
        /// The text of ESCAPE.
        escape: Option<Expr>,
    },
    /// The values between two ends; the flags: the end itself, too. (Without a lower one, NULL is below.)
    Range {
        /// The end below, if any.
        low: Option<(SeekValue, bool)>,
        /// The end above, if any.
        high: Option<(SeekValue, bool)>,
    },
}

/// A value to seek.
#[derive(Clone, Debug)]
pub struct SeekValue {
    /// Computed when the scan opens, from constants, variables and slots of earlier sources.
    pub expr: Expr,
    /// The type of the value.
    pub from: SqlType,
    /// The type of the column.
    pub to: SqlType,
    /// The rows that NULL finds.
    pub null: NullFinds,
}

/// The rows that NULL finds where it is sought.
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
    /// The row that a cursor's mark of this number leads to; none where it has gone.
    Marked(u32),
}

/// The rows that a scan is expected to give, when it was planned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected {
    /// Rows of the table.
    pub table: f64,
    /// Rows that are read each time.
    pub read: f64,
    /// Rows of these that pass the filter.
    pub rows: f64,
}

/// Rows of a table.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The database of the table.
    pub database: Arc<Database>,
    /// The table that is read.
    pub table: Arc<Table>,
    /// The alias that the statement gives it.
    pub alias: Arc<str>,
    /// The rows that are expected.
    pub expected: Expected,
    /// Which rows, by which way.
    pub access: Access,
    /// Columns (by position in the table) and the slots they go to: those that the filter reads, then the others, each ascending.
    pub columns: Vec<(usize, Slot)>,
    /// So many of them does the filter read: the others are read of rows that pass it.
    pub filtered: usize,
    /// Where the row's locator goes, for UPDATE, DELETE and cursors.
    pub locator: Option<Slot>,
    /// Where the image of the row goes, by which a cursor sees that it has been changed.
    pub image: Option<Slot>,
    /// Conditions on this table's columns.
    pub filter: Option<Pred>,
    /// The locks that the scan takes.
    pub locks: Locking,
    /// Against the index's order.
    pub backward: bool,
    /// The share of the pages that is read; none: all.
    pub sample: Option<TableSample>,
    /// The answers of functions about large values: computed once the filter holds.
    pub parts: Vec<LargePart>,
}

impl Scan {
    /// True if all of a heap is read: there are no keys whose ranges could be locked.
    pub fn reads_heap(&self) -> bool {
        matches!(self.access, Access::Full) && self.table.base().kind == IndexKind::Heap
    }
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
    /// The alias that the statement gives it.
    pub alias: Arc<str>,
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

/// Rows of constant expressions.
#[derive(Clone, Debug)]
pub struct ValuesScan {
    /// The expressions of each row.
    pub rows: Vec<Vec<Expr>>,
    /// The slots that the expressions set.
    pub slots: Vec<Slot>,
}

/// The condition of a [`Node::Filter`].
#[derive(Clone, Debug)]
pub struct Filter {
    /// The operator below it.
    pub input: Node,
    /// The condition that rows must fulfil.
    pub pred: Pred,
    /// It does not depend on the input: checked once, before the input is read.
    pub startup: bool,
}

/// The items of a [`Node::Compute`].
#[derive(Clone, Debug)]
pub struct Compute {
    /// The operator below it.
    pub input: Node,
    /// The expressions, each with the slot that it sets.
    pub items: Vec<(Expr, Slot)>,
}

/// The inputs of a [`Node::Loop`].
#[derive(Clone, Debug)]
pub struct LoopJoin {
    /// The outer input, which is read once.
    pub left: Node,
    /// Inner input, opened again for each left row.
    pub right: Node,
    /// The rows that the join gives.
    pub kind: JoinType,
    /// The condition beyond what the right side already checks.
    pub on: Option<Pred>,
    /// The right side's slots: NULL where there is no partner.
    pub right_slots: Vec<Slot>,
}

/// The inputs of a [`Node::Hash`].
#[derive(Clone, Debug)]
pub struct HashJoin {
    /// The input that probes.
    pub left: Node,
    /// The input that is built.
    pub right: Node,
    /// The rows that the join gives.
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
    /// The collation, where texts are compared.
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
    /// The rows that the join gives.
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

/// The input of a [`Node::Spool`].
#[derive(Clone, Debug)]
pub struct Spool {
    /// Input; must not depend on what changes between two openings.
    pub input: Node,
    /// The slots that are kept.
    pub save: Vec<Slot>,
}

/// A key of a sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SortKey {
    /// The value of the key.
    pub expr: Expr,
    /// The order is descending.
    pub descending: bool,
    /// The collation, where the key is text.
    pub collation: Collation,
}

/// The keys of a [`Node::Sort`].
#[derive(Clone, Debug)]
pub struct Sort {
    /// The operator below it.
    pub input: Node,
    /// The keys, the first one first.
    pub keys: Vec<SortKey>,
    /// The slots that are kept.
    pub save: Vec<Slot>,
    /// Only so many of the first rows are needed.
    pub limit: Option<Expr>,
}

/// The functions of aggregates.
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
    /// The value at a share of the rows, between two of them where it lies there.
    PercentileCont,
    /// The first value that so large a share of the rows does not pass.
    PercentileDisc,
}

impl AggFunction {
    /// Whether the values of all rows are kept, with a second argument and in an order: those of STRING_AGG and of percentiles.
    pub fn keeps_rows(self) -> bool {
        use AggFunction::{PercentileCont, PercentileDisc, StringAgg};
        matches!(self, StringAgg | PercentileCont | PercentileDisc)
    }
}

/// An aggregate over a group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Agg {
    /// The function of the aggregate.
    pub function: AggFunction,
    /// COUNT rather than COUNT_BIG: the result is int.
    pub int_count: bool,
    /// Its argument, converted to `ty` where the function adds.
    pub arg: Option<Expr>,
    /// The separator of a STRING_AGG, the share of a percentile, which is a float.
    pub separator: Option<Expr>,
    /// The order of WITHIN GROUP (ORDER BY …).
    pub order: Vec<SortKey>,
    /// Equal values count once.
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

/// The groups of a [`Node::Aggregate`].
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// The operator below it.
    pub input: Node,
    /// Group keys: expression, slot of the result, collation.
    pub groups: Vec<(Expr, Slot, Collation)>,
    /// The aggregates of each group.
    pub aggs: Vec<Agg>,
    /// Without GROUP BY: one row even from no input.
    pub scalar: bool,
    /// The grouping sets: see [`crate::rel::Group::sets`].
    pub sets: Vec<u32>,
    /// The values of GROUPING and GROUPING_ID.
    pub marks: Vec<GroupingMark>,
    /// The rows of a group follow each other.
    pub ordered: bool,
}

/// The counts of a [`Node::Top`].
#[derive(Clone, Debug)]
pub struct Top {
    /// The operator below it.
    pub input: Node,
    /// How many; `None` for all (OFFSET alone).
    pub count: Option<Expr>,
    /// The count is a percentage.
    pub percent: bool,
    /// WITH TIES: the sort keys, that decide what is a tie.
    pub ties: Option<Vec<(Expr, Collation)>>,
    /// Rows to leave out before.
    pub offset: Option<Expr>,
    /// Slots to keep (PERCENT).
    pub save: Vec<Slot>,
}

/// The columns of a [`Node::Distinct`].
#[derive(Clone, Debug)]
pub struct Distinct {
    /// The operator below it.
    pub input: Node,
    /// The slots that make rows equal.
    pub slots: Vec<(Slot, Collation)>,
    /// Equal rows follow each other.
    pub ordered: bool,
}

/// The inputs of a [`Node::SetOperation`].
#[derive(Clone, Debug)]
pub struct SetOperation {
    /// Left input, whose slots are the result's.
    pub left: Node,
    /// The input on the right.
    pub right: Node,
    /// EXCEPT rather than INTERSECT.
    pub except: bool,
    /// Columns of the left input.
    pub left_slots: Vec<(Slot, Collation)>,
    /// Columns of the right input, of the same types.
    pub right_slots: Vec<Slot>,
}

/// The parts of a [`Node::Recursive`].
#[derive(Clone, Debug)]
pub struct Recursive {
    /// The first rows: one after the other, all into `slots`.
    pub anchors: Vec<Node>,
    /// The rows that are made of each row, into `slots` too. At least one part.
    pub parts: Vec<Node>,
    /// Where the result's columns appear.
    pub slots: Vec<Slot>,
    /// Where the parts find the row that they work on.
    pub work: Vec<Slot>,
    /// The greatest depth; 0 for none.
    pub limit: u32,
}

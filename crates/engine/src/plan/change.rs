//! Plans of INSERT, UPDATE, DELETE and MERGE.

use crate::catalog::{Index, IndexKind, Table};
use crate::database::Database;
use crate::plan::expr::{Expr, Pred, Slot};
use crate::plan::foreign::{Incoming, Outgoing};
use crate::plan::locking::TableLock;
use crate::plan::node::{Node, QueryPlan};
use crate::sink::ColumnDesc;
use std::sync::Arc;
use taffrail_types::SqlType;

/// A change of one row's column.
#[derive(Debug)]
pub struct Assignment {
    /// Position in the table.
    pub column: usize,
    /// The value.
    pub expr: Expr,
    /// Its type.
    pub from: SqlType,
}

/// Where a column of an inserted row comes from.
#[derive(Debug)]
pub enum ColumnSource {
    /// A column of the source row.
    Source(usize),
    /// An expression: a default.
    Expr(Expr, SqlType),
    /// The next identity value.
    Identity,
    /// NULL.
    Null,
}

/// The rows to insert.
#[derive(Debug)]
pub enum InsertRows {
    /// VALUES: per row one expression per target column; `None` where DEFAULT was written.
    Values(Vec<Vec<Option<Expr>>>),
    /// A query.
    Query(QueryPlan),
    /// Rows of a procedure or string, handed in while the statement runs.
    External,
}

/// INSERT.
#[derive(Debug)]
pub struct InsertPlan {
    /// The database.
    pub database: Arc<Database>,
    /// The table.
    pub table: Arc<Table>,
    /// The source.
    pub rows: InsertRows,
    /// Types of the source's columns.
    pub source_types: Vec<SqlType>,
    /// For each column of the table.
    pub columns: Vec<ColumnSource>,
    /// For VALUES with DEFAULT: each column's default.
    pub defaults: Vec<ColumnSource>,
    /// A NULL of the source becomes the column's default: bulk loads without KEEPNULLS.
    pub bulk_defaults: bool,
    /// Its rows come from outside the statement: what goes into columns of xml has not been read.
    pub from_outside: bool,
    /// An explicit value for the identity column (IDENTITY_INSERT).
    pub explicit_identity: bool,
    /// Keep all source rows before the first insert: the source reads the table.
    pub spool: bool,
    /// TOP.
    pub top: Option<Expr>,
    /// TABLOCK.
    pub table_lock: TableLock,
    /// OUTPUT.
    pub output: Option<OutputPlan>,
    /// The source's rows have the target's layout: their bytes may be copied.
    pub same_layout: bool,
    /// CHECK constraints: name and condition over a frame of the table's columns.
    pub checks: Vec<(Arc<str>, Pred)>,
    /// Foreign keys that the rows must keep.
    pub outgoing: Vec<Outgoing>,
}

/// OUTPUT: inserted and deleted columns appear in slots.
#[derive(Debug)]
pub struct OutputPlan {
    /// Column position and slot of `inserted`.
    pub inserted: Vec<(usize, Slot)>,
    /// Column position and slot of `deleted`.
    pub deleted: Vec<(usize, Slot)>,
    /// What is put out.
    pub items: Vec<(Expr, Slot)>,
    /// Their places.
    pub outputs: Vec<Slot>,
    /// What they are.
    pub columns: Vec<ColumnDesc>,
    /// INTO.
    pub into: Option<Box<InsertPlan>>,
    /// Slots of tables beside the one that is changed: kept with a row that is changed later than it is found.
    pub saved: Vec<Slot>,
}

impl OutputPlan {
    /// See [`OutputPlan::saved`]; nothing without OUTPUT.
    pub fn saved(output: &Option<OutputPlan>) -> &[Slot] {
        output.as_ref().map_or(&[], |o| &o.saved)
    }
}

/// UPDATE.
#[derive(Debug)]
pub struct UpdatePlan {
    /// The database.
    pub database: Arc<Database>,
    /// The table.
    pub table: Arc<Table>,
    /// Finds the rows: the locator is in `locator`.
    pub node: Node,
    /// Where the locator is.
    pub locator: Slot,
    /// New values, ascending by column.
    pub set: Vec<Assignment>,
    /// `SET @v = …`: variable and value; evaluated per row after the columns.
    pub variables: Vec<(u32, Expr)>,
    /// Keep all locators before the first change.
    pub spool: bool,
    /// Indexes whose entries change.
    pub indexes: Vec<Arc<Index>>,
    /// The clustered key changes: the row moves.
    pub moves: bool,
    /// CHECK constraints: name and condition over a frame of the table's columns.
    pub checks: Vec<(Arc<str>, Pred)>,
    /// Foreign keys whose columns change.
    pub outgoing: Vec<Outgoing>,
    /// Foreign keys that refer to columns that change.
    pub incoming: Vec<Incoming>,
    /// OUTPUT.
    pub output: Option<OutputPlan>,
}

/// DELETE.
#[derive(Debug)]
pub struct DeletePlan {
    /// The database.
    pub database: Arc<Database>,
    /// The table.
    pub table: Arc<Table>,
    /// Finds the rows.
    pub node: Node,
    /// Where the locator is.
    pub locator: Slot,
    /// Keep all locators before the first change.
    pub spool: bool,
    /// Foreign keys that refer to the table.
    pub incoming: Vec<Incoming>,
    /// OUTPUT.
    pub output: Option<OutputPlan>,
}

impl UpdatePlan {
    /// A plan whose rows are changed as they are found, or handed in.
    pub fn new(
        database: Arc<Database>,
        table: Arc<Table>,
        node: Node,
        locator: Slot,
        mut set: Vec<Assignment>,
        variables: Vec<(u32, Expr)>,
        checks: Vec<(Arc<str>, Pred)>,
    ) -> UpdatePlan {
        set.sort_by_key(|a| a.column);
        let changed: Vec<usize> = set.iter().map(|a| a.column).collect();
        let base = table.base();
        let moves = base.kind == IndexKind::Clustered
            && base.key.columns().iter().any(|k| changed.contains(&k.column));
        let indexes = table.nonclustered().iter().filter(|i| moves || i.touched_by(&changed));
        let indexes = indexes.cloned().collect();
        UpdatePlan {
            database,
            table,
            node,
            locator,
            set,
            variables,
            spool: false,
            indexes,
            moves,
            checks,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            output: None,
        }
    }

    /// Keys of unique indexes or of the clustered one change: old rows leave before new ones come.
    pub fn two_phases(&self) -> bool {
        let changes = |c: usize| self.set.iter().any(|a| a.column == c);
        // Rows come into a filtered index and leave it as its filter's columns change.
        let filtered =
            |i: &Index| i.filter.iter().flat_map(|f| &f.terms).any(|t| changes(t.column));
        let key_changes =
            |i: &Arc<Index>| i.key.columns().iter().any(|k| changes(k.column)) || filtered(i);
        self.moves || self.indexes.iter().any(|i| i.unique && key_changes(i))
    }
}

/// MERGE.
#[derive(Debug)]
pub struct MergePlan {
    /// The database.
    pub database: Arc<Database>,
    /// The target.
    pub table: Arc<Table>,
    /// Source and target joined.
    pub node: Node,
    /// Where the target's locator is; NULL where the source has no match.
    pub locator: Slot,
    /// WHEN MATCHED, in order.
    pub clauses: Vec<MergeClause>,
    /// WHEN NOT MATCHED [BY TARGET].
    pub insert: Option<MergeInsert>,
    /// WHEN NOT MATCHED BY SOURCE.
    pub rest: Option<MergeRest>,
    /// TOP.
    pub top: Option<Expr>,
    /// OUTPUT.
    pub output: Option<OutputPlan>,
    /// Where OUTPUT finds `$action`.
    pub action: Option<Slot>,
    /// Slots of the source that OUTPUT may read.
    pub saved: Vec<Slot>,
    /// Foreign keys that rows must keep.
    pub outgoing: Vec<Outgoing>,
    /// Foreign keys that refer to the table.
    pub incoming: Vec<Incoming>,
}

/// A WHEN that changes rows of the target.
#[derive(Debug)]
pub struct MergeClause {
    /// AND.
    pub condition: Option<Pred>,
    /// THEN.
    pub action: MergeAction,
}

/// What happens to a row of the target. The rows are handed in: nothing else of the plans' finding of rows counts.
#[derive(Debug)]
pub enum MergeAction {
    /// UPDATE SET.
    Update(UpdatePlan),
    /// DELETE.
    Delete(DeletePlan),
}

/// WHEN NOT MATCHED [BY TARGET] THEN INSERT.
#[derive(Debug)]
pub struct MergeInsert {
    /// AND.
    pub condition: Option<Pred>,
    /// The source row that `plan` stores.
    pub values: Vec<Expr>,
    /// Where it goes.
    pub plan: InsertPlan,
}

/// WHEN NOT MATCHED BY SOURCE.
#[derive(Debug)]
pub struct MergeRest {
    /// All rows of the target.
    pub node: Node,
    /// Where their locator is.
    pub locator: Slot,
    /// In order.
    pub clauses: Vec<MergeClause>,
}

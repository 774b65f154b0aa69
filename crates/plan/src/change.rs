//! INSERT, UPDATE, DELETE and MERGE. The rows that they take or change come from operators, or (`R` is [`Rel`]) are not planned yet.
//!
//! [`Rel`]: crate::rel::Rel

use crate::columns::Changed;
use crate::expr::{Expr, Pred, Slot};
use crate::foreign::{Incoming, Outgoing};
use crate::locking::TableLock;
use crate::next_value::SequenceUse;
use crate::node::{Node, QueryPlan};
use crate::rel::Rel;
use crate::sink::ColumnDesc;
use crate::triggers::Triggers;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_catalog::database::Database;
use taffrail_catalog::{Generated, Index, IndexKind, Table};
use taffrail_types::SqlType;

/// A change of one row's column.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Position in the table.
    pub column: usize,
    /// The value that the column gets.
    pub expr: Expr,
    /// The type of the value.
    pub from: SqlType,
    /// `.WRITE`: offset and length, of type bigint, of what the value replaces in the column's.
    pub write: Option<Box<(Expr, Expr)>>,
}

impl Assignment {
    /// The expressions of the assignment.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let write = self.write.iter().flat_map(|w| [&w.0, &w.1]);
        std::iter::once(&self.expr).chain(write)
    }
}

/// Where a column of an inserted row comes from.
#[derive(Clone, Debug)]
pub enum ColumnSource {
    /// A column of the source row.
    Source(usize),
    /// An expression: a default.
    Expr(Expr, SqlType),
    /// The next identity value.
    Identity,
    /// The next value of the database's counter, for a rowversion.
    RowVersion,
    /// The start of the row's period, the transaction's moment, or its end, which is open.
    Period(Generated),
    /// An expression over the row's other columns: see [`ComputedColumn`].
    Computed,
    /// No value: NULL is stored.
    Null,
}

/// The rows to insert.
#[derive(Clone, Debug)]
pub enum InsertRows<R = Node> {
    /// VALUES: per row one expression per target column; `None` where DEFAULT was written.
    Values(Vec<Vec<Option<Expr>>>),
    /// The rows of a query.
    Query(QueryPlan<R>),
    /// Rows of a procedure or string, handed in while the statement runs.
    External,
}

/// The plan of an INSERT.
#[derive(Clone, Debug)]
pub struct InsertPlan<R = Node> {
    /// The database of the table.
    pub database: Arc<Database>,
    /// The table that gets rows.
    pub table: Arc<Table>,
    /// The source of the rows.
    pub rows: InsertRows<R>,
    /// Types of the source's columns.
    pub source_types: Vec<SqlType>,
    /// For each column of the table.
    pub columns: Vec<ColumnSource>,
    /// Sequences of which the query has taken a value for each row, and the columns of the source that have it: a default takes that.
    pub drawn: Vec<(SequenceUse, usize)>,
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
    /// The count of TOP.
    pub top: Option<Expr>,
    /// The lock of TABLOCK.
    pub table_lock: TableLock,
    /// The plan of OUTPUT.
    pub output: Option<OutputPlan<R>>,
    /// The source's rows have the target's layout: their bytes may be copied.
    pub same_layout: bool,
    /// CHECK constraints: name and condition over a frame of the table's columns.
    pub checks: Vec<(Arc<str>, Pred)>,
    /// The table's computed columns.
    pub computed: Vec<ComputedColumn>,
    /// Foreign keys that the rows must keep.
    pub outgoing: Vec<Outgoing>,
    /// The triggers that the statement fires.
    pub triggers: Option<Arc<Triggers>>,
}

/// OUTPUT: inserted and deleted columns appear in slots.
#[derive(Clone, Debug)]
pub struct OutputPlan<R = Node> {
    /// Column position and slot of `inserted`.
    pub inserted: Vec<(usize, Slot)>,
    /// Column position and slot of `deleted`.
    pub deleted: Vec<(usize, Slot)>,
    /// The items that are computed, each with its slot.
    pub items: Vec<(Expr, Slot)>,
    /// Of a change whose rows an INSERT takes: the place of its condition among the items, which is 1 where the row is taken. The rows that
    /// the statement has changed are those taken.
    pub condition: Option<usize>,
    /// The slots of the items that are put out.
    pub outputs: Vec<Slot>,
    /// The columns that the client is told of.
    pub columns: Vec<ColumnDesc>,
    /// The insertion into the table that INTO names.
    pub into: Option<Box<InsertPlan<R>>>,
    /// Slots of tables beside the one that is changed: kept with a row that is changed later than it is found.
    pub saved: Vec<Slot>,
}

impl<R> OutputPlan<R> {
    /// See [`OutputPlan::saved`]; nothing without OUTPUT.
    pub fn saved(output: &Option<OutputPlan<R>>) -> &[Slot] {
        output.as_ref().map_or(&[], |o| &o.saved)
    }
}

/// The plan of an UPDATE.
#[derive(Clone, Debug)]
pub struct UpdatePlan<R = Node> {
    /// The database of the table.
    pub database: Arc<Database>,
    /// The table that is changed.
    pub table: Arc<Table>,
    /// Finds the rows: the locator is in `locator`.
    pub node: R,
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
    /// The table's computed columns, of those that are persisted the ones that change.
    pub computed: Vec<ComputedColumn>,
    /// Foreign keys whose columns change.
    pub outgoing: Vec<Outgoing>,
    /// Foreign keys that refer to columns that change.
    pub incoming: Vec<Incoming>,
    /// The plan of OUTPUT.
    pub output: Option<OutputPlan<R>>,
    /// The triggers that the statement fires.
    pub triggers: Option<Arc<Triggers>>,
}

/// The plan of a DELETE.
#[derive(Clone, Debug)]
pub struct DeletePlan<R = Node> {
    /// The database of the table.
    pub database: Arc<Database>,
    /// The table that loses rows.
    pub table: Arc<Table>,
    /// The operator that finds the rows.
    pub node: R,
    /// Where the locator is.
    pub locator: Slot,
    /// Keep all locators before the first change.
    pub spool: bool,
    /// The table's computed columns that rows do not have.
    pub computed: Vec<ComputedColumn>,
    /// Foreign keys that refer to the table.
    pub incoming: Vec<Incoming>,
    /// The plan of OUTPUT.
    pub output: Option<OutputPlan<R>>,
    /// The triggers that the statement fires.
    pub triggers: Option<Arc<Triggers>>,
}

/// The columns that an UPDATE changes: those of SET, the table's rowversion, and what is computed of these.
pub fn changed_with(table: &Table, set: &[Assignment]) -> Vec<usize> {
    table.changed_along(set.iter().map(|a| a.column).collect())
}

/// A computed column of a table whose rows are changed.
#[derive(Clone, Debug)]
pub struct ComputedColumn {
    /// Position in the table.
    pub column: usize,
    /// The value over a frame of the table's columns.
    pub expr: Expr,
    /// The column is persisted: rows have it.
    pub stored: bool,
}

impl<R> UpdatePlan<R> {
    /// A plan whose rows are changed as they are found, or handed in.
    pub fn new(
        database: Arc<Database>,
        table: Arc<Table>,
        node: R,
        locator: Slot,
        mut set: Vec<Assignment>,
        variables: Vec<(u32, Expr)>,
        checks: Vec<(Arc<str>, Pred)>,
    ) -> UpdatePlan<R> {
        set.sort_by_key(|a| a.column);
        let changed = changed_with(&table, &set);
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
            computed: Vec::new(),
            outgoing: Vec::new(),
            incoming: Vec::new(),
            output: None,
            triggers: None,
        }
    }

    /// Keys of unique indexes or of the clustered one change: old rows leave before new ones come.
    pub fn two_phases(&self) -> bool {
        let changed = changed_with(&self.table, &self.set);
        let changes = |c: usize| changed.contains(&c);
        // Rows come into a filtered index and leave it as its filter's columns change.
        let filtered =
            |i: &Index| i.filter.iter().flat_map(|f| &f.terms).any(|t| changes(t.column));
        let key_changes =
            |i: &Arc<Index>| i.key.columns().iter().any(|k| changes(k.column)) || filtered(i);
        self.moves || self.indexes.iter().any(|i| i.unique && key_changes(i))
    }
}

/// The plan of a MERGE.
#[derive(Clone, Debug)]
pub struct MergePlan<R = Node> {
    /// The database of the table.
    pub database: Arc<Database>,
    /// The table that is the target.
    pub table: Arc<Table>,
    /// Source and target joined.
    pub node: R,
    /// Where the target's locator is; NULL where the source has no match.
    pub locator: Slot,
    /// WHEN MATCHED, in order.
    pub clauses: Vec<MergeClause<R>>,
    /// WHEN NOT MATCHED [BY TARGET].
    pub insert: Option<MergeInsert<R>>,
    /// WHEN NOT MATCHED BY SOURCE.
    pub rest: Option<MergeRest<R>>,
    /// The count of TOP.
    pub top: Option<Expr>,
    /// The plan of OUTPUT.
    pub output: Option<OutputPlan<R>>,
    /// Where OUTPUT finds `$action`.
    pub action: Option<Slot>,
    /// Slots of the source that OUTPUT reads.
    pub saved: Vec<Slot>,
    /// The table's computed columns.
    pub computed: Vec<ComputedColumn>,
    /// Foreign keys that rows must keep.
    pub outgoing: Vec<Outgoing>,
    /// Foreign keys that refer to the table.
    pub incoming: Vec<Incoming>,
    /// The triggers that the statement fires.
    pub triggers: Option<Arc<Triggers>>,
}

/// A WHEN that changes rows of the target.
#[derive(Clone, Debug)]
pub struct MergeClause<R = Node> {
    /// The condition behind AND.
    pub condition: Option<Pred>,
    /// The action behind THEN.
    pub action: MergeAction<R>,
}

/// The change of a row of the target. The rows are handed in: nothing of the UPDATE's own finding of rows counts.
#[derive(Clone, Debug)]
pub enum MergeAction<R = Node> {
    /// The row gets new values.
    Update(Box<UpdatePlan<R>>),
    /// The row is deleted.
    Delete,
}

/// WHEN NOT MATCHED [BY TARGET] THEN INSERT.
#[derive(Clone, Debug)]
pub struct MergeInsert<R = Node> {
    /// The condition behind AND.
    pub condition: Option<Pred>,
    /// The source row that `plan` stores.
    pub values: Vec<Expr>,
    /// The insertion of the row.
    pub plan: InsertPlan<R>,
}

/// WHEN NOT MATCHED BY SOURCE.
#[derive(Clone, Debug)]
pub struct MergeRest<R = Node> {
    /// All rows of the target.
    pub node: R,
    /// Where their locator is.
    pub locator: Slot,
    /// The clauses, in order.
    pub clauses: Vec<MergeClause<R>>,
}

/// Plans the rows of a change: what `plan` makes of each relation in it.
type Planned<'p, R, P> = &'p mut dyn FnMut(R) -> SqlResult<P>;

impl<R> InsertPlan<R> {
    /// The INSERT with its rows planned.
    pub fn planned<P>(self, plan: Planned<'_, R, P>) -> SqlResult<InsertPlan<P>> {
        let rows = match self.rows {
            InsertRows::Values(rows) => InsertRows::Values(rows),
            InsertRows::Query(QueryPlan { node, outputs, columns }) => {
                InsertRows::Query(QueryPlan { node: plan(node)?, outputs, columns })
            }
            InsertRows::External => InsertRows::External,
        };
        Ok(InsertPlan {
            rows,
            output: self.output.map(|o| o.planned(plan)).transpose()?,
            database: self.database,
            table: self.table,
            source_types: self.source_types,
            columns: self.columns,
            drawn: self.drawn,
            defaults: self.defaults,
            bulk_defaults: self.bulk_defaults,
            from_outside: self.from_outside,
            explicit_identity: self.explicit_identity,
            spool: self.spool,
            top: self.top,
            table_lock: self.table_lock,
            same_layout: self.same_layout,
            checks: self.checks,
            computed: self.computed,
            outgoing: self.outgoing,
            triggers: self.triggers,
        })
    }
}

impl<R> OutputPlan<R> {
    /// The OUTPUT with its rows planned.
    pub fn planned<P>(self, plan: Planned<'_, R, P>) -> SqlResult<OutputPlan<P>> {
        let OutputPlan { inserted, deleted, items, condition, outputs, columns, into, saved } =
            self;
        let into = into.map(|i| i.planned(plan).map(Box::new)).transpose()?;
        Ok(OutputPlan { inserted, deleted, items, condition, outputs, columns, into, saved })
    }
}

impl<R> UpdatePlan<R> {
    /// The UPDATE with its rows planned.
    pub fn planned<P>(self, plan: Planned<'_, R, P>) -> SqlResult<UpdatePlan<P>> {
        Ok(UpdatePlan {
            node: plan(self.node)?,
            output: self.output.map(|o| o.planned(plan)).transpose()?,
            database: self.database,
            table: self.table,
            locator: self.locator,
            set: self.set,
            variables: self.variables,
            spool: self.spool,
            indexes: self.indexes,
            moves: self.moves,
            checks: self.checks,
            computed: self.computed,
            outgoing: self.outgoing,
            incoming: self.incoming,
            triggers: self.triggers,
        })
    }
}

impl<R> DeletePlan<R> {
    /// The DELETE with its rows planned.
    pub fn planned<P>(self, plan: Planned<'_, R, P>) -> SqlResult<DeletePlan<P>> {
        Ok(DeletePlan {
            node: plan(self.node)?,
            output: self.output.map(|o| o.planned(plan)).transpose()?,
            database: self.database,
            table: self.table,
            locator: self.locator,
            spool: self.spool,
            computed: self.computed,
            incoming: self.incoming,
            triggers: self.triggers,
        })
    }
}

impl<R> MergeClause<R> {
    fn planned<P>(self, plan: Planned<'_, R, P>) -> SqlResult<MergeClause<P>> {
        let action = match self.action {
            MergeAction::Update(u) => MergeAction::Update(Box::new(u.planned(plan)?)),
            MergeAction::Delete => MergeAction::Delete,
        };
        Ok(MergeClause { condition: self.condition, action })
    }
}

impl MergePlan<Rel> {
    /// The rows that OUTPUT puts out.
    pub fn changed(&self) -> Changed<'_> {
        let (action, all_have_source) = (self.action, self.rest.is_none());
        Changed::Merged { rows: &self.node, action, all_have_source }
    }
}

impl<R> MergePlan<R> {
    /// The MERGE with its rows planned.
    pub fn planned<P>(self, plan: Planned<'_, R, P>) -> SqlResult<MergePlan<P>> {
        let mut clauses = |list: Vec<MergeClause<R>>| -> SqlResult<Vec<MergeClause<P>>> {
            list.into_iter().map(|c| c.planned(&mut *plan)).collect()
        };
        let when_matched = clauses(self.clauses)?;
        let rest = match self.rest {
            None => None,
            Some(r) => Some((r.node, r.locator, clauses(r.clauses)?)),
        };
        let rest = match rest {
            None => None,
            Some((node, locator, clauses)) => {
                Some(MergeRest { node: plan(node)?, locator, clauses })
            }
        };
        let insert = match self.insert {
            None => None,
            Some(MergeInsert { condition, values, plan: insert }) => {
                Some(MergeInsert { condition, values, plan: insert.planned(plan)? })
            }
        };
        Ok(MergePlan {
            clauses: when_matched,
            rest,
            insert,
            node: plan(self.node)?,
            output: self.output.map(|o| o.planned(plan)).transpose()?,
            database: self.database,
            table: self.table,
            locator: self.locator,
            top: self.top,
            action: self.action,
            saved: self.saved,
            computed: self.computed,
            outgoing: self.outgoing,
            incoming: self.incoming,
            triggers: self.triggers,
        })
    }
}

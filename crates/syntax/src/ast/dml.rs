//! Changes of rows.

use super::{
    AssignOp, ColumnRef, CursorName, Execute, Expr, Ident, ObjectName, Query, QueryHint,
    SelectItem, TableRef, Top, With,
};

/// `INSERT [INTO] target (columns) source`.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// The `TOP` that limits the inserted rows.
    pub top: Option<Top>,
    /// A named table, a table variable, or `OPENROWSET`.
    pub target: TableRef,
    /// The columns; empty when none were named.
    pub columns: Vec<Ident>,
    /// The `OUTPUT` clauses, in the order written.
    pub output: Vec<Output>,
    /// Where the rows come from.
    pub source: InsertSource,
    /// The hints of `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// Where inserted rows come from.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertSource {
    /// `VALUES (…), (…)`; an element may be [`super::ExprKind::Default`].
    Values(Vec<Vec<Expr>>),
    /// A query, `VALUES` among them.
    Query(Box<Query>),
    /// `EXEC …`: the rows that a procedure sends.
    Execute(Box<Execute>),
    /// `DEFAULT VALUES`: one row of defaults.
    DefaultValues,
}

/// `OUTPUT items [INTO target (columns)]`; a statement may have one with and one without `INTO`.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The items that are put out, over `inserted` and `deleted`.
    pub items: Vec<SelectItem>,
    /// The table or table variable that receives it; the client when there is none.
    pub into: Option<TableRef>,
    /// The receiving columns of `INTO`; empty means all, in order.
    pub columns: Vec<Ident>,
}

/// `UPDATE target SET … [FROM …] [WHERE …]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// The `TOP` that limits the updated rows.
    pub top: Option<Top>,
    /// A table, an alias of `from`, or a table variable.
    pub target: TableRef,
    /// The assignments of `SET`, in order.
    pub set: Vec<SetClause>,
    /// The `OUTPUT` clauses, in the order written.
    pub output: Vec<Output>,
    /// The sources of `FROM`, joined by commas.
    pub from: Vec<TableRef>,
    /// The `WHERE` clause; without one all rows are changed.
    pub filter: Option<DmlFilter>,
    /// The hints of `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// A part of `SET` of an update.
#[derive(Clone, Debug, PartialEq)]
pub enum SetClause {
    /// `column = value`, `@v = value`, `@v = column = value`, each also with a compound operator.
    Assign {
        /// The variable that also receives the value.
        variable: Option<Ident>,
        /// The column that receives the value.
        column: Option<ColumnRef>,
        /// `=` or a compound operator.
        op: AssignOp,
        /// The value, perhaps `DEFAULT`.
        value: Expr,
    },
    /// `column.WRITE(value, offset, length)`: a change of a part of a long value.
    Write {
        /// The long column that is changed.
        column: ColumnRef,
        /// The arguments as written: value, offset and length.
        arguments: Vec<Expr>,
    },
}

impl SetClause {
    /// Whether it gives a variable a value.
    pub fn sets_variable(&self) -> bool {
        matches!(self, SetClause::Assign { variable: Some(_), .. })
    }
}

/// `WHERE` of an update or delete.
#[derive(Clone, Debug, PartialEq)]
pub enum DmlFilter {
    /// A condition on the rows.
    Condition(Expr),
    /// `CURRENT OF cursor`: the one row on which a cursor stands.
    CurrentOf(CursorName),
}

/// `DELETE [FROM] target [FROM …] [WHERE …]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// The `TOP` that limits the deleted rows.
    pub top: Option<Top>,
    /// A table, an alias of `from`, or a table variable.
    pub target: TableRef,
    /// The `OUTPUT` clauses, in the order written.
    pub output: Vec<Output>,
    /// The sources of the second `FROM`, joined by commas.
    pub from: Vec<TableRef>,
    /// The `WHERE` clause; without one all rows are deleted.
    pub filter: Option<DmlFilter>,
    /// The hints of `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// `MERGE target USING source ON condition clauses`.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// The `TOP` that limits the changed rows.
    pub top: Option<Top>,
    /// The target with its alias and hints.
    pub target: TableRef,
    /// The source after `USING`, whose rows are compared with the target's.
    pub source: TableRef,
    /// The condition under which a source row matches a target row.
    pub on: Expr,
    /// The `WHEN` clauses, tried in order for each row.
    pub clauses: Vec<MergeClause>,
    /// The `OUTPUT` clauses, in the order written.
    pub output: Vec<Output>,
    /// The hints of `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// `WHEN [NOT] MATCHED …`.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeClause {
    /// The pairs of rows that the clause is for.
    pub when: MergeWhen,
    /// The condition after `AND`, which the pair must meet as well.
    pub condition: Option<Expr>,
    /// The change that the clause makes.
    pub action: MergeAction,
}

/// When a clause of `MERGE` applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeWhen {
    /// `MATCHED`: a source row and a target row meet the condition.
    Matched,
    /// `NOT MATCHED [BY TARGET]`
    NotMatchedByTarget,
    /// `NOT MATCHED BY SOURCE`
    NotMatchedBySource,
}

/// The changes that a clause of `MERGE` makes.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeAction {
    /// `UPDATE SET …` of the matched target row.
    Update(Vec<SetClause>),
    /// `DELETE` of the matched target row.
    Delete,
    /// `INSERT (columns) VALUES (…)`
    Insert {
        /// The columns that receive values; empty means all, in order.
        columns: Vec<Ident>,
        /// The values, one a column.
        values: Vec<Expr>,
    },
    /// `INSERT (columns) DEFAULT VALUES`
    InsertDefaultValues,
}

/// `TRUNCATE TABLE table`: all rows go, extents at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Truncate {
    /// The table that is emptied.
    pub table: ObjectName,
    /// `WITH (PARTITIONS (…))` was there.
    pub partitions: bool,
}

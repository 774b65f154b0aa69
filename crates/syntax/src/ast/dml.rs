//! Changes of rows.

use super::{
    AssignOp, ColumnRef, CursorName, Execute, Expr, Ident, ObjectName, Query, QueryHint,
    SelectItem, TableRef, Top, With,
};

/// `INSERT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// `TOP`.
    pub top: Option<Top>,
    /// A named table, a table variable, or `OPENROWSET`.
    pub target: TableRef,
    /// The columns; empty when none were named.
    pub columns: Vec<Ident>,
    /// `OUTPUT`.
    pub output: Vec<Output>,
    /// Where the rows come from.
    pub source: InsertSource,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// Where inserted rows come from.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertSource {
    /// `VALUES (…), (…)`; an element may be [`super::ExprKind::Default`].
    Values(Vec<Vec<Expr>>),
    /// A query.
    Query(Box<Query>),
    /// `EXEC …`.
    Execute(Box<Execute>),
    /// `DEFAULT VALUES`.
    DefaultValues,
}

/// `OUTPUT items [INTO target (columns)]`; a statement may have one with and one without `INTO`.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// What is put out, over `inserted` and `deleted`.
    pub items: Vec<SelectItem>,
    /// The table or table variable that receives it; the client when there is none.
    pub into: Option<TableRef>,
    /// The receiver's columns.
    pub columns: Vec<Ident>,
}

/// `UPDATE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// `TOP`.
    pub top: Option<Top>,
    /// A table, an alias of `from`, or a table variable.
    pub target: TableRef,
    /// `SET`.
    pub set: Vec<SetClause>,
    /// `OUTPUT`.
    pub output: Vec<Output>,
    /// `FROM`.
    pub from: Vec<TableRef>,
    /// `WHERE`.
    pub filter: Option<DmlFilter>,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// A part of `SET` of an update.
#[derive(Clone, Debug, PartialEq)]
pub enum SetClause {
    /// `column = value`, `@v = value`, `@v = column = value`, each also with a compound operator.
    Assign {
        /// `@v =`.
        variable: Option<Ident>,
        /// The column.
        column: Option<ColumnRef>,
        /// `=` or a compound operator.
        op: AssignOp,
        /// The value, perhaps `DEFAULT`.
        value: Expr,
    },
    /// `column.WRITE(value, offset, length)`.
    Write {
        /// The column.
        column: ColumnRef,
        /// Three arguments.
        arguments: Vec<Expr>,
    },
}

/// `WHERE` of an update or delete.
#[derive(Clone, Debug, PartialEq)]
pub enum DmlFilter {
    /// A condition.
    Condition(Expr),
    /// `CURRENT OF cursor`.
    CurrentOf(CursorName),
}

/// `DELETE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// `TOP`.
    pub top: Option<Top>,
    /// A table, an alias of `from`, or a table variable.
    pub target: TableRef,
    /// `OUTPUT`.
    pub output: Vec<Output>,
    /// The second `FROM`.
    pub from: Vec<TableRef>,
    /// `WHERE`.
    pub filter: Option<DmlFilter>,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// `MERGE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// `TOP`.
    pub top: Option<Top>,
    /// The target with its alias and hints.
    pub target: TableRef,
    /// `USING`.
    pub source: TableRef,
    /// `ON`.
    pub on: Expr,
    /// `WHEN …`.
    pub clauses: Vec<MergeClause>,
    /// `OUTPUT`.
    pub output: Vec<Output>,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// `WHEN [NOT] MATCHED …`.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeClause {
    /// When it applies.
    pub when: MergeWhen,
    /// `AND condition`.
    pub condition: Option<Expr>,
    /// What it does.
    pub action: MergeAction,
}

/// When a clause of `MERGE` applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeWhen {
    /// `MATCHED`
    Matched,
    /// `NOT MATCHED [BY TARGET]`
    NotMatchedByTarget,
    /// `NOT MATCHED BY SOURCE`
    NotMatchedBySource,
}

/// What a clause of `MERGE` does.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeAction {
    /// `UPDATE SET …`
    Update(Vec<SetClause>),
    /// `DELETE`
    Delete,
    /// `INSERT (columns) VALUES (…)`
    Insert {
        /// The columns.
        columns: Vec<Ident>,
        /// The values.
        values: Vec<Expr>,
    },
    /// `INSERT (columns) DEFAULT VALUES`
    InsertDefaultValues,
}

/// `TRUNCATE TABLE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Truncate {
    /// The table.
    pub table: ObjectName,
    /// `WITH (PARTITIONS (…))` was there.
    pub partitions: bool,
}

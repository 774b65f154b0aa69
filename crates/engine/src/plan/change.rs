//! Plans of INSERT, UPDATE and DELETE.

use crate::catalog::{Index, Table};
use crate::database::Database;
use crate::plan::expr::{Expr, Pred, Slot};
use crate::plan::node::{Node, QueryPlan, TableLock};
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
    /// OUTPUT.
    pub output: Option<OutputPlan>,
}

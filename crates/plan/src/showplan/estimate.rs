//! The figures that are guessed of operators: rows, sizes and costs.
//!
//! Rows of tables are what the planner has seen ([`crate::node::Expected`]); those of other operators follow by the shares of
//! [`crate::guess`]. A cost is in SQL Server's unit, made of the numbers that its plans show: reading a page 0.003125 where it is the first
//! and 0.000740741 where others went before, a row 0.0000011.

use super::Line;
use super::form::Rows;
use crate::columns::Columns;
use crate::expr::Slot;
use crate::node::Scan;
use taffrail_types::SqlType::{NVarChar, VarBinary, VarChar};

/// The first page that is read.
const FIRST_PAGE: f64 = 0.003125;
/// A page behind it.
const NEXT_PAGE: f64 = 0.000_740_741;
/// A scan or seek begins.
const BEGIN: f64 = 0.000_157;
/// A row that is read.
const ROW: f64 = 0.000_001_1;
/// A pair of rows that are joined by loops.
const PAIR: f64 = 0.000_004_18;
/// A row that is computed with.
const COMPUTED: f64 = 0.000_000_1;
/// A row that is put into a hash table, or asked for there.
const HASHED: f64 = 0.000_005;
/// A hash table is set up.
const HASH_BEGIN: f64 = 0.0177;
/// A sort is set up.
const SORT_BEGIN: f64 = 0.011_261_3;
/// Bytes of rows in a page.
const PAGE: f64 = 8096.0;
/// Bytes of a value of a (max) type.
const LARGE: u32 = 4000;

/// The guessed figures of an operator, for one execution but where it is said.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    /// Rows that it gives.
    pub rows: f64,
    /// Rows that it reads of a table or index.
    pub read: Option<f64>,
    /// Rows of the table.
    pub table: Option<f64>,
    /// Cost of its pages.
    pub io: f64,
    /// Cost of its work on rows.
    pub cpu: f64,
    /// Bytes of a row.
    pub row_size: u32,
    /// How often it runs.
    pub executions: f64,
    /// The cost of all its executions and of the operators below it.
    pub subtree: f64,
}

/// Bytes of a row of these slots.
pub(super) fn row_size(slots: &[Slot], columns: &Columns) -> u32 {
    let width = |slot: &Slot| {
        let Some(column) = columns.get(*slot) else { return 8 };
        let ty = column.ty.ty;
        match column.width() {
            None => LARGE,
            // As long as may be is seldom.
            Some(n) if matches!(ty, VarChar(_) | NVarChar(_) | VarBinary(_)) => n / 2,
            Some(n) => n,
        }
    };
    slots.iter().map(width).fold(9, u32::saturating_add).min(1_000_000)
}

/// The cost of one execution of a scan.
pub fn cost_of_scan(scan: &Scan, columns: &Columns) -> f64 {
    let slots: Vec<Slot> = scan.columns.iter().map(|c| c.1).collect();
    let read = scan.expected.read;
    pages(read, row_size(&slots, columns)) + BEGIN + read.max(1.0) * ROW
}

/// The cost of the pages of so many rows.
fn pages(rows: f64, row_size: u32) -> f64 {
    let pages = (rows * f64::from(row_size) / PAGE).ceil().max(1.0);
    FIRST_PAGE + (pages - 1.0) * NEXT_PAGE
}

/// Guesses the figures of all lines.
pub(super) fn guess(lines: &mut [Line]) {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); lines.len()];
    for (at, line) in lines.iter().enumerate() {
        if let Some(parent) = line.parent {
            below[parent].push(at);
        }
    }
    for at in (0..lines.len()).rev() {
        let rows = rows_of(lines, at, &below[at]);
        lines[at].estimate.rows = rows.max(0.0);
    }
    for at in 0..lines.len() {
        lines[at].estimate.executions = match lines[at].parent {
            None => 1.0,
            Some(parent) => executions(lines, parent, at == below[parent][0]),
        };
    }
    for at in (0..lines.len()).rev() {
        let (io, cpu) = cost(lines, at, &below[at]);
        let inner: f64 = below[at].iter().map(|b| lines[*b].estimate.subtree).sum();
        let own = &mut lines[at].estimate;
        (own.io, own.cpu) = (io, cpu);
        own.subtree = (io + cpu) * own.executions.max(1.0) + inner;
    }
}

fn rows_of(lines: &mut [Line], at: usize, below: &[usize]) -> f64 {
    let inputs: Vec<f64> = below.iter().map(|b| lines[*b].estimate.rows).collect();
    let first = inputs.first().copied().unwrap_or(1.0);
    match lines[at].rows {
        Rows::Same => first,
        Rows::Known(rows, read) => {
            lines[at].estimate.read = (read > 0.0).then_some(read);
            rows
        }
        Rows::Share(share) => first * share,
        Rows::AtMost(most) => first.min(most),
        Rows::Product => inputs.iter().product(),
        Rows::Most => inputs.iter().copied().fold(0.0, f64::max),
        Rows::Of(at) => inputs.get(at).copied().unwrap_or(first),
        Rows::Sum => inputs.iter().sum(),
    }
}

/// How often an operator below another one runs: the second input of nested loops for each row of the first.
fn executions(lines: &[Line], parent: usize, is_first: bool) -> f64 {
    let above = &lines[parent];
    match above.physical {
        "Nested Loops" if !is_first => above.estimate.executions * lines[parent + 1].estimate.rows,
        // It is read once, however often its rows are given.
        "Table Spool" => 1.0,
        _ => above.estimate.executions,
    }
}

/// The cost of one execution, for pages and for rows.
fn cost(lines: &[Line], at: usize, below: &[usize]) -> (f64, f64) {
    let line = &lines[at];
    let own = &line.estimate;
    let input = |n: usize| below.get(n).map_or(0.0, |b| lines[*b].estimate.rows);
    let all: f64 = below.iter().map(|b| lines[*b].estimate.rows).sum();
    let pages = |rows: f64| pages(rows, own.row_size);
    match line.physical {
        "Constant Scan" => (0.0, own.rows * ROW),
        "Table Scan"
        | "Clustered Index Scan"
        | "Clustered Index Seek"
        | "Index Scan"
        | "Index Seek"
        | "RID Lookup" => {
            let read = own.read.unwrap_or(own.rows);
            (pages(read), BEGIN + read.max(1.0) * ROW)
        }
        "Table-valued function" => (0.0, BEGIN + own.rows * ROW),
        "Nested Loops" => (0.0, input(0) * input(1).max(1.0) * PAIR),
        "Hash Match" => (0.0, HASH_BEGIN + all * HASHED),
        "Merge Join" => (0.0, all * PAIR),
        "Sort" => {
            let n = input(0).max(1.0);
            (SORT_BEGIN, 0.000_1 + n * (n + 1.0).log2() * ROW)
        }
        "Stream Aggregate" => (0.0, all * 0.000_000_6 + own.rows * 0.000_000_5),
        "Window Aggregate" | "Sequence Project" => (0.0, all * ROW),
        "Table Spool" => (pages(own.rows), all * ROW),
        "Compute Scalar" | "Concatenation" | "Top" | "Filter" | "Subquery" => {
            (0.0, all.max(own.rows) * COMPUTED)
        }
        // What is left changes rows.
        _ => (pages(own.rows), own.rows.max(1.0) * ROW),
    }
}

//! Plans as rows: SET SHOWPLAN_ALL, and SET STATISTICS PROFILE with what was counted.

use crate::plan::showplan::document::{Actual, Counted, whole};
use crate::plan::showplan::{Line, drawn};
use crate::sink::ColumnDesc;
use taffrail_types::{MaxLen, SqlType, Value};

const LONG: SqlType = SqlType::NVarChar(MaxLen::N(4000));
const NAME: SqlType = SqlType::NVarChar(MaxLen::N(60));

/// The columns of PROFILE; SHOWPLAN_ALL is without the first [`COUNTS`].
const COLUMNS: [(&str, SqlType); 20] = [
    ("Rows", SqlType::BigInt),
    ("Executes", SqlType::BigInt),
    ("StmtText", SqlType::NVARCHAR_MAX),
    ("StmtId", SqlType::Int),
    ("NodeId", SqlType::Int),
    ("Parent", SqlType::Int),
    ("PhysicalOp", NAME),
    ("LogicalOp", NAME),
    ("Argument", SqlType::NVARCHAR_MAX),
    ("DefinedValues", SqlType::NVARCHAR_MAX),
    ("EstimateRows", SqlType::Real),
    ("EstimateIO", SqlType::Real),
    ("EstimateCPU", SqlType::Real),
    ("AvgRowSize", SqlType::Int),
    ("TotalSubtreeCost", SqlType::Real),
    ("OutputList", SqlType::NVARCHAR_MAX),
    ("Warnings", LONG),
    ("Type", NAME),
    ("Parallel", SqlType::Bit),
    ("EstimateExecutions", SqlType::Real),
];

/// So many columns tell what was counted.
const COUNTS: usize = 2;

/// The columns of a plan as rows. `counted`: with what was counted.
pub(super) fn columns(counted: bool) -> Vec<ColumnDesc> {
    let from = if counted { 0 } else { COUNTS };
    COLUMNS[from..].iter().map(|(name, ty)| ColumnDesc::new(*name, *ty)).collect()
}

/// The columns of SHOWPLAN_TEXT.
pub(super) fn text_column() -> Vec<ColumnDesc> {
    vec![ColumnDesc::new("StmtText", SqlType::NVARCHAR_MAX)]
}

/// A statement, as its rows tell it.
pub(super) struct Head<'h> {
    /// The text of the statement.
    pub text: &'h str,
    /// Its number in the batch.
    pub statement: i32,
    /// The statement's `Type`.
    pub kind: &'h str,
}

fn text(t: &str) -> Value {
    if t.is_empty() { Value::Null } else { Value::nvarchar(t) }
}

fn real(n: f64) -> Value {
    Value::Real(n as f32)
}

/// The counts, where they are told.
fn counts(actual: Option<Actual>) -> Vec<Value> {
    let all = actual.map(|a| [a.rows, a.executions].map(|n| Value::BigInt(n as i64)));
    all.into_iter().flatten().collect()
}

/// The rows of a statement and its plans. `nodes`: the numbers that are given to nodes so far. `counted`: what the statement and its
/// operators did.
pub(super) fn rows(
    head: &Head<'_>,
    plans: &[&[Line]],
    nodes: &mut i32,
    counted: Option<(Actual, Counted<'_>)>,
) -> Vec<Vec<Value>> {
    *nodes += 1;
    let root = *nodes;
    let of_all = plans.first().map(|lines| whole(lines));
    let figure = |n: Option<f64>| n.map_or(Value::Null, real);
    let mut first = counts(counted.map(|c| c.0));
    first.extend([
        Value::nvarchar(head.text),
        Value::Int(head.statement),
        Value::Int(root),
        Value::Int(0),
        Value::Null,
        Value::Null,
        Value::nvarchar("1"),
        Value::Null,
        figure(of_all.map(|e| e.rows)),
        Value::Null,
        Value::Null,
        Value::Null,
        figure(of_all.map(|e| e.subtree)),
        Value::Null,
        Value::Null,
        Value::nvarchar(head.kind),
        Value::Bit(false),
        Value::Null,
    ]);
    let mut out = vec![first];
    for lines in plans {
        let begin = *nodes + 1;
        for (line, drawn) in lines.iter().zip(drawn(lines)) {
            *nodes += 1;
            let e = &line.estimate;
            let mut row = counts(counted.and_then(|c| c.1(line.counter)));
            row.extend([
                Value::nvarchar(&drawn),
                Value::Int(head.statement),
                Value::Int(*nodes),
                Value::Int(line.parent.map_or(root, |p| begin + p as i32)),
                Value::nvarchar(line.physical),
                Value::nvarchar(line.logical),
                text(&line.argument),
                text(&line.defined),
                real(e.rows),
                real(e.io),
                real(e.cpu),
                Value::Int(e.row_size as i32),
                real(e.subtree),
                text(&line.outputs),
                Value::Null,
                Value::nvarchar("PLAN_ROW"),
                Value::Bit(false),
                real(e.executions),
            ]);
            out.push(row);
        }
    }
    out
}

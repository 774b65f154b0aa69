//! The XML of plans, in SQL Server's schema: a document, its statements, and the operators of a plan.

use super::form::around;
pub use super::xml::figure;
use super::{Counter, Estimate, Line, Xml, missing};
use crate::node::{Node, Scan};
use crate::statement::Statement;
use crate::subquery::SubqueryPlan;
use taffrail_catalog::Table;
use taffrail_catalog::database::Database;
use taffrail_catalog::missing::MissingColumns;

/// The namespace of all elements.
const NAMESPACE: &str = "http://schemas.microsoft.com/sqlserver/2004/07/showplan";
/// The version of the schema.
const VERSION: &str = "1.564";
/// How deep elements nest in a document that can be a value of type xml.
pub const DEEPEST: usize = 128;

/// The counts of an operator while a statement runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Actual {
    /// Rows that it gave.
    pub rows: u64,
    /// Rows that it read.
    pub read: Option<u64>,
    /// How often it was begun.
    pub executions: u64,
    /// How often its end was reached.
    pub ends: u64,
    /// Time in it and below it, ms.
    pub elapsed_ms: u64,
    /// Pages that were looked up in it and below it.
    pub logical_reads: Option<u64>,
}

/// The counts of each operator.
pub type Counted<'c> = &'c dyn Fn(Counter) -> Option<Actual>;

/// `ColumnReference` of a column without a table.
pub(super) fn named_column(name: &str) -> Xml {
    Xml::new("ColumnReference").attr("Column", name)
}

/// The document of one batch.
pub fn document(build: &str, statements: Vec<Xml>) -> Xml {
    let batch = Xml::new("Batch").with(Xml::new("Statements").all(statements));
    Xml::new("ShowPlanXML")
        .attr("xmlns", NAMESPACE)
        .attr("Version", VERSION)
        .attr("Build", build)
        .with(Xml::new("BatchSequence").with(batch))
}

/// The cost and the rows of a plan: of the first root, with those of the subqueries beside it.
pub fn whole(lines: &[Line]) -> Estimate {
    let roots = || lines.iter().filter(|l| l.parent.is_none());
    let first = roots().next().map_or(Estimate::default(), |l| l.estimate);
    Estimate { subtree: roots().map(|l| l.estimate.subtree).sum(), ..first }
}

/// The element `RelOp` of a plan: that of the root, with all others inside.
pub fn operators(lines: &[Line], counted: Option<Counted<'_>>) -> Option<Xml> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); lines.len()];
    let mut roots = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match line.parent {
            Some(parent) => below[parent].push(at),
            None => roots.push(at),
        }
    }
    let mut writer = Writer { lines, below, counted, next: 0 };
    match roots[..] {
        [] => None,
        [root] => Some(writer.operator(root)),
        _ => Some(writer.sequence(&roots)),
    }
}

/// `MissingIndexes` of a plan; none where no scan would use one.
pub fn missing_indexes(statement: &Statement, subqueries: &[SubqueryPlan]) -> Option<Xml> {
    let mut groups = Vec::new();
    statement.nodes(subqueries, &mut |node| {
        if let Node::Scan(scan) = node
            && let Some((index, impact)) = missing(scan)
        {
            let group = missing_group(scan, &index, impact);
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
    });
    around("MissingIndexes", groups)
}

fn missing_group(scan: &Scan, index: &MissingColumns, impact: f64) -> Xml {
    let group = Xml::new("MissingIndexGroup").attr("Impact", figure((impact * 1e4).round() / 1e4));
    group.with(missing_index(&scan.database, &scan.table, index))
}

fn missing_index(database: &Database, table: &Table, index: &MissingColumns) -> Xml {
    let names = crate::names::object(&database.name, table);
    let x = super::object_attributes(Xml::new("MissingIndex"), &names, None);
    let lists = [
        ("EQUALITY", &index.equality),
        ("INEQUALITY", &index.inequality),
        ("INCLUDE", &index.included),
    ];
    x.all(lists.into_iter().filter(|l| !l.1.is_empty()).map(|(usage, columns)| {
        let columns = columns.iter().map(|at| {
            let c = &table.columns[*at];
            Xml::new("Column").attr("Name", crate::names::bracketed(&c.name)).attr("ColumnId", c.id)
        });
        Xml::new("ColumnGroup").attr("Usage", usage).all(columns)
    }))
}

struct Writer<'w> {
    lines: &'w [Line],
    below: Vec<Vec<usize>>,
    counted: Option<Counted<'w>>,
    next: u32,
}

/// The logical operators of the schema: those of ours that it does not have are called by what comes nearest.
fn logical(line: &Line) -> &'static str {
    match line.logical {
        "Except" => "Left Diff",
        "Stream Aggregate" => "Aggregate",
        "Subquery" => "Generic",
        other => other,
    }
}

impl Writer<'_> {
    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// An operator with those below it.
    fn operator(&mut self, at: usize) -> Xml {
        let (number, line) = (self.number(), &self.lines[at]);
        let below = std::mem::take(&mut self.below[at]);
        let inputs = match below.len() > line.form.most() {
            true => vec![self.sequence(&below)],
            false => below.iter().map(|b| self.operator(*b)).collect(),
        };
        let physical = if line.physical == "Subquery" { "Generic" } else { line.physical };
        let x = rel_op(number, physical, logical(line), &line.estimate);
        let output = Xml::new("OutputList").all(line.references.iter().cloned());
        let warned = (line.form.element == "NestedLoops"
            && line.form.before.is_empty()
            && line.logical == "Inner Join")
            .then(|| Xml::new("Warnings").attr("NoJoinPredicate", 1));
        let actual = self.counted.and_then(|of| of(line.counter)).map(run_time);
        let form = &line.form;
        let mut own = Xml::new(form.element);
        for (name, value) in &form.attributes {
            own = own.attr(name, value);
        }
        let own = own
            .all(around("DefinedValues", form.defined.clone()))
            .all(form.before.iter().cloned())
            .all(inputs)
            .all(form.behind.iter().cloned());
        x.with(output).all(warned).all(actual).with(own)
    }

    /// Operators one after the other, where the schema has room for one.
    fn sequence(&mut self, all: &[usize]) -> Xml {
        let number = self.number();
        let mut estimate = self.lines[all[0]].estimate;
        (estimate.io, estimate.cpu) = (0.0, 0.0);
        (estimate.read, estimate.table) = (None, None);
        estimate.subtree = all.iter().map(|at| self.lines[*at].estimate.subtree).sum();
        let counter = self.lines[all[0]].counter;
        let actual = self.counted.and_then(|of| of(counter)).map(run_time);
        let inputs: Vec<Xml> = all.iter().map(|at| self.operator(*at)).collect();
        rel_op(number, "Sequence", "Sequence", &estimate)
            .with(Xml::new("OutputList"))
            .all(actual)
            .with(Xml::new("Sequence").all(inputs))
    }
}

/// `RelOp` with its attributes.
fn rel_op(number: u32, physical: &str, logical: &str, e: &Estimate) -> Xml {
    let mut x = Xml::new("RelOp")
        .attr("NodeId", number)
        .attr("PhysicalOp", physical)
        .attr("LogicalOp", logical)
        .attr("EstimateRows", figure(e.rows));
    if let Some(read) = e.read {
        x = x.attr("EstimatedRowsRead", figure(read));
    }
    x = x
        .attr("EstimateIO", figure(e.io))
        .attr("EstimateCPU", figure(e.cpu))
        .attr("AvgRowSize", e.row_size)
        .attr("EstimatedTotalSubtreeCost", figure(e.subtree));
    if let Some(table) = e.table {
        x = x.attr("TableCardinality", figure(table));
    }
    x.attr("Parallel", 0)
        .attr("EstimateRebinds", figure((e.executions - 1.0).max(0.0)))
        .attr("EstimateRewinds", 0)
        .attr("EstimatedExecutionMode", "Row")
}

/// `RunTimeInformation` of an operator.
fn run_time(a: Actual) -> Xml {
    let mut x = Xml::new("RunTimeCountersPerThread").attr("Thread", 0).attr("ActualRows", a.rows);
    if let Some(read) = a.read {
        x = x.attr("ActualRowsRead", read);
    }
    x = x
        .attr("ActualEndOfScans", a.ends)
        .attr("ActualExecutions", a.executions)
        .attr("ActualExecutionMode", "Row")
        .attr("ActualElapsedms", a.elapsed_ms);
    if let Some(reads) = a.logical_reads {
        x = x.attr("ActualLogicalReads", reads);
    }
    Xml::new("RunTimeInformation").with(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_plan_has_no_operator() {
        assert!(operators(&[], None).is_none());
        let text = document("16.0.1000.6", Vec::new()).text();
        assert!(text.starts_with("<ShowPlanXML xmlns=\"http://schemas.microsoft.com/"), "{text}");
        assert!(text.ends_with("<Batch><Statements/></Batch></BatchSequence></ShowPlanXML>"));
    }
}

//! Operators as SQL Server's plans show them: the text form of SET SHOWPLAN_TEXT and SHOWPLAN_ALL, and the XML of SHOWPLAN_XML.
//!
//! ```text
//!   |--Hash Match(Inner Join, HASH:([b].[id])=([a].[id]))
//!        |--Table Scan(OBJECT:([db].[dbo].[u] AS [b]))
//!        |--Clustered Index Seek(OBJECT:([db].[dbo].[t].[PK_t] AS [a]), SEEK:([a].[id]=(5)) ORDERED FORWARD)
//! ```
//!
//! One walk over the plan makes a [`Line`] of each operator, which has both forms ([`document`] writes the XML). An operator of ours that
//! SQL Server has no name for is called by what comes nearest. A scan of a nonclustered index that does not hold all columns is shown as
//! the three operators that SQL Server makes of it. Subqueries that expressions read while they are computed stand beside the root, each
//! under a line of its own.

mod change;
mod columns;
pub mod document;
mod estimate;
mod form;
mod grouped;
mod joins;
mod missing;
mod scalar;
mod scan;
mod xml;

use crate::columns::Columns;
use crate::expr::{Expr, Pred, Slot};
use crate::names::{Length, Names, bracketed, rowset};
use crate::node::{Node, Sort, Top, ValuesScan, ViewScan};
use crate::statement::Statement;
use crate::subquery::SubqueryPlan;
use crate::text::{Scalars, list};
use columns::outputs;
pub use estimate::{Estimate, cost_of_scan};
use form::{Form, Rows, around, defined};
pub use missing::missing;
use scalar::{object_attributes, subquery_column};
use std::collections::HashMap;
use taffrail_catalog::{Index, Table};
pub use xml::Xml;

/// The executions that a line's figures are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counter {
    /// The executions of the statement.
    #[default]
    Statement,
    /// An operator's, by its number ([`Node::number`]).
    Node(usize),
    /// The entries of an index that a scan of this number reads.
    Entries(usize),
    /// The rows that a scan of this number looks up.
    Lookups(usize),
}

/// An operator as a line.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The line it stands under; none: the statement.
    pub parent: Option<usize>,
    /// `Hash Match`.
    pub physical: &'static str,
    /// `Inner Join`.
    pub logical: &'static str,
    /// What stands in the parentheses, without the logical operator.
    pub argument: String,
    /// What it sets.
    pub defined: String,
    /// The columns that it puts out.
    pub outputs: String,
    /// The figures that are guessed of it.
    pub estimate: Estimate,
    /// The executions that are counted of it.
    pub counter: Counter,
    /// The slots that it puts out.
    output: Vec<Slot>,
    /// `ColumnReference` of each of them.
    references: Vec<Xml>,
    /// The element in XML.
    form: Form,
    /// How many rows it gives.
    rows: Rows,
}

impl Line {
    /// `Hash Match(Inner Join, HASH:…)`.
    pub fn text(&self) -> String {
        let logical = match self.logical {
            logical if logical == self.physical || silent(logical) => "",
            // All that it does.
            "Aggregate" if self.physical == "Stream Aggregate" => "",
            logical => logical,
        };
        match (logical, &*self.argument) {
            ("", "") => self.physical.into(),
            ("", argument) => format!("{}({argument})", self.physical),
            (logical, "") => format!("{}({logical})", self.physical),
            (logical, argument) => format!("{}({logical}, {argument})", self.physical),
        }
    }
}

/// Logical operators that the text leaves out.
fn silent(logical: &str) -> bool {
    matches!(logical, "TopN Sort" | "Distinct Sort" | "Insert" | "Update" | "Delete" | "Merge")
        || matches!(logical, "Eager Spool" | "Lazy Spool" | "Aggregate Scalar" | "Lookup")
}

/// The lines with the strokes of the tree before them.
pub fn drawn(lines: &[Line]) -> Vec<String> {
    // The last line below each; the roots' are below none.
    let last: HashMap<_, _> = lines.iter().enumerate().map(|(at, l)| (l.parent, at)).collect();
    // Whether a line has a sibling below it.
    let goes_on = |at: usize| last.get(&lines[at].parent) != Some(&at);
    let mut out = Vec::with_capacity(lines.len());
    for line in lines {
        let mut strokes = String::from("|--");
        let mut above = line.parent;
        while let Some(p) = above {
            strokes.insert_str(0, if goes_on(p) { "|    " } else { "     " });
            above = lines[p].parent;
        }
        out.push(format!("  {strokes}{}", line.text()));
    }
    out
}

/// The lines of a planned statement with these columns, the root first.
pub fn lines(
    statement: &Statement,
    subqueries: &[SubqueryPlan],
    names: &Names,
    columns: &Columns,
) -> Vec<Line> {
    let long = Scalars { names: Some(names), length: Length::Long };
    let short = Scalars { names: Some(names), length: Length::Short };
    let mut plan = Showplan { lines: Vec::new(), names, long, short };
    plan.statement(statement);
    // One that has become a join gives no row.
    let read = subqueries.iter().enumerate().filter(|s| !matches!(s.1.node, Node::Nothing));
    for (n, subquery) in read {
        plan.subquery(n, subquery);
    }
    let mut lines = plan.lines;
    for line in &mut lines {
        line.outputs = list(line.output.iter(), |s| short.slot(*s));
        line.references = line.output.iter().map(|s| long.reference(*s)).collect();
        line.estimate.row_size = estimate::row_size(&line.output, columns);
    }
    estimate::guess(&mut lines);
    lines
}

fn define(items: &str) -> String {
    format!("DEFINE:({items})")
}

struct Showplan<'n> {
    lines: Vec<Line>,
    names: &'n Names,
    long: Scalars<'n>,
    short: Scalars<'n>,
}

/// `[db].[dbo].[t]`.
fn object(database: &str, table: &Table) -> String {
    crate::names::object(database, table).join(".")
}

/// The same with the index, where it has a name.
fn index_object(database: &str, table: &Table, index: &Index) -> String {
    match index.name.is_empty() {
        true => object(database, table),
        false => format!("{}.{}", object(database, table), bracketed(&index.name)),
    }
}

impl Showplan<'_> {
    fn add(
        &mut self,
        parent: Option<usize>,
        physical: &'static str,
        logical: &'static str,
        argument: String,
    ) -> usize {
        self.lines.push(Line {
            parent,
            physical,
            logical,
            argument,
            defined: String::new(),
            outputs: String::new(),
            estimate: Estimate::default(),
            counter: Counter::Statement,
            output: Vec::new(),
            references: Vec::new(),
            form: form::of_physical(physical),
            rows: Rows::Same,
        });
        self.lines.len() - 1
    }

    fn statement(&mut self, statement: &Statement) {
        let long = self.long;
        match statement {
            Statement::Select(s, _) if s.assign.is_empty() => self.node(&s.plan.node, None),
            Statement::Select(s, _) => {
                let set =
                    list(&s.assign, |(v, e)| format!("{}={}", long.variable(*v), long.expr(e)));
                let at = self.add(None, "Compute Scalar", "Compute Scalar", define(&set));
                let value = |(v, e): &(u32, Expr)| {
                    let name = long.variable(*v);
                    let column = document::named_column(name.trim_matches(['[', ']']));
                    defined(column, Some(long.operator(e)))
                };
                self.lines[at].form =
                    Form::new("ComputeScalar").defines(s.assign.iter().map(value));
                self.node(&s.plan.node, Some(at));
            }
            Statement::Insert(i) => self.insert(i),
            Statement::Update(u) => self.update(u),
            Statement::Delete(d) => self.delete(d),
            Statement::Merge(m) => self.merge(m),
            Statement::Scalar(e, _) => {
                let argument = define(&format!("[Expr1000]={}", long.expr(e)));
                let at = self.add(None, "Compute Scalar", "Compute Scalar", argument);
                let value = defined(document::named_column("Expr1000"), Some(long.operator(e)));
                self.lines[at].form = Form::new("ComputeScalar").defines([value]);
                self.constant(Some(at), Rows::Known(1.0, 0.0));
            }
            Statement::Condition(p) => {
                let argument = format!("WHERE:(STARTUP EXPR({}))", long.pred(p));
                let at = self.add(None, "Filter", "Filter", argument);
                self.lines[at].form = self.filtering(p, true);
                self.constant(Some(at), Rows::Known(1.0, 0.0));
            }
        }
    }

    fn subquery(&mut self, n: usize, subquery: &SubqueryPlan) {
        // Found for all outer rows at once, but for the first of them.
        let keyed = subquery.keyed.as_ref().filter(|k| k.after <= 1);
        let mut argument = (n + 1).to_string();
        if let Some(k) = keyed {
            let short = self.short;
            let (outer, inner) =
                (list(&k.keys, |k| short.expr(&k.0)), list(&k.keys, |k| short.expr(&k.1)));
            argument += &format!(", HASH:({inner})=({outer})");
        }
        let at = self.add(None, "Subquery", "Subquery", argument);
        let column = document::named_column(&subquery_column(n as u32 + 1));
        self.lines[at].form = Form::new("Generic").defines([defined(column, None)]);
        let node = keyed.map_or(&subquery.node, |k| &k.node);
        self.lines[at].counter = Counter::Node(node.number());
        self.node(node, Some(at));
    }

    fn constant(&mut self, parent: Option<usize>, rows: Rows) -> usize {
        let at = self.add(parent, "Constant Scan", "Constant Scan", String::new());
        self.lines[at].rows = rows;
        at
    }

    fn filtering(&self, pred: &Pred, startup: bool) -> Form {
        let predicate = Xml::new("Predicate").with(self.long.condition(pred));
        Form::new("Filter").attr("StartupExpression", u8::from(startup)).behind([predicate])
    }

    fn slots(&self, slots: impl IntoIterator<Item = Slot>) -> String {
        list(slots, |s| self.short.slot(s))
    }

    fn references(&self, slots: impl IntoIterator<Item = Slot>) -> Vec<Xml> {
        slots.into_iter().map(|s| self.long.reference(s)).collect()
    }

    /// `ColumnReference` of a value: of what is computed, with its expression.
    fn column(&self, e: &Expr) -> Xml {
        match e {
            Expr::Slot(s) => self.long.reference(*s),
            e => document::named_column("Expr").with(self.long.operator(e)),
        }
    }

    /// `DefinedValue` of a slot.
    fn defines(&self, slot: Slot, value: Option<Xml>) -> Xml {
        defined(self.long.reference(slot), value)
    }

    /// `, WHERE:(…)` behind what stands before.
    fn filter(&self, filter: &Option<Pred>) -> String {
        match filter {
            Some(p) => format!(", WHERE:({})", self.long.pred(p)),
            None => String::new(),
        }
    }

    /// The lines of an operator and of those below it.
    fn node(&mut self, node: &Node, parent: Option<usize>) {
        let at = self.lines.len();
        self.operator(node, parent);
        let line = &mut self.lines[at];
        line.counter = Counter::Node(node.number());
        line.output = outputs(node);
    }

    fn operator(&mut self, node: &Node, parent: Option<usize>) {
        match node {
            Node::OneRow => {
                self.constant(parent, Rows::Known(1.0, 0.0));
            }
            Node::Nothing => {
                self.constant(parent, Rows::Known(0.0, 0.0));
            }
            Node::Scan(s) => self.scan(s, node.number(), parent),
            Node::View(v) => self.view(v, parent),
            Node::Values(v) => self.values(v, parent),
            Node::Filter(f) => {
                let pred = self.long.pred(&f.pred);
                let argument = match f.startup {
                    true => format!("WHERE:(STARTUP EXPR({pred}))"),
                    false => format!("WHERE:({pred})"),
                };
                let at = self.add(parent, "Filter", "Filter", argument);
                self.lines[at].form = self.filtering(&f.pred, f.startup);
                let share = if f.startup { 1.0 } else { crate::guess::OTHER };
                self.lines[at].rows = Rows::Share(share);
                self.node(&f.input, Some(at));
            }
            Node::Compute(c) => {
                let items = list(&c.items, |(e, s)| self.short.defined(&self.long.expr(e), *s));
                let at = self.add(parent, "Compute Scalar", "Compute Scalar", define(&items));
                let values =
                    c.items.iter().map(|(e, s)| self.defines(*s, Some(self.long.operator(e))));
                self.lines[at].form = Form::new("ComputeScalar").defines(values);
                self.lines[at].defined = items;
                self.node(&c.input, Some(at));
            }
            Node::Loop(l) => self.nested_loops(l, parent),
            Node::Hash(h) => self.hash(h, parent),
            Node::Merge(m) => self.merge_join(m, parent),
            Node::Spool(s) => {
                let at = self.add(parent, "Table Spool", "Lazy Spool", String::new());
                self.node(&s.input, Some(at));
            }
            Node::Sort(s) => self.sort(s, parent),
            Node::Aggregate(a) => self.aggregate(a, parent),
            Node::Window(w) => self.window(w, parent),
            Node::Top(t) => self.top(t, parent),
            Node::Distinct(d) => self.distinct(d, parent),
            Node::Concat(list) => {
                let at = self.add(parent, "Concatenation", "Concatenation", String::new());
                self.lines[at].rows = Rows::Sum;
                list.iter().for_each(|n| self.node(n, Some(at)));
            }
            Node::SetOperation(s) => self.set_operation(s, parent),
            Node::Recursive(r) => {
                let spool = self.add(parent, "Table Spool", "Lazy Spool", "WITH STACK".into());
                self.lines[spool].form = Form::new("Spool").attr("Stack", 1);
                let all = self.add(Some(spool), "Concatenation", "Concatenation", String::new());
                self.lines[all].rows = Rows::Sum;
                self.lines[all].counter = Counter::Node(node.number());
                self.lines[all].output = outputs(node);
                r.anchors.iter().chain(&r.parts).for_each(|n| self.node(n, Some(all)));
            }
        }
    }

    fn values(&mut self, v: &ValuesScan, parent: Option<usize>) {
        let row = |r: &Vec<Expr>| format!("({})", list(r, |e| self.long.expr(e)));
        let argument = format!("VALUES:({})", list(&v.rows, row));
        let rows =
            v.rows.iter().map(|r| Xml::new("Row").all(r.iter().map(|e| self.long.operator(e))));
        let defined = self.references(v.slots.iter().copied());
        let defined = defined.into_iter().map(|c| form::defined(c, None));
        let values = around("Values", rows.collect());
        let form = Form::new("ConstantScan").defines(defined).before(values);
        let at = self.add(parent, "Constant Scan", "Constant Scan", argument);
        self.lines[at].form = form;
        self.lines[at].rows = Rows::Known(v.rows.len() as f64, 0.0);
    }

    /// ` AS [a]`.
    fn alias(&self, columns: &[(usize, Slot)], locator: Option<Slot>) -> String {
        let slot = columns.first().map(|c| c.1).or(locator);
        match slot.and_then(|s| self.names.alias_of(s, Length::Short)) {
            Some(alias) => format!(" AS {alias}"),
            None => String::new(),
        }
    }

    fn view(&mut self, v: &ViewScan, parent: Option<usize>) {
        let parts = rowset(&v.database, &v.source);
        let name = parts.join(".");
        let args = match v.args.is_empty() {
            true => String::new(),
            false => format!(", ARGUMENTS:({})", list(&v.args, |e| self.long.expr(e))),
        };
        let (alias, filter) = (self.alias(&v.columns, None), self.filter(&v.filter));
        let argument = format!("OBJECT:({name}{alias}){args}{filter}");
        let at = self.add(parent, "Table-valued function", "Table-valued function", argument);
        let own = (!v.alias.eq_ignore_ascii_case(v.source.name())).then_some(&*v.alias);
        let predicate = v.filter.iter().map(|p| Xml::new("Predicate").with(self.long.condition(p)));
        let args = v.args.iter().map(|e| self.long.operator(e)).collect();
        self.lines[at].form = Form::new("TableValuedFunction")
            .defines(v.columns.iter().map(|c| self.defines(c.1, None)))
            .before([object_attributes(Xml::new("Object"), &parts, own)])
            .before(predicate)
            .before(around("ParameterList", args));
        self.lines[at].rows = Rows::Known(crate::guess::VIEW, 0.0);
    }

    fn sort(&mut self, s: &Sort, parent: Option<usize>) {
        let keys = list(&s.keys, |k| self.short.key(k));
        let constant = s.limit.as_ref().and_then(Expr::constant).and_then(|v| v.as_i64());
        let (logical, argument) = match &s.limit {
            Some(n) => {
                let n = constant.map_or_else(|| self.long.expr(n), |n| n.to_string());
                ("TopN Sort", format!("TOP {n}, ORDER BY:({keys})"))
            }
            None => ("Sort", format!("ORDER BY:({keys})")),
        };
        let at = self.add(parent, "Sort", logical, argument);
        let order = s.keys.iter().map(|k| {
            let ascending = u8::from(!k.descending);
            let by = Xml::new("OrderByColumn").attr("Ascending", ascending);
            by.with(self.column(&k.expr))
        });
        let order = Xml::new("OrderBy").all(order);
        // The number of rows is one that the document knows.
        let form = match constant {
            Some(n) => Form::new("TopSort").attr("Distinct", 0).attr("Rows", n.max(0)),
            None => Form::new("Sort").attr("Distinct", 0),
        };
        self.lines[at].form = form.before([order]);
        if s.limit.is_some() {
            let most = constant.map_or(crate::guess::GOAL, |n| n as f64);
            self.lines[at].rows = Rows::AtMost(most);
        }
        self.node(&s.input, Some(at));
    }

    fn top(&mut self, t: &Top, parent: Option<usize>) {
        let mut parts = Vec::new();
        if let Some(n) = &t.offset {
            parts.push(format!("OFFSET EXPRESSION:({})", self.long.expr(n)));
        }
        if let Some(n) = &t.count {
            let percent = if t.percent { " PERCENT" } else { "" };
            let ties = if t.ties.is_some() { " WITH TIES" } else { "" };
            parts.push(format!("TOP EXPRESSION:({}){percent}{ties}", self.long.expr(n)));
        }
        let at = self.add(parent, "Top", "Top", parts.join(","));
        let ties = t.ties.iter().flatten().map(|(e, _)| self.column(e)).collect();
        let count =
            |name, e: &Option<Expr>| e.as_ref().map(|e| Xml::new(name).with(self.long.operator(e)));
        self.lines[at].form = Form::new("Top")
            .attr("RowCount", 0)
            .attr("IsPercent", u8::from(t.percent))
            .attr("WithTies", u8::from(t.ties.is_some()))
            .before(around("TieColumns", ties))
            .before(count("OffsetExpression", &t.offset))
            .before(count("TopExpression", &t.count));
        let constant = t.count.as_ref().and_then(Expr::constant).and_then(|v| v.as_i64());
        self.lines[at].rows = match (&t.count, constant) {
            (None, _) => Rows::Same,
            (Some(_), Some(n)) if t.percent => Rows::Share(n as f64 / 100.0),
            (Some(_), Some(n)) => Rows::AtMost(n as f64),
            (Some(_), None) => Rows::AtMost(crate::guess::GOAL),
        };
        self.node(&t.input, Some(at));
    }
}

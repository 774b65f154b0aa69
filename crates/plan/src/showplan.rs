//! Operators in the text form of SQL Server's plans, as SET SHOWPLAN_TEXT and SHOWPLAN_ALL send it.
//!
//! ```text
//!   |--Hash Match(Inner Join, HASH:([b].[id])=([a].[id]))
//!        |--Table Scan(OBJECT:([db].[dbo].[u] AS [b]))
//!        |--Clustered Index Seek(OBJECT:([db].[dbo].[t].[PK_t] AS [a]), SEEK:([a].[id]=(5)) ORDERED FORWARD)
//! ```
//!
//! An operator of ours that SQL Server has no name for is called by what comes nearest. A scan of a nonclustered index that does not
//! hold all columns is shown as the three operators that SQL Server makes of it. Subqueries that expressions read while they are
//! computed stand beside the root, each under a line of its own.

mod change;

mod columns;

use crate::expr::{CompareOp, Expr, Pred, Slot};
use crate::names::{Length, Names, bracketed, rowset};
use crate::node::{
    Access, Aggregate, HashJoin, JoinType, LoopJoin, MergeJoin, Node, NullFinds, Scan, Seek,
    SeekBound, SeekValue, SetOperation, Sort, Top, ViewScan, Window,
};
use crate::statement::Statement;
use crate::subquery::SubqueryPlan;
use crate::text::{Scalars, compare_sign, frame, list};
use columns::{of_window, read_by, set_by};
use std::collections::HashMap;
use taffrail_catalog::{Index, IndexKind, Table};

/// An operator as a line.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// The columns that a source puts out.
    pub outputs: Option<String>,
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

/// A join whose left side stands first.
fn of_left(kind: JoinType) -> &'static str {
    match kind {
        JoinType::Inner => "Inner Join",
        JoinType::Left => "Left Outer Join",
        JoinType::Full => "Full Outer Join",
        JoinType::Semi => "Left Semi Join",
        JoinType::Anti | JoinType::NullAwareAnti => "Left Anti Semi Join",
        JoinType::Mark(_) => "Left Semi Join",
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

/// The lines of a planned statement, the root first.
pub fn lines(statement: &Statement, subqueries: &[SubqueryPlan], names: &Names) -> Vec<Line> {
    let long = Scalars { names: Some(names), length: Length::Long };
    let short = Scalars { names: Some(names), length: Length::Short };
    let mut plan = Showplan { lines: Vec::new(), names, long, short };
    match statement {
        Statement::Select(s, _) => match s.assign.is_empty() {
            true => plan.node(&s.plan.node, None),
            false => {
                let set =
                    list(&s.assign, |(v, e)| format!("{}={}", long.variable(*v), long.expr(e)));
                let at = plan.add(None, "Compute Scalar", "Compute Scalar", define(&set));
                plan.node(&s.plan.node, Some(at));
            }
        },
        Statement::Insert(i) => plan.insert(i),
        Statement::Update(u) => plan.update(u),
        Statement::Delete(d) => plan.delete(d),
        Statement::Merge(m) => plan.merge(m),
        Statement::Scalar(e, _) => {
            let argument = define(&format!("[Expr1000]={}", long.expr(e)));
            let at = plan.add(None, "Compute Scalar", "Compute Scalar", argument);
            plan.add(Some(at), "Constant Scan", "Constant Scan", String::new());
        }
        Statement::Condition(p) => {
            let argument = format!("WHERE:(STARTUP EXPR({}))", long.pred(p));
            let at = plan.add(None, "Filter", "Filter", argument);
            plan.add(Some(at), "Constant Scan", "Constant Scan", String::new());
        }
    }
    // One that has become a join gives no row.
    let read = subqueries.iter().enumerate().filter(|s| !matches!(s.1.node, Node::Nothing));
    for (n, subquery) in read {
        // Found for all outer rows at once, but for the first of them.
        let keyed = subquery.keyed.as_ref().filter(|k| k.after <= 1);
        let mut argument = (n + 1).to_string();
        if let Some(k) = keyed {
            let (outer, inner) =
                (list(&k.keys, |k| short.expr(&k.0)), list(&k.keys, |k| short.expr(&k.1)));
            argument += &format!(", HASH:({inner})=({outer})");
        }
        let at = plan.add(None, "Subquery", "Subquery", argument);
        plan.node(keyed.map_or(&subquery.node, |k| &k.node), Some(at));
    }
    plan.lines
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
    [database, &table.head.schema, table.shown()].map(bracketed).join(".")
}

/// The same with the index, where it has a name.
fn index_object(database: &str, table: &Table, index: &Index) -> String {
    match index.name.is_empty() {
        true => object(database, table),
        false => format!("{}.{}", object(database, table), bracketed(&index.name)),
    }
}

impl<'n> Showplan<'n> {
    fn add(
        &mut self,
        parent: Option<usize>,
        physical: &'static str,
        logical: &'static str,
        argument: String,
    ) -> usize {
        let (defined, outputs) = (String::new(), None);
        self.lines.push(Line { parent, physical, logical, argument, defined, outputs });
        self.lines.len() - 1
    }

    fn slots(&self, slots: impl IntoIterator<Item = Slot>) -> String {
        list(slots, |s| self.short.slot(s))
    }

    /// `, WHERE:(…)` behind what stands before.
    fn filter(&self, filter: &Option<Pred>) -> String {
        match filter {
            Some(p) => format!(", WHERE:({})", self.long.pred(p)),
            None => String::new(),
        }
    }

    fn node(&mut self, node: &Node, parent: Option<usize>) {
        match node {
            Node::OneRow | Node::Nothing => {
                self.add(parent, "Constant Scan", "Constant Scan", String::new());
            }
            Node::Scan(s) => self.scan(s, parent),
            Node::View(v) => self.view(v, parent),
            Node::Values(v) => {
                let row = |r: &Vec<Expr>| format!("({})", list(r, |e| self.long.expr(e)));
                let argument = format!("VALUES:({})", list(&v.rows, row));
                let outputs = Some(self.slots(v.slots.iter().copied()));
                let at = self.add(parent, "Constant Scan", "Constant Scan", argument);
                self.lines[at].outputs = outputs;
            }
            Node::Filter(f) => {
                let pred = self.long.pred(&f.pred);
                let argument = match f.startup {
                    true => format!("WHERE:(STARTUP EXPR({pred}))"),
                    false => format!("WHERE:({pred})"),
                };
                let at = self.add(parent, "Filter", "Filter", argument);
                self.node(&f.input, Some(at));
            }
            Node::Compute(c) => {
                let items = list(&c.items, |(e, s)| self.short.defined(&self.long.expr(e), *s));
                let at = self.add(parent, "Compute Scalar", "Compute Scalar", define(&items));
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
            Node::Distinct(d) => {
                let keys = self.slots(d.slots.iter().map(|s| s.0));
                let at = match d.ordered {
                    true => {
                        let argument = format!("GROUP BY:({keys})");
                        self.add(parent, "Stream Aggregate", "Aggregate", argument)
                    }
                    false => {
                        let argument = format!("HASH:({keys})");
                        self.add(parent, "Hash Match", "Flow Distinct", argument)
                    }
                };
                self.node(&d.input, Some(at));
            }
            Node::Concat(list) => {
                let at = self.add(parent, "Concatenation", "Concatenation", String::new());
                list.iter().for_each(|n| self.node(n, Some(at)));
            }
            Node::SetOperation(s) => self.set_operation(s, parent),
            Node::Recursive(r) => {
                let spool = self.add(parent, "Table Spool", "Lazy Spool", "WITH STACK".into());
                let all = self.add(Some(spool), "Concatenation", "Concatenation", String::new());
                r.anchors.iter().chain(&r.parts).for_each(|n| self.node(n, Some(all)));
            }
        }
    }

    /// ` AS [a]`.
    fn alias(&self, columns: &[(usize, Slot)], locator: Option<Slot>) -> String {
        let slot = columns.first().map(|c| c.1).or(locator);
        match slot.and_then(|s| self.names.alias_of(s, Length::Short)) {
            Some(alias) => format!(" AS {alias}"),
            None => String::new(),
        }
    }

    fn value(&self, v: &SeekValue) -> String {
        self.long.expr(&v.expr)
    }

    fn equality(&self, name: &str, v: &SeekValue) -> String {
        let sign = if v.null == NullFinds::Null { " IS " } else { "=" };
        format!("{name}{sign}{}", self.value(v))
    }

    /// What a column of a key may be.
    fn bound(&self, name: &str, bound: &SeekBound) -> String {
        let end = |end: &Option<(SeekValue, bool)>, open: CompareOp, closed: CompareOp| {
            end.as_ref().map(|(v, inclusive)| {
                let sign = compare_sign(if *inclusive { closed } else { open });
                format!("{name} {sign} {}", self.value(v))
            })
        };
        match bound {
            SeekBound::Equal(v) => self.equality(name, v),
            SeekBound::Beginning { pattern, .. } => format!("{name} LIKE {}", self.value(pattern)),
            SeekBound::Null => format!("{name} IS NULL"),
            SeekBound::NotNull => format!("{name} IS NOT NULL"),
            SeekBound::Range { low, high } => {
                let low = end(low, CompareOp::Gt, CompareOp::Ge);
                let high = end(high, CompareOp::Lt, CompareOp::Le);
                low.into_iter().chain(high).collect::<Vec<_>>().join(" AND ")
            }
        }
    }

    /// `, SEEK:(…)`, nothing where the whole index is read: the columns are those of the index.
    fn seek(&self, s: &Scan, index: &Index, seek: &Seek) -> String {
        if seek.is_whole() {
            return String::new();
        }
        let keys = index.key.columns();
        let name = |at: usize| {
            let column = keys.get(at).map_or(0, |k| k.column);
            match s.columns.iter().find(|c| c.0 == column) {
                Some((_, slot)) => self.short.slot(*slot),
                None => bracketed(&s.table.columns[column].name),
            }
        };
        let mut terms = Vec::new();
        for (at, v) in seek.equal.iter().enumerate() {
            terms.push(self.equality(&name(at), v));
        }
        let next = name(seek.equal.len());
        let bounds: Vec<String> = seek.then.iter().map(|b| self.bound(&next, b)).collect();
        match &bounds[..] {
            [] => {}
            [one] => terms.push(one.clone()),
            several if terms.is_empty() => terms.push(several.join(" OR ")),
            several => terms.push(format!("({})", several.join(" OR "))),
        }
        format!(", SEEK:({})", terms.join(" AND "))
    }

    fn scan(&mut self, s: &Scan, parent: Option<usize>) {
        let alias = self.alias(&s.columns, s.locator);
        let database = &*s.database.name;
        let base = s.table.base();
        let outputs = self.slots(s.columns.iter().map(|c| c.1));
        let direction = if s.backward { " ORDERED BACKWARD" } else { " ORDERED FORWARD" };
        let filter = self.filter(&s.filter);
        let at = match &s.access {
            Access::Full => {
                let object = format!("OBJECT:({}{alias})", index_object(database, &s.table, base));
                let direction = if s.backward { direction } else { "" };
                let argument = format!("{object}{filter}{direction}");
                let name = match base.kind {
                    IndexKind::Heap => "Table Scan",
                    _ => "Clustered Index Scan",
                };
                self.add(parent, name, name, argument)
            }
            Access::Clustered(i, seek) => {
                let object = format!("OBJECT:({}{alias})", index_object(database, &s.table, i));
                let name = match seek.is_whole() {
                    true => "Clustered Index Scan",
                    false => "Clustered Index Seek",
                };
                let seek = self.seek(s, i, seek);
                let argument = format!("{object}{seek}{filter}{direction}");
                self.add(parent, name, name, argument)
            }
            Access::Nonclustered(i, seek) => {
                let object = format!("OBJECT:({}{alias})", index_object(database, &s.table, i));
                let name = if seek.is_whole() { "Index Scan" } else { "Index Seek" };
                let seek = self.seek(s, i, seek);
                match s.columns.iter().all(|(c, _)| i.covers(*c).is_some()) {
                    true => {
                        let argument = format!("{object}{seek}{filter}{direction}");
                        self.add(parent, name, name, argument)
                    }
                    false => {
                        let entry = (name, format!("{object}{seek}{direction}"));
                        return self.looked_up(s, parent, &alias, &filter, &outputs, entry);
                    }
                }
            }
        };
        self.lines[at].outputs = Some(outputs.clone());
        self.lines[at].defined = outputs;
    }

    /// A nonclustered index whose rows are looked up for the columns that it does not hold.
    fn looked_up(
        &mut self,
        s: &Scan,
        parent: Option<usize>,
        alias: &str,
        filter: &str,
        outputs: &str,
        (name, entry): (&'static str, String),
    ) {
        let base = s.table.base();
        let object = index_object(&s.database.name, &s.table, base);
        let heap = base.kind == IndexKind::Heap;
        // The clustered key, or the row's place.
        let columns = base.key.columns().iter().map(|k| &s.table.columns[k.column].name);
        let keys: Vec<String> = match heap {
            true => vec!["[Bmk1000]".into()],
            false => columns.map(|c| bracketed(c)).collect(),
        };
        let references = format!("OUTER REFERENCES:({})", keys.join(", "));
        let join = self.add(parent, "Nested Loops", "Inner Join", references);
        self.add(Some(join), name, name, entry);
        let terms: Vec<String> = keys.iter().map(|k| format!("{k}={k}")).collect();
        let argument = format!(
            "OBJECT:({object}{alias}), SEEK:({}) LOOKUP{filter} ORDERED FORWARD",
            terms.join(" AND ")
        );
        let name = if heap { "RID Lookup" } else { "Clustered Index Seek" };
        let at = self.add(Some(join), name, name, argument);
        self.lines[at].outputs = Some(outputs.into());
        self.lines[at].defined = outputs.into();
    }

    fn view(&mut self, v: &ViewScan, parent: Option<usize>) {
        let name = rowset(&v.database, &v.source);
        let args = match v.args.is_empty() {
            true => String::new(),
            false => format!(", ARGUMENTS:({})", list(&v.args, |e| self.long.expr(e))),
        };
        let (alias, filter) = (self.alias(&v.columns, None), self.filter(&v.filter));
        let argument = format!("OBJECT:({name}{alias}){args}{filter}");
        let outputs = self.slots(v.columns.iter().map(|c| c.1));
        let at = self.add(parent, "Table-valued function", "Table-valued function", argument);
        self.lines[at].outputs = Some(outputs);
    }

    fn nested_loops(&mut self, l: &LoopJoin, parent: Option<usize>) {
        let logical = of_left(l.kind);
        let references = read_by(&l.right).common(&set_by(&l.left));
        let mut argument = match references.is_empty() {
            true => String::new(),
            false => format!("OUTER REFERENCES:({})", self.slots(references)),
        };
        if let Some(p) = &l.on {
            let comma = if argument.is_empty() { "" } else { ", " };
            argument += &format!("{comma}WHERE:({})", self.long.pred(p));
        }
        let at = self.add(parent, "Nested Loops", logical, argument);
        self.node(&l.left, Some(at));
        self.node(&l.right, Some(at));
    }

    /// The side that is hashed stands first, as SQL Server has it: rows of the left side are those of the second input.
    fn hash(&mut self, h: &HashJoin, parent: Option<usize>) {
        // Each row is compared with each.
        if h.keys.is_empty() {
            let p = h.residual.as_ref();
            let argument = p.map_or(String::new(), |p| format!("WHERE:({})", self.long.pred(p)));
            let at = self.add(parent, "Nested Loops", "Full Outer Join", argument);
            self.node(&h.left, Some(at));
            self.node(&h.right, Some(at));
            return;
        }
        let logical = match h.kind {
            JoinType::Inner => "Inner Join",
            JoinType::Left => "Right Outer Join",
            JoinType::Full => "Full Outer Join",
            JoinType::Semi => "Right Semi Join",
            JoinType::Anti | JoinType::NullAwareAnti => "Right Anti Semi Join",
            JoinType::Mark(_) => "Right Semi Join",
        };
        let build = list(&h.keys, |(_, r, _)| self.short.expr(r));
        let probe = list(&h.keys, |(l, ..)| self.short.expr(l));
        let mut argument = format!("HASH:({build})=({probe})");
        if let JoinType::Mark(m) = h.kind {
            argument += &format!(", DEFINE:({} = [PROBE VALUE])", self.slots([m.slot]));
        }
        if let (JoinType::NullAwareAnti, Some((l, r, _))) = (h.kind, h.keys.last()) {
            let (l, r) = (self.long.expr(l), self.long.expr(r));
            argument += &format!(", RESIDUAL:({l} IS NULL OR {r} IS NULL OR {l}={r})");
        }
        if let Some(p) = &h.residual {
            argument += &format!(", RESIDUAL:({})", self.long.pred(p));
        }
        let at = self.add(parent, "Hash Match", logical, argument);
        self.node(&h.right, Some(at));
        self.node(&h.left, Some(at));
    }

    fn merge_join(&mut self, m: &MergeJoin, parent: Option<usize>) {
        let many = if m.many_to_many { "MANY-TO-MANY " } else { "" };
        let left = list(&m.keys, |k| self.short.expr(&k.left));
        let right = list(&m.keys, |k| self.short.expr(&k.right));
        let mut argument = format!("{many}MERGE:({left})=({right})");
        if let Some(p) = &m.residual {
            argument += &format!(", RESIDUAL:({})", self.long.pred(p));
        }
        let at = self.add(parent, "Merge Join", of_left(m.kind), argument);
        self.node(&m.left, Some(at));
        self.node(&m.right, Some(at));
    }

    fn sort(&mut self, s: &Sort, parent: Option<usize>) {
        let keys = list(&s.keys, |k| self.short.key(k));
        let (logical, argument) = match &s.limit {
            Some(n) => {
                let n = match n.constant().and_then(|v| v.as_i64()) {
                    Some(n) => n.to_string(),
                    None => self.long.expr(n),
                };
                ("TopN Sort", format!("TOP {n}, ORDER BY:({keys})"))
            }
            None => ("Sort", format!("ORDER BY:({keys})")),
        };
        let at = self.add(parent, "Sort", logical, argument);
        self.node(&s.input, Some(at));
    }

    fn aggregate(&mut self, a: &Aggregate, parent: Option<usize>) {
        let mut items = list(&a.aggs, |g| self.short.defined(&self.long.aggregate(g), g.slot));
        for m in &a.marks {
            let more = if items.is_empty() { "" } else { ", " };
            items += more;
            items += &self.short.defined(&self.long.mark(m, &a.groups), m.slot);
        }
        let mut defined = match items.is_empty() {
            true => String::new(),
            false => define(&items),
        };
        let at = match a.scalar {
            true => self.add(parent, "Stream Aggregate", "Stream Aggregate", defined),
            false => {
                // A key that is computed is set here.
                let keys = list(&a.groups, |(e, slot, _)| match e {
                    Expr::Slot(s) if s == slot => self.short.slot(*slot),
                    e => self.short.defined(&self.long.expr(e), *slot),
                });
                if !defined.is_empty() {
                    defined.insert(0, ' ');
                }
                let mut sets = String::new();
                if !a.sets.is_empty() {
                    sets = format!(" GROUPING SETS:{}", self.short.sets(&a.sets, &a.groups));
                }
                match a.ordered {
                    true => {
                        let argument = format!("GROUP BY:({keys}){defined}");
                        self.add(parent, "Stream Aggregate", "Aggregate", argument)
                    }
                    false => {
                        let argument = format!("HASH:({keys}){sets}{defined}");
                        self.add(parent, "Hash Match", "Aggregate", argument)
                    }
                }
            }
        };
        self.lines[at].defined = items;
        self.node(&a.input, Some(at));
    }

    fn window(&mut self, w: &Window, parent: Option<usize>) {
        let items = list(&w.items, |i| {
            let value = match frame(i) {
                Some(frame) => format!("{} {frame}", self.long.window(&i.function)),
                None => self.long.window(&i.function),
            };
            self.short.defined(&value, i.slot)
        });
        let mut argument = define(&items);
        if !w.partition.is_empty() {
            let columns = list(&w.partition, |(e, _)| self.short.expr(e));
            argument = format!("PARTITION COLUMNS:({columns}), {argument}");
        }
        if !w.order.is_empty() {
            let keys = list(&w.order, |k| self.short.key(k));
            argument = format!("ORDER BY:({keys}), {argument}");
        }
        let (op, kind) = of_window(w);
        let at = self.add(parent, op, kind, argument);
        self.lines[at].defined = items;
        self.node(&w.input, Some(at));
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
        self.node(&t.input, Some(at));
    }

    fn set_operation(&mut self, s: &SetOperation, parent: Option<usize>) {
        let logical = if s.except { "Except" } else { "Intersect" };
        let right = self.slots(s.right_slots.iter().copied());
        let left = self.slots(s.left_slots.iter().map(|s| s.0));
        let argument = format!("HASH:({right})=({left})");
        let at = self.add(parent, "Hash Match", logical, argument);
        self.node(&s.right, Some(at));
        self.node(&s.left, Some(at));
    }
}

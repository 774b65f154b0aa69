//! A bound statement as a tree of text: a relation a line, what it takes its rows from indented below it, then the subqueries that
//! its expressions read.
//!
//! ```text
//! SELECT a.id, total
//!   Sort a.id DESC
//!     Compute total = a.x + b.y
//!       Inner Join on a.id = b.id
//!         Get dbo.t AS a (id, x)
//!         Get dbo.u AS b (id, y)
//! ```
//!
//! Golden files print these trees: they say the same on every machine.

use crate::change::{
    Assignment, ColumnSource, DeletePlan, InsertPlan, InsertRows, MergeAction, MergeClause,
    MergePlan, OutputPlan, UpdatePlan,
};
use crate::expr::{Expr, Part, Pred, Slot, Subquery};
use crate::locking::{Hints, LevelHint, RowMode, TableLock};
use crate::names::{Length, Names, plain};
use crate::node::{JoinType, QueryPlan};
use crate::rel::{Get, Join, Recursive, Rel, SetOperation, Subqueries, Top, Values, Window};
use crate::statement::{SelectPlan, Statement};
use crate::text::{Scalars, frame, list, subquery};
use std::fmt;
use std::sync::Arc;
use taffrail_catalog::{Index, Table};

/// Of more rows than these only the first are shown.
const ROWS: usize = 4;

impl fmt::Display for Rel {
    /// By the numbers of its slots; the names belong to the statement.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tree = Tree::new(None, &[]);
        tree.rel(self, 0);
        f.write_str(tree.out.trim_end())
    }
}

/// A bound statement as text.
pub fn statement(
    statement: &Statement<Rel>,
    subqueries: &Subqueries,
    names: Option<&Names>,
) -> String {
    let mut tree = Tree::new(names, subqueries);
    tree.statement(statement);
    tree.out.truncate(tree.out.trim_end().len());
    tree.out
}

struct Tree<'a> {
    out: String,
    scalars: Scalars<'a>,
    subqueries: &'a [crate::rel::SubqueryRows],
}

fn table_name(table: &Table) -> String {
    let name = table.shown();
    match name.starts_with(['#', '@']) {
        true => plain(name),
        false => format!("{}.{}", plain(&table.head.schema), plain(name)),
    }
}

fn hint_words(h: &Hints, table: &Table) -> Vec<String> {
    let mut words = Vec::new();
    words.extend(match h.locks.level {
        LevelHint::Session => None,
        LevelHint::ReadUncommitted => Some("READUNCOMMITTED"),
        LevelHint::ReadCommitted => Some("READCOMMITTED"),
        LevelHint::ReadCommittedLock => Some("READCOMMITTEDLOCK"),
        LevelHint::RepeatableRead => Some("REPEATABLEREAD"),
        LevelHint::Serializable => Some("SERIALIZABLE"),
    });
    words.extend(match h.locks.mode {
        RowMode::Shared => None,
        RowMode::Update => Some("UPDLOCK"),
        RowMode::Exclusive => Some("XLOCK"),
    });
    words.extend(match h.locks.table {
        TableLock::Intent => None,
        TableLock::Shared => Some("TABLOCK"),
        TableLock::Exclusive => Some("TABLOCKX"),
        TableLock::ForRows => None,
    });
    let flags = [
        (h.locks.read_past, "READPAST"),
        (h.locks.no_wait, "NOWAIT"),
        (h.access.scan, "FORCESCAN"),
        (h.access.seek.is_some(), "FORCESEEK"),
    ];
    words.extend(flags.iter().filter(|f| f.0).map(|f| f.1));
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let index = |i: &&Arc<Index>| Some(i.id) == h.access.index;
    words.extend(table.indexes.iter().find(index).map(|i| format!("INDEX({})", plain(&i.name))));
    words.extend(h.access.sample.map(|s| format!("TABLESAMPLE {s}")));
    words
}

impl<'a> Tree<'a> {
    fn new(names: Option<&'a Names>, subqueries: &'a [crate::rel::SubqueryRows]) -> Tree<'a> {
        let scalars = Scalars { names, length: Length::Plain };
        Tree { out: String::new(), scalars, subqueries }
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.extend(std::iter::repeat_n("  ", depth));
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn slots(&self, slots: &[Slot]) -> String {
        list(slots, |s| self.scalars.slot(*s))
    }

    /// `name = value, …`; a value that is this column already stands alone.
    fn items(&self, items: &[(Expr, Slot)]) -> String {
        list(items, |(e, s)| self.item(e, *s))
    }

    fn item(&self, e: &Expr, slot: Slot) -> String {
        match e {
            Expr::Slot(s) if *s == slot => self.scalars.slot(slot),
            e => self.scalars.defined(&self.scalars.expr(e), slot),
        }
    }

    /// The relations of the subqueries that a part reads.
    fn subqueries(&mut self, part: Part<'_>, depth: usize) {
        match part {
            Part::Plan(s) => self.subquery(s, depth, true),
            // It reads no column.
            Part::Pred(Pred::Exists(s)) => self.subquery(s, depth, false),
            Part::Expr(e) => e.children(&mut |p| self.subqueries(p, depth)),
            Part::Pred(p) => p.children(&mut |p| self.subqueries(p, depth)),
        }
    }

    fn subquery(&mut self, s: &Subquery, depth: usize, read: bool) {
        let all = self.subqueries;
        let Some(rows) = all.get(s.index as usize) else { return };
        let mut head = format!("{}:", subquery(s));
        if read {
            head += &format!(" {}", self.scalars.slot(rows.output));
        }
        if !s.outer.is_empty() {
            head += &format!(" for each {}", self.slots(&s.outer));
        }
        self.line(depth, &head);
        self.rel(&rows.rel, depth + 1);
    }

    fn statement(&mut self, statement: &Statement<Rel>) {
        match statement {
            Statement::Select(s, into) => {
                let mut head = match s.assign.is_empty() {
                    true => format!("SELECT {}", self.outputs(&s.plan)),
                    false => format!("SELECT {}", self.assigned(&s.assign)),
                };
                if let Some(into) = into {
                    head += &format!(" INTO {into}");
                }
                self.select(s, &head);
            }
            Statement::Insert(i) => self.insert(i, 0, "INSERT"),
            Statement::Update(u) => self.update(u),
            Statement::Delete(d) => self.delete(d),
            Statement::Merge(m) => self.merge(m),
            Statement::Scalar(e, _) => {
                self.line(0, &format!("VALUE {}", self.scalars.expr(e)));
                self.subqueries(Part::Expr(e), 1);
            }
            Statement::Condition(p) => {
                self.line(0, &format!("CONDITION {}", self.scalars.pred(p)));
                self.subqueries(Part::Pred(p), 1);
            }
        }
    }

    /// What a client sees; the name too, where it is another one than the column's own.
    fn outputs(&self, q: &QueryPlan<Rel>) -> String {
        list(q.outputs.iter().enumerate(), |(at, slot)| {
            let shown = self.scalars.slot(*slot);
            match q.columns.get(at).map(|c| plain(&c.name)) {
                Some(name) if name != "[]" && shown.rsplit('.').next() != Some(&*name) => {
                    format!("{shown} AS {name}")
                }
                _ => shown,
            }
        })
    }

    fn assigned(&self, assign: &[(u32, Expr)]) -> String {
        let one = |(v, e): &(u32, Expr)| {
            format!("{} = {}", self.scalars.variable(*v), self.scalars.expr(e))
        };
        list(assign, one)
    }

    fn select(&mut self, s: &SelectPlan<Rel>, head: &str) {
        self.line(0, head);
        s.assign.iter().for_each(|(_, e)| self.subqueries(Part::Expr(e), 1));
        self.rel(&s.plan.node, 1);
    }

    fn query(&mut self, q: &QueryPlan<Rel>, depth: usize) {
        self.line(depth, &format!("SELECT {}", self.slots(&q.outputs)));
        self.rel(&q.node, depth + 1);
    }

    /// What the column of an inserted row comes from, where that is to be told.
    fn source(&self, i: &InsertPlan<Rel>, at: usize, c: &ColumnSource) -> Option<String> {
        let name = plain(&i.table.columns[at].name);
        match c {
            ColumnSource::Source(n) => match &i.rows {
                InsertRows::Query(q) => {
                    let from = q.outputs.get(*n).map(|s| self.scalars.slot(*s));
                    Some(format!("{name} = {}", from.unwrap_or_default()))
                }
                _ => Some(name),
            },
            ColumnSource::Expr(e, _) => Some(format!("{name} = {}", self.scalars.expr(e))),
            ColumnSource::Identity => Some(format!("{name} = IDENTITY")),
            ColumnSource::RowVersion => Some(format!("{name} = ROWVERSION")),
            ColumnSource::Period(_) => Some(format!("{name} = PERIOD")),
            ColumnSource::Computed | ColumnSource::Null => None,
        }
    }

    fn insert(&mut self, i: &InsertPlan<Rel>, depth: usize, word: &str) {
        let columns = i.columns.iter().enumerate();
        let columns: Vec<String> = columns.filter_map(|(n, c)| self.source(i, n, c)).collect();
        let top = i.top.as_ref().map(|e| format!(" TOP {}", self.scalars.expr(e)));
        let (top, table) = (top.unwrap_or_default(), table_name(&i.table));
        self.line(depth, &format!("{word}{top} {table} ({})", columns.join(", ")));
        self.checks(depth + 1, i.checks.iter().map(|c| &*c.0));
        self.output(&i.output, depth + 1);
        match &i.rows {
            InsertRows::Values(rows) => {
                let one = |e: &Option<Expr>| match e {
                    Some(e) => self.scalars.expr(e),
                    None => "DEFAULT".into(),
                };
                let row = |row: &Vec<Option<Expr>>| format!("({})", list(row, one));
                let text = self.rows(rows, row);
                self.line(depth + 1, &format!("Values {text}"));
                let all = rows.iter().flatten().flatten();
                all.for_each(|e| self.subqueries(Part::Expr(e), depth + 2));
            }
            InsertRows::Query(q) => self.query(q, depth + 1),
            InsertRows::External => {}
        }
    }

    fn rows<T>(&self, rows: &[T], one: impl Fn(&T) -> String) -> String {
        let mut text = list(rows.iter().take(ROWS), one);
        if rows.len() > ROWS {
            text += &format!(", … {} rows", rows.len());
        }
        text
    }

    fn checks<'c>(&mut self, depth: usize, names: impl Iterator<Item = &'c str>) {
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            self.line(depth, &format!("Check {}", names.join(", ")));
        }
    }

    fn output(&mut self, output: &Option<OutputPlan<Rel>>, depth: usize) {
        let Some(o) = output else { return };
        let mut items = Vec::new();
        for slot in &o.outputs {
            items.push(match o.items.iter().find(|i| i.1 == *slot) {
                Some((e, s)) => self.item(e, *s),
                None => self.scalars.slot(*slot),
            });
        }
        self.line(depth, &format!("OUTPUT {}", items.join(", ")));
        if let Some(into) = &o.into {
            self.insert(into, depth + 1, "INTO");
        }
    }

    fn set(&self, table: &Table, set: &[Assignment]) -> String {
        list(set, |a| {
            let name = plain(&table.columns[a.column].name);
            match &a.write {
                None => format!("{name} = {}", self.scalars.expr(&a.expr)),
                Some(_) => {
                    let list: Vec<String> = a.exprs().map(|e| self.scalars.expr(e)).collect();
                    format!("{name}.WRITE({})", list.join(", "))
                }
            }
        })
    }

    /// SET of an UPDATE.
    fn changes(&self, u: &UpdatePlan<Rel>) -> String {
        let set = self.set(&u.table, &u.set);
        let variables = self.assigned(&u.variables);
        match (set.is_empty(), variables.is_empty()) {
            (false, false) => format!("{set}, {variables}"),
            _ => set + &variables,
        }
    }

    fn update(&mut self, u: &UpdatePlan<Rel>) {
        self.line(0, &format!("UPDATE {} SET {}", table_name(&u.table), self.changes(u)));
        self.checks(1, u.checks.iter().map(|c| &*c.0));
        self.output(&u.output, 1);
        u.set.iter().flat_map(|a| a.exprs()).for_each(|e| self.subqueries(Part::Expr(e), 1));
        u.variables.iter().for_each(|(_, e)| self.subqueries(Part::Expr(e), 1));
        self.rel(&u.node, 1);
    }

    fn delete(&mut self, d: &DeletePlan<Rel>) {
        self.line(0, &format!("DELETE {}", table_name(&d.table)));
        self.output(&d.output, 1);
        self.rel(&d.node, 1);
    }

    fn when(&mut self, head: &str, condition: &Option<Pred>, then: &str) {
        let and = condition.as_ref().map(|p| format!(" AND {}", self.scalars.pred(p)));
        self.line(1, &format!("{head}{} THEN {then}", and.unwrap_or_default()));
        condition.iter().for_each(|p| self.subqueries(Part::Pred(p), 2));
    }

    fn clauses(&mut self, head: &str, clauses: &[MergeClause<Rel>]) {
        for c in clauses {
            match &c.action {
                MergeAction::Update(u) => {
                    let then = format!("UPDATE SET {}", self.changes(u));
                    self.when(head, &c.condition, &then);
                    u.set
                        .iter()
                        .flat_map(|a| a.exprs())
                        .for_each(|e| self.subqueries(Part::Expr(e), 2));
                }
                MergeAction::Delete => self.when(head, &c.condition, "DELETE"),
            }
        }
    }

    fn merge(&mut self, m: &MergePlan<Rel>) {
        let top = m.top.as_ref().map(|e| format!(" TOP {}", self.scalars.expr(e)));
        self.line(0, &format!("MERGE{} {}", top.unwrap_or_default(), table_name(&m.table)));
        self.output(&m.output, 1);
        self.clauses("WHEN MATCHED", &m.clauses);
        if let Some(i) = &m.insert {
            let columns = i.plan.columns.iter().enumerate().filter_map(|(n, c)| match c {
                ColumnSource::Source(at) => {
                    let name = plain(&i.plan.table.columns[n].name);
                    let value = i.values.get(*at).map(|e| self.scalars.expr(e));
                    Some(format!("{name} = {}", value.unwrap_or_default()))
                }
                c => self.source(&i.plan, n, c),
            });
            let then = format!("INSERT ({})", columns.collect::<Vec<_>>().join(", "));
            self.when("WHEN NOT MATCHED", &i.condition, &then);
            i.values.iter().for_each(|e| self.subqueries(Part::Expr(e), 2));
        }
        if let Some(r) = &m.rest {
            self.clauses("WHEN NOT MATCHED BY SOURCE", &r.clauses);
        }
        self.rel(&m.node, 1);
        if let Some(r) = &m.rest {
            self.line(1, "not matched by source:");
            self.rel(&r.node, 2);
        }
    }

    fn rel(&mut self, rel: &Rel, depth: usize) {
        let head = self.head(rel);
        self.line(depth, &head);
        if let Rel::Recursive(r) = rel {
            for (word, list) in [("anchor:", &r.anchors), ("recursive part:", &r.parts)] {
                for input in list {
                    self.line(depth + 1, word);
                    self.rel(input, depth + 2);
                }
            }
        } else {
            rel.inputs().into_iter().for_each(|r| self.rel(r, depth + 1));
        }
        rel.parts(&mut |p| self.subqueries(p, depth + 1));
    }

    /// The line of a relation.
    fn head(&self, rel: &Rel) -> String {
        let s = self.scalars;
        match rel {
            Rel::Empty => "Empty".into(),
            Rel::OneRow => "OneRow".into(),
            Rel::Get(r) => self.get(r),
            Rel::Rowset(r) => {
                let (of, columns) = (&r.of.source, &r.columns);
                let args = match of.is_called() {
                    true => format!("({})", list(&r.args, |e| s.expr(e))),
                    false => String::new(),
                };
                let alias = columns.first().and_then(|(_, slot)| self.alias(*slot));
                let names = in_brackets(list(columns, |(c, _)| plain(of.column(*c))));
                format!("Rowset {}.{}{args}{}{names}", of.schema(), of.name(), as_alias(alias))
            }
            Rel::Values(r) => self.values(r),
            Rel::Select(r) => format!("Filter {}", s.conditions(&r.conditions)),
            Rel::Compute(r) => format!("Compute {}", self.items(&r.items)),
            Rel::Project(r) => format!("Project {}", self.slots(&r.columns)),
            Rel::Join(r) => self.join(r),
            Rel::Group(r) => {
                let aggs = list(&r.aggs, |a| s.defined(&s.aggregate(a), a.slot));
                if r.scalar {
                    return format!("Group all: {aggs}");
                }
                let mut by = list(&r.keys, |(e, slot, _)| self.item(e, *slot));
                if !r.sets.is_empty() {
                    by = format!("{by} in sets {}", s.sets(&r.sets, &r.keys));
                }
                let marks = list(&r.marks, |m| s.defined(&s.mark(m, &r.keys), m.slot));
                let made: Vec<String> =
                    [aggs, marks].into_iter().filter(|t| !t.is_empty()).collect();
                match made.is_empty() {
                    true => format!("Group by {by}"),
                    false => format!("Group by {by}: {}", made.join(", ")),
                }
            }
            Rel::Window(r) => self.window(r),
            Rel::Distinct(r) => format!("Distinct {}", list(&r.slots, |k| s.slot(k.0))),
            Rel::Sort(r) => format!("Sort {}", list(&r.keys, |k| s.key(k))),
            Rel::Top(r) => self.top(r),
            Rel::Union(_) => "Union All".into(),
            Rel::SetOperation(r) => self.set_operation(r),
            Rel::Recursive(r) => self.recursive(r),
        }
    }

    fn alias(&self, slot: Slot) -> Option<String> {
        self.scalars.names.and_then(|n| n.alias_of(slot, Length::Plain))
    }

    fn get(&self, g: &Get) -> String {
        let table = &g.table.table;
        let columns = in_brackets(list(&g.columns, |(c, _)| plain(&table.columns[*c].name)));
        let slot = g.slots().next().or(g.locator);
        let alias = match slot.and_then(|s| self.alias(s)) {
            None if !g.alias.eq_ignore_ascii_case(table.shown()) => Some(plain(&g.alias)),
            alias => alias,
        };
        let mut text = format!("Get {}{}{columns}", table_name(table), as_alias(alias));
        if g.hints.locks.target {
            text += " as target";
            // It is locked so without a hint.
            let mut hints = g.hints;
            if hints.locks.mode == RowMode::Update && !hints.locks.kept {
                hints.locks.mode = RowMode::Shared;
            }
            return with_hints(text, &hints, table);
        }
        with_hints(text, &g.hints, table)
    }

    fn values(&self, r: &Values) -> String {
        let rows = self.rows(&r.rows, |row| format!("({})", list(row, |e| self.scalars.expr(e))));
        format!("Values {}: {rows}", self.slots(&r.slots))
    }

    fn join(&self, r: &Join) -> String {
        let left = r.left.columns();
        let applies = !r.right.outer_slots().common(&left).is_empty();
        let kind = match r.kind {
            JoinType::Inner => "Inner",
            JoinType::Left => "Left Outer",
            JoinType::Full => "Full Outer",
            JoinType::Semi => "Semi",
            JoinType::Anti => "Anti Semi",
            JoinType::NullAwareAnti => "Null-aware Anti Semi",
            JoinType::Mark(m) if m.null_aware => "Null-aware Mark",
            JoinType::Mark(_) => "Mark",
        };
        let word = if applies { "Apply" } else { "Join" };
        match r.on.is_empty() {
            true => format!("{kind} {word}"),
            false => format!("{kind} {word} on {}", self.scalars.conditions(&r.on)),
        }
    }

    fn window(&self, r: &Window) -> String {
        let s = self.scalars;
        let mut text = String::from("Window");
        if !r.partition.is_empty() {
            text += &format!(" partition by {}", list(&r.partition, |(e, _)| s.expr(e)));
        }
        if !r.order.is_empty() {
            text += &format!(" order by {}", list(&r.order, |k| s.key(k)));
        }
        let items = list(&r.items, |i| {
            let value = match frame(i) {
                Some(frame) => format!("{} {frame}", s.window(&i.function)),
                None => s.window(&i.function),
            };
            s.defined(&value, i.slot)
        });
        format!("{text}: {items}")
    }

    fn top(&self, r: &Top) -> String {
        let s = self.scalars;
        let mut text = String::from("Top");
        if let Some(n) = &r.count {
            text += &format!(" {}", s.expr(n));
        }
        if r.percent {
            text += " percent";
        }
        if let Some(n) = &r.offset {
            text += &format!(" offset {}", s.expr(n));
        }
        if let Some(ties) = &r.ties {
            text += &format!(" with ties of {}", list(ties, |(e, _)| s.expr(e)));
        }
        text
    }

    fn set_operation(&self, r: &SetOperation) -> String {
        let word = if r.except { "Except" } else { "Intersect" };
        let pairs = r.left_slots.iter().zip(&r.right_slots);
        let slot = |s: Slot| self.scalars.slot(s);
        let columns = list(pairs, |((l, _), r)| format!("{} = {}", slot(*l), slot(*r)));
        format!("{word} {columns}")
    }

    fn recursive(&self, r: &Recursive) -> String {
        let limit = match r.limit {
            0 => String::new(),
            n => format!(", at most {n} deep"),
        };
        let (slots, work) = (self.slots(&r.slots), self.slots(&r.work));
        format!("Recursive {slots} from {work}{limit}")
    }
}

fn as_alias(alias: Option<String>) -> String {
    alias.map_or_else(String::new, |a| format!(" AS {a}"))
}

/// The columns of a source, where there are any.
fn in_brackets(columns: String) -> String {
    match columns.is_empty() {
        true => columns,
        false => format!(" ({columns})"),
    }
}

fn with_hints(text: String, hints: &Hints, table: &Table) -> String {
    let words = hint_words(hints, table);
    match words.is_empty() {
        true => text,
        false => format!("{text} WITH ({})", words.join(", ")),
    }
}

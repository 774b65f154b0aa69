//! Changes in the text form of SQL Server's plans.

use super::document::named_column;
use super::form::{Form, Rows};
use super::scan::object_element;
use super::xml::Xml;
use super::{Showplan, index_object, object};
use crate::change::{
    ColumnSource, DeletePlan, InsertPlan, InsertRows, MergeAction, MergePlan, UpdatePlan,
};
use crate::expr::Expr;
use crate::names::{self, bracketed};
use crate::text::list;
use taffrail_catalog::{Generated, Index, Table};

impl Showplan<'_> {
    /// All rows are kept before the first change.
    fn eager(&mut self, spools: bool, parent: usize) -> usize {
        match spools {
            true => self.add(Some(parent), "Table Spool", "Eager Spool", String::new()),
            false => parent,
        }
    }

    /// `OBJECT:(…)` of the table and of the indexes that change with it.
    fn changed<'i>(
        &self,
        database: &str,
        table: &'i Table,
        indexes: impl Iterator<Item = &'i Index>,
    ) -> String {
        let all = std::iter::once(&**table.base()).chain(indexes);
        list(all, |i| format!("OBJECT:({})", index_object(database, table, i)))
    }

    /// The element of a change, with what is set.
    fn change_form<'i>(
        &self,
        element: &'static str,
        (database, table): (&str, &'i Table),
        indexes: impl Iterator<Item = &'i Index>,
        assigned: Vec<Xml>,
        text: &str,
    ) -> Form {
        let own = names::object(database, table);
        let all = std::iter::once(&**table.base()).chain(indexes);
        let form = Form::new(element).before(all.map(|i| object_element(&own, i, None)));
        if assigned.is_empty() {
            return form;
        }
        let assigned = Xml::new("MultipleAssign").all(assigned);
        let scalar = Xml::new("ScalarOperator").attr("ScalarString", text).with(assigned);
        form.before([Xml::new("SetPredicate").with(scalar)])
    }

    /// `Assign` of a column of the table that changes.
    fn assign(&self, (database, table): (&str, &Table), column: usize, value: Xml) -> Xml {
        let object = names::object(database, table);
        let reference = super::object_attributes(Xml::new("ColumnReference"), &object, None);
        let reference = reference.attr("Column", &table.columns[column].name);
        Xml::new("Assign").with(reference).with(value)
    }

    /// `ScalarOperator` of a value that has a name and no expression.
    fn given(text: &str) -> Xml {
        let name = text.trim_matches(['[', ']']);
        let inner = Xml::new("Identifier").with(named_column(name));
        Xml::new("ScalarOperator").attr("ScalarString", text).with(inner)
    }

    /// `[db].[dbo].[t].[c] = value`.
    fn set(&self, database: &str, table: &Table, column: usize, value: &str) -> String {
        let column = bracketed(&table.columns[column].name);
        format!("{}.{column} = {value}", object(database, table))
    }

    /// The values of an INSERT: column, text, and its element.
    fn inserted(&self, i: &InsertPlan) -> Vec<(usize, String, Xml)> {
        let expression = |e: &Expr| (self.long.expr(e), self.long.operator(e));
        let named = |text: String| {
            let element = Self::given(&text);
            (text, element)
        };
        // What is computed is computed of these.
        let given = |c: &&ColumnSource| !matches!(c, ColumnSource::Computed);
        let mut out = Vec::new();
        for (at, c) in i.columns.iter().enumerate().filter(|(_, c)| given(c)) {
            let value = match (c, &i.rows) {
                (ColumnSource::Source(n), InsertRows::Query(q)) => {
                    q.outputs.get(*n).map(|s| expression(&Expr::Slot(*s)))
                }
                (ColumnSource::Source(n), InsertRows::Values(rows)) => match &rows[..] {
                    [row] => row.get(*n).and_then(Option::as_ref).map(expression),
                    _ => Some(named(format!("[Union{}]", 1000 + n))),
                },
                (ColumnSource::Source(n), InsertRows::External) => {
                    Some(named(format!("[Expr{n}]")))
                }
                (ColumnSource::Expr(e, _), _) => Some(expression(e)),
                (ColumnSource::Identity, _) => Some(named("getidentity()".into())),
                (ColumnSource::RowVersion, _) => Some(named("gettimestamp()".into())),
                (ColumnSource::Period(Generated::RowEnd), _) => {
                    Some(named("maxdatetime2()".into()))
                }
                (ColumnSource::Period(_), _) => Some(named("systrandatetime()".into())),
                (ColumnSource::Null, _) => Some(named("NULL".into())),
                (ColumnSource::Computed, _) => None,
            };
            let (text, element) = value.unwrap_or_else(|| named("DEFAULT".into()));
            out.push((at, text, element));
        }
        out
    }

    pub(super) fn insert(&mut self, i: &InsertPlan) {
        let database = &*i.database.name;
        let own = (database, &*i.table);
        let values = self.inserted(i);
        let set = list(&values, |(at, text, _)| self.set(database, &i.table, *at, text));
        let assigned = values.into_iter().map(|(at, _, value)| self.assign(own, at, value));
        let assigned: Vec<Xml> = assigned.collect();
        let indexes = || i.table.nonclustered().iter().map(|i| &**i);
        let objects = self.changed(database, &i.table, indexes());
        let argument = format!("{objects}, SET:({set})");
        let name = match i.table.is_heap() {
            true => "Table Insert",
            false => "Clustered Index Insert",
        };
        // Rows that come from no operator.
        let alone = match &i.rows {
            InsertRows::Values(rows) => rows.len() < 2 && i.top.is_none() && !i.spool,
            InsertRows::External => i.top.is_none() && !i.spool,
            InsertRows::Query(_) => false,
        };
        let element = if alone { "ScalarInsert" } else { "Update" };
        let mut at = self.add(None, name, "Insert", argument);
        self.lines[at].form = self.change_form(element, own, indexes(), assigned, &set);
        if alone {
            self.lines[at].rows = Rows::Known(1.0, 0.0);
        }
        if let Some(n) = &i.top {
            let argument = format!("TOP EXPRESSION:({})", self.long.expr(n));
            at = self.add(Some(at), "Top", "Top", argument);
            let count = Xml::new("TopExpression").with(self.long.operator(n));
            self.lines[at].form = Form::new("Top").attr("RowCount", 0).before([count]);
        }
        at = self.eager(i.spool, at);
        match &i.rows {
            InsertRows::Values(rows) if rows.len() > 1 => {
                let value = |e: &Option<Expr>| match e {
                    Some(e) => self.long.expr(e),
                    None => "DEFAULT".into(),
                };
                let row = |r: &Vec<Option<Expr>>| format!("({})", list(r, value));
                let argument = format!("VALUES:({})", list(rows, row));
                let element = |e: &Option<Expr>| match e {
                    Some(e) => self.long.operator(e),
                    None => Self::given("DEFAULT"),
                };
                let all = rows.iter().map(|r| Xml::new("Row").all(r.iter().map(element)));
                let form = Form::new("ConstantScan").before([Xml::new("Values").all(all)]);
                let at = self.constant(Some(at), Rows::Known(rows.len() as f64, 0.0));
                (self.lines[at].form, self.lines[at].argument) = (form, argument);
            }
            // One row without an operator of its own, below TOP or a spool.
            InsertRows::Values(_) | InsertRows::External if !alone => {
                self.constant(Some(at), Rows::Known(1.0, 0.0));
            }
            InsertRows::Values(_) | InsertRows::External => {}
            InsertRows::Query(q) => self.node(&q.node, Some(at)),
        }
    }

    /// `Assign` of what an UPDATE sets.
    fn assigned(&self, u: &UpdatePlan) -> Vec<Xml> {
        let own = (&*u.database.name, &*u.table);
        let set = u.set.iter().map(|a| self.assign(own, a.column, self.long.operator(&a.expr)));
        let variables = u.variables.iter().map(|(v, e)| {
            let name = self.long.variable(*v);
            let reference = named_column(name.trim_matches(['[', ']']));
            Xml::new("Assign").with(reference).with(self.long.operator(e))
        });
        set.chain(variables).collect()
    }

    fn assignments(&self, u: &UpdatePlan) -> String {
        let database = &*u.database.name;
        let set = u.set.iter().map(|a| {
            let value = self.long.expr(&a.expr);
            self.set(database, &u.table, a.column, &value)
        });
        let variables = u
            .variables
            .iter()
            .map(|(v, e)| format!("{} = {}", self.long.variable(*v), self.long.expr(e)));
        set.chain(variables).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn update(&mut self, u: &UpdatePlan) {
        let indexes = || u.indexes.iter().map(|i| &**i);
        let objects = self.changed(&u.database.name, &u.table, indexes());
        let set = self.assignments(u);
        let argument = format!("{objects}, SET:({set})");
        let name = match u.table.is_heap() {
            true => "Table Update",
            false => "Clustered Index Update",
        };
        let at = self.add(None, name, "Update", argument);
        let own = (&*u.database.name, &*u.table);
        self.lines[at].form = self.change_form("Update", own, indexes(), self.assigned(u), &set);
        let at = self.eager(u.spool, at);
        self.node(&u.node, Some(at));
    }

    pub(super) fn delete(&mut self, d: &DeletePlan) {
        let indexes = || d.table.nonclustered().iter().map(|i| &**i);
        let argument = self.changed(&d.database.name, &d.table, indexes());
        let name = match d.table.is_heap() {
            true => "Table Delete",
            false => "Clustered Index Delete",
        };
        let at = self.add(None, name, "Delete", argument);
        let own = (&*d.database.name, &*d.table);
        self.lines[at].form = self.change_form("Update", own, indexes(), Vec::new(), "");
        let at = self.eager(d.spool, at);
        self.node(&d.node, Some(at));
    }

    pub(super) fn merge(&mut self, m: &MergePlan) {
        let own = (&*m.database.name, &*m.table);
        let indexes = || m.table.nonclustered().iter().map(|i| &**i);
        let objects = self.changed(&m.database.name, &m.table, indexes());
        let (mut set, mut assigned) = (Vec::new(), Vec::new());
        let rest = m.rest.iter().flat_map(|r| &r.clauses);
        for c in m.clauses.iter().chain(rest) {
            if let MergeAction::Update(u) = &c.action {
                set.push(self.assignments(u));
                assigned.extend(self.assigned(u));
            }
        }
        if let Some(i) = &m.insert {
            for (at, c) in i.plan.columns.iter().enumerate() {
                if let ColumnSource::Source(n) = c
                    && let Some(e) = i.values.get(*n)
                {
                    let value = self.long.expr(e);
                    set.push(self.set(&m.database.name, &m.table, at, &value));
                    assigned.push(self.assign(own, at, self.long.operator(e)));
                }
            }
        }
        let set = set.join(", ");
        let argument = match set.is_empty() {
            true => objects,
            false => format!("{objects}, SET:({set})"),
        };
        let name = match m.table.is_heap() {
            true => "Table Merge",
            false => "Clustered Index Merge",
        };
        let at = self.add(None, name, "Merge", argument);
        self.lines[at].form = self.change_form("Update", own, indexes(), assigned, &set);
        self.node(&m.node, Some(at));
        if let Some(r) = &m.rest {
            self.node(&r.node, Some(at));
        }
    }
}

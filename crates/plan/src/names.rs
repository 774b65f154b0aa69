//! What the columns and variables of a statement are called where its plan is shown.
//!
//! A column of a table is called by the occurrence that it comes from (`a.id`), also where a derived table or view hands it on under
//! another name. An occurrence whose alias another one has too is numbered: `a:2`. What is computed has the name that the statement
//! gives it, else `Expr` and a number.

use crate::change::{InsertPlan, InsertRows, MergeAction, MergeClause, OutputPlan};
use crate::expr::Slot;
use crate::node::Node;
use crate::rel::{Rel, RowsetSource, Subqueries};
use crate::statement::Statement;
use crate::subquery::SubqueryPlan;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use taffrail_catalog::Table;
use taffrail_catalog::database::Database;

/// The names of one statement.
#[derive(Default, Debug)]
pub struct Names {
    slots: Vec<Name>,
    variables: Vec<String>,
    /// How often each alias has been met, in lower case.
    aliases: HashMap<String, u32>,
}

/// What a slot is called.
#[derive(Clone, Debug)]
enum Name {
    /// A column of a source.
    Column(Arc<Occurrence>, Arc<str>),
    /// Where a source's row is.
    Locator(Arc<Occurrence>),
    /// Something computed: its name.
    Computed(String),
}

/// A source where it stands in the statement.
#[derive(Debug)]
struct Occurrence {
    /// The names of database, schema and table, in brackets.
    object: Vec<String>,
    /// What the statement calls it.
    alias: Arc<str>,
    /// The alias is not the table's own name.
    aliased: bool,
    /// Which one of this alias it is, from 1.
    number: u32,
}

/// How long names of columns are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// `a.id`, brackets only where they are needed.
    Plain,
    /// `[a].[id]`, `[db].[dbo].[t].[id]` where there is no alias.
    Short,
    /// `[db].[dbo].[t].[id] as [a].[id]`.
    Long,
}

/// The name of a view or function as a plan shows it: of a user's function with its database.
pub(crate) fn rowset(database: &Database, source: &RowsetSource) -> Vec<String> {
    let (schema, name) = (source.schema(), source.name());
    match source {
        RowsetSource::View(_) => [schema, name].map(bracketed).into(),
        RowsetSource::Changed(_) | RowsetSource::Json(_) => vec![bracketed(name)],
        RowsetSource::Function(_) => [&*database.name, schema, name].map(bracketed).into(),
    }
}

/// The names of a table's database, schema and itself, in brackets.
pub(crate) fn object(database: &str, table: &Table) -> Vec<String> {
    [database, &table.head.schema, table.shown()].map(bracketed).into()
}

/// A slot as the XML of a plan refers to it.
pub(crate) enum Reference<'n> {
    /// A column of a source.
    Column {
        /// Database, schema and table, as many of them as it has.
        object: &'n [String],
        /// The alias, where it is not the table's own name.
        alias: Option<&'n str>,
        /// The name of the column.
        column: &'n str,
    },
    /// A value of the statement's own, by its name in plans: `Expr1004`, `Bmk1000`.
    Own(String),
}

/// A name in brackets.
pub fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// A name as it would be written: in brackets where it must.
pub fn plain(name: &str) -> String {
    let first = |c: char| c.is_alphabetic() || "_@#".contains(c);
    let part = |c: char| c.is_alphanumeric() || "_@#$".contains(c);
    match name.starts_with(first) && name.chars().all(part) {
        true => name.into(),
        false => bracketed(name),
    }
}

/// The number that shows a computed column of this slot.
fn number(slot: Slot) -> u32 {
    1000 + slot
}

impl Names {
    /// The names of a bound statement. `computed`: for each slot the table and the column that the binder knows, both empty
    /// where it has no name.
    pub fn new<'c>(
        statement: &Statement<Rel>,
        subqueries: &Subqueries,
        computed: impl Iterator<Item = (&'c str, &'c str)>,
        variables: Vec<String>,
    ) -> Names {
        let name = |(table, column): (&str, &str)| match (table, column) {
            (_, "") => String::new(),
            ("", column) => plain(column),
            (table, column) => format!("{}.{}", plain(table), plain(column)),
        };
        let slots = computed.map(|c| Name::Computed(name(c))).collect();
        let mut names = Names { slots, variables, aliases: HashMap::new() };
        names.statement(statement);
        subqueries.iter().for_each(|s| names.rel(&s.rel));
        names.tell_apart();
        names
    }

    /// The names that the operators of a statement with so many slots tell: those of columns of tables and views, as plans show them.
    pub fn planned(
        statement: &Statement,
        subqueries: &[SubqueryPlan],
        slots: usize,
        variables: Vec<String>,
    ) -> Names {
        let slots = vec![Name::Computed(String::new()); slots];
        let mut names = Names { slots, variables, aliases: HashMap::new() };
        statement.nodes(subqueries, &mut |node| match node {
            Node::Scan(s) => {
                let occurrence =
                    names.occurrence(object(&s.database.name, &s.table), &s.alias, s.table.shown());
                for (c, slot) in &s.columns {
                    let column = s.table.columns[*c].name.clone();
                    names.set(*slot, Name::Column(occurrence.clone(), column));
                }
                if let Some(slot) = s.locator {
                    names.set(slot, Name::Locator(occurrence));
                }
            }
            Node::View(v) => {
                let object = rowset(&v.database, &v.source);
                let occurrence = names.occurrence(object, &v.alias, v.source.name());
                for (c, slot) in &v.columns {
                    let column = v.source.column(*c).into();
                    names.set(*slot, Name::Column(occurrence.clone(), column));
                }
            }
            _ => {}
        });
        names
    }

    /// A slot as the XML of a plan refers to it.
    pub(crate) fn reference(&self, slot: Slot) -> Reference<'_> {
        match self.slots.get(slot as usize) {
            Some(Name::Column(o, column)) => {
                let alias = o.aliased.then_some(&*o.alias);
                Reference::Column { object: &o.object, alias, column }
            }
            Some(Name::Locator(_)) => Reference::Own(format!("Bmk{}", number(slot))),
            Some(Name::Computed(_)) | None => Reference::Own(format!("Expr{}", number(slot))),
        }
    }

    fn statement(&mut self, statement: &Statement<Rel>) {
        match statement {
            Statement::Select(s, _) => self.rel(&s.plan.node),
            Statement::Insert(i) => self.insert(i),
            Statement::Update(u) => {
                self.rel(&u.node);
                self.output(&u.output, u.table.shown());
            }
            Statement::Delete(d) => {
                self.rel(&d.node);
                self.output(&d.output, d.table.shown());
            }
            Statement::Merge(m) => {
                self.rel(&m.node);
                let clauses = |names: &mut Names, list: &[MergeClause<Rel>]| {
                    for c in list {
                        if let MergeAction::Update(u) = &c.action {
                            names.rel(&u.node);
                        }
                    }
                };
                clauses(self, &m.clauses);
                if let Some(i) = &m.insert {
                    self.insert(&i.plan);
                }
                if let Some(r) = &m.rest {
                    self.rel(&r.node);
                    clauses(self, &r.clauses);
                }
                self.output(&m.output, m.table.shown());
            }
            Statement::Scalar(..) | Statement::Condition(_) => {}
        }
    }

    fn insert(&mut self, i: &InsertPlan<Rel>) {
        if let InsertRows::Query(q) = &i.rows {
            self.rel(&q.node);
        }
        self.output(&i.output, i.table.shown());
    }

    /// The columns that OUTPUT sees. They are named by its table, which is in none of the relations.
    fn output(&mut self, output: &Option<OutputPlan<Rel>>, table: &str) {
        let Some(o) = output else { return };
        for (alias, columns) in [("inserted", &o.inserted), ("deleted", &o.deleted)] {
            let object = vec![bracketed(table)];
            let alias: Arc<str> = alias.into();
            let occurrence = Arc::new(Occurrence { object, alias, aliased: true, number: 1 });
            for (_, slot) in columns {
                // The binder has named it by its column.
                let Some(Name::Computed(name)) = self.slots.get(*slot as usize) else { continue };
                let column = name.rsplit('.').next().unwrap_or(name).trim_matches(['[', ']']);
                let column: Arc<str> = column.into();
                self.slots[*slot as usize] = Name::Column(occurrence.clone(), column);
            }
        }
        if let Some(into) = &o.into {
            self.insert(into);
        }
    }

    fn rel(&mut self, rel: &Rel) {
        rel.visit(&mut |r| match r {
            Rel::Get(g) => {
                let table = &g.table.table;
                let object = object(&g.table.database.name, table);
                let occurrence = self.occurrence(object, &g.alias, table.shown());
                let computed = g.computed.iter().map(|c| (c.column, c.slot));
                for (c, slot) in g.columns.iter().copied().chain(computed) {
                    let column = table.columns[c].name.clone();
                    self.set(slot, Name::Column(occurrence.clone(), column));
                }
                if let Some(slot) = g.locator {
                    self.set(slot, Name::Locator(occurrence));
                }
            }
            Rel::Rowset(v) => {
                let of = &v.of.source;
                let object = rowset(&v.of.database, of);
                let occurrence = self.occurrence(object, &v.alias, of.name());
                for (c, slot) in &v.columns {
                    let column = of.column(*c).into();
                    self.set(*slot, Name::Column(occurrence.clone(), column));
                }
            }
            _ => {}
        });
    }

    fn occurrence(&mut self, object: Vec<String>, alias: &Arc<str>, own: &str) -> Arc<Occurrence> {
        let met = self.aliases.entry(alias.to_lowercase()).or_default();
        *met += 1;
        let aliased = !alias.eq_ignore_ascii_case(own);
        Arc::new(Occurrence { object, alias: alias.clone(), aliased, number: *met })
    }

    fn set(&mut self, slot: Slot, name: Name) {
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = name;
        }
    }

    /// Computed columns of one name are numbered, and those without a name get one.
    fn tell_apart(&mut self) {
        let mut met: HashMap<String, u32> = HashMap::new();
        for slot in 0..self.slots.len() {
            if !matches!(&self.slots[slot], Name::Computed(_)) {
                let name = self.slot(slot as Slot, Length::Plain).to_lowercase();
                met.insert(name, 1);
            }
        }
        for (slot, name) in self.slots.iter_mut().enumerate() {
            let Name::Computed(name) = name else { continue };
            if name.is_empty() {
                *name = format!("Expr{}", number(slot as Slot));
                continue;
            }
            let count = met.entry(name.to_lowercase()).or_default();
            *count += 1;
            if *count > 1 {
                let _ = write!(name, ":{count}");
            }
        }
    }

    /// What a slot is called.
    pub fn slot(&self, slot: Slot, length: Length) -> String {
        match (self.slots.get(slot as usize), length) {
            (None, Length::Plain) => format!("Expr{}", number(slot)),
            (None, _) => format!("[Expr{}]", number(slot)),
            (Some(Name::Column(o, c)), Length::Plain) => format!("{}.{}", o.plain(), plain(c)),
            (Some(Name::Locator(o)), Length::Plain) => format!("{}.%%physloc%%", o.plain()),
            (Some(Name::Computed(name)), Length::Plain) => name.clone(),
            (Some(Name::Column(o, c)), _) => {
                let c = bracketed(c);
                match (o.aliased, length) {
                    (false, _) => format!("{}.{c}", o.object.join(".")),
                    (true, Length::Long) => {
                        let alias = bracketed(&o.alias);
                        format!("{}.{c} as {alias}.{c}", o.object.join("."))
                    }
                    (true, _) => format!("{}.{c}", bracketed(&o.alias)),
                }
            }
            (Some(Name::Locator(_)), _) => format!("[Bmk{}]", number(slot)),
            (Some(Name::Computed(_)), _) => format!("[Expr{}]", number(slot)),
        }
    }

    /// What the source of a slot is called beside its table, if anything: `a`, or `[a]`.
    pub(crate) fn alias_of(&self, slot: Slot, length: Length) -> Option<String> {
        match self.slots.get(slot as usize) {
            Some(Name::Column(o, _) | Name::Locator(o)) => match length {
                Length::Plain => (o.aliased || o.number > 1).then(|| o.plain()),
                _ => o.aliased.then(|| bracketed(&o.alias)),
            },
            _ => None,
        }
    }

    /// What a variable is called.
    pub fn variable(&self, number: u32) -> String {
        match self.variables.get(number as usize) {
            Some(name) => name.clone(),
            None => format!("@{number}"),
        }
    }
}

impl Occurrence {
    fn plain(&self) -> String {
        match self.number {
            1 => plain(&self.alias),
            n => format!("{}:{n}", plain(&self.alias)),
        }
    }
}

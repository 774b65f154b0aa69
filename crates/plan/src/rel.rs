//! The logical plan: what a statement means, without a word on how its rows are found.
//!
//! The binder makes a [`Rel`], rules turn it into an equal one, the planner lowers it to operators ([`crate::node`]).
//!
//! Columns are slots. A slot belongs to one occurrence of a source: two mentions of a table, a view or a common table
//! expression have nothing in common, so a tree never sets a slot in two places that one row could reach, and a condition may be
//! moved without being renamed.
//!
//! A subquery of an expression is not part of the tree: the expression knows its number ([`crate::expr::Subquery`]), and the
//! statement keeps the subqueries by number ([`Subqueries`]).
//!
//! `==` and hashes are derived; a table is its database's and its own id.

use crate::expr::{Expr, Part, Pred, Slot, slots_of};
use crate::grouping::GroupingMark;
use crate::hints::JoinMethod;
use crate::locking::Hints;
use crate::node::{Agg, JoinType, SortKey, WindowItem};
use crate::slots::SlotSet;
use crate::system_view::SystemView;
use crate::triggers::ChangedRows;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use taffrail_catalog::database::Database;
use taffrail_catalog::{Module, Table};
use taffrail_functions::json::OpenJson;
use taffrail_types::Collation;

/// A relation: rows of columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rel {
    /// A relation without rows.
    #[default]
    Empty,
    /// One row without columns: SELECT without FROM.
    OneRow,
    /// The rows of a table.
    Get(Box<Get>),
    /// The rows of a system view or table-valued function.
    Rowset(Box<Rowset>),
    /// Rows that are written in the statement.
    Values(Box<Values>),
    /// The rows for which all conditions hold.
    Select(Box<Select>),
    /// The rows with more columns.
    Compute(Box<Compute>),
    /// The rows with fewer columns: the end of a derived table.
    Project(Box<Project>),
    /// Pairs of rows. The right side may read the left one's columns (APPLY).
    Join(Box<Join>),
    /// One row for each group.
    Group(Box<Group>),
    /// The rows with the results of window functions.
    Window(Box<Window>),
    /// The rows without duplicates.
    Distinct(Box<Distinct>),
    /// In an order that has a meaning: of the result, of TOP, of what is numbered.
    Sort(Box<Sort>),
    /// The first rows of the input.
    Top(Box<Top>),
    /// The rows of all inputs, which set the same columns.
    Union(Vec<Rel>),
    /// The operators EXCEPT and INTERSECT.
    SetOperation(Box<SetOperation>),
    /// A recursive common table expression.
    Recursive(Box<Recursive>),
}

/// A table in its database.
#[derive(Clone, Debug)]
pub struct TableRef {
    /// The database of the table.
    pub database: Arc<Database>,
    /// The table as the binder saw it.
    pub table: Arc<Table>,
}

impl PartialEq for TableRef {
    fn eq(&self, other: &TableRef) -> bool {
        (self.database.id, self.table.id()) == (other.database.id, other.table.id())
    }
}

impl Eq for TableRef {}

impl Hash for TableRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.database.id, self.table.id()).hash(state);
    }
}

/// The origin of a rowset's rows.
#[derive(Clone, Debug)]
pub enum RowsetSource {
    /// A system view or function.
    View(&'static SystemView),
    /// A user's function of several statements, which is run.
    Function(Arc<Module>),
    /// The rows that the statement which has fired a trigger has changed.
    Changed(ChangedRows),
    /// The rows that OPENJSON makes of a document and a path.
    Json(Arc<OpenJson>),
}

impl RowsetSource {
    /// The schema that it belongs to.
    pub fn schema(&self) -> &str {
        match self {
            RowsetSource::View(v) => v.schema,
            RowsetSource::Function(f) => &f.head.schema,
            RowsetSource::Changed(c) => &c.table.head.schema,
            RowsetSource::Json(_) => "",
        }
    }

    /// The name of the view or function.
    pub fn name(&self) -> &str {
        match self {
            RowsetSource::View(v) => v.name,
            RowsetSource::Function(f) => &f.head.name,
            RowsetSource::Changed(c) => c.name(),
            RowsetSource::Json(j) if j.is_explicit() => "OPENJSON_EXPLICIT",
            RowsetSource::Json(_) => "OPENJSON_DEFAULT",
        }
    }

    /// The name of a column by its position; empty where there is none.
    pub fn column(&self, at: usize) -> &str {
        match self {
            RowsetSource::View(v) => v.columns.get(at).map_or("", |c| c.name),
            RowsetSource::Function(f) => f.columns.get(at).map_or("", |c| &c.name),
            RowsetSource::Changed(c) => c.table.columns.get(at).map_or("", |c| &c.name),
            RowsetSource::Json(j) => j.column(at),
        }
    }

    /// Whether it is called with arguments.
    pub fn is_called(&self) -> bool {
        match self {
            RowsetSource::View(v) => v.arguments.is_some(),
            RowsetSource::Function(_) | RowsetSource::Json(_) => true,
            RowsetSource::Changed(_) => false,
        }
    }
}

/// A system view, as a database shows it, or a function of a database.
#[derive(Clone, Debug)]
pub struct RowsetRef {
    /// The database through which a view was named, or that a function belongs to.
    pub database: Arc<Database>,
    /// The view or function.
    pub source: RowsetSource,
}

impl PartialEq for RowsetRef {
    fn eq(&self, other: &RowsetRef) -> bool {
        self.database.id == other.database.id
            && match (&self.source, &other.source) {
                (RowsetSource::View(a), RowsetSource::View(b)) => std::ptr::eq(*a, *b),
                (RowsetSource::Function(a), RowsetSource::Function(b)) => a.version == b.version,
                (RowsetSource::Changed(a), RowsetSource::Changed(b)) => {
                    a.inserted == b.inserted && a.table.id() == b.table.id()
                }
                (RowsetSource::Json(a), RowsetSource::Json(b)) => a == b,
                _ => false,
            }
    }
}

impl Eq for RowsetRef {}

impl Hash for RowsetRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.database.id, self.source.name()).hash(state);
    }
}

/// The source of a [`Rel::Get`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Get {
    /// The table that is read.
    pub table: TableRef,
    /// The alias that the statement gives it.
    pub alias: Arc<str>,
    /// The columns that the statement mentions: position in the table, and slot.
    pub columns: Vec<(usize, Slot)>,
    /// The computed columns that the statement mentions and rows do not have.
    pub computed: Vec<VirtualColumn>,
    /// Where the row's locator goes, for UPDATE, DELETE, MERGE and cursors.
    pub locator: Option<Slot>,
    /// Where the image of the row goes, by which a cursor sees that it has been changed.
    pub image: Option<Slot>,
    /// It is the one row that a cursor's mark of this number leads to.
    pub mark: Option<u32>,
    /// The table hints beside it.
    pub hints: Hints,
}

/// A column that is computed of the other columns of its row where it is read.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VirtualColumn {
    /// Position in the table.
    pub column: usize,
    /// The value, of slots of the same source.
    pub value: Expr,
    /// The slot of the column.
    pub slot: Slot,
}

impl Get {
    /// Whether a slot is a column of the table.
    pub fn has(&self, slot: Slot) -> bool {
        self.columns.iter().any(|c| c.1 == slot) || self.computed.iter().any(|c| c.slot == slot)
    }

    /// The slots of its columns.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.columns.iter().map(|c| c.1).chain(self.computed.iter().map(|c| c.slot))
    }
}

/// The source of a [`Rel::Rowset`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rowset {
    /// The view or function.
    pub of: RowsetRef,
    /// The alias that the statement gives it.
    pub alias: Arc<str>,
    /// Arguments of a function.
    pub args: Vec<Expr>,
    /// The columns that the statement mentions, and their slots.
    pub columns: Vec<(usize, Slot)>,
    /// NOLOCK: what is not committed is shown too.
    pub dirty: bool,
}

/// The rows of a [`Rel::Values`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Values {
    /// The expressions of each row.
    pub rows: Vec<Vec<Expr>>,
    /// The slots that the expressions set.
    pub slots: Vec<Slot>,
}

/// The conditions of a [`Rel::Select`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Select {
    /// The relation below it.
    pub input: Rel,
    /// All must hold. In the order of the text: of conditions on one source, those that may raise an error stay behind.
    pub conditions: Vec<Pred>,
}

/// The items of a [`Rel::Compute`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Compute {
    /// The relation below it.
    pub input: Rel,
    /// The expressions, each with the slot that it sets.
    pub items: Vec<(Expr, Slot)>,
}

/// The columns of a [`Rel::Project`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Project {
    /// The relation below it.
    pub input: Rel,
    /// The columns that go on.
    pub columns: Vec<Slot>,
}

/// The sides of a [`Rel::Join`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Join {
    /// The rows that the join gives.
    pub kind: JoinType,
    /// How, where a hint says so.
    pub method: Option<JoinMethod>,
    /// The relation on the left.
    pub left: Rel,
    /// The relation on the right.
    pub right: Rel,
    /// All must hold. (Of an inner join they are as good in a [`Select`] above it.)
    pub on: Vec<Pred>,
}

/// The keys of a [`Rel::Group`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Group {
    /// The relation below it.
    pub input: Rel,
    /// Group keys: expression, slot of the result, collation.
    pub keys: Vec<(Expr, Slot, Collation)>,
    /// The aggregates of each group.
    pub aggs: Vec<Agg>,
    /// Without GROUP BY: one row even from no input.
    pub scalar: bool,
    /// ROLLUP, CUBE, GROUPING SETS: the keys of each set, a bit for each, from the first. A key that a set has not is NULL there, and a set
    /// of none has a row even from no input. Empty for one set of all keys.
    pub sets: Vec<u32>,
    /// The values of GROUPING and GROUPING_ID.
    pub marks: Vec<GroupingMark>,
}

/// The window of a [`Rel::Window`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Window {
    /// The relation below it.
    pub input: Rel,
    /// The expressions of PARTITION BY.
    pub partition: Vec<(Expr, Collation)>,
    /// ORDER BY within it.
    pub order: Vec<SortKey>,
    /// The functions over this window.
    pub items: Vec<WindowItem>,
}

/// The columns of a [`Rel::Distinct`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Distinct {
    /// The relation below it.
    pub input: Rel,
    /// The slots that make rows equal.
    pub slots: Vec<(Slot, Collation)>,
}

/// The keys of a [`Rel::Sort`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sort {
    /// The relation below it.
    pub input: Rel,
    /// The keys, the first one first.
    pub keys: Vec<SortKey>,
}

/// The counts of a [`Rel::Top`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Top {
    /// The relation below it.
    pub input: Rel,
    /// How many; `None` for all (OFFSET alone).
    pub count: Option<Expr>,
    /// The count is a percentage.
    pub percent: bool,
    /// WITH TIES: the sort keys, that decide what is a tie.
    pub ties: Option<Vec<(Expr, Collation)>>,
    /// Rows to leave out before.
    pub offset: Option<Expr>,
}

/// The sides of a [`Rel::SetOperation`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SetOperation {
    /// Left input, whose slots are the result's.
    pub left: Rel,
    /// The relation on the right.
    pub right: Rel,
    /// EXCEPT rather than INTERSECT.
    pub except: bool,
    /// Columns of the left input.
    pub left_slots: Vec<(Slot, Collation)>,
    /// Columns of the right input, of the same types.
    pub right_slots: Vec<Slot>,
}

/// The parts of a [`Rel::Recursive`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Recursive {
    /// The first rows: one after the other, all into `slots`.
    pub anchors: Vec<Rel>,
    /// The rows that are made of each row, into `slots` too. At least one part.
    pub parts: Vec<Rel>,
    /// Where the result's columns appear.
    pub slots: Vec<Slot>,
    /// Where the parts find the row that they work on.
    pub work: Vec<Slot>,
    /// The greatest depth; 0 for none.
    pub limit: u32,
}

/// The subqueries of a statement's expressions, by number.
pub type Subqueries = Vec<SubqueryRows>;

/// The rows of a subquery.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SubqueryRows {
    /// The rows of the subquery.
    pub rel: Rel,
    /// Where the column appears that the expression reads.
    pub output: Slot,
}

impl Rel {
    /// Whether each of its rows is a row of a table, or several joined: no group, no part of a set.
    pub fn shows_rows(&self) -> bool {
        match self {
            Rel::Get(_) | Rel::Join(_) | Rel::Rowset(_) => true,
            Rel::Select(s) => s.input.shows_rows(),
            Rel::Compute(c) => c.input.shows_rows(),
            Rel::Project(p) => p.input.shows_rows(),
            Rel::Sort(s) => s.input.shows_rows(),
            _ => false,
        }
    }

    /// The rows of `input` for which the conditions hold; `input` itself where there are none.
    pub fn select(input: Rel, conditions: Vec<Pred>) -> Rel {
        match conditions.is_empty() {
            true => input,
            false => Rel::Select(Box::new(Select { input, conditions })),
        }
    }

    /// `input` with more columns; `input` itself where there are none.
    pub fn compute(input: Rel, items: Vec<(Expr, Slot)>) -> Rel {
        match items.is_empty() {
            true => input,
            false => Rel::Compute(Box::new(Compute { input, items })),
        }
    }

    /// `input` with these of its columns.
    pub fn project(input: Rel, columns: Vec<Slot>) -> Rel {
        Rel::Project(Box::new(Project { input, columns }))
    }

    /// A join of two relations.
    pub fn join(kind: JoinType, left: Rel, right: Rel, on: Vec<Pred>) -> Rel {
        Rel::Join(Box::new(Join { kind, method: None, left, right, on }))
    }

    /// The relations that it takes rows from.
    pub fn inputs(&self) -> Vec<&Rel> {
        match self {
            Rel::Empty | Rel::OneRow | Rel::Get(_) | Rel::Rowset(_) | Rel::Values(_) => Vec::new(),
            Rel::Select(r) => vec![&r.input],
            Rel::Compute(r) => vec![&r.input],
            Rel::Project(r) => vec![&r.input],
            Rel::Join(r) => vec![&r.left, &r.right],
            Rel::Group(r) => vec![&r.input],
            Rel::Window(r) => vec![&r.input],
            Rel::Distinct(r) => vec![&r.input],
            Rel::Sort(r) => vec![&r.input],
            Rel::Top(r) => vec![&r.input],
            Rel::Union(list) => list.iter().collect(),
            Rel::SetOperation(r) => vec![&r.left, &r.right],
            Rel::Recursive(r) => r.anchors.iter().chain(&r.parts).collect(),
        }
    }

    /// Calls `f` with it and all that stands below it. (Subqueries of expressions are not below it.)
    pub fn visit<'r>(&'r self, f: &mut dyn FnMut(&'r Rel)) {
        f(self);
        self.inputs().into_iter().for_each(|r| r.visit(f));
    }

    /// Calls `f` with each expression and condition of its own.
    pub fn parts<'r>(&'r self, f: &mut dyn FnMut(Part<'r>)) {
        match self {
            Rel::Empty
            | Rel::OneRow
            | Rel::Project(_)
            | Rel::Distinct(_)
            | Rel::Union(_)
            | Rel::SetOperation(_)
            | Rel::Recursive(_) => {}
            Rel::Get(r) => r.computed.iter().for_each(|c| f(Part::Expr(&c.value))),
            Rel::Rowset(r) => r.args.iter().for_each(|e| f(Part::Expr(e))),
            Rel::Values(r) => r.rows.iter().flatten().for_each(|e| f(Part::Expr(e))),
            Rel::Select(r) => r.conditions.iter().for_each(|p| f(Part::Pred(p))),
            Rel::Compute(r) => r.items.iter().for_each(|(e, _)| f(Part::Expr(e))),
            Rel::Join(r) => r.on.iter().for_each(|p| f(Part::Pred(p))),
            Rel::Group(r) => {
                r.keys.iter().for_each(|(e, ..)| f(Part::Expr(e)));
                r.aggs.iter().for_each(|a| a.exprs(&mut |e| f(Part::Expr(e))));
            }
            Rel::Window(r) => {
                r.partition.iter().for_each(|(e, _)| f(Part::Expr(e)));
                r.order.iter().for_each(|k| f(Part::Expr(&k.expr)));
                r.items.iter().for_each(|i| i.function.exprs(&mut |e| f(Part::Expr(e))));
            }
            Rel::Sort(r) => r.keys.iter().for_each(|k| f(Part::Expr(&k.expr))),
            Rel::Top(r) => {
                r.count.iter().chain(&r.offset).for_each(|e| f(Part::Expr(e)));
                r.ties.iter().flatten().for_each(|(e, _)| f(Part::Expr(e)));
            }
        }
    }

    /// The columns that it hands up.
    pub fn columns(&self) -> SlotSet {
        let mut out = SlotSet::default();
        self.add_columns(&mut out);
        out
    }

    fn add_columns(&self, out: &mut SlotSet) {
        match self {
            Rel::Empty | Rel::OneRow => {}
            Rel::Project(r) => out.extend(r.columns.iter().copied()),
            Rel::Select(r) => r.input.add_columns(out),
            Rel::Compute(r) => r.input.add_columns(out),
            Rel::Join(r) => {
                r.left.add_columns(out);
                if !r.kind.is_one_sided() {
                    r.right.add_columns(out);
                }
            }
            Rel::Window(r) => r.input.add_columns(out),
            Rel::Distinct(r) => r.input.add_columns(out),
            Rel::Sort(r) => r.input.add_columns(out),
            Rel::Top(r) => r.input.add_columns(out),
            Rel::Union(list) => list.iter().for_each(|r| r.add_columns(out)),
            Rel::Get(_)
            | Rel::Rowset(_)
            | Rel::Values(_)
            | Rel::Group(_)
            | Rel::SetOperation(_)
            | Rel::Recursive(_) => {}
        }
        self.own_columns(&mut |s| out.insert(s));
    }

    /// Calls `f` with each column that it sets itself.
    fn own_columns(&self, f: &mut dyn FnMut(Slot)) {
        match self {
            Rel::Get(r) => r.slots().chain(r.locator).chain(r.image).for_each(f),
            Rel::Rowset(r) => r.columns.iter().for_each(|c| f(c.1)),
            Rel::Values(r) => r.slots.iter().for_each(|s| f(*s)),
            Rel::Compute(r) => r.items.iter().for_each(|i| f(i.1)),
            Rel::Group(r) => {
                r.keys.iter().for_each(|k| f(k.1));
                r.aggs.iter().for_each(|a| f(a.slot));
                r.marks.iter().for_each(|m| f(m.slot));
            }
            Rel::Window(r) => r.items.iter().for_each(|i| f(i.slot)),
            Rel::SetOperation(r) => r.left_slots.iter().for_each(|s| f(s.0)),
            Rel::Recursive(r) => r.slots.iter().for_each(|s| f(*s)),
            Rel::Join(r) => r.kind.mark().into_iter().for_each(f),
            Rel::Empty
            | Rel::OneRow
            | Rel::Select(_)
            | Rel::Project(_)
            | Rel::Distinct(_)
            | Rel::Sort(_)
            | Rel::Top(_)
            | Rel::Union(_) => {}
        }
    }

    /// The slots that its expressions and those below it read and nothing of it sets: of enclosing queries, and of what stands left of
    /// it in an APPLY.
    pub fn outer_slots(&self) -> SlotSet {
        let (mut read, mut set) = (SlotSet::default(), SlotSet::default());
        self.visit(&mut |r| {
            r.parts(&mut |p| slots_of(p, &mut |s| read.insert(s)));
            r.own_columns(&mut |s| set.insert(s));
            // What its step reads of the rows before is its own.
            if let Rel::Recursive(r) = r {
                r.work.iter().for_each(|s| set.insert(*s));
            }
        });
        read.remove_all(&set);
        read
    }

    /// Whether it reads the rows of a table, or may: nobody looks into a function that is run.
    pub fn reads_table(&self, table: &Table) -> bool {
        let mut found = false;
        self.visit(&mut |r| {
            found |= match r {
                Rel::Get(g) => g.table.table.id() == table.id(),
                Rel::Rowset(r) => matches!(r.of.source, RowsetSource::Function(_)),
                _ => false,
            };
        });
        found
    }
}

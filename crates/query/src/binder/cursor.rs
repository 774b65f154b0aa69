//! Queries of cursors whose rows are found again.
//!
//! Each row of such a query is made of one row of each of its tables, and brings a mark of each: the locator and the image of the row.
//! The marks stand behind the query's outputs, two for each table, the tables in the order of FROM. A query with groups, sets, windows
//! or functions that are called has none: its rows are no rows of tables.
//!
//! The place of a row in a heap may be another row's later, so the columns of a unique key of such a table stand behind the marks.

use super::{Binder, Mention};
use taffrail_base::SqlResult;
use taffrail_catalog::IndexKind;
use taffrail_catalog::database::Database;
use taffrail_plan::columns::Column;
use taffrail_plan::expr::{Expr, Slot};
use taffrail_plan::locking::{LevelHint, RowMode};
use taffrail_plan::node::JoinType;
use taffrail_plan::rel::{Get, Rel};
use taffrail_plan::statement::SelectPlan;
use taffrail_syntax::ast;

/// The rows that a cursor asks of its query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CursorRows {
    /// Values of rows, and their marks.
    Whole,
    /// Marks of rows alone.
    Marks,
    /// Values and marks of the one row that marks lead to, whatever the query's conditions say of it now.
    Marked,
}

/// The way in which a cursor reads the rows of its query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CursorUse {
    /// The parts of its rows that are asked for.
    pub rows: CursorRows,
    /// Rows are locked in U: SCROLL_LOCKS.
    pub locks: bool,
}

/// The columns of FOR UPDATE OF while a cursor's query is bound.
#[derive(Default)]
pub(super) struct ForUpdate<'a> {
    /// As they are written; the statement's own block takes them.
    names: &'a [ast::ColumnRef],
    /// The slots of these columns, as the block has them.
    slots: Vec<Slot>,
}

impl<'a> ForUpdate<'a> {
    /// The names, for the first block that asks: those within it have none.
    pub fn take(&mut self) -> &'a [ast::ColumnRef] {
        std::mem::take(&mut self.names)
    }
}

/// Whether each row of a relation is made of rows of tables, one of each.
fn is_of_rows(rel: &Rel) -> bool {
    match rel {
        Rel::Get(_) | Rel::OneRow => true,
        Rel::Select(r) => is_of_rows(&r.input),
        Rel::Compute(r) => is_of_rows(&r.input),
        Rel::Project(r) => is_of_rows(&r.input),
        Rel::Sort(r) => is_of_rows(&r.input),
        Rel::Top(r) => is_of_rows(&r.input),
        Rel::Join(r) => {
            let pairs = matches!(r.kind, JoinType::Inner | JoinType::Left | JoinType::Full);
            pairs && is_of_rows(&r.left) && is_of_rows(&r.right)
        }
        _ => false,
    }
}

/// Slots that are handed up beside the columns of the query.
#[derive(Default)]
struct Marks {
    /// Locator and image of each table.
    marks: Vec<Slot>,
    /// Columns of unique keys of heaps.
    keys: Vec<Slot>,
}

impl Marks {
    fn add(&mut self, other: Marks) {
        self.marks.extend(other.marks);
        self.keys.extend(other.keys);
    }
}

/// Gives each table of a relation its mark, and hands the marks up; gives their slots.
fn mark(rel: &mut Rel, slots: &mut dyn FnMut(&mut Get) -> Marks) -> Marks {
    match rel {
        Rel::Get(g) => slots(g),
        Rel::Select(r) => mark(&mut r.input, slots),
        Rel::Compute(r) => mark(&mut r.input, slots),
        Rel::Sort(r) => mark(&mut r.input, slots),
        Rel::Top(r) => mark(&mut r.input, slots),
        Rel::Project(r) => {
            let marks = mark(&mut r.input, slots);
            for slot in marks.marks.iter().chain(&marks.keys) {
                if !r.columns.contains(slot) {
                    r.columns.push(*slot);
                }
            }
            marks
        }
        Rel::Join(r) => {
            let mut marks = mark(&mut r.left, slots);
            marks.add(mark(&mut r.right, slots));
            marks
        }
        _ => Marks::default(),
    }
}

/// Whether the conditions right above a table are those of its security policies, which say what may be seen of it now.
fn is_guarded(table: &Rel) -> bool {
    let Rel::Get(g) = table else { return false };
    g.table.table.predicates.iter().any(|p| p.enabled && p.block.is_none())
}

/// The relation of the row that marks lead to, those of its tables counted from `next`.
fn marked(rel: Rel, next: &mut u32) -> Rel {
    match rel {
        Rel::Get(mut g) => {
            g.mark = Some(*next);
            g.hints.access = Default::default();
            *next += 1;
            Rel::Get(g)
        }
        Rel::Select(mut r) if is_guarded(&r.input) => {
            r.input = marked(r.input, next);
            Rel::Select(r)
        }
        // They have said which rows are the cursor's, and in which order.
        Rel::Select(r) => marked(r.input, next),
        Rel::Sort(r) => marked(r.input, next),
        Rel::Top(r) => marked(r.input, next),
        Rel::Compute(mut r) => {
            r.input = marked(r.input, next);
            Rel::Compute(r)
        }
        Rel::Project(mut r) => {
            r.input = marked(r.input, next);
            Rel::Project(r)
        }
        Rel::Join(mut r) => {
            r.left = marked(r.left, next);
            r.right = marked(r.right, next);
            r.on.clear();
            r.method = None;
            Rel::Join(r)
        }
        other => other,
    }
}

impl<'a> Binder<'a> {
    /// Looks up the columns of FOR UPDATE OF in the block that is bound: 207, 209, 4104.
    pub(super) fn updatable_columns(&mut self, names: &'a [ast::ColumnRef]) -> SqlResult<()> {
        for name in names {
            if let Expr::Slot(slot) = self.column(name)?.expr {
                self.for_update.slots.push(slot);
            }
        }
        Ok(())
    }

    /// The query of a cursor whose rows are found again; without marks where it has rows that are no rows of tables. `for_update`: the
    /// columns of FOR UPDATE OF.
    pub fn bind_cursor(
        &mut self,
        s: &'a ast::SelectStatement,
        wanted: CursorUse,
        for_update: &'a [ast::ColumnRef],
    ) -> SqlResult<SelectPlan<Rel>> {
        self.for_update.names = for_update;
        let mut select = self.bind_select(s)?;
        let plain = select.assign.is_empty() && select.json.is_none();
        if !plain || !is_of_rows(&select.plan.node) {
            return Ok(select);
        }
        let mut locked = Vec::new();
        let (slots, mut tables) = (std::mem::take(&mut self.for_update.slots), 0);
        let marks = mark(&mut select.plan.node, &mut |g| {
            let listed = g.columns.iter().filter(|(_, of)| slots.contains(of));
            select.updatable.extend(listed.map(|(column, _)| (tables, *column)));
            tables += 1;
            if wanted.locks && wanted.rows != CursorRows::Marks {
                lock_in_u(g);
                locked.push((g.table.clone(), g.hints));
            }
            let mut slot = |column| self.new_slot(column, Mention::computed(u32::MAX, ""));
            let locator = slot(Column::computed(super::through::LOCATOR));
            let image = slot(Column::computed(super::through::LOCATOR));
            (g.locator, g.image) = (Some(locator), Some(image));
            Marks { marks: vec![locator, image], keys: keys_of_heap(g, &mut slot) }
        });
        for (of, hints) in locked {
            let database: &std::sync::Arc<Database> = &of.database;
            self.use_table(database, &of.table, hints);
        }
        match wanted.rows {
            CursorRows::Whole => {}
            CursorRows::Marks => {
                select.plan.outputs.clear();
                select.plan.columns.clear();
            }
            CursorRows::Marked => {
                let node = std::mem::take(&mut select.plan.node);
                select.plan.node = marked(node, &mut 0);
                self.hints = Default::default();
            }
        }
        select.plan.outputs.extend(marks.marks.into_iter().chain(marks.keys));
        Ok(select)
    }
}

/// The columns of a unique key of a heap; none of another table.
fn keys_of_heap(g: &mut Get, slot: &mut dyn FnMut(Column) -> Slot) -> Vec<Slot> {
    let table = g.table.table.clone();
    if table.base().kind != IndexKind::Heap {
        return Vec::new();
    }
    let index = table.indexes.iter().find(|i| i.unique && i.filter.is_none());
    let Some(index) = index else { return Vec::new() };
    let mut keys = Vec::new();
    for k in index.key.columns() {
        let there = g.columns.iter().find(|c| c.0 == k.column).map(|c| c.1);
        keys.push(there.unwrap_or_else(|| {
            let c = &table.columns[k.column];
            let (nullable, collation) = (c.nullable, c.collation);
            let of = slot(Column { nullable, collation, ..Column::computed(c.declared()) });
            g.columns.push((k.column, of));
            g.columns.sort_unstable();
            of
        }));
    }
    keys
}

/// Rows of the table are locked in U where they are read, unless a hint asks for no locks or for others.
fn lock_in_u(g: &mut Get) {
    let locks = &mut g.hints.locks;
    if locks.mode == RowMode::Shared && locks.level != LevelHint::ReadUncommitted {
        (locks.mode, locks.kept) = (RowMode::Update, true);
    }
}

/// The relation of a positioned change: its target is the row that the cursor's mark leads to.
pub(super) fn at_mark(rel: &mut Rel, target: Slot) {
    match rel {
        Rel::Get(g) if g.locator == Some(target) => g.mark = Some(0),
        Rel::Select(r) => at_mark(&mut r.input, target),
        Rel::Compute(r) => at_mark(&mut r.input, target),
        Rel::Project(r) => at_mark(&mut r.input, target),
        Rel::Join(r) => {
            at_mark(&mut r.left, target);
            at_mark(&mut r.right, target);
        }
        _ => {}
    }
}

//! Changes of a view that an INSTEAD OF trigger replaces: the view stands for a table of its columns, and nothing of what is beneath it
//! is changed. An UPDATE or DELETE is a query of the rows as they are and as they would be; an INSERT is one into that table.
//!
//! In the body of the trigger itself the same change is one of the tables beneath the view, as if there was no trigger.

use super::dml::{NamedTarget, Target};
use super::triggers::{fired, written};
use super::{Binder, Bound, Resolved, eq, unsupported};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{Module, Table, TriggerEvent};
use taffrail_plan::change::Assignment;
use taffrail_plan::expr::{Expr, Slot};
use taffrail_plan::facts::Action;
use taffrail_plan::locking::TableLock;
use taffrail_plan::node::QueryPlan;
use taffrail_plan::rel::Rel;
use taffrail_plan::statement::{ReplacedChange, SelectPlan};
use taffrail_plan::triggers::Triggers;
use taffrail_syntax::ast::{self, TableRef};

/// The parts of an UPDATE or DELETE.
struct Change<'a> {
    event: TriggerEvent,
    with: &'a Option<ast::With>,
    options: &'a [ast::QueryHint],
    top: &'a Option<ast::Top>,
    target: &'a TableRef,
    from: &'a [TableRef],
    set: &'a [ast::SetClause],
    output: &'a [ast::Output],
    filter: &'a Option<ast::DmlFilter>,
}

/// A view whose change a trigger replaces.
struct ReplacedView {
    database: Arc<Database>,
    view: Arc<Module>,
    /// The view as a table.
    table: Arc<Table>,
}

/// The source of FROM that a target means, and whether it is joined with others there.
fn meant<'a>(
    target: &ast::ObjectName,
    from: &'a [TableRef],
) -> Option<(&'a ast::ObjectName, bool)> {
    from.iter().find_map(|source| match source {
        TableRef::Named(n) => {
            let called = match &n.alias {
                Some(alias) => target.as_bare().is_some_and(|t| eq(&t.value, &alias.value)),
                None => eq(&target.name.value, &n.name.name.value),
            };
            called.then_some((&n.name, from.len() > 1))
        }
        TableRef::Join(j) => {
            let sides = [&j.left, &j.right];
            let found = sides.iter().find_map(|s| meant(target, std::slice::from_ref(*s)));
            found.map(|(name, _)| (name, true))
        }
        _ => None,
    })
}

impl<'a> Binder<'a> {
    /// A view as the table into which an INSERT puts rows that a trigger takes; none where no trigger does.
    pub(super) fn replaced_insert(&mut self, named: &NamedTarget<'a>) -> Option<Target> {
        let NamedTarget::View(database, view, _) = named else { return None };
        let table = self.replaced_table(database, view, TriggerEvent::Insert)?;
        let table_lock = TableLock::Intent;
        Some(Target { database: database.clone(), table, table_lock })
    }

    /// The view as a table, where an enabled INSTEAD OF trigger is for the event and is not the one whose body is bound.
    fn replaced_table(
        &self,
        database: &Arc<Database>,
        view: &Module,
        event: TriggerEvent,
    ) -> Option<Arc<Table>> {
        let table = Arc::new(Table::of_view(database, view));
        let own = self.meta.trigger().map(|body| body.id);
        let replaces = |m: &Arc<Module>| {
            m.trigger.is_some_and(|t| t.instead_of && t.is_for(event)) && own != Some(m.head.id)
        };
        self.meta.triggers(database, &table).iter().any(replaces).then_some(table)
    }

    /// A MERGE into a view has no trigger to replace any of its actions: 40510.
    pub(super) fn merge_is_replaced_by_nothing(&mut self, m: &'a ast::Merge) -> SqlResult<()> {
        let TableRef::Named(n) = &m.target else { return Ok(()) };
        if n.name.as_bare().is_some_and(|name| self.expression(name).is_some()) {
            return Ok(());
        }
        let Ok(Resolved::UserView(database, view)) = self.meta.table(&n.name) else {
            return Ok(());
        };
        let replaced = |event| self.replaced_table(&database, &view, event).is_some();
        match TriggerEvent::ALL.into_iter().any(replaced) {
            true => Err(unsupported("MERGE into a view with INSTEAD OF triggers")),
            false => Ok(()),
        }
    }

    /// An UPDATE of a view that a trigger replaces: its rows. None for any other UPDATE.
    pub fn bind_update_of_view(
        &mut self,
        u: &'a ast::Update,
    ) -> SqlResult<Option<SelectPlan<Rel>>> {
        let ast::Update { with, top, target, set, output, from, filter, options } = u;
        let event = TriggerEvent::Update;
        self.replaced(Change { event, with, options, top, target, from, set, output, filter })
    }

    /// A DELETE from a view that a trigger replaces: its rows. None for any other DELETE.
    pub fn bind_delete_of_view(
        &mut self,
        d: &'a ast::Delete,
    ) -> SqlResult<Option<SelectPlan<Rel>>> {
        let ast::Delete { with, top, target, output, from, filter, options } = d;
        let (event, set) = (TriggerEvent::Delete, &[][..]);
        self.replaced(Change { event, with, options, top, target, from, set, output, filter })
    }

    fn replaced(&mut self, c: Change<'a>) -> SqlResult<Option<SelectPlan<Rel>>> {
        let Some(view) = self.replaced_view(&c)? else { return Ok(None) };
        if !c.output.is_empty() {
            if c.output.iter().any(|o| o.into.is_none()) {
                return Err(SqlError::new(334, &[&written(c.target)]));
            }
            return Err(unsupported("OUTPUT INTO of a change of a view that a trigger replaces"));
        }
        self.with(c.with)?;
        self.query_hints(c.options)?;
        self.drawing.limited = c.top.is_some();
        self.look_through(None, None);
        self.push_block();
        let bound = self.replaced_in_block(&c, view);
        self.blocks.pop();
        bound.map(Some)
    }

    /// The view that is the target, if a trigger replaces its change: 414, 415, 4422, 4423 where it stands in FROM.
    fn replaced_view(&mut self, c: &Change<'a>) -> SqlResult<Option<ReplacedView>> {
        let TableRef::Named(n) = c.target else { return Ok(None) };
        let (name, joined) = match meant(&n.name, c.from) {
            Some((name, joined)) => (name, Some(joined)),
            None => (&n.name, None),
        };
        let expressions = c.with.iter().flat_map(|w| &w.tables);
        let bare = name.as_bare();
        if expressions.into_iter().any(|t| bare.is_some_and(|b| eq(&b.value, &t.name.value))) {
            return Ok(None);
        }
        // The statement is bound as one of a table next: that tells of a wrong name.
        let Ok(Resolved::UserView(database, view)) = self.meta.table(name) else { return Ok(None) };
        let Some(table) = self.replaced_table(&database, &view, c.event) else { return Ok(None) };
        let update = c.event == TriggerEvent::Update;
        let number = match (joined, update) {
            (Some(true), true) => 414,
            (Some(true), false) => 415,
            (Some(false), true) => 4422,
            (Some(false), false) => 4423,
            (None, _) if !c.from.is_empty() => {
                if update {
                    414
                } else {
                    415
                }
            }
            (None, _) => return Ok(Some(ReplacedView { database, view, table })),
        };
        Err(SqlError::new(number, &[&view.head.name]))
    }

    fn replaced_in_block(
        &mut self,
        c: &Change<'a>,
        of: ReplacedView,
    ) -> SqlResult<SelectPlan<Rel>> {
        let ReplacedView { database, view, table } = of;
        let TableRef::Named(n) = c.target else { return Err(unsupported("This target")) };
        self.names(&n.name);
        let hints = super::hints::hints(self.table_hints(n)?, true)?;
        let called = (&*n.name.name.value, Some(view.head.schema.clone()), false);
        let tree = self.user_view(database.clone(), &view, called, hints, None)?;
        let at = self.block().sources.len() - 1;
        let id = self.block().sources[at].id;
        let (mut set, mut variables): (Vec<Assignment>, _) = (Vec::new(), Vec::new());
        for clause in c.set {
            self.set_clause(&database, &table, id, clause, &mut set, &mut variables)?;
        }
        if !variables.is_empty() || set.iter().any(|a| a.write.is_some()) {
            let what = "SET of a variable or of a part in an UPDATE that a trigger replaces";
            return Err(unsupported(what));
        }
        let conjuncts = self.filter(c.filter)?;
        let changed: Vec<usize> = set.iter().map(|a| a.column).collect();
        let update = c.event == TriggerEvent::Update;
        let action = if update { Action::Update } else { Action::Delete };
        self.needs_change((&database, &table), action, &changed, None);
        let depth = self.blocks.len() - 1;
        let (mut old, mut new, mut items) = (Vec::new(), Vec::new(), Vec::new());
        for column in 0..table.columns.len() {
            let bound = self.source_column(depth, at, column);
            let slot = self.slot_of(bound, &table.columns[column].name, &mut items);
            old.push(slot);
            new.push(slot);
        }
        for a in set {
            let name = &table.columns[a.column].name;
            let slot = self.computed_slot(&Bound::new(Expr::NULL, a.from), name);
            items.push((a.expr, slot));
            new[a.column] = slot;
        }
        let node = self.take_from(vec![tree], conjuncts)?;
        let node = self.change_top(node, c.top)?;
        let outputs: Vec<Slot> =
            old.into_iter().chain(new.into_iter().filter(|_| update)).collect();
        let node = Rel::compute(node, items);
        // Twice, for an UPDATE. A column of an outer join's inner side may be NULL, whatever its table says.
        let names = table.columns.iter().cycle().map(|column| &*column.name);
        let columns = self.described(&node, &outputs, names);
        let plan = QueryPlan { node, outputs, columns };
        let events = [(c.event, update.then_some(changed))];
        let triggers = fired(self.meta, &database, &table, &events);
        let triggers: Arc<Triggers> = triggers.ok_or_else(|| SqlError::new(570, &[]))?;
        let replaces = Some(ReplacedChange { triggers, event: c.event });
        let (assign, order) = (Vec::new(), Vec::new());
        Ok(SelectPlan {
            plan,
            assign,
            order,
            identity: None,
            inherited: None,
            replaces,
            json: None,
            updatable: Vec::new(),
        })
    }

    /// The slot of a column; one that is computed gets a slot of its own among `items`.
    fn slot_of(&mut self, bound: Bound, name: &str, items: &mut Vec<(Expr, Slot)>) -> Slot {
        match bound.expr {
            Expr::Slot(slot) => slot,
            _ => {
                let slot = self.computed_slot(&bound, name);
                items.push((bound.expr, slot));
                slot
            }
        }
    }
}

//! The facts of a statement, noted where its names are bound ([`taffrail_plan::facts`]).

use super::Binder;
use std::sync::Arc;
use taffrail_base::ObjectId;
use taffrail_catalog::database::Database;
use taffrail_catalog::{Module, ObjectHead, Table, is_temp};
use taffrail_plan::facts::{Action, Securable};
use taffrail_plan::system_view::SystemView;
use taffrail_syntax::ast;

/// A table as an object that a permission is held on; none for temporary tables and table variables.
pub(super) fn of_table(database: &Database, table: &Table) -> Option<Securable> {
    if is_temp(table.name()) || database.holds_table_variables() {
        return None;
    }
    let (schema, name) = (table.head.schema.clone(), table.head.name.clone());
    Some(Securable { database: database.id, object: table.id(), schema, name })
}

/// A view of the user's as an object that a permission is held on.
pub(super) fn of_view(database: &Database, view: &Module) -> Securable {
    let (schema, name) = (view.head.schema.clone(), view.head.name.clone());
    Securable { database: database.id, object: view.head.id, schema, name }
}

/// An object of a database as one that a permission is held on.
pub(super) fn of_head(database: &Database, head: &ObjectHead) -> Securable {
    let (schema, name) = (head.schema.clone(), head.name.clone());
    Securable { database: database.id, object: head.id, schema, name }
}

/// A system view as an object that a permission is held on.
pub(super) fn of_system_view(database: &Database, view: &SystemView) -> Securable {
    let (schema, name) = (view.schema.into(), view.name.into());
    Securable { database: database.id, object: ObjectId(view.id), schema, name }
}

/// A query that a change goes through: its source in the block, and for each of its columns the table's that it shows.
pub(super) type ByQuery<'t> = Option<(u32, &'t [Option<usize>])>;

impl Binder<'_> {
    /// The view in whose text the binder stands.
    pub(super) fn within(&self) -> Option<Securable> {
        self.views.last().and_then(|v| v.object.clone())
    }

    /// The statement holds a name of a table or view. Names in the texts of views are not its own.
    pub(super) fn names(&mut self, name: &ast::ObjectName) {
        if self.notes_names && self.within().is_none() {
            self.facts.names.push(name.clone());
        }
    }

    /// The statement needs an object; the need's number.
    pub(super) fn needs(&mut self, object: Securable, action: Action) -> usize {
        let through = self.within();
        self.facts.need(object, action, through)
    }

    /// The statement reads a column of an object.
    pub(super) fn needs_column(&mut self, object: Securable, position: usize, name: &Arc<str>) {
        let need = self.needs(object, Action::Select);
        self.facts.add_column(need, position, name);
    }

    /// The statement changes these columns of a table.
    pub(super) fn needs_change(
        &mut self,
        (database, table): (&Database, &Table),
        action: Action,
        columns: &[usize],
        through: ByQuery<'_>,
    ) {
        let Some(object) = of_table(database, table) else { return };
        let sources = self.blocks.last().map_or(&[][..], |b| &b.sources[..]);
        let query = through.and_then(|(id, shown)| {
            let source = sources.iter().find(|s| s.id == id)?;
            let place = |c: &usize| shown.iter().position(|s| *s == Some(*c));
            let names = columns.iter().filter_map(place);
            let names: Vec<_> = names.map(|at| (at, source.columns[at].name.clone())).collect();
            Some((source.object.clone()?, names))
        });
        let mut within = self.within();
        if let Some((view, names)) = query {
            let need = self.facts.need(view.clone(), action, within);
            names.iter().for_each(|(at, name)| self.facts.add_column(need, *at, name));
            within = Some(view);
        }
        let need = self.facts.need(object, action, within);
        for c in columns {
            if let Some(column) = table.columns.get(*c) {
                self.facts.add_column(need, *c, &column.name);
            }
        }
    }
}

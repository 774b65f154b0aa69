//! Triggers: those that a change fires, and in the body of one the tables `inserted` and `deleted`, and `UPDATE(column)`.

use super::dml::Target;
use super::{Binder, Bound, Metadata, Source, SourceColumn, SourceKind};
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{Module, Table, TriggerEvent, TriggerOrder};
use taffrail_functions as functions;
use taffrail_plan::expr::{Call, CompareOp, Expr, Pred};
use taffrail_plan::rel::RowsetSource;
use taffrail_plan::triggers::{ChangedRows, EventTriggers, Triggers};
use taffrail_syntax::ast;
use taffrail_types::convert::Large;
use taffrail_types::{SqlType, Value};

/// The function that tells whether the statement that has fired a trigger names a column, by its `column_id`. No text can name it.
const UPDATED: &str = "UPDATE()";

/// The trigger in whose body names are looked up.
pub struct TriggerBody {
    /// The number of the trigger; 0 while it is made.
    pub id: ObjectId,
    /// The database of the trigger.
    pub database: Arc<Database>,
    /// The table or view of the trigger.
    pub table: Arc<Table>,
    /// The trigger is an INSTEAD OF one.
    pub instead_of: bool,
}

impl TriggerBody {
    /// The rows that a name in FROM stands for: `inserted` or `deleted`.
    pub fn rows(&self, name: &ast::ObjectName) -> Option<ChangedRows> {
        let bare = name.as_bare()?;
        let inserted = bare.is("inserted");
        let (table, instead_of) = (self.table.clone(), self.instead_of);
        (inserted || bare.is("deleted")).then_some(ChangedRows { table, inserted, instead_of })
    }
}

/// The events of a statement, each with the positions of the columns that it sets; `None`: all of them.
pub(super) type Events<'e> = &'e [(TriggerEvent, Option<Vec<usize>>)];

/// The triggers that a change of a table with these events fires.
pub(super) fn fired(
    meta: &dyn Metadata,
    database: &Arc<Database>,
    table: &Arc<Table>,
    events: Events<'_>,
) -> Option<Arc<Triggers>> {
    let enabled = meta.triggers(database, table);
    if enabled.is_empty() {
        return None;
    }
    let of_event = |(event, set): &(TriggerEvent, Option<Vec<usize>>)| {
        let facts = |m: &Arc<Module>| m.trigger.filter(|t| t.is_for(*event));
        let all = || enabled.iter().filter_map(|m| Some((facts(m)?, m)));
        let mut after: Vec<_> = all().filter(|(t, _)| !t.instead_of).collect();
        after.sort_by_key(|(t, _)| match t.order[*event as usize] {
            TriggerOrder::First => 0,
            TriggerOrder::None => 1,
            TriggerOrder::Last => 2,
        });
        let instead_of = all().find(|(t, _)| t.instead_of).map(|(_, m)| m.clone());
        if after.is_empty() && instead_of.is_none() {
            return None;
        }
        let columns = match (event, set) {
            (TriggerEvent::Delete, _) => Vec::new(),
            (_, Some(set)) => set.iter().filter_map(|c| Some(table.columns.get(*c)?.id)).collect(),
            (_, None) => table.columns.iter().map(|c| c.id).collect(),
        };
        let after = after.into_iter().map(|(_, m)| m.clone()).collect();
        Some(EventTriggers { event: *event, after, instead_of, columns })
    };
    let events: Vec<EventTriggers> = events.iter().filter_map(of_event).collect();
    let (database, table) = (database.clone(), table.clone());
    (!events.is_empty()).then(|| Arc::new(Triggers { database, table, events }))
}

/// The name of a target as the statement writes it.
pub(super) fn written(target: &ast::TableRef) -> String {
    match target {
        ast::TableRef::Named(n) => n.name.to_string(),
        ast::TableRef::Variable(v) => v.name.value.to_string(),
        _ => String::new(),
    }
}

impl<'a> Binder<'a> {
    /// The triggers that a statement fires: 334 where it has OUTPUT without INTO.
    pub(super) fn triggers_of(
        &self,
        target: (&Arc<Database>, &Arc<Table>),
        named: &ast::TableRef,
        output: &[ast::Output],
        events: Events<'_>,
    ) -> SqlResult<Option<Arc<Triggers>>> {
        let triggers = fired(self.meta, target.0, target.1, events);
        if triggers.is_some() && output.iter().any(|o| o.into.is_none()) {
            return Err(SqlError::new(334, &[&written(named)]));
        }
        Ok(triggers)
    }

    /// The triggers of a MERGE: 5316 where some of its actions have an INSTEAD OF trigger, and others not.
    pub(super) fn triggers_of_merge(
        &self,
        target: (&Arc<Database>, &Arc<Table>),
        m: &ast::Merge,
        set: Vec<usize>,
    ) -> SqlResult<Option<Arc<Triggers>>> {
        let event = |c: &ast::MergeClause| match c.action {
            ast::MergeAction::Update(_) => TriggerEvent::Update,
            ast::MergeAction::Delete => TriggerEvent::Delete,
            _ => TriggerEvent::Insert,
        };
        let named = |e: &TriggerEvent| m.clauses.iter().any(|c| event(c) == *e);
        let of = |e: TriggerEvent| (e, (e == TriggerEvent::Update).then(|| set.clone()));
        let events: Vec<_> = TriggerEvent::ALL.into_iter().filter(named).map(of).collect();
        let triggers = self.triggers_of(target, &m.target, &m.output, &events)?;
        let replaced = triggers.iter().flat_map(|t| &t.events).filter(|e| e.instead_of.is_some());
        let replaced = replaced.count();
        if replaced != 0 && replaced != events.len() {
            return Err(SqlError::new(5316, &[&written(&m.target)]));
        }
        Ok(triggers)
    }

    /// The target of OUTPUT INTO has no enabled trigger: 331.
    pub(super) fn output_fires_nothing(
        &self,
        target: &Target,
        named: &dyn std::fmt::Display,
    ) -> SqlResult<()> {
        match self.meta.triggers(&target.database, &target.table).is_empty() {
            true => Ok(()),
            false => Err(SqlError::new(331, &[named])),
        }
    }

    /// The table `inserted` or `deleted` as a source.
    pub(super) fn changed_source(
        &mut self,
        database: Arc<Database>,
        rows: ChangedRows,
        alias: &str,
    ) -> Source {
        let column = |c: &taffrail_catalog::Column| SourceColumn {
            name: c.name.clone(),
            ty: c.ty,
            nullable: c.nullable || rows.instead_of,
            collation: c.collation,
            origin: None,
            large: c.large(),
            user_type: c.user_type,
            hidden: c.is_hidden,
            slot: None,
        };
        Source {
            id: self.source_id(),
            alias: alias.into(),
            schema: None,
            qualified: false,
            columns: rows.table.columns.iter().map(column).collect(),
            object: None,
            kind: SourceKind::Rowset {
                database,
                source: RowsetSource::Changed(rows),
                args: Vec::new(),
                dirty: false,
            },
            locator: None,
            left_out: false,
        }
    }

    /// An AFTER trigger cannot read text, ntext and image of `inserted` and `deleted`: 311.
    pub(super) fn readable(&self, depth: usize, source: usize, column: usize) -> SqlResult<()> {
        let source = &self.blocks[depth].sources[source];
        match &source.kind {
            SourceKind::Rowset { source: RowsetSource::Changed(rows), .. }
                if !rows.instead_of && source.columns[column].large == Large::Old =>
            {
                Err(SqlError::new(311, &[]))
            }
            _ => Ok(()),
        }
    }

    /// `UPDATE(column)`: 140 outside of a trigger, 207.
    pub(super) fn updated_column(&mut self, column: &ast::Ident) -> SqlResult<Pred> {
        let Some(body) = self.meta.trigger() else {
            return Err(self.at(SqlError::new(140, &[]), column.span));
        };
        let at = body.table.column(&column.value);
        let missing = || self.at(SqlError::new(207, &[&column.value]), column.span);
        let id = body.table.columns[at.ok_or_else(missing)?].id;
        let function = functions::bind(UPDATED, None, &[SqlType::Int])?;
        let args = vec![Expr::Const(Value::Int(id))];
        let ty = function.result;
        let call = Expr::Call(Box::new(Call { function, args }));
        let one = Bound::not_null(Expr::Const(Value::Int(1)), SqlType::Int);
        self.compare(CompareOp::Eq, Bound::not_null(call, ty), one)
    }
}

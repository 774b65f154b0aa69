//! Triggers: a statement notes the rows that it changes, and fires the triggers of its target when all of them are changed.
//!
//! ```text
//! modify          rows of each event, old and new ──▶ Firing, in session.running.due; those of tables that CASCADE has reached come first
//! fire_due        behind constraints, cascades and OUTPUT INTO, within the statement's transaction: one activation for each trigger
//! the body        reads them as `inserted` and `deleted` (exec::ops::changed)
//! ```
//!
//! 1. The body runs in the statement's transaction. In autocommit that is a transaction while triggers run: `@@TRANCOUNT` is 1.
//! 2. Statements of the body begin and end as those of a batch do, so what follows a ROLLBACK in a body stands by itself.
//! 3. An error that the body does not catch ends it and the statement ([`Origin::Trigger`]): the batch ends, all is rolled back, or doomed
//!    where a TRY around the statement catches it. RAISERROR alone leaves body and statement as they are.
//! 4. A body that has ended the transaction ends the batch (3609), and so does one that has caught an error which doomed it (3616).

use super::activation::{Activation, Locals, Way};
use super::called::{Called, Returned};
use super::interpret::{Interpreter, Unwind};
use super::module::Module;
use super::rows::{KeptRows, RowStore};
use super::runtime::Rt;
use crate::catalog::registry::{FLAG_RECURSIVE_TRIGGERS, NESTED_TRIGGERS};
use crate::catalog::{self, Table, TriggerEvent};
use crate::database::Database;
use crate::plan::triggers::{EventTriggers, Triggers};
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::message::{cancelled, client_gone};
use taffrail_base::{DatabaseId, ObjectId, Origin, SqlError, SqlResult};
use taffrail_types::Value;

/// A trigger that runs.
pub(crate) struct Fired {
    /// The database of the trigger.
    pub database: DatabaseId,
    /// The trigger's number.
    pub trigger: ObjectId,
    /// The table or view of the trigger.
    pub table: Arc<Table>,
    /// It is an INSTEAD OF trigger.
    pub instead_of: bool,
    /// The columns that the statement names: COLUMNS_UPDATED().
    pub columns: Vec<u8>,
    /// The rows that the statement has changed.
    pub rows: Arc<FiredRows>,
}

impl Fired {
    /// Whether it is a trigger of this number.
    fn is(&self, database: DatabaseId, trigger: ObjectId) -> bool {
        (self.database, self.trigger) == (database, trigger)
    }
}

/// The rows of `inserted` and `deleted`, each of all columns of the table.
pub(crate) struct FiredRows {
    /// Rows as they are now, in the parts in which they have come.
    pub inserted: Vec<KeptRows>,
    /// Rows as they were, likewise.
    pub deleted: Vec<KeptRows>,
}

/// Triggers that are due, and the rows for them.
pub(crate) struct Firing {
    triggers: Arc<Triggers>,
    event: TriggerEvent,
    instead_of: bool,
    rows: FiredRows,
}

/// What a change notes of its rows, for the triggers of each event.
pub(crate) struct Noted {
    triggers: Arc<Triggers>,
    /// An INSTEAD OF trigger takes the place of the change.
    pub replaces: bool,
    /// The rows of each event: as they are now, and as they were.
    events: Vec<(TriggerEvent, RowStore, RowStore)>,
}

impl Noted {
    /// Nothing is noted yet. An INSTEAD OF trigger that itself makes the change replaces nothing.
    pub fn new(session: &Session, triggers: &Arc<Triggers>) -> Noted {
        let running = session.activation.fired();
        let is_running = |m: &Arc<catalog::Module>| {
            running.is_some_and(|f| f.is(triggers.database.id, m.head.id))
        };
        let replacing = |e: &EventTriggers| e.instead_of.as_ref().is_some_and(|m| !is_running(m));
        let width = triggers.table.columns.len();
        let rows = || RowStore::in_order(width);
        Noted {
            triggers: triggers.clone(),
            replaces: triggers.events.iter().any(replacing),
            events: triggers.events.iter().map(|e| (e.event, rows(), rows())).collect(),
        }
    }

    /// A row that has come, has gone, or was another before.
    pub fn row(
        &mut self,
        rt: &mut Rt<'_>,
        old: Option<&[Value]>,
        new: Option<&[Value]>,
    ) -> SqlResult<()> {
        let event = match (old, new) {
            (None, _) => TriggerEvent::Insert,
            (Some(_), Some(_)) => TriggerEvent::Update,
            (Some(_), None) => TriggerEvent::Delete,
        };
        let noted = self.events.iter_mut().find(|(e, ..)| *e == event);
        let Some((_, inserted, deleted)) = noted else { return Ok(()) };
        new.into_iter().try_for_each(|row| inserted.add(rt, row))?;
        old.into_iter().try_for_each(|row| deleted.add(rt, row))
    }

    /// The triggers are due. `only_changed`: not where there are no rows.
    pub(crate) fn into_due(self, due: &mut Vec<Firing>, only_changed: bool) -> SqlResult<()> {
        let Noted { triggers, replaces, events } = self;
        for (event, inserted, deleted) in events {
            if only_changed && inserted.len() == 0 && deleted.len() == 0 {
                continue;
            }
            let (inserted, deleted) = (vec![inserted.finish()?], vec![deleted.finish()?]);
            let rows = FiredRows { inserted, deleted };
            // Rows that come in several parts (INSERT … EXEC) are those of one statement.
            match due.last_mut() {
                Some(before)
                    if Arc::ptr_eq(&before.triggers, &triggers) && before.event == event =>
                {
                    before.rows.inserted.extend(rows.inserted);
                    before.rows.deleted.extend(rows.deleted);
                }
                _ => {
                    let triggers = triggers.clone();
                    due.push(Firing { triggers, event, instead_of: replaces, rows });
                }
            }
        }
        Ok(())
    }
}

/// The bits of COLUMNS_UPDATED(): column n is bit (n - 1) modulo 8 of byte (n - 1) / 8.
fn bits_of(event: &EventTriggers, table: &Table) -> Vec<u8> {
    if event.event == TriggerEvent::Delete {
        return Vec::new();
    }
    let mut bits = vec![0; (table.max_column_id as usize).div_ceil(8)];
    for id in &event.columns {
        let n = *id as usize - 1;
        bits[n / 8] |= 1 << (n % 8);
    }
    bits
}

impl Interpreter<'_> {
    /// Fires what is due of a statement that has changed so many rows.
    pub(in crate::exec) fn fire_due(&mut self, rows: u64) -> SqlResult<()> {
        if self.session.running.due.is_empty() {
            return Ok(());
        }
        let due = std::mem::take(&mut self.session.running.due);
        self.session.activation.last.row_count = rows as i64;
        self.while_triggers_run(|it| due.into_iter().try_for_each(|f| it.fire(f)))
    }

    /// Runs `f`, which fires triggers of a statement, in the transaction that these have.
    pub(super) fn while_triggers_run(
        &mut self,
        f: impl FnOnce(&mut Self) -> SqlResult<()>,
    ) -> SqlResult<()> {
        crate::memory::check()?;
        let own = self.session.open_for_triggers();
        let inside = std::mem::replace(&mut self.session.running.in_statement, false);
        // What the statement has put into table variables (OUTPUT INTO) stays its own, whatever fails or is rolled back in a body.
        let held = self.session.part_of_table_variables();
        let fired = f(self);
        self.session.transaction.parts.extend(held);
        self.session.running.in_statement = inside;
        let closed = match own {
            true => self.session.close_for_triggers(fired.is_ok(), self.sink),
            false => Ok(()),
        };
        fired.and(closed)
    }

    fn fire(&mut self, f: Firing) -> SqlResult<()> {
        let Firing { triggers, event, instead_of, rows } = f;
        let Some(of_event) = triggers.of(event) else { return Ok(()) };
        let rows = Arc::new(rows);
        let columns = bits_of(of_event, &triggers.table);
        let list: Vec<&Arc<catalog::Module>> = match instead_of {
            true => of_event.instead_of.iter().collect(),
            false => of_event.after.iter().collect(),
        };
        for trigger in list {
            if !instead_of && !self.session.may_fire(&triggers.database, trigger) {
                continue;
            }
            let fired = Fired {
                database: triggers.database.id,
                trigger: trigger.head.id,
                table: triggers.table.clone(),
                instead_of,
                columns: columns.clone(),
                rows: rows.clone(),
            };
            let way = Way { trigger: Some(Arc::new(fired)), ..Way::default() };
            self.fire_one(&triggers.database, trigger, way)?;
            if self.session.transaction.count == 0 {
                return Err(SqlError::new(3609, &[]));
            }
            if self.session.transaction.doomed {
                return Err(SqlError::new(3616, &[]));
            }
        }
        Ok(())
    }

    /// Fires a trigger of a database; `way` says for what.
    pub(super) fn fire_one(
        &mut self,
        database: &Arc<Database>,
        trigger: &catalog::Module,
        way: Way,
    ) -> SqlResult<()> {
        let way = Way {
            place: Some(database.clone()),
            taking: self.session.activation.taking,
            expression: true,
            ..way
        };
        let called = self.within(way, |it| match it.session.procedure_module(database, trigger) {
            Ok(module) => it.run_trigger(module),
            Err(e) => Ok(Err(e.into())),
        });
        let ended = |e: Box<SqlError>| match Unwind::of(&e) {
            Some(_) => e,
            // What has ended a trigger that this one has fired ends the batch by itself.
            None if matches!(e.number, 3609 | 3616) => e,
            None => e.with_origin(Origin::Trigger),
        };
        match called {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(failed)) => Err(ended(failed.error)),
            Err(Unwind::Error(e) | Unwind::Caller(e)) => Err(ended(e)),
            Err(Unwind::Cancelled) => Err(cancelled()),
            // The connection ends: the client has heard why, or has gone.
            Err(Unwind::Module | Unwind::Batch | Unwind::Insert | Unwind::Gone) => {
                Err(client_gone())
            }
        }
    }

    /// Runs the body of a trigger in the activation that was entered for it.
    fn run_trigger(&mut self, module: Arc<Module>) -> Result<Called, Unwind> {
        let activation = &mut self.session.activation;
        activation.locals = Locals::counting(module.clone());
        activation.options.quoted_identifier = module.quoted_identifier.unwrap_or(true);
        activation.options.ansi_nulls = module.ansi_nulls.unwrap_or(true);
        activation.options.xact_abort = true;
        let errors = self.check();
        if !errors.is_empty() {
            let name = module.name.as_deref().unwrap_or_default();
            let in_trigger = |e: SqlError| *Box::new(e).in_procedure(name);
            return self.several(errors.into_iter().map(in_trigger).collect());
        }
        self.session.begins(Some(&module));
        if let Err(e) = self.session.runs_module_as(&module) {
            return Ok(Err(e.into()));
        }
        let observer = self.session.instance.observer();
        let told = observer.wants_modules().then(|| observer.module_begins(&module));
        let step = self.list(&module, &module.statements);
        if let Some(began) = told {
            observer.module_ended(self.session, &module, began);
        }
        match step {
            Ok(_) => Ok(Ok(Returned::default())),
            Err(Unwind::Caller(e)) => Err(Unwind::Error(e)),
            Err(other) => Err(other),
        }
    }
}

impl Session {
    /// Whether an AFTER trigger is fired here: RECURSIVE_TRIGGERS of its database, and the option `nested triggers`.
    fn may_fire(&self, database: &Database, trigger: &catalog::Module) -> bool {
        let mut running = self.activation.stack().filter_map(|a| a.fired.as_ref());
        if self.triggers_running(None, Some(false), None) > 0
            && self.instance.databases().running_configurations().contains(&(NESTED_TRIGGERS, 0))
        {
            return false;
        }
        let is_itself = running.next().is_some_and(|f| f.is(database.id, trigger.head.id));
        !is_itself || database.storage.engine_flags() & FLAG_RECURSIVE_TRIGGERS != 0
    }

    /// COLUMNS_UPDATED() of the trigger that runs: not of one that has called what runs.
    pub(super) fn columns_updated_now(&self) -> Option<Vec<u8>> {
        self.activation.fired.as_ref().map(|f| f.columns.clone())
    }

    /// TRIGGER_NESTLEVEL().
    pub(super) fn triggers_running(
        &self,
        object: Option<i64>,
        instead_of: Option<bool>,
        ddl: Option<bool>,
    ) -> i32 {
        // A trigger of DDL counts as one that is no INSTEAD OF trigger.
        let facts = |a: &Activation| match (&a.fired, &a.event) {
            (Some(f), _) => Some((f.trigger, f.instead_of, false)),
            (_, Some(e)) => Some((e.trigger, false, true)),
            _ => None,
        };
        let counts = |(trigger, is_instead, is_ddl): &(ObjectId, bool, bool)| {
            object.is_none_or(|id| i64::from(trigger.0) == id)
                && instead_of.is_none_or(|is| *is_instead == is)
                && ddl.is_none_or(|is| *is_ddl == is)
        };
        self.activation.stack().filter_map(facts).filter(counts).count() as i32
    }
}

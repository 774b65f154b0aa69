//! The triggers that a statement fires, and the rows that the body of a trigger sees.

use std::sync::Arc;
use taffrail_catalog::database::Database;
use taffrail_catalog::{Module, Table, TriggerEvent};

/// The enabled triggers of a statement's target, by the events that the statement names.
#[derive(Clone, Debug)]
pub struct Triggers {
    /// The database of the target.
    pub database: Arc<Database>,
    /// The target, whose columns the rows of `inserted` and `deleted` have.
    pub table: Arc<Table>,
    /// One entry for each event that some trigger is for.
    pub events: Vec<EventTriggers>,
}

impl Triggers {
    /// The triggers of one event; none where nothing is fired.
    pub fn of(&self, event: TriggerEvent) -> Option<&EventTriggers> {
        self.events.iter().find(|e| e.event == event)
    }
}

/// The triggers of one event.
#[derive(Clone, Debug)]
pub struct EventTriggers {
    /// The event that fires them.
    pub event: TriggerEvent,
    /// AFTER triggers in the order in which they are fired.
    pub after: Vec<Arc<Module>>,
    /// The trigger that takes the place of the action.
    pub instead_of: Option<Arc<Module>>,
    /// `column_id` of each column that SET names; of an INSERT all columns, of a DELETE none.
    pub columns: Vec<i32>,
}

/// The table `inserted` or `deleted` in the body of a trigger.
#[derive(Clone, Debug)]
pub struct ChangedRows {
    /// The table or view of the trigger, whose columns the rows have.
    pub table: Arc<Table>,
    /// `inserted` rather than `deleted`.
    pub inserted: bool,
    /// The trigger is an INSTEAD OF one.
    pub instead_of: bool,
}

impl ChangedRows {
    /// The name of the table.
    pub fn name(&self) -> &'static str {
        if self.inserted { "inserted" } else { "deleted" }
    }
}

//! Modules: procedures, views, functions and triggers, each of which its text defines.

use super::ddl_event::EventNumber;
use super::object::{Column, ObjectHead, Table, shown_temp};
use std::sync::Arc;
use taffrail_types::SqlType;
use taffrail_types::convert::{Declared, Large};

/// A parameter of a procedure or function, or the result of a scalar function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The parameter's name with its `@`; a result has an empty one.
    pub name: Arc<str>,
    /// The type of the parameter.
    pub ty: SqlType,
    /// Declared as xml, text, ntext or image.
    pub large: Large,
    /// `user_type_id` of the alias or table type that it is declared with; 0 for a system type.
    pub user_type: i32,
    /// READONLY, as every parameter of a table type is, and no other one.
    pub readonly: bool,
    /// Whether the parameter is OUTPUT.
    pub output: bool,
    /// It has a default (the text of the module holds it).
    pub has_default: bool,
    /// The parameter is a cursor, CURSOR VARYING OUTPUT; its type is int then, as catalogue views show it.
    pub cursor: bool,
}

impl Parameter {
    /// The type as conversions treat it.
    pub fn declared(&self) -> Declared {
        Declared::new(self.ty, self.large)
    }
}

/// The facts of a function that its text and the objects beneath it decided when it was made.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct FunctionFacts {
    /// WITH SCHEMABINDING.
    pub schema_bound: bool,
    /// WITH RETURNS NULL ON NULL INPUT.
    pub null_on_null_input: bool,
    /// WITH INLINE = OFF.
    pub inline_off: bool,
    /// Its body may take the place of a call: `is_inlineable`.
    pub inlineable: bool,
    /// Equal arguments give equal results: `IsDeterministic`, if it is schema-bound.
    pub deterministic: bool,
    /// It computes with float or real.
    pub imprecise: bool,
    /// It reads tables or views of users: `UserDataAccess`.
    pub reads_data: bool,
    /// It reads the catalogue: `SystemDataAccess`.
    pub reads_system: bool,
}

/// An action on rows that fires triggers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TriggerEvent {
    /// `INSERT`, number 1 of `sys.trigger_events`.
    Insert,
    /// `UPDATE`, number 2 there.
    Update,
    /// `DELETE`, number 3 there.
    Delete,
}

impl TriggerEvent {
    /// The events by their numbers, of which the first is 1.
    pub const ALL: [TriggerEvent; 3] =
        [TriggerEvent::Insert, TriggerEvent::Update, TriggerEvent::Delete];

    /// The statement's word in capitals.
    pub fn word(self) -> &'static str {
        match self {
            TriggerEvent::Insert => "INSERT",
            TriggerEvent::Update => "UPDATE",
            TriggerEvent::Delete => "DELETE",
        }
    }

    /// The event of a word, in capitals or not.
    pub fn of_word(word: &str) -> Option<TriggerEvent> {
        TriggerEvent::ALL.into_iter().find(|e| e.word().eq_ignore_ascii_case(word))
    }
}

/// A mark of `sp_settriggerorder`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TriggerOrder {
    /// Before all other AFTER triggers of the event.
    First,
    /// Between the first and the last.
    #[default]
    None,
    /// Behind all others.
    Last,
}

/// The facts of a trigger beside its text. Arrays are indexed by [`TriggerEvent`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct TriggerFacts {
    /// The events that fire it.
    pub events: [bool; 3],
    /// `INSTEAD OF` rather than `AFTER`.
    pub instead_of: bool,
    /// DISABLE TRIGGER: the trigger is not fired.
    pub disabled: bool,
    /// NOT FOR REPLICATION was written.
    pub not_for_replication: bool,
    /// The place among the AFTER triggers of each event.
    pub order: [TriggerOrder; 3],
}

impl TriggerFacts {
    /// Whether the event fires the trigger when it is enabled.
    pub fn is_for(&self, event: TriggerEvent) -> bool {
        self.events[event as usize]
    }
}

/// An event that a trigger of a database or of the server fires for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FiringEvent {
    /// The number of the event.
    pub event: EventNumber,
    /// The group that was named, of which the event is one; 0: the event itself was.
    pub group: EventNumber,
    /// The place among the triggers of the event in the same scope.
    pub order: TriggerOrder,
}

/// The facts of a trigger of a database or of the server beside its text.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct DdlTriggerFacts {
    /// The events that fire it, each once, by their numbers.
    pub events: Vec<FiringEvent>,
    /// DISABLE TRIGGER: the trigger is not fired.
    pub disabled: bool,
}

impl DdlTriggerFacts {
    /// The event of a number, where the trigger fires for it.
    pub fn event(&self, number: EventNumber) -> Option<&FiringEvent> {
        self.events.iter().find(|e| e.event == number)
    }
}

/// The options of a module that its text names after WITH.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ModuleOptions {
    /// WITH ENCRYPTION: nobody is shown the text.
    pub encrypted: bool,
    /// WITH RECOMPILE: each call of the procedure compiles it.
    pub recompile: bool,
    /// WITH VIEW_METADATA.
    pub view_metadata: bool,
}

/// A procedure, view, function or trigger.
#[derive(Debug)]
pub struct Module {
    /// The module's name, schema and id.
    pub head: ObjectHead,
    /// The batch that created it.
    pub definition: Arc<str>,
    /// QUOTED_IDENTIFIER when it was created.
    pub quoted_identifier: bool,
    /// ANSI_NULLS when it was created.
    pub ansi_nulls: bool,
    /// `execute_as_principal_id`: none is CALLER, -2 OWNER.
    pub execute_as: Option<i32>,
    /// The parameters of a procedure or function; a view has none.
    pub parameters: Vec<Parameter>,
    /// The result of a scalar function.
    pub result: Option<Parameter>,
    /// Of a view or a table-valued function: its columns as they were when it was made; they have no place in any row.
    pub columns: Vec<Column>,
    /// The facts of a function. Of other modules none holds but that a view is schema-bound.
    pub facts: FunctionFacts,
    /// The options of the module.
    pub options: ModuleOptions,
    /// The facts of a trigger, whose table or view is `head.parent`.
    pub trigger: Option<TriggerFacts>,
    /// The facts of a trigger of a database or of the server.
    pub ddl: Option<DdlTriggerFacts>,
    /// The rows of a view that has indexes, as a table of its columns.
    pub indexed: Option<Arc<Table>>,
    /// Differs between any two snapshots of the same module.
    pub version: u64,
}

impl Module {
    /// The name as the user knows it: that of a temporary procedure without what tells it from those of other sessions.
    pub fn shown_name(&self) -> &str {
        match crate::is_temp(&self.head.name) {
            true => shown_temp(&self.head.name).unwrap_or(&self.head.name),
            false => &self.head.name,
        }
    }

    /// The text for those who ask for it; none of an encrypted module.
    pub fn shown(&self) -> Option<&Arc<str>> {
        (!self.options.encrypted).then_some(&self.definition)
    }
}

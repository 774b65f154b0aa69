//! Triggers of a database and of the server: their names, and their events as bytes.
//!
//! They are modules without a schema. A trigger of a database is an object of that database, one of the server an object of master. Each
//! scope has a space of names of its own, and a number in the place of a parent, whose lock protects the definitions of the scope.
//!
//! An event takes five bytes in `sysmodules`: its number, that of the group that was named (0: none), both little-endian, and the place
//! among the others (0 none, 1 first, 2 last).

use super::ddl_event::{EventNumber, by_number};
use super::module::{FiringEvent, Module, TriggerOrder};
use super::{Catalog, DBO, Object, ObjectKind, Sight};
use crate::rowcodec::damaged;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::lock::Resource;
use taffrail_types::compare::compare;

/// The scopes of triggers that are of no table and no view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TriggerScope {
    /// `ON DATABASE`: what happens in the trigger's database.
    Database,
    /// `ON ALL SERVER`: what happens on the server, and in every database.
    Server,
}

impl TriggerScope {
    /// The kind of object that a trigger of the scope is.
    pub fn kind(self) -> ObjectKind {
        match self {
            TriggerScope::Database => ObjectKind::DatabaseTrigger,
            TriggerScope::Server => ObjectKind::ServerTrigger,
        }
    }

    /// The number that stands for the scope in the place of a parent; objects have positive ones.
    pub fn parent(self) -> ObjectId {
        match self {
            TriggerScope::Database => ObjectId(-1),
            TriggerScope::Server => ObjectId(-2),
        }
    }

    /// The words of the scope in statements.
    pub fn words(self) -> &'static str {
        match self {
            TriggerScope::Database => "DATABASE",
            TriggerScope::Server => "ALL SERVER",
        }
    }
}

/// Bytes of an event.
const EVENT: usize = 5;

/// Events as `sysmodules` has them.
pub(super) fn events_to_bytes(events: &[FiringEvent]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(events.len() * EVENT);
    for e in events {
        bytes.extend_from_slice(&e.event.to_le_bytes());
        bytes.extend_from_slice(&e.group.to_le_bytes());
        bytes.push(match e.order {
            TriggerOrder::None => 0,
            TriggerOrder::First => 1,
            TriggerOrder::Last => 2,
        });
    }
    bytes
}

/// Events of the bytes in `sysmodules`.
pub(super) fn events_from_bytes(bytes: &[u8]) -> SqlResult<Vec<FiringEvent>> {
    let wrong = || damaged("the events of a trigger");
    if !bytes.len().is_multiple_of(EVENT) {
        return Err(wrong());
    }
    let number = |low: u8, high: u8| EventNumber::from_le_bytes([low, high]);
    let event = |b: &[u8]| {
        let (event, group) = (number(b[0], b[1]), number(b[2], b[3]));
        let is_group = |n: EventNumber| by_number(n).map(|e| e.is_group());
        if is_group(event) != Some(false) || group != 0 && is_group(group) != Some(true) {
            return Err(wrong());
        }
        let order = match b[4] {
            0 => TriggerOrder::None,
            1 => TriggerOrder::First,
            2 => TriggerOrder::Last,
            _ => return Err(wrong()),
        };
        Ok(FiringEvent { event, group, order })
    };
    bytes.chunks_exact(EVENT).map(event).collect()
}

impl Catalog {
    /// The triggers of a scope, the oldest first.
    pub fn ddl_triggers(&self, scope: TriggerScope, sight: impl Into<Sight>) -> Vec<Arc<Module>> {
        let sight = sight.into();
        let state = self.state.read();
        let trigger = |id: ObjectId| match state.object(id, sight) {
            Some(Object::DdlTrigger(t)) => Some(t.clone()),
            _ => None,
        };
        let ids = state.children(scope.parent(), sight).into_iter();
        let mut all: Vec<Arc<Module>> = ids.filter_map(trigger).collect();
        all.sort_by(|a, b| compare(&a.head.created, &b.head.created, Default::default()));
        all
    }

    /// A trigger of a scope by its name.
    pub fn find_ddl_trigger(
        &self,
        scope: TriggerScope,
        name: &str,
        sight: impl Into<Sight>,
    ) -> Option<Arc<Module>> {
        match self.state.read().find(&Self::ddl_trigger_key(scope, name), sight.into()) {
            Some(Object::DdlTrigger(t)) => Some(t.clone()),
            _ => None,
        }
    }

    fn ddl_trigger_key(scope: TriggerScope, name: &str) -> super::state::NameKey {
        let mut key = super::rows::name_key(DBO, name);
        key.0 ^= super::user_type::space_of(scope.kind());
        key
    }

    /// The lock of a trigger's name in its scope.
    pub fn ddl_trigger_resource(&self, scope: TriggerScope, name: &str) -> Resource {
        self.key_resource(&Self::ddl_trigger_key(scope, name))
    }
}

#[cfg(test)]
mod tests {
    use super::{events_from_bytes, events_to_bytes};
    use crate::module::{FiringEvent, TriggerOrder};

    #[test]
    fn events_are_read_as_they_were_written() {
        let event = |event, group, order| FiringEvent { event, group, order };
        let events =
            [event(21, 10_018, TriggerOrder::First), event(241, 0, TriggerOrder::Last)].to_vec();
        assert_eq!(events_from_bytes(&events_to_bytes(&events)).as_ref(), Ok(&events));
    }

    #[test]
    fn other_bytes_are_damage() {
        let bytes: [&[u8]; 4] =
            [&[21, 0, 0, 0], &[0, 0, 0, 0, 0], &[21, 0, 21, 0, 0], &[21, 0, 0, 0, 3]];
        assert!(bytes.iter().all(|b| events_from_bytes(b).is_err()));
    }
}

//! What is told of DDL to who listens ([`taffrail_observe::listen`]): objects, indexes and statistics that were made, changed or
//! dropped, when the statement has done it and when its transaction ends.

use super::Catalog;
use super::object::{Object, Table};
use std::sync::Arc;
use taffrail_base::SessionId;
use taffrail_observe::listen::{self, Change, ObjectChange, Stage};

impl Catalog {
    /// An object has become another one.
    pub(super) fn tell_changed(
        &self,
        session: SessionId,
        old: Option<&Object>,
        new: Option<&Object>,
    ) {
        let is_type = |o: &Object| matches!(o, Object::Type(_));
        if [old, new].into_iter().flatten().any(is_type) {
            self.type_numbers.changed();
            return;
        }
        if !listen::objects_listened() {
            return;
        }
        // A table variable is nobody's business, nor are its constraints, whose names the server has made of the table's.
        let variable = |o: &Object| match o.as_table() {
            Some(table) => table.is_variable(),
            None => o.head().system_named && o.head().name.contains("__#@"),
        };
        if [old, new].into_iter().flatten().any(variable) {
            return;
        }
        let mut changes = Vec::new();
        match (old, new) {
            (None, Some(new)) => changes.push(self.whole(Change::Created, new)),
            (Some(old), None) => changes.push(self.whole(Change::Deleted, old)),
            (Some(old), Some(new)) => {
                if let (Some(old), Some(new)) = (old.as_table(), new.as_table()) {
                    self.parts(Change::Deleted, old, new, &mut changes);
                    self.parts(Change::Created, new, old, &mut changes);
                }
                // A table that has got an index is the same one.
                if changes.is_empty() {
                    changes.push(self.whole(Change::Altered, new));
                }
            }
            (None, None) => {}
        }
        // That it has changed is told once in a transaction: a statement may take an object over more than once.
        let state = self.state.read();
        let told = |c: &ObjectChange| {
            let pending = state.pending.get(&session).map_or(&[][..], |p| &p.told);
            c.change == Change::Altered && pending.iter().any(|t| t.object == c.object)
        };
        changes.retain(|c| !told(c));
        drop(state);
        changes.iter().for_each(|c| listen::object_changed(c, Stage::Begin));
        if let Some(mine) = self.state.write().pending.get_mut(&session) {
            mine.told.append(&mut changes);
        }
    }

    fn whole(&self, change: Change, object: &Object) -> ObjectChange {
        let head = object.head();
        ObjectChange {
            change,
            database: self.storage.id(),
            object: head.id.0,
            index: None,
            kind: if matches!(object, Object::DdlTrigger(_)) { "TR" } else { head.kind.code() },
            name: object.as_table().map_or_else(|| head.name.clone(), |t| t.shown().into()),
        }
    }

    /// Indexes and statistics of a table that the other one does not have. Those of constraints are constraints.
    fn parts(
        &self,
        change: Change,
        table: &Arc<Table>,
        other: &Arc<Table>,
        out: &mut Vec<ObjectChange>,
    ) {
        let mut tell = |kind, index: u16, name: &Arc<str>| {
            out.push(ObjectChange {
                change,
                database: self.storage.id(),
                object: table.head.id.0,
                index: Some(index),
                kind,
                name: name.clone(),
            });
        };
        for index in table.defined() {
            let there = other.defined().any(|o| o.id == index.id && o.name == index.name);
            if !there && index.constraint.0 == 0 && !index.name.is_empty() {
                tell("IX", index.id.0 as u16, &index.name);
            }
        }
        for s in &table.statistics {
            if !other.statistics.iter().any(|o| o.id == s.id && o.name == s.name) {
                tell("ST", s.id.0 as u16, &s.name);
            }
        }
    }

    /// After a rollback to a savepoint: what is not there any more was rolled back, and so was the end of what is there again.
    pub(super) fn tell_undone_in_part(&self, session: SessionId) {
        let (mut undone, sight) = (Vec::new(), session.into());
        {
            let mut state = self.state.write();
            let Some(mut told) =
                state.pending.get_mut(&session).map(|mine| std::mem::take(&mut mine.told))
            else {
                return;
            };
            told.retain(|c| {
                let object = state.object(taffrail_base::ObjectId(c.object), sight);
                let part = |index: u16, table: &Table| {
                    let has = table.defined().any(|i| i.id.0 as u16 == index);
                    has || table.statistics.iter().any(|s| s.id.0 as u16 == index)
                };
                let there = match c.index {
                    None => object.is_some(),
                    Some(index) => {
                        object.and_then(|o| o.as_table()).is_some_and(|t| part(index, t))
                    }
                };
                let stays = there != (c.change == Change::Deleted);
                if !stays {
                    undone.push(c.clone());
                }
                stays
            });
            if let Some(mine) = state.pending.get_mut(&session) {
                mine.told = told;
            }
        }
        undone.iter().for_each(|c| listen::object_changed(c, Stage::Rollback));
    }
}

/// The transaction has ended so.
pub(super) fn tell_ended(told: &[ObjectChange], stage: Stage) {
    told.iter().for_each(|c| listen::object_changed(c, stage));
}

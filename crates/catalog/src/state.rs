//! What the cache holds: the committed catalogue, and beside it what the open DDL of each session makes of it.
//!
//! 1. `objects`, `names`, `children`, `references` and `schemas` are what is committed; only the end of a transaction changes them.
//! 2. An object is in the pending DDL of one session at most: who changes it holds Sch-M on it to the end of the
//!    transaction, and whoever gets that lock next waits until the cache has taken the end over ([`super::wait`]).
//! 3. `resources` of pending DDL are locked by its transaction until that ends: who must wait for it can wait for them.

use super::object::Object;
use super::principals::{Principals, Scope};
use super::rows::name_key;
use super::user_type::UserType;
use super::{Catalog, Schema};
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use taffrail_base::{DatabaseId, ObjectId, SchemaId, SessionId};
use taffrail_observe::listen::ObjectChange;
use taffrail_storage::lock::Resource;

pub(super) type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Schema and folded name.
pub(super) type NameKey = (i32, String);

/// The changes that a reader of the catalogue sees beside committed ones.
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    /// Sees its own DDL that is not committed.
    pub session: SessionId,
    /// Sees that of all others too (READ UNCOMMITTED).
    pub dirty: bool,
}

impl Sight {
    /// Sees what is committed and nothing else.
    pub const COMMITTED: Sight = Sight { session: SessionId(0), dirty: false };
    /// Sees everything, committed or not.
    pub const EVERYTHING: Sight = Sight { session: SessionId(0), dirty: true };
}

impl From<SessionId> for Sight {
    fn from(session: SessionId) -> Sight {
        Sight { session, dirty: false }
    }
}

/// DDL of one session that is not committed.
#[derive(Default)]
pub(super) struct Pending {
    /// The catalogue's version as the session sees it: it plans for itself alone.
    pub version: u64,
    /// The changed objects, as the session sees them; `None`: dropped.
    pub objects: Map<ObjectId, Option<Object>>,
    /// The names whose meaning has changed; `None`: free now.
    pub names: Map<NameKey, Option<ObjectId>>,
    /// The list of schemas, if it has changed.
    pub schemas: Option<Vec<Schema>>,
    /// The principals of the server and of the database, if they have changed.
    pub principals: [Option<Arc<Principals>>; 2],
    /// Identity sequences that the changed objects have, or have had: those that none has in the end are gone.
    pub sequences: BTreeSet<i64>,
    /// The locks on which other sessions wait for the DDL's end.
    pub resources: BTreeSet<Resource>,
    /// The objects that what is made or altered is bound to: the transaction holds Sch-S on them to its end.
    pub beneath: BTreeSet<Resource>,
    /// The changes that listeners have been told of, in order.
    pub told: Vec<ObjectChange>,
}

#[derive(Default)]
pub(super) struct State {
    pub names: Map<NameKey, ObjectId>,
    pub objects: Map<ObjectId, Object>,
    /// Constraints by their table, ascending.
    pub children: Map<ObjectId, Vec<ObjectId>>,
    /// Foreign keys by the table that they refer to, ascending.
    pub references: Map<ObjectId, Vec<ObjectId>>,
    pub schemas: Vec<Schema>,
    /// The principals of the server, in master alone, and those of the database.
    pub principals: [Arc<Principals>; 2],
    pub pending: Map<SessionId, Pending>,
}

/// The key of an object's name.
pub(super) fn key_of(object: &Object) -> NameKey {
    let head = object.head();
    let (schema, name) = name_key(head.schema_id, &head.name);
    (schema ^ super::user_type::space_of(head.kind), name)
}

/// Puts an id into its place in a list of such.
fn link(lists: &mut Map<ObjectId, Vec<ObjectId>>, of: ObjectId, id: ObjectId) {
    let list = lists.entry(of).or_default();
    if let Err(at) = list.binary_search(&id) {
        list.insert(at, id);
    }
}

/// Takes it out again.
fn unlink(lists: &mut Map<ObjectId, Vec<ObjectId>>, of: ObjectId, id: ObjectId) {
    if let Some(list) = lists.get_mut(&of) {
        list.retain(|s| *s != id);
        if list.is_empty() {
            lists.remove(&of);
        }
    }
}

/// The identity sequence of a table, and the number of a sequence.
pub(super) fn sequence_of(object: &Object) -> Option<i64> {
    if let Object::Sequence(s) = object {
        return Some(s.numbers.id());
    }
    Some(object.as_table()?.identity.as_ref()?.sequence.id())
}

impl State {
    /// The pending DDL that is seen.
    fn seen(&self, sight: Sight) -> impl Iterator<Item = &Pending> {
        let mine = move |who: &SessionId| sight.dirty || *who == sight.session;
        self.pending.iter().filter(move |(who, _)| mine(who)).map(|(_, p)| p)
    }

    /// An object by id.
    pub fn object(&self, id: ObjectId, sight: Sight) -> Option<&Object> {
        match self.seen(sight).find_map(|p| p.objects.get(&id)) {
            Some(changed) => changed.as_ref(),
            None => self.objects.get(&id),
        }
    }

    /// An object by name.
    pub fn find(&self, key: &NameKey, sight: Sight) -> Option<&Object> {
        let changed = self.seen(sight).find_map(|p| p.names.get(key));
        let id = match changed {
            Some(changed) => (*changed)?,
            None => *self.names.get(key)?,
        };
        self.object(id, sight)
    }

    /// All types of users.
    pub fn types(&self, sight: Sight) -> Vec<Arc<UserType>> {
        let is_changed = |id: &ObjectId| self.seen(sight).any(|p| p.objects.contains_key(id));
        let kept = self.objects.iter().filter(|(id, _)| !is_changed(id)).map(|(_, o)| o);
        let own = self.seen(sight).flat_map(|p| p.objects.values().flatten());
        let a_type = |o: &Object| if let Object::Type(t) = o { Some(t.clone()) } else { None };
        kept.chain(own).filter_map(a_type).collect()
    }

    /// Whether a session's DDL has made, changed or dropped types.
    pub(super) fn changes_types(&self, mine: &Pending) -> bool {
        mine.objects.iter().any(|(id, new)| {
            let both = [new.as_ref(), self.objects.get(id)];
            both.into_iter().flatten().any(|o| matches!(o, Object::Type(_)))
        })
    }

    /// All objects but types and triggers of DDL, by id.
    pub fn all(&self, sight: Sight) -> Vec<Object> {
        let is_changed = |id: &ObjectId| self.seen(sight).any(|p| p.objects.contains_key(id));
        let kept = self.objects.iter().filter(|(id, _)| !is_changed(id)).map(|(_, o)| o.clone());
        let mut all: Vec<Object> = kept.collect();
        all.extend(self.seen(sight).flat_map(|p| p.objects.values().flatten().cloned()));
        all.retain(|o| !matches!(o, Object::Type(_) | Object::DdlTrigger(_)));
        all.sort_unstable_by_key(|o| o.head().id);
        all
    }

    /// Ids of the constraints of a table and of the triggers of a table or view, in order.
    pub fn children(&self, table: ObjectId, sight: Sight) -> Vec<ObjectId> {
        let mut ids = self.children.get(&table).cloned().unwrap_or_default();
        for p in self.seen(sight) {
            ids.retain(|id| !p.objects.contains_key(id));
            let here = p.objects.values().flatten().filter(|o| o.head().parent == table);
            ids.extend(here.map(|o| o.head().id));
        }
        ids.sort_unstable();
        ids
    }

    /// The foreign keys that refer to a table, by id.
    pub fn references(&self, table: ObjectId, sight: Sight) -> Vec<&Object> {
        let refers = |o: &&Object| super::foreign::referenced_by(o) == Some(table);
        let known = self.references.get(&table).map_or(&[][..], Vec::as_slice);
        let unchanged = |id: &&ObjectId| !self.seen(sight).any(|p| p.objects.contains_key(*id));
        let mut all: Vec<&Object> =
            known.iter().filter(unchanged).filter_map(|id| self.objects.get(id)).collect();
        all.extend(self.seen(sight).flat_map(|p| p.objects.values().flatten()).filter(refers));
        all.sort_unstable_by_key(|o| o.head().id);
        all
    }

    /// The schemas as a reader sees them.
    pub fn schemas(&self, sight: Sight) -> &[Schema] {
        self.seen(sight).find_map(|p| p.schemas.as_deref()).unwrap_or(&self.schemas)
    }

    /// The principals of a scope as a reader sees them.
    pub fn principals(&self, scope: Scope, sight: Sight) -> &Arc<Principals> {
        let at = scope as usize;
        self.seen(sight).find_map(|p| p.principals[at].as_ref()).unwrap_or(&self.principals[at])
    }

    /// Whether the DDL of somebody else is about to put an object into a schema.
    pub(crate) fn is_filled(&self, schema: SchemaId, session: SessionId) -> bool {
        let others = self.pending.iter().filter(|(who, _)| **who != session);
        let mut new = others.flat_map(|(_, p)| p.objects.values().flatten()).map(|o| o.head());
        new.any(|h| h.schema_id == schema && h.parent.0 == 0 && !self.objects.contains_key(&h.id))
    }

    /// The object whose lock protects the definition of this one: a constraint's table.
    pub(crate) fn guard_of(&self, id: ObjectId) -> ObjectId {
        let object = self.object(id, Sight::EVERYTHING).or_else(|| self.objects.get(&id));
        match object.map(|o| o.head().parent) {
            Some(parent) if parent.0 != 0 => parent,
            _ => id,
        }
    }

    /// Puts an object in place of what is committed.
    pub fn insert(&mut self, object: Object) {
        let head = object.head();
        let id = head.id;
        self.names.insert(key_of(&object), id);
        if head.parent.0 != 0 {
            link(&mut self.children, head.parent, id);
        }
        let refers_to = super::foreign::referenced_by(&object);
        let old = self.objects.insert(id, object);
        if let Some(table) = old.as_ref().and_then(super::foreign::referenced_by) {
            unlink(&mut self.references, table, id);
        }
        if let Some(table) = refers_to {
            link(&mut self.references, table, id);
        }
    }

    /// Takes an object out of what is committed.
    pub fn remove(&mut self, id: ObjectId) -> Option<Object> {
        let old = self.objects.remove(&id)?;
        let key = key_of(&old);
        if self.names.get(&key) == Some(&id) {
            self.names.remove(&key);
        }
        unlink(&mut self.children, old.head().parent, id);
        if let Some(table) = super::foreign::referenced_by(&old) {
            unlink(&mut self.references, table, id);
        }
        Some(old)
    }

    /// Notes an object as a session with pending DDL sees it from now on; `None`: dropped.
    pub fn change(&mut self, session: SessionId, id: ObjectId, new: Option<Object>) {
        let old_key = self.object(id, session.into()).map(key_of);
        let new_key = new.as_ref().map(key_of);
        let sequences = [self.object(id, session.into()).and_then(sequence_of)];
        let sequences = sequences.into_iter().chain([new.as_ref().and_then(sequence_of)]).flatten();
        let sequences: Vec<i64> = sequences.collect();
        let Some(mine) = self.pending.get_mut(&session) else { return };
        mine.sequences.extend(sequences);
        if old_key != new_key {
            if let Some(key) = old_key {
                let means = match mine.names.get(&key) {
                    Some(changed) => *changed,
                    None => self.names.get(&key).copied(),
                };
                if means == Some(id) {
                    mine.names.insert(key, None);
                }
            }
            if let Some(key) = new_key {
                mine.names.insert(key, Some(id));
            }
        }
        mine.objects.insert(id, new);
    }

    /// Part of a session's DDL was undone: what its objects are now, and nothing else is pending.
    pub fn replace(&mut self, session: SessionId, objects: Vec<(ObjectId, Option<Object>)>) {
        let Some(mine) = self.pending.get_mut(&session) else { return };
        mine.objects.clear();
        mine.names.clear();
        for (id, new) in objects {
            self.change(session, id, new);
        }
    }
}

/// The lock on a row of a table of the catalogue that stands for something: a name, a schema, the list of a table's
/// indexes.
pub(super) fn row(
    database: DatabaseId,
    table: &super::systab::SystemTable,
    text: &str,
    n: i64,
) -> Resource {
    // FNV-1a.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for b in n.to_le_bytes().iter().chain(text.as_bytes()) {
        hash = (hash ^ *b as u64).wrapping_mul(0x0000_0100_0000_01b3);
    }
    Resource::key(database, table.hobt, hash ^ hash >> 48)
}

impl Catalog {
    /// The lock of a name, held while the name comes, goes or changes its meaning.
    pub fn name_resource(&self, schema: SchemaId, name: &str) -> Resource {
        let (schema, name) = name_key(schema, name);
        self.key_resource(&(schema, name))
    }

    pub(super) fn key_resource(&self, key: &NameKey) -> Resource {
        let table = &super::systab::SystemTables::OBJECTS;
        row(self.storage.id(), table, &key.1, key.0 as i64)
    }

    /// The lock of the list of schemas, held while it changes.
    pub fn schemas_resource(&self) -> Resource {
        row(self.storage.id(), &super::systab::SystemTables::SCHEMAS, "", 0)
    }

    /// The lock of a schema: S while an object is put into it, X while it goes.
    pub fn schema_resource(&self, schema: SchemaId) -> Resource {
        row(self.storage.id(), &super::systab::SystemTables::SCHEMAS, "", schema.0 as i64)
    }

    /// The lock of the list of a table's indexes, held while it changes.
    pub fn indexes_resource(&self, table: ObjectId) -> Resource {
        row(self.storage.id(), &super::systab::SystemTables::INDEXES, "", table.0 as i64)
    }

    /// The lock of an object.
    pub fn object_resource(&self, id: ObjectId) -> Resource {
        Resource::object(self.storage.id(), id)
    }
}

/// Objects that belong to one session, temporary tables and their constraints, are nobody else's concern.
pub(super) fn is_private(catalog: &Catalog, object: &Object) -> bool {
    let head = object.head();
    catalog.storage.id().0 == 2 && (head.parent.0 != 0 || crate::is_temp(&head.name))
}

/// The name of a schema.
pub(super) fn schema_name(schemas: &[Schema], id: SchemaId) -> Option<Arc<str>> {
    schemas.iter().find(|s| s.id == id).map(|s| s.name.clone())
}

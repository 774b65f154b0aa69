//! Waiting for other sessions' DDL.
//!
//! A look-up shows a session what is committed and its own DDL. Whether another session's open DDL is about to change
//! the answer is asked beside it ([`Catalog::blocked_name`], [`Catalog::blocked_object`]; [`Catalog::touched`] by whoever makes
//! a list, of which only what it shows is waited for; [`Catalog::blocked_list`] by who cannot tell); each of them
//! costs one atomic load while no session has DDL open. Who is told to wait asks for the lock that it is
//! told, which the DDL's transaction holds to its end, and looks again:
//!
//! | what is pending | lock | wait |
//! |---|---|---|
//! | an object that exists is changed or dropped | the object | LCK_M_SCH_S |
//! | a name is created, or listed and dropped | its key in sysobjects | LCK_M_S |
//! | the list of schemas | its key in sysschemas | LCK_M_S |
//! | a schema is dropped | its key in sysschemas | LCK_M_S |
//!
//! So LOCK_TIMEOUT, deadlocks and attentions hold for these waits as for all others.

use super::state::{Sight, key_of};
use super::{Catalog, DBO, Object, Schema, Table};
use std::sync::atomic::Ordering;
use std::time::Duration;
use taffrail_base::{DatabaseId, ObjectId, SchemaId, SessionId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_storage::lock::{Granted, LockMode, Resource, ResourceKind};

/// A lock that a session has to wait for before it looks again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The database of the lock.
    pub database: DatabaseId,
    /// Locked by the DDL's transaction until that ends.
    pub resource: Resource,
    /// The mode to wait in.
    pub mode: LockMode,
}

/// Something that the open DDL of another session is about to change, as a list of what there is meets it.
#[derive(Clone)]
pub struct Touched {
    /// The object or schema that is about to change.
    pub what: TouchedId,
    /// The object as it is committed, and as it is to be; neither for a schema.
    pub objects: [Option<Object>; 2],
    /// The lock to wait for, for a reader to whom the change matters.
    pub blocked: Blocked,
}

/// An object or a schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TouchedId {
    /// An object, by its number.
    Object(ObjectId),
    /// A schema, by its number.
    Schema(SchemaId),
}

/// How long somebody who has got the lock waits for the cache before it looks again: a net under the argument that the
/// cache follows at once.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The mode in which somebody waits who only looks.
fn mode_of(resource: &Resource) -> LockMode {
    match resource.kind() {
        ResourceKind::Object => LockMode::SchS,
        _ => LockMode::S,
    }
}

impl Catalog {
    fn blocked(&self, resource: Resource, session: SessionId) -> Option<Blocked> {
        let (database, mode) = (self.storage.id(), mode_of(&resource));
        self.is_pending(&resource, session).then_some(Blocked { database, resource, mode })
    }

    /// Whether `session` must wait before it may say what a name means. Without a schema: `dbo`.
    pub fn blocked_name(
        &self,
        schema: Option<&str>,
        name: &str,
        session: SessionId,
    ) -> Option<Blocked> {
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return None;
        }
        let schema = match schema {
            None | Some("") => DBO,
            Some(schema) => match self.schema(schema, session) {
                Some(schema) => schema.id,
                None => return self.blocked(self.schemas_resource(), session),
            },
        };
        let found = self.find(schema, name, session);
        let object = found.and_then(|o| self.blocked_object(o.head().id, session));
        object.or_else(|| self.blocked(self.name_resource(schema, name), session))
    }

    /// As [`Self::blocked_name`], for the definition of an object.
    pub fn blocked_object(&self, id: ObjectId, session: SessionId) -> Option<Blocked> {
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return None;
        }
        let guard = self.state.read().guard_of(id);
        self.blocked(self.object_resource(guard), session)
    }

    /// As [`Self::blocked_name`], for the list of objects.
    pub fn blocked_list(&self, session: SessionId) -> Option<Blocked> {
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return None;
        }
        let resource = {
            let state = self.state.read();
            let others = state.pending.iter().filter(|(who, _)| **who != session);
            // Keys come after objects: where rows came or went, those are what a reader would meet.
            others.filter_map(|(_, p)| p.resources.last().copied()).next()
        };
        resource.and_then(|r| self.blocked(r, session))
    }

    /// The objects and schemas that other sessions' DDL is about to change, by id: whoever lists
    /// the catalogue waits for those that it would show. Empty, for one atomic load, while no
    /// session has DDL open.
    pub fn touched(&self, session: SessionId) -> Vec<Touched> {
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return Vec::new();
        }
        let (database, state) = (self.storage.id(), self.state.read());
        let mut all = Vec::new();
        for (_, p) in state.pending.iter().filter(|(who, _)| **who != session) {
            for (id, after) in &p.objects {
                let objects = [state.objects.get(id).cloned(), after.clone()];
                // Where a row came or went, its key is what a reader would meet.
                let keys =
                    objects.iter().rev().flatten().map(key_of).map(|k| self.key_resource(&k));
                let guard = self.object_resource(state.guard_of(*id));
                let locked = keys.chain([guard]).find(|r| p.resources.contains(r));
                // Without a lock it is private: a temporary table.
                let Some(resource) = locked else { continue };
                let blocked = Blocked { database, resource, mode: mode_of(&resource) };
                all.push(Touched { what: TouchedId::Object(*id), objects, blocked });
            }
            let resource = self.schemas_resource();
            let blocked = Blocked { database, resource, mode: mode_of(&resource) };
            let pending = p.schemas.iter().flatten();
            let changed = pending.chain(&state.schemas).filter(|s| {
                let there = |list: &[Schema]| list.iter().any(|o| o.id == s.id && o.name == s.name);
                p.schemas.as_ref().is_some_and(|new| there(new) != there(&state.schemas))
            });
            all.extend(changed.map(|s| Touched {
                what: TouchedId::Schema(s.id),
                objects: [None, None],
                blocked,
            }));
        }
        all.sort_by_key(|t| t.what);
        all
    }

    /// After the wait: gives the cache a moment to follow the end of the transaction.
    pub fn settle_briefly(&self, blocked: &Blocked, session: SessionId) {
        if self.is_pending(&blocked.resource, session) {
            let mut settling = self.settling.lock();
            if self.is_pending(&blocked.resource, session) {
                let _ = self.settled.wait_for(&mut settling, LOOK_AGAIN);
            }
        }
    }

    /// Waits while the cache follows the end of another session's DDL. The caller holds a lock on `resource`, so that
    /// session's transaction has ended.
    fn settle(&self, resource: Resource, session: SessionId) {
        self.settle_while(|| self.is_pending(&resource, session));
    }

    /// Waits for the cache to follow the end of a transaction, while it shows something that the transaction leaves.
    fn settle_while(&self, shows: impl Fn() -> bool) {
        if !shows() {
            return;
        }
        let mut settling = self.settling.lock();
        while shows() {
            let _ = self.settled.wait_for(&mut settling, LOOK_AGAIN);
        }
    }

    /// Waits while the cache follows the end of DDL that has put an object into a schema. The caller holds X on the schema,
    /// on which whoever creates in it holds S to the end of the transaction.
    pub fn settle_schema(&self, schema: SchemaId, session: SessionId) {
        self.settle_while(|| self.state.read().is_filled(schema, session));
    }

    /// Locks a table for a statement and waits until the cache says what is committed: a plan that is current then may
    /// run. [`Granted::Held`]: nobody else has changed the table since the transaction locked it.
    pub fn lock_table(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        table: ObjectId,
        mode: LockMode,
    ) -> SqlResult<Granted> {
        let sql = |e: taffrail_storage::StorageError| e.to_sql();
        let first = match self.blocked_object(table, session) {
            // As every statement does before it looks at a table's definition.
            Some(_) => tx.lock_object(table, LockMode::SchS).map_err(sql)?,
            None => Granted::Held,
        };
        let granted = match tx.lock_object(table, mode).map_err(sql)? {
            // Where no more than Sch-S is asked for, the first lock is the one that was waited for.
            Granted::Held => first,
            granted => granted,
        };
        if granted != Granted::Held {
            self.settle(self.object_resource(table), session);
        }
        Ok(granted)
    }

    /// Locks an object to change its definition: Sch-M, to the transaction's end. The cache says then what has been bound to it, too.
    pub fn lock_for_change(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        object: ObjectId,
    ) -> SqlResult<()> {
        tx.lock_for_change(object).map_err(|e| e.to_sql())?;
        let resource = self.object_resource(object);
        self.settle(resource, session);
        // Whoever has bound something to the object has had it in Sch-S to the end of the transaction, which is over.
        self.settle_while(|| self.is_bound_to(&resource, session));
        Ok(())
    }

    /// Locks something else of the catalogue: a name, a schema.
    pub fn lock(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        resource: Resource,
        mode: LockMode,
    ) -> SqlResult<()> {
        tx.lock(resource, mode).map_err(|e| e.to_sql())?;
        self.settle(resource, session);
        Ok(())
    }

    /// Locks a name that is to be given to an object, or taken from one.
    pub fn lock_name(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        schema: SchemaId,
        name: &str,
    ) -> SqlResult<()> {
        self.lock(tx, session, self.name_resource(schema, name), LockMode::X)
    }

    /// Whether `snapshot` is what the catalogue says now. The caller holds a lock on the object.
    pub fn is_current(&self, snapshot: &Table, session: SessionId) -> bool {
        let now = self.table(snapshot.head.id, Sight::from(session));
        now.is_some_and(|t| t.version == snapshot.version)
    }
}

//! DDL that is not committed yet, and how the cache follows the end of its transaction.
//!
//! ```text
//! DDL statement   rows written ─► refresh: read back in the transaction, put beside the committed catalogue
//! COMMIT          locks released ─► the pending objects become the committed ones, in one step
//! ROLLBACK        rows undone, locks released ─► what is committed is read anew (its heaps and trees may have new
//!                 handles), the pending objects are forgotten
//! to a savepoint  rows undone, locks kept ─► the pending objects are read anew
//! ```
//! Between the release of the locks and the last step others may get a lock on the object: they wait for the step
//! ([`Catalog::settle`]).

use super::identity::base_key;
use super::state::{Pending, Sight, is_private, key_of, sequence_of};
use super::systab::{self, SystemTables};
use super::{Catalog, Object, PRIVATE, Table, sql, system_transaction, told};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use taffrail_base::{ObjectId, SchemaId, SessionId, SqlError, SqlResult};
use taffrail_observe::listen::Stage;
use taffrail_storage::lock::{LockMode, Resource};
use taffrail_storage::{Durability, Transaction};

/// How DDL of a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DdlOutcome {
    /// The transaction was committed.
    Committed,
    /// The transaction was rolled back, its locks are released.
    RolledBack,
    /// Only to a savepoint (or a statement): the transaction goes on.
    RolledBackPart,
}

impl Catalog {
    /// Changes what a session has pending.
    pub(super) fn pending_of(&self, session: SessionId, change: impl FnOnce(&mut Pending)) {
        let mut state = self.state.write();
        if !state.pending.contains_key(&session) {
            self.pending_sessions.fetch_add(1, Ordering::AcqRel);
        }
        let mine = state.pending.entry(session).or_default();
        mine.version = PRIVATE | self.new_version();
        change(mine);
    }

    /// Takes over what DDL of `session` has written about these objects: snapshots are read back within `tx`. The
    /// transaction holds Sch-M on the objects (a constraint's table); names that come or go are locked here.
    pub fn refresh(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        objects: &[ObjectId],
    ) -> SqlResult<()> {
        for id in objects {
            let new = self.read_object(tx, *id, session.into())?;
            let (old, guard) = {
                let state = self.state.read();
                let guard = new.as_ref().map(|o| o.head().parent).filter(|p| p.0 != 0);
                let guard = guard.unwrap_or_else(|| state.guard_of(*id));
                (state.object(*id, session.into()).cloned(), guard)
            };
            let mut resources = Vec::new();
            if [&old, &new].into_iter().flatten().all(|o| !is_private(self, o)) {
                resources.push(self.object_resource(guard));
                let (old, new) = (old.as_ref().map(key_of), new.as_ref().map(key_of));
                if old != new {
                    resources.extend([old, new].iter().flatten().map(|k| self.key_resource(k)));
                }
            }
            for name in &resources[resources.len().min(1)..] {
                tx.lock(*name, LockMode::X).map_err(|e| e.to_sql())?;
            }
            self.pending_of(session, |mine| mine.resources.extend(resources));
            self.tell_changed(session, old.as_ref(), new.as_ref());
            self.state.write().change(session, *id, new);
        }
        Ok(())
    }

    /// A table as its rows say within `tx`, before [`Catalog::refresh`] takes that over.
    pub fn read_changed_table(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        id: ObjectId,
    ) -> SqlResult<Arc<Table>> {
        match self.read_object(tx, id, session.into())? {
            Some(Object::Table(table)) => Ok(table),
            Some(Object::View(view)) => {
                view.indexed.clone().ok_or_else(|| SqlError::new(5243, &[]))
            }
            _ => Err(SqlError::new(5243, &[])),
        }
    }

    /// Takes over the list of schemas, which the transaction has locked ([`Catalog::schemas_resource`]); `gone` is dropped,
    /// and locked (X) too.
    pub fn refresh_schemas(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        gone: Option<SchemaId>,
    ) -> SqlResult<()> {
        let schemas = self.read_schemas(tx)?;
        self.pending_of(session, |mine| {
            mine.schemas = Some(schemas);
            mine.resources.insert(self.schemas_resource());
            // Who has waited to create something in it may not look before the cache knows.
            mine.resources.extend(gone.map(|id| self.schema_resource(id)));
        });
        super::principals::changed();
        Ok(())
    }

    /// Forgets the uses of the indexes of objects that a transaction's end has left nowhere, the indexes that plans for what tables were
    /// have missed, and the sequences that none has now.
    fn forget_dropped(&self, touched: &[ObjectId], unused: BTreeSet<i64>) {
        let is_gone = |id: &ObjectId| self.object(*id, Sight::COMMITTED).is_none();
        let gone: Vec<ObjectId> = touched.iter().copied().filter(is_gone).collect();
        self.usage.forget_tables(&gone);
        let now = |id| self.table(id, Sight::COMMITTED);
        self.missing.forget_changed(touched, |m| now(m.table).is_some_and(|t| m.is_of(&t)));
        self.forget_sequences(unused);
    }

    /// The session's transaction has changed the catalogue.
    pub fn has_ddl(&self, session: SessionId) -> bool {
        self.pending_sessions.load(Ordering::Acquire) != 0
            && self.state.read().pending.contains_key(&session)
    }

    /// The session's transaction (or a part of it) has ended: the cache follows.
    pub fn ddl_ended(&self, session: SessionId, outcome: DdlOutcome) -> SqlResult<()> {
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        let pending = self.state.read().pending.get(&session).map(|mine| {
            let mut touched: Vec<ObjectId> = mine.objects.keys().copied().collect();
            touched.sort_unstable();
            (touched, mine.schemas.is_some())
        });
        let Some((touched, schemas)) = pending else { return Ok(()) };
        match outcome {
            DdlOutcome::RolledBackPart => self.undone_in_part(session, touched, schemas),
            DdlOutcome::Committed => {
                self.note_changed(&touched);
                let (mut unused, mut told) = (BTreeSet::new(), Vec::new());
                self.pending_over(session, |state| {
                    let Some(mine) = state.pending.remove(&session) else { return false };
                    if state.changes_types(&mine) {
                        self.type_numbers.changed();
                    }
                    (unused, told) = (mine.sequences, mine.told);
                    for (id, new) in mine.objects {
                        state.remove(id);
                        if let Some(new) = new {
                            unused.retain(|id| Some(*id) != sequence_of(&new));
                            state.insert(new);
                        }
                    }
                    if let Some(schemas) = mine.schemas {
                        state.schemas = schemas;
                    }
                    for (kept, new) in state.principals.iter_mut().zip(mine.principals) {
                        *kept = new.unwrap_or_else(|| kept.clone());
                    }
                    true
                });
                // Whoever hears of it may ask this catalogue.
                told::tell_ended(&told, Stage::Commit);
                self.forget_dropped(&touched, unused);
                Ok(())
            }
            DdlOutcome::RolledBack => {
                // A table that was dropped, or whose indexes were, has new handles of its heaps and trees.
                let old = self.reread(&touched, Sight::COMMITTED);
                let (mut unused, mut told) = (BTreeSet::new(), Vec::new());
                self.pending_over(session, |state| {
                    if let Some(mine) = state.pending.remove(&session) {
                        (unused, told) = (mine.sequences, mine.told);
                    }
                    let Ok(old) = &old else {
                        unused.clear();
                        return false;
                    };
                    let mut changed = false;
                    for (id, object) in old {
                        changed |= state.remove(*id).is_some();
                        if let Some(object) = object {
                            unused.retain(|id| Some(*id) != sequence_of(object));
                            state.insert(object.clone());
                        }
                    }
                    changed
                });
                told::tell_ended(&told, Stage::Rollback);
                self.forget_dropped(&touched, unused);
                old.map(drop)
            }
        }
    }

    /// The last step: after it nothing of the session is pending. `step` tells whether what is committed has changed.
    fn pending_over(
        &self,
        session: SessionId,
        step: impl FnOnce(&mut super::state::State) -> bool,
    ) {
        let mut state = self.state.write();
        if step(&mut state) {
            self.changed(&mut state);
        }
        debug_assert!(!state.pending.contains_key(&session));
        drop(state);
        super::principals::changed();
        self.pending_sessions.fetch_sub(1, Ordering::AcqRel);
        drop(self.settling.lock());
        self.settled.notify_all();
    }

    fn undone_in_part(
        &self,
        session: SessionId,
        touched: Vec<ObjectId>,
        schemas: bool,
    ) -> SqlResult<()> {
        let mut tx = system_transaction(&self.storage, "ReadCatalog");
        // Schemas first, by which objects tell their names; then constraints, by which tables find their checks. What
        // is what the rows say: what is pending may show as dropped what is there again.
        let (mut tables, mut others) = (Vec::new(), Vec::new());
        for id in touched {
            let row = systab::get(&mut tx, &SystemTables::OBJECTS, &[id.0 as i64])?;
            match row.map(|row| systab::number(&row, 3)).transpose()? {
                Some(0) => tables.push(id),
                _ => others.push(id),
            }
        }
        let schemas = if schemas { Some(self.read_schemas(&mut tx)?) } else { None };
        let principals = self.read_principals(&mut tx)?;
        tx.commit(Durability::Delayed).map_err(sql)?;
        self.pending_of(session, |mine| {
            mine.schemas = schemas;
            for (changed, now) in mine.principals.iter_mut().zip(principals) {
                *changed = changed.take().map(|_| now);
            }
        });
        super::principals::changed();
        let mut objects = self.reread(&others, session.into())?;
        {
            let mut state = self.state.write();
            objects.iter().for_each(|(id, object)| state.change(session, *id, object.clone()));
        }
        objects.extend(self.reread(&tables, session.into())?);
        self.pending_of(session, |_| ());
        self.state.write().replace(session, objects);
        self.tell_undone_in_part(session);
        Ok(())
    }

    /// No table or sequence has these numbers any more: their rows go in a transaction of their own, since a table that is
    /// dropped, and there again after a rollback to a savepoint, counts on, and would wait for the lock of its own session's
    /// transaction to say so.
    ///
    /// A row that stays, after a crash before this or an error in it, is nobody's for ever: numbers of sequences are given
    /// out once. So what goes wrong here is no failure of the transaction that has ended.
    fn forget_sequences(&self, unused: BTreeSet<i64>) {
        if unused.is_empty() {
            return;
        }
        {
            let (mut sequences, mut numbers) = (self.sequences.lock(), self.numbers.lock());
            for id in &unused {
                sequences.remove(id);
                numbers.remove(id);
            }
        }
        let mut tx = system_transaction(&self.storage, "IdentityRange");
        let mut keys = unused.iter().flat_map(|id| [*id, base_key(*id)]);
        if keys.all(|key| systab::remove(&mut tx, &SystemTables::IDENTITY, &[key]).is_ok()) {
            let _ = tx.commit(Durability::Delayed);
        }
    }

    /// Objects as their rows are now. The caller's transaction has, or had, Sch-M on them.
    fn reread(&self, ids: &[ObjectId], sight: Sight) -> SqlResult<Vec<(ObjectId, Option<Object>)>> {
        let mut tx = system_transaction(&self.storage, "ReadCatalog");
        let mut objects = Vec::with_capacity(ids.len());
        for id in ids {
            objects.push((*id, self.read_object(&mut tx, *id, sight)?));
        }
        tx.commit(Durability::Delayed).map_err(sql)?;
        Ok(objects)
    }

    /// DDL of `session` binds a module or a table to these objects. The transaction in this database holds Sch-S on them to its end
    /// ([`Transaction::keep_object`]): whoever has Sch-M on one of them waits for nothing but the cache.
    pub fn bind_to(&self, session: SessionId, objects: &[ObjectId]) {
        if objects.is_empty() {
            return;
        }
        let beneath = objects.iter().map(|id| self.object_resource(*id));
        self.pending_of(session, |mine| mine.beneath.extend(beneath));
    }

    /// Whether another session's pending DDL has bound something to an object.
    pub(super) fn is_bound_to(&self, resource: &Resource, session: SessionId) -> bool {
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return false;
        }
        let state = self.state.read();
        state.pending.iter().any(|(who, p)| *who != session && p.beneath.contains(resource))
    }

    /// Whether another session's DDL has one of these locked, and is not committed.
    pub(super) fn is_pending(&self, resource: &Resource, session: SessionId) -> bool {
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return false;
        }
        let state = self.state.read();
        state.pending.iter().any(|(who, p)| *who != session && p.resources.contains(resource))
    }
}

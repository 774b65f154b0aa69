//! DDL that is not committed yet: what the cache shows meanwhile, and how it follows the end of the transaction.

use super::rows::name_key;
use super::{Catalog, Object, sql, system_transaction};
use std::sync::atomic::Ordering;
use taffrail_base::{ObjectId, SessionId, SqlResult};
use taffrail_storage::{Durability, Transaction};

/// What a session has changed and not committed.
#[derive(Default)]
pub(super) struct Pending {
    pub(super) touched: Vec<ObjectId>,
    schemas: bool,
    /// Identity sequences of dropped tables.
    sequences: Vec<i64>,
    /// Objects that are gone from the cache but not yet from the world, by name.
    pub(super) dropped: Vec<((i32, String), Object)>,
}

/// How DDL of a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DdlOutcome {
    /// Committed.
    Committed,
    /// The transaction was rolled back, its locks are released.
    RolledBack,
    /// Only to a savepoint (or a statement): the transaction goes on.
    RolledBackPart,
}

impl Catalog {
    /// The table of a sequence is being dropped: forgotten when that is committed.
    pub(crate) fn forget_sequence(&self, session: SessionId, id: i64) {
        self.pending_of(session, |mine| mine.sequences.push(id));
    }

    /// Changes what a session has pending.
    fn pending_of(&self, session: SessionId, change: impl FnOnce(&mut Pending)) {
        let mut pending = self.pending.lock();
        if !pending.contains_key(&session) {
            self.pending_sessions.fetch_add(1, Ordering::AcqRel);
        }
        change(pending.entry(session).or_default());
    }

    /// Takes over what DDL of `session` has written about these objects: snapshots are read back within `tx`.
    pub fn refresh(
        &self,
        tx: &mut Transaction,
        session: SessionId,
        objects: &[ObjectId],
    ) -> SqlResult<()> {
        self.pending_of(session, |mine| {
            for id in objects {
                if !mine.touched.contains(id) {
                    mine.touched.push(*id);
                }
            }
        });
        for id in objects {
            let new = self.read_object(tx, *id)?;
            let old = {
                let mut state = self.state.write();
                let old = state.remove(*id);
                if let Some(new) = &new {
                    state.insert(new.clone());
                }
                old
            };
            if let (None, Some(old)) = (new, old) {
                let key = name_key(old.head().schema_id, &old.head().name);
                self.pending_of(session, |mine| mine.dropped.push((key, old)));
            }
        }
        self.changed();
        Ok(())
    }

    /// The same for the list of schemas.
    pub fn refresh_schemas(&self, tx: &mut Transaction, session: SessionId) -> SqlResult<()> {
        self.pending_of(session, |mine| mine.schemas = true);
        self.read_schemas(tx)?;
        self.changed();
        Ok(())
    }

    /// The session's transaction (or a part of it) has ended: the cache follows.
    pub fn ddl_ended(&self, session: SessionId, outcome: DdlOutcome) -> SqlResult<()> {
        if self.pending_sessions.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        let (touched, schemas) = {
            let mut pending = self.pending.lock();
            match pending.get_mut(&session) {
                None => return Ok(()),
                Some(_) if outcome == DdlOutcome::Committed => (Vec::new(), false),
                Some(mine) => {
                    mine.dropped.clear();
                    (mine.touched.clone(), mine.schemas)
                }
            }
        };
        let reread = || -> SqlResult<()> {
            let mut tx = system_transaction(&self.storage, "ReadCatalog");
            if schemas {
                self.read_schemas(&mut tx)?;
            }
            for id in &touched {
                let object = self.read_object(&mut tx, *id)?;
                let mut state = self.state.write();
                let old = state.remove(*id);
                match object {
                    Some(object) => state.insert(object),
                    // Dropped earlier in a transaction that goes on: others still have to wait for its end.
                    None if outcome == DdlOutcome::RolledBackPart => {
                        if let Some(old) = old {
                            drop(state);
                            let key = name_key(old.head().schema_id, &old.head().name);
                            self.pending_of(session, |mine| mine.dropped.push((key, old)));
                        }
                    }
                    None => {}
                }
            }
            tx.commit(Durability::Delayed).map_err(sql)
        };
        let result = reread();
        if outcome != DdlOutcome::RolledBackPart {
            let mine = self.pending.lock().remove(&session);
            if let (DdlOutcome::Committed, Some(mine)) = (outcome, mine) {
                let mut sequences = self.sequences.lock();
                mine.sequences.iter().for_each(|id| drop(sequences.remove(id)));
            }
            self.pending_sessions.fetch_sub(1, Ordering::AcqRel);
            // Also after a commit: others may have compiled against a table whose drop was pending.
            self.changed();
            self.settled.notify_all();
        } else {
            self.changed();
        }
        result
    }
}

//! Locks that go from one owner to another: those of a cursor's row, which last from one transaction of its session to the next.

use super::manager::LockManager;
use super::mode::LockMode;
use super::resource::{Resource, ResourceKind};
use super::state::{Held, NO_OBJECT, TxLockState};
use taffrail_base::DatabaseId;

/// Modes of rows of which U is a part.
const STRONGER: [LockMode; 6] = [
    LockMode::X,
    LockMode::RangeSU,
    LockMode::RangeIU,
    LockMode::RangeIX,
    LockMode::RangeXU,
    LockMode::RangeXX,
];

impl LockManager {
    /// Hands a lock on an object, or on a row of `object`, over to another owner. False where neither holds it.
    pub fn hand_over(
        &self,
        from: &mut TxLockState,
        to: &mut TxLockState,
        (object, resource): (&Resource, &Resource),
    ) -> bool {
        // Two cursors may be on one row: who came first has brought its lock.
        if to.held.iter().any(|h| h.resource == *resource) {
            return true;
        }
        let Some(at) = from.held.iter().rposition(|h| h.resource == *resource) else {
            return false;
        };
        let held = from.held.swap_remove(at);
        let hash = resource.hash();
        from.forget(hash, resource);
        let mode = self.shard(hash).rename(hash, resource, (from.owner, to.owner));
        let index = to.object(object);
        if held.object == NO_OBJECT {
            let of = from.object(object);
            from.objects[of as usize].mode = LockMode::Null;
            to.objects[index as usize].mode = mode;
            to.held.push(Held { resource: *resource, object: NO_OBJECT });
        } else {
            let of = &mut from.objects[held.object as usize];
            of.rows = of.rows.saturating_sub(1);
            of.rows_in_statement = of.rows_in_statement.saturating_sub(1);
            let using = &mut to.objects[index as usize];
            using.rows += 1;
            using.strongest_row = using.strongest_row.with(mode);
            to.held.push(Held { resource: *resource, object: index });
        }
        true
    }

    /// Hands all locks over that an owner holds in a database, to one that holds none there.
    pub fn hand_over_all(
        &self,
        from: &mut TxLockState,
        to: &mut TxLockState,
        database: DatabaseId,
    ) {
        let of = |h: &&Held| h.resource.database_id() == database;
        let all: Vec<(Resource, Resource)> = from
            .held
            .iter()
            .filter(of)
            .map(|h| match h.object {
                NO_OBJECT => (h.resource, h.resource),
                at => (from.objects[at as usize].object, h.resource),
            })
            .collect();
        for (object, resource) in all {
            if object.kind() == ResourceKind::Object {
                self.hand_over(from, to, (&object, &resource));
            }
        }
    }

    /// Gives back what an owner holds beside these resources, and leaves no more than U on rows: the transaction that has changed them, or
    /// has locked the range before them, has ended.
    pub fn keep_only(&self, state: &mut TxLockState, wanted: &[Resource]) {
        let mut at = 0;
        while let Some(held) = state.held.get(at).copied() {
            if !wanted.contains(&held.resource) {
                self.release(state, &held.resource);
                continue;
            }
            if held.object != NO_OBJECT {
                for mode in STRONGER {
                    self.weaken(state, &held.resource, (mode, LockMode::U));
                }
            }
            at += 1;
        }
    }
}

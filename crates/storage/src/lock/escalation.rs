//! Escalation: many row locks of one statement become one lock on the object.

use taffrail_base::SessionId;
use taffrail_observe::{Event, EventRing};

use super::manager::LockManager;
use super::mode::LockMode;
use super::state::{Held, RECENT, TxLockState};

impl LockManager {
    /// Whether the statement has locked so many rows of one heap or index, that of its last lock: those of two indexes of a table are
    /// counted apart.
    #[cold]
    pub(super) fn many_of_one(&self, state: &TxLockState, index: u32) -> bool {
        let of_object = |held: &&Held| held.object == index;
        let in_statement = state.objects[index as usize].rows_in_statement as usize;
        let mut latest = state.held.iter().rev().filter(of_object).take(in_statement).peekable();
        let hobt = latest.peek().map(|held| held.resource.associated_entity_id());
        let same = |held: &&Held| Some(held.resource.associated_entity_id()) == hobt;
        let enough = self.limits.escalation_threshold as usize;
        latest.filter(same).take(enough).count() >= enough
    }

    /// Tries to exchange the row and page locks on an object for a lock on the object; never waits. `memory`: all locks
    /// are many, not those of the statement.
    pub(super) fn escalate(&self, state: &mut TxLockState, index: u32, memory: bool) -> bool {
        let using = state.objects[index as usize];
        let writes = !LockMode::S.covers_row(using.strongest_row) || using.mode.writes();
        let mode = if writes { LockMode::X } else { LockMode::S };
        if !self.try_acquire(state, using.object, mode) {
            return false;
        }
        let owner = state.owner;
        // The tree whose lock was one too many; 0 for a heap, whose locks do not name it.
        let of = |held: &Held| held.resource.associated_entity_id();
        let last = state.held.iter().rev().find(|held| held.object == index);
        let hobt = last.map_or(0, of);
        let mut hobt_locks = 0;
        state.held.retain(|held: &mut Held| {
            let of_object = held.object == index;
            if of_object {
                hobt_locks += u32::from(of(held) == hobt);
                self.unlock(&held.resource, held.resource.hash(), owner);
            }
            !of_object
        });
        let using = &mut state.objects[index as usize];
        let locks = using.rows;
        (using.rows, using.rows_in_statement) = (0, 0);
        state.recent = [None; RECENT];
        self.escalations.inc();
        let object = state.objects[index as usize].object;
        EventRing::global().push(Event::LockEscalation {
            database: object.database_id(),
            object: object.object_id().map_or(0, |o| o.0),
            session: SessionId(owner.session()),
            locks,
            hobt: hobt as u64,
            hobt_locks,
            exclusive: writes,
            memory,
        });
        true
    }
}

//! What the tests of the lock manager share.

mod load;
mod manager;
mod table;

use std::time::{Duration, Instant};

use taffrail_base::{DatabaseId, HobtId, ObjectId, SessionId};

use super::{LockLimits, LockManager, LockStatus, OwnerKind, Resource, TxLockState};

const DB: DatabaseId = DatabaseId(5);

fn object(n: i32) -> Resource {
    Resource::object(DB, ObjectId(n))
}

fn row(n: u64) -> Resource {
    Resource::key(DB, HobtId(1), n)
}

fn quick() -> LockManager {
    LockManager::new(LockLimits {
        deadlock_delay: Duration::from_millis(1),
        ..LockLimits::default()
    })
}

fn owner(locks: &LockManager, session: u16) -> TxLockState {
    locks.owner(SessionId(session), OwnerKind::Transaction)
}

/// Until another thread has come to the point of waiting.
fn until(mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "what is waited for does not happen");
        std::thread::yield_now();
    }
}

fn waiters(locks: &LockManager) -> usize {
    locks.snapshot().iter().filter(|r| r.status != LockStatus::Grant).count()
}

/// xorshift64*: enough for tests, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }
}

//! Ranges of keys: which keys are locked, in which mode, and who waits for whom.

use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{ObjectId, SessionId};
use taffrail_storage::lock::{LockError, LockMode, LockStatus, OwnerKind, Resource, ResourceKind};
use taffrail_storage::{
    Database, Direction, Durability, Growth, Hobt, KeyRange, ScanLocks, StorageError,
    StorageResult, Transaction, btree,
};

use crate::rig;

use rig::{MB, Rig, begin_impatient, make};

const OBJECT: i32 = 1000;
/// Rows of this size: five to a leaf.
const WIDE: usize = 1500;

fn key(n: u32) -> [u8; 4] {
    n.to_be_bytes()
}

struct World {
    db: Arc<Database>,
    tree: Arc<Hobt>,
}

fn world() -> World {
    let growth = Growth::Bytes(MB);
    let db = Rig::new(7).frames(64).data(2 * MB, growth).log(4 * MB, growth).create();
    let tree = db.hobt(make(&db, OBJECT, 1)).unwrap();
    World { db, tree }
}

impl World {
    /// A transaction that does not wait, and holds IX on the table.
    fn begin(&self, session: u16) -> Transaction {
        let mut tx = begin_impatient(&self.db, session);
        tx.lock_object(ObjectId(OBJECT), LockMode::IX).unwrap();
        tx
    }

    fn with(self, keys: impl IntoIterator<Item = u32>, size: usize) -> World {
        let mut tx = self.begin(50);
        for n in keys {
            btree::insert(&mut tx, &self.tree, &key(n), &vec![1; size]).unwrap();
        }
        tx.commit(Durability::Full).unwrap();
        self
    }

    fn delete(&self, keys: impl IntoIterator<Item = u32>) {
        let mut tx = self.begin(50);
        for n in keys {
            assert!(btree::delete(&mut tx, &self.tree, &key(n)).unwrap());
        }
        tx.commit(Durability::Full).unwrap();
    }

    fn insert(&self, tx: &mut Transaction, n: u32) -> StorageResult<()> {
        btree::insert(tx, &self.tree, &key(n), &[2; 10])
    }

    /// True if another transaction may insert the key now; it does not stay.
    fn may_insert(&self, n: u32) -> bool {
        let mut tx = self.begin(60);
        let inserted = self.insert(&mut tx, n);
        tx.rollback().unwrap();
        match inserted {
            Ok(()) => true,
            Err(StorageError::Lock(LockError::Timeout(ResourceKind::Key))) => false,
            Err(e) => panic!("{n}: {e}"),
        }
    }

    /// Which of the keys from 0 to 12 another transaction may insert.
    fn open(&self, there: &[u32]) -> Vec<u32> {
        (0..=12).filter(|n| !there.contains(n) && self.may_insert(*n)).collect()
    }

    fn read(
        &self,
        tx: &mut Transaction,
        range: KeyRange,
        direction: Direction,
        locks: ScanLocks,
    ) -> StorageResult<Vec<u32>> {
        let mut cursor = btree::seek(&self.tree, range, direction, locks);
        let mut keys = Vec::new();
        while let Some((k, _)) = cursor.next(tx)? {
            keys.push(u32::from_be_bytes(k.try_into().unwrap()));
        }
        Ok(keys)
    }

    /// Key locks: the keys, as far as they are from 0 to 12 or the end, in order, with their modes.
    fn locks(&self) -> Vec<String> {
        let name = |description: &str| {
            let of = |n: u32| {
                format!("({:012x})", btree::key_hash(self.tree.id().0, &key(n))) == description
            };
            match (0..=12).find(|n| of(*n)) {
                Some(n) => format!("{n:2}"),
                None if description == "(ffffffffffff)" => "end".to_owned(),
                None => "??".to_owned(),
            }
        };
        let rows = self.db.instance().locks.snapshot();
        let keys = rows.iter().filter(|r| r.resource.kind() == ResourceKind::Key);
        let mut all: Vec<String> = keys
            .map(|r| {
                assert_eq!(r.status, LockStatus::Grant);
                format!("{} {}", name(&r.resource.description()), r.mode.name())
            })
            .collect();
        all.sort();
        all
    }
}

fn between(lower: u32, upper: u32) -> KeyRange {
    KeyRange {
        lower: Some(key(lower).to_vec()),
        upper: Some(key(upper).to_vec()),
        upper_inclusive: true,
        ..KeyRange::default()
    }
}

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

#[test]
fn a_range_is_its_keys_and_the_next_one() {
    let w = world().with([2, 4, 6, 9], 10);
    for direction in BOTH {
        let mut tx = w.begin(51);
        let mut found = w.read(&mut tx, between(3, 6), direction, ScanLocks::RangeShared).unwrap();
        found.sort_unstable();
        assert_eq!(found, [4, 6]);
        assert_eq!(w.locks(), [" 4 RangeS-S", " 6 RangeS-S", " 9 RangeS-S"]);
        assert_eq!(w.open(&[2, 4, 6, 9]), [0, 1, 10, 11, 12]);
        tx.commit(Durability::Full).unwrap();
        assert!(w.locks().is_empty());
        assert_eq!(w.open(&[2, 4, 6, 9]), [0, 1, 3, 5, 7, 8, 10, 11, 12]);
    }
}

#[test]
fn the_end_of_the_tree_is_a_key() {
    let w = world().with([2, 4], 10);
    for direction in BOTH {
        let mut tx = w.begin(51);
        w.read(&mut tx, between(3, 9), direction, ScanLocks::RangeUpdate).unwrap();
        assert_eq!(w.locks(), [" 4 RangeS-U", "end RangeS-U"]);
        assert_eq!(w.open(&[2, 4]), [0, 1]);
        tx.rollback().unwrap();
        let mut tx = w.begin(51);
        w.read(&mut tx, KeyRange::default(), direction, ScanLocks::RangeExclusive).unwrap();
        assert_eq!(w.locks(), [" 2 RangeX-X", " 4 RangeX-X", "end RangeX-X"]);
        assert_eq!(w.open(&[2, 4]), [0_u32; 0]);
        tx.rollback().unwrap();
    }
}

#[test]
fn a_tree_without_pages_or_rows_has_its_end() {
    let w = world();
    for direction in BOTH {
        for range in [between(3, 6), between(5, 5), KeyRange::default()] {
            let mut tx = w.begin(51);
            let found = w.read(&mut tx, range.clone(), direction, ScanLocks::RangeShared).unwrap();
            assert!(found.is_empty());
            assert_eq!(w.locks(), ["end RangeS-S"]);
            assert_eq!(w.open(&[]), [0_u32; 0], "{range:?}");
            tx.rollback().unwrap();
        }
    }
    let w = w.with([5], 10);
    w.delete([5]);
    let mut tx = w.begin(51);
    assert!(
        w.read(&mut tx, between(6, 7), Direction::Forward, ScanLocks::RangeShared)
            .unwrap()
            .is_empty()
    );
    assert_eq!(w.locks(), ["end RangeS-S"]);
    tx.rollback().unwrap();
}

#[test]
fn one_key_has_a_plain_lock_if_it_is_there() {
    let w = world().with([2, 5, 9], 10);
    let modes = [
        (ScanLocks::RangeShared, "S", "RangeS-S"),
        (ScanLocks::RangeUpdate, "U", "RangeS-U"),
        (ScanLocks::RangeExclusive, "X", "RangeX-X"),
    ];
    for (locks, plain, range) in modes {
        for direction in BOTH {
            let mut tx = w.begin(51);
            assert_eq!(w.read(&mut tx, between(5, 5), direction, locks).unwrap(), [5]);
            assert_eq!(w.locks(), [format!(" 5 {plain}")]);
            assert_eq!(w.open(&[2, 5, 9]), [0, 1, 3, 4, 6, 7, 8, 10, 11, 12]);
            tx.rollback().unwrap();
            let mut tx = w.begin(51);
            assert!(w.read(&mut tx, between(6, 6), direction, locks).unwrap().is_empty());
            assert_eq!(w.locks(), [format!(" 9 {range}")]);
            assert_eq!(w.open(&[2, 5, 9]), [0, 1, 3, 4, 10, 11, 12]);
            tx.rollback().unwrap();
        }
    }
}

#[test]
fn ghosts_guard_and_stay_while_they_do() {
    let w = world().with([2, 4, 5, 6, 9], 10);
    w.delete([4, 5, 9]);
    let clean = || w.db.clean_ghosts(100).unwrap();
    for direction in BOTH {
        let mut tx = w.begin(51);
        let found = w.read(&mut tx, between(3, 6), direction, ScanLocks::RangeShared).unwrap();
        assert_eq!(found, [6]);
        let held = [" 4 RangeS-S", " 5 RangeS-S", " 6 RangeS-S", " 9 RangeS-S"];
        assert_eq!(w.locks(), held);
        for _ in 0..2 {
            assert_eq!(w.open(&[2, 6]), [0, 1, 10, 11, 12]);
            // 5, 4 and 9 stay as they are locked.
            clean();
        }
        assert_eq!(w.locks(), held);
        tx.rollback().unwrap();
    }
    // The ghost of a key that is sought alone is locked as the key is.
    let mut tx = w.begin(51);
    assert!(w.read(&mut tx, between(5, 5), BOTH[0], ScanLocks::RangeUpdate).unwrap().is_empty());
    assert_eq!(w.locks(), [" 5 U"]);
    clean();
    assert!(!w.may_insert(5));
    w.insert(&mut tx, 5).unwrap();
    tx.rollback().unwrap();
    clean();
    assert_eq!(w.open(&[2, 6]), [0, 1, 3, 4, 5, 7, 8, 9, 10, 11, 12]);
    let mut tx = w.begin(51);
    assert_eq!(w.read(&mut tx, between(3, 6), BOTH[0], ScanLocks::RangeShared).unwrap(), [6]);
    assert_eq!(w.locks(), [" 6 RangeS-S", "end RangeS-S"]);
    tx.rollback().unwrap();
}

#[test]
fn a_key_put_into_a_gap_of_ones_own_guards_it() {
    let w = world().with([2, 9], 10);
    let mut tx = w.begin(51);
    assert!(w.read(&mut tx, between(5, 7), BOTH[0], ScanLocks::RangeShared).unwrap().is_empty());
    w.insert(&mut tx, 6).unwrap();
    w.insert(&mut tx, 4).unwrap();
    assert_eq!(w.locks(), [" 4 RangeX-X", " 6 RangeX-X", " 9 RangeS-S"]);
    assert_eq!(w.open(&[2, 4, 6, 9]), [0, 1, 10, 11, 12]);
    // Beyond the range nothing is guarded by what is put there.
    w.insert(&mut tx, 11).unwrap();
    assert_eq!(w.open(&[2, 4, 6, 9, 11]), [0, 1, 10, 12]);
    tx.rollback().unwrap();
    assert_eq!(w.open(&[2, 9]), [0, 1, 3, 4, 5, 6, 7, 8, 10, 11, 12]);
}

#[test]
fn a_gap_stays_guarded_when_the_key_behind_it_is_taken_back() {
    let w = world().with([2, 11], 10);
    for direction in BOTH {
        let mut tx = w.begin(51);
        w.insert(&mut tx, 1).unwrap();
        let savepoint = tx.savepoint();
        w.insert(&mut tx, 6).unwrap();
        w.insert(&mut tx, 8).unwrap();
        assert!(
            w.read(&mut tx, between(4, 5), direction, ScanLocks::RangeShared).unwrap().is_empty()
        );
        let savepoint_behind = tx.savepoint();
        tx.rollback_to(savepoint_behind).unwrap();
        assert!(!w.may_insert(5));
        tx.rollback_to(savepoint).unwrap();
        assert!(!w.may_insert(5) && !w.may_insert(4), "{:?}", w.locks());
        tx.rollback().unwrap();
        assert!(w.may_insert(5));
    }
}

#[test]
fn gaps_reach_from_leaf_to_leaf() {
    // Two hundred leaves; every gap between two keys is looked at, at the seams too.
    let w = world().with((0..400).map(|n| 2 * n + 1), WIDE);
    for direction in BOTH {
        for n in 0..399 {
            let mut tx = w.begin(51);
            let range = between(2 * n + 2, 2 * n + 2);
            assert!(w.read(&mut tx, range, direction, ScanLocks::RangeShared).unwrap().is_empty());
            assert!(!w.may_insert(2 * n + 2), "{n}");
            if n % 16 == 3 {
                assert!(w.may_insert(2 * n) && w.may_insert(2 * n + 4));
            }
            tx.rollback().unwrap();
        }
        let mut tx = w.begin(51);
        let found = w.read(&mut tx, between(100, 300), direction, ScanLocks::RangeShared).unwrap();
        assert_eq!(found.len(), 100);
        assert!((50..=150).all(|n| !w.may_insert(2 * n)));
        assert!(w.may_insert(98) && w.may_insert(302));
        assert_eq!(w.locks().len(), 101);
        tx.rollback().unwrap();
    }
}

#[test]
fn splits_move_no_guard() {
    let w = world().with([99, 100, 200], WIDE);
    let mut reader = w.begin(51);
    let found = w.read(&mut reader, between(100, 150), BOTH[0], ScanLocks::RangeShared).unwrap();
    assert_eq!(found, [100]);
    let mut writer = w.begin(52);
    for n in (20..99).chain(201..280) {
        btree::insert(&mut writer, &w.tree, &key(n), &[3; WIDE]).unwrap();
    }
    for n in [101, 150, 199] {
        assert!(!w.may_insert(n));
        assert!(matches!(w.insert(&mut writer, n), Err(StorageError::Lock(_))));
    }
    writer.commit(Durability::Full).unwrap();
    assert!(!w.may_insert(150) && w.may_insert(281));
    reader.commit(Durability::Full).unwrap();
    assert!(w.may_insert(150));
}

#[test]
fn a_lock_on_the_table_makes_ranges_needless() {
    let w = world().with([2, 4], 10);
    let mut tx = begin_impatient(&w.db, 51);
    tx.lock_object(ObjectId(OBJECT), LockMode::S).unwrap();
    w.read(&mut tx, KeyRange::default(), BOTH[0], ScanLocks::RangeShared).unwrap();
    assert!(w.locks().is_empty());
    tx.rollback().unwrap();
    // Six thousand keys of one statement become one lock.
    let w = world().with(0..6000, 10);
    let mut tx = begin_impatient(&w.db, 51);
    tx.lock_object(ObjectId(OBJECT), LockMode::IS).unwrap();
    let all = w.read(&mut tx, KeyRange::default(), BOTH[0], ScanLocks::RangeShared).unwrap();
    assert_eq!(all.len(), 6000);
    assert!(w.locks().is_empty());
    assert_eq!(tx.locks_mut().count(), 1);
    tx.rollback().unwrap();
}

/// Both read that a key is not there; both want to insert it. Who has promised nothing to the other loses.
#[test]
fn two_readers_that_insert_what_they_missed() {
    let w = world().with([2, 9], 10);
    let seen = |locks| {
        let both = std::sync::Barrier::new(2);
        let outcomes = std::thread::scope(|s| {
            let threads = [51, 52].map(|session| {
                let (w, both) = (&w, &both);
                s.spawn(move || {
                    let mut tx = rig::begin_as(&w.db, session);
                    tx.lock_object(ObjectId(OBJECT), LockMode::IX).unwrap();
                    both.wait();
                    let there = w.read(&mut tx, between(5, 5), BOTH[0], locks)?;
                    if locks == ScanLocks::RangeShared {
                        both.wait();
                    }
                    std::thread::sleep(Duration::from_millis(10));
                    if there.is_empty() {
                        w.insert(&mut tx, 5)?;
                    }
                    tx.commit(Durability::Full)?;
                    Ok::<bool, StorageError>(there.is_empty())
                })
            });
            threads.map(|t| t.join().unwrap())
        });
        w.delete([5]);
        w.db.clean_ghosts(10).unwrap();
        outcomes
    };
    let outcomes = seen(ScanLocks::RangeShared);
    let victims = outcomes
        .iter()
        .filter(|o| matches!(o, Err(StorageError::Lock(LockError::Deadlock { .. }))))
        .count();
    assert_eq!((victims, outcomes.iter().filter(|o| o.is_ok()).count()), (1, 1), "{outcomes:?}");
    for _ in 0..5 {
        let mut inserted = seen(ScanLocks::RangeUpdate).map(Result::unwrap);
        inserted.sort_unstable();
        assert_eq!(inserted, [false, true]);
    }
}

/// An INSERT that asks no one waits for the gap, and holds nothing that its guard may want.
#[test]
fn who_waits_for_a_gap_does_not_hold_the_key() {
    let w = world().with([2, 9], 10);
    let mut guard = rig::begin_as(&w.db, 51);
    guard.lock_object(ObjectId(OBJECT), LockMode::IX).unwrap();
    assert!(w.read(&mut guard, between(5, 5), BOTH[0], ScanLocks::RangeUpdate).unwrap().is_empty());
    std::thread::scope(|s| {
        let other = s.spawn(|| {
            let mut tx = rig::begin_as(&w.db, 52);
            tx.lock_object(ObjectId(OBJECT), LockMode::IX).unwrap();
            let inserted = w.insert(&mut tx, 5);
            tx.rollback().unwrap();
            inserted
        });
        let waits = || {
            let rows = w.db.instance().locks.snapshot();
            rows.iter().any(|r| r.status == LockStatus::Wait && r.mode == LockMode::RangeIN)
        };
        while !waits() {
            std::thread::yield_now();
        }
        w.insert(&mut guard, 5).unwrap();
        guard.commit(Durability::Full).unwrap();
        assert!(matches!(other.join().unwrap(), Err(StorageError::DuplicateKey)));
    });
}

/// A cursor is used again for another range, in another transaction than before.
#[test]
fn a_cursor_that_begins_anew_guards_for_its_transaction() {
    let w = world().with([2, 9], 10);
    for direction in BOTH {
        let mut cursor =
            btree::seek(&w.tree, KeyRange::default(), direction, ScanLocks::RangeShared);
        for session in [51, 52] {
            let mut tx = w.begin(session);
            cursor.again(between(4, 5), ScanLocks::RangeShared);
            assert!(cursor.next(&mut tx).unwrap().is_none());
            assert_eq!(w.locks(), [" 9 RangeS-S"]);
            assert!(!w.may_insert(5), "session {session}");
            tx.commit(Durability::Full).unwrap();
        }
    }
}

/// Somebody inserts before a key that has been rolled back meanwhile, and has its gap for a moment: the same key is put into a range
/// that its transaction guards, and stays locked.
#[test]
fn a_new_guard_waits_for_the_gap_of_its_own_key() {
    let w = world().with([2, 9], 10);
    let locks = &w.db.instance().locks;
    let mut other = locks.owner(SessionId(52), OwnerKind::Transaction);
    let five = Resource::key(w.db.id(), w.tree.id(), btree::key_hash(w.tree.id().0, &key(5)));
    locks.acquire(&mut other, five, LockMode::RangeIN, None).unwrap();
    std::thread::scope(|s| {
        let guard = s.spawn(|| {
            let mut tx = rig::begin_as(&w.db, 51);
            tx.lock_object(ObjectId(OBJECT), LockMode::IX).unwrap();
            w.read(&mut tx, between(4, 7), BOTH[0], ScanLocks::RangeShared).unwrap();
            w.insert(&mut tx, 5).unwrap();
            let held = w.locks();
            assert_eq!(w.open(&[2, 5, 9]), [0, 1, 10, 11, 12]);
            tx.rollback().unwrap();
            held
        });
        std::thread::sleep(Duration::from_millis(50));
        locks.release_all(&mut other);
        assert_eq!(guard.join().unwrap(), [" 5 RangeX-X", " 9 RangeS-S"]);
    });
}

//! Row versions: a snapshot shows what was committed before it, and its own transaction's changes, whatever others do meanwhile.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::{ObjectId, SessionId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Claimed, Database, Direction, Durability, Growth, Hobt, KeyRange, LobRef, Rid, ScanLocks,
    Snapshot, StorageError, Transaction, btree, heap, lob,
};

use crate::rig::{self, Entries, MB, Rig, begin_impatient, make};

const OBJECT: i32 = 1000;

struct Scene {
    rig: Rig,
    db: Arc<Database>,
    tree: Arc<Hobt>,
    heap: Arc<Hobt>,
}

fn scene_of(seed: u64, versions_bytes: u64) -> Scene {
    let (size, growth) = (8 * MB, Growth::Bytes(8 * MB));
    let rig = Rig::new(seed).dir_synced().frames(512).data(size, growth);
    let mut rig = rig.log(size, growth);
    rig.machine.versions_bytes = versions_bytes;
    let db = rig.create();
    let (tree, heap) = (make(&db, OBJECT, 1), make(&db, OBJECT + 1, 0));
    let (tree, heap) = (db.hobt(tree).unwrap(), db.hobt(heap).unwrap());
    db.set_versions(true);
    assert!(db.versions_ready());
    Scene { rig, db, tree, heap }
}

fn scene(seed: u64) -> Scene {
    scene_of(seed, 64 << 20)
}

fn key(n: u32) -> [u8; 4] {
    n.to_be_bytes()
}

impl Scene {
    fn begin(&self, session: u16) -> Transaction {
        let mut tx = begin_impatient(&self.db, session);
        tx.lock_object(ObjectId(OBJECT), LockMode::IX).unwrap();
        tx.lock_object(ObjectId(OBJECT + 1), LockMode::IX).unwrap();
        tx
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.db.instance().snapshots.take(SessionId(60)).unwrap()
    }

    /// A transaction that reads by a snapshot of now.
    fn reader(&self, session: u16) -> Transaction {
        let mut tx = begin_impatient(&self.db, session);
        tx.set_snapshot(Some(self.snapshot()));
        tx
    }

    fn committed(&self, f: impl FnOnce(&mut Transaction)) {
        let mut tx = self.begin(51);
        f(&mut tx);
        tx.commit(Durability::Full).unwrap();
    }

    fn rows(&self, n: std::ops::Range<u32>, value: &[u8]) {
        self.committed(|tx| {
            for n in n {
                btree::insert(tx, &self.tree, &key(n), value).unwrap();
            }
        });
    }

    /// The tree's rows for a reader, which are the same forward, backward and one by one.
    fn read(&self, tx: &mut Transaction) -> Entries {
        let all = KeyRange::default;
        let rows = rig::entries(tx, &self.tree, all(), ScanLocks::Versions).unwrap();
        let mut back = Entries::new();
        let mut cursor = btree::seek(&self.tree, all(), Direction::Backward, ScanLocks::Versions);
        while let Some((key, value)) = cursor.next(tx).unwrap() {
            assert!(back.insert(key.to_vec(), value.to_vec()).is_none());
        }
        assert_eq!(rows, back);
        let mut value = Vec::new();
        let mut again = btree::seek(&self.tree, all(), Direction::Forward, ScanLocks::Versions);
        for n in 0..400 {
            let there =
                btree::get(tx, &self.tree, &key(n), ScanLocks::Versions, &mut value).unwrap();
            assert_eq!(there.then_some(&value), rows.get(&key(n)[..]), "row {n}");
            let point = KeyRange {
                lower: Some(key(n).to_vec()),
                upper: Some(key(n).to_vec()),
                upper_inclusive: true,
                ..KeyRange::default()
            };
            again.again(point, ScanLocks::Versions);
            let found = again.next(tx).unwrap().map(|(_, value)| value.to_vec());
            assert_eq!(found.as_ref(), rows.get(&key(n)[..]), "row {n}, sought");
        }
        rows
    }

    fn read_heap(&self, tx: &mut Transaction) -> BTreeMap<Rid, Vec<u8>> {
        rig::heap_rows(tx, &self.heap, ScanLocks::Versions).unwrap()
    }

    /// Nobody needs a version any more.
    fn assert_swept(&self) {
        self.db.sweep_versions();
        let left = self.db.row_versions();
        assert_eq!((left.versions, left.bytes), (0, 0));
        assert_eq!(self.db.instance().snapshots.bytes(), 0);
    }
}

fn values(rows: &Entries) -> Vec<(u32, u8)> {
    let number = |k: &[u8]| u32::from_be_bytes(k.try_into().unwrap());
    rows.iter().map(|(k, v)| (number(k), v[0])).collect()
}

#[test]
fn a_snapshot_shows_what_was_committed_before_it_and_own_changes() {
    let s = scene(1);
    s.rows(0..4, &[1; 100]);
    let mut before = s.reader(60);
    let mut writer = s.begin(52);
    btree::update(&mut writer, &s.tree, &key(0), &[2; 300]).unwrap();
    assert!(btree::delete(&mut writer, &s.tree, &key(1)).unwrap());
    btree::insert(&mut writer, &s.tree, &key(9), &[2; 10]).unwrap();
    assert!(btree::delete(&mut writer, &s.tree, &key(2)).unwrap());
    btree::insert(&mut writer, &s.tree, &key(2), &[2; 10]).unwrap();
    let old = [(0, 1), (1, 1), (2, 1), (3, 1)];
    let new = [(0, 2), (2, 2), (3, 1), (9, 2)];
    assert_eq!(values(&s.read(&mut before)), old);
    let mut during = s.reader(61);
    assert_eq!(values(&s.read(&mut during)), old);
    writer.set_snapshot(Some(s.snapshot()));
    assert_eq!(values(&s.read(&mut writer)), new, "its own changes");
    writer.commit(Durability::Full).unwrap();
    assert_eq!(values(&s.read(&mut before)), old);
    assert_eq!(values(&s.read(&mut during)), old);
    let mut after = s.reader(62);
    assert_eq!(values(&s.read(&mut after)), new);
    s.db.sweep_versions();
    s.db.clean_ghosts(100).unwrap();
    assert_eq!(values(&s.read(&mut before)), old, "ghosts stay for it");
    drop((before, during, after));
    s.assert_swept();
    assert!(s.db.clean_ghosts(100).unwrap() > 0);
}

/// Nobody has swept: cleanup finds out by itself that their versions are nobody's.
#[test]
fn ghosts_that_no_snapshot_needs_go_at_once() {
    let s = scene(14);
    s.rows(0..4, &[1; 100]);
    let delete = |n| s.committed(|tx| assert!(btree::delete(tx, &s.tree, &key(n)).unwrap()));
    delete(1);
    assert_eq!(s.db.row_versions().versions, 5);
    assert_eq!(s.db.clean_ghosts(100).unwrap(), 1);
    assert_eq!(s.db.row_versions().versions, 3, "those of the row went with its ghost");
    delete(0);
    let mut reader = s.reader(60);
    delete(2);
    assert_eq!(s.db.clean_ghosts(100).unwrap(), 0, "one stays on the leaf");
    assert_eq!(s.db.row_versions().versions, 2, "one of the ghost that stays, one of a row");
    assert_eq!(values(&s.read(&mut reader)), [(2, 1), (3, 1)]);
    drop(reader);
    assert_eq!(s.db.clean_ghosts(100).unwrap(), 1);
    assert_eq!(s.db.clean_ghosts(100).unwrap(), 0);
    s.assert_swept();
}

#[test]
fn versions_follow_their_rows_through_splits() {
    let s = scene(2);
    s.rows(0..40, &[1; 400]);
    let mut before = s.reader(60);
    let splits = || s.db.rarities().splits.load(std::sync::atomic::Ordering::Relaxed);
    let so_far = splits();
    let mut open = s.begin(52);
    for n in (0..40).step_by(3) {
        btree::update(&mut open, &s.tree, &key(n), &[2; 400]).unwrap();
    }
    s.rows(40..300, &[3; 500]);
    s.committed(|tx| {
        for n in (1..40).step_by(3) {
            btree::update(tx, &s.tree, &key(n), &[4; 3000]).unwrap();
        }
    });
    assert!(splits() > so_far + 20);
    let was: Vec<_> = (0..40).map(|n| (n, 1)).collect();
    assert_eq!(values(&s.read(&mut before)), was);
    open.rollback().unwrap();
    assert_eq!(values(&s.read(&mut before)), was);
    let mut now = s.reader(61);
    let is = (0..300).map(|n| {
        (
            n,
            if n >= 40 {
                3
            } else if n % 3 == 1 {
                4
            } else {
                1
            },
        )
    });
    assert_eq!(values(&s.read(&mut now)), is.collect::<Vec<_>>());
    drop((before, now));
    s.assert_swept();
}

#[test]
fn what_is_taken_back_leaves_no_versions() {
    let s = scene(3);
    s.rows(0..4, &[1; 100]);
    s.db.sweep_versions();
    let mut reader = s.reader(60);
    let mut tx = s.begin(52);
    btree::update(&mut tx, &s.tree, &key(0), &[2; 50]).unwrap();
    let savepoint = tx.savepoint();
    btree::update(&mut tx, &s.tree, &key(0), &[3; 50]).unwrap();
    btree::update(&mut tx, &s.tree, &key(1), &[3; 50]).unwrap();
    btree::insert(&mut tx, &s.tree, &key(7), &[3; 50]).unwrap();
    assert_eq!(s.db.row_versions().versions, 3);
    tx.rollback_to(savepoint).unwrap();
    assert_eq!(s.db.row_versions().versions, 1);
    assert!(!reader.changed_since(&s.tree, &key(1)).unwrap());
    assert!(reader.changed_since(&s.tree, &key(0)).unwrap());
    let old = [(0, 1), (1, 1), (2, 1), (3, 1)];
    assert_eq!(values(&s.read(&mut reader)), old);
    tx.rollback().unwrap();
    assert_eq!(s.db.row_versions().versions, 0);
    assert_eq!(values(&s.read(&mut reader)), old);
    reader.lock_object(ObjectId(OBJECT), LockMode::IX).unwrap();
    let claimed = btree::claim(&mut reader, &s.tree, &key(0), LockMode::X).unwrap();
    assert_eq!(claimed, Claimed::Same);
}

#[test]
fn a_row_that_another_has_changed_since_cannot_be_claimed() {
    let s = scene(4);
    s.rows(0..4, &[1; 100]);
    let mut rid = None;
    s.committed(|tx| rid = Some(heap::insert(tx, &s.heap, &[1; 50]).unwrap()));
    let rid = rid.unwrap();
    let mut tx = s.begin(60);
    tx.set_snapshot(Some(s.snapshot()));
    let mut writer = s.begin(52);
    btree::update(&mut writer, &s.tree, &key(0), &[1; 100]).unwrap();
    assert!(btree::delete(&mut writer, &s.tree, &key(1)).unwrap());
    heap::update(&mut writer, &s.heap, rid, &[2; 50]).unwrap();
    let waits = btree::claim(&mut tx, &s.tree, &key(0), LockMode::X);
    assert!(matches!(waits, Err(StorageError::Lock(_))), "while it may yet be rolled back");
    writer.commit(Durability::Full).unwrap();
    for (n, claimed) in [(0, Claimed::Changed), (1, Claimed::Changed), (2, Claimed::Same)] {
        assert_eq!(btree::claim(&mut tx, &s.tree, &key(n), LockMode::X).unwrap(), claimed, "{n}");
    }
    assert_eq!(heap::claim(&mut tx, &s.heap, rid, LockMode::X).unwrap(), Claimed::Changed);
    btree::update(&mut tx, &s.tree, &key(2), &[9; 100]).unwrap();
    assert_eq!(btree::claim(&mut tx, &s.tree, &key(2), LockMode::X).unwrap(), Claimed::Same);
}

#[test]
fn rows_of_a_heap_that_move_are_where_they_were() {
    let s = scene(5);
    let mut rids = Vec::new();
    s.committed(|tx| {
        rids.extend((0..40).map(|n| heap::insert(tx, &s.heap, &[n; 380]).unwrap()));
    });
    let mut before = s.reader(60);
    let old = s.read_heap(&mut before);
    assert_eq!(old.len(), 40);
    // Grows beyond its page, then is elsewhere again, then goes; others come.
    let grow = |tx: &mut Transaction, n: usize, size: usize| {
        heap::update(tx, &s.heap, rids[n], &vec![100 + n as u8; size]).unwrap();
    };
    s.committed(|tx| (0..5).for_each(|n| grow(tx, n, 3000)));
    let mut moved = s.reader(61);
    let then = s.read_heap(&mut moved);
    let mut open = s.begin(52);
    grow(&mut open, 0, 7000);
    grow(&mut open, 1, 20);
    assert!(heap::delete(&mut open, &s.heap, rids[2]).unwrap());
    assert!(heap::delete(&mut open, &s.heap, rids[30]).unwrap());
    heap::insert(&mut open, &s.heap, &[7; 500]).unwrap();
    assert_eq!(s.read_heap(&mut before), old);
    assert_eq!(s.read_heap(&mut moved), then);
    let mut row = Vec::new();
    for rid in &rids {
        let there = heap::fetch(&mut moved, &s.heap, *rid, ScanLocks::Versions, &mut row).unwrap();
        assert_eq!(there.then_some(&row), then.get(rid));
    }
    open.commit(Durability::Full).unwrap();
    s.committed(|tx| {
        (0..20).for_each(|_| {
            heap::insert(tx, &s.heap, &[8; 900]).unwrap();
        })
    });
    assert_eq!(s.read_heap(&mut before), old);
    assert_eq!(s.read_heap(&mut moved), then);
    let mut now = s.reader(62);
    let dirty = rig::heap_rows(&mut now, &s.heap, ScanLocks::None).unwrap();
    assert_eq!(s.read_heap(&mut now), dirty);
    drop((before, moved, now));
    s.assert_swept();
}

#[test]
fn large_values_of_old_versions_stay() {
    let s = scene(6);
    let long = vec![5; 3 * lob::PIECE];
    let mut stored = None;
    s.committed(|tx| {
        let value = lob::write(tx, &s.tree, &long).unwrap();
        btree::insert(tx, &s.tree, &key(1), &value.to_bytes()).unwrap();
        stored = Some(value);
    });
    let stored = stored.unwrap();
    let mut reader = s.reader(60);
    s.committed(|tx| {
        lob::delete(tx, &s.tree, stored).unwrap();
        assert!(btree::delete(tx, &s.tree, &key(1)).unwrap());
    });
    // Others would take what is free.
    s.committed(|tx| {
        lob::write(tx, &s.tree, &vec![6; 40 * lob::PIECE]).unwrap();
    });
    s.db.sweep_versions();
    let row = s.read(&mut reader).remove(&key(1)[..]).unwrap();
    let found = LobRef::from_bytes(row.try_into().unwrap());
    let mut bytes = Vec::new();
    assert!(lob::read_unlocked(&mut reader, &s.tree, found, 0, u64::MAX, &mut bytes).unwrap());
    assert_eq!(bytes, long);
    let used = || s.db.space_used(s.tree.id()).unwrap().used_pages;
    let held = used();
    drop(reader);
    s.assert_swept();
    assert!(used() <= held - 3, "given back");
}

#[test]
fn what_is_loaded_is_not_there_for_earlier_snapshots() {
    let s = scene(11);
    s.committed(|tx| {
        heap::insert(tx, &s.heap, &[1; 50]).unwrap();
    });
    let (empty, filled) = {
        let mut tx = s.begin(51);
        let id = rig::make_in(&mut tx, OBJECT, 2);
        tx.commit(Durability::Full).unwrap();
        (id, s.db.hobt(id).unwrap())
    };
    let mut before = s.reader(60);
    let all = KeyRange::default;
    let mut load = s.begin(52);
    load.lock_object(ObjectId(OBJECT), LockMode::X).unwrap();
    load.lock_object(ObjectId(OBJECT + 1), LockMode::X).unwrap();
    let mut pages = heap::HeapLoad::open(&s.heap);
    (0..5000).for_each(|_| pages.push(&mut load, &[2; 300]).unwrap());
    assert_eq!(pages.finish(&mut load).unwrap(), 5000);
    let entries = (0..5000).map(|n| Ok::<_, StorageError>((key(n).to_vec(), vec![2; 300])));
    btree::build(&mut load, &filled, entries).unwrap();
    let none = |tx: &mut Transaction| {
        assert_eq!(s.read_heap(tx).len(), 1);
        let mut value = Vec::new();
        assert!(!btree::get(tx, &filled, &key(7), ScanLocks::Versions, &mut value).unwrap());
        rig::entries(tx, &filled, all(), ScanLocks::Versions).unwrap().len()
    };
    assert_eq!(none(&mut before), 0);
    load.commit(Durability::Full).unwrap();
    s.committed(|tx| btree::update(tx, &filled, &key(7), &[3; 10]).unwrap());
    assert_eq!(none(&mut before), 0);
    let mut after = s.reader(61);
    assert_eq!(s.read_heap(&mut after).len(), 5001);
    let rows = rig::entries(&mut after, &filled, all(), ScanLocks::Versions).unwrap();
    assert_eq!((rows.len(), &rows[&key(7)[..]]), (5000, &vec![3; 10]));
    // Emptied: those of before are told so, while it may be undone and after.
    let mut tx = s.begin(52);
    tx.lock_object(ObjectId(OBJECT), LockMode::SchM).unwrap();
    s.db.truncate_hobt(&mut tx, empty).unwrap();
    let told = |tx: &mut Transaction| {
        let found = rig::entries(tx, &filled, all(), ScanLocks::Versions);
        matches!(found, Err(StorageError::Sql(e)) if e.number == 3961)
    };
    assert!(told(&mut after));
    tx.rollback().unwrap();
    let rows = rig::entries(&mut after, &filled, all(), ScanLocks::Versions).unwrap();
    assert_eq!(rows.len(), 5000);
    let mut tx = s.begin(52);
    tx.lock_object(ObjectId(OBJECT), LockMode::SchM).unwrap();
    s.db.truncate_hobt(&mut tx, empty).unwrap();
    tx.commit(Durability::Full).unwrap();
    assert!(told(&mut after));
    s.committed(|tx| btree::insert(tx, &filled, &key(1), &[1]).unwrap());
    assert!(told(&mut after));
    let mut now = s.reader(62);
    assert_eq!(rig::entries(&mut now, &filled, all(), ScanLocks::Versions).unwrap().len(), 1);
    drop((before, after, now));
    s.assert_swept();
}

#[test]
fn who_changes_more_than_there_is_memory_for_is_not_stopped() {
    let s = scene_of(12, 20_000);
    s.rows(0..300, &[1; 300]);
    let mut writer = s.begin(52);
    (0..300).for_each(|n| btree::update(&mut writer, &s.tree, &key(n), &[2; 300]).unwrap());
    assert!(s.db.instance().snapshots.bytes() < 60_000);
    let mut reader = s.reader(60);
    let found = rig::entries(&mut reader, &s.tree, KeyRange::default(), ScanLocks::Versions);
    assert!(matches!(found, Err(StorageError::VersionGone)));
    writer.rollback().unwrap();
    assert_eq!(values(&s.read(&mut reader)), (0..300).map(|n| (n, 1)).collect::<Vec<_>>());
    drop(reader);
    s.assert_swept();
}

#[test]
fn versions_between_snapshots_go() {
    let s = scene(7);
    s.rows(0..2, &[1; 100]);
    let mut old = s.reader(60);
    for round in 0..200 {
        s.committed(|tx| btree::update(tx, &s.tree, &key(0), &[round; 100]).unwrap());
    }
    let there = s.db.row_versions().versions;
    assert!(there < 12, "{there} versions of a row that one old snapshot needs");
    let mut middle = s.reader(61);
    for _ in 0..200 {
        s.committed(|tx| btree::update(tx, &s.tree, &key(0), &[250; 100]).unwrap());
    }
    s.db.sweep_versions();
    assert_eq!(s.db.row_versions().versions, 2);
    assert_eq!(values(&s.read(&mut old)), [(0, 1), (1, 1)]);
    assert_eq!(values(&s.read(&mut middle)), [(0, 199), (1, 1)]);
    drop((old, middle));
    s.assert_swept();
}

#[test]
fn the_oldest_snapshots_end_where_memory_does() {
    let s = scene_of(8, 100_000);
    s.rows(0..300, &[1; 300]);
    s.db.sweep_versions();
    let mut old = s.reader(60);
    s.committed(|tx| {
        (0..100).for_each(|n| btree::update(tx, &s.tree, &key(n), &[2; 300]).unwrap());
    });
    let mut new = s.reader(61);
    s.committed(|tx| {
        (100..300).for_each(|n| btree::update(tx, &s.tree, &key(n), &[3; 300]).unwrap());
    });
    let all = KeyRange::default();
    let gone = rig::entries(&mut old, &s.tree, all, ScanLocks::Versions);
    assert!(matches!(gone, Err(StorageError::VersionGone)));
    let mut value = Vec::new();
    let gone = btree::get(&mut old, &s.tree, &key(7), ScanLocks::Versions, &mut value);
    assert!(matches!(gone, Err(StorageError::VersionGone)));
    assert!(matches!(old.changed_since(&s.tree, &key(7)), Err(StorageError::VersionGone)));
    let (n, rows) = (values(&s.read(&mut new)), (0..300).map(|n| (n, if n < 100 { 2 } else { 1 })));
    assert_eq!(n, rows.collect::<Vec<_>>());
    assert!(s.db.instance().snapshots.bytes() <= 100_000);
}

/// A database's own sweep gives nothing of another's back: no snapshot ends where that would have helped.
#[test]
fn no_more_snapshots_end_than_there_is_want_of_memory() {
    let s = scene_of(15, 100_000);
    let other = s.rig.clone().id(6).named("u").create_in(s.db.instance()).unwrap();
    let tree = other.hobt(make(&other, OBJECT, 1)).unwrap();
    other.set_versions(true);
    let others = |put: &dyn Fn(&mut Transaction, u32)| {
        let mut tx = begin_impatient(&other, 52);
        tx.lock_object(ObjectId(OBJECT), LockMode::IX).unwrap();
        (0..200).for_each(|n| put(&mut tx, n));
        tx.commit(Durability::Full).unwrap();
    };
    others(&|tx, n| btree::insert(tx, &tree, &key(n), &[1; 300]).unwrap());
    s.rows(0..1, &[1; 300]);
    other.sweep_versions();
    let _oldest = s.reader(60);
    others(&|tx, n| btree::update(tx, &tree, &key(n), &[2; 300]).unwrap());
    let mut next = s.reader(61);
    s.committed(|tx| btree::update(tx, &s.tree, &key(0), &[2; 300]).unwrap());
    let _newer = s.reader(62);
    let snapshots = &s.db.instance().snapshots;
    let ended = || snapshots.open().iter().filter(|open| open.ended).count();
    assert!(snapshots.bytes() > 70_000, "{}", snapshots.bytes());
    assert_eq!(ended(), 0);
    s.rows(1..400, &[3; 300]);
    assert!(snapshots.bytes() < 70_000, "{}", snapshots.bytes());
    assert_eq!(ended(), 1);
    assert_eq!(values(&s.read(&mut next)), [(0, 1)]);
}

/// A transaction that ran had more than there is room for. That is over: the next who need that much are not let have it.
#[test]
fn memory_that_a_transaction_had_is_no_later_ones() {
    let s = scene_of(16, 100_000);
    s.rows(0..300, &[1; 300]);
    s.db.sweep_versions();
    let mut writer = s.begin(52);
    (0..260).for_each(|n| btree::update(&mut writer, &s.tree, &key(n), &[2; 300]).unwrap());
    s.committed(|tx| btree::update(tx, &s.tree, &key(299), &[3; 300]).unwrap());
    writer.commit(Durability::Full).unwrap();
    s.assert_swept();
    let old = s.reader(60);
    s.committed(|tx| {
        (0..250).for_each(|n| btree::update(tx, &s.tree, &key(n), &[4; 300]).unwrap());
    });
    let snapshots = &s.db.instance().snapshots;
    assert!(snapshots.bytes() <= 100_000, "{}", snapshots.bytes());
    assert!(snapshots.open().iter().all(|open| open.ended));
    drop(old);
    s.assert_swept();
}

#[test]
fn a_database_is_seen_when_those_who_wrote_without_versions_have_ended() {
    let s = scene(9);
    s.rows(0..2, &[1; 100]);
    s.db.set_versions(false);
    assert!(!s.db.versions_ready());
    let mut without = s.begin(52);
    btree::update(&mut without, &s.tree, &key(0), &[2; 100]).unwrap();
    assert_eq!(s.db.row_versions().versions, 2, "of the rows' insertion");
    s.db.set_versions(true);
    let early = s.snapshot();
    assert!(!s.db.versions_ready() && !s.db.sees(&early));
    btree::update(&mut without, &s.tree, &key(1), &[2; 100]).unwrap();
    without.commit(Durability::Full).unwrap();
    assert!(s.db.versions_ready());
    let late = s.snapshot();
    assert!(!s.db.sees(&early) && s.db.sees(&late));
    let mut reader = s.begin(60);
    reader.set_snapshot(Some(late));
    s.committed(|tx| btree::update(tx, &s.tree, &key(0), &[3; 100]).unwrap());
    assert_eq!(values(&s.read(&mut reader)), [(0, 2), (1, 2)]);
}

#[test]
fn nothing_of_versions_is_needed_after_a_restart() {
    let s = scene(10);
    s.rows(0..4, &[1; 100]);
    let reader = s.reader(60);
    let mut open = s.begin(52);
    btree::update(&mut open, &s.tree, &key(0), &[2; 300]).unwrap();
    s.committed(|tx| assert!(btree::delete(tx, &s.tree, &key(1)).unwrap()));
    s.db.checkpoint(taffrail_storage::CheckpointKind::Manual).unwrap();
    let Scene { rig, db, tree, heap } = s;
    let id = tree.id();
    drop((tree, heap, reader));
    rig.lose_power((db, open));
    let db = rig.open();
    db.set_versions(true);
    assert!(db.versions_ready());
    let tree = db.hobt(id).unwrap();
    let mut tx = begin_impatient(&db, 60);
    tx.set_snapshot(Some(db.instance().snapshots.take(SessionId(60)).unwrap()));
    let rows = rig::entries(&mut tx, &tree, KeyRange::default(), ScanLocks::Versions).unwrap();
    assert_eq!(values(&rows), [(0, 1), (2, 1), (3, 1)]);
}

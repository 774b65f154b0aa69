//! A cursor that begins anew on another range, or goes on in a later transaction, gives what a new one gives, whatever has become of
//! the page that it copied.

use taffrail_base::{IndexId, ObjectId};
use taffrail_storage::btree::BTreeCursor;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Direction, Durability, Growth, HobtKind, KeyRange, ScanLocks, Transaction, btree, heap,
};

use crate::rig;

use rig::{MB, Rig, begin};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn rows(c: &mut BTreeCursor, tx: &mut Transaction, most: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut out = Vec::new();
    while out.len() < most
        && let Some((k, v)) = c.next(tx).unwrap()
    {
        out.push((k.to_vec(), v.to_vec()));
    }
    out
}

#[test]
fn a_cursor_that_begins_again_gives_what_a_new_one_gives() {
    let growth = Growth::Bytes(16 * MB);
    let db = Rig::new(3).frames(2000).data(16 * MB, growth).log(64 * MB, growth).create();
    let mut tx = begin(&db);
    let tree = db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(1000), IndexId(1)).unwrap();
    tx.commit(Durability::Full).unwrap();
    let tree = db.hobt(tree).unwrap();
    let key = |n: u64| (n as u32).to_be_bytes();
    let mut tx = begin(&db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut given = 0;
    for locks in [ScanLocks::None, ScanLocks::ReadCommitted, ScanLocks::Shared] {
        for direction in [Direction::Forward, Direction::Backward] {
            let mut c = btree::seek(&tree, KeyRange::default(), direction, locks);
            let mut from = 0;
            for _ in 0..2_000 {
                // Rows come and go, most of them near where the cursor is: leaves split, and others are as they were.
                if random.below(3) == 0 {
                    let at = key(from + random.below(20));
                    let value = vec![7; random.below(300) as usize];
                    if random.below(4) == 0 {
                        btree::delete(&mut tx, &tree, &at).unwrap();
                    } else if btree::insert(&mut tx, &tree, &at, &value).is_err() {
                        btree::update(&mut tx, &tree, &at, &value).unwrap();
                    }
                }
                from = match random.below(9) {
                    0 => random.below(1_000),
                    _ => from + random.below(4),
                };
                let upper = match random.below(9) {
                    0 => None,
                    _ => Some(key(from + random.below(10)).to_vec()),
                };
                let range = KeyRange {
                    lower: Some(key(from).to_vec()),
                    lower_exclusive: random.below(4) == 0,
                    upper_inclusive: upper.is_some() && random.below(2) == 0,
                    upper,
                };
                c.again(range.clone(), locks);
                let mut new = btree::seek(&tree, range.clone(), direction, locks);
                // Sometimes it is left before its end.
                let most = if random.below(3) == 0 { 1 } else { usize::MAX };
                let found = rows(&mut c, &mut tx, most);
                assert_eq!(found, rows(&mut new, &mut tx, most), "{range:?}");
                given += found.len();
            }
        }
    }
    assert!(given > 10_000, "{given}");
    tx.commit(Durability::Full).unwrap();
}

#[test]
fn a_cursor_that_goes_on_gives_what_follows_its_last_row_now() {
    let growth = Growth::Bytes(16 * MB);
    let db = Rig::new(3).frames(2000).data(16 * MB, growth).log(64 * MB, growth).create();
    let mut tx = begin(&db);
    let tree = db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(1000), IndexId(1)).unwrap();
    tx.commit(Durability::Full).unwrap();
    let tree = db.hobt(tree).unwrap();
    let key = |n: u64| (n as u32).to_be_bytes();
    let mut tx = begin(&db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    for n in (0..1000).step_by(3) {
        btree::insert(&mut tx, &tree, &key(n), &[7; 100]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut given = 0;
    for _ in 0..30 {
        let locks = [ScanLocks::None, ScanLocks::ReadCommitted, ScanLocks::Shared];
        let locks = locks[random.below(3) as usize];
        let forward = random.below(2) == 0;
        let direction = if forward { Direction::Forward } else { Direction::Backward };
        let bounds = KeyRange {
            lower: (random.below(2) == 0).then(|| key(random.below(200)).to_vec()),
            lower_exclusive: false,
            upper: (random.below(2) == 0).then(|| key(700 + random.below(300)).to_vec()),
            upper_inclusive: random.below(2) == 0,
        };
        let mut c = btree::seek(&tree, bounds.clone(), direction, locks);
        let mut rest = bounds;
        let mut near = if forward { 0 } else { 1000 };
        loop {
            // Rows come and go in a transaction of their own, most of them near where the cursor is.
            let mut tx = begin(&db);
            tx.lock_object(tree.object(), LockMode::IX).unwrap();
            for _ in 0..random.below(6) {
                let at = key((near + random.below(30)).saturating_sub(15));
                let value = vec![random.below(256) as u8; random.below(600) as usize];
                if random.below(3) == 0 {
                    btree::delete(&mut tx, &tree, &at).unwrap();
                } else if btree::insert(&mut tx, &tree, &at, &value).is_err() {
                    btree::update(&mut tx, &tree, &at, &value).unwrap();
                }
            }
            if random.below(4) == 0 {
                tx.rollback().unwrap();
            } else {
                tx.commit(Durability::Full).unwrap();
            }
            let mut tx = begin(&db);
            tx.lock_object(tree.object(), LockMode::IS).unwrap();
            c.go_on(&tx).unwrap();
            let found = rows(&mut c, &mut tx, 1);
            let mut new = btree::seek(&tree, rest.clone(), direction, locks);
            assert_eq!(found, rows(&mut new, &mut tx, 1), "{direction:?} {locks:?} {rest:?}");
            tx.commit(Durability::Full).unwrap();
            let Some((last, _)) = found.into_iter().next() else { break };
            given += 1;
            near = u64::from(u32::from_be_bytes(last[..4].try_into().unwrap()));
            match forward {
                true => (rest.lower, rest.lower_exclusive) = (Some(last), true),
                false => (rest.upper, rest.upper_inclusive) = (Some(last), false),
            }
        }
    }
    assert!(given > 2_000, "{given}");
}

#[test]
fn a_cursor_of_a_heap_that_goes_on_gives_rows_as_they_are() {
    let growth = Growth::Bytes(16 * MB);
    let db = Rig::new(3).frames(2000).data(16 * MB, growth).log(64 * MB, growth).create();
    let mut tx = begin(&db);
    let rows = db.create_hobt(&mut tx, HobtKind::Heap, ObjectId(1000), IndexId(0)).unwrap();
    tx.commit(Durability::Full).unwrap();
    let rows = db.hobt(rows).unwrap();
    let mut tx = begin(&db);
    tx.lock_object(rows.object(), LockMode::IX).unwrap();
    let row = |n: u32, version: u8| [&n.to_be_bytes()[..], &[version; 300]].concat();
    let rids: Vec<_> =
        (0..500).map(|n| heap::insert(&mut tx, &rows, &row(n, 0)).unwrap()).collect();
    tx.commit(Durability::Full).unwrap();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut now = vec![Some(0u8); rids.len()];
    for locks in [ScanLocks::None, ScanLocks::ReadCommitted, ScanLocks::Shared] {
        let mut c = heap::scan(&rows, locks);
        let mut next = 0;
        loop {
            let mut tx = begin(&db);
            tx.lock_object(rows.object(), LockMode::IX).unwrap();
            let mut changed = now.clone();
            for _ in 0..random.below(4) {
                let at = (next + random.below(30) as usize).saturating_sub(10).min(rids.len() - 1);
                let Some(version) = changed[at] else { continue };
                if random.below(8) == 0 {
                    assert!(heap::delete(&mut tx, &rows, rids[at]).unwrap());
                    changed[at] = None;
                } else {
                    let new = row(at as u32, version + 1);
                    heap::update(&mut tx, &rows, rids[at], &new).unwrap();
                    changed[at] = Some(version + 1);
                }
            }
            if random.below(4) == 0 {
                tx.rollback().unwrap();
            } else {
                tx.commit(Durability::Full).unwrap();
                now = changed;
            }
            let mut tx = begin(&db);
            tx.lock_object(rows.object(), LockMode::IS).unwrap();
            c.go_on(&tx).unwrap();
            let found = c.next(&mut tx).unwrap().map(|(rid, bytes)| (rid, bytes.to_vec()));
            let wanted = (next..rids.len()).find_map(|n| now[n].map(|version| (n, version)));
            let wanted = wanted.map(|(n, version)| (rids[n], row(n as u32, version)));
            assert_eq!(found, wanted, "{locks:?} from {next}");
            tx.commit(Durability::Full).unwrap();
            let Some((rid, _)) = found else { break };
            next = rids.iter().position(|r| *r == rid).unwrap() + 1;
        }
    }
}

#[test]
fn seeks_in_the_order_of_the_keys_come_to_each_leaf_once() {
    let growth = Growth::Bytes(16 * MB);
    let db = Rig::new(3).frames(2000).data(16 * MB, growth).log(64 * MB, growth).create();
    let mut tx = begin(&db);
    let tree = db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(1000), IndexId(1)).unwrap();
    tx.commit(Durability::Full).unwrap();
    let tree = db.hobt(tree).unwrap();
    let mut tx = begin(&db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    for n in 0..2_000u32 {
        btree::insert(&mut tx, &tree, &n.to_be_bytes(), &[7; 60]).unwrap();
    }
    let lookups = &db.instance().pool.counters.page_lookups;
    let mut c =
        btree::seek(&tree, KeyRange::default(), Direction::Forward, ScanLocks::ReadCommitted);
    let before = lookups.get();
    for n in 0..2_000u32 {
        let key = n.to_be_bytes().to_vec();
        let (lower, upper) = (Some(key.clone()), Some(key));
        let range = KeyRange { lower, lower_exclusive: false, upper, upper_inclusive: true };
        c.again(range, ScanLocks::ReadCommitted);
        assert_eq!(rows(&mut c, &mut tx, 2).len(), 1, "{n}");
    }
    // Some 25 leaves below one root; a way down for each key would be 4,000 pages.
    let pages = lookups.get() - before;
    assert!(pages < 200, "{pages} pages");
}

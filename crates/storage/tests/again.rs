//! A cursor that begins anew on another range gives what a new one gives, whatever has become of the leaf that it copied.

use taffrail_base::{IndexId, ObjectId};
use taffrail_storage::btree::BTreeCursor;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Direction, Durability, Growth, HobtKind, KeyRange, ScanLocks, Transaction, btree,
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

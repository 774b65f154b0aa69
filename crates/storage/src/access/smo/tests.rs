//! Splits that end half-way: after each of their changes, by an error or by a loss of power, in trees whose keys are so long that interior
//! pages hold four of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::{HobtId, PageId};
use taffrail_io::sim::SimRng;

use super::*;
use crate::access::{btree, node};
use crate::database::CheckpointKind;
use crate::rig::{MB, Rig, begin_impatient, make};
use crate::txn::work::cut;
use crate::{Durability, Growth, ScanLocks, Transaction};

fn rig(seed: u64) -> Rig {
    let growth = Growth::Bytes(MB);
    Rig::new(seed).named("s").frames(256).data(4 * MB, growth).log(4 * MB, growth)
}

fn begin(db: &Arc<Database>) -> Transaction {
    begin_impatient(db, 51)
}

/// The differences lie behind some 1,690 equal bytes, so that separators are as long as keys.
fn key(n: u64) -> Vec<u8> {
    [&[b'a'; 1682][..], &n.to_be_bytes()].concat()
}

/// Level, links, ghosts, room and entries of a page.
type Shown = (u8, PageId, PageId, u16, u16, Vec<Vec<u8>>);

/// Every page of a tree, entry for entry.
fn shown(db: &Arc<Database>, hobt: &Hobt) -> BTreeMap<PageId, Shown> {
    let mut pages = BTreeMap::new();
    let mut next = vec![hobt.root()];
    while let Some(id) = next.pop() {
        let page = db.pool().read(&db.store, id).unwrap();
        let rows: Vec<Vec<u8>> = (0..page.slots() as usize).map(|i| page.row(i).to_vec()).collect();
        if page.level() > 0 {
            next.extend((0..rows.len()).map(|i| node::child_at(&page, i).unwrap()));
        }
        let show = (page.level(), page.prev(), page.next(), page.ghosts(), page.free_bytes(), rows);
        assert!(pages.insert(id, show).is_none(), "page {id} is there twice");
    }
    pages
}

/// Splits for `key` as [`split`] does, with the `n`-th change failing; the split is open when this returns, with its latches.
fn cut_off<'p>(
    db: &'p Arc<Database>,
    hobt: &Hobt,
    key: &[u8],
    n: u32,
) -> (Work, Path<'p>, StorageResult<()>) {
    let mut path = latch_path(db, hobt, key).unwrap();
    let mut sys = Work::system(db, "SplitPage");
    cut::at(n);
    let done = split_leaf(db, &mut sys, hobt, &mut path, key, true).map(drop);
    cut::at(0);
    (sys, path, done)
}

fn has_to_split(db: &Arc<Database>, hobt: &Hobt, key: &[u8]) -> bool {
    !hobt.root().is_none() && !has_room(db, latch_path(db, hobt, key).unwrap().at(0), 1720)
}

fn insert(db: &Arc<Database>, id: HobtId, key: &[u8]) {
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(db);
    btree::insert(&mut tx, &hobt, key, b"row").unwrap();
    tx.commit(Durability::Full).unwrap();
}

fn look_up(db: &Arc<Database>, id: HobtId, keys: &[Vec<u8>]) {
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(db);
    for k in keys {
        let mut row = Vec::new();
        let found = btree::get(&mut tx, &hobt, k, ScanLocks::None, &mut row).unwrap();
        assert!(found && row == b"row", "the key that ends in {:?}", &k[1682..]);
    }
    drop(tx);
    assert_eq!(hobt.row_count(), keys.len() as u64);
}

/// Random keys, or ascending ones.
fn keys(seed: u64, count: u64) -> Vec<Vec<u8>> {
    let mut rng = SimRng::new(seed);
    (0..count)
        .map(|i| if seed.is_multiple_of(2) { key(i) } else { key(rng.next_u64() >> 1) })
        .collect()
}

#[test]
fn a_split_that_fails_anywhere_leaves_the_tree_as_it_was() {
    for seed in [1, 2, 3] {
        let db = rig(seed).create();
        let id = make(&db, 1000, 1);
        let keys = keys(seed, 90);
        for (i, key) in keys.iter().enumerate() {
            let hobt = db.hobt(id).unwrap();
            for n in 1.. {
                if !has_to_split(&db, &hobt, key) {
                    break;
                }
                let before = shown(&db, &hobt);
                let (sys, path, done) = cut_off(&db, &hobt, key, n);
                db.abort_system(sys, path.into_all());
                let after = shown(&db, &hobt);
                assert!(before == after, "seed {seed}, {i} keys, change {n}: another tree");
                look_up(&db, id, &keys[..i]);
                if done.is_ok() {
                    break;
                }
            }
            insert(&db, id, key);
        }
        look_up(&db, id, &keys);
        let undone = db.rarities().interior_splits_undone.load(Ordering::Relaxed);
        println!("seed {seed}: {undone} splits of interior pages undone");
        assert!(undone > 30, "seed {seed}: {undone} splits of interior pages undone");
    }
}

#[test]
fn a_split_that_a_crash_ends_anywhere_is_undone_by_restart() {
    let mut undone = 0;
    for seed in [1, 2] {
        let rig = rig(seed);
        let mut db = rig.create();
        let id = make(&db, 1000, 1);
        let keys = keys(seed, 60);
        for (i, key) in keys.iter().enumerate() {
            for n in 1.. {
                let hobt = db.hobt(id).unwrap();
                if !has_to_split(&db, &hobt, key) {
                    break;
                }
                let mut path = latch_path(&db, &hobt, key).unwrap();
                let interior = path.guards.len() > 1
                    && (path.at(1).free_bytes() as usize) < separator_bytes(1690);
                drop(path);
                // What does not come to an interior page is the other programmes' business.
                if !interior {
                    break;
                }
                let before = shown(&db, &hobt);
                let (sys, path, done) = cut_off(&db, &hobt, key, n);
                db.flush_log().unwrap();
                drop(path);
                if n % 2 == 0 {
                    // Half a split on the disk.
                    db.checkpoint(CheckpointKind::Manual).unwrap();
                }
                rig.lose_power((sys, hobt, db));
                db = rig.recover().unwrap();
                undone += db.rarities().interior_splits_undone.load(Ordering::Relaxed);
                let hobt = db.hobt(id).unwrap();
                let after = shown(&db, &hobt);
                assert!(before == after, "seed {seed}, {i} keys, change {n}: another tree");
                look_up(&db, id, &keys[..i]);
                if done.is_ok() {
                    break;
                }
            }
            insert(&db, id, key);
        }
        look_up(&db, id, &keys);
    }
    println!("{undone} splits of interior pages undone");
    assert!(undone > 30, "{undone} splits of interior pages undone");
}

/// Somebody has taken an entry out and has not ended, as what frees pages does in the directory; then the entry's page is split. When
/// neither ends, the entry comes back where it is looked for: the split is undone first.
#[test]
fn what_a_split_was_built_upon_is_undone_after_it() {
    let keys = keys(7, 60);
    for n in 1.. {
        let rig = rig(6);
        let db = rig.create();
        let id = make(&db, 1000, 1);
        let hobt = db.hobt(id).unwrap();
        let splits = |i: usize| i > 12 && has_to_split(&db, &hobt, &keys[i]);
        let mut there = 0;
        while !splits(there) {
            insert(&db, id, &keys[there]);
            there += 1;
        }
        let last = {
            let mut path = latch_path(&db, &hobt, &keys[there]).unwrap();
            let leaf = path.at(0);
            node::key_at(leaf, leaf.slots() as usize - 1).to_vec()
        };
        let mut first = Work::system(&db, "DropLob");
        btree::remove_entry(&mut first, &hobt, &last).unwrap();
        let (sys, path, done) = cut_off(&db, &hobt, &keys[there], n);
        db.flush_log().unwrap();
        drop(path);
        rig.lose_power((sys, first, hobt, db));
        let db = rig.recover().unwrap_or_else(|e| panic!("change {n}: {e}"));
        look_up(&db, id, &keys[..there]);
        if done.is_ok() {
            assert!(n > 4, "a split has more changes");
            return;
        }
    }
}

#[test]
fn a_record_without_the_first_entry_is_refused_and_not_guessed() {
    let db = rig(4).create();
    let id = make(&db, 1000, 1);
    let keys = keys(4, 20);
    keys.iter().for_each(|k| insert(&db, id, k));
    let hobt = db.hobt(id).unwrap();
    let mut root = db.pool().write(&db.store, hobt.root()).unwrap();
    let slots = root.slots();
    assert!(root.level() > 0 && slots > 1);
    let mut sys = Work::system(&db, "SplitPage");
    let mut right = db.allocate_page(&mut sys, &hobt, PageType::Index, root.level()).unwrap();
    right.insert_row(0, &[root.row(1)]);
    // What such a record said: as of leaves.
    record::split_off(&mut sys, &mut root, Lcx::IndexLeaf, 1, right.id(), PageId::NONE).unwrap();
    let owned = db.log().fetch(sys.log.last).unwrap();
    let mut header = owned.header;
    header.context = Lcx::IndexInterior;
    let old = taffrail_log::Record { pos: owned.pos, header, payload: &owned.payload };
    let e = crate::access::record::undo(&mut sys, &mut [root, right], &old).unwrap_err();
    assert!(e.to_string().contains("undo of a page split"), "{e}");
}

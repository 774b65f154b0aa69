//! What deletions log, and what is made of the records of format version 2.

use std::sync::Arc;

use taffrail_base::{HobtId, LogPos};
use taffrail_log::{Growth, Lcx, Lop, RecordFlags, Reserve};

use super::{LEAF, apply_ghost, place_byte};
use crate::access::node::{FORWARDED, split_entry};
use crate::access::record::{Place, facts};
use crate::access::{Rid, btree, heap};
use crate::database::{CheckpointKind, Database};
use crate::drawn;
use crate::lock::LockMode;
use crate::rig::{MB, Rig, begin, make, whole_heap, whole_tree};
use crate::txn::work::Change;
use crate::txn::{Durability, Transaction};

fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).id(7).named("r").frames(512);
    rig.data(2 * MB, Growth::Bytes(MB)).log(8 * MB, Growth::Bytes(MB))
}

struct Scene {
    rig: Rig,
    db: Arc<Database>,
    tree: HobtId,
    heap: HobtId,
    rids: Vec<Rid>,
    /// Where its log begins.
    from: LogPos,
}

const ROWS: u8 = 20;

fn row(n: u8) -> Vec<u8> {
    vec![n + 1; 300]
}

/// A tree and a heap; in the heap row 3 has moved to another page, and row 4 is shorter than a stub.
fn scene(seed: u64) -> Scene {
    let rig = rig(seed);
    let db = rig.create();
    let from = db.log().appended();
    let (tree, heap) = (make(&db, 1000, 1), make(&db, 1001, 0));
    let mut tx = begin(&db);
    let (t, h) = (db.hobt(tree).unwrap(), db.hobt(heap).unwrap());
    let mut rids = Vec::new();
    for n in 0..ROWS {
        btree::insert(&mut tx, &t, &[n, 7], &row(n)).unwrap();
        let short = if n == 4 { vec![5] } else { row(n) };
        rids.push(heap::insert(&mut tx, &h, &short).unwrap());
    }
    heap::update(&mut tx, &h, rids[3], &[4; 6000]).unwrap();
    tx.commit(Durability::Full).unwrap();
    Scene { rig, db, tree, heap, rids, from }
}

/// The rows that the log says were deleted from `from` on, each with its HoBt, and what the records reserved.
fn deleted(db: &Arc<Database>, from: LogPos) -> Vec<(HobtId, Vec<u8>, u64)> {
    db.flush_log().unwrap();
    let mut reader = db.log().reader(from).unwrap();
    let mut found = Vec::new();
    while let Some(r) = reader.next().unwrap() {
        if r.header.op == Lop::InsertRows && r.header.context == Lcx::Heap {
            let row = facts::row_images(&r).unwrap().contents[0].unwrap();
            drawn::check("insert-rows", r.payload, &[("row", row)]);
        }
        if r.header.op == Lop::DeleteRows && !r.header.is_compensation() {
            let images = facts::row_images(&r).unwrap();
            assert_eq!((images.elements(), images.contents[1]), (1, None));
            let row = images.contents[0].unwrap();
            drawn::check("delete-rows", r.payload, &[("place", &r.payload[..1]), ("row", row)]);
            let reserved = facts::log_reserve(&r).unwrap();
            found.push((r.header.hobt, row.to_vec(), reserved));
        }
    }
    found
}

fn stored(db: &Arc<Database>, rid: Rid) -> Vec<u8> {
    db.pool().read(&db.store, rid.page).unwrap().row(rid.slot.into()).to_vec()
}

fn delete_some(s: &Scene, tx: &mut Transaction) {
    let (t, h) = (s.db.hobt(s.tree).unwrap(), s.db.hobt(s.heap).unwrap());
    for n in [2, 3, 4] {
        assert!(btree::delete(tx, &t, &[n, 7]).unwrap());
        assert!(heap::delete(tx, &h, s.rids[usize::from(n)]).unwrap());
    }
}

#[test]
fn the_log_holds_the_whole_row_that_was_deleted() {
    let s = scene(1);
    let before: Vec<Vec<u8>> = s.rids.iter().map(|rid| stored(&s.db, *rid)).collect();
    let mut tx = begin(&s.db);
    delete_some(&s, &mut tx);
    tx.commit(Durability::Full).unwrap();
    let found = deleted(&s.db, s.from);
    let of = |hobt| found.iter().filter(move |f| f.0 == hobt).map(|f| &f.1[..]).collect::<Vec<_>>();
    for (n, entry) in (2..).zip(of(s.tree)) {
        assert_eq!(split_entry(entry), (&[n, 7][..], &row(n)[..]));
        assert_eq!(entry[0], 0, "alive");
    }
    let heap = of(s.heap);
    assert_eq!((found.len(), heap.len()), (7, 4));
    assert_eq!(heap[0], before[2]);
    // The row that had moved, and its stub.
    assert_eq!((heap[1][0], &heap[1][1..9]), (FORWARDED, &s.rids[3].to_bytes()[..]));
    assert_eq!((&heap[1][9..], heap[2]), (&[4; 6000][..], &before[3][..]));
    assert_eq!(heap[3], before[4]);
    // Its undo needs no more than it ever did.
    assert!(found.iter().all(|f| f.2 == Reserve::undo(1).bytes()));
}

/// What is there of row `n` in tree and heap.
fn there(db: &Arc<Database>, s: &Scene, n: u8) -> (bool, bool) {
    let mut tx = begin(db);
    let tree = whole_tree(&mut tx, &db.hobt(s.tree).unwrap()).unwrap();
    let heap = whole_heap(&mut tx, &db.hobt(s.heap).unwrap()).unwrap();
    let long = |n| {
        if n == 3 {
            vec![4; 6000]
        } else if n == 4 {
            vec![5]
        } else {
            row(n)
        }
    };
    assert!(tree.iter().all(|(k, v)| *v == row(k[0])));
    assert!(
        heap.iter()
            .all(|(rid, v)| { *v == long(s.rids.iter().position(|r| r == rid).unwrap() as u8) })
    );
    (tree.contains_key(&[n, 7][..]), heap.contains_key(&s.rids[usize::from(n)]))
}

#[test]
fn deletions_are_undone_and_redone() {
    for seed in 0..4 {
        let s = scene(seed);
        let db = s.db.clone();
        let mut tx = begin(&db);
        delete_some(&s, &mut tx);
        tx.rollback().unwrap();
        assert_eq!(there(&db, &s, 3), (true, true));
        // On disk before or after: redo has them to do, or not.
        let mut tx = begin(&db);
        delete_some(&s, &mut tx);
        if seed % 2 == 0 {
            db.checkpoint(CheckpointKind::Manual).unwrap();
        }
        match seed < 2 {
            true => {
                tx.commit(Durability::Full).unwrap();
                s.rig.lose_power(db);
            }
            false => {
                db.flush_log().unwrap();
                s.rig.lose_power((tx, db));
            }
        }
        let db = s.rig.recover().unwrap();
        let back = seed >= 2;
        for n in [2, 3, 4] {
            assert_eq!(there(&db, &s, n), (back, back), "seed {seed}");
        }
        assert_eq!(there(&db, &s, 5), (true, true));
    }
}

/// A deletion as format version 2 logged it: the key, or the place alone.
fn old_delete(s: &Scene, tx: &mut Transaction, n: u8) {
    let db = s.db.clone();
    let (t, h) = (db.hobt(s.tree).unwrap(), db.hobt(s.heap).unwrap());
    tx.lock_object(t.object(), LockMode::X).unwrap();
    tx.lock_object(h.object(), LockMode::X).unwrap();
    let (_, work) = tx.parts();
    let key = [n, 7];
    let mut leaf = btree::leaf_for_write(&db, &t, &key).unwrap();
    let slot = crate::access::node::search(&leaf, &key).unwrap();
    let change = |hobt, slot, lock_hash| Change {
        hobt,
        slot,
        lock_hash,
        reserve: Reserve::undo(1),
        ..Change::new(Lop::DeleteRows, Lcx::MarkAsGhost)
    };
    let hash = btree::key_hash(t.id().0, &key);
    work.change(&mut leaf, &change(t.id(), slot as u16, hash), &[&[LEAF], &key]).unwrap();
    t.add_rows(-1);
    apply_ghost(&mut leaf, slot, true, work.id());
    drop(leaf);
    let rid = s.rids[usize::from(n)];
    let mut page = db.pool().write(&db.store, rid.page).unwrap();
    let place = place_byte(Place::Heap, page.row(rid.slot.into()));
    work.change(&mut page, &change(h.id(), rid.slot, 0), &[&place]).unwrap();
    h.add_rows(-1);
    apply_ghost(&mut page, rid.slot.into(), true, work.id());
}

#[test]
fn deletions_that_logged_only_the_key_are_undone_and_redone() {
    let s = scene(9);
    let db = s.db.clone();
    let from = db.log().appended();
    let mut tx = begin(&db);
    old_delete(&s, &mut tx, 6);
    tx.rollback().unwrap();
    assert_eq!(there(&db, &s, 6), (true, true));
    let images: Vec<_> = deleted_images(&db, from);
    assert_eq!(images, [Some(vec![6, 7]), None]);
    let mut committed = begin(&db);
    old_delete(&s, &mut committed, 8);
    committed.commit(Durability::Full).unwrap();
    let mut open = begin(&db);
    old_delete(&s, &mut open, 9);
    db.flush_log().unwrap();
    s.rig.lose_power((open, db));
    let db = s.rig.recover().unwrap();
    assert_eq!([6, 8, 9].map(|n| there(&db, &s, n)), [(true, true), (false, false), (true, true)]);
}

fn deleted_images(db: &Arc<Database>, from: LogPos) -> Vec<Option<Vec<u8>>> {
    db.flush_log().unwrap();
    let mut reader = db.log().reader(from).unwrap();
    let mut found = Vec::new();
    while let Some(r) = reader.next().unwrap() {
        if r.header.op == Lop::DeleteRows {
            assert!(!r.header.flags.contains(RecordFlags::USER_1));
            found.push(facts::row_images(&r).unwrap().contents[0].map(<[u8]>::to_vec));
        }
    }
    found
}

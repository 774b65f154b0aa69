//! Pages that lead several lives within one redo.

use taffrail_base::{HobtId, PageId};

use super::*;
use crate::access::{btree, heap};
use crate::lock::LockMode;
use crate::page::PageType;
use crate::rig::{MB, Rig, begin, entries, heap_rows, make, whole_tree};
use crate::{Durability, Growth, KeyRange, ScanLocks, StorageError};

/// A page is a tree's, then bulk work fills it without logging what it holds, then rows come to it, then it is another tree's. Written last
/// without protection, since a format record makes it anew, it was torn. The first format record makes it anew too, as something that the
/// rows behind the bulk work were not put on: these are left out, and the last format record decides.
#[test]
fn a_page_torn_after_bulk_work_had_filled_it_is_made_anew_by_its_last_format_record() {
    let rig = Rig::new(1).named("r").frames(512).data(2 * MB, Growth::Bytes(MB));
    let rig = rig.log(8 * MB, Growth::Bytes(MB));
    let db = rig.create();
    let value = |n: u64| vec![n as u8; 900];
    let fill = |id: HobtId, keys: std::ops::Range<u64>| {
        let (hobt, mut tx) = (db.hobt(id).unwrap(), begin(&db));
        for n in keys {
            btree::insert(&mut tx, &hobt, &(n * 10).to_be_bytes(), &value(n)).unwrap();
        }
        tx.commit(Durability::Full).unwrap();
    };
    let drop_tree = |id: HobtId| {
        let mut tx = begin(&db);
        db.drop_hobt(&mut tx, id).unwrap();
        tx.commit(Durability::Full).unwrap();
    };
    let first = make(&db, 1000, 1);
    fill(first, 0..200);
    drop_tree(first);
    let second = make(&db, 1001, 1);
    let mut tx = begin(&db);
    let entries = (0..200).map(|n: u64| Ok((n.to_be_bytes().to_vec(), value(n))));
    let hobt = db.hobt(second).unwrap();
    btree::build::<StorageError, _>(&mut tx, &hobt, entries).unwrap();
    let small = |n: u64| [&n.to_be_bytes()[..], b"+"].concat();
    for n in 0..200u64 {
        btree::update(&mut tx, &hobt, &n.to_be_bytes(), b"less").unwrap();
        btree::insert(&mut tx, &hobt, &small(n), b"new").unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    drop_tree(second);
    let third = make(&db, 1002, 1);
    fill(third, 0..200);
    db.store.write_all_dirty(db.pool(), &mut |_, _| {}).unwrap();
    let ours = |page: &PageId| {
        let found = db.pool().read(&db.store, *page).unwrap();
        found.hobt() == third && found.is_leaf()
    };
    let pages: Vec<PageId> = (0..db.files()[0].size as u32 / 8192)
        .map(|n| PageId::new(1, n))
        .filter(|p| db.is_allocated(*p).unwrap() && ours(p))
        .collect();
    assert!(pages.len() > 20);
    rig.lose_power(db);
    for page in pages {
        rig.world.flip_bit(&rig.data.path, page.file_offset() + 300, 1).unwrap();
    }
    let db = rig.recover().unwrap();
    let rows = whole_tree(&mut begin(&db), &db.hobt(third).unwrap()).unwrap();
    assert!(rows.len() == 200 && rows.iter().all(|(_, row)| row.len() == 900));
}

/// The pages of the data file that are allocated and a heap's or tree's.
fn pages_of(db: &Arc<Database>, id: HobtId) -> Vec<PageId> {
    let ours = |page: &PageId| {
        let found = db.pool().read(&db.store, *page).unwrap();
        let rows = found.kind() == Some(PageType::Heap) || found.is_leaf();
        found.hobt() == id && rows && found.slots() > 0
    };
    let all = (0..db.files()[0].size as u32 / 8192).map(|n| PageId::new(1, n));
    all.filter(|p| db.is_allocated(*p).unwrap() && ours(p)).collect()
}

/// A page has rows that are in the log, then it is freed, and a load that has committed fills it without logging what it holds. When it is
/// damaged afterwards, nobody has these rows any more: they are not to be taken for the earlier ones, nor for none.
#[test]
fn a_damaged_page_that_a_committed_load_has_filled_stays_damaged() {
    // With few frames, and more between the two lives than redo takes at once, what it makes of the earlier one is written first.
    for (is_heap, frames, rounds) in
        [(true, 512, 1), (false, 512, 1), (true, 64, 14), (false, 64, 14)]
    {
        let what = format!("heap {is_heap}, {frames} frames");
        let rig = Rig::new(1).named("r").frames(512).data(2 * MB, Growth::Bytes(MB));
        let rig = rig.log(32 * MB, Growth::Bytes(MB));
        let db = rig.create();
        let other = make(&db, 1001, 1);
        let insert = |id: HobtId, object: i32, keys: std::ops::Range<u64>| {
            let (hobt, mut tx) = (db.hobt(id).unwrap(), begin(&db));
            tx.lock_object(taffrail_base::ObjectId(object), LockMode::X).unwrap();
            for n in keys {
                match id == other || !is_heap {
                    true => btree::insert(&mut tx, &hobt, &n.to_be_bytes(), &[1; 900]).unwrap(),
                    false => drop(heap::insert(&mut tx, &hobt, &[1; 900]).unwrap()),
                }
            }
            tx.commit(Durability::Full).unwrap();
        };
        insert(other, 1001, 0..400);
        let first = make(&db, 1000, i32::from(!is_heap));
        insert(first, 1000, 0..400);
        let before = pages_of(&db, first);
        let mut tx = begin(&db);
        db.drop_hobt(&mut tx, first).unwrap();
        tx.commit(Durability::Full).unwrap();
        for round in 0..rounds {
            let (hobt, mut tx) = (db.hobt(other).unwrap(), begin(&db));
            tx.lock_object(hobt.object(), LockMode::X).unwrap();
            for n in 0..400u64 {
                btree::update(&mut tx, &hobt, &n.to_be_bytes(), &[3 + round; 900]).unwrap();
            }
            tx.commit(Durability::Full).unwrap();
        }
        let second = make(&db, 1002, i32::from(!is_heap));
        let (hobt, mut tx) = (db.hobt(second).unwrap(), begin(&db));
        tx.lock_object(hobt.object(), LockMode::X).unwrap();
        if is_heap {
            let mut load = heap::HeapLoad::open(&hobt);
            for _ in 0..400 {
                load.push(&mut tx, &[2; 900]).unwrap();
            }
            load.finish(&mut tx).unwrap();
        } else {
            let entries = (0..400).map(|n: u64| Ok((n.to_be_bytes().to_vec(), vec![2; 900])));
            btree::build::<StorageError, _>(&mut tx, &hobt, entries).unwrap();
        }
        tx.commit(Durability::Full).unwrap();
        let after = pages_of(&db, second);
        let both: Vec<PageId> = after.into_iter().filter(|p| before.contains(p)).collect();
        assert!(both.len() > 10, "{what}: {both:?}");
        rig.lose_power((hobt, db));
        let damaged = both[both.len() / 2];
        rig.world.flip_bit(&rig.data.path, damaged.file_offset() + 300, 1).unwrap();
        for again in [false, true] {
            let what = format!("{what}, again {again}");
            let db = rig.clone().frames(frames).recover().unwrap();
            let (hobt, mut tx) = (db.hobt(second).unwrap(), begin(&db));
            let read = match is_heap {
                true => heap_rows(&mut tx, &hobt, ScanLocks::None).map(|rows| rows.len()),
                false => entries(&mut tx, &hobt, KeyRange::default(), ScanLocks::None)
                    .map(|rows| rows.len()),
            };
            let e = read.map(|rows| panic!("{what}: {rows} rows of 400, and no error"));
            let e: StorageError = e.unwrap_err();
            assert_eq!(e.to_sql().number, 824, "{what}: {e}");
            assert_eq!(db.take_suspect_pages()[0].page, damaged, "{what}");
            assert_eq!(db.hobt(other).unwrap().row_count(), 400);
            rig.lose_power((tx, hobt, db));
        }
    }
}

/// Among the extents that a load fills lies a PFS page, every 64 MB. It has been in the log since the file grew, and need not have been
/// written when the server is killed.
#[test]
fn a_map_page_within_what_a_load_has_filled_is_redone() {
    for is_heap in [true, false] {
        let rig = Rig::new(1).named("r").frames(512).data(2 * MB, Growth::Bytes(32 * MB));
        let rig = rig.log(8 * MB, Growth::Bytes(MB));
        let db = rig.create();
        let id = make(&db, 1000, i32::from(!is_heap));
        let (hobt, mut tx) = (db.hobt(id).unwrap(), begin(&db));
        tx.lock_object(hobt.object(), LockMode::X).unwrap();
        let rows = u64::from(crate::page::PFS_PAGES) + 200;
        if is_heap {
            let mut load = heap::HeapLoad::open(&hobt);
            for _ in 0..rows {
                load.push(&mut tx, &[2; 7000]).unwrap();
            }
            load.finish(&mut tx).unwrap();
        } else {
            let entries = (0..rows).map(|n: u64| Ok((n.to_be_bytes().to_vec(), vec![2; 7000])));
            btree::build::<StorageError, _>(&mut tx, &hobt, entries).unwrap();
        }
        tx.commit(Durability::Full).unwrap();
        rig.lose_power((hobt, db));
        for again in [false, true] {
            let db = rig.recover().unwrap_or_else(|e| panic!("heap {is_heap}, {again}: {e}"));
            let (hobt, mut tx) = (db.hobt(id).unwrap(), begin(&db));
            let found = match is_heap {
                true => heap_rows(&mut tx, &hobt, ScanLocks::None).map(|rows| rows.len()),
                false => entries(&mut tx, &hobt, KeyRange::default(), ScanLocks::None)
                    .map(|rows| rows.len()),
            };
            assert_eq!(found.unwrap() as u64, rows, "heap {is_heap}, again {again}");
            assert_eq!(hobt.row_count(), rows);
            rig.lose_power((tx, hobt, db));
        }
    }
}

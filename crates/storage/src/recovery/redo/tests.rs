//! Pages that lead several lives within one redo.

use taffrail_base::PageId;

use super::*;
use crate::access::btree;
use crate::rig::{MB, Rig, begin, make, whole_tree};
use crate::{Durability, Growth, StorageError};

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
    db.store.write_all_dirty(db.pool()).unwrap();
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

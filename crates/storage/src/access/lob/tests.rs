//! Values as format versions before wrote them: chains.

use std::sync::Arc;

use taffrail_base::{HobtId, PageId};

use super::page::{filled, pages_of, store};
use super::write::node;
use super::*;
use crate::access::record::format;
use crate::check::{RowFault, Rows};
use crate::lock::LockMode;
use crate::page::{Format, Page, PageType};
use crate::rig::{MB, Rig, begin, make};
use crate::{Durability, Growth};

const OBJECT: i32 = 1000;

/// A value as format version 2 and 3 wrote it: pages that name each other, with the identity of the first.
fn write_chain(tx: &mut Transaction, hobt: &Hobt, bytes: &[u8]) -> LobRef {
    let db = tx.database().clone();
    if hobt.root().is_none() {
        db.allocate_root(tx.parts().1, hobt).unwrap();
    }
    let mut page = |piece: &[u8]| {
        let work = tx.parts().1;
        let mut claim = db.pages_for_value(work, hobt, 1).unwrap();
        store(&db, work, hobt, &mut claim, 0, piece, 1).unwrap()
    };
    let first = page(b"x");
    let more: Vec<PageId> = bytes.chunks(PIECE).skip(1).map(|_| page(b"x").first).collect();
    let pages: Vec<PageId> = std::iter::once(first.first).chain(more).collect();
    for (n, piece) in bytes.chunks(PIECE).enumerate() {
        let mut page = db.pool().write(&db.store, pages[n]).unwrap();
        page.truncate_rows(0);
        page.insert_row(0, &[piece]);
        page.set_next(pages.get(n + 1).copied().unwrap_or(PageId::NONE));
        page.set_lob_id(first.id);
        format::log_content(tx.parts().1, &mut page, taffrail_log::Lcx::TextMix).unwrap();
    }
    LobRef { length: bytes.len() as u64, ..first }
}

struct References;

impl Rows for References {
    fn row(
        &mut self,
        _: Rid,
        _: &[u8],
        value: &[u8],
        lobs: &mut Vec<LobRef>,
    ) -> Result<(), RowFault> {
        lobs.extend(value.try_into().ok().map(LobRef::from_bytes));
        Ok(())
    }
}

fn check(db: &Arc<Database>) {
    let findings = db.check_all(|_| Box::new(References), &mut || false).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

fn scene(seed: u64, bytes: &[u8]) -> (Rig, Arc<Database>, HobtId) {
    let growth = Growth::Bytes(MB);
    let rig = Rig::new(seed).frames(256).data(2 * MB, growth).log(4 * MB, growth);
    let db = rig.create();
    let id = make(&db, OBJECT, 1);
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt);
    let stored = write_chain(&mut tx, &hobt, bytes);
    btree::insert(&mut tx, &hobt, b"k", &stored.to_bytes()).unwrap();
    tx.commit(Durability::Full).unwrap();
    (rig, db, id)
}

fn locked(db: &Arc<Database>, hobt: &Hobt) -> Transaction {
    let mut tx = begin(db);
    tx.lock_object(hobt.object(), LockMode::IX).unwrap();
    tx
}

fn stored(tx: &mut Transaction, hobt: &Hobt) -> LobRef {
    let mut row = Vec::new();
    assert!(btree::get(tx, hobt, b"k", ScanLocks::None, &mut row).unwrap());
    LobRef::from_bytes(row.try_into().unwrap())
}

fn bytes() -> Vec<u8> {
    (0..5 * PIECE + 100).map(|i| (i / 7) as u8).collect()
}

#[test]
fn a_chain_of_before_is_read_and_checked() {
    let content = bytes();
    let (rig, db, id) = scene(1, &content);
    rig.lose_power(db);
    let db = rig.open();
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt);
    let lob = stored(&mut tx, &hobt);
    for (from, n) in [(0, u64::MAX), (0, 1), (PIECE as u64 - 1, 2), (5 * PIECE as u64 + 99, 9)] {
        let (mut out, to) = (Vec::new(), lob.length.min(from.saturating_add(n)));
        read(&mut tx, &hobt, lob, from, n, &mut out).unwrap();
        assert!(out == content[from as usize..to as usize], "{from}");
    }
    drop(tx);
    check(&db);
}

#[test]
fn a_chain_of_before_becomes_a_tree_when_it_is_changed() {
    for (from, gone, new) in
        [(5 * PIECE as u64 + 100, 0, &[9; 300][..]), (10, 10, &[8; 10]), (0, 3 * PIECE as u64, b"")]
    {
        let content = bytes();
        let (rig, db, id) = scene(2, &content);
        let hobt = db.hobt(id).unwrap();
        // In vain first.
        for commit in [false, true] {
            let mut tx = locked(&db, &hobt);
            let old = stored(&mut tx, &hobt);
            let lob = replace(&mut tx, &hobt, old, from, gone, new).unwrap();
            btree::update(&mut tx, &hobt, b"k", &lob.to_bytes()).unwrap();
            if commit {
                tx.commit(Durability::Full).unwrap();
            } else {
                tx.rollback().unwrap();
                check(&db);
            }
        }
        let mut expected = content.clone();
        expected.splice(from as usize..(from + gone) as usize, new.iter().copied());
        drop(hobt);
        rig.lose_power(db);
        let db = rig.open();
        let hobt = db.hobt(id).unwrap();
        let mut tx = locked(&db, &hobt);
        let (lob, mut out) = (stored(&mut tx, &hobt), Vec::new());
        read(&mut tx, &hobt, lob, 0, u64::MAX, &mut out).unwrap();
        assert!(out == expected);
        assert!(db.pool().read(&db.store, lob.first).unwrap().level() == 1);
        drop(tx);
        check(&db);
        // Its pages are all that there are, besides the leaf's and the map's.
        let pages = pages_of(expected.len(), FANOUT) as u64;
        assert_eq!(db.space_used(id).unwrap().used_pages, pages + 2);
    }
}

#[test]
fn a_chain_of_before_is_given_back() {
    let (_rig, db, id) = scene(3, &bytes());
    let hobt = db.hobt(id).unwrap();
    let mut tx = locked(&db, &hobt);
    let lob = stored(&mut tx, &hobt);
    btree::delete(&mut tx, &hobt, b"k").unwrap();
    delete(&mut tx, &hobt, lob).unwrap();
    tx.commit(Durability::Full).unwrap();
    assert_eq!(db.space_used(id).unwrap().used_pages, 2);
    check(&db);
}

#[test]
fn a_node_is_what_is_drawn() {
    let below = [
        LobRef { first: PageId::new(1, 77), id: 0x0605_0403_0201, length: 8092 },
        LobRef { first: PageId::new(2, 78), id: 9, length: 100 },
    ];
    let (row, length) = node(&below);
    assert_eq!(length, 8192);
    let rest = below[1].to_bytes();
    let fields: [(&str, &[u8]); 2] = [("reference", &below[0].to_bytes()), ("references", &rest)];
    crate::drawn::check("lob-node", &row, &fields);
}

/// What is no page of a value is not taken for one.
#[test]
fn a_node_that_is_not_well_formed_is_none() {
    let mut page = Page::zeroed();
    page.format(&Format { level: 1, ..Format::new(PageId::new(1, 7), PageType::Lob) });
    assert!(filled(&page).is_none());
    let (row, _) = node(&[LobRef { first: PageId::new(1, 77), id: 1, length: 5 }; 3]);
    page.insert_row(0, &[&row]);
    assert!(matches!(filled(&page), Some(Content::Node(node)) if node.length() == 15));
    page.splice_row(0, 3, 1, &[]);
    assert!(filled(&page).is_none());
    let (empty, _) = node(&[LobRef { first: PageId::new(1, 77), id: 1, length: 0 }]);
    page.truncate_rows(0);
    page.insert_row(0, &[&empty]);
    assert!(filled(&page).is_none());
}

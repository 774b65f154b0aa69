//! A database with a tree and a heap, its file's pages, and what a check says of it.

use std::sync::Arc;

use taffrail_base::{DatabaseId, HobtId, ObjectId, PAGE_BYTES, PageId};
use taffrail_io::{OpenSpec as FileSpec, Volume};
use taffrail_storage::check::{Finding, NoRows, RowFault, Rows, What};
use taffrail_storage::lock::LockMode;
use taffrail_storage::page::{Page, PageType};
use taffrail_storage::{Database, Durability, Growth, LobRef, Rid, btree, heap, lob, raw};

use crate::rig::{MB, Rig, begin, make_in};

pub const DB: DatabaseId = DatabaseId(5);
pub const TREE: u64 = taffrail_storage::layout::FIRST_USER_HOBT;
pub const HEAP: u64 = TREE + 1;

/// Rows that begin with `L` hold a reference to a large value.
pub struct TestRows;

impl Rows for TestRows {
    fn row(
        &mut self,
        _: Rid,
        _: &[u8],
        value: &[u8],
        lobs: &mut Vec<LobRef>,
    ) -> Result<(), RowFault> {
        if value.first() == Some(&b'!') {
            return Err(RowFault::Bad("mark".into()));
        }
        if let Some(bytes) = value.strip_prefix(b"L").and_then(|b| b.try_into().ok()) {
            lobs.push(LobRef::from_bytes(bytes));
        }
        Ok(())
    }
}

/// With a pool smaller than the data.
pub fn rig() -> Rig {
    let growth = Growth::Bytes(MB);
    Rig::new(1).dir_synced().frames(64).data(4 * MB, growth).log(8 * MB, growth)
}

pub fn key(n: u32) -> Vec<u8> {
    // Different at the end: separators are as long.
    let mut key = vec![7; 300];
    key.extend(n.to_be_bytes());
    key
}

/// A database with a tree of three levels and a heap with moved rows, each with large values; closed.
pub fn made() -> Rig {
    let rig = rig();
    let db = rig.create();
    let mut tx = begin(&db);
    let (tree, heap) = (make_in(&mut tx, 1000, 1), make_in(&mut tx, 1001, 0));
    assert_eq!((tree.0, heap.0), (TREE, HEAP));
    tx.commit(Durability::Full).unwrap();
    let (tree, heap) = (db.hobt(tree).unwrap(), db.hobt(heap).unwrap());
    let mut tx = begin(&db);
    tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
    tx.lock_object(ObjectId(1001), LockMode::IX).unwrap();
    let mut rids = Vec::new();
    for n in 0..1900 {
        btree::insert(&mut tx, &tree, &key(n * 2), &[b'v'; 20]).unwrap();
        rids.push(heap::insert(&mut tx, &heap, &[b'h'; 60]).unwrap());
    }
    for rid in rids.iter().take(100) {
        heap::update(&mut tx, &heap, *rid, &[b'w'; 700]).unwrap();
    }
    for n in 0..3 {
        let value = vec![n as u8; lob::PIECE * 3 + 100];
        let row = |stored: LobRef| [&b"L"[..], &stored.to_bytes()].concat();
        let stored = lob::write(&mut tx, &tree, &value).unwrap();
        btree::insert(&mut tx, &tree, &key(n * 2 + 1), &row(stored)).unwrap();
        let stored = lob::write(&mut tx, &heap, &value).unwrap();
        heap::insert(&mut tx, &heap, &row(stored)).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    let mut tx = begin(&db);
    tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
    assert!(btree::delete(&mut tx, &tree, &key(800)).unwrap());
    tx.commit(Durability::Full).unwrap();
    drop((tree, heap));
    db.close().unwrap();
    rig
}

/// The pages of a closed database's file.
pub struct Pages {
    pub volume: Arc<dyn Volume>,
    pub pages: Vec<Box<Page>>,
}

impl Pages {
    pub fn read(rig: &Rig) -> Pages {
        let spec = FileSpec { direct: false, read_only: false };
        let volume = rig.world.env().disk.open(&rig.data.path, spec).unwrap();
        let n = volume.len().unwrap() / PAGE_BYTES as u64;
        let page = |i: u64| {
            let mut page = Page::zeroed();
            volume.read_at(i * PAGE_BYTES as u64, page.bytes_mut()).unwrap();
            page
        };
        let pages = (0..n).map(page).collect();
        Pages { volume, pages }
    }

    pub fn at(&mut self, id: PageId) -> &mut Page {
        &mut self.pages[id.page as usize]
    }

    /// Writes a page with a checksum that is right.
    pub fn put(&mut self, id: PageId) {
        let page = &mut self.pages[id.page as usize];
        raw::mend_pages(page.bytes_mut());
        self.volume.write_at(id.file_offset(), page.bytes()).unwrap();
    }

    /// The allocated pages of a heap or tree of this type and level, in the order of pages.
    pub fn of(&self, hobt: u64, kind: PageType, level: u8) -> Vec<PageId> {
        let ours = |p: &&Page| {
            p.bytes()[0] != 0
                && p.kind() == Some(kind)
                && p.hobt() == HobtId(hobt)
                && p.level() == level
        };
        self.pages.iter().map(|p| &**p).filter(ours).map(|p| p.id()).collect()
    }

    /// The leaves, in the order of keys.
    pub fn leaves(&self) -> Vec<PageId> {
        let first = |id: &PageId| self.pages[id.page as usize].prev().is_none();
        let mut at = self.of(TREE, PageType::Index, 0).into_iter().find(first).unwrap();
        let mut found = Vec::new();
        while !at.is_none() {
            found.push(at);
            at = self.pages[at.page as usize].next();
        }
        found
    }
}

pub fn findings(db: &Arc<Database>) -> Vec<Finding> {
    let mut found = Vec::new();
    let rows = |id: HobtId| -> Box<dyn Rows> {
        if [TREE, HEAP].contains(&id.0) { Box::new(TestRows) } else { Box::new(NoRows) }
    };
    found.extend(db.check_all(rows, &mut || false).unwrap());
    // Every finding has a message.
    for f in &found {
        let e = f.to_sql(DB);
        assert!(!e.message.contains('%'), "{f:?}: {}", e.message);
    }
    found
}

/// Damages a database and gives what is found then.
pub fn damaged(damage: impl FnOnce(&mut Pages)) -> Vec<What> {
    let rig = made();
    let mut pages = Pages::read(&rig);
    damage(&mut pages);
    let db = rig.open();
    let mut what: Vec<What> = findings(&db).into_iter().map(|f| f.what).collect();
    what.dedup();
    what
}

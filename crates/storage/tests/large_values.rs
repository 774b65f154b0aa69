//! Large values under readers that hold a copy of the row that refers to one.

use std::sync::Arc;

use taffrail_base::{ObjectId, PageId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Database, Direction, Durability, Growth, Hobt, HobtKind, KeyRange, LobRef, Rid, ScanLocks,
    StorageError, Transaction, btree, heap, lob,
};

use crate::rig;

use rig::{MB, Rig, begin_impatient, make};

const OBJECT: ObjectId = ObjectId(1000);
const ROWS: u8 = 60;
const LEN: usize = 3 * lob::PIECE + 500;

fn rig(seed: u64) -> Rig {
    let (size, growth) = (8 * MB, Growth::Bytes(8 * MB));
    Rig::new(seed).dir_synced().frames(2048).data(size, growth).log(size, growth)
}

fn begin(db: &Arc<Database>, session: u16, mode: LockMode) -> Transaction {
    let mut tx = begin_impatient(db, session);
    tx.lock_object(OBJECT, mode).unwrap();
    tx
}

/// A row: its number, its version, the reference.
fn row(n: u8, version: u8, stored: LobRef) -> Vec<u8> {
    [&[n, version][..], &stored.to_bytes()].concat()
}

fn stored(row: &[u8]) -> LobRef {
    LobRef::from_bytes(row[2..].try_into().unwrap())
}

/// What a row's value is.
fn content(row: &[u8]) -> Vec<u8> {
    row[..2].repeat(LEN / 2)
}

/// Rows of a tree or a heap, by locator.
struct Rows {
    db: Arc<Database>,
    hobt: Arc<Hobt>,
    locators: Vec<Vec<u8>>,
}

impl Rows {
    fn new(rig: &Rig, kind: HobtKind) -> Rows {
        let db = rig.create();
        let id = make(&db, OBJECT.0, i32::from(kind == HobtKind::BTree));
        let hobt = db.hobt(id).unwrap();
        let mut locators = Vec::new();
        for n in 0..ROWS {
            let mut tx = begin(&db, 51, LockMode::IX);
            let value = lob::write(&mut tx, &hobt, &content(&[n, 0])).unwrap();
            let row = row(n, 0, value);
            locators.push(match kind {
                HobtKind::BTree => {
                    btree::insert(&mut tx, &hobt, &[n], &row).unwrap();
                    vec![n]
                }
                HobtKind::Heap => heap::insert(&mut tx, &hobt, &row).unwrap().to_bytes().to_vec(),
            });
            tx.commit(Durability::Full).unwrap();
        }
        Rows { db, hobt, locators }
    }

    fn get(&self, tx: &mut Transaction, n: u8, locks: ScanLocks) -> Vec<u8> {
        let (mut row, locator) = (Vec::new(), &self.locators[usize::from(n)]);
        let there = match self.hobt.kind() {
            HobtKind::BTree => btree::get(tx, &self.hobt, locator, locks, &mut row),
            HobtKind::Heap => {
                let rid = Rid::from_bytes(locator[..].try_into().unwrap());
                heap::fetch(tx, &self.hobt, rid, locks, &mut row)
            }
        };
        assert!(there.unwrap());
        row
    }

    /// Replaces a row's value, and commits.
    fn replace(&self, n: u8, version: u8) -> Result<(), StorageError> {
        let mut tx = begin(&self.db, 52, LockMode::IX);
        let locator = &self.locators[usize::from(n)];
        let old = stored(&self.get(&mut tx, n, ScanLocks::None));
        let value = lob::write(&mut tx, &self.hobt, &content(&[n, version]))?;
        let row = row(n, version, value);
        match self.hobt.kind() {
            HobtKind::BTree => btree::update(&mut tx, &self.hobt, locator, &row)?,
            HobtKind::Heap => {
                let rid = Rid::from_bytes(locator[..].try_into().unwrap());
                heap::update(&mut tx, &self.hobt, rid, &row)?;
            }
        }
        lob::delete(&mut tx, &self.hobt, old)?;
        tx.commit(Durability::Full)
    }

    /// All rows, as a reader under READ COMMITTED has them in hand when, after the first, everything changes.
    fn scan(
        &self,
        tx: &mut Transaction,
        locks: ScanLocks,
        meanwhile: impl FnOnce(),
    ) -> Vec<Vec<u8>> {
        let mut meanwhile = Some(meanwhile);
        let mut rows = Vec::new();
        let mut tree = btree::seek(&self.hobt, KeyRange::default(), Direction::Forward, locks);
        let mut pages = heap::scan(&self.hobt, locks);
        loop {
            let row = match self.hobt.kind() {
                HobtKind::BTree => {
                    let Some((key, row)) = tree.next(tx).unwrap() else { return rows };
                    let (key, row) = (key.to_vec(), row.to_vec());
                    assert_eq!(tree.key(), key);
                    row
                }
                HobtKind::Heap => {
                    let Some((rid, row)) = pages.next(tx).unwrap() else { return rows };
                    let row = row.to_vec();
                    assert_eq!(pages.rid(), rid);
                    row
                }
            };
            rows.push(row);
            if let Some(f) = meanwhile.take() {
                f();
            }
        }
    }

    fn replace_all(&self) {
        for version in [1, 2] {
            for n in (0..ROWS).rev() {
                self.replace(n, version).unwrap();
            }
        }
    }
}

const KINDS: [HobtKind; 2] = [HobtKind::BTree, HobtKind::Heap];

#[test]
fn a_copied_row_never_gets_the_bytes_of_anothers_value() {
    for kind in KINDS {
        for locks in [ScanLocks::ReadCommitted, ScanLocks::None] {
            let rows = Rows::new(&rig(1), kind);
            let mut tx = begin(&rows.db, 51, LockMode::IS);
            let copies = rows.scan(&mut tx, locks, || rows.replace_all());
            let (mut right, mut gone) = (0, 0);
            for copy in &copies {
                let mut out = b"before".to_vec();
                if lob::read_unlocked(&mut tx, &rows.hobt, stored(copy), 0, u64::MAX, &mut out)
                    .unwrap()
                {
                    assert_eq!(&out[6..], content(copy));
                    right += 1;
                    continue;
                }
                gone += 1;
                assert_eq!(out, b"before");
                // Who should have had a lock is told otherwise.
                let read = lob::read(&mut tx, &rows.hobt, stored(copy), 0, u64::MAX, &mut out);
                assert!(matches!(read, Err(StorageError::Corrupt(_))), "{read:?}");
                let (mut now, locator) = (Vec::new(), &rows.locators[usize::from(copy[0])]);
                let value = lob::with_row(&mut tx, &rows.hobt, locator, &mut now, |tx, row| {
                    let mut out = Vec::new();
                    lob::read(tx, &rows.hobt, stored(row), 0, u64::MAX, &mut out).map(|()| out)
                });
                assert_eq!(now[..2], [copy[0], 2]);
                assert_eq!(value.unwrap().unwrap().unwrap(), content(&now));
            }
            assert_eq!(right + gone, usize::from(ROWS), "{kind:?} {locks:?}");
            assert!(gone > usize::from(ROWS) / 2, "{kind:?} {locks:?}: {gone}");
        }
    }
}

#[test]
fn a_row_is_locked_as_long_as_its_value_is_read() {
    for kind in KINDS {
        let rows = Rows::new(&rig(2), kind);
        let mut tx = begin(&rows.db, 51, LockMode::IS);
        let mut row = Vec::new();
        let locator = &rows.locators[7];
        let seen = lob::with_row(&mut tx, &rows.hobt, locator, &mut row, |tx, row| {
            assert!(matches!(rows.replace(7, 1), Err(StorageError::Lock(_))));
            let mut out = Vec::new();
            lob::read(tx, &rows.hobt, stored(row), 0, u64::MAX, &mut out).unwrap();
            out == content(&[7, 0])
        });
        assert_eq!(seen.unwrap(), Some(true));
        // Not longer; but a lock that was held before is.
        rows.replace(7, 1).unwrap();
        rows.get(&mut tx, 7, ScanLocks::Shared);
        lob::with_row(&mut tx, &rows.hobt, locator, &mut row, |_, _| ()).unwrap().unwrap();
        assert!(matches!(rows.replace(7, 2), Err(StorageError::Lock(_))));
        drop(tx);
        rows.replace(7, 2).unwrap();
    }
}

#[test]
fn identities_outlive_a_crash() {
    let rig = rig(3);
    let rows = Rows::new(&rig, HobtKind::BTree);
    let id = rows.hobt.id();
    rows.replace_all();
    let mut tx = begin(&rows.db, 51, LockMode::IS);
    let copies = rows.scan(&mut tx, ScanLocks::None, || {});
    drop(tx);
    rig.lose_power(rows);
    let db = rig.open();
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(&db, 51, LockMode::IS);
    for copy in &copies {
        let mut out = Vec::new();
        lob::read(&mut tx, &hobt, stored(copy), 0, u64::MAX, &mut out).unwrap();
        assert_eq!(out, content(copy));
    }
}

#[test]
fn references_hold_what_they_can() {
    for (first, id, length) in [
        (PageId::new(1, 77), 0, 0x8000_0000),
        (PageId::new(u16::MAX, u32::MAX), LobRef::MAX_ID, LobRef::MAX_LENGTH),
        (PageId::NONE, 1, 0),
        (PageId::new(2, 3), 0x1234_5678_9abc, 9),
    ] {
        let lob = LobRef { first, id, length };
        assert_eq!(LobRef::from_bytes(lob.to_bytes()), lob);
    }
    // As version 1 of the format wrote them.
    let old = [9u64 << 32 | 5, 100_000].map(u64::to_le_bytes).concat();
    let lob = LobRef { first: PageId::new(9, 5), id: 0, length: 100_000 };
    assert_eq!(LobRef::from_bytes(old[..].try_into().unwrap()), lob);
}

//! A tree and a heap, what they hold, and what can be cut off.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::{FileId, HobtId, IndexId, ObjectId, PageId};
use taffrail_log::FlushReason;

use crate::access::btree::{self, Reorganize};
use crate::access::heap::{self, HeapLoad};
use crate::access::{Hobt, lob};
use crate::check::{NoRows, Rows};
use crate::database::{CheckpointKind, Database};
use crate::lock::LockMode;
use crate::rig::{Entries, MB, Rig, begin, make, whole_heap, whole_tree};
use crate::txn::work::cut::{self, Plan};
use crate::{Durability, Growth, HobtKind, Rid, StorageError, StorageResult, Transaction};

pub(super) struct Scene {
    rig: Rig,
    pub db: Arc<Database>,
    tree: HobtId,
    heap: HobtId,
    /// What is going to be dropped.
    other: HobtId,
    pub rows: Entries,
    pub heap_rows: BTreeMap<Rid, Vec<u8>>,
    pub key: fn(u64) -> Vec<u8>,
}

pub(super) fn short(n: u64) -> Vec<u8> {
    n.to_be_bytes().to_vec()
}

/// Separators are as long: an interior page has four.
pub(super) fn long(n: u64) -> Vec<u8> {
    [&[b'a'; 1682][..], &n.to_be_bytes()].concat()
}

/// What is cut off. None of them changes what tree and heap hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// Splits, in the middle and at the end, of leaves and of pages above; extents.
    Splits,
    /// Merges, moves, extents given back.
    Reorganize,
    /// Ghosts removed, leaves given back.
    Cleanup,
    /// First pages.
    NewTree,
    NewHeap,
    /// Pages of a heap.
    HeapPages,
    /// Pages of large values, allocated, replaced and given back.
    Lobs,
    /// A tree from its leaves upwards.
    Build,
    /// Whole extents of a heap.
    Load,
    /// Emptied, and back again.
    Truncate,
    /// Dropped for good, and its extents given back.
    Drop,
    /// The file grows.
    Grow,
}

impl Scene {
    /// Keys by tens, out of order, so that leaves are half full; a range of them deleted, and some rows of the heap.
    pub fn new(seed: u64, key: fn(u64) -> Vec<u8>, bytes: usize) -> Scene {
        let rig = Rig::new(seed).frames(256).data(2 * MB, Growth::Bytes(MB));
        let rig = rig.log(4 * MB, Growth::Bytes(MB));
        let db = rig.create();
        // Large values of a few pages have nodes on two levels.
        db.set_lob_fanout(2);
        let (tree, heap, other) = (make(&db, 1000, 1), make(&db, 1001, 0), make(&db, 1002, 1));
        let (rows, heap_rows) = (Entries::new(), BTreeMap::new());
        let mut scene = Scene { rig, db, tree, heap, other, rows, heap_rows, key };
        let mut tx = begin(&scene.db);
        let (tree, heap, other) = (scene.tree(), scene.heap(), scene.db.hobt(other).unwrap());
        for i in 0..41 {
            let (k, value) = (key(i * 17 % 41 * 10), vec![i as u8 + 1; bytes]);
            btree::insert(&mut tx, &tree, &k, &value).unwrap();
            btree::insert(&mut tx, &other, &k, &value).unwrap();
            scene.rows.insert(k, value);
        }
        for i in 0..12 {
            let row = vec![i; 1900];
            scene.heap_rows.insert(heap::insert(&mut tx, &heap, &row).unwrap(), row);
        }
        tx.commit(Durability::Full).unwrap();
        let mut tx = begin(&scene.db);
        for n in 10..28 {
            assert!(btree::delete(&mut tx, &tree, &key(n * 10)).unwrap());
            scene.rows.remove(&key(n * 10));
        }
        let gone: Vec<Rid> = scene.heap_rows.keys().copied().skip(4).take(3).collect();
        for rid in gone {
            assert!(heap::delete(&mut tx, &heap, rid).unwrap());
            scene.heap_rows.remove(&rid);
        }
        tx.commit(Durability::Full).unwrap();
        scene.db.checkpoint(CheckpointKind::Manual).unwrap();
        scene
    }

    pub fn tree(&self) -> Arc<Hobt> {
        self.db.hobt(self.tree).unwrap()
    }

    pub fn heap(&self) -> Arc<Hobt> {
        self.db.hobt(self.heap).unwrap()
    }

    pub fn begin(&self) -> Transaction {
        let mut tx = begin(&self.db);
        for hobt in [self.tree(), self.heap()] {
            tx.lock_object(hobt.object(), LockMode::IX).unwrap();
        }
        tx
    }

    /// The leaf of the `i`-th row becomes the one that was written to last.
    pub fn touch(&mut self, i: usize) {
        let (key, old) = self.rows.iter().nth(i).expect("a row");
        let (key, value) = (key.clone(), vec![!old[0]; old.len()]);
        let mut tx = self.begin();
        btree::update(&mut tx, &self.tree(), &key, &value).unwrap();
        tx.commit(Durability::Full).unwrap();
        self.rows.insert(key, value);
    }

    /// Does it, cut off at the n-th place. False: there is no such place.
    pub fn cut_off(&self, work: Work, n: u32) -> bool {
        cut::anywhere(n);
        let done = self.run(work);
        let struck = !cut::is_to_come();
        cut::anywhere(0);
        match done {
            Ok(()) | Err(StorageError::Misuse("cut off by a test")) => {}
            Err(e) => panic!("{work:?}, {n}: {e}"),
        }
        struck
    }

    pub fn run(&self, work: Work) -> StorageResult<()> {
        let mut tx = self.begin();
        let done = self.run_in(&mut tx, work);
        match work {
            Work::Drop if done.is_ok() => tx.commit(Durability::Full).unwrap(),
            _ => tx.rollback().unwrap(),
        }
        match work {
            Work::Lobs if done.is_ok() => self.write_and_give_back(),
            _ => done,
        }
    }

    /// The same, whatever fails; what undoes may fail as well. A database that has not gone down undoes the rest in the background.
    pub fn run_to_any_end(&self, work: Work) {
        let mut tx = self.begin();
        let done = self.run_in(&mut tx, work).is_ok();
        let _ = match work {
            Work::Drop if done => tx.commit(Durability::Full).map(drop),
            _ => tx.rollback(),
        };
        if work == Work::Lobs && done {
            let _ = self.write_and_give_back();
        }
    }

    fn run_in(&self, tx: &mut Transaction, work: Work) -> StorageResult<()> {
        let (db, tree, heap) = (&self.db, self.tree(), self.heap());
        match work {
            Work::Splits => {
                let keys = [3, 5, 395, 1 << 40, 1 << 41, 4, 6, 205].map(self.key);
                keys.iter().try_for_each(|key| btree::insert(tx, &tree, key, &[9; 2500]))
            }
            Work::Reorganize => {
                let mut work = Reorganize::new(&tree, 0)?;
                while work.step(tx)? {}
                Ok(())
            }
            Work::Cleanup => db.clean_ghosts(usize::MAX).map(drop),
            Work::NewTree => {
                let new = self.make_in(tx, HobtKind::BTree)?;
                btree::insert(tx, &new, b"key", b"row")
            }
            Work::NewHeap => {
                let new = self.make_in(tx, HobtKind::Heap)?;
                heap::insert(tx, &new, b"row").map(drop)
            }
            Work::Build => {
                let new = self.make_in(tx, HobtKind::BTree)?;
                let entries = (0..900).map(|n| Ok((short(n), vec![1; 200])));
                btree::build::<StorageError, _>(tx, &new, entries).map(drop)
            }
            Work::Load => {
                let mut load = HeapLoad::open(&heap);
                (0..900).try_for_each(|_| load.push(tx, &[2; 200]))?;
                load.finish(tx).map(drop)
            }
            Work::HeapPages => {
                (0..9).try_for_each(|i| heap::insert(tx, &heap, &[i; 3000]).map(drop))
            }
            Work::Lobs => [&tree, &heap].into_iter().try_for_each(|h| {
                let value = lob::write(tx, h, &[1; 3 * lob::PIECE])?;
                let longer = lob::append(tx, h, value, &[2; lob::PIECE])?;
                lob::replace(tx, h, longer, 9000, 9000, &[3; 100]).map(drop)
            }),
            Work::Truncate => {
                tx.lock_object(tree.object(), LockMode::SchM)?;
                db.truncate_hobt(tx, tree.id())?;
                (0..9).try_for_each(|n| btree::insert(tx, &tree, &short(n), &[1; 2500]))
            }
            Work::Drop => {
                tx.lock_object(ObjectId(1002), LockMode::SchM)?;
                db.drop_hobt(tx, self.other)
            }
            Work::Grow => db.grow_data_file(FileId(1), db.files()[0].size + MB),
        }
    }

    fn make_in(&self, tx: &mut Transaction, kind: HobtKind) -> StorageResult<Arc<Hobt>> {
        let id = self.db.create_hobt(tx, kind, ObjectId(2000), IndexId(kind as i32))?;
        self.db.hobt(id)
    }

    /// A large value, committed, changed, deleted, and its pages given back.
    fn write_and_give_back(&self) -> StorageResult<()> {
        let tree = self.tree();
        self.db.store.check()?;
        let mut tx = self.begin();
        let value = lob::write(&mut tx, &tree, &[1; 3 * lob::PIECE])?;
        tx.commit(Durability::Full)?;
        self.db.store.check()?;
        let mut tx = self.begin();
        let value = lob::replace(&mut tx, &tree, value, 9000, 10, &[2; 9000])?;
        tx.commit(Durability::Full)?;
        self.db.store.check()?;
        let mut tx = self.begin();
        lob::delete(&mut tx, &tree, value)?;
        tx.commit(Durability::Full).map(drop)
    }

    /// The free pages in the extents of a heap or tree.
    pub fn free_pages(&self, hobt: &Hobt) -> Vec<PageId> {
        let mut found = Vec::new();
        let mut iam = hobt.first_iam();
        while !iam.is_none() {
            let (runs, start, next) = self.db.read_iam(iam, hobt.id()).unwrap();
            for bit in runs.into_iter().flat_map(|(first, n)| first..first + n) {
                let extent = PageId { file: iam.file, page: start + bit * 8 };
                found.extend(self.db.unallocated(extent).unwrap());
            }
            iam = next;
        }
        found
    }

    /// True if it has gone down: then nobody gets as far as to be shown a row, or to change one.
    pub fn is_down(&self, what: &str) -> bool {
        let down = self.db.store.check().is_err();
        if down {
            let mut tx = begin(&self.db);
            let locked = tx.lock_object(self.tree().object(), LockMode::IS);
            assert!(matches!(locked, Err(StorageError::Suspect(_))), "{what}: {locked:?}");
        }
        down
    }

    /// Power fails, with all of the log that there is on the disk or not. The restart ends as `plan` says, and so does the
    /// next; then there is one that nothing ends.
    pub fn restart(mut self, plan: Plan, flushed: bool) -> Scene {
        if flushed {
            self.db.log().flush(FlushReason::Request).unwrap();
        }
        self.rig.lose_power(self.db);
        for _ in 0..2 {
            cut::plan(plan);
            let opened = self.rig.recover();
            cut::anywhere(0);
            if let Ok(db) = &opened {
                // What was left undone by one of them is the next one's.
                let _ = db.log().flush(FlushReason::Request);
            }
            self.rig.lose_power(opened.ok());
        }
        self.db = self.rig.recover().unwrap();
        self
    }

    /// Tree and heap hold what they should, and nothing is found wrong.
    pub fn compare(&self, what: &str) {
        let mut tx = begin(&self.db);
        let found = whole_tree(&mut tx, &self.tree()).unwrap();
        assert!(found == self.rows, "{what}: {} rows, not {}", found.len(), self.rows.len());
        let found = whole_heap(&mut tx, &self.heap()).unwrap();
        assert!(found == self.heap_rows, "{what}: {} rows of the heap", found.len());
        drop(tx);
        let no_rows = |_| Box::new(NoRows) as Box<dyn Rows>;
        let findings = self.db.check_all(no_rows, &mut || false).unwrap();
        assert!(findings.is_empty(), "{what}: {findings:?}");
    }

    /// The same, once more after a restart, and after one that follows a checkpoint.
    pub fn end(mut self, what: &str) {
        self.db.background_tick();
        self.compare(what);
        for _ in 0..2 {
            self.rig.lose_power(self.db);
            self.db = self.rig.recover().unwrap();
            self.compare(&format!("{what}, restarted"));
            self.db.checkpoint(CheckpointKind::Manual).unwrap();
        }
    }
}

//! Large values that are changed: appended to, overwritten, shortened, with bytes put in between; and how little of them is touched.

use std::sync::Arc;

use taffrail_base::{HobtId, ObjectId};
use taffrail_storage::check::{RowFault, Rows};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, Hobt, LobRef, Rid, ScanLocks, StorageError,
    Transaction, btree, lob,
};

use crate::rig;

use rig::{MB, Rig, begin_impatient, make};

const OBJECT: ObjectId = ObjectId(1000);

fn rig(seed: u64, frames: u64) -> Rig {
    let growth = Growth::Bytes(8 * MB);
    Rig::new(seed).dir_synced().frames(frames).data(8 * MB, growth).log(8 * MB, growth)
}

fn begin(db: &Arc<Database>) -> Transaction {
    let mut tx = begin_impatient(db, 51);
    tx.lock_object(OBJECT, LockMode::IX).unwrap();
    tx
}

/// A tree with one row, whose value is the reference.
struct Value {
    db: Arc<Database>,
    id: HobtId,
}

impl Value {
    fn new(rig: &Rig, bytes: &[u8]) -> Value {
        let db = rig.create();
        let id = make(&db, OBJECT.0, 1);
        let value = Value { db, id };
        let mut tx = begin(&value.db);
        let stored = lob::write(&mut tx, &value.hobt(), bytes).unwrap();
        btree::insert(&mut tx, &value.hobt(), b"k", &stored.to_bytes()).unwrap();
        tx.commit(Durability::Full).unwrap();
        value
    }

    fn hobt(&self) -> Arc<Hobt> {
        self.db.hobt(self.id).unwrap()
    }

    fn stored(&self, tx: &mut Transaction) -> LobRef {
        let mut row = Vec::new();
        assert!(btree::get(tx, &self.hobt(), b"k", ScanLocks::Exclusive, &mut row).unwrap());
        LobRef::from_bytes(row.try_into().unwrap())
    }

    fn replace(&self, tx: &mut Transaction, from: u64, length: u64, bytes: &[u8]) {
        let stored = self.stored(tx);
        let new = lob::replace(tx, &self.hobt(), stored, from, length, bytes).unwrap();
        btree::update(tx, &self.hobt(), b"k", &new.to_bytes()).unwrap();
    }

    fn read(&self, from: u64, length: u64) -> Vec<u8> {
        let mut tx = begin(&self.db);
        let stored = self.stored(&mut tx);
        let mut out = Vec::new();
        lob::read(&mut tx, &self.hobt(), stored, from, length, &mut out).unwrap();
        out
    }

    fn used(&self) -> u64 {
        self.db.space_used(self.id).unwrap().used_pages
    }

    fn check(&self, what: &str) {
        let findings = self.db.check_all(|_| Box::new(References), &mut || false).unwrap();
        assert!(findings.is_empty(), "{what}: {findings:?}");
    }
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

/// Numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % n
    }

    fn bytes(&mut self, n: u64) -> Vec<u8> {
        (0..n).map(|_| self.below(256) as u8).collect()
    }
}

#[test]
fn a_value_is_what_its_changes_make_of_it() {
    for seed in 0..12 {
        let mut numbers = Numbers(seed);
        let mut model = numbers.bytes(70_000);
        let value = Value::new(&rig(seed, 512), &model);
        value.db.set_lob_fanout(2 + seed as usize % 5);
        for step in 0..40 {
            let what = format!("seed {seed}, step {step}");
            let mut tx = begin(&value.db);
            let mut changed = model.clone();
            let savepoint = tx.savepoint();
            for again in 0..1 + numbers.below(3) {
                if again == 1 && numbers.below(4) == 0 {
                    tx.rollback_to(savepoint).unwrap();
                    changed = model.clone();
                }
                let length = changed.len() as u64;
                let few = [3, 800, 9000, 40_000][numbers.below(4) as usize];
                let bytes = match numbers.below(5) {
                    0 => Vec::new(),
                    _ => {
                        let n = numbers.below(few);
                        numbers.bytes(n)
                    }
                };
                let pieces = length / lob::PIECE as u64 + 1;
                let from = match numbers.below(4) {
                    0 => length,
                    // Where a piece may end.
                    1 => length.min(numbers.below(pieces) * lob::PIECE as u64),
                    _ => numbers.below(length + 1),
                };
                let gone = match numbers.below(4) {
                    0 => bytes.len() as u64,
                    1 => numbers.below(60_000),
                    _ => 0,
                };
                let to = length.min(from + gone);
                if length - (to - from) + bytes.len() as u64 == 0 || length > 400_000 {
                    continue;
                }
                value.replace(&mut tx, from, gone, &bytes);
                changed.splice(from as usize..to as usize, bytes);
            }
            if numbers.below(3) == 0 {
                tx.rollback().unwrap();
            } else {
                tx.commit(Durability::Full).unwrap();
                model = changed;
            }
            assert!(value.read(0, u64::MAX) == model, "{what}");
            for _ in 0..5 {
                let from = numbers.below(model.len() as u64 + 1);
                let to = (model.len() as u64).min(from + numbers.below(20_000));
                assert!(value.read(from, to - from) == model[from as usize..to as usize], "{what}");
            }
            value.check(&what);
        }
        // Nothing has been left behind, and nothing is left in the end.
        let pieces = model.len().div_ceil(lob::PIECE) as u64;
        assert!(value.used() <= 6 + 5 * pieces, "{} pages for {pieces}", value.used());
        let mut tx = begin(&value.db);
        let stored = value.stored(&mut tx);
        lob::delete(&mut tx, &value.hobt(), stored).unwrap();
        btree::delete(&mut tx, &value.hobt(), b"k").unwrap();
        tx.commit(Durability::Full).unwrap();
        value.check("deleted");
        // The IAM page and the leaf.
        assert_eq!(value.used(), 2);
    }
}

#[test]
fn any_byte_is_found_by_a_page_of_each_level() {
    let rig = rig(1, 8192);
    let mut numbers = Numbers(1);
    let content = numbers.bytes(40_000).repeat(600);
    let value = Value::new(&rig, &content);
    let length = content.len() as u64;
    let instance = value.db.instance().clone();
    for from in [0, 10, length / 2, length - 10] {
        let mut tx = begin(&value.db);
        let stored = value.stored(&mut tx);
        let before = instance.pool.counters.page_lookups.get();
        let mut out = Vec::new();
        lob::read(&mut tx, &value.hobt(), stored, from, 10, &mut out).unwrap();
        let pages = instance.pool.counters.page_lookups.get() - before;
        assert_eq!(out, content[from as usize..from as usize + 10]);
        // Some 3,000 pieces: root, node, piece; or two of these where it goes on.
        assert!(pages <= 5, "{pages} pages");
    }
}

#[test]
fn an_append_writes_the_end_of_a_value_in_one_block_of_the_log() {
    let rig = rig(2, 8192);
    let content = Numbers(2).bytes(40_000).repeat(600);
    let value = Value::new(&rig, &content);
    value.db.checkpoint(CheckpointKind::Manual).unwrap();
    let more = [7; 8192];
    let counters = value.db.counters().clone();
    for n in 1..=20 {
        let (flushes, bytes) = (counters.log_flushes.get(), value.db.log().appended());
        let mut tx = begin(&value.db);
        let length = value.stored(&mut tx).length;
        value.replace(&mut tx, length, 0, &more);
        tx.commit(Durability::Full).unwrap();
        let flushes = counters.log_flushes.get() - flushes;
        let bytes = value.db.log().appended().since(bytes);
        assert!(flushes <= 2, "{flushes} writes of the log");
        assert!(bytes < 48 << 10, "{bytes} bytes of log");
        let length = content.len() as u64 + n * more.len() as u64;
        assert_eq!(value.read(length - 10, 100), [7; 10]);
    }
    value.check("appended");
    let used = value.used();
    assert!(used < (content.len() / lob::PIECE + 60) as u64, "{used} pages");
}

#[test]
fn pieces_that_lie_together_are_read_together() {
    let rig = rig(3, 4096);
    let content = Numbers(3).bytes(40_000).repeat(200);
    let value = Value::new(&rig, &content);
    let id = value.id;
    value.db.close().unwrap();
    drop(value);
    let value = Value { db: rig.open(), id };
    let counters = value.db.counters().clone();
    let before = counters.data_reads.get();
    assert!(value.read(0, u64::MAX) == content);
    let (reads, pages) = (counters.data_reads.get() - before, content.len() / lob::PIECE);
    assert!(reads < pages as u64 / 10, "{reads} reads of {pages} pages");
    // A part takes no more than it needs.
    let value = {
        value.db.close().unwrap();
        drop(value);
        Value { db: rig.open(), id }
    };
    let counters = value.db.counters().clone();
    let before = counters.data_reads.get();
    assert_eq!(value.read(content.len() as u64 - 10, 10), content[content.len() - 10..]);
    assert!(counters.data_reads.get() - before < 12);
}

/// A value that is written as it comes, its length unknown.
#[test]
fn a_value_is_written_as_it_comes() {
    for sizes in [&[1][..], &[0, 8092, 1], &[5000; 33], &[8092; 4], &[100_000, 3]] {
        let value = Value::new(&rig(4, 512), &[1]);
        value.db.set_lob_fanout(3);
        let mut tx = begin(&value.db);
        let old = value.stored(&mut tx);
        lob::delete(&mut tx, &value.hobt(), old).unwrap();
        let mut content = Vec::new();
        let hobt = value.hobt();
        let mut writer = lob::Writer::new(&mut tx, &hobt, 0).unwrap();
        for (n, size) in sizes.iter().enumerate() {
            let part = Numbers(n as u64).bytes(*size);
            writer.push(&part).unwrap();
            content.extend(part);
        }
        let stored = writer.finish().unwrap();
        btree::update(&mut tx, &hobt, b"k", &stored.to_bytes()).unwrap();
        tx.commit(Durability::Full).unwrap();
        assert!(value.read(0, u64::MAX) == content, "{sizes:?}");
        value.check("written");
    }
}

/// The first node of a value comes to be beside the piece that it was, or in its place.
#[test]
fn a_value_of_one_page_grows() {
    let numbers = |n: usize| Numbers(n as u64).bytes(n as u64);
    for (len, from, gone, more) in [
        (1917, 0, 0, 25_096),
        (lob::PIECE, lob::PIECE, 0, 1),
        (lob::PIECE, 0, 0, 9),
        (lob::PIECE, 5, 0, 9),
        (lob::PIECE, 5, 100, 20_000),
        (10, 10, 0, 10),
        (10, 0, 9, 9000),
    ] {
        let (old, new) = (numbers(len), numbers(more));
        let value = Value::new(&rig(8, 512), &old);
        let mut tx = begin(&value.db);
        value.replace(&mut tx, from as u64, gone, &new);
        tx.commit(Durability::Full).unwrap();
        let expected = [&old[..from], &new, &old[from + gone as usize..]].concat();
        assert!(value.read(0, u64::MAX) == expected, "{len}, {from}, {gone}, {more}");
        value.check("grown");
        let pieces = expected.len().div_ceil(lob::PIECE) as u64;
        assert!(value.used() <= 2 + pieces + 2, "{} pages", value.used());
    }
}

/// What is asked for in vain changes nothing.
#[test]
fn what_cannot_be_is_refused() {
    let value = Value::new(&rig(5, 512), &[1; 20_000]);
    let mut tx = begin(&value.db);
    let stored = value.stored(&mut tx);
    let hobt = value.hobt();
    let behind = lob::replace(&mut tx, &hobt, stored, 20_001, 0, b"x");
    assert!(matches!(behind, Err(StorageError::Misuse(_))), "{behind:?}");
    let long = LobRef { length: LobRef::MAX_LENGTH, ..stored };
    let too_long = lob::append(&mut tx, &hobt, long, b"x");
    assert!(matches!(too_long, Err(StorageError::Misuse(_))), "{too_long:?}");
    // A reference that says something else than the pages do.
    let other = lob::append(&mut tx, &hobt, LobRef { length: 19_999, ..stored }, b"x");
    assert!(matches!(other, Err(StorageError::Corrupt(_))), "{other:?}");
    assert_eq!(lob::append(&mut tx, &hobt, stored, b"").unwrap(), stored);
    let none = lob::replace(&mut tx, &hobt, stored, 0, u64::MAX, b"").unwrap();
    assert!(none.length == 0 && none.first.is_none());
    tx.rollback().unwrap();
    assert_eq!(value.read(0, u64::MAX), [1; 20_000]);
    value.check("refused");
}

/// Whoever has the reference of before reads what was there before, until the transaction that changed it has committed, and nothing
/// else after that.
#[test]
fn a_reader_of_before_never_sees_half_a_change() {
    let before: Vec<u8> = vec![1; 100_000];
    let value = Value::new(&rig(6, 512), &before);
    value.db.set_lob_fanout(3);
    let mut tx = begin(&value.db);
    let old = value.stored(&mut tx);
    value.replace(&mut tx, 50_000, 30_000, &[2; 10]);
    let mut reader = begin_impatient(&value.db, 60);
    let hobt = value.hobt();
    let mut out = Vec::new();
    assert!(lob::read_unlocked(&mut reader, &hobt, old, 0, u64::MAX, &mut out).unwrap());
    assert!(out == before);
    tx.commit(Durability::Full).unwrap();
    // Pages that were given back are others' now.
    let mut tx = begin(&value.db);
    let filler = lob::write(&mut tx, &hobt, &[3; 400_000]).unwrap();
    btree::insert(&mut tx, &hobt, b"z", &filler.to_bytes()).unwrap();
    tx.commit(Durability::Full).unwrap();
    out.clear();
    assert!(!lob::read_unlocked(&mut reader, &hobt, old, 0, u64::MAX, &mut out).unwrap());
    assert!(out.is_empty());
    // What both have in common is there.
    assert!(lob::read_unlocked(&mut reader, &hobt, old, 0, 10, &mut out).is_ok());
    value.check("changed");
}

#[test]
fn a_crash_leaves_the_value_of_before_or_the_one_of_after() {
    for committed in [false, true] {
        let rig = rig(7, 512);
        let value = Value::new(&rig, &[1; 90_000]);
        value.db.set_lob_fanout(2);
        let id = value.id;
        let mut tx = begin(&value.db);
        value.replace(&mut tx, 90_000, 0, &[2; 9000]);
        value.replace(&mut tx, 10_000, 50_000, &[3; 5]);
        value.db.flush_log().unwrap();
        value.db.checkpoint(CheckpointKind::Manual).unwrap();
        if committed {
            tx.commit(Durability::Full).unwrap();
            rig.lose_power(value);
        } else {
            rig.lose_power((tx, value));
        }
        let value = Value { db: rig.open(), id };
        let expected = match committed {
            false => vec![1; 90_000],
            true => [&[1; 10_000][..], &[3; 5], &[1; 30_000], &[2; 9000]].concat(),
        };
        assert!(value.read(0, u64::MAX) == expected, "{committed}");
        value.check("restarted");
        value.db.background_tick();
        value.check("and freed");
    }
}

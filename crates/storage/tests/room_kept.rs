//! A file of a fixed size that is filled and rolled back again and again holds in the end what it held at first: in heaps, trees with
//! ascending and with scattered keys, and their indexes; whether the rollback is a transaction's, a savepoint's or a restart's, with
//! crashes and restarts between rollback and the next use of the room, ghost cleanup or none, deletions as well as rollbacks.

use std::sync::Arc;

use taffrail_base::{HobtId, ObjectId};
use taffrail_io::sim::SimRng;
use taffrail_storage::check::NoRows;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, LobRef, Rid, StorageError, Transaction, btree,
    heap, lob,
};

use crate::rig;

use rig::{MB, Rig, begin_impatient, make_in};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Table {
    Heap,
    /// Keys ascend; an index has them scattered.
    Ascending,
    /// The other way round.
    Scattered,
    /// Every seventh row has a large value.
    Large,
}

struct Run {
    rig: Rig,
    rng: SimRng,
    table: Table,
    row: usize,
    ids: Vec<HobtId>,
    next: u64,
    trace: Vec<&'static str>,
}

/// With a data file that keeps its size.
fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).dir_synced().frames(128);
    rig.data(3 * MB, Growth::None).log(4 * MB, Growth::Bytes(4 * MB))
}

fn begin(db: &Arc<Database>) -> Transaction {
    begin_impatient(db, 51)
}

impl Run {
    fn new(seed: u64, table: Table, row: usize) -> (Run, Arc<Database>) {
        let rig = rig(seed);
        let db = rig.create();
        let mut tx = begin(&db);
        let indexes = if table == Table::Heap { 0..=0 } else { 1..=2 };
        let ids = indexes.map(|index| make_in(&mut tx, 1000, index)).collect();
        tx.commit(Durability::Full).unwrap();
        let rng = SimRng::new(seed);
        (Run { rig, rng, table, row, ids, next: 0, trace: Vec::new() }, db)
    }

    fn insert(&mut self, db: &Arc<Database>, tx: &mut Transaction) -> Result<(), StorageError> {
        self.next += 1;
        let n = self.next;
        let scattered = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let row = vec![n as u8; self.row];
        let first = db.hobt(self.ids[0])?;
        tx.lock_object(first.object(), LockMode::IX)?;
        if self.table == Table::Large && n.is_multiple_of(7) {
            lob::write(tx, &first, &vec![1; 20_000])?;
        }
        let (key, other) = match self.table {
            Table::Heap => return heap::insert(tx, &first, &row).map(drop),
            Table::Scattered => (scattered, n),
            Table::Ascending | Table::Large => (n, scattered),
        };
        btree::insert(tx, &first, &key.to_be_bytes(), &row)?;
        btree::insert(tx, &*db.hobt(self.ids[1])?, &other.to_be_bytes(), &key.to_be_bytes())
    }

    /// Inserts until the file is full. The row that finds no room is undone.
    fn fill(&mut self, db: &Arc<Database>, tx: &mut Transaction) -> u64 {
        for n in 0.. {
            let mark = tx.savepoint();
            match self.insert(db, tx) {
                Ok(()) => {}
                Err(StorageError::FileFull(_)) => {
                    tx.rollback_to(mark).unwrap();
                    return n;
                }
                Err(e) => panic!("{e}: {:?}", self.trace),
            }
        }
        unreachable!("the file is never full")
    }

    /// Fills and empties the file in some way.
    fn round(&mut self, db: Arc<Database>) -> Arc<Database> {
        let mut tx = begin(&db);
        let mark = tx.savepoint();
        let (how, tick) = (self.rng.below(6), self.rng.one_in(2));
        let rows = self.fill(&db, &mut tx);
        assert!(rows > 0, "{:?}", self.trace);
        let db = match how {
            // Large values go with their rows only where the engine deletes them.
            how if how < 2 || (how == 5 && self.table == Table::Large) => {
                self.trace.push("rollback");
                tx.rollback().unwrap();
                db
            }
            2 => {
                self.trace.push("savepoint");
                tx.rollback_to(mark).unwrap();
                tx.commit(Durability::Full).unwrap();
                db
            }
            3 => {
                self.trace.push("crash");
                db.flush_log().unwrap();
                self.rig.lose_power((tx, db));
                self.rig.open()
            }
            4 => {
                self.trace.push("crash in the rollback");
                db.flush_log().unwrap();
                self.rig.world.crash_at(1 + self.rng.below(40));
                let _ = tx.rollback();
                let _ = db.checkpoint(CheckpointKind::Manual);
                let _ = db.clean_ghosts(20);
                self.rig.lose_power(db);
                self.rig.open()
            }
            _ => {
                self.trace.push("delete");
                tx.commit(Durability::Full).unwrap();
                self.delete_all(&db);
                db
            }
        };
        if tick {
            db.background_tick();
        }
        match self.rng.below(4) {
            0 => {
                self.trace.push("closed");
                db.close().unwrap();
                drop(db);
                self.rig.open()
            }
            1 => {
                self.trace.push("crashed");
                self.rig.lose_power(db);
                self.rig.open()
            }
            _ => db,
        }
    }

    fn delete_all(&mut self, db: &Arc<Database>) {
        use taffrail_storage::{Direction, KeyRange, ScanLocks};
        let mut tx = begin(db);
        tx.lock_object(ObjectId(1000), LockMode::X).unwrap();
        for &id in &self.ids {
            let hobt = db.hobt(id).unwrap();
            if self.table == Table::Heap {
                let mut rids: Vec<Rid> = Vec::new();
                let mut cursor = heap::scan(&hobt, ScanLocks::None);
                while let Some((rid, _)) = cursor.next(&mut tx).unwrap() {
                    rids.push(rid);
                }
                rids.iter().for_each(|&r| assert!(heap::delete(&mut tx, &hobt, r).unwrap()));
                continue;
            }
            let (mut keys, all) = (Vec::new(), KeyRange::default());
            let mut cursor = btree::seek(&hobt, all, Direction::Forward, ScanLocks::None);
            while let Some((key, _)) = cursor.next(&mut tx).unwrap() {
                keys.push(key.to_vec());
            }
            keys.iter().for_each(|k| assert!(btree::delete(&mut tx, &hobt, k).unwrap()));
        }
        tx.commit(Durability::Full).unwrap();
    }
}

fn run(seed: u64, table: Table) {
    let row = [300, 700, 2000][seed as usize % 3];
    let (mut run, db) = Run::new(seed, table, row);
    let mut tx = begin(&db);
    let first = run.fill(&db, &mut tx);
    tx.rollback().unwrap();
    let mut db = db;
    for _ in 0..6 {
        db = run.round(db);
    }
    let mut tx = begin(&db);
    let last = run.fill(&db, &mut tx);
    tx.commit(Durability::Full).unwrap();
    println!("{table:?} {row}: {first} rows at first, {last} at last; {:?}", run.trace);
    let least = match table {
        Table::Heap => first,
        // Trees keep the first leaf under each page above the leaves, and pages of one are not the other's.
        Table::Ascending | Table::Large => first * 19 / 20,
        // Leaves that are not empty keep the ranges of keys that others had given them, so some are less full.
        Table::Scattered => first * 3 / 4,
    };
    assert!(last >= least, "seed {seed}, {table:?}: {last} of {first} rows, {:?}", run.trace);
    for &id in &run.ids {
        let found = db.check_hobt(id, &mut NoRows, &mut || false).unwrap();
        assert!(found.findings.is_empty(), "seed {seed}: {:?}", found.findings);
    }
}

#[test]
fn what_is_rolled_back_leaves_its_room() {
    for table in [Table::Heap, Table::Ascending, Table::Scattered, Table::Large] {
        for seed in 0..6 {
            run(seed, table);
        }
    }
}

/// Who has the table for himself alone, and anybody who waits for it behind him, does not hide its own room from him.
#[test]
fn a_locked_table_finds_its_empty_leaves() {
    for (seed, restarted) in [(1, false), (2, true)] {
        let (mut run, mut db) = Run::new(seed, Table::Ascending, 600);
        let mut tx = begin(&db);
        let first = run.fill(&db, &mut tx);
        tx.commit(Durability::Full).unwrap();
        run.delete_all(&db);
        if restarted {
            db.close().unwrap();
            drop(db);
            db = run.rig.open();
        }
        let mut tx = begin(&db);
        tx.lock_object(ObjectId(1000), LockMode::SchM).unwrap();
        let then = run.fill(&db, &mut tx);
        tx.commit(Durability::Full).unwrap();
        assert!(then >= first * 19 / 20, "{then} of {first} rows, restarted: {restarted}");
    }
}

/// Writes large values of so many bytes until the file is full; gives how many there were.
fn fill_with_values(
    db: &Arc<Database>,
    tx: &mut Transaction,
    id: HobtId,
    bytes: usize,
) -> Vec<LobRef> {
    let hobt = db.hobt(id).unwrap();
    let mut values = Vec::new();
    loop {
        let mark = tx.savepoint();
        match lob::write(tx, &hobt, &vec![1; bytes]) {
            Ok(value) => values.push(value),
            Err(StorageError::FileFull(_)) => {
                tx.rollback_to(mark).unwrap();
                return values;
            }
            Err(e) => panic!("{e}"),
        }
    }
}

#[test]
fn large_values_that_several_sessions_roll_back_leave_their_room() {
    let (run, db) = Run::new(1, Table::Large, 300);
    let id = run.ids[0];
    let fill = |db: &Arc<Database>| {
        let mut tx = begin(db);
        tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
        let n = fill_with_values(db, &mut tx, id, 8000).len();
        tx.rollback().unwrap();
        n
    };
    let first = fill(&db);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..150 {
                    let mut tx = begin(&db);
                    tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
                    let hobt = db.hobt(id).unwrap();
                    match lob::write(&mut tx, &hobt, &vec![1; 9000 * (1 + n % 12)]) {
                        Ok(_) | Err(StorageError::FileFull(_)) => {}
                        Err(e) => panic!("{e}"),
                    }
                    tx.rollback().unwrap();
                }
            });
        }
    });
    assert_eq!(fill(&db), first);
    let found = db.check_hobt(id, &mut NoRows, &mut || false).unwrap();
    assert!(found.findings.is_empty(), "{:?}", found.findings);
}

#[test]
fn large_values_are_deleted_from_a_full_file() {
    for others in [false, true] {
        let (mut run, mut db) = Run::new(2, Table::Large, 300);
        let (a, b) = (run.ids[0], run.ids[1]);
        let delete = |db: &Arc<Database>, id, values: Vec<LobRef>| {
            let mut tx = begin(db);
            tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
            let hobt = db.hobt(id).unwrap();
            values.into_iter().for_each(|v| lob::delete(&mut tx, &hobt, v).unwrap());
            tx.commit(Durability::Full).unwrap();
        };
        let mut tx = begin(&db);
        tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
        // The directory has no free page: what is deleted finds room for its entries in what is kept, or given back.
        for n in 0.. {
            let directory = db.space_used(HobtId(64)).unwrap();
            if n > 200 && directory.reserved_pages == directory.used_pages {
                break;
            }
            make_in(&mut tx, 2000 + n, 0);
        }
        let first = db.hobt(a).unwrap();
        let few: Vec<LobRef> =
            (0..120).map(|_| lob::write(&mut tx, &first, &[1; 8000]).unwrap()).collect();
        let values = fill_with_values(&db, &mut tx, b, 8000);
        tx.commit(Durability::Full).unwrap();
        if others {
            // What one tree gives back, the other has room for.
            delete(&db, a, few);
            let mut tx = begin(&db);
            tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
            let more = fill_with_values(&db, &mut tx, b, 8000);
            assert!(more.len() >= 80, "{}", more.len());
            tx.commit(Durability::Full).unwrap();
            if run.rng.one_in(2) {
                run.rig.lose_power(db);
                db = run.rig.open();
            }
        }
        delete(&db, b, values);
        for id in [a, b] {
            let found = db.check_hobt(id, &mut NoRows, &mut || false).unwrap();
            assert!(found.findings.is_empty(), "{:?}", found.findings);
        }
    }
}

#[test]
fn who_waits_for_the_look_of_another_can_be_cancelled() {
    use std::sync::atomic::Ordering;
    use taffrail_observe::SessionCell;

    let (run, db) = Run::new(3, Table::Heap, 2000);
    let mut tx = begin(&db);
    let mut run = run;
    run.fill(&db, &mut tx);
    tx.commit(Durability::Full).unwrap();
    // One that was told to stop before it looks for room.
    let cell = SessionCell::new(51);
    cell.cancel_flag().store(true, Ordering::Relaxed);
    let mut tx = begin(&db);
    let entered = SessionCell::enter(&cell);
    let told = run.insert(&db, &mut tx);
    drop(entered);
    assert!(
        matches!(told, Err(StorageError::Lock(taffrail_storage::lock::LockError::Cancelled))),
        "{told:?}"
    );
    tx.rollback().unwrap();
    // What was not looked at is not forgotten.
    let mut tx = begin(&db);
    assert!(matches!(run.insert(&db, &mut tx), Err(StorageError::FileFull(_))));
}

//! A full log and a log that fails: every transaction has one outcome, everybody is told the same, and a full log heals.

use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{HobtId, ObjectId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimWorld};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CheckpointKind, Database, DatabaseState, Durability, Growth, Savepoint, ScanLocks,
    StorageError, Transaction, btree,
};

use crate::rig;

use rig::{MB, Rig, begin, begin_as, make_in};

/// A user's: what is undone in it need not be undone before a database opens.
const TREE: HobtId = HobtId(1 << 56);
/// The row of the transaction whose outcome is looked at.
const ITS: u64 = 5_000_000;

/// With a log that may not grow.
fn rig(seed: u64, log: u64) -> Rig {
    let growth = Growth::Bytes(MB);
    Rig::new(seed).frames(4096).data(2 * MB, growth).log(log, growth).log_max(log)
}

/// A database whose tree has a hundred rows.
fn create(rig: &Rig) -> Arc<Database> {
    let db = rig.create();
    let mut tx = begin(&db);
    tx.lock_object(ObjectId(999), LockMode::SchM).unwrap();
    assert_eq!(make_in(&mut tx, 999, 1), TREE);
    for key in 0..100 {
        insert(&mut tx, key).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    db
}

fn crash_and_reopen(rig: &Rig, db: Arc<Database>) -> Arc<Database> {
    rig.lose_power(db);
    rig.open()
}

fn insert(tx: &mut Transaction, key: u64) -> Result<(), StorageError> {
    let tree = tx.database().hobt(TREE)?;
    tx.lock_object(tree.object(), LockMode::IX)?;
    btree::insert(tx, &tree, &key.to_be_bytes(), &[key as u8; 100])
}

fn count(db: &Arc<Database>) -> Result<u64, StorageError> {
    rig::count(db, TREE, ScanLocks::None)
}

fn get(tx: &mut Transaction, key: u64, locks: ScanLocks) -> Result<bool, StorageError> {
    let tree = tx.database().hobt(TREE)?;
    let mut value = Vec::new();
    btree::get(tx, &tree, &key.to_be_bytes(), locks, &mut value)
}

/// Inserts until the log is full.
fn fill(tx: &mut Transaction, mut each: impl FnMut(&mut Transaction)) -> u64 {
    for key in 1000.. {
        each(tx);
        match insert(tx, key) {
            Ok(()) => {}
            Err(StorageError::LogFull(_)) => return key - 1000,
            Err(e) => panic!("{e}"),
        }
    }
    unreachable!("the log has an end")
}

/// One transaction has filled the log and rolls back bit by bit, while flushes put each of its compensation records into a
/// sector of its own and the disk has no room for more: what it reserved is not enough. Returns it and another transaction,
/// which has inserted one row.
fn drained(seed: u64) -> (Rig, Arc<Database>, Transaction, Transaction) {
    let rig = rig(seed, MB);
    let db = create(&rig);
    let mut large = begin(&db);
    let mut small = begin(&db);
    insert(&mut small, ITS).unwrap();
    let mut savepoints = Vec::new();
    fill(&mut large, |tx| savepoints.push(tx.savepoint()));
    rig.world.set_capacity(0);
    while let Some(savepoint) = savepoints.pop() {
        db.flush_log().unwrap();
        // One compensation record, and the ends of both.
        if db.log().space().free < 4 * db.log().sector_bytes() as u64 {
            break;
        }
        large.rollback_to(savepoint).unwrap();
    }
    assert!(!savepoints.is_empty(), "the log was not drained");
    (rig, db, large, small)
}

#[test]
fn a_commit_finds_room_in_a_log_that_rollbacks_have_drained() {
    let (rig, db, large, small) = drained(2);
    small.commit(Durability::Full).unwrap();
    // It has less than it needs, and no disk to grow on: it succeeds, or goes on when there is one.
    if let Err(e) = large.rollback() {
        assert!(e.is_want_of_room() && db.is_undo_waiting(), "{e}");
    }
    assert_eq!(db.state(), DatabaseState::Online);
    rig.world.set_capacity(u64::MAX);
    let db = crash_and_reopen(&rig, db);
    assert_eq!(count(&db).unwrap(), 101);
}

#[test]
fn what_was_committed_in_a_drained_log_stays_and_the_log_heals() {
    let (rig, db, large, small) = drained(3);
    small.commit(Durability::Full).unwrap();
    rig.world.set_capacity(u64::MAX);
    large.rollback().unwrap();
    assert_eq!(count(&db).unwrap(), 101);
    // Its key is taken, for everybody and for good.
    let mut other = begin(&db);
    assert!(matches!(insert(&mut other, ITS), Err(StorageError::DuplicateKey)));
    insert(&mut other, ITS + 1).unwrap();
    other.commit(Durability::Full).unwrap();
    for _ in 0..2 {
        db.checkpoint(CheckpointKind::Manual).unwrap();
    }
    assert_eq!(db.log().space().reserved, 0);
    let db = crash_and_reopen(&rig, db);
    assert_eq!(count(&db).unwrap(), 102);
}

#[test]
fn checkpoints_with_many_active_transactions_do_not_use_up_a_full_log() {
    const ACTIVE: u64 = 500;
    let rig = rig(4, 4 * MB);
    let db = create(&rig);
    let mut large = begin(&db);
    let mut active: Vec<Transaction> = (0..ACTIVE)
        .map(|i| {
            let mut tx = begin(&db);
            insert(&mut tx, ITS + i).unwrap();
            tx
        })
        .collect();
    fill(&mut large, |_| {});
    // The log is held by the oldest transaction: the first of these has its room, none of them can free anything.
    db.checkpoint(CheckpointKind::Manual).unwrap();
    for _ in 0..20 {
        let appended = db.log().appended();
        match db.checkpoint(CheckpointKind::Manual) {
            Ok(()) => {}
            Err(StorageError::LogFull(_)) => {
                assert_eq!(db.log().appended(), appended, "a refused checkpoint appends nothing");
            }
            Err(e) => panic!("{e}"),
        }
    }
    assert_eq!(db.log().space().total, 4 * MB, "the log grew although nothing could be freed");
    large.rollback().unwrap();
    for tx in active.drain(..) {
        tx.commit(Durability::Full).unwrap();
    }
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let mut tx = begin(&db);
    for key in 1000..1500 {
        insert(&mut tx, key).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    let db = crash_and_reopen(&rig, db);
    assert_eq!(count(&db).unwrap(), 100 + ACTIVE + 500);
}

/// Begins to undo what waits for room; false: there is none yet.
fn tries_again(world: &SimWorld, db: &Arc<Database>) -> bool {
    assert!(!db.claim_recovery(), "not at once");
    world.clock().advance(Duration::from_secs(2));
    assert!(db.claim_recovery(), "somebody is asked to try again");
    db.finish_recovery().unwrap()
}

/// Everything but the rows of the transaction that is still to be undone can be read and changed.
fn goes_on_beside(db: &Arc<Database>, locked: u64) {
    assert_eq!(db.state(), DatabaseState::Online);
    assert!(db.is_undoing() && db.is_undo_waiting());
    let mut other = db.begin(BeginSpec { lock_timeout_ms: 0, ..BeginSpec::default() });
    assert!(get(&mut other, 50, ScanLocks::ReadCommitted).unwrap());
    assert!(get(&mut other, ITS, ScanLocks::ReadCommitted).unwrap());
    let waits = get(&mut other, locked, ScanLocks::ReadCommitted);
    assert!(matches!(waits, Err(StorageError::Lock(_))), "{waits:?}");
}

#[test]
fn a_rollback_without_room_goes_on_when_there_is_some() {
    let (rig, db, large, small) = drained(5);
    let world = &rig.world;
    small.commit(Durability::Full).unwrap();
    let undone = large.rollback();
    assert!(matches!(undone, Err(StorageError::LogFull(_))), "{undone:?}");
    goes_on_beside(&db, 1000);
    for _ in 0..3 {
        assert!(!tries_again(world, &db));
        goes_on_beside(&db, 1000);
    }
    world.set_capacity(u64::MAX);
    assert!(tries_again(world, &db));
    assert!(!db.is_undoing() && !db.is_undo_waiting());
    assert_eq!(count(&db).unwrap(), 101);
    let mut other = begin(&db);
    insert(&mut other, 1000).unwrap();
    other.commit(Durability::Full).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let db = crash_and_reopen(&rig, db);
    assert_eq!(count(&db).unwrap(), 102);
}

#[test]
fn a_restart_whose_undo_has_no_room_waits_for_it() {
    let (rig, db, large, small) = drained(6);
    let world = &rig.world;
    small.commit(Durability::Full).unwrap();
    db.flush_log().unwrap();
    rig.lose_power((large, db));
    world.set_capacity(0);
    let open = || rig.open_deferred().unwrap().0;
    let db = open();
    assert!(db.claim_recovery());
    assert!(!db.finish_recovery().unwrap(), "there is no room");
    goes_on_beside(&db, 1000);
    assert!(!tries_again(world, &db));
    goes_on_beside(&db, 1000);
    // It is closed meanwhile, and opened again: nothing changes.
    db.close().ok();
    drop(db);
    let db = open();
    assert!(!db.finish_recovery().unwrap(), "there is no room");
    goes_on_beside(&db, 1000);
    world.set_capacity(u64::MAX);
    assert!(tries_again(world, &db));
    assert_eq!(count(&db).unwrap(), 101);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let db = crash_and_reopen(&rig, db);
    assert_eq!(count(&db).unwrap(), 101);
}

#[test]
fn a_statement_that_cannot_be_undone_dooms_its_transaction() {
    let (rig, db, mut large, small) = drained(7);
    small.commit(Durability::Full).unwrap();
    let first = Savepoint::default();
    let undone = large.rollback_to(first);
    assert!(matches!(undone, Err(StorageError::LogFull(_))), "{undone:?}");
    assert_eq!(db.state(), DatabaseState::Online);
    assert!(large.commit(Durability::Full).is_err(), "half a statement was committed");
    goes_on_beside(&db, 1000);
    rig.world.set_capacity(u64::MAX);
    assert!(tries_again(&rig.world, &db));
    assert_eq!(count(&db).unwrap(), 101);
}

/// What a dropped table leaves cannot be freed in a full log; it is when there is room.
#[test]
fn a_deferred_drop_is_tried_again() {
    for crash in [false, true] {
        let rig = rig(8, MB);
        let db = create(&rig);
        let used = || db.files().iter().map(|f| f.used).next().unwrap_or(0);
        let mut tx = begin(&db);
        let id = make_in(&mut tx, 1000, 1);
        tx.commit(Durability::Full).unwrap();
        let before = used();
        let tree = db.hobt(id).unwrap();
        for some in 0..20u64 {
            let mut tx = begin(&db);
            tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
            for n in some * 50..some * 50 + 50 {
                btree::insert(&mut tx, &tree, &n.to_be_bytes(), &[1; 500]).unwrap();
            }
            tx.commit(Durability::Full).unwrap();
            db.checkpoint(CheckpointKind::Manual).unwrap();
        }
        let mut dropper = begin(&db);
        dropper.lock_object(ObjectId(1000), LockMode::SchM).unwrap();
        db.drop_hobt(&mut dropper, id).unwrap();
        let mut large = begin(&db);
        fill(&mut large, |_| {});
        let full = used();
        assert!(full > before + 400_000);
        dropper.commit(Durability::Full).unwrap();
        assert_eq!(used(), full, "it was freed in a full log");
        db.background_tick();
        assert_eq!(used(), full, "it was freed in a full log");
        if crash {
            rig.lose_power((tree, large, db));
            let db = rig.open();
            let now = db.files().iter().map(|f| f.used).next().unwrap_or(0);
            assert!(now < full - 400_000, "{now} bytes in use, {full} before");
            assert_eq!(count(&db).unwrap(), 100);
            continue;
        }
        large.rollback().unwrap();
        db.background_tick();
        // What the other one has allocated stays with its tree.
        assert!(used() < full - 400_000, "{} bytes in use, {full} before", used());
        db.checkpoint(CheckpointKind::Manual).unwrap();
        let db = crash_and_reopen(&rig, db.clone());
        assert_eq!(count(&db).unwrap(), 100);
    }
}

#[test]
fn nobody_reads_what_could_not_be_made_durable() {
    let rig = rig(10, MB);
    let db = create(&rig);
    let mut before = begin(&db);
    assert!(get(&mut before, 50, ScanLocks::ReadCommitted).unwrap());
    let mut tx = begin(&db);
    insert(&mut tx, ITS).unwrap();
    let waiter = {
        let db = db.clone();
        // Another session: what one session's transactions want of each other is a deadlock.
        let mut its = begin_as(&db, 52);
        std::thread::spawn(move || get(&mut its, ITS, ScanLocks::ReadCommitted))
    };
    std::thread::sleep(Duration::from_millis(50));
    rig.world.inject(Fault {
        nth: 1,
        kind: Some(IoKind::WriteDurable),
        path_contains: "t_log".into(),
        fault: FaultKind::Io,
        sticky: false,
    });
    assert!(tx.commit(Durability::Full).is_err());
    assert!(matches!(db.state(), DatabaseState::Suspect(_)));
    // Neither who waited for the row, nor who began before, nor who comes now.
    assert!(matches!(waiter.join().unwrap(), Err(StorageError::Suspect(_))));
    for locks in [ScanLocks::None, ScanLocks::ReadCommitted] {
        for key in [50, ITS] {
            let read = get(&mut before, key, locks);
            assert!(matches!(read, Err(StorageError::Suspect(_))), "{key} {locks:?}: {read:?}");
            let read = get(&mut begin(&db), key, locks);
            assert!(matches!(read, Err(StorageError::Suspect(_))), "{key} {locks:?}: {read:?}");
        }
    }
    assert!(matches!(count(&db), Err(StorageError::Suspect(_))));
    drop(before);
    // The write may have reached the medium or not: nobody was told either.
    let db = crash_and_reopen(&rig, db);
    assert!((100..=101).contains(&count(&db).unwrap()));
}

//! What restart makes of checkpoints beside which transactions begin and end.

use std::sync::Arc;

use taffrail_base::{HobtId, IndexId, ObjectId};
use taffrail_log::Growth;
use taffrail_observe::{Event, EventRing};

use crate::access::{Direction, HobtKind, KeyRange, ScanLocks, btree};
use crate::database::{CheckpointKind, Database, RecoveryModel};
use crate::rig::{MB, Rig, begin_impatient, make};
use crate::txn::work::cut;
use crate::txn::{Durability, Transaction};

const OBJECT: ObjectId = ObjectId(1000);

fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).id(7).named("r").model(RecoveryModel::Full).frames(512);
    rig.data(2 * MB, Growth::Bytes(MB)).log(4 * MB, Growth::Bytes(MB))
}

/// The database and its tree.
fn created(rig: &Rig) -> (Arc<Database>, HobtId) {
    let db = rig.create();
    let tree = make(&db, OBJECT.0, 1);
    (db, tree)
}

fn begin(db: &Arc<Database>) -> Transaction {
    begin_impatient(db, 51)
}

fn inserted(db: &Arc<Database>, tree: HobtId, key: u8) -> Transaction {
    let mut tx = begin(db);
    btree::insert(&mut tx, &db.hobt(tree).unwrap(), &[key], b"row").unwrap();
    tx
}

/// Opens it after a loss of power: how many transactions are undone, and what rows are there then.
fn restarted(rig: &Rig, tree: HobtId) -> (u64, Vec<u8>) {
    let (db, report) = rig.restart().unwrap();
    let hobt = db.hobt(tree).unwrap();
    let mut tx = begin(&db);
    let mut rows = Vec::new();
    let mut c = btree::seek(&hobt, KeyRange::default(), Direction::Forward, ScanLocks::None);
    while let Some((k, _)) = c.next(&mut tx).unwrap() {
        rows.push(k[0]);
    }
    drop(c);
    assert_eq!(hobt.row_count(), rows.len() as u64);
    (report.rolled_back, rows)
}

/// How somebody ends who is named by a list that is still to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    Committed,
    /// His row is gone: undoing its insertion would find none.
    RolledBack,
    /// His row is a ghost: undoing its insertion would count it off once more.
    DeletedAgain,
}

/// MinLSN lies between the begin record of a checkpoint and its list, and so does, before it, the end of somebody whom the list names:
/// restart sees the list, but not that he has ended.
#[test]
fn a_list_whose_begin_record_lies_before_min_lsn_makes_no_losers() {
    for ending in [Ending::Committed, Ending::RolledBack, Ending::DeletedAgain] {
        for oldest_commits in [false, true] {
            ends_before_the_list(ending, oldest_commits);
        }
    }
}

fn ends_before_the_list(ending: Ending, oldest_commits: bool) {
    let rig = rig(1);
    let (db, tree) = created(&rig);
    let mut named = inserted(&db, tree, 1);
    let (begun, list) = db.begin_checkpoint().unwrap();
    assert_eq!(list.iter().map(|t| t.id).collect::<Vec<_>>(), [named.id()]);
    match ending {
        Ending::Committed => named.commit(Durability::Delayed).unwrap(),
        Ending::RolledBack => named.rollback().unwrap(),
        Ending::DeletedAgain => {
            assert!(btree::delete(&mut named, &db.hobt(tree).unwrap(), &[1]).unwrap());
            named.commit(Durability::Delayed).unwrap();
        }
    }
    let oldest = inserted(&db, tree, 2);
    let listed = db.log().appended();
    db.list_active(&list).unwrap();
    // That one is never completed. The next is.
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let min = db.boot.lock().min;
    assert!(begun < min && min <= listed, "MinLSN lies between the two");
    let open = if oldest_commits {
        oldest.commit(Durability::Delayed).unwrap();
        None
    } else {
        Some(oldest)
    };
    inserted(&db, tree, 3).commit(Durability::Full).unwrap();
    rig.lose_power((open, db));
    let rows = [(1, ending == Ending::Committed), (2, oldest_commits), (3, true)];
    let rows: Vec<u8> = rows.iter().filter(|r| r.1).map(|r| r.0).collect();
    let expected = (u64::from(!oldest_commits), rows);
    assert_eq!(restarted(&rig, tree), expected, "{ending:?} {oldest_commits}");
}

/// The same with the list's begin record after MinLSN: who has ended in between is known to have.
#[test]
fn who_ends_before_the_list_that_names_him_has_ended() {
    let rig = rig(3);
    let (db, tree) = created(&rig);
    let oldest = inserted(&db, tree, 1);
    let named = inserted(&db, tree, 2);
    let (_, list) = db.begin_checkpoint().unwrap();
    named.commit(Durability::Delayed).unwrap();
    let later = inserted(&db, tree, 3);
    db.list_active(&list).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    inserted(&db, tree, 4).commit(Durability::Full).unwrap();
    rig.lose_power((oldest, later, db));
    assert_eq!(restarted(&rig, tree), (2, vec![2, 4]));
}

/// When the directory itself splits, the key of the new separator is that of some entry. It is not that entry.
#[test]
fn a_separator_of_the_directory_is_no_entry_to_count_from() {
    let rig = rig(5);
    let (db, tree) = created(&rig);
    // What is to be freed stands behind all entries of trees: those that come then split leaves in the middle.
    inserted(&db, tree, 1).commit(Durability::Full).unwrap();
    let mut dropping = begin(&db);
    db.drop_hobt(&mut dropping, tree).unwrap();
    let mut trees = Vec::new();
    for i in 0..400 {
        let mut tx = begin(&db);
        let tree = db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(2000 + i), IndexId(1));
        trees.push(tree.unwrap());
        btree::insert(&mut tx, &db.hobt(trees[i as usize]).unwrap(), b"k", b"row").unwrap();
        tx.commit(Durability::Full).unwrap();
    }
    let splits = db.rarities().splits.load(std::sync::atomic::Ordering::Relaxed);
    assert!(splits > 2, "{splits} splits of the directory");
    rig.lose_power((dropping, db));
    let db = rig.open();
    let wrong: Vec<HobtId> =
        trees.into_iter().filter(|&t| db.hobt(t).unwrap().row_count() != 1).collect();
    assert!(wrong.is_empty(), "rows of {wrong:?} are counted wrongly");
}

#[test]
fn the_error_log_hears_why_a_database_is_suspect() {
    let rig = rig(6);
    let (db, tree) = created(&rig);
    let open = inserted(&db, tree, 1);
    db.flush_log().unwrap();
    rig.lose_power((open, db));
    let name = "told why";
    let (db, _) = Rig { name: name.into(), ..rig }.open_deferred().unwrap();
    let before = EventRing::global().newest();
    cut::at(1);
    let failed = db.finish_recovery();
    cut::at(0);
    assert!(failed.is_err());
    // The first reason is the one that counts.
    db.store.mark_suspect("another".to_owned());
    let told: Vec<String> = EventRing::global()
        .read_after(before)
        .into_iter()
        .filter_map(|e| match e.event {
            Event::BackgroundError { database, text } if &*database.name == name => Some(text),
            Event::RecoveryMessage { text, .. } if text.contains(name) => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("suspect") && told[0].contains("undo failed: "), "{told:?}");
    assert!(told[1].starts_with("An error occurred during recovery, preventing"), "{told:?}");
}

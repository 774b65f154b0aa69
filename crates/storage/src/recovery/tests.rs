//! What restart makes of checkpoints beside which transactions begin and end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use taffrail_base::{HobtId, IndexId, LogPos, ObjectId, PageId};
use taffrail_io::sim::HookedDisk;
use taffrail_io::{AlignedBuf, OpenSpec as IoOpenSpec};
use taffrail_log::Growth;
use taffrail_log::fair::Mutex;
use taffrail_observe::{Event, EventRing};

use crate::access::{Direction, HobtKind, KeyRange, ScanLocks, btree, directory};
use crate::database::{CheckpointKind, Database, RecoveryModel};
use crate::error::StorageError;
use crate::instance::StorageInstance;
use crate::layout::{BOOT_PAGES, DIRECTORY_ROOT};
use crate::page::{HEADER_BYTES, Page};
use crate::recovery::{Boot, FORMAT_VERSION};
use crate::rig::{MB, Rig, begin_impatient, make, whole_tree};
use crate::txn::work::cut;
use crate::txn::{Durability, Transaction};

mod foreign;
mod medium;
mod tails;

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

/// The format that each copy of the boot page has; `set` writes another one into the copies that it names first.
fn formats(rig: &Rig, set: Option<(u16, &[u32])>) -> Vec<u16> {
    let volume = rig.world.env().disk.open(&rig.data.path, IoOpenSpec::DATA).unwrap();
    let mut found = Vec::new();
    for number in BOOT_PAGES {
        let id = PageId::new(1, number);
        let mut page = Page::zeroed();
        volume.read_at(id.file_offset(), page.bytes_mut()).unwrap();
        if let Some((format, _)) = set.filter(|(_, copies)| copies.contains(&number)) {
            let at = HEADER_BYTES + 8;
            page.bytes_mut()[at..at + 2].copy_from_slice(&format.to_le_bytes());
            super::write_page(&*volume, id, &mut page).unwrap();
        }
        found.push(Boot::decode(&mut page, id).unwrap().version);
    }
    volume.sync().unwrap();
    found
}

/// Who has format 2 must not read what is logged from now on, whatever happens after the database has been opened.
#[test]
fn an_older_database_is_upgraded_before_anything_is_logged() {
    let rig = rig(3);
    let (db, tree) = created(&rig);
    inserted(&db, tree, 1).commit(Durability::Full).unwrap();
    // Both copies are there.
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let open = inserted(&db, tree, 2);
    db.flush_log().unwrap();
    rig.lose_power((open, db));
    assert_eq!(formats(&rig, Some((2, &BOOT_PAGES))), [2, 2]);
    let (db, _) = rig.open_deferred().unwrap();
    // Whichever copy is unreadable one day, the other says so.
    assert_eq!(formats(&rig, None), [FORMAT_VERSION; 2]);
    rig.lose_power(db);
    // Power failed between the two.
    for copy in BOOT_PAGES {
        formats(&rig, Some((2, &[copy])));
        let (db, _) = rig.open_deferred().unwrap();
        assert_eq!(formats(&rig, None), [FORMAT_VERSION; 2]);
        rig.lose_power(db);
    }
    assert_eq!(restarted(&rig, tree), (1, vec![1]));
    assert_eq!(formats(&rig, None), [FORMAT_VERSION; 2]);
}

/// Redo of a page that is changed while it is being written begins no later than at that change.
#[test]
fn a_page_that_changes_while_it_is_written_is_dirty_from_there_on() {
    let rig = rig(4);
    let beside: Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>> = Arc::default();
    let mut env = rig.world.env();
    let struck = beside.clone();
    env.disk = Arc::new(HookedDisk::new(env.disk.clone(), move |path, result| {
        // The first of the data file: the pages have been copied, and none has been written in place.
        let deed = struck.lock().take_if(|_| path.extension().is_some_and(|e| e == "mdf"));
        if let Some(deed) = deed {
            deed();
        }
        result
    }));
    let instance = StorageInstance::new(env, rig.machine.clone()).unwrap();
    let db = rig.create_in(&instance).unwrap();
    let tree = make(&db, OBJECT.0, 1);
    inserted(&db, tree, 1).commit(Durability::Full).unwrap();
    let changed = Arc::new(AtomicU64::new(0));
    let (db2, changed2) = (db.clone(), changed.clone());
    *beside.lock() = Some(Box::new(move || {
        let tx = inserted(&db2, tree, 2);
        changed2.store(db2.log().last_record().0, Ordering::Relaxed);
        tx.commit(Durability::Full).unwrap();
    }));
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let changed = LogPos(changed.load(Ordering::Relaxed));
    assert!(!changed.is_zero(), "nothing was written");
    let (oldest, _) = db.store.oldest_dirty(db.pool());
    assert!(oldest.is_some_and(|o| o <= changed), "{oldest:?}, and the change is at {changed:?}");
    rig.lose_power((db, instance));
    assert_eq!(restarted(&rig, tree).1, [1, 2]);
}

/// The only tree that an entry makes no sense of is not left out of the list of trees.
#[test]
fn a_malformed_entry_of_the_directory_is_damage_for_whoever_lists_them() {
    let rig = rig(8);
    let (db, tree) = created(&rig);
    let entry = directory::read(&db, tree).unwrap().unwrap().encode();
    db.close().unwrap();
    let volume = rig.world.env().disk.open(&rig.data.path, IoOpenSpec::DATA).unwrap();
    let mut page = Page::zeroed();
    volume.read_at(DIRECTORY_ROOT.file_offset(), page.bytes_mut()).unwrap();
    let at = page.bytes().windows(20).position(|b| b == &entry[..20]).unwrap();
    // It says that it has a tail.
    page.bytes_mut()[at + 1] = 9;
    super::write_page(&*volume, DIRECTORY_ROOT, &mut page).unwrap();
    let e = match rig.open_deferred() {
        Ok((db, _)) => directory::entries(&db).unwrap_err(),
        Err(e) => e,
    };
    assert!(e.to_string().contains("malformed directory entry"), "{e}");
}

/// The log had a page's newest change, and has it no more: what was committed with it is lost, and nobody is to go on without it.
#[test]
fn a_page_that_is_newer_than_the_log_is_noticed() {
    let rig = rig(9);
    let (db, tree) = created(&rig);
    inserted(&db, tree, 1).commit(Durability::Full).unwrap();
    let log = || rig.world.env().disk.open(&rig.logs[0].path, IoOpenSpec::LOG).unwrap();
    let mut before = AlignedBuf::zeroed(log().len().unwrap() as usize);
    log().read_at(0, &mut before).unwrap();
    inserted(&db, tree, 2).commit(Durability::Full).unwrap();
    db.store.write_all_dirty(db.pool(), &mut |_, _| {}).unwrap();
    db.store.sync_files().unwrap();
    rig.lose_power(db);
    log().write_at(0, &before).unwrap();
    let e = rig.restart().err().unwrap();
    assert!(e.to_string().contains("what was logged behind it is lost"), "{e}");
}

/// The boot page knows the numbers that were given before its checkpoint, the directory the others.
#[test]
fn what_is_made_after_a_restart_has_a_number_of_its_own() {
    let rig = rig(10);
    let (db, tree) = created(&rig);
    inserted(&db, tree, 1).commit(Durability::Full).unwrap();
    rig.lose_power(db);
    let (db, _) = rig.open_deferred().unwrap();
    let other = make(&db, OBJECT.0 + 1, 1);
    assert_ne!(other, tree);
    assert_eq!(db.hobt(tree).unwrap().row_count(), 1);
}

/// Pages of one batch are on their way to their places when the next batch is written over their images.
#[test]
fn the_double_write_region_protects_a_page_until_it_is_durable() {
    for seed in 0..12 {
        let rig = rig(100 + seed);
        let (db, first) = created(&rig);
        let trees = [first, make(&db, OBJECT.0 + 1, 1)];
        let fill = |tree, keys: std::ops::Range<u8>| {
            keys.for_each(|key| inserted(&db, tree, key).commit(Durability::Full).unwrap());
        };
        for _ in 0..2 {
            db.checkpoint(CheckpointKind::Manual).unwrap();
            let known = db.hobt(first).unwrap().row_count() as u8;
            trees.iter().for_each(|&tree| fill(tree, known..known + 1));
        }
        for tree in trees {
            fill(tree, 2..60);
            db.store.write_all_dirty(db.pool(), &mut |_, _| {}).unwrap();
        }
        rig.lose_power(db);
        let (db, _) = rig.restart().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        for tree in trees {
            let rows = whole_tree(&mut begin(&db), &db.hobt(tree).unwrap());
            assert_eq!(rows.unwrap_or_else(|e| panic!("seed {seed}: {e}")).len(), 60);
        }
    }
}

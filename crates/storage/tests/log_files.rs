//! Log files that come and go, under power cuts and kills: the list of files is what the files are, whatever was cut short.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::FileId;
use taffrail_storage::backup::{BackupKind, BackupSpec, Device, RestoreKind, RestoreSpec, restore};
use taffrail_storage::{
    CheckpointKind, DataFileSpec, Database, DatabaseState, Durability, FileKind, Growth,
    RecoveryModel, StorageResult, btree,
};

use crate::rig;

use rig::{KB, MB, Rig, TREE, begin, count};

fn rig(seed: u64) -> Rig {
    let sector = if seed.is_multiple_of(2) { 512 } else { 4096 };
    let rig = Rig::sectors(seed, sector).dir_synced().frames(256);
    rig.data(MB, Growth::Bytes(256 * KB)).log(MB, Growth::Bytes(256 * KB))
}

fn file(name: &str) -> DataFileSpec {
    DataFileSpec {
        name: name.into(),
        path: place(name),
        size: 512 * KB,
        growth: Growth::Bytes(256 * KB),
        max_size: None,
    }
}

fn place(name: &str) -> PathBuf {
    format!("/data/{name}.ldf").into()
}

/// What the list says: of each file its name, its place, and what a data file grows by.
type List = BTreeMap<u16, (FileKind, String, PathBuf, Option<Growth>)>;

fn list(db: &Arc<Database>) -> List {
    let line = |f: taffrail_storage::FileInfo| {
        let growth = (f.kind == FileKind::Rows).then_some(f.growth);
        (f.id.0, (f.kind, f.name, f.path, growth))
    };
    db.files().into_iter().map(line).collect()
}

fn id_of(db: &Arc<Database>, name: &str) -> FileId {
    db.files().into_iter().find(|f| f.name == name).unwrap().id
}

fn commit(db: &Arc<Database>, key: u32) -> StorageResult<()> {
    let tree = db.hobt(TREE)?;
    let mut tx = begin(db);
    btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[7; 900])?;
    tx.commit(Durability::Full)
}

type Step = fn(&Arc<Database>) -> StorageResult<()>;

const STEPS: &[Step] = &[
    |db| db.add_log_file(&file("la")).map(drop),
    |db| db.alter_data_file(FileId(1), Some("rows"), Some(Growth::Percent(20)), None),
    |db| db.add_log_file(&file("lb")).map(drop),
    |db| commit(db, 1),
    |db| db.rename_log_file(id_of(db, "la"), "another name, which is longer than the one before"),
    |db| db.grow_data_file(FileId(1), MB + 512 * KB),
    |db| {
        let number = db.log_file_number(id_of(db, "lb")).unwrap();
        db.grow_log_file(number, MB).map_err(|_| taffrail_storage::StorageError::Misuse("grow"))
    },
    |db| {
        let id = id_of(db, "another name, which is longer than the one before");
        db.remove_log_file(id).map(|gone| assert!(gone, "nothing of it is in use"))
    },
    |db| db.checkpoint(CheckpointKind::Manual),
    |db| db.add_log_file(&file("la")).map(drop),
    |db| db.remove_log_file(id_of(db, "lb")).map(|gone| assert!(gone)),
];

const FILES: [&str; 3] = ["t_log", "la", "lb"];

/// Opens it; the files that there are, are those that the list names.
fn look(rig: &Rig, what: &str) -> (Arc<Database>, List) {
    let told = taffrail_storage::closed(&rig.instance(), "t", &rig.place());
    let told = told.unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(told.files.len() >= 2 && told.files.iter().all(|f| !f.name.is_empty()), "{what}");
    let (db, _) = rig.restart().unwrap_or_else(|e| panic!("{what}: {e}"));
    let found = list(&db);
    for name in FILES {
        let there = rig.world.env().disk.exists(&place(name)).unwrap();
        let named = found.values().any(|f| f.2 == place(name));
        assert_eq!(there, named, "{what}: {name} of {found:?}");
    }
    (db, found)
}

/// The list before each step and after the last, and at which I/O each begins.
fn undisturbed(seed: u64) -> (Vec<List>, Vec<u64>) {
    let rig = rig(seed);
    let db = rig.create();
    let (mut lists, mut at) = (vec![list(&db)], vec![rig.world.stats().operations]);
    for (n, step) in STEPS.iter().enumerate() {
        step(&db).unwrap_or_else(|e| panic!("step {n}: {e}"));
        lists.push(list(&db));
        at.push(rig.world.stats().operations);
    }
    (lists, at)
}

fn cut_at(seed: u64, nth: u64, lists: &[List]) {
    let what = format!("seed {seed}, power until I/O {nth}");
    let rig = rig(seed);
    let db = rig.create();
    rig.world.crash_at(nth);
    let done = STEPS.iter().take_while(|step| step(&db).is_ok()).count();
    rig.lose_power(db);
    // The next start is cut short, too.
    rig.world.crash_at(1 + nth * 7 % 60);
    let _ = rig.restart();
    rig.world.restart();
    let (db, found) = look(&rig, &what);
    let may = &lists[done..lists.len().min(done + 2)];
    assert!(may.contains(&found), "{what}: {done} steps were done: {found:?} is none of {may:?}");
    assert_eq!(
        count(&db, TREE, taffrail_storage::ScanLocks::None).unwrap() > 0,
        done > 3,
        "{what}"
    );
    commit(&db, 2).unwrap();
    rig.lose_power(db);
    assert_eq!(look(&rig, &what).1, found, "{what}");
}

#[test]
fn power_fails_at_every_step_of_every_change() {
    for seed in rig::seeds(1, 2) {
        let (lists, at) = undisturbed(seed);
        for nth in 1..=at[STEPS.len()] - at[0] {
            cut_at(seed, nth, &lists);
        }
    }
}

/// An I/O fails, what it was to write may be in the cache alone; the process is killed, and the power goes in the next one.
#[test]
fn a_failed_change_and_a_kill_leave_a_list_that_is_whole() {
    let mut struck = 0;
    for seed in rig::seeds(11, 1) {
        let (lists, at) = undisturbed(seed);
        for nth in (1..=at[STEPS.len()] - at[0]).step_by(3) {
            let what = format!("seed {seed}, I/O {nth} fails");
            let rig = rig(seed);
            let db = rig.create();
            let fault = taffrail_io::sim::FaultKind::Io;
            let path_contains = "/data".into();
            rig.world.inject(taffrail_io::sim::Fault {
                nth,
                kind: None,
                path_contains,
                fault,
                sticky: true,
            });
            let done = STEPS.iter().take_while(|step| step(&db).is_ok()).count();
            struck += u32::from(done < STEPS.len());
            rig.world.clear_faults();
            rig.world.kill();
            drop(db);
            rig.world.revive();
            rig.world.crash_at(1 + nth * 5 % 70);
            let _ = rig.restart();
            rig.world.restart();
            let (_, found) = look(&rig, &what);
            let may = &lists[done..lists.len().min(done + 2)];
            assert!(may.contains(&found), "{what}: {done} were done: {found:?} is none of {may:?}");
        }
    }
    assert!(struck > 20, "{struck}");
}

/// More than a boot page has room for: it has it for none of their names.
#[test]
fn two_hundred_log_files_outlive_a_power_cut_and_a_kill() {
    let rig = rig(4);
    let mut db = rig.create();
    for n in 0..199 {
        let name = format!("{n:03} {}", "n".repeat(100));
        let path = format!("/data/l{n:03}.ldf").into();
        db.add_log_file(&DataFileSpec { name, path, ..file("") }).unwrap();
        if n % 90 == 60 {
            commit(&db, n).unwrap();
            rig.lose_power(db);
            db = rig.open();
        }
    }
    let all = list(&db);
    assert_eq!(all.len(), 201);
    rig.world.kill();
    drop(db);
    rig.world.revive();
    let db = rig.open();
    assert_eq!(list(&db), all);
    // Its log goes through many of them.
    for n in 1000..4000 {
        commit(&db, n).unwrap();
    }
    assert!(db.log().vlfs().iter().filter(|v| v.file > 0 && v.seqno.0 > 0).count() > 4);
    rig.lose_power(db);
    let told = taffrail_storage::closed(&rig.instance(), "t", &rig.place()).unwrap();
    assert_eq!(told.files.len(), 201);
    let db = rig.open();
    assert_eq!(list(&db), all);
    let names = |list: Vec<taffrail_storage::FileInfo>| {
        list.into_iter().map(|f| (f.id, f.name)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(names(told.files), names(db.files()));
    for name in db.files().into_iter().filter(|f| f.id.0 % 2 == 1 && f.id.0 > 2) {
        db.checkpoint(CheckpointKind::Manual).unwrap();
        db.remove_log_file(name.id).unwrap();
    }
    let left = list(&db);
    assert!(left.len() < 150, "{}", left.len());
    rig.lose_power(db);
    assert_eq!(list(&rig.open()), left);
}

/// The way out of a full log must not need the log.
#[test]
fn a_full_log_can_be_given_a_file() {
    let rig = rig(5).log(512 * KB, Growth::None).model(RecoveryModel::Full);
    let db = rig.create();
    let mut tx = begin(&db);
    let tree = db.hobt(TREE).unwrap();
    let full = (0..10_000u32)
        .find_map(|n| btree::insert(&mut tx, &tree, &n.to_be_bytes(), &[1; 900]).err());
    assert_eq!(full.unwrap().to_sql().number, 9002);
    db.add_log_file(&file("la")).unwrap();
    btree::insert(&mut tx, &tree, &20_000u32.to_be_bytes(), &[1; 900]).unwrap();
    tx.commit(Durability::Full).unwrap();
    let all = list(&db);
    rig.lose_power(db);
    assert_eq!(list(&rig.open()), all);
}

/// A file that was added after the full set comes with the log set, as a row; the copy has no such file, and the original keeps its own.
#[test]
fn a_copy_has_its_own_files() {
    let rig = rig(6).model(RecoveryModel::Full);
    let instance = rig.instance();
    let db = rig.create_in(&instance).unwrap();
    let device = |name: &str| vec![Device::Disk(format!("/data/{name}").into())];
    db.add_log_file(&file("la")).unwrap();
    db.backup(&BackupSpec::new(BackupKind::Full, device("full")), &mut ()).unwrap();
    db.add_log_file(&file("lb")).unwrap();
    db.rename_log_file(id_of(&db, "la"), "renamed").unwrap();
    commit(&db, 1).unwrap();
    db.backup(&BackupSpec::new(BackupKind::Log, device("log")), &mut ()).unwrap();
    let copied = |name: &str| PathBuf::from(format!("/data/copy_{name}"));
    let moves = [(&*rig.data.name, "t.mdf"), (&*rig.logs[0].name, "t_log"), ("la", "la")];
    let spec = |kind, set, recovery, primary: Option<&Path>| RestoreSpec {
        id: taffrail_base::DatabaseId(9),
        name: "copy".into(),
        kind,
        devices: device(set),
        position: 1,
        moves: moves.iter().map(|(name, to)| ((*name).to_owned(), copied(to))).collect(),
        replaces: Vec::new(),
        primary: primary.map(Path::to_owned),
        recovery,
        guid: None,
    };
    let full = spec(RestoreKind::Database, "full", false, None);
    let names = |files: &[taffrail_storage::backup::BackupFile]| {
        files.iter().map(|f| (f.name.clone(), f.path.clone())).collect::<Vec<_>>()
    };
    let restored = restore(&instance, &full, &mut ()).unwrap();
    let mut want: Vec<_> = moves.iter().map(|(n, to)| ((*n).to_owned(), copied(to))).collect();
    assert_eq!(names(&restored.files), want);
    let primary = copied("t.mdf");
    let log = spec(RestoreKind::Log, "log", true, Some(&primary));
    let restored = restore(&instance, &log, &mut ()).unwrap();
    want[2].0 = "renamed".into();
    assert_eq!(names(&restored.files), want);
    let copy = restored.database.unwrap();
    assert_eq!(count(&copy, TREE, taffrail_storage::ScanLocks::None).unwrap(), 1);
    copy.close().unwrap();
    assert!(rig.world.env().disk.exists(&place("lb")).unwrap());
    assert_eq!(db.state(), DatabaseState::Online);
    db.close().unwrap();
    let (db, _) = rig.open_in(&instance).unwrap();
    assert_eq!(list(&db).len(), 4);
}

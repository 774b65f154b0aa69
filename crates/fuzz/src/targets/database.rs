//! Whole databases and backups.

use std::sync::{Arc, OnceLock};

use taffrail_base::SessionId;
use taffrail_storage::backup::{
    self, Device, RestoreKind, RestoreSpec, SetRecords, read_label, read_sets, verify,
};
use taffrail_storage::{
    BeginSpec, Database, Direction, HobtKind, Isolation, KeyRange, LobRef, OpenSpec, ScanLocks,
    StorageResult, Transaction, btree, heap, lob, raw,
};

use crate::base::{self, DATA, FULL, ID, LOG, LOG_BACKUP, base};
use crate::edits::{self, Image, Structures};

/// Rows that are read of one heap or tree: damage can make a chain of pages a circle.
const ROWS_MAX: usize = 20_000;

type Files = (Vec<Image>, Structures);

fn files(paths: [&str; 2], structures: [fn(&[u8]) -> Vec<(usize, usize)>; 2]) -> Files {
    let images: Vec<Image> = paths
        .iter()
        .map(|path| Image { path: (*path).to_owned(), bytes: base().bytes(path).to_vec() })
        .collect();
    let mut all = Structures::new();
    for (file, find) in structures.iter().enumerate() {
        all.extend(find(&images[file].bytes).into_iter().map(|(at, len)| (file, at, len)));
    }
    (images, all)
}

fn database_files() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| files([DATA, LOG], [raw::page_structures, taffrail_log::raw::structures]))
}

/// Restart, and everything that is in it.
pub fn open(input: &[u8]) -> bool {
    let (images, structures) = database_files();
    let mut images = images.clone();
    if edits::apply(&mut images, structures, input) {
        raw::mend_pages(&mut images[0].bytes);
        taffrail_log::raw::mend(&mut images[1].bytes);
    }
    let env = base::world(&images).env();
    let spec = OpenSpec::of(DATA.into());
    let Ok((db, _)) = Database::open(&base::instance(env), ID, "t", &spec) else { return false };
    let read = read(&db).is_ok();
    let _ = db.files();
    db.close().is_ok() && read
}

fn read(db: &Arc<Database>) -> StorageResult<()> {
    let mut tx = db.begin(BeginSpec {
        session: SessionId(52),
        isolation: Isolation::ReadUncommitted,
        lock_timeout_ms: 0,
        ..BeginSpec::default()
    });
    let mut refused = None;
    for id in db.hobts()? {
        if let Err(e) = read_hobt(db, &mut tx, id) {
            refused = Some(e);
        }
    }
    tx.rollback()?;
    refused.map_or(Ok(()), Err)
}

fn read_hobt(
    db: &Arc<Database>,
    tx: &mut Transaction,
    id: taffrail_base::HobtId,
) -> StorageResult<()> {
    let hobt = db.hobt(id)?;
    let mut large = Vec::new();
    match hobt.kind() {
        HobtKind::Heap => {
            let mut rids = Vec::new();
            let mut cursor = heap::scan(&hobt, ScanLocks::None);
            while let Some((rid, _)) = cursor.next(tx)?.filter(|_| rids.len() < ROWS_MAX) {
                rids.push(rid);
            }
            for rid in rids.into_iter().step_by(7) {
                heap::fetch(tx, &hobt, rid, ScanLocks::None, &mut Vec::new())?;
            }
        }
        HobtKind::BTree => {
            for direction in [Direction::Forward, Direction::Backward] {
                let mut n = 0;
                let all = KeyRange::default();
                let mut cursor = btree::seek(&hobt, all, direction, ScanLocks::None);
                while let Some((_, value)) = cursor.next(tx)?.filter(|_| n < ROWS_MAX) {
                    n += 1;
                    large.extend(value.first_chunk().map(|b| LobRef::from_bytes(*b)));
                }
            }
        }
    }
    large.truncate(50);
    for lob in large {
        // A row says how long its value is; whoever reads it asks for no more than that at once.
        lob::read(tx, &hobt, lob, 0, lob.length.min(1 << 20), &mut Vec::new()).ok();
        lob::read(tx, &hobt, lob, lob.length.saturating_sub(10), 10, &mut Vec::new()).ok();
    }
    Ok(())
}

fn write_seeds((_, structures): &Files) -> Vec<Vec<u8>> {
    let mut seeds = vec![vec![0]];
    for n in 0..structures.len().min(32) {
        seeds.push(edits::write(n * structures.len() / 32, 8 * n, &[n as u8; 8]));
    }
    seeds
}

pub fn open_seeds() -> Vec<Vec<u8>> {
    write_seeds(database_files())
}

fn backup_files() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| files([FULL, LOG_BACKUP], [raw::media_structures; 2]))
}

fn restore_spec(path: &str, kind: RestoreKind, recovery: bool) -> RestoreSpec {
    let moves = [("t", DATA), ("t_log", LOG)].map(|(name, to)| (name.to_owned(), to.into()));
    RestoreSpec {
        kind,
        devices: vec![Device::Disk(path.into())],
        position: 1,
        id: ID,
        name: "t".into(),
        primary: Some(DATA.into()),
        moves: if kind == RestoreKind::Log { Vec::new() } else { moves.into() },
        replaces: vec![DATA.into(), LOG.into()],
        guid: None,
        recovery,
    }
}

/// Every reader of a backup, then a restore of both.
pub fn backup(input: &[u8]) -> bool {
    let (images, structures) = backup_files();
    let mut images = images.clone();
    if edits::apply(&mut images, structures, input) {
        images.iter_mut().for_each(|i| raw::mend_media(&mut i.bytes));
    }
    let env = base::world(&images).env();
    let mut sound = true;
    for path in [FULL, LOG_BACKUP] {
        let devices = [Device::Disk(path.into())];
        let _ = (read_label(&env, &devices[0]), read_sets(&env, &devices));
        let verdict = verify(&env, &devices, 1, &mut ());
        let records = records(&env, &devices);
        assert!(verdict.is_err() || records.is_ok(), "{path} is verified, and its log unreadable");
        sound &= verdict.is_ok();
    }
    let instance = base::instance(env);
    let full = restore_spec(FULL, RestoreKind::Database, false);
    if backup::restore(&instance, &full, &mut ()).is_err() {
        return false;
    }
    let log = restore_spec(LOG_BACKUP, RestoreKind::Log, true);
    let Ok(restored) = backup::restore(&instance, &log, &mut ()) else { return false };
    let Some(db) = restored.database else { return false };
    let _ = read(&db);
    db.close().is_ok() && sound
}

/// Reads a set's log to its end.
fn records(env: &taffrail_io::Env, devices: &[Device]) -> backup::BackupResult<u64> {
    let mut records = SetRecords::open(env, devices, 1)?;
    let mut n = 0;
    while records.advance()? {
        if let Some(entry) = records.entry() {
            raw::read_record(&entry.record);
            // A forged set may disagree with its own layout; each of its readers asks for itself.
            let _ = records.lsn_map().lsn(entry.record.pos);
        }
        n += 1;
    }
    Ok(n)
}

pub fn backup_seeds() -> Vec<Vec<u8>> {
    write_seeds(backup_files())
}

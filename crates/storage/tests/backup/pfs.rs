//! Backups of extents whose PFS page lies in a free one.

use std::path::Path;
use std::sync::Arc;

use taffrail_base::{DatabaseId, HobtId};
use taffrail_storage::backup::{
    self, BackupKind, BackupSpec, Device, MediaMode, RestoreKind, RestoreSpec,
};
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, ScanLocks, StorageInstance, heap,
};

use crate::rig::{MB, Rig, begin, heap_rows, make};

fn rig() -> Rig {
    let rig = Rig::new(4).named("a").frames(16384).data(2 * MB, Growth::Bytes(MB));
    rig.log(8 * MB, Growth::Bytes(MB)).log_max(512 * MB)
}

/// Rows of a page each.
fn fill(db: &Arc<Database>, id: HobtId, rows: usize, byte: u8) {
    let heap = db.hobt(id).unwrap();
    let mut tx = begin(db);
    for _ in 0..rows {
        heap::insert(&mut tx, &heap, &[byte; 7000]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
}

fn rows_of(db: &Arc<Database>, id: HobtId, byte: u8) -> usize {
    let heap = db.hobt(id).unwrap();
    let mut tx = begin(db);
    let rows = heap_rows(&mut tx, &heap, ScanLocks::None).unwrap();
    assert!(rows.values().flatten().all(|&b| b == byte));
    rows.len()
}

/// Two heaps take turns in the extents around the second PFS page. One is dropped, and then, when another has taken its place, the
/// other: one of them has owned the extent that the PFS page lies in.
#[test]
fn a_backup_has_every_pfs_page() {
    const ROWS: usize = 160;
    let rig = rig();
    let shared = rig.instance();
    let db = rig.create_in(&shared).unwrap();
    let filler = make(&db, 100, 0);
    while db.files()[0].used < 8_020 * 8192 {
        fill(&db, filler, 400.min(8_020 - db.files()[0].used as usize / 8192), 1);
        db.checkpoint(CheckpointKind::Manual).unwrap();
    }
    let (first, second) = (make(&db, 101, 0), make(&db, 102, 0));
    for _ in 0..ROWS / 8 {
        fill(&db, first, 8, 2);
        fill(&db, second, 8, 3);
    }
    assert!(db.files()[0].size > 8_200 * 8192);
    drop_heap(&db, first);
    check_copy(&shared, &db, second, ROWS, 3);
    let third = make(&db, 103, 0);
    fill(&db, third, ROWS, 4);
    drop_heap(&db, second);
    check_copy(&shared, &db, third, ROWS, 4);
}

fn drop_heap(db: &Arc<Database>, id: HobtId) {
    let mut tx = begin(db);
    db.drop_hobt(&mut tx, id).unwrap();
    tx.commit(Durability::Full).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
}

/// Backs the database up and looks at a heap of what is made from the set.
fn check_copy(
    shared: &Arc<StorageInstance>,
    db: &Arc<Database>,
    heap: HobtId,
    rows: usize,
    byte: u8,
) {
    let media = Path::new("/data/a.bak");
    let devices = vec![Device::Disk(media.into())];
    let mut set = BackupSpec::new(BackupKind::Full, devices.clone());
    set.mode = MediaMode::Format;
    db.backup(&set, &mut ()).unwrap();
    let files = db.files();
    let spec = RestoreSpec {
        kind: RestoreKind::Database,
        devices,
        position: 1,
        id: DatabaseId(6),
        name: "copy".into(),
        primary: None,
        moves: files
            .iter()
            .map(|f| (f.name.clone(), format!("/data/copy_{}", f.name).into()))
            .collect(),
        replaces: Vec::new(),
        guid: None,
        recovery: true,
    };
    let copy = backup::restore(shared, &spec, &mut ()).unwrap().database.unwrap();
    let pages = |db: &Arc<Database>| db.space_used(heap).unwrap().used_pages;
    assert_eq!(pages(&copy), pages(db));
    assert_eq!(rows_of(&copy, heap, byte), rows);
    // New pages must not be those that are in use.
    fill(&copy, heap, 100, byte);
    assert_eq!(rows_of(&copy, heap, byte), rows + 100);
    copy.close().unwrap();
    copy.delete_files().unwrap();
}

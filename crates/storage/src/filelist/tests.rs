//! Databases of format version 4 get their list of files.

use std::collections::BTreeMap;

use taffrail_base::PageId;
use taffrail_io::OpenSpec;

use super::*;
use crate::database::{DataFileSpec, FileInfo, Growth};
use crate::layout::BOOT_PAGES;
use crate::page::{HEADER_BYTES, Page};
use crate::recovery::{FORMAT_VERSION, write_page};
use crate::rig::{KB, MB, Rig};

fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).dir_synced().frames(128);
    rig.data(2 * MB, Growth::Percent(15)).log(MB, Growth::Bytes(256 * KB))
}

fn named(files: Vec<FileInfo>) -> BTreeMap<u16, (String, PathBuf, Growth, Option<u64>)> {
    files.into_iter().map(|f| (f.id.0, (f.name, f.path, f.growth, f.max_size))).collect()
}

/// The newer copy of the boot page, and the format versions of both. `version` is written into both first.
fn boots(rig: &Rig, version: Option<u16>) -> (Boot, Vec<u16>) {
    let volume = rig.world.env().disk.open(&rig.data.path, OpenSpec::DATA).unwrap();
    let read = |number| {
        let id = PageId::new(1, number);
        let mut page = Page::zeroed();
        volume.read_at(id.file_offset(), page.bytes_mut()).unwrap();
        if let Some(version) = version {
            let at = HEADER_BYTES + 8;
            page.bytes_mut()[at..at + 2].copy_from_slice(&version.to_le_bytes());
            write_page(&*volume, id, &mut page).unwrap();
        }
        Boot::decode(&mut page, id).unwrap()
    };
    let all: Vec<Boot> = BOOT_PAGES.iter().map(|&number| read(number)).collect();
    volume.sync().unwrap();
    let versions = all.iter().map(|b| b.version).collect();
    (all.into_iter().max_by_key(|b| b.sequence).unwrap(), versions)
}

/// A database as version 4 has it: the boot page lists its files, the directory none, and the log knows no ids.
fn version_4(rig: &Rig) -> BTreeMap<u16, (String, PathBuf, Growth, Option<u64>)> {
    let db = rig.create();
    for name in ["la", "lb", "lc"] {
        let path = format!("/data/{name}.ldf").into();
        let spec = DataFileSpec { name: format!("file {name}"), path, ..rig.logs[0].clone() };
        db.add_log_file(&spec).unwrap();
    }
    let gone = db.log_files().into_iter().find(|f| f.1 == "file lb").unwrap().0;
    assert!(db.remove_log_file(gone).unwrap());
    let all = named(db.files());
    let rows = filelist::rows(&db).unwrap();
    db.log_rows(&rows, &FileRows::new()).unwrap();
    let line = |(&id, (name, path, growth, max_size)): (&u16, &(String, PathBuf, _, _))| BootFile {
        id: FileId(id),
        kind: if id == 1 { FileKind::Rows } else { FileKind::Log },
        name: name.clone(),
        path: path.clone(),
        pages: 0,
        growth: *growth,
        max_size: *max_size,
    };
    let lines: Vec<BootFile> = all.iter().map(line).collect();
    let ids: Vec<_> = db.log().files().iter().map(|f| (f.file, 0)).collect();
    db.log().set_file_ids(&ids).unwrap();
    for _ in 0..2 {
        db.save_boot(|b| b.files.clone_from(&lines)).unwrap();
    }
    db.close().unwrap();
    boots(rig, Some(4));
    assert_eq!(boots(rig, None).1, [4, 4]);
    all
}

#[test]
fn a_database_of_version_4_gets_its_list_whenever_power_fails() {
    for at in 1.. {
        let rig = rig(9);
        let all = version_4(&rig);
        let told = crate::closed::closed(&rig.instance(), "t", &rig.place()).unwrap();
        assert_eq!(named(told.files), all, "not open, until I/O {at}");
        rig.world.crash_at(at);
        let cut = rig.open_deferred().is_err();
        rig.world.crash();
        rig.world.restart();
        let db = rig.open();
        assert_eq!(named(db.files()), all, "until I/O {at}");
        assert_eq!(filelist::rows(&db).unwrap().len(), all.len());
        assert!(db.log().files().iter().all(|f| f.id > 1));
        rig.lose_power(db);
        let (boot, versions) = boots(&rig, None);
        assert_eq!(versions, [FORMAT_VERSION; 2]);
        assert_eq!(boot.files.len(), 2);
        assert!(boot.files.iter().all(|line| !line.is_named()), "{:?}", boot.files);
        assert_eq!(named(rig.open().files()), all);
        if !cut {
            assert!(at > 20, "an opening has more than {at} I/Os");
            break;
        }
    }
}

/// Names and settings are kept through what an older version did not have a place for.
#[test]
fn what_was_renamed_stays_renamed_though_an_older_boot_page_is_read() {
    let rig = rig(10);
    version_4(&rig);
    let db = rig.open();
    let id = db.log_files()[1].0;
    let before = boots(&rig, None).0;
    db.rename_log_file(id, "another").unwrap();
    // As if the newer copy was damaged: the names of before the upgrade are in the other.
    let lines = rig.logs[0].clone();
    let stale = BootFile {
        id,
        kind: FileKind::Log,
        name: "stale".into(),
        path: db.log_files()[1].2.path.clone(),
        pages: 0,
        growth: lines.growth,
        max_size: None,
    };
    db.save_boot(|b| b.files.push(stale)).unwrap();
    let all = named(db.files());
    rig.lose_power(db);
    let db = rig.open();
    assert_eq!(named(db.files()), all);
    assert_eq!(db.boot.lock().files, before.files);
}

/// A row is no reason to delete a file: the database may be a copy of the one that the row is of.
#[test]
fn a_row_without_a_file_goes_and_deletes_nothing() {
    let rig = rig(11);
    let db = rig.create();
    let all = named(db.files());
    let mut wanted = filelist::rows(&db).unwrap();
    let rows = wanted.clone();
    wanted.insert(FileId(7), FileRow::log("not there".into()));
    db.log_rows(&rows, &wanted).unwrap();
    rig.world.env().disk.create("/data/not there.ldf".as_ref(), OpenSpec::PLAIN).unwrap();
    rig.lose_power(db);
    let db = rig.open();
    assert_eq!(filelist::rows(&db).unwrap(), rows);
    assert_eq!(named(db.files()), all);
    rig.lose_power(db);
    assert_eq!(named(rig.open().files()), all);
}

/// A database is made with more files than the first page of the directory has rows for.
#[test]
fn a_new_database_lists_all_its_files() {
    let mut rig = rig(12);
    for n in 0..60 {
        rig = rig.more_log(&format!("{n}{}.ldf", "f".repeat(100)), 512 * KB);
        rig.logs.last_mut().unwrap().path = format!("/data/{n}.ldf").into();
    }
    let db = rig.create();
    let all = named(db.files());
    assert_eq!((all.len(), filelist::rows(&db).unwrap().len()), (62, 62));
    rig.lose_power(db);
    assert_eq!(named(rig.open().files()), all);
}

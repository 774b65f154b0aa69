//! Pages of another database, whole and with their own number, where a page of ours was: damage to whoever reads them.

use taffrail_io::Volume;

use super::*;
use crate::backup::{self, BackupError, BackupKind, BackupSpec, Device, Watch};
use crate::buffer::{DOUBLE_WRITE_FIRST_PAGE, DOUBLE_WRITE_PAGES, DoubleWrite};

fn volume(rig: &Rig) -> Arc<dyn Volume> {
    rig.world.env().disk.open(&rig.data.path, IoOpenSpec::DATA).unwrap()
}

fn page(rig: &Rig, id: PageId) -> Box<Page> {
    let mut page = Page::zeroed();
    volume(rig).read_at(id.file_offset(), page.bytes_mut()).unwrap();
    page
}

/// Writes a page into a file past whoever has it open.
fn put(rig: &Rig, id: PageId, page: &mut Page) {
    super::super::write_page(&*volume(rig), id, page).unwrap();
    volume(rig).sync().unwrap();
}

fn update(db: &Arc<Database>, tree: HobtId, row: &[u8]) {
    let mut tx = begin(db);
    btree::update(&mut tx, &db.hobt(tree).unwrap(), &[1], row).unwrap();
    tx.commit(Durability::Full).unwrap();
}

fn row(db: &Arc<Database>, tree: HobtId) -> Result<Vec<u8>, StorageError> {
    let mut row = Vec::new();
    let hobt = db.hobt(tree)?;
    btree::get(&mut begin(db), &hobt, &[1], ScanLocks::None, &mut row)?;
    Ok(row)
}

/// A database with a row in a tree of one page, which is on disk twice: in its place and in the double-write region.
fn with_a_page(rig: &Rig) -> (Arc<Database>, HobtId, PageId) {
    let (db, tree) = created(rig);
    inserted(&db, tree, 1).commit(Durability::Full).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    update(&db, tree, b"two");
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let root = db.hobt(tree).unwrap().root();
    (db, tree, root)
}

/// Two databases in worlds of their own, alike but for their marks, and the page of the second one.
fn two() -> (Rig, Arc<Database>, HobtId, PageId, Box<Page>, Rig) {
    let (ours, theirs) = (rig(5), rig(6));
    let (db, tree, id) = with_a_page(&ours);
    let (other, other_tree, same) = with_a_page(&theirs);
    assert_eq!(id, same);
    // Later than what the first one has to redo, and not later than its log.
    for n in 0..20 {
        update(&other, other_tree, &[b'x'; 40][..20 + n]);
    }
    other.checkpoint(CheckpointKind::Manual).unwrap();
    other.close().unwrap();
    let foreign = page(&theirs, id);
    assert!(
        foreign.database_mark() != 0 && foreign.database_mark() != page(&ours, id).database_mark()
    );
    (ours, db, tree, id, foreign, theirs)
}

fn is_foreign(e: &StorageError) -> bool {
    e.to_sql().message.contains("another database")
}

/// What an older version wrote has no mark, and is read.
#[test]
fn a_page_of_another_database_is_damage() {
    let (ours, db, tree, id, mut foreign, _) = two();
    db.close().unwrap();
    // Nothing in the double-write region to mend it with.
    let empty = AlignedBuf::zeroed(8192);
    let region = PageId::new(1, DOUBLE_WRITE_FIRST_PAGE);
    volume(&ours).write_at(region.file_offset(), &empty).unwrap();
    let read = |page: &mut Page| {
        put(&ours, id, page);
        let db = ours.open();
        let got = row(&db, tree);
        db.close().unwrap();
        got
    };
    let e = read(&mut foreign).unwrap_err();
    assert!(is_foreign(&e), "{e}");
    foreign.set_database_mark(0);
    assert_eq!(read(&mut foreign).unwrap(), [b'x'; 39]);
}

/// Its LSN says that it has what is to be redone. It has not.
#[test]
fn redo_takes_no_page_of_another_database_for_one_that_has_the_change() {
    let (ours, db, tree, id, mut foreign, _) = two();
    let more = make(&db, OBJECT.0 + 1, 1);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    update(&db, tree, b"three");
    let change = db.log().last_record();
    for n in 0..250 {
        inserted(&db, more, n).commit(Durability::Full).unwrap();
    }
    let end = db.log().appended();
    ours.lose_power(db);
    foreign.set_lsn(LogPos((change.0 + end.0) / 2 / 8 * 8));
    put(&ours, id, &mut foreign);
    // Nothing mends it before redo comes to it.
    let region = PageId::new(1, DOUBLE_WRITE_FIRST_PAGE).file_offset();
    let none = AlignedBuf::zeroed(DOUBLE_WRITE_PAGES as usize * 8192);
    volume(&ours).write_at(region, &none).unwrap();
    let got = ours.restart().and_then(|(db, _)| row(&db, tree));
    match got {
        Ok(row) => assert_eq!(row, b"three"),
        Err(e) => {
            assert!(is_foreign(&e) || e.to_sql().number == 926, "{e}");
            // The writer would notice it, too, but then redo has gone by it.
            assert!(!e.to_string().contains("in memory"), "{e}");
        }
    }
}

/// The double-write region has what was meant to be there.
#[test]
fn a_page_of_another_database_is_mended_from_the_region() {
    let (ours, db, tree, id, mut foreign, _) = two();
    ours.lose_power(db);
    assert_eq!(restarted(&ours, tree).1, [1]);
    put(&ours, id, &mut foreign);
    let (db, report) = ours.restart().unwrap();
    assert_eq!((report.torn_repaired, row(&db, tree).unwrap()), (1, b"two".to_vec()));
}

/// A region that is another database's mends nothing.
#[test]
fn a_region_of_another_database_mends_nothing() {
    let (ours, db, _, id, _, theirs) = two();
    let mark = page(&ours, id).database_mark();
    ours.lose_power(db);
    let region = PageId::new(1, DOUBLE_WRITE_FIRST_PAGE).file_offset();
    let mut bytes = AlignedBuf::zeroed(DOUBLE_WRITE_PAGES as usize * 8192);
    volume(&theirs).read_at(region, &mut bytes).unwrap();
    volume(&ours).write_at(region, &bytes).unwrap();
    let named = |mark| {
        let found = DoubleWrite::read(&*volume(&ours), mark).unwrap().unwrap();
        found.images.iter().any(|(_, image, _)| *image == id)
    };
    assert_eq!((named(0), named(mark)), (true, false));
}

/// A region is its file's: an image of another file's page is not written to the page of the same number here, nor anywhere.
#[test]
fn a_region_mends_pages_of_its_own_file_only() {
    let (ours, db, tree, id, mut foreign, _) = two();
    ours.lose_power(db);
    assert_eq!(restarted(&ours, tree).1, [1]);
    let at = PageId::new(1, DOUBLE_WRITE_FIRST_PAGE).file_offset();
    let mut bytes = AlignedBuf::zeroed(DOUBLE_WRITE_PAGES as usize * 8192);
    volume(&ours).read_at(at, &mut bytes).unwrap();
    // The same batch, as if it were file 2's.
    let count = u32::from_le_bytes(bytes[24..28].try_into().unwrap()) as usize;
    for n in 0..count {
        let image: &mut [u8] = &mut bytes[(1 + n) * 8192..(2 + n) * 8192];
        let mut page = Page::zeroed();
        page.bytes_mut().copy_from_slice(image);
        page.set_id(PageId { file: taffrail_base::FileId(2), ..page.id() });
        page.seal();
        image.copy_from_slice(page.bytes());
        let entry = 32 + n * 12;
        bytes[entry..entry + 8].copy_from_slice(&page.id().to_u64().to_le_bytes());
        bytes[entry + 8..entry + 12].copy_from_slice(&page.crc().to_le_bytes());
    }
    bytes[8..12].fill(0);
    let crc = crc32c::crc32c(&bytes[..8192]);
    bytes[8..12].copy_from_slice(&crc.to_le_bytes());
    volume(&ours).write_at(at, &bytes).unwrap();
    let mark = page(&ours, id).database_mark();
    let region = DoubleWrite::read(&*volume(&ours), mark).unwrap().unwrap();
    assert!(region.images.iter().any(|i| i.1 == PageId { file: taffrail_base::FileId(2), ..id }));
    put(&ours, id, &mut foreign);
    let db = ours.instance();
    let opened = ours.open_in(&db).map(|(db, report)| (report.torn_repaired, row(&db, tree)));
    match opened {
        Ok((repaired, got)) => {
            assert_eq!(repaired, 0);
            assert!(is_foreign(&got.unwrap_err()));
        }
        Err(e) => assert!(is_foreign(&e), "{e}"),
    }
}

#[derive(Default)]
struct Damaged(Vec<PageId>);

impl Watch for Damaged {
    fn damaged(&mut self, page: PageId, _: &std::path::Path) {
        self.0.push(page);
    }
}

#[test]
fn a_backup_takes_no_page_of_another_database_for_ours() {
    let (ours, db, _, id, mut foreign, _) = two();
    db.close().unwrap();
    let empty = AlignedBuf::zeroed(8192);
    volume(&ours).write_at(PageId::new(1, DOUBLE_WRITE_FIRST_PAGE).file_offset(), &empty).unwrap();
    put(&ours, id, &mut foreign);
    let db = ours.open();
    let device = |name: &str| vec![Device::Disk(format!("/data/{name}").into())];
    let spec =
        |name| BackupSpec { checksum: true, ..BackupSpec::new(BackupKind::Full, device(name)) };
    let refused = db.backup(&spec("refused"), &mut ()).map(drop);
    assert!(matches!(refused, Err(BackupError::DamagedPage(_))), "{refused:?}");
    let mut watch = Damaged::default();
    let told = BackupSpec { continue_after_error: true, ..spec("told") };
    let report = db.backup(&told, &mut watch).unwrap();
    assert_eq!((report.header.is_damaged, watch.0), (true, vec![id]));
    // One that looked at no page has it too, and who asks is told.
    db.backup(&BackupSpec::new(BackupKind::Full, device("unseen")), &mut ()).unwrap();
    let env = ours.world.env();
    let found = backup::damaged_page(&env, &device("unseen"), 1, &mut ()).unwrap();
    assert_eq!(found, Some(id));
}

/// Whatever brought it into memory: with our mark on disk it would pass for ours for good.
#[test]
fn a_page_of_another_database_is_never_marked_as_ours() {
    let (ours, db, tree, id, _, _) = two();
    update(&db, tree, b"three");
    let mark = page(&ours, id).database_mark();
    db.pool().write(&db.store, id).unwrap().set_database_mark(mark ^ 8);
    let before = page(&ours, id);
    let e = db.checkpoint(CheckpointKind::Manual).unwrap_err();
    assert!(is_foreign(&e) && db.store.suspect_reason().is_some(), "{e}");
    assert!(page(&ours, id).bytes() == before.bytes());
}

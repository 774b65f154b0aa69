//! Backups of a database with damaged pages: which are told of, and what the copy has.

use std::path::Path;

use taffrail_base::PageId;
use taffrail_storage::backup::{
    BackupError, BackupKind, BackupSpec, Watch, damaged_page, read_sets, verify,
};
use taffrail_storage::{RecoveryModel, StorageError};

use super::support::*;

/// Two leaves in the middle of the file.
const LEAVES: [PageId; 2] = [PageId::new(1, 200), PageId::new(1, 209)];

/// Hears of damaged pages.
#[derive(Default)]
struct Heard(Vec<PageId>);

impl Watch for Heard {
    fn damaged(&mut self, page: PageId, file: &Path) {
        assert_eq!(file, Path::new("/data/t.mdf"));
        self.0.push(page);
    }
}

fn spec(checksum: bool, continue_after_error: bool, path: &str) -> BackupSpec {
    let spec = BackupSpec::new(BackupKind::Full, disk(path));
    BackupSpec { checksum, continue_after_error, ..spec }
}

#[test]
fn a_damaged_page_is_copied_told_of_or_ends_the_backup() {
    let (rig, shared, db) = source(71, RecoveryModel::Full);
    let env = rig.world.env();
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..2000, 1);
    db.close().unwrap();
    let file = rig.data.path.clone();
    assert_eq!(file, Path::new("/data/t.mdf"));
    for page in LEAVES {
        rig.world.flip_bit(&file, page.file_offset() + 1234, 3).unwrap();
    }
    let (db, _) = rig.open_in(&shared).unwrap();
    // CHECKSUM: it ends, with the page's name, and what is there is no set.
    let e = refused(db.backup(&spec(true, false, "/data/a.bak"), &mut Heard::default()));
    let BackupError::DamagedPage(StorageError::Corrupt(c)) = e else { panic!("{e}") };
    assert_eq!((c.page, &*c.file), (LEAVES[0], "/data/t.mdf"));
    assert!(!read_sets(&env, &disk("/data/a.bak")).unwrap()[0].complete);
    assert!(db.take_suspect_pages().iter().any(|s| s.page == LEAVES[0] && s.checksum));
    // Without it: nobody hears, in whatever way the set is read.
    let mut heard = Heard::default();
    let report = db.backup(&spec(false, false, "/data/b.bak"), &mut heard).unwrap();
    assert!(heard.0.is_empty() && !report.header.is_damaged && !report.header.has_checksums);
    verify(&env, &disk("/data/b.bak"), 1, &mut ()).unwrap();
    // CONTINUE_AFTER_ERROR: each is told of, and the set says so.
    let report = db.backup(&spec(true, true, "/data/c.bak"), &mut heard).unwrap();
    assert_eq!(heard.0, LEAVES);
    assert!(report.header.is_damaged && report.header.has_checksums);
    assert!(verify(&env, &disk("/data/c.bak"), 1, &mut ()).unwrap().is_damaged);
    assert_eq!(damaged_page(&env, &disk("/data/c.bak"), 1, &mut ()).unwrap(), Some(LEAVES[0]));
    db.close().unwrap();
    // They come back as they were: none has got a checksum that makes it pass for whole.
    for set in ["/data/b.bak", "/data/c.bak"] {
        restore(&shared, set, 1, false, false).unwrap();
        let copy = env.disk.open(Path::new(COPY_PRIMARY), taffrail_io::OpenSpec::PLAIN).unwrap();
        let original = env.disk.open(&file, taffrail_io::OpenSpec::PLAIN).unwrap();
        for page in LEAVES {
            let (mut a, mut b) = (vec![0; 8192], vec![0; 8192]);
            copy.read_at(page.file_offset(), &mut a).unwrap();
            original.read_at(page.file_offset(), &mut b).unwrap();
            assert!(a == b, "{set}: {page}");
        }
    }
}

//! What a restart goes by is on the medium, and is not overwritten before something newer is.

use taffrail_io::sim::{Fault, FaultKind, IoKind};

use super::*;
use crate::backup::{BackupKind, BackupSpec, Device};
use crate::buffer::DoubleWrite;

/// A write of the double-write region fails and leaves it whole in the cache, and in part on the medium. The next process reads the cache.
#[test]
fn what_a_restart_reads_of_the_region_is_on_the_medium() {
    for seed in 0..24 {
        let rig = rig(200 + seed).dir_synced();
        let (db, tree) = created(&rig);
        inserted(&db, tree, 1).commit(Durability::Full).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        let region = || {
            let volume = rig.world.env().disk.open(&rig.data.path, IoOpenSpec::DATA).unwrap();
            let region = DoubleWrite::read(&*volume, 0).unwrap();
            let images = region.map_or(Vec::new(), |r| r.images).into_iter();
            images.map(|(_, id, image)| (id, image.crc())).collect::<Vec<_>>()
        };
        inserted(&db, tree, 2).commit(Durability::Full).unwrap();
        let (kind, path_contains) = (Some(IoKind::WriteDurable), ".mdf".to_owned());
        let fault = FaultKind::Io;
        rig.world.inject(Fault { nth: 1, kind, path_contains, fault, sticky: false });
        db.store.write_all_dirty(db.pool(), &mut |_, _| {}).unwrap_err();
        rig.world.clear_faults();
        rig.world.kill();
        drop(db);
        rig.world.revive();
        let read = region();
        assert!(!read.is_empty(), "the cache has it whole");
        let (db, _) = rig.open_deferred().unwrap();
        rig.lose_power(db);
        assert_eq!(region(), read, "seed {seed}");
        assert_eq!(restarted(&rig, tree).1, [1, 2]);
    }
}

/// A log backup has moved the chain on, and the boot page does not say so yet: a restart would go on from what that says.
#[test]
fn the_log_is_kept_from_where_the_boot_page_has_its_chain() {
    let rig = rig(300).dir_synced();
    let (db, tree) = created(&rig);
    let device = vec![Device::Disk("/data/r.bak".into())];
    db.backup(&BackupSpec::new(BackupKind::Full, device), &mut ()).unwrap();
    let from = db.log_chain().unwrap();
    for n in 0..400u32 {
        let mut tx = begin(&db);
        let row = [7; 7000];
        btree::insert(&mut tx, &db.hobt(tree).unwrap(), &n.to_be_bytes(), &row).unwrap();
        tx.commit(Durability::Full).unwrap();
    }
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let end = db.log().durable();
    db.log_chain.store(end.0, Ordering::Release);
    db.log().truncate();
    assert!(db.log().oldest() <= from, "it is let go of");
    rig.lose_power(db);
    let (db, _) = rig.restart().unwrap();
    assert_eq!(db.log_chain(), Some(from));
    assert!(db.log().lsn(from).is_some(), "the next log backup begins there");
    db.log_chain.store(end.0, Ordering::Release);
    db.save_boot(|_| {}).unwrap();
    db.log().truncate();
    assert!(db.log().oldest() > from, "nobody needs it any more");
}

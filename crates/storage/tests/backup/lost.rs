//! The tail of the log when the data file is lost with the power: every commit that was acknowledged is in it.

use std::path::Path;

use taffrail_io::OpenSpec;
use taffrail_log::offline::{BlockInfo, OfflineLog};
use taffrail_storage::backup::{
    BackupError, BackupKind, BackupSpec, LostDatabase, SetHeader, backup_lost, verify,
};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{CheckpointKind, Durability, RecoveryModel, btree};

use super::support::*;

const BAK: &str = "/data/t.bak";
const TAIL: &str = "/data/tail.bak";

fn lost(h: &SetHeader) -> LostDatabase {
    let from = match h.kind {
        BackupKind::Log => (h.last_lsn, false),
        _ => (h.first_lsn, true),
    };
    LostDatabase {
        name: h.database.clone(),
        guid: h.database_guid,
        family: h.family_guid,
        fork: h.last_fork,
        created: h.created,
        recovery_model: h.recovery_model,
        files: h.files.clone(),
        log: vec!["/data/t_log.ldf".into()],
        last_full: h.checkpoint_lsn,
        from: vec![from],
    }
}

#[test]
fn the_tail_of_a_lost_database_has_every_acknowledged_commit() {
    for seed in 0..24 {
        let (rig, shared, db) = source(500 + seed, RecoveryModel::Full);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..200, 1);
        let mut last = backup(&db, BackupKind::Full, BAK).header;
        put(&db, &mut rows, 100..300, 2);
        if seed % 2 == 0 {
            last = backup(&db, BackupKind::Log, BAK).header;
        }
        if seed % 3 == 0 {
            // Several VLFs, and a part of the log that the last backup has let go.
            put(&db, &mut rows, 0..2500, 3);
        }
        rig.world.crash_at(1 + seed * 7);
        let tree = db.hobt(TREE).unwrap();
        for key in 10_000..10_400_u64 {
            let mut tx = begin(&db);
            let done = tx
                .lock_object(tree.object(), LockMode::IX)
                .and_then(|_| btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[9; 400]))
                .and_then(|()| tx.commit(Durability::Full));
            match done {
                Ok(_) => drop(rows.insert(key, vec![9; 400])),
                Err(_) => break,
            }
        }
        rig.world.restart();
        drop((tree, db, shared));
        let env = rig.world.env();
        env.disk.remove(Path::new("/data/t.mdf")).unwrap();
        let spec = BackupSpec::new(BackupKind::Log, disk(TAIL));
        let report = backup_lost(&env, &spec, &lost(&last), &mut ()).unwrap();
        let h = report.header;
        assert!(h.is_copy_only && h.has_incomplete_metadata, "seed {seed}");
        assert_eq!(h.begins_log_chain, last.kind == BackupKind::Full, "seed {seed}");
        assert_eq!(verify(&env, &disk(TAIL), 1, &mut ()).unwrap(), h, "seed {seed}");
        let shared = rig.instance();
        restore(&shared, BAK, 1, false, false).unwrap();
        if last.kind == BackupKind::Log {
            restore(&shared, BAK, 2, true, false).unwrap();
        }
        let copy = restore(&shared, TAIL, 1, true, true).unwrap().database.expect("recovered");
        let mut found = read(&copy);
        // One more may have come to the disk whose commit nobody heard of.
        found.retain(|key, _| *key < 10_000 || rows.contains_key(key));
        assert_eq!(found, rows, "seed {seed}");
        copy.close().unwrap();
    }
}

#[test]
fn a_log_that_does_not_fit_the_history_is_refused() {
    let (rig, _, db) = source(601, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..200, 1);
    let full = backup(&db, BackupKind::Full, BAK).header;
    put(&db, &mut rows, 0..200, 2);
    // The log as it was then, and goes on after it.
    let log = Path::new("/data/t_log.ldf");
    let env = rig.world.env();
    for n in 0..24 {
        put(&db, &mut rows, 0..400, n);
        // Without it nothing is let go.
        db.checkpoint(CheckpointKind::Manual).unwrap();
        backup(&db, BackupKind::Log, BAK);
    }
    let later = backup(&db, BackupKind::Log, BAK).header;
    for n in 0..5 {
        put(&db, &mut rows, 0..20, n);
    }
    db.close().unwrap();
    let spec = BackupSpec::new(BackupKind::Log, disk(TAIL));
    let try_it = |lost: LostDatabase| backup_lost(&env, &spec, &lost, &mut ());
    // What the full backup ended with has been let go and written over; the last log backup's end is there.
    assert!(matches!(refused(try_it(lost(&full))), BackupError::NoLogChain));
    let mut both = lost(&later);
    both.from.push((full.first_lsn, true));
    assert_eq!(try_it(both).unwrap().header.first_lsn, later.last_lsn);
    let mut other = lost(&later);
    other.guid = [9; 16];
    assert!(matches!(refused(try_it(other)), BackupError::WrongDatabase));
    // A history that knows of more than the log has.
    let mut beyond = lost(&later);
    beyond.from[0].0.block.0 += 5000;
    assert!(matches!(refused(try_it(beyond)), BackupError::NoLogChain));
    // A block that was durable and is damaged: what lies behind it is not passed over in silence.
    let mut at = None;
    let begins = later.last_lsn;
    let offline = OfflineLog::open(&env, &[log.into()]).unwrap();
    let see = |b: &BlockInfo| {
        if (b.lsn.vlf, b.lsn.block) == (begins.vlf, begins.block) {
            at = Some(b.offset);
        }
    };
    offline.walk(see, |_, _| {}).unwrap();
    let at = at.expect("the tail's first block") + 100;
    let volume = env.disk.open(log, OpenSpec::PLAIN).unwrap();
    let mut byte = [0];
    volume.read_at(at, &mut byte).unwrap();
    volume.write_at(at, &[byte[0] ^ 1]).unwrap();
    match refused(try_it(lost(&later))) {
        BackupError::Storage(e) => assert!(e.to_string().contains("broken"), "{e}"),
        other => panic!("{other}"),
    }
    volume.write_at(at, &byte).unwrap();
    try_it(lost(&later)).unwrap();
}

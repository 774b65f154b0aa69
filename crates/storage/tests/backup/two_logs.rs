//! A database with two log files, whose power fails in the middle of a restore.

use std::path::PathBuf;

use taffrail_storage::backup::{BackupKind, restore};
use taffrail_storage::{
    CreateSpec, DataFileSpec, Database, DatabaseOptions, Growth, RecoveryModel,
};

use super::support::*;

const BAK: &str = "/data/t.bak";

#[test]
fn a_restore_goes_on_after_a_power_loss() {
    for seed in 1..20 {
        let world = world(seed);
        let shared = instance(&world);
        let file = |name: &str, size| DataFileSpec {
            path: PathBuf::from(format!("/data/{name}")),
            name: name.split('.').next().unwrap().to_owned(),
            size,
            growth: Growth::Bytes(1 << 20),
            max_size: None,
        };
        let spec = CreateSpec {
            data_files: vec![file("t.mdf", 2 << 20)],
            log_files: vec![file("t_log.ldf", 1 << 20), file("more.ldf", 1 << 20)],
            options: DatabaseOptions {
                recovery_model: RecoveryModel::Full,
                ..DatabaseOptions::default()
            },
            temporary: false,
        };
        let db = Database::create(&shared, SOURCE, "t", &spec).unwrap();
        let mut rows = Rows::new();
        // Little: what is installed lies in the first file, the second has no block.
        put(&db, &mut rows, 0..200, 1);
        backup(&db, BackupKind::Full, BAK);
        put(&db, &mut rows, 100..300, 2);
        backup(&db, BackupKind::Log, BAK);
        db.close().unwrap();
        let mut spec = restore_spec(BAK, 1, false, false);
        spec.moves.push(("more".into(), "/data/copy_more.ldf".into()));
        restore(&shared, &spec, &mut ()).unwrap();
        drop((db, shared));
        world.crash();
        world.restart();
        let shared = instance(&world);
        check(super::support::restore(&shared, BAK, 2, true, true), &rows);
    }
}

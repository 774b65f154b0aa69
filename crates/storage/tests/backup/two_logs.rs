//! A database with two log files, whose power fails in the middle of a restore.

use taffrail_storage::backup::{BackupKind, restore};
use taffrail_storage::{Growth, RecoveryModel};

use super::support::*;
use crate::rig::MB;

const BAK: &str = "/data/t.bak";

#[test]
fn a_restore_goes_on_after_a_power_loss() {
    for seed in 1..20 {
        let rig = rig(seed, RecoveryModel::Full).data(2 * MB, Growth::Bytes(MB));
        let rig = rig.log(MB, Growth::Bytes(MB)).more_log("more.ldf", MB).plain_names();
        let shared = rig.instance();
        let db = rig.create_in(&shared).unwrap();
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
        rig.lose_power((db, shared));
        let shared = rig.instance();
        check(super::support::restore(&shared, BAK, 2, true, true), &rows);
    }
}

//! What is wrong with a striped set is told of the stripe that has it; how far a backup or restore is, of the bytes it has done.

use std::path::{Path, PathBuf};

use taffrail_io::OpenSpec;
use taffrail_io::sim::SimWorld;
use taffrail_storage::RecoveryModel;
use taffrail_storage::backup::{
    self, BackupError, BackupKind, BackupSpec, Device, MediaMode, RestoreSpec, Watch, verify,
};

use super::support::*;

fn path(media: &str, stripe: usize) -> PathBuf {
    PathBuf::from(format!("/data/{media}{stripe}.bak"))
}

fn stripes(media: &str) -> Vec<Device> {
    (1..=3).map(|i| Device::Disk(path(media, i))).collect()
}

fn bytes(world: &SimWorld, path: &Path) -> Vec<u8> {
    let file = world.env().disk.open(path, OpenSpec::PLAIN).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

fn write(world: &SimWorld, path: &Path, bytes: &[u8]) {
    let file = world.env().disk.open(path, OpenSpec::PLAIN).unwrap();
    file.truncate(0).unwrap();
    file.write_at(0, bytes).unwrap();
}

/// Which file the error names.
fn named(e: BackupError) -> PathBuf {
    match e {
        BackupError::Damaged { path, .. }
        | BackupError::NotMedia(path)
        | BackupError::NotOneMedia(path)
        | BackupError::Empty(path)
        | BackupError::Incomplete { path, .. }
        | BackupError::NoSuchSet { path, .. } => path,
        BackupError::Open(e) => e.path.clone(),
        other => panic!("no file in {other}"),
    }
}

#[test]
fn the_stripe_that_is_damaged_or_foreign_is_named() {
    let (rig, _, db) = source(71, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..4000, 1);
    let spec = |media| BackupSpec::new(BackupKind::Full, stripes(media));
    db.backup(&spec("a"), &mut ()).unwrap();
    db.backup(&spec("b"), &mut ()).unwrap();
    let (world, env) = (&rig.world, rig.world.env());
    let judge = |devices: &[Device]| named(refused(verify(&env, devices, 1, &mut ())));
    verify(&env, &stripes("a"), 1, &mut ()).unwrap();
    for n in 1..=3 {
        let (it, good) = (path("a", n), bytes(world, &path("a", n)));
        // The label, the set's header, the middle and the end.
        for at in [100, 4196, 9000, good.len() / 2, good.len() - 4000] {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            write(world, &it, &bad);
            assert_eq!(judge(&stripes("a")), it, "byte {at} of stripe {n}");
        }
        for len in [0, 4096, 12_288, good.len() - 4096] {
            write(world, &it, &good[..len]);
            assert_eq!(judge(&stripes("a")), it, "stripe {n} cut at {len}");
        }
        // The same stripe of another media, and another stripe of the same in its place.
        write(world, &it, &bytes(world, &path("b", n)));
        assert_eq!(judge(&stripes("a")), it, "stripe {n} of another media");
        write(world, &it, &good);
        let mut devices = stripes("a");
        devices[n - 1] = Device::Disk("/data/none.bak".into());
        assert_eq!(judge(&devices), Path::new("/data/none.bak"));
    }
    // A stripe of a later set, written over this media: whole, and not of this set.
    let old: Vec<_> = (1..=3).map(|n| bytes(world, &path("a", n))).collect();
    put(&db, &mut rows, 0..100, 2);
    let init = BackupSpec { mode: MediaMode::Init, ..spec("a") };
    db.backup(&init, &mut ()).unwrap();
    for n in 1..=3 {
        let new = bytes(world, &path("a", n));
        write(world, &path("a", n), &old[n - 1]);
        assert_eq!(judge(&stripes("a")), path("a", n), "stripe {n} of an older set");
        write(world, &path("a", n), &new);
    }
    verify(&env, &stripes("a"), 1, &mut ()).unwrap();
    let e = refused(verify(&env, &[stripes("a")[0].clone(), stripes("a")[2].clone()], 1, &mut ()));
    assert!(matches!(e, BackupError::FamiliesMissing { missing, .. } if missing == [2]));
}

/// Notes how far it is told that things are.
#[derive(Default)]
struct Steps(Vec<(u64, u64)>);

impl Watch for Steps {
    fn progress(&mut self, done: u64, total: u64) {
        self.0.push((done, total));
    }
}

/// From little to everything, never back.
fn steady(steps: &Steps, bytes: u64, what: &str) {
    let steps = &steps.0;
    assert!(steps.len() > 1, "{what}: {steps:?}");
    assert!(steps.windows(2).all(|s| s[0].0 < s[1].0), "{what}: {steps:?}");
    assert!(steps.iter().all(|(done, total)| done <= total), "{what}: {steps:?}");
    let (done, total) = *steps.last().unwrap();
    assert!(done == total && done.abs_diff(bytes) <= 4096, "{what}: {bytes} in {steps:?}");
    assert!(steps[0].0 * 10_000 / steps[0].1 < 9_000, "{what}: {steps:?}");
}

#[test]
fn progress_is_of_bytes_done_and_ends_with_all() {
    let (rig, shared, db) = source(72, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..8000, 1);
    let bak = disk("/data/t.bak");
    for kind in [BackupKind::Full, BackupKind::Differential, BackupKind::Log] {
        put(&db, &mut rows, 0..8000, 2);
        let mut steps = Steps::default();
        let report = db.backup(&BackupSpec::new(kind, bak.clone()), &mut steps).unwrap();
        steady(&steps, report.header.size, &format!("backup of {kind:?}"));
    }
    let env = rig.world.env();
    for position in 1..=3 {
        let mut steps = Steps::default();
        let header = verify(&env, &bak, position, &mut steps).unwrap();
        steady(&steps, header.size, "verification");
        let mut steps = Steps::default();
        let spec: RestoreSpec = restore_spec("/data/t.bak", position, position == 3, false);
        backup::restore(&shared, &spec, &mut steps).unwrap();
        steady(&steps, header.size, "restore");
    }
}

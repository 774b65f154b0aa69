//! Media: stripes, several sets, NUL, compression; damage of every kind.

use std::path::{Path, PathBuf};

use taffrail_io::OpenSpec;
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimWorld};
use taffrail_storage::RecoveryModel;
use taffrail_storage::backup::{
    self, BackupError, BackupKind, BackupSpec, Device, MediaMode, RestoreSpec, read_label,
    read_sets, verify,
};

use super::support::*;

fn stripes(n: usize) -> Vec<Device> {
    (1..=n).map(|i| Device::Disk(PathBuf::from(format!("/data/s{i}.bak")))).collect()
}

#[test]
fn stripes_sets_and_compression() {
    let (rig, shared, db) = source(11, RecoveryModel::Full);
    let env = rig.world.env();
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..2500, 1);
    let mut spec = BackupSpec::new(BackupKind::Full, stripes(3));
    spec.media_name = Some("nightly".into());
    spec.labels.name = Some("first".into());
    let first = try_backup(&db, &spec).unwrap();
    put(&db, &mut rows, 0..500, 2);
    spec.compression = true;
    spec.labels.name = Some("second".into());
    let second = try_backup(&db, &spec).unwrap();
    assert!(second.header.compressed_size < first.header.compressed_size / 2);
    let label = read_label(&env, &Device::Disk("/data/s2.bak".into())).unwrap();
    assert_eq!((label.families, label.family, label.name.as_deref()), (3, 2, Some("nightly")));
    let sets = read_sets(&env, &stripes(3)[1..2]).unwrap();
    assert_eq!(
        sets.iter().map(|s| s.labels.name.as_deref()).collect::<Vec<_>>(),
        [Some("first"), Some("second")]
    );
    assert_eq!(sets[1], second.header);
    let with = |devices: Vec<Device>, position| RestoreSpec {
        devices,
        ..restore_spec("", position, false, true)
    };
    // In any order, and all of them.
    let mut turned = stripes(3);
    turned.rotate_left(1);
    verify(&env, &turned, 1, &mut ()).unwrap();
    check(backup::restore(&shared, &with(turned, 2), &mut ()), &rows);
    let e = refused(backup::restore(&shared, &with(stripes(2), 2), &mut ()));
    assert!(
        matches!(e, BackupError::FamiliesMissing { families: 3, given: 2, missing } if missing == [3])
    );
    let e = refused(backup::restore(&shared, &with(stripes(3), 3), &mut ()));
    assert!(matches!(e, BackupError::NoSuchSet { position: 3, .. }));
    // Another number of stripes needs FORMAT.
    let two = BackupSpec::new(BackupKind::Full, stripes(2));
    assert!(matches!(refused(try_backup(&db, &two)), BackupError::NotOneMedia(_)));
    let two = BackupSpec { mode: MediaMode::Format, ..two };
    assert_eq!(try_backup(&db, &two).unwrap().header.position, 1);
    let init = BackupSpec { mode: MediaMode::Init, ..two.clone() };
    let again = try_backup(&db, &init).unwrap();
    assert_eq!((again.header.position, read_sets(&env, &stripes(2)).unwrap().len()), (1, 1));
    check(backup::restore(&shared, &with(stripes(2), 1), &mut ()), &rows);
    // NUL takes everything, and counts.
    let nul = BackupSpec::new(BackupKind::Log, vec![Device::Nul]);
    let before = db.log_chain();
    try_backup(&db, &nul).unwrap();
    assert_ne!(db.log_chain(), before);
}

#[test]
fn something_else_is_not_written_over() {
    let (rig, _, db) = source(12, RecoveryModel::Simple);
    let file = rig.world.env().disk.create(Path::new("/data/letter.txt"), OpenSpec::PLAIN).unwrap();
    file.write_at(0, &[7; 9000]).unwrap();
    let mut spec = BackupSpec::new(BackupKind::Full, disk("/data/letter.txt"));
    for mode in [MediaMode::Append, MediaMode::Init] {
        spec.mode = mode;
        assert!(matches!(refused(try_backup(&db, &spec)), BackupError::NotMedia(_)));
    }
    spec.mode = MediaMode::Format;
    try_backup(&db, &spec).unwrap();
}

#[test]
fn a_device_that_is_refused_leaves_no_file_on_the_others() {
    let (rig, _, db) = source(15, RecoveryModel::Simple);
    let disk = rig.world.env().disk;
    let letter = disk.create(Path::new("/data/letter.txt"), OpenSpec::PLAIN).unwrap();
    letter.write_at(0, &[7; 9000]).unwrap();
    let there = |n: usize| disk.exists(Path::new(&format!("/data/s{n}.bak"))).unwrap();
    let mut spec = BackupSpec::new(BackupKind::Full, stripes(3));
    // Something else lies where the second is to go.
    spec.devices[1] = Device::Disk("/data/letter.txt".into());
    assert!(matches!(refused(try_backup(&db, &spec)), BackupError::NotMedia(_)));
    assert!(!there(1) && !there(3));
    assert_eq!(letter.len().unwrap(), 9000);
    // The third cannot be made, cannot be emptied, or takes no label.
    spec = BackupSpec::new(BackupKind::Full, stripes(3));
    for kind in [IoKind::Name, IoKind::Truncate, IoKind::Write] {
        let (kind, fault) = (Some(kind), FaultKind::Full);
        let path_contains = "s3.bak".to_owned();
        rig.world.inject(Fault { nth: 1, kind, path_contains, fault, sticky: false });
        refused(try_backup(&db, &spec));
        assert!(!there(1) && !there(2) && !there(3), "{kind:?}");
    }
    try_backup(&db, &spec).unwrap();
    // A media that is there stays as it is.
    spec.devices[0] = Device::Disk("/data/more.bak".into());
    assert!(matches!(refused(try_backup(&db, &spec)), BackupError::NotOneMedia(_)));
    assert!(!disk.exists(Path::new("/data/more.bak")).unwrap());
    assert_eq!(read_sets(&rig.world.env(), &stripes(3)).unwrap().len(), 1);
}

/// A small backup, and where it was taken.
fn small(seed: u64, compression: bool) -> (Rig, Vec<u8>) {
    let (rig, _, db) = source(seed, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..40, 1);
    let spec = BackupSpec { compression, ..BackupSpec::new(BackupKind::Full, disk("/data/t.bak")) };
    try_backup(&db, &spec).unwrap();
    db.close().unwrap();
    let file = rig.world.env().disk.open(Path::new("/data/t.bak"), OpenSpec::PLAIN).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_at(0, &mut bytes).unwrap();
    (rig, bytes)
}

fn write(world: &SimWorld, bytes: &[u8]) {
    let file = world.env().disk.open(Path::new("/data/t.bak"), OpenSpec::PLAIN).unwrap();
    file.truncate(0).unwrap();
    file.write_at(0, bytes).unwrap();
}

/// A generator good enough to choose places.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 24
}

#[test]
fn verify_finds_any_flipped_byte_and_any_cut() {
    let (rig, bytes) = small(13, false);
    let env = rig.world.env();
    let devices = disk("/data/t.bak");
    verify(&env, &devices, 1, &mut ()).unwrap();
    let file = env.disk.open(Path::new("/data/t.bak"), OpenSpec::PLAIN).unwrap();
    let mut state = 99;
    // Around every block's edges, and many places in between.
    let edges = (0..bytes.len()).step_by(4096).flat_map(|b| [b, b + 7, b + 70, b + 4092]);
    let others = (0..1500).map(|_| next(&mut state) as usize % bytes.len());
    let places: Vec<usize> = edges.chain(others.collect::<Vec<_>>()).collect();
    for at in places {
        let flipped = bytes[at] ^ (1 << (at % 8));
        file.write_at(at as u64, &[flipped]).unwrap();
        assert!(verify(&env, &devices, 1, &mut ()).is_err(), "byte {at} was flipped");
        file.write_at(at as u64, &[bytes[at]]).unwrap();
    }
    verify(&env, &devices, 1, &mut ()).unwrap();
    for _ in 0..100 {
        let at = next(&mut state) % bytes.len() as u64;
        file.truncate(at).unwrap();
        assert!(verify(&env, &devices, 1, &mut ()).is_err(), "cut at {at}");
        file.write_at(at, &bytes[at as usize..]).unwrap();
    }
}

#[test]
fn sets_behind_something_damaged_are_not_written_over() {
    let (rig, _, db) = source(15, RecoveryModel::Simple);
    let path = "/data/t.bak";
    for _ in 0..3 {
        backup(&db, BackupKind::Full, path);
    }
    let file = rig.world.env().disk.open(Path::new(path), OpenSpec::PLAIN).unwrap();
    let len = file.len().unwrap();
    // The first block of the second chunk of the first set.
    let at = (0..len / 4096).find(|b| {
        let mut magic = [0; 8];
        file.read_at(b * 4096, &mut magic).unwrap();
        magic.starts_with(b"TFBC") && magic[6] == 3
    });
    file.write_at(at.unwrap() * 4096 + 100, &[0xee]).unwrap();
    let spec = BackupSpec::new(BackupKind::Full, disk(path));
    assert!(matches!(refused(try_backup(&db, &spec)), BackupError::Damaged { .. }));
    assert_eq!(file.len().unwrap(), len);
    let spec = BackupSpec { mode: MediaMode::Init, ..spec };
    assert_eq!(try_backup(&db, &spec).unwrap().header.position, 1);
}

#[test]
fn whatever_a_file_holds_gives_an_error_and_no_panic() {
    for compression in [false, true] {
        let (rig, bytes) = small(14, compression);
        let env = rig.world.env();
        let shared = rig.instance();
        let devices = disk("/data/t.bak");
        let mut state = 7;
        for round in 0..400 {
            let mut bad = bytes.clone();
            for _ in 0..1 + next(&mut state) % 4 {
                let at = next(&mut state) as usize % bad.len();
                match next(&mut state) % 5 {
                    0 => bad[at] = next(&mut state) as u8,
                    1 => {
                        let n = (bad.len() - at).min(1 + next(&mut state) as usize % 5000);
                        bad[at..at + n].fill(next(&mut state) as u8);
                    }
                    2 => bad.truncate(at),
                    3 => {
                        let (a, b) =
                            (at / 4096 * 4096, next(&mut state) as usize % bad.len() / 4096 * 4096);
                        for i in 0..4096 {
                            if a.max(b) + i < bad.len() {
                                bad.swap(a + i, b + i);
                            }
                        }
                    }
                    // Changed, with a checksum that fits: the content of a block says something else.
                    _ => {
                        let block = at / 4096 * 4096;
                        if block + 4096 <= bad.len() {
                            bad[block + next(&mut state) as usize % 300] = next(&mut state) as u8;
                            let crc = crc(&bad[block..block + 4092]);
                            bad[block + 4092..block + 4096].copy_from_slice(&crc.to_le_bytes());
                        }
                    }
                }
                if bad.is_empty() {
                    break;
                }
            }
            write(&rig.world, &bad);
            let _ = read_label(&env, &Device::Disk("/data/t.bak".into()));
            let _ = read_sets(&env, &devices);
            let whole = verify(&env, &devices, 1, &mut ()).is_ok();
            match restore(&shared, "/data/t.bak", 1, false, true) {
                Ok(restored) => {
                    let db = restored.database.unwrap();
                    db.close().unwrap();
                }
                // What is verified can be restored, unless it was made to say something else on purpose.
                Err(e) => assert!(!whole || !bytes.starts_with(&bad), "round {round}: {e}"),
            }
        }
    }
}

/// CRC-32C, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, b| {
        (0..8).fold(crc ^ u32::from(*b), |c, _| (c >> 1) ^ (0x82f6_3b78 & (c & 1).wrapping_neg()))
    })
}

/// A log set has no boot page: its header says of which version what it brings is.
#[test]
fn a_set_of_a_later_version_is_refused() {
    let (rig, mut bytes) = small(15, false);
    let env = rig.world.env();
    let header = &read_sets(&env, &disk("/data/t.bak")).unwrap()[0];
    let guids = [header.database_guid, header.family_guid].concat();
    let later = header.format_version + 1;
    // The chunks of the set, one behind the other. Behind the GUIDs and the time of creation stands the version.
    let (mut chunk, mut changed) = (4096, 0);
    while chunk < bytes.len() {
        let content = chunk + 4096;
        let stored = u64::from_le_bytes(bytes[chunk + 32..chunk + 40].try_into().unwrap()) as usize;
        let next = content + stored.next_multiple_of(4096);
        if let Some(at) = bytes[content..next].windows(32).position(|w| w == guids) {
            let at = content + at + 32 + 8;
            if bytes[at..at + 2] == header.format_version.to_le_bytes() {
                bytes[at..at + 2].copy_from_slice(&later.to_le_bytes());
                let sum = crc(&bytes[content..next]);
                bytes[chunk + 64..chunk + 68].copy_from_slice(&sum.to_le_bytes());
                let sum = crc(&bytes[chunk..chunk + 4092]);
                bytes[chunk + 4092..chunk + 4096].copy_from_slice(&sum.to_le_bytes());
                changed += 1;
            }
        }
        chunk = next;
    }
    assert!(changed > 0);
    write(&rig.world, &bytes);
    match refused(restore(&rig.instance(), "/data/t.bak", 1, false, true)) {
        BackupError::TooNew { version, .. } => assert_eq!(version, later),
        other => panic!("{other}"),
    }
}

#[test]
fn a_media_is_read_four_times_before_it_counts_as_unreadable() {
    use taffrail_io::sim::{Fault, FaultKind, IoKind};
    let (rig, _) = small(31, false);
    let env = rig.world.env();
    let fail = |nth: u64| {
        rig.world.inject(Fault {
            nth,
            kind: Some(IoKind::Read),
            path_contains: "t.bak".into(),
            fault: FaultKind::Io,
            sticky: false,
        });
    };
    // Each of the first reads in turn: the label, headers of chunks, chunks.
    for first in 1..12 {
        (first..first + 3).for_each(fail);
        verify(&env, &disk("/data/t.bak"), 1, &mut ())
            .unwrap_or_else(|e| panic!("read {first}: {e}"));
        rig.world.clear_faults();
        (first..first + 4).for_each(fail);
        let e = refused(verify(&env, &disk("/data/t.bak"), 1, &mut ()));
        assert!(matches!(e, BackupError::Device { operation: "read", .. }), "read {first}: {e}");
        rig.world.clear_faults();
    }
}

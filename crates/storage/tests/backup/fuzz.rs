//! Readers of backups and any bytes: seeded damage, many bytes at a time. They answer or refuse, and come to an end.
//! `TAFFRAIL_SIM_SEED=n` runs one seed alone.

use taffrail_io::OpenSpec;
use taffrail_io::sim::SimRng;
use taffrail_storage::RecoveryModel;
use taffrail_storage::backup::{BackupKind, SetRecords, read_label, read_sets, verify};

use super::support::*;

const ITERATIONS: u64 = 150;

#[test]
fn damaged_media_are_refused_by_every_reader() {
    let world = world(31);
    let env = world.env();
    let shared = instance(&world);
    let db = create(&shared, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..300, 1);
    backup(&db, BackupKind::Full, "/data/full.bak");
    put(&db, &mut rows, 0..300, 2);
    let log = backup(&db, BackupKind::Log, "/data/log.trn");
    let devices = disk("/data/log.trn");
    let count = |devices| {
        let mut records = SetRecords::open(&env, devices, 1)?;
        let mut n = 0_u64;
        while records.advance()? {
            let entry = records.entry().expect("it has just been gone to");
            assert!(records.lsn_map().lsn(entry.record.pos) == Some(entry.lsn));
            n += 1;
        }
        Ok::<u64, taffrail_storage::backup::BackupError>(n)
    };
    assert!(count(&devices).unwrap() > 300, "{:?}", log.header.kind);
    let file = env.disk.open("/data/log.trn".as_ref(), OpenSpec::PLAIN).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_at(0, &mut bytes).unwrap();
    let seed = std::env::var("TAFFRAIL_SIM_SEED").ok().and_then(|s| s.parse::<u64>().ok());
    let mut refused = 0;
    for seed in seed.map_or(0..ITERATIONS, |s| s..s + 1) {
        let rng = &mut SimRng::new(seed);
        let mut damaged = bytes.clone();
        for _ in 0..=rng.below(6) {
            let at = rng.below(damaged.len() as u64) as usize;
            let len = (1 + rng.below(600) as usize).min(damaged.len() - at);
            let from = rng.below((damaged.len() - len) as u64 + 1) as usize;
            match rng.below(3) {
                0 => damaged[at..at + len].fill(rng.below(256) as u8),
                1 => damaged.copy_within(from..from + len, at),
                _ => damaged[at..at + len].iter_mut().for_each(|b| *b = rng.below(256) as u8),
            }
        }
        file.write_at(0, &damaged).unwrap();
        let _ = (read_label(&env, "/data/log.trn".as_ref()), read_sets(&env, &devices));
        let verdict = verify(&env, &devices, 1, &mut ());
        refused += u64::from(verdict.is_err());
        // What verification accepts, the records' reader reads to the end.
        assert!(verdict.is_err() || count(&devices).is_ok(), "seed {seed}");
        let _ = count(&devices);
    }
    assert!(refused > 0 || seed.is_some());
}

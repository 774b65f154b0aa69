//! The simulated disk keeps its own promises: what is synced stays, what is not may be anything the rules allow.

use std::collections::HashSet;
use std::io::IoSlice;
use std::path::Path;
use std::sync::Arc;

use taffrail_io::sim::{Fault, FaultKind, IoKind, SimOptions, SimWorld};
use taffrail_io::{AlignedBuf, OpenSpec, Volume, WriteOp};

const FILE: &str = "/db/a.mdf";

fn filled(len: usize, byte: u8) -> AlignedBuf {
    let mut b = AlignedBuf::zeroed(len);
    b.fill(byte);
    b
}

/// A world with one file of 8 sectors of ones, durable.
fn world(seed: u64) -> (SimWorld, Arc<dyn Volume>) {
    let world = SimWorld::with_options(seed, SimOptions { sector: 512, capacity: 1 << 20 });
    let env = world.env();
    env.disk.create_dir(Path::new("/db")).unwrap();
    let v = env.disk.create(Path::new(FILE), OpenSpec::DATA).unwrap();
    v.write_at(0, &filled(4096, 1)).unwrap();
    v.sync().unwrap();
    env.disk.sync_dir(Path::new("/db")).unwrap();
    (world, v)
}

/// The first byte of each sector, after checking that none is mixed.
fn sectors(world: &SimWorld) -> Vec<u8> {
    let v = world.env().disk.open(Path::new(FILE), OpenSpec::DATA).unwrap();
    let mut b = vec![0; v.len().unwrap() as usize];
    v.read_at(0, &mut b).unwrap();
    for sector in b.chunks(512) {
        assert!(sector.iter().all(|&x| x == sector[0]), "a mixed sector");
    }
    b.chunks(512).map(|s| s[0]).collect()
}

#[test]
fn unsynced_sectors_are_kept_or_lost_one_by_one() {
    let mut seen = HashSet::new();
    for seed in 0..100 {
        let (world, v) = world(seed);
        v.write_at(512, &filled(1024, 2)).unwrap();
        v.write_at(1024, &filled(512, 3)).unwrap();
        world.restart();
        assert!(v.len().is_ok() && v.read_at(0, &mut [0; 8]).is_err(), "old handles are dead");
        let s = sectors(&world);
        assert_eq!([s[0], s[3], s[7]], [1, 1, 1]);
        seen.insert((s[1], s[2]));
    }
    // The second sector old or new, the third any of three.
    assert_eq!(seen.len(), 6, "{seen:?}");
}

#[test]
fn a_durable_write_stays_and_covers_only_itself() {
    let mut others = HashSet::new();
    for seed in 0..50 {
        let (world, v) = world(seed);
        v.write_at(0, &filled(512, 2)).unwrap();
        let (a, b) = (filled(512, 3), filled(512, 4));
        v.write_durable(2048, &[IoSlice::new(&a), IoSlice::new(&b)]).unwrap();
        world.restart();
        let s = sectors(&world);
        assert_eq!([s[4], s[5]], [3, 4]);
        others.insert(s[0]);
    }
    assert_eq!(others, HashSet::from([1, 2]));
}

#[test]
fn power_fails_in_the_middle_of_a_write() {
    let mut seen = HashSet::new();
    for seed in 0..40 {
        let (world, v) = world(seed);
        world.crash_at(1);
        assert!(v.write_durable(0, &[IoSlice::new(&filled(1024, 9))]).is_err());
        assert!(v.sync().is_err() && !world.is_powered());
        world.restart();
        seen.insert(sectors(&world)[..2].to_vec());
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn a_left_out_sync_and_a_failed_sync_lose_writes() {
    let lost_after = |prepare: &dyn Fn(&SimWorld)| {
        (0..40).any(|seed| {
            let (world, v) = world(seed);
            prepare(&world);
            v.write_at(0, &filled(512, 2)).unwrap();
            let _ = v.sync();
            // A second sync succeeds, of who opens the file anew; it does not bring back what the first one lost.
            if world.stats().faults > 0 {
                assert!(v.sync().is_err());
                world.env().disk.open(v.path(), OpenSpec::DATA).unwrap().sync().unwrap();
            }
            world.restart();
            sectors(&world)[0] == 1
        })
    };
    assert!(!lost_after(&|_| {}));
    assert!(lost_after(&|w| w.drop_sync(Some(w.stats().syncs + 1))));
    assert!(lost_after(&|w| {
        w.inject(Fault {
            nth: 1,
            kind: Some(IoKind::Sync),
            path_contains: "a.mdf".into(),
            fault: FaultKind::Io,
            sticky: false,
        });
    }));
}

#[test]
fn names_need_their_directory_synced() {
    let mut outcomes = HashSet::new();
    for seed in 0..40 {
        let (world, _) = world(seed);
        let disk = world.env().disk;
        let new = Path::new("/db/new");
        disk.create(new, OpenSpec::PLAIN).unwrap();
        disk.rename(Path::new(FILE), Path::new("/db/moved")).unwrap();
        world.restart();
        let here = |p: &str| disk.exists(Path::new(p)).unwrap();
        assert!(here(FILE) != here("/db/moved"));
        outcomes.insert((here("/db/new"), here("/db/moved")));
    }
    assert_eq!(outcomes, HashSet::from([(false, false), (true, false), (true, true)]));
}

#[test]
fn a_full_disk_says_so_and_submitted_writes_come_back() {
    let (world, v) = world(1);
    world.set_capacity(8192);
    assert!(v.allocate(4096, 8192).unwrap_err().is_full());
    assert!(v.write_at(8192, &filled(512, 1)).unwrap_err().is_full());
    let available = || world.env().disk.space(Path::new(FILE)).unwrap().available;
    assert_eq!(available(), 4096);
    v.allocate(4096, 4096).unwrap();
    assert_eq!(available(), 0);
    assert!(world.env().disk.space(Path::new("/elsewhere")).is_err());
    let op = |token, offset| WriteOp { token, offset, buf: filled(512, 7), len: 512 };
    v.submit((0..8).map(|n| op(n, n * 512)).collect()).unwrap();
    let mut tokens = Vec::new();
    while tokens.len() < 8 {
        for done in v.reap(3).unwrap() {
            done.result.unwrap();
            tokens.push(done.token);
        }
    }
    tokens.sort_unstable();
    assert_eq!(tokens, (0..8).collect::<Vec<_>>());
    v.sync().unwrap();
    world.restart();
    assert_eq!(sectors(&world)[..8], [7; 8]);
    // Misaligned direct writes are refused here as on the real disk.
    let v = world.env().disk.open(Path::new(FILE), OpenSpec::DATA).unwrap();
    assert!(v.write_at(100, &filled(512, 1)).is_err());
}

#[test]
fn writes_of_one_place_at_a_time_are_counted_and_unwritten_extents_are_known() {
    let (world, v) = world(77);
    v.allocate(4096, 4096).unwrap();
    v.sync().unwrap();
    assert_eq!(v.unwritten(0, 1 << 20).unwrap(), [(4096, 8192)]);
    let op = WriteOp { token: 1, offset: 4608, buf: filled(1024, 2), len: 1024 };
    v.submit(vec![op]).unwrap();
    v.write_durable(5632, &[IoSlice::new(&filled(512, 3))]).unwrap();
    assert_eq!(world.stats().races, 0, "beside it");
    v.write_durable(5120, &[IoSlice::new(&filled(512, 3))]).unwrap();
    assert_eq!(world.stats().races, 1);
    assert_eq!(v.reap(1).unwrap().len(), 1);
    assert_eq!(v.unwritten(0, 1 << 20).unwrap(), [(4096, 4608), (6144, 8192)]);
    // What was written durably stays written; the rest a crash may take back.
    world.restart();
    let v = world.env().disk.open(Path::new(FILE), OpenSpec::DATA).unwrap();
    let left = v.unwritten(5632, 1 << 20).unwrap();
    assert_eq!(left, [(6144, 8192)]);
}

//! The files that a restore makes, after a power loss on the simulated disk.

use crate::rig;

use rig::{Rig, spec};
use std::ops::ControlFlow;
use taffrail_io::AlignedBuf;
use taffrail_io::OpenSpec;
use taffrail_io::sim::SimWorld;
use taffrail_log::offline::{Found, OfflineLog};
use taffrail_log::verify::verify;
use taffrail_log::{
    FlushReason, Growth, Initialization, LOG_FILE_BYTES_MAX, Lcx, LogInstaller, LogOptions, Lop,
    RecordHeader, RestoredFile,
};

#[test]
fn files_without_a_block_keep_their_length() {
    const VLF: u64 = 256 << 10;
    for initialization in [Initialization::Ahead, Initialization::Zero] {
        for seed in 1..50 {
            let world = SimWorld::new(seed);
            let disk = world.env().disk;
            disk.create_dir("/data".as_ref()).unwrap();
            disk.sync_dir("/data".as_ref()).unwrap();
            let paths = ["/data/a.ldf", "/data/b.ldf"];
            let specs = paths.map(|path| RestoredFile {
                id: 0,
                path: path.into(),
                growth: Growth::None,
                max_size: LOG_FILE_BYTES_MAX,
                vlfs: vec![VLF; 4],
            });
            let options = LogOptions { initialization, ..LogOptions::default() };
            let env = world.env();
            let mut log = LogInstaller::create(&env, &specs, &options, 4096, [9; 16]).unwrap();
            log.finish().unwrap();
            drop(log);
            world.crash();
            world.restart();
            for path in paths {
                let volume = world.env().disk.open(path.as_ref(), OpenSpec::LOG).unwrap();
                assert_eq!(volume.len().unwrap(), 8192 + 4 * VLF, "{path}, seed {seed}");
            }
            LogInstaller::open_anew(&world.env(), &paths.map(Into::into)).unwrap();
        }
    }
}

/// What came before the first block that is restored is not in the files: they begin in the middle of a VLF, and are sound.
#[test]
fn a_log_that_begins_inside_a_vlf_is_sound_and_damage_at_its_beginning_is_found() {
    let mut rig = Rig::new(7, &[spec("/log.ldf", 1024, Growth::None)], LogOptions::default());
    for _ in 0..40 {
        assert!(rig.append(1000).unwrap());
        rig.flush().unwrap();
    }
    let from = *rig.model.keys().nth(9).unwrap();
    let stop = rig.log.durable();
    let source = rig.log.vlfs();
    let copy = SimWorld::new(5);
    let path = std::path::PathBuf::from("/copy.ldf");
    let file = RestoredFile {
        id: 0,
        path: path.clone(),
        growth: Growth::None,
        max_size: LOG_FILE_BYTES_MAX,
        vlfs: source.iter().map(|v| v.size).collect(),
    };
    let options = LogOptions::default();
    let mut made = LogInstaller::create(&copy.env(), &[file], &options, 4096, [8; 16]).unwrap();
    let mut blocks = rig.log.blocks(from, stop).unwrap();
    let mut count = 0;
    while let Some(b) = blocks.next().unwrap() {
        made.block(b.vlf, b.bytes).unwrap();
        count += 1;
    }
    drop(blocks);
    made.finish().unwrap();
    let anchor = made.anchor(from).unwrap();
    drop(made);
    let first = rig.log.lsn(from).unwrap();
    assert!(first.block.0 > 16, "{first}");
    let sound = || {
        let verdict = verify(&copy.env(), std::slice::from_ref(&path)).unwrap();
        assert!(verdict.is_clean(), "{:?}", verdict.findings);
        assert_eq!(verdict.range.unwrap().0, first);
        verdict.blocks
    };
    assert_eq!(sound(), count);
    let offline = OfflineLog::open(&copy.env(), std::slice::from_ref(&path)).unwrap();
    let begin = |v: Vec<taffrail_log::VlfInfo>| {
        v.into_iter().find(|v| v.seqno == first.vlf).unwrap().first_lsn
    };
    assert_eq!(begin(offline.vlfs()), first);
    let mut place = None;
    offline
        .walk_from(Some(first.vlf), &mut |found| {
            let Found::Block(b) = found else { return ControlFlow::Continue(()) };
            place = Some(b.offset);
            ControlFlow::Break(())
        })
        .unwrap();
    // The server says the same, goes on behind it, and leaves it sound.
    let open = |options| {
        taffrail_log::Log::open(&copy.env(), std::slice::from_ref(&path), options, &anchor)
    };
    let (log, _) = open(LogOptions::default()).unwrap();
    assert_eq!(begin(log.vlfs()), first);
    let header = RecordHeader::new(Lop::EndCkpt, Lcx::Null);
    log.append_system(&header, &[&[1; 100]]).unwrap();
    log.flush(FlushReason::Request).unwrap();
    drop(log);
    assert_eq!(sound(), count + 1);
    let volume = copy.env().disk.open(&path, OpenSpec::LOG).unwrap();
    let mut bytes = AlignedBuf::zeroed(4096);
    volume.read_at(place.unwrap(), &mut bytes).unwrap();
    for damage in [(0, 4096), (100, 101)] {
        let mut bad = AlignedBuf::from_slice(&bytes);
        bad[damage.0..damage.1].iter_mut().for_each(|b| *b ^= 0x5a);
        volume.write_at(place.unwrap(), &bad).unwrap();
        volume.sync().unwrap();
        let verdict = verify(&copy.env(), std::slice::from_ref(&path)).unwrap();
        assert!(verdict.findings.iter().any(|f| f.serious && Some(f.offset) == place));
    }
    bytes.fill(0);
    volume.write_at(place.unwrap(), &bytes).unwrap();
    assert!(!verify(&copy.env(), std::slice::from_ref(&path)).unwrap().is_clean());
}

//! The files that a restore makes, after a power loss on the simulated disk.

use taffrail_io::OpenSpec;
use taffrail_io::sim::SimWorld;
use taffrail_log::{
    Growth, Initialization, LOG_FILE_BYTES_MAX, LogInstaller, LogOptions, RestoredFile,
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

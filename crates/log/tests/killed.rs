//! A process that was killed leaves in the system's cache what no sync has covered: whoever opens the log acts on it, so it stays.

use crate::rig;

use rig::{Rig, spec, world};
use taffrail_log::{Growth, LogOptions};

#[test]
fn what_was_read_after_a_kill_survives_a_power_cut() {
    let mut left = 0;
    for seed in 0..30 {
        let options = LogOptions { always_plain: true, buffers: 40, ..LogOptions::default() };
        let specs = [spec("/a_log.ldf", 4096, Growth::None)];
        let mut rig: Rig = Rig::on(world(seed, seed % 2 == 0), &specs, options, 3);
        assert!(rig.append(100).unwrap());
        rig.flush().unwrap();
        let durable = rig.log.durable();
        // More than the writer waits for, and less than it syncs by itself.
        for _ in 0..12 {
            assert!(rig.append(50_000).unwrap());
        }
        rig.log.writer_tick();
        assert_eq!(rig.log.durable(), durable, "full blocks are written plainly, and synced later");
        // The process is killed; the machine goes on.
        rig.recover(|serial, _, bytes| bytes[..8] == serial.to_le_bytes()).unwrap();
        let found = rig.log.last_record();
        left += u64::from(found > durable);
        // What this start has redone and shown to others, and power fails.
        rig.hardened = found;
        rig.reopen().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        // Or somebody commits behind it first.
        assert!(rig.append(100).unwrap());
        rig.flush().unwrap();
        rig.reopen().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
    assert!(left > 20, "hardly anything was left in the cache: {left}");
}

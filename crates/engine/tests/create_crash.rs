//! CREATE DATABASE cut off at each of its steps: the next start has the database or nothing of it, and never takes what others have
//! put in the place of a file that was not made yet.

use crate::support;

use std::path::{Path, PathBuf};
use support::connect;
use support::sim::{start, world};
use taffrail_io::OpenSpec;
use taffrail_io::sim::{SimOptions, SimWorld};

const CREATE: &str = "CREATE DATABASE d ON (NAME = d, FILENAME = '/data/d.mdf', SIZE = 4MB)
    LOG ON (NAME = l, FILENAME = '/data/d.ldf', SIZE = 1MB), (NAME = m, FILENAME = '/data/m.ldf', SIZE = 1MB)";
const FILES: [&str; 3] = ["/data/d.mdf", "/data/d.ldf", "/data/m.ldf"];

fn there(world: &SimWorld) -> Vec<PathBuf> {
    let disk = world.env().disk;
    FILES.iter().map(PathBuf::from).filter(|f| disk.exists(f).unwrap()).collect()
}

/// Puts something of somebody's into each place that is free, as zeros: what a loss of power leaves of a new file looks so too.
fn put(world: &SimWorld, places: &[&Path]) {
    let disk = world.env().disk;
    for place in places {
        let volume = disk.create(place, OpenSpec::PLAIN).unwrap();
        volume.write_at(0, &[0; 10_000]).unwrap();
        volume.sync().unwrap();
    }
    disk.sync_dir("/data".as_ref()).unwrap();
}

#[test]
fn create_database_cut_off_at_each_step_leaves_all_or_nothing() {
    let (mut whole, mut none, mut half, mut kept) = (0, 0, 0, 0);
    let mut step = 0;
    loop {
        step += 1;
        let world = world(step, SimOptions::default());
        let instance = start(&world).expect("a first start");
        let mut c = connect(&instance);
        world.crash_at(step);
        let made = c.try_run(CREATE).is_ok();
        if world.is_powered() {
            assert!(made && step > 40, "{step} steps");
            drop(c);
            // Power may fail here.
            let _ = instance.shutdown();
            break;
        }
        drop(c);
        let _ = instance.shutdown();
        world.restart();
        let left = there(&world);
        half += u32::from(!left.is_empty());
        // Somebody has a use for the names that are free.
        let free: Vec<&Path> =
            FILES.iter().map(Path::new).filter(|f| !left.iter().any(|l| l == f)).collect();
        if left.is_empty() || step % 2 == 0 {
            put(&world, &free);
        }
        let others = there(&world).len() - left.len();
        kept += others;
        let instance = start(&world).expect("a start after the crash");
        let mut c = connect(&instance);
        let known = c.rows("SELECT state_desc FROM sys.databases WHERE name = 'd'");
        if known.is_empty() {
            assert!(!made, "step {step}: an acknowledged database is gone");
            none += 1;
            let now = there(&world);
            assert_eq!(now.len(), others, "step {step}: {left:?} were left, {now:?} are there");
            for file in now {
                world.env().disk.remove(&file).unwrap();
            }
            c.ok(CREATE);
        } else {
            assert_eq!((known.as_str(), others), ("ONLINE", 0), "step {step}");
            whole += 1;
        }
        c.ok("USE d; CREATE TABLE t (a int); INSERT t VALUES (1)");
        drop(c);
        instance.shutdown().expect("an orderly end");
    }
    println!(
        "{step} steps: {none} without the database ({half} with files of it), {whole} with it; {kept} files of others"
    );
    assert!(none > 10 && half > 10 && kept > 3, "{none} {half} {kept}");
}

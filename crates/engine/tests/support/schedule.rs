//! What tests of scheduled backups have in common: a clock that they move, and what has been run.

use super::sim::{start, world};
use super::{Client, connect};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use taffrail_engine::Instance;
use taffrail_engine::metrics::{Figure, Sample, families};
use taffrail_io::sim::{SimOptions, SimWorld};

/// Lets minutes go by, and looks what is due.
pub fn after(world: &SimWorld, instance: &Arc<Instance>, minutes: u64) {
    world.clock().advance(Duration::from_secs(minutes * 60));
    taffrail_engine::run_due_backups(instance).expect("the schedule is readable");
}

/// The runs that are there: type, and the error if it failed.
pub const RUNS: &str =
    "SELECT type + ISNULL(CONVERT(varchar(10), error_number), '') FROM msdb.taffrail.backup_run
    WHERE database_name = 'd' ORDER BY run_id";

pub fn runs(c: &mut Client) -> String {
    c.rows(RUNS).replace('\n', "")
}

pub fn files(world: &SimWorld) -> usize {
    world.env().disk.list(Path::new("/data/backup")).map_or(0, |l| l.len())
}

/// A figure of /metrics, of the backups of this type if one is named.
pub fn figure(instance: &Instance, name: &str, kind: &str) -> Option<f64> {
    let families = families(instance);
    let family = families.iter().find(|f| f.name == name)?;
    let is = |s: &&Sample| kind.is_empty() || s.labels.iter().any(|l| l.1 == kind);
    match family.samples.iter().find(is)?.figure {
        Figure::Value(value) => Some(value),
        _ => None,
    }
}

/// A database in FULL with a full and a log backup of its schedule, the second one just taken.
pub fn with_a_chain(seed: u64, schedule: &str) -> (SimWorld, Arc<Instance>, Client) {
    let world = world(seed, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d; ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE d.dbo.t (a int)");
    c.ok(&format!("EXEC msdb.taffrail.set_backup_schedule 'd', @full_minutes = 10000, {schedule}"));
    after(&world, &instance, 0);
    c.ok("INSERT d.dbo.t VALUES (1)");
    after(&world, &instance, 15);
    assert_eq!(runs(&mut c), "DL");
    (world, instance, c)
}

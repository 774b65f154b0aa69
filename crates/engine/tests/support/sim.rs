//! Instances on the simulated disk.

use std::sync::Arc;
use taffrail_engine::{Instance, InstanceOptions, StartError};
use taffrail_io::sim::{SimOptions, SimWorld};

/// A world with a directory for an instance.
pub fn world(seed: u64, options: SimOptions) -> SimWorld {
    let world = SimWorld::with_options(seed, options);
    world.env().disk.create_dir("/data".as_ref()).expect("a directory");
    world
}

/// Starts the instance of a world. An error: power has failed, or the disk is full.
pub fn start(world: &SimWorld) -> Result<Arc<Instance>, StartError> {
    let mut options = InstanceOptions::new("/data", world.env());
    options.max_server_memory_mb = 16;
    Instance::start(options)
}

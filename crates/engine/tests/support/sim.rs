//! Instances on the simulated disk.

use std::sync::{Arc, Mutex};
use taffrail_engine::{Instance, InstanceOptions, StartError};
use taffrail_io::Env;
use taffrail_io::sim::{HookedDisk, SimOptions, SimWorld};

/// A world with a directory for an instance.
pub fn world(seed: u64, options: SimOptions) -> SimWorld {
    let world = SimWorld::with_options(seed, options);
    world.env().disk.create_dir("/data".as_ref()).expect("a directory");
    world
}

/// Starts the instance of a world. An error: power has failed, or the disk is full.
pub fn start(world: &SimWorld) -> Result<Arc<Instance>, StartError> {
    start_in(world.env())
}

/// Power fails under an instance at rest, which is let go, and another one starts.
pub fn crash_and_start(world: &SimWorld, instance: Arc<Instance>) -> Arc<Instance> {
    world.crash();
    // A shutdown without power fails: only its threads have to end.
    let _ = instance.shutdown();
    world.restart();
    start(world).expect("a start after the crash")
}

/// What is done once, behind a write to a file with this end of its name.
pub type Once = Arc<Mutex<Option<(&'static str, Box<dyn FnOnce() + Send>)>>>;

/// The same, with something to be done at a write.
#[allow(dead_code)]
pub fn start_with_hook(world: &SimWorld) -> (Arc<Instance>, Once) {
    let (mut env, once) = (world.env(), Once::default());
    let own = once.clone();
    env.disk = Arc::new(HookedDisk::new(env.disk.clone(), move |path, result| {
        let name = path.to_string_lossy();
        let due = own.lock().unwrap().take_if(|(end, _)| name.ends_with(*end));
        if let Some((_, what)) = due {
            what();
        }
        result
    }));
    (start_in(env).expect("a start"), once)
}

fn start_in(env: Env) -> Result<Arc<Instance>, StartError> {
    let mut options = InstanceOptions::new("/data", env);
    options.max_server_memory_mb = 16;
    taffrail_engine::start(options)
}

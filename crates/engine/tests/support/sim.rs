//! Instances on the simulated disk.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
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

/// A device on which reads of one file, beyond its first megabyte, stop after some, until somebody lets them go on.
#[allow(dead_code)]
#[derive(Default)]
pub struct Gate {
    /// The end of the file's name, and how many reads of it still pass; none: all of them.
    state: Mutex<Option<(String, u32)>>,
    opened: Condvar,
    /// Somebody has been stopped.
    stopped: AtomicBool,
}

#[allow(dead_code)]
impl Gate {
    /// Stops reads of this file after so many.
    pub fn close(&self, file: &str, pass: u32) {
        *self.state.lock().unwrap() = Some((file.into(), pass));
        self.stopped.store(false, Ordering::SeqCst);
    }

    /// Lets all reads pass.
    pub fn open(&self) {
        *self.state.lock().unwrap() = None;
        self.opened.notify_all();
    }

    /// Waits until a read has been stopped.
    pub fn wait(&self) {
        while !self.stopped.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn pass(&self, path: &Path, offset: u64) {
        let mut state = self.state.lock().unwrap();
        loop {
            match &mut *state {
                Some((file, left)) if offset >= 1 << 20 && path.ends_with(&*file) => {
                    if *left > 0 {
                        *left -= 1;
                        return;
                    }
                }
                _ => return,
            }
            self.stopped.store(true, Ordering::SeqCst);
            state = self.opened.wait(state).unwrap();
        }
    }
}

/// Starts the instance of a world behind a gate; no longer than a moment does it wait for the recovery of databases.
#[allow(dead_code)]
pub fn start_behind(world: &SimWorld, gate: &Arc<Gate>) -> Arc<Instance> {
    let (mut env, gate) = (world.env(), gate.clone());
    let disk = HookedDisk::new(env.disk.clone(), |_, result| result);
    env.disk = Arc::new(disk.with_reads(move |path, offset| gate.pass(path, offset)));
    let mut options = options(env);
    options.recovery_wait = Some(Duration::from_millis(20));
    taffrail_engine::start(options).expect("a start")
}

fn start_in(env: Env) -> Result<Arc<Instance>, StartError> {
    taffrail_engine::start(options(env))
}

fn options(env: Env) -> InstanceOptions {
    let mut options = InstanceOptions::new("/data", env);
    options.max_server_memory_mb = 16;
    options
}

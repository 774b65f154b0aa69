//! The rate of the device by itself: the yardstick beside every figure.
//!
//! Durable 4 KiB writes into a file whose extents have been written before, `O_DIRECT|O_DSYNC` where the file system
//! takes it: the best method known for one log block. Depth 1 is a lone committer's limit, depth 4 that of
//! overlapping flushes.

use rustix::fs::{self, Mode, OFlags};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

const BLOCK: usize = 4096;
const FILE_BYTES: u64 = 64 << 20;

/// Durable 4 KiB writes a second, and how long one takes at depth 1.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// Writes one after another.
    pub depth1_per_s: f64,
    /// Four threads at once.
    pub depth4_per_s: f64,
    /// Median of a single write, microseconds.
    pub p50_us: f64,
    /// 99th percentile of a single write, microseconds.
    pub p99_us: f64,
}

/// A file to measure with, prepared once.
pub struct Probe {
    path: std::path::PathBuf,
    direct: bool,
}

impl Probe {
    /// Prepares a written-once file in `folder`, which should lie on the same device as the server's data.
    pub fn new(folder: &Path) -> io::Result<Probe> {
        let path = folder.join("device-probe");
        let direct = open(&path, true).is_ok();
        let mut probe = Probe { path, direct };
        if !direct {
            eprintln!(
                "note: {} does not take O_DIRECT; buffered synced writes are measured",
                folder.display()
            );
            probe.direct = false;
        }
        let fd = open(&probe.path, probe.direct)?;
        let (buffer, at) = aligned(1 << 20);
        for offset in (0..FILE_BYTES).step_by(1 << 20) {
            write_all(&fd, &buffer[at..at + (1 << 20)], offset)?;
        }
        Ok(probe)
    }

    /// Measures for about half a second.
    pub fn measure(&self) -> io::Result<Device> {
        let mut single = self.writes(0, 1, Duration::from_millis(300))?;
        let depth4_per_s = self.durable_per_s(4, Duration::from_millis(300))?;
        single.sort_unstable();
        let total: Duration = single.iter().sum();
        let at = |q: f64| single[((single.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e6;
        Ok(Device {
            depth1_per_s: single.len() as f64 / total.as_secs_f64(),
            depth4_per_s,
            p50_us: at(0.5),
            p99_us: at(0.99),
        })
    }

    /// Durable writes a second of so many threads at once, for so long.
    pub fn durable_per_s(&self, threads: u64, time: Duration) -> io::Result<f64> {
        let began = Instant::now();
        let writes: usize = std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..threads).map(|n| scope.spawn(move || self.writes(n, threads, time))).collect();
            workers
                .into_iter()
                .map(|w| Ok(w.join().map_err(|_| io::Error::other("probe panicked"))??.len()))
                .sum::<io::Result<usize>>()
        })?;
        Ok(writes as f64 / began.elapsed().as_secs_f64())
    }

    /// Seconds that a durable write takes on average, one after another for so long; in seconds.
    pub fn single(&self, time: Duration) -> io::Result<f64> {
        let took = self.writes(0, 1, time)?;
        Ok(took.iter().sum::<Duration>().as_secs_f64() / took.len().max(1) as f64)
    }

    fn writes(&self, lane: u64, lanes: u64, time: Duration) -> io::Result<Vec<Duration>> {
        let fd = open(&self.path, self.direct)?;
        let (buffer, at) = aligned(BLOCK);
        let blocks = FILE_BYTES / BLOCK as u64 / lanes;
        let mut took = Vec::new();
        let began = Instant::now();
        let mut n = 0;
        while began.elapsed() < time {
            let write = Instant::now();
            let offset = (lane * blocks + n % blocks) * BLOCK as u64;
            write_all(&fd, &buffer[at..at + BLOCK], offset)?;
            took.push(write.elapsed());
            n += 1;
        }
        Ok(took)
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Opens a file for durable writes (`O_DSYNC`), past the page cache where `direct`; makes it where it is not there.
pub fn open(path: &Path, direct: bool) -> io::Result<OwnedFd> {
    let mut flags = OFlags::RDWR | OFlags::CREATE | OFlags::DSYNC | OFlags::CLOEXEC;
    if direct {
        flags |= OFlags::DIRECT;
    }
    Ok(fs::open(path, flags, Mode::from_raw_mode(0o600))?)
}

/// A buffer with `bytes` aligned ones from the returned offset.
pub fn aligned(bytes: usize) -> (Vec<u8>, usize) {
    let buffer = vec![0x5a; bytes + BLOCK];
    let at = buffer.as_ptr().align_offset(BLOCK);
    (buffer, at)
}

/// One write of all bytes at an offset; a short one is an error.
pub fn write_all(fd: &OwnedFd, bytes: &[u8], offset: u64) -> io::Result<()> {
    match rustix::io::pwrite(fd, bytes, offset)? {
        n if n == bytes.len() => Ok(()),
        n => Err(io::Error::other(format!("short write: {n} of {}", bytes.len()))),
    }
}

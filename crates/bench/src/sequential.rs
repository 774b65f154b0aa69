//! Large transfers one after another by the device itself: the yardstick of work that moves megabytes.

use rustix::fs::{self, Advice, Mode, OFlags};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_lab::device::{aligned, open, write_all};

/// Bytes of a read.
const READ: usize = 1 << 20;

/// Megabytes (10^6) a second.
pub(super) fn mb_per_s(bytes: u64, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

/// Reads the beginning of a file past the page cache, 1 MiB after another; MB/s.
pub(super) fn read(path: &Path, bytes: u64) -> io::Result<f64> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let fd: OwnedFd = fs::open(path, flags | OFlags::DIRECT, Mode::empty())
        .or_else(|_| fs::open(path, flags, Mode::empty()))?;
    let (mut buffer, at) = aligned(READ);
    let began = Instant::now();
    let mut offset = 0;
    while offset < bytes {
        match rustix::io::pread(&fd, &mut buffer[at..at + READ], offset)? {
            0 => break,
            n => offset += n as u64,
        }
    }
    Ok(mb_per_s(offset, began.elapsed()))
}

/// Writes of `size` bytes, each durable before its thread's next, over a file that has been written before, from so many
/// threads, for so long; MB/s.
pub(super) fn write_durably(
    path: &Path,
    size: usize,
    threads: u64,
    time: Duration,
) -> io::Result<f64> {
    let length = std::fs::metadata(path)?.len();
    let part = length / threads / size as u64 * size as u64;
    let began = Instant::now();
    let written: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|n| {
                scope.spawn(move || -> io::Result<u64> {
                    let fd = open(path, true).or_else(|_| open(path, false))?;
                    let (buffer, at) = aligned(size);
                    let mut done = 0;
                    while began.elapsed() < time {
                        write_all(&fd, &buffer[at..at + size], n * part + done % part)?;
                        done += size as u64;
                    }
                    Ok(done)
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|w| w.join().map_err(|_| io::Error::other("a writer panicked"))?)
            .sum::<io::Result<u64>>()
    })?;
    Ok(mb_per_s(written, began.elapsed()))
}

/// Writes a file of this many bytes, durably.
pub(super) fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let fd = open(path, true).or_else(|_| open(path, false))?;
    let (buffer, at) = aligned(1 << 20);
    for offset in (0..bytes).step_by(1 << 20) {
        write_all(&fd, &buffer[at..at + (1 << 20)], offset)?;
    }
    Ok(())
}

/// Copies a file as `cp` does and makes the copy durable. `cold`: nothing of the source is in the page cache before.
pub(super) fn copy(from: &Path, to: &Path, cold: bool) -> io::Result<Duration> {
    if cold {
        let file = File::open(from)?;
        file.sync_all()?;
        fs::fadvise(&file, 0, None, Advice::DontNeed)?;
    }
    let began = Instant::now();
    std::fs::copy(from, to)?;
    File::open(to)?.sync_all()?;
    let took = began.elapsed();
    std::fs::remove_file(to)?;
    Ok(took)
}

/// How much of the work that moves megabytes.
#[derive(Clone, Copy, Debug)]
pub struct Amounts {
    /// Log to be read, MB.
    pub log_mb: u64,
    /// The database to be backed up, MB.
    pub database_mb: u64,
    /// Rows of the one long INSERT, MB.
    pub insert_mb: u64,
    /// Rounds of each; the median is reported.
    pub rounds: usize,
}

impl Amounts {
    /// Amounts for a glimpse.
    pub const QUICK: Amounts = Amounts { log_mb: 200, database_mb: 256, insert_mb: 256, rounds: 1 };
    /// Amounts that the quoted figures are measured with.
    pub const FULL: Amounts =
        Amounts { log_mb: 1_000, database_mb: 2_000, insert_mb: 1_000, rounds: 3 };
}

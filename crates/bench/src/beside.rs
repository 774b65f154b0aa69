//! Small durable writes beside a copy at part of its speed, without any server: the floor of a backup beside
//! clients that commit.
//!
//! Four threads write durably, 4 KiB each, as a server's overlapping log flushes do. Beside them a thread copies a file
//! past the page cache, 128 KiB after another, no faster than it is told. Windows with and without the copy take turns, and a
//! window is compared with the mean of its neighbours.

use super::rows::median;
use super::sequential::mb_per_s;
use rustix::fs::{self, Mode, OFlags};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use taffrail_lab::device::{Probe, aligned, write_all};

const WRITERS: u64 = 4;
const PIECE: usize = 128 << 10;
const WINDOW: Duration = Duration::from_millis(1500);

/// Medians of all windows.
pub(super) struct Beside {
    /// Durable writes a second without a copy.
    pub without: f64,
    /// Loss beside the copy, per cent.
    pub loss: f64,
    /// The rate of the copy, MB/s.
    pub copied: f64,
}

/// Copies `from` to `to`, at most at `rate` MB/s, in every other of `2 * windows + 1` windows.
pub(super) fn copy_beside_writes(
    probe: &Probe,
    from: &Path,
    to: &Path,
    rate: f64,
    windows: usize,
) -> io::Result<Beside> {
    let still = || probe.durable_per_s(WRITERS, WINDOW);
    let (mut without, mut loss, mut copied) = (Vec::new(), Vec::new(), Vec::new());
    let mut last = still()?;
    for _ in 0..windows {
        let over = AtomicBool::new(false);
        let (rate, speed) = std::thread::scope(|scope| {
            let copy = scope.spawn(|| paced_copy(from, to, rate, &over));
            let writes = still();
            over.store(true, Ordering::Relaxed);
            let speed = copy.join().map_err(|_| io::Error::other("the copy panicked"))?;
            Ok::<_, io::Error>((writes?, speed?))
        })?;
        std::fs::remove_file(to)?;
        // What a removed file leaves to be discarded is not to disturb the next window.
        if let Some(folder) = to.parent() {
            fs::syncfs(std::fs::File::open(folder)?)?;
        }
        let next = still()?;
        let usual = (last + next) / 2.0;
        without.push(usual);
        loss.push((1.0 - rate / usual) * 100.0);
        copied.push(speed);
        last = next;
    }
    Ok(Beside { without: median(without), loss: median(loss), copied: median(copied) })
}

/// Copies until `over`, from the beginning again if the source is short; MB/s.
fn paced_copy(from: &Path, to: &Path, rate: f64, over: &AtomicBool) -> io::Result<f64> {
    let (source, target) = (open_past_cache(from, false)?, open_past_cache(to, true)?);
    let length = std::fs::metadata(from)?.len() / PIECE as u64 * PIECE as u64;
    let (mut buffer, at) = aligned(PIECE);
    let piece = Duration::from_secs_f64(PIECE as f64 / 1e6 / rate);
    let began = Instant::now();
    let mut done = 0;
    while !over.load(Ordering::Relaxed) {
        if rustix::io::pread(&source, &mut buffer[at..at + PIECE], done % length.max(1))? < PIECE {
            return Err(io::Error::other("the file to be copied is too short"));
        }
        write_all(&target, &buffer[at..at + PIECE], done)?;
        done += PIECE as u64;
        let due = piece.mul_f64(done as f64 / PIECE as f64);
        std::thread::sleep(due.saturating_sub(began.elapsed()));
    }
    Ok(mb_per_s(done, began.elapsed()))
}

fn open_past_cache(path: &Path, write: bool) -> io::Result<OwnedFd> {
    let flags = match write {
        true => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC,
        false => OFlags::RDONLY | OFlags::CLOEXEC,
    };
    let mode = Mode::from_raw_mode(0o600);
    Ok(fs::open(path, flags | OFlags::DIRECT, mode).or_else(|_| fs::open(path, flags, mode))?)
}

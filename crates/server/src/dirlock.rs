//! One server per data directory: an flock on `DIR/taffrail.lock`, whose text says who holds it.
//!
//! The kernel drops the lock with the process, so a crash leaves nothing to clean up; the text alone means nothing.

use crate::ground::why;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// A server that was killed holds its lock until the kernel has taken back its memory, which takes a while for a large
/// buffer pool: whoever is to restart it at once would find the directory in use.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(10);

/// Held as long as this lives.
pub(crate) struct DirLock {
    _file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub(crate) enum LockFailure {
    /// Another server has it; what it wrote about itself.
    Held(PathBuf, String),
    /// The file could not be used.
    Io(PathBuf, io::Error),
}

impl std::fmt::Display for LockFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LockFailure::Held(dir, holder) => {
                write!(
                    f,
                    "the data directory {} is in use by another server ({holder})",
                    dir.display()
                )
            }
            LockFailure::Io(path, e) => write!(f, "{}: {}", path.display(), why(e)),
        }
    }
}

/// The file of the lock.
pub(crate) fn lock_file(dir: &Path) -> PathBuf {
    dir.join("taffrail.lock")
}

impl DirLock {
    /// Creates the directory if it is missing (mode 0700) and locks it; a lock that somebody has is waited for.
    pub(crate) fn take(dir: &Path) -> Result<DirLock, LockFailure> {
        DirLock::take_within(dir, PATIENCE)
    }

    fn take_within(dir: &Path, patience: Duration) -> Result<DirLock, LockFailure> {
        use std::os::unix::fs::DirBuilderExt;
        let fail = |path: &Path| {
            let path = path.to_path_buf();
            move |e| LockFailure::Io(path, e)
        };
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
        made.map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => fail(dir)(io::Error::other("it is no directory")),
            _ => fail(dir)(e),
        })?;
        let path = lock_file(dir);
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(fail(&path))?;
        let until = Instant::now() + patience;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(PAUSE),
                Err(Errno::WOULDBLOCK) => {
                    let mut holder = String::new();
                    // The holder may be writing its name just now; the lock is what counts.
                    let _ = file.take(1000).read_to_string(&mut holder);
                    return Err(LockFailure::Held(dir.to_path_buf(), holder.trim().to_string()));
                }
                Err(e) => return Err(fail(&path)(e.into())),
            }
        }
        let mut write = || -> io::Result<()> {
            file.set_len(0)?;
            file.rewind()?;
            let host = rustix::system::uname();
            let host = host.nodename().to_string_lossy();
            let now = crate::clock::Stamp::now().rfc3339();
            writeln!(file, "process {} on {host}, started {now}", std::process::id())
        };
        write().map_err(fail(&path))?;
        Ok(DirLock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_no_directory() {
        let file = std::env::temp_dir().join(format!("taffrail-no-dir-{}", std::process::id()));
        fs::write(&file, "").unwrap();
        let said = DirLock::take(&file).err().unwrap().to_string();
        fs::remove_file(&file).unwrap();
        assert_eq!(said, format!("{}: it is no directory", file.display()));
    }

    #[test]
    fn the_second_learns_who_is_first() {
        let dir = std::env::temp_dir().join(format!("taffrail-lock-{}", std::process::id()));
        let first = DirLock::take(&dir).ok();
        assert!(first.is_some());
        match DirLock::take_within(&dir, Duration::ZERO) {
            Err(LockFailure::Held(_, holder)) => {
                assert!(holder.starts_with(&format!("process {} on ", std::process::id())));
            }
            _ => panic!("locked twice"),
        }
        drop(first);
        assert!(DirLock::take_within(&dir, Duration::ZERO).is_ok());
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn who_goes_away_is_waited_for() {
        let dir = std::env::temp_dir().join(format!("taffrail-lock-wait-{}", std::process::id()));
        let first = DirLock::take(&dir).ok();
        assert!(first.is_some());
        let (begun, begins) = std::sync::mpsc::channel();
        let second = std::thread::spawn({
            let dir = dir.clone();
            move || {
                begun.send(()).unwrap();
                DirLock::take_within(&dir, Duration::from_secs(60)).is_ok()
            }
        });
        begins.recv().unwrap();
        std::thread::sleep(3 * PAUSE);
        drop(first);
        assert!(second.join().unwrap());
        fs::remove_dir_all(&dir).unwrap();
    }
}

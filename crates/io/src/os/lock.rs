//! A file that is written directly belongs to one process: an exclusive `flock`, held for as long as it is open.
//!
//! Data files, log files and backup media are opened so. Two servers that were given the same file, by a copied data
//! directory say, would ruin it; the second is told that it is in use. Within a process a file may be opened as often as
//! one likes: all its open volumes share the lock, found by device and inode, and the kernel drops it with the last of
//! them or with the process.
//!
//! 1. Who opens for reading only asks for no lock and is stopped by none.
//! 2. No file that another process holds is removed.
//! 3. A file system that has no locks is used without.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, Stat, flock, openat, statat, unlinkat,
};
use rustix::io::Errno;

/// Device and inode.
type Identity = (u64, u64);

/// Descriptors that hold a lock.
static HELD: Mutex<Option<HashMap<Identity, Weak<File>>>> = Mutex::new(None);

fn held() -> MutexGuard<'static, Option<HashMap<Identity, Weak<File>>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn in_use() -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, "it is in use by another process")
}

/// How often a file in use is tried again, and how long after: a process that was killed gives up its locks one after the other while
/// the next one starts, and a volume of our own may be about to be closed.
const TRIES: u32 = 40;
const PAUSE: Duration = Duration::from_millis(5);

/// Locks an open file for this process. What comes back keeps the lock: the file itself, or the one that has it already.
pub(super) fn take(file: &Arc<File>) -> io::Result<Arc<File>> {
    for _ in 1..TRIES {
        match try_to_take(file) {
            Err(e) if e.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    try_to_take(file)
}

fn try_to_take(file: &Arc<File>) -> io::Result<Arc<File>> {
    let found = file.metadata()?;
    let identity = (found.dev(), found.ino());
    let mut held = held();
    let held = held.get_or_insert_default();
    if let Some(holder) = held.get(&identity).and_then(Weak::upgrade) {
        return Ok(holder);
    }
    lock(file)?;
    // Removed by whoever had it before: who writes here would write to nobody.
    if file.metadata()?.nlink() == 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    held.retain(|_, holder| holder.strong_count() > 0);
    held.insert(identity, Arc::downgrade(file));
    Ok(Arc::clone(file))
}

fn lock(file: &File) -> io::Result<()> {
    loop {
        return match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::INTR) => continue,
            Err(Errno::WOULDBLOCK) => Err(in_use()),
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NOLCK) => Ok(()),
            Err(e) => Err(e.into()),
        };
    }
}

/// Removes a file that no other process holds.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    // A pipe would wait for its other end, and a link is removed itself.
    let _probe = match path.symlink_metadata()?.is_file().then(|| File::open(path)) {
        Some(Ok(file)) => {
            let file = Arc::new(file);
            Some(take(&file)?)
        }
        // Who may not read it may still be allowed to remove it.
        Some(Err(_)) | None => None,
    };
    std::fs::remove_file(path)
}

/// The same for a name in an open directory.
pub(super) fn remove_at(dir: &OwnedFd, name: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let is_file = |f: &Stat| FileType::from_raw_mode(f.st_mode) == FileType::RegularFile;
    let found = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let _probe = match is_file(&found).then(|| openat(dir, name, flags, Mode::empty())) {
        Some(Ok(fd)) => {
            let file = Arc::new(File::from(fd));
            Some(take(&file)?)
        }
        Some(Err(_)) | None => None,
    };
    Ok(unlinkat(dir, name, AtFlags::empty())?)
}

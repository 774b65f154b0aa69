//! Why files are read and written. The thread that asks says so, for as long as it does one thing; whoever traces operations
//! ([`crate::counted`]) notes it with each.
//!
//! The innermost reason counts: a checkpoint says [`IoReason::Checkpoint`], and within it the write of the double-write region says
//! [`IoReason::DoubleWrite`].

use std::cell::Cell;

/// A reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum IoReason {
    /// Nobody has said why.
    #[default]
    Untold,
    /// Log blocks become durable.
    LogFlush,
    /// New space of the log is zeroed.
    LogInitialization,
    /// The log grows, or gets another file.
    LogGrowth,
    /// The log's header and its list of VLFs.
    LogDirectory,
    /// A file becomes smaller.
    Shrink,
    /// A checkpoint writes dirty pages.
    Checkpoint,
    /// Pages that have been dirty for long, between checkpoints, for TARGET_RECOVERY_TIME.
    BackgroundWriter,
    /// Dirty pages that are going to be victims.
    LazyWriter,
    /// A dirty page whose frame is needed at once.
    Eviction,
    /// Images of pages before they are written in place.
    DoubleWrite,
    /// The boot page.
    BootPage,
    /// Pages of a load that is minimally logged.
    BulkLoad,
    /// A data file grows.
    DataGrowth,
    /// A database or file is made.
    Creation,
    /// A restart recovers a database.
    Recovery,
    /// BACKUP.
    Backup,
    /// RESTORE.
    Restore,
    /// CREATE DATABASE … AS CLONE OF.
    Clone,
    /// Rows that do not fit the memory of a statement.
    Spill,
    /// A file of extended events.
    Events,
}

impl IoReason {
    const ALL: [(IoReason, &'static str); 21] = [
        (IoReason::Untold, ""),
        (IoReason::LogFlush, "LOG_FLUSH"),
        (IoReason::LogInitialization, "LOG_INITIALIZATION"),
        (IoReason::LogGrowth, "LOG_GROWTH"),
        (IoReason::LogDirectory, "LOG_DIRECTORY"),
        (IoReason::Shrink, "SHRINK"),
        (IoReason::Checkpoint, "CHECKPOINT"),
        (IoReason::BackgroundWriter, "BACKGROUND_WRITER"),
        (IoReason::LazyWriter, "LAZY_WRITER"),
        (IoReason::Eviction, "EVICTION"),
        (IoReason::DoubleWrite, "DOUBLE_WRITE"),
        (IoReason::BootPage, "BOOT_PAGE"),
        (IoReason::BulkLoad, "BULK_LOAD"),
        (IoReason::DataGrowth, "DATA_GROWTH"),
        (IoReason::Creation, "CREATION"),
        (IoReason::Recovery, "RECOVERY"),
        (IoReason::Backup, "BACKUP"),
        (IoReason::Restore, "RESTORE"),
        (IoReason::Clone, "CLONE"),
        (IoReason::Spill, "SPILL"),
        (IoReason::Events, "EVENTS"),
    ];

    /// As it is shown; none: nobody has said why.
    pub fn name(self) -> Option<&'static str> {
        Some(Self::ALL[self as usize].1).filter(|name| !name.is_empty())
    }

    /// The inverse of `self as u8`.
    pub fn from_number(n: u8) -> Option<IoReason> {
        Self::ALL.get(usize::from(n)).map(|r| r.0)
    }

    /// That of this thread now.
    pub fn current() -> IoReason {
        NOW.get()
    }

    /// This thread reads and writes for this reason until the guard goes.
    pub fn begin(self) -> Because {
        Because { before: NOW.replace(self), here: std::marker::PhantomData }
    }
}

thread_local! {
    static NOW: Cell<IoReason> = const { Cell::new(IoReason::Untold) };
}

/// See [`IoReason::begin`]. It stays on its thread.
#[must_use = "the reason ends with the guard"]
pub struct Because {
    before: IoReason,
    here: std::marker::PhantomData<*const ()>,
}

impl Drop for Because {
    fn drop(&mut self) {
        NOW.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_belong_together() {
        for (n, (reason, name)) in IoReason::ALL.into_iter().enumerate() {
            assert_eq!((reason as usize, IoReason::from_number(n as u8)), (n, Some(reason)));
            assert_eq!(reason.name().unwrap_or_default(), name);
        }
        assert_eq!(IoReason::from_number(IoReason::ALL.len() as u8), None);
    }

    #[test]
    fn the_innermost_reason_counts_and_ends() {
        assert_eq!(IoReason::current(), IoReason::Untold);
        let outer = IoReason::Checkpoint.begin();
        {
            let _inner = IoReason::DoubleWrite.begin();
            assert_eq!(IoReason::current(), IoReason::DoubleWrite);
            let other = std::thread::spawn(IoReason::current).join();
            assert_eq!(other.ok(), Some(IoReason::Untold), "a thread says its own");
        }
        assert_eq!(IoReason::current(), IoReason::Checkpoint);
        drop(outer);
        assert_eq!(IoReason::current(), IoReason::Untold);
    }
}

//! Backups, taken while others write, and restores from them.
//!
//! ```text
//!  Database::backup ─► take ─► pages, log blocks ─► writer ─► media (1 to 64 files, or NUL)
//!                       │  pace: gives way to others
//!  restore ◄─ reader ◄─ media      verify, read_sets, read_label look at it without a database
//!     └─► files, log (taffrail_log::LogInstaller), boot page ─► recovery::restored: redo, and undo if it is the last step
//! ```
//! | module   | holds |
//! |----------|-------|
//! | `spec`   | what is asked, what is told |
//! | `error`  | what can go wrong, with the numbers of the messages |
//! | `media`  | the bytes of a backup file |
//! | `header` | the header of a set as bytes |
//! | `writer` | sets onto media; `reader`: back from them, and verification |
//! | `pages`  | which pages belong to a set, and their bytes past the pool |
//! | `records`| the log records of a set, for `fn_dump_dblog` |
//! | `take`, `take_log` | full, differential and log backups |
//! | `lost`   | the log of a database that cannot be opened |
//! | `pace`   | how fast |
//! | `place`  | pages of a set to their places |
//! | `restore`| one set into a database; `restore_log`: a log set |
//! | `stop`   | where a restore of a log set is to end |
//! | `state`  | what the boot page keeps; `status`: what views show of it |
//!
//! LSNs, positions and VLF numbers of a restored database are those of the one that was backed up, so that log
//! backups of either can follow. From
//! RECOVERY on it is on a recovery fork of its own.

mod error;
mod header;
mod lost;
mod media;
mod pace;
mod pages;
mod place;
pub(crate) mod raw;
mod reader;
mod records;
mod restore;
mod restore_log;
mod spec;
mod state;
mod status;
mod stop;
mod take;
mod take_log;
mod writer;

pub use media::is_media;

pub use error::{BackupError, BackupResult};
pub use lost::{LostDatabase, backup_lost};
pub use reader::{damaged_page, read_label, read_set, read_sets, verify};
pub use records::SetRecords;
pub use restore::{recover, restore, restore_part, restore_until, restoring};
pub use spec::{
    BackupFile, BackupKind, BackupReport, BackupSpec, Device, Labels, MediaLabel, MediaMode,
    RestoreKind, RestoreSpec, Restored, Restoring, SetHeader, Stop, Watch,
};
pub use state::{BackupState, Base, RestoreState};
pub use status::RecoveryStatus;

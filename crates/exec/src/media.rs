//! Backup media as statements and functions name them: devices, and errors of storage as messages.

use crate::session::context::StatementContext;
use std::path::Path;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::OpenSpec;
use taffrail_storage::StorageError;
use taffrail_storage::backup::{self, BackupError, Device};

/// How much of a file shows what it is.
const FIRST_BYTES: usize = 4096;

/// What the operating system says of a database's file.
pub const IN_USE: &str =
    "32(The process cannot access the file because it is being used by another process.)";

/// Why a backup does not go to an object that is there.
const OBJECT_THERE: &str = "The file exists on the remote endpoint, and WITH FORMAT was not specified. Backup cannot proceed";

/// The devices of a statement: as storage takes them, and as they were written.
#[derive(Debug)]
pub struct Devices {
    /// The devices as storage takes them.
    pub list: Vec<Device>,
    /// The devices as they were written, in the order of `list`.
    pub names: Vec<String>,
    /// The logical names of those that were named so, in the order of `list`.
    pub logical: Vec<Option<String>>,
}

impl Devices {
    /// The first as it was written.
    pub fn first(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// The path of one, or the address of an object; none for NUL.
    pub fn path(&self, at: usize) -> Option<&Path> {
        self.list.get(at)?.path()
    }

    /// A path of ours as it was written.
    pub fn name_of(&self, path: &Path) -> String {
        let at = self.list.iter().position(|d| d.path() == Some(path));
        at.map_or_else(|| path.display().to_string(), |at| self.names[at].clone())
    }

    /// Before a backup writes, whatever FORMAT and INIT say: 3241 for a file that is neither empty nor backup media, so that no
    /// mistyped name costs anybody a file. (SQL Server formats over it.) What has only zeros where the label belongs is the
    /// beginning of a backup that was cut off. 3271 for an object that is there, unless `format` says that it goes: nobody adds to one.
    pub fn refuse_other_files(&self, cx: &StatementContext<'_>, format: bool) -> SqlResult<()> {
        let env = &cx.instance().options().env;
        for (device, name) in self.list.iter().zip(&self.names) {
            let fail = |e: taffrail_io::IoError| SqlError::new(3201, &[name, &e.system_error()]);
            let there = match device {
                Device::Nul => false,
                Device::Disk(path) => env.disk.exists(path).map_err(fail)?,
                Device::Object(object) => object.exists().map_err(fail)?,
            };
            let file = match device {
                Device::Disk(path) if there => {
                    env.disk.open(path, OpenSpec::PLAIN.read_only()).map_err(fail)?
                }
                Device::Object(_) if there && !format => {
                    return Err(SqlError::new(3271, &[name, &OBJECT_THERE]));
                }
                Device::Object(object) if there => object.open().map_err(fail)?,
                _ => continue,
            };
            let mut first = [0; FIRST_BYTES];
            let length = file.len().map_err(fail)?.min(FIRST_BYTES as u64) as usize;
            file.read_at(0, &mut first[..length]).map_err(fail)?;
            let first = &first[..length];
            if !backup::is_media(first) && first.iter().any(|b| *b != 0) {
                return Err(SqlError::new(3241, &[name]));
            }
        }
        Ok(())
    }

    /// The name by which `sp_addumpdevice` has made one known, if it was used.
    pub fn logical(&self, at: usize) -> Option<&str> {
        self.logical.get(at).and_then(Option::as_deref)
    }

    /// What msdb and the error log call it: the whole path.
    pub fn physical(&self, at: usize) -> String {
        self.path(at).map_or_else(|| "NUL".into(), |p| p.to_string_lossy().into_owned())
    }
}

/// What runs.
pub struct Statement<'a> {
    /// As messages name it.
    pub name: &'static str,
    /// The database.
    pub database: &'a str,
}

impl Statement<'_> {
    /// Whether it is a BACKUP.
    pub fn is_backup(&self) -> bool {
        self.name.starts_with("BACKUP")
    }
}

/// The message for what storage says.
pub fn say(e: BackupError, statement: &Statement<'_>, devices: &Devices) -> Box<SqlError> {
    let database = statement.database;
    match e {
        BackupError::Open(io) => {
            SqlError::new(3201, &[&devices.name_of(&io.path), &io.system_error()])
        }
        BackupError::Device { operation, source } => {
            let number = if operation == "read" { 3203 } else { 3202 };
            SqlError::new(number, &[&devices.name_of(&source.path), &source.system_error()])
        }
        BackupError::NotMedia(path) => SqlError::new(3241, &[&devices.name_of(&path)]),
        BackupError::Empty(path) => SqlError::new(3254, &[&devices.name_of(&path)]),
        BackupError::FamiliesMissing { families, given, missing } => {
            let mut e = SqlError::new(3132, &[&families, &given]);
            let list: Vec<String> = missing.iter().map(u16::to_string).collect();
            e.message = format!("{} (Missing: {}.)", e.message, list.join(", "));
            e
        }
        BackupError::NotOneMedia(path) => SqlError::new(3258, &[&devices.name_of(&path)]),
        BackupError::NoSuchSet { position, path } => {
            SqlError::new(4038, &[&position, &devices.name_of(&path)])
        }
        BackupError::Incomplete { path, .. } => SqlError::new(3256, &[&devices.name_of(&path)]),
        BackupError::TooNew { version, known } => SqlError::new(3169, &[&version, &known]),
        BackupError::Damaged { path, offset, why } => {
            let mut e = SqlError::new(3189, &[]);
            e.message = format!(
                "{} ({why}, at offset {offset} of '{}')",
                e.message,
                devices.name_of(&path)
            );
            e
        }
        BackupError::DamagedPage(StorageError::Corrupt(c)) if statement.is_backup() => {
            SqlError::new(3043, &[&database, &c.page.file, &c.page.page, &c.file])
        }
        BackupError::DamagedInSet(page) => {
            SqlError::new(3183, &[&page.file, &page.page, &database])
        }
        BackupError::DamagedPage(e) | BackupError::Storage(e) => e.to_sql(),
        BackupError::DamagedLog(_) => SqlError::new(26019, &[]),
        BackupError::SimpleModel => SqlError::new(4208, &[&statement.name]),
        BackupError::NoLogChain => SqlError::new(4214, &[]),
        BackupError::NoDifferentialBase => SqlError::new(3035, &[&database]),
        BackupError::Busy => SqlError::new(3023, &[]),
        BackupError::BulkUnavailable => SqlError::new(4216, &[]),
        BackupError::NotBackedUp => SqlError::new(3147, &[]),
        BackupError::FileExists(path) => SqlError::new(3142, &[&path.display(), &path.display()]),
        BackupError::NoSuchFile(name) => SqlError::new(3234, &[&name, &database]),
        BackupError::NotRestoring => SqlError::new(3117, &[]),
        BackupError::WrongKind => SqlError::new(3135, &[&devices.first(), &"another statement"]),
        BackupError::WrongBase => SqlError::new(3136, &[]),
        BackupError::LogTooRecent { first, needed } => {
            SqlError::new(4305, &[&first.to_numeric(), &needed.to_numeric()])
        }
        BackupError::LogTooEarly { last, needed } => {
            SqlError::new(4326, &[&last.to_numeric(), &needed.to_numeric()])
        }
        BackupError::WrongFork => SqlError::new(4330, &[]),
        BackupError::WrongDatabase => SqlError::new(3154, &[&database]),
        BackupError::NotConsistent { reached, needed } => {
            SqlError::new(4318, &[&database, &reached.to_numeric(), &needed.to_numeric()])
        }
        BackupError::StopTooEarly => SqlError::new(4335, &[]),
        BackupError::StopInBulk => SqlError::new(4341, &[]),
        BackupError::NoSuchLsn => SqlError::new(4334, &[]),
        BackupError::Stopped => {
            unsupported("Log of a database whose restore has stopped before that log's end")
        }
        // The client asked for it and hears of nothing else.
        BackupError::Cancelled => SqlError::new(3204, &[]),
    }
}

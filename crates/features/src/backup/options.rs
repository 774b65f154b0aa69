//! The options after WITH, as values.
//!
//! Every option is known to one table: which statements take it, and what kind of value. What no statement knows is message 155,
//! what this one does not take is 3032, two that exclude each other are 3031.

use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{HobtId, SqlError, SqlResult};
use taffrail_io::{UtcTime, zone};
use taffrail_storage::Part;
use taffrail_storage::backup::Stop;
use taffrail_syntax::ast::{self, OptionValue};
use taffrail_types::{Conversion, MaxLen, SqlType, Value, convert};

/// The statements, as bits of the table below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Statement {
    BackupDatabase = 1,
    BackupLog = 2,
    RestoreDatabase = 4,
    RestoreLog = 8,
    /// HEADERONLY, FILELISTONLY, LABELONLY.
    Look = 16,
    Verify = 32,
}

impl Statement {
    fn is_backup(self) -> bool {
        matches!(self, Statement::BackupDatabase | Statement::BackupLog)
    }
}

const BD: u8 = Statement::BackupDatabase as u8;
const BL: u8 = Statement::BackupLog as u8;
const RD: u8 = Statement::RestoreDatabase as u8;
const RL: u8 = Statement::RestoreLog as u8;
const LOOK: u8 = Statement::Look as u8;
const VERIFY: u8 = Statement::Verify as u8;
const BACKUP: u8 = BD | BL;
const RESTORE: u8 = RD | RL;
const READ: u8 = RESTORE | LOOK | VERIFY;
const ALL: u8 = BACKUP | READ;

/// Names, and the statements that take them.
const TABLE: &[(&str, u8)] = &[
    ("BACKUP_OPTIONS", BACKUP),
    ("BLOCKSIZE", BACKUP | RESTORE),
    ("BUFFERCOUNT", BACKUP | RESTORE),
    ("CHECKSUM", ALL),
    ("COMPRESSION", BACKUP),
    ("CONTINUE_AFTER_ERROR", BACKUP | RESTORE | VERIFY),
    ("COPY_ONLY", BACKUP),
    ("CREDENTIAL", ALL),
    ("DESCRIPTION", BACKUP),
    ("DIFFERENTIAL", BD),
    ("ENABLE_BROKER", RESTORE),
    ("ENCRYPTION", BACKUP),
    ("ERROR_BROKER_CONVERSATIONS", RESTORE),
    ("EXPIREDATE", BACKUP),
    ("FILE", READ),
    ("FILE_SNAPSHOT", BACKUP),
    ("FORMAT", BACKUP),
    ("HOBTS", RESTORE),
    ("INIT", BACKUP),
    ("KEEP_CDC", RESTORE),
    ("KEEP_REPLICATION", RESTORE),
    ("LOADHISTORY", VERIFY),
    ("MAXTRANSFERSIZE", BACKUP | RESTORE),
    ("MEDIADESCRIPTION", BACKUP),
    ("MEDIANAME", ALL),
    ("MEDIAPASSWORD", ALL),
    ("METADATA_ONLY", ALL),
    ("NAME", BACKUP),
    ("NEW_BROKER", RESTORE),
    ("NOFORMAT", BACKUP),
    ("NOINIT", BACKUP),
    ("NORECOVERY", BL | RESTORE),
    ("NOREWIND", ALL),
    ("NOSKIP", BACKUP),
    ("NOUNLOAD", ALL),
    ("NO_CHECKSUM", ALL),
    ("NO_COMPRESSION", BACKUP),
    ("NO_TRUNCATE", BL),
    ("PARTIAL", RD),
    ("PASSWORD", ALL),
    ("RECOVERY", RESTORE),
    ("REPLACE", RESTORE),
    ("RESTART", RESTORE),
    ("RESTORE_OPTIONS", READ),
    ("RESTRICTED_USER", RESTORE),
    ("RETAINDAYS", BACKUP),
    ("REWIND", ALL),
    ("SKIP", BACKUP),
    ("SNAPSHOT", BACKUP),
    ("STANDBY", BL | RESTORE),
    ("STATS", BACKUP | RESTORE | VERIFY),
    ("STOPAT", RESTORE),
    ("STOPATMARK", RESTORE),
    ("STOPBEFOREMARK", RESTORE),
    ("AFTER", RESTORE),
    ("STOP_ON_ERROR", BACKUP | RESTORE | VERIFY),
    ("UNLOAD", ALL),
];

/// Pairs that exclude each other.
const CONFLICTS: &[(&str, &str)] = &[
    ("INIT", "NOINIT"),
    ("FORMAT", "NOFORMAT"),
    ("FORMAT", "NOINIT"),
    ("FORMAT", "NOSKIP"),
    ("SKIP", "NOSKIP"),
    ("CHECKSUM", "NO_CHECKSUM"),
    ("COMPRESSION", "NO_COMPRESSION"),
    ("STOP_ON_ERROR", "CONTINUE_AFTER_ERROR"),
    ("RECOVERY", "NORECOVERY"),
    ("RECOVERY", "STANDBY"),
    ("NORECOVERY", "STANDBY"),
    ("EXPIREDATE", "RETAINDAYS"),
    ("STOPAT", "STOPATMARK"),
    ("STOPAT", "STOPBEFOREMARK"),
    ("STOPATMARK", "STOPBEFOREMARK"),
];

/// `STATS` without a number.
const DEFAULT_STATS: u64 = 10;

/// What was said.
#[derive(Default, Debug)]
pub(super) struct Options {
    pub differential: bool,
    pub copy_only: bool,
    /// INIT or FORMAT: what is on the media goes.
    pub overwrite: bool,
    /// FORMAT: a new media set.
    pub format: bool,
    /// SKIP: expiry is not looked at.
    pub skip: bool,
    pub name: Option<String>,
    pub description: Option<String>,
    pub media_name: Option<String>,
    pub media_description: Option<String>,
    /// EXPIREDATE: datetime.
    pub expires: Option<Value>,
    pub retain_days: Option<u32>,
    /// None: nothing was said.
    pub checksum: Option<bool>,
    pub continue_after_error: bool,
    pub compression: Option<bool>,
    /// Percent between two messages of progress.
    pub stats: Option<u64>,
    pub block_size: Option<u32>,
    /// MAXTRANSFERSIZE: bytes, a multiple of 64 KiB.
    pub max_transfer: Option<u32>,
    /// CREDENTIAL: the name of the one that an object store is asked with.
    pub credential: Option<String>,
    /// The JSON of BACKUP_OPTIONS or RESTORE_OPTIONS.
    pub remote: Option<String>,
    pub norecovery: bool,
    pub no_truncate: bool,
    pub replace: bool,
    pub restricted_user: bool,
    /// FILE: the set's position.
    pub file: Option<u32>,
    /// STOPAT, STOPATMARK, STOPBEFOREMARK.
    pub stop: Option<Stop>,
    /// HOBTS: the heaps and trees whose pages are restored, beside the catalogue's.
    pub part: Option<Arc<Part>>,
}

/// Reads the options of a statement.
pub(super) fn read(statement: Statement, list: &[ast::NamedOption]) -> SqlResult<Options> {
    let kind = if statement.is_backup() { "BACKUP" } else { "RESTORE" };
    let mut seen: Vec<String> = Vec::new();
    let mut o = Options::default();
    for option in list {
        let name = option.name.value.to_ascii_uppercase();
        let Some((_, takes)) = TABLE.iter().find(|(n, _)| *n == name) else {
            return Err(SqlError::new(155, &[&option.name.value, &kind]));
        };
        if takes & statement as u8 == 0 {
            return Err(SqlError::new(3032, &[&name.to_ascii_lowercase()]));
        }
        for (a, b) in CONFLICTS {
            for (mine, other) in [(a, b), (b, a)] {
                if name == **mine && seen.iter().any(|s| s == other) {
                    let (name, other) = (name.to_ascii_lowercase(), other.to_ascii_lowercase());
                    return Err(SqlError::new(3031, &[&name, &other]));
                }
            }
        }
        set(&mut o, &name, option)?;
        seen.push(name);
    }
    if o.differential && o.copy_only {
        // COPY_ONLY says nothing about a differential backup, which never is a base.
        o.copy_only = false;
    }
    Ok(o)
}

fn set(o: &mut Options, name: &str, option: &ast::NamedOption) -> SqlResult<()> {
    let text = |max: usize| text_of(option, max).map(Some);
    match name {
        "DIFFERENTIAL" => o.differential = true,
        "COPY_ONLY" => o.copy_only = true,
        "INIT" => o.overwrite = true,
        "FORMAT" => (o.overwrite, o.format, o.skip) = (true, true, true),
        "SKIP" => o.skip = true,
        "NAME" => o.name = text(128)?,
        "DESCRIPTION" => o.description = text(255)?,
        "MEDIANAME" => o.media_name = text(128)?,
        "MEDIADESCRIPTION" => o.media_description = text(255)?,
        "EXPIREDATE" => o.expires = Some(date_of(option)?),
        "RETAINDAYS" => o.retain_days = Some(number_of(option)?),
        "CHECKSUM" => o.checksum = Some(true),
        "NO_CHECKSUM" => o.checksum = Some(false),
        "CONTINUE_AFTER_ERROR" => o.continue_after_error = true,
        "COMPRESSION" => o.compression = Some(true),
        "NO_COMPRESSION" => o.compression = Some(false),
        "STATS" => {
            let every = match &option.value {
                Some(_) => number_of(option)? as u64,
                None => DEFAULT_STATS,
            };
            o.stats = Some(every.clamp(1, 100));
        }
        "BLOCKSIZE" => {
            let n = number_of(option)?;
            if !(512..=65_536).contains(&n) || !n.is_power_of_two() {
                return Err(SqlError::new(3250, &[&n, &"BLOCKSIZE"]));
            }
            o.block_size = Some(n);
        }
        "BUFFERCOUNT" if number_of(option)? == 0 => {
            return Err(SqlError::new(3250, &[&0, &"BUFFERCOUNT"]));
        }
        "MAXTRANSFERSIZE" => {
            let n = number_of(option)?;
            // How much it may be, the device decides.
            if n == 0 || n % 65_536 != 0 {
                return Err(SqlError::new(3250, &[&n, &"MAXTRANSFERSIZE"]));
            }
            o.max_transfer = Some(n);
        }
        "NORECOVERY" => o.norecovery = true,
        "NO_TRUNCATE" => (o.no_truncate, o.continue_after_error) = (true, true),
        "REPLACE" => o.replace = true,
        "RESTRICTED_USER" => o.restricted_user = true,
        "CREDENTIAL" => o.credential = text(128)?,
        "BACKUP_OPTIONS" | "RESTORE_OPTIONS" => o.remote = text(4000)?,
        "FILE" => o.file = Some(number_of(option)?),
        "STOPAT" => o.stop = Some(Stop::At(moment_of(option)?)),
        "STOPATMARK" => o.stop = Some(mark_of(option, false)?),
        "STOPBEFOREMARK" => o.stop = Some(mark_of(option, true)?),
        "HOBTS" => o.part = Some(Arc::new(part_of(option)?)),
        "AFTER" => match &mut o.stop {
            Some(Stop::Mark { after: after @ None, .. }) => *after = Some(moment_of(option)?),
            _ => return Err(invalid(option)),
        },
        "STANDBY"
        | "ENCRYPTION"
        | "PARTIAL"
        | "PASSWORD"
        | "MEDIAPASSWORD"
        | "KEEP_REPLICATION"
        | "KEEP_CDC"
        | "METADATA_ONLY"
        | "FILE_SNAPSHOT"
        | "SNAPSHOT"
        | "NEW_BROKER"
        | "ENABLE_BROKER"
        | "ERROR_BROKER_CONVERSATIONS" => {
            return Err(unsupported(format!("The option {name} of BACKUP and RESTORE")));
        }
        // Tapes are not wound, blocks are not set, and what is the default is the default.
        _ => {}
    }
    Ok(())
}

fn invalid(option: &ast::NamedOption) -> Box<SqlError> {
    SqlError::new(3217, &[&option.name.value.to_ascii_lowercase()])
}

fn text_of(option: &ast::NamedOption, max: usize) -> SqlResult<String> {
    match &option.value {
        Some(OptionValue::Text(t)) if t.encode_utf16().count() <= max => Ok(t.to_string()),
        _ => Err(invalid(option)),
    }
}

fn number_of(option: &ast::NamedOption) -> SqlResult<u32> {
    let text = match &option.value {
        Some(OptionValue::Number(n) | OptionValue::Text(n)) => n,
        _ => return Err(invalid(option)),
    };
    text.trim().parse().map_err(|_| invalid(option))
}

/// Numbers of heaps and trees, with commas between them; none: the catalogue alone.
fn part_of(option: &ast::NamedOption) -> SqlResult<Part> {
    let Some(OptionValue::Text(text)) = &option.value else { return Err(invalid(option)) };
    let numbers = text.split(',').map(str::trim).filter(|n| !n.is_empty());
    let hobts: Result<Vec<_>, _> = numbers.map(|n| n.parse().map(HobtId)).collect();
    hobts.map(Part::new).map_err(|_| invalid(option))
}

fn date_of(option: &ast::NamedOption) -> SqlResult<Value> {
    let text = text_of(option, 64)?;
    let from = SqlType::NVarChar(MaxLen::N(64));
    let to = SqlType::DateTime;
    convert::cast(&Value::nvarchar(&text), from, to, None, Conversion::Implicit)
        .map_err(|_| invalid(option))
}

/// A moment in the server's time zone, as exactly as it is written.
fn moment_of(option: &ast::NamedOption) -> SqlResult<UtcTime> {
    const DAY: u64 = 86_400 * UtcTime::PER_SECOND;
    let text = text_of(option, 64)?;
    let cast = |value: &Value, from, to| {
        convert::cast(value, from, to, None, Conversion::Implicit).map_err(|_| invalid(option))
    };
    let (text, from) = (Value::nvarchar(&text), SqlType::NVarChar(MaxLen::N(64)));
    let exact = SqlType::DateTime2(7);
    // Some ways to write it only datetime knows.
    let at = cast(&text, from, exact).or_else(|_| {
        let at = cast(&text, from, SqlType::DateTime)?;
        cast(&at, SqlType::DateTime, exact)
    })?;
    let Value::DateTime2 { days, ticks } = at else { return Err(invalid(option)) };
    Ok(zone::from_local(u64::from(days) * DAY + ticks))
}

/// A mark's name, or `lsn:` and an LSN as msdb shows it (digits) or fn_dblog (`0x` and three parts).
fn mark_of(option: &ast::NamedOption, before: bool) -> SqlResult<Stop> {
    let name = text_of(option, 128)?;
    let number = name.get(..4).filter(|n| n.eq_ignore_ascii_case("lsn:")).map(|_| &name[4..]);
    match number {
        None if name.is_empty() => Err(invalid(option)),
        None => Ok(Stop::Mark { name, after: None, before }),
        Some(number) => match super::lost::lsn_of(number.trim()) {
            Some(lsn) => Ok(Stop::Lsn { lsn, before }),
            None => Err(SqlError::new(4334, &[])),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(statement: Statement, with: &str) -> Result<Options, i32> {
        let text = format!("BACKUP DATABASE d TO DISK = 'x' WITH {with}");
        let batch = taffrail_syntax::parse_batch(&text, Default::default()).expect("it parses");
        let ast::StatementKind::Backup(b) = &batch.statements[0].kind else {
            panic!("a backup");
        };
        read(statement, &b.options).map_err(|e| e.number)
    }

    #[test]
    fn what_was_said_is_read() {
        let o = options(
            Statement::BackupDatabase,
            "INIT, NAME = N'n', STATS, CHECKSUM, RETAINDAYS = 3, EXPIREDATE = '20300101'",
        );
        assert_eq!(o.err(), Some(3031), "two ways to say when it expires");
        let with = "FORMAT, NAME = N'n', STATS, CHECKSUM, RETAINDAYS = 3, BLOCKSIZE = 4096";
        let o = options(Statement::BackupDatabase, with).unwrap();
        assert!(o.overwrite && o.format && o.skip);
        assert_eq!((o.stats, o.checksum, o.retain_days), (Some(10), Some(true), Some(3)));
        assert_eq!((o.name.as_deref(), o.block_size), (Some("n"), Some(4096)));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (with, number) in [
            ("TRUNCATE_ONLY", 155),
            ("NORECOVERY", 3032),
            ("REPLACE", 3032),
            ("INIT, NOINIT", 3031),
            ("BLOCKSIZE = 1000", 3250),
            ("MAXTRANSFERSIZE = 1", 3250),
            ("RETAINDAYS = 'soon'", 3217),
            ("EXPIREDATE = 'never'", 3217),
            ("ENCRYPTION (ALGORITHM = AES_256)", 40510),
        ] {
            assert_eq!(options(Statement::BackupDatabase, with).err(), Some(number), "{with}");
        }
        assert!(options(Statement::BackupLog, "NORECOVERY, NO_TRUNCATE").unwrap().no_truncate);
    }
}

//! sys.databases, sys.database_files, sys.master_files, fn_helpcollations.

use super::cell::Columns;
use super::database_columns::{
    DATABASE, DatabaseRow, FILE, FILE_CREDENTIAL, FILE_DATABASE, FileRow,
};
use super::{Declaration, Rows, ViewContext, by_column, ranged, sys};
use crate::catalog::master::EntryState;
use crate::catalog::registry::{Databases, Slot};
use crate::database::Database;
use crate::features::needs;
use crate::row;
use taffrail_base::{FileId, Lsn, SqlResult};
use taffrail_storage::{DatabaseState, FileInfo, FileKind, Growth, RecoveryModel};
use taffrail_types::{Collation, Value};

/// sys.database_files, and with the database's id sys.master_files.
const FILES: Columns<FileRow> = &[FILE];
const MASTER_FILES: Columns<FileRow> = &[FILE_DATABASE, FILE, FILE_CREDENTIAL];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("databases", needs::DATABASES_SEEN, &[DATABASE], databases),
        by_column("database_files", needs::PUBLIC, FILES, |cx, _, rows| {
            for file in cx.database.storage.files() {
                rows.show(FILES, &open_file(cx.database, file));
            }
            Ok(())
        }),
        by_column("master_files", needs::FILES_SEEN, MASTER_FILES, |cx, _, rows| {
            for slot in cx.session.instance.databases().list() {
                let Some(database) = &slot.database else {
                    match slot.entry.state {
                        EntryState::Restoring => restoring_files(cx, &slot, rows),
                        _ => closed_files(cx, &slot, rows),
                    }
                    continue;
                };
                for file in database.storage.files() {
                    rows.show(MASTER_FILES, &open_file(database, file));
                }
            }
            Ok(())
        }),
        sys(
            "database_recovery_status",
            needs::METADATA,
            &[
                "database_id int!",
                "database_guid uniqueidentifier?",
                "family_guid uniqueidentifier?",
                "last_log_backup_lsn numeric(25,0)?",
                "recovery_fork_guid uniqueidentifier?",
                "first_recovery_fork_guid uniqueidentifier?",
                "fork_point_lsn numeric(25,0)?",
            ],
            |cx, _, rows| {
                let seen = cx.session.databases_seen();
                for slot in cx.session.instance.databases().list() {
                    if !seen.database(&slot.entry) {
                        continue;
                    }
                    let Some(database) = &slot.database else {
                        rows.push(row![slot.entry.id.0, (), (), (), (), (), ()]);
                        continue;
                    };
                    let s = database.storage.recovery_status();
                    rows.push(row![
                        slot.entry.id.0,
                        Value::Guid(s.database_guid),
                        Value::Guid(s.family_guid),
                        s.last_log_backup,
                        Value::Guid(s.recovery_fork),
                        s.first_recovery_fork.map(Value::Guid),
                        s.fork_point
                    ]);
                }
                Ok(())
            },
        ),
        ranged(
            "fn_helpcollations",
            needs::PUBLIC,
            (0, 0),
            &["name sysname! · description nvarchar(1000)!"],
            collations,
        ),
    ]);
}

/// `recovery_model_desc`.
pub(super) fn model_name(model: RecoveryModel) -> &'static str {
    match model {
        RecoveryModel::Full => "FULL",
        RecoveryModel::BulkLogged => "BULK_LOGGED",
        RecoveryModel::Simple => "SIMPLE",
    }
}

fn databases(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let databases = cx.session.instance.databases();
    let seen = cx.session.databases_seen();
    for slot in databases.list().into_iter().filter(|slot| seen.database(&slot.entry)) {
        rows.show(&[DATABASE], &database_row(databases, slot));
    }
    Ok(())
}

fn database_row(databases: &Databases, slot: Slot) -> DatabaseRow {
    let state = slot.state();
    let open = slot.database.as_ref().filter(|_| state.0 == 0);
    let wait = open.map(|d| d.storage.log().reuse_wait());
    let is_open = open.is_some();
    let options = match &slot.database {
        Some(d) => Some(d.storage.options()),
        None => databases.closed(&slot.entry).map(|c| c.options),
    };
    DatabaseRow { slot, state, is_open, options, wait }
}

/// A column of a database's row of sys.databases, as a natural value.
pub(crate) fn database_column(databases: &Databases, slot: Slot, column: &str) -> Value {
    let row = database_row(databases, slot);
    let found = DATABASE.iter().find(|(declared, _)| declared.split(' ').next() == Some(column));
    debug_assert!(found.is_some(), "{column} is no column of sys.databases");
    found.map_or(Value::Null, |(_, value)| value(&row))
}

/// 8 KiB pages of so many bytes.
pub(super) fn pages(bytes: u64) -> i64 {
    (bytes / 8192) as i64
}

/// Files of a database that is being restored: where its log ends, and where it must get to.
fn restoring_files(cx: &ViewContext<'_>, slot: &Slot, rows: &mut Rows) {
    let Some(restoring) = cx.session.instance.databases().restoring(&slot.entry) else {
        return half_made_files(slot, rows);
    };
    for f in restoring.files {
        let file = FileInfo {
            id: f.id,
            kind: f.kind,
            name: f.name,
            path: f.path,
            size: f.size,
            used: 0,
            growth: f.growth,
            max_size: f.max_size,
        };
        let row = FileRow {
            redo: Some(restoring.redo_lsn),
            target: Some(restoring.target_lsn),
            ..file_row(slot.entry.id.0, (1, "RESTORING"), file)
        };
        rows.show(MASTER_FILES, &row);
    }
}

/// Files of which a restore that was cut off has made no database yet: master's row names them, the data file first.
fn half_made_files(slot: &Slot, rows: &mut Rows) {
    for (path, n) in slot.entry.files.iter().zip(1u16..) {
        let file = FileInfo {
            id: FileId(n),
            kind: if n == 1 { FileKind::Rows } else { FileKind::Log },
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            path: path.clone(),
            size: 0,
            used: 0,
            growth: Growth::None,
            max_size: None,
        };
        rows.show(MASTER_FILES, &file_row(slot.entry.id.0, (1, "RESTORING"), file));
    }
}

/// Files of a database that is not open.
fn closed_files(cx: &ViewContext<'_>, slot: &Slot, rows: &mut Rows) {
    let Some(closed) = cx.session.instance.databases().closed(&slot.entry) else { return };
    for file in closed.files {
        rows.show(MASTER_FILES, &file_row(slot.entry.id.0, slot.state(), file));
    }
}

fn file_state(database: &Database) -> (u8, &'static str) {
    match database.storage.state() {
        DatabaseState::Online => (0, "ONLINE"),
        DatabaseState::Suspect(_) => (4, "SUSPECT"),
        DatabaseState::Offline => (6, "OFFLINE"),
    }
}

/// The same of a database that is open: data files have the base of differential backups.
fn open_file(database: &Database, file: FileInfo) -> FileRow {
    let status = database.storage.recovery_status();
    let based = file.kind == FileKind::Rows && status.differential_base != Lsn::ZERO;
    let base = based.then_some((status.differential_base, status.differential_base_guid));
    FileRow { base, ..file_row(database.id.0, file_state(database), file) }
}

fn file_row(database: u16, state: (u8, &'static str), file: FileInfo) -> FileRow {
    FileRow { database, state, file, base: None, redo: None, target: None }
}

/// All but those of version 160, which are hidden from it.
fn collations(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for collation in Collation::all().filter(|c| c.version() < 4) {
        rows.push(row![collation.written(), collation.description()]);
    }
    Ok(())
}

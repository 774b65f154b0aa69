//! msdb's tables about backups and restores.
//!
//! They are tables like a user's, made when a data directory is new or comes from a version without them, and written by
//! ordinary statements in one transaction: a row of backupset is there only together with those of its files and media.
//! A backup is a backup also when msdb cannot be written: the client hears 3009 then, and nothing is undone.

use super::facts::{self, guid, lsn, moment};
use super::options::Options;
use super::system;
use crate::instance::Instance;
use crate::media::Devices;
use crate::plan::text::apostrophes;
use crate::row;
use crate::session::Mark;
use crate::session::context::StatementContext;
use std::fmt::Write;
use std::sync::Arc;
use taffrail_base::{Lsn, SqlError, SqlResult};
use taffrail_storage::FileKind;
use taffrail_storage::backup::{BackupReport, Device, MediaLabel, Restored, SetHeader, Stop};
use taffrail_types::{SqlType, Value, text};

const TABLES: &str = include_str!("history.sql");

/// Makes the tables and procedures that are not there.
pub(crate) fn create(instance: &Arc<Instance>) -> SqlResult<()> {
    let batches: Vec<&str> = TABLES.split("\nGO\n").collect();
    system::run(instance, "msdb", &batches).map(drop)
}

/// A value as T-SQL.
fn literal(v: &Value) -> SqlResult<String> {
    Ok(match v {
        Value::Null => "NULL".into(),
        Value::Bit(b) => u8::from(*b).to_string(),
        Value::DateTime { .. } => {
            format!("'{}'", crate::results::as_varchar(v, SqlType::DateTime, Some(121))?)
        }
        Value::Guid(_) => format!("'{}'", text::display(v, SqlType::UniqueIdentifier)),
        Value::Decimal(_) => text::display(v, SqlType::Numeric { precision: 38, scale: 0 }),
        v => match (v.as_i64(), v.as_text()) {
            (Some(n), _) => n.to_string(),
            (_, Some(text)) => format!("N{}", apostrophes(&text)),
            // No column of these tables has another type.
            _ => "NULL".into(),
        },
    })
}

/// Values by column.
type Cells = Vec<(&'static str, Value)>;

/// Names a row's values: `(columns, separated by blanks; values)`.
fn cells(columns: &'static str, values: Vec<Value>) -> Cells {
    let names: Vec<&str> = columns.split_whitespace().collect();
    assert_eq!(names.len(), values.len(), "a value for every column");
    names.into_iter().zip(values).collect()
}

/// An INSERT; values that begin with `@` in `variables` are variables of the batch.
fn insert(
    batch: &mut String,
    table: &str,
    variables: &[(&str, &str)],
    cells: &Cells,
) -> SqlResult<()> {
    let mut names: Vec<&str> = variables.iter().map(|(column, _)| *column).collect();
    let mut values: Vec<String> = variables.iter().map(|(_, v)| v.to_string()).collect();
    for (column, value) in cells {
        names.push(column);
        values.push(literal(value)?);
    }
    let (names, values) = (names.join(", "), values.join(", "));
    writeln!(batch, "INSERT dbo.{table} ({names}) VALUES ({values})").expect("a String takes it");
    Ok(())
}

/// Runs a batch in one transaction; makes the tables first if they are not there.
fn write(cx: &mut StatementContext<'_>, body: &str) -> SqlResult<()> {
    let batch = format!(
        "SET NOCOUNT ON SET XACT_ABORT ON\nDECLARE @media int, @set int, @restore int\nBEGIN TRANSACTION\n{body}COMMIT"
    );
    let instance = cx.instance().clone();
    let mut written = system::run(&instance, "msdb", &[&batch]);
    if matches!(&written, Err(e) if e.number == 208) {
        written = create(&instance).and_then(|()| system::run(&instance, "msdb", &[&batch]));
    }
    match written {
        Ok(_) => Ok(()),
        Err(e) => {
            cx.message(e)?;
            Err(SqlError::new(3009, &[]))
        }
    }
}

/// The media, its families, the set, its files: unless msdb knows them.
fn set_rows(
    batch: &mut String,
    h: &SetHeader,
    media: &[MediaLabel],
    devices: &Devices,
) -> SqlResult<()> {
    let set_guid = literal(&Value::Guid(h.guid))?;
    writeln!(batch, "SELECT @set = backup_set_id FROM dbo.backupset WHERE backup_set_uuid = {set_guid}\nIF @set IS NULL\nBEGIN")
        .expect("a String takes it");
    // NUL has no media that could be found again.
    let label = media.first();
    let media_guid = literal(&label.map_or(Value::Null, |m| guid(m.set)))?;
    writeln!(batch, "SELECT @media = media_set_id FROM dbo.backupmediaset WHERE media_uuid = {media_guid}\nIF @media IS NULL\nBEGIN")
        .expect("a String takes it");
    let families = devices.list.len();
    let row = row![
        label.map(|m| guid(m.set)),
        families,
        label.and_then(|m| m.name.clone()),
        label.and_then(|m| m.description.clone()),
        "Taffrail",
        facts::SOFTWARE_VENDOR,
        1,
        1,
        false,
        h.compressed,
        false
    ];
    let row = cells(
        "media_uuid media_family_count name description software_name software_vendor_id MTF_major_version \
         mirror_count is_password_protected is_compressed is_encrypted",
        row,
    );
    insert(batch, "backupmediaset", &[], &row)?;
    batch.push_str("SET @media = SCOPE_IDENTITY()\n");
    for (at, device) in devices.list.iter().enumerate() {
        let family = media.get(at);
        let row = row![
            family.map_or(at + 1, |m| usize::from(m.family)),
            family.map(|m| guid(m.family_guid)),
            1,
            devices.logical(at),
            devices.physical(at),
            match device {
                Device::Disk(_) => 2,
                Device::Nul => 7,
                Device::Object(_) => 9,
            },
            512,
            0
        ];
        let row = cells(
            "family_sequence_number media_family_id media_count logical_device_name physical_device_name device_type \
             physical_block_size mirror",
            row,
        );
        insert(batch, "backupmediafamily", &[("media_set_id", "@media")], &row)?;
    }
    batch.push_str("END\n");
    insert(batch, "backupset", &[("media_set_id", "@media")], &set_cells(h, families))?;
    batch.push_str("SET @set = SCOPE_IDENTITY()\n");
    let primary = row![facts::PRIMARY, 1, "FG", "ROWS_FILEGROUP", true, facts::is_read_only(h)];
    let primary = cells("name filegroup_id type type_desc is_default is_readonly", primary);
    insert(batch, "backupfilegroup", &[("backup_set_id", "@set")], &primary)?;
    for file in &h.files {
        let log = file.kind == FileKind::Log;
        let row = row![
            1,
            1,
            (!log).then_some(facts::PRIMARY),
            8192,
            file.id.0,
            file.pages,
            if log { "L" } else { "D" },
            512,
            file.size,
            &file.name,
            file.path.to_string_lossy().into_owned(),
            0,
            "ONLINE",
            Lsn::ZERO,
            Lsn::ZERO,
            facts::file_guid(h, file),
            lsn(h.differential_base_lsn).filter(|_| !log),
            guid(h.differential_base_guid),
            file.pages * 8192,
            facts::is_read_only(h),
            true
        ];
        let row = cells(
            "first_family_number first_media_number filegroup_name page_size file_number backed_up_page_count file_type \
             source_file_block_size file_size logical_name physical_name state state_desc create_lsn drop_lsn file_guid \
             differential_base_lsn differential_base_guid backup_size is_readonly is_present",
            row,
        );
        insert(batch, "backupfile", &[("backup_set_id", "@set")], &row)?;
    }
    batch.push_str("END\n");
    Ok(())
}

fn set_cells(h: &SetHeader, families: usize) -> Cells {
    let l = &h.labels;
    let mut all = cells(
        "backup_set_uuid first_family_number first_media_number last_family_number last_media_number \
         catalog_family_number catalog_media_number position expiration_date software_vendor_id name description \
         user_name software_major_version software_minor_version software_build_version time_zone mtf_minor_version",
        row![
            Value::Guid(h.guid),
            1,
            1,
            families,
            1,
            1,
            1,
            h.position,
            l.expires.map(moment),
            facts::SOFTWARE_VENDOR,
            l.name.clone(),
            l.description.clone(),
            &l.user_name,
            l.software.0,
            l.software.1,
            l.software.2,
            facts::time_zone(h),
            0
        ],
    );
    all.extend(cells(
        "first_lsn last_lsn checkpoint_lsn database_backup_lsn database_creation_date backup_start_date \
         backup_finish_date type sort_order code_page compatibility_level database_version backup_size database_name \
         server_name machine_name flags unicode_locale unicode_compare_style collation_name is_password_protected \
         recovery_model",
        row![
            h.first_lsn,
            h.last_lsn,
            h.checkpoint_lsn,
            h.database_backup_lsn,
            moment(h.created),
            moment(h.started),
            moment(h.finished),
            h.kind.letter().to_string(),
            facts::SORT_ORDER,
            facts::CODE_PAGE,
            l.compatibility_level,
            facts::DATABASE_VERSION,
            h.size,
            &h.database,
            &l.server_name,
            &l.machine_name,
            facts::flags(h),
            facts::UNICODE_LOCALE,
            facts::UNICODE_STYLE,
            &l.collation,
            false,
            facts::model_name(h.recovery_model)
        ],
    ));
    all.extend(cells(
        "has_bulk_logged_data is_snapshot is_readonly is_single_user has_backup_checksums is_damaged begins_log_chain \
         has_incomplete_metadata is_force_offline is_copy_only first_recovery_fork_guid last_recovery_fork_guid \
         fork_point_lsn database_guid family_guid differential_base_lsn differential_base_guid compressed_backup_size \
         last_valid_restore_time compression_algorithm",
        row![
            h.has_bulk_logged_data,
            false,
            facts::is_read_only(h),
            facts::is_single_user(h),
            h.has_checksums,
            h.is_damaged,
            h.begins_log_chain,
            h.has_incomplete_metadata,
            h.is_force_offline,
            h.is_copy_only,
            guid(h.first_fork),
            guid(h.last_fork),
            lsn(h.fork_point),
            guid(h.database_guid),
            guid(h.family_guid),
            lsn(h.differential_base_lsn),
            guid(h.differential_base_guid),
            facts::compressed_size(h),
            moment(h.finished),
            facts::algorithm(h)
        ],
    ));
    all
}

/// Records a backup.
pub(super) fn backup(
    cx: &mut StatementContext<'_>,
    report: &BackupReport,
    devices: &Devices,
) -> SqlResult<()> {
    let mut batch = String::new();
    set_rows(&mut batch, &report.header, &report.media, devices)?;
    write(cx, &batch)
}

/// Records a restore, and its set if it was taken elsewhere.
pub(super) fn restore(
    cx: &mut StatementContext<'_>,
    restored: &Restored,
    devices: &Devices,
    database: &str,
    options: &Options,
) -> SqlResult<()> {
    let env = &cx.instance().options().env;
    let label = |device| taffrail_storage::backup::read_label(env, device).ok();
    // All or none: a label belongs to the device in its place.
    let labels: Option<Vec<MediaLabel>> = devices.list.iter().map(label).collect();
    let now = crate::catalog::datetime_now(&*env.clock);
    let mut batch = String::new();
    set_rows(&mut batch, &restored.header, &labels.unwrap_or_default(), devices)?;
    let row = cells(
        "restore_date destination_database_name user_name restore_type replace recovery restart device_count",
        row![
            now,
            database,
            &cx.session.client.login,
            restored.header.kind.letter().to_string(),
            options.replace,
            !options.norecovery && !restored.is_short,
            false,
            devices.list.len()
        ],
    );
    let mut row = row;
    match &options.stop {
        None => {}
        Some(Stop::At(at)) => row.extend(cells("stop_at", row![crate::catalog::datetime(*at)])),
        Some(Stop::Mark { name, before, .. }) => {
            row.extend(cells("stop_at_mark_name stop_before", row![&**name, *before]));
        }
        Some(Stop::Lsn { lsn, before }) => {
            let name = format!("lsn:{}", lsn.to_numeric());
            row.extend(cells("stop_at_mark_name stop_before", row![name, *before]));
        }
    }
    insert(&mut batch, "restorehistory", &[("backup_set_id", "@set")], &row)?;
    batch.push_str("SET @restore = SCOPE_IDENTITY()\n");
    for file in &restored.files {
        let row = cells(
            "file_number destination_phys_name",
            row![file.id.0, file.path.to_string_lossy().into_owned()],
        );
        insert(&mut batch, "restorefile", &[("restore_history_id", "@restore")], &row)?;
    }
    let row = cells("filegroup_name", row![facts::PRIMARY]);
    insert(&mut batch, "restorefilegroup", &[("restore_history_id", "@restore")], &row)?;
    write(cx, &batch)
}

/// Records marks: a row of logmarkhistory each.
pub(crate) fn record_marks(instance: &Arc<Instance>, user: &str, marks: &[Mark]) -> SqlResult<()> {
    let now = crate::catalog::datetime_now(&*instance.options().env.clock);
    let mut batch = "SET NOCOUNT ON\n".to_string();
    for m in marks {
        let description = (!m.description.is_empty()).then_some(&*m.description);
        let lsn = m.lsn.unwrap_or_default();
        let row = row![&*m.database, &*m.name, description, user, lsn, &now];
        let row = cells("database_name mark_name description user_name lsn mark_time", row);
        insert(&mut batch, "logmarkhistory", &[], &row)?;
    }
    system::run(instance, "msdb", &[&batch]).map(drop)
}

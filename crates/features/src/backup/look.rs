//! RESTORE HEADERONLY, FILELISTONLY, LABELONLY and VERIFYONLY.

use super::columns;
use super::device;
use super::facts::{self, guid, lsn, moment};
use super::options::{self, Options};
use super::progress::Progress;
use crate::media::{Statement, say};
use crate::row;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::backup::{self, BackupFile, SetHeader};
use taffrail_storage::{FileKind, LOG_FILE_BYTES_MAX};
use taffrail_syntax::ast;
use taffrail_types::Value;

/// FILE = n, the first when nothing was said.
pub(super) fn position(options: &Options) -> u32 {
    options.file.unwrap_or(1)
}

/// Runs one of them.
pub(super) fn run(
    cx: &mut StatementContext<'_>,
    s: &ast::Restore,
    statement: &Statement<'_>,
) -> SqlResult<()> {
    let table = match s.kind {
        ast::RestoreKind::VerifyOnly => options::Statement::Verify,
        _ => options::Statement::Look,
    };
    let options = options::read(table, &s.options)?;
    let devices = device::resolve(cx, &s.from, &options, false)?;
    let env = cx.instance().options().env.clone();
    let fail = |e| say(e, statement, &devices);
    match s.kind {
        ast::RestoreKind::HeaderOnly => {
            let sets = backup::read_sets(&env, &devices.list).map_err(fail)?;
            let rows: Vec<Vec<Value>> = sets
                .iter()
                .filter(|h| options.file.is_none_or(|n| n == h.position))
                .map(header)
                .collect();
            if let Some(n) = options.file
                && rows.is_empty()
            {
                return Err(SqlError::new(4038, &[&n, &devices.first()]));
            }
            crate::results::send(cx, &columns::parse(columns::HEADER), rows)
        }
        ast::RestoreKind::FileListOnly => {
            let n = position(&options);
            let sets = backup::read_sets(&env, &devices.list).map_err(fail)?;
            let Some(h) = sets.iter().find(|h| h.position == n) else {
                return Err(SqlError::new(4038, &[&n, &devices.first()]));
            };
            let rows = h.files.iter().map(|f| file(h, f)).collect();
            crate::results::send(cx, &columns::parse(columns::FILES), rows)
        }
        ast::RestoreKind::LabelOnly => {
            if devices.path(0).is_none() {
                return Err(SqlError::new(3254, &[&"NUL"]));
            }
            let m = backup::read_label(&env, &devices.list[0]).map_err(fail)?;
            let sets = backup::read_sets(&env, &devices.list[..1]).unwrap_or_default();
            let row = row![
                m.name,
                Value::Guid(m.set),
                m.families,
                m.family,
                Value::Guid(m.family_guid),
                1,
                1,
                m.description,
                "Taffrail",
                facts::SOFTWARE_VENDOR,
                moment(m.date),
                1,
                sets.iter().any(|h| h.compressed)
            ];
            crate::results::send(cx, &columns::parse(columns::LABEL), vec![row])
        }
        ast::RestoreKind::VerifyOnly => {
            let n = position(&options);
            if options.checksum == Some(true) {
                let h = backup::read_set(&env, &devices.list, n).map_err(fail)?;
                if !h.has_checksums {
                    return Err(SqlError::new(3187, &[]));
                }
            }
            let mut progress = Progress::new(cx, options.stats);
            let verified = backup::verify(&env, &devices.list, n, &mut progress);
            progress.finish(verified.is_ok())?;
            let h = verified.map_err(fail)?;
            if h.is_damaged {
                cx.message(SqlError::new(3188, &[]))?;
                if !options.continue_after_error {
                    // A restore would be refused as well.
                    return Err(SqlError::new(3189, &[]));
                }
            }
            cx.message(SqlError::new(3262, &[&n]))
        }
        _ => Err(unsupported("RESTORE REWINDONLY")),
    }
}

/// A row of HEADERONLY.
fn header(h: &SetHeader) -> Vec<Value> {
    let l = &h.labels;
    let name = if h.complete { l.name.clone() } else { Some("*** INCOMPLETE ***".into()) };
    let mut row = row![
        name,
        &l.description.clone().map_or(Value::Null, |d| Value::nvarchar(&d)),
        h.kind as u8,
        l.expires.map(moment),
        h.compressed,
        h.position,
        2,
        &l.user_name,
        &l.server_name,
        &h.database,
        facts::DATABASE_VERSION,
        moment(h.created),
        h.size,
        h.first_lsn,
        h.last_lsn,
        h.checkpoint_lsn,
        h.database_backup_lsn,
        moment(h.started),
        moment(h.finished),
        facts::SORT_ORDER,
        facts::CODE_PAGE,
        facts::UNICODE_LOCALE,
        facts::UNICODE_STYLE,
        l.compatibility_level,
        facts::SOFTWARE_VENDOR,
        l.software.0,
        l.software.1,
        l.software.2
    ];
    row.extend(row![
        &l.machine_name,
        facts::flags(h),
        guid(h.database_guid),
        guid(h.last_fork),
        &l.collation,
        guid(h.family_guid),
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
        lsn(h.fork_point),
        facts::model_name(h.recovery_model),
        lsn(h.differential_base_lsn),
        guid(h.differential_base_guid),
        facts::type_name(h.kind),
        guid(h.guid),
        facts::compressed_size(h),
        0,
        (),
        (),
        (),
        moment(h.finished),
        facts::time_zone(h),
        facts::algorithm(h)
    ]);
    row
}

/// SQL Server's limit of data files that have none.
const UNLIMITED_DATA: u64 = 35_184_372_080_640;

/// A row of FILELISTONLY.
fn file(h: &SetHeader, f: &BackupFile) -> Vec<Value> {
    let log = f.kind == FileKind::Log;
    let no_limit = if log { LOG_FILE_BYTES_MAX } else { UNLIMITED_DATA };
    row![
        &f.name,
        f.path.to_string_lossy().into_owned(),
        if log { "L" } else { "D" },
        (!log).then_some(facts::PRIMARY),
        f.size,
        f.max_size.unwrap_or(no_limit),
        f.id.0,
        taffrail_base::Lsn::ZERO,
        taffrail_base::Lsn::ZERO,
        facts::file_guid(h, f),
        taffrail_base::Lsn::ZERO,
        taffrail_base::Lsn::ZERO,
        f.pages * 8192,
        512,
        if log { 0 } else { 1 },
        (),
        if log { taffrail_base::Lsn::ZERO } else { h.differential_base_lsn },
        guid(h.differential_base_guid),
        facts::is_read_only(h),
        true,
        (),
        ()
    ]
}

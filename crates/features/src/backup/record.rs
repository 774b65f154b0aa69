//! What the error log is told of backups and restores.

use crate::database::Database;
use crate::media::Devices;
use crate::session::context::StatementContext;
use std::path::Path;
use taffrail_base::{DatabaseId, Lsn, PageId, SqlError};
use taffrail_observe::{Event, EventRing};
use taffrail_storage::backup::{BackupKind, BackupReport, Device, SetHeader};
use taffrail_types::{SqlType, Value};

fn push(database: DatabaseId, text: String, failed: bool) {
    EventRing::global().push(Event::Backup { database, text, failed });
}

fn shown(lsn: Lsn) -> String {
    format!("{}:{}:{}", lsn.vlf.0, lsn.block.0, lsn.slot)
}

fn style(value: &Value, style: i32) -> String {
    // Neither style can fail on a datetime.
    crate::results::as_varchar(value, SqlType::DateTime, Some(style)).unwrap_or_default()
}

/// `FILE=1, TYPE=DISK: {'path'}`, or `TYPE=URL`, date and time of creation.
fn particulars(h: &SetHeader, devices: &Devices) -> (String, String, String) {
    let paths: Vec<String> =
        (0..devices.list.len()).map(|at| format!("'{}'", devices.physical(at))).collect();
    let created = crate::catalog::datetime(h.created);
    let remote = devices.list.iter().any(|d| matches!(d, Device::Object(_)));
    let kind = if remote { "URL" } else { "DISK" };
    let device = format!("FILE={}, TYPE={kind}: {{{}}}", h.position, paths.join(", "));
    (style(&created, 111), style(&created, 108), device)
}

/// 18264, 18265, 18270.
pub(super) fn taken(database: DatabaseId, report: &BackupReport, devices: &Devices) {
    let h = &report.header;
    let (date, time, device) = particulars(h, devices);
    let (first, last, n) = (shown(h.first_lsn), shown(h.last_lsn), devices.list.len());
    let (name, pages) = (&h.database, report.pages + report.log_pages);
    let e = match h.kind {
        BackupKind::Full => {
            SqlError::new(18264, &[name, &date, &time, &pages, &first, &last, &n, &device])
        }
        BackupKind::Log => SqlError::new(18265, &[name, &date, &time, &first, &last, &n, &device]),
        BackupKind::Differential => {
            let base = shown(h.differential_base_lsn);
            SqlError::new(18270, &[name, &date, &time, &pages, &first, &last, &base, &n, &device])
        }
    };
    push(database, e.message, false);
}

/// 18267, 18268, 18271.
pub(super) fn restored(database: DatabaseId, name: &str, h: &SetHeader, devices: &Devices) {
    let (date, time, device) = particulars(h, devices);
    let (first, last, n) = (shown(h.first_lsn), shown(h.last_lsn), devices.list.len());
    let number = match h.kind {
        BackupKind::Full => 18267,
        BackupKind::Log => 18268,
        BackupKind::Differential => 18271,
    };
    let e = SqlError::new(number, &[&name, &date, &time, &first, &last, &n, &device]);
    push(database, e.message, false);
}

/// 3043: a damaged page that a backup has taken as it is.
pub(super) fn damaged(database: &Database, page: PageId, file: &Path) {
    let e = SqlError::new(3043, &[&database.name, &page.file, &page.page, &file.display()]);
    push(database.id, e.message, true);
}

/// 3041, with what the client was told first.
pub(super) fn failed(cx: &StatementContext<'_>, command: &str, why: &SqlError) {
    let e = SqlError::new(3041, &[&command]);
    push(cx.session.database.id, format!("{} ({})", e.message, why.message), true);
}

//! What a set's header says, as values: for RESTORE HEADERONLY and for msdb.

use crate::catalog::datetime;
use crate::catalog::registry::{FLAG_READ_ONLY, FLAG_SINGLE_USER};
use taffrail_base::Lsn;
use taffrail_io::UtcTime;
use taffrail_storage::RecoveryModel;
use taffrail_storage::backup::{BackupFile, BackupKind, SetHeader};
use taffrail_types::Value;

/// Of SQL Server, which tools take a backup's software for.
pub(super) const SOFTWARE_VENDOR: i32 = 4608;
/// Version of the data files that goes with compatibility level 160.
pub(super) const DATABASE_VERSION: i32 = 957;
/// `sort_order` and `code_page` of the default collation; locale and style of its Unicode part.
pub(super) const SORT_ORDER: i32 = 52;
pub(super) const CODE_PAGE: i32 = 0;
pub(super) const UNICODE_LOCALE: i32 = 1033;
pub(super) const UNICODE_STYLE: i32 = 196_609;
/// The name of the filegroup.
pub(super) const PRIMARY: &str = "PRIMARY";

/// An LSN, or NULL for none.
pub(super) fn lsn(lsn: Lsn) -> Option<Lsn> {
    (lsn != Lsn::ZERO).then_some(lsn)
}

/// A GUID, or NULL for none.
pub(super) fn guid(bytes: [u8; 16]) -> Value {
    if bytes == [0; 16] { Value::Null } else { Value::Guid(bytes) }
}

/// A moment, or NULL for none.
pub(super) fn moment(at: UtcTime) -> Value {
    if at == UtcTime(0) { Value::Null } else { datetime(at) }
}

/// `BackupTypeDescription`
pub(super) fn type_name(kind: BackupKind) -> &'static str {
    match kind {
        BackupKind::Full => "DATABASE",
        BackupKind::Log => "TRANSACTION LOG",
        BackupKind::Differential => "DATABASE DIFFERENTIAL",
    }
}

/// The statement that made such a set.
pub(super) fn maker(kind: BackupKind) -> &'static str {
    match kind {
        BackupKind::Full => "BACKUP DATABASE",
        BackupKind::Log => "BACKUP LOG",
        BackupKind::Differential => "BACKUP DATABASE WITH DIFFERENTIAL",
    }
}

/// `recovery_model`, with the hyphen that it has here.
pub(super) fn model_name(model: RecoveryModel) -> &'static str {
    match model {
        RecoveryModel::Full => "FULL",
        RecoveryModel::BulkLogged => "BULK-LOGGED",
        RecoveryModel::Simple => "SIMPLE",
    }
}

/// `CompressionAlgorithm`
pub(super) fn algorithm(h: &SetHeader) -> Option<&'static str> {
    h.compressed.then_some("ZSTD")
}

/// `compressed_backup_size`: that of the backup where nothing was compressed.
pub(super) fn compressed_size(h: &SetHeader) -> u64 {
    if h.compressed { h.compressed_size } else { h.size }
}

pub(super) fn is_read_only(h: &SetHeader) -> bool {
    h.engine_flags & FLAG_READ_ONLY != 0
}

pub(super) fn is_single_user(h: &SetHeader) -> bool {
    h.engine_flags & FLAG_SINGLE_USER != 0
}

/// `Flags`: 1 bulk-logged data, 4 read-only, 8 single user, 16 checksums, 32 damaged, 64 and 256 tail of the log, 128 metadata incomplete.
pub(super) fn flags(h: &SetHeader) -> i32 {
    let bits = [
        (1, h.has_bulk_logged_data),
        (4, is_read_only(h)),
        (8, is_single_user(h)),
        (16, h.has_checksums),
        (32, h.is_damaged),
        (64 | 256, h.is_force_offline),
        (128, h.has_incomplete_metadata),
    ];
    bits.iter().filter(|(_, on)| *on).map(|(bit, _)| bit).sum()
}

/// `time_zone`: quarter hours from UTC.
pub(super) fn time_zone(h: &SetHeader) -> i32 {
    i32::from(h.labels.time_zone_minutes / 15)
}

/// `UniqueId`, `file_guid`: the database's GUID with the file's number in its last bytes.
pub(super) fn file_guid(h: &SetHeader, file: &BackupFile) -> Value {
    let mut guid = h.database_guid;
    let id = file.id.0.to_be_bytes();
    guid[14] ^= id[0];
    guid[15] ^= id[1];
    Value::Guid(guid)
}

/// datetime of the server's time zone as a moment.
pub(crate) fn utc_of(value: &Value) -> Option<UtcTime> {
    const DAY: u64 = 24 * 3600 * UtcTime::PER_SECOND;
    const TO_1900: i64 = 693_595;
    let Value::DateTime { days, ticks } = *value else { return None };
    let days = u64::try_from(i64::from(days) + TO_1900).ok()?;
    let local = days * DAY + u64::from(ticks) * UtcTime::PER_SECOND / 300;
    Some(taffrail_io::zone::from_local(local))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_come_back() {
        let at = UtcTime(UtcTime::UNIX_EPOCH.0 + 1_700_000_000 * UtcTime::PER_SECOND);
        assert_eq!(utc_of(&datetime(at)), Some(at));
    }
}

//! The columns of RESTORE HEADERONLY, FILELISTONLY and LABELONLY: names, order and types are what callers of
//! INSERT … EXEC declare.

use taffrail_types::SqlType;
use taffrail_types::names::{self, TypeUse};

/// RESTORE HEADERONLY: 59 columns, as version 16 has them.
pub(super) const HEADER: &str = "BackupName nvarchar(128) · BackupDescription nvarchar(255) · BackupType smallint · \
ExpirationDate datetime · Compressed bit · Position smallint · DeviceType tinyint · UserName nvarchar(128) · \
ServerName nvarchar(128) · DatabaseName nvarchar(128) · DatabaseVersion int · DatabaseCreationDate datetime · \
BackupSize numeric(20,0) · FirstLSN numeric(25,0) · LastLSN numeric(25,0) · CheckpointLSN numeric(25,0) · \
DatabaseBackupLSN numeric(25,0) · BackupStartDate datetime · BackupFinishDate datetime · SortOrder smallint · \
CodePage smallint · UnicodeLocaleId int · UnicodeComparisonStyle int · CompatibilityLevel tinyint · \
SoftwareVendorId int · SoftwareVersionMajor int · SoftwareVersionMinor int · SoftwareVersionBuild int · \
MachineName nvarchar(128) · Flags int · BindingID uniqueidentifier · RecoveryForkID uniqueidentifier · \
Collation nvarchar(128) · FamilyGUID uniqueidentifier · HasBulkLoggedData bit · IsSnapshot bit · IsReadOnly bit · \
IsSingleUser bit · HasBackupChecksums bit · IsDamaged bit · BeginsLogChain bit · HasIncompleteMetaData bit · \
IsForceOffline bit · IsCopyOnly bit · FirstRecoveryForkID uniqueidentifier · ForkPointLSN numeric(25,0) · \
RecoveryModel nvarchar(60) · DifferentialBaseLSN numeric(25,0) · DifferentialBaseGUID uniqueidentifier · \
BackupTypeDescription nvarchar(60) · BackupSetGUID uniqueidentifier · CompressedBackupSize bigint · \
containment tinyint · KeyAlgorithm nvarchar(32) · EncryptorThumbprint varbinary(20) · EncryptorType nvarchar(32) · \
LastValidRestoreTime datetime · TimeZone smallint · CompressionAlgorithm nvarchar(32)";

/// RESTORE FILELISTONLY.
pub(super) const FILES: &str = "LogicalName nvarchar(128) · PhysicalName nvarchar(260) · Type char(1) · \
FileGroupName nvarchar(128) · Size numeric(20,0) · MaxSize numeric(20,0) · FileId bigint · CreateLSN numeric(25,0) · \
DropLSN numeric(25,0) · UniqueId uniqueidentifier · ReadOnlyLSN numeric(25,0) · ReadWriteLSN numeric(25,0) · \
BackupSizeInBytes bigint · SourceBlockSize int · FileGroupId int · LogGroupGUID uniqueidentifier · \
DifferentialBaseLSN numeric(25,0) · DifferentialBaseGUID uniqueidentifier · IsReadOnly bit · IsPresent bit · \
TDEThumbprint varbinary(32) · SnapshotUrl nvarchar(360)";

/// RESTORE LABELONLY.
pub(super) const LABEL: &str = "MediaName nvarchar(128) · MediaSetId uniqueidentifier · FamilyCount int · \
FamilySequenceNumber int · MediaFamilyId uniqueidentifier · MediaSequenceNumber int · MediaLabelPresent tinyint · \
MediaDescription nvarchar(255) · SoftwareName nvarchar(128) · SoftwareVendorId int · MediaDate datetime · \
Mirror_Count int · IsCompressed bit";

/// Names and types of a list.
pub(super) fn parse(list: &'static str) -> Vec<(&'static str, SqlType, bool)> {
    let column = |text: &'static str| {
        let (name, ty) = text.trim().split_once(' ').expect("a name and a type");
        match names::parse(ty, TypeUse::Declaration) {
            Some(Ok(ty)) => (name, ty, true),
            _ => unreachable!("the type of the column {name}"),
        }
    };
    list.split('·').map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_columns_as_callers_declare() {
        let counts = [HEADER, FILES, LABEL].map(|list| parse(list).len());
        assert_eq!(counts, [59, 22, 13]);
    }
}

IF OBJECT_ID(N'dbo.backupmediaset', N'U') IS NULL
CREATE TABLE dbo.backupmediaset (
    media_set_id int IDENTITY(1,1) NOT NULL PRIMARY KEY,
    media_uuid uniqueidentifier NULL,
    media_family_count tinyint NULL,
    name nvarchar(128) NULL,
    description nvarchar(255) NULL,
    software_name nvarchar(128) NULL,
    software_vendor_id int NULL,
    MTF_major_version tinyint NULL,
    mirror_count tinyint NULL,
    is_password_protected bit NULL,
    is_compressed bit NULL,
    is_encrypted bit NULL
)
IF OBJECT_ID(N'dbo.backupmediafamily', N'U') IS NULL
CREATE TABLE dbo.backupmediafamily (
    media_set_id int NOT NULL,
    family_sequence_number tinyint NOT NULL,
    media_family_id uniqueidentifier NULL,
    media_count int NULL,
    logical_device_name nvarchar(128) NULL,
    physical_device_name nvarchar(260) NULL,
    device_type tinyint NULL,
    physical_block_size int NULL,
    mirror tinyint NOT NULL DEFAULT 0,
    PRIMARY KEY (media_set_id, family_sequence_number, mirror)
)
IF OBJECT_ID(N'dbo.log_shipping_primary_databases', N'U') IS NULL
CREATE TABLE dbo.log_shipping_primary_databases (
    primary_id uniqueidentifier NOT NULL PRIMARY KEY,
    primary_database nvarchar(128) NOT NULL UNIQUE,
    backup_directory nvarchar(500) NOT NULL,
    backup_share nvarchar(500) NOT NULL,
    backup_retention_period int NOT NULL,
    backup_job_id uniqueidentifier NOT NULL,
    monitor_server nvarchar(128) NOT NULL,
    user_specified_monitor bit NULL,
    monitor_server_security_mode bit NOT NULL,
    last_backup_file nvarchar(500) NULL,
    last_backup_date datetime NULL,
    backup_compression tinyint NOT NULL
)
IF OBJECT_ID(N'dbo.log_shipping_secondary_databases', N'U') IS NULL
CREATE TABLE dbo.log_shipping_secondary_databases (
    secondary_database nvarchar(128) NOT NULL PRIMARY KEY,
    secondary_id uniqueidentifier NOT NULL,
    restore_delay int NOT NULL,
    restore_all bit NOT NULL,
    restore_mode bit NOT NULL,
    disconnect_users bit NOT NULL,
    block_size int NULL,
    buffer_count int NULL,
    max_transfer_size int NULL,
    last_restored_file nvarchar(500) NULL,
    last_restored_date datetime NULL
)
IF OBJECT_ID(N'dbo.backupset', N'U') IS NULL
CREATE TABLE dbo.backupset (
    backup_set_id int IDENTITY(1,1) NOT NULL PRIMARY KEY,
    backup_set_uuid uniqueidentifier NOT NULL,
    media_set_id int NOT NULL,
    first_family_number tinyint NULL,
    first_media_number smallint NULL,
    last_family_number tinyint NULL,
    last_media_number smallint NULL,
    catalog_family_number tinyint NULL,
    catalog_media_number smallint NULL,
    position int NULL,
    expiration_date datetime NULL,
    software_vendor_id int NULL,
    name nvarchar(128) NULL,
    description nvarchar(255) NULL,
    user_name nvarchar(128) NULL,
    software_major_version tinyint NULL,
    software_minor_version tinyint NULL,
    software_build_version smallint NULL,
    time_zone smallint NULL,
    mtf_minor_version tinyint NULL,
    first_lsn numeric(25,0) NULL,
    last_lsn numeric(25,0) NULL,
    checkpoint_lsn numeric(25,0) NULL,
    database_backup_lsn numeric(25,0) NULL,
    database_creation_date datetime NULL,
    backup_start_date datetime NULL,
    backup_finish_date datetime NULL,
    type char(1) NULL,
    sort_order smallint NULL,
    code_page smallint NULL,
    compatibility_level tinyint NULL,
    database_version int NULL,
    backup_size numeric(20,0) NULL,
    database_name nvarchar(128) NULL,
    server_name nvarchar(128) NULL,
    machine_name nvarchar(128) NULL,
    flags int NULL,
    unicode_locale int NULL,
    unicode_compare_style int NULL,
    collation_name nvarchar(128) NULL,
    is_password_protected bit NULL,
    recovery_model nvarchar(60) NULL,
    has_bulk_logged_data bit NULL,
    is_snapshot bit NULL,
    is_readonly bit NULL,
    is_single_user bit NULL,
    has_backup_checksums bit NULL,
    is_damaged bit NULL,
    begins_log_chain bit NULL,
    has_incomplete_metadata bit NULL,
    is_force_offline bit NULL,
    is_copy_only bit NULL,
    first_recovery_fork_guid uniqueidentifier NULL,
    last_recovery_fork_guid uniqueidentifier NULL,
    fork_point_lsn numeric(25,0) NULL,
    database_guid uniqueidentifier NULL,
    family_guid uniqueidentifier NULL,
    differential_base_lsn numeric(25,0) NULL,
    differential_base_guid uniqueidentifier NULL,
    compressed_backup_size numeric(20,0) NULL,
    key_algorithm nvarchar(32) NULL,
    encryptor_thumbprint varbinary(20) NULL,
    encryptor_type nvarchar(32) NULL,
    last_valid_restore_time datetime NULL,
    compression_algorithm nvarchar(32) NULL
)
IF OBJECT_ID(N'dbo.backupfilegroup', N'U') IS NULL
CREATE TABLE dbo.backupfilegroup (
    backup_set_id int NOT NULL,
    name sysname NOT NULL,
    filegroup_id int NOT NULL,
    filegroup_guid uniqueidentifier NULL,
    type char(2) NOT NULL,
    type_desc nvarchar(60) NULL,
    is_default bit NOT NULL,
    is_readonly bit NOT NULL,
    log_filegroup_guid uniqueidentifier NULL,
    PRIMARY KEY (backup_set_id, filegroup_id)
)
IF OBJECT_ID(N'dbo.backupfile', N'U') IS NULL
CREATE TABLE dbo.backupfile (
    backup_set_id int NOT NULL,
    first_family_number tinyint NULL,
    first_media_number smallint NULL,
    filegroup_name nvarchar(128) NULL,
    page_size int NULL,
    file_number numeric(10,0) NOT NULL,
    backed_up_page_count numeric(10,0) NULL,
    file_type char(1) NULL,
    source_file_block_size numeric(10,0) NULL,
    file_size numeric(20,0) NULL,
    logical_name nvarchar(128) NULL,
    physical_drive nvarchar(260) NULL,
    physical_name nvarchar(260) NULL,
    state tinyint NULL,
    state_desc nvarchar(64) NULL,
    create_lsn numeric(25,0) NULL,
    drop_lsn numeric(25,0) NULL,
    file_guid uniqueidentifier NULL,
    read_only_lsn numeric(25,0) NULL,
    read_write_lsn numeric(25,0) NULL,
    differential_base_lsn numeric(25,0) NULL,
    differential_base_guid uniqueidentifier NULL,
    backup_size numeric(20,0) NULL,
    filegroup_guid uniqueidentifier NULL,
    is_readonly bit NULL,
    is_present bit NULL,
    PRIMARY KEY (backup_set_id, file_number)
)
IF OBJECT_ID(N'dbo.restorehistory', N'U') IS NULL
CREATE TABLE dbo.restorehistory (
    restore_history_id int IDENTITY(1,1) NOT NULL PRIMARY KEY,
    restore_date datetime NULL,
    destination_database_name nvarchar(128) NULL,
    user_name nvarchar(128) NULL,
    backup_set_id int NOT NULL,
    restore_type char(1) NULL,
    replace bit NULL,
    recovery bit NULL,
    restart bit NULL,
    stop_at datetime NULL,
    device_count tinyint NULL,
    stop_at_mark_name nvarchar(128) NULL,
    stop_before bit NULL
)
IF OBJECT_ID(N'dbo.restorefile', N'U') IS NULL
CREATE TABLE dbo.restorefile (
    restore_history_id int NOT NULL,
    file_number numeric(10,0) NULL,
    destination_phys_drive nvarchar(260) NULL,
    destination_phys_name nvarchar(260) NULL
)
IF OBJECT_ID(N'dbo.restorefilegroup', N'U') IS NULL
CREATE TABLE dbo.restorefilegroup (
    restore_history_id int NOT NULL,
    filegroup_name nvarchar(128) NULL
)
IF OBJECT_ID(N'dbo.logmarkhistory', N'U') IS NULL
CREATE TABLE dbo.logmarkhistory (
    database_name nvarchar(128) NOT NULL,
    mark_name nvarchar(128) NOT NULL,
    description nvarchar(255) NULL,
    user_name nvarchar(128) NOT NULL,
    lsn numeric(25,0) NOT NULL,
    mark_time datetime NOT NULL
)
IF OBJECT_ID(N'dbo.suspect_pages', N'U') IS NULL
CREATE TABLE dbo.suspect_pages (
    database_id int NOT NULL,
    file_id int NOT NULL,
    page_id bigint NOT NULL,
    event_type int NOT NULL,
    error_count int NOT NULL,
    last_update_date datetime NOT NULL DEFAULT GETDATE()
)
GO
IF OBJECT_ID(N'dbo.sp_delete_backuphistory', N'P') IS NULL
EXEC (N'CREATE PROCEDURE dbo.sp_delete_backuphistory @oldest_date datetime
AS
BEGIN
    SET NOCOUNT ON
    BEGIN TRANSACTION
    DELETE msdb.dbo.restorefile WHERE restore_history_id IN (SELECT restore_history_id FROM msdb.dbo.restorehistory
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE backup_finish_date < @oldest_date))
    DELETE msdb.dbo.restorefilegroup WHERE restore_history_id IN (SELECT restore_history_id FROM msdb.dbo.restorehistory
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE backup_finish_date < @oldest_date))
    DELETE msdb.dbo.restorehistory
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE backup_finish_date < @oldest_date)
    DELETE msdb.dbo.backupfile
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE backup_finish_date < @oldest_date)
    DELETE msdb.dbo.backupfilegroup
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE backup_finish_date < @oldest_date)
    DELETE msdb.dbo.backupset WHERE backup_finish_date < @oldest_date
    DELETE msdb.dbo.backupmediafamily WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
    DELETE msdb.dbo.backupmediaset WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
    COMMIT
END')
IF OBJECT_ID(N'dbo.sp_delete_database_backuphistory', N'P') IS NULL
EXEC (N'CREATE PROCEDURE dbo.sp_delete_database_backuphistory @database_name sysname
AS
BEGIN
    SET NOCOUNT ON
    BEGIN TRANSACTION
    DELETE msdb.dbo.restorefile WHERE restore_history_id IN (SELECT restore_history_id FROM msdb.dbo.restorehistory
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE database_name = @database_name))
    DELETE msdb.dbo.restorefilegroup WHERE restore_history_id IN (SELECT restore_history_id FROM msdb.dbo.restorehistory
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE database_name = @database_name))
    DELETE msdb.dbo.restorehistory
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE database_name = @database_name)
    DELETE msdb.dbo.backupfile
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE database_name = @database_name)
    DELETE msdb.dbo.backupfilegroup
        WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE database_name = @database_name)
    DELETE msdb.dbo.backupset WHERE database_name = @database_name
    DELETE msdb.dbo.backupmediafamily WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
    DELETE msdb.dbo.backupmediaset WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
    COMMIT
END')

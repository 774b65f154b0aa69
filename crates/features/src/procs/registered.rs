//! The procedures of `procs`, as they are registered: names, parameters, code.

use super::{
    application_role, applock, constraints, contained, counters, depends, describe_rows,
    describe_views, devices, errorlog,
};
use super::{
    files, messages, monitor, sequence_range, session_context, space, startup, temporal_history,
    triggers,
};
use super::{
    help, odbc, odbc_columns, odbc_routines, odbc_tables, odbc_types, properties, recompile, rename,
};
use crate::features::Feature;
use crate::features::needs::{
    ALTERS, ALTERS_TRIGGERS, CREATES_DATABASES, Case, DB_OWNER, DatabaseRole, Needs, OnDatabase,
    OnObject, OnSchema, OnServer, SYSADMIN, ServerRole,
};
use crate::features::pipelining::Pipelining::{Reads, Session, Waits};
use crate::features::procedure::{SystemProcedure, native, outputs, sql};

/// The tables of the feature `procs`.
pub(crate) static FEATURE: Feature = Feature {
    procedures: PROCEDURES,
    views: &[describe_views::declare],
    start: Some(startup::launch),
    state: Some(|_| Box::new(temporal_history::Cleaning::default())),
    tick: Some(temporal_history::tick),
    ..Feature::NOTHING
};

/// The text of a procedure that describes a cursor of its caller's: its name, and the query that gives the rows.
macro_rules! describes {
    ($name:literal, $query:literal) => {
        concat!(
            "CREATE PROCEDURE sys.",
            $name,
            "\n    @cursor_return CURSOR VARYING OUTPUT,",
            "\n    @cursor_source nvarchar(30), @cursor_identity nvarchar(128)",
            "\nAS\nBEGIN\n    DECLARE @procedure sysname = '",
            $name,
            "'\n",
            include_str!("findcursor.sql"),
            include_str!($query),
            "    OPEN @cursor_return\n    RETURN 0\nEND\n",
        )
    };
}

const ATTACH_DB: &str = include_str!("attachdb.sql");
const ATTACH_SINGLE_FILE_DB: &str = include_str!("attachsinglefiledb.sql");
const CURSOR_LIST: &str = include_str!("cursorlist.sql");
const DESCRIBE_CURSOR: &str = describes!("sp_describe_cursor", "describecursor.sql");
const DESCRIBE_CURSOR_COLUMNS: &str =
    describes!("sp_describe_cursor_columns", "describecursorcolumns.sql");
const DESCRIBE_CURSOR_TABLES: &str =
    describes!("sp_describe_cursor_tables", "describecursortables.sql");
const FOREACH_DB: &str = include_str!("foreachdb.sql");
const FOREACH_TABLE: &str = include_str!("foreachtable.sql");
const HELPLOGINS: &str = include_str!("helplogins.sql");
const LOCK: &str = include_str!("lock.sql");
const RENAMEDB: &str = include_str!("renamedb.sql");
const FILE_EXIST: &str = include_str!("fileexist.sql");
const REG_READ: &str = include_str!("regread.sql");
const VALIDATELOGINS: &str = include_str!("validatelogins.sql");
const VARDECIMAL: &str = include_str!("vardecimal.sql");

/// sp_columns.
const COLUMNS: &[&str] = &[
    "@table_name!",
    "@table_owner",
    "@table_qualifier",
    "@column_name",
    "@NameScope",
    "@ODBCVer",
    "@fUsePattern",
];
/// sp_sequence_get_range.
const RANGE: &[&str] = &[
    "@sequence_name!",
    "@range_size!",
    "@range_first_value!",
    "@range_last_value",
    "@range_cycle_count",
    "@sequence_increment",
    "@sequence_min_value",
    "@sequence_max_value",
];
/// sp_dropextendedproperty.
const DROPPED_PROPERTY: &[&str] = &[
    "@name!",
    "@level0type",
    "@level0name",
    "@level1type",
    "@level1name",
    "@level2type",
    "@level2name",
];
/// xp_readerrorlog.
const ERROR_LOG: &[&str] = &["@p1", "@p2", "@p3", "@p4", "@p5", "@p6", "@p7"];
/// xp_msver: any of the names that it shows.
const FACTS: &[&str] = &["@p1", "@p2", "@p3", "@p4", "@p5", "@p6", "@p7", "@p8"];
/// The parameters of one procedure.
const PARAMETERS: &[&str] =
    &["@procedure_name!", "@group_number", "@procedure_schema", "@parameter_name"];
/// sp_addextendedproperty.
const PROPERTY: &[&str] = &[
    "@name!",
    "@value",
    "@level0type",
    "@level0name",
    "@level1type",
    "@level1name",
    "@level2type",
    "@level2name",
];
/// sp_sproc_columns.
const ROUTINE: &[&str] = &[
    "@procedure_name",
    "@procedure_owner",
    "@procedure_qualifier",
    "@column_name",
    "@ODBCVer",
    "@fUsePattern",
];
/// sp_special_columns.
const SPECIAL: &[&str] = &[
    "@table_name!",
    "@table_owner",
    "@table_qualifier",
    "@col_type",
    "@scope",
    "@nullable",
    "@ODBCVer",
];
/// sp_statistics.
const STATISTICS: &[&str] =
    &["@table_name!", "@table_owner", "@table_qualifier", "@index_name", "@is_unique", "@accuracy"];
/// sp_datatype_info.
const TYPES: &[&str] = &["@data_type", "@ODBCVer"];

/// Backup devices with names.
const DEVICES: Needs = Needs::InServerRole(ServerRole::Diskadmin);
const READS_SCHEMA: Needs = Needs::Schema(OnSchema::Select);

const COLUMNS_SEEN: Needs = Needs::All(&[READS_SCHEMA, Needs::Schema(OnSchema::ViewDefinition)]);

const CONFIGURES: Needs = Needs::All(&[
    Needs::Public,
    Needs::When(Case::Changed, &Needs::Server(OnServer::AlterSettings)),
]);

/// ALTER SETTINGS, which sysadmin and serveradmin have.
const SERVER_SETTINGS: Needs = Needs::Server(OnServer::AlterSettings);

/// As sys.dm_os_enumerate_fixed_drives, which shows the same.
const DRIVES: Needs = Needs::Server(OnServer::ViewServerPerformanceState);

const LISTS_DATABASES: Needs = Needs::Any(&[
    Needs::Database(OnDatabase::CreateDatabase),
    Needs::Server(OnServer::AlterAnyDatabase),
    Needs::Server(OnServer::ViewAnyDefinition),
]);

/// db_ddladmin may not change properties of the database itself.
const PROPERTIES: Needs = Needs::All(&[
    Needs::When(
        Case::Objects,
        &Needs::Any(&[ALTERS, DB_OWNER, Needs::InDatabaseRole(DatabaseRole::Ddladmin)]),
    ),
    Needs::When(Case::Databases, &DB_OWNER),
]);

const RENAMES: Needs = Needs::All(&[
    Needs::When(Case::Objects, &ALTERS),
    Needs::When(Case::Databases, &Needs::InServerRole(ServerRole::Dbcreator)),
]);

const SERVER_STATE: Needs = Needs::Server(OnServer::ViewServerState);

const SESSIONS: Needs =
    Needs::All(&[Needs::Public, Needs::When(Case::OtherSessions, &SERVER_STATE)]);

const SPACE: Needs = Needs::All(&[Needs::Public, Needs::When(Case::UsageUpdated, &DB_OWNER)]);

const TEXTS: Needs = Needs::All(&[
    Needs::Public,
    Needs::When(
        Case::UserModules,
        &Needs::Any(&[
            ALTERS,
            Needs::Object(OnObject::Control),
            Needs::Object(OnObject::TakeOwnership),
            Needs::Object(OnObject::ViewDefinition),
        ]),
    ),
]);

static PROCEDURES: &[SystemProcedure] = &[
    sql("sp_MSforeachdb", Needs::HandedText, FOREACH_DB),
    sql("sp_MSforeachtable", Needs::HandedText, FOREACH_TABLE),
    native("sp_addextendedproperty", PROPERTIES, Waits, PROPERTY, properties::add),
    native(
        "sp_addmessage",
        SERVER_SETTINGS,
        Waits,
        &["@msgnum", "@severity", "@msgtext", "@lang", "@with_log", "@replace"],
        messages::add,
    ),
    native(
        "sp_addumpdevice",
        DEVICES,
        Waits,
        &["@devtype!", "@logicalname!", "@physicalname!", "@cntrltype", "@devstatus"],
        devices::add,
    ),
    native(
        "sp_altermessage",
        SERVER_SETTINGS,
        Waits,
        &["@message_id!", "@parameter!", "@parameter_value!"],
        messages::alter,
    ),
    sql("sp_attach_db", CREATES_DATABASES, ATTACH_DB),
    sql("sp_attach_single_file_db", CREATES_DATABASES, ATTACH_SINGLE_FILE_DB),
    outputs(
        "sp_cleanup_temporal_history",
        DB_OWNER,
        Waits,
        &["@schema_name!", "@table_name!", "@row_count"],
        temporal_history::clean_up,
    ),
    native(
        "sp_column_privileges",
        READS_SCHEMA,
        Reads,
        &["@table_name!", "@table_owner", "@table_qualifier", "@column_name"],
        odbc_tables::column_privileges,
    ),
    native("sp_columns", COLUMNS_SEEN, Reads, COLUMNS, odbc_columns::columns),
    native("sp_columns_100", COLUMNS_SEEN, Reads, COLUMNS, odbc_columns::columns_100),
    native("sp_columns_90", COLUMNS_SEEN, Reads, COLUMNS, odbc_columns::columns_90),
    native(
        "sp_columns_ex",
        READS_SCHEMA,
        Reads,
        &[
            "@table_server!",
            "@table_name",
            "@table_schema",
            "@table_catalog",
            "@column_name",
            "@ODBCVer",
        ],
        odbc_tables::columns_ex,
    ),
    native("sp_configure", CONFIGURES, Waits, &["@configname", "@configvalue"], help::configure),
    sql("sp_cursor_list", Needs::Public, CURSOR_LIST),
    native("sp_cycle_errorlog", SYSADMIN, Waits, &[], errorlog::cycle),
    native("sp_databases", LISTS_DATABASES, Reads, &[], space::databases),
    native("sp_datatype_info", Needs::Public, Reads, TYPES, odbc_types::datatype_info),
    native("sp_datatype_info_100", Needs::Public, Reads, TYPES, odbc_types::datatype_info_100),
    native("sp_datatype_info_90", Needs::Public, Reads, TYPES, odbc_types::datatype_info_90),
    sql("sp_db_vardecimal_storage_format", Needs::Public, VARDECIMAL),
    native("sp_depends", Needs::Public, Reads, &["@objname!"], depends::depends),
    sql("sp_describe_cursor", Needs::Public, DESCRIBE_CURSOR),
    sql("sp_describe_cursor_columns", Needs::Public, DESCRIBE_CURSOR_COLUMNS),
    sql("sp_describe_cursor_tables", Needs::Public, DESCRIBE_CURSOR_TABLES),
    native(
        "sp_describe_first_result_set",
        Needs::HandedText,
        Reads,
        &["@tsql!", "@params", "@browse_information_mode"],
        describe_rows::first_result_set,
    ),
    native(
        "sp_describe_undeclared_parameters",
        Needs::HandedText,
        Reads,
        &["@tsql!", "@params"],
        describe_rows::undeclared,
    ),
    native("sp_dropdevice", DEVICES, Waits, &["@logicalname!", "@delfile"], devices::drop),
    native("sp_dropextendedproperty", PROPERTIES, Waits, DROPPED_PROPERTY, properties::drop),
    native("sp_dropmessage", SERVER_SETTINGS, Waits, &["@msgnum", "@lang"], messages::drop),
    native("sp_enumerrorlogs", SYSADMIN, Reads, &["@p1"], errorlog::list),
    native(
        "sp_fkeys",
        READS_SCHEMA,
        Reads,
        &[
            "@pktable_name",
            "@pktable_owner",
            "@pktable_qualifier",
            "@fktable_name",
            "@fktable_owner",
            "@fktable_qualifier",
        ],
        odbc::fkeys,
    ),
    native("sp_flush_log", Needs::Public, Waits, &[], super::flush_log),
    native(
        "sp_getapplock",
        Needs::Public,
        Waits,
        &["@Resource!", "@LockMode!", "@LockOwner", "@LockTimeout", "@DbPrincipal"],
        applock::get,
    ),
    native("sp_help", Needs::MetadataVisibility, Reads, &["@objname"], help::help),
    native(
        "sp_helpconstraint",
        Needs::MetadataVisibility,
        Reads,
        &["@objname!", "@nomsg"],
        constraints::helpconstraint,
    ),
    native("sp_helpdb", Needs::Public, Reads, &["@dbname"], space::helpdb),
    native("sp_helpfile", Needs::Public, Reads, &["@filename"], space::helpfile),
    native("sp_helpindex", Needs::MetadataVisibility, Reads, &["@objname!"], help::helpindex),
    sql("sp_helplogins", Needs::InServerRole(ServerRole::Securityadmin), HELPLOGINS),
    native("sp_helptext", TEXTS, Reads, &["@objname!", "@columnname"], help::helptext),
    native(
        "sp_helptrigger",
        Needs::MetadataVisibility,
        Reads,
        &["@tabname!", "@triggertype"],
        triggers::help,
    ),
    sql("sp_lock", SERVER_STATE, LOCK),
    native(
        "sp_migrate_user_to_contained",
        Needs::Server(OnServer::ControlServer),
        Waits,
        &["@username!", "@rename!", "@disablelogin!"],
        contained::migrate,
    ),
    native("sp_monitor", SYSADMIN, Waits, &[], monitor::run),
    native(
        "sp_pkeys",
        READS_SCHEMA,
        Reads,
        &["@table_name!", "@table_owner", "@table_qualifier"],
        odbc::pkeys,
    ),
    native(
        "sp_procedure_params_100_managed",
        Needs::MetadataVisibility,
        Reads,
        PARAMETERS,
        odbc_routines::params_100_managed,
    ),
    native(
        "sp_procedure_params_managed",
        Needs::MetadataVisibility,
        Reads,
        PARAMETERS,
        odbc_routines::params_managed,
    ),
    native(
        "sp_procedure_params_rowset",
        Needs::MetadataVisibility,
        Reads,
        PARAMETERS,
        odbc_routines::params_rowset,
    ),
    native(
        "sp_procoption",
        SYSADMIN,
        Waits,
        &["@ProcName!", "@OptionName!", "@OptionValue!"],
        startup::option,
    ),
    native("sp_readerrorlog", SYSADMIN, Reads, ERROR_LOG, errorlog::read),
    native("sp_recompile", ALTERS, Waits, &["@objname!"], recompile::recompile),
    native("sp_refreshsqlmodule", ALTERS, Waits, &["@name!", "@namespace"], help::refresh_module),
    native("sp_refreshview", ALTERS, Waits, &["@viewname!"], help::refresh),
    native(
        "sp_releaseapplock",
        Needs::Public,
        Waits,
        &["@Resource!", "@LockOwner", "@DbPrincipal"],
        applock::release,
    ),
    native(
        "sp_removedbreplication",
        SYSADMIN,
        Waits,
        &["@dbname", "@type"],
        recompile::remove_replication,
    ),
    native("sp_rename", RENAMES, Waits, &["@objname!", "@newname!", "@objtype"], rename::rename),
    sql("sp_renamedb", Needs::InServerRole(ServerRole::Dbcreator), RENAMEDB),
    outputs(
        "sp_sequence_get_range",
        Needs::Object(OnObject::Update),
        Reads,
        RANGE,
        sequence_range::get_range,
    ),
    native("sp_server_info", Needs::Public, Reads, &["@attribute_id"], odbc::server_info),
    native(
        "sp_set_session_context",
        Needs::Public,
        Session,
        &["@key!", "@value!", "@read_only"],
        session_context::set,
    ),
    outputs(
        "sp_setapprole",
        Needs::Public,
        Waits,
        &["@rolename!", "@password!", "@encrypt", "@fCreateCookie", "@cookie"],
        application_role::set,
    ),
    native(
        "sp_settriggerorder",
        ALTERS_TRIGGERS,
        Waits,
        &["@triggername!", "@order!", "@stmttype!", "@namespace"],
        triggers::set_order,
    ),
    native(
        "sp_spaceused",
        SPACE,
        Reads,
        &["@objname", "@updateusage", "@mode", "@oneresultset", "@include_total_xtp_storage"],
        space::spaceused,
    ),
    native("sp_special_columns", READS_SCHEMA, Reads, SPECIAL, odbc::special_columns),
    native("sp_special_columns_100", READS_SCHEMA, Reads, SPECIAL, odbc::special_columns_100),
    native("sp_special_columns_90", READS_SCHEMA, Reads, SPECIAL, odbc::special_columns_90),
    native("sp_sproc_columns", READS_SCHEMA, Reads, ROUTINE, odbc_routines::sproc_columns),
    native("sp_sproc_columns_100", READS_SCHEMA, Reads, ROUTINE, odbc_routines::sproc_columns_100),
    native("sp_sproc_columns_90", READS_SCHEMA, Reads, ROUTINE, odbc_routines::sproc_columns_90),
    native("sp_statistics", READS_SCHEMA, Reads, STATISTICS, odbc::statistics),
    native("sp_statistics_100", READS_SCHEMA, Reads, STATISTICS, odbc::statistics),
    native(
        "sp_stored_procedures",
        READS_SCHEMA,
        Reads,
        &["@sp_name", "@sp_owner", "@sp_qualifier", "@fUsePattern"],
        odbc::stored_procedures,
    ),
    native(
        "sp_table_privileges",
        READS_SCHEMA,
        Reads,
        &["@table_name!", "@table_owner", "@table_qualifier", "@fUsePattern"],
        odbc_tables::table_privileges,
    ),
    native(
        "sp_tablecollations",
        Needs::MetadataVisibility,
        Reads,
        &["@object!"],
        odbc_tables::tablecollations,
    ),
    native(
        "sp_tablecollations_100",
        Needs::MetadataVisibility,
        Reads,
        &["@object!"],
        odbc_tables::tablecollations_100,
    ),
    native(
        "sp_tablecollations_90",
        Needs::MetadataVisibility,
        Reads,
        &["@object!"],
        odbc_tables::tablecollations_90,
    ),
    native(
        "sp_tables",
        Needs::MetadataVisibility,
        Reads,
        &["@table_name", "@table_owner", "@table_qualifier", "@table_type", "@fUsePattern"],
        odbc_tables::tables,
    ),
    native(
        "sp_tableswc",
        Needs::MetadataVisibility,
        Reads,
        &[
            "@table_name",
            "@table_owner",
            "@table_qualifier",
            "@table_type",
            "@fUsePattern",
            "@fTableCreated",
        ],
        odbc_tables::tableswc,
    ),
    native("sp_unsetapprole", Needs::Public, Waits, &["@cookie!"], application_role::unset),
    native("sp_updateextendedproperty", PROPERTIES, Waits, PROPERTY, properties::update),
    native("sp_user_counter1", Needs::Public, Waits, &["@newvalue!"], counters::set::<0>),
    native("sp_user_counter10", Needs::Public, Waits, &["@newvalue!"], counters::set::<9>),
    native("sp_user_counter2", Needs::Public, Waits, &["@newvalue!"], counters::set::<1>),
    native("sp_user_counter3", Needs::Public, Waits, &["@newvalue!"], counters::set::<2>),
    native("sp_user_counter4", Needs::Public, Waits, &["@newvalue!"], counters::set::<3>),
    native("sp_user_counter5", Needs::Public, Waits, &["@newvalue!"], counters::set::<4>),
    native("sp_user_counter6", Needs::Public, Waits, &["@newvalue!"], counters::set::<5>),
    native("sp_user_counter7", Needs::Public, Waits, &["@newvalue!"], counters::set::<6>),
    native("sp_user_counter8", Needs::Public, Waits, &["@newvalue!"], counters::set::<7>),
    native("sp_user_counter9", Needs::Public, Waits, &["@newvalue!"], counters::set::<8>),
    sql("sp_validatelogins", Needs::InServerRole(ServerRole::Securityadmin), VALIDATELOGINS),
    native("sp_who", SESSIONS, Reads, &["@loginame"], help::who),
    native("sp_who2", SESSIONS, Reads, &["@loginame"], help::who2),
    native("xp_create_subdir", SYSADMIN, Waits, &["@path"], files::create_subdir),
    native(
        "xp_delete_file",
        SYSADMIN,
        Waits,
        &["@type", "@directory", "@extension", "@before", "@subdirectories"],
        files::delete_file,
    ),
    native("xp_dirtree", SYSADMIN, Reads, &["@directory", "@depth", "@file"], files::dirtree),
    native("xp_enumerrorlogs", SYSADMIN, Reads, &["@p1"], errorlog::list),
    sql("xp_fileexist", SYSADMIN, FILE_EXIST),
    native("xp_fixeddrives", DRIVES, Reads, &[], space::fixed_drives),
    sql("xp_instance_regread", Needs::Public, REG_READ),
    native("xp_msver", Needs::Public, Reads, FACTS, help::msver),
    native("xp_readerrorlog", SYSADMIN, Reads, ERROR_LOG, errorlog::read),
    sql("xp_regread", Needs::Public, REG_READ),
];

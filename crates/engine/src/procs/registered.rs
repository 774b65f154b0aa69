//! The procedures of `procs`, as they are registered: names, parameters, code.

use super::{
    Arguments, Body, SystemProcedure, applock, constraints, counters, describe_rows, diagnostics,
    errorlog, files, monitor,
};
use super::{
    help, odbc, odbc_columns, odbc_routines, odbc_tables, odbc_types, properties, recompile, rename,
};
use super::{session_context, space};
use crate::features::Feature;
use crate::session::context::StatementContext;
use taffrail_base::SqlResult;

/// What `procs` brings.
pub(crate) static FEATURE: Feature = Feature { procedures: PROCEDURES, ..Feature::NOTHING };

/// One of our own code.
pub(crate) const fn native(
    name: &'static str,
    parameters: &'static [&'static str],
    code: fn(&mut StatementContext<'_>, &Arguments<'_>) -> SqlResult<i32>,
) -> SystemProcedure {
    SystemProcedure { name, parameters, body: Body::Native(code) }
}

/// One in T-SQL, which declares its parameters itself.
const fn sql(name: &'static str, text: &'static str) -> SystemProcedure {
    SystemProcedure { name, parameters: &[], body: Body::Sql(text) }
}

const ATTACH_DB: &str = include_str!("attachdb.sql");
const ATTACH_SINGLE_FILE_DB: &str = include_str!("attachsinglefiledb.sql");
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

static PROCEDURES: &[SystemProcedure] = &[
    sql("sp_MSforeachdb", FOREACH_DB),
    sql("sp_MSforeachtable", FOREACH_TABLE),
    native("sp_addextendedproperty", PROPERTY, properties::add),
    sql("sp_attach_db", ATTACH_DB),
    sql("sp_attach_single_file_db", ATTACH_SINGLE_FILE_DB),
    native(
        "sp_column_privileges",
        &["@table_name!", "@table_owner", "@table_qualifier", "@column_name"],
        odbc_tables::column_privileges,
    ),
    native("sp_columns", COLUMNS, odbc_columns::columns),
    native("sp_columns_100", COLUMNS, odbc_columns::columns_100),
    native("sp_columns_90", COLUMNS, odbc_columns::columns_90),
    native(
        "sp_columns_ex",
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
    native("sp_configure", &["@configname", "@configvalue"], help::configure),
    native("sp_cycle_errorlog", &[], errorlog::cycle),
    native("sp_databases", &[], space::databases),
    native("sp_datatype_info", TYPES, odbc_types::datatype_info),
    native("sp_datatype_info_100", TYPES, odbc_types::datatype_info_100),
    native("sp_datatype_info_90", TYPES, odbc_types::datatype_info_90),
    sql("sp_db_vardecimal_storage_format", VARDECIMAL),
    native(
        "sp_describe_first_result_set",
        &["@tsql!", "@params", "@browse_information_mode"],
        describe_rows::first_result_set,
    ),
    native("sp_describe_undeclared_parameters", &["@tsql!", "@params"], describe_rows::undeclared),
    native("sp_dropextendedproperty", DROPPED_PROPERTY, properties::drop),
    native("sp_enumerrorlogs", &["@p1"], errorlog::list),
    native(
        "sp_fkeys",
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
    native("sp_flush_log", &[], super::flush_log),
    native(
        "sp_getapplock",
        &["@Resource!", "@LockMode!", "@LockOwner", "@LockTimeout", "@DbPrincipal"],
        applock::get,
    ),
    native("sp_help", &["@objname"], help::help),
    native("sp_helpconstraint", &["@objname!", "@nomsg"], constraints::helpconstraint),
    native("sp_helpdb", &["@dbname"], space::helpdb),
    native("sp_helpfile", &["@filename"], space::helpfile),
    native("sp_helpindex", &["@objname!"], help::helpindex),
    sql("sp_helplogins", HELPLOGINS),
    native("sp_helptext", &["@objname!", "@columnname"], help::helptext),
    sql("sp_lock", LOCK),
    native("sp_monitor", &[], monitor::run),
    native("sp_pkeys", &["@table_name!", "@table_owner", "@table_qualifier"], odbc::pkeys),
    native("sp_procedure_params_100_managed", PARAMETERS, odbc_routines::params_100_managed),
    native("sp_procedure_params_managed", PARAMETERS, odbc_routines::params_managed),
    native("sp_procedure_params_rowset", PARAMETERS, odbc_routines::params_rowset),
    native("sp_readerrorlog", ERROR_LOG, errorlog::read),
    native("sp_recompile", &["@objname!"], recompile::recompile),
    native("sp_refreshview", &["@viewname!"], help::refresh),
    native("sp_releaseapplock", &["@Resource!", "@LockOwner", "@DbPrincipal"], applock::release),
    native("sp_removedbreplication", &["@dbname", "@type"], recompile::remove_replication),
    native("sp_rename", &["@objname!", "@newname!", "@objtype"], rename::rename),
    sql("sp_renamedb", RENAMEDB),
    native("sp_server_diagnostics", &["@repeat_interval"], diagnostics::run),
    native("sp_server_info", &["@attribute_id"], odbc::server_info),
    native("sp_set_session_context", &["@key!", "@value!", "@read_only"], session_context::set),
    native(
        "sp_spaceused",
        &["@objname", "@updateusage", "@mode", "@oneresultset", "@include_total_xtp_storage"],
        space::spaceused,
    ),
    native("sp_special_columns", SPECIAL, odbc::special_columns),
    native("sp_special_columns_100", SPECIAL, odbc::special_columns_100),
    native("sp_special_columns_90", SPECIAL, odbc::special_columns_90),
    native("sp_sproc_columns", ROUTINE, odbc_routines::sproc_columns),
    native("sp_sproc_columns_100", ROUTINE, odbc_routines::sproc_columns_100),
    native("sp_sproc_columns_90", ROUTINE, odbc_routines::sproc_columns_90),
    native("sp_statistics", STATISTICS, odbc::statistics),
    native("sp_statistics_100", STATISTICS, odbc::statistics),
    native(
        "sp_stored_procedures",
        &["@sp_name", "@sp_owner", "@sp_qualifier", "@fUsePattern"],
        odbc::stored_procedures,
    ),
    native(
        "sp_table_privileges",
        &["@table_name!", "@table_owner", "@table_qualifier", "@fUsePattern"],
        odbc_tables::table_privileges,
    ),
    native("sp_tablecollations", &["@object!"], odbc_tables::tablecollations),
    native("sp_tablecollations_100", &["@object!"], odbc_tables::tablecollations_100),
    native("sp_tablecollations_90", &["@object!"], odbc_tables::tablecollations_90),
    native(
        "sp_tables",
        &["@table_name", "@table_owner", "@table_qualifier", "@table_type", "@fUsePattern"],
        odbc_tables::tables,
    ),
    native(
        "sp_tableswc",
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
    native("sp_updateextendedproperty", PROPERTY, properties::update),
    native("sp_user_counter1", &["@newvalue!"], counters::set::<0>),
    native("sp_user_counter10", &["@newvalue!"], counters::set::<9>),
    native("sp_user_counter2", &["@newvalue!"], counters::set::<1>),
    native("sp_user_counter3", &["@newvalue!"], counters::set::<2>),
    native("sp_user_counter4", &["@newvalue!"], counters::set::<3>),
    native("sp_user_counter5", &["@newvalue!"], counters::set::<4>),
    native("sp_user_counter6", &["@newvalue!"], counters::set::<5>),
    native("sp_user_counter7", &["@newvalue!"], counters::set::<6>),
    native("sp_user_counter8", &["@newvalue!"], counters::set::<7>),
    native("sp_user_counter9", &["@newvalue!"], counters::set::<8>),
    sql("sp_validatelogins", VALIDATELOGINS),
    native("sp_who", &["@loginame"], help::who),
    native("sp_who2", &["@loginame"], help::who2),
    native("xp_create_subdir", &["@path"], files::create_subdir),
    native(
        "xp_delete_file",
        &["@type", "@directory", "@extension", "@before", "@subdirectories"],
        files::delete_file,
    ),
    native("xp_dirtree", &["@directory", "@depth", "@file"], files::dirtree),
    native("xp_enumerrorlogs", &["@p1"], errorlog::list),
    sql("xp_fileexist", FILE_EXIST),
    native("xp_fixeddrives", &[], space::fixed_drives),
    sql("xp_instance_regread", REG_READ),
    native("xp_msver", FACTS, help::msver),
    native("xp_readerrorlog", ERROR_LOG, errorlog::read),
    sql("xp_regread", REG_READ),
];

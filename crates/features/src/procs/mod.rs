//! System procedures.
//!
//! Those that run statements of the caller's are T-SQL, compiled in and run by the interpreter in the caller's database;
//! those that show something are functions that send rows.
//!
//! | module | procedures |
//! |---|---|
//! | [`application_role`] | sp_setapprole, sp_unsetapprole |
//! | [`applock`] | sp_getapplock, sp_releaseapplock |
//! | [`session_context`] | sp_set_session_context |
//! | [`space`] | sp_spaceused, sp_helpdb, sp_helpfile, sp_databases |
//! | [`constraints`] | sp_helpconstraint |
//! | [`contained`] | sp_migrate_user_to_contained |
//! | [`help`] | sp_help, sp_helpindex, sp_helptext, sp_who, sp_who2, sp_configure, xp_msver |
//! | [`odbc_routines`], [`odbc_tables`] | sp_sproc_columns, sp_tables, privileges, collations |
//! | [`describe`], [`describe_rows`], [`describe_views`] | sp_describe_first_result_set with its views, sp_describe_undeclared_parameters |
//! | [`odbc`], [`odbc_columns`], [`odbc_types`] | sp_columns, sp_pkeys, sp_statistics, sp_datatype_info … |
//! | `foreachdb.sql`, `foreachtable.sql` | sp_MSforeachdb, sp_MSforeachtable |
//! | `cursorlist.sql`, `describecursor.sql` … | sp_cursor_list, sp_describe_cursor and its relatives |
//! | [`devices`] | sp_addumpdevice, sp_dropdevice |
//! | [`startup`] | sp_procoption, and the startup procedures themselves |
//! | [`rename`] | sp_rename |
//! | [`triggers`] | sp_helptrigger, sp_settriggerorder |
//! | [`temporal_history`] | sp_cleanup_temporal_history |
//! | [`recompile`] | sp_recompile, sp_removedbreplication |
//! | `helplogins.sql`, `lock.sql`, `renamedb.sql` | sp_helplogins, sp_lock, sp_renamedb |
//! | `vardecimal.sql` | sp_db_vardecimal_storage_format |
//! | `attachdb.sql`, `attachsinglefiledb.sql` | sp_attach_db, sp_attach_single_file_db |
//! | [`files`], `fileexist.sql` | xp_create_subdir, xp_delete_file, xp_dirtree, xp_fileexist |
//! | `regread.sql` | xp_instance_regread, xp_regread: the directories that a set-up writes there |

mod application_role;
mod applock;
mod constraints;
mod contained;
mod counters;
mod depends;
mod describe;
mod describe_rows;
mod describe_views;
mod devices;
mod errorlog;
mod files;
mod first_error;
mod help;
mod help_type;
mod messages;
mod monitor;
mod odbc;
mod odbc_columns;
mod odbc_routines;
mod odbc_tables;
mod odbc_types;
mod odbc_waits;
pub(crate) mod principals;
mod properties;
mod recompile;
mod registered;
mod rename;
mod sequence_range;
mod session_context;
mod space;
mod startup;
pub(crate) mod temporal_history;
mod triggers;

use crate::features::procedure::Arguments;
use crate::session::context::StatementContext;
pub(crate) use registered::FEATURE;
use taffrail_base::SqlResult;

/// `sys.sp_flush_log`: everything committed so far is on disk when it returns 1, which means success.
fn flush_log(cx: &mut StatementContext<'_>, _: &Arguments<'_>) -> SqlResult<i32> {
    cx.database().storage.flush_log().map_err(|e| e.to_sql())?;
    Ok(1)
}

//! DATABASEPROPERTYEX. A documented name has a value; that of a feature that is not there is 0.

use crate::exec::functions::{flag, int, text};
use crate::features::database_column;
use crate::session::Session;
use taffrail_base::SqlResult;
use taffrail_base::message::unsupported;
use taffrail_types::Value;

/// What sys.databases shows, by the column that shows it: the function and the view cannot disagree.
const SHOWN: [(&str, &str); 31] = [
    ("isansinulldefault", "is_ansi_null_default_on"),
    ("isansinullsenabled", "is_ansi_nulls_on"),
    ("isansipaddingenabled", "is_ansi_padding_on"),
    ("isansiwarningsenabled", "is_ansi_warnings_on"),
    ("isarithmeticabortenabled", "is_arithabort_on"),
    ("isautoclose", "is_auto_close_on"),
    ("isautocreatestatistics", "is_auto_create_stats_on"),
    ("isautocreatestatisticsincremental", "is_auto_create_stats_incremental_on"),
    ("isautoshrink", "is_auto_shrink_on"),
    ("isautoupdatestatistics", "is_auto_update_stats_on"),
    ("isclosecursorsoncommitenabled", "is_cursor_close_on_commit_on"),
    ("isfulltextenabled", "is_fulltext_enabled"),
    ("isinstandby", "is_in_standby"),
    ("islocalcursorsdefault", "is_local_cursor_default"),
    ("ismemoryoptimizedelevatetosnapshotenabled", "is_memory_optimized_elevate_to_snapshot_on"),
    ("ismergepublished", "is_merge_published"),
    ("isnullconcat", "is_concat_null_yields_null_on"),
    ("isnumericroundabortenabled", "is_numeric_roundabort_on"),
    ("isparameterizationforced", "is_parameterization_forced"),
    ("isquotedidentifiersenabled", "is_quoted_identifier_on"),
    ("ispublished", "is_published"),
    ("isrecursivetriggersenabled", "is_recursive_triggers_on"),
    ("issubscribed", "is_subscribed"),
    ("issyncwithbackup", "is_sync_with_backup"),
    ("isxtpsupported", "is_memory_optimized_enabled"),
    ("recovery", "recovery_model_desc"),
    ("status", "state_desc"),
    ("updateability", "is_read_only"),
    ("useraccess", "user_access_desc"),
    ("collation", "collation_name"),
    // TORN_PAGE_DETECTION is one of three options; this is the column of all three.
    ("istornpagedetectionenabled", "page_verify_option"),
];

/// `page_verify_option` of TORN_PAGE_DETECTION.
const TORN_PAGE_DETECTION: i64 = 1;

impl Session {
    /// A property by its name in lower case. NULL for a database that is not there, for a name that is not known, and for what only
    /// an open database tells.
    pub(in crate::exec) fn database_property(
        &self,
        database: &str,
        name: &str,
    ) -> SqlResult<Value> {
        let databases = self.instance.databases();
        let seen = self.databases_seen();
        let slot = databases.slot(database).filter(|slot| seen.database(&slot.entry));
        let Some(slot) = slot else { return Ok(Value::Null) };
        let open = slot.database.clone().filter(|_| slot.state().0 == 0);
        if let Some((_, column)) = SHOWN.iter().find(|(known, _)| *known == name) {
            let shown = database_column(databases, slot, column);
            return Ok(match name {
                "updateability" => {
                    text(if shown.as_i64() == Some(1) { "READ_ONLY" } else { "READ_WRITE" })
                }
                "istornpagedetectionenabled" => flag(shown.as_i64() == Some(TORN_PAGE_DETECTION)),
                _ => match (shown.as_text(), shown.as_i64()) {
                    (Some(shown), _) => text(&shown),
                    (None, Some(n)) => flag(n != 0),
                    (None, None) => Value::Null,
                },
            });
        }
        Ok(match name {
            // Copies of the schema alone are not made, and no backup suspends a database.
            "isclone" | "isverifiedclone" | "isdatabasesuspendedforsnapshotbackup" => flag(false),
            "lastgoodcheckdbtime" => {
                return Err(unsupported("DATABASEPROPERTYEX of LastGoodCheckDbTime"));
            }
            _ => open.map_or(Value::Null, |db| match name {
                "version" => int(957),
                "sqlsortorder" => int(db.collation().sort_order().into()),
                "comparisonstyle" => int(db.collation().comparison_style().cast_signed()),
                "lcid" => int(db.collation().lcid().cast_signed()),
                _ => Value::Null,
            }),
        })
    }
}

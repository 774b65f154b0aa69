//! Views of what there is none of: partition schemes, XML indexes, plan guides, assemblies, mirroring, endpoints but the one.
//! Scripts join them to indexes and databases, so they are there, and say so without rows or with NULLs.

use super::{Declaration, Rows, ViewContext, sys};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

fn none(_: &ViewContext<'_>, _: &[Value], _: &mut Rows) -> SqlResult<()> {
    Ok(())
}

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("partition_schemes", &["name sysname! · data_space_id int! · type char(2)! · type_desc nvarchar(60)? · is_default bit? · is_system bit? · function_id int!"], none),
        sys("partition_functions", &["name sysname! · function_id int! · type char(2)! · type_desc nvarchar(60)? · fanout int! · boundary_value_on_right bit! · is_system bit? · create_date datetime! · modify_date datetime!"], none),
        sys("database_mirroring", &["database_id int! · mirroring_guid uniqueidentifier? · mirroring_state tinyint? · mirroring_state_desc nvarchar(60)? · mirroring_role tinyint? · mirroring_role_desc nvarchar(60)? · mirroring_role_sequence int? · mirroring_safety_level tinyint? · mirroring_safety_level_desc nvarchar(60)? · mirroring_safety_sequence int? · mirroring_partner_name nvarchar(128)? · mirroring_partner_instance nvarchar(128)? · mirroring_witness_name nvarchar(128)? · mirroring_witness_state tinyint? · mirroring_witness_state_desc nvarchar(60)? · mirroring_failover_lsn numeric(25,0)? · mirroring_connection_timeout int? · mirroring_redo_queue int? · mirroring_redo_queue_type nvarchar(60)? · mirroring_end_of_log_lsn numeric(25,0)? · mirroring_replication_lsn numeric(25,0)?"], mirroring),
        sys("xml_indexes", &["object_id int! · name sysname? · index_id int! · type tinyint! · type_desc nvarchar(60)? · is_unique bit? · data_space_id int? · ignore_dup_key bit? · is_primary_key bit? · is_unique_constraint bit? · fill_factor tinyint! · is_padded bit? · is_disabled bit? · is_hypothetical bit? · is_ignored_in_optimization bit? · allow_row_locks bit? · allow_page_locks bit? · using_xml_index_id int? · secondary_type char(1)? · secondary_type_desc nvarchar(60)? · has_filter bit! · filter_definition nvarchar(max)? · xml_index_type tinyint? · xml_index_type_desc nvarchar(60)? · path_id int?"], none),
        sys("plan_guides", &["plan_guide_id int! · name sysname! · create_date datetime! · modify_date datetime! · is_disabled bit! · query_text nvarchar(max)? · scope_type tinyint! · scope_type_desc nvarchar(60)? · scope_object_id int? · scope_batch nvarchar(max)? · parameters nvarchar(max)? · hints nvarchar(max)?"], none),
        sys("assemblies", &["name sysname! · principal_id int? · assembly_id int! · clr_name nvarchar(4000)? · permission_set tinyint? · permission_set_desc nvarchar(60)? · is_visible bit! · create_date datetime! · modify_date datetime! · is_user_defined bit?"], none),
        sys("endpoints", &["name sysname! · endpoint_id int! · principal_id int? · protocol tinyint! · protocol_desc nvarchar(60)? · type tinyint! · type_desc nvarchar(60)? · state tinyint? · state_desc nvarchar(60)? · is_admin_endpoint bit!"], |_, _, rows| {
            // What every session comes by.
            rows.push(row!["TSQL Default TCP", 4, 1, 2, "TCP", 2, "TSQL", 0, "STARTED", false]);
            Ok(())
        }),
    ]);
}

/// A row for each database, as in SQL Server: none is mirrored.
fn mirroring(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for slot in cx.session.instance.databases().list() {
        let mut cells = vec![Value::Null; 21];
        cells[0] = Value::BigInt(slot.entry.id.0 as i64);
        rows.push(cells);
    }
    Ok(())
}

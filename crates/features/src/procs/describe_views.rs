//! sys.dm_exec_describe_first_result_set and its kin for procedures: see [`super::describe`].

use super::describe_rows::{described, described_object};
use crate::features::cell::Rows;
use crate::features::needs;
use crate::features::view::{Declaration, ViewContext, function, integer};
use taffrail_base::SqlResult;
use taffrail_base::message::unsupported;
use taffrail_types::Value;

const COLUMNS: &str = "\
    is_hidden bit? · column_ordinal int? · name sysname? · is_nullable bit? · system_type_id int? · \
    system_type_name nvarchar(256)? · max_length smallint? · precision tinyint? · scale tinyint? · \
    collation_name sysname? · user_type_id int? · user_type_database sysname? · user_type_schema sysname? · \
    user_type_name sysname? · assembly_qualified_type_name nvarchar(4000)? · xml_collection_id int? · \
    xml_collection_database sysname? · xml_collection_schema sysname? · xml_collection_name sysname? · \
    is_xml_document bit? · is_case_sensitive bit? · is_fixed_length_clr_type bit? · source_server sysname? · \
    source_database sysname? · source_schema sysname? · source_table sysname? · source_column sysname? · \
    is_identity_column bit? · is_part_of_unique_key bit? · is_updateable bit? · is_computed_column bit? · \
    is_sparse_column_set bit? · ordinal_in_order_by_list smallint? · order_by_list_length smallint? · \
    order_by_is_descending smallint? · tds_type_id int? · tds_length int? · tds_collation_id int? · \
    tds_collation_sort_id tinyint? · error_number int? · error_severity int? · error_state int? · \
    error_message nvarchar(4000)? · error_type int? · error_type_desc nvarchar(60)?";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        function("dm_exec_describe_first_result_set", needs::HANDED_TEXT, 3, &[COLUMNS], of_text),
        function(
            "dm_exec_describe_first_result_set_for_object",
            needs::HANDED_TEXT,
            2,
            &[COLUMNS],
            of_object,
        ),
    ]);
}

/// Source tables and hidden keys are not told.
fn without_browse(args: &[Value], at: usize) -> SqlResult<()> {
    match args.get(at).and_then(Value::as_i64).unwrap_or(0) {
        0 => Ok(()),
        _ => Err(unsupported("A description with browse information")),
    }
}

fn of_text(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    without_browse(args, 2)?;
    let Some(text) = args.first().and_then(Value::as_text) else { return Ok(()) };
    let declared = args.get(1).and_then(Value::as_text).unwrap_or_default();
    described(cx.session, &text, &declared).into_iter().for_each(|r| rows.push(r));
    Ok(())
}

fn of_object(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    without_browse(args, 1)?;
    let Some(id) = integer(args, 0)? else { return Ok(()) };
    described_object(cx.session, id as i32).into_iter().for_each(|r| rows.push(r));
    Ok(())
}

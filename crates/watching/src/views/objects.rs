//! sys.objects and what inherits from it; sys.columns and its kin; sys.parameters, sys.sql_modules,
//! sys.schemas.

use super::object_columns::{
    COLUMNS, COMPUTED_COLUMNS, ColumnRow, IDENTITY_COLUMNS, MASKED_COLUMNS, PARAMETERS,
    ParameterRow,
};
use super::{Declaration, Rows, ViewContext, all, by_column, sys};
use crate::catalog::TriggerScope;
use crate::catalog::{Column, Object, ObjectHead, ObjectKind, Table, startup_procedures};
use crate::features::needs;
use crate::permissions::SecurableClass;
use crate::row;
use taffrail_base::{DatabaseId, SqlResult};
use taffrail_types::Value;

/// The twelve columns of sys.objects, which its children repeat.
pub(super) const OBJECT: &str = "\
    name sysname! · object_id int! · principal_id int? · schema_id int! · parent_object_id int! · type char(2)? · \
    type_desc nvarchar(60)? · create_date datetime! · modify_date datetime! · is_ms_shipped bit? · \
    is_published bit? · is_schema_published bit?";

const TABLE: &str = "\
    lob_data_space_id int! · filestream_data_space_id int? · max_column_id_used int! · lock_on_bulk_load bit! · \
    uses_ansi_nulls bit? · is_replicated bit? · has_replication_filter bit? · is_merge_published bit? · \
    is_sync_tran_subscribed bit? · has_unchecked_assembly_data bit! · text_in_row_limit int? · \
    large_value_types_out_of_row bit? · is_tracked_by_cdc bit? · lock_escalation tinyint? · \
    lock_escalation_desc nvarchar(60)? · is_filetable bit? · durability tinyint? · durability_desc nvarchar(60)? · \
    is_memory_optimized bit? · temporal_type tinyint? · temporal_type_desc nvarchar(60)? · history_table_id int? · \
    is_remote_data_archive_enabled bit? · is_external bit! · history_retention_period int? · \
    history_retention_period_unit int? · history_retention_period_unit_desc nvarchar(10)? · is_node bit? · \
    is_edge bit? · data_retention_period int? · data_retention_period_unit int? · \
    data_retention_period_unit_desc nvarchar(10)? · ledger_type tinyint? · ledger_type_desc nvarchar(60)? · \
    ledger_view_id int? · is_dropped_ledger_table bit?";

const VIEW: &str = "\
    is_replicated bit? · has_replication_filter bit? · has_opaque_metadata bit! · has_unchecked_assembly_data bit! · \
    with_check_option bit! · is_date_correlation_view bit! · is_tracked_by_cdc bit? · has_snapshot bit? · \
    ledger_view_type tinyint? · ledger_view_type_desc nvarchar(60)? · is_dropped_ledger_view bit?";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("objects", needs::METADATA, &[OBJECT], |cx, _, rows| user_objects(cx, rows)),
        sys("all_objects", needs::METADATA, &[OBJECT], |cx, _, rows| {
            user_objects(cx, rows)?;
            system_objects(cx, rows)
        }),
        sys("system_objects", needs::METADATA, &[OBJECT], |cx, _, rows| system_objects(cx, rows)),
        sys("tables", needs::METADATA, &[OBJECT, TABLE], tables),

        sys(
            "procedures",
            needs::METADATA,
            &[
                OBJECT,
                "\
                    is_auto_executed bit! · is_execution_replicated bit? · is_repl_serializable_only bit? · \
                    skips_repl_constraints bit?",
            ],
            procedures,
        ),
        sys("views", needs::METADATA, &[OBJECT, VIEW], user_views),
        sys("all_views", needs::METADATA, &[OBJECT, VIEW], |cx, args, rows| {
            user_views(cx, args, rows)?;
            system_views(cx, args, rows)
        }),
        by_column("columns", needs::METADATA, COLUMNS, |cx, _, rows| {
            // With those of the system, as SQL Server lists the columns of its base tables, which are not tables of
            // sys.tables or sys.objects either: scripts count on there being a thousand rows.
            user_columns(cx, rows)?;
            system_columns(cx, rows)
        }),
        by_column("all_columns", needs::METADATA, COLUMNS, |cx, _, rows| {
            user_columns(cx, rows)?;
            system_columns(cx, rows)
        }),
        by_column("masked_columns", needs::METADATA, MASKED_COLUMNS, masked_columns),
        by_column("system_columns", needs::METADATA, COLUMNS, |cx, _, rows| system_columns(cx, rows)),
        by_column("identity_columns", needs::METADATA, IDENTITY_COLUMNS, identity_columns),
        by_column("computed_columns", needs::METADATA, COMPUTED_COLUMNS, computed_columns),
        by_column("parameters", needs::METADATA, PARAMETERS, parameters),
        by_column("all_parameters", needs::METADATA, PARAMETERS, parameters),
        sys("system_sql_modules", needs::METADATA, &[MODULE], system_modules),
        sys("sql_modules", needs::METADATA, &[MODULE], |cx, _, rows| modules(cx, rows)),
        sys("all_sql_modules", needs::METADATA, &[MODULE], |cx, _, rows| modules(cx, rows)),
        sys("schemas", needs::PUBLIC, &["name sysname! · schema_id int! · principal_id int?"], schemas),
        sys("system_views", needs::METADATA, &[OBJECT, VIEW], system_views),
        sys("synonyms", needs::METADATA, &[OBJECT, "base_object_name nvarchar(1035)?"], synonyms),
    ]);
}

const MODULE: &str = "\
    object_id int! · definition nvarchar(max)? · uses_ansi_nulls bit? · uses_quoted_identifier bit? · \
    is_schema_bound bit? · uses_database_collation bit? · is_recompiled bit? · null_on_null_input bit? · \
    execute_as_principal_id int? · uses_native_compilation bit? · inline_type bit? · is_inlineable bit?";

/// `principal_id` of an object or type: its own owner, where it has one beside that of its schema.
pub(super) fn own_owner(cx: &ViewContext<'_>, class: SecurableClass, id: i32) -> Option<i32> {
    cx.session.principals_of(cx.database).owner_of(class.number(), id)
}

/// The cells of [`OBJECT`].
pub(super) fn object_cells(cx: &ViewContext<'_>, head: &ObjectHead) -> Vec<Value> {
    row![
        &head.name,
        head.id.0,
        own_owner(cx, SecurableClass::Object, head.id.0),
        head.schema_id.0,
        head.parent.0,
        head.kind.code(),
        head.kind.description(),
        &head.created,
        &head.modified,
        false,
        false,
        false
    ]
}

fn user_objects(cx: &ViewContext<'_>, rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        rows.push(object_cells(cx, object.head()));
    }
    Ok(())
}

/// Those of every database: what stands in for tables of msdb is no system object.
pub(super) fn shown_views() -> impl Iterator<Item = &'static super::SystemView> {
    all().iter().filter(|v| v.schema != super::MSDB)
}

/// When the system's objects came to be: with master.
pub(super) fn system_date(cx: &ViewContext<'_>) -> Value {
    let slot = cx.session.instance.databases().slot("master");
    slot.map_or(Value::Null, |s| s.entry.created)
}

/// The schema of a system view. That of our own views has no row in sys.schemas: a database may have a schema of the name.
pub(super) fn schema_id(view: &super::SystemView) -> i32 {
    match view.schema {
        "sys" => 4,
        "INFORMATION_SCHEMA" => 3,
        _ => super::OWN_SCHEMA.0,
    }
}

fn system_object(name: &str, id: i32, schema: i32, kind: (&str, &str), date: &Value) -> Vec<Value> {
    row![name, id, (), schema, 0, kind.0, kind.1, date, date, true, false, false]
}

fn system_objects(cx: &ViewContext<'_>, rows: &mut Rows) -> SqlResult<()> {
    let date = system_date(cx);
    for view in shown_views() {
        let schema = schema_id(view);
        let kind = match view.arguments {
            None => ("V ", "VIEW"),
            Some(_) => ("IF", "SQL_INLINE_TABLE_VALUED_FUNCTION"),
        };
        rows.push(system_object(view.name, view.id, schema, kind, &date));
    }
    for (name, id) in crate::features::procedure::names() {
        rows.push(system_object(name, id, 4, ("P ", "SQL_STORED_PROCEDURE"), &date));
    }
    Ok(())
}

/// The cells of [`VIEW`].
fn view_cells(opaque: bool, check_option: bool) -> Vec<Value> {
    let mut cells = row![false, false, opaque, false, check_option, false, false, false];
    cells.extend(row![0, "NON_LEDGER_VIEW", false]);
    cells
}

fn user_views(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let Object::View(view) = object else { continue };
        let definition = crate::exec::user_views::definition(&view);
        let mut cells = object_cells(cx, &view.head);
        let opaque = view.options.view_metadata;
        cells.extend(view_cells(opaque, definition.is_ok_and(|d| d.check_option)));
        rows.push(cells);
    }
    Ok(())
}

fn system_views(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let date = system_date(cx);
    for view in shown_views().filter(|v| v.arguments.is_none()) {
        let schema = schema_id(view);
        let mut cells = system_object(view.name, view.id, schema, ("V ", "VIEW"), &date);
        cells.extend(view_cells(false, false));
        rows.push(cells);
    }
    Ok(())
}

/// `history_retention_period`, its unit and the unit's name; NULL for a table that keeps no history.
fn retention(head: &ObjectHead) -> (Option<i32>, Option<i32>, Option<&'static str>) {
    match (head.history(), head.retention()) {
        (None, _) => (None, None, None),
        (Some(_), None) => (Some(-1), Some(-1), Some("INFINITE")),
        (Some(_), Some(kept)) => {
            let (unit, name) = kept.unit.shown();
            (Some(kept.number), Some(unit), Some(name))
        }
    }
}

fn tables(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for table in cx.tables().into_iter().filter(|t| t.head.kind == ObjectKind::Table) {
        let has_lob = table.columns.iter().any(|c| c.ty.max_length() < 0);
        let mut cells = object_cells(cx, &table.head);
        let (temporal, kept) = (table.head.temporal_type(), retention(&table.head));
        cells.extend(row![
            has_lob as i32,
            (),
            table.max_column_id,
            false,
            true,
            false,
            false,
            false,
            false,
            false,
            0,
            false,
            false,
            table.head.escalation.shown().0,
            table.head.escalation.shown().1,
            false,
            0,
            "SCHEMA_AND_DATA",
            false,
            temporal.0,
            temporal.1,
            table.head.history().map(|h| h.0),
            false,
            false,
            kept.0,
            kept.1,
            kept.2,
            false,
            false,
            (),
            (),
            (),
            0,
            "NON_LEDGER_TABLE",
            (),
            false
        ]);
        rows.push(cells);
    }
    Ok(())
}

fn procedures(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let startup = match cx.database.id {
        DatabaseId(1) => startup_procedures::all(&cx.database.storage)?,
        _ => Vec::new(),
    };
    for object in cx.objects() {
        if let Object::Procedure(module) = object {
            let mut cells = object_cells(cx, &module.head);
            cells.extend(row![startup.contains(&module.head.id), false, false, false]);
            rows.push(cells);
        }
    }
    Ok(())
}

fn synonyms(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        if let Object::Synonym(synonym) = object {
            let mut cells = object_cells(cx, &synonym.head);
            cells.extend(row![synonym.base.to_string()]);
            rows.push(cells);
        }
    }
    Ok(())
}

fn user_columns(cx: &ViewContext<'_>, rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        for c in object.columns() {
            rows.show(COLUMNS, &ColumnRow::of(object.head().id.0, c));
        }
    }
    Ok(())
}

fn system_columns(cx: &ViewContext<'_>, rows: &mut Rows) -> SqlResult<()> {
    let collation = cx.database.collation();
    for view in shown_views() {
        for (at, c) in view.columns.iter().enumerate() {
            rows.show(COLUMNS, &ColumnRow::of_system(view.id, at, c, collation));
        }
    }
    Ok(())
}

fn computed_columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for table in cx.tables() {
        for c in table.columns.iter().filter(|c| c.computed.is_some()) {
            rows.show(COMPUTED_COLUMNS, &ColumnRow::of(table.head.id.0, c));
        }
    }
    Ok(())
}

fn masked_columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for table in cx.tables() {
        for c in table.columns.iter().filter(|c| c.mask.is_some()) {
            rows.show(MASKED_COLUMNS, &ColumnRow::of(table.head.id.0, c));
        }
    }
    Ok(())
}

fn identity_columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for table in cx.tables() {
        let Some(identity) = &table.identity else { continue };
        let c: &Column = &table.columns[identity.column];
        let variant = |v: i64| Value::Variant(Box::new((c.ty, identity.sequence.typed(v))));
        let last = identity.sequence.last().map_or(Value::Null, variant);
        let sequence = Some([variant(identity.seed), variant(identity.increment), last]);
        let row = ColumnRow { sequence, ..ColumnRow::of(table.head.id.0, c) };
        rows.show(IDENTITY_COLUMNS, &row);
    }
    // A view's column that is its table's identity is listed too, without what only the table knows.
    for object in cx.objects() {
        let Object::View(view) = object else { continue };
        for c in view.columns.iter().filter(|c| c.is_identity) {
            let row = ColumnRow { default: 0, ..ColumnRow::of(view.head.id.0, c) };
            rows.show(IDENTITY_COLUMNS, &row);
        }
    }
    Ok(())
}

fn parameters(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let Some(module) = object.as_module() else { continue };
        // The result of a scalar function is its parameter 0.
        let first = if module.result.is_some() { 0 } else { 1 };
        for id in first..=module.parameters.len() {
            rows.show(PARAMETERS, &ParameterRow { module: module.clone(), id });
        }
    }
    Ok(())
}

fn modules(cx: &ViewContext<'_>, rows: &mut Rows) -> SqlResult<()> {
    let own = cx.ddl_triggers(TriggerScope::Database)?;
    for object in cx.objects().into_iter().chain(own.into_iter().map(Object::DdlTrigger)) {
        let Some(module) = object.as_module() else { continue };
        // Who is shown a trigger of the database is shown its text.
        let seen = module.ddl.is_some() || cx.sees_definition(&module.head);
        rows.push(row![
            module.head.id.0,
            module.shown().filter(|_| seen),
            module.ansi_nulls,
            module.quoted_identifier,
            module.facts.schema_bound,
            false,
            module.options.recompile,
            module.facts.null_on_null_input,
            module.execute_as,
            false,
            module.head.kind == ObjectKind::ScalarFunction && !module.facts.inline_off
                || module.head.kind == ObjectKind::InlineFunction,
            module.facts.inlineable
        ]);
    }
    Ok(())
}

/// The procedures of the system that are T-SQL.
fn system_modules(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for (id, text) in crate::features::procedure::texts() {
        rows.push(row![id, text, true, true, false, false, false, false, (), false, false, false]);
    }
    Ok(())
}

fn schemas(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for schema in cx.schemas() {
        rows.push(row![&schema.name, schema.id.0, schema.principal]);
    }
    Ok(())
}

/// The constraints of a table, with the table.
pub(super) fn constraints(
    cx: &ViewContext<'_>,
    mut each: impl FnMut(&Table, &crate::catalog::ConstraintObject),
) {
    for object in cx.objects() {
        if let Object::Constraint(c) = object
            && let Some(table) = cx.table(c.head.parent)
        {
            each(&table, &c);
        }
    }
}

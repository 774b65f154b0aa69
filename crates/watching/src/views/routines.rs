//! ROUTINES, PARAMETERS and ROUTINE_COLUMNS of INFORMATION_SCHEMA: procedures and functions, what they take and what they give.

use super::cell::is_text;
use super::information_schema::{charset, declared_facts, object_columns, view};
use super::{Declaration, Rows, ViewContext};
use crate::catalog::{Module, Object, ObjectKind, Parameter};
use crate::features::needs;
use crate::row;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;
use taffrail_types::convert::Large;

/// The columns of ROUTINES.
const ROUTINES: &[&str] = &[
    "SPECIFIC_CATALOG nvarchar(128)?",
    "SPECIFIC_SCHEMA nvarchar(128)?",
    "SPECIFIC_NAME nvarchar(128)!",
    "ROUTINE_CATALOG nvarchar(128)?",
    "ROUTINE_SCHEMA nvarchar(128)?",
    "ROUTINE_NAME nvarchar(128)!",
    "ROUTINE_TYPE nvarchar(20)?",
    "MODULE_CATALOG nvarchar(128)?",
    "MODULE_SCHEMA nvarchar(128)?",
    "MODULE_NAME nvarchar(128)?",
    "UDT_CATALOG nvarchar(128)?",
    "UDT_SCHEMA nvarchar(128)?",
    "UDT_NAME nvarchar(128)?",
    "DATA_TYPE nvarchar(128)?",
    "CHARACTER_MAXIMUM_LENGTH int?",
    "CHARACTER_OCTET_LENGTH int?",
    "COLLATION_CATALOG nvarchar(128)?",
    "COLLATION_SCHEMA nvarchar(128)?",
    "COLLATION_NAME nvarchar(128)?",
    "CHARACTER_SET_CATALOG nvarchar(128)?",
    "CHARACTER_SET_SCHEMA nvarchar(128)?",
    "CHARACTER_SET_NAME nvarchar(128)?",
    "NUMERIC_PRECISION tinyint?",
    "NUMERIC_PRECISION_RADIX smallint?",
    "NUMERIC_SCALE int?",
    "DATETIME_PRECISION smallint?",
    "INTERVAL_TYPE nvarchar(30)?",
    "INTERVAL_PRECISION smallint?",
    "TYPE_UDT_CATALOG nvarchar(128)?",
    "TYPE_UDT_SCHEMA nvarchar(128)?",
    "TYPE_UDT_NAME nvarchar(128)?",
    "SCOPE_CATALOG nvarchar(128)?",
    "SCOPE_SCHEMA nvarchar(128)?",
    "SCOPE_NAME nvarchar(128)?",
    "MAXIMUM_CARDINALITY bigint?",
    "DTD_IDENTIFIER nvarchar(128)?",
    "ROUTINE_BODY nvarchar(30)?",
    "ROUTINE_DEFINITION nvarchar(4000)?",
    "EXTERNAL_NAME nvarchar(128)?",
    "EXTERNAL_LANGUAGE nvarchar(30)?",
    "PARAMETER_STYLE nvarchar(30)?",
    "IS_DETERMINISTIC nvarchar(10)?",
    "SQL_DATA_ACCESS nvarchar(30)?",
    "IS_NULL_CALL nvarchar(10)?",
    "SQL_PATH nvarchar(128)?",
    "SCHEMA_LEVEL_ROUTINE nvarchar(10)?",
    "MAX_DYNAMIC_RESULT_SETS smallint?",
    "IS_USER_DEFINED_CAST nvarchar(10)?",
    "IS_IMPLICITLY_INVOCABLE nvarchar(10)?",
    "CREATED datetime!",
    "LAST_ALTERED datetime!",
];

/// The columns of PARAMETERS.
const PARAMETERS: &[&str] = &[
    "SPECIFIC_CATALOG nvarchar(128)?",
    "SPECIFIC_SCHEMA nvarchar(128)?",
    "SPECIFIC_NAME nvarchar(128)!",
    "ORDINAL_POSITION int!",
    "PARAMETER_MODE nvarchar(10)?",
    "IS_RESULT nvarchar(10)?",
    "AS_LOCATOR nvarchar(10)?",
    "PARAMETER_NAME nvarchar(128)?",
    "DATA_TYPE nvarchar(128)?",
    "CHARACTER_MAXIMUM_LENGTH int?",
    "CHARACTER_OCTET_LENGTH int?",
    "NUMERIC_PRECISION tinyint?",
    "NUMERIC_PRECISION_RADIX smallint?",
    "NUMERIC_SCALE int?",
    "DATETIME_PRECISION smallint?",
];

/// The columns of ROUTINE_COLUMNS.
const ROUTINE_COLUMNS: &[&str] = &[
    "TABLE_CATALOG nvarchar(128)?",
    "TABLE_SCHEMA nvarchar(128)?",
    "TABLE_NAME nvarchar(128)!",
    "COLUMN_NAME nvarchar(128)?",
    "ORDINAL_POSITION int!",
    "COLUMN_DEFAULT nvarchar(4000)?",
    "IS_NULLABLE varchar(3)?",
    "DATA_TYPE nvarchar(128)?",
    "CHARACTER_MAXIMUM_LENGTH int?",
    "CHARACTER_OCTET_LENGTH int?",
    "NUMERIC_PRECISION tinyint?",
    "NUMERIC_PRECISION_RADIX smallint?",
    "NUMERIC_SCALE tinyint?",
    "DATETIME_PRECISION smallint?",
    "CHARACTER_SET_CATALOG varchar(6)?",
    "CHARACTER_SET_SCHEMA varchar(3)?",
    "CHARACTER_SET_NAME nvarchar(128)?",
    "COLLATION_CATALOG varchar(6)?",
    "COLLATION_SCHEMA varchar(3)?",
    "COLLATION_NAME nvarchar(128)?",
    "DOMAIN_CATALOG nvarchar(128)?",
    "DOMAIN_SCHEMA nvarchar(128)?",
    "DOMAIN_NAME nvarchar(128)?",
];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        view("ROUTINES", needs::METADATA, ROUTINES, routines),
        view("PARAMETERS", needs::METADATA, PARAMETERS, parameters),
        view("ROUTINE_COLUMNS", needs::METADATA, ROUTINE_COLUMNS, routine_columns),
    ]);
}

/// The procedures and functions.
fn modules(cx: &ViewContext<'_>) -> impl Iterator<Item = Arc<Module>> {
    cx.objects().into_iter().filter_map(|object| match object {
        Object::Procedure(m) | Object::Function(m) => Some(m),
        _ => None,
    })
}

fn routines(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for m in modules(cx) {
        let (db, schema, name) = (&cx.database.name, &m.head.schema, &m.head.name);
        let is_function = m.head.kind != ObjectKind::Procedure;
        let kind = if is_function { "FUNCTION" } else { "PROCEDURE" };
        let mut cells = row![db, schema, name, db, schema, name, kind, (), (), (), (), (), ()];
        cells.extend(result_facts(cx, &m));
        cells.extend((0..10).map(|_| Value::Null));
        let text = m.shown().filter(|_| cx.sees_definition(&m.head));
        let text = text.map(|text| text.chars().take(4000).collect::<String>());
        let deterministic = m.facts.schema_bound && m.facts.deterministic;
        let yes = |holds: bool| if holds { "YES" } else { "NO" };
        let called = is_function.then(|| yes(!m.facts.null_on_null_input));
        cells.extend(row![
            "SQL",
            text,
            (),
            (),
            (),
            yes(deterministic),
            if is_function { "READS" } else { "MODIFIES" },
            called,
            (),
            "YES",
            if is_function { 0 } else { -1 },
            "NO",
            "NO",
            &m.head.created,
            &m.head.modified
        ]);
        rows.push(cells);
    }
    Ok(())
}

/// DATA_TYPE to DATETIME_PRECISION of a routine's result.
fn result_facts(cx: &ViewContext<'_>, m: &Module) -> Vec<Value> {
    let Some(result) = &m.result else {
        let table = (m.head.kind != ObjectKind::Procedure).then_some("TABLE");
        return row![table, (), (), (), (), (), (), (), (), (), (), (), ()];
    };
    let declared = result.declared();
    let mut facts = declared_facts(declared);
    let numbers = facts.split_off(3);
    let text = is_text(result.ty) && result.large != Large::Xml;
    let collation = text.then(|| cx.database.collation().name());
    facts.extend(row![(), (), collation, (), (), charset(declared)]);
    facts.extend(numbers);
    facts
}

fn parameters(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for m in modules(cx) {
        let result = m.result.iter().map(|p| (0, p));
        let all = m.parameters.iter().enumerate().map(|(i, p)| (i as i32 + 1, p));
        for (place, p) in result.chain(all) {
            rows.push(parameter(cx, &m, place, p));
        }
    }
    Ok(())
}

/// A row of PARAMETERS; the result of a function stands at 0.
fn parameter(cx: &ViewContext<'_>, m: &Module, place: i32, p: &Parameter) -> Vec<Value> {
    let is_result = place == 0;
    let mode = match p.output {
        true if is_result => "OUT",
        true => "INOUT",
        false => "IN",
    };
    let (db, result) = (&cx.database.name, if is_result { "YES" } else { "NO" });
    let mut cells = row![db, &m.head.schema, &m.head.name, place, mode, result, "NO", &p.name];
    let facts = match p.readonly {
        true => row!["table type", (), (), (), (), (), ()],
        false => declared_facts(p.declared()),
    };
    cells.extend(facts);
    cells
}

fn routine_columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects().iter().filter(|o| matches!(o, Object::Function(_))) {
        object_columns(cx, object, rows);
    }
    Ok(())
}

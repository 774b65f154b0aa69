//! Dependencies: the names in modules, CHECK constraints, defaults and filters of indexes. They are looked up when they are shown: of what
//! has been dropped or renamed the name stays, without an id.

use super::cell::{Columns, IntoCell, no};
use super::{Declaration, Rows, ViewContext, by_column, sys};
use crate::catalog::{Object, ObjectHead, ObjectKind};
use crate::exec::dependencies::{Named, called, columns_of, found, named, references, referencing};
use crate::exec::references::References;
use crate::features::needs;
use crate::names::mentions;
use crate::plan::facts::{Action, Need};
use crate::row;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_syntax::ast::{Ident, ObjectName};
use taffrail_types::{Collation, Value};

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "sql_expression_dependencies",
            needs::DEPENDENCIES_SEEN,
            &[
                "referencing_id int! · referencing_minor_id int! · referencing_class tinyint?",
                "referencing_class_desc nvarchar(60)? · is_schema_bound_reference bit!",
                "referenced_class tinyint? · referenced_class_desc nvarchar(60)?",
                "referenced_server_name sysname? · referenced_database_name sysname?",
                "referenced_schema_name sysname? · referenced_entity_name sysname?",
                "referenced_id int? · referenced_minor_id int! · is_caller_dependent bit!",
                "is_ambiguous bit!",
            ],
            expression_dependencies,
        ),
        Declaration {
            arguments: Some((2, 2)),
            ..by_column(
                "dm_sql_referenced_entities",
                needs::DEPENDENCIES_SEEN,
                ENTITY,
                referenced_entities,
            )
        },
        Declaration {
            arguments: Some((2, 2)),
            ..by_column(
                "dm_sql_referencing_entities",
                needs::DEPENDENCIES_SEEN,
                REFERRER,
                referencing_entities,
            )
        },
        Declaration {
            schema: "INFORMATION_SCHEMA",
            ..sys(
                "VIEW_TABLE_USAGE",
                needs::METADATA,
                &[
                    "VIEW_CATALOG nvarchar(128)? · VIEW_SCHEMA nvarchar(128)? · VIEW_NAME sysname!",
                    "TABLE_CATALOG nvarchar(128)? · TABLE_SCHEMA nvarchar(128)? · TABLE_NAME sysname!",
                ],
                view_table_usage,
            )
        },
    ]);
}

/// `referencing_class` and `referenced_class` of objects and columns.
const OBJECT: (i32, &str) = (1, "OBJECT_OR_COLUMN");
/// `referencing_class` of a filtered index.
const INDEX: (i32, &str) = (7, "INDEX");
/// `referencing_class` of filtered statistics.
const STATISTICS: (i32, &str) = (9, "STATISTICS");

fn part(p: &Option<Ident>) -> Option<String> {
    p.as_ref().map(|i| i.value.to_string())
}

/// A row of sys.sql_expression_dependencies about an object of this database, or a column of it, that is schema-bound.
fn bound_row(
    from: (ObjectId, i32, (i32, &'static str)),
    to: &ObjectHead,
    column: i32,
) -> Vec<Value> {
    let (id, minor, (class, description)) = from;
    let (schema, name) = (&to.schema, &to.name);
    let mut cells = row![id.0, minor, class, description, true, OBJECT.0, OBJECT.1, (), ()];
    cells.extend(row![schema, name, to.id.0, column, false, false]);
    cells
}

fn expression_dependencies(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        match &object {
            Object::Constraint(_) => of_constraint(cx, &object, rows)?,
            Object::Table(_) => of_table(&object, rows),
            _ => of_text(cx, &object, rows)?,
        }
    }
    Ok(())
}

/// A module: a row for each name, and of what is schema-bound for each column.
fn of_text(cx: &ViewContext<'_>, object: &Object, rows: &mut Rows) -> SqlResult<()> {
    let head = object.head();
    let bound = match object {
        Object::Policy(p) => p.schema_bound,
        _ => object.as_module().is_some_and(|m| m.facts.schema_bound),
    };
    let References { names, needs, .. } = references(cx, object)?;
    for n in named(cx, object, names) {
        if let (true, Some(to)) = (bound, &n.object) {
            rows.push(bound_row((head.id, 0, OBJECT), to.head(), 0));
            for (id, ..) in columns_of(to, &needs) {
                rows.push(bound_row((head.id, 0, OBJECT), to.head(), id));
            }
            continue;
        }
        let name = &n.reference.name;
        let mut cells =
            row![head.id.0, 0, OBJECT.0, OBJECT.1, false, OBJECT.0, OBJECT.1, part(&name.server)];
        cells.extend(row![part(&name.database), part(&name.schema), name.name.value.to_string()]);
        let id = n.object.map(|o| o.head().id.0);
        cells.extend(row![id, 0, n.by_caller, n.ambiguous]);
        rows.push(cells);
    }
    Ok(())
}

/// A CHECK names columns of its table; a CHECK or default may call functions.
fn of_constraint(cx: &ViewContext<'_>, object: &Object, rows: &mut Rows) -> SqlResult<()> {
    let Object::Constraint(c) = object else { return Ok(()) };
    if !matches!(c.head.kind, ObjectKind::Check | ObjectKind::Default) {
        return Ok(());
    }
    let from = (c.head.id, 0, OBJECT);
    if let (ObjectKind::Check, Some(table)) = (c.head.kind, cx.table(c.head.parent)) {
        for column in &table.columns {
            if mentions(&c.definition, &column.name) {
                rows.push(bound_row(from, &table.head, column.id));
            }
        }
    }
    for beneath in called(cx, c) {
        rows.push(bound_row(from, beneath.head(), 0));
    }
    Ok(())
}

/// The columns that a table's computed columns read, and those that filters of its indexes and statistics name.
fn of_table(object: &Object, rows: &mut Rows) {
    let Object::Table(table) = object else { return };
    for computed in &table.columns {
        let Some(expression) = &computed.computed else { continue };
        for column in table.columns.iter().filter(|c| expression.reads(&c.name)) {
            rows.push(bound_row((table.head.id, computed.id, OBJECT), &table.head, column.id));
        }
    }
    let of_indexes = table.defined().map(|i| (i.id.0, INDEX, &i.filter));
    let of_statistics = table.statistics.iter().map(|s| (s.id.0, STATISTICS, &s.filter));
    for (minor, class, filter) in of_indexes.chain(of_statistics) {
        let Some(filter) = filter else { continue };
        for column in &table.columns {
            if mentions(&filter.definition, &column.name) {
                rows.push(bound_row((table.head.id, minor, class), &table.head, column.id));
            }
        }
    }
}

/// The object of a function's first argument, where the second one is its class.
fn asked(cx: &ViewContext<'_>, args: &[Value]) -> Option<Object> {
    let [name, class] = [0, 1].map(|at| args.get(at).and_then(Value::as_text));
    if !class?.eq_ignore_ascii_case("OBJECT") {
        return None;
    }
    let mut parts = crate::exec::procedure::name_parts(&name?);
    let name = parts.pop()?;
    // A schema has to be named.
    let schema = parts.pop()?;
    cx.objects().into_iter().find(|o| {
        let same = |a: &str, b: &str| Collation::default().eq_str(a, b);
        same(&o.head().name, &name) && same(&o.head().schema, &schema)
    })
}

/// An object that a module names, or a column of it.
struct Entity {
    named: Arc<Named>,
    /// The `column_id` and name of a column.
    column: Option<(i32, String)>,
    is_selected: bool,
    is_updated: bool,
    is_select_all: bool,
    is_all_columns_found: bool,
    is_insert_all: bool,
}

impl Entity {
    fn name(&self) -> &ObjectName {
        &self.named.reference.name
    }
}

const ENTITY: Columns<Entity> = &[&[
    ("referencing_minor_id int!", |_| 0_i32.cell()),
    ("referenced_server_name sysname?", |e| part(&e.name().server).cell()),
    ("referenced_database_name sysname?", |e| part(&e.name().database).cell()),
    ("referenced_schema_name sysname?", |e| part(&e.name().schema).cell()),
    ("referenced_entity_name sysname!", |e| e.name().name.value.to_string().cell()),
    ("referenced_minor_name sysname?", |e| e.column.as_ref().map(|c| &c.1).cell()),
    ("referenced_id int?", |e| e.named.object.as_ref().map(|o| o.head().id.0).cell()),
    ("referenced_minor_id int!", |e| e.column.as_ref().map_or(0, |c| c.0).cell()),
    ("referenced_class tinyint?", |_| OBJECT.0.cell()),
    ("referenced_class_desc nvarchar(60)?", |_| OBJECT.1.cell()),
    ("is_caller_dependent bit!", |e| e.named.by_caller.cell()),
    ("is_ambiguous bit!", |e| e.named.ambiguous.cell()),
    ("is_selected bit!", |e| e.is_selected.cell()),
    ("is_updated bit!", |e| e.is_updated.cell()),
    ("is_select_all bit!", |e| e.is_select_all.cell()),
    ("is_all_columns_found bit!", |e| e.is_all_columns_found.cell()),
    ("is_insert_all bit!", |e| e.is_insert_all.cell()),
    ("is_incomplete bit!", no),
]];

fn referenced_entities(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(object) = asked(cx, args) else { return Ok(()) };
    let References { names, needs, sources, incomplete } = references(cx, &object)?;
    for n in named(cx, &object, names).into_iter().map(Arc::new) {
        let id = n.object.as_ref().map(|o| o.head().id);
        let is = |holds: fn(&Need) -> bool| {
            needs.iter().any(|need| Some(need.object.object) == id && holds(need))
        };
        rows.show(
            ENTITY,
            &Entity {
                named: n.clone(),
                column: None,
                is_selected: id.is_some_and(|id| sources.contains(&id)),
                is_updated: is(|n| n.action.changes()),
                is_select_all: is(|n| n.action == Action::Select && n.all),
                is_all_columns_found: !incomplete,
                is_insert_all: is(|n| n.action == Action::Insert && n.all),
            },
        );
        // Columns are told where all that is named is there.
        let columns = n.object.iter().filter(|_| !incomplete).flat_map(|o| columns_of(o, &needs));
        for (id, column, is_selected, is_updated) in columns {
            let column = Some((id, column));
            let (is_select_all, is_insert_all, is_all_columns_found) = (false, false, true);
            rows.show(
                ENTITY,
                &Entity {
                    named: n.clone(),
                    column,
                    is_selected,
                    is_updated,
                    is_select_all,
                    is_all_columns_found,
                    is_insert_all,
                },
            );
        }
    }
    Ok(())
}

/// An object that names the one that is asked for.
struct Referrer {
    object: Object,
    by_caller: bool,
}

const REFERRER: Columns<Referrer> = &[&[
    ("referencing_schema_name sysname?", |r| (&r.object.head().schema).cell()),
    ("referencing_entity_name sysname!", |r| (&r.object.head().name).cell()),
    ("referencing_id int!", |r| r.object.head().id.0.cell()),
    ("referencing_class tinyint?", |_| OBJECT.0.cell()),
    ("referencing_class_desc nvarchar(60)?", |_| OBJECT.1.cell()),
    ("is_caller_dependent bit!", |r| r.by_caller.cell()),
]];

fn referencing_entities(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(object) = asked(cx, args) else { return Ok(()) };
    for (object, by_caller) in referencing(cx, &object)? {
        rows.show(REFERRER, &Referrer { object, by_caller });
    }
    Ok(())
}

fn view_table_usage(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let database = &cx.database.name;
    for object in cx.objects().into_iter().filter(|o| matches!(o, Object::View(_))) {
        let head = object.head();
        for r in references(cx, &object)?.names {
            let Some(of) = found(cx, &head.schema, &r.name) else { continue };
            let of = of.head();
            rows.push(row![database, &head.schema, &head.name, database, &of.schema, &of.name]);
        }
    }
    Ok(())
}

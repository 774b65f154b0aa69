//! What views and procedures name. Checks, defaults and filters are not listed.

use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::Object;
use crate::exec::references::{Reference, of_procedure, of_view};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
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

/// Each name of a module once, without temp tables and what is the system's.
fn references(cx: &ViewContext<'_>, object: &Object) -> SqlResult<Vec<Reference>> {
    let all = match object {
        Object::View(v) => of_view(cx.session, cx.database, v)?,
        Object::Procedure(p) => of_procedure(cx.session, cx.database, p)?,
        _ => Vec::new(),
    };
    let same = |a: &Reference, b: &Reference| {
        Collation::default().eq_str(&a.name.to_string(), &b.name.to_string())
    };
    let mut each: Vec<Reference> = Vec::new();
    for r in all {
        let system =
            r.name.schema.as_ref().is_some_and(|s| s.is("sys") || s.is("INFORMATION_SCHEMA"));
        let own = r.called && crate::absent::procedure(None, &r.name.name.value);
        let temp = r.name.name.value.starts_with('#');
        if !system && !own && !temp && !each.iter().any(|known| same(known, &r)) {
            each.push(r);
        }
    }
    Ok(each)
}

/// The object of this database that a name stands for: in the schema that it names, that of the module, or dbo.
fn found(cx: &ViewContext<'_>, within: &str, r: &Reference) -> Option<Object> {
    let name = &r.name;
    let elsewhere = name.database.as_ref().is_some_and(|d| !d.is(&cx.database.name));
    if elsewhere || name.server.is_some() {
        return None;
    }
    let (catalog, id) = (&cx.database.catalog, cx.session.id);
    match &name.schema {
        Some(schema) => catalog.find_named(Some(&schema.value), &name.name.value, id),
        None => catalog
            .find_named(Some(within), &name.name.value, id)
            .or_else(|| catalog.find_named(None, &name.name.value, id)),
    }
}

fn expression_dependencies(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    const CLASS: &str = "OBJECT_OR_COLUMN";
    for object in cx.objects() {
        let head = object.head();
        for r in references(cx, &object)? {
            let by_caller = r.called && r.name.schema.is_none();
            let id = found(cx, &head.schema, &r).filter(|_| !by_caller).map(|o| o.head().id.0);
            let part =
                |p: &Option<taffrail_syntax::ast::Ident>| p.as_ref().map(|i| i.value.to_string());
            rows.push(row![
                head.id.0,
                0,
                1,
                CLASS,
                false,
                1,
                CLASS,
                part(&r.name.server),
                part(&r.name.database),
                part(&r.name.schema),
                r.name.name.value.to_string(),
                id,
                0,
                by_caller,
                false
            ]);
        }
    }
    Ok(())
}

fn view_table_usage(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let database = &cx.database.name;
    for object in cx.objects().into_iter().filter(|o| matches!(o, Object::View(_))) {
        let head = object.head();
        for r in references(cx, &object)? {
            let Some(of) = found(cx, &head.schema, &r) else { continue };
            let of = of.head();
            rows.push(row![database, &head.schema, &head.name, database, &of.schema, &of.name]);
        }
    }
    Ok(())
}

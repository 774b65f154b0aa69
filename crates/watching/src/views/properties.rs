//! sys.extended_properties and fn_listextendedproperty.

use super::{Declaration, Rows, ViewContext, ranged, sys};
use crate::catalog::properties::ExtendedProperty;
use crate::catalog::{Object, fold};
use crate::features::needs;
use crate::names::is_kind;
use crate::row;
use taffrail_base::{ObjectId, SchemaId, SqlResult};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "extended_properties",
            needs::METADATA,
            &[
                "class tinyint!",
                "class_desc nvarchar(60)?",
                "major_id int!",
                "minor_id int!",
                "name sysname!",
                "value sql_variant?",
            ],
            all,
        ),
        ranged(
            "fn_listextendedproperty",
            needs::METADATA,
            (7, 7),
            &["objtype sysname?", "objname sysname?", "name sysname!", "value sql_variant?"],
            list,
        ),
    ]);
}

fn all(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let mut found = cx.database.catalog.properties()?;
    found.sort_by_key(|p| (p.owner.class, p.owner.major, p.owner.minor));
    for p in found {
        if p.owner.class == 1 && !cx.sees_object(p.owner.major) {
            continue;
        }
        let class = match p.owner.class {
            0 => "DATABASE",
            1 => "OBJECT_OR_COLUMN",
            3 => "SCHEMA",
            _ => "INDEX",
        };
        let o = p.owner;
        rows.push(row![o.class, class, o.major, o.minor, &*p.name, p.value]);
    }
    Ok(())
}

/// Arguments: the property's name, then three levels of type and name. What is NULL stands for all.
fn list(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let text = |at: usize| args.get(at).and_then(Value::as_text);
    let kind = |at: usize| text(at).map(|k| k.to_ascii_uppercase());
    let fits = |wanted: Option<&String>, name: &str| wanted.is_none_or(|w| fold(w) == fold(name));
    let property = text(0);
    let found = cx.database.catalog.properties()?;
    let mut tell = |class: u8, major: i32, minor: i32, shown: Option<(&str, &str)>| {
        let mine = |p: &&ExtendedProperty| {
            let o = p.owner;
            (o.class, o.major, o.minor) == (class, major, minor) && fits(property.as_ref(), &p.name)
        };
        for p in found.iter().filter(mine) {
            let (ty, name) = (shown.map(|s| s.0), shown.map(|s| s.1));
            rows.push(row![ty, name, &*p.name, p.value.clone()]);
        }
    };
    let Some(first) = kind(1) else {
        tell(0, 0, 0, None);
        return Ok(());
    };
    if !matches!(&*first, "SCHEMA" | "USER") {
        return Ok(());
    }
    let schema_name = text(2);
    let schemas: Vec<(SchemaId, String)> = cx
        .schemas()
        .iter()
        .filter(|s| fits(schema_name.as_ref(), &s.name))
        .map(|s| (s.id, s.name.to_string()))
        .collect();
    let Some(second) = kind(3) else {
        for (id, name) in &schemas {
            tell(3, id.0, 0, Some(("SCHEMA", name)));
        }
        return Ok(());
    };
    let object_name = text(4);
    let objects = cx.objects();
    let wanted = |o: &&Object| {
        let h = o.head();
        is_kind(h.kind, &second)
            && schemas.iter().any(|s| s.0 == h.schema_id)
            && fits(object_name.as_ref(), &h.name)
    };
    let (third, part) = (kind(5), text(6));
    for object in objects.iter().filter(wanted) {
        let id: ObjectId = object.head().id;
        match third.as_deref() {
            None => tell(1, id.0, 0, Some((&second, &object.head().name))),
            Some("COLUMN") => {
                for c in object.columns().iter().filter(|c| fits(part.as_ref(), &c.name)) {
                    tell(1, id.0, c.id, Some(("COLUMN", &c.name)));
                }
            }
            Some("INDEX") => {
                let indexes = object.as_table().map_or(&[][..], |t| &t.indexes);
                for i in indexes.iter().filter(|i| i.id.0 > 0 && fits(part.as_ref(), &i.name)) {
                    tell(7, id.0, i.id.0, Some(("INDEX", &i.name)));
                }
            }
            Some("CONSTRAINT") => {
                for o in objects.iter().filter(|o| o.head().parent == id) {
                    let h = o.head();
                    if fits(part.as_ref(), &h.name) {
                        tell(1, h.id.0, 0, Some(("CONSTRAINT", &h.name)));
                    }
                }
            }
            Some(_) => {}
        }
    }
    Ok(())
}

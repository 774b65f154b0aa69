//! sp_addextendedproperty, sp_updateextendedproperty, sp_dropextendedproperty; how their levels name things.

use super::Arguments;
use crate::catalog::properties::{self, PropertyOwner};
use crate::ddl::resolve;
use crate::exec::ddl_events::DdlEvent;
use crate::names::is_kind;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};

/// What a level names: `SCHEMA dbo`, `TABLE t`, `COLUMN c`.
pub(crate) struct Levels(pub [Option<String>; 6]);

impl Levels {
    fn of(args: &Arguments<'_>, from: usize) -> Levels {
        Levels(std::array::from_fn(|i| args.text(from + i)))
    }

    fn kind(&self, level: usize) -> Option<String> {
        self.0[level * 2].as_ref().map(|k| k.to_ascii_uppercase())
    }

    fn name(&self, level: usize) -> Option<&str> {
        self.0[level * 2 + 1].as_deref()
    }

    /// As messages show it.
    fn shown(&self) -> String {
        let names: Vec<&str> = (0..3).filter_map(|l| self.name(l)).collect();
        names.join(".")
    }
}

/// What is named, locked against others that change it: 15135, 15600.
fn owner(
    cx: &mut StatementContext<'_>,
    procedure: &str,
    levels: &Levels,
) -> SqlResult<PropertyOwner> {
    let wrong = || SqlError::new(15600, &[&procedure]);
    let missing = || SqlError::new(15135, &[&levels.shown()]);
    let database = cx.database();
    let session = cx.session.id;
    let Some(first) = levels.kind(0) else {
        let nothing = (1..3).all(|l| levels.kind(l).is_none());
        return if nothing {
            Ok(PropertyOwner { class: 0, major: 0, minor: 0 })
        } else {
            Err(wrong())
        };
    };
    let Some(schema) = levels.name(0).filter(|_| matches!(&*first, "SCHEMA" | "USER")) else {
        return Err(wrong());
    };
    let known = database.catalog.schema(schema, session).ok_or_else(missing)?;
    let Some(second) = levels.kind(1) else {
        return Ok(PropertyOwner { class: 3, major: known.id.0, minor: 0 });
    };
    if !matches!(&*second, "TABLE" | "VIEW" | "PROCEDURE") {
        return Err(taffrail_base::message::unsupported(format_args!(
            "An extended property of a {second}"
        )));
    }
    let name = levels.name(1).ok_or_else(wrong)?;
    let full = super::rename::object_name(&[name.to_string(), schema.to_string()]);
    let found = resolve::find(cx, &full)?.filter(|(_, o)| is_kind(o.head().kind, &second));
    let Some((database, object)) = found else { return Err(missing()) };
    let locked = resolve::lock_object(cx, &database, object.head())?;
    let Some(object) = locked.filter(|o| is_kind(o.head().kind, &second)) else {
        return Err(missing());
    };
    let major = object.head().id.0;
    let Some(third) = levels.kind(2) else {
        return Ok(PropertyOwner { class: 1, major, minor: 0 });
    };
    let part = levels.name(2).ok_or_else(wrong)?;
    match &*third {
        "COLUMN" => {
            let column = object.column(part).ok_or_else(missing)?;
            Ok(PropertyOwner { class: 1, major, minor: column.id })
        }
        "INDEX" => {
            let table = object.as_table().ok_or_else(missing)?;
            let index = table.index(part).ok_or_else(missing)?;
            Ok(PropertyOwner { class: 7, major, minor: index.id.0 })
        }
        "CONSTRAINT" => {
            let all = database.catalog.constraints_of(object.head().id, session);
            let same = |n: &str| crate::catalog::fold(n) == crate::catalog::fold(part);
            let found = all.iter().find(|c| same(&c.head.name)).ok_or_else(missing)?;
            Ok(PropertyOwner { class: 1, major: found.head.id.0, minor: 0 })
        }
        _ => Err(taffrail_base::message::unsupported(format_args!(
            "An extended property of a {third}"
        ))),
    }
}

/// The longest value of a property.
const MAX_VALUE_BYTES: usize = 7500;

fn set(
    cx: &mut StatementContext<'_>,
    procedure: &str,
    args: &Arguments<'_>,
    new: bool,
) -> SqlResult<i32> {
    let name = args.text(0).ok_or_else(|| SqlError::new(15600, &[&procedure]))?;
    let value = args.typed(1).map(|(value, ty)| match value {
        taffrail_types::Value::Variant(v) => (v.0, &v.1),
        v => (ty, v),
    });
    let bytes = value.and_then(|(_, v)| v.as_bytes()).map_or(0, <[u8]>::len);
    if bytes > MAX_VALUE_BYTES {
        return Err(SqlError::new(15097, &[]));
    }
    let levels = Levels::of(args, 2);
    let owner = owner(cx, procedure, &levels)?;
    let database = cx.database();
    let tx = cx.transaction(&database)?;
    let old = properties::find(tx, owner, &name)?;
    let shown = match levels.shown() {
        none if none.is_empty() => "object specified".to_string(),
        shown => shown,
    };
    match (&old, new) {
        (Some(_), true) => return Err(SqlError::new(15233, &[&name, &shown])),
        (None, false) => return Err(SqlError::new(15217, &[&name, &shown])),
        _ => {}
    }
    let name = old.as_ref().map_or(name.clone(), |p| p.name.clone());
    properties::write(tx, owner, old.as_ref(), &name, value)?;
    let text = args.text(1).unwrap_or_default();
    tell(cx, if new { "CREATE" } else { "ALTER" }, &levels, (&name, Some(&text)));
    Ok(0)
}

/// Notes the event: the securable, its part, the property.
fn tell(
    cx: &mut StatementContext<'_>,
    verb: &str,
    levels: &Levels,
    (name, value): (&str, Option<&str>),
) {
    let event = DdlEvent::in_database(&format!("{verb}_EXTENDED_PROPERTY"), &cx.database());
    let of = |level: usize| (levels.name(level).unwrap_or_default(), levels.kind(level));
    // A part is told with what it is a part of.
    let (target, object) = match (levels.kind(2), levels.kind(1)) {
        (Some(_), _) => (of(1), of(2)),
        (None, Some(_)) => (("", None), of(1)),
        _ => (("", None), of(0)),
    };
    let schema = if levels.kind(1).is_some() { levels.name(0).unwrap_or_default() } else { "" };
    cx.note_event(event.map(|e| {
        let e = e.with("SchemaName", schema).with("ObjectName", object.0);
        let e = e.with("ObjectType", &object.1.unwrap_or_default());
        let e = e.with("TargetObjectName", target.0);
        let e = e.with("TargetObjectType", &target.1.unwrap_or_default());
        let e = e.with("PropertyName", name);
        match value {
            Some(value) => e.with("PropertyValue", value),
            None => e,
        }
    }));
}

/// `sp_addextendedproperty`.
pub(super) fn add(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    set(cx, "sp_addextendedproperty", args, true)
}

/// `sp_updateextendedproperty`.
pub(super) fn update(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    set(cx, "sp_updateextendedproperty", args, false)
}

/// `sp_dropextendedproperty`.
pub(super) fn drop(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    const PROCEDURE: &str = "sp_dropextendedproperty";
    let name = args.text(0).ok_or_else(|| SqlError::new(15600, &[&PROCEDURE]))?;
    let levels = Levels::of(args, 1);
    let owner = owner(cx, PROCEDURE, &levels)?;
    let database = cx.database();
    let tx = cx.transaction(&database)?;
    match properties::find(tx, owner, &name)? {
        Some(property) => {
            properties::remove(tx, &property)?;
            tell(cx, "DROP", &levels, (&property.name, None));
        }
        None => return Err(SqlError::new(15217, &[&name, &levels.shown()])),
    }
    Ok(0)
}

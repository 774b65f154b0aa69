//! What modules and constraints depend on, and what depends on an object: names are looked up when they are asked for, so that of what
//! has been dropped or renamed the name stays.

use super::metadata::SessionMetadata;
use super::references::{NameInModule, References, of_module};
use crate::binder::{bind_check, bind_text, sequences_of};
use crate::catalog::{ConstraintObject, Module, Object, ObjectKind};
use crate::features::view::ViewContext;
use crate::plan::expr::{Expr, Part};
use crate::plan::facts::{Action, Need};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_syntax::ast::ObjectName;
use taffrail_types::Collation;

/// Each name of a module once, without temp tables and what is the system's; and what it needs.
pub fn references(cx: &ViewContext<'_>, object: &Object) -> SqlResult<References> {
    let all = of_module(cx.session, cx.database, object)?;
    let same = |a: &NameInModule, b: &NameInModule| {
        Collation::default().eq_str(&a.name.to_string(), &b.name.to_string())
    };
    let mut each: Vec<NameInModule> = Vec::new();
    for r in all.names {
        let system =
            r.name.schema.as_ref().is_some_and(|s| s.is("sys") || s.is("INFORMATION_SCHEMA"));
        let own = r.called && crate::absent::procedure(None, &r.name.name.value);
        let temp = r.name.name.value.starts_with('#');
        if !system && !own && !temp && !each.iter().any(|known| same(known, &r)) {
            each.push(r);
        }
    }
    Ok(References { names: each, ..all })
}

/// The object of this database that a name stands for: in the schema that it names, that of the module, or dbo.
pub fn found(cx: &ViewContext<'_>, within: &str, name: &ObjectName) -> Option<Object> {
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

/// A name of a module, and what it stands for.
pub struct Named {
    /// The name as the module has it.
    pub reference: NameInModule,
    /// The object of this database, if there is one.
    pub object: Option<Object>,
    /// Who calls decides which procedure is meant.
    pub by_caller: bool,
    /// Until it is bound it may be a function, or a method of a column.
    pub ambiguous: bool,
}

/// The names of a module with what they stand for.
pub fn named(cx: &ViewContext<'_>, of: &Object, names: Vec<NameInModule>) -> Vec<Named> {
    let head = of.head();
    // A view and an inline function are bound when they are made, and so is what is schema-bound.
    let bound_early = matches!(head.kind, ObjectKind::View | ObjectKind::InlineFunction)
        || of.as_module().is_some_and(|m| m.facts.schema_bound);
    let one = |reference: NameInModule| {
        let by_caller = reference.called && reference.name.schema.is_none();
        let object = found(cx, &head.schema, &reference.name).filter(|_| !by_caller);
        let scalar = object.as_ref().is_some_and(|o| o.head().kind == ObjectKind::ScalarFunction);
        let ambiguous = scalar && !bound_early && !reference.called;
        Named { reference, object, by_caller, ambiguous }
    };
    names.into_iter().map(one).collect()
}

/// The columns that a module reads or changes, by object: `column_id`, name, whether it is read, whether it is changed.
pub type Columns = Vec<(i32, String, bool, bool)>;

/// The columns of an object among the needs of a module.
pub fn columns_of(object: &Object, needs: &[Need]) -> Columns {
    let mut out = Columns::new();
    for need in needs.iter().filter(|n| n.object.object == object.head().id) {
        let (read, changed) = (need.action == Action::Select, need.action.changes());
        for (position, name) in &need.columns {
            let id = object.columns().get(*position).map_or(0, |c| c.id);
            match out.iter_mut().find(|c| c.0 == id) {
                Some(known) => (known.2, known.3) = (known.2 || read, known.3 || changed),
                None => out.push((id, name.to_string(), read, changed)),
            }
        }
    }
    out.sort_by_key(|c| c.0);
    out
}

/// The functions that a part of an expression calls.
fn functions_in(part: Part<'_>, out: &mut Vec<Arc<Module>>) {
    if let Part::Expr(Expr::UserCall(c)) = part
        && out.iter().all(|f| f.head.id != c.function.module.head.id)
    {
        out.push(c.function.module.clone());
    }
    match part {
        Part::Expr(e) => e.children(&mut |p| functions_in(p, out)),
        Part::Pred(p) => p.children(&mut |p| functions_in(p, out)),
        Part::Plan(_) => {}
    }
}

/// The functions that a CHECK or default calls, and the sequences of this database whose values it takes.
pub fn called(cx: &ViewContext<'_>, c: &ConstraintObject) -> Vec<Object> {
    let (mut out, mut sequences) = (Vec::new(), Vec::new());
    let metadata = SessionMetadata::lasting(cx.session, cx.database, true);
    match (c.head.kind, cx.table(c.head.parent)) {
        (ObjectKind::Check, Some(table)) => {
            if let Ok(p) = bind_check(&metadata, cx.database, &table, &c.definition) {
                functions_in(Part::Pred(&p), &mut out);
            }
        }
        (ObjectKind::Default, _) => {
            if let Ok((e, _)) = bind_text(&metadata, cx.database, &c.definition) {
                functions_in(Part::Expr(&e), &mut out);
                sequences_of(Part::Expr(&e), &mut sequences);
            }
        }
        _ => {}
    }
    let own = sequences.iter().map(|s| s.key()).filter(|key| key.0 == cx.database.id);
    let sequences = own.filter_map(|key| cx.database.catalog.object(key.1, cx.session.id));
    out.into_iter().map(Object::Function).chain(sequences).collect()
}

/// The modules, constraints and tables that name an object: schema, name, id, and whether who calls decides.
pub fn referencing(cx: &ViewContext<'_>, object: &Object) -> SqlResult<Vec<(Object, bool)>> {
    let mut out: Vec<(Object, bool)> = Vec::new();
    for other in cx.objects() {
        if let Object::Constraint(c) = &other {
            let calls = called(cx, c).iter().any(|o| o.head().id == object.head().id);
            if let (true, Some(table)) = (calls, cx.table(c.head.parent)) {
                out.push((Object::Table(table), false));
            }
            continue;
        }
        let names = references(cx, &other)?.names;
        let same = |n: &Named| match (&n.object, n.by_caller) {
            (Some(o), _) => o.head().id == object.head().id,
            (None, by_caller) => by_caller && n.reference.name.name.is(&object.head().name),
        };
        if let Some(n) = named(cx, &other, names).into_iter().find(same) {
            out.push((other, n.by_caller));
        }
    }
    out.sort_by_cached_key(|(o, _)| (o.head().schema.clone(), o.head().name.clone()));
    out.dedup_by_key(|(o, _)| o.head().id);
    Ok(out)
}

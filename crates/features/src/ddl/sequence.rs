//! CREATE and ALTER SEQUENCE.
//!
//! ALTER waits until nobody takes values of the sequence any more, and gives it the last value as it is then under a new number
//! ([`crate::catalog::sequence`]); so no value is skipped, and none comes twice.

use super::clauses::{resolve_type, types_of};
use super::{create, events, resolve};
use crate::binder::{bind_text, sequences_of};
use crate::catalog::sequence::{Cache, SequenceFacts, bounds};
use crate::catalog::{Object, ObjectHead, ObjectKind, SequenceObject, rows};
use crate::database::Database;
use crate::exec::metadata::SessionMetadata;
use crate::plan::expr::Part;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{self, OptionValue};
use taffrail_types::SqlType;

/// The options of a statement, as far as it has them; of a bound `Some(None)` is NO MINVALUE and its like.
#[derive(Default)]
struct SequenceOptions {
    start: Option<i128>,
    /// RESTART, with the value behind WITH.
    restart: Option<Option<i128>>,
    increment: Option<i128>,
    minimum: Option<Option<i128>>,
    maximum: Option<Option<i128>>,
    cycle: Option<bool>,
    cache: Option<Cache>,
    /// CACHE 1 was written.
    one_cached: bool,
}

/// `CREATE | ALTER SEQUENCE`: 11700 to 11715.
pub(crate) fn sequence(
    cx: &mut StatementContext<'_>,
    s: &ast::SequenceDefinition,
) -> SqlResult<()> {
    let name = &*s.name.name.value;
    if name.starts_with('#') {
        return Err(SqlError::new(11714, &[&name]));
    }
    if s.name.database.is_some() {
        let statement = if s.alter { "ALTER SEQUENCE" } else { "CREATE SEQUENCE" };
        return Err(SqlError::new(166, &[&statement]));
    }
    match s.alter {
        true => alter(cx, s)?,
        false => create(cx, s)?,
    }
    events::of_named(cx, if s.alter { "ALTER" } else { "CREATE" }, &s.name)
}

fn create(cx: &mut StatementContext<'_>, s: &ast::SequenceDefinition) -> SqlResult<()> {
    let name = &*s.name.name.value;
    let not_integer = || SqlError::new(11702, &[&name]);
    let ty = match &s.ty {
        None => SqlType::BigInt,
        Some(ty) => {
            let database = resolve::database_of(cx, &s.name)?;
            let types = types_of(cx.session, &database);
            resolve_type(&types, ty, 1)?.scalar(ty, 1)?.declared.ty
        }
    };
    let range = bounds(ty).ok_or_else(not_integer)?;
    let options = options(s, range)?;
    let increment = options.increment.unwrap_or(1);
    let minimum = options.minimum.flatten().unwrap_or(range.0);
    let maximum = options.maximum.flatten().unwrap_or(range.1);
    let facts = SequenceFacts {
        ty,
        start: options.start.unwrap_or(if increment < 0 { maximum } else { minimum }),
        increment,
        minimum,
        maximum,
        cycle: options.cycle.unwrap_or(false),
        cache: options.cache.unwrap_or_default(),
    };
    check(name, &facts)?;
    let target = resolve::target(cx, &s.name)?;
    resolve::require_free(cx, &target, 1)?;
    let catalog = &target.database.catalog;
    let schema = (target.schema.id, &target.schema.name);
    let head = create::head(catalog, ObjectKind::Sequence, schema, &target.name, ObjectId(0))?;
    resolve::lock(cx, &target.database, head.id)?;
    write(cx, &target.database, &head, &facts, None)?;
    tell(cx, &options, name)
}

fn alter(cx: &mut StatementContext<'_>, s: &ast::SequenceDefinition) -> SqlResult<()> {
    let name = &*s.name.name.value;
    let missing = || SqlError::new(15151, &[&"alter", &"sequence", &name]);
    if s.ty.is_some() {
        return Err(SqlError::new(11711, &[]));
    }
    if s.options.is_empty() {
        return Err(SqlError::new(11715, &[]));
    }
    let Some((database, object)) = resolve::find(cx, &s.name)? else { return Err(missing()) };
    let locked = resolve::lock_object(cx, &database, object.head())?.ok_or_else(missing)?;
    let Object::Sequence(old) = locked else { return Err(SqlError::new(11726, &[&s.name])) };
    let range = bounds(old.facts.ty).ok_or_else(|| SqlError::new(5243, &[]))?;
    let options = options(s, range)?;
    let was = old.facts;
    let bound = |new: Option<Option<i128>>, was, own: i128| new.map_or(was, |n| n.unwrap_or(own));
    let facts = SequenceFacts {
        start: options.restart.flatten().unwrap_or(was.start),
        increment: options.increment.unwrap_or(was.increment),
        minimum: bound(options.minimum, was.minimum, range.0),
        maximum: bound(options.maximum, was.maximum, range.1),
        cycle: options.cycle.unwrap_or(was.cycle),
        cache: options.cache.unwrap_or(was.cache),
        ty: was.ty,
    };
    let last = if options.restart.is_some() { None } else { old.numbers.last() };
    if let Some(last) = last.filter(|n| !(facts.minimum..=facts.maximum).contains(n)) {
        return Err(SqlError::new(11704, &[&last, &name]));
    }
    check(name, &facts)?;
    let mut head = old.head.clone();
    head.modified = database.catalog.now();
    write(cx, &database, &head, &facts, last)?;
    tell(cx, &options, name)
}

fn write(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    head: &ObjectHead,
    facts: &SequenceFacts,
    last: Option<i128>,
) -> SqlResult<()> {
    let session = cx.session.id;
    let numbers = database.catalog.new_numbers(last)?;
    let tx = cx.transaction(database)?;
    rows::write_object(tx, head, 0)?;
    rows::write_sequence(tx, head.id, facts, numbers)?;
    database.catalog.refresh(tx, session, &[head.id])
}

/// Says that a cache of one value is none.
fn tell(cx: &mut StatementContext<'_>, options: &SequenceOptions, name: &str) -> SqlResult<()> {
    match options.one_cached {
        true => cx.message(SqlError::new(11707, &[&name])),
        false => Ok(()),
    }
}

/// Whether properties agree with each other: 11700, 11701, 11703, 11705.
fn check(name: &str, f: &SequenceFacts) -> SqlResult<()> {
    let wrong = |number| Err(SqlError::new(number, &[&name]));
    if f.increment == 0 {
        return wrong(11700);
    }
    if f.minimum >= f.maximum {
        return wrong(11705);
    }
    // The difference of two values fits 128 bits without a sign.
    if f.increment.unsigned_abs() > f.maximum.wrapping_sub(f.minimum) as u128 {
        return wrong(11701);
    }
    if !(f.minimum..=f.maximum).contains(&f.start) {
        return wrong(11703);
    }
    Ok(())
}

/// The options of a sequence whose type has these bounds: 11706, 11708, 11709, 11710, 11712.
fn options(s: &ast::SequenceDefinition, range: (i128, i128)) -> SqlResult<SequenceOptions> {
    let mut out = SequenceOptions::default();
    let mut seen: Vec<&str> = Vec::new();
    for o in &s.options {
        let words = &*o.name.value;
        let subject = words.strip_prefix("NO ").unwrap_or(words);
        let subject = if subject == "RESTART WITH" { "RESTART" } else { subject };
        if seen.contains(&subject) {
            return Err(SqlError::new(11712, &[&subject]));
        }
        seen.push(subject);
        let number = match &o.value {
            Some(OptionValue::Number(text)) => Some(text.parse::<i128>()),
            _ => None,
        };
        let invalid = || SqlError::new(11708, &[&words]);
        let number = number.transpose().map_err(|_| invalid())?;
        let in_type = number.filter(|n| (range.0..=range.1).contains(n));
        let value = || in_type.ok_or_else(invalid);
        match words {
            "START WITH" if s.alter => return Err(SqlError::new(11710, &[])),
            "START WITH" => out.start = Some(value()?),
            "RESTART" | "RESTART WITH" if !s.alter => return Err(SqlError::new(11709, &[])),
            "RESTART" => out.restart = Some(None),
            "RESTART WITH" => out.restart = Some(Some(value()?)),
            // A step has a sign, whatever the type has.
            "INCREMENT BY" => {
                let least = range.0.min(-range.1);
                let step = number.filter(|n| (least..=range.1).contains(n));
                out.increment = Some(step.ok_or_else(invalid)?);
            }
            "MINVALUE" => out.minimum = Some(Some(value()?)),
            "MAXVALUE" => out.maximum = Some(Some(value()?)),
            "NO MINVALUE" => out.minimum = Some(None),
            "NO MAXVALUE" => out.maximum = Some(None),
            "CYCLE" | "NO CYCLE" => out.cycle = Some(words == "CYCLE"),
            "NO CACHE" => out.cache = Some(Cache::None),
            _ => {
                out.one_cached = number == Some(1);
                out.cache = Some(match number {
                    None => Cache::Default,
                    Some(..1) => {
                        return Err(SqlError::new(11706, &[&s.name.name.value]));
                    }
                    Some(1) => Cache::None,
                    Some(n) => Cache::Size(i32::try_from(n).map_err(|_| invalid())? as u32),
                });
            }
        }
    }
    Ok(out)
}

/// 3729: a default takes values of the sequence.
pub(super) fn require_unused(
    cx: &StatementContext<'_>,
    database: &Arc<Database>,
    sequence: &SequenceObject,
    written: &dyn std::fmt::Display,
) -> SqlResult<()> {
    match user_of(cx, database, sequence) {
        Some(default) => Err(SqlError::new(3729, &[&"DROP SEQUENCE", written, &default])),
        None => Ok(()),
    }
}

/// The name of a default that takes values of a sequence.
pub(crate) fn user_of(
    cx: &StatementContext<'_>,
    database: &Arc<Database>,
    sequence: &SequenceObject,
) -> Option<Arc<str>> {
    let key = (database.id, sequence.head.id);
    let metadata = SessionMetadata::new(cx.session, database, &[]);
    let takes = |definition: &str| {
        // One that cannot be bound any more takes no value.
        definition.contains("NEXT VALUE FOR")
            && bind_text(&metadata, database, definition).is_ok_and(|(e, _)| {
                let mut found = Vec::new();
                sequences_of(Part::Expr(&e), &mut found);
                found.iter().any(|s| s.key() == key)
            })
    };
    let tables = database.catalog.tables(cx.session.id);
    let mut defaults = tables.iter().flat_map(|t| &t.columns).filter_map(|c| c.default.as_ref());
    defaults.find(|d| takes(&d.definition)).map(|d| d.name.clone())
}

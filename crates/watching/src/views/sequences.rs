//! sys.sequences and INFORMATION_SCHEMA.SEQUENCES.

use super::objects::{OBJECT, object_cells};
use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::{Cache, Object, SequenceObject};
use crate::features::needs;
use crate::row;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let columns = &[
        OBJECT,
        "start_value sql_variant! · increment sql_variant! · minimum_value sql_variant! · maximum_value sql_variant! · \
         is_cycling bit? · is_cached bit? · cache_size int? · system_type_id tinyint! · user_type_id int! · \
         precision tinyint! · scale tinyint? · current_value sql_variant! · is_exhausted bit! · \
         last_used_value sql_variant?",
    ];
    views.push(sys("sequences", needs::METADATA, columns, sequences));
}

/// The sequences of the database.
fn all(cx: &ViewContext<'_>) -> impl Iterator<Item = Arc<SequenceObject>> {
    cx.objects().into_iter().filter_map(|o| match o {
        Object::Sequence(s) => Some(s),
        _ => None,
    })
}

/// A number as a sql_variant of the sequence's type.
fn variant(s: &SequenceObject, n: i128) -> Value {
    Value::Variant(Box::new((s.facts.ty, s.facts.value(n))))
}

fn sequences(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for s in all(cx) {
        let (facts, last) = (&s.facts, s.numbers.last());
        let size = if let Cache::Size(n) = facts.cache { Some(n as i32) } else { None };
        let type_id = facts.ty.system_type_id();
        let mut cells = object_cells(cx, &s.head);
        cells.extend(row![
            variant(&s, facts.start),
            Value::Variant(Box::new(facts.step())),
            variant(&s, facts.minimum),
            variant(&s, facts.maximum),
            facts.cycle,
            facts.cache != Cache::None,
            size,
            type_id,
            i32::from(type_id),
            facts.ty.precision(),
            facts.ty.scale(),
            variant(&s, last.unwrap_or(facts.start)),
            s.numbers.is_exhausted(),
            last.map_or(Value::Null, |n| variant(&s, n))
        ]);
        rows.push(cells);
    }
    Ok(())
}

/// INFORMATION_SCHEMA.SEQUENCES.
pub(super) fn information_schema(
    cx: &ViewContext<'_>,
    _: &[Value],
    rows: &mut Rows,
) -> SqlResult<()> {
    for s in all(cx) {
        let facts = &s.facts;
        rows.push(row![
            &cx.database.name,
            &s.head.schema,
            &s.head.name,
            facts.ty.name(),
            facts.ty.precision(),
            10_i16,
            i32::from(facts.ty.scale()),
            variant(&s, facts.start),
            variant(&s, facts.minimum),
            variant(&s, facts.maximum),
            Value::Variant(Box::new(facts.step())),
            i32::from(facts.cycle),
            (),
            (),
            ()
        ]);
    }
    Ok(())
}

//! `sp_sequence_get_range`: several values of a sequence at once.

use super::Arguments;
use super::rename::object_name;
use crate::catalog::Object;
use crate::ddl::resolve;
use crate::names::name_parts;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_types::{SqlType, Value};

/// The values of the output parameters: the first and the last value, how often the sequence began anew, and its properties. 11732 where
/// there are not so many values, 11733 for a size that is not positive.
pub(super) fn get_range(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<Vec<(usize, Value, SqlType)>> {
    let name = args.named(0);
    let size = args.number(1).and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
    let size = size.ok_or_else(|| SqlError::new(11733, &[&"@range_size"]))?;
    let missing = || SqlError::new(208, &[&name]);
    let found = resolve::find(cx, &object_name(&name_parts(&name)))?;
    let (database, object) = found.ok_or_else(missing)?;
    let (id, session) = (object.head().id, cx.session.id);
    if !matches!(object, Object::Sequence(_)) {
        return Err(SqlError::new(11726, &[&name]));
    }
    let tx = cx.session.change_in(&database)?;
    database.catalog.lock_table(tx, session, id, LockMode::SchS)?;
    let Some(Object::Sequence(sequence)) = database.catalog.object(id, session) else {
        return Err(missing());
    };
    let Some(range) = sequence.numbers.take_range(size)? else {
        return Err(SqlError::new(11732, &[&sequence.head.name]));
    };
    let facts = &sequence.facts;
    let variant = |n: i128| Value::Variant(Box::new((facts.ty, facts.value(n))));
    let cycles = i32::try_from(range.cycles).unwrap_or(i32::MAX);
    Ok(vec![
        (2, variant(range.first), SqlType::Variant),
        (3, variant(range.last), SqlType::Variant),
        (4, Value::Int(cycles), SqlType::Int),
        (5, Value::Variant(Box::new(facts.step())), SqlType::Variant),
        (6, variant(facts.minimum), SqlType::Variant),
        (7, variant(facts.maximum), SqlType::Variant),
    ])
}

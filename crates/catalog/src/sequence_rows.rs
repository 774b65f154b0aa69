//! Sequence objects to and from the rows of the catalogue's tables.
//!
//! `sysmodules` has the start, the increment, the least and the greatest value, the size of the cache (0: the server's choice) and
//! the number of the last value's rows, as text with blanks between; `syscolumns` has the type.

use super::object::ObjectHead;
use super::rows::{int, view_column, write_column};
use super::sequence::{self, Cache, Numbers, SequenceFacts, SequenceObject};
use super::systab::{self, SystemTables, bytes, number, text};
use super::{Catalog, ensure_schema_version};
use crate::rowcodec::{damaged, typecode};
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::{Collation, Value};

/// The version of the catalogue's tables that knows sequences.
const SEQUENCES: i64 = 6;

const CYCLES: i64 = 1;
const NOT_CACHED: i64 = 2;

/// Writes the properties of a sequence whose last value the rows of this number say.
pub fn write_sequence(
    tx: &mut Transaction,
    sequence: ObjectId,
    facts: &SequenceFacts,
    numbers: i64,
) -> SqlResult<()> {
    ensure_schema_version(tx, SEQUENCES)?;
    let size = if let Cache::Size(n) = facts.cache { n } else { 0 };
    let flags = if facts.cycle { CYCLES } else { 0 }
        | if facts.cache == Cache::None { NOT_CACHED } else { 0 };
    let SequenceFacts { start, increment, minimum, maximum, .. } = facts;
    let text = format!("{start} {increment} {minimum} {maximum} {size} {numbers}");
    let row = [int(flags), Value::nvarchar(&text)];
    systab::put(tx, &SystemTables::MODULES, &[sequence.0 as i64], &row)?;
    let column = view_column(1, "".into(), facts.ty, false, Collation::default());
    write_column(tx, sequence, &column, None)
}

/// The properties of a sequence and the number of its last value.
fn read_sequence(tx: &mut Transaction, id: ObjectId) -> SqlResult<(SequenceFacts, i64)> {
    let wrong = || damaged("a sequence");
    let row = systab::get(tx, &SystemTables::MODULES, &[id.0 as i64])?.ok_or_else(wrong)?;
    let column = systab::get(tx, &SystemTables::COLUMNS, &[id.0 as i64, 1])?.ok_or_else(wrong)?;
    let (flags, text) = (number(&row, 0)?, text(&row, 1)?);
    let numbers: Option<Vec<i128>> = text.split(' ').map(|n| n.parse().ok()).collect();
    let Some(&[start, increment, minimum, maximum, size, numbers]) = numbers.as_deref() else {
        return Err(wrong());
    };
    let ty = typecode::type_from_bytes(bytes(&column, 1)?)?;
    let (low, high) = sequence::bounds(ty).ok_or_else(wrong)?;
    let in_order = low <= minimum && minimum <= start && start <= maximum && maximum <= high;
    if !in_order || increment == 0 {
        return Err(wrong());
    }
    let cache = match u32::try_from(size).map_err(|_| wrong())? {
        _ if flags & NOT_CACHED != 0 => Cache::None,
        0 => Cache::Default,
        size => Cache::Size(size),
    };
    let cycle = flags & CYCLES != 0;
    let facts = SequenceFacts { ty, start, increment, minimum, maximum, cycle, cache };
    Ok((facts, i64::try_from(numbers).map_err(|_| wrong())?))
}

impl Catalog {
    /// A sequence from its rows. All snapshots of one number share its values.
    pub(super) fn read_sequence_object(
        &self,
        tx: &mut Transaction,
        head: ObjectHead,
    ) -> SqlResult<Arc<SequenceObject>> {
        let (facts, id) = read_sequence(tx, head.id)?;
        let mut known = self.numbers.lock();
        let numbers = match known.get(&id) {
            Some(numbers) => numbers.clone(),
            None => {
                let numbers = Arc::new(Numbers::open(tx, &self.storage, id, facts)?);
                known.insert(id, numbers.clone());
                numbers
            }
        };
        Ok(Arc::new(SequenceObject { head, facts, numbers }))
    }
}

//! Rows as the engine reads them from pages.

use std::sync::OnceLock;

use taffrail_base::SqlResult;
use taffrail_engine::rows::{Lobs, NoLobs, RowLayout, key, typecode};
use taffrail_storage::LobRef;
use taffrail_types::{MaxLen, SqlType, Value};

/// Hands out bytes of its own for any reference.
struct AnyLobs(Vec<u8>);

impl Lobs for AnyLobs {
    fn write(&mut self, bytes: &[u8]) -> SqlResult<LobRef> {
        NoLobs.write(bytes)
    }

    fn read(&mut self, lob: LobRef) -> SqlResult<Vec<u8>> {
        Ok(self.0[..self.0.len().min(lob.length as usize)].to_vec())
    }
}

/// Layouts: every type in one row, rows of one type each, long and short ones.
fn layouts() -> &'static [(RowLayout, Vec<Value>)] {
    static LAYOUTS: OnceLock<Vec<(RowLayout, Vec<Value>)>> = OnceLock::new();
    LAYOUTS.get_or_init(|| {
        let all = super::tds::samples();
        let mut sets: Vec<Vec<(SqlType, Value)>> = vec![all.clone()];
        sets.extend(all.iter().map(|pair| vec![pair.clone()]));
        sets.push(vec![
            (SqlType::Int, Value::Int(1)),
            (SqlType::VarChar(MaxLen::N(50)), Value::varchar("name")),
            (SqlType::NVarChar(MaxLen::N(50)), Value::Null),
            (SqlType::Bit, Value::Bit(true)),
            (SqlType::VarBinary(MaxLen::Max), Value::binary(&[7; 30])),
        ]);
        sets.into_iter()
            .map(|set| {
                let (types, values): (Vec<_>, Vec<_>) = set.into_iter().unzip();
                (RowLayout::of_types(types), values)
            })
            .collect()
    })
}

/// The first byte says which layout; the rest is the row.
pub fn row(input: &[u8]) -> bool {
    let Some((&which, bytes)) = input.split_first() else { return false };
    let (layout, _) = &layouts()[usize::from(which) % layouts().len()];
    let mut values = Vec::new();
    let mut lobs = AnyLobs(bytes.to_vec());
    let decoded = layout.decode(bytes, &mut values, &mut lobs).is_ok();
    for column in 0..layout.columns().len() {
        let _ = (layout.cell(bytes, column), layout.get(bytes, column, &mut lobs));
    }
    let mut row = bytes.to_vec();
    for (column, value) in values.iter().enumerate() {
        let _ = layout.patch(&mut row, column, value);
    }
    let _ = (layout.lobs(bytes), key::read_entry(bytes));
    let stored = (typecode::read_variant(bytes), typecode::type_from_bytes(bytes));
    decoded || stored.0.is_ok()
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (which, (layout, values)) in layouts().iter().enumerate() {
        let mut row = Vec::new();
        if layout.encode(values, &mut row, &mut NoLobs).is_ok() {
            seeds.push([vec![which as u8], row.clone()].concat());
        }
        let mut variant = vec![which as u8];
        if values.len() == 1
            && typecode::append_variant(&mut variant, layout.columns()[0].ty, &values[0]).is_ok()
        {
            seeds.push(variant);
        }
    }
    seeds.retain(|s| s.len() < 9000);
    seeds
}

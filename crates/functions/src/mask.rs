//! The mask over a value that leaves a query: the value itself for whoever has UNMASK on all that it comes from.

use super::{Call, Determinism, Function, Named, SettledCall, Signature};
use smallvec::smallvec;
use std::sync::Arc;
use taffrail_base::{DatabaseId, ObjectId, SqlResult};
use taffrail_types::mask::{MaskFunction, hidden, hidden_xml};
use taffrail_types::{Collation, SqlType, Value};

/// The function's name, which cannot be written in a query: only the binder calls it.
pub const MASK: &str = "DATA MASK";

/// A column that has a mask.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MaskedColumn {
    /// The database that the table belongs to.
    pub database: DatabaseId,
    /// The table, by its id; 0 for a temporary one, of which UNMASK on tempdb decides.
    pub table: ObjectId,
    /// The `column_id` of the column.
    pub column: i32,
}

/// A mask over a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mask {
    /// The function of the column that the value is; none for an expression, which is masked by its type.
    pub function: Option<Arc<MaskFunction>>,
    /// The masked columns that the value comes from, in order.
    pub columns: Vec<MaskedColumn>,
    /// The value is xml.
    pub xml: bool,
}

impl Mask {
    /// The call that masks a value of a type and collation.
    pub fn call(self, ty: SqlType, collation: Collation) -> SettledCall {
        SettledCall {
            function: Named(&FUNCTIONS[0]),
            datepart: None,
            params: smallvec![ty],
            result: ty,
            collations: smallvec![collation],
            form: None,
            mask: Some(Arc::new(self)),
        }
    }
}

pub(crate) static FUNCTIONS: &[Function] = &[Function {
    name: MASK,
    args: (1, 1),
    datepart: false,
    determinism: Determinism::PerCall,
    rule: |r| {
        let ty = r.args.first().copied().unwrap_or(SqlType::Int);
        Ok(Signature { params: smallvec![ty], result: ty })
    },
    code: super::Code::Own(masked),
}];

fn masked(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(mask), Some(value)) = (&c.bound.mask, args.first()) else { return Ok(Value::Null) };
    if value.is_null() || c.context.unmasks(mask) {
        return Ok(value.clone());
    }
    if mask.xml {
        return Ok(hidden_xml());
    }
    let page = c.bound.collations.first().copied().unwrap_or_default().page();
    let ty = c.bound.result;
    Ok(match &mask.function {
        Some(function) => function.apply(value, (ty, page), &mut || unpredictable(c)),
        None => hidden(ty, page),
    })
}

/// A number in [0, 1) that no seed of the session's foretells.
fn unpredictable(c: &Call<'_>) -> f64 {
    let mut bytes = [0; 8];
    c.context.entropy(&mut bytes);
    (u64::from_le_bytes(bytes) >> 11) as f64 / (1_u64 << 53) as f64
}

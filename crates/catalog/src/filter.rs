//! The condition of a filtered index: which rows have an entry.
//!
//! As the catalogue keeps it, beside its text (all numbers little-endian):
//!
//! ```text
//! term    u32 column_id | u8 test | u16 n | n values
//! value   u32 length | type and bytes as in a sql_variant
//! test    0 IS NULL   1 IS NOT NULL   2 =   3 <>   4 <   5 <=   6 >   7 >=   8 IN
//! ```
//! 1. All terms must hold; a comparison with NULL does not.
//! 2. Values have the types of their columns.
//! 3. The columns are among [`super::Index::covered`], so whoever reads what an index asks for has read them.

use super::Column;
use crate::rowcodec::{damaged, typecode};
use std::cmp::Ordering;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::compare::CompareOp;
use taffrail_types::compare::compare;
use taffrail_types::{Collation, SqlType, Value};

/// The tests that a filter makes of a column.
#[derive(Clone, Debug)]
pub enum Test {
    /// `IS NULL`: the column is NULL.
    Null,
    /// `IS NOT NULL`: the column is not NULL.
    NotNull,
    /// Compared with a constant.
    Compare(CompareOp, Value),
    /// `IN (…)`: the column equals one of the constants.
    In(Vec<Value>),
}

/// A column and what it is tested for.
#[derive(Clone, Debug)]
pub struct Term {
    /// Its position among the table's columns.
    pub column: usize,
    /// The collation of the comparison.
    pub collation: Collation,
    /// The test of the column.
    pub test: Test,
}

/// The condition of a filtered index.
#[derive(Clone, Debug)]
pub struct IndexFilter {
    /// The condition's text, `filter_definition`.
    pub definition: Arc<str>,
    /// The terms, all of which must hold.
    pub terms: Vec<Term>,
}

const OPS: [CompareOp; 6] =
    [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

/// Whether an order of two values is what an operator asks for.
fn fits(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Eq => order.is_eq(),
        CompareOp::Ne => order.is_ne(),
        CompareOp::Lt => order.is_lt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::Ge => order.is_ge(),
    }
}

impl Term {
    fn holds(&self, v: &Value) -> bool {
        match &self.test {
            Test::Null => v.is_null(),
            Test::NotNull => !v.is_null(),
            _ if v.is_null() => false,
            Test::Compare(op, with) => fits(*op, compare(v, with, self.collation)),
            Test::In(list) => list.iter().any(|with| compare(v, with, self.collation).is_eq()),
        }
    }
}

impl IndexFilter {
    /// Whether a row of these values (in order of the table's columns) has an entry.
    pub fn holds(&self, values: &[Value]) -> bool {
        self.terms.iter().all(|t| t.holds(&values[t.column]))
    }

    /// As the catalogue keeps it.
    pub fn to_bytes(&self, columns: &[Column]) -> SqlResult<Vec<u8>> {
        let mut out = Vec::new();
        for t in &self.terms {
            let column = &columns[t.column];
            let (code, values): (u8, &[Value]) = match &t.test {
                Test::Null => (0, &[]),
                Test::NotNull => (1, &[]),
                Test::Compare(op, v) => {
                    let at = OPS.iter().position(|o| o == op).expect("OPS has every operator");
                    (at as u8 + 2, std::slice::from_ref(v))
                }
                Test::In(list) => (8, list),
            };
            out.extend_from_slice(&(column.id as u32).to_le_bytes());
            out.push(code);
            out.extend_from_slice(&(values.len() as u16).to_le_bytes());
            for v in values {
                let mut bytes = Vec::new();
                typecode::append_variant(&mut bytes, column.ty, v)?;
                out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
                out.extend_from_slice(&bytes);
            }
        }
        Ok(out)
    }

    /// Reads the terms that `to_bytes` has written.
    pub fn from_bytes(
        definition: &str,
        mut bytes: &[u8],
        columns: &[Column],
    ) -> SqlResult<IndexFilter> {
        let bad = || damaged("an index's filter");
        fn take<'a>(bytes: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
            let (head, rest) = bytes.split_at_checked(n)?;
            *bytes = rest;
            Some(head)
        }
        let mut terms = Vec::new();
        while !bytes.is_empty() {
            let head = take(&mut bytes, 7).ok_or_else(bad)?;
            let id = u32::from_le_bytes(head[..4].try_into().map_err(|_| bad())?) as i32;
            let n = u16::from_le_bytes([head[5], head[6]]);
            let column = columns.iter().position(|c| c.id == id).ok_or_else(bad)?;
            let ty: SqlType = columns[column].ty;
            let mut values = Vec::new();
            for _ in 0..n {
                let length = take(&mut bytes, 4).ok_or_else(bad)?;
                let length = u32::from_le_bytes(length.try_into().map_err(|_| bad())?);
                let value = take(&mut bytes, length as usize).ok_or_else(bad)?;
                let (own, value) = typecode::read_variant(value)?;
                if own.system_type_id() != ty.system_type_id() {
                    return Err(bad());
                }
                values.push(value);
            }
            let test = match (head[4], values.len()) {
                (0, 0) => Test::Null,
                (1, 0) => Test::NotNull,
                (op @ 2..=7, 1) => Test::Compare(OPS[op as usize - 2], values.remove(0)),
                (8, 1..) => Test::In(values),
                _ => return Err(bad()),
            };
            terms.push(Term { column, collation: columns[column].collation, test });
        }
        Ok(IndexFilter { definition: definition.into(), terms })
    }
}

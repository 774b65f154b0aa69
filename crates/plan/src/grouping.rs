//! What a grouping by several sets of keys tells of them: GROUPING and GROUPING_ID, and how it is shown.

use crate::expr::{Expr, Slot};
use crate::text::{Scalars, list};
use taffrail_types::{Collation, Value};

/// A call of GROUPING or GROUPING_ID.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GroupingMark {
    /// GROUPING_ID rather than GROUPING: the result is int, not tinyint.
    pub id: bool,
    /// Places of its arguments among the keys; the last is the lowest bit.
    pub keys: Vec<u32>,
    /// Where the result goes.
    pub slot: Slot,
}

impl GroupingMark {
    /// Its value in a set of these keys: a bit for each argument, set where it is not grouped by.
    pub fn value(&self, set: u32) -> Value {
        let bits = self.keys.iter().fold(0, |bits, key| bits << 1 | (!set >> key & 1));
        match self.id {
            true => Value::Int(bits as i32),
            false => Value::TinyInt(bits as u8),
        }
    }
}

impl Scalars<'_> {
    /// A call of GROUPING or GROUPING_ID, of these keys.
    pub fn mark(self, m: &GroupingMark, keys: &[(Expr, Slot, Collation)]) -> String {
        let name = if m.id { "GROUPING_ID" } else { "GROUPING" };
        format!("{name}({})", list(&m.keys, |k| self.expr(&keys[*k as usize].0)))
    }

    /// Sets of keys: `((a, b), (a), ())`.
    pub fn sets(self, sets: &[u32], keys: &[(Expr, Slot, Collation)]) -> String {
        let has = |set: u32| keys.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1);
        let set = |set: &u32| format!("({})", list(has(*set), |(_, k)| self.expr(&k.0)));
        format!("({})", list(sets, set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_has_a_bit_for_each_argument_that_is_left_out() {
        let mark = |id, keys: &[u32]| GroupingMark { id, keys: keys.to_vec(), slot: 0 };
        assert_eq!(mark(false, &[0]).value(0b1), Value::TinyInt(0));
        assert_eq!(mark(false, &[0]).value(0b10), Value::TinyInt(1));
        assert_eq!(mark(true, &[0, 1, 2]).value(0b001), Value::Int(0b011));
        assert_eq!(mark(true, &[2, 0]).value(0b001), Value::Int(0b10));
        assert_eq!(mark(true, &[31]).value(1 << 31), Value::Int(0));
    }
}

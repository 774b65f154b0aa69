//! Sequence objects, which give out numbers.
//!
//! The *last value* of a sequence is kept in rows of `sysidentity`, by a number that the sequence has for its life and that ALTER changes:
//! whoever alters a sequence gives it a new number with the last value as it is then, so that a rollback finds the old one untouched.
//! Numbers that are *cached* lie between the last value that was given out and the one that the rows say. Those cost nothing; when they are
//! used up, a transaction of the system writes how far the next ones reach, and is durable before the first of them is given out.
//!
//! 1. No value is given out twice, whatever crashes or is rolled back, but where the sequence begins anew: CYCLE, RESTART. One exception:
//!    ALTER SEQUENCE that is rolled back takes the sequence back to its old number, so that values its transaction took since come again.
//! 2. After a crash a sequence goes on behind what its rows say, a gap of a cache at most; a clean close writes the exact value first.
//! 3. A last value is one of the sequence's range; there is none before the first use. Rows that say another one are damaged.

use super::identity::base_key;
use super::object::ObjectHead;
use super::systab::{self, SystemTables};
use parking_lot::Mutex;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{BeginSpec, Durability, Transaction};
use taffrail_types::{Decimal, SqlType, Value};

/// How many numbers a cache of the server's choice holds at first. It doubles whenever it is used up.
const FIRST_CACHE: u64 = 50;
/// The most that it holds, for the large types and for the others.
const MAX_LARGE_CACHE: u64 = 10_000;
const MAX_CACHE: u64 = 1_000;

/// CACHE of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Cache {
    /// As many as the server chooses.
    #[default]
    Default,
    /// So many, two at least.
    Size(u32),
    /// NO CACHE: each value is written.
    None,
}

/// The properties of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SequenceFacts {
    /// The type of the values: an integer, or a decimal without scale.
    pub ty: SqlType,
    /// The first value, and the one that RESTART begins with.
    pub start: i128,
    /// The step; may be negative, and is not 0.
    pub increment: i128,
    /// The least value.
    pub minimum: i128,
    /// The greatest value.
    pub maximum: i128,
    /// CYCLE: behind the last value comes the first one of the range.
    pub cycle: bool,
    /// How many values are taken at a time.
    pub cache: Cache,
}

/// A sequence as an object of a database.
#[derive(Debug)]
pub struct SequenceObject {
    /// The sequence's name, schema and id.
    pub head: ObjectHead,
    /// The properties of the sequence.
    pub facts: SequenceFacts,
    /// The values, which outlive changes of the sequence's metadata.
    pub numbers: Arc<Numbers>,
}

/// The values that are in a sequence's type, as far as it has bounds of its own.
pub fn bounds(ty: SqlType) -> Option<(i128, i128)> {
    Some(match ty {
        SqlType::TinyInt => (0, 255),
        SqlType::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        SqlType::Int => (i32::MIN.into(), i32::MAX.into()),
        SqlType::BigInt => (i64::MIN.into(), i64::MAX.into()),
        SqlType::Decimal { precision, scale: 0 } | SqlType::Numeric { precision, scale: 0 } => {
            let most = 10_i128.checked_pow(precision.into())? - 1;
            (-most, most)
        }
        _ => return None,
    })
}

impl SequenceFacts {
    /// A number as a value of the sequence's type, in whose bounds it is.
    pub fn value(&self, n: i128) -> Value {
        match self.ty {
            SqlType::TinyInt => Value::TinyInt(n as u8),
            SqlType::SmallInt => Value::SmallInt(n as i16),
            SqlType::Int => Value::Int(n as i32),
            SqlType::BigInt => Value::BigInt(n as i64),
            _ => Decimal::new(n < 0, n.unsigned_abs(), 0).map_or(Value::Null, Value::Decimal),
        }
    }

    /// The increment as a value, and its type: that of the sequence, where it has negative numbers at all.
    pub fn step(&self) -> (SqlType, Value) {
        match self.ty {
            SqlType::TinyInt if self.increment < 0 => {
                (SqlType::SmallInt, Value::SmallInt(self.increment as i16))
            }
            ty => (ty, self.value(self.increment)),
        }
    }

    /// The value behind another one, or the first; none behind the last where there is no cycle.
    fn following(&self, last: Option<i128>) -> Option<i128> {
        let Some(last) = last else { return Some(self.start) };
        let next = last.checked_add(self.increment);
        match next.filter(|n| (self.minimum..=self.maximum).contains(n)) {
            None if self.cycle => Some(self.first_of_range()),
            next => next,
        }
    }

    /// The value that a cycle begins with.
    fn first_of_range(&self) -> i128 {
        if self.increment > 0 { self.minimum } else { self.maximum }
    }

    /// The most numbers that a cache of the server's choice holds.
    fn largest_cache(&self) -> u64 {
        match self.ty {
            SqlType::TinyInt | SqlType::SmallInt | SqlType::Int => MAX_CACHE,
            _ => MAX_LARGE_CACHE,
        }
    }

    /// A last value that rows say: error 5243 where it is none of the range.
    fn checked_last(&self, last: Option<i128>) -> SqlResult<Option<i128>> {
        match last {
            Some(n) if !(self.minimum..=self.maximum).contains(&n) => Err(SqlError::new(5243, &[])),
            last => Ok(last),
        }
    }

    /// How many steps lie between a value and the end of the range.
    fn steps_behind(&self, n: i128) -> u128 {
        // The difference of two values fits 128 bits without a sign.
        let room = match self.increment > 0 {
            true => self.maximum.wrapping_sub(n) as u128,
            false => n.wrapping_sub(self.minimum) as u128,
        };
        room / self.increment.unsigned_abs()
    }

    /// The value so many steps behind another one of the range.
    fn ahead(&self, n: i128, steps: u128) -> i128 {
        // Each addition stays within the range, however far it wraps on the way.
        n.wrapping_add(self.increment.wrapping_mul(steps as i128))
    }
}

/// A value that has been given out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakenRange {
    /// The number.
    pub number: i128,
    /// It is the first one, and the cache was to be larger than what is left of the range: 11729 is told.
    pub short: bool,
}

/// A run of values that has been given out at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The first value.
    pub first: i128,
    /// The last value.
    pub last: i128,
    /// How often the sequence began anew within the run.
    pub cycles: u64,
}

#[derive(Debug)]
struct Reached {
    /// The last value that was given out.
    last: Option<i128>,
    /// The last value that the rows say.
    written: Option<i128>,
    /// So many values behind `last` may be given out without writing.
    left: u64,
    /// What a cache of the server's choice holds next.
    cache: u64,
}

/// The values of a sequence.
pub struct Numbers {
    id: i64,
    facts: SequenceFacts,
    storage: Arc<taffrail_storage::Database>,
    state: Mutex<Reached>,
}

impl std::fmt::Debug for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "numbers {} of {:?}", self.id, self.facts)
    }
}

impl Numbers {
    /// The values behind the last one that the rows of this number say.
    pub(super) fn open(
        tx: &mut Transaction,
        storage: &Arc<taffrail_storage::Database>,
        id: i64,
        facts: SequenceFacts,
    ) -> SqlResult<Numbers> {
        let last = facts.checked_last(read_last(tx, id)?)?;
        let state = Reached { last, written: last, left: 0, cache: FIRST_CACHE };
        Ok(Numbers { id, facts, storage: storage.clone(), state: Mutex::new(state) })
    }

    /// The number of the rows that say how far the sequence is.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Takes the next value; none where the sequence has no more.
    pub fn take(&self) -> SqlResult<Option<TakenRange>> {
        let (facts, mut state) = (&self.facts, self.state.lock());
        let Some(number) = facts.following(state.last) else { return Ok(None) };
        let mut short = false;
        if state.left == 0 {
            let wanted = match facts.cache {
                Cache::None => 1,
                Cache::Size(n) => n.max(1).into(),
                Cache::Default => state.cache,
            };
            let behind = facts.steps_behind(number);
            let size = behind.saturating_add(1).min(wanted.into()) as u64;
            short = state.last.is_none()
                && !facts.cycle
                && size < wanted
                && matches!(facts.cache, Cache::Size(_));
            let end = facts.ahead(number, u128::from(size) - 1);
            self.write(&mut state, end, Durability::Full)?;
            state.left = size;
            state.cache = (state.cache * 2).min(facts.largest_cache());
        }
        state.left -= 1;
        state.last = Some(number);
        debug_assert!((facts.minimum..=facts.maximum).contains(&number), "{self:?}: {number}");
        Ok(Some(TakenRange { number, short }))
    }

    /// Takes so many values, one at least, at once; none where the sequence has not so many.
    pub fn take_range(&self, size: u64) -> SqlResult<Option<Range>> {
        let (facts, mut state) = (&self.facts, self.state.lock());
        let Some(first) = facts.following(state.last) else { return Ok(None) };
        let steps = u128::from(size.max(1)) - 1;
        let behind = facts.steps_behind(first);
        let (last, cycles) = match steps <= behind {
            true => (facts.ahead(first, steps), 0),
            false if !facts.cycle => return Ok(None),
            false => {
                let rest = steps - behind - 1;
                let begin = facts.first_of_range();
                let whole = facts.steps_behind(begin).saturating_add(1);
                (facts.ahead(begin, rest % whole), (rest / whole) as u64 + 1)
            }
        };
        if cycles == 0 && size <= state.left {
            state.left -= size;
        } else {
            self.write(&mut state, last, Durability::Full)?;
            state.left = 0;
        }
        state.last = Some(last);
        Ok(Some(Range { first, last, cycles }))
    }

    /// The last value that was given out; none before the first.
    pub fn last(&self) -> Option<i128> {
        self.state.lock().last
    }

    /// No further value is there.
    pub fn is_exhausted(&self) -> bool {
        self.facts.following(self.state.lock().last).is_none()
    }

    /// Writes the exact value, so that no gap appears at the next start. Nobody may take values meanwhile. The close makes it durable:
    /// rows that are lost in a crash before leave the end of the cache, behind which the sequence goes on.
    pub fn settle(&self) -> SqlResult<()> {
        let mut state = self.state.lock();
        match state.last {
            Some(last) if state.written != Some(last) => {
                self.write(&mut state, last, Durability::Delayed)?;
                state.left = 0;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Says that all values up to this one may have been given out.
    fn write(&self, state: &mut Reached, last: i128, durability: Durability) -> SqlResult<()> {
        let mut tx = self.storage.begin(BeginSpec {
            name: "SequenceRange",
            lock_timeout_ms: -1,
            ..BeginSpec::default()
        });
        write_last(&mut tx, self.id, last)?;
        tx.commit(durability).map_err(|e| e.to_sql())?;
        state.written = Some(last);
        Ok(())
    }
}

/// The last value as its two rows say: the lower 64 bits, and the upper ones.
fn read_last(tx: &mut Transaction, id: i64) -> SqlResult<Option<i128>> {
    let half = |tx: &mut Transaction, key| {
        let row = systab::get(tx, &SystemTables::IDENTITY, &[key])?;
        row.map(|row| systab::number(&row, 0)).transpose()
    };
    match (half(tx, id)?, half(tx, base_key(id))?) {
        (Some(low), Some(high)) => {
            Ok(Some(i128::from(high) << 64 | i128::from(low.cast_unsigned())))
        }
        (None, None) => Ok(None),
        _ => Err(SqlError::new(5243, &[])),
    }
}

/// Writes the last value of the sequence with this number.
pub(super) fn write_last(tx: &mut Transaction, id: i64, last: i128) -> SqlResult<()> {
    let halves = [(id, last as i64), (base_key(id), (last >> 64) as i64)];
    for (key, half) in halves {
        systab::put(tx, &SystemTables::IDENTITY, &[key], &[Value::BigInt(half)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(minimum: i128, maximum: i128, increment: i128, cycle: bool) -> SequenceFacts {
        let start = if increment > 0 { minimum } else { maximum };
        let ty = SqlType::Decimal { precision: 38, scale: 0 };
        SequenceFacts { ty, start, increment, minimum, maximum, cycle, cache: Cache::Default }
    }

    #[test]
    fn values_follow_each_other_to_the_end() {
        let f = facts(1, 6, 2, false);
        assert_eq!(f.following(None), Some(1));
        assert_eq!((f.following(Some(3)), f.following(Some(5))), (Some(5), None));
        assert_eq!((f.steps_behind(1), f.steps_behind(5), f.steps_behind(6)), (2, 0, 0));
        let f = SequenceFacts { start: 5, ..facts(1, 6, 1, true) };
        assert_eq!((f.following(None), f.following(Some(6))), (Some(5), Some(1)));
        let f = facts(-3, 6, -4, true);
        assert_eq!((f.following(Some(2)), f.following(Some(-2))), (Some(-2), Some(6)));
        assert_eq!(f.ahead(6, 2), -2);
    }

    #[test]
    fn small_types_have_small_caches() {
        let of = |ty| SequenceFacts { ty, ..facts(1, 6, 1, false) }.largest_cache();
        let small = [SqlType::TinyInt, SqlType::SmallInt, SqlType::Int];
        assert_eq!(small.map(of), [MAX_CACHE; 3]);
        let large = [SqlType::BigInt, SqlType::Decimal { precision: 5, scale: 0 }];
        assert_eq!(large.map(of), [MAX_LARGE_CACHE; 2]);
    }

    #[test]
    fn a_last_value_beside_the_range_is_damage() {
        let f = facts(1, 6, 2, false);
        for last in [None, Some(1), Some(6)] {
            assert_eq!(f.checked_last(last).unwrap(), last);
        }
        for last in [0, 7, i128::MAX] {
            assert_eq!(f.checked_last(Some(last)).unwrap_err().number, 5243);
        }
    }

    #[test]
    fn the_widest_range_does_not_overflow() {
        let (low, high) = bounds(SqlType::Decimal { precision: 38, scale: 0 }).unwrap();
        let f = facts(low, high, 1, false);
        assert_eq!(f.steps_behind(low), 2 * high.unsigned_abs());
        assert_eq!(f.ahead(low, f.steps_behind(low)), high);
        let f = facts(low, high, high, false);
        assert_eq!(f.steps_behind(low), 2);
        assert_eq!((f.following(Some(0)), f.following(Some(high))), (Some(high), None));
    }
}

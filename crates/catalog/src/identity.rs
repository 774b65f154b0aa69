//! Numbers that are given out once: identity values, row numbers of clustered indexes that are not unique, object ids.
//!
//! A sequence counts 0, 1, 2 …; its *limit*, the first number that may not be given out yet, is a row of the database
//! (`sysidentity`). Numbers below the limit cost an atomic add. When they run out, a system transaction raises the
//! limit; it precedes in the log every change that uses a number above the old limit, so a delayed commit is enough:
//! if it is lost in a crash, so are they.
//!
//! After a crash a sequence goes on at its limit (a gap); a clean close writes the exact number first.
//!
//! 1. A number is given out once, whatever crashes or rolls back.
//! 2. `next <= limit` except while a thread that saw the end waits for `raising`.

use super::systab::{self, SystemTables};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{BeginSpec, Durability};
use taffrail_types::{Decimal, SqlType, Value};

/// How many numbers the first reservation holds.
const FIRST_STEP: u64 = 1_000;
/// How many at most: with each reservation the step doubles up to this.
const MAX_STEP: u64 = 64_000;
/// The gap that a crash may leave in an identity column of the large types; in others it is [`FIRST_STEP`].
const MAX_LARGE_IDENTITY_STEP: u64 = 10_000;

/// A sequence of numbers from 0.
pub struct Sequence {
    id: i64,
    next: AtomicU64,
    limit: AtomicU64,
    /// Held while the limit is raised; the step.
    raising: Mutex<u64>,
    max_step: u64,
    /// From one number to the next.
    stride: u64,
    /// Of the transactions that raise the limit.
    durability: Durability,
    storage: Arc<taffrail_storage::Database>,
}

impl std::fmt::Debug for Sequence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sequence {} at {}", self.id, self.next.load(Ordering::Relaxed))
    }
}

impl Sequence {
    /// A sequence whose row says `limit`.
    pub fn new(storage: Arc<taffrail_storage::Database>, id: i64, limit: u64) -> Sequence {
        Sequence {
            id,
            next: AtomicU64::new(limit),
            limit: AtomicU64::new(limit),
            raising: Mutex::new(FIRST_STEP),
            max_step: MAX_STEP,
            stride: 1,
            durability: Durability::Delayed,
            storage,
        }
    }

    /// The same sequence, whose limit is durable before a number below it is given out: numbers that nobody has committed do not come
    /// again after a crash either.
    pub(crate) fn durable(self) -> Sequence {
        Sequence { durability: Durability::Full, ..self }
    }

    /// The key of the sequence's row.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Takes the next number.
    #[inline]
    pub fn take(&self) -> SqlResult<u64> {
        let n = self.next.fetch_add(self.stride, Ordering::Relaxed);
        if n < self.limit.load(Ordering::Acquire) {
            return Ok(n);
        }
        self.raise_above(n)?;
        Ok(n)
    }

    /// The number that comes next.
    pub fn peek(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// The number that comes next, as far as what precedes it may have been given out.
    pub(crate) fn reached(&self) -> u64 {
        self.next.load(Ordering::Relaxed).min(self.limit.load(Ordering::Acquire))
    }

    /// Numbers up to `n` count as given out.
    pub(crate) fn skip_to(&self, n: u64) -> SqlResult<()> {
        self.next.fetch_max(n, Ordering::Relaxed);
        if n > self.limit.load(Ordering::Acquire) {
            self.raise_above(n)?;
        }
        Ok(())
    }

    #[cold]
    fn raise_above(&self, n: u64) -> SqlResult<()> {
        let mut step = self.raising.lock();
        if n < self.limit.load(Ordering::Acquire) {
            return Ok(());
        }
        let limit = n.saturating_add(step.saturating_mul(self.stride)).max(n.saturating_add(1));
        self.write_limit(limit, self.durability)?;
        *step = (*step * 2).min(self.max_step);
        self.limit.store(limit, Ordering::Release);
        Ok(())
    }

    /// Writes the exact number, so that no gap appears at the next start. Nobody may take numbers meanwhile.
    pub fn settle(&self) -> SqlResult<()> {
        let _raising = self.raising.lock();
        let next = self.next.load(Ordering::Relaxed);
        if next != self.limit.load(Ordering::Relaxed) {
            self.write_limit(next, Durability::Delayed)?;
            self.limit.store(next, Ordering::Release);
        }
        Ok(())
    }

    fn write_limit(&self, limit: u64, durability: Durability) -> SqlResult<()> {
        let mut tx = self.storage.begin(BeginSpec {
            name: "IdentityRange",
            lock_timeout_ms: -1,
            ..BeginSpec::default()
        });
        let limit = Value::BigInt(stored(limit, self.stride));
        systab::put(&mut tx, &SystemTables::IDENTITY, &[self.id], &[limit])?;
        tx.commit(durability).map_err(|e| e.to_sql())
    }
}

/// The limit of a sequence as its row has it. A sequence with a stride counts the distance from its seed, which its row
/// shows as a negative number; one that an older version wrote counts strides.
pub(super) fn stored(limit: u64, stride: u64) -> i64 {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    if stride == 1 { limit } else { -limit }
}

/// The key of the row that says where a sequence counts from, if it is not the column's seed: DBCC CHECKIDENT has set it
/// to a value before the seed. No sequence has such a number.
pub(super) fn base_key(id: i64) -> i64 {
    i64::MIN + id
}

/// The values of an identity column.
#[derive(Debug)]
pub struct IdentitySequence {
    sequence: Sequence,
    /// Where it counts from: the column's seed, or a value before it.
    seed: i64,
    increment: i64,
    low: i64,
    high: i64,
    type_name: &'static str,
    ty: SqlType,
}

impl IdentitySequence {
    /// The values `seed`, `seed + increment` … of a column of this type, from where the sequence's row says.
    pub fn new(
        mut sequence: Sequence,
        stored: i64,
        seed: i64,
        increment: i64,
        ty: SqlType,
    ) -> IdentitySequence {
        sequence.max_step = match ty {
            SqlType::TinyInt | SqlType::SmallInt | SqlType::Int => FIRST_STEP,
            _ => MAX_LARGE_IDENTITY_STEP,
        };
        sequence.stride = increment.unsigned_abs().max(1);
        let at = match stored {
            ..0 => stored.unsigned_abs(),
            0.. => (stored as u64).saturating_mul(sequence.stride),
        };
        (sequence.next, sequence.limit) = (AtomicU64::new(at), AtomicU64::new(at));
        let (low, high) = range(ty);
        IdentitySequence { sequence, seed, increment, low, high, type_name: ty.name(), ty }
    }

    /// The key of its row.
    pub fn id(&self) -> i64 {
        self.sequence.id()
    }

    /// The value so far from the seed.
    fn value_at(&self, distance: u64) -> Option<i64> {
        let v = self.seed as i128 + distance as i128 * self.increment.signum() as i128;
        i64::try_from(v).ok().filter(|v| (self.low..=self.high).contains(v))
    }

    /// The next value: 8115 when the type has no more.
    #[inline]
    pub fn next(&self) -> SqlResult<i64> {
        let n = self.sequence.take()?;
        match self.value_at(n) {
            Some(v) => Ok(v),
            None => Err(SqlError::new(8115, &[&"IDENTITY", &self.type_name])),
        }
    }

    /// The next value in the column's type.
    #[inline]
    pub fn next_value(&self) -> SqlResult<Value> {
        Ok(typed(self.next()?, self.ty))
    }

    /// A value in the column's type.
    pub fn typed(&self, v: i64) -> Value {
        typed(v, self.ty)
    }

    /// An explicit value was inserted (IDENTITY_INSERT): later values go on beyond it.
    pub fn saw(&self, v: i64) -> SqlResult<()> {
        let distance = (v as i128 - self.seed as i128) * self.increment.signum() as i128;
        if distance < 0 {
            return Ok(());
        }
        // The value need not be one that the column would have made: the next one is an increment beyond it.
        match u64::try_from(distance + self.sequence.stride as i128) {
            Ok(next) if next > self.sequence.peek() => self.sequence.skip_to(next),
            _ => Ok(()),
        }
    }

    /// The last value given out; none before the first.
    pub fn last(&self) -> Option<i64> {
        self.value_at(self.sequence.peek().checked_sub(self.sequence.stride)?)
    }

    /// Where it counts from, and how far from there the next value lies.
    pub fn place(&self) -> (i64, u64) {
        (self.seed, self.sequence.peek())
    }

    /// Writes the exact number (at a clean close).
    pub fn settle(&self) -> SqlResult<()> {
        self.sequence.settle()
    }
}

/// The values that a type holds, as far as they fit 64 bits.
fn range(ty: SqlType) -> (i64, i64) {
    match ty {
        SqlType::TinyInt => (0, 255),
        SqlType::SmallInt => (i16::MIN as i64, i16::MAX as i64),
        SqlType::Int => (i32::MIN as i64, i32::MAX as i64),
        SqlType::Decimal { precision, .. } | SqlType::Numeric { precision, .. }
            if precision <= 18 =>
        {
            let max = 10i64.pow(precision as u32) - 1;
            (-max, max)
        }
        _ => (i64::MIN, i64::MAX),
    }
}

fn typed(v: i64, ty: SqlType) -> Value {
    match ty {
        SqlType::TinyInt => Value::TinyInt(v as u8),
        SqlType::SmallInt => Value::SmallInt(v as i16),
        SqlType::Int => Value::Int(v as i32),
        SqlType::BigInt => Value::BigInt(v),
        _ => Decimal::new(v < 0, v.unsigned_abs() as u128, 0).map_or(Value::Null, Value::Decimal),
    }
}

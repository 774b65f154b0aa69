//! Tables that keep what their rows have been: the columns of their period, and the table beside them that has the old rows.
//!
//! 1. A table has a column of [`Generated::RowStart`] exactly where it has one of [`Generated::RowEnd`]: both are its period.
//! 2. [`Temporal::Versioned`] names a table of [`Temporal::HistoryOf`], which names the first one.
//! 3. The columns of both have the same names and types, in the same order.

use super::object::ObjectHead;
use super::systab::{number, number_or_null};
use super::{Column, ensure_schema_version};
use crate::rowcodec::damaged;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::{SqlType, Value};

/// The version of the catalogue's tables that knows periods and tables of history.
pub(super) const TEMPORAL: i64 = 14;

/// The days from 0001-01-01 to 9999-12-31.
const LAST_DAY: u32 = 3_652_058;
/// The units of 100 ns in a day.
const TICKS_PER_DAY: u64 = 864_000_000_000;

/// `GENERATED ALWAYS AS ROW START | END` of a column; `generated_always_type` of the views.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Generated {
    /// Statements give the column its values.
    #[default]
    Never,
    /// The moment from which on the row is as it is.
    RowStart,
    /// The moment up to which it was so.
    RowEnd,
}

impl Generated {
    /// The `generated_always_type` and its description.
    pub fn shown(self) -> (i32, &'static str) {
        match self {
            Generated::Never => (0, "NOT_APPLICABLE"),
            Generated::RowStart => (1, "AS_ROW_START"),
            Generated::RowEnd => (2, "AS_ROW_END"),
        }
    }
}

/// The unit of a [`Retention`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RetentionUnit {
    /// A day of 24 hours.
    Day,
    /// A week of seven days.
    Week,
    /// A month of the calendar.
    Month,
    /// A year of the calendar.
    Year,
}

impl RetentionUnit {
    /// The units that there are.
    const ALL: [RetentionUnit; 4] =
        [RetentionUnit::Day, RetentionUnit::Week, RetentionUnit::Month, RetentionUnit::Year];

    /// `history_retention_period_unit` and its description, which is also the part that DATEADD knows.
    pub fn shown(self) -> (i32, &'static str) {
        match self {
            RetentionUnit::Day => (3, "DAY"),
            RetentionUnit::Week => (4, "WEEK"),
            RetentionUnit::Month => (5, "MONTH"),
            RetentionUnit::Year => (6, "YEAR"),
        }
    }

    /// The unit of a word, `DAY` or `DAYS`.
    pub fn of(word: &str) -> Option<RetentionUnit> {
        let word = word.to_ascii_uppercase();
        let one = word.strip_suffix('S').unwrap_or(&word);
        Self::ALL.into_iter().find(|u| u.shown().1 == one)
    }
}

/// `HISTORY_RETENTION_PERIOD`: how long old rows are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retention {
    /// How many units; greater than 0.
    pub number: i32,
    /// The unit of the number.
    pub unit: RetentionUnit,
}

impl Retention {
    /// The text of the moment before which rows are too old.
    pub fn cutoff(self) -> String {
        format!("DATEADD({}, -{}, SYSUTCDATETIME())", self.unit.shown().1, self.number)
    }
}

/// The part that a table takes in the keeping of history.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Temporal {
    /// No part of it.
    #[default]
    Plain,
    /// SYSTEM_VERSIONING = ON: rows that change or go leave what they were in another table.
    Versioned {
        /// The table that they leave it in.
        history: ObjectId,
        /// How long it keeps them; none is INFINITE.
        retention: Option<Retention>,
    },
    /// It has the old rows of this table.
    HistoryOf(ObjectId),
}

const VERSIONED: i64 = 8;
const HISTORY: i64 = 16;

impl Temporal {
    /// The flags of a row of `sysobjects`.
    pub(super) fn flags(self) -> i64 {
        match self {
            Temporal::Plain => 0,
            Temporal::Versioned { .. } => VERSIONED,
            Temporal::HistoryOf(_) => HISTORY,
        }
    }

    /// The cells behind those that the row of every object has; none of a table that is no part of it.
    pub(super) fn cells(self, tx: &mut Transaction) -> SqlResult<Vec<Value>> {
        let (other, retention) = match self {
            Temporal::Plain => return Ok(Vec::new()),
            Temporal::Versioned { history, retention } => (history, retention),
            Temporal::HistoryOf(current) => (current, None),
        };
        ensure_schema_version(tx, TEMPORAL)?;
        let (number, unit) = match retention {
            None => (Value::Null, Value::Null),
            Some(r) => (Value::Int(r.number), Value::Int(r.unit.shown().0)),
        };
        Ok(vec![Value::Int(other.0), number, unit])
    }

    /// Reads what [`flags`](Self::flags) and [`cells`](Self::cells) have written.
    pub(super) fn read(flags: i64, row: &[Value]) -> SqlResult<Temporal> {
        if flags & (VERSIONED | HISTORY) == 0 {
            return Ok(Temporal::Plain);
        }
        let other = ObjectId(number(row, 8)? as i32);
        if flags & HISTORY != 0 {
            return Ok(Temporal::HistoryOf(other));
        }
        let retention = match number_or_null(row, 9) {
            None => None,
            Some(n) => {
                let unit = number(row, 10)?;
                let unit = RetentionUnit::ALL.into_iter().find(|u| i64::from(u.shown().0) == unit);
                let unit = unit.ok_or_else(|| damaged("a retention period's unit"))?;
                Some(Retention { number: n as i32, unit })
            }
        };
        Ok(Temporal::Versioned { history: other, retention })
    }
}

impl ObjectHead {
    /// `temporal_type` and `temporal_type_desc` of `sys.tables`.
    pub fn temporal_type(&self) -> (i32, &'static str) {
        match self.temporal {
            Temporal::Plain => (0, "NON_TEMPORAL_TABLE"),
            Temporal::HistoryOf(_) => (1, "HISTORY_TABLE"),
            Temporal::Versioned { .. } => (2, "SYSTEM_VERSIONED_TEMPORAL_TABLE"),
        }
    }

    /// The table that has the old rows of this one.
    pub fn history(&self) -> Option<ObjectId> {
        match self.temporal {
            Temporal::Versioned { history, .. } => Some(history),
            _ => None,
        }
    }

    /// How long old rows of this table are kept, where that is not for ever.
    pub fn retention(&self) -> Option<Retention> {
        match self.temporal {
            Temporal::Versioned { retention, .. } => retention,
            _ => None,
        }
    }

    /// It has the old rows of another table.
    pub fn is_history(&self) -> bool {
        matches!(self.temporal, Temporal::HistoryOf(_))
    }

    /// It is a table that keeps history, or the one where that is.
    pub fn is_temporal(&self) -> bool {
        self.temporal != Temporal::Plain
    }
}

/// Positions of the columns of the period, start and end.
pub(super) fn period_of(columns: &[Column]) -> Option<(usize, usize)> {
    let at = |g| columns.iter().position(|c: &Column| c.generated == g);
    at(Generated::RowStart).zip(at(Generated::RowEnd))
}

/// The end of a row that nothing has ended: the last moment that a datetime2 of so many digits has.
pub fn open_end(ty: SqlType) -> Value {
    let digits = match ty {
        SqlType::DateTime2(digits) => digits.min(7),
        _ => 7,
    };
    let unit = 10_u64.pow(u32::from(7 - digits));
    Value::DateTime2 { days: LAST_DAY, ticks: TICKS_PER_DAY - unit }
}

/// The moment of a transaction as a column of the period keeps it: what does not fit is cut, so that no row begins in the future.
pub fn moment(ty: SqlType, utc: taffrail_io::UtcTime) -> Value {
    let digits = match ty {
        SqlType::DateTime2(digits) => digits.min(7),
        _ => 7,
    };
    let unit = 10_u64.pow(u32::from(7 - digits));
    let (days, ticks) = (utc.0 / TICKS_PER_DAY, utc.0 % TICKS_PER_DAY);
    Value::DateTime2 { days: days as u32, ticks: ticks - ticks % unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_open_end_is_the_last_moment_of_its_type() {
        let ticks = |ty| match open_end(ty) {
            Value::DateTime2 { days: 3_652_058, ticks } => ticks,
            other => panic!("{other:?}"),
        };
        assert_eq!(ticks(SqlType::DateTime2(7)), 863_999_999_999);
        assert_eq!(ticks(SqlType::DateTime2(3)), 863_999_990_000);
        assert_eq!(ticks(SqlType::DateTime2(0)), 863_990_000_000);
    }

    #[test]
    fn a_moment_is_cut_to_the_digits_of_its_type() {
        let utc = taffrail_io::UtcTime(864_000_000_000 + 19_999_999);
        let of = |digits| moment(SqlType::DateTime2(digits), utc);
        assert_eq!(of(7), Value::DateTime2 { days: 1, ticks: 19_999_999 });
        assert_eq!(of(0), Value::DateTime2 { days: 1, ticks: 10_000_000 });
    }

    #[test]
    fn units_are_known_in_singular_and_plural() {
        assert_eq!(RetentionUnit::of("months"), Some(RetentionUnit::Month));
        assert_eq!(RetentionUnit::of("DAY"), Some(RetentionUnit::Day));
        assert_eq!(RetentionUnit::of("HOURS"), None);
    }
}

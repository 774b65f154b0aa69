//! Dates and times: the calendar, and the way between the seven types.
//!
//! Everything passes through one form, [`Local`]: a day of the proleptic Gregorian calendar counted from 0001-01-01,
//! 100 ns ticks since that day's midnight, and an offset from UTC that only datetimeoffset has. Each type rounds to its
//! own grid when it takes a value from there:
//!
//! | type | grid | range | rounding |
//! |---|---|---|---|
//! | date | day | 0001 to 9999 | the time is dropped |
//! | time(n), datetime2(n), datetimeoffset(n) | 10^-n s | 0001 to 9999 | half up; time wraps at midnight |
//! | datetime | 1/300 s | 1753 to 9999 | nearest (.000, .003, .007) |
//! | smalldatetime | minute | 1900-01-01 to 2079-06-06 | 30 s up |
//!
//! [`parse`] reads T-SQL's literal forms, [`format`] writes CONVERT's styles, [`part`] is the arithmetic of DATEADD and
//! its neighbours.

pub mod format;
pub mod language;
pub mod parse;
pub mod part;

pub use language::LanguageId;
pub use parse::DateFormat;
pub use part::DatePart;

use crate::{SqlType, Value};

/// 1/300 s in a day.
pub const DATETIME_TICKS_PER_DAY: u32 = 25_920_000;
/// 100 ns in a second.
pub const TICKS_PER_SECOND: u64 = 10_000_000;
/// 100 ns in a minute.
pub const TICKS_PER_MINUTE: u64 = 60 * TICKS_PER_SECOND;
/// 100 ns in a day.
pub const TICKS_PER_DAY: u64 = 86_400 * TICKS_PER_SECOND;
/// 1900-01-01 in days since 0001-01-01.
pub const DAYS_TO_1900: i32 = 693_595;
/// 9999-12-31 in days since 0001-01-01.
pub const MAX_DAYS: i32 = 3_652_058;

/// Days since 1900-01-01 that datetime has: 1753-01-01 to 9999-12-31.
pub fn datetime_in_range(days: i64) -> bool {
    (-53_690..=2_958_463).contains(&days)
}

/// Why a text or value is no date and time of the type asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateError {
    /// Not a date or time: 241.
    Syntax,
    /// A date or time that the type does not have: 242.
    Range,
}

/// A date and time on a wall clock, the form in between.
///
/// 1. `ticks < TICKS_PER_DAY`. 2. `days` may leave 0..=MAX_DAYS during arithmetic; no value is made of it then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Local {
    /// The day, counted from 0001-01-01.
    pub days: i32,
    /// 100 ns since midnight.
    pub ticks: u64,
    /// Minutes east of UTC; 0 for types without an offset.
    pub offset: i16,
}

/// A day's year, month and day of month.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Civil {
    /// The year, 1 to 9999.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u32,
    /// The day of the month, 1 to 31.
    pub day: u32,
}

/// Whether February has 29 days.
pub fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a month.
pub fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 => 28 + is_leap(year) as u32,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 0001-01-01 of a date; None where there is no such date.
pub fn days_from_civil(year: i32, month: u32, day: u32) -> Option<i32> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    if day == 0 || day > days_in_month(year, month) {
        return None;
    }
    Some(civil_days(year, month, day))
}

/// Days from 0001-01-01 to a date of any year and day, unchecked. Years begin in March, so that the
/// leap day is their last.
fn civil_days(year: i32, month: u32, day: u32) -> i32 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_year = (153 * ((month as i32 + 9) % 12) + 2) / 5 + day as i32 - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    // 0001-01-01 is day 306 of the era's count, which begins on 0000-03-01.
    era * 146_097 + day_of_era - 306
}

/// The date of a day.
pub fn civil_from_days(days: i32) -> Civil {
    let z = days + 306;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = (doy - (153 * mp + 2) / 5 + 1) as u32;
    let month = if mp < 10 { mp + 3 } else { mp - 9 } as u32;
    Civil { year: yoe + era * 400 + (month <= 2) as i32, month, day }
}

impl Local {
    /// From days and ticks that may lie outside a day.
    pub fn normalise(days: i64, ticks: i128, offset: i16) -> Option<Local> {
        let per_day = TICKS_PER_DAY as i128;
        let days = days as i128 + ticks.div_euclid(per_day);
        let days = i32::try_from(days).ok()?;
        Some(Local { days, ticks: ticks.rem_euclid(per_day) as u64, offset })
    }

    /// The year, month and day.
    pub fn civil(self) -> Civil {
        civil_from_days(self.days)
    }

    /// Hour, minute, second, and 100 ns below it.
    pub fn clock(self) -> (u32, u32, u32, u32) {
        let seconds = (self.ticks / TICKS_PER_SECOND) as u32;
        let rest = (self.ticks % TICKS_PER_SECOND) as u32;
        (seconds / 3600, seconds / 60 % 60, seconds % 60, rest)
    }

    /// This moment on a clock with another offset.
    pub fn at_offset(self, offset: i16) -> Option<Local> {
        let shift = (offset - self.offset) as i128 * TICKS_PER_MINUTE as i128;
        Local::normalise(self.days as i64, self.ticks as i128 + shift, offset)
    }

    /// Of a moment in UTC, 100 ns since 0001-01-01, on a clock with this offset.
    pub fn from_utc(utc: u64, offset: i16) -> Local {
        let local = utc as i64 + offset as i64 * TICKS_PER_MINUTE as i64;
        let days = local.div_euclid(TICKS_PER_DAY as i64) as i32;
        Local { days, ticks: local.rem_euclid(TICKS_PER_DAY as i64) as u64, offset }
    }

    /// Of a value; None if it is no date or time. A time is on 1900-01-01, a date at midnight.
    pub fn from_value(v: &Value) -> Option<Local> {
        Some(match *v {
            Value::Date(days) => Local { days: days as i32, ticks: 0, offset: 0 },
            Value::Time(ticks) => Local { days: DAYS_TO_1900, ticks, offset: 0 },
            Value::DateTime { days, ticks } => Local {
                days: days + DAYS_TO_1900,
                ticks: (ticks as u64 * 100_000 + 1) / 3,
                offset: 0,
            },
            Value::SmallDateTime { days, minutes } => Local {
                days: days as i32 + DAYS_TO_1900,
                ticks: minutes as u64 * TICKS_PER_MINUTE,
                offset: 0,
            },
            Value::DateTime2 { days, ticks } => Local { days: days as i32, ticks, offset: 0 },
            Value::DateTimeOffset { days, ticks, offset } => {
                return Local { days: days as i32, ticks, offset: 0 }.at_offset(offset);
            }
            _ => return None,
        })
    }

    /// The value of a type, rounded to its grid.
    pub fn to_value(self, ty: SqlType) -> Result<Value, DateError> {
        let in_range = |days: i32| (0..=MAX_DAYS).contains(&days);
        match ty {
            SqlType::Date if in_range(self.days) => Ok(Value::Date(self.days as u32)),
            SqlType::Time(n) => Ok(Value::Time(round_ticks(self.ticks, n) % TICKS_PER_DAY)),
            SqlType::DateTime2(n) => {
                let (days, ticks) = self.rounded(n);
                if !in_range(days) {
                    return Err(DateError::Range);
                }
                Ok(Value::DateTime2 { days: days as u32, ticks })
            }
            SqlType::DateTimeOffset(n) => {
                let (days, ticks) = self.rounded(n);
                let utc = Local { days, ticks, offset: self.offset }.at_offset(0);
                match utc {
                    Some(utc) if in_range(days) && in_range(utc.days) => {
                        Ok(Value::DateTimeOffset {
                            days: utc.days as u32,
                            ticks: utc.ticks,
                            offset: self.offset,
                        })
                    }
                    _ => Err(DateError::Range),
                }
            }
            SqlType::DateTime => {
                let mut ticks = (self.ticks * 3 + 50_000) / 100_000;
                let mut days = (self.days - DAYS_TO_1900) as i64;
                if ticks >= DATETIME_TICKS_PER_DAY as u64 {
                    (days, ticks) = (days + 1, 0);
                }
                if !datetime_in_range(days) {
                    return Err(DateError::Range);
                }
                Ok(Value::DateTime { days: days as i32, ticks: ticks as u32 })
            }
            SqlType::SmallDateTime => {
                // 29.999 s rounds up: it is 30.000 on datetime's grid.
                let grid = (self.ticks * 3 + 50_000) / 100_000;
                let mut minutes = (grid + 30 * 300) / (60 * 300);
                let mut days = self.days - DAYS_TO_1900;
                if minutes >= 1440 {
                    (days, minutes) = (days + 1, 0);
                }
                let days = u16::try_from(days).map_err(|_| DateError::Range)?;
                Ok(Value::SmallDateTime { days, minutes: minutes as u16 })
            }
            _ => Err(DateError::Range),
        }
    }

    /// Days and ticks rounded to `n` decimals of seconds. The last moments of 9999 are cut instead: there is no next day.
    fn rounded(self, n: u8) -> (i32, u64) {
        let ticks = round_ticks(self.ticks, n);
        if ticks < TICKS_PER_DAY {
            (self.days, ticks)
        } else if self.days >= MAX_DAYS {
            (self.days, self.ticks - self.ticks % unit(n))
        } else {
            (self.days + 1, 0)
        }
    }
}

/// 100 ns in the last decimal of seconds.
fn unit(n: u8) -> u64 {
    10u64.pow(7 - n.min(7) as u32)
}

fn round_ticks(ticks: u64, n: u8) -> u64 {
    let unit = unit(n);
    (ticks + unit / 2) / unit * unit
}

/// A datetime as a number of days since 1900-01-01 (what arithmetic and conversion to numbers use).
pub fn datetime_to_days(days: i32, ticks: u32) -> f64 {
    days as f64 + ticks as f64 / DATETIME_TICKS_PER_DAY as f64
}

/// The reverse, rounded to 1/300 s; None beyond datetime's range.
pub fn datetime_from_days(v: f64) -> Option<Value> {
    if !(-53_690.0..2_958_464.0).contains(&v) {
        return None;
    }
    let per_day = DATETIME_TICKS_PER_DAY as i64;
    let all = v.floor() as i64 * per_day + ((v - v.floor()) * per_day as f64).round() as i64;
    let days = all.div_euclid(per_day);
    datetime_in_range(days)
        .then(|| Value::DateTime { days: days as i32, ticks: all.rem_euclid(per_day) as u32 })
}

#[cfg(test)]
mod tests;

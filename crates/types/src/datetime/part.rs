//! Dateparts: DATEADD, DATEDIFF, DATEPART, DATENAME, EOMONTH.

use super::format::offset_text;
use super::{
    Civil, LanguageId, Local, TICKS_PER_MINUTE, TICKS_PER_SECOND, civil_from_days, days_from_civil,
    days_in_month,
};
use crate::SqlType;

/// The units in which DATEADD, DATEDIFF, DATEPART and DATENAME count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum DatePart {
    Year,
    Quarter,
    Month,
    DayOfYear,
    Day,
    Week,
    Weekday,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    TzOffset,
    IsoWeek,
}

impl DatePart {
    /// By name or abbreviation, in any case.
    pub fn from_name(name: &str) -> Option<DatePart> {
        Some(match name.to_ascii_lowercase().as_str() {
            "year" | "yy" | "yyyy" => DatePart::Year,
            "quarter" | "qq" | "q" => DatePart::Quarter,
            "month" | "mm" | "m" => DatePart::Month,
            "dayofyear" | "dy" | "y" => DatePart::DayOfYear,
            "day" | "dd" | "d" => DatePart::Day,
            "week" | "wk" | "ww" => DatePart::Week,
            "weekday" | "dw" | "w" => DatePart::Weekday,
            "hour" | "hh" => DatePart::Hour,
            "minute" | "mi" | "n" => DatePart::Minute,
            "second" | "ss" | "s" => DatePart::Second,
            "millisecond" | "ms" => DatePart::Millisecond,
            "microsecond" | "mcs" => DatePart::Microsecond,
            "nanosecond" | "ns" => DatePart::Nanosecond,
            "tzoffset" | "tz" => DatePart::TzOffset,
            "iso_week" | "isowk" | "isoww" => DatePart::IsoWeek,
            _ => return None,
        })
    }

    /// The full name, as in messages.
    pub fn name(self) -> &'static str {
        match self {
            DatePart::Year => "year",
            DatePart::Quarter => "quarter",
            DatePart::Month => "month",
            DatePart::DayOfYear => "dayofyear",
            DatePart::Day => "day",
            DatePart::Week => "week",
            DatePart::Weekday => "weekday",
            DatePart::Hour => "hour",
            DatePart::Minute => "minute",
            DatePart::Second => "second",
            DatePart::Millisecond => "millisecond",
            DatePart::Microsecond => "microsecond",
            DatePart::Nanosecond => "nanosecond",
            DatePart::TzOffset => "tzoffset",
            DatePart::IsoWeek => "iso_week",
        }
    }

    /// Counts parts of a day.
    fn is_clock(self) -> bool {
        self.ticks().is_some()
    }

    /// 100 ns in one; None for days and more. A nanosecond is less than a tick: 0.
    fn ticks(self) -> Option<u64> {
        Some(match self {
            DatePart::Hour => 60 * TICKS_PER_MINUTE,
            DatePart::Minute => TICKS_PER_MINUTE,
            DatePart::Second => TICKS_PER_SECOND,
            DatePart::Millisecond => TICKS_PER_SECOND / 1_000,
            DatePart::Microsecond => 10,
            DatePart::Nanosecond => 0,
            _ => return None,
        })
    }

    /// Whether DATEADD (and DATEDIFF, DATEPART) take it for values of the type: no hours of a date, no days of a time.
    pub fn applies_to(self, ty: SqlType, use_of: PartUse) -> bool {
        let fits = match ty {
            SqlType::Date => !self.is_clock() && self != DatePart::TzOffset,
            SqlType::Time(_) => self.is_clock(),
            SqlType::DateTimeOffset(_) => true,
            // datetime's grid is coarser than these.
            SqlType::DateTime | SqlType::SmallDateTime if use_of == PartUse::Add => {
                !matches!(self, DatePart::Microsecond | DatePart::Nanosecond | DatePart::TzOffset)
            }
            SqlType::DateTime2(_) if use_of == PartUse::Part => true,
            _ => self != DatePart::TzOffset,
        };
        match use_of {
            PartUse::Add | PartUse::Diff => {
                let counts = !matches!(self, DatePart::TzOffset | DatePart::IsoWeek);
                // DATEDIFF takes any part of any type: what is missing is 1900-01-01 or midnight.
                counts && (fits || use_of == PartUse::Diff)
            }
            PartUse::Part => fits,
        }
    }
}

/// The functions that take a datepart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartUse {
    /// DATEADD: a moment at a distance.
    Add,
    /// DATEDIFF: a distance between moments.
    Diff,
    /// DATEPART, DATENAME: a part of a moment.
    Part,
}

/// DATEADD; None beyond the calendar. A day of month that the new month lacks becomes its last.
pub fn add(part: DatePart, n: i64, to: Local) -> Option<Local> {
    let months = match part {
        DatePart::Year => n.checked_mul(12)?,
        DatePart::Quarter => n.checked_mul(3)?,
        DatePart::Month => n,
        DatePart::Day | DatePart::DayOfYear | DatePart::Weekday => {
            return in_calendar(to.days as i64 + n, to);
        }
        DatePart::Week => return in_calendar((to.days as i64).checked_add(n.checked_mul(7)?)?, to),
        DatePart::TzOffset | DatePart::IsoWeek => return None,
        DatePart::Nanosecond => {
            let ticks = (n as f64 / 100.0).round() as i128;
            let sum = Local::normalise(to.days as i64, to.ticks as i128 + ticks, to.offset)?;
            return in_calendar(sum.days as i64, sum);
        }
        clock => {
            let ticks = n as i128 * clock.ticks()? as i128;
            let sum = Local::normalise(to.days as i64, to.ticks as i128 + ticks, to.offset)?;
            return in_calendar(sum.days as i64, sum);
        }
    };
    let c = to.civil();
    let index = (c.year as i64 * 12 + c.month as i64 - 1).checked_add(months)?;
    let (year, month) =
        (i32::try_from(index.div_euclid(12)).ok()?, index.rem_euclid(12) as u32 + 1);
    let day = c.day.min(days_in_month(year, month));
    Some(Local { days: days_from_civil(year, month, day)?, ..to })
}

fn in_calendar(days: i64, rest: Local) -> Option<Local> {
    (0..=super::MAX_DAYS as i64).contains(&days).then_some(Local { days: days as i32, ..rest })
}

/// DATEDIFF: how many boundaries of the part lie between the two. Offsets count: both are taken in UTC.
pub fn diff(part: DatePart, from: Local, to: Local) -> i128 {
    let utc = |l: Local| if l.offset == 0 { l } else { l.at_offset(0).unwrap_or(l) };
    let (from, to) = (utc(from), utc(to));
    let (a, b) = (from.civil(), to.civil());
    let days = to.days as i128 - from.days as i128;
    let count = |unit: u64| {
        let at = |l: Local| {
            (l.days as i128 * super::TICKS_PER_DAY as i128 + l.ticks as i128) / unit as i128
        };
        at(to) - at(from)
    };
    match part {
        DatePart::Year => (b.year - a.year) as i128,
        DatePart::Quarter => {
            ((b.year * 4 + (b.month as i32 - 1) / 3) - (a.year * 4 + (a.month as i32 - 1) / 3))
                as i128
        }
        DatePart::Month => {
            ((b.year * 12 + b.month as i32) - (a.year * 12 + a.month as i32)) as i128
        }
        DatePart::Day | DatePart::DayOfYear | DatePart::Weekday => days,
        // Weeks begin on Sunday here, whatever SET DATEFIRST says. Day 0 is a Monday.
        DatePart::Week | DatePart::IsoWeek => ((to.days + 1) / 7 - (from.days + 1) / 7) as i128,
        DatePart::Nanosecond => count(1) * 100,
        DatePart::TzOffset => 0,
        clock => count(clock.ticks().unwrap_or(1)),
    }
}

/// The number that DATEPART gives.
pub fn get(part: DatePart, of: Local, date_first: u8) -> i32 {
    let c = of.civil();
    let (hour, minute, second, rest) = of.clock();
    match part {
        DatePart::Year => c.year,
        DatePart::Quarter => (c.month as i32 - 1) / 3 + 1,
        DatePart::Month => c.month as i32,
        DatePart::DayOfYear => day_of_year(of.days, c),
        DatePart::Day => c.day as i32,
        DatePart::Weekday => weekday(of.days, date_first),
        DatePart::Week => {
            // Week 1 holds January 1st; weeks begin on DATEFIRST.
            let first = of.days - (day_of_year(of.days, c) - 1);
            (of.days - first + weekday(first, date_first) - 1) / 7 + 1
        }
        DatePart::IsoWeek => iso_week(of.days),
        DatePart::Hour => hour as i32,
        DatePart::Minute => minute as i32,
        DatePart::Second => second as i32,
        DatePart::Millisecond => (rest / 10_000) as i32,
        DatePart::Microsecond => (rest / 10) as i32,
        DatePart::Nanosecond => rest as i32 * 100,
        DatePart::TzOffset => of.offset as i32,
    }
}

/// The text that DATENAME gives.
pub fn name(part: DatePart, of: Local, date_first: u8, language: LanguageId) -> String {
    match part {
        DatePart::Month => language.get().months[of.civil().month as usize - 1].to_owned(),
        DatePart::Weekday => language.get().days[of.days.rem_euclid(7) as usize].to_owned(),
        DatePart::TzOffset => offset_text(of.offset),
        part => get(part, of, date_first).to_string(),
    }
}

/// EOMONTH: the last day of the month so many months away; None beyond the calendar.
pub fn end_of_month(of: Local, months: i64) -> Option<i32> {
    let first = days_from_civil(of.civil().year, of.civil().month, 1)?;
    let moved = add(DatePart::Month, months, Local { days: first, ticks: 0, offset: 0 })?;
    let c = moved.civil();
    days_from_civil(c.year, c.month, days_in_month(c.year, c.month))
}

fn day_of_year(days: i32, c: Civil) -> i32 {
    days_from_civil(c.year, 1, 1).map_or(1, |first| days - first + 1)
}

/// 1 for the day that `date_first` (1 = Monday … 7 = Sunday) names.
fn weekday(days: i32, date_first: u8) -> i32 {
    let from_monday = days.rem_euclid(7);
    (from_monday - (date_first as i32 - 1)).rem_euclid(7) + 1
}

/// The week that holds the year's first Thursday is the first.
fn iso_week(days: i32) -> i32 {
    let thursday = days - days.rem_euclid(7) + 3;
    let c = civil_from_days(thursday);
    (day_of_year(thursday, c) - 1) / 7 + 1
}

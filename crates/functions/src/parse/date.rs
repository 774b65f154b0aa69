//! Dates and times made of words.
//!
//! The order of a date's numbers is that of the culture's short date, unless one of them has the three or four digits of a
//! year. A date that is not told is today, a year that is not told is this one, a day that is not told the first.

use super::words::{Unit, Word, words};
use crate::context::Moment;
use crate::format::culture::Culture;
use taffrail_types::datetime::{
    Civil, Local, TICKS_PER_DAY, TICKS_PER_SECOND, civil_from_days, days_from_civil,
};
use taffrail_types::{SqlType, Value};

/// A number or name of a date in the order in which it was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// One or two digits.
    Number(u32),
    Year(u32),
    Month(u32),
}

/// The parts of a date and a time that a text tells.
#[derive(Default)]
struct Told {
    parts: Vec<Part>,
    /// Parts that are told by the word behind them.
    units: [Option<u32>; 6],
    weekday: Option<u32>,
    half: Option<bool>,
    /// Hours, minutes and seconds, as many as there are, and 100 ns.
    clock: Vec<u32>,
    fraction: u32,
    offset: Option<i16>,
}

/// The value of a type of dates that a text stands for.
pub(super) fn value(text: &str, ty: SqlType, culture: &Culture, now: Moment) -> Option<Value> {
    let told = tell(&words(text, culture)?, culture)?;
    let today = Local::from_utc(now.utc, now.offset);
    let days = told.day(culture, civil_from_days(today.days))?;
    if told.weekday.is_some_and(|w| (days + 1).rem_euclid(7) as u32 != w) {
        return None;
    }
    let ticks = told.ticks()?;
    let offset = told.offset.unwrap_or(0);
    let local = Local::normalise(i64::from(days), i128::from(ticks), offset)?;
    let local = match ty {
        SqlType::DateTimeOffset(_) => local,
        _ => local.at_offset(0)?,
    };
    local.to_value(ty).ok()
}

/// Goes through the words from the left.
fn tell(words: &[Word], culture: &Culture) -> Option<Told> {
    let mut told = Told::default();
    let mut at = 0;
    while at < words.len() {
        at += told.take(&words[at..], culture)?;
    }
    Some(told)
}

impl Told {
    /// Takes what the words begin with; how many they were.
    fn take(&mut self, words: &[Word], culture: &Culture) -> Option<usize> {
        let timed = !self.clock.is_empty();
        // A point is between hours and minutes where the culture writes so, once the date is told.
        let pointed = culture.time_separator == "." && self.parts.len() >= 2;
        match *words {
            [Word::Number(h, 1..=2), Word::Colon, ..] if !timed => {
                self.clock.push(h);
                self.clock(&words[1..], Word::Colon).map(|n| n + 1)
            }
            [Word::Number(h, 1..=2), Word::Point, ..] if !timed && pointed => {
                self.clock.push(h);
                self.clock(&words[1..], Word::Point).map(|n| n + 1)
            }
            [Word::Number(h, 1..=2), Word::Half(_), ..] if !timed => {
                self.clock.push(h);
                Some(1)
            }
            [Word::Number(n, _), Word::Unit(unit), ..] => {
                let slot = &mut self.units[unit as usize];
                slot.replace(n).is_none().then_some(2)
            }
            [Word::Number(n, digits), ..] => {
                let part = if digits > 2 { Part::Year(n) } else { Part::Number(n) };
                self.parts.push(part);
                (digits <= 4).then_some(1)
            }
            [Word::Month(m), ..] => {
                self.parts.push(Part::Month(m));
                Some(1)
            }
            [Word::Weekday(d), ..] => self.weekday.replace(d).is_none().then_some(1),
            [Word::Half(after), ..] => self.half.replace(after).is_none().then_some(1),
            [Word::Sign(minus), ref rest @ ..] if timed => self.offset(minus, rest),
            [Word::Sign(true) | Word::Point, ..] if !self.parts.is_empty() => Some(1),
            [Word::TimeFollows, Word::Number(..), Word::Colon, ..] if !self.parts.is_empty() => {
                Some(1)
            }
            [Word::Utc, ..] if timed => self.offset.replace(0).is_none().then_some(1),
            _ => None,
        }
    }

    /// Minutes and seconds behind the hour.
    fn clock(&mut self, words: &[Word], separator: Word) -> Option<usize> {
        let mut taken = 0;
        while let [s, Word::Number(n, 1..=2), ..] = words[taken..]
            && s == separator
            && self.clock.len() < 3
        {
            self.clock.push(n);
            taken += 2;
        }
        if let [Word::Fraction(f), ..] = words[taken..] {
            self.fraction = f;
            taken += 1;
        }
        (taken > 0).then_some(taken)
    }

    /// Hours and minutes of an offset: `+02:00`, `+2`.
    fn offset(&mut self, minus: bool, words: &[Word]) -> Option<usize> {
        let (hours, minutes, taken) = match *words {
            [Word::Number(h, 1..=2), Word::Colon, Word::Number(m, 2), ..] => (h, m, 4),
            [Word::Number(h, 1..=2), ..] => (h, 0, 2),
            [Word::Number(n, 4), ..] => (n / 100, n % 100, 2),
            _ => return None,
        };
        let whole = i16::try_from(hours * 60 + minutes).ok().filter(|n| *n <= 14 * 60)?;
        if minutes > 59 {
            return None;
        }
        self.offset.replace(if minus { -whole } else { whole }).is_none().then_some(taken)
    }

    fn ticks(&self) -> Option<u64> {
        let unit = |u: Unit| self.units[u as usize];
        let clock =
            |at: usize, u: Unit| self.clock.get(at).copied().or(unit(u)).filter(|n| *n < 60);
        let mut hour = match self.clock.first().copied().or(unit(Unit::Hour)) {
            None if self.half.is_some() => return None,
            hour => hour.unwrap_or(0),
        };
        let told = |at: usize, u: Unit| self.clock.len() > at || unit(u).is_some();
        let minute = if told(1, Unit::Minute) { clock(1, Unit::Minute)? } else { 0 };
        let second = if told(2, Unit::Second) { clock(2, Unit::Second)? } else { 0 };
        if let Some(after) = self.half {
            if hour > 12 {
                return None;
            }
            hour = hour % 12 + if after { 12 } else { 0 };
        }
        if hour > 23 {
            return None;
        }
        let seconds = u64::from(hour * 3600 + minute * 60 + second);
        let ticks = seconds * TICKS_PER_SECOND + u64::from(self.fraction);
        Some(ticks.min(TICKS_PER_DAY))
    }

    /// The day, counted from 0001-01-01.
    fn day(&self, culture: &Culture, today: Civil) -> Option<i32> {
        let unit = |u: Unit| self.units[u as usize];
        let this_year = today.year as u32;
        let (year, month, day) = match (unit(Unit::Year), unit(Unit::Month), unit(Unit::Day)) {
            (None, None, None) => return self.ordered(culture, today),
            _ if !self.parts.is_empty() => return None,
            (Some(y), m, d) => (full_year(y, culture)?, m?, d.unwrap_or(1)),
            (None, m, d) => (this_year, m?, d?),
        };
        days_from_civil(year as i32, month, day)
    }

    /// The day by numbers and names in their order.
    fn ordered(&self, culture: &Culture, today: Civil) -> Option<i32> {
        use Part::{Month, Number, Year};
        let this = today.year as u32;
        let far = |y: u32| far_year(y, culture);
        let near = |y: u32| full_year(y, culture);
        let short = culture.pattern('d');
        let place = |c: char| short.find(c).unwrap_or(short.len());
        let (y, m, d) = (place('y'), place('M'), place('d'));
        let month_first = goes_before(culture.pattern('M'), 'M', 'd');
        let year_first = goes_before(culture.pattern('Y'), 'y', 'M');
        let (year, month, day) = match self.parts[..] {
            [] => (this, today.month, today.day),
            [Month(m)] => (this, m, 1),
            [Number(a), Number(b)] if month_first => (this, a, b),
            [Number(a), Number(b)] => (this, b, a),
            [Year(y), Number(m)] | [Number(m), Year(y)] => (far(y)?, m, 1),
            [Year(y), Month(m)] | [Month(m), Year(y)] => (far(y)?, m, 1),
            // A month that stands where the culture has it beside the year alone has no day.
            [Month(m), Number(n)] if !month_first && !year_first => (near(n)?, m, 1),
            [Number(n), Month(m)] if month_first && year_first => (near(n)?, m, 1),
            [Month(m), Number(d)] | [Number(d), Month(m)] => (this, m, d),
            [Number(a), Number(b), Number(c)] if y < m && m < d => (near(a)?, b, c),
            [Number(a), Number(b), Number(c)] if m < d => (near(c)?, a, b),
            [Number(a), Number(b), Number(c)] if y < m => (near(a)?, c, b),
            [Number(a), Number(b), Number(c)] => (near(c)?, b, a),
            [Year(year), Number(a), Number(b)] if y < d && d < m => (far(year)?, b, a),
            [Year(year), Number(a), Number(b)] => (far(year)?, a, b),
            [Number(a), Number(b), Year(year)] if m < d => (far(year)?, a, b),
            [Number(a), Number(b), Year(year)] => (far(year)?, b, a),
            [Year(y), Month(m), Number(d)]
            | [Year(y), Number(d), Month(m)]
            | [Number(d), Month(m), Year(y)]
            | [Month(m), Number(d), Year(y)] => (far(y)?, m, d),
            [Month(month), Number(a), Number(b)]
            | [Number(a), Month(month), Number(b)]
            | [Number(a), Number(b), Month(month)] => {
                let (d, y) = if y < m && y < d { (b, a) } else { (a, b) };
                let of = |d: u32, y: u32| Some((near(y)?, month, d));
                let fits = |d: u32, y: u32| {
                    near(y).is_some_and(|y| days_from_civil(y as i32, month, d).is_some())
                };
                if fits(d, y) { of(d, y)? } else { of(y, d)? }
            }
            _ => return None,
        };
        days_from_civil(i32::try_from(year).ok()?, month, day)
    }
}

/// Whether a letter stands before another one in a pattern.
fn goes_before(pattern: &str, first: char, second: char) -> bool {
    pattern.find(first).unwrap_or(usize::MAX) < pattern.find(second).unwrap_or(usize::MAX)
}

/// A year of three or four digits, as the culture's calendar counts.
fn far_year(year: u32, culture: &Culture) -> Option<u32> {
    let ahead = culture.year(0);
    u32::try_from(i64::from(year) - i64::from(ahead)).ok().filter(|y| *y > 0)
}

/// A year of any digits: of two of them it is one of the hundred years up to 2029.
fn full_year(year: u32, culture: &Culture) -> Option<u32> {
    const LAST: u32 = 2029;
    if year > 99 {
        return far_year(year, culture);
    }
    let last = LAST.saturating_add_signed(culture.year(0));
    let century = last / 100 * 100;
    let year = if year <= last % 100 { century + year } else { century - 100 + year };
    far_year(year, culture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_types::datetime::TICKS_PER_MINUTE;

    /// 2026-05-04 10:00 UTC, a Monday.
    fn now() -> Moment {
        let days = days_from_civil(2026, 5, 4).unwrap() as u64;
        Moment { utc: days * TICKS_PER_DAY + 600 * TICKS_PER_MINUTE, offset: 0 }
    }

    fn shown(text: &str, ty: SqlType, culture: &str) -> Option<String> {
        let culture = Culture::named(culture).unwrap();
        value(text, ty, culture, now()).map(|v| taffrail_types::text::display(&v, ty))
    }

    #[test]
    fn the_culture_orders_the_numbers() {
        let date = |text, culture| shown(text, SqlType::Date, culture);
        for (text, culture, expected) in [
            ("12/16/2010", "en-US", "2010-12-16"),
            ("16/12/2010", "en-GB", "2010-12-16"),
            ("16.12.10", "de-DE", "2010-12-16"),
            ("2010-12-16", "en-US", "2010-12-16"),
            ("2010-12-16", "de-DE", "2010-12-16"),
            ("10/12/16", "ja-JP", "2010-12-16"),
            ("1/2/30", "en-US", "1930-01-02"),
            ("12/16", "en-US", "2026-12-16"),
            ("12/2010", "en-US", "2010-12-01"),
            ("2010年12月16日", "ja-JP", "2010-12-16"),
            ("16/12/2553", "th-TH", "2010-12-16"),
        ] {
            assert_eq!(date(text, culture).as_deref(), Some(expected), "{text} {culture}");
        }
        for text in ["16/12/2010", "2010", "20101216", "2/30/2010", "12/16/2010/1", "x", "1"] {
            assert_eq!(date(text, "en-US"), None, "{text}");
        }
    }

    #[test]
    fn names_are_those_of_the_culture() {
        let date = |text, culture| shown(text, SqlType::Date, culture);
        for (text, culture, expected) in [
            ("Monday, 13 December 2010", "en-US", "2010-12-13"),
            ("december 13, 2010", "en-US", "2010-12-13"),
            ("Dec 2010", "en-US", "2010-12-01"),
            ("13 Dec", "en-US", "2026-12-13"),
            ("Montag, 13. Dezember 2010", "de-DE", "2010-12-13"),
            ("13 de diciembre de 2010", "es-ES", "2010-12-13"),
            ("13 août 2010", "fr-FR", "2010-08-13"),
            ("13-Mrz-2010", "de-DE", "2010-03-13"),
        ] {
            assert_eq!(date(text, culture).as_deref(), Some(expected), "{text} {culture}");
        }
        assert_eq!(date("Tuesday, 13 December 2010", "en-US"), None);
        assert_eq!(date("13 Dezember 2010", "en-US"), None);
    }

    #[test]
    fn times_have_halves_fractions_and_offsets() {
        let at = |text| shown(text, SqlType::DateTime2(3), "en-US");
        for (text, expected) in [
            ("12/16/2010 5:04 PM", "2010-12-16 17:04:00.000"),
            ("12/16/2010 12 AM", "2010-12-16 00:00:00.000"),
            ("2010-12-16T05:04:03.1234567Z", "2010-12-16 05:04:03.123"),
            ("2010-12-16 05:04+02:00", "2010-12-16 03:04:00.000"),
            ("5:04", "2026-05-04 05:04:00.000"),
        ] {
            assert_eq!(at(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["12/16/2010 13:00 PM", "12/16/2010 24:00", "12/16/2010 5:60", "PM"] {
            assert_eq!(at(text), None, "{text}");
        }
        let offset = SqlType::DateTimeOffset(0);
        let shown_offset = shown("2010-12-16 05:04 -08:00", offset, "en-US");
        assert_eq!(shown_offset.as_deref(), Some("2010-12-16 05:04:00 -08:00"));
        let time = shown("5:04:03 PM", SqlType::Time(0), "en-US");
        assert_eq!(time.as_deref(), Some("17:04:03"));
        let finnish = shown("16.12.2010 5.04", SqlType::DateTime2(0), "fi-FI");
        assert_eq!(finnish.as_deref(), Some("2010-12-16 05:04:00"));
        assert_eq!(shown("2000000時", SqlType::Time(0), "ja-JP"), None);
    }
}

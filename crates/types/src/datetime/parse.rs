//! Dates and times in text.
//!
//! Accepted, in any mixture of date and time (either may be missing: 1900-01-01, midnight):
//!
//! | form | example |
//! |---|---|
//! | unseparated | `20261121`, `261121`, `2026` |
//! | numbers with `/`, `-` or `.` | `11/21/2026`, in the order of SET DATEFORMAT; a four-digit year stands anywhere |
//! | ISO 8601 | `2026-11-21T11:51:44.123`, `…Z`, `…+02:00`: always year, month, day |
//! | month names | `Nov 21, 2026`, `21 November 2026`, `2026 Nov 21`, `Nov 2026` |
//! | times | `11:51`, `11:51:44.1234567`, `11:51:44:123` (milliseconds), `11:51 PM`, `11 pm` |
//! | offsets | `+02:00`, `-05:30`, `Z`, after a time |
//!
//! datetime and smalldatetime are older than the rest and read `2026-11-21` (without a time after `T`) by DATEFORMAT as
//! well: year-day-month under dmy. That is [`ParseStyle::legacy`].

use super::{DateError, LanguageId, Local, TICKS_PER_SECOND, days_from_civil};

/// The order of day, month and year in a date of numbers: SET DATEFORMAT.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DateFormat {
    /// month, day, year (us_english).
    #[default]
    Mdy,
    /// The order day, month, year.
    Dmy,
    /// The order year, month, day.
    Ymd,
    /// The order year, day, month.
    Ydm,
    /// The order month, year, day.
    Myd,
    /// The order day, year, month.
    Dym,
}

impl DateFormat {
    /// By its name in SET DATEFORMAT.
    pub fn from_name(name: &str) -> Option<DateFormat> {
        Some(match name.to_ascii_lowercase().as_str() {
            "mdy" => DateFormat::Mdy,
            "dmy" => DateFormat::Dmy,
            "ymd" => DateFormat::Ymd,
            "ydm" => DateFormat::Ydm,
            "myd" => DateFormat::Myd,
            "dym" => DateFormat::Dym,
            _ => return None,
        })
    }

    /// The order's name, as SET DATEFORMAT takes it.
    pub fn name(self) -> &'static str {
        match self {
            DateFormat::Mdy => "mdy",
            DateFormat::Dmy => "dmy",
            DateFormat::Ymd => "ymd",
            DateFormat::Ydm => "ydm",
            DateFormat::Myd => "myd",
            DateFormat::Dym => "dym",
        }
    }

    fn month_before_day(self) -> bool {
        matches!(self, DateFormat::Mdy | DateFormat::Ymd | DateFormat::Myd)
    }
}

/// How a text is to be read.
#[derive(Clone, Copy, Debug)]
pub struct ParseStyle {
    /// The order of day, month and year among numbers.
    pub format: DateFormat,
    /// Whose names of months are known, beside the English ones.
    pub language: LanguageId,
    /// For datetime and smalldatetime.
    pub legacy: bool,
    /// The last year that two digits can mean.
    pub two_digit_year_cutoff: u16,
}

/// A date and time that was read from a text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parsed {
    /// The date and time.
    pub local: Local,
    /// An offset was written.
    pub has_offset: bool,
    /// A date was written.
    pub has_date: bool,
}

/// The English names of the months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The order of numbers that a CONVERT style prescribes when text is read.
pub fn format_of_style(style: i32) -> Option<DateFormat> {
    Some(match style {
        0 | 1 | 7 | 9 | 10 | 22 | 100 | 101 | 107 | 109 | 110 => DateFormat::Mdy,
        3..=6 | 13 | 103..=106 | 113 => DateFormat::Dmy,
        2 | 11 | 12 | 20 | 21 | 23 | 25 | 102 | 111 | 112 | 120 | 121 | 126 | 127 => {
            DateFormat::Ymd
        }
        8 | 14 | 24 | 108 | 114 => DateFormat::Mdy,
        _ => return None,
    })
}

/// A number of the text, with how many digits it had.
#[derive(Clone, Copy)]
struct Number {
    value: u32,
    digits: usize,
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip(&mut self, what: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&what) {
            self.at += 1;
        }
    }

    fn blanks(&mut self) {
        self.skip(|b| b == b' ' || b == b'\t');
    }

    fn take(&mut self, b: u8) -> bool {
        let there = self.peek() == Some(b);
        self.at += there as usize;
        there
    }

    fn number(&mut self) -> Option<Number> {
        let from = self.at;
        self.skip(|b| b.is_ascii_digit());
        let digits = self.at - from;
        if digits == 0 || digits > 9 {
            return None;
        }
        let value = self.text[from..self.at].iter().fold(0, |v, d| v * 10 + (d - b'0') as u32);
        Some(Number { value, digits })
    }

    fn word(&mut self) -> String {
        let from = self.at;
        self.skip(|b| b.is_ascii_alphabetic());
        String::from_utf8_lossy(&self.text[from..self.at]).to_ascii_lowercase()
    }
}

/// Reads a date, a time, or both.
pub fn parse(text: &str, style: ParseStyle) -> Result<Parsed, DateError> {
    let mut r = Reader { text: text.as_bytes(), at: 0 };
    let mut numbers: Vec<Number> = Vec::new();
    let mut month: Option<u32> = None;
    let mut clock: Option<u64> = None;
    let mut offset: Option<i16> = None;
    let mut iso = false;
    let mut separated = false;
    loop {
        r.skip(|b| b == b' ' || b == b'\t' || b == b',');
        let Some(b) = r.peek() else { break };
        if b.is_ascii_alphabetic() || !b.is_ascii() {
            // Words end at ASCII, so this is a boundary of characters.
            let found = text.get(r.at..).and_then(|rest| style.language.get().month_at(rest));
            if let Some((m, len)) = found {
                if month.replace(m).is_some() {
                    return Err(DateError::Syntax);
                }
                r.at += len;
                continue;
            }
            match r.word().as_str() {
                "t" if separated && clock.is_none() => iso = true,
                "z" if clock.is_some() && offset.is_none() => offset = Some(0),
                _ => return Err(DateError::Syntax),
            }
        } else if matches!(b, b'+' | b'-') && clock.is_some() && offset.is_none() {
            r.at += 1;
            let minutes = read_offset(&mut r).ok_or(DateError::Syntax)?;
            offset = Some(if b == b'-' { -minutes } else { minutes });
        } else if b.is_ascii_digit() {
            let from = r.at;
            let n = r.number().ok_or(DateError::Syntax)?;
            let after = r.at;
            r.blanks();
            let next = r.peek();
            let half = next.is_some_and(|b| matches!(b.to_ascii_lowercase(), b'a' | b'p'))
                && r.text.get(r.at + 1).is_some_and(|b| b.eq_ignore_ascii_case(&b'm'));
            if r.text.get(after) == Some(&b':') || half {
                if clock.is_some() {
                    return Err(DateError::Syntax);
                }
                r.at = from;
                clock = Some(read_clock(&mut r, style.legacy)?);
                continue;
            }
            numbers.push(n);
            if matches!(next, Some(b'/' | b'-' | b'.')) && clock.is_none() {
                r.at += 1;
                separated = true;
            } else {
                r.at = after;
            }
        } else {
            return Err(DateError::Syntax);
        }
    }
    let has_date = !numbers.is_empty() || month.is_some();
    let date =
        if has_date { read_date(&numbers, month, separated, iso, style)? } else { (1900, 1, 1) };
    let days = days_from_civil(date.0, date.1, date.2).ok_or(DateError::Range)?;
    let local = Local { days, ticks: clock.unwrap_or(0), offset: offset.unwrap_or(0) };
    Ok(Parsed { local, has_offset: offset.is_some(), has_date })
}

/// `hh[:mm[:ss[.fff | :mmm]]] [AM|PM]`, in ticks.
fn read_clock(r: &mut Reader<'_>, legacy: bool) -> Result<u64, DateError> {
    let part = |r: &mut Reader<'_>| r.number().filter(|n| n.digits <= 2).ok_or(DateError::Syntax);
    let mut hour = part(r)?.value;
    let (mut minute, mut second, mut fraction) = (0, 0, 0u64);
    if r.take(b':') {
        minute = part(r)?.value;
        if r.take(b':') {
            second = part(r)?.value;
            if r.take(b'.') {
                fraction = read_fraction(r, legacy)?;
            } else if r.take(b':') {
                let n = r.number().filter(|n| n.digits <= 3).ok_or(DateError::Syntax)?;
                fraction = n.value as u64 * 10_000;
            }
        }
    }
    r.blanks();
    if r.peek().is_some_and(|b| matches!(b.to_ascii_lowercase(), b'a' | b'p')) {
        let afternoon = match r.word().as_str() {
            "am" => false,
            "pm" => true,
            _ => return Err(DateError::Syntax),
        };
        if afternoon && (1..12).contains(&hour) {
            hour += 12;
        } else if !afternoon && hour == 12 {
            hour = 0;
        } else if !afternoon && hour > 12 || hour == 0 && afternoon {
            return Err(DateError::Syntax);
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return Err(DateError::Range);
    }
    Ok((hour * 3600 + minute * 60 + second) as u64 * TICKS_PER_SECOND + fraction)
}

/// The digits behind a point, in ticks: three for datetime; for the others up to eight, the last of which counts for nothing,
/// and blanks before them.
fn read_fraction(r: &mut Reader<'_>, legacy: bool) -> Result<u64, DateError> {
    if !legacy {
        r.blanks();
    }
    let n = r.number().ok_or(DateError::Syntax)?;
    match n.digits as u32 {
        8 if !legacy => Ok(u64::from(n.value / 10)),
        digits @ ..=7 if digits <= 3 || !legacy => Ok(u64::from(n.value) * 10u64.pow(7 - digits)),
        _ => Err(DateError::Syntax),
    }
}

/// `hh[:mm]` up to 14:00, each of one digit or two, in minutes.
fn read_offset(r: &mut Reader<'_>) -> Option<i16> {
    let hours = r.number().filter(|n| n.digits <= 2)?;
    let minutes = match r.take(b':') {
        true => r.number().filter(|n| n.digits <= 2 && n.value < 60)?.value,
        false => 0,
    };
    let all = hours.value * 60 + minutes;
    (all <= 14 * 60).then_some(all as i16)
}

fn read_date(
    numbers: &[Number],
    month: Option<u32>,
    separated: bool,
    iso: bool,
    style: ParseStyle,
) -> Result<(i32, u32, u32), DateError> {
    let year = |n: Number| -> Result<i32, DateError> {
        match n.digits {
            4 => Ok(n.value as i32),
            1 | 2 => {
                let cutoff = style.two_digit_year_cutoff as i32;
                let century = cutoff - cutoff % 100;
                let y = century + n.value as i32;
                Ok(if y > cutoff { y - 100 } else { y })
            }
            _ => Err(DateError::Syntax),
        }
    };
    let small = |n: Number| if n.digits <= 2 { Ok(n.value) } else { Err(DateError::Syntax) };
    if let Some(month) = month {
        return match *numbers {
            [y] if y.digits == 4 => Ok((year(y)?, month, 1)),
            [y] if y.digits <= 2 => Ok((year(y)?, month, 1)),
            [y, d] if y.digits == 4 => Ok((year(y)?, month, small(d)?)),
            [d, y] => Ok((year(y)?, month, small(d)?)),
            _ => Err(DateError::Syntax),
        };
    }
    match *numbers {
        [n] if !separated => match n.digits {
            8 => Ok(((n.value / 10_000) as i32, n.value / 100 % 100, n.value % 100)),
            6 => {
                let y = Number { value: n.value / 10_000, digits: 2 };
                Ok((year(y)?, n.value / 100 % 100, n.value % 100))
            }
            4 => Ok((n.value as i32, 1, 1)),
            _ => Err(DateError::Syntax),
        },
        [a, b, c] if separated => {
            let order = |y: Number, p: Number, q: Number, month_first: bool| {
                let (m, d) = if month_first { (p, q) } else { (q, p) };
                Ok((year(y)?, small(m)?, small(d)?))
            };
            let month_first = style.format.month_before_day();
            if a.digits == 4 {
                // Only the older types let DATEFORMAT turn year-first dates round.
                return order(a, b, c, iso || !style.legacy || month_first);
            }
            if iso {
                return Err(DateError::Syntax);
            }
            if c.digits == 4 {
                return order(c, a, b, month_first);
            }
            if b.digits == 4 {
                return order(b, a, c, month_first);
            }
            match style.format {
                DateFormat::Mdy | DateFormat::Dmy => order(c, a, b, month_first),
                DateFormat::Ymd | DateFormat::Ydm => order(a, b, c, month_first),
                DateFormat::Myd | DateFormat::Dym => order(b, a, c, month_first),
            }
        }
        _ => Err(DateError::Syntax),
    }
}

//! Dates.

use super::culture::Culture;
use taffrail_types::datetime::Local;

/// The offset from UTC, and where it comes from.
#[derive(Clone, Copy)]
pub(crate) enum Zone {
    /// The offset in a datetimeoffset, minutes.
    Known(i16),
    /// The server's, of types that have none.
    Local(i16),
}

impl Zone {
    fn minutes(self) -> i16 {
        match self {
            Zone::Known(m) | Zone::Local(m) => m,
        }
    }
}

/// A date by a format.
pub fn format(local: Local, zone: Zone, picture: &str, culture: &Culture) -> Option<String> {
    let mut chars = picture.chars();
    let letter = match (chars.next(), chars.next()) {
        (None, _) => 'G',
        (Some(c), None) => c,
        _ => return custom(local, zone, picture, culture),
    };
    let utc = |minutes: i16| Local { offset: minutes, ..local }.at_offset(0);
    let pattern = match letter {
        'd' | 'D' | 't' | 'T' | 'f' | 'F' | 'g' | 'G' => culture.pattern(letter),
        'm' | 'M' => culture.pattern('M'),
        'y' | 'Y' => culture.pattern('Y'),
        _ => {
            let (local, pattern) = match (letter, zone) {
                ('o' | 'O', Zone::Known(_)) => (local, "yyyy-MM-ddTHH:mm:ss.fffffffzzz"),
                ('o' | 'O', _) => (local, "yyyy-MM-ddTHH:mm:ss.fffffff"),
                ('s', _) => (local, "yyyy-MM-ddTHH:mm:ss"),
                ('r' | 'R', Zone::Known(m)) => (utc(m)?, "ddd, dd MMM yyyy HH:mm:ss 'GMT'"),
                ('r' | 'R', _) => (local, "ddd, dd MMM yyyy HH:mm:ss 'GMT'"),
                ('u', Zone::Known(m)) => (utc(m)?, "yyyy-MM-dd HH:mm:ssZ"),
                ('u', _) => (local, "yyyy-MM-dd HH:mm:ssZ"),
                ('U', Zone::Local(m)) => {
                    return custom(utc(m)?, zone, culture.pattern('F'), culture);
                }
                _ => return None,
            };
            return custom(local, zone, pattern, Culture::en_us());
        }
    };
    custom(local, zone, pattern, culture)
}

/// Whether a picture asks for the era.
pub(crate) fn names_era(picture: &str) -> bool {
    let mut quote = None;
    let mut chars = picture.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => {
                chars.next();
            }
            (c, Some(mark)) if c == mark => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            ('g', None) => return picture.len() > 1,
            _ => {}
        }
    }
    false
}

/// A number with at least so many digits.
fn digits(out: &mut String, n: u32, least: usize) {
    let text = n.to_string();
    // (As a width of `format!` it could be too large.)
    out.extend(std::iter::repeat_n('0', least.saturating_sub(text.len())));
    out.push_str(&text);
}

/// Whether the day's number stands beside the month at `at..end`: in the nearest run of `d` before it or after it.
fn beside_day(picture: &[char], at: usize, end: usize) -> bool {
    let near = |run: usize| matches!(run, 1 | 2);
    let before = match picture[..at].iter().rposition(|c| *c == 'd') {
        Some(last) => picture[..=last].iter().rev().take_while(|c| **c == 'd').count(),
        None => 0,
    };
    let after = match picture[end..].iter().position(|c| *c == 'd') {
        Some(first) => picture[end + first..].iter().take_while(|c| **c == 'd').count(),
        None => 0,
    };
    near(before) || near(after)
}

/// Text in quotation marks, in which a backslash takes the next character as it is; the place behind. `None`: not closed.
pub fn quoted(picture: &[char], from: usize, mark: char, out: &mut String) -> Option<usize> {
    let mut at = from;
    loop {
        let c = *picture.get(at)?;
        at += 1;
        if c == mark {
            return Some(at);
        }
        if c == '\\' {
            out.push(*picture.get(at)?);
            at += 1;
        } else {
            out.push(c);
        }
    }
}

fn custom(local: Local, zone: Zone, picture: &str, culture: &Culture) -> Option<String> {
    let picture: Vec<char> = picture.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < picture.len() {
        at = token(local, zone, &picture, at, culture, &mut out)?;
    }
    Some(out)
}

/// Letters whose number says how they are written.
const RUNS: &str = "ghHmsfFtdMyz";

/// Writes what begins at `at`; the place behind it.
fn token(
    local: Local,
    zone: Zone,
    picture: &[char],
    at: usize,
    culture: &Culture,
    out: &mut String,
) -> Option<usize> {
    let c = picture[at];
    match c {
        // Counting the other characters of a run at each of them would be quadratic.
        c if RUNS.contains(c) => {
            let run = picture[at..].iter().take_while(|x| **x == c).count();
            let genitive = c == 'M'
                && run > 2
                && !culture.months_genitive.is_empty()
                && beside_day(picture, at, at + run);
            part(local, zone, c, run, genitive, culture, out)?;
            return Some(at + run);
        }
        'K' => {
            if let Zone::Known(_) = zone {
                let (sign, hours, minutes) = offset_of(zone);
                out.push_str(&format!("{sign}{hours:02}:{minutes:02}"));
            }
        }
        ':' => out.push_str(&culture.time_separator),
        '/' => out.push_str(&culture.date_separator),
        '\'' | '"' => return quoted(picture, at + 1, c, out),
        '\\' => {
            out.push(*picture.get(at + 1)?);
            return Some(at + 2);
        }
        '%' => {
            let next = *picture.get(at + 1).filter(|c| **c != '%')?;
            token(local, zone, &[next], 0, culture, out)?;
            return Some(at + 2);
        }
        other => out.push(other),
    }
    Some(at + 1)
}

/// The sign, hours and minutes of an offset from UTC.
fn offset_of(zone: Zone) -> (char, u16, u16) {
    let offset = zone.minutes();
    let sign = if offset < 0 { '-' } else { '+' };
    (sign, offset.unsigned_abs() / 60, offset.unsigned_abs() % 60)
}

/// Writes the part of a date and time that a run of one of [`RUNS`] stands for; `genitive`: so the name of a month is written.
fn part(
    local: Local,
    zone: Zone,
    c: char,
    run: usize,
    genitive: bool,
    culture: &Culture,
    out: &mut String,
) -> Option<()> {
    let civil = local.civil();
    let (hour, minute, second, fraction) = local.clock();
    match c {
        'g' => out.push_str(culture.era()?),
        'h' => digits(out, (hour + 11) % 12 + 1, run.min(2)),
        'H' => digits(out, hour, run.min(2)),
        'm' => digits(out, minute, run.min(2)),
        's' => digits(out, second, run.min(2)),
        'f' if run <= 7 => out.push_str(&format!("{fraction:07}")[..run]),
        'F' if run <= 7 => {
            let text = format!("{fraction:07}");
            let shown = text[..run].trim_end_matches('0');
            if shown.is_empty() && out.ends_with('.') {
                out.pop();
            }
            out.push_str(shown);
        }
        'f' | 'F' => return None,
        't' => {
            let half = &culture.halves[(hour >= 12) as usize];
            match run {
                1 => out.extend(half.chars().next()),
                _ => out.push_str(half),
            }
        }
        'd' if run <= 2 => digits(out, civil.day, run),
        'd' => {
            let names = if run == 3 { &culture.days_short } else { &culture.days };
            out.push_str(names.get((local.days + 1).rem_euclid(7) as usize)?);
        }
        'M' if run <= 2 => digits(out, civil.month, run),
        'M' => {
            let names = match (run, genitive) {
                (3, _) => &culture.months_short,
                (_, true) => &culture.months_genitive,
                (_, false) => &culture.months,
            };
            out.push_str(names.get(civil.month as usize - 1)?);
        }
        'y' => {
            let year = culture.year(civil.year) as u32;
            if run <= 2 { digits(out, year % 100, run) } else { digits(out, year, run) }
        }
        _ => {
            debug_assert_eq!(c, 'z', "RUNS has no other");
            let (sign, hours, minutes) = offset_of(zone);
            out.push(sign);
            digits(out, hours as u32, run.min(2));
            if run > 2 {
                out.push(':');
                digits(out, minutes as u32, 2);
            }
        }
    }
    Some(())
}

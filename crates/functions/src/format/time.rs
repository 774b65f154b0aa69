//! The type time, a TimeSpan in .NET: only `d h m s f F` mean something, everything else stands in quotation marks or
//! behind a backslash.

use super::culture::Culture;
use super::date::quoted;
use taffrail_types::datetime::TICKS_PER_SECOND;

/// A time of day by a format.
pub fn format(ticks: u64, picture: &str, culture: &Culture) -> Option<String> {
    let picture: Vec<char> = picture.chars().collect();
    let clock = Clock::new(ticks);
    let Clock { hour, minute, second, fraction } = clock;
    let shown = format!("{fraction:07}");
    match picture[..] {
        [] | ['c' | 't' | 'T'] => {
            let rest = if fraction == 0 { String::new() } else { format!(".{shown}") };
            return Some(format!("{hour:02}:{minute:02}:{second:02}{rest}"));
        }
        ['g'] => {
            let shown = shown.trim_end_matches('0');
            let point = if shown.is_empty() { "" } else { &culture.number.point };
            return Some(format!("{hour}:{minute:02}:{second:02}{point}{shown}"));
        }
        ['G'] => {
            let point = &culture.number.point;
            return Some(format!("0:{hour:02}:{minute:02}:{second:02}{point}{shown}"));
        }
        [_] => return None,
        _ => {}
    }
    let mut out = String::new();
    let mut at = 0;
    while at < picture.len() {
        at = clock.token(&picture, at, &mut out)?;
    }
    Some(out)
}

struct Clock {
    hour: u64,
    minute: u64,
    second: u64,
    /// The part below a second, in 100 ns.
    fraction: u64,
}

impl Clock {
    fn new(ticks: u64) -> Clock {
        let seconds = ticks / TICKS_PER_SECOND;
        Clock {
            hour: seconds / 3600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
            fraction: ticks % TICKS_PER_SECOND,
        }
    }

    /// Writes what begins at `at`; the place behind it.
    fn token(&self, picture: &[char], at: usize, out: &mut String) -> Option<usize> {
        let c = picture[at];
        let run = picture[at..].iter().take_while(|x| **x == c).count();
        match (c, run) {
            ('h', 1..=2) => out.push_str(&format!("{:0run$}", self.hour)),
            ('m', 1..=2) => out.push_str(&format!("{:0run$}", self.minute)),
            ('s', 1..=2) => out.push_str(&format!("{:0run$}", self.second)),
            ('d', 1..=8) => out.push_str(&format!("{:0run$}", 0)),
            ('f', 1..=7) => out.push_str(&format!("{:07}", self.fraction)[..run]),
            ('F', 1..=7) => {
                out.push_str(format!("{:07}", self.fraction)[..run].trim_end_matches('0'));
            }
            ('\'' | '"', _) => return quoted(picture, at + 1, c, out),
            ('\\', _) => {
                out.push(*picture.get(at + 1)?);
                return Some(at + 2);
            }
            ('%', _) => {
                let next = *picture.get(at + 1).filter(|c| **c != '%')?;
                self.token(&[next], 0, out)?;
                return Some(at + 2);
            }
            _ => return None,
        }
        Some(at + run)
    }
}

//! FORMAT: .NET Framework's formatting of numbers, dates and times, in the cultures of [`culture`].
//!
//! | module | |
//! |---|---|
//! | `culture` | separators, names and patterns by culture |
//! | `number` | the letters C D E F G N P R X and the digits they work on |
//! | `custom` | pictures of `0` and `#` |
//! | `date` | dates |
//! | `time` | `time`, which is a TimeSpan |
//!
//! A pattern that does not suit the value gives NULL, as in SQL Server.

pub(crate) mod culture;
mod custom;
mod date;
mod number;
mod time;

use super::Call;
use culture::Culture;
use number::Number;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;
use taffrail_types::datetime::Local;

/// FORMAT(value, format [, culture]).
pub fn format(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let culture = match args.get(2) {
        None => {
            let language = c.context.global("@@LANGUAGE")?;
            Culture::of_language(&language.as_text().unwrap_or_default())
        }
        Some(name) => {
            // The culture is judged before anything else, even before a value that is NULL.
            let name = name.as_text().unwrap_or_default();
            Culture::named(&name)?
        }
    };
    let value = &args[0];
    if value.is_null() {
        return Ok(Value::Null);
    }
    // A NULL of a type: no format.
    let picture = args[1].as_text().unwrap_or_default();
    let text = match value {
        Value::Time(ticks) => time::format(*ticks, &picture, culture),
        value => match moment(value) {
            Some(local) => {
                if !culture.has_dates() {
                    let what = format!("FORMAT of dates in the culture {}", culture.name);
                    return Err(SqlError::new(40510, &[&what]));
                }
                if culture.era().is_none() && date::names_era(&picture) {
                    let what = format!("The era in the culture {}", culture.name);
                    return Err(SqlError::new(40510, &[&what]));
                }
                let zone = match value {
                    Value::DateTimeOffset { offset, .. } => date::Zone::Known(*offset),
                    _ => date::Zone::Local(c.context.moment().offset),
                };
                date::format(local, zone, &picture, culture)
            }
            None => Number::new(value).and_then(|n| number::format(n, &picture, culture)),
        },
    };
    Ok(c.optional_text(text))
}

/// The point in time of a value; one of datetime in whole milliseconds, as .NET has it.
fn moment(v: &Value) -> Option<Local> {
    let mut local = Local::from_value(v)?;
    if let Value::DateTime { .. } = v {
        const MILLISECOND: u64 = 10_000;
        local.ticks = (local.ticks + MILLISECOND / 2) / MILLISECOND * MILLISECOND;
    }
    Some(local)
}

/// The letter and the number of digits (0 to 99) of a standard format such as `N2`.
fn standard(picture: &str) -> Option<(char, Option<usize>)> {
    if picture.is_empty() {
        return Some(('G', None));
    }
    let mut chars = picture.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    let digits = chars.as_str();
    if digits.len() > 2 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((letter, digits.parse().ok()))
}

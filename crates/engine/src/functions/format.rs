//! FORMAT: .NET's format strings, as far as scripts use them.
//!
//! Numbers: the standard forms N, F, D, P, C, E, X, G with a precision, and custom pictures of `0`, `#`, `,`, `.`, `%`
//! and literal text. Dates: the standard forms d, D, t, T, g, G, s, u, M, Y and pictures of `yyyy MM dd HH hh mm ss fff tt`
//! and their variants. The culture is en-US, whatever is asked for but `en-US` and the invariant one: another one is
//! refused. A format that does not suit the value gives NULL, as in SQL Server.

use super::Call;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::datetime::Local;
use taffrail_types::datetime::parse::MONTHS;
use taffrail_types::datetime::part::WEEKDAYS;
use taffrail_types::{Decimal, Value};

pub fn format(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(picture) = args[1].as_text() else { return Ok(Value::Null) };
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    if let Some(culture) = args.get(2).and_then(Value::as_text)
        && !culture.is_empty()
        && !culture.eq_ignore_ascii_case("en-us")
    {
        return Err(SqlError::new(1023, &[&3, &"format"]));
    }
    let text = match Local::from_value(&args[0]) {
        Some(local) => date(local, &picture),
        None => decimal(&args[0]).and_then(|d| number(d, &picture)),
    };
    Ok(c.optional_text(text))
}

/// The exact value of a number; None beyond 38 digits.
fn decimal(v: &Value) -> Option<Decimal> {
    match v {
        Value::Decimal(d) => Some(*d),
        Value::Money(m) => Decimal::from_scaled(*m as i128, 4),
        // A double's shortest text is what .NET prints.
        Value::Float(x) => Decimal::parse_literal(&format!("{x}")).ok().map(|d| d.0),
        Value::Real(x) => Decimal::parse_literal(&format!("{x}")).ok().map(|d| d.0),
        other => other.as_i64().map(Decimal::from_i64),
    }
}

fn number(d: Decimal, picture: &str) -> Option<String> {
    let mut chars = picture.chars();
    let letter = chars.next()?;
    let digits = chars.as_str();
    if letter.is_ascii_alphabetic()
        && digits.len() <= 2
        && digits.bytes().all(|b| b.is_ascii_digit())
    {
        let precision: Option<u8> = digits.parse().ok();
        return standard_number(d, letter, precision);
    }
    custom_number(d, picture)
}

fn standard_number(d: Decimal, letter: char, precision: Option<u8>) -> Option<String> {
    let sign = |negative: bool| if negative { "-" } else { "" };
    Some(match letter.to_ascii_uppercase() {
        'N' => {
            let d = d.rescale(precision.unwrap_or(2))?;
            format!("{}{}", sign(d.is_negative()), grouped(&d.abs().to_string()))
        }
        'F' => d.rescale(precision.unwrap_or(2))?.to_string(),
        'C' => {
            let d = d.rescale(precision.unwrap_or(2))?;
            let text = format!("${}", grouped(&d.abs().to_string()));
            if d.is_negative() { format!("({text})") } else { text }
        }
        'P' => {
            let hundred = Decimal::from_i64(100);
            let to = taffrail_types::decimal::NumericType { precision: 38, scale: d.scale() };
            let d = Decimal::mul(d, hundred, to).ok()?.rescale(precision.unwrap_or(2))?;
            format!("{}{}%", sign(d.is_negative()), grouped(&d.abs().to_string()))
        }
        'D' if d.scale() == 0 => {
            let width = precision.unwrap_or(1) as usize;
            format!("{}{:0>width$}", sign(d.is_negative()), d.abs().to_string())
        }
        'X' if d.scale() == 0 => {
            let n = d.to_i64()?;
            let width = precision.unwrap_or(1) as usize;
            let wide = i32::try_from(n).map_or(n as u64, |n| n as u32 as u64);
            if letter == 'X' { format!("{wide:0width$X}") } else { format!("{wide:0width$x}") }
        }
        'E' => {
            let text = format!("{:.*e}", precision.unwrap_or(6) as usize, d.to_f64());
            let (mantissa, exponent) = text.split_once('e')?;
            let exponent: i32 = exponent.parse().ok()?;
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}{letter}{sign}{:03}", exponent.abs())
        }
        'G' => d.to_string(),
        _ => return None,
    })
}

/// Commas between thousands.
fn grouped(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut out = String::with_capacity(text.len() + text.len() / 3);
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A picture of `0` and `#` with text before and after. Sections (`;`) and exponents are not known: NULL.
fn custom_number(d: Decimal, picture: &str) -> Option<String> {
    if picture.contains([';', '\\', '\'', '"', '‰']) {
        return None;
    }
    let is_picture = |c: char| matches!(c, '0' | '#' | ',' | '.');
    let Some(first) = picture.find(is_picture) else { return Some(picture.to_owned()) };
    let last = picture.rfind(is_picture)? + 1;
    let (before, body, after) = (&picture[..first], &picture[first..last], &picture[last..]);
    let percent = before.contains('%') || after.contains('%');
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    if !fraction.chars().all(|c| matches!(c, '0' | '#'))
        || !whole.chars().all(|c| matches!(c, '0' | '#' | ','))
    {
        return None;
    }
    let mut d = d;
    if percent {
        let to = taffrail_types::decimal::NumericType { precision: 38, scale: d.scale() };
        d = Decimal::mul(d, Decimal::from_i64(100), to).ok()?;
    }
    let d = d.rescale(fraction.len().min(38) as u8)?;
    let text = d.abs().to_string();
    let (digits, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let least = whole.trim_start_matches(['#', ',']).chars().filter(|c| *c == '0').count();
    let digits = if digits == "0" && least == 0 { "" } else { digits };
    let digits = format!("{digits:0>least$}");
    let digits = if whole.contains(',') { grouped(&digits) } else { digits };
    let needed = fraction.rfind('0').map_or(0, |i| i + 1);
    let mut kept = decimals.trim_end_matches('0').len().max(needed);
    kept = kept.min(decimals.len());
    let point = if kept > 0 { "." } else { "" };
    let sign = if d.is_negative() { "-" } else { "" };
    Some(format!("{sign}{before}{digits}{point}{}{after}", &decimals[..kept]))
}

fn date(local: Local, picture: &str) -> Option<String> {
    let picture = match picture {
        "d" => "M/d/yyyy",
        "D" => "dddd, MMMM d, yyyy",
        "t" => "h:mm tt",
        "T" => "h:mm:ss tt",
        "g" => "M/d/yyyy h:mm tt",
        "G" => "M/d/yyyy h:mm:ss tt",
        "s" => "yyyy-MM-ddTHH:mm:ss",
        "u" => "yyyy-MM-dd HH:mm:ssZ",
        "M" | "m" => "MMMM d",
        "Y" | "y" => "MMMM yyyy",
        p if p.len() == 1 => return None,
        p => p,
    };
    let civil = local.civil();
    let (hour, minute, second, rest) = local.clock();
    let hour12 = (hour + 11) % 12 + 1;
    let mut out = String::new();
    let mut chars = picture.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\'' || c == '"' {
            loop {
                match chars.next()? {
                    end if end == c => break,
                    text => out.push(text),
                }
            }
            continue;
        }
        if c == '\\' {
            out.push(chars.next()?);
            continue;
        }
        let mut n = 1;
        while "yMdHhmsft".contains(c) && chars.next_if_eq(&c).is_some() {
            n += 1;
        }
        let number = |v: u32| if n == 1 { v.to_string() } else { format!("{v:02}") };
        match c {
            'y' if n <= 2 => out.push_str(&number(civil.year as u32 % 100)),
            'y' => out.push_str(&format!("{:0n$}", civil.year)),
            'M' if n <= 2 => out.push_str(&number(civil.month)),
            'M' if n == 3 => out.push_str(&MONTHS[civil.month as usize - 1][..3]),
            'M' => out.push_str(MONTHS[civil.month as usize - 1]),
            'd' if n <= 2 => out.push_str(&number(civil.day)),
            'd' if n == 3 => out.push_str(&WEEKDAYS[local.days.rem_euclid(7) as usize][..3]),
            'd' => out.push_str(WEEKDAYS[local.days.rem_euclid(7) as usize]),
            'H' => out.push_str(&number(hour)),
            'h' => out.push_str(&number(hour12)),
            'm' => out.push_str(&number(minute)),
            's' => out.push_str(&number(second)),
            'f' if n <= 7 => out.push_str(&format!("{rest:07}")[..n]),
            'f' => return None,
            't' => out.push_str(&(if hour < 12 { "AM" } else { "PM" })[..n.min(2)]),
            other => out.push(other),
        }
    }
    Some(out)
}

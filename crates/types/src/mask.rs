//! Masks of columns: what a mask function is, on which types it may stand, and what it makes of a value.
//!
//! | function | what is shown |
//! |---|---|
//! | `default()` | `xxxx`, 0, 1900-01-01, 0x30: by the type alone |
//! | `email()` | `aXXX@XXXX.com`, with the value's first character |
//! | `partial(p, "pad", s)` | the first p and the last s characters, and the padding between |
//! | `random(a, b)` | a number from a to b, a new one for each value |
//! | `datetime("Y")` | the moment with its year (M month, D day, h hour, m minute, s second) as that of 1900-01-01 00:00:00 |
//!
//! NULL stays NULL.

use crate::datetime::{Local, civil_from_days, days_from_civil, days_in_month};
use crate::{Bytes, CodePage, Decimal, Family, MaxLen, SqlType, Value};
use std::fmt;

/// The most characters that the text of a mask function has.
pub const MAX_MASK: usize = 4000;

const SECOND: u64 = 10_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// A part of a moment that `datetime()` hides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MaskedPart {
    /// The part "Y": the year.
    Year,
    /// The part "M": the month.
    Month,
    /// The part "D": the day of the month.
    Day,
    /// The part "h": the hour.
    Hour,
    /// The part "m": the minute.
    Minute,
    /// The part "s": the second and what is below it.
    Second,
}

const PARTS: [(&str, MaskedPart); 6] = [
    ("Y", MaskedPart::Year),
    ("M", MaskedPart::Month),
    ("D", MaskedPart::Day),
    ("h", MaskedPart::Hour),
    ("m", MaskedPart::Minute),
    ("s", MaskedPart::Second),
];

/// A mask function with its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MaskFunction {
    /// The function `default()`, by type.
    Default,
    /// The function `email()`, of texts.
    Email,
    /// The function `partial()`, of texts.
    Partial {
        /// Characters shown at the beginning.
        prefix: usize,
        /// The text in the middle.
        padding: Box<str>,
        /// Characters shown at the end.
        suffix: usize,
    },
    /// The function `random()`, of numbers.
    Random {
        /// The least number shown.
        low: Decimal,
        /// The greatest number shown.
        high: Decimal,
    },
    /// The function `datetime()`, of dates.
    Datetime(MaskedPart),
}

/// The mistakes of a mask function, each with the number of its message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaskFault {
    /// No mask function has this name: 16002.
    Name,
    /// Too many arguments, or too few: 16004.
    Count(&'static str),
    /// An argument is none that the function takes: 16005.
    Argument(&'static str),
    /// The parentheses, commas or quotes are not in order: 16006. With the function's name, where there is one.
    Format(&'static str),
    /// The function is not for the column's type: 16003.
    Type(&'static str),
    /// Nothing masks the column's type: 16001.
    Unsupported,
    /// The text is longer than [`MAX_MASK`] characters: 16011.
    TooLong,
}

/// An argument as it is written.
enum Argument {
    Number(String),
    Text(String),
}

const NAMES: [&str; 5] = ["default", "email", "partial", "random", "datetime"];

impl MaskFunction {
    /// Reads a mask function, `name(argument, …)`.
    pub fn parse(text: &str) -> Result<MaskFunction, MaskFault> {
        if text.chars().count() > MAX_MASK {
            return Err(MaskFault::TooLong);
        }
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let known = NAMES.into_iter().find(|n| n.eq_ignore_ascii_case(name));
        let name = known.ok_or(MaskFault::Name)?;
        let inner = rest.trim_start().strip_prefix('(').and_then(|r| r.strip_suffix(')'));
        let arguments = inner.and_then(arguments).ok_or(MaskFault::Format(name))?;
        let count = || MaskFault::Count(name);
        let wrong = || MaskFault::Argument(name);
        match (name, &arguments[..]) {
            ("default", []) => Ok(MaskFunction::Default),
            ("email", []) => Ok(MaskFunction::Email),
            ("partial", [Argument::Number(p), Argument::Text(padding), Argument::Number(s)]) => {
                let number = |n: &str| n.parse::<u16>().map(usize::from).map_err(|_| wrong());
                let (prefix, suffix) = (number(p)?, number(s)?);
                Ok(MaskFunction::Partial { prefix, padding: padding.as_str().into(), suffix })
            }
            ("random", [Argument::Number(low), Argument::Number(high)]) => {
                let low = decimal(low).ok_or_else(wrong)?;
                let high = decimal(high).ok_or_else(wrong)?;
                match low.to_f64() <= high.to_f64() {
                    true => Ok(MaskFunction::Random { low, high }),
                    false => Err(wrong()),
                }
            }
            ("datetime", [Argument::Text(part)]) => {
                let found = PARTS.iter().find(|(word, _)| word == part);
                found.map(|(_, part)| MaskFunction::Datetime(*part)).ok_or_else(wrong)
            }
            ("partial", [_, _, _]) | ("random", [_, _]) | ("datetime", [_]) => Err(wrong()),
            _ => Err(count()),
        }
    }

    /// The mask function's name.
    pub fn name(&self) -> &'static str {
        match self {
            MaskFunction::Default => "default",
            MaskFunction::Email => "email",
            MaskFunction::Partial { .. } => "partial",
            MaskFunction::Random { .. } => "random",
            MaskFunction::Datetime(_) => "datetime",
        }
    }

    /// Whether the function may stand on a column of this type; `xml`: the column is declared as xml.
    pub fn fits(&self, ty: SqlType, xml: bool) -> Result<(), MaskFault> {
        if matches!(ty, SqlType::RowVersion | SqlType::Variant) {
            return Err(MaskFault::Unsupported);
        }
        let fits = match self {
            MaskFunction::Default => true,
            MaskFunction::Email | MaskFunction::Partial { .. } => ty.is_text() && !xml,
            MaskFunction::Random { low, high } => {
                if ty.is_number() && !(holds(ty, *low) && holds(ty, *high)) {
                    return Err(MaskFault::Argument(self.name()));
                }
                ty.is_number()
            }
            MaskFunction::Datetime(part) => {
                let of_day = matches!(part, MaskedPart::Year | MaskedPart::Month | MaskedPart::Day);
                match ty {
                    SqlType::Date => of_day,
                    SqlType::Time(_) => !of_day,
                    SqlType::SmallDateTime => *part != MaskedPart::Second,
                    _ => ty.is_date(),
                }
            }
        };
        if fits { Ok(()) } else { Err(MaskFault::Type(self.name())) }
    }

    /// A value as it is shown, of a type and (char, varchar) a code page; `random` gives numbers in [0, 1).
    pub fn apply(
        &self,
        value: &Value,
        (ty, page): (SqlType, CodePage),
        random: &mut dyn FnMut() -> f64,
    ) -> Value {
        if value.is_null() {
            return Value::Null;
        }
        let shown = match self {
            MaskFunction::Default => None,
            MaskFunction::Email => value.text_of(page).map(|text| {
                let first: String = text.chars().take(1).collect();
                fitted(&format!("{first}XXX@XXXX.com"), (ty, page))
            }),
            MaskFunction::Partial { prefix, padding, suffix } => value
                .text_of(page)
                .map(|text| fitted(&partial(&text, *prefix, padding, *suffix), (ty, page))),
            MaskFunction::Random { low, high } => between(ty, *low, *high, random()),
            MaskFunction::Datetime(part) => without(value, *part, ty),
        };
        shown.unwrap_or_else(|| hidden(ty, page))
    }
}

impl fmt::Display for MaskFunction {
    /// The text as `sys.masked_columns` has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MaskFunction::Default => f.write_str("default()"),
            MaskFunction::Email => f.write_str("email()"),
            MaskFunction::Partial { prefix, padding, suffix } => {
                write!(f, "partial({prefix}, \"{}\", {suffix})", padding.replace('"', "\"\""))
            }
            MaskFunction::Random { low, high } => write!(f, "random({low}, {high})"),
            MaskFunction::Datetime(part) => {
                let word = PARTS.iter().find(|p| p.1 == *part).map_or("", |p| p.0);
                write!(f, "datetime(\"{word}\")")
            }
        }
    }
}

/// The arguments between the parentheses; none where they are not in order.
fn arguments(text: &str) -> Option<Vec<Argument>> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    if rest.is_empty() {
        return Some(out);
    }
    loop {
        let (argument, behind) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (text, behind) = quoted_text(quoted)?;
                (Argument::Text(text), behind)
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let (number, behind) = rest.split_at(end);
                let number = number.trim();
                if number.is_empty() || number.contains(['"', '(', ')']) {
                    return None;
                }
                (Argument::Number(number.into()), behind)
            }
        };
        out.push(argument);
        rest = match behind.trim_start() {
            "" => return Some(out),
            behind => behind.strip_prefix(',')?.trim_start(),
        };
    }
}

/// The text up to the closing quote, with what stands behind; two quotes are one.
fn quoted_text(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if chars.next_if(|(_, c)| *c == '"').is_some() => out.push('"'),
            '"' => return Some((out, &text[at + 1..])),
            c => out.push(c),
        }
    }
    None
}

/// A number of digits, perhaps with a sign and a point.
fn decimal(text: &str) -> Option<Decimal> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let number = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if !number || !digits.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let value = Decimal::parse_literal(digits).ok()?.0;
    Some(if text.starts_with('-') { value.negate() } else { value })
}

/// The least and the greatest number of a type of whole numbers or of money, in its unit.
fn bounds(ty: SqlType) -> Option<(i128, i128)> {
    Some(match ty {
        SqlType::Bit => (0, 1),
        SqlType::TinyInt => (0, u8::MAX.into()),
        SqlType::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        SqlType::Int | SqlType::SmallMoney => (i32::MIN.into(), i32::MAX.into()),
        SqlType::BigInt | SqlType::Money => (i64::MIN.into(), i64::MAX.into()),
        _ => return None,
    })
}

/// The digits behind the point that numbers of a type have; none for float and real.
fn scale(ty: SqlType) -> Option<u8> {
    match ty {
        SqlType::Decimal { scale, .. } | SqlType::Numeric { scale, .. } => Some(scale),
        SqlType::Money | SqlType::SmallMoney => Some(4),
        SqlType::Float | SqlType::Real => None,
        _ => Some(0),
    }
}

/// Whether a number is one of the type, without rounding.
fn holds(ty: SqlType, number: Decimal) -> bool {
    let Some(scale) = scale(ty) else { return true };
    let Some(scaled) = number.rescale(scale) else { return false };
    let exact = scaled.to_f64() == number.to_f64();
    let fits = match (ty, bounds(ty)) {
        (SqlType::Decimal { precision, .. } | SqlType::Numeric { precision, .. }, _) => {
            scaled.fits(precision)
        }
        (_, Some((least, greatest))) => (least..=greatest).contains(&scaled.scaled()),
        _ => false,
    };
    exact && fits
}

/// A number of a type from `low` to `high`.
fn between(ty: SqlType, low: Decimal, high: Decimal, random: f64) -> Option<Value> {
    let Some(scale) = scale(ty) else {
        let number = low.to_f64() + random * (high.to_f64() - low.to_f64());
        let real = || Value::Real(number as f32);
        return Some(if ty == SqlType::Real { real() } else { Value::Float(number) });
    };
    let (least, greatest) = (low.rescale(scale)?.scaled(), high.rescale(scale)?.scaled());
    let steps = greatest.checked_sub(least)?;
    let step = (random * (steps as f64 + 1.0)) as i128;
    let number = least + step.clamp(0, steps);
    Some(match ty {
        SqlType::Bit => Value::Bit(number != 0),
        SqlType::TinyInt => Value::TinyInt(u8::try_from(number).ok()?),
        SqlType::SmallInt => Value::SmallInt(i16::try_from(number).ok()?),
        SqlType::Int => Value::Int(i32::try_from(number).ok()?),
        SqlType::BigInt => Value::BigInt(i64::try_from(number).ok()?),
        SqlType::Money | SqlType::SmallMoney => Value::Money(i64::try_from(number).ok()?),
        _ => Value::Decimal(Decimal::from_scaled(number, scale)?),
    })
}

/// Beginning and end of a text with a padding between. Of one that has no more characters than are shown, at least one stays hidden, and
/// the end gives way first.
fn partial(text: &str, prefix: usize, padding: &str, suffix: usize) -> String {
    let chars: Vec<char> = text.trim_end_matches(' ').chars().collect();
    let hides = chars.len() > prefix.saturating_add(suffix);
    let room = if hides { chars.len() } else { chars.len().saturating_sub(1) };
    let prefix = prefix.min(room);
    let suffix = suffix.min(room - prefix);
    let mut out: String = chars[..prefix].iter().collect();
    out.push_str(padding);
    out.extend(&chars[chars.len() - suffix..]);
    out
}

/// A moment without one of its parts.
fn without(value: &Value, part: MaskedPart, ty: SqlType) -> Option<Value> {
    let mut at = Local::from_value(value)?;
    let mut civil = civil_from_days(at.days);
    match part {
        MaskedPart::Year => civil.year = 1900,
        MaskedPart::Month => civil.month = 1,
        MaskedPart::Day => civil.day = 1,
        MaskedPart::Hour => at.ticks %= HOUR,
        MaskedPart::Minute => at.ticks -= at.ticks % HOUR / MINUTE * MINUTE,
        MaskedPart::Second => at.ticks -= at.ticks % MINUTE,
    }
    // 1900 has no 29th of February.
    let day = civil.day.min(days_in_month(civil.year, civil.month));
    at.days = days_from_civil(civil.year, civil.month, day)?;
    at.to_value(ty).ok()
}

/// The value that `default()` shows for one of this type.
pub fn hidden(ty: SqlType, page: CodePage) -> Value {
    let midnight = || {
        let days = days_from_civil(1900, 1, 1).unwrap_or_default();
        Local { days, ticks: 0, offset: 0 }.to_value(ty).unwrap_or_default()
    };
    match ty.family() {
        Family::Bit => Value::Bit(false),
        Family::Integer => match ty {
            SqlType::TinyInt => Value::TinyInt(0),
            SqlType::SmallInt => Value::SmallInt(0),
            SqlType::Int => Value::Int(0),
            _ => Value::BigInt(0),
        },
        Family::Decimal => Decimal::from_scaled(0, scale(ty).unwrap_or_default())
            .map_or(Value::Null, Value::Decimal),
        Family::Money => Value::Money(0),
        Family::Float if ty == SqlType::Real => Value::Real(0.0),
        Family::Float => Value::Float(0.0),
        Family::OldDate | Family::NewDate => midnight(),
        Family::Char | Family::NChar => fitted("xxxx", (ty, page)),
        Family::Binary => {
            let mut bytes = Bytes::from_slice(b"0");
            if let SqlType::Binary(n) = ty {
                bytes.resize(n.into(), 0);
            }
            Value::Binary(bytes)
        }
        Family::RowVersion => Value::binary(&[0; 8]),
        Family::Guid => Value::Guid([0; 16]),
        Family::Variant => Value::Null,
    }
}

/// The value that is shown for one of xml.
pub fn hidden_xml() -> Value {
    Value::nvarchar("<masked/>")
}

/// A text as a value of a type: what does not fit is cut off, and of a fixed length blanks follow.
fn fitted(text: &str, (ty, page): (SqlType, CodePage)) -> Value {
    let unicode = ty.is_unicode();
    let encoded = |c: char| {
        let mut buffer = [0; 4];
        let c: &str = c.encode_utf8(&mut buffer);
        if unicode { crate::codepage::encode_utf16(c) } else { page.encode(c) }
    };
    let room = match ty {
        SqlType::Char(n) | SqlType::VarChar(MaxLen::N(n)) => n.into(),
        SqlType::NChar(n) | SqlType::NVarChar(MaxLen::N(n)) => 2 * usize::from(n),
        _ => usize::MAX,
    };
    let mut out = Bytes::new();
    for c in text.chars() {
        let c = encoded(c);
        if out.len() + c.len() > room {
            break;
        }
        out.extend_from_slice(&c);
    }
    if matches!(ty, SqlType::Char(_) | SqlType::NChar(_)) {
        let blank = encoded(' ');
        while out.len() < room {
            out.extend_from_slice(&blank);
        }
    }
    if unicode { Value::NVarChar(out) } else { Value::VarChar(out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(mask: &str, value: Value, ty: SqlType) -> Value {
        let mask = MaskFunction::parse(mask).unwrap();
        mask.fits(ty, false).unwrap();
        mask.apply(&value, (ty, CodePage::WESTERN), &mut || 0.999)
    }

    #[test]
    fn texts_keep_what_the_function_shows() {
        let of = |mask: &str, text: &str, n: u16| {
            let ty = SqlType::VarChar(MaxLen::N(n));
            shown(mask, Value::varchar(text), ty).as_text().unwrap()
        };
        assert_eq!(of("default()", "abcdef", 20), "xxxx");
        assert_eq!(of("default()", "a", 2), "xx");
        assert_eq!(of("email()", "roberto@contoso.net", 100), "rXXX@XXXX.com");
        assert_eq!(of("email()", "", 100), "XXX@XXXX.com");
        assert_eq!(of("partial(1, \"xxxxx\", 1)", "Roberto", 100), "Rxxxxxo");
        assert_eq!(of("PARTIAL(5,\"XXXXXXX\",0)", "555.123.1234", 100), "555.1XXXXXXX");
        assert_eq!(of("partial(1, \"-\", 1)", "ab", 100), "a-");
        assert_eq!(of("partial(3, \"-\", 3)", "abcdef", 100), "abc-ef");
        assert_eq!(of("partial(2, \"-\", 2)", "a", 100), "-");
        assert_eq!(of("partial(2, \"------\", 2)", "abcdef", 4), "ab--");
    }

    #[test]
    fn numbers_and_moments_stay_in_their_types() {
        assert_eq!(shown("random(3, 5)", Value::Int(77), SqlType::Int), Value::Int(5));
        assert_eq!(shown("random(0, 1)", Value::Money(77), SqlType::Money), Value::Money(9990));
        assert_eq!(shown("default()", Value::Null, SqlType::Int), Value::Null);
        let day = |y, m, d| Value::Date(days_from_civil(y, m, d).unwrap() as u32);
        assert_eq!(shown("datetime(\"Y\")", day(2004, 2, 29), SqlType::Date), day(1900, 2, 28));
        assert_eq!(shown("datetime(\"M\")", day(2004, 3, 31), SqlType::Date), day(2004, 1, 31));
        let time = Value::Time(13 * HOUR + 14 * MINUTE + 15 * SECOND + 5);
        let minute = shown("datetime(\"m\")", time.clone(), SqlType::Time(7));
        assert_eq!(minute, Value::Time(13 * HOUR + 15 * SECOND + 5));
        let second = shown("datetime(\"s\")", time, SqlType::Time(7));
        assert_eq!(second, Value::Time(13 * HOUR + 14 * MINUTE));
    }

    #[test]
    fn mistakes_have_their_messages() {
        let fault = |text: &str| MaskFunction::parse(text).unwrap_err();
        assert_eq!(fault("mask()"), MaskFault::Name);
        assert_eq!(fault("default"), MaskFault::Format("default"));
        assert_eq!(fault("partial(1, \"x, 1)"), MaskFault::Format("partial"));
        assert_eq!(fault("default(1)"), MaskFault::Count("default"));
        assert_eq!(fault("partial(-1, \"x\", 1)"), MaskFault::Argument("partial"));
        assert_eq!(fault("random(5, 3)"), MaskFault::Argument("random"));
        assert_eq!(fault("datetime(\"y\")"), MaskFault::Argument("datetime"));
        let fits = |text: &str, ty| MaskFunction::parse(text).unwrap().fits(ty, false);
        assert_eq!(fits("random(1, 300)", SqlType::TinyInt), Err(MaskFault::Argument("random")));
        assert_eq!(fits("email()", SqlType::Int), Err(MaskFault::Type("email")));
        assert_eq!(fits("datetime(\"h\")", SqlType::Date), Err(MaskFault::Type("datetime")));
        assert_eq!(fits("default()", SqlType::RowVersion), Err(MaskFault::Unsupported));
    }

    #[test]
    fn a_function_is_written_as_it_is_read() {
        for text in ["default()", "email()", "random(-1.5, 2)", "partial(0, \"a\"\"b\", 4)"] {
            assert_eq!(MaskFunction::parse(text).unwrap().to_string(), text);
        }
    }
}

//! Columns and values as text.

use taffrail_lab::client::stream::{Column, Wire};
use taffrail_lab::client::types::datetime::Local;
use taffrail_lab::client::types::{MaxLen, SqlType, Value, codepage, text as texts};

/// The kind of a column, on which its width and form depend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Numbers, dates: to the right, in a width of their type.
    Right(i64),
    /// uniqueidentifier: to the left, in a width of its type.
    Left(i64),
    /// Text of at most so many characters.
    Text(i64),
    /// A binary type of so many bytes.
    Bytes(i64),
    /// binary(n), which is shown as wide as the large types.
    Binary,
    /// (max), text, ntext, image, xml.
    LargeText,
    /// varbinary(max) and image, without a width.
    LargeBytes,
    /// sql_variant, of any width.
    Variant,
}

/// The kind of a column by its type.
pub fn kind(column: &Column) -> Kind {
    match column.info.sql {
        SqlType::Bit => Kind::Right(1),
        SqlType::TinyInt => Kind::Right(3),
        SqlType::SmallInt => Kind::Right(6),
        SqlType::Int => Kind::Right(11),
        SqlType::BigInt => Kind::Right(21),
        SqlType::Real | SqlType::SmallMoney => Kind::Right(14),
        SqlType::Float | SqlType::Money => Kind::Right(24),
        SqlType::Decimal { precision, .. } | SqlType::Numeric { precision, .. } => {
            Kind::Right(precision as i64 + 2)
        }
        SqlType::Date | SqlType::Time(_) => Kind::Right(16),
        SqlType::DateTime => Kind::Right(23),
        SqlType::SmallDateTime => Kind::Right(19),
        SqlType::DateTime2(_) => Kind::Right(38),
        SqlType::DateTimeOffset(_) => Kind::Right(45),
        SqlType::UniqueIdentifier => Kind::Left(36),
        SqlType::Char(n) | SqlType::NChar(n) => Kind::Text(n as i64),
        SqlType::VarChar(MaxLen::N(n)) | SqlType::NVarChar(MaxLen::N(n)) => Kind::Text(n as i64),
        SqlType::VarChar(MaxLen::Max) | SqlType::NVarChar(MaxLen::Max) => Kind::LargeText,
        SqlType::VarBinary(MaxLen::N(n)) => Kind::Bytes(n as i64),
        SqlType::Binary(_) | SqlType::RowVersion => Kind::Binary,
        SqlType::VarBinary(MaxLen::Max) => Kind::LargeBytes,
        SqlType::Variant => Kind::Variant,
    }
}

/// A value as it is shown.
pub fn show(value: &Value, column: &Column) -> String {
    let shown = plain(value, column.info.sql);
    match value {
        // A column that cannot be NULL brings a real in its own precision, others bring it as a float.
        Value::Real(v) if !matches!(column.info.wire, Wire::Fixed(_)) => float(*v as f64),
        Value::Null => "NULL".into(),
        _ => shown,
    }
}

/// A value for a program: whole, none for NULL.
pub fn text(value: &Value, column: &Column) -> Option<String> {
    (*value != Value::Null).then(|| plain(value, column.info.sql))
}

fn plain(value: &Value, ty: SqlType) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Bit(v) => (*v as u8).to_string(),
        Value::TinyInt(v) => v.to_string(),
        Value::SmallInt(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::BigInt(v) => v.to_string(),
        Value::Decimal(v) => v.to_string(),
        Value::Money(v) => {
            let (sign, v) = (if *v < 0 { "-" } else { "" }, v.unsigned_abs());
            format!("{sign}{}.{:04}", v / 10_000, v % 10_000)
        }
        Value::Real(v) => exponent(format!("{v:e}"), |decimals| format!("{v:.decimals$}")),
        Value::Float(v) => float(*v),
        Value::VarChar(b) => codepage::decode_1252(b),
        Value::NVarChar(b) => codepage::decode_utf16(b),
        Value::Binary(b) => texts::hex(b, true),
        Value::Guid(g) => texts::guid(g).to_lowercase(),
        Value::Variant(v) => plain(&v.1, v.0),
        Value::Date(_)
        | Value::Time(_)
        | Value::DateTime { .. }
        | Value::SmallDateTime { .. }
        | Value::DateTime2 { .. }
        | Value::DateTimeOffset { .. } => moment(value, ty),
    }
}

/// The shortest digits that give the same number; an exponent below -4 and from 21 on.
fn float(v: f64) -> String {
    exponent(format!("{v:e}"), |decimals| format!("{v:.decimals$}"))
}

fn exponent(scientific: String, fixed: impl Fn(usize) -> String) -> String {
    let Some((digits, power)) = scientific.split_once('e') else { return scientific };
    let power: i32 = power.parse().unwrap_or_default();
    if (-4..21).contains(&power) {
        let after_point = digits.split_once('.').map_or(0, |(_, d)| d.len() as i32);
        return fixed((after_point - power).max(0) as usize);
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", power.abs())
}

fn moment(value: &Value, ty: SqlType) -> String {
    let Some(mut local) = Local::from_value(value) else { return "NULL".into() };
    if let Value::DateTimeOffset { offset, .. } = value
        && local.offset != *offset
    {
        local = local.at_offset(*offset).unwrap_or(local);
    }
    let day = local.civil();
    let date = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
    let (hour, minute, second, below) = local.clock();
    let mut time = format!("{hour:02}:{minute:02}:{second:02}");
    let scale = match ty {
        SqlType::Time(s) | SqlType::DateTime2(s) | SqlType::DateTimeOffset(s) => s as usize,
        SqlType::DateTime => 3,
        _ => 0,
    };
    if scale > 0 {
        // datetime has 1/300 s: what is shown is rounded to the millisecond.
        let below = if ty == SqlType::DateTime { below + 5_000 } else { below };
        let digits = format!("{:07}", below.min(9_999_999));
        time = format!("{time}.{}", &digits[..scale]);
    }
    match value {
        Value::Date(_) => date,
        Value::Time(_) => time,
        Value::DateTimeOffset { offset, .. } => {
            let sign = if *offset < 0 { '-' } else { '+' };
            let minutes = offset.unsigned_abs();
            format!("{date} {time} {sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
        _ => format!("{date} {time}"),
    }
}

/// The fate of control characters in text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// They stay as they are.
    Keep,
    /// They are left out.
    Remove,
    /// Each becomes a blank.
    Blank,
    /// Several in a row become one blank.
    OneBlank,
}

impl Control {
    /// Applied to a text.
    pub fn apply(self, text: &str) -> String {
        let is_control = |c: char| c <= '\u{1f}' || c == '\u{7f}';
        let mut out = String::with_capacity(text.len());
        let mut before = false;
        for c in text.chars() {
            match (is_control(c), self) {
                (false, _) | (_, Control::Keep) => out.push(c),
                (true, Control::Remove) => {}
                (true, Control::OneBlank) if before => {}
                (true, _) => out.push(' '),
            }
            before = is_control(c);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_shortest_form() {
        for (v, want) in [
            (0.0, "0"),
            (0.1, "0.1"),
            (-1.5, "-1.5"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.25e-5, "1.25e-05"),
            (0.0001, "0.0001"),
            (123456.789, "123456.789"),
            (1e300, "1e+300"),
        ] {
            assert_eq!(float(v), want);
        }
        assert_eq!(plain(&Value::Money(-12_345), SqlType::Money), "-1.2345");
        assert_eq!(plain(&Value::Real(0.1), SqlType::Real), "0.1");
    }

    #[test]
    fn moments_have_the_digits_of_their_type() {
        let at = Value::DateTime { days: 0, ticks: 299 };
        assert_eq!(moment(&at, SqlType::DateTime), "1900-01-01 00:00:00.997");
        let at = Value::DateTimeOffset { days: 0, ticks: 0, offset: 90 };
        assert_eq!(moment(&at, SqlType::DateTimeOffset(2)), "0001-01-01 01:30:00.00 +01:30");
        assert_eq!(moment(&Value::Time(1_234_567), SqlType::Time(7)), "00:00:00.1234567");
        assert_eq!(moment(&Value::Time(0), SqlType::Time(0)), "00:00:00");
    }

    #[test]
    fn control_characters_are_treated() {
        let text = "a\t\nb\u{7f}";
        assert_eq!(Control::Keep.apply(text), text);
        assert_eq!(Control::Remove.apply(text), "ab");
        assert_eq!(Control::Blank.apply(text), "a  b ");
        assert_eq!(Control::OneBlank.apply(text), "a b ");
    }
}

//! Values that are no nodes: text, numbers, truth and moments.

use super::expr::{ArithmeticOp, AtomType, Op};
use std::cmp::Ordering;
use taffrail_types::datetime::days_from_civil;

/// A decimal number is kept in units of this part of one.
pub(super) const UNIT: i128 = 10_000_000_000;
/// The digits behind the point of a decimal.
const DIGITS: usize = 10;
/// Decimals have 38 digits.
const MOST: i128 = 10i128.pow(38);

/// A value that is no node.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Atom {
    /// The text of an element or attribute.
    Untyped(String),
    Text(String),
    /// A number in units of [`UNIT`], and whether it is an integer by its type.
    Decimal(i128, bool),
    Double(f64),
    Bool(bool),
    /// A date, time or both: its place in time, in 100 ns, and its text.
    Moment(AtomType, i128, String),
}

impl Atom {
    pub fn ty(&self) -> AtomType {
        match self {
            Atom::Untyped(_) => AtomType::Untyped,
            Atom::Text(_) => AtomType::Text,
            Atom::Decimal(_, true) => AtomType::Integer,
            Atom::Decimal(_, false) => AtomType::Decimal,
            Atom::Double(_) => AtomType::Double,
            Atom::Bool(_) => AtomType::Boolean,
            Atom::Moment(ty, ..) => *ty,
        }
    }

    pub fn text(&self) -> String {
        match self {
            Atom::Untyped(t) | Atom::Text(t) | Atom::Moment(_, _, t) => t.clone(),
            Atom::Decimal(n, _) => decimal_text(*n),
            Atom::Double(n) => double_text(*n),
            Atom::Bool(b) => b.to_string(),
        }
    }

    /// As a number of floating point; none where it is no number.
    pub fn double(&self) -> Option<f64> {
        match self {
            Atom::Decimal(n, _) => Some(*n as f64 / UNIT as f64),
            Atom::Double(n) => Some(*n),
            Atom::Untyped(t) | Atom::Text(t) => double_of(t),
            Atom::Bool(_) | Atom::Moment(..) => None,
        }
    }

    /// As another type; none where that cannot be.
    pub fn cast(&self, to: AtomType) -> Option<Atom> {
        let text = || match self {
            Atom::Untyped(t) | Atom::Text(t) => Some(t.trim()),
            _ => None,
        };
        Some(match to {
            AtomType::Untyped => Atom::Untyped(self.text()),
            AtomType::Text => Atom::Text(self.text()),
            AtomType::Integer | AtomType::Decimal => {
                let integer = to == AtomType::Integer;
                let n = match self {
                    Atom::Decimal(n, _) => *n,
                    Atom::Double(n) => decimal_of_double(*n)?,
                    Atom::Bool(b) => i128::from(*b) * UNIT,
                    Atom::Moment(..) => return None,
                    _ if integer && text()?.contains('.') => return None,
                    _ => decimal_of(text()?)?,
                };
                Atom::Decimal(if integer { n - n % UNIT } else { n }, integer)
            }
            AtomType::Double => Atom::Double(match self {
                Atom::Bool(b) => f64::from(u8::from(*b)),
                other => other.double()?,
            }),
            AtomType::Boolean => Atom::Bool(match self {
                Atom::Bool(b) => *b,
                Atom::Decimal(n, _) => *n != 0,
                Atom::Double(n) => *n != 0.0,
                _ => match text()? {
                    "true" | "1" => true,
                    "false" | "0" => false,
                    _ => return None,
                },
            }),
            AtomType::Date | AtomType::Time | AtomType::DateTime => match self {
                Atom::Moment(ty, ..) if *ty == to => self.clone(),
                Atom::Moment(AtomType::DateTime, _, t) => {
                    let (date, time) = t.split_once('T')?;
                    moment(to, if to == AtomType::Date { date } else { time })?
                }
                Atom::Moment(AtomType::Date, _, t) if to == AtomType::DateTime => {
                    moment(to, &format!("{t}T00:00:00"))?
                }
                _ => moment(to, text()?)?,
            },
        })
    }
}

/// A number of floating point as text is read; NaN and the infinities are none.
fn double_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    text.parse().ok().filter(|n: &f64| n.is_finite() && text.chars().all(is_number))
}

fn decimal_of_double(n: f64) -> Option<i128> {
    let n = n * UNIT as f64;
    (n.abs() < MOST as f64).then_some(n.round() as i128)
}

/// Reads a decimal number; digits that are too many behind the point go.
pub(super) fn decimal_of(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.len() + part.len() == 0 || !all_digits(whole) || !all_digits(part) {
        return None;
    }
    let mut n: i128 = 0;
    for digit in whole.bytes() {
        n = n.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    n = n.checked_mul(UNIT)?;
    let mut scale = UNIT;
    for digit in part.bytes().take(DIGITS) {
        scale /= 10;
        n = n.checked_add(i128::from(digit - b'0') * scale)?;
    }
    (n < MOST).then_some(if negative { -n } else { n })
}

fn decimal_text(n: i128) -> String {
    let sign = if n < 0 { "-" } else { "" };
    let (whole, part) = (n.unsigned_abs() / UNIT as u128, n.unsigned_abs() % UNIT as u128);
    match part {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{part:0DIGITS$}").trim_end_matches('0').to_owned(),
    }
}

fn double_text(n: f64) -> String {
    if n.fract() == 0.0 && n.abs() < 1e15 { format!("{n:.0}") } else { format!("{n}") }
}

/// Reads `2024-05-06`, `07:08:09.123` or both with a T, each perhaps with a zone.
fn moment(ty: AtomType, text: &str) -> Option<Atom> {
    let (date, time) = match ty {
        AtomType::Date => (Some(text), None),
        AtomType::Time => (None, Some(text)),
        _ => text.split_once('T').map(|(d, t)| (Some(d), Some(t)))?,
    };
    // The zone stands at the end, whichever part that is.
    let (last, from) = if let Some(t) = time { (t, 0) } else { (date?, 8) };
    let zone_at = last.get(from..)?.find(['Z', '+', '-']).map_or(last.len(), |n| n + from);
    let (last, zone) = last.split_at(zone_at);
    let number = |t: &str, digits: usize| -> Option<u32> {
        (t.len() == digits && t.bytes().all(|b| b.is_ascii_digit())).then(|| t.parse().ok())?
    };
    let minutes = match zone {
        "" | "Z" => 0,
        _ => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let all = i128::from(number(hours, 2)? * 60 + number(minutes, 2)?);
            if zone.starts_with('-') { -all } else { all }
        }
    };
    let date = if time.is_some() { date } else { Some(last) };
    let days = match date {
        None => 0,
        Some(date) => {
            let mut parts = date.splitn(3, '-');
            let (y, m, d) = (parts.next()?, parts.next()?, parts.next()?);
            let year = number(y, 4)?.cast_signed();
            i128::from(days_from_civil(year, number(m, 2)?, number(d, 2)?)?)
        }
    };
    let ticks = match time {
        None => 0,
        Some(_) => {
            let (clock, part) = last.split_once('.').unwrap_or((last, "0"));
            let mut parts = clock.splitn(3, ':');
            let (h, m, s) = (parts.next()?, parts.next()?, parts.next()?);
            let (h, m, s) = (number(h, 2)?, number(m, 2)?, number(s, 2)?);
            if h > 24 || m > 59 || s > 59 || !part.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let part: i128 = format!("{part:0<7}").get(..7)?.parse().ok()?;
            i128::from(h * 3600 + m * 60 + s) * 10_000_000 + part
        }
    };
    let at = (days * 1440 - minutes) * 600_000_000 + ticks;
    Some(Atom::Moment(ty, at, text.to_owned()))
}

/// How two atoms stand to each other; none where they cannot be compared. What has no type takes that of the other side.
pub(super) fn order(a: &Atom, b: &Atom) -> Option<Ordering> {
    let numbers = a.ty().is_number() || b.ty().is_number();
    match (a, b) {
        (Atom::Decimal(a, _), Atom::Decimal(b, _)) => Some(a.cmp(b)),
        _ if numbers => {
            let decimal = |x: &Atom| x.cast(AtomType::Decimal);
            let exact = a.ty() != AtomType::Double && b.ty() != AtomType::Double;
            match (exact, decimal(a), decimal(b)) {
                (true, Some(Atom::Decimal(a, _)), Some(Atom::Decimal(b, _))) => Some(a.cmp(&b)),
                _ => a.double()?.partial_cmp(&b.double()?),
            }
        }
        (Atom::Bool(x), other) | (other, Atom::Bool(x)) => {
            let Atom::Bool(y) = other.cast(AtomType::Boolean)? else { return None };
            let order = x.cmp(&y);
            Some(if matches!(a, Atom::Bool(_)) { order } else { order.reverse() })
        }
        (Atom::Moment(ty, x, _), other) => match other.cast(*ty)? {
            Atom::Moment(_, y, _) => Some(x.cmp(&y)),
            _ => None,
        },
        (other, Atom::Moment(ty, y, _)) => match other.cast(*ty)? {
            Atom::Moment(_, x, _) => Some(x.cmp(y)),
            _ => None,
        },
        (Atom::Text(a) | Atom::Untyped(a), Atom::Text(b) | Atom::Untyped(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

pub(super) fn holds(op: Op, order: Ordering) -> bool {
    match op {
        Op::Eq => order.is_eq(),
        Op::Ne => order.is_ne(),
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        Op::Ge => order.is_ge(),
    }
}

/// The result of an operation; none of an overflow, a division by zero or an operand that is no number.
pub(super) fn computed(op: ArithmeticOp, a: &Atom, b: &Atom) -> Option<Atom> {
    if let (Atom::Decimal(a, _), Atom::Decimal(b, _)) = (a, b) {
        let n = match op {
            ArithmeticOp::Add => a.checked_add(*b)?,
            ArithmeticOp::Subtract => a.checked_sub(*b)?,
            ArithmeticOp::Multiply => match (a.checked_mul(*b), b % UNIT) {
                (Some(n), _) => n / UNIT,
                (None, 0) => a.checked_mul(b / UNIT)?,
                (None, _) => (a / UNIT).checked_mul(*b)?.checked_add(a % UNIT * (b / UNIT))?,
            },
            ArithmeticOp::Divide => match a.checked_mul(UNIT) {
                Some(n) => n.checked_div(*b)?,
                None => a.checked_div(*b)?.checked_mul(UNIT)?,
            },
            ArithmeticOp::Modulo => a.checked_rem(*b)?,
        };
        return (n.abs() < MOST).then_some(Atom::Decimal(n, false));
    }
    let (x, y) = match (a, b) {
        // What has no type takes that of the other side.
        (Atom::Decimal(..), Atom::Untyped(_)) => {
            return computed(op, a, &b.cast(AtomType::Decimal)?);
        }
        (Atom::Untyped(_), Atom::Decimal(..)) => {
            return computed(op, &a.cast(AtomType::Decimal)?, b);
        }
        _ => (a.double()?, b.double()?),
    };
    let n = match op {
        ArithmeticOp::Add => x + y,
        ArithmeticOp::Subtract => x - y,
        ArithmeticOp::Multiply => x * y,
        ArithmeticOp::Divide => x / y,
        ArithmeticOp::Modulo => x % y,
    };
    n.is_finite().then_some(Atom::Double(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_where_they_are_decimals() {
        let of = |t: &str| Atom::Decimal(decimal_of(t).unwrap(), false);
        let text = |op, a: &str, b: &str| computed(op, &of(a), &of(b)).map(|a| a.text());
        assert_eq!(text(ArithmeticOp::Add, "0.1", "0.2").as_deref(), Some("0.3"));
        assert_eq!(text(ArithmeticOp::Divide, "2", "3").as_deref(), Some("0.6666666666"));
        assert_eq!(text(ArithmeticOp::Multiply, "-1.5", "4").as_deref(), Some("-6"));
        assert_eq!(text(ArithmeticOp::Modulo, "7", "3").as_deref(), Some("1"));
        assert_eq!(text(ArithmeticOp::Divide, "1", "0"), None);
        assert_eq!(decimal_of("1e3"), None);
        assert_eq!(decimal_of(""), None);
        assert_eq!(decimal_of(&"9".repeat(60)), None);
        let bigint = "9223372036854775807";
        assert_eq!(
            text(ArithmeticOp::Multiply, bigint, "2").as_deref(),
            Some("18446744073709551614")
        );
    }

    #[test]
    fn moments_are_compared_across_zones() {
        let of = |t: &str| Atom::Text(t.into()).cast(AtomType::DateTime);
        let (a, b) =
            (of("2024-05-06T07:08:09Z").unwrap(), of("2024-05-06T09:08:09.000+02:00").unwrap());
        assert_eq!(order(&a, &b), Some(Ordering::Equal));
        assert!(of("2024-02-30T00:00:00").is_none());
        assert!(of("2024-02-29").is_none());
        let date = Atom::Untyped("2024-02-29".into()).cast(AtomType::Date).unwrap();
        assert_eq!(order(&date, &Atom::Untyped("2024-03-01".into())), Some(Ordering::Less));
        assert_eq!(date.cast(AtomType::DateTime).unwrap().text(), "2024-02-29T00:00:00");
    }
}

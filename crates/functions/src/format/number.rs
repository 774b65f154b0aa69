//! Numbers by a letter: C D E F G N P R X.

use super::culture::{Amount, Culture};
use super::{custom, standard};
use taffrail_types::Value;

/// The kind of number, which decides how many digits count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// An integer, with all its bits, and how many they are.
    Integer(i64, u32),
    /// decimal and money: exact.
    Exact,
    /// A float, of 15 digits that count.
    Double(f64),
    /// A real, of 7 digits that count.
    Single(f32),
}

/// A number's digits: 0.d₁d₂d₃… × 10^scale.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    pub kind: Kind,
    pub negative: bool,
    /// Values, not characters; the first is not 0.
    pub digits: Vec<u8>,
    pub scale: i64,
}

impl Number {
    /// Of a value; `None` if it is no number.
    pub fn new(v: &Value) -> Option<Number> {
        let exact = |negative: bool, magnitude: u128, scale: u8| {
            let digits = decimal_digits(magnitude);
            let scale = digits.len() as i64 - scale as i64;
            Number { kind: Kind::Exact, negative, digits, scale }
        };
        let integer = |n: i64, bits: u32| {
            let number = exact(n < 0, n.unsigned_abs() as u128, 0);
            Number { kind: Kind::Integer(n, bits), ..number }
        };
        Some(match *v {
            Value::TinyInt(n) => integer(n as i64, 8),
            Value::SmallInt(n) => integer(n as i64, 16),
            Value::Int(n) => integer(n as i64, 32),
            Value::BigInt(n) => integer(n, 64),
            Value::Decimal(d) => exact(d.is_negative(), d.magnitude(), d.scale()),
            Value::Money(m) => exact(m < 0, m.unsigned_abs() as u128, 4),
            Value::Float(x) => Number::of_float(Kind::Double(x), x, 15),
            Value::Real(x) => Number::of_float(Kind::Single(x), x as f64, 7),
            _ => return None,
        })
    }

    fn of_float(kind: Kind, x: f64, precision: usize) -> Number {
        let text = format!("{:.*e}", precision.saturating_sub(1), x.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mut digits: Vec<u8> =
            mantissa.bytes().filter(u8::is_ascii_digit).map(|b| b - b'0').collect();
        if digits.first() == Some(&0) {
            digits.clear();
        }
        let scale =
            if digits.is_empty() { 0 } else { exponent.parse::<i64>().unwrap_or_default() + 1 };
        Number { kind, negative: x < 0.0, digits, scale }
    }

    /// The number with at least so many digits, if it is a float or real.
    fn with_digits(self, precision: usize) -> Number {
        match self.kind {
            Kind::Double(x) => Number::of_float(self.kind, x, precision),
            Kind::Single(x) => Number::of_float(self.kind, x as f64, precision),
            _ => self,
        }
    }

    /// The number with all digits that it has, if more of them are shown than count.
    fn for_digits(self, shown: usize) -> Number {
        match self.kind {
            Kind::Double(_) if shown > 15 => self.with_digits(17),
            Kind::Single(_) if shown > 7 => self.with_digits(9),
            _ => self,
        }
    }

    /// Rounds half away from zero to so many digits, and drops zeros at the end. Nothing that is left is 0, not -0.
    pub fn round(&mut self, digits: i64) {
        let keep = usize::try_from(digits).unwrap_or(0);
        let up = digits >= 0 && self.digits.get(keep).is_some_and(|d| *d >= 5);
        self.digits.truncate(keep);
        if up {
            while self.digits.last() == Some(&9) {
                self.digits.pop();
            }
            match self.digits.last_mut() {
                Some(last) => *last += 1,
                None => {
                    self.digits.push(1);
                    self.scale += 1;
                }
            }
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            (self.scale, self.negative) = (0, false);
        }
    }

    /// How many digits G shows where nothing is said.
    fn precision(&self) -> usize {
        match self.kind {
            Kind::Integer(_, 64) => 19,
            Kind::Integer(..) => 10,
            Kind::Exact => 29,
            Kind::Double(_) => 15,
            Kind::Single(_) => 7,
        }
    }
}

fn decimal_digits(magnitude: u128) -> Vec<u8> {
    if magnitude == 0 {
        return Vec::new();
    }
    magnitude.to_string().bytes().map(|b| b - b'0').collect()
}

/// Digits one after the other, zeros when there are no more.
struct Digits<'n>(std::slice::Iter<'n, u8>);

impl Digits<'_> {
    fn push_next(&mut self, out: &mut String) {
        out.push((b'0' + self.0.next().copied().unwrap_or(0)) as char);
    }
}

/// A number by a format.
pub fn format(number: Number, picture: &str, culture: &Culture) -> Option<String> {
    let Some((letter, digits)) = standard(picture) else {
        return custom::format(number, picture, culture);
    };
    let mut out = String::new();
    let mut n = number;
    let upper = letter.to_ascii_uppercase();
    match (upper, n.kind) {
        ('D', Kind::Integer(..)) | ('G', Kind::Integer(..))
            if upper == 'D' || digits.unwrap_or(0) == 0 =>
        {
            if n.negative {
                out.push('-');
            }
            zeros(&mut out, digits.unwrap_or(0).saturating_sub(n.digits.len().max(1)));
            whole(&n, &mut out);
        }
        ('X', Kind::Integer(value, bits)) => return Some(hexadecimal(value, bits, letter, digits)),
        ('R', Kind::Double(x)) => {
            let short = n.clone().reads_back(|text| text.parse() == Ok(x));
            let (n, most) = if short { (n, 15) } else { (n.with_digits(17), 17) };
            general(&n, most, letter, culture, &mut out);
        }
        ('R', Kind::Single(x)) => {
            let short = n.clone().reads_back(|text| text.parse() == Ok(x));
            let (n, most) = if short { (n, 7) } else { (n.with_digits(9), 9) };
            general(&n, most, letter, culture, &mut out);
        }
        ('C', _) => amount(n, digits, &culture.currency, &mut out),
        ('N', _) => amount(n, digits, &culture.number, &mut out),
        ('P', _) => {
            n.scale += 2;
            amount(n, digits, &culture.percent, &mut out);
        }
        ('F', _) => {
            let decimals = digits.unwrap_or(culture.number.decimals);
            n.round(n.scale + decimals as i64);
            if n.negative {
                out.push('-');
            }
            fixed(&n, decimals, &culture.number, false, &mut out);
        }
        ('E', _) => {
            let decimals = digits.unwrap_or(6);
            n = n.for_digits(decimals + 1);
            n.round(decimals as i64 + 1);
            if n.negative {
                out.push('-');
            }
            scientific(&n, decimals, letter, culture, &mut out);
        }
        // A decimal shows all it has, its zeros too.
        ('G', Kind::Exact) if digits.is_none() => {
            if n.negative && !n.digits.is_empty() {
                out.push('-');
            }
            general_digits(&n, None, letter, culture, &mut out);
        }
        ('G', _) => {
            let most = digits.filter(|asked| *asked != 0).unwrap_or_else(|| n.precision());
            n = n.for_digits(most);
            general(&n, most, letter, culture, &mut out);
        }
        _ => return None,
    }
    Some(out)
}

/// The bits of an integer, in capitals for `X`.
fn hexadecimal(value: i64, bits: u32, letter: char, digits: Option<usize>) -> String {
    let mask = if bits == 64 { u64::MAX } else { (1 << bits.max(32)) - 1 };
    // A negative smallint keeps its own 16 bits.
    let mask = if bits == 16 { 0xFFFF } else { mask };
    let value = value as u64 & mask;
    let width = digits.unwrap_or(1).max(1);
    match letter {
        'X' => format!("{value:0width$X}"),
        _ => format!("{value:0width$x}"),
    }
}

impl Number {
    /// Whether what G shows of it is the number again.
    fn reads_back(mut self, same: impl FnOnce(&str) -> bool) -> bool {
        self.round(self.precision() as i64);
        let mut text = String::from(if self.negative { "-0." } else { "0." });
        for d in &self.digits {
            text.push((b'0' + d) as char);
        }
        same(&format!("{text}0e{}", self.scale))
    }
}

fn zeros(out: &mut String, n: usize) {
    out.extend(std::iter::repeat_n('0', n));
}

/// The digits of an integer.
fn whole(n: &Number, out: &mut String) {
    let mut digits = Digits(n.digits.iter());
    for _ in 0..n.scale.max(1) {
        digits.push_next(out);
    }
}

/// A number rounded to so many decimals, in a pattern with its symbol.
fn amount(mut n: Number, digits: Option<usize>, how: &Amount, out: &mut String) {
    let decimals = digits.unwrap_or(how.decimals);
    n.round(n.scale + decimals as i64);
    let pattern = if n.negative { &how.negative } else { &how.positive };
    for c in pattern.chars() {
        match c {
            'n' => fixed(&n, decimals, how, true, out),
            '$' | '%' => out.push_str(&how.symbol),
            other => out.push(other),
        }
    }
}

/// Places, counted from the point to the left, before which a separator stands; ascending.
pub(crate) fn group_places(groups: &[usize], digits: i64) -> Vec<i64> {
    let mut places = Vec::new();
    let mut sizes = groups.iter();
    let mut size = sizes.next().copied().unwrap_or(0) as i64;
    let mut total = size;
    while size > 0 && digits > total {
        places.push(total);
        size = sizes.next().map_or(size, |s| *s as i64);
        total += size;
    }
    places
}

fn fixed(n: &Number, decimals: usize, how: &Amount, grouped: bool, out: &mut String) {
    let mut digits = Digits(n.digits.iter());
    let mut left = n.scale;
    if left > 0 {
        let mut places = if grouped { group_places(&how.groups, left) } else { Vec::new() };
        while left > 0 {
            digits.push_next(out);
            left -= 1;
            if places.last() == Some(&left) {
                places.pop();
                out.push_str(&how.separator);
            }
        }
    } else {
        out.push('0');
    }
    if decimals == 0 {
        return;
    }
    out.push_str(&how.point);
    let before = (-left).clamp(0, decimals as i64) as usize;
    zeros(out, before);
    for _ in before..decimals {
        digits.push_next(out);
    }
}

fn scientific(n: &Number, decimals: usize, letter: char, culture: &Culture, out: &mut String) {
    let mut digits = Digits(n.digits.iter());
    digits.push_next(out);
    if decimals > 0 {
        out.push_str(&culture.number.point);
    }
    for _ in 0..decimals {
        digits.push_next(out);
    }
    let value = if n.digits.is_empty() { 0 } else { n.scale - 1 };
    exponent(value, letter, 3, true, out);
}

/// `e`, the sign, and at least so many digits.
pub fn exponent(value: i64, letter: char, least: usize, plus: bool, out: &mut String) {
    out.push(letter);
    if value < 0 {
        out.push('-');
    } else if plus {
        out.push('+');
    }
    out.push_str(&format!("{:0least$}", value.unsigned_abs()));
}

/// As short as it can be with at most so many digits.
fn general(n: &Number, most: usize, letter: char, culture: &Culture, out: &mut String) {
    let mut n = n.clone();
    n.round(most as i64);
    if n.negative {
        out.push('-');
    }
    general_digits(&n, Some(most as i64), letter, culture, out);
}

/// `most` digits, else an exponent; `None`: never one.
fn general_digits(
    n: &Number,
    most: Option<i64>,
    letter: char,
    culture: &Culture,
    out: &mut String,
) {
    let scientific = most.is_some_and(|most| n.scale > most || n.scale < -3);
    let mut left = if scientific { 1 } else { n.scale };
    let mut digits = Digits(n.digits.iter());
    if left > 0 {
        for _ in 0..left {
            digits.push_next(out);
        }
        left = 0;
    } else {
        out.push('0');
    }
    if left < 0 || digits.0.len() > 0 {
        out.push_str(&culture.number.point);
        zeros(out, (-left) as usize);
        while digits.0.len() > 0 {
            digits.push_next(out);
        }
    }
    if scientific {
        let e = if letter == 'g' || letter == 'r' { 'e' } else { 'E' };
        exponent(n.scale - 1, e, 2, true, out);
    }
}

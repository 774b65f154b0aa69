//! Numbers and amounts of money.

use crate::format::culture::Culture;
use taffrail_types::{Decimal, SqlType, Value};

/// The signs that a text may have.
struct Style<'c> {
    points: Vec<&'c str>,
    separators: Vec<&'c str>,
    symbol: Option<&'c str>,
    exponent: bool,
}

impl<'c> Style<'c> {
    fn of(ty: SqlType, culture: &'c Culture) -> Style<'c> {
        let number = &culture.number;
        let plain = Style {
            points: vec![&number.point],
            separators: vec![&number.separator],
            symbol: None,
            exponent: false,
        };
        match ty {
            SqlType::Money | SqlType::SmallMoney => {
                let money = &culture.currency;
                Style {
                    points: vec![&money.point, &number.point],
                    separators: vec![&money.separator, &number.separator],
                    symbol: Some(&money.symbol),
                    exponent: false,
                }
            }
            SqlType::Float | SqlType::Real => {
                Style { separators: Vec::new(), exponent: true, ..plain }
            }
            _ => plain,
        }
    }

    /// Only floats have no sign behind the digits.
    fn has_trailing_sign(&self) -> bool {
        !self.exponent
    }
}

/// The digits of a number: 0.d₁d₂d₃… × 10^scale, without zeros at either end.
#[derive(Default, Debug, PartialEq)]
struct ReadNumber {
    negative: bool,
    digits: String,
    scale: i64,
}

/// Where the reading of a text stands.
struct NumberReader<'t> {
    rest: &'t str,
    negative: bool,
    signed: bool,
    open: bool,
    /// The symbol has been seen.
    currency: bool,
}

impl NumberReader<'_> {
    /// Passes over a word of the culture; a blank stands for a no-break space.
    fn eat(&mut self, word: &str) -> bool {
        let mut rest = self.rest.chars();
        for c in word.chars() {
            match rest.next() {
                Some(found) if found == c => {}
                Some(' ') if matches!(c, '\u{A0}' | '\u{202F}') => {}
                _ => return false,
            }
        }
        if !word.is_empty() {
            self.rest = rest.as_str();
        }
        !word.is_empty()
    }

    fn sign(&mut self) -> bool {
        if self.signed || !(self.rest.starts_with('-') || self.rest.starts_with('+')) {
            return false;
        }
        (self.signed, self.negative) = (true, self.rest.starts_with('-'));
        self.rest = &self.rest[1..];
        true
    }

    fn symbol(&mut self, style: &Style<'_>) -> bool {
        let found = !self.currency && style.symbol.is_some_and(|s| self.eat(s));
        self.currency |= found;
        found
    }

    fn white(&mut self) -> bool {
        let rest = self.rest.trim_start_matches([' ', '\t', '\n', '\u{B}', '\u{C}', '\r']);
        let found = rest.len() < self.rest.len();
        self.rest = rest;
        found
    }

    /// Signs, symbol, parenthesis and blanks before the digits. Behind a sign a blank follows only a symbol.
    fn before(&mut self, style: &Style<'_>) {
        loop {
            let parenthesis = style.symbol.is_some() && !self.signed && self.rest.starts_with('(');
            if parenthesis {
                (self.signed, self.open, self.negative) = (true, true, true);
                self.rest = &self.rest[1..];
            } else if !(self.sign()
                || self.symbol(style)
                || (!self.signed || self.currency) && self.white())
            {
                return;
            }
        }
    }

    /// The digits; None where there are none.
    fn digits(&mut self, style: &Style<'_>) -> Option<ReadNumber> {
        let mut number = ReadNumber::default();
        let (mut any, mut point) = (false, false);
        // Beside the symbol only the currency's own point and separator stand.
        let own = |words: &[&str], currency: bool| if currency { 1 } else { words.len() };
        loop {
            if let Some(c) = self.rest.chars().next().filter(char::is_ascii_digit) {
                any = true;
                self.rest = &self.rest[1..];
                if c != '0' || !number.digits.is_empty() {
                    number.digits.push(c);
                    number.scale += i64::from(!point);
                } else if point {
                    number.scale -= 1;
                }
                continue;
            }
            let points = &style.points[..own(&style.points, self.currency)];
            let separators = style.separators.len().min(own(&style.separators, self.currency));
            if !point && points.iter().any(|p| self.eat(p)) {
                point = true;
            } else if !any || point || !style.separators[..separators].iter().any(|s| self.eat(s)) {
                break;
            }
        }
        if any && style.exponent {
            self.exponent(&mut number);
        }
        let kept = number.digits.trim_end_matches('0').len();
        number.digits.truncate(kept);
        any.then_some(number)
    }

    /// `E`, a sign and digits; anything else is left where it is.
    fn exponent(&mut self, number: &mut ReadNumber) {
        let Some(rest) = self.rest.strip_prefix(['e', 'E']) else { return };
        let negative = rest.starts_with('-');
        let rest = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if end == 0 {
            return;
        }
        let value: i64 = rest[..end].parse().unwrap_or(i64::MAX).min(9_999);
        number.scale += if negative { -value } else { value };
        self.rest = &rest[end..];
    }

    /// Blanks, sign, symbol and the closing parenthesis behind the digits.
    fn behind(&mut self, style: &Style<'_>) {
        loop {
            if self.open && self.rest.starts_with(')') {
                self.open = false;
                self.rest = &self.rest[1..];
            } else if !(self.white()
                || style.has_trailing_sign() && self.sign()
                || self.symbol(style))
            {
                return;
            }
        }
    }
}

fn read(text: &str, style: &Style<'_>) -> Option<ReadNumber> {
    let mut reader =
        NumberReader { rest: text, negative: false, signed: false, open: false, currency: false };
    reader.before(style);
    let mut number = reader.digits(style)?;
    reader.behind(style);
    let whole = !reader.open && reader.rest.trim_end_matches('\0').is_empty();
    number.negative = reader.negative && !number.digits.is_empty();
    whole.then_some(number)
}

impl ReadNumber {
    fn integer(&self) -> Option<i128> {
        let zeros = usize::try_from(self.scale).ok()?.checked_sub(self.digits.len())?;
        if self.digits.len() + zeros > 20 {
            return None;
        }
        let n: i128 = format!("{}{}", self.digits, "0".repeat(zeros)).parse().ok()?;
        Some(if self.negative { -n } else { n })
    }

    /// The number in plain digits; None beyond what a decimal of .NET holds.
    fn plain(&self) -> Option<String> {
        if self.scale > 29 {
            return None;
        }
        let sign = if self.negative { "-" } else { "" };
        let kept = usize::try_from(self.scale).unwrap_or(0);
        // ReadNumber so far behind the point count for nothing.
        let before = "0".repeat(usize::try_from(-self.scale).unwrap_or(0).min(64));
        let (whole, fraction) = self.digits.split_at(kept.min(self.digits.len()));
        let zeros = "0".repeat(kept - whole.len());
        let most = fraction.len().min(64);
        Some(format!("{sign}0{whole}{zeros}.{before}{}", &fraction[..most]))
    }

    fn decimal(&self, scale: u8) -> Option<Decimal> {
        /// The greatest decimal of .NET.
        const MOST: u128 = 79_228_162_514_264_337_593_543_950_335;
        let d = Decimal::parse_scaled(self.plain()?.as_bytes(), scale).ok()?;
        (d.magnitude() / 10u128.pow(u32::from(scale)) <= MOST).then_some(d)
    }
}

/// The number of a type that a text stands for.
pub(super) fn value(text: &str, ty: SqlType, culture: &Culture) -> Option<Value> {
    let n = read(text, &Style::of(ty, culture))?;
    let integer = || if n.digits.is_empty() { Some(0) } else { n.integer() };
    Some(match ty {
        SqlType::TinyInt => Value::TinyInt(integer()?.try_into().ok()?),
        SqlType::SmallInt => Value::SmallInt(integer()?.try_into().ok()?),
        SqlType::Int => Value::Int(integer()?.try_into().ok()?),
        SqlType::BigInt => Value::BigInt(integer()?.try_into().ok()?),
        SqlType::Decimal { precision, scale } | SqlType::Numeric { precision, scale } => {
            Value::Decimal(n.decimal(scale).filter(|d| d.fits(precision))?)
        }
        SqlType::Money => Value::Money(n.decimal(4)?.scaled().try_into().ok()?),
        SqlType::SmallMoney => {
            let narrow: i32 = n.decimal(4)?.scaled().try_into().ok()?;
            Value::Money(narrow.into())
        }
        SqlType::Float | SqlType::Real => {
            let sign = if n.negative { "-" } else { "" };
            let text = format!("{sign}0.{}0e{}", n.digits, n.scale);
            if ty == SqlType::Real {
                Value::Real(text.parse::<f32>().ok().filter(|x| x.is_finite())?)
            } else {
                Value::Float(text.parse::<f64>().ok().filter(|x| x.is_finite())?)
            }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, ty: SqlType, culture: &str) -> Option<String> {
        let culture = Culture::named(culture).unwrap();
        value(text, ty, culture).map(|v| taffrail_types::text::display(&v, ty))
    }

    #[test]
    fn integers_have_signs_separators_and_a_fraction_of_zeros() {
        let int = |text| shown(text, SqlType::Int, "en-US");
        for (text, n) in
            [("1,234", "1234"), (" -5 ", "-5"), ("5-", "-5"), ("1.00", "1"), ("0", "0")]
        {
            assert_eq!(int(text).as_deref(), Some(n), "{text}");
        }
        for text in ["", "1.5", "- 5", "1e3", "--5", "2147483648", "$5", "(5)", "a", ",5"] {
            assert_eq!(int(text), None, "{text}");
        }
        assert_eq!(shown("1.234", SqlType::Int, "de-DE").as_deref(), Some("1234"));
        assert_eq!(shown("1 234", SqlType::Int, "fr-FR").as_deref(), Some("1234"));
    }

    #[test]
    fn money_has_a_symbol_and_parentheses() {
        let money = |text, culture| shown(text, SqlType::Money, culture);
        for (text, culture, n) in [
            ("€345,98", "de-DE", "345.98"),
            ("345,98 €", "de-DE", "345.98"),
            ("($1,234.50)", "en-US", "-1234.50"),
            ("-$2", "en-US", "-2.00"),
            ("$-2", "en-US", "-2.00"),
            ("2.00005", "en-US", "2.00"),
        ] {
            assert_eq!(money(text, culture).as_deref(), Some(n), "{text}");
        }
        for text in ["€5", "(5", "5)", "$$5", "922337203685477.5808"] {
            assert_eq!(money(text, "en-US"), None, "{text}");
        }
    }

    #[test]
    fn floats_have_exponents_and_no_separators() {
        let float = |text| shown(text, SqlType::Float, "en-US");
        assert_eq!(float("1.5e3").as_deref(), Some("1500"));
        assert_eq!(float("-2").as_deref(), Some("-2"));
        for text in ["1,000", "1e", "1e999", "5-"] {
            assert_eq!(float(text), None, "{text}");
        }
        let decimal = SqlType::Decimal { precision: 5, scale: 2 };
        assert_eq!(shown("1.567", decimal, "en-US").as_deref(), Some("1.57"));
        assert_eq!(shown("1000", decimal, "en-US"), None);
        assert_eq!(shown("0.001", decimal, "en-US").as_deref(), Some("0.00"));
    }
}

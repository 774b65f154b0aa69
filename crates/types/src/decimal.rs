//! `decimal` and `numeric`: up to 38 digits, exact.
//!
//! A value is sign × magnitude / 10^scale with a magnitude below 10^38, which fits 127 bits. The type's precision is
//! not part of the value: whoever knows the type checks it with [`Decimal::fits`]. Intermediate results of operators
//! are computed in 256 bits and then brought to the result's scale, so nothing is lost before the one rounding that
//! T-SQL's rules allow: add, subtract and multiply round half away from zero, divide truncates.
//!
//! The result types of the operators ([`add_type`] and its neighbours) are SQL Server's published rules.

use ethnum::U256;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The powers of ten, 10^0 … 10^38.
pub const POW10: [u128; 39] = {
    let mut table = [1u128; 39];
    let mut i = 1;
    while i < 39 {
        table[i] = table[i - 1] * 10;
        i += 1;
    }
    table
};

/// A value of decimal or numeric.
///
/// 1. `magnitude() < 10^38`. 2. `scale <= 38`. 3. Zero is never negative.
#[derive(Clone, Copy)]
pub struct Decimal {
    // Two halves instead of a u128, whose alignment of 16 would make every `Value` larger.
    lo: u64,
    hi: u64,
    scale: u8,
    negative: bool,
}

/// Why an operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecimalError {
    /// More than the precision holds: 8115.
    Overflow,
    /// The divisor is zero: 8134.
    DivideByZero,
}

/// Why a text is no decimal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParseError {
    /// Not a number: 8114.
    Syntax,
    /// More digits than there may be: 8115.
    Overflow,
}

/// Precision and scale of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NumericType {
    /// The number of digits, 1 to 38.
    pub precision: u8,
    /// The digits behind the point, 0 to precision.
    pub scale: u8,
}

impl Decimal {
    /// The largest precision of a decimal.
    pub const MAX_PRECISION: u8 = 38;
    /// 0 with scale 0.
    pub const ZERO: Decimal = Decimal { lo: 0, hi: 0, scale: 0, negative: false };

    /// None for a magnitude of 10^38 or more or a scale above 38. Minus zero becomes zero.
    #[inline]
    pub fn new(negative: bool, magnitude: u128, scale: u8) -> Option<Decimal> {
        if scale > 38 || magnitude >= POW10[38] {
            return None;
        }
        let (lo, hi) = (magnitude as u64, (magnitude >> 64) as u64);
        Some(Decimal { lo, hi, scale, negative: negative && magnitude != 0 })
    }

    /// An integer, scale 0.
    #[inline]
    pub fn from_i64(v: i64) -> Decimal {
        Decimal { lo: v.unsigned_abs(), hi: 0, scale: 0, negative: v < 0 }
    }

    /// The decimal `v / 10^scale`; none when it needs more than 38 digits.
    pub fn from_scaled(v: i128, scale: u8) -> Option<Decimal> {
        Decimal::new(v < 0, v.unsigned_abs(), scale)
    }

    /// The value × 10^scale without its sign; below 10^38.
    #[inline]
    pub fn magnitude(self) -> u128 {
        (self.hi as u128) << 64 | self.lo as u128
    }

    /// The value × 10^scale.
    #[inline]
    pub fn scaled(self) -> i128 {
        let m = self.magnitude() as i128;
        if self.negative { -m } else { m }
    }

    /// Digits after the point.
    #[inline]
    pub fn scale(self) -> u8 {
        self.scale
    }

    /// Whether the value is below zero.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// Whether the value is zero.
    #[inline]
    pub fn is_zero(self) -> bool {
        self.lo == 0 && self.hi == 0
    }

    /// Whether a type of this precision (and the value's scale) holds it.
    #[inline]
    pub fn fits(self, precision: u8) -> bool {
        self.magnitude() < POW10[precision.min(38) as usize]
    }

    /// Digits of the magnitude, at least 1.
    pub fn digits(self) -> u8 {
        (POW10.partition_point(|&p| p <= self.magnitude()) as u8).max(1)
    }

    /// The value with another scale, rounded half away from zero; None when it needs more than 38
    /// digits.
    #[inline]
    pub fn rescale(self, scale: u8) -> Option<Decimal> {
        if scale == self.scale {
            return Some(self);
        }
        let m = self.magnitude();
        let m = if scale > self.scale {
            m.checked_mul(POW10[(scale.min(39) - self.scale) as usize])?
        } else {
            let d = POW10[(self.scale - scale) as usize];
            m / d + (m % d >= d.div_ceil(2)) as u128
        };
        Decimal::new(self.negative, m, scale)
    }

    /// CAST to decimal(precision, scale): None is an overflow.
    #[inline]
    pub fn cast(self, precision: u8, scale: u8) -> Option<Decimal> {
        self.rescale(scale).filter(|d| d.fits(precision))
    }

    /// Drops digits after the point down to `scale` without rounding.
    pub fn truncate(self, scale: u8) -> Decimal {
        if scale >= self.scale {
            return self;
        }
        let m = self.magnitude() / POW10[(self.scale - scale) as usize];
        Decimal::new(self.negative, m, scale).expect("smaller than before")
    }

    /// The integer part; None beyond 64 bits.
    pub fn to_i64(self) -> Option<i64> {
        let m = i128::try_from(self.magnitude() / POW10[self.scale as usize]).ok()?;
        i64::try_from(if self.negative { -m } else { m }).ok()
    }

    /// The double that is nearest to the value.
    pub fn to_f64(self) -> f64 {
        let m = self.magnitude();
        // Exact operands give a correctly rounded quotient; beyond that, parsing the digits does.
        let v = if m < 1 << 53 && self.scale <= 22 {
            m as f64 / POW10[self.scale as usize] as f64
        } else {
            format!("{m}e-{}", self.scale).parse().expect("digits and an exponent")
        };
        if self.negative { -v } else { v }
    }

    /// The double's exact value rounded to `scale`; None when it is not finite or has more than 38 digits.
    pub fn from_f64(v: f64, scale: u8) -> Option<Decimal> {
        if !v.is_finite() || v.abs() >= 1e38 {
            return None;
        }
        // The formatter rounds ties to even, we away from zero: leave the rounding to the parser, far enough behind.
        Decimal::parse_scaled(format!("{v:.*}", scale as usize + 25).as_bytes(), scale).ok()
    }

    /// The value with the other sign.
    pub fn negate(self) -> Decimal {
        Decimal { negative: !self.negative && !self.is_zero(), ..self }
    }

    /// The value without its sign.
    pub fn abs(self) -> Decimal {
        Decimal { negative: false, ..self }
    }

    /// Parses `[sign] digits [. digits]` with blanks around, rounding to `scale` digits after the point.
    pub fn parse_scaled(text: &[u8], scale: u8) -> Result<Decimal, ParseError> {
        let (negative, whole, fraction) = split_number(text).ok_or(ParseError::Syntax)?;
        let mut m: u128 = 0;
        for &d in whole.iter().chain(fraction.iter().take(scale as usize)) {
            m = m * 10 + (d - b'0') as u128;
            if m >= POW10[38] {
                return Err(ParseError::Overflow);
            }
        }
        let given = fraction.len().min(scale as usize);
        m = m.checked_mul(POW10[scale as usize - given]).ok_or(ParseError::Overflow)?;
        if fraction.get(scale as usize).is_some_and(|&d| d >= b'5') {
            m += 1;
        }
        Decimal::new(negative, m, scale).ok_or(ParseError::Overflow)
    }

    /// A numeric literal: the value and the type that its digits give it (`1.50` is numeric(3,2)).
    pub fn parse_literal(text: &str) -> Result<(Decimal, NumericType), ParseError> {
        let (_, whole, fraction) = split_number(text.as_bytes()).ok_or(ParseError::Syntax)?;
        let whole = whole.iter().skip_while(|d| **d == b'0').count();
        if whole + fraction.len() > 38 {
            return Err(ParseError::Overflow);
        }
        let scale = fraction.len() as u8;
        let value = Decimal::parse_scaled(text.as_bytes(), scale)?;
        let precision = (whole as u8 + scale).max(1);
        Ok((value, NumericType { precision, scale }))
    }

    /// `a + b` as a value of `to`.
    pub fn add(a: Decimal, b: Decimal, to: NumericType) -> Result<Decimal, DecimalError> {
        let scale = a.scale.max(b.scale);
        // Nearly always both fit 127 bits at the common scale, and their sum does.
        if let (Some(x), Some(y)) = (a.rescale(scale), b.rescale(scale))
            && let Some(sum) = x.scaled().checked_add(y.scaled())
        {
            return narrow_short(sum < 0, sum.unsigned_abs(), scale, to);
        }
        let (x, y) = (a.wide(scale), b.wide(scale));
        let (negative, sum) = match (a.negative == b.negative, x >= y) {
            (true, _) => (a.negative, x + y),
            (false, true) => (a.negative, x - y),
            (false, false) => (b.negative, y - x),
        };
        narrow(negative, sum, scale, to)
    }

    /// `a - b` as a value of `to`.
    pub fn sub(a: Decimal, b: Decimal, to: NumericType) -> Result<Decimal, DecimalError> {
        Decimal::add(a, b.negate(), to)
    }

    /// `a * b` as a value of `to`.
    pub fn mul(a: Decimal, b: Decimal, to: NumericType) -> Result<Decimal, DecimalError> {
        let (negative, scale) = (a.negative != b.negative, a.scale + b.scale);
        if a.hi == 0 && b.hi == 0 {
            let product = u128::from(a.lo) * u128::from(b.lo);
            return narrow_short(negative, product, scale, to);
        }
        let product = U256::new(a.magnitude()) * U256::new(b.magnitude());
        narrow(negative, product, scale, to)
    }

    /// `a / b` as a value of `to`, truncated.
    pub fn div(a: Decimal, b: Decimal, to: NumericType) -> Result<Decimal, DecimalError> {
        if b.is_zero() {
            return Err(DecimalError::DivideByZero);
        }
        // a/10^sa ÷ b/10^sb × 10^s = a × 10^(s + sb - sa) ÷ b.
        let exponent = to.scale as i32 + b.scale as i32 - a.scale as i32;
        let divisor = b.magnitude();
        let quotient = if exponent < 0 {
            U256::new(a.magnitude()) / (U256::new(divisor) * U256::new(POW10[-exponent as usize]))
        } else {
            long_division(a.magnitude(), divisor, exponent as u32)?
        };
        narrow(a.negative != b.negative, quotient, to.scale, to)
    }

    /// `a % b` as a value of `to`; the sign is that of `a`.
    pub fn rem(a: Decimal, b: Decimal, to: NumericType) -> Result<Decimal, DecimalError> {
        if b.is_zero() {
            return Err(DecimalError::DivideByZero);
        }
        let scale = a.scale.max(b.scale);
        narrow(a.negative, a.wide(scale) % b.wide(scale), scale, to)
    }

    /// Whether no digit of `a + b` (or, negated, `a - b`) is lost at this scale.
    pub fn sum_is_exact(a: Decimal, b: Decimal, scale: u8) -> bool {
        let own = a.scale.max(b.scale);
        let (x, y) = (a.wide(own), b.wide(own));
        let sum = match a.negative == b.negative {
            true => x + y,
            false => x.max(y) - x.min(y),
        };
        is_multiple(sum, own.saturating_sub(scale))
    }

    /// Whether no digit of `a * b` is lost at this scale.
    pub fn product_is_exact(a: Decimal, b: Decimal, scale: u8) -> bool {
        let product = U256::new(a.magnitude()) * U256::new(b.magnitude());
        is_multiple(product, (a.scale + b.scale).saturating_sub(scale))
    }

    /// Whether `quotient` is all of `a / b`.
    pub fn quotient_is_exact(a: Decimal, b: Decimal, quotient: Decimal) -> bool {
        let back = U256::new(quotient.magnitude()) * U256::new(b.magnitude());
        let (scale, whole) = (quotient.scale + b.scale, U256::new(a.magnitude()));
        let (mut coarse, fine, mut missing) = match scale <= a.scale {
            true => (back, whole, a.scale - scale),
            false => (whole, back, scale - a.scale),
        };
        while missing > 0 {
            let step = missing.min(38);
            // What does not fit is larger than the other one.
            let Some(m) = coarse.checked_mul(U256::new(POW10[usize::from(step)])) else {
                return false;
            };
            coarse = m;
            missing -= step;
        }
        coarse == fine
    }

    /// The magnitude at a larger scale, in 256 bits (10^38 × 10^38 fits).
    fn wide(self, scale: u8) -> U256 {
        U256::new(self.magnitude()) * U256::new(POW10[(scale - self.scale) as usize])
    }

    /// Bytes of the stored and the sent form, the sign included: 5, 9, 13 or 17.
    pub fn storage_bytes(precision: u8) -> usize {
        match precision {
            0..=9 => 5,
            10..=19 => 9,
            20..=28 => 13,
            _ => 17,
        }
    }

    /// Writes the stored and sent form: a sign byte (1 = positive), then the magnitude, little-endian, in
    /// `out.len() - 1` bytes. The value must fit.
    pub fn write_bytes(self, out: &mut [u8]) {
        let m = self.magnitude().to_le_bytes();
        let n = out.len() - 1;
        debug_assert!(n <= 16 && m[n..].iter().all(|b| *b == 0));
        out[0] = !self.negative as u8;
        out[1..].copy_from_slice(&m[..n]);
    }

    /// Reads what [`Decimal::write_bytes`] wrote (input: None if it is none).
    pub fn read_bytes(bytes: &[u8], scale: u8) -> Option<Decimal> {
        let (sign, rest) = bytes.split_first()?;
        if rest.len() > 16 {
            return None;
        }
        let mut m = [0u8; 16];
        m[..rest.len()].copy_from_slice(rest);
        Decimal::new(*sign == 0, u128::from_le_bytes(m), scale)
    }
}

/// Whether the last digits of a number are zeros.
fn is_multiple(m: U256, mut digits: u8) -> bool {
    let mut m = m;
    while digits > 0 {
        let step = digits.min(38);
        let power = U256::new(POW10[usize::from(step)]);
        if m % power != U256::ZERO {
            return false;
        }
        m /= power;
        digits -= step;
    }
    true
}

/// [`narrow`] of what has no more than 128 bits, as nearly all has.
#[inline]
fn narrow_short(
    negative: bool,
    m: u128,
    scale: u8,
    to: NumericType,
) -> Result<Decimal, DecimalError> {
    let m = match scale.cmp(&to.scale) {
        Ordering::Equal => m,
        // What has no room in 128 bits has more than 38 digits.
        Ordering::Less => {
            let power = POW10[(to.scale - scale) as usize];
            m.checked_mul(power).ok_or(DecimalError::Overflow)?
        }
        Ordering::Greater if scale - to.scale > 38 => {
            return narrow(negative, U256::new(m), scale, to);
        }
        Ordering::Greater => {
            let d = POW10[(scale - to.scale) as usize];
            m / d + u128::from(m % d >= d / 2)
        }
    };
    if m >= POW10[to.precision.min(38) as usize] {
        return Err(DecimalError::Overflow);
    }
    Decimal::new(negative, m, to.scale).ok_or(DecimalError::Overflow)
}

/// Brings a wide result to its type: rounds to the scale, checks the precision.
fn narrow(negative: bool, m: U256, scale: u8, to: NumericType) -> Result<Decimal, DecimalError> {
    let m = match scale.cmp(&to.scale) {
        Ordering::Equal => m,
        Ordering::Less => m
            .checked_mul(U256::new(POW10[(to.scale - scale) as usize]))
            .ok_or(DecimalError::Overflow)?,
        Ordering::Greater => {
            let mut m = m;
            let mut drop = (scale - to.scale) as usize;
            // A product has up to 76 decimals; a power of ten beyond 38 does not fit the table.
            if drop > 38 {
                m /= U256::new(POW10[drop - 38]);
                drop = 38;
            }
            let d = U256::new(POW10[drop]);
            let up = m % d >= d / 2;
            m / d + if up { U256::ONE } else { U256::ZERO }
        }
    };
    if m >= U256::new(POW10[to.precision.min(38) as usize]) {
        return Err(DecimalError::Overflow);
    }
    Decimal::new(negative, m.as_u128(), to.scale).ok_or(DecimalError::Overflow)
}

/// `a × 10^exponent / b`, truncated, where the product may exceed 256 bits (the quotient may not exceed 10^38).
fn long_division(a: u128, b: u128, exponent: u32) -> Result<U256, DecimalError> {
    let divisor = U256::new(b);
    let (mut quotient, mut rest) = (U256::new(a / b), U256::new(a % b));
    let mut left = exponent;
    while left > 0 {
        let step = left.min(38);
        let power = U256::new(POW10[step as usize]);
        let scaled = rest * power;
        quotient = quotient.checked_mul(power).ok_or(DecimalError::Overflow)? + scaled / divisor;
        if quotient >= U256::new(POW10[38]) {
            return Err(DecimalError::Overflow);
        }
        rest = scaled % divisor;
        left -= step;
    }
    Ok(quotient)
}

/// Sign, digits before and after the point of a number with blanks around it; None if there are no digits or others.
fn split_number(text: &[u8]) -> Option<(bool, &[u8], &[u8])> {
    let text = text.trim_ascii();
    let (negative, rest) = match text.split_first()? {
        (b'-', rest) => (true, rest.trim_ascii_start()),
        (b'+', rest) => (false, rest.trim_ascii_start()),
        _ => (false, text),
    };
    let point = rest.iter().position(|b| *b == b'.').unwrap_or(rest.len());
    let (whole, fraction) = (&rest[..point], rest.get(point + 1..).unwrap_or(&[]));
    let digits = |s: &[u8]| s.iter().all(u8::is_ascii_digit);
    (digits(whole) && digits(fraction) && whole.len() + fraction.len() > 0)
        .then_some((negative, whole, fraction))
}

/// The type of a sum or difference, `+` and `-`.
pub fn add_type(a: NumericType, b: NumericType) -> NumericType {
    let scale = a.scale.max(b.scale);
    let whole = (a.precision - a.scale).max(b.precision - b.scale);
    let precision = whole + scale + 1;
    if precision <= 38 {
        return NumericType { precision, scale };
    }
    // The digits before the point are kept; those after it give way.
    NumericType { precision: 38, scale: scale.min(38 - whole) }
}

/// The type of a product, `*`.
pub fn mul_type(a: NumericType, b: NumericType) -> NumericType {
    cap(a.precision as u32 + b.precision as u32 + 1, a.scale as u32 + b.scale as u32)
}

/// The type of a quotient, `/`.
pub fn div_type(a: NumericType, b: NumericType) -> NumericType {
    let scale = (a.scale as u32 + b.precision as u32 + 1).max(6);
    let precision = (a.precision - a.scale) as u32 + b.scale as u32 + scale;
    cap(precision, scale)
}

/// The type of a remainder, `%`.
pub fn rem_type(a: NumericType, b: NumericType) -> NumericType {
    let scale = a.scale.max(b.scale);
    let whole = (a.precision - a.scale).min(b.precision - b.scale);
    NumericType { precision: (whole + scale).clamp(1, 38), scale: scale.min(38 - whole) }
}

/// The type that holds the values of both (UNION, CASE, assignment of a common type).
pub fn common_type(a: NumericType, b: NumericType) -> NumericType {
    let scale = a.scale.max(b.scale);
    let whole = (a.precision - a.scale).max(b.precision - b.scale);
    let precision = whole + scale;
    if precision <= 38 {
        return NumericType { precision, scale };
    }
    NumericType { precision: 38, scale: scale.min(38 - whole) }
}

/// Multiplication and division beyond 38 digits: up to 32 digits before the point are kept, and of the digits after
/// it at least 6 if there were as many.
fn cap(precision: u32, scale: u32) -> NumericType {
    if precision <= 38 {
        return NumericType { precision: precision as u8, scale: scale as u8 };
    }
    let whole = precision - scale;
    let scale = if whole < 32 { scale.min(38 - whole) } else { scale.min(6) };
    NumericType { precision: 38, scale: scale as u8 }
}

impl fmt::Display for Decimal {
    /// All digits of the scale: `-0.50`, `12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let power = POW10[self.scale as usize];
        let m = self.magnitude();
        if self.scale == 0 {
            return write!(f, "{sign}{m}");
        }
        write!(f, "{sign}{}.{:0>2$}", m / power, m % power, self.scale as usize)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Ord for Decimal {
    /// By value: 1.0 equals 1.00.
    fn cmp(&self, other: &Decimal) -> Ordering {
        if self.negative != other.negative {
            return other.negative.cmp(&self.negative);
        }
        let magnitudes = if self.scale == other.scale {
            self.magnitude().cmp(&other.magnitude())
        } else {
            let scale = self.scale.max(other.scale);
            self.wide(scale).cmp(&other.wide(scale))
        };
        if self.negative { magnitudes.reverse() } else { magnitudes }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl Hash for Decimal {
    /// Equal values hash the same, whatever their scales.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (mut m, mut scale) = (self.magnitude(), self.scale);
        while scale > 0 && m.is_multiple_of(10) {
            m /= 10;
            scale -= 1;
        }
        (self.negative, m, scale).hash(state);
    }
}

#[cfg(test)]
mod tests;

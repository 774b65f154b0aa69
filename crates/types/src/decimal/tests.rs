use super::*;

fn d(text: &str) -> Decimal {
    Decimal::parse_literal(text).unwrap().0
}

fn ty(precision: u8, scale: u8) -> NumericType {
    NumericType { precision, scale }
}

/// A small generator, so that failures repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Decimals of all magnitudes: the number of digits is drawn first.
    fn decimal(&mut self) -> Decimal {
        let digits = (self.next() % 38 + 1) as usize;
        let m = ((self.next() as u128) << 64 | self.next() as u128) % POW10[digits];
        Decimal::new(self.next().is_multiple_of(2), m, (self.next() % 39) as u8).unwrap()
    }
}

#[test]
fn result_types_are_the_published_ones() {
    assert_eq!(div_type(ty(10, 2), ty(10, 2)), ty(23, 13));
    assert_eq!(mul_type(ty(38, 10), ty(38, 10)), ty(38, 6));
    assert_eq!(add_type(ty(10, 2), ty(5, 4)), ty(13, 4));
    assert_eq!(add_type(ty(38, 10), ty(38, 2)), ty(38, 2));
    assert_eq!(mul_type(ty(5, 2), ty(10, 4)), ty(16, 6));
    assert_eq!(div_type(ty(2, 1), ty(2, 1)), ty(8, 6));
    assert_eq!(rem_type(ty(10, 2), ty(5, 4)), ty(5, 4));
    assert_eq!(common_type(ty(10, 2), ty(5, 4)), ty(12, 4));
}

#[test]
fn division_truncates_and_multiplication_rounds() {
    assert_eq!(Decimal::div(d("2.0"), d("3.0"), ty(8, 6)).unwrap().to_string(), "0.666666");
    assert_eq!(Decimal::mul(d("0.15"), d("0.5"), ty(5, 2)).unwrap().to_string(), "0.08");
    assert_eq!(Decimal::div(d("-1"), d("3"), ty(38, 37)).unwrap().digits(), 37);
    assert_eq!(Decimal::div(d("1"), d("0.0"), ty(8, 6)), Err(DecimalError::DivideByZero));
    let max = Decimal::new(false, POW10[38] - 1, 0).unwrap();
    assert_eq!(Decimal::add(max, d("1"), ty(38, 0)), Err(DecimalError::Overflow));
    assert_eq!(Decimal::mul(max, d("10"), ty(38, 0)), Err(DecimalError::Overflow));
}

#[test]
fn text_and_bytes_round_trip() {
    let mut random = Random(42);
    for _ in 0..5_000 {
        let x = random.decimal();
        let text = x.to_string();
        let back = Decimal::parse_scaled(text.as_bytes(), x.scale()).unwrap();
        assert_eq!((back, back.scale()), (x, x.scale()), "{text}");
        let mut bytes = vec![0; Decimal::storage_bytes(x.digits())];
        x.write_bytes(&mut bytes);
        assert_eq!(Decimal::read_bytes(&bytes, x.scale()), Some(x));
    }
    assert_eq!(d("-0.50").to_string(), "-0.50");
    assert_eq!(d("-0.00").to_string(), "0.00");
    assert_eq!(Decimal::parse_scaled(b" - 12.345 ", 2).unwrap().to_string(), "-12.35");
    assert_eq!(Decimal::parse_scaled(b"1e5", 2), Err(ParseError::Syntax));
    assert_eq!(Decimal::parse_scaled(b".", 2), Err(ParseError::Syntax));
    assert_eq!(Decimal::parse_scaled(b"", 2), Err(ParseError::Syntax));
}

/// Against exact rational arithmetic in 256 bits, over operands whose results fit.
#[test]
fn operators_agree_with_a_wide_integer_model() {
    let mut random = Random(7);
    let mut checked = 0;
    for _ in 0..50_000 {
        let a = random.decimal().rescale((random.next() % 19) as u8);
        let b = random.decimal().rescale((random.next() % 19) as u8);
        let (Some(a), Some(b)) = (a, b) else { continue };
        let (ta, tb) =
            (ty(a.digits().max(a.scale()), a.scale()), ty(b.digits().max(b.scale()), b.scale()));
        let wide = |d: Decimal, scale: u8| {
            let m = ethnum::I256::from(d.magnitude())
                * ethnum::I256::from(POW10[(scale - d.scale()) as usize]);
            if d.is_negative() { -m } else { m }
        };
        let s = a.scale().max(b.scale());
        let t = add_type(ta, tb);
        if t.scale == s {
            checked += 1;
            let model = wide(a, s) + wide(b, s);
            match Decimal::add(a, b, t) {
                Ok(sum) => assert_eq!(ethnum::I256::from(sum.scaled()), model),
                Err(_) => assert!(model.abs() >= ethnum::I256::from(POW10[38])),
            }
            assert_eq!(a.cmp(&b), wide(a, s).cmp(&wide(b, s)));
        }
        let t = mul_type(ta, tb);
        if t.scale == a.scale() + b.scale() {
            checked += 1;
            let model = wide(a, a.scale()) * wide(b, b.scale());
            match Decimal::mul(a, b, t) {
                Ok(product) => assert_eq!(ethnum::I256::from(product.scaled()), model),
                Err(_) => assert!(model.abs() >= ethnum::I256::from(POW10[38])),
            }
        }
        if !b.is_zero() {
            let t = rem_type(ta, tb);
            if t.scale == s {
                let r = Decimal::rem(a, b, t).unwrap();
                assert_eq!(ethnum::I256::from(r.scaled()), wide(a, s) % wide(b, s));
            }
            // q = trunc(a / b) at scale t.scale: |q·b| <= |a| < (|q| + 1)·|b|, all at one scale.
            let t = div_type(ta, tb);
            if let Ok(q) = Decimal::div(a, b, t) {
                checked += 1;
                let up = |x: u128, by: u8| U256::new(x) * U256::new(POW10[by as usize]);
                let qb = U256::new(q.magnitude()) * U256::new(b.magnitude());
                let shift = (t.scale + b.scale()) as i32 - a.scale() as i32;
                if (0..=38).contains(&shift) {
                    let scaled_a = up(a.magnitude(), shift as u8);
                    assert!(qb <= scaled_a && scaled_a - qb < U256::new(b.magnitude()));
                }
            }
        }
    }
    assert!(checked > 20_000, "{checked}");
}

#[test]
fn doubles() {
    assert_eq!(Decimal::from_f64(0.1, 20).unwrap().to_string(), "0.10000000000000000555");
    assert_eq!(Decimal::from_f64(-2.5, 0).unwrap().to_string(), "-3");
    assert_eq!(Decimal::from_f64(1e39, 0), None);
    assert_eq!(Decimal::from_f64(f64::NAN, 0), None);
    assert_eq!(d("0.1").to_f64(), 0.1);
    assert_eq!(d("12345678901234567890.123").to_f64(), 12345678901234567890.123);
}

#[test]
fn lost_digits_are_noticed() {
    assert!(Decimal::product_is_exact(d("1.5"), d("0.2"), 1));
    assert!(!Decimal::product_is_exact(d("1.5"), d("0.5"), 1));
    assert!(Decimal::quotient_is_exact(d("1.0"), d("8"), d("0.125000")));
    assert!(!Decimal::quotient_is_exact(d("1.0"), d("3"), d("0.333333")));
    assert!(Decimal::quotient_is_exact(d("100"), d("0.01"), d("10000")));
    assert!(Decimal::sum_is_exact(d("0.25"), d("-0.05"), 1));
    assert!(!Decimal::sum_is_exact(d("0.25"), d("0.01"), 1));
    let tiny = Decimal::new(false, 1, 38).unwrap();
    assert!(!Decimal::product_is_exact(tiny, tiny, 38));
    assert!(Decimal::product_is_exact(tiny, Decimal::ZERO, 0));
    let large = Decimal::new(false, POW10[38] - 1, 0).unwrap();
    assert!(!Decimal::quotient_is_exact(large, tiny, large));
    assert!(Decimal::quotient_is_exact(Decimal::ZERO, tiny, Decimal::ZERO));
}

/// Both operands have 38 digits at the common scale, and their sum more than 127 bits.
#[test]
fn sums_beyond_127_bits_are_rounded_not_wrapped() {
    let d = |text: &str, scale| Decimal::parse_scaled(text.as_bytes(), scale).unwrap();
    let (whole, tenth) =
        (d("9000000000000000000000000000", 0), d("9000000000000000000000000000", 10));
    let to = add_type(ty(38, 0), ty(38, 10));
    for (sign, sum) in
        [(false, "18000000000000000000000000000"), (true, "-18000000000000000000000000000")]
    {
        let of = |v: Decimal| if sign { v.negate() } else { v };
        let got = Decimal::add(of(whole), of(tenth), to).unwrap();
        assert_eq!(got, d(sum, 0), "{got}");
        let got = Decimal::sub(of(whole), of(tenth).negate(), to).unwrap();
        assert_eq!(got, d(sum, 0), "{got}");
    }
    let most = d(&"9".repeat(38), 0);
    assert_eq!(Decimal::add(most, most, ty(38, 0)), Err(DecimalError::Overflow));
}

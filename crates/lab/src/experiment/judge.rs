//! Judges claims of a document by figures: a verdict is never more than its interval allows.

use super::record::{ClaimTold, FigureTold, Record, Verdict};
use super::spec::{Claim, Expect};
use super::statistics::{self, Spread, rounded};

/// Judges a claim by the record's figures.
pub fn judge(claim: &Claim, record: &Record) -> ClaimTold {
    let figure =
        |variant: &str| record.figure(variant, claim.measure.get_ref(), claim.figure.get_ref());
    let of = figure(claim.variant.get_ref());
    let (verdict, here, measured) = match (claim.expect, of, &claim.to) {
        (Expect::About, Some(of), _) => about(claim, of, record),
        (_, Some(of), Some(to)) => match figure(to.get_ref()) {
            Some(to) => compared(claim, of, to),
            None => nothing(),
        },
        _ => nothing(),
    };
    ClaimTold { text: claim.text.clone(), verdict, here, measured, published: claim.published }
}

type Judged = (Verdict, String, Option<Spread>);

fn nothing() -> Judged {
    (Verdict::LeftOut, "not measured in this run".into(), None)
}

fn about(claim: &Claim, of: &FigureTold, record: &Record) -> Judged {
    let per = claim.per.as_ref().and_then(|p| record.values.get(p.get_ref())?.parse::<f64>().ok());
    let per = per.filter(|p| *p > 0.0).unwrap_or(1.0);
    let value = claim.value.unwrap_or_default();
    let room = value.abs() * claim.within;
    let s = Spread {
        median: rounded(of.spread.median / per),
        low: rounded(of.spread.low / per),
        high: rounded(of.spread.high / per),
    };
    let near = |v: f64| (v - value).abs() <= room;
    let verdict = match (near(s.low) && near(s.high), s.high < value - room || s.low > value + room)
    {
        (true, _) => Verdict::Seen,
        (_, true) => Verdict::NotSeen,
        _ => Verdict::Undecided,
    };
    (verdict, spread_in_words(s, &of.unit), Some(s))
}

/// A median and its ends; one number where they are the same.
fn spread_in_words(s: Spread, unit: &str) -> String {
    let unit = unit_behind(unit);
    match alike(s.low, s.high) {
        true => format!("{}{unit}", number(s.median)),
        false => format!("{}{unit} ({})", number(s.median), ends(s)),
    }
}

fn compared(claim: &Claim, of: &FigureTold, to: &FigureTold) -> Judged {
    let zero = |f: &FigureTold| f.values.iter().all(|v| *v == 0.0);
    if zero(of) && zero(to) {
        let verdict = if claim.expect == Expect::Same { Verdict::Seen } else { Verdict::Undecided };
        return (verdict, "none in either: no difference seen".into(), None);
    }
    // A ratio to nothing is no number, yet all of one lie above all of the other.
    if zero(to) && of.spread.low > 0.0 || zero(of) && to.spread.low > 0.0 {
        let more = zero(to);
        let right = if more { Expect::More } else { Expect::Less };
        let verdict = if claim.expect == right { Verdict::Seen } else { Verdict::NotSeen };
        let here = format!(
            "{} against {}",
            spread_in_words(of.spread, &of.unit),
            spread_in_words(to.spread, &to.unit)
        );
        return (verdict, here, None);
    }
    let Some(s) = statistics::ratio(&of.values, &to.values) else {
        let why = "no ratio: it takes two rounds at least, and figures above 0 in each";
        return (Verdict::Undecided, why.into(), None);
    };
    let none = s.low <= 1.0 && s.high >= 1.0;
    let verdict = match claim.expect {
        Expect::Less if s.high < 1.0 => Verdict::Seen,
        Expect::More if s.low > 1.0 => Verdict::Seen,
        Expect::Less | Expect::More if none => Verdict::Undecided,
        Expect::Same if s.low >= 1.0 / (1.0 + claim.within) && s.high <= 1.0 + claim.within => {
            Verdict::Seen
        }
        Expect::Same if none => Verdict::Undecided,
        _ => Verdict::NotSeen,
    };
    let here = if none { format!("no difference seen ({})", ends(s)) } else { ratio_in_words(s) };
    (verdict, here, Some(s))
}

/// The ends of an interval; one number where they are the same.
fn ends(s: Spread) -> String {
    match alike(s.low, s.high) {
        true => number(s.high),
        false => format!("{} to {}", number(s.low), number(s.high)),
    }
}

/// A ratio: in percent below 1.
fn ratio_in_words(s: Spread) -> String {
    const SMALL: f64 = 1.0;
    let small = s.median < SMALL;
    let (by, word) = if small { (100.0, " %") } else { (1.0, " times") };
    let s = Spread { median: s.median * by, low: s.low * by, high: s.high * by };
    let more = if alike(s.low, s.high) { String::new() } else { format!(" ({})", ends(s)) };
    format!("{}{word}{more}", number(s.median))
}

/// A published ratio in words: it has the digits that were published.
pub fn published_in_words(ratio: f64) -> String {
    match ratio < 1.0 {
        true => format!("{} %", statistics::rounded(ratio * 100.0)),
        false => format!("{ratio} times"),
    }
}

/// A unit behind a number, with the gap that it needs.
pub fn unit_behind(unit: &str) -> String {
    let gap = if unit.is_empty() || unit.starts_with('/') { "" } else { " " };
    format!("{gap}{unit}")
}

/// A number as tables show it: three digits that say something, thousands apart.
pub fn number(v: f64) -> String {
    let digits = match v.abs() {
        0.0 => return "0".into(),
        a if !a.is_finite() => return "-".into(),
        a if a >= 99.95 => return thousands(v.round()),
        a if a >= 9.995 => 1,
        a if a >= 0.0995 => 2,
        a if a >= 0.00995 => 3,
        a if a >= 0.000_995 => 4,
        a if a < 1e-9 => return "0".into(),
        // Ends of intervals over two rounds are as small as that.
        a => (-a.log10().floor()) as usize,
    };
    let text = format!("{v:.digits$}");
    // A whole number is one.
    match text.split_once('.') {
        Some((whole, rest)) if v.fract() == 0.0 && rest.bytes().all(|b| b == b'0') => whole.into(),
        _ => text,
    }
}

/// Two numbers read as the same: 1.00 and 1 are.
pub fn alike(a: f64, b: f64) -> bool {
    let [a, b] = [number(a), number(b)];
    let value = |text: &str| text.replace(',', "").parse::<f64>();
    a == b || value(&a).is_ok_and(|a| value(&b).is_ok_and(|b| a == b))
}

fn thousands(v: f64) -> String {
    let digits = format!("{:.0}", v.abs());
    let mut out = String::from(if v < 0.0 { "-" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_that_say_something() {
        for (v, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.97, "0.97"),
            (0.001_234, "0.0012"),
            (0.0421, "0.042"),
            (0.000_02, "0.00002"),
            (1e-12, "0"),
            (9.876, "9.88"),
            (44.04, "44.0"),
            (999.6, "1,000"),
            (1_234_567.0, "1,234,567"),
        ] {
            assert_eq!(number(v), text);
        }
    }

    #[test]
    fn a_published_ratio_has_its_own_digits() {
        for (ratio, text) in [(3.8, "3.8 times"), (38.0, "38 times"), (0.386, "38.6 %")] {
            assert_eq!(published_in_words(ratio), text);
        }
    }

    fn told(values: &[f64]) -> FigureTold {
        FigureTold {
            variant: String::new(),
            measure: String::new(),
            figure: String::new(),
            label: String::new(),
            unit: "s".into(),
            values: values.to_vec(),
            spread: Spread::of(values).unwrap(),
        }
    }

    fn claim(expect: &str) -> Claim {
        let text = format!(
            "text = 't'\nmeasure = 'm'\nfigure = 'seconds'\nvariant = 'a'\nto = 'b'\nexpect = '{expect}'"
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn a_claim_is_no_more_than_the_interval_allows() {
        let base = told(&[1.0, 1.0, 1.0]);
        let verdict = |expect: &str, values: &[f64]| {
            let (verdict, here, _) = compared(&claim(expect), &told(values), &base);
            (verdict, here)
        };
        assert!(alike(0.9999, 1.0) && !alike(0.97, 1.0) && alike(1_234.1, 1_234.4));
        assert_eq!(verdict("more", &[3.8, 3.9, 4.0]).0, Verdict::Seen);
        assert_eq!(verdict("less", &[3.8, 3.9, 4.0]).0, Verdict::NotSeen);
        let (doubt, here) = verdict("more", &[0.9, 1.3, 1.2]);
        assert_eq!(doubt, Verdict::Undecided);
        assert!(here.starts_with("no difference seen (0."), "{here}");
        // The same within 5 %: an interval that is wider leaves it open.
        assert_eq!(verdict("same", &[1.01, 1.0, 0.99]).0, Verdict::Seen);
        assert_eq!(verdict("same", &[1.1, 1.0, 0.9]).0, Verdict::Undecided);
        assert_eq!(verdict("same", &[1.5, 1.51, 1.49]).0, Verdict::NotSeen);
        let (none, here) = verdict("less", &[0.0, 0.0, 0.0]);
        assert_eq!((none, here.as_str()), (Verdict::Seen, "0 s against 1 s"));
    }
}

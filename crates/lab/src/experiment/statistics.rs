//! Medians, and where the true value lies: what a few repetitions allow to be said, and no more.

use serde::{Deserialize, Serialize};

/// Repeated values of a figure: their median, and between which they lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Value in the middle.
    pub median: f64,
    /// Lowest value, or lower end of an interval.
    pub low: f64,
    /// Highest value, or upper end of an interval.
    pub high: f64,
}

impl Spread {
    /// Of values; `None` where there are none.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let (low, high) = (*sorted.first()?, *sorted.last()?);
        let median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
        Some(Spread { median, low, high }.rounded())
    }
}

impl Spread {
    fn rounded(self) -> Spread {
        let Spread { median, low, high } = self;
        Spread { median: rounded(median), low: rounded(low), high: rounded(high) }
    }
}

/// A number with nine digits: no figure has more that say something, and a program that reads it back from JSON has the same.
pub fn rounded(v: f64) -> f64 {
    format!("{v:.8e}").parse().unwrap_or(v)
}

/// Student's t at 97.5 %, for 1, 2, 3 … degrees of freedom.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];
/// Student's t at 97.5 % for infinitely many degrees of freedom.
const T_MANY: f64 = 1.96;

/// The ratio of two figures that were taken in turn, round by round: the median of the rounds' ratios, and a 95 %
/// interval for the true one.
///
/// The interval is that of Student's t over the logarithms of the ratios, so it is wide where there are few rounds: three
/// that agree within 2 % give about ±5 %. A machine that drifts does so for both figures of a round, which is why
/// rounds are compared and not medians.
pub fn ratio(of: &[f64], to: &[f64]) -> Option<Spread> {
    let positive = |v: &f64| *v > 0.0 && v.is_finite();
    if of.len() != to.len() || of.len() < 2 || !of.iter().chain(to).all(positive) {
        return None;
    }
    let logs: Vec<f64> = of.iter().zip(to).map(|(a, b)| (a / b).ln()).collect();
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let variance = logs.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let t = T.get(logs.len() - 2).copied().unwrap_or(T_MANY);
    let half = t * (variance / n).sqrt();
    let median = Spread::of(&logs)?.median;
    let low = (mean - half).min(median).exp();
    let high = (mean + half).max(median).exp();
    Some(Spread { median: median.exp(), low, high }.rounded())
}

/// The ratio of two figures that were taken at different times: that of the geometric means, with a 95 % interval.
pub fn unpaired(of: &[f64], to: &[f64]) -> Option<Spread> {
    let positive = |v: &f64| *v > 0.0 && v.is_finite();
    if of.len() < 2 || to.len() < 2 || !of.iter().chain(to).all(positive) {
        return None;
    }
    let told = |values: &[f64]| {
        let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
        let n = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / n;
        (mean, logs.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (n - 1.0) / n)
    };
    let ((a, va), (b, vb)) = (told(of), told(to));
    // The fewer repetitions decide the degrees of freedom: wider than Welch's, never narrower.
    let t = T.get(of.len().min(to.len()) - 2).copied().unwrap_or(T_MANY);
    let half = t * (va + vb).sqrt();
    let spread =
        Spread { median: (a - b).exp(), low: (a - b - half).exp(), high: (a - b + half).exp() };
    Some(spread.rounded())
}

/// The value of which a share `q` of the sorted ones is smaller.
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    sorted.get(((sorted.len().checked_sub(1)?) as f64 * q).round() as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_as_wide_as_the_rounds_differ() {
        assert_eq!(rounded(0.104_645_999_999_999_99), 0.104_646);
        let same = ratio(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]).unwrap();
        assert!((same.low - 2.0).abs() < 1e-9 && (same.high - 2.0).abs() < 1e-9);
        // Ratios 0.98, 1 and 1.02: their logarithms have a deviation of 0.02, so 4.303 * 0.02 / sqrt(3) = 0.0497.
        let near = ratio(&[0.98, 1.0, 1.02], &[1.0; 3]).unwrap();
        assert!((near.median - 1.0).abs() < 1e-9);
        assert!((near.low.ln() + 0.0498).abs() < 1e-3 && (near.high.ln() - 0.0496).abs() < 1e-3);
    }

    #[test]
    fn nothing_is_said_of_zeroes_or_of_one_round() {
        assert_eq!(ratio(&[1.0], &[1.0]), None);
        assert_eq!(ratio(&[1.0, 0.0], &[1.0, 1.0]), None);
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[3.0, 1.0]), Some(Spread { median: 2.0, low: 1.0, high: 3.0 }));
    }
}

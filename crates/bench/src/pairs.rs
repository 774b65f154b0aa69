//! Two things measured in turn, A B B A …: the ratio of each pair, their median, and where the true median lies.
//!
//! A machine that is shared drifts by more than what is to be shown. What drifts does so for both halves of a pair, and
//! the order within pairs alternates, so that neither is always the first. The interval is that of the sign test: from the
//! k-th smallest to the k-th largest ratio, with the largest k that leaves the true median inside with a probability of
//! at least 95 %. It supposes nothing about the distribution.

use super::rows::median;

/// How much of what is measured in pairs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Whether small amounts are measured.
    pub quick: bool,
    /// So many pairs, instead of each work's own number.
    pub pairs: Option<usize>,
    /// At most so much disk; `None`: what is free, less a reserve.
    pub disk_gb: Option<u64>,
}

/// Pairs of measurements, a base and another beside it.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    base: Vec<f64>,
    other: Vec<f64>,
}

/// A ratio with its interval.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// Median of other : base over the pairs.
    pub median: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
    /// The number of pairs.
    pub pairs: usize,
    /// Median of the base.
    pub base: f64,
    /// Median of the other.
    pub other: f64,
}

impl Pairs {
    /// Adds a pair of measurements.
    pub fn push(&mut self, base: f64, other: f64) {
        self.base.push(base);
        self.other.push(other);
    }

    /// The ratio of all pairs; there must be one at least.
    pub fn ratio(&self) -> Ratio {
        let mut ratios: Vec<f64> = self.base.iter().zip(&self.other).map(|(b, o)| o / b).collect();
        ratios.sort_by(f64::total_cmp);
        let outside = tail(ratios.len());
        Ratio {
            median: middle(&ratios),
            low: ratios[outside],
            high: ratios[ratios.len() - 1 - outside],
            pairs: ratios.len(),
            base: median(self.base.clone()),
            other: median(self.other.clone()),
        }
    }
}

fn middle(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0
}

/// How many of n values lie outside of the interval on each side: the largest k of which the probability that no more
/// than k of n fair coins fall one way is at most 2.5 %, and 0 where there is none.
fn tail(n: usize) -> usize {
    let mut way = 0.5_f64.powi(n as i32);
    let mut sum = way;
    let mut outside = 0;
    loop {
        way *= (n - outside) as f64 / (outside + 1) as f64;
        sum += way;
        if sum > 0.025 || outside + 1 >= n {
            break;
        }
        outside += 1;
    }
    outside
}

/// Which of two is first in a pair: A B, B A, A B, …
pub fn order(pair: usize) -> [usize; 2] {
    if pair.is_multiple_of(2) { [0, 1] } else { [1, 0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_sign_test() {
        // As in tables: 6 pairs give the extremes, 15 the 4th and the 12th, 20 the 6th and the 15th, 25 the 8th.
        for (n, kth) in [(1, 1), (5, 1), (6, 1), (9, 2), (15, 4), (20, 6), (25, 8)] {
            assert_eq!(tail(n) + 1, kth, "{n}");
        }
    }

    #[test]
    fn the_ratio_is_that_of_the_pairs_not_of_the_sums() {
        let mut pairs = Pairs::default();
        for n in 1..=15 {
            pairs.push(f64::from(n), f64::from(n) * (1.0 + f64::from(n) / 100.0));
        }
        let ratio = pairs.ratio();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(ratio.median, 1.08) && near(ratio.low, 1.04) && near(ratio.high, 1.12));
    }
}

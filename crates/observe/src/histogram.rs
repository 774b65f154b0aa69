//! A histogram with four buckets per power of two: 64-bit values with at most 25 % error, no configuration.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Buckets per power of two.
const FINE: u32 = 4;
const BUCKETS: usize = (64 * FINE) as usize;

/// Counts of values by size. Adding costs one atomic addition (and a second for the sum).
pub struct Histogram {
    buckets: Box<[AtomicU64]>,
    sum: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            buckets: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect(),
            sum: AtomicU64::new(0),
        }
    }
}

fn bucket(value: u64) -> usize {
    if value < FINE as u64 {
        return value as usize;
    }
    let power = 63 - value.leading_zeros();
    let fine = (value >> (power - 2)) & (FINE as u64 - 1);
    ((power - 1) * FINE) as usize + fine as usize
}

/// The smallest value of a bucket.
fn floor(bucket: usize) -> u64 {
    if bucket < FINE as usize {
        return bucket as u64;
    }
    let (power, fine) = (bucket as u32 / FINE + 1, bucket as u64 % FINE as u64);
    (FINE as u64 + fine) << (power - 2)
}

impl Histogram {
    /// Counts one value in its bucket.
    pub fn add(&self, value: u64) {
        self.buckets[bucket(value)].fetch_add(1, Relaxed);
        self.sum.fetch_add(value, Relaxed);
    }

    /// How many values were counted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|b| b.load(Relaxed)).sum()
    }

    /// The sum of all values.
    pub fn sum(&self) -> u64 {
        self.sum.load(Relaxed)
    }

    /// The buckets that are not empty: smallest value, count.
    pub fn snapshot(&self) -> Vec<(u64, u64)> {
        let counts = self.buckets.iter().map(|b| b.load(Relaxed)).enumerate();
        counts.filter(|(_, n)| *n > 0).map(|(i, n)| (floor(i), n)).collect()
    }

    /// Forgets all values and their sum.
    pub fn clear(&self) {
        self.buckets.iter().for_each(|b| b.store(0, Relaxed));
        self.sum.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_all_values_in_order() {
        let edges = (0..64).flat_map(|p| [(1u64 << p) - 1, 1 << p, (1 << p) + (1 << p) / 3]);
        let mut values: Vec<u64> = edges.chain([u64::MAX]).collect();
        values.sort_unstable();
        let mut last = 0;
        for v in values {
            let b = bucket(v);
            assert!(b >= last && b < BUCKETS, "{v}");
            assert!(floor(b) <= v && (v - floor(b)) as f64 <= v as f64 * 0.25, "{v}");
            last = b;
        }
    }

    #[test]
    fn values_are_counted_summed_and_forgotten() {
        let h = Histogram::default();
        (1..=1000).for_each(|v| h.add(v));
        assert_eq!((h.count(), h.sum()), (1000, 500_500));
        assert_eq!(h.snapshot().iter().map(|(_, n)| n).sum::<u64>(), 1000);
        h.clear();
        assert_eq!((h.count(), h.sum(), h.snapshot()), (0, 0, vec![]));
    }
}

//! Samples of pages: which pages a scan reads that is to read only a share of them.

use taffrail_base::PageId;

/// The whole of a table, as a share.
const ALL: f64 = 4_294_967_296.0;

/// A choice among pages. The same seed takes the same pages, whatever is on them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Of 2³² pages so many are taken.
    share: u64,
    seed: u64,
}

impl Sample {
    /// A sample of a share of the pages, between 0 and 1.
    pub fn new(share: f64, seed: u64) -> Sample {
        Sample { share: (share.clamp(0.0, 1.0) * ALL) as u64, seed }
    }

    /// Whether the page is one of those that are taken.
    pub(super) fn takes(&self, page: PageId) -> bool {
        mixed(self.seed ^ mixed(page.to_u64())) >> 32 < self.share
    }
}

/// The finisher of SplitMix64: each bit of the result depends on each of the value.
fn mixed(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(share: f64, seed: u64) -> usize {
        let sample = Sample::new(share, seed);
        (0..10_000).filter(|n| sample.takes(PageId::new(1, *n))).count()
    }

    #[test]
    fn a_share_of_the_pages_is_taken() {
        assert_eq!((taken(0.0, 1), taken(1.0, 1)), (0, 10_000));
        for seed in 0..20 {
            let tenth = taken(0.1, seed);
            assert!((850..1150).contains(&tenth), "{tenth} of 10,000 with the seed {seed}");
        }
    }

    #[test]
    fn a_seed_decides_which() {
        let pages = |seed| {
            let sample = Sample::new(0.5, seed);
            (0..64).filter(move |n| sample.takes(PageId::new(1, *n))).collect::<Vec<_>>()
        };
        assert_eq!(pages(7), pages(7));
        assert_ne!(pages(7), pages(8));
    }

    #[test]
    fn a_larger_share_takes_the_pages_of_a_smaller_one() {
        let (small, large) = (Sample::new(0.2, 3), Sample::new(0.6, 3));
        let kept = |n: &u32| small.takes(PageId::new(1, *n));
        assert!((0..1000).filter(kept).all(|n| large.takes(PageId::new(1, n))));
    }
}

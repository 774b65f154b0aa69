//! Pages that are arrays of bits (GAM, IAM, changed extents) or of bytes (PFS), from offset 96 on.

use super::{HEADER_BYTES, Page};

/// Bits that a bitmap page uses: the extents of one interval of 4 GB less a little, SQL Server's number.
pub const BITMAP_BITS: u32 = 63_904;
/// Pages that one PFS page stands for, SQL Server's number.
pub const PFS_PAGES: u32 = 8_088;
/// The bit of a PFS byte that says that the page is allocated.
pub const PFS_ALLOCATED: u8 = 0x40;

impl Page {
    /// The value of one bit.
    #[inline]
    pub fn bit(&self, i: u32) -> bool {
        self.0[HEADER_BYTES + i as usize / 8] >> (i % 8) & 1 == 1
    }

    /// Sets or clears `count` bits.
    pub fn set_bits(&mut self, first: u32, count: u32, value: bool) {
        for i in first..first + count {
            let byte = &mut self.0[HEADER_BYTES + i as usize / 8];
            if value {
                *byte |= 1 << (i % 8);
            } else {
                *byte &= !(1 << (i % 8));
            }
        }
    }

    /// The first set bit in `from..to`.
    pub fn find_set_bit(&self, from: u32, to: u32) -> Option<u32> {
        let mut i = from;
        while i < to {
            let byte = self.0[HEADER_BYTES + i as usize / 8] >> (i % 8);
            if byte != 0 {
                let found = i + byte.trailing_zeros();
                return (found < to).then_some(found);
            }
            i = (i / 8 + 1) * 8;
        }
        None
    }

    /// The runs of set bits in `0..to`, as (first, count).
    pub fn set_runs(&self, to: u32) -> Vec<(u32, u32)> {
        let mut runs = Vec::new();
        let mut at = 0;
        while let Some(first) = self.find_set_bit(at, to) {
            let mut end = first + 1;
            while end < to && self.bit(end) {
                end += 1;
            }
            runs.push((first, end - first));
            at = end;
        }
        runs
    }

    /// The PFS byte of one page.
    #[inline]
    pub fn pfs(&self, i: u32) -> u8 {
        self.0[HEADER_BYTES + i as usize]
    }

    /// The PFS bytes of some pages.
    pub fn pfs_range(&self, first: u32, count: u32) -> &[u8] {
        &self.0[HEADER_BYTES + first as usize..][..count as usize]
    }

    /// Sets the PFS bytes of some pages.
    pub fn set_pfs(&mut self, first: u32, bytes: &[u8]) {
        self.0[HEADER_BYTES + first as usize..][..bytes.len()].copy_from_slice(bytes);
    }
}

/// The runs of zero bits of `byte` among its lowest `n` bits; used for the pages of an extent.
pub fn find_zero_bits(byte: u8, n: u32) -> impl Iterator<Item = u32> {
    (0..n).filter(move |i| byte >> i & 1 == 0)
}

#[cfg(test)]
mod tests {
    use super::super::{Format, PageType};
    use super::*;
    use taffrail_base::PageId;

    #[test]
    fn bits_and_runs() {
        let mut p = Page::zeroed();
        p.format(&Format::new(PageId::new(1, 2), PageType::Gam));
        p.set_bits(5, 20, true);
        p.set_bits(63_900, 4, true);
        p.set_bits(10, 1, false);
        assert_eq!(p.set_runs(BITMAP_BITS), [(5, 5), (11, 14), (63_900, 4)]);
        assert_eq!(p.find_set_bit(25, BITMAP_BITS), Some(63_900));
        assert_eq!(p.find_set_bit(25, 63_900), None);
        assert_eq!(find_zero_bits(0b1010_1111, 8).collect::<Vec<_>>(), [4, 6]);
    }
}

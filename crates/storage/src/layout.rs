//! Where things are in a data file.
//!
//! ```text
//! page   0  file header                    9, 10  boot page, copies A and B      (primary file only, as all below)
//!        1  PFS                               11  IAM of the directory
//!        2  GAM                               12  root of the directory
//!        6  changed extents (DIFF)      16 – 151  double-write region, for this file's pages
//!        7  minimally logged extents         152  first page for users
//! ```
//! GAM, DIFF and ML pages stand for an interval of 511,232 pages and repeat at the same places of each interval; a PFS page
//! stands for 8,088 pages and is the first of them, except that the first PFS page is page 1.

use taffrail_base::{FileId, HobtId, PageId};

use crate::page::{BITMAP_BITS, PFS_PAGES};

/// Pages of an extent.
pub const EXTENT_PAGES: u32 = 8;
/// Pages of an interval.
pub const INTERVAL_PAGES: u32 = BITMAP_BITS * EXTENT_PAGES;
/// The two copies of the boot page.
pub const BOOT_PAGES: [u32; 2] = [9, 10];
/// First IAM page of the directory.
pub const DIRECTORY_IAM: PageId = PageId::new(1, 11);
/// Root of the directory.
pub const DIRECTORY_ROOT: PageId = PageId::new(1, 12);
/// The directory's own id.
pub const DIRECTORY: HobtId = HobtId(64);
/// B-trees that exist from creation are 1 ..= this.
pub const LAST_SYSTEM_HOBT: u64 = 63;
/// Ids from here on are given out by `create_hobt`; SQL Server's user partitions start at the same number.
pub const FIRST_USER_HOBT: u64 = 72_057_594_037_927_936;
/// First page for users in the primary file.
pub const FIRST_USER_PAGE: u32 = 152;
/// The pages of the smallest primary file.
pub const MIN_FILE_PAGES: u32 = 256;

/// The GAM page of the interval that a page lies in.
pub fn gam_of(page: PageId) -> PageId {
    PageId { file: page.file, page: interval_start(page.page) + 2 }
}

/// The first page of the interval that a page lies in.
pub fn interval_start(page: u32) -> u32 {
    page / INTERVAL_PAGES * INTERVAL_PAGES
}

/// The DIFF page of an interval that starts at `start`.
pub fn diff_page(file: FileId, start: u32) -> PageId {
    PageId { file, page: start + 6 }
}

/// The ML page of an interval that starts at `start`.
pub fn ml_page(file: FileId, start: u32) -> PageId {
    PageId { file, page: start + 7 }
}

/// The PFS page of a page, and its index there.
pub fn pfs_of(page: PageId) -> (PageId, u32) {
    let n = page.page / PFS_PAGES;
    let pfs = if n == 0 { 1 } else { n * PFS_PAGES };
    (PageId { file: page.file, page: pfs }, page.page % PFS_PAGES)
}

/// True for pages that the format owns, wherever they lie.
pub fn is_system_page(page: PageId) -> bool {
    page.page % INTERVAL_PAGES < EXTENT_PAGES
        || page.page.is_multiple_of(PFS_PAGES)
        || (page.file.0 == 1 && page.page < FIRST_USER_PAGE)
}

/// The GAM, PFS, DIFF and ML pages of a file with this many pages, PFS pages first.
pub fn bitmap_pages(file: FileId, pages: u32) -> impl Iterator<Item = PageId> {
    let pfs = std::iter::once(1).chain((PFS_PAGES..pages).step_by(PFS_PAGES as usize));
    let intervals = (0..pages).step_by(INTERVAL_PAGES as usize);
    let maps = intervals
        .filter(move |start| pages - start >= EXTENT_PAGES)
        .flat_map(|start| [2, 6, 7].map(|at| start + at));
    pfs.chain(maps).map(move |page| PageId { file, page })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        assert_eq!(pfs_of(PageId::new(1, 100)), (PageId::new(1, 1), 100));
        assert_eq!(pfs_of(PageId::new(1, 8_090)), (PageId::new(1, 8_088), 2));
        assert_eq!(gam_of(PageId::new(1, 511_231)), PageId::new(1, 2));
        assert_eq!(gam_of(PageId::new(1, 511_240)), PageId::new(1, 511_234));
        assert!(is_system_page(PageId::new(1, 8_088)) && !is_system_page(PageId::new(1, 8_089)));
        // No PFS page falls on a GAM, DIFF or ML page of a later interval, in all the pages that there can be.
        for k in 1..=u32::MAX / INTERVAL_PAGES {
            for at in [2, 6, 7] {
                assert!(!(k * INTERVAL_PAGES + at).is_multiple_of(PFS_PAGES));
            }
        }
    }
}

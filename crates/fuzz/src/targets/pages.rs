//! Single pages.

use taffrail_base::PAGE_BYTES;
use taffrail_storage::raw;

use crate::base::{DATA, base};

/// A page as it is, then with a checksum that is right.
pub fn page(input: &[u8]) -> bool {
    let mut page = [0; PAGE_BYTES];
    let n = input.len().min(PAGE_BYTES);
    page[..n].copy_from_slice(&input[..n]);
    raw::read_page(&page);
    raw::mend_pages(&mut page);
    raw::read_page(&page)
}

/// Pages of every type, level and fill: the well formed ones of the base, as they are.
pub fn of_the_base() -> Vec<[u8; PAGE_BYTES]> {
    let bytes = base().bytes(DATA);
    let mut pages: Vec<[u8; PAGE_BYTES]> = Vec::new();
    let mut kinds = std::collections::BTreeMap::<_, usize>::new();
    for page in bytes.as_chunks::<PAGE_BYTES>().0.iter().filter(|p| raw::read_page(p)) {
        // Type and level.
        let n = kinds.entry((page[1], page[2])).or_default();
        *n += 1;
        if *n <= 4 {
            pages.push(*page);
        }
    }
    pages
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut kinds = std::collections::BTreeMap::<_, usize>::new();
    let mut few = |p: &[u8; PAGE_BYTES]| {
        let n = kinds.entry((p[1], p[2])).or_default();
        *n += 1;
        *n <= 2
    };
    of_the_base().into_iter().filter(|p| few(p)).map(|p| p.to_vec()).collect()
}

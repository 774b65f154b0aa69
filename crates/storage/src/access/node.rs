//! Rows of heaps and entries of trees, as bytes.
//!
//! Drawn in docs/engineering/format.md. Whatever lies in a slot of a heap or tree begins with a byte of flags.

use taffrail_base::PageId;

use crate::page::Page;

/// The row is deleted; it stays until its transaction has ended.
pub const GHOST: u8 = 1;
/// The row is elsewhere: this is its stub.
pub const FORWARDING: u8 = 2;
/// The row is here, its stub elsewhere.
pub const FORWARDED: u8 = 4;
/// The last byte says how many bytes at the end are padding, itself included.
pub const PADDED: u8 = 8;

/// Flags and key length.
pub const ENTRY_HEADER: usize = 3;

/// The header of an entry.
#[inline]
pub fn entry_header(flags: u8, key: &[u8]) -> [u8; ENTRY_HEADER] {
    let len = (key.len() as u16).to_le_bytes();
    [flags, len[0], len[1]]
}

/// Key and rest of an entry. Bytes that are no entry give an empty key and rest: checksums have been verified, so this is
/// only about not panicking.
#[inline]
pub fn split_entry(row: &[u8]) -> (&[u8], &[u8]) {
    if row.len() < ENTRY_HEADER {
        return (&[], &[]);
    }
    let len = u16::from_le_bytes([row[1], row[2]]) as usize;
    row[ENTRY_HEADER..].split_at_checked(len).unwrap_or((&[], &[]))
}

/// The key of a slot.
#[inline]
pub fn key_at(page: &Page, slot: usize) -> &[u8] {
    split_entry(page.row(slot)).0
}

/// True for a slot whose row is deleted.
#[inline]
pub fn is_ghost(page: &Page, slot: usize) -> bool {
    page.row(slot).first().is_some_and(|f| f & GHOST != 0)
}

/// Where a key is: `Ok(slot)`, or `Err` with the slot where it would be inserted.
#[inline]
pub fn search(page: &Page, key: &[u8]) -> Result<usize, usize> {
    let mut low = 0;
    let mut high = page.slots() as usize;
    while low < high {
        let middle = (low + high) / 2;
        match key_at(page, middle).cmp(key) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Ok(middle),
        }
    }
    Err(low)
}

/// The child of an interior entry.
pub fn child_at(page: &Page, slot: usize) -> Option<PageId> {
    let child: &[u8; 6] = split_entry(page.row(slot)).1.try_into().ok()?;
    let mut b = [0; 8];
    b[..6].copy_from_slice(child);
    Some(PageId::from_u64(u64::from_le_bytes(b)))
}

/// A child as an interior entry holds it.
pub fn child_bytes(child: PageId) -> [u8; 6] {
    child.to_u64().to_le_bytes()[..6].try_into().expect("six of eight bytes")
}

/// The slot of an interior page under which a key lies.
#[inline]
pub fn slot_for(page: &Page, key: &[u8]) -> usize {
    match search(page, key) {
        Ok(slot) => slot,
        Err(slot) => slot.saturating_sub(1),
    }
}

/// Ghosts among the slots from `from` on.
pub fn count_ghosts(page: &Page, from: usize) -> u16 {
    (from..page.slots() as usize).filter(|&i| is_ghost(page, i)).count() as u16
}

/// The shortest key that is above `left` and not above `right`: separators need not be whole keys.
pub fn separator<'a>(left: &[u8], right: &'a [u8]) -> &'a [u8] {
    let common = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    &right[..(common + 1).min(right.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_entries_are_what_is_drawn() {
        use super::super::{LobRef, Rid, heap};
        use crate::drawn::check;
        let rid = Rid { page: PageId::new(1, 77), slot: 3 }.to_bytes();
        let row = b"a row that is long enough";
        check("heap-row", &heap::encode(0, &[row]), &[("flags", &[0]), ("row", row)]);
        let stub: [(&str, &[u8]); 2] = [("flags", &[FORWARDING]), ("Rid of the row", &rid)];
        check("forwarding-stub", &heap::encode(FORWARDING, &[&rid]), &stub);
        let moved: [(&str, &[u8]); 3] =
            [("flags", &[FORWARDED]), ("Rid of the stub", &rid), ("row", row)];
        check("forwarded-row", &heap::encode(FORWARDED, &[&rid, row]), &moved);
        let leaf: [(&str, &[u8]); 4] =
            [("flags", &[GHOST]), ("length of the key", &[3, 0]), ("key", b"key"), ("value", row)];
        check("leaf-entry", &[&entry_header(GHOST, b"key")[..], b"key", row].concat(), &leaf);
        let child = child_bytes(PageId::new(1, 77));
        let interior: [(&str, &[u8]); 4] = [
            ("flags", &[0]),
            ("length of the key", &[3, 0]),
            ("key", b"key"),
            ("page", &[77, 0, 0, 0, 1, 0]),
        ];
        check(
            "interior-entry",
            &[&entry_header(0, b"key")[..], b"key", &child].concat(),
            &interior,
        );
        let lob = LobRef { first: PageId::new(1, 77), id: 0x0605_0403_0201, length: 20_000 };
        let reference: [(&str, &[u8]); 5] = [
            ("page", &77u32.to_le_bytes()),
            ("file", &1u16.to_le_bytes()),
            ("identity, low", &[1, 2]),
            ("length", &20_000u32.to_le_bytes()),
            ("identity, high", &[3, 4, 5, 6]),
        ];
        check("lob-reference", &lob.to_bytes(), &reference);
    }

    #[test]
    fn separators_separate() {
        for (l, r, want) in [
            (&b"abc"[..], &b"abd"[..], &b"abd"[..]),
            (b"abc", b"b", b"b"),
            (b"ab", b"abcdef", b"abc"),
            (b"", b"xyz", b"x"),
            (b"apple", b"banana", b"b"),
        ] {
            let s = separator(l, r);
            assert_eq!(s, want);
            assert!(s > l && s <= r);
        }
    }
}

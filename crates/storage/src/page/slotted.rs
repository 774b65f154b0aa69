//! Rows behind slots. A row's place on the page may change at any time; its slot changes only where the caller says so.
//!
//! Invariants: (1) `96 ≤ free_start ≤ start of the slots`. (2) Rows lie in `96..free_start` and do not overlap.
//! (3) `free_bytes` = bytes of the page − header − slots − rows.

use taffrail_base::PAGE_BYTES;

use super::{HEADER_BYTES, Page};

/// Bytes of a slot.
pub const SLOT_BYTES: usize = 4;
/// Largest row that fits on an empty page.
pub const MAX_ROW_BYTES: usize = PAGE_BYTES - HEADER_BYTES - SLOT_BYTES;

impl Page {
    #[inline]
    fn slot_at(i: usize) -> usize {
        PAGE_BYTES - SLOT_BYTES * (i + 1)
    }

    /// Offset and length of a slot's row; offset 0 = empty.
    #[inline]
    pub fn slot(&self, i: usize) -> (usize, usize) {
        let at = Self::slot_at(i);
        (self.u16_at(at) as usize, self.u16_at(at + 2) as usize)
    }

    #[inline]
    fn set_slot(&mut self, i: usize, offset: usize, len: usize) {
        let at = Self::slot_at(i);
        self.put_u16(at, offset as u16);
        self.put_u16(at + 2, len as u16);
    }

    /// Where the slots begin.
    #[inline]
    fn slots_start(&self) -> usize {
        PAGE_BYTES - SLOT_BYTES * self.slots() as usize
    }

    /// A slot's row; empty for an empty slot.
    #[inline]
    pub fn row(&self, i: usize) -> &[u8] {
        let (offset, len) = self.slot(i);
        &self.0[offset..offset + len]
    }

    /// A slot's row, to change in place.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [u8] {
        let (offset, len) = self.slot(i);
        &mut self.0[offset..offset + len]
    }

    /// True for a slot below the count that holds a row.
    #[inline]
    pub fn has_row(&self, i: usize) -> bool {
        i < self.slots() as usize && self.slot(i).0 != 0
    }

    /// Makes `len` bytes free in one piece beside `new_slots` more slots; the caller has checked that they are free.
    fn make_room(&mut self, len: usize, new_slots: usize) -> usize {
        let need = len + new_slots * SLOT_BYTES;
        assert!(need <= self.free_bytes() as usize, "page {}: no room for {len} bytes", self.id());
        if self.slots_start() - (self.free_start() as usize) < need {
            self.compact();
        }
        let at = self.free_start() as usize;
        self.set_free_start((at + len) as u16);
        self.set_free_bytes(self.free_bytes() - need as u16);
        at
    }

    fn copy_in(&mut self, mut at: usize, parts: &[&[u8]]) {
        for part in parts {
            self.0[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
    }

    /// Inserts a row, given in parts, as slot `i`; later slots move up by one.
    #[inline]
    pub fn insert_row(&mut self, i: usize, parts: &[&[u8]]) {
        let slots = self.slots() as usize;
        assert!(i <= slots, "page {}: slot {i} of {slots}", self.id());
        let len = parts.iter().map(|p| p.len()).sum();
        let at = self.make_room(len, 1);
        self.copy_in(at, parts);
        if i < slots {
            let start = self.slots_start();
            let end = Self::slot_at(i) + SLOT_BYTES;
            self.0.copy_within(start..end, start - SLOT_BYTES);
        }
        self.set_slots(slots as u16 + 1);
        self.set_slot(i, at, len);
    }

    /// Puts a row into slot `i`, which is empty or the next one after the last.
    pub fn put_row(&mut self, i: usize, parts: &[&[u8]]) {
        let slots = self.slots() as usize;
        if i == slots {
            return self.insert_row(i, parts);
        }
        assert!(!self.has_row(i), "page {}: slot {i} is taken", self.id());
        let len = parts.iter().map(|p| p.len()).sum();
        let at = self.make_room(len, 0);
        self.copy_in(at, parts);
        self.set_slot(i, at, len);
    }

    fn free_row(&mut self, i: usize) {
        let (offset, len) = self.slot(i);
        if offset + len == self.free_start() as usize {
            self.set_free_start(offset as u16);
        }
        self.set_free_bytes(self.free_bytes() + len as u16);
    }

    /// Removes slot `i` and its row; later slots move down by one.
    pub fn remove_row(&mut self, i: usize) {
        let slots = self.slots() as usize;
        assert!(i < slots, "page {}: slot {i} of {slots}", self.id());
        self.free_row(i);
        let start = self.slots_start();
        let end = Self::slot_at(i);
        self.0.copy_within(start..end, start + SLOT_BYTES);
        self.set_slots(slots as u16 - 1);
        self.set_free_bytes(self.free_bytes() + SLOT_BYTES as u16);
    }

    /// Empties slot `i` and drops empty slots at the end.
    pub fn clear_row(&mut self, i: usize) {
        assert!(self.has_row(i), "page {}: slot {i} is empty", self.id());
        self.free_row(i);
        self.set_slot(i, 0, 0);
        let mut slots = self.slots() as usize;
        while slots > 0 && self.slot(slots - 1).0 == 0 {
            slots -= 1;
            self.set_free_bytes(self.free_bytes() + SLOT_BYTES as u16);
        }
        self.set_slots(slots as u16);
    }

    /// Removes all slots from `from` on.
    pub fn truncate_rows(&mut self, from: usize) {
        let slots = self.slots() as usize;
        let mut freed = 0;
        for i in from..slots {
            freed += self.slot(i).1 + SLOT_BYTES;
        }
        self.set_slots(from.min(slots) as u16);
        self.set_free_bytes(self.free_bytes() + freed as u16);
        self.compact();
    }

    /// Replaces `old_len` bytes of row `i` from `at` on by `new`.
    pub fn splice_row(&mut self, i: usize, at: usize, old_len: usize, new: &[u8]) {
        let (offset, len) = self.slot(i);
        assert!(at + old_len <= len, "page {}: slot {i}, {at}+{old_len} of {len}", self.id());
        if new.len() == old_len {
            self.0[offset + at..offset + at + old_len].copy_from_slice(new);
            return;
        }
        let new_row_len = len - old_len + new.len();
        if new_row_len < len {
            // Shrinks: in place; the rest of the old room becomes a gap.
            self.0.copy_within(offset + at + old_len..offset + len, offset + at + new.len());
            self.0[offset + at..offset + at + new.len()].copy_from_slice(new);
            if offset + len == self.free_start() as usize {
                self.set_free_start((offset + new_row_len) as u16);
            }
            self.set_slot(i, offset, new_row_len);
            self.set_free_bytes(self.free_bytes() + (len - new_row_len) as u16);
            return;
        }
        let growth = new_row_len - len;
        assert!(
            growth <= self.free_bytes() as usize,
            "page {}: no room for {growth} more bytes",
            self.id()
        );
        let at_end = offset + len == self.free_start() as usize;
        if at_end && self.slots_start() - (self.free_start() as usize) >= growth {
            self.0.copy_within(offset + at + old_len..offset + len, offset + at + new.len());
            self.0[offset + at..offset + at + new.len()].copy_from_slice(new);
            self.set_free_start((offset + new_row_len) as u16);
            self.set_free_bytes(self.free_bytes() - growth as u16);
            self.set_slot(i, offset, new_row_len);
            return;
        }
        if self.slots_start() - (self.free_start() as usize) >= new_row_len {
            // Moves to the end, where there is room for all of it.
            let to = self.free_start() as usize;
            self.0.copy_within(offset..offset + at, to);
            self.0[to + at..to + at + new.len()].copy_from_slice(new);
            self.0.copy_within(offset + at + old_len..offset + len, to + at + new.len());
            self.set_free_start((to + new_row_len) as u16);
            self.set_free_bytes(self.free_bytes() - growth as u16);
            self.set_slot(i, to, new_row_len);
            return;
        }
        // Moves: out, and in again at the end.
        let mut row = [0u8; PAGE_BYTES];
        row[..at].copy_from_slice(&self.0[offset..offset + at]);
        row[at..at + new.len()].copy_from_slice(new);
        row[at + new.len()..new_row_len]
            .copy_from_slice(&self.0[offset + at + old_len..offset + len]);
        self.free_row(i);
        self.set_slot(i, 0, 0);
        let to = self.make_room(new_row_len, 0);
        self.0[to..to + new_row_len].copy_from_slice(&row[..new_row_len]);
        self.set_slot(i, to, new_row_len);
    }

    /// Moves the rows together, in order of slots.
    pub fn compact(&mut self) {
        // No array on the stack: zeroing a page's bytes takes longer than copying its rows.
        let mut rows = Vec::with_capacity(PAGE_BYTES - HEADER_BYTES);
        for i in 0..self.slots() as usize {
            let (offset, len) = self.slot(i);
            if offset != 0 {
                self.set_slot(i, HEADER_BYTES + rows.len(), len);
                rows.extend_from_slice(&self.0[offset..offset + len]);
            }
        }
        let to = HEADER_BYTES + rows.len();
        self.0[HEADER_BYTES..to].copy_from_slice(&rows);
        self.set_free_start(to as u16);
        debug_assert_eq!(self.slots_start() - to, self.free_bytes() as usize);
    }

    /// The parts of the page that hold something: header with rows, and slots. See [`Page::restore`].
    pub fn image(&self) -> [&[u8]; 2] {
        [&self.0[..self.free_start() as usize], &self.0[self.slots_start()..]]
    }

    /// Makes the page what [`Page::image`] gave, the two parts one after the other; an error if that is no image.
    pub fn restore(&mut self, image: &[u8]) -> Result<(), String> {
        let bad = || String::from("a page image is not well formed");
        if image.len() < HEADER_BYTES || image.len() > PAGE_BYTES {
            return Err(bad());
        }
        let low = u16::from_le_bytes([image[44], image[45]]) as usize;
        let slots = u16::from_le_bytes([image[18], image[19]]) as usize * SLOT_BYTES;
        if low < HEADER_BYTES || low + slots != image.len() {
            return Err(bad());
        }
        self.0[..low].copy_from_slice(&image[..low]);
        self.0[low..PAGE_BYTES - slots].fill(0);
        self.0[PAGE_BYTES - slots..].copy_from_slice(&image[low..]);
        self.validate_structure()
    }

    pub(super) fn validate_slots(&self) -> Result<(), String> {
        let slots = self.slots() as usize;
        let bad = |what: &str| Err(format!("{what} on page {}", self.id()));
        if slots * SLOT_BYTES > PAGE_BYTES - HEADER_BYTES {
            return bad("too many slots");
        }
        let start = self.free_start() as usize;
        if start < HEADER_BYTES || start > self.slots_start() {
            return bad("free space out of range");
        }
        let mut used = 0;
        for i in 0..slots {
            let (offset, len) = self.slot(i);
            if offset == 0 && len == 0 {
                continue;
            }
            if offset < HEADER_BYTES || offset + len > start || len == 0 {
                return bad("row out of range");
            }
            used += len;
        }
        let free = PAGE_BYTES - HEADER_BYTES - slots * SLOT_BYTES;
        if used > free || free - used != self.free_bytes() as usize {
            return bad("free bytes do not add up");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, PageType};
    use super::*;
    use taffrail_base::{HobtId, LogPos, PageId};

    fn page() -> Box<Page> {
        let mut p = Page::zeroed();
        p.format(&Format::new(PageId::new(1, 30), PageType::Heap));
        p
    }

    #[test]
    fn a_header_is_what_is_drawn() {
        let mut p = Page::zeroed();
        p.format(&Format {
            level: 2,
            hobt: HobtId(0x0807_0605_0403_0201),
            object: -2,
            index: 256_000,
            prev: PageId::new(3, 0x0102_0304),
            next: PageId::new(4, 0x0506_0708),
            first_unit: 8088,
            ..Format::new(PageId::new(2, 30), PageType::Index)
        });
        p.set_lsn(LogPos(4097));
        p.set_slots(5);
        p.set_free_start(1000);
        p.set_free_bytes(7000);
        p.set_ghosts(6);
        p.set_reserved_bytes(77);
        p.set_reserved_txn_raw(1234);
        p.set_ghost_txn_raw(1235);
        p.set_lob_id(0x00ab_cdef);
        p.set_database_mark(0x0403_0201);
        p.seal();
        let fields: [(&str, &[u8]); 26] = [
            ("version", &[1]),
            ("type", &[2]),
            ("level", &[2]),
            ("flags", &[0]),
            ("CRC-32C", &p.crc().to_le_bytes()),
            ("LSN", &4097u64.to_le_bytes()),
            ("file", &2u16.to_le_bytes()),
            ("slots", &5u16.to_le_bytes()),
            ("page", &30u32.to_le_bytes()),
            ("HoBt", &[1, 2, 3, 4, 5, 6, 7, 8]),
            ("file of the page before", &3u16.to_le_bytes()),
            ("file of the page after", &4u16.to_le_bytes()),
            ("page before", &0x0102_0304_u32.to_le_bytes()),
            ("page after", &0x0506_0708_u32.to_le_bytes()),
            ("end of the rows", &1000u16.to_le_bytes()),
            ("free bytes", &7000u16.to_le_bytes()),
            ("ghosts", &6u16.to_le_bytes()),
            ("reserved bytes", &77u16.to_le_bytes()),
            ("first unit", &8088u32.to_le_bytes()),
            ("reserving transaction", &1234u64.to_le_bytes()),
            ("ghosting transaction", &1235u64.to_le_bytes()),
            ("object", &(-2i32).to_le_bytes()),
            ("index", &256_000i32.to_le_bytes()),
            ("identity", &0x00ab_cdef_u64.to_le_bytes()),
            ("database", &[1, 2, 3, 4]),
            ("zero", &[0; 4]),
        ];
        crate::drawn::check("page-header", &p.bytes()[..HEADER_BYTES], &fields);
    }

    /// Random operations against a vector of vectors.
    #[test]
    fn rows_are_what_was_put_in() {
        for seed in 0..200u64 {
            let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = move |n: usize| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                (x % n as u64) as usize
            };
            let mut p = page();
            let mut model: Vec<Vec<u8>> = Vec::new();
            for step in 0..400 {
                let bytes = |n: usize| vec![step as u8; n];
                match next(4) {
                    0 | 1 => {
                        let len = 1 + next(300);
                        if len + SLOT_BYTES <= p.free_bytes() as usize {
                            let i = next(model.len() + 1);
                            let row = bytes(len);
                            p.insert_row(i, &[&row[..len / 2], &row[len / 2..]]);
                            model.insert(i, row);
                        }
                    }
                    2 if !model.is_empty() => {
                        let i = next(model.len());
                        p.remove_row(i);
                        model.remove(i);
                    }
                    3 if !model.is_empty() => {
                        let i = next(model.len());
                        let at = next(model[i].len());
                        let old = next(model[i].len() - at + 1);
                        let new = bytes(next(200));
                        let len = model[i].len() - old + new.len();
                        if len > 0 && new.len().saturating_sub(old) <= p.free_bytes() as usize {
                            p.splice_row(i, at, old, &new);
                            model[i].splice(at..at + old, new);
                        }
                    }
                    _ => {}
                }
                assert_eq!(p.validate_structure(), Ok(()));
                assert_eq!(p.slots() as usize, model.len());
            }
            for (i, row) in model.iter().enumerate() {
                assert_eq!(p.row(i), row);
            }
            let image = p.image().concat();
            let mut q = page();
            q.restore(&image).unwrap();
            assert_eq!(q.image().concat(), image);
            let half = model.len() / 2;
            p.truncate_rows(half);
            assert_eq!(p.validate_structure(), Ok(()));
            assert!((0..half).all(|i| p.row(i) == model[i]));
        }
    }

    #[test]
    fn heap_slots_stay_where_they_are() {
        let mut p = page();
        for i in 0..5u8 {
            p.put_row(i as usize, &[&[i; 10]]);
        }
        p.clear_row(1);
        assert!(!p.has_row(1) && p.row(3) == [3; 10] && p.slots() == 5);
        p.put_row(1, &[&[9; 20]]);
        assert_eq!(p.row(1), [9; 20]);
        p.clear_row(3);
        p.clear_row(4);
        assert_eq!(p.slots(), 3);
        assert_eq!(p.validate_structure(), Ok(()));
    }

    #[test]
    fn damage_is_noticed() {
        let mut p = page();
        p.put_row(0, &[b"hello"]);
        p.seal();
        assert_eq!(p.validate(PageId::new(1, 30)), Ok(()));
        assert!(p.validate(PageId::new(1, 31)).unwrap_err().contains("pageid"));
        p.0[100] ^= 1;
        assert!(p.validate(PageId::new(1, 30)).unwrap_err().contains("checksum"));
        p.0[100] ^= 1;
        p.set_slot(0, 8000, 500);
        assert!(p.validate_structure().is_err());
    }
}

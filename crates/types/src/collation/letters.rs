//! Text as CHECKSUM takes it: its letters, without what weighs less.

use super::{Collation, IGNORES_ACCENTS, IGNORES_CASE, IGNORES_KANA, IGNORES_WIDTH, windows};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

impl Collation {
    /// One unit for each letter of a text under a collation of Windows, the first that has its weight: texts that are equal have the
    /// same. (In an alphabet with letters of two characters these are units that stand for no character.)
    pub fn letters(self, text: impl Iterator<Item = u16>) -> Vec<u16> {
        let folded = windows::folded(self, text);
        if !windows::is_root(self) {
            let bytes = windows::letter_bytes(self, &folded);
            return bytes
                .chunks(2)
                .map(|b| b.iter().fold(0, |u, b| u << 8 | u16::from(*b)))
                .collect();
        }
        let firsts = self.firsts();
        let letters = folded.iter().filter(|u| !windows::is_mark(**u));
        letters.map(|u| firsts[usize::from(*u)]).collect()
    }

    /// Of each unit the first whose letter is the same.
    fn firsts(self) -> &'static [u16] {
        static ALL: Mutex<BTreeMap<u32, &'static [u16]>> = Mutex::new(BTreeMap::new());
        // By alphabet and version alone.
        let number = self.version() << 17 | u32::from(self.family());
        let all_ignored = IGNORES_CASE | IGNORES_ACCENTS | IGNORES_KANA | IGNORES_WIDTH;
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(number).or_insert_with(|| {
            let ranks = windows::ranks(Collation(number | all_ignored));
            let mut first = vec![None; ranks.len()];
            let units = 0..=u16::MAX;
            let of = |u: u16| *first[usize::from(ranks[usize::from(u)])].get_or_insert(u);
            Vec::leak(units.map(of).collect())
        })
    }
}

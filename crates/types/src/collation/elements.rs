//! Text as searches and patterns take it under a linguistic collation: by letters. A ligature is several, a letter with its combining
//! marks is one, and what weighs nothing belongs to the letter before it.

use super::{Collation, Weights, windows};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// A letter of a text, with its weights.
#[derive(Clone, Copy, Debug)]
struct Letter {
    /// Equal weights are equal letters; those of single code units order as these do.
    weight: u32,
    /// The weight of the character that the letter belongs to.
    whole: u32,
    /// Where that character begins, in code units.
    at: u32,
    /// The letter is the first one of its character.
    first: bool,
}

/// The letters of a text.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    letters: Vec<Letter>,
    /// The code units of the text.
    units: usize,
}

impl Elements {
    /// How many letters there are.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether there is no letter.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// The weight of a letter.
    #[inline]
    pub fn weight(&self, at: usize) -> u32 {
        self.letters[at].weight
    }

    /// The weight of the character that begins at a letter.
    pub fn whole(&self, at: usize) -> u32 {
        self.letters[at].whole
    }

    /// Whether a character begins at a letter, or the text ends there.
    #[inline]
    pub fn begins(&self, at: usize) -> bool {
        self.letters.get(at).is_none_or(|l| l.first)
    }

    /// How many letters the character has that begins at a letter.
    pub fn span(&self, at: usize) -> usize {
        let rest = self.letters.get(at + 1..).unwrap_or_default();
        1 + rest.iter().take_while(|l| !l.first).count()
    }

    /// Where the character of a letter begins, in code units; the end of the text behind the last one.
    pub fn unit(&self, at: usize) -> usize {
        self.letters.get(at).map_or(self.units, |l| l.at as usize)
    }

    /// The first letter of a character that begins at a code unit or behind it.
    pub fn from_unit(&self, unit: usize) -> usize {
        self.letters.partition_point(|l| (l.at as usize) < unit)
    }

    /// Where these letters are found first as whole characters, at one of the letters of a range.
    pub fn find(&self, wanted: &Elements, places: Range<usize>) -> Option<usize> {
        let end = (self.len() + 1).checked_sub(wanted.len())?;
        (places.start..places.end.min(end)).find(|&at| {
            self.begins(at)
                && self.begins(at + wanted.len())
                && (0..wanted.len()).all(|i| self.weight(at + i) == wanted.weight(i))
        })
    }
}

impl Weights {
    /// The first code unit of each rank, in their order.
    fn firsts(self) -> &'static [u16] {
        let Some(ranks) = self.1 else { return &[] };
        ranks.firsts.get_or_init(|| {
            let of_units = ranks.units(self.0);
            let most = of_units.iter().max().map_or(0, |r| usize::from(*r) + 1);
            let mut firsts = vec![None; most];
            for (unit, rank) in (0..=u16::MAX).zip(of_units) {
                firsts[usize::from(*rank)].get_or_insert(unit);
            }
            firsts.into_iter().map(Option::unwrap_or_default).collect()
        })
    }
}

impl Collation {
    /// Whether texts are searched by letters: the collation is one of Windows.
    pub fn is_linguistic(self) -> bool {
        !self.is_simple()
    }

    /// Whether a text has a character that is not one letter of one code unit.
    pub fn is_spelled(self, mut text: impl Iterator<Item = u16>) -> bool {
        self.is_linguistic()
            && text.any(|u| {
                u >= 0x80
                    && (windows::is_mark(u)
                        || windows::letters_of(self, u).is_some()
                        || windows::is_weightless(self, u))
            })
    }

    /// The letters of a text under a collation that [`Collation::is_linguistic`].
    pub fn elements(self, text: &[u16]) -> Elements {
        let weights = self.weights();
        let rank = |u: u16| u32::from(weights.unit(u));
        let mut out = Elements { letters: Vec::with_capacity(text.len()), units: text.len() };
        let (mut at, mut start) = (0, 0);
        while at < text.len() {
            let u = text[at];
            at += 1;
            if windows::is_weightless(self, u) {
                // A weightless unit belongs to the character behind it where none precedes it.
                continue;
            }
            let marks = at;
            while text
                .get(at)
                .is_some_and(|u| windows::is_mark(*u) || windows::is_weightless(self, *u))
            {
                at += 1;
            }
            let marks = &text[marks..at];
            let pair = self.is_supplementary() && (0xD800..0xDC00).contains(&u);
            let low = text.get(at).filter(|low| pair && (0xDC00..0xE000).contains(*low));
            let one = [u as u8];
            let ascii = windows::letters_of(self, u);
            let whole = self.marked(weights, u, marks);
            let letters = ascii.unwrap_or(&one);
            for (n, letter) in letters.iter().enumerate() {
                let letter = if ascii.is_some() { u16::from(*letter) } else { u };
                let last = n + 1 == letters.len();
                let weight = match last {
                    true if letter == u => whole,
                    true => self.marked(weights, letter, marks),
                    false => rank(letter),
                };
                out.letters.push(Letter { weight, whole, at: start as u32, first: n == 0 });
            }
            if let Some(low) = low {
                let weight = rank(*low);
                out.letters.push(Letter { weight, whole, at: start as u32, first: false });
                at += 1;
            }
            start = at;
        }
        out
    }

    /// The weight of a letter with its marks: that of the code unit which is both, else a number of its own above all others.
    fn marked(self, weights: Weights, letter: u16, marks: &[u16]) -> u32 {
        if !marks.iter().any(|m| windows::is_mark(*m)) {
            return u32::from(weights.unit(letter));
        }
        let mut all = vec![letter];
        all.extend_from_slice(marks);
        let key = windows::key_of_all(self, &all);
        let firsts = weights.firsts();
        match firsts.binary_search_by(|u| windows::key_of(self, *u).cmp(&key)) {
            Ok(rank) => rank as u32,
            Err(_) => {
                let mut hasher = DefaultHasher::new();
                key.hash(&mut hasher);
                0x1_0000 | (hasher.finish() as u32)
            }
        }
    }
}

//! Sets of slots.

use crate::expr::Slot;
use smallvec::{SmallVec, smallvec};

/// A set of slots: a bit for each. Those of most statements, below 128, take no memory of their own.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SlotSet(SmallVec<[u64; 2]>);

impl SlotSet {
    /// All slots below `count`.
    pub fn all(count: usize) -> SlotSet {
        let mut set = SlotSet(smallvec![u64::MAX; count / 64]);
        if !count.is_multiple_of(64) {
            set.0.push((1 << (count % 64)) - 1);
        }
        set
    }

    /// Adds one.
    pub fn insert(&mut self, slot: Slot) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    /// Whether it is there.
    pub fn contains(&self, slot: Slot) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|w| w & (1 << (slot % 64)) != 0)
    }

    /// Takes the slots of another set away.
    pub fn remove_all(&mut self, other: &SlotSet) {
        self.0.iter_mut().zip(other.0.iter()).for_each(|(w, o)| *w &= !o);
    }

    /// Adds the slots of another set.
    pub fn add_all(&mut self, other: &SlotSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(other.0.iter()).for_each(|(w, o)| *w |= o);
    }

    /// The slots that both have, ascending.
    pub fn common(&self, other: &SlotSet) -> Vec<Slot> {
        let both = self.0.iter().zip(other.0.iter()).map(|(a, b)| a & b);
        both.enumerate().flat_map(|(at, w)| bits(at, w)).collect()
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        self.0.iter().enumerate().flat_map(|(at, w)| bits(at, *w))
    }
}

/// The bits of a word, ascending.
fn bits(at: usize, word: u64) -> impl Iterator<Item = Slot> {
    let lowest_away = |w: &u64| Some(w & (w - 1)).filter(|w| *w != 0);
    let words = std::iter::successors(Some(word).filter(|w| *w != 0), lowest_away);
    words.map(move |w| (at * 64) as Slot + w.trailing_zeros() as Slot)
}

impl Extend<Slot> for SlotSet {
    fn extend<I: IntoIterator<Item = Slot>>(&mut self, slots: I) {
        slots.into_iter().for_each(|s| self.insert(s));
    }
}

impl FromIterator<Slot> for SlotSet {
    fn from_iter<I: IntoIterator<Item = Slot>>(slots: I) -> SlotSet {
        let mut set = SlotSet::default();
        set.extend(slots);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_as_sets() {
        let a: SlotSet = [1, 63, 64, 200].into_iter().collect();
        let b: SlotSet = [63, 65, 200].into_iter().collect();
        assert_eq!(a.common(&b), [63, 200]);
        let mut c = a.clone();
        c.remove_all(&b);
        assert_eq!(c.iter().collect::<Vec<_>>(), [1, 64]);
        c.add_all(&b);
        assert_eq!(c.iter().collect::<Vec<_>>(), [1, 63, 64, 65, 200]);
        assert!(!a.contains(1000));
        assert_eq!(SlotSet::all(65).iter().count(), 65);
        assert_eq!(SlotSet::all(64).iter().count(), 64);
    }
}

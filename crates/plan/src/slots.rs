//! Sets of slots.

use crate::expr::Slot;

/// A set of slots: a bit for each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SlotSet(Vec<u64>);

impl SlotSet {
    /// All slots below `count`.
    pub fn all(count: usize) -> SlotSet {
        let mut set = SlotSet(vec![u64::MAX; count / 64]);
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
        self.0.iter_mut().zip(&other.0).for_each(|(w, o)| *w &= !o);
    }

    /// Adds the slots of another set.
    pub fn add_all(&mut self, other: &SlotSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(w, o)| *w |= o);
    }

    /// The slots that both have, ascending.
    pub fn common(&self, other: &SlotSet) -> Vec<Slot> {
        let both = self.0.iter().zip(&other.0).map(|(a, b)| a & b);
        both.enumerate().flat_map(|(at, w)| bits(at, w)).collect()
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        self.0.iter().enumerate().flat_map(|(at, w)| bits(at, *w))
    }
}

fn bits(at: usize, word: u64) -> impl Iterator<Item = Slot> {
    (0..64).filter(move |n| word & (1 << n) != 0).map(move |n| (at * 64) as Slot + n)
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

//! A map from key values to numbers of rows or groups.
//!
//! A large one lies beyond the processor's caches, so a look-up waits for memory, and so does all that is kept by the number it gives.
//! Who has many keys hands them in together ([`KeyMap::insert_all`]): their places are asked for at once, and the waits overlap.

use crate::memory::Held;
use std::hint::black_box;
use taffrail_types::{Collation, Value, compare};

pub struct KeyMap {
    /// A power of two of places, or none; a key's is the first free one from where its hash points to.
    places: Vec<Place>,
    count: u32,
    /// The keys, flat, by number.
    keys: Vec<Value>,
    width: usize,
    collations: Vec<Collation>,
    /// Of keys that are handed in together.
    hashes: Vec<u64>,
    held: Held,
}

#[derive(Clone, Copy)]
struct Place {
    hash: u64,
    at: u32,
}

const FREE: Place = Place { hash: 0, at: u32::MAX };

const _: () = assert!(size_of::<Place>() == 16);

/// So many places a map begins with.
const FIRST: usize = 16;

impl KeyMap {
    pub fn new(collations: Vec<Collation>) -> KeyMap {
        KeyMap {
            places: Vec::new(),
            count: 0,
            keys: Vec::new(),
            width: collations.len(),
            collations,
            hashes: Vec::new(),
            held: Held::default(),
        }
    }

    pub fn clear(&mut self) {
        if self.count > 0 {
            self.places.fill(FREE);
            self.count = 0;
        }
        self.keys.clear();
        self.held.clear();
        self.held.add(size_of_val(&*self.places));
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// The bytes that the map takes once it has so many keys more, but for those keys.
    #[inline]
    pub(crate) fn bytes_with(&self, more: usize) -> usize {
        let grows = (self.len() + more) * 4 > self.places.len() * 3;
        self.held.bytes() + if grows { size_of_val(&*self.places) } else { 0 }
    }

    /// An empty map for such keys.
    pub fn emptied(&self) -> KeyMap {
        KeyMap::new(self.collations.clone())
    }

    /// A key's hash.
    pub fn hash(&self, key: &[Value]) -> u64 {
        let mut h = 0x9e37_79b9_7f4a_7c15_u64;
        for (v, c) in key.iter().zip(&self.collations) {
            let x = compare::hash(v, *c);
            h = (h ^ x).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31);
        }
        h
    }

    /// One whole number that is not 0 (as NULL is) is told by its hash: [`KeyMap::hash`] and what it is made of can be reversed.
    #[inline]
    fn is_its_hash(key: &[Value]) -> bool {
        matches!(key, [v] if v.as_i64().is_some_and(|n| n != 0))
    }

    /// Whether the key of this number, whose hash is the same, is `key`.
    #[inline]
    fn same(&self, at: u32, key: &[Value]) -> bool {
        let mut pairs = self.key(at as usize).iter().zip(key).zip(&self.collations);
        if Self::is_its_hash(key) {
            debug_assert!(pairs.all(|((a, b), c)| compare::compare(a, b, *c).is_eq()));
            return true;
        }
        pairs.all(|((a, b), c)| compare::compare(a, b, *c).is_eq())
    }

    /// The number of a key, or the place that is free for it. There are places.
    #[inline]
    fn look(&self, hash: u64, key: &[Value]) -> Result<u32, usize> {
        let mask = self.places.len() - 1;
        let mut n = hash as usize & mask;
        loop {
            let place = self.places[n];
            if place.at == FREE.at {
                return Err(n);
            }
            if place.hash == hash && self.same(place.at, key) {
                return Ok(place.at);
            }
            n = (n + 1) & mask;
        }
    }

    pub fn find(&self, key: &[Value]) -> Option<u32> {
        match self.count {
            0 => None,
            _ => self.look(self.hash(key), key).ok(),
        }
    }

    /// Room for so many more keys: a quarter of the places stays free.
    #[inline]
    fn make_room(&mut self, more: usize) {
        if (self.len() + more) * 4 > self.places.len() * 3 {
            self.grow(more);
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let wanted = ((self.len() + more) * 4).div_ceil(3).next_power_of_two().max(FIRST);
        self.held.add((wanted - self.places.len()) * size_of::<Place>());
        let before = std::mem::replace(&mut self.places, vec![FREE; wanted]);
        let mask = wanted - 1;
        for place in before.into_iter().filter(|p| p.at != FREE.at) {
            let mut n = place.hash as usize & mask;
            while self.places[n].at != FREE.at {
                n = (n + 1) & mask;
            }
            self.places[n] = place;
        }
    }

    /// The key's number, and whether it is new. A new key is taken out of `key`.
    pub fn insert(&mut self, key: &mut Vec<Value>) -> (u32, bool) {
        self.make_room(1);
        let hash = self.hash(key);
        match self.look(hash, key) {
            Ok(at) => (at, false),
            Err(free) => {
                self.held.values(key);
                self.keys.append(key);
                (self.take(free, hash), true)
            }
        }
    }

    /// Gives a place to a new key.
    fn take(&mut self, place: usize, hash: u64) -> u32 {
        let at = self.count;
        self.places[place] = Place { hash, at };
        self.count += 1;
        at
    }

    /// The numbers of keys that lie one behind the other, which are taken out of `keys`. New ones have the next numbers in their order.
    pub(crate) fn insert_all(&mut self, keys: &mut Vec<Value>, numbers: &mut Vec<u32>) {
        numbers.clear();
        self.make_room(keys.len() / self.width);
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        hashes.extend(keys.chunks_exact(self.width).map(|key| self.hash(key)));
        self.fetch(&hashes, keys);
        for (key, hash) in keys.chunks_exact_mut(self.width).zip(&hashes) {
            let at = self.look(*hash, key).unwrap_or_else(|free| {
                self.held.values(key);
                self.keys.extend(key.iter_mut().map(std::mem::take));
                self.take(free, *hash)
            });
            numbers.push(at);
        }
        keys.clear();
        self.hashes = hashes;
    }

    /// Has what a look-up reads brought near, all of it at once.
    fn fetch(&self, hashes: &[u64], keys: &[Value]) {
        let mask = self.places.len() - 1;
        let at = |hash: &u64| self.places[*hash as usize & mask].at;
        if Self::is_its_hash(&keys[..self.width]) {
            black_box(hashes.iter().fold(0, |seen, hash| seen ^ at(hash)));
            return;
        }
        let of_key = |hash| self.keys.get(at(hash) as usize * self.width);
        let nulls = hashes.iter().filter(|hash| of_key(hash).is_some_and(Value::is_null));
        black_box(nulls.count());
    }

    pub fn key(&self, at: usize) -> &[Value] {
        &self.keys[at * self.width..(at + 1) * self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINARY: Collation = Collation::LATIN1_GENERAL_BIN2;

    fn text(n: i64) -> Value {
        Value::VarChar(taffrail_types::Bytes::from_slice(n.to_string().as_bytes()))
    }

    /// Numbers, NULL, and pairs whose halves repeat: what one by one gets which number, all together get, too.
    #[test]
    fn keys_have_the_same_numbers_one_by_one_and_together() {
        let number = |n: i64| match n % 5 {
            0 => vec![Value::Null],
            _ => vec![Value::BigInt(n * n % 701)],
        };
        let pair = |n: i64| vec![text(n % 13), Value::Int((n % 7) as i32)];
        for (width, key) in [(1, &number as &dyn Fn(i64) -> Vec<Value>), (2, &pair)] {
            let mut single = KeyMap::new(vec![BINARY; width]);
            let mut together = KeyMap::new(vec![BINARY; width]);
            let (mut expected, mut got) = (Vec::new(), Vec::new());
            for batch in 0..40_i64 {
                let rows = batch * 50..(batch + 1) * 50;
                expected.extend(rows.clone().map(|n| single.insert(&mut key(n)).0));
                let mut numbers = Vec::new();
                together.insert_all(&mut rows.flat_map(key).collect(), &mut numbers);
                got.extend(numbers);
            }
            assert_eq!(expected, got);
            assert_eq!(single.len(), together.len());
            for n in 0..2000 {
                let at = together.find(&key(n)).expect("it was handed in");
                assert_eq!(at, expected[n as usize]);
                assert_eq!(together.key(at as usize), key(n));
            }
            let other = vec![Value::BigInt(-1); width];
            assert_eq!(together.find(&other), None);
            together.clear();
            assert_eq!((together.len(), together.find(&key(1))), (0, None));
            assert_eq!(together.insert(&mut key(1)), (0, true));
        }
    }

    /// Without a key all rows are of one group.
    #[test]
    fn a_key_of_no_columns_is_one_key() {
        let mut map = KeyMap::new(Vec::new());
        assert_eq!(map.find(&[]), None);
        assert_eq!(map.insert(&mut Vec::new()), (0, true));
        assert_eq!(map.insert(&mut Vec::new()), (0, false));
        assert_eq!((map.len(), map.find(&[])), (1, Some(0)));
    }
}

//! Single code units among each other.

use super::super::Collation;
use super::forms::WIDTH;
use super::{append_key, weights};

/// The key of a single unit, among those of others.
pub fn key_of(c: Collation, u: u16) -> Vec<u8> {
    let mut key = Vec::new();
    match u {
        // Blanks at an end would not count.
        0x20 | 0x3000 => {
            weights(c).append(&[0x20], &mut key);
            key.push(0);
            key.extend((u != 0x20 && !c.ignores_width()).then_some(WIDTH + 2));
            key.extend([0, 0]);
        }
        // Halves of pairs are told apart.
        0xD800..=0xDFFF if c.version() > 0 => {
            key.push(0xFF);
            key.extend(u.to_be_bytes());
        }
        _ => append_key(c, [u].into_iter(), &mut key),
    }
    key
}

/// The key of a character of several units: a letter with its marks.
pub fn key_of_all(c: Collation, units: &[u16]) -> Vec<u8> {
    let mut key = Vec::new();
    append_key(c, units.iter().copied(), &mut key);
    key
}

/// Each unit's rank among all: equal ranks are equal characters.
pub fn ranks(c: Collation) -> Box<[u16]> {
    let mut keys: Vec<(Vec<u8>, u16)> = (0..=u16::MAX).map(|u| (key_of(c, u), u)).collect();
    keys.sort();
    let mut out = vec![0u16; 0x1_0000].into_boxed_slice();
    let mut rank = 0;
    for at in 0..keys.len() {
        if at > 0 && keys[at].0 != keys[at - 1].0 {
            rank += 1;
        }
        out[usize::from(keys[at].1)] = rank;
    }
    out
}

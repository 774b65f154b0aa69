//! SQL Server's own sort orders for text of code page 1252: 51 (`_CS_AS`), 53 (`Pref_CP1_CI_AS`), 54 (`_CI_AI`).
//!
//! Letters decide over the whole text, then accents, then (51) case, the upper one first. `æ` is a and e, `ß` two s, and the accents tell
//! them apart. Every other byte has one rank. The shorter text is padded with blanks.
//!
//! A key is the letters with an end as [`super`] describes it, then for each further level its ranks (those at the end that say nothing
//! left out) and a zero.

use super::sort_tables::{ACCENT, PRIMARY, RANK_54};
use super::{beside, finish, mix};
use std::cmp::Ordering;

const BLANK: u8 = 32;

/// The letters of a byte.
fn letters(b: u8) -> (u8, Option<u8>) {
    match b {
        0xC6 | 0xE6 => (PRIMARY[b'a' as usize], Some(PRIMARY[b'e' as usize])),
        0xDF => (PRIMARY[b's' as usize], Some(PRIMARY[b's' as usize])),
        _ => (PRIMARY[b as usize], None),
    }
}

fn primaries(text: &[u8]) -> impl Iterator<Item = u8> + Clone + '_ {
    text.iter().flat_map(|b| {
        let (first, second) = letters(*b);
        std::iter::once(first).chain(second)
    })
}

fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
    &text[..end]
}

fn accent(order: u8, b: u8) -> u8 {
    if order == 54 { RANK_54[b as usize] } else { ACCENT[b as usize] }
}

/// Upper case comes first.
fn is_lower(b: u8) -> bool {
    matches!(b, b'a'..=b'z' | 0xE0..=0xF6 | 0xF8..=0xFE)
}

/// A byte's rank among all: letter, accent and what else the order tells apart.
pub fn rank(order: u8, b: u8) -> u16 {
    let case = order == 51 && is_lower(b);
    u16::from(accent(order, b)) * 2 + u16::from(case)
}

pub fn compare(order: u8, a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (trimmed(a), trimmed(b));
    let (mut x, mut y) = (primaries(a), primaries(b));
    loop {
        let (p, q) = match (x.next(), y.next()) {
            (None, None) => break,
            (p, q) => (p.unwrap_or(BLANK), q.unwrap_or(BLANK)),
        };
        if p != q {
            return p.cmp(&q);
        }
    }
    let accents = |t: &'_ [u8]| t.iter().map(|c| accent(order, *c)).collect::<Vec<u8>>();
    let plain = |t: &[u8]| t.is_ascii();
    let by_accent = match plain(a) && plain(b) {
        true => Ordering::Equal,
        false => accents(a).cmp(&accents(b)),
    };
    by_accent.then_with(|| match order {
        51 => a.iter().map(|c| is_lower(*c)).cmp(b.iter().map(|c| is_lower(*c))),
        _ => Ordering::Equal,
    })
}

/// The beginning that the keys of all text have which begins with this one.
pub fn beginning(text: &[u8], out: &mut Vec<u8>) {
    let all = primaries(trimmed(text));
    for (i, p) in all.clone().enumerate() {
        let next = all.clone().skip(i + 1).map(u16::from);
        match p.cmp(&BLANK) {
            Ordering::Less => out.push(p),
            Ordering::Equal => out.push(beside(TERMINATOR.into(), BLANK.into(), next) as u8),
            Ordering::Greater => out.push(p + 2),
        }
    }
}

/// The end of the letters: the blank's place.
const TERMINATOR: u8 = BLANK + 1;

pub fn key(order: u8, text: &[u8], out: &mut Vec<u8>) {
    let text = trimmed(text);
    beginning(text, out);
    out.push(TERMINATOR);
    // The accents of what is not accented follow from the letters.
    let says = |b: &u8| !b.is_ascii() && accent(order, *b) != least_accent(order, *b);
    let end = text.iter().rposition(says).map_or(0, |i| i + 1);
    out.extend(text[..end].iter().map(|b| accent(order, *b) + 1));
    out.push(0);
    if order == 51 {
        out.extend(text.iter().map(|b| 1 + u8::from(is_lower(*b))));
        out.push(0);
    }
}

/// The accent rank of a byte's letter without an accent.
fn least_accent(order: u8, b: u8) -> u8 {
    let letter = PRIMARY[b as usize];
    match PRIMARY.iter().position(|p| *p == letter) {
        Some(first) if !matches!(b, 0xC6 | 0xE6 | 0xDF) => accent(order, first as u8),
        _ => 0,
    }
}

pub fn hash(text: &[u8]) -> u64 {
    finish(primaries(trimmed(text)).fold(super::SEED, |h, p| mix(h, p.into())))
}

//! Collations: equality and order of text, and bytes that keep that order.
//!
//! | collation | char, varchar (code page 1252) | nchar, nvarchar (UTF-16) |
//! |---|---|---|
//! | `SQL_Latin1_General_CP1_CI_AS` | one weight per byte, as SQL sort order 52: no expansions (`ß` is not `ss`) | one weight per code unit |
//! | `Latin1_General_BIN2` | the bytes | the code units |
//! | `Latin1_General_BIN` | the bytes | the first code unit, then the bytes of the others, the low one first |
//!
//! The weights are our own frozen tables ([`tables`]). Where SQL Server orders nvarchar by Windows' linguistic rules
//! (hyphens nearly ignored, `ß` = `ss`), this order is simpler: one code unit, one weight, the same order for a
//! varchar and its nvarchar. Case folding beyond U+024F is Unicode's simple one.
//!
//! Comparison pads the shorter text with blanks: `'a' = 'a  '`, and a control character sorts below the end.
//!
//! # Sort keys
//! A key is the weights of the text without its trailing blanks, then a terminator, so that memcmp of keys is the
//! order of texts, and no key is the beginning of another. The end of a text stands for blanks without end, so what
//! follows a run of blanks decides whether the run sorts before or after an end at the same place: a run followed by
//! a smaller character (a control character) is written with a weight below the terminator, any other above it.
//!
//! ```text
//!   'a\x01'   a 01                 'a' + '\x01' < 'a' + blank
//!   'a \x01'  a BLANK-1 01
//!   'a'       a BLANK              the terminator
//!   'a b'     a BLANK+1 b
//! ```
//! Weights are one byte for varchar and two (big-endian) for nvarchar. BIN2 shifts what is above the blank by two and
//! escapes the two values that this pushes out at the top.

mod tables;

use crate::codepage::{decode_1252, units};
use std::cmp::Ordering;
use tables::{BLANK, BYTE_BLANK, BYTES, LOWER, SYMBOLS, UNITS};

/// A collation: the order and equality of text, and the code page of char and varchar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u16)]
pub enum Collation {
    /// The default: code page 1252, case-insensitive, accent-sensitive.
    #[default]
    SqlLatin1GeneralCp1CiAs = 1,
    /// Code page 1252, by code point.
    Latin1GeneralBin2 = 2,
    /// The older form of that: equality is the same, the order of nvarchar is not.
    Latin1GeneralBin = 3,
}

/// LCID 1033 with ignore-case, ignore-kana, ignore-width; the sort id follows.
const TDS_CI_AS: [u8; 5] = [0x09, 0x04, 0xD0, 0x00, 52];
/// LCID 1033 with the BIN2 flag.
const TDS_BIN2: [u8; 5] = [0x09, 0x04, 0x00, 0x02, 0];
/// LCID 1033 with the BIN flag.
const TDS_BIN: [u8; 5] = [0x09, 0x04, 0x00, 0x01, 0];

impl Collation {
    /// All of them.
    pub const ALL: [Collation; 3] = [
        Collation::SqlLatin1GeneralCp1CiAs,
        Collation::Latin1GeneralBin2,
        Collation::Latin1GeneralBin,
    ];

    /// By name, in any case.
    pub fn from_name(name: &str) -> Option<Collation> {
        Collation::ALL.into_iter().find(|c| c.name().eq_ignore_ascii_case(name))
    }

    /// SQL Server's name.
    pub fn name(self) -> &'static str {
        match self {
            Collation::SqlLatin1GeneralCp1CiAs => "SQL_Latin1_General_CP1_CI_AS",
            Collation::Latin1GeneralBin2 => "Latin1_General_BIN2",
            Collation::Latin1GeneralBin => "Latin1_General_BIN",
        }
    }

    /// What `fn_helpcollations` says of it.
    pub fn description(self) -> &'static str {
        match self {
            Collation::SqlLatin1GeneralCp1CiAs => {
                "Latin1-General, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive \
                    for Unicode Data, SQL Server Sort Order 52 on Code Page 1252 for non-Unicode Data"
            }
            Collation::Latin1GeneralBin2 => "Latin1-General, binary code point comparison sort",
            Collation::Latin1GeneralBin => "Latin1-General, binary sort",
        }
    }

    /// The number stored in the catalogue; stable.
    pub fn id(self) -> u16 {
        self as u16
    }

    /// The reverse of [`Collation::id`].
    pub fn from_id(id: u16) -> Option<Collation> {
        Collation::ALL.into_iter().find(|c| c.id() == id)
    }

    /// The five bytes of TDS: LCID and flags (4, little-endian) and sort id.
    pub fn tds(self) -> [u8; 5] {
        match self {
            Collation::SqlLatin1GeneralCp1CiAs => TDS_CI_AS,
            Collation::Latin1GeneralBin2 => TDS_BIN2,
            Collation::Latin1GeneralBin => TDS_BIN,
        }
    }

    /// The collation of five TDS bytes, where it is one of ours.
    pub fn from_tds(b: [u8; 5]) -> Option<Collation> {
        Collation::ALL.into_iter().find(|c| c.tds() == b)
    }

    /// Two texts are equal only if they are the same.
    #[inline]
    pub fn is_binary(self) -> bool {
        self != Collation::SqlLatin1GeneralCp1CiAs
    }

    /// The weight of a byte; equal weights are equal characters.
    #[inline]
    pub fn byte_weight(self, b: u8) -> u8 {
        if self.is_binary() { b } else { BYTES[b as usize] }
    }

    /// The weight of a UTF-16 code unit.
    #[inline]
    pub fn unit_weight(self, u: u16) -> u16 {
        if self.is_binary() {
            u
        } else if u < 0x250 {
            UNITS[u as usize]
        } else {
            high_weight(u)
        }
    }

    /// Orders two varchar values, the shorter padded with blanks.
    #[inline]
    pub fn compare_varchar(self, a: &[u8], b: &[u8]) -> Ordering {
        let common = a.len().min(b.len());
        for i in 0..common {
            if a[i] != b[i] {
                let (x, y) = (self.byte_weight(a[i]), self.byte_weight(b[i]));
                if x != y {
                    return x.cmp(&y);
                }
            }
        }
        let blank = self.byte_weight(b' ');
        let against_blanks = |rest: &[u8]| {
            let other = rest.iter().map(|c| self.byte_weight(*c)).find(|w| *w != blank);
            other.map_or(Ordering::Equal, |w| w.cmp(&blank))
        };
        if a.len() > common {
            against_blanks(&a[common..])
        } else {
            against_blanks(&b[common..]).reverse()
        }
    }

    /// Orders two nvarchar values (UTF-16LE), the shorter padded with blanks.
    #[inline]
    pub fn compare_nvarchar(self, a: &[u8], b: &[u8]) -> Ordering {
        let (mut a, mut b) = (units(a), units(b));
        let (blank, mut first) = (b' ' as u16, true);
        loop {
            let (x, y) = match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (x, y) => (x.unwrap_or(blank), y.unwrap_or(blank)),
            };
            if x != y {
                if self == Collation::Latin1GeneralBin && !first {
                    return x.swap_bytes().cmp(&y.swap_bytes());
                }
                let (x, y) = (self.unit_weight(x), self.unit_weight(y));
                if x != y {
                    return x.cmp(&y);
                }
            }
            first = false;
        }
    }

    /// Appends bytes whose memcmp order is the collation's; self-delimiting (no key is a prefix of another).
    pub fn sort_key_varchar(self, text: &[u8], out: &mut Vec<u8>) {
        let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
        let text = &text[..end];
        let blank = self.byte_weight(b' ');
        let terminator = if self.is_binary() { b' ' + 1 } else { BYTE_BLANK };
        out.reserve(end + 1);
        for (i, &b) in text.iter().enumerate() {
            let w = self.byte_weight(b);
            match w.cmp(&blank) {
                Ordering::Less => out.push(w),
                Ordering::Equal => {
                    let next = text[i + 1..].iter().map(|c| self.byte_weight(*c));
                    out.push(beside(terminator as u16, blank as u16, next.map(u16::from)) as u8);
                }
                Ordering::Greater if !self.is_binary() => out.push(w),
                Ordering::Greater if w < 0xFD => out.push(w + 2),
                Ordering::Greater => out.extend_from_slice(&[0xFF, w]),
            }
        }
        out.push(terminator);
    }

    /// The same for UTF-16LE.
    pub fn sort_key_nvarchar(self, text: &[u8], out: &mut Vec<u8>) {
        let all = units(text);
        let end = all.clone().rposition(|u| u != b' ' as u16).map_or(0, |i| i + 1);
        // What is behind the first unit is ordered by its bytes.
        let turns = self == Collation::Latin1GeneralBin;
        let weight = |i: usize, u: u16| match turns && i > 0 {
            true => u.swap_bytes(),
            false => self.unit_weight(u),
        };
        let blanks = [weight(0, b' ' as u16), weight(1, b' ' as u16)];
        let blank = |i: usize| blanks[usize::from(i > 0)];
        let terminator = |i: usize| if self.is_binary() { blank(i) + 1 } else { BLANK };
        out.reserve(end * 2 + 2);
        let mut push = |w: u16| out.extend_from_slice(&w.to_be_bytes());
        for (i, u) in all.clone().take(end).enumerate() {
            let w = weight(i, u);
            match w.cmp(&blank(i)) {
                Ordering::Less => push(w),
                Ordering::Equal => {
                    let rest = all.clone().take(end).enumerate().skip(i + 1);
                    // Beside a blank of its own place.
                    let next = rest.map(|(at, u)| match weight(at, u).cmp(&blank(at)) {
                        Ordering::Less => 0,
                        Ordering::Equal => 1,
                        Ordering::Greater => 2,
                    });
                    push(beside(terminator(i), 1, next));
                }
                Ordering::Greater if !self.is_binary() => push(w),
                Ordering::Greater if w < 0xFFFD => push(w + 2),
                Ordering::Greater => {
                    push(0xFFFF);
                    push(w);
                }
            }
        }
        push(terminator(end));
    }

    /// Equal text gives equal hashes.
    pub fn hash_varchar(self, text: &[u8]) -> u64 {
        let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
        finish(text[..end].iter().fold(SEED, |h, b| mix(h, self.byte_weight(*b) as u64)))
    }

    /// Equal text gives equal hashes.
    pub fn hash_nvarchar(self, text: &[u8]) -> u64 {
        let all = units(text);
        let end = all.clone().rposition(|u| u != b' ' as u16).map_or(0, |i| i + 1);
        finish(all.take(end).fold(SEED, |h, u| mix(h, self.unit_weight(u) as u64)))
    }

    /// Equality of identifiers and other UTF-8 text under this collation.
    pub fn eq_str(self, a: &str, b: &str) -> bool {
        if a.is_ascii() && b.is_ascii() {
            return self.compare_varchar(a.as_bytes(), b.as_bytes()).is_eq();
        }
        self.fold_str(a) == self.fold_str(b)
    }

    /// A key for hash maps of names: equal under the collation is the same string.
    pub fn fold_str(self, s: &str) -> String {
        let s = s.trim_end_matches(' ');
        if self.is_binary() {
            return s.to_owned();
        }
        if s.is_ascii() {
            return s.to_ascii_lowercase();
        }
        let folded: Vec<u16> = s.encode_utf16().map(fold_unit).collect();
        String::from_utf16_lossy(&folded)
    }

    /// UPPER or LOWER of a byte of code page 1252.
    pub fn change_case_byte(upper: bool, b: u8) -> u8 {
        if b < 0x80 {
            return if upper { b.to_ascii_uppercase() } else { b.to_ascii_lowercase() };
        }
        let c = decode_1252(&[b]);
        let c = c.chars().next().unwrap_or('?');
        let changed = change_case(upper, c as u32 as u16);
        crate::codepage::byte_of(changed).unwrap_or(b)
    }

    /// UPPER or LOWER of a UTF-16 code unit (characters whose other case is several characters stay).
    pub fn change_case_unit(upper: bool, u: u16) -> u16 {
        change_case(upper, u)
    }
}

fn change_case(upper: bool, u: u16) -> u16 {
    let Some(c) = char::from_u32(u as u32) else { return u };
    fn one(mut changed: impl Iterator<Item = char>) -> Option<u16> {
        let first = changed.next()?;
        changed.next().is_none().then(|| u16::try_from(first as u32).ok())?
    }
    if upper { one(c.to_uppercase()) } else { one(c.to_lowercase()) }.unwrap_or(u)
}

/// One unit for all that have its weight.
fn fold_unit(u: u16) -> u16 {
    if u < 0x80 {
        return (u as u8).to_ascii_lowercase() as u16;
    }
    let w = Collation::SqlLatin1GeneralCp1CiAs.unit_weight(u);
    let lower = lower_high(change_case(false, u));
    // The lower case form of a character has its weight, unless its lower case is several characters.
    if Collation::SqlLatin1GeneralCp1CiAs.unit_weight(lower) == w { lower } else { u }
}

/// The weight of a unit from U+0250 on.
fn high_weight(u: u16) -> u16 {
    if let Ok(i) = SYMBOLS.binary_search_by_key(&u, |s| s.0) {
        return SYMBOLS[i].1;
    }
    let lower = lower_high(u);
    if lower < 0x250 { UNITS[lower as usize] } else { lower }
}

/// The frozen lower-casing from U+0250 on.
fn lower_high(u: u16) -> u16 {
    let at = LOWER.partition_point(|r| r.1 < u);
    match LOWER.get(at) {
        Some(&(first, _, step, delta)) if u >= first && (u - first).is_multiple_of(step) => {
            (u as i32 + delta) as u16
        }
        _ => u,
    }
}

/// The weight that a blank inside a text gets in a key, by the first other character that follows it.
fn beside(terminator: u16, blank: u16, mut next: impl Iterator<Item = u16>) -> u16 {
    match next.find(|w| *w != blank) {
        Some(w) if w < blank => terminator - 1,
        _ => terminator + 1,
    }
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn mix(h: u64, w: u64) -> u64 {
    (h.rotate_left(5) ^ w).wrapping_mul(0x517C_C1B7_2722_0A95)
}

/// Spreads the state over all bits, for tables that look at a few of them.
#[inline]
pub(crate) fn finish(h: u64) -> u64 {
    let h = (h ^ h >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    h ^ h >> 32
}

#[cfg(test)]
mod tests;

//! Collations: equality and order of text, and bytes that keep that order.
//!
//! | collation | char, varchar | nchar, nvarchar (UTF-16) |
//! |---|---|---|
//! | `SQL_Latin1_General_CP1_CI_AS`, the default | one weight per byte, as SQL sort order 52: no expansions (`ß` is not `ss`) | one weight per code unit |
//! | the other three sort orders of code page 1252 that end in `CP1_*` ([`sort_order`]) | letters, accents, case | as Windows' collations, version 80 |
//! | Windows' collations ([`windows`]) | as the same text in nvarchar | letters, accents, case and form, hyphens |
//! | `…_BIN2` | the bytes | the code units |
//! | `…_BIN` | the bytes | the first code unit, then the bytes of the others, the low one first |
//!
//! The weights of the default are our own frozen tables ([`tables`]). Where SQL Server orders nvarchar by Windows' linguistic rules
//! (hyphens nearly ignored, `ß` = `ss`), this order is simpler: one code unit, one weight, the same order for a
//! varchar and its nvarchar. Case folding beyond U+024F is Unicode's simple one.
//!
//! Comparison pads the shorter text with blanks: `'a' = 'a  '`, and a control character sorts below the end.
//!
//! # Sort keys of the default and of binary collations
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

mod elements;
mod identity;
mod ignorable;
mod letters;
mod ligatures;
mod registry;
mod sort_order;
mod sort_tables;
mod tables;
mod weights;
mod windows;

use crate::codepage::{CodePage, encode_utf16, unit_of, units};
pub use elements::Elements;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use tables::{BLANK, BYTE_BLANK, BYTES, LOWER, SYMBOLS, UNITS};

/// A registered collation: the order and equality of text, and the code page of char and varchar.
///
/// It is the number that COLLATIONPROPERTY documents as `CollationId`, from whose bits most follows: 0–6 the designator, 7 UTF-8, 8
/// supplementary characters, 9 variation selectors ignored, 11 BIN2, 12–15 what is ignored (case, accents, kana, width), 16 BIN, 17–23
/// the version, 24–31 the sort order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Collation(u32);

const UTF8: u32 = 1 << 7;
const SUPPLEMENTARY: u32 = 1 << 8;
const VARIATIONS_IGNORED: u32 = 1 << 9;
const BIN2: u32 = 1 << 11;
const IGNORES_CASE: u32 = 1 << 12;
const IGNORES_ACCENTS: u32 = 1 << 13;
const IGNORES_KANA: u32 = 1 << 14;
const IGNORES_WIDTH: u32 = 1 << 15;
const BIN: u32 = 1 << 16;

impl Default for Collation {
    fn default() -> Collation {
        Collation::DEFAULT
    }
}

impl Collation {
    /// The default, `SQL_Latin1_General_CP1_CI_AS`: code page 1252, case-insensitive, accent-sensitive.
    pub const DEFAULT: Collation = Collation(0x3400_D008);
    /// `Latin1_General_BIN2`: code page 1252, by code point.
    pub const LATIN1_GENERAL_BIN2: Collation = Collation(0x0808);
    /// `Latin1_General_BIN`, the older form of that: equality is the same, the order of nvarchar is not.
    pub const LATIN1_GENERAL_BIN: Collation = Collation(0x1_0008);

    /// Upper and lower case are one.
    pub fn ignores_case(self) -> bool {
        self.0 & IGNORES_CASE != 0
    }

    /// Accents count for nothing.
    pub fn ignores_accents(self) -> bool {
        self.0 & IGNORES_ACCENTS != 0
    }

    /// Hiragana and katakana are one.
    pub fn ignores_kana(self) -> bool {
        self.0 & IGNORES_KANA != 0
    }

    /// Half and full width are one.
    pub fn ignores_width(self) -> bool {
        self.0 & IGNORES_WIDTH != 0
    }

    /// char and varchar are UTF-8.
    pub fn is_utf8(self) -> bool {
        self.0 & UTF8 != 0
    }

    /// A surrogate pair is one character, as it is wherever text is UTF-8.
    pub fn is_supplementary(self) -> bool {
        self.0 & (SUPPLEMENTARY | UTF8) != 0
    }

    /// Whether variation selectors tell texts apart.
    fn tells_variations(self) -> bool {
        self.version() == 3 && self.0 & VARIATIONS_IGNORED == 0
    }

    /// Two texts are equal only if they are the same.
    #[inline]
    pub fn is_binary(self) -> bool {
        self.0 & (BIN | BIN2) != 0
    }

    /// The order is one of [`tables`] or binary: a weight per character, the same for a varchar and its nvarchar.
    #[inline]
    fn is_simple(self) -> bool {
        self == Collation::DEFAULT || self.is_binary()
    }

    /// The code page of char and varchar; 1252 of a collation that has none.
    pub fn page(self) -> CodePage {
        CodePage::of(self.code_page()).unwrap_or_default()
    }

    /// Texts of a code page are equal exactly where they are as nvarchar.
    pub fn narrow_is_wide(self) -> bool {
        self == Collation::DEFAULT || self.sort_order() == 0 || self.is_binary()
    }

    /// Of what no order is here: why. `narrow`: of char or varchar, else of nchar or nvarchar.
    pub fn missing(self, narrow: bool) -> Option<String> {
        let name = || self.name();
        if self.is_simple() {
            return None;
        }
        if narrow && !matches!(self.sort_order(), 0 | 51..=54) {
            let order = self.sort_order();
            return Some(format!(
                "The order of char and varchar under {} (sort order {order})",
                name()
            ));
        }
        match windows::alphabet(self.family(), self.version()) {
            None => Some(format!("The alphabet of the collation {}", name())),
            Some(_) => None,
        }
    }

    /// The weight of a byte; equal weights are equal characters. Of many bytes ask [`Collation::weights`].
    #[inline]
    fn simple_byte(self, b: u8) -> u8 {
        if self.is_binary() { b } else { BYTES[b as usize] }
    }

    #[inline]
    fn simple_unit(self, u: u16) -> u16 {
        if self.is_binary() {
            u
        } else if u < 0x250 {
            UNITS[u as usize]
        } else {
            high_weight(u)
        }
    }

    /// The weights of single characters, for searches and patterns.
    pub fn weights(self) -> Weights {
        static ALL: Mutex<BTreeMap<u32, &'static Ranks>> = Mutex::new(BTreeMap::new());
        if self.is_simple() {
            return Weights(self, None);
        }
        // One for each that is ever searched by, but for what characters by themselves do not tell apart.
        let key = self.0 & !(UTF8 | SUPPLEMENTARY);
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        Weights(self, Some(all.entry(key).or_insert_with(|| Box::leak(Box::default()))))
    }

    /// Orders two varchar values, the shorter padded with blanks.
    #[inline]
    pub fn compare_varchar(self, a: &[u8], b: &[u8]) -> Ordering {
        if self == Collation::DEFAULT {
            return compare_bytes(a, b, |b| BYTES[b as usize]);
        }
        match self.is_binary() {
            true => compare_bytes(a, b, |b| b),
            false => self.compare_varchar_by_levels(a, b),
        }
    }

    /// Orders two nvarchar values (UTF-16LE), the shorter padded with blanks.
    #[inline]
    pub fn compare_nvarchar(self, a: &[u8], b: &[u8]) -> Ordering {
        if self == Collation::DEFAULT {
            return compare_units(a, b, |u| Collation::DEFAULT.simple_unit(u));
        }
        if !self.is_binary() {
            return windows::compare_nvarchar(self, a, b);
        }
        if self.0 & BIN == 0 {
            return compare_units(a, b, |u| u);
        }
        // The first unit as a number, the others as their bytes are.
        let first = |t| units(t).next().unwrap_or(b' ' as u16);
        first(a).cmp(&first(b)).then_with(|| {
            compare_units(a.get(2..).unwrap_or_default(), b.get(2..).unwrap_or_default(), |u| {
                u.swap_bytes()
            })
        })
    }

    #[cold]
    fn compare_varchar_by_levels(self, a: &[u8], b: &[u8]) -> Ordering {
        match self.sort_order() {
            0 => windows::compare_varchar(self, a, b),
            order => sort_order::compare(order, a, b),
        }
    }

    /// Appends bytes whose memcmp order is the collation's; self-delimiting (no key is a prefix of another).
    pub fn sort_key_varchar(self, text: &[u8], out: &mut Vec<u8>) {
        if !self.is_simple() {
            return match self.sort_order() {
                0 => windows::key_varchar(self, text, out),
                order => sort_order::key(order, text, out),
            };
        }
        let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
        let text = &text[..end];
        let blank = self.simple_byte(b' ');
        let terminator = if self.is_binary() { b' ' + 1 } else { BYTE_BLANK };
        out.reserve(end + 1);
        for (i, &b) in text.iter().enumerate() {
            let w = self.simple_byte(b);
            match w.cmp(&blank) {
                Ordering::Less => out.push(w),
                Ordering::Equal => {
                    let next = text[i + 1..].iter().map(|c| self.simple_byte(*c));
                    out.push(beside(terminator as u16, blank as u16, next.map(u16::from)) as u8);
                }
                Ordering::Greater if !self.is_binary() => out.push(w),
                Ordering::Greater if w < 0xFD => out.push(w + 2),
                Ordering::Greater => out.extend_from_slice(&[0xFF, w]),
            }
        }
        out.push(terminator);
    }

    /// As [`Self::sort_key_varchar`], of UTF-16LE.
    pub fn sort_key_nvarchar(self, text: &[u8], out: &mut Vec<u8>) {
        if !self.is_simple() {
            return windows::key_nvarchar(self, text, out);
        }
        let all = units(text);
        let end = all.clone().rposition(|u| u != b' ' as u16).map_or(0, |i| i + 1);
        // What is behind the first unit is ordered by its bytes.
        let turns = self.0 & BIN != 0;
        let weight = |i: usize, u: u16| match turns && i > 0 {
            true => u.swap_bytes(),
            false => self.simple_unit(u),
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

    /// Appends what the keys of all text begin with that begins with this one, which is not empty and does not end with a blank; it
    /// may be less than it could be, or nothing.
    pub fn key_beginning_varchar(self, text: &[u8], out: &mut Vec<u8>) {
        match self.sort_order() {
            _ if self.is_simple() => {
                self.sort_key_varchar(text, out);
                // The end of a key says that nothing comes.
                out.pop();
            }
            0 => windows::beginning_varchar(self, text, out),
            _ => sort_order::beginning(text, out),
        }
    }

    /// As [`Self::key_beginning_varchar`], of UTF-16LE.
    pub fn key_beginning_nvarchar(self, text: &[u8], out: &mut Vec<u8>) {
        if self.is_simple() {
            self.sort_key_nvarchar(text, out);
            out.truncate(out.len() - 2);
        } else {
            windows::beginning_nvarchar(self, text, out);
        }
    }

    /// Equal text gives equal hashes.
    pub fn hash_varchar(self, text: &[u8]) -> u64 {
        if !self.is_simple() {
            return match self.sort_order() {
                0 => windows::hash_varchar(self, text),
                _ => sort_order::hash(text),
            };
        }
        let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
        finish(text[..end].iter().fold(SEED, |h, b| mix(h, self.simple_byte(*b) as u64)))
    }

    /// Equal text gives equal hashes.
    pub fn hash_nvarchar(self, text: &[u8]) -> u64 {
        if !self.is_simple() {
            return windows::hash_nvarchar(self, text);
        }
        let all = units(text);
        let end = all.clone().rposition(|u| u != b' ' as u16).map_or(0, |i| i + 1);
        finish(all.take(end).fold(SEED, |h, u| mix(h, self.simple_unit(u) as u64)))
    }

    /// Equality of identifiers and other UTF-8 text under this collation.
    pub fn eq_str(self, a: &str, b: &str) -> bool {
        if !self.is_simple() {
            return self.compare_nvarchar(&encode_utf16(a), &encode_utf16(b)).is_eq();
        }
        if a.is_ascii() && b.is_ascii() {
            return self.compare_varchar(a.as_bytes(), b.as_bytes()).is_eq();
        }
        self.fold_str(a) == self.fold_str(b)
    }

    /// A key for hash maps of names: equal under the default or a binary collation is the same string.
    pub fn fold_str(self, s: &str) -> String {
        assert!(self.is_simple(), "names are compared under the default");
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

    /// Turkish and Azeri: i and İ, ı and I are the pairs.
    #[inline]
    fn has_dotless_i(self) -> bool {
        !self.is_binary() && matches!(self.family(), 26 | 99)
    }

    /// UPPER or LOWER of a byte of a code page of one byte.
    pub fn change_case_byte(self, upper: bool, b: u8) -> u8 {
        if b < 0x80 && !self.has_dotless_i() {
            return if upper { b.to_ascii_uppercase() } else { b.to_ascii_lowercase() };
        }
        let page = self.page();
        let unit = page.units(&[b]).first().copied().unwrap_or_default();
        let changed = self.change_case_unit(upper, unit);
        match page.encode_exactly(&changed.to_le_bytes()).as_deref() {
            Some([b]) => *b,
            _ => b,
        }
    }

    /// UPPER or LOWER of a UTF-16 code unit (characters whose other case is several characters stay).
    pub fn change_case_unit(self, upper: bool, u: u16) -> u16 {
        match (upper, u) {
            (true, 0x69) if self.has_dotless_i() => 0x130,
            (false, 0x49) if self.has_dotless_i() => 0x131,
            (false, 0x130) if self.has_dotless_i() => 0x69,
            _ => change_case(upper, u),
        }
    }
}

/// How many bytes, in eights, two texts have in common.
#[inline]
fn common_eights(a: &[u8], b: &[u8]) -> usize {
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    a.zip(b).take_while(|(a, b)| a == b).count() * 8
}

#[inline]
fn compare_bytes(a: &[u8], b: &[u8], weight: impl Fn(u8) -> u8) -> Ordering {
    let common = a.len().min(b.len());
    for i in common_eights(a, b)..common {
        if a[i] != b[i] {
            let (x, y) = (weight(a[i]), weight(b[i]));
            if x != y {
                return x.cmp(&y);
            }
        }
    }
    let blank = weight(b' ');
    let against_blanks = |rest: &[u8]| {
        let other = rest.iter().map(|c| weight(*c)).find(|w| *w != blank);
        other.map_or(Ordering::Equal, |w| w.cmp(&blank))
    };
    if a.len() > common {
        against_blanks(&a[common..])
    } else {
        against_blanks(&b[common..]).reverse()
    }
}

#[inline]
fn compare_units(a: &[u8], b: &[u8], weight: impl Fn(u16) -> u16) -> Ordering {
    let from = common_eights(a, b);
    let (a, b) = (&a[from..], &b[from..]);
    for (x, y) in units(a).zip(units(b)) {
        if x != y {
            let (x, y) = (weight(x), weight(y));
            if x != y {
                return x.cmp(&y);
            }
        }
    }
    let common = a.len().min(b.len()) & !1;
    let blank = weight(b' ' as u16);
    let against_blanks = |rest: &[u8]| {
        let other = units(rest).map(&weight).find(|w| *w != blank);
        other.map_or(Ordering::Equal, |w| w.cmp(&blank))
    };
    if a.len() > b.len() {
        against_blanks(&a[common..])
    } else {
        against_blanks(&b[common..]).reverse()
    }
}

/// The weights of single characters under a collation: equal weights are equal characters, and they
/// order as those do.
#[derive(Clone, Copy, Debug)]
pub struct Weights(Collation, Option<&'static Ranks>);

/// The ranks of all characters; made when first asked for, as they take some time.
#[derive(Default, Debug)]
struct Ranks {
    bytes: OnceLock<[u16; 256]>,
    units: OnceLock<Box<[u16]>>,
    /// The first unit of each rank.
    firsts: OnceLock<Vec<u16>>,
}

impl Weights {
    /// They are the default's: [`Weights::default_byte`] and [`Weights::default_unit`] are the same, and faster.
    pub fn are_default(self) -> bool {
        self.0 == Collation::DEFAULT
    }

    /// The default's weight of a byte.
    #[inline]
    pub fn default_byte(b: u8) -> u16 {
        BYTES[b as usize].into()
    }

    /// The default's weight of a UTF-16 code unit.
    #[inline]
    pub fn default_unit(u: u16) -> u16 {
        Collation::DEFAULT.simple_unit(u)
    }

    /// Of a byte of char or varchar.
    #[inline]
    pub fn byte(self, b: u8) -> u16 {
        match self.1 {
            None => self.0.simple_byte(b).into(),
            Some(ranks) => ranks.bytes(self.0)[usize::from(b)],
        }
    }

    /// Of a UTF-16 code unit.
    #[inline]
    pub fn unit(self, u: u16) -> u16 {
        match self.1 {
            None => self.0.simple_unit(u),
            Some(ranks) => ranks.units(self.0)[usize::from(u)],
        }
    }
}

impl Ranks {
    fn units(&self, c: Collation) -> &[u16] {
        self.units.get_or_init(|| windows::ranks(c))
    }

    fn bytes(&self, c: Collation) -> &[u16; 256] {
        self.bytes.get_or_init(|| match c.sort_order() {
            0 => std::array::from_fn(|b| self.units(c)[usize::from(unit_of(b as u8))]),
            order => std::array::from_fn(|b| sort_order::rank(order, b as u8)),
        })
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
    let w = Collation::DEFAULT.simple_unit(u);
    let lower = lower_high(change_case(false, u));
    // The lower case form of a character has its weight, unless its lower case is several characters.
    if Collation::DEFAULT.simple_unit(lower) == w { lower } else { u }
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

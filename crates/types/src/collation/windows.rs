//! Windows' collations, and nvarchar under SQL Server's own: letters over the whole text, then accents, then case, kana and width as
//! far as they are told apart, then hyphens and their like, which weigh nothing before.
//!
//! The letters' weights and the languages' own alphabets are those of CLDR (`icu_collator`); scripts keep one order in all languages, as
//! Windows has it. What Windows does otherwise is done here, before the weights are looked up: ligatures are their letters, code units
//! that a version does not know weigh nothing, hyphens, apostrophes and control characters come last.
//!
//! # Keys
//! Weights depend on the data of `icu_collator`, and indexes hold keys: the version of that crate is fixed, and a test holds the keys.
//!
//! ```text
//!   CLDR's key, letters alone or letters and accents │ 00 │ case, kana, width: a byte each, plain ones at the end left out │ 00
//!   hyphens and their like: place (3 bytes), which (3 bytes) │ 00
//! ```
//! Two texts compare as their keys do. Where both are ASCII and the language has no letters of two characters, the same answer is
//! found without keys.

mod ascii;
mod forms;
mod ranks;

use super::ignorable::{V80, V90, V100, V140};
use super::ligatures::{is_letter_here, ligature};
use super::{Collation, SEED, common_eights, finish, mix};
use crate::codepage::{is_ascii, unit_of, units};
use crate::interest::{CHARACTERS, is_lost};
use ascii::Ascii;
pub use forms::is_mark;
use forms::{Forms, OTHER};
use icu_collator::options::{AlternateHandling, CollatorOptions, Strength};
use icu_collator::{Collator, CollatorPreferences};
use icu_locale_core::Locale;
pub use ranks::{key_of, key_of_all, ranks};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::OnceLock;

/// The alphabet of a designator, by the lowest bits of the number and the version: a locale of CLDR; `None`: there is none, and
/// [`super::Collation::missing`] says so.
pub fn alphabet(family: u8, version: u32) -> Option<&'static str> {
    Some(match family {
        // Latin1_General, Arabic, Greek, French, Cyrillic_General, Georgian, Maori, Corsican, Romansh, Indic.
        8 | 1 | 7 | 11 | 21 | 45 | 18 | 15 | 75 | 53 | 97 => "und",
        2 | 81 => "fa",
        3 | 46 | 50 | 52 | 62 | 65 | 68 | 70 => "zh-u-co-stroke",
        36 | 49 | 67 | 69 => "zh",
        47 | 51 | 66 => "zh-u-co-zhuyin",
        4 => "cs",
        5 | 71 => "da",
        74 => "nb",
        9 => "es-u-co-trad",
        40 => "es",
        10 if version == 0 => "sv-u-co-trad",
        10 => "sv",
        12 => "he",
        13 => "hu",
        14 => "is",
        16 | 48 | 72 => "ja",
        17 | 64 => "ko",
        19 => "pl",
        20 => "ro",
        22 | 78 => "hr",
        76 => "sr-Latn",
        77 | 79 => "sr",
        23 => "sk",
        24 => "sq",
        25 => "th",
        26 => "tr",
        27 => "uk",
        28 => "sl",
        29 => "et",
        30 => "lv",
        31 => "lt",
        32 => "vi",
        37 => "ug",
        41 => "de-u-co-phonebk",
        55 => "kk",
        56 => "uz",
        58 => "mk",
        80 => "ur",
        83 => "hsb",
        85 => "mt",
        86 | 87 => "se",
        88 => "tk",
        89 => "bn",
        90 => "as",
        91 => "ps",
        93 => "cy",
        94 => "km",
        95 => "lo",
        99 => "az",
        _ => return None,
    })
}

/// Languages whose ASCII is as everywhere, but for the places of letters: no two characters are one letter, no letter another with
/// an accent.
fn ascii_is_plain(alphabet: &str) -> bool {
    let language = alphabet.split('-').next().unwrap_or_default();
    let other = [
        "cs", "da", "nb", "hu", "hr", "sr", "sk", "sq", "lv", "lt", "et", "cy", "mt", "uz", "se",
        "hsb", "vi", "tk", "sl",
    ];
    !other.contains(&language) && !matches!(alphabet, "es-u-co-trad" | "sv-u-co-trad")
}

/// One alphabet at one strength.
struct Alphabet {
    collator: Collator,
    /// The letters' ranks of ASCII, where texts of it can be compared by them; 0: it weighs nothing.
    ascii: Option<[u8; 128]>,
    /// Keys of ASCII, made when first asked for; none where its letters depend on each other.
    keys: OnceLock<Option<Ascii>>,
    /// CLDR's root: what begins with a text has a key that begins as the text's does.
    root: bool,
}

impl Alphabet {
    fn new(alphabet: &str, accents: bool) -> Alphabet {
        let locale = Locale::try_from_str(alphabet).expect("an alphabet is a locale");
        let mut options = CollatorOptions::default();
        options.strength = Some(if accents { Strength::Secondary } else { Strength::Primary });
        // Thai would pass over punctuation.
        options.alternate_handling = Some(AlternateHandling::NonIgnorable);
        let preferences = CollatorPreferences::from(&locale);
        let collator = Collator::try_new_unstable(&super::weights::Steady, preferences, options)
            .expect("the weights of every alphabet are compiled in");
        let (ascii, keys, root) = (None, OnceLock::new(), alphabet == "und");
        let mut weights = Alphabet { collator, ascii, keys, root };
        if ascii_is_plain(alphabet) {
            let keys: Vec<Vec<u8>> = (0..128u16).map(|u| weights.key(&[u])).collect();
            let mut sorted: Vec<&Vec<u8>> = keys.iter().collect();
            sorted.sort();
            sorted.dedup();
            let rank = |u: usize| match is_minimal(u as u16) || u == 0 {
                true => 0,
                false => sorted.partition_point(|k| **k < keys[u]) as u8 + 1,
            };
            weights.ascii = Some(std::array::from_fn(rank));
        }
        weights
    }

    fn ascii_keys(&self) -> Option<&Ascii> {
        let made = self.keys.get_or_init(|| {
            self.ascii.as_ref().and_then(|ranks| Ascii::new(ranks, |text| self.key(text)))
        });
        made.as_ref()
    }

    fn key(&self, text: &[u16]) -> Vec<u8> {
        let mut out = Vec::new();
        self.append(text, &mut out);
        out
    }

    fn append(&self, text: &[u16], out: &mut Vec<u8>) {
        // The library cannot be stopped in the middle of a text.
        if text.len() > CHARACTERS && is_lost() {
            return;
        }
        let Ok(()) = self.collator.as_borrowed().write_sort_key_utf16_to(text, out);
    }
}

/// The weights of a collation, made when they are first asked for.
fn weights(c: Collation) -> &'static Alphabet {
    // By designator, version 80 or a later one, and strength.
    static ALL: [OnceLock<Alphabet>; 512] = [const { OnceLock::new() }; 512];
    let late = usize::from(c.version() > 0);
    let at = usize::from(c.family()) * 4 + late * 2 + usize::from(c.ignores_accents());
    ALL[at].get_or_init(|| {
        let alphabet = alphabet(c.family(), c.version()).unwrap_or("und");
        Alphabet::new(alphabet, !c.ignores_accents())
    })
}

/// A hyphen, an apostrophe or their like, or a control character: it weighs after all else.
fn is_minimal(u: u16) -> bool {
    matches!(u, 0x01..=0x08 | 0x0E..=0x1F | 0x27 | 0x2D | 0x7F..=0x84 | 0x86..=0x9F | 0xAD | 0x2010..=0x2015)
}

fn is_ignorable(u: u16, version: u32) -> bool {
    let ranges: &[(u16, u16)] = match version {
        0 => &V80,
        1 => &V90,
        2 => &V100,
        _ => &V140,
    };
    let at = ranges.partition_point(|r| r.1 < u);
    ranges.get(at).is_some_and(|r| r.0 <= u)
}

#[derive(Default)]
struct Scratch {
    text: Vec<u16>,
    forms: Vec<u8>,
    minimal: Vec<(u32, u16)>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    static KEYS: RefCell<[Vec<u8>; 2]> = RefCell::default();
}

impl Scratch {
    /// Takes the text apart: what CLDR weighs, the forms of its characters, hyphens and their like.
    fn take(&mut self, c: Collation, all: impl Iterator<Item = u16>) {
        self.text.clear();
        self.forms.clear();
        self.minimal.clear();
        let (version, forms) = (c.version(), Forms::of(c));
        let mut all = all.peekable();
        let mut asked = CHARACTERS;
        while let Some(u) = all.next() {
            if self.text.len() >= asked {
                asked += CHARACTERS;
                if is_lost() {
                    return;
                }
            }
            if u < 0x80 && !is_minimal(u) && u != 0 {
                self.text.push(u);
                self.forms.push(forms.case((u as u8).is_ascii_uppercase()));
                continue;
            }
            if is_minimal(u) {
                self.minimal.push((self.forms.len() as u32, u));
                continue;
            }
            if (0xD800..0xDC00).contains(&u)
                && version > 0
                && let Some(low) = all.next_if(|l| (0xDC00..0xE000).contains(l))
            {
                if u == 0xDB40 && (0xDD00..0xDDF0).contains(&low) {
                    self.variation(c, low);
                    continue;
                }
                self.text.extend([u, low]);
                self.forms.push(if u == 0xD835 { OTHER } else { 0 });
                continue;
            }
            if is_ignorable(u, version) {
                if (0xFE00..0xFE10).contains(&u) {
                    self.variation(c, u);
                }
                continue;
            }
            if let Some(letters) = ligature(u).filter(|_| !is_letter_here(u, c.family())) {
                self.text.extend(letters.iter().map(|b| u16::from(*b)));
                self.forms.extend(letters.iter().map(|b| forms.case(b.is_ascii_uppercase())));
                continue;
            }
            let (u, form) = match u {
                0x1FC | 0x1E2 => {
                    self.text.extend([0x41, 0x45, if u == 0x1FC { 0x301 } else { 0x304 }]);
                    self.forms.extend([forms.case(true); 2]);
                    continue;
                }
                0x1FD | 0x1E3 => {
                    self.text.extend([0x61, 0x65, if u == 0x1FD { 0x301 } else { 0x304 }]);
                    self.forms.extend([0; 2]);
                    continue;
                }
                _ => forms.plain(u),
            };
            // Katakana is hiragana to those who do not tell them apart.
            self.text.push(if (0x30A1..=0x30F6).contains(&u) { u - 0x60 } else { u });
            if !is_mark(u) {
                self.forms.push(form);
            }
        }
        let blanks = self.text.iter().rev().take_while(|u| **u == 0x20).count();
        self.text.truncate(self.text.len() - blanks);
        let plain = self.forms.iter().rev().take_while(|f| **f == 0).count();
        self.forms.truncate(self.forms.len() - plain);
    }
}

impl Scratch {
    /// A variation selector, which tells two texts apart that are equal otherwise, where the collation looks at it.
    fn variation(&mut self, c: Collation, u: u16) {
        if c.tells_variations() {
            self.minimal.push((self.forms.len() as u32, u));
        }
    }
}

/// The key of ASCII, as [`append_key`] makes it; whether it could be made. The text has no blanks at its end.
fn append_ascii_key(
    c: Collation,
    all: impl Iterator<Item = u16> + Clone,
    out: &mut Vec<u8>,
) -> bool {
    let weights = weights(c);
    let Some(ascii) = weights.ascii_keys() else { return false };
    if !ascii.append(all.clone(), out) {
        return false;
    }
    out.push(0);
    if !c.ignores_case() {
        let from = out.len();
        let forms = all.clone().filter(|u| !is_minimal(*u) && *u != 0);
        out.extend(forms.map(|u| if (u as u8).is_ascii_uppercase() { forms::CASE + 2 } else { 2 }));
        let told = out[from..].iter().rposition(|f| *f != 2).map_or(0, |at| at + 1);
        out.truncate(from + told);
    }
    out.push(0);
    let mut place = 0;
    for u in all {
        if is_minimal(u) {
            append_minimal(place, u, out);
        } else if u != 0 {
            place += 1;
        }
    }
    out.push(0);
    true
}

/// A hyphen or its like, with the number of letters before it.
fn append_minimal(place: u32, u: u16, out: &mut Vec<u8>) {
    let seven = |n: u32| 0x80 | (n & 0x7F) as u8;
    out.extend([14, 7, 0].map(|by| seven(place >> by)));
    out.extend([14, 7, 0].map(|by| seven(u32::from(u) >> by)));
}

fn append_key(c: Collation, all: impl Iterator<Item = u16>, out: &mut Vec<u8>) {
    SCRATCH.with_borrow_mut(|s| {
        s.take(c, all);
        weights(c).append(&s.text, out);
        out.push(0);
        out.extend(s.forms.iter().map(|f| f + 2));
        out.push(0);
        for (place, u) in &s.minimal {
            append_minimal(*place, *u, out);
        }
        out.push(0);
        // Memory for the longest text that ever was is not kept for others.
        if s.text.capacity() > CHARACTERS {
            *s = Scratch::default();
        }
    })
}

/// Whether keys of ASCII are made without CLDR's tables.
#[cfg(test)]
pub fn has_ascii_keys(c: Collation) -> bool {
    weights(c).ascii_keys().is_some()
}

/// The key that CLDR's tables give, whatever the text is.
#[cfg(test)]
pub fn append_by_tables(c: Collation, text: &[u16], out: &mut Vec<u8>) {
    append_key(c, text.iter().copied(), out)
}

/// The units of UTF-16LE without the blanks at the end.
fn wide(text: &[u8]) -> impl DoubleEndedIterator<Item = u16> + Clone + '_ {
    let all = units(text);
    let end = all.clone().rposition(|u| u != b' ' as u16).map_or(0, |i| i + 1);
    all.take(end)
}

/// The bytes without the blanks at the end.
fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
    &text[..end]
}

/// The units of ASCII and of code page 1252 without the blanks at the end.
fn narrow(text: &[u8]) -> impl DoubleEndedIterator<Item = u16> + Clone + '_ {
    trimmed(text).iter().map(|b| unit_of(*b))
}

/// The units of text of another code page, which is no ASCII.
fn of_page(c: Collation, text: &[u8]) -> Option<Vec<u16>> {
    let page = c.page();
    (!page.is_western() && !text.is_ascii()).then(|| page.units(trimmed(text)))
}

fn compare_keys(
    c: Collation,
    a: impl Iterator<Item = u16>,
    b: impl Iterator<Item = u16>,
) -> Ordering {
    KEYS.with_borrow_mut(|[x, y]| {
        x.clear();
        y.clear();
        append_key(c, a, x);
        append_key(c, b, y);
        let order = x.cmp(&y);
        for key in [x, y] {
            key.shrink_to(CHARACTERS);
        }
        order
    })
}

/// The order of ASCII texts, whose units are `STEP` bytes; `None` where hyphens and their like have to decide.
fn compare_ascii<const STEP: usize>(
    c: Collation,
    ranks: &[u8; 128],
    a: &[u8],
    b: &[u8],
) -> Option<Ordering> {
    let rank = |t: &[u8], i: usize| ranks[usize::from(t[i * STEP] & 0x7F)];
    let units = |t: &[u8]| {
        let mut units = t.chunks_exact(STEP);
        units.rposition(|u| u[0] != b' ').map_or(0, |i| i + 1)
    };
    let (ends_a, ends_b) = (units(a), units(b));
    // Blanks before a hyphen at the end are blanks at the end of the letters: rare, keys know.
    if ends_a > 0 && rank(a, ends_a - 1) == 0 || ends_b > 0 && rank(b, ends_b - 1) == 0 {
        return None;
    }
    // A common beginning says nothing.
    let from = (common_eights(a, b) / STEP).min(ends_a).min(ends_b);
    let (mut i, mut k) = (from, from);
    let (mut case, mut minimal) = (Ordering::Equal, false);
    let mut until_asked = CHARACTERS;
    loop {
        until_asked -= 1;
        if until_asked == 0 {
            until_asked = CHARACTERS;
            if is_lost() {
                return Some(Ordering::Equal);
            }
        }
        while i < ends_a && rank(a, i) == 0 {
            (i, minimal) = (i + 1, true);
        }
        while k < ends_b && rank(b, k) == 0 {
            (k, minimal) = (k + 1, true);
        }
        match (i < ends_a, k < ends_b) {
            (false, false) => break,
            (false, true) => return Some(Ordering::Less),
            (true, false) => return Some(Ordering::Greater),
            (true, true) => {}
        }
        let (x, y) = (a[i * STEP], b[k * STEP]);
        if x != y {
            match rank(a, i).cmp(&rank(b, k)) {
                Ordering::Equal if case.is_eq() && !c.ignores_case() => {
                    case = x.is_ascii_uppercase().cmp(&y.is_ascii_uppercase());
                }
                Ordering::Equal => {}
                order => return Some(order),
            }
        }
        (i, k) = (i + 1, k + 1);
    }
    match minimal && case.is_eq() {
        true => None,
        false => Some(case),
    }
}

pub fn compare_varchar(c: Collation, a: &[u8], b: &[u8]) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    if let Some(ranks) = &weights(c).ascii
        && a.is_ascii()
        && b.is_ascii()
        && let Some(order) = compare_ascii::<1>(c, ranks, a, b)
    {
        return order;
    }
    if !c.page().is_western() {
        let units = |t| of_page(c, t).unwrap_or_else(|| narrow(t).collect());
        return compare_keys(c, units(a).into_iter(), units(b).into_iter());
    }
    compare_keys(c, narrow(a), narrow(b))
}

pub fn compare_nvarchar(c: Collation, a: &[u8], b: &[u8]) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    if let Some(ranks) = &weights(c).ascii
        && is_ascii(a)
        && is_ascii(b)
        && let Some(order) = compare_ascii::<2>(c, ranks, a, b)
    {
        return order;
    }
    compare_keys(c, wide(a), wide(b))
}

pub fn key_varchar(c: Collation, text: &[u8], out: &mut Vec<u8>) {
    match of_page(c, text) {
        None if text.is_ascii() && append_ascii_key(c, narrow(text), out) => {}
        None => append_key(c, narrow(text), out),
        Some(units) => append_key(c, units.into_iter(), out),
    }
}

pub fn key_nvarchar(c: Collation, text: &[u8], out: &mut Vec<u8>) {
    if !is_ascii(text) || !append_ascii_key(c, wide(text), out) {
        append_key(c, wide(text), out)
    }
}

/// The beginning that the keys of all text have which begins with this one; perhaps nothing.
pub fn beginning(c: Collation, text: impl Iterator<Item = u16> + Clone, out: &mut Vec<u8>) {
    let weights = weights(c);
    if weights.root && text.clone().all(|u| (0x20..0x7F).contains(&u)) {
        let mut text: Vec<u16> = text.filter(|u| !is_minimal(*u)).collect();
        // Blanks before a hyphen at the end are blanks at the end of the letters.
        text.truncate(text.iter().rposition(|u| *u != 0x20).map_or(0, |i| i + 1));
        let key = weights.key(&text);
        // The letters end where the accents begin.
        out.extend(key.iter().take_while(|b| **b > 1));
    }
}

pub fn beginning_varchar(c: Collation, text: &[u8], out: &mut Vec<u8>) {
    let text = of_page(c, text).unwrap_or_else(|| narrow(text).collect());
    beginning(c, text.iter().copied(), out)
}

pub fn beginning_nvarchar(c: Collation, text: &[u8], out: &mut Vec<u8>) {
    let text: Vec<u16> = wide(text).collect();
    beginning(c, text.iter().copied(), out)
}

/// The characters of a text that are weighed: ligatures are letters, forms are folded, characters
/// without weight are left out.
pub fn folded(c: Collation, text: impl Iterator<Item = u16>) -> Vec<u16> {
    SCRATCH.with_borrow_mut(|s| {
        s.take(c, text);
        s.text.clone()
    })
}

/// Letters alone, of text as it is weighed.
pub fn letter_bytes(c: Collation, folded: &[u16]) -> Vec<u8> {
    let key = weights(c).key(folded);
    key.into_iter().take_while(|b| *b > 1).collect()
}

/// The alphabet is CLDR's root: no two characters are one letter.
pub fn is_root(c: Collation) -> bool {
    weights(c).root
}

/// The hash of a key that `append` makes.
fn hash_of(append: impl FnOnce(&mut Vec<u8>)) -> u64 {
    KEYS.with_borrow_mut(|[key, _]| {
        key.clear();
        append(key);
        let mut words = key.chunks_exact(8);
        let first = words
            .by_ref()
            .fold(SEED, |h, w| mix(h, u64::from_le_bytes(w.try_into().unwrap_or_default())));
        finish(words.remainder().iter().fold(first, |h, b| mix(h, u64::from(*b))))
    })
}

pub fn hash_varchar(c: Collation, text: &[u8]) -> u64 {
    hash_of(|key| key_varchar(c, text, key))
}

pub fn hash_nvarchar(c: Collation, text: &[u8]) -> u64 {
    hash_of(|key| key_nvarchar(c, text, key))
}

/// The letters of a unit that is several; none of one that is a letter of its own.
pub fn letters_of(c: Collation, u: u16) -> Option<&'static [u8]> {
    ligature(u).filter(|_| !is_letter_here(u, c.family()))
}

/// A unit that weighs nothing, and is no ASCII.
pub fn is_weightless(c: Collation, u: u16) -> bool {
    u >= 0x80 && !is_minimal(u) && !(0xD800..0xE000).contains(&u) && is_ignorable(u, c.version())
}

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

use super::ignorable::{V80, V90, V100, V140};
use super::ligatures::{is_letter_here, ligature};
use super::{Collation, SEED, finish, mix};
use crate::codepage::{unit_of, units};
use crate::interest::{CHARACTERS, is_lost};
use icu_collator::options::{AlternateHandling, CollatorOptions, Strength};
use icu_collator::{Collator, CollatorPreferences};
use icu_locale_core::Locale;
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
        let mut weights = Alphabet { collator, ascii: None, root: alphabet == "und" };
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

const CASE: u8 = 1;
const KANA: u8 = 2;
const WIDTH: u8 = 4;
/// A form of a character that is nevertheless another: ª, ½, Ⓐ.
const OTHER: u8 = 8;

fn is_other(u: u16) -> bool {
    matches!(
        u,
        0xA0 | 0xAA | 0xB5 | 0xBA | 0xBC..=0xBE | 0x2B0..=0x2B8 | 0x2E0..=0x2E4 | 0x1D2C..=0x1D6A | 0x1D78..=0x1DBF
        | 0x2000..=0x200A | 0x2024..=0x2026 | 0x202F | 0x205F | 0x20A8 | 0x2100..=0x214F | 0x2150..=0x218F
        | 0x2460..=0x24FF | 0x3200..=0x33FF | 0xFB05 | 0xFB13..=0xFB4F | 0xFE10..=0xFE6F
    )
}

/// Combining marks: they belong to the character before.
pub fn is_mark(u: u16) -> bool {
    matches!(u, 0x300..=0x36F | 0x483..=0x489 | 0x591..=0x5C7 | 0x610..=0x61A | 0x64B..=0x65F | 0x1AB0..=0x1AFF
        | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0x302A..=0x302F | 0x3099 | 0x309A | 0xFE20..=0xFE2F)
}

fn is_upper(u: u16) -> bool {
    if u < 0x80 {
        return (u as u8).is_ascii_uppercase();
    }
    char::from_u32(u.into()).is_some_and(char::is_uppercase)
}

/// Hiragana that has a smaller form, which is to it as lower case is to upper case.
fn is_large_kana(u: u16) -> bool {
    matches!(
        u,
        0x3042
            | 0x3044
            | 0x3046
            | 0x3048
            | 0x304A
            | 0x304B
            | 0x3051
            | 0x3064
            | 0x3084
            | 0x3086
            | 0x3088
            | 0x308F
    )
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

/// Half-width katakana and marks, U+FF66 to U+FF9F.
#[rustfmt::skip]
const WIDE_KANA: [u16; 58] = [
    0x30F2, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30E3, 0x30E5, 0x30E7, 0x30C3, 0x30FC, 0x30A2, 0x30A4, 0x30A6, 0x30A8, 0x30AA,
    0x30AB, 0x30AD, 0x30AF, 0x30B1, 0x30B3, 0x30B5, 0x30B7, 0x30B9, 0x30BB, 0x30BD, 0x30BF, 0x30C1, 0x30C4, 0x30C6, 0x30C8, 0x30CA,
    0x30CB, 0x30CC, 0x30CD, 0x30CE, 0x30CF, 0x30D2, 0x30D5, 0x30D8, 0x30DB, 0x30DE, 0x30DF, 0x30E0, 0x30E1, 0x30E2, 0x30E4, 0x30E6,
    0x30E8, 0x30E9, 0x30EA, 0x30EB, 0x30EC, 0x30ED, 0x30EF, 0x30F3, 0x3099, 0x309A,
];

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

/// The bits of the forms that a collation tells apart; 0 for those that it ignores.
#[derive(Clone, Copy)]
struct Forms {
    case: u8,
    kana: u8,
    width: u8,
}

impl Forms {
    fn of(c: Collation) -> Forms {
        Forms {
            case: if c.ignores_case() { 0 } else { CASE },
            kana: if c.ignores_kana() { 0 } else { KANA },
            width: if c.ignores_width() { 0 } else { WIDTH },
        }
    }

    #[inline]
    fn case(self, upper: bool) -> u8 {
        if upper { self.case } else { 0 }
    }

    /// A character in its usual form, with the bits of the form that it had.
    fn plain(self, u: u16) -> (u16, u8) {
        let Forms { kana, width, .. } = self;
        match u {
            0x3000 => (0x20, width),
            0xFF01..=0xFF5E => (u - 0xFEE0, width | self.case(is_upper(u - 0xFEE0))),
            0xFF66..=0xFF9F => {
                let u = WIDE_KANA[usize::from(u - 0xFF66)];
                (u, kana | self.case(is_large_kana(u - 0x60)))
            }
            0x30A1..=0x30F6 => (u, kana | width | self.case(is_large_kana(u - 0x60))),
            0x3041..=0x3096 => (u, width | self.case(is_large_kana(u))),
            0xB2 | 0xB3 | 0xB9 | 0x2070..=0x209F => (u, width),
            _ if is_other(u) => (u, OTHER),
            _ => (u, self.case(is_upper(u))),
        }
    }
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

fn append_key(c: Collation, all: impl Iterator<Item = u16>, out: &mut Vec<u8>) {
    SCRATCH.with_borrow_mut(|s| {
        s.take(c, all);
        weights(c).append(&s.text, out);
        out.push(0);
        out.extend(s.forms.iter().map(|f| f + 2));
        out.push(0);
        for (place, u) in &s.minimal {
            let seven = |n: u32| 0x80 | (n & 0x7F) as u8;
            out.extend([14, 7, 0].map(|by| seven(place >> by)));
            out.extend([14, 7, 0].map(|by| seven(u32::from(*u) >> by)));
        }
        out.push(0);
        // Memory for the longest text that ever was is not kept for others.
        if s.text.capacity() > CHARACTERS {
            *s = Scratch::default();
        }
    })
}

/// The units of UTF-16LE without the blanks at the end.
fn wide(text: &[u8]) -> impl DoubleEndedIterator<Item = u16> + Clone + '_ {
    let all = units(text);
    let end = all.clone().rposition(|u| u != b' ' as u16).map_or(0, |i| i + 1);
    all.take(end)
}

fn narrow(text: &[u8]) -> impl DoubleEndedIterator<Item = u16> + Clone + '_ {
    let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
    text[..end].iter().map(|b| unit_of(*b))
}

/// The units of text of another code page, which is no ASCII.
fn of_page(c: Collation, text: &[u8]) -> Option<Vec<u16>> {
    let page = c.page();
    let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
    (!page.is_western() && !text.is_ascii()).then(|| page.units(&text[..end]))
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

/// The order of ASCII texts without blanks at their ends; `None` where hyphens and their like have to decide.
fn compare_ascii(
    c: Collation,
    ranks: &[u8; 128],
    mut a: impl DoubleEndedIterator<Item = u16> + Clone,
    mut b: impl DoubleEndedIterator<Item = u16> + Clone,
) -> Option<Ordering> {
    let weighs_nothing = |u: u16| ranks[usize::from(u)] == 0;
    // Blanks before a hyphen at the end are blanks at the end of the letters: rare, keys know.
    if [a.clone().next_back(), b.clone().next_back()].into_iter().flatten().any(weighs_nothing) {
        return None;
    }
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
        let mut next = |it: &mut dyn Iterator<Item = u16>| loop {
            match it.next() {
                Some(u) if weighs_nothing(u) => minimal = true,
                other => return other,
            }
        };
        match (next(&mut a), next(&mut b)) {
            (None, None) => break,
            (None, Some(_)) => return Some(Ordering::Less),
            (Some(_), None) => return Some(Ordering::Greater),
            (Some(x), Some(y)) => {
                let order = ranks[usize::from(x)].cmp(&ranks[usize::from(y)]);
                if order.is_ne() {
                    return Some(order);
                }
                if case.is_eq() && x != y && !c.ignores_case() {
                    case = is_upper(x).cmp(&is_upper(y));
                }
            }
        }
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
        && let Some(order) = compare_ascii(c, ranks, narrow(a), narrow(b))
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
    let ascii = |t: &[u8]| units(t).all(|u| u < 0x80);
    if let Some(ranks) = &weights(c).ascii
        && ascii(a)
        && ascii(b)
        && let Some(order) = compare_ascii(c, ranks, wide(a), wide(b))
    {
        return order;
    }
    compare_keys(c, wide(a), wide(b))
}

pub fn key_varchar(c: Collation, text: &[u8], out: &mut Vec<u8>) {
    match of_page(c, text) {
        Some(units) => append_key(c, units.into_iter(), out),
        None => append_key(c, narrow(text), out),
    }
}

pub fn key_nvarchar(c: Collation, text: &[u8], out: &mut Vec<u8>) {
    append_key(c, wide(text), out)
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

fn hash_of(c: Collation, text: impl Iterator<Item = u16>) -> u64 {
    KEYS.with_borrow_mut(|[key, _]| {
        key.clear();
        append_key(c, text, key);
        finish(key.iter().fold(SEED, |h, b| mix(h, u64::from(*b))))
    })
}

pub fn hash_varchar(c: Collation, text: &[u8]) -> u64 {
    match of_page(c, text) {
        Some(units) => hash_of(c, units.into_iter()),
        None => hash_of(c, narrow(text)),
    }
}

pub fn hash_nvarchar(c: Collation, text: &[u8]) -> u64 {
    hash_of(c, wide(text))
}

/// Each unit's rank among all: equal ranks are equal characters.
pub fn ranks(c: Collation) -> Box<[u16]> {
    let mut keys: Vec<(Vec<u8>, u16)> = (0..=u16::MAX)
        .map(|u| {
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
            (key, u)
        })
        .collect();
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

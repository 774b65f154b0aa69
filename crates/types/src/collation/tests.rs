use super::*;
use crate::codepage::{cp1252_to_utf16, encode_1252, encode_utf16};

const CI: Collation = Collation::DEFAULT;
/// Those whose characters each have one weight.
const SIMPLE: [Collation; 3] = [CI, Collation::LATIN1_GENERAL_BIN2, Collation::LATIN1_GENERAL_BIN];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Short texts over a small alphabet that is rich in blanks, controls and case pairs.
    fn text(&mut self) -> Vec<u8> {
        const ALPHABET: &[u8] = b"  \x00\x01\x1F!aAbBzZ09\xC9\xE9\xFD\xFE\xFF\x80\xA0";
        let len = self.next() % 6;
        (0..len).map(|_| ALPHABET[(self.next() % ALPHABET.len() as u64) as usize]).collect()
    }
}

fn key(c: Collation, text: &[u8], unicode: bool) -> Vec<u8> {
    let mut out = Vec::new();
    if unicode {
        c.sort_key_nvarchar(text, &mut out)
    } else {
        c.sort_key_varchar(text, &mut out)
    }
    out
}

#[test]
fn keys_order_as_comparison_does() {
    let mut random = Random(11);
    for c in SIMPLE {
        for _ in 0..40_000 {
            let (a, b) = (random.text(), random.text());
            let order = c.compare_varchar(&a, &b);
            let (ka, kb) = (key(c, &a, false), key(c, &b, false));
            assert_eq!(ka.cmp(&kb), order, "{c:?} {a:?} {b:?}");
            assert!(ka == kb || !kb.starts_with(&ka));
            if order.is_eq() {
                assert_eq!(c.hash_varchar(&a), c.hash_varchar(&b));
            }
            let (wa, wb) = (cp1252_to_utf16(&a), cp1252_to_utf16(&b));
            let wide = c.compare_nvarchar(&wa, &wb);
            assert_eq!(key(c, &wa, true).cmp(&key(c, &wb, true)), wide, "{c:?} {wa:?} {wb:?}");
            if !c.is_binary() {
                assert_eq!(wide, order, "nvarchar orders as varchar does");
            }
            if wide.is_eq() {
                assert_eq!(c.hash_nvarchar(&wa), c.hash_nvarchar(&wb));
            }
        }
    }
}

#[test]
fn keys_of_all_units_order_as_comparison_does() {
    let mut random = Random(5);
    for c in SIMPLE {
        for _ in 0..40_000 {
            let unit = |r: &mut Random| {
                let u = if r.next().is_multiple_of(2) {
                    r.next() as u16
                } else {
                    0xFFF8 + (r.next() % 8) as u16
                };
                u.to_le_bytes()
            };
            let a = [unit(&mut random), unit(&mut random)].concat();
            let b = [unit(&mut random), unit(&mut random)].concat();
            assert_eq!(key(c, &a, true).cmp(&key(c, &b, true)), c.compare_nvarchar(&a, &b));
        }
    }
}

#[test]
fn weights_of_bytes_and_units_agree() {
    for a in 0..=255u8 {
        for b in 0..=255u8 {
            let units = (crate::codepage::unit_of(a), crate::codepage::unit_of(b));
            assert_eq!(
                CI.simple_byte(a).cmp(&CI.simple_byte(b)),
                CI.simple_unit(units.0).cmp(&CI.simple_unit(units.1)),
                "{a:02X} {b:02X}"
            );
        }
    }
}

#[test]
fn case_is_ignored_and_accents_are_not() {
    let eq = |a: &str, b: &str| {
        let narrow = CI.compare_varchar(&encode_1252(a), &encode_1252(b)).is_eq();
        let wide = CI.compare_nvarchar(&encode_utf16(a), &encode_utf16(b)).is_eq();
        assert_eq!(narrow, wide, "{a} {b}");
        assert_eq!(CI.eq_str(a, b), wide, "{a} {b}");
        wide
    };
    assert!(eq("abc", "ABC"));
    assert!(eq("É", "é"));
    assert!(!eq("e", "é"));
    assert!(eq("a", "a   "));
    assert!(!eq("ß", "ss"));
    assert!(eq("Ÿ", "ÿ"));
    assert!(CI.eq_str("ΓΔΩ", "γδω"));
    assert!(CI.eq_str("Привет", "пРИВЕТ"));
    assert!(!Collation::LATIN1_GENERAL_BIN2.eq_str("a", "A"));
}

#[test]
fn order_of_the_tables() {
    let less = |a: &str, b: &str| CI.compare_varchar(&encode_1252(a), &encode_1252(b)).is_lt();
    for pair in ["!,0", "0,a", "9,A", "a,á", "á,b", "Z,þ", "a-c,ab", "_,a", "[,0"] {
        let (a, b) = pair.split_once(',').unwrap();
        let wide = CI.compare_nvarchar(&encode_utf16(a), &encode_utf16(b)).is_lt();
        assert_eq!(less(a, b), wide);
        assert_eq!(wide, pair != "Z,þ", "{pair}");
    }
}

#[test]
fn names_and_numbers() {
    for c in SIMPLE {
        assert_eq!(Collation::from_name(&c.name().to_lowercase()), Some(c));
        assert_eq!(Collation::from_stored(c.stored()), Some(c));
        assert_eq!(Collation::from_tds(c.tds()), Some(c));
    }
    // What data directories have had from the beginning.
    assert_eq!(SIMPLE.map(Collation::stored), [1, 2, 3]);
    assert_eq!(CI.change_case_byte(true, 0xFF), 0x9F);
    assert_eq!(CI.change_case_byte(true, 0xDF), 0xDF);
}

/// A varchar key is sought by an nvarchar value: letters of the code page are equal as bytes exactly where they are equal as units.
#[test]
fn bytes_are_equal_where_their_units_are() {
    for collation in SIMPLE {
        let units: Vec<u16> = (0..=255u8)
            .map(|b| {
                crate::codepage::units(&crate::codepage::cp1252_to_utf16(&[b])).next().unwrap()
            })
            .collect();
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                let (x, y) = (units[a as usize], units[b as usize]);
                assert_eq!(
                    collation.simple_byte(a) == collation.simple_byte(b),
                    collation.simple_unit(x) == collation.simple_unit(y),
                    "{a:#x} {b:#x} under {}",
                    collation.name()
                );
            }
        }
    }
}

/// What data directories have had from the beginning: indexes hold these keys.
#[test]
fn keys_of_the_first_collations_stay_as_they_are() {
    let mut random = Random(88172645463325252);
    let mut h = SEED;
    for c in SIMPLE {
        for _ in 0..20_000 {
            let text: Vec<u8> = (0..random.next() % 7)
                .flat_map(|_| {
                    let r = random.next();
                    let unit = (r >> 8) as u16;
                    let unit = match r % 4 {
                        0 => 0x20 + unit % 3,
                        1 => unit % 0x100,
                        2 => unit % 0x600,
                        _ => unit,
                    };
                    unit.to_le_bytes()
                })
                .collect();
            for unicode in [true, false] {
                h = key(c, &text, unicode).iter().fold(h, |h, b| mix(h, u64::from(*b)));
            }
        }
    }
    assert_eq!(h, 0x6304630AC3B8B630);
}

mod levels;
mod pages;
mod registered;

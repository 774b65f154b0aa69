//! Collations that compare in levels: SQL Server's sort orders and Windows' collations.

use super::*;

fn named(name: &str) -> Collation {
    Collation::from_name(name).unwrap_or_else(|| panic!("{name} is registered"))
}

fn wide(c: Collation, a: &str, b: &str) -> Ordering {
    c.compare_nvarchar(&encode_utf16(a), &encode_utf16(b))
}

fn narrow(c: Collation, a: &str, b: &str) -> Ordering {
    c.compare_varchar(&encode_1252(a), &encode_1252(b))
}

/// Keys order as comparison does, equal texts have equal keys and hashes, and no key begins another.
fn check(c: Collation, unicode: bool, a: &[u8], b: &[u8]) {
    let order = match unicode {
        true => c.compare_nvarchar(a, b),
        false => c.compare_varchar(a, b),
    };
    let (ka, kb) = (key(c, a, unicode), key(c, b, unicode));
    let name = c.name();
    assert_eq!(ka.cmp(&kb), order, "{name} {unicode} {a:02X?} {b:02X?}");
    assert!(ka == kb || !kb.starts_with(&ka), "{name} {a:02X?} {b:02X?}");
    if order.is_eq() {
        let hash = |t: &[u8]| if unicode { c.hash_nvarchar(t) } else { c.hash_varchar(t) };
        assert_eq!(hash(a), hash(b), "{name} {a:02X?} {b:02X?}");
    }
    let mut start = Vec::new();
    let both = [a, b].concat();
    let blank = if unicode { a.ends_with(b" \0") } else { a.ends_with(b" ") };
    if !a.is_empty() && !blank && !unicode && a.is_ascii() {
        c.key_beginning_varchar(a, &mut start);
        assert!(key(c, &both, false).starts_with(&start), "{name} {a:02X?} {b:02X?}");
    }
}

#[test]
fn keys_order_as_comparison_does_in_every_family() {
    const UNITS: [u16; 40] = [
        0x20, 0x20, 0x2D, 0x27, 0x61, 0x41, 0x62, 0x63, 0x68, 0x64, 0x7A, 0x53, 0x73, 0x74, 0x65,
        0x69, 0x49, 0x6A, 0x6C, 0x6E, 0x31, 0x32, 0xB2, 0xC9, 0xE9, 0xE6, 0xC6, 0xDF, 0xFE, 0x301,
        0x3042, 0x30A2, 0xFF71, 0xFF21, 0x4E00, 0x416, 0x436, 0x03B1, 0xD83D, 0xDE00,
    ];
    const BYTES: &[u8] =
        b"  -'aAbcChsStTzeEiInlLj12\xC9\xE9\xE6\xC6\xDF\xFE\xB2\x09\x01\xE7\xC7y\xFF";
    let mut random = Random(77);
    let mut alphabets = 0;
    for c in Collation::all().filter(|c| !c.is_binary() && c.missing(false).is_none()) {
        // Every alphabet, and all sensitivities of one.
        let some =
            c.ignores_kana() && c.ignores_width() && c.version() % 2 == 0 && !c.is_supplementary();
        if c == CI || !(some || c.family() == 8 && c.sort_order() == 0) {
            continue;
        }
        alphabets += 1;
        let narrow = c.missing(true).is_none();
        for _ in 0..300 {
            let mut text = || -> Vec<u8> {
                let n = random.next() % 5;
                (0..n)
                    .flat_map(|_| {
                        UNITS[(random.next() % UNITS.len() as u64) as usize].to_le_bytes()
                    })
                    .collect()
            };
            check(c, true, &text(), &text());
            let mut text = || -> Vec<u8> {
                let n = random.next() % 5;
                (0..n).map(|_| BYTES[(random.next() % BYTES.len() as u64) as usize]).collect()
            };
            if narrow {
                check(c, false, &text(), &text());
            }
        }
    }
    assert!(alphabets > 250, "{alphabets}");
}

#[test]
fn sensitivities_of_windows() {
    let eq = |name: &str, a: &str, b: &str| {
        let wide = wide(named(name), a, b).is_eq();
        if a.chars().chain(b.chars()).all(|c| crate::codepage::byte_of(c as u32 as u16).is_some()) {
            assert_eq!(narrow(named(name), a, b).is_eq(), wide, "{name} {a} {b}");
        }
        wide
    };
    let ci_as = "Latin1_General_CI_AS";
    for (a, b) in [
        ("abc", "ABC"),
        ("a", "a   "),
        ("ß", "ss"),
        ("Æ", "ae"),
        ("Œ", "oe"),
        ("Ａ", "a"),
        ("あ", "ア"),
        ("ｱ", "あ"),
        ("e\u{301}", "É"),
        ("²", "2"),
        ("ﬁ", "FI"),
        ("a\u{378}b", "ab"),
        ("a\u{0}b", "ab"),
    ] {
        assert!(eq(ci_as, a, b), "{a} = {b}");
    }
    for (a, b) in [
        ("e", "é"),
        ("co-op", "coop"),
        ("it's", "its"),
        ("a", "a\u{A0}"),
        ("ª", "a"),
        ("µ", "μ"),
        ("½", "1/2"),
        ("№", "No"),
        ("a", "а"),
    ] {
        assert!(!eq(ci_as, a, b), "{a} <> {b}");
    }
    assert!(eq("Latin1_General_CI_AI", "é", "E"));
    assert!(!eq("Latin1_General_CS_AI", "é", "E"));
    assert!(eq("Latin1_General_CS_AI", "é", "e"));
    assert!(!eq("Latin1_General_CS_AS", "a", "A"));
    assert!(!eq("Latin1_General_CI_AS_KS", "あ", "ア"));
    assert!(eq("Latin1_General_CI_AS_KS", "a", "A"));
    assert!(!eq("Latin1_General_CI_AS_WS", "Ａ", "A"));
    assert!(eq("Latin1_General_CI_AS_WS", "あ", "ア"));
    // Characters beyond the first plane weigh nothing in version 80.
    assert!(eq(ci_as, "😀", ""));
    assert!(!eq("Latin1_General_100_CI_AS", "😀", "😁"));
    // Variation selectors count under _VSS, after all else.
    for selected in ["葛\u{E0100}", "葛\u{FE00}"] {
        assert!(eq("Japanese_XJIS_140_CI_AS", "葛", selected));
        assert!(eq("Japanese_XJIS_100_CI_AS", "葛", "葛\u{FE00}"));
        assert!(wide(named("Japanese_XJIS_140_CI_AS_VSS"), "葛", selected).is_lt());
    }
    assert!(!eq("Japanese_XJIS_140_CI_AS_VSS", "葛\u{E0100}", "葛\u{E0101}"));
    // The languages' own letters.
    assert!(eq("Finnish_Swedish_CI_AI", "v", "W"));
    assert!(!eq("Finnish_Swedish_100_CI_AI", "v", "W"));
    assert!(!eq("Finnish_Swedish_CI_AI", "a", "å"));
    assert!(eq("German_PhoneBook_CI_AI", "ä", "ae"));
    assert!(!eq("Turkish_CI_AS", "I", "i"));
    assert!(eq("Turkish_CI_AS", "İ", "i"));
    assert!(!eq("Danish_Norwegian_CI_AI", "å", "a"));
}

#[test]
fn orders_of_windows() {
    let sorted = |name: &str, list: &str| {
        let all: Vec<&str> = list.split(' ').collect();
        for pair in all.windows(2) {
            assert!(
                wide(named(name), pair[0], pair[1]).is_lt(),
                "{name}: {} < {}",
                pair[0],
                pair[1]
            );
        }
    };
    sorted("Latin1_General_CS_AS", "coop co-op coops");
    sorted("Latin1_General_CS_AS", "_ , ; : ! ? . 1 2 a A à À Ao b B");
    sorted("Latin1_General_CS_AS", "cafe Cafe café caff");
    sorted("Latin1_General_CI_AS", "z α ж");
    sorted("Cyrillic_General_CI_AS", "z α ж я");
    sorted("Ukrainian_CI_AS", "z г ґ д");
    sorted("Czech_CI_AS", "c č d h ch i");
    sorted("Traditional_Spanish_CI_AS", "cz ch d l lz ll m n ñ o");
    sorted("Modern_Spanish_CI_AS", "cg ch ci n nz ñ o");
    sorted("Danish_Norwegian_CI_AS", "ab z æ ø å");
    sorted("Finnish_Swedish_100_CI_AS", "a z å ä ö");
    sorted("Japanese_CI_AS", "a あ 亜");
    sorted("Turkish_CI_AS", "h ı i j");
    sorted("Polish_CI_AS", "az ą b l ł m");
}

#[test]
fn sort_orders_of_code_page_1252() {
    let (cs, ci, ai) = (
        named("SQL_Latin1_General_CP1_CS_AS"),
        named("SQL_Latin1_General_Pref_CP1_CI_AS"),
        named("SQL_Latin1_General_CP1_CI_AI"),
    );
    for (a, b) in [
        ("A", "a"),
        ("a", "B"),
        ("ae", "æ"),
        ("ss", "ß"),
        ("cafe", "café"),
        ("café", "caff"),
        ("coop", "da"),
        ("co-op", "coop"),
        ("Š", "a"),
        ("a\t", "a"),
    ] {
        assert!(narrow(cs, a, b).is_lt(), "{a} < {b}");
    }
    assert!(narrow(ci, "A", "a").is_eq() && narrow(ci, "É", "é").is_eq());
    assert!(!narrow(ci, "e", "é").is_eq() && !narrow(ci, "š", "Š").is_eq());
    assert!(narrow(ai, "É", "e").is_eq() && !narrow(ai, "ç", "c").is_eq());
    // As nvarchar they are compared as Windows does.
    assert!(wide(cs, "a", "A").is_lt() && wide(ai, "æ", "AE").is_eq());
}

/// Indexes hold these keys: what changes them changes the file format.
#[test]
fn keys_stay_as_they_are() {
    let mut random = Random(99);
    let mut h = SEED;
    for name in [
        "Latin1_General_CI_AS",
        "Latin1_General_100_CS_AS",
        "Latin1_General_CI_AI",
        "French_100_CI_AS",
        "Czech_CS_AS",
        "Japanese_CI_AS",
        "Turkish_100_CI_AS",
        "Cyrillic_General_CI_AS",
        "Chinese_PRC_CI_AS",
        "SQL_Latin1_General_CP1_CS_AS",
    ] {
        let c = named(name);
        for _ in 0..2_000 {
            let mut unit = |from: u16, n: u64| (from + (random.next() % n) as u16).to_le_bytes();
            let text = [
                unit(0x20, 0x60),
                unit(0xA0, 0x160),
                unit(0x370, 0x100),
                unit(0x3041, 0xB0),
                unit(0x4E00, 0x5000),
            ];
            for b in key(c, &text.concat(), true) {
                h = mix(h, b.into());
            }
        }
    }
    assert_eq!(h, 0xE7518B714C1CE87A);
}

#[test]
fn weights_of_characters_are_equal_where_they_are() {
    for name in ["Latin1_General_CI_AS", "Latin1_General_CS_AS", "SQL_Latin1_General_CP1_CI_AI"] {
        let c = named(name);
        let w = c.weights();
        for a in 0x20..=0xFFu8 {
            for b in 0x20..=0xFFu8 {
                if a == b' ' || b == b' ' {
                    continue;
                }
                let (x, y) = (c.compare_varchar(&[a], &[b]), w.byte(a).cmp(&w.byte(b)));
                assert_eq!(x, y, "{name} {a:02X} {b:02X}");
            }
        }
    }
}

/// CHECKSUM makes its number of these.
#[test]
fn letters_of_equal_texts_are_equal() {
    let letters = |name: &str, text: &str| named(name).letters(text.encode_utf16());
    let ai = "Latin1_General_100_CI_AI";
    for text in ["DEJA", "déjà", "De\u{301}ja\u{300}", "ｄeja", "dejà", "đeja"] {
        let same = wide(named(ai), text, "deja").is_eq();
        assert_eq!(letters(ai, text) == letters(ai, "deja"), same, "{text}");
    }
    assert_eq!(letters(ai, "a-b "), letters(ai, "AB"));
    assert_eq!(letters(ai, "æß"), letters(ai, "aess"));
    assert_eq!(letters("Latin1_General_CS_AS", "É"), "E".encode_utf16().collect::<Vec<_>>());
    assert_eq!(letters("Japanese_CI_AS", "カ"), letters("Japanese_CI_AS", "ｶ"));
    assert_eq!(letters("Turkish_CI_AS", "Iı"), letters("Turkish_CI_AS", "ıI"));
    assert_ne!(letters("Turkish_CI_AS", "I"), letters("Turkish_CI_AS", "i"));
    assert_eq!(letters("German_PhoneBook_CI_AI", "ä"), letters("German_PhoneBook_CI_AI", "ae"));
}

//! Text of other code pages, and keys of ASCII.

use super::super::{Collation, windows};
use crate::codepage::{CodePage, encode_utf16};

fn named(name: &str) -> Collation {
    Collation::from_name(name).unwrap()
}

#[test]
fn text_of_a_page_orders_as_its_nvarchar() {
    for (name, texts) in [
        ("Cyrillic_General_CI_AS", &["ель", "Ёлка", "ЖУК", "жук", "a b", "я"][..]),
        ("Polish_CS_AS", &["a", "ą", "Ł", "ł", "z", "ż"]),
        ("Japanese_CI_AS", &["日本", "ア", "あ", "ｱ", "a"]),
        ("Latin1_General_100_CI_AS_SC_UTF8", &["é", "😀", "日", "ss", "ß", "z"]),
    ] {
        let c = named(name);
        let page = c.page();
        for a in texts {
            for b in texts {
                let (x, y) = (page.encode(a), page.encode(b));
                let (wx, wy) = (encode_utf16(a), encode_utf16(b));
                let order = c.compare_nvarchar(&wx, &wy);
                assert_eq!(c.compare_varchar(&x, &y), order, "{name}: {a} {b}");
                let (mut k, mut l) = (Vec::new(), Vec::new());
                c.sort_key_varchar(&x, &mut k);
                c.sort_key_nvarchar(&wx, &mut l);
                assert_eq!(k, l, "{name}: {a}");
                assert_eq!(c.hash_varchar(&x), c.hash_nvarchar(&wx), "{name}: {a}");
            }
        }
    }
}

#[test]
fn the_page_of_a_collation_is_told_by_its_five_bytes() {
    for c in Collation::all().filter(|c| c.code_page() != 0) {
        assert_eq!(Collation::page_of_tds(c.tds()), c.page(), "{}", c.name());
    }
    assert_eq!(Collation::page_of_tds([0; 5]), CodePage::WESTERN);
}

/// The keys that indexes hold stay as they are: the quick way makes those that CLDR's tables make.
#[test]
fn keys_of_ascii_are_those_of_the_tables() {
    for name in
        ["Latin1_General_CI_AS", "Latin1_General_CS_AI", "Turkish_CI_AS", "French_CS_AS_KS_WS"]
    {
        let c = named(name);
        assert!(windows::has_ascii_keys(c), "{name}");
        for text in
            ["", "a", "A b", "co-op", "-", " a ", "a -", "it's 12.5%", "\u{1}x\u{0}y\t", "ABC'"]
        {
            let units: Vec<u16> = text.trim_end_matches(' ').encode_utf16().collect();
            let (mut quick, mut slow) = (Vec::new(), Vec::new());
            c.sort_key_nvarchar(&encode_utf16(text), &mut quick);
            windows::append_by_tables(c, &units, &mut slow);
            assert_eq!(quick, slow, "{name}: {text:?}");
        }
    }
}

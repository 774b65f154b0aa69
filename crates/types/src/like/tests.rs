use super::*;
use crate::codepage::encode_utf16;

#[test]
fn what_stands_before_the_first_wildcard() {
    let of = |pattern: &str, escape: Option<&str>| {
        let escape = escape.map(Value::nvarchar);
        let wide = beginning(&Value::nvarchar(pattern), escape.as_ref(), CodePage::WESTERN);
        let narrow = beginning(&Value::varchar(pattern), escape.as_ref(), CodePage::WESTERN);
        assert_eq!(wide, narrow, "{pattern}");
        wide.map(|b| Value::NVarChar(b).as_text().unwrap())
    };
    for (pattern, text) in
        [("ab%", "ab"), ("a b_c", "a b"), ("ab [x]", "ab"), ("ab  ", "ab"), ("%a", ""), ("", "")]
    {
        assert_eq!(of(pattern, None).as_deref(), Some(text), "{pattern}");
    }
    assert_eq!(of("10!%%", Some("!")).as_deref(), Some("10%"));
    assert_eq!(of("a!", Some("!")).as_deref(), Some("a"));
    assert_eq!(of("a!_", Some("!!")), None);
}

fn like(text: &str, pattern: &str, escape: Option<char>) -> bool {
    let escape = escape.map(|c| c as u16);
    let c = Collation::default();
    let wide = Pattern::new(&encode_utf16(pattern), true, escape, c).matches(&encode_utf16(text));
    let narrow = Pattern::new(pattern.as_bytes(), false, escape, c).matches(text.as_bytes());
    assert!(narrow == wide || text.ends_with(' '), "{text} {pattern}");
    narrow
}

#[test]
fn patterns() {
    for (text, pattern, expected) in [
        ("abc", "ABC", true),
        ("abc", "a%", true),
        ("abc", "%c", true),
        ("abc", "a_c", true),
        ("abc", "a_", false),
        ("abc", "", false),
        ("", "", true),
        ("", "%", true),
        ("abcabd", "%ab_", true),
        ("aXbXc", "a%b%c", true),
        ("abc", "[a-c][^x-z]c", true),
        ("abc", "[^a]bc", false),
        ("5-", "5[-]", true),
        ("a]", "a]", true),
        ("a", "a[", false),
        ("a[", "a[[]", true),
        ("abc ", "abc", true),
        ("abc", "abc ", false),
        ("mississippi", "%iss%ip%", true),
        ("mississippi", "%iss%ipx%", false),
        ("é", "[a-f]", true),
    ] {
        if text.is_ascii() {
            assert_eq!(like(text, pattern, None), expected, "{text} LIKE {pattern}");
        }
    }
    assert!(like("50%", "50!%", Some('!')));
    assert!(!like("500", "50!%", Some('!')));
    assert!(!like("50!", "50!", Some('!')));
    assert!(like("a_b", "a\\_b", Some('\\')));
}

#[test]
fn trailing_blanks_count_for_nvarchar() {
    let p = Pattern::new(&encode_utf16("abc"), true, None, Collation::default());
    assert!(!p.matches(&encode_utf16("abc ")));
}

#[test]
fn patindex() {
    let position = |pattern: &str, text: &str| {
        Pattern::new(pattern.as_bytes(), false, None, Collation::default())
            .position(text.as_bytes())
    };
    assert_eq!(position("%ter%", "interesting data"), 3);
    assert_eq!(position("%[0-9]%", "abc123"), 4);
    assert_eq!(position("ter%", "interesting"), 0);
    assert_eq!(position("int%", "interesting"), 1);
    assert_eq!(position("%g", "interesting"), 11);
    assert_eq!(position("%", "x"), 1);
}

#[test]
fn letters_of_a_linguistic_collation() {
    let windows = Collation::from_name("Latin1_General_CI_AS").unwrap();
    let folding = Collation::from_name("Latin1_General_CI_AI").unwrap();
    let like = |text: &str, pattern: &str, c: Collation| {
        Pattern::new(&encode_utf16(pattern), true, None, c).matches(&encode_utf16(text))
    };
    for (text, pattern, expected) in [
        ("ß", "ss", true),
        ("ss", "ß", true),
        ("Straße", "STRASSE", true),
        ("ß", "s%", false),
        ("ß", "_", true),
        ("ß", "__", false),
        ("aßb", "a%b", true),
        ("aßb", "%sb", false),
        ("æ", "a_", false),
        ("e\u{301}", "_", true),
        ("e\u{301}", "é", true),
        ("é", "e\u{301}", true),
        ("e\u{301}x", "ex", false),
        ("e\u{301}x", "[d-f]x", true),
        ("x\u{30C}", "x\u{30C}", true),
        ("x\u{30C}", "x", false),
        ("a\u{378}b", "a_", true),
        ("abc", "A_C", true),
    ] {
        assert_eq!(like(text, pattern, windows), expected, "{text} LIKE {pattern}");
    }
    assert!(like("cafe\u{301}", "%E", folding));
    assert!(like("café", "cafe", folding));
    let narrow = Pattern::new(b"ss", false, None, windows);
    assert!(narrow.matches(b"\xDF") && narrow.matches(b"\xDF ") && !narrow.matches(b"\xDFs"));
    let place = |pattern: &str, text: &str| {
        Pattern::new(&encode_utf16(pattern), true, None, windows).position(&encode_utf16(text))
    };
    assert_eq!(place("%ss%", "abßc"), 3);
    assert_eq!(place("%c%", "e\u{301}c"), 3);
    assert!(!like("ß", "ss", Collation::DEFAULT));
}

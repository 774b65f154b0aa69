//! Texts without the passwords that stand in them.

use std::borrow::Cow;

/// What stands in place of a password.
const HIDDEN: &str = "******";

fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// Where a word that ends with `password` ends, at or behind `from`.
fn word(bytes: &[u8], from: usize) -> Option<usize> {
    const WORD: &[u8] = b"password";
    let rest = bytes.get(from..)?;
    let ends = |w: &[u8]| w.eq_ignore_ascii_case(WORD);
    let at = rest.windows(WORD.len()).position(ends)? + from + WORD.len();
    match bytes.get(at) {
        // Part of a longer word.
        Some(b) if in_word(*b) => word(bytes, at),
        _ => Some(at),
    }
}

/// A value behind `at`, if `=` stands before it: what is to be hidden. Within a text quotation marks are double.
fn value(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let blanks = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    // [a password] = and "a password" = are names too.
    at += usize::from(matches!(bytes.get(at), Some(b']' | b'"')));
    at = blanks(at);
    if bytes.get(at) != Some(&b'=') {
        return None;
    }
    at = blanks(at + 1);
    if bytes.get(at).is_some_and(|b| b.eq_ignore_ascii_case(&b'N')) {
        at += 1;
    }
    let quotes = |at: usize| bytes[at..].iter().take_while(|b| **b == b'\'').count();
    let hex = |b: &[u8]| b.eq_ignore_ascii_case(b"0x");
    if bytes.get(at..at + 2).is_some_and(hex) {
        let end = bytes[at + 2..].iter().position(|b| !b.is_ascii_hexdigit());
        return Some((at, end.map_or(bytes.len(), |n| at + 2 + n)));
    }
    let open = quotes(at.min(bytes.len()));
    if open == 0 {
        return None;
    }
    let behind = bytes.get(at + open).copied();
    let ended = behind.is_none_or(|b| b.is_ascii_whitespace() || b",;)".contains(&b));
    if open.is_multiple_of(2) && ended {
        // An empty one.
        return Some((at + open / 2, at + open / 2));
    }
    // How many marks one of them is here: a power of two, by how deep it stands.
    let mark = 1 << open.trailing_zeros();
    let first = at + mark;
    let mut end = first;
    while end < bytes.len() {
        let run = quotes(end);
        match run / mark {
            0 => end += run.max(1),
            // The last of an odd number closes it.
            n if n % 2 == 1 => return Some((first, end + (n - 1) * mark)),
            _ => end += run,
        }
    }
    Some((first, bytes.len()))
}

/// Passwords hidden: what stands behind `PASSWORD =`, and behind names that end so.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(end) = word(bytes, at) {
        at = end;
        let Some((first, last)) = value(bytes, end) else { continue };
        if let (Some(before), true) = (text.get(copied..first), text.is_char_boundary(last)) {
            out.push_str(before);
            out.push_str(HIDDEN);
            (copied, at) = (last, last);
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn passwords_are_hidden() {
        for (text, want) in [
            (
                "CREATE LOGIN a WITH PASSWORD = 'x''y', CHECK_POLICY = OFF",
                "CREATE LOGIN a WITH PASSWORD = '******', CHECK_POLICY = OFF",
            ),
            (
                "alter login a with password=N'geheim' old_password='alt'",
                "alter login a with password=N'******' old_password='******'",
            ),
            (
                "CREATE LOGIN a WITH PASSWORD = 0x0200ff HASHED",
                "CREATE LOGIN a WITH PASSWORD = ****** HASHED",
            ),
            (
                "EXEC ('CREATE LOGIN a WITH PASSWORD = ''secret''')",
                "EXEC ('CREATE LOGIN a WITH PASSWORD = ''******''')",
            ),
            (
                "EXEC p @rmtpassword = 'secret', @x = 'y'",
                "EXEC p @rmtpassword = '******', @x = 'y'",
            ),
            ("SELECT [my password] = 'x' FROM t", "SELECT [my password] = '******' FROM t"),
            ("WITH PASSWORD = ''", "WITH PASSWORD = '******'"),
            ("WITH PASSWORD = 'open", "WITH PASSWORD = '******"),
            ("SELECT password, 'x' FROM t", "SELECT password, 'x' FROM t"),
            ("SELECT passwords = 'x'", "SELECT passwords = 'x'"),
            ("PASSWORD = @p", "PASSWORD = @p"),
            ("PASSWORD =", "PASSWORD ="),
            ("PASSWORD = N", "PASSWORD = N"),
            ("PASSWORD = 'ü日", "PASSWORD = '******"),
        ] {
            assert_eq!(masked(text), want, "{text}");
        }
    }

    #[test]
    fn any_text_is_taken() {
        let mut seed = 3_u64;
        let parts = ["PASSWORD", "=", "'", "''", " ", "N", "0x", "ü", "]", "\"", "a", ",", "日"];
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(parts[(seed >> 33) as usize % parts.len()]);
            }
            masked(&text);
        }
    }
}

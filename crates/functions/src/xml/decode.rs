//! The text of what becomes xml: its characters, and the encoding that its declaration names.
//!
//! | source | read as |
//! |---|---|
//! | nvarchar | UTF-16; a declaration may name no other (9402) |
//! | varchar | what the declaration names, of one byte a character or UTF-8 (9402 for UTF-16), else the code page |
//! | varbinary | what its byte order mark, a `<` of two bytes or its declaration tells, else UTF-8 |
//!
//! What cannot be read becomes U+FFFF, which XML does not allow: whoever reads on tells the place.

use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{CodePage, Value};

const UNREADABLE: char = '\u{FFFF}';

/// Encodings that a declaration may name.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Utf8,
    Utf16,
    /// Code page 1252 and what it holds.
    Western,
    /// One that there is, and that is not built.
    Other,
}

/// The text of a value; char and varchar are of this code page.
pub(super) fn text_of(v: &Value, page: CodePage) -> SqlResult<Option<String>> {
    Ok(Some(match v {
        Value::NVarChar(b) => {
            let text = utf16(b.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])));
            match declared(&text)? {
                None | Some((Encoding::Utf16, _)) => text,
                Some((_, end)) => return Err(cannot_switch(end)),
            }
        }
        Value::VarChar(b) => narrow(b, |b| page.decode(b), true)?,
        Value::Binary(b) => match &b[..] {
            [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
            [0xFF, 0xFE, rest @ ..] => utf16(pairs(rest).map(u16::from_le_bytes)),
            [0xFE, 0xFF, rest @ ..] => utf16(pairs(rest).map(u16::from_be_bytes)),
            all @ [b'<', 0, ..] => utf16(pairs(all).map(u16::from_le_bytes)),
            all @ [0, b'<', ..] => utf16(pairs(all).map(u16::from_be_bytes)),
            all => narrow(all, utf8, false)?,
        },
        _ => return Ok(None),
    }))
}

fn pairs(b: &[u8]) -> impl Iterator<Item = [u8; 2]> + '_ {
    b.chunks_exact(2).map(|c| [c[0], c[1]])
}

fn utf16(units: impl Iterator<Item = u16>) -> String {
    char::decode_utf16(units).map(|c| c.unwrap_or(UNREADABLE)).collect()
}

fn utf8(b: &[u8]) -> String {
    let mut out = String::with_capacity(b.len());
    for chunk in b.utf8_chunks() {
        out.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            out.push(UNREADABLE);
        }
    }
    out
}

/// Bytes of which a declaration can be read before its encoding is known.
fn narrow(b: &[u8], otherwise: impl Fn(&[u8]) -> String, code_page: bool) -> SqlResult<String> {
    // A declaration is short; what is behind it is not looked at.
    let begin = &b[..b.len().min(200)];
    let begin: String = begin.iter().map(|b| char::from(*b)).collect();
    Ok(match declared(&begin)? {
        None => otherwise(b),
        Some((Encoding::Utf8, _)) => utf8(b),
        Some((Encoding::Western, _)) => taffrail_types::codepage::decode_1252(b),
        Some((Encoding::Utf16, end)) => return Err(cannot_switch(end)),
        Some((Encoding::Other, _)) if code_page && b.is_ascii() => otherwise(b),
        Some((Encoding::Other, _)) => {
            return Err(taffrail_base::message::unsupported("XML in this encoding"));
        }
    })
}

fn cannot_switch(end: usize) -> Box<SqlError> {
    SqlError::new(9402, &[&1, &end])
}

/// The encoding that a declaration names, and how many characters the declaration has: 9401 for one that there is not.
fn declared(text: &str) -> SqlResult<Option<(Encoding, usize)>> {
    let Some(rest) = text.strip_prefix("<?xml") else { return Ok(None) };
    let Some(end) = rest.find("?>") else { return Ok(None) };
    let Some(at) = rest[..end].find("encoding") else { return Ok(None) };
    let value = rest[at + "encoding".len()..end].trim_start();
    let Some(value) = value.strip_prefix('=').map(str::trim_start) else { return Ok(None) };
    let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return Ok(None);
    };
    let Some(name) = value[1..].split(quote).next() else { return Ok(None) };
    let end = "<?xml".len() + end + "?>".len();
    match encoding(&name.to_ascii_lowercase()) {
        Some(encoding) => Ok(Some((encoding, end))),
        None => Err(SqlError::new(9401, &[&1, &end])),
    }
}

fn encoding(name: &str) -> Option<Encoding> {
    Some(match name {
        "utf-8" | "utf8" => Encoding::Utf8,
        "utf-16" | "utf-16le" | "ucs-2" | "iso-10646-ucs-2" | "unicode" => Encoding::Utf16,
        "us-ascii" | "ascii" | "iso-8859-1" | "latin1" | "windows-1252" | "cp1252" => {
            Encoding::Western
        }
        "shift_jis" | "gb2312" | "gbk" | "gb18030" | "big5" | "euc-kr" | "euc-jp"
        | "iso-2022-jp" | "koi8-r" | "koi8-u" | "ibm437" | "ibm850" => Encoding::Other,
        other => {
            let number = other.strip_prefix("windows-125").or(other.strip_prefix("iso-8859-"))?;
            number.parse::<u8>().ok().filter(|n| *n <= 16).map(|_| Encoding::Other)?
        }
    })
}

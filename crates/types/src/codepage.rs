//! Code pages, UTF-16 and UTF-8.
//!
//! Text lives in values as it is stored and sent: `varchar` in its collation's code page ([`CodePage`]), `nvarchar` as UTF-16LE. UTF-8 is
//! what the rest of the program speaks. A character that a code page lacks becomes the nearest one that it has (Windows' best fit), else
//! `?` for each of its code units.
//!
//! Bytes that Windows leaves open are the control characters of the same number or characters for private use, so every byte of a page of
//! one byte converts to UTF-16 and back.

mod page;
mod tables;

use crate::Bytes;
use encoding_rs::WINDOWS_1252;
pub use page::CodePage;

/// The code unit of each byte from 0x80 to 0x9F; outside them bytes are Latin-1.
pub(crate) const HIGH_CONTROLS: [u16; 32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
];

/// The UTF-16 code unit of a byte of code page 1252.
#[inline]
pub const fn unit_of(byte: u8) -> u16 {
    if byte >= 0x80 && byte < 0xA0 { HIGH_CONTROLS[byte as usize - 0x80] } else { byte as u16 }
}

/// The byte of code page 1252 of a UTF-16 code unit.
#[inline]
pub fn byte_of(unit: u16) -> Option<u8> {
    match unit {
        0..=0x7F | 0xA0..=0xFF => Some(unit as u8),
        _ => HIGH_CONTROLS.iter().position(|u| *u == unit).map(|i| i as u8 + 0x80),
    }
}

/// UTF-8 to code page 1252, the nearest character or `?` for each UTF-16 code unit that it does not have.
pub fn encode_1252(s: &str) -> Bytes {
    CodePage::WESTERN.encode(s)
}

/// Code page 1252 to UTF-8.
pub fn decode_1252(b: &[u8]) -> String {
    WINDOWS_1252.decode_without_bom_handling(b).0.into_owned()
}

/// Encodes UTF-8 as UTF-16LE.
pub fn encode_utf16(s: &str) -> Bytes {
    let mut out = Bytes::with_capacity(s.len() * 2);
    for unit in s.encode_utf16() {
        out.extend_from_slice(&unit.to_le_bytes());
    }
    out
}

/// The code units of UTF-16LE; an odd last byte is left out.
#[inline]
pub fn units(b: &[u8]) -> impl DoubleEndedIterator<Item = u16> + ExactSizeIterator + Clone + '_ {
    b.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]]))
}

/// Whether UTF-16LE is ASCII.
pub(crate) fn is_ascii(text: &[u8]) -> bool {
    text.chunks_exact(2).fold(0, |all, unit| all | unit[1] | unit[0] & 0x80) == 0
}

/// UTF-16LE to UTF-8; lone surrogates become U+FFFD.
pub fn decode_utf16(b: &[u8]) -> String {
    char::decode_utf16(units(b)).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// UTF-16LE to code page 1252, the nearest character or `?` for what it does not have (a surrogate pair gives two, as SQL Server does).
pub fn utf16_to_1252(b: &[u8]) -> Bytes {
    CodePage::WESTERN.encode_utf16(b)
}

/// Code page 1252 to UTF-16LE.
pub fn cp1252_to_utf16(b: &[u8]) -> Bytes {
    let mut out = Bytes::with_capacity(b.len() * 2);
    for byte in b {
        out.extend_from_slice(&unit_of(*byte).to_le_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_converts_and_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        let text = decode_1252(&all);
        assert_eq!(&encode_1252(&text)[..], &all[..]);
        assert_eq!(&utf16_to_1252(&cp1252_to_utf16(&all))[..], &all[..]);
        assert_eq!(decode_utf16(&cp1252_to_utf16(&all)), text);
    }

    #[test]
    fn what_the_code_page_lacks_is_a_question_mark() {
        assert_eq!(&encode_1252("a€Ж😀")[..], b"a\x80???");
        assert_eq!(&utf16_to_1252(&encode_utf16("Ж😀"))[..], b"???");
        assert_eq!(decode_utf16(&[0x00, 0xD8, 0x41, 0x00, 0x42]), "\u{FFFD}A");
    }
}

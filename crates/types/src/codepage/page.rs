//! The code pages of char and varchar, by their numbers.

use super::tables::{HIGH, NEAREST};
use super::{byte_of, decode_1252, decode_utf16, unit_of, units};
use crate::Bytes;
use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS};
use std::sync::OnceLock;

/// A code page: an encoding of text in bytes, of which those below 0x80 are ASCII.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CodePage(u16);

impl Default for CodePage {
    fn default() -> CodePage {
        CodePage::WESTERN
    }
}

/// A page of one byte.
struct Single {
    /// The code units of the bytes from 0x80 on.
    high: &'static [u16; 128],
    /// The byte of each code unit, the nearest one where the page lacks it; 0: there is none.
    bytes: Box<[u8]>,
}

impl Single {
    fn new(number: u16, high: &'static [u16; 128]) -> Single {
        let mut bytes = vec![0u8; 0x1_0000].into_boxed_slice();
        // Full-width forms of ASCII.
        for unit in 0xFF01..=0xFF5E_u16 {
            bytes[usize::from(unit)] = (unit - 0xFEE0) as u8;
        }
        for unit in 0..0x80_u8 {
            bytes[usize::from(unit)] = unit;
        }
        for (unit, byte) in high.iter().zip(0x80..=0xFF_u8) {
            bytes[usize::from(*unit)] = byte;
        }
        let nearest = NEAREST.iter().find(|p| p.0 == number).map_or("", |p| p.1);
        let mut letters = nearest.encode_utf16();
        while let (Some(lacking), Some(near)) = (letters.next(), letters.next()) {
            bytes[usize::from(lacking)] = bytes[usize::from(near)];
        }
        Single { high, bytes }
    }

    #[inline]
    fn unit(&self, byte: u8) -> u16 {
        match byte.checked_sub(0x80) {
            None => byte.into(),
            Some(high) => self.high[usize::from(high)],
        }
    }

    #[inline]
    fn byte(&self, unit: u16) -> u8 {
        match (unit, self.bytes[usize::from(unit)]) {
            (0, _) => 0,
            (_, 0) => b'?',
            (_, byte) => byte,
        }
    }
}

impl CodePage {
    /// The page of Western Europe, 1252.
    pub const WESTERN: CodePage = CodePage(1252);
    /// UTF-8, 65001.
    pub const UTF8: CodePage = CodePage(65001);

    /// The page of a number, if it is one of those that collations have.
    pub fn of(number: u16) -> Option<CodePage> {
        let known = matches!(number, 932 | 936 | 949 | 950 | 65001);
        (known || HIGH.iter().any(|p| p.0 == number)).then_some(CodePage(number))
    }

    /// The number of the page.
    pub fn number(self) -> u16 {
        self.0
    }

    /// Whether it is code page 1252.
    #[inline]
    pub fn is_western(self) -> bool {
        self == CodePage::WESTERN
    }

    /// The tables of a page of one byte.
    fn single(self) -> Option<&'static Single> {
        static ALL: [OnceLock<Single>; HIGH.len()] = [const { OnceLock::new() }; HIGH.len()];
        let at = HIGH.iter().position(|p| p.0 == self.0)?;
        Some(ALL[at].get_or_init(|| Single::new(self.0, &HIGH[at].1)))
    }

    /// Each character is one byte.
    pub fn is_single(self) -> bool {
        HIGH.iter().any(|p| p.0 == self.0)
    }

    /// The page of two bytes as an encoding.
    fn double(self) -> &'static Encoding {
        match self.0 {
            932 => SHIFT_JIS,
            936 => GBK,
            949 => EUC_KR,
            _ => BIG5,
        }
    }

    /// The code units of text of this page.
    pub fn units(self, text: &[u8]) -> Vec<u16> {
        if self.is_western() || text.is_ascii() {
            return text.iter().map(|b| unit_of(*b)).collect();
        }
        match self.single() {
            Some(page) => text.iter().map(|b| page.unit(*b)).collect(),
            None => self.decode(text).encode_utf16().collect(),
        }
    }

    /// Text of this page as UTF-16LE.
    pub fn to_utf16(self, text: &[u8]) -> Bytes {
        self.units(text).iter().flat_map(|u| u.to_le_bytes()).collect()
    }

    /// Text of this page as UTF-8; bytes that are no text become U+FFFD.
    pub fn decode(self, text: &[u8]) -> String {
        if self.is_western() || text.is_ascii() {
            return decode_1252(text);
        }
        if self == CodePage::UTF8 {
            return String::from_utf8_lossy(text).into_owned();
        }
        match self.single() {
            Some(page) => {
                let units = text.iter().map(|b| page.unit(*b));
                char::decode_utf16(units)
                    .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect()
            }
            None => self.double().decode_without_bom_handling(text).0.into_owned(),
        }
    }

    /// UTF-16LE as text of this page: the nearest character or `?` for what it lacks.
    pub fn encode_utf16(self, text: &[u8]) -> Bytes {
        let all = units(text);
        if all.clone().all(|u| u < 0x80) {
            return all.map(|u| u as u8).collect();
        }
        if self.is_western() {
            return all.map(|u| byte_of(u).unwrap_or_else(|| self.nearest(u))).collect();
        }
        match self.single() {
            Some(page) => all.map(|u| page.byte(u)).collect(),
            None => self.encode(&decode_utf16(text)),
        }
    }

    /// UTF-8 as text of this page: the nearest character or `?` for what it lacks.
    pub fn encode(self, text: &str) -> Bytes {
        if text.is_ascii() || self == CodePage::UTF8 {
            return Bytes::from_slice(text.as_bytes());
        }
        if let Some(page) = self.single() {
            return text.encode_utf16().map(|u| page.byte(u)).collect();
        }
        let (whole, _, lacks) = self.double().encode(text);
        if !lacks {
            return Bytes::from_slice(&whole);
        }
        let mut out = Bytes::with_capacity(text.len());
        let mut one = [0u8; 4];
        for c in text.chars() {
            match self.double().encode(c.encode_utf8(&mut one)) {
                (bytes, _, false) => out.extend_from_slice(&bytes),
                _ => out.extend(std::iter::repeat_n(b'?', c.len_utf16())),
            }
        }
        out
    }

    #[cold]
    fn nearest(self, unit: u16) -> u8 {
        self.single().map_or(b'?', |page| page.byte(unit))
    }

    /// UTF-16LE as text of this page; `None` where it lacks a character.
    pub fn encode_exactly(self, text: &[u8]) -> Option<Bytes> {
        let out = self.encode_utf16(text);
        (self.to_utf16(&out)[..] == text[..]).then_some(out)
    }

    /// Text of another page in this one.
    pub fn recode(self, from: CodePage, text: &[u8]) -> Bytes {
        match self == from || text.is_ascii() {
            true => Bytes::from_slice(text),
            false => self.encode_utf16(&from.to_utf16(text)),
        }
    }

    /// How many bytes of a text whole characters take that have room in so many.
    pub fn fitting(self, text: &[u8], limit: usize) -> usize {
        if text.len() <= limit || self.is_single() {
            return text.len().min(limit);
        }
        if self == CodePage::UTF8 {
            let mut end = limit;
            // No character has more than four bytes; what is no UTF-8 is cut anywhere.
            while end > 0 && limit - end < 4 && text[end] & 0xC0 == 0x80 {
                end -= 1;
            }
            return if text[end] & 0xC0 == 0x80 { limit } else { end };
        }
        let mut end = 0;
        loop {
            let next = end + if self.leads(text[end]) { 2 } else { 1 };
            if next > limit {
                return end;
            }
            end = next;
        }
    }

    /// Whether a byte is a character by itself.
    pub fn is_whole(self, byte: u8) -> bool {
        self.is_single() || byte < 0x80 || self.0 == 932 && matches!(byte, 0xA1..=0xDF)
    }

    /// A byte that is the first of two.
    fn leads(self, byte: u8) -> bool {
        match self.0 {
            932 => matches!(byte, 0x81..=0x9F | 0xE0..=0xFC),
            _ => matches!(byte, 0x81..=0xFE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codepage::encode_utf16;

    fn page(number: u16) -> CodePage {
        CodePage::of(number).unwrap()
    }

    #[test]
    fn every_byte_of_a_page_of_one_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        for (number, _) in &HIGH {
            let p = page(*number);
            assert_eq!(&p.encode_utf16(&p.to_utf16(&all))[..], &all[..], "{number}");
            assert_eq!(&p.encode(&p.decode(&all))[..], &all[..], "{number}");
        }
    }

    #[test]
    fn letters_of_the_pages() {
        for (number, text, bytes) in [
            (437, "Çü", &b"\x80\x81"[..]),
            (850, "ÇÁ", b"\x80\xB5"),
            (874, "กข", b"\xA1\xA2"),
            (1250, "Łódź", b"\xA3\xF3d\x9F"),
            (1251, "Жук", b"\xC6\xF3\xEA"),
            (1253, "αβ", b"\xE1\xE2"),
            (1254, "ğıİ", b"\xF0\xFD\xDD"),
            (1255, "אב", b"\xE0\xE1"),
            (1256, "اب", b"\xC7\xC8"),
            (1257, "ąž", b"\xE0\xFE"),
            (1258, "ơư", b"\xF5\xFD"),
            (932, "日本", b"\x93\xFA\x96\x7B"),
            (936, "中国", b"\xD6\xD0\xB9\xFA"),
            (949, "한국", b"\xC7\xD1\xB1\xB9"),
            (950, "中國", b"\xA4\xA4\xB0\xEA"),
            (65001, "é😀", b"\xC3\xA9\xF0\x9F\x98\x80"),
        ] {
            assert_eq!(&page(number).encode(text)[..], bytes, "{number}");
            assert_eq!(page(number).decode(bytes), text, "{number}");
            assert_eq!(&page(number).encode_utf16(&encode_utf16(text))[..], bytes, "{number}");
        }
    }

    #[test]
    fn the_nearest_letter_stands_for_one_that_is_lacking() {
        for (number, text, bytes) in [
            (1252, "Āα∞Ａ−′", &b"Aa8A-'"[..]),
            (1252, "Ж", b"?"),
            (1251, "éÀ", b"eA"),
            (1250, "ñ", b"n"),
            (437, "À", b"A"),
            (850, "Ł", b"L"),
            (932, "é", b"?"),
            (949, "😀", b"??"),
        ] {
            assert_eq!(&page(number).encode(text)[..], bytes, "{number} {text}");
        }
        assert_eq!(page(1251).encode_exactly(&encode_utf16("é")), None);
    }

    #[test]
    fn no_character_is_split() {
        let fitting = |number, text: &str, limit| {
            let bytes = page(number).encode(text);
            page(number).fitting(&bytes, limit)
        };
        assert_eq!(fitting(932, "あいう", 5), 4);
        assert_eq!(fitting(932, "aあ", 2), 1);
        assert_eq!(fitting(65001, "aé", 2), 1);
        assert_eq!(fitting(65001, "a😀", 4), 1);
        assert_eq!(fitting(65001, "a😀", 5), 5);
        assert_eq!(fitting(1252, "aé", 1), 1);
    }
}

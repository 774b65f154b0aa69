//! A cursor over received bytes. Every read is checked; running out is [`ProtocolError::Truncated`].

use crate::error::ProtocolError;

type Result<T> = std::result::Result<T, ProtocolError>;

/// Reads little-endian integers, counted strings and byte runs from a slice.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

macro_rules! int {
    ($(#[$doc:meta])* $name:ident, $ty:ty, $from:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $name(&mut self) -> Result<$ty> {
            Ok(<$ty>::$from(self.array()?))
        }
    };
}

impl<'a> Reader<'a> {
    /// From the first byte.
    pub fn new(data: &'a [u8]) -> Reader<'a> {
        Reader { data, at: 0 }
    }

    /// Bytes read so far.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// The number of bytes that are left.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.data.len() - self.at
    }

    /// Whether no byte is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// The next `n` bytes.
    #[inline]
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8]> {
        if n > self.remaining() {
            return Err(ProtocolError::Truncated);
        }
        let bytes = &self.data[self.at..self.at + n];
        self.at += n;
        Ok(bytes)
    }

    /// All that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        let bytes = &self.data[self.at..];
        self.at = self.data.len();
        bytes
    }

    /// The next byte without taking it.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.data.get(self.at).copied()
    }

    /// The next `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    int!(/// One byte.
        u8, u8, from_le_bytes);
    int!(/// Two bytes.
        u16, u16, from_le_bytes);
    int!(/// Two bytes, big-endian.
        u16_be, u16, from_be_bytes);
    int!(/// Two bytes, signed.
        i16, i16, from_le_bytes);
    int!(/// Four bytes.
        u32, u32, from_le_bytes);
    int!(/// Four bytes, signed.
        i32, i32, from_le_bytes);
    int!(/// Eight bytes.
        u64, u64, from_le_bytes);
    int!(/// Eight bytes, signed.
        i64, i64, from_le_bytes);
    int!(/// IEEE 754 single.
        f32, f32, from_le_bytes);
    int!(/// IEEE 754 double.
        f64, f64, from_le_bytes);

    /// An unsigned integer of `n` ≤ 8 bytes.
    pub fn uint(&mut self, n: usize) -> Result<u64> {
        debug_assert!(n <= 8);
        let mut wide = [0; 8];
        wide[..n].copy_from_slice(self.bytes(n)?);
        Ok(u64::from_le_bytes(wide))
    }

    /// B_VARCHAR: one byte with the number of UTF-16 units, then the text.
    pub fn b_varchar(&mut self) -> Result<String> {
        let units = self.u8()? as usize;
        Ok(utf16(self.bytes(units * 2)?))
    }

    /// US_VARCHAR: two bytes with the number of UTF-16 units, then the text.
    pub fn us_varchar(&mut self) -> Result<String> {
        let units = self.u16()? as usize;
        Ok(utf16(self.bytes(units * 2)?))
    }

    /// B_VARBYTE: one byte with the number of bytes, then the bytes.
    pub fn b_varbyte(&mut self) -> Result<&'a [u8]> {
        let n = self.u8()? as usize;
        self.bytes(n)
    }
}

/// UTF-16LE to text where it is ASCII, as nearly all is: it is looked at four letters at a time.
fn ascii(bytes: &[u8]) -> Option<String> {
    const OTHERS: u64 = 0xff80_ff80_ff80_ff80;
    let (words, rest) = bytes.as_chunks::<8>();
    let other = words.iter().fold(0, |seen, word| seen | u64::from_le_bytes(*word) & OTHERS);
    if other != 0 || rest.chunks_exact(2).any(|c| c[1] != 0 || c[0] >= 0x80) {
        return None;
    }
    String::from_utf8(bytes.chunks_exact(2).map(|c| c[0]).collect()).ok()
}

/// UTF-16LE to text; lone surrogates become U+FFFD, an odd last byte is ignored.
pub fn utf16(bytes: &[u8]) -> String {
    if let Some(text) = ascii(bytes) {
        return text;
    }
    char::decode_utf16(bytes.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Appends text as UTF-16LE; returns the number of units.
pub fn put_utf16(out: &mut Vec<u8>, text: &str) -> usize {
    let start = out.len();
    if text.is_ascii() {
        out.resize(start + 2 * text.len(), 0);
        out[start..]
            .chunks_exact_mut(2)
            .zip(text.bytes())
            .for_each(|(unit, letter)| unit[0] = letter);
        return text.len();
    }
    out.reserve(text.len() * 2);
    for unit in text.encode_utf16() {
        out.extend_from_slice(&unit.to_le_bytes());
    }
    (out.len() - start) / 2
}

/// Appends a B_VARCHAR; text beyond 255 units is cut.
pub fn put_b_varchar(out: &mut Vec<u8>, text: &str) {
    let at = out.len();
    out.push(0);
    let units = put_utf16(out, text).min(255);
    out.truncate(at + 1 + units * 2);
    out[at] = units as u8;
}

/// Appends a US_VARCHAR of at most `max` units.
pub fn put_us_varchar(out: &mut Vec<u8>, text: &str, max: usize) {
    let at = out.len();
    out.extend_from_slice(&[0, 0]);
    let units = put_utf16(out, text).min(max).min(u16::MAX as usize);
    out.truncate(at + 2 + units * 2);
    out[at..at + 2].copy_from_slice(&(units as u16).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_stop_at_the_end() {
        let mut r = Reader::new(&[1, 2, 3]);
        assert_eq!(r.u16(), Ok(0x0201));
        assert_eq!(r.u16(), Err(ProtocolError::Truncated));
        assert_eq!(r.u8(), Ok(3));
        assert!(r.is_empty());
    }

    #[test]
    fn counted_text_round_trips() {
        let mut out = Vec::new();
        put_b_varchar(&mut out, "grün €");
        put_us_varchar(&mut out, "😀", 100);
        put_b_varchar(&mut out, &"x".repeat(300));
        let mut r = Reader::new(&out);
        assert_eq!(r.b_varchar().unwrap(), "grün €");
        assert_eq!(r.us_varchar().unwrap(), "😀");
        assert_eq!(r.b_varchar().unwrap().len(), 255);
        assert!(r.is_empty());
    }
}

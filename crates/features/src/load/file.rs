//! A data file as rows of fields.
//!
//! Two forms, told apart by FORMAT:
//!
//! * without it, a field is every byte up to its terminator: the field terminator, for the last field of a row the row
//!   terminator. Nothing is quoted, and a row terminator inside a field that is not the last is data, as it is for
//!   SQL Server: a row with too few fields swallows the next line.
//! * `FORMAT = 'CSV'` (RFC 4180): a field may stand in quotes, in which a terminator is data and two quotes are one; a
//!   row ends at its row terminator however many fields it had.
//!
//! The row terminator `\n`, which is the default, ends a line as either system writes it: LF, or CR LF. Given in
//! hexadecimal (`0x0a`) it is LF alone, and a CR before it is data. UTF-16 files are read as UTF-8.
//!
//! The reader buffers what one row needs and no more than a piece of [`PIECE`] bytes beyond; a row that is cut off by
//! the end of the buffer is split again from its start once the buffer has doubled.

use std::ops::Range;
use std::sync::Arc;
use taffrail_io::{IoResult, Volume};
use taffrail_types::CodePage;

/// Bytes per read.
const PIECE: usize = 256 << 10;

/// What the bytes of a file are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// The bytes are text of this code page.
    Page(CodePage),
    /// The bytes of a field are text of its column's code page.
    Raw,
    /// `DATAFILETYPE = 'widechar'`, little-endian.
    Utf16,
}

impl Encoding {
    /// Text of code page 1252.
    pub const ANSI: Encoding = Encoding::Page(CodePage::WESTERN);
}

/// What ends a row or field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Terminator {
    /// These bytes.
    Bytes(Vec<u8>),
    /// LF, or CR LF.
    Line,
}

impl Terminator {
    /// As FIELDTERMINATOR and ROWTERMINATOR write it: `\t`, `\n`, `\r`, `\0`, `\\`, or hexadecimal. `None` for an empty one.
    pub fn parse(text: &str) -> Option<Terminator> {
        if text == "\\n" || text == "\n" {
            return Some(Terminator::Line);
        }
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        if let Some(bytes) = hex.and_then(parse_hex) {
            return (!bytes.is_empty()).then_some(Terminator::Bytes(bytes));
        }
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            let escaped = match (c, rest.peek()) {
                ('\\', Some('t')) => Some('\t'),
                ('\\', Some('n')) => Some('\n'),
                ('\\', Some('r')) => Some('\r'),
                ('\\', Some('0')) => Some('\0'),
                ('\\', Some('\\')) => Some('\\'),
                _ => None,
            };
            if escaped.is_some() {
                rest.next();
            }
            bytes.extend_from_slice(escaped.unwrap_or(c).encode_utf8(&mut [0; 4]).as_bytes());
        }
        (!bytes.is_empty()).then_some(Terminator::Bytes(bytes))
    }

    /// The first one in `bytes`: what precedes it, and where it ends.
    #[inline]
    fn find(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        match self {
            Terminator::Line => {
                let at = bytes.iter().position(|b| *b == b'\n')?;
                let end = if at > 0 && bytes[at - 1] == b'\r' { at - 1 } else { at };
                Some((end, at + 1))
            }
            Terminator::Bytes(t) => {
                let mut from = 0;
                loop {
                    let at = from + bytes[from..].iter().position(|b| *b == t[0])?;
                    if bytes[at..].starts_with(t) {
                        return Some((at, at + t.len()));
                    }
                    from = at + 1;
                }
            }
        }
    }

    /// Its length at the very start of `bytes`, if it stands there.
    fn at_start(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Terminator::Line if bytes.starts_with(b"\r\n") => Some(2),
            Terminator::Line => bytes.starts_with(b"\n").then_some(1),
            Terminator::Bytes(t) => bytes.starts_with(t).then_some(t.len()),
        }
    }

    fn max_len(&self) -> usize {
        match self {
            Terminator::Line => 2,
            Terminator::Bytes(t) => t.len(),
        }
    }
}

/// Pairs of hexadecimal digits.
pub(crate) fn parse_hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    digits.chunks_exact(2).map(|p| Some(digit(p[0])? << 4 | digit(p[1])?)).collect()
}

/// How a file is to be split.
#[derive(Clone, Debug)]
pub(crate) struct FileFormat {
    /// The quote of `FORMAT = 'CSV'`, if it is that.
    pub quote: Option<u8>,
    /// FIELDTERMINATOR.
    pub field_end: Terminator,
    /// ROWTERMINATOR.
    pub row_end: Terminator,
    /// CODEPAGE and DATAFILETYPE.
    pub encoding: Encoding,
}

/// Why a file gives no more rows.
#[derive(Debug)]
pub(crate) enum FileError {
    /// It cannot be read.
    Io(taffrail_io::IoError),
    /// It ends inside a row.
    UnexpectedEnd,
    /// A field (from 1) is longer than anything its column could hold: the terminators are wrong.
    TooLong(usize),
}

/// The fields of one row.
#[derive(Default, Debug)]
pub(crate) struct Fields {
    /// Fields that had quotes inside, without them.
    unquoted: Vec<u8>,
    /// Where each field lies, whether in `unquoted`, whether it was in quotes at all.
    places: Vec<(Range<usize>, bool, bool)>,
}

impl Fields {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// A field's bytes in the reader's buffer, and whether it was in quotes.
    pub fn get<'a>(&'a self, reader: &'a RowReader, n: usize) -> (&'a [u8], bool) {
        let (range, apart, quoted) = &self.places[n];
        let bytes = if *apart { &self.unquoted } else { &reader.buffer };
        (&bytes[range.clone()], *quoted)
    }
}

enum Split {
    /// A row; where the next one begins.
    Row(usize),
    /// The buffer ends first.
    Incomplete,
    /// A field, from 0, is too long.
    TooLong(usize),
    /// The file ends first.
    UnexpectedEnd,
}

/// Splits a file into rows of fields.
///
/// Invariants: (1) `buffer[at..]` begins with a row; (2) `offset` is where the file's bytes that follow those of the
/// buffer (and `half`) begin.
pub(crate) struct RowReader {
    file: Arc<dyn Volume>,
    format: FileFormat,
    offset: u64,
    length: u64,
    buffer: Vec<u8>,
    at: usize,
    /// UTF-16 only: units that wait for what completes them.
    half: Vec<u8>,
}

impl RowReader {
    /// From the file's start; a byte order mark is passed over.
    pub fn open(file: Arc<dyn Volume>, format: FileFormat) -> IoResult<RowReader> {
        let length = file.len()?;
        let mark: &[u8] = match format.encoding {
            Encoding::Utf16 => b"\xFF\xFE",
            _ => b"\xEF\xBB\xBF",
        };
        let mut start = [0; 3];
        let mut offset = 0;
        if length >= mark.len() as u64 {
            file.read_at(0, &mut start[..mark.len()])?;
            if start.starts_with(mark) {
                offset = mark.len() as u64;
            }
        }
        let (buffer, half) = (Vec::new(), Vec::new());
        Ok(RowReader { file, format, offset, length, buffer, at: 0, half })
    }

    /// The next row of `limits.len()` fields, none longer than its limit. False at the end of the file.
    pub(crate) fn next_row(
        &mut self,
        limits: &[usize],
        fields: &mut Fields,
    ) -> Result<bool, FileError> {
        loop {
            let waiting = self.buffer.len() - self.at;
            let ended = self.offset == self.length && self.half.is_empty();
            if waiting == 0 && ended {
                return Ok(false);
            }
            let split = match waiting {
                0 => Split::Incomplete,
                _ => self.split(limits, fields, ended),
            };
            match split {
                Split::Row(next) => {
                    self.at = next;
                    return Ok(true);
                }
                Split::TooLong(n) => return Err(FileError::TooLong(n + 1)),
                Split::UnexpectedEnd => return Err(FileError::UnexpectedEnd),
                Split::Incomplete => {
                    debug_assert!(!ended, "at the file's end a row is whole or an error");
                    self.fill(waiting.max(PIECE)).map_err(FileError::Io)?;
                }
            }
        }
    }

    /// Reads `more` bytes of the file.
    fn fill(&mut self, more: usize) -> IoResult<()> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let n = (self.length - self.offset).min(more as u64) as usize;
        if self.format.encoding != Encoding::Utf16 {
            let from = self.buffer.len();
            self.buffer.resize(from + n, 0);
            self.file.read_at(self.offset, &mut self.buffer[from..])?;
            self.offset += n as u64;
            return Ok(());
        }
        let from = self.half.len();
        self.half.resize(from + n, 0);
        self.file.read_at(self.offset, &mut self.half[from..])?;
        self.offset += n as u64;
        // A unit or a pair of surrogates that is cut off waits, unless nothing follows.
        let mut whole = self.half.len() / 2 * 2;
        if self.offset < self.length {
            if whole >= 2 && self.half[whole - 1] & 0xFC == 0xD8 {
                whole -= 2;
            }
        } else if whole < self.half.len() {
            self.half.truncate(whole);
        }
        let units = self.half[..whole].chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]]));
        for c in char::decode_utf16(units) {
            let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.buffer.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.half.drain(..whole);
        Ok(())
    }

    /// Splits the row at `at`. `ended`: the file ends with the buffer.
    fn split(&self, limits: &[usize], fields: &mut Fields, ended: bool) -> Split {
        fields.places.clear();
        fields.unquoted.clear();
        let last = limits.len() - 1;
        let mut at = self.at;
        for (n, limit) in limits.iter().enumerate() {
            if self.format.quote.is_some() && self.buffer.get(at) == self.format.quote.as_ref() {
                let (next, row_over) = match self.quoted(at, *limit, fields, ended) {
                    Ok(ends) => ends,
                    Err(Split::TooLong(_)) => return Split::TooLong(n),
                    Err(other) => return other,
                };
                at = next;
                if row_over {
                    return Split::Row(at);
                }
                if n == last {
                    // More fields than columns: the rest of the line is not wanted.
                    return match self.format.row_end.find(&self.buffer[at..]) {
                        Some((_, next)) => Split::Row(at + next),
                        None if ended => Split::Row(self.buffer.len()),
                        None => Split::Incomplete,
                    };
                }
                continue;
            }
            let rest = &self.buffer[at..];
            let end = if n == last { &self.format.row_end } else { &self.format.field_end };
            // What is searched is bounded: a wrong terminator must not read the whole file into memory.
            let seen = rest.len().min(limit + end.max_len());
            let found = end.find(&rest[..seen]);
            if let Some(quote_free_row) = self.short_row(n, last, rest, found) {
                let (end, next) = quote_free_row;
                fields.places.push((at..at + end, false, false));
                return Split::Row(at + next);
            }
            match found {
                Some((end, next)) => {
                    fields.places.push((at..at + end, false, false));
                    at += next;
                }
                None if seen < rest.len() => return Split::TooLong(n),
                None if !ended => return Split::Incomplete,
                None if n == last || self.format.quote.is_some() => {
                    fields.places.push((at..self.buffer.len(), false, false));
                    return Split::Row(self.buffer.len());
                }
                None => return Split::UnexpectedEnd,
            }
        }
        Split::Row(at)
    }

    /// CSV: the end of the row when it comes before the end of the field.
    fn short_row(
        &self,
        n: usize,
        last: usize,
        rest: &[u8],
        found: Option<(usize, usize)>,
    ) -> Option<(usize, usize)> {
        if n == last || self.format.quote.is_none() {
            return None;
        }
        let until = found.map_or(rest.len(), |(end, _)| end);
        let (end, next) = self.format.row_end.find(&rest[..until])?;
        // A CR LF that is cut in two by `until` was not found; a field terminator cannot be in the middle of it.
        Some((end, next))
    }

    /// A field in quotes. Gives where the next one begins, and whether the row is over.
    fn quoted(
        &self,
        start: usize,
        limit: usize,
        fields: &mut Fields,
        ended: bool,
    ) -> Result<(usize, bool), Split> {
        let quote = self.format.quote.unwrap_or(b'"');
        let from = fields.unquoted.len();
        let mut at = start + 1;
        loop {
            let rest = &self.buffer[at..];
            let Some(end) = rest.iter().position(|b| *b == quote) else {
                return Err(match (rest.len() > limit, ended) {
                    (true, _) => Split::TooLong(0),
                    (false, true) => Split::UnexpectedEnd,
                    (false, false) => Split::Incomplete,
                });
            };
            fields.unquoted.extend_from_slice(&rest[..end]);
            if fields.unquoted.len() - from > limit {
                return Err(Split::TooLong(0));
            }
            at += end + 1;
            if self.buffer.get(at) == Some(&quote) {
                fields.unquoted.push(quote);
                at += 1;
                continue;
            }
            break;
        }
        let enough = self.format.field_end.max_len().max(self.format.row_end.max_len());
        if self.buffer.len() - at < enough && !ended {
            return Err(Split::Incomplete);
        }
        // Anything between the closing quote and the terminator belongs to the field.
        loop {
            let rest = &self.buffer[at..];
            let end = if let Some(n) = self.format.field_end.at_start(rest) {
                Some((n, false))
            } else {
                self.format.row_end.at_start(rest).map(|n| (n, true))
            };
            if let Some((n, over)) = end {
                fields.places.push((from..fields.unquoted.len(), true, true));
                return Ok((at + n, over));
            }
            match rest.first() {
                Some(b) => fields.unquoted.push(*b),
                None if ended => {
                    fields.places.push((from..fields.unquoted.len(), true, true));
                    return Ok((at, true));
                }
                None => return Err(Split::Incomplete),
            }
            at += 1;
        }
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;

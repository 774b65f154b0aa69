//! Reads JSON from left to right, in UTF-16LE as values hold it. Nothing is copied but strings with escapes.

use crate::pieces;
use std::borrow::Cow;
use std::ops::Range;
use taffrail_base::{SqlError, SqlResult};

/// Objects and arrays within each other; as many as SQL Server reads.
const DEEPEST: usize = 128;

/// UTF-16LE text. Positions and lengths are counted in units.
#[derive(Clone, Copy)]
pub(super) struct JsonText<'a>(pub &'a [u8]);

impl<'a> JsonText<'a> {
    pub fn len(self) -> usize {
        self.0.len() / 2
    }

    #[inline]
    pub fn unit(self, at: usize) -> Option<u16> {
        let b = self.0.get(at * 2..at * 2 + 2)?;
        Some(u16::from_le_bytes([b[0], b[1]]))
    }

    pub fn part(self, range: Range<usize>) -> &'a [u8] {
        &self.0[range.start * 2..range.end * 2]
    }
}

/// The kinds of JSON values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JsonKind {
    Object,
    Array,
    Text,
    Null,
    Number,
    Bool,
}

impl JsonKind {
    pub(super) fn is_container(self) -> bool {
        matches!(self, JsonKind::Object | JsonKind::Array)
    }
}

/// Why the text is read no further.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unexpected {
    /// The unit at this position is no JSON.
    At(usize),
    /// Objects and arrays are nested too deep: 13606.
    Deep,
    /// The batch was cancelled.
    Cancelled,
}

pub(super) type Read<T> = Result<T, Unexpected>;

impl Unexpected {
    /// The message: 13607 of a path or 13609 of a document, with the character and where it is. Past the end there is none:
    /// SQL Server shows a point.
    pub fn told(self, number: i32, text: JsonText<'_>) -> Box<SqlError> {
        match self {
            Unexpected::At(at) => {
                let c = text.unit(at).map_or(".".into(), |u| String::from_utf16_lossy(&[u]));
                SqlError::new(number, &[&c, &at])
            }
            Unexpected::Deep => SqlError::new(13606, &[]),
            Unexpected::Cancelled => taffrail_base::message::cancelled(),
        }
    }
}

/// A place in a text.
pub(super) struct JsonReader<'a> {
    pub text: JsonText<'a>,
    pub at: usize,
    /// From here on is asked whether the batch was cancelled.
    look: usize,
}

impl<'a> JsonReader<'a> {
    pub fn new(text: JsonText<'a>, at: usize) -> JsonReader<'a> {
        JsonReader { text, at, look: at + pieces::PIECE }
    }

    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.text.unit(self.at).map(|u| u8::try_from(u).unwrap_or(0xFF))
    }

    pub fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    pub fn expect(&mut self, c: u8) -> Read<()> {
        if self.peek() != Some(c) {
            return Err(Unexpected::At(self.at));
        }
        self.at += 1;
        Ok(())
    }

    fn wanted(&mut self) -> Read<()> {
        if self.at < self.look {
            return Ok(());
        }
        self.look = self.at + pieces::PIECE;
        if pieces::is_wanted() { Ok(()) } else { Err(Unexpected::Cancelled) }
    }

    /// The kind of the value that begins here.
    pub fn kind(&self) -> Read<JsonKind> {
        Ok(match self.peek() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            Some(b'"') => JsonKind::Text,
            Some(b'n') => JsonKind::Null,
            Some(b't' | b'f') => JsonKind::Bool,
            Some(b'-' | b'0'..=b'9') => JsonKind::Number,
            _ => return Err(Unexpected::At(self.at)),
        })
    }

    /// Passes over a value.
    pub fn skip(&mut self, depth: usize) -> Read<()> {
        match self.peek() {
            Some(b'{') => self.members(depth, |r, _| r.skip(depth + 1).map(|()| false)).map(drop),
            Some(b'[') => self.elements(depth, |r, _| r.skip(depth + 1).map(|()| false)).map(drop),
            Some(b'"') => self.string().map(drop),
            _ => self.token(),
        }
    }

    /// A number or a word, read as a whole: a wrong one is told at its first character.
    fn token(&mut self) -> Read<()> {
        let from = self.at;
        let whole = match self.peek() {
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            None => return Err(Unexpected::At(from)),
            _ => self.number(),
        };
        match (whole, self.peek()) {
            (Ok(()), None | Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}')) => Ok(()),
            _ => Err(Unexpected::At(from)),
        }
    }

    /// The members of an object; `each` reads a member's value, and ends the walk with true. False: read to its end.
    pub fn members(
        &mut self,
        depth: usize,
        mut each: impl FnMut(&mut Self, &JsonString) -> Read<bool>,
    ) -> Read<bool> {
        if !self.opens(depth, b'{', b'}')? {
            return Ok(false);
        }
        loop {
            let name = self.name()?;
            if each(self, &name)? {
                return Ok(true);
            }
            if self.closes(b'}')? {
                return Ok(false);
            }
        }
    }

    /// As [`Self::members`], for the elements of an array.
    pub fn elements(
        &mut self,
        depth: usize,
        mut each: impl FnMut(&mut Self, usize) -> Read<bool>,
    ) -> Read<bool> {
        if !self.opens(depth, b'[', b']')? {
            return Ok(false);
        }
        for n in 0.. {
            self.blanks();
            if each(self, n)? {
                return Ok(true);
            }
            if self.closes(b']')? {
                break;
            }
        }
        Ok(false)
    }

    /// A member's name and the colon behind it; the reader stands at the value then.
    pub fn name(&mut self) -> Read<JsonString> {
        self.blanks();
        let name = self.string()?;
        self.blanks();
        self.expect(b':')?;
        self.blanks();
        Ok(name)
    }

    /// The beginning of an object or array; false: that is empty, and passed.
    pub fn opens(&mut self, depth: usize, open: u8, close: u8) -> Read<bool> {
        if depth >= DEEPEST {
            return Err(Unexpected::Deep);
        }
        self.expect(open)?;
        self.blanks();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(false);
        }
        Ok(true)
    }

    /// After a member or an element: a comma, or the end (true).
    pub fn closes(&mut self, close: u8) -> Read<bool> {
        self.wanted()?;
        self.blanks();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(true);
        }
        self.expect(b',').map(|()| false)
    }

    fn word(&mut self, word: &str) -> Read<()> {
        word.bytes().try_for_each(|c| self.expect(c))
    }

    pub fn digits(&mut self) -> Read<()> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > from { Ok(()) } else { Err(Unexpected::At(self.at)) }
    }

    fn number(&mut self) -> Read<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// A string, whose escapes are checked and left as they are. A wrong one is told at its quotation mark.
    pub fn string(&mut self) -> Read<JsonString> {
        let from = self.at;
        self.expect(b'"')?;
        self.characters().map_err(|_| Unexpected::At(from))
    }

    fn characters(&mut self) -> Read<JsonString> {
        let (from, mut escaped) = (self.at, false);
        loop {
            let Some(unit) = self.text.unit(self.at) else { return Err(Unexpected::At(self.at)) };
            match unit {
                0x22 => break,
                0x5C => {
                    escaped = true;
                    self.at += 1;
                    self.escape()?;
                }
                ..0x20 => return Err(Unexpected::At(self.at)),
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(JsonString { range: from..self.at - 1, escaped })
    }

    /// The unit that an escape stands for; the reader stands behind the backslash.
    fn escape(&mut self) -> Read<u16> {
        let c = self.peek().ok_or(Unexpected::At(self.at))?;
        let unit = match c {
            b'"' | b'\\' | b'/' => c as u16,
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => 0x0A,
            b'r' => 0x0D,
            b't' => 0x09,
            b'u' => {
                let mut unit = 0;
                for _ in 0..4 {
                    self.at += 1;
                    let digit = self.peek().and_then(|c| (c as char).to_digit(16));
                    unit = unit << 4 | digit.ok_or(Unexpected::At(self.at))? as u16;
                }
                unit
            }
            _ => return Err(Unexpected::At(self.at)),
        };
        self.at += 1;
        Ok(unit)
    }

    /// Nothing but blanks is left.
    pub fn end(&mut self) -> Read<()> {
        self.blanks();
        if self.at == self.text.len() { Ok(()) } else { Err(Unexpected::At(self.at)) }
    }
}

/// Where a string stands, without its quotation marks.
#[derive(Clone)]
pub(super) struct JsonString {
    pub range: Range<usize>,
    escaped: bool,
}

impl JsonString {
    /// The characters of the string, without escapes.
    pub fn decoded<'a>(&self, text: JsonText<'a>) -> Cow<'a, [u8]> {
        let raw = text.part(self.range.clone());
        if !self.escaped {
            return Cow::Borrowed(raw);
        }
        let mut out = Vec::with_capacity(raw.len());
        let mut r = JsonReader::new(text, self.range.start);
        while r.at < self.range.end {
            let unit = text.unit(r.at).unwrap_or_default();
            r.at += 1;
            let unit = match unit {
                0x5C => r.escape().unwrap_or_default(),
                unit => unit,
            };
            out.extend_from_slice(&unit.to_le_bytes());
        }
        Cow::Owned(out)
    }
}

/// Whether a text is one JSON value and nothing else, of a kind that is wanted.
pub(super) fn is_json(text: JsonText<'_>, wanted: impl Fn(JsonKind) -> bool) -> bool {
    let mut r = JsonReader::new(text, 0);
    r.blanks();
    r.kind().is_ok_and(wanted) && r.skip(0).is_ok() && r.end().is_ok()
}

/// The whole of a text is an object or array.
pub(super) fn check(text: JsonText<'_>) -> SqlResult<()> {
    let mut r = JsonReader::new(text, 0);
    r.blanks();
    let read = match r.kind() {
        Ok(kind) if kind.is_container() => r.skip(0).and_then(|()| r.end()),
        Ok(_) => Err(Unexpected::At(r.at)),
        Err(e) => Err(e),
    };
    read.map_err(|e| e.told(13609, text))
}

//! LIKE and PATINDEX.
//!
//! A pattern is compiled into tokens over the collation's weights, so that a comparison of letters is one of
//! numbers: `%` any run, `_` one character, `[a-c]` and `[^a-c]` one of (not of) a set whose ranges follow the
//! collation's order, anything else itself. The character after ESCAPE's stands for itself. A pattern that ends
//! within brackets or after the escape character matches nothing.
//!
//! Under Windows' collations a ligature is its letters (`ß` is `ss`, and half of it nothing), and a letter with combining marks is one
//! character; text without such characters is compared unit by unit.
//!
//! Matching keeps one point to return to, the last `%`: an earlier one need never be tried again, since whatever it
//! could skip the later one can skip too. Trailing blanks of the text are not significant for varchar (they are for
//! nvarchar), those of the pattern always are.

use crate::Collation;
use crate::codepage::{CodePage, is_ascii, unit_of, units};
use crate::collation::{Elements, Weights};
use crate::interest::{CHARACTERS, is_lost};
use crate::{Bytes, Value};

/// A compiled LIKE pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    tokens: Vec<Token>,
    unicode: bool,
    /// The code page of the text, where its characters are no bytes of 1252: it is matched as nvarchar.
    page: Option<CodePage>,
    /// `_` is a surrogate pair, too.
    pairs: bool,
    collation: Collation,
    weights: Weights,
    valid: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A letter of this weight.
    One(u32),
    /// Any one character: `_`.
    Any,
    /// Any number of characters: `%`.
    Run,
    /// One character of a set in brackets, or outside of it.
    Set { negated: bool, ranges: Vec<(u32, u32)> },
}

impl Pattern {
    /// Of UTF-16LE text (`unicode`) or code page text; `escape` is one character as a code unit (or byte).
    pub fn new(
        pattern: &[u8],
        unicode: bool,
        escape: Option<u16>,
        collation: Collation,
    ) -> Pattern {
        let page = (!unicode).then(|| collation.page()).filter(|p| !p.is_western());
        let chars: Vec<u16> = match (unicode, page) {
            (true, _) => units(pattern).collect(),
            (false, Some(page)) => page.units(pattern),
            (false, None) => pattern.iter().map(|b| *b as u16).collect(),
        };
        let unicode = unicode || page.is_some();
        let (weights, pairs) = (collation.weights(), unicode && collation.is_supplementary());
        let (tokens, valid) = (Vec::new(), true);
        let mut p = Pattern { tokens, unicode, page, pairs, collation, weights, valid };
        p.read(&chars, escape);
        p
    }

    fn read(&mut self, chars: &[u16], escape: Option<u16>) {
        let mut literal = Vec::new();
        let mut i = 0;
        while i < chars.len() {
            let c = chars[i];
            i += 1;
            let token = if Some(c) == escape {
                let Some(&c) = chars.get(i) else {
                    self.valid = false;
                    return;
                };
                i += 1;
                literal.push(c);
                continue;
            } else if c == b'%' as u16 {
                Token::Run
            } else if c == b'_' as u16 {
                Token::Any
            } else if c == b'[' as u16 {
                let Some(set) = self.set(chars, &mut i, escape) else {
                    self.valid = false;
                    return;
                };
                set
            } else {
                literal.push(c);
                continue;
            };
            self.spell(&mut literal);
            if token != Token::Run || self.tokens.last() != Some(&Token::Run) {
                self.tokens.push(token);
            }
        }
        self.spell(&mut literal);
    }

    /// Puts what stands for itself into tokens, letter by letter.
    fn spell(&mut self, literal: &mut Vec<u16>) {
        match self.letters(literal.iter().copied()) {
            Some(letters) => {
                self.tokens.extend((0..letters.len()).map(|i| Token::One(letters.weight(i))));
            }
            None => {
                for c in literal.iter() {
                    self.tokens.push(Token::One(self.weight(*c)));
                }
            }
        }
        literal.clear();
    }

    /// The letters of characters, where these are not one letter each.
    fn letters(&self, chars: impl Iterator<Item = u16> + Clone) -> Option<Elements> {
        let wide = |c: u16| if self.unicode { c } else { unit_of(c as u8) };
        let narrow_is_wide = self.unicode || self.collation.narrow_is_wide();
        if !narrow_is_wide || !self.collation.is_spelled(chars.clone().map(wide)) {
            return None;
        }
        let units: Vec<u16> = chars.map(wide).collect();
        Some(self.collation.elements(&units))
    }

    /// The set that begins at `chars[*i]`, just after its bracket; None if it does not end.
    fn set(&self, chars: &[u16], i: &mut usize, escape: Option<u16>) -> Option<Token> {
        let negated = chars.get(*i) == Some(&(b'^' as u16));
        *i += negated as usize;
        let mut ranges = Vec::new();
        let next = |i: &mut usize| -> Option<(u16, bool)> {
            let c = *chars.get(*i)?;
            *i += 1;
            if Some(c) == escape {
                let c = *chars.get(*i)?;
                *i += 1;
                return Some((c, true));
            }
            Some((c, false))
        };
        loop {
            let (c, escaped) = next(i)?;
            if c == b']' as u16 && !escaped {
                return Some(Token::Set { negated, ranges });
            }
            let first = self.weight(c);
            let dash = chars.get(*i) == Some(&(b'-' as u16));
            let closes = chars.get(*i + 1) == Some(&(b']' as u16));
            if dash && !closes {
                *i += 1;
                ranges.push((first, self.weight(next(i)?.0)));
            } else {
                ranges.push((first, first));
            }
        }
    }

    #[inline]
    fn weight(&self, c: u16) -> u32 {
        let weight = if self.unicode { self.weights.unit(c) } else { self.weights.byte(c as u8) };
        weight.into()
    }

    /// Whether the text (in the same encoding) matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        self.valid && self.found(text, &self.tokens, 0).is_some()
    }

    /// Matches tokens against text from a character (a code unit or byte) on; says whether they match.
    fn found(&self, text: &[u8], tokens: &[Token], start: usize) -> Option<()> {
        if let Some(page) = self.page {
            return self.found_wide(&page.to_utf16(text), tokens, start);
        }
        if self.unicode {
            return self.found_wide(text, tokens, start);
        }
        self.found_narrow(text, self.letters_of_bytes(text).as_ref(), tokens, start)
    }

    /// The letters of text of code page 1252, where these are not one byte each.
    fn letters_of_bytes(&self, text: &[u8]) -> Option<Elements> {
        if !self.collation.is_linguistic() || text.is_ascii() {
            return None;
        }
        self.letters(text.iter().map(|b| (*b).into()))
    }

    /// As [`Self::found`], in text of code page 1252 whose letters are known.
    fn found_narrow(
        &self,
        text: &[u8],
        letters: Option<&Elements>,
        tokens: &[Token],
        start: usize,
    ) -> Option<()> {
        if let Some(letters) = letters {
            let blanks = text.iter().rev().take_while(|b| **b == b' ').count();
            let end = letters.len().saturating_sub(blanks);
            return run(tokens, letters, end, letters.from_unit(start));
        }
        let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
        match self.weights.are_default() {
            true => run(tokens, &DefaultBytes(text), end, start),
            false => run(tokens, &Bytes1 { text, weights: self.weights }, end, start),
        }
    }

    fn found_wide(&self, text: &[u8], tokens: &[Token], start: usize) -> Option<()> {
        if self.collation.is_linguistic()
            && !is_ascii(text)
            && let Some(letters) = self.letters(units(text))
        {
            let blanks = text.len() / 2 - self.blank_from(text);
            let end = letters.len().saturating_sub(blanks);
            return run(tokens, &letters, end, letters.from_unit(start));
        }
        self.found_units(text, tokens, start)
    }

    /// As [`Self::found_wide`], in text of which each unit is a letter.
    fn found_units(&self, text: &[u8], tokens: &[Token], start: usize) -> Option<()> {
        if self.weights.are_default() && !self.pairs {
            return run(tokens, &DefaultUnits(text), self.blank_from(text), start);
        }
        let subject = Units { text, weights: self.weights, pairs: self.pairs };
        run(tokens, &subject, self.blank_from(text), start)
    }

    /// The unit from which on there are only blanks that do not count: those at the end of text of a code page.
    fn blank_from(&self, text: &[u8]) -> usize {
        match self.page {
            None => text.len() / 2,
            Some(_) => text.chunks_exact(2).rposition(|u| u != b" \0").map_or(0, |i| i + 1),
        }
    }

    /// PATINDEX: the 1-based position in characters of the first match, 0 if there is none. A pattern that begins
    /// with `%` is found anywhere, any other only at the start.
    pub fn position(&self, text: &[u8]) -> usize {
        if !self.matches(text) {
            return 0;
        }
        let wide = self.page.map(|page| page.to_utf16(text));
        let text = wide.as_deref().unwrap_or(text);
        let rest = match self.tokens.split_first() {
            Some((Token::Run, rest)) if !rest.is_empty() => rest,
            _ => return 1,
        };
        let chars = if self.unicode { text.len() / 2 } else { text.len() };
        let pair = |i: usize| self.pairs && is_pair(text, i);
        if self.unicode
            && let Some(letters) = self.letters(units(text))
        {
            let blanks = text.len() / 2 - self.blank_from(text);
            let end = letters.len().saturating_sub(blanks);
            // As below: nobody wants the place.
            let begins = |at: &usize| {
                *at % CHARACTERS == CHARACTERS - 1 && is_lost()
                    || letters.begins(*at) && run(rest, &letters, end, *at).is_some()
            };
            let unit = (0..=letters.len()).find(begins).map(|at| letters.unit(at));
            return unit.map_or(0, |unit| unit + 1 - (0..unit).filter(|i| pair(*i)).count());
        }
        // They are looked for once, and not at each place.
        let letters = if self.unicode { None } else { self.letters_of_bytes(text) };
        let begins = |start: usize| {
            // Nobody wants the place: the first is as good as any.
            start % CHARACTERS == CHARACTERS - 1 && is_lost()
                || match self.unicode {
                    true => self.found_units(text, rest, start).is_some(),
                    false => self.found_narrow(text, letters.as_ref(), rest, start).is_some(),
                }
        };
        (0..=chars)
            .find(|start| begins(*start))
            .map_or(0, |start| start + 1 - (0..start).filter(|i| pair(*i)).count())
    }
}

/// A text as patterns are matched against it: weights at places.
trait Subject {
    fn len(&self) -> usize;
    /// The weight at a place.
    fn at(&self, i: usize) -> u32;
    /// The weight of the character that begins at a place.
    #[inline]
    fn whole(&self, i: usize) -> u32 {
        self.at(i)
    }
    /// The places that the character takes.
    #[inline]
    fn span(&self, _: usize) -> usize {
        1
    }
    /// A character begins at a place.
    #[inline]
    fn begins(&self, _: usize) -> bool {
        true
    }
}

/// Bytes under the default collation.
struct DefaultBytes<'t>(&'t [u8]);

impl Subject for DefaultBytes<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline]
    fn at(&self, i: usize) -> u32 {
        Weights::default_byte(self.0[i]).into()
    }
}

/// Code units under the default collation.
struct DefaultUnits<'t>(&'t [u8]);

impl Subject for DefaultUnits<'_> {
    fn len(&self) -> usize {
        self.0.len() / 2
    }
    #[inline]
    fn at(&self, i: usize) -> u32 {
        Weights::default_unit(unit_at(self.0, i)).into()
    }
}

/// Bytes of code page 1252.
struct Bytes1<'t> {
    text: &'t [u8],
    weights: Weights,
}

impl Subject for Bytes1<'_> {
    fn len(&self) -> usize {
        self.text.len()
    }
    #[inline]
    fn at(&self, i: usize) -> u32 {
        self.weights.byte(self.text[i]).into()
    }
}

/// Code units, of which two may be a character.
struct Units<'t> {
    text: &'t [u8],
    weights: Weights,
    pairs: bool,
}

impl Subject for Units<'_> {
    fn len(&self) -> usize {
        self.text.len() / 2
    }
    #[inline]
    fn at(&self, i: usize) -> u32 {
        self.weights.unit(unit_at(self.text, i)).into()
    }
    #[inline]
    fn span(&self, i: usize) -> usize {
        1 + usize::from(self.pairs && is_pair(self.text, i))
    }
}

impl Subject for Elements {
    fn len(&self) -> usize {
        Elements::len(self)
    }
    fn at(&self, i: usize) -> u32 {
        self.weight(i)
    }
    fn whole(&self, i: usize) -> u32 {
        Elements::whole(self, i)
    }
    fn span(&self, i: usize) -> usize {
        Elements::span(self, i)
    }
    fn begins(&self, i: usize) -> bool {
        Elements::begins(self, i)
    }
}

#[inline]
fn unit_at(text: &[u8], i: usize) -> u16 {
    u16::from_le_bytes([text[2 * i], text[2 * i + 1]])
}

/// Two units that are one character begin here.
fn is_pair(text: &[u8], i: usize) -> bool {
    2 * i + 3 < text.len()
        && (0xD800..0xDC00).contains(&unit_at(text, i))
        && (0xDC00..0xE000).contains(&unit_at(text, i + 1))
}

/// Matches `tokens` against the text from `start`. The text may end anywhere from `blank_from` on.
fn run<S: Subject>(tokens: &[Token], text: &S, blank_from: usize, start: usize) -> Option<()> {
    let len = text.len();
    let (mut t, mut i) = (0, start);
    let mut back: Option<(usize, usize)> = None;
    let mut until_asked = CHARACTERS;
    loop {
        until_asked -= 1;
        if until_asked == 0 {
            until_asked = CHARACTERS;
            if is_lost() {
                return None;
            }
        }
        let fits = match tokens.get(t) {
            None if i >= blank_from.min(len) && text.begins(i) => return Some(()),
            None => false,
            // Half a character is none.
            Some(Token::Run | Token::Any | Token::Set { .. }) if !text.begins(i) => false,
            Some(Token::Run) => {
                if t + 1 == tokens.len() {
                    return Some(());
                }
                back = Some((t + 1, i));
                t += 1;
                continue;
            }
            Some(_) if i >= len => return None,
            Some(Token::One(w)) => text.at(i) == *w,
            Some(Token::Any) => true,
            Some(Token::Set { negated, ranges }) => {
                let w = text.whole(i);
                ranges.iter().any(|(a, b)| *a <= w && w <= *b) != *negated
            }
        };
        if fits {
            // `_` and brackets take a whole character.
            let one = matches!(tokens[t], Token::One(_));
            i += if one { 1 } else { text.span(i) };
            t += 1;
        } else {
            let (token, from) = back?;
            if from >= len {
                return None;
            }
            let mut next = from + 1;
            while next < len && !text.begins(next) {
                next += 1;
            }
            // On to where what follows the run may begin.
            if let Some(Token::One(w)) = tokens.get(token) {
                while next < len && (text.at(next) != *w || !text.begins(next)) {
                    next += 1;
                }
            }
            back = Some((token, next));
            (t, i) = (token, next);
        }
    }
}

/// The beginning that all text has which a pattern matches, in UTF-16LE, without blanks at its end:
/// the part before the first wildcard. `escape`: one character. `page`: that of a varchar pattern. `None`: these are no pattern and
/// escape character.
pub fn beginning(pattern: &Value, escape: Option<&Value>, page: CodePage) -> Option<Bytes> {
    let utf16 = |v: &Value| match v {
        Value::NVarChar(b) => Some(b.clone()),
        Value::VarChar(b) => Some(page.to_utf16(b)),
        _ => None,
    };
    let all = utf16(pattern)?;
    let escape = match escape {
        None => None,
        Some(v) => Some(<[u8; 2]>::try_from(&utf16(v)?[..]).ok()?),
    };
    let mut out = Bytes::new();
    let mut units = all.chunks_exact(2);
    while let Some(unit) = units.next() {
        let unit = match escape {
            Some(e) if unit == e => match units.next() {
                Some(next) => next,
                None => break,
            },
            _ if [*b"%\0", *b"_\0", *b"[\0"].iter().any(|w| unit == w) => break,
            _ => unit,
        };
        out.extend_from_slice(unit);
    }
    let end = out.chunks_exact(2).rposition(|u| u != b" \0").map_or(0, |i| (i + 1) * 2);
    out.truncate(end);
    Some(out)
}

#[cfg(test)]
mod tests;

//! LIKE and PATINDEX.
//!
//! A pattern is compiled into tokens over the collation's weights, so that a comparison of characters is one of
//! numbers: `%` any run, `_` one character, `[a-c]` and `[^a-c]` one of (not of) a set whose ranges follow the
//! collation's order, anything else itself. The character after ESCAPE's stands for itself. A pattern that ends
//! within brackets or after the escape character matches nothing.
//!
//! Matching keeps one point to return to, the last `%`: an earlier one need never be tried again, since whatever it
//! could skip the later one can skip too. Trailing blanks of the text are not significant for varchar (they are for
//! nvarchar), those of the pattern always are.

use crate::Collation;
use crate::codepage::{CodePage, units};
use crate::collation::Weights;
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
    weights: Weights,
    valid: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A character of this weight.
    One(u16),
    /// Any one character: `_`.
    Any,
    /// Any number of characters: `%`.
    Run,
    /// One character of a set in brackets, or outside of it.
    Set { negated: bool, ranges: Vec<(u16, u16)> },
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
        let mut p = Pattern { tokens: Vec::new(), unicode, page, pairs, weights, valid: true };
        let mut i = 0;
        while i < chars.len() {
            let c = chars[i];
            i += 1;
            let token = if Some(c) == escape {
                let Some(&c) = chars.get(i) else {
                    p.valid = false;
                    break;
                };
                i += 1;
                Token::One(p.weight(c))
            } else if c == b'%' as u16 {
                if p.tokens.last() == Some(&Token::Run) {
                    continue;
                }
                Token::Run
            } else if c == b'_' as u16 {
                Token::Any
            } else if c == b'[' as u16 {
                let Some(set) = p.set(&chars, &mut i, escape) else {
                    p.valid = false;
                    break;
                };
                set
            } else {
                Token::One(p.weight(c))
            };
            p.tokens.push(token);
        }
        p
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
    fn weight(&self, c: u16) -> u16 {
        if self.unicode { self.weights.unit(c) } else { self.weights.byte(c as u8) }
    }

    /// Whether the text (in the same encoding) matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        if !self.valid {
            return false;
        }
        if let Some(page) = self.page {
            return self.matches_units(&page.to_utf16(text));
        }
        if self.unicode {
            return self.matches_units(text);
        }
        let (tokens, no) = (&self.tokens, |_| false);
        let default = self.weights.are_default();
        let blank_from = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
        let at = |i: usize| self.weights.byte(text[i]);
        let by_default = |i: usize| Weights::default_byte(text[i]);
        match default {
            true => run(tokens, by_default, no, text.len(), blank_from, 0).is_some(),
            false => run(tokens, at, no, text.len(), blank_from, 0).is_some(),
        }
    }

    fn matches_units(&self, text: &[u8]) -> bool {
        let (tokens, no) = (&self.tokens, |_| false);
        let default = self.weights.are_default();
        let at = |i: usize| self.weights.unit(unit_at(text, i));
        let by_default = |i: usize| Weights::default_unit(unit_at(text, i));
        let units = text.len() / 2;
        let end = self.blank_from(text);
        match self.pairs {
            true => run(tokens, at, |i| is_pair(text, i), units, end, 0).is_some(),
            false if default => run(tokens, by_default, no, units, end, 0).is_some(),
            false => run(tokens, at, no, units, end, 0).is_some(),
        }
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
        let (chars, blank_from) = if self.unicode {
            (text.len() / 2, self.blank_from(text))
        } else {
            (text.len(), text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1))
        };
        let rest = match self.tokens.split_first() {
            Some((Token::Run, rest)) if !rest.is_empty() => rest,
            _ => return 1,
        };
        let at = |i: usize| {
            if self.unicode {
                self.weights.unit(unit_at(text, i))
            } else {
                self.weights.byte(text[i])
            }
        };
        let pair = |i: usize| self.pairs && is_pair(text, i);
        let begins = |start: usize| {
            // Nobody wants the place: the first is as good as any.
            start % CHARACTERS == CHARACTERS - 1 && is_lost()
                || run(rest, at, pair, chars, blank_from, start).is_some()
        };
        (0..=chars)
            .find(|start| begins(*start))
            .map_or(0, |start| start + 1 - (0..start).filter(|i| pair(*i)).count())
    }
}

#[inline]
fn unit_at(text: &[u8], i: usize) -> u16 {
    u16::from_le_bytes([text[2 * i], text[2 * i + 1]])
}

/// Two units that are one character begin here.
fn is_pair(text: &[u8], i: usize) -> bool {
    (0xD800..0xDC00).contains(&unit_at(text, i))
        && 2 * i + 3 < text.len()
        && (0xDC00..0xE000).contains(&unit_at(text, i + 1))
}

/// Matches `tokens` against the characters from `start`. The text may end anywhere from `blank_from` on. `pair`: whether a character of two
/// units begins there.
fn run(
    tokens: &[Token],
    at: impl Fn(usize) -> u16,
    pair: impl Fn(usize) -> bool,
    len: usize,
    blank_from: usize,
    start: usize,
) -> Option<()> {
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
            None if i >= blank_from.min(len) => return Some(()),
            None => false,
            Some(Token::Run) => {
                if t + 1 == tokens.len() {
                    return Some(());
                }
                back = Some((t + 1, i));
                t += 1;
                continue;
            }
            Some(_) if i >= len => return None,
            Some(Token::One(w)) => at(i) == *w,
            Some(Token::Any) => true,
            Some(Token::Set { negated, ranges }) => {
                let w = at(i);
                ranges.iter().any(|(a, b)| *a <= w && w <= *b) != *negated
            }
        };
        if fits {
            // `_` and brackets take a whole character.
            let wide = !matches!(tokens[t], Token::One(_)) && pair(i);
            t += 1;
            i += 1 + usize::from(wide);
        } else {
            let (token, from) = back?;
            if from >= len {
                return None;
            }
            let mut next = from + 1;
            // On to where what follows the run may begin.
            if let Some(Token::One(w)) = tokens.get(token) {
                while next < len && at(next) != *w {
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
mod tests {
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
        for (pattern, text) in [
            ("ab%", "ab"),
            ("a b_c", "a b"),
            ("ab [x]", "ab"),
            ("ab  ", "ab"),
            ("%a", ""),
            ("", ""),
        ] {
            assert_eq!(of(pattern, None).as_deref(), Some(text), "{pattern}");
        }
        assert_eq!(of("10!%%", Some("!")).as_deref(), Some("10%"));
        assert_eq!(of("a!", Some("!")).as_deref(), Some("a"));
        assert_eq!(of("a!_", Some("!!")), None);
    }

    fn like(text: &str, pattern: &str, escape: Option<char>) -> bool {
        let escape = escape.map(|c| c as u16);
        let c = Collation::default();
        let wide =
            Pattern::new(&encode_utf16(pattern), true, escape, c).matches(&encode_utf16(text));
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
}

//! What type rules and evaluations are made of.

use super::{Call, Rule, Signature};
use crate::pieces;
use smallvec::SmallVec;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::codepage::{encode_1252, encode_utf16, unit_of, units, utf16_to_1252};
use taffrail_types::collation::Weights;
use taffrail_types::convert::{Rule as Cell, rule};
use taffrail_types::{Bytes, Collation, Family, MaxLen, SqlType, Value};

impl Rule<'_> {
    /// 8116: the argument (from 0) may not have its type. A datepart before it is an argument, too.
    pub fn invalid(&self, at: usize) -> Box<taffrail_base::SqlError> {
        let written = at + 1 + self.datepart.is_some() as usize;
        SqlError::new(8116, &[&self.args[at].name(), &written, &self.name])
    }

    /// The argument as `to`, where it converts implicitly; 8116.
    pub fn param(&self, at: usize, to: SqlType) -> SqlResult<SqlType> {
        if rule(self.args[at], to) == Cell::Implicit { Ok(to) } else { Err(self.invalid(at)) }
    }

    /// The argument as text: text as it is, other types as varchar with room for their values.
    pub fn text(&self, at: usize) -> SqlResult<SqlType> {
        let ty = self.args[at];
        Ok(match ty.family() {
            Family::Char | Family::NChar => ty,
            Family::Binary => SqlType::VarChar(ty.length().unwrap_or(MaxLen::Max)),
            Family::Variant => return Err(self.invalid(at)),
            Family::RowVersion => SqlType::varchar(8),
            Family::Guid => SqlType::varchar(36),
            _ => SqlType::varchar(number_room(ty)),
        })
    }

    /// The argument as nvarchar, long enough for its text.
    pub fn unicode(&self, at: usize) -> SqlResult<SqlType> {
        Ok(as_unicode(self.text(at)?))
    }

    /// All arguments as given, and a result.
    pub(crate) fn as_given(&self, result: SqlType) -> SqlResult<Signature> {
        Ok(Signature { params: self.args.iter().copied().collect(), result })
    }

    /// Every argument as the listed types (the rest of the list is for optional ones), and a result.
    pub fn fixed(&self, params: &[SqlType], result: SqlType) -> SqlResult<Signature> {
        let params = self
            .args
            .iter()
            .enumerate()
            .map(|(at, _)| self.param(at, params[at.min(params.len() - 1)]))
            .collect::<SqlResult<SmallVec<_>>>()?;
        Ok(Signature { params, result })
    }
}

/// Characters that any value of a number, date or time type needs.
fn number_room(ty: SqlType) -> usize {
    match ty.family() {
        Family::Bit => 1,
        Family::Integer if ty == SqlType::BigInt => 20,
        Family::Integer => 12,
        Family::Decimal => 41,
        Family::Money | Family::Float => 30,
        _ => 40,
    }
}

/// nvarchar with the same length.
pub(crate) fn as_unicode(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Char(n) => SqlType::NVarChar(MaxLen::N(n.min(4000))),
        SqlType::VarChar(MaxLen::N(n)) => SqlType::NVarChar(MaxLen::N(n.min(4000))),
        SqlType::VarChar(MaxLen::Max) => SqlType::NVARCHAR_MAX,
        other => other,
    }
}

/// The variable-length type of the same kind and length.
pub fn varying(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Char(n) => SqlType::VarChar(MaxLen::N(n)),
        SqlType::NChar(n) => SqlType::NVarChar(MaxLen::N(n)),
        SqlType::Binary(n) => SqlType::VarBinary(MaxLen::N(n)),
        other => other,
    }
}

/// varchar or nvarchar (as `like`) with the greatest length that is not (max), or (max) if `like` is.
pub fn widest(like: SqlType) -> SqlType {
    match (like.is_unicode(), like.is_max()) {
        (true, true) => SqlType::NVARCHAR_MAX,
        (true, false) => SqlType::nvarchar(4000),
        (false, true) => SqlType::VarChar(MaxLen::Max),
        (false, false) => SqlType::varchar(8000),
    }
}

/// A signature of given params.
pub fn signature(params: &[SqlType], result: SqlType) -> Signature {
    Signature { params: params.iter().copied().collect(), result }
}

/// Any NULL among the arguments.
pub(crate) fn any_null(args: &[Value]) -> bool {
    args.iter().any(Value::is_null)
}

/// The characters of a text or binary argument: bytes, or UTF-16 code units of nvarchar.
#[derive(Clone)]
pub struct Text {
    /// The characters, each a byte or code unit.
    pub chars: Vec<u16>,
    /// Whether the text is nvarchar.
    pub unicode: bool,
}

impl Text {
    /// None for a value that is no text or binary.
    pub fn of(v: &Value) -> SqlResult<Option<Text>> {
        Ok(match v {
            Value::VarChar(b) | Value::Binary(b) => {
                let chars = pieces::collect(b, 1, |to, b| to.extend(b.iter().map(|b| *b as u16)))?;
                Some(Text { chars, unicode: false })
            }
            Value::NVarChar(b) => {
                let chars = pieces::collect(b, 2, |to, b| to.extend(units(b)))?;
                Some(Text { chars, unicode: true })
            }
            _ => None,
        })
    }

    /// Back to a value of a type (cut to its length).
    pub(crate) fn into_value(self, ty: SqlType) -> SqlResult<Value> {
        self.slice(0, self.chars.len(), ty)
    }

    /// Part of it as a value of a type (cut to its length).
    pub fn slice(&self, from: usize, to: usize, ty: SqlType) -> SqlResult<Value> {
        let chars = &self.chars[from..to];
        let limit = ty.byte_limit();
        if ty.is_unicode() {
            let chars = &chars[..chars.len().min(limit / 2)];
            if chars.len() <= pieces::PIECE {
                return Ok(Value::NVarChar(chars.iter().flat_map(|u| u.to_le_bytes()).collect()));
            }
            let mut bytes = Vec::with_capacity(chars.len() * 2);
            for piece in chars.chunks(pieces::PIECE) {
                pieces::look()?;
                bytes.extend(piece.iter().flat_map(|u| u.to_le_bytes()));
            }
            return Ok(Value::NVarChar(Bytes::from_vec(bytes)));
        }
        let chars = &chars[..chars.len().min(limit)];
        let bytes: Bytes = if chars.len() <= pieces::PIECE {
            chars.iter().map(|u| *u as u8).collect()
        } else {
            let narrow = pieces::collect(chars, 1, |to, c| to.extend(c.iter().map(|u| *u as u8)))?;
            Bytes::from_vec(narrow)
        };
        let binary = ty.family() == Family::Binary;
        Ok(if binary { Value::Binary(bytes) } else { Value::VarChar(bytes) })
    }

    /// How many characters there are: with `pairs` a surrogate pair is one.
    pub fn count(&self, pairs: bool) -> usize {
        self.count_to(self.chars.len(), pairs)
    }

    /// How many characters there are before a unit.
    pub(crate) fn count_to(&self, end: usize, pairs: bool) -> usize {
        let lows = |from: usize| (from..end).filter(|i| self.is_second(*i)).count();
        end - if pairs && self.unicode { lows(1) } else { 0 }
    }

    /// Where the character of this number begins, counted from 0; the end, if there are no so many.
    pub fn unit(&self, number: usize, pairs: bool) -> usize {
        let len = self.chars.len();
        if !pairs || !self.unicode {
            return number.min(len);
        }
        let mut firsts = (0..len).filter(|i| !self.is_second(*i));
        firsts.nth(number).unwrap_or(len)
    }

    /// The second half of a surrogate pair.
    fn is_second(&self, at: usize) -> bool {
        at > 0
            && (0xDC00..0xE000).contains(&self.chars[at])
            && (0xD800..0xDC00).contains(&self.chars[at - 1])
    }

    /// The other way round, each character as it is.
    pub fn reverse(&mut self, pairs: bool) {
        self.chars.reverse();
        if !pairs || !self.unicode {
            return;
        }
        for at in 1..self.chars.len() {
            let (a, b) = (self.chars[at - 1], self.chars[at]);
            if (0xDC00..0xE000).contains(&a) && (0xD800..0xDC00).contains(&b) {
                self.chars.swap(at - 1, at);
            }
        }
    }

    /// Whether the text has a character that is not one letter under a collation.
    pub(crate) fn letters_apart(&self, collation: Collation) -> bool {
        (self.unicode || collation.narrow_is_wide())
            && collation.is_linguistic()
            && collation.is_spelled(self.chars.iter().map(|c| self.wide_unit(*c)))
    }

    /// The code units of the text.
    pub(crate) fn wide(&self) -> Vec<u16> {
        self.chars.iter().map(|c| self.wide_unit(*c)).collect()
    }

    fn wide_unit(&self, c: u16) -> u16 {
        if self.unicode { c } else { unit_of(c as u8) }
    }

    /// The characters' weights under a collation.
    pub fn weights(&self, collation: Collation) -> SqlResult<Vec<u16>> {
        let weights = collation.weights();
        pieces::collect(&self.chars, 1, |to, chars| {
            to.extend(chars.iter().map(|c| self.weight(*c, weights)));
        })
    }

    /// A character's weight under a collation's.
    pub fn weight(&self, c: u16, weights: Weights) -> u16 {
        if self.unicode { weights.unit(c) } else { weights.byte(c as u8) }
    }
}

impl Call<'_> {
    /// The collation under which the arguments are compared.
    pub fn collation(&self) -> Collation {
        self.bound.collations.first().copied().unwrap_or_else(|| self.context.collation())
    }

    /// A surrogate pair is one character: the text's collation has supplementary characters.
    pub fn pairs(&self) -> bool {
        self.bound.collations.first().is_some_and(|c| c.is_supplementary())
    }

    /// UTF-8 text as a value of the result type.
    pub(crate) fn text_result(&self, s: &str) -> Value {
        let limit = self.bound.result.byte_limit();
        let mut bytes =
            if self.bound.result.is_unicode() { encode_utf16(s) } else { encode_1252(s) };
        bytes.truncate(limit);
        if self.bound.result.is_unicode() { Value::NVarChar(bytes) } else { Value::VarChar(bytes) }
    }

    /// A name or NULL as the result type.
    pub(crate) fn optional_text(&self, s: Option<String>) -> Value {
        s.map_or(Value::Null, |s| self.text_result(&s))
    }
}

/// An int argument, 0 for what is none.
pub fn int(v: &Value) -> i64 {
    v.as_i64().unwrap_or(0)
}

/// A text argument as UTF-8.
pub fn string(v: &Value) -> String {
    v.as_text().unwrap_or_default()
}

/// A text argument in code page 1252.
pub fn narrow(v: &Value) -> Vec<u8> {
    match v {
        Value::NVarChar(b) => utf16_to_1252(b).to_vec(),
        Value::VarChar(b) | Value::Binary(b) => b.to_vec(),
        _ => Vec::new(),
    }
}

/// A numeric argument as a float.
pub fn float(v: &Value) -> f64 {
    match v {
        Value::Float(x) => *x,
        Value::Real(x) => *x as f64,
        other => int(other) as f64,
    }
}

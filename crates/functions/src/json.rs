//! JSON in text: ISJSON, JSON_VALUE, JSON_QUERY, JSON_PATH_EXISTS.
//!
//! ```text
//! path   [lax | strict] $ { .name | ."name" | [n] }
//! lax    what is not there, or is of the wrong kind, is NULL        strict   13608, 13623, 13624, 13625
//! ```
//!
//! The text is read from its beginning to the end of what the path leads to, and no further; where nothing is found it is
//! read to its end. What is wrong up to there is 13609 with the position, counted in UTF-16 code units from 0. What is
//! found is given as it is written: numbers keep their digits, objects and arrays their blanks.

use super::typing::{any_null, signature};
use super::{Call, Function, Rule, Signature};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::codepage::units;
use taffrail_types::{SqlType, Value};

const TEXT: SqlType = SqlType::NVARCHAR_MAX;

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("ISJSON", 1, 1, |r| r.fixed(&[TEXT], SqlType::Int),
        |_, a| Ok(text_of(&a[0]).map_or(Value::Null, |t| Value::Int(is_json(&t) as i32)))),
    Function::new("JSON_VALUE", 2, 2, |r| json_rule(r, SqlType::nvarchar(4000)), json_value),
    Function::new("JSON_QUERY", 1, 2, |r| json_rule(r, TEXT), json_query),
    Function::new("JSON_PATH_EXISTS", 2, 2, |r| json_rule(r, SqlType::Int), path_exists),
];

/// Objects and arrays within each other; as many as SQL Server reads.
const DEEPEST: usize = 128;

fn json_rule(r: &Rule<'_>, result: SqlType) -> SqlResult<Signature> {
    let params = (0..r.args.len()).map(|at| r.param(at, TEXT)).collect::<SqlResult<Vec<_>>>()?;
    Ok(signature(&params, result))
}

fn text_of(v: &Value) -> Option<Vec<u16>> {
    match v {
        Value::NVarChar(b) => Some(units(b).collect()),
        _ => None,
    }
}

fn of_units(text: &[u16]) -> Value {
    Value::NVarChar(text.iter().flat_map(|u| u.to_le_bytes()).collect())
}

/// The kinds of JSON values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum JsonKind {
    Object,
    Array,
    Text,
    Null,
    /// A number, true or false.
    Plain,
}

impl JsonKind {
    fn is_container(self) -> bool {
        matches!(self, JsonKind::Object | JsonKind::Array)
    }
}

/// Where the text stops being JSON.
#[derive(Debug)]
struct Unexpected(usize);

type Read<T> = Result<T, Unexpected>;

/// Reads JSON from left to right.
struct JsonReader<'a> {
    text: &'a [u16],
    at: usize,
}

impl<'a> JsonReader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).map(|u| u8::try_from(*u).unwrap_or(0xFF))
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, c: u8) -> Read<()> {
        if self.peek() != Some(c) {
            return Err(Unexpected(self.at));
        }
        self.at += 1;
        Ok(())
    }

    /// The kind of the value that begins here.
    fn kind(&self) -> Read<JsonKind> {
        Ok(match self.peek() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            Some(b'"') => JsonKind::Text,
            Some(b'n') => JsonKind::Null,
            Some(b't' | b'f' | b'-' | b'0'..=b'9') => JsonKind::Plain,
            _ => return Err(Unexpected(self.at)),
        })
    }

    /// Passes over a value.
    fn skip(&mut self, depth: usize) -> Read<()> {
        match self.peek() {
            Some(b'{') => self.members(depth, |r, _| r.skip(depth + 1).map(|()| false)).map(drop),
            Some(b'[') => self.elements(depth, |r, _| r.skip(depth + 1).map(|()| false)).map(drop),
            Some(b'"') => self.string().map(drop),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => self.number(),
        }
    }

    /// The members of an object; `each` reads a member's value, and ends the walk with true. False: read to its end.
    fn members(
        &mut self,
        depth: usize,
        mut each: impl FnMut(&mut Self, &[u16]) -> Read<bool>,
    ) -> Read<bool> {
        self.opens(depth, b'{')?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(false);
        }
        loop {
            self.blanks();
            let name = self.string()?;
            self.blanks();
            self.expect(b':')?;
            self.blanks();
            if each(self, &name)? {
                return Ok(true);
            }
            if self.closes(b'}')? {
                return Ok(false);
            }
        }
    }

    /// As [`Self::members`], for the elements of an array.
    fn elements(
        &mut self,
        depth: usize,
        mut each: impl FnMut(&mut Self, usize) -> Read<bool>,
    ) -> Read<bool> {
        self.opens(depth, b'[')?;
        if self.peek() == Some(b']') {
            self.at += 1;
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

    fn opens(&mut self, depth: usize, c: u8) -> Read<()> {
        if depth >= DEEPEST {
            return Err(Unexpected(self.at));
        }
        self.expect(c)?;
        self.blanks();
        Ok(())
    }

    /// After a member or an element: a comma, or the end (true).
    fn closes(&mut self, c: u8) -> Read<bool> {
        self.blanks();
        if self.peek() == Some(c) {
            self.at += 1;
            return Ok(true);
        }
        self.expect(b',').map(|()| false)
    }

    fn word(&mut self, word: &str) -> Read<()> {
        word.bytes().try_for_each(|c| self.expect(c))
    }

    fn digits(&mut self) -> Read<()> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > from { Ok(()) } else { Err(Unexpected(self.at)) }
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

    /// A string without its quotation marks and escapes.
    fn string(&mut self) -> Read<Vec<u16>> {
        self.expect(b'"')?;
        let mut out = Vec::new();
        loop {
            let Some(&unit) = self.text.get(self.at) else { return Err(Unexpected(self.at)) };
            if unit < 0x20 {
                return Err(Unexpected(self.at));
            }
            self.at += 1;
            match u8::try_from(unit) {
                Ok(b'"') => return Ok(out),
                Ok(b'\\') => out.push(self.escape()?),
                _ => out.push(unit),
            }
        }
    }

    fn escape(&mut self) -> Read<u16> {
        let c = self.peek().ok_or(Unexpected(self.at))?;
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
                    unit = unit << 4 | digit.ok_or(Unexpected(self.at))? as u16;
                }
                unit
            }
            _ => return Err(Unexpected(self.at)),
        };
        self.at += 1;
        Ok(unit)
    }

    /// Nothing but blanks is left.
    fn end(&mut self) -> Read<()> {
        self.blanks();
        if self.at == self.text.len() { Ok(()) } else { Err(Unexpected(self.at)) }
    }
}

fn is_json(text: &[u16]) -> bool {
    let mut r = JsonReader { text, at: 0 };
    r.blanks();
    r.kind().is_ok_and(JsonKind::is_container) && r.skip(0).is_ok() && r.end().is_ok()
}

/// A step of a path.
#[derive(PartialEq, Eq, Debug)]
enum PathStep {
    Name(Vec<u16>),
    Index(usize),
}

/// A path taken apart.
#[derive(Debug)]
struct JsonPath {
    strict: bool,
    steps: Vec<PathStep>,
}

fn path(text: &[u16]) -> Read<JsonPath> {
    let mut r = JsonReader { text, at: 0 };
    r.blanks();
    let mut mode = |word: &str| {
        let is = text[r.at..].iter().zip(word.bytes()).all(|(u, c)| *u == c as u16)
            && text.len() >= r.at + word.len();
        if is {
            r.at += word.len();
            r.blanks();
        }
        is
    };
    let strict = mode("strict");
    if !strict {
        mode("lax");
    }
    r.expect(b'$')?;
    let mut steps = Vec::new();
    loop {
        match r.peek() {
            None => return Ok(JsonPath { strict, steps }),
            Some(b'.') => {
                r.at += 1;
                if r.peek() == Some(b'"') {
                    steps.push(PathStep::Name(r.string()?));
                    continue;
                }
                let from = r.at;
                // Letters of any language; a name that begins with a digit is none.
                while let Some(&u) = text.get(r.at) {
                    let letter = u > 0x7F
                        || u == '_' as u16
                        || (u as u8).is_ascii_alphabetic()
                        || (r.at > from && (u as u8).is_ascii_digit());
                    if !letter {
                        break;
                    }
                    r.at += 1;
                }
                if r.at == from {
                    return Err(Unexpected(r.at));
                }
                steps.push(PathStep::Name(text[from..r.at].to_vec()));
            }
            Some(b'[') => {
                r.at += 1;
                r.blanks();
                let from = r.at;
                r.digits()?;
                let digits = text[from..r.at].iter().map(|u| *u as u8 as char);
                let n = digits.collect::<String>().parse().unwrap_or(usize::MAX);
                steps.push(PathStep::Index(n));
                r.blanks();
                r.expect(b']')?;
            }
            Some(b' ' | b'\t') => {
                r.blanks();
                if r.at < text.len() {
                    return Err(Unexpected(r.at));
                }
            }
            Some(_) => return Err(Unexpected(r.at)),
        }
    }
}

/// Where a path leads: the value's kind and its place in the text.
fn find(text: &[u16], steps: &[PathStep]) -> Read<Option<(JsonKind, std::ops::Range<usize>)>> {
    let mut r = JsonReader { text, at: 0 };
    r.blanks();
    // A document is an object or an array.
    if !r.kind()?.is_container() {
        return Err(Unexpected(r.at));
    }
    for (depth, step) in steps.iter().enumerate() {
        let there = match (step, r.kind()?) {
            (PathStep::Name(name), JsonKind::Object) => {
                r.members(depth, |r, n| match n == &name[..] {
                    true => Ok(true),
                    false => r.skip(depth + 1).map(|()| false),
                })?
            }
            (PathStep::Index(wanted), JsonKind::Array) => {
                r.elements(depth, |r, n| match n == *wanted {
                    true => Ok(true),
                    false => r.skip(depth + 1).map(|()| false),
                })?
            }
            _ => return Ok(None),
        };
        if !there {
            if depth == 0 {
                r.end()?;
            }
            return Ok(None);
        }
    }
    let (kind, from) = (r.kind()?, r.at);
    r.skip(steps.len())?;
    Ok(Some((kind, from..r.at)))
}

/// 13607 or 13609: the character, and where it is. Past the end there is none: SQL Server shows a point.
fn unexpected(number: i32, text: &[u16], at: Unexpected) -> Box<SqlError> {
    let c = text.get(at.0).map_or(".".to_string(), |u| String::from_utf16_lossy(&[*u]));
    SqlError::new(number, &[&c, &at.0])
}

/// Looks the path up. None for NULL; the path's strictness and what is there.
#[allow(clippy::type_complexity)]
fn look_up(
    args: &[Value],
) -> SqlResult<Option<(Vec<u16>, bool, Option<(JsonKind, std::ops::Range<usize>)>)>> {
    let Some(text) = text_of(&args[0]) else { return Ok(None) };
    let way = match args.get(1) {
        None => vec!['$' as u16],
        Some(v) => match text_of(v) {
            Some(way) => way,
            None => return Ok(None),
        },
    };
    let parsed = path(&way).map_err(|at| unexpected(13607, &way, at))?;
    let found = find(&text, &parsed.steps).map_err(|at| unexpected(13609, &text, at))?;
    if parsed.strict && found.is_none() {
        return Err(SqlError::new(13608, &[]));
    }
    Ok(Some((text, parsed.strict, found)))
}

fn json_value(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some((text, strict, Some((kind, range)))) = look_up(args)? else { return Ok(Value::Null) };
    let value = match kind {
        JsonKind::Null => return Ok(Value::Null),
        JsonKind::Object | JsonKind::Array if strict => return Err(SqlError::new(13623, &[])),
        JsonKind::Object | JsonKind::Array => return Ok(Value::Null),
        JsonKind::Plain => text[range].to_vec(),
        JsonKind::Text => {
            let mut r = JsonReader { text: &text, at: range.start };
            r.string().map_err(|at| unexpected(13609, &text, at))?
        }
    };
    match value.len() > 4000 {
        true if strict => Err(SqlError::new(13625, &[])),
        true => Ok(Value::Null),
        false => Ok(of_units(&value)),
    }
}

fn json_query(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(match look_up(args)? {
        Some((text, _, Some((kind, range)))) if kind.is_container() => of_units(&text[range]),
        Some((_, true, _)) => return Err(SqlError::new(13624, &[])),
        _ => Value::Null,
    })
}

/// Never an error: what cannot be read is not there.
fn path_exists(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let there = matches!(look_up(args), Ok(Some((_, _, Some(_)))));
    Ok(Value::Int(there as i32))
}

//! Paths into JSON, and where they lead.

use super::reader::{JsonKind, JsonReader, JsonText, Read, Unexpected};
use std::ops::Range;
use taffrail_base::{SqlError, SqlResult};

/// A step of a path.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum PathStep {
    /// A member by its name, in UTF-16LE.
    Name(Vec<u8>),
    /// An element by its position, from 0.
    Index(usize),
}

/// A path taken apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct JsonPath {
    /// Of JSON_MODIFY: an element is added to the array that is there.
    pub append: bool,
    pub strict: bool,
    pub steps: Vec<PathStep>,
}

impl JsonPath {
    /// The document itself.
    pub fn whole() -> JsonPath {
        JsonPath { append: false, strict: false, steps: Vec::new() }
    }

    /// Reads a path: 13607.
    pub fn parse(text: JsonText<'_>) -> SqlResult<JsonPath> {
        read(text).map_err(|at| at.told(13607, text))
    }
}

fn read(text: JsonText<'_>) -> Read<JsonPath> {
    let mut r = JsonReader::new(text, 0);
    r.blanks();
    let mut word = |word: &str| {
        let mut units = (r.at..).map(|at| text.unit(at));
        let is = word.bytes().all(|c| units.next() == Some(Some(c.into())));
        if is {
            r.at += word.len();
            r.blanks();
        }
        is
    };
    let append = word("append");
    let strict = word("strict");
    if !strict {
        word("lax");
    }
    r.expect(b'$')?;
    let mut steps = Vec::new();
    loop {
        match r.peek() {
            None => return Ok(JsonPath { append, strict, steps }),
            Some(b'.') => {
                r.at += 1;
                r.blanks();
                if r.peek() == Some(b'"') {
                    let name = r.string()?;
                    steps.push(PathStep::Name(name.decoded(text).into_owned()));
                    continue;
                }
                steps.push(PathStep::Name(bare_name(&mut r)?.to_vec()));
            }
            Some(b'[') => steps.push(PathStep::Index(index(&mut r)?)),
            Some(b' ' | b'\t' | b'\n' | b'\r') => r.blanks(),
            Some(_) => return Err(Unexpected::At(r.at)),
        }
    }
}

/// Letters of any language; a name that begins with a digit is none.
fn bare_name<'a>(r: &mut JsonReader<'a>) -> Read<&'a [u8]> {
    let from = r.at;
    while let Some(u) = r.text.unit(r.at) {
        let letter = u > 0x7F
            || u == '_' as u16
            || (u as u8).is_ascii_alphabetic()
            || (r.at > from && (u as u8).is_ascii_digit());
        if !letter {
            break;
        }
        r.at += 1;
    }
    if r.at == from { Err(Unexpected::At(r.at)) } else { Ok(r.text.part(from..r.at)) }
}

fn index(r: &mut JsonReader<'_>) -> Read<usize> {
    r.at += 1;
    r.blanks();
    let from = r.at;
    r.digits()?;
    let digits = (from..r.at).filter_map(|at| r.text.unit(at)).map(|u| u as u8 as char);
    let n = digits.collect::<String>().parse().unwrap_or(usize::MAX);
    r.blanks();
    r.expect(b']')?;
    Ok(n)
}

/// Takes a reader, which stands at a value `depth` containers deep, to where a path leads; false: nothing is there, and the reader stands
/// anywhere.
pub(super) fn go(r: &mut JsonReader<'_>, steps: &[PathStep]) -> Read<bool> {
    for (depth, step) in steps.iter().enumerate() {
        let text = r.text;
        let there = match (step, r.kind()?) {
            (PathStep::Name(name), JsonKind::Object) => {
                r.members(depth, |r, n| match *n.decoded(text) == name[..] {
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
            _ => return Ok(false),
        };
        if !there {
            if depth == 0 {
                r.end()?;
            }
            return Ok(false);
        }
    }
    Ok(true)
}

/// A reader at the beginning of a document, which is an object or an array.
pub(super) fn begin(text: JsonText<'_>) -> Read<JsonReader<'_>> {
    let mut r = JsonReader::new(text, 0);
    r.blanks();
    if r.kind()?.is_container() { Ok(r) } else { Err(Unexpected::At(r.at)) }
}

/// A value's kind and its place in the text.
pub(super) type Place = (JsonKind, Range<usize>);

/// Where a path leads: 13609, and 13608 where nothing is there for a strict one.
pub(super) fn find(text: JsonText<'_>, path: &JsonPath) -> SqlResult<Option<Place>> {
    let found = || -> Read<Option<Place>> {
        let mut r = begin(text)?;
        if !go(&mut r, &path.steps)? {
            return Ok(None);
        }
        let (kind, from) = (r.kind()?, r.at);
        r.skip(path.steps.len())?;
        Ok(Some((kind, from..r.at)))
    };
    match found().map_err(|e| e.told(13609, text))? {
        None if path.strict => Err(SqlError::new(13608, &[])),
        found => Ok(found),
    }
}

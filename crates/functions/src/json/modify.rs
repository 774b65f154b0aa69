//! JSON_MODIFY: a value put into a text, of which all else stays as it is written.

use super::path::{self, JsonPath, PathStep};
use super::reader::{JsonKind, JsonReader, JsonText, Read, check};
use super::{TEXT, may_be_set, text, text_of};
use crate::typing::signature;
use crate::{Call, Rule, Signature};
use std::ops::Range;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Bytes, Value};

pub(super) fn rule(r: &Rule<'_>) -> SqlResult<Signature> {
    if !may_be_set(r.args[2]) {
        return Err(r.invalid(2));
    }
    let new = if r.args[2].is_text() { TEXT } else { r.args[2] };
    Ok(signature(&[r.param(0, TEXT)?, r.param(1, TEXT)?, new], TEXT))
}

/// A change of a text.
enum Change {
    None,
    /// The place of what goes.
    Delete(Range<usize>),
    /// The place that the value takes.
    Put(Range<usize>),
    /// A member or an element more, before the bracket that stands there; whether it is the first one.
    Add(usize, bool),
}

/// What a path leads to: the change, and the message where a strict path has nothing to change.
type ChangeOrNot = (Change, i32);

pub(super) fn json_modify(call: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(text), Some(way)) = (text_of(&args[0]), text_of(&args[1])) else {
        return Ok(Value::Null);
    };
    let path = JsonPath::parse(way)?;
    if path.steps.is_empty() && !path.append {
        return Err(SqlError::new(13619, &[&2]));
    }
    check(text).map_err(|e| e.with_state(7))?;
    let null = args[2].is_null();
    let found = change(text, &path, null).map_err(|e| e.told(13609, text))?;
    let change = match found {
        (Change::None, number) if path.strict && number != 0 => {
            return Err(SqlError::new(number, &[]).with_state(if number == 13608 { 2 } else { 1 }));
        }
        (change, _) => change,
    };
    let mut value = Vec::new();
    let raw = call.bound.form.as_ref().is_some_and(|f| f.is_raw(2));
    text::value(&mut value, &args[2], call.bound.params[2], raw)?;
    Ok(Value::NVarChar(Bytes::from_vec(spliced(text, &path, change, &value)?)))
}

fn spliced(
    text: JsonText<'_>,
    path: &JsonPath,
    change: Change,
    value: &[u8],
) -> SqlResult<Vec<u8>> {
    let mut out = Vec::with_capacity(text.0.len() + value.len() + 16);
    let (from, to) = match &change {
        Change::None => (text.len(), text.len()),
        Change::Delete(range) | Change::Put(range) => (range.start, range.end),
        Change::Add(at, _) => (*at, *at),
    };
    crate::pieces::append(&mut out, text.part(0..from))?;
    match change {
        Change::None | Change::Delete(_) => {}
        Change::Put(_) => crate::pieces::append(&mut out, value)?,
        Change::Add(_, first) => {
            if !first {
                text::ascii(&mut out, b",");
            }
            match path.steps.last() {
                Some(PathStep::Name(name)) if !is_element(text, to) => {
                    text::escaped(&mut out, name, false);
                    text::ascii(&mut out, if path.append { b":[" } else { b":" });
                    crate::pieces::append(&mut out, value)?;
                    text::ascii(&mut out, if path.append { b"]" } else { b"" });
                }
                _ => crate::pieces::append(&mut out, value)?,
            }
        }
    }
    crate::pieces::append(&mut out, text.part(to..text.len()))?;
    Ok(out)
}

/// What is added before this place is an element of an array.
fn is_element(text: JsonText<'_>, at: usize) -> bool {
    text.unit(at) == Some(b']'.into())
}

fn change(text: JsonText<'_>, path: &JsonPath, null: bool) -> Read<ChangeOrNot> {
    let mut r = path::begin(text)?;
    if path.append && path::go(&mut r, &path.steps)? {
        return Ok(match r.kind()? {
            JsonKind::Array => (before_end(r, path.steps.len())?, 0),
            _ => (Change::None, 13621),
        });
    }
    let mut r = path::begin(text)?;
    let Some((last, parents)) = path.steps.split_last() else { return Ok((Change::None, 13608)) };
    if !path::go(&mut r, parents)? {
        return Ok((Change::None, 13608));
    }
    let kind = r.kind()?;
    let found = match (last, kind) {
        (PathStep::Name(name), JsonKind::Object) => {
            member(&mut JsonReader::new(text, r.at), parents.len(), name)?
        }
        (PathStep::Index(n), JsonKind::Array) => {
            let mut r = JsonReader::new(text, r.at);
            let depth = path.steps.len();
            let mut found = None;
            r.elements(depth - 1, |r, at| {
                let from = r.at;
                r.skip(depth)?;
                if at == *n {
                    found = Some((from..r.at, from..r.at));
                }
                Ok(at == *n)
            })?;
            found
        }
        _ => return Ok((Change::None, 13608)),
    };
    Ok(match found {
        Some((_, all)) if null && !path.strict && kind == JsonKind::Object => {
            (Change::Delete(all), 0)
        }
        Some((value, _)) => (Change::Put(value), 0),
        None if path.strict || null && !path.append || kind == JsonKind::Array => {
            (Change::None, 13608)
        }
        None => (before_end(r, parents.len())?, 0),
    })
}

/// The bracket that ends the container at which a reader stands.
fn before_end(mut r: JsonReader<'_>, depth: usize) -> Read<Change> {
    let from = r.at;
    r.skip(depth)?;
    let end = r.at - 1;
    let mut inside = JsonReader::new(r.text, from + 1);
    inside.blanks();
    Ok(Change::Add(end, inside.at == end))
}

/// A member's value, and what goes with the member: the comma before it, or of the first one that behind it.
fn member(
    r: &mut JsonReader<'_>,
    depth: usize,
    wanted: &[u8],
) -> Read<Option<(Range<usize>, Range<usize>)>> {
    let text = r.text;
    if !r.opens(depth, b'{', b'}')? {
        return Ok(None);
    }
    let mut before = None;
    loop {
        r.blanks();
        let start = r.at;
        let name = r.name()?;
        let value = r.at;
        r.skip(depth + 1)?;
        let end = r.at;
        if *name.decoded(text) == *wanted {
            let last = r.closes(b'}')?;
            let all = match before {
                Some(comma) => comma..end,
                None if last => start..end,
                None => start..r.at,
            };
            return Ok(Some((value..end, all)));
        }
        if r.closes(b'}')? {
            return Ok(None);
        }
        before = Some(r.at - 1);
    }
}

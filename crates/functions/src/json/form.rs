//! Rows as JSON: the text of one row, and the texts of rows put together.
//!
//! ```text
//! JSON ROW (values) ──▶ a text a level ──▶ JsonWriter: rows of an outer level that are the same follow in its array ──▶ text
//!                                          at the end of a statement (`JsonWriter::piece`) or in JSON ROWS (texts joined)
//! ```
//! FOR JSON PATH has one level. FOR JSON AUTO has one for each table that gives a column; an inner one is an array in the outer one.
//! Between the two, a row's text is the length of each level's text in bytes (4 bytes, low first) and that text: no text for anybody else.

use super::{gives_json, text};
use crate::{Call, Named, SettledCall, find, pieces};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Bytes, SqlType, Value};

/// The part of a call of a JSON function that its arguments do not say.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// FOR JSON.
    Rows {
        /// The levels of the rows, the outermost first; there is one at least.
        levels: Vec<JsonLevel>,
        /// The members whose value is NULL are written.
        include_nulls: bool,
        /// The name of the object around all rows.
        root: Option<Box<str>>,
        /// There are no brackets around the rows.
        bare: bool,
    },
    /// FOR XML, its levels and namespaces.
    Xml(crate::xml::XmlForm),
    /// JSON_OBJECT, JSON_ARRAY and JSON_MODIFY.
    Values {
        /// The arguments that are JSON and taken in as they are.
        raw: Vec<bool>,
        /// The members and elements that are NULL are left out.
        absent: bool,
    },
}

/// A level of FOR JSON.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct JsonLevel {
    /// The name of the array that holds the level's objects in the outer one.
    pub name: Box<str>,
    /// The members of an object.
    pub members: Vec<JsonMember>,
    /// An object of its own for each row: a value of xml is equal to none.
    pub varies: bool,
}

/// A member of an object of FOR JSON.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct JsonMember {
    /// The name with quotation marks, escapes and the colon, in UTF-16LE.
    key: Box<[u8]>,
    /// The value of the member.
    pub part: JsonPart,
}

/// The value of a member.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum JsonPart {
    /// The argument of this number, and whether it is JSON already.
    Value(usize, bool),
    /// An object; without a member that is written it is left out.
    Object(Vec<JsonMember>),
}

impl JsonMember {
    /// A member of this name.
    pub fn new(name: &str, part: JsonPart) -> JsonMember {
        JsonMember { key: key(name), part }
    }

    /// Whether the member has the name of another one.
    pub fn is_namesake(&self, other: &JsonMember) -> bool {
        self.key == other.key
    }
}

fn key(name: &str) -> Box<[u8]> {
    let mut out = Vec::new();
    text::key(&mut out, name);
    out.into()
}

impl Form {
    /// Whether the argument of this number is JSON already.
    pub(crate) fn is_raw(&self, at: usize) -> bool {
        matches!(self, Form::Values { raw, .. } if raw.get(at) == Some(&true))
    }

    /// The call of a function of this form.
    pub fn call(self: &Arc<Form>, name: &str, types: &[SqlType]) -> SqlResult<SettledCall> {
        let mut call = match find(name) {
            // A row has as many values as it has columns.
            Some(function) if name == super::ROW || name == crate::xml::FORM_ROW => SettledCall {
                function: Named(function),
                datepart: None,
                params: Default::default(),
                result: super::TEXT,
                collations: Default::default(),
                form: None,
                mask: None,
            },
            _ => crate::bind(name, None, types)?,
        };
        if name == super::ROW || name == crate::xml::FORM_ROW {
            let param = |ty: &SqlType| if ty.is_text() { super::TEXT } else { *ty };
            call.params = types.iter().map(param).collect();
        }
        call.form = Some(self.clone());
        Ok(call)
    }
}

impl SettledCall {
    /// Whether the result is JSON, which FOR JSON and other functions take in as it is.
    pub fn gives_json(&self) -> bool {
        let bare = matches!(self.form.as_deref(), Some(Form::Rows { bare: true, .. }));
        gives_json(self.function.name) && !bare
    }
}

/// Appends members; whether there was any.
fn members(
    out: &mut Vec<u8>,
    list: &[JsonMember],
    (call, args, nulls): (&Call<'_>, &[Value], bool),
) -> SqlResult<bool> {
    let mut any = false;
    for m in list {
        let before = out.len();
        if any {
            text::ascii(out, b",");
        }
        out.extend_from_slice(&m.key);
        let written = match &m.part {
            JsonPart::Value(at, _) if args[*at].is_null() && !nulls => false,
            JsonPart::Value(at, raw) => {
                text::value(out, &args[*at], call.bound.params[*at], *raw)?;
                true
            }
            JsonPart::Object(inner) => {
                text::ascii(out, b"{");
                let written = members(out, inner, (call, args, nulls))?;
                text::ascii(out, b"}");
                written
            }
        };
        if !written {
            out.truncate(before);
        }
        any |= written;
    }
    Ok(any)
}

/// JSON ROW: the texts of a row's levels.
pub(super) fn row(call: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(Form::Rows { levels, include_nulls, .. }) = call.bound.form.as_deref() else {
        return Ok(Value::Null);
    };
    let mut out = Vec::with_capacity(256);
    for level in levels {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        members(&mut out, &level.members, (call, args, *include_nulls))?;
        let length = u32::try_from(out.len() - start - 4).map_err(|_| SqlError::new(701, &[]))?;
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }
    Ok(Value::NVarChar(Bytes::from_vec(out)))
}

/// JSON ROWS: the texts of all rows, joined, as JSON.
pub(super) fn rows(call: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(form), Value::NVarChar(texts)) = (&call.bound.form, &args[0]) else {
        return Ok(Value::Null);
    };
    let mut writer = JsonWriter::new(form.clone());
    writer.out.reserve(texts.len() + 64);
    let (mut rest, mut read) = (&texts[..], 0);
    while !rest.is_empty() {
        let taken = writer.row(rest);
        rest = &rest[taken..];
        read += taken;
        if read > pieces::PIECE {
            read = 0;
            pieces::look()?;
        }
    }
    writer.end();
    Ok(Value::NVarChar(Bytes::from_vec(writer.out)))
}

/// Puts the texts of rows together.
pub struct JsonWriter {
    form: Arc<Form>,
    out: Vec<u8>,
    /// The bytes of `out` that have been taken.
    taken: usize,
    /// The texts of the outer levels whose objects are open; none before the first row.
    open: Option<Vec<Vec<u8>>>,
}

/// The units of a piece: the text of a statement's result comes in rows of so many.
const PIECE: usize = 2033;

impl JsonWriter {
    /// A writer without rows.
    pub fn new(form: Arc<Form>) -> JsonWriter {
        JsonWriter { form, out: Vec::new(), taken: 0, open: None }
    }

    /// Takes a row in: the value of JSON ROW.
    pub fn push(&mut self, row: &Value) {
        if let Value::NVarChar(text) = row {
            self.row(text);
        }
    }

    /// Takes the first row of some in; its length.
    fn row(&mut self, texts: &[u8]) -> usize {
        let form = self.form.clone();
        let Form::Rows { levels, .. } = &*form else { return texts.len() };
        let (mut parts, mut at) = (Vec::with_capacity(levels.len()), 0);
        for _ in levels {
            let length = texts.get(at..at + 4).map_or([0; 4], |b| [b[0], b[1], b[2], b[3]]);
            let length = u32::from_le_bytes(length) as usize;
            parts.push(texts.get(at + 4..at + 4 + length).unwrap_or_default());
            at += 4 + length;
        }
        let innermost = levels.len() - 1;
        let same = match &self.open {
            None => {
                self.begin();
                0
            }
            Some(open) => {
                let is_same = |n: &usize| open[*n] == parts[*n] && !levels[*n].varies;
                let same = (0..innermost).take_while(is_same).count();
                (same..innermost).for_each(|_| text::ascii(&mut self.out, b"]}"));
                text::ascii(&mut self.out, b",");
                same
            }
        };
        for (n, part) in parts.iter().enumerate().skip(same) {
            text::ascii(&mut self.out, b"{");
            self.out.extend_from_slice(part);
            if n < innermost {
                if !part.is_empty() {
                    text::ascii(&mut self.out, b",");
                }
                text::key(&mut self.out, &levels[n + 1].name);
                text::ascii(&mut self.out, b"[");
            }
        }
        text::ascii(&mut self.out, b"}");
        let open = self.open.get_or_insert_default();
        open.resize(innermost, Vec::new());
        for (open, part) in open.iter_mut().zip(parts).skip(same) {
            open.clear();
            open.extend_from_slice(part);
        }
        at.min(texts.len())
    }

    fn begin(&mut self) {
        if let Form::Rows { root, bare, .. } = &*self.form {
            if let Some(root) = root {
                text::ascii(&mut self.out, b"{");
                text::key(&mut self.out, root);
            }
            if !bare {
                text::ascii(&mut self.out, b"[");
            }
        }
    }

    /// All rows have been taken in.
    pub fn end(&mut self) {
        let Some(open) = self.open.take() else { return };
        open.iter().for_each(|_| text::ascii(&mut self.out, b"]}"));
        if let Form::Rows { root, bare, .. } = &*self.form {
            text::ascii(&mut self.out, if *bare { b"" } else { b"]" });
            text::ascii(&mut self.out, if root.is_some() { b"}" } else { b"" });
        }
    }

    /// The next row of the result, which is whole; what is left of the text when it has `ended`.
    pub fn piece(&mut self, ended: bool) -> Option<Value> {
        let left = self.out.len() - self.taken;
        let length = match left / 2 {
            0 => 0,
            PIECE.. => PIECE * 2,
            _ if ended => left,
            _ => 0,
        };
        if length == 0 {
            // What has been taken goes, once it is more than what stays.
            if self.taken > left {
                self.out.drain(..self.taken);
                self.taken = 0;
            }
            return None;
        }
        let piece = Bytes::from_slice(&self.out[self.taken..self.taken + length]);
        self.taken += length;
        Some(Value::NVarChar(piece))
    }
}

fn form<'a>(call: &Call<'a>) -> (Option<&'a Form>, bool) {
    let form = call.bound.form.as_deref();
    (form, matches!(form, Some(Form::Values { absent: true, .. })))
}

/// JSON_OBJECT: names and values by turns; 13638 for a name that is NULL.
pub(super) fn json_object(call: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (form, absent) = form(call);
    let mut out = Vec::new();
    text::ascii(&mut out, b"{");
    for (n, pair) in args.chunks(2).enumerate() {
        let [name, value] = pair else { continue };
        if name.is_null() {
            return Err(SqlError::new(13638, &[&"json_object"]));
        }
        if value.is_null() && absent {
            continue;
        }
        if out.len() > 2 {
            text::ascii(&mut out, b",");
        }
        let mut key = Vec::new();
        text::value(&mut key, name, call.bound.params[2 * n], false)?;
        // A number or a date is a name as well.
        match key.first() {
            Some(b'"') => out.extend_from_slice(&key),
            _ => text::quoted(&mut out, &key),
        }
        text::ascii(&mut out, b":");
        let at = 2 * n + 1;
        text::value(&mut out, value, call.bound.params[at], form.is_some_and(|f| f.is_raw(at)))?;
    }
    text::ascii(&mut out, b"}");
    Ok(Value::NVarChar(Bytes::from_vec(out)))
}

/// JSON_ARRAY.
pub(super) fn json_array(call: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (form, absent) = form(call);
    let mut out = Vec::new();
    text::ascii(&mut out, b"[");
    for (at, value) in args.iter().enumerate().filter(|(_, v)| !(absent && v.is_null())) {
        if out.len() > 2 {
            text::ascii(&mut out, b",");
        }
        text::value(&mut out, value, call.bound.params[at], form.is_some_and(|f| f.is_raw(at)))?;
    }
    text::ascii(&mut out, b"]");
    Ok(Value::NVarChar(Bytes::from_vec(out)))
}

//! Rows as XML: the text of one row, and the texts of rows put together.
//!
//! ```text
//! XML ROW (values) ──▶ two texts a level ──▶ joined ──▶ XML ROWS: rows of an outer level that are the same follow within its element
//! ```
//! FOR XML RAW and PATH have one level; FOR XML AUTO has one for each table that gives a column. Between the two, a level is two texts, its
//! attributes and its content, each with its length in bytes (4 bytes, low first) before it: no text for anybody else.

use super::characters::{escape, is_allowed};
use crate::json::Form;
use crate::{Call, pieces};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Bytes, Value};

/// The way in which FOR XML writes rows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct XmlForm {
    /// The levels of the rows, the outermost first; there is one at least.
    pub levels: Vec<XmlLevel>,
    /// The name of the element around all rows.
    pub root: Option<Box<str>>,
    /// The declarations of namespaces, as the outermost elements have them.
    pub declared: Box<str>,
    /// Elements whose value is NULL are written, and say so.
    pub nils: bool,
    /// The result is xml (TYPE), and not text: characters that XML does not have are refused.
    pub typed: bool,
}

/// A level of FOR XML.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct XmlLevel {
    /// The name of the element of a row; empty for none.
    pub tag: Box<str>,
    /// The attributes of that element: name and number of the value.
    pub attributes: Vec<(Box<str>, usize)>,
    /// The parts within the element, in order.
    pub content: Vec<XmlPart>,
    /// An element of its own for each row: a value of xml is equal to none.
    pub varies: bool,
}

/// A part within an element of FOR XML. Numbers are those of values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum XmlPart {
    /// An element, with attributes and content; it is left out where none of them is there.
    Element(Box<str>, Vec<(Box<str>, usize)>, Vec<XmlPart>),
    /// A value as text; the name is that which errors tell.
    Text(usize, Box<str>),
    /// A value as text, with a blank before it behind another of its kind.
    Data(usize, Box<str>),
    /// A value of xml.
    Xml(usize),
    /// A value as a comment.
    Comment(usize),
    /// A value as a processing instruction of this target.
    Instruction(Box<str>, usize),
}

/// The values of a row.
struct Row<'a> {
    args: &'a [Value],
    nils: bool,
    typed: bool,
}

impl Row<'_> {
    /// The value as text; binary in base 64.
    fn text(&self, at: usize) -> Option<String> {
        match &self.args[at] {
            Value::Binary(bytes) => Some(crate::json::base64_of(bytes)),
            other => other.as_text(),
        }
    }

    /// The value as text that is escaped: without TYPE characters that XML does not have are written by their numbers.
    fn escaped(&self, at: usize, node: &str) -> SqlResult<Option<String>> {
        if self.typed { self.checked(at, node) } else { Ok(self.text(at)) }
    }

    fn checked(&self, at: usize, node: &str) -> SqlResult<Option<String>> {
        let Some(text) = self.text(at) else { return Ok(None) };
        match text.chars().find(|c| !is_allowed(*c)) {
            Some(c) => {
                let node = if node.is_empty() { "NoName" } else { node };
                Err(SqlError::new(6841, &[&node, &format!("{:04X}", c as u32)]))
            }
            None => Ok(Some(text)),
        }
    }

    fn attributes(&self, list: &[(Box<str>, usize)], out: &mut String) -> SqlResult<()> {
        for (name, at) in list {
            if let Some(text) = self.escaped(*at, name)? {
                out.push(' ');
                out.push_str(name);
                crate::xquery::quoted(&text, out);
            }
        }
        Ok(())
    }

    /// Appends content; whether there was any.
    fn content(&self, list: &[XmlPart], out: &mut String) -> SqlResult<bool> {
        let mut any = false;
        let mut after_data = false;
        for part in list {
            let data = matches!(part, XmlPart::Data(..));
            let written = match part {
                XmlPart::Element(name, attributes, inner) => {
                    self.element(name, attributes, inner, out)?
                }
                XmlPart::Text(at, node) | XmlPart::Data(at, node) => {
                    let text = self.escaped(*at, node)?;
                    if let Some(text) = &text {
                        out.push_str(if data && after_data { " " } else { "" });
                        text.chars().for_each(|c| escape(c, out));
                    }
                    text.is_some()
                }
                XmlPart::Xml(at) => {
                    let text = self.text(*at);
                    out.push_str(text.as_deref().unwrap_or_default());
                    text.is_some()
                }
                XmlPart::Comment(at) => {
                    let text = self.checked(*at, "comment()")?;
                    text.iter().for_each(|t| out.push_str(&format!("<!--{t}-->")));
                    text.is_some()
                }
                XmlPart::Instruction(target, at) => {
                    let text = self.checked(*at, target)?;
                    text.iter().for_each(|t| out.push_str(&format!("<?{target} {t}?>")));
                    text.is_some()
                }
            };
            any |= written;
            after_data = data && (written || after_data);
        }
        pieces::memory(out.len())?;
        Ok(any)
    }

    fn element(
        &self,
        name: &str,
        attributes: &[(Box<str>, usize)],
        inner: &[XmlPart],
        out: &mut String,
    ) -> SqlResult<bool> {
        let before = out.len();
        out.push_str(&format!("<{name}"));
        let tag = out.len();
        self.attributes(attributes, out)?;
        let attributed = out.len() > tag;
        let mut content = String::new();
        let any = self.content(inner, &mut content)?;
        if !any && !attributed && !self.nils {
            out.truncate(before);
            return Ok(false);
        }
        if !any && self.nils {
            out.push_str(" xsi:nil=\"true\"");
        }
        match content.is_empty() {
            true if any => out.push_str(&format!("></{name}>")),
            true => out.push_str("/>"),
            false => out.push_str(&format!(">{content}</{name}>")),
        }
        Ok(true)
    }
}

fn push(out: &mut Vec<u8>, text: &str) -> SqlResult<()> {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    text.encode_utf16().for_each(|u| out.extend_from_slice(&u.to_le_bytes()));
    let length = u32::try_from(out.len() - start - 4).map_err(|_| SqlError::new(701, &[]))?;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

fn form<'a>(call: &Call<'a>) -> Option<&'a XmlForm> {
    match call.bound.form.as_deref() {
        Some(Form::Xml(form)) => Some(form),
        _ => None,
    }
}

/// XML ROW: the texts of a row's levels.
pub(super) fn row(call: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(form) = form(call) else { return Ok(Value::Null) };
    let row = Row { args, nils: form.nils, typed: form.typed };
    let mut out = Vec::with_capacity(256);
    for level in &form.levels {
        let (mut head, mut content) = (String::new(), String::new());
        row.attributes(&level.attributes, &mut head)?;
        row.content(&level.content, &mut content)?;
        push(&mut out, &head)?;
        push(&mut out, &content)?;
    }
    Ok(Value::NVarChar(Bytes::from_vec(out)))
}

/// The texts of rows, put together.
struct XmlWriter<'a> {
    form: &'a XmlForm,
    out: Vec<u8>,
    /// The texts of the outer levels whose elements are open.
    open: Vec<[&'a [u8]; 2]>,
    begun: bool,
}

impl<'a> XmlWriter<'a> {
    fn ascii(&mut self, text: &str) {
        text.encode_utf16().for_each(|u| self.out.extend_from_slice(&u.to_le_bytes()));
    }

    fn start(&mut self, level: usize, head: &[u8]) {
        let XmlForm { levels, root, declared, .. } = self.form;
        self.ascii(&format!("<{}", levels[level].tag));
        if level == 0 && root.is_none() {
            self.ascii(declared);
        }
        self.out.extend_from_slice(head);
    }

    fn close(&mut self, from: usize) {
        for level in (from..self.open.len()).rev() {
            self.ascii(&format!("</{}>", self.form.levels[level].tag));
        }
        self.open.truncate(from);
    }

    fn row(&mut self, parts: &[[&'a [u8]; 2]]) {
        let innermost = parts.len() - 1;
        let levels = &self.form.levels;
        let is_same = |n: &usize| self.open.get(*n) == Some(&parts[*n]) && !levels[*n].varies;
        let same = (0..innermost).take_while(is_same).count();
        self.close(same);
        for (n, [head, content]) in parts.iter().enumerate().skip(same) {
            if levels[n].tag.is_empty() {
                // Values of rows without elements have blanks between them.
                let data = |p: &XmlPart| matches!(p, XmlPart::Data(..));
                let values = levels[n].content.iter().all(data);
                if values && self.begun && !content.is_empty() {
                    self.ascii(" ");
                }
                self.begun |= !content.is_empty();
                self.out.extend_from_slice(content);
                continue;
            }
            self.start(n, head);
            if n < innermost {
                self.ascii(">");
                self.out.extend_from_slice(content);
                self.open.push(parts[n]);
            } else if content.is_empty() {
                self.ascii("/>");
            } else {
                self.ascii(">");
                self.out.extend_from_slice(content);
                self.ascii(&format!("</{}>", levels[n].tag));
            }
        }
    }
}

/// XML ROWS: the texts of all rows, joined, as XML.
pub(super) fn rows(call: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(form), Value::NVarChar(texts)) = (form(call), &args[0]) else {
        return Ok(Value::Null);
    };
    let mut writer = XmlWriter { form, out: Vec::new(), open: Vec::new(), begun: false };
    writer.out.reserve(texts.len() + 64);
    if let Some(root) = &form.root {
        writer.ascii(&format!("<{root}{}>", form.declared));
    }
    let mut rest = &texts[..];
    let mut text = || {
        let length = rest.get(..4).map_or([0; 4], |b| [b[0], b[1], b[2], b[3]]);
        let end = rest.len().min(4 + u32::from_le_bytes(length) as usize);
        let found = rest.get(4..end).unwrap_or_default();
        rest = &rest[end..];
        (found, rest.is_empty())
    };
    let mut read = 0;
    let mut ended = texts.is_empty();
    while !ended {
        let mut parts = Vec::with_capacity(form.levels.len());
        for _ in &form.levels {
            let (head, _) = text();
            let (content, last) = text();
            read += head.len() + content.len() + 8;
            ended = last;
            parts.push([head, content]);
        }
        writer.row(&parts);
        if read > pieces::PIECE {
            read = 0;
            pieces::look()?;
        }
    }
    writer.close(0);
    if let Some(root) = &form.root {
        writer.ascii(&format!("</{root}>"));
    }
    Ok(Value::NVarChar(Bytes::from_vec(writer.out)))
}

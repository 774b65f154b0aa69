//! Synonyms: other names of objects, which are looked up at each use.

use super::object::ObjectHead;
use crate::rowcodec::damaged;
use std::fmt;
use taffrail_base::SqlResult;

/// A synonym of an object.
#[derive(Debug)]
pub struct Synonym {
    /// The synonym's name, schema and id.
    pub head: ObjectHead,
    /// The name of the object that the synonym stands for, there or not.
    pub base: BaseName,
}

/// The name of a synonym's base object, in as many parts as were written. A part that is left out is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BaseName {
    /// The linked server.
    pub server: Option<String>,
    /// The database; none is the synonym's own.
    pub database: Option<String>,
    /// The schema; none is `dbo`.
    pub schema: Option<String>,
    /// The name of the object itself.
    pub name: String,
}

impl fmt::Display for BaseName {
    /// Each part in brackets, a part that is left out as nothing: `base_object_name` of `sys.synonyms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut begun = false;
        for part in [&self.server, &self.database, &self.schema] {
            if let Some(part) = part {
                write!(f, "[{}]", part.replace(']', "]]"))?;
                begun = true;
            }
            if begun {
                f.write_str(".")?;
            }
        }
        write!(f, "[{}]", self.name.replace(']', "]]"))
    }
}

impl BaseName {
    /// The name that [`BaseName`] prints as this text: 5243 where there is none.
    pub(super) fn from_text(text: &str) -> SqlResult<BaseName> {
        let wrong = || damaged("a synonym's base object");
        let (mut parts, mut rest) = (Vec::new(), text);
        loop {
            let mut part = None;
            if let Some(quoted) = rest.strip_prefix('[') {
                let (name, behind) = in_brackets(quoted).ok_or_else(wrong)?;
                (part, rest) = (Some(name), behind);
            }
            parts.push(part);
            match rest.strip_prefix('.') {
                Some(behind) => rest = behind,
                None if rest.is_empty() => break,
                None => return Err(wrong()),
            }
        }
        let name = parts.pop().flatten().ok_or_else(wrong)?;
        let (schema, database) = (parts.pop().flatten(), parts.pop().flatten());
        let server = parts.pop().flatten();
        if !parts.is_empty() {
            return Err(wrong());
        }
        Ok(BaseName { server, database, schema, name })
    }
}

/// A name behind its opening bracket, and the text that follows the closing one.
fn in_brackets(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == ']' && chars.next_if(|(_, next)| *next == ']').is_none() {
            return Some((name, &text[at + 1..]));
        }
        name.push(c);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::BaseName;

    #[test]
    fn names_are_read_as_they_are_written() {
        let part = |s: &str| Some(s.to_string());
        for (text, server, database, schema, name) in [
            ("[t]", None, None, None, "t"),
            ("[dbo].[a]]b]", None, None, part("dbo"), "a]b"),
            ("[d]..[t]", None, part("d"), None, "t"),
            ("[s].[d].[x.y].[t]", part("s"), part("d"), part("x.y"), "t"),
            ("[s]...[t]", part("s"), None, None, "t"),
        ] {
            let read = BaseName::from_text(text).unwrap();
            assert_eq!(read, BaseName { server, database, schema, name: name.into() });
            assert_eq!(read.to_string(), text);
        }
        for wrong in ["", "t", "[t", "[t].", "[a].[b].[c].[d].[e]", "[a]b"] {
            assert!(BaseName::from_text(wrong).is_err(), "{wrong}");
        }
    }
}

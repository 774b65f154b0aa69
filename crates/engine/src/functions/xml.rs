//! Whether a text is well-formed XML content: what CAST(… AS xml) checks. An xml value is its text.
//!
//! Content is any number of elements, text, comments, CDATA sections and processing instructions. Names, entities and
//! declarations are looked at only as far as is needed to find where they end.

use super::typing::signature;
use super::{Call, Function};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{SqlType, Value};

/// The name cannot be written in a query: only the binder calls it.
pub const CONTENT: &str = "XML CONTENT";

/// The same, with NULL for what is not well-formed: TRY_CAST.
pub const TRY_CONTENT: &str = "XML TRY CONTENT";

/// The same: the begun start tag of an element without its `>`, its content, and its name, put together.
pub const ELEMENT: &str = "XML ELEMENT";

/// The same: a text that is to stand in a node, which is named.
pub const TEXT: &str = "XML TEXT";

pub static FUNCTIONS: &[Function] = &[
    Function::new(
        CONTENT,
        1,
        1,
        |_| Ok(signature(&[SqlType::NVARCHAR_MAX], SqlType::NVARCHAR_MAX)),
        content,
    ),
    Function::new(
        TRY_CONTENT,
        1,
        1,
        |_| Ok(signature(&[SqlType::NVARCHAR_MAX], SqlType::NVARCHAR_MAX)),
        |cx, args| content(cx, args).or(Ok(Value::Null)),
    ),
    Function::new(
        ELEMENT,
        3,
        3,
        |_| Ok(signature(&[SqlType::NVARCHAR_MAX; 3], SqlType::NVARCHAR_MAX)),
        element,
    ),
    Function::new(
        TEXT,
        2,
        2,
        |_| Ok(signature(&[SqlType::NVARCHAR_MAX; 2], SqlType::NVARCHAR_MAX)),
        text,
    ),
];

/// 6841 for a character that XML has no way to write.
fn text(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let allowed = |c: &char| !matches!(c, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}');
    if let Some(text) = args[0].as_text()
        && let Some(c) = text.chars().find(|c| !allowed(c))
    {
        let node = args[1].as_text().unwrap_or_default();
        return Err(SqlError::new(6841, &[&node, &format!("{:04X}", c as u32)]));
    }
    Ok(args[0].clone())
}

fn content(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if let Some(text) = args[0].as_text() {
        check(&text)?;
    }
    Ok(args[0].clone())
}

/// An element without content is one tag.
fn element(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let part = |at: usize| args[at].as_text().unwrap_or_default();
    let (begun, content, name) = (part(0), part(1), part(2));
    Ok(Value::nvarchar(&match content.is_empty() {
        true => format!("{begun}/>"),
        false => format!("{begun}>{content}</{name}>"),
    }))
}

/// 9400 and its relatives, with the place, for what is not well-formed.
pub(crate) fn check(text: &str) -> SqlResult<()> {
    let Err((number, at)) = well_formed(text) else { return Ok(()) };
    if number == DEPTH {
        return Err(SqlError::new(DEPTH, &[&LEVELS]));
    }
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    Err(SqlError::new(number, &[&line, &column]))
}

const END: i32 = 9400;
const CHARACTER: i32 = 9420;
const NAME: i32 = 9455;
const MISMATCH: i32 = 9436;
const ENTITY: i32 = 9411;
const DEPTH: i32 = 6335;
/// Elements within one another: SQL Server's limit, and one for the stack of whoever walks them.
const LEVELS: usize = 128;

/// The number of the message and where it is.
fn well_formed(text: &str) -> Result<(), (i32, usize)> {
    let mut open: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(['<', '&']) {
        at += found;
        let rest = &text[at..];
        if rest.starts_with('&') {
            let end = rest.find(';').ok_or((ENTITY, text.len()))?;
            let name = rest[1..end].trim_start_matches('#');
            if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric()) {
                return Err((ENTITY, at + 1));
            }
            at += end + 1;
            continue;
        }
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((begin, end)) = skipped.iter().find(|s| rest.starts_with(s.0)) {
            let len = rest[begin.len()..].find(end).ok_or((END, text.len()))?;
            at += begin.len() + len + end.len();
            continue;
        }
        let close = rest.starts_with("</");
        let begin = if close { 2 } else { 1 };
        let is_name = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
        let len = rest[begin..].find(|c| !is_name(c)).ok_or((END, text.len()))?;
        let name = &rest[begin..begin + len];
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err((NAME, at + begin));
        }
        // To the end of the tag: a `>` in quotes is none.
        let mut quote = None;
        let mut end = None;
        for (i, c) in rest.char_indices().skip_while(|(i, _)| *i < begin + len) {
            match (quote, c) {
                (Some(q), c) if q == c => quote = None,
                (_, '<') => return Err((CHARACTER, at + i)),
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '>') => {
                    end = Some(i);
                    break;
                }
                _ => {}
            }
        }
        let end = end.ok_or((END, text.len()))?;
        match close {
            true if open.pop() != Some(name) => return Err((MISMATCH, at + begin)),
            true => {}
            false if rest[..end].ends_with('/') => {}
            false if open.len() == LEVELS => return Err((DEPTH, at)),
            false => open.push(name),
        }
        at += end + 1;
    }
    match open.is_empty() {
        true => Ok(()),
        false => Err((END, text.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_well_formed_or_not() {
        for good in [
            "",
            "https://www.sqlskills.com/help/waits/WRITELOG",
            "<a/>",
            "<a x=\"1>2\" y='/'><b>t</b><!-- < --><![CDATA[<&]]></a>",
            "<?query -- SELECT 1 < 2 --?>",
            "a &amp; b&#x0D;<c></c>",
        ] {
            assert_eq!(well_formed(good), Ok(()), "{good}");
        }
        for (bad, number) in [
            ("<a>", END),
            ("<a></b>", MISMATCH),
            ("</a>", MISMATCH),
            ("a & b", ENTITY),
            ("1 < 2", NAME),
            ("<a <b/>", CHARACTER),
            ("<a x='", END),
            ("<", END),
            ("<é", END),
            (&"<a>".repeat(LEVELS + 1), DEPTH),
        ] {
            assert_eq!(well_formed(bad).map_err(|e| e.0), Err(number), "{bad}");
        }
    }
}

//! Functions on how names and words are written: quoting, parts of names, escapes, the sound of words.

use super::typing::{any_null, signature, string};
use super::{Call, Function, Rule, Signature};
use crate::pieces::{PIECE, look};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Bytes, SqlType, Value};

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("FN_VARBINTOHEXSTR", 1, 1, |_| Ok(signature(&[SqlType::VarBinary(taffrail_types::MaxLen::Max)], SqlType::NVARCHAR_MAX)),
        |c, a| Ok(c.optional_text(a[0].as_bytes().map(hex)))),
    Function::new("QUOTENAME", 1, 2, quotename_rule, quotename),
    Function::new("STRING_ESCAPE", 2, 2, string_escape_rule, string_escape),
    Function::new("SOUNDEX", 1, 1, |r| Ok(signature(&[r.text(0)?], SqlType::varchar(5))), |_, a| {
        if a[0].is_null() { Ok(Value::Null) } else { Ok(Value::varchar(&soundex(&a[0])?)) }
    }),
    Function::new("DIFFERENCE", 2, 2, |r| Ok(signature(&[r.text(0)?, r.text(1)?], SqlType::Int)), difference),
    Function::new("PARSENAME", 2, 2, |r| Ok(signature(&[r.unicode(0)?, r.param(1, SqlType::Int)?], SqlType::SYSNAME)), parsename),
];

/// `sys.fn_varbintohexstr`: lower case with 0x.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_string(), |text, b| text + &format!("{b:02x}"))
}

fn quotename_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let mut params = vec![r.unicode(0)?];
    if r.args.len() > 1 {
        params.push(r.unicode(1)?);
    }
    Ok(signature(&params, SqlType::nvarchar(258)))
}

/// Brackets by default; NULL beyond 128 characters or for another quote.
fn quotename(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(name) = args[0].as_text() else { return Ok(Value::Null) };
    let quote = match args.get(1) {
        None => '[',
        Some(v) => match v.as_text() {
            Some(q) => q.chars().next().unwrap_or('['),
            None => return Ok(Value::Null),
        },
    };
    let (open, close) = match quote {
        '[' | ']' => ('[', ']'),
        '(' | ')' => ('(', ')'),
        '<' | '>' => ('<', '>'),
        '{' | '}' => ('{', '}'),
        '\'' | '"' | '`' => (quote, quote),
        _ => return Ok(Value::Null),
    };
    if name.encode_utf16().count() > 128 {
        return Ok(Value::Null);
    }
    let doubled = name.replace(close, &format!("{close}{close}"));
    Ok(c.text_result(&format!("{open}{doubled}{close}")))
}

fn string_escape_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    Ok(signature(&[r.unicode(0)?, r.unicode(1)?], SqlType::NVARCHAR_MAX))
}

fn string_escape(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(text), Some(kind)) = (args[0].as_text(), args[1].as_text()) else {
        return Ok(Value::Null);
    };
    if !kind.eq_ignore_ascii_case("json") {
        return Err(SqlError::new(1023, &[&2, &"string_escape"]));
    }
    let mut out = String::with_capacity(text.len());
    for (at, ch) in text.chars().enumerate() {
        if at.is_multiple_of(PIECE) {
            look()?;
        }
        match ch {
            '"' | '\\' | '/' => {
                out.push('\\');
                out.push(ch);
            }
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    Ok(c.text_result(&out))
}

/// First letter and three digits, by the letters of the code page; letters of one sound in a row count once, and a
/// capital H or W between them does not part them.
fn soundex(v: &Value) -> SqlResult<String> {
    let is_letter =
        |c: &char| c.is_ascii_alphabetic() || matches!(c, 'À'..='ÿ') && !matches!(c, '×' | '÷');
    let code = |c: char| match c.to_ascii_uppercase() {
        'B' | 'F' | 'P' | 'V' => '1',
        'C' | 'G' | 'J' | 'K' | 'Q' | 'S' | 'X' | 'Z' => '2',
        'D' | 'T' => '3',
        'L' => '4',
        'M' | 'N' => '5',
        'R' => '6',
        'H' | 'W' if c.is_ascii_uppercase() => '-',
        _ => '0',
    };
    let (mut out, mut last) = (Vec::new(), '0');
    // Surrogates are no letters of a code page: a piece may end between two.
    'all: for piece in v.as_bytes().unwrap_or_default().chunks(2 * LETTERS) {
        look()?;
        let piece = match v {
            Value::NVarChar(_) => Value::NVarChar(Bytes::from_slice(piece)),
            _ => Value::VarChar(Bytes::from_slice(piece)),
        };
        let page = Value::varchar(&string(&piece)).as_text().unwrap_or_default();
        for c in page.chars() {
            if !is_letter(&c) || out.len() == 4 {
                break 'all;
            }
            let k = code(c);
            if out.is_empty() {
                let mut upper = c.to_uppercase();
                let (capital, more) = (upper.next(), upper.next());
                out.push(capital.filter(|_| more.is_none()).unwrap_or(c));
            } else if k == '-' {
                continue;
            } else if k != '0' && k != last {
                out.push(k);
            }
            last = k;
        }
    }
    out.resize(4, '0');
    Ok(out.into_iter().collect())
}

/// So many letters are read between two looks at whether the batch was cancelled.
const LETTERS: usize = 64 << 10;

/// How many of the four characters of the SOUNDEX codes agree.
fn difference(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let (a, b) = (soundex(&args[0])?, soundex(&args[1])?);
    let same = a.chars().zip(b.chars()).filter(|(x, y)| x == y).count();
    Ok(Value::Int(same as i32))
}

/// Part 1 is the object's name, 4 the server's; NULL where the name is not valid or has no such part.
fn parsename(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(name), Some(n @ 1..=4)) = (args[0].as_text(), args[1].as_i64()) else {
        return Ok(Value::Null);
    };
    let parts = split_name(&name).filter(|p| p.len() <= 4);
    let part =
        parts.and_then(|p| p.into_iter().rev().nth(n as usize - 1)).filter(|p| !p.is_empty());
    Ok(c.optional_text(part))
}

/// The parts of `a.[b.c]."d"`; None if a bracket or quotation mark stays open.
pub fn split_name(name: &str) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let close = match c {
            '.' => {
                parts.push(String::new());
                continue;
            }
            '[' if parts.last().is_some_and(|p| p.is_empty()) => ']',
            '"' if parts.last().is_some_and(|p| p.is_empty()) => '"',
            c => {
                parts.last_mut()?.push(c);
                continue;
            }
        };
        loop {
            let c = chars.next()?;
            if c == close && chars.next_if_eq(&close).is_none() {
                break;
            }
            parts.last_mut()?.push(c);
        }
    }
    Some(parts)
}

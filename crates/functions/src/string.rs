//! Functions on text.
//!
//! Positions and lengths count characters: bytes of char and varchar, UTF-16 code units of nchar and nvarchar; of nchar and nvarchar whose
//! collation has supplementary characters code points.

use super::search::Search;
use super::typing::{Text, any_null, as_unicode, int, signature, varying, widest};
use super::{Call, Function, Rule, Signature};
use crate::pieces::{PIECE, look, memory, repeated};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::like::Pattern;
use taffrail_types::{Bytes, Decimal, Family, MaxLen, SqlType, Value};

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("LEN", 1, 1, len_rule, len),
    Function::new("DATALENGTH", 1, 1, datalength_rule, datalength),
    Function::new("LEFT", 2, 2, part_rule, left),
    Function::new("RIGHT", 2, 2, part_rule, right),
    Function::new("SUBSTRING", 3, 3, substring_rule, substring),
    Function::new("CHARINDEX", 2, 3, charindex_rule, charindex),
    Function::new("PATINDEX", 2, 2, patindex_rule, patindex),
    Function::new("REPLACE", 3, 3, replace_rule, replace),
    Function::new("REPLICATE", 2, 2, replicate_rule, replicate),
    Function::new("REVERSE", 1, 1, same_text_rule, reverse),
    Function::new("STUFF", 4, 4, stuff_rule, stuff),
    Function::new("UPPER", 1, 1, same_text_rule, upper),
    Function::new("LOWER", 1, 1, same_text_rule, lower),
    Function::new("LTRIM", 1, 2, trim_rule, |c, a| trim(c, a, true, false)),
    Function::new("RTRIM", 1, 2, trim_rule, |c, a| trim(c, a, false, true)),
    Function::new("TRIM", 1, 2, trim_rule, |c, a| trim(c, a, true, true)),
    Function::new("SPACE", 1, 1, |r| r.fixed(&[SqlType::Int], SqlType::varchar(8000)), space),
    Function::new("STR", 1, 3, |r| r.fixed(&[SqlType::Float, SqlType::Int, SqlType::Int], SqlType::varchar(8000)), str_of),
    Function::new("ASCII", 1, 1, ascii_rule, ascii),
    Function::new("CHAR", 1, 1, |r| r.fixed(&[SqlType::Int], SqlType::Char(1)), char_of),
    Function::new("NCHAR", 1, 1, |r| r.fixed(&[SqlType::Int], SqlType::NChar(1)), nchar_of),
    Function::new("UNICODE", 1, 1, |r| Ok(signature(&[r.unicode(0)?], SqlType::Int)), unicode),
    Function::new("CONCAT", 2, 254, |r| concat_rule(r, 0), concat),
    Function::new("CONCAT_WS", 3, 254, |r| concat_rule(r, 1), concat_ws),
    Function::new("TRANSLATE", 3, 3, translate_rule, translate),
    Function::new("FORMAT", 2, 3, format_rule, super::format::format).per_statement(),
];

/// Functions of one text that give the same kind of text.
fn same_text_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let text = r.text(0)?;
    Ok(signature(&[text], varying(text)))
}

/// Text or binary, kept as it is.
fn text_or_binary(r: &Rule<'_>, at: usize) -> SqlResult<SqlType> {
    if r.args[at].family() == Family::Binary { Ok(r.args[at]) } else { r.text(at) }
}

fn len_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let text = text_or_binary(r, 0)?;
    Ok(signature(&[text], if text.is_max() { SqlType::BigInt } else { SqlType::Int }))
}

/// Without trailing blanks (of text; all bytes of binary count).
fn len(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if let Value::NVarChar(b) = &args[0]
        && c.pairs()
    {
        let end = b.chunks_exact(2).rposition(|u| u != [b' ', 0]).map_or(0, |i| i + 1);
        let text = Text::of(&args[0])?.map_or(0, |t| t.count_to(end, true));
        return Ok(count(c, text));
    }
    let n = match &args[0] {
        Value::VarChar(b) => b.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1),
        Value::NVarChar(b) => b.chunks_exact(2).rposition(|u| u != [b' ', 0]).map_or(0, |i| i + 1),
        Value::Binary(b) => b.len(),
        _ => return Ok(Value::Null),
    };
    Ok(count(c, n))
}

/// A count as int, or bigint where the rule said so.
fn count(c: &Call<'_>, n: usize) -> Value {
    if c.bound.result == SqlType::BigInt { Value::BigInt(n as i64) } else { Value::Int(n as i32) }
}

fn datalength_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    r.as_given(if r.args[0].is_max() { SqlType::BigInt } else { SqlType::Int })
}

fn datalength(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    fn bytes(v: &Value, ty: SqlType) -> usize {
        match v {
            Value::VarChar(b) | Value::NVarChar(b) | Value::Binary(b) => b.len(),
            Value::Variant(inner) => bytes(&inner.1, inner.0),
            Value::Decimal(d) => Decimal::storage_bytes(ty.precision().max(d.digits())),
            _ => ty.max_length().max(0) as usize,
        }
    }
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    Ok(count(c, bytes(&args[0], c.bound.params[0])))
}

/// LEFT, RIGHT, SUBSTRING: the result is at most as long as the text.
/// Only text and binary have parts: a number is no text here.
fn substring_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    match r.args[0].family() {
        Family::Char | Family::NChar | Family::Binary => part_rule(r),
        _ => Err(r.invalid(0)),
    }
}

fn part_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let text = if r.name == "substring" { text_or_binary(r, 0)? } else { r.text(0)? };
    let mut params = vec![text];
    for at in 1..r.args.len() {
        params.push(r.param(
            at,
            if r.args[at] == SqlType::BigInt { SqlType::BigInt } else { SqlType::Int },
        )?);
    }
    Ok(signature(&params, varying(text)))
}

fn left(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let n = int(&args[1]);
    if n < 0 {
        return Err(SqlError::new(537, &[]).with_state(2));
    }
    let Some(text) = Text::of(&args[0])? else { return Ok(Value::Null) };
    text.slice(0, text.unit(n as usize, c.pairs()), c.bound.result)
}

fn right(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let n = int(&args[1]);
    if n < 0 {
        return Err(SqlError::new(536, &[&"RIGHT"]).with_state(2));
    }
    let Some(text) = Text::of(&args[0])? else { return Ok(Value::Null) };
    let count = text.count(c.pairs());
    let from = text.unit(count - (n as usize).min(count), c.pairs());
    text.slice(from, text.chars.len(), c.bound.result)
}

/// Positions before the first character count: SUBSTRING('abc', 0, 2) is 'a'.
fn substring(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let start = int(&args[1]);
    let n = int(&args[2]);
    if n < 0 {
        return Err(SqlError::new(537, &[]).with_state(2));
    }
    let Some(text) = Text::of(&args[0])? else { return Ok(Value::Null) };
    let len = text.chars.len() as i64;
    let from = start.saturating_sub(1).clamp(0, len);
    let to = start.saturating_sub(1).saturating_add(n).clamp(from, len);
    let unit = |number: i64| text.unit(number as usize, c.pairs());
    text.slice(unit(from), unit(to), c.bound.result)
}

/// Both of one encoding.
fn pair(a: SqlType, b: SqlType) -> (SqlType, SqlType) {
    if a.is_unicode() || b.is_unicode() { (as_unicode(a), as_unicode(b)) } else { (a, b) }
}

fn charindex_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let (find, text) = pair(r.text(0)?, r.text(1)?);
    let result = if text.is_max() { SqlType::BigInt } else { SqlType::Int };
    let mut params = vec![find, text];
    if r.args.len() > 2 {
        params.push(r.param(2, SqlType::BigInt)?);
    }
    Ok(signature(&params, result))
}

fn charindex(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(find), Some(text)) = (Text::of(&args[0])?, Text::of(&args[1])?) else {
        return Ok(Value::Null);
    };
    let from = match args.get(2) {
        Some(Value::Null) => return Ok(Value::Null),
        Some(v) => (int(v) - 1).max(0) as usize,
        None => 0,
    };
    let (collation, from) = (c.collation(), text.unit(from, c.pairs()));
    let at = Search::new(&find, &text, collation)?.next(from)?;
    Ok(count(c, at.map_or(0, |(i, _)| text.count_to(i, c.pairs()) + 1)))
}

fn patindex_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let (pattern, text) = pair(r.text(0)?, r.text(1)?);
    Ok(signature(&[pattern, text], if text.is_max() { SqlType::BigInt } else { SqlType::Int }))
}

fn patindex(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(pattern), Some(text)) = (args[0].as_bytes(), args[1].as_bytes()) else {
        return Ok(Value::Null);
    };
    let unicode = matches!(args[0], Value::NVarChar(_));
    let pattern = Pattern::new(pattern, unicode, None, c.collation());
    Ok(count(c, pattern.position(text)))
}

fn replace_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let mut params = [r.text(0)?, r.text(1)?, r.text(2)?];
    if params.iter().any(|p| p.is_unicode()) {
        params = params.map(as_unicode);
    }
    Ok(signature(&params, widest(params[0])))
}

fn replace(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(text), Some(find), Some(with)) =
        (Text::of(&args[0])?, Text::of(&args[1])?, Text::of(&args[2])?)
    else {
        return Ok(Value::Null);
    };
    if find.chars.is_empty() {
        return text.into_value(c.bound.result);
    }
    let collation = c.collation();
    let search = Search::new(&find, &text, collation)?;
    let mut out = Text { chars: Vec::with_capacity(text.chars.len()), unicode: text.unicode };
    let (mut from, mut due) = (0, PIECE);
    while let Some((at, end)) = search.next(from)? {
        if from + out.chars.len() > due {
            look()?;
            due += PIECE;
        }
        out.chars.extend_from_slice(&text.chars[from..at]);
        out.chars.extend_from_slice(&with.chars);
        from = end;
        limited(c, out.chars.len())?;
    }
    out.chars.extend_from_slice(&text.chars[from..]);
    limited(c, out.chars.len())?;
    out.into_value(c.bound.result)
}

/// 8152: a result that does not fit and may not be cut.
fn limited(c: &Call<'_>, chars: usize) -> SqlResult<()> {
    let width = if c.bound.result.is_unicode() { 2 } else { 1 };
    if chars * width > c.bound.result.byte_limit() {
        return Err(SqlError::new(8152, &[]).with_state(10));
    }
    memory(chars * width)
}

fn replicate_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let text = r.text(0)?;
    Ok(signature(&[text, r.param(1, SqlType::BigInt)?], widest(text)))
}

fn replicate(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let n = int(&args[1]);
    let Some(text) = args[0].as_bytes().filter(|_| n >= 0) else { return Ok(Value::Null) };
    let limit = c.bound.result.byte_limit();
    // Cut to whole characters; the limit is even for nvarchar.
    let bytes = text.len().saturating_mul(n as usize).min(limit);
    memory(bytes)?;
    let out = Bytes::from_vec(repeated(text, bytes)?);
    Ok(if c.bound.result.is_unicode() { Value::NVarChar(out) } else { Value::VarChar(out) })
}

fn reverse(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(mut text) = Text::of(&args[0])? else { return Ok(Value::Null) };
    text.reverse(c.pairs());
    text.into_value(c.bound.result)
}

fn stuff_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let (start, length) = (r.param(1, SqlType::Int)?, r.param(2, SqlType::Int)?);
    if r.args[0].family() == Family::Binary && r.args[3].family() == Family::Binary {
        let max = r.args[0].is_max() || r.args[3].is_max();
        let result = SqlType::VarBinary(if max { MaxLen::Max } else { MaxLen::N(8000) });
        return Ok(signature(&[r.args[0], start, length, r.args[3]], result));
    }
    let (text, with) = pair(r.text(0)?, r.text(3)?);
    let result = widest(if with.is_max() { with } else { text });
    Ok(signature(&[text, start, length, with], result))
}

fn stuff(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(text) = Text::of(&args[0])? else { return Ok(Value::Null) };
    if args[1].is_null() || args[2].is_null() {
        return Ok(Value::Null);
    }
    let (start, n) = (int(&args[1]), int(&args[2]));
    if start <= 0 || start > text.count(c.pairs()) as i64 || n < 0 {
        return Ok(Value::Null);
    }
    let from = start as usize - 1;
    let to = text.unit(from + n as usize, c.pairs());
    let from = text.unit(from, c.pairs());
    let with = Text::of(&args[3])?.map_or(Vec::new(), |t| t.chars);
    let chars = [&text.chars[..from], &with, &text.chars[to..]].concat();
    limited(c, chars.len())?;
    Text { chars, unicode: text.unicode }.into_value(c.bound.result)
}

fn upper(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    change_case(c, &args[0], true)
}

fn lower(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    change_case(c, &args[0], false)
}

fn change_case(c: &Call<'_>, v: &Value, upper: bool) -> SqlResult<Value> {
    let Some(mut text) = Text::of(v)? else { return Ok(Value::Null) };
    let collation = c.collation();
    for piece in text.chars.chunks_mut(PIECE) {
        look()?;
        for u in piece {
            *u = if text.unicode {
                collation.change_case_unit(upper, *u)
            } else {
                collation.change_case_byte(upper, *u as u8) as u16
            };
        }
    }
    text.into_value(c.bound.result)
}

fn trim_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let text = r.text(0)?;
    if r.args.len() == 1 {
        return Ok(signature(&[text], varying(text)));
    }
    let (text, set) = pair(text, r.text(1)?);
    Ok(signature(&[text, set], varying(text)))
}

/// Blanks, or the characters of the second argument, off one or both ends.
fn trim(c: &Call<'_>, args: &[Value], start: bool, end: bool) -> SqlResult<Value> {
    let Some(text) = Text::of(&args[0])? else { return Ok(Value::Null) };
    let set = match args.get(1) {
        None => vec![b' ' as u16],
        Some(v) => match Text::of(v)? {
            Some(set) => set.chars,
            None => return Ok(Value::Null),
        },
    };
    let keep = |u: &u16| !set.contains(u);
    let to =
        if end { text.chars.iter().rposition(keep).map_or(0, |i| i + 1) } else { text.chars.len() };
    let from = if start { text.chars[..to].iter().position(keep).unwrap_or(to) } else { 0 };
    text.slice(from, to, c.bound.result)
}

fn space(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    match args[0].as_i64() {
        Some(n @ 0..) => {
            Ok(Value::VarChar(std::iter::repeat_n(b' ', n.min(8000) as usize).collect()))
        }
        _ => Ok(Value::Null),
    }
}

/// STR(x, length = 10, decimals = 0): right-aligned; stars where the integer part has no room.
fn str_of(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let x = super::typing::float(&args[0]);
    let length = args.get(1).map_or(10, int);
    let decimals = args.get(2).map_or(0, int);
    if !(0..=8000).contains(&length) || decimals < 0 {
        return Ok(Value::Null);
    }
    let length = length as usize;
    // Half away from zero, as ROUND does; then as many decimals as there is room for.
    let mut decimals = decimals.min(16) as usize;
    let whole = format!("{:.0}", x.trunc()).len();
    if whole > length {
        return Ok(Value::varchar(&"*".repeat(length)));
    }
    decimals = decimals.min((length - whole).saturating_sub(1));
    let text = match Decimal::from_f64(x, decimals as u8) {
        Some(d) => d.to_string(),
        None => format!("{x:.decimals$}"),
    };
    let text = if text.len() > length { "*".repeat(length) } else { format!("{text:>length$}") };
    Ok(Value::varchar(&text))
}

fn ascii_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    Ok(signature(&[r.text(0)?], SqlType::Int))
}

fn ascii(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(super::typing::narrow(&args[0]).first().map_or(Value::Null, |b| Value::Int(*b as i32)))
}

/// A byte that is no whole character of the database's code page gives NULL.
fn char_of(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let page = c.collation().page();
    Ok(match args[0].as_i64() {
        Some(n @ 128..=255) if !page.is_whole(n as u8) => Value::Null,
        Some(n @ 0..=255) => Value::VarChar([n as u8].into_iter().collect()),
        _ => Value::Null,
    })
}

fn nchar_of(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(match args[0].as_i64() {
        Some(n @ 0x1_0000..=0x10_FFFF) if c.pairs() => {
            let text = char::from_u32(n as u32).map(String::from);
            text.map_or(Value::Null, |t| Value::nvarchar(&t))
        }
        Some(n @ 0..=65_535) => Value::NVarChar((n as u16).to_le_bytes().into_iter().collect()),
        _ => Value::Null,
    })
}

fn unicode(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(text) = Text::of(&args[0])? else { return Ok(Value::Null) };
    let units = text.chars[..text.unit(1, c.pairs())].iter().copied();
    let first = char::decode_utf16(units).next();
    let number = |c: Result<char, std::char::DecodeUtf16Error>| match c {
        Ok(c) => c as i32,
        Err(lone) => lone.unpaired_surrogate().into(),
    };
    Ok(first.map_or(Value::Null, |c| Value::Int(number(c))))
}

/// CONCAT (`separators` 0) and CONCAT_WS (1): lengths add up.
fn concat_rule(r: &Rule<'_>, separators: usize) -> SqlResult<Signature> {
    let mut params = Vec::with_capacity(r.args.len());
    for at in 0..r.args.len() {
        params.push(r.text(at)?);
    }
    let unicode = params.iter().any(|p| p.is_unicode());
    if unicode {
        params.iter_mut().for_each(|p| *p = as_unicode(*p));
    }
    let limit = if unicode { 4000 } else { 8000 };
    let mut total = 0u32;
    for (at, p) in params.iter().enumerate() {
        let times = if at < separators { params.len() as u32 - 2 } else { 1 };
        match p.length() {
            Some(MaxLen::N(n)) => total += n as u32 * times,
            _ => total = u32::MAX / 2,
        }
    }
    let max = params.iter().any(|p| p.is_max());
    let result = match (unicode, max) {
        (_, true) => {
            widest(if unicode { SqlType::NVARCHAR_MAX } else { SqlType::VarChar(MaxLen::Max) })
        }
        (true, false) => SqlType::nvarchar(total.clamp(1, limit) as usize),
        (false, false) => SqlType::varchar(total.clamp(1, limit) as usize),
    };
    Ok(signature(&params, result))
}

fn join(c: &Call<'_>, parts: impl Iterator<Item = SqlResult<Vec<u16>>>) -> SqlResult<Value> {
    let unicode = c.bound.result.is_unicode();
    let mut out = Text { chars: Vec::new(), unicode };
    for part in parts {
        let part = part?;
        memory((out.chars.len() + part.len()) * 2)?;
        out.chars.extend_from_slice(&part);
    }
    out.into_value(c.bound.result)
}

/// The characters of an argument that is not NULL.
fn chars_of(v: &Value) -> Option<SqlResult<Vec<u16>>> {
    Text::of(v).map(|text| text.map(|t| t.chars)).transpose()
}

fn concat(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    join(c, args.iter().filter_map(chars_of))
}

fn concat_ws(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let separator = Text::of(&args[0])?.map_or(Vec::new(), |t| t.chars);
    let parts = args[1..].iter().filter_map(chars_of).enumerate().map(|(i, chars)| {
        let chars = chars?;
        Ok(if i == 0 { chars } else { [&separator[..], &chars].concat() })
    });
    join(c, parts)
}

fn translate_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let mut params = [r.text(0)?, r.text(1)?, r.text(2)?];
    if params.iter().any(|p| p.is_unicode()) {
        params = params.map(as_unicode);
    }
    Ok(signature(&params, varying(params[0])))
}

fn translate(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(mut text), Some(from), Some(to)) =
        (Text::of(&args[0])?, Text::of(&args[1])?, Text::of(&args[2])?)
    else {
        return Ok(Value::Null);
    };
    if from.chars.len() != to.chars.len() {
        return Err(SqlError::new(9828, &[]));
    }
    let collation = c.collation();
    let (wanted, weights) = (from.weights(collation)?, collation.weights());
    for at in 0..text.chars.len() {
        if (at + 1).is_multiple_of(PIECE) {
            look()?;
        }
        let w = text.weight(text.chars[at], weights);
        if let Some(i) = wanted.iter().position(|x| *x == w) {
            text.chars[at] = to.chars[i];
        }
    }
    text.into_value(c.bound.result)
}

fn format_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = r.args[0];
    let param = match ty.family() {
        Family::Integer | Family::Decimal | Family::Money | Family::Float => ty,
        Family::OldDate | Family::NewDate => ty,
        _ => return Err(r.invalid(0)),
    };
    let mut params = vec![param, r.unicode(1)?];
    if r.args.len() > 2 {
        params.push(r.unicode(2)?);
    }
    Ok(signature(&params, SqlType::nvarchar(4000)))
}

//! Table-valued functions that make rows of their arguments: STRING_SPLIT, GENERATE_SERIES, which are found without a schema; nodes().

use super::{Declaration, Reach, RowStream, ViewContext, streamed};
use crate::features::needs;
use crate::functions::xquery;
use crate::plan::system_view::NODES;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::collation::Weights;
use taffrail_types::{Bytes, Collation, Decimal, Value};

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        streamed(
            "STRING_SPLIT",
            needs::PUBLIC,
            (2, 3),
            &["value nvarchar(4000)? · ordinal bigint!"],
            string_split,
        ),
        nodes(),
        streamed("GENERATE_SERIES", needs::PUBLIC, (2, 3), &["value bigint?"], series),
    ]);
}

/// Document or part of one, expression, 1 or 2 where it is a part that nodes() has found, the document, and values of SQL that the
/// expression names.
fn nodes() -> Declaration {
    let found = streamed(NODES, needs::PUBLIC, (4, 20), &["value nvarchar(max)?"], |_, args, _| {
        let [of, path, part, document, outside @ ..] = args else {
            return Ok(Box::new(Nodes(None)));
        };
        let (false, Some(path), Some(part)) = (of.is_null(), path.as_text(), part.as_i64()) else {
            return Ok(Box::new(Nodes(None)));
        };
        let found = xquery::Parts::of(of, &path, (part, document), outside)?;
        Ok(Box::new(Nodes(Some(found))))
    });
    found.reached(Reach::Method)
}

struct Nodes(Option<xquery::Parts>);

impl RowStream for Nodes {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        let Some(part) = self.0.as_mut().and_then(Iterator::next) else { return Ok(false) };
        for cell in cells {
            *cell = Value::nvarchar(&part);
        }
        Ok(true)
    }
}

/// The parts of a text, found one at a time.
struct Parts {
    /// As bytes of the result's type: UTF-16, or one byte a character.
    text: Vec<u8>,
    separator: Vec<u8>,
    weights: Weights,
    wide: bool,
    /// Where the next part begins; `None` at the end.
    at: Option<usize>,
    ordinal: i64,
    wanted: Vec<usize>,
}

fn string_split(
    _: &ViewContext<'_>,
    args: &[Value],
    wanted: &[usize],
) -> SqlResult<Box<dyn RowStream>> {
    let of = |n: usize| args.get(n).unwrap_or(&Value::Null);
    if of(1).as_text().unwrap_or_default().encode_utf16().count() != 1 {
        return Err(SqlError::new(214, &[&"separator", &"nchar(1)/nvarchar(1)"]).with_state(11));
    }
    let wide = [of(0), of(1)].iter().any(|v| matches!(v, Value::NVarChar(_)));
    let bytes = |v: &Value| match (v, wide) {
        (Value::VarChar(_), true) => {
            let text = v.as_text().unwrap_or_default();
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }
        _ => v.as_bytes().unwrap_or_default().to_vec(),
    };
    Ok(Box::new(Parts {
        text: bytes(of(0)),
        separator: bytes(of(1)),
        // The binder's, behind the arguments.
        weights: of(3)
            .as_i64()
            .and_then(|id| Collation::from_stored(id as u32))
            .unwrap_or_default()
            .weights(),
        wide,
        at: (!of(0).is_null()).then_some(0),
        ordinal: 0,
        wanted: wanted.to_vec(),
    }))
}

impl Parts {
    /// Whether a character is the separator, under the collation.
    fn separates(&self, c: &[u8]) -> bool {
        match (c, &self.separator[..]) {
            ([c], [s]) => self.weights.byte(*c) == self.weights.byte(*s),
            ([a, b], [c, d]) => {
                let weight = |a, b| self.weights.unit(u16::from_le_bytes([a, b]));
                weight(*a, *b) == weight(*c, *d)
            }
            _ => false,
        }
    }
}

impl RowStream for Parts {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        let Some(at) = self.at else { return Ok(false) };
        let width = self.separator.len();
        let rest = &self.text[at..];
        let len = rest.chunks_exact(width).position(|c| self.separates(c)).map(|n| n * width);
        self.at = len.map(|len| at + len + width);
        self.ordinal += 1;
        for (cell, column) in cells.iter_mut().zip(&self.wanted) {
            let part = || Bytes::from_slice(&rest[..len.unwrap_or(rest.len())]);
            *cell = match (column, self.wide) {
                (0, true) => Value::NVarChar(part()),
                (0, false) => Value::VarChar(part()),
                _ => Value::BigInt(self.ordinal),
            };
        }
        Ok(true)
    }
}

/// A series that is being counted, in units of the last digit of its type.
struct Series {
    /// The next value; `None` at the end.
    at: Option<i128>,
    to: i128,
    step: i128,
    /// A value of the series' type.
    value: fn(i128, u8) -> Option<Value>,
    scale: u8,
}

fn series(_: &ViewContext<'_>, args: &[Value], _: &[usize]) -> SqlResult<Box<dyn RowStream>> {
    let scaled = |v: &Value| match v {
        Value::Decimal(d) => Some(d.scaled()),
        v => v.as_i64().map(i128::from),
    };
    let [from, to, step] = [0, 1, 2].map(|i| args.get(i).and_then(scaled));
    let value: fn(i128, u8) -> Option<Value> = match args.first() {
        Some(Value::TinyInt(_)) => |n, _| u8::try_from(n).ok().map(Value::TinyInt),
        Some(Value::SmallInt(_)) => |n, _| i16::try_from(n).ok().map(Value::SmallInt),
        Some(Value::Int(_)) => |n, _| i32::try_from(n).ok().map(Value::Int),
        Some(Value::Decimal(_)) => |n, scale| Decimal::from_scaled(n, scale).map(Value::Decimal),
        _ => |n, _| i64::try_from(n).ok().map(Value::BigInt),
    };
    let scale = match args.first() {
        Some(Value::Decimal(d)) => d.scale(),
        _ => 0,
    };
    let (Some(at), Some(to)) = (from, to) else {
        return Ok(Box::new(Series { at: None, to: 0, step: 1, value, scale }));
    };
    let one = 10i128.pow(scale.into());
    let step = step.unwrap_or(if at <= to { one } else { -one });
    if step == 0 {
        return Err(SqlError::new(4199, &[&0, &3, &"generate_series"]));
    }
    Ok(Box::new(Series { at: Some(at), to, step, value, scale }))
}

impl RowStream for Series {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        let up = self.step > 0;
        let Some(at) = self.at.filter(|at| if up { *at <= self.to } else { *at >= self.to }) else {
            return Ok(false);
        };
        let Some(value) = (self.value)(at, self.scale) else { return Ok(false) };
        cells.fill(value);
        self.at = at.checked_add(self.step);
        Ok(true)
    }
}

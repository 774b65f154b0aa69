//! Values as bytes, for files that this process reads itself: each says what it is.
//!
//! ```text
//! tag u8, then the value in its own size; texts and binary values behind their length (u8, or u32 under the tag of long ones)
//! ```

use crate::rowcodec::{damaged, typecode};
use taffrail_base::SqlResult;
use taffrail_types::{Bytes, Decimal, Value};

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const TINY_INT: u8 = 3;
const SMALL_INT: u8 = 4;
const INT: u8 = 5;
const BIG_INT: u8 = 6;
const DECIMAL: u8 = 7;
const MONEY: u8 = 8;
const REAL: u8 = 9;
const FLOAT: u8 = 10;
const DATE: u8 = 11;
const TIME: u8 = 12;
const DATE_TIME: u8 = 13;
const SMALL_DATE_TIME: u8 = 14;
const DATE_TIME_2: u8 = 15;
const DATE_TIME_OFFSET: u8 = 16;
const GUID: u8 = 17;
const VARIANT: u8 = 18;
const VAR_CHAR: u8 = 19;
const N_VAR_CHAR: u8 = 20;
const BINARY: u8 = 21;
/// Added to the tag of a text or binary value that is longer than a byte can say.
const LONG: u8 = 16;

fn bytes(out: &mut Vec<u8>, tag: u8, b: &[u8]) {
    match u8::try_from(b.len()) {
        Ok(n) => out.extend_from_slice(&[tag, n]),
        Err(_) => {
            out.push(tag + LONG);
            out.extend_from_slice(&(b.len() as u32).to_le_bytes());
        }
    }
    out.extend_from_slice(b);
}

fn fixed<const N: usize>(out: &mut Vec<u8>, tag: u8, value: [u8; N]) {
    out.push(tag);
    out.extend_from_slice(&value);
}

/// Appends a value.
pub(crate) fn append(out: &mut Vec<u8>, v: &Value) {
    match v {
        Value::Null => out.push(NULL),
        Value::Bit(false) => out.push(FALSE),
        Value::Bit(true) => out.push(TRUE),
        Value::TinyInt(n) => fixed(out, TINY_INT, [*n]),
        Value::SmallInt(n) => fixed(out, SMALL_INT, n.to_le_bytes()),
        Value::Int(n) => fixed(out, INT, n.to_le_bytes()),
        Value::BigInt(n) => fixed(out, BIG_INT, n.to_le_bytes()),
        Value::Decimal(d) => {
            fixed(out, DECIMAL, d.scaled().to_le_bytes());
            out.push(d.scale());
        }
        Value::Money(n) => fixed(out, MONEY, n.to_le_bytes()),
        Value::Real(x) => fixed(out, REAL, x.to_le_bytes()),
        Value::Float(x) => fixed(out, FLOAT, x.to_le_bytes()),
        Value::Date(days) => fixed(out, DATE, days.to_le_bytes()),
        Value::Time(ticks) => fixed(out, TIME, ticks.to_le_bytes()),
        Value::DateTime { days, ticks } => {
            fixed(out, DATE_TIME, days.to_le_bytes());
            out.extend_from_slice(&ticks.to_le_bytes());
        }
        Value::SmallDateTime { days, minutes } => {
            fixed(out, SMALL_DATE_TIME, days.to_le_bytes());
            out.extend_from_slice(&minutes.to_le_bytes());
        }
        Value::DateTime2 { days, ticks } => {
            fixed(out, DATE_TIME_2, days.to_le_bytes());
            out.extend_from_slice(&ticks.to_le_bytes());
        }
        Value::DateTimeOffset { days, ticks, offset } => {
            fixed(out, DATE_TIME_OFFSET, days.to_le_bytes());
            out.extend_from_slice(&ticks.to_le_bytes());
            out.extend_from_slice(&offset.to_le_bytes());
        }
        Value::Guid(g) => fixed(out, GUID, *g),
        Value::Variant(inner) => {
            fixed(out, VARIANT, typecode::type_bytes(inner.0));
            append(out, &inner.1);
        }
        Value::VarChar(b) => bytes(out, VAR_CHAR, b),
        Value::NVarChar(b) => bytes(out, N_VAR_CHAR, b),
        Value::Binary(b) => bytes(out, BINARY, b),
    }
}

/// Appends a row of values.
pub(crate) fn append_row<'v>(out: &mut Vec<u8>, row: impl IntoIterator<Item = &'v Value>) {
    for v in row {
        append(out, v);
    }
}

/// Bytes that are read from their beginning on.
struct ValueBytes<'b>(&'b [u8]);

impl<'b> ValueBytes<'b> {
    #[inline]
    fn take(&mut self, n: usize) -> SqlResult<&'b [u8]> {
        match self.0.split_at_checked(n) {
            Some((taken, rest)) => {
                self.0 = rest;
                Ok(taken)
            }
            None => Err(damaged("a row in a temporary file")),
        }
    }

    #[inline]
    fn fixed<const N: usize>(&mut self) -> SqlResult<[u8; N]> {
        let mut value = [0; N];
        value.copy_from_slice(self.take(N)?);
        Ok(value)
    }

    fn text(&mut self, long: bool) -> SqlResult<Bytes> {
        let n = match long {
            false => usize::from(self.fixed::<1>()?[0]),
            true => u32::from_le_bytes(self.fixed()?) as usize,
        };
        Ok(Bytes::from_slice(self.take(n)?))
    }

    fn value(&mut self) -> SqlResult<Value> {
        let tag = self.fixed::<1>()?[0];
        Ok(match tag {
            NULL => Value::Null,
            FALSE => Value::Bit(false),
            TRUE => Value::Bit(true),
            TINY_INT => Value::TinyInt(self.fixed::<1>()?[0]),
            SMALL_INT => Value::SmallInt(i16::from_le_bytes(self.fixed()?)),
            INT => Value::Int(i32::from_le_bytes(self.fixed()?)),
            BIG_INT => Value::BigInt(i64::from_le_bytes(self.fixed()?)),
            DECIMAL => Value::Decimal(self.decimal()?),
            MONEY => Value::Money(i64::from_le_bytes(self.fixed()?)),
            REAL => Value::Real(f32::from_le_bytes(self.fixed()?)),
            FLOAT => Value::Float(f64::from_le_bytes(self.fixed()?)),
            DATE => Value::Date(u32::from_le_bytes(self.fixed()?)),
            TIME => Value::Time(u64::from_le_bytes(self.fixed()?)),
            GUID => Value::Guid(self.fixed()?),
            VARIANT => {
                let ty = typecode::type_from_bytes(self.take(4)?)?;
                Value::Variant(Box::new((ty, self.value()?)))
            }
            DATE_TIME..=DATE_TIME_OFFSET => return self.moment(tag),
            _ => return self.long_or_short(tag),
        })
    }

    fn long_or_short(&mut self, tag: u8) -> SqlResult<Value> {
        let long = tag >= VAR_CHAR + LONG;
        Ok(match tag - if long { LONG } else { 0 } {
            VAR_CHAR => Value::VarChar(self.text(long)?),
            N_VAR_CHAR => Value::NVarChar(self.text(long)?),
            BINARY => Value::Binary(self.text(long)?),
            _ => return Err(damaged("a value in a temporary file")),
        })
    }

    fn moment(&mut self, tag: u8) -> SqlResult<Value> {
        if tag == SMALL_DATE_TIME {
            let days = u16::from_le_bytes(self.fixed()?);
            return Ok(Value::SmallDateTime { days, minutes: u16::from_le_bytes(self.fixed()?) });
        }
        let days: [u8; 4] = self.fixed()?;
        if tag == DATE_TIME {
            let ticks = u32::from_le_bytes(self.fixed()?);
            return Ok(Value::DateTime { days: i32::from_le_bytes(days), ticks });
        }
        let (days, ticks) = (u32::from_le_bytes(days), u64::from_le_bytes(self.fixed()?));
        Ok(match tag {
            DATE_TIME_2 => Value::DateTime2 { days, ticks },
            _ => {
                let offset = i16::from_le_bytes(self.fixed()?);
                Value::DateTimeOffset { days, ticks, offset }
            }
        })
    }

    fn decimal(&mut self) -> SqlResult<Decimal> {
        let scaled = i128::from_le_bytes(self.fixed()?);
        let scale = self.fixed::<1>()?[0];
        let d = Decimal::new(scaled < 0, scaled.unsigned_abs(), scale);
        d.ok_or_else(|| damaged("a decimal in a temporary file"))
    }
}

/// The values of a row, in place of those that were there.
pub(crate) fn read_row(row: &[u8], out: &mut Vec<Value>) -> SqlResult<()> {
    out.clear();
    let mut input = ValueBytes(row);
    while !input.0.is_empty() {
        out.push(input.value()?);
    }
    Ok(())
}

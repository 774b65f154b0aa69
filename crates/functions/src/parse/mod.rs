//! PARSE and TRY_PARSE: text as a culture writes numbers, amounts of money, dates and times.
//!
//! | module | |
//! |---|---|
//! | `number` | digits with a culture's point, separators and symbol |
//! | `words` | a text about a date as numbers, names and signs |
//! | `date` | dates and times made of them |
//!
//! The type to read is the result type of the call, which the binder sets.

mod date;
mod number;
mod words;

use super::format::culture::Culture;
use super::typing::signature;
use super::{Call, Function, Rule, Signature};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Family, MaxLen, SqlType, Value};

const TEXT: SqlType = SqlType::NVarChar(MaxLen::N(4000));

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("PARSE", 1, 2, rule, parse).per_statement(),
    Function::new("TRY_PARSE", 1, 2, rule, |c, args| Ok(read(c, args)?.unwrap_or(Value::Null))).per_statement(),
];

fn rule(r: &Rule<'_>) -> SqlResult<Signature> {
    for (at, ty) in r.args.iter().enumerate() {
        if !matches!(ty.family(), Family::Char | Family::NChar) {
            return Err(r.invalid(at));
        }
    }
    Ok(signature(&[TEXT; 2][..r.args.len()], SqlType::Int))
}

/// Whether text can be read as a value of this type.
pub fn is_readable(ty: SqlType) -> bool {
    match ty.family() {
        Family::Integer | Family::Decimal | Family::Money | Family::Float => true,
        _ => ty.is_date(),
    }
}

fn parse(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    read(c, args)?.ok_or_else(|| {
        let text = |at: usize| args.get(at).and_then(Value::as_text).unwrap_or_default();
        SqlError::new(9819, &[&text(0), &c.bound.result.name(), &text(1)])
    })
}

/// The value that the text stands for; None where it is none of the type. The culture is judged before a NULL text.
fn read(c: &Call<'_>, args: &[Value]) -> SqlResult<Option<Value>> {
    let culture = match args.get(1) {
        None => {
            let language = c.context.global("@@LANGUAGE")?;
            Culture::of_language(&language.as_text().unwrap_or_default())
        }
        Some(name) => Culture::named(&name.as_text().unwrap_or_default())?,
    };
    let Some(text) = args[0].as_text() else { return Ok(Some(Value::Null)) };
    let ty = c.bound.result;
    if !ty.is_date() {
        return Ok(number::value(&text, ty, culture));
    }
    if !culture.has_dates() {
        let what = format!("PARSE of dates in the culture {}", culture.name);
        return Err(SqlError::new(40510, &[&what]));
    }
    Ok(date::value(&text, ty, culture, c.context.moment()))
}

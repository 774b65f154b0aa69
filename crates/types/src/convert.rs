//! Conversion: what may be converted to what, and doing it.
//!
//! `matrix` is SQL Server's published one, which every place that converts asks ([`check`], [`check_declared`]), once per
//! cast, so that at run time [`cast`] only meets pairs that exist. [`common_type`] is data type precedence: the type
//! both sides of an operator go to.
//!
//! Text and binary that is too long is cut by CAST, CONVERT and by assignment to a variable, but not by assignment to
//! a column: that is [`assign`], which leaves message 2628 to the caller, who knows the column's name.
//!
//! | to | module |
//! |---|---|
//! | numbers | `to_number` |
//! | char, varchar, nchar, nvarchar | `to_text` |
//! | dates and times | `to_date` |
//! | binary, varbinary, rowversion, uniqueidentifier | `to_binary` |

mod matrix;
mod to_binary;
mod to_date;
mod to_number;
mod to_text;

use crate::codepage::CodePage;
use crate::datetime::{DateFormat, LanguageId};
use crate::{Bytes, Family, MaxLen, SqlType, Value, decimal};
use taffrail_base::{SqlError, SqlResult};

pub use matrix::{Declared, KINDS, Kind, Large, check_declared, rule_of};
pub use to_binary::parse_guid;
pub use to_number::parse_float;
pub use to_text::int_to_varchar;

/// The kinds of conversions, by how they are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Conversion {
    /// An expression or assignment.
    Implicit,
    /// CAST or CONVERT, written by the user.
    Explicit,
}

/// The session's settings that conversions depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConvertContext {
    /// The order of day, month and year: SET DATEFORMAT.
    pub date_format: DateFormat,
    /// SET LANGUAGE: the names of months.
    pub language: LanguageId,
    /// SET ANSI_WARNINGS: text that is too long for a column is an error.
    pub ansi_warnings: bool,
    /// SET NUMERIC_ROUNDABORT: digits that a decimal has no room for are an error.
    pub round_abort: bool,
    /// `two digit year cutoff`, 2049 by default.
    pub two_digit_year_cutoff: u16,
    /// The code pages of char and varchar.
    pub pages: Pages,
}

/// The code pages of a conversion: each counts where its side is char or varchar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pages {
    /// The page of the value that is converted.
    pub from: CodePage,
    /// The page of the result.
    pub to: CodePage,
}

impl Pages {
    /// Both sides are of one page.
    pub fn of(page: CodePage) -> Pages {
        Pages { from: page, to: page }
    }
}

impl ConvertContext {
    /// These settings for text of the pages given.
    pub fn with_pages(self, pages: Pages) -> ConvertContext {
        ConvertContext { pages, ..self }
    }
}

impl Default for ConvertContext {
    fn default() -> Self {
        ConvertContext {
            date_format: DateFormat::Mdy,
            language: LanguageId::US_ENGLISH,
            ansi_warnings: true,
            round_abort: false,
            two_digit_year_cutoff: 2049,
            pages: Pages::default(),
        }
    }
}

/// One cell of the conversion matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The conversion is made wherever it is needed.
    Implicit,
    /// Only by CAST or CONVERT.
    Explicit,
    /// The conversion is refused.
    NotAllowed,
}

/// The rule of a conversion between types.
pub fn rule(from: SqlType, to: SqlType) -> Rule {
    matrix::rule_of(from.into(), to.into())
}

/// Whether the conversion may be written at all: 257 where only CAST does it, 206 and 529 where nothing does.
pub fn check(from: SqlType, to: SqlType, conversion: Conversion) -> SqlResult<()> {
    matrix::check_declared(from.into(), to.into(), conversion)
}

/// Precedence: the higher number wins.
pub fn precedence(ty: SqlType) -> u8 {
    match ty {
        SqlType::Variant => 30,
        SqlType::DateTimeOffset(_) => 28,
        SqlType::DateTime2(_) => 27,
        SqlType::DateTime => 26,
        SqlType::SmallDateTime => 25,
        SqlType::Date => 24,
        SqlType::Time(_) => 23,
        SqlType::Float => 22,
        SqlType::Real => 21,
        SqlType::Decimal { .. } | SqlType::Numeric { .. } => 20,
        SqlType::Money => 19,
        SqlType::SmallMoney => 18,
        SqlType::BigInt => 17,
        SqlType::Int => 16,
        SqlType::SmallInt => 15,
        SqlType::TinyInt => 14,
        SqlType::Bit => 13,
        SqlType::RowVersion => 9,
        SqlType::UniqueIdentifier => 8,
        SqlType::NVarChar(_) => 7,
        SqlType::NChar(_) => 6,
        SqlType::VarChar(_) => 5,
        SqlType::Char(_) => 4,
        SqlType::VarBinary(_) => 3,
        SqlType::Binary(_) => 2,
    }
}

/// The type both sides of an operator, a UNION, a CASE go to (the higher precedence, with lengths, precision and
/// scale joined); 206, 257.
pub fn common_type(a: SqlType, b: SqlType) -> SqlResult<SqlType> {
    if a == b {
        return Ok(a);
    }
    let (high, low) = if precedence(a) >= precedence(b) { (a, b) } else { (b, a) };
    check(low, high, Conversion::Implicit)?;
    Ok(match (high, low) {
        (SqlType::Decimal { .. } | SqlType::Numeric { .. }, _) => {
            let own = high.as_numeric().expect("a decimal");
            let Some(other) = low.as_numeric() else { return Ok(high) };
            let decimal::NumericType { precision, scale } = decimal::common_type(own, other);
            match high {
                SqlType::Decimal { .. } => SqlType::Decimal { precision, scale },
                _ => SqlType::Numeric { precision, scale },
            }
        }
        (
            SqlType::DateTimeOffset(n) | SqlType::DateTime2(n) | SqlType::Time(n),
            SqlType::DateTimeOffset(m) | SqlType::DateTime2(m) | SqlType::Time(m),
        ) => with_fraction(high, n.max(m)),
        (SqlType::DateTimeOffset(n) | SqlType::DateTime2(n), SqlType::DateTime) => {
            with_fraction(high, n.max(3))
        }
        _ => match (high.length(), low.length()) {
            (Some(x), Some(y)) => with_length(high, x.max(y)),
            _ => high,
        },
    })
}

/// As [`common_type`], of declared types: xml, ntext, text and image have places of their own in
/// the precedence.
pub fn common_declared(a: Declared, b: Declared) -> SqlResult<Declared> {
    if a.large() == Large::Plain && b.large() == Large::Plain {
        return common_type(a.ty, b.ty).map(Into::into);
    }
    let rank = |d: Declared| match d.kind {
        Kind::Xml => 29,
        Kind::NText => 12,
        Kind::Text => 11,
        Kind::Image => 10,
        _ => precedence(d.ty),
    };
    let (high, low) = if rank(a) >= rank(b) { (a, b) } else { (b, a) };
    check_declared(low, high, Conversion::Implicit)?;
    Ok(high)
}

fn with_fraction(ty: SqlType, n: u8) -> SqlType {
    match ty {
        SqlType::Time(_) => SqlType::Time(n),
        SqlType::DateTime2(_) => SqlType::DateTime2(n),
        SqlType::DateTimeOffset(_) => SqlType::DateTimeOffset(n),
        other => other,
    }
}

/// The type with another length, as far as its kind allows; types without a length stay.
pub fn with_length(ty: SqlType, n: MaxLen) -> SqlType {
    let fixed = |limit: u16| match n {
        MaxLen::N(n) => n.clamp(1, limit),
        MaxLen::Max => limit,
    };
    let variable = |limit: u16| match n {
        MaxLen::N(n) => MaxLen::N(n.clamp(1, limit)),
        MaxLen::Max => MaxLen::Max,
    };
    match ty {
        SqlType::Char(_) if n == MaxLen::Max => SqlType::VarChar(n),
        SqlType::NChar(_) if n == MaxLen::Max => SqlType::NVarChar(n),
        SqlType::Binary(_) if n == MaxLen::Max => SqlType::VarBinary(n),
        SqlType::Char(_) => SqlType::Char(fixed(8000)),
        SqlType::NChar(_) => SqlType::NChar(fixed(4000)),
        SqlType::Binary(_) => SqlType::Binary(fixed(8000)),
        SqlType::VarChar(_) => SqlType::VarChar(variable(8000)),
        SqlType::NVarChar(_) => SqlType::NVarChar(variable(4000)),
        SqlType::VarBinary(_) => SqlType::VarBinary(variable(8000)),
        other => other,
    }
}

/// Whether every value of `from` is a value of `to` as it stands, so that the cast can be left out.
pub fn is_noop(from: SqlType, to: SqlType) -> bool {
    match (from, to) {
        _ if from == to => true,
        (SqlType::VarChar(n), SqlType::VarChar(m))
        | (SqlType::NVarChar(n), SqlType::NVarChar(m))
        | (SqlType::VarBinary(n), SqlType::VarBinary(m)) => n <= m,
        (SqlType::Char(n), SqlType::VarChar(m))
        | (SqlType::NChar(n), SqlType::NVarChar(m))
        | (SqlType::Binary(n), SqlType::VarBinary(m)) => MaxLen::N(n) <= m,
        (SqlType::RowVersion, SqlType::VarBinary(m)) => MaxLen::N(8) <= m,
        (
            SqlType::Decimal { precision: p, scale: s }
            | SqlType::Numeric { precision: p, scale: s },
            SqlType::Decimal { precision: q, scale: t }
            | SqlType::Numeric { precision: q, scale: t },
        ) => s == t && p <= q,
        (SqlType::SmallMoney, SqlType::Money) => true,
        (SqlType::Time(n), SqlType::Time(m))
        | (SqlType::DateTime2(n), SqlType::DateTime2(m))
        | (SqlType::DateTimeOffset(n), SqlType::DateTimeOffset(m)) => n <= m,
        _ => false,
    }
}

/// Whether what a conversion gives is the session's to say ([`ConvertContext`]): dates and times from and to text.
pub fn depends_on_session(from: SqlType, to: SqlType) -> bool {
    let is_date = |t: SqlType| matches!(t.family(), Family::OldDate | Family::NewDate);
    let is_text = |t: SqlType| matches!(t.family(), Family::Char | Family::NChar);
    let may_hold = |t: SqlType| t == SqlType::Variant;
    is_date(to) && (is_text(from) || may_hold(from))
        || is_text(to) && (is_date(from) || may_hold(from))
}

/// Converts with the default session context. Text and binary that is too long is cut, as CAST and SET @v do.
pub fn cast(
    v: &Value,
    from: SqlType,
    to: SqlType,
    style: Option<i32>,
    conversion: Conversion,
) -> SqlResult<Value> {
    cast_with(v, from, to, style, conversion, &ConvertContext::default())
}

/// Converts. `from` must be the value's type, and the pair one that [`check`] let pass.
#[inline]
pub fn cast_with(
    v: &Value,
    from: SqlType,
    to: SqlType,
    style: Option<i32>,
    conversion: Conversion,
    context: &ConvertContext,
) -> SqlResult<Value> {
    match (v, to) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::Int(x), SqlType::Int) => Ok(Value::Int(*x)),
        (Value::Int(x), SqlType::VarChar(n)) if n >= MaxLen::N(11) => {
            Ok(Value::VarChar(int_to_varchar(*x)))
        }
        _ => Cast { from, to, style, context }.run(v, conversion),
    }
}

/// A conversion with its types, style and settings.
struct Cast<'a> {
    from: SqlType,
    to: SqlType,
    style: Option<i32>,
    context: &'a ConvertContext,
}

impl Cast<'_> {
    fn run(&self, v: &Value, conversion: Conversion) -> SqlResult<Value> {
        if let (Value::Variant(inner), false) = (v, self.to == SqlType::Variant) {
            let (from, v) = &**inner;
            check(*from, self.to, Conversion::Explicit)?;
            // Its text is of code page 1252.
            let pages = Pages { from: CodePage::WESTERN, ..self.context.pages };
            let context = self.context.with_pages(pages);
            return cast_with(v, *from, self.to, self.style, conversion, &context);
        }
        match self.to.family() {
            Family::Variant => Ok(match v {
                Value::Variant(_) => v.clone(),
                Value::VarChar(b) if !self.context.pages.from.is_western() && !b.is_ascii() => {
                    let page = self.context.pages.from.number();
                    let what = format!("Text of code page {page} in sql_variant");
                    return Err(taffrail_base::message::unsupported(what));
                }
                v => Value::Variant(Box::new((self.from, v.clone()))),
            }),
            Family::Bit | Family::Integer | Family::Decimal | Family::Money | Family::Float => {
                self.number(v)
            }
            Family::Char | Family::NChar => self.text(v),
            Family::OldDate | Family::NewDate => self.date(v),
            Family::Binary | Family::RowVersion => self.binary(v),
            Family::Guid => self.guid(v),
        }
    }

    /// Message 8114: the text is no value of the type.
    #[cold]
    fn failed(&self) -> Box<SqlError> {
        SqlError::new(8114, &[&self.from.message_name(), &self.to.message_name()]).with_state(5)
    }

    /// 9809: binary and text know the styles 0, 1 and 2.
    #[cold]
    fn no_style(&self, style: i32) -> Box<SqlError> {
        SqlError::new(9809, &[&style, &self.from.name(), &self.to.name()])
    }

    /// 8115 naming the source type. Its state tells what was converted to what: SQL Server's are 5 for a number as text,
    /// 6 for float and real to decimal, 8 for the rest to decimal.
    #[cold]
    fn overflow(&self) -> Box<SqlError> {
        let state = match (self.from.family(), self.to.family()) {
            (_, Family::Char | Family::NChar) => 5,
            (Family::Float, _) => 6,
            _ => 8,
        };
        SqlError::new(8115, &[&self.from.message_name(), &self.to.message_name()]).with_state(state)
    }

    /// 232: a float that the target has no room for.
    #[cold]
    fn float_overflow(&self, x: f64) -> Box<SqlError> {
        let state = match self.to {
            SqlType::TinyInt => 1,
            SqlType::Int => 3,
            _ => 2,
        };
        SqlError::new(232, &[&self.to.name(), &format_args!("{x:.6}")]).with_state(state)
    }

    /// 8115 naming no source type.
    #[cold]
    fn expression_overflow(&self) -> Box<SqlError> {
        SqlError::new(8115, &[&"expression", &self.to.message_name()]).with_state(2)
    }
}

/// Why a value does not go into a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AssignError {
    /// The text or binary is longer than the column: message 2628 (the caller knows table and column); this is
    /// the text it quotes.
    Truncated(String),
    /// Any other error of the conversion.
    Sql(Box<SqlError>),
}

/// Converts for a column: like an implicit cast, except that nothing but trailing blanks (for binary: zeroes) is cut
/// off silently.
#[inline]
pub fn assign(
    v: Value,
    from: SqlType,
    to: SqlType,
    context: &ConvertContext,
) -> Result<Value, AssignError> {
    if is_noop(from, to) || v.is_null() {
        return Ok(v);
    }
    // Text that fits is the common case, whatever its declared length.
    let limit = to.byte_limit();
    match (&v, to) {
        (Value::VarChar(b), SqlType::VarChar(_))
        | (Value::NVarChar(b), SqlType::NVarChar(_))
        | (Value::Binary(b), SqlType::VarBinary(_))
            if b.len() <= limit =>
        {
            return Ok(v);
        }
        (Value::VarChar(b), SqlType::Char(_)) if b.len() == limit => return Ok(v),
        _ => {}
    }
    assign_others(&v, from, to, context)
}

fn assign_others(
    v: &Value,
    from: SqlType,
    to: SqlType,
    context: &ConvertContext,
) -> Result<Value, AssignError> {
    let cast = |v: &Value, from: SqlType, to: SqlType| {
        cast_with(v, from, to, None, Conversion::Implicit, context).map_err(AssignError::Sql)
    };
    let fitted = |v: &Value, from: SqlType| {
        let context = context.with_pages(Pages::of(context.pages.to));
        cast_with(v, from, to, None, Conversion::Implicit, &context).map_err(AssignError::Sql)
    };
    let family = to.family();
    let is_string = |f: Family| matches!(f, Family::Char | Family::NChar | Family::Binary);
    // What is no string has its place in binary from the right, as CAST gives it.
    if !is_string(family) || family == Family::Binary && !is_string(from.family()) {
        return cast(v, from, to);
    }
    // An integer that has no room is an error here, not the `*` of CONVERT.
    let all = match family {
        Family::Char => SqlType::VarChar(MaxLen::Max),
        Family::NChar => SqlType::NVarChar(MaxLen::Max),
        _ => SqlType::VarBinary(MaxLen::Max),
    };
    let whole = cast(v, from, all)?;
    let limit = to.byte_limit();
    let too_long = whole.as_bytes().is_some_and(|b| b.len() > limit);
    if too_long && from == SqlType::UniqueIdentifier {
        return cast(v, from, to);
    }
    if too_long && from.is_number() {
        // The others say by themselves what has no room.
        if !matches!(from.family(), Family::Integer | Family::Bit) {
            return cast(v, from, to);
        }
        let e = SqlError::new(8115, &[&"expression", &to.message_name()]).with_state(2);
        return Err(AssignError::Sql(e));
    }
    let blank = |b: &[u8]| match family {
        Family::NChar => b.chunks_exact(2).all(|u| u == b" \0"),
        Family::Char => b.iter().all(|b| *b == b' '),
        _ => b.iter().all(|b| *b == 0),
    };
    match &whole {
        Value::VarChar(b) if too_long && !blank(&b[limit..]) => {
            let page = context.pages.to;
            Err(AssignError::Truncated(page.decode(&b[..page.fitting(b, limit)])))
        }
        Value::NVarChar(b) if too_long && !blank(&b[limit..]) => {
            Err(AssignError::Truncated(crate::codepage::decode_utf16(&b[..limit])))
        }
        Value::Binary(b) if too_long && !blank(&b[limit..]) => {
            Err(AssignError::Truncated(String::new()))
        }
        _ => fitted(&whole, all),
    }
}

/// The bytes of a character string in code page 1252 (numbers, guids and dates are read from that).
fn narrow(v: &Value) -> Option<std::borrow::Cow<'_, [u8]>> {
    match v {
        Value::VarChar(b) => Some(std::borrow::Cow::Borrowed(b)),
        Value::NVarChar(b) => {
            Some(std::borrow::Cow::Owned(crate::codepage::utf16_to_1252(b).to_vec()))
        }
        _ => None,
    }
}

/// Cuts to `limit` bytes and, for fixed length, pads with `fill`: a byte or two, as the limit is a multiple of them.
fn fit(mut b: Bytes, limit: usize, fixed: bool, fill: &[u8]) -> Bytes {
    b.truncate(limit);
    let from = b.len();
    if fixed && from < limit {
        b.resize(limit, fill[0]);
        // At once, not one after the other: rows of thousands of bytes are mostly padding.
        if let [_, second] = *fill {
            b[from..].chunks_exact_mut(2).for_each(|pair| pair[1] = second);
        }
    }
    b
}

#[cfg(test)]
mod tests;

//! Functions on dates and times.
//!
//! Text is taken as datetime where a function returns the type of its argument (DATEADD), and as datetimeoffset where it
//! only looks at it; a number is the datetime that many days after 1900-01-01.

use super::typing::{any_null, int, narrow, signature};
use super::{Call, Function, Rule, Signature};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::datetime::part::{self, PartUse};
use taffrail_types::datetime::{DatePart, Local, TICKS_PER_SECOND, days_from_civil};
use taffrail_types::{Conversion, Family, SqlType, Value};

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("GETDATE", 0, 0, |r| r.as_given(SqlType::DateTime), |c, _| now(c, true)).per_statement(),
    Function::new("CURRENT_TIMESTAMP", 0, 0, |r| r.as_given(SqlType::DateTime), |c, _| now(c, true)).per_statement(),
    Function::new("GETUTCDATE", 0, 0, |r| r.as_given(SqlType::DateTime), |c, _| now(c, false)).per_statement(),
    Function::new("SYSDATETIME", 0, 0, |r| r.as_given(SqlType::DateTime2(7)), |c, _| now(c, true)).per_statement(),
    Function::new("SYSUTCDATETIME", 0, 0, |r| r.as_given(SqlType::DateTime2(7)), |c, _| now(c, false)).per_statement(),
    Function::new("SYSDATETIMEOFFSET", 0, 0, |r| r.as_given(SqlType::DateTimeOffset(7)), |c, _| now(c, true)).per_statement(),
    Function::new("DATEADD", 2, 2, dateadd_rule, dateadd).with_datepart(),
    Function::new("DATEDIFF", 2, 2, datediff_rule, datediff).with_datepart(),
    Function::new("DATEDIFF_BIG", 2, 2, datediff_rule, datediff).with_datepart(),
    Function::new("DATEPART", 1, 1, |r| datepart_rule(r, SqlType::Int), datepart).with_datepart().per_statement(),
    Function::new("DATENAME", 1, 1, |r| datepart_rule(r, SqlType::nvarchar(30)), datename).with_datepart().per_statement(),
    Function::new("DAY", 1, 1, |r| looked_at_rule(r, SqlType::Int), |c, a| part_of(c, a, DatePart::Day)),
    Function::new("MONTH", 1, 1, |r| looked_at_rule(r, SqlType::Int), |c, a| part_of(c, a, DatePart::Month)),
    Function::new("YEAR", 1, 1, |r| looked_at_rule(r, SqlType::Int), |c, a| part_of(c, a, DatePart::Year)),
    Function::new("EOMONTH", 1, 2, eomonth_rule, eomonth),
    Function::new("DATEFROMPARTS", 3, 3, |r| r.fixed(&[SqlType::Int], SqlType::Date), from_parts),
    Function::new("DATETIMEFROMPARTS", 7, 7, |r| r.fixed(&[SqlType::Int], SqlType::DateTime), from_parts),
    Function::new("SMALLDATETIMEFROMPARTS", 5, 5, |r| r.fixed(&[SqlType::Int], SqlType::SmallDateTime), from_parts),
    Function::new("DATETIME2FROMPARTS", 8, 8, |r| r.fixed(&[SqlType::Int], SqlType::DateTime2(7)), from_parts),
    Function::new("DATETIMEOFFSETFROMPARTS", 10, 10, |r| r.fixed(&[SqlType::Int], SqlType::DateTimeOffset(7)), from_parts),
    Function::new("TIMEFROMPARTS", 5, 5, |r| r.fixed(&[SqlType::Int], SqlType::Time(7)), time_from_parts),
    Function::new("ISDATE", 1, 1, isdate_rule, isdate).per_statement(),
    Function::new("SWITCHOFFSET", 2, 2, switch_rule, switchoffset),
    Function::new("TODATETIMEOFFSET", 2, 2, to_offset_rule, todatetimeoffset),
];

/// The statement's moment as the result type, in local time or UTC.
fn now(c: &Call<'_>, local: bool) -> SqlResult<Value> {
    let m = c.context.moment();
    let at = Local::from_utc(m.utc, if local { m.offset } else { 0 });
    at.to_value(c.bound.result).map_err(|_| SqlError::new(542, &[]))
}

/// The type to which a date argument is converted where only its parts are read.
fn looked_at(r: &Rule<'_>, at: usize) -> SqlResult<SqlType> {
    let ty = r.args[at];
    match ty.family() {
        Family::OldDate | Family::NewDate => Ok(ty),
        Family::Char | Family::NChar => Ok(SqlType::DateTimeOffset(7)),
        Family::Guid | Family::Variant => Err(r.invalid(at)),
        _ => r.param(at, SqlType::DateTime),
    }
}

fn looked_at_rule(r: &Rule<'_>, result: SqlType) -> SqlResult<Signature> {
    Ok(signature(&[looked_at(r, 0)?], result))
}

/// 9810 for hours of a date and the like.
pub(super) fn applies(r: &Rule<'_>, ty: SqlType, use_of: PartUse) -> SqlResult<()> {
    let Some(part) = r.datepart else { return Err(SqlError::new(1023, &[&1, &r.name])) };
    if part.applies_to(ty, use_of) {
        Ok(())
    } else {
        Err(SqlError::new(9810, &[&part.name(), &r.name, &ty.name()]))
    }
}

pub(super) fn the_part(c: &Call<'_>) -> SqlResult<DatePart> {
    c.bound.datepart.ok_or_else(|| SqlError::new(1023, &[&1, &c.bound.name()]))
}

fn dateadd_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = match r.args[1].family() {
        Family::OldDate | Family::NewDate => r.args[1],
        Family::Guid | Family::Variant => return Err(r.invalid(1)),
        _ => r.param(1, SqlType::DateTime)?,
    };
    applies(r, ty, PartUse::Add)?;
    if r.args[0].is_text() {
        return Err(r.invalid(0));
    }
    Ok(signature(&[r.param(0, SqlType::Int)?, ty], ty))
}

fn dateadd(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (false, Some(local)) = (args[0].is_null(), Local::from_value(&args[1])) else {
        return Ok(Value::Null);
    };
    let ty = c.bound.result;
    let sum = part::add(the_part(c)?, int(&args[0]), local);
    let value = sum.and_then(|l| l.to_value(ty).ok());
    value.ok_or_else(|| SqlError::new(517, &[&ty.name()]))
}

fn datediff_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let params = [looked_at(r, 0)?, looked_at(r, 1)?];
    applies(r, params[0], PartUse::Diff)?;
    let big = r.name == "datediff_big";
    Ok(signature(&params, if big { SqlType::BigInt } else { SqlType::Int }))
}

fn datediff(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(from), Some(to)) = (Local::from_value(&args[0]), Local::from_value(&args[1])) else {
        return Ok(Value::Null);
    };
    let n = part::diff(the_part(c)?, from, to);
    let value = if c.bound.result == SqlType::BigInt {
        i64::try_from(n).ok().map(Value::BigInt)
    } else {
        i32::try_from(n).ok().map(Value::Int)
    };
    let name = c.bound.name().to_ascii_lowercase();
    value.ok_or_else(|| SqlError::new(535, &[&name, &name]).with_state(0))
}

fn datepart_rule(r: &Rule<'_>, result: SqlType) -> SqlResult<Signature> {
    let ty = looked_at(r, 0)?;
    applies(r, ty, PartUse::Part)?;
    Ok(signature(&[ty], result))
}

fn datepart(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    part_of(c, args, the_part(c)?)
}

fn part_of(c: &Call<'_>, args: &[Value], part: DatePart) -> SqlResult<Value> {
    let local = Local::from_value(&args[0]);
    Ok(local.map_or(Value::Null, |l| Value::Int(part::get(part, l, c.context.date_first()))))
}

fn datename(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let part = the_part(c)?;
    let local = Local::from_value(&args[0]);
    Ok(c.optional_text(
        local.map(|l| part::name(part, l, c.context.date_first(), c.context.convert().language)),
    ))
}

fn eomonth_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let date = match r.args[0].family() {
        Family::Char | Family::NChar => SqlType::Date,
        Family::OldDate | Family::NewDate => r.args[0],
        _ => return Err(r.invalid(0)),
    };
    let mut params = vec![date];
    if r.args.len() > 1 {
        params.push(r.param(1, SqlType::Int)?);
    }
    Ok(signature(&params, SqlType::Date))
}

/// Of a NULL number of months: of the month itself.
fn eomonth(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(local) = Local::from_value(&args[0]) else { return Ok(Value::Null) };
    let days = part::end_of_month(local, args.get(1).map_or(0, int));
    days.map(|d| Value::Date(d as u32)).ok_or_else(|| SqlError::new(517, &[&"date"]))
}

/// Year, month, day, hour, minute, then by type: second and milliseconds (datetime); second, fraction, precision
/// (datetime2); second, fraction, offset hours and minutes, precision (datetimeoffset).
fn from_parts(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let ty = c.bound.result;
    let bad = || SqlError::new(289, &[&ty.name()]);
    let n: Vec<i64> = args.iter().map(int).collect();
    let small = |v: i64| u32::try_from(v).ok();
    let year = i32::try_from(n[0]).ok();
    let days = (|| days_from_civil(year?, small(n[1])?, small(n[2])?))().ok_or_else(bad)?;
    let at = |i: usize| n.get(i).copied().unwrap_or(0);
    let fraction = match ty {
        // Milliseconds.
        SqlType::DateTime => ticks_of_fraction(at(6), 3),
        SqlType::DateTime2(_) => ticks_of_fraction(at(6), at(7)),
        SqlType::DateTimeOffset(_) => ticks_of_fraction(at(6), at(9)),
        _ => Some(0),
    };
    let ticks = fraction.and_then(|f| clock(at(3), at(4), at(5), f)).ok_or_else(bad)?;
    let offset = if matches!(ty, SqlType::DateTimeOffset(_)) {
        let (hours, minutes) = (at(7), at(8));
        let same_sign = hours == 0 || minutes == 0 || (hours < 0) == (minutes < 0);
        let all = hours.checked_mul(60).and_then(|h| h.checked_add(minutes));
        let all = all.filter(|m| m.abs() <= 840 && minutes.abs() < 60 && same_sign);
        all.ok_or_else(bad)? as i16
    } else {
        0
    };
    Local { days, ticks, offset }.to_value(ty).map_err(|_| bad())
}

/// Hour, minute, second, fraction, precision.
fn time_from_parts(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let n: Vec<i64> = args.iter().map(int).collect();
    let ticks = ticks_of_fraction(n[3], n[4]).and_then(|f| clock(n[0], n[1], n[2], f));
    ticks.map(Value::Time).ok_or_else(|| SqlError::new(289, &[&"time"]))
}

fn clock(hour: i64, minute: i64, second: i64, fraction: u64) -> Option<u64> {
    let fits = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
    fits.then(|| (hour * 3600 + minute * 60 + second) as u64 * TICKS_PER_SECOND + fraction)
}

/// So many units of 10^-precision s.
fn ticks_of_fraction(n: i64, precision: i64) -> Option<u64> {
    if !(0..=7).contains(&precision) || n < 0 || n >= 10i64.pow(precision as u32) {
        return None;
    }
    Some(n as u64 * 10u64.pow(7 - precision as u32))
}

fn isdate_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    // The newer types are not what ISDATE asks about.
    if r.args[0].family() == Family::NewDate {
        return Err(r.invalid(0));
    }
    Ok(signature(&[if r.args[0].is_date() { r.args[0] } else { r.text(0)? }], SqlType::Int))
}

fn isdate(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let yes = match &args[0] {
        Value::VarChar(_) | Value::NVarChar(_) => {
            !narrow(&args[0]).trim_ascii().is_empty()
                && taffrail_types::convert::cast_with(
                    &args[0],
                    c.bound.params[0],
                    SqlType::DateTime,
                    None,
                    Conversion::Explicit,
                    &c.context.convert(),
                )
                .is_ok()
        }
        other => Local::from_value(other).is_some(),
    };
    Ok(Value::Int(yes as i32))
}

/// An offset argument: minutes, or text as `+02:00`.
fn offset_param(r: &Rule<'_>, at: usize) -> SqlResult<SqlType> {
    if r.args[at].is_text() { Ok(r.args[at]) } else { r.param(at, SqlType::Int) }
}

fn switch_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = match r.args[0] {
        ty @ SqlType::DateTimeOffset(_) => ty,
        _ => r.param(0, SqlType::DateTimeOffset(7))?,
    };
    Ok(signature(&[ty, offset_param(r, 1)?], ty))
}

fn to_offset_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = match r.args[0] {
        SqlType::DateTime2(n) => SqlType::DateTime2(n),
        _ => r.param(0, SqlType::DateTime2(7))?,
    };
    Ok(signature(&[ty, offset_param(r, 1)?], SqlType::DateTimeOffset(ty.scale())))
}

fn offset_of(c: &Call<'_>, v: &Value) -> SqlResult<i16> {
    let minutes = match v.as_text() {
        None => Some(int(v)),
        Some(text) => parse_offset(text.trim()),
    };
    let fits = minutes.filter(|m| m.abs() <= 840);
    let name = c.bound.name().to_ascii_lowercase();
    fits.map(|m| m as i16).ok_or_else(|| SqlError::new(9812, &[&name]))
}

fn parse_offset(text: &str) -> Option<i64> {
    let (negative, rest) = match text.split_at_checked(1)? {
        ("-", rest) => (true, rest),
        ("+", rest) => (false, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let digits =
        |s: &str| (s.len() <= 2 && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse().ok());
    let (hours, minutes): (i64, i64) = (digits(hours)??, digits(minutes)??);
    let all = hours * 60 + minutes;
    (minutes < 60).then_some(if negative { -all } else { all })
}

fn switchoffset(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(local), false) = (Local::from_value(&args[0]), args[1].is_null()) else {
        return Ok(Value::Null);
    };
    let moved = local.at_offset(offset_of(c, &args[1])?);
    let value = moved.and_then(|l| l.to_value(c.bound.result).ok());
    value.ok_or_else(|| SqlError::new(517, &[&"datetimeoffset"]))
}

fn todatetimeoffset(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let (Some(local), false) = (Local::from_value(&args[0]), args[1].is_null()) else {
        return Ok(Value::Null);
    };
    let at = Local { offset: offset_of(c, &args[1])?, ..local };
    at.to_value(c.bound.result).map_err(|_| SqlError::new(517, &[&"datetimeoffset"]))
}

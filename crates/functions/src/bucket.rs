//! DATETRUNC and DATE_BUCKET: the beginning of the interval that a date lies in.

use super::date::{applies, the_part};
use super::typing::{any_null, int, signature};
use super::{Call, Function, Rule, Signature};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::datetime::part::{self, PartUse};
use taffrail_types::datetime::{
    DAYS_TO_1900, DatePart, Local, TICKS_PER_DAY, TICKS_PER_MINUTE, TICKS_PER_SECOND,
    days_from_civil,
};
use taffrail_types::{SqlType, Value};

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("DATETRUNC", 1, 1, datetrunc_rule, datetrunc).with_datepart().per_statement(),
    Function::new("DATE_BUCKET", 2, 3, bucket_rule, date_bucket).with_datepart(),
];

/// A date or time as it is.
fn date_type(r: &Rule<'_>, at: usize) -> SqlResult<SqlType> {
    match r.args[at].is_date() {
        true => Ok(r.args[at]),
        false => Err(r.invalid(at)),
    }
}

/// 9810 for a part that the function does not know or the type does not have.
fn known(r: &Rule<'_>, ty: SqlType, unknown: &[DatePart]) -> SqlResult<()> {
    match r.datepart {
        Some(part) if unknown.contains(&part) => {
            Err(SqlError::new(9810, &[&part.name(), &r.name, &ty.name()]))
        }
        _ => applies(r, ty, PartUse::Part),
    }
}

fn datetrunc_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = match r.args[0].is_text() {
        true => SqlType::DateTime2(7),
        false => date_type(r, 0)?,
    };
    let unknown = &[DatePart::Weekday, DatePart::TzOffset, DatePart::Nanosecond];
    known(r, ty, unknown).map_err(|e| e.with_state(10))?;
    match r.datepart {
        Some(part) if !is_told(part, ty) => {
            Err(SqlError::new(9810, &[&part.name(), &r.name, &ty.name()]).with_state(11))
        }
        _ => Ok(signature(&[ty], ty)),
    }
}

/// Whether the type's fraction of a second has room for the part.
fn is_told(part: DatePart, ty: SqlType) -> bool {
    let digits = match ty {
        SqlType::Time(n) | SqlType::DateTime2(n) | SqlType::DateTimeOffset(n) => n,
        SqlType::DateTime => 3,
        _ => 0,
    };
    match part {
        DatePart::Millisecond => digits >= 3,
        DatePart::Microsecond => digits >= 6,
        _ => true,
    }
}

/// 100 ns in one.
fn ticks_of(part: DatePart) -> Option<u64> {
    Some(match part {
        DatePart::Hour => 60 * TICKS_PER_MINUTE,
        DatePart::Minute => TICKS_PER_MINUTE,
        DatePart::Second => TICKS_PER_SECOND,
        DatePart::Millisecond => TICKS_PER_SECOND / 1_000,
        DatePart::Microsecond => TICKS_PER_SECOND / 1_000_000,
        _ => return None,
    })
}

fn datetrunc(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(local) = Local::from_value(&args[0]) else { return Ok(Value::Null) };
    let ty = c.bound.result;
    let part = the_part(c)?;
    let beginning = match ticks_of(part) {
        Some(unit) => Some(Local { ticks: local.ticks - local.ticks % unit, ..local }),
        None => first_day(part, local, c.context.date_first()).map(|days| Local {
            days,
            ticks: 0,
            ..local
        }),
    };
    let value = beginning.and_then(|l| l.to_value(ty).ok());
    value.ok_or_else(|| SqlError::new(9837, &[&"date"]).with_state(3))
}

/// The first day of the year, quarter, month, week that a day lies in; None before the calendar begins.
fn first_day(part: DatePart, local: Local, date_first: u8) -> Option<i32> {
    let c = local.civil();
    let of_week = |date_first| local.days - (part::get(DatePart::Weekday, local, date_first) - 1);
    let days = match part {
        DatePart::Year => days_from_civil(c.year, 1, 1)?,
        DatePart::Quarter => days_from_civil(c.year, (c.month - 1) / 3 * 3 + 1, 1)?,
        DatePart::Month => days_from_civil(c.year, c.month, 1)?,
        DatePart::Week => of_week(date_first),
        DatePart::IsoWeek => of_week(1),
        _ => local.days,
    };
    (days >= 0).then_some(days)
}

fn bucket_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let ty = date_type(r, 1)?;
    known(
        r,
        ty,
        &[
            DatePart::Weekday,
            DatePart::DayOfYear,
            DatePart::TzOffset,
            DatePart::IsoWeek,
            DatePart::Microsecond,
            DatePart::Nanosecond,
        ],
    )?;
    let mut params = vec![r.param(0, SqlType::Int)?, ty];
    if r.args.len() > 2 {
        date_type(r, 2)?;
        params.push(ty);
    }
    Ok(signature(&params, ty))
}

/// Buckets of so many parts, the first of them beginning at the origin (1900-01-01), in both directions.
fn date_bucket(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(&args[..2]) || args.get(2).is_some_and(Value::is_null) {
        return Ok(Value::Null);
    }
    let (part, ty, n) = (the_part(c)?, c.bound.result, int(&args[0]));
    if n <= 0 {
        return Err(SqlError::new(9834, &[&"DATE_BUCKET"]));
    }
    let Some(date) = Local::from_value(&args[1]) else { return Ok(Value::Null) };
    let usual = match ty {
        SqlType::Time(_) => date.days,
        _ => DAYS_TO_1900,
    };
    let usual = Local { days: usual, ticks: 0, offset: date.offset };
    let origin = args.get(2).and_then(Local::from_value).unwrap_or(usual);
    let value = beginning(part, n, date, origin).and_then(|l| l.to_value(ty).ok());
    value.ok_or_else(|| SqlError::new(517, &[&ty.name()]))
}

fn beginning(part: DatePart, n: i64, date: Local, origin: Local) -> Option<Local> {
    let at = |l: Local| l.days as i128 * TICKS_PER_DAY as i128 + l.ticks as i128;
    let months: i64 = match part {
        DatePart::Year => 12,
        DatePart::Quarter => 3,
        DatePart::Month => 1,
        _ => {
            let unit = match part {
                DatePart::Week => 7 * TICKS_PER_DAY,
                DatePart::Day => TICKS_PER_DAY,
                clock => ticks_of(clock)?,
            };
            let width = unit as i128 * n as i128;
            let start = at(origin) + (at(date) - at(origin)).div_euclid(width) * width;
            return Local::normalise(0, start, date.offset).filter(|l| l.days >= 0);
        }
    };
    let width = months.checked_mul(n)?;
    let index = |l: Local| l.civil().year as i64 * 12 + l.civil().month as i64;
    let mut bucket = (index(date) - index(origin)).div_euclid(width);
    // In the month that a bucket begins in, the days before its beginning belong to the one before.
    if at(part::add(DatePart::Month, bucket * width, origin)?) > at(date) {
        bucket -= 1;
    }
    let start = part::add(DatePart::Month, bucket * width, origin)?;
    Some(Local { offset: date.offset, ..start })
}

//! To dates and times.

use super::Cast;
use crate::datetime::parse::{ParseStyle, format_of_style, parse};
use crate::datetime::{self, DateError, Local};
use crate::{Family, SqlType, Value};
use taffrail_base::{SqlError, SqlResult};

impl Cast<'_> {
    pub(super) fn date(&self, v: &Value) -> SqlResult<Value> {
        if let Some(local) = Local::from_value(v) {
            let local = match (v, self.to) {
                // A moment with an offset keeps its wall clock; one without is in UTC.
                (Value::DateTimeOffset { .. }, SqlType::DateTimeOffset(_)) => local,
                // With a style it is told in UTC.
                (Value::DateTimeOffset { .. }, _) if self.style.is_some_and(|s| s != 0) => {
                    local.at_offset(0).ok_or_else(|| self.out_of_range())?
                }
                _ => Local { offset: 0, ..local },
            };
            return local.to_value(self.to).map_err(|_| self.out_of_range());
        }
        match v {
            Value::VarChar(b) => return self.date_of_text(&self.context.pages.from.decode(b)),
            Value::NVarChar(_) => {
                return self.date_of_text(&v.as_text().unwrap_or_default());
            }
            _ => {}
        }
        match (v, self.to.family()) {
            (Value::Binary(b), Family::OldDate) => self.date_of_binary(b),
            (Value::Binary(b), _) => self.new_date_of_binary(b).ok_or_else(|| self.failed()),
            (v, Family::OldDate) => {
                let days = match v {
                    Value::Decimal(d) => d.to_f64(),
                    Value::Money(m) => *m as f64 / 10_000.0,
                    Value::Real(x) => *x as f64,
                    Value::Float(x) => *x,
                    other => other.as_i64().ok_or_else(|| self.failed())? as f64,
                };
                let date = datetime::datetime_from_days(days);
                let local = date.and_then(|d| Local::from_value(&d));
                local
                    .and_then(|l| l.to_value(self.to).ok())
                    .ok_or_else(|| self.expression_overflow())
            }
            _ => Err(self.failed()),
        }
    }

    fn date_of_text(&self, text: &str) -> SqlResult<Value> {
        let legacy = self.to.family() == Family::OldDate;
        let by_style = match self.style {
            Some(style) => Some(
                format_of_style(style)
                    .ok_or_else(|| SqlError::new(281, &[&style, &self.from.name()]))?,
            ),
            None => None,
        };
        let style = ParseStyle {
            // Style 0 is the default: the session's order.
            format: by_style.filter(|_| self.style != Some(0)).unwrap_or(self.context.date_format),
            language: self.context.language,
            legacy,
            two_digit_year_cutoff: self.context.two_digit_year_cutoff,
        };
        let parsed = parse(text, style).map_err(|e| self.bad_date(e))?;
        if legacy && parsed.has_offset && !text.trim_end().ends_with(['Z', 'z']) {
            return Err(self.bad_date(DateError::Syntax));
        }
        let mut local = parsed.local;
        if !matches!(self.to, SqlType::DateTimeOffset(_)) {
            local.offset = 0;
        }
        local.to_value(self.to).map_err(|e| self.bad_date(e))
    }

    /// 241, 295; 242 for a date that the older types do not have.
    #[cold]
    fn bad_date(&self, e: DateError) -> Box<SqlError> {
        match (e, self.to.family()) {
            (DateError::Range, Family::OldDate) => self.out_of_range().with_state(3),
            _ if self.to == SqlType::SmallDateTime => SqlError::new(295, &[]).with_state(3),
            _ => SqlError::new(241, &[]),
        }
    }

    #[cold]
    fn out_of_range(&self) -> Box<SqlError> {
        SqlError::new(242, &[&self.from.name(), &self.to.name()])
    }

    /// The stored form, most significant byte first: days and 1/300 s, or days and minutes.
    fn date_of_binary(&self, b: &[u8]) -> SqlResult<Value> {
        let last = &b[b.len().saturating_sub(8)..];
        let all = last.iter().fold(0u64, |v, b| v << 8 | *b as u64);
        let value = if self.to == SqlType::DateTime {
            let (days, ticks) = ((all >> 32) as i32, all as u32);
            let fits = datetime::datetime_in_range(days as i64)
                && ticks < datetime::DATETIME_TICKS_PER_DAY;
            fits.then_some(Value::DateTime { days, ticks })
        } else {
            let (days, minutes) = ((all >> 16) as u16, all as u16);
            (minutes < 1440).then_some(Value::SmallDateTime { days, minutes })
        };
        value.ok_or_else(|| SqlError::new(210, &[]))
    }

    /// Reads a binary form of the newer types, as `to_binary` writes it: `[scale] [time] [date]
    /// [offset]`, little-endian.
    fn new_date_of_binary(&self, b: &[u8]) -> Option<Value> {
        let number = |b: &[u8]| b.iter().rev().fold(0u64, |v, b| v << 8 | *b as u64);
        if self.to == SqlType::Date {
            let local = Local { days: number(b.get(..3)?) as i32, ticks: 0, offset: 0 };
            return local.to_value(self.to).ok();
        }
        let (scale, rest) = b.split_first()?;
        if *scale > 7 {
            return None;
        }
        let tail = match self.to {
            SqlType::Time(_) => 0,
            SqlType::DateTime2(_) => 3,
            _ => 5,
        };
        let clock = rest.len().checked_sub(tail).filter(|n| (3..=5).contains(n))?;
        let ticks = number(&rest[..clock]).checked_mul(10u64.pow(7 - *scale as u32))?;
        if ticks >= datetime::TICKS_PER_DAY {
            return None;
        }
        let days =
            if tail == 0 { datetime::DAYS_TO_1900 } else { number(&rest[clock..clock + 3]) as i32 };
        let offset = if tail == 5 { number(&rest[clock + 3..]) as u16 as i16 } else { 0 };
        if !(-840..=840).contains(&offset) {
            return None;
        }
        let utc = Local { days, ticks, offset: 0 };
        utc.at_offset(offset)?.to_value(self.to).ok()
    }
}

//! Seeks by values of another type than the key's: between which of the column's values those lie that may compare as asked for.
//!
//! A column is brought to the other type by a function that never falls (int to decimal, datetime to datetime2, a moment to its date).
//! So the column's values below `low` give less than the value, those above `high` give more. What lies between the two is asked again,
//! row by row.

use crate::datetime::{
    DATETIME_TICKS_PER_DAY, DAYS_TO_1900, MAX_DAYS, TICKS_PER_DAY, TICKS_PER_MINUTE,
};
use crate::{Conversion, Decimal, SqlType, Value, convert};

/// Where the column's values lie that may equal a value.
#[derive(PartialEq, Debug)]
pub enum Near {
    /// Between these two, both included.
    Between(Value, Value),
    /// All of the column's values are above it, or below.
    None {
        /// The value lies above all of them.
        above: bool,
    },
}

/// Whether values of a column of type `column` are sought so when they are compared as `other`.
pub fn is_near(column: SqlType, other: SqlType) -> bool {
    use SqlType::*;
    match (column, other) {
        (DateTime | SmallDateTime | DateTime2(_), Date) => true,
        // Rounded to seconds, the last moment of a day is the next day.
        (DateTime, DateTime2(scale)) => scale >= 3,
        (SmallDateTime | Date, DateTime2(_) | DateTime) => true,
        (Date, SmallDateTime) => true,
        (DateTime2(a), DateTime2(b)) => a < b,
        (TinyInt | SmallInt | Int | BigInt, Numeric { .. } | Decimal { .. }) => true,
        _ => false,
    }
}

/// The least and the greatest value of an integer type.
pub fn integer_range(ty: SqlType) -> Option<(i64, i64)> {
    Some(match ty {
        SqlType::TinyInt => (0, 255),
        SqlType::SmallInt => (i16::MIN as i64, i16::MAX as i64),
        SqlType::Int => (i32::MIN as i64, i32::MAX as i64),
        SqlType::BigInt => (i64::MIN, i64::MAX),
        _ => return None,
    })
}

/// The integers beside a decimal; of a whole one, itself.
fn integers_near(d: &Decimal, column: SqlType) -> Option<Near> {
    let power = 10_u128.checked_pow(d.scale().into())?;
    let whole = i128::try_from(d.magnitude() / power).ok()?;
    let whole = if d.is_negative() { -whole } else { whole };
    let rest = i128::from(!d.magnitude().is_multiple_of(power));
    let (least, most) = integer_range(column)?;
    let (low, high) = (whole - rest, whole + rest);
    let (least, most) = (i128::from(least), i128::from(most));
    if low > most || high < least {
        return Some(Near::None { above: low > most });
    }
    let of = |n: i128| {
        let n = Value::BigInt(n.clamp(least, most) as i64);
        convert::cast(&n, SqlType::BigInt, column, None, Conversion::Implicit).ok()
    };
    Some(Near::Between(of(low)?, of(high)?))
}

/// See [`is_near`]; `None`: nothing can be said.
pub fn near(v: &Value, column: SqlType) -> Option<Near> {
    use SqlType::*;
    Some(match (column, v) {
        (TinyInt | SmallInt | Int | BigInt, Value::Decimal(d)) => integers_near(d, column)?,
        // The whole day.
        (DateTime, Value::Date(day)) => {
            let days = i32::try_from(*day).ok()? - DAYS_TO_1900;
            if days < FIRST_DATETIME {
                return Some(Near::None { above: false });
            }
            let at = |ticks| Value::DateTime { days, ticks };
            Near::Between(at(0), at(DATETIME_TICKS_PER_DAY - 1))
        }
        (SmallDateTime, Value::Date(day)) => {
            let days = i32::try_from(*day).ok()? - DAYS_TO_1900;
            match u16::try_from(days) {
                Ok(days) => {
                    let at = |minutes| Value::SmallDateTime { days, minutes };
                    Near::Between(at(0), at(24 * 60 - 1))
                }
                Err(_) => Near::None { above: days > 0 },
            }
        }
        (DateTime2(_), Value::Date(day)) => {
            let at = |ticks| Value::DateTime2 { days: *day, ticks };
            Near::Between(at(0), at(TICKS_PER_DAY - 1))
        }
        (Date, _) => {
            let (days, _) = moment(v)?;
            let day = Value::Date(u32::try_from(days).ok().filter(|_| days <= MAX_DAYS)?);
            Near::Between(day.clone(), day)
        }
        (DateTime, _) => {
            let (days, ticks) = moment(v)?;
            let days = days - DAYS_TO_1900;
            if days < FIRST_DATETIME {
                return Some(Near::None { above: false });
            }
            // A third of a hundredth of a second is 33,333.3 ticks of 100 ns.
            let third = (ticks * 3 / 100_000) as u32;
            let last = DATETIME_TICKS_PER_DAY - 1;
            let at = |ticks: u32| Value::DateTime { days, ticks: ticks.min(last) };
            Near::Between(at(third.saturating_sub(1)), at(third + 1))
        }
        (SmallDateTime, _) => {
            let (days, ticks) = moment(v)?;
            let days = days - DAYS_TO_1900;
            match u16::try_from(days) {
                Ok(days) => {
                    let minute = (ticks / (TICKS_PER_MINUTE)) as u16;
                    let at =
                        |minutes: u16| Value::SmallDateTime { days, minutes: minutes.min(1439) };
                    Near::Between(at(minute), at(minute + 1))
                }
                Err(_) => Near::None { above: days > 0 },
            }
        }
        (DateTime2(_), Value::DateTime2 { .. }) => Near::Between(v.clone(), v.clone()),
        _ => return None,
    })
}

/// 1753-01-01, the first day of datetime, in days since 1900-01-01.
const FIRST_DATETIME: i32 = -53_690;

/// Days since the year 1 and ticks of 100 ns.
fn moment(v: &Value) -> Option<(i32, u64)> {
    Some(match v {
        Value::DateTime2 { days, ticks } => (i32::try_from(*days).ok()?, *ticks),
        Value::DateTime { days, ticks } => (days + DAYS_TO_1900, u64::from(*ticks) * 100_000 / 3),
        Value::SmallDateTime { days, minutes } => {
            (i32::from(*days) + DAYS_TO_1900, u64::from(*minutes) * (TICKS_PER_MINUTE))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::cast;

    fn of(text: &str, ty: SqlType) -> Value {
        cast(&Value::varchar(text), SqlType::varchar(60), ty, None, Conversion::Explicit).unwrap()
    }

    #[test]
    fn what_lies_outside_compares_as_it_lies() {
        let columns =
            [SqlType::DateTime, SqlType::SmallDateTime, SqlType::Date, SqlType::DateTime2(3)];
        let others =
            [SqlType::Date, SqlType::DateTime2(7), SqlType::DateTime2(3), SqlType::DateTime];
        let moments = [
            "1753-01-01",
            "1899-12-31 23:59:59.997",
            "1900-01-01",
            "1999-12-31 23:59:59.997",
            "2000-01-01",
            "2000-01-01 00:00:00.003",
            "2000-01-01 00:00:30",
            "2000-01-01 12:34:56.787",
            "2079-06-06 23:59:00",
            "2079-06-07",
            "9999-12-31 23:59:59.993",
        ];
        let mut pairs = 0;
        for column in columns {
            let values = moments.iter().filter_map(|m| {
                let ty = SqlType::varchar(60);
                cast(&Value::varchar(m), ty, column, None, Conversion::Explicit).ok()
            });
            let values: Vec<Value> = values.collect();
            for other in others.into_iter().filter(|o| is_near(column, *o)) {
                for v in moments.map(|m| of(m, other)) {
                    let found = near(&v, column).unwrap();
                    for c in &values {
                        let wide = cast(c, column, other, None, Conversion::Explicit).unwrap();
                        let order = crate::compare::compare(&wide, &v, Default::default());
                        let at = |end: &Value| crate::compare::compare(c, end, Default::default());
                        let right = match &found {
                            Near::None { above } => order.is_lt() == *above && order.is_ne(),
                            Near::Between(low, _) if at(low).is_lt() => order.is_lt(),
                            Near::Between(_, high) if at(high).is_gt() => order.is_gt(),
                            Near::Between(..) => true,
                        };
                        assert!(right, "{c:?} beside {v:?}: {found:?}");
                        pairs += 1;
                    }
                }
            }
        }
        assert!(pairs > 500, "{pairs}");
    }

    #[test]
    fn integers_beside_decimals() {
        let decimal = |text: &str| of(text, SqlType::Numeric { precision: 20, scale: 3 });
        let between = |a, b| Some(Near::Between(Value::TinyInt(a), Value::TinyInt(b)));
        assert_eq!(near(&decimal("77.000"), SqlType::TinyInt), between(77, 77));
        assert_eq!(near(&decimal("77.001"), SqlType::TinyInt), between(76, 78));
        assert_eq!(near(&decimal("-0.5"), SqlType::TinyInt), between(0, 1));
        assert_eq!(near(&decimal("300"), SqlType::TinyInt), Some(Near::None { above: true }));
        assert_eq!(near(&decimal("-2"), SqlType::TinyInt), Some(Near::None { above: false }));
    }
}

//! The date types of SQL Server 2008 for clients that speak an older version: as nvarchar, in the form that
//! SQL Server gives them.

use taffrail_types::{MaxLen, SqlType, Value};

/// The type to send instead of `sql` below 7.3.
pub(crate) fn substitute(sql: SqlType) -> SqlType {
    let fraction = |scale: u8| if scale == 0 { 0 } else { scale as u16 + 1 };
    SqlType::NVarChar(MaxLen::N(match sql {
        SqlType::Date => 10,
        SqlType::Time(scale) => 8 + fraction(scale),
        SqlType::DateTime2(scale) => 19 + fraction(scale),
        SqlType::DateTimeOffset(scale) => 26 + fraction(scale),
        other => return other,
    }))
}

/// Year, month and day of a day number (0 is 0001-01-01).
pub(crate) fn civil(days: u32) -> (u32, u32, u32) {
    // Years that begin in March put the leap day at their end; 400 of them have 146,097 days.
    let z = days as u64 + 306;
    let era = z / 146_097;
    let doe = z % 146_097;
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + (month <= 2) as u64;
    (year as u32, month as u32, day as u32)
}

fn time_text(ticks: u64, scale: u8) -> String {
    let seconds = ticks / 10_000_000;
    let mut text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if scale > 0 {
        let fraction = format!("{:07}", ticks % 10_000_000);
        text.push('.');
        text.push_str(&fraction[..(scale as usize).min(7)]);
    }
    text
}

fn date_text(days: u32) -> String {
    let (y, m, d) = civil(days);
    format!("{y:04}-{m:02}-{d:02}")
}

/// The text to send; None for values that are not of those types.
pub(crate) fn text(value: &Value, scale: u8) -> Option<String> {
    Some(match *value {
        Value::Date(days) => date_text(days),
        Value::Time(ticks) => time_text(ticks, scale),
        Value::DateTime2 { days, ticks } => {
            format!("{} {}", date_text(days), time_text(ticks, scale))
        }
        Value::DateTimeOffset { days, ticks, offset } => {
            // The text shows local time.
            let day = 864_000_000_000i64;
            let local = days as i64 * day + ticks as i64 + offset as i64 * 600_000_000;
            let local = local.clamp(0, 3_652_059 * day - 1);
            let sign = if offset < 0 { '-' } else { '+' };
            let minutes = offset.unsigned_abs();
            format!(
                "{} {} {sign}{:02}:{:02}",
                date_text((local / day) as u32),
                time_text((local % day) as u64, scale),
                minutes / 60,
                minutes % 60
            )
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(civil(0), (1, 1, 1));
        assert_eq!(civil(693_595), (1900, 1, 1));
        assert_eq!(civil(730_178), (2000, 2, 29));
        assert_eq!(civil(3_652_058), (9999, 12, 31));
    }

    #[test]
    fn texts() {
        let t = 45_296 * 10_000_000 + 1_234_567;
        assert_eq!(text(&Value::Time(t), 3).unwrap(), "12:34:56.123");
        assert_eq!(
            text(&Value::DateTime2 { days: 0, ticks: t }, 0).unwrap(),
            "0001-01-01 12:34:56"
        );
        let v = Value::DateTimeOffset { days: 693_595, ticks: 0, offset: -90 };
        assert_eq!(text(&v, 1).unwrap(), "1899-12-31 22:30:00.0 -01:30");
    }
}

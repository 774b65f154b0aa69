//! Wall-clock time as the error log writes it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Year, month, day, hour, minute, second, microsecond: UTC.
pub(crate) struct Stamp {
    pub year: i64,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    pub micros: u32,
}

impl Stamp {
    pub(crate) fn now() -> Stamp {
        Stamp::of(SystemTime::now())
    }

    pub(crate) fn of(at: SystemTime) -> Stamp {
        // A clock before 1970 is shown as 1970: a log line is no reason to fail.
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp::from_unix(since.as_secs(), since.subsec_micros())
    }

    pub(crate) fn from_unix(seconds: u64, micros: u32) -> Stamp {
        let (days, of_day) = (seconds / 86_400, (seconds % 86_400) as u32);
        // Years that begin in March put the leap day at their end; 400 of them have 146,097 days.
        let z = days as i64 + 719_468;
        let (era, doe) = (z / 146_097, z % 146_097);
        let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        Stamp {
            year: yoe + era * 400 + (month <= 2) as i64,
            month: month as u32,
            day: (doy - (153 * mp + 2) / 5 + 1) as u32,
            hour: of_day / 3600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
            micros,
        }
    }

    /// `2026-11-21 12:34:56.78`: the error log's form.
    pub(crate) fn errorlog(&self) -> String {
        let Stamp { year, month, day, hour, minute, second, micros } = self;
        format!(
            "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{:02}",
            micros / 10_000
        )
    }

    /// RFC 3339.
    pub(crate) fn rfc3339(&self) -> String {
        let Stamp { year, month, day, hour, minute, second, micros } = self;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn known_days() {
        assert_eq!(Stamp::from_unix(0, 0).errorlog(), "1970-01-01 00:00:00.00");
        assert_eq!(Stamp::from_unix(951_782_400, 120_000).errorlog(), "2000-02-29 00:00:00.12");
        assert_eq!(Stamp::from_unix(1_795_263_296, 7).rfc3339(), "2026-11-21T12:14:56.000007Z");
    }
}

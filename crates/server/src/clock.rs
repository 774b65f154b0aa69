//! Wall-clock time as the error log writes it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use taffrail_io::{UtcTime, zone};
use taffrail_observe::Moment;

/// The wall clock's time of a moment: moments that ascend have times that ascend, but where somebody has set the clock.
pub(crate) struct Wall {
    wall: SystemTime,
    moment: Moment,
}

/// A clock that is off by more has been set (or the machine has slept); less may be this thread's own delay.
const SET: Duration = Duration::from_millis(200);

impl Wall {
    pub(crate) fn new() -> Wall {
        Wall { moment: Moment::now(), wall: SystemTime::now() }
    }

    pub(crate) fn at(&self, moment: Moment) -> SystemTime {
        let later = Duration::from_nanos(moment.since(self.moment));
        self.wall + later - Duration::from_nanos(self.moment.since(moment))
    }

    /// Looks whether the clock has been set.
    pub(crate) fn follow(&mut self) {
        let before = Moment::now();
        let wall = SystemTime::now();
        // Interrupted in between: the two say nothing about each other.
        if Moment::now().since(before) > 10_000_000 {
            return;
        }
        self.compare(before, wall);
    }

    fn compare(&mut self, moment: Moment, wall: SystemTime) {
        let thought = self.at(moment);
        let off = wall.duration_since(thought).unwrap_or_else(|e| e.duration());
        if off > SET {
            *self = Wall { wall, moment };
        }
    }
}

/// Year, month, day, hour, minute, second, microsecond: of UTC or of the server's time zone.
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

    /// In the server's time zone.
    pub(crate) fn local(at: SystemTime) -> Stamp {
        let offset = i64::from(zone::utc_offset_minutes(UtcTime::from_system(at))) * 60;
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp::from_unix(since.as_secs().saturating_add_signed(offset), since.subsec_micros())
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

    /// The time as RFC 3339 writes it.
    pub(crate) fn rfc3339(&self) -> String {
        let Stamp { year, month, day, hour, minute, second, micros } = self;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::{Moment, Stamp, Wall};
    use std::time::{Duration, SystemTime};

    #[test]
    fn the_wall_clock_is_followed_only_where_it_was_set() {
        let s = |n: u64| SystemTime::UNIX_EPOCH + Duration::from_millis(n);
        let m = |n: u64| Moment(n * 1_000_000);
        let mut wall = Wall { wall: s(10_000), moment: m(500) };
        assert_eq!(
            (wall.at(m(400)), wall.at(m(500)), wall.at(m(700))),
            (s(9_900), s(10_000), s(10_200))
        );
        // Read late, or adjusted a little: the times go on evenly.
        wall.compare(m(800), s(10_450));
        wall.compare(m(900), s(10_250));
        assert_eq!(wall.at(m(1000)), s(10_500));
        // Set forwards and back.
        wall.compare(m(1000), s(70_000));
        assert_eq!(wall.at(m(1100)), s(70_100));
        wall.compare(m(1200), s(5_000));
        assert_eq!(wall.at(m(1100)), s(4_900));
    }

    #[test]
    fn known_days() {
        assert_eq!(Stamp::from_unix(0, 0).errorlog(), "1970-01-01 00:00:00.00");
        assert_eq!(Stamp::from_unix(951_782_400, 120_000).errorlog(), "2000-02-29 00:00:00.12");
        assert_eq!(Stamp::from_unix(1_795_263_296, 7).rfc3339(), "2026-11-21T12:14:56.000007Z");
    }
}

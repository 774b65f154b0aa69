//! The server's time zone: what `TZ` says, or the system's. A process that does not ask for it ([`follow_time_zone`]) is in UTC.

use crate::UtcTime;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::sync::OnceLock;

static ZONE: OnceLock<TimeZone> = OnceLock::new();

/// From now on local times are those of `TZ`, or of `/etc/localtime` where it is not set. An error when `TZ` names no time zone that
/// the system knows: times are in UTC then. Only the first call counts.
pub fn follow_time_zone() -> Result<(), String> {
    match TimeZone::try_system() {
        Ok(zone) => {
            // Whoever was first has decided.
            let _ = ZONE.set(zone);
            Ok(())
        }
        // Nobody has said anything, as in a small container.
        Err(_) if std::env::var_os("TZ").is_none() => Ok(()),
        Err(e) => Err(e.to_string()),
    }
}

/// The name that IANA has for the time zone; None where its rules have no name.
pub fn zone_name() -> Option<&'static str> {
    ZONE.get().map_or(Some("UTC"), TimeZone::iana_name)
}

/// Minutes that local time is ahead of UTC at a moment.
pub fn utc_offset_minutes(at: UtcTime) -> i16 {
    ZONE.get().map_or(0, |zone| offset_in(zone, at))
}

fn offset_in(zone: &TimeZone, at: UtcTime) -> i16 {
    let seconds = at.0 as i64 / UtcTime::PER_SECOND as i64
        - UtcTime::UNIX_EPOCH.0 as i64 / UtcTime::PER_SECOND as i64;
    let offset = Timestamp::from_second(seconds).map_or(0, |at| zone.to_offset(at).seconds());
    // Before there were time zones they had seconds.
    i16::try_from(offset / 60).unwrap_or(0)
}

/// The local time of a moment, counted as [`UtcTime`] counts.
pub fn to_local(at: UtcTime) -> u64 {
    moved(at.0, i64::from(utc_offset_minutes(at)))
}

/// The moment of a local time: of the two that an hour has which comes twice, either.
pub fn from_local(local: u64) -> UtcTime {
    ZONE.get().map_or(UtcTime(local), |zone| from_local_in(zone, local))
}

fn from_local_in(zone: &TimeZone, local: u64) -> UtcTime {
    let guess = UtcTime(moved(local, -i64::from(offset_in(zone, UtcTime(local)))));
    UtcTime(moved(local, -i64::from(offset_in(zone, guess))))
}

fn moved(at: u64, minutes: i64) -> u64 {
    at.saturating_add_signed(minutes * 60 * UtcTime::PER_SECOND as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> UtcTime {
        UtcTime(UtcTime::UNIX_EPOCH.0 + seconds * UtcTime::PER_SECOND)
    }

    #[test]
    fn offsets_follow_the_rules_of_a_zone() {
        // As /usr/share/zoneinfo/Europe/Berlin has them, which a test cannot count on.
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let (winter, summer) = (at(1_768_435_200), at(1_784_073_600));
        assert_eq!((offset_in(&zone, winter), offset_in(&zone, summer)), (60, 120));
        for moment in [winter, summer, at(0)] {
            let local = moved(moment.0, i64::from(offset_in(&zone, moment)));
            assert_eq!(from_local_in(&zone, local), moment);
        }
        // An hour before and after summer time begins: 2026-03-29 01:00 UTC.
        let begins = 1_774_746_000;
        for (seconds, offset) in [(begins - 1, 60), (begins, 120)] {
            assert_eq!(offset_in(&zone, at(seconds)), offset);
            assert_eq!(
                from_local_in(&zone, at(seconds).0 + offset as u64 * 600_000_000),
                at(seconds)
            );
        }
        let zone = TimeZone::posix("IST-5:30").unwrap();
        assert_eq!(offset_in(&zone, winter), 330);
        assert_eq!(offset_in(&zone, UtcTime(0)), 330);
    }

    #[test]
    fn nobody_asked_so_it_is_utc() {
        assert_eq!((to_local(at(5)), from_local(at(5).0)), (at(5).0, at(5)));
    }
}

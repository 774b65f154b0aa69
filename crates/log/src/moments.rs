//! The moments that records bear, held against a clock that is set back.
//!
//! ```text
//! the clock stands …          the next record bears                     the error log hears of it
//! at or behind the newest     the clock's moment                         no
//! up to a day before it       the newest moment once more               once, from five minutes on
//! further before it           the clock's moment: the log goes back      once: the clock had been far ahead
//! ```
//! A log whose moments never went back would bear one wrong moment for as long as the clock had been ahead, for years after a wrong date. A
//! day is more than any mistaken time zone, so that such a mistake does not break the order of the log.

use std::time::Duration;

use taffrail_io::UtcTime;
use taffrail_observe::{Event, EventRing, Whose};

const DAY: u64 = 24 * 3600 * UtcTime::PER_SECOND;
/// A clock that is regulated is set back by less.
const TOLD: u64 = 300 * UtcTime::PER_SECOND;

/// The newest moment of a log, and whether the error log knows that the clock stands before it.
#[derive(Default)]
pub(crate) struct Moments {
    /// The moment of the newest record that bears one. Zero: no record is known.
    pub last: UtcTime,
    told: bool,
}

/// A clock that stands before the newest moment of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SetBack {
    /// Records bear the newest moment until the clock is past it, so long from now.
    Held(Duration),
    /// Records bear the clock's moments again, which are so much earlier.
    Followed(Duration),
}

impl Moments {
    /// The moment of the next record, by the clock; and what the error log is to hear.
    pub fn follow(&mut self, now: UtcTime) -> (UtcTime, Option<SetBack>) {
        let behind = self.last.0.saturating_sub(now.0);
        if behind > DAY {
            (self.last, self.told) = (now, false);
            return (now, Some(SetBack::Followed(ticks(behind))));
        }
        let told = behind > TOLD && !std::mem::replace(&mut self.told, true);
        if behind == 0 {
            self.told = false;
        }
        self.last = self.last.max(now);
        (self.last, told.then(|| SetBack::Held(ticks(behind))))
    }

    /// The moment of the next record, which has one of its own: not before the newest.
    pub fn hold(&mut self, given: UtcTime) -> UtcTime {
        self.last = self.last.max(given);
        self.last
    }
}

fn ticks(n: u64) -> Duration {
    Duration::from_secs(n / UtcTime::PER_SECOND)
}

impl SetBack {
    /// Tells the error log that the clock was set back; `database`: the log's.
    #[cold]
    pub fn tell(self, database: Whose) {
        let text = match self {
            SetBack::Held(by) => format!(
                "The clock stands {} s before the newest moment in the database log. Commits bear that moment until the clock is past it.",
                by.as_secs()
            ),
            SetBack::Followed(by) => format!(
                "The clock had been {} s ahead when the newest records of the database log were written. The moments of later commits are \
                 the clock's and lie before those: to restore to one of them, name it only with log backups that begin later.",
                by.as_secs()
            ),
        };
        EventRing::global().push(Event::BackgroundError { database, text });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3600 * UtcTime::PER_SECOND;

    #[test]
    fn a_clock_that_was_far_ahead_is_followed_back_and_told_of_once() {
        let mut m = Moments::default();
        let noon = 1000 * DAY;
        assert_eq!(m.follow(UtcTime(noon)), (UtcTime(noon), None));
        let wrong = noon + 400 * DAY;
        assert_eq!(m.follow(UtcTime(wrong)), (UtcTime(wrong), None));
        let told = SetBack::Followed(Duration::from_secs(400 * 86_400));
        assert_eq!(m.follow(UtcTime(noon)), (UtcTime(noon), Some(told)));
        assert_eq!(m.follow(UtcTime(noon + 1)), (UtcTime(noon + 1), None));
    }

    #[test]
    fn a_clock_set_back_by_up_to_a_day_holds_the_newest_moment() {
        let mut m = Moments::default();
        let noon = 1000 * DAY;
        m.follow(UtcTime(noon));
        // A correction of seconds is nobody's concern.
        assert_eq!(m.follow(UtcTime(noon - TOLD)), (UtcTime(noon), None));
        let told = Some(SetBack::Held(Duration::from_secs(3600)));
        assert_eq!(m.follow(UtcTime(noon - HOUR)), (UtcTime(noon), told));
        assert_eq!(m.follow(UtcTime(noon - HOUR + 1)), (UtcTime(noon), None), "told once");
        assert_eq!(m.follow(UtcTime(noon - DAY)).0, UtcTime(noon), "a day is held");
        assert_eq!(m.hold(UtcTime(5)), UtcTime(noon), "a given moment goes back neither");
        // The clock is past it, and is set back once more.
        assert_eq!(m.follow(UtcTime(noon + 1)), (UtcTime(noon + 1), None));
        assert!(m.follow(UtcTime(noon - HOUR)).1.is_some());
    }
}

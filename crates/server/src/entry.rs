//! What may stand in an entry of the error log, and how often.

use crate::clock::Stamp;
use crate::errorlog::Level;
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::{Duration, SystemTime};

/// An entry is written so many times in a [`FOLD_TIME`], and then counted.
pub(crate) const FOLD_AFTER: u64 = 5;
/// How long repetitions are counted before their number is told.
const FOLD_TIME: Duration = Duration::from_secs(10);
/// Different entries that are watched for repetitions.
const FOLD_ENTRIES: usize = 256;

/// A character that controls a terminal, ends a line for some readers of the log, or turns the direction of what follows it.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// A text without such characters; lines stay.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let controls = |c: char| is_control(c) && c != '\n' && c != '\t';
    match text.contains(controls) {
        false => Cow::Borrowed(text),
        true => {
            let write = |out: &mut String, c: char| match controls(c) {
                true => out.extend(c.escape_unicode()),
                false => out.push(c),
            };
            Cow::Owned(text.chars().fold(String::new(), |mut out, c| {
                write(&mut out, c);
                out
            }))
        }
    }
}

/// A stranger's text, on one line and of a bounded length.
pub(crate) fn escaped(text: &str) -> String {
    const MOST: usize = 256;
    let mut out = String::new();
    for c in text.chars().take(MOST) {
        match is_control(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    out
}

/// Entries that have come lately: what they say, how often they have come since the first of them was written, and when the
/// last one did.
#[derive(Default)]
pub(crate) struct Fold {
    seen: HashMap<(String, String), Seen>,
}

struct Seen {
    level: Level,
    since: SystemTime,
    last: SystemTime,
    times: u64,
}

impl Fold {
    /// Notes an entry; false when it is only counted.
    pub(crate) fn note(&mut self, at: SystemTime, level: Level, source: &str, text: &str) -> bool {
        let key = (source.to_owned(), text.to_owned());
        if let Some(seen) = self.seen.get_mut(&key) {
            seen.times += 1;
            seen.last = at;
            return seen.times <= FOLD_AFTER;
        }
        // Where everything is different there is nothing to fold.
        if self.seen.len() < FOLD_ENTRIES {
            self.seen.insert(key, Seen { level, since: at, last: at, times: 1 });
        }
        true
    }

    /// Entries to write: of what has been counted for long enough, at the end of everything.
    pub(crate) fn take(&mut self, now: SystemTime, ending: bool) -> Vec<(Level, String, String)> {
        let over = |seen: &Seen| {
            let age = now.duration_since(seen.since);
            // A clock that was set back must not keep it for ever.
            ending || age.is_err() || age.is_ok_and(|age| age >= FOLD_TIME)
        };
        let over = self.seen.extract_if(|_, seen| over(seen));
        let mut counted: Vec<_> = over.filter(|(_, s)| s.times > FOLD_AFTER).collect();
        counted.sort_by_key(|(_, seen)| seen.since);
        let told = counted.into_iter().map(|((source, text), seen)| {
            let (since, last) = (Stamp::local(seen.since), Stamp::local(seen.last));
            let more = seen.times - FOLD_AFTER;
            let what = text.lines().last().unwrap_or_default();
            let text = format!(
                "The following message came {more} more time(s) between {} and {}: {what}",
                since.errorlog(),
                last.errorlog()
            );
            (seen.level, source, text)
        });
        told.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_send_stays_on_its_line() {
        assert_eq!(escaped("x\n2026-01-01\u{9b}"), "x\\u{a}2026-01-01\\u{9b}");
        assert_eq!(escaped(&"x".repeat(1000)).len(), 256);
        assert_eq!(printable("a\tb\nc"), "a\tb\nc");
        assert_eq!(printable("a\u{1b}\r\nc"), "a\\u{1b}\\u{d}\nc");
        assert_eq!(printable("a\u{202E}b\u{2028}c\u{2066}"), "a\\u{202e}b\\u{2028}c\\u{2066}");
        assert_eq!(escaped("\u{2029}\u{200F}é日\u{200B}"), "\\u{2029}\\u{200f}é日\u{200B}");
    }

    #[test]
    fn repetitions_have_an_end() {
        let (mut fold, start) = (Fold::default(), SystemTime::UNIX_EPOCH);
        let at = |seconds| start + Duration::from_secs(seconds);
        let note = |fold: &mut Fold, s, text| fold.note(at(s), Level::Info, "x", text);
        assert!((0..FOLD_AFTER).all(|_| note(&mut fold, 0, "a")));
        assert!(!note(&mut fold, 1, "a") && note(&mut fold, 1, "b"));
        assert!(fold.take(at(9), false).is_empty());
        let told = fold.take(at(10), false);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].2.contains("came 1 more time(s) between 1970-01-01 00:00:00.00 and "));
        assert!(note(&mut fold, 11, "a"), "it begins anew");
        // The clock is set back.
        fold.take(at(5), false);
        assert_eq!(fold.seen.len(), 1, "only the other one is left");
    }
}

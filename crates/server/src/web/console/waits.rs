//! Waits as the pages show them: those that have ended, and how long those have lasted that go on.
//!
//! A session that has been blocked for minutes so counts while it is blocked, and not in the second in which that ends.

use serde_json::{Value as Json, json};
use taffrail_observe::{WaitClass, WaitRow, WaitStats};

/// Totals of all wait types. From one sample to the next none goes back, unless somebody has cleared the server's.
#[derive(Default)]
pub(super) struct Waits {
    rows: Vec<WaitRow>,
}

impl Waits {
    /// Takes a sample.
    pub(super) fn take(&mut self) {
        let mut rows = WaitStats::snapshot_with_progress();
        for (now, before) in rows.iter_mut().zip(&self.rows) {
            go_on(now, before);
        }
        self.rows = rows;
    }

    /// Type, waits begun, ms waited, ms of it to run again, ms of the longest that has ended; of types that have occurred.
    pub(super) fn types(&self) -> Json {
        let some = self.rows.iter().filter(|w| w.waiting_tasks_count > 0);
        let row = |w: &WaitRow| {
            json!([
                w.wait_type.name(),
                w.waiting_tasks_count,
                waited_ns(w) / 1_000_000,
                w.signal_wait_time_ms(),
                w.max_wait_time_ms()
            ])
        };
        some.map(row).collect()
    }

    /// ms waited of each class, in the order of [`WaitClass::ALL`].
    pub(super) fn classes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        WaitClass::ALL.iter().map(|(class, name)| {
            let of = |w: &&WaitRow| w.wait_type.class() == Some(*class);
            (*name, self.rows.iter().filter(of).map(waited_ns).sum::<u64>() / 1_000_000)
        })
    }

    #[cfg(test)]
    fn ms(&self, of: taffrail_observe::WaitType) -> u64 {
        waited_ns(&self.rows[of as usize]) / 1_000_000
    }
}

fn waited_ns(row: &WaitRow) -> u64 {
    row.wait_time_ns + row.in_progress_ns
}

/// A wait that has just ended may be in neither of the two for a moment: the total stays where it was. Where waits that have ended became
/// fewer somebody has cleared the totals, and they begin anew.
fn go_on(now: &mut WaitRow, before: &WaitRow) {
    let cleared = now.wait_time_ns < before.wait_time_ns;
    let (is, was) = (waited_ns(now), waited_ns(before));
    if !cleared && is < was {
        now.in_progress_ns += was - is;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use taffrail_observe::WaitType;

    #[test]
    fn a_wait_counts_while_it_goes_on_and_once() {
        let kind = WaitType::LckMRInX;
        let mut waits = Waits::default();
        waits.take();
        let before = waits.ms(kind);
        let (tell, told) = std::sync::mpsc::channel::<()>();
        let blocked = std::thread::spawn(move || {
            let waiting = taffrail_observe::wait(kind);
            let _ = told.recv();
            drop(waiting);
        });
        std::thread::sleep(Duration::from_millis(120));
        waits.take();
        let during = waits.ms(kind) - before;
        assert!(during >= 50, "{during} ms");
        let of_class = waits.classes().find(|(name, _)| *name == "Lock waits").unwrap().1;
        assert!(of_class >= during, "{of_class} ms of all locks");
        assert!(waits.types().to_string().contains(kind.name()));
        tell.send(()).unwrap();
        blocked.join().unwrap();
        waits.take();
        let after = waits.ms(kind) - before;
        assert!(during <= after && after < during + 5000, "{during}, then {after} ms");
    }

    #[test]
    fn a_total_goes_back_only_when_it_is_cleared() {
        let row = |wait_time_ns, in_progress_ns| WaitRow {
            wait_time_ns,
            in_progress_ns,
            ..WaitStats::global().row(WaitType::LckMRInS)
        };
        let gone = |mut now: WaitRow, before: WaitRow| {
            go_on(&mut now, &before);
            waited_ns(&now)
        };
        assert_eq!(gone(row(5, 2), row(5, 1)), 7);
        assert_eq!(gone(row(5, 0), row(5, 9)), 14, "it has ended, and is not counted yet");
        assert_eq!(gone(row(0, 3), row(5, 9)), 3, "cleared");
    }
}

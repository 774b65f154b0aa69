//! How fast a backup goes: as fast as it can while it is alone, at two fifths of that while others write.
//!
//! ```text
//! full speed    pieces of 1 MiB, the next one read while up to four are being written
//! giving way    pieces of 128 KiB, read and written one after the other, rests between them; the log's small durable writes, which commits
//!               wait for, find nothing big in front of them
//! ```
//! What full speed is, is measured: the time of stretches of 8 MiB, the best one counts. Those with rests count too, without them: should
//! the device have been at its slowest while a backup began, it does not crawl to its end. It never gives way to less than [`FLOOR`]
//! either: a backup keeps the log from being truncated. The first 24 MiB of a backup go at full
//! speed in any case, since without them nothing is known; the first stretch only fills the queues and does not count. So a short
//! backup, as of the log every minute, is through before it would rest.
//!
//! Others write if the log has moved since the last piece; they have stopped when it has not for [`QUIET`]. While
//! they write, each piece has a
//! date: that of the one before and what its bytes may take. Who comes early rests; who comes late, since the device
//! is busy, does not rest,
//! and may make up for [`LAG`] of it. Rests in proportion to the time that pieces take would grow with the very
//! contention that stretches them.

use std::path::Path;
use std::time::Duration;

use taffrail_base::{LogPos, PageId};

use super::error::{BackupError, BackupResult};
use super::media::CONTENT_MAX;
use super::spec::Watch;
use crate::database::Database;

/// Content of a piece while others write.
const SMALL: usize = 128 << 10;
/// The bytes over which speed is measured once.
const STRETCH: u64 = 8 << 20;
/// Stretches that were measured before one can say what full speed is.
const MEASURED: u32 = 2;
/// Of full speed, while others write: numerator and denominator.
const SHARE: (u32, u32) = (2, 5);
/// It does not give way below so many bytes a second.
const FLOOR: u64 = 32 << 20;
/// Nobody writes if nothing was logged for so long.
const QUIET: Duration = Duration::from_millis(20);
/// Lateness that is made up for.
const LAG: Duration = Duration::from_millis(10);
/// Shorter rests are put off: the sleep itself costs.
const WORTH: Duration = Duration::from_micros(300);

/// When to rest, from what the clock says after each piece.
///
/// 1. `giving_way` only if `measured >= MEASURED`.
/// 2. The time of a stretch has no rest in it.
#[derive(Debug, Default)]
struct Rule {
    giving_way: bool,
    /// Time of a MiB at full speed, of the best stretch.
    best: Duration,
    measured: u32,
    /// Time and bytes of the stretch so far.
    stretch: (Duration, u64),
    /// When the piece began.
    began: Duration,
    /// The stretch fills the queues, and does not count.
    filling: bool,
    /// When others were last seen to write.
    wrote: Option<Duration>,
    /// When the next piece may begin.
    due: Duration,
}

impl Rule {
    fn new(now: Duration) -> Rule {
        Rule { began: now, filling: true, ..Rule::default() }
    }

    /// A piece is done, and others have written or not since the one before. Returns the rest before the next.
    fn step(&mut self, now: Duration, bytes: u64, others: bool) -> Duration {
        if others {
            self.wrote = Some(now);
        }
        self.measure(now, bytes);
        let mut rest = Duration::ZERO;
        if self.giving_way {
            self.due = self.due.max(now.saturating_sub(LAG)) + self.allowed(bytes);
            rest = Some(self.due.saturating_sub(now)).filter(|&r| r >= WORTH).unwrap_or_default();
        }
        let busy = self.wrote.is_some_and(|w| now.saturating_sub(w) <= QUIET);
        let giving_way = busy && self.measured >= MEASURED;
        if giving_way != self.giving_way {
            self.giving_way = giving_way;
            self.due = now;
            self.stretch = (Duration::ZERO, 0);
            self.filling = true;
        }
        assert!(!self.giving_way || self.measured >= MEASURED, "1: full speed is known");
        rest
    }

    /// The rest is over, the next piece begins.
    fn resume(&mut self, now: Duration) {
        self.began = now;
    }

    fn measure(&mut self, now: Duration, bytes: u64) {
        self.stretch.0 += now.saturating_sub(self.began);
        self.stretch.1 += bytes;
        self.began = now;
        let (took, size) = self.stretch;
        if size < STRETCH {
            return;
        }
        if !self.filling {
            let each = took.mul_f64((1 << 20) as f64 / size as f64);
            self.best = if self.measured == 0 { each } else { self.best.min(each) };
            self.measured = self.measured.saturating_add(1);
        }
        self.filling = false;
        self.stretch = (Duration::ZERO, 0);
    }

    /// The time that so many bytes may take while others write.
    fn allowed(&self, bytes: u64) -> Duration {
        let full = self.best.mul_f64(bytes as f64 / (1 << 20) as f64);
        (full * SHARE.1 / SHARE.0).min(Duration::from_secs_f64(bytes as f64 / FLOOR as f64))
    }
}

/// The pace of one backup, which gives way to other work.
pub(super) struct Pace<'w> {
    db: &'w Database,
    watch: &'w mut dyn Watch,
    rule: Rule,
    log: LogPos,
    /// Bytes of pages and log that are in the set, and how many there will be, as far as is known.
    done: u64,
    total: u64,
}

impl<'w> Pace<'w> {
    pub fn new(db: &'w Database, watch: &'w mut dyn Watch) -> Pace<'w> {
        let rule = Rule::new(db.instance.env.clock.monotonic());
        Pace { db, watch, rule, log: db.log().appended(), done: 0, total: 0 }
    }

    /// Others write: one piece after the other, and small ones.
    pub fn gives_way(&self) -> bool {
        self.rule.giving_way
    }

    /// Content of the next piece at most.
    pub fn piece_max(&self) -> usize {
        if self.rule.giving_way { SMALL } else { CONTENT_MAX }
    }

    /// So many bytes are still to be copied, as far as is known.
    pub fn expect(&mut self, bytes: u64) {
        self.total = self.done + bytes;
    }

    /// Goes on with what an earlier pace of the same backup has copied.
    pub fn go_on(&mut self, done: u64) {
        self.done = done;
        self.total = self.total.max(done);
    }

    /// All pages are copied.
    pub fn pages_done(&mut self) {
        self.watch.pages_done();
    }

    /// A page is damaged.
    pub fn damaged(&mut self, page: PageId, file: &Path) {
        self.watch.damaged(page, file);
    }

    /// A piece of so many bytes is done.
    pub fn step(&mut self, bytes: u64) -> BackupResult<()> {
        self.done += bytes;
        self.total = self.total.max(self.done);
        self.watch.progress(self.done, self.total);
        if self.watch.cancelled() {
            return Err(BackupError::Cancelled);
        }
        let log = self.db.log().appended();
        let others = std::mem::replace(&mut self.log, log) != log;
        let now = self.db.instance.env.clock.monotonic();
        let rest = self.rule.step(now, bytes, others);
        if !rest.is_zero() {
            self.watch.pause(rest);
            self.rule.resume(self.db.instance.env.clock.monotonic());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use taffrail_io::Clock;
    use taffrail_io::sim::SimWorld;

    use super::*;

    const MIB: u64 = 1 << 20;

    /// A backup on a simulated clock.
    struct Run {
        world: SimWorld,
        rule: Rule,
        rested: Duration,
    }

    impl Run {
        fn new() -> Run {
            let world = SimWorld::new(1);
            let rule = Rule::new(world.clock().monotonic());
            Run { world, rule, rested: Duration::ZERO }
        }

        /// Copies so many MiB on a device that takes so many microseconds for one. Returns the time that it took.
        fn copy(&mut self, mib: u64, micros: u64, others: bool) -> Duration {
            let clock = self.world.clock();
            let began = clock.monotonic();
            let mut left = mib * MIB;
            while left > 0 {
                let piece = if self.rule.giving_way { SMALL as u64 } else { MIB }.min(left);
                left -= piece;
                clock.advance(Duration::from_nanos(micros * 1000 * piece / MIB));
                let rest = self.rule.step(clock.monotonic(), piece, others);
                clock.advance(rest);
                self.rule.resume(clock.monotonic());
                self.rested += rest;
            }
            clock.monotonic() - began
        }
    }

    /// Of the speed of a device that takes 1 ms for a MiB.
    fn share(mib: u64, took: Duration) -> f64 {
        mib as f64 / (took.as_secs_f64() * 1e3)
    }

    #[test]
    fn alone_it_never_rests() {
        let mut run = Run::new();
        let took = run.copy(2000, 1000, false);
        assert!(run.rested.is_zero() && !run.rule.giving_way && share(2000, took) > 0.999);
    }

    #[test]
    fn while_others_write_it_keeps_two_fifths() {
        let mut run = Run::new();
        // So much goes at full speed, until it is known.
        let head = run.copy(24, 1000, true);
        assert!(run.rule.giving_way && share(24, head) > 0.99, "{:?}", run.rule);
        let took = run.copy(1000, 1000, true);
        assert!((0.395..0.405).contains(&share(1000, took)), "{took:?}");
        // Twice as slow a device, since it is busy: shorter rests, the same speed.
        let took = run.copy(1000, 2000, true);
        assert!((0.395..0.405).contains(&share(1000, took)), "{took:?}");
        // Slower than the share: no rests, and what was lost is not caught up on.
        let before = run.rested;
        run.copy(1000, 4000, true);
        assert!(run.rested - before < LAG, "{:?}", run.rested - before);
        let took = run.copy(1000, 1000, true);
        assert!((0.395..0.41).contains(&share(1000, took)), "{took:?}");
    }

    #[test]
    fn when_they_stop_it_goes_on_at_full_speed() {
        let mut run = Run::new();
        run.copy(100, 1000, true);
        assert!(run.rule.giving_way);
        run.copy(20, 1000, false);
        assert!(!run.rule.giving_way);
        let took = run.copy(500, 1000, false);
        assert!(share(500, took) > 0.999);
        // Known already: it gives way at once.
        run.copy(1, 1000, true);
        assert!(run.rule.giving_way);
    }

    #[test]
    fn the_best_stretch_counts_and_the_first_does_not() {
        let mut run = Run::new();
        run.copy(8, 100, true);
        run.copy(8, 3000, true);
        run.copy(8, 1000, true);
        assert!(run.rule.giving_way);
        assert_eq!(run.rule.best, Duration::from_millis(1));
        let took = run.copy(400, 1000, true);
        assert!((0.395..0.405).contains(&share(400, took)), "{took:?}");
    }

    #[test]
    fn a_slow_beginning_is_not_what_counts_to_the_end() {
        let mut run = Run::new();
        // 40 MiB/s while somebody else had the device to himself; then 1000.
        run.copy(24, 25_000, true);
        assert!(run.rule.giving_way && run.rule.best == Duration::from_millis(25));
        // Not below the floor meanwhile.
        let took = run.copy(16, 1000, true);
        assert!(took <= Duration::from_secs_f64(16.0 / 32.0), "{took:?}");
        assert_eq!(run.rule.best, Duration::from_millis(1));
        let took = run.copy(400, 1000, true);
        assert!((0.395..0.405).contains(&share(400, took)), "{took:?}");
    }

    #[test]
    fn a_slow_device_gives_way_no_more_than_to_the_floor() {
        let mut run = Run::new();
        // 50 MiB/s: two fifths are 20.
        run.copy(32, 20_000, true);
        assert!(run.rule.giving_way);
        let took = run.copy(320, 20_000, true).as_secs_f64();
        assert!((9.9..10.1).contains(&took), "{took}");
    }

    #[test]
    fn a_short_backup_does_not_rest() {
        let mut run = Run::new();
        run.copy(20, 1000, true);
        assert!(run.rested.is_zero());
    }

    #[test]
    fn a_clock_that_stands_still_means_no_rests() {
        let mut run = Run::new();
        run.copy(200, 0, true);
        assert!(run.rested.is_zero());
    }
}

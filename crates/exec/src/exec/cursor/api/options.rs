//! Options of API cursors: asked for, acceptable, made.

use super::number;
use crate::exec::called::Passed;
use taffrail_base::{SqlError, SqlResult};

pub(super) const KEYSET: i32 = 1;
pub(super) const FORWARD_ONLY: i32 = 4;
pub(super) const STATIC: i32 = 8;
pub(super) const FAST_FORWARD: i32 = 0x10;
/// The bits of a type, which exclude each other.
const TYPES: i32 = 0x1F;
const PARAMETERIZED: i32 = 0x1000;
const AUTO_FETCH: i32 = 0x2000;
const AUTO_CLOSE: i32 = 0x4000;
/// The bit of CHECK_ACCEPTED_TYPES, and that of CHECK_ACCEPTED_OPTS.
const CHECK_ACCEPTED: i32 = 0x8000;
/// The first bit of the types, and of the concurrency options, that are acceptable.
const ACCEPTABLE: u32 = 16;

pub(super) const READ_ONLY: i32 = 1;
/// The bits of a concurrency option.
const CONCURRENCY: i32 = 0xF;
const ALLOW_DIRECT: i32 = 0x2000;

/// Rows that a fetch gives where the call does not say.
pub(super) const ROWS: i64 = 20;

/// The options that a call asks for.
#[derive(Clone, Copy)]
pub(super) struct AskedOptions {
    /// `scrollopt`, 0 where it was not given.
    pub scroll: i32,
    /// `ccopt`, 0 where it was not given.
    pub concurrency: i32,
    /// Rows of the fetch buffer with AUTO_FETCH.
    pub rows: i64,
}

/// The options of a cursor as it is made.
pub(super) struct MadeOptions {
    pub scroll: i32,
    pub concurrency: i32,
    /// 16956 is told: the call has said which types it accepts, and its own was not made.
    pub told: bool,
}

impl AskedOptions {
    /// Reads the options that stand at these places: 16902 for two types, or two kinds of concurrency, at once.
    pub(super) fn read(
        passed: &[Passed],
        (scroll, concurrency, rows): (usize, usize, usize),
        procedure: &'static str,
    ) -> SqlResult<AskedOptions> {
        let invalid = |name| super::invalid(procedure, name);
        let option = |at, name| -> SqlResult<i32> {
            let given = number(passed, at, procedure, name)?.unwrap_or(0);
            i32::try_from(given).map_err(|_| invalid(name))
        };
        let (scroll, concurrency) = (option(scroll, "scrollopt")?, option(concurrency, "ccopt")?);
        if (scroll & TYPES).count_ones() > 1 {
            return Err(invalid("scrollopt"));
        }
        if (concurrency & CONCURRENCY).count_ones() > 1 {
            return Err(invalid("ccopt"));
        }
        let rows = number(passed, rows, procedure, "rowcount")?.filter(|n| *n > 0).unwrap_or(ROWS);
        Ok(AskedOptions { scroll, concurrency, rows })
    }

    /// The definition of parameters stands before their values.
    pub(super) fn is_parameterized(&self) -> bool {
        self.scroll & PARAMETERIZED != 0
    }

    /// A text that no cursor can be made of runs as it is.
    pub(super) fn allows_direct(&self) -> bool {
        self.concurrency & ALLOW_DIRECT != 0
    }

    /// Rows that the opening sends.
    pub(super) fn sent(&self) -> Option<i64> {
        let fast = self.scroll & FAST_FORWARD != 0;
        (fast && self.scroll & AUTO_FETCH != 0).then_some(self.rows)
    }

    /// The end of the rows closes the cursor.
    pub(super) fn closes_itself(&self) -> bool {
        self.scroll & FAST_FORWARD != 0 && self.scroll & AUTO_CLOSE != 0
    }

    fn kind(&self) -> i32 {
        match self.scroll & TYPES {
            0 => KEYSET,
            kind => kind,
        }
    }

    /// Whether a copy of the rows is asked for.
    pub(super) fn wants_copy(&self) -> bool {
        !matches!(self.kind(), FORWARD_ONLY | FAST_FORWARD)
    }

    /// The options of the cursor that is made, whose concurrency is READ_ONLY whatever was asked for: 16955 where they are not acceptable.
    pub(super) fn made(&self) -> SqlResult<MadeOptions> {
        let (kind, concurrency) = (self.kind(), self.concurrency & CONCURRENCY);
        let scroll = if self.wants_copy() { STATIC } else { kind };
        let unacceptable = || SqlError::new(16955, &[]);
        let accepts =
            |of: i32, made: i32| of & CHECK_ACCEPTED == 0 || of & (made << ACCEPTABLE) != 0;
        if scroll != kind && !accepts(self.scroll, scroll) {
            return Err(unacceptable());
        }
        if concurrency != READ_ONLY && !accepts(self.concurrency, READ_ONLY) {
            return Err(unacceptable());
        }
        let told = scroll != kind && self.scroll & CHECK_ACCEPTED != 0;
        Ok(MadeOptions { scroll, concurrency: READ_ONLY, told })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(scroll: i32, concurrency: i32) -> AskedOptions {
        AskedOptions { scroll, concurrency, rows: ROWS }
    }

    fn made(scroll: i32, concurrency: i32) -> Result<(i32, i32, bool), i32> {
        let made = asked(scroll, concurrency).made();
        made.map(|m| (m.scroll, m.concurrency, m.told)).map_err(|e| e.number)
    }

    #[test]
    fn options_come_back_as_they_are_made() {
        assert_eq!(made(0, 0), Ok((STATIC, READ_ONLY, false)), "by default a keyset");
        assert_eq!(made(2 | PARAMETERIZED, 8 | ALLOW_DIRECT), Ok((STATIC, READ_ONLY, false)));
        assert_eq!(made(FORWARD_ONLY, 4), Ok((FORWARD_ONLY, READ_ONLY, false)));
        assert_eq!(made(FAST_FORWARD | AUTO_FETCH, 1), Ok((FAST_FORWARD, READ_ONLY, false)));
        assert_eq!(made(STATIC, 4), Ok((STATIC, READ_ONLY, false)));
    }

    #[test]
    fn what_is_acceptable_is_asked() {
        let types = |acceptable: i32| KEYSET | CHECK_ACCEPTED | acceptable << ACCEPTABLE;
        assert_eq!(made(types(STATIC), 1), Ok((STATIC, READ_ONLY, true)));
        assert_eq!(made(types(2), 1), Err(16955));
        assert_eq!(made(STATIC | CHECK_ACCEPTED | 0x10000, 1), Ok((STATIC, READ_ONLY, false)));
        let read_only = CHECK_ACCEPTED | READ_ONLY << ACCEPTABLE;
        assert_eq!(made(0, 4 | read_only), Ok((STATIC, READ_ONLY, false)));
        assert_eq!(made(0, 4 | CHECK_ACCEPTED | 4 << ACCEPTABLE), Err(16955));
    }
}

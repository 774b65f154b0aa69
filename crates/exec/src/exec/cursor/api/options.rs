//! Options of API cursors: asked for, acceptable, made.

use super::super::model::{CursorConcurrency, CursorModel, Made};
use super::number;
use crate::exec::called::Passed;
use taffrail_base::{SqlError, SqlResult};

pub(super) const KEYSET: i32 = 1;
pub(super) const DYNAMIC: i32 = 2;
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
pub(super) const SCROLL_LOCKS: i32 = 2;
/// OPTIMISTIC by row versions.
pub(super) const BY_VERSION: i32 = 4;
/// OPTIMISTIC, by the row's values.
pub(super) const BY_VALUES: i32 = 8;
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

    /// The cursor that is asked for: its model, whether it scrolls, and how changes through it get along with others.
    pub(super) fn wanted(&self) -> (CursorModel, bool, CursorConcurrency) {
        let (model, scroll) = match self.kind() {
            KEYSET => (CursorModel::Keyset, true),
            DYNAMIC => (CursorModel::Dynamic, true),
            STATIC => (CursorModel::Static, true),
            FORWARD_ONLY => (CursorModel::Dynamic, false),
            _ => (CursorModel::FastForward, false),
        };
        let concurrency = match self.concurrency & CONCURRENCY {
            READ_ONLY => CursorConcurrency::ReadOnly,
            SCROLL_LOCKS => CursorConcurrency::ScrollLocks,
            _ => CursorConcurrency::Optimistic,
        };
        (model, scroll, concurrency)
    }

    /// 16966 where changes are asked for through a cursor that has none.
    pub(super) fn check(&self, procedure: &'static str) -> SqlResult<()> {
        let word = match self.concurrency & CONCURRENCY {
            SCROLL_LOCKS => "SCROLL_LOCKS",
            BY_VERSION => "OPTIMISTIC",
            BY_VALUES => "OPTIMISTIC_BY_VALUE",
            _ => return Ok(()),
        };
        let fixed = matches!(self.kind(), STATIC | FAST_FORWARD);
        if !fixed || self.concurrency & CHECK_ACCEPTED != 0 {
            return Ok(());
        }
        Err(SqlError::new(16966, &[&procedure, &(self.concurrency & CONCURRENCY), &word]))
    }

    /// The options of the cursor that is made: 16955 where they are not acceptable.
    pub(super) fn made(&self, made: &Made) -> SqlResult<MadeOptions> {
        let (kind, asked) = (self.kind(), self.concurrency & CONCURRENCY);
        let scroll = match made.model {
            _ if !made.scroll => kind,
            CursorModel::Static => STATIC,
            CursorModel::Keyset => KEYSET,
            CursorModel::Dynamic => DYNAMIC,
            CursorModel::FastForward => FAST_FORWARD,
        };
        let concurrency = match made.concurrency {
            CursorConcurrency::ReadOnly => READ_ONLY,
            CursorConcurrency::ScrollLocks => SCROLL_LOCKS,
            CursorConcurrency::Optimistic if asked == BY_VERSION => BY_VERSION,
            CursorConcurrency::Optimistic => BY_VALUES,
        };
        let unacceptable = || SqlError::new(16955, &[]);
        let accepts =
            |of: i32, made: i32| of & CHECK_ACCEPTED == 0 || of & (made << ACCEPTABLE) != 0;
        if scroll != kind && !accepts(self.scroll, scroll) {
            return Err(unacceptable());
        }
        if asked != 0 && concurrency != asked && !accepts(self.concurrency, concurrency) {
            return Err(unacceptable());
        }
        let told = scroll != kind && self.scroll & CHECK_ACCEPTED != 0;
        Ok(MadeOptions { scroll, concurrency, told })
    }

    /// The options of a cursor whose query has not been looked at.
    pub(super) fn prepared(&self) -> SqlResult<MadeOptions> {
        let (model, scroll, concurrency) = self.wanted();
        self.made(&Made::plain(model, scroll, concurrency))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(scroll: i32, concurrency: i32) -> AskedOptions {
        AskedOptions { scroll, concurrency, rows: ROWS }
    }

    /// The answer where the cursor becomes another one, if it does.
    fn made(
        scroll: i32,
        concurrency: i32,
        becomes: Option<CursorModel>,
    ) -> Result<(i32, i32, bool), i32> {
        let asked = asked(scroll, concurrency);
        let (model, scrolls, locks) = asked.wanted();
        let model = becomes.unwrap_or(model);
        let made = asked.made(&Made::plain(model, scrolls, locks));
        made.map(|m| (m.scroll, m.concurrency, m.told)).map_err(|e| e.number)
    }

    #[test]
    fn options_come_back_as_they_are_made() {
        assert_eq!(made(0, 0, None), Ok((KEYSET, BY_VALUES, false)), "by default");
        assert_eq!(made(DYNAMIC | PARAMETERIZED, 4 | ALLOW_DIRECT, None), Ok((DYNAMIC, 4, false)));
        assert_eq!(made(FORWARD_ONLY, 2, None), Ok((FORWARD_ONLY, SCROLL_LOCKS, false)));
        assert_eq!(made(FAST_FORWARD | AUTO_FETCH, 1, None), Ok((FAST_FORWARD, READ_ONLY, false)));
        let copied = Some(CursorModel::Static);
        assert_eq!(made(KEYSET, 8, copied), Ok((STATIC, READ_ONLY, false)));
        assert_eq!(made(FORWARD_ONLY, 8, copied), Ok((FORWARD_ONLY, READ_ONLY, false)));
    }

    #[test]
    fn what_is_acceptable_is_asked() {
        let copied = Some(CursorModel::Static);
        let types = |acceptable: i32| KEYSET | CHECK_ACCEPTED | acceptable << ACCEPTABLE;
        assert_eq!(made(types(STATIC), 1, copied), Ok((STATIC, READ_ONLY, true)));
        assert_eq!(made(types(2), 1, copied), Err(16955));
        assert_eq!(
            made(STATIC | CHECK_ACCEPTED | 0x10000, 1, None),
            Ok((STATIC, READ_ONLY, false))
        );
        let read_only = CHECK_ACCEPTED | READ_ONLY << ACCEPTABLE;
        assert_eq!(made(0, 4 | read_only, copied), Ok((STATIC, READ_ONLY, false)));
        assert_eq!(made(0, 4 | CHECK_ACCEPTED | 4 << ACCEPTABLE, copied), Err(16955));
    }

    #[test]
    fn copies_are_not_changed_through() {
        let refused = |scroll, concurrency| {
            asked(scroll, concurrency).check("sp_cursoropen").map_err(|e| e.number)
        };
        assert_eq!(refused(STATIC, 1), Ok(()));
        assert_eq!(refused(STATIC, 0), Ok(()));
        assert_eq!(refused(STATIC, 4), Err(16966));
        assert_eq!(refused(FAST_FORWARD, 2), Err(16966));
        assert_eq!(refused(KEYSET, 4), Ok(()));
    }
}

//! For tests: where a piece of work ends, as if there were no room for what it wants, or as if the log could not be written.

use std::cell::Cell;

use taffrail_base::SqlError;

use crate::error::{StorageError, StorageResult};

/// As `then`: it has come, and the log is full.
const STRUCK: u32 = u32::MAX;

thread_local! {
    static AT: Cell<u32> = const { Cell::new(0) };
    static PLAN: Cell<Plan> = const { Cell::new(Plan { first: 0, ends: false, then: 0, full: false }) };
}

/// The failures planned on this thread.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Plan {
    /// The n-th record, or page taken, counted from 1, once; 0: none. What undoes does not count.
    pub first: u32,
    /// End records of system transactions count as well.
    pub ends: bool,
    /// After `first`, the n-th record or page, of whatever undoes too, and its end; 0: none.
    pub then: u32,
    /// `then` and everything after it finds the log full; else it fails once, for another reason.
    pub full: bool,
}

/// The things that may fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Record,
    /// A compensation, or another record of what undoes.
    Undo,
    /// The end of a system transaction, or of one that is rolled back.
    End,
    Page,
}

/// The n-th change of a page by this thread from now on fails; 0: none.
pub(crate) fn at(n: u32) {
    AT.set(n);
}

/// The n-th record of this thread, or page that it takes, fails; 0: none. What undoes does not.
pub(crate) fn anywhere(n: u32) {
    plan(Plan { first: n, ..Plan::default() });
}

pub(crate) fn plan(plan: Plan) {
    PLAN.set(plan);
}

/// `first` has not come yet.
pub(crate) fn is_to_come() -> bool {
    PLAN.get().first > 0
}

/// `then` has not come yet.
pub(crate) fn then_is_to_come() -> bool {
    !matches!(PLAN.get().then, 0 | STRUCK)
}

pub(super) fn strike() -> StorageResult<()> {
    let n = AT.get();
    AT.set(n.saturating_sub(1));
    if n == 1 { Err(cut_off()) } else { Ok(()) }
}

pub(crate) fn strike_anywhere(place: Place) -> StorageResult<()> {
    let mut plan = PLAN.get();
    if plan.first > 0 {
        let counts = match place {
            Place::Record | Place::Page => true,
            Place::Undo => false,
            Place::End => plan.ends,
        };
        plan.first -= u32::from(counts);
        PLAN.set(plan);
        return if counts && plan.first == 0 { Err(cut_off()) } else { Ok(()) };
    }
    match plan.then {
        0 => Ok(()),
        1 | STRUCK if plan.full => {
            PLAN.set(Plan { then: STRUCK, ..plan });
            let full = SqlError::new(9002, &[&"t", &"NOTHING", &"(0:0:0)"]);
            Err(StorageError::LogFull(full))
        }
        n => {
            PLAN.set(Plan { then: n - 1, ..plan });
            if n == 1 { Err(cut_off()) } else { Ok(()) }
        }
    }
}

fn cut_off() -> StorageError {
    StorageError::Misuse("cut off by a test")
}

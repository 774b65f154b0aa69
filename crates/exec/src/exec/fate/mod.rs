//! What an error ends, and what becomes of the transaction: [`fate`] decides it for every statement, by one table.
//!
//! | [`Ends`] | the error ends | transaction |
//! |---|---|---|
//! | `Statement` | the statement, whose changes are undone; the next one of the module runs | kept |
//! | `Insert` | the INSERT … EXEC or EXEC … WITH RESULT SETS around what runs | kept |
//! | `Module` | the procedure or dynamic text (at the outermost level the batch); its caller goes on | kept |
//! | `Batch` | the batch, through all levels | rolled back (of THROW: kept) |
//! | `Connection` | the connection (severity 20 and more) | rolled back |
//!
//! Where a TRY catches the error, a transaction that would have been rolled back is doomed instead.
//!
//! | raised by | ends |
//! |---|---|
//! | a statement while it ran | [`Row::runs`]; a statement of the catalogue: [`Row::of_catalogue`] |
//! | names and types, bound when the statement was to run | [`Row::bound`]; a TRY of the same module does not see it |
//! | RAISERROR | the statement, under XACT_ABORT too |
//! | THROW, a trigger | the batch |
//!
//! Under XACT_ABORT what would end the statement ends the batch and rolls back, but for [`Row::promoted`]. With ANSI_WARNINGS OFF
//! and ARITHABORT ON errors of arithmetic do.

mod rows;
#[cfg(test)]
mod tests;

use super::insert_exec::ends_insert;
use rows::{Row, row_of};
use taffrail_base::{Origin, SqlError};

/// How far an error reaches: see above.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(super) enum Ends {
    Statement,
    Insert,
    Module,
    Batch,
    Connection,
}

/// Who catches an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Caught {
    Nowhere,
    /// The innermost TRY.
    Here,
    /// The innermost TRY of a calling module.
    ByCaller,
}

/// The kinds of statements that errors tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Raised {
    /// By one that changes rows.
    Change,
    /// By one that changes the catalogue.
    Catalogue,
    /// By USE.
    Use,
    /// By any other.
    Other,
}

/// Where an error was raised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub by: Raised,
    /// SET XACT_ABORT ON.
    pub xact_abort: bool,
    /// SET ANSI_WARNINGS OFF with ARITHABORT ON.
    pub arithmetic_aborts: bool,
    /// TRY blocks around the statement in all modules, and in its own.
    pub tries: u32,
    pub own_tries: u32,
    /// An INSERT … EXEC takes the rows.
    pub taking: bool,
}

/// What an error does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fate {
    pub ends: Ends,
    pub caught: Caught,
    /// The transaction is rolled back, or doomed where the error is caught.
    pub undoes: bool,
    /// The message that follows the error, if it is not caught: 3621, or 3606.
    pub followed_by: Option<i32>,
}

/// Decides what an error does.
pub(super) fn fate(e: &SqlError, at: Place) -> Fate {
    let row = row_of(e.number);
    let ends = ends(e, &row, at.by);
    // Informational messages are no errors, and RAISERROR does not ask.
    let aborts = at.xact_abort && e.severity > 10 && e.origin != Origin::RaisError && row.promoted;
    let thrown = e.origin == Origin::Throw;
    let ends_batch = ends == Ends::Batch && !thrown
        || at.arithmetic_aborts && matches!(e.number, 220 | 232 | 8115 | 8134);
    // What ends the module is no matter of its own TRY.
    let passes = ends == Ends::Module && at.own_tries > 0;
    let caught = match at.tries {
        tries if !(11..20).contains(&e.severity) || tries == 0 => Caught::Nowhere,
        _ if !passes => Caught::Here,
        tries if tries > at.own_tries => Caught::ByCaller,
        _ => Caught::Nowhere,
    };
    let (fatal, caught_at_all) = (e.severity >= 20, caught != Caught::Nowhere);
    let undoes = ends_batch || fatal || aborts && (caught_at_all || ends != Ends::Module);
    let ends = match ends {
        _ if fatal => Ends::Connection,
        _ if undoes || thrown => Ends::Batch,
        _ if at.taking && ends_insert(e) => Ends::Insert,
        ends => ends,
    };
    let told = matches!(e.origin, Origin::Change | Origin::Trigger)
        || e.number == 1505
        || row.told && at.by == Raised::Change && ends < Ends::Batch;
    Fate { ends, caught, undoes, followed_by: told.then(|| follower(e)) }
}

/// What an error ends where neither options nor a TRY say otherwise.
fn ends(e: &SqlError, row: &Row, by: Raised) -> Ends {
    match (e.origin, by) {
        (Origin::RaisError | Origin::Parameters, _) => Ends::Statement,
        (Origin::Throw | Origin::Trigger, _) => Ends::Batch,
        (Origin::ResultSets, _) => Ends::Insert,
        (Origin::Binding, _) => row.bound,
        (_, Raised::Catalogue) => row.of_catalogue,
        (_, Raised::Use) if e.number == 911 => Ends::Batch,
        _ => row.runs,
    }
}

/// An identity that is used up is an overflow, the rest ends the statement.
fn follower(e: &SqlError) -> i32 {
    if e.number == 8115 && e.message.contains("converting IDENTITY to") { 3606 } else { 3621 }
}

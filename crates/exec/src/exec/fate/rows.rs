//! The table of [`super::fate`]: one row a number, or a run of numbers, ascending. Numbers without a row end their
//! statement; of a statement of the catalogue the batch, but for 15000 to 15999.

use super::Ends;

/// What errors of these numbers end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub first: i32,
    pub last: i32,
    /// Raised while a statement runs.
    pub runs: Ends,
    /// Raised while a statement is bound, when it was to run.
    pub bound: Ends,
    /// Raised by a statement of the catalogue.
    pub of_catalogue: Ends,
    /// XACT_ABORT concerns it.
    pub promoted: bool,
    /// "The statement has been terminated." follows where rows were to be changed.
    pub told: bool,
}

const fn row(first: i32, last: i32, runs: Ends) -> Row {
    // What is found once names are bound ends the module; most errors of the catalogue's statements end the batch.
    let (bound, of_catalogue) = match runs {
        Ends::Statement => (Ends::Module, Ends::Batch),
        Ends::Module => (Ends::Module, Ends::Module),
        _ => (runs, runs),
    };
    Row { first, last, runs, bound, of_catalogue, promoted: true, told: false }
}

const fn statement(number: i32) -> Row {
    row(number, number, Ends::Statement)
}

const fn statements(first: i32, last: i32) -> Row {
    row(first, last, Ends::Statement)
}

const fn module(number: i32) -> Row {
    row(number, number, Ends::Module)
}

const fn batch(number: i32) -> Row {
    row(number, number, Ends::Batch)
}

const fn batches(first: i32, last: i32) -> Row {
    row(first, last, Ends::Batch)
}

impl Row {
    const fn bound(self, bound: Ends) -> Row {
        Row { bound, ..self }
    }

    const fn of_catalogue(self, of_catalogue: Ends) -> Row {
        Row { of_catalogue, ..self }
    }

    const fn unpromoted(self) -> Row {
        Row { promoted: false, ..self }
    }

    const fn told(self) -> Row {
        Row { told: true, ..self }
    }
}

/// The row of a number.
pub(super) fn row_of(number: i32) -> Row {
    let at = ROWS.partition_point(|r| r.last < number);
    match ROWS.get(at) {
        Some(r) if r.first <= number => *r,
        // Of principals, settings and the like.
        _ if (15_000..16_000).contains(&number) => statement(number).of_catalogue(Ends::Statement),
        _ => statement(number),
    }
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    statement(129).unpromoted(),
    statements(132, 136).unpromoted(),
    statement(141).unpromoted(),
    statement(153).unpromoted(),
    statement(180).unpromoted(),
    module(208), // a name that is not there
    batch(217), // modules nest too deep
    statement(220).told(),
    statement(226).of_catalogue(Ends::Statement), // not in a transaction
    statement(229).of_catalogue(Ends::Statement),
    statement(230).of_catalogue(Ends::Statement),
    statement(232).told(),
    statement(234).told(),
    batch(235), // text that is no money
    statement(237).told(),
    batch(241), // text that is no date
    statement(242).told(),
    batch(244), // too large an int1 or int2
    batch(245), // text that is no number
    batch(248), // too large an int
    statement(262).of_catalogue(Ends::Statement),
    statement(266).unpromoted(),
    batch(295), // text that is no smalldatetime
    statement(487).unpromoted(),
    statement(511).told(),
    statement(512).told(),
    statement(515).told(),
    statement(517).told(),
    statement(535).told(),
    statement(544).bound(Ends::Statement),
    statement(545).bound(Ends::Statement),
    statement(547).told(),
    batch(556), // INSERT … EXEC into a table that has changed
    statement(574).of_catalogue(Ends::Statement),
    batch(596), // KILL
    batch(701), // memory
    batch(926), // a suspect database
    statement(1034).unpromoted(),
    statement(1049).unpromoted(),
    statement(1101).told().of_catalogue(Ends::Statement),
    statement(1105).told().of_catalogue(Ends::Statement),
    batch(1204), // memory for locks
    batch(1205), // a deadlock's victim
    statement(1222).told().of_catalogue(Ends::Statement).bound(Ends::Statement), // a lock was not had in time
    statement(1752).of_catalogue(Ends::Statement),
    statement(1801).of_catalogue(Ends::Statement),
    statement(1946).told(),
    statement(2601).told(),
    statement(2627).told(),
    statement(2628).told(),
    statement(2787).unpromoted(),
    batch(3609), // the transaction has ended in a trigger
    batch(3616), // an error was caught in a trigger
    statement(3701).unpromoted().of_catalogue(Ends::Statement), // nothing to drop
    batch(3915), // ROLLBACK within an INSERT … EXEC
    batch(3916), // COMMIT within one
    statement(3930).of_catalogue(Ends::Statement),
    batch(3951), // row versions
    batch(3952),
    batch(3953),
    batch(3954),
    batch(3956),
    batch(3957),
    batch(3958),
    batch(3960),
    batch(3961),
    batch(3964),
    batch(3966),
    batch(5302), // mutators on NULL
    batch(6335), // XML that nests too deep
    batch(6354), // XML
    batch(6358),
    batch(6359),
    statement(8101).bound(Ends::Statement),
    batch(8114), // text that is no decimal
    statement(8115).told(),
    statement(8134).told(),
    batch(8137),
    statement(8152).told(),
    batch(8169), // text that is no uniqueidentifier
    statement(8170).told(),
    batch(8645), // memory for a query
    batch(8672), // MERGE meets a row twice
    batch(9001), // no log
    statement(9002).told().of_catalogue(Ends::Statement),
    batches(9400, 9480), // XML
    statement(10727).unpromoted(),
    statement(10733).unpromoted(),
    statement(11555).unpromoted(),
    statement(11709).unpromoted(),
    batch(13609), // JSON
    statement(15003).unpromoted().of_catalogue(Ends::Statement),
    batch(15096), // extended properties
    batch(15135),
    batch(15217),
    batch(15233),
    batch(15600),
    statement(33504).told(), // a security policy blocks the row
    statement(40510).of_catalogue(Ends::Statement).bound(Ends::Statement), // not built
];

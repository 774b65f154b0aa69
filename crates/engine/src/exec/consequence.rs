//! What an error ends, by its number: one table for all statements.
//!
//! | action | ends | transaction |
//! |---|---|---|
//! | [`Action::Statement`] | the statement, whose changes are undone; the next one of the module runs | kept |
//! | [`Action::Module`] | the procedure or dynamic text (at the outermost level the batch); its caller goes on | kept |
//! | [`Action::Batch`] | the batch, through all levels | rolled back; doomed where a TRY catches the error |
//!
//! An error of a statement of the catalogue ends the batch, but for those that [`ends_statement`] names. Under XACT_ABORT what
//! would end a statement ends the batch too, but for those that [`is_promoted`] excludes, and RAISERROR.

use taffrail_base::SqlError;

/// See above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    Statement,
    Module,
    Batch,
}

/// Errors that end the batch wherever they come from, ascending.
const BATCH: &[i32] = &[
    217,  // modules nest too deep
    235,  // text that is no money
    241,  // … no date
    244,  // … too large an int1, int2
    245,  // … no number
    248,  // … too large an int
    295,  // … no smalldatetime
    556,  // INSERT … EXEC into a table that has changed
    596,  // KILL
    701,  // memory
    926,  // a database that is suspect
    1204, // locks
    1205, // a deadlock's victim
    3609, // the transaction has ended in a trigger
    3616, // an error in a trigger
    3915, // ROLLBACK within an INSERT … EXEC
    3916, // COMMIT within one
    3951, // snapshots
    3952, 3960, 3961, 5302, // a mutator on NULL
    6335, // XML that is nested too deep
    6354, // XML
    6358, 6359, 8114, // a conversion that fails
    8137, 8169,  // text that is no uniqueidentifier
    8645,  // memory for a query
    8672,  // MERGE meets a row twice
    9001,  // no log
    13609, // JSON
    15096, // extended properties
    15135, 15217, 15233, 15600,
];

/// XML that is none, all with the same consequence.
const XML: std::ops::RangeInclusive<i32> = 9400..=9480;

/// The action of an error that was raised while a statement ran. An error of a procedure's parameters ends the calling
/// statement, whatever it is.
pub(super) fn action(e: &SqlError, of_parameters: bool) -> Action {
    match e.number {
        8114 if of_parameters => Action::Statement,
        n if BATCH.binary_search(&n).is_ok() || XML.contains(&n) => Action::Batch,
        208 => Action::Module,
        _ => Action::Statement,
    }
}

/// The action of an error that was raised while a statement was bound, at the time when it was to run: names that are not
/// there, and all that is found once they are. What depends on options and values, and what is not built, ends the statement.
pub(super) fn binding_action(e: &SqlError) -> Action {
    match e.number {
        544 | 545 | 1222 | 8101 | 40510 => Action::Statement,
        _ if action(e, false) == Action::Batch => Action::Batch,
        _ => Action::Module,
    }
}

/// The action of an error of a statement of the catalogue most of whose errors end the batch.
pub(super) fn ddl_action(e: &SqlError) -> Action {
    match action(e, false) {
        Action::Statement if !ends_statement(e.number) => Action::Batch,
        other => other,
    }
}

/// Errors of statements of the catalogue that end the statement only: what is to be dropped is not there, permissions, rules about
/// transactions, locks that are not had in time, no room, and what is not built.
fn ends_statement(number: i32) -> bool {
    matches!(
        number,
        226 | 229 | 230 | 262 | 574 | 1101 | 1105 | 1222 | 1752 | 1801 | 3701 | 3930 | 9002
    ) || number == 40510
        || (15000..16000).contains(&number)
}

/// Whether XACT_ABORT concerns an error.
pub(super) fn is_promoted(number: i32) -> bool {
    !matches!(
        number,
        129 | 132
            ..=136
                | 141
                | 153
                | 180
                | 266
                | 487
                | 1034
                | 1049
                | 2787
                | 3701
                | 10727
                | 10733
                | 11555
                | 11709
                | 15003
    )
}

/// Errors in a change after which "The statement has been terminated." is told.
pub(super) fn terminates(e: &SqlError) -> bool {
    matches!(
        e.number,
        220 | 232
            | 234
            | 237
            | 242
            | 511
            | 512
            | 515
            | 517
            | 535
            | 547
            | 1101
            | 1105
            | 1222
            | 1946
            | 2601
            | 2627
            | 2628
            | 8115
            | 8134
            | 8152
            | 8170
            | 9002
    )
}

/// What is told behind such an error: an identity that is used up is an overflow (3606), the rest ends the statement (3621).
pub(super) fn ends_with(e: &SqlError) -> i32 {
    if e.number == 8115 && e.message.contains("converting IDENTITY to") { 3606 } else { 3621 }
}

#[cfg(test)]
mod tests {
    use super::{Action, BATCH, action, binding_action, ddl_action, is_promoted};
    use taffrail_base::SqlError;
    use taffrail_syntax::{ParseOptions, parse_batch};

    fn error(number: i32) -> SqlError {
        let message = String::new();
        SqlError { number, state: 1, severity: 16, line: 1, procedure: None, message }
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(BATCH.is_sorted());
    }

    #[test]
    fn every_number_has_its_action() {
        let batch = [
            217, 235, 241, 244, 245, 248, 295, 556, 701, 1204, 1205, 3609, 3616, 3915, 3916, 3960,
            5302, 6354, 8114, 8169, 8645, 8672, 9400, 9413, 9420, 9441, 9451, 9455, 9480, 13609,
            15096, 15135, 15217, 15233, 15600,
        ];
        for number in batch {
            assert_eq!(action(&error(number), false), Action::Batch, "{number}");
        }
        let statement = [
            120, 155, 201, 206, 213, 220, 232, 242, 266, 306, 477, 512, 513, 515, 517, 535, 544,
            545, 547, 550, 574, 1222, 1752, 1801, 2601, 2627, 2628, 2732, 2787, 2812, 3623, 3701,
            3902, 3903, 3914, 3930, 3931, 6401, 6615, 8106, 8107, 8115, 8134, 8143, 8144, 8145,
            8146, 8152, 8162, 8179, 9809, 9810, 13600, 15002, 15003, 16915, 16916, 16917, 16950,
            33504, 50000,
        ];
        for number in statement {
            assert_eq!(action(&error(number), false), Action::Statement, "{number}");
        }
        assert_eq!(action(&error(8114), true), Action::Statement);
        assert_eq!(action(&error(208), false), Action::Module);
        for number in [207, 208, 209, 4104, 4413, 468, 402, 8117] {
            assert_eq!(binding_action(&error(number)), Action::Module, "{number}");
        }
        for number in [544, 545, 40510] {
            assert_eq!(binding_action(&error(number)), Action::Statement, "{number}");
        }
    }

    #[test]
    fn errors_of_the_catalogue_end_the_batch() {
        let of = |text: &str, number| {
            let mut parsed = parse_batch(text, ParseOptions::default()).expect("it is T-SQL");
            let found = crate::features::statement(parsed.statements.remove(0).kind.words());
            match found.is_some_and(|f| f.ends_batch) {
                true => ddl_action(&error(number)),
                false => action(&error(number), false),
            }
        };
        let create = "CREATE TABLE t (a int)";
        for number in [1505, 1750, 1767, 1778, 1779, 1946, 2705, 2714, 2760] {
            assert_eq!(of(create, number), Action::Batch, "{number}");
        }
        for number in [4708, 4712] {
            assert_eq!(of("TRUNCATE TABLE t", number), Action::Batch, "{number}");
        }
        for number in [3723, 3726, 3728, 3729, 3732] {
            assert_eq!(of("DROP TABLE t", number), Action::Batch, "{number}");
        }
        for number in [547, 1505, 4901, 4902, 4920, 4922, 5074] {
            assert_eq!(of("ALTER TABLE t ADD b int", number), Action::Batch, "{number}");
        }
        assert_eq!(of("DROP TABLE t", 3701), Action::Statement);
        assert_eq!(of("DROP DATABASE d", 3702), Action::Statement);
        assert_eq!(of(create, 574), Action::Statement);
        assert_eq!(of(create, 40510), Action::Statement);
        assert_eq!(of(create, 1222), Action::Statement);
    }

    #[test]
    fn xact_abort_leaves_some_alone() {
        for number in [129, 132, 134, 136, 141, 266, 487, 1034, 2787, 3701, 11709, 15003] {
            assert!(!is_promoted(number), "{number}");
        }
        for number in [515, 547, 1222, 2601, 2627, 2628, 2812, 8115, 8134, 8144, 8152] {
            assert!(is_promoted(number), "{number}");
        }
    }
}

use super::rows::ROWS;
use super::{Caught, Ends, Place, Raised, fate};
use taffrail_base::{Origin, SqlError};

/// The statements that `tests/fates` runs, and the numbers that it cannot have raised.
const CAUSES: &str = include_str!("../../../../engine/tests/fates/causes.rs");

fn error(number: i32) -> Box<SqlError> {
    SqlError::of_text(number, 16, String::new())
}

const PLAIN: Place = Place {
    by: Raised::Other,
    xact_abort: false,
    arithmetic_aborts: false,
    tries: 0,
    own_tries: 0,
    taking: false,
};

#[test]
fn rows_ascend() {
    assert!(ROWS.is_sorted_by(|a, b| a.last < b.first));
    assert!(ROWS.iter().all(|r| r.first <= r.last));
}

/// Whether `tests/fates` names a number: as the first argument of a cause, or as one that nothing raises.
fn is_named(number: i32) -> bool {
    CAUSES.lines().map(str::trim).any(|line| {
        let open = line.find('(').map_or("", |at| &line[at + 1..]);
        open.strip_prefix(&number.to_string()).is_some_and(|rest| rest.starts_with(','))
            || line == format!("{number},")
    })
}

#[test]
fn each_row_has_its_cause_or_the_reason_why_there_is_none() {
    let missing: Vec<String> = ROWS
        .iter()
        .filter(|r| !(r.first..=r.last).any(is_named))
        .map(|r| format!("{}", r.first))
        .collect();
    assert!(missing.is_empty(), "no cause in tests/fates for {}", missing.join(", "));
}

#[test]
fn the_origin_decides_before_the_number() {
    let ends = |e: Box<SqlError>, by| fate(&e, Place { by, ..PLAIN }).ends;
    assert_eq!(ends(error(8114), Raised::Other), Ends::Batch);
    assert_eq!(ends(error(8114).with_origin(Origin::Parameters), Raised::Other), Ends::Statement);
    for number in [207, 208, 209, 4104, 4413, 468, 402, 8117] {
        let e = error(number).with_origin(Origin::Binding);
        assert_eq!(ends(e, Raised::Other), Ends::Module, "{number}");
    }
    for number in [544, 545, 40510] {
        let e = error(number).with_origin(Origin::Binding);
        assert_eq!(ends(e, Raised::Change), Ends::Statement, "{number}");
    }
    assert_eq!(ends(error(245).with_origin(Origin::Binding), Raised::Other), Ends::Batch);
    assert_eq!(ends(error(911), Raised::Use), Ends::Batch);
    assert_eq!(ends(error(911), Raised::Other), Ends::Statement);
    assert_eq!(ends(error(50_000).with_origin(Origin::RaisError), Raised::Other), Ends::Statement);
    let thrown = fate(&error(50_000).with_origin(Origin::Throw), PLAIN);
    assert_eq!((thrown.ends, thrown.undoes), (Ends::Batch, false));
}

#[test]
fn errors_of_the_catalogue_end_the_batch() {
    let ends = |number| fate(&error(number), Place { by: Raised::Catalogue, ..PLAIN }).ends;
    for number in
        [547, 1505, 1750, 1757, 1767, 1778, 1779, 1946, 2705, 2714, 2760, 3723, 3726, 3728]
    {
        assert_eq!(ends(number), Ends::Batch, "{number}");
    }
    for number in [3729, 3732, 4708, 4712, 4901, 4902, 4920, 4922, 5074] {
        assert_eq!(ends(number), Ends::Batch, "{number}");
    }
    for number in [226, 574, 1222, 3701, 15002, 15151, 40510] {
        assert_eq!(ends(number), Ends::Statement, "{number}");
    }
    for number in [15135, 15233] {
        assert_eq!(ends(number), Ends::Batch, "{number}");
    }
    let told =
        fate(&error(1750).with_origin(Origin::Change), Place { by: Raised::Catalogue, ..PLAIN });
    assert_eq!(told.followed_by, Some(3621));
}

#[test]
fn xact_abort_leaves_some_alone() {
    let aborting = Place { xact_abort: true, ..PLAIN };
    for number in [129, 132, 134, 136, 141, 266, 487, 1034, 2787, 3701, 11709, 15003] {
        assert!(!fate(&error(number), aborting).undoes, "{number}");
    }
    for number in [515, 547, 1222, 2601, 2627, 2628, 2812, 8115, 8134, 8144, 8152] {
        assert!(fate(&error(number), aborting).undoes, "{number}");
    }
    let raised = error(50_000).with_origin(Origin::RaisError);
    assert!(!fate(&raised, aborting).undoes);
    assert!(fate(&error(50_000).with_origin(Origin::Throw), aborting).undoes);
    // What ends the module keeps the transaction, and dooms it where a caller catches it.
    assert!(!fate(&error(208), aborting).undoes);
    assert!(fate(&error(208), Place { tries: 1, ..aborting }).undoes);
}

#[test]
fn a_module_does_not_catch_what_ends_it() {
    let tried = |tries, own_tries| fate(&error(208), Place { tries, own_tries, ..PLAIN }).caught;
    assert_eq!(tried(1, 1), Caught::Nowhere);
    assert_eq!(tried(2, 1), Caught::ByCaller);
    assert_eq!(tried(1, 0), Caught::Here);
    let fatal = error(823).with_severity(24);
    assert_eq!(fate(&fatal, Place { tries: 1, ..PLAIN }).caught, Caught::Nowhere);
    assert_eq!(fate(&fatal, PLAIN).ends, Ends::Connection);
    let informed = error(8153).with_severity(10);
    assert_eq!(fate(&informed, Place { tries: 1, ..PLAIN }).caught, Caught::Nowhere);
}

#[test]
fn arithmetic_aborts_where_the_options_say_so() {
    let place = Place { arithmetic_aborts: true, ..PLAIN };
    assert_eq!(fate(&error(8134), place).ends, Ends::Batch);
    assert_eq!(fate(&error(512), place).ends, Ends::Statement);
}

#[test]
fn a_change_that_ends_says_so() {
    let change = Place { by: Raised::Change, ..PLAIN };
    assert_eq!(fate(&error(2627), change).followed_by, Some(3621));
    assert_eq!(fate(&error(2627), PLAIN).followed_by, None);
    assert_eq!(fate(&error(2627), Place { xact_abort: true, ..change }).followed_by, None);
    let identity = SqlError::of_text(8115, 16, "… converting IDENTITY to int.".into());
    assert_eq!(fate(&identity, change).followed_by, Some(3606));
}

//! What errors end: each number raised by a statement of its own, under XACT_ABORT OFF and ON, in a TRY of the same batch
//! and in one around a procedure. What is expected stands in [`causes`].

use crate::support;

mod causes;

use causes::{CAUSES, Cause, UNRAISED};
use support::{Client, World};

/// What there is before each cause.
const SETUP: &[&str] = &[
    "CREATE TABLE dbo.noted (a int)",
    "CREATE TABLE dbo.t (id int PRIMARY KEY, n int NOT NULL DEFAULT 0, s varchar(3) NULL, x xml NULL, CONSTRAINT positive CHECK (n >= 0))",
    "INSERT dbo.t (id) VALUES (1), (2)",
    "CREATE TABLE dbo.child (id int REFERENCES dbo.t (id))",
    "CREATE TABLE dbo.counted (id tinyint IDENTITY(255, 1), a int)",
    "INSERT dbo.counted (a) VALUES (1)",
    "CREATE TABLE dbo.many (a int)",
    "INSERT dbo.many VALUES (1), (1)",
    "CREATE TABLE dbo.texts (v varchar(40) NULL)",
    "INSERT dbo.texts VALUES ('none'), (NULL)",
    "CREATE TABLE dbo.wide (a char(5000), b varchar(8000))",
    "CREATE TABLE dbo.unique_texts (v varchar(9))",
    "CREATE UNIQUE INDEX unique_v ON dbo.unique_texts (v)",
    "INSERT dbo.unique_texts VALUES ('a')",
    "CREATE PROCEDURE dbo.begins AS BEGIN TRAN",
    "CREATE PROCEDURE dbo.commits AS COMMIT COMMIT",
    "CREATE PROCEDURE dbo.alters AS ALTER TABLE dbo.noted ADD b int SELECT 1",
    "CREATE PROCEDURE dbo.takes_int @a int AS SELECT @a",
    "CREATE PROCEDURE dbo.two_columns AS SELECT 1, 2",
    "CREATE PROCEDURE dbo.rolls_back AS ROLLBACK",
    "CREATE PROCEDURE dbo.endless AS EXEC dbo.endless",
    "CREATE PROCEDURE dbo.captures AS INSERT dbo.noted EXEC dbo.two_columns",
    "CREATE TABLE dbo.blocked (a int)",
    "CREATE FUNCTION dbo.is_one(@a int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS ok WHERE @a = 1",
    "CREATE SECURITY POLICY dbo.ones ADD BLOCK PREDICATE dbo.is_one(a) ON dbo.blocked",
];

/// What became of the work around an error.
fn seen(c: &mut Client, said: &str) -> &'static str {
    let open = c.rows("SELECT @@TRANCOUNT");
    c.ok("IF @@TRANCOUNT > 0 ROLLBACK");
    match (said.contains("print: next"), &*open) {
        (true, "1") => "statement",
        (false, "1") => "module",
        (false, "0") => "batch",
        (true, "0") => "transaction only",
        other => panic!("{other:?}: {said}"),
    }
}

fn number_of(said: &str, number: i32) -> bool {
    said.contains(&format!("Msg {number}, "))
}

/// All that is not as it should be, for one cause.
fn differences(c: &mut Client, cause: &Cause) -> Vec<String> {
    let mut wrong = Vec::new();
    let Cause { number, sql, .. } = *cause;
    let mut note = |what: &str, got: &str, wanted: &str, said: &str| {
        if got != wanted {
            wrong.push(format!("{number} {what}: {got}, not {wanted}\n    {sql}\n{said}"));
        }
    };
    for (option, wanted) in [("OFF", cause.off), ("ON", cause.on)] {
        let said = c.run(&format!(
            "SET XACT_ABORT {option} BEGIN TRAN INSERT dbo.noted VALUES (1)\n{sql}\nPRINT 'next'"
        ));
        let met = number_of(&said, number);
        note(&format!("is raised under {option}"), &met.to_string(), "true", &said);
        let got = seen(c, &said);
        note(&format!("under XACT_ABORT {option} ends the"), got, wanted, &said);
        if option == "OFF" {
            let told = said.contains("Msg 3621, ");
            note("tells 3621", &told.to_string(), &cause.told.to_string(), &said);
        }
    }
    c.ok("SET XACT_ABORT OFF");
    let text = sql.replace('\'', "''");
    let ways = [
        (format!("BEGIN TRY\n{sql}\nEND TRY"), cause.caught),
        (format!("BEGIN TRY EXEC ('{text}') END TRY"), cause.caught_above),
    ];
    for (attempt, wanted) in ways {
        let said = c.run(&format!(
            "BEGIN TRAN INSERT dbo.noted VALUES (1)\n{attempt}\n\
             BEGIN CATCH PRINT CONCAT('caught ', ERROR_NUMBER(), ' ', XACT_STATE()) END CATCH"
        ));
        let caught = said.lines().find_map(|l| l.strip_prefix("print: caught "));
        let got = match caught {
            Some(c) if c == format!("{number} 1") => "alive",
            Some(c) if c == format!("{number} -1") => "doomed",
            Some(other) => other,
            None => "not caught",
        };
        note(&format!("in {}", &attempt[..14]).replace('\n', " "), got, wanted, &said);
        c.ok("IF @@TRANCOUNT > 0 ROLLBACK");
    }
    wrong
}

#[test]
fn each_error_ends_what_it_should() {
    let (_w, mut c) = World::with_database();
    SETUP.iter().for_each(|s| c.ok(s));
    let mut wrong = Vec::new();
    for cause in CAUSES {
        wrong.extend(differences(&mut c, cause));
    }
    for (why, numbers) in UNRAISED {
        for n in numbers.iter().filter(|n| CAUSES.iter().any(|c| c.number == **n)) {
            wrong.push(format!("{n} is raised, though it {why}"));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

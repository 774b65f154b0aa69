//! What is counted beside the rows: row counts, identity values, pages, files. Right after short transactions of several kinds, with a
//! checkpoint anywhere in them, however they end, after a loss of power too.

use crate::support;

use std::sync::Arc;
use support::sim::{start, world};
use support::{Client, connect};
use taffrail_engine::Instance;
use taffrail_io::sim::{SimOptions, SimWorld};

/// A table with an identity that is its key, so that a value given twice is an error, and one beside it.
const SETUP: &str = "CREATE DATABASE z
    ALTER DATABASE z SET RECOVERY SIMPLE
    CREATE TABLE z.dbo.t (a int IDENTITY PRIMARY KEY, b char(200) DEFAULT '')
    CREATE INDEX i ON z.dbo.t (b)
    CREATE TABLE z.dbo.o (a int)
    DECLARE @i int = 0
    WHILE @i < 60 BEGIN INSERT z.dbo.t DEFAULT VALUES SET @i += 1 END";

const FILL: &str = "DECLARE @i int = 0 WHILE @i < 40 BEGIN INSERT t DEFAULT VALUES SET @i += 1 END";
const REMAKE: &str = "DROP TABLE t
    CREATE TABLE t (a int IDENTITY PRIMARY KEY, b char(200) DEFAULT '')
    CREATE INDEX i ON t (b)";
const BACK: &str = "ROLLBACK TRANSACTION s";
const SAVE: &str = "SAVE TRANSACTION s";

const HISTORIES: [&[&str]; 9] = [
    &[FILL],
    &["TRUNCATE TABLE t", FILL],
    &["TRUNCATE TABLE t", SAVE, FILL, BACK],
    &[SAVE, "TRUNCATE TABLE t", FILL, BACK, FILL],
    &[FILL, "TRUNCATE TABLE t", SAVE, FILL, BACK, FILL],
    &[REMAKE, FILL],
    &[SAVE, REMAKE, FILL, BACK],
    &["DELETE t WHERE a % 2 = 0", "ALTER INDEX ALL ON t REBUILD", SAVE, FILL, BACK],
    &["DBCC CHECKIDENT (t, RESEED, 5000) WITH NO_INFOMSGS", SAVE, FILL, BACK],
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Commit,
    Rollback,
    Cut,
}

fn number(c: &mut Client, sql: &str) -> i64 {
    let said = c.rows(sql);
    said.parse().unwrap_or_else(|_| panic!("{sql}: {said}"))
}

/// What is shown is what is there; gives the rows.
fn check(c: &mut Client, world: &SimWorld, what: &str) -> i64 {
    c.ok("USE z");
    let rows = number(c, "SELECT COUNT(*) FROM t");
    for index in ["0, 1", "2"] {
        let told = number(
            c,
            &format!(
                "SELECT SUM(rows) FROM sys.partitions WHERE object_id = OBJECT_ID('t') AND index_id IN ({index})"
            ),
        );
        assert_eq!(told, rows, "sys.partitions, index {index}: {what}");
    }
    assert_eq!(c.rows("DBCC CHECKDB (z) WITH NO_INFOMSGS"), "", "{what}");
    for file in [1, 2] {
        let (size, path) = ("SELECT size FROM", "SELECT physical_name FROM");
        let of = format!("sys.database_files WHERE file_id = {file}");
        let path = c.rows(&format!("{path} {of}"));
        let volume = world.env().disk.open(path.as_ref(), taffrail_io::OpenSpec::PLAIN).unwrap();
        let bytes = volume.len().unwrap() as i64;
        assert!(number(c, &format!("{size} {of}")) * 8192 <= bytes, "size of {path}: {what}");
    }
    rows
}

fn run(history: &[&str], checkpoint: usize, end: End) {
    let what = format!("{history:?}, checkpoint before {checkpoint}, {end:?}");
    let world = world(checkpoint as u64 + 1, SimOptions::default());
    let instance: Arc<Instance> = start(&world).unwrap();
    let mut c = connect(&instance);
    let mut other = connect(&instance);
    c.ok(SETUP);
    c.ok("USE z CHECKPOINT");
    other.ok("USE z");
    c.ok("BEGIN TRANSACTION");
    for (n, step) in history.iter().enumerate() {
        if n == checkpoint {
            other.ok("CHECKPOINT");
        }
        c.ok(step);
    }
    if checkpoint == history.len() {
        other.ok("CHECKPOINT");
    }
    let mut rows = None;
    match end {
        End::Commit => c.ok("COMMIT"),
        End::Rollback => c.ok("ROLLBACK"),
        End::Cut => {}
    }
    if end != End::Cut {
        rows = Some(check(&mut c, &world, &what));
    }
    if end == End::Rollback {
        assert_eq!(rows, Some(60), "{what}");
    }
    // What makes everything before it durable.
    other.ok("INSERT z.dbo.o VALUES (1)");
    world.crash();
    drop((c, other));
    let _ = instance.shutdown();
    drop(instance);
    world.restart();
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    let after = check(&mut c, &world, &format!("{what}, restarted"));
    assert_eq!(after, rows.unwrap_or(60), "rows after the restart: {what}");
    // No value of the identity is given twice.
    let last = number(&mut c, "SELECT ISNULL(MAX(a), 0) FROM t");
    c.ok(FILL);
    assert!(number(&mut c, "SELECT MAX(a) FROM t") >= last + 40, "{what}");
    assert!(number(&mut c, "SELECT IDENT_CURRENT('t')") >= last + 40, "{what}");
    check(&mut c, &world, &format!("{what}, filled again"));
    drop(c);
    instance.shutdown().unwrap();
}

#[test]
fn counts_identity_and_files_are_right_whatever_is_undone_and_when() {
    for history in HISTORIES {
        for end in [End::Commit, End::Rollback, End::Cut] {
            for checkpoint in 0..=history.len() {
                // The end of each history, and its middle.
                if checkpoint == 0 || checkpoint + 2 >= history.len() {
                    run(history, checkpoint, end);
                }
            }
        }
    }
}

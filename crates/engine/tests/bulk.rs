//! Tables filled by pages instead of rows: the same rows, and less log where the recovery model allows it.

use crate::support;

use support::{Client, World};

/// Bytes of log that a statement's transaction has written.
fn logged(c: &mut Client, statement: &str) -> i64 {
    c.ok("BEGIN TRAN");
    c.ok(statement);
    let bytes = c.rows(
        "SELECT SUM(database_transaction_log_bytes_used) FROM sys.dm_tran_database_transactions
         WHERE database_id = DB_ID()",
    );
    c.ok("COMMIT");
    bytes.trim().parse().unwrap_or_else(|_| panic!("{statement}\n{bytes}"))
}

#[test]
fn what_is_logged_depends_on_the_recovery_model() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE b");
    c.ok("USE b");
    c.ok("CREATE TABLE source (id int NOT NULL, t char(800) NOT NULL)");
    c.ok("DECLARE @i int = 0
          BEGIN TRAN
          WHILE @i < 2000 BEGIN INSERT source VALUES (@i * 7 % 2000, 'x'); SET @i = @i + 1 END
          COMMIT");
    for (model, minimal) in [("FULL", false), ("BULK_LOGGED", true), ("SIMPLE", true)] {
        c.ok(&format!("ALTER DATABASE b SET RECOVERY {model}"));
        c.ok("CREATE TABLE heap (id int NOT NULL, t char(800) NOT NULL)");
        c.ok("CREATE TABLE tree (id int NOT NULL PRIMARY KEY, t char(800) NOT NULL)");
        for statement in [
            "SELECT * INTO made FROM source",
            "INSERT heap WITH (TABLOCK) SELECT * FROM source",
            "INSERT tree WITH (TABLOCK) SELECT * FROM source",
            "CREATE CLUSTERED INDEX i ON made (id)",
            "ALTER INDEX ALL ON tree REBUILD",
        ] {
            let bytes = logged(&mut c, statement);
            assert_eq!(bytes < 400_000, minimal, "{model}: {statement}: {bytes} bytes");
        }
        for table in ["made", "heap", "tree"] {
            let sums = c.rows(&format!(
                "SELECT COUNT(*), SUM(id), MIN(id), MAX(id), COUNT(DISTINCT id) FROM {table}"
            ));
            assert_eq!(sums, "2000 | 1999000 | 0 | 1999 | 2000", "{model}: {table}");
        }
        // What is there twice is refused, and nothing stays behind.
        c.ok("CREATE TABLE twice (id int NOT NULL PRIMARY KEY, t char(800) NOT NULL)");
        let said = c.rows("INSERT twice WITH (TABLOCK) SELECT id / 2, t FROM source");
        assert!(said.contains("Msg 2627"), "{said}");
        assert_eq!(c.rows("SELECT COUNT(*) FROM twice"), "0");
        c.ok("DROP TABLE made, heap, tree, twice");
    }
}

/// Tables whose last extents are only partly used, one of them emptied and filled again in batches: each keeps what is its own.
#[test]
fn tables_filled_one_after_the_other_do_not_share_extents() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE b");
    c.ok("USE b");
    c.ok("ALTER DATABASE b SET RECOVERY BULK_LOGGED");
    c.ok("CREATE TABLE source (id int NOT NULL PRIMARY KEY, t char(200) NOT NULL)");
    c.ok("DECLARE @i int = 0
          BEGIN TRAN
          WHILE @i < 4000 BEGIN INSERT source VALUES (@i, 'x'); SET @i = @i + 1 END
          COMMIT");
    let sums = |c: &mut Client, table: &str| {
        c.rows(&format!("SELECT COUNT(*), SUM(id), COUNT(DISTINCT id) FROM {table}"))
    };
    let numbers: Vec<i64> = (0..8).map(|n| 400 + n * 450).collect();
    let want = |n: i64| format!("{n} | {} | {n}", n * (n - 1) / 2);
    for (i, n) in numbers.iter().enumerate() {
        let key = if i % 3 == 2 { "" } else { "PRIMARY KEY" };
        c.ok(&format!("CREATE TABLE t{i} (id int NOT NULL {key}, t char(200) NOT NULL)"));
        c.ok(&format!("INSERT t{i} WITH (TABLOCK) SELECT * FROM source WHERE id < {n}"));
    }
    for i in [1, 2, 6] {
        c.ok(&format!("TRUNCATE TABLE t{i}"));
        for first in (0..numbers[i]).step_by(1000) {
            let last = numbers[i].min(first + 1000);
            c.ok(&format!(
                "INSERT t{i} WITH (TABLOCK)
                 SELECT * FROM source WHERE id >= {first} AND id < {last}"
            ));
        }
    }
    for (i, n) in numbers.iter().enumerate() {
        c.ok(&format!("INSERT t{i} VALUES (1000000, 'y')"));
        c.ok(&format!("DELETE t{i} WHERE id = 1000000"));
        assert_eq!(sums(&mut c, &format!("t{i}")), want(*n), "t{i}");
    }
    assert_eq!(sums(&mut c, "source"), want(4000));
}

//! Tables filled by pages instead of rows: the same rows, and less log where the recovery model allows it.

mod support;

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

//! Rows that others change between the moment at which a seek finds their entry and the moment at which they are locked.

use crate::support;

use support::{Client, World, two};

/// Row 2 of each table is to be moved away from `b = 2` while somebody who seeks it waits for the row.
/// There are rows enough for a seek to be worth while.
const TABLES: &str = "
    CREATE TABLE k (a int PRIMARY KEY, b int, c int, d int, INDEX ib (b))
    CREATE TABLE h (a int, b int, c int, d int, INDEX ib (b))
    CREATE TABLE u (a int PRIMARY KEY, b int UNIQUE, c int, d int)
    CREATE TABLE hu (a int, b int UNIQUE, c int, d int)
    INSERT k SELECT value, value, 0, 0 FROM GENERATE_SERIES(100, 500)
    INSERT h SELECT * FROM k; INSERT u SELECT * FROM k; INSERT hu SELECT * FROM k
    CREATE TABLE s (b int, e int); INSERT s VALUES (2, 77)";

fn fill(client: &mut Client, table: &str) {
    client.ok(&format!(
        "DELETE {table} WHERE a < 100
        INSERT {table} VALUES (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)"
    ));
}

fn all(client: &mut Client, table: &str) -> String {
    client.rows(&format!("SELECT * FROM {table} WHERE a < 100 ORDER BY a"))
}

#[test]
fn a_row_that_was_moved_while_it_was_waited_for_does_not_qualify() {
    let mut t = two::two(TABLES);
    let mut wrong = Vec::new();
    for table in ["k", "h", "u", "hu"] {
        // What others do to the row; what is there then.
        for (change, left) in [
            ("UPDATE {t} SET b = 20 WHERE a = 2", "1 | 1 | 1 | 1\n2 | 20 | 5 | 2\n3 | 3 | 3 | 3"),
            (
                "DELETE {t} WHERE a = 2; INSERT {t} VALUES (2, 21, 5, 2)",
                "1 | 1 | 1 | 1\n2 | 21 | 5 | 2\n3 | 3 | 3 | 3",
            ),
        ] {
            for (sql, wait, expected) in [
                ("SELECT a, b, d FROM {t} WHERE b = 2", "LCK_M_S", ""),
                ("SELECT x.a, x.b FROM s JOIN {t} x ON x.b = s.b AND x.d < 9", "LCK_M_S", ""),
                ("SELECT a, b, d FROM {t} WITH (UPDLOCK) WHERE b = 2", "LCK_M_U", ""),
                ("SELECT a, b, d FROM {t} WITH (XLOCK) WHERE b = 2", "LCK_M_X", ""),
                (
                    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ
                    SELECT a, b, d FROM {t} WITH (UPDLOCK) WHERE b = 2",
                    "LCK_M_U",
                    "",
                ),
                ("UPDATE {t} SET d = 9 WHERE b = 2; SELECT @@ROWCOUNT", "LCK_M_U", "0"),
                ("UPDATE {t} SET b = 9 WHERE b = 2; SELECT @@ROWCOUNT", "LCK_M_U", "0"),
                ("UPDATE {t} SET a = 9 WHERE b = 2; SELECT @@ROWCOUNT", "LCK_M_U", "0"),
                ("UPDATE TOP (1) {t} SET d = 9 OUTPUT inserted.b WHERE b = 2", "LCK_M_U", ""),
                ("UPDATE x SET d = s.e FROM s JOIN {t} x ON x.b = s.b WHERE x.b = 2; SELECT @@ROWCOUNT", "LCK_M_U", "0"),
                ("DELETE {t} WHERE b = 2; SELECT @@ROWCOUNT", "LCK_M_U", "0"),
                ("DELETE x FROM s JOIN {t} x ON x.b = s.b WHERE x.b = 2; SELECT @@ROWCOUNT", "LCK_M_U", "0"),
                (
                    "MERGE {t} x USING (SELECT 2) s (b) ON x.b = s.b AND x.b = 2
                    WHEN MATCHED THEN UPDATE SET d = 9; SELECT @@ROWCOUNT",
                    "LCK_M_U",
                    "0",
                ),
                (
                    "DECLARE c CURSOR LOCAL FOR SELECT a FROM {t} WITH (UPDLOCK) WHERE b = 2 AND d < 9
                    OPEN c; FETCH c; SELECT @@FETCH_STATUS",
                    "LCK_M_U",
                    "-1",
                ),
                (
                    "DECLARE @v int = -1; SELECT @v = d FROM {t} WHERE b = 2; SELECT @v",
                    "LCK_M_S",
                    "-1",
                ),
                ("IF EXISTS (SELECT * FROM {t} WHERE b = 2 AND d = 2) SELECT 'there'", "LCK_M_S", ""),
                ("INSERT s SELECT b, d FROM {t} WHERE b = 2; SELECT @@ROWCOUNT", "LCK_M_S", "0"),
            ] {
                let named = |text: &str| text.replace("{t}", table);
                fill(&mut t.ddl, table);
                // The row alone is locked, none of its entries.
                t.ddl.ok(&named("BEGIN TRAN; UPDATE {t} SET c = 5 WHERE a = 2"));
                let waiting = t.waits(&named(sql), wait);
                t.ddl.ok(&named(change));
                t.ddl.ok("COMMIT");
                let said = waiting.end();
                let there = all(&mut t.ddl, table);
                if said != expected || there != left {
                    wrong.push(format!("{table}: {change}: {sql}: {said}: {there}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What refers to a key by a column whose index does not hold all columns of the key.
#[test]
fn rows_that_refer_no_more_are_not_in_the_way() {
    let mut t = two::two(
        "CREATE TABLE p (x int, y int, PRIMARY KEY (x, y))
        CREATE TABLE c (a int PRIMARY KEY, x int, y int, z int, INDEX ix (x), FOREIGN KEY (x, y) REFERENCES p)
        INSERT p VALUES (1, 1), (2, 2); INSERT c VALUES (7, 1, 1, 0), (8, 2, 2, 0)",
    );
    t.ddl.ok("BEGIN TRAN; UPDATE c SET z = 1 WHERE a = 7");
    let waiting = t.waits("DELETE p WHERE x = 1; SELECT @@ROWCOUNT", "LCK_M_S");
    t.ddl.ok("UPDATE c SET x = NULL WHERE a = 7; COMMIT");
    assert_eq!(waiting.end(), "1");
    assert_eq!(t.ddl.rows("SELECT * FROM p"), "2 | 2");
}

/// A row that others move forward in the index that is read is changed once.
#[test]
fn a_row_that_moves_ahead_of_the_reader_is_changed_once() {
    for ending in ["COMMIT", "ROLLBACK"] {
        let mut t = two::two(TABLES);
        fill(&mut t.ddl, "k");
        t.ddl.ok("BEGIN TRAN; UPDATE k SET c = 5 WHERE a = 2");
        let sql = "UPDATE k SET d = d + 1 WHERE b BETWEEN 2 AND 30 AND a <> 3";
        let waiting = t.waits(sql, "LCK_M_U");
        t.ddl.ok(&format!("UPDATE k SET b = 25 WHERE a = 2; {ending}"));
        assert_eq!(waiting.end(), "");
        let moved = if ending == "COMMIT" { "2 | 25 | 5 | 3" } else { "2 | 2 | 2 | 3" };
        assert_eq!(all(&mut t.ddl, "k"), format!("1 | 1 | 1 | 1\n{moved}\n3 | 3 | 3 | 3"));
    }
}

/// A row whose clustered key changes is elsewhere then: the entry of a unique index leads to where it is.
#[test]
fn a_row_whose_place_changes_is_found_by_its_unique_key() {
    let mut t = two::two(
        "CREATE TABLE m (b int, k int, c int, d int, PRIMARY KEY (b, k))
        CREATE UNIQUE INDEX ix ON m (k)",
    );
    for to in [9, 0] {
        let row = format!("{to} | 2 | 5 | 0");
        for (sql, wait, expected, left) in [
            ("SELECT d FROM m WITH (FORCESEEK (ix (k))) WHERE k = 2", "LCK_M_S", "0", Some("0")),
            (
                "SELECT d FROM m WITH (UPDLOCK, FORCESEEK (ix (k))) WHERE k IN (2, 7)",
                "LCK_M_U",
                "0",
                Some("0"),
            ),
            (
                "UPDATE m WITH (FORCESEEK (ix (k))) SET d = 1 WHERE k = 2; SELECT @@ROWCOUNT",
                "LCK_M_U",
                "1",
                Some("1"),
            ),
            (
                "DELETE m WITH (FORCESEEK (ix (k))) WHERE k = 2; SELECT @@ROWCOUNT",
                "LCK_M_U",
                "1",
                None,
            ),
        ] {
            t.ddl.ok("DELETE m; INSERT m VALUES (1, 1, 0, 0), (2, 2, 0, 0), (3, 3, 0, 0)");
            t.ddl.ok("BEGIN TRAN; UPDATE m SET c = 5 WHERE k = 2");
            let waiting = t.waits(sql, wait);
            t.ddl.ok(&format!("UPDATE m SET b = {to} WHERE k = 2; COMMIT"));
            assert_eq!(waiting.end(), expected, "{sql}, to {to}");
            let there = t.ddl.rows("SELECT * FROM m WHERE k = 2");
            let left = left.map_or(String::new(), |d| format!("{}{d}", &row[..row.len() - 1]));
            assert_eq!(there, left, "{sql}, to {to}");
        }
    }
}

/// Whoever waits for a row, and it is put in again farther on in what is read, finds it there.
#[test]
fn a_row_that_is_put_in_again_farther_on_is_found_there() {
    let mut t = two::two(
        "CREATE TABLE e (id int PRIMARY KEY, k int, v int, c int, INDEX ix (k, v))
        CREATE TABLE f (id int, k int, v int, c int, PRIMARY KEY (k, v))",
    );
    for (table, sql, wait, expected) in [
        ("e", "SELECT v FROM e WITH (INDEX (ix)) WHERE k = 2", "LCK_M_S", "7"),
        ("e", "SELECT v, c FROM e WITH (INDEX (ix)) WHERE k = 2", "LCK_M_S", "7 | 0"),
        ("e", "SELECT v FROM e WITH (INDEX (ix), UPDLOCK) WHERE k = 2", "LCK_M_S", "7"),
        (
            "e",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ
            SELECT v FROM e WITH (INDEX (ix)) WHERE k >= 2",
            "LCK_M_S",
            "7\n3",
        ),
        (
            "e",
            "UPDATE x SET c = 1 FROM e x WITH (INDEX (ix)) WHERE k = 2; SELECT @@ROWCOUNT",
            "LCK_M_S",
            "1",
        ),
        ("f", "SELECT v FROM f WHERE k = 2", "LCK_M_S", "7"),
        ("f", "SELECT v FROM f", "LCK_M_S", "1\n7\n3"),
        ("f", "UPDATE f SET c = 1 WHERE k = 2; SELECT @@ROWCOUNT", "LCK_M_U", "1"),
        ("f", "DELETE f WHERE k = 2; SELECT @@ROWCOUNT", "LCK_M_U", "1"),
    ] {
        t.ddl.ok(&format!(
            "DELETE {table}; INSERT {table} VALUES (1, 1, 1, 0), (2, 2, 2, 0), (3, 3, 3, 0)"
        ));
        t.ddl.ok(&format!("BEGIN TRAN; DELETE {table} WHERE id = 2"));
        let waiting = t.waits(sql, wait);
        t.ddl.ok(&format!("INSERT {table} VALUES (2, 2, 7, 0); COMMIT"));
        assert_eq!(waiting.end(), expected, "{sql}");
    }
}

/// Many sessions pass tokens on from place to place; each is in one place at any time.
#[test]
fn what_is_taken_from_a_place_is_taken_once() {
    let world = World::new();
    let mut one = world.connect();
    one.ok(
        "CREATE TABLE q (id int PRIMARY KEY, place int, taken int, pad char(200), INDEX ip (place))
        INSERT q SELECT value, 0, 0, '' FROM GENERATE_SERIES(1, 40)",
    );
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let mut client = world.connect();
            std::thread::spawn(move || {
                let mut taken = 0;
                loop {
                    // Whoever takes one counts it where it is; one that has gone on is not there to be taken.
                    let said = client.rows(
                        "DECLARE @t TABLE (id int)
                        UPDATE TOP (1) q SET place = 1, taken = taken + 1 OUTPUT deleted.id INTO @t WHERE place = 0
                        SELECT COUNT(*) FROM @t",
                    );
                    match said.as_str() {
                        "0" => return taken,
                        "1" => taken += 1,
                        other => assert!(other.starts_with("Msg 1205"), "{other}"),
                    }
                }
            })
        })
        .collect();
    let taken: u32 = workers.into_iter().map(|w| w.join().unwrap()).sum();
    assert_eq!(
        one.rows("SELECT MIN(taken), MAX(taken), SUM(taken) FROM q"),
        format!("1 | 1 | {taken}")
    );
    assert_eq!(taken, 40);
}

//! Cursors whose query runs as they are fetched from: what is read when, and what is locked between two rows.

use crate::support;

use support::{Client, World};

/// Pages that were looked up since the server began.
fn lookups(c: &mut Client) -> i64 {
    let said = c.rows(
        "SELECT cntr_value FROM sys.dm_os_performance_counters
         WHERE counter_name = 'Page lookups/sec' AND object_name LIKE '%Buffer Manager%'",
    );
    said.parse().unwrap_or_else(|_| panic!("{said}"))
}

fn looked_up(c: &mut Client, sql: &str) -> i64 {
    let before = lookups(c);
    c.ok(sql);
    lookups(c) - before
}

#[test]
fn open_reads_no_more_than_the_first_row_needs() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a int PRIMARY KEY, b char(400) NOT NULL DEFAULT '')
          CREATE TABLE h (a int, b char(400) NOT NULL DEFAULT '')
          INSERT t (a) SELECT value FROM GENERATE_SERIES(1, 20000)
          INSERT h (a) SELECT value FROM GENERATE_SERIES(1, 20000)");
    // About twenty rows a page.
    let all = looked_up(&mut c, "DECLARE @n int SELECT @n = SUM(a) FROM t WHERE b = ''");
    assert!(all > 900, "a scan: {all}");
    for table in ["t", "h"] {
        c.ok(&format!("DECLARE c CURSOR GLOBAL FAST_FORWARD FOR SELECT a, b FROM {table}"));
        let (idle, first) = (looked_up(&mut c, "SELECT 1 AS one"), looked_up(&mut c, "OPEN c"));
        assert!(first - idle < 60, "OPEN of {table}: {first}, nothing: {idle}");
        let fetch = looked_up(&mut c, "DECLARE @a int, @b char(400) FETCH c INTO @a, @b");
        assert!(fetch - idle < 60, "FETCH of {table}: {fetch}, nothing: {idle}");
        c.ok("DEALLOCATE c");
    }
    // A sort has to see all rows before it gives one.
    c.ok("DECLARE c CURSOR GLOBAL FAST_FORWARD FOR SELECT a FROM t ORDER BY b, a DESC");
    let sorted = looked_up(&mut c, "OPEN c");
    assert!(sorted > 900, "OPEN with a sort: {sorted}");
    c.ok("DEALLOCATE c");
}

#[test]
fn a_million_rows_are_opened_and_left_at_the_third() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a int PRIMARY KEY) INSERT t SELECT value FROM GENERATE_SERIES(1, 1000)
          DECLARE c CURSOR GLOBAL FAST_FORWARD FOR
              SELECT x.a, y.a FROM t x CROSS JOIN t y OPTION (LOOP JOIN)
          OPEN c");
    let took = looked_up(&mut c, "DECLARE @a int, @b int FETCH c INTO @a, @b FETCH c INTO @a, @b");
    assert!(took < 100, "two rows of a million: {took}");
    assert_eq!(c.rows("FETCH c"), "1 | 3");
    c.ok("CLOSE c DEALLOCATE c");
}

#[test]
fn nothing_is_locked_between_two_rows() {
    let (world, mut c) = World::with_database();
    let mut other = world.connect_to("d");
    c.ok("CREATE TABLE t (a int PRIMARY KEY, b int) INSERT t VALUES (1, 1), (2, 2), (3, 3), (4, 4)
          DECLARE c CURSOR GLOBAL FAST_FORWARD FOR SELECT a, b FROM t
          OPEN c");
    assert_eq!(c.rows("FETCH c"), "1 | 1");
    let held = "SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type <> 'DATABASE'";
    assert_eq!(c.rows(held), "0");
    other.ok("SET LOCK_TIMEOUT 0 UPDATE t SET b = 20 WHERE a = 2");
    assert_eq!(c.rows("FETCH c"), "2 | 20");
    // What is not committed is waited for; the error leaves the cursor open.
    other.ok("BEGIN TRAN UPDATE t SET b = 30 WHERE a = 3");
    let said = c.run("SET LOCK_TIMEOUT 0 FETCH c");
    assert!(support::errors(&said).contains(&1222), "{said}");
    assert_eq!(c.rows("SELECT CURSOR_STATUS('global', 'c'), @@FETCH_STATUS"), "1 | -1");
    other.ok("ROLLBACK");
    assert_eq!(c.rows("FETCH c"), "3 | 3");
    c.ok("CLOSE c");
    // A transaction that keeps what it reads keeps what was fetched in it.
    c.ok("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ OPEN c BEGIN TRAN");
    assert_eq!(c.rows("FETCH c"), "1 | 1");
    let said = other.run("UPDATE t SET b = 10 WHERE a = 1");
    assert!(support::errors(&said).contains(&1222), "{said}");
    other.ok("UPDATE t SET b = 40 WHERE a = 4");
    c.ok("COMMIT");
    other.ok("DROP TABLE t");
    let said = c.run("FETCH c");
    assert!(support::errors(&said).contains(&16943), "{said}");
}

#[test]
fn rows_that_cursors_keep_go_to_files() {
    let (_world, mut c) = World::with_query_memory(Some(4));
    c.ok("CREATE TABLE t (a int PRIMARY KEY, b varchar(1000) NOT NULL)
          INSERT t SELECT value, REPLICATE('x', 1000) FROM GENERATE_SERIES(1, 3000)
          DECLARE plain CURSOR GLOBAL FAST_FORWARD FOR SELECT a, b FROM t
          DECLARE one CURSOR GLOBAL STATIC FOR SELECT a, b FROM t WHERE a > 500
          DECLARE two CURSOR GLOBAL STATIC FOR SELECT a, b FROM t WHERE a > 500
          OPEN plain");
    // Either has more than half of the memory.
    c.ok("OPEN one OPEN two");
    assert_eq!(
        c.rows("SELECT CURSOR_STATUS('global', 'one'), CURSOR_STATUS('global', 'two')"),
        "1 | 1"
    );
    let last =
        "DECLARE @a int, @b varchar(1000) FETCH LAST FROM two INTO @a, @b SELECT @a, LEN(@b)";
    c.ok("CLOSE one");
    assert_eq!(c.rows(last), "3000 | 1000");
}

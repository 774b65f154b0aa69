//! Statements that could not get a lock: the error is told, and nothing goes on as if it had not been.

use crate::support;

use support::World;

#[test]
fn if_exists_is_silent_only_about_what_does_not_exist() {
    let world = World::new();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.ok("CREATE TABLE t (a int)");
    one.ok("CREATE INDEX ix ON t (a)");
    two.ok("SET LOCK_TIMEOUT 0");
    for pending in
        ["CREATE TABLE n (a int)", "DROP TABLE t", "EXEC('CREATE PROCEDURE n AS SELECT 1')"]
    {
        one.ok(&format!("BEGIN TRAN; {pending}"));
        let name = if pending.starts_with("DROP") { "t" } else { "n" };
        for sql in
            [format!("DROP TABLE IF EXISTS {name}"), format!("DROP INDEX IF EXISTS ix ON {name}")]
        {
            let said = two.rows(&sql);
            assert!(said.starts_with("Msg 1222,"), "{pending}: {sql}: {said}");
        }
        one.ok("ROLLBACK");
    }
    two.ok(
        "DROP TABLE IF EXISTS n; DROP TABLE IF EXISTS nowhere.dbo.n; DROP PROCEDURE IF EXISTS n",
    );
    two.ok("DROP INDEX IF EXISTS ix ON n; DROP INDEX IF EXISTS nope ON t");
    two.ok("DROP INDEX IF EXISTS ix ON t; DROP TABLE IF EXISTS t");
}

#[test]
fn a_cursor_that_does_not_open_ends_its_loop() {
    let world = World::new();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.ok("CREATE TABLE t (a int); INSERT t VALUES (1)");
    one.ok("BEGIN TRAN; UPDATE t SET a = 2");
    two.ok("SET LOCK_TIMEOUT 0");
    // A copy is read at OPEN, other rows at FETCH.
    for kind in ["STATIC", "FAST_FORWARD"] {
        let said = two.rows(&format!(
            "DECLARE c CURSOR LOCAL {kind} FOR SELECT a FROM t; OPEN c; DECLARE @n int = 0
            FETCH NEXT FROM c WHILE @@FETCH_STATUS = 0 AND @n < 10 BEGIN SET @n += 1; FETCH NEXT FROM c END
            SELECT @n, @@FETCH_STATUS"
        ));
        assert!(said.contains("Msg 1222,"), "{said}");
        assert_eq!(said.contains("Msg 16917,"), kind == "STATIC", "{said}");
        assert!(said.ends_with("0 | -1"), "{said}");
    }
}

#[test]
fn a_walk_over_tables_ends_with_the_look_up_that_fails() {
    let world = World::new();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.ok("CREATE TABLE t (a int)");
    one.ok("BEGIN TRAN; CREATE TABLE n (a int)");
    two.ok("SET LOCK_TIMEOUT 0");
    let said = two.rows("DECLARE @r int; EXEC @r = sp_MSforeachtable 'SELECT ''?'''; SELECT @r");
    assert!(said.starts_with("Msg 1222,") && said.ends_with('1'), "{said}");
    one.ok("ROLLBACK");
    assert_eq!(two.rows("EXEC sp_MSforeachtable 'SELECT ''at ?'''"), "at [dbo].[t]");
}

#[test]
fn a_long_series_can_be_ended() {
    let world = World::new();
    let mut one = world.connect();
    let cancel = one.connection.cancel_handle();
    let mut watcher = world.connect();
    let session = one.connection.session_id().0;
    let waits = std::thread::spawn(move || {
        one.rows("SELECT COUNT_BIG(*) FROM GENERATE_SERIES(-2147483647, 2147483647)")
    });
    let running = format!("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id = {session}");
    while watcher.rows(&running) != "1" {
        assert!(!waits.is_finished());
        std::thread::yield_now();
    }
    cancel.cancel();
    assert_eq!(waits.join().expect("its thread"), "");
}

#[test]
fn a_select_of_an_open_transaction_leaves_no_lock_on_its_table() {
    let world = World::new();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.ok("CREATE TABLE looked_at (a int); INSERT looked_at VALUES (1)");
    one.ok("CREATE TABLE written (a int); INSERT written VALUES (1)");
    two.ok("SET LOCK_TIMEOUT 0");
    let levels = [
        ("READ UNCOMMITTED", true),
        ("READ COMMITTED", true),
        ("REPEATABLE READ", false),
        ("SERIALIZABLE", false),
    ];
    for (level, free) in levels {
        one.ok(&format!("SET TRANSACTION ISOLATION LEVEL {level}"));
        one.ok("BEGIN TRAN");
        one.rows("SELECT * FROM looked_at");
        one.ok("UPDATE written SET a = 2");
        one.rows("SELECT * FROM written");
        let drop = |two: &mut support::Client, table| {
            let said = two.rows(&format!("BEGIN TRAN DROP TABLE {table}"));
            two.ok("IF @@TRANCOUNT > 0 ROLLBACK");
            said
        };
        let said = drop(&mut two, "looked_at");
        assert_eq!(!said.starts_with("Msg 1222,"), free, "{level}: {said}");
        // What was written stays locked.
        let said = drop(&mut two, "written");
        assert!(said.starts_with("Msg 1222,"), "{level}: {said}");
        one.ok("ROLLBACK");
    }
}

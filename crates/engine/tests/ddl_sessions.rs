//! DDL of one session in the eyes of others, before and after the end of its transaction.

use crate::support;

use support::two::{number, two};
use taffrail_engine::{RpcCall, RpcProcedure};

#[test]
fn a_new_table_is_waited_for_by_its_name() {
    let mut t = two("CREATE TABLE other (a int)");
    for (end, expected) in [("ROLLBACK", "208"), ("COMMIT", "7")] {
        t.ddl.ok("BEGIN TRAN; CREATE TABLE t (a int PRIMARY KEY); INSERT t VALUES (7)");
        assert_eq!(t.ddl.rows("SELECT a FROM t"), "7");
        assert_eq!(number(&t.sees("SELECT a FROM t")), "1222");
        assert_eq!(t.sees("SELECT COUNT(*) FROM other"), "0");
        assert_eq!(number(&t.sees("SELECT a FROM nothing")), "208");
        let reader = t.waits("SELECT a FROM t", "LCK_M_S");
        let id = t.waits("SELECT CASE WHEN OBJECT_ID('t') IS NULL THEN 0 ELSE 1 END", "LCK_M_S");
        let maker = t.waits("CREATE TABLE t (b int)", "LCK_M_X");
        let list = t.waits("SELECT COUNT(*) FROM sys.tables", "LCK_M_S");
        let help = t.waits("SELECT 1; EXEC sp_tables @table_type = \"'TABLE'\"", "LCK_M_S");
        let dirty = t.sees("SELECT name FROM sys.tables WITH (NOLOCK) ORDER BY name");
        assert_eq!(dirty, "other\nt");
        let dirty = t.sees(
            "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED; SELECT COUNT(*) FROM sys.tables; \
            SELECT COUNT(*) FROM sys.key_constraints",
        );
        assert_eq!(dirty, "2\n1");
        t.ddl.ok(end);
        let (said, made) = (reader.end(), maker.end());
        if end == "COMMIT" {
            assert_eq!((number(&said), number(&made)), (expected, "2714"));
            assert_eq!((id.end().as_str(), list.end().as_str()), ("1", "2"));
            assert!(help.end().contains("| t | TABLE"));
        } else {
            // The other one's table has come in its place.
            assert!(
                number(&said) == expected || said.is_empty() || number(&said) == "207",
                "{said}"
            );
            assert_eq!(made, "");
            drop((id.end(), list.end(), help.end()));
            t.ddl.ok("DROP TABLE t");
        }
    }
}

#[test]
fn a_dropped_table_is_waited_for_and_comes_back() {
    let mut t = two(
        "CREATE TABLE t (a int IDENTITY PRIMARY KEY, b int, INDEX i (b)); INSERT t VALUES (1), (2)",
    );
    let id = t.ddl.rows("SELECT OBJECT_ID('t')");
    let mut warm = t.other();
    assert_eq!(warm.rows("SELECT SUM(b) FROM t"), "3");
    for end in ["ROLLBACK", "COMMIT"] {
        t.ddl.ok("BEGIN TRAN; DROP TABLE t");
        assert_eq!(number(&t.ddl.rows("SELECT * FROM t")), "208");
        assert_eq!(t.ddl.rows("SELECT COUNT(*) FROM sys.objects"), "0");
        assert_eq!(number(&t.sees("SELECT a FROM t WITH (NOLOCK)")), "1222");
        let dirty = t.sees("SELECT COUNT(*) FROM sys.indexes WITH (NOLOCK)");
        assert_eq!(dirty, "0");
        let reader = t.waits_as(warm, "SELECT SUM(b) FROM t", "LCK_M_SCH_S");
        let writer = t.waits("INSERT t VALUES (3); SELECT SCOPE_IDENTITY()", "LCK_M_SCH_S");
        let name = t.waits(&format!("SELECT OBJECT_NAME({id})"), "LCK_M_SCH_S");
        let list = t.waits("SELECT COUNT(*) FROM sys.columns WHERE object_id > 0", "LCK_M_S");
        t.ddl.ok(end);
        let (other, said) = reader.said.join().unwrap();
        warm = other;
        if end == "COMMIT" {
            assert_eq!((number(&said), number(&writer.end())), ("208", "208"));
            assert_eq!((name.end().as_str(), list.end().as_str()), ("NULL", "0"));
        } else {
            assert!(said == "3" || said == "6", "{said}");
            assert_eq!(writer.end(), "3");
            assert_eq!((name.end().as_str(), list.end().as_str()), ("t", "2"));
            assert_eq!(t.ddl.rows("SELECT OBJECT_ID('t')"), id);
            assert_eq!(t.ddl.rows("SELECT a FROM t WHERE b = 3"), "3");
            let rows = "SELECT SUM(rows) FROM sys.partitions WHERE object_id = OBJECT_ID('t') AND index_id = 1";
            assert_eq!(t.ddl.rows(rows), "3");
        }
    }
}

#[test]
fn a_name_that_has_gone_to_another_table_is_looked_up_again() {
    let mut t = two("CREATE TABLE t (a int); INSERT t VALUES (1)");
    t.ddl.ok("BEGIN TRAN; DROP TABLE t; CREATE TABLE t (a varchar(9)); INSERT t VALUES ('new')");
    let reader = t.waits("SELECT a FROM t", "LCK_M_SCH_S");
    let dropper = t.waits("DROP TABLE t", "LCK_M_X");
    t.ddl.ok("COMMIT");
    let said = reader.end();
    assert!(said == "new" || number(&said) == "208", "{said}");
    assert_eq!(dropper.end(), "");
    assert_eq!(number(&t.ddl.rows("SELECT a FROM t")), "208");
}

#[test]
fn an_altered_table_is_as_before_after_a_rollback() {
    let mut t = two("CREATE TABLE t (a int, b int); INSERT t VALUES (1, 2)");
    let handle = "DECLARE @h int; EXEC sp_prepare @h OUTPUT, N'', N'SELECT * FROM t'; SELECT @h";
    let mut prepared = t.other();
    assert_eq!(prepared.rows(handle), "1");
    assert_eq!(prepared.rows("EXEC sp_execute 1"), "1 | 2");
    for (end, expected) in [("ROLLBACK", "207"), ("COMMIT", "5")] {
        t.ddl.ok(
            "BEGIN TRAN; ALTER TABLE t ADD c int NOT NULL DEFAULT 5; ALTER TABLE t DROP COLUMN b",
        );
        assert_eq!(t.ddl.rows("SELECT * FROM t"), "1 | 5");
        // Not told that there is no such column before that is certain.
        let reader = t.waits("SELECT c FROM t", "LCK_M_SCH_S");
        let old = t.waits_as(prepared, "EXEC sp_execute 1", "LCK_M_SCH_S");
        t.ddl.ok(end);
        assert_eq!(number(&reader.end()), expected);
        let (other, said) = old.said.join().unwrap();
        prepared = other;
        assert_eq!(said, if end == "COMMIT" { "1 | 5" } else { "1 | 2" });
    }
    assert_eq!(
        t.ddl.rows("SELECT COL_NAME(OBJECT_ID('t'), 2), COL_NAME(OBJECT_ID('t'), 3)"),
        "NULL | c"
    );
}

#[test]
fn an_index_of_a_rolled_back_transaction_leaves_no_trace() {
    let mut t = two("CREATE TABLE t (a int, b int); INSERT t VALUES (1, 10), (2, 20)");
    for kind in ["UNIQUE", "CLUSTERED"] {
        t.ddl.ok(&format!("BEGIN TRAN; CREATE {kind} INDEX i ON t (b)"));
        assert_eq!(t.ddl.rows("SELECT MIN(a) FROM t WHERE b = 20"), "2");
        let writer = t.waits("INSERT t VALUES (3, 20)", "LCK_M_SCH_S");
        let reader = t.waits("SELECT COUNT(*) FROM t", "LCK_M_SCH_S");
        t.ddl.ok("ROLLBACK");
        assert_eq!(writer.end(), "");
        drop(reader.end());
        assert_eq!(
            t.ddl.rows("SELECT COUNT(*), COUNT(DISTINCT b) FROM t"),
            if kind == "UNIQUE" { "3 | 2" } else { "4 | 2" }
        );
        assert_eq!(
            t.ddl.rows(
                "SELECT COUNT(*) FROM sys.indexes WHERE object_id = OBJECT_ID('t') AND index_id > 0"
            ),
            "0"
        );
    }
    assert_eq!(number(&t.ddl.rows("CREATE UNIQUE INDEX i ON t (b)")), "1505");
    t.ddl.ok("CREATE INDEX i ON t (b)");
    assert_eq!(t.ddl.rows("SELECT COUNT(*) FROM t WHERE b = 20"), "3");
}

#[test]
fn rows_of_others_are_in_the_index_that_is_made_after_them() {
    let mut t = two("CREATE TABLE t (a int); INSERT t VALUES (1)");
    let mut writer = t.other();
    writer.ok("BEGIN TRAN; INSERT t VALUES (2)");
    std::mem::swap(&mut writer, &mut t.ddl);
    let made = t.waits("CREATE INDEX i ON t (a)", "LCK_M_S");
    // A reader does not mind.
    assert_eq!(t.sees("SELECT COUNT(*) FROM t WITH (NOLOCK)"), "2");
    t.ddl.ok("COMMIT");
    assert_eq!(made.end(), "");
    assert_eq!(t.ddl.rows("SELECT a FROM t WHERE a = 2"), "2");
    t.ddl.ok("INSERT t VALUES (3)");
    assert_eq!(t.ddl.rows("SELECT COUNT(*) FROM t WHERE a > 0"), "3");
}

#[test]
fn procedures_run_as_they_are_committed() {
    let mut t = two("CREATE PROCEDURE p AS SELECT 'old'");
    let mut warm = t.other();
    assert_eq!(warm.rows("EXEC p"), "old");
    for (end, expected) in [("ROLLBACK", "old"), ("COMMIT", "new")] {
        t.ddl.ok("BEGIN TRAN");
        t.ddl.ok("ALTER PROCEDURE p AS SELECT 'new'");
        assert_eq!(t.ddl.rows("EXEC p"), "new");
        let caller = t.waits_as(warm, "EXEC p", "LCK_M_SCH_S");
        let text = t.waits("SELECT OBJECT_DEFINITION(OBJECT_ID('p'))", "LCK_M_SCH_S");
        t.ddl.ok(end);
        let (other, said) = caller.said.join().unwrap();
        warm = other;
        assert_eq!(said, expected);
        assert!(text.end().contains(expected));
    }
    for (end, expected) in [("ROLLBACK", "2812"), ("COMMIT", "made")] {
        t.ddl.ok("BEGIN TRAN");
        t.ddl.ok("CREATE PROCEDURE q AS SELECT 'made'");
        let caller = t.waits("EXEC q", "LCK_M_S");
        t.ddl.ok(end);
        assert_eq!(number(&caller.end()), expected);
    }
    t.ddl.ok("BEGIN TRAN; DROP PROCEDURE q");
    let caller = t.waits("EXEC q", "LCK_M_SCH_S");
    t.ddl.ok("COMMIT");
    assert_eq!(number(&caller.end()), "2812");
}

#[test]
fn truncation_and_select_into_are_undone() {
    let mut t = two("CREATE TABLE t (a int IDENTITY(5, 5), b int); INSERT t VALUES (1), (2)");
    t.ddl.ok("BEGIN TRAN; TRUNCATE TABLE t; INSERT t VALUES (9); SELECT * INTO copy FROM t");
    assert_eq!(t.ddl.rows("SELECT a, b FROM copy"), "5 | 9");
    assert_eq!(number(&t.sees("SELECT * FROM t WITH (NOLOCK)")), "1222");
    let writer = t.waits("INSERT t VALUES (3)", "LCK_M_SCH_S");
    let reader = t.waits("SELECT * FROM copy", "LCK_M_S");
    t.ddl.ok("ROLLBACK");
    assert_eq!(writer.end(), "");
    assert_eq!(number(&reader.end()), "208");
    assert_eq!(t.ddl.rows("SELECT a, b FROM t ORDER BY a"), "5 | 1\n10 | 2\n15 | 3");
    assert_eq!(t.ddl.rows("SELECT IDENT_CURRENT('t')"), "15");
    // A heap without identity; and a reader whose locks are held.
    t.ddl.ok("CREATE TABLE h (a int); INSERT h VALUES (1)");
    t.ddl.ok("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; BEGIN TRAN; SELECT a FROM h");
    let cutter = t.waits("TRUNCATE TABLE h", "LCK_M_SCH_M");
    t.ddl.ok("COMMIT");
    assert_eq!(cutter.end(), "");
    assert_eq!(t.ddl.rows("SELECT COUNT(*) FROM h"), "0");
}

#[test]
fn savepoints_and_failed_statements_keep_what_was_before() {
    let mut t = two("CREATE TABLE t (a int, b int)");
    t.ddl.ok("BEGIN TRAN; CREATE TABLE u (x int); SAVE TRAN s; DROP TABLE u; ALTER TABLE t ADD c int; CREATE \
        CLUSTERED INDEX i ON t (a); ROLLBACK TRAN s");
    t.ddl.ok("INSERT u VALUES (4); INSERT t VALUES (1, 2)");
    assert_eq!(number(&t.ddl.rows("DROP TABLE nowhere")), "3701");
    assert_eq!(t.ddl.rows("SELECT * FROM t, u"), "1 | 2 | 4");
    let reader = t.waits("SELECT x FROM u", "LCK_M_S");
    t.ddl.ok("COMMIT");
    assert_eq!(reader.end(), "4");
    assert_eq!(t.sees("SELECT * FROM t"), "1 | 2");
    assert_eq!(t.sees("SELECT rows FROM sys.partitions WHERE object_id = OBJECT_ID('t')"), "1");
}

#[test]
fn schemas_stay_while_objects_are_put_into_them() {
    let mut t = two("");
    t.ddl.ok("BEGIN TRAN");
    t.ddl.ok("CREATE SCHEMA s");
    let second = t.waits("CREATE SCHEMA s2", "LCK_M_X");
    let table = t.waits("CREATE TABLE s.t (a int)", "LCK_M_S");
    t.ddl.ok("ROLLBACK");
    assert_eq!((number(&second.end()), number(&table.end())), ("", "2760"));
    t.ddl.ok("CREATE SCHEMA s");
    assert_eq!(
        t.ddl.rows("SELECT COUNT(DISTINCT schema_id) FROM sys.schemas WHERE name IN ('s', 's2')"),
        "2"
    );
    t.ddl.ok("BEGIN TRAN; CREATE TABLE s.t (a int)");
    let dropper = t.waits("DROP SCHEMA s", "LCK_M_X");
    t.ddl.ok("COMMIT");
    assert_eq!(number(&dropper.end()), "3729");
}

#[test]
fn two_that_change_each_others_tables_deadlock() {
    let mut t = two("CREATE TABLE a (x int); CREATE TABLE b (x int)");
    let mut other = t.other();
    t.ddl.ok("BEGIN TRAN; ALTER TABLE a ADD y int");
    other.ok("SET DEADLOCK_PRIORITY LOW; BEGIN TRAN; ALTER TABLE b ADD y int");
    let waiting = t.waits_as(other, "SELECT x FROM a", "LCK_M_SCH_S");
    t.ddl.ok("ALTER TABLE b ADD z int; COMMIT");
    assert_eq!(number(&waiting.end()), "1205");
    assert_eq!(t.ddl.rows("SELECT COL_NAME(OBJECT_ID('b'), 2)"), "z");
}

#[test]
fn waits_can_be_cut_short() {
    let mut t = two("CREATE TABLE t (a int)");
    t.ddl.ok("BEGIN TRAN; DROP TABLE t; CREATE TABLE n (a int)");
    for sql in [
        "SELECT * FROM t",
        "SELECT * FROM n",
        "SELECT * FROM sys.objects",
        "EXEC n",
        "DROP TABLE t",
        "SELECT OBJECT_ID('n')",
    ] {
        let said = t.sees(&format!("SET LOCK_TIMEOUT 30; {sql}"));
        assert_eq!(number(&said), "1222", "{sql}: {said}");
        let said = t.sees(&format!(
            "BEGIN TRY SET LOCK_TIMEOUT 0; EXEC('{}') END TRY BEGIN CATCH SELECT \
            ERROR_NUMBER() END CATCH",
            sql.replace('\'', "''")
        ));
        assert_eq!(said, "1222", "{sql}");
    }
    let other = t.other();
    let cancel = other.connection.cancel_handle();
    let waiting = t.waits_as(other, "SELECT * FROM n", "LCK_M_S");
    cancel.cancel();
    let (mut other, said) = waiting.said.join().unwrap();
    assert_eq!(said, "");
    t.ddl.ok("ROLLBACK");
    assert_eq!(other.rows("SELECT COUNT(*) FROM t; SELECT @@TRANCOUNT"), "0\n0");
    assert_eq!(waiting.session, other.connection.session_id().0);
    let waits = "SELECT COUNT(*) FROM sys.dm_os_wait_stats WHERE wait_type = 'LCK_M_SCH_S' AND waiting_tasks_count > 0";
    assert_eq!(other.rows(waits), "1");
}

#[test]
fn the_locks_of_open_ddl_are_shown() {
    let mut t = two("CREATE TABLE t (a int)");
    t.ddl.ok("BEGIN TRAN; ALTER TABLE t ADD b int");
    let id = t.ddl.rows("SELECT OBJECT_ID('t')");
    let reader = t.waits("SELECT * FROM t", "LCK_M_SCH_S");
    let locks = format!(
        "SELECT request_mode, request_status FROM sys.dm_tran_locks WHERE resource_type = 'OBJECT' AND \
            resource_associated_entity_id = {id} ORDER BY request_status"
    );
    assert_eq!(t.sees(&locks), "Sch-M | GRANT\nSch-S | WAIT");
    t.ddl.ok("ROLLBACK");
    assert_eq!(reader.end(), "");
}

#[test]
fn a_rename_is_waited_for_under_both_names() {
    let mut t = two("CREATE TABLE t (a int); INSERT t VALUES (1)");
    for end in ["ROLLBACK", "COMMIT"] {
        t.ddl.ok("BEGIN TRAN; EXEC sp_rename 't', 'n'");
        assert_eq!(t.ddl.rows("SELECT a FROM n"), "1");
        assert_eq!(number(&t.ddl.rows("SELECT a FROM t")), "208");
        let old = t.waits("SELECT a FROM t", "LCK_M_SCH_S");
        let new = t.waits("SELECT a FROM n", "LCK_M_S");
        let maker = t.waits("CREATE TABLE n (b int)", "LCK_M_X");
        t.ddl.ok(end);
        let (old, new, maker) = (old.end(), new.end(), maker.end());
        if end == "COMMIT" {
            assert_eq!((number(&old), new.as_str(), number(&maker)), ("208", "1", "2714"));
        } else {
            assert_eq!((old.as_str(), maker.as_str()), ("1", ""));
            assert!(number(&new) == "208" || number(&new) == "207", "{new}");
            t.ddl.ok("DROP TABLE n");
        }
    }
}

#[test]
fn temporary_tables_make_nobody_wait() {
    let mut t = two("CREATE TABLE t (a int)");
    t.ddl.ok("BEGIN TRAN; CREATE TABLE #t (a int PRIMARY KEY, b int CONSTRAINT c CHECK (b > 0)); SELECT 1 AS x \
        INTO #u; INSERT #t VALUES (1, 1)");
    assert_eq!(t.ddl.rows("SELECT a, x FROM #t, #u"), "1 | 1");
    assert_eq!(t.sees("CREATE TABLE #t (z int); INSERT #t VALUES (3); SELECT z FROM #t; SELECT COUNT(*) FROM tempdb.sys.objects"), "3\n1");
    assert_eq!(t.sees("SELECT COUNT(*) FROM tempdb.sys.tables"), "0");
    t.ddl.ok("SAVE TRAN s; DROP TABLE #u; ROLLBACK TRAN s");
    assert_eq!(
        t.ddl.rows("SELECT x FROM #u; SELECT OBJECT_ID('tempdb..#t') - OBJECT_ID('tempdb..#t')"),
        "1\n0"
    );
    t.ddl.ok("ROLLBACK");
    assert_eq!(number(&t.ddl.rows("SELECT * FROM #t")), "208");
    assert_eq!(t.sees("SELECT COUNT(*) FROM tempdb.sys.objects"), "0");
}

#[test]
fn table_variables_of_a_definition_are_gone_with_it() {
    let mut t = two("CREATE TABLE t (a int)");
    let made = |name: &str, failing: &str| {
        format!(
            "CREATE PROCEDURE {name} AS DECLARE @v TABLE (a int PRIMARY KEY) SELECT {failing} FROM @v"
        )
    };
    let left = "SELECT COUNT(*) FROM tempdb.sys.objects";
    t.ddl.ok(&made("p", "a"));
    assert_eq!(t.sees(left), "0");
    t.ddl.ok("BEGIN TRAN");
    t.ddl.ok(&made("q", "a"));
    assert_eq!(t.sees(left), "0");
    t.ddl.ok("COMMIT");
    assert_eq!(number(&t.ddl.rows(&made("r", "nope"))), "207");
    t.ddl.ok("BEGIN TRAN");
    assert_eq!(number(&t.ddl.rows(&made("r", "nope"))), "207");
    assert_eq!(t.sees(left), "0");
    t.ddl.ok("IF @@TRANCOUNT > 0 ROLLBACK");
    assert_eq!(t.sees(left), "0");
}

#[test]
fn plans_follow_the_ddl_of_others() {
    let t = two("CREATE TABLE t (a int, b int); CREATE INDEX i ON t (b); INSERT t VALUES (1, 1)");
    let mut other = t.other();
    other.ok("CREATE PROCEDURE p @b int AS SELECT a, b FROM t WHERE b = @b");
    let done = std::sync::atomic::AtomicBool::new(false);
    let (mut ddl, done) = (t.ddl, &done);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for i in 0..40 {
                ddl.ok("DROP INDEX i ON t");
                ddl.ok("CREATE INDEX i ON t (b)");
                ddl.ok(if i % 2 == 0 { "ALTER TABLE t ALTER COLUMN a bigint" } else { "ALTER TABLE t ALTER COLUMN a int" });
                ddl.ok("BEGIN TRAN; TRUNCATE TABLE t; DROP INDEX i ON t; CREATE CLUSTERED INDEX i ON t (b); ROLLBACK");
            }
            done.store(true, std::sync::atomic::Ordering::Release);
        });
        while !done.load(std::sync::atomic::Ordering::Acquire) {
            assert_eq!(other.rows("EXEC p 1"), "1 | 1");
            assert_eq!(other.rows("SELECT COUNT(*) FROM t WHERE b = 1"), "1");
            assert_eq!(other.rows("SELECT COUNT(*) FROM sys.indexes WHERE object_id = OBJECT_ID('t') AND index_id > 1") .len(), 1);
        }
    });
}

#[test]
fn an_attention_ends_a_remote_call_that_waits() {
    let mut t = two("CREATE PROCEDURE p AS SELECT 1");
    t.ddl.ok("BEGIN TRAN");
    t.ddl.ok("ALTER PROCEDURE p AS SELECT 2");
    let mut other = t.other();
    let cancel = other.connection.cancel_handle();
    let id = other.connection.session_id().0;
    let call = RpcCall { procedure: RpcProcedure::Name("p".into()), params: vec![] };
    let said = std::thread::spawn(move || {
        let mut heard = support::Heard::default();
        other.connection.execute_rpc(call, &mut heard);
        (heard.text(), other.connection.was_cancelled())
    });
    let wait = format!("SELECT wait_type FROM sys.dm_exec_requests WHERE session_id = {id}");
    while !t.watcher.rows(&wait).contains("LCK_M") {
        assert!(!said.is_finished(), "it did not wait");
        std::thread::yield_now();
    }
    cancel.cancel();
    // Acknowledged, and nothing told: it is no error of the call.
    assert_eq!(said.join().expect("the other session"), (String::new(), true));
    t.ddl.ok("COMMIT");
}

#[test]
fn options_that_change_while_another_change_waits_stay() {
    let mut t = two("");
    let mut other = t.world.connect_to("master");
    let mut alone = t.world.connect_to("master");
    let session = alone.connection.session_id().0;
    let waits = std::thread::spawn(move || {
        alone.ok("ALTER DATABASE d SET SINGLE_USER");
        alone
    });
    let request = format!(
        "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id = {session} AND total_elapsed_time > 50"
    );
    while t.watcher.rows(&request) != "1" {
        assert!(!waits.is_finished(), "it did not wait for the users");
        std::thread::yield_now();
    }
    other.ok("ALTER DATABASE d SET RECOVERY FULL");
    other.ok("ALTER DATABASE d SET DELAYED_DURABILITY = ALLOWED");
    t.watcher.ok("USE master");
    t.ddl.ok("USE master");
    let mut alone = waits.join().expect("the session");
    let all = "SELECT recovery_model_desc, delayed_durability_desc, user_access_desc FROM sys.databases WHERE name = 'd'";
    assert_eq!(alone.rows(all), "FULL | ALLOWED | SINGLE_USER");
}

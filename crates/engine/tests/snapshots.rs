//! READ_COMMITTED_SNAPSHOT and SNAPSHOT: options that are kept, waits of ALTER DATABASE, readers beside writers.

use crate::support;

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Instant;
use support::{Client, World, numbers};
use taffrail_observe::{Event, EventRing};

const STATE: &str = "SELECT is_read_committed_snapshot_on, snapshot_isolation_state FROM sys.databases WHERE name = ";

fn state(c: &mut Client, database: &str) -> String {
    c.rows(&format!("{STATE}'{database}'"))
}

/// A database `d` with both options, and a session in it.
fn with_versions() -> (World, Client) {
    let (world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET READ_COMMITTED_SNAPSHOT ON");
    c.ok("ALTER DATABASE d SET ALLOW_SNAPSHOT_ISOLATION ON");
    (world, c)
}

/// Asks until the answer is this one.
fn until(c: &mut Client, sql: &str, expected: &str) {
    let begun = Instant::now();
    loop {
        let now = c.rows(sql);
        if now == expected {
            return;
        }
        // Not a measurement: this would never come.
        assert!(begun.elapsed().as_secs() < 60, "{sql}: {now}, not {expected}");
        std::thread::yield_now();
    }
}

#[test]
fn the_options_are_kept() {
    let (world, mut c) = with_versions();
    assert_eq!(state(&mut c, "d"), "1 | 1");
    c.ok("CREATE TABLE t (a int PRIMARY KEY); INSERT t VALUES (1)");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak' WITH INIT; USE master");
    c.ok("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE");
    assert_eq!(state(&mut c, "d"), "1 | 1");
    c.ok("CREATE DATABASE e AS CLONE OF d");
    assert_eq!(state(&mut c, "e"), "1 | 1");
    c.ok("ALTER DATABASE e SET ALLOW_SNAPSHOT_ISOLATION OFF");
    c.ok("ALTER DATABASE d SET READ_COMMITTED_SNAPSHOT OFF");
    let file = c.rows("SELECT physical_name FROM sys.master_files WHERE DB_NAME(database_id) = 'e' AND file_id = 1");
    c.ok("EXEC sp_detach_db 'e'");
    c.ok(&format!("CREATE DATABASE e ON (FILENAME = '{file}') FOR ATTACH"));
    c.ok("ALTER DATABASE model SET READ_COMMITTED_SNAPSHOT ON");
    c.ok("CREATE DATABASE f; ALTER DATABASE model SET READ_COMMITTED_SNAPSHOT OFF; CREATE DATABASE g");
    drop(c);
    let world = world.restart();
    let mut c = world.connect();
    for (name, kept) in [("d", "0 | 1"), ("e", "1 | 0"), ("f", "1 | 0"), ("g", "0 | 0")] {
        assert_eq!(state(&mut c, name), kept, "{name}");
    }
    for (name, fixed) in
        [("master", "0 | 1"), ("msdb", "0 | 1"), ("model", "0 | 0"), ("tempdb", "0 | 0")]
    {
        assert_eq!(state(&mut c, name), fixed, "{name}");
    }
    c.ok("USE e; SET LOCK_TIMEOUT 0");
    let mut writer = world.connect_to("e");
    writer.ok("BEGIN TRAN; INSERT t VALUES (2); UPDATE t SET a = 3 WHERE a = 1");
    assert_eq!(c.rows("SELECT a FROM t"), "1");
}

#[test]
fn read_committed_snapshot_waits_until_nobody_else_is_there() {
    let (world, mut c) = World::with_database();
    let other = world.connect_to("d");
    let mut watcher = world.connect();
    assert_eq!(
        numbers(&c.rows("ALTER DATABASE d SET READ_COMMITTED_SNAPSHOT ON WITH NO_WAIT")),
        [5070, 5069]
    );
    let waits = std::thread::spawn(move || {
        c.rows("SET LOCK_TIMEOUT 0; ALTER DATABASE d SET READ_COMMITTED_SNAPSHOT ON")
    });
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(!waits.is_finished());
    assert_eq!(state(&mut watcher, "d"), "0 | 0");
    drop(other);
    assert_eq!(waits.join().unwrap(), "");
    assert_eq!(state(&mut watcher, "d"), "1 | 0");
}

#[test]
fn allowing_snapshots_waits_for_those_who_began_before() {
    let (world, mut writer) = World::with_database();
    writer.ok("CREATE TABLE t (a int PRIMARY KEY, b int); INSERT t VALUES (1, 10)");
    writer.ok("BEGIN TRAN; UPDATE t SET b = 11");
    let set = |on: &'static str| {
        let mut c = world.connect();
        let sql = format!("ALTER DATABASE d SET ALLOW_SNAPSHOT_ISOLATION {on}");
        std::thread::spawn(move || c.rows(&sql))
    };
    let allowing = set("ON");
    let mut reader = world.connect_to("d");
    until(&mut reader, &format!("{STATE}'d'"), "0 | 3");
    reader.ok("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; SET LOCK_TIMEOUT 0");
    assert_eq!(numbers(&reader.rows("SELECT b FROM t")), [3956]);
    writer.ok("COMMIT");
    assert_eq!(allowing.join().unwrap(), "");
    assert_eq!(state(&mut reader, "d"), "0 | 1");
    assert_eq!(reader.rows("BEGIN TRAN; SELECT b FROM t"), "11");

    let mut late = world.connect_to("d");
    writer.ok("UPDATE t SET b = 12");
    let taking_back = set("OFF");
    until(&mut writer, &format!("{STATE}'d'"), "0 | 2");
    writer.ok("UPDATE t SET b = 13");
    late.ok("SET TRANSACTION ISOLATION LEVEL SNAPSHOT");
    assert_eq!(numbers(&late.rows("SELECT b FROM t")), [3954]);
    assert_eq!(reader.rows("SELECT b FROM t"), "11");
    assert!(!taking_back.is_finished());
    reader.ok("COMMIT");
    assert_eq!(taking_back.join().unwrap(), "");
    assert_eq!(state(&mut writer, "d"), "0 | 0");
    assert_eq!(numbers(&late.rows("SELECT b FROM t")), [3952]);
}

/// Nobody commits meanwhile: the number of a later snapshot is another one all the same.
#[test]
fn taking_snapshots_back_does_not_wait_for_later_ones() {
    let (world, mut c) = with_versions();
    c.ok("CREATE DATABASE e; CREATE TABLE t (a int); CREATE TABLE e.dbo.t (a int)");
    c.ok("ALTER DATABASE e SET ALLOW_SNAPSHOT_ISOLATION ON");
    let snapshot = "SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN";
    let mut before = world.connect_to("d");
    before.ok(&format!("{snapshot}; SELECT COUNT(*) FROM t"));
    let mut taking = world.connect();
    let taking_back = std::thread::spawn(move || {
        taking.rows("ALTER DATABASE d SET ALLOW_SNAPSHOT_ISOLATION OFF")
    });
    until(&mut c, &format!("{STATE}'d'"), "1 | 2");
    let mut later = world.connect_to("e");
    later.ok(&format!("{snapshot}; SELECT COUNT(*) FROM t"));
    assert!(!taking_back.is_finished());
    before.ok("COMMIT");
    until(&mut c, &format!("{STATE}'d'"), "1 | 0");
    assert_eq!(taking_back.join().unwrap(), "");
    later.ok("SELECT COUNT(*) FROM t; COMMIT");
}

/// Eight writers move money; readers that would not wait a moment for a lock see one sum.
#[test]
fn readers_wait_for_no_row() {
    let (world, mut c) = with_versions();
    c.ok("ALTER DATABASE d SET DELAYED_DURABILITY = FORCED");
    c.ok("CREATE TABLE t (id int PRIMARY KEY, k int, v int, f varchar(900), INDEX ik (k))");
    c.ok("CREATE TABLE h (id int, v int, f varchar(900), INDEX ih (id))");
    c.ok("INSERT t SELECT value, value % 7, 100, '' FROM GENERATE_SERIES(0, 99)");
    c.ok("INSERT h SELECT value, 100, '' FROM GENERATE_SERIES(0, 99)");
    let writing = AtomicUsize::new(8);
    let (writing, world) = (&writing, &world);
    std::thread::scope(|scope| {
        for w in 0..8 {
            scope.spawn(move || {
                let mut c = world.connect_to("d");
                for i in 0..25 {
                    let (a, b, n) = ((w * 37 + i * 11) % 50, 50 + (w * 13 + i * 29) % 50, i % 9);
                    let end = if i % 5 == 4 { "ROLLBACK" } else { "COMMIT" };
                    c.ok(&format!(
                        "BEGIN TRAN
                         UPDATE t SET v -= {n}, k = {i} WHERE id = {a}
                         UPDATE h SET v -= {n}, f = REPLICATE('x', {i} * 30) WHERE id = {a}
                         SAVE TRAN s; DELETE t WHERE id = {b}; ROLLBACK TRAN s
                         UPDATE t SET v += {n}, f = REPLICATE('y', {i} * 30) WHERE id = {b}
                         UPDATE h SET v += {n} WHERE id = {b}
                         {end}"
                    ));
                }
                writing.fetch_sub(1, SeqCst);
            });
        }
        for level in ["READ COMMITTED", "SNAPSHOT"] {
            scope.spawn(move || {
                let mut c = world.connect_to("d");
                c.ok(&format!("SET TRANSACTION ISOLATION LEVEL {level}; SET LOCK_TIMEOUT 0"));
                while writing.load(SeqCst) > 0 {
                    for sql in [
                        "SELECT SUM(v), COUNT(*) FROM t",
                        "SELECT SUM(v), COUNT(*) FROM t WITH (INDEX (ik))",
                        "SELECT SUM(v), COUNT(*) FROM h",
                        "SELECT SUM(v), COUNT(*) FROM h WITH (INDEX (ih)) WHERE id >= 0",
                        "SELECT SUM(a.v), COUNT(*) FROM t a JOIN h b ON b.id = a.id AND b.v = a.v",
                    ] {
                        assert_eq!(c.rows(sql), "10000 | 100", "{level}: {sql}");
                    }
                }
            });
        }
    });
    assert_eq!(c.rows("DBCC CHECKDB (d) WITH NO_INFOMSGS"), "");
    // Who reads by no snapshot any more holds nothing.
    until(
        &mut c,
        "SELECT reserved_page_count FROM sys.dm_tran_version_store_space_usage WHERE database_id = DB_ID()",
        "0",
    );
}

/// A reader sees its moment, whatever becomes of rows, keys, pages and large values.
#[test]
fn a_snapshot_outlives_what_it_sees() {
    let (world, mut c) = with_versions();
    c.ok("ALTER DATABASE d SET DELAYED_DURABILITY = FORCED");
    c.ok("CREATE TABLE t (id int PRIMARY KEY, k int, l varchar(max), INDEX ik (k));
          CREATE TABLE h (id int, f varchar(4000))");
    c.ok("INSERT t SELECT value, value, REPLICATE(CAST('a' AS varchar(max)), 20000 + value) FROM GENERATE_SERIES(1, 9)");
    c.ok("INSERT h SELECT value, 'short' FROM GENERATE_SERIES(1, 90)");
    let mut reader = world.connect_to("d");
    reader.ok("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; SET LOCK_TIMEOUT 0; BEGIN TRAN");
    let seen =
        "SELECT SUM(id), SUM(k), SUM(LEN(l)), MIN(LEFT(l, 1)), MAX(SUBSTRING(l, 19999, 1)) FROM t
                SELECT SUM(k), COUNT(*) FROM t WITH (INDEX (ik)) WHERE k > 0
                SELECT COUNT(*), COUNT(DISTINCT id), MAX(LEN(f)) FROM h";
    let before = reader.rows(seen);
    assert_eq!(before, "45 | 45 | 180045 | a | a\n45 | 9\n90 | 90 | 5");
    for i in 0..20 {
        c.ok("UPDATE t SET l = REPLICATE(CAST('b' AS varchar(max)), 30000) WHERE id % 2 = 0");
        c.ok("UPDATE t SET id += 100, k += 100 WHERE id < 100; UPDATE t SET id -= 100, k -= 100 WHERE id BETWEEN 101 AND 109");
        c.ok(&format!(
            "INSERT t SELECT value, value, 'n' FROM GENERATE_SERIES({}, {})",
            1000 + i * 100,
            1099 + i * 100
        ));
        c.ok("UPDATE h SET f = REPLICATE('l', 3000) WHERE id % 3 = 0");
        if i == 10 {
            c.ok("DELETE t WHERE id < 5; DELETE h WHERE id > 80; CHECKPOINT");
            c.ok("INSERT t VALUES (1, 7, 'again')");
        }
    }
    assert_eq!(reader.rows(seen), before);
    let held = c.rows(
        "SELECT is_snapshot, session_id FROM sys.dm_tran_active_snapshot_database_transactions",
    );
    assert_eq!(held, format!("1 | {}", reader.connection.session_id().0));
    let count = "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Snapshot Transactions'";
    assert_eq!(c.rows(count), "1");
    reader.ok("COMMIT");
    assert_eq!(c.rows(count), "0");
    assert_eq!(reader.rows("SELECT l FROM t WHERE id = 1"), "again");
    assert_eq!(c.rows("DBCC CHECKDB (d) WITH NO_INFOMSGS"), "");
}

/// Who has waited for DDL sees what its transaction has committed: the snapshot is no older than the locks.
#[test]
fn a_statement_takes_its_snapshot_behind_its_locks() {
    let mut two = support::two::two("CREATE TABLE t (a int); INSERT t VALUES (1)");
    two.watcher.ok("USE master");
    two.ddl.ok("ALTER DATABASE d SET READ_COMMITTED_SNAPSHOT ON");
    two.ddl.ok("BEGIN TRAN; ALTER TABLE t ADD b int");
    two.ddl.ok("INSERT t VALUES (2, 2)");
    let reader = two.waits("SELECT COUNT(*), SUM(ISNULL(b, 0)) FROM t", "LCK_M_SCH_S");
    two.ddl.ok("COMMIT");
    assert_eq!(reader.end(), "2 | 2");
}

/// By a key, by a nonclustered index, in a heap; in a transaction and alone.
#[test]
fn a_row_that_somebody_has_changed_is_a_conflict() {
    let (world, mut c) = with_versions();
    c.ok(
        "CREATE TABLE t (id int PRIMARY KEY, k int UNIQUE, v int); CREATE TABLE h (id int, v int)",
    );
    c.ok("INSERT t VALUES (1, 1, 1), (2, 2, 2); INSERT h VALUES (1, 1), (2, 2)");
    let mut one = world.connect_to("d");
    for (change, other, same) in [
        ("UPDATE t SET v = 7 WHERE id = 1", "UPDATE t SET v = 1 WHERE id = 1", false),
        ("DELETE t WHERE k = 1", "UPDATE t SET v = 1 WHERE id = 1", false),
        ("UPDATE h SET v = 7 WHERE id = 1", "UPDATE h SET v = 1 WHERE id = 1", false),
        ("UPDATE h SET v = 7 WHERE id = 2", "UPDATE h SET v = 1 WHERE id = 1", true),
        (
            "UPDATE t SET v = 7 WHERE v = 2",
            "BEGIN TRAN; UPDATE t SET v = 9 WHERE id = 2; ROLLBACK",
            true,
        ),
    ] {
        one.ok("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN");
        one.ok("SELECT COUNT(*) FROM t; SELECT COUNT(*) FROM h");
        c.ok(other);
        let said = numbers(&one.rows(change));
        assert_eq!(said, if same { vec![] } else { vec![3960] }, "{change} beside {other}");
        one.ok("IF @@TRANCOUNT > 0 ROLLBACK");
    }
}

/// The catalogue has no versions: also DDL that changes no row is one that a snapshot does not go with.
#[test]
fn a_table_that_ddl_has_changed_is_not_read_by_an_older_snapshot() {
    let (world, mut c) = with_versions();
    c.ok("CREATE TABLE other (id int); CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, w varchar(5))");
    c.ok("INSERT t VALUES (1, 1, 'one')");
    let mut one = world.connect_to("d");
    for ddl in [
        "ALTER TABLE t ADD x int",
        "ALTER TABLE t DROP COLUMN x",
        "ALTER TABLE t ALTER COLUMN w varchar(9)",
        "ALTER TABLE t ADD CONSTRAINT positive CHECK (v > 0)",
        "ALTER TABLE t DROP CONSTRAINT positive",
        "EXEC sp_rename 't.w', 'word', 'COLUMN'",
        "CREATE INDEX t_v ON t (v)",
        "DROP INDEX t_v ON t",
        "TRUNCATE TABLE t",
    ] {
        one.ok("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN");
        one.ok("SELECT COUNT(*) FROM other");
        c.ok(ddl);
        assert_eq!(numbers(&one.rows("SELECT COUNT(*) FROM t")), [3961], "{ddl}");
        one.ok("BEGIN TRAN; SELECT COUNT(*) FROM t; COMMIT");
    }
}

/// Of the rows beneath none is the same: the row of the view is.
#[test]
fn a_row_of_an_indexed_view_that_somebody_has_changed_is_a_conflict() {
    let (world, mut c) = with_versions();
    c.ok("CREATE TABLE g (id int PRIMARY KEY, name varchar(9) NOT NULL);
          CREATE TABLE l (id int PRIMARY KEY, g int NOT NULL, a int NOT NULL)");
    c.ok("CREATE VIEW dbo.sums WITH SCHEMABINDING AS
          SELECT g, COUNT_BIG(*) AS n, SUM(a) AS a FROM dbo.l GROUP BY g");
    c.ok("CREATE VIEW dbo.named WITH SCHEMABINDING AS
          SELECT l.id, g.name, l.a FROM dbo.l JOIN dbo.g ON g.id = l.g");
    c.ok("CREATE UNIQUE CLUSTERED INDEX sums_c ON dbo.sums (g);
          CREATE UNIQUE CLUSTERED INDEX named_c ON dbo.named (id)");
    let mut one = world.connect_to("d");
    for (change, other, same) in [
        ("INSERT l VALUES (4, 1, 7)", "INSERT l VALUES (5, 1, 5)", false),
        ("INSERT l VALUES (4, 2, 7)", "INSERT l VALUES (5, 1, 5)", true),
        ("INSERT l VALUES (4, 3, 7)", "INSERT l VALUES (5, 3, 5)", false),
        ("UPDATE l SET a = 7 WHERE id = 1", "DELETE l WHERE id = 2", false),
        ("DELETE l WHERE id = 1", "UPDATE l SET a = 7 WHERE id = 2", false),
        ("INSERT l VALUES (4, 1, 7)", "BEGIN TRAN; INSERT l VALUES (5, 1, 5); ROLLBACK", true),
        ("UPDATE l SET a = 7 WHERE id = 3", "UPDATE g SET name = 'new' WHERE id = 2", false),
        ("UPDATE l SET a = 7 WHERE id = 3", "UPDATE g SET name = 'new' WHERE id = 1", true),
    ] {
        c.ok("DELETE l; DELETE g; INSERT g VALUES (1, 'one'), (2, 'two'), (3, 'three')");
        c.ok("INSERT l VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30)");
        one.ok("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN");
        one.ok("SELECT COUNT(*) FROM l");
        c.ok(other);
        let said = numbers(&one.rows(change));
        assert_eq!(said, if same { vec![] } else { vec![3960] }, "{change} beside {other}");
        let left = if same { "1" } else { "0" };
        assert_eq!(one.rows("SELECT @@TRANCOUNT"), left, "{change} beside {other}");
        one.ok("IF @@TRANCOUNT > 0 COMMIT");
        for (view, query) in [
            ("g, n, a FROM dbo.sums", "g, COUNT_BIG(*), SUM(a) FROM l GROUP BY g"),
            ("id, name, a FROM dbo.named", "l.id, name, a FROM l JOIN g ON g.id = l.g"),
        ] {
            let view = c.rows(&format!("SELECT {view} WITH (NOEXPAND) ORDER BY 1"));
            assert_eq!(view, c.rows(&format!("SELECT {query} ORDER BY 1")), "{change}");
        }
    }
}

/// A procedure's inner statements have moments of their own; the statement around a function goes on with its own.
#[test]
fn a_statement_goes_on_with_its_own_snapshot() {
    let (_world, mut c) = with_versions();
    c.ok("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT t SELECT value, 1 FROM GENERATE_SERIES(1, 2000)");
    c.ok("CREATE FUNCTION f (@id int) RETURNS int AS
          BEGIN RETURN (SELECT v FROM t WHERE id = @id) + (SELECT COUNT(*) FROM t WHERE id < 3) END");
    assert_eq!(c.rows("SELECT SUM(v), SUM(dbo.f(id)) FROM t"), "2000 | 6000");
    c.ok("BEGIN TRAN; UPDATE t SET v = 2 WHERE id = 1000");
    assert_eq!(c.rows("SELECT SUM(v), SUM(dbo.f(id)) FROM t"), "2001 | 6001");
}

/// Rows as they were, one by one: those of a transaction that runs, those of one that has committed, none that was inserted.
#[test]
fn row_versions_are_told_one_by_one() {
    let (world, mut c) = with_versions();
    c.ok(
        "CREATE TABLE t (id int PRIMARY KEY, v char(8)); CREATE TABLE h (id int, v varchar(8000))",
    );
    c.ok("INSERT t VALUES (1, 'first'), (2, 'second'); INSERT h VALUES (1, REPLICATE('h', 7000))");
    let mut reader = world.connect_to("d");
    reader.ok("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN; SELECT * FROM t");
    c.ok("UPDATE t SET v = 'other' WHERE id = 1; INSERT t VALUES (3, 'third')");
    c.ok("BEGIN TRAN; DELETE t WHERE id = 2; UPDATE h SET v = 'short'");
    let store = "SELECT OBJECT_NAME(p.object_id), IIF(transaction_sequence_num > 0, 1, 0), version_sequence_num, status,
            CHARINDEX(IIF(p.index_id = 0, 0x686868, IIF(transaction_sequence_num > 0, 0x6669727374, 0x7365636F6E64)),
                record_image_first_part) * IIF(record_length_first_part_in_bytes = DATALENGTH(record_image_first_part), 1, -1),
            record_length_second_part_in_bytes, record_image_second_part
        FROM sys.dm_tran_version_store AS s JOIN sys.partitions AS p ON p.hobt_id = s.rowset_id
        WHERE s.database_id = DB_ID() ORDER BY 1 DESC, 2 DESC";
    let told = c.rows(store);
    let rows: Vec<Vec<&str>> = told.lines().map(|l| l.split(" | ").collect()).collect();
    let shown: Vec<_> =
        rows.iter().map(|r| [r[0], r[1], r[2], r[3], r[5], r[6]].join(" ")).collect();
    assert_eq!(shown, ["t 1 1 0 0 NULL", "t 0 1 0 0 NULL", "h 0 2 0 0 NULL"], "{told}");
    assert!(rows.iter().all(|r| r[4].parse::<i64>().is_ok_and(|at| at > 0)), "{told}");
    // What is rolled back has no versions; what no snapshot needs goes.
    c.ok("ROLLBACK");
    assert_eq!(c.rows(store).lines().count(), 1);
    reader.ok("COMMIT");
    until(&mut c, "SELECT COUNT(*) FROM sys.dm_tran_version_store", "0");
}

/// Where memory for versions ends, the oldest snapshot does, and the error log has 3967; where that does not help, 3959.
#[test]
fn the_error_log_has_the_victims_of_a_full_version_store() {
    let dir = std::env::temp_dir().join(format!("taffrail-engine-victims-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let mut options = taffrail_engine::InstanceOptions::new(&dir, taffrail_io::Env::os());
    options.max_server_memory_mb = 128;
    options.row_versions_mb = Some(1);
    let world = World { instance: taffrail_engine::start(options).unwrap(), dir };
    let mut c = world.connect();
    c.ok("CREATE DATABASE victims");
    c.ok("ALTER DATABASE victims SET ALLOW_SNAPSHOT_ISOLATION ON; ALTER DATABASE victims SET DELAYED_DURABILITY = FORCED");
    c.ok("USE victims; CREATE TABLE t (id int PRIMARY KEY, v char(1000))");
    c.ok("INSERT t SELECT value, 'a' FROM GENERATE_SERIES(1, 3000)");
    let mut reader = world.connect_to("victims");
    reader.ok(
        "SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN; SELECT COUNT(*) FROM t WHERE id < 3",
    );
    let id = reader.rows("SELECT transaction_id FROM sys.dm_tran_current_transaction");
    let spid = reader.rows("SELECT @@SPID");
    let raised = |number: i32| -> Vec<(u16, String)> {
        let all = EventRing::global().read_after(0).into_iter();
        let of = |e| match e {
            Event::Raised { session, number: n, text, .. } if n == number => {
                Some((session.0, text))
            }
            _ => None,
        };
        all.filter_map(|e| of(e.event)).collect()
    };
    c.ok("UPDATE t SET v = 'b' WHERE id <= 500");
    assert!(raised(3967).is_empty(), "half a megabyte");
    c.ok("UPDATE t SET v = 'c' WHERE id BETWEEN 501 AND 1200");
    let victims = raised(3967);
    assert_eq!(victims.len(), 1, "{victims:?}");
    assert_eq!(victims[0].0.to_string(), spid);
    assert!(victims[0].1.contains(&format!("Transaction (id={id} xsn=")), "{victims:?}");
    assert!(victims[0].1.contains(&format!(" spid={spid} elapsed_time=")), "{victims:?}");
    assert_eq!(numbers(&reader.rows("SELECT COUNT(*) FROM t")), [3966]);
    assert!(raised(3959).is_empty());
    reader.ok("BEGIN TRAN; SELECT COUNT(*) FROM t");
    c.ok("UPDATE t SET v = 'd'");
    assert_eq!(raised(3959).len(), 1, "one transaction changes one tree");
    assert_eq!(raised(3967).len(), 2);
    assert_eq!(numbers(&reader.rows("SELECT COUNT(*) FROM t")), [3966]);
}

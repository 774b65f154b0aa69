//! Tables, indexes, constraints, databases, views and procedures of the system, as a client sees them.

use crate::support;

use support::{World, numbers};

#[test]
fn tables_come_and_go() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE dbo.t (a int NOT NULL PRIMARY KEY, b varchar(10) NULL DEFAULT 'x', c decimal(10,2) CHECK (c > 0)) ON [PRIMARY]");
    assert_eq!(numbers(&c.rows("CREATE TABLE t (a int)")), [2714]);
    assert_eq!(numbers(&c.rows("CREATE TABLE u (a int, A int)")), [2705]);
    assert_eq!(numbers(&c.rows("CREATE TABLE nowhere.u (a int)")), [2760]);
    assert_eq!(numbers(&c.rows("CREATE TABLE u (a strange)")), [2715]);
    assert_eq!(numbers(&c.rows("CREATE TABLE u (a int PRIMARY KEY, b int PRIMARY KEY)")), [8110]);
    assert_eq!(numbers(&c.rows("CREATE TABLE u (a int IDENTITY, b int IDENTITY)")), [2744]);
    assert_eq!(numbers(&c.rows("CREATE TABLE u (a varchar(10) IDENTITY)")), [2749]);
    c.ok("INSERT t (a, c) VALUES (1, 2.5)");
    assert_eq!(c.rows("SELECT * FROM t"), "1 | x | 2.50");
    assert_eq!(numbers(&c.rows("INSERT t (a, c) VALUES (2, -1)"))[0], 547);
    assert_eq!(numbers(&c.rows("INSERT t (a, c) VALUES (1, 1)"))[0], 2627);
    c.ok("DROP TABLE t");
    assert_eq!(numbers(&c.rows("DROP TABLE t")), [3701]);
    c.ok("DROP TABLE IF EXISTS t");
    assert_eq!(numbers(&c.rows("SELECT * FROM t")), [208]);
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.objects"), "0");
}

#[test]
fn ddl_is_rolled_back_with_its_transaction() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE keep (a int IDENTITY, b int)");
    c.ok("INSERT keep (b) VALUES (1), (2)");
    c.ok("BEGIN TRAN; CREATE TABLE gone (a int PRIMARY KEY); INSERT gone VALUES (1); DROP TABLE keep; ROLLBACK");
    assert_eq!(numbers(&c.rows("SELECT * FROM gone")), [208]);
    c.ok("BEGIN TRAN; TRUNCATE TABLE keep; INSERT keep (b) VALUES (9)");
    assert_eq!(c.rows("SELECT a, b FROM keep"), "1 | 9");
    c.ok("ROLLBACK");
    c.ok("INSERT keep (b) VALUES (3)");
    assert_eq!(c.rows("SELECT a, b FROM keep ORDER BY a"), "1 | 1\n2 | 2\n3 | 3");
    c.ok("BEGIN TRAN; CREATE INDEX i ON keep (b); SAVE TRAN s; ALTER TABLE keep ADD n int NULL; ROLLBACK TRAN s; COMMIT");
    assert_eq!(
        c.rows(
            "SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('keep') ORDER BY column_id"
        ),
        "a\nb"
    );
    assert_eq!(
        c.rows("SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('keep') AND index_id > 0"),
        "i"
    );
    assert_eq!(c.rows("SELECT a FROM keep WHERE b = 2"), "2");
}

#[test]
fn another_session_waits_for_ddl_and_sees_its_end() {
    let (w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a int)");
    c.ok("INSERT t VALUES (1)");
    for (end, expected) in [("ROLLBACK", "1"), ("COMMIT", "208")] {
        c.ok("BEGIN TRAN; DROP TABLE t");
        let mut other = w.connect();
        let waiting = std::thread::spawn(move || {
            other.run("USE d");
            other.rows("SELECT a FROM t")
        });
        std::thread::sleep(std::time::Duration::from_millis(100));
        c.ok(end);
        let said = waiting.join().unwrap();
        assert!(said == expected || numbers(&said) == [208] && expected == "208", "{said}");
    }
}

#[test]
fn identities_grow_over_restarts_and_never_repeat() {
    let (w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int IDENTITY(10, 5), s varchar(10))");
    c.ok("INSERT t VALUES ('a'), ('b')");
    assert_eq!(c.rows("SELECT id, s FROM t ORDER BY id"), "10 | a\n15 | b");
    c.ok("SET IDENTITY_INSERT t ON; INSERT t (id, s) VALUES (100, 'c'); SET IDENTITY_INSERT t OFF");
    c.ok("INSERT t VALUES ('d')");
    assert_eq!(c.rows("SELECT MAX(id) FROM t"), "105");
    assert_eq!(
        c.rows("SELECT CAST(seed_value AS int), CAST(increment_value AS int), CAST(last_value AS int) FROM sys.identity_columns"),
        "10 | 5 | 105"
    );
    drop(c);
    let w = w.restart();
    let mut c = w.connect_to("d");
    c.ok("INSERT t VALUES ('e')");
    assert_eq!(c.rows("SELECT MAX(id) FROM t"), "110");
    c.rows("DBCC CHECKIDENT ('t', RESEED, 1000)");
    c.ok("INSERT t VALUES ('f')");
    assert_eq!(c.rows("SELECT MAX(id) FROM t"), "1005");
    c.ok("CREATE TABLE small (id tinyint IDENTITY(254, 1))");
    c.ok("INSERT small DEFAULT VALUES; INSERT small DEFAULT VALUES");
    assert_eq!(numbers(&c.rows("INSERT small DEFAULT VALUES"))[0], 8115);
}

#[test]
fn indexes_are_built_from_rows_and_dropped() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a int, b varchar(20), c char(300))");
    c.ok("DECLARE @i int = 0 WHILE @i < 3000 BEGIN INSERT t VALUES (@i * 7 % 3000, 'r' + CONVERT(varchar, @i), 'c') SET @i += 1 END");
    c.ok("CREATE INDEX ix ON t (b) INCLUDE (a)");
    assert_eq!(c.rows("SELECT a FROM t WHERE b = 'r100'"), "700");
    c.ok("CREATE UNIQUE CLUSTERED INDEX ci ON t (a)");
    assert_eq!(c.rows("SELECT b FROM t WHERE a = 700"), "r100");
    assert_eq!(c.rows("SELECT a FROM t WHERE b = 'r2999'"), (2999 * 7 % 3000).to_string());
    assert_eq!(numbers(&c.rows("CREATE CLUSTERED INDEX c2 ON t (b)")), [1902]);
    assert_eq!(numbers(&c.rows("CREATE INDEX ix ON t (a)")), [1913]);
    assert_eq!(numbers(&c.rows("CREATE INDEX iy ON t (zz)")), [1911]);
    assert_eq!(numbers(&c.rows("INSERT t VALUES (1, 'x', 'y')"))[0], 2601);
    assert_eq!(c.rows("SELECT index_id, name, type_desc, is_unique FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY index_id"),
        "1 | ci | CLUSTERED | 1\n2 | ix | NONCLUSTERED | 0");
    c.ok("DROP INDEX ci ON t");
    assert_eq!(
        c.rows(
            "SELECT type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('t') AND index_id = 0"
        ),
        "HEAP"
    );
    assert_eq!(c.rows("SELECT COUNT(*), SUM(a) FROM t"), format!("3000 | {}", 2999 * 3000 / 2));
    assert_eq!(c.rows("SELECT a FROM t WHERE b = 'r100'"), "700");
    c.ok("UPDATE t SET a = 1 WHERE a < 3");
    let said = c.rows("CREATE UNIQUE INDEX iu ON t (a)");
    assert!(said.starts_with("Msg 1505") && said.contains("(1)"), "{said}");
    c.ok("CREATE CLUSTERED INDEX many ON t (a)");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t WHERE a = 1"), "3");
    c.ok("INSERT t VALUES (1, 'again', 'y'); ALTER INDEX ALL ON t REBUILD");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t WHERE a = 1"), "4");
    assert_eq!(numbers(&c.rows("DROP INDEX t.nothing")), [3701]);
}

#[test]
fn tables_are_altered_with_their_rows() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a int NOT NULL, b varchar(10))");
    c.ok("INSERT t VALUES (1, 'one'), (2, 'two')");
    c.ok("ALTER TABLE t ADD n int NULL, d int NOT NULL CONSTRAINT df DEFAULT 42");
    assert_eq!(c.rows("SELECT * FROM t ORDER BY a"), "1 | one | NULL | 42\n2 | two | NULL | 42");
    assert_eq!(numbers(&c.rows("ALTER TABLE t ADD e int NOT NULL")), [4901]);
    c.ok("INSERT t (a, b) VALUES (3, 'three')");
    assert_eq!(numbers(&c.rows("ALTER TABLE t DROP COLUMN d")), [5074, 4922]);
    c.ok("ALTER TABLE t DROP CONSTRAINT df; ALTER TABLE t DROP COLUMN d, COLUMN b");
    assert_eq!(c.rows("SELECT * FROM t ORDER BY a"), "1 | NULL\n2 | NULL\n3 | NULL");
    c.ok("ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (a)");
    assert_eq!(numbers(&c.rows("ALTER TABLE t ADD CONSTRAINT pk2 PRIMARY KEY (n)")), [1779, 1750]);
    assert_eq!(numbers(&c.rows("INSERT t VALUES (3, 3)"))[0], 2627);
    assert_eq!(numbers(&c.rows("DROP INDEX pk ON t")), [3723]);
    c.ok("ALTER TABLE t ALTER COLUMN n bigint NOT NULL".replace(" NOT NULL", "").as_str());
    c.ok("UPDATE t SET n = 5000000000");
    assert_eq!(c.rows("SELECT n FROM t WHERE a = 2"), "5000000000");
    assert_eq!(numbers(&c.rows("ALTER TABLE t ALTER COLUMN n int")), [8115, 3621]);
    c.ok("ALTER TABLE t ALTER COLUMN n varchar(20)");
    assert_eq!(c.rows("SELECT n + '!' FROM t WHERE a = 2"), "5000000000!");
    c.ok("ALTER TABLE t ALTER COLUMN n varchar(50) NOT NULL");
    assert_eq!(numbers(&c.rows("INSERT t VALUES (9, NULL)"))[0], 515);
    c.ok("ALTER TABLE t DROP CONSTRAINT pk");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.key_constraints"), "0");
    assert_eq!(numbers(&c.rows("ALTER TABLE t DROP CONSTRAINT pk")), [3728, 3727]);
    assert_eq!(numbers(&c.rows("ALTER TABLE missing ADD a int")), [4902]);
}

#[test]
fn databases_are_created_altered_and_dropped() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE [My DB] ON (NAME = one, SIZE = 16MB, FILEGROWTH = 10%) LOG ON (NAME = two, SIZE = \
        3MB, MAXSIZE = 100MB, FILEGROWTH = 512KB)");
    assert_eq!(
        c.rows("SELECT name, type_desc, size, max_size, growth, is_percent_growth FROM [My DB].sys.database_files"),
        "one | ROWS | 2048 | -1 | 10 | 1\ntwo | LOG | 384 | 12800 | 64 | 0"
    );
    assert!(w.dir.join("My DB.mdf").exists() && w.dir.join("My DB_log.ldf").exists());
    assert_eq!(numbers(&c.rows("CREATE DATABASE [my db]")), [1801]);
    assert_eq!(
        numbers(&c.rows("CREATE DATABASE x ON (NAME = x, FILENAME = '/etc/x.mdf')")),
        [5133, 1802]
    );
    assert_eq!(numbers(&c.rows("CREATE DATABASE x LOG ON (NAME = l, SIZE = 100KB)")), [5174]);
    assert_eq!(numbers(&c.rows("BEGIN TRAN CREATE DATABASE x")), [226]);
    c.run("IF @@TRANCOUNT > 0 ROLLBACK");
    c.ok("ALTER DATABASE [My DB] SET RECOVERY SIMPLE WITH NO_WAIT");
    c.ok("ALTER DATABASE [My DB] SET DELAYED_DURABILITY = ALLOWED");
    c.ok("ALTER DATABASE [My DB] SET TARGET_RECOVERY_TIME = 30 SECONDS");
    c.ok("ALTER DATABASE [My DB] MODIFY FILE (NAME = one, SIZE = 20MB)");
    c.ok("ALTER DATABASE [My DB] MODIFY FILE (NAME = two, SIZE = 5MB)");
    assert_eq!(
        c.rows(
            "SELECT recovery_model_desc, delayed_durability_desc, target_recovery_time_in_seconds, \
            state_desc FROM sys.databases WHERE name = 'My DB'"
        ),
        "SIMPLE | ALLOWED | 30 | ONLINE"
    );
    assert_eq!(
        c.rows("SELECT name, size FROM sys.master_files WHERE database_id = DB_ID('My DB')"),
        "one | 2560\ntwo | 640"
    );
    assert_eq!(
        numbers(&c.rows("ALTER DATABASE [My DB] MODIFY FILE (NAME = one, SIZE = 1MB)")),
        [5039, 5069]
    );
    assert_eq!(
        numbers(&c.rows("ALTER DATABASE [My DB] MODIFY FILE (NAME = three, SIZE = 100MB)")),
        [5041, 5069]
    );
    assert_eq!(
        numbers(&c.rows("ALTER DATABASE [My DB] MODIFY FILE (NAME = two, SIZE = 200MB)")),
        [5040, 5069]
    );
    assert_eq!(numbers(&c.rows("ALTER DATABASE missing SET RECOVERY FULL")), [5011, 5069]);
    assert_eq!(numbers(&c.rows("ALTER DATABASE [My DB] SET NUMERIC_ROUNDABORT ON")), [40510]);
    assert_eq!(numbers(&c.rows("DROP DATABASE master")), [3708]);
    assert_eq!(numbers(&c.rows("DROP DATABASE missing")), [3701]);
    assert_eq!(numbers(&c.rows("USE missing")), [911]);
    let mut other = w.connect();
    other.run("USE [My DB]");
    assert_eq!(numbers(&c.rows("DROP DATABASE [My DB]")), [3702]);
    drop(other);
    let w = {
        drop(c);
        w.restart()
    };
    let mut c = w.connect();
    assert_eq!(
        c.rows("SELECT recovery_model_desc FROM sys.databases WHERE name = 'My DB'"),
        "SIMPLE"
    );
    c.ok("IF DB_ID('My DB') IS NOT NULL BEGIN ALTER DATABASE [My DB] SET SINGLE_USER WITH ROLLBACK IMMEDIATE DROP DATABASE [My DB] END");
    assert!(!w.dir.join("My DB.mdf").exists() && !w.dir.join("My DB_log.ldf").exists());
    assert_eq!(
        c.rows("SELECT name FROM sys.databases ORDER BY database_id"),
        "master\ntempdb\nmodel\nmsdb"
    );
}

#[test]
fn procedures_are_kept_as_text() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE PROCEDURE dbo.p @a int = 3, @b varchar(10) OUTPUT AS SELECT @a");
    assert_eq!(numbers(&c.rows("CREATE PROC p AS SELECT 1")), [2714]);
    assert_eq!(
        c.rows("SELECT name, parameter_id, is_output, max_length FROM sys.parameters"),
        "@a | 1 | 0 | 4\n@b | 2 | 1 | 10"
    );
    c.ok("ALTER PROC p AS SELECT 2");
    assert_eq!(
        c.rows("SELECT definition FROM sys.sql_modules WHERE object_id = OBJECT_ID('p')"),
        "CREATE PROC p AS SELECT 2"
    );
    assert_eq!(c.rows("EXEC p"), "2");
    c.ok("CREATE OR ALTER PROC p AS SELECT 4");
    assert_eq!(c.rows("EXEC p"), "4");
    assert_eq!(c.rows("SELECT name, type FROM sys.procedures"), "p | P ");
    c.ok("DROP PROC p");
    assert_eq!(numbers(&c.rows("DROP PROC p")), [3701]);
    c.ok("CREATE SCHEMA s");
    c.ok("CREATE TABLE s.t (a int)");
    assert_eq!(numbers(&c.rows("DROP SCHEMA s")), [3729]);
    assert_eq!(c.rows("SELECT TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.TABLES"), "s | t");
    c.ok("DROP TABLE s.t; DROP SCHEMA s");
}

#[test]
fn every_system_view_gives_rows_of_its_columns() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, a varchar(10) DEFAULT 'x', m varchar(max), CHECK (a <> 'y'), UNIQUE (a))");
    c.ok("CREATE PROC p @x int AS SELECT @x");
    c.ok("INSERT t (a) VALUES ('a')");
    c.ok("BEGIN TRAN; INSERT t (a) VALUES ('b')");
    let views = c.rows("SELECT SCHEMA_NAME(schema_id) + '.' + name FROM sys.system_objects WHERE type = 'V' ORDER BY name");
    assert!(views.lines().count() > 60, "{views}");
    for view in views.lines() {
        let said = c.rows(&format!("SELECT * FROM {view}"));
        assert!(!said.lines().any(|l| l.starts_with("Msg ")), "{view}: {said}");
    }
    for f in
        ["dm_db_log_info(NULL)", "dm_db_log_stats(DB_ID())", "dm_io_virtual_file_stats(NULL, NULL)"]
    {
        let said = c.rows(&format!("SELECT * FROM sys.{f}"));
        assert!(!said.contains("Msg ") && !said.is_empty(), "{f}: {said}");
    }
    c.ok("ROLLBACK");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.types"), "34");
    assert_eq!(c.rows("SELECT definition FROM sys.default_constraints"), "('x')");
    assert!(c.rows("SELECT wait_type FROM sys.dm_os_wait_stats").contains("WRITELOG"));
    assert_eq!(
        c.rows(
            "SELECT COUNT(*) FROM sys.dm_os_performance_counters WHERE counter_name = 'Log \
        Flushes/sec' AND instance_name = 'd'"
        ),
        "1"
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id = @@SPID AND command = 'SELECT'"), "1");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sysobjects WHERE xtype = 'U'"), "1");
}

#[test]
fn dbcc_says_what_scripts_expect() {
    let (_w, mut c) = World::with_database();
    let done = "Msg 2528, Level 10, State 1, Line 1: DBCC execution completed. If DBCC printed error messages, \
        contact your system administrator.";
    let said = c.run("DBCC LOGINFO");
    assert!(
        said.starts_with(
            "[RecoveryUnitId int, FileId int, FileSize bigint, StartOffset bigint, FSeqNo int, \
        Status int, Parity tinyint, CreateLSN numeric(25,0)]"
        ),
        "{said}"
    );
    assert!(said.contains(done), "{said}");
    assert_eq!(c.rows("DBCC LOGINFO ('d') WITH TABLERESULTS, NO_INFOMSGS").lines().count(), 4);
    assert_eq!(numbers(&c.rows("DBCC LOGINFO ('missing')")), [2520]);
    let said = c.run("DBCC SQLPERF(LOGSPACE)");
    assert!(
        said.contains(
            "Database Name nvarchar(128), Log Size (MB) real, Log Space Used (%) real, Status int"
        ),
        "{said}"
    );
    assert_eq!(c.rows("DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR)"), done);
    assert!(c.rows("DBCC OPENTRAN").starts_with("print: No active open transactions."));
    c.ok("CREATE TABLE t (a int)");
    c.ok("BEGIN TRAN INSERT t VALUES (1)");
    assert!(c.rows("DBCC OPENTRAN").contains("Oldest active transaction:"));
    c.ok("ROLLBACK");
    assert_eq!(numbers(&c.rows("DBCC NOSUCHTHING")), [2526]);
}

/// The count of VLFs of all databases, as it circulates among administrators.
#[test]
fn vlfs_of_all_databases_are_counted() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE #VLFS (RecoveryUnitId int, fileid int, filesize bigint, startoffset bigint, fseqno \
        bigint, status int, parity int, createlsn varchar(1000))");
    c.ok("CREATE TABLE #Results (SRV_Name nvarchar(500), Database_Name nvarchar(500), VLFS INT)");
    let said = c.rows(
        "exec master.dbo.sp_msforeachdb
           @command1 = 'USE ? INSERT INTO #VLFS EXEC(''DBCC LOGINFO WITH TABLERESULTS'')',
           @command2 = 'insert into #Results SELECT @@SERVERNAME,''?'',count(*) from #vlfs',
           @command3 = 'truncate table #vlfs'",
    );
    assert!(numbers(&said).iter().all(|n| [2528, 5701].contains(n)), "{said}");
    let counts = c.rows("SELECT Database_Name, VLFS FROM #Results");
    for name in ["master", "tempdb", "model", "msdb", "d"] {
        assert!(
            counts.lines().any(|l| l.starts_with(&format!("{name} | ")) && !l.ends_with("| 0")),
            "{counts}"
        );
    }
    c.ok("drop table #vlfs drop table #Results");
}

#[test]
fn system_procedures_answer() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, s varchar(100))");
    c.ok("INSERT t (s) VALUES ('x')");
    let said = c.run("EXEC sp_spaceused");
    assert!(said.contains("[database_name nvarchar(128), database_size varchar(18), unallocated space varchar(18)]"), "{said}");
    assert!(
        c.rows("EXEC sp_spaceused 't'").starts_with("t | 1 "),
        "{}",
        c.rows("EXEC sp_spaceused 't'")
    );
    assert_eq!(numbers(&c.rows("EXEC sp_spaceused 'missing'")), [15009]);
    for p in [
        "sys.sp_flush_log",
        "sp_databases",
        "sp_helpdb",
        "sp_helpdb 'd'",
        "sp_helpfile",
        "sp_who",
        "sp_who2",
        "sp_help",
        "sp_help 't'",
        "sp_helpindex 't'",
        "sp_configure",
        "sp_tables",
        "sp_columns 't'",
        "sp_columns_100 't'",
        "sp_pkeys 't'",
        "sp_statistics 't'",
        "sp_datatype_info",
        "sp_datatype_info_100 0, 3",
        "sp_server_info",
        "xp_msver",
        "sp_stored_procedures",
        "sp_special_columns 't'",
        "sp_fkeys 't'",
        "sp_MSforeachtable 'SELECT COUNT(*) FROM ?'",
    ] {
        let said = c.rows(&format!("EXEC {p}"));
        let info = |l: &str| l.contains(", Level 0,") || l.contains(", Level 10,");
        assert!(!said.lines().any(|l| l.contains("Msg ") && !info(l)), "{p}: {said}");
        assert!(
            p.contains("flush") || p.contains("stored") || p.contains("fkeys") || !said.is_empty(),
            "{p}"
        );
    }
    assert_eq!(c.rows("EXEC sp_MSforeachtable 'SELECT COUNT(*) FROM ?'"), "1");
    assert_eq!(c.rows("EXEC sp_pkeys 't'").split(" | ").nth(3), Some("id"));
}

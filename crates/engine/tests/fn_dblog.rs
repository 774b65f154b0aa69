//! `sys.fn_dblog`: what a session sees of its own work, bounds, every column's type, and that nothing is made twice.

use crate::support;

use support::{Heard, World};
use taffrail_types::{SqlType, Value};

fn fits(v: &Value, ty: SqlType) -> bool {
    use SqlType as T;
    matches!(
        (v, ty),
        (Value::Null, _)
            | (Value::NVarChar(_), T::NVarChar(_))
            | (Value::BigInt(_), T::BigInt)
            | (Value::Int(_), T::Int)
            | (Value::SmallInt(_), T::SmallInt)
            | (Value::Binary(_), T::Binary(_) | T::VarBinary(_))
    )
}

#[test]
fn every_record_of_every_kind_fits_the_130_columns() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d; CHECKPOINT; CREATE TABLE t (id int NOT NULL PRIMARY KEY, v varchar(2000)); CREATE TABLE h (v \
        varchar(100), w varchar(max))");
    c.ok("DECLARE @i int = 0; WHILE @i < 300 BEGIN INSERT t VALUES (@i, REPLICATE('x', 500)); INSERT h VALUES \
        ('a', REPLICATE(CAST('y' AS varchar(max)), 9000)); SET @i += 1 END");
    c.ok("BEGIN TRAN; UPDATE t SET v = 'short' WHERE id < 50; SAVE TRAN here; DELETE t WHERE id > 250; DELETE \
        TOP (20) FROM h; ROLLBACK TRAN here; ROLLBACK");
    c.ok("BEGIN TRAN; UPDATE t SET v = 'longer than it was' WHERE id < 10");
    let mut heard = Heard::default();
    c.connection.execute_batch("SELECT * FROM sys.fn_dblog(NULL, NULL)", &mut heard);
    let view = taffrail_engine::find_view(Some("sys"), "fn_dblog").expect("it is there");
    assert_eq!(view.columns.len(), 130);
    assert!(heard.rows.len() > 300, "{}", heard.rows.len());
    for row in &heard.rows {
        for (v, column) in row.iter().zip(&view.columns) {
            assert!(fits(v, column.ty), "{}: {v:?} as {:?}", column.name, column.ty);
        }
        for (v, column) in row.iter().zip(&view.columns) {
            assert!(column.nullable || !v.is_null(), "{}", column.name);
        }
    }
}

#[test]
fn a_session_sees_its_own_uncommitted_work_by_its_columns() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d; ALTER DATABASE d SET RECOVERY SIMPLE; CREATE TABLE t (id int NOT NULL CONSTRAINT pk PRIMARY \
        KEY, v varchar(20)); INSERT t VALUES (1, 'before'); CHECKPOINT");
    c.ok("BEGIN TRAN mine; INSERT t VALUES (2, 'new'); UPDATE t SET v = 'beyond' WHERE id = 1; DELETE t WHERE id = 2");
    let shown = c.rows(
        "SELECT Operation, Context, AllocUnitName, [Number of Locks], [Transaction Name], SPID
         FROM fn_dblog(NULL, NULL) WHERE [Transaction ID] =
         (SELECT TOP 1 [Transaction ID] FROM fn_dblog(NULL, NULL) WHERE [Transaction Name] = 'mine')",
    );
    let want = "LOP_BEGIN_XACT | LCX_NULL | NULL | NULL | mine | 51
LOP_INSERT_ROWS | LCX_CLUSTERED | dbo.t.pk | 2 | NULL | NULL
LOP_MODIFY_ROW | LCX_CLUSTERED | dbo.t.pk | 2 | NULL | NULL
LOP_DELETE_ROWS | LCX_MARK_AS_GHOST | dbo.t.pk | 2 | NULL | NULL";
    assert!(shown.contains(want), "{shown}");
    let images = c.rows("SELECT CAST([RowLog Contents 0] AS varchar(20)), CAST([RowLog Contents 1] AS \
        varchar(20)) FROM fn_dblog(NULL, NULL) WHERE Operation = 'LOP_MODIFY_ROW' AND AllocUnitName = 'dbo.t.pk'");
    assert!(images.contains("fore | yond"), "{images}");
    let locks = c.rows(
        "SELECT [Lock Information] FROM fn_dblog(NULL, NULL) WHERE Operation = 'LOP_INSERT_ROWS' \
        AND AllocUnitName = 'dbo.t.pk'",
    );
    assert!(
        locks.contains(":ACQUIRE_LOCK_IX OBJECT: ") && locks.contains(";ACQUIRE_LOCK_X KEY: "),
        "{locks}"
    );
    // A chain of one transaction hangs together by its LSNs.
    let broken = c.rows("SELECT COUNT(*) FROM fn_dblog(NULL, NULL) a WHERE a.[Previous LSN] <> \
        '00000000:00000000:0000' AND NOT EXISTS (SELECT 1 FROM fn_dblog(NULL, NULL) b WHERE b.[Current LSN] = \
        a.[Previous LSN])");
    assert_eq!(broken, "0");
    c.ok("COMMIT");
    let ends = c.rows("SELECT COUNT(*) FROM fn_dblog(NULL, NULL) e JOIN fn_dblog(NULL, NULL) b ON \
        e.[Transaction Begin] = b.[Current LSN] WHERE e.Operation = 'LOP_COMMIT_XACT' AND b.[Transaction Name] \
        = 'mine'");
    assert_eq!(ends, "1");
}

/// DDL tells each object that it locks, once a transaction, rolled back or not; a statement that changes rows has no such record.
#[test]
fn ddl_tells_the_objects_that_it_locks() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d; CREATE TABLE t (id int); CREATE TABLE u (id int)");
    c.ok("BEGIN TRAN kept; ALTER TABLE t ADD v int; ALTER TABLE t ADD w int; COMMIT");
    c.ok("BEGIN TRAN undone; DROP TABLE u; ROLLBACK");
    c.ok("INSERT u VALUES (1)");
    let locks = "SELECT b.[Transaction Name], l.Context, l.[Number of Locks],
            REPLACE(REPLACE(l.[Lock Information], CONCAT(DB_ID(), ':', OBJECT_ID('t'), ':0'), 't'),
                CONCAT(DB_ID(), ':', OBJECT_ID('u'), ':0'), 'u')
        FROM fn_dblog(NULL, NULL) l JOIN fn_dblog(NULL, NULL) b ON b.[Transaction ID] = l.[Transaction ID]
        WHERE l.Operation = 'LOP_LOCK_XACT' AND b.[Transaction Name] IS NOT NULL ORDER BY l.[Current LSN]";
    let told = "CREATE TABLE | LCX_NULL | 1 | HoBt 0:ACQUIRE_LOCK_SCH_M OBJECT: t \n\
        CREATE TABLE | LCX_NULL | 1 | HoBt 0:ACQUIRE_LOCK_SCH_M OBJECT: u \n\
        kept | LCX_NULL | 1 | HoBt 0:ACQUIRE_LOCK_SCH_M OBJECT: t \n\
        undone | LCX_NULL | 1 | HoBt 0:ACQUIRE_LOCK_SCH_M OBJECT: u ";
    assert_eq!(c.rows(locks), told);
}

/// As SQL Server names them: scripts look for these words.
#[test]
fn dropped_tables_and_deletions_have_their_names() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE h (id int NOT NULL); CREATE TABLE t (id int NOT NULL CONSTRAINT pk PRIMARY KEY)");
    c.ok("INSERT h VALUES (1); INSERT t VALUES (1); DELETE h; DELETE t");
    let contexts = "SELECT AllocUnitName, Context FROM fn_dblog(NULL, NULL) WHERE Operation = 'LOP_DELETE_ROWS' \
        AND AllocUnitName IN ('dbo.h', 'dbo.t.pk') ORDER BY 1";
    assert_eq!(c.rows(contexts), "dbo.h | LCX_HEAP\ndbo.t.pk | LCX_MARK_AS_GHOST");
    c.ok("DROP TABLE h");
    let dropped =
        "SELECT [Transaction Name] FROM fn_dblog(NULL, NULL) WHERE [Transaction Name] LIKE 'DROP%'";
    assert_eq!(c.rows(dropped), "DROPOBJ");
}

#[test]
fn a_deletion_shows_the_row_that_its_insertion_showed() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int NOT NULL CONSTRAINT pk PRIMARY KEY, n int NOT NULL, v varchar(max) NULL); CREATE INDEX i ON t (n)");
    c.ok("CREATE TABLE h (id int NOT NULL, v varchar(max) NULL)");
    c.ok("BEGIN TRAN; INSERT t VALUES (1, 10, 'one'), (2, 20, REPLICATE(CAST('x' AS varchar(max)), 20000)); \
        INSERT h SELECT id, v FROM t; DELETE t; DELETE h");
    let images = |operation: &str| {
        format!(
            "SELECT AllocUnitName, [RowLog Contents 0], [Num Elements], [Log Record Length] - [Log Record Fixed \
                Length] - DATALENGTH([RowLog Contents 0]) AS more
             FROM fn_dblog(NULL, NULL) WHERE Operation = '{operation}' AND AllocUnitName IN ('dbo.t.pk', 'dbo.t.i', 'dbo.h')
             ORDER BY AllocUnitName, [RowLog Contents 0]"
        )
    };
    let inserted = c.rows(&images("LOP_INSERT_ROWS"));
    let deleted = c.rows(&images("LOP_DELETE_ROWS"));
    assert_eq!(deleted.lines().count(), 6, "{deleted}");
    // Besides the row the record has one byte: where the row was.
    let inserted: Vec<_> = inserted.lines().map(|l| format!("{} | 1", &l[..l.len() - 4])).collect();
    assert_eq!(deleted.lines().collect::<Vec<_>>(), inserted);
    assert_eq!(
        c.rows(
            "SELECT COUNT(*) FROM fn_dblog(NULL, NULL) WHERE Operation = 'LOP_DELETE_ROWS' AND \
        AllocUnitName IN ('dbo.t.pk', 'dbo.t.i', 'dbo.h') AND [Log Reserve] <> 67"
        ),
        "0"
    );
    c.ok("ROLLBACK");
    assert_eq!(c.rows("SELECT COUNT(*), SUM(DATALENGTH(v)) FROM t"), "0 | NULL");
}

#[test]
fn bounds_arguments_and_refusals() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d; CREATE TABLE t (id int); INSERT t VALUES (1); INSERT t VALUES (2)");
    let all = c.rows("SELECT COUNT(*) FROM fn_dblog(NULL, NULL)");
    let bounded = c.rows(
        "DECLARE @a nvarchar(25), @z nvarchar(25);
         SELECT @a = '0x' + MIN([Current LSN]), @z = '0x' + MAX([Current LSN]) FROM fn_dblog(NULL, NULL);
         SELECT COUNT(*) FROM sys.fn_dblog(@a, @z);
         SELECT COUNT(*) FROM sys.fn_dblog(@z, NULL); SELECT COUNT(*) FROM sys.fn_dblog(@a, @a)",
    );
    assert_eq!(bounded.lines().collect::<Vec<_>>(), [&*all, "1", "1"]);
    for (call, number) in [
        ("fn_dblog(NULL)", 313),
        ("fn_dblog(NULL, NULL, NULL)", 8144),
        ("fn_dblog('rubbish', NULL)", 9005),
        ("fn_dblog('999:16:1', NULL)", 9003),
    ] {
        let heard = c.rows(&format!("SELECT COUNT(*) FROM {call}"));
        assert!(heard.contains(&format!("Msg {number}")), "{call}: {heard}");
    }
    // What the query itself logs is not in what it reads: this ends.
    let into = c.rows(
        "SELECT [Current LSN] l INTO copy FROM fn_dblog(NULL, NULL); SELECT COUNT(*) FROM copy",
    );
    assert!(!into.contains("Msg"), "{into}");
    let top = c.rows(
        "SELECT TOP (3) Operation FROM fn_dblog(NULL, NULL) ORDER BY [Current LSN]; SELECT \
        log_reuse_wait_desc FROM sys.databases WHERE name = 'd'",
    );
    assert!(!top.contains("LOG_SCAN"), "{top}");
}

#[test]
fn a_backups_records_are_those_that_the_log_had() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE d");
    c.ok("ALTER DATABASE d SET RECOVERY FULL; BACKUP DATABASE d TO DISK = 'd.bak' WITH INIT");
    c.ok("USE d; CREATE TABLE t (id int NOT NULL CONSTRAINT pk PRIMARY KEY, v varchar(20)); INSERT t VALUES (1, \
        'kept'); INSERT t VALUES (2, 'kept too')");
    c.ok("BACKUP LOG d TO DISK = 'd1.trn', DISK = 'd2.trn' WITH INIT");
    let rest = "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL";
    let rows = c.rows(&format!(
        "SELECT Operation, Context, AllocUnitName, CAST(RIGHT([RowLog Contents 0], 8) AS varchar(8)) FROM \
            fn_dump_dblog(NULL, NULL, N'DISK', 1, N'd1.trn', N'd2.trn', {rest}) WHERE AllocUnitName = \
            'dbo.t.pk' AND Operation = 'LOP_INSERT_ROWS'"
    ));
    assert_eq!(rows.lines().count(), 2, "{rows}");
    assert!(rows.contains("kept too"), "{rows}");
    // Fewer arguments are enough; a bound; chains hold together.
    let last = c.rows(
        "SELECT MAX([Current LSN]) FROM fn_dump_dblog(NULL, NULL, 'DISK', 1, 'd1.trn', 'd2.trn')",
    );
    let one = c.rows(&format!(
        "SELECT COUNT(*) FROM fn_dump_dblog('0x{last}', NULL, NULL, NULL, 'd1.trn', 'd2.trn')"
    ));
    assert_eq!(one, "1");
    let full = c.rows("SELECT CASE WHEN COUNT(*) > 0 THEN 1 END FROM fn_dump_dblog(NULL, NULL, 'DISK', 1, 'd.bak')");
    assert_eq!(full, "1");
    // A path as Windows writes it means what it means to BACKUP.
    c.ok("INSERT t VALUES (3, 'later')");
    c.ok(r"BACKUP LOG d TO DISK = 'E:\Backup\d3.trn' WITH INIT");
    for path in [r"E:\Backup\d3.trn", "d3.trn"] {
        let call = format!("fn_dump_dblog(NULL, NULL, 'DISK', 1, '{path}')");
        let query = format!("SELECT 'some' FROM {call} HAVING COUNT(*) > 0");
        assert_eq!(c.rows(&query), "some", "{path}");
    }
    for (call, number) in [
        ("NULL, NULL, 'DISK', 1, 'd1.trn'", 3132),
        ("NULL, NULL, 'DISK', 2, 'd1.trn', 'd2.trn'", 4038),
        ("NULL, NULL, 'DISK', 1, 'missing.trn'", 3201),
        ("NULL, NULL, 'TAPE', 1, 'd1.trn'", 40510),
        ("NULL, NULL, 'DISK', 1, '/etc/passwd'", 3201),
        ("NULL, NULL", 313),
    ] {
        let heard = c.rows(&format!("SELECT COUNT(*) FROM fn_dump_dblog({call})"));
        assert!(heard.contains("Msg "), "{call}: {heard}");
        assert!(number == 3201 || heard.contains(&format!("Msg {number}")), "{call}: {heard}");
    }
}

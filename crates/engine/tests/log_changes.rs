//! `taffrail.log_changes`: the rows that statements changed are the rows that the log tells of.

use crate::support;

use support::{Client, World};

/// Operation, before, after of the changes of a table.
fn changes(c: &mut Client, table: &str) -> String {
    c.rows(&format!(
        "SELECT operation, before, after FROM taffrail.log_changes(NULL, NULL, '{table}')"
    ))
}

#[test]
fn insert_update_and_delete_are_told_with_whole_rows() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok(
        "CREATE TABLE t (id int NOT NULL PRIMARY KEY, name nvarchar(40) NULL, n decimal(9,2) NULL)",
    );
    c.ok("INSERT t VALUES (1, N'one \"é\"', 1.5), (2, NULL, NULL)");
    c.ok("BEGIN TRAN pay; UPDATE t SET name = N'uno' WHERE id = 1; UPDATE t SET n = 7 WHERE id = 1; COMMIT");
    c.ok("DELETE t WHERE id = 2");
    c.ok("BEGIN TRAN; INSERT t VALUES (9, N'never', 0); UPDATE t SET n = 99; ROLLBACK");
    c.ok("INSERT t VALUES (2, N'again', 2)");
    let want = r#"INSERT | NULL | {"id":1,"name":"one \"é\"","n":1.50}
INSERT | NULL | {"id":2,"name":null,"n":null}
UPDATE | {"id":1,"name":"one \"é\"","n":1.50} | {"id":1,"name":"uno","n":1.50}
UPDATE | {"id":1,"name":"uno","n":1.50} | {"id":1,"name":"uno","n":7.00}
DELETE | {"id":2,"name":null,"n":null} | NULL
INSERT | NULL | {"id":2,"name":"again","n":2.00}"#;
    assert_eq!(changes(&mut c, "t"), want);
    let told = c.rows(
        "SELECT key_columns, changed_columns, transaction_name, session_id - @@SPID, note,
            DATEDIFF(hour, begin_time, commit_time), DATEDIFF(minute, commit_time, SYSDATETIME())
         FROM taffrail.log_changes(NULL, NULL, N'dbo.t') WHERE operation = 'UPDATE'",
    );
    assert_eq!(
        told,
        "{\"id\":1} | name | pay | 0 | NULL | 0 | 0\n{\"id\":1} | n | pay | 0 | NULL | 0 | 0"
    );
    // Bounds are LSNs of its own rows.
    let part = c.rows(
        "DECLARE @a nvarchar(30), @b nvarchar(30);
         SELECT @a = MIN(lsn), @b = MAX(lsn) FROM taffrail.log_changes(NULL, NULL, N't') WHERE operation = 'UPDATE';
         SELECT operation, changed_columns, transaction_name FROM taffrail.log_changes(@a, @b, NULL)",
    );
    assert_eq!(part, "UPDATE | name | pay\nUPDATE | n | pay");
    assert_eq!(
        c.run("SELECT * FROM taffrail.log_changes(NULL, NULL, 'nothing')").matches("208").count(),
        1
    );
    assert!(c.run("SELECT * FROM taffrail.log_changes('x', NULL, NULL)").contains("9005"));
}

#[test]
fn rows_that_changed_again_later_are_told_as_they_were_then() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, a varchar(30), b int)");
    c.ok("INSERT t VALUES (1, 'aaa', 1), (2, 'bbb', 2)");
    c.ok("CHECKPOINT; BACKUP DATABASE d TO DISK = 'd.bak'; BACKUP LOG d TO DISK = 'd.trn'");
    c.ok("CHECKPOINT; BACKUP LOG d TO DISK = 'd.trn'; CHECKPOINT; BACKUP LOG d TO DISK = 'd.trn'");
    let from = c.rows("SELECT TOP 1 [Current LSN] FROM sys.fn_dblog(NULL, NULL) ORDER BY 1 DESC");
    c.ok("UPDATE t SET a = 'something longer' WHERE id = 1");
    c.ok("UPDATE t SET b = 10");
    c.ok(
        "BEGIN TRAN; UPDATE t SET b = 0, a = ''; SAVE TRAN s; DELETE t; ROLLBACK TRAN s; ROLLBACK",
    );
    c.ok("BEGIN TRAN; UPDATE t SET b += 1; SAVE TRAN s; UPDATE t SET b = -1; ROLLBACK TRAN s; UPDATE t SET a = 'end' WHERE id = 2; COMMIT");
    c.ok("DELETE t WHERE id = 1; INSERT t VALUES (1, 'new', 0)");
    // Open: what it has changed is on the pages, and no change of its own.
    let mut other = _world.connect_to("d");
    other.ok("BEGIN TRAN; UPDATE t SET b = 555");
    let told = c.rows(&format!(
        "SELECT operation, before, after FROM taffrail.log_changes('{from}', NULL, 't')"
    ));
    let want = r#"UPDATE | {"id":1,"a":"aaa","b":1} | {"id":1,"a":"something longer","b":1}
UPDATE | {"id":1,"a":"something longer","b":1} | {"id":1,"a":"something longer","b":10}
UPDATE | {"id":2,"a":"bbb","b":2} | {"id":2,"a":"bbb","b":10}
UPDATE | {"id":1,"a":"something longer","b":10} | {"id":1,"a":"something longer","b":11}
UPDATE | {"id":2,"a":"bbb","b":10} | {"id":2,"a":"bbb","b":11}
UPDATE | {"id":2,"a":"bbb","b":11} | {"id":2,"a":"end","b":11}
DELETE | {"id":1,"a":"something longer","b":11} | NULL
INSERT | NULL | {"id":1,"a":"new","b":0}"#;
    assert_eq!(told, want);
    other.ok("ROLLBACK");
    let told = c.rows(&format!(
        "SELECT operation, before, after FROM taffrail.log_changes('{from}', NULL, 't')"
    ));
    assert_eq!(told, want);
}

#[test]
fn heaps_are_told_with_rows_that_moved() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE h (id int, v varchar(8000))");
    c.ok("INSERT h VALUES (1, REPLICATE('x', 3000)), (2, REPLICATE('y', 3000)), (2, REPLICATE('y', 3000)), (4, 's')");
    c.ok("UPDATE h SET v = REPLICATE('z', 6000) WHERE id = 1");
    c.ok("UPDATE h SET id = 5 WHERE id = 1");
    c.ok("UPDATE h SET v = REPLICATE('w', 7900) WHERE id = 5");
    c.ok("DELETE h WHERE id = 5; DELETE TOP (1) FROM h WHERE id = 2");
    let told = c.rows(
        "SELECT operation, JSON_VALUE(before, '$.id'), LEN(JSON_VALUE(before, '$.v')), LEFT(before, 12), \
            JSON_VALUE(after, '$.id'), LEN(after), note
         FROM taffrail.log_changes(NULL, NULL, 'h')",
    );
    let ops: Vec<String> = told
        .lines()
        .map(|l| {
            let p: Vec<&str> = l.split(" | ").collect();
            format!("{} {} {} {}", p[0], p[1], p[4], p[5])
        })
        .collect();
    assert_eq!(
        ops,
        [
            "INSERT NULL 1 3015",
            "INSERT NULL 2 3015",
            "INSERT NULL 2 3015",
            "INSERT NULL 4 16",
            "UPDATE 1 1 6015",
            "UPDATE 1 5 6015",
            "UPDATE 5 5 7915",
            "DELETE 5 NULL NULL",
            "DELETE 2 NULL NULL",
        ],
        "{told}"
    );
    assert!(!told.contains("not in the log"), "{told}");
}

/// Statements at random; a table beside keeps what each of them did, by OUTPUT.
fn random_work(kind: &str, seed: u64) {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok(&format!(
        "CREATE TABLE t (id int NOT NULL{kind}, v varchar(3000) NULL, n int NULL, w varchar(10))"
    ));
    let mut want: Vec<String> = Vec::new();
    let mut seed = seed;
    let mut next = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let mut from = String::from("NULL");
    for round in 0..60 {
        let (open, keep) = (next(3) == 0, next(4) > 0);
        if open {
            c.ok("BEGIN TRAN");
        }
        let mut told = Vec::new();
        for _ in 0..1 + next(4) {
            let (id, len, n) = (next(60), next(40) * next(60), next(1000));
            let out = "OUTPUT ISNULL(STR(deleted.id), '-'), deleted.n, LEN(deleted.v), ISNULL(STR(inserted.id), \
                '-'), inserted.n, LEN(inserted.v)";
            let of = match next(4) {
                0 => {
                    if !kind.is_empty()
                        && c.rows(&format!("SELECT COUNT(*) FROM t WHERE id = {id}")) != "0"
                    {
                        continue;
                    }
                    let out = out
                        .replace("deleted.id", "NULL")
                        .replace("deleted.n", "NULL")
                        .replace("LEN(deleted.v)", "NULL");
                    format!("INSERT t (id, v, n) {out} VALUES ({id}, REPLICATE('a', {len}), {n})")
                }
                1 => {
                    let out = out
                        .replace("inserted.id", "NULL")
                        .replace("inserted.n", "NULL")
                        .replace("LEN(inserted.v)", "NULL");
                    format!("DELETE t {out} WHERE id % 7 = {}", id % 7)
                }
                2 => format!(
                    "UPDATE t SET v = REPLICATE('b', {len}) {out} WHERE id BETWEEN {id} AND {id} + 9"
                ),
                _ => format!(
                    "UPDATE t SET n = n + {n} + 1, w = '{n}' {out} WHERE id % 5 = {}",
                    id % 5
                ),
            };
            let rows = c.rows(&of);
            told.extend(
                rows.lines().map(|l| l.split(" | ").map(str::trim).collect::<Vec<_>>().join(" ")),
            );
        }
        match (open, keep) {
            (true, false) => {
                c.ok("ROLLBACK");
                told.clear();
            }
            (true, true) => c.ok("COMMIT"),
            _ => {}
        }
        want.extend(told);
        if round == 20 {
            from = c.rows("SELECT MAX([Current LSN]) FROM sys.fn_dblog(NULL, NULL)");
            from = format!("'{from}'");
            want.clear();
        }
        if round % 9 == 8 {
            c.ok("CHECKPOINT");
        }
    }
    let side = |row: &str| {
        format!(
            "ISNULL(STR(JSON_VALUE({row}, '$.id')), '-'), JSON_VALUE({row}, '$.n'), LEN(JSON_VALUE({row}, '$.v'))"
        )
    };
    let told = c.rows(&format!(
        "SELECT {}, {}, note FROM taffrail.log_changes({from}, NULL, 't')",
        side("before"),
        side("after")
    ));
    let told: Vec<String> = told
        .lines()
        .map(|l| {
            let (told, note) = l.rsplit_once(" | ").unwrap();
            assert_eq!(note, "NULL", "{l}");
            told.split(" | ").map(str::trim).collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert!(want.len() > 30, "{}", want.len());
    // Within a statement the order is the log's, which is that of the rows' changes.
    assert_eq!(told.len(), want.len(), "{}\n\n{}", told.join("\n"), want.join("\n"));
    for (i, (t, w)) in told.iter().zip(&want).enumerate() {
        assert_eq!(t, w, "change {i}");
    }
}

#[test]
fn what_random_statements_changed_in_a_tree_is_what_the_log_tells() {
    for seed in [1, 2, 3] {
        random_work(" PRIMARY KEY", seed);
    }
}

#[test]
fn what_random_statements_changed_in_a_heap_is_what_the_log_tells() {
    for seed in [4, 5, 6] {
        random_work("", seed);
    }
}

#[test]
fn what_the_log_does_not_have_is_told_so() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE keep (id int)");
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, a varchar(30), b int)");
    c.ok("INSERT t VALUES (1, 'aaa', 1), (2, 'bbb', 2)");
    c.ok("UPDATE t SET b = 3 WHERE id = 1");
    c.ok("TRUNCATE TABLE t; INSERT t VALUES (1, 'other', 4)");
    let told =
        c.rows("SELECT operation, before, after, note FROM taffrail.log_changes(NULL, NULL, 't')");
    let want = r#"INSERT | NULL | {"id":1,"a":"aaa","b":1} | NULL
INSERT | NULL | {"id":2,"a":"bbb","b":2} | NULL
UPDATE | {"id":1,"a":"aaa","b":1} | {"id":1,"a":"aaa","b":3} | NULL
TRUNCATE TABLE | NULL | NULL | the rows are not in the log
INSERT | NULL | {"id":1,"a":"other","b":4} | NULL"#;
    assert_eq!(told, want);
    // Without its insertion the row that was updated before the truncation is not known, and not that of the same key.
    let late = c.rows(
        "DECLARE @from nvarchar(30) = (SELECT lsn FROM taffrail.log_changes(NULL, NULL, 't') WHERE operation = 'UPDATE');
         SELECT operation, before, after, note FROM taffrail.log_changes(@from, NULL, 't')",
    );
    assert!(
        late.starts_with("UPDATE | NULL | NULL | the row's other columns are not in the log\n"),
        "{late}"
    );
    // The schema changes: what rows had then is shown by the columns that are left, and this is said.
    c.ok("ALTER TABLE t ADD c int NOT NULL DEFAULT 7");
    c.ok("INSERT t VALUES (5, 'five', 5, 55)");
    let told = c.rows(
        "SELECT after, note FROM taffrail.log_changes(NULL, NULL, 't') WHERE operation = 'INSERT'",
    );
    assert!(
        told.contains("{\"id\":1,\"a\":\"aaa\",\"b\":1} | the table was altered at "),
        "{told}"
    );
    assert!(told.ends_with("{\"id\":5,\"a\":\"five\",\"b\":5,\"c\":55} | NULL"), "{told}");
    c.ok("ALTER TABLE t DROP COLUMN a");
    let told = c.rows(
        "SELECT after, note FROM taffrail.log_changes(NULL, NULL, 't') WHERE operation = 'INSERT'",
    );
    assert!(told.contains("{\"id\":5,\"b\":5,\"c\":55} | the table was altered at "), "{told}");
    // All rows are written anew, with other places of the columns.
    c.ok("ALTER TABLE t ALTER COLUMN b bigint NULL");
    c.ok("UPDATE t SET b = 6 WHERE id = 5");
    let told =
        c.rows("SELECT operation, before, after, note FROM taffrail.log_changes(NULL, NULL, 't')");
    let (old, new) = told.rsplit_once('\n').unwrap();
    assert_eq!(new, "UPDATE | {\"id\":5,\"b\":5,\"c\":55} | {\"id\":5,\"b\":6,\"c\":55} | NULL");
    assert!(old.lines().all(|l| l.contains("NULL | NULL | ")), "{old}");
    assert!(old.contains("the table's columns were changed at "), "{old}");
    // Moved into another tree as they are: no rows are inserted by that, and earlier ones can be read.
    c.ok("ALTER INDEX ALL ON t REBUILD");
    let told =
        c.rows("SELECT operation, before, after, note FROM taffrail.log_changes(NULL, NULL, 't')");
    assert!(told.lines().count() == 7, "{told}");
    assert!(told.contains("the row's other columns are not in the log: the table was rebuilt at "));
    c.ok("DROP TABLE t");
    let told = c.rows(
        "SELECT operation, table_name, after, note FROM taffrail.log_changes(NULL, NULL, NULL)",
    );
    assert!(told.contains("INSERT | t | NULL | the table was dropped at "), "{told}");
    assert!(told.ends_with("DROP TABLE | t | NULL | the rows are not in the log"), "{told}");
}

#[test]
fn rows_of_loads_are_told_where_the_log_has_their_pages() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE s (id int NOT NULL, v char(100)); CREATE TABLE h (id int, v char(100)); CREATE TABLE t \
        (id int NOT NULL PRIMARY KEY, v char(100))");
    c.ok("INSERT s SELECT value, 'x' FROM GENERATE_SERIES(1, 2000)");
    c.ok("INSERT h WITH (TABLOCK) SELECT * FROM s; INSERT t WITH (TABLOCK) SELECT * FROM s; SELECT * INTO n FROM s");
    let count = |c: &mut Client, table: &str| {
        c.rows(&format!("SELECT operation, COUNT(*), COUNT(DISTINCT ISNULL(JSON_VALUE(after, '$.id'), '')), \
            SUM(IIF(note IS NULL, 0, 1)), MIN(ISNULL(note, '-')) FROM taffrail.log_changes(NULL, NULL, \
            '{table}') GROUP BY operation"))
    };
    for table in ["s", "h", "t", "n"] {
        assert_eq!(count(&mut c, table), "INSERT | 2000 | 2000 | 0 | -", "{table}");
    }
    c.ok("ALTER DATABASE d SET RECOVERY BULK_LOGGED; TRUNCATE TABLE h");
    c.ok("INSERT h WITH (TABLOCK) SELECT * FROM s");
    let told = count(&mut c, "h");
    assert!(told.contains("BULK LOAD | 1 | 1 | 1 | minimally logged: "), "{told}");
    // A change of a row that was loaded.
    c.ok("UPDATE t SET v = 'y' WHERE id = 77; UPDATE h SET v = 'z' WHERE id = 78");
    let told = c.rows(
        "SELECT before FROM taffrail.log_changes(NULL, NULL, NULL) WHERE operation = 'UPDATE'",
    );
    assert!(
        told.starts_with("{\"id\":77,\"v\":\"x ") && told.contains("\n{\"id\":78,\"v\":\"x "),
        "{told}"
    );
}

#[test]
fn values_of_all_types_are_json() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a bit, b tinyint, c smallint, d int, e bigint, f decimal(38,5), g money, h \
        smallmoney, i real, j float, k date, l time(3), m datetime, n smalldatetime, o datetime2, p \
        datetimeoffset, q char(3), r varchar(10), s nchar(3), t nvarchar(10), u binary(2), v varbinary(10), w \
        uniqueidentifier, x sql_variant, y varchar(max), z nvarchar(max), aa varbinary(max), bb text, cc xml)");
    c.ok("INSERT t (a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,aa,bb,cc) VALUES (1, 255, -3, 4, \
        9223372036854775807, -1.5, 2.5, -0.0001, 1e30, 1.25, '2024-02-29', '13:14:15.167', \
        '2024-02-29T13:14:15.123', '2024-02-29 13:14', '2024-02-29T13:14:15.1234567', \
        '2024-02-29T13:14:15.1234567 +02:00', 'ab', 'ü', N'日', N'a\"\\', 0x01, 0x, \
        '6F9619FF-8B86-D011-B42D-00C04FC964FF', CAST(7 AS bigint), REPLICATE(CAST('y' AS varchar(max)), 20000), \
        N'z', 0xFF, 'text', N'<a/>')");
    let told = c.rows(
        "SELECT REPLACE(after, REPLICATE(CAST('y' AS varchar(max)), 20000), 'long') FROM \
        taffrail.log_changes(NULL, NULL, 't')",
    );
    let want = concat!(
        r#"{"a":true,"b":255,"c":-3,"d":4,"e":9223372036854775807,"f":-1.50000,"g":2.5000,"h":-0.0001,"#,
        r#""i":1e30,"j":1.25,"k":"2024-02-29","l":"13:14:15.167","m":"2024-02-29T13:14:15.123","#,
        r#""n":"2024-02-29T13:14:00","o":"2024-02-29T13:14:15.1234567","#,
        r#""p":"2024-02-29T13:14:15.1234567+02:00","q":"ab ","r":"ü","s":"日  ","t":"a\"\\","u":"0x0100","#,
        r#""v":"0x","w":"6F9619FF-8B86-D011-B42D-00C04FC964FF","x":7,"y":"long","z":"z","aa":"0xFF","#,
        r#""bb":"text","cc":"<a/>"}"#,
    );
    assert_eq!(told, want);
    assert_eq!(c.rows("SELECT MIN(ISJSON(after)) FROM taffrail.log_changes(NULL, NULL, 't')"), "1");
}

#[test]
fn log_backups_are_read_in_their_order_and_what_follows_them() {
    let (world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE t (id int NOT NULL PRIMARY KEY, v varchar(30), n \
        int); CREATE TABLE h (id int, v varchar(30))");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("INSERT t VALUES (1, 'a', 0), (2, 'b', 0); INSERT h VALUES (1, 'heap')");
    c.ok("BACKUP LOG d TO DISK = 'one.trn'");
    c.ok("UPDATE t SET n = 1; UPDATE h SET v = 'pile'");
    c.ok("BEGIN TRAN; UPDATE t SET n = 2 WHERE id = 1");
    let mut other = world.connect_to("d");
    other.ok("BACKUP LOG d TO DISK = 'one.trn'");
    c.ok("UPDATE t SET v = 'changed' WHERE id = 1; COMMIT; DELETE t WHERE id = 2");
    c.ok("BACKUP LOG d TO DISK = 'two.trn'");
    c.ok("UPDATE t SET n = 3, v = 'now' WHERE id = 1");
    let told = |c: &mut Client, files: &str| {
        c.rows(&format!("SELECT operation, before, after, note FROM taffrail.log_changes(NULL, NULL, NULL, {files})"))
    };
    let all = told(&mut c, "'two.trn', 'one.trn'");
    let want = r#"INSERT | NULL | {"id":1,"v":"a","n":0} | NULL
INSERT | NULL | {"id":2,"v":"b","n":0} | NULL
INSERT | NULL | {"id":1,"v":"heap"} | NULL
UPDATE | {"id":1,"v":"a","n":0} | {"id":1,"v":"a","n":1} | NULL
UPDATE | {"id":2,"v":"b","n":0} | {"id":2,"v":"b","n":1} | NULL
UPDATE | {"id":1,"v":"heap"} | {"id":1,"v":"pile"} | NULL
UPDATE | {"id":1,"v":"a","n":1} | {"id":1,"v":"a","n":2} | NULL
UPDATE | {"id":1,"v":"a","n":2} | {"id":1,"v":"changed","n":2} | NULL
DELETE | {"id":2,"v":"b","n":1} | NULL | NULL
UPDATE | {"id":1,"v":"changed","n":2} | {"id":1,"v":"now","n":3} | NULL"#;
    assert_eq!(all, want);
    // With a gap behind them.
    c.ok("BACKUP LOG d TO DISK = 'three.trn'; CHECKPOINT");
    c.ok("DECLARE @i int = 0; WHILE @i < 60 BEGIN INSERT h SELECT value, REPLICATE('x', 30) FROM \
        GENERATE_SERIES(1, 2000); SET @i += 1 END; CHECKPOINT; BACKUP LOG d TO DISK = 'late.trn'; CHECKPOINT; \
        BACKUP LOG d TO DISK = 'late.trn'");
    let first = told(&mut c, "'one.trn'");
    assert!(
        first.starts_with("INSERT | NULL | {\"id\":1,\"v\":\"a\",\"n\":0} | NULL\n"),
        "{first}"
    );
    let refused = told(&mut c, "'one.trn', 'three.trn'");
    assert!(refused.contains("Msg 4305, Level 16"), "{refused}");
    let refused = told(&mut c, "'missing.trn'");
    assert!(refused.contains("Msg 3201, Level 16"), "{refused}");
    c.ok("CREATE DATABASE e");
    let refused = c.rows("USE e; SELECT * FROM taffrail.log_changes(NULL, NULL, NULL, 'one.trn')");
    assert!(refused.contains("Msg 3154, Level 16"), "{refused}");
    // Rows of which only the middle is there: the second set alone, and nothing behind it.
    c.ok("USE d");
    let middle = c.rows("SELECT operation, before, after, note FROM taffrail.log_changes(NULL, NULL, 't', 'three.trn')");
    assert!(middle.starts_with("UPDATE | "), "{middle}");
    let undo = c.rows(
        "SELECT COUNT(*) FROM taffrail.log_undo((SELECT MIN(transaction_id) FROM \
        taffrail.log_changes(NULL, NULL, 't', 'two.trn') WHERE operation = 'DELETE'), 'two.trn')",
    );
    assert_eq!(undo, "5");
}

#[test]
fn more_changes_than_a_batch_are_all_told() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE t (id int NOT NULL PRIMARY KEY, n int)");
    c.ok("INSERT t SELECT value, 0 FROM GENERATE_SERIES(1, 50000)");
    let told = c.rows("SELECT COUNT(*), MIN(after), SUM(IIF(note IS NULL, 0, 1)) FROM taffrail.log_changes(NULL, NULL, 't')");
    assert_eq!(told, "50000 | {\"id\":1,\"n\":0} | 0");
    c.ok("UPDATE t SET n += 1; UPDATE t SET n += 1");
    let told = c.rows(
        "SELECT operation, COUNT(*), SUM(CAST(JSON_VALUE(after, '$.n') AS int)), SUM(IIF(note IS \
        NULL, 0, 1)) FROM taffrail.log_changes(NULL, NULL, 't') GROUP BY operation ORDER BY 1",
    );
    assert_eq!(told, "INSERT | 50000 | 0 | 0\nUPDATE | 100000 | 150000 | 0");
}

/// What a transaction does to a table beside rebuilding it is told, and the rebuilding is not.
#[test]
fn a_transaction_that_rebuilds_a_table_changes_rows_too() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int); INSERT t VALUES (1, 1), (2, 2)");
    c.ok("BEGIN TRAN big; ALTER TABLE t ALTER COLUMN v bigint; DELETE t WHERE id = 1; COMMIT");
    let told = c.rows("SELECT operation, before, after FROM taffrail.log_changes(NULL, NULL, 't') WHERE transaction_name = 'big'");
    assert_eq!(told, "DELETE | {\"id\":1,\"v\":1} | NULL");
    // A table that got its key later, in the transaction that made it.
    c.ok("BEGIN TRAN; CREATE TABLE n (id int NOT NULL, v int); INSERT n VALUES (1, 1), (2, 2); ALTER TABLE n \
        ADD PRIMARY KEY (id); INSERT n VALUES (3, 3); COMMIT");
    let told = c.rows("SELECT operation, after FROM taffrail.log_changes(NULL, NULL, 'n')");
    assert_eq!(
        told,
        "INSERT | {\"id\":1,\"v\":1}\nINSERT | {\"id\":2,\"v\":2}\nINSERT | {\"id\":3,\"v\":3}"
    );
    // Twice in one transaction.
    c.ok("BEGIN TRAN twice; UPDATE n SET v = 5 WHERE id = 1; ALTER TABLE n REBUILD; UPDATE n SET v = 6 WHERE id \
        = 1; ALTER INDEX ALL ON n REBUILD; INSERT n VALUES (7, 7); COMMIT");
    let told = c.rows("SELECT operation, after FROM taffrail.log_changes(NULL, NULL, 'n') WHERE transaction_name = 'twice'");
    assert!(told.lines().count() == 3 && told.ends_with("INSERT | {\"id\":7,\"v\":7}"), "{told}");
}

/// Rows are told although others beside them, on the same page, were changed and put back: what counts for a row is when its own
/// change was taken back.
#[test]
fn rollbacks_beside_a_row_hide_none_of_its_changes() {
    for kind in [" PRIMARY KEY", ""] {
        let (_world, mut c) = World::with_database();
        c.ok("ALTER DATABASE d SET RECOVERY FULL");
        c.ok(&format!("CREATE TABLE t (id int NOT NULL{kind}, v varchar(400), n int)"));
        c.ok("INSERT t SELECT value, REPLICATE('x', 300), 0 FROM GENERATE_SERIES(1, 200)");
        let from = c.rows("SELECT MAX([Current LSN]) FROM sys.fn_dblog(NULL, NULL)");
        c.ok("BEGIN TRAN mine; UPDATE t SET n = id WHERE id IN (1, 100, 200); COMMIT");
        // The last row is put back first: its page does not see the records that put back the others.
        c.ok("BEGIN TRAN; UPDATE t SET n = -1; UPDATE t SET n = -2, v = 'short' WHERE id % 3 = 0; ROLLBACK");
        c.ok("BEGIN TRAN; UPDATE t SET n += 1000 WHERE id = 200; SAVE TRAN s; UPDATE t SET n = -3; ROLLBACK \
            TRAN s; UPDATE t SET n += 1 WHERE id = 1; COMMIT");
        let told = c.rows(&format!("SELECT JSON_VALUE(before, '$.n'), JSON_VALUE(after, '$.n'), \
            JSON_VALUE(after, '$.id'), LEN(JSON_VALUE(after, '$.v')), note FROM taffrail.log_changes('{from}', \
            NULL, 't')"));
        let want = "0 | 1 | 1 | 300 | NULL\n0 | 100 | 100 | 300 | NULL\n0 | 200 | 200 | 300 | NULL\n200 | 1200 \
            | 200 | 300 | NULL\n1 | 2 | 1 | 300 | NULL";
        assert_eq!(told, want, "{kind}");
    }
}

/// A log that begins with a restore holds nothing before what was restored.
#[test]
fn the_log_of_a_restored_database_begins_with_what_was_restored() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int)");
    c.ok("INSERT t SELECT value, 0 FROM GENERATE_SERIES(1, 3000)");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'; UPDATE t SET v = 1 WHERE id = 1; BACKUP LOG d TO DISK = 'd.trn'");
    c.ok("USE master; RESTORE DATABASE d FROM DISK = 'd.bak' WITH NORECOVERY, REPLACE; RESTORE LOG d FROM DISK = 'd.trn'; USE d");
    c.ok("UPDATE t SET v = 2 WHERE id = 1; DELETE t WHERE id = 2");
    let told = c.rows("SELECT operation, before, after FROM taffrail.log_changes(NULL, NULL, 't') WHERE commit_time IS NOT NULL");
    assert!(
        told.ends_with(
            "UPDATE | {\"id\":1,\"v\":1} | {\"id\":1,\"v\":2}\nDELETE | {\"id\":2,\"v\":0} | NULL"
        ),
        "{told}"
    );
}

#[test]
fn arguments_that_are_no_text_are_refused() {
    let (_world, mut c) = World::with_database();
    for (arguments, from) in [
        ("1, NULL, NULL", "int"),
        ("NULL, 0x01, NULL", "varbinary"),
        ("NULL, NULL, 7", "int"),
        ("NULL, NULL, NULL, 1.5", "numeric"),
    ] {
        let told = c.rows(&format!("SELECT * FROM taffrail.log_changes({arguments})"));
        let want = format!("Error converting data type {from} to nvarchar.");
        assert!(told.contains("Msg 8114, Level 16") && told.contains(&want), "{told}");
    }
    let told = c.rows("SELECT * FROM taffrail.log_undo(0x01)");
    assert!(told.contains("Error converting data type varbinary to bigint."), "{told}");
}

/// A rebuilding puts rows elsewhere as they are: what they were before is found there.
#[test]
fn rows_are_followed_over_a_rebuilding() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok(
        "CREATE TABLE t (id int NOT NULL CONSTRAINT pk PRIMARY KEY, v varchar(30), n int NOT NULL)",
    );
    c.ok("INSERT t SELECT value, 'v', value FROM GENERATE_SERIES(1, 2000)");
    c.ok("CHECKPOINT; BACKUP DATABASE d TO DISK = 'd.bak'");
    let from = c.rows("SELECT MAX([Current LSN]) FROM sys.fn_dblog(NULL, NULL)");
    c.ok("UPDATE t SET n = 5 WHERE id IN (1, 2)");
    c.ok("ALTER INDEX ALL ON t REBUILD");
    c.ok("UPDATE t SET v = 'longer' WHERE id = 1; BEGIN TRAN; UPDATE t SET n = 0; ROLLBACK");
    c.ok("BEGIN TRAN; UPDATE t SET n = 6 WHERE id = 2; ALTER TABLE t REBUILD; UPDATE t SET n = 7 WHERE id = 1; COMMIT");
    let told = |c: &mut Client| {
        c.rows(&format!(
            "SELECT before, after, note FROM taffrail.log_changes('{from}', NULL, 't')"
        ))
    };
    let want = r#"{"id":1,"v":"v","n":1} | {"id":1,"v":"v","n":5} | NULL
{"id":2,"v":"v","n":2} | {"id":2,"v":"v","n":5} | NULL
{"id":1,"v":"v","n":5} | {"id":1,"v":"longer","n":5} | NULL
{"id":2,"v":"v","n":5} | {"id":2,"v":"v","n":6} | NULL
{"id":1,"v":"longer","n":5} | {"id":1,"v":"longer","n":7} | NULL"#;
    assert_eq!(told(&mut c), want);
    // Under another key a row is not found by what its key was.
    c.ok(
        "UPDATE t SET n = id; UPDATE t SET v = 'x' WHERE id = 1; ALTER TABLE t DROP CONSTRAINT pk",
    );
    c.ok("ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (n)");
    let all = told(&mut c);
    assert!(all.contains("the table was rebuilt at "), "{all}");
    assert!(!all.contains("\"v\":\"x\""), "{all}");
}

//! `taffrail.log_undo`: the script is run, and the tables are what they were before the transaction.

use crate::support;

use support::{Client, Heard, World};
use taffrail_types::Value;

/// The script that takes back the last committed transaction that changed a table.
fn script(c: &mut Client, of: &str) -> String {
    let mut heard = Heard::default();
    c.connection.execute_batch(
        &format!("SELECT statement FROM taffrail.log_undo({of}) ORDER BY line"),
        &mut heard,
    );
    assert!(!heard.rows.is_empty(), "{}", heard.text());
    let text = |r: &Vec<Value>| r[0].as_text().unwrap_or_default();
    heard.rows.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// The transaction that committed last.
fn last(c: &mut Client) -> String {
    let id = c.rows("SELECT TOP 1 transaction_id FROM taffrail.log_changes(NULL, NULL, NULL) ORDER BY commit_lsn DESC");
    format!("'{id}'")
}

/// Runs a transaction, takes it back, and compares all rows of these tables, but for columns that nobody can set.
fn there_and_back(c: &mut Client, work: &str, tables: &[&str]) -> String {
    let look = |c: &mut Client| -> Vec<String> {
        tables.iter().map(|t| c.rows(&format!("SELECT * FROM {t} ORDER BY 1, 2, 3"))).collect()
    };
    let before = look(c);
    c.ok(&format!("SET XACT_ABORT ON; BEGIN TRAN; {work}; COMMIT; SET XACT_ABORT OFF"));
    assert_ne!(look(c), before, "{work}");
    let of = last(c);
    let script = script(c, &of);
    let said = c.rows(&script);
    assert_eq!(said, "", "{script}");
    for (after, before) in look(c).iter().zip(&before) {
        assert_eq!(after, before, "{work}\n{script}");
    }
    assert_eq!(c.rows("SELECT @@TRANCOUNT"), "0");
    script
}

#[test]
fn rows_of_all_types_come_back() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, a bit, b tinyint, c smallint, e bigint, f decimal(38,5), \
        g money, h smallmoney, i real, j float, k date, l time(3), m datetime, n smalldatetime, o datetime2, p \
        datetimeoffset, q char(3), r varchar(10), s nchar(3), t nvarchar(30), u binary(2), v varbinary(10), w \
        uniqueidentifier, x sql_variant, y varchar(max), z nvarchar(max), aa varbinary(max), bb text, cc xml)");
    let row = "(1, 255, -3, 9223372036854775807, -1.5, 2.5, -0.0001, 1e30, 1.25, '2024-02-29', '13:14:15.167', \
        '2024-02-29T13:14:15.123', '2024-02-29 13:14', '2024-02-29T13:14:15.1234567', \
        '2024-02-29T13:14:15.1234567 +02:00', 'ab', 'ü''s ', N'日', N'a\"\\' + NCHAR(10) + NCHAR(1) + N'%d', \
        0x01, 0x, '6F9619FF-8B86-D011-B42D-00C04FC964FF', CAST(7 AS bigint), 'y', N'z', 0xFF, 'text', N'<a/>')";
    let names = "a,b,c,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,aa,bb,cc";
    c.ok(&format!("INSERT t ({names}) VALUES {row}; INSERT t (a) VALUES (NULL); INSERT t ({names}) VALUES {row}"));
    there_and_back(&mut c, "DELETE t", &["t"]);
    there_and_back(
        &mut c,
        &format!("INSERT t ({names}) VALUES {row}; INSERT t (b) VALUES (NULL)"),
        &["t"],
    );
    let all = "a = 0, b = 0, c = 0, e = 0, f = 0, g = 0, h = 0, i = 0.1, j = 0.1, k = '1999-01-01', l = '1:00', \
        m = 0, n = 0, o = '1999-01-01', p = '1999-01-01', q = '', r = 'Ü''S', s = '', t = '', u = 0x, v = 0x00, \
        w = NEWID(), x = N'text', y = '', z = '', aa = 0x, bb = '', cc = ''";
    there_and_back(
        &mut c,
        &format!(
            "UPDATE t SET {all}; UPDATE t SET a = NULL, r = NULL, x = NULL, y = NULL, bb = NULL"
        ),
        &["t"],
    );
    there_and_back(
        &mut c,
        "DELETE t WHERE id = 1; UPDATE t SET t = 'changed'; INSERT t (t) VALUES ('new'); DELETE t WHERE id = 3",
        &["t"],
    );
}

#[test]
fn keys_change_heaps_have_duplicates_and_foreign_keys_hold_in_the_end() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE p (id int NOT NULL PRIMARY KEY, boss int NULL REFERENCES p (id), [na]]me] varchar(20)); \
        CREATE TABLE k (id int IDENTITY(10, 5) PRIMARY KEY, p int REFERENCES p (id) ON DELETE CASCADE, v \
        varchar(20)); CREATE TABLE h (a int, b varchar(4000), c int)");
    c.ok("INSERT p VALUES (1, NULL, 'one'), (2, 1, 'two'), (3, 2, NULL); INSERT k (p, v) VALUES (1, 'a'), (2, \
        'b'), (2, 'c'); INSERT h VALUES (1, 'x', 1), (1, 'x', 1), (1, 'x', 1), (NULL, NULL, NULL)");
    there_and_back(&mut c, "INSERT p VALUES (7, 8, 'x'), (8, NULL, 'y')", &["p"]);
    let script = there_and_back(
        &mut c,
        "DELETE p WHERE id = 3; UPDATE p SET boss = NULL; DELETE p WHERE id = 2",
        &["p", "k"],
    );
    assert!(script.contains("SET IDENTITY_INSERT [dbo].[k] ON;"), "{script}");
    there_and_back(
        &mut c,
        "UPDATE k SET p = 3; UPDATE p SET boss = 3 WHERE id = 3; DELETE p WHERE id = 2 AND boss = 0; UPDATE p \
            SET [na]]me] = 'u' WHERE id = 1",
        &["p", "k"],
    );
    c.ok("CREATE TABLE u (id int NOT NULL PRIMARY KEY, v int, w int)");
    c.ok("INSERT u VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0)");
    there_and_back(&mut c, "UPDATE u SET id = 4 - id; UPDATE u SET id += 10 WHERE v = 2", &["u"]);
    there_and_back(&mut c, "DELETE TOP (2) FROM h WHERE a = 1; UPDATE h SET c = 2", &["h"]);
    there_and_back(
        &mut c,
        "UPDATE h SET b = REPLICATE('z', 4000); INSERT h VALUES (1, 'x', 1), (1, 'x', 1); UPDATE h SET c = 9 WHERE a IS NULL",
        &["h"],
    );
    there_and_back(&mut c, "SAVE TRAN s; DELETE h; ROLLBACK TRAN s; DELETE TOP (1) FROM h", &["h"]);
    // All constraints are as they were.
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM sys.foreign_keys WHERE is_disabled = 1 OR is_not_trusted = 1"),
        "0"
    );
}

#[test]
fn a_row_that_others_have_changed_ends_the_script() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v varchar(20), n int)");
    c.ok("INSERT t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)");
    c.ok("BEGIN TRAN oops; UPDATE t SET n = n * 10; DELETE t WHERE id = 3; COMMIT");
    let of = last(&mut c);
    let number = c.rows(&format!("SELECT DISTINCT xact_id FROM taffrail.log_changes(NULL, NULL, NULL) WHERE transaction_id = {of}"));
    let undo = script(&mut c, &of);
    assert_eq!(undo, script(&mut c, &number), "by either number");
    c.ok("UPDATE t SET v = 'B' WHERE id = 2");
    let said = c.rows(&undo);
    assert!(
        said.contains("50000, Level 16")
            && said.contains("dbo.t {\"id\":2,\"v\":\"b\",\"n\":20} is not as transaction "),
        "{said}"
    );
    assert_eq!(c.rows("SELECT @@TRANCOUNT; SELECT * FROM t"), "0\n1 | a | 10\n2 | B | 20");
    // Piece by piece: what follows the failure does nothing.
    for line in undo.lines() {
        c.run(line);
    }
    assert_eq!(c.rows("SELECT @@TRANCOUNT; SELECT * FROM t"), "0\n1 | a | 10\n2 | B | 20");
    // Rows that cannot be known are not guessed.
    c.ok("BEGIN TRAN; INSERT t VALUES (9, 'n', 9); TRUNCATE TABLE t; COMMIT");
    let of = last(&mut c);
    let undo = script(&mut c, &of);
    assert!(undo.contains("THROW 50000, N'TRUNCATE TABLE of dbo.t at "), "{undo}");
    assert!(c.rows(&undo).contains("cannot be taken back: the rows are not in the log."));
    assert_eq!(c.rows("SELECT @@TRANCOUNT"), "0");
    let refused = c.rows("SELECT * FROM taffrail.log_undo('0000:00ffffff')");
    assert!(refused.contains("Msg 9003, Level 16"), "{refused}");
    let refused = c.rows("SELECT * FROM taffrail.log_undo('x')");
    assert!(refused.contains("Msg 8114, Level 16"), "{refused}");
}

#[test]
fn a_long_transaction_is_taken_back_in_pieces() {
    // The script, its tree and its plans are one text of a request: some 6 KB a change.
    let (_world, mut c) = World::with_query_memory(Some(256));
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v varchar(200), n int); CREATE TABLE h (id int, v varchar(3000))");
    c.ok("INSERT t SELECT value, 'v', 0 FROM GENERATE_SERIES(1, 9000); INSERT h SELECT value, 'h' FROM GENERATE_SERIES(1, 3000)");
    c.ok("BEGIN TRAN; UPDATE t SET n += 1; UPDATE h SET v = REPLICATE('w', 300); UPDATE t SET v = 'longer' \
        WHERE id % 2 = 0; DELETE t WHERE id % 3 = 0; UPDATE h SET id += 1; COMMIT");
    let of = last(&mut c);
    c.ok("INSERT t SELECT value, 'later', 7 FROM GENERATE_SERIES(10001, 10500)");
    let count = c.rows(&format!(
        "SELECT COUNT(*), SUM(IIF(statement LIKE '%THROW 50000, N''dbo.%', 1, 0)), \
        SUM(IIF(statement LIKE '%cannot be%', 1, 0)) FROM taffrail.log_undo({of})"
    ));
    let changes = 9000 + 3000 + 4500 + 3000 + 3000;
    assert_eq!(count, format!("{} | {changes} | 0", changes + 4));
    let undo = script(&mut c, &of);
    assert_eq!(c.rows(&undo), "");
    assert_eq!(
        c.rows("SELECT COUNT(*), SUM(n), MIN(v), MAX(v) FROM t WHERE id <= 9000; SELECT COUNT(*), MAX(v), SUM(id) FROM h"),
        "9000 | 0 | v | v\n3000 | h | 4501500"
    );
}

/// What a script cannot do is said before anything is done.
#[test]
fn a_transaction_that_changed_a_definition_is_refused() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE m (id int PRIMARY KEY, v int); INSERT m VALUES (1, 1), (2, 2)");
    c.ok("CREATE TABLE k (id int)");
    for work in [
        "ALTER TABLE m ALTER COLUMN v bigint; DELETE m WHERE id = 1",
        "CREATE TABLE made (a int); INSERT made VALUES (1); INSERT k VALUES (1)",
        "ALTER TABLE k ADD more int; INSERT k (id) VALUES (2)",
    ] {
        c.ok(&format!("BEGIN TRAN; {work}; INSERT k (id) VALUES (7); COMMIT"));
        let of = last(&mut c);
        let script = script(&mut c, &of);
        let said = c.rows(&script);
        assert!(said.contains("that cannot be taken back"), "{work}: {said}");
        c.ok("IF @@TRANCOUNT > 0 ROLLBACK");
    }
}

/// A part that was rolled back to a savepoint bears the number of its transaction, too.
#[test]
fn a_number_leads_to_what_committed() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE a (id int PRIMARY KEY, v int); INSERT a VALUES (1, 1)");
    c.ok(
        "BEGIN TRAN; SAVE TRAN q; UPDATE a SET v = 9; ROLLBACK TRAN q; UPDATE a SET v = 3; COMMIT",
    );
    let number = c.rows(
        "SELECT TOP 1 xact_id FROM taffrail.log_changes(NULL, NULL, 'a') ORDER BY commit_lsn DESC",
    );
    let script = script(&mut c, &number);
    assert_eq!(c.rows(&script), "", "{script}");
    assert_eq!(c.rows("SELECT v FROM a"), "1");
}

/// Text that sqlcmd would replace is written as bytes.
#[test]
fn names_of_variables_stay_text() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE a (id int PRIMARY KEY, v varchar(30), w int); INSERT a VALUES (1, 'u=$(SQLCMDUSER)', 1)");
    let script = there_and_back(&mut c, "DELETE a", &["a"]);
    assert!(!script.contains("$("), "{script}");
}

/// What has come since does not hinder, and is not lost.
#[test]
fn columns_that_have_come_since_are_no_obstacle() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int); INSERT t VALUES (1, 1), (2, 2)");
    c.ok("BEGIN TRAN; DELETE t WHERE id = 1; UPDATE t SET v = 20 WHERE id = 2; INSERT t VALUES (3, 3); COMMIT");
    let of = last(&mut c);
    c.ok("ALTER TABLE t ADD c int NOT NULL DEFAULT 7, more varchar(10) NULL");
    let undo = script(&mut c, &of);
    c.ok("UPDATE t SET more = 'new' WHERE id = 3");
    let said = c.rows(&undo);
    assert!(said.contains("is not as transaction"), "its other columns would be lost: {said}");
    c.ok("UPDATE t SET more = NULL WHERE id = 3; UPDATE t SET more = 'kept' WHERE id = 2");
    assert_eq!(c.rows(&undo), "", "{undo}");
    assert_eq!(c.rows("SELECT * FROM t"), "1 | 1 | 7 | NULL\n2 | 2 | 7 | kept");
    // Columns that are lost are one.
    c.ok("BEGIN TRAN; DELETE t WHERE id = 1; COMMIT");
    let of = last(&mut c);
    c.ok("ALTER TABLE t DROP COLUMN more");
    let undo = script(&mut c, &of);
    assert!(undo.contains("THROW 50000, N'DELETE of dbo.t at "), "{undo}");
}

/// Equal is not the same: time zones, types in a sql_variant, zeros.
#[test]
fn a_row_that_is_only_equal_is_not_the_row() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, o datetimeoffset, x sql_variant, f float, r real)");
    let all = "'2024-02-29T13:14:15 +02:00', CAST(7 AS int), 0e0, 0e0";
    for row in [
        &format!("1, {all}"),
        "2, '2024-01-01 00:00 +00:00', N'a', -0e0, -0e0",
        "3, NULL, CAST(1.50 AS decimal(9,2)), 1e0, 1e0",
        "4, NULL, CAST('10:11:12' AS time(3)), NULL, NULL",
    ] {
        c.ok(&format!("INSERT t VALUES ({row})"));
    }
    there_and_back(&mut c, "DELETE t", &["t"]);
    there_and_back(
        &mut c,
        "UPDATE t SET o = SYSDATETIMEOFFSET(), x = CAST(1 AS bit), f = -f, r = -r",
        &["t"],
    );
    c.ok(&format!("DELETE t; BEGIN TRAN; INSERT t VALUES (1, {all}); COMMIT"));
    let of = last(&mut c);
    let undo = script(&mut c, &of);
    for other in [
        "o = '2024-02-29T11:14:15 +00:00'",
        "x = CAST(7 AS bigint)",
        "x = CAST(7 AS decimal(5,0))",
        "f = -0e0",
        "r = CAST(-0e0 AS real)",
    ] {
        c.ok(&format!("UPDATE t SET {other}"));
        let said = c.rows(&undo);
        assert!(said.contains("is not as transaction"), "{other}: {said}");
        c.ok(&format!("DELETE t; INSERT t VALUES (1, {all})"));
    }
    assert_eq!(c.rows(&undo), "");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t"), "0");
}

/// Long rows are kept a few megabytes at a time; no change is lost where one reading ends and the next begins.
#[test]
fn long_rows_are_taken_back_a_part_at_a_time() {
    // The script, its tree and its plans are one text of a request: some 6 KB a change.
    let (_world, mut c) = World::with_query_memory(Some(256));
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v char(7000), n int); CREATE TABLE h (id int, v varchar(7000))");
    c.ok("INSERT t SELECT value, 'v', 0 FROM GENERATE_SERIES(1, 600); INSERT h SELECT value, 'h' FROM GENERATE_SERIES(1, 300)");
    c.ok("BEGIN TRAN; UPDATE t SET n += 1; UPDATE h SET v = REPLICATE('w', 6000); DELETE t WHERE id % 3 = 0; UPDATE h SET id += 1; COMMIT");
    let of = last(&mut c);
    let undo = script(&mut c, &of);
    assert_eq!(undo.matches("IF XACT_STATE() = 1").count(), 600 + 300 + 200 + 300);
    assert_eq!(c.rows(&undo), "");
    assert_eq!(
        c.rows("SELECT COUNT(*), SUM(n), SUM(id) FROM t; SELECT COUNT(*), MAX(v), SUM(id) FROM h"),
        "600 | 0 | 180300\n300 | h | 45150"
    );
}

#[test]
fn a_transaction_that_is_not_there_is_said_to_be_so() {
    let (_world, mut c) = World::with_database();
    let said = c.run("SELECT * FROM taffrail.log_undo(NULL)");
    assert!(said.contains("40510") && said.contains("without a transaction"), "{said}");
    for typed in ["'0000:ffffffff'", "987654321"] {
        let said = c.run(&format!("SELECT * FROM taffrail.log_undo({typed})"));
        assert!(said.contains("9003") && said.contains("has no transaction"), "{said}");
        assert!(!said.contains("corruption"), "{said}");
    }
}

#[test]
fn an_update_after_the_columns_have_changed_names_what_it_changed() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, a int, b varchar(9), gone int)");
    c.ok("INSERT t VALUES (1, 1, 'x', 1), (2, 2, 'y', 2), (3, 3, 'z', 3)");
    c.ok("ALTER TABLE t ADD n int NULL; ALTER TABLE t ADD d int NOT NULL DEFAULT 7");
    c.ok("UPDATE t SET a = 10 WHERE id = 1");
    c.ok("ALTER TABLE t DROP COLUMN gone");
    c.ok("UPDATE t SET b = 'yy' WHERE id = 2");
    c.ok("UPDATE t SET d = 8 WHERE id = 3");
    let told = c.rows(
        "SELECT key_columns, changed_columns FROM taffrail.log_changes(NULL, NULL, 't') WHERE operation = 'UPDATE'",
    );
    assert_eq!(told, "{\"id\":1} | a\n{\"id\":2} | b\n{\"id\":3} | d");
}

#[test]
fn a_backup_without_log_is_refused_in_words() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE t (id int)");
    c.ok(
        "BACKUP DATABASE d TO DISK = 'd.bak'; INSERT t VALUES (1); BACKUP LOG d TO DISK = 'd.trn'",
    );
    let said = c.run("SELECT * FROM taffrail.log_changes(NULL, NULL, NULL, 'd.bak')");
    assert!(said.contains("40510") && said.contains("'d.bak', which has no log backup"), "{said}");
    let said = c.run("SELECT * FROM taffrail.log_changes(NULL, NULL, NULL, 'd.trn', 'd.bak')");
    assert!(said.contains("40510"), "{said}");
    assert_eq!(
        c.rows("SELECT after FROM taffrail.log_changes(NULL, NULL, 't', 'd.trn')"),
        "{\"id\":1}"
    );
}

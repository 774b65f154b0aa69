//! Large values of rows that the log tells of, when their pages are others' by now.

use crate::support;

use support::World;

#[test]
fn large_values_that_are_gone_from_their_pages_come_from_the_log() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE t (id int NOT NULL PRIMARY KEY, v varchar(max), n int)");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("INSERT t VALUES (1, REPLICATE(CAST('a' AS varchar(max)), 50000), 0), (2, REPLICATE(CAST('b' AS varchar(max)), 9000), 0)");
    c.ok("BEGIN TRAN gone; UPDATE t SET v = 'short' WHERE id = 1; DELETE t WHERE id = 2; COMMIT");
    // Their pages are others' now.
    c.ok("INSERT t SELECT value, REPLICATE(CAST('c' AS varchar(max)), 9000), 0 FROM GENERATE_SERIES(10, 60)");
    let told = "SELECT operation, REPLACE(REPLACE(before, REPLICATE(CAST('a' AS varchar(max)), 50000), 'A'), \
        REPLICATE(CAST('b' AS varchar(max)), 9000), 'B'), note";
    let live = c.rows(&format!(
        "{told} FROM taffrail.log_changes(NULL, NULL, 't') WHERE transaction_name = 'gone'"
    ));
    let want = "UPDATE | {\"id\":1,\"v\":\"A\",\"n\":0} | NULL\nDELETE | {\"id\":2,\"v\":\"B\",\"n\":0} | NULL";
    assert_eq!(live, want);
    c.ok("BACKUP LOG d TO DISK = 'd.trn'");
    let backup = c.rows(&format!(
        "{told} FROM taffrail.log_changes(NULL, NULL, 't', 'd.trn') WHERE transaction_name = 'gone'"
    ));
    assert_eq!(backup, want);
}

/// Of three values of 3,500 bytes one is off its row, beside others' on a page.
#[test]
fn small_values_that_shared_a_page_come_from_the_log() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE t (id int NOT NULL PRIMARY KEY, v varchar(max), w \
        varchar(max), x varchar(max)); BACKUP DATABASE d TO DISK = 'd.bak'");
    let long = |letter: char| format!("REPLICATE(CAST('{letter}' AS varchar(max)), 3500)");
    let (a, b) = (long('a'), long('b'));
    let insert = |id: u32, v: &str| format!("INSERT t VALUES ({id}, {v}, {v}, {v})");
    c.ok(&format!("{}; {}; {}", insert(1, &a), insert(2, &b), insert(3, &b)));
    // One that is taken back beside them.
    c.ok(&format!("BEGIN TRAN; {}; ROLLBACK", insert(4, &a)));
    c.ok("BEGIN TRAN gone; UPDATE t SET v = 's', w = 's', x = 's' WHERE id = 1; DELETE t WHERE id = 2; COMMIT");
    // Their slots are others' now.
    c.ok(&format!("{}; {}; {}", insert(5, &b), insert(6, &a), insert(7, &a)));
    let told = format!(
        "SELECT operation, REPLACE(REPLACE(before, {a}, 'A'), {b}, 'B'), after, note FROM \
         taffrail.log_changes(NULL, NULL, 't'@) WHERE transaction_name = 'gone'"
    );
    let want = "UPDATE | {\"id\":1,\"v\":\"A\",\"w\":\"A\",\"x\":\"A\"} | {\"id\":1,\"v\":\"s\",\"w\":\"s\",\"x\":\"s\"} | NULL
DELETE | {\"id\":2,\"v\":\"B\",\"w\":\"B\",\"x\":\"B\"} | NULL | NULL";
    assert_eq!(c.rows(&told.replace('@', "")), want);
    let kinds = "SELECT Operation, COUNT(*) FROM fn_dblog(NULL, NULL) WHERE Context = 'LCX_TEXT_MIX' \
        AND AllocUnitName = 'dbo.t.' + (SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('t')) \
        GROUP BY Operation ORDER BY 1";
    let records =
        "LOP_DELETE_ROWS | 1\nLOP_EXPUNGE_ROWS | 2\nLOP_FORMAT_PAGE | 3\nLOP_INSERT_ROWS | 7";
    assert_eq!(c.rows(kinds), records);
    c.ok("BACKUP LOG d TO DISK = 'd.trn'");
    assert_eq!(c.rows(&told.replace('@', ", 'd.trn'")), want);
    assert_eq!(c.rows("SELECT COUNT(*), SUM(LEN(v)) FROM t"), "5 | 14001");
}

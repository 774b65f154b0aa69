//! Parts of long values are read, and changed, where they are: the rest is left alone.

use crate::support;

use support::{Client, World};

/// Bytes of varchar and characters of nvarchar: some 750 and 1,500 pages.
const LENGTH: u64 = 6_000_000;

fn filled() -> (World, Client) {
    let (world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int PRIMARY KEY, v varchar(max), n nvarchar(max), b varbinary(max), k int)");
    c.ok(&format!(
        "INSERT t SELECT 1, REPLICATE(CAST('0123456789' AS varchar(max)), {0}), \
         REPLICATE(CAST(N'0123456789' AS nvarchar(max)), {0}), \
         CAST(REPLICATE(CAST('0123456789' AS varchar(max)), {0}) AS varbinary(max)), 0",
        LENGTH / 10
    ));
    (world, c)
}

fn number(c: &mut Client, sql: &str) -> u64 {
    let said = c.rows(sql);
    said.trim().parse().unwrap_or_else(|_| panic!("{sql}: {said}"))
}

fn lookups(c: &mut Client) -> u64 {
    number(
        c,
        "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Page lookups/sec'",
    )
}

#[test]
fn functions_of_a_long_value_read_a_part_of_it() {
    let (_world, mut c) = filled();
    let of = |what: &str| format!("SELECT {what} FROM t WHERE id = 1");
    for (what, expected) in [
        ("SUBSTRING(v, 5999995, 20)", "456789"),
        ("SUBSTRING(n, 3000001, 3), SUBSTRING(b, 6000000, 1)", "012 | 0x39"),
        ("RIGHT(v, 3), LEFT(n, 2), SUBSTRING(v, 12, 2)", "789 | 01 | 12"),
        (
            "LEN(v), DATALENGTH(v), LEN(n), DATALENGTH(n), DATALENGTH(b)",
            "6000000 | 6000000 | 6000000 | 12000000 | 6000000",
        ),
        ("CAST(SUBSTRING(v, 2, 2) AS int) + 0 * k, k", "12 | 0"),
    ] {
        let before = lookups(&mut c);
        let said = c.rows(&of(what));
        let read = lookups(&mut c) - before;
        assert_eq!(said, expected, "{what}");
        let whole = what.contains("0 * k");
        assert!(whole || read < 150, "{what}: {read} pages");
    }
    // Into variables, with what is converted on the way.
    let before = lookups(&mut c);
    let said = c.rows(
        "DECLARE @v varchar(5), @n bigint, @k int \
         SELECT @v = SUBSTRING(v, 5999998, 9), @n = LEN(n) + 1, @k = k FROM t \
         SELECT @n = DATALENGTH(n) FROM t WHERE k = 0 SELECT @v, @n, @k",
    );
    assert_eq!(said, "789 | 12000000 | 0");
    let whole = lookups(&mut c) - before;
    let before = lookups(&mut c);
    let said = c.rows(
        "DECLARE @v varchar(5), @n bigint SELECT @v = RIGHT(v, 2), @n = DATALENGTH(n) FROM t SELECT @v, @n",
    );
    let read = lookups(&mut c) - before;
    assert_eq!(said, "89 | 12000000");
    assert!(read < 150 && read < whole, "{read} and {whole} pages");
    // One assignment after the other: the part begins where the first has said.
    assert_eq!(
        c.rows("DECLARE @i int = 1, @v varchar(5) SELECT @i = @i + 4, @v = SUBSTRING(v, @i, 2) FROM t SELECT @i, @v"),
        "5 | 45"
    );
    assert_eq!(
        c.rows(
            "DECLARE @i int = 3, @v varchar(5) SELECT @v = SUBSTRING(v, @i, 2) FROM t SELECT @v"
        ),
        "23"
    );
    // What is read as a whole beside them is what it is.
    assert_eq!(c.rows(&of("LEN(v), CHARINDEX('9', v), RIGHT(v, 1)")), "6000000 | 10 | 9");
    assert_eq!(c.rows("SELECT LEN(v) FROM t WHERE v LIKE '%89'"), "6000000");
    assert_eq!(c.rows("SELECT RIGHT(v, 2) FROM t ORDER BY LEN(n), DATALENGTH(b)"), "89");
    assert_eq!(c.rows("SELECT COUNT(*), MAX(LEN(v)) FROM t GROUP BY LEFT(v, 2)"), "1 | 6000000");
    // Blanks at the end, more of them than are looked at at once.
    c.ok("UPDATE t SET v.WRITE(REPLICATE(CAST(' ' AS varchar(max)), 50000), NULL, 0), n.WRITE(REPLICATE(CAST(N' \
        ' AS nvarchar(max)), 50000), 100, NULL)");
    assert_eq!(c.rows(&of("LEN(v), DATALENGTH(v), LEN(n)")), "6000000 | 6050000 | 100");
    c.ok("UPDATE t SET n.WRITE(REPLICATE(CAST(N' ' AS nvarchar(max)), 50000), 0, NULL)");
    assert_eq!(c.rows(&of("LEN(n), DATALENGTH(n)")), "0 | 100000");
}

#[test]
fn write_touches_what_changes() {
    let (_world, mut c) = filled();
    let log = "SELECT num_of_writes FROM sys.dm_io_virtual_file_stats(DB_ID(), 2)";
    let used = "SELECT database_transaction_log_bytes_used FROM sys.dm_tran_database_transactions WHERE database_id = DB_ID()";
    for (n, change) in [
        "v.WRITE(REPLICATE(CAST('x' AS varchar(max)), 8192), NULL, 0)",
        "v.WRITE('y', 3000000, 1)",
        "v.WRITE('in between', 1000000, 0), k = k + 1",
        "n.WRITE(N'z', 5999999, 1), b.WRITE(0x00, NULL, NULL)",
        "n.WRITE(NULL, 10, NULL)",
    ]
    .into_iter()
    .enumerate()
    {
        let update = format!("UPDATE t SET {change} WHERE id = 1");
        let pages = lookups(&mut c);
        let said = c.rows(&format!("BEGIN TRAN {update} {used} ROLLBACK"));
        let bytes: u64 = said.trim().parse().unwrap_or_else(|_| panic!("{change}: {said}"));
        // Some pages' images; what is cut off needs a list of the pages that go.
        assert!(bytes < 100_000, "{change}: {bytes} bytes of log");
        let pages = lookups(&mut c) - pages;
        assert!(pages < 400, "{change}: {pages} pages");
        let before = number(&mut c, log);
        c.ok(&update);
        let writes = number(&mut c, log) - before;
        assert!(n > 0 || writes <= 2, "{writes} writes of the log");
    }
    assert_eq!(
        c.rows("SELECT LEN(v), SUBSTRING(v, 999999, 14), SUBSTRING(v, 3000010, 3), RIGHT(v, 1), k, n, DATALENGTH(b) FROM t"),
        "6008202 | 89in between01 | 9y1 | x | 1 | 0123456789 | 6000001"
    );
    assert!(c.rows("DBCC CHECKTABLE (t) WITH NO_INFOMSGS").is_empty());
}

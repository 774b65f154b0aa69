//! DBCC CHECKDB, CHECKTABLE and CHECKALLOC: what they say of a whole database, and of one that is not.

use crate::support;

use std::path::Path;
use support::World;
use taffrail_base::PAGE_BYTES;
use taffrail_storage::page::{Page, PageType};
use taffrail_storage::raw;

const TABLES: &str = "
    CREATE TABLE h (a int NOT NULL, b varchar(50) NULL, c varchar(max) NULL);
    CREATE INDEX ih ON h (b) INCLUDE (a);
    CREATE TABLE t (id int NOT NULL PRIMARY KEY, u int NOT NULL CONSTRAINT uu UNIQUE, v varchar(6000) NULL, w nvarchar(max) NULL);
    CREATE INDEX iv ON t (u DESC, id) INCLUDE (w);
    CREATE TABLE n (k int NULL, x char(200) NULL);
    CREATE CLUSTERED INDEX ck ON n (k);
    CREATE INDEX ix ON n (x);";

const ROWS: &str = "
    SET NOCOUNT ON;
    DECLARE @i int = 0;
    WHILE @i < 300 BEGIN
        INSERT h VALUES (@i, CONCAT('b', @i % 7), CASE WHEN @i % 50 = 0 THEN REPLICATE(CAST('x' AS varchar(max)), 20000) END);
        INSERT t VALUES (@i, 1000 - @i, REPLICATE('v', @i * 11 % 3000), N'w');
        INSERT n VALUES (@i % 9, CONCAT('x', @i));
        SET @i += 1;
    END;
    UPDATE h SET b = REPLICATE('B', 40) WHERE a % 3 = 0;
    UPDATE t SET v = REPLICATE('V', 5000), w = N'W' WHERE id % 10 = 0;
    UPDATE n SET k = k + 1, x = UPPER(x) WHERE k < 4;
    DELETE h WHERE a % 5 = 1; DELETE t WHERE id BETWEEN 100 AND 150; DELETE n WHERE k = 7;
    ALTER TABLE t ADD later int NOT NULL DEFAULT 5;
    CREATE INDEX il ON t (later);
    INSERT t (id, u, v) VALUES (5000, 5000, 'new');";

#[test]
fn a_whole_database() {
    let (_world, mut c) = World::with_database();
    c.ok(TABLES);
    c.ok(ROWS);
    let said = c.rows("DBCC CHECKDB");
    assert!(
        said.contains(
            "CHECKDB found 0 allocation errors and 0 consistency errors in database 'd'."
        ),
        "{said}"
    );
    assert!(said.contains("DBCC results for 't'."), "{said}");
    assert!(
        said.contains("There are 250 rows in ") && said.contains("for object \"t\"."),
        "{said}"
    );
    assert!(!said.contains("Level 16"), "{said}");
    assert!(said.contains("DBCC results for 'sys.sysobjects'."), "{said}");
    assert_eq!(c.rows("DBCC CHECKDB (d) WITH NO_INFOMSGS, ALL_ERRORMSGS"), "");
    assert_eq!(c.rows("DBCC CHECKDB ('d', NOINDEX) WITH NO_INFOMSGS, PHYSICAL_ONLY"), "");
    let said = c.rows("DBCC CHECKALLOC (0)");
    assert!(said.contains("CHECKALLOC found 0 allocation errors"), "{said}");
    let said = c.rows("DBCC CHECKTABLE ('dbo.h')");
    assert!(
        said.contains("DBCC results for 'h'.") && said.contains("There are 240 rows"),
        "{said}"
    );
    assert_eq!(c.rows("DBCC CHECKTABLE ('t', 2) WITH NO_INFOMSGS"), "");
    assert_eq!(c.rows("DBCC CHECKTABLE (t, NOINDEX) WITH NO_INFOMSGS, TABLOCK"), "");
    for database in ["master", "msdb", "tempdb", "model"] {
        assert_eq!(c.rows(&format!("DBCC CHECKDB ({database}) WITH NO_INFOMSGS")), "");
    }
    // Temporary tables too, and inside of a transaction that has changed them.
    c.ok("CREATE TABLE #x (a int PRIMARY KEY); BEGIN TRAN; INSERT #x VALUES (1), (2); DELETE t WHERE id = 3");
    let said = c.rows("DBCC CHECKTABLE ('#x')");
    assert!(said.contains("There are 2 rows in 1 pages"), "{said}");
    assert_eq!(c.rows("DBCC CHECKTABLE ('t') WITH NO_INFOMSGS"), "");
    c.ok("ROLLBACK");
    assert_eq!(c.rows("DBCC CHECKDB WITH NO_INFOMSGS"), "");
}

#[test]
fn what_is_refused() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE TABLE t (a int)");
    for (statement, number) in [
        ("DBCC CHECKDB ('master', REPAIR_ALLOW_DATA_LOSS)", 40510),
        ("DBCC CHECKTABLE ('t', REPAIR_REBUILD)", 40510),
        ("DBCC CHECKDB WITH ESTIMATEONLY", 40510),
        ("DBCC CHECKDB WITH TABLERESULTS", 40510),
        ("DBCC CHECKDB WITH NO_SUCH_OPTION", 2526),
        ("DBCC CHECKDB ('nowhere')", 2520),
        ("DBCC CHECKTABLE", 2560),
        ("DBCC CHECKTABLE ('nothing')", 2501),
        ("DBCC CHECKTABLE ('t', 7)", 2560),
        ("DBCC CHECKDB ('master', 7)", 2560),
    ] {
        let said = c.rows(statement);
        assert!(said.contains(&format!("Msg {number},")), "{statement}: {said}");
    }
}

#[test]
fn it_waits_for_writers() {
    let world = World::new();
    let (mut a, mut b) = (world.connect(), world.connect());
    a.ok("CREATE TABLE t (a int PRIMARY KEY)");
    a.ok("BEGIN TRAN; INSERT t VALUES (1)");
    b.ok("SET LOCK_TIMEOUT 50");
    let said = b.rows("DBCC CHECKTABLE ('t')");
    assert!(said.contains("Msg 1222,"), "{said}");
    a.ok("COMMIT");
    assert_eq!(b.rows("DBCC CHECKTABLE ('t') WITH NO_INFOMSGS"), "");
    // And nothing is held afterwards.
    a.ok("INSERT t VALUES (2)");
}

/// Changes pages of a database's file, whose instance has ended; checksums are made right.
fn damage(dir: &Path, mut change: impl FnMut(&mut Page) -> bool) {
    let mut files = Vec::new();
    let mut dirs = vec![dir.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()) {
            match entry.is_dir() {
                true => dirs.push(entry),
                false => files.push(entry),
            }
        }
    }
    let file = files.into_iter().find(|f| f.file_name().unwrap() == "d.mdf").unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let mut changed = 0;
    for chunk in bytes.chunks_exact_mut(PAGE_BYTES) {
        let mut page = Page::zeroed();
        page.bytes_mut().copy_from_slice(chunk);
        let id = page.id();
        if page.validate(id).is_ok()
            && page.kind().is_some_and(PageType::is_slotted)
            && change(&mut page)
        {
            chunk.copy_from_slice(page.bytes());
            raw::mend_pages(chunk);
            changed += 1;
        }
    }
    assert_eq!(changed, 1, "nothing was damaged");
    std::fs::write(&file, bytes).unwrap();
}

/// A database with a damaged page.
fn damaged(change: impl FnMut(&mut Page) -> bool) -> (World, support::Client) {
    let (world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, b int NOT NULL, c char(20) NOT NULL)");
    c.ok("CREATE INDEX ib ON t (b)");
    c.ok("INSERT t VALUES (1, 10, 'one'), (2, 20, 'two'), (3, 30, 'three')");
    drop(c);
    world.instance.shutdown().unwrap();
    let dir = world.dir.clone();
    std::mem::forget(world);
    damage(&dir, change);
    let world = World::open(dir);
    let c = world.connect_to("d");
    (world, c)
}

/// Offset of these bytes in a row of a user's page of this index.
fn find(page: &Page, index: i32, bytes: &[u8]) -> Option<(usize, usize)> {
    if page.index() != index || page.object() < 1000 {
        return None;
    }
    (0..page.slots().into()).find_map(|slot| {
        let at = page.row(slot).windows(bytes.len()).position(|w| w == bytes)?;
        Some((slot, at))
    })
}

#[test]
fn an_index_that_differs_from_its_table() {
    // The row of id 2 says 21, its entry 20.
    let (_world, mut c) = damaged(|page| {
        let Some((slot, at)) = find(page, 1, &20i32.to_le_bytes()) else { return false };
        page.row_mut(slot)[at] = 21;
        true
    });
    let said = c.rows("DBCC CHECKTABLE ('t')");
    assert!(said.contains("Msg 8951,") && said.contains("(21)") && said.contains("'ib'"), "{said}");
    assert!(said.contains("Msg 8952,"), "{said}");
    assert!(
        said.contains("CHECKTABLE found 0 allocation errors and 2 consistency errors in table 't'"),
        "{said}"
    );
    let said = c.rows("DBCC CHECKDB WITH NO_INFOMSGS");
    assert!(
        said.contains(
            "CHECKDB found 0 allocation errors and 2 consistency errors in database 'd'."
        ),
        "{said}"
    );
    assert_eq!(c.rows("DBCC CHECKTABLE ('t', NOINDEX) WITH NO_INFOMSGS"), "");
    assert_eq!(c.rows("DBCC CHECKTABLE ('t') WITH NO_INFOMSGS, PHYSICAL_ONLY"), "");
    // What the check is for: afterwards the index is as it has to be.
    c.ok("ALTER INDEX ib ON t REBUILD");
    assert_eq!(c.rows("DBCC CHECKDB WITH NO_INFOMSGS"), "");
}

#[test]
fn a_key_that_is_not_its_rows() {
    let (_world, mut c) = damaged(|page| {
        let Some((slot, _)) = find(page, 1, &20i32.to_le_bytes()) else { return false };
        // `id` is the row's first column, behind its head.
        let at = page.row(slot).windows(4).rposition(|w| w == 2i32.to_le_bytes()).unwrap();
        page.row_mut(slot)[at] = 9;
        true
    });
    let said = c.rows("DBCC CHECKTABLE ('t')");
    assert!(
        said.contains("Msg 8944,") && said.contains("its key is not that of its columns"),
        "{said}"
    );
}

#[test]
fn a_row_that_is_no_row() {
    let (_world, mut c) = damaged(|page| {
        let Some((slot, at)) = find(page, 1, &20i32.to_le_bytes()) else { return false };
        // The row's form.
        let start = page.row(slot)[..at].windows(2).rposition(|w| w == [1, 0]).unwrap();
        page.row_mut(slot)[start] = 77;
        true
    });
    let said = c.rows("DBCC CHECKDB (d)");
    assert!(said.contains("Msg 8944,"), "{said}");
    assert!(said.contains("consistency errors in database 'd'."), "{said}");
}

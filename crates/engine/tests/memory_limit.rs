//! What the statements of a request may keep in memory.

use crate::support;

use support::World;
use taffrail_engine::InstanceOptions;
use taffrail_io::Env;

fn world(limit_mb: u64) -> World {
    let dir = std::env::temp_dir()
        .join(format!("taffrail-engine-memory-{}-{limit_mb}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let mut options = InstanceOptions::new(&dir, Env::os());
    options.max_server_memory_mb = 128;
    options.query_memory_limit_mb = Some(limit_mb);
    World { instance: taffrail_engine::start(options).expect("the instance starts"), dir }
}

#[test]
fn statements_stop_at_the_limit_of_their_request() {
    let world = world(4);
    let mut c = world.connect();
    c.ok("CREATE TABLE t (a int, s varchar(200), m varchar(max)); CREATE TABLE e (a int, s varchar(200))");
    c.ok("INSERT t SELECT value, REPLICATE('x', 200), NULL FROM GENERATE_SERIES(1, 30000)");
    c.ok("EXEC('CREATE PROCEDURE p @n int AS SELECT TOP (@n) a, s FROM t')");
    c.ok("EXEC('CREATE FUNCTION f (@n int) RETURNS @r TABLE (a int, s varchar(200)) AS BEGIN
            INSERT @r SELECT TOP (@n) a, s FROM t RETURN END')");
    let too_much = [
        "SELECT LEN(STRING_AGG(CAST(s AS varchar(max)), ',')) FROM t",
        "SELECT LEN(STRING_AGG(CAST(s AS varchar(max)), ',') WITHIN GROUP (ORDER BY a)) FROM t",
        "DECLARE @s varchar(max) = REPLICATE(CAST('x' AS varchar(max)), 100000); DECLARE @i int = 0; WHILE @i < \
            9 BEGIN SET @s += @s; SET @i += 1 END",
        "MERGE e USING t ON t.a = e.a WHEN NOT MATCHED THEN INSERT VALUES (a, s);",
    ];
    let mut wrong = Vec::new();
    for sql in too_much {
        let said = c.rows(sql);
        if !said.contains("Msg 701, Level 17, State 123") {
            wrong.push(format!("{sql}: {}", said.chars().take(200).collect::<String>()));
        }
        // The next request has all of it again, in this session as in others.
        let said = c.rows("SELECT COUNT(*) FROM (SELECT TOP (2000) a FROM t ORDER BY a) x");
        if said != "2000" {
            wrong.push(format!("after {sql}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Rows of these go to files.
    c.ok("UPDATE t SET s = x.s FROM t JOIN t x ON x.a = t.a");
    let sorted = c.rows("SELECT a FROM t ORDER BY s, a DESC OFFSET 29998 ROWS");
    assert_eq!(sorted, "2\n1");
    for (sql, rows) in [
        (
            "SELECT s + CAST(a AS varchar(9)) x, COUNT(*) n FROM t GROUP BY s + CAST(a AS varchar(9))",
            "30000",
        ),
        ("SELECT DISTINCT s + CAST(a AS varchar(9)) x FROM t", "30000"),
        ("SELECT x.a FROM t x JOIN t y ON x.a = y.a WHERE x.s <= y.s", "30000"),
        ("SELECT a, SUM(a) OVER (PARTITION BY s ORDER BY a) r, s FROM t", "30000"),
        ("SELECT TOP (50) PERCENT a, s FROM t ORDER BY a", "15000"),
        ("SELECT a, s FROM t EXCEPT SELECT a + 1, s FROM t", "1"),
    ] {
        assert_eq!(c.rows(&format!("SELECT COUNT(*) FROM ({sql}) q")), rows, "{sql}");
    }
    c.ok("TRUNCATE TABLE e; INSERT e EXEC p 5000");
    assert_eq!(c.rows("SELECT COUNT(*) FROM e"), "5000");
    // A column that nobody reads is not kept.
    assert_eq!(c.rows("SELECT COUNT(*) FROM f(5000)"), "5000");
    // What one statement of a batch has kept is free for the next.
    let sort = "SELECT @a = MAX(a) FROM (SELECT TOP (1500) a, s FROM t ORDER BY s, a) x";
    let said = c.rows(&format!("DECLARE @a int; {}; SELECT 1", [sort; 20].join("; ")));
    assert_eq!(said, "1");
    // Sorting for the first rows keeps only those.
    assert_eq!(c.rows("SELECT TOP (1) a FROM t ORDER BY s DESC, a DESC"), "30000");
}

/// Where the rows of a window have room by themselves and not with its results, either of them goes to a file.
#[test]
fn a_window_has_room_for_its_results_or_goes_to_a_file() {
    let world = world(5);
    let mut c = world.connect();
    c.ok("CREATE TABLE t (a int, s varchar(200))");
    c.ok("INSERT t SELECT value, REPLICATE('x', 200) FROM GENERATE_SERIES(1, 30000)");
    let mut wrong = Vec::new();
    for n in [6000, 8000, 10_000, 12_000, 16_000, 30_000] {
        let long = format!(
            "SELECT COUNT(*), SUM(LEN(x)) FROM (SELECT LEAD(s, 1, '') OVER (ORDER BY a DESC) x FROM (SELECT TOP ({n}) a, s FROM t) q) r"
        );
        let many = format!(
            "SELECT COUNT(*), MAX(b + c + d + e + f + g) FROM (SELECT NTILE(1) OVER (ORDER BY a) b, NTILE(2) OVER (ORDER BY a) c,
            NTILE(3) OVER (ORDER BY a) d, NTILE(4) OVER (ORDER BY a) e, NTILE(5) OVER (ORDER BY a) f, NTILE(6) OVER (ORDER BY a) g
            FROM (SELECT TOP ({n}) a FROM t) q) r"
        );
        for (sql, expected) in
            [(long, format!("{n} | {}", (n - 1) * 200)), (many, format!("{n} | 21"))]
        {
            let said = c.rows(&sql);
            if said != expected {
                wrong.push(format!("{sql}: {said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A merge join keeps the right rows of one key at most, and none where no left row has the key of another one.
#[test]
fn a_merge_join_keeps_the_rows_of_one_key() {
    let world = world(3);
    let mut c = world.connect();
    c.ok("CREATE TABLE t (a int NOT NULL, n int NOT NULL, s varchar(200), PRIMARY KEY (a, n))");
    c.ok("CREATE TABLE u (a int NOT NULL PRIMARY KEY)");
    c.ok("INSERT t SELECT value, 1, REPLICATE('x', 200) FROM GENERATE_SERIES(1, 30000); INSERT u VALUES (1)");
    let joined = |method: &str, more: &str| {
        format!(
            "SELECT COUNT(*), SUM(LEN(x.s) + LEN(y.s)) FROM t x INNER {method} JOIN t y ON y.a = x.a {more} OPTION (FORCE ORDER)"
        )
    };
    assert_eq!(c.rows(&joined("MERGE", "")), "30000 | 12000000");
    assert_eq!(c.rows(&joined("HASH", "")), "30000 | 12000000");
    c.ok("TRUNCATE TABLE t; INSERT t SELECT 1, value, REPLICATE('x', 200) FROM GENERATE_SERIES(1, 30000)");
    assert!(c.rows(&joined("MERGE", "AND x.n = 1")).starts_with("Msg 701,"));
    let one = "SELECT COUNT(*), SUM(LEN(t.s)) FROM u JOIN t ON u.a = t.a OPTION (MERGE JOIN)";
    assert_eq!(c.rows(one), "30000 | 6000000");
}

/// Groups that follow each other are given one by one; others are kept.
#[test]
fn a_group_is_kept_until_the_next_one_begins() {
    let world = world(2);
    let mut c = world.connect();
    c.ok("CREATE TABLE t (a int NOT NULL PRIMARY KEY, s varchar(200))");
    c.ok("INSERT t SELECT value, REPLICATE('x', 200) FROM GENERATE_SERIES(1, 60000)");
    let groups = "SELECT MAX(n), COUNT(*), MAX(LEN(s)) FROM (SELECT COUNT(*) n, MAX(s) s FROM t GROUP BY a) x";
    assert_eq!(c.rows(groups), "1 | 60000 | 200");
    assert_eq!(c.rows(&groups.replace("BY a", "BY a + 0")), "1 | 60000 | 200");
    let different = "SELECT COUNT(*) FROM (SELECT DISTINCT a, LEN(s) AS n FROM t) x";
    assert_eq!(c.rows("SELECT COUNT(*) FROM (SELECT DISTINCT a FROM t) x"), "60000");
    assert_eq!(c.rows(different), "60000");
}

/// What is kept beside sorts and hashes and goes to no file: rows of recursive expressions, of system views, and variables.
#[test]
fn rows_that_are_kept_elsewhere_count_too() {
    let world = world(5);
    let mut c = world.connect();
    c.ok("CREATE TABLE t (a int, s varchar(200)); CREATE TABLE e (a int, s varchar(200))");
    c.ok("INSERT t SELECT value, REPLICATE('x', 200) FROM GENERATE_SERIES(1, 30000)");
    let large = "REPLICATE(CAST('x' AS varchar(max)), 800000)";
    let too_much = [
        "WITH r AS (SELECT 1 n, CAST(REPLICATE('x', 500) AS varchar(500)) s
            UNION ALL SELECT n + 1, s FROM r CROSS JOIN (VALUES (1), (2)) v (z) WHERE n < 20000)
            SELECT COUNT(*) FROM r OPTION (MAXRECURSION 0)".into(),
        "SELECT COUNT(*) FROM sys.all_columns".into(),
        format!(
            "DECLARE @a varchar(max) = {large}, @b varchar(max) = {large}, @c varchar(max) = {large}
            DECLARE @d varchar(max) = {large}; DECLARE @e varchar(max), @f varchar(max), @g varchar(max)
            SET @e = @a + 'e'; SET @f = @a + 'f'; SELECT @g = @a + 'g'"
        ),
    ];
    let mut wrong = Vec::new();
    for sql in &too_much {
        let said = c.rows(sql);
        if !said.contains("Msg 701, Level 17, State 123") {
            wrong.push(format!("{sql}: {}", said.chars().take(200).collect::<String>()));
        }
        let said = c.rows("SELECT COUNT(*), MAX(a) FROM t; SELECT COUNT(*) FROM e");
        if said != "30000 | 30000\n0" {
            wrong.push(format!("after {sql}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What a session keeps from one request to the next is not there for others' rows, until the cursor is closed.
    let sort = "SELECT COUNT(*) FROM (SELECT TOP (2000) a, s FROM t ORDER BY s, a) x";
    assert_eq!(c.rows(sort), "2000");
    c.ok("DECLARE c CURSOR GLOBAL STATIC FOR SELECT TOP (15000) a, s FROM t; OPEN c");
    assert_eq!(c.rows(sort), "2000", "with files beside what the cursor keeps");
    assert_eq!(world.connect().rows(sort), "2000");
    c.ok("FETCH LAST FROM c");
    c.ok("CLOSE c");
    assert_eq!(c.rows(sort), "2000");
    // Rows that are read one after another are not kept; a recursion keeps what it has not worked on.
    let n = "WITH r AS (SELECT 1 n, CAST(REPLICATE('x', 500) AS varchar(500)) s
        UNION ALL SELECT n + 1, s FROM r WHERE n < 30000) SELECT MAX(n) FROM r OPTION (MAXRECURSION 0)";
    assert_eq!(c.rows(n), "30000");
    assert_eq!(c.rows("DECLARE c CURSOR LOCAL FOR SELECT a, s FROM t; OPEN c; SELECT 1"), "1");
}

/// The text of a batch, its tree and its plans.
#[test]
fn texts_and_their_plans_count_too() {
    let world = world(4);
    let mut c = world.connect();
    let many = |what: &str, times: usize| what.repeat(times);
    let in_text = |what: &str, times: usize| {
        let text = format!("REPLICATE(CAST(N'{what}' AS nvarchar(max)), {times})");
        (format!("DECLARE @s nvarchar(max) = {text}; EXEC(@s)"), text)
    };
    let (dynamic, text) = in_text("SELECT 1;", 60_000);
    let (variables, _) = in_text("IF 1 = 2 PRINT 3 ELSE SET NOCOUNT ON;", 60_000);
    let too_much = [
        many("SELECT 1;", 60_000),
        many("PRINT 1;", 200_000),
        // Planned only when they are reached.
        format!("USE tempdb; {}", many("SELECT 1 WHERE 1 = 1;", 10_000)),
        // One statement of many parts, and one expression.
        format!("SELECT COUNT(*) FROM sys.objects WHERE object_id IN (1{})", many(",1", 200_000)),
        format!("SELECT {}", vec!["'a'"; 200_000].join("+")),
        format!("CREATE PROCEDURE p AS {}", many("SELECT 1;", 60_000)),
        dynamic,
        variables,
        format!("DECLARE @s nvarchar(max) = {text}; EXEC sp_executesql @s"),
    ];
    for sql in &too_much {
        let begins = sql.chars().take(100).collect::<String>();
        let said = c.rows(sql);
        let told = said.lines().filter(|l| l.starts_with("Msg 701, Level 17, State 123")).count();
        assert_eq!(told, 1, "{begins}: {}", said.chars().take(300).collect::<String>());
        // Many more of them have room one after the other.
        assert_eq!(c.rows("SELECT COUNT(*) FROM (SELECT TOP (2000) value FROM GENERATE_SERIES(1, 3000) ORDER BY value) x"), "2000");
    }
    assert_eq!(c.rows(&many("SELECT 1;", 500)).lines().count(), 500);
    // A statement that is planned again and again keeps one plan.
    let again = "DECLARE @i int = 0; WHILE @i < 600 BEGIN CREATE TABLE #t (a int); SELECT @i += COUNT(*) + 1 FROM #t; DROP TABLE #t END";
    c.ok(again);
}

/// A recursion that doubles its row: the row that it works on, the new one and the one that is kept have room together.
#[test]
fn a_recursion_counts_before_it_takes() {
    let world = world(4);
    let mut c = world.connect();
    let said = c.rows(
        "WITH r AS (SELECT CAST('x' AS varchar(max)) s UNION ALL SELECT s + s FROM r) SELECT LEN(s) FROM r",
    );
    assert!(said.ends_with("run this query.") && said.contains("Msg 701,"), "{said}");
    let lengths: Vec<usize> = said.lines().filter_map(|l| l.parse().ok()).collect();
    let last = *lengths.last().expect("a row");
    assert!((512 << 10..=4 << 20).contains(&(last + last + last / 2)), "{last}");
}

/// `max server memory (MB)`: kept by sp_configure, in force from RECONFIGURE on, for the pool when it has given back what it has beyond.
#[test]
fn max_server_memory_is_in_force_after_reconfigure() {
    let dir = std::env::temp_dir().join(format!("taffrail-engine-budget-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let start = || {
        let mut options = InstanceOptions::new(&dir, Env::os());
        options.max_server_memory_mb = 1024;
        taffrail_engine::start(options).expect("the instance starts")
    };
    let world = World { instance: start(), dir: dir.clone() };
    let mut c = world.connect();
    c.ok("EXEC sp_configure 'show advanced options', 1; RECONFIGURE");
    let shown = "SELECT CAST(value AS bigint), CAST(value_in_use AS bigint) FROM sys.configurations WHERE configuration_id = 1544";
    let target =
        "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Target pages'
        SELECT committed_target_kb / 1024 FROM sys.dm_os_sys_info";
    let set = |c: &mut support::Client, mb: u32| {
        c.rows(&format!("EXEC sp_configure 'max server memory (MB)', {mb}"))
    };
    // 5,000 rows of 8,000 bytes, sorted.
    let sort = "SELECT COUNT(*) FROM (SELECT TOP (4999) value, REPLICATE('x', 8000) s FROM GENERATE_SERIES(1, 5000) ORDER BY s, value) x";
    let kept = "SELECT LEN(STRING_AGG(CAST(s AS varchar(max)), '') WITHIN GROUP (ORDER BY value)) / 7900 FROM
        (SELECT value, REPLICATE('x', 7900) s FROM GENERATE_SERIES(1, 5000)) x";
    assert_eq!(c.rows(shown), "1024 | 1024");
    assert_eq!(c.rows(kept), "5000");
    let said = set(&mut c, 128);
    assert!(said.contains("changed from 1024 to 128") && !said.contains("no effect"), "{said}");
    assert_eq!(c.rows(shown), "128 | 1024");
    assert_eq!(c.rows(sort), "4999");
    c.ok("RECONFIGURE");
    assert_eq!(c.rows(shown), "128 | 128");
    assert_eq!(c.rows(target), "12288\n128");
    assert!(c.rows(kept).starts_with("Msg 701,"));
    assert_eq!(c.rows(sort), "4999");
    let said = set(&mut c, 5000);
    assert!(said.contains("allows 1024 MB at most"), "{said}");
    c.ok("RECONFIGURE");
    assert_eq!(c.rows(shown), "5000 | 1024");
    assert_eq!(c.rows(sort), "4999");
    // The pool grows beyond what is set then.
    c.ok("CREATE DATABASE d; ALTER DATABASE d SET RECOVERY SIMPLE; USE d; CREATE TABLE t (a int, s char(8000))");
    c.ok("INSERT t WITH (TABLOCK) SELECT value, 'x' FROM GENERATE_SERIES(1, 14000)");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t WHERE s > ''"), "14000");
    set(&mut c, 128);
    c.ok("RECONFIGURE");
    // It gives back what it has beyond that, and nothing is lost.
    let began = std::time::Instant::now();
    while c.rows(shown) != "128 | 128" {
        assert!(began.elapsed().as_secs() < 60, "{}", c.rows(shown));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    const PAGES: &str = "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Database pages'";
    let pages = c.rows(PAGES);
    assert!(pages.parse::<u32>().expect("a number") <= 12288, "{pages}");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t WHERE s > ''"), "14000");
    assert!(c.rows(kept).starts_with("Msg 701,"));
    drop(c);
    world.instance.shutdown().expect("an orderly end");
    std::mem::forget(world);
    let world = World { instance: start(), dir: dir.clone() };
    let mut c = world.connect_to("d");
    assert_eq!(c.rows(shown), "128 | 128");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t WHERE s > ''"), "14000");
    assert_eq!(c.rows(target), "12288\n128");
    let pages = c.rows(PAGES);
    assert!(pages.parse::<u32>().expect("a number") <= 12288, "{pages}");
}

/// Resident memory of this process in MB.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: u64 = statm.split(' ').nth(1).and_then(|n| n.parse().ok()).expect("a number");
    (pages * 4096) >> 20
}

/// Memory that a request had is the system's again when it has ended.
#[test]
fn memory_goes_back_to_the_system() {
    let world = world(1000);
    let mut c = world.connect();
    c.ok("CREATE TABLE t (a int, s char(100)); INSERT t SELECT value, 'x' FROM GENERATE_SERIES(1, 100)");
    // The pool's frames are in use before.
    c.ok("SELECT COUNT(*) FROM t x CROSS JOIN t y");
    let before = resident();
    let works = [
        // 40,000 rows of 8,000 bytes, sorted.
        "SELECT TOP (1) LEN(s) FROM (SELECT TOP (99.9) PERCENT x.a, REPLICATE('x', 8000) s FROM t x CROSS JOIN t y
            CROSS JOIN (VALUES (1), (2), (3), (4)) v (z) ORDER BY x.a, y.a, v.z) q",
        "DECLARE c CURSOR LOCAL STATIC FOR SELECT REPLICATE('x', 8000) FROM t x CROSS JOIN t y
            CROSS JOIN (VALUES (1), (2), (3), (4)) v (z); OPEN c",
        "DECLARE @s varchar(max) = REPLICATE(CAST('x' AS varchar(max)), 300000000)",
    ];
    for sql in works {
        let done = &std::sync::atomic::AtomicBool::new(false);
        let most = std::thread::scope(|s| {
            let watch = s.spawn(move || {
                let mut most = 0;
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    most = most.max(resident());
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                most
            });
            let said = c.run(sql);
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(!said.contains("Msg"), "{sql}: {said}");
            watch.join().unwrap()
        });
        let after = resident();
        println!("{before} MB, {most} MB at most, {after} MB after: {sql}");
        assert!(most > before + 150, "{sql}: {before}, {most}");
        // Other tests of this process may have something at the time.
        assert!(after < before + 100, "{sql}: {before}, {most}, {after}");
    }
}

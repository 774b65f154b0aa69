//! What the statements of a request may keep in memory.

mod support;

use support::World;
use taffrail_engine::{Instance, InstanceOptions};
use taffrail_io::Env;

fn world(limit_mb: u64) -> World {
    let dir = std::env::temp_dir()
        .join(format!("taffrail-engine-memory-{}-{limit_mb}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let mut options = InstanceOptions::new(&dir, Env::os());
    options.max_server_memory_mb = 128;
    options.query_memory_limit_mb = Some(limit_mb);
    World { instance: Instance::start(options).expect("the instance starts"), dir }
}

#[test]
fn statements_stop_at_the_limit_of_their_request() {
    let world = world(4);
    let mut c = world.connect();
    c.ok("CREATE TABLE t (a int, s varchar(200), m varchar(max)); CREATE TABLE e (a int, s varchar(200))");
    c.ok("INSERT t SELECT value, REPLICATE('x', 200), NULL FROM GENERATE_SERIES(1, 30000)");
    c.ok("EXEC('CREATE PROCEDURE p @n int AS SELECT TOP (@n) a, s FROM t')");
    let too_much = [
        "SELECT a FROM t ORDER BY s, a DESC OFFSET 0 ROWS",
        "SELECT s + CAST(a AS varchar(9)), COUNT(*) FROM t GROUP BY s + CAST(a AS varchar(9))",
        "SELECT DISTINCT s + CAST(a AS varchar(9)) FROM t",
        "SELECT COUNT(DISTINCT s + CAST(a AS varchar(9))) FROM t",
        "SELECT COUNT(*) FROM t x JOIN t y ON x.a = y.a WHERE x.s <= y.s",
        "SELECT LEN(STRING_AGG(CAST(s AS varchar(max)), ',')) FROM t",
        "SELECT LEN(STRING_AGG(CAST(s AS varchar(max)), ',') WITHIN GROUP (ORDER BY a)) FROM t",
        "SELECT a, SUM(a) OVER (PARTITION BY s ORDER BY a), s FROM t",
        "SELECT TOP (50) PERCENT a, s FROM t ORDER BY a",
        "SELECT a, s FROM t EXCEPT SELECT a + 1, s FROM t",
        "DECLARE @s varchar(max) = REPLICATE(CAST('x' AS varchar(max)), 100000); DECLARE @i int = 0; WHILE @i < 9 BEGIN SET @s += @s; SET @i += 1 END",
        "INSERT e EXEC p 30000",
        "INSERT e EXEC('SELECT a, s FROM t')",
        "INSERT t (a, s) SELECT a, s FROM t",
        "UPDATE t SET s = x.s FROM t JOIN t x ON x.a = t.a",
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
    c.ok("TRUNCATE TABLE e; INSERT e EXEC p 5000");
    assert_eq!(c.rows("SELECT COUNT(*) FROM e"), "5000");
    // What one statement of a batch has kept is free for the next.
    let sort = "SELECT @a = MAX(a) FROM (SELECT TOP (1500) a, s FROM t ORDER BY s, a) x";
    let said = c.rows(&format!("DECLARE @a int; {}; SELECT 1", [sort; 20].join("; ")));
    assert_eq!(said, "1");
    // Sorting for the first rows keeps only those.
    assert_eq!(c.rows("SELECT TOP (1) a FROM t ORDER BY s DESC, a DESC"), "30000");
}

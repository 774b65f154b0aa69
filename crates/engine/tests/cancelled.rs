//! Long work inside one statement ends when its client calls it off, and when its session is killed.

use crate::support;

use std::time::{Duration, Instant};
use support::World;
use taffrail_engine::InstanceOptions;
use taffrail_io::Env;

/// A document whose paths take minutes, and formats of millions of values.
const WORK: [&str; 3] = [
    "DECLARE @x xml = REPLICATE(CAST('<a>' AS varchar(max)), 100) + REPLICATE(CAST('<a/>' AS varchar(max)), 3000)
        + REPLICATE(CAST('</a>' AS varchar(max)), 100)
    SELECT @x.value('(//a[//a[//a//b]])[1]', 'varchar(10)')",
    "DECLARE @x xml = REPLICATE(CAST('<a><a/></a>' AS varchar(max)), 3000)
    SELECT COUNT(*) FROM (VALUES (1)) v (n) WHERE @x.exist('//a[//a[//b = \"x\"]]') = 1",
    "SELECT MAX(FORMAT(x.value * 1.5, REPLICATE('#,##0.00;', 400))) FROM GENERATE_SERIES(1, 100000) x
        CROSS JOIN GENERATE_SERIES(1, 100000) y",
];

/// Loops of statements.
const LOOPS: [&str; 6] = [
    "a: GOTO a",
    "EXEC('a: GOTO a')",
    "DECLARE @i bigint = 0; a: SET @i += 1; IF @i > 0 GOTO a",
    "a: IF 1 = 1 BEGIN BEGIN TRY GOTO a END TRY BEGIN CATCH PRINT 1 END CATCH END",
    "WHILE 1 = 1 BEGIN WHILE 1 = 1 BEGIN BREAK END CONTINUE END",
    "a: WHILE 1 = 1 GOTO a",
];

/// Functions and comparisons over texts of many megabytes, each again and again.
const TEXTS: [&str; 9] = [
    "SOUNDEX(@s)",
    "DIFFERENCE(@s, @n)",
    "LEN(STRING_ESCAPE(@s, 'json'))",
    "CASE WHEN @n COLLATE Latin1_General_CI_AS = @m COLLATE Latin1_General_CI_AS THEN 1 END",
    "CASE WHEN @s COLLATE Latin1_General_CI_AS = @t COLLATE Latin1_General_CI_AS THEN 1 END",
    "CASE WHEN @n COLLATE Latin1_General_CI_AS LIKE N'%aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab%' THEN 1 END",
    "PATINDEX('%[b-z]_a%c', @s COLLATE Latin1_General_CI_AS)",
    "LEN(REPLACE(@n COLLATE Latin1_General_CI_AS, N'a', N'b'))",
    "LEN(REPLACE(@s, REPLICATE('a', 7000) + 'b', 'b'))",
];

/// XML whose reading and asking takes time that grows with the square of its size, where that is not taken care of.
const XML: [&str; 3] = [
    "DECLARE @x varchar(max) = (SELECT STRING_AGG(CONVERT(varchar(max), CONCAT('a', value, '=\"\"')), ' ')
        FROM GENERATE_SERIES(1, 100000))
    SET @x = '<r ' + @x + '/>'
    DECLARE @y xml; WHILE 1 = 1 SET @y = @x",
    "DECLARE @x varchar(max) = (SELECT STRING_AGG(CONVERT(varchar(max), CONCAT('xmlns:a', value, '=\"u', value, '\"',
            ' a', value, ':b=\"\"')), ' ')
        FROM GENERATE_SERIES(1, 60000))
    SET @x = '<r ' + @x + '/>'
    DECLARE @y xml; WHILE 1 = 1 SET @y = @x",
    "DECLARE @x xml = '<a>' + REPLICATE(CAST('<b/>' AS varchar(max)), 50000) + '</a>'
    WHILE 1 = 1 SELECT @x.value('count(/a/b[count(../b)=1])', 'int')",
];

/// Runs it, calls it off after a while, and waits until it has ended, but not for ever.
fn called_off(world: &World, sql: &str) {
    let mut c = world.connect();
    let handle = c.connection.cancel_handle();
    let (ended, waits) = std::sync::mpsc::channel();
    let text = sql.to_owned();
    std::thread::spawn(move || {
        let said = c.run(&text);
        let after = (c.connection.was_cancelled(), c.rows("SELECT 1"));
        ended.send((said, after)).expect("somebody waits");
    });
    let begins = sql.chars().take(200).collect::<String>();
    let early = waits.recv_timeout(Duration::from_millis(300));
    assert!(early.is_err(), "{begins}: ended by itself: {early:?}");
    handle.cancel();
    let heard = waits.recv_timeout(Duration::from_secs(10));
    let (said, (cancelled, one)) = heard.unwrap_or_else(|_| panic!("{begins} goes on"));
    assert!(cancelled, "{begins}: {said}");
    assert_eq!(one, "1", "{begins}");
}

#[test]
fn xml_paths_and_formats_end_when_they_are_called_off() {
    let world = World::new();
    WORK.iter().for_each(|sql| called_off(&world, sql));
}

#[test]
fn functions_of_long_texts_end_when_they_are_called_off() {
    let world = roomy("functions");
    for what in TEXTS {
        let long = |c: &str| format!("REPLICATE(CAST({c} AS varchar(max)), 12000000)");
        called_off(
            &world,
            &format!(
                "DECLARE @s varchar(max) = {a}, @t varchar(max) = {b}
                DECLARE @n nvarchar(max) = @s, @m nvarchar(max) = @t, @r sql_variant
                WHILE 1 = 1 SET @r = {what}",
                a = long("'a'"),
                b = long("'A'")
            ),
        );
    }
}

#[test]
fn long_xml_ends_when_it_is_called_off() {
    let world = roomy("xml");
    XML.iter().for_each(|sql| called_off(&world, sql));
}

#[test]
fn jumps_and_loops_end_when_they_are_called_off() {
    let world = World::new();
    LOOPS.iter().for_each(|sql| called_off(&world, sql));
}

/// One whose requests may have much memory.
fn roomy(name: &str) -> World {
    let dir = std::env::temp_dir().join(format!("taffrail-engine-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let mut options = InstanceOptions::new(&dir, Env::os());
    options.max_server_memory_mb = 128;
    options.query_memory_limit_mb = Some(4096);
    World { instance: taffrail_engine::start(options).expect("the instance starts"), dir }
}

/// Millions of statements end while they are read, compiled and planned.
#[test]
fn long_texts_end_when_they_are_called_off() {
    let world = roomy("texts");
    let text =
        |what: &str, times: u32| format!("REPLICATE(CAST('{what}' AS varchar(max)), {times})");
    for what in ["SELECT 1;", "PRINT 1;", "DECLARE @a int; BEGIN TRAN"] {
        called_off(
            &world,
            &format!("DECLARE @s varchar(max) = {}; EXEC(@s)", text(what, 2_000_000)),
        );
    }
    called_off(&world, &"SELECT 1 WHERE 1 = 2;".repeat(300_000));
}

#[test]
fn xml_paths_and_formats_end_when_they_are_killed() {
    let world = World::new();
    let mut killer = world.connect();
    for sql in WORK {
        let mut c = world.connect();
        let session = c.connection.session_id();
        let said = std::thread::spawn(move || {
            let begun = Instant::now();
            let said = c.run(sql);
            (said, begun.elapsed())
        });
        std::thread::sleep(Duration::from_millis(300));
        killer.ok(&format!("KILL {session}"));
        let (said, took) = said.join().unwrap();
        assert!(said.contains("Msg 596, Level 21"), "{sql}: {said}");
        assert!(took > Duration::from_millis(250) && took < Duration::from_secs(10), "{took:?}");
    }
}

#[test]
fn functions_that_give_rows_end_when_they_are_called_off() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE FUNCTION dbo.endless () RETURNS @r TABLE (a int) AS BEGIN WHILE 1 = 1 DELETE @r RETURN END");
    c.ok("CREATE FUNCTION dbo.one (@a int) RETURNS @r TABLE (a int) AS BEGIN INSERT @r VALUES (@a) RETURN END");
    called_off(&world, "SELECT * FROM dbo.endless()");
    let many = "FROM GENERATE_SERIES(1, 100000000) AS g CROSS APPLY dbo.one(g.value) AS f";
    called_off(&world, &format!("SELECT COUNT(*) {many}"));
    called_off(&world, &format!("SELECT f.a INTO made {many}"));
    assert_eq!(c.rows("SELECT COUNT(*) FROM tempdb.sys.tables WHERE name LIKE '#@%'"), "0");
    assert_eq!(c.rows("SELECT OBJECT_ID('made')"), "NULL");
}

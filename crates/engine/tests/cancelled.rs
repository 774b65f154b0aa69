//! Long work inside one statement ends when its client calls it off, and when its session is killed.

use crate::support;

use std::time::{Duration, Instant};
use support::World;

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

#[test]
fn xml_paths_and_formats_end_when_they_are_called_off() {
    let world = World::new();
    for sql in WORK {
        let mut c = world.connect();
        let handle = c.connection.cancel_handle();
        let waiter = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            handle.cancel();
        });
        let begun = Instant::now();
        let said = c.run(sql);
        let took = begun.elapsed();
        assert!(c.connection.was_cancelled(), "{sql}: {said}");
        assert!(took > Duration::from_millis(250) && took < Duration::from_secs(10), "{took:?}");
        waiter.join().unwrap();
        assert_eq!(c.rows("SELECT 1"), "1");
    }
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

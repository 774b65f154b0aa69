//! sp_monitor tells what has been done since the start, and since it was asked last.

use crate::support;

use support::World;

/// The numbers of `all(since)` or `all(since)-percent%`.
fn figure(shown: &str) -> (i64, i64, Option<i64>) {
    let (all, rest) = shown.split_once('(').expect(shown);
    let (since, rest) = rest.split_once(')').expect(shown);
    let percent = rest.strip_prefix('-').and_then(|p| p.strip_suffix('%'));
    let number = |n: &str| n.parse().expect("a number");
    (number(all), number(since), percent.map(number))
}

#[test]
fn each_run_begins_where_the_one_before_it_ended() {
    let (_w, mut c) = World::with_database();
    let said = c.run("EXEC sp_monitor");
    for columns in [
        "[last_run datetime, current_run datetime, seconds int]",
        "[cpu_busy varchar(25), io_busy varchar(25), idle varchar(25)]",
        "[packets_received varchar(25), packets_sent varchar(25), packet_errors varchar(25)]",
        "[total_read varchar(25), total_write varchar(25), total_errors varchar(25), connections varchar(25)]",
    ] {
        assert!(said.contains(columns), "{columns} is not in\n{said}");
    }
    let first = c.rows("EXEC sp_monitor");
    c.ok("CREATE TABLE t (i int); INSERT t VALUES (1)");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let second = c.rows("EXEC sp_monitor");
    let row = |text: &str, n: usize| -> Vec<String> {
        text.lines().nth(n).expect("a row").split(" | ").map(str::to_owned).collect()
    };
    let (before, now) = (row(&first, 0), row(&second, 0));
    assert_eq!(before[1], now[0], "the last run is the one before");
    assert!(now[2].parse::<i64>().unwrap() >= 1, "{now:?}");
    for (at, shown) in row(&second, 1).iter().enumerate() {
        let (all, since, percent) = figure(shown);
        assert!(all >= since && since >= 0 && percent.is_some(), "{at}: {shown}");
    }
    let (writes, wrote, _) = figure(&row(&second, 3)[1]);
    let (earlier, ..) = figure(&row(&first, 3)[1]);
    assert_eq!(writes - earlier, wrote);
    assert!(wrote >= 1, "{second}");
    assert_eq!(figure(&row(&second, 3)[2]), (0, 0, None));
}

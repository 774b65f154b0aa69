//! sys.dm_os_performance_counters: every counter that tools ask for is there, once, with its type; what is counted here moves.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use support::World;

/// Object, counters (`;` between them) and type, as SQL Server's documentation and its users' tools have them.
const EXPECTED: &str = include_str!("support/performance_counters.txt");

fn type_of(letter: &str) -> &'static str {
    match letter {
        "G" => "65792",
        "R" => "272696576",
        "F" => "537003264",
        "B" => "1073939712",
        "A" => "1073874176",
        other => panic!("{other}"),
    }
}

#[test]
fn every_counter_is_there_once_with_its_type() {
    let (_world, mut c) = World::with_database();
    let rows = c.rows(
        "SELECT RTRIM(object_name), RTRIM(counter_name), RTRIM(instance_name), cntr_type FROM sys.dm_os_performance_counters",
    );
    let mut types: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for row in rows.lines() {
        let [object, counter, instance, ty]: [&str; 4] =
            row.split(" | ").collect::<Vec<_>>().try_into().expect(row);
        let object = object.strip_prefix("SQLServer:").expect(row);
        let key = format!("{object}|{counter}|{instance}").to_lowercase();
        assert!(seen.insert(key), "{row} twice");
        let of = types.entry((object.to_owned(), counter.to_owned())).or_insert(ty.to_owned());
        assert_eq!(of, ty, "{row}: the type is the counter's");
    }
    for line in EXPECTED.lines() {
        let [object, letter, counters]: [&str; 3] =
            line.split('|').collect::<Vec<_>>().try_into().expect(line);
        for counter in counters.split(';') {
            let found = types.get(&(object.to_owned(), counter.to_owned()));
            assert_eq!(found.map(String::as_str), Some(type_of(letter)), "{object}: {counter}");
        }
    }
    for database in ["master", "model", "msdb", "tempdb", "d", "_total"] {
        assert!(seen.contains(&format!("databases|log flushes/sec|{database}")), "{database}");
    }
}

#[test]
fn what_happens_is_counted() {
    let (_world, mut c) = World::with_database();
    let value = |c: &mut support::Client, object: &str, counter: &str, instance: &str| -> i64 {
        let text = c.rows(&format!(
            "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE object_name = 'SQLServer:{object}' \
             AND counter_name = '{counter}' AND instance_name = '{instance}'"
        ));
        text.parse().unwrap_or_else(|_| panic!("{object} {counter} {instance}: {text}"))
    };
    let moving = [
        ("Databases", "Transactions/sec", "d"),
        ("Databases", "Write Transactions/sec", "d"),
        ("Databases", "Log Flushes/sec", "d"),
        ("Databases", "Backup/Restore Throughput/sec", "d"),
        ("Buffer Manager", "Page lookups/sec", ""),
        ("Access Methods", "Extents Allocated/sec", ""),
        ("Access Methods", "Extent Deallocations/sec", ""),
        ("Access Methods", "Pages Allocated/sec", ""),
        ("Access Methods", "Page Splits/sec", ""),
        ("Access Methods", "Full Scans/sec", ""),
        ("Access Methods", "Index Searches/sec", ""),
        ("General Statistics", "Temp Tables Creation Rate", ""),
        ("General Statistics", "Logins/sec", ""),
        ("SQL Statistics", "Batch Requests/sec", ""),
        ("SQL Statistics", "SQL Compilations/sec", ""),
        ("Locks", "Lock Requests/sec", "_Total"),
        ("Plan Cache", "Cache Hit Ratio Base", "SQL Plans"),
        ("Plan Cache", "Cache Hit Ratio", "SQL Plans"),
        ("SQL Errors", "Errors/sec", "User Errors"),
        ("SQL Errors", "Errors/sec", "Info Errors"),
        ("SQL Errors", "Errors/sec", "_Total"),
        ("Workload Group Stats", "Requests completed/sec", "default"),
        ("Resource Pool Stats", "Disk Write IO/sec", "default"),
        ("Resource Pool Stats", "Disk Write Bytes/sec", "default"),
        ("Catalog Metadata", "Cache Entries Count", "d"),
    ];
    let before = moving.map(|(o, n, i)| value(&mut c, o, n, i));
    c.ok("CREATE TABLE t (i int PRIMARY KEY, v char(2000))");
    c.ok("DECLARE @i int = 0 WHILE @i < 200 BEGIN INSERT t VALUES (@i * 7 % 200, 'x') SET @i += 1 END");
    c.ok("SELECT COUNT(*) FROM t WHERE i = 3 SELECT COUNT(*) FROM t WHERE v = 'y'");
    c.ok("CREATE TABLE #t (i int, v char(8000)) INSERT #t SELECT i, v FROM t DROP TABLE #t");
    c.ok("BACKUP DATABASE d TO DISK = 'counted.bak' CHECKPOINT");
    for _ in 0..2 {
        c.run("SELECT 1 / 0");
    }
    c.run("RAISERROR ('told', 10, 1)");
    let _second = _world.connect();
    for ((o, n, i), before) in moving.into_iter().zip(before) {
        let after = value(&mut c, o, n, i);
        assert!(after > before, "{o} {n} {i}: {before}, then {after}");
    }
    let levels = [
        ("Buffer Manager", "Database pages", ""),
        ("Memory Manager", "Total Server Memory (KB)", ""),
        ("Memory Manager", "Target Server Memory (KB)", ""),
        ("Memory Manager", "Database Cache Memory (KB)", ""),
        ("Memory Manager", "Log Pool Memory (KB)", ""),
        ("Memory Manager", "SQL Cache Memory (KB)", ""),
        ("Memory Node", "Total Node Memory (KB)", "000"),
        ("Memory Broker Clerks", "Memory broker clerk size", "Buffer Pool"),
        ("Plan Cache", "Cache Object Counts", "_Total"),
        ("Transactions", "Free Space in tempdb (KB)", ""),
        ("Workload Group Stats", "Active requests", "default"),
        ("Batch Resp Statistics", "Batches >=000000ms & <000001ms", "Elapsed Time:Requests"),
    ];
    for (o, n, i) in levels {
        assert!(value(&mut c, o, n, i) > 0, "{o} {n} {i}");
    }
    // A killed session is told of it.
    let killed = ("SQL Errors", "Errors/sec", "Kill Connection Errors");
    let before = value(&mut c, killed.0, killed.1, killed.2);
    let mut victim = _world.connect();
    let id = victim.connection.session_id();
    c.ok(&format!("KILL {}", id.0));
    victim.run("SELECT 1");
    assert_eq!(value(&mut c, killed.0, killed.1, killed.2), before + 1);
}

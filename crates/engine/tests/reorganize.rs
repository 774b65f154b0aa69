//! ALTER INDEX … REORGANIZE beside other sessions: it waits for no row, nobody waits for it, and what it has done stays.

use crate::support;

use std::sync::atomic::{AtomicBool, Ordering};
use support::World;

const STATS: &str = "SELECT page_count, avg_fragmentation_in_percent FROM \
    sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('t'), 1, NULL, 'LIMITED')";

fn filled(world: &World, rows: u32) {
    let mut c = world.connect();
    c.ok("CREATE TABLE t (id int PRIMARY KEY, v char(300) NOT NULL)");
    c.ok(&format!(
        "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN \
         WHILE @i < {rows} BEGIN INSERT t VALUES (@i * 7919 % {0}, 'x') SET @i += 1 END COMMIT",
        rows + 1
    ));
    c.ok("DELETE t WHERE id % 4 <> 0");
}

fn pages(c: &mut support::Client) -> u32 {
    let said = c.rows(STATS);
    said.split([' ', '\n']).find_map(|w| w.parse().ok()).expect("a number of pages")
}

#[test]
fn beside_open_transactions() {
    let world = World::new();
    filled(&world, 3000);
    let (mut a, mut b) = (world.connect(), world.connect());
    let before = pages(&mut a);
    b.ok("BEGIN TRAN");
    b.ok("INSERT t VALUES (100001, 'new')");
    b.ok("UPDATE t SET v = 'changed' WHERE id = 400");
    b.ok("DELETE t WHERE id = 800");
    a.ok("SET LOCK_TIMEOUT 0");
    a.ok("ALTER INDEX ALL ON t REORGANIZE");
    let after = pages(&mut a);
    assert!(after < before / 2, "{before} pages became {after}");
    // Its locks are where its rows are.
    assert!(a.run("SELECT v FROM t WHERE id = 400").contains("1222"));
    assert!(a.run("SELECT v FROM t WHERE id = 800").contains("1222"));
    b.ok("ROLLBACK");
    assert!(a.rows("SELECT v FROM t WHERE id = 400").starts_with('x'));
    assert!(a.rows("SELECT COUNT(*) FROM t").contains("750"));
    // In a transaction that goes back: what was reorganized stays.
    a.ok("DELETE t WHERE id % 8 <> 0");
    a.ok("BEGIN TRAN");
    a.ok("ALTER INDEX ALL ON t REORGANIZE");
    let inside = pages(&mut a);
    a.ok("ROLLBACK");
    assert!(inside < after);
    assert_eq!(pages(&mut a), inside);
    assert!(a.rows("SELECT COUNT(*) FROM t").contains("376"));
    // Whoever changes the definition, or has the table to himself, keeps it away.
    b.ok("BEGIN TRAN");
    b.ok("SELECT COUNT(*) FROM t WITH (TABLOCKX)");
    assert!(a.run("ALTER INDEX ALL ON t REORGANIZE").contains("1222"));
    b.ok("ROLLBACK");
}

#[test]
fn writers_go_on_and_a_cancel_is_heard() {
    let world = World::new();
    filled(&world, 6000);
    let stop = AtomicBool::new(false);
    std::thread::scope(|s| {
        let (stop, world) = (&stop, &world);
        let writer = s.spawn(move || {
            let mut c = world.connect();
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                c.ok(&format!("INSERT t VALUES ({}, 'w')", 1_000_000 + n));
                c.ok(&format!("UPDATE t SET v = 'w' WHERE id = {}", n * 4 % 6000));
                n += 1;
            }
            n
        });
        let mut c = world.connect();
        for round in 0..4 {
            c.ok("ALTER INDEX ALL ON t REORGANIZE");
            c.ok(&format!("DELETE t WHERE id < {}", round * 500));
        }
        let handle = c.connection.cancel_handle();
        let canceller = s.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                handle.cancel();
                std::thread::yield_now();
            }
        });
        let mut cancelled = false;
        for _ in 0..1000 {
            c.run("ALTER INDEX ALL ON t REORGANIZE");
            cancelled = c.connection.was_cancelled();
            if cancelled {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        canceller.join().unwrap();
        assert!(cancelled);
        let n = writer.join().unwrap();
        let mut c = world.connect();
        let said = c.rows("SELECT COUNT(*) FROM t WHERE id >= 1000000");
        assert!(said.contains(&n.to_string()), "{n} rows went in, {said}");
    });
}

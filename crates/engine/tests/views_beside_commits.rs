//! Whoever looks at views holds nobody up who commits.

use crate::support;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use support::World;

const VIEWS: [&str; 8] = [
    "SELECT COUNT(*) FROM sys.dm_os_wait_stats",
    "SELECT COUNT(*) FROM sys.dm_os_performance_counters",
    "SELECT COUNT(*) FROM sys.dm_exec_requests r JOIN sys.dm_exec_sessions s ON s.session_id = r.session_id",
    "SELECT COUNT(*) FROM sys.dm_io_virtual_file_stats(NULL, NULL)",
    "SELECT COUNT(*) FROM taffrail.flush_history",
    "SELECT COUNT(*) FROM taffrail.io_trace",
    "SELECT COUNT(*) FROM sys.dm_tran_locks",
    "SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID(N'd'))",
];

#[test]
fn no_wait_of_a_commit_is_for_a_view() {
    let (w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, v int)");
    let (stop, asked) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|s| {
        for sql in VIEWS {
            let (w, stop, asked) = (&w, &stop, &asked);
            s.spawn(move || {
                let mut c = w.connect_to("d");
                while !stop.load(Relaxed) {
                    assert!(c.rows(sql).parse::<i64>().is_ok(), "{sql}");
                    asked.fetch_add(1, Relaxed);
                }
            });
        }
        while asked.load(Relaxed) < 8 {
            std::thread::yield_now();
        }
        c.ok("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 500 BEGIN INSERT t (v) VALUES (@i) SET @i += 1 END");
        stop.store(true, Relaxed);
    });
    let waits = c.rows(
        "SELECT wait_type FROM sys.dm_exec_session_wait_stats WHERE session_id = @@SPID AND waiting_tasks_count > 0",
    );
    // The log, its files, and pages: what a commit waits for by itself.
    let own = |w: &str| {
        ["WRITELOG", "LOGBUFFER", "IO_COMPLETION", "WRITE_COMPLETION"].contains(&w)
            || w.starts_with("PREEMPTIVE_OS_")
            || w.starts_with("PAGELATCH_")
            || w.starts_with("PAGEIOLATCH_")
            || w.starts_with("LOGMGR")
    };
    assert!(waits.contains("WRITELOG"), "{waits}");
    assert!(waits.lines().all(own), "{waits}");
    // And the views have answered meanwhile.
    assert!(asked.load(Relaxed) > 8);
}

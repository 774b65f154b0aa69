//! Growth of a log as statements see it: the options of a database, the waits, the VLFs, limits and their healing.

use crate::support;

use support::World;

const GROWING: &str = "CREATE DATABASE g ON (NAME = g, FILENAME = 'g.mdf', SIZE = 16MB) \
    LOG ON (NAME = g_log, FILENAME = 'g.ldf', SIZE = 2MB, FILEGROWTH = 1MB, MAXSIZE = 6MB)";
const CONFIGURED: &str = "SELECT name, value, is_value_default FROM sys.database_scoped_configurations \
    WHERE name LIKE 'LOG[_]%' ORDER BY name";
/// Fills the log with one transaction until it is full.
const FILL: &str = "SET NOCOUNT ON BEGIN TRAN DECLARE @i int = 0 \
    WHILE @i < 4000 AND @@ERROR = 0 BEGIN SET @i += 1 INSERT t DEFAULT VALUES IF @@ERROR <> 0 BREAK END";

#[test]
fn the_rules_of_growth_are_the_databases_and_last() {
    let w = World::new();
    let mut c = w.connect();
    c.ok(GROWING);
    c.ok("USE g");
    assert_eq!(c.rows(CONFIGURED), "LOG_INITIALIZATION | AHEAD | 1\nLOG_VLF_ALGORITHM | 2022 | 1");
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET LOG_INITIALIZATION = sql2022");
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET LOG_VLF_ALGORITHM = 2012");
    let set = "LOG_INITIALIZATION | SQL2022 | 0\nLOG_VLF_ALGORITHM | 2012 | 0";
    assert_eq!(c.rows(CONFIGURED), set);
    for wrong in ["LOG_INITIALIZATION = never", "LOG_VLF_ALGORITHM = 2019", "IDENTITY_CACHE = OFF"]
    {
        let said = c.rows(&format!("ALTER DATABASE SCOPED CONFIGURATION SET {wrong}"));
        assert!(said.contains("Msg 40510"), "{said}");
    }
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET MAXDOP = 0");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    c.ok("USE g");
    assert_eq!(c.rows(CONFIGURED), set);
    // Four VLFs for 1 MB, as up to 2012; then one.
    let vlfs = "SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID('g'))";
    assert_eq!(c.rows(vlfs), "4");
    c.ok("ALTER DATABASE g MODIFY FILE (NAME = g_log, SIZE = 3MB)");
    assert_eq!(c.rows(vlfs), "8");
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET LOG_VLF_ALGORITHM = DEFAULT");
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET LOG_INITIALIZATION = DEFAULT");
    c.ok("ALTER DATABASE g MODIFY FILE (NAME = g_log, SIZE = 4MB)");
    assert_eq!(c.rows(vlfs), "9");
    assert_eq!(c.rows(CONFIGURED), "LOG_INITIALIZATION | AHEAD | 1\nLOG_VLF_ALGORITHM | 2022 | 1");
}

#[test]
fn a_zeroed_growth_is_waited_for_and_maxsize_ends_it() {
    let w = World::new();
    let mut c = w.connect();
    c.ok(GROWING);
    c.ok("USE g");
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET LOG_INITIALIZATION = ZERO");
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, pad char(4000) NOT NULL DEFAULT 'x')");
    let waits = "SELECT SUM(waiting_tasks_count) FROM sys.dm_exec_session_wait_stats \
        WHERE session_id = @@SPID AND wait_type = 'PREEMPTIVE_OS_WRITEFILEGATHER'";
    let growths = "SELECT cntr_value FROM sys.dm_os_performance_counters \
        WHERE counter_name = 'Log Growths' AND instance_name = 'g'";
    // CREATE DATABASE has zeroed a file already.
    assert_eq!(c.rows(waits), "1");
    let said = c.rows(FILL);
    assert!(said.contains("Msg 9002, Level 17, State 4"), "{said}");
    assert!(said.contains("due to 'ACTIVE_TRANSACTION' and the holdup lsn is "), "{said}");
    assert_eq!(c.rows(growths), "4", "from 2 to 6 MB");
    // A checkpoint in the background may have made a growth that this session would have made otherwise.
    let waited: i64 = c.rows(waits).parse().unwrap();
    assert!((3..=5).contains(&waited), "{waited}");
    c.ok("ROLLBACK");
    // It heals: with room first, then without.
    c.ok("INSERT t DEFAULT VALUES");
    let said = c.rows(FILL);
    assert!(said.contains("Msg 9002"), "{said}");
    let said = w.connect().rows("ALTER DATABASE g MODIFY FILE (NAME = g_log, MAXSIZE = UNLIMITED)");
    assert_eq!(said, "");
    c.ok("INSERT t DEFAULT VALUES");
    c.ok("COMMIT");
}

//! A log that is full: who is waited for, and who never hears of it.

use crate::support;

use std::sync::Mutex;
use support::World;
use taffrail_observe::{Event, EventRing};

const SMALL: &str = "CREATE DATABASE small ON (NAME = small, FILENAME = 'small.mdf', SIZE = 16MB) \
    LOG ON (NAME = small_log, FILENAME = 'small.ldf', SIZE = 2MB, FILEGROWTH = 1MB, MAXSIZE = 3MB)";

/// Under SIMPLE no statement fails for want of a checkpoint, whatever the log holds.
#[test]
fn a_small_log_is_reused_in_time() {
    let w = World::new();
    let mut c = w.connect();
    c.ok(SMALL);
    c.ok("ALTER DATABASE small SET RECOVERY SIMPLE");
    c.ok("USE small");
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, pad char(400) NOT NULL DEFAULT 'x')");
    c.ok("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 20000 BEGIN INSERT t DEFAULT VALUES SET @i += 1 END");
    assert_eq!(c.rows("SELECT COUNT(*), MIN(id), COUNT(DISTINCT id) FROM t"), "20000 | 1 | 20000");
    // Variables count what has happened, not what was tried. (Tries that failed have left gaps between the ids.)
    c.ok("SET NOCOUNT ON DECLARE @i int = 0, @n int = 0 \
          WHILE @i < 41 BEGIN UPDATE t SET @n += 1, pad = 'y' WHERE id BETWEEN @i * 500 + 1 AND @i * 500 + 500 SET @i += 1 END \
          IF @n <> 20000 RAISERROR('%d', 16, 1, @n)");
}

/// FULL without a full backup truncates like SIMPLE; after it only log backups do.
#[test]
fn the_message_names_who_needs_the_log() {
    let w = World::new();
    let mut c = w.connect();
    c.ok(SMALL);
    c.ok("ALTER DATABASE small SET RECOVERY FULL");
    c.ok("USE small");
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, pad char(4000) NOT NULL DEFAULT 'x')");
    c.ok("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 2000 BEGIN INSERT t DEFAULT VALUES SET @i += 1 END");
    let reason = "SELECT log_reuse_wait_desc FROM sys.databases WHERE name = 'small'";
    // A transaction of one's own.
    let said = c.rows(
        "SET NOCOUNT ON BEGIN TRAN DECLARE @i int = 0 \
         WHILE @i < 2000 AND @@ERROR = 0 BEGIN SET @i += 1 INSERT t DEFAULT VALUES IF @@ERROR <> 0 BREAK END",
    );
    assert!(said.contains("Msg 9002, Level 17, State 4"), "{said}");
    assert!(said.contains("'ACTIVE_TRANSACTION'"), "{said}");
    assert_eq!(c.rows(reason), "ACTIVE_TRANSACTION");
    c.ok("ROLLBACK");
    c.ok("INSERT t DEFAULT VALUES");
    // The chain of log backups.
    let backup = c.rows("BACKUP DATABASE small TO DISK = 'small.bak'");
    assert!(backup.contains("successfully"), "{backup}");
    let said = c.rows(
        "SET NOCOUNT ON DECLARE @i int = 0 \
         WHILE @i < 2000 BEGIN SET @i += 1 INSERT t DEFAULT VALUES IF @@ERROR <> 0 BREAK END",
    );
    assert!(said.contains("Msg 9002, Level 17, State 2"), "{said}");
    assert!(said.contains("'LOG_BACKUP'"), "{said}");
    assert_eq!(c.rows(reason), "LOG_BACKUP");
    c.ok("ALTER DATABASE small SET RECOVERY SIMPLE");
    c.ok("INSERT t DEFAULT VALUES");
}

/// The smallest log there is, which may not grow: whoever has filled it rolls back in it, and the next one finds it empty.
#[test]
fn a_transaction_that_has_filled_the_smallest_log_rolls_back() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE tiny ON (NAME = tiny, FILENAME = 'tiny.mdf', SIZE = 8MB) \
          LOG ON (NAME = tiny_log, FILENAME = 'tiny.ldf', SIZE = 512KB, FILEGROWTH = 0)");
    c.ok("ALTER DATABASE tiny SET RECOVERY SIMPLE");
    c.ok("USE tiny");
    c.ok("CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, pad varchar(3000) NOT NULL)");
    c.ok("CREATE INDEX by_n ON t (n)");
    c.ok("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 300 BEGIN SET @i += 1 \
          INSERT t VALUES (@i, @i * 7, REPLICATE('x', @i)) END");
    c.ok("CHECKPOINT");
    let rows = "SELECT COUNT(*), SUM(n), SUM(LEN(pad)), MAX(id), MIN(pad), MAX(pad) FROM t";
    let entries = "SELECT COUNT(*), SUM(n) FROM t WITH (INDEX (by_n)) WHERE n > 0";
    let size = "SELECT size FROM sys.database_files WHERE type = 1";
    let before = (c.rows(rows), c.rows(entries), c.rows(size));
    assert_eq!(before.2, "64");
    for change in [
        "INSERT t VALUES (1000 + @i, @i, REPLICATE('y', @i * 31 % 2500))",
        "UPDATE t SET n += @i, pad = REPLICATE('z', @i * 37 % 2500) WHERE id = @i % 300 + 1",
        "IF @i % 2 = 0 DELETE t WHERE id = @i / 2 % 300 + 1 \
         ELSE INSERT t VALUES (1000 + @i, @i, REPLICATE('y', 1500))",
    ] {
        let said = c.rows(&format!(
            "SET NOCOUNT ON BEGIN TRAN DECLARE @i int = 0 WHILE @i < 20000 \
             BEGIN SET @i += 1 {change} IF @@ERROR <> 0 BREAK END"
        ));
        assert!(said.contains("Msg 9002, Level 17, State 4"), "{change}: {said}");
        // Everything else finds its room too: a savepoint that is gone back to, and who only reads.
        assert_eq!(c.rows("SELECT @@TRANCOUNT"), "1");
        c.ok("ROLLBACK");
        assert_eq!((c.rows(rows), c.rows(entries), c.rows(size)), before, "{change}");
        c.ok("CHECKPOINT");
        c.ok("INSERT t VALUES (5000, 1, 'next') DELETE t WHERE id = 5000");
    }
    assert_eq!((c.rows(rows), c.rows(entries), c.rows(size)), before);
}

/// What does not fit the log at once is tried again for as long as that may help, and no longer.
#[test]
fn a_statement_that_is_too_large_fails_whole() {
    let w = World::new();
    let mut c = w.connect();
    c.ok(SMALL);
    c.ok("ALTER DATABASE small SET RECOVERY SIMPLE");
    c.ok("USE small");
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, pad char(400) NOT NULL DEFAULT 'x')");
    c.ok("INSERT t DEFAULT VALUES");
    let mut said = String::new();
    for _ in 0..16 {
        said = c.rows("SET NOCOUNT ON INSERT t (pad) SELECT pad FROM t");
        if !said.is_empty() {
            break;
        }
    }
    assert!(said.contains("Msg 9002, Level 17, State 4"), "{said}");
    let n: u32 = c.rows("SELECT COUNT(*) FROM t").parse().unwrap();
    assert!(n.is_power_of_two(), "{n}");
    // With implicit transactions the failed statement leaves nothing behind either.
    c.ok("SET IMPLICIT_TRANSACTIONS ON");
    let said = c.rows("SET NOCOUNT ON INSERT t (pad) SELECT pad FROM t");
    assert!(said.contains("Msg 9002"), "{said}");
    c.ok("COMMIT SET IMPLICIT_TRANSACTIONS OFF");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t"), n.to_string());
}

#[test]
fn full_files_progress_and_paths() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE f ON (NAME = f, FILENAME = 'f.mdf', SIZE = 8MB, FILEGROWTH = 0)");
    c.ok("USE f");
    c.ok("CREATE TABLE big (a char(8000))");
    let said =
        c.rows("SET NOCOUNT ON WHILE 1 = 1 BEGIN INSERT big VALUES ('') IF @@ERROR <> 0 BREAK END");
    assert!(said.contains("Msg 1105") && said.contains("'dbo.big'"), "{said}");
    c.ok("CREATE TABLE large (id int CONSTRAINT PK_large PRIMARY KEY, a varchar(max))");
    let said = c.rows("INSERT large VALUES (1, REPLICATE(CAST('x' AS varchar(max)), 9000000))");
    assert!(said.contains("Msg 1105") && said.contains("'dbo.large'.'PK_large'"), "{said}");
    let said = c.rows("BACKUP DATABASE f TO DISK = 'f.bak' WITH STATS = 25");
    let told: Vec<&str> = said.lines().filter(|l| l.contains("percent processed")).collect();
    assert_eq!(told.len(), 4, "{said}");
    let said = c.rows("BACKUP DATABASE f TO DISK = 'nowhere/f.bak'");
    assert!(said.contains("Msg 3014"), "the directory is made: {said}");
    let said = c.rows("BACKUP DATABASE f TO DISK = '/outside/f.bak'");
    assert!(said.contains("5(Access is denied.") && said.contains("file_roots"), "{said}");
    let said = c.rows("CREATE DATABASE g ON (NAME = g, FILENAME = 'nowhere/g.mdf')");
    assert!(
        said.contains("Msg 5133") && said.contains("3(The system cannot find the path"),
        "{said}"
    );
    assert_eq!(
        c.rows(
            "SELECT cntr_value FROM sys.dm_os_performance_counters \
             WHERE counter_name = 'Data File(s) Size (KB)' AND instance_name = 'f'"
        ),
        "8192"
    );
    // Right after the waits were cleared there are some.
    let said = c.rows(
        "DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR) WITH NO_INFOMSGS; \
         SELECT CASE WHEN SUM(wait_time_ms) > 0 THEN 1 ELSE 0 END FROM sys.dm_os_wait_stats",
    );
    assert_eq!(said, "1");
}

/// Floods are a matter of the whole process: whoever counts what was told does it alone.
static TOLD: Mutex<()> = Mutex::new(());

/// How often the error log was told that the log of a database is full, and where the last of it said it was held.
fn told_full(name: &str) -> (u32, String) {
    let mut sum = (0, String::new());
    for recorded in EventRing::global().drain(0, true).events {
        let (database, holdup, times) = match recorded.event {
            Event::LogFull { database, holdup, .. } => (database, holdup, 1),
            Event::LogFullAgain { database, holdup, times, .. } => (database, holdup, times),
            _ => continue,
        };
        if *database.name == *name {
            sum = (sum.0 + times, holdup.in_message());
        }
    }
    sum
}

/// A checkpoint and another try: no client sees 9002, and the error log has nothing of it.
#[test]
fn what_a_checkpoint_heals_is_not_told() {
    let _alone = TOLD.lock().unwrap();
    let w = World::new();
    let mut c = w.connect();
    c.ok(&SMALL.replace("small", "healed"));
    c.ok("ALTER DATABASE healed SET RECOVERY SIMPLE");
    c.ok("USE healed");
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, pad char(4000) NOT NULL DEFAULT 'x')");
    c.ok("INSERT t (pad) SELECT 'x' FROM GENERATE_SERIES(1, 200)");
    // Tries that failed leave gaps between the identity values: until there was one.
    let mut tries = 0;
    while c.rows("SELECT CASE WHEN MAX(id) > COUNT(*) THEN 1 ELSE 0 END FROM t") == "0" {
        tries += 1;
        assert!(tries < 500, "the log is never full");
        c.ok("INSERT t (pad) SELECT 'x' FROM GENERATE_SERIES(1, 60)");
    }
    assert_eq!(told_full("healed").0, 0);
}

/// Every failure that a client sees is told once, caught or not; and it names the transaction as DBCC OPENTRAN does.
#[test]
fn what_clients_see_is_told_once_and_names_the_transaction() {
    let _alone = TOLD.lock().unwrap();
    let w = World::new();
    let mut c = w.connect();
    c.ok(&SMALL.replace("small", "loud"));
    c.ok("USE loud");
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, pad char(4000) NOT NULL DEFAULT 'x')");
    c.ok("INSERT t DEFAULT VALUES");
    let mut holder = w.connect();
    holder.ok("USE loud");
    holder.ok("BEGIN TRAN hold INSERT t DEFAULT VALUES");
    let one = "INSERT t (pad) SELECT 'x' FROM GENERATE_SERIES(1, 100)";
    let mut seen = 0;
    let mut said = String::new();
    while seen == 0 {
        said = c.run(one);
        seen += said.matches("Msg 9002").count() as u32;
    }
    let again = c.run(&format!("{one}; {one}"));
    seen += again.matches("Msg 9002").count() as u32;
    assert_eq!(seen, 3, "{again}");
    let caught =
        c.rows(&format!("BEGIN TRY {one} END TRY BEGIN CATCH SELECT ERROR_NUMBER() END CATCH"));
    assert_eq!(caught, "9002");
    let begin = c.rows("DBCC OPENTRAN WITH TABLERESULTS, NO_INFOMSGS");
    let begin = begin.lines().find_map(|l| l.strip_prefix("OLDACT_LSN | ")).expect("a transaction");
    let text = format!("is full due to 'ACTIVE_TRANSACTION' and the holdup lsn is {begin}.");
    assert!(said.contains(&text), "{text}\n{said}");
    assert_eq!(told_full("loud"), (seen + 1, begin.to_owned()));
    assert_eq!(told_full("loud").0, seen + 1, "nothing more is to come");
    // Whoever is gone keeps its name.
    holder.ok("ROLLBACK");
    drop(holder);
    c.ok("USE master");
    c.ok("DROP DATABASE loud");
    assert_eq!(told_full("loud").0, seen + 1);
}

/// `is_event_logged` says which messages the error log gets.
#[test]
fn messages_that_are_logged_say_so() {
    let w = World::new();
    let mut c = w.connect();
    let logged = "SELECT STRING_AGG(message_id, ' ') WITHIN GROUP (ORDER BY message_id) FROM sys.messages \
        WHERE is_event_logged = 1 AND message_id IN (208, 3619, 3620, 5144, 5145, 5149, 5175, 5176, 5179, 9001, 9002, 9008, 17053)";
    assert_eq!(c.rows(logged), "3619 3620 5144 5145 5175 5176 5179 9001 9002 17053");
    let text = c.rows("SELECT text FROM sys.messages WHERE message_id = 17053");
    assert_eq!(text, "%ls: Operating system error %ls encountered.");
}

//! PIPELINED_COMMIT: commits that are visible before they are durable, and that nothing which tells of them outlives.
//!
//! The clock of the simulated machine stands still, so the log's writer writes nothing by itself: what is durable is what somebody has
//! waited for. A session stops in the middle of a batch, behind commits that it has told nobody of, at a lock that another one holds.

use crate::support;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use support::sim::{start, world};
use support::{Client, Heard, World, connect, errors};
use taffrail_base::SqlError;
use taffrail_engine::{ColumnDesc, ConnectionFate, Done, Instance, ResultSink, SinkResult};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimOptions, SimWorld};
use taffrail_types::Value;

const ON: &str = "ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = ON";

/// What is told when the whole answer is there, behind the gate: a short one over a wire.
#[derive(Default)]
struct AtOnce(Heard);

impl ResultSink for AtOnce {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.0.columns(columns)
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        self.0.row(values)
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        self.0.message(message)
    }

    fn done(&mut self, done: Done) -> SinkResult {
        self.0.done(done)
    }

    fn is_gated(&self) -> bool {
        true
    }
}

/// Runs a batch whose answer is told at once; all that it says.
fn run_at_once(c: &mut Client, batch: &str) -> String {
    let mut sink = AtOnce::default();
    let fate = c.connection.execute_batch(batch, &mut sink);
    let promises = c.connection.promises();
    if let Err(e) = promises.pass() {
        return format!("{e}\nclosed");
    }
    promises.answered();
    if fate == ConnectionFate::Close {
        sink.0.lines.push("closed".into());
    }
    sink.0.text()
}

/// A session that has been told something before: one that has just logged in may have learned anything.
fn observer(instance: &Arc<Instance>) -> Client {
    let mut c = connect(instance);
    c.ok("USE e");
    c
}

/// A machine with the databases d, whose commits are pipelined, and e, whose commits are not.
struct Scene {
    world: SimWorld,
    instance: Arc<Instance>,
    /// Holds the lock at which batches stop.
    holder: Option<Client>,
    /// Looks how far a batch is. It has logged in before there is anything to wait for.
    looker: Client,
    stopped: Vec<JoinHandle<String>>,
}

impl Scene {
    fn new(seed: u64) -> Scene {
        Scene::of(seed, "OFF")
    }

    /// `versions`: READ_COMMITTED_SNAPSHOT of d.
    fn of(seed: u64, versions: &str) -> Scene {
        let world = world(seed, SimOptions::default());
        let instance = start(&world).expect("a start");
        let mut c = connect(&instance);
        c.ok("CREATE DATABASE d; CREATE DATABASE e");
        c.ok(&format!("ALTER DATABASE d SET READ_COMMITTED_SNAPSHOT {versions}"));
        c.ok("CREATE TABLE d.dbo.t (n int PRIMARY KEY); CREATE TABLE d.dbo.marks (n int)");
        c.ok("CREATE TABLE e.dbo.copies (n int); CREATE TABLE e.dbo.held (n int); INSERT e.dbo.held VALUES (0)");
        c.ok("CREATE TABLE ##shared (n int); CREATE TABLE tempdb.dbo.shared (n int)");
        c.ok(&format!("USE d; {ON}; USE master"));
        // It keeps ##shared, too.
        c.ok("BEGIN TRAN; UPDATE e.dbo.held SET n = 1");
        let mut looker = connect(&instance);
        looker.ok("USE d");
        Scene { world, instance, holder: Some(c), looker, stopped: Vec::new() }
    }

    /// Runs a batch in d until it has done so much and stops.
    fn run_and_stop(&mut self, mark: i32, sql: &str) {
        let mut c = connect(&self.instance);
        c.ok("USE d");
        let batch = format!(
            "SET NOCOUNT ON; {sql}; INSERT d.dbo.marks VALUES ({mark}); UPDATE e.dbo.held SET n = 2"
        );
        self.stopped.push(std::thread::spawn(move || run_at_once(&mut c, &batch)));
        let looks = format!("SELECT COUNT(*) FROM d.dbo.marks WITH (NOLOCK) WHERE n = {mark}");
        let due = Instant::now() + Duration::from_secs(60);
        while self.looker.rows(&looks) != "1" {
            assert!(Instant::now() < due, "{sql}: it does not come so far");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ten rows of d are committed and not durable.
    fn commit_ten(&mut self) {
        let ten =
            "DECLARE @i int = 1; WHILE @i <= 10 BEGIN INSERT d.dbo.t VALUES (@i); SET @i += 1 END";
        self.run_and_stop(1, ten);
    }

    /// Power fails, and comes back.
    fn crash(mut self) -> Client {
        self.world.crash();
        drop(self.looker);
        drop(self.holder.take());
        let _ = self.instance.shutdown();
        for stopped in self.stopped {
            let _ = stopped.join();
        }
        self.world.restart();
        let instance = start(&self.world).expect("a start after the crash");
        connect(&instance)
    }
}

fn count(c: &mut Client, table: &str) -> String {
    c.rows(&format!("SELECT COUNT(*) FROM {table}"))
}

#[test]
fn what_nobody_was_told_of_may_be_lost() {
    let mut scene = Scene::new(1);
    scene.commit_ten();
    // A dirty read of it promises nothing, and waits for nothing.
    let mut c = scene.crash();
    assert_eq!(count(&mut c, "d.dbo.t"), "0", "nobody has waited: the test sees what is durable");
}

#[test]
fn whoever_is_told_of_a_commit_finds_it_after_a_crash() {
    // How each comes to know of the ten rows, and what it hears then.
    let observers = [
        ("USE d", "SELECT COUNT(*) FROM dbo.t", "10"),
        ("USE e", "SELECT COUNT(*) FROM d.dbo.t", "10"),
        ("USE e", "DECLARE @n int = (SELECT COUNT(*) FROM d.dbo.t); PRINT @n", "print: 10"),
        ("USE e", "IF EXISTS (SELECT * FROM d.dbo.t WHERE n = 7) PRINT 'seven'", "print: seven"),
        ("USE d", "SELECT TOP (1) [n] FROM dbo.t WITH (UPDLOCK) ORDER BY n DESC", "10"),
        ("USE e", "SELECT n FROM d.dbo.t WHERE n = 7", "7"),
        ("USE d", "SELECT OBJECTPROPERTYEX(OBJECT_ID('dbo.t'), 'Cardinality')", "10"),
        // Functions of live state, and a procedure that reads: whatever they say, all commits stand before it.
        ("USE d", "SELECT IDENT_CURRENT('dbo.t')", "NULL"),
        ("USE d", "SELECT @@DBTS", "0x"),
        ("USE d", "EXEC sp_spaceused 'dbo.t'", "t | 10"),
        (
            "USE e",
            "DECLARE c CURSOR STATIC FOR SELECT n FROM d.dbo.t WHERE n = 10; OPEN c; FETCH c; DEALLOCATE c",
            "10",
        ),
        (
            "USE d",
            "SELECT COUNT(*) FROM sys.fn_dblog(NULL, NULL) WHERE Operation = 'LOP_COMMIT_XACT' HAVING COUNT(*) > 10",
            "",
        ),
    ];
    for (n, (place, asks, hears)) in observers.into_iter().enumerate() {
        let mut scene = Scene::new(10 + n as u64);
        let mut observer = observer(&scene.instance);
        observer.ok(place);
        scene.commit_ten();
        let heard = observer.rows(asks);
        assert!(heard.contains(hears) && errors(&heard).is_empty(), "{asks}: {heard}");
        let mut c = scene.crash();
        assert_eq!(count(&mut c, "d.dbo.t"), "10", "{asks}");
    }
}

#[test]
fn an_error_that_tells_of_a_commit_outlives_no_loss_of_it() {
    let mut scene = Scene::new(30);
    let mut observer = observer(&scene.instance);
    scene.commit_ten();
    assert_eq!(errors(&observer.rows("INSERT d.dbo.t VALUES (7)")), [2627]);
    let mut c = scene.crash();
    assert_eq!(count(&mut c, "d.dbo.t"), "10");
}

#[test]
fn a_snapshot_shows_no_commit_that_is_lost_afterwards() {
    let mut scene = Scene::of(40, "ON");
    let mut observer = observer(&scene.instance);
    scene.commit_ten();
    assert_eq!(count(&mut observer, "d.dbo.t"), "10");
    let mut c = scene.crash();
    assert_eq!(count(&mut c, "d.dbo.t"), "10");
}

#[test]
fn a_commit_in_another_database_has_what_it_read_before_it() {
    let mut scene = Scene::new(50);
    scene.commit_ten();
    // It tells nobody: only its own commit is there after the crash.
    scene.run_and_stop(2, "INSERT e.dbo.copies SELECT n FROM d.dbo.t");
    let mut c = scene.crash();
    assert_eq!(count(&mut c, "e.dbo.copies"), "10");
    assert_eq!(count(&mut c, "d.dbo.t"), "10");
}

#[test]
fn tables_that_all_sessions_share_hand_it_on() {
    for (n, shared) in ["##shared", "tempdb.dbo.shared"].into_iter().enumerate() {
        let mut scene = Scene::new(60 + n as u64);
        let mut observer = observer(&scene.instance);
        scene.commit_ten();
        scene.run_and_stop(2, &format!("INSERT {shared} SELECT n FROM d.dbo.t"));
        assert_eq!(count(&mut observer, shared), "10");
        let mut c = scene.crash();
        assert_eq!(count(&mut c, "d.dbo.t"), "10", "{shared}");
    }
}

#[test]
fn what_works_outside_of_the_log_waits_first() {
    let barriers = [
        "DECLARE @r int; EXEC @r = sp_getapplock 'r', 'Exclusive', 'Session'",
        "CREATE TABLE #own (n int)",
        "EXEC sys.sp_flush_log",
        "WAITFOR DELAY '00:00:00'",
        "DBCC TRACEON (3604) WITH NO_INFOMSGS",
        "DECLARE @n int = (SELECT COUNT(*) FROM sys.databases)",
    ];
    for (n, barrier) in barriers.into_iter().enumerate() {
        let mut scene = Scene::new(70 + n as u64);
        scene.run_and_stop(1, &format!("INSERT d.dbo.t VALUES (1); {barrier}"));
        let mut c = scene.crash();
        // A view alone waits for nothing: the session tells nobody.
        let waits = !barrier.contains("sys.databases");
        assert_eq!(count(&mut c, "d.dbo.t"), i32::from(waits).to_string(), "{barrier}");
    }
}

/// Procedures of the server's own code that have one of these words, with and without an argument, whatever they say to it.
fn calls(words: [&str; 2]) -> Vec<String> {
    let mut calls = Vec::new();
    for line in taffrail_engine::listed_pipelining() {
        let Some((name, word)) = line.strip_prefix("procedure ").and_then(|l| l.split_once(": "))
        else {
            continue;
        };
        if words.contains(&word) {
            let tried = |call: String| format!("BEGIN TRY {call} END TRY BEGIN CATCH END CATCH");
            calls.push(tried(format!("EXEC sys.{name}")));
            calls.push(tried(format!("EXEC sys.{name} 'dbo.t'")));
        }
    }
    calls
}

#[test]
fn procedures_that_only_read_wait_for_nothing() {
    let calls = calls(["reads", "session"]);
    assert!(calls.len() > 80, "{} calls", calls.len());
    let mut scene = Scene::new(78);
    let others = "DBCC OPENTRAN; DBCC USEROPTIONS; EXECUTE AS USER = 'dbo'; REVERT";
    scene.run_and_stop(1, &format!("INSERT d.dbo.t VALUES (1); {}; {others}", calls.join("; ")));
    let mut c = scene.crash();
    assert_eq!(count(&mut c, "d.dbo.t"), "0", "nobody was told, and nobody has waited");
}

#[test]
fn a_transaction_that_has_called_a_procedure_that_reads_lets_go_of_its_locks() {
    for (n, (procedure, kept)) in [("sp_help", "0"), ("sp_updatestats", "1")].iter().enumerate() {
        let mut scene = Scene::new(76 + n as u64);
        let sql = format!("BEGIN TRAN; INSERT d.dbo.t VALUES (1); EXEC {procedure}; COMMIT");
        scene.run_and_stop(1, &sql);
        let mut c = scene.crash();
        assert_eq!(count(&mut c, "d.dbo.t"), *kept, "{procedure}");
    }
}

#[test]
fn what_changes_more_than_rows_is_durable_when_its_locks_are_gone() {
    let whole = [
        "CREATE TABLE d.dbo.u (n int); INSERT d.dbo.t VALUES (1)",
        "BEGIN TRAN; INSERT d.dbo.t VALUES (1); SELECT 1 AS n INTO d.dbo.u; COMMIT",
        "BEGIN TRAN; INSERT d.dbo.t VALUES (1); TRUNCATE TABLE d.dbo.marks; COMMIT",
    ];
    for (n, sql) in whole.into_iter().enumerate() {
        let mut scene = Scene::new(80 + n as u64);
        scene.run_and_stop(1, sql);
        let mut c = scene.crash();
        let kept = i32::from(n > 0).to_string();
        assert_eq!(count(&mut c, "d.dbo.t"), kept, "{sql}");
    }
}

#[test]
fn when_it_is_off_every_commit_waits_and_switching_it_off_waits_for_all() {
    let mut scene = Scene::new(90);
    scene.commit_ten();
    let mut c = connect(&scene.instance);
    let shown = "SELECT value, is_value_default FROM sys.database_scoped_configurations WHERE name = 'PIPELINED_COMMIT'";
    c.ok("USE d");
    assert_eq!(c.rows(shown), "1 | 0");
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = OFF");
    assert_eq!(c.rows(shown), "0 | 1");
    scene.run_and_stop(2, "INSERT d.dbo.t VALUES (11)");
    let mut c = scene.crash();
    assert_eq!(count(&mut c, "d.dbo.t"), "11");
}

#[test]
fn a_log_that_fails_ends_the_sessions_that_know_and_nothing_of_it_has_left() {
    let mut scene = Scene::new(100);
    let (mut reader, mut other) = (observer(&scene.instance), observer(&scene.instance));
    scene.commit_ten();
    let (kind, path_contains) = (Some(IoKind::WriteDurable), "d_log".to_owned());
    scene.world.inject(Fault { nth: 1, kind, path_contains, fault: FaultKind::Io, sticky: true });
    let tries = "BEGIN TRY SELECT COUNT(*) FROM d.dbo.t; PRINT 'read' END TRY BEGIN CATCH PRINT 'caught' END CATCH";
    let heard = reader.run(tries);
    assert!(heard.contains("Msg 9001, Level 21") && heard.contains("closed"), "{heard}");
    assert!(!heard.contains("10") && !heard.contains("caught"), "{heard}");
    // Who knows nothing of it goes on.
    assert_eq!(other.rows("SELECT COUNT(*) FROM e.dbo.copies"), "0");
    assert_eq!(other.rows("SELECT state_desc FROM sys.databases WHERE name = 'd'"), "SUSPECT");
    assert!(!errors(&other.rows("SELECT COUNT(*) FROM d.dbo.t")).is_empty());
    // The session that has committed them hears the same when it goes on.
    scene.holder.as_mut().expect("it holds the lock").ok("ROLLBACK");
    let heard = scene.stopped.remove(0).join().expect("a batch");
    assert!(heard.contains("Msg 9001, Level 21") && heard.contains("closed"), "{heard}");
    assert!(!heard.contains("rows="), "{heard}");
    let mut looker = connect(&scene.instance);
    assert_eq!(looker.rows("SELECT n FROM e.dbo.held"), "0", "nothing was committed behind it");
}

/// Commits that have waited for a flush.
fn waits(c: &mut Client) -> i64 {
    let waits = "SELECT cntr_value FROM sys.dm_os_performance_counters \
        WHERE counter_name = 'Log Flush Waits/sec' AND instance_name = 'd'";
    c.rows(waits).parse().expect("a number")
}

#[test]
fn commits_of_a_loop_do_not_wait_one_by_one() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d; CREATE TABLE t (n int IDENTITY PRIMARY KEY)");
    let inserts = "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 500 BEGIN INSERT t DEFAULT VALUES; SET @i += 1 END";
    let mut waited = Vec::new();
    for on in [false, true] {
        if on {
            c.ok(ON);
        }
        let before = waits(&mut c);
        run_at_once(&mut c, inserts);
        waited.push(waits(&mut c) - before);
    }
    assert_eq!(waited[0], 500);
    assert!(waited[1] < 250, "{waited:?}");
    let causes = "SELECT COUNT(*) FROM taffrail.flush_history WHERE cause = 'PIPELINED_COMMITS' AND database_id = DB_ID()";
    assert_ne!(c.rows(causes), "0");
    // The server's setting is for all databases of users.
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = OFF");
    c.ok("EXEC sp_configure 'show advanced options', 1; RECONFIGURE");
    c.ok("EXEC sp_configure 'pipelined commit', 1; RECONFIGURE");
    let before = waits(&mut c);
    run_at_once(&mut c, inserts);
    assert!(waits(&mut c) - before < 250);
    // What a snapshot shows of the same database stands before the commit in its log.
    c.ok("ALTER DATABASE d SET READ_COMMITTED_SNAPSHOT ON");
    let reads = inserts.replace("SET @i += 1", "SELECT TOP (1) @i = @i + 1 FROM t");
    let before = waits(&mut c);
    run_at_once(&mut c, &reads);
    assert!(waits(&mut c) - before < 250);
    assert_eq!(count(&mut c, "t"), "2000");
}

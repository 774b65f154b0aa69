//! STOPAT, STOPATMARK, STOPBEFOREMARK: a restored database is as the original was at that point, whatever the history.

use crate::support;

use std::sync::Arc;
use std::time::Duration;
use support::sim::{start, world};
use support::{Client, connect, errors, numbers};
use taffrail_engine::Instance;
use taffrail_io::Env;
use taffrail_io::sim::{SimOptions, SimRng, SimWorld};

/// Lets a time go by that commits can be told apart by.
fn pass(world: &SimWorld, rng: &mut SimRng) {
    world.clock().advance(Duration::from_micros(10 + rng.below(3_000_000)));
}

/// A moment, as a statement names it, and the database as it was then.
struct Moment {
    at: String,
    state: String,
    logs: usize,
}

const STATE: &str =
    "SELECT COUNT(*), ISNULL(SUM(CONVERT(bigint, k) * v), 0), ISNULL(MAX(LEN(s)), 0) FROM d.dbo.t";

/// A change of one row, or of several in a transaction; rolled back now and then.
fn change(c: &mut Client, rng: &mut SimRng, n: u64) {
    let long = rng.below(3000);
    let one = |rng: &mut SimRng| match rng.below(5) {
        0..=2 => {
            format!("INSERT d.dbo.t VALUES ({n}, {}, REPLICATE('x', {long}));", rng.below(1000))
        }
        3 => format!(
            "UPDATE d.dbo.t SET v = v + 1, s = REPLICATE('y', {long}) WHERE k % 7 = {};",
            rng.below(7)
        ),
        _ => format!("DELETE d.dbo.t WHERE k % 11 = {};", rng.below(11)),
    };
    let sql = match rng.below(4) {
        0 => format!("BEGIN TRAN; {} {} COMMIT", one(rng), one(rng)),
        1 => format!("BEGIN TRAN; {} ROLLBACK", one(rng)),
        _ => one(rng),
    };
    c.ok(&format!("SET NOCOUNT ON; {sql}"));
}

/// A history of changes with log backups in it. An open transaction of another session goes through some of them.
fn history(
    world: &SimWorld,
    c: &mut Client,
    other: &mut Client,
    rng: &mut SimRng,
) -> (Vec<Moment>, usize) {
    c.ok("CREATE DATABASE d ON (NAME = d, FILENAME = 'd.mdf', SIZE = 4MB)
        LOG ON (NAME = l, FILENAME = 'd.ldf', SIZE = 1MB, FILEGROWTH = 1MB)");
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE d.dbo.t (k int, v int, s varchar(4000)); CREATE TABLE d.dbo.o (a int)");
    c.ok("USE d; CREATE CLUSTERED INDEX i ON t (k); USE master");
    c.ok("BACKUP DATABASE d TO DISK = 'full.bak'");
    let (mut all, mut logs, mut open, mut committed) = (Vec::new(), 0, 0, 0);
    for n in 0..30 + rng.below(40) {
        pass(world, rng);
        let now = c.rows("SELECT CONVERT(varchar(30), SYSDATETIME(), 121)");
        all.push(Moment { at: now, state: format!("{} | {committed}", c.rows(STATE)), logs });
        pass(world, rng);
        match rng.below(12) {
            0 => {
                logs += 1;
                c.ok(&format!("BACKUP LOG d TO DISK = 'log{logs}.trn'"));
            }
            1 if open == 0 => {
                other.ok("SET NOCOUNT ON; BEGIN TRAN; INSERT d.dbo.o VALUES (1)");
                open = 1;
            }
            1 | 2 if open > 0 => {
                let commits = rng.below(2) == 0;
                other.ok(if commits { "COMMIT" } else { "ROLLBACK" });
                committed += if commits { open } else { 0 };
                open = 0;
            }
            3 if open > 0 => {
                other.ok("INSERT d.dbo.o VALUES (1)");
                open += 1;
            }
            4 => c.ok("USE d; CHECKPOINT; USE master"),
            _ => change(c, rng, n),
        }
    }
    if open > 0 {
        other.ok("ROLLBACK");
    }
    c.ok(&format!("BACKUP LOG d TO DISK = 'log{}.trn'", logs + 1));
    (all, logs + 1)
}

const FULL: &str = "RESTORE DATABASE r FROM DISK = 'full.bak' WITH NORECOVERY, MOVE 'd' TO 'r.mdf', MOVE 'l' TO 'r.ldf'";
const ONLINE: &str = "SELECT state_desc FROM sys.databases WHERE name = 'r'";

/// The database at that moment, by the log backups one after the other. How many it took.
fn restored_at(c: &mut Client, at: &str, logs: usize, with: &str) -> usize {
    c.ok(FULL);
    for n in 1..=logs {
        let said =
            c.run(&format!("RESTORE LOG r FROM DISK = 'log{n}.trn' WITH STOPAT = '{at}', {with}"));
        assert_eq!(errors(&said), [], "log {n}, {at}: {said}");
        let short = numbers(&said).contains(&4322);
        match c.rows(ONLINE).as_str() {
            "ONLINE" if !short && with == "RECOVERY" => return n,
            "RESTORING" if short => {}
            "RESTORING" if with == "NORECOVERY" => {
                c.ok("RESTORE DATABASE r WITH RECOVERY");
                return n;
            }
            other => panic!("log {n}, {at}: {other}: {said}"),
        }
    }
    c.ok("RESTORE DATABASE r WITH RECOVERY");
    logs
}

/// Makes a history and restores eight of its moments. How many there were, and how many of them lie before the last log backup.
fn moments_of_a_history(seed: u64, world: &SimWorld, instance: &Arc<Instance>) -> (u32, u32) {
    let (mut moments, mut inside) = (0, 0);
    let (mut c, mut other) = (connect(instance), connect(instance));
    let mut rng = SimRng::new(seed);
    let (all, logs) = history(world, &mut c, &mut other, &mut rng);
    for n in 0..8 {
        let moment = &all[rng.below(all.len() as u64) as usize];
        let with = if rng.below(3) == 0 { "NORECOVERY" } else { "RECOVERY" };
        let used = restored_at(&mut c, &moment.at, logs, with);
        let state = STATE.replace("d.dbo", "r.dbo");
        let found = format!("{} | {}", c.rows(&state), c.rows("SELECT COUNT(*) FROM r.dbo.o"));
        assert_eq!(found, moment.state, "seed {seed}, {} of {logs} logs, {}", used, moment.at);
        assert!(used >= moment.logs, "seed {seed}: {used} {}", moment.logs);
        moments += 1;
        inside += u32::from(used < logs);
        if n % 4 == 0 {
            // It goes on from there, on a path of its own.
            let log = "BACKUP LOG r TO DISK = 'r.trn' WITH INIT";
            let said = c.run(&format!("INSERT r.dbo.t VALUES (1, 1, 'x'); {log}"));
            // In the middle of a block no chain goes on.
            if !errors(&said).is_empty() {
                assert_eq!(errors(&said), [4214, 3013], "seed {seed}: {said}");
                c.ok(&format!("BACKUP DATABASE r TO DISK = 'r.bak' WITH INIT; {log}"));
            }
            c.ok("DBCC CHECKDB (r) WITH NO_INFOMSGS");
        }
        c.ok("DROP DATABASE r");
    }
    (moments, inside)
}

#[test]
fn a_database_is_as_it_was_at_any_moment_of_any_history() {
    let (mut moments, mut inside) = (0, 0);
    let first = number("TAFFRAIL_SIM_FIRST").unwrap_or(0);
    for seed in first..first + number("TAFFRAIL_SIM_RUNS").unwrap_or(12) {
        let world = world(seed, SimOptions::default());
        let instance = start(&world).expect("a first start");
        let (all, early) = moments_of_a_history(seed, &world, &instance);
        (moments, inside) = (moments + all, inside + early);
        instance.shutdown().expect("an orderly end");
    }
    println!("{moments} moments, {inside} of them before the last log backup");
    assert!(inside * 3 > moments, "{inside} of {moments}");
}

/// The files are the machine's, the clock is simulated: commits can be told apart by it without waiting.
#[test]
fn a_database_on_a_real_disk_is_as_it_was_at_any_moment() {
    let first = number("TAFFRAIL_SIM_FIRST").unwrap_or(0);
    for seed in first..first + number("TAFFRAIL_DISK_RUNS").unwrap_or(1) {
        let world = world(seed, SimOptions::default());
        let env = Env { disk: Env::os().disk, ..world.env() };
        let place = support::World::in_env(env);
        let (moments, inside) = moments_of_a_history(seed, &world, &place.instance);
        println!("seed {seed}: {moments} moments, {inside} of them before the last log backup");
    }
}

/// A number that a variable says: `TAFFRAIL_SIM_RUNS` how many histories there are, `TAFFRAIL_SIM_FIRST` the seed of the first.
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// A database with a full backup, marks in two log backups, and what was committed around them.
fn with_marks(world: &SimWorld, c: &mut Client, other: &mut Client) {
    let mut rng = SimRng::new(1);
    c.ok("CREATE DATABASE d ON (NAME = d, FILENAME = 'd.mdf', SIZE = 4MB)
        LOG ON (NAME = l, FILENAME = 'd.ldf', SIZE = 1MB, FILEGROWTH = 1MB)");
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE d.dbo.t (a int); CREATE TABLE d.dbo.o (a int)");
    c.ok("BACKUP DATABASE d TO DISK = 'full.bak'");
    let mut commit = |c: &mut Client, sql: &str| {
        pass(world, &mut rng);
        c.ok(&format!("USE d; {sql}; USE master"));
        pass(world, &mut rng);
    };
    commit(c, "INSERT t VALUES (1)");
    commit(c, "BEGIN TRAN m WITH MARK 'first'; INSERT t VALUES (2); COMMIT");
    commit(c, "INSERT t VALUES (3)");
    commit(c, "BEGIN TRAN gone WITH MARK; INSERT t VALUES (99); ROLLBACK");
    // One that goes over two log backups.
    commit(other, "BEGIN TRAN long WITH MARK 'x'; INSERT o VALUES (4)");
    commit(c, "BACKUP LOG d TO DISK = 'log1.trn'");
    commit(c, "INSERT t VALUES (5)");
    commit(other, "COMMIT");
    commit(c, "INSERT t VALUES (6)");
    commit(c, "BEGIN TRAN M WITH MARK; INSERT t VALUES (7); COMMIT");
    commit(c, "INSERT t VALUES (8)");
    commit(c, "BACKUP LOG d TO DISK = 'log2.trn'");
}

const ROWS: &str = "SELECT a FROM r.dbo.t UNION ALL SELECT a FROM r.dbo.o ORDER BY a";

fn rows(c: &mut Client) -> String {
    let rows = c.rows(ROWS).replace('\n', "");
    c.ok("DROP DATABASE r");
    rows
}

#[test]
fn marks_and_lsns_are_stopped_at_or_before() {
    let world = world(3, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let (mut c, mut other) = (connect(&instance), connect(&instance));
    with_marks(&world, &mut c, &mut other);
    let second = c.rows("SELECT CONVERT(varchar(30), MAX(mark_time), 121) FROM msdb.dbo.logmarkhistory WHERE mark_name = 'long'");
    let at_long = c.rows("SELECT 'lsn:' + CONVERT(varchar(30), MAX(lsn)) FROM msdb.dbo.logmarkhistory WHERE mark_name = 'long'");
    for (clause, want) in [
        ("STOPATMARK = 'm'".to_string(), "12"),
        ("STOPBEFOREMARK = 'm'".to_string(), "1"),
        (format!("STOPATMARK = 'm' AFTER '{second}'"), "1234567"),
        (format!("STOPBEFOREMARK = 'm' AFTER '{second}'"), "123456"),
        ("STOPATMARK = 'long'".to_string(), "12345"),
        ("STOPBEFOREMARK = 'long'".to_string(), "1235"),
        // A mark of a transaction that was rolled back is none.
        ("STOPATMARK = 'gone'".to_string(), "12345678"),
        ("STOPAT = '2200-01-01'".to_string(), "12345678"),
    ] {
        c.ok(FULL);
        for n in [1, 2] {
            let said = c.run(&format!("RESTORE LOG r FROM DISK = 'log{n}.trn' WITH {clause}"));
            assert_eq!(errors(&said), [], "{clause}: {said}");
            if c.rows(ONLINE) == "ONLINE" {
                break;
            }
            assert!(numbers(&said).contains(&4322), "{clause}: {said}");
        }
        if c.rows(ONLINE) == "RESTORING" {
            c.ok("RESTORE DATABASE r WITH RECOVERY");
        }
        assert_eq!(rows(&mut c), want, "{clause}");
    }
    // The LSN of a mark is one of a record of its transaction.
    c.ok(FULL);
    c.ok("RESTORE LOG r FROM DISK = 'log1.trn' WITH NORECOVERY");
    c.ok(&format!("RESTORE LOG r FROM DISK = 'log2.trn' WITH STOPBEFOREMARK = '{at_long}'"));
    assert_eq!(rows(&mut c), "1235");
    // As fn_dblog shows it.
    let n: u128 = at_long.trim_start_matches("lsn:").parse().expect("an LSN");
    let (vlf, block, slot) = (n / 1_000_000_000_000_000, n / 100_000 % 10_000_000_000, n % 100_000);
    c.ok(FULL);
    c.ok("RESTORE LOG r FROM DISK = 'log1.trn' WITH NORECOVERY");
    let hexadecimal = format!("lsn:0x{vlf:08x}:{block:08x}:{slot:04x}");
    c.ok(&format!("RESTORE LOG r FROM DISK = 'log2.trn' WITH STOPBEFOREMARK = '{hexadecimal}'"));
    assert_eq!(rows(&mut c), "1235");
    let told = "SELECT DISTINCT stop_at_mark_name, stop_before FROM msdb.dbo.restorehistory WHERE stop_at_mark_name = 'long' ORDER BY 2";
    assert_eq!(c.rows(told), "long | 0\nlong | 1");
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM msdb.dbo.restorehistory WHERE stop_at IS NOT NULL"),
        "2"
    );
    drop((c, other));
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_point_that_cannot_be_reached_is_refused() {
    let world = world(4, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let (mut c, mut other) = (connect(&instance), connect(&instance));
    with_marks(&world, &mut c, &mut other);
    let early =
        c.rows("SELECT CONVERT(varchar(30), MIN(mark_time), 121) FROM msdb.dbo.logmarkhistory");
    c.ok(FULL);
    c.ok("RESTORE LOG r FROM DISK = 'log1.trn' WITH NORECOVERY");
    for (clause, number) in [
        (format!("STOPAT = '{early}'"), 4335),
        ("STOPATMARK = 'lsn:1000000000100001'".into(), 4335),
        ("STOPATMARK = 'lsn:nothing'".into(), 4334),
        ("STOPATMARK = 'lsn:00000022:00000010:0001'".into(), 4334),
        ("STOPATMARK = 'lsn:0x22:10'".into(), 4334),
        ("STOPATMARK = 'lsn:0x00000001:00000010:0001'".into(), 4335),
        ("STOPAT = '2200-01-01', STOPATMARK = 'm'".into(), 3031),
    ] {
        for log in ["log1.trn", "log2.trn"] {
            let said = c.run(&format!("RESTORE LOG r FROM DISK = '{log}' WITH {clause}"));
            assert_eq!(errors(&said)[0], number, "{clause}: {said}");
            assert_eq!(c.rows(ONLINE), "RESTORING", "{clause}");
        }
    }
    // It has stopped in the middle of a block: the rest of that log cannot follow.
    let after = "RESTORE LOG r FROM DISK = 'log2.trn' WITH STOPATMARK = 'long', NORECOVERY";
    c.ok(after);
    c.ok(after);
    let said = c.run("RESTORE LOG r FROM DISK = 'log2.trn'");
    assert_eq!(errors(&said), [40510, 3013], "{said}");
    c.ok("RESTORE DATABASE r WITH RECOVERY");
    assert_eq!(rows(&mut c), "12345");
    // Data sets are restored as a whole, and say when they are too late.
    for (clause, numbers) in [
        ("STOPAT = '2001-01-01'", &[4338, 3013][..]),
        ("STOPATMARK = 'm' AFTER '2001-01-01'", &[4338, 3013]),
        ("STOPATMARK = 'm'", &[4340, 3013]),
        ("STOPATMARK = 'lsn:1000000000100001'", &[4338, 3013]),
        ("STOPAT = '2200-01-01'", &[]),
    ] {
        let said = c.run(&FULL.replace("WITH NORECOVERY", &format!("WITH {clause}")));
        assert_eq!(errors(&said), numbers, "{clause}: {said}");
    }
    assert_eq!(c.rows(ONLINE), "RESTORING", "only log reaches a point");
    c.ok("DROP DATABASE r");
    // What was minimally logged is applied as a whole.
    c.ok("ALTER DATABASE d SET RECOVERY BULK_LOGGED");
    c.ok("SELECT value AS a INTO d.dbo.n FROM GENERATE_SERIES(1, 20000)");
    c.ok("BACKUP LOG d TO DISK = 'log3.trn'");
    c.ok(FULL);
    for n in [1, 2] {
        c.ok(&format!("RESTORE LOG r FROM DISK = 'log{n}.trn' WITH NORECOVERY"));
    }
    let now = c.rows("SELECT CONVERT(varchar(30), DATEADD(millisecond, 1, MAX(backup_finish_date)), 121) FROM msdb.dbo.backupset
        WHERE type = 'L' AND backup_set_id < (SELECT MAX(backup_set_id) FROM msdb.dbo.backupset)");
    let said = c.run(&format!("RESTORE LOG r FROM DISK = 'log3.trn' WITH STOPAT = '{now}'"));
    assert_eq!(errors(&said), [4341, 3013], "{said}");
    c.ok("RESTORE LOG r FROM DISK = 'log3.trn' WITH RECOVERY");
    assert_eq!(c.rows("SELECT COUNT(*) FROM r.dbo.n"), "20000");
    drop((c, other));
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_log_chain_begins_anew_where_a_restore_has_cut_a_block() {
    let world = world(5, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let (mut c, mut other) = (connect(&instance), connect(&instance));
    with_marks(&world, &mut c, &mut other);
    c.ok(FULL);
    let stop = "RESTORE LOG r FROM DISK = 'log1.trn' WITH STOPBEFOREMARK = 'm'";
    c.ok(stop);
    let log = "BACKUP LOG r TO DISK = 'r.trn'";
    let said = c.run(log);
    assert_eq!(errors(&said), [4214, 3013], "{said}");
    c.ok("BACKUP DATABASE r TO DISK = 'r.bak'; INSERT r.dbo.t VALUES (77)");
    c.ok(log);
    c.ok("DROP DATABASE r; RESTORE DATABASE r FROM DISK = 'r.bak' WITH NORECOVERY");
    c.ok("RESTORE LOG r FROM DISK = 'r.trn'");
    assert_eq!(rows(&mut c), "177");
    // A differential backup of that path does not follow what the other one has.
    c.ok(FULL);
    c.ok(stop);
    c.ok("BACKUP DATABASE r TO DISK = 'diff.bak' WITH DIFFERENTIAL; DROP DATABASE r");
    let diff = "RESTORE DATABASE r FROM DISK = 'diff.bak' WITH RECOVERY";
    c.ok(FULL);
    c.ok("RESTORE LOG r FROM DISK = 'log1.trn' WITH NORECOVERY");
    let said = c.run(diff);
    assert_eq!(errors(&said), [4330, 3013], "{said}");
    c.ok("RESTORE LOG r FROM DISK = 'log2.trn' WITH RECOVERY");
    assert_eq!(rows(&mut c), "12345678");
    c.ok(FULL);
    c.ok(diff);
    assert_eq!(rows(&mut c), "1");
    drop((c, other));
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_database_whose_tail_was_taken_knows_its_last_moment() {
    let world = world(6, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let (mut c, mut other) = (connect(&instance), connect(&instance));
    with_marks(&world, &mut c, &mut other);
    let early =
        c.rows("SELECT CONVERT(varchar(30), MIN(mark_time), 121) FROM msdb.dbo.logmarkhistory");
    c.ok("BACKUP LOG d TO DISK = 'tail.trn' WITH NORECOVERY");
    c.ok(FULL);
    for log in ["log1", "log2"] {
        c.ok(&format!("RESTORE LOG r FROM DISK = '{log}.trn' WITH NORECOVERY"));
    }
    c.ok("RESTORE LOG r FROM DISK = 'tail.trn' WITH RECOVERY");
    pass(&world, &mut SimRng::new(1));
    c.ok("INSERT r.dbo.t VALUES (9); BACKUP LOG r TO DISK = 'r.trn'");
    let said = c.run(&format!("RESTORE LOG d FROM DISK = 'r.trn' WITH STOPAT = '{early}'"));
    assert_eq!(errors(&said), [4335, 3013], "{said}");
    c.ok("RESTORE LOG d FROM DISK = 'r.trn' WITH RECOVERY");
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t WHERE a = 9"), "1");
    drop((c, other));
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_restore_that_stops_and_is_cut_off_at_any_step_can_be_said_again() {
    let mut step = 0;
    loop {
        step += 2;
        let world = world(step, SimOptions::default());
        let instance = start(&world).expect("a first start");
        let (mut c, mut other) = (connect(&instance), connect(&instance));
        with_marks(&world, &mut c, &mut other);
        c.ok(FULL);
        c.ok("RESTORE LOG r FROM DISK = 'log1.trn' WITH NORECOVERY");
        let stop = "RESTORE LOG r FROM DISK = 'log2.trn' WITH STOPATMARK = 'long', NORECOVERY";
        world.crash_at(step);
        let done = c.try_run(stop).is_ok();
        let over = world.is_powered();
        drop((c, other));
        // Power has failed.
        let _ = instance.shutdown();
        world.restart();
        let instance = start(&world).expect("a start after the crash");
        let mut c = connect(&instance);
        assert_eq!(c.rows(ONLINE), "RESTORING", "step {step}");
        let said = c.run("RESTORE LOG r FROM DISK = 'log2.trn' WITH NORECOVERY");
        match errors(&said)[..] {
            // Not yet: all of it is there then.
            [] => {
                assert!(!done, "step {step}");
                c.ok("RESTORE DATABASE r WITH RECOVERY");
                assert_eq!(rows(&mut c), "12345678", "step {step}");
            }
            // It is there, and nothing of what lies behind.
            [40510, 3013] => {
                c.ok(stop);
                c.ok("RESTORE DATABASE r WITH RECOVERY");
                assert_eq!(rows(&mut c), "12345", "step {step}");
            }
            _ => panic!("step {step}: {said}"),
        }
        drop(c);
        instance.shutdown().expect("an orderly end");
        if over {
            break;
        }
    }
    println!("{step} steps");
    assert!(step > 20);
}

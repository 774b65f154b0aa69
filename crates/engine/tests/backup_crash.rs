//! Losses of power in the middle of restores and of the backup of a tail: afterwards a database is not there, RESTORING, or online as a
//! whole; what was acknowledged stays; another restore or DROP DATABASE always gets out of it.

use crate::support;

use support::sim::{start, world};
use support::{Client, connect};
use taffrail_io::sim::{SimOptions, SimRng};

/// Runs a batch; what it said, as an error when something went wrong.
fn run(c: &mut Client, sql: &str) -> Result<String, String> {
    c.try_run(sql)
}

fn rows(c: &mut Client, sql: &str) -> String {
    let said = run(c, sql).unwrap_or_else(|e| panic!("{sql}\n{e}"));
    let keep = |l: &&str| !l.starts_with('[') && !l.starts_with("done");
    said.lines().filter(keep).collect::<Vec<_>>().join("\n")
}

fn state(c: &mut Client, name: &str) -> String {
    rows(c, &format!("SELECT state_desc FROM sys.databases WHERE name = '{name}'"))
}

fn sum(c: &mut Client, name: &str) -> String {
    rows(c, &format!("SELECT COUNT(*), SUM(i), SUM(LEN(s)) FROM {name}.dbo.t"))
}

const MOVES: &str = "MOVE 'Sales' TO 'Copy.mdf', MOVE 'Sales_log' TO 'Copy_log.ldf'";

/// Where power fails: in a restore beside the original or over it, at which step.
#[derive(Clone, Copy)]
struct Cut {
    beside: bool,
    step: u64,
}

fn one_run(seed: u64, cut: Option<Cut>) -> bool {
    let world = world(seed, SimOptions::default());
    let mut rng = SimRng::new(seed);
    let instance = start(&world).expect("the instance starts");
    let mut c = connect(&instance);
    run(&mut c, "CREATE DATABASE Sales").expect("a database");
    run(&mut c, "CREATE TABLE Sales.dbo.t (i int IDENTITY PRIMARY KEY, s varchar(500))")
        .expect("a table");
    let more = "SET NOCOUNT ON BEGIN TRAN DECLARE @n int = 0 WHILE @n < 40 BEGIN
                INSERT Sales.dbo.t (s) VALUES (REPLICATE('x', @n * 11)) SET @n = @n + 1 END COMMIT";
    run(&mut c, more).expect("rows");
    run(&mut c, "BACKUP DATABASE Sales TO DISK = 'f.bak'").expect("a full backup");
    let full = sum(&mut c, "Sales");
    run(&mut c, more).expect("rows");
    run(&mut c, "BACKUP LOG Sales TO DISK = 'l.trn'").expect("a log backup");
    let logged = sum(&mut c, "Sales");
    run(&mut c, more).expect("rows");
    let all = sum(&mut c, "Sales");

    // Beside the original, or over it.
    let beside = cut.map_or_else(|| rng.below(2) == 0, |cut| cut.beside);
    let (name, with) = if beside { ("Copy", MOVES) } else { ("Sales", "REPLACE") };
    let steps = [
        "BACKUP LOG Sales TO DISK = 'tail.trn' WITH NORECOVERY".to_string(),
        format!("RESTORE DATABASE {name} FROM DISK = 'f.bak' WITH NORECOVERY, {with}"),
        format!("RESTORE LOG {name} FROM DISK = 'l.trn' WITH RECOVERY"),
    ];
    let steps = &steps[usize::from(beside)..];
    let step = 1 + rng.below(if beside { 260 } else { 320 });
    world.crash_at(cut.map_or(step, |cut| cut.step));
    let mut done = 0;
    for step in steps {
        match run(&mut c, step) {
            Ok(_) => done += 1,
            Err(e) => {
                assert!(!world.is_powered(), "seed {seed}: {step}\n{e}");
                break;
            }
        }
    }
    let crashed = !world.is_powered();
    if !crashed {
        world.crash();
    }
    drop(c);
    let _ = instance.shutdown();
    world.restart();

    let instance = start(&world).expect("the instance starts");
    let mut c = connect(&instance);
    let found = state(&mut c, name);
    if beside {
        assert_eq!(sum(&mut c, "Sales"), all, "seed {seed}: the original has changed");
        assert!(!(found.is_empty() && done > 0), "seed {seed}: an acknowledged restore is gone");
    } else {
        assert!(!found.is_empty(), "seed {seed}: neither what was nor RESTORING");
    }
    match &found[..] {
        "ONLINE" => {
            let now = sum(&mut c, name);
            let whole = if done == steps.len() || beside {
                now == logged
            } else {
                // As it was, or wholly restored.
                now == all || now == logged
            };
            assert!(whole, "seed {seed}: {now} after {done} steps: {full}, {logged}, {all}");
        }
        "RESTORING" | "" => assert!(done < steps.len(), "seed {seed}: not online"),
        other => panic!("seed {seed}: {name} is {other} after {done} steps"),
    }
    // Going on where it stopped may do, or not; beginning again always does.
    if found == "RESTORING" && run(&mut c, &steps[steps.len() - 1]).is_ok() {
        assert_eq!(sum(&mut c, name), logged, "seed {seed}: going on");
    }
    let again = format!("RESTORE DATABASE {name} FROM DISK = 'f.bak' WITH NORECOVERY, REPLACE");
    let again = if beside { format!("{again}, {MOVES}") } else { again };
    run(&mut c, &again).unwrap_or_else(|e| panic!("seed {seed}, {found}: {again}\n{e}"));
    assert_eq!(state(&mut c, name), "RESTORING");
    if rng.below(2) == 0 {
        run(&mut c, &steps[steps.len() - 1]).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(sum(&mut c, name), logged, "seed {seed}: again");
    }
    rows(&mut c, &format!("DROP DATABASE {name}"));
    for file in [format!("/data/{name}.mdf"), format!("/data/{name}_log.ldf")] {
        assert_eq!(world.env().disk.exists(file.as_ref()).ok(), Some(false), "seed {seed}: {file}");
    }
    drop(c);
    let _ = instance.shutdown();
    crashed
}

#[test]
fn restores_survive_crashes() {
    let one = std::env::var("TAFFRAIL_SIM_SEED").ok().and_then(|s| s.parse().ok());
    if let Some(seed) = one {
        one_run(seed, None);
        return;
    }
    let seeds: u64 =
        std::env::var("TAFFRAIL_SIM_RUNS").ok().and_then(|s| s.parse().ok()).unwrap_or(12);
    let crashed = (0..seeds).filter(|&seed| one_run(seed, None)).count();
    println!("{seeds} seeds, {crashed} with a crash in the middle");
    assert!(crashed > 0, "no crash came in the middle of anything");
}

/// A kill at a step leaves what was, or a database that is RESTORING and takes the step again; `TAFFRAIL_CUT_STRIDE` = 1: at every step.
#[test]
fn a_restore_that_is_cut_off_at_a_step_leaves_restoring_or_what_was() {
    let stride = std::env::var("TAFFRAIL_CUT_STRIDE").ok().and_then(|s| s.parse().ok());
    for beside in [true, false] {
        let mut steps = (1..).step_by(stride.unwrap_or(7));
        let last = steps.find(|&step| !one_run(step, Some(Cut { beside, step })));
        let last = last.expect("a restore ends");
        println!("beside: {beside}, {last} steps");
        assert!(last > 100, "{last}");
    }
}

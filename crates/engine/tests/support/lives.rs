//! A database under changes over several lives of a machine that may lose its power at each write.

use super::sim::{start, world};
use super::{Client, connect};
use taffrail_io::sim::{SimOptions, SimRng, SimWorld};

/// A rule that holds at every moment, and the changes that try it.
pub struct Tried<'t> {
    /// Statements that make the tables, run once.
    pub schema: Vec<&'t str>,
    /// How many rows are wrong; none where nobody can say, by the state of the tables or since the machine has stopped.
    pub wrong: fn(&mut Client) -> Option<i64>,
    /// The next change.
    pub change: fn(&mut Client, &mut SimRng) -> String,
}

/// Asks a number; none where the machine has stopped.
pub fn number(c: &mut Client, sql: &str) -> Option<i64> {
    let said = c.try_run(sql).ok()?;
    said.lines().find_map(|l| l.parse().ok())
}

/// Tries it with seeds, `TAFFRAIL_SIM_RUNS` of them where that is set: at least one life ends in the middle of something.
pub fn over_seeds(default: u64, tried: &Tried<'_>) {
    let said = std::env::var("TAFFRAIL_SIM_RUNS").ok().and_then(|s| s.parse().ok());
    let seeds: u64 = said.unwrap_or(default);
    let (mut compared, mut crashed) = (0, 0);
    for seed in 0..seeds {
        let (n, stopped) = one_run(seed, tried);
        compared += n;
        crashed += stopped;
    }
    println!(
        "{seeds} seeds: compared {compared} times, {crashed} lives ended in the middle of something"
    );
    assert!(crashed > 0 && compared > seeds as u32, "{compared} comparisons, {crashed} crashes");
}

fn one_run(seed: u64, tried: &Tried<'_>) -> (u32, u32) {
    let world = world(seed, SimOptions::default());
    let mut rng = SimRng::new(seed);
    let (mut compared, mut crashed) = (0, 0);
    for life in 0..4 {
        if life > 0 {
            world.restart();
            world.crash_at(1 + rng.below(700));
        }
        let Ok(instance) = start(&world) else {
            crashed += 1;
            continue;
        };
        let mut c = connect(&instance);
        if life == 0 {
            c.ok("CREATE DATABASE d");
            c.ok("USE d");
            tried.schema.iter().for_each(|sql| c.ok(sql));
            world.crash_at(1 + rng.below(500));
        }
        let _ = c.try_run("USE d");
        compared += one_life((seed, life), &world, (&mut c, &mut rng), tried);
        crashed += u32::from(!world.is_powered());
        if world.is_powered() {
            world.crash();
        }
        drop(c);
        // The threads of a machine without power end with its instance.
        let _ = instance.shutdown();
    }
    (compared, crashed)
}

/// Changes and looks until the power fails, forty times at most; how often it was looked.
fn one_life(
    (seed, life): (u64, u32),
    world: &SimWorld,
    (c, rng): (&mut Client, &mut SimRng),
    tried: &Tried<'_>,
) -> u32 {
    let mut compared = 0;
    for step in 0..40 {
        if let Some(wrong) = (tried.wrong)(c) {
            assert_eq!(wrong, 0, "seed {seed}, life {life}, step {step}");
            compared += 1;
        }
        if step == 0 && world.is_powered() {
            let said = c.try_run("DBCC CHECKDB WITH NO_INFOMSGS").unwrap_or_default();
            assert!(!said.contains("Msg"), "seed {seed}, life {life}: {said}");
        }
        if !world.is_powered() {
            break;
        }
        let sql = (tried.change)(c, rng);
        let done = c.try_run(&sql);
        assert!(done.is_ok() || !world.is_powered(), "seed {seed}: {sql}: {done:?}");
    }
    compared
}

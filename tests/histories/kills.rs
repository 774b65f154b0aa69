//! Histories that go on over SIGKILLs: what was acknowledged stays, what was under way is there as a whole or not at all.

use crate::check::{ALL_LEVELS, Anomaly, LEVELS, Level, Txn, Verdict, judge};
use crate::lists::{Drive, SHAPES};
use crate::session::{Dice, World, crowd, share};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

const KILLS: u64 = 4;

#[test]
fn histories_go_on_over_kills() {
    over_kills("kills", &LEVELS, &["clustered", "heap_indexed", "moving"], |world| world);
}

/// Versions are gone with the server; the transactions that it left are undone before a snapshot is taken.
#[test]
fn histories_by_versions_go_on_over_kills() {
    over_kills(
        "kills by versions",
        &ALL_LEVELS,
        &["heap", "covered", "moving_entries"],
        World::keep_versions,
    );
}

fn over_kills(name: &str, levels: &[Level], shapes: &[&str], made: fn(World) -> World) {
    let mut dice = Dice::new(u64::from(std::process::id()));
    let mut all = Verdict::default();
    for shape in SHAPES.iter().filter(|s| shapes.contains(&s.name)) {
        let mut world = made(World::new("kills", true));
        let drive = Drive::new(&world, shape, "lists", 6);
        let mut txns: Vec<Txn> = Vec::new();
        for kill in 0..=KILLS {
            drive.left.store(share(500), Relaxed);
            let port = world.port();
            let life = Duration::from_millis(u64::from(50 + dice.below(500)));
            let server = if kill < KILLS { world.server.take() } else { None };
            let brought = crowd(9, |c| match c {
                8 => {
                    if let Some(server) = &server {
                        std::thread::sleep(life);
                        server.kill_now();
                    }
                    Vec::new()
                }
                c => drive.client(port, c, levels[c % levels.len()], kill * 50 + c as u64 + 1),
            });
            txns.extend(brought.into_iter().flatten());
            if kill < KILLS {
                drop(server);
                world.restart();
            }
        }
        let verdict = judge(&txns, &drive.orders(&world));
        verdict.hold(&format!("{name}, {KILLS} kills, {}", shape.name), &[]);
        all.add(verdict);
        world.whole();
    }
    all.hold(name, &[Anomaly::GSingle]);
}

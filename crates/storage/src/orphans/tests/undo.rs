//! Undo that fails: each system transaction is cut off at each of its records and allocations, or before its commit, and then what undoes
//! it at each of its own, by an error of another kind or since there is no room left in the log.
//!
//! Either all is as it was, or the database is down, and shows and takes no row; restart brings it back to what it was, also when it is cut
//! off itself.

use super::scene::{Scene, Work, long, short};
use crate::txn::work::cut::{self, Plan};

/// How many places there were.
#[derive(Default, Debug)]
struct Met {
    first: u32,
    then: u32,
    down: u32,
}

/// What comes of it. None: there is no such first place; false: no such second one.
fn twice(mut scene: Scene, work: Work, plan: Plan, met: &mut Met) -> Option<bool> {
    let what = format!("{work:?}, {plan:?}");
    cut::plan(plan);
    scene.run_to_any_end(work);
    let (first, then) = (!cut::is_to_come(), !cut::then_is_to_come());
    cut::anywhere(0);
    if !first {
        return None;
    }
    if scene.is_down(&what) {
        met.down += 1;
    } else {
        while scene.db.is_undoing() {
            assert!(scene.db.finish_recovery().unwrap(), "{what}: there is room again");
        }
        scene.db.background_tick();
        scene.compare(&what);
    }
    met.then += u32::from(then);
    // Restart has its own places; not each is tried with each of these.
    let again = Plan { then: 1 + (plan.first * 5 + plan.then) % 11, ..Plan::default() };
    scene = scene.restart(again, !plan.then.is_multiple_of(3));
    scene.compare(&format!("{what}, restarted"));
    scene.run(Work::Reorganize).unwrap();
    scene.compare(&format!("{what}, reorganized"));
    Some(then)
}

/// Cuts it off at every `step`-th place.
fn everywhere(work: Work, key: fn(u64) -> Vec<u8>, bytes: usize, step: usize) {
    let mut met = Met::default();
    'all: for first in (1_u32..).step_by(step) {
        for full in [false, true] {
            if full && !first.is_multiple_of(3) {
                continue;
            }
            let mut then = 1;
            loop {
                let mut scene = Scene::new(first.into(), key, bytes);
                scene.touch(first as usize * 5 % 23);
                match twice(scene, work, Plan { first, ends: true, then, full }, &mut met) {
                    None => break 'all,
                    Some(true) => {}
                    Some(false) => break,
                }
                // System transactions are short; of what a user undoes, which is longer, not each record.
                then += 1 + then / 9;
            }
        }
        met.first += 1;
    }
    println!("{work:?}: {met:?}");
    assert!(met.then > 0 && met.down > 0, "{work:?}: {met:?}");
}

#[test]
fn undo_of_splits_that_ends_anywhere() {
    everywhere(Work::Splits, short, 900, 2);
}

#[test]
fn undo_of_splits_of_interior_pages_that_ends_anywhere() {
    everywhere(Work::Splits, long, 60, 7);
}

#[test]
fn undo_of_reorganizations_that_ends_anywhere() {
    everywhere(Work::Reorganize, short, 900, 2);
}

#[test]
fn undo_of_cleanups_and_large_values_that_ends_anywhere() {
    everywhere(Work::Cleanup, short, 900, 1);
    everywhere(Work::Lobs, short, 900, 2);
}

#[test]
fn undo_of_truncations_and_drops_that_ends_anywhere() {
    everywhere(Work::Truncate, short, 900, 3);
    everywhere(Work::Drop, short, 900, 1);
}

#[test]
fn undo_of_trees_made_and_built_that_ends_anywhere() {
    everywhere(Work::NewTree, short, 900, 1);
    everywhere(Work::Build, short, 900, 1);
}

#[test]
fn undo_of_heaps_that_ends_anywhere() {
    everywhere(Work::NewHeap, short, 900, 1);
    everywhere(Work::HeapPages, short, 900, 3);
    everywhere(Work::Load, short, 900, 29);
}

#[test]
fn undo_of_growth_that_ends_anywhere() {
    everywhere(Work::Grow, short, 900, 1);
}

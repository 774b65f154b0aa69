//! Power cuts at every single I/O of a shrink, of adding a file, of removing one, and of the opening after it; errors and full
//! disks at every I/O too. Whatever happens, the log opens with everything that was durable, its files and the disk agree,
//! and it works on.

use crate::rig;

use rig::{Rig, spec};
use taffrail_io::sim::{Fault, FaultKind};
use taffrail_log::{Growth, LogError, LogOptions, ShrinkMode, VlfAlgorithm};

#[derive(Clone, Copy, Debug)]
enum Change {
    Shrink,
    /// The head is in the way: it moves; then once more.
    ShrinkTwice,
    Add,
    Remove,
    /// Into the number of a file that was removed.
    AddAgain,
    NoteUses,
}

const CHANGES: [Change; 6] = [
    Change::Shrink,
    Change::ShrinkTwice,
    Change::Add,
    Change::Remove,
    Change::AddAgain,
    Change::NoteUses,
];

/// A log of two files that has gone round, ready for the change.
fn prepared(change: Change, seed: u64) -> Rig {
    let options = LogOptions { vlf_algorithm: VlfAlgorithm::V2012, ..LogOptions::default() };
    let files = [spec("/a_log.ldf", 2048, Growth::None), spec("/b_log.ldf", 512, Growth::None)];
    let mut rig = Rig::new(seed, &files, options);
    rig.fill_vlfs(4);
    rig.checkpoint().unwrap();
    // The head is in the second file, or back in the first, or at the end of the first.
    let on = match change {
        Change::ShrinkTwice => 5,
        Change::Remove | Change::AddAgain | Change::Shrink => 3,
        Change::Add | Change::NoteUses => 1,
    };
    rig.fill_vlfs(on);
    rig.checkpoint().unwrap();
    rig.checkpoint().unwrap();
    if matches!(change, Change::AddAgain) {
        assert!(rig.remove(1).unwrap());
    }
    rig
}

fn change(rig: &mut Rig, change: Change) -> Result<(), LogError> {
    match change {
        Change::Shrink => rig.shrink(0, ShrinkMode::To(0)).map(drop),
        Change::ShrinkTwice => {
            rig.shrink(0, ShrinkMode::To(600 << 10))?;
            rig.checkpoint()?;
            rig.shrink(0, ShrinkMode::To(600 << 10)).map(drop)
        }
        Change::Add | Change::AddAgain => rig.add(&spec("/c_log.ldf", 512, Growth::None)).map(drop),
        Change::Remove => rig.remove(1).map(drop),
        Change::NoteUses => rig.log.note_vlf_uses(1),
    }
}

/// The log does what a log does.
fn works(rig: &mut Rig) {
    for _ in 0..12 {
        assert!(rig.append(20_000).unwrap());
        rig.checkpoint().unwrap();
    }
    rig.check().unwrap();
    rig.reopen().unwrap();
}

#[test]
fn the_changes_do_what_they_are_here_for() {
    let (mut shrink, mut twice) = (prepared(Change::Shrink, 2), prepared(Change::ShrinkTwice, 2));
    let total = |rig: &Rig| rig.log.space().total;
    for (rig, what) in [(&mut shrink, Change::Shrink), (&mut twice, Change::ShrinkTwice)] {
        let before = total(rig);
        change(rig, what).unwrap();
        assert!(total(rig) + (400 << 10) < before, "{what:?}: {before} to {}", total(rig));
        works(rig);
    }
    let mut rig = prepared(Change::Remove, 2);
    change(&mut rig, Change::Remove).unwrap();
    assert_eq!(rig.log.files().len(), 1);
    works(&mut rig);
}

#[test]
fn power_may_fail_at_every_step() {
    let mut cuts = 0;
    for what in CHANGES {
        for seed in 0..4 {
            for nth in 1.. {
                let mut rig = prepared(what, seed);
                rig.world.crash_at(nth);
                let done = change(&mut rig, what);
                let cut = !rig.world.is_powered();
                assert!(cut || done.is_ok(), "{what:?} seed {seed} cut {nth}: {done:?}");
                let case = format!("{what:?}, seed {seed}, cut at {nth}");
                if cut && nth % 3 == 0 {
                    // Power fails while the mess is cleared up, too.
                    let again = 1 + nth / 3;
                    rig.reopen_cut(again).unwrap_or_else(|e| panic!("{case}, {again}: {e}"));
                }
                rig.reopen().unwrap_or_else(|e| panic!("{case}: {e}"));
                works(&mut rig);
                cuts += u64::from(cut);
                if !cut {
                    break;
                }
            }
        }
    }
    assert!(cuts > 100, "only {cuts} cuts");
}

#[test]
fn errors_and_full_disks_at_every_step_leave_a_log_that_opens() {
    for what in CHANGES {
        for fault in [FaultKind::Io, FaultKind::Full] {
            for nth in 1.. {
                let mut rig = prepared(what, nth);
                rig.world.inject(Fault {
                    nth,
                    kind: None,
                    path_contains: String::new(),
                    fault,
                    sticky: false,
                });
                let faults = rig.world.stats().faults;
                let done = change(&mut rig, what);
                let struck = rig.world.stats().faults > faults;
                let case = format!("{what:?}, {fault:?} at {nth}, which said {done:?}");
                if done.is_err() && !rig.log.is_failed() {
                    // It said no, and nothing happened, or all that is left is a name.
                    assert!(rig.append(100).unwrap(), "{case}");
                    rig.flush().unwrap();
                }
                rig.world.clear_faults();
                rig.reopen().unwrap_or_else(|e| panic!("{case}: {e}"));
                works(&mut rig);
                if !struck {
                    assert!(done.is_ok(), "{case}");
                    break;
                }
            }
        }
    }
}

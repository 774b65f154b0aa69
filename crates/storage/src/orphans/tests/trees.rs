//! What goes by the leaf written to last, by noted leaves, by links of old copies, and by old plans.

use std::sync::Arc;

use taffrail_base::PageId;

use super::scene::{Scene, Work, long, short};
use crate::access::Hobt;
use crate::access::btree::{self, Reorganize};
use crate::rig::{begin, entries};
use crate::{Direction, KeyRange, ScanLocks, StorageResult};

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    /// An insertion, where the key is free.
    Update,
    /// The same.
    Delete,
    Seek,
    Scan,
    Split,
}

const NEXT: [Next; 4] = [Next::Update, Next::Delete, Next::Seek, Next::Scan];

/// A hint names this page from now on, as if it had been written to just now.
fn force(scene: &Scene, hobt: &Hobt, page: PageId) {
    // To what is not in memory no hint leads.
    let Some(guard) = scene.db.pool().read_present(&scene.db.store, page) else { return };
    let frame = guard.frame();
    drop(guard);
    hobt.set_hot(page, frame);
}

/// One change or look at a key, by the hint that is there; rolled back. The tree is what it was, also for who reads all of it.
fn one(scene: &Scene, hobt: &Arc<Hobt>, key: &[u8], next: Next) -> StorageResult<()> {
    let mut tx = scene.begin();
    let here = scene.rows.contains_key(key);
    let mut expected = scene.rows.clone();
    match next {
        Next::Update if here => {
            btree::update(&mut tx, hobt, key, b"changed")?;
            expected.insert(key.to_vec(), b"changed".to_vec());
        }
        Next::Delete if here => {
            assert!(btree::delete(&mut tx, hobt, key)?);
            expected.remove(key);
        }
        Next::Update | Next::Delete => {
            btree::insert(&mut tx, hobt, key, b"new")?;
            expected.insert(key.to_vec(), b"new".to_vec());
        }
        Next::Seek => {
            let mut value = Vec::new();
            let found = btree::get(&mut tx, hobt, key, ScanLocks::Shared, &mut value)?;
            assert_eq!(found.then_some(&value), scene.rows.get(key));
        }
        Next::Scan => {
            let range = KeyRange { lower: Some(key.to_vec()), ..KeyRange::default() };
            let found = entries(&mut tx, hobt, range, ScanLocks::Update)?;
            assert!(found.iter().eq(scene.rows.range(key.to_vec()..)));
        }
        Next::Split => {
            let beside = [key, b"+"].concat();
            btree::insert(&mut tx, hobt, &beside, &[3; 5000])?;
            expected.insert(beside, vec![3; 5000]);
        }
    }
    let found = entries(&mut tx, hobt, KeyRange::default(), ScanLocks::None)?;
    assert!(found == expected, "{} rows after {next:?}", found.len());
    tx.rollback()?;
    let found = entries(&mut begin(&scene.db), hobt, KeyRange::default(), ScanLocks::None)?;
    assert!(found == scene.rows, "{} rows after its rollback", found.len());
    Ok(())
}

/// Keys of every leaf's range, some that are free, and one behind all.
fn keys(scene: &Scene) -> Vec<Vec<u8>> {
    let mut keys: Vec<Vec<u8>> = scene.rows.keys().step_by(4).cloned().collect();
    keys.extend([1, 155, 1 << 42].map(scene.key));
    keys
}

/// Everything that may come next.
fn go_on(scene: &Scene, what: &str) {
    let hobt = scene.tree();
    let (kept, keys, free) = (hobt.kept_hint(), keys(scene), scene.free_pages(&hobt));
    let each = |hint: Option<PageId>, nexts: &[Next]| {
        for key in &keys {
            for &next in nexts {
                match hint {
                    Some(page) => force(scene, &hobt, page),
                    None => hobt.keep_hint(kept),
                }
                let done = one(scene, &hobt, key, next);
                done.unwrap_or_else(|e| panic!("{what}, {next:?} by {hint:?}: {e}"));
            }
        }
    };
    each(None, &NEXT);
    free.iter().for_each(|&page| each(Some(page), &NEXT));
    // Leaves that had ghosts, or were emptied.
    for &page in &free {
        scene.db.note_ghosts(hobt.id(), page);
        keys.iter().for_each(|key| scene.db.note_emptied(hobt.id(), page, key));
    }
    scene.db.clean_ghosts(usize::MAX).unwrap();
    scene.compare(what);
    free.iter().for_each(|&page| each(Some(page), &[Next::Split]));
}

/// Cuts a piece of work off at every `step`-th place, in a scene of its own each time.
fn everywhere(work: Work, key: fn(u64) -> Vec<u8>, bytes: usize, step: usize) {
    let mut places = 0;
    for n in (1u32..).step_by(step) {
        let mut scene = Scene::new(n.into(), key, bytes);
        scene.touch(n as usize * 5 % 23);
        let what = format!("{work:?} cut off at {n}");
        // Begun before, to go on afterwards.
        let (tree, mut plan_tx, mut scan_tx) = (scene.tree(), begin(&scene.db), begin(&scene.db));
        let mut plan = Reorganize::new(&tree, 0).unwrap();
        let mut scan = btree::seek(&tree, KeyRange::default(), Direction::Forward, ScanLocks::None);
        let mut seen = Vec::new();
        // The same with locks, which reads rows again that it has copied.
        let mut lock_tx = begin(&scene.db);
        let mut locking =
            btree::seek(&tree, KeyRange::default(), Direction::Forward, ScanLocks::Update);
        let mut locked = Vec::new();
        // Not each time: it does what others are to be cut off at.
        let steps = if n.is_multiple_of(2) { 0 } else { n % 7 };
        for _ in 0..steps {
            plan.step(&mut plan_tx).unwrap();
        }
        for _ in 0..n % 5 {
            seen.extend(scan.next(&mut scan_tx).unwrap().map(|(k, _)| k.to_vec()));
            if work != Work::Truncate {
                let next = locking.next(&mut lock_tx).unwrap();
                locked.extend(next.map(|(k, v)| (k.to_vec(), v.to_vec())));
            }
        }
        match scene.cut_off(work, n) {
            true => places += 1,
            false if steps == 0 => break,
            false => {}
        }
        if work != Work::Truncate {
            // What comes next has changed since it was copied, where it is now.
            let kept = tree.kept_hint();
            scene.touch(n as usize % 5);
            tree.keep_hint(kept);
        }
        // A truncation would have waited for who reads with locks.
        while work != Work::Truncate
            && let Some((k, _)) = scan.next(&mut scan_tx).unwrap()
        {
            seen.push(k.to_vec());
        }
        assert!(work == Work::Truncate || seen.iter().eq(scene.rows.keys()), "{what}: an old scan");
        while work != Work::Truncate
            && let Some((k, v)) = locking.next(&mut lock_tx).unwrap()
        {
            locked.push((k.to_vec(), v.to_vec()));
        }
        let rows = scene.rows.iter().map(|(k, v)| (k.clone(), v.clone()));
        assert!(work == Work::Truncate || rows.eq(locked), "{what}: an old scan with locks");
        drop(scan_tx);
        drop(lock_tx);
        go_on(&scene, &what);
        while plan.step(&mut plan_tx).unwrap() {}
        drop(plan_tx);
        scene.compare(&what);
        scene.run(Work::Reorganize).unwrap();
        scene.end(&what);
    }
    println!("{work:?}: {places} places");
    assert!(places > 1, "{work:?}: {places} places");
}

#[test]
fn splits_that_end_anywhere() {
    everywhere(Work::Splits, short, 900, 1);
}

#[test]
fn splits_of_interior_pages_that_end_anywhere() {
    everywhere(Work::Splits, long, 60, 1);
}

#[test]
fn reorganizations_that_end_anywhere() {
    everywhere(Work::Reorganize, short, 900, 1);
}

#[test]
fn reorganizations_below_many_parents_that_end_anywhere() {
    everywhere(Work::Reorganize, long, 60, 3);
}

#[test]
fn cleanups_that_end_anywhere() {
    everywhere(Work::Cleanup, short, 900, 1);
}

#[test]
fn large_values_that_end_anywhere() {
    everywhere(Work::Lobs, short, 900, 1);
}

#[test]
fn truncations_that_end_anywhere() {
    everywhere(Work::Truncate, short, 900, 1);
}

#[test]
fn trees_made_and_dropped_that_end_anywhere() {
    for work in [Work::NewTree, Work::Build, Work::Drop, Work::Grow] {
        everywhere(work, short, 900, 1);
    }
}

//! Two ways of losing rows without a crash, step by step as they were met:
//!
//! 1. a leaf is written to: the hint names it;
//! 2. a reorganization merges it into its left neighbour, and frees its page;
//! 3. the next leaf in order moves to that page, and the log is full: all of the move is undone, down to the allocation;
//! 4. a row is put between those of the leaf that was to move: by the hint it went to the page, which is free and still had their copies.
//!
//! Committed then, the row was not there for anybody who came from the root. Rolled back after the hint had gone
//! elsewhere, it was looked for
//! where it belongs, not found, and the database was suspect.

use std::sync::Arc;

use taffrail_base::PageId;

use super::scene::{Scene, short};
use crate::access::Hobt;
use crate::access::btree::{self, Reorganize};
use crate::access::node::key_at;
use crate::rig::begin;
use crate::txn::work::cut;
use crate::{Durability, StorageError, Transaction};

/// The third step has failed.
struct Undone {
    scene: Scene,
    what: String,
    /// The keys of the leaf that was to move to the page of the hint.
    keys: Vec<Vec<u8>>,
}

fn scene(touched: usize) -> (Scene, PageId) {
    let mut scene = Scene::new(7, short, 900);
    scene.touch(touched);
    let hint = PageId::from_u64(scene.tree().kept_hint().0 & 0xffff_ffff_ffff);
    (scene, hint)
}

/// How many steps of a reorganization there are before the one that moves a leaf to the page of the hint, which a step before has
/// freed; and the keys of that leaf. None: there is no such step.
fn steps_before(touched: usize) -> Option<(usize, Vec<Vec<u8>>)> {
    let (scene, hint) = scene(touched);
    let (tree, mut tx) = (scene.tree(), begin(&scene.db));
    let mut work = Reorganize::new(&tree, 0).unwrap();
    let mut freed = None;
    for steps in 0.. {
        match (freed, scene.db.is_allocated(hint).unwrap()) {
            (None, false) => freed = Some(steps),
            (Some(freed), true) => {
                assert!(freed < steps);
                let page = scene.db.pool().read(&scene.db.store, hint).unwrap();
                let keys = (0..page.slots().into()).map(|i| key_at(&page, i).to_vec());
                return Some((steps - 1, keys.collect()));
            }
            _ => {}
        }
        if !work.step(&mut tx).unwrap() {
            return None;
        }
    }
    None
}

/// The move cut off at each of its records after which the page is not as it was. `forced`: the hint names it as if it had been
/// written to since.
fn undone_moves(forced: bool) -> Vec<Undone> {
    let mut found = Vec::new();
    // Some of the leaves that there are.
    for touched in (0..23).step_by(5) {
        let Some((steps, keys)) = steps_before(touched) else { continue };
        for n in 1.. {
            let (scene, hint) = scene(touched);
            let (tree, mut tx) = (scene.tree(), begin(&scene.db));
            let (_, frame) = tree.kept_hint();
            let mut work = Reorganize::new(&tree, 0).unwrap();
            for _ in 0..steps {
                work.step(&mut tx).unwrap();
            }
            let shown = || scene.db.pool().read_present(&scene.db.store, hint).map(|p| p.lsn());
            let before = shown();
            cut::anywhere(n);
            let done = work.step(&mut tx);
            let struck = !cut::is_to_come();
            cut::anywhere(0);
            if !struck {
                break;
            }
            assert!(matches!(done, Err(StorageError::Misuse("cut off by a test"))));
            drop(tx);
            assert!(!scene.db.is_allocated(hint).unwrap());
            if shown() == before {
                continue;
            }
            if forced {
                tree.set_hot(hint, frame);
            }
            let what = format!("{touched} touched, cut off at {n}, forced: {forced}");
            found.push(Undone { scene, what, keys: keys.clone() });
        }
    }
    println!("{} scenes", found.len());
    assert!(found.len() > 10, "{} scenes", found.len());
    found
}

const KINDS: [&str; 3] = ["insertion", "update", "deletion"];

/// The fourth step: what is done to the leaf that was to move, and what it leaves.
fn change(undone: &mut Undone, tx: &mut Transaction, tree: &Arc<Hobt>, kind: &str) {
    let (key, rows) = (&undone.keys[0], &mut undone.scene.rows);
    match kind {
        "insertion" => {
            let new = [&key[..], b"+"].concat();
            btree::insert(tx, tree, &new, b"new").unwrap();
            rows.insert(new, b"new".to_vec());
        }
        "update" => {
            btree::update(tx, tree, key, b"changed").unwrap();
            rows.insert(key.clone(), b"changed".to_vec());
        }
        _ => {
            assert!(btree::delete(tx, tree, key).unwrap());
            rows.remove(key);
        }
    }
}

#[test]
fn what_is_committed_after_a_move_that_was_undone_is_there() {
    for (kind, forced) in KINDS.into_iter().flat_map(|k| [(k, false), (k, true)]) {
        for mut undone in undone_moves(forced) {
            let tree = undone.scene.tree();
            let mut tx = undone.scene.begin();
            change(&mut undone, &mut tx, &tree, kind);
            tx.commit(Durability::Full).unwrap();
            let what = format!("{kind}, {}", undone.what);
            undone.scene.compare(&what);
            undone.scene.end(&what);
        }
    }
}

#[test]
fn what_is_rolled_back_after_a_move_that_was_undone_is_found() {
    for (kind, forced) in KINDS.into_iter().flat_map(|k| [(k, false), (k, true)]) {
        for mut undone in undone_moves(forced) {
            let tree = undone.scene.tree();
            let rows = undone.scene.rows.clone();
            let mut tx = undone.scene.begin();
            change(&mut undone, &mut tx, &tree, kind);
            undone.scene.rows = rows;
            // The hint goes to the last leaf, and what undoes has to find its row without it.
            btree::insert(&mut tx, &tree, &short(1 << 43), b"last").unwrap();
            let what = format!("{kind}, {}", undone.what);
            tx.rollback().unwrap_or_else(|e| panic!("{what}: {e}"));
            undone.scene.compare(&what);
            undone.scene.end(&what);
        }
    }
}

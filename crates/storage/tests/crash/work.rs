//! Random transactions, with the model beside them.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::{IndexId, ObjectId};
use taffrail_io::sim::SimRng;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, HobtKind, LobRef, ScanLocks, StorageError, StorageResult,
    Transaction, btree, heap, lob,
};

use super::model::{Ids, Model};
use crate::rig::{TREE, begin};

fn bytes(rng: &mut SimRng, most: u64) -> Vec<u8> {
    let len = match rng.below(20) {
        0 => rng.below(most * 8),
        _ => rng.below(most),
    };
    let fill = rng.below(256) as u8;
    (0..len.min(8000)).map(|i| fill.wrapping_add((i / 7) as u8)).collect()
}

fn some_key<V>(rng: &mut SimRng, map: &BTreeMap<Vec<u8>, V>) -> Option<Vec<u8>> {
    let probe = key(rng);
    map.range(probe..).next().or_else(|| map.iter().next()).map(|(k, _)| k.clone())
}

fn key(rng: &mut SimRng) -> Vec<u8> {
    let mut k = rng.below(1 << 16).to_be_bytes()[5..].to_vec();
    if rng.one_in(10) {
        k.extend(std::iter::repeat_n(7, rng.below(300) as usize));
    }
    k
}

/// One random change of database and model.
pub fn change(
    db: &Arc<Database>,
    ids: &Ids,
    tx: &mut Transaction,
    m: &mut Model,
    rng: &mut SimRng,
    next: &mut u64,
) -> StorageResult<()> {
    let second = rng.one_in(2);
    let (hobt, map) =
        if second { (db.hobt(ids.second)?, &mut m.second) } else { (db.hobt(TREE)?, &mut m.tree) };
    tx.lock_object(hobt.object(), LockMode::IX)?;
    match rng.below(100) {
        0..25 => {
            let k = if second {
                *next += 1;
                next.to_be_bytes().to_vec()
            } else {
                key(rng)
            };
            let v = bytes(rng, 300);
            match btree::insert(tx, &hobt, &k, &v) {
                Ok(()) => assert!(map.insert(k, v).is_none()),
                Err(StorageError::DuplicateKey) => assert!(map.contains_key(&k)),
                Err(e) => return Err(e),
            }
        }
        25..40 => {
            if let Some(k) = some_key(rng, map) {
                let v = bytes(rng, 300);
                btree::update(tx, &hobt, &k, &v)?;
                map.insert(k, v);
            }
        }
        40..55 => {
            if let Some(k) = some_key(rng, map) {
                assert!(btree::delete(tx, &hobt, &k)?);
                map.remove(&k);
                let mut v = Vec::new();
                assert!(!btree::get(tx, &hobt, &k, ScanLocks::None, &mut v)?);
            }
        }
        55..70 => {
            let hobt = db.hobt(ids.heap)?;
            tx.lock_object(hobt.object(), LockMode::IX)?;
            let row = bytes(rng, 300);
            let rid = heap::insert(tx, &hobt, &row)?;
            assert!(m.heap.insert(rid, row).is_none(), "{rid:?} was taken");
        }
        70..92 => {
            let hobt = db.hobt(ids.heap)?;
            tx.lock_object(hobt.object(), LockMode::IX)?;
            let n = m.heap.len() as u64;
            if n > 0 {
                let rid = *m.heap.keys().nth(rng.below(n) as usize).unwrap();
                if rng.one_in(2) {
                    let row = bytes(rng, 600);
                    heap::update(tx, &hobt, rid, &row)?;
                    m.heap.insert(rid, row);
                } else {
                    assert!(heap::delete(tx, &hobt, rid)?);
                    m.heap.remove(&rid);
                }
            }
        }
        92..96 => {
            let hobt = db.hobt(ids.lobs)?;
            tx.lock_object(hobt.object(), LockMode::IX)?;
            let k = rng.below(8).to_be_bytes().to_vec();
            let mut old = Vec::new();
            if btree::get(tx, &hobt, &k, ScanLocks::None, &mut old)? {
                lob::delete(tx, &hobt, LobRef::from_bytes(old[..].try_into().unwrap()))?;
                btree::delete(tx, &hobt, &k)?;
                m.lobs.remove(&k);
            } else {
                let len = rng.below(60_000) as usize;
                let value: Vec<u8> = (0..len).map(|i| (i / 100) as u8).collect();
                let r = lob::write(tx, &hobt, &value)?;
                btree::insert(tx, &hobt, &k, &r.to_bytes())?;
                m.lobs.insert(k, value);
            }
        }
        96 if rng.one_in(6) => {
            let (id, clear): (_, fn(&mut Model)) = match rng.below(3) {
                0 => (ids.second, |m| m.second.clear()),
                1 => (ids.heap, |m| m.heap.clear()),
                _ => (ids.lobs, |m| m.lobs.clear()),
            };
            db.truncate_hobt(tx, id)?;
            clear(m);
        }
        97 if rng.one_in(6) => {
            // A table that is gone at the end in any case.
            let id = db.create_hobt(tx, HobtKind::BTree, ObjectId(2000), IndexId(1))?;
            let hobt = db.hobt(id)?;
            for i in 0..rng.below(200) {
                btree::insert(tx, &hobt, &i.to_be_bytes(), &[1; 100])?;
            }
            db.drop_hobt(tx, id)?;
        }
        _ => {}
    }
    Ok(())
}

/// Deletes neighbouring rows, so that whole leaves become empty.
fn clear_range(
    db: &Arc<Database>,
    ids: &Ids,
    states: &mut Vec<Model>,
    rng: &mut SimRng,
) -> StorageResult<()> {
    let mut m = states.last().unwrap().clone();
    let mut tx = begin(db);
    for (id, map) in [(TREE, &mut m.tree), (ids.second, &mut m.second)] {
        let hobt = db.hobt(id)?;
        tx.lock_object(hobt.object(), LockMode::IX)?;
        let from = map.keys().nth(rng.below(map.len() as u64 + 1) as usize).cloned();
        let keys: Vec<_> = map.range(from.unwrap_or_default()..).map(|(k, _)| k.clone()).collect();
        for k in keys.into_iter().take(150) {
            assert!(btree::delete(&mut tx, &hobt, &k)?);
            map.remove(&k);
        }
    }
    states.push(m);
    tx.commit(Durability::Full)?;
    states.drain(..states.len() - 1);
    Ok(())
}

/// Works until the world ends. `states`: what the database may hold afterwards; the first is the last fully durable one.
pub fn work(
    db: &Arc<Database>,
    ids: &Ids,
    states: &mut Vec<Model>,
    rng: &mut SimRng,
    next: &mut u64,
    transactions: u64,
) -> StorageResult<()> {
    for _ in 0..transactions {
        let before = states.last().unwrap().clone();
        let mut m = before.clone();
        let mut tx = begin(db);
        for _ in 0..rng.below(30) {
            let savepoint = tx.savepoint();
            let kept = m.clone();
            change(db, ids, &mut tx, &mut m, rng, next)?;
            if rng.one_in(8) {
                tx.rollback_to(savepoint)?;
                m = kept;
            }
            if rng.one_in(40) {
                // With this transaction open: restart has to undo what the checkpoint has written.
                db.checkpoint(CheckpointKind::Manual)?;
            }
            let counted = [TREE, ids.second, ids.heap, ids.lobs]
                .map(|id| db.hobt(id).map(|h| h.row_count() as usize).unwrap_or(usize::MAX));
            assert_eq!(counted, [m.tree.len(), m.second.len(), m.heap.len(), m.lobs.len()]);
        }
        match rng.below(10) {
            0..3 => tx.rollback()?,
            3..5 => {
                let wrote = tx.has_written();
                let result = tx.commit(Durability::Delayed);
                if wrote {
                    states.push(m);
                }
                result?;
            }
            _ => {
                let wrote = tx.has_written();
                // Either outcome may be found if the power fails now.
                states.push(m);
                tx.commit(Durability::Full)?;
                if wrote {
                    states.drain(..states.len() - 1);
                }
            }
        }
        if rng.one_in(12) {
            db.checkpoint(CheckpointKind::Manual)?;
        }
        if rng.one_in(5) {
            db.clean_ghosts(1000)?;
        }
        if rng.one_in(30) {
            clear_range(db, ids, states, rng)?;
        }
        if db.needs_checkpoint() {
            db.checkpoint(CheckpointKind::LogUse)?;
        }
    }
    Ok(())
}

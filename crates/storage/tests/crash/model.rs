//! What a database should hold, and what it does hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::HobtId;
use taffrail_storage::{
    Database, Direction, Durability, KeyRange, LobRef, Rid, ScanLocks, StorageResult, btree, lob,
};

use crate::rig::{Entries, Rig, TREE, begin, make_in, whole_heap, whole_tree};

/// What the database should hold.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Model {
    pub tree: Entries,
    /// A user's tree, if it exists; its large values.
    pub second: Entries,
    pub heap: BTreeMap<Rid, Vec<u8>>,
    pub lobs: Entries,
}

pub struct Ids {
    pub second: HobtId,
    pub heap: HobtId,
    pub lobs: HobtId,
}

/// The database and its heap and trees.
pub fn create(rig: &Rig) -> (Arc<Database>, Ids) {
    let db = rig.create();
    let mut tx = begin(&db);
    let mut make = |object, index| make_in(&mut tx, object, index);
    let ids = Ids { second: make(1000, 1), heap: make(1001, 0), lobs: make(1002, 1) };
    tx.commit(Durability::Full).unwrap();
    (db, ids)
}

/// Everything that it holds, from end to end.
pub fn read(db: &Arc<Database>, ids: &Ids) -> StorageResult<Model> {
    let mut m = Model::default();
    let mut tx = begin(db);
    m.tree = whole_tree(&mut tx, &db.hobt(TREE)?)?;
    m.second = whole_tree(&mut tx, &db.hobt(ids.second)?)?;
    m.heap = whole_heap(&mut tx, &db.hobt(ids.heap)?)?;
    let hobt = db.hobt(ids.lobs)?;
    let mut c = btree::seek(&hobt, KeyRange::default(), Direction::Forward, ScanLocks::None);
    let mut refs = Vec::new();
    while let Some((k, v)) = c.next(&mut tx)? {
        refs.push((k.to_vec(), LobRef::from_bytes(v.try_into().unwrap())));
    }
    assert_eq!(hobt.row_count(), refs.len() as u64);
    for (k, r) in refs {
        let mut bytes = Vec::new();
        lob::read(&mut tx, &hobt, r, 0, u64::MAX, &mut bytes)?;
        assert_eq!(bytes.len() as u64, r.length);
        m.lobs.insert(k, bytes);
    }
    tx.commit(Durability::Full)?;
    Ok(m)
}

/// How what was found differs from each state that it might have been in.
pub fn difference(states: &[Model], found: &Model) -> String {
    let mut out = format!("the database holds none of {} possible states;", states.len());
    for (i, s) in states.iter().enumerate() {
        let diff = |a: &Entries, b: &Entries| {
            let missing = a.iter().filter(|(k, v)| b.get(*k) != Some(v)).count();
            let extra = b.keys().filter(|k| !a.contains_key(*k)).count();
            (missing, extra)
        };
        let heap = s.heap.iter().filter(|(k, v)| found.heap.get(k) != Some(v)).count();
        let heap_extra = found.heap.keys().filter(|k| !s.heap.contains_key(k)).count();
        out += &format!(
            " state {i}: tree {:?}, second {:?}, lobs {:?}, heap {:?};",
            diff(&s.tree, &found.tree),
            diff(&s.second, &found.second),
            diff(&s.lobs, &found.lobs),
            (heap, heap_extra)
        );
    }
    out
}

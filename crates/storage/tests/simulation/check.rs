//! Reading everything back, and the checks that any database must pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::{HobtId, SessionId};
use taffrail_storage::check::{RowFault, Rows};
use taffrail_storage::{
    BeginSpec, Database, Direction, FileInfo, FileKind, HobtKind, Isolation, KeyRange, LobRef, Rid,
    ScanLocks, StorageError, StorageInstance, Transaction, btree, heap, lob,
};

use super::model::{Content, Row, Table, hex};
use super::seen::Seen;

/// First byte of a row: what the rest is.
pub const PLAIN: u8 = 0;
const LOB: u8 = 1;

pub fn lob_row(stored: LobRef) -> Vec<u8> {
    [&[LOB][..], &stored.to_bytes()].concat()
}

pub fn lob_ref(row: &[u8]) -> LobRef {
    LobRef::from_bytes(row[1..].try_into().expect("16 bytes"))
}

fn row(
    tx: &mut Transaction,
    hobt: &taffrail_storage::Hobt,
    bytes: Vec<u8>,
) -> Result<Row, StorageError> {
    let content = match bytes.first() {
        Some(&LOB) => {
            let stored = lob_ref(&bytes);
            let mut content = Vec::new();
            lob::read(tx, hobt, stored, 0, stored.length, &mut content)?;
            let length = stored.length;
            for (from, n) in [(length / 3, 9000), (length / 2 + 1, 1), (length - 1, 10)] {
                let mut some = Vec::new();
                lob::read(tx, hobt, stored, from, n, &mut some)?;
                let to = length.min(from + n);
                assert_eq!(some, content[from.min(to) as usize..to as usize], "a part of a value");
            }
            Some(content)
        }
        _ => None,
    };
    Ok(Row { bytes, lob: content })
}

fn reader(db: &Arc<Database>) -> Transaction {
    db.begin(BeginSpec { session: SessionId(90), lock_timeout_ms: 0, ..BeginSpec::default() })
}

/// Some heaps and trees, whoever wrote to them.
pub fn read_ids(
    db: &Arc<Database>,
    ids: impl Iterator<Item = HobtId>,
) -> Result<Content, StorageError> {
    let mut tx = reader(db);
    let content = read_all(db, &mut tx, ScanLocks::None, ids)?;
    tx.rollback()?;
    Ok(content)
}

/// What a reader that waits for nobody gets of each user's heap and tree; true if he would have had to wait for one.
pub fn read_beside(db: &Arc<Database>, shown: &mut Content) -> Result<bool, StorageError> {
    let mut blocked = false;
    for id in db.hobts()?.into_iter().filter(|id| id.0 > 63) {
        let mut tx = reader(db);
        let locked = tx.lock_object(db.hobt(id)?.object(), taffrail_storage::lock::LockMode::IS);
        let read = locked
            .and_then(|_| read_all(db, &mut tx, ScanLocks::ReadCommitted, std::iter::once(id)));
        match read {
            Ok(content) => shown.tables.extend(content.tables),
            Err(StorageError::Lock(_)) => blocked = true,
            Err(e) => return Err(e),
        }
        tx.rollback()?;
    }
    Ok(blocked)
}

/// The whole content of some heaps and trees.
pub fn read_all(
    db: &Arc<Database>,
    tx: &mut Transaction,
    locks: ScanLocks,
    ids: impl Iterator<Item = HobtId>,
) -> Result<Content, StorageError> {
    let mut content = Content::default();
    for id in ids {
        let hobt = db.hobt(id)?;
        let mut rows: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        match hobt.kind() {
            HobtKind::BTree => {
                let all = KeyRange::default();
                let mut cursor = btree::seek(&hobt, all, Direction::Forward, locks);
                while let Some((key, value)) = cursor.next(tx)? {
                    rows.insert(key.to_vec(), value.to_vec());
                }
            }
            HobtKind::Heap => {
                let mut cursor = heap::scan(&hobt, locks);
                while let Some((rid, value)) = cursor.next(tx)? {
                    rows.insert(rid.to_bytes().to_vec(), value.to_vec());
                }
            }
        }
        let rows = rows
            .into_iter()
            .map(|(key, bytes)| Ok((key, Arc::new(row(tx, &hobt, bytes)?))))
            .collect::<Result<_, StorageError>>()?;
        let table = Table { kind: hobt.kind(), object: hobt.object(), rows };
        content.tables.insert(id, table);
    }
    Ok(content)
}

/// Large values as [`lob_row`] refers to them.
struct SimRows;

impl Rows for SimRows {
    fn row(
        &mut self,
        _: Rid,
        _: &[u8],
        value: &[u8],
        lobs: &mut Vec<LobRef>,
    ) -> Result<(), RowFault> {
        if value.first() == Some(&LOB) {
            lobs.push(lob_ref(value));
        }
        Ok(())
    }
}

/// Every page is as it has to be, and somebody's.
pub fn pages(db: &Arc<Database>) -> Result<(), String> {
    let found = db.check_all(|_| Box::new(SimRows), &mut || false);
    let found = found.map_err(|e| format!("{e} ({e:?})"))?;
    match found.first() {
        None => Ok(()),
        Some(first) => Err(format!("{} findings, {first:?}", found.len())),
    }
}

/// Checks every heap and tree, system ones included, row counts too, and returns what the user's hold.
pub fn structure(db: &Arc<Database>) -> Result<Content, String> {
    let mut tx = db.begin(BeginSpec {
        session: SessionId(50),
        name: "check",
        user_name: None,
        isolation: Isolation::ReadUncommitted,
        lock_timeout_ms: 0,
    });
    let fail = |e: StorageError| format!("{e} ({e:?})");
    let ids = db.hobts().map_err(fail)?;
    for id in &ids {
        let hobt = db.hobt(*id).map_err(fail)?;
        if hobt.kind() == HobtKind::BTree {
            tree(&mut tx, &hobt).map_err(|e| format!("tree {id}: {e}"))?;
        }
    }
    let users = ids.iter().copied().filter(|id| id.0 > 63);
    let content = read_all(db, &mut tx, ScanLocks::None, users).map_err(fail)?;
    counts(db, &content)?;
    tx.rollback().map_err(fail)?;
    Ok(content)
}

/// Heaps and trees know how many rows they have, whoever wrote to them.
pub fn counts(db: &Arc<Database>, content: &Content) -> Result<(), String> {
    for (id, table) in &content.tables {
        let count = db.hobt(*id).map_err(|e| format!("{id}: {e} ({e:?})"))?.row_count();
        if count != table.rows.len() as u64 {
            return Err(format!("{id}: {} rows, counted {count}", table.rows.len()));
        }
    }
    Ok(())
}

/// The files are the same ones, with the same settings; none is smaller, and of a clean restart (`same`) the data file not larger.
pub fn files(before: &[FileInfo], after: &[FileInfo], same: bool) -> Result<(), String> {
    let settings = |f: &FileInfo| (f.id, f.kind, f.name.clone(), f.path.clone(), f.max_size);
    if !before.iter().map(settings).eq(after.iter().map(settings)) {
        return Err(format!("other files: {after:?}, not {before:?}"));
    }
    for (old, new) in before.iter().zip(after) {
        let grown = same && new.kind == FileKind::Rows && new.size != old.size;
        if old.growth != new.growth || new.size < old.size || grown || new.used > new.size {
            return Err(format!("{new:?} has been {old:?}"));
        }
    }
    Ok(())
}

/// A tree read forward, backward and by key tells the same, in order.
fn tree(tx: &mut Transaction, hobt: &Arc<taffrail_storage::Hobt>) -> Result<(), String> {
    let fail = |e: StorageError| format!("{e} ({e:?})");
    let mut read = |direction| {
        let mut cursor = btree::seek(hobt, KeyRange::default(), direction, ScanLocks::None);
        let mut keys: Vec<Vec<u8>> = Vec::new();
        while let Some((key, _)) = cursor.next(tx).map_err(fail)? {
            keys.push(key.to_vec());
        }
        Ok::<_, String>(keys)
    };
    let forward = read(Direction::Forward)?;
    let mut backward = read(Direction::Backward)?;
    if let Some(pair) = forward.windows(2).find(|w| w[0] >= w[1]) {
        return Err(format!("key {} before {}", hex(&pair[0]), hex(&pair[1])));
    }
    backward.reverse();
    if forward != backward {
        return Err(format!("{} keys forward, {} backward", forward.len(), backward.len()));
    }
    let mut value = Vec::new();
    for key in &forward {
        if !btree::get(tx, hobt, key, ScanLocks::None, &mut value).map_err(fail)? {
            return Err(format!("key {} is in the chain of leaves but not found", hex(key)));
        }
    }
    Ok(())
}

/// The log writer's turn.
pub fn writer_tick(db: &Arc<Database>) {
    db.log().writer_tick();
}

/// Adds the counters of a machine that is about to go.
pub fn collect(instance: &Arc<StorageInstance>, db: &Arc<Database>, seen: &mut Seen) {
    let counters = db.counters();
    seen.splits += counters.page_splits.get();
    seen.interior_splits_undone +=
        db.rarities().interior_splits_undone.load(std::sync::atomic::Ordering::Relaxed);
    seen.checkpoints += counters.checkpoints.get();
    seen.log_growths += counters.log_growths.get();
    seen.evictions += instance.pool.counters.evictions.get();
    seen.background_writes += instance.pool.counters.background_writer_pages.get();
}

/// How often the log has gone round: VLFs that were activated beyond those that there are.
pub fn vlf_wraps(db: &Arc<Database>) -> u64 {
    let vlfs = db.log().vlfs();
    let newest = vlfs.iter().map(|v| v.seqno.0).max().unwrap_or(0);
    let activated = (newest + 1).saturating_sub(db.log().options().first_vlf) as u64;
    activated.saturating_sub(1) / vlfs.len().max(1) as u64
}

/// Size of the data file, and bytes of it in use.
pub fn data_used(db: &Arc<Database>) -> (u64, u64) {
    let files = db.files();
    let data = files.iter().find(|f| f.kind == FileKind::Rows).expect("a data file");
    (data.size, data.used)
}

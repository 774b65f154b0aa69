//! One session's load: transactions of transfers, rows, large values and tables, some rolled back, some in part.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use taffrail_base::sync::now;
use taffrail_base::{HobtId, IndexId, ObjectId, SessionId};
use taffrail_io::sim::{SimRng, SimWorld};
use taffrail_storage::lock::{LockError, LockMode};
use taffrail_storage::{
    BeginSpec, CheckpointKind, Database, Direction, Durability, HobtKind, KeyRange, LobRef, Rid,
    ScanLocks, StorageError, StorageResult, Transaction, btree, heap, lob,
};

use super::ledger::{Change, Ledger, Place, Told};
use super::part::Part;
use super::world::STEPS;

/// Tables that all sessions share.
#[derive(Clone, Copy)]
pub struct Ids {
    pub bank: HobtId,
    pub tree: HobtId,
    pub heap: HobtId,
    pub lobs: HobtId,
}

pub const ACCOUNTS: u64 = 12;
pub const START: i64 = 1000;
const COUNTERS: u64 = 1 << 32;
/// What an impatient session waits for a lock.
const PATIENCE: Duration = Duration::from_millis(50);

pub fn key(n: u64) -> [u8; 8] {
    n.to_be_bytes()
}

/// Where a session counts its commits.
pub fn counter(session: u64) -> [u8; 8] {
    key(COUNTERS + session)
}

pub fn account_row(amount: i64) -> Vec<u8> {
    let mut row = amount.to_le_bytes().to_vec();
    row.resize(700, amount as u8);
    row
}

pub fn amount(row: &[u8]) -> i64 {
    i64::from_le_bytes(row[..8].try_into().unwrap())
}

/// What a session holds of its own, by place and key; of heap rows where they are.
pub type Own = BTreeMap<(Place, Vec<u8>), Option<Rid>>;

pub struct Session {
    pub db: Arc<Database>,
    pub world: SimWorld,
    pub ids: Ids,
    pub ledger: Arc<Mutex<Ledger>>,
    pub me: u64,
    pub rng: SimRng,
    /// Commits that are there.
    pub commits: u64,
    next: u64,
    own: Own,
    tables: Vec<(HobtId, ObjectId)>,
    /// Something in the world fails on purpose.
    pub faulty: bool,
    pub temp: Option<Arc<Database>>,
    /// Row versions are kept, and read.
    pub versions: bool,
}

/// Why a session goes no further.
pub struct Stopped;

impl Session {
    pub fn new(
        db: &Arc<Database>,
        world: &SimWorld,
        part: &Part,
        me: u64,
        (seed, life): (u64, u64),
    ) -> Session {
        let ledger = part.ledger.clone();
        let commits = ledger.lock().unwrap().commits(me);
        Session {
            db: db.clone(),
            world: world.clone(),
            ids: part.ids,
            ledger,
            me,
            rng: SimRng::new(seed << 16 | life << 8 | me),
            commits,
            // Keys of an earlier life are not met again.
            next: life << 32,
            own: Own::new(),
            tables: Vec::new(),
            faulty: part.faulty,
            temp: None,
            versions: false,
        }
    }

    /// The rows that the session holds, all of them committed.
    pub fn own_rows(&self) -> impl Iterator<Item = &(Place, Vec<u8>)> {
        self.own.keys()
    }

    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap()
    }

    pub fn begin(&self) -> Transaction {
        let lock_timeout_ms = if self.is_impatient() { PATIENCE.as_millis() as i32 } else { -1 };
        let session = SessionId(51 + self.me as u16);
        self.db.begin(BeginSpec { session, lock_timeout_ms, ..BeginSpec::default() })
    }

    /// What may happen without being wrong; an error that ends everything is `Err`.
    pub fn judge(&self, what: &str, e: &StorageError) -> Result<(), Stopped> {
        match e {
            _ if !self.world.is_powered() => Err(Stopped),
            StorageError::Lock(LockError::Deadlock { .. }) => {
                self.ledger().deadlocks += 1;
                Ok(())
            }
            StorageError::Lock(LockError::Timeout(_)) => {
                self.ledger().timed_out += 1;
                Ok(())
            }
            StorageError::LogFull(_) | StorageError::FileFull(_) => {
                self.ledger().full += 1;
                Ok(())
            }
            _ if self.faulty => Err(Stopped),
            e => panic!("{what}: {e} ({e:?})"),
        }
    }

    /// So many transactions. False: there is no going on.
    pub fn work(&mut self, transactions: u64) -> bool {
        (0..transactions).all(|_| {
            if self.versions && self.rng.one_in(4) && self.look_by_snapshot().is_err() {
                return false;
            }
            let done = match self.rng.below(12) {
                0 => self.sum(),
                1 if self.rng.one_in(3) => self.checkpoint(),
                2 if self.rng.one_in(3) => self.temporary(),
                _ => self.transaction(),
            };
            done.is_ok()
        })
    }

    /// A lock of a table. Who waits with a limit is told when that is over, whatever the device does.
    fn lock(&self, tx: &mut Transaction, object: ObjectId, mode: LockMode) -> StorageResult<()> {
        let began = now();
        let locked = tx.lock_object(object, mode);
        let waited = now() - began;
        assert!(!self.is_impatient() || waited <= PATIENCE + STEPS, "a lock in {waited:?}");
        if let Err(StorageError::Lock(LockError::Timeout(_))) = locked {
            assert!(waited >= PATIENCE, "a lock given up after {waited:?}");
        }
        locked.map(drop)
    }

    fn is_impatient(&self) -> bool {
        self.me.is_multiple_of(3)
    }

    fn checkpoint(&mut self) -> Result<(), Stopped> {
        let taken = self.db.checkpoint(CheckpointKind::Manual);
        taken.or_else(|e| self.judge("a checkpoint", &e))
    }

    /// A reader that has locked the table sees the same sum, always.
    fn sum(&mut self) -> Result<(), Stopped> {
        let mut tx = self.begin();
        let read: StorageResult<(u64, i64)> = (|| {
            let hobt = self.db.hobt(self.ids.bank)?;
            self.lock(&mut tx, hobt.object(), LockMode::S)?;
            let range = KeyRange { upper: Some(key(ACCOUNTS).to_vec()), ..KeyRange::default() };
            let mut cursor = btree::seek(&hobt, range, Direction::Forward, ScanLocks::None);
            let (mut n, mut sum) = (0, 0);
            while let Some((_, row)) = cursor.next(&mut tx)? {
                n += 1;
                sum += amount(row);
            }
            Ok((n, sum))
        })();
        match read {
            Ok(found) => {
                assert_eq!(found, (ACCOUNTS, ACCOUNTS as i64 * START), "money under a table lock");
                self.ledger().sums += 1;
            }
            Err(e) => self.judge("a sum", &e)?,
        }
        tx.rollback().or_else(|e| self.judge("the end of a sum", &e))
    }

    fn transaction(&mut self) -> Result<(), Stopped> {
        let mut tx = self.begin();
        let (mut changes, mut own) = (Vec::new(), self.own.clone());
        let mut tables = self.tables.clone();
        let steps = 1 + self.rng.below(6);
        let mut result = Ok(());
        for _ in 0..steps {
            result = self.step(&mut tx, &mut changes, &mut own, &mut tables);
            if result.is_err() {
                break;
            }
        }
        let result = result.and_then(|()| self.count(&mut tx));
        match result {
            Ok(()) if self.rng.one_in(6) => {
                self.ledger().rolled_back += 1;
                tx.rollback().or_else(|e| self.judge("a rollback", &e))
            }
            Ok(()) => {
                let durability =
                    if self.rng.one_in(4) { Durability::Delayed } else { Durability::Full };
                let begun = self.ledger().begin(self.me, changes);
                let failed = self.db.log().is_failed();
                match tx.commit(durability) {
                    Ok(()) => {
                        let delayed = durability == Durability::Delayed;
                        let told = if delayed { Told::Delayed } else { Told::Durable };
                        assert!(delayed || !failed, "acknowledged after a failure");
                        self.ledger().end(begun, told);
                        (self.own, self.tables) = (own, tables);
                        self.commits += 1;
                        Ok(())
                    }
                    Err(StorageError::LogFull(_)) => {
                        self.ledger().withdraw(&begun);
                        self.ledger().full += 1;
                        Ok(())
                    }
                    Err(e) => {
                        self.ledger().end(begun, Told::Nothing);
                        self.judge("a commit", &e)?;
                        Err(Stopped)
                    }
                }
            }
            Err(e) => {
                self.judge("a step", &e)?;
                self.ledger().rolled_back += 1;
                tx.rollback().or_else(|e| self.judge("a rollback after an error", &e))
            }
        }
    }

    /// The session's own counter, one up.
    fn count(&self, tx: &mut Transaction) -> StorageResult<()> {
        let bank = self.db.hobt(self.ids.bank)?;
        self.lock(tx, bank.object(), LockMode::IX)?;
        let mut row = Vec::new();
        let key = counter(self.me);
        let there = btree::get(tx, &bank, &key, ScanLocks::Exclusive, &mut row)?;
        let before = if there { amount(&row) as u64 } else { 0 };
        assert_eq!(before, self.commits, "the counter of session {}", self.me);
        let after = (before + 1).to_le_bytes();
        match there {
            true => btree::update(tx, &bank, &key, &after),
            false => btree::insert(tx, &bank, &key, &after),
        }
    }

    fn step(
        &mut self,
        tx: &mut Transaction,
        changes: &mut Vec<Change>,
        own: &mut Own,
        tables: &mut Vec<(HobtId, ObjectId)>,
    ) -> StorageResult<()> {
        match self.rng.below(21) {
            0..5 => self.transfer(tx, changes),
            5..11 => self.tree(tx, changes, own),
            11..15 => self.heap(tx, changes, own),
            15..17 => self.value(tx, changes, own),
            17 => self.table(tx, changes, own, tables),
            18 => {
                // Some steps that are taken back.
                let savepoint = tx.savepoint();
                let (mut own, mut tables) = (own.clone(), tables.clone());
                let mut undone = Vec::new();
                for _ in 0..1 + self.rng.below(3) {
                    self.step(tx, &mut undone, &mut own, &mut tables)?;
                }
                tx.rollback_to(savepoint)
            }
            19 => self.many(tx, changes, own),
            _ if tables.len() < 4 => self.bulk(tx, changes, own, tables),
            _ => self.table(tx, changes, own, tables),
        }
    }

    fn transfer(&mut self, tx: &mut Transaction, changes: &mut Vec<Change>) -> StorageResult<()> {
        let bank = self.db.hobt(self.ids.bank)?;
        self.lock(tx, bank.object(), LockMode::IX)?;
        let (from, to) = (self.rng.below(ACCOUNTS), self.rng.below(ACCOUNTS));
        if from == to {
            return Ok(());
        }
        let locks = if self.rng.one_in(2) { ScanLocks::Exclusive } else { ScanLocks::Update };
        let n = 1 + self.rng.below(9) as i64;
        for (account, more) in [(from, -n), (to, n)] {
            let mut row = Vec::new();
            assert!(btree::get(tx, &bank, &key(account), locks, &mut row)?, "an account");
            let after = account_row(amount(&row) + more);
            btree::update(tx, &bank, &key(account), &after)?;
            changes.push(Change::Money(account, more));
        }
        Ok(())
    }

    pub fn bytes(&mut self, most: u64) -> Vec<u8> {
        let (len, fill) = (self.rng.below(most), self.rng.next_u64() as u8);
        (0..len).map(|i| fill.wrapping_add((i / 7) as u8)).collect()
    }

    pub fn new_key(&mut self) -> Vec<u8> {
        self.next += 1;
        // Keys of all sessions lie among each other.
        let spread = self.next.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        [&spread.to_be_bytes()[6..], &(self.me << 56 | self.next).to_be_bytes()].concat()
    }

    pub fn new_object(&mut self) -> ObjectId {
        self.next += 1;
        ObjectId(10_000 + (self.me * 1_000_000 + self.next % 1_000_000) as i32)
    }

    fn some(&mut self, own: &Own, place: Place) -> Option<(Vec<u8>, Option<Rid>)> {
        let mine: Vec<_> = own.iter().filter(|((p, _), _)| *p == place).collect();
        if mine.is_empty() {
            return None;
        }
        let ((_, key), rid) = mine[self.rng.below(mine.len() as u64) as usize];
        Some((key.clone(), *rid))
    }

    fn tree(
        &mut self,
        tx: &mut Transaction,
        changes: &mut Vec<Change>,
        own: &mut Own,
    ) -> StorageResult<()> {
        let tree = self.db.hobt(self.ids.tree)?;
        self.lock(tx, tree.object(), LockMode::IX)?;
        let old = if self.rng.one_in(2) { self.some(own, Place::Tree) } else { None };
        let value = self.bytes(1200);
        match old {
            None => {
                let key = self.new_key();
                btree::insert(tx, &tree, &key, &value)?;
                own.insert((Place::Tree, key.clone()), None);
                changes.push(Change::Row(Place::Tree, key, Some(value)));
            }
            Some((key, _)) if self.rng.one_in(2) => {
                btree::update(tx, &tree, &key, &value)?;
                changes.push(Change::Row(Place::Tree, key, Some(value)));
            }
            Some((key, _)) => {
                assert!(btree::delete(tx, &tree, &key)?, "an own row is there");
                own.remove(&(Place::Tree, key.clone()));
                changes.push(Change::Row(Place::Tree, key, None));
            }
        }
        Ok(())
    }

    /// Enough rows for splits and for files that grow.
    fn many(
        &mut self,
        tx: &mut Transaction,
        changes: &mut Vec<Change>,
        own: &mut Own,
    ) -> StorageResult<()> {
        let tree = self.db.hobt(self.ids.tree)?;
        self.lock(tx, tree.object(), LockMode::IX)?;
        for _ in 0..self.rng.below(25) {
            let (key, value) = (self.new_key(), vec![9; 1500 + self.rng.below(1500) as usize]);
            btree::insert(tx, &tree, &key, &value)?;
            own.insert((Place::Tree, key.clone()), None);
            changes.push(Change::Row(Place::Tree, key, Some(value)));
        }
        Ok(())
    }

    fn heap(
        &mut self,
        tx: &mut Transaction,
        changes: &mut Vec<Change>,
        own: &mut Own,
    ) -> StorageResult<()> {
        let rows = self.db.hobt(self.ids.heap)?;
        self.lock(tx, rows.object(), LockMode::IX)?;
        let old = if self.rng.one_in(2) { self.some(own, Place::Heap) } else { None };
        let value = self.bytes(1500);
        match old {
            Some((key, Some(rid))) if self.rng.one_in(2) => {
                heap::update(tx, &rows, rid, &[&key[..], &value].concat())?;
                changes.push(Change::Row(Place::Heap, key, Some(value)));
            }
            Some((key, Some(rid))) => {
                assert!(heap::delete(tx, &rows, rid)?, "an own row is there");
                own.remove(&(Place::Heap, key.clone()));
                changes.push(Change::Row(Place::Heap, key, None));
            }
            _ => {
                let key = self.new_key();
                let rid = heap::insert(tx, &rows, &[&key[..], &value].concat())?;
                own.insert((Place::Heap, key.clone()), Some(rid));
                changes.push(Change::Row(Place::Heap, key, Some(value)));
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        tx: &mut Transaction,
        changes: &mut Vec<Change>,
        own: &mut Own,
    ) -> StorageResult<()> {
        let tree = self.db.hobt(self.ids.lobs)?;
        self.lock(tx, tree.object(), LockMode::IX)?;
        if let Some((key, _)) = self.some(own, Place::Lobs)
            && self.rng.below(3) > 0
        {
            let mut row = Vec::new();
            assert!(btree::get(tx, &tree, &key, ScanLocks::Exclusive, &mut row)?, "an own row");
            lob::delete(tx, &tree, LobRef::from_bytes(row[..].try_into().unwrap()))?;
            assert!(btree::delete(tx, &tree, &key)?, "an own row is there");
            own.remove(&(Place::Lobs, key.clone()));
            changes.push(Change::Row(Place::Lobs, key, None));
            return Ok(());
        }
        // Small ones lie on the same pages as other sessions'.
        let small = self.rng.one_in(2);
        for _ in 0..if small { 1 + self.rng.below(3) } else { 1 } {
            let most = if small { lob::MIX_MAX as u64 } else { 40_000 };
            let (key, value) = (self.new_key(), self.bytes(most));
            let stored = lob::write(tx, &tree, &value)?;
            btree::insert(tx, &tree, &key, &stored.to_bytes())?;
            own.insert((Place::Lobs, key.clone()), None);
            changes.push(Change::Row(Place::Lobs, key, Some(value)));
        }
        Ok(())
    }

    /// A table of the session's: made, filled, truncated, dropped.
    fn table(
        &mut self,
        tx: &mut Transaction,
        changes: &mut Vec<Change>,
        own: &mut Own,
        tables: &mut Vec<(HobtId, ObjectId)>,
    ) -> StorageResult<()> {
        if tables.len() < 2 && self.rng.one_in(2) {
            let object = self.new_object();
            self.lock(tx, object, LockMode::SchM)?;
            let id = self.db.create_hobt(tx, HobtKind::BTree, object, IndexId(1))?;
            tables.push((id, object));
            changes.push(Change::Made(id));
            return Ok(());
        }
        let Some(&(id, object)) = tables.last() else { return Ok(()) };
        match self.rng.below(4) {
            0 => {
                self.lock(tx, object, LockMode::SchM)?;
                self.db.drop_hobt(tx, id)?;
                tables.pop();
                own.retain(|(place, _), _| *place != Place::Own(id));
                changes.push(Change::Dropped(id));
            }
            1 => {
                self.lock(tx, object, LockMode::SchM)?;
                self.db.truncate_hobt(tx, id)?;
                own.retain(|(place, _), _| *place != Place::Own(id));
                changes.push(Change::Truncated(id));
            }
            _ => {
                self.lock(tx, object, LockMode::IX)?;
                let tree = self.db.hobt(id)?;
                for _ in 0..self.rng.below(8) {
                    let (key, value) = (self.new_key(), self.bytes(3000));
                    if tree.kind() == HobtKind::Heap {
                        heap::insert(tx, &tree, &[&key[..], &value].concat())?;
                        changes.push(Change::Row(Place::Own(id), key, Some(value)));
                        continue;
                    }
                    btree::insert(tx, &tree, &key, &value)?;
                    own.insert((Place::Own(id), key.clone()), None);
                    changes.push(Change::Row(Place::Own(id), key, Some(value)));
                }
            }
        }
        Ok(())
    }
}

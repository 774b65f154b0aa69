//! Reads by snapshots beside all that goes on: writers, rollbacks, splits, cleanup, truncated tables, checkpoints and a log that is
//! truncated, grown and shrunk, backups, a pool that evicts, and undo after a restart.

use std::collections::BTreeMap;
use std::time::Duration;

use taffrail_base::SessionId;
use taffrail_base::sync::thread;
use taffrail_storage::{KeyRange, LobRef, ScanLocks, StorageResult, Transaction, btree, lob};

use super::ledger::Place;
use super::loads::keyed;
use super::session::{ACCOUNTS, START, Session, Stopped, amount, counter, key};
use crate::rig::{entries, heap_rows};

/// All shared tables as of one moment: accounts and counters, and rows by place and key.
#[derive(PartialEq, Eq, Debug)]
struct Moment {
    bank: BTreeMap<Vec<u8>, Vec<u8>>,
    rows: BTreeMap<Place, BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl Session {
    /// Looks at everything by one snapshot, and again after a while: the same is there, with all that the session has committed itself.
    /// No row is locked.
    pub fn look_by_snapshot(&mut self) -> Result<(), Stopped> {
        let session = SessionId(51 + self.me as u16);
        let snapshot = self.db.instance().snapshots.take(session).expect("there are enough slots");
        if !self.db.sees(&snapshot) {
            // Somebody who notes no rows, a loser of the restart, say, has not ended yet.
            return Ok(());
        }
        let mut tx = self.begin();
        tx.set_snapshot(Some(snapshot));
        let pause = Duration::from_micros(self.rng.below(20_000));
        let looked = self.moment(&mut tx).and_then(|first| {
            thread::sleep(pause);
            Ok((first, self.moment(&mut tx)?))
        });
        match looked {
            Ok((first, again)) => {
                assert!(first == again, "a moment has changed in {pause:?}");
                self.judge_moment(&first);
                self.ledger().snapshots += 1;
            }
            Err(e) => self.judge("a look by a snapshot", &e)?,
        }
        tx.rollback().or_else(|e| self.judge("the end of a look", &e))
    }

    fn moment(&self, tx: &mut Transaction) -> StorageResult<Moment> {
        let by_key = ScanLocks::Versions;
        let tree = |tx: &mut Transaction, id| -> StorageResult<_> {
            entries(tx, &self.db.hobt(id)?, KeyRange::default(), by_key)
        };
        let bank = tree(tx, self.ids.bank)?;
        let mut rows = BTreeMap::from([(Place::Tree, tree(tx, self.ids.tree)?)]);
        let mut values = BTreeMap::new();
        let lobs = self.db.hobt(self.ids.lobs)?;
        for (key, row) in tree(tx, self.ids.lobs)? {
            let stored = LobRef::from_bytes(row[..].try_into().expect("a reference"));
            let mut value = Vec::new();
            lob::read(tx, &lobs, stored, 0, stored.length, &mut value)?;
            values.insert(key, value);
        }
        rows.insert(Place::Lobs, values);
        let heap = heap_rows(tx, &self.db.hobt(self.ids.heap)?, ScanLocks::Versions)?;
        rows.insert(Place::Heap, keyed(heap));
        let mut row = Vec::new();
        let bank_tree = self.db.hobt(self.ids.bank)?;
        for (key, value) in &bank {
            assert!(btree::get(tx, &bank_tree, key, by_key, &mut row)?, "a row that a scan shows");
            assert_eq!(row, *value, "by its key and by a scan");
        }
        Ok(Moment { bank, rows })
    }

    fn judge_moment(&self, moment: &Moment) {
        let accounts = moment.bank.range(key(0).to_vec()..key(ACCOUNTS).to_vec());
        let sum: i64 = accounts.clone().map(|(_, row)| amount(row)).sum();
        let found = (accounts.count() as u64, sum);
        assert_eq!(found, (ACCOUNTS, ACCOUNTS as i64 * START), "money as of a snapshot");
        let counted = moment.bank.get(&counter(self.me)[..]).map_or(0, |row| amount(row) as u64);
        assert_eq!(counted, self.commits, "what session {} has committed", self.me);
        for (place, key) in self.own_rows() {
            if let Some(rows) = moment.rows.get(place) {
                assert!(rows.contains_key(key), "{place:?} {key:?}: its own, and committed");
            }
        }
    }
}

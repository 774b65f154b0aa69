//! A new value, from bytes as they come.

use taffrail_base::PageId;

use super::super::claim::Claim;
use super::super::{Hobt, LobRef};
use super::{PIECE, mix, page};
use crate::error::{StorageError, StorageResult};
use crate::txn::Transaction;

/// Stores a value in pages of the heap or tree.
pub fn write(tx: &mut Transaction, hobt: &Hobt, bytes: &[u8]) -> StorageResult<LobRef> {
    let mut writer = Writer::new(tx, hobt, bytes.len() as u64)?;
    writer.push(bytes)?;
    writer.finish()
}

/// A value that is being written: of what has been pushed, a piece and a reference to each full node are in memory.
///
/// If a call fails, or there is no [`Writer::finish`], the transaction has to be rolled back, to a savepoint before the value at least.
pub struct Writer<'t, 'h> {
    tx: &'t mut Transaction,
    hobt: &'h Hobt,
    claim: Option<Claim<'h>>,
    fanout: usize,
    /// The last piece, if it is not full yet.
    rest: Vec<u8>,
    /// Of each level what no node refers to yet.
    levels: Vec<Vec<LobRef>>,
    length: u64,
}

impl<'t, 'h> Writer<'t, 'h> {
    /// `length` is how many bytes will come, as far as that is known: so many pages are seen to before the first is taken.
    pub fn new(
        tx: &'t mut Transaction,
        hobt: &'h Hobt,
        length: u64,
    ) -> StorageResult<Writer<'t, 'h>> {
        let fanout = tx.database().lob_fanout();
        let mut writer =
            Writer { tx, hobt, claim: None, fanout, rest: Vec::new(), levels: vec![], length: 0 };
        let length = writer.checked(length)?;
        // What is small may find room on a page that is there.
        if length > mix::MAX as u64 {
            writer.begin(length as usize)?;
        }
        Ok(writer)
    }

    fn checked(&self, more: u64) -> StorageResult<u64> {
        let length = self.length.checked_add(more).filter(|l| *l <= LobRef::MAX_LENGTH);
        length.ok_or(StorageError::Misuse("a large value is too long"))
    }

    fn begin(&mut self, bytes: usize) -> StorageResult<()> {
        let db = self.tx.database().clone();
        let work = self.tx.parts().1;
        if self.hobt.root().is_none() {
            db.allocate_root(work, self.hobt)?;
        }
        // Later a latch is held.
        let pages = page::pages_of(bytes, self.fanout);
        self.claim = Some(db.pages_for_value(work, self.hobt, pages)?);
        Ok(())
    }

    /// The transaction that writes it.
    pub fn transaction(&mut self) -> &mut Transaction {
        self.tx
    }

    /// Adds the next bytes of the value.
    pub fn push(&mut self, mut bytes: &[u8]) -> StorageResult<()> {
        self.length = self.checked(bytes.len() as u64)?;
        if !self.rest.is_empty() {
            let more = bytes.len().min(PIECE - self.rest.len());
            self.rest.extend_from_slice(&bytes[..more]);
            bytes = &bytes[more..];
            if self.rest.len() == PIECE {
                let piece = std::mem::take(&mut self.rest);
                self.put(0, &piece, PIECE as u64)?;
            }
        }
        while bytes.len() >= PIECE {
            let (piece, after) = bytes.split_at(PIECE);
            self.put(0, piece, PIECE as u64)?;
            bytes = after;
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes a page of this level, and the nodes above that are full.
    fn put(&mut self, level: u8, row: &[u8], length: u64) -> StorageResult<()> {
        if self.claim.is_none() {
            self.begin(1)?;
        }
        let db = self.tx.database().clone();
        let claim = self.claim.as_mut().expect("pages were seen to");
        let made = page::store(&db, self.tx.parts().1, self.hobt, claim, level, row, length)?;
        let at = usize::from(level);
        if self.levels.len() == at {
            self.levels.push(Vec::new());
        }
        self.levels[at].push(made);
        if self.levels[at].len() == self.fanout { self.close(level) } else { Ok(()) }
    }

    /// Writes a node for what none refers to yet.
    fn close(&mut self, level: u8) -> StorageResult<()> {
        let below = std::mem::take(&mut self.levels[usize::from(level)]);
        let (row, length) = node(&below);
        self.put(level + 1, &row, length)
    }

    /// The value as it is now.
    pub fn finish(mut self) -> StorageResult<LobRef> {
        if self.length == 0 {
            return Ok(LobRef { first: PageId::NONE, id: 0, length: 0 });
        }
        let rest = std::mem::take(&mut self.rest);
        if self.levels.is_empty() && rest.len() <= mix::MAX {
            self.claim = None;
            return mix::put(self.tx, self.hobt, &rest);
        }
        if !rest.is_empty() {
            self.put(0, &rest, rest.len() as u64)?;
        }
        let mut level = 0;
        while level + 1 < self.levels.len() || self.levels[level].len() > 1 {
            if !self.levels[level].is_empty() {
                self.close(level as u8)?;
            }
            level += 1;
        }
        Ok(self.levels[level][0])
    }
}

/// A node's row, and the bytes below it.
pub(super) fn node(below: &[LobRef]) -> (Vec<u8>, u64) {
    let row = below.iter().flat_map(|child| child.to_bytes()).collect();
    (row, below.iter().map(|child| child.length).sum())
}

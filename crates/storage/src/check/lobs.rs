//! Large values: each page of one is a link of one chain, to which one row refers.

use std::collections::BTreeMap;

use taffrail_base::PageId;

use super::{Walk, What};
use crate::access::directory::{self, Pending};
use crate::access::{LobRef, Rid};
use crate::error::StorageResult;

/// A page of a large value.
struct Piece {
    next: PageId,
    /// Bytes of the value; 0: its content was never written.
    len: u64,
    claimed: bool,
}

/// Large values as far as they are known.
#[derive(Default)]
pub(super) struct Lobs {
    pieces: BTreeMap<PageId, Piece>,
    references: Vec<(Rid, LobRef)>,
}

impl Lobs {
    pub fn referred(&mut self, row: Rid, lob: LobRef) {
        self.references.push((row, lob));
    }

    /// A page of the heap's or tree's.
    pub fn piece(&mut self, page: PageId, next: PageId, len: u64) {
        self.pieces.insert(page, Piece { next, len, claimed: false });
    }
}

impl Walk<'_> {
    /// Rows' references, and chains that wait to be freed, against the pages that there are.
    pub(super) fn large_values(&mut self) -> StorageResult<()> {
        let mut lobs = std::mem::take(&mut self.lobs);
        for (row, lob) in std::mem::take(&mut lobs.references) {
            let (mut id, mut len) = (lob.first, 0);
            let mut broken = false;
            while !id.is_none() && len < lob.length && !broken {
                match lobs.pieces.get_mut(&id) {
                    None => {
                        self.find(What::LobMissing { page: id, row });
                        broken = true;
                    }
                    Some(piece) if piece.claimed => {
                        self.find(What::LobTwice { page: id, row });
                        broken = true;
                    }
                    Some(piece) => {
                        piece.claimed = true;
                        len += piece.len;
                        id = piece.next;
                        broken = piece.len == 0;
                        if broken {
                            self.find(What::LobLength {
                                page: lob.first,
                                found: len,
                                expected: lob.length,
                            });
                        }
                    }
                }
            }
            if !broken && (len != lob.length || !id.is_none()) {
                let page = lob.first;
                self.find(What::LobLength { page, found: len, expected: lob.length });
            }
        }
        if !self.rows.tells_lobs() {
            return Ok(());
        }
        for waiting in directory::pending(self.db)? {
            let Pending::Lob(hobt, mut id, _) = waiting else { continue };
            while hobt == self.hobt.id()
                && let Some(piece) = lobs.pieces.get_mut(&id)
                && !piece.claimed
            {
                piece.claimed = true;
                id = piece.next;
            }
        }
        // Looked up after the chains that wait: what is in neither has been freed in between.
        for (page, piece) in &lobs.pieces {
            if !piece.claimed && piece.len > 0 && self.is_allocated(*page)? {
                self.find(What::LobAlone { page: *page });
            }
        }
        Ok(())
    }
}

//! Bytes of a value replaced: the pages that change are written anew, all others are part of the new value too.

use std::sync::Arc;

use super::super::claim::Claim;
use super::super::directory;
use super::super::{Hobt, LobRef};
use super::page::{self, Copied, Freed};
use super::write::node;
use super::{PIECE, Writer, mix, not_ours, read};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::txn::Transaction;

/// Bytes of an old value that are read at once while it becomes another.
const PORTION: u64 = 64 * PIECE as u64;

/// Appends bytes to a value: see [`replace`].
pub fn append(
    tx: &mut Transaction,
    hobt: &Hobt,
    lob: LobRef,
    bytes: &[u8],
) -> StorageResult<LobRef> {
    replace(tx, hobt, lob, lob.length, 0, bytes)
}

/// Replaces `length` bytes from `offset` on by others, as many as there are: appends, overwrites, inserts, removes. Gives the reference of
/// the new value, which the caller writes into the row.
///
/// The old value is consumed: what only it had is given back after commit, so nobody calls [`super::delete`] for it. Until then, and after
/// a rollback, it is what it was. The caller holds X on its row. The cost is that of the pages that change and of a page for
/// each level above them, however long the value is.
pub fn replace(
    tx: &mut Transaction,
    hobt: &Hobt,
    lob: LobRef,
    offset: u64,
    length: u64,
    bytes: &[u8],
) -> StorageResult<LobRef> {
    if offset > lob.length {
        return Err(StorageError::Misuse("an offset behind the end of a large value"));
    }
    let to = lob.length.min(offset.saturating_add(length));
    let after = offset + bytes.len() as u64 + (lob.length - to);
    if after > LobRef::MAX_LENGTH {
        return Err(StorageError::Misuse("a large value is too long"));
    }
    if offset == to && bytes.is_empty() {
        return Ok(lob);
    }
    let whole = offset == 0 && to == lob.length;
    // What is small, or has become small, lies where small values lie.
    if whole || after <= mix::MAX as u64 || is_chain(tx, hobt, lob)? {
        return rewrite(tx, hobt, lob, (offset, to), bytes, after);
    }
    let db = tx.database().clone();
    Change { db: &db, hobt, old: lob }.run(tx, offset, to, bytes)
}

/// True for a value of format version 3 or before that has more than one page.
fn is_chain(tx: &mut Transaction, hobt: &Hobt, lob: LobRef) -> StorageResult<bool> {
    let db = tx.database();
    match page::copy(db, hobt, lob, None)? {
        Some(found) => Ok(matches!(found, Copied::Chain)),
        None => Err(not_ours(db, hobt, lob.first)),
    }
}

/// All of it anew.
fn rewrite(
    tx: &mut Transaction,
    hobt: &Hobt,
    lob: LobRef,
    (from, to): (u64, u64),
    bytes: &[u8],
    after: u64,
) -> StorageResult<LobRef> {
    let mut writer = Writer::new(tx, hobt, after)?;
    copy_part(&mut writer, hobt, lob, 0, from)?;
    writer.push(bytes)?;
    copy_part(&mut writer, hobt, lob, to, lob.length)?;
    let new = writer.finish()?;
    super::delete(tx, hobt, lob)?;
    Ok(new)
}

fn copy_part(
    writer: &mut Writer<'_, '_>,
    hobt: &Hobt,
    lob: LobRef,
    mut at: u64,
    end: u64,
) -> StorageResult<()> {
    let mut portion = Vec::new();
    while at < end {
        let n = PORTION.min(end - at);
        portion.clear();
        read(writer.transaction(), hobt, lob, at, n, &mut portion)?;
        writer.push(&portion)?;
        at += n;
    }
    Ok(())
}

/// A node on the way to a place in the value.
#[derive(Clone)]
struct Step {
    node: LobRef,
    below: Vec<LobRef>,
    /// Which of those below is next on the way.
    at: usize,
    /// Where that one begins in the value.
    start: u64,
}

/// On which side of a place between two pages the way goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

struct Change<'a> {
    db: &'a Arc<Database>,
    hobt: &'a Hobt,
    old: LobRef,
}

impl Change<'_> {
    fn run(
        &self,
        tx: &mut Transaction,
        offset: u64,
        to: u64,
        bytes: &[u8],
    ) -> StorageResult<LobRef> {
        let (from, end, data) = self.pieces(offset, to, bytes)?;
        // The way to the pieces that go: nodes only, the root first.
        let left = self.way(from, Side::Left)?;
        let right = if from == end { left.clone() } else { self.way(end, Side::Right)? };
        let last = end == self.old.length;
        let fanout = self.db.lob_fanout();
        let work = tx.parts().1;
        let nodes = left.len() * 2 + 2;
        let claimed = page::pages_of(data.len(), fanout) + nodes;
        let claim = self.db.pages_for_value(work, self.hobt, claimed)?;
        let mut new = New { change: self, tx, claim, fanout, last };
        let mut refs = new.pieces(&data)?;
        let mut freed = Vec::new();
        let levels = left.len();
        for level in 1..=levels {
            let (l, r) = (&left[levels - level], &right[levels - level]);
            let same = l.node == r.node;
            // On level 1 the ways end before a piece, above they go through a node that is written anew.
            let (lower, upper) = match level {
                1 => (l.cut(from), r.cut(end)),
                _ => (l.at + 1, r.at),
            };
            let (kept_left, kept_right) =
                if level == 1 { (lower, upper) } else { (l.at, r.at + 1) };
            if same {
                freed.extend(l.below[lower..upper.max(lower)].iter().map(whole));
            } else {
                freed.extend(l.below[lower..].iter().map(whole));
                freed.extend(r.below[..upper].iter().map(whole));
                freed.push(alone(&r.node));
            }
            freed.push(alone(&l.node));
            let mut all = l.below[..kept_left].to_vec();
            all.append(&mut refs);
            all.extend_from_slice(&r.below[kept_right..]);
            // A root that has one page left below it goes.
            refs = if level == levels && all.len() == 1 { all } else { new.nodes(level, &all)? };
        }
        // A value of one piece, which is replaced or goes on beside the new ones.
        match (levels, from == end) {
            (0, false) => freed.push(whole(&self.old)),
            (0, true) if from == 0 => refs.push(self.old),
            (0, true) => refs.insert(0, self.old),
            _ => {}
        }
        let mut level = levels;
        while refs.len() > 1 {
            level += 1;
            refs = new.nodes(level, &refs)?;
        }
        let id = self.hobt.id();
        for part in freed.chunks(directory::LISTED_MAX) {
            let pending = directory::add_pending_pages(self.db, tx.parts().1, id, part)?;
            tx.after_commit(pending);
        }
        Ok(refs[0])
    }

    /// From where to where pieces are replaced, whole ones, and by what.
    fn pieces(&self, offset: u64, to: u64, bytes: &[u8]) -> StorageResult<(u64, u64, Vec<u8>)> {
        let (start, first) = self.piece(offset, Side::Right)?;
        // Behind a full piece a new one begins.
        let behind = offset == self.old.length && first.len() == PIECE;
        let mut from = if behind { offset } else { start };
        let mut data =
            if behind { Vec::new() } else { first[..(offset - start) as usize].to_vec() };
        data.extend_from_slice(bytes);
        let mut end = from;
        if to > from {
            let (start, last) =
                if to > offset { self.piece(to, Side::Left)? } else { (start, first) };
            end = start + last.len() as u64;
            data.extend_from_slice(&last[(to - start) as usize..]);
        }
        // What is left is joined with its neighbour if there is room, so that pieces do not become ever smaller.
        let small = |data: &[u8]| !data.is_empty() && data.len() < PIECE / 2;
        if from > 0 && small(&data) {
            let (start, mut before) = self.piece(from, Side::Left)?;
            if before.len() + data.len() <= PIECE {
                from = start;
                before.append(&mut data);
                data = before;
            }
        }
        if end < self.old.length && small(&data) {
            let (start, after) = self.piece(end, Side::Right)?;
            if after.len() + data.len() <= PIECE {
                end = start + after.len() as u64;
                data.extend_from_slice(&after);
            }
        }
        Ok((from, end, data))
    }

    /// The piece on this side of a place, and where it begins.
    fn piece(&self, place: u64, side: Side) -> StorageResult<(u64, Vec<u8>)> {
        let way = self.way(place, side)?;
        let (piece, start, level) = match way.last() {
            Some(step) => (step.below[step.at], step.start, Some(0)),
            None => (self.old, 0, None),
        };
        match page::copy(self.db, self.hobt, piece, level)? {
            Some(Copied::Piece(bytes)) => Ok((start, bytes)),
            _ => Err(not_ours(self.db, self.hobt, piece.first)),
        }
    }

    /// The nodes from the root to the piece on this side of a place.
    fn way(&self, place: u64, side: Side) -> StorageResult<Vec<Step>> {
        let (mut way, mut next, mut level, mut start) = (Vec::new(), self.old, None, 0);
        loop {
            match page::copy(self.db, self.hobt, next, level)? {
                Some(Copied::Node(of, below)) => {
                    let mut at = 0;
                    while at + 1 < below.len() {
                        let end = start + below[at].length;
                        if place < end || (place == end && side == Side::Left) {
                            break;
                        }
                        start = end;
                        at += 1;
                    }
                    let node = std::mem::replace(&mut next, below[at]);
                    way.push(Step { node, below, at, start });
                    level = Some(of - 1);
                    if of == 1 {
                        return Ok(way);
                    }
                }
                Some(Copied::Piece(_)) if level.is_none() => return Ok(way),
                _ => return Err(not_ours(self.db, self.hobt, next.first)),
            }
        }
    }
}

impl Step {
    /// How many of those below lie before a place between two of them.
    fn cut(&self, place: u64) -> usize {
        if place > self.start { self.at + 1 } else { self.at }
    }
}

fn whole(of: &LobRef) -> Freed {
    Freed { page: of.first, id: of.id, whole: true }
}

fn alone(of: &LobRef) -> Freed {
    Freed { page: of.first, id: of.id, whole: false }
}

/// The part of a value that is written anew.
struct New<'a, 't, 'h> {
    change: &'a Change<'h>,
    tx: &'t mut Transaction,
    claim: Claim<'h>,
    fanout: usize,
    /// It is the value's end.
    last: bool,
}

impl New<'_, '_, '_> {
    fn store(&mut self, level: usize, row: &[u8], length: u64) -> StorageResult<LobRef> {
        let (db, hobt, claim) = (self.change.db, self.change.hobt, &mut self.claim);
        page::store(db, self.tx.parts().1, hobt, claim, level as u8, row, length)
    }

    /// How many of so many go onto one page: at the end of the value as many as there is room for, since more may come; else as many on
    /// each.
    fn share(&self, all: usize, most: usize) -> usize {
        if self.last { most } else { all.div_ceil(all.div_ceil(most).max(1)).max(1) }
    }

    fn pieces(&mut self, data: &[u8]) -> StorageResult<Vec<LobRef>> {
        let share = self.share(data.len(), PIECE);
        data.chunks(share).map(|piece| self.store(0, piece, piece.len() as u64)).collect()
    }

    fn nodes(&mut self, level: usize, below: &[LobRef]) -> StorageResult<Vec<LobRef>> {
        let share = self.share(below.len(), self.fanout);
        below
            .chunks(share)
            .map(|some| {
                let (row, length) = node(some);
                self.store(level, &row, length)
            })
            .collect()
    }
}

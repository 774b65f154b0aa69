//! Hash joins whose build side has no room in memory: the rows of both sides go to partitions by the hash of their keys, and each pair of
//! partitions is joined by itself.
//!
//! ```text
//!  build rows ──▶ partition 0 … n ──▶ as many as have room ─┐
//!                                                           ├─▶ rows of the join ──▶ (sorted by the number of the left row,
//!  left rows  ──▶ partition 0 … n ──▶ one by one ───────────┘                         where somebody goes by their order)
//! ```
//!
//! A partition of the build side that has no room either is taken in pieces: the left partition is read once for each of them, and which of
//! its rows have met a partner is noted from one piece to the next.

use super::{Build, HashOp, JoinType, asks_for_keys};
use crate::exec::rows::{Partitions, RowMerge, Runs, SpillFile, SpillReader, SpilledRows};
use crate::exec::rows::{Warning, partition_count};
use crate::exec::runtime::Rt;
use crate::memory::{self, Held};
use crate::plan::expr::Slot;
use crate::plan::lowered;
use crate::plan::node::HashJoin;
use std::cmp::Ordering;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::{Bytes, Value};

/// A partition of each side.
struct Pair {
    right: Option<SpilledRows>,
    left: Option<SpilledRows>,
}

/// A join of partitions.
pub(super) struct Divided {
    file: Arc<SpillFile>,
    /// The slots of a left row.
    left_slots: Vec<Slot>,
    pairs: Vec<Pair>,
    right: Option<SpillReader>,
    /// Rows of the right partition that have not been in memory.
    right_rest: u64,
    left: Option<SpillReader>,
    /// The number of the next row of the left partition.
    left_at: usize,
    /// Which rows of the left partition have met a partner, where the right one is taken in pieces.
    met: Vec<u64>,
    met_held: Held,
    row: Vec<Value>,
    /// The number of the left row among all of them, where their order matters.
    number: Value,
    merge: Option<RowMerge>,
    /// So many pieces have been in memory.
    pieces: u64,
    /// A partition was taken in pieces, which is told once.
    bailed_out: bool,
}

fn by_number(a: &[Value], b: &[Value]) -> Ordering {
    let number = |row: &[Value]| row.first().and_then(Value::as_i64);
    number(a).cmp(&number(b))
}

impl HashOp {
    /// Reads the rest of the build side and the other one into partitions.
    #[cold]
    pub(super) fn divide(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let file = rt.spill_file()?;
        let count = partition_count(memory::limit());
        let mut parts = Partitions::new(&file, count, 0);
        let used = self.build.bytes();
        self.write_build(&mut parts)?;
        while self.right.next(rt)? {
            rt.tick()?;
            let keyed = self.key(rt, false)?;
            if !keyed && self.node.kind != JoinType::Full {
                continue;
            }
            let hash = self.whole_key(keyed);
            let row = self.node.right_slots.iter().map(|s| &rt.frame[*s as usize]);
            parts.push(hash, self.key.iter().chain(row))?;
        }
        Warning { used, rows: parts.rows }.of_hash(&file, 1, false);
        let rights = parts.finish()?;
        let left_slots = lowered::handed(&self.node.left, rt.frame.len());
        let lefts = self.write_left(rt, &file, &left_slots, count)?;
        let pairs = rights.into_iter().zip(lefts).map(|(right, left)| Pair { right, left });
        self.divided = Some(Box::new(Divided {
            file,
            left_slots,
            pairs: pairs.collect(),
            right: None,
            right_rest: 0,
            left: None,
            left_at: 0,
            met: Vec::new(),
            met_held: Held::default(),
            row: Vec::new(),
            number: Value::Null,
            merge: None,
            pieces: 0,
            bailed_out: false,
        }));
        // The first of them, if there is one: `joined` asks for a left row first.
        let there = self.go_on(rt)?;
        if self.ordered && there { self.put_in_order(rt) } else { Ok(()) }
    }

    /// The hash of the key, which is made whole where a part of it is NULL.
    fn whole_key(&mut self, keyed: bool) -> u64 {
        if !keyed {
            self.key.resize(self.node.keys.len(), Value::Null);
            self.key.fill(Value::Null);
            return 0;
        }
        self.build.map.hash(&self.key)
    }

    /// Writes what is in memory of the build side.
    fn write_build(&mut self, parts: &mut Partitions) -> SqlResult<()> {
        let build = std::mem::replace(&mut self.build, Build::new(&self.node));
        let mut keyed = vec![false; build.rows.rows];
        for at in 0..build.map.len() {
            let key = build.map.key(at);
            let hash = build.map.hash(key);
            if asks_for_keys(&self.node) {
                parts.push(hash, key)?;
                continue;
            }
            let mut row = build.first[at];
            while row != super::END {
                keyed[row as usize] = true;
                parts.push(hash, key.iter().chain(build.rows.row(row as usize)))?;
                row = build.next[row as usize];
            }
        }
        self.whole_key(false);
        for (row, _) in keyed.iter().enumerate().filter(|(_, keyed)| !**keyed) {
            parts.push(0, self.key.iter().chain(build.rows.row(row)))?;
        }
        Ok(())
    }

    /// Reads the left side.
    fn write_left(
        &mut self,
        rt: &mut Rt<'_>,
        file: &Arc<SpillFile>,
        slots: &[Slot],
        count: usize,
    ) -> SqlResult<Vec<Option<SpilledRows>>> {
        let mut parts = Partitions::new(file, count, 0);
        let lost = matches!(self.node.kind, JoinType::Inner | JoinType::Semi);
        let mut number = 0_i64;
        self.left.open(rt)?;
        while self.left.next(rt)? {
            rt.tick()?;
            let keyed = self.key(rt, true)?;
            if !keyed && lost {
                continue;
            }
            let hash = self.whole_key(keyed);
            let target = target_of(rt);
            let numbered = Value::BigInt(number);
            let row = slots.iter().map(|s| &rt.frame[*s as usize]);
            let row = row.chain([&target]).chain(self.ordered.then_some(&numbered));
            parts.push(hash, row)?;
            number += 1;
        }
        parts.finish()
    }

    /// Joins all there is, and sorts it by the number of the left row. The rows of a piece are sorted by it already.
    fn put_in_order(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let both = matches!(self.node.kind, JoinType::Inner | JoinType::Left);
        let node = self.node.clone();
        let right_slots: &[Slot] = if both { &node.right_slots } else { &[] };
        let mut runs = Runs::new(&rt.spill_file()?);
        while self.joined(rt)? {
            let Some(divided) = &self.divided else { break };
            let target = target_of(rt);
            let slots = divided.left_slots.iter().chain(right_slots);
            let row = slots.map(|s| &rt.frame[*s as usize]);
            let row = [&divided.number, &target].into_iter().chain(row);
            runs.push(divided.pieces, row)?;
        }
        self.build = Build::new(&self.node);
        let Some(divided) = &mut self.divided else { return Ok(()) };
        (divided.right, divided.left) = (None, None);
        divided.merge = Some(runs.merged(&by_number)?.0);
        Ok(())
    }
}

/// The raw row that a scan of the left side is on, for who changes it.
fn target_of(rt: &Rt<'_>) -> Value {
    match rt.target_row.is_empty() {
        true => Value::Null,
        false => Value::Binary(Bytes::from_slice(&rt.target_row)),
    }
}

fn put_target(rt: &mut Rt<'_>, target: &Value) {
    rt.target_row.clear();
    rt.target_row.extend_from_slice(target.as_bytes().unwrap_or_default());
}

impl Divided {
    /// The rows of the join are in files.
    pub(super) fn is_merged(&self) -> bool {
        self.merge.is_some()
    }

    /// The next of them.
    pub(super) fn next_merged(&mut self, rt: &mut Rt<'_>, node: &HashJoin) -> SqlResult<bool> {
        rt.tick()?;
        let Some(merge) = &mut self.merge else { return Ok(false) };
        let Some(row) = merge.next(&by_number)? else { return Ok(false) };
        put_target(rt, &row[1]);
        let (left, right) = row[2..].split_at_mut(self.left_slots.len());
        rt.put(&self.left_slots, left);
        rt.put(&node.right_slots, right);
        Ok(true)
    }

    /// The next left row of the partition.
    pub(super) fn next_left(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(reader) = &mut self.left else { return Ok(false) };
        if !reader.next(&mut self.row)? {
            return Ok(false);
        }
        self.left_at += 1;
        let slots = self.left_slots.len();
        rt.put(&self.left_slots, &mut self.row[..slots]);
        put_target(rt, &self.row[slots]);
        if let Some(number) = self.row.get_mut(slots + 1) {
            self.number = std::mem::take(number);
        }
        Ok(true)
    }

    fn is_in_pieces(&self) -> bool {
        !self.met.is_empty()
    }

    /// Whether the left row has met a row of a piece that is gone.
    pub(super) fn has_met(&self) -> bool {
        let at = self.left_at.wrapping_sub(1);
        self.is_in_pieces() && self.met[at / 64] >> (at % 64) & 1 == 1
    }

    /// The left row has met a partner.
    pub(super) fn note_met(&mut self) {
        if self.is_in_pieces() {
            let at = self.left_at.wrapping_sub(1);
            self.met[at / 64] |= 1 << (at % 64);
        }
    }

    /// The piece in memory is the last one of its partition.
    pub(super) fn is_last(&self) -> bool {
        self.right_rest == 0
    }

    /// The next piece of the build side into memory, and the left side to its beginning; false where there are no more.
    pub(super) fn load(
        &mut self,
        rt: &mut Rt<'_>,
        node: &HashJoin,
        build: &mut Build,
    ) -> SqlResult<bool> {
        self.pieces += 1;
        build.clear();
        if self.right_rest == 0 && !self.next_pair(node)? {
            return Ok(false);
        }
        self.read_piece(rt, node, build)?;
        self.left_at = 0;
        if let Some(left) = &mut self.left {
            left.rewind();
            if self.right_rest > 0 && self.met.is_empty() {
                self.met = vec![0; (left.rows() as usize).div_ceil(64)];
                self.met_held.add(size_of_val(&*self.met));
            }
        }
        if self.right_rest > 0 && !self.bailed_out {
            self.bailed_out = true;
            let rows = self.right.as_ref().map_or(0, SpillReader::rows);
            Warning { used: build.bytes(), rows }.of_hash(&self.file, 1, true);
        }
        Ok(true)
    }

    /// The next pair of partitions that can have a row in the result.
    fn next_pair(&mut self, node: &HashJoin) -> SqlResult<bool> {
        self.met = Vec::new();
        self.met_held.clear();
        while let Some(Pair { right, left }) = self.pairs.pop() {
            let wanted = match (&right, &left, node.kind) {
                (None, None, _) => false,
                (Some(_), Some(_), _) => true,
                (None, Some(_), kind) => !matches!(kind, JoinType::Inner | JoinType::Semi),
                (Some(_), None, kind) => kind == JoinType::Full,
            };
            if wanted {
                self.right_rest = right.as_ref().map_or(0, |r| r.rows);
                self.right = right.map(SpillReader::new);
                self.left = left.map(SpillReader::new);
                return Ok(true);
            }
        }
        (self.right, self.left) = (None, None);
        Ok(false)
    }

    /// Rows of the right partition, as many as have room: one at least.
    fn read_piece(&mut self, rt: &mut Rt<'_>, node: &HashJoin, build: &mut Build) -> SqlResult<()> {
        let width = node.keys.len();
        let Some(reader) = &mut self.right else { return Ok(()) };
        let mut key = Vec::with_capacity(width);
        let mut taken = 0_u64;
        while self.right_rest > 0 && !(taken > 0 && memory::must_spill(build.bytes())) {
            rt.tick()?;
            reader.next(&mut self.row)?;
            self.right_rest -= 1;
            taken += 1;
            key.clear();
            key.extend(self.row[..width].iter_mut().map(std::mem::take));
            let keyed = !key.iter().any(Value::is_null);
            if asks_for_keys(node) {
                build.map.insert(&mut key);
            } else {
                build.rows.add(&self.row[width..]);
                build.link(keyed.then_some(&mut key));
            }
        }
        Ok(())
    }
}

//! DISTINCT, UNION, EXCEPT, INTERSECT. Keys that have no room in memory go to partitions by their hash: what memory has of a partition's
//! keys stays there until all rows have come by, and then the partitions are read as the input was.

use super::{Op, Operator, build_in_any_order, built};
use crate::exec::key_map::KeyMap;
use crate::exec::rows::{Partitions, RowMerge, Runs, SpillFile, SpillReader, SpilledRows};
use crate::exec::rows::{Warning, partition_count, room_beside_partitions};
use crate::exec::runtime::Rt;
use crate::memory::{self, Held};
use crate::plan::node::{Distinct, SetOperation};
use std::cmp::Ordering;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::{Value, compare};

pub(crate) struct DistinctOp {
    node: Arc<Distinct>,
    input: Op,
    /// Somebody may go by the order of the input.
    ordered: bool,
    seen: KeyMap,
    key: Vec<Value>,
    /// The row before, where equal ones follow each other.
    last: Vec<Value>,
    /// What has to stay free for files.
    room: usize,
    apart: Option<Box<Apart>>,
}

/// Rows that are in files: none of them is equal to one that was in memory when they came.
struct Apart {
    file: Arc<SpillFile>,
    /// Partitions that are written while others, or the input, are read.
    parts: Option<Partitions>,
    /// Partitions that wait, with their level.
    waiting: Vec<(SpilledRows, u32)>,
    /// The partition that is read.
    reader: Option<(SpillReader, u32)>,
    /// So many partitions have been begun.
    begun: u64,
    /// The number of the next row of the input.
    number: i64,
    /// The different rows by their number, where their order matters.
    merge: Option<RowMerge>,
}

/// By the number behind the values of a row.
fn by_number(a: &[Value], b: &[Value]) -> Ordering {
    let number = |row: &[Value]| row.last().and_then(Value::as_i64);
    number(a).cmp(&number(b))
}

impl DistinctOp {
    pub fn new(node: &Arc<Distinct>, ordered: bool) -> DistinctOp {
        DistinctOp {
            node: node.clone(),
            // Rows that are equal follow each other only in the input's own order.
            input: built(&node.input, ordered || node.ordered),
            ordered,
            seen: KeyMap::new(node.slots.iter().map(|s| s.1).collect()),
            key: Vec::new(),
            last: Vec::new(),
            room: 0,
            apart: None,
        }
    }

    /// The next row of the input that is another one than all before.
    fn next_of_input(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        while self.input.next(rt)? {
            rt.tick()?;
            self.key.clear();
            self.key.extend(self.node.slots.iter().map(|(s, _)| rt.frame[*s as usize].clone()));
            if self.node.ordered {
                let columns = self.last.iter().zip(&self.key).zip(&self.node.slots);
                let mut same = columns.map(|((a, b), (_, c))| compare::compare(a, b, *c).is_eq());
                if !self.last.is_empty() && same.all(|s| s) {
                    continue;
                }
                std::mem::swap(&mut self.last, &mut self.key);
                return Ok(true);
            }
            if self.apart.is_none() && !memory::must_spill(self.seen.bytes_with(1) + self.room) {
                if self.seen.insert(&mut self.key).1 {
                    return Ok(true);
                }
                continue;
            }
            self.put_apart(rt)?;
        }
        Ok(false)
    }

    /// A row that may be another one than those in memory, which take no more.
    #[cold]
    fn put_apart(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        if self.apart.is_none() {
            let file = rt.spill_file()?;
            let parts = Some(Partitions::new(&file, partition_count(memory::limit()), 0));
            self.apart = Some(Box::new(Apart {
                file,
                parts,
                waiting: Vec::new(),
                reader: None,
                begun: 0,
                number: 0,
                merge: None,
            }));
        }
        let Some(apart) = &mut self.apart else { return Ok(()) };
        if let (None, Some(parts)) = (self.seen.find(&self.key), &mut apart.parts) {
            let hash = self.seen.hash(&self.key);
            if self.ordered {
                self.key.push(Value::BigInt(apart.number));
            }
            apart.number += 1;
            parts.push(hash, &self.key)?;
        }
        Ok(())
    }

    /// The next row of those in files that is another one than all before, in `key`.
    fn next_apart(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(apart) = &mut self.apart else { return Ok(false) };
        let width = self.node.slots.len();
        loop {
            let Some((reader, level)) = &mut apart.reader else {
                self.seen = self.seen.emptied();
                let Some((rows, level)) = apart.waiting.pop() else { return Ok(false) };
                apart.reader = Some((SpillReader::new(rows), level));
                apart.begun += 1;
                continue;
            };
            while reader.next(&mut self.key)? {
                rt.tick()?;
                let (key, number) = self.key.split_at(width);
                let full =
                    memory::must_spill(self.seen.bytes_with(1) + self.room) && self.seen.len() > 0;
                if full || apart.parts.is_some() {
                    if self.seen.find(key).is_none() {
                        let count = partition_count(memory::limit());
                        let new = || Partitions::new(&apart.file, count, *level + 1);
                        let hash = self.seen.hash(key);
                        apart.parts.get_or_insert_with(new).push(hash, &self.key)?;
                    }
                    continue;
                }
                let mut copy = key.to_vec();
                let number = number.first().cloned();
                if self.seen.insert(&mut copy).1 {
                    if let Some(number) = number {
                        self.key.truncate(width);
                        self.key.push(number);
                    }
                    return Ok(true);
                }
            }
            apart.reader = None;
            apart.close(self.seen.bytes_with(0))?;
        }
    }

    /// The rows in files, of which each stands there once, in the order of the input.
    fn put_in_order(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let mut runs = Runs::new(&rt.spill_file()?);
        while self.next_apart(rt)? {
            let Some(apart) = &self.apart else { break };
            // The rows of one partition are in order.
            runs.push(apart.begun, &self.key)?;
        }
        let Some(apart) = &mut self.apart else { return Ok(()) };
        apart.merge = Some(runs.merged(&by_number)?.0);
        Ok(())
    }

    /// The input has ended, and there are rows in files.
    #[cold]
    fn next_of_rest(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(apart) = &mut self.apart else { return Ok(false) };
        if apart.parts.is_some() && apart.reader.is_none() {
            apart.close(self.seen.bytes_with(0))?;
            if self.ordered {
                self.put_in_order(rt)?;
            }
        }
        let Some(apart) = &mut self.apart else { return Ok(false) };
        let there = match &mut apart.merge {
            Some(merge) => match merge.next(&by_number)? {
                Some(row) => {
                    std::mem::swap(&mut self.key, row);
                    true
                }
                None => false,
            },
            None => self.next_apart(rt)?,
        };
        if there {
            for ((slot, _), v) in self.node.slots.iter().zip(&mut self.key) {
                rt.frame[*slot as usize] = std::mem::take(v);
            }
        }
        Ok(there)
    }
}

impl Apart {
    /// The partitions that were written wait to be read.
    fn close(&mut self, used: usize) -> SqlResult<()> {
        let Some(parts) = self.parts.take() else { return Ok(()) };
        let level = parts.level;
        Warning { used, rows: parts.rows }.of_hash(&self.file, level + 1, false);
        let written = parts.finish()?.into_iter().flatten();
        self.waiting.extend(written.map(|rows| (rows, level)));
        Ok(())
    }
}

impl Operator for DistinctOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        match self.apart.take() {
            None => self.seen.clear(),
            Some(_) => self.seen = self.seen.emptied(),
        }
        self.last.clear();
        self.room = room_beside_partitions();
        self.input.open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let read = self.apart.as_ref().is_some_and(|a| a.parts.is_none() || a.reader.is_some());
        if !read && self.next_of_input(rt)? {
            return Ok(true);
        }
        match self.apart {
            None => Ok(false),
            Some(_) => self.next_of_rest(rt),
        }
    }
}

pub(crate) struct SetOp {
    node: Arc<SetOperation>,
    left: Op,
    right: Op,
    /// EXCEPT: right rows, and those that were given. INTERSECT: right rows.
    rows: KeyMap,
    /// INTERSECT: which of them were given.
    given: Vec<bool>,
    held: Held,
    key: Vec<Value>,
    /// What has to stay free for files.
    room: usize,
    apart: Option<Box<BothApart>>,
}

/// Rows of both sides that are in files. A left one meets right ones there only.
struct BothApart {
    file: Arc<SpillFile>,
    /// Partitions of the left and the right side that are written.
    parts: Option<[Partitions; 2]>,
    /// Partitions that wait, with their level.
    waiting: Vec<(SpilledRows, Option<SpilledRows>, u32)>,
    /// The left partition that is read.
    reader: Option<(SpillReader, u32)>,
}

impl SetOp {
    pub fn new(node: &Arc<SetOperation>) -> SetOp {
        SetOp {
            node: node.clone(),
            left: build_in_any_order(&node.left),
            right: build_in_any_order(&node.right),
            rows: KeyMap::new(node.left_slots.iter().map(|s| s.1).collect()),
            given: Vec::new(),
            held: Held::default(),
            key: Vec::new(),
            room: 0,
            apart: None,
        }
    }

    /// Memory takes no more rows.
    fn is_full(&self) -> bool {
        let parts = self.apart.as_ref().is_some_and(|a| a.parts.is_some());
        parts || self.rows.len() > 0 && memory::must_spill(self.rows.bytes_with(1) + self.room)
    }

    /// Takes in the right row in `key`.
    fn take_right(&mut self, rt: &mut Rt<'_>, level: u32) -> SqlResult<()> {
        if self.is_full() {
            return self.put_apart(rt, level, 1);
        }
        if self.rows.insert(&mut self.key).1 && !self.node.except {
            self.given.push(false);
            self.held.add(size_of::<bool>());
        }
        Ok(())
    }

    /// The row in `key` goes to a file, unless memory knows it.
    #[cold]
    fn put_apart(&mut self, rt: &mut Rt<'_>, level: u32, side: usize) -> SqlResult<()> {
        if self.rows.find(&self.key).is_some() {
            return Ok(());
        }
        if self.apart.is_none() {
            let (file, waiting) = (rt.spill_file()?, Vec::new());
            self.apart = Some(Box::new(BothApart { file, parts: None, waiting, reader: None }));
        }
        let Some(BothApart { file, parts, .. }) = self.apart.as_deref_mut() else { return Ok(()) };
        let new = || {
            let count = partition_count(memory::limit());
            [(); 2].map(|()| Partitions::new(file, count, level))
        };
        parts.get_or_insert_with(new)[side].push(self.rows.hash(&self.key), &self.key)
    }

    /// Whether the left row in `key` is in the result; it is taken out.
    fn take_left(&mut self, rt: &mut Rt<'_>, level: u32) -> SqlResult<bool> {
        if self.node.except {
            if self.is_full() {
                self.put_apart(rt, level, 0)?;
                return Ok(false);
            }
            return Ok(self.rows.insert(&mut self.key).1);
        }
        match self.rows.find(&self.key) {
            Some(at) => Ok(!std::mem::replace(&mut self.given[at as usize], true)),
            None => {
                // Without right rows in files there is none that it could meet.
                if self.apart.as_ref().is_some_and(|a| a.parts.is_some()) {
                    self.put_apart(rt, level, 0)?;
                }
                Ok(false)
            }
        }
    }

    /// The next row of the result of those in files.
    #[cold]
    fn next_apart(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let mut row = Vec::new();
        loop {
            let Some(apart) = &mut self.apart else { return Ok(false) };
            let Some((reader, level)) = &mut apart.reader else {
                if !self.next_pair(rt)? {
                    return Ok(false);
                }
                continue;
            };
            let (there, level) = (reader.next(&mut row)?, *level);
            if !there {
                apart.reader = None;
                apart.close(self.node.except, self.rows.bytes_with(0))?;
                continue;
            }
            rt.tick()?;
            self.key.clone_from(&row);
            if self.take_left(rt, level + 1)? {
                for ((slot, _), v) in self.node.left_slots.iter().zip(&mut row) {
                    rt.frame[*slot as usize] = std::mem::take(v);
                }
                return Ok(true);
            }
        }
    }

    /// Reads the right partition of the next pair.
    fn next_pair(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        self.rows = self.rows.emptied();
        self.given.clear();
        self.held.clear();
        let waiting = self.apart.as_mut().and_then(|a| a.waiting.pop());
        let Some((left, right, level)) = waiting else { return Ok(false) };
        if let Some(right) = right {
            let mut reader = SpillReader::new(right);
            let mut key = std::mem::take(&mut self.key);
            while reader.next(&mut key)? {
                rt.tick()?;
                std::mem::swap(&mut self.key, &mut key);
                self.take_right(rt, level + 1)?;
                std::mem::swap(&mut self.key, &mut key);
            }
        }
        if let Some(apart) = &mut self.apart {
            apart.reader = Some((SpillReader::new(left), level));
        }
        Ok(true)
    }
}

impl BothApart {
    /// The partitions that were written wait to be read.
    fn close(&mut self, except: bool, used: usize) -> SqlResult<()> {
        let Some([left, right]) = self.parts.take() else { return Ok(()) };
        let level = left.level;
        Warning { used, rows: left.rows + right.rows }.of_hash(&self.file, level + 1, false);
        for (left, right) in left.finish()?.into_iter().zip(right.finish()?) {
            if let Some(left) = left
                && (except || right.is_some())
            {
                self.waiting.push((left, right, level));
            }
        }
        Ok(())
    }
}

impl Operator for SetOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        match self.apart.take() {
            None => self.rows.clear(),
            Some(_) => self.rows = self.rows.emptied(),
        }
        self.given.clear();
        self.held.clear();
        // Of both sides.
        self.room = 2 * room_beside_partitions();
        self.right.open(rt)?;
        while self.right.next(rt)? {
            rt.tick()?;
            self.key.clear();
            self.key.extend(self.node.right_slots.iter().map(|s| rt.frame[*s as usize].clone()));
            self.take_right(rt, 0)?;
        }
        self.left.open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let read = |a: &BothApart| a.parts.is_none() || a.reader.is_some();
        if !self.apart.as_deref().is_some_and(read) {
            while self.left.next(rt)? {
                rt.tick()?;
                self.key.clear();
                let slots = self.node.left_slots.iter();
                self.key.extend(slots.map(|(s, _)| rt.frame[*s as usize].clone()));
                if self.take_left(rt, 0)? {
                    return Ok(true);
                }
            }
            let Some(apart) = &mut self.apart else { return Ok(false) };
            apart.close(self.node.except, self.rows.bytes_with(0))?;
        }
        self.next_apart(rt)
    }
}

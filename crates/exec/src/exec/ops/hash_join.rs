//! Hash joins: the build side in memory; where it has no room, both sides in files, partition by partition (`divided`).

mod divided;

use super::view::Partners;
use super::{Op, Operator, build_in_any_order, built};
use crate::exec::key_map::KeyMap;
use crate::exec::runtime::{RowBuffer, Rt};
use crate::memory::{self, Held};
use crate::plan::node::{HashJoin, JoinType};
use divided::Divided;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// The build side is read once per opening; rows with one key are chained.
pub(crate) struct HashOp {
    node: Arc<HashJoin>,
    left: Op,
    right: Op,
    /// Somebody may go by the order of the left rows.
    ordered: bool,
    build: Build,
    key: Vec<Value>,
    at: u32,
    on_row: bool,
    matched: bool,
    /// FULL: unmatched build rows are being given.
    rest: Option<usize>,
    /// Both sides are in files.
    divided: Option<Box<Divided>>,
}

const END: u32 = u32::MAX;

/// Rows of the build side, in memory.
struct Build {
    map: KeyMap,
    rows: RowBuffer,
    /// Per key the first row, per row the next with the same key; `u32::MAX` ends.
    first: Vec<u32>,
    last: Vec<u32>,
    next: Vec<u32>,
    used: Vec<bool>,
    /// What these lists take.
    held: Held,
}

/// What a row takes in the lists.
const LISTED: usize = 3 * size_of::<u32>() + size_of::<bool>();

impl Build {
    fn new(node: &HashJoin) -> Build {
        Build {
            map: KeyMap::new(node.keys.iter().map(|k| k.2).collect()),
            rows: RowBuffer::new(node.right_slots.len()),
            first: Vec::new(),
            last: Vec::new(),
            next: Vec::new(),
            used: Vec::new(),
            held: Held::default(),
        }
    }

    fn clear(&mut self) {
        self.map.clear();
        self.rows.clear();
        self.first.clear();
        self.last.clear();
        self.next.clear();
        self.used.clear();
        self.held.clear();
    }

    /// The bytes that they take, with one key more.
    #[inline]
    fn bytes(&self) -> usize {
        self.map.bytes_with(1) + self.rows.bytes() + self.held.bytes()
    }

    /// Links the row that was added last to the others of its key, which is taken out of `key`; `None`: a part of it is NULL.
    #[inline]
    fn link(&mut self, key: Option<&mut Vec<Value>>) {
        let row = self.rows.rows as u32 - 1;
        self.next.push(END);
        self.used.push(false);
        self.held.add(LISTED);
        let Some(key) = key else { return };
        let (at, new) = self.map.insert(key);
        if new {
            self.first.push(row);
            self.last.push(row);
        } else {
            self.next[self.last[at as usize] as usize] = row;
            self.last[at as usize] = row;
        }
    }
}

/// One partner is enough, whichever it is.
fn asks_for_keys(node: &HashJoin) -> bool {
    matches!(node.kind, JoinType::Semi | JoinType::Anti) && node.residual.is_none()
}

impl HashOp {
    pub fn new(node: &Arc<HashJoin>, ordered: bool) -> HashOp {
        HashOp {
            node: node.clone(),
            left: built(&node.left, ordered),
            right: build_in_any_order(&node.right),
            ordered: ordered && node.kind != JoinType::Full,
            build: Build::new(node),
            key: Vec::new(),
            at: END,
            on_row: false,
            matched: false,
            rest: None,
            divided: None,
        }
    }

    /// Computes a key; false when a part of it is NULL.
    fn key(&mut self, rt: &mut Rt<'_>, left: bool) -> SqlResult<bool> {
        self.key.clear();
        for (l, r, _) in &self.node.keys {
            let v = rt.eval(if left { l } else { r })?;
            if v.is_null() {
                return Ok(false);
            }
            self.key.push(v);
        }
        Ok(true)
    }

    /// Reads the build side: whether it has room in memory.
    fn read_right(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        Partners::open_right(rt, &self.node, &mut self.right)?;
        while self.right.next(rt)? {
            rt.tick()?;
            let keyed = self.key(rt, false)?;
            if !keyed && self.node.kind != JoinType::Full {
                continue;
            }
            if asks_for_keys(&self.node) {
                self.build.map.insert(&mut self.key);
            } else {
                self.build.rows.push(rt, &self.node.right_slots);
                self.build.link(keyed.then_some(&mut self.key));
            }
            if memory::must_spill(self.build.bytes()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The next left row into the frame.
    #[inline]
    fn next_left(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        match &mut self.divided {
            None => self.left.next(rt),
            Some(divided) => divided.next_left(rt),
        }
    }

    /// The next row of the join, of what is in memory of the build side and then of the rest.
    fn joined(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        loop {
            rt.tick()?;
            if self.rest.is_some() {
                match self.alone(rt) {
                    true => return Ok(true),
                    false if self.go_on(rt)? => continue,
                    false => return Ok(false),
                }
            }
            if !self.on_row {
                if !self.next_left(rt)? {
                    if self.node.kind == JoinType::Full {
                        self.rest = Some(0);
                    } else if !self.go_on(rt)? {
                        return Ok(false);
                    }
                    continue;
                }
                let met = self.divided.as_ref().is_some_and(|d| d.has_met());
                if met && matches!(self.node.kind, JoinType::Semi | JoinType::Anti) {
                    continue;
                }
                let found = match self.key(rt, true)? {
                    true => self.build.map.find(&self.key),
                    false => None,
                };
                if asks_for_keys(&self.node) {
                    if self.is_told(found.is_some()) {
                        return Ok(true);
                    }
                    continue;
                }
                self.at = found.map_or(END, |k| self.build.first[k as usize]);
                self.on_row = true;
                self.matched = met;
            }
            if self.at != END {
                if self.meets(rt)? {
                    return Ok(true);
                }
                continue;
            }
            self.on_row = false;
            if self.matched {
                self.note_met();
                continue;
            }
            let alone = !matches!(self.node.kind, JoinType::Inner | JoinType::Semi);
            if alone && self.divided.as_ref().is_none_or(|d| d.is_last()) {
                rt.clear(&self.node.right_slots);
                return Ok(true);
            }
        }
    }

    /// Whether the left row of a semi or anti join is in the result, which has a partner in memory or not.
    #[inline]
    fn is_told(&mut self, found: bool) -> bool {
        if found {
            self.note_met();
        }
        match self.node.kind {
            JoinType::Semi => found,
            _ => !found && self.divided.as_ref().is_none_or(|d| d.is_last()),
        }
    }

    /// The left row has met a partner, and need not be alone with what is not in memory yet.
    #[inline]
    fn note_met(&mut self) {
        if let Some(divided) = &mut self.divided {
            divided.note_met();
        }
    }

    /// The left row meets the next row of its key: whether the two are in the result.
    #[inline]
    fn meets(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let row = self.at as usize;
        self.at = self.build.next[row];
        rt.restore(&self.node.right_slots, self.build.rows.row(row));
        let holds = match &self.node.residual {
            None => true,
            Some(p) => rt.test(p)? == Some(true),
        };
        if !holds {
            return Ok(false);
        }
        self.matched = true;
        self.build.used[row] = true;
        match self.node.kind {
            JoinType::Inner | JoinType::Left | JoinType::Full => Ok(true),
            JoinType::Semi | JoinType::Anti => {
                self.on_row = false;
                self.note_met();
                Ok(self.node.kind == JoinType::Semi)
            }
            JoinType::NullAwareAnti | JoinType::Mark(_) => unreachable!("a MarkOp makes it"),
        }
    }

    /// FULL: the next build row that has met nobody.
    fn alone(&mut self, rt: &mut Rt<'_>) -> bool {
        let from = self.rest.unwrap_or(0);
        let at = (from..self.build.rows.rows).find(|at| !self.build.used[*at]);
        self.rest = Some(at.map_or(self.build.rows.rows, |at| at + 1));
        let Some(at) = at else { return false };
        rt.clear(&self.node.left_slots);
        rt.restore(&self.node.right_slots, self.build.rows.row(at));
        true
    }

    /// Goes on with rows of both sides that are in files; false where there are no more.
    fn go_on(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(divided) = &mut self.divided else { return Ok(false) };
        self.rest = None;
        self.on_row = false;
        divided.load(rt, &self.node, &mut self.build)
    }
}

impl Operator for HashOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.build.clear();
        self.on_row = false;
        self.rest = None;
        self.divided = None;
        match self.read_right(rt)? {
            true => Partners::open_left(rt, &self.node, &mut self.left, &mut self.build.map),
            false => self.divide(rt),
        }
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        if let Some(divided) = &mut self.divided
            && divided.is_merged()
        {
            return divided.next_merged(rt, &self.node);
        }
        self.joined(rt)
    }
}

//! One source of a block: by which way its rows are read, under the conditions that can be checked there.

use super::{Block, Planned};
use crate::planner::access::{Choice, Order, Question, guess};
use crate::planner::{add_slots, compute, filter, view_scan, window};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_plan::attributes::may_raise;
use taffrail_plan::expr::{Expr, Part, Pred, Slot, has_subquery, slots_of};
use taffrail_plan::hints::{JoinMethod, JoinMethods};
use taffrail_plan::node::{Access, Expected, Node, Scan};
use taffrail_plan::rel::{self, Rel, VirtualColumn};
use taffrail_plan::slots::SlotSet;

impl<'p> Block<'p, '_> {
    /// Its rows, roughly.
    pub(super) fn estimate(&self, id: u32) -> u64 {
        match &self.source(id).rel {
            Some(Rel::Get(g)) if g.mark.is_some() => 1,
            Some(Rel::Get(g)) => {
                let rows = self.planner.meta.row_estimate(&g.table.database, &g.table.table);
                let sample = g.hints.access.sample;
                sample.map_or(rows, |s| (rows as f64 * s.share(rows)).max(1.0) as u64)
            }
            Some(Rel::Rowset(_)) => guess::VIEW as u64,
            // A list: see `planner::lists`.
            Some(list @ Rel::Distinct(_)) => self.planner.guessed(list).max(1.0) as u64,
            _ => guess::UNKNOWN as u64,
        }
    }

    /// A scan of a source under conditions that can be checked there.
    pub(super) fn read(&mut self, id: u32, conditions: Vec<Pred>) -> SqlResult<Planned> {
        let estimate = self.estimate(id);
        let rel = self.sources[id as usize].rel.take().expect("a source is placed once");
        conditions.iter().for_each(|p| self.checked(p));
        // Conditions with subqueries are checked above the scan; so are those that may raise an error by the values of a row that a
        // security policy may hide.
        let hides = match &rel {
            Rel::Get(g) => g.table.table.predicates.iter().any(|p| p.enabled && p.block.is_none()),
            _ => false,
        };
        let is_late = |p: &Pred| has_subquery(Part::Pred(p)) || hides && self.raises_by(id, p);
        let (mut above, conditions): (Vec<Pred>, Vec<Pred>) =
            conditions.into_iter().partition(is_late);
        let (node, rows) = match rel {
            Rel::Get(get) => {
                let Choice { access, served, rows, read, ordered, .. } =
                    self.choose(id, &get, &conditions, estimate)?;
                let expected = Expected { table: estimate as f64, read, rows };
                let mut rows = rows;
                if self.leading == Some(id) {
                    self.ordered = ordered.is_some();
                    // So many are read of it, where others follow.
                    if let (true, true, Some(Order { goal: Some(goal), .. })) =
                        (self.ordered, self.leads(), self.wanted_order(id))
                    {
                        rows = rows.min(goal.rows().max(1.0));
                    }
                }
                let rel::Get { table, alias, mut columns, computed, locator, image, hints, .. } =
                    *get;
                let (behind, conditions): (Vec<Pred>, Vec<Pred>) =
                    keep(conditions, &served).into_iter().partition(|p| reads(p, &computed));
                let filter = Pred::all(conditions);
                let filtered = filtered_first(&mut columns, filter.as_ref());
                let scan = Scan {
                    database: table.database,
                    table: table.table,
                    alias,
                    expected,
                    access,
                    columns,
                    filtered,
                    locator,
                    image,
                    filter,
                    locks: hints.locks,
                    backward: ordered.unwrap_or(false),
                    sample: hints.access.sample,
                    parts: Vec::new(),
                };
                let mut node = Node::Scan(Arc::new(scan));
                // Columns are computed of the rows alone that are not hidden.
                if hides && !computed.is_empty() {
                    let (rest, first): (Vec<Pred>, Vec<Pred>) =
                        above.into_iter().partition(|p| reads(p, &computed));
                    above = rest;
                    node = crate::planner::filter(node, first);
                }
                (with_virtuals(node, computed, behind), rows)
            }
            Rel::Rowset(rowset) => (view_scan(*rowset, Pred::all(conditions)), guess::VIEW),
            Rel::Project(project) => self.derived(id, project.input, conditions)?,
            rel => {
                let mut node = self.planner.lower(rel, &self.needed)?;
                window::stop(&mut node, &conditions);
                (filter(node, conditions), estimate as f64)
            }
        };
        Ok((filter(node, above), rows))
    }

    /// A query in FROM. Where it is a block without grouping, TOP or the like, those of the conditions that are about columns of its
    /// sources join the block's own: an index may serve them there.
    fn derived(&mut self, id: u32, rel: Rel, conditions: Vec<Pred>) -> SqlResult<Planned> {
        let (rel, items) = match rel {
            Rel::Compute(c) => (c.input, c.items),
            rel => (rel, Vec::new()),
        };
        let plain = matches!(
            rel,
            Rel::Get(_)
                | Rel::Rowset(_)
                | Rel::Select(_)
                | Rel::Join(_)
                | Rel::Project(_)
                | Rel::OneRow
        );
        let mut needed = self.needed.clone();
        items.iter().for_each(|(e, _)| add_slots(Part::Expr(e), &mut needed));
        let (inside, rest): (Vec<Pred>, Vec<Pred>) = conditions.into_iter().partition(|p| {
            let mut computed = false;
            slots_of(Part::Pred(p), &mut |s| computed |= items.iter().any(|i| i.1 == s));
            plain && !computed
        });
        let order = self.wanted_order(id);
        // What reads rows of others runs for each of these.
        let others = |p: &Pred| self.sources_of(Part::Pred(p)).iter().any(|s| *s != id);
        let each_row = !self.source(id).reads.is_empty() || inside.iter().any(others);
        let ((node, rows), ordered) = self.planner.repeated(each_row, |planner| match plain {
            true => planner.counted(rel, inside, &needed, order.as_ref()),
            false => Ok(((planner.lower(rel, &needed)?, guess::UNKNOWN), false)),
        })?;
        if plain && self.leading == Some(id) {
            self.ordered = ordered;
        }
        let mut node = if items.is_empty() { node } else { compute(node, items) };
        window::stop(&mut node, &rest);
        Ok((filter(node, rest), rows))
    }

    /// Whether a condition may end in an error by what a part of it reads of a source.
    fn raises_by(&self, id: u32, p: &Pred) -> bool {
        // An escape that is no single character is an error, whose message shows it (506).
        let escape = match p {
            Pred::Like(l) => l.escape.as_ref(),
            _ => None,
        };
        let mut raises = escape.is_some_and(|e| self.sources_of(Part::Expr(e)).contains(&id));
        p.children(&mut |part| {
            raises |= match part {
                Part::Pred(p) => self.raises_by(id, p),
                Part::Expr(e) => {
                    may_raise(Part::Expr(e)) && self.sources_of(Part::Expr(e)).contains(&id)
                }
                Part::Plan(_) => true,
            };
        });
        raises
    }

    pub(super) fn choose(
        &self,
        id: u32,
        get: &rel::Get,
        conditions: &[Pred],
        estimate: u64,
    ) -> SqlResult<Choice> {
        if let Some(mark) = get.mark {
            return Ok(Choice::marked(mark));
        }
        // All conditions here mention placed sources and this one only.
        let available = |e: &Expr| {
            !has_subquery(Part::Expr(e)) && !self.sources_of(Part::Expr(e)).contains(&id)
        };
        let correlated = |e: &Expr| !self.sources_of(Part::Expr(e)).is_empty();
        let order = self.wanted_order(id);
        let question = Question {
            table: &get.table.table,
            columns: &get.columns,
            conditions,
            rows: estimate,
            available: &available,
            correlated: &correlated,
            order: order.as_ref(),
            hint: get.hints.access,
        };
        question.choose()
    }

    /// Whether reading a source under these conditions, once for each of so many rows, would seek by what is placed, and that is less
    /// work than to read all of it once.
    pub(super) fn would_seek(
        &self,
        id: u32,
        conditions: &[Pred],
        left: f64,
        methods: JoinMethods,
    ) -> bool {
        if !methods.allows(JoinMethod::Loop) {
            return false;
        }
        let Some(Rel::Get(get)) = &self.source(id).rel else { return false };
        let Ok(choice) = self.choose(id, get, conditions, self.estimate(id)) else { return false };
        let rows = self.estimate(id) as f64;
        // Without the values of the row it could not be sought, or not be joined.
        if get.hints.access.seek.is_some() || !methods.allow_keyed() {
            return choice.correlated;
        }
        let each = choice.rows.min(self.each);
        let found = match &choice.access {
            Access::Nonclustered(i, _) if !get.columns.iter().all(|c| i.covers(c.0).is_some()) => {
                guess::FETCH
            }
            _ => guess::CLUSTERED,
        };
        let once = rows > guess::SMALL && rows < left * (guess::SEEK + found * each);
        choice.is_led() && !once
    }
}

/// Whether a condition reads one of these columns.
fn reads(p: &Pred, computed: &[VirtualColumn]) -> bool {
    let mut reads = false;
    slots_of(Part::Pred(p), &mut |s| reads |= computed.iter().any(|c| c.slot == s));
    reads
}

/// A scan whose rows get the columns that they do not have, and the conditions on these.
fn with_virtuals(scan: Node, computed: Vec<VirtualColumn>, conditions: Vec<Pred>) -> Node {
    if computed.is_empty() {
        return scan;
    }
    let items = computed.into_iter().map(|c| (c.value, c.slot)).collect();
    filter(compute(scan, items), conditions)
}

/// Puts the columns first that a filter reads; how many they are.
fn filtered_first(columns: &mut Vec<(usize, Slot)>, filter: Option<&Pred>) -> usize {
    let Some(filter) = filter else { return 0 };
    let mut read = SlotSet::default();
    add_slots(Part::Pred(filter), &mut read);
    let (first, rest): (Vec<_>, Vec<_>) = columns.iter().partition(|c| read.contains(c.1));
    let count = first.len();
    *columns = first;
    columns.extend(rest);
    count
}

fn keep(conditions: Vec<Pred>, served: &[usize]) -> Vec<Pred> {
    let kept = conditions.into_iter().enumerate().filter(|(i, _)| !served.contains(i));
    kept.map(|(_, p)| p).collect()
}

//! FROM and WHERE of a block: which source comes first, by which way each is read, and how they are joined.
//!
//! The order of the joins is searched for ([`arrange`]). Where there are too many sources for that, the next one is always the cheapest.
//! A source is read by an index for each row (nested loops), or joined by a hash or a merge ([`pair`]), or read again from a spool.
//! A condition is checked as soon as its sources are there. One whose subquery runs for each row is checked where the rows are the fewest.
//! Joins keep the order of what is on their left, so the first source can give the order that is asked for ([`lead`]).

mod arrange;
mod lead;
pub(super) mod merge;
mod outer;
mod pair;
mod read;
mod subqueries;
mod uses;

use super::access::{Order, guess};
use super::{Planner, filter, order, simplify};
pub(super) use pair::loop_join;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_plan::expr::{CompareOp, Part, Pred, Slot, slots_of};
use taffrail_plan::fold;
use taffrail_plan::hints::JoinMethods;
use taffrail_plan::node::{Filter, JoinType, Node};
use taffrail_plan::rel::{self, Rel};
use taffrail_plan::slots::SlotSet;

/// Operators, and the rows that they will give, roughly.
pub(super) type Planned = (Node, f64);

/// A part of FROM: a source of the block by its number, or a join of such.
enum Tree {
    Source(u32),
    Join { kind: JoinType, left: Box<Tree>, right: Box<Tree>, on: Vec<Pred> },
}

/// Something that FROM takes rows from.
struct Source {
    /// Taken when it is placed.
    rel: Option<Rel>,
    /// The columns that it hands up.
    columns: SlotSet,
    /// Slots of other sources or enclosing blocks that it reads (APPLY, correlated derived tables).
    reads: Vec<Slot>,
}

/// An item that is joined in one go: a source, or an outer join as a whole.
enum Item {
    Source(u32),
    Outer { kind: JoinType, left: Tree, right: Tree, on: Vec<Pred>, sources: Vec<u32> },
}

/// A block while it is planned.
struct Block<'p, 'm> {
    planner: &'p Planner<'m>,
    sources: Vec<Source>,
    /// How what begins with a source may be joined, where a hint says so.
    methods: Vec<(u32, JoinMethods)>,
    /// Which source a slot comes from.
    owner: Vec<u32>,
    /// The slots that are read above the block or by its own conditions.
    needed: SlotSet,
    /// By slot: how many of them there are that have not been checked yet, and whether it is read above.
    uses: Vec<u32>,
    /// The order that is asked for.
    order: Option<&'p Order<'p>>,
    /// The source that comes first and gives it, where one may.
    leading: Option<u32>,
    /// How many rows of the block come of one row of the leading source: at most one.
    led_share: f64,
    /// The rows come in the order that is asked for.
    ordered: bool,
    /// How many rows of the source that is placed next have the columns of one row: see [`arrange::Step::each`].
    each: f64,
}

/// Numbers of sources, each once. Most parts of a query read few.
type SourceList = SmallVec<[u32; 4]>;

/// The owner of a slot that none of the block's sources sets.
const NOBODY: u32 = u32::MAX;

impl Planner<'_> {
    /// The operators of a block; whether they give its rows in the order that is asked for.
    pub(super) fn block(
        &self,
        rel: Rel,
        needed: &SlotSet,
        order: Option<&Order<'_>>,
    ) -> SqlResult<(Node, bool)> {
        let planned = self.counted(rel, Vec::new(), needed, order)?;
        Ok((planned.0.0, planned.1))
    }

    /// The operators of the block and their rows, under conditions from outside.
    pub(super) fn counted(
        &self,
        mut rel: Rel,
        outside: Vec<Pred>,
        needed: &SlotSet,
        order: Option<&Order<'_>>,
    ) -> SqlResult<(Planned, bool)> {
        self.meta.check_cancel()?;
        // The block's own come first, and of these the inner ones: those of security policies.
        let mut conditions = Vec::new();
        while let Rel::Select(s) = rel {
            let mut inner = s.conditions;
            inner.append(&mut conditions);
            conditions = inner;
            rel = s.input;
        }
        conditions.extend(outside);
        let conditions = simplify::conjuncts(conditions, self.meta);
        if fold::keep_nothing(&conditions) {
            return Ok(((Node::Nothing, 0.0), true));
        }
        self.asked(rel, conditions, needed, order)
    }

    /// A block whose subqueries stay what they are.
    fn placed(
        &self,
        rel: Rel,
        conditions: Vec<Pred>,
        needed: &SlotSet,
        order: Option<&Order<'_>>,
    ) -> SqlResult<(Planned, bool)> {
        let mut block = Block {
            planner: self,
            sources: Vec::new(),
            methods: Vec::new(),
            owner: vec![NOBODY; self.columns.borrow().len()],
            needed: needed.clone(),
            uses: vec![0; self.columns.borrow().len()],
            order,
            leading: None,
            led_share: 1.0,
            ordered: false,
            each: f64::INFINITY,
        };
        needed.iter().for_each(|s| block.used(s));
        let tree = match rel {
            Rel::OneRow => None,
            rel => Some(block.tree(rel)),
        };
        block.leading = tree.as_ref().and_then(|t| block.leader(t));
        conditions.iter().for_each(|p| block.reads(p));
        let (constant, rest): (Vec<Pred>, Vec<Pred>) =
            conditions.into_iter().partition(|p| block.sources_of(Part::Pred(p)).is_empty());
        let (node, rows) = match tree {
            None => (Node::OneRow, 1.0),
            Some(tree) => {
                let (mut items, mut conditions) = (Vec::new(), rest);
                block.flatten(tree, &mut items, &mut conditions);
                if fold::keep_nothing(&conditions) {
                    return Ok(((Node::Nothing, 0.0), true));
                }
                if items.len() > 1 {
                    let all = conditions.len();
                    simplify::transitive(&mut conditions);
                    simplify::apart(
                        &mut conditions,
                        &|p| match block.sources_of(Part::Pred(p))[..] {
                            [source] => Some(source),
                            _ => None,
                        },
                    );
                    conditions[all..].iter().for_each(|p| block.reads(p));
                }
                block.place(items, conditions, &[])?
            }
        };
        let node = match Pred::all(constant) {
            None => node,
            Some(pred) => Node::Filter(Arc::new(Filter { input: node, pred, startup: true })),
        };
        let ordered = block.ordered || order.is_some_and(|o| order::serves(&node, o.keys));
        Ok(((node, rows), ordered))
    }
}

fn tree_sources(t: &Tree, out: &mut Vec<u32>) {
    match t {
        Tree::Source(id) => out.push(*id),
        Tree::Join { left, right, .. } => {
            tree_sources(left, out);
            tree_sources(right, out);
        }
    }
}

impl<'p> Block<'p, '_> {
    /// The tree of a part of FROM; its sources are numbered in the order of the text.
    fn tree(&mut self, rel: Rel) -> Tree {
        match rel {
            Rel::Join(join) => {
                let rel::Join { kind, method, left, right, on } = *join;
                let on = simplify::conjuncts(on, self.planner.meta);
                on.iter().for_each(|p| self.reads(p));
                let left = Box::new(self.tree(left));
                if let Some(method) = method {
                    self.methods.push((self.sources.len() as u32, JoinMethods::only(method)));
                }
                Tree::Join { kind, left, right: Box::new(self.tree(right)), on }
            }
            rel => {
                let (id, columns) = (self.sources.len() as u32, rel.columns());
                columns.iter().for_each(|s| self.owner[s as usize] = id);
                let reads: Vec<Slot> = rel.outer_slots().iter().collect();
                self.needed.extend(reads.iter().copied());
                reads.iter().for_each(|s| self.used(*s));
                self.sources.push(Source { rel: Some(rel), columns, reads });
                Tree::Source(id)
            }
        }
    }

    /// The sources of this block that a part reads.
    fn sources_of(&self, part: Part<'_>) -> SourceList {
        let mut out = SourceList::new();
        slots_of(part, &mut |s| self.add_source(s, &mut out));
        out
    }

    fn add_source(&self, slot: Slot, out: &mut SourceList) {
        let id = self.owner[slot as usize];
        if id != NOBODY && !out.contains(&id) {
            out.push(id);
        }
    }

    fn source(&self, id: u32) -> &Source {
        &self.sources[id as usize]
    }

    fn flatten(&self, t: Tree, items: &mut Vec<Item>, conditions: &mut Vec<Pred>) {
        match t {
            Tree::Source(id) => items.push(Item::Source(id)),
            Tree::Join { kind: JoinType::Inner, left, right, on } => {
                self.flatten(*left, items, conditions);
                self.flatten(*right, items, conditions);
                conditions.extend(on);
            }
            Tree::Join { kind, left, right, on } => {
                let mut sources = Vec::new();
                tree_sources(&left, &mut sources);
                tree_sources(&right, &mut sources);
                items.push(Item::Outer { kind, left: *left, right: *right, on, sources });
            }
        }
    }

    fn item_sources(&self, item: &Item) -> SourceList {
        match item {
            Item::Source(id) => smallvec![*id],
            Item::Outer { sources, .. } => sources.as_slice().into(),
        }
    }

    /// Sources that must be placed before an item: those that its own parts read.
    fn needs(&self, item: &Item) -> SourceList {
        let mut out = SourceList::new();
        let own = self.item_sources(item);
        for id in &own {
            for s in &self.source(*id).reads {
                self.add_source(*s, &mut out);
            }
        }
        out.retain(|s| !own.contains(s));
        out
    }

    /// Joins all items under all conditions. `before`: sources whose slots are set already.
    fn place(
        &mut self,
        mut items: Vec<Item>,
        mut conditions: Vec<Pred>,
        before: &[u32],
    ) -> SqlResult<Planned> {
        let mut placed: Vec<u32> = before.to_vec();
        let mut current: Option<Planned> = None;
        self.each = f64::INFINITY;
        let order = match self.planner.hints.force_order {
            // What an item needs stands before it in the text.
            true => {
                self.follow(&items);
                None
            }
            false => self.led_or_arranged(&items, &conditions, before)?,
        };
        if let Some(order) = order {
            let mut rest: Vec<Option<Item>> = items.into_iter().map(Some).collect();
            items = Vec::new();
            let views = self.sources.iter().any(|s| matches!(s.rel, Some(Rel::Rowset(_))));
            // A subquery that is run for each row is run where the rows are the fewest.
            let mut late = Vec::new();
            if !views {
                (late, conditions) = conditions.into_iter().partition(|p| self.runs_each_row(p));
            }
            for (n, step) in order.iter().enumerate() {
                let Some(item) = rest[step.item].take() else { continue };
                self.each = step.each;
                let rows = step.rows;
                conditions =
                    self.place_next(item, conditions, before, &mut placed, &mut current)?;
                // How many rows a system view has nobody knows: which of two is hashed goes by the text.
                current = current.map(|(node, own)| (node, if views { own } else { rows }));
                if order[n + 1..].iter().all(|later| rows <= later.rows) {
                    let there = |p: &Pred| {
                        self.sources_of(Part::Pred(p)).iter().all(|s| placed.contains(s))
                    };
                    let (now, rest): (Vec<Pred>, Vec<Pred>) = late.into_iter().partition(there);
                    late = rest;
                    current = current.map(|(node, rows)| (filter(node, now), rows));
                }
            }
            conditions.extend(late);
            self.each = f64::INFINITY;
        }
        while !items.is_empty() {
            let at = match self.planner.hints.force_order {
                true => 0,
                false => self.cheapest(&items, &conditions, &placed, current.is_some())?,
            };
            let item = items.remove(at);
            conditions = self.place_next(item, conditions, before, &mut placed, &mut current)?;
        }
        let (node, rows) = current.expect("there is at least one item");
        Ok((filter(node, conditions), rows))
    }

    /// Whether a condition holds a subquery that reads rows of this block.
    fn runs_each_row(&self, p: &Pred) -> bool {
        fn reads(part: Part<'_>, block: &Block<'_, '_>) -> bool {
            let mut found = false;
            match part {
                Part::Plan(s) => {
                    found = s.outer.iter().any(|s| block.owner[*s as usize] != NOBODY);
                }
                Part::Expr(e) => e.children(&mut |p| found |= reads(p, block)),
                Part::Pred(p) => p.children(&mut |p| found |= reads(p, block)),
            }
            found
        }
        reads(Part::Pred(p), self)
    }

    /// The item that is the cheapest to add.
    fn cheapest(
        &self,
        items: &[Item],
        conditions: &[Pred],
        placed: &[u32],
        joining: bool,
    ) -> SqlResult<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (i, item) in items.iter().enumerate() {
            if !self.needs(item).iter().all(|s| placed.contains(s)) {
                continue;
            }
            let cost = self.cost(item, conditions, placed, joining);
            if best.is_none_or(|(_, c)| cost < c) {
                best = Some((i, cost));
            }
        }
        let unsupported =
            || taffrail_base::message::unsupported("This combination of APPLY and joins");
        best.map(|(at, _)| at).ok_or_else(unsupported)
    }

    /// Joins an item to what is joined already, under the conditions that can be checked now; the others come back.
    fn place_next(
        &mut self,
        item: Item,
        conditions: Vec<Pred>,
        before: &[u32],
        placed: &mut Vec<u32>,
        current: &mut Option<Planned>,
    ) -> SqlResult<Vec<Pred>> {
        let own = self.item_sources(&item);
        let (mine, rest): (Vec<Pred>, Vec<Pred>) = conditions.into_iter().partition(|p| {
            let s = self.sources_of(Part::Pred(p));
            s.iter().all(|s| placed.contains(s) || own.contains(s))
        });
        *current = Some(match current.take() {
            None => self.first(item, mine, placed)?,
            Some(left) => {
                let left_sources: Vec<u32> =
                    placed.iter().filter(|s| !before.contains(s)).copied().collect();
                self.add(left, &left_sources, item, mine)?
            }
        });
        placed.extend(own);
        Ok(rest)
    }

    /// The cost of adding an item, roughly: rows read per row of what is there.
    fn cost(&self, item: &Item, conditions: &[Pred], placed: &[u32], joining: bool) -> f64 {
        let own = self.item_sources(item);
        let mine = |p: &&Pred| {
            let s = self.sources_of(Part::Pred(p));
            s.iter().any(|s| own.contains(s))
                && s.iter().all(|s| placed.contains(s) || own.contains(s))
        };
        let equalities = conditions
            .iter()
            .filter(mine)
            .filter(|p| matches!(p, Pred::Compare(c) if c.op == CompareOp::Eq))
            .count();
        let conditions = conditions.iter().filter(mine).count();
        let rows = own.iter().map(|s| self.estimate(*s) as f64).product::<f64>().max(1.0);
        // Without a condition a join is a product: last.
        if joining && conditions == 0 {
            return rows * 1e6;
        }
        let order = own.iter().min().copied().unwrap_or(0) as f64 * 1e-6;
        rows * guess::EQUAL_NEXT.powi(equalities as i32)
            * guess::OTHER.powi((conditions - equalities) as i32)
            + order
    }

    fn first(&mut self, item: Item, conditions: Vec<Pred>, placed: &[u32]) -> SqlResult<Planned> {
        match item {
            Item::Source(id) => self.read(id, conditions),
            Item::Outer { kind, left, right, on, .. } => {
                self.outer(kind, left, right, on, conditions, placed)
            }
        }
    }

    /// Adds an item to what is joined already.
    fn add(
        &mut self,
        left: Planned,
        left_sources: &[u32],
        item: Item,
        conditions: Vec<Pred>,
    ) -> SqlResult<Planned> {
        let own = self.item_sources(&item);
        let lateral = !self.needs(&item).is_empty();
        let methods = self.methods_to(&own);
        if let Item::Source(id) = item
            && (lateral || self.would_seek(id, &conditions, left.1, methods))
        {
            let (right, rows) = self.read(id, conditions)?;
            let rows = left.1 * rows.max(1.0);
            return Ok((loop_join(left.0, right, JoinType::Inner, Vec::new(), Vec::new()), rows));
        }
        let (on, local): (Vec<Pred>, Vec<Pred>) = conditions
            .into_iter()
            .partition(|p| self.sources_of(Part::Pred(p)).iter().any(|s| !own.contains(s)));
        let right = self.first(item, local, &[])?;
        self.join(left, left_sources, right, &own, (JoinType::Inner, methods), on)
    }

    /// How what begins with this source may be joined to what is there.
    fn methods_to(&self, own: &[u32]) -> JoinMethods {
        let known = self.methods.iter().find(|m| own.first() == Some(&m.0));
        known.map_or(self.planner.methods(), |m| m.1)
    }
}

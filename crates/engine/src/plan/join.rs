//! The join tree of a block: which source comes first, by which way each is read, and how they are joined.
//!
//! Greedy: begin with the source that gives the fewest rows, then always take the one that is cheapest to add: by an
//! index seek per row (nested loops), by hashing its join columns, else by nested loops over a spool. Every condition
//! is checked as soon as its sources are there.

use crate::binder::{Binder, Deferred, FromTree, Hints, SlotInfo, Source, SourceKind};
use crate::plan::access::{self, Choice};
use crate::plan::expr::{CompareOp, Expr, Part, Pred, Slot, has_subquery, slots_of};
use crate::plan::node::{
    Access, Filter, HashJoin, JoinType, LoopJoin, Node, Scan, Spool, ViewScan,
};
use taffrail_base::SqlResult;

/// Plans FROM and WHERE of a block.
pub(crate) fn plan_from(
    binder: &mut Binder<'_>,
    block: u32,
    trees: Vec<FromTree>,
    sources: Vec<Source>,
    conjuncts: Vec<Pred>,
) -> SqlResult<Node> {
    Ok(plan_counted(binder, block, trees, sources, conjuncts)?.0)
}

/// The same with the rows it will give, roughly.
fn plan_counted(
    binder: &mut Binder<'_>,
    block: u32,
    trees: Vec<FromTree>,
    sources: Vec<Source>,
    conjuncts: Vec<Pred>,
) -> SqlResult<(Node, f64)> {
    let mut planner = Planner { binder, block, sources: sources.into_iter().map(Some).collect() };
    let mut constant = Vec::new();
    let mut rest = Vec::new();
    for p in conjuncts {
        let part = Part::Pred(&p);
        if planner.sources_of(part).is_empty() { constant.push(p) } else { rest.push(p) }
    }
    let (node, rows) = if trees.is_empty() {
        (Node::OneRow, 1.0)
    } else {
        let mut items = Vec::new();
        for t in trees {
            planner.flatten(t, &mut items, &mut rest);
        }
        planner.place(items, rest, &[])?
    };
    Ok(match Pred::all(constant) {
        None => (node, rows),
        Some(pred) => (Node::Filter(Box::new(Filter { input: node, pred, startup: true })), rows),
    })
}

/// What is joined in one go: a source, or an outer join as a whole.
enum Item {
    Source(u32),
    Outer { kind: JoinType, left: FromTree, right: FromTree, on: Vec<Pred>, sources: Vec<u32> },
}

struct Planner<'p, 'a> {
    binder: &'p mut Binder<'a>,
    block: u32,
    sources: Vec<Option<Source>>,
}

fn tree_sources(t: &FromTree, out: &mut Vec<u32>) {
    match t {
        FromTree::Source(id) => out.push(*id),
        FromTree::Join { left, right, .. } => {
            tree_sources(left, out);
            tree_sources(right, out);
        }
    }
}

impl Planner<'_, '_> {
    /// The sources of this block that a part reads.
    fn sources_of(&self, part: Part<'_>) -> Vec<u32> {
        let mut out = Vec::new();
        slots_of(part, &mut |s| self.add_source(s, &mut out));
        out
    }

    fn add_source(&self, slot: Slot, out: &mut Vec<u32>) {
        let info = &self.binder.slots[slot as usize];
        if info.block == self.block && info.source != u32::MAX && !out.contains(&info.source) {
            out.push(info.source);
        }
    }

    fn source(&self, id: u32) -> &Source {
        let found = self.sources.iter().flatten().find(|s| s.id == id);
        found.expect("a source is placed once")
    }

    /// Slots of these sources: what a join has to keep of its side.
    fn slots_of_sources(&self, ids: &[u32]) -> Vec<Slot> {
        let mut out: Vec<Slot> = Vec::new();
        for (i, info) in self.binder.slots.iter().enumerate() {
            if info.block == self.block && ids.contains(&info.source) {
                out.push(i as Slot);
            }
        }
        out
    }

    fn flatten(&self, t: FromTree, items: &mut Vec<Item>, conditions: &mut Vec<Pred>) {
        match t {
            FromTree::Source(id) => items.push(Item::Source(id)),
            FromTree::Join { kind: JoinType::Inner, left, right, on } => {
                self.flatten(*left, items, conditions);
                self.flatten(*right, items, conditions);
                conditions.extend(on);
            }
            FromTree::Join { kind, left, right, on } => {
                let mut sources = Vec::new();
                tree_sources(&left, &mut sources);
                tree_sources(&right, &mut sources);
                items.push(Item::Outer { kind, left: *left, right: *right, on, sources });
            }
        }
    }

    fn item_sources(&self, item: &Item) -> Vec<u32> {
        match item {
            Item::Source(id) => vec![*id],
            Item::Outer { sources, .. } => sources.clone(),
        }
    }

    /// Sources that must be placed before an item: those that its own parts read.
    fn needs(&self, item: &Item) -> Vec<u32> {
        let mut out = Vec::new();
        let own = self.item_sources(item);
        for id in &own {
            for s in &self.source(*id).depends {
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
    ) -> SqlResult<(Node, f64)> {
        let mut placed: Vec<u32> = before.to_vec();
        let mut current: Option<(Node, f64)> = None;
        while !items.is_empty() {
            let mut best: Option<(usize, f64)> = None;
            for (i, item) in items.iter().enumerate() {
                if !self.needs(item).iter().all(|s| placed.contains(s)) {
                    continue;
                }
                let cost = self.cost(item, &conditions, &placed, current.is_some());
                if best.is_none_or(|(_, c)| cost < c) {
                    best = Some((i, cost));
                }
            }
            let Some((at, _)) = best else {
                return Err(crate::binder::unsupported_error(
                    "This combination of APPLY and joins",
                ));
            };
            let item = items.remove(at);
            let own = self.item_sources(&item);
            let (mine, rest): (Vec<Pred>, Vec<Pred>) = conditions.into_iter().partition(|p| {
                let s = self.sources_of(Part::Pred(p));
                s.iter().all(|s| placed.contains(s) || own.contains(s))
            });
            conditions = rest;
            current = Some(match current {
                None => self.first(item, mine, &placed)?,
                Some(left) => {
                    let left_sources: Vec<u32> =
                        placed.iter().filter(|s| !before.contains(s)).copied().collect();
                    self.add(left, &left_sources, item, mine, &placed)?
                }
            });
            placed.extend(own);
        }
        let (node, rows) = current.expect("there is at least one item");
        Ok((filter(node, conditions), rows))
    }

    fn estimate(&self, id: u32) -> u64 {
        match &self.source(id).kind {
            SourceKind::Table { database, table, .. } => {
                self.binder.meta.row_estimate(database, table)
            }
            SourceKind::View { .. } => 200,
            SourceKind::Derived { .. } => 1000,
        }
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
        rows * 0.1f64.powi(equalities as i32) * 0.4f64.powi((conditions - equalities) as i32)
            + order
    }

    fn first(
        &mut self,
        item: Item,
        conditions: Vec<Pred>,
        placed: &[u32],
    ) -> SqlResult<(Node, f64)> {
        match item {
            Item::Source(id) => self.read(id, conditions, placed).map(|(n, r, _)| (n, r)),
            Item::Outer { kind, left, right, on, sources } => {
                self.outer(kind, left, right, on, sources, conditions, placed)
            }
        }
    }

    /// A scan of a source under conditions that can be checked there. The flag: it reads sources placed before.
    fn read(
        &mut self,
        id: u32,
        conditions: Vec<Pred>,
        placed: &[u32],
    ) -> SqlResult<(Node, f64, bool)> {
        let estimate = self.estimate(id);
        let at = self.sources.iter().position(|s| s.as_ref().is_some_and(|s| s.id == id));
        let at = at.expect("a source is placed once");
        let Source { columns, kind, locator, depends, .. } =
            self.sources[at].take().expect("found above");
        let slots: Vec<(usize, Slot)> =
            columns.iter().enumerate().filter_map(|(i, c)| c.slot.map(|s| (i, s))).collect();
        let mut reads = Vec::new();
        for p in &conditions {
            for s in self.sources_of(Part::Pred(p)) {
                if s != id && !reads.contains(&s) {
                    reads.push(s);
                }
            }
        }
        for s in &depends {
            self.add_source(*s, &mut reads);
        }
        let correlated = reads.iter().any(|s| placed.contains(s));
        // Conditions with subqueries are checked above the scan.
        let (above, conditions): (Vec<Pred>, Vec<Pred>) =
            conditions.into_iter().partition(|p| has_subquery(Part::Pred(p)));
        match kind {
            SourceKind::Table { database, table, hints } => {
                let choice = self.choose(id, &table, &slots, &conditions, estimate, hints);
                let Choice { access, served, rows, .. } = choice;
                let conditions = keep(conditions, &served);
                let scan = Scan {
                    database,
                    table,
                    access,
                    columns: slots,
                    locator,
                    filter: Pred::all(conditions),
                    locks: hints.locks,
                    backward: false,
                };
                Ok((filter(Node::Scan(Box::new(scan)), above), rows, correlated))
            }
            SourceKind::View { database, view, args, dirty } => {
                let node = Node::View(Box::new(ViewScan {
                    view,
                    database,
                    dirty,
                    args,
                    columns: slots,
                    filter: Pred::all(conditions),
                }));
                Ok((filter(node, above), 200.0, correlated))
            }
            SourceKind::Derived { node, deferred } => {
                let node = node.expect("a derived table is placed once");
                let (node, rows, rest) = match deferred {
                    None => (node, 1000.0, conditions),
                    Some(deferred) => self.deferred(id, node, *deferred, conditions)?,
                };
                Ok((filter(filter(node, rest), above), rows, correlated))
            }
        }
    }

    /// Plans what stands in a derived table, under those conditions that are about columns of its tables: they may be served by
    /// an index there. The others come back.
    fn deferred(
        &mut self,
        id: u32,
        above: Node,
        deferred: Deferred,
        conditions: Vec<Pred>,
    ) -> SqlResult<(Node, f64, Vec<Pred>)> {
        let Deferred { block, trees, sources, mut conjuncts, plain } = deferred;
        let mut rest = Vec::new();
        for p in conditions {
            let mut inside = true;
            slots_of(Part::Pred(&p), &mut |s| {
                let info = &self.binder.slots[s as usize];
                if info.block == self.block && info.source == id {
                    inside &= plain.iter().any(|(known, _)| *known == s);
                }
            });
            if inside { conjuncts.push(p) } else { rest.push(p) }
        }
        // Inside, its columns belong to the tables there.
        let slots = &mut self.binder.slots;
        let swap = |slots: &mut Vec<SlotInfo>, plain: Vec<(Slot, SlotInfo)>| -> Vec<_> {
            let one = |(s, info)| (s, std::mem::replace(&mut slots[s as usize], info));
            plain.into_iter().map(one).collect()
        };
        let outside = swap(slots, plain);
        let planned = plan_counted(self.binder, block, trees, sources, conjuncts);
        // Backwards, for a column that is there twice.
        swap(&mut self.binder.slots, outside.into_iter().rev().collect());
        let (node, rows) = planned?;
        let node = match above {
            Node::Compute(mut compute) => {
                compute.input = node;
                Node::Compute(compute)
            }
            _ => node,
        };
        Ok((node, rows, rest))
    }

    fn choose(
        &self,
        id: u32,
        table: &crate::catalog::Table,
        slots: &[(usize, Slot)],
        conditions: &[Pred],
        estimate: u64,
        hints: Hints,
    ) -> Choice {
        if hints.force_scan {
            let rows = estimate as f64;
            return Choice { access: Access::Full, served: Vec::new(), rows, correlated: false };
        }
        // All conditions here mention placed sources and this one only.
        let available = |e: &Expr| {
            !has_subquery(Part::Expr(e)) && !self.sources_of(Part::Expr(e)).contains(&id)
        };
        let correlated = |e: &Expr| !self.sources_of(Part::Expr(e)).is_empty();
        access::choose(table, slots, conditions, estimate, &available, &correlated)
    }

    /// Whether reading a source under these conditions would seek by what is placed.
    fn would_seek(&self, id: u32, conditions: &[Pred]) -> bool {
        let source = self.source(id);
        let SourceKind::Table { database, table, hints } = &source.kind else { return false };
        let slots: Vec<(usize, Slot)> =
            source.columns.iter().enumerate().filter_map(|(i, c)| c.slot.map(|s| (i, s))).collect();
        let rows = self.binder.meta.row_estimate(database, table);
        let choice = self.choose(id, table, &slots, conditions, rows, *hints);
        choice.correlated && !matches!(choice.access, Access::Full)
    }

    /// Adds an item to what is joined already.
    fn add(
        &mut self,
        left: (Node, f64),
        left_sources: &[u32],
        item: Item,
        conditions: Vec<Pred>,
        placed: &[u32],
    ) -> SqlResult<(Node, f64)> {
        let own = self.item_sources(&item);
        let lateral = !self.needs(&item).is_empty();
        if let Item::Source(id) = item
            && (lateral || self.would_seek(id, &conditions))
        {
            let (right, rows, _) = self.read(id, conditions, placed)?;
            let rows = left.1 * rows.max(1.0);
            return Ok((loop_join(left.0, right, JoinType::Inner, Vec::new(), Vec::new()), rows));
        }
        let (on, local): (Vec<Pred>, Vec<Pred>) = conditions
            .into_iter()
            .partition(|p| self.sources_of(Part::Pred(p)).iter().any(|s| !own.contains(s)));
        let right = self.first(item, local, &[])?;
        self.join(left, left_sources, right, &own, JoinType::Inner, on)
    }

    /// Joins two inputs that do not read each other.
    fn join(
        &mut self,
        left: (Node, f64),
        left_sources: &[u32],
        right: (Node, f64),
        right_sources: &[u32],
        kind: JoinType,
        on: Vec<Pred>,
    ) -> SqlResult<(Node, f64)> {
        let mut keys = Vec::new();
        let mut residual = Vec::new();
        for p in on {
            match self.equality(p, left_sources, right_sources) {
                Ok(key) => keys.push(key),
                Err(p) => residual.push(p),
            }
        }
        let right_slots = self.slots_of_sources(right_sources);
        if keys.is_empty() {
            if kind == JoinType::Full {
                return Err(crate::binder::unsupported_error("FULL JOIN without an equality"));
            }
            let spool = Node::Spool(Box::new(Spool { input: right.0, save: right_slots.clone() }));
            let rows = left.1 * right.1;
            return Ok((loop_join(left.0, spool, kind, residual, right_slots), rows));
        }
        let left_slots = self.slots_of_sources(left_sources);
        let rows = left.1.max(right.1);
        // The smaller side is hashed.
        let swap = kind == JoinType::Inner && right.1 > left.1;
        let join = if swap {
            HashJoin {
                left: right.0,
                right: left.0,
                kind,
                keys: keys.into_iter().map(|(l, r, c)| (r, l, c)).collect(),
                residual: Pred::all(residual),
                left_slots: right_slots,
                right_slots: left_slots,
            }
        } else {
            HashJoin {
                left: left.0,
                right: right.0,
                kind,
                keys,
                residual: Pred::all(residual),
                left_slots,
                right_slots,
            }
        };
        Ok((Node::Hash(Box::new(join)), rows))
    }

    /// The two sides of an equality between the inputs.
    #[allow(clippy::result_large_err)]
    fn equality(
        &self,
        p: Pred,
        left: &[u32],
        right: &[u32],
    ) -> Result<(Expr, Expr, taffrail_types::Collation), Pred> {
        let Pred::Compare(c) = p else { return Err(p) };
        if c.op != CompareOp::Eq
            || has_subquery(Part::Expr(&c.left))
            || has_subquery(Part::Expr(&c.right))
        {
            return Err(Pred::Compare(c));
        }
        let l = self.sources_of(Part::Expr(&c.left));
        let r = self.sources_of(Part::Expr(&c.right));
        let within =
            |list: &[u32], of: &[u32]| !list.is_empty() && list.iter().all(|s| of.contains(s));
        if within(&l, left) && within(&r, right) {
            return Ok((c.left, c.right, c.collation));
        }
        if within(&l, right) && within(&r, left) {
            return Ok((c.right, c.left, c.collation));
        }
        Err(Pred::Compare(c))
    }

    /// An outer join: `conditions` are those of WHERE, checked above, except where they concern the preserved side only.
    #[allow(clippy::too_many_arguments)]
    fn outer(
        &mut self,
        kind: JoinType,
        left: FromTree,
        right: FromTree,
        on: Vec<Pred>,
        _sources: Vec<u32>,
        conditions: Vec<Pred>,
        placed: &[u32],
    ) -> SqlResult<(Node, f64)> {
        let (mut left_sources, mut right_sources) = (Vec::new(), Vec::new());
        tree_sources(&left, &mut left_sources);
        tree_sources(&right, &mut right_sources);
        let only = |this: &Self, p: &Pred, side: &[u32]| {
            this.sources_of(Part::Pred(p)).iter().all(|s| side.contains(s) || placed.contains(s))
        };
        let (mut below, above): (Vec<Pred>, Vec<Pred>) = match kind {
            JoinType::Full => (Vec::new(), conditions),
            _ => conditions.into_iter().partition(|p| only(self, p, &left_sources)),
        };
        let mut items = Vec::new();
        self.flatten(left, &mut items, &mut below);
        let left_node = self.place(items, below, placed)?;
        // The right side, with those conditions of ON that concern it alone.
        let mut items = Vec::new();
        let mut inner = Vec::new();
        self.flatten(right, &mut items, &mut inner);
        let lateral = items.iter().any(|i| !self.needs(i).is_empty());
        let single = match items[..] {
            [Item::Source(id)] => Some(id),
            _ => None,
        };
        if kind == JoinType::Left
            && let Some(id) = single
            && (lateral || self.would_seek(id, &on))
        {
            let mut all = placed.to_vec();
            all.extend(&left_sources);
            let mut conditions = on;
            conditions.extend(inner);
            let (right, rows, _) = self.read(id, conditions, &all)?;
            let slots = self.slots_of_sources(&right_sources);
            let rows = left_node.1 * rows.max(1.0);
            let node = loop_join(left_node.0, right, kind, Vec::new(), slots);
            return Ok((filter(node, above), rows));
        }
        let on = match kind {
            JoinType::Full => on,
            _ => {
                let (local, on) = on.into_iter().partition(|p| {
                    let s = self.sources_of(Part::Pred(p));
                    !s.is_empty() && s.iter().all(|s| right_sources.contains(s))
                });
                inner.extend::<Vec<Pred>>(local);
                on
            }
        };
        let right_node = self.place(items, inner, &[])?;
        let (node, rows) =
            self.join(left_node, &left_sources, right_node, &right_sources, kind, on)?;
        Ok((filter(node, above), rows))
    }
}

fn keep(conditions: Vec<Pred>, served: &[usize]) -> Vec<Pred> {
    let kept = conditions.into_iter().enumerate().filter(|(i, _)| !served.contains(i));
    kept.map(|(_, p)| p).collect()
}

fn filter(node: Node, conditions: Vec<Pred>) -> Node {
    match Pred::all(conditions) {
        None => node,
        Some(pred) => Node::Filter(Box::new(Filter { input: node, pred, startup: false })),
    }
}

fn loop_join(
    left: Node,
    right: Node,
    kind: JoinType,
    on: Vec<Pred>,
    right_slots: Vec<Slot>,
) -> Node {
    Node::Loop(Box::new(LoopJoin { left, right, kind, on: Pred::all(on), right_slots }))
}

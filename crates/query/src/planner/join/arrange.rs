//! The order in which the sources of a block are joined.
//!
//! All orders in which each source is added to what is joined already are weighed by what the joins make, the best way to each set
//! of sources once: at most `sources × 2^sources` steps, so the search is bounded by a count. With more than [`SEARCHED`] sources
//! the next one is always the cheapest.

use super::{Block, Item};
use crate::planner::access::guess;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use taffrail_catalog::{Index, IndexKind, Table};
use taffrail_plan::expr::{CompareOp, Expr, Part, Pred};
use taffrail_plan::node::Access;
use taffrail_plan::rel::{Get, Rel};

/// So many sources are searched through.
const SEARCHED: usize = 10;

/// The facts about an item of the join.
struct Known {
    /// Items that must be placed before it.
    needs: u32,
    /// Rows that it has.
    rows: f64,
    /// Rows that pass the conditions on it alone.
    passing: f64,
    /// The cost of reading those rows.
    cost: f64,
}

/// An equality of two items' columns.
struct Edge {
    /// Item and column here and there; `None` for what is no column.
    ends: [(usize, Option<usize>); 2],
}

/// A condition about more than one item that is no [`Edge`].
struct Other {
    items: u32,
}

/// Columns that equalities make one, and how many different values they have at most: as many as a key among them has rows.
#[derive(Default)]
struct Classes(Vec<(Vec<(usize, usize)>, f64)>);

impl Classes {
    fn of(&self, column: (usize, usize)) -> f64 {
        let class = self.0.iter().find(|(members, _)| members.contains(&column));
        class.map_or(f64::INFINITY, |c| c.1)
    }

    /// `a` and `b` are equal; the figures are what is known of each alone.
    fn join(&mut self, a: ((usize, usize), f64), b: ((usize, usize), f64)) {
        let mut merged = (vec![a.0, b.0], a.1.min(b.1));
        self.0.retain(|(members, most)| {
            let meets = members.contains(&a.0) || members.contains(&b.0);
            if meets {
                merged.0.extend(members);
                merged.1 = merged.1.min(*most);
            }
            !meets
        });
        self.0.push(merged);
    }
}

/// The best way to a set of items.
#[derive(Clone, Copy)]
struct Way {
    cost: f64,
    rows: f64,
    last: usize,
    each: f64,
}

/// The result of adding an item.
struct Added {
    /// The rows that are joined then.
    rows: f64,
    /// The cost of each row: see [`Step::each`].
    each: f64,
    cost: f64,
}

/// An item's place in an order.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// The number of the item.
    pub item: usize,
    /// The rows that are joined then.
    pub rows: f64,
    /// So many of the item's rows have the columns of one row that is there already, whatever else is asked of them.
    pub each: f64,
}

/// An order of items.
pub(super) struct Arranged {
    /// The items in their order.
    pub order: Vec<Step>,
    /// The cost of the order.
    pub cost: f64,
}

impl Block<'_, '_> {
    /// The best order; `None` where it is not searched for. `before`: sources that are there already. `first`: the item that it begins
    /// with, and the share of that item's rows that will be asked for.
    pub(super) fn arranged(
        &self,
        items: &[Item],
        conditions: &[Pred],
        before: &[u32],
        first: Option<(usize, f64)>,
    ) -> Option<Arranged> {
        if items.len() < 2 || items.len() > SEARCHED {
            return None;
        }
        let item_of =
            |source: u32| items.iter().position(|i| self.item_sources(i).contains(&source));
        let mut known: Vec<Known> = Vec::with_capacity(items.len());
        for item in items {
            let mut needs = 0;
            for s in self.needs(item) {
                match item_of(s) {
                    Some(at) => needs |= 1 << at,
                    None if before.contains(&s) => {}
                    None => return None,
                }
            }
            let first = *self.item_sources(item).first()?;
            let rows = (self.estimate(first) as f64).max(1.0);
            known.push(Known { needs, rows, passing: rows, cost: rows });
        }
        let (mut edges, mut others) = (Vec::new(), Vec::new());
        let mut alone: Vec<Vec<Pred>> = vec![Vec::new(); items.len()];
        for p in conditions {
            let mut mask = 0u32;
            for s in self.sources_of(Part::Pred(p)) {
                mask |= item_of(s).map_or(0, |at| 1 << at);
            }
            match mask.count_ones() {
                0 => {}
                1 => {
                    let at = mask.trailing_zeros() as usize;
                    known[at].passing *= self.passing_share(&items[at], p);
                    alone[at].push(p.clone());
                }
                _ => match self.edge(items, p) {
                    Some(edge) => edges.push(edge),
                    None => others.push(Other { items: mask }),
                },
            }
        }
        for ((k, item), own) in known.iter_mut().zip(items).zip(&alone) {
            k.passing = k.passing.max(1.0);
            if let (Item::Source(id), Some(get), false) =
                (item, self.table_of(item), own.is_empty())
                && let Ok(choice) = self.choose(*id, get, own, k.rows as u64)
                && !matches!(choice.access, Access::Full)
            {
                k.cost = choice.cost.min(k.rows);
            }
        }
        let mut classes = Classes::default();
        for e in &edges {
            if let [(a, Some(c)), (b, Some(d))] = e.ends {
                let most = |item: usize, column: usize| match self.has_key(&items[item], &[column])
                {
                    true => known[item].rows,
                    false => f64::INFINITY,
                };
                classes.join(((a, c), most(a, c)), ((b, d), most(b, d)));
            }
        }
        self.search(items, &known, (&edges, &others, &classes), first)
    }

    fn search(
        &self,
        items: &[Item],
        known: &[Known],
        (edges, others, classes): (&[Edge], &[Other], &Classes),
        first: Option<(usize, f64)>,
    ) -> Option<Arranged> {
        let scale = first.map_or(1.0, |f| f.1);
        let all = (1u32 << items.len()) - 1;
        let mut best: Vec<Option<Way>> = vec![None; all as usize + 1];
        for set in 0..=all {
            let way = match set {
                0 => Way { cost: 0.0, rows: 1.0, last: 0, each: f64::INFINITY },
                set => match best[set as usize] {
                    Some(way) => way,
                    None => continue,
                },
            };
            for (at, k) in known.iter().enumerate() {
                let bit = 1 << at;
                if set & bit != 0 || k.needs & !set != 0 {
                    continue;
                }
                let Added { rows, each, cost } = match set {
                    0 if first.is_some_and(|f| f.0 != at) => continue,
                    0 => Added { rows: k.passing, each: f64::INFINITY, cost: k.cost * scale },
                    set => {
                        let there = (set, way.rows, scale);
                        self.added(items, known, (edges, others, classes), there, at)
                    }
                };
                let cost = way.cost + cost;
                let place = &mut best[(set | bit) as usize];
                // Of equal ways the one in the order of the text.
                if place.is_none_or(|w| cost < w.cost) {
                    *place = Some(Way { cost, rows, last: at, each });
                }
            }
        }
        let mut order = Vec::with_capacity(items.len());
        let mut set = all;
        while set != 0 {
            let Way { last, rows, each, .. } = best[set as usize]?;
            order.push(Step { item: last, rows, each });
            set &= !(1 << last);
        }
        order.reverse();
        Some(Arranged { order, cost: best[all as usize]?.cost })
    }

    /// The result of adding an item to a set of so many rows, a share of which will be asked for.
    fn added(
        &self,
        items: &[Item],
        known: &[Known],
        (edges, others, classes): (&[Edge], &[Other], &Classes),
        (set, left, scale): (u32, f64, f64),
        at: usize,
    ) -> Added {
        let k = &known[at];
        // Columns of the new item, and of each placed one, that an equality binds; what the equalities leave.
        let mut bound: SmallVec<[usize; 4]> = SmallVec::new();
        let mut shares: SmallVec<[f64; 4]> = SmallVec::new();
        let mut placed_keys: SmallVec<[(usize, SmallVec<[usize; 2]>); 2]> = SmallVec::new();
        for e in edges {
            let [a, b] = e.ends;
            let (mine, theirs) = match (a.0 == at, b.0 == at) {
                (true, false) if set & (1 << b.0) != 0 => (a, b),
                (false, true) if set & (1 << a.0) != 0 => (b, a),
                _ => continue,
            };
            bound.extend(mine.1);
            if let Some(c) = theirs.1 {
                match placed_keys.iter_mut().find(|p| p.0 == theirs.0) {
                    Some(p) => p.1.push(c),
                    None => placed_keys.push((theirs.0, smallvec![c])),
                }
            }
            let different = |end: (usize, Option<usize>)| {
                let most = end.1.map_or(f64::INFINITY, |column| classes.of((end.0, column)));
                self.different(&items[end.0], end.1, known[end.0].rows).min(most)
            };
            let different = different(mine).max(different(theirs));
            shares.push(1.0 / different.max(1.0));
        }
        let with_bit = set | 1 << at;
        let about_both =
            others.iter().filter(|o| o.items & (1 << at) != 0 && o.items & !with_bit == 0);
        let loose = about_both.count();
        if shares.is_empty() && loose == 0 {
            // A product.
            let rows = left * k.passing;
            return Added { rows, each: k.rows, cost: k.cost + rows * scale * 2.0 };
        }
        // Several equalities between the same tables say less than each of them alone.
        shares.sort_by(f64::total_cmp);
        let mut share = 1.0;
        let mut power = 1.0;
        for s in &shares {
            share *= if power == 1.0 { *s } else { s.powf(power) };
            power /= 2.0;
        }
        // A whole unique key on one side: at most one partner for each row of the other.
        if self.has_key(&items[at], &bound) {
            share = 1.0 / k.rows;
        } else if let Some((other, _)) =
            placed_keys.iter().find(|(other, columns)| self.has_key(&items[*other], columns))
        {
            share = 1.0 / known[*other].rows;
        }
        let rows = (left * k.passing * share * guess::OTHER.powi(loose as i32)).max(1.0);
        let hashed = k.cost + scale * (left * 0.5 + rows * 0.2) + k.passing.min(left);
        let sought = match self.sought(&items[at], &bound) {
            Some(found) => {
                let each = guess::SEEK + found * (k.rows * share).max(0.3);
                scale * (left * each + rows * 0.2)
            }
            None => f64::INFINITY,
        };
        let unkeyed = if shares.is_empty() { scale * left * k.passing } else { 0.0 };
        let each = if shares.is_empty() { f64::INFINITY } else { k.rows * share };
        Added { rows, each, cost: hashed.min(sought) + unkeyed }
    }

    /// The share of an item's rows that satisfy a condition on it alone.
    fn passing_share(&self, item: &Item, p: &Pred) -> f64 {
        match p {
            Pred::Compare(c) => match c.op {
                CompareOp::Eq => {
                    let column = self.column(&c.left).or_else(|| self.column(&c.right));
                    match column {
                        Some((source, column)) if self.is_item(item, source) => {
                            let rows = (self.estimate(source) as f64).max(1.0);
                            if self.has_key(item, &[column]) {
                                1.0 / rows
                            } else if self.leads_to(item, &[column]) {
                                guess::equal(rows)
                            } else {
                                guess::EQUAL
                            }
                        }
                        _ => guess::EQUAL,
                    }
                }
                CompareOp::Ne => guess::UNEQUAL,
                _ => guess::RANGE,
            },
            Pred::InList(l) => (guess::EQUAL * l.list.len() as f64).min(0.5),
            Pred::And(list) => list.iter().map(|p| self.passing_share(item, p)).product(),
            Pred::Or(list) => {
                list.iter().map(|p| self.passing_share(item, p)).sum::<f64>().min(1.0)
            }
            Pred::Not(_) => guess::PRESENT,
            _ => guess::OTHER,
        }
    }

    fn is_item(&self, item: &Item, source: u32) -> bool {
        matches!(item, Item::Source(id) if *id == source)
    }

    fn table_of(&self, item: &Item) -> Option<&Get> {
        let Item::Source(id) = item else { return None };
        match &self.source(*id).rel {
            Some(Rel::Get(get)) => Some(get),
            _ => None,
        }
    }

    /// The source and column of a table that an expression is.
    fn column(&self, e: &Expr) -> Option<(u32, usize)> {
        let e = match e {
            Expr::Cast(c) => &c.value,
            e => e,
        };
        let Expr::Slot(slot) = e else { return None };
        let id = self.owner[*slot as usize];
        let source = self.sources.get(id as usize)?;
        let Some(Rel::Get(get)) = &source.rel else { return None };
        let column = get.columns.iter().find(|(_, s)| s == slot)?.0;
        Some((id, column))
    }

    fn edge(&self, items: &[Item], p: &Pred) -> Option<Edge> {
        let Pred::Compare(c) = p else { return None };
        if c.op != CompareOp::Eq {
            return None;
        }
        let end = |e: &Expr| {
            let [source] = self.sources_of(Part::Expr(e))[..] else { return None };
            let item = items.iter().position(|i| self.item_sources(i).contains(&source))?;
            let column = self.column(e).filter(|(id, _)| self.is_item(&items[item], *id));
            Some((item, column.map(|(_, c)| c)))
        };
        let ends = [end(&c.left)?, end(&c.right)?];
        (ends[0].0 != ends[1].0).then_some(Edge { ends })
    }

    /// How many different values a column has, roughly.
    fn different(&self, item: &Item, column: Option<usize>, rows: f64) -> f64 {
        match (self.table_of(item), column) {
            (Some(get), Some(column)) => match unique(&get.table.table, &[column]) {
                true => rows,
                false => (rows * guess::EQUAL_NEXT).max(1.0),
            },
            _ => (rows * guess::EQUAL_NEXT).max(1.0),
        }
    }

    /// Whether these columns hold a unique key of the item.
    fn has_key(&self, item: &Item, columns: &[usize]) -> bool {
        self.table_of(item).is_some_and(|get| unique(&get.table.table, columns))
    }

    /// The cost of reading a row that an index finds which begins with one of these columns; `None` where there is none.
    fn sought(&self, item: &Item, columns: &[usize]) -> Option<f64> {
        let get = self.table_of(item).filter(|get| !get.hints.access.scan)?;
        let all = get.table.table.indexes.iter().filter(|i| i.filter.is_none());
        let leads = |i: &&Arc<Index>| {
            i.kind != IndexKind::Heap
                && i.key.columns().first().is_some_and(|k| columns.contains(&k.column))
        };
        let covers = |i: &Index| get.columns.iter().all(|(c, _)| i.covers(*c).is_some());
        let found = all.filter(leads).map(|i| match i.kind == IndexKind::Clustered || covers(i) {
            true => guess::CLUSTERED,
            false => guess::FETCH,
        });
        found.min_by(f64::total_cmp)
    }

    /// Whether an index begins with one of these columns.
    fn leads_to(&self, item: &Item, columns: &[usize]) -> bool {
        self.table_of(item).is_some_and(|get| {
            let indexes = get.table.table.indexes.iter().filter(|i| i.kind != IndexKind::Heap);
            !get.hints.access.scan
                && indexes
                    .filter(|i| i.filter.is_none())
                    .any(|i| i.key.columns().first().is_some_and(|k| columns.contains(&k.column)))
        })
    }
}

fn unique(table: &Table, columns: &[usize]) -> bool {
    let whole = table.indexes.iter().filter(|i| i.unique && i.filter.is_none());
    whole
        .filter(|i| i.kind != IndexKind::Heap)
        .any(|i| i.key.columns().iter().all(|k| columns.contains(&k.column)))
}

//! Recursive common table expressions.
//!
//! ```text
//! WITH n AS (anchor UNION … anchor UNION ALL part that mentions n UNION ALL …)
//!
//! Recursive ── anchors: rows into the result slots
//!           └─ parts:   each mention of n is one row, taken from the work slots, where the operator puts every row of the
//!                       result in turn; their rows go into the result slots again
//! ```
//! That an expression is recursive is seen when its own name comes up while it is bound; it is then bound again, this way.

use super::query::BoundQuery;
use super::{Binder, Bound, FromTree, eq};
use crate::plan::expr::{Expr, Slot};
use crate::plan::rel::{Recursive, Rel};
use crate::sink::ColumnDesc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, SetOperator};

/// OPTION (MAXRECURSION n) when it is not said.
pub(crate) const MAX_RECURSION: u32 = 100;

/// A recursive expression whose parts are being bound.
pub(crate) struct Recursion<'a> {
    name: &'a str,
    names: &'a [ast::Ident],
    /// Where the operator puts the row that a part works on.
    work: Vec<Slot>,
    columns: Vec<ColumnDesc>,
    /// The part that is being bound mentions it.
    used: bool,
    /// How many blocks and subqueries enclose the part.
    outside: (usize, u32),
    /// The blocks of the part whose rows come from the mention.
    blocks: Vec<u32>,
}

impl<'a> Binder<'a> {
    /// The query of a common table expression.
    pub(crate) fn cte_query(&mut self, table: &'a ast::CommonTable) -> SqlResult<BoundQuery> {
        let before = std::mem::replace(&mut self.self_reference, false);
        let bound = self.query(&table.query, true);
        let recursive = std::mem::replace(&mut self.self_reference, before);
        match (bound, &table.query.body) {
            (Err(_), ast::QueryBody::Set(chain)) if recursive => self.recursive(table, chain),
            (bound, _) => bound,
        }
    }

    /// The expression's own name within it.
    pub(crate) fn recursive_reference(&mut self, name: &str, alias: &str) -> SqlResult<FromTree> {
        let known = self.recursion.last_mut().filter(|r| eq(r.name, name));
        let Some(r) = known else {
            self.self_reference = true;
            return Err(SqlError::new(252, &[&name]));
        };
        if self.subquery_depth > r.outside.1 {
            return Err(SqlError::new(465, &[]));
        }
        if std::mem::replace(&mut r.used, true) {
            return Err(SqlError::new(253, &[&name]));
        }
        r.blocks.extend(self.blocks.iter().skip(r.outside.0).map(|b| b.id));
        let (work, columns, names) = (r.work.clone(), r.columns.clone(), r.names);
        let outputs = self.slots_of(&columns, &work);
        let items = work.iter().zip(&outputs).map(|(w, o)| (Expr::Slot(*w), *o)).collect();
        let rel = Rel::compute(Rel::OneRow, items);
        let bound = BoundQuery { rel, outputs, columns, ..BoundQuery::default() };
        self.derived(bound, alias, names)
    }

    /// Whether the recursive part that is being bound has mentioned its expression.
    pub(crate) fn recursion_used(&self) -> bool {
        self.recursion.last().is_some_and(|r| r.used)
    }

    /// 462 when what an outer join joins mentions the expression: `before` it did not.
    pub(crate) fn outer_join_allowed(&self, before: bool) -> SqlResult<()> {
        match self.recursion.last() {
            Some(r) if r.used && !before => Err(SqlError::new(462, &[&r.name])),
            _ => Ok(()),
        }
    }

    /// 467 for an aggregate over rows that come from the recursive part's mention of its expression.
    pub(crate) fn aggregate_allowed(&self, block: u32) -> SqlResult<()> {
        match self.recursion.last() {
            Some(r) if r.blocks.contains(&block) => Err(SqlError::new(467, &[&r.name])),
            _ => Ok(()),
        }
    }

    /// New slots for columns; texts come by their collations as those of `like` do.
    fn slots_of(&mut self, columns: &[ColumnDesc], like: &[Slot]) -> Vec<Slot> {
        let mut slots = Vec::with_capacity(columns.len());
        for (c, like) in columns.iter().zip(like) {
            let collation = c.collation.unwrap_or_default();
            let coercion = self.slots[*like as usize].coercion;
            let b = Bound { collation, coercion, ..Bound::of(Expr::NULL, c.declared()) };
            slots.push(self.computed_slot(&b, &c.name));
        }
        slots
    }

    /// 246, 247, 252, 240, 460 and their like; 253, 462, 465 and 467 come from where such things are bound.
    fn recursive(
        &mut self,
        table: &'a ast::CommonTable,
        chain: &'a ast::SetChain,
    ) -> SqlResult<BoundQuery> {
        let name = &*table.name.value;
        if chain.rest.iter().all(|(op, _)| *op != SetOperator::UnionAll) {
            return Err(SqlError::new(252, &[&name]));
        }
        let was = std::mem::replace(&mut self.self_reference, false);
        let first = self.body(&chain.first);
        if std::mem::replace(&mut self.self_reference, was) {
            return Err(SqlError::new(246, &[&name]));
        }
        let first = first?;
        // Anchors up to the first part that mentions the expression.
        let mut others = Vec::new();
        for (op, body) in &chain.rest {
            let was = std::mem::replace(&mut self.self_reference, false);
            let bound = self.body(body);
            if std::mem::replace(&mut self.self_reference, was) {
                break;
            }
            others.push((*op, bound?));
        }
        let recursive = &chain.rest[others.len()..];
        if recursive.iter().any(|(op, _)| *op != SetOperator::UnionAll) {
            return Err(SqlError::new(252, &[&name]));
        }
        let first = self.combined(first, others)?;
        let columns: Vec<ColumnDesc> = first
            .columns
            .iter()
            .map(|c| ColumnDesc { nullable: true, identity: false, ..c.clone() })
            .collect();
        let like = &first.outputs;
        let (slots, work) = (self.slots_of(&columns, like), self.slots_of(&columns, like));
        let anchors = vec![self.convert_into(first, &columns, &slots)?];
        let mut parts = Vec::new();
        for (_, body) in recursive {
            self.recursion.push(Recursion {
                name,
                names: &table.columns,
                work: work.clone(),
                columns: columns.clone(),
                used: false,
                outside: (self.blocks.len(), self.subquery_depth),
                blocks: Vec::new(),
            });
            let bound = self.body(body);
            let used = self.recursion.pop().is_some_and(|r| r.used);
            let bound = bound?;
            if bound.columns.len() != columns.len() {
                return Err(SqlError::new(205, &[]));
            }
            if !used {
                return Err(SqlError::new(247, &[&name]));
            }
            if let ast::QueryBody::Select(block) = body {
                allowed(name, block)?;
            }
            let differs = |(a, b): (&ColumnDesc, &ColumnDesc)| a.declared() != b.declared();
            if let Some(at) = columns.iter().zip(&bound.columns).position(differs) {
                let column = table.columns.get(at).map_or(&*columns[at].name, |n| &n.value);
                return Err(SqlError::new(240, &[&column, &name]));
            }
            parts.push(self.convert_into(bound, &columns, &slots)?);
        }
        let limit = self.max_recursion;
        let outputs = slots.clone();
        let rel = Rel::Recursive(Box::new(Recursive { anchors, parts, slots, work, limit }));
        Ok(BoundQuery { rel, outputs, columns, ..BoundQuery::default() })
    }

    /// Puts a query's columns, converted, into the slots of the result.
    fn convert_into(
        &mut self,
        q: BoundQuery,
        columns: &[ColumnDesc],
        slots: &[Slot],
    ) -> SqlResult<Rel> {
        if !q.assign.is_empty() {
            return Err(SqlError::new(10734, &[]));
        }
        let mut items = Vec::with_capacity(slots.len());
        for (((from, c), to), slot) in q.outputs.iter().zip(&q.columns).zip(columns).zip(slots) {
            let collation = c.collation.unwrap_or_default();
            let b = Bound { collation, ..Bound::of(Expr::Slot(*from), c.declared()) };
            items.push((self.cast_to_declared(b, to.declared())?, *slot));
        }
        Ok(Rel::compute(q.rel, items))
    }
}

/// What the recursive part must not do: it sees one row at a time.
fn allowed(name: &str, block: &ast::SelectBlock) -> SqlResult<()> {
    if block.distinct {
        return Err(SqlError::new(460, &[&name]));
    }
    if block.top.is_some() {
        return Err(SqlError::new(461, &[&name]));
    }
    if block.group_by.is_some() || block.having.is_some() {
        return Err(SqlError::new(467, &[&name]));
    }
    Ok(())
}

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
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::{Expr, Slot};
use taffrail_plan::rel::{Recursive, Rel};
use taffrail_plan::sink::ColumnDesc;
use taffrail_syntax::ast::{self, SetOperator};

/// OPTION (MAXRECURSION n) when it is not said.
pub(crate) const MAX_RECURSION: u32 = 100;

/// A recursive expression whose parts are being bound.
pub struct Recursion<'a> {
    name: &'a str,
    names: &'a [ast::Ident],
    /// Where the operator puts the row that a part works on.
    work: Vec<Slot>,
    columns: Vec<ColumnDesc>,
    /// The part that is being bound mentions it.
    used: bool,
    /// How many subqueries enclose the part.
    outside: u32,
    /// What is bound stands in a set operation within the part: there everything is allowed.
    in_set: bool,
    /// The first thing in the part that is not allowed: 460, 461 or 467.
    refused: Option<i32>,
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
        if self.subquery_depth > r.outside {
            return Err(SqlError::new(465, &[]));
        }
        if std::mem::replace(&mut r.used, true) {
            return Err(SqlError::new(253, &[&name]));
        }
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

    /// Notes what a block within a recursive part must not do, its own or that of a derived table or subquery: the part sees one row at
    /// a time. Views and other expressions are not looked into, nor are set operations.
    pub(super) fn block_in_recursion(&mut self, s: &ast::SelectBlock) {
        let number = match s {
            s if s.distinct => 460,
            s if s.top.is_some() => 461,
            s if s.group_by.is_some() || s.having.is_some() => 467,
            _ => return,
        };
        self.not_in_recursion(number);
    }

    /// The same of one such thing.
    pub(super) fn not_in_recursion(&mut self, number: i32) {
        if let Some(r) = self.recursion.last_mut().filter(|r| !r.in_set) {
            r.refused.get_or_insert(number);
        }
    }

    /// Runs `f` for the parts of a set operation.
    pub(super) fn within_set<R>(
        &mut self,
        f: impl FnOnce(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<R> {
        let before = self.recursion.last_mut().map(|r| std::mem::replace(&mut r.in_set, true));
        let done = f(self);
        if let (Some(r), Some(before)) = (self.recursion.last_mut(), before) {
            r.in_set = before;
        }
        done
    }

    /// New slots for columns; texts come by their collations as those of `like` do.
    fn slots_of(&mut self, columns: &[ColumnDesc], like: &[Slot]) -> Vec<Slot> {
        let mut slots = Vec::with_capacity(columns.len());
        for (c, like) in columns.iter().zip(like) {
            let collation = c.collation.unwrap_or_default();
            let label = self.columns[*like].label;
            let b = Bound { collation, label, ..Bound::of(Expr::NULL, c.declared()) };
            slots.push(self.computed_slot(&b, &c.name));
        }
        slots
    }

    /// 246, 247, 252, 240, 460 and their like; 253, 462 and 465 come from where such things are bound.
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
            .map(|c| ColumnDesc { nullable: true, identity: false, computed: true, ..c.clone() })
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
                outside: self.subquery_depth,
                in_set: false,
                refused: None,
            });
            let bound = self.body(body);
            let part = self.recursion.pop();
            let bound = bound?;
            if bound.columns.len() != columns.len() {
                return Err(SqlError::new(205, &[]));
            }
            if !part.as_ref().is_some_and(|r| r.used) {
                return Err(SqlError::new(247, &[&name]));
            }
            if let Some(number) = part.and_then(|r| r.refused) {
                return Err(SqlError::new(number, &[&name]));
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
            items.push((
                self.cast_to_declared_as(b, to.declared(), to.collation.unwrap_or_default())?,
                *slot,
            ));
        }
        Ok(Rel::compute(q.rel, items))
    }
}

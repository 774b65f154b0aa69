//! Queries: SELECT blocks, set operations, ORDER BY, TOP.

use super::from::FromTree;
use super::{Binder, Block, Bound, Cte, eq, unsupported};
use crate::plan::expr::{Expr, Part, Pred, Slot, slots_of};
use crate::plan::join;
use crate::plan::node::{
    Aggregate, Compute, Distinct, Filter, Node, QueryPlan, SetOperation, Sort, SortKey, Top, Window,
};
use crate::sink::ColumnDesc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, ExprKind, GroupItem, Literal, SelectItem, SetOperator};
use taffrail_types::arith::BinaryOp;
use taffrail_types::{Collation, SqlType};

/// A query that is bound and planned.
#[derive(Default)]
pub(crate) struct BoundQuery {
    pub node: Node,
    pub outputs: Vec<Slot>,
    pub columns: Vec<ColumnDesc>,
    /// `SELECT @v = …`: evaluated for each row, in place of outputs.
    pub assign: Vec<(u32, Expr)>,
    /// Columns by which the rows are ordered (1-based), for the client.
    pub order: Vec<u16>,
}

/// A SELECT statement.
pub struct BoundSelect {
    /// The query.
    pub plan: QueryPlan,
    /// `SELECT @v = …`.
    pub assign: Vec<(u32, Expr)>,
    /// Columns by which the rows are ordered.
    pub order: Vec<u16>,
}

impl Default for Node {
    fn default() -> Node {
        Node::Nothing
    }
}

pub(crate) fn column_desc(name: &str, b: &Bound) -> ColumnDesc {
    ColumnDesc {
        name: name.into(),
        ty: b.ty,
        nullable: b.nullable,
        collation: super::expr::is_text(b.ty).then_some(b.collation),
        identity: false,
        computed: true,
    }
}

/// An item of the select list.
struct Item {
    name: String,
    bound: Bound,
    assign: Option<u32>,
    identity: bool,
    plain: bool,
}

fn add_slots(part: Part<'_>, out: &mut Vec<Slot>) {
    slots_of(part, &mut |s| {
        if !out.contains(&s) {
            out.push(s);
        }
    });
}

/// A constant or variable once more: for the limit of a sort below a TOP.
fn copy_simple(e: &Expr) -> Option<Expr> {
    match e {
        Expr::Const(v) => Some(Expr::Const(v.clone())),
        Expr::Var(v) => Some(Expr::Var(*v)),
        _ => None,
    }
}

impl<'a> Binder<'a> {
    /// A SELECT statement.
    pub fn bind_select(&mut self, s: &'a ast::SelectStatement) -> SqlResult<BoundSelect> {
        self.with(&s.with)?;
        let q = self.query(&s.query, false)?;
        let plan = QueryPlan { node: q.node, outputs: q.outputs, columns: q.columns };
        Ok(BoundSelect { plan, assign: q.assign, order: q.order })
    }

    /// Brings common table expressions into scope.
    pub(crate) fn with(&mut self, with: &'a Option<ast::With>) -> SqlResult<()> {
        let Some(with) = with else { return Ok(()) };
        if with.xml_namespaces {
            return Err(unsupported(&"WITH XMLNAMESPACES"));
        }
        for (i, table) in with.tables.iter().enumerate() {
            if with.tables[..i].iter().any(|t| eq(&t.name.value, &table.name.value)) {
                return Err(SqlError::new(239, &[&table.name.value]));
            }
            let sees = self.ctes.len();
            self.ctes.push(Cte { table, sees });
        }
        Ok(())
    }

    /// A query expression. `nested`: not the statement's own.
    pub(crate) fn query(&mut self, q: &'a ast::Query, nested: bool) -> SqlResult<BoundQuery> {
        let line = self.line(q.span);
        self.deeper(|b| b.query_inner(q, nested)).map_err(|e| e.with_line(line))
    }

    fn query_inner(&mut self, q: &'a ast::Query, nested: bool) -> SqlResult<BoundQuery> {
        if let Some(f) = &q.for_clause
            && !f.format.is("BROWSE")
        {
            return Err(unsupported(&format_args!("FOR {}", f.format)));
        }
        if nested
            && !q.order_by.is_empty()
            && q.offset.is_none()
            && q.body.first_block().top.is_none()
        {
            return Err(SqlError::new(1033, &[]));
        }
        match &q.body {
            ast::QueryBody::Select(block) => self.select_block(block, Some(q), nested),
            ast::QueryBody::Set(chain) => {
                let mut bound = self.set_chain(chain)?;
                self.order_outputs(&mut bound, q)?;
                Ok(bound)
            }
        }
    }

    fn body(&mut self, body: &'a ast::QueryBody) -> SqlResult<BoundQuery> {
        self.deeper(|b| match body {
            ast::QueryBody::Select(block) => b.select_block(block, None, true),
            ast::QueryBody::Set(chain) => b.set_chain(chain),
        })
    }

    fn set_chain(&mut self, chain: &'a ast::SetChain) -> SqlResult<BoundQuery> {
        let mut left = self.body(&chain.first)?;
        let mut rest = chain.rest.iter().peekable();
        while let Some((op, body)) = rest.next() {
            let mut parts = vec![left, self.body(body)?];
            // A run of one operator becomes one list.
            while matches!(op, SetOperator::Union | SetOperator::UnionAll)
                && rest.peek().is_some_and(|(o, _)| o == op)
                && let Some((_, body)) = rest.next()
            {
                parts.push(self.body(body)?);
            }
            left = self.set_operation(*op, parts)?;
        }
        Ok(left)
    }

    fn set_operation(
        &mut self,
        op: SetOperator,
        parts: Vec<BoundQuery>,
    ) -> SqlResult<BoundQuery> {
        let width = parts[0].outputs.len();
        if parts.iter().any(|p| p.outputs.len() != width) {
            return Err(SqlError::new(205, &[]));
        }
        if parts.iter().any(|p| !p.assign.is_empty()) {
            return Err(SqlError::new(10734, &[]));
        }
        let bounds: Vec<Vec<Bound>> = parts
            .iter()
            .map(|p| {
                let one = |(s, c): (&Slot, &ColumnDesc)| Bound {
                    nullable: c.nullable,
                    collation: c.collation.unwrap_or_default(),
                    untyped: self.slots[*s as usize].table.as_ref() == UNTYPED,
                    ..Bound::new(Expr::Slot(*s), c.ty)
                };
                p.outputs.iter().zip(&p.columns).map(one).collect()
            })
            .collect();
        let mut types = Vec::with_capacity(width);
        let mut columns = Vec::with_capacity(width);
        for i in 0..width {
            let all: Vec<&Bound> = bounds.iter().map(|b| &b[i]).collect();
            let (ty, collation) = self.common(&all)?;
            let nullable = all.iter().any(|b| b.nullable);
            types.push((ty, collation));
            columns.push(ColumnDesc {
                nullable,
                ..column_desc(
                    &parts[0].columns[i].name,
                    &Bound { collation, ..Bound::new(Expr::NULL, ty) },
                )
            });
        }
        // Each operand puts its columns, converted, into slots of its own (EXCEPT, INTERSECT) or shared ones (UNION).
        let union = matches!(op, SetOperator::Union | SetOperator::UnionAll);
        let mut nodes = Vec::new();
        let mut slot_lists: Vec<Vec<Slot>> = Vec::new();
        for (p, bound) in parts.into_iter().zip(bounds) {
            let slots: Vec<Slot> = match (union, slot_lists.first()) {
                (true, Some(first)) => first.clone(),
                _ => types
                    .iter()
                    .zip(&columns)
                    .map(|((ty, collation), c)| {
                        let b = Bound {
                            nullable: c.nullable,
                            collation: *collation,
                            ..Bound::new(Expr::NULL, *ty)
                        };
                        self.computed_slot(&b, &c.name)
                    })
                    .collect(),
            };
            let mut items = Vec::with_capacity(width);
            for ((b, (ty, _)), slot) in bound.into_iter().zip(&types).zip(&slots) {
                items.push((self.cast_to(b, *ty)?, *slot));
            }
            nodes.push(Node::Compute(Box::new(Compute { input: p.node, items })));
            slot_lists.push(slots);
        }
        let keyed: Vec<(Slot, Collation)> =
            slot_lists[0].iter().zip(&types).map(|(s, (_, c))| (*s, *c)).collect();
        let outputs = slot_lists[0].clone();
        let node = match op {
            SetOperator::UnionAll => Node::Concat(nodes),
            SetOperator::Union => {
                Node::Distinct(Box::new(Distinct { input: Node::Concat(nodes), slots: keyed }))
            }
            SetOperator::Except | SetOperator::Intersect => {
                let right = nodes.pop().expect("two operands");
                let left = nodes.pop().expect("two operands");
                Node::SetOperation(Box::new(SetOperation {
                    left,
                    right,
                    except: op == SetOperator::Except,
                    left_slots: keyed,
                    right_slots: slot_lists[1].clone(),
                }))
            }
        };
        Ok(BoundQuery { node, outputs, columns, ..BoundQuery::default() })
    }

    /// ORDER BY and OFFSET of a set operation: only by output columns.
    fn order_outputs(&mut self, bound: &mut BoundQuery, q: &'a ast::Query) -> SqlResult<()> {
        let mut keys = Vec::new();
        for item in &q.order_by {
            let at = match &item.expr.kind {
                ExprKind::Literal(Literal::Int(n)) => self.position(*n, bound.columns.len())?,
                ExprKind::Column(c) if c.qualifier.is_none() => bound
                    .columns
                    .iter()
                    .position(|k| eq(&k.name, &c.name.value))
                    .ok_or_else(|| SqlError::new(207, &[&c.name.value]))?,
                _ => return Err(SqlError::new(104, &[])),
            };
            bound.order.push(at as u16 + 1);
            keys.push(SortKey {
                expr: Expr::Slot(bound.outputs[at]),
                descending: item.order == ast::SortOrder::Descending,
                collation: bound.columns[at].collation.unwrap_or_default(),
            });
        }
        if !keys.is_empty() {
            let input = std::mem::take(&mut bound.node);
            let save = bound.outputs.clone();
            bound.node = Node::Sort(Box::new(Sort { input, keys, save, limit: None }));
        }
        let (offset, count) = self.offset_fetch(q)?;
        if offset.is_some() || count.is_some() {
            let input = std::mem::take(&mut bound.node);
            let save = bound.outputs.clone();
            let top = Top { input, count, percent: false, ties: None, offset, save };
            bound.node = Node::Top(Box::new(top));
        }
        Ok(())
    }

    fn offset_fetch(&mut self, q: &'a ast::Query) -> SqlResult<(Option<Expr>, Option<Expr>)> {
        let mut one = |e: &'a Option<ast::Expr>| -> SqlResult<Option<Expr>> {
            match e {
                None => Ok(None),
                Some(e) => {
                    let b = self.expr(e)?;
                    Ok(Some(self.cast_to(b, SqlType::BigInt)?))
                }
            }
        };
        Ok((one(&q.offset)?, one(&q.fetch)?))
    }

    fn position(&self, n: i32, columns: usize) -> SqlResult<usize> {
        match usize::try_from(n) {
            Ok(n) if (1..=columns).contains(&n) => Ok(n - 1),
            _ => Err(SqlError::new(108, &[&n])),
        }
    }

    fn select_block(
        &mut self,
        s: &'a ast::SelectBlock,
        q: Option<&'a ast::Query>,
        nested: bool,
    ) -> SqlResult<BoundQuery> {
        if !s.windows.is_empty() {
            return Err(unsupported(&"The WINDOW clause"));
        }
        self.push_block();
        let r = self.select_in_block(s, q, nested);
        self.blocks.pop();
        r
    }

    fn select_in_block(
        &mut self,
        s: &'a ast::SelectBlock,
        q: Option<&'a ast::Query>,
        nested: bool,
    ) -> SqlResult<BoundQuery> {
        let trees = self.from_list(&s.from)?;
        let mut conjuncts = Vec::new();
        if let Some(f) = &s.filter {
            self.pred(f)?.into_conjuncts(&mut conjuncts);
        }
        // GROUP BY.
        let mut groups: Vec<(Expr, Slot, Collation)> = Vec::new();
        let mut group_texts: Vec<(String, Slot)> = Vec::new();
        for e in self.group_expressions(&s.group_by)? {
            let b = self.expr(e)?;
            if crate::plan::expr::has_subquery(Part::Expr(&b.expr)) {
                return Err(SqlError::new(144, &[]));
            }
            let slot = match b.expr {
                Expr::Slot(slot) => slot,
                ref e => {
                    let text = format!("{e:?}");
                    let slot = self.group_slot(&b);
                    group_texts.push((text, slot));
                    slot
                }
            };
            groups.push((b.expr, slot, b.collation));
        }
        // Select list, HAVING, ORDER BY.
        self.block().aggregates_allowed = true;
        self.block().windows_allowed = true;
        let mut items = self.items(s)?;
        if nested && items.iter().any(|i| i.assign.is_some()) {
            return Err(SqlError::new(102, &[&"="]));
        }
        self.block().windows_allowed = false;
        let mut having = Vec::new();
        if let Some(h) = &s.having {
            self.pred(h)?.into_conjuncts(&mut having);
        }
        self.block().windows_allowed = true;
        let mut keys: Vec<(Result<usize, Bound>, bool)> = Vec::new();
        for o in q.map_or(&[][..], |q| &q.order_by) {
            let key = self.order_item(&o.expr, &items, s.distinct)?;
            keys.push((key, o.order == ast::SortOrder::Descending));
        }
        self.block().aggregates_allowed = false;
        self.block().windows_allowed = false;
        let mut block = std::mem::take(self.block());
        self.block().id = block.id;
        self.block().sources = Vec::new();
        let grouped = !groups.is_empty() || !block.aggs.is_empty() || !having.is_empty();
        if grouped {
            self.check_block(&mut items, &mut having, &mut keys, &mut block, &groups, &group_texts)?;
        }
        // TOP.
        self.blocks.push(Block { hidden: true, ..Block::default() });
        let top = self.top(s);
        let offset = match q {
            Some(q) => self.offset_fetch(q),
            None => Ok((None, None)),
        };
        self.blocks.pop();
        let (top, (offset, fetch)) = (top?, offset?);

        // The plan.
        let mut node = join::plan_from(self, block.id, trees, block.sources, conjuncts)?;
        if grouped {
            let scalar = groups.is_empty();
            let aggs = std::mem::take(&mut block.aggs);
            node = Node::Aggregate(Box::new(Aggregate { input: node, groups, aggs, scalar }));
            if let Some(pred) = Pred::all(having) {
                node = Node::Filter(Box::new(Filter { input: node, pred, startup: false }));
            }
        }
        let windows = std::mem::take(&mut block.windows);
        if !windows.is_empty() {
            let mut save = Vec::new();
            for i in &items {
                add_slots(Part::Expr(&i.bound.expr), &mut save);
            }
            for (k, _) in &keys {
                if let Err(b) = k {
                    add_slots(Part::Expr(&b.expr), &mut save);
                }
            }
            for w in &windows {
                w.partition.iter().for_each(|(e, _)| add_slots(Part::Expr(e), &mut save));
                w.order.iter().for_each(|k| add_slots(Part::Expr(&k.expr), &mut save));
                for item in &w.items {
                    item.function.exprs(&mut |e| add_slots(Part::Expr(e), &mut save));
                }
            }
            for w in windows {
                node = Node::Window(Box::new(Window {
                    input: node,
                    partition: w.partition,
                    order: w.order,
                    items: w.items,
                    save: save.clone(),
                }));
            }
        }
        let mut out = BoundQuery::default();
        let assigning = items.iter().any(|i| i.assign.is_some());
        if assigning && !items.iter().all(|i| i.assign.is_some()) {
            return Err(SqlError::new(141, &[]));
        }
        let mut save = Vec::new();
        if assigning {
            for i in items {
                add_slots(Part::Expr(&i.bound.expr), &mut save);
                out.assign.push((i.assign.unwrap_or_default(), i.bound.expr));
            }
        } else {
            node = self.project(node, items, &mut out);
            save.clone_from(&out.outputs);
        }
        if s.distinct {
            let slots = out.outputs.iter().zip(&out.columns);
            let slots = slots.map(|(s, c)| (*s, c.collation.unwrap_or_default())).collect();
            node = Node::Distinct(Box::new(Distinct { input: node, slots }));
        }
        self.sort_and_top(node, keys, save, top, (offset, fetch), &mut out)?;
        Ok(out)
    }

    fn group_slot(&mut self, b: &Bound) -> Slot {
        let slot = self.computed_slot(b, "");
        self.slots[slot as usize].block = u32::MAX;
        slot
    }

    fn group_expressions(
        &self,
        g: &'a Option<ast::GroupBy>,
    ) -> SqlResult<Vec<&'a ast::Expr>> {
        let Some(g) = g else { return Ok(Vec::new()) };
        let one = |item: &'a GroupItem| match item {
            GroupItem::Expr(e) => Ok(e),
            _ => Err(unsupported(&"GROUP BY with ROLLUP, CUBE or GROUPING SETS")),
        };
        g.items.iter().map(one).collect()
    }

    /// Every column outside aggregates must be a group's.
    fn check_block(
        &mut self,
        items: &mut [Item],
        having: &mut [Pred],
        keys: &mut [(Result<usize, Bound>, bool)],
        block: &mut Block,
        groups: &[(Expr, Slot, Collation)],
        texts: &[(String, Slot)],
    ) -> SqlResult<()> {
        let grouped: Vec<Slot> = groups.iter().map(|g| g.1).collect();
        let number = |plain: i32, scalar: i32| if groups.is_empty() { scalar } else { plain };
        for i in items {
            self.use_groups(&mut i.bound.expr, texts);
            let part = Part::Expr(&i.bound.expr);
            self.check_grouped(part, block.id, &grouped, number(8120, 8120))?;
        }
        for p in having {
            self.use_groups_pred(p, texts);
            self.check_grouped(Part::Pred(p), block.id, &grouped, 8121)?;
        }
        for (k, _) in keys {
            if let Err(b) = k {
                self.use_groups(&mut b.expr, texts);
                self.check_grouped(Part::Expr(&b.expr), block.id, &grouped, 8127)?;
            }
        }
        for w in &mut block.windows {
            for (e, _) in &mut w.partition {
                self.use_groups(e, texts);
                self.check_grouped(Part::Expr(e), block.id, &grouped, 8120)?;
            }
            for k in &mut w.order {
                self.use_groups(&mut k.expr, texts);
                self.check_grouped(Part::Expr(&k.expr), block.id, &grouped, 8120)?;
            }
            for item in &mut w.items {
                let mut bad = Ok(());
                item.function.exprs_mut(&mut |e| {
                    self.use_groups(e, texts);
                    if bad.is_ok() {
                        bad = self.check_grouped(Part::Expr(e), block.id, &grouped, 8120);
                    }
                });
                bad?;
            }
        }
        Ok(())
    }

    fn items(&mut self, s: &'a ast::SelectBlock) -> SqlResult<Vec<Item>> {
        let mut items = Vec::new();
        for item in &s.items {
            match item {
                SelectItem::Star(span) => {
                    if self.block().sources.is_empty() {
                        return Err(self.at(SqlError::new(263, &[]), *span));
                    }
                    for at in 0..self.block().sources.len() {
                        self.star(at, &mut items);
                    }
                }
                SelectItem::QualifiedStar(q) => {
                    let at = self.block().sources.iter().position(|s| s.is_called(q));
                    let Some(at) = at else {
                        return Err(self.at(SqlError::new(107, &[q]), q.span));
                    };
                    self.star(at, &mut items);
                }
                SelectItem::Expr { expr, alias } => {
                    let bound = self.expr(expr)?;
                    let plain = matches!(&expr.kind, ExprKind::Column(_));
                    let name = match (alias, &expr.kind) {
                        (Some(a), _) => a.value.to_string(),
                        (None, ExprKind::Column(c)) => c.name.value.to_string(),
                        _ => String::new(),
                    };
                    let identity = match &bound.expr {
                        Expr::Slot(s) => self.slots[*s as usize].identity,
                        _ => false,
                    };
                    items.push(Item { name, bound, assign: None, identity, plain });
                }
                SelectItem::Assign { variable, op, value } => {
                    let (at, ty) = self.variables.scalar(&variable.value)?;
                    let mut bound = self.expr(value)?;
                    if let Some(op) = op.operator() {
                        let left = Bound::new(Expr::Var(at), ty);
                        bound = self.binary(arith_op(op)?, left, bound)?;
                    }
                    let expr = self.cast_to(bound, ty)?;
                    self.assigns_variables = true;
                    items.push(Item {
                        name: String::new(),
                        bound: Bound::new(expr, ty),
                        assign: Some(at),
                        identity: false,
                        plain: false,
                    });
                }
            }
        }
        Ok(items)
    }

    fn star(&mut self, source: usize, items: &mut Vec<Item>) {
        let depth = self.blocks.len() - 1;
        for c in 0..self.blocks[depth].sources[source].columns.len() {
            let column = &self.blocks[depth].sources[source].columns[c];
            let (name, identity) = (column.name.to_string(), column.identity);
            let bound = self.source_column(depth, source, c);
            items.push(Item { name, bound, assign: None, identity, plain: true });
        }
    }

    /// `Ok`: the n-th output; `Err`: an expression of its own.
    fn order_item(
        &mut self,
        e: &'a ast::Expr,
        items: &[Item],
        distinct: bool,
    ) -> SqlResult<Result<usize, Bound>> {
        match &e.kind {
            ExprKind::Literal(Literal::Int(n)) => {
                return self.position(*n, items.len()).map(Ok);
            }
            ExprKind::Literal(_) => return Err(SqlError::new(408, &[&1])),
            ExprKind::Column(c) if c.qualifier.is_none() => {
                let mut hits = items.iter().enumerate().filter(|(_, i)| eq(&i.name, &c.name.value));
                if let Some((at, first)) = hits.next() {
                    let text = format!("{:?}", first.bound.expr);
                    if hits.any(|(_, i)| format!("{:?}", i.bound.expr) != text) {
                        return Err(self.at(SqlError::new(209, &[&c.name.value]), c.name.span));
                    }
                    return Ok(Ok(at));
                }
            }
            _ => {}
        }
        let b = self.expr(e)?;
        let text = format!("{:?}", b.expr);
        if let Some(at) = items.iter().position(|i| format!("{:?}", i.bound.expr) == text) {
            return Ok(Ok(at));
        }
        if distinct {
            return Err(SqlError::new(145, &[]));
        }
        Ok(Err(b))
    }

    fn top(&mut self, s: &'a ast::SelectBlock) -> SqlResult<Option<(Expr, bool, bool)>> {
        let Some(top) = &s.top else { return Ok(None) };
        let b = self.expr(&top.count)?;
        let ty = if top.percent { SqlType::Float } else { SqlType::BigInt };
        Ok(Some((self.cast_to(b, ty)?, top.percent, top.with_ties)))
    }

    /// Puts computed items into slots.
    fn project(&mut self, node: Node, items: Vec<Item>, out: &mut BoundQuery) -> Node {
        let mut compute = Vec::new();
        for i in items {
            let mut desc = column_desc(&i.name, &i.bound);
            desc.identity = i.identity;
            desc.computed = !i.plain;
            let untyped = i.bound.untyped;
            let slot = match i.bound.expr {
                Expr::Slot(s) => s,
                _ => {
                    let slot = self.computed_slot(&i.bound, &i.name);
                    if untyped {
                        self.slots[slot as usize].table = UNTYPED.into();
                    }
                    compute.push((i.bound.expr, slot));
                    slot
                }
            };
            out.outputs.push(slot);
            out.columns.push(desc);
        }
        if compute.is_empty() {
            return node;
        }
        Node::Compute(Box::new(Compute { input: node, items: compute }))
    }

    fn sort_and_top(
        &mut self,
        mut node: Node,
        keys: Vec<(Result<usize, Bound>, bool)>,
        save: Vec<Slot>,
        top: Option<(Expr, bool, bool)>,
        (offset, fetch): (Option<Expr>, Option<Expr>),
        out: &mut BoundQuery,
    ) -> SqlResult<()> {
        let mut ties = None;
        let sorted = !keys.is_empty();
        if sorted {
            let mut sort_keys = Vec::with_capacity(keys.len());
            let mut save = save.clone();
            let mut by_output = true;
            for (k, descending) in keys {
                let (expr, collation) = match k {
                    Ok(at) if !out.outputs.is_empty() => {
                        if by_output {
                            out.order.push(at as u16 + 1);
                        }
                        (Expr::Slot(out.outputs[at]), out.columns[at].collation.unwrap_or_default())
                    }
                    Ok(_) => return Err(unsupported(&"ORDER BY a position in an assignment")),
                    Err(b) => {
                        by_output = false;
                        (b.expr, b.collation)
                    }
                };
                sort_keys.push(SortKey { expr, descending, collation });
            }
            if !by_output {
                out.order.clear();
            }
            if let Some((_, _, true)) = &top {
                // The keys must survive the sort, to be compared for ties.
                let mut list = Vec::new();
                for k in &mut sort_keys {
                    let slot = match &k.expr {
                        Expr::Slot(s) => *s,
                        _ => return Err(unsupported(&"WITH TIES by an expression")),
                    };
                    if !save.contains(&slot) {
                        save.push(slot);
                    }
                    list.push((Expr::Slot(slot), k.collation));
                }
                ties = Some(list);
            }
            let limit = match &top {
                Some((count, false, false)) => copy_simple(count),
                _ => None,
            };
            node = Node::Sort(Box::new(Sort { input: node, keys: sort_keys, save, limit }));
        }
        if let Some((count, percent, with_ties)) = top {
            if with_ties && !sorted {
                return Err(SqlError::new(1062, &[]));
            }
            node = Node::Top(Box::new(Top {
                input: node,
                count: Some(count),
                percent,
                ties,
                offset: None,
                save: save.clone(),
            }));
        }
        if offset.is_some() || fetch.is_some() {
            node = Node::Top(Box::new(Top {
                input: node,
                count: fetch,
                percent: false,
                ties: None,
                offset,
                save,
            }));
        }
        out.node = node;
        Ok(())
    }

    /// FROM and WHERE of a change, planned: the block's sources must be bound.
    pub(crate) fn plan_block(
        &mut self,
        trees: Vec<FromTree>,
        conjuncts: Vec<Pred>,
    ) -> SqlResult<Node> {
        let block = std::mem::take(self.block());
        self.block().id = block.id;
        join::plan_from(self, block.id, trees, block.sources, conjuncts)
    }
}

/// Marks the slot of a bare NULL in a select list: it takes any type in a set operation.
const UNTYPED: &str = "\u{0}NULL";

pub(crate) fn arith_op(op: ast::BinaryOp) -> SqlResult<BinaryOp> {
    Ok(match op {
        ast::BinaryOp::Add | ast::BinaryOp::Concat => BinaryOp::Add,
        ast::BinaryOp::Subtract => BinaryOp::Subtract,
        ast::BinaryOp::Multiply => BinaryOp::Multiply,
        ast::BinaryOp::Divide => BinaryOp::Divide,
        ast::BinaryOp::Modulo => BinaryOp::Modulo,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        ast::BinaryOp::ShiftLeft | ast::BinaryOp::ShiftRight => {
            return Err(unsupported(&"The shift operator"));
        }
    })
}

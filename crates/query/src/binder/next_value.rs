//! NEXT VALUE FOR: where it may stand, and the values that it stands for.
//!
//! A query takes one value of a sequence for each of its rows: a column that is computed beneath the select list ([`Draw`]), from rows
//! in the order that OVER says. A row that is inserted or changed has one value of a sequence for all its columns, defaults among them.
//!
//! Of several reasons to refuse it the first of [`Drawing::refused`] is told.

use super::{Binder, Bound, facts};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::change::{ColumnSource, InsertPlan, InsertRows};
use taffrail_plan::expr::{Expr, Part, Slot};
use taffrail_plan::facts::Action;
use taffrail_plan::next_value::{NextValue, SequenceUse};
use taffrail_plan::node::SortKey;
use taffrail_plan::rel::{Rel, Sort};
use taffrail_syntax::ast::{self, ExprKind, SelectItem};

/// The part of a statement that is being bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum DrawPlace {
    /// A value by itself: SET, VALUES of an INSERT, a DEFAULT.
    #[default]
    Value,
    /// The select list of the statement's query.
    List,
    /// Another clause.
    Clause,
    /// The arguments of a function in FROM.
    Arguments,
    /// SET of an UPDATE.
    Update,
    /// A MERGE.
    Merge,
}

/// All that decides whether NEXT VALUE FOR may stand where the binder is.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Drawing {
    pub place: DrawPlace,
    /// The value or condition of a statement that is no query.
    pub alone: bool,
    /// The query is a part of another one, or of a module that gives a value.
    nested: bool,
    /// The query is DISTINCT or a part of a set operation.
    distinct: bool,
    /// The query has an ORDER BY.
    ordered: bool,
    /// TOP or OFFSET.
    pub limited: bool,
    /// The query assigns variables.
    assigns: bool,
    /// The parts of a set operation that is bound next are those of a part of another query.
    nested_set: bool,
    /// Within CASE and its like.
    conditional: bool,
}

impl Drawing {
    /// The message of what NEXT VALUE FOR is refused with here.
    fn refused(&self, has_over: bool, in_aggregate: bool) -> Option<i32> {
        let ordered = self.ordered && !has_over;
        let reasons = [
            (self.nested, 11719),
            (in_aggregate, 11725),
            (self.place == DrawPlace::Arguments, 11724),
            (self.distinct, 11721),
            (ordered, 11723),
            (self.place == DrawPlace::Clause, 11720),
            (self.limited, 11739),
            (self.conditional, 11741),
            (self.place == DrawPlace::Merge, 11742),
        ];
        reasons.into_iter().find(|r| r.0).map(|r| r.1)
    }
}

/// A sequence that a query takes a value of for each of its rows.
pub(crate) struct Draw {
    sequence: SequenceUse,
    slot: Slot,
    /// ORDER BY of OVER; none where there is no OVER.
    pub order: Vec<SortKey>,
}

/// A sequence and the slot of its value.
pub(super) type Drawn = (SequenceUse, Slot);

/// Expressions that compute one of their operands and not the others.
fn chooses(e: &ast::Expr) -> bool {
    match &e.kind {
        ExprKind::Case(_) | ExprKind::Iif(_) => true,
        ExprKind::Function(f) => {
            let name = &f.name;
            name.schema.is_none()
                && ["COALESCE", "ISNULL", "NULLIF"].iter().any(|known| name.name.is(known))
        }
        _ => false,
    }
}

/// The sequences in an expression.
pub fn sequences_of(part: Part<'_>, out: &mut Vec<SequenceUse>) {
    match part {
        Part::Expr(Expr::NextValue(n)) => out.push(n.sequence.clone()),
        Part::Expr(e) => e.children(&mut |p| sequences_of(p, out)),
        Part::Pred(p) => p.children(&mut |p| sequences_of(p, out)),
        Part::Plan(_) => {}
    }
}

impl<'a> Binder<'a> {
    /// Binds something in another place of the statement.
    pub(super) fn in_place<R>(&mut self, place: DrawPlace, f: impl FnOnce(&mut Self) -> R) -> R {
        let was = self.drawing;
        if was.place != DrawPlace::Merge {
            self.drawing.place = place;
        }
        let r = f(self);
        self.drawing = was;
        r
    }

    /// Binds an expression, within a CASE as such.
    pub(super) fn choosing<R>(&mut self, e: &ast::Expr, f: impl FnOnce(&mut Self) -> R) -> R {
        let was = self.drawing.conditional;
        self.drawing.conditional |= chooses(e);
        let r = f(self);
        self.drawing.conditional = was;
        r
    }

    /// Binds something that can be a part of a query alone.
    pub(super) fn refusing_draws<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let was = std::mem::replace(&mut self.drawing.nested, true);
        let r = f(self);
        self.drawing.nested = was;
        r
    }

    /// Binds a set operation; `nested`: a part of another query.
    pub(super) fn in_set<R>(&mut self, nested: bool, f: impl FnOnce(&mut Self) -> R) -> R {
        let was = self.drawing;
        self.drawing.nested_set = nested || was.nested;
        let r = f(self);
        self.drawing = was;
        r
    }

    /// Begins a query; what stood before it, for its end. `q` is none for a part of a set operation.
    pub(super) fn begin_drawing(
        &mut self,
        s: &ast::SelectBlock,
        q: Option<&ast::Query>,
        nested: bool,
    ) -> Drawing {
        let was = self.drawing;
        let within = was.place == DrawPlace::Arguments || was.conditional || !self.views.is_empty();
        let nested = match q {
            Some(_) => nested || self.subquery_depth > 0,
            None => was.nested_set,
        };
        self.drawing = Drawing {
            place: if was.place == DrawPlace::Merge { DrawPlace::Merge } else { DrawPlace::Clause },
            nested: nested || was.nested || within || self.meta.in_function(),
            distinct: s.distinct || q.is_none(),
            ordered: q.is_some_and(|q| !q.order_by.is_empty()),
            limited: was.limited || s.top.is_some() || q.is_some_and(|q| q.offset.is_some()),
            assigns: s.items.iter().any(|i| matches!(i, SelectItem::Assign { .. })),
            nested_set: false,
            alone: false,
            conditional: false,
        };
        was
    }

    /// NEXT VALUE FOR where it may stand: 11716 to 11742, 208.
    pub(super) fn next_value(&mut self, n: &'a ast::NextValue) -> SqlResult<Bound> {
        self.check_next_value(n)?;
        self.names(&n.sequence);
        let (database, sequence) = match (&self.of_database, &n.sequence.database) {
            (Some(database), None) => {
                let part =
                    |value: &str| ast::Ident { value: value.into(), ..n.sequence.name.clone() };
                let mut name = n.sequence.clone();
                name.database = Some(part(database));
                self.meta.sequence(&name).map_err(|e| match e.number {
                    208 => SqlError::new(208, &[&n.sequence]),
                    _ => e,
                })?
            }
            _ => self.meta.sequence(&n.sequence)?,
        };
        let object = facts::of_head(&database, &sequence.head);
        self.needs(object, Action::Update);
        let ty = sequence.facts.ty;
        let sequence = SequenceUse { database, sequence };
        if self.drawing.place == DrawPlace::List {
            let order = match &n.over {
                Some(over) => self.resolved(over)?.order_by,
                None => &[],
            };
            return self.draw(sequence, order);
        }
        if self.drawing.alone && self.whole_default.is_none() {
            if self.alone.contains(&sequence.key()) {
                return Err(SqlError::new(11736, &[]));
            }
            self.alone.push(sequence.key());
        }
        let next = NextValue { sequence, by_row: true };
        Ok(Bound::not_null(Expr::NextValue(Box::new(next)), ty))
    }

    fn check_next_value(&self, n: &ast::NextValue) -> SqlResult<()> {
        let mut drawing = self.drawing;
        // Of the catalogue's expressions a default alone has one; so has no function.
        drawing.nested |= self.scalars_only && self.whole_default.is_none()
            || self.blocks.is_empty() && self.meta.in_function();
        let in_aggregate = self.blocks.last().is_some_and(|b| b.in_aggregate);
        if self.blocks.last().is_some_and(|b| b.in_window) {
            drawing.place = DrawPlace::Clause;
        }
        if let Some(number) = drawing.refused(n.over.is_some(), in_aggregate) {
            return Err(SqlError::new(number, &[]));
        }
        if self.whole_default.is_some() && n.sequence.database.is_some() {
            return Err(SqlError::new(11730, &[]));
        }
        let Some(over) = &n.over else { return Ok(()) };
        let over = self.resolved(over)?;
        let is_default = self.whole_default.is_some();
        match drawing.place {
            _ if !over.partition_by.is_empty() => Err(SqlError::new(11716, &[])),
            _ if over.order_by.is_empty() => Err(SqlError::new(11718, &[])),
            DrawPlace::List => Ok(()),
            DrawPlace::Update => Err(SqlError::new(11717, &[])),
            _ if is_default => Err(SqlError::new(11717, &[])),
            _ => Err(SqlError::new(11738, &[])),
        }
    }

    /// A value for each row of the query: 11727, 11736.
    fn draw(&mut self, sequence: SequenceUse, over: &'a [ast::OrderItem]) -> SqlResult<Bound> {
        let ty = sequence.sequence.facts.ty;
        self.block().in_window = true;
        let order = self.window_order(over);
        self.block().in_window = false;
        let order = order?;
        let known = self.block().draws.iter().find(|d| d.sequence == sequence);
        let known = known.map(|d| (d.slot, d.order == order));
        let slot = match known {
            Some((_, false)) => return Err(SqlError::new(11727, &[])),
            Some(_) if self.drawing.assigns => return Err(SqlError::new(11736, &[])),
            Some((slot, true)) => slot,
            None => {
                let slot = self.result_slot(&Bound::not_null(Expr::NULL, ty));
                self.block().draws.push(Draw { sequence, slot, order });
                slot
            }
        };
        Ok(Bound::not_null(Expr::Slot(slot), ty))
    }

    /// Settles the values of sequences that an INSERT's rows and the defaults of its columns take: one for each row (11731, 11740). A query
    /// hands over those that it has taken.
    pub(super) fn settle_draws(
        &mut self,
        i: &ast::Insert,
        plan: &mut InsertPlan<Rel>,
        drawn: Vec<Drawn>,
    ) -> SqlResult<()> {
        let mut by_default = Vec::new();
        for source in &plan.columns {
            if let ColumnSource::Expr(e, _) = source {
                sequences_of(Part::Expr(e), &mut by_default);
            }
        }
        if by_default.is_empty() {
            return Ok(());
        }
        let limited = match &i.source {
            ast::InsertSource::Query(q) => q.offset.is_some() || q.body.first_block().top.is_some(),
            _ => false,
        };
        if limited || i.top.is_some() {
            return Err(SqlError::new(11740, &[]));
        }
        match &mut plan.rows {
            InsertRows::Values(rows) if rows.len() > 1 => {
                let mut written = Vec::new();
                let all = rows.iter().flatten().flatten();
                all.for_each(|e| sequences_of(Part::Expr(e), &mut written));
                match written.iter().any(|s| by_default.contains(s)) {
                    true => Err(SqlError::new(11731, &[])),
                    false => Ok(()),
                }
            }
            InsertRows::Query(q) => {
                for (sequence, slot) in drawn.into_iter().filter(|d| by_default.contains(&d.0)) {
                    q.outputs.push(slot);
                    q.columns.push(self.columns[slot].described("", false));
                    plan.drawn.push((sequence, plan.source_types.len()));
                    plan.source_types.push(self.columns[slot].ty.ty);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The rows of a query with the values that they take, each in its order, and these.
    pub(super) fn with_draws(&mut self, mut rel: Rel, draws: Vec<Draw>) -> (Rel, Vec<Drawn>) {
        let drawn = draws.iter().map(|d| (d.sequence.clone(), d.slot)).collect();
        for Draw { sequence, slot, order } in draws {
            if !order.is_empty() {
                rel = Rel::Sort(Box::new(Sort { input: rel, keys: order }));
            }
            let next = NextValue { sequence, by_row: false };
            rel = Rel::compute(rel, vec![(Expr::NextValue(Box::new(next)), slot)]);
        }
        (rel, drawn)
    }
}

//! The types that the places of relations and operators want, looked at in debug builds: one function a kind of place, for both trees.

use super::{Scope, alike, fits};
use crate::change::{InsertPlan, InsertRows, OutputPlan, UpdatePlan};
use crate::columns::Changed;
use crate::expr::{Expr, Slot};
use crate::grouping::GroupingMark;
use crate::node::{Agg, AggFunction, SortKey, WindowFunction, WindowItem};
use crate::rel::Rel;
use crate::sink::ColumnDesc;
use crate::slots::SlotSet;
use taffrail_catalog::Table;
use taffrail_types::{Collation, SqlType};

impl Scope<'_> {
    /// Columns of a table and their slots: of its types, nullability and collations.
    pub(crate) fn table_columns(&self, table: &Table, columns: &[(usize, Slot)]) {
        for (at, slot) in columns {
            let (own, Some(column)) = (&table.columns[*at], self.columns.get(*slot)) else {
                continue;
            };
            let same = column.ty == own.declared()
                && column.nullable == own.nullable
                && (!own.ty.is_text() || column.collation == own.collation);
            self.expect(same, || format!("#{slot} is not the column {}: {column:?}", own.name));
        }
    }

    /// Computed columns. Where `nulls` are known, one of a value that may be NULL may be NULL.
    pub(crate) fn items(&self, items: &[(Expr, Slot)], nulls: Option<&SlotSet>) {
        for (e, slot) in items {
            self.assigned(e, *slot);
            let Some(nulls) = nulls else { continue };
            let found = self.with_nulls(nulls).typed(e);
            // A bare NULL stands for a value that something else gives (IDENTITY).
            let may_be = found.nullable && found.ty.is_some();
            let column = self.columns.get(*slot);
            self.expect(!may_be || column.is_none_or(|c| c.nullable), || {
                format!("#{slot} is NOT NULL, and NULL may be put into it: {e:?}")
            });
        }
    }

    /// Keys of an order.
    pub(crate) fn keys(&self, keys: &[SortKey]) {
        keys.iter().for_each(|k| self.ordered(&k.expr, k.collation));
    }

    /// Pairs of expressions that a join finds equal.
    pub(crate) fn pairs<'e>(&self, pairs: impl Iterator<Item = (&'e Expr, &'e Expr, Collation)>) {
        for (l, r, by) in pairs {
            let (left, right) = (self.typed(l), self.typed(r));
            self.compared(&left, &right, by, l);
        }
    }

    /// Slots that make rows equal.
    pub(crate) fn distinct(&self, slots: &[(Slot, Collation)]) {
        slots.iter().for_each(|(s, by)| self.ordered(&Expr::Slot(*s), *by));
    }

    /// Slots that take each other's values: of one type each.
    pub(crate) fn side_by_side(&self, left: &[Slot], right: &[Slot]) {
        for (l, r) in left.iter().zip(right) {
            let (Some(a), Some(b)) = (self.slot(*l).ty, self.slot(*r).ty) else { continue };
            self.expect(alike(a, b), || format!("#{l} is {a:?}, #{r} beside it {b:?}"));
        }
    }

    /// A slot that an operator fills with values of a type.
    pub(crate) fn filled(&self, slot: Slot, with: SqlType) {
        let Some(ty) = self.slot(slot).ty else { return };
        self.expect(fits(with, ty), || format!("#{slot} is {ty:?}, and is filled with {with:?}"));
    }

    /// An expression whose place wants a type.
    pub(crate) fn wanted(&self, e: &Expr, ty: SqlType) {
        let found = self.typed(e);
        self.takes(&found, ty, "a value", e);
    }

    /// The keys, aggregates and marks of a grouping.
    pub(crate) fn grouped(
        &self,
        keys: &[(Expr, Slot, Collation)],
        aggs: &[Agg],
        marks: &[GroupingMark],
    ) {
        for (e, slot, by) in keys {
            self.ordered(e, *by);
            self.assigned(e, *slot);
        }
        for a in aggs {
            self.aggregate(a);
            self.filled(a.slot, a.ty);
        }
        for m in marks {
            self.filled(m.slot, if m.id { SqlType::Int } else { SqlType::TinyInt });
        }
    }

    fn aggregate(&self, a: &Agg) {
        a.arg.iter().for_each(|e| self.wanted(e, a.arg_ty));
        let second = match a.function {
            AggFunction::PercentileCont | AggFunction::PercentileDisc => SqlType::Float,
            _ => a.arg_ty,
        };
        a.separator.iter().for_each(|e| self.wanted(e, second));
        self.keys(&a.order);
        if a.distinct {
            a.arg.iter().for_each(|e| self.ordered(e, a.collation));
        }
    }

    /// A window and its functions.
    pub(crate) fn window(
        &self,
        partition: &[(Expr, Collation)],
        order: &[SortKey],
        items: &[WindowItem],
    ) {
        partition.iter().for_each(|(e, by)| self.ordered(e, *by));
        self.keys(order);
        for item in items {
            match &item.function {
                WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank => {
                    self.filled(item.slot, SqlType::BigInt);
                }
                WindowFunction::PercentRank | WindowFunction::CumeDist => {
                    self.filled(item.slot, SqlType::Float);
                }
                WindowFunction::Percentile { fraction, value, continuous } => {
                    self.wanted(fraction, SqlType::Float);
                    if *continuous {
                        self.wanted(value, SqlType::Float);
                        self.filled(item.slot, SqlType::Float);
                    } else {
                        self.assigned(value, item.slot);
                    }
                }
                WindowFunction::Ntile(n) => {
                    self.wanted(n, SqlType::BigInt);
                    self.filled(item.slot, SqlType::BigInt);
                }
                WindowFunction::Offset { value, offset, default, .. } => {
                    self.assigned(value, item.slot);
                    self.wanted(offset, SqlType::BigInt);
                    default.iter().for_each(|e| self.assigned(e, item.slot));
                }
                WindowFunction::Edge { value, .. } => self.assigned(value, item.slot),
                WindowFunction::Aggregate(a) => {
                    self.aggregate(a);
                    self.filled(item.slot, a.ty);
                }
            }
        }
    }

    /// Counts of TOP and OFFSET, and the values that are ties.
    pub(crate) fn top(
        &self,
        count: Option<&Expr>,
        percent: bool,
        offset: Option<&Expr>,
        ties: Option<&[(Expr, Collation)]>,
    ) {
        let whole = SqlType::BigInt;
        count.iter().for_each(|e| self.wanted(e, if percent { SqlType::Float } else { whole }));
        offset.iter().for_each(|e| self.wanted(e, whole));
        ties.into_iter().flatten().for_each(|(e, by)| self.ordered(e, *by));
    }

    /// The columns that a client is told of: as the slots behind them, and NULL where these may be.
    pub(crate) fn told(&self, outputs: &[Slot], columns: &[ColumnDesc], nulls: &SlotSet) {
        for (slot, told) in outputs.iter().zip(columns) {
            let Some(column) = self.columns.get(*slot) else { continue };
            let own = column.described(&told.name, nulls.contains(*slot));
            self.expect(own == *told, || format!("#{slot} is told as {told:?}, and is {own:?}"));
        }
    }

    /// Values that variables get.
    pub(crate) fn variables(&self, assign: &[(u32, Expr)]) {
        for (variable, e) in assign {
            let ty = self.variables.get(*variable as usize).copied().flatten();
            ty.iter().for_each(|ty| self.wanted(e, *ty));
        }
    }

    /// New values of an UPDATE.
    pub(crate) fn update<R>(&self, u: &UpdatePlan<R>) {
        for a in &u.set {
            self.wanted(&a.expr, a.from);
            for e in a.write.iter().flat_map(|w| [&w.0, &w.1]) {
                self.wanted(e, SqlType::BigInt);
            }
        }
        self.variables(&u.variables);
    }

    /// The values of an INSERT, of the types that it takes its source for.
    pub(crate) fn insert<R>(&self, i: &InsertPlan<R>) {
        match &i.rows {
            InsertRows::Values(rows) => {
                for (e, ty) in rows.iter().flat_map(|row| row.iter().zip(&i.source_types)) {
                    e.iter().for_each(|e| self.wanted(e, *ty));
                }
            }
            InsertRows::Query(q) => {
                for (slot, ty) in q.outputs.iter().zip(&i.source_types) {
                    self.wanted(&Expr::Slot(*slot), *ty);
                }
            }
            InsertRows::External => {}
        }
    }

    /// The items of OUTPUT, and the columns that the client is told of.
    pub(crate) fn output(&self, o: &OutputPlan<Rel>, table: &Table, change: Changed<'_>) {
        for columns in [&o.inserted, &o.deleted] {
            self.table_columns(table, columns);
        }
        self.items(&o.items, None);
        self.told(&o.outputs, &o.columns, &self.columns.nulls_of_output(o, change));
    }
}

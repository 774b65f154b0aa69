//! Masks: what leaves a statement is covered for whoever has not UNMASK, while the statement itself works with the values as they are.
//!
//! ```text
//! SELECT email, UPPER(email) FROM t WHERE email LIKE 'a%' ORDER BY email
//!
//! Compute (mask email() of email, mask by type of UPPER(email))      the outermost relation, once
//!   Sort, Select, …                                                  real values
//! ```
//! 1. A slot is *stained* by the masked columns that its value comes from. Stains flow from tables through derived tables, groups, windows,
//!    set operations and subqueries, until none is new.
//! 2. A column that comes through as it is keeps its own function; whatever is computed of one is masked by its type.
//! 3. A value leaves where a client, a table or a variable takes it, or a text of FOR XML or FOR JSON.
//! 4. Conditions do not stain: they are about values as they are.
//! 5. Whether a mask covers is asked for when the value leaves, so that all share one plan.

use super::Binder;
use super::scope::Mention;
use std::collections::HashMap;
use std::mem::take;
use std::sync::Arc;
use taffrail_base::ObjectId;
use taffrail_catalog::Table;
use taffrail_catalog::database::Database;
use taffrail_functions::mask::{MASK, Mask, MaskedColumn};
use taffrail_functions::{json, xml};
use taffrail_plan::change::{
    InsertPlan, InsertRows, MergeAction, MergeClause, OutputPlan, UpdatePlan,
};
use taffrail_plan::columns::Column;
use taffrail_plan::expr::{Call, Cast, Expr, Part, Pred, Slot};
use taffrail_plan::rel::{Rel, RowsetSource};
use taffrail_plan::statement::Statement;
use taffrail_plan::visit::PartMut;
use taffrail_types::convert::Large;
use taffrail_types::mask::MaskFunction;
use taffrail_types::{Conversion, SqlType};

/// The masked columns that a value is made of.
#[derive(Clone, PartialEq, Eq)]
struct Stain {
    /// The function of the column that the value is as it is.
    function: Option<Arc<MaskFunction>>,
    /// The columns in ascending order.
    columns: Vec<MaskedColumn>,
}

/// The stained slots of a statement.
#[derive(Default)]
struct Stains(HashMap<Slot, Stain>);

/// Whether a call makes the text of a row of FOR XML or FOR JSON, whose values leave there.
fn makes_text(c: &Call) -> bool {
    matches!(c.function.name(), json::ROW | xml::FORM_ROW)
}

/// The stain of a table's column.
fn of_column(database: &Database, table: &Table, at: usize) -> Option<Stain> {
    let temporary = database.is_temporary() && table.head.name.starts_with('#');
    let column = |at: &usize| MaskedColumn {
        database: database.id,
        table: if temporary { ObjectId(0) } else { table.id() },
        column: if temporary { 0 } else { table.columns[*at].id },
    };
    let mut columns: Vec<MaskedColumn> = table.masked_sources(at).iter().map(column).collect();
    columns.dedup();
    let function = table.columns.get(at)?.mask.clone();
    (!columns.is_empty()).then_some(Stain { function, columns })
}

impl Stains {
    /// Stains a slot; whether that is new.
    fn add(&mut self, slot: Slot, stain: Option<Stain>) -> bool {
        let Some(stain) = stain else { return false };
        let Some(known) = self.0.get_mut(&slot) else {
            self.0.insert(slot, stain);
            return true;
        };
        let before = known.clone();
        if known.function != stain.function {
            known.function = None;
        }
        known.columns.extend(stain.columns);
        known.columns.sort_unstable();
        known.columns.dedup();
        *known != before
    }

    /// The stain of a value.
    fn of(&self, e: &Expr) -> Option<Stain> {
        match e {
            Expr::Slot(slot) => self.0.get(slot).cloned(),
            Expr::Subquery(s) if !s.outer.iter().any(|slot| self.0.contains_key(slot)) => {
                self.0.get(&s.output).cloned()
            }
            e => self.computed(&[e]),
        }
    }

    /// The stain of what is computed of these.
    fn computed(&self, all: &[&Expr]) -> Option<Stain> {
        let mut columns = Vec::new();
        all.iter().for_each(|e| self.collect(Part::Expr(e), &mut columns));
        columns.sort_unstable();
        columns.dedup();
        (!columns.is_empty()).then_some(Stain { function: None, columns })
    }

    fn collect(&self, part: Part<'_>, out: &mut Vec<MaskedColumn>) {
        let mut of_slot =
            |slot: &Slot| out.extend(self.0.get(slot).iter().flat_map(|s| &s.columns));
        match part {
            Part::Expr(Expr::Slot(slot)) => of_slot(slot),
            Part::Expr(Expr::Call(c)) if c.function.name() == MASK || makes_text(c) => {}
            Part::Pred(Pred::Exists(s)) => s.outer.iter().for_each(of_slot),
            Part::Plan(s) => s.outer.iter().chain([&s.output]).for_each(of_slot),
            Part::Expr(e) => e.children(&mut |p| self.collect(p, out)),
            Part::Pred(p) => p.children(&mut |p| self.collect(p, out)),
        }
    }

    /// Stains the columns of a relation that are a masked table's; whether anything is new.
    fn begin(&mut self, rel: &Rel) -> bool {
        let (database, table, columns) = match rel {
            Rel::Get(g) => (&g.table.database, &g.table.table, &g.columns),
            Rel::Rowset(r) => match &r.of.source {
                RowsetSource::Changed(c) => (&r.of.database, &c.table, &r.columns),
                _ => return false,
            },
            _ => return false,
        };
        let mut new = false;
        if table.is_masked() {
            for (at, slot) in columns {
                new |= self.add(*slot, of_column(database, table, *at));
            }
        }
        new
    }

    /// Stains what a relation sets itself; whether anything is new.
    fn flow(&mut self, rel: &Rel) -> bool {
        let mut new = self.begin(rel);
        if self.0.is_empty() {
            // Most statements are of no masked table.
            return false;
        }
        match rel {
            // A column that is computed where it is read may read other tables, by a function.
            Rel::Get(g) => {
                for c in &g.computed {
                    new |= self.add(c.slot, self.computed(&[&c.value]));
                }
            }
            Rel::Rowset(r) => {
                let stain = self.computed(&r.args.iter().collect::<Vec<_>>());
                for (_, slot) in r.columns.iter().filter(|_| stain.is_some()) {
                    new |= self.add(*slot, stain.clone());
                }
            }
            Rel::Values(v) => {
                for (e, slot) in v.rows.iter().flat_map(|row| row.iter().zip(&v.slots)) {
                    new |= self.add(*slot, self.of(e));
                }
            }
            Rel::Compute(c) => {
                for (e, slot) in &c.items {
                    new |= self.add(*slot, self.of(e));
                }
            }
            Rel::Group(g) => {
                for (e, slot, _) in &g.keys {
                    new |= self.add(*slot, self.of(e));
                }
                for a in &g.aggs {
                    let mut all = Vec::new();
                    a.exprs(&mut |e| all.push(e));
                    new |= self.add(a.slot, self.computed(&all));
                }
            }
            Rel::Window(w) => {
                for item in &w.items {
                    let mut all = Vec::new();
                    item.function.exprs(&mut |e| all.push(e));
                    new |= self.add(item.slot, self.computed(&all));
                }
            }
            Rel::Recursive(r) => {
                for (work, slot) in r.work.iter().zip(&r.slots) {
                    new |= self.add(*work, self.0.get(slot).cloned());
                }
            }
            _ => {}
        }
        new
    }

    /// Stains the columns of `inserted` and `deleted` that OUTPUT reads, and its items; whether anything is new.
    fn flow_output(&mut self, (database, table, output): &Changed<'_>) -> bool {
        let Some(o) = output else { return false };
        let mut new = false;
        for (at, slot) in o.inserted.iter().chain(&o.deleted).filter(|_| table.is_masked()) {
            new |= self.add(*slot, of_column(database, table, *at));
        }
        for (e, slot) in &o.items {
            new |= self.add(*slot, self.of(e));
        }
        new
    }
}

/// A table that is changed, with OUTPUT.
type Changed<'s> = (&'s Database, &'s Table, &'s Option<OutputPlan<Rel>>);

fn changed(s: &Statement<Rel>) -> Option<Changed<'_>> {
    Some(match s {
        Statement::Insert(p) => (&p.database, &p.table, &p.output),
        Statement::Update(p) => (&p.database, &p.table, &p.output),
        Statement::Delete(p) => (&p.database, &p.table, &p.output),
        Statement::Merge(p) => (&p.database, &p.table, &p.output),
        Statement::Select(..) | Statement::Scalar(..) | Statement::Condition(_) => return None,
    })
}

/// The relations of a statement, its subqueries apart.
fn relations(s: &Statement<Rel>) -> Vec<&Rel> {
    match s {
        Statement::Select(s, _) => vec![&s.plan.node],
        Statement::Insert(i) => match &i.rows {
            InsertRows::Query(q) => vec![&q.node],
            InsertRows::Values(_) | InsertRows::External => Vec::new(),
        },
        Statement::Update(u) => vec![&u.node],
        Statement::Delete(d) => vec![&d.node],
        Statement::Merge(m) => {
            std::iter::once(&m.node).chain(m.rest.iter().map(|r| &r.node)).collect()
        }
        Statement::Scalar(..) | Statement::Condition(_) => Vec::new(),
    }
}

/// A slot, or an implicit conversion of one: a column on its way into another.
fn is_plain(e: &Expr) -> bool {
    match e {
        Expr::Slot(_) => true,
        Expr::Cast(c) => is_implicit(c) && is_plain(&c.value),
        _ => false,
    }
}

fn is_implicit(c: &Cast) -> bool {
    c.conversion == Conversion::Implicit && c.style.is_none()
}

/// Calls `f` with each expression and condition of a relation's own, but the keys of DISTINCT and the like.
fn each_part(rel: &mut Rel, f: &mut dyn FnMut(PartMut<'_>)) {
    match rel {
        Rel::Get(r) => r.computed.iter_mut().for_each(|c| f(PartMut::Expr(&mut c.value))),
        Rel::Rowset(r) => r.args.iter_mut().for_each(|e| f(PartMut::Expr(e))),
        Rel::Values(r) => r.rows.iter_mut().flatten().for_each(|e| f(PartMut::Expr(e))),
        Rel::Select(r) => r.conditions.iter_mut().for_each(|p| f(PartMut::Pred(p))),
        Rel::Compute(r) => r.items.iter_mut().for_each(|(e, _)| f(PartMut::Expr(e))),
        Rel::Join(r) => r.on.iter_mut().for_each(|p| f(PartMut::Pred(p))),
        Rel::Group(r) => {
            r.keys.iter_mut().for_each(|(e, ..)| f(PartMut::Expr(e)));
            r.aggs.iter_mut().for_each(|a| a.exprs_mut(&mut |e| f(PartMut::Expr(e))));
        }
        Rel::Window(r) => {
            r.partition.iter_mut().for_each(|(e, _)| f(PartMut::Expr(e)));
            r.order.iter_mut().for_each(|k| f(PartMut::Expr(&mut k.expr)));
            for item in &mut r.items {
                item.function.exprs_mut(&mut |e| f(PartMut::Expr(e)));
            }
        }
        Rel::Sort(r) => r.keys.iter_mut().for_each(|k| f(PartMut::Expr(&mut k.expr))),
        Rel::Top(r) => {
            r.count.iter_mut().chain(&mut r.offset).for_each(|e| f(PartMut::Expr(e)));
            r.ties.iter_mut().flatten().for_each(|(e, _)| f(PartMut::Expr(e)));
        }
        Rel::Empty
        | Rel::OneRow
        | Rel::Project(_)
        | Rel::Distinct(_)
        | Rel::Union(_)
        | Rel::SetOperation(_)
        | Rel::Recursive(_) => {}
    }
}

impl Binder<'_> {
    /// Masks what leaves a statement that has been bound. `marked`: it is a cursor's, whose outputs behind the columns are
    /// marks and keys of rows and stay in the server.
    pub fn mask_outputs(&mut self, s: &mut Statement<Rel>, marked: bool) {
        if self.meta.is_unguarded() {
            return;
        }
        let stains = self.stains(s);
        if stains.0.is_empty() {
            return;
        }
        let mut subqueries = take(&mut self.subqueries);
        subqueries.iter_mut().for_each(|q| self.mask_within(&stains, &mut q.rel));
        self.subqueries = subqueries;
        match s {
            Statement::Select(s, _) => {
                self.mask_within(&stains, &mut s.plan.node);
                for (variable, e) in &mut s.assign {
                    let ty = self.variables.declared(*variable).ty;
                    self.mask(&stains, e, Some(ty));
                }
                let hidden = s.plan.outputs.len().saturating_sub(s.plan.columns.len());
                let shown = s.plan.outputs.len() - if marked { hidden } else { 0 };
                self.mask_rows(&stains, &mut s.plan.node, &mut s.plan.outputs[..shown]);
            }
            Statement::Insert(i) => self.mask_insert(&stains, i),
            Statement::Update(u) => {
                self.mask_within(&stains, &mut u.node);
                self.mask_update(&stains, u);
                self.mask_output(&stains, &mut u.output);
            }
            Statement::Delete(d) => {
                self.mask_within(&stains, &mut d.node);
                self.mask_output(&stains, &mut d.output);
            }
            Statement::Merge(m) => {
                self.mask_within(&stains, &mut m.node);
                m.rest.iter_mut().for_each(|r| self.mask_within(&stains, &mut r.node));
                m.top.iter_mut().for_each(|e| self.mask(&stains, e, None));
                let rest = m.rest.iter_mut().flat_map(|r| &mut r.clauses);
                for clause in m.clauses.iter_mut().chain(rest) {
                    self.mask_clause(&stains, clause);
                }
                if let Some(insert) = &mut m.insert {
                    let types = insert.plan.source_types.iter();
                    for (e, ty) in insert.values.iter_mut().zip(types) {
                        self.mask(&stains, e, Some(*ty));
                    }
                }
                self.mask_output(&stains, &mut m.output);
            }
            Statement::Scalar(e, ty) => self.mask(&stains, e, Some(ty.ty)),
            Statement::Condition(p) => self.mask_arguments(&stains, PartMut::Pred(p)),
        }
    }

    fn stains(&self, s: &Statement<Rel>) -> Stains {
        let mut stains = Stains::default();
        let (changed, mut all) = (changed(s), relations(s));
        all.extend(self.subqueries.iter().map(|q| &q.rel));
        let mut new = true;
        while new {
            new = false;
            all.iter().for_each(|r| r.visit(&mut |r| new |= stains.flow(r)));
            new |= changed.iter().any(|c| stains.flow_output(c));
        }
        stains
    }

    /// Masks a value where it is stained. `ty`: its type, where that is known.
    fn mask(&self, stains: &Stains, e: &mut Expr, ty: Option<SqlType>) {
        self.mask_arguments(stains, PartMut::Expr(e));
        let Some(Stain { function, columns }) = stains.of(e) else { return };
        if let Expr::Cast(c) = e
            && is_implicit(c)
            && is_plain(&c.value)
        {
            let from = c.from;
            return self.mask(stains, &mut c.value, Some(from));
        }
        let typed = e.typed(&self.columns, &self.variables.types());
        let Some(ty) = ty.or(typed.ty) else { return *e = Expr::NULL };
        let xml = match e {
            Expr::Slot(slot) => self.columns[*slot].ty.large() == Large::Xml,
            _ => false,
        };
        let function = Mask { function, columns, xml }.call(ty, typed.collation);
        let args = vec![take_expr(e)];
        *e = Expr::Call(Box::new(Call { function, args }));
    }

    /// Masks the outputs of a relation.
    fn mask_rows(&mut self, stains: &Stains, rel: &mut Rel, outputs: &mut [Slot]) {
        let (mut within, mut above): (Vec<Slot>, Vec<(Slot, Slot)>) = (Vec::new(), Vec::new());
        let mut items = Vec::new();
        let nulls = self.columns.nulls(rel);
        for output in outputs {
            if !stains.0.contains_key(output) || within.contains(output) {
                continue;
            }
            if let Some((_, masked)) = above.iter().find(|(slot, _)| slot == output) {
                *output = *masked;
                continue;
            }
            let own = match rel {
                Rel::Compute(c) => c.items.iter_mut().find(|i| i.1 == *output),
                _ => None,
            };
            let ty = self.columns[*output].ty.ty;
            if let Some((e, slot)) = own {
                self.mask(stains, e, Some(ty));
                within.push(*slot);
                continue;
            }
            let masked = self.masked_slot(*output, nulls.contains(*output));
            let mut e = Expr::Slot(*output);
            self.mask(stains, &mut e, Some(ty));
            items.push((e, masked));
            above.push((*output, masked));
            *output = masked;
        }
        *rel = Rel::compute(take(rel), items);
    }

    /// A slot for the masked value of another one, told as that one.
    fn masked_slot(&mut self, of: Slot, nullable: bool) -> Slot {
        let mention = self.mentions[of as usize].clone();
        let column = Column { nullable, ..self.columns[of].clone() };
        self.new_slot(column, Mention { source: u32::MAX, ..mention })
    }

    /// Masks what leaves inside of a relation: the values of texts of FOR XML and FOR JSON, and the counts of TOP and OFFSET, which the
    /// number of rows tells.
    fn mask_within(&mut self, stains: &Stains, rel: &mut Rel) {
        if let Rel::Top(t) = rel {
            t.count.iter_mut().chain(&mut t.offset).for_each(|e| self.mask(stains, e, None));
        }
        each_part(rel, &mut |p| self.mask_arguments(stains, p));
        match rel {
            Rel::Empty | Rel::OneRow | Rel::Get(_) | Rel::Rowset(_) | Rel::Values(_) => {}
            Rel::Select(r) => self.mask_within(stains, &mut r.input),
            Rel::Compute(r) => self.mask_within(stains, &mut r.input),
            Rel::Project(r) => self.mask_within(stains, &mut r.input),
            Rel::Join(r) => {
                self.mask_within(stains, &mut r.left);
                self.mask_within(stains, &mut r.right);
            }
            Rel::Group(r) => self.mask_within(stains, &mut r.input),
            Rel::Window(r) => self.mask_within(stains, &mut r.input),
            Rel::Distinct(r) => self.mask_within(stains, &mut r.input),
            Rel::Sort(r) => self.mask_within(stains, &mut r.input),
            Rel::Top(r) => self.mask_within(stains, &mut r.input),
            Rel::Union(list) => list.iter_mut().for_each(|r| self.mask_within(stains, r)),
            Rel::SetOperation(r) => {
                self.mask_within(stains, &mut r.left);
                self.mask_within(stains, &mut r.right);
            }
            Rel::Recursive(r) => {
                r.anchors.iter_mut().chain(&mut r.parts).for_each(|r| self.mask_within(stains, r));
            }
        }
    }

    /// Masks what leaves by the arguments of a call within an expression: the values of a text, and the seed of RAND, which the numbers
    /// behind it tell.
    fn mask_arguments(&self, stains: &Stains, mut part: PartMut<'_>) {
        if let PartMut::Expr(Expr::Call(c)) = &mut part {
            match c.function.name() {
                _ if makes_text(c) => c.args.iter_mut().for_each(|e| self.mask_slots(stains, e)),
                "RAND" => c.args.iter_mut().for_each(|e| self.mask(stains, e, None)),
                _ => {}
            }
        }
        part.children(&mut |p| self.mask_arguments(stains, p));
    }

    /// Masks each stained slot of an expression.
    fn mask_slots(&self, stains: &Stains, e: &mut Expr) {
        match e {
            Expr::Slot(_) | Expr::Subquery(_) => self.mask(stains, e, None),
            e => e.children_mut(&mut |p| match p {
                PartMut::Expr(e) => self.mask_slots(stains, e),
                PartMut::Pred(_) => {}
            }),
        }
    }

    fn mask_insert(&mut self, stains: &Stains, i: &mut InsertPlan<Rel>) {
        i.top.iter_mut().for_each(|e| self.mask(stains, e, None));
        match &mut i.rows {
            InsertRows::Values(rows) => {
                for (value, ty) in
                    rows.iter_mut().flat_map(|row| row.iter_mut().zip(&i.source_types))
                {
                    value.iter_mut().for_each(|e| self.mask(stains, e, Some(*ty)));
                }
            }
            InsertRows::Query(q) => {
                self.mask_within(stains, &mut q.node);
                self.mask_rows(stains, &mut q.node, &mut q.outputs);
            }
            InsertRows::External => {}
        }
        self.mask_output(stains, &mut i.output);
    }

    fn mask_update(&self, stains: &Stains, u: &mut UpdatePlan<Rel>) {
        for a in &mut u.set {
            let from = a.from;
            self.mask(stains, &mut a.expr, Some(from));
            if let Some(write) = &mut a.write {
                self.mask(stains, &mut write.0, None);
                self.mask(stains, &mut write.1, None);
            }
        }
        for (variable, e) in &mut u.variables {
            let ty = self.variables.declared(*variable).ty;
            self.mask(stains, e, Some(ty));
        }
    }

    fn mask_clause(&self, stains: &Stains, clause: &mut MergeClause<Rel>) {
        if let MergeAction::Update(u) = &mut clause.action {
            self.mask_update(stains, u);
        }
    }

    /// Masks what OUTPUT puts out. An item whose value another item reads is not put out itself.
    fn mask_output(&mut self, stains: &Stains, output: &mut Option<OutputPlan<Rel>>) {
        let Some(o) = output else { return };
        let mut within: Vec<Slot> = Vec::new();
        for at in 0..o.outputs.len() {
            let slot = o.outputs[at];
            if within.contains(&slot) {
                continue;
            }
            let ty = self.columns[slot].ty.ty;
            if let Some((e, _)) = o.items.iter_mut().find(|i| i.1 == slot) {
                self.mask(stains, e, Some(ty));
                within.push(slot);
                continue;
            }
            let mut e = Expr::Slot(slot);
            self.mask(stains, &mut e, Some(ty));
            if !matches!(e, Expr::Slot(_)) {
                let masked = self.masked_slot(slot, o.columns.get(at).is_none_or(|c| c.nullable));
                o.items.push((e, masked));
                o.outputs[at] = masked;
            }
        }
    }
}

/// An expression, with NULL in its place.
fn take_expr(e: &mut Expr) -> Expr {
    std::mem::replace(e, Expr::NULL)
}

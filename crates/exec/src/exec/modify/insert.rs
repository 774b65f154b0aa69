//! INSERT: stage 1 of new rows, wherever they come from.

use super::copy::copy_rows;
use super::values::store;
use super::{Modify, Target, Verb};
use crate::catalog::rowversion;
use crate::exec::ops;
use crate::exec::rows::RowStore;
use crate::exec::runtime::Rt;
use crate::plan::change::{ColumnSource, InsertPlan, InsertRows};
use crate::plan::expr::Expr;
use crate::plan::locking::TableLock;
use crate::plan::node::{Node, QueryPlan};
use taffrail_base::SqlResult;
use taffrail_types::{ConvertContext, SqlType, Value};

/// New rows for a table.
pub(crate) struct Insert<'a> {
    rows: NewRows<'a>,
    m: Modify<'a>,
}

/// The values of new rows.
pub(super) struct NewRows<'a> {
    plan: &'a InsertPlan,
    context: ConvertContext,
    /// An INSTEAD OF trigger gets the rows: NULL may be anywhere, and no identity value is given out.
    replaced: bool,
}

/// Runs an INSERT; gives the number of rows.
pub(crate) fn run(rt: &mut Rt<'_>, plan: &InsertPlan) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    if plan.table.identity.is_none() && rt.cx.session.activation.fired().is_none() {
        // @@IDENTITY is of the last statement that put in rows; those of triggers without an identity leave it.
        rt.cx.session.kept.identity = None;
    }
    let limit = match &plan.top {
        None => rt.cx.session.row_limit(),
        Some(e) => ops::top_count(&rt.eval(e)?)?.min(rt.cx.session.row_limit()),
    };
    if let (InsertRows::Query(q), true, None, None) =
        (&plan.rows, plan.same_layout && !plan.spool, &plan.output, &plan.top)
        && plan.checks.is_empty()
        && plan.outgoing.is_empty()
        && plan.triggers.is_none()
        && plan.table.predicates.is_empty()
        && plan.table.indexes.iter().all(|i| !i.ignore_dup_key)
        && plan.table.indexed_views.is_empty()
        && !plan.table.needs_options
        && let Node::Scan(scan) = &q.node
    {
        return copy_rows(rt, plan, scan);
    }
    let mut ins = Insert::open(rt, plan, plan.table_lock != TableLock::Intent)?;
    let filled = fill(rt, plan, limit, &mut ins);
    ins.end(rt, filled)
}

/// Adds the rows of an INSERT.
fn fill<'a>(
    rt: &mut Rt<'_>,
    plan: &'a InsertPlan,
    limit: u64,
    ins: &mut Insert<'a>,
) -> SqlResult<()> {
    match &plan.rows {
        InsertRows::Values(rows) => {
            let rows = &rows[..rows.len().min(limit.try_into().unwrap_or(usize::MAX))];
            // What subqueries read must not be what the statement has put there.
            let kept = match plan.spool {
                true => rows.iter().map(|row| given(rt, row)).collect::<SqlResult<Vec<_>>>()?,
                false => Vec::new(),
            };
            for (at, row) in rows.iter().enumerate() {
                ins.rows.values_row(rt, &mut ins.m, row, kept.get(at).map(Vec::as_slice))?;
            }
        }
        InsertRows::Query(q) => ins.query(rt, q, limit)?,
        InsertRows::External => {}
    }
    Ok(())
}

/// The values of a row of VALUES; DEFAULT is NULL here.
fn given(rt: &mut Rt<'_>, row: &[Option<Expr>]) -> SqlResult<Vec<Value>> {
    rt.tick()?;
    rt.begin_row();
    row.iter().map(|e| e.as_ref().map_or(Ok(Value::Null), |e| rt.eval(e))).collect()
}

/// Puts the rows of a query into a table.
pub(crate) fn insert_query<'a>(
    rt: &mut Rt<'_>,
    plan: &'a InsertPlan,
    query: &'a QueryPlan,
) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    let mut ins = Insert::open(rt, plan, plan.table_lock != TableLock::Intent)?;
    let limit = rt.cx.session.row_limit();
    let filled = ins.query(rt, query, limit);
    ins.end(rt, filled)
}

/// Puts so many of the rows that are handed in into a table; `converted` gives a row as the table's columns are declared, where it is not.
pub(crate) fn insert_stored(
    rt: &mut Rt<'_>,
    plan: &InsertPlan,
    (rows, count): (&mut RowStore, usize),
    converted: impl Fn(&[Value]) -> SqlResult<Option<Vec<Value>>>,
) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    let mut ins = Insert::open(rt, plan, plan.table_lock != TableLock::Intent)?;
    for n in 0..count {
        rt.tick()?;
        let row = rows.row(n)?;
        let other = converted(row)?;
        let row = other.as_deref().unwrap_or(row);
        ins.push(rt, |_, i| Ok(row[i].clone()))?;
    }
    ins.finish(rt)
}

impl<'a> Insert<'a> {
    /// Rows of `plan`; `alone`: the table is locked as a whole.
    pub fn open(rt: &mut Rt<'_>, plan: &'a InsertPlan, alone: bool) -> SqlResult<Insert<'a>> {
        let target = Target {
            verb: Verb::Insert,
            database: &plan.database,
            table: &plan.table,
            outgoing: &plan.outgoing,
            incoming: &[],
            output: plan.output.as_ref(),
            triggers: plan.triggers.as_ref(),
            computed: &plan.computed,
            follows: false,
        };
        let m = Modify::open(rt, target, alone)?;
        let rows = NewRows::new(rt, plan, m.is_replaced());
        Ok(Insert { rows, m })
    }

    /// Adds a row of the source: `get` gives its values by number.
    pub fn push(
        &mut self,
        rt: &mut Rt<'_>,
        get: impl Fn(&mut Rt<'_>, usize) -> SqlResult<Value>,
    ) -> SqlResult<()> {
        self.rows.push(rt, &mut self.m, get)
    }

    /// After the last row; gives the number of rows.
    pub fn finish(self, rt: &mut Rt<'_>) -> SqlResult<u64> {
        self.m.end(rt, Ok(()))
    }

    fn end(self, rt: &mut Rt<'_>, filled: SqlResult<()>) -> SqlResult<u64> {
        self.m.end(rt, filled)
    }

    fn query(&mut self, rt: &mut Rt<'_>, q: &'a QueryPlan, limit: u64) -> SqlResult<()> {
        let mut op = ops::build(&q.node);
        op.open(rt)?;
        if self.rows.plan.spool {
            let mut rows = RowStore::in_order(q.outputs.len());
            while (rows.len() as u64) < limit && op.next(rt)? {
                rt.tick()?;
                rows.push(rt, &q.outputs)?;
            }
            for i in 0..rows.len() {
                rt.tick()?;
                let row = rows.row(i)?;
                self.push(rt, |_, c| Ok(row[c].clone()))?;
            }
            return Ok(());
        }
        let mut taken = 0;
        while taken < limit && op.next(rt)? {
            rt.tick()?;
            taken += 1;
            self.push(rt, |rt, c| Ok(rt.frame[q.outputs[c] as usize].clone()))?;
        }
        Ok(())
    }
}

impl<'a> NewRows<'a> {
    pub fn new(rt: &Rt<'_>, plan: &'a InsertPlan, replaced: bool) -> NewRows<'a> {
        let context = rt.cx.session.activation.options.convert_context();
        NewRows { plan, context, replaced }
    }

    /// Adds a row of VALUES; `kept`: its values, if they are computed already.
    fn values_row(
        &self,
        rt: &mut Rt<'_>,
        m: &mut Modify<'a>,
        row: &'a [Option<Expr>],
        kept: Option<&[Value]>,
    ) -> SqlResult<()> {
        let plan = self.plan;
        rt.begin_row();
        m.s.new.clear();
        for (at, source) in plan.columns.iter().enumerate() {
            let (source, given) = match source {
                ColumnSource::Source(n) => match (&row[*n], kept) {
                    (Some(_), Some(kept)) => {
                        let v = self.store(rt, kept[*n].clone(), plan.source_types[*n], at)?;
                        m.s.new.push(v);
                        continue;
                    }
                    (Some(e), None) => (source, Some((e, plan.source_types[*n]))),
                    (None, _) => (&plan.defaults[at], None),
                },
                ColumnSource::Expr(e, ty) => (source, Some((e, *ty))),
                _ => (source, None),
            };
            let given = match (given, source) {
                (None, ColumnSource::Expr(e, ty)) => Some((e, *ty)),
                (given, _) => given,
            };
            let v = match given {
                Some((e, ty)) => {
                    let v = rt.eval(e)?;
                    self.store(rt, v, ty, at)?
                }
                None => self.made(rt, source, at)?,
            };
            m.s.new.push(v);
        }
        self.add(rt, m)
    }

    /// Adds a row of the source: `get` gives its values by number.
    pub fn push(
        &self,
        rt: &mut Rt<'_>,
        m: &mut Modify<'a>,
        get: impl Fn(&mut Rt<'_>, usize) -> SqlResult<Value>,
    ) -> SqlResult<()> {
        let plan = self.plan;
        rt.begin_row();
        for (sequence, n) in &plan.drawn {
            let value = get(rt, *n)?;
            rt.row_has(sequence, value)?;
        }
        m.s.new.clear();
        for (at, source) in plan.columns.iter().enumerate() {
            let v = match source {
                ColumnSource::Source(n) => {
                    let v = get(rt, *n)?;
                    match &plan.defaults[at] {
                        ColumnSource::Expr(e, ty) if plan.bulk_defaults && v.is_null() => {
                            let v = rt.eval(e)?;
                            self.store(rt, v, *ty, at)?
                        }
                        _ if plan.from_outside && plan.table.columns[at].xml => {
                            let v = crate::functions::xml::as_xml(&v, 0)?;
                            self.store(rt, v, plan.table.columns[at].ty, at)?
                        }
                        _ => self.store(rt, v, plan.source_types[*n], at)?,
                    }
                }
                ColumnSource::Expr(e, ty) => {
                    let v = rt.eval(e)?;
                    self.store(rt, v, *ty, at)?
                }
                other => self.made(rt, other, at)?,
            };
            m.s.new.push(v);
        }
        self.add(rt, m)
    }

    #[inline]
    fn store(&self, rt: &mut Rt<'_>, v: Value, from: SqlType, at: usize) -> SqlResult<Value> {
        let p = self.plan;
        if self.replaced && v.is_null() {
            return Ok(v);
        }
        match store(v, from, &p.table, at, &p.database, Verb::Insert, &self.context) {
            Err(e) => {
                let v = rt.excused(e)?;
                store(v, from, &p.table, at, &p.database, Verb::Insert, &self.context)
            }
            v => v,
        }
    }

    /// A value that the server makes.
    fn made(&self, rt: &mut Rt<'_>, source: &ColumnSource, at: usize) -> SqlResult<Value> {
        let table = &self.plan.table;
        match (source, &table.identity) {
            (ColumnSource::Identity, Some(identity)) if self.replaced => {
                Ok(identity.sequence.typed(0))
            }
            (ColumnSource::Identity, Some(identity)) => {
                let n = identity.sequence.next()?;
                rt.cx.session.kept.identity = Some(n);
                rt.cx.session.activation.last.scope_identity = Some(n);
                Ok(identity.sequence.typed(n))
            }
            (ColumnSource::Computed, _) => Ok(Value::Null),
            (ColumnSource::Period(generated), _) => {
                Ok(super::history::of_new_row(rt.cx.session, *generated, table.columns[at].ty))
            }
            (ColumnSource::RowVersion, _) if self.replaced => Ok(rowversion::shown(0)),
            (ColumnSource::RowVersion, _) => {
                let database = &self.plan.database;
                database.catalog.next_rowversion(rt.cx.session.part(database.id))
            }
            _ => self.store(rt, Value::Null, table.columns[at].ty, at),
        }
    }

    fn add(&self, rt: &mut Rt<'_>, m: &mut Modify<'a>) -> SqlResult<()> {
        let plan = self.plan;
        if plan.explicit_identity
            && !self.replaced
            && let Some(identity) = &plan.table.identity
            && let Some(v) = integer_of(&m.s.new[identity.column])
        {
            identity.sequence.saw(v)?;
            rt.cx.session.kept.identity = Some(v);
            rt.cx.session.activation.last.scope_identity = Some(v);
        }
        m.compute_new(rt)?;
        m.come(rt, &plan.checks)
    }
}

/// An identity value.
pub(super) fn integer_of(v: &Value) -> Option<i64> {
    match v {
        Value::Decimal(d) if d.scale() == 0 => {
            let m = i64::try_from(d.magnitude()).ok()?;
            Some(if d.is_negative() { -m } else { m })
        }
        v => v.as_i64(),
    }
}

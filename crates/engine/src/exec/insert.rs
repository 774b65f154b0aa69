//! INSERT.

use crate::bulk::TableLoad;
use crate::catalog::Table;
use crate::exec::change::{
    OutputRows, Scratch, Verb, add_row, begin_output, check_row, clustered_key, encode_row,
    finish_output, output_row, store,
};
use crate::exec::foreign::ForeignWork;
use crate::exec::ops::scan::{Large, ScanOp};
use crate::exec::ops::{self, Operator};
use crate::exec::runtime::{RowBuffer, Rt};
use crate::plan::change::{ColumnSource, InsertPlan, InsertRows};
use crate::plan::expr::Expr;
use crate::plan::locking::TableLock;
use crate::plan::node::{Node, QueryPlan};
use crate::rowcodec::version;
use taffrail_base::SqlResult;
use taffrail_storage::{StorageError, btree, heap};
use taffrail_types::{ConvertContext, SqlType, Value};

/// Where the rows of a statement go into a table.
pub(crate) struct RowSink<'a> {
    plan: &'a InsertPlan,
    scratch: Box<Scratch>,
    context: ConvertContext,
    output: OutputRows,
    /// The table is filled by pages.
    load: Option<TableLoad>,
    work: ForeignWork<'a>,
    count: u64,
}

/// Runs an INSERT; gives the number of rows.
pub(crate) fn run<'a>(rt: &mut Rt<'a>, plan: &'a InsertPlan) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    if plan.table.identity.is_none() {
        // @@IDENTITY is of the last statement that put in rows.
        rt.cx.session.last.identity = None;
    }
    let limit = match &plan.top {
        None => rt.cx.session.row_limit(),
        Some(e) => ops::top_count(&rt.eval(e)?)?.min(rt.cx.session.row_limit()),
    };
    if let (InsertRows::Query(q), true, None, None) =
        (&plan.rows, plan.same_layout && !plan.spool, &plan.output, &plan.top)
        && plan.checks.is_empty()
        && plan.outgoing.is_empty()
        && let Node::Scan(scan) = &q.node
    {
        let scan: &'a crate::plan::node::Scan = scan;
        return copy_rows(rt, plan, scan);
    }
    let mut ins = RowSink::open(rt, plan, plan.table_lock != TableLock::Intent)?;
    match &plan.rows {
        InsertRows::Values(rows) => {
            let rows = &rows[..rows.len().min(limit.try_into().unwrap_or(usize::MAX))];
            // What subqueries read must not be what the statement has put there.
            let kept = match plan.spool {
                true => rows.iter().map(|row| given(rt, row)).collect::<SqlResult<Vec<_>>>()?,
                false => Vec::new(),
            };
            for (at, row) in rows.iter().enumerate() {
                ins.values_row(rt, row, kept.get(at).map(Vec::as_slice))?;
            }
        }
        InsertRows::Query(q) => ins.query(rt, q, limit)?,
        InsertRows::External => {}
    }
    ins.finish(rt)
}

/// The values of a row of VALUES; DEFAULT is NULL here.
fn given<'a>(rt: &mut Rt<'a>, row: &'a [Option<Expr>]) -> SqlResult<Vec<Value>> {
    rt.tick()?;
    row.iter().map(|e| e.as_ref().map_or(Ok(Value::Null), |e| rt.eval(e))).collect()
}

/// Puts the rows of a query into a table.
pub(crate) fn insert_query<'a>(
    rt: &mut Rt<'a>,
    plan: &'a InsertPlan,
    query: &'a QueryPlan,
) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    let mut ins = RowSink::open(rt, plan, plan.table_lock != TableLock::Intent)?;
    let limit = rt.cx.session.row_limit();
    ins.query(rt, query, limit)?;
    ins.finish(rt)
}

/// Puts rows that are handed in into a table.
pub(crate) fn insert_rows<'a>(
    rt: &mut Rt<'a>,
    plan: &'a InsertPlan,
    rows: &[Vec<Value>],
) -> SqlResult<u64> {
    rt.cx.session.change_in(&plan.database)?;
    let mut ins = RowSink::open(rt, plan, plan.table_lock != TableLock::Intent)?;
    for row in rows {
        rt.tick()?;
        ins.push(rt, |_, i| Ok(row[i].clone()))?;
    }
    ins.finish(rt)
}

impl<'a> RowSink<'a> {
    /// Rows of `plan`; `alone`: the table is locked as a whole.
    pub fn open(rt: &mut Rt<'a>, plan: &'a InsertPlan, alone: bool) -> SqlResult<RowSink<'a>> {
        begin_output(rt, plan.output.as_ref())?;
        let load = match alone {
            true => TableLoad::open(rt.cx.session, &plan.database, &plan.table)?,
            false => None,
        };
        Ok(RowSink {
            plan,
            scratch: rt.cx.session.take_scratch(),
            context: rt.cx.session.options.convert_context(),
            output: OutputRows::default(),
            load,
            work: ForeignWork::new(&plan.outgoing, &[]),
            count: 0,
        })
    }

    /// The values of the row that came last.
    pub fn last(&self) -> &[Value] {
        &self.scratch.values
    }

    /// After the last row; gives the number of rows.
    pub fn finish(self, rt: &mut Rt<'a>) -> SqlResult<u64> {
        if let Some(load) = self.load {
            load.finish(rt.cx.session, &self.plan.database, &self.plan.table)?;
        }
        rt.cx.session.running.scratch = Some(self.scratch);
        self.work.finish(&mut rt.cx, &self.plan.database, "INSERT")?;
        if let Some(o) = &self.plan.output {
            finish_output(rt, o, self.output)?;
        }
        Ok(self.count)
    }

    fn query(&mut self, rt: &mut Rt<'a>, q: &'a QueryPlan, limit: u64) -> SqlResult<()> {
        let mut op = ops::build(&q.node);
        op.open(rt)?;
        if self.plan.spool {
            let mut rows = RowBuffer::new(q.outputs.len());
            while (rows.rows as u64) < limit && op.next(rt)? {
                rt.tick()?;
                rows.push(rt, &q.outputs);
            }
            for i in 0..rows.rows {
                rt.tick()?;
                self.push(rt, |_, c| Ok(rows.row(i)[c].clone()))?;
            }
            return Ok(());
        }
        while self.count < limit && op.next(rt)? {
            rt.tick()?;
            self.push(rt, |rt, c| Ok(rt.frame[q.outputs[c] as usize].clone()))?;
        }
        Ok(())
    }

    fn values_row(
        &mut self,
        rt: &mut Rt<'a>,
        row: &'a [Option<Expr>],
        kept: Option<&[Value]>,
    ) -> SqlResult<()> {
        let plan = self.plan;
        self.scratch.values.clear();
        for (at, source) in plan.columns.iter().enumerate() {
            let (source, given) = match source {
                ColumnSource::Source(n) => match (&row[*n], kept) {
                    (Some(_), Some(kept)) => {
                        let v = self.store(rt, kept[*n].clone(), plan.source_types[*n], at)?;
                        self.scratch.values.push(v);
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
            self.scratch.values.push(v);
        }
        self.insert(rt)
    }

    /// Adds a row of the source: `get` gives its values by number.
    pub fn push(
        &mut self,
        rt: &mut Rt<'a>,
        get: impl Fn(&mut Rt<'a>, usize) -> SqlResult<Value>,
    ) -> SqlResult<()> {
        let plan = self.plan;
        self.scratch.values.clear();
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
            self.scratch.values.push(v);
        }
        self.insert(rt)
    }

    #[inline]
    fn store(&self, rt: &mut Rt<'a>, v: Value, from: SqlType, at: usize) -> SqlResult<Value> {
        let p = self.plan;
        match store(v, from, &p.table, at, &p.database, Verb::Insert, &self.context) {
            Err(e) => {
                let v = rt.excused(e)?;
                store(v, from, &p.table, at, &p.database, Verb::Insert, &self.context)
            }
            v => v,
        }
    }

    /// A value that the server makes.
    fn made(&mut self, rt: &mut Rt<'a>, source: &ColumnSource, at: usize) -> SqlResult<Value> {
        let table: &Table = &self.plan.table;
        match (source, &table.identity) {
            (ColumnSource::Identity, Some(identity)) => {
                let n = identity.sequence.next()?;
                rt.cx.session.last.identity = Some(n);
                rt.cx.session.last.scope_identity = Some(n);
                Ok(identity.sequence.typed(n))
            }
            _ => self.store(rt, Value::Null, table.columns[at].ty, at),
        }
    }

    fn insert(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        let plan = self.plan;
        let (database, table) = (&*plan.database, &*plan.table);
        if plan.explicit_identity
            && let Some(identity) = &table.identity
            && let Some(v) = integer_of(&self.scratch.values[identity.column])
        {
            identity.sequence.saw(v)?;
            rt.cx.session.last.identity = Some(v);
            rt.cx.session.last.scope_identity = Some(v);
        }
        check_row(rt, &plan.checks, database, table, &mut self.scratch.values, Verb::Insert)?;
        let mut row = std::mem::take(&mut self.scratch.row);
        encode_row(rt.cx.session, database, table, &self.scratch.values, &mut row)?;
        self.scratch.row = row;
        let values = std::mem::take(&mut self.scratch.values);
        match &mut self.load {
            Some(load) => {
                load.push(rt.cx.session, database, table, &values, &self.scratch.row)?;
            }
            None => add_row(rt.cx.session, database, table, &values, &mut self.scratch)?,
        }
        self.work.came(&values);
        self.scratch.values = values;
        self.count += 1;
        if let Some(o) = &plan.output {
            output_row(rt, o, Some(&self.scratch.values), None, &mut self.output)?;
        }
        Ok(())
    }
}

fn integer_of(v: &Value) -> Option<i64> {
    match v {
        Value::Decimal(d) if d.scale() == 0 => {
            let m = i64::try_from(d.magnitude()).ok()?;
            Some(if d.is_negative() { -m } else { m })
        }
        v => v.as_i64(),
    }
}

/// `INSERT … SELECT` between tables of one layout: rows go over as bytes.
pub(crate) fn copy_rows<'a>(
    rt: &mut Rt<'a>,
    plan: &'a InsertPlan,
    scan: &'a crate::plan::node::Scan,
) -> SqlResult<u64> {
    let (database, table) = (&*plan.database, &*plan.table);
    let base = table.base();
    let hobt = base.hobt()?.clone();
    let heap_target = table.is_heap() && table.nonclustered().is_empty();
    let mut load = match plan.table_lock {
        TableLock::Intent => None,
        _ => TableLoad::open(rt.cx.session, database, table)?,
    };
    let mut op = ScanOp::new(scan);
    op.open(rt)?;
    let mut s = rt.cx.session.take_scratch();
    let mut count: u64 = 0;
    let (mut values, mut long, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    let identity = table.identity.as_ref().filter(|_| plan.explicit_identity);
    // The identity value that lies farthest in the column's direction, and the last one.
    let mut identities: Option<(i64, i64)> = None;
    let limit = rt.cx.session.row_limit();
    while count < limit
        && let Some(row) = op.next_raw(rt)?
    {
        // A value on overflow pages belongs to the source's row: it is read and written anew.
        let moved = !scan.table.layout.lobs(row)?.is_empty();
        let row = if moved {
            long.clear();
            long.extend_from_slice(row);
            if !op.decode(rt, &mut long, &mut values)? {
                continue;
            }
            for (c, slot) in &scan.columns {
                rt.frame[*slot as usize].clone_from(&values[*c]);
            }
            &long[..]
        } else {
            if scan.filter.is_some() {
                let (layout, columns) = (&scan.table.layout, &scan.columns);
                ops::scan::read_columns(rt, scan, layout, row, columns, Large::Kept)?;
            }
            // Its older versions are versions of the source's row.
            version::without(row, &mut plain)?
        };
        if let Some(p) = &scan.filter
            && rt.test(p)? != Some(true)
        {
            continue;
        }
        if let Some(identity) = identity {
            let mut none = crate::rowcodec::layout::NoLobs;
            let v = scan.table.layout.get(row, identity.column, &mut none)?;
            if let Some(v) = integer_of(&v) {
                let farthest = match identities {
                    None => v,
                    Some((far, _)) if identity.increment > 0 => far.max(v),
                    Some((far, _)) => far.min(v),
                };
                identities = Some((farthest, v));
            }
        }
        if let (Some(load), false) = (&mut load, moved) {
            if load.needs_key() {
                key_values(table, row, &mut values)?;
            }
            load.push(rt.cx.session, database, table, &values, row)?;
            count += 1;
            continue;
        }
        if heap_target && !moved {
            let tx = rt.cx.session.part(database.id);
            heap::insert(tx, &hobt, row).map_err(|e| rt.cx.session.storage_error(e))?;
            count += 1;
            continue;
        }
        if !moved {
            s.row.clear();
            s.row.extend_from_slice(row);
        }
        if moved {
            let mut row = std::mem::take(&mut s.row);
            encode_row(rt.cx.session, database, table, &values, &mut row)?;
            s.row = row;
            match &mut load {
                Some(load) => load.push(rt.cx.session, database, table, &values, &s.row)?,
                None => add_row(rt.cx.session, database, table, &values, &mut s)?,
            }
        } else if table.nonclustered().is_empty() {
            key_values(table, &s.row, &mut values)?;
            clustered_key(database, base, &values, &mut s.key)?;
            let tx = rt.cx.session.part(database.id);
            match btree::insert(tx, &hobt, &s.key, &s.row) {
                Ok(()) => {}
                Err(StorageError::DuplicateKey) => {
                    return Err(super::change::duplicate(table, base, &values));
                }
                Err(e) => return Err(rt.cx.session.storage_error(e)),
            }
        } else {
            let row = std::mem::take(&mut s.row);
            super::change::decode_row(rt.cx.session, database, table, &row, &mut values)?;
            s.row = row;
            add_row(rt.cx.session, database, table, &values, &mut s)?;
        }
        count += 1;
    }
    rt.cx.session.running.scratch = Some(s);
    if let Some(load) = load {
        load.finish(rt.cx.session, database, table)?;
    }
    if let (Some(identity), Some((farthest, last))) = (identity, identities) {
        identity.sequence.saw(farthest)?;
        rt.cx.session.last.identity = Some(last);
        rt.cx.session.last.scope_identity = Some(last);
    }
    Ok(count)
}

/// The values of the clustered key's columns, at their places; the others are NULL.
fn key_values(table: &Table, row: &[u8], out: &mut Vec<Value>) -> SqlResult<()> {
    out.resize(table.columns.len(), Value::Null);
    for k in table.base().key.columns() {
        out[k.column] = table.layout.get(row, k.column, &mut crate::rowcodec::layout::NoLobs)?;
    }
    Ok(())
}

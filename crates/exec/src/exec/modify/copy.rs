//! `INSERT … SELECT` between tables of one layout: rows go over as bytes, and pass the stages by.

use super::insert::integer_of;
use super::rows::{add_row, decode_row, encode_row};
use crate::catalog::Table;
use crate::exec::bulk::TableLoad;
use crate::exec::ops::Operator;
use crate::exec::ops::row::read_columns;
use crate::exec::ops::scan::{Large, ScanOp};
use crate::exec::runtime::Rt;
use crate::plan::change::InsertPlan;
use crate::plan::locking::TableLock;
use crate::plan::node::Scan;
use crate::rowcodec::NoLobs;
use crate::rowcodec::version;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::heap;
use taffrail_types::Value;

/// `INSERT … SELECT` between tables of one layout: rows go over as bytes.
pub(crate) fn copy_rows(rt: &mut Rt<'_>, plan: &InsertPlan, scan: &Arc<Scan>) -> SqlResult<u64> {
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
    let mut scratch = rt.cx.session.take_scratch();
    let s = &mut *scratch;
    let mut count: u64 = 0;
    let (mut long, mut plain) = (Vec::new(), Vec::new());
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
            if !op.decode(rt, &mut long, &mut s.new)? {
                continue;
            }
            for (c, slot) in &scan.columns {
                rt.frame[*slot as usize].clone_from(&s.new[*c]);
            }
            &long[..]
        } else {
            if scan.filter.is_some() {
                let (layout, columns) = (&scan.table.layout, &scan.columns);
                read_columns(rt, scan, layout, row, columns, Large::Kept)?;
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
            let mut none = NoLobs;
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
                key_values(table, row, &mut s.new)?;
            }
            load.push(rt.cx.session, database, table, &s.new, row)?;
            count += 1;
            continue;
        }
        if heap_target && !moved {
            let tx = rt.cx.session.part(database.id);
            heap::insert(tx, &hobt, row).map_err(|e| rt.cx.session.storage_error(e))?;
            count += 1;
            continue;
        }
        let session = &mut *rt.cx.session;
        if moved {
            encode_row(session, database, table, &s.new, &mut s.row)?;
            match &mut load {
                Some(load) => load.push(session, database, table, &s.new, &s.row)?,
                None => drop(add_row(session, database, table, s, false)?),
            }
        } else {
            s.row.clear();
            s.row.extend_from_slice(row);
            match table.nonclustered().is_empty() {
                true => key_values(table, row, &mut s.new)?,
                false => decode_row(session, database, table, row, &mut s.new)?,
            }
            add_row(session, database, table, s, false)?;
        }
        count += 1;
    }
    rt.cx.session.running.scratch = Some(scratch);
    if let Some(load) = load {
        load.finish(rt.cx.session, database, table)?;
    }
    if let (Some(identity), Some((farthest, last))) = (identity, identities) {
        identity.sequence.saw(farthest)?;
        rt.cx.session.kept.identity = Some(last);
        rt.cx.session.activation.last.scope_identity = Some(last);
    }
    Ok(count)
}

/// The values of the clustered key's columns, at their places; the others are NULL.
fn key_values(table: &Table, row: &[u8], out: &mut Vec<Value>) -> SqlResult<()> {
    out.resize(table.columns.len(), Value::Null);
    for k in table.base().key.columns() {
        out[k.column] = table.layout.get(row, k.column, &mut NoLobs)?;
    }
    Ok(())
}

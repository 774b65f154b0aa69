//! The new values of SET, and `column.WRITE(value, offset, length)`: a part of a large value replaced by another.
//!
//! The values of a row's SET go from one place to another as a list: one for each assignment, and behind that of a WRITE its offset and
//! its length. Where nothing but such columns changes, and no index or rule asks for the row's values, the large value is changed
//! where it is stored ([`in_place`]): its pages are neither read nor written as a whole.

use super::Verb;
use super::values::store;
use crate::catalog::Table;
use crate::database::Database;
use crate::exec::runtime::Rt;
use crate::plan::change::{Assignment, UpdatePlan};
use crate::rowcodec::Cell;
use crate::rowcodec::layout::Place;
use crate::session::Session;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{LobRef, lob};
use taffrail_types::{Bytes, ConvertContext, SqlType, Value};

/// Most bytes of a value.
const LONGEST: u64 = i32::MAX as u64;

/// How many values the SET of a row has.
pub(super) fn width(plan: &UpdatePlan) -> usize {
    plan.set.iter().map(|a| if a.write.is_some() { 3 } else { 1 }).sum()
}

/// The values of SET for the row in the frame; then those of the variables.
pub(super) fn compute(
    rt: &mut Rt<'_>,
    plan: &UpdatePlan,
    context: &ConvertContext,
    out: &mut Vec<Value>,
) -> SqlResult<()> {
    rt.begin_row();
    for a in &plan.set {
        let v = rt.eval(&a.expr)?;
        // A WRITE of NULL cuts the value off.
        if a.write.is_none() || !v.is_null() {
            let (table, database) = (&plan.table, &plan.database);
            let into = |v| store(v, a.from, table, a.column, database, Verb::Update, context);
            out.push(match into(v) {
                Err(e) => into(rt.excused(e)?)?,
                Ok(v) => v,
            });
        } else {
            out.push(Value::Null);
        }
        if let Some(w) = &a.write {
            out.push(rt.eval(&w.0)?);
            out.push(rt.eval(&w.1)?);
        }
    }
    for (at, e) in &plan.variables {
        rt.vars[*at as usize] = rt.eval(e)?;
    }
    Ok(())
}

/// The row's new values, from the old ones and those of SET.
pub(super) fn assign(
    plan: &UpdatePlan,
    set: impl IntoIterator<Item = Value>,
    new: &mut [Value],
) -> SqlResult<()> {
    let mut set = set.into_iter();
    let mut next = || set.next().expect("a value for each assignment");
    for a in &plan.set {
        let v = next();
        if a.write.is_none() {
            new[a.column] = v;
            continue;
        }
        let (offset, length) = (next(), next());
        let old = new[a.column].as_bytes().ok_or_else(|| null_written(&plan.table, a))?;
        let change = Change::new(plan, a, &v, &offset, &length, old.len() as u64)?;
        let bytes = v.as_bytes().unwrap_or_default();
        let (from, to) = (change.offset as usize, (change.offset + change.length) as usize);
        let mut spliced = Vec::with_capacity(old.len() - (to - from) + bytes.len());
        spliced.extend_from_slice(&old[..from]);
        spliced.extend_from_slice(bytes);
        spliced.extend_from_slice(&old[to..]);
        new[a.column] = match plan.table.columns[a.column].ty {
            SqlType::NVarChar(_) => Value::NVarChar(Bytes::from_vec(spliced)),
            SqlType::VarChar(_) => Value::VarChar(Bytes::from_vec(spliced)),
            _ => Value::Binary(Bytes::from_vec(spliced)),
        };
    }
    Ok(())
}

fn null_written(table: &Table, a: &Assignment) -> Box<SqlError> {
    SqlError::new(5302, &[&"WRITE", &table.columns[a.column].name])
}

/// What a WRITE replaces, in bytes.
struct Change {
    offset: u64,
    length: u64,
}

impl Change {
    /// Offset and length are in bytes, of nvarchar in pairs of bytes. Without an offset the value is appended; without a length, or a
    /// value, all from the offset on is replaced.
    fn new(
        plan: &UpdatePlan,
        a: &Assignment,
        value: &Value,
        offset: &Value,
        length: &Value,
        old: u64,
    ) -> SqlResult<Change> {
        let wide = matches!(plan.table.columns[a.column].ty, SqlType::NVarChar(_));
        let unit = if wide { 2 } else { 1 };
        let all = old / unit;
        let (offset, length) = match (offset.as_i64(), length.as_i64()) {
            (None, _) => (all, 0),
            (Some(offset), _) if offset < 0 || offset as u64 > all => {
                return Err(SqlError::new(7116, &[&offset]));
            }
            (Some(offset), _) if value.is_null() => (offset as u64, all - offset as u64),
            (Some(_), Some(length)) if length < 0 => {
                return Err(SqlError::new(7135, &[&length]));
            }
            (Some(offset), length) => {
                let rest = all - offset as u64;
                (offset as u64, length.map_or(rest, |l| rest.min(l as u64)))
            }
        };
        let change = Change { offset: offset * unit, length: length * unit };
        let added = value.as_bytes().map_or(0, <[u8]>::len) as u64;
        if old - change.length + added > LONGEST {
            return Err(SqlError::new(7119, &[&LONGEST]));
        }
        Ok(change)
    }
}

/// True if rows may be changed by [`in_place`].
pub(super) fn may_be_in_place(plan: &UpdatePlan) -> bool {
    let large = |a: &Assignment| matches!(plan.table.columns[a.column].place, Place::Variable(_));
    plan.set.iter().all(|a| large(a) == a.write.is_some())
}

/// Changes a row's large values where they are, and the row's bytes, which refer to them. False, with nothing changed, if one of them is in
/// the row itself, or would be empty.
pub(super) fn in_place(
    session: &mut Session,
    database: &Database,
    plan: &UpdatePlan,
    set: &[Value],
    row: &mut Vec<u8>,
) -> SqlResult<bool> {
    let table = &plan.table;
    let mut changes: Vec<(usize, LobRef, Change, &[u8])> = Vec::new();
    let mut at = 0;
    for a in &plan.set {
        let value = &set[at];
        at += 1;
        if a.write.is_none() {
            if !table.layout.patch(row, a.column, value)? {
                return Ok(false);
            }
            continue;
        }
        let (offset, length) = (&set[at], &set[at + 1]);
        at += 2;
        let Cell::Lob(old) = table.layout.cell(row, a.column)? else { return Ok(false) };
        let change = Change::new(plan, a, value, offset, length, old.length)?;
        let bytes = value.as_bytes().unwrap_or_default();
        if change.length == old.length && bytes.is_empty() {
            return Ok(false);
        }
        changes.push((a.column, old, change, bytes));
    }
    let hobt = table.base().hobt()?;
    for (column, old, change, bytes) in changes {
        let tx = session.part(database.id);
        let new = lob::replace(tx, hobt, old, change.offset, change.length, bytes)
            .map_err(|e| session.storage_error(e))?;
        table.layout.refer(row, column, new)?;
    }
    Ok(true)
}

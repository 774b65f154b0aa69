//! Functions of large values that need only a part of them: the part is read where it is stored.
//!
//! The function is computed as it always is, of the part in place of the whole: SUBSTRING from the part's beginning, and what LEN and
//! DATALENGTH come to is added to what lies before the part.

use super::row::passes;
use super::scan::{Large, version_gone};
use crate::exec::runtime::Rt;
use crate::plan::node::{LargePart, Scan};
use crate::rowcodec::{Cell, Lobs, RowLayout, TableLobs, UnlockedLobs};
use smallvec::SmallVec;
use taffrail_base::SqlResult;
use taffrail_storage::LobRef;
use taffrail_types::{Bytes, SqlType, Value};

/// Bytes at the end of a text that are looked at for its last character that is no blank.
const TAIL: u64 = 8000;

/// The arguments of each function but for the first.
pub(super) type Arguments = Vec<SmallVec<[Value; 4]>>;

/// What was found of a large value.
pub(super) struct Found {
    /// The part, and what takes the place of the second argument of SUBSTRING.
    value: Value,
    start: Option<i64>,
    /// What is added to the result.
    before: i64,
}

/// The functions' arguments.
pub(super) fn arguments(rt: &mut Rt<'_>, scan: &Scan) -> SqlResult<Arguments> {
    let all =
        scan.parts.iter().map(|part| part.call.args[1..].iter().map(|e| rt.eval(e)).collect());
    all.collect()
}

/// What a row has for the functions.
pub(super) fn find(
    scan: &Scan,
    row: &[u8],
    arguments: &Arguments,
    lobs: &mut dyn Lobs,
) -> SqlResult<Vec<Found>> {
    let layout = &scan.table.layout;
    let all = scan.parts.iter().zip(arguments);
    all.map(|(part, rest)| {
        let lob = match layout.cell(row, part.column)? {
            Cell::Value(value) => return Ok(Found { value, start: None, before: 0 }),
            Cell::Lob(lob) => lob,
        };
        of_large(scan.table.columns[part.column].ty, part, rest, lob, lobs)
    })
    .collect()
}

/// The part of a large value that a function needs.
fn of_large(
    ty: SqlType,
    part: &LargePart,
    rest: &[Value],
    lob: LobRef,
    lobs: &mut dyn Lobs,
) -> SqlResult<Found> {
    let unit = if matches!(ty, SqlType::NVarChar(_)) { 2 } else { 1 };
    let all = lob.length / unit;
    let number = |at: usize| rest.get(at).and_then(Value::as_i64);
    let (mut start, mut before) = (None, 0);
    let (from, to) = match (part.call.function.name(), number(0), number(1)) {
        ("DATALENGTH", ..) => {
            before = lob.length as i64;
            (0, 0)
        }
        ("LEN", ..) if unit == 1 && !matches!(ty, SqlType::VarChar(_)) => {
            before = lob.length as i64;
            (0, 0)
        }
        ("LEN", ..) => {
            let mut to = all;
            loop {
                let from = to.saturating_sub(TAIL / unit);
                let tail = lobs.read_part(lob, from * unit, (to - from) * unit)?;
                let blank = |u: &[u8]| u[0] == b' ' && u.get(1).is_none_or(|b| *b == 0);
                if from == 0 || !tail.chunks_exact(unit as usize).all(blank) {
                    let found = value_of(ty, tail);
                    return Ok(Found { value: found, start: None, before: from as i64 });
                }
                to = from;
            }
        }
        ("LEFT", Some(n), _) => (0, all.min(n.max(0) as u64)),
        ("RIGHT", Some(n), _) => (all - all.min(n.max(0) as u64), all),
        ("SUBSTRING", Some(first), Some(n)) => {
            let from = first.saturating_sub(1).clamp(0, all as i64);
            let to = first.saturating_sub(1).saturating_add(n).clamp(from, all as i64);
            start = (first > 1).then_some(1);
            (from as u64, to as u64)
        }
        // One of them is NULL, and so is the result.
        _ => (0, 0),
    };
    let bytes = match to > from {
        true => lobs.read_part(lob, from * unit, (to - from) * unit)?,
        false => Vec::new(),
    };
    Ok(Found { value: value_of(ty, bytes), start, before })
}

fn value_of(ty: SqlType, bytes: Vec<u8>) -> Value {
    let bytes = Bytes::from_vec(bytes);
    match ty {
        SqlType::NVarChar(_) => Value::NVarChar(bytes),
        SqlType::VarChar(_) => Value::VarChar(bytes),
        _ => Value::Binary(bytes),
    }
}

/// Computes the functions into their slots, if the row is wanted.
pub(super) fn settle(
    rt: &mut Rt<'_>,
    scan: &Scan,
    arguments: Arguments,
    found: Vec<Found>,
) -> SqlResult<()> {
    if !passes(rt, scan)? {
        return Ok(());
    }
    for ((part, rest), found) in scan.parts.iter().zip(arguments).zip(found) {
        let mut args = SmallVec::<[Value; 4]>::with_capacity(1 + rest.len());
        args.push(found.value);
        args.extend(rest);
        if let Some(start) = found.start {
            args[1] = match args[1] {
                Value::BigInt(_) => Value::BigInt(start),
                _ => Value::Int(start as i32),
            };
        }
        let value = match rt.call(&part.call, &args)? {
            Value::BigInt(n) => Value::BigInt(n + found.before),
            Value::Int(n) => Value::Int(n + found.before as i32),
            value => value,
        };
        rt.frame[part.slot as usize] = value;
    }
    Ok(())
}

/// All of it for a row; false: a large value has gone, and the row is to be read again.
#[cold]
pub(super) fn read(
    rt: &mut Rt<'_>,
    scan: &Scan,
    layout: &RowLayout,
    row: &[u8],
    large: Large,
) -> SqlResult<bool> {
    debug_assert!(std::ptr::eq(layout, &scan.table.layout));
    if !passes(rt, scan)? {
        return Ok(true);
    }
    let arguments = arguments(rt, scan)?;
    let hobt = scan.table.base().hobt()?;
    let tx = rt.cx.session.part(scan.database.id);
    let found = if large == Large::Kept {
        find(scan, row, &arguments, &mut TableLobs { tx, hobt })?
    } else {
        let mut lobs = UnlockedLobs::new(tx, hobt);
        match find(scan, row, &arguments, &mut lobs) {
            Ok(found) => found,
            Err(_) if lobs.gone && large == Large::Copied => return Ok(false),
            Err(_) if lobs.gone && large == Large::OfSnapshot => {
                return Err(version_gone(rt, scan));
            }
            Err(e) => return Err(e),
        }
    };
    settle(rt, scan, arguments, found)?;
    Ok(true)
}

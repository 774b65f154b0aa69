//! A row's columns into the frame.

use super::parts;
use super::scan::{Large, version_gone};
use crate::exec::runtime::Rt;
use crate::plan::node::Scan;
use crate::rowcodec::unlocked::UnlockedLobs;
use crate::rowcodec::{RowLayout, TableLobs};
use taffrail_base::SqlResult;
use taffrail_storage::lob;
use taffrail_types::{Bytes, Value};

/// Reads columns of a row into the frame; false: a large value has gone, and the row is to be read again.
#[inline]
pub(crate) fn read_columns(
    rt: &mut Rt<'_>,
    scan: &Scan,
    layout: &RowLayout,
    row: &[u8],
    columns: &[(usize, u32)],
    large: Large,
) -> SqlResult<bool> {
    let done = layout.read(row, columns, &mut rt.frame)?;
    if done == columns.len() {
        return Ok(true);
    }
    read_long(rt, scan, layout, row, &columns[done..], large)
}

/// The same where the first of them lies on overflow pages.
#[cold]
fn read_long(
    rt: &mut Rt<'_>,
    scan: &Scan,
    layout: &RowLayout,
    row: &[u8],
    mut columns: &[(usize, u32)],
    large: Large,
) -> SqlResult<bool> {
    while let Some(((column, slot), rest)) = columns.split_first() {
        match read_large(rt, scan, layout, row, *column, large)? {
            Some(v) => rt.frame[*slot as usize] = v,
            None => return Ok(false),
        }
        columns = &rest[layout.read(row, rest, &mut rt.frame)?..];
    }
    Ok(true)
}

/// Whether a row is wanted whose columns are in the frame, at least those that the filter reads.
#[inline]
pub(super) fn passes(rt: &mut Rt<'_>, scan: &Scan) -> SqlResult<bool> {
    match &scan.filter {
        Some(p) => Ok(rt.test(p)? == Some(true)),
        None => Ok(true),
    }
}

/// Reads a row's columns into the frame if it passes the filter, which sees its own first; whether it does. `None`: a large value has
/// gone, and the row is to be read again.
#[inline]
pub(super) fn take(
    rt: &mut Rt<'_>,
    scan: &Scan,
    layout: &RowLayout,
    row: &[u8],
    columns: &[(usize, u32)],
    large: Large,
) -> SqlResult<Option<bool>> {
    let (first, rest) = columns.split_at(scan.filtered);
    if !read_columns(rt, scan, layout, row, first, large)? {
        return Ok(None);
    }
    if !passes(rt, scan)? {
        return Ok(Some(false));
    }
    let all = read_columns(rt, scan, layout, row, rest, large)?
        && (scan.parts.is_empty() || parts::read(rt, scan, layout, row, large)?);
    Ok(all.then_some(true))
}

/// Reads all columns of a row, whatever the filter says; false: a large value has gone, and the row is to be read again.
pub(super) fn read_all(
    rt: &mut Rt<'_>,
    scan: &Scan,
    layout: &RowLayout,
    row: &[u8],
    large: Large,
) -> SqlResult<bool> {
    Ok(read_columns(rt, scan, layout, row, &scan.columns, large)?
        && (scan.parts.is_empty() || parts::read(rt, scan, layout, row, large)?))
}

/// The row of a change is kept as it is, and where it is, if it is wanted.
#[inline]
pub(super) fn note(rt: &mut Rt<'_>, scan: &Scan, wanted: bool, locator: &[u8], row: &[u8]) {
    if let (Some(slot), true) = (scan.locator, wanted) {
        rt.frame[slot as usize] = Value::Binary(Bytes::from_slice(locator));
        rt.target_row.clear();
        rt.target_row.extend_from_slice(row);
        if let Some(slot) = scan.image {
            let image = image_of(row).to_be_bytes();
            rt.frame[slot as usize] = Value::Binary(Bytes::from_slice(&image));
        }
    }
}

/// The image of a row, which is another one when its values are, or its rowversion.
pub(crate) fn image_of(row: &[u8]) -> u64 {
    use std::hash::Hasher;
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(row);
    hasher.finish()
}

fn read_large(
    rt: &mut Rt<'_>,
    scan: &Scan,
    layout: &RowLayout,
    row: &[u8],
    column: usize,
    large: Large,
) -> SqlResult<Option<Value>> {
    let hobt = scan.table.base().hobt()?;
    let tx = rt.cx.session.part(scan.database.id);
    if large == Large::Kept {
        return layout.get(row, column, &mut TableLobs { tx, hobt }).map(Some);
    }
    let mut lobs = UnlockedLobs::new(tx, hobt);
    match layout.get(row, column, &mut lobs) {
        Ok(v) => Ok(Some(v)),
        Err(_) if lobs.gone && large == Large::Copied => Ok(None),
        Err(_) if lobs.gone && large == Large::OfSnapshot => Err(version_gone(rt, scan)),
        Err(e) => Err(e),
    }
}

/// Reads a scan's columns from the row as it is now, under its lock; false: it is not there any more.
#[cold]
pub(super) fn read_again(
    rt: &mut Rt<'_>,
    scan: &Scan,
    locator: &[u8],
    row: &mut Vec<u8>,
) -> SqlResult<bool> {
    let hobt = scan.table.base().hobt()?;
    let arguments = parts::arguments(rt, scan)?;
    let frame = &mut rt.frame;
    let mut found = Vec::new();
    let tx = rt.cx.session.part(scan.database.id);
    let columns = lob::with_row(tx, hobt, locator, row, |tx, row| -> SqlResult<()> {
        for (c, s) in &scan.columns {
            let v = scan.table.layout.get(row, *c, &mut TableLobs { tx, hobt })?;
            frame[*s as usize] = v;
        }
        found = parts::find(scan, row, &arguments, &mut TableLobs { tx, hobt })?;
        Ok(())
    });
    let there = columns.map_err(|e| rt.cx.session.storage_error(e))?.transpose()?.is_some();
    if there && !scan.parts.is_empty() {
        parts::settle(rt, scan, arguments, found)?;
    }
    note(rt, scan, there, locator, row);
    Ok(there)
}

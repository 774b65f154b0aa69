//! Allocation pages.
//!
//! ```text
//! LOP_SET_BITS          LCX_GAM, LCX_IAM: u8 value, then runs: u32 first bit, u32 count. Every bit had the other value.
//!                       LCX_ML_MAP: the same, redo only.
//! LOP_SET_FREE_SPACE    LCX_PFS: u16 n, n runs: u16 first page, u16 count; u8 new value; the bytes before.
//!                       A compensation: u16 n, runs, 0xff, the bytes to set.
//! ```

use taffrail_base::{HobtId, PageId};
use taffrail_log::{Lcx, Lop, Record, RecordFlags, Reserve};

use super::{RedoResult, compensation, on_page};
use crate::buffer::WriteGuard;
use crate::codec::{Put, Take};
use crate::error::StorageResult;
use crate::layout::{EXTENT_PAGES, interval_start, pfs_of};
use crate::page::{BITMAP_BITS, PFS_ALLOCATED, PFS_PAGES, Page};
use crate::txn::work::{Change, Work};

const EXPLICIT: u8 = 0xff;

/// Sets or clears runs of bits of a GAM or IAM page.
pub(crate) fn set_bits(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    context: Lcx,
    hobt: HobtId,
    runs: &[(u32, u32)],
    value: bool,
) -> StorageResult<()> {
    set_bits_with(work, page, context, hobt, runs, value, RecordFlags::NONE)
}

/// As [`set_bits`], with these flags, of a GAM, IAM or ML page.
pub(crate) fn set_bits_with(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    context: Lcx,
    hobt: HobtId,
    runs: &[(u32, u32)],
    value: bool,
    flags: RecordFlags,
) -> StorageResult<()> {
    let payload = encode_bits(runs, value);
    let undone = !flags.contains(RecordFlags::REDO_ONLY);
    let reserve = if undone { Reserve::undo(payload.len()) } else { Reserve::NONE };
    let change = Change { hobt, reserve, flags, ..Change::new(Lop::SetBits, context) };
    work.change(page, &change, &[&payload])?;
    for &(first, count) in runs {
        page.set_bits(first, count, value);
    }
    Ok(())
}

/// Sets runs of PFS bytes to one value.
pub(crate) fn set_free_space(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    hobt: HobtId,
    runs: &[(u16, u16)],
    value: u8,
) -> StorageResult<()> {
    let mut payload = encode_runs(runs);
    payload.u8(value);
    for &(first, count) in runs {
        payload.bytes(page.pfs_range(first.into(), count.into()));
    }
    let reserve = Reserve::undo(payload.len());
    let change = Change { hobt, reserve, ..Change::new(Lop::SetFreeSpace, Lcx::Pfs) };
    work.change(page, &change, &[&payload])?;
    for &(first, count) in runs {
        page.set_pfs(first.into(), &vec![value; count.into()]);
    }
    Ok(())
}

fn encode_bits(runs: &[(u32, u32)], value: bool) -> Vec<u8> {
    let mut b = Vec::with_capacity(1 + runs.len() * 8);
    b.u8(u8::from(value));
    for &(first, count) in runs {
        b.u32(first);
        b.u32(count);
    }
    b
}

fn encode_runs(runs: &[(u16, u16)]) -> Vec<u8> {
    let mut b = Vec::with_capacity(3 + runs.len() * 4);
    b.u16(runs.len() as u16);
    for &(first, count) in runs {
        b.u16(first);
        b.u16(count);
    }
    b
}

fn parse_bits(r: &Record<'_>) -> Option<(bool, Vec<(u32, u32)>)> {
    let mut t = Take(r.payload);
    let value = t.u8()? != 0;
    let mut runs = Vec::new();
    while !t.is_empty() {
        let (first, count) = (t.u32()?, t.u32()?);
        if first.checked_add(count)? > BITMAP_BITS {
            return None;
        }
        runs.push((first, count));
    }
    Some((value, runs))
}

/// Runs, the value to fill with, and the bytes that follow.
fn parse_free_space<'a>(r: &Record<'a>) -> Option<(Vec<(u16, u16)>, u8, &'a [u8])> {
    let mut t = Take(r.payload);
    let n = t.u16()?;
    let mut runs = Vec::with_capacity(n.into());
    let mut total = 0;
    for _ in 0..n {
        let (first, count) = (t.u16()?, t.u16()?);
        if u32::from(first) + u32::from(count) > PFS_PAGES {
            return None;
        }
        total += usize::from(count);
        runs.push((first, count));
    }
    let value = t.u8()?;
    Some((runs, value, t.bytes(total)?))
}

/// The first run of bits, and the value of all.
pub(super) fn first_bits(r: &Record<'_>) -> Option<(u32, u32, bool)> {
    let (value, runs) = parse_bits(r)?;
    runs.first().map(|&(first, count)| (first, count, value))
}

/// The first page's place, its byte now, and its byte before where that is logged.
pub(super) fn first_free_space(r: &Record<'_>) -> Option<(u16, u8, Option<u8>)> {
    let (runs, value, bytes) = parse_free_space(r)?;
    let (&(place, _), &byte) = (runs.first()?, bytes.first()?);
    Some(if value == EXPLICIT { (place, byte, None) } else { (place, value, Some(byte)) })
}

pub(super) fn redo_bits(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let (value, runs) = parse_bits(r).ok_or("malformed runs of bits")?;
    for (first, count) in runs {
        page.set_bits(first, count, value);
    }
    Ok(())
}

pub(super) fn redo_free_space(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let (runs, value, mut bytes) = parse_free_space(r).ok_or("malformed runs of pages")?;
    for (first, count) in runs {
        let (these, rest) = bytes.split_at(count.into());
        bytes = rest;
        if value == EXPLICIT {
            page.set_pfs(first.into(), these);
        } else {
            page.set_pfs(first.into(), &vec![value; count.into()]);
        }
    }
    Ok(())
}

pub(super) fn undo_bits(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let Some((value, runs)) = parse_bits(r) else {
        return Err(work.db.store.corrupt(r.header.page, "undo of set bits".to_owned()));
    };
    if r.header.context == Lcx::Iam
        && value
        && let Some(hobt) = work.db.known_hobt(r.header.hobt)
    {
        hobt.forget_hints();
    }
    let change = compensation(r, Lop::SetBits, r.header.context);
    on_page(work, held, r.header.page, |work, page| {
        work.change(page, &change, &[&encode_bits(&runs, !value)])?;
        for &(first, count) in &runs {
            page.set_bits(first, count, !value);
        }
        Ok(())
    })?;
    if r.header.context == Lcx::Gam && !value {
        let start = interval_start(r.header.page.page);
        let first = runs.iter().map(|r| r.0).min().unwrap_or(0);
        work.db.extents_freed(start + first * EXTENT_PAGES);
    }
    Ok(())
}

pub(super) fn undo_free_space(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let Some((runs, value, before)) = parse_free_space(r) else {
        return Err(work.db.store.corrupt(r.header.page, "undo of free space".to_owned()));
    };
    let change = compensation(r, Lop::SetFreeSpace, r.header.context);
    let mut payload = encode_runs(&runs);
    payload.u8(EXPLICIT);
    payload.bytes(before);
    on_page(work, held, r.header.page, |work, page| {
        work.change(page, &change, &[&payload])?;
        let mut bytes = before;
        for &(first, count) in &runs {
            let (these, rest) = bytes.split_at(count.into());
            bytes = rest;
            page.set_pfs(first.into(), these);
        }
        Ok(())
    })?;
    if let ([(first, 1)], PFS_ALLOCATED) = (&runs[..], value) {
        // An allocation taken back: the page can be given out again.
        let base = r.header.page.page / PFS_PAGES * PFS_PAGES;
        let page = PageId { file: r.header.page.file, page: base + u32::from(*first) };
        work.db.clone().page_freed(r.header.hobt, page);
    }
    Ok(())
}

/// Marks a page as not allocated, as the compensation `change`.
pub(super) fn undo_page_allocation(
    work: &mut Work,
    page: PageId,
    change: &Change,
) -> StorageResult<()> {
    let (pfs, index) = pfs_of(page);
    let mut payload = encode_runs(&[(index as u16, 1)]);
    payload.u8(EXPLICIT);
    payload.u8(0);
    on_page(work, &mut [], pfs, |work, page| {
        work.change(page, change, &[&payload])?;
        page.set_pfs(index, &[0]);
        Ok(())
    })
}

pub(super) fn describe(r: &Record<'_>) -> String {
    match r.header.op {
        Lop::SetBits => match parse_bits(r) {
            Some((value, runs)) => {
                let extents: u32 = runs.iter().map(|r| r.1).sum();
                format!("{extents} bits set to {}", u8::from(value))
            }
            None => "malformed".to_owned(),
        },
        _ => match parse_free_space(r) {
            Some((runs, value, bytes)) => {
                let allocated =
                    if value == EXPLICIT { bytes.first().copied() } else { Some(value) };
                let pages: u32 = runs.iter().map(|r| u32::from(r.1)).sum();
                let what = match allocated {
                    Some(v) if v & PFS_ALLOCATED != 0 => "allocated",
                    _ => "deallocated",
                };
                format!("{pages} pages {what}")
            }
            None => "malformed".to_owned(),
        },
    }
}

//! Lines of files in a root, written short: where whole ones do not fit, those of many files that are much alike do.
//!
//! What a line has in common with the one before it is left out: the beginning and the end of the path, growth, the largest size. What
//! changes by itself has a place of its own, so that a root never outgrows its half page by the growth of a file:
//! ```text
//! file     u8 flags: 1 = removed, nothing follows; 2 = growth as before; 4 = max size as before
//!          u8 bytes of the path that begin as before  u8 that end as before  number: bytes between  the bytes between
//!          u32 size  u32 smallest size, both in 8 KiB  u16 id  number: born
//!          unless as before: u8 growth kind  u64 growth;  u64 max size
//! number   seven bits a byte, the lowest first; bit 7: another byte follows
//! ```

use crate::directory::{Cursor, RootFile, Unreadable};
use crate::options::Growth;

const GONE: u8 = 1;
const GROWTH: u8 = 2;
const MAX: u8 = 4;
const UNIT: u64 = 8192;

/// FILEGROWTH as it is written: its kind and its amount.
pub(crate) fn growth_parts(growth: Growth) -> (u8, u64) {
    match growth {
        Growth::None => (0, 0),
        Growth::Bytes(n) => (1, n),
        Growth::Percent(n) => (2, u64::from(n)),
    }
}

/// FILEGROWTH from its kind and amount, as [`growth_parts`] gives them.
pub(crate) fn growth_of(kind: u8, amount: u64) -> Result<Growth, Unreadable> {
    match (kind, amount) {
        (0, _) => Ok(Growth::None),
        (1, n) => Ok(Growth::Bytes(n)),
        (2, n) => Ok(Growth::Percent(n.min(100_000) as u32)),
        _ => Err(Unreadable::Damaged),
    }
}

/// How many bytes two paths have in common, at their beginnings or, `rev`, at their ends.
fn common<'a>(a: impl Iterator<Item = &'a u8>, b: impl Iterator<Item = &'a u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count().min(usize::from(u8::MAX))
}

fn put_number(b: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        b.push(n as u8 | 0x80);
        n >>= 7;
    }
    b.push(n as u8);
}

fn take_number(c: &mut Cursor<'_>) -> Result<u64, Unreadable> {
    let mut n = 0;
    for shift in (0..63).step_by(7) {
        let [byte] = c.array()?;
        n |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(n);
        }
    }
    Err(Unreadable::Damaged)
}

pub(crate) fn pack(files: &[RootFile]) -> Vec<u8> {
    let mut b = Vec::new();
    let before = RootFile::gone();
    let mut before = &before;
    for f in files {
        if f.is_gone() {
            b.push(GONE);
            continue;
        }
        let same = |flag, is: bool| if is { flag } else { 0 };
        let flags =
            same(GROWTH, f.growth == before.growth) | same(MAX, f.max_size == before.max_size);
        let (path, last) =
            (f.path.as_os_str().as_encoded_bytes(), before.path.as_os_str().as_encoded_bytes());
        let head = common(path.iter(), last.iter());
        let tail = common(path[head..].iter().rev(), last[head..].iter().rev());
        let between = &path[head..path.len() - tail];
        b.extend_from_slice(&[flags, head as u8, tail as u8]);
        put_number(&mut b, between.len() as u64);
        b.extend_from_slice(between);
        debug_assert!(f.size.is_multiple_of(UNIT) && f.min_size.is_multiple_of(UNIT));
        b.extend_from_slice(&((f.size / UNIT) as u32).to_le_bytes());
        b.extend_from_slice(&((f.min_size / UNIT) as u32).to_le_bytes());
        b.extend_from_slice(&f.id.to_le_bytes());
        put_number(&mut b, f.born);
        if flags & GROWTH == 0 {
            let (kind, amount) = growth_parts(f.growth);
            b.push(kind);
            b.extend_from_slice(&amount.to_le_bytes());
        }
        if flags & MAX == 0 {
            b.extend_from_slice(&f.max_size.to_le_bytes());
        }
        before = f;
    }
    b
}

pub(crate) fn unpack(c: &mut Cursor<'_>, count: usize) -> Result<Vec<RootFile>, Unreadable> {
    let mut files: Vec<RootFile> = Vec::new();
    let mut before = RootFile::gone();
    for _ in 0..count {
        let [flags] = c.array()?;
        if flags & GONE != 0 {
            files.push(RootFile::gone());
            continue;
        }
        let [head, tail] = c.array()?;
        let len = usize::try_from(take_number(c)?).map_err(|_| Unreadable::Damaged)?;
        let between = c.bytes(len)?;
        let last = before.path.as_os_str().as_encoded_bytes();
        let head = last.get(..usize::from(head)).ok_or(Unreadable::Damaged)?;
        let end = last.len().checked_sub(usize::from(tail)).ok_or(Unreadable::Damaged)?;
        let path = [head, between, &last[end..]].concat();
        let path = String::from_utf8(path).map_err(|_| Unreadable::Damaged)?;
        if path.is_empty() {
            return Err(Unreadable::Damaged);
        }
        let (size, min_size) = (u64::from(c.u32()?) * UNIT, u64::from(c.u32()?) * UNIT);
        let id = c.u16()?;
        let born = take_number(c)?;
        let growth = match flags & GROWTH {
            0 => {
                let [kind] = c.array()?;
                growth_of(kind, c.u64()?)?
            }
            _ => before.growth,
        };
        let max_size = if flags & MAX == 0 { c.u64()? } else { before.max_size };
        before = RootFile { path: path.into(), size, growth, max_size, min_size, born, id };
        files.push(before.clone());
    }
    Ok(files)
}

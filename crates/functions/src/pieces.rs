//! Long work in memory, in pieces of about a millisecond: between two of them is asked whether the batch has been cancelled, so
//! that an attention ends a sort of many rows or a text of many megabytes as soon as anything else.

use std::cmp::Ordering;
use std::sync::atomic;
use taffrail_base::SqlResult;

/// Bytes or characters of a piece.
pub const PIECE: usize = 1 << 20;
/// The rows of a piece.
const ROWS: usize = 8 << 10;
/// The bytes up to which a repeated text is put together before it is copied as a block.
const BLOCK: usize = 64 << 10;

/// Ends work whose batch was cancelled.
pub fn look() -> SqlResult<()> {
    let flag =
        |cell: &taffrail_observe::SessionCell| cell.cancel_flag().load(atomic::Ordering::Relaxed);
    match taffrail_observe::session::with_current(flag) {
        Some(true) => Err(taffrail_base::message::cancelled()),
        _ => Ok(()),
    }
}

/// False where the batch was cancelled: see [`taffrail_types::interest`].
pub(crate) fn is_wanted() -> bool {
    look().is_ok()
}

/// Ends a statement of which a comparison was cut short: its batch was cancelled, and what it has made is worth nothing.
pub fn whole() -> SqlResult<()> {
    match taffrail_types::interest::was_cut() {
        true => Err(taffrail_base::message::cancelled()),
        false => Ok(()),
    }
}

/// A value so large that making it would endanger the server: 701.
pub fn memory(bytes: usize) -> SqlResult<()> {
    let bytes = if bytes > 512 << 20 { usize::MAX } else { bytes };
    crate::memory::room(bytes)
}

/// Appends bytes, in pieces.
pub fn append(to: &mut Vec<u8>, bytes: &[u8]) -> SqlResult<()> {
    if bytes.len() <= PIECE {
        to.extend_from_slice(bytes);
        return Ok(());
    }
    to.reserve(bytes.len());
    for piece in bytes.chunks(PIECE) {
        look()?;
        to.extend_from_slice(piece);
    }
    Ok(())
}

/// The results of `make` on `of`, piece by piece; `width` items belong together and become one.
pub fn collect<T, U>(
    of: &[T],
    width: usize,
    make: impl Fn(&mut Vec<U>, &[T]),
) -> SqlResult<Vec<U>> {
    let mut out = Vec::with_capacity(of.len() / width);
    for piece in of.chunks(PIECE * width) {
        if of.len() > PIECE {
            look()?;
        }
        make(&mut out, piece);
    }
    Ok(out)
}

/// `text` again and again, so many bytes of it.
pub fn repeated(text: &[u8], bytes: usize) -> SqlResult<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes);
    if text.is_empty() {
        return Ok(out);
    }
    let times = (BLOCK / text.len()).clamp(1, bytes.div_ceil(text.len()).max(1));
    let block = text.repeat(times);
    while out.len() < bytes {
        if bytes > PIECE {
            look()?;
        }
        let n = block.len().min(bytes - out.len());
        append(&mut out, &block[..n])?;
    }
    Ok(out)
}

/// Sorts numbers of rows, no two of which are equal to `compare`: parts by themselves, then two and two of them merged.
pub fn sort(order: &mut Vec<u32>, compare: impl Fn(&u32, &u32) -> Ordering) -> SqlResult<()> {
    if order.len() <= ROWS {
        order.sort_unstable_by(compare);
        return Ok(());
    }
    for part in order.chunks_mut(ROWS) {
        look()?;
        part.sort_unstable_by(&compare);
    }
    let mut merged = Vec::with_capacity(order.len());
    let mut length = ROWS;
    while length < order.len() {
        merged.clear();
        for pair in order.chunks(length * 2) {
            let (a, b) = pair.split_at(length.min(pair.len()));
            merge(a, b, &mut merged, &compare)?;
        }
        std::mem::swap(order, &mut merged);
        length *= 2;
    }
    Ok(())
}

fn merge(
    a: &[u32],
    b: &[u32],
    to: &mut Vec<u32>,
    compare: &impl Fn(&u32, &u32) -> Ordering,
) -> SqlResult<()> {
    look()?;
    let (mut i, mut j) = (0, 0);
    match (a, b) {
        // What came in order, or in the opposite one, is only copied.
        ([.., last], [first, ..]) if compare(last, first).is_lt() => {}
        ([first, ..], [.., last]) if compare(last, first).is_lt() => {
            to.extend_from_slice(b);
            j = b.len();
        }
        _ => {
            while i < a.len() && j < b.len() {
                if (i + j).is_multiple_of(ROWS) {
                    look()?;
                }
                if compare(&b[j], &a[i]).is_lt() {
                    to.push(b[j]);
                    j += 1;
                } else {
                    to.push(a[i]);
                    i += 1;
                }
            }
        }
    }
    to.extend_from_slice(&a[i..]);
    to.extend_from_slice(&b[j..]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sort_in_pieces_is_a_sort() {
        for n in [0, 1, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS, 5 * ROWS + 17] {
            // Of any order, ascending, descending, and of a few keys.
            let keys: [Vec<u32>; 4] = [
                (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect(),
                (0..n as u32).collect(),
                (0..n as u32).rev().collect(),
                (0..n as u32).map(|i| i % 3).collect(),
            ];
            for keys in keys {
                let compare =
                    |a: &u32, b: &u32| keys[*a as usize].cmp(&keys[*b as usize]).then(a.cmp(b));
                let mut order: Vec<u32> = (0..n as u32).collect();
                let mut expected = order.clone();
                expected.sort_by(compare);
                sort(&mut order, compare).unwrap();
                assert!(order == expected, "{n} rows");
            }
        }
    }

    #[test]
    fn a_sort_ends_when_its_batch_is_cancelled() {
        let cell = taffrail_observe::SessionCell::new(51);
        let _in = taffrail_observe::SessionCell::enter(&cell);
        let rows = |n: usize| (0..n as u32).rev().collect::<Vec<_>>();
        assert!(sort(&mut rows(3 * ROWS), |a, b| a.cmp(b)).is_ok());
        cell.cancel_flag().store(true, atomic::Ordering::Relaxed);
        let ended = sort(&mut rows(3 * ROWS), |a, b| a.cmp(b)).map_err(|e| e.number);
        assert_eq!(ended, Err(taffrail_base::message::CANCELLED));
        // Between the parts too, and within a merge.
        assert!(merge(&[1], &[0], &mut Vec::new(), &|a, b| a.cmp(b)).is_err());
    }

    #[test]
    fn what_is_repeated_ends_where_it_has_to() {
        for (text, bytes) in
            [("ab", 5), ("ab", 0), ("", 0), ("xyz", BLOCK + 1), ("q", PIECE * 2 + 3)]
        {
            let expected: Vec<u8> = text.bytes().cycle().take(bytes).collect();
            assert!(repeated(text.as_bytes(), bytes).unwrap() == expected, "{text} {bytes}");
        }
        let long = vec![7; PIECE + 5];
        assert_eq!(repeated(&long, 2 * PIECE).unwrap().len(), 2 * PIECE);
    }
}

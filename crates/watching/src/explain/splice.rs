//! A row's bytes through changes that came later, backward.
//!
//! What a row was before some changes is put together from pieces of what it was after them, and from bytes that they replaced. So
//! many changes cost no more than the row is long.

/// Where a piece of the earlier row comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    /// From the later row: from here to there.
    Later(usize, usize),
    /// From the log.
    Bytes(Vec<u8>),
}

/// The way from a later row to an earlier one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Splice(Vec<Piece>);

impl Default for Splice {
    /// The row itself.
    fn default() -> Splice {
        Splice(vec![Piece::Later(0, usize::MAX)])
    }
}

impl Splice {
    /// Behind all changes so far comes another: from `at` on, `after` bytes replaced these.
    pub fn then(&mut self, at: usize, before: &[u8], after: usize) {
        let old_end = at + before.len();
        // A place behind the replaced bytes, as the row has it afterwards.
        let moved = |n: usize| if n == usize::MAX { n } else { n - before.len() + after };
        let mut out: Vec<Piece> = Vec::with_capacity(self.0.len() + 2);
        let mut push = |piece: Piece| match (out.last_mut(), piece) {
            (_, Piece::Later(a, b)) if a >= b => {}
            (_, Piece::Bytes(b)) if b.is_empty() => {}
            (Some(Piece::Bytes(last)), Piece::Bytes(b)) => last.extend_from_slice(&b),
            (Some(Piece::Later(_, end)), Piece::Later(a, b)) if *end == a => *end = b,
            (_, piece) => out.push(piece),
        };
        for piece in std::mem::take(&mut self.0) {
            let (a, b) = match piece {
                Piece::Bytes(bytes) => {
                    push(Piece::Bytes(bytes));
                    continue;
                }
                Piece::Later(a, b) => (a, b),
            };
            push(Piece::Later(a, b.min(at)));
            let (from, to) = (a.clamp(at, old_end), b.clamp(at, old_end));
            push(Piece::Bytes(before[from - at..to - at].to_vec()));
            if b > old_end {
                push(Piece::Later(moved(a.max(old_end)), moved(b)));
            }
        }
        self.0 = out;
    }

    /// The earlier row; none: these are not changes of this row.
    pub fn apply(&self, later: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(later.len());
        for piece in &self.0 {
            match piece {
                Piece::Bytes(bytes) => out.extend_from_slice(bytes),
                Piece::Later(a, usize::MAX) => out.extend_from_slice(later.get(*a..)?),
                Piece::Later(a, b) => out.extend_from_slice(later.get(*a..*b)?),
            }
        }
        Some(out)
    }
}

/// Replaces bytes of a row, forward; false: they are not there.
pub(super) fn replace(row: &mut Vec<u8>, at: usize, before: usize, after: &[u8]) -> bool {
    let fits = at.checked_add(before).is_some_and(|end| end <= row.len());
    if fits {
        row.splice(at..at + before, after.iter().copied());
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_goes_back_through_any_changes() {
        let mut seed = 7_u64;
        let mut next = |n: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n.max(1)
        };
        for _ in 0..300 {
            let first: Vec<u8> = (0..20 + next(60)).map(|_| next(256) as u8).collect();
            let (mut row, mut back) = (first.clone(), Splice::default());
            for _ in 0..next(40) {
                let at = next(row.len() + 1);
                let old = next((row.len() - at).min(12) + 1);
                let new: Vec<u8> = (0..next(14)).map(|_| next(256) as u8).collect();
                let before = row[at..at + old].to_vec();
                assert!(replace(&mut row, at, old, &new));
                back.then(at, &before, new.len());
            }
            assert_eq!(back.apply(&row).as_deref(), Some(&first[..]));
        }
    }

    #[test]
    fn a_hot_row_stays_small() {
        let mut back = Splice::default();
        for n in 0..100_000_u32 {
            back.then(8, &n.to_le_bytes(), 4);
        }
        assert_eq!(back.0.len(), 3);
        assert_eq!(back.apply(&[9; 20]).unwrap()[8..12], [0; 4]);
        // Of another row.
        assert_eq!(back.apply(&[9; 10]), None);
    }
}

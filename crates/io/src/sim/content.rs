//! Bytes of a simulated file, where parts that were never written take no memory.

use std::ops::Range;
use std::sync::Arc;

/// Bytes of a piece: a power of two, more than a sector.
const PIECE: usize = 16 << 10;

/// A file's bytes in pieces. A copy shares the pieces until one of both writes there: a loss of power copies whole files.
#[derive(Clone, Default)]
pub(super) struct Content {
    /// `None`: zeros. Behind `len` the last piece has zeros.
    pieces: Vec<Option<Arc<[u8; PIECE]>>>,
    len: usize,
}

impl Content {
    /// Bytes of the file.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Cuts the file, or makes it longer by zeros.
    pub fn resize(&mut self, len: usize) {
        let inside = len % PIECE;
        if len < self.len
            && inside > 0
            && let Some(Some(piece)) = self.pieces.get_mut(len / PIECE)
        {
            Arc::make_mut(piece)[inside..].fill(0);
        }
        self.pieces.resize(len.div_ceil(PIECE), None);
        self.len = len;
    }

    /// Whether the file has all of these bytes.
    pub fn holds(&self, bytes: &Range<usize>) -> bool {
        bytes.start <= bytes.end && bytes.end <= self.len
    }

    /// The bytes from `start` on, which the file has, into `to`.
    pub fn read(&self, start: usize, to: &mut [u8]) {
        assert!(self.holds(&(start..start + to.len())), "a read within the file");
        let mut at = start;
        let mut rest = to;
        while !rest.is_empty() {
            let inside = at % PIECE;
            let (part, behind) = rest.split_at_mut((PIECE - inside).min(rest.len()));
            match &self.pieces[at / PIECE] {
                Some(piece) => part.copy_from_slice(&piece[inside..inside + part.len()]),
                None => part.fill(0),
            }
            at += part.len();
            rest = behind;
        }
    }

    /// A copy of some of its bytes.
    pub fn part(&self, bytes: Range<usize>) -> Box<[u8]> {
        let mut part = vec![0; bytes.len()].into_boxed_slice();
        self.read(bytes.start, &mut part);
        part
    }

    /// Bytes at a place that the file has.
    pub fn write(&mut self, start: usize, bytes: &[u8]) {
        assert!(self.holds(&(start..start + bytes.len())), "a write within the file");
        let mut at = start;
        let mut rest = bytes;
        while !rest.is_empty() {
            let inside = at % PIECE;
            let (part, behind) = rest.split_at((PIECE - inside).min(rest.len()));
            let piece = self.pieces[at / PIECE].get_or_insert_with(|| Arc::new([0; PIECE]));
            Arc::make_mut(piece)[inside..inside + part.len()].copy_from_slice(part);
            at += part.len();
            rest = behind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimRng;

    /// Whatever is done to it: its bytes are those of a plain vector, and a copy keeps the bytes that it had.
    #[test]
    fn bytes_are_those_of_a_vector() {
        let mut rng = SimRng::new(7);
        let (mut content, mut plain) = (Content::default(), Vec::new());
        for _ in 0..2_000 {
            let (copy, before) = (content.clone(), plain.clone());
            match rng.below(4) {
                0 => {
                    let len = rng.below(5 * PIECE as u64) as usize;
                    content.resize(len);
                    plain.resize(len, 0);
                }
                _ if plain.is_empty() => {}
                _ => {
                    let start = rng.below(plain.len() as u64) as usize;
                    let len = rng.below((plain.len() - start) as u64 + 1) as usize;
                    let mut bytes = vec![0; len];
                    rng.fill(&mut bytes);
                    content.write(start, &bytes);
                    plain[start..start + len].copy_from_slice(&bytes);
                }
            }
            assert_eq!(content.part(0..content.len())[..], plain[..]);
            assert_eq!(copy.part(0..copy.len())[..], before[..]);
        }
    }
}

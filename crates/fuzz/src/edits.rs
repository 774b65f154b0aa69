//! Short inputs that say what to change in large files: so that a search is about the few bytes that matter, and never about the zeroes
//! between them.
//!
//! ```text
//! input   u8 flags (1: checksums stay wrong), then edits to its end
//! edit    u8 kind, u16 structure, u16 where in it, u8 n, then
//!           kind mod 4   0, 1  n mod 16 + 1 bytes: written there
//!                        2     one byte: n + 1 times
//!                        3     u16 structure, u16 where: 4·n + 1 bytes are copied from there
//! ```
//! Numbers that are too high wrap; an edit that ends too early is the last.

use std::ops::Range;

/// A file to be damaged.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its name.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Where structures lie in some files: file, offset, length (not 0).
pub type Structures = Vec<(usize, usize, usize)>;

/// Edits at most, so that an input's time is bounded.
const EDITS_MAX: usize = 32;

struct Take<'a>(&'a [u8]);

impl<'a> Take<'a> {
    fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.bytes(1).map(|b| b[0])
    }

    fn u16(&mut self) -> Option<usize> {
        self.bytes(2).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))
    }

    /// A place in a structure: file, and the bytes from there to the structure's end.
    fn place(&mut self, structures: &Structures) -> Option<(usize, Range<usize>)> {
        let (which, at) = (self.u16()?, self.u16()?);
        let (file, offset, len) = structures[which % structures.len()];
        Some((file, offset + at % len..offset + len))
    }
}

/// Does to the files what the input says. True if their checksums are to be mended.
pub fn apply(images: &mut [Image], structures: &Structures, input: &[u8]) -> bool {
    let mut t = Take(input);
    let Some(flags) = t.u8() else { return true };
    for _ in 0..EDITS_MAX {
        if edit(images, structures, &mut t).is_none() {
            break;
        }
    }
    flags & 1 == 0
}

fn edit(images: &mut [Image], structures: &Structures, t: &mut Take<'_>) -> Option<()> {
    let kind = t.u8()?;
    let (file, to) = t.place(structures)?;
    let n = usize::from(t.u8()?);
    let content = match kind % 4 {
        2 => vec![t.u8()?; n + 1],
        3 => {
            let (from, place) = t.place(structures)?;
            let bytes = &images[from].bytes[place];
            bytes[..bytes.len().min(4 * n + 1)].to_vec()
        }
        _ => t.bytes(n % 16 + 1)?.to_vec(),
    };
    let target = &mut images[file].bytes[to];
    let n = content.len().min(target.len());
    target[..n].copy_from_slice(&content[..n]);
    Some(())
}

/// An input that writes bytes into a structure.
pub fn write(structure: usize, at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut input = vec![0, 0];
    input.extend_from_slice(&(structure as u16).to_le_bytes());
    input.extend_from_slice(&(at as u16).to_le_bytes());
    input.push(bytes.len() as u8 - 1);
    input.extend_from_slice(bytes);
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_change_what_they_name_and_nothing_else() {
        let image = || Image { path: "f".into(), bytes: (0..100).collect() };
        let mut images = [image()];
        let structures = vec![(0, 10, 20), (0, 50, 4)];
        assert!(apply(&mut images, &structures, &write(1, 1, &[7, 8])));
        assert_eq!(images[0].bytes[50..54], [50, 7, 8, 53]);
        // Beyond the structure's end nothing is written, and numbers wrap.
        assert!(apply(&mut images, &structures, &write(3, 3, &[1, 2, 3])));
        assert_eq!(images[0].bytes[50..55], [50, 7, 8, 1, 54]);
        // Copied: from the first structure into the second. Checksums are to stay wrong.
        let mut images = [image()];
        assert!(!apply(&mut images, &structures, &[1, 3, 1, 0, 0, 0, 9, 0, 0, 5, 0]));
        assert_eq!(images[0].bytes[50..55], [15, 16, 17, 18, 54]);
        assert_eq!(images[0].bytes[..50], image().bytes[..50]);
    }
}

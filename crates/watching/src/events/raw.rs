//! Files of events and of the trace, for who reads damaged ones on purpose.

use super::blocks::{HEADER, Kind, Next, Reader, seal};
use super::{file, trace};
use std::path::Path;
use taffrail_io::Disk;

/// What a file is one of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Files {
    /// `event_file`.
    Events,
    /// The default trace.
    Trace,
}

impl Files {
    fn kind(self) -> &'static Kind {
        match self {
            Files::Events => &file::FILES,
            Files::Trace => &trace::FILES,
        }
    }
}

/// A file of one block with these contents, whatever they are.
pub fn sealed(files: Files, contents: &[u8]) -> Vec<u8> {
    let mut block = vec![0; HEADER];
    block.extend(contents);
    let mut bytes = files.kind().magic.to_vec();
    bytes.extend(seal(block));
    bytes
}

/// How many events or rows a file has; `None`: it is none of these, or damaged.
pub fn count(files: Files, disk: &dyn Disk, path: &Path) -> Option<usize> {
    let mut reader = Reader::open(disk, files.kind(), path).ok()?;
    let mut all = 0;
    loop {
        match reader.next().ok()? {
            Next::End => return Some(all),
            Next::Damaged => return None,
            Next::Block(_, bytes) => {
                all += match files {
                    Files::Events => file::decode(&bytes)?.len(),
                    Files::Trace => trace::count(&bytes)?,
                }
            }
        }
    }
}

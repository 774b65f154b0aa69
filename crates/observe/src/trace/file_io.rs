//! One entry for each operation on a file, whoever asked for it: what `taffrail.io_trace` shows.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Packed, TraceRing, WORDS};
use crate::moment::Moment;

/// An operation on a file that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileIo {
    /// When it ended.
    pub at: Moment,
    /// How long it took, ns.
    pub ns: u64,
    /// On whose behalf; 0 for a thread without a session.
    pub session: u16,
    /// What, as the crate `io` numbers it.
    pub operation: u8,
    /// The file, by [`file_number`].
    pub file: u32,
    /// Where in the file.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
    /// It is on the medium when it ends.
    pub durable: bool,
    /// 0: it succeeded; else the system's number of the error, or -1 if it has none.
    pub error: i32,
}

impl Packed for FileIo {
    fn pack(&self) -> [u64; WORDS] {
        let who = u64::from(self.session) << 48
            | u64::from(self.operation) << 40
            | u64::from(self.durable) << 32
            | u64::from(self.file);
        let error = u64::from(self.error.cast_unsigned());
        [self.at.0, self.ns, who, self.offset, self.length, error, 0, 0]
    }

    fn unpack(w: [u64; WORDS]) -> FileIo {
        FileIo {
            at: Moment(w[0]),
            ns: w[1],
            session: (w[2] >> 48) as u16,
            operation: (w[2] >> 40) as u8,
            file: w[2] as u32,
            offset: w[3],
            length: w[4],
            durable: w[2] >> 32 & 1 == 1,
            error: (w[5] as u32).cast_signed(),
        }
    }
}

/// The process's ring.
pub fn file_io() -> &'static TraceRing<FileIo> {
    static RING: TraceRing<FileIo> = TraceRing::new(16_384);
    &RING
}

/// Names of files that entries speak of: more than the ring could speak of are not kept.
const NAMES_MAX: usize = 20_000;

struct Names {
    /// The number of the first of `names`.
    base: u32,
    names: std::collections::VecDeque<PathBuf>,
}

fn names() -> MutexGuard<'static, Names> {
    static NAMES: Mutex<Names> =
        Mutex::new(Names { base: 0, names: std::collections::VecDeque::new() });
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number by which entries name a file: asked for when the file is opened, not with each operation.
pub fn file_number(path: &Path) -> u32 {
    let mut known = names();
    if let Some(at) = known.names.iter().position(|p| p == path) {
        return known.base.wrapping_add(at as u32);
    }
    if known.names.len() == NAMES_MAX {
        known.names.pop_front();
        known.base = known.base.wrapping_add(1);
    }
    known.names.push_back(path.to_owned());
    known.base.wrapping_add(known.names.len() as u32 - 1)
}

/// The file of a number, if it is still known.
pub fn file_name(number: u32) -> Option<PathBuf> {
    let known = names();
    known.names.get(number.wrapping_sub(known.base) as usize).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were() {
        let entry = FileIo {
            at: Moment(1 << 60),
            ns: 17,
            session: 65_535,
            operation: 255,
            file: u32::MAX,
            offset: u64::MAX,
            length: 1 << 40,
            durable: true,
            error: -1,
        };
        assert_eq!(FileIo::unpack(entry.pack()), entry);
        let other =
            FileIo { session: 0, operation: 3, file: 0, durable: false, error: 28, ..entry };
        assert_eq!(FileIo::unpack(other.pack()), other);
    }

    #[test]
    fn a_file_keeps_its_number() {
        let (a, b) = (file_number(Path::new("/trace/a")), file_number(Path::new("/trace/b")));
        assert_ne!(a, b);
        assert_eq!(file_number(Path::new("/trace/a")), a);
        assert_eq!(file_name(b).as_deref(), Some(Path::new("/trace/b")));
        assert_eq!(file_name(a.wrapping_sub(1_000_000)), None);
    }
}

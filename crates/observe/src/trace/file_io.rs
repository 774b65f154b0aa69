//! One entry for each operation on a file, whoever asked for it: what `taffrail.io_trace` shows.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::{Packed, TraceRing, WORDS};
use crate::moment::Moment;

/// An operation on a file that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileIo {
    /// The moment when the operation ended.
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
    /// The number of bytes that were read or written.
    pub length: u64,
    /// It is on the medium when it ends.
    pub durable: bool,
    /// 0: it succeeded; else the system's number of the error, or -1 if it has none.
    pub error: i32,
    /// Why, as the crate `io` numbers it.
    pub reason: u8,
}

impl Packed for FileIo {
    fn pack(&self) -> [u64; WORDS] {
        let who = u64::from(self.session) << 48
            | u64::from(self.operation) << 40
            | u64::from(self.durable) << 32
            | u64::from(self.file);
        let error = u64::from(self.error.cast_unsigned());
        [self.at.0, self.ns, who, self.offset, self.length, error, u64::from(self.reason), 0]
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
            reason: w[6] as u8,
        }
    }
}

/// The operations on files of the whole process.
pub fn file_io() -> &'static TraceRing<FileIo> {
    static RING: TraceRing<FileIo> = TraceRing::new(16_384);
    &RING
}

/// Names of files that are not open: more than the ring could speak of are not kept.
const IDLE_MAX: usize = 20_000;

struct Named {
    path: PathBuf,
    /// How often it is open.
    open: u32,
    /// Its number is in the queue.
    queued: bool,
}

/// Numbers of files. That of an open file stays; of the others the one goes first whose file was named, or closed, first.
#[derive(Default)]
struct Names {
    numbers: HashMap<PathBuf, u32>,
    names: HashMap<u32, Named>,
    /// Those that may go, in their order, and some that were opened since.
    idle: VecDeque<u32>,
    last: u32,
}

impl Names {
    fn number(&mut self, path: &Path) -> u32 {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        self.last = self.last.wrapping_add(1);
        let number = self.last;
        self.numbers.insert(path.to_owned(), number);
        self.names.insert(number, Named { path: path.to_owned(), open: 0, queued: false });
        self.may_go(number);
        number
    }

    fn may_go(&mut self, number: u32) {
        let Some(named) = self.names.get_mut(&number) else { return };
        if !std::mem::replace(&mut named.queued, true) {
            self.idle.push_back(number);
        }
        while self.idle.len() > IDLE_MAX {
            let Some(oldest) = self.idle.pop_front() else { break };
            let Some(named) = self.names.get_mut(&oldest) else { continue };
            named.queued = false;
            if named.open > 0 {
                continue;
            }
            // The name may be another number's by now: see `renamed`.
            if self.numbers.get(&named.path) == Some(&oldest) {
                self.numbers.remove(&named.path);
            }
            self.names.remove(&oldest);
        }
    }

    fn opened(&mut self, path: &Path) -> u32 {
        let number = self.number(path);
        if let Some(named) = self.names.get_mut(&number) {
            named.open += 1;
        }
        number
    }

    fn closed(&mut self, number: u32) {
        let Some(named) = self.names.get_mut(&number) else { return };
        named.open = named.open.saturating_sub(1);
        if named.open == 0 {
            self.may_go(number);
        }
    }

    fn renamed(&mut self, from: &Path, to: &Path) {
        let Some(number) = self.numbers.remove(from) else { return };
        if let Some(named) = self.names.get_mut(&number) {
            named.path = to.to_owned();
        }
        // What had the name before has it still where entries speak of it.
        self.numbers.insert(to.to_owned(), number);
    }
}

fn names() -> MutexGuard<'static, Names> {
    static NAMES: LazyLock<Mutex<Names>> = LazyLock::new(Mutex::default);
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number by which entries name a file: for what is done with its name alone, or in vain.
pub fn file_number(path: &Path) -> u32 {
    names().number(path)
}

/// As [`file_number`], for a file that is open from now on: its number is looked up once and not with each
/// operation, and kept until [`file_closed`].
pub fn file_opened(path: &Path) -> u32 {
    names().opened(path)
}

/// A file that was [`file_opened`] is closed.
pub fn file_closed(number: u32) {
    names().closed(number);
}

/// A file has another name, and keeps its number.
pub fn file_renamed(from: &Path, to: &Path) {
    names().renamed(from, to);
}

/// The file of a number, if it is still known.
pub fn file_name(number: u32) -> Option<PathBuf> {
    names().names.get(&number).map(|n| n.path.clone())
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
            reason: 255,
        };
        assert_eq!(FileIo::unpack(entry.pack()), entry);
        let other = FileIo {
            session: 0,
            operation: 3,
            file: 0,
            durable: false,
            error: 28,
            reason: 0,
            ..entry
        };
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

    #[test]
    fn names_that_come_and_go_push_out_no_open_file() {
        let mut names = Names::default();
        let master = names.opened(Path::new("/master.mdf"));
        let twice = [names.opened(Path::new("/twice")), names.opened(Path::new("/twice"))];
        let path = |n: usize| PathBuf::from(format!("/backup/{n}.bak"));
        let first = names.number(&path(0));
        for n in 0..3 * IDLE_MAX {
            let number = names.opened(&path(n));
            names.closed(number);
        }
        assert_eq!(names.opened(Path::new("/master.mdf")), master);
        assert!(!names.names.contains_key(&first) && names.names.len() <= IDLE_MAX + 2);
        assert_eq!(names.numbers.len(), names.names.len());
        // Closed as often as it was opened it may go, and not before.
        assert_eq!(twice[0], twice[1]);
        names.closed(twice[0]);
        for n in 0..2 * IDLE_MAX {
            names.number(&path(n));
        }
        assert!(names.names.contains_key(&twice[0]));
        names.closed(twice[0]);
        for n in 0..3 * IDLE_MAX {
            names.number(&path(n));
        }
        assert!(!names.names.contains_key(&twice[0]));
    }

    #[test]
    fn a_number_goes_with_its_file_to_another_name() {
        let mut names = Names::default();
        let (a, b) = (Path::new("/a"), Path::new("/b"));
        let (file, other) = (names.opened(a), names.opened(b));
        names.renamed(a, b);
        assert_eq!((names.number(b), &*names.names[&file].path), (file, b));
        assert_eq!(&*names.names[&other].path, b);
        assert_ne!(names.number(a), file);
        names.renamed(Path::new("/nobody knows it"), a);
        assert_ne!(names.number(a), file);
    }
}

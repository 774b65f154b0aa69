//! Tells the trace of file I/O of each operation: [`taffrail_observe::trace::file_io`].

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use taffrail_io::counted::{Done, FileOperation, Watch};
use taffrail_observe::Moment;
use taffrail_observe::session::{SessionCell, with_current};
use taffrail_observe::trace::{
    FileIo, file_closed, file_io, file_name, file_number, file_opened, file_renamed,
};
use taffrail_observe::xe;

/// Who is told.
pub(crate) struct Traced;

impl Watch for Traced {
    fn named(&self, path: &Path) -> u32 {
        file_number(path)
    }

    fn opened(&self, path: &Path) -> u32 {
        file_opened(path)
    }

    fn closed(&self, file: u32) {
        file_closed(file);
    }

    fn renamed(&self, from: &Path, to: &Path) {
        file_renamed(from, to);
    }

    fn begins(&self, file: u32, operation: FileOperation, offset: u64, length: u64) {
        let event = match operation {
            FileOperation::Read => xe::Event::FileRead,
            FileOperation::Write => xe::Event::FileWritten,
            _ => return,
        };
        if xe::wanted(event) {
            let mut fields = vec![0.into()];
            fields.extend(place(file, offset, length));
            xe::tell(event, &fields);
        }
    }

    fn done(&self, file: u32, done: Done) {
        let event = match done.operation {
            FileOperation::Read => xe::Event::FileReadCompleted,
            _ => xe::Event::FileWriteCompleted,
        };
        let moves = matches!(done.operation, FileOperation::Read | FileOperation::Write);
        if done.error != 0 && moves {
            taffrail_observe::totals::FILE_ERRORS.inc();
        }
        if xe::wanted(event) && moves {
            tell(event, file, &done);
        }
        file_io().push(&FileIo {
            at: Moment::now(),
            ns: done.took.as_nanos() as u64,
            session: with_current(SessionCell::session_id).unwrap_or(0),
            operation: done.operation as u8,
            file,
            offset: done.offset,
            length: done.length,
            durable: done.durable,
            error: done.error,
            reason: done.reason as u8,
        });
    }
}

/// Whose the files are, by their numbers: database and file id.
static OWNERS: Mutex<BTreeMap<u32, (u16, u16)>> = Mutex::new(BTreeMap::new());

/// Takes over whose these files are.
pub fn note_owners(files: impl Iterator<Item = (PathBuf, u16, u16)>) {
    let all: Vec<_> = files.map(|(path, d, f)| (file_number(&path), (d, f))).collect();
    OWNERS.lock().extend(all);
}

/// Which part of which file.
#[cold]
fn place(file: u32, offset: u64, length: u64) -> [xe::Val; 7] {
    let (database, id) = OWNERS.lock().get(&file).copied().unwrap_or((0, 0));
    let path = file_name(file).map_or_else(String::new, |p| p.display().to_string());
    [
        file.into(),
        offset.into(),
        database.into(),
        id.into(),
        // A log belongs to no group.
        u8::from(id == 1).into(),
        length.into(),
        xe::Val::text(&path),
    ]
}

/// A read or write has ended, and somebody wants to know.
#[cold]
fn tell(event: xe::Event, file: u32, done: &Done) {
    let mut fields = vec![0.into(), (done.took.as_millis() as u64).into()];
    fields.extend(place(file, done.offset, done.length));
    xe::tell(event, &fields);
}

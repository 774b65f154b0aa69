//! Tells the trace of file I/O of each operation: [`taffrail_observe::trace::file_io`].

use std::path::Path;

use taffrail_io::counted::{Done, Watch};
use taffrail_observe::Moment;
use taffrail_observe::session::{SessionCell, with_current};
use taffrail_observe::trace::{
    FileIo, file_closed, file_io, file_number, file_opened, file_renamed,
};

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

    fn done(&self, file: u32, done: Done) {
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
        });
    }
}

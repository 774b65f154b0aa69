//! Tells the trace of file I/O of each operation: [`taffrail_observe::trace::file_io`].

use std::path::Path;

use taffrail_io::counted::{Done, Watch};
use taffrail_observe::Moment;
use taffrail_observe::session::{SessionCell, with_current};
use taffrail_observe::trace::{FileIo, file_io, file_number};

/// Who is told.
pub(crate) struct Traced;

impl Watch for Traced {
    fn file(&self, path: &Path) -> u32 {
        file_number(path)
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

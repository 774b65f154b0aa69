//! Reads that are tried again. A device that fails once and then gives what was asked for has given it; the error log hears of it (825),
//! for it is not to be trusted for long. Writes and syncs are never tried again.

use taffrail_base::{SessionId, SqlError};
use taffrail_io::{IoResult, Volume};
use taffrail_observe::{Event, EventRing, SessionCell};

/// How often something is read before it counts as what cannot be.
pub const READ_TRIES: u32 = 4;

/// [`Volume::read_at`], tried so often. What lies beyond the end of the file does not come by asking again.
pub fn read_retried(volume: &dyn Volume, offset: u64, buf: &mut [u8]) -> IoResult<()> {
    let mut times = 0;
    let mut first: Option<String> = None;
    loop {
        match volume.read_at(offset, buf) {
            Ok(()) => {
                if let Some(why) = first {
                    tell_retried(volume, offset, times, &why);
                }
                return Ok(());
            }
            Err(e) => {
                times += 1;
                let ends = e.source.kind() == std::io::ErrorKind::UnexpectedEof;
                if ends || times == READ_TRIES {
                    return Err(e);
                }
                first.get_or_insert_with(|| e.system_error());
            }
        }
    }
}

/// 825, for the error log: a read of a file has failed so many times, for this reason, before it succeeded.
pub fn tell_retried(volume: &dyn Volume, offset: u64, times: u32, why: &str) {
    let offset = format_args!("{offset:#018x}");
    let e = SqlError::new(825, &[&volume.path().display(), &offset, &times, &why]);
    let session = taffrail_observe::session::with_current(SessionCell::session_id);
    EventRing::global().push(Event::Raised {
        session: SessionId(session.unwrap_or(0)),
        number: e.number,
        severity: e.severity,
        state: 2,
        text: e.message,
    });
}

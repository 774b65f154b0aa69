//! Reads by which something is decided: what is not whole is read again before anything is written over or given up for it. A device
//! may give once what nobody has written.

use taffrail_io::{IoResult, Volume};
use taffrail_log::{READ_TRIES, read_retried, tell_retried};

use crate::page::Page;

/// Reads a page until `whole` has no objection, [`READ_TRIES`] times at most; then what it said last, of what was read last. A read that
/// the system refuses is tried as often each time.
pub(crate) fn read_whole<T>(
    volume: &dyn Volume,
    offset: u64,
    page: &mut Page,
    mut whole: impl FnMut(&mut Page) -> Result<T, String>,
) -> IoResult<Result<T, String>> {
    let mut first: Option<String> = None;
    let mut times = 0;
    loop {
        read_retried(volume, offset, page.bytes_mut())?;
        match whole(page) {
            Ok(found) => {
                if let Some(why) = first {
                    tell_retried(volume, offset, times, &why);
                }
                return Ok(Ok(found));
            }
            Err(why) => {
                times += 1;
                if times == READ_TRIES {
                    return Ok(Err(why));
                }
                first.get_or_insert(why);
            }
        }
    }
}

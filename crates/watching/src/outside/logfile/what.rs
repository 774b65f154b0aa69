//! What a path is that was named as a log file, where its first bytes tell that it is something else: then it is not a damaged log.

use super::Failure;
use std::path::{Path, PathBuf};
use taffrail_io::{Env, OpenSpec};
use taffrail_log::LogError;
use taffrail_storage::{Content, content_of};

/// As much of a file as tells what it is.
const FIRST: usize = 8192;

/// An error for the first path that is plainly no log file. Whatever is not plain is for the log's own reader to judge.
pub(super) fn refuse_others(env: &Env, files: &[PathBuf]) -> Result<(), Failure> {
    files.iter().try_for_each(|path| match what(env, path)? {
        Some(what) => {
            Err(Failure::Request(format!("'{}' is {what}, not a log file", path.display())))
        }
        None => Ok(()),
    })
}

fn what(env: &Env, path: &Path) -> Result<Option<&'static str>, Failure> {
    if env.disk.list(path).is_ok() {
        return Ok(Some("a directory"));
    }
    let io = |e| Failure::Log(LogError::Io(e));
    let volume = env.disk.open(path, OpenSpec { direct: false, read_only: true }).map_err(io)?;
    let len = volume.len().map_err(io)?;
    if len == 0 {
        return Ok(Some("an empty file"));
    }
    let mut first = vec![0; len.min(FIRST as u64) as usize];
    volume.read_at(0, &mut first).map_err(io)?;
    Ok(content_of(&first).map(|content| match content {
        Content::Data => "a data file of a database (the log is in its .ldf file)",
        Content::Backup => "a backup file (RESTORE HEADERONLY and fn_dump_dblog read it)",
    }))
}

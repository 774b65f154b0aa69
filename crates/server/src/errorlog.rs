//! The error log: what happens to the server, for its administrator.
//!
//! Each entry is written twice: to standard error as one `key=value` line for machines, and to `DIR/log/errorlog` as
//! SQL Server lays it out, because scripts read that:
//!
//! ```text
//! 2026-11-21 12:34:56.78 Server      Server is listening on [ 127.0.0.1 1433].
//! 2026-11-21 12:35:01.02 Logon       Error: 18456, Severity: 14, State: 8.
//! ```
//!
//! An entry has the time at which it happened. What the engine reports is written within a second of that, so it may stand
//! below an entry of the server's own that happened a little later.
//!
//! At each start the last file becomes `errorlog.1`, that one `errorlog.2`, up to six. Times are UTC.

use crate::clock::Stamp;
use parking_lot::Mutex;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// As it should be.
    Info,
    /// Somebody's mistake.
    Warning,
    /// Something is broken.
    Error,
}

/// Older files that are kept.
const KEPT: u32 = 6;

/// Where entries go.
pub struct ErrorLog {
    file: Mutex<Option<File>>,
}

impl ErrorLog {
    /// Starts a new file in `dir`, which is created if it is missing.
    pub fn open(dir: &Path) -> io::Result<ErrorLog> {
        fs::create_dir_all(dir)?;
        let name = |n: u32| match n {
            0 => dir.join("errorlog"),
            n => dir.join(format!("errorlog.{n}")),
        };
        for n in (0..KEPT).rev() {
            if name(n).exists() {
                fs::rename(name(n), name(n + 1))?;
            }
        }
        let file = File::options().create(true).append(true).open(name(0))?;
        Ok(ErrorLog { file: Mutex::new(Some(file)) })
    }

    /// An entry. `source` is `Server`, `Logon`, `spid51` …
    pub fn write(&self, level: Level, source: &str, text: &str) {
        self.write_at(SystemTime::now(), level, source, text);
    }

    /// An entry of what happened earlier.
    pub fn write_at(&self, at: SystemTime, level: Level, source: &str, text: &str) {
        let at = Stamp::of(at);
        let level = match level {
            Level::Info => "info",
            Level::Warning => "warn",
            Level::Error => "error",
        };
        let line = format!("ts={} level={level} source={source} msg={text:?}\n", at.rfc3339());
        // Nobody is left to tell if standard error is gone.
        let _ = io::stderr().write_all(line.as_bytes());
        let mut file = self.file.lock();
        if let Some(out) = file.as_mut() {
            let mut entry = String::new();
            for line in text.lines() {
                entry.push_str(&format!("{} {source:<11} {line}\n", at.errorlog()));
            }
            if let Err(e) = out.write_all(entry.as_bytes()) {
                // Said once, and where it can still be read; a full disk must not stop the server.
                *file = None;
                let line = format!(
                    "ts={} level=error source=Server msg=\"the error log cannot be written and is closed: {e}\"\n",
                    at.rfc3339()
                );
                let _ = io::stderr().write_all(line.as_bytes());
            }
        }
    }

    /// An entry of level info.
    pub fn info(&self, source: &str, text: &str) {
        self.write(Level::Info, source, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_rotate_and_lines_have_the_layout() {
        let dir = std::env::temp_dir().join(format!("taffrail-errorlog-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        for n in 0..3 {
            ErrorLog::open(&dir).unwrap().info("Server", &format!("start {n}"));
        }
        let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
        assert!(read("errorlog").ends_with(" Server      start 2\n"));
        assert_eq!(read("errorlog").find("Server"), Some(23));
        assert!(read("errorlog.2").ends_with("start 0\n"));
        fs::remove_dir_all(&dir).unwrap();
    }
}

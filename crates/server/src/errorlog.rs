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
//! A file that cannot be written (the disk is full) costs its entries, not the server: they are on standard error, the file is
//! tried again with each entry and each second ([`ErrorLog::retry`]), and says then how many it lacks. Part of an entry is
//! never left in it.
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

/// What entries are appended to.
trait Target: Send {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Takes back what lies behind the first so many bytes.
    fn cut(&mut self, len: u64) -> io::Result<()>;
}

impl Target for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }
}

/// The file, and what it lacks.
///
/// 1. The first `len` bytes are whole entries.
/// 2. `torn`: behind them lies a part of one that could not be taken back.
struct Out {
    target: Box<dyn Target>,
    len: u64,
    torn: bool,
    /// Entries that are not in it, and since when.
    lost: u64,
    since: SystemTime,
}

impl Out {
    fn new(target: Box<dyn Target>) -> Out {
        Out { target, len: 0, torn: false, lost: 0, since: SystemTime::UNIX_EPOCH }
    }

    fn append(&mut self, text: &str) -> io::Result<()> {
        if self.torn {
            self.target.cut(self.len)?;
            self.torn = false;
        }
        let written = self.target.append(text.as_bytes());
        match written {
            Ok(()) => self.len += text.len() as u64,
            Err(_) => self.torn = self.target.cut(self.len).is_err(),
        }
        written
    }

    /// Says how many entries are missing, if any are.
    fn make_up(&mut self) -> io::Result<()> {
        if self.lost == 0 {
            return Ok(());
        }
        let (now, since) = (Stamp::now().errorlog(), Stamp::of(self.since).errorlog());
        let source = "Server";
        self.append(&format!(
            "{now} {source:<11} {} message(s) since {since} could not be written here: standard error has them.\n",
            self.lost
        ))?;
        self.lost = 0;
        Ok(())
    }

    /// An entry; an error is given only when it is the first in a row.
    fn entry(&mut self, text: &str) -> io::Result<()> {
        let Err(e) = self.make_up().and_then(|()| self.append(text)) else { return Ok(()) };
        self.lost += 1;
        if self.lost > 1 {
            return Ok(());
        }
        self.since = SystemTime::now();
        Err(e)
    }
}

/// Where entries go.
pub struct ErrorLog {
    out: Mutex<Out>,
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
        Ok(ErrorLog { out: Mutex::new(Out::new(Box::new(file))) })
    }

    /// Tries again to say what is missing.
    pub fn retry(&self) {
        // The next one tries, too.
        let _ = self.out.lock().make_up();
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
        let mut entry = String::new();
        for line in text.lines() {
            entry.push_str(&format!("{} {source:<11} {line}\n", at.errorlog()));
        }
        if let Err(e) = self.out.lock().entry(&entry) {
            // Said once, and where it can still be read; a full disk must not stop the server.
            let line = format!(
                "ts={} level=error source=Server msg=\"the error log cannot be written, entries are lost until it can: {e}\"\n",
                at.rfc3339()
            );
            let _ = io::stderr().write_all(line.as_bytes());
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

    /// A disk with so many bytes left.
    #[derive(Clone, Default)]
    struct Disk(std::sync::Arc<Mutex<(Vec<u8>, usize)>>);

    impl Target for Disk {
        fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
            let (content, room) = &mut *self.0.lock();
            let fits = bytes.len().min(room.saturating_sub(content.len()));
            content.extend_from_slice(&bytes[..fits]);
            if fits == bytes.len() { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
        }

        fn cut(&mut self, len: u64) -> io::Result<()> {
            self.0.lock().0.truncate(len as usize);
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_costs_entries_and_they_are_counted() {
        let disk = Disk::default();
        let log = ErrorLog { out: Mutex::new(Out::new(Box::new(disk.clone()))) };
        let room = |bytes: usize| disk.0.lock().1 = bytes;
        let lines = || -> Vec<String> {
            let text = String::from_utf8(disk.0.lock().0.clone()).unwrap();
            assert!(text.is_empty() || text.ends_with('\n'), "part of an entry: {text}");
            text.lines().map(|l| l[23..].to_owned()).collect()
        };
        room(60);
        log.info("Server", "first");
        log.info("Server", "lost, and part of it would still fit");
        log.info("spid51", "lost as well, but told on standard error");
        log.retry();
        assert_eq!(lines(), ["Server      first"]);
        room(1000);
        log.info("Server", "there is room again");
        let now = lines();
        assert_eq!(now.len(), 3, "{now:?}");
        assert!(now[1].starts_with("Server      2 message(s) since "), "{now:?}");
        assert_eq!(now[2], "Server      there is room again");
        // Nobody has anything to say, and the file is mended all the same.
        room(0);
        log.info("Server", "lost");
        room(1000);
        log.retry();
        log.retry();
        assert!(lines()[3].contains(" 1 message(s) since "), "{:?}", lines());
        assert_eq!(lines().len(), 4);
    }

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

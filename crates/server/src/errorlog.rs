//! The error log: what happens to the server, for its administrator.
//!
//! Each entry is written twice: to standard error as one `key=value` line for machines (or, where the settings say so, to
//! standard output as it is in the file), and to `DIR/log/errorlog` as
//! SQL Server lays it out, because scripts read that:
//!
//! ```text
//! 2026-11-21 12:34:56.78 Server      Server is listening on [ 127.0.0.1 1433].
//! 2026-11-21 12:35:01.02 Logon       Error: 18456, Severity: 14, State: 8.
//! ```
//!
//! What the engine reports goes through the event ring and is written within a second, or before the server's next own entry
//! if that is sooner. Whoever writes takes the events that are due first and then the time for his entry, all under one lock:
//! an entry has the time at which it happened, and no entry has an earlier time than the one above it, unless somebody has
//! set the clock.
//!
//! A file that cannot be written (the disk is full) costs its entries, not the server: they are on standard error, the file is
//! tried again with each entry and each second ([`ErrorLog::catch_up`]), and says then how many it lacks. Part of an entry is
//! never left in it.
//!
//! At each start, with `sp_cycle_errorlog` and when it has grown to [`FILE_MAX`], the file becomes `errorlog.1`, that one
//! `errorlog.2`, up to six. Times are of the server's time zone, those on standard error are UTC.
//!
//! What clients write into an entry cannot pass for another one: each of its lines has the entry's time and source, and characters
//! that control a terminal are written as `\u{1b}` ([`crate::entry`]). An entry that comes again and again is written a few
//! times, then counted, and its number told ([`Fold`]): a flood of failed logins fills no disk.

use crate::clock::{Stamp, Wall};
use crate::entry::{Fold, printable};
use crate::reporting;
use parking_lot::Mutex;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use taffrail_observe::EventRing;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// As it should be.
    Info,
    /// Somebody has made a mistake.
    Warning,
    /// Something of the server is broken.
    Error,
}

/// Older files that are kept.
const KEPT: u32 = 6;
/// Bytes of a file before a new one is begun.
const FILE_MAX: u64 = 16 << 20;
/// A file or a stream that entries are appended to.
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
/// 3. The events up to number `told` have been written; whatever is written next happened later.
struct Out {
    ring: &'static EventRing,
    told: u64,
    wall: Wall,
    target: Box<dyn Target>,
    len: u64,
    torn: bool,
    /// Which file this is: each other one has another number.
    nth: u64,
    /// Entries that are not in it, and since when.
    lost: u64,
    since: SystemTime,
    fold: Fold,
    /// Where a new file is begun; none in a test.
    dir: Option<PathBuf>,
    /// The listener that is told of each entry.
    heard: Option<Heard>,
    /// Entries are on standard output as they are in the file, instead of on standard error.
    to_stdout: bool,
}

impl Out {
    fn new(target: Box<dyn Target>, ring: &'static EventRing) -> Out {
        let (since, wall) = (SystemTime::UNIX_EPOCH, Wall::new());
        let (fold, dir, heard) = (Fold::default(), None, None);
        // What happened before is not of this server.
        let told = ring.newest();
        let to_stdout = false;
        let (len, torn, nth, lost) = (0, false, 0, 0);
        Out { ring, told, wall, target, len, torn, nth, lost, since, fold, dir, heard, to_stdout }
    }

    /// Begins a new file.
    fn cycle(&mut self) -> io::Result<()> {
        if let Some(dir) = &self.dir {
            self.target = Box::new(next_file(dir)?);
            (self.len, self.torn, self.nth) = (0, false, self.nth + 1);
        }
        Ok(())
    }

    fn append(&mut self, text: &str) -> io::Result<()> {
        if self.torn {
            self.target.cut(self.len)?;
            self.torn = false;
        }
        if self.len >= FILE_MAX {
            // Rather a long file than no entry.
            let _ = self.cycle();
        }
        let written = self.target.append(text.as_bytes());
        match written {
            Ok(()) => self.len += text.len() as u64,
            Err(_) => self.torn = self.target.cut(self.len).is_err(),
        }
        written
    }

    /// Says how many entries are missing, if any are.
    fn make_up(&mut self, now: SystemTime) -> io::Result<()> {
        if self.lost == 0 {
            return Ok(());
        }
        let (now, since) = (Stamp::local(now).errorlog(), Stamp::local(self.since).errorlog());
        let source = "Server";
        self.append(&format!(
            "{now} {source:<11} {} message(s) since {since} could not be written here: standard error has them.\n",
            self.lost
        ))?;
        self.lost = 0;
        Ok(())
    }

    /// An entry; an error is given only when it is the first in a row.
    fn entry(&mut self, at: SystemTime, text: &str) -> io::Result<()> {
        let Err(e) = self.make_up(at).and_then(|()| self.append(text)) else { return Ok(()) };
        self.lost += 1;
        if self.lost > 1 {
            return Ok(());
        }
        self.since = at;
        Err(e)
    }

    /// Writes what the engine has reported since; gives the time of now.
    fn catch_up(&mut self, ending: bool) -> SystemTime {
        self.wall.follow();
        let drained = self.ring.drain(self.told, ending);
        if drained.lost > 0 {
            let text = format!(
                "{} event(s) were lost: more happened at once than can be written here.",
                drained.lost
            );
            let at = drained.events.first().map_or(drained.now, |first| first.at);
            self.write(self.wall.at(at), Level::Warning, "Server", &text);
        }
        for recorded in &drained.events {
            let at = self.wall.at(recorded.at);
            let when = |moment| Stamp::local(self.wall.at(moment)).errorlog();
            let entries = reporting::entries(&recorded.event, &when);
            // What belongs together is told or folded together.
            let texts: Vec<&str> = entries.iter().map(|e| &*e.text).collect();
            let first = entries.first().map(|e| (e.level, e.source.clone()));
            let told = first.as_ref().is_none_or(|(level, source)| {
                self.fold.note(at, *level, source, &texts.join("\n"))
            });
            for entry in entries.iter().filter(|_| told) {
                self.write(at, entry.level, &entry.source, &entry.text);
            }
            if let Some((_, source)) = first.filter(|_| told) {
                self.hear(at, &source, &texts.join("\n"));
            }
            self.told = recorded.number;
        }
        let now = self.wall.at(drained.now);
        for (level, source, text) in self.fold.take(now, ending) {
            self.write(now, level, &source, &text);
        }
        now
    }

    /// Tells of an entry that has been written.
    fn hear(&self, at: SystemTime, source: &str, text: &str) {
        let Some(heard) = &self.heard else { return };
        let text = &*printable(text);
        let time = Stamp::local(at).errorlog();
        let lines: Vec<String> =
            text.lines().map(|line| format!("{time} {source:<11} {line}")).collect();
        heard(&lines.join("\n"), numbers(text));
    }

    fn write(&mut self, at: SystemTime, level: Level, source: &str, text: &str) {
        let (stamp, local) = (Stamp::of(at), Stamp::local(at));
        let text = &*printable(text);
        let level = match level {
            Level::Info => "info",
            Level::Warning => "warn",
            Level::Error => "error",
        };
        let line = format!("ts={} level={level} source={source} msg={text:?}\n", stamp.rfc3339());
        let mut entry = String::new();
        for line in text.lines() {
            entry.push_str(&format!("{} {source:<11} {line}\n", local.errorlog()));
        }
        // Nobody is left to tell if these are gone.
        let _ = match self.to_stdout {
            true => io::stdout().write_all(entry.as_bytes()),
            false => io::stderr().write_all(line.as_bytes()),
        };
        if let Err(e) = self.entry(at, &entry) {
            // Said once, and where it can still be read; a full disk must not stop the server.
            let line = format!(
                "ts={} level=error source=Server msg=\"the error log cannot be written, entries are lost until it can: {e}\"\n",
                stamp.rfc3339()
            );
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }
}

fn file_name(dir: &Path, n: u32) -> PathBuf {
    match n {
        0 => dir.join("errorlog"),
        n => dir.join(format!("errorlog.{n}")),
    }
}

/// A new file; the older ones move on by one, and the last goes.
fn next_file(dir: &Path) -> io::Result<File> {
    for n in (0..KEPT).rev() {
        if file_name(dir, n).try_exists()? {
            fs::rename(file_name(dir, n), file_name(dir, n + 1))?;
        }
    }
    File::options().create(true).append(true).open(file_name(dir, 0))
}

/// A listener that is told of each entry: its lines as the file has them, and number, severity and state of the error that it is about.
pub(crate) type Heard = Box<dyn Fn(&str, Option<(i32, u8, u8)>) + Send>;

/// `Error: 9002, Severity: 17, State: 2.`
fn numbers(text: &str) -> Option<(i32, u8, u8)> {
    let head = text.lines().next()?.strip_prefix("Error: ")?.strip_suffix('.')?;
    let (number, rest) = head.split_once(", Severity: ")?;
    let (severity, state) = rest.split_once(", State: ")?;
    Some((number.parse().ok()?, severity.parse().ok()?, state.parse().ok()?))
}

/// The log that entries go to.
pub struct ErrorLog {
    out: Mutex<Out>,
}

impl ErrorLog {
    /// Starts a new file in `dir`, which is created if it is missing. With `to_stdout` standard output has the same, and
    /// standard error none of it.
    pub fn open(dir: &Path, to_stdout: bool) -> io::Result<ErrorLog> {
        fs::create_dir_all(dir)?;
        let mut out = Out::new(Box::new(next_file(dir)?), EventRing::global());
        out.dir = Some(dir.to_owned());
        out.to_stdout = to_stdout;
        Ok(ErrorLog { out: Mutex::new(out) })
    }

    /// `sp_cycle_errorlog`: a new file, whatever the size of this one.
    pub fn cycle(&self) -> io::Result<()> {
        let mut out = self.out.lock();
        out.catch_up(false);
        out.cycle()?;
        drop(out);
        self.info(
            "Server",
            "The error log has been reinitialized. See the previous log for older entries.",
        );
        Ok(())
    }

    /// Goes on in the file that has the name now: somebody may have moved the other one away.
    pub fn reopen(&self) -> io::Result<()> {
        let mut out = self.out.lock();
        let Some(dir) = &out.dir else { return Ok(()) };
        let file = File::options().create(true).append(true).open(file_name(dir, 0))?;
        (out.len, out.torn, out.nth) = (file.metadata()?.len(), false, out.nth + 1);
        out.target = Box::new(file);
        Ok(())
    }

    /// The present file to read, its number, and how many of its bytes are whole entries.
    pub(crate) fn present(&self) -> io::Result<Option<(u64, File, u64)>> {
        let out = self.out.lock();
        let file = out.dir.as_ref().map(|dir| File::open(file_name(dir, 0))).transpose()?;
        Ok(file.map(|file| (out.nth, file, out.len)))
    }

    /// From now on somebody is told of each entry.
    pub(crate) fn heard_by(&self, heard: Heard) {
        self.out.lock().heard = Some(heard);
    }

    /// Writes what the engine has reported (`ending`: what has been held back, too), and tries again to say what is missing.
    pub fn catch_up(&self, ending: bool) {
        let mut out = self.out.lock();
        let now = out.catch_up(ending);
        // The next one tries, too.
        let _ = out.make_up(now);
    }

    /// An entry. `source` is `Server`, `Logon`, `spid51` …
    pub fn write(&self, level: Level, source: &str, text: &str) {
        let mut out = self.out.lock();
        let now = out.catch_up(false);
        if out.fold.note(now, level, source, text) {
            out.write(now, level, source, text);
            out.hear(now, source, text);
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
    use crate::entry::FOLD_AFTER;
    use taffrail_base::{DatabaseId, FileId, Lsn};
    use taffrail_observe::{Event, Whose};

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

    fn on(disk: &Disk, ring: &'static EventRing) -> ErrorLog {
        ErrorLog { out: Mutex::new(Out::new(Box::new(disk.clone()), ring)) }
    }

    /// A log without limit and a ring of its own, which goes with the process.
    fn roomy(capacity: usize) -> (ErrorLog, Disk, &'static EventRing) {
        let ring: &'static EventRing = Box::leak(Box::new(EventRing::new(capacity)));
        let disk = Disk::default();
        disk.0.lock().1 = usize::MAX;
        (on(&disk, ring), disk, ring)
    }

    fn grown(to: u64) -> Event {
        Event::DataGrowth {
            database: Whose::new(DatabaseId(7), "sales"),
            file: FileId(1),
            name: "sales".into(),
            from: 8,
            to,
            automatic: true,
            session: 0,
            ns: 5,
        }
    }

    /// The lines of a log: time, and what follows it.
    fn lines(disk: &Disk) -> Vec<(String, String)> {
        let text = String::from_utf8(disk.0.lock().0.clone()).unwrap();
        text.lines().map(|l| (l[..22].to_owned(), l[23..].to_owned())).collect()
    }

    #[test]
    fn who_hears_has_the_lines_and_the_numbers_of_each_entry() {
        let (log, disk, ring) = roomy(64);
        let heard = std::sync::Arc::new(Mutex::new(Vec::new()));
        let all = heard.clone();
        log.heard_by(Box::new(move |text, error| all.lock().push((text.to_owned(), error))));
        ring.push(Event::Raised {
            session: taffrail_base::SessionId(53),
            number: 50_000,
            severity: 16,
            state: 3,
            text: "out of paper".into(),
        });
        log.info("Server", "one\ntwo");
        let heard = heard.lock();
        assert_eq!(heard.iter().map(|h| h.1).collect::<Vec<_>>(), [Some((50_000, 16, 3)), None]);
        let told: Vec<&str> = heard.iter().flat_map(|h| h.0.lines()).collect();
        let written = lines(&disk);
        assert_eq!(told.len(), 4);
        for (told, (time, rest)) in told.iter().zip(written) {
            assert_eq!(*told, format!("{time} {rest}"));
        }
    }

    #[test]
    fn times_ascend_whoever_writes() {
        let (log, disk, ring) = roomy(4096);
        std::thread::scope(|scope| {
            for n in 0..3 {
                let log = &log;
                scope.spawn(move || (0..100).for_each(|i| log.info("Logon", &format!("{n} {i}"))));
                scope.spawn(move || (0..200).for_each(|i| ring.push(grown(n * 1000 + i))));
            }
            scope.spawn(|| (0..50).for_each(|_| log.catch_up(false)));
        });
        log.catch_up(true);
        let lines = lines(&disk);
        assert_eq!(lines.len(), 900);
        assert!(lines.windows(2).all(|w| w[0].0 <= w[1].0), "{lines:?}");
    }

    #[test]
    fn what_was_reported_before_an_entry_stands_above_it() {
        let (log, disk, ring) = roomy(64);
        ring.push(grown(16));
        // However late the entry is.
        let happened = Stamp::now().errorlog();
        std::thread::sleep(std::time::Duration::from_millis(60));
        log.info("Server", "later");
        let lines = lines(&disk);
        assert!(lines[0].1.contains("grew from 8 to 16 bytes") && lines[1].1.ends_with("later"));
        assert!(lines[0].0 <= happened && happened < lines[1].0, "{happened} {lines:?}");
        log.catch_up(true);
        assert_eq!(disk.0.lock().0.iter().filter(|b| **b == b'\n').count(), 2, "nothing twice");
    }

    #[test]
    fn a_first_full_log_has_its_own_time_and_place_and_the_others_say_theirs() {
        let (log, disk, ring) = roomy(64);
        let full = || Event::LogFull {
            database: Whose::new(DatabaseId(7), "sales"),
            reason: "LOG_BACKUP",
            state: 2,
            holdup: Lsn::ZERO,
            refused: None,
        };
        (0..4).for_each(|_| ring.push(full()));
        ring.push(grown(16));
        log.catch_up(true);
        ring.push(full());
        log.catch_up(true);
        let lines = lines(&disk);
        let texts: Vec<&str> = lines.iter().map(|l| &l.1[12..]).collect();
        assert_eq!(texts[0], "Error: 9002, Severity: 17, State: 2.");
        assert!(texts[1].starts_with("The transaction log for database 'sales' is full"));
        assert!(texts[2].starts_with("Data file"));
        let again = "Error 9002 of database 'sales' ('LOG_BACKUP', holdup lsn ";
        assert!(texts[3].starts_with(again), "{texts:?}");
        let (_, between) = texts[3].split_once("was raised 3 times more between ").unwrap();
        let (from, to) = between.trim_end_matches('.').split_once(" and ").unwrap();
        assert!(*lines[0].0 <= *from && from <= to && *to <= *lines[2].0, "{lines:?}");
        assert_eq!(texts[4], texts[0], "and then one is told in full again");
        assert_eq!(texts.len(), 6);
    }

    #[test]
    fn it_says_how_many_events_were_lost() {
        let (log, disk, ring) = roomy(4);
        (0..6).for_each(|_| ring.push(grown(16)));
        log.catch_up(false);
        let lines = lines(&disk);
        assert_eq!(lines.len(), 5);
        assert!(lines[0].1.contains("2 event(s) were lost"), "{lines:?}");
        assert!(lines.windows(2).all(|w| w[0].0 <= w[1].0), "{lines:?}");
    }

    #[test]
    fn a_full_disk_costs_entries_and_they_are_counted() {
        let disk = Disk::default();
        let log = on(&disk, EventRing::global());
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
        log.catch_up(false);
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
        log.catch_up(false);
        log.catch_up(false);
        assert!(lines()[3].contains(" 1 message(s) since "), "{:?}", lines());
        assert_eq!(lines().len(), 4);
    }

    #[test]
    fn files_rotate_and_lines_have_the_layout() {
        let dir = std::env::temp_dir().join(format!("taffrail-errorlog-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        for n in 0..3 {
            ErrorLog::open(&dir, false).unwrap().info("Server", &format!("start {n}"));
        }
        let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
        assert!(read("errorlog").ends_with(" Server      start 2\n"));
        assert_eq!(read("errorlog").find("Server"), Some(23));
        assert!(read("errorlog.2").ends_with("start 0\n"));
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn what_clients_write_does_not_pass_for_an_entry() {
        let (log, disk, _) = roomy(64);
        log.write(Level::Warning, "Logon", "user 'a\u{1b}[2J\r\u{7}b'\nforged");
        let lines = lines(&disk);
        assert_eq!(lines[0].1, "Logon       user 'a\\u{1b}[2J\\u{d}\\u{7}b'");
        assert_eq!(lines[1].1, "Logon       forged", "with the time and source of the first");
    }

    #[test]
    fn repetitions_are_counted_and_told() {
        let (log, disk, _) = roomy(64);
        for n in 0..100 {
            log.write(Level::Warning, "Logon", "Error: 1.\nLogin failed for user 'x'.");
            log.info("Server", &format!("something else {n}"));
        }
        log.catch_up(true);
        let lines = lines(&disk);
        let failed = |l: &&(String, String)| l.1.contains("Login failed");
        assert_eq!(lines.iter().filter(failed).count() as u64, FOLD_AFTER + 1);
        let told = &lines.last().unwrap().1;
        assert!(
            told.starts_with("Logon       The following message came 95 more time(s)"),
            "{told}"
        );
        assert!(told.ends_with("Login failed for user 'x'."), "{told}");
        assert_eq!(lines.iter().filter(|l| l.1.contains("something else")).count(), 100);
    }

    #[test]
    fn a_file_that_has_grown_is_followed_by_a_new_one_and_so_is_one_that_was_moved() {
        let dir =
            std::env::temp_dir().join(format!("taffrail-errorlog-grown-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        let log = ErrorLog::open(&dir, false).unwrap();
        log.info("Server", "old");
        log.out.lock().len = FILE_MAX;
        log.info("Server", "new");
        let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
        assert!(read("errorlog.1").ends_with("old\n") && read("errorlog").ends_with("new\n"));
        log.cycle().unwrap();
        assert!(read("errorlog.2").ends_with("old\n") && read("errorlog.1").ends_with("new\n"));
        assert!(read("errorlog").contains("has been reinitialized"));
        fs::rename(dir.join("errorlog"), dir.join("moved")).unwrap();
        log.info("Server", "into the moved one");
        log.reopen().unwrap();
        log.info("Server", "and here");
        assert!(read("moved").ends_with("moved one\n") && read("errorlog").ends_with("and here\n"));
        for _ in 0..10 {
            log.cycle().unwrap();
        }
        assert!(dir.join("errorlog.6").exists() && !dir.join("errorlog.7").exists());
        fs::remove_dir_all(&dir).unwrap();
    }
}

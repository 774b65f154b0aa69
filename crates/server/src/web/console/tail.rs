//! The newest entries of the error log and its newest errors. What has come since somebody asked last is read, not the whole file.
//!
//! They are the rows of the statements that the pages show ([`super::queries::ERROR_LOG`], [`super::queries::ERRORS`]): a test holds
//! both against each other.

use crate::errorlog::ErrorLog;
use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Entries that are kept.
pub(super) const NEWEST: usize = 1000;
/// Errors that are kept.
pub(super) const ERRORS: usize = 50;
/// Bytes that are read at a time.
const PIECE: usize = 64 << 10;

/// Time, source and text of a line.
type Line = (Option<String>, Option<String>, String);

/// What is kept of the present file, oldest first.
#[derive(Default)]
pub(super) struct Tail {
    /// Which file, as the error log counts them.
    file: Option<u64>,
    /// Bytes of it that have been read: whole lines.
    read: u64,
    newest: VecDeque<Line>,
    /// Each with the line behind it, which is its text.
    errors: VecDeque<(Line, Option<String>)>,
    /// The last line is an error, and the one behind it has not come.
    awaits: bool,
}

impl Tail {
    /// Reads what has come since. Another file, or one that somebody has cut, is read from its beginning.
    pub(super) fn follow(&mut self, log: &ErrorLog) -> io::Result<()> {
        let Some((number, mut file, len)) = log.present()? else { return Ok(()) };
        if self.file != Some(number) || len < self.read {
            *self = Tail { file: Some(number), ..Tail::default() };
        }
        file.seek(SeekFrom::Start(self.read))?;
        self.take(&mut file, len)
    }

    fn take(&mut self, file: &mut File, len: u64) -> io::Result<()> {
        let (mut piece, mut rest) = (vec![0; PIECE], Vec::new());
        let mut left = file.take(len - self.read);
        loop {
            let n = left.read(&mut piece)?;
            if n == 0 {
                return Ok(());
            }
            rest.extend_from_slice(&piece[..n]);
            let Some(end) = rest.iter().rposition(|b| *b == b'\n') else { continue };
            let lines: Vec<u8> = rest.drain(..=end).collect();
            self.read += lines.len() as u64;
            String::from_utf8_lossy(&lines).lines().for_each(|line| self.line(line));
        }
    }

    fn line(&mut self, line: &str) {
        let line = match parse(line) {
            Some(line) => line,
            // It goes on with the entry before.
            None => {
                let last = self.newest.back();
                let (at, source) = last.map(|l| (l.0.clone(), l.1.clone())).unwrap_or_default();
                (at, source, line.to_owned())
            }
        };
        if std::mem::take(&mut self.awaits)
            && let Some(error) = self.errors.back_mut()
        {
            error.1 = Some(line.2.clone());
        }
        if is_error(&line.2) {
            push(&mut self.errors, (line.clone(), None), ERRORS);
            self.awaits = true;
        }
        push(&mut self.newest, line, NEWEST);
    }

    /// The newest entries, the newest first: time, source, text.
    pub(super) fn newest(&self) -> Json {
        self.newest.iter().rev().map(|(at, source, text)| json!([at, source, text])).collect()
    }

    /// The newest errors of severity 17 and more, the newest first: time, source, numbers, text.
    pub(super) fn errors(&self) -> Json {
        let row = |((at, source, numbers), text): &(Line, Option<String>)| {
            json!([at, source, numbers, text])
        };
        self.errors.iter().rev().map(row).collect()
    }
}

fn push<T>(all: &mut VecDeque<T>, one: T, most: usize) {
    if all.len() == most {
        all.pop_front();
    }
    all.push_back(one);
}

/// Its time as `CONVERT(varchar(23), LogDate, 121)` has it: the file has two digits of three.
fn parse(line: &str) -> Option<Line> {
    let (time, rest) = line.split_at_checked(22)?;
    let fits = time.bytes().zip(b"0000-00-00 00:00:00.00").all(|(c, like)| match like {
        b'0' => c.is_ascii_digit(),
        _ => c == *like,
    });
    let (source, text) = rest.trim_start().split_once(' ')?;
    fits.then(|| (Some(format!("{time}0")), Some(source.to_owned()), text.trim_start().to_owned()))
}

/// `LIKE 'Error: %, Severity: 1[7-9],%' OR LIKE 'Error: %, Severity: 2[0-9],%'`, which does not tell cases apart.
fn is_error(text: &str) -> bool {
    const SEVERITY: &str = ", severity: ";
    let text = text.to_lowercase();
    let Some(rest) = text.strip_prefix("error: ") else { return false };
    rest.match_indices(SEVERITY).any(|(at, _)| {
        matches!(
            rest.as_bytes()[at + SEVERITY.len()..],
            [b'1', b'7'..=b'9', b',', ..] | [b'2', b'0'..=b'9', b',', ..]
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::queries;
    use super::super::reader::Reader;
    use super::super::sampler::tests::{sa, with_instance};
    use super::*;
    use crate::errorlog::Level;

    #[test]
    fn the_tail_has_the_rows_of_the_statements_and_reads_what_is_new() {
        with_instance("tail", |instance, log| {
            let reader = Reader::new(instance.clone(), log.clone());
            let mut tail = Tail::default();
            let mut same = |what: &str| {
                log.catch_up(true);
                let before = (tail.file, tail.read);
                tail.follow(&log).unwrap();
                let rows = |sql: &str| Json::from(reader.ask(&sa(instance), sql).unwrap());
                assert_eq!(tail.newest(), rows(queries::ERROR_LOG), "{what}");
                assert_eq!(tail.errors(), rows(queries::ERRORS), "{what}");
                (before, (tail.file, tail.read), tail.newest.len(), tail.errors.len())
            };
            log.write(Level::Error, "spid51", "Error: 9002, Severity: 17, State: 2.\nIt is full.");
            log.info("Server", "Error: 1, Severity: 16, State: 1.");
            log.info("Server", "eRROR: x, Severity: 16, Severity: 25, of two.");
            let (_, (file, read), ..) = same("first");
            assert!(read > 0);
            log.info("Server", "the text of the last error");
            let (before, after, ..) = same("goes on");
            assert!(before == (file, read) && after.0 == file && after.1 > read);
            for n in 0..NEWEST + 20 {
                let text = format!("Error: {n}, Severity: 20, State: 1.\nText {n} of its own.");
                log.write(Level::Error, "spid52", &text);
            }
            assert_eq!((same("many").2, same("many").3), (NEWEST, ERRORS));
            log.cycle().unwrap();
            let (_, (next, _), entries, errors) = same("another file");
            assert!(next != file && entries < 10 && errors == 0);
        });
    }

    #[test]
    fn a_line_that_is_not_whole_is_read_when_it_is() {
        let path = std::env::temp_dir().join(format!("taffrail-tail-{}", std::process::id()));
        let begin = "2026-11-21 12:34:56.78 Server      one\n2026-11-21 12:34:56.79 Ser";
        std::fs::write(&path, format!("{begin}ver  two\n")).unwrap();
        let mut file = File::open(&path).unwrap();
        let mut tail = Tail::default();
        tail.take(&mut file, begin.len() as u64).unwrap();
        assert_eq!(tail.newest(), json!([["2026-11-21 12:34:56.780", "Server", "one"]]));
        file.seek(SeekFrom::Start(tail.read)).unwrap();
        let len = file.metadata().unwrap().len();
        tail.take(&mut file, len).unwrap();
        assert_eq!(tail.newest()[0], json!(["2026-11-21 12:34:56.790", "Server", "two"]));
        std::fs::remove_file(&path).unwrap();
    }
}

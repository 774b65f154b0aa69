//! A progress bar on standard error: one line, drawn over itself; nothing where standard error is no terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The time between two drawings.
const ROUND: Duration = Duration::from_millis(100);
/// Characters of the bar itself.
const WIDTH: u64 = 30;

/// How far a load has come.
#[derive(Debug)]
pub struct Progress {
    total: u64,
    began: Instant,
    drawn: Option<Instant>,
    shown: bool,
}

impl Progress {
    /// Of so many rows.
    pub fn new(total: u64, quiet: bool) -> Progress {
        let shown = !quiet && io::stderr().is_terminal();
        Progress { total, began: Instant::now(), drawn: None, shown }
    }

    /// Now at row `n`, with so many bytes sent.
    pub fn at(&mut self, n: u64, bytes: u64) {
        if !self.shown || self.drawn.is_some_and(|d| d.elapsed() < ROUND) {
            return;
        }
        self.drawn = Some(Instant::now());
        // A terminal that has gone is no reason to stop.
        let _ =
            write!(io::stderr(), "\r{}\x1b[K", line(n, self.total, bytes, self.began.elapsed()));
    }

    /// Takes the line away.
    pub fn end(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(n: u64, total: u64, bytes: u64, elapsed: Duration) -> String {
    let done = (n * WIDTH).checked_div(total).unwrap_or(WIDTH).min(WIDTH);
    let bar: String = (0..WIDTH).map(|i| if i < done { '#' } else { '.' }).collect();
    let seconds = elapsed.as_secs_f64().max(0.001);
    let rate = n as f64 / seconds;
    let left = match n {
        0 => String::new(),
        _ => format!(", {:.0} s left", total.saturating_sub(n) as f64 / rate),
    };
    let percent = (n * 100).checked_div(total).unwrap_or(100);
    let megabytes = bytes as f64 / seconds / 1e6;
    format!("[{bar}] {percent:3} %  {n} rows, {rate:.0} rows/s, {megabytes:.0} MB/s{left}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_and_how_fast() {
        let text = line(150_000, 300_000, 100_000_000, Duration::from_secs(2));
        let bar = format!("[{}{}]", "#".repeat(15), ".".repeat(15));
        assert_eq!(text, format!("{bar}  50 %  150000 rows, 75000 rows/s, 50 MB/s, 2 s left"));
        assert!(line(0, 0, 0, Duration::ZERO).contains("100 %"));
    }
}

//! The terminal: a line of progress that is drawn over itself, and a question.

use serde_json::json;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_lab::experiment::run::Listener;

/// Characters of the bar.
const WIDTH: usize = 24;

/// Standard error, where it is a terminal, shows the progress; standard output the lines.
pub struct Terminal {
    drawn: bool,
    shown: bool,
    /// Lines of JSON for a program.
    json: bool,
    /// When a program was told last how far it is.
    told: Option<Instant>,
}

/// A program hears how far a run is no oftener than this.
const SELDOM: Duration = Duration::from_millis(500);

impl Terminal {
    /// Nothing is drawn yet.
    pub fn new(json: bool) -> Terminal {
        Terminal { drawn: false, shown: !json && io::stderr().is_terminal(), json, told: None }
    }

    /// Names the page of a run.
    pub fn report(&mut self, page: &Path) {
        match self.json {
            true => tell(&json!({ "report": page })),
            false => self.line(&format!("\n  {}", page.display())),
        }
    }

    /// Takes the progress away.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            // A terminal that has gone is no reason to stop.
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Listener for Terminal {
    fn progress(&mut self, what: &str, done: f64, left: &str) {
        if self.json && self.told.is_none_or(|at| at.elapsed() >= SELDOM) {
            self.told = Some(Instant::now());
            tell(
                &json!({ "progress": { "what": what, "done": done.clamp(0.0, 1.0), "left": left } }),
            );
        }
        if !self.shown {
            return;
        }
        let filled = (done.clamp(0.0, 1.0) * WIDTH as f64) as usize;
        let bar = format!("{}{}", "#".repeat(filled), ".".repeat(WIDTH - filled));
        let left = if left.is_empty() { String::new() } else { format!(", {left} left") };
        let _ = write!(io::stderr(), "\r[{bar}] {what}{left}\x1b[K");
        self.drawn = true;
    }

    fn line(&mut self, text: &str) {
        if self.json {
            return tell(&json!({ "line": text }));
        }
        self.clear();
        // Whoever reads the output may have seen enough; the run goes on for its page.
        let _ = writeln!(io::stdout(), "{text}");
    }
}

/// A line of JSON, for whoever reads the output.
fn tell(said: &serde_json::Value) {
    // Whoever reads may have seen enough; the run goes on for its page.
    let _ = writeln!(io::stdout(), "{said}").and_then(|()| io::stdout().flush());
}

/// Asks; true for a word that begins with y. `None` where nobody can be asked.
pub fn yes(question: &str) -> Option<bool> {
    if !io::stdin().is_terminal() {
        return None;
    }
    let _ = write!(io::stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).ok()?;
    Some(answer.trim_start().starts_with(['y', 'Y']))
}

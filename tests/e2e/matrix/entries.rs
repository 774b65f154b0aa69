//! The lines of `tests/names/matrix.txt`, and whether a batch uses a name.

use super::golden::words;

/// Whether a name is here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It works.
    Yes,
    /// Some of it does.
    Part,
    /// It is refused by name.
    Refused,
}

/// A proof that a line names.
#[derive(Debug)]
pub enum Proof {
    /// A golden batch with this text puts that out: the number of a message, `runs`, or words.
    Batch(String, String),
    /// A file of tests in Rust has this text, or the page whose statements `missing` runs.
    Test(String, String),
}

/// A name with its state.
#[derive(Debug)]
pub struct Entry {
    /// The kind of name: `function`, `view` …
    pub kind: String,
    /// The area that it belongs to; empty for none.
    pub area: String,
    /// The name itself; `…` stands for any words.
    pub name: String,
    /// Whether it is here.
    pub state: State,
    /// The words for what is missing.
    pub words: String,
    /// Proofs beside those that are found by the name.
    pub proofs: Vec<Proof>,
}

/// The entries of the file's text.
pub fn parse(text: &str) -> Vec<Entry> {
    let (mut kind, mut area) = (String::new(), String::new());
    let mut entries = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
        if let Some((k, a)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
            (kind, area) = (k.to_owned(), a.trim().to_owned());
            continue;
        }
        let mut parts = line.split(" ; ");
        let (state, name) =
            parts.next().and_then(|p| p.split_once(' ')).unwrap_or_else(|| panic!("{line}"));
        let state = match state {
            "yes" => State::Yes,
            "part" => State::Part,
            "refused" => State::Refused,
            _ => panic!("no state: {line}"),
        };
        let words = if state == State::Part { parts.next().unwrap_or_default() } else { "" };
        let proof = |p: &str| {
            let test = [".rs", ".md"].into_iter().find_map(|end| {
                let (file, text) = p.split_once(&format!("{end}: "))?;
                Some(Proof::Test(format!("{file}{end}"), text.into()))
            });
            let batch =
                || p.split_once(" => ").map(|(text, out)| Proof::Batch(text.into(), out.into()));
            test.or_else(batch).unwrap_or_else(|| panic!("no proof: {line}"))
        };
        let proofs = parts.map(proof).collect();
        let (kind, area) = (kind.clone(), area.clone());
        entries.push(Entry { kind, area, name: name.into(), state, words: words.into(), proofs });
    }
    entries
}

impl Entry {
    /// The last part of a name of several parts, in small letters.
    pub fn last(&self) -> String {
        self.name.rsplit('.').next().unwrap_or_default().to_lowercase()
    }

    /// Whether a batch of these words uses the name.
    pub fn is_used(&self, batch: &[String]) -> bool {
        let name = words(&self.name);
        let with = |before: &[&str], after: &[&str]| {
            let before = before.iter().map(|w| (*w).to_owned());
            let after = after.iter().map(|w| (*w).to_owned());
            before.chain(name.iter().cloned()).chain(after).collect::<Vec<_>>()
        };
        match self.kind.as_str() {
            "function" if is_niladic(&self.last()) => has(batch, &name),
            "function" if self.name == "NEXT_VALUE_FOR" => has(batch, &words("NEXT VALUE FOR")),
            "function" => has(batch, &[self.last(), "(".into()]),
            "ODBC function" => has(batch, &with(&["fn"], &[])),
            "procedure" => has(batch, &[self.last()]),
            "view" => {
                let qualified = has(batch, &name[name.len().saturating_sub(3)..]);
                qualified || self.area == "compatibility" && has(batch, &[self.last()])
            }
            "DBCC" => has(batch, &with(&["dbcc"], &[])),
            "SET" => has(batch, &with(&["set"], &[])) || has(batch, &with(&["set", "…", ","], &[])),
            "type" => (1..batch.len()).any(|n| {
                // A word before it: a column, a variable, AS.
                batch[n..].starts_with(&name)
                    && !matches!(batch[n - 1].as_str(), "." | ",")
                    && is_name(&batch[n - 1])
            }),
            "table hint" => {
                has(batch, &with(&["with", "(", "…"], &[]))
                    || has(batch, &with(&["with", "("], &[]))
            }
            "query hint" => {
                let named = with(&["option", "(", "…"], &[]);
                has(batch, &named)
                    || has(batch, &with(&["option", "("], &[]))
                    || self.is_grouped(batch)
            }
            "database option" => {
                has(batch, &with(&["database", "…", "set"], &[]))
                    || has(batch, &with(&["database", "…", "set", "…", ","], &[]))
            }
            "scoped configuration" => has(batch, &with(&["scoped", "configuration", "…"], &[])),
            _ => has(batch, &name),
        }
    }

    /// `OPTIMIZE FOR (… UNKNOWN)` and the like: the first word and the last one in one list.
    fn is_grouped(&self, batch: &[String]) -> bool {
        let Some((first, last)) = self.name.split_once(' ') else { return false };
        let (first, last) = (first.to_lowercase(), words(last).pop().unwrap_or_default());
        has(batch, &["option".into(), "(".into(), "…".into(), first, "…".into(), last])
    }
}

fn is_name(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '@' | '#'))
}

/// Functions that are written without parentheses.
fn is_niladic(name: &str) -> bool {
    matches!(name, "current_user" | "session_user" | "system_user" | "user" | "current_timestamp")
}

/// Whether words hold a pattern; `…` in it stands for any words up to the end of a statement.
fn has(words: &[String], pattern: &[String]) -> bool {
    !pattern.is_empty() && (0..words.len()).any(|at| matches_at(&words[at..], pattern))
}

fn matches_at(words: &[String], pattern: &[String]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return true };
    if first != "…" {
        // `@`: any variable.
        let same =
            |w: &String| w == first || first == "@" && w.starts_with('@') && !w.starts_with("@@");
        return words.first().is_some_and(same) && matches_at(&words[1..], rest);
    }
    for (n, word) in words.iter().enumerate() {
        if matches_at(&words[n..], rest) {
            return true;
        }
        if word == ";" {
            return false;
        }
    }
    rest.is_empty()
}

//! Golden scripts: `name.sql` is run batch by batch, what comes back is held against `name.out`.
//!
//! `UPDATE_GOLDEN=1` writes the `.out` files; read the difference before it is committed. Batches end at lines with `GO`
//! alone. Comment lines that begin with `--@` direct the run of the batch they stand in:
//!
//! ```text
//! --@ sort              rows in the order of their text (the query has no ORDER BY)
//! --@ mask spid, lsn    values of these columns change from run to run and are shown as *
//! --@ mask 3014         numbers in the text of this message change from run to run
//! --@ session two       this batch and those after it run in the session of that name, opened when first named
//! --@ source: reasoned  how it is known that the output is right: `documentation PAGE`, `message NUMBER`, `peer NAME`, `reasoned`
//! ```
//!
//! `GOLDEN=name` runs only the scripts whose name contains `name`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::session::Session;
use crate::text::{Show, render};

/// A batch of a script with its directives.
#[derive(Debug, PartialEq, Eq)]
struct Batch {
    text: String,
    line: usize,
    show: Show,
    session: Option<String>,
}

/// The batches of a script. A directive that is not known is an error: it would silently do nothing.
fn batches(script: &str) -> Result<Vec<Batch>, String> {
    let mut batches = Vec::new();
    let mut current = Batch { text: String::new(), line: 1, show: Show::default(), session: None };
    for (n, line) in script.lines().chain(["GO"]).enumerate() {
        if line.trim().eq_ignore_ascii_case("go") {
            let next =
                Batch { text: String::new(), line: n + 2, show: Show::default(), session: None };
            let batch = std::mem::replace(&mut current, next);
            if !batch.text.trim().is_empty() {
                batches.push(batch);
            }
            continue;
        }
        // The directive stays in the text as a comment, so that lines of errors are the script's.
        if let Some(directive) = line.trim_start().strip_prefix("--@") {
            let (word, rest) = directive.trim().split_once(' ').unwrap_or((directive.trim(), ""));
            let rest = rest.trim();
            match word {
                "sort" => current.show.sort = true,
                "mask" => {
                    let columns = rest.split(',').map(|name| name.trim().to_lowercase());
                    current.show.mask.extend(columns);
                }
                "session" if !rest.is_empty() => current.session = Some(rest.to_string()),
                "source:" if is_source(rest) => {}
                _ => return Err(format!("line {}: unknown directive: {line}", n + 1)),
            }
        }
        current.text.push_str(line);
        current.text.push('\n');
    }
    Ok(batches)
}

/// Whether a text names a source: its kind, and for all but `reasoned` which one.
fn is_source(text: &str) -> bool {
    let (kind, which) = text.split_once(' ').unwrap_or((text, ""));
    match kind {
        "documentation" | "peer" => !which.trim().is_empty(),
        "message" => which.trim().parse::<u32>().is_ok(),
        "reasoned" => true,
        _ => false,
    }
}

/// Runs a script and returns what it put out. `open` opens the session of a name; the first is called `one`.
pub fn run_script<S: Session>(
    script: &str,
    mut open: impl FnMut(&str) -> S,
) -> Result<String, String> {
    let mut sessions: BTreeMap<String, S> = BTreeMap::new();
    let mut name = "one".to_string();
    let mut out = String::new();
    for batch in batches(script)? {
        if let Some(session) = batch.session {
            name = session;
        }
        let session = sessions.entry(name.clone()).or_insert_with(|| open(&name));
        let events = session.execute(&batch.text);
        let heading = if name == "one" { String::new() } else { format!(", session {name}") };
        out.push_str(&format!("-- line {}{heading}\n", batch.line));
        out.push_str(&render(&events, &batch.show));
    }
    Ok(out)
}

/// One of several equal parts of a directory's scripts, so that several servers can run them side by side.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The part's number, from 0.
    pub number: usize,
    /// How many parts there are.
    pub of: usize,
}

/// Runs the `.sql` files of one part of a directory, each over sessions of its own, and panics with all differences. A part has every
/// n-th script in the order of their names. `GOLDEN=text` keeps the scripts whose name has that text.
pub fn assert_golden<S: Session>(
    path: impl AsRef<Path>,
    part: Part,
    mut open: impl FnMut(&Path, &str) -> S,
) {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value != "0");
    let scripts = scripts(path.as_ref());
    assert!(!scripts.is_empty(), "no scripts in {}", path.as_ref().display());
    let failures: Vec<String> = scripts
        .iter()
        .skip(part.number)
        .step_by(part.of)
        .filter_map(|script| {
            let failed = check(script, update, |name| open(script, name)).err()?;
            Some(format!("{}: {failed}", script.display()))
        })
        .collect();
    assert!(failures.is_empty(), "{}\n(UPDATE_GOLDEN=1 writes what came out)", failures.join("\n"));
}

fn scripts(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let entries = fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut scripts: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap_or_else(|e| panic!("{}: {e}", path.display())).path())
        .filter(|path| path.extension().is_some_and(|e| e == "sql"))
        .collect();
    scripts.sort();
    if let Ok(part) = std::env::var("GOLDEN") {
        scripts
            .retain(|path| path.file_stem().is_some_and(|s| s.to_string_lossy().contains(&part)));
    }
    scripts
}

/// Runs one script and compares, or writes.
fn check<S: Session>(
    script: &Path,
    update: bool,
    open: impl FnMut(&str) -> S,
) -> Result<(), String> {
    let text = fs::read_to_string(script).map_err(|e| e.to_string())?;
    let got = run_script(&text, open)?;
    let golden = script.with_extension("out");
    if update {
        return fs::write(&golden, &got).map_err(|e| e.to_string());
    }
    let want = fs::read_to_string(&golden).map_err(|e| format!("{}: {e}", golden.display()))?;
    if got == want { Ok(()) } else { Err(difference(&want, &got)) }
}

/// Where two texts first differ, with some lines around it.
fn difference(want: &str, got: &str) -> String {
    let (want, got): (Vec<&str>, Vec<&str>) = (want.lines().collect(), got.lines().collect());
    let common = want.iter().zip(&got).take_while(|(w, g)| w == g).count();
    let mut out = format!("differs at line {} of the output", common + 1);
    for (sign, lines) in [
        (' ', &want[common.saturating_sub(3)..common]),
        ('-', &want[common..]),
        ('+', &got[common..]),
    ] {
        for line in lines.iter().take(6) {
            out.push_str(&format!("\n  {sign} {line}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Column, Event};
    use taffrail_base::SqlError;

    /// Knows a few words and answers as a server would.
    struct Fake(String);

    impl Session for Fake {
        fn execute(&mut self, batch: &str) -> Vec<Event> {
            let row =
                |a: &str, b: Option<&str>| Event::Row(vec![Some(a.into()), b.map(Into::into)]);
            match batch.lines().last().unwrap() {
                "rows" => vec![
                    Event::Columns(vec![Column::number("id"), Column::text("name")]),
                    row("10", Some("two\nlines")),
                    row("9", None),
                    Event::Done(Some(2)),
                ],
                "who" => vec![self.named(), Event::ReturnStatus(3)],
                _ => vec![
                    Event::Message(*SqlError::new(208, &[&"t"]).with_line(2)),
                    Event::Done(None),
                ],
            }
        }
    }

    impl Fake {
        fn named(&self) -> Event {
            Event::Output { name: "@me".into(), value: Some(self.0.clone()) }
        }
    }

    fn run(script: &str) -> String {
        run_script(script, |name| Fake(name.into())).unwrap()
    }

    #[test]
    fn output_reads_like_sqlcmd() {
        assert_eq!(
            run("rows\nGO\n--@ sort\n--@ mask Name\nrows\ngo\nwrong"),
            "\
-- line 1
id name
-- ----------
10 two\\nlines
 9 NULL

(2 rows affected)
-- line 3
id name
-- ----
10 *
 9 NULL

(2 rows affected)
-- line 7
Msg 208, Level 16, State 1, Line 2
Invalid object name 't'.
"
        );
    }

    #[test]
    fn sessions_are_opened_once_and_kept() {
        let mut opened = Vec::new();
        let script = "rows\nGO\n--@ session b\nwrong\nGO\nwrong\nGO\n--@ session one\nwrong";
        let out = run_script(script, |name| {
            opened.push(name.to_string());
            Fake(name.into())
        })
        .unwrap();
        assert_eq!(opened, ["one", "b"]);
        assert_eq!(out.matches(", session b\n").count(), 2);
    }

    #[test]
    fn statuses_and_outputs_are_shown() {
        assert_eq!(run("who"), "-- line 1\n@me = one\nreturn status 3\n");
    }

    #[test]
    fn unknown_directives_are_refused() {
        let refused = run_script("--@ sorted\nrows", |name| Fake(name.into())).unwrap_err();
        assert_eq!(refused, "line 1: unknown directive: --@ sorted");
        let run = |script| run_script(script, |name| Fake(name.into()));
        assert!(run("--@ source: peer\nrows").is_err());
        assert!(run("--@ source: message some\nrows").is_err());
        assert!(run("--@ source: message 208\n--@ source: reasoned\nrows").is_ok());
    }

    #[test]
    fn golden_files_are_written_and_held() {
        let directory =
            std::env::temp_dir().join(format!("taffrail-golden-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let script = directory.join("a.sql");
        fs::write(&script, "rows\n").unwrap();
        assert_eq!(scripts(&directory).len(), 1);
        assert!(check(&script, false, |name| Fake(name.into())).is_err());
        check(&script, true, |name| Fake(name.into())).unwrap();
        check(&script, false, |name| Fake(name.into())).unwrap();
        fs::write(&script, "wrong\n").unwrap();
        let failed = check(&script, false, |name| Fake(name.into())).unwrap_err();
        assert!(
            failed.starts_with("differs at line 2") && failed.contains("+ Msg 208"),
            "{failed}"
        );
        fs::remove_dir_all(&directory).unwrap();
    }
}

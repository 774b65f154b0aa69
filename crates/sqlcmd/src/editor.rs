//! The line editor of a terminal: history, and names completed.

use super::connect::Settings;
use super::session::Fault;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Helper};
use std::cell::RefCell;
use std::path::PathBuf;
use taffrail_lab::client::Client;
use taffrail_lab::client::types::text;

/// Lines that are kept.
const HISTORY: usize = 1000;

const COMMANDS: &[&str] = &[
    ":connect",
    ":ed",
    ":error",
    ":exit",
    ":list",
    ":listvar",
    ":on error",
    ":out",
    ":quit",
    ":r",
    ":reset",
    ":setvar",
    ":xml",
];

const WORDS: &[&str] = &[
    "ALTER",
    "AND",
    "AS",
    "ASC",
    "BACKUP",
    "BEGIN",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "CHECK",
    "CHECKPOINT",
    "CLUSTERED",
    "COLUMN",
    "COMMIT",
    "CONSTRAINT",
    "CONVERT",
    "CREATE",
    "CROSS",
    "CURSOR",
    "DATABASE",
    "DBCC",
    "DECLARE",
    "DEFAULT",
    "DELETE",
    "DESC",
    "DISTINCT",
    "DROP",
    "ELSE",
    "END",
    "EXEC",
    "EXECUTE",
    "EXISTS",
    "EXIT",
    "FOREIGN",
    "FROM",
    "FULL",
    "FUNCTION",
    "GO",
    "GRANT",
    "GROUP",
    "HAVING",
    "IDENTITY",
    "IN",
    "INDEX",
    "INNER",
    "INSERT",
    "INTO",
    "IS",
    "JOIN",
    "KEY",
    "LEFT",
    "LIKE",
    "MERGE",
    "NOT",
    "NULL",
    "ON",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PARTITION",
    "PRIMARY",
    "PRINT",
    "PROCEDURE",
    "QUIT",
    "RAISERROR",
    "REFERENCES",
    "RESTORE",
    "RETURN",
    "RIGHT",
    "ROLLBACK",
    "SCHEMA",
    "SELECT",
    "SET",
    "TABLE",
    "THEN",
    "THROW",
    "TOP",
    "TRANSACTION",
    "TRIGGER",
    "TRUNCATE",
    "UNION",
    "UNIQUE",
    "UPDATE",
    "USE",
    "VALUES",
    "VIEW",
    "WAITFOR",
    "WHEN",
    "WHERE",
    "WHILE",
    "WITH",
];

const NAMES: &str = "SET NOCOUNT ON; SET LOCK_TIMEOUT 500; \
    SELECT name FROM sys.schemas UNION SELECT name FROM sys.objects UNION SELECT name FROM sys.columns \
    UNION SELECT name FROM sys.databases UNION SELECT name FROM sys.system_views";

/// A terminal at which a person types.
pub struct Editor {
    lines: rustyline::Editor<Names, DefaultHistory>,
    history: Option<PathBuf>,
}

/// Names that Tab offers besides words: those of the database, fetched when they are first wanted after a change, over a
/// connection of their own, so that the session's own state stays as it is.
#[derive(Default)]
struct Names(RefCell<Known>);

#[derive(Default)]
struct Known {
    settings: Option<Settings>,
    /// The names are not those of now.
    old: bool,
    names: Vec<String>,
}

impl Editor {
    /// An editor on this terminal.
    pub fn new() -> Result<Editor, String> {
        let failed = |e: ReadlineError| format!("the terminal: {e}");
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .max_history_size(HISTORY)
            .map_err(failed)?
            .history_ignore_space(true)
            .build();
        let mut lines = rustyline::Editor::with_config(config).map_err(failed)?;
        lines.set_helper(Some(Names::default()));
        let history = history_file();
        if let Some(path) = &history {
            // There is none before the first session.
            let _ = lines.load_history(path);
        }
        Ok(Editor { lines, history })
    }

    /// A line; `None` at the end of the input.
    pub fn line(&mut self, prompt: &str) -> Result<Option<String>, Fault> {
        match self.lines.readline(prompt) {
            Ok(line) => {
                if !line.trim().is_empty() && !may_hold_password(&line) {
                    let _ = self.lines.add_history_entry(line.as_str());
                }
                Ok(Some(line))
            }
            Err(ReadlineError::Eof) => Ok(None),
            Err(ReadlineError::Interrupted) => Err(Fault::Interrupted),
            Err(e) => Err(Fault::Own(format!("Sqlcmd: Error: the terminal: {e}"))),
        }
    }

    /// A batch may have changed what there is, or where it is looked for.
    pub fn names_are_old(&mut self, settings: &Settings) {
        if let Some(names) = self.lines.helper_mut() {
            let known = names.0.get_mut();
            (known.settings, known.old) = (Some(settings.clone()), true);
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let Some(path) = &self.history else { return };
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        if let Err(e) = self.lines.save_history(path) {
            eprintln!("Sqlcmd: Warning: the history is not kept: {}: {e}", path.display());
        }
    }
}

/// A line that may hold a password is remembered by nobody: statements with the word, `:connect` and `!!` lines with -P.
fn may_hold_password(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["password", "passwd", "sp_addlogin"].iter().any(|word| lower.contains(word))
        || line.split_whitespace().any(|word| word.starts_with("-P"))
}

fn history_file() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let state = variable("XDG_STATE_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("taffrail/sql-history"))
}

impl Known {
    fn refresh(&mut self) {
        let Some(settings) = self.settings.as_ref().filter(|_| self.old) else { return };
        self.old = false;
        // Without names there are still the words.
        let fetched = settings.connect().ok().and_then(|mut client| fetch(&mut client));
        self.names = fetched.unwrap_or_default();
    }
}

fn fetch(client: &mut Client) -> Option<Vec<String>> {
    let answer = client.query(NAMES).ok()?;
    let set = answer.sets.first()?;
    let ty = *set.types.first()?;
    Some(set.rows.iter().filter_map(|r| Some(text::display(r.first()?, ty))).collect())
}

/// The word that ends at `pos`, and the place where it begins.
fn word_before(line: &str, pos: usize) -> (usize, &str) {
    let is_part = |c: char| c.is_alphanumeric() || "_@#$:".contains(c);
    let head = &line[..pos];
    let start = head.char_indices().rev().find(|(_, c)| !is_part(*c));
    let start = start.map_or(0, |(i, c)| i + c.len_utf8());
    (start, &head[start..])
}

impl Completer for Names {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, word) = word_before(line, pos);
        if word.is_empty() {
            return Ok((pos, Vec::new()));
        }
        let mut known = self.0.borrow_mut();
        known.refresh();
        let lower = word.to_lowercase();
        let is_lower = word.chars().any(char::is_lowercase);
        let words = COMMANDS.iter().chain(WORDS).map(|w| match is_lower {
            true => w.to_lowercase(),
            false => w.to_string(),
        });
        let mut found: Vec<String> = words
            .chain(known.names.iter().cloned())
            .filter(|w| w.to_lowercase().starts_with(&lower))
            .collect();
        found.sort();
        found.dedup();
        // Of several the letters that are there stay as they are, so that what the candidates share can be put in.
        let several = found.len() > 1;
        let pair = |w: String| Pair {
            replacement: match w.get(word.len()..) {
                Some(rest) if several => format!("{word}{rest}"),
                _ => w.clone(),
            },
            display: w,
        };
        Ok((start, found.into_iter().map(pair).collect()))
    }
}

impl Hinter for Names {
    type Hint = String;
}
impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}

/// Asks for a password on the terminal, which does not show it.
pub fn password(prompt: &str) -> std::io::Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    use std::io::{BufRead, Write};
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    let shown = tcgetattr(&terminal)?;
    let mut hidden = shown.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&terminal, OptionalActions::Now, &hidden)?;
    (&terminal).write_all(prompt.as_bytes())?;
    let mut line = String::new();
    let read = std::io::BufReader::new(&terminal).read_line(&mut line);
    tcsetattr(&terminal, OptionalActions::Now, &shown)?;
    (&terminal).write_all(b"\n")?;
    read?;
    Ok(line.trim_end_matches(['\r', '\n']).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_completes_words_and_names() {
        let names = Names::default();
        names.0.borrow_mut().names = vec!["orders".into(), "Orders_Old".into()];
        let history = DefaultHistory::new();
        let context = Context::new(&history);
        let offered = |line: &str| {
            let (start, pairs) = names.complete(line, line.len(), &context).unwrap();
            (start, pairs.into_iter().map(|p| p.replacement).collect::<Vec<_>>())
        };
        assert_eq!(
            offered("select * from dbo.orde"),
            (18, words(&["orders_Old", "order", "orders"]))
        );
        assert_eq!(offered("SEL"), (0, words(&["SELECT"])));
        assert_eq!(offered(":listv"), (0, words(&[":listvar"])));
        assert_eq!(offered("select "), (7, Vec::new()));
    }

    #[test]
    fn passwords_are_not_remembered() {
        for line in [
            ":connect db,1433 -U sa -P secret",
            "ALTER LOGIN sa WITH Password = N'secret'",
            "!!sqlcmd -Psecret -Q x",
        ] {
            assert!(may_hold_password(line), "{line}");
        }
        for line in [":connect db -U sa", "SELECT a-Price FROM t", ":r file.sql"] {
            assert!(!may_hold_password(line), "{line}");
        }
    }

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|w| w.to_string()).collect()
    }
}

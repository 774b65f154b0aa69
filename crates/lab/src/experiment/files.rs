//! The files of an experiment: those that lie in the binary, and those of a directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file that says what the others are.
pub const MAIN: &str = "experiment.toml";

/// The files of one experiment.
#[derive(Clone, Debug)]
pub struct Files {
    /// The directory's name, by which the experiment is called.
    pub name: String,
    /// The directory, for errors.
    pub place: PathBuf,
    /// Texts by their file names.
    pub texts: BTreeMap<String, String>,
}

macro_rules! experiment {
    ($name:literal: $($file:literal),+) => {
        ($name, &[$(($file, include_str!(concat!("../../experiments/", $name, "/", $file)))),+])
    };
}

/// A name, and the texts below it by theirs.
type Built = (&'static str, &'static [(&'static str, &'static str)]);

/// The experiments that the binary has, in the order of lists.
const BUILT_IN: &[Built] = &[
    experiment!("loop": "experiment.toml", "create.sql", "setup.sql", "loop.sql",
        "setup.sqlite.sql", "loop.sqlite.sql", "setup.postgresql.sql", "loop.postgresql.sql",
        "loop.mariadb.sql", "setup.mariadb.sql"),
    experiment!("vlfs": "experiment.toml", "create.sql", "grow.sql", "setup.sql", "settle.sql",
        "insert.sql", "update.sql", "delete.sql", "backup.sql", "small.sql", "first-row.sql",
        "warehouse.sql", "trigger.sql", "no-trigger.sql"),
    experiment!("growth": "experiment.toml", "create.sql", "setup.sql", "initialise.sql",
        "work.sql", "commit.sql", "commit.mariadb.sql", "commit.postgresql.sql",
        "setup.mariadb.sql", "setup.postgresql.sql", "work.mariadb.sql", "work.postgresql.sql"),
    experiment!("lazy": "experiment.toml", "create.sql", "setup.sql", "commits.sql",
        "records.sql", "one.sql", "found.sql", "commits.mariadb.sql", "commits.postgresql.sql",
        "commits.sqlite.sql", "setup.mariadb.sql", "setup.postgresql.sql", "setup.sqlite.sql"),
    experiment!("checkpoints": "experiment.toml", "create.sql", "setup.sql", "insert.sql",
        "insert.postgresql.sql", "insert.sqlite.sql", "setup.postgresql.sql", "setup.sqlite.sql"),
    experiment!("group-commit": "experiment.toml", "create.sql", "setup.sql", "durability.sql",
        "commit.sql", "commit.mariadb.sql", "commit.postgresql.sql", "setup.mariadb.sql",
        "setup.postgresql.sql"),
    experiment!("hot-row": "experiment.toml", "create.sql", "setup.sql", "count.sql", "total.sql"),
    experiment!("big-transaction": "experiment.toml", "create.sql", "setup.sql", "all.sql",
        "small.sql", "all.mariadb.sql", "all.postgresql.sql", "all.sqlite.sql",
        "setup.mariadb.sql", "setup.postgresql.sql", "setup.sqlite.sql", "small.mariadb.sql",
        "small.postgresql.sql", "small.sqlite.sql"),
    experiment!("rollback": "experiment.toml", "create.sql", "setup.sql", "settle.sql",
        "work.sql", "rows.sql", "settle.postgresql.sql", "settle.sqlite.sql", "setup.mariadb.sql",
        "setup.postgresql.sql", "setup.sqlite.sql", "work.mariadb.sql", "work.postgresql.sql",
        "work.sqlite.sql"),
    experiment!("kill": "experiment.toml", "create.sql", "setup.sql", "entry.sql", "found.sql",
        "first-row.sql"),
    experiment!("torn-page": "experiment.toml", "create.sql", "setup.sql", "change.sql",
        "later.sql", "found.sql", "repaired.sql"),
    experiment!("blocking": "experiment.toml", "create.sql", "setup.sql", "mixed.sql"),
    experiment!("tpcc": "experiment.toml", "create.sql", "tables.sql", "load.sql",
        "procedures.sql", "since.sql", "terminal.sql", "conditions.sql"),
];

/// Names of the experiments that the binary has.
pub fn built_in() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

impl Files {
    /// An experiment by name, or by the path of its directory: a word with a slash, or `.`.
    pub fn find(word: &str) -> Result<Files, String> {
        if word.contains('/') || word == "." {
            return Files::of_directory(Path::new(word));
        }
        let Some((name, texts)) = BUILT_IN.iter().find(|(name, _)| *name == word) else {
            let names: Vec<&str> = built_in().collect();
            return Err(format!(
                "there is no experiment '{word}'; there are: {}. One of your own is named by its path: ./{word}",
                names.join(", ")
            ));
        };
        Ok(Files {
            name: (*name).to_owned(),
            place: PathBuf::from(name),
            texts: texts.iter().map(|(f, t)| ((*f).to_owned(), (*t).to_owned())).collect(),
        })
    }

    /// The experiment in a directory: its `experiment.toml` and every `*.sql`.
    pub fn of_directory(place: &Path) -> Result<Files, String> {
        let shown = |e: std::io::Error| format!("{}: {e}", place.display());
        let whole = place.canonicalize().map_err(shown)?;
        let name = whole.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if !is_word(&name) {
            return Err(format!(
                "{}: the directory's name is the experiment's: letters, digits and hyphens",
                place.display()
            ));
        }
        let mut texts = BTreeMap::new();
        for entry in std::fs::read_dir(place).map_err(shown)? {
            let path = entry.map_err(shown)?.path();
            let file = path.file_name().map(|n| n.to_string_lossy().into_owned());
            let Some(file) = file.filter(|f| f == MAIN || f.ends_with(".sql")) else { continue };
            let text =
                std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            texts.insert(file, text);
        }
        if !texts.contains_key(MAIN) {
            return Err(format!("{}: there is no {MAIN}", place.display()));
        }
        Ok(Files { name, place: place.to_owned(), texts })
    }

    /// Writes the files into a new directory.
    pub fn copy_to(&self, place: &Path) -> Result<(), String> {
        let shown = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
        std::fs::create_dir(place).map_err(|e| shown(place, e))?;
        for (file, text) in &self.texts {
            let path = place.join(file);
            std::fs::write(&path, text).map_err(|e| shown(&path, e))?;
        }
        Ok(())
    }

    /// Where a line of a file is, for errors: `loop/loop.sql:7`.
    pub fn line(&self, file: &str, line: usize) -> String {
        format!("{}:{line}", self.place.join(file).display())
    }
}

/// Letters, digits and hyphens, and at least one of them; it becomes part of a database's and a directory's name.
pub fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 40
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// Batches of a script: what lies between lines that say GO.
pub fn batches(script: &str) -> Vec<String> {
    let mut batches = vec![String::new()];
    for line in script.lines() {
        match batches.last_mut() {
            Some(_) if line.trim().eq_ignore_ascii_case("go") => batches.push(String::new()),
            Some(batch) => {
                batch.push_str(line);
                batch.push('\n');
            }
            None => {}
        }
    }
    batches.retain(|b| !b.trim().is_empty());
    batches
}

/// Puts values in the place of `$(names)`, which values may have as well; an error is the name that there is no value for.
pub fn fill(text: &str, values: &BTreeMap<String, String>) -> Result<String, String> {
    /// Values in values in values: deeper is a circle.
    const DEPTH: usize = 4;
    let mut text = text.to_owned();
    for _ in 0..DEPTH {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut filled = false;
        while let Some((before, name, after)) = next_name(rest) {
            let value = values.get(name).ok_or_else(|| name.to_owned())?;
            out.push_str(before);
            out.push_str(value);
            rest = after;
            filled = true;
        }
        out.push_str(rest);
        text = out;
        if !filled {
            break;
        }
    }
    Ok(text)
}

/// The first `$(name)`: what is before it, the name, what is behind.
pub fn next_name(text: &str) -> Option<(&str, &str, &str)> {
    let at = text.find("$(")?;
    let end = at + text[at..].find(')')?;
    Some((&text[..at], &text[at + 2..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_scripts_and_in_values() {
        let values = [("a", "1"), ("b", "$(a)2")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        let values = BTreeMap::from(values);
        assert_eq!(fill("x$(b)y$(a)", &values), Ok("x12y1".into()));
        assert_eq!(fill("$(c)", &values), Err("c".into()));
        assert_eq!(fill("$ (a) $(", &values), Ok("$ (a) $(".into()));
    }

    #[test]
    fn a_line_of_go_ends_a_batch() {
        assert_eq!(batches("a\nGO\n\ngo \nb\nGOTO c\n"), ["a\n", "b\nGOTO c\n"]);
    }
}

//! Scripts as batches, for whoever does not run them: GO, `:r`, `:setvar` and `$(variables)` as in a session; other commands are passed
//! over.

use super::batch::{Batch, Step};
use super::commands::{Command, Commands};
use super::files::{file_error, read_text, without_end};
use super::vars::Vars;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Files may be nested so deep by `:r`.
const MAX_DEPTH: usize = 32;

/// A batch of a script.
#[derive(Debug, PartialEq, Eq)]
pub struct ScriptBatch {
    /// The text, variables put in.
    pub text: String,
    /// The file and the number of the line, from 1, of each line of the text.
    pub lines: Vec<(Rc<Path>, u32)>,
    /// A variable of it that has no value.
    pub undefined: Option<String>,
}

/// A file whose lines are read.
struct ScriptFile {
    path: Rc<Path>,
    lines: std::vec::IntoIter<String>,
    number: u32,
}

impl ScriptFile {
    fn open(path: &Path) -> Result<ScriptFile, String> {
        let text = read_text(path).map_err(|e| file_error(&path.to_string_lossy(), &e))?;
        let mut lines: Vec<String> = text.split('\n').map(without_end).collect();
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        Ok(ScriptFile { path: path.into(), lines: lines.into_iter(), number: 0 })
    }
}

/// The batches of a file; the error of a file that cannot be read is a sentence. `variables`: names with their values, as `-v` gives them.
pub fn batches_of(path: &Path, variables: &[(String, String)]) -> Result<Vec<ScriptBatch>, String> {
    let mut reader = Reader {
        vars: Vars::new(false),
        commands: Commands::new("GO")?,
        batch: Batch::new(),
        lines: Vec::new(),
        batches: Vec::new(),
    };
    for (name, value) in variables {
        reader.vars.set(name, value.as_str());
    }
    reader.read(path)?;
    Ok(reader.batches)
}

struct Reader {
    vars: Vars,
    commands: Commands,
    batch: Batch,
    lines: Vec<(Rc<Path>, u32)>,
    batches: Vec<ScriptBatch>,
}

impl Reader {
    fn read(&mut self, path: &Path) -> Result<(), String> {
        let mut sources = vec![ScriptFile::open(path)?];
        while let Some(source) = sources.last_mut() {
            let Some(line) = source.lines.next() else {
                sources.pop();
                continue;
            };
            source.number += 1;
            let place = (source.path.clone(), source.number);
            self.batch.feed(&line);
            let step = self.batch.step(Some(&self.commands), true);
            match step {
                Ok(Step::Text) => self.lines.push(place),
                Ok(Step::Command(call)) => match call.command {
                    Command::Go => self.end_batch(),
                    // What no GO has sent is sent by EXIT (…) alone.
                    Command::Exit if call.argument.trim_start().starts_with('(') => break,
                    Command::Exit | Command::Quit => {
                        self.begin_batch();
                        break;
                    }
                    Command::Reset => self.begin_batch(),
                    Command::Setvar => {
                        let (name, value) =
                            call.argument.split_once(' ').unwrap_or((&call.argument, ""));
                        if self.vars.setvar(name, value.trim()).is_err() {
                            return Err(format!(
                                "{}:{}: :setvar {}: not a variable",
                                place.0.display(),
                                place.1,
                                call.argument
                            ));
                        }
                    }
                    Command::Read if sources.len() < MAX_DEPTH => {
                        let name = call.argument.trim().trim_matches('"').replace('\\', "/");
                        sources.push(ScriptFile::open(&beside(&place.0, &self.filled(&name)))?);
                    }
                    Command::Read => {
                        return Err(format!(
                            "{}:{}: :r within too many files",
                            place.0.display(),
                            place.1
                        ));
                    }
                    _ => {}
                },
                Err(_) => {
                    return Err(format!(
                        "{}:{}: $( without a variable's name",
                        place.0.display(),
                        place.1
                    ));
                }
            }
        }
        self.end_batch();
        Ok(())
    }

    fn begin_batch(&mut self) {
        self.batch.reset(None);
        self.lines.clear();
    }

    fn end_batch(&mut self) {
        let (text, mut undefined) = self.batch.filled(|name| self.vars.get(name).map(String::from));
        let undefined = undefined.pop();
        let lines = std::mem::take(&mut self.lines);
        if !text.trim().is_empty() {
            self.batches.push(ScriptBatch { text, lines, undefined });
        }
        self.begin_batch();
    }

    /// A name of a file with its variables put in.
    fn filled(&self, name: &str) -> String {
        let mut out = String::new();
        let mut rest = name;
        while let Some((before, after)) = rest.split_once("$(") {
            out.push_str(before);
            match after
                .split_once(')')
                .and_then(|(name, behind)| Some((self.vars.get(name)?, behind)))
            {
                Some((value, behind)) => {
                    out.push_str(value);
                    rest = behind;
                }
                None => {
                    out.push_str("$(");
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }
}

/// The file of a `:r`: as it is written, else beside the file that names it.
fn beside(from: &Path, name: &str) -> PathBuf {
    let written = PathBuf::from(name);
    match from.parent() {
        Some(folder) if written.is_relative() && !written.exists() => folder.join(written),
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_know_their_lines_through_files_and_variables() {
        let dir = std::env::temp_dir().join(format!("taffrail-scripts-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let (a, b) = (dir.join("a.sql"), dir.join("b.sql"));
        std::fs::write(
            &a,
            ":setvar t dbo.x\r\nSELECT 1\r\nGO\r\n:r b.sql\r\nSELECT '$(t)', $(none)\r\n",
        )
        .unwrap();
        let wide: Vec<u8> =
            "\u{feff}SELECT N'é'\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        std::fs::write(&b, wide).unwrap();
        let batches = batches_of(&a, &[]).unwrap();
        let texts: Vec<&str> = batches.iter().map(|b| b.text.as_str()).collect();
        assert_eq!(texts, ["SELECT 1", "SELECT N'é'\nSELECT 'dbo.x', $(none)"]);
        assert_eq!(batches[0].lines, [(Rc::from(a.as_path()), 2)]);
        assert_eq!(batches[1].lines[0], (Rc::from(b.as_path()), 1));
        assert_eq!(batches[1].lines[1], (Rc::from(a.as_path()), 5));
        assert_eq!(batches[1].undefined.as_deref(), Some("none"));
        assert!(batches_of(&dir.join("c.sql"), &[]).is_err());
        std::fs::write(&a, "SELECT 1\nGO\nSELECT 2\nQUIT\nSELECT 3\nGO\n").unwrap();
        let sent = batches_of(&a, &[]).unwrap();
        assert_eq!(sent.iter().map(|b| b.text.as_str()).collect::<Vec<_>>(), ["SELECT 1"]);
        std::fs::remove_dir_all(dir).unwrap();
    }
}

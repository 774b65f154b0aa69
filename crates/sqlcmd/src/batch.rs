//! Lines put together to batches: where strings, comments and `$(variables)` are, and which line is a command.

use super::commands::{Call, Commands};
use std::collections::BTreeMap;

/// The end of a line inside of a batch.
pub const LINE_END: char = '\n';

/// A `$(` that does not go on as a reference to a variable.
#[derive(Debug, PartialEq, Eq)]
pub struct BadReference {
    /// The number of the line.
    pub line: usize,
}

/// The batch that is being put together.
#[derive(Default)]
pub struct Batch {
    /// The text of the batch so far.
    pub text: Vec<char>,
    has_text: bool,
    /// Input that is not looked at yet.
    raw: Vec<char>,
    quote: Option<char>,
    comment: bool,
    /// 1-based number of the line that comes next, for the prompt.
    pub next_line: usize,
    /// Lines looked at so far.
    pub lines: usize,
    /// Where variables stand in `text`, with their names.
    pub references: BTreeMap<usize, String>,
}

/// The state after a piece of input.
pub enum Step {
    /// It belongs to the batch now.
    Text,
    /// It was a command.
    Command(Call),
}

impl Batch {
    /// A batch without a line.
    pub fn new() -> Batch {
        Batch { next_line: 1, ..Batch::default() }
    }

    /// Begins anew; with `input` that is what is looked at next.
    pub fn reset(&mut self, input: Option<&str>) {
        self.text.clear();
        self.has_text = false;
        (self.quote, self.comment, self.next_line) = (None, false, 1);
        self.raw = input.map(|t| t.chars().collect()).unwrap_or_default();
        self.references.clear();
    }

    /// No input waits: the next step needs a line.
    pub fn wants_line(&self) -> bool {
        self.raw.is_empty()
    }

    /// Takes a line of the input.
    pub fn feed(&mut self, line: &str) {
        self.raw = line.chars().collect();
    }

    /// The text so far.
    pub fn string(&self) -> String {
        self.text.iter().collect()
    }

    /// The text with the values of its variables put in, and the names of those that have none, which are left as they stand.
    pub fn filled(&self, value: impl Fn(&str) -> Option<String>) -> (String, Vec<String>) {
        let mut out = String::with_capacity(self.text.len());
        let (mut last, mut undefined) = (0, Vec::new());
        for (&at, name) in &self.references {
            let Some(before) = self.text.get(last..at) else { continue };
            out.extend(before);
            match value(name) {
                Some(value) => out.push_str(&value),
                None => {
                    undefined.push(name.clone());
                    out.push_str(&format!("$({name})"));
                }
            }
            last = at + 3 + name.len();
        }
        out.extend(self.text.get(last..).unwrap_or_default());
        (out, undefined)
    }

    /// Inside of a string or a comment.
    pub fn is_inside(&self) -> bool {
        self.quote.is_some() || self.comment
    }

    /// The text ends a line that a further one would be put behind.
    pub fn is_open(&self) -> bool {
        !self.is_inside() && !self.text.is_empty()
    }

    /// The batch holds no text.
    pub fn is_empty(&self) -> bool {
        !self.is_inside() && self.text.is_empty()
    }

    /// Looks at the input that waits. Commands are only looked for with `commands`, variables only with `variables`.
    pub fn step(
        &mut self,
        commands: Option<&Commands>,
        variables: bool,
    ) -> Result<Step, BadReference> {
        self.lines += 1;
        let mut here: BTreeMap<usize, String> = BTreeMap::new();
        let raw = std::mem::take(&mut self.raw);
        let (mut i, mut looked) = (0, false);
        while i < raw.len() {
            let (c, next) = (raw[i], raw.get(i + 1).copied());
            if let Some(quote) = self.quote {
                match self.string_end(&raw, i, quote, variables, &mut here)? {
                    Some(at) => {
                        self.quote = None;
                        i = at;
                    }
                    None => i = raw.len(),
                }
                looked = true;
            } else if self.comment {
                let end = (i + 1..raw.len()).find(|&k| raw[k - 1] == '*' && raw[k] == '/');
                self.comment = end.is_none();
                i = end.unwrap_or(raw.len());
                looked = true;
            } else if matches!(c, '\'' | '"' | '[') {
                self.quote = Some(c);
            } else if c == '-' && next == Some('-') {
                i = raw.len();
            } else if c == '/' && next == Some('*') {
                self.comment = true;
                i += 1;
            } else if variables && c == '$' && next == Some('(') {
                i = self.reference(&raw, i, &mut here)?;
            } else if let (false, Some(commands)) = (looked, commands) {
                looked = true;
                let end = (i..raw.len())
                    .find(|&k| raw[k] == '\0' || raw[k].is_control() && raw[k] != '\t')
                    .unwrap_or(raw.len());
                let line: String = raw[..end].iter().collect();
                if let Some(call) = commands.find(&line) {
                    // What stood before the command on its line goes with it.
                    self.raw = raw[end..].to_vec();
                    return Ok(Step::Command(call));
                }
            }
            i += 1;
        }
        let between = if self.next_line > 1 { 1 } else { 0 };
        let offset = self.text.len() + between;
        self.references.extend(here.into_iter().map(|(at, name)| (at + offset, name)));
        if self.has_text {
            self.text.push(LINE_END);
        }
        self.has_text = true;
        self.text.extend(raw);
        self.next_line += 1;
        Ok(Step::Text)
    }

    /// The end of the string that `i` is in, if it is on this line.
    fn string_end(
        &mut self,
        raw: &[char],
        mut i: usize,
        quote: char,
        variables: bool,
        here: &mut BTreeMap<usize, String>,
    ) -> Result<Option<usize>, BadReference> {
        let close = if quote == '[' { ']' } else { quote };
        while i < raw.len() {
            let (c, next) = (raw[i], raw.get(i + 1).copied());
            if variables && c == '$' && next == Some('(') {
                i = self.reference(raw, i, here)?;
            } else if c == close && next == Some(close) && quote != '"' {
                i += 1;
            } else if c == close {
                return Ok(Some(i));
            }
            i += 1;
        }
        Ok(None)
    }

    /// Notes the variable that begins at `i`; the place of its closing parenthesis.
    fn reference(
        &mut self,
        raw: &[char],
        i: usize,
        here: &mut BTreeMap<usize, String>,
    ) -> Result<usize, BadReference> {
        match reference_end(raw, i + 2) {
            Some(end) => {
                here.insert(i, raw[i + 2..end].iter().collect());
                Ok(end)
            }
            None => {
                let line = self.lines;
                self.reset(None);
                Err(BadReference { line })
            }
        }
    }
}

/// The place of the `)` that ends the name which begins at `from`.
pub fn reference_end(text: &[char], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let end = rest.iter().position(|&c| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))?;
    (rest[end] == ')').then_some(from + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands() -> Commands {
        Commands::new("GO").unwrap()
    }

    #[test]
    fn commands_are_alone_on_their_line_and_outside_of_strings() {
        let mut b = Batch::new();
        for line in ["select 'a", "GO", "'", "/* x", "go", "*/ go", "-- go"] {
            b.feed(line);
            assert!(matches!(b.step(Some(&commands()), true), Ok(Step::Text)), "{line}");
        }
        assert_eq!(b.string(), "select 'a\nGO\n'\n/* x\ngo\n*/ go\n-- go");
        b.feed("  go 3");
        assert!(matches!(b.step(Some(&commands()), true), Ok(Step::Command(_))));
    }

    #[test]
    fn variables_are_found_in_text_and_strings_and_not_in_comments() {
        let mut b = Batch::new();
        b.feed("select $(a), '$(b-1)' -- $(c");
        assert!(b.step(Some(&commands()), true).is_ok());
        b.feed("$(d)");
        assert!(b.step(Some(&commands()), true).is_ok());
        let names: Vec<&str> = b.references.values().map(String::as_str).collect();
        assert_eq!(names, ["a", "b-1", "d"]);
        for (at, name) in &b.references {
            let text: String = b.text[*at..at + name.len() + 3].iter().collect();
            assert_eq!(text, format!("$({name})"));
        }
        b.feed("select $(a b)");
        assert_eq!(b.step(Some(&commands()), true).err(), Some(BadReference { line: 3 }));
        b.feed("select $(a b)");
        assert!(b.step(Some(&commands()), false).is_ok());
    }
}

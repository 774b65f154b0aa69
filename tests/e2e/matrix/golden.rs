//! Golden scripts as batches with what came out of each, and their words.

use std::collections::HashMap;
use std::path::Path;

/// A batch of a golden script.
pub struct Batch {
    /// The text as it stands.
    pub text: String,
    /// The text that came out of it.
    pub out: String,
    /// Its words, see [`words`].
    pub words: Vec<String>,
}

impl Batch {
    /// Whether no error came out of it.
    pub fn succeeds(&self) -> bool {
        !self.out.lines().any(is_error)
    }

    /// Whether this message came out of it.
    pub fn tells(&self, number: u32) -> bool {
        self.out.lines().any(|l| l.starts_with(&format!("Msg {number},")))
    }

    /// The names of a list that the batch hands to `ask`, which runs a statement for each, counts those that are refused and prints all
    /// others: their last parts in small letters, if nothing was printed and the count is that of the list.
    pub fn refused_names(&self) -> Vec<String> {
        let Some(list) =
            self.text.split("EXEC ask ").nth(1).and_then(|call| call.split('\'').nth(5))
        else {
            return Vec::new();
        };
        let names =
            list.split_whitespace().map(|n| n.rsplit('.').next().unwrap_or(n).to_lowercase());
        let names: Vec<String> = names.collect();
        let lines: Vec<&str> = self.out.lines().filter(|l| !l.trim().is_empty()).collect();
        let counted = lines.get(2).and_then(|l| l.split_whitespace().last());
        match lines.len() == 3 && counted == Some(&names.len().to_string()) {
            true => names,
            false => Vec::new(),
        }
    }
}

/// Whether a line heads an error: a message of severity 11 or more.
fn is_error(line: &str) -> bool {
    let severity = line.strip_prefix("Msg ").and_then(|rest| rest.split(", Level ").nth(1));
    let severity = severity.and_then(|rest| rest.split(',').next()?.parse::<u32>().ok());
    severity.is_some_and(|s| s > 10)
}

/// The words of a text in small letters: names, numbers and single marks. Comments are left out, what stands in apostrophes is one word
/// `''`, and brackets and double quotes around names are no words.
pub fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let (c, next) = (chars[i], chars.get(i + 1).copied());
        match c {
            '-' if next == Some('-') => {
                i = chars[i..].iter().position(|&c| c == '\n').map_or(chars.len(), |n| i + n);
            }
            '/' if next == Some('*') => {
                let end = chars[i + 2..].windows(2).position(|w| w == ['*', '/']);
                i = end.map_or(chars.len(), |n| i + n + 4);
            }
            '\'' => {
                let end = chars[i + 1..].iter().position(|&c| c == '\'');
                i = end.map_or(chars.len(), |n| i + n + 2);
                found.push("''".into());
            }
            _ if is_word(c) => {
                let end =
                    chars[i..].iter().position(|&c| !is_word(c)).map_or(chars.len(), |n| i + n);
                found.push(chars[i..end].iter().collect::<String>().to_lowercase());
                i = end;
            }
            '[' | ']' | '"' => i += 1,
            _ => {
                if !c.is_whitespace() {
                    found.push(c.to_string());
                }
                i += 1;
            }
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '@' | '$' | '#')
}

/// All batches of a folder's scripts.
pub fn batches(folder: &Path) -> Vec<Batch> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut scripts: Vec<_> =
        entries.filter(|p| p.extension().is_some_and(|e| e == "sql")).collect();
    scripts.sort();
    let mut found = Vec::new();
    for script in scripts {
        let out = std::fs::read_to_string(script.with_extension("out")).unwrap();
        let outs = outs(&out);
        let sql = std::fs::read_to_string(&script).unwrap();
        let (mut text, mut line) = (String::new(), 1);
        for (n, l) in sql.lines().chain(["GO"]).enumerate() {
            if !l.trim().eq_ignore_ascii_case("go") {
                text.push_str(l);
                text.push('\n');
                continue;
            }
            let text = std::mem::take(&mut text);
            if let Some(out) = outs.get(&line) {
                let words = words(&text);
                found.push(Batch { text, out: out.clone(), words });
            }
            line = n + 2;
        }
    }
    found
}

/// The outputs of batches, by the line on which each begins.
fn outs(out: &str) -> HashMap<usize, String> {
    let mut found: HashMap<usize, String> = HashMap::new();
    let mut at = 0;
    for l in out.lines() {
        let heading = l.strip_prefix("-- line ").map(|rest| rest.split(',').next().unwrap_or(rest));
        match heading.and_then(|n| n.parse().ok()) {
            Some(line) => {
                at = line;
                found.insert(at, String::new());
            }
            None => {
                let text = found.entry(at).or_default();
                text.push_str(l);
                text.push('\n');
            }
        }
    }
    found
}

//! Counts that may only fall: each stands in `ratchet.txt` beside this file, and is lowered there when the code has become better.
//!
//! | count | why |
//! | --- | --- |
//! | types twice | a type's name that stands more than once in a crate is grepped for in vain |
//! | long functions | a function of more than 70 lines holds more than one thought |
//! | riddles | a doc comment that begins with "What", "Who" or "The same", or has three words or fewer, does not say the noun |
//! | positional views | a view that gives its columns in one place and a row in another loses the one beside the other |

use crate::files;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Lines of the longest function that is not counted.
const LONG: usize = 70;
const PATH: &str = "crates/xtask/src/ratchet.txt";

/// Counts that differ from those of `ratchet.txt`.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(root.join(PATH)).context(PATH)?;
    let counts = counts(root)?;
    let mut findings = Vec::new();
    for (name, count) in &counts {
        let line = text.lines().find_map(|l| l.strip_prefix(name.as_str())?.strip_prefix(": "));
        let may = line
            .and_then(|n| n.parse::<usize>().ok())
            .with_context(|| format!("{PATH} does not say `{name}`"))?;
        match count.cmp(&may) {
            std::cmp::Ordering::Greater => {
                findings.push(format!("{name}: {count}, and {may} were there"))
            }
            std::cmp::Ordering::Less => {
                findings.push(format!("{name}: only {count} are left of {may}: say so in {PATH}"))
            }
            std::cmp::Ordering::Equal => {}
        }
    }
    Ok(findings)
}

fn counts(root: &Path) -> Result<Vec<(String, usize)>> {
    let mut types: BTreeMap<(String, String), usize> = BTreeMap::new();
    let (mut long, mut riddles, mut positional) = (0, 0, 0);
    for (path, text) in files::sources(root)? {
        let Some(own) = path.strip_prefix("crates/").and_then(|p| p.split('/').next()) else {
            continue;
        };
        if path.contains("/tests/") || path.ends_with("tests.rs") {
            continue;
        }
        for name in text.lines().filter_map(type_name) {
            *types.entry((own.to_owned(), name.to_owned())).or_default() += 1;
        }
        long += functions(&text).filter(|lines| *lines > LONG).count();
        riddles += comments(&text).iter().filter(|c| is_riddle(c)).count();
        if path.contains("/views/") || path.ends_with("/describe_views.rs") {
            positional += text.lines().filter(|l| declares_positionally(l)).count();
        }
    }
    let twice = types.values().filter(|n| **n > 1).count();
    Ok(vec![
        ("types twice".to_owned(), twice),
        ("long functions".to_owned(), long),
        ("riddles".to_owned(), riddles),
        ("positional views".to_owned(), positional),
    ])
}

/// The name of the type that a line begins to define.
fn type_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let rest = ["struct ", "enum ", "trait "].iter().find_map(|word| line.strip_prefix(word))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

/// The lines of each function: from its first line to the brace in that line's column.
fn functions(text: &str) -> impl Iterator<Item = usize> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &str| {
        let code = line.trim_start();
        let code =
            code.strip_prefix("pub(").and_then(|c| c.split_once(") ")).map_or(code, |(_, c)| c);
        let code = code.strip_prefix("pub ").unwrap_or(code);
        ["fn ", "const fn ", "async fn ", "unsafe fn "].iter().any(|word| code.starts_with(word))
    };
    let length = |at: usize| {
        let indent = lines[at].len() - lines[at].trim_start().len();
        let ends = |l: &&str| {
            l.len() > indent && l.as_bytes()[indent] == b'}' && l[..indent].trim().is_empty()
        };
        lines[at..].iter().position(ends).map_or(1, |n| n + 1)
    };
    let found: Vec<usize> = (0..lines.len()).filter(|at| begins(lines[*at])).map(length).collect();
    found.into_iter()
}

/// The doc comments of items, each in one line.
fn comments(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        match line.trim_start().strip_prefix("///") {
            Some(words) => open += words,
            None if !open.is_empty() => out.push(std::mem::take(&mut open)),
            None => {}
        }
    }
    out
}

fn is_riddle(comment: &str) -> bool {
    let words: Vec<&str> = comment.split_whitespace().collect();
    words.len() <= 3 || ["What", "Who"].contains(&words[0]) || words.starts_with(&["The", "same"])
}

/// A line that declares a view whose rows are lists of values.
fn declares_positionally(line: &str) -> bool {
    let makers = ["sys(", "msdb(", "function(", "ranged(", "streamed(", "streamed_view("];
    makers.iter().any(|m| line.trim_start().starts_with(m))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_that_says_no_noun_is_a_riddle() {
        assert!(is_riddle(" Its header."));
        assert!(is_riddle(" What is found once for a statement."));
        assert!(!is_riddle(" The header of a log file."));
    }

    #[test]
    fn functions_have_their_lines_counted() {
        let text = "fn a() {\n    b();\n}\n\nimpl T {\n    pub(crate) fn c() {\n    }\n}\n";
        assert_eq!(functions(text).collect::<Vec<_>>(), [3, 2]);
    }

    #[test]
    fn types_are_found_by_their_names() {
        assert_eq!(type_name("pub(super) struct Found<'a> {"), Some("Found"));
        assert_eq!(type_name("    enum Kind {"), Some("Kind"));
        assert_eq!(type_name("// struct Kind"), None);
    }
}

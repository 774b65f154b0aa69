//! What is `pub` in a crate of the engine's is used by another crate: else it is `pub(crate)`, and a reader of the crate's documentation
//! sees what it is for. Names are compared as words, so a common one may pass. A type is used where a
//! public field or function has it.

use crate::files;
use anyhow::Result;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The crates that are held to it.
const CRATES: &[&str] = &["catalog", "exec", "features", "functions", "plan", "query", "watching"];

/// Items that may follow `pub`, where a name follows them.
const ITEMS: &[&str] = &["const", "enum", "fn", "mod", "static", "struct", "trait", "type"];

/// Public items that no other crate names.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let sources: Vec<_> = files::sources(root)?.into_iter().collect();
    let crate_of = |path: &str| {
        path.strip_prefix("crates/").and_then(|p| p.split('/').next()).map(str::to_owned)
    };
    let mut used: HashMap<&str, HashSet<String>> = HashMap::new();
    for (path, text) in &sources {
        let by = crate_of(path).unwrap_or_default()
            + if path.contains("/tests/") { " tests" } else { "" };
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
            used.entry(word).or_default().insert(by.clone());
        }
    }
    let told: HashSet<&str> =
        sources.iter().flat_map(|(_, text)| public_lines(text).flat_map(named_by)).collect();
    let mut findings = Vec::new();
    for (path, text) in &sources {
        let Some(own) = crate_of(path).filter(|c| CRATES.contains(&c.as_str())) else { continue };
        for (at, line) in text.lines().enumerate() {
            let Some(name) = public_item(line) else { continue };
            if told.contains(name) {
                continue;
            }
            if used.get(name).is_none_or(|by| by.iter().all(|c| *c == own)) {
                findings.push(format!(
                    "{path}:{}: `{name}` is pub, and no other crate names it",
                    at + 1
                ));
            }
        }
    }
    Ok(findings)
}

/// The lines of public fields and functions, and those of the variants of public enums.
fn public_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut end_of_enum = None;
    text.lines().filter(move |line| {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if end_of_enum == Some(indent) && code.starts_with('}') {
            end_of_enum = None;
        }
        let in_enum = end_of_enum.is_some() && !code.starts_with("//");
        if code.starts_with("pub enum ") && !code.ends_with('}') {
            end_of_enum = Some(indent);
        }
        in_enum || code.starts_with("pub ") && !code.starts_with("pub use")
    })
}

/// The types that a public line names: whoever uses that line's item has them in hand without a word of theirs.
fn named_by(line: &str) -> impl Iterator<Item = &str> {
    let own = public_item(line).unwrap_or_default();
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(move |w| *w != own);
    words.filter(|w| w.starts_with(char::is_uppercase))
}

/// The name of the item that a line makes public.
fn public_item(line: &str) -> Option<&str> {
    let mut words = line.trim_start().strip_prefix("pub ")?.split_whitespace();
    let mut item = words.next()?;
    for next in words {
        if ITEMS.contains(&item) && !ITEMS.contains(&next) {
            return next.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        }
        item = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_behind_pub_is_found() {
        assert_eq!(public_item("    pub const fn place(self) -> u8 {"), Some("place"));
        assert_eq!(public_item("pub struct Held<'a>(u8);"), Some("Held"));
        assert_eq!(public_item("pub(crate) fn held() {}"), None);
        assert_eq!(public_item("    pub length: u16,"), None);
        assert_eq!(public_item("pub use scope::SlotInfo;"), None);
    }

    #[test]
    fn variants_of_a_public_enum_are_public() {
        let text = "pub enum Kind {\n    /// Not This.\n    One(That),\n}\nenum Other {\n    Two(Hidden),\n}\n\
                    pub fn f(a: A) {\n    B::c()\n}\n";
        let told: Vec<&str> = public_lines(text).flat_map(named_by).collect();
        assert_eq!(told, ["One", "That", "A"]);
    }
}

//! Mutants: each patch still fits the code that it changes.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Finds each patch of `tests/mutants` that would not apply: the lines that it expects are nowhere in its file.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("tests/mutants");
    let mut findings = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "patch") {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let hunks = hunks(&fs::read_to_string(&path)?);
        if hunks.is_empty() {
            findings.push(format!("{name} changes nothing"));
        }
        for (file, expected) in hunks {
            let text = fs::read_to_string(root.join(&file)).unwrap_or_default();
            if !text.contains(&expected) {
                let first = expected.lines().next().unwrap_or_default().trim();
                findings.push(format!("{name}: {file} has no lines as expected from `{first}` on"));
            }
        }
    }
    findings.sort();
    Ok(findings)
}

/// Each change of a patch: the file, and the lines that must be there.
fn hunks(patch: &str) -> Vec<(String, String)> {
    let mut file = "";
    let mut hunks: Vec<(String, String)> = Vec::new();
    for line in patch.lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            file = name;
        } else if line.starts_with("--- ") || line.starts_with("diff ") {
            file = "";
        } else if line.starts_with("@@ ") {
            hunks.push((file.to_owned(), String::new()));
        } else if let (false, Some((_, expected))) = (file.is_empty(), hunks.last_mut())
            && let Some(old) = line.strip_prefix([' ', '-']).or(line.is_empty().then_some(""))
        {
            expected.push_str(old);
            expected.push('\n');
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_a_patch_expects_are_those_of_before() {
        let patch = "What: it.\n\n--- a/x.rs\n+++ b/x.rs\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n\
                     @@ -9 +9 @@\n-e\n+f\n\
                     --- a/y.rs\n+++ b/y.rs\n@@ -1 +1 @@\n g\n";
        let of = |file: &str, text: &str| (file.to_owned(), text.to_owned());
        assert_eq!(hunks(patch), [of("x.rs", "a\nb\nd\n"), of("x.rs", "e\n"), of("y.rs", "g\n")]);
    }
}

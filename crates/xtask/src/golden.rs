//! Golden batches name the source of what they expect.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// How many batches of `tests/golden` do not say `--@ source:`. This number only falls: whoever adds a source lowers it.
const WITHOUT_SOURCE: usize = 503;

/// Finds fault when the number of batches without a source is not [`WITHOUT_SOURCE`].
pub fn sources(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("tests/golden");
    let mut without = 0;
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "sql") {
            without += batches_without(&fs::read_to_string(&path)?);
        }
    }
    Ok(match without {
        WITHOUT_SOURCE => Vec::new(),
        n if n > WITHOUT_SOURCE => vec![format!(
            "{n} batches of tests/golden have no `--@ source:`, {WITHOUT_SOURCE} are allowed"
        )],
        n => vec![format!(
            "only {n} batches have no `--@ source:`: lower WITHOUT_SOURCE in {}",
            file!()
        )],
    })
}

/// The batches of one script that say no source. A batch ends at a line with `GO` alone.
fn batches_without(script: &str) -> usize {
    let (mut without, mut filled, mut said) = (0, false, false);
    for line in script.lines().chain(["GO"]) {
        if line.trim().eq_ignore_ascii_case("go") {
            without += usize::from(filled && !said);
            (filled, said) = (false, false);
        } else {
            filled |= !line.trim().is_empty();
            said |= line
                .trim_start()
                .strip_prefix("--@")
                .is_some_and(|d| d.trim().starts_with("source:"));
        }
    }
    without
}

#[cfg(test)]
mod tests {
    use super::batches_without;

    #[test]
    fn batches_without_a_source_are_counted() {
        assert_eq!(
            batches_without("SELECT 1\nGO\n\nGO\n--@ source: reasoned\nSELECT 2\ngo\nSELECT 3"),
            2
        );
    }
}

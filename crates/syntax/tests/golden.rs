//! The trees of a corpus: each `tests/corpus/x.sql` is cut at GO, parsed, and printed into `x.tree`, one statement a
//! line. `UPDATE_GOLDEN=1` writes the files anew.

use std::fs;
use std::path::Path;

use taffrail_syntax::{ParseOptions, parse_batch, split_go};

/// Removes from a debug print the fields that say nothing: `None`, `[]`, `false` and the like.
fn compact(debug: &str) -> String {
    let mut out = debug.to_string();
    for empty in ["None", "[]", "false", "Ascending", "NoAction"] {
        for (before, after, instead) in [(", ", "", ""), ("{ ", ", ", "{ "), ("{ ", " }", "{ }")] {
            let mut from = 0;
            let needle = format!(": {empty}");
            while let Some(found) = out[from..].find(&needle).map(|i| i + from) {
                let end = found + needle.len();
                let rest = &out[end..];
                let closes = rest.starts_with(", ") || rest.starts_with(" }");
                let name = out[..found]
                    .rfind(|c: char| !(c.is_ascii_lowercase() || c == '_'))
                    .map_or(0, |i| i + 1);
                if closes && rest.starts_with(after) && out[..name].ends_with(before) {
                    out.replace_range(name - before.len()..end + after.len(), instead);
                    from = name - before.len();
                } else {
                    from = end;
                }
            }
        }
    }
    strip_spans(&out)
}

/// Removes `span: 1..2` and bare spans, which change with every blank.
fn strip_spans(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(found) = rest.find("span: ") {
        let name = rest[..found].rfind(|c: char| !(c.is_ascii_lowercase() || c == '_'));
        let begin = name.map_or(0, |i| i + 1);
        let after = rest[found + 6..]
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .map_or(rest.len(), |i| found + 6 + i);
        if rest[..begin].ends_with(", ") {
            out.push_str(&rest[..begin - 2]);
            rest = &rest[after..];
        } else {
            out.push_str(&rest[..begin]);
            rest = rest[after..].strip_prefix(", ").unwrap_or(&rest[after..]);
        }
    }
    out.push_str(rest);
    out
}

#[test]
fn the_corpus_parses_into_these_trees() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut scripts: Vec<_> = fs::read_dir(&corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "sql"))
        .collect();
    scripts.sort();
    assert!(scripts.len() >= 10);
    for script in scripts {
        let text = fs::read_to_string(&script).unwrap();
        let mut trees = String::new();
        for batch in split_go(&text) {
            let parsed = parse_batch(batch.text, ParseOptions::default()).unwrap_or_else(|e| {
                panic!("{}: {}\n{}", script.display(), e.errors[0], batch.text)
            });
            for statement in &parsed.statements {
                trees.push_str(&compact(&format!("{statement:?}")));
                trees.push('\n');
            }
            trees.push_str("GO\n");
        }
        let golden = script.with_extension("tree");
        if update {
            fs::write(&golden, &trees).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        for (n, (want, got)) in expected.lines().zip(trees.lines()).enumerate() {
            assert_eq!(got, want, "{}, line {}", golden.display(), n + 1);
        }
        assert_eq!(trees.lines().count(), expected.lines().count(), "{}", golden.display());
    }
}

/// Statements and expressions know where they stand.
#[test]
fn spans_cover_the_text_of_what_was_parsed() {
    let text = "  select a.b + 1 as c\nfrom t ;\n exec p 'x' -- end";
    let batch = parse_batch(text, ParseOptions::default()).unwrap();
    let spans: Vec<&str> = batch.statements.iter().map(|s| s.span.of(text)).collect();
    assert_eq!(spans, ["select a.b + 1 as c\nfrom t", "exec p 'x'"]);
    let lines: Vec<u32> = batch.statements.iter().map(|s| batch.line_of(s.span.start)).collect();
    assert_eq!(lines, [1, 3]);
}

//! T-SQL.

use taffrail_syntax::{ParseOptions, parse_batch, split_go};

/// The first byte's lowest bit is QUOTED_IDENTIFIER; the rest is the script.
pub fn parse(input: &[u8]) -> bool {
    let Some((&flags, text)) = input.split_first() else { return false };
    let text = String::from_utf8_lossy(text);
    let mut understood = false;
    for batch in split_go(&text) {
        understood |= accepted(batch.text, flags & 1 == 0);
    }
    understood | accepted(&text, flags & 1 == 0)
}

/// Parses, and holds what must hold of any answer.
fn accepted(text: &str, quoted_identifier: bool) -> bool {
    let lines = text.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
    match parse_batch(text, ParseOptions { quoted_identifier }) {
        Ok(batch) => {
            let mut end = 0;
            for statement in &batch.statements {
                let span = statement.span;
                assert!(span.start >= end && span.end > span.start, "{span:?} of {text}");
                assert!(!span.of(text).trim().is_empty());
                assert!((1..=lines).contains(&batch.line_of(span.start)));
                end = span.end;
            }
            true
        }
        Err(refused) => {
            assert!(!refused.errors.is_empty());
            for error in &refused.errors {
                assert!((1..=lines).contains(&error.line), "{error} of {text}");
                assert!(matches!(error.severity, 15 | 16));
            }
            false
        }
    }
}

/// The parser's own test scripts, batch by batch.
pub fn seeds() -> Vec<Vec<u8>> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../syntax/tests/corpus");
    let mut paths: Vec<_> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "sql"))
        .collect();
    paths.sort();
    let texts: Vec<String> = paths.iter().filter_map(|p| std::fs::read_to_string(p).ok()).collect();
    let batches = texts.iter().flat_map(|text| split_go(text));
    batches.map(|batch| [b"\0", batch.text.as_bytes()].concat()).collect()
}

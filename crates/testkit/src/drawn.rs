//! Structures on disk as docs/engineering/format.md draws them, held against what the encoders write. Tests beside the encoders
//! include this file.
//!
//! A drawing is a block of text that bears the structure's name. A line is a field: offset, size, name, and what else is to be said of
//! it, two spaces or more between them. Offset `+`: behind what has no fixed size; size `…`: as much as there is.

const FORMAT: &str = include_str!("../../../docs/engineering/format.md");

/// Panics unless `bytes` are these fields, in this order and without anything between, before or behind them, and the drawing says the
/// same.
pub fn check(name: &str, bytes: &[u8], fields: &[(&str, &[u8])]) {
    let begin = format!("```text {name}\n");
    let Some((_, rest)) = FORMAT.split_once(&begin) else {
        panic!("docs/engineering/format.md does not draw {name}");
    };
    assert!(!rest.contains(&begin), "docs/engineering/format.md draws {name} twice");
    let (drawing, _) = rest.split_once("```").expect("a drawing has an end");
    let (mut at, mut fixed) = (0, true);
    assert_eq!(drawing.lines().count(), fields.len(), "the fields of {name}");
    for (line, (field, value)) in drawing.lines().zip(fields) {
        let parts: Vec<&str> = line.split("  ").map(str::trim).filter(|p| !p.is_empty()).collect();
        let [offset, size, drawn, ..] = parts[..] else { panic!("{name}: {line:?} is no field") };
        assert_eq!(drawn, *field, "{name}");
        let offset = (offset != "+").then(|| offset.parse().expect("an offset"));
        assert_eq!(offset, fixed.then_some(at), "{name}: where {field} is");
        if size == "…" {
            fixed = false;
        } else {
            assert_eq!(size.parse(), Ok(value.len()), "{name}: the size of {field}");
        }
        assert_eq!(bytes.get(at..at + value.len()), Some(*value), "{name}: {field}");
        at += value.len();
    }
    assert_eq!(at, bytes.len(), "{name} has fields that are not drawn");
}

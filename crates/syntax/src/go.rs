//! Cutting a script into batches at `GO`, which is the tools' word and no statement of T-SQL.
//!
//! A line that holds nothing but `GO` and perhaps a number ends a batch, unless it stands within a string, a delimited
//! name or a comment. The number repeats the batch.

/// A batch of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptBatch<'a> {
    /// Its text, without the `GO`.
    pub text: &'a str,
    /// 1-based line of the script on which the text begins.
    pub line: u32,
    /// How often it is to be run (`GO 5`).
    pub repeat: u32,
}

/// The text that a character of a script belongs to.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Plain,
    /// Inside a quotation with this closing delimiter.
    Quoted(u8),
    /// Inside so many nested comments.
    Comment(u32),
}

/// The batches of a script; those with nothing but white space are left out.
pub fn split_go(script: &str) -> Vec<ScriptBatch<'_>> {
    let mut batches = Vec::new();
    let mut state = State::Plain;
    let (mut begin, mut begin_line) = (0, 1);
    let mut offset = 0;
    for (n, line) in script.split_inclusive('\n').enumerate() {
        let next = offset + line.len();
        match (state, go_count(line)) {
            (State::Plain, Some(repeat)) => {
                let text = &script[begin..offset];
                if !text.trim().is_empty() {
                    batches.push(ScriptBatch { text, line: begin_line, repeat });
                }
                (begin, begin_line) = (next, n as u32 + 2);
            }
            _ => state = after_line(state, line.as_bytes()),
        }
        offset = next;
    }
    let text = &script[begin..];
    if !text.trim().is_empty() {
        batches.push(ScriptBatch { text, line: begin_line, repeat: 1 });
    }
    batches
}

/// The repetitions if the line is a `GO`.
fn go_count(line: &str) -> Option<u32> {
    let line = line.trim().trim_start_matches('\u{feff}');
    let head = line.get(..2)?;
    if !head.eq_ignore_ascii_case("go") {
        return None;
    }
    let rest = &line[2..];
    let rest = rest.split("--").next().unwrap_or_default();
    let count = rest.trim().trim_end_matches(';').trim_end();
    if count.is_empty() {
        return Some(1);
    }
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    count.parse().ok()
}

/// The state at the end of `line`, given the one at its beginning.
fn after_line(mut state: State, line: &[u8]) -> State {
    let mut i = 0;
    while i < line.len() {
        let pair = (line[i], line.get(i + 1).copied().unwrap_or(0));
        match state {
            State::Plain => match pair {
                (b'-', b'-') => return State::Plain,
                (b'/', b'*') => {
                    state = State::Comment(1);
                    i += 1;
                }
                (quote @ (b'\'' | b'"'), _) => state = State::Quoted(quote),
                (b'[', _) => state = State::Quoted(b']'),
                _ => {}
            },
            // A doubled delimiter closes and opens again, which comes to the same.
            State::Quoted(close) => {
                if line[i] == close {
                    state = State::Plain;
                    if close == b']' && pair.1 == b']' {
                        state = State::Quoted(close);
                        i += 1;
                    }
                }
            }
            State::Comment(depth) => match pair {
                (b'*', b'/') => {
                    state = if depth == 1 { State::Plain } else { State::Comment(depth - 1) };
                    i += 1;
                }
                (b'/', b'*') => {
                    state = State::Comment(depth + 1);
                    i += 1;
                }
                _ => {}
            },
        }
        i += 1;
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(script: &str) -> Vec<(&str, u32, u32)> {
        split_go(script).into_iter().map(|b| (b.text.trim(), b.line, b.repeat)).collect()
    }

    #[test]
    fn cuts_at_lines_with_go() {
        let script = "select 1\nGO\n\nselect 2\r\n  go 3  \r\ngo\nselect 3";
        assert_eq!(texts(script), [("select 1", 1, 1), ("select 2", 3, 3), ("select 3", 7, 1)]);
        assert_eq!(texts("select 1 as go\ngoal\n"), [("select 1 as go\ngoal", 1, 1)]);
        assert_eq!(
            texts("select 1\ngo;\nselect 2\ngo -- done"),
            [("select 1", 1, 1), ("select 2", 3, 1)]
        );
    }

    #[test]
    fn leaves_strings_names_and_comments_alone() {
        for script in [
            "select 'a\ngo\nb'",
            "select 'it''s\ngo\n'",
            "/* x /* y */\ngo\n*/ select 1",
            "select [a]]\ngo\n]",
        ] {
            assert_eq!(texts(script), [(script, 1, 1)]);
        }
        assert_eq!(texts("-- it's\ngo\nselect 1").len(), 2);
    }
}

//! The table of `docs/reference/t-sql.md`: a line for each area, the names by their states.

use super::entries::{Entry, State};

/// Where the table begins and ends on its page.
pub const MARKS: (&str, &str) =
    ("<!-- names: made by tests/e2e/matrix, UPDATE_MATRIX=1 -->\n", "<!-- names end -->\n");

/// The heading of a kind.
fn heading(kind: &str) -> &str {
    match kind {
        "statement" => "statements",
        "clause" => "clauses",
        "type" => "types",
        "function" => "functions",
        "@@" => "@@ functions",
        "view" => "views",
        "procedure" => "procedures",
        "table hint" => "table hints",
        "query hint" => "query hints",
        "database option" => "options of databases",
        "scoped configuration" => "scoped configurations",
        "ODBC function" => "ODBC functions",
        other => other,
    }
}

/// The table's text.
pub fn table(entries: &[Entry]) -> String {
    let count = |state: State| entries.iter().filter(|e| e.state == state).count();
    let mut text = format!(
        "{} names of SQL Server: {} work, {} in part, {} are refused by name.\n\n\
         | | yes | in part | refused |\n| --- | --- | --- | --- |\n",
        entries.len(),
        count(State::Yes),
        count(State::Part),
        count(State::Refused)
    );
    let mut areas: Vec<(&str, &str)> = Vec::new();
    for e in entries {
        if !areas.contains(&(&e.kind, &e.area)) {
            areas.push((&e.kind, &e.area));
        }
    }
    for (kind, area) in areas {
        let cell = |state: State| {
            let names =
                entries.iter().filter(|e| e.kind == kind && e.area == area && e.state == state);
            let shown = names.map(|e| match e.words.is_empty() {
                true => format!("`{}`", e.name),
                false => format!("`{}`: {}", e.name, e.words),
            });
            let between = if state == State::Part { "<br>" } else { " " };
            shown.collect::<Vec<_>>().join(between)
        };
        let title = if area.is_empty() {
            heading(kind).to_owned()
        } else {
            format!("{}: {area}", heading(kind))
        };
        let cells = [State::Yes, State::Part, State::Refused].map(cell);
        text.push_str(&format!("| {title} | {} |\n", cells.join(" | ")));
    }
    text
}

/// The table as it stands on the page.
pub fn on_page(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(MARKS.0)?;
    rest.split_once(MARKS.1).map(|(table, _)| table)
}

/// The page with this table.
pub fn put(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(MARKS.0)?;
    let (_, after) = rest.split_once(MARKS.1)?;
    Some(format!("{before}{}{table}{}{after}", MARKS.0, MARKS.1))
}

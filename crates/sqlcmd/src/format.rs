//! Result sets and messages as lines.

use super::cell::{self, Control, Kind};
use super::vars::Vars;
use taffrail_lab::client::stream::Column;
use taffrail_lab::client::types::Value;

/// Nothing is made wider than this by blanks.
const PADDED_MAX: i64 = 8000;

struct Shown {
    column: Column,
    kind: Kind,
    /// Characters, 0 for as many as there are.
    width: i64,
}

/// How results are shown; what it makes is to be written as it is.
pub struct Formatter {
    /// -W: no blanks are added.
    pub trim: bool,
    /// -k: how control characters are shown.
    pub control: Control,
    /// :XML ON is in force.
    pub xml: bool,
    columns: Vec<Shown>,
    rows: i64,
    /// Characters in the line under way.
    column: i64,
}

impl Formatter {
    /// With the options of the command line.
    pub fn new(trim: bool, control: Control) -> Formatter {
        Formatter { trim, control, xml: false, columns: Vec::new(), rows: 0, column: 0 }
    }

    /// A result set begins.
    pub fn begin(&mut self, columns: Vec<Column>, vars: &Vars, out: &mut String) {
        self.rows = 0;
        let (fixed, variable) = (vars.fixed_width(), vars.variable_width());
        self.columns = columns
            .into_iter()
            .map(|column| {
                let kind = cell::kind(&column);
                let name = column.name.chars().count() as i64;
                let limited = |n: i64| if fixed > 0 { fixed.min(n) } else { n };
                let width = match kind {
                    _ if variable == 0 => 0,
                    Kind::Right(n) | Kind::Left(n) => n.max(name),
                    Kind::Text(n) | Kind::Bytes(n) => limited(n).max(name),
                    Kind::Variant => limited(PADDED_MAX),
                    Kind::Binary | Kind::LargeText | Kind::LargeBytes => variable,
                };
                Shown { column, kind, width }
            })
            .collect();
        if vars.headers() > -1 && !vars.vertical() && !self.xml {
            self.headings(vars, out);
        }
    }

    fn headings(&self, vars: &Vars, out: &mut String) {
        let (mut names, mut lines) = (String::new(), String::new());
        for (i, shown) in self.columns.iter().enumerate() {
            let name: Vec<char> = shown.column.name.chars().collect();
            let length = name.len() as i64;
            let (blanks, dashes) = match (self.trim, length) {
                (true, 0) => (1, 1),
                (true, _) => (0, length),
                (false, _) => {
                    let width = shown.width.min(PADDED_MAX);
                    ((width - length).max(0), width)
                }
            };
            names.extend(&name[..length.min(shown.width).max(0) as usize]);
            names.extend(std::iter::repeat_n(' ', blanks as usize));
            lines.extend(std::iter::repeat_n('-', dashes as usize));
            if i + 1 < self.columns.len() {
                names.push_str(vars.separator());
                lines.push_str(vars.separator());
            }
        }
        names.push('\n');
        lines.push('\n');
        out.push_str(&fit(names, vars.screen_width()));
        out.push_str(&fit(lines, vars.screen_width()));
    }

    /// A row; its first value as text.
    pub fn row(&mut self, row: &[Value], vars: &Vars, out: &mut String) -> String {
        let values: Vec<String> =
            row.iter().zip(&self.columns).map(|(v, s)| cell::show(v, &s.column)).collect();
        if self.xml {
            self.value(&values, 0, vars, out);
        } else if vars.vertical() {
            let longest = self.columns.iter().map(|s| s.column.name.chars().count()).max();
            for i in 0..values.len() {
                if vars.headers() > -1 {
                    let name = self.columns[i].column.name.clone();
                    let blanks = (longest.unwrap_or(0) + 1).saturating_sub(name.len());
                    self.put(&format!("{name}{}", " ".repeat(blanks)), vars, out);
                }
                self.value(&values, i, vars, out);
                self.put("\n", vars, out);
            }
        } else {
            for i in 0..values.len() {
                if i > 0 {
                    self.put(vars.separator(), vars, out);
                }
                self.value(&values, i, vars, out);
            }
            self.rows += 1;
            let every = vars.headers();
            if every > 0 && self.rows % every == 0 {
                self.put("\n", vars, out);
                self.headings(vars, out);
            }
        }
        self.put("\n", vars, out);
        values.into_iter().next().unwrap_or_default()
    }

    fn value(&mut self, values: &[String], i: usize, vars: &Vars, out: &mut String) {
        let (Some(value), Some(shown)) = (values.get(i), self.columns.get(i)) else { return };
        let is_text = matches!(shown.kind, Kind::Text(_) | Kind::LargeText);
        let mut text = match is_text {
            true => self.control.apply(value),
            false => value.clone(),
        };
        let length = text.chars().count() as i64;
        let width = shown.width;
        if !self.xml && !vars.vertical() && !self.trim && length < width {
            let blanks = " ".repeat((width - length) as usize);
            text = match shown.kind {
                Kind::Right(_) => blanks + &text,
                _ => text + &blanks,
            };
        }
        // A column of bytes is as wide as it has bytes, which take twice the room: half a value is none. -Y alone cuts them.
        let most = match shown.kind {
            Kind::Bytes(_) => vars.fixed_width(),
            _ => width,
        };
        if !self.xml && most > 0 && length > most {
            text = text.chars().take(most as usize).collect();
        }
        self.put(&text, vars, out);
    }

    /// The result set has ended.
    pub fn end(&mut self, vars: &Vars, out: &mut String) {
        if !self.xml {
            self.put("\n", vars, out);
        }
    }

    /// Text, broken where the screen ends.
    fn put(&mut self, text: &str, vars: &Vars, out: &mut String) {
        let width = vars.screen_width();
        if width == 0 {
            out.push_str(text);
            return;
        }
        for c in text.chars() {
            if self.column == width {
                out.push('\n');
                self.column = 0;
            }
            out.push(c);
            self.column = if matches!(c, '\r' | '\n') { 0 } else { self.column + 1 };
        }
    }
}

/// Lines that are broken where the screen ends; 0 leaves them as they are.
pub fn fit(text: String, width: i64) -> String {
    if width <= 0 || (text.chars().count() as i64) < width {
        return text;
    }
    let (mut out, mut column) = (String::with_capacity(text.len()), 0);
    for c in text.chars() {
        if column == width && c != '\n' {
            out.push('\n');
            column = 0;
        }
        out.push(c);
        column = if c == '\n' { 0 } else { column + 1 };
    }
    out
}

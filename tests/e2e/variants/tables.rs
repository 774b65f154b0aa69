//! Eight tables of one shape, whose types, indexes and rows a seed decides.

use super::dice::Dice;

/// Tables of a world.
pub const TABLES: usize = 8;

/// What a column holds; those of one kind can be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Number,
    Text,
    Date,
}

/// The columns that every table has beside its key `id`.
pub const COLUMNS: [(&str, Kind); 5] = [
    ("u", Kind::Number),
    ("x", Kind::Number),
    ("y", Kind::Number),
    ("s", Kind::Text),
    ("d", Kind::Date),
];

/// A table.
pub struct Table {
    /// The names of its indexes with keys; all of them can be forced.
    pub indexes: Vec<String>,
    pub rows: usize,
    /// Makes and fills it.
    pub script: Vec<String>,
}

const NUMBERS: [&str; 9] =
    ["int", "int", "int", "smallint", "bigint", "tinyint", "decimal(9, 2)", "float", "money"];
const TEXTS: [&str; 4] = ["varchar(12)", "nvarchar(12)", "char(4)", "nchar(4)"];
const DATES: [&str; 4] = ["date", "datetime", "datetime2(3)", "smalldatetime"];
const WORDS: [&str; 12] = ["", "a", "A", "a ", "ab", "aB", "b", "b%", "ba", "c", "_c", "é"];

/// A number as text.
pub fn number(dice: &mut Dice) -> String {
    match dice.below(12) {
        0 => "4.5".into(),
        1 => "0".into(),
        _ => dice.below(9).to_string(),
    }
}

/// Text, quoted.
pub fn text(dice: &mut Dice) -> String {
    format!("'{}'", dice.word(&WORDS))
}

/// A date, quoted.
pub fn date(dice: &mut Dice) -> String {
    let time = if dice.chance(25) { " 12:00" } else { "" };
    format!("'2024010{}{time}'", 1 + dice.below(6))
}

/// A value of a kind.
pub fn value(dice: &mut Dice, kind: Kind) -> String {
    match kind {
        Kind::Number => number(dice),
        Kind::Text => text(dice),
        Kind::Date => date(dice),
    }
}

/// The tables of a world.
pub fn tables(dice: &mut Dice) -> Vec<Table> {
    let great = [dice.below(TABLES * 2), dice.below(TABLES * 2)];
    (0..TABLES).map(|at| table(dice, at, great.contains(&at))).collect()
}

fn table(dice: &mut Dice, at: usize, great: bool) -> Table {
    let name = format!("dbo.t{at}");
    let types =
        ["int", dice.word(&NUMBERS), dice.word(&NUMBERS), dice.word(&TEXTS), dice.word(&DATES)];
    let columns: Vec<String> =
        COLUMNS.iter().zip(types).map(|((name, _), ty)| format!("{name} {ty} NULL")).collect();
    let mut indexes = Vec::new();
    // The first table has no index at all, the second its key only.
    let (key, clustered) = match if at < 2 { at } else { 1 + dice.below(5) } {
        0 => ("", None),
        1 => ("PRIMARY KEY CLUSTERED (id)", None),
        2 => ("PRIMARY KEY CLUSTERED (id DESC)", None),
        3 => ("PRIMARY KEY NONCLUSTERED (id)", None),
        4 => ("PRIMARY KEY NONCLUSTERED (id)", Some(keys(dice, true))),
        _ => ("UNIQUE NONCLUSTERED (id)", Some(keys(dice, false))),
    };
    let key = match key {
        "" => String::new(),
        key => {
            indexes.push(format!("k{at}"));
            format!(", CONSTRAINT k{at} {key}")
        }
    };
    let mut script =
        vec![format!("CREATE TABLE {name} (id int NOT NULL, {}{key})", columns.join(", "))];
    if let Some((unique, columns)) = clustered {
        indexes.push(format!("c{at}"));
        script.push(format!("CREATE {unique}CLUSTERED INDEX c{at} ON {name} ({columns})"));
    }
    let more = if at < 2 { 0 } else { 1 + dice.below(4) };
    for n in 0..more {
        let index = format!("i{at}_{n}");
        let (unique, columns) = keys(dice, n == 0);
        let filter = match dice.below(8) {
            0 => " WHERE x IS NOT NULL",
            1 => " WHERE y = 2",
            2 => " WHERE x > 3",
            3 => " WHERE s IS NOT NULL AND y IN (1, 2, 3)",
            _ => "",
        };
        let held: Vec<&str> =
            COLUMNS.iter().map(|c| c.0).filter(|c| !columns.contains(c)).collect();
        let include = match dice.below(3) {
            0 if !held.is_empty() => format!(" INCLUDE ({})", held.join(", ")),
            _ => String::new(),
        };
        script.push(format!("CREATE {unique}INDEX {index} ON {name} ({columns}){include}{filter}"));
        indexes.push(index);
    }
    if at > 1 && dice.chance(50) {
        script.push(format!("CREATE UNIQUE INDEX u{at} ON {name} (u) WHERE u IS NOT NULL"));
        indexes.push(format!("u{at}"));
    }
    let rows = match dice.below(10) {
        _ if great => 300 + dice.below(900),
        0 => 0,
        1 => 1,
        2..=4 => 3 + dice.below(9),
        _ => 20 + dice.below(40),
    };
    let mut values = Vec::with_capacity(rows);
    for id in 0..rows {
        let mut row = vec![id.to_string()];
        row.push(if dice.chance(80) { (rows - id).to_string() } else { "NULL".into() });
        for (_, kind) in &COLUMNS[1..] {
            row.push(if dice.chance(80) { value(dice, *kind) } else { "NULL".into() });
        }
        values.push(format!("({})", row.join(", ")));
    }
    for chunk in values.chunks(500) {
        script.push(format!("INSERT {name} VALUES {}", chunk.join(", ")));
    }
    Table { indexes, rows, script }
}

/// Key columns of an index, `UNIQUE` where `id` makes them so.
fn keys(dice: &mut Dice, with_id: bool) -> (&'static str, String) {
    let mut left: Vec<&str> = COLUMNS.iter().map(|c| c.0).collect();
    let mut out = Vec::new();
    for _ in 0..1 + dice.below(3) {
        out.push(left.swap_remove(dice.below(left.len())));
    }
    let unique = with_id && dice.chance(60);
    if unique || dice.chance(10) {
        out.push("id");
    }
    let columns: Vec<String> =
        out.iter().map(|c| format!("{c}{}", if dice.chance(35) { " DESC" } else { "" })).collect();
    (if unique { "UNIQUE " } else { "" }, columns.join(", "))
}

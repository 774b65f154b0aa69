//! Conditions that a seed decides, and that can be made smaller.

use super::dice::Dice;
use super::tables::{COLUMNS, Kind, TABLES, date, number, text, value};
use std::fmt;

/// A condition.
#[derive(Clone, Debug)]
pub enum Condition {
    Leaf(String),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |list: &[Condition], by: &str| {
            let list: Vec<String> = list.iter().map(|c| c.to_string()).collect();
            format!("({})", list.join(by))
        };
        match self {
            Condition::Leaf(text) => f.write_str(text),
            Condition::All(list) => f.write_str(&joined(list, " AND ")),
            Condition::Any(list) => f.write_str(&joined(list, " OR ")),
            Condition::Not(c) => write!(f, "NOT ({c})"),
        }
    }
}

impl Condition {
    /// Conditions with a part less.
    pub fn smaller(&self) -> Vec<Condition> {
        match self {
            Condition::Leaf(_) => Vec::new(),
            Condition::All(list) | Condition::Any(list) => {
                let mut out = list.clone();
                for (at, c) in list.iter().enumerate() {
                    for s in c.smaller() {
                        let mut list = list.clone();
                        list[at] = s;
                        out.push(match self {
                            Condition::All(_) => Condition::All(list),
                            _ => Condition::Any(list),
                        });
                    }
                }
                out
            }
            Condition::Not(c) => {
                let mut out = vec![(**c).clone()];
                out.extend(c.smaller().into_iter().map(|c| Condition::Not(Box::new(c))));
                out
            }
        }
    }
}

/// A column of a kind.
pub fn column(dice: &mut Dice, kind: Kind) -> &'static str {
    match kind {
        Kind::Number => dice.word(&["id", "u", "x", "x", "y", "y"]),
        Kind::Text => "s",
        Kind::Date => "d",
    }
}

/// A kind, numbers mostly.
pub fn kind(dice: &mut Dice) -> Kind {
    *dice.pick(&[Kind::Number, Kind::Number, Kind::Number, Kind::Text, Kind::Date])
}

/// Conditions on the columns of one alias, all to hold.
pub fn conjuncts(dice: &mut Dice, alias: &str, most: usize, depth: usize) -> Vec<Condition> {
    (0..dice.below(most + 1)).map(|_| condition(dice, alias, 2, depth)).collect()
}

/// A condition on the columns of an alias; with subqueries where `depth` lets them.
pub fn condition(dice: &mut Dice, alias: &str, size: usize, depth: usize) -> Condition {
    let list = |dice: &mut Dice| {
        (0..2 + dice.below(2)).map(|_| condition(dice, alias, size - 1, depth)).collect()
    };
    match dice.below(10) {
        0 if size > 0 => Condition::All(list(dice)),
        1 | 2 if size > 0 => Condition::Any(list(dice)),
        3 if size > 0 => Condition::Not(Box::new(condition(dice, alias, size - 1, depth))),
        4 if depth > 0 => Condition::Leaf(subquery(dice, alias, depth)),
        _ => Condition::Leaf(leaf(dice, alias)),
    }
}

/// What two aliases have to do with each other beside an equality.
pub fn between(dice: &mut Dice, l: &str, r: &str) -> Condition {
    let kind = kind(dice);
    let (a, b) = (column(dice, kind), column(dice, kind));
    let op = dice.word(&["<", "<=", ">", ">=", "<>", "="]);
    Condition::Leaf(format!("{l}.{a} {op} {r}.{b}"))
}

fn leaf(dice: &mut Dice, alias: &str) -> String {
    let kind = kind(dice);
    let c = format!("{alias}.{}", column(dice, kind));
    let known = |dice: &mut Dice| match (dice.below(6), kind) {
        (0, Kind::Number) => "@n".to_string(),
        (0, Kind::Text) => "@s".to_string(),
        (0, Kind::Date) => "@d".to_string(),
        (1, Kind::Text) => format!("N{}", text(dice)),
        _ => value(dice, kind),
    };
    match dice.below(10) {
        0 => format!("{c} IS NULL"),
        1 => format!("{c} IS NOT NULL"),
        2 => format!("{c} BETWEEN {} AND {}", known(dice), known(dice)),
        3 | 4 => {
            let mut list: Vec<String> = (0..1 + dice.below(4)).map(|_| known(dice)).collect();
            if dice.chance(15) {
                list.push("NULL".into());
            }
            let not = if dice.chance(25) { "NOT " } else { "" };
            format!("{c} {not}IN ({})", list.join(", "))
        }
        5 => match kind {
            Kind::Number => format!("{c} + 1 - 1 = {}", dice.below(9)),
            Kind::Text => {
                let not = if dice.chance(25) { "NOT " } else { "" };
                let pattern = dice.word(&["'a%'", "N'a%'", "'%b'", "'_'", "'b[%]'", "'a'", "@s"]);
                format!("{c} {not}LIKE {pattern}")
            }
            Kind::Date => format!("CAST({c} AS date) = {}", date(dice)),
        },
        6 => {
            let other = column(dice, kind);
            format!("{c} {} {alias}.{other}", dice.word(&["=", "<", ">=", "<>"]))
        }
        _ => format!(
            "{c} {} {}",
            dice.word(&["=", "=", "=", "<", ">", "<=", ">=", "<>"]),
            known(dice)
        ),
    }
}

fn subquery(dice: &mut Dice, outer: &str, depth: usize) -> String {
    let table = dice.below(TABLES);
    let inner = format!("z{outer}");
    let kind = kind(dice);
    let (a, b) = (column(dice, kind), column(dice, kind));
    let mut conditions = conjuncts(dice, &inner, 1, depth - 1);
    if dice.chance(30) {
        conditions.push(between(dice, outer, &inner));
    }
    let from = format!("FROM dbo.t{table} AS {inner}");
    let equal = Condition::Leaf(format!("{inner}.{b} = {outer}.{a}"));
    match dice.below(5) {
        0 => format!("{outer}.{a} IN (SELECT {inner}.{b} {from}{})", filter(&conditions)),
        1 => format!("{outer}.{a} NOT IN (SELECT {inner}.{b} {from}{})", filter(&conditions)),
        2 => {
            let n = number(dice);
            conditions.push(equal);
            format!("(SELECT COUNT(*) {from}{}) < {n}", filter(&conditions))
        }
        n => {
            conditions.push(equal);
            let not = if n == 3 { "" } else { "NOT " };
            format!("{not}EXISTS (SELECT * {from}{})", filter(&conditions))
        }
    }
}

/// ` WHERE …`, or nothing.
pub fn filter(conditions: &[Condition]) -> String {
    match conditions {
        [] => String::new(),
        some => format!(" WHERE {}", all(some)),
    }
}

/// `… AND …`.
pub fn all(conditions: &[Condition]) -> String {
    let list: Vec<String> = conditions.iter().map(|c| c.to_string()).collect();
    match list.is_empty() {
        true => "1 = 1".into(),
        false => list.join(" AND "),
    }
}

/// A column of [`COLUMNS`] that holds numbers.
pub fn numeric(dice: &mut Dice) -> &'static str {
    let numbers: Vec<&str> = COLUMNS.iter().filter(|c| c.1 == Kind::Number).map(|c| c.0).collect();
    dice.word(&numbers)
}

//! Questions, and the ways in which each can be asked.

use super::condition::{Condition, all, between, column, conjuncts, filter, kind, numeric};
use super::dice::Dice;
use super::tables::{TABLES, Table};
use super::ways;

/// What a question is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    Semi,
    Anti,
    Joined,
    Outer,
    Split,
    First,
    Grouped,
    Sets,
    Scalar,
    Marked,
}

const ALL: [About; 10] = [
    About::Semi,
    About::Anti,
    About::Joined,
    About::Outer,
    About::Split,
    About::First,
    About::Grouped,
    About::Sets,
    About::Scalar,
    About::Marked,
];

/// A question: of table `l`, mostly with table `r`, sometimes with table `q`.
#[derive(Clone, Debug)]
pub struct Question {
    pub about: About,
    /// The tables behind `l`, `r` and `q`.
    pub tables: [usize; 3],
    /// `q` is asked for, too.
    pub three: bool,
    /// Columns of `l` and `r` that are equal.
    pub key: (&'static str, &'static str),
    /// Columns of `r` and `q` that are equal.
    pub second: (&'static str, &'static str),
    /// What else `l` and `r` have to do with each other.
    pub on: Vec<Condition>,
    /// About `l` alone.
    pub left: Vec<Condition>,
    /// About `r` alone.
    pub right: Vec<Condition>,
    /// An aggregate of `r`, or of what is grouped.
    pub aggregate: String,
    /// Rows that are asked for, and rows before them.
    pub first: (usize, usize),
    /// ORDER BY, without its end.
    pub order: Vec<String>,
    /// Decides which hints are tried.
    pub seed: u64,
}

/// Statements that must give the same rows.
pub struct Group {
    pub ways: Vec<Way>,
    /// The order of the rows counts.
    pub ordered: bool,
}

/// A statement.
pub struct Way {
    pub sql: String,
    /// A hint may make it impossible.
    pub forced: bool,
}

impl Question {
    /// A question about these tables.
    pub fn new(dice: &mut Dice, tables: &[Table]) -> Question {
        let about = *dice.pick(&ALL);
        let mut at = [dice.below(TABLES), dice.below(TABLES), dice.below(TABLES)];
        // The products of two great tables take long in a debug build.
        let great = |t: usize| tables[t].rows > 100;
        while great(at[0]) && great(at[1]) || great(at[2]) {
            at = [dice.below(TABLES), dice.below(TABLES), dice.below(TABLES)];
        }
        let pair = |dice: &mut Dice| {
            let kind = kind(dice);
            (column(dice, kind), column(dice, kind))
        };
        let on = match dice.below(3) {
            0 => vec![between(dice, "l", "r")],
            _ => Vec::new(),
        };
        let depth = usize::from(dice.chance(30));
        let function =
            dice.word(&["COUNT", "SUM", "MIN", "MAX", "AVG", "COUNT(*)", "COUNT(DISTINCT"]);
        let aggregate = match function {
            "COUNT(*)" => "COUNT(*)".into(),
            "COUNT(DISTINCT" => format!("COUNT(DISTINCT r.{})", numeric(dice)),
            f => format!("{f}(r.{})", numeric(dice)),
        };
        let mut order: Vec<String> = Vec::new();
        for _ in 0..dice.below(3) {
            let kind = kind(dice);
            let c = column(dice, kind);
            // `id` ends every order.
            let named = order.iter().any(|o| o.starts_with(&format!("l.{c}")));
            if c != "id" && !named {
                order.push(format!("l.{c}{}", if dice.chance(40) { " DESC" } else { "" }));
            }
        }
        Question {
            about,
            tables: at,
            three: dice.chance(40),
            key: pair(dice),
            second: pair(dice),
            on,
            left: conjuncts(dice, "l", 2, depth),
            right: conjuncts(dice, "r", 2, depth),
            aggregate,
            first: (1 + dice.below(12), if dice.chance(30) { dice.below(6) } else { 0 }),
            order,
            seed: dice.next(),
        }
    }

    /// Questions with a condition less.
    pub fn smaller(&self) -> Vec<Question> {
        let mut out = Vec::new();
        let lists: [fn(&mut Question) -> &mut Vec<Condition>; 3] =
            [|q| &mut q.on, |q| &mut q.left, |q| &mut q.right];
        for list in lists {
            let mut whole = self.clone();
            for at in 0..list(&mut whole).len() {
                let mut less = self.clone();
                list(&mut less).remove(at);
                out.push(less);
                let mut same = self.clone();
                for c in list(&mut same)[at].smaller() {
                    let mut less = self.clone();
                    list(&mut less)[at] = c;
                    out.push(less);
                }
            }
        }
        for at in 0..self.order.len() {
            let mut less = self.clone();
            less.order.remove(at);
            out.push(less);
        }
        if self.three {
            out.push(Question { three: false, ..self.clone() });
        }
        out
    }

    /// The ways in which it can be asked: those of one group agree.
    pub fn groups(&self, tables: &[Table]) -> Vec<Group> {
        let mut dice = Dice::new(self.seed);
        match self.about {
            About::Semi => ways::semi::groups(self, tables, &mut dice),
            About::Anti => ways::anti::groups(self, tables, &mut dice),
            About::Joined => ways::joined::inner(self, tables, &mut dice),
            About::Outer => ways::joined::outer(self, tables, &mut dice),
            About::Split => ways::split::groups(self, tables),
            About::First => ways::first::groups(self, tables, &mut dice),
            About::Grouped => ways::grouped::groups(self, tables, &mut dice),
            About::Sets => ways::sets::groups(self),
            About::Scalar => ways::scalar::groups(self, tables, &mut dice),
            About::Marked => ways::marked::groups(self),
        }
    }

    /// `dbo.tN AS l`.
    pub fn l(&self) -> String {
        format!("dbo.t{} AS l", self.tables[0])
    }

    /// `dbo.tN AS r`.
    pub fn r(&self) -> String {
        format!("dbo.t{} AS r", self.tables[1])
    }

    /// `dbo.tN AS q`.
    pub fn q(&self) -> String {
        format!("dbo.t{} AS q", self.tables[2])
    }

    /// What `l` and `r` have to do with each other.
    pub fn link(&self) -> String {
        let equal = format!("l.{} = r.{}", self.key.0, self.key.1);
        match self.on.is_empty() {
            true => equal,
            false => format!("{equal} AND {}", all(&self.on)),
        }
    }

    /// What `r` and `q` have to do with each other.
    pub fn second_link(&self) -> String {
        format!("r.{} = q.{}", self.second.0, self.second.1)
    }

    /// ` WHERE …` of the subquery that finds partners of `l`.
    pub fn partners(&self) -> String {
        match self.right.is_empty() {
            true => format!(" WHERE {}", self.link()),
            false => format!(" WHERE {} AND {}", self.link(), all(&self.right)),
        }
    }

    /// ` WHERE …` of the subquery whose column is compared with `l`'s: without the equality.
    pub fn others(&self) -> String {
        let mut list = self.on.clone();
        list.extend(self.right.iter().cloned());
        filter(&list)
    }

    /// ` WHERE …` about `l`, and this too.
    pub fn where_left(&self, more: &str) -> String {
        match self.left.is_empty() {
            true => format!(" WHERE {more}"),
            false => format!(" WHERE {} AND {more}", all(&self.left)),
        }
    }
}

impl Group {
    /// Ways whose rows may come in any order.
    pub fn of(statements: Vec<String>) -> Group {
        let ways = statements.into_iter().map(|sql| Way { sql, forced: false }).collect();
        Group { ways, ordered: false }
    }

    /// A statement whose joins are done by each method.
    pub fn by_each_method(&mut self, sql: &str) {
        for method in ["LOOP", "HASH", "MERGE"] {
            self.ways.push(Way { sql: format!("{sql} OPTION ({method} JOIN)"), forced: true });
        }
    }

    /// A statement with OPTION clauses that say how its joins are done.
    pub fn hinted(&mut self, dice: &mut Dice, sql: &str, most: usize) {
        const OPTIONS: [&str; 9] = [
            "LOOP JOIN",
            "HASH JOIN",
            "MERGE JOIN",
            "FORCE ORDER",
            "LOOP JOIN, FORCE ORDER",
            "HASH JOIN, FORCE ORDER",
            "MERGE JOIN, FORCE ORDER",
            "FAST 1",
            "RECOMPILE",
        ];
        for _ in 0..most {
            let option = dice.word(&OPTIONS);
            self.ways.push(Way { sql: format!("{sql} OPTION ({option})"), forced: true });
        }
    }

    /// A statement with hints behind one of the tables that it names.
    pub fn forced(&mut self, dice: &mut Dice, sql: &str, named: &str, table: &Table) {
        let hint = table_hint(dice, table);
        // (The innermost mention may be another; each is as good.)
        if let Some(at) = sql.find(named) {
            let at = at + named.len();
            let sql = format!("{} WITH ({hint}){}", &sql[..at], &sql[at..]);
            self.ways.push(Way { sql, forced: true });
        }
    }
}

fn table_hint(dice: &mut Dice, table: &Table) -> String {
    match dice.below(5) {
        0 => "FORCESEEK".into(),
        1 => "FORCESCAN".into(),
        2 => "INDEX (0)".into(),
        _ if table.indexes.is_empty() => "INDEX (0)".into(),
        _ => format!("INDEX ({})", dice.pick(&table.indexes)),
    }
}

//! How expressions are read.

use super::expr::{Expr, Nth, Op, Path, QueryFunction, Start, Step, Test};
use taffrail_base::SqlResult;
use taffrail_base::message::unsupported;

/// Expressions within one another: one for the stack of who reads them.
const DEPTH: usize = 64;

/// A value of SQL that an expression names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outside {
    /// A column of the query: `sql:column("…")`.
    Column(String),
    /// A variable of the batch: `sql:variable("@…")`.
    Variable(String),
}

/// An expression that has been read.
pub struct Query {
    pub(super) expr: Expr,
    /// The columns and variables of SQL that it names, in order.
    pub outside: Vec<Outside>,
}

impl Query {
    /// Reads one: 40510 for what is not here.
    pub fn read(text: &str) -> SqlResult<Query> {
        let mut reader = QueryReader { rest: text, depth: 0, outside: Vec::new() };
        let expr = reader.expression().filter(|_| reader.rest.trim().is_empty());
        let expr =
            expr.ok_or_else(|| unsupported(format_args!("The XQuery expression '{text}'")))?;
        Ok(Query { expr, outside: reader.outside })
    }

    /// It comes to one thing at most, as value() wants it.
    pub fn is_singleton(&self) -> bool {
        self.expr.is_singleton()
    }
}

struct QueryReader<'t> {
    rest: &'t str,
    depth: usize,
    outside: Vec<Outside>,
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.".contains(c)
}

impl<'t> QueryReader<'t> {
    fn eat(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(word) {
            Some(rest) if !rest.starts_with(in_name) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn name(&mut self) -> Option<&'t str> {
        let end = self.rest.find(|c| !in_name(c)).unwrap_or(self.rest.len());
        let name = &self.rest[..end];
        self.rest = &self.rest[end..];
        name.starts_with(|c: char| c.is_alphabetic() || c == '_').then_some(name)
    }

    fn digits(&mut self) -> Option<&'t str> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (digits, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (!digits.is_empty()).then_some(digits)
    }

    fn literal(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        let quote = self.rest.chars().next().filter(|c| "\"'".contains(*c))?;
        let inner = &self.rest[1..];
        let end = inner.find(quote)?;
        self.rest = &inner[end + 1..];
        Some(super::tree::decoded(&inner[..end]))
    }

    fn expression(&mut self) -> Option<Expr> {
        if self.depth == DEPTH {
            return None;
        }
        self.depth += 1;
        let found = self.any();
        self.depth -= 1;
        found
    }

    fn any(&mut self) -> Option<Expr> {
        let mut list = vec![self.all()?];
        while self.eat_word("or") {
            list.push(self.all()?);
        }
        Some(if list.len() == 1 { list.remove(0) } else { Expr::Or(list) })
    }

    fn all(&mut self) -> Option<Expr> {
        let mut list = vec![self.comparison()?];
        while self.eat_word("and") {
            list.push(self.comparison()?);
        }
        Some(if list.len() == 1 { list.remove(0) } else { Expr::And(list) })
    }

    fn comparison(&mut self) -> Option<Expr> {
        const OPERATORS: [(&str, Op); 6] = [
            ("!=", Op::Ne),
            ("<=", Op::Le),
            (">=", Op::Ge),
            ("=", Op::Eq),
            ("<", Op::Lt),
            (">", Op::Gt),
        ];
        const WORDS: [(&str, Op); 6] = [
            ("eq", Op::Eq),
            ("ne", Op::Ne),
            ("lt", Op::Lt),
            ("le", Op::Le),
            ("gt", Op::Gt),
            ("ge", Op::Ge),
        ];
        let left = self.operand()?;
        let found = OPERATORS.iter().find(|(sign, _)| self.eat(sign));
        let found = found.or_else(|| WORDS.iter().find(|(word, _)| self.eat_word(word)));
        let Some((_, op)) = found else { return Some(left) };
        Some(Expr::Compare(*op, Box::new((left, self.operand()?))))
    }

    fn operand(&mut self) -> Option<Expr> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        if "\"'".contains(first) {
            return self.literal().map(Expr::Text);
        }
        if first.is_ascii_digit() {
            return self.digits()?.parse().ok().map(Expr::Number);
        }
        if first == '(' {
            return self.parenthesized();
        }
        match self.call() {
            Some(found) => found,
            None => self.path(Start::Here).map(Expr::Path),
        }
    }

    /// A call; none: it is none. Within: none when it is not understood.
    fn call(&mut self) -> Option<Option<Expr>> {
        let before = self.rest;
        for (name, column) in [("sql:column", true), ("sql:variable", false)] {
            if self.eat(name) {
                let text = self.eat("(").then(|| self.literal()).flatten();
                let Some(text) = text.filter(|_| self.eat(")")) else { return Some(None) };
                self.outside.push(match column {
                    true => Outside::Column(text),
                    false => Outside::Variable(text),
                });
                return Some(Some(Expr::Outside(self.outside.len() - 1)));
            }
        }
        self.eat("fn:");
        let function = match self.name().filter(|_| self.eat("(")) {
            Some("count") => (QueryFunction::Count, 1, 1),
            Some("not") => (QueryFunction::Not, 1, 1),
            Some("contains") => (QueryFunction::Contains, 2, 2),
            Some("local-name") => (QueryFunction::LocalName, 0, 1),
            Some("string" | "data") => (QueryFunction::Text, 0, 1),
            Some("number") => (QueryFunction::Number, 0, 1),
            Some("position") => (QueryFunction::Position, 0, 0),
            Some("last") => (QueryFunction::Last, 0, 0),
            Some("true") => (QueryFunction::True, 0, 0),
            Some("false") => (QueryFunction::False, 0, 0),
            _ => {
                self.rest = before;
                return None;
            }
        };
        let (function, least, most) = function;
        let mut args = Vec::new();
        while !self.eat(")") {
            if !args.is_empty() && !self.eat(",") {
                return Some(None);
            }
            match self.expression() {
                Some(e) => args.push(e),
                None => return Some(None),
            }
        }
        let fits = (least..=most).contains(&args.len());
        Some(fits.then_some(Expr::Call(function, args)))
    }

    fn parenthesized(&mut self) -> Option<Expr> {
        self.eat("(");
        let inner = self.expression()?;
        if !self.eat(")") {
            return None;
        }
        let nth = match self.eat("[") {
            true => {
                let last = ["last", "(", ")"].into_iter().all(|word| self.eat(word));
                let n = if last { Nth::Last } else { Nth::Of(self.digits()?.parse().ok()?) };
                if !self.eat("]") {
                    return None;
                }
                Some(n)
            }
            false => None,
        };
        self.rest = self.rest.trim_start();
        let goes_on = self.rest.starts_with('/');
        match (nth.is_some() || goes_on, inner) {
            (false, inner) => Some(inner),
            (true, inner @ Expr::Path(_)) => {
                let start = Start::Inner(Box::new(inner), nth);
                match goes_on {
                    true => self.path(start).map(Expr::Path),
                    false => Some(Expr::Path(Path { start, steps: Vec::new() })),
                }
            }
            (true, _) => None,
        }
    }

    fn path(&mut self, start: Start) -> Option<Path> {
        let mut deep = self.eat("//");
        let rooted = deep || self.eat("/");
        let begun = matches!(start, Start::Inner(..));
        let start = match (rooted, start) {
            (true, Start::Here) => Start::Document,
            (_, start) => start,
        };
        let mut steps = Vec::new();
        // «/» alone is the document.
        if rooted && !deep && !begun && self.rest.trim_start().is_empty() {
            return Some(Path { start, steps });
        }
        loop {
            steps.push(self.step(deep)?);
            deep = self.eat("//");
            if !deep && !self.eat("/") {
                return Some(Path { start, steps });
            }
        }
    }

    fn step(&mut self, deep: bool) -> Option<Step> {
        // The axis that is meant where none stands.
        let before = self.rest;
        let child = self.eat_word("child") && self.eat("::");
        if !child {
            self.rest = before;
        }
        let test = if !child && self.eat("..") {
            Test::Parent
        } else if !child && self.eat(".") {
            Test::Itself
        } else if !child && self.eat("@*") {
            Test::AnyAttribute
        } else if !child && self.eat("@") {
            let name = self.name()?;
            // With a prefix.
            if self.rest.starts_with(':') {
                return None;
            }
            Test::Attribute(name.to_owned())
        } else if self.eat("*") {
            Test::AnyElement
        } else {
            self.rest = self.rest.trim_start();
            let name = self.name()?;
            match (name, self.eat("(")) {
                ("text", true) if self.eat(")") => Test::Text,
                ("node", true) if self.eat(")") => Test::Node,
                (_, true) => return None,
                _ if self.rest.starts_with(':') => return None,
                (name, false) => Test::Element(name.to_owned()),
            }
        };
        let mut predicates = Vec::new();
        while self.eat("[") {
            predicates.push(self.expression()?);
            if !self.eat("]") {
                return None;
            }
        }
        Some(Step { deep, test, predicates })
    }
}

//! How expressions are read: FLWOR and the operators, from the loosest to the closest.

mod constructor;
mod path;
mod primary;
mod scan;
mod whole;

use super::expr::{
    ArithmeticOp, AtomType, Body, Clause, CompareForm, Expr, Flwor, NodeOp, Op, Path, Start,
};
use super::name::Prefixes;
use taffrail_base::{SqlError, SqlResult};

/// Expressions within one another: a limit for the stack of whoever reads them.
const DEPTH: usize = 64;
/// Operators of arithmetic, clauses and variables of one expression: in a row they lie one in another, and the stack is theirs too.
const CHAINED: usize = 1000;

/// A value of SQL that an expression names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outside {
    /// A column of the query: `sql:column("…")`.
    Column(String),
    /// A variable of the batch: `sql:variable("@…")`.
    Variable(String),
}

/// A namespace of WITH XMLNAMESPACES: its prefix, empty for the default one, and its URI.
pub type Namespace = (String, String);

/// An expression that has been read.
pub struct Query {
    pub(super) body: Body,
    /// The columns and variables of SQL that it names, in order.
    pub outside: Vec<Outside>,
    /// Whether a path leads out of the node that the expression is looked at from.
    pub leads_out: bool,
    /// The number of its variables.
    pub(super) variables: usize,
}

/// The reader of an expression.
pub(super) struct QueryReader<'t> {
    text: &'t str,
    rest: &'t str,
    /// The method, as errors name it: `value()`.
    method: &'t str,
    depth: usize,
    chained: usize,
    outside: Vec<Outside>,
    leads_out: bool,
    prefixes: Prefixes,
    /// The variables in scope, by name, with their numbers.
    scope: Vec<(String, usize)>,
    variables: usize,
}

/// The beginning of the texts of errors.
pub(super) fn place(method: &str) -> String {
    format!("XQuery [{method}]: ")
}

impl Query {
    /// Reads an expression of a method, which errors name (`value()`).
    pub fn read(text: &str, method: &str, namespaces: &[Namespace]) -> SqlResult<Query> {
        let mut prefixes = Prefixes::of_expressions();
        for (prefix, uri) in namespaces {
            prefixes.declare(prefix, uri);
        }
        let mut reader = QueryReader {
            text,
            rest: text,
            method,
            depth: 0,
            chained: 0,
            outside: Vec::new(),
            leads_out: false,
            prefixes,
            scope: Vec::new(),
            variables: 0,
        };
        let body = reader.whole()?;
        let QueryReader { outside, leads_out, variables, .. } = reader;
        Ok(Query { body, outside, leads_out, variables })
    }
}

const GENERAL: [(&str, Op); 6] =
    [("!=", Op::Ne), ("<=", Op::Le), (">=", Op::Ge), ("=", Op::Eq), ("<", Op::Lt), (">", Op::Gt)];
const SINGLE: [(&str, Op); 6] = [
    ("eq", Op::Eq),
    ("ne", Op::Ne),
    ("lt", Op::Lt),
    ("le", Op::Le),
    ("gt", Op::Gt),
    ("ge", Op::Ge),
];

impl QueryReader<'_> {
    pub(super) fn error(&self, number: i32, args: &[&dyn std::fmt::Display]) -> Box<SqlError> {
        let place = place(self.method);
        let mut all: Vec<&dyn std::fmt::Display> = vec![&place];
        all.extend_from_slice(args);
        SqlError::new(number, &all)
    }

    /// `a, b, …`, a sequence where there are several.
    fn list(&mut self) -> SqlResult<Expr> {
        let first = self.expression()?;
        if !self.is(",") {
            return Ok(first);
        }
        let mut list = vec![first];
        while self.eat(",") {
            list.push(self.expression()?);
        }
        Ok(Expr::Sequence(list))
    }

    fn expression(&mut self) -> SqlResult<Expr> {
        if self.depth == DEPTH {
            return Err(self.error(2363, &[]));
        }
        self.depth += 1;
        let known = self.scope.len();
        let found = if self.is_clause() {
            self.flwor()
        } else if self.is_words("some", "$") || self.is_words("every", "$") {
            self.quantified()
        } else if self.is_words("if", "(") {
            self.conditional()
        } else {
            self.any()
        };
        self.scope.truncate(known);
        self.depth -= 1;
        found
    }

    /// One more operator, clause or variable of a row: 2363.
    fn chain(&mut self) -> SqlResult<()> {
        self.chained += 1;
        if self.chained > CHAINED { Err(self.error(2363, &[])) } else { Ok(()) }
    }

    fn is_clause(&mut self) -> bool {
        self.is_words("for", "$") || self.is_words("let", "$")
    }

    /// `$name`, a new variable.
    fn new_variable(&mut self) -> SqlResult<String> {
        if !self.eat("$") {
            return Err(self.error(2241, &[]));
        }
        self.plain_name()
    }

    fn declare(&mut self, name: String) -> usize {
        let n = self.variables;
        self.variables += 1;
        self.scope.push((name, n));
        n
    }

    fn expect_word(&mut self, word: &str) -> SqlResult<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => Err(self.error(9303, &[&self.near(), &word])),
        }
    }

    fn flwor(&mut self) -> SqlResult<Expr> {
        let mut clauses = Vec::new();
        while self.is_clause() {
            let each = self.eat_word("for");
            if !each {
                self.eat_word("let");
            }
            loop {
                self.chain()?;
                let name = self.new_variable()?;
                if self.is_words("at", "$") {
                    return Err(self.error(9335, &[&"at"]));
                }
                if self.is_words("as", "") {
                    return Err(self.error(9335, &[&"as"]));
                }
                let of = match each {
                    true => {
                        self.expect_word("in")?;
                        self.expression()?
                    }
                    false if self.eat(":=") => self.expression()?,
                    false => return Err(self.error(9303, &[&self.near(), &":="])),
                };
                let n = self.declare(name);
                clauses.push(if each { Clause::For(n, of) } else { Clause::Let(n, of) });
                if !self.eat(",") {
                    break;
                }
            }
        }
        if self.eat_word("where") {
            clauses.push(Clause::Where(self.expression()?));
        }
        let mut order = Vec::new();
        if self.is_words("stable", "order") {
            self.eat_word("stable");
        }
        if self.eat_word("order") {
            self.expect_word("by")?;
            loop {
                let key = self.expression()?;
                let descending = self.eat_word("descending") || {
                    self.eat_word("ascending");
                    false
                };
                order.push((key, descending));
                if !self.eat(",") {
                    break;
                }
            }
        }
        if !self.eat_word("return") {
            return Err(self.error(9332, &[&self.near()]));
        }
        let result = self.expression()?;
        Ok(Expr::Flwor(Box::new(Flwor { clauses, order, result })))
    }

    fn quantified(&mut self) -> SqlResult<Expr> {
        let every = self.eat_word("every");
        if !every {
            self.eat_word("some");
        }
        let mut bindings = Vec::new();
        loop {
            self.chain()?;
            let name = self.new_variable()?;
            self.expect_word("in")?;
            let of = self.expression()?;
            bindings.push((self.declare(name), of));
            if !self.eat(",") {
                break;
            }
        }
        self.expect_word("satisfies")?;
        Ok(Expr::Quantified(every, bindings, Box::new(self.expression()?)))
    }

    fn conditional(&mut self) -> SqlResult<Expr> {
        self.eat_word("if");
        self.eat("(");
        let condition = self.list()?;
        self.expect(")")?;
        self.expect_word("then")?;
        let then = self.expression()?;
        if !self.eat_word("else") {
            return Err(self.error(2355, &[]));
        }
        Ok(Expr::If(Box::new((condition, then, self.expression()?))))
    }

    fn any(&mut self) -> SqlResult<Expr> {
        let mut list = vec![self.all()?];
        while self.eat_word("or") {
            list.push(self.all()?);
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Expr::Or(list) })
    }

    fn all(&mut self) -> SqlResult<Expr> {
        let mut list = vec![self.comparison()?];
        while self.eat_word("and") {
            list.push(self.comparison()?);
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Expr::And(list) })
    }

    fn comparison(&mut self) -> SqlResult<Expr> {
        let left = self.sum()?;
        for (sign, op) in [("<<", NodeOp::Before), (">>", NodeOp::After)] {
            if self.eat(sign) {
                return Ok(Expr::CompareNodes(op, Box::new((left, self.sum()?))));
            }
        }
        if self.eat_word("is") {
            return Ok(Expr::CompareNodes(NodeOp::Is, Box::new((left, self.sum()?))));
        }
        if self.eat_word("to") {
            return Err(self.error(9335, &[&"to"]));
        }
        let general = GENERAL.iter().find(|(sign, _)| self.eat(sign));
        let (op, form) = match general {
            Some((_, op)) => (*op, CompareForm::General),
            None => match SINGLE.iter().find(|(word, _)| self.eat_word(word)) {
                Some((_, op)) => (*op, CompareForm::Single),
                None => return Ok(left),
            },
        };
        Ok(Expr::Compare(op, form, Box::new((left, self.sum()?))))
    }

    fn sum(&mut self) -> SqlResult<Expr> {
        let mut left = self.product()?;
        loop {
            let op = match () {
                () if self.eat("+") => ArithmeticOp::Add,
                () if self.eat("-") => ArithmeticOp::Subtract,
                () => return Ok(left),
            };
            self.chain()?;
            left = Expr::Arithmetic(op, Box::new((left, self.product()?)));
        }
    }

    fn product(&mut self) -> SqlResult<Expr> {
        let mut left = self.union()?;
        loop {
            let op = match () {
                () if self.eat("*") => ArithmeticOp::Multiply,
                () if self.eat_word("div") => ArithmeticOp::Divide,
                () if self.eat_word("mod") => ArithmeticOp::Modulo,
                () if self.eat_word("idiv") => return Err(self.error(9335, &[&"idiv"])),
                () => return Ok(left),
            };
            self.chain()?;
            left = Expr::Arithmetic(op, Box::new((left, self.union()?)));
        }
    }

    fn union(&mut self) -> SqlResult<Expr> {
        let mut list = vec![self.cast()?];
        while self.eat("|") || self.eat_word("union") {
            list.push(self.cast()?);
        }
        for word in ["intersect", "except"] {
            if self.eat_word(word) {
                return Err(self.error(9335, &[&word]));
            }
        }
        Ok(if list.len() == 1 { list.remove(0) } else { Expr::Union(list) })
    }

    /// `… cast as xs:int?`
    fn cast(&mut self) -> SqlResult<Expr> {
        let inner = self.unary()?;
        for (word, next) in [("instance", "of"), ("treat", "as"), ("castable", "as")] {
            if self.is_words(word, next) {
                return Err(self.error(9335, &[&format!("{word} {next}")]));
            }
        }
        if !self.is_words("cast", "as") {
            return Ok(inner);
        }
        self.eat_word("cast");
        self.eat_word("as");
        let ty = self.type_name()?;
        match self.eat("?") {
            true => Ok(Expr::Cast(ty, Box::new(inner))),
            false => Err(self.error(9301, &[&""])),
        }
    }

    fn type_name(&mut self) -> SqlResult<AtomType> {
        self.blank()?;
        let name = self.qualified_name()?;
        primary::type_of(&name).ok_or_else(|| self.error(2231, &[&name.written(&name.prefix)]))
    }

    fn unary(&mut self) -> SqlResult<Expr> {
        if self.depth == DEPTH {
            return Err(self.error(2363, &[]));
        }
        if self.eat("-") {
            self.depth += 1;
            let inner = self.unary();
            self.depth -= 1;
            return Ok(Expr::Negate(Box::new(inner?)));
        }
        if self.eat("+") {
            self.depth += 1;
            let inner = self.unary();
            self.depth -= 1;
            return inner;
        }
        self.operand()
    }

    /// A primary with its predicates and the steps behind it, or a path.
    fn operand(&mut self) -> SqlResult<Expr> {
        self.blank()?;
        if !self.is_primary() {
            return self.path(Start::Here, false);
        }
        let mut found = self.primary()?;
        let predicates = self.predicates()?;
        if !predicates.is_empty() {
            found = Expr::Filter(Box::new(found), predicates);
        }
        match self.is("/") {
            true => self.path(Start::Inner(Box::new(found)), true),
            false => Ok(found),
        }
    }

    fn path(&mut self, start: Start, begun: bool) -> SqlResult<Expr> {
        let Path { start, steps } = self.steps(start, begun)?;
        Ok(Expr::Path(Path { start, steps }))
    }
}

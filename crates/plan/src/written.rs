//! The bound form of an expression that the catalogue keeps (CHECK, DEFAULT, the filter of an index), and its text.
//!
//! A scalar ([`Expr`](crate::expr::Expr), [`Pred`](crate::expr::Pred)) is made to be computed: constants are folded, CASE has lost its
//! operand, ISNULL and COALESCE are one. A [`Written`] is bound as well: its columns are slots, its dateparts, types and collations are
//! those that the binder found. It keeps the form of the text for the catalogue, which nothing computes.
//!
//! The text is SQL Server's normal form, which tools compare literally:
//!
//! | written | kept |
//! |---|---|
//! | `id in (1, 2)` | `([Id]=(2) OR [Id]=(1))` |
//! | `id between 0 and 2` | `([Id]>=(0) AND [Id]<=(2))` |
//! | `cast(d as char(10))`, `year(d)` | `CONVERT([char](10),[d])`, `datepart(year,[d])` |
//!
//! Names stand in brackets and numbers in parentheses; there are no parentheses but those that are needed.

use crate::expr::Slot;
use crate::names::bracketed;
use crate::text::{apostrophes, compare_sign, float};
use std::fmt::Write;
use taffrail_syntax::ast::{BinaryOp, ExprKind, Literal, OdbcLiteral, UnaryOp};
use taffrail_syntax::ast::{Expr as Syntax, TrimSide};
use taffrail_types::compare::CompareOp;

/// A value or condition in the form that a definition shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// A literal, as it is typed.
    Constant(Literal),
    /// A number with a minus before it.
    Negative(Literal),
    /// `{d '…'}` and its like.
    Odbc(OdbcLiteral, Box<str>),
    /// A column, by its slot.
    Column(Slot),
    /// A `@@variable`, in lower case.
    Global(Box<str>),
    /// NEXT VALUE FOR the sequence of this name, `[dbo].[s]`.
    NextValue(Box<str>),
    /// An operator on one operand that is no number as typed.
    Unary(UnaryOp, Box<Written>),
    /// Operators one after the other, from the left.
    Operators(Box<Written>, Vec<(BinaryOp, Written)>),
    /// CASE; IIF is one without an operand.
    Case(Box<WrittenCase>),
    /// CONVERT, and CAST, which is shown as it.
    Convert(Box<Conversion>),
    /// A call of a function.
    Call(Box<WrittenCall>),
    /// COLLATE with the name of a collation.
    Collate(Box<Written>, Box<str>),
    /// Conditions that all hold; BETWEEN is one, and NOT IN.
    And(Vec<Written>),
    /// Conditions of which one holds; IN is one, and NOT BETWEEN.
    Or(Vec<Written>),
    /// A condition that does not hold.
    Not(Box<Written>),
    /// A comparison of two values.
    Compare(CompareOp, Box<(Written, Written)>),
    /// IS NULL, with the flag IS NOT NULL.
    IsNull(Box<Written>, bool),
    /// IS DISTINCT FROM, with the flag IS NOT DISTINCT FROM.
    IsDistinct(Box<(Written, Written)>, bool),
    /// LIKE: value, pattern and ESCAPE.
    Like(Box<(Written, Written, Option<Written>)>),
    /// IN of a filter, which is shown as a list.
    Among(Box<Written>, Vec<Written>),
}

/// A CASE as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenCase {
    /// The value that is compared with each WHEN, in the simple form.
    pub operand: Option<Written>,
    /// Each WHEN and its THEN.
    pub whens: Vec<(Written, Written)>,
    /// The value of ELSE.
    pub otherwise: Option<Written>,
}

/// A conversion as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// CONVERT, TRY_CONVERT or TRY_CAST.
    pub word: &'static str,
    /// The type as it is shown, `[char](10)`.
    pub ty: Box<str>,
    /// The value that is converted.
    pub value: Written,
    /// The style of CONVERT.
    pub style: Option<Written>,
}

/// A function's call as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenCall {
    /// The function's name as the text shows it: `upper`, `[dbo].[f]`.
    pub name: Box<str>,
    /// The xml value whose method the function is.
    pub target: Option<Written>,
    /// The full name of the datepart, which is the first argument.
    pub datepart: Option<&'static str>,
    /// TRIM of characters from a text: its arguments are the text and the characters.
    pub trim: Option<TrimSide>,
    /// The arguments of the call.
    pub arguments: Vec<Written>,
}

/// Whether a literal is a number, which stands in parentheses.
fn is_number(l: &Literal) -> bool {
    matches!(l, Literal::Int(_) | Literal::Decimal(_) | Literal::Float(_) | Literal::Money(_))
}

impl Written {
    /// A literal, or a number with a sign; none for another expression.
    pub fn constant(e: &Syntax) -> Option<Written> {
        match &e.kind {
            ExprKind::Literal(l) => Some(Written::Constant(l.clone())),
            ExprKind::Unary(op, operand) => match (op, &operand.kind) {
                (UnaryOp::Minus, ExprKind::Literal(l)) if is_number(l) => {
                    Some(Written::Negative(l.clone()))
                }
                (UnaryOp::Plus, ExprKind::Literal(l)) if is_number(l) => {
                    Some(Written::Constant(l.clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The text of the definition, in parentheses. `columns`: the name of each slot.
    pub fn definition(&self, columns: &[&str]) -> String {
        let mut printer = Printer { columns, out: "(".into() };
        printer.written(self, Place::Top);
        printer.out.push(')');
        printer.out
    }
}

/// The surroundings of an expression, as far as they decide whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Place {
    Top,
    Or,
    And,
    Not,
    /// Operand of a comparison, argument: no value needs parentheses.
    Value,
    /// Left and right of `+ - & | ^`.
    Sum,
    SumRight,
    /// Left and right of `* / %`.
    Product,
    ProductRight,
    /// Of an operator with one operand, of COLLATE.
    Unary,
}

/// The sign of an operator, the place of its left operand and that of its right one.
fn operator(op: BinaryOp) -> (&'static str, Place, Place) {
    match op {
        BinaryOp::Add => ("+", Place::Sum, Place::SumRight),
        BinaryOp::Subtract => ("-", Place::Sum, Place::SumRight),
        BinaryOp::BitAnd => ("&", Place::Sum, Place::SumRight),
        BinaryOp::BitOr => ("|", Place::Sum, Place::SumRight),
        BinaryOp::BitXor => ("^", Place::Sum, Place::SumRight),
        BinaryOp::Concat => ("||", Place::Sum, Place::SumRight),
        BinaryOp::ShiftLeft => ("<<", Place::Sum, Place::SumRight),
        BinaryOp::ShiftRight => (">>", Place::Sum, Place::SumRight),
        BinaryOp::Multiply => ("*", Place::Product, Place::ProductRight),
        BinaryOp::Divide => ("/", Place::Product, Place::ProductRight),
        BinaryOp::Modulo => ("%", Place::Product, Place::ProductRight),
    }
}

struct Printer<'a> {
    columns: &'a [&'a str],
    out: String,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn grouped(&mut self, brackets: bool, f: impl FnOnce(&mut Self)) {
        if brackets {
            self.out.push('(');
        }
        f(self);
        if brackets {
            self.out.push(')');
        }
    }

    fn written(&mut self, w: &Written, place: Place) {
        match w {
            Written::Constant(l) => self.constant(l),
            Written::Negative(l) => self.grouped(true, |p| {
                p.put("-");
                p.literal(l);
            }),
            Written::Odbc(kind, text) => {
                let word = match kind {
                    OdbcLiteral::Date => "d",
                    OdbcLiteral::Time => "t",
                    OdbcLiteral::Timestamp => "ts",
                    OdbcLiteral::Guid => "guid",
                };
                self.put(&format!("{{{word} {}}}", apostrophes(text)));
            }
            Written::Column(slot) => {
                let name = self.columns.get(*slot as usize).copied().unwrap_or_default();
                self.put(&bracketed(name));
            }
            Written::Global(name) => self.put(name),
            Written::NextValue(name) => {
                self.put("NEXT VALUE FOR ");
                self.put(name);
            }
            Written::Unary(op, operand) => self.unary(*op, operand),
            Written::Operators(first, rest) => self.operators(first, rest, place),
            Written::Case(c) => self.case(c),
            Written::Convert(c) => self.conversion(c),
            Written::Call(c) => self.call(c),
            Written::Collate(operand, name) => {
                self.written(operand, Place::Unary);
                self.put(&format!(" collate {name}"));
            }
            condition => self.condition(condition, place),
        }
    }

    fn condition(&mut self, w: &Written, place: Place) {
        match w {
            Written::And(list) => self.joined(list, Place::And, " AND ", place),
            Written::Or(list) => self.joined(list, Place::Or, " OR ", place),
            Written::Not(inner) => {
                self.put("NOT ");
                self.written(inner, Place::Not);
            }
            Written::Compare(op, both) => self.both(both, compare_sign(*op)),
            Written::IsNull(operand, negated) => {
                self.written(operand, Place::Value);
                self.put(if *negated { " IS NOT NULL" } else { " IS NULL" });
            }
            Written::IsDistinct(both, negated) => {
                let words = if *negated { " IS NOT DISTINCT FROM " } else { " IS DISTINCT FROM " };
                self.both(both, words);
            }
            Written::Like(like) => {
                let (value, pattern, escape) = &**like;
                self.written(value, Place::Value);
                self.put(" like ");
                self.written(pattern, Place::Value);
                if let Some(escape) = escape {
                    self.put(" escape ");
                    self.written(escape, Place::Value);
                }
            }
            Written::Among(value, list) => {
                self.written(value, Place::Value);
                self.put(" IN (");
                self.arguments(list, ", ");
                self.put(")");
            }
            value => self.written(value, place),
        }
    }

    fn both(&mut self, both: &(Written, Written), between: &str) {
        self.written(&both.0, Place::Value);
        self.put(between);
        self.written(&both.1, Place::Value);
    }

    /// AND or OR. A group of the same kind keeps its parentheses on the right, and loses them on the left: it binds there as it stands.
    fn joined(&mut self, list: &[Written], own: Place, word: &str, place: Place) {
        self.grouped(place >= own, |p| {
            for (n, w) in list.iter().enumerate() {
                if n > 0 {
                    p.put(word);
                }
                let binds = own == Place::Or || matches!(w, Written::And(_));
                p.written(w, if n == 0 && binds { Place::Top } else { own });
            }
        });
    }

    fn constant(&mut self, l: &Literal) {
        self.grouped(is_number(l), |p| p.literal(l));
    }

    fn literal(&mut self, l: &Literal) {
        let text = match l {
            Literal::Null => "NULL".into(),
            Literal::Int(n) => n.to_string(),
            Literal::Decimal(digits) => digits.to_string(),
            Literal::Float(n) => float(*n),
            Literal::Money(digits) => format!("${digits}"),
            Literal::String(s) => apostrophes(s),
            Literal::NString(s) => format!("N{}", apostrophes(s)),
            Literal::Binary(bytes) => taffrail_types::text::hex(bytes, true),
        };
        self.put(&text);
    }

    fn unary(&mut self, op: UnaryOp, operand: &Written) {
        self.put(match op {
            UnaryOp::Minus => "-",
            UnaryOp::Plus => "+",
            UnaryOp::BitNot => "~",
        });
        // `--` would begin a comment.
        let signed = matches!(operand, Written::Unary(inner, _) if *inner == op);
        self.grouped(signed, |p| p.written(operand, Place::Unary));
    }

    /// A chain may be thousands of operators long: there is no recursion along it.
    fn operators(&mut self, first: &Written, rest: &[(BinaryOp, Written)], place: Place) {
        let begin = self.out.len();
        let mut before = None;
        for (n, (op, operand)) in rest.iter().enumerate() {
            let (sign, left, right) = operator(*op);
            match before {
                None => self.written(first, left),
                // The operator before binds less than this one.
                Some(weaker) if left > weaker => {
                    self.out.insert(begin, '(');
                    self.put(")");
                }
                Some(_) => {}
            }
            self.put(sign);
            self.written(operand, right);
            before = Some(left);
            if n + 1 == rest.len() && place > left {
                self.out.insert(begin, '(');
                self.put(")");
            }
        }
    }

    fn case(&mut self, c: &WrittenCase) {
        self.put("case");
        if let Some(operand) = &c.operand {
            self.put(" ");
            self.written(operand, Place::Value);
        }
        for (when, then) in &c.whens {
            self.put(" when ");
            self.written(when, Place::Top);
            self.put(" then ");
            self.written(then, Place::Value);
        }
        match &c.otherwise {
            Some(otherwise) => {
                self.put(" else ");
                self.written(otherwise, Place::Value);
                self.put(" end");
            }
            None => self.put("  end"),
        }
    }

    fn conversion(&mut self, c: &Conversion) {
        let _ = write!(self.out, "{}(", c.word);
        if c.word == "TRY_CAST" {
            self.written(&c.value, Place::Value);
            let _ = write!(self.out, " AS {})", c.ty);
            return;
        }
        let _ = write!(self.out, "{},", c.ty);
        self.written(&c.value, Place::Value);
        if let Some(style) = &c.style {
            self.put(",");
            self.written(style, Place::Value);
        }
        self.put(")");
    }

    fn call(&mut self, c: &WrittenCall) {
        if let Some(target) = &c.target {
            self.written(target, Place::Unary);
            self.put(".");
        }
        let _ = write!(self.out, "{}(", c.name);
        if let (Some(side), [text, characters]) = (c.trim, &c.arguments[..]) {
            self.put(match side {
                TrimSide::Leading => "leading ",
                TrimSide::Trailing => "trailing ",
                TrimSide::Both => "",
            });
            self.written(characters, Place::Value);
            self.put(" from ");
            self.written(text, Place::Value);
        } else {
            if let Some(part) = c.datepart {
                self.put(part);
                self.put(if c.arguments.is_empty() { "" } else { "," });
            }
            self.arguments(&c.arguments, ",");
        }
        self.put(")");
    }

    fn arguments(&mut self, list: &[Written], comma: &str) {
        for (n, w) in list.iter().enumerate() {
            if n > 0 {
                self.put(comma);
            }
            self.written(w, Place::Value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: i32) -> Written {
        Written::Constant(Literal::Int(n))
    }

    fn sum(first: Written, op: BinaryOp, last: Written) -> Written {
        Written::Operators(Box::new(first), vec![(op, last)])
    }

    fn shown(w: &Written) -> String {
        w.definition(&["a", "b]"])
    }

    #[test]
    fn operands_stand_in_parentheses_where_they_must() {
        let (a, b) = (Written::Column(0), Written::Column(1));
        let plus = |l: &Written, r: &Written| sum(l.clone(), BinaryOp::Add, r.clone());
        let times = |l: &Written, r: &Written| sum(l.clone(), BinaryOp::Multiply, r.clone());
        assert_eq!(shown(&plus(&a, &plus(&b, &a))), "([a]+([b]]]+[a]))");
        assert_eq!(shown(&plus(&plus(&a, &b), &a)), "([a]+[b]]]+[a])");
        assert_eq!(shown(&times(&plus(&a, &b), &a)), "(([a]+[b]]])*[a])");
        assert_eq!(shown(&times(&a, &times(&b, &a))), "([a]*([b]]]*[a]))");
        let chain = vec![(BinaryOp::Add, b.clone()), (BinaryOp::Multiply, number(2))];
        let chain = Written::Operators(Box::new(a.clone()), chain);
        assert_eq!(shown(&chain), "(([a]+[b]]])*(2))");
        assert_eq!(shown(&times(&a, &chain)), "([a]*(([a]+[b]]])*(2)))");
        let minus = |w| Written::Unary(UnaryOp::Minus, Box::new(w));
        assert_eq!(shown(&minus(minus(a))), "(-(-[a]))");
        assert_eq!(shown(&minus(Written::Negative(Literal::Int(1)))), "(-(-1))");
    }

    #[test]
    fn groups_lose_their_parentheses_on_the_left() {
        let is = |n| Written::Compare(CompareOp::Eq, Box::new((Written::Column(0), number(n))));
        let and = |l, r| Written::And(vec![l, r]);
        let or = |l, r| Written::Or(vec![l, r]);
        assert_eq!(shown(&and(and(is(1), is(2)), is(3))), "([a]=(1) AND [a]=(2) AND [a]=(3))");
        assert_eq!(shown(&and(is(1), and(is(2), is(3)))), "([a]=(1) AND ([a]=(2) AND [a]=(3)))");
        assert_eq!(shown(&and(or(is(1), is(2)), is(3))), "(([a]=(1) OR [a]=(2)) AND [a]=(3))");
        assert_eq!(shown(&or(and(is(1), is(2)), is(3))), "([a]=(1) AND [a]=(2) OR [a]=(3))");
        assert_eq!(shown(&or(is(1), or(is(2), is(3)))), "([a]=(1) OR ([a]=(2) OR [a]=(3)))");
        assert_eq!(shown(&Written::Not(Box::new(or(is(1), is(2))))), "(NOT ([a]=(1) OR [a]=(2)))");
    }

    #[test]
    fn constants_are_shown_as_they_are_typed() {
        for (typed, kept) in [
            (Literal::Int(7), "((7))"),
            (Literal::Decimal("0.50".into()), "((0.50))"),
            (Literal::Float(1e3), "((1.0000000000000000e+003))"),
            (Literal::Money("1.5".into()), "(($1.5))"),
            (Literal::String("it's".into()), "('it''s')"),
            (Literal::NString("x".into()), "(N'x')"),
            (Literal::Binary([0, 255].into()), "(0x00FF)"),
            (Literal::Null, "(NULL)"),
        ] {
            assert_eq!(shown(&Written::Constant(typed)), kept);
        }
    }
}

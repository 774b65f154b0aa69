//! Scalars as elements: `ScalarOperator` with the text of the whole, and the tree of its parts.

use super::xml::Xml;
use crate::expr::{Call, Case, Cast, Chain, Compare, CompareOp, Expr, InList, Part, Pred, Slot};
use crate::names::Reference;
use crate::node::{Agg, WindowFunction};
use crate::text::Scalars;
use taffrail_types::arith::{BinaryOp, UnaryOp};
use taffrail_types::{Conversion, SqlType};

/// A longer list of conditions or branches is a flat list of its parts: each would be nested in the one before.
const NESTED: usize = 8;

/// An element that says the value of an attribute, with operands.
fn of(name: &'static str, attribute: &'static str, value: &str, operands: Vec<Xml>) -> Xml {
    Xml::new(name).attr(attribute, value).all(operands)
}

fn intrinsic(name: &str, operands: Vec<Xml>) -> Xml {
    of("Intrinsic", "FunctionName", name, operands)
}

fn constant(text: &str) -> Xml {
    Xml::new("Const").attr("ConstValue", text)
}

fn nested(inner: Xml) -> Xml {
    Xml::new("ScalarOperator").with(inner)
}

/// A variable, a subquery or another value that has a name and no table.
fn named(name: &str) -> Xml {
    Xml::new("Identifier").with(Xml::new("ColumnReference").attr("Column", name))
}

/// The column that stands for a subquery's result.
pub(super) fn subquery_column(number: u32) -> String {
    format!("Subquery{number}")
}

fn compared(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "EQ",
        CompareOp::Ne => "NE",
        CompareOp::Lt => "LT",
        CompareOp::Le => "LE",
        CompareOp::Gt => "GT",
        CompareOp::Ge => "GE",
    }
}

fn calculated(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "ADD",
        BinaryOp::Subtract => "SUB",
        BinaryOp::Multiply => "MULT",
        BinaryOp::Divide => "DIV",
        BinaryOp::Modulo => "MOD",
        BinaryOp::BitAnd => "BIT_AND",
        BinaryOp::BitOr => "BIT_OR",
        BinaryOp::BitXor => "BIT_XOR",
    }
}

impl Scalars<'_> {
    /// `ColumnReference` of a slot.
    pub(super) fn reference(self, slot: Slot) -> Xml {
        let own = |name: String| Xml::new("ColumnReference").attr("Column", name);
        let Some(names) = self.names else { return own(format!("Expr{slot}")) };
        match names.reference(slot) {
            Reference::Own(name) => own(name),
            Reference::Column { object, alias, column } => {
                let x = Xml::new("ColumnReference");
                object_attributes(x, object, alias).attr("Column", column)
            }
        }
    }

    /// `ScalarOperator` of a value.
    pub(super) fn operator(self, e: &Expr) -> Xml {
        Xml::new("ScalarOperator").attr("ScalarString", self.expr(e)).with(self.value(e))
    }

    /// `ScalarOperator` of a condition.
    pub(super) fn condition(self, p: &Pred) -> Xml {
        Xml::new("ScalarOperator").attr("ScalarString", self.pred(p)).with(self.test(p))
    }

    /// `ScalarOperator` of an aggregate.
    pub(super) fn aggregated(self, a: &Agg) -> Xml {
        Xml::new("ScalarOperator")
            .attr("ScalarString", self.aggregate(a))
            .with(self.aggregate_of(a))
    }

    /// `ScalarOperator` of a window function, whose text says its frame.
    pub(super) fn over_window(self, f: &WindowFunction, text: &str) -> Xml {
        let inner = match f {
            WindowFunction::Aggregate(a) => self.aggregate_of(a),
            f => {
                let text = self.window(f);
                let name = text.split('(').next().unwrap_or_default().to_ascii_lowercase();
                Xml::new("Sequence").attr("FunctionName", name)
            }
        };
        Xml::new("ScalarOperator").attr("ScalarString", text).with(inner)
    }

    fn aggregate_of(self, a: &Agg) -> Xml {
        let text = self.aggregate(a);
        let name = match text.as_str() {
            "COUNT(*)" => "countstar",
            "COUNT_BIG(*)" => "COUNT_BIG*",
            text => text.split('(').next().unwrap_or_default(),
        };
        let operands = a.arg.iter().chain(&a.separator).map(|e| self.part(e));
        Xml::new("Aggregate")
            .attr("AggType", name)
            .attr("Distinct", u8::from(a.distinct))
            .all(operands)
    }

    fn part(self, e: &Expr) -> Xml {
        nested(self.value(e))
    }

    fn parts<'e>(self, list: impl IntoIterator<Item = &'e Expr>) -> Vec<Xml> {
        list.into_iter().map(|e| self.part(e)).collect()
    }

    fn value(self, e: &Expr) -> Xml {
        let sum = |op, pair: &(Expr, Expr)| {
            of("Arithmetic", "Operation", calculated(op), self.parts([&pair.0, &pair.1]))
        };
        match e {
            Expr::Const(_) => constant(&self.expr(e)),
            Expr::Slot(s) => Xml::new("Identifier").with(self.reference(*s)),
            Expr::Var(_) | Expr::Global(_) | Expr::Named(_) => {
                named(self.expr(e).trim_matches(['[', ']']))
            }
            Expr::Arith(a) => {
                of("Arithmetic", "Operation", calculated(a.op.op), self.parts([&a.left, &a.right]))
            }
            Expr::AddInt(p) => sum(BinaryOp::Add, p),
            Expr::SubInt(p) => sum(BinaryOp::Subtract, p),
            Expr::Concat(c) => {
                let add = calculated(BinaryOp::Add);
                of("Arithmetic", "Operation", add, self.parts([&c.left, &c.right]))
            }
            Expr::Unary(UnaryOp::Plus, e) => self.value(e),
            Expr::Unary(op, e) => {
                let name = if *op == UnaryOp::Minus { "MINUS" } else { "BIT_NOT" };
                of("Arithmetic", "Operation", name, self.parts([&**e]))
            }
            Expr::Cast(c) => self.converted(c),
            Expr::IntToVarchar(e) => {
                let to = SqlType::varchar(30);
                conversion(to, "0", false).with(self.part(e))
            }
            Expr::Case(c) => self.case(c),
            Expr::Call(c) => self.built_in(c),
            Expr::NextValue(_) => intrinsic("next value for", vec![nested(named(&self.expr(e)))]),
            Expr::UserCall(c) => {
                let text = self.expr(e);
                let name = text.split('(').next().unwrap_or_default();
                let args = self.parts(&c.args);
                of("UserDefinedFunction", "FunctionName", name, args)
            }
            Expr::Subquery(s) => named(&subquery_column(s.index + 1)),
            Expr::Coalesce(list) => intrinsic("coalesce", self.parts(list)),
            Expr::Collate(c) => self.value(&c.0),
            Expr::Chain(c) => self.chained(c),
            Expr::Carried => constant("…"),
        }
    }

    fn converted(self, c: &Cast) -> Xml {
        let style = match &c.style {
            Some(style) => self.expr(style).trim_matches(['(', ')']).to_string(),
            None => "0".into(),
        };
        // One that is computed has no number.
        let style = if style.parse::<i32>().is_ok() { style } else { "0".into() };
        conversion(c.to, &style, c.conversion == Conversion::Implicit).with(self.part(&c.value))
    }

    fn built_in(self, c: &Call) -> Xml {
        let part = c.function.datepart.map(|p| nested(constant(p.name())));
        let args = part.into_iter().chain(self.parts(&c.args)).collect();
        intrinsic(&c.function.name().to_ascii_lowercase(), args)
    }

    fn case(self, c: &Case) -> Xml {
        let otherwise = match &c.otherwise {
            Some(e) => self.value(e),
            None => constant("NULL"),
        };
        if c.whens.len() > NESTED {
            let each = c.whens.iter().flat_map(|(p, e)| [nested(self.test(p)), self.part(e)]);
            return Xml::new("ScalarExpressionList").all(each).with(nested(otherwise));
        }
        c.whens.iter().rev().fold(otherwise, |otherwise, (p, e)| {
            Xml::new("IF")
                .with(Xml::new("Condition").with(nested(self.test(p))))
                .with(Xml::new("Then").with(self.part(e)))
                .with(Xml::new("Else").with(nested(otherwise)))
        })
    }

    /// Its operands: a tree of thousands of operators would be as deep.
    fn chained(self, c: &Chain) -> Xml {
        let mut list = vec![self.part(&c.first)];
        for step in &c.steps {
            step.children(&mut |p| match p {
                Part::Expr(Expr::Carried) => {}
                Part::Expr(e) => list.push(self.part(e)),
                Part::Pred(p) => list.push(nested(self.test(p))),
                Part::Plan(s) => list.push(nested(named(&subquery_column(s.index + 1)))),
            });
        }
        Xml::new("ScalarExpressionList").all(list)
    }

    fn comparison(self, c: &Compare, op: &str) -> Xml {
        of("Compare", "CompareOp", op, self.parts([&c.left, &c.right]))
    }

    fn among(self, l: &InList) -> Xml {
        let one = |e: &Expr| {
            let equal = of("Compare", "CompareOp", "EQ", self.parts([&l.value, e]));
            nested(equal)
        };
        match &l.list[..] {
            [e] => of("Compare", "CompareOp", "EQ", self.parts([&l.value, e])),
            list => of("Logical", "Operation", "OR", list.iter().map(one).collect()),
        }
    }

    fn test(self, p: &Pred) -> Xml {
        let all = |list: &[Pred]| list.iter().map(|p| nested(self.test(p))).collect::<Vec<_>>();
        let null = |e: &Expr, op| {
            of("Compare", "CompareOp", op, vec![self.part(e), nested(constant("NULL"))])
        };
        let asked = |value: &Expr, word: &str, index: u32| {
            intrinsic(word, vec![self.part(value), nested(named(&subquery_column(index + 1)))])
        };
        match p {
            Pred::Const(_) => constant(&self.pred(p)),
            Pred::Compare(c) => self.comparison(c, compared(c.op)),
            Pred::NullsEqual(c, _) if c.op == CompareOp::Eq => self.comparison(c, "IS"),
            Pred::NullsEqual(c, _) => self.comparison(c, "IS NOT"),
            Pred::And(list) => of("Logical", "Operation", "AND", all(list)),
            Pred::Or(list) => of("Logical", "Operation", "OR", all(list)),
            Pred::Not(p) => match &**p {
                Pred::IsNull(e) => null(e, "IS NOT"),
                p => of("Logical", "Operation", "NOT", vec![nested(self.test(p))]),
            },
            Pred::IsNull(e) => null(e, "IS"),
            Pred::Like(l) => {
                let args = [&l.value, &l.pattern].into_iter().chain(&l.escape);
                intrinsic("like", self.parts(args))
            }
            Pred::InList(l) => self.among(l),
            Pred::InSubquery(s) => asked(&s.value, "in", s.plan.index),
            Pred::Quantified(q) => asked(&q.value, if q.all { "all" } else { "any" }, q.plan.index),
            Pred::Exists(s) => {
                intrinsic("exists", vec![nested(named(&subquery_column(s.index + 1)))])
            }
        }
    }
}

/// Adds the attributes that name a table, and its alias.
pub(super) fn object_attributes(x: Xml, object: &[String], alias: Option<&str>) -> Xml {
    let names: &[&'static str] = match object.len() {
        3 => &["Database", "Schema", "Table"],
        2 => &["Schema", "Table"],
        _ => &["Table"],
    };
    let x = names.iter().zip(object).fold(x, |x, (name, part)| x.attr(name, part));
    match alias {
        Some(alias) => x.attr("Alias", crate::names::bracketed(alias)),
        None => x,
    }
}

/// `Convert` to a type, without what is converted.
fn conversion(to: SqlType, style: &str, implicit: bool) -> Xml {
    let text = to.to_string();
    let x = Xml::new("Convert").attr("DataType", text.split('(').next().unwrap_or_default());
    let x = match to {
        SqlType::Decimal { precision, scale } | SqlType::Numeric { precision, scale } => {
            x.attr("Precision", precision).attr("Scale", scale)
        }
        SqlType::Time(n) | SqlType::DateTime2(n) | SqlType::DateTimeOffset(n) => x.attr("Scale", n),
        to if text.contains('(') => {
            x.attr("Length", if to.is_max() { -1 } else { to.max_length() })
        }
        _ => x,
    };
    x.attr("Style", style).attr("Implicit", u8::from(implicit))
}

//! Scalars as text: T-SQL with the conversions that the binder put in, parentheses only where they are needed.
//!
//! There are two ways to write: as a bound tree shows them (`a.id = 5`), and as SQL Server's text plans do
//! (`[db].[dbo].[t].[id] as [a].[id]=(5)`).

mod parts;

use crate::expr::{
    Case, Cast, Compare, CompareOp, Expr, Global, InList, Like, Pred, Slot, Subquery,
};
use crate::names::{Length, Names, bracketed};
use crate::node::{Agg, AggFunction, SortKey, WindowFrame, WindowFunction, WindowItem};
use std::fmt::Write;
use taffrail_types::arith::{BinaryOp, UnaryOp};
use taffrail_types::{Conversion, SqlType, Value, convert};

/// Of a longer list of values only the first are written.
const SHOWN: usize = 8;

/// How strongly an expression holds together: what binds less than its surroundings stands in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Unary,
    Whole,
}

/// The way in which scalars are written.
#[derive(Clone, Copy)]
pub(crate) struct Scalars<'n> {
    /// The names of columns and variables; without them they are numbers.
    pub names: Option<&'n Names>,
    /// How; any but [`Length::Plain`] is SQL Server's.
    pub length: Length,
}

/// A subquery where an expression reads it.
pub fn subquery(s: &Subquery) -> String {
    format!("subquery {}", s.index + 1)
}

/// The operators of comparisons.
pub(crate) fn compare_sign(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "=",
        CompareOp::Ne => "<>",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

fn sign(op: BinaryOp) -> (&'static str, Binding) {
    match op {
        BinaryOp::Add => ("+", Binding::Sum),
        BinaryOp::Subtract => ("-", Binding::Sum),
        BinaryOp::BitAnd => ("&", Binding::Sum),
        BinaryOp::BitOr => ("|", Binding::Sum),
        BinaryOp::BitXor => ("^", Binding::Sum),
        BinaryOp::Multiply => ("*", Binding::Product),
        BinaryOp::Divide => ("/", Binding::Product),
        BinaryOp::Modulo => ("%", Binding::Product),
    }
}

/// The binding that the right operand of a sum or product must have.
fn right_of(binding: Binding) -> Binding {
    match binding {
        Binding::Sum => Binding::Product,
        _ => Binding::Unary,
    }
}

/// A value as plans show it: `(5)`, `N'x'`.
pub fn literal(v: &Value) -> String {
    Scalars { names: None, length: Length::Long }.expr(&Expr::Const(v.clone()))
}

/// A list with commas between.
pub fn list<T>(items: impl IntoIterator<Item = T>, one: impl FnMut(T) -> String) -> String {
    items.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A text as a literal.
pub fn apostrophes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// `1.0000000000000000e+001`, as SQL Server shows floats.
pub fn float(n: f64) -> String {
    let text = format!("{n:.16e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:03}", exponent.abs())
}

/// The type whose text a value is written as, for those that are written as text.
fn dated(v: &Value) -> Option<SqlType> {
    Some(match v {
        Value::Date(_) => SqlType::Date,
        Value::Time(_) => SqlType::Time(7),
        Value::DateTime { .. } => SqlType::DateTime,
        Value::SmallDateTime { .. } => SqlType::SmallDateTime,
        Value::DateTime2 { .. } => SqlType::DateTime2(7),
        Value::DateTimeOffset { .. } => SqlType::DateTimeOffset(7),
        Value::Guid(_) => SqlType::UniqueIdentifier,
        _ => return None,
    })
}

impl Scalars<'_> {
    fn is_plain(self) -> bool {
        self.length == Length::Plain
    }

    /// The name of a slot.
    pub fn slot(self, slot: Slot) -> String {
        match self.names {
            Some(names) => names.slot(slot, self.length),
            None => format!("#{slot}"),
        }
    }

    /// The name of a variable.
    pub fn variable(self, number: u32) -> String {
        let name = match self.names {
            Some(names) => names.variable(number),
            None => format!("@{number}"),
        };
        if self.is_plain() { name } else { bracketed(&name) }
    }

    /// The text of a value.
    pub fn expr(self, e: &Expr) -> String {
        let mut out = String::new();
        Writer { with: self, out: &mut out, carried: None }.expr(e, Binding::Or);
        out
    }

    /// The text of a condition.
    pub fn pred(self, p: &Pred) -> String {
        let mut out = String::new();
        Writer { with: self, out: &mut out, carried: None }.pred(p, Binding::Or);
        out
    }

    /// Conditions that must all hold.
    pub fn conditions(self, all: &[Pred]) -> String {
        let mut out = String::new();
        let mut writer = Writer { with: self, out: &mut out, carried: None };
        match all {
            [one] => writer.pred(one, Binding::Or),
            all => writer.joined(all, " AND ", Binding::And, Binding::Or),
        }
        out
    }

    /// A key of an order.
    pub fn key(self, k: &SortKey) -> String {
        let e = self.expr(&k.expr);
        match (k.descending, self.is_plain()) {
            (true, _) => format!("{e} DESC"),
            (false, true) => e,
            (false, false) => format!("{e} ASC"),
        }
    }

    /// A value, where it goes to a slot: `name = value`.
    pub fn defined(self, value: &str, slot: Slot) -> String {
        match self.is_plain() {
            true => format!("{} = {value}", self.slot(slot)),
            false => format!("{}={value}", self.slot(slot)),
        }
    }

    /// The text of an aggregate.
    pub fn aggregate(self, a: &Agg) -> String {
        let name = match a.function {
            AggFunction::CountStar if a.int_count => return "COUNT(*)".into(),
            AggFunction::CountStar => return "COUNT_BIG(*)".into(),
            AggFunction::Count if a.int_count => "COUNT",
            AggFunction::Count | AggFunction::CountBig => "COUNT_BIG",
            AggFunction::Sum => "SUM",
            AggFunction::Avg => "AVG",
            AggFunction::Min => "MIN",
            AggFunction::Max => "MAX",
            AggFunction::StDev => "STDEV",
            AggFunction::StDevP => "STDEVP",
            AggFunction::Var => "VAR",
            AggFunction::VarP => "VARP",
            AggFunction::StringAgg => "STRING_AGG",
            AggFunction::ChecksumAgg => "CHECKSUM_AGG",
            AggFunction::PercentileCont => "APPROX_PERCENTILE_CONT",
            AggFunction::PercentileDisc => "APPROX_PERCENTILE_DISC",
        };
        let distinct = if a.distinct { "DISTINCT " } else { "" };
        let args = list(a.arg.iter().chain(&a.separator), |e| self.expr(e));
        let order = match a.order.is_empty() {
            true => String::new(),
            false => format!(" WITHIN GROUP (ORDER BY {})", list(&a.order, |k| self.key(k))),
        };
        format!("{name}({distinct}{args}){order}")
    }

    /// A window function, without its window.
    pub fn window(self, f: &WindowFunction) -> String {
        let nulls = |ignored: bool| if ignored { " IGNORE NULLS" } else { "" };
        match f {
            WindowFunction::RowNumber => "ROW_NUMBER()".into(),
            WindowFunction::Rank => "RANK()".into(),
            WindowFunction::DenseRank => "DENSE_RANK()".into(),
            WindowFunction::PercentRank => "PERCENT_RANK()".into(),
            WindowFunction::CumeDist => "CUME_DIST()".into(),
            WindowFunction::Percentile { fraction, value, continuous } => {
                let name = if *continuous { "PERCENTILE_CONT" } else { "PERCENTILE_DISC" };
                format!("{name}({})", list([value, fraction], |e| self.expr(e)))
            }
            WindowFunction::Ntile(n) => format!("NTILE({})", self.expr(n)),
            WindowFunction::Offset { value, offset, lead, default, ignore_nulls } => {
                let name = if *lead { "LEAD" } else { "LAG" };
                let args = list([value, offset].into_iter().chain(default), |e| self.expr(e));
                format!("{name}({args}){}", nulls(*ignore_nulls))
            }
            WindowFunction::Edge { value, last, ignore_nulls } => {
                let name = if *last { "LAST_VALUE" } else { "FIRST_VALUE" };
                format!("{name}({}){}", self.expr(value), nulls(*ignore_nulls))
            }
            WindowFunction::Aggregate(a) => self.aggregate(a),
        }
    }
}

/// The frame of a window function, where it has one that is not the whole partition.
pub fn frame(item: &WindowItem) -> Option<String> {
    if !matches!(item.function, WindowFunction::Aggregate(_) | WindowFunction::Edge { .. }) {
        return None;
    }
    let end = |n: Option<i64>, unbounded: &str| match n {
        None => format!("UNBOUNDED {unbounded}"),
        Some(0) => "CURRENT ROW".into(),
        Some(n) if n < 0 => format!("{} PRECEDING", n.unsigned_abs()),
        Some(n) => format!("{n} FOLLOWING"),
    };
    match item.frame {
        WindowFrame::Partition => None,
        WindowFrame::RangeToCurrent => {
            Some("RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW".into())
        }
        WindowFrame::RangeFromCurrent => {
            Some("RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING".into())
        }
        WindowFrame::Peers => Some("RANGE BETWEEN CURRENT ROW AND CURRENT ROW".into()),
        WindowFrame::Rows(from, to) => {
            Some(format!("ROWS BETWEEN {} AND {}", end(from, "PRECEDING"), end(to, "FOLLOWING")))
        }
    }
}

struct Writer<'w> {
    with: Scalars<'w>,
    out: &'w mut String,
    /// The text of a chain so far, and how it binds.
    carried: Option<(String, Binding)>,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// In parentheses where `own` binds less than `around`.
    fn within(&mut self, own: Binding, around: Binding, f: impl FnOnce(&mut Self)) {
        let parted = own < around;
        if parted {
            self.out.push('(');
        }
        f(self);
        if parted {
            self.out.push(')');
        }
    }

    fn value(&mut self, v: &Value) {
        let plain = self.with.is_plain();
        let text = match v {
            Value::Null => "NULL".into(),
            Value::VarChar(_) => apostrophes(&v.as_text().unwrap_or_default()),
            Value::NVarChar(_) => format!("N{}", apostrophes(&v.as_text().unwrap_or_default())),
            Value::Binary(b) => taffrail_types::text::hex(b, true),
            Value::Bit(b) => u8::from(*b).to_string(),
            Value::Decimal(d) => d.to_string(),
            Value::Money(m) => {
                let sign = if *m < 0 { "-" } else { "" };
                let m = m.unsigned_abs();
                format!("${sign}{}.{:04}", m / 10_000, m % 10_000)
            }
            Value::Real(n) if plain => format!("{n:e}"),
            Value::Float(n) if plain => format!("{n:e}"),
            Value::Real(n) => float(f64::from(*n)),
            Value::Float(n) => float(*n),
            Value::Variant(inner) => return self.value(&inner.1),
            other => match (dated(other), other.as_i64()) {
                (Some(ty), _) => {
                    let to = SqlType::NVARCHAR_MAX;
                    let text = convert::cast(other, ty, to, Some(121), Conversion::Explicit);
                    let text =
                        text.or_else(|_| convert::cast(other, ty, to, None, Conversion::Explicit));
                    let text = text.ok().and_then(|t| t.as_text());
                    return self.put(&apostrophes(&text.unwrap_or_default()));
                }
                (None, n) => n.map(|n| n.to_string()).unwrap_or_default(),
            },
        };
        let is_number = !matches!(v, Value::Null | Value::VarChar(_) | Value::NVarChar(_));
        match plain || !is_number {
            true => self.put(&text),
            false => self.put(&format!("({text})")),
        }
    }

    fn binary(&mut self, sign: &str, own: Binding, l: &Expr, r: &Expr, around: Binding) {
        let blank = if self.with.is_plain() { " " } else { "" };
        self.within(own, around, |w| {
            w.expr(l, own);
            w.put(&format!("{blank}{sign}{blank}"));
            w.expr(r, right_of(own));
        });
    }

    fn call<'e>(&mut self, name: &str, args: impl IntoIterator<Item = &'e Expr>) {
        self.put(name);
        self.out.push('(');
        self.args(args);
        self.out.push(')');
    }

    fn args<'e>(&mut self, args: impl IntoIterator<Item = &'e Expr>) {
        let comma = if self.with.is_plain() { ", " } else { "," };
        for (n, e) in args.into_iter().enumerate() {
            if n > 0 {
                self.put(comma);
            }
            self.expr(e, Binding::Or);
        }
    }

    fn expr(&mut self, e: &Expr, around: Binding) {
        match e {
            Expr::Const(v) => self.value(v),
            Expr::Slot(s) => self.put(&self.with.slot(*s)),
            Expr::Var(n) => self.put(&self.with.variable(*n)),
            Expr::Global(g) => self.put(global(*g)),
            Expr::Named(name) => self.put(name),
            Expr::Arith(a) => {
                let (sign, own) = sign(a.op.op);
                self.binary(sign, own, &a.left, &a.right, around);
            }
            Expr::AddInt(p) => self.binary("+", Binding::Sum, &p.0, &p.1, around),
            Expr::SubInt(p) => self.binary("-", Binding::Sum, &p.0, &p.1, around),
            Expr::Concat(c) => self.binary("+", Binding::Sum, &c.left, &c.right, around),
            Expr::Unary(op, e) => {
                let sign = match op {
                    UnaryOp::Plus => "+",
                    UnaryOp::Minus => "-",
                    UnaryOp::BitNot => "~",
                };
                self.within(Binding::Unary, around, |w| {
                    w.put(sign);
                    // Two signs would begin a comment.
                    w.expr(e, Binding::Whole);
                });
            }
            Expr::Cast(c) => self.cast(c),
            Expr::IntToVarchar(e) => {
                self.put("CONVERT(varchar");
                self.put(if self.with.is_plain() { ", " } else { "," });
                self.expr(e, Binding::Or);
                self.put(if self.with.is_plain() { ")" } else { ",0)" });
            }
            Expr::Case(c) => self.case(c),
            Expr::Call(c) => self.settled(c),
            Expr::NextValue(n) => {
                let sequence = &n.sequence;
                self.put("NEXT VALUE FOR ");
                self.object(&sequence.database, &sequence.sequence.head);
            }
            Expr::UserCall(c) => {
                self.object(&c.function.database, &c.function.module.head);
                self.out.push('(');
                self.args(&c.args);
                self.out.push(')');
            }
            Expr::Subquery(s) => self.put(&format!("({})", subquery(s))),
            Expr::Coalesce(list) => self.call("COALESCE", list),
            Expr::Collate(c) => self.within(Binding::Unary, around, |w| {
                w.expr(&c.0, Binding::Unary);
                w.put(&format!(" COLLATE {}", c.1.name()));
            }),
            Expr::Chain(c) => self.chain(c, around),
            Expr::Carried => self.carried(around),
        }
    }

    fn cast(&mut self, c: &Cast) {
        let name = match (c.conversion, c.lenient) {
            (Conversion::Implicit, _) => "CONVERT_IMPLICIT",
            (_, true) => "TRY_CONVERT",
            _ => "CONVERT",
        };
        let comma = if self.with.is_plain() { ", " } else { "," };
        self.put(&format!("{name}({}{comma}", c.to));
        self.expr(&c.value, Binding::Or);
        match &c.style {
            Some(style) => {
                self.put(comma);
                self.expr(style, Binding::Or);
            }
            None if !self.with.is_plain() => self.put(",0"),
            None => {}
        }
        self.out.push(')');
    }

    fn case(&mut self, c: &Case) {
        self.put("CASE");
        for (when, then) in &c.whens {
            self.put(" WHEN ");
            self.pred(when, Binding::Or);
            self.put(" THEN ");
            self.expr(then, Binding::Or);
        }
        if let Some(e) = &c.otherwise {
            self.put(" ELSE ");
            self.expr(e, Binding::Or);
        }
        self.put(" END");
    }

    fn joined(&mut self, all: &[Pred], word: &str, own: Binding, around: Binding) {
        self.within(own, around, |w| {
            for (n, p) in all.iter().enumerate() {
                if n > 0 {
                    w.put(word);
                }
                // A nested list of the same kind keeps its parentheses: it is a node of its own.
                let inner = if own == Binding::Or { Binding::And } else { Binding::Not };
                w.pred(p, inner);
            }
        });
    }

    fn compare(&mut self, c: &Compare, sign: &str) {
        let blank = self.with.is_plain() || sign.len() > 2;
        let blank = if blank { " " } else { "" };
        self.expr(&c.left, Binding::Sum);
        self.put(&format!("{blank}{sign}{blank}"));
        self.expr(&c.right, Binding::Sum);
    }

    fn like(&mut self, l: &Like, not: &str) {
        let word = if self.with.is_plain() { "LIKE" } else { "like" };
        self.expr(&l.value, Binding::Sum);
        self.put(&format!(" {not}{word} "));
        self.expr(&l.pattern, Binding::Sum);
        if let Some(e) = &l.escape {
            self.put(" ESCAPE ");
            self.expr(e, Binding::Sum);
        }
    }

    fn in_list(&mut self, l: &InList, not: &str) {
        self.expr(&l.value, Binding::Sum);
        self.put(&format!(" {not}IN ("));
        let all = l.list.len();
        let shown = if all > SHOWN && self.with.is_plain() { SHOWN - 1 } else { all };
        self.args(&l.list[..shown]);
        if shown < all {
            let _ = write!(self.out, ", … {all} values");
        }
        self.out.push(')');
    }

    fn pred(&mut self, p: &Pred, around: Binding) {
        match p {
            Pred::Const(Some(true)) => self.put("TRUE"),
            Pred::Const(Some(false)) => self.put("FALSE"),
            Pred::Const(None) => self.put("UNKNOWN"),
            Pred::Compare(c) => self.within(Binding::Compare, around, |w| {
                w.compare(c, compare_sign(c.op));
            }),
            Pred::NullsEqual(c, by_session) => self.within(Binding::Compare, around, |w| {
                let sign = match c.op {
                    CompareOp::Eq => "IS NOT DISTINCT FROM",
                    _ => "IS DISTINCT FROM",
                };
                w.compare(c, sign);
                if *by_session {
                    w.put(" /* if ANSI_NULLS is OFF */");
                }
            }),
            Pred::And(all) => self.joined(all, " AND ", Binding::And, around),
            Pred::Or(all) => self.joined(all, " OR ", Binding::Or, around),
            Pred::Not(inner) => self.not(inner, around),
            Pred::IsNull(e) => self.within(Binding::Compare, around, |w| {
                w.expr(e, Binding::Sum);
                w.put(" IS NULL");
            }),
            Pred::Like(l) => self.within(Binding::Compare, around, |w| w.like(l, "")),
            Pred::InList(l) => self.within(Binding::Compare, around, |w| w.in_list(l, "")),
            Pred::InSubquery(s) => self.within(Binding::Compare, around, |w| {
                w.expr(&s.value, Binding::Sum);
                w.put(&format!(" IN ({})", subquery(&s.plan)));
            }),
            Pred::Quantified(q) => self.within(Binding::Compare, around, |w| {
                w.expr(&q.value, Binding::Sum);
                let word = if q.all { "ALL" } else { "ANY" };
                w.put(&format!(" {} {word} ({})", compare_sign(q.op), subquery(&q.plan)));
            }),
            Pred::Exists(s) => self.put(&format!("EXISTS ({})", subquery(s))),
        }
    }

    fn not(&mut self, inner: &Pred, around: Binding) {
        match inner {
            Pred::IsNull(e) => self.within(Binding::Compare, around, |w| {
                w.expr(e, Binding::Sum);
                w.put(" IS NOT NULL");
            }),
            Pred::Like(l) => self.within(Binding::Compare, around, |w| w.like(l, "NOT ")),
            Pred::InList(l) => self.within(Binding::Compare, around, |w| w.in_list(l, "NOT ")),
            Pred::InSubquery(s) => self.within(Binding::Compare, around, |w| {
                w.expr(&s.value, Binding::Sum);
                w.put(&format!(" NOT IN ({})", subquery(&s.plan)));
            }),
            other => self.within(Binding::Not, around, |w| {
                w.put("NOT ");
                // Not as weak as a comparison: `NOT a = b` would be right and is misread.
                w.pred(other, Binding::Whole);
            }),
        }
    }
}

/// How an expression binds.
fn binding_of(e: &Expr) -> Binding {
    match e {
        Expr::Arith(a) => sign(a.op.op).1,
        Expr::AddInt(_) | Expr::SubInt(_) | Expr::Concat(_) => Binding::Sum,
        Expr::Unary(..) | Expr::Collate(_) => Binding::Unary,
        Expr::Chain(c) => c.steps.last().map_or(Binding::Whole, binding_of),
        _ => Binding::Whole,
    }
}

fn global(g: Global) -> &'static str {
    match g {
        Global::RowCount => "@@ROWCOUNT",
        Global::Error => "@@ERROR",
        Global::Identity => "@@IDENTITY",
        Global::TranCount => "@@TRANCOUNT",
        Global::Spid => "@@SPID",
        Global::NestLevel => "@@NESTLEVEL",
        Global::Options => "@@OPTIONS",
        Global::LockTimeout => "@@LOCK_TIMEOUT",
        Global::DateFirst => "@@DATEFIRST",
        Global::TextSize => "@@TEXTSIZE",
        Global::FetchStatus => "@@FETCH_STATUS",
        Global::CursorRows => "@@CURSOR_ROWS",
        Global::ProcId => "@@PROCID",
    }
}

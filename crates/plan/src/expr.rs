//! Compiled expressions: names are slots, types are settled, casts are explicit, constants are folded.
//!
//! A statement runs on one *frame*, a flat array of values. Every column that the statement mentions, in whichever
//! query block, has one slot in it; so a correlated subquery reads its outer row in place. Variables live in an array
//! of their own that outlives the statement.
//!
//! Two expressions are the same when they are equal (`==`): by structure, with types, dateparts and collations, without
//! a thought of how they were written. A subquery is the same only as itself.

use crate::attributes::{Attributes, Volatility};
use crate::next_value::NextValue;
use crate::user_call::UserCall;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use taffrail_functions as functions;
use taffrail_types::arith::{Operation, UnaryOp};
pub use taffrail_types::compare::CompareOp;
use taffrail_types::like::Pattern;
use taffrail_types::{Collation, Conversion, Pages, SqlType, Value, compare};

/// Index into the frame.
pub type Slot = u32;

/// A subquery inside an expression: what the expression knows of it. Its rows come from the statement's subquery of this number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Subquery {
    /// Its number within the statement.
    pub index: u32,
    /// Where its (first) column appears.
    pub output: Slot,
    /// Slots of enclosing blocks that it reads. Empty: run once per statement.
    pub outer: Vec<Slot>,
    /// Its value is that of its last row, however many there are: `SELECT @v = …` of a function whose text stands in place of a call.
    pub last: bool,
}

/// A value as it is computed: a scalar.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A constant, with its value.
    Const(Value),
    /// A value of the frame.
    Slot(Slot),
    /// A variable or parameter.
    Var(u32),
    /// A `@@variable` that the session keeps.
    Global(Global),
    /// Arithmetic; the operands have the operation's types.
    Arith(Box<Arith>),
    /// A sum int + int.
    AddInt(Box<(Expr, Expr)>),
    /// A difference int - int.
    SubInt(Box<(Expr, Expr)>),
    /// Text or binary `+`: the operands have one family; cut at so many bytes.
    Concat(Box<Concat>),
    /// Unary operators on numbers.
    Unary(UnaryOp, Box<Expr>),
    /// A conversion to another type.
    Cast(Box<Cast>),
    /// The conversion `CONVERT(varchar, int)`.
    IntToVarchar(Box<Expr>),
    /// CASE (searched; the simple form becomes comparisons).
    Case(Box<Case>),
    /// A call of a built-in function.
    Call(Box<Call>),
    /// A user's scalar function.
    UserCall(Box<UserCall>),
    /// NEXT VALUE FOR a sequence.
    NextValue(Box<NextValue>),
    /// The value of a scalar subquery.
    Subquery(Box<Subquery>),
    /// `ISNULL`/`COALESCE`: the first that is not NULL; all have one type.
    Coalesce(Vec<Expr>),
    /// A `@@variable` that the session answers by name (upper case).
    Named(Box<str>),
    /// `COLLATE` of a constant, and of another value where it says something else than the value's own collation: the value as it is.
    /// The operator that compares the value has the collation, too; here it keeps `c COLLATE x` and `c` apart, and gives its label.
    Collate(Box<(Expr, Collation)>),
    /// A long chain of operators: see [`Chain`].
    Chain(Box<Chain>),
    /// The value of a [`Chain`] so far; stands only in its steps.
    Carried,
}

/// `a + b - c …`, flat, since it may be thousands long. (A short one is a tree.)
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Chain {
    /// The first operands of the chain.
    pub first: Expr,
    /// Each is an operator between [`Expr::Carried`] and the next operand.
    pub steps: Vec<Expr>,
}

/// The operation of an [`Expr::Arith`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Arith {
    /// The operation, with the types of its operands.
    pub op: Operation,
    /// The operand on the left.
    pub left: Expr,
    /// The operand on the right.
    pub right: Expr,
}

/// The operands of an [`Expr::Concat`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Concat {
    /// The operand on the left.
    pub left: Expr,
    /// The operand on the right.
    pub right: Expr,
    /// Bytes that the result may have.
    pub max: usize,
}

/// The conversion of an [`Expr::Cast`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cast {
    /// The value that is converted.
    pub value: Expr,
    /// The type of the value.
    pub from: SqlType,
    /// The type it gets.
    pub to: SqlType,
    /// The style, CONVERT's third argument.
    pub style: Option<Expr>,
    /// An implicit conversion, or a CAST.
    pub conversion: Conversion,
    /// TRY_CAST: NULL instead of an error.
    pub lenient: bool,
    /// The code pages of char and varchar.
    pub pages: Pages,
}

/// The branches of an [`Expr::Case`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// Conditions and what they give.
    pub whens: Vec<(Pred, Expr)>,
    /// The value of ELSE; without it NULL.
    pub otherwise: Option<Expr>,
}

/// The call of an [`Expr::Call`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// The function with its types settled.
    pub function: functions::SettledCall,
    /// The arguments of the call.
    pub args: Vec<Expr>,
}

/// The `@@variables` that the session keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Global {
    RowCount,
    Error,
    Identity,
    TranCount,
    Spid,
    NestLevel,
    Options,
    LockTimeout,
    DateFirst,
    TextSize,
    FetchStatus,
    CursorRows,
    ProcId,
}

/// A condition: true, false or unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pred {
    /// A condition whose value is known beforehand.
    Const(Option<bool>),
    /// A comparison of two values of one type.
    Compare(Box<Compare>),
    /// `=` or `<>` where NULL equals NULL: IS [NOT] DISTINCT FROM, and the comparison of SET ANSI_NULLS OFF. With the flag only where
    /// the session's option is OFF when it is tested.
    NullsEqual(Box<Compare>, bool),
    /// Conditions that must all hold.
    And(Vec<Pred>),
    /// Conditions of which one must hold.
    Or(Vec<Pred>),
    /// The negation of a condition.
    Not(Box<Pred>),
    /// The condition IS NULL.
    IsNull(Box<Expr>),
    /// A match by LIKE, of a text with a pattern.
    Like(Box<Like>),
    /// IN (list): all of one type.
    InList(Box<InList>),
    /// IN (subquery), = ANY.
    InSubquery(Box<InSubquery>),
    /// op ANY / op ALL (subquery).
    Quantified(Box<Quantified>),
    /// The condition EXISTS of a subquery.
    Exists(Box<Subquery>),
}

/// The comparison of a [`Pred::Compare`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Compare {
    /// The operator of the comparison.
    pub op: CompareOp,
    /// The operand on the left.
    pub left: Expr,
    /// The operand on the right.
    pub right: Expr,
    /// The collation, where texts are compared.
    pub collation: Collation,
}

/// The match of a [`Pred::Like`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Like {
    /// The text that is matched.
    pub value: Expr,
    /// The pattern of the match.
    pub pattern: Expr,
    /// The character of ESCAPE, as a text.
    pub escape: Option<Expr>,
    /// nvarchar on both sides.
    pub unicode: bool,
    /// The collation of the match.
    pub collation: Collation,
    /// The compiled pattern where it is constant.
    pub compiled: Compiled,
}

/// The compiled form of a constant pattern. It follows from the rest of its [`Like`], so it says nothing in a comparison.
#[derive(Clone, Default, Debug)]
pub struct Compiled(pub Option<Arc<Pattern>>);

impl PartialEq for Compiled {
    fn eq(&self, _: &Compiled) -> bool {
        true
    }
}

impl Eq for Compiled {}

impl Hash for Compiled {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// The list of a [`Pred::InList`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InList {
    /// The value that is looked for.
    pub value: Expr,
    /// The values among which it is looked for.
    pub list: Vec<Expr>,
    /// The collation, where texts are compared.
    pub collation: Collation,
}

/// The subquery of a [`Pred::InSubquery`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InSubquery {
    /// The value that is looked for.
    pub value: Expr,
    /// The one column of the subquery, converted to the type of `value`.
    pub plan: Subquery,
    /// The collation, where texts are compared.
    pub collation: Collation,
}

/// The comparison of a [`Pred::Quantified`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Quantified {
    /// The operator of the comparison.
    pub op: CompareOp,
    /// ALL rather than ANY.
    pub all: bool,
    /// The operand on the left.
    pub value: Expr,
    /// The one column of the subquery.
    pub plan: Subquery,
    /// The collation, where texts are compared.
    pub collation: Collation,
}

impl Compare {
    /// The truth of a [`Pred::NullsEqual`] where a side is NULL.
    pub fn nulls_hold(&self, left_is_null: bool, right_is_null: bool) -> bool {
        (left_is_null == right_is_null) == (self.op == CompareOp::Eq)
    }
}

/// Whether two values of one type compare so; `None` where one is NULL.
#[inline]
pub fn compare_values(op: CompareOp, l: &Value, r: &Value, collation: Collation) -> Option<bool> {
    let order = match (l, r) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Null, _) | (_, Value::Null) => return None,
        (l, r) => compare::compare(l, r, collation),
    };
    Some(op.holds(order))
}

impl Expr {
    /// The constant NULL, without a type.
    pub const NULL: Expr = Expr::Const(Value::Null);

    /// The constant's value, under COLLATE or not.
    pub fn constant(&self) -> Option<&Value> {
        match self {
            Expr::Const(v) => Some(v),
            Expr::Collate(c) => c.0.constant(),
            _ => None,
        }
    }

    /// Whether it is the NULL constant.
    pub fn is_null(&self) -> bool {
        self.constant().is_some_and(Value::is_null)
    }

    /// Whether it may be computed a second time and gives the same: it holds no subquery and no function that is new in every call.
    pub fn is_repeatable(&self) -> bool {
        repeatable(Part::Expr(self))
    }

    /// Calls `f` with every direct part of the expression.
    pub fn children<'e>(&'e self, f: &mut dyn FnMut(Part<'e>)) {
        match self {
            Expr::Const(_)
            | Expr::Slot(_)
            | Expr::Var(_)
            | Expr::Global(_)
            | Expr::Named(_)
            | Expr::NextValue(_)
            | Expr::Carried => {}
            Expr::Arith(a) => {
                f(Part::Expr(&a.left));
                f(Part::Expr(&a.right));
            }
            Expr::AddInt(p) | Expr::SubInt(p) => {
                f(Part::Expr(&p.0));
                f(Part::Expr(&p.1));
            }
            Expr::Concat(c) => {
                f(Part::Expr(&c.left));
                f(Part::Expr(&c.right));
            }
            Expr::Unary(_, e) | Expr::IntToVarchar(e) => f(Part::Expr(e)),
            Expr::Cast(c) => {
                f(Part::Expr(&c.value));
                if let Some(s) = &c.style {
                    f(Part::Expr(s));
                }
            }
            Expr::Case(c) => {
                for (p, e) in &c.whens {
                    f(Part::Pred(p));
                    f(Part::Expr(e));
                }
                if let Some(e) = &c.otherwise {
                    f(Part::Expr(e));
                }
            }
            Expr::Call(c) => c.args.iter().for_each(|e| f(Part::Expr(e))),
            Expr::UserCall(c) => c.args.iter().for_each(|e| f(Part::Expr(e))),
            Expr::Subquery(s) => f(Part::Plan(s)),
            Expr::Coalesce(list) => list.iter().for_each(|e| f(Part::Expr(e))),
            Expr::Collate(c) => f(Part::Expr(&c.0)),
            Expr::Chain(c) => {
                f(Part::Expr(&c.first));
                c.steps.iter().for_each(|e| f(Part::Expr(e)));
            }
        }
    }
}

/// A part of an expression or condition.
pub enum Part<'e> {
    /// A value below it.
    Expr(&'e Expr),
    /// A condition below it.
    Pred(&'e Pred),
    /// A subquery below it.
    Plan(&'e Subquery),
}

impl Pred {
    /// Whether it may be computed a second time and gives the same: see [`Expr::is_repeatable`].
    pub fn is_repeatable(&self) -> bool {
        repeatable(Part::Pred(self))
    }

    /// Calls `f` with every direct part of the condition.
    pub fn children<'e>(&'e self, f: &mut dyn FnMut(Part<'e>)) {
        match self {
            Pred::Const(_) => {}
            Pred::Compare(c) | Pred::NullsEqual(c, _) => {
                f(Part::Expr(&c.left));
                f(Part::Expr(&c.right));
            }
            Pred::And(list) | Pred::Or(list) => list.iter().for_each(|p| f(Part::Pred(p))),
            Pred::Not(p) => f(Part::Pred(p)),
            Pred::IsNull(e) => f(Part::Expr(e)),
            Pred::Like(l) => {
                f(Part::Expr(&l.value));
                f(Part::Expr(&l.pattern));
                if let Some(e) = &l.escape {
                    f(Part::Expr(e));
                }
            }
            Pred::InList(l) => {
                f(Part::Expr(&l.value));
                l.list.iter().for_each(|e| f(Part::Expr(e)));
            }
            Pred::InSubquery(s) => {
                f(Part::Expr(&s.value));
                f(Part::Plan(&s.plan));
            }
            Pred::Quantified(q) => {
                f(Part::Expr(&q.value));
                f(Part::Plan(&q.plan));
            }
            Pred::Exists(s) => f(Part::Plan(s)),
        }
    }

    /// The conditions that must all hold, apart.
    pub fn into_conjuncts(self, out: &mut Vec<Pred>) {
        match self {
            Pred::And(list) => list.into_iter().for_each(|p| p.into_conjuncts(out)),
            Pred::Const(Some(true)) => {}
            other => out.push(other),
        }
    }

    /// All of the conditions in one; `None` when there are none.
    pub fn all(mut list: Vec<Pred>) -> Option<Pred> {
        match list.len() {
            0 => None,
            1 => list.pop(),
            _ => Some(Pred::And(list)),
        }
    }
}

/// Calls `f` with every slot that a part reads, those that its subqueries read from outside included.
pub fn slots_of(part: Part<'_>, f: &mut dyn FnMut(Slot)) {
    match part {
        Part::Expr(Expr::Slot(s)) => f(*s),
        Part::Expr(e) => e.children(&mut |p| slots_of(p, f)),
        Part::Pred(p) => p.children(&mut |p| slots_of(p, f)),
        Part::Plan(s) => s.outer.iter().for_each(|s| f(*s)),
    }
}

fn repeatable(part: Part<'_>) -> bool {
    let attributes = Attributes::of(part);
    !attributes.reads_data && attributes.volatility < Volatility::Row
}

/// Whether a part calls a user's function.
pub fn has_user_call(part: Part<'_>) -> bool {
    let mut found = false;
    match part {
        Part::Plan(_) => {}
        Part::Expr(Expr::UserCall(_)) => found = true,
        Part::Expr(e) => e.children(&mut |p| found |= has_user_call(p)),
        Part::Pred(p) => p.children(&mut |p| found |= has_user_call(p)),
    }
    found
}

/// Whether a part holds a subquery, or what is planned as one is: the call of a user's function for values of the row.
pub fn has_subquery(part: Part<'_>) -> bool {
    let mut found = false;
    match part {
        Part::Plan(_) => found = true,
        Part::Expr(e @ Expr::UserCall(_)) => {
            slots_of(Part::Expr(e), &mut |_| found = true);
            e.children(&mut |p| found |= has_subquery(p));
        }
        Part::Expr(e) => e.children(&mut |p| found |= has_subquery(p)),
        Part::Pred(p) => p.children(&mut |p| found |= has_subquery(p)),
    }
    found
}

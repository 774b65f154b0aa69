//! The type of a scalar, found from its parts upwards: type, nullability, collation and its label.
//!
//! A derived type may be narrower than the declared one: a constant is typed by its value, so `'ab'` is a varchar(2) wherever it
//! stands. NULL has no type. A place that wants a type takes each that [`fits`] into it.
//!
//! While it derives, [`Scope`] looks at what the places of a scalar want of their parts (a checker reads the mistakes): both sides of a
//! comparison are of one kind and compared by their own collation, operands are of the operation's types, branches of one kind.

mod places;

use crate::attributes::is_never_null;
use crate::columns::{Clash, Coerced, Columns, Label, merged};
use crate::expr::{Compare, Expr, Global, InList, Like, Part, Pred};
use crate::slots::SlotSet;
use std::cell::RefCell;
use taffrail_types::{Collation, Family, MaxLen, SqlType, Value};

/// The types of the variables that a statement sees, by number; none for table variables and cursors.
pub type VariableTypes<'v> = &'v [Option<SqlType>];

/// A scalar's type as it is derived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Typed {
    /// The type; none of the NULL literal.
    pub ty: Option<SqlType>,
    /// NULL may be its value.
    pub nullable: bool,
    /// The collation, for text.
    pub collation: Collation,
    /// The label of its collation.
    pub label: Label,
}

impl Typed {
    fn new(ty: SqlType) -> Typed {
        let (collation, label) = Coerced::default();
        Typed { ty: Some(ty), nullable: true, collation, label }
    }

    fn not_null(ty: SqlType) -> Typed {
        Typed { nullable: false, ..Typed::new(ty) }
    }

    /// The collation with its label; coercible-default of what is no text.
    pub fn coerced(&self) -> Coerced {
        match self.ty.is_some_and(SqlType::is_text) {
            true => (self.collation, self.label),
            false => Coerced::default(),
        }
    }

    fn with(self, (collation, label): Coerced) -> Typed {
        Typed { collation, label, ..self }
    }
}

/// The type of a constant: the narrowest that has the value. NULL has none.
fn type_of(v: &Value) -> Option<SqlType> {
    let length = |n: usize, most: usize| match n {
        n if n > most => MaxLen::Max,
        n => MaxLen::N(n.max(1) as u16),
    };
    Some(match v {
        Value::Null => return None,
        Value::Bit(_) => SqlType::Bit,
        Value::TinyInt(_) => SqlType::TinyInt,
        Value::SmallInt(_) => SqlType::SmallInt,
        Value::Int(_) => SqlType::Int,
        Value::BigInt(_) => SqlType::BigInt,
        Value::Decimal(d) => {
            let scale = d.scale();
            SqlType::Numeric { precision: d.digits().max(scale), scale }
        }
        Value::Money(_) => SqlType::SmallMoney,
        Value::Real(_) => SqlType::Real,
        Value::Float(_) => SqlType::Float,
        Value::Date(_) => SqlType::Date,
        Value::Time(_) => SqlType::Time(0),
        Value::DateTime { .. } => SqlType::DateTime,
        Value::SmallDateTime { .. } => SqlType::SmallDateTime,
        Value::DateTime2 { .. } => SqlType::DateTime2(0),
        Value::DateTimeOffset { .. } => SqlType::DateTimeOffset(0),
        Value::VarChar(b) => SqlType::VarChar(length(b.len(), 8000)),
        Value::NVarChar(b) => SqlType::NVarChar(length(b.len() / 2, 4000)),
        Value::Binary(b) => SqlType::VarBinary(length(b.len(), 8000)),
        Value::Guid(_) => SqlType::UniqueIdentifier,
        Value::Variant(_) => SqlType::Variant,
    })
}

/// The kind of a type's values: types of one kind hold the same values, within their lengths.
fn kind(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Char(_) | SqlType::VarChar(_) => SqlType::VarChar(MaxLen::Max),
        SqlType::NChar(_) | SqlType::NVarChar(_) => SqlType::NVARCHAR_MAX,
        SqlType::Binary(_) | SqlType::VarBinary(_) | SqlType::RowVersion => {
            SqlType::VarBinary(MaxLen::Max)
        }
        SqlType::Decimal { .. } | SqlType::Numeric { .. } => {
            SqlType::Decimal { precision: 38, scale: 0 }
        }
        SqlType::Money | SqlType::SmallMoney => SqlType::Money,
        SqlType::Time(_) => SqlType::Time(7),
        SqlType::DateTime2(_) => SqlType::DateTime2(7),
        SqlType::DateTimeOffset(_) => SqlType::DateTimeOffset(7),
        other => other,
    }
}

/// Whether values of two types can stand side by side: they are compared and sorted as they are.
pub fn alike(a: SqlType, b: SqlType) -> bool {
    kind(a) == kind(b)
}

/// Whether each value of a type is a value of the other one as it is, padding apart.
pub fn fits(from: SqlType, to: SqlType) -> bool {
    if !alike(from, to) {
        return false;
    }
    if let (Some(a), Some(b)) = (from.as_numeric(), to.as_numeric())
        && from.family() == Family::Decimal
    {
        return a.scale == b.scale && a.precision <= b.precision;
    }
    match (from, to) {
        (SqlType::Money, SqlType::SmallMoney) => false,
        (SqlType::Time(a), SqlType::Time(b))
        | (SqlType::DateTime2(a), SqlType::DateTime2(b))
        | (SqlType::DateTimeOffset(a), SqlType::DateTimeOffset(b)) => a <= b,
        (from, to) => match (from.length(), to.length()) {
            (Some(_), Some(MaxLen::Max)) | (None, _) | (_, None) => true,
            (Some(MaxLen::Max), _) => false,
            (Some(MaxLen::N(a)), Some(MaxLen::N(b))) => a <= b,
        },
    }
}

/// The narrowest type of both, which are of one kind.
fn wider(a: SqlType, b: SqlType) -> SqlType {
    if fits(a, b) {
        return b;
    }
    if fits(b, a) {
        return a;
    }
    match (a.as_numeric(), b.as_numeric()) {
        (Some(x), Some(y)) if a.family() == Family::Decimal => {
            let scale = x.scale.max(y.scale);
            let whole = (x.precision - x.scale).max(y.precision - y.scale);
            SqlType::Decimal { precision: (whole + scale).min(38), scale }
        }
        _ => kind(a),
    }
}

/// The types of an `@@variable`.
fn of_global(g: Global) -> Typed {
    match g {
        Global::Identity => Typed::new(SqlType::Numeric { precision: 38, scale: 0 }),
        Global::Spid => Typed::not_null(SqlType::SmallInt),
        Global::DateFirst => Typed::not_null(SqlType::TinyInt),
        Global::RowCount
        | Global::Error
        | Global::TranCount
        | Global::NestLevel
        | Global::Options
        | Global::LockTimeout
        | Global::TextSize
        | Global::FetchStatus
        | Global::CursorRows
        | Global::ProcId => Typed::not_null(SqlType::Int),
    }
}

/// The place in which a scalar is typed.
pub struct Scope<'s> {
    /// The columns of the statement.
    pub columns: &'s Columns,
    /// The types of its variables.
    pub variables: VariableTypes<'s>,
    /// The slots that may be NULL there; none: as the columns say of where they are set.
    pub nulls: Option<&'s SlotSet>,
    /// Mistakes that are found while types are derived.
    wrong: RefCell<Option<String>>,
}

impl<'s> Scope<'s> {
    /// A scope of these columns and variables.
    pub fn new(columns: &'s Columns, variables: VariableTypes<'s>) -> Scope<'s> {
        Scope { columns, variables, nulls: None, wrong: RefCell::new(None) }
    }

    /// A place of the same columns where these slots may be NULL.
    pub(crate) fn with_nulls(&self, nulls: &'s SlotSet) -> Scope<'s> {
        Scope { nulls: Some(nulls), ..Scope::new(self.columns, self.variables) }
    }

    /// The first mistake that has been found, once.
    pub fn mistake(&self) -> Result<(), String> {
        self.wrong.take().map_or(Ok(()), Err)
    }

    pub(crate) fn expect(&self, holds: bool, wrong: impl FnOnce() -> String) {
        if !holds {
            self.wrong.borrow_mut().get_or_insert_with(wrong);
        }
    }

    /// The type of a scalar.
    pub fn typed(&self, e: &Expr) -> Typed {
        self.after(e, None)
    }

    /// Looks at a scalar's parts.
    pub(crate) fn look(&self, e: &Expr) {
        let _ = self.typed(e);
    }

    /// The type of a slot's value.
    pub fn slot(&self, slot: u32) -> Typed {
        let Some(column) = self.columns.get(slot) else {
            self.expect(false, || format!("there is no column #{slot}"));
            return Typed { ty: None, ..Typed::new(SqlType::Int) };
        };
        let nullable = match self.nulls {
            Some(nulls) => nulls.contains(slot),
            None => column.nullable,
        };
        let ty = (!column.untyped).then_some(column.ty.ty);
        Typed { ty, nullable, ..Typed::new(SqlType::Int) }.with(column.coerced())
    }

    /// The type of a scalar in a chain, behind `carried`, the chain's value so far.
    fn after(&self, e: &Expr, carried: Option<Typed>) -> Typed {
        let of = |e: &Expr| self.after(e, carried);
        match e {
            Expr::Const(v) => {
                Typed { ty: type_of(v), nullable: v.is_null(), ..Typed::new(SqlType::Int) }
            }
            Expr::Slot(s) => self.slot(*s),
            Expr::Var(v) => {
                let ty = self.variables.get(*v as usize).copied().flatten();
                Typed { ty, ..Typed::new(SqlType::Int) }
            }
            Expr::Global(g) => of_global(*g),
            Expr::Named(name) => {
                Typed { ty: taffrail_functions::global_type(name), ..Typed::new(SqlType::Int) }
            }
            Expr::Arith(_)
            | Expr::AddInt(_)
            | Expr::SubInt(_)
            | Expr::Concat(_)
            | Expr::Unary(..)
            | Expr::Cast(_)
            | Expr::IntToVarchar(_) => self.of_operator(e, &of),
            Expr::Case(c) => {
                c.whens.iter().for_each(|(p, _)| self.condition(p));
                let branches = c.whens.iter().map(|w| &w.1).chain(&c.otherwise);
                let chosen = self.one_kind(branches.map(of), e);
                Typed { nullable: chosen.nullable || c.otherwise.is_none(), ..chosen }
            }
            Expr::Call(c) => {
                let args: Vec<Typed> = c.args.iter().map(of).collect();
                for (arg, param) in args.iter().zip(&c.function.params) {
                    self.takes(arg, *param, "an argument", e);
                }
                let name = c.function.name();
                let coerced = of_arguments(name, c.function.compares(), &args);
                // A text that becomes xml is NULL where it or its style is.
                let nullable = match name {
                    taffrail_functions::xml::CONTENT | taffrail_functions::mask::MASK => {
                        args.iter().any(|a| a.nullable)
                    }
                    _ => !is_never_null(name),
                };
                Typed { nullable, ..Typed::new(c.function.result) }.with(coerced)
            }
            Expr::UserCall(c) => {
                for (e, parameter) in c.args.iter().zip(&c.function.module.parameters) {
                    self.takes(&of(e), parameter.ty, "an argument", e);
                }
                let coerced = (c.function.collation(), Label::CoercibleDefault);
                Typed::new(c.function.result().ty).with(coerced)
            }
            Expr::NextValue(n) => Typed::not_null(n.sequence.sequence.facts.ty),
            Expr::Subquery(s) => Typed { nullable: true, ..self.slot(s.output) },
            Expr::Coalesce(list) => {
                let all: Vec<Typed> = list.iter().map(of).collect();
                let nullable = all.iter().all(|t| t.nullable);
                let first = all.first().map(Typed::coerced).unwrap_or_default();
                let all = Typed { nullable, ..self.one_kind(all, e) };
                all.with(of_either(first, all.coerced()))
            }
            Expr::Collate(c) => of(&c.0).with((c.1, Label::Explicit)),
            Expr::Chain(c) => {
                c.steps.iter().fold(of(&c.first), |before, step| self.after(step, Some(before)))
            }
            Expr::Carried => {
                self.expect(carried.is_some(), || "a chain's value outside of one".into());
                carried.unwrap_or(Typed { ty: None, ..Typed::new(SqlType::Int) })
            }
        }
    }

    /// The type of an operator's or conversion's result; `of` gives those of its operands.
    fn of_operator(&self, e: &Expr, of: &dyn Fn(&Expr) -> Typed) -> Typed {
        match e {
            Expr::Arith(a) => {
                let (l, r) = (of(&a.left), of(&a.right));
                self.takes(&l, a.op.left, "an operand", e);
                self.takes(&r, a.op.right, "an operand", e);
                Typed { nullable: l.nullable || r.nullable, ..Typed::new(a.op.result) }
            }
            Expr::AddInt(p) | Expr::SubInt(p) => {
                let (l, r) = (of(&p.0), of(&p.1));
                self.takes(&l, SqlType::Int, "an operand", e);
                self.takes(&r, SqlType::Int, "an operand", e);
                Typed { nullable: l.nullable || r.nullable, ..Typed::new(SqlType::Int) }
            }
            Expr::Concat(c) => {
                let both = self.one_kind([of(&c.left), of(&c.right)], e);
                let ty = both.ty.map(|ty| match ty.family() {
                    Family::NChar => sized(SqlType::NVarChar, c.max / 2, 4000),
                    Family::Char => sized(SqlType::VarChar, c.max, 8000),
                    _ => sized(SqlType::VarBinary, c.max, 8000),
                });
                Typed { ty, ..both }
            }
            Expr::Unary(_, e) => of(e),
            Expr::Cast(c) => {
                let from = of(&c.value);
                self.takes(&from, c.from, "what is converted", e);
                if let Some(style) = &c.style {
                    let style = of(style);
                    self.takes(&style, SqlType::Int, "a style", e);
                }
                let nullable = from.nullable || c.lenient || c.style.is_some();
                Typed { nullable, ..Typed::new(c.to) }.with(from.coerced())
            }
            Expr::IntToVarchar(i) => {
                let from = of(i);
                self.takes(&from, SqlType::Int, "what is converted", e);
                Typed { nullable: from.nullable, ..Typed::new(SqlType::varchar(11)) }
            }
            _ => unreachable!("not an operator"),
        }
    }

    /// A part is of the kind that its place wants.
    pub(crate) fn takes(&self, found: &Typed, wants: SqlType, part: &str, e: &Expr) {
        self.expect(found.ty.is_none_or(|ty| alike(ty, wants)), || {
            format!("{part} is {:?}, not {wants:?}: {e:?}", found.ty)
        });
    }

    /// Values of one kind, one of which is taken, or which are put together.
    fn one_kind(&self, all: impl IntoIterator<Item = Typed>, e: &Expr) -> Typed {
        let mut out = Typed { ty: None, nullable: false, ..Typed::new(SqlType::Int) };
        for one in all {
            let nullable = out.nullable || one.nullable;
            let coerced = merged(out.coerced(), one.coerced(), "").unwrap_or(one.coerced());
            let ty = match (out.ty, one.ty) {
                (Some(a), Some(b)) => {
                    self.expect(alike(a, b), || format!("{a:?} beside {b:?}: {e:?}"));
                    Some(wider(a, b))
                }
                (a, b) => a.or(b),
            };
            out = Typed { ty, nullable, ..out.with(coerced) };
        }
        out
    }

    /// Looks at a condition's parts.
    pub fn condition(&self, p: &Pred) {
        match p {
            Pred::Const(_) => {}
            Pred::Compare(c) | Pred::NullsEqual(c, _) => self.compare(c),
            Pred::InList(l) => self.in_list(l),
            Pred::Like(l) => self.like(l),
            Pred::InSubquery(s) => {
                let value = self.typed(&s.value);
                self.compared(&value, &self.slot(s.plan.output), s.collation, &s.value);
            }
            Pred::Quantified(q) => {
                let value = self.typed(&q.value);
                self.compared(&value, &self.slot(q.plan.output), q.collation, &q.value);
            }
            other => other.children(&mut |part| match part {
                Part::Expr(e) => self.look(e),
                Part::Pred(p) => self.condition(p),
                Part::Plan(_) => {}
            }),
        }
    }

    fn compare(&self, c: &Compare) {
        let (left, right) = (self.typed(&c.left), self.typed(&c.right));
        self.compared(&left, &right, c.collation, &c.left);
    }

    fn in_list(&self, l: &InList) {
        let value = self.typed(&l.value);
        for item in &l.list {
            let item = self.typed(item);
            self.compared(&value, &item, l.collation, &l.value);
        }
    }

    fn like(&self, l: &Like) {
        let wants = match l.unicode {
            true => SqlType::NVARCHAR_MAX,
            false => SqlType::VarChar(MaxLen::Max),
        };
        let sides = [&l.value, &l.pattern].map(|side| {
            let found = self.typed(side);
            self.takes(&found, wants, "a side of LIKE", side);
            found.coerced()
        });
        self.goes_by(&sides, l.collation, &l.value);
        l.escape.iter().for_each(|e| self.look(e));
    }

    /// Two values that are compared by a collation: of one kind, and the collation is theirs.
    pub(crate) fn compared(&self, l: &Typed, r: &Typed, by: Collation, e: &Expr) {
        let (Some(left), Some(right)) = (l.ty, r.ty) else { return };
        self.expect(alike(left, right), || format!("{left:?} compared with {right:?}: {e:?}"));
        if !left.is_text() || !right.is_text() {
            return;
        }
        self.goes_by(&[l.coerced(), r.coerced()], by, e);
    }

    /// A value that is sorted, grouped or made different by a collation: the collation is its own.
    pub fn ordered(&self, e: &Expr, by: Collation) {
        let found = self.typed(e);
        if found.ty.is_some_and(SqlType::is_text) {
            self.goes_by(&[found.coerced()], by, e);
        }
    }

    /// The collation is one that these have.
    fn goes_by(&self, all: &[Coerced], by: Collation, e: &Expr) {
        let mut settled = all.iter().filter(|c| c.1 != Label::CoercibleDefault).peekable();
        let own = match all.iter().find(|c| c.1 == Label::Explicit) {
            Some(written) => written.0 == by,
            None => settled.peek().is_none() || settled.any(|c| is_own(c, by)),
        };
        self.expect(own, || {
            let names: Vec<String> = all.iter().map(|c| c.0.name().to_string()).collect();
            format!("{} goes by {}: {e:?}", names.join(", "), by.name())
        });
    }

    /// A value that is put into a slot: each value of its type is one of the slot's.
    pub fn assigned(&self, e: &Expr, slot: u32) {
        let (found, into) = (self.typed(e), self.slot(slot));
        if let (Some(from), Some(to)) = (found.ty, into.ty) {
            self.expect(fits(from, to), || format!("#{slot} is {to:?}, and gets {from:?}: {e:?}"));
        }
    }
}

/// Whether a collation is one that a value has, or may have been given.
fn is_own((collation, label): &Coerced, by: Collation) -> bool {
    *collation == by || matches!(label, Label::NoCollation(_))
}

/// The collation of an ISNULL, which is that of its first value, or of a COALESCE, which all have a say in: the expression is the same.
/// Where the two differ it may have either.
fn of_either(first: Coerced, all: Coerced) -> Coerced {
    let clash = Clash { left: first.0, right: all.0, operator: "ISNULL" };
    if first == all { all } else { (first.0, Label::NoCollation(clash)) }
}

/// Text or bytes of this length at most; (max) beyond `most`.
fn sized(ty: fn(MaxLen) -> SqlType, length: usize, most: usize) -> SqlType {
    ty(if length > most { MaxLen::Max } else { MaxLen::N(length.max(1) as u16) })
}

/// The collation that a function's result has.
fn of_arguments(name: &str, compares: bool, args: &[Typed]) -> Coerced {
    match name {
        "CONCAT" | "CONCAT_WS" => {}
        _ if compares => {}
        _ => return args.first().map(Typed::coerced).unwrap_or_default(),
    }
    let all = args.iter().map(Typed::coerced);
    all.fold(Coerced::default(), |a, b| merged(a, b, "").unwrap_or(b))
}

impl Expr {
    /// The expression's type among these columns and variables.
    pub fn typed(&self, columns: &Columns, variables: VariableTypes<'_>) -> Typed {
        Scope::new(columns, variables).typed(self)
    }
}

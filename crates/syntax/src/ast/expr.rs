//! Expressions and conditions. T-SQL keeps the two apart: the parser puts a condition only where a condition may
//! stand ([`Expr::is_condition`]), so a binder needs no such check.

use super::{
    Between, Compare, Ident, InList, InQuery, IsDistinct, IsNull, Like, ObjectName, OrderItem,
    Quantified, Query, Span,
};
use std::fmt;

/// An expression or condition.
#[derive(Clone, PartialEq)]
pub struct Expr {
    /// Its text, with the parentheses around it.
    pub span: Span,
    /// The kind of expression, with its operands.
    pub kind: ExprKind,
}

impl Expr {
    /// A condition (true, false or unknown) rather than a value.
    pub fn is_condition(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::And(_)
                | ExprKind::Or(_)
                | ExprKind::Not(_)
                | ExprKind::Compare(_)
                | ExprKind::Quantified(_)
                | ExprKind::IsNull(_)
                | ExprKind::IsDistinct(_)
                | ExprKind::Between(_)
                | ExprKind::InList(_)
                | ExprKind::InQuery(_)
                | ExprKind::Like(_)
                | ExprKind::Exists(_)
                | ExprKind::UpdatedColumn(_)
                | ExprKind::FullText(_)
        )
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.kind, f)
    }
}

/// All kinds of expressions. Payloads are boxed: an `Expr` stays small.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    // Values.
    /// A literal, typed by its spelling.
    Literal(Literal),
    /// `@v`; the value keeps its `@`.
    Variable(Ident),
    /// `@@ROWCOUNT` and its like (or a local variable whose name begins with two `@`).
    SystemVariable(Ident),
    /// A column's name with up to four parts before it.
    Column(Box<ColumnRef>),
    /// An operator with one operand: `-x`, `+x`, `~x`.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands: arithmetic, bits, concatenation.
    Binary(Box<Binary>),
    /// `CASE … WHEN … THEN … END`, simple or searched.
    Case(Box<Case>),
    /// `CAST`, `CONVERT`, `PARSE` and their `TRY_` forms.
    Cast(Box<Cast>),
    /// A function call of any kind, `COALESCE`, `NULLIF`, `LEFT` and niladic functions too.
    Function(Box<FunctionCall>),
    /// `IIF(condition, a, b)`, the short form of a searched `CASE`.
    Iif(Box<Iif>),
    /// `(SELECT …)` as a value.
    Subquery(Box<Query>),
    /// `x COLLATE name`: the value under an explicit collation.
    Collate(Box<Expr>, Ident),
    /// `x AT TIME ZONE zone`.
    AtTimeZone(Box<Expr>, Box<Expr>),
    /// `NEXT VALUE FOR sequence [OVER (ORDER BY …)]`.
    NextValue(Box<NextValue>),
    /// `IDENTITY(type [, seed, increment])` in `SELECT … INTO`.
    IdentityFunction(Box<IdentityFunction>),
    /// `{d '…'}`, `{t '…'}`, `{ts '…'}`, `{guid '…'}`.
    OdbcLiteral(OdbcLiteral, Box<str>),
    /// `$ACTION`, `$IDENTITY`, `$ROWGUID` and the other words with a dollar sign.
    Pseudo(Ident),
    /// `x.method(arguments)` on a variable or a parenthesised value; on a column it reads as a [`FunctionCall`].
    Method(Box<MethodCall>),
    /// `DEFAULT` where a value may stand (`VALUES`, `SET`, procedure arguments).
    Default,

    // Conditions.
    /// `a AND b AND …`, two or more, flat.
    And(Vec<Expr>),
    /// `a OR b OR …`, two or more, flat.
    Or(Vec<Expr>),
    /// The negation `NOT a`; unknown stays unknown.
    Not(Box<Expr>),
    /// `a = b` and so on.
    Compare(Box<Compare>),
    /// `a = ANY (SELECT …)`.
    Quantified(Box<Quantified>),
    /// `a IS [NOT] NULL`.
    IsNull(Box<IsNull>),
    /// `a IS [NOT] DISTINCT FROM b`.
    IsDistinct(Box<IsDistinct>),
    /// `a [NOT] BETWEEN b AND c`.
    Between(Box<Between>),
    /// `a [NOT] IN (b, c)`.
    InList(Box<InList>),
    /// `a [NOT] IN (SELECT …)`.
    InQuery(Box<InQuery>),
    /// `a [NOT] LIKE b [ESCAPE c]`.
    Like(Box<Like>),
    /// `EXISTS (SELECT …)`: whether the query has a row.
    Exists(Box<Query>),
    /// `UPDATE(column)` in a trigger.
    UpdatedColumn(Ident),
    /// `CONTAINS(…)`, `FREETEXT(…)`: predicates of full-text search.
    FullText(Box<FunctionCall>),
}

/// A literal as its type is decided by its spelling.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// The literal `NULL`, which has no type of its own.
    Null,
    /// Digits that fit `int`.
    Int(i32),
    /// Digits with a point, or too many for `int`: `decimal`. As typed. A float too large for one, too, to be refused.
    Decimal(Box<str>),
    /// With an exponent: `float`.
    Float(f64),
    /// With a currency sign, as typed without the sign: `money`.
    Money(Box<str>),
    /// `'…'`: `varchar`. Doubled quotes are single.
    String(Box<str>),
    /// A Unicode string `N'…'`, an `nvarchar`.
    NString(Box<str>),
    /// A binary literal `0x…`, a `varbinary`.
    Binary(Box<[u8]>),
}

/// The name of a column, perhaps qualified.
#[derive(Clone, PartialEq)]
pub struct ColumnRef {
    /// The qualifier before the column: an alias or a table's name.
    pub qualifier: Option<ObjectName>,
    /// The column's own name.
    pub name: Ident,
}

impl fmt::Debug for ColumnRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(qualifier) = &self.qualifier {
            write!(f, "{qualifier:?}.")?;
        }
        fmt::Debug::fmt(&self.name, f)
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    BitNot,
}

/// Operators with two operands that yield values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`, also concatenation.
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `||`
    Concat,
}

/// An operation with two operands. A chain of them leans to the left and may be thousands long: walk along `left` in a
/// loop.
#[derive(Debug)]
pub struct Binary {
    /// The operator between the operands.
    pub op: BinaryOp,
    /// The operand on the left.
    pub left: Expr,
    /// The operand on the right.
    pub right: Expr,
}

impl Clone for Binary {
    fn clone(&self) -> Binary {
        let mut links = vec![self];
        let mut first = &self.left;
        while let ExprKind::Binary(b) = &first.kind {
            links.push(b);
            first = &b.left;
        }
        let mut left = first.clone();
        while let Some(b) = links.pop() {
            let copy = Binary { op: b.op, left, right: b.right.clone() };
            let Some(above) = links.last() else { return copy };
            left = Expr { span: above.left.span, kind: ExprKind::Binary(Box::new(copy)) };
        }
        unreachable!("the first link is self")
    }
}

impl PartialEq for Binary {
    fn eq(&self, other: &Binary) -> bool {
        let (mut a, mut b) = (self, other);
        loop {
            if (a.op, a.left.span) != (b.op, b.left.span) || a.right != b.right {
                return false;
            }
            match (&a.left.kind, &b.left.kind) {
                (ExprKind::Binary(x), ExprKind::Binary(y)) => (a, b) = (x, y),
                (x, y) => return x == y,
            }
        }
    }
}

impl Drop for Binary {
    fn drop(&mut self) {
        let take = |e: &mut Expr| std::mem::replace(&mut e.kind, ExprKind::Default);
        let mut left = take(&mut self.left);
        while let ExprKind::Binary(b) = &mut left {
            left = take(&mut b.left);
        }
    }
}

/// A simple or searched `CASE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The operand of a simple `CASE`: then each `when` is a value, otherwise a condition.
    pub operand: Option<Expr>,
    /// The branches, at least one.
    pub branches: Vec<CaseBranch>,
    /// The result after `ELSE`; without one NULL.
    pub otherwise: Option<Expr>,
}

/// `WHEN when THEN then`.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseBranch {
    /// A condition, or a value to compare the operand with.
    pub when: Expr,
    /// The result of the branch.
    pub then: Expr,
}

/// `IIF(condition, then, otherwise)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Iif {
    /// The condition that chooses the value.
    pub condition: Expr,
    /// When it is true.
    pub then: Expr,
    /// When it is false or unknown.
    pub otherwise: Expr,
}

/// Which conversion function was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastKind {
    /// `CAST(x AS type)` or `TRY_CAST`.
    Cast,
    /// `CONVERT(type, x [, style])` or `TRY_CONVERT`.
    Convert,
    /// `PARSE(x AS type [USING culture])` or `TRY_PARSE`.
    Parse,
}

/// A conversion, by any of its functions.
#[derive(Clone, Debug, PartialEq)]
pub struct Cast {
    /// The function that was written.
    pub kind: CastKind,
    /// The `TRY_` form: NULL instead of an error.
    pub try_: bool,
    /// The value that is converted.
    pub operand: Expr,
    /// The type that the value is converted to.
    pub ty: DataType,
    /// `CONVERT`'s style or `PARSE`'s culture.
    pub style: Option<Expr>,
}

/// A type's name with its arguments. Names of several words arrive in their short form
/// (`national character varying` as `nvarchar`, `double precision` as `float`).
#[derive(Clone, PartialEq)]
pub struct DataType {
    /// The type, perhaps with a schema.
    pub name: ObjectName,
    /// The arguments in parentheses, up to two: length, or precision and scale.
    pub arguments: Vec<TypeArgument>,
    /// The text of the whole type.
    pub span: Span,
}

impl fmt::Debug for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.name, f)?;
        for (n, argument) in self.arguments.iter().enumerate() {
            f.write_str(if n == 0 { "(" } else { ", " })?;
            fmt::Debug::fmt(argument, f)?;
        }
        if !self.arguments.is_empty() {
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// An argument of a type.
#[derive(Clone, PartialEq)]
pub enum TypeArgument {
    /// A number (digits that do not fit saturate: no type takes them).
    Number(u32),
    /// `MAX`, for long values of up to 2 GB.
    Max,
    /// A name: an XML schema collection.
    Name(ObjectName),
}

impl fmt::Debug for TypeArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeArgument::Number(n) => write!(f, "{n}"),
            TypeArgument::Max => f.write_str("MAX"),
            TypeArgument::Name(name) => fmt::Debug::fmt(name, f),
        }
    }
}

/// A function call. A date part (`DATEADD(day, …)`) arrives as a column of that name; `TRIM(LEADING x FROM y)`
/// arrives as `TRIM(y, x)` with [`TrimSide`]; `JSON_OBJECT(k : v)` as `JSON_OBJECT(k, v)`.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    /// The function, perhaps with a schema.
    pub name: ObjectName,
    /// The arguments; empty for `COUNT(*)` and niladic functions.
    pub arguments: Vec<Expr>,
    /// `COUNT(*)`: a star was the argument.
    pub star: bool,
    /// `DISTINCT` before the argument.
    pub distinct: bool,
    /// Written without parentheses (`CURRENT_TIMESTAMP`, `USER` …).
    pub niladic: bool,
    /// Written as `{fn …}`.
    pub odbc: bool,
    /// The side in `TRIM(LEADING x FROM y)`.
    pub trim: Option<TrimSide>,
    /// `ABSENT ON NULL` is `Some(true)`, `NULL ON NULL` `Some(false)`; of JSON_OBJECT and JSON_ARRAY.
    pub absent_on_null: Option<bool>,
    /// `IGNORE NULLS` is `Some(true)`, `RESPECT NULLS` `Some(false)`.
    pub ignore_nulls: Option<bool>,
    /// `WITHIN GROUP (ORDER BY …)`.
    pub within_group: Vec<OrderItem>,
    /// The window after `OVER`.
    pub over: Option<Box<Over>>,
}

/// The side from which `TRIM` takes characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrimSide {
    /// `LEADING`: from the start of the string.
    Leading,
    /// `TRAILING`: from the end of the string.
    Trailing,
    /// `BOTH`: from the start and the end.
    Both,
}

/// A window: `OVER (PARTITION BY … ORDER BY … ROWS …)`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Over {
    /// The name of a window of the `WINDOW` clause that this one extends or is.
    pub window: Option<Ident>,
    /// The expressions of `PARTITION BY`; equal values make one partition.
    pub partition_by: Vec<Expr>,
    /// The order of the rows within a partition.
    pub order_by: Vec<OrderItem>,
    /// The rows around the current one that the function sees: `ROWS` or `RANGE`.
    pub frame: Option<Frame>,
}

/// The frame of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// `RANGE` rather than `ROWS`.
    pub range: bool,
    /// The end at which the frame begins.
    pub start: FrameBound,
    /// Where it ends; the current row when nothing was said.
    pub end: FrameBound,
}

/// One end of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameBound {
    /// `UNBOUNDED PRECEDING`: the partition's first row.
    UnboundedPreceding,
    /// `n PRECEDING`: n rows before the current one.
    Preceding(Expr),
    /// `CURRENT ROW`: the row that the value is for.
    CurrentRow,
    /// `n FOLLOWING`: n rows after the current one.
    Following(Expr),
    /// `UNBOUNDED FOLLOWING`: the partition's last row.
    UnboundedFollowing,
}

/// `NEXT VALUE FOR sequence`.
#[derive(Clone, Debug, PartialEq)]
pub struct NextValue {
    /// The sequence that gives the number.
    pub sequence: ObjectName,
    /// `OVER (ORDER BY …)`.
    pub over: Option<Over>,
}

/// `IDENTITY(type [, seed, increment])`.
#[derive(Clone, Debug, PartialEq)]
pub struct IdentityFunction {
    /// The type of the new column.
    pub ty: DataType,
    /// The seed and the increment; without them both are 1.
    pub arguments: Option<(Expr, Expr)>,
}

/// Kinds of ODBC literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OdbcLiteral {
    /// A date: `{d '…'}`.
    Date,
    /// A time of day: `{t '…'}`.
    Time,
    /// A date and time: `{ts '…'}`.
    Timestamp,
    /// A uniqueidentifier: `{guid '…'}`.
    Guid,
}

/// The name of the method `modify` where it changes a variable or column, so that no other call bears it.
pub const CHANGE_OF_XML: &str = "modify()";

/// A method called on a value: `target.name(arguments)`.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodCall {
    /// A variable or a parenthesised value.
    pub target: Expr,
    /// The method's name, in the case written.
    pub name: Ident,
    /// The arguments in the order written.
    pub arguments: Vec<Expr>,
}

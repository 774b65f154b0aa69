//! The parts of an expression, as they were read.

use super::name::QName;
use std::sync::Arc;

/// The direction of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Child,
    Attribute,
    Itself,
    Parent,
    Descendant,
    DescendantOrSelf,
}

/// The nodes that a step wants.
#[derive(Clone)]
pub(super) enum NodeTest {
    Node,
    Text,
    Comment,
    /// A processing instruction, perhaps of a name.
    Instruction(Option<String>),
    /// An element or attribute; None stands for `*`.
    Name {
        uri: Option<Arc<str>>,
        local: Option<Arc<str>>,
    },
}

/// A step of a path.
pub(super) struct Step {
    /// Whether `//` stands before it.
    pub deep: bool,
    pub axis: Axis,
    pub test: NodeTest,
    pub predicates: Vec<Expr>,
}

/// The place where a path begins.
pub(super) enum Start {
    /// The node that the expression is looked at from.
    Here,
    /// The root of the document.
    Document,
    /// The nodes of an expression.
    Inner(Box<Expr>),
}

/// A way to nodes.
pub(super) struct Path {
    pub start: Start,
    pub steps: Vec<Step>,
}

impl Path {
    /// It is `.` alone.
    pub fn is_here(&self) -> bool {
        let itself = |s: &Step| !s.deep && s.axis == Axis::Itself && s.predicates.is_empty();
        let here = |s: &Step| itself(s) && matches!(s.test, NodeTest::Node);
        matches!(self.start, Start::Here) && matches!(&self.steps[..], [only] if here(only))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// How a comparison is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CompareForm {
    /// `=` and its like: some value of the one side and some of the other.
    General,
    /// `eq` and its like: one value of each side.
    Single,
}

/// Comparisons of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeOp {
    Is,
    Before,
    After,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QueryFunction {
    Avg,
    Ceiling,
    Concat,
    Contains,
    Count,
    Data,
    DistinctValues,
    Empty,
    False,
    Floor,
    Last,
    LocalName,
    LowerCase,
    Max,
    Min,
    NamespaceUri,
    Not,
    Number,
    Position,
    Round,
    Text,
    StringLength,
    Substring,
    Sum,
    True,
    UpperCase,
}

/// The functions: name, least and most arguments.
pub(super) const QUERY_FUNCTIONS: &[(&str, QueryFunction, usize, usize)] = &[
    ("avg", QueryFunction::Avg, 1, 1),
    ("ceiling", QueryFunction::Ceiling, 1, 1),
    ("concat", QueryFunction::Concat, 2, usize::MAX),
    ("contains", QueryFunction::Contains, 2, 2),
    ("count", QueryFunction::Count, 1, 1),
    ("data", QueryFunction::Data, 0, 1),
    ("distinct-values", QueryFunction::DistinctValues, 1, 1),
    ("empty", QueryFunction::Empty, 1, 1),
    ("false", QueryFunction::False, 0, 0),
    ("floor", QueryFunction::Floor, 1, 1),
    ("last", QueryFunction::Last, 0, 0),
    ("local-name", QueryFunction::LocalName, 0, 1),
    ("lower-case", QueryFunction::LowerCase, 1, 1),
    ("max", QueryFunction::Max, 1, 1),
    ("min", QueryFunction::Min, 1, 1),
    ("namespace-uri", QueryFunction::NamespaceUri, 0, 1),
    ("not", QueryFunction::Not, 1, 1),
    ("number", QueryFunction::Number, 0, 1),
    ("position", QueryFunction::Position, 0, 0),
    ("round", QueryFunction::Round, 1, 1),
    ("string", QueryFunction::Text, 0, 1),
    ("string-length", QueryFunction::StringLength, 0, 1),
    ("substring", QueryFunction::Substring, 2, 3),
    ("sum", QueryFunction::Sum, 1, 1),
    ("true", QueryFunction::True, 0, 0),
    ("upper-case", QueryFunction::UpperCase, 1, 1),
];

impl QueryFunction {
    pub fn name(self) -> &'static str {
        QUERY_FUNCTIONS.iter().find(|f| f.1 == self).map_or("", |f| f.0)
    }
}

/// Types of atoms that an expression may name or have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtomType {
    Untyped,
    Text,
    Integer,
    Decimal,
    Double,
    Boolean,
    Date,
    Time,
    DateTime,
}

impl AtomType {
    pub fn name(self) -> &'static str {
        match self {
            AtomType::Untyped => "xdt:untypedAtomic",
            AtomType::Text => "xs:string",
            AtomType::Integer => "xs:integer",
            AtomType::Decimal => "xs:decimal",
            AtomType::Double => "xs:double",
            AtomType::Boolean => "xs:boolean",
            AtomType::Date => "xs:date",
            AtomType::Time => "xs:time",
            AtomType::DateTime => "xs:dateTime",
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, AtomType::Integer | AtomType::Decimal | AtomType::Double)
    }
}

/// A part of FLWOR before its `return`.
pub(super) enum Clause {
    For(usize, Expr),
    Let(usize, Expr),
    Where(Expr),
}

/// `for … let … where … order by … return …`.
pub(super) struct Flwor {
    pub clauses: Vec<Clause>,
    /// Each key, and whether the greatest comes first.
    pub order: Vec<(Expr, bool)>,
    pub result: Expr,
}

/// A piece of the content of a constructed element, or of a value of an attribute.
pub(super) enum Content {
    Text(String),
    Enclosed(Expr),
}

/// An element that is constructed.
pub(super) struct Constructed {
    pub name: QName,
    /// The namespaces that it declares.
    pub declared: Vec<(Arc<str>, Arc<str>)>,
    pub attributes: Vec<(QName, Vec<Content>)>,
    pub content: Vec<Content>,
}

pub(super) enum Expr {
    Path(Path),
    Text(String),
    /// A number of type integer or decimal, in units of [`UNIT`](super::atom::UNIT).
    Decimal(i128, AtomType),
    Double(f64),
    /// A variable of the expression, by number.
    Variable(usize),
    /// `sql:column` or `sql:variable`, by number.
    Outside(usize),
    Call(QueryFunction, Vec<Expr>),
    Cast(AtomType, Box<Expr>),
    Compare(Op, CompareForm, Box<(Expr, Expr)>),
    CompareNodes(NodeOp, Box<(Expr, Expr)>),
    Arithmetic(ArithmeticOp, Box<(Expr, Expr)>),
    Negate(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Sequence(Vec<Expr>),
    Union(Vec<Expr>),
    /// An expression with predicates behind it.
    Filter(Box<Expr>, Vec<Expr>),
    If(Box<(Expr, Expr, Expr)>),
    Flwor(Box<Flwor>),
    /// Whether all must satisfy, the variables, and the condition.
    Quantified(bool, Vec<(usize, Expr)>, Box<Expr>),
    Element(Box<Constructed>),
    Attribute(QName, Vec<Content>),
    TextNode(Box<Expr>),
    /// Text that is constructed as it stands: a CDATA section.
    TextOf(String),
    Comment(String),
    Instruction(String, String),
}

/// The place of an insertion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InsertPlace {
    First,
    Last,
    Before,
    After,
}

/// A change of a document: the argument of modify().
pub(super) enum XmlChange {
    Insert(Expr, InsertPlace, Expr),
    Delete(Expr),
    Replace(Expr, Expr),
}

/// The whole of an expression.
pub(super) enum Body {
    Value(Expr),
    Change(XmlChange),
}

impl Expr {
    /// A number that chooses one by its position.
    pub(super) fn is_position(&self) -> bool {
        matches!(self, Expr::Decimal(..) | Expr::Call(QueryFunction::Last, _))
    }
}

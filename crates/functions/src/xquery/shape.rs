//! What an expression comes to as far as that is known before it is evaluated: the kind of its items, and how many there are.

use super::expr::*;
use super::read::place;
use taffrail_base::{SqlError, SqlResult};

/// The kind of the items of a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ItemKind {
    Element(String),
    Attribute(String),
    Text,
    Comment,
    Instruction,
    Node,
    Atom(AtomType),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Count {
    Empty,
    One,
    Optional,
    Many,
}

/// The kind and the count of a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Shape {
    pub kind: ItemKind,
    pub count: Count,
}

impl Shape {
    fn one(kind: ItemKind) -> Shape {
        Shape { kind, count: Count::One }
    }

    fn atom(ty: AtomType, count: Count) -> Shape {
        Shape { kind: ItemKind::Atom(ty), count }
    }

    fn empty() -> Shape {
        Shape { kind: ItemKind::Node, count: Count::Empty }
    }

    pub fn is_node(&self) -> bool {
        !matches!(self.kind, ItemKind::Atom(_))
    }

    /// The type as errors name it.
    pub fn name(&self) -> String {
        let kind = match &self.kind {
            _ if self.count == Count::Empty => return "empty".into(),
            ItemKind::Element(name) => format!("element({name},xdt:untyped)"),
            ItemKind::Attribute(name) => format!("attribute({name},xdt:untypedAtomic)"),
            ItemKind::Text => "text".into(),
            ItemKind::Comment => "comment".into(),
            ItemKind::Instruction => "processing-instruction".into(),
            ItemKind::Node => "node()".into(),
            ItemKind::Atom(ty) => ty.name().into(),
        };
        match self.count {
            Count::Optional => format!("{kind} ?"),
            Count::Many => format!("{kind} *"),
            _ => kind,
        }
    }

    /// The shape of the values of the items.
    fn data(&self) -> Shape {
        match self.kind {
            ItemKind::Atom(_) => self.clone(),
            _ => Shape::atom(AtomType::Untyped, self.count),
        }
    }
}

/// Judges an expression: the method, and the kinds of the values of SQL.
pub(super) struct Judge<'a> {
    pub method: &'a str,
    /// The types of the values of SQL; None for one of type xml.
    pub outside: &'a [Option<AtomType>],
    pub variables: Vec<Shape>,
    /// A value of type xml may stand here: it is what is inserted.
    pub xml_allowed: bool,
}

fn both(a: Count, b: Count) -> Count {
    match (a, b) {
        (Count::Empty, other) | (other, Count::Empty) => other,
        _ => Count::Many,
    }
}

/// The count of one or the other.
fn either(a: Count, b: Count) -> Count {
    match (a, b) {
        (Count::Many, _) | (_, Count::Many) => Count::Many,
        (Count::One, Count::One) => Count::One,
        (Count::Empty, Count::Empty) => Count::Empty,
        _ => Count::Optional,
    }
}

impl Judge<'_> {
    pub fn error(&self, number: i32, args: &[&dyn std::fmt::Display]) -> Box<SqlError> {
        let place = place(self.method);
        let mut all: Vec<&dyn std::fmt::Display> = vec![&place];
        all.extend_from_slice(args);
        SqlError::new(number, &all)
    }

    /// 2389: what takes one thing at most is given more.
    pub fn single(&self, what: &str, shape: &Shape) -> SqlResult<()> {
        match shape.count {
            Count::Many => Err(self.error(2389, &[&what, &shape.data().name()])),
            _ => Ok(()),
        }
    }

    pub fn shape(&mut self, e: &Expr) -> SqlResult<Shape> {
        let inserted = std::mem::take(&mut self.xml_allowed);
        Ok(match e {
            Expr::Path(path) => self.path(path)?,
            Expr::Text(_) => Shape::atom(AtomType::Text, Count::One),
            Expr::Decimal(_, ty) => Shape::atom(*ty, Count::One),
            Expr::Double(_) => Shape::atom(AtomType::Double, Count::One),
            Expr::Variable(n) => self.variables[*n].clone(),
            Expr::Outside(n) => match self.outside.get(*n) {
                Some(Some(ty)) => Shape::atom(*ty, Count::Optional),
                _ if inserted => Shape { kind: ItemKind::Node, count: Count::Many },
                _ => return Err(self.error(9342, &[])),
            },
            Expr::Call(function, args) => self.call(*function, args)?,
            Expr::Cast(ty, inner) => self.cast(*ty, inner)?,
            Expr::Compare(op, form, sides) => self.compare(*op, *form, sides)?,
            Expr::CompareNodes(_, sides) => self.nodes_compared(sides)?,
            Expr::Arithmetic(op, sides) => self.arithmetic(*op, sides)?,
            Expr::Negate(inner) => {
                let of = self.shape(inner)?;
                self.single("-", &of)?;
                Shape::atom(self.number_of(&of, "-")?, Count::Optional)
            }
            Expr::And(list) | Expr::Or(list) => {
                for e in list {
                    self.condition(e, 2204)?;
                }
                Shape::atom(AtomType::Boolean, Count::One)
            }
            Expr::Sequence(list) | Expr::Union(list) => self.sequence(list, inserted)?,
            Expr::Filter(inner, predicates) => {
                let of = self.shape(inner)?;
                let one = self.predicates(predicates)?;
                Shape { count: narrowed(of.count, one, !predicates.is_empty()), ..of }
            }
            Expr::If(parts) => {
                self.condition(&parts.0, 2204)?;
                let (a, b) = (self.shape(&parts.1)?, self.shape(&parts.2)?);
                let count = either(a.count, b.count);
                Shape { count, ..self.joined(a, b)? }
            }
            Expr::Flwor(f) => self.flwor(f)?,
            Expr::Quantified(_, bindings, condition) => self.quantified(bindings, condition)?,
            Expr::Element(c) => {
                for value in c.attributes.iter().map(|a| &a.1).chain([&c.content]) {
                    self.contents(value)?;
                }
                Shape::one(ItemKind::Element(c.name.local.to_string()))
            }
            Expr::Attribute(name, value) => {
                self.contents(value)?;
                Shape::one(ItemKind::Attribute(name.local.to_string()))
            }
            Expr::TextNode(inner) => {
                self.shape(inner)?;
                Shape::one(ItemKind::Text)
            }
            Expr::TextOf(_) => Shape::one(ItemKind::Text),
            Expr::Comment(_) => Shape::one(ItemKind::Comment),
            Expr::Instruction(..) => Shape::one(ItemKind::Instruction),
        })
    }

    fn cast(&mut self, ty: AtomType, inner: &Expr) -> SqlResult<Shape> {
        let of = self.shape(inner)?;
        self.single("cast as", &of)?;
        if let (Expr::Text(text), AtomType::Double) = (inner, ty)
            && super::atom::Atom::Text(text.clone()).cast(ty).is_none()
        {
            return Err(self.error(9319, &[text]));
        }
        Ok(Shape::atom(ty, Count::Optional))
    }

    fn nodes_compared(&mut self, sides: &(Expr, Expr)) -> SqlResult<Shape> {
        for side in [&sides.0, &sides.1] {
            let of = self.shape(side)?;
            if !of.is_node() {
                return Err(self.error(2374, &[&"node comparison"]));
            }
            self.single("is", &of)?;
        }
        Ok(Shape::atom(AtomType::Boolean, Count::Optional))
    }

    fn quantified(&mut self, bindings: &[(usize, Expr)], condition: &Expr) -> SqlResult<Shape> {
        for (n, of) in bindings {
            let shape = self.shape(of)?;
            self.bind(*n, Shape { count: Count::One, ..shape });
        }
        self.condition(condition, 2204)?;
        Ok(Shape::atom(AtomType::Boolean, Count::One))
    }

    fn contents(&mut self, list: &[Content]) -> SqlResult<()> {
        for part in list {
            if let Content::Enclosed(e) = part {
                self.shape(e)?;
            }
        }
        Ok(())
    }

    fn bind(&mut self, n: usize, shape: Shape) {
        while self.variables.len() <= n {
            self.variables.push(Shape::empty());
        }
        self.variables[n] = shape;
    }

    fn sequence(&mut self, list: &[Expr], inserted: bool) -> SqlResult<Shape> {
        let mut all = Shape::empty();
        for e in list {
            self.xml_allowed = inserted;
            let next = self.shape(e)?;
            let count = both(all.count, next.count);
            all = Shape { count, ..self.joined(all, next)? };
        }
        Ok(all)
    }

    /// The kind of a sequence of both: 2210 for nodes beside values.
    fn joined(&self, a: Shape, b: Shape) -> SqlResult<Shape> {
        let kind = match (&a.kind, &b.kind) {
            _ if a.count == Count::Empty => b.kind,
            _ if b.count == Count::Empty => a.kind,
            (x, y) if x == y => a.kind,
            (ItemKind::Atom(x), ItemKind::Atom(y)) if x.is_number() && y.is_number() => {
                ItemKind::Atom(wider(*x, *y))
            }
            (ItemKind::Atom(AtomType::Untyped), ItemKind::Atom(AtomType::Text))
            | (ItemKind::Atom(AtomType::Text), ItemKind::Atom(AtomType::Untyped)) => {
                ItemKind::Atom(AtomType::Text)
            }
            (ItemKind::Atom(_), _) | (_, ItemKind::Atom(_)) => {
                return Err(self.error(2210, &[&a.name(), &b.name()]));
            }
            _ => ItemKind::Node,
        };
        Ok(Shape { kind, count: Count::Many })
    }

    fn flwor(&mut self, f: &Flwor) -> SqlResult<Shape> {
        let mut count = Count::One;
        for clause in &f.clauses {
            match clause {
                Clause::For(n, of) => {
                    let shape = self.shape(of)?;
                    count = either(count, shape.count);
                    self.bind(*n, Shape { count: Count::One, ..shape });
                }
                Clause::Let(n, of) => {
                    let shape = self.shape(of)?;
                    self.bind(*n, shape);
                }
                Clause::Where(e) => {
                    self.condition(e, 2204)?;
                    count = either(count, Count::Empty);
                }
            }
        }
        for (key, _) in &f.order {
            let of = self.shape(key)?;
            self.single("order by", &of)?;
        }
        let result = self.shape(&f.result)?;
        let count = match (count, result.count) {
            (_, Count::Empty) => Count::Empty,
            (Count::One, other) => other,
            (Count::Many, _) | (_, Count::Many) => Count::Many,
            _ => Count::Optional,
        };
        Ok(Shape { count, ..result })
    }

    /// 2203, 2204: a condition of text or another value that is neither true nor false.
    fn condition(&mut self, e: &Expr, number: i32) -> SqlResult<()> {
        let of = self.shape(e)?;
        let number_too = |ty: AtomType| number == 2203 && ty.is_number();
        match of.kind {
            ItemKind::Atom(AtomType::Boolean) => Ok(()),
            ItemKind::Atom(ty) if of.count != Count::Empty && !number_too(ty) => {
                Err(self.error(number, &[&of.name()]))
            }
            _ => Ok(()),
        }
    }

    /// Whether one of them chooses a single item by its position.
    fn predicates(&mut self, list: &[Expr]) -> SqlResult<bool> {
        for p in list {
            // A value of SQL may be a position.
            if !matches!(p, Expr::Outside(_)) {
                self.condition(p, 2203)?;
            }
        }
        Ok(list.iter().any(Expr::is_position))
    }

    fn path(&mut self, path: &Path) -> SqlResult<Shape> {
        let mut at = match &path.start {
            Start::Here | Start::Document => Shape::one(ItemKind::Node),
            Start::Inner(e) => {
                let of = self.shape(e)?;
                if !of.is_node() && of.count != Count::Empty {
                    return Err(self.error(2374, &[&"'/'"]));
                }
                of
            }
        };
        for step in &path.steps {
            let one = self.predicates(&step.predicates)?;
            let kind = match (&step.test, step.axis) {
                (NodeTest::Node, Axis::Itself) => at.kind.clone(),
                (NodeTest::Node, Axis::Attribute) => ItemKind::Attribute("*".into()),
                (NodeTest::Node, Axis::Parent) => ItemKind::Element("*".into()),
                (NodeTest::Node, _) => ItemKind::Node,
                (NodeTest::Text, _) => ItemKind::Text,
                (NodeTest::Comment, _) => ItemKind::Comment,
                (NodeTest::Instruction(_), _) => ItemKind::Instruction,
                (NodeTest::Name { local, .. }, axis) => {
                    let name = local.as_deref().unwrap_or("*").to_owned();
                    match axis {
                        Axis::Attribute => ItemKind::Attribute(name),
                        _ => ItemKind::Element(name),
                    }
                }
            };
            let named = matches!(&step.test, NodeTest::Name { local: Some(_), .. });
            let single = match step.axis {
                Axis::Itself | Axis::Parent => true,
                Axis::Attribute => named,
                _ => false,
            };
            let plain = step.axis == Axis::Itself && step.predicates.is_empty();
            let count = match at.count {
                Count::Empty => Count::Empty,
                _ if step.deep => Count::Many,
                Count::Many => Count::Many,
                count if plain && matches!(step.test, NodeTest::Node) => count,
                _ if single || one => Count::Optional,
                _ => Count::Many,
            };
            at = Shape { kind, count };
        }
        Ok(at)
    }
}

fn wider(a: AtomType, b: AtomType) -> AtomType {
    match (a, b) {
        (AtomType::Double, _) | (_, AtomType::Double) => AtomType::Double,
        (AtomType::Integer, AtomType::Integer) => AtomType::Integer,
        _ => AtomType::Decimal,
    }
}

/// The count behind predicates; `one`: they choose by a position.
fn narrowed(count: Count, one: bool, any: bool) -> Count {
    match count {
        Count::Many if one => Count::Optional,
        Count::One if any => Count::Optional,
        count => count,
    }
}

impl Judge<'_> {
    fn compare(&mut self, op: Op, form: CompareForm, sides: &(Expr, Expr)) -> SqlResult<Shape> {
        let (l, r) = (self.shape(&sides.0)?.data(), self.shape(&sides.1)?.data());
        let sign = match (form, op) {
            (CompareForm::General, Op::Eq) => "=",
            (CompareForm::General, Op::Ne) => "!=",
            (CompareForm::General, Op::Lt) => "<",
            (CompareForm::General, Op::Le) => "<=",
            (CompareForm::General, Op::Gt) => ">",
            (CompareForm::General, Op::Ge) => ">=",
            (_, Op::Eq) => "eq",
            (_, Op::Ne) => "ne",
            (_, Op::Lt) => "lt",
            (_, Op::Le) => "le",
            (_, Op::Gt) => "gt",
            (_, Op::Ge) => "ge",
        };
        if form == CompareForm::Single {
            self.single(sign, &l)?;
            self.single(sign, &r)?;
        }
        let (ItemKind::Atom(a), ItemKind::Atom(b)) = (&l.kind, &r.kind) else {
            return Ok(Shape::atom(AtomType::Boolean, Count::One));
        };
        let alike = a == b
            || *a == AtomType::Untyped
            || *b == AtomType::Untyped
            || a.is_number() && b.is_number();
        // A value of SQL takes the type of the other side.
        let outside = matches!(sides.0, Expr::Outside(_)) || matches!(sides.1, Expr::Outside(_));
        if !alike && !outside && l.count != Count::Empty && r.count != Count::Empty {
            return Err(self.error(2234, &[&sign, &l.name(), &r.name()]));
        }
        Ok(Shape::atom(AtomType::Boolean, Count::One))
    }

    /// The type of numbers that a value stands for: 9308 for one that is none.
    fn number_of(&self, of: &Shape, what: &str) -> SqlResult<AtomType> {
        match of.data().kind {
            ItemKind::Atom(AtomType::Untyped) => Ok(AtomType::Double),
            ItemKind::Atom(ty) if ty.is_number() => Ok(ty),
            _ if of.count == Count::Empty => Ok(AtomType::Double),
            _ => Err(self.error(9308, &[&what, &of.data().name()])),
        }
    }

    fn arithmetic(&mut self, op: ArithmeticOp, sides: &(Expr, Expr)) -> SqlResult<Shape> {
        let sign = match op {
            ArithmeticOp::Add => "+",
            ArithmeticOp::Subtract => "-",
            ArithmeticOp::Multiply => "*",
            ArithmeticOp::Divide => "div",
            ArithmeticOp::Modulo => "mod",
        };
        let (l, r) = (self.shape(&sides.0)?.data(), self.shape(&sides.1)?.data());
        self.single(sign, &l)?;
        self.single(sign, &r)?;
        let operand = |s: &Shape| match s.kind {
            ItemKind::Atom(AtomType::Untyped) => Some(None),
            ItemKind::Atom(ty) if ty.is_number() => Some(Some(ty)),
            _ => None,
        };
        let ty = match (operand(&l), operand(&r)) {
            (Some(None), Some(None)) => AtomType::Double,
            (Some(None), Some(Some(ty))) | (Some(Some(ty)), Some(None)) => ty,
            (Some(Some(a)), Some(Some(b))) => wider(wider(a, b), AtomType::Decimal),
            _ => return Err(self.error(2234, &[&sign, &l.name(), &r.name()])),
        };
        Ok(Shape::atom(ty, Count::Optional))
    }

    fn call(&mut self, function: QueryFunction, args: &[Expr]) -> SqlResult<Shape> {
        use QueryFunction::*;
        let mut shapes = Vec::with_capacity(args.len());
        for e in args {
            shapes.push(self.shape(e)?);
        }
        let many =
            matches!(function, Avg | Count | Data | DistinctValues | Empty | Max | Min | Not | Sum);
        let name = format!("{}()", function.name());
        if !many {
            for shape in &shapes {
                self.single(&name, shape)?;
            }
        }
        let first = shapes.first().cloned().unwrap_or_else(|| Shape::one(ItemKind::Node));
        let text = |count| Shape::atom(AtomType::Text, count);
        use self::Count as Times;
        Ok(match function {
            Count | Last | Position | StringLength => Shape::atom(AtomType::Integer, Times::One),
            Empty | Not | True | False | Contains => Shape::atom(AtomType::Boolean, Times::One),
            Concat | Text | LowerCase | UpperCase => text(Times::One),
            LocalName | NamespaceUri => text(Times::One),
            Substring => text(Times::Optional),
            Number => {
                if !first.is_node() && first.count != Times::Empty {
                    return Err(self.error(2374, &[&name]));
                }
                Shape::atom(AtomType::Double, Times::Optional)
            }
            Data | DistinctValues => first.data(),
            Floor | Ceiling | Round => Shape::atom(self.number_of(&first, &name)?, Times::Optional),
            Sum | Avg => {
                let count = if function == Sum { Times::One } else { Times::Optional };
                Shape::atom(self.number_of(&first, &name)?, count)
            }
            Min | Max => Shape { count: Times::Optional, ..first.data() },
        })
    }
}

//! What an expression comes to. An error of a value (a text that is no number, a division by zero) gives nothing, as in SQL Server;
//! only a cancelled batch and a lack of memory end the work.

use super::atom::{Atom, computed, holds, order};
use super::expr::*;
use super::tree::{Found, Node, Tree};
use crate::pieces;
use std::collections::HashSet;
use taffrail_base::SqlResult;
use taffrail_io::heap;

/// A node or a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Item {
    Node(Found),
    Atom(Atom),
}

pub(super) type Val = Vec<Item>;

/// Where an expression is looked at from.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub at: Found,
    pub position: usize,
    pub last: usize,
}

impl Here {
    pub fn alone(at: Found) -> Here {
        Here { at, position: 1, last: 1 }
    }
}

/// So many nodes are visited between two looks at whether the batch was cancelled.
const NODES_PER_LOOK: usize = 4096;
/// So many bytes of text cost what a node does.
const BYTES_OF_A_NODE: usize = 64;

/// A document that is asked.
pub(super) struct Asked<'a> {
    pub tree: &'a mut Tree,
    /// The values of SQL; None for NULL.
    pub outside: &'a [Option<Atom>],
    /// Texts of type xml among them.
    pub fragments: &'a [Option<String>],
    pub variables: Vec<Val>,
    /// The value that a predicate looks at, which `.` is; None where it looks at a node.
    pub item: Option<Atom>,
    /// Nodes that were visited since the last look.
    pub visited: usize,
    /// Bytes that the thread had on the heap at the beginning.
    pub heap: isize,
}

fn atom(a: Atom) -> Val {
    vec![Item::Atom(a)]
}

pub(super) fn truth(v: &Val) -> bool {
    match v.first() {
        Some(Item::Atom(a)) if v.len() == 1 => match a {
            Atom::Text(t) | Atom::Untyped(t) => !t.is_empty(),
            Atom::Decimal(n, _) => *n != 0,
            Atom::Double(n) => *n != 0.0 && !n.is_nan(),
            Atom::Bool(b) => *b,
            Atom::Moment(..) => true,
        },
        Some(_) => true,
        None => false,
    }
}

impl Asked<'_> {
    /// So many nodes are visited: ends the work where the batch was cancelled.
    pub fn visit(&mut self, nodes: usize) -> SqlResult<()> {
        self.visited += nodes;
        if self.visited >= NODES_PER_LOOK {
            self.visited = 0;
            pieces::look()?;
        }
        Ok(())
    }

    /// 701 where what was found so far, texts and all, takes too much.
    fn room(&self) -> SqlResult<()> {
        let taken = usize::try_from(heap::taken() - self.heap).unwrap_or(0);
        if taken > pieces::PIECE { pieces::memory(taken) } else { Ok(()) }
    }

    pub(super) fn visit_text(&mut self, bytes: usize) -> SqlResult<()> {
        self.visit(1 + bytes / BYTES_OF_A_NODE)
    }

    pub fn data(&self, item: &Item) -> Atom {
        match item {
            Item::Atom(a) => a.clone(),
            Item::Node(found) => {
                let mut out = String::new();
                self.tree.string(*found, &mut out);
                Atom::Untyped(out)
            }
        }
    }

    /// The values of the items.
    pub(super) fn atoms(&mut self, v: &Val) -> SqlResult<Vec<Atom>> {
        let mut out = Vec::with_capacity(v.len());
        for item in v {
            let a = self.data(item);
            let bytes = if let Atom::Untyped(t) | Atom::Text(t) = &a { t.len() } else { 0 };
            self.visit_text(bytes)?;
            out.push(a);
        }
        Ok(out)
    }

    /// The text of a value; of several items the first's.
    pub fn text(&self, v: &Val) -> String {
        v.first().map_or_else(String::new, |item| self.data(item).text())
    }

    pub fn value(&mut self, e: &Expr, here: Here) -> SqlResult<Val> {
        self.room()?;
        Ok(match e {
            Expr::Path(path) if self.item.is_some() && matches!(path.start, Start::Here) => {
                // A value has no nodes around it.
                self.item.clone().filter(|_| path.is_here()).map_or_else(Vec::new, atom)
            }
            Expr::Path(path) => self.path(path, here)?,
            Expr::Text(t) => atom(Atom::Text(t.clone())),
            Expr::Decimal(n, ty) => atom(Atom::Decimal(*n, *ty == AtomType::Integer)),
            Expr::Double(n) => atom(Atom::Double(*n)),
            Expr::Variable(n) => self.variables.get(*n).cloned().unwrap_or_default(),
            Expr::Outside(n) => self.value_of_sql(*n)?,
            Expr::And(list) => atom(Atom::Bool(!self.any_is(list, here, false)?)),
            Expr::Or(list) => atom(Atom::Bool(self.any_is(list, here, true)?)),
            Expr::Compare(op, _, sides) => {
                let (l, r) = (self.value(&sides.0, here)?, self.value(&sides.1, here)?);
                let outside = [&sides.0, &sides.1].iter().any(|s| matches!(s, Expr::Outside(_)));
                atom(Atom::Bool(self.compared(*op, &l, &r, outside)?))
            }
            Expr::CompareNodes(op, sides) => self.nodes_compared(*op, sides, here)?,
            Expr::Arithmetic(op, sides) => self.arithmetic(*op, sides, here)?,
            Expr::Negate(inner) => self.negated(inner, here)?,
            Expr::Cast(ty, inner) => {
                let v = self.value(inner, here)?;
                let cast = v.first().and_then(|item| self.data(item).cast(*ty));
                cast.map_or_else(Vec::new, atom)
            }
            Expr::Sequence(list) => {
                let mut out = Vec::new();
                for e in list {
                    out.extend(self.value(e, here)?);
                }
                out
            }
            Expr::Union(list) => self.union(list, here)?,
            Expr::Filter(inner, predicates) => {
                let of = self.value(inner, here)?;
                self.filtered(of, predicates, here)?
            }
            Expr::If(parts) => match self.holds(&parts.0, here)? {
                true => self.value(&parts.1, here)?,
                false => self.value(&parts.2, here)?,
            },
            Expr::Flwor(f) => self.flwor(f, here)?,
            Expr::Quantified(every, bindings, condition) => {
                let found = self.quantified(*every, bindings, condition, here)?;
                atom(Atom::Bool(found))
            }
            Expr::Call(function, args) => self.call(*function, args, here)?,
            constructor => self.constructed(constructor, here)?,
        })
    }

    pub fn holds(&mut self, e: &Expr, here: Here) -> SqlResult<bool> {
        Ok(truth(&self.value(e, here)?))
    }

    /// Whether one of the conditions is this.
    fn any_is(&mut self, list: &[Expr], here: Here, wanted: bool) -> SqlResult<bool> {
        for e in list {
            if self.holds(e, here)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn arithmetic(&mut self, op: ArithmeticOp, sides: &(Expr, Expr), here: Here) -> SqlResult<Val> {
        let (l, r) = (self.value(&sides.0, here)?, self.value(&sides.1, here)?);
        Ok(match (l.first(), r.first()) {
            (Some(l), Some(r)) => {
                computed(op, &self.data(l), &self.data(r)).map_or_else(Vec::new, atom)
            }
            _ => Vec::new(),
        })
    }

    fn negated(&mut self, inner: &Expr, here: Here) -> SqlResult<Val> {
        let v = self.value(inner, here)?;
        Ok(match v.first().map(|item| self.data(item)) {
            Some(Atom::Decimal(n, integer)) => atom(Atom::Decimal(-n, integer)),
            Some(a) => a.double().map_or_else(Vec::new, |n| atom(Atom::Double(-n))),
            None => Vec::new(),
        })
    }

    /// The nodes of all, each once, in the document's order.
    fn union(&mut self, list: &[Expr], here: Here) -> SqlResult<Val> {
        let mut met = HashSet::new();
        let mut out = Vec::new();
        for e in list {
            for item in self.value(e, here)? {
                if let Item::Node(found) = item
                    && met.insert(found)
                {
                    out.push(found);
                }
            }
        }
        out.sort_by_key(|f| f.place());
        Ok(out.into_iter().map(Item::Node).collect())
    }

    fn value_of_sql(&mut self, n: usize) -> SqlResult<Val> {
        if let Some(Some(text)) = self.fragments.get(n) {
            // Nodes that stand nowhere until they are inserted.
            let holder = super::construct::holder();
            let holder = self.tree.alone(holder);
            self.tree.read_into(holder, text)?;
            return Ok(self
                .tree
                .children(holder)
                .iter()
                .map(|c| Item::Node(Found::Node(*c)))
                .collect());
        }
        Ok(self.outside.get(n).and_then(Clone::clone).map_or_else(Vec::new, atom))
    }

    fn nodes_compared(&mut self, op: NodeOp, sides: &(Expr, Expr), here: Here) -> SqlResult<Val> {
        let (l, r) = (self.value(&sides.0, here)?, self.value(&sides.1, here)?);
        let (Some(Item::Node(l)), Some(Item::Node(r))) = (l.first(), r.first()) else {
            return Ok(Vec::new());
        };
        Ok(atom(Atom::Bool(match op {
            NodeOp::Is => l == r,
            NodeOp::Before => l.place() < r.place(),
            NodeOp::After => l.place() > r.place(),
        })))
    }

    /// Some value of the one side and some of the other. What SQL gives takes the type of the other side.
    fn compared(&mut self, op: Op, l: &Val, r: &Val, outside: bool) -> SqlResult<bool> {
        let (left, right) = (self.atoms(l)?, self.atoms(r)?);
        for a in &left {
            for b in &right {
                let bytes = if let Atom::Untyped(t) | Atom::Text(t) = a { t.len() } else { 0 };
                self.visit_text(bytes)?;
                let found = match order(a, b) {
                    None if outside => order(&Atom::Text(a.text()), &Atom::Text(b.text())),
                    found => found,
                };
                if found.is_some_and(|order| holds(op, order)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The items that predicates leave.
    fn filtered(&mut self, of: Val, predicates: &[Expr], outer: Here) -> SqlResult<Val> {
        let outer_item = self.item.take();
        let left = self.left_by(of, predicates, outer);
        self.item = outer_item;
        left
    }

    fn left_by(&mut self, mut of: Val, predicates: &[Expr], outer: Here) -> SqlResult<Val> {
        for p in predicates {
            if let Some(n) = fixed_position(p, of.len()) {
                of = of.into_iter().nth(n).into_iter().collect();
                continue;
            }
            let last = of.len();
            let mut kept = Vec::new();
            for (n, item) in of.into_iter().enumerate() {
                let (at, value) = match &item {
                    Item::Node(found) => (*found, None),
                    Item::Atom(a) => (outer.at, Some(a.clone())),
                };
                self.item = value;
                let here = Here { at, position: n + 1, last };
                if self.chosen(p, here)? {
                    kept.push(item);
                }
            }
            of = kept;
        }
        Ok(of)
    }

    fn chosen(&mut self, p: &Expr, here: Here) -> SqlResult<bool> {
        let v = self.value(p, here)?;
        Ok(match &v[..] {
            [Item::Atom(a)] if a.ty().is_number() => a.double() == Some(here.position as f64),
            _ => truth(&v),
        })
    }

    fn flwor(&mut self, f: &Flwor, here: Here) -> SqlResult<Val> {
        let mut out = Vec::new();
        if f.order.is_empty() {
            self.tuples(&f.clauses, here, &mut |asked| {
                let found = asked.value(&f.result, here)?;
                out.extend(found);
                pieces::memory(out.len() * size_of::<Item>())
            })?;
            return Ok(out);
        }
        let mut tuples: Vec<(Vec<Option<Atom>>, Vec<Val>)> = Vec::new();
        self.tuples(&f.clauses, here, &mut |asked| {
            let mut keys = Vec::with_capacity(f.order.len());
            for (key, _) in &f.order {
                let v = asked.value(key, here)?;
                keys.push(v.first().map(|item| asked.data(item)));
            }
            tuples.push((keys, asked.variables.clone()));
            pieces::memory(tuples.len() * size_of::<Val>() * asked.variables.len())
        })?;
        tuples.sort_by(|a, b| {
            for (n, (_, descending)) in f.order.iter().enumerate() {
                let found = match (&a.0[n], &b.0[n]) {
                    (Some(a), Some(b)) => order(a, b).unwrap_or(std::cmp::Ordering::Equal),
                    (a, b) => a.is_some().cmp(&b.is_some()),
                };
                let found = if *descending { found.reverse() } else { found };
                if found.is_ne() {
                    return found;
                }
            }
            std::cmp::Ordering::Equal
        });
        for (_, variables) in tuples {
            self.variables = variables;
            out.extend(self.value(&f.result, here)?);
        }
        Ok(out)
    }

    /// Calls `each` with the variables of each tuple of the clauses.
    fn tuples(
        &mut self,
        clauses: &[Clause],
        here: Here,
        each: &mut dyn FnMut(&mut Self) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let Some((first, rest)) = clauses.split_first() else { return each(self) };
        match first {
            Clause::Where(e) => match self.holds(e, here)? {
                true => self.tuples(rest, here, each),
                false => Ok(()),
            },
            Clause::Let(n, of) => {
                self.variables[*n] = self.value(of, here)?;
                self.tuples(rest, here, each)
            }
            Clause::For(n, of) => {
                for item in self.value(of, here)? {
                    self.visit(1)?;
                    self.variables[*n] = vec![item];
                    self.tuples(rest, here, each)?;
                }
                Ok(())
            }
        }
    }

    fn quantified(
        &mut self,
        every: bool,
        bindings: &[(usize, Expr)],
        condition: &Expr,
        here: Here,
    ) -> SqlResult<bool> {
        let Some(((n, of), rest)) = bindings.split_first() else {
            return self.holds(condition, here);
        };
        for item in self.value(of, here)? {
            self.visit(1)?;
            self.variables[*n] = vec![item];
            if self.quantified(every, rest, condition, here)? != every {
                return Ok(!every);
            }
        }
        Ok(every)
    }

    /// The nodes that a path finds, in the document's order; a cancelled batch ends the search.
    pub fn path(&mut self, path: &Path, here: Here) -> SqlResult<Val> {
        let mut all: Vec<Found> = match &path.start {
            Start::Here => vec![here.at],
            Start::Document => vec![Found::Node(self.root(here.at.node()))],
            Start::Inner(e) => {
                let nodes = self.value(e, here)?.into_iter();
                nodes.filter_map(|i| if let Item::Node(f) = i { Some(f) } else { None }).collect()
            }
        };
        for step in &path.steps {
            let mut next = Met::default();
            for at in all {
                self.step(step, at, &mut next)?;
            }
            // Ways through what stands inside of one another come back to what is before.
            if !next.list.is_sorted_by_key(|f| f.place()) {
                next.list.sort_by_key(|f| f.place());
            }
            all = next.list;
        }
        Ok(all.into_iter().map(Item::Node).collect())
    }

    fn root(&self, mut n: usize) -> usize {
        while self.tree.parents[n] != n {
            n = self.tree.parents[n];
        }
        n
    }

    fn step(&mut self, step: &Step, from: Found, out: &mut Met) -> SqlResult<()> {
        self.visit(1)?;
        let mut found = Vec::new();
        self.matches(step.axis, &step.test, from, &mut found)?;
        if !step.predicates.is_empty() {
            let of = found.into_iter().map(Item::Node).collect();
            let left = self.filtered(of, &step.predicates, Here::alone(from))?.into_iter();
            found =
                left.filter_map(|i| if let Item::Node(f) = i { Some(f) } else { None }).collect();
        }
        // What several ways lead to is found once.
        let once = step.deep || !matches!(step.axis, Axis::Child | Axis::Attribute | Axis::Itself);
        for f in found {
            if !once || out.known.insert(f) {
                out.list.push(f);
            }
        }
        if let (true, Found::Node(n)) = (step.deep, from) {
            for child in self.tree.children(n).to_vec() {
                self.step(step, Found::Node(child), out)?;
            }
        }
        Ok(())
    }

    fn matches(
        &mut self,
        axis: Axis,
        test: &NodeTest,
        from: Found,
        out: &mut Vec<Found>,
    ) -> SqlResult<()> {
        match (axis, from) {
            (Axis::Itself, _) => out.push(from),
            (Axis::Parent, Found::Attribute(n, _)) => out.push(Found::Node(n)),
            (Axis::Parent, Found::Node(n)) => {
                let parent = self.tree.parents[n];
                out.extend((parent != n).then_some(Found::Node(parent)));
            }
            (_, Found::Attribute(..)) if axis == Axis::DescendantOrSelf => out.push(from),
            (_, Found::Attribute(..)) => {}
            (Axis::Attribute, Found::Node(n)) => {
                let count = self.tree.attributes(n).len();
                self.visit(count)?;
                out.extend((0..count).map(|at| Found::Attribute(n, at)));
            }
            (Axis::Child, Found::Node(n)) => {
                self.visit(self.tree.children(n).len())?;
                out.extend(self.tree.children(n).iter().map(|c| Found::Node(*c)));
            }
            (Axis::Descendant, Found::Node(n)) => self.within(n, out)?,
            (Axis::DescendantOrSelf, Found::Node(n)) => {
                out.push(from);
                self.within(n, out)?;
            }
        }
        let tree = &*self.tree;
        out.retain(|f| fits(tree, axis, test, *f));
        Ok(())
    }

    fn within(&mut self, n: usize, out: &mut Vec<Found>) -> SqlResult<()> {
        for child in self.tree.children(n).to_vec() {
            self.visit(1)?;
            out.push(Found::Node(child));
            self.within(child, out)?;
        }
        Ok(())
    }
}

/// The place of a position that is the same for all items, from 0.
fn fixed_position(p: &Expr, last: usize) -> Option<usize> {
    match p {
        Expr::Decimal(n, _) if n % super::atom::UNIT == 0 => {
            Some(usize::try_from(n / super::atom::UNIT).ok()?.wrapping_sub(1))
        }
        Expr::Call(QueryFunction::Last, _) => Some(last.wrapping_sub(1)),
        _ => None,
    }
}

fn fits(tree: &Tree, axis: Axis, test: &NodeTest, found: Found) -> bool {
    let node = match found {
        Found::Node(n) => Some(&tree.nodes[n]),
        Found::Attribute(..) => None,
    };
    match test {
        NodeTest::Node => true,
        NodeTest::Text => matches!(node, Some(Node::Text(_))),
        NodeTest::Comment => matches!(node, Some(Node::Comment(_))),
        NodeTest::Instruction(wanted) => match node {
            Some(Node::Instruction(name, _)) => wanted.as_ref().is_none_or(|w| w == name),
            _ => false,
        },
        NodeTest::Name { uri, local } => {
            // An element is meant, but on the axis of attributes.
            if (axis == Axis::Attribute) != node.is_none() || found == Found::Node(0) {
                return false;
            }
            let Some(name) = tree.name(found) else { return false };
            uri.as_ref().is_none_or(|u| *u == name.uri)
                && local.as_ref().is_none_or(|l| *l == name.local)
        }
    }
}

/// The nodes that a step has found so far.
#[derive(Default)]
struct Met {
    list: Vec<Found>,
    /// The same, where several ways may lead to one node.
    known: HashSet<Found>,
}

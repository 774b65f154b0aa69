//! What an expression is, and what it comes to.

use super::tree::{Found, Node, Tree};
use crate::pieces;
use std::collections::HashSet;
use taffrail_base::SqlResult;
use taffrail_base::message::unsupported;

pub(super) enum Test {
    Itself,
    Parent,
    Element(String),
    AnyElement,
    Attribute(String),
    AnyAttribute,
    Text,
    Node,
}

pub(super) struct Step {
    /// `//` stands before it.
    pub deep: bool,
    pub test: Test,
    pub predicates: Vec<Expr>,
}

pub(super) enum Start {
    /// Where the expression is looked at from.
    Here,
    /// The root of the document.
    Document,
    /// An expression in parentheses: `(…)[n]`.
    Inner(Box<Expr>, Option<Nth>),
}

/// Which of those found.
#[derive(Clone, Copy)]
pub(super) enum Nth {
    /// The nth, counted from 1.
    Of(usize),
    /// The last one: `last()`.
    Last,
}

/// A way to nodes.
pub(super) struct Path {
    pub start: Start,
    pub steps: Vec<Step>,
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

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QueryFunction {
    Count,
    Not,
    Contains,
    LocalName,
    Text,
    Number,
    Position,
    Last,
    True,
    False,
}

pub(super) enum Expr {
    Path(Path),
    Text(String),
    Number(f64),
    /// `sql:column` or `sql:variable`, by number.
    Outside(usize),
    Call(QueryFunction, Vec<Expr>),
    Compare(Op, Box<(Expr, Expr)>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
}

/// The value of an expression.
pub(super) enum Val {
    Found(Vec<Found>),
    Text(String),
    Number(f64),
    Bool(bool),
    /// No value of SQL.
    Nothing,
}

/// Where an expression is looked at from.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub at: Found,
    position: usize,
    last: usize,
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
    pub tree: &'a Tree,
    /// Whether the tree is a node that nodes() found: the document around it is not there.
    pub part: bool,
    /// The values of SQL.
    pub outside: &'a [Option<String>],
    /// Nodes that were visited since the last look.
    pub visited: usize,
}

pub(super) fn number(n: f64) -> String {
    if n.fract() == 0.0 && n.abs() < 1e15 { format!("{n:.0}") } else { format!("{n}") }
}

impl Asked<'_> {
    /// So many nodes are visited: ends the work where the batch was cancelled.
    fn visit(&mut self, nodes: usize) -> SqlResult<()> {
        self.visited += nodes;
        if self.visited >= NODES_PER_LOOK {
            self.visited = 0;
            pieces::look()?;
        }
        Ok(())
    }

    fn string(&self, found: Found) -> String {
        let mut out = String::new();
        self.tree.string(found, &mut out);
        out
    }

    fn outside_of_part(&self) -> SqlResult<()> {
        if self.part {
            return Err(unsupported("A path that leads out of what nodes() has found"));
        }
        Ok(())
    }

    pub fn value(&mut self, e: &Expr, here: Here) -> SqlResult<Val> {
        Ok(match e {
            Expr::Path(path) => Val::Found(self.path(path, here)?),
            Expr::Text(t) => Val::Text(t.clone()),
            Expr::Number(n) => Val::Number(*n),
            Expr::Outside(n) => match self.outside.get(*n) {
                Some(Some(text)) => Val::Text(text.clone()),
                _ => Val::Nothing,
            },
            Expr::And(list) => {
                for e in list {
                    if !self.holds(e, here)? {
                        return Ok(Val::Bool(false));
                    }
                }
                Val::Bool(true)
            }
            Expr::Or(list) => {
                for e in list {
                    if self.holds(e, here)? {
                        return Ok(Val::Bool(true));
                    }
                }
                Val::Bool(false)
            }
            Expr::Compare(op, sides) => {
                let (l, r) = (self.value(&sides.0, here)?, self.value(&sides.1, here)?);
                Val::Bool(self.compared(*op, l, r, matches!(sides.1, Expr::Outside(_)))?)
            }
            Expr::Call(function, args) => self.call(*function, args, here)?,
        })
    }

    fn call(&mut self, function: QueryFunction, args: &[Expr], here: Here) -> SqlResult<Val> {
        let mut values = Vec::with_capacity(args.len());
        for e in args {
            values.push(self.value(e, here)?);
        }
        let itself = Val::Found(vec![here.at]);
        let first = values.first().unwrap_or(&itself);
        Ok(match function {
            QueryFunction::Count => match first {
                Val::Found(list) => Val::Number(list.len() as f64),
                Val::Nothing => Val::Number(0.0),
                _ => Val::Number(1.0),
            },
            QueryFunction::Not => Val::Bool(!truth(first)),
            QueryFunction::Contains => {
                let part = values.get(1).map_or_else(String::new, |v| self.text(v));
                let text = self.text(first);
                self.visit(text.len() / BYTES_OF_A_NODE)?;
                Val::Bool(text.contains(&part))
            }
            QueryFunction::LocalName => match first {
                Val::Found(list) => {
                    let name = list.first().map_or("", |f| self.tree.name(*f));
                    Val::Text(name.rsplit(':').next().unwrap_or_default().to_owned())
                }
                _ => Val::Text(String::new()),
            },
            QueryFunction::Text => Val::Text(self.text(first)),
            QueryFunction::Number => {
                Val::Number(self.text(first).trim().parse().unwrap_or(f64::NAN))
            }
            QueryFunction::Position => Val::Number(here.position as f64),
            QueryFunction::Last => Val::Number(here.last as f64),
            QueryFunction::True => Val::Bool(true),
            QueryFunction::False => Val::Bool(false),
        })
    }

    /// As text: of several, the first.
    pub fn text(&self, v: &Val) -> String {
        match v {
            Val::Found(list) => list.first().map_or_else(String::new, |f| self.string(*f)),
            Val::Text(t) => t.clone(),
            Val::Number(n) => number(*n),
            Val::Bool(b) => b.to_string(),
            Val::Nothing => String::new(),
        }
    }

    fn holds(&mut self, e: &Expr, here: Here) -> SqlResult<bool> {
        Ok(truth(&self.value(e, here)?))
    }

    /// The texts of what stands on a side of a comparison.
    fn texts(&mut self, v: Val) -> SqlResult<Vec<String>> {
        let list = match v {
            Val::Found(list) => list,
            Val::Nothing => return Ok(Vec::new()),
            v => return Ok(vec![self.text(&v)]),
        };
        let mut out = Vec::with_capacity(list.len());
        for found in list {
            let text = self.string(found);
            self.visit(1 + text.len() / BYTES_OF_A_NODE)?;
            out.push(text);
        }
        Ok(out)
    }

    /// Some value of the one side and some of the other. Numbers are compared as such, and what SQL gives where both are one.
    fn compared(&mut self, op: Op, l: Val, r: Val, outside: bool) -> SqlResult<bool> {
        let numeric = matches!(l, Val::Number(_)) || matches!(r, Val::Number(_));
        let (left, right) = (self.texts(l)?, self.texts(r)?);
        let holds = |a: &str, b: &str| {
            let numbers = || Some((a.trim().parse::<f64>().ok()?, b.trim().parse::<f64>().ok()?));
            let order = match numbers().filter(|_| numeric || outside) {
                Some((a, b)) => a.partial_cmp(&b),
                None if numeric => None,
                None => Some(a.cmp(b)),
            };
            order.is_some_and(|order| match op {
                Op::Eq => order.is_eq(),
                Op::Ne => order.is_ne(),
                Op::Lt => order.is_lt(),
                Op::Le => order.is_le(),
                Op::Gt => order.is_gt(),
                Op::Ge => order.is_ge(),
            })
        };
        for a in &left {
            for b in &right {
                self.visit(1 + a.len().min(b.len()) / BYTES_OF_A_NODE)?;
                if holds(a, b) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The nodes that a path finds, in the document's order; a cancelled batch ends the search.
    pub fn path(&mut self, path: &Path, here: Here) -> SqlResult<Vec<Found>> {
        let mut all = match &path.start {
            Start::Here => vec![here.at],
            Start::Document => {
                self.outside_of_part()?;
                vec![Found::Node(0)]
            }
            Start::Inner(e, nth) => {
                let Val::Found(list) = self.value(e, here)? else {
                    return Err(unsupported("A path that begins at a value"));
                };
                match nth {
                    Some(Nth::Of(n)) => list.get(n.wrapping_sub(1)).copied().into_iter().collect(),
                    Some(Nth::Last) => list.last().copied().into_iter().collect(),
                    None => list,
                }
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
        Ok(all)
    }

    fn step(&mut self, step: &Step, from: Found, out: &mut Met) -> SqlResult<()> {
        self.visit(1)?;
        let mut found = Vec::new();
        self.matches(&step.test, from, &mut found)?;
        for p in &step.predicates {
            if let Expr::Number(n) = p {
                let at = (*n as usize).wrapping_sub(1);
                found = found.get(at).copied().into_iter().collect();
                continue;
            }
            let last = found.len();
            let mut kept = Vec::new();
            for (n, at) in found.into_iter().enumerate() {
                let here = Here { at, position: n + 1, last };
                let keep = match self.value(p, here)? {
                    Val::Number(n) => n == here.position as f64,
                    v => truth(&v),
                };
                if keep {
                    kept.push(at);
                }
            }
            found = kept;
        }
        // What several ways lead to is found once.
        let once = step.deep || matches!(step.test, Test::Parent);
        for f in found {
            if !once || out.known.insert(f) {
                out.list.push(f);
            }
        }
        if let (true, Found::Node(n)) = (step.deep, from) {
            for child in self.tree.children(n) {
                self.step(step, Found::Node(*child), out)?;
            }
        }
        Ok(())
    }

    fn matches(&mut self, test: &Test, from: Found, out: &mut Vec<Found>) -> SqlResult<()> {
        match (test, from) {
            (Test::Itself, _) => {
                out.push(from);
                return Ok(());
            }
            (Test::Parent, Found::Attribute(n, _)) => {
                if n == 0 {
                    self.outside_of_part()?;
                }
                out.push(Found::Node(n));
                return Ok(());
            }
            (Test::Parent, Found::Node(n)) => {
                let parent = self.tree.parents[n];
                if parent == 0 {
                    self.outside_of_part()?;
                }
                if n != 0 {
                    out.push(Found::Node(parent));
                }
                return Ok(());
            }
            _ => {}
        }
        let Found::Node(n) = from else { return Ok(()) };
        let tree = self.tree;
        let Node::Element { attributes, children, .. } = &tree.nodes[n] else {
            return Ok(());
        };
        self.visit(match test {
            Test::Attribute(_) | Test::AnyAttribute => attributes.len(),
            _ => children.len(),
        })?;
        match test {
            Test::Attribute(_) | Test::AnyAttribute => {
                for (at, (name, _)) in attributes.iter().enumerate() {
                    let wanted = match test {
                        Test::Attribute(wanted) => wanted == name,
                        _ => !name.starts_with("xmlns"),
                    };
                    if wanted {
                        out.push(Found::Attribute(n, at));
                    }
                }
            }
            test => {
                let fits = |c: &&usize| match (test, &tree.nodes[**c]) {
                    (Test::Element(wanted), Node::Element { name, .. }) => {
                        wanted == name && !tree.spaced[**c]
                    }
                    (Test::AnyElement, Node::Element { .. }) | (Test::Text, Node::Text(_)) => true,
                    (Test::Node, _) => true,
                    _ => false,
                };
                out.extend(children.iter().filter(fits).map(|c| Found::Node(*c)));
            }
        }
        Ok(())
    }
}

/// The effective boolean value.
fn truth(v: &Val) -> bool {
    match v {
        Val::Found(list) => !list.is_empty(),
        Val::Text(t) => !t.is_empty(),
        Val::Number(n) => *n != 0.0 && !n.is_nan(),
        Val::Bool(b) => *b,
        Val::Nothing => false,
    }
}

/// The nodes that a step has found so far.
#[derive(Default)]
struct Met {
    list: Vec<Found>,
    /// The same, where several ways may lead to one node.
    known: HashSet<Found>,
}

impl Expr {
    /// It comes to one thing at most, as value() wants it.
    pub fn is_singleton(&self) -> bool {
        match self {
            Expr::Path(path) => path.is_singleton(),
            _ => true,
        }
    }
}

impl Path {
    fn is_singleton(&self) -> bool {
        let numbered = |s: &Step| s.predicates.iter().any(|p| matches!(p, Expr::Number(_)));
        let one = |s: &Step| {
            let alone = matches!(s.test, Test::Itself | Test::Parent | Test::Attribute(_));
            !s.deep && (numbered(s) || alone)
        };
        let start = match &self.start {
            Start::Inner(e, nth) => nth.is_some() || e.is_singleton(),
            _ => true,
        };
        start && self.steps.iter().all(one)
    }
}

//! Paths: how they are read, and what they find.

use super::tree::{Found, Kind, Tree};
use crate::pieces;
use std::collections::HashSet;
use taffrail_base::SqlResult;
use taffrail_base::message::unsupported;

enum Test {
    Itself,
    Element(String),
    AnyElement,
    Attribute(String),
    AnyAttribute,
    Text,
    Node,
}

enum Predicate {
    Number(usize),
    There(Path),
    Equal(Path, String),
}

struct Step {
    /// `//` stands before it.
    deep: bool,
    test: Test,
    predicates: Vec<Predicate>,
}

/// A path that has been read.
pub(crate) struct Path {
    /// It begins at the document.
    rooted: bool,
    steps: Vec<Step>,
    /// `(…)[n]`
    nth: Option<usize>,
}

/// Expressions within one another, by parentheses and predicates: one for the stack of who reads them.
const DEPTH: usize = 64;

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn eat(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn name(&mut self) -> Option<&'t str> {
        let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let name = &self.rest[..end];
        self.rest = &self.rest[end..];
        name.starts_with(|c: char| c.is_alphabetic() || c == '_').then_some(name)
    }

    fn number(&mut self) -> Option<usize> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let n = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        Some(n)
    }

    fn expression(&mut self) -> Option<Path> {
        if self.depth == DEPTH {
            return None;
        }
        self.depth += 1;
        let path = self.parenthesized();
        self.depth -= 1;
        path
    }

    fn parenthesized(&mut self) -> Option<Path> {
        if !self.eat("(") {
            return self.path();
        }
        let mut path = self.expression()?;
        if !self.eat(")") || path.nth.is_some() {
            return None;
        }
        if self.eat("[") {
            path.nth = Some(self.number()?);
            return self.eat("]").then_some(path);
        }
        Some(path)
    }

    fn path(&mut self) -> Option<Path> {
        let mut deep = self.eat("//");
        let rooted = deep || self.eat("/");
        let mut steps = Vec::new();
        // «/» alone is the document.
        if rooted && !deep && self.rest.trim_start().is_empty() {
            return Some(Path { rooted, steps, nth: None });
        }
        loop {
            steps.push(self.step(deep)?);
            deep = self.eat("//");
            if !deep && !self.eat("/") {
                return Some(Path { rooted, steps, nth: None });
            }
        }
    }

    fn step(&mut self, deep: bool) -> Option<Step> {
        let test = if self.eat("..") {
            return None;
        } else if self.eat(".") {
            Test::Itself
        } else if self.eat("@*") {
            Test::AnyAttribute
        } else if self.eat("@") {
            Test::Attribute(self.name()?.to_string())
        } else if self.eat("*") {
            Test::AnyElement
        } else {
            self.rest = self.rest.trim_start();
            let name = self.name()?;
            match (name, self.eat("(")) {
                ("text", true) if self.eat(")") => Test::Text,
                ("node", true) if self.eat(")") => Test::Node,
                (_, true) => return None,
                _ if self.rest.starts_with(':') => return None,
                (name, false) => Test::Element(name.to_string()),
            }
        };
        let mut predicates = Vec::new();
        while self.eat("[") {
            predicates.push(self.predicate()?);
            if !self.eat("]") {
                return None;
            }
        }
        Some(Step { deep, test, predicates })
    }

    fn predicate(&mut self) -> Option<Predicate> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number().map(Predicate::Number);
        }
        let path = self.expression()?;
        if !self.eat("=") {
            return Some(Predicate::There(path));
        }
        self.rest = self.rest.trim_start();
        let quote = self.rest.chars().next().filter(|c| "\"'".contains(*c))?;
        let inner = &self.rest[1..];
        let end = inner.find(quote)?;
        self.rest = &inner[end + 1..];
        Some(Predicate::Equal(path, inner[..end].to_string()))
    }
}

impl Path {
    /// Reads one: 40510 for what is not here.
    pub(crate) fn read(text: &str) -> SqlResult<Path> {
        let mut reader = Reader { rest: text, depth: 0 };
        let path = reader.expression().filter(|_| reader.rest.trim().is_empty());
        path.ok_or_else(|| unsupported(format_args!("The XQuery expression '{text}'")))
    }

    /// It can find one thing at most, as value() wants it.
    pub(crate) fn is_singleton(&self) -> bool {
        let one = |s: &Step| {
            let numbered = s.predicates.iter().any(|p| matches!(p, Predicate::Number(_)));
            !s.deep && (numbered || matches!(s.test, Test::Itself | Test::Attribute(_)))
        };
        self.nth.is_some() || self.steps.iter().all(one)
    }

    /// What it finds, in the order in which it is come to; ended by whoever cancels the batch.
    pub(super) fn find(&self, tree: &Tree, from: Found) -> SqlResult<Vec<Found>> {
        self.walk(tree, from, &mut 0)
    }

    fn walk(&self, tree: &Tree, from: Found, visited: &mut u32) -> SqlResult<Vec<Found>> {
        let mut here = vec![if self.rooted { Found::Node(0) } else { from }];
        for step in &self.steps {
            let mut next = Met::default();
            for at in here {
                step.find(tree, at, &mut next, visited)?;
            }
            here = next.list;
        }
        Ok(match self.nth {
            Some(n) => here.get(n.wrapping_sub(1)).copied().into_iter().collect(),
            None => here,
        })
    }
}

/// So many nodes are visited between two looks at whether the batch was cancelled.
const NODES_PER_LOOK: u32 = 4096;

/// What a step has found so far.
#[derive(Default)]
struct Met {
    list: Vec<Found>,
    /// The same, of a deep step.
    known: HashSet<Found>,
}

impl Step {
    fn find(&self, tree: &Tree, from: Found, out: &mut Met, visited: &mut u32) -> SqlResult<()> {
        *visited = visited.wrapping_add(1);
        if visited.is_multiple_of(NODES_PER_LOOK) {
            pieces::look()?;
        }
        let mut found = Vec::new();
        self.matches(tree, from, &mut found);
        for p in &self.predicates {
            found = match p {
                Predicate::Number(n) => found.get(n.wrapping_sub(1)).copied().into_iter().collect(),
                Predicate::There(path) => {
                    let mut kept = Vec::new();
                    for f in found {
                        if !path.walk(tree, f, visited)?.is_empty() {
                            kept.push(f);
                        }
                    }
                    kept
                }
                Predicate::Equal(path, text) => {
                    let mut kept = Vec::new();
                    for f in found {
                        let equal = path.walk(tree, f, visited)?.into_iter().any(|f| {
                            let mut value = String::new();
                            tree.string(f, &mut value);
                            value == *text
                        });
                        if equal {
                            kept.push(f);
                        }
                    }
                    kept
                }
            };
        }
        // What several ways lead to is found once.
        for f in found {
            if !self.deep || out.known.insert(f) {
                out.list.push(f);
            }
        }
        if let (true, Found::Node(n)) = (self.deep, from) {
            for child in tree.children(n) {
                self.find(tree, Found::Node(*child), out, visited)?;
            }
        }
        Ok(())
    }

    fn matches(&self, tree: &Tree, from: Found, out: &mut Vec<Found>) {
        if let Test::Itself = self.test {
            out.push(from);
            return;
        }
        let Found::Node(n) = from else { return };
        let Kind::Element { attributes, children, .. } = &tree.nodes[n] else { return };
        match &self.test {
            Test::Attribute(_) | Test::AnyAttribute => {
                for (at, (name, _)) in attributes.iter().enumerate() {
                    let wanted = match &self.test {
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
                    (Test::Element(wanted), Kind::Element { name, .. }) => {
                        wanted == name && !tree.spaced[**c]
                    }
                    (Test::AnyElement, Kind::Element { .. }) | (Test::Text, Kind::Text(_)) => true,
                    (Test::Node, _) => true,
                    _ => false,
                };
                out.extend(children.iter().filter(fits).map(|c| Found::Node(*c)));
            }
        }
    }
}

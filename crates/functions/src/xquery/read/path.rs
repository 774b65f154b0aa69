//! Steps, their axes, tests and predicates.

use super::QueryReader;
use super::scan::begins_name;
use crate::xquery::expr::{Axis, Expr, NodeTest, Path, Start, Step};
use taffrail_base::SqlResult;

const AXES: [(&str, Axis); 6] = [
    ("child", Axis::Child),
    ("attribute", Axis::Attribute),
    ("self", Axis::Itself),
    ("parent", Axis::Parent),
    ("descendant", Axis::Descendant),
    ("descendant-or-self", Axis::DescendantOrSelf),
];
const NO_AXES: [&str; 7] = [
    "ancestor",
    "ancestor-or-self",
    "following",
    "following-sibling",
    "preceding",
    "preceding-sibling",
    "namespace",
];

impl QueryReader<'_> {
    /// The steps behind what a path begins with. `begun`: that has been read, and a `/` follows.
    pub(super) fn steps(&mut self, start: Start, begun: bool) -> SqlResult<Path> {
        let mut deep = self.eat("//");
        let rooted = deep || self.eat("/");
        let start = if rooted && !begun { Start::Document } else { start };
        self.leads_out |= matches!(start, Start::Document);
        let mut steps = Vec::new();
        // «/» alone is the document.
        if rooted && !deep && !begun && !self.begins_step() {
            return Ok(Path { start, steps });
        }
        loop {
            steps.push(self.step(deep)?);
            deep = self.eat("//");
            if !deep && !self.eat("/") {
                return Ok(Path { start, steps });
            }
        }
    }

    fn begins_step(&mut self) -> bool {
        self.is("@") || self.is("*") || self.is(".") || self.rest.starts_with(begins_name)
    }

    fn step(&mut self, deep: bool) -> SqlResult<Step> {
        self.blank()?;
        let (axis, test) = if self.eat("..") {
            (Axis::Parent, NodeTest::Node)
        } else if self.eat(".") {
            (Axis::Itself, NodeTest::Node)
        } else {
            let axis = self.axis()?;
            (axis, self.test(axis)?)
        };
        self.leads_out |= axis == Axis::Parent;
        Ok(Step { deep, axis, test, predicates: self.predicates()? })
    }

    fn axis(&mut self) -> SqlResult<Axis> {
        if self.eat("@") {
            return Ok(Axis::Attribute);
        }
        let before = self.rest;
        if let Some(name) = self.bare_name()
            && self.eat("::")
        {
            if let Some((_, axis)) = AXES.iter().find(|a| a.0 == name) {
                return Ok(*axis);
            }
            let number = if NO_AXES.contains(&name) { 9335 } else { 2392 };
            return Err(self.error(number, &[&name]));
        }
        self.rest = before;
        // An attribute is meant by its test alone as well.
        Ok(Axis::Child)
    }

    fn test(&mut self, axis: Axis) -> SqlResult<NodeTest> {
        self.blank()?;
        if self.rest.starts_with('*') {
            self.rest = &self.rest[1..];
            let local = match self.rest.strip_prefix(':').filter(|r| r.starts_with(begins_name)) {
                Some(rest) => {
                    self.rest = rest;
                    self.bare_name().map(Into::into)
                }
                None => None,
            };
            return Ok(NodeTest::Name { uri: None, local });
        }
        if !self.rest.starts_with(begins_name) {
            let number = if self.rest.is_empty() || axis == Axis::Child { 9341 } else { 2256 };
            return Err(match number {
                9341 => self.error(9341, &[&self.near()]),
                _ => self.error(2256, &[&self.near()]),
            });
        }
        let before = self.rest;
        let (prefix, local) = self.written_name()?;
        if prefix.is_empty() && self.eat("(") {
            let test = match local {
                "text" => NodeTest::Text,
                "node" => NodeTest::Node,
                "comment" => NodeTest::Comment,
                "processing-instruction" => {
                    let name = match self.literal()? {
                        Some(name) => Some(name),
                        None => self.bare_name().map(str::to_owned),
                    };
                    NodeTest::Instruction(name)
                }
                "element" | "attribute" if self.eat("*") => {
                    NodeTest::Name { uri: None, local: None }
                }
                other => {
                    self.rest = before;
                    return Err(self.error(9335, &[&format!("{other}()")]));
                }
            };
            self.expect(")")?;
            return Ok(test);
        }
        if prefix.is_empty() && self.rest.starts_with(":*") {
            self.rest = &self.rest[2..];
            return Ok(NodeTest::Name { uri: Some(self.namespace(local)?), local: None });
        }
        let uri = match (prefix, axis) {
            ("", Axis::Attribute) => "".into(),
            ("", _) => self.prefixes.default(),
            (prefix, _) => self.namespace(prefix)?,
        };
        Ok(NodeTest::Name { uri: Some(uri), local: Some(local.into()) })
    }

    pub(super) fn predicates(&mut self) -> SqlResult<Vec<Expr>> {
        let mut list = Vec::new();
        while self.eat("[") {
            list.push(self.list()?);
            self.expect("]")?;
        }
        Ok(list)
    }
}

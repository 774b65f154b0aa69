//! Nodes that an expression makes.

use super::atom::Atom;
use super::eval::{Asked, Here, Item, Val};
use super::expr::{Content, Expr};
use super::name::QName;
use super::tree::{Found, Node};
use taffrail_base::SqlResult;

/// A node that holds others until they have a place.
pub(super) fn holder() -> Node {
    Node::Element {
        name: QName::none(),
        declared: Vec::new(),
        attributes: Vec::new(),
        children: Vec::new(),
    }
}

impl Asked<'_> {
    pub fn constructed(&mut self, e: &Expr, here: Here) -> SqlResult<Val> {
        self.visit(1)?;
        let node = match e {
            Expr::Element(c) => {
                let node = Node::Element {
                    name: c.name.clone(),
                    declared: c.declared.clone(),
                    attributes: Vec::new(),
                    children: Vec::new(),
                };
                let n = self.tree.alone(node);
                for (name, value) in &c.attributes {
                    let text = self.attribute_text(value, here)?;
                    self.tree.set_attribute(n, name.clone(), text)?;
                }
                self.fill(n, &c.content, here)?;
                return Ok(vec![Item::Node(Found::Node(n))]);
            }
            Expr::Attribute(name, value) => {
                let text = self.attribute_text(value, here)?;
                let n = self.tree.alone(holder());
                self.tree.set_attribute(n, name.clone(), text)?;
                return Ok(vec![Item::Node(Found::Attribute(n, 0))]);
            }
            Expr::TextNode(inner) => {
                let v = self.value(inner, here)?;
                if v.is_empty() {
                    return Ok(Vec::new());
                }
                Node::Text(self.joined(&v)?)
            }
            Expr::TextOf(text) => Node::Text(text.clone()),
            Expr::Comment(text) => Node::Comment(text.clone()),
            Expr::Instruction(name, text) => Node::Instruction(name.clone(), text.clone()),
            _ => return Ok(Vec::new()),
        };
        let n = self.tree.alone(node);
        Ok(vec![Item::Node(Found::Node(n))])
    }

    /// The values of the items, with blanks between them.
    fn joined(&mut self, v: &Val) -> SqlResult<String> {
        let texts: Vec<String> = self.atoms(v)?.iter().map(Atom::text).collect();
        Ok(texts.join(" "))
    }

    fn attribute_text(&mut self, value: &[Content], here: Here) -> SqlResult<String> {
        let mut out = String::new();
        for part in value {
            match part {
                Content::Text(text) => out.push_str(text),
                Content::Enclosed(e) => {
                    let v = self.value(e, here)?;
                    out.push_str(&self.joined(&v)?);
                }
            }
        }
        Ok(out)
    }

    fn fill(&mut self, n: usize, content: &[Content], here: Here) -> SqlResult<()> {
        for part in content {
            match part {
                Content::Text(text) => self.tree.text(n, text.clone()),
                Content::Enclosed(e) => {
                    let v = self.value(e, here)?;
                    self.put(n, &v)?;
                }
            }
        }
        Ok(())
    }

    /// Copies items to the end of an element; values next to each other have a blank between them.
    pub fn put(&mut self, n: usize, v: &Val) -> SqlResult<()> {
        let mut after_value = false;
        for item in v {
            match item {
                Item::Atom(a) => {
                    let text = a.text();
                    let text = if after_value { format!(" {text}") } else { text };
                    self.tree.text(n, text);
                }
                Item::Node(Found::Attribute(of, at)) => {
                    let attribute = self.tree.attributes(*of).get(*at).cloned();
                    if let Some((name, value)) = attribute {
                        self.tree.set_attribute(n, name, value)?;
                    }
                }
                Item::Node(Found::Node(from)) => self.tree.copy(*from, n)?,
            }
            after_value = matches!(item, Item::Atom(_));
        }
        crate::pieces::memory(self.tree.nodes.len() * size_of::<Node>())
    }
}

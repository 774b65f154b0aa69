//! A document, read into nodes, and nodes that an expression constructs.

use super::name::{Prefixes, QName};
use crate::pieces;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};

/// So many tags and texts are read between two looks at whether the batch was cancelled.
const PARTS_PER_LOOK: u32 = 4096;

/// Something in a document.
pub(super) enum Node {
    Element {
        name: QName,
        /// The namespaces that it declares: prefix and namespace.
        declared: Vec<(Arc<str>, Arc<str>)>,
        attributes: Vec<(QName, String)>,
        children: Vec<usize>,
    },
    Text(String),
    Comment(String),
    /// The target of a processing instruction, and its text.
    Instruction(String, String),
}

/// A document's nodes; the first stands for the document itself. Constructed nodes follow those that were read.
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// The node in which each node stands; the own number where there is none.
    pub parents: Vec<usize>,
}

/// A node or attribute that a path finds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Found {
    Node(usize),
    Attribute(usize, usize),
}

impl Found {
    pub fn node(self) -> usize {
        match self {
            Found::Node(n) | Found::Attribute(n, _) => n,
        }
    }

    /// Where it stands in the document: nodes are numbered as they begin, their attributes follow them.
    pub fn place(self) -> (usize, usize) {
        match self {
            Found::Node(n) => (n, 0),
            Found::Attribute(n, at) => (n, at + 1),
        }
    }
}

/// Text without the entities that stand for characters.
pub(super) fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(end) = rest.find(';') else { break };
        let code =
            |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        let c = match &rest[1..end] {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            n if n.starts_with("#x") => code(&n[2..], 16),
            n if n.starts_with('#') => code(&n[1..], 10),
            _ => None,
        };
        match c {
            Some(c) => out.push(c),
            None => out.push_str(&rest[..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// A start tag as it is written.
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
    closed: bool,
    length: usize,
}

impl Tree {
    /// A tree of a document without content.
    pub fn empty() -> Tree {
        let root = Node::Element {
            name: QName::none(),
            declared: Vec::new(),
            attributes: Vec::new(),
            children: Vec::new(),
        };
        Tree { nodes: vec![root], parents: vec![0] }
    }

    /// Reads well-formed content into a tree.
    pub fn read(text: &str) -> SqlResult<Tree> {
        let mut tree = Tree::empty();
        tree.read_into(0, text)?;
        Ok(tree)
    }

    /// Reads well-formed content into a node.
    pub fn read_into(&mut self, parent: usize, text: &str) -> SqlResult<()> {
        crate::xml::check(text)?;
        // What is open: the node, and how many prefixes were in scope before it.
        let mut open = vec![(parent, 0)];
        let mut scope = Prefixes::of_documents();
        let mut rest = text;
        let mut parts = 0u32;
        while !rest.is_empty() {
            parts = parts.wrapping_add(1);
            if parts.is_multiple_of(PARTS_PER_LOOK) {
                pieces::look()?;
            }
            let top = open.last().map_or(parent, |o| o.0);
            let Some(at) = rest.find('<') else {
                self.text(top, decoded(rest));
                break;
            };
            if at > 0 {
                self.text(top, decoded(&rest[..at]));
            }
            rest = &rest[at..];
            let part = |end: &str| rest.find(end).map_or(rest.len(), |n| n + end.len());
            if let Some(inner) = rest.strip_prefix("<![CDATA[") {
                let end = inner.find("]]>").unwrap_or(inner.len());
                self.text(top, inner[..end].to_string());
                rest = inner.get(end + 3..).unwrap_or("");
            } else if rest.starts_with("<!--") || rest.starts_with("<?") {
                let end = part(if rest.starts_with("<?") { "?>" } else { "-->" });
                // The declaration is no node.
                if !rest.starts_with("<?xml ") {
                    self.add(top, other(&rest[..end]));
                }
                rest = &rest[end..];
            } else if rest.starts_with("</") {
                if let Some((_, before)) = open.pop().filter(|_| !open.is_empty()) {
                    scope.truncate(before);
                }
                rest = &rest[part(">")..];
                if open.is_empty() {
                    break;
                }
            } else {
                let Tag { name, attributes, closed, length } = tag(rest);
                let before = scope.len();
                let node = element(&name, attributes, &mut scope);
                let n = self.add(top, node);
                match closed {
                    true => scope.truncate(before),
                    false => open.push((n, before)),
                }
                rest = &rest[length..];
            }
        }
        Ok(())
    }

    /// Adds a node that stands nowhere.
    pub fn alone(&mut self, node: Node) -> usize {
        let n = self.nodes.len();
        self.nodes.push(node);
        self.parents.push(n);
        n
    }

    pub fn add(&mut self, parent: usize, node: Node) -> usize {
        let n = self.alone(node);
        self.parents[n] = parent;
        if let Node::Element { children, .. } = &mut self.nodes[parent] {
            children.push(n);
        }
        n
    }

    /// Text after text is one node.
    pub fn text(&mut self, parent: usize, text: String) {
        if let Some(Node::Text(before)) =
            self.children(parent).last().copied().map(|n| &mut self.nodes[n])
        {
            before.push_str(&text);
        } else if !text.is_empty() {
            self.add(parent, Node::Text(text));
        }
    }

    /// Copies a node and what is in it to the end of another node.
    pub fn copy(&mut self, from: usize, parent: usize) -> SqlResult<()> {
        pieces::look()?;
        let (node, inner) = match &self.nodes[from] {
            Node::Text(t) => {
                let text = t.clone();
                self.text(parent, text);
                return Ok(());
            }
            Node::Comment(t) => (Node::Comment(t.clone()), Vec::new()),
            Node::Instruction(name, t) => (Node::Instruction(name.clone(), t.clone()), Vec::new()),
            Node::Element { name, declared, attributes, children } => {
                let copy = Node::Element {
                    name: name.clone(),
                    declared: declared.clone(),
                    attributes: attributes.clone(),
                    children: Vec::new(),
                };
                (copy, children.clone())
            }
        };
        let is_document = from == 0;
        let to = if is_document { parent } else { self.add(parent, node) };
        for child in inner {
            self.copy(child, to)?;
        }
        Ok(())
    }

    pub fn children(&self, n: usize) -> &[usize] {
        match &self.nodes[n] {
            Node::Element { children, .. } => children,
            _ => &[],
        }
    }

    pub fn attributes(&self, n: usize) -> &[(QName, String)] {
        match &self.nodes[n] {
            Node::Element { attributes, .. } => attributes,
            _ => &[],
        }
    }

    /// The name of what was found; none of text, comments and the document.
    pub fn name(&self, found: Found) -> Option<&QName> {
        match (found, &self.nodes[found.node()]) {
            (Found::Attribute(n, at), _) => self.attributes(n).get(at).map(|a| &a.0),
            (Found::Node(_), Node::Element { name, .. }) => Some(name),
            _ => None,
        }
    }

    /// The text of what was found.
    pub fn string(&self, found: Found, out: &mut String) {
        match found {
            Found::Attribute(n, at) => {
                out.push_str(self.attributes(n).get(at).map_or("", |a| &a.1));
            }
            Found::Node(n) => match &self.nodes[n] {
                Node::Text(text) => out.push_str(text),
                Node::Comment(text) | Node::Instruction(_, text) => out.push_str(text),
                Node::Element { .. } => self.inner_text(n, out),
            },
        }
    }

    /// The text within an element, without comments and instructions.
    fn inner_text(&self, n: usize, out: &mut String) {
        for child in self.children(n) {
            match &self.nodes[*child] {
                Node::Text(text) => out.push_str(text),
                Node::Element { .. } => self.inner_text(*child, out),
                _ => {}
            }
        }
    }

    /// Sets an attribute that is not there: 6308 for one that is.
    pub(super) fn set_attribute(&mut self, n: usize, name: QName, value: String) -> SqlResult<()> {
        let Node::Element { attributes, .. } = &mut self.nodes[n] else { return Ok(()) };
        if attributes.iter().any(|a| a.0.is(&name)) {
            return Err(SqlError::new(6308, &[&&*name.local]));
        }
        attributes.push((name, value));
        Ok(())
    }
}

/// A comment or processing instruction, of its text.
fn other(written: &str) -> Node {
    if let Some(text) = written.strip_prefix("<!--") {
        return Node::Comment(text.strip_suffix("-->").unwrap_or(text).to_owned());
    }
    let inner = written.strip_prefix("<?").unwrap_or(written);
    let inner = inner.strip_suffix("?>").unwrap_or(inner);
    let (target, text) = inner.split_once([' ', '\t', '\n', '\r']).unwrap_or((inner, ""));
    Node::Instruction(target.to_owned(), text.trim_start().to_owned())
}

/// An element of its tag; the namespaces that it declares come into scope.
fn element(name: &str, attributes: Vec<(String, String)>, scope: &mut Prefixes) -> Node {
    let mut declared = Vec::new();
    let mut plain = Vec::new();
    for (name, value) in attributes {
        let prefix = match &*name {
            "xmlns" => Some(""),
            name => name.strip_prefix("xmlns:"),
        };
        match prefix {
            Some(prefix) => {
                scope.declare(prefix, &value);
                declared.push((prefix.into(), value.into()));
            }
            None => plain.push((name, value)),
        }
    }
    let resolved = |name: &str, is_element: bool| {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let uri = match prefix {
            "" if !is_element => "".into(),
            prefix => scope.find(prefix).unwrap_or_else(|| "".into()),
        };
        QName { prefix: prefix.into(), local: local.into(), uri }
    };
    let attributes = plain.into_iter().map(|(name, value)| (resolved(&name, false), value));
    Node::Element {
        attributes: attributes.collect(),
        name: resolved(name, true),
        declared,
        children: Vec::new(),
    }
}

fn tag(text: &str) -> Tag {
    let is_name =
        |c: char| c.is_alphanumeric() || "_-.:\u{B7}".contains(c) || crate::xml::is_combining(c);
    let mut at = 1 + text[1..].find(|c| !is_name(c)).unwrap_or(text.len() - 1);
    let name = text[1..at].to_string();
    let mut attributes = Vec::new();
    let ended = |attributes, closed, length| Tag { name: name.clone(), attributes, closed, length };
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        let rest = &text[at..];
        if rest.is_empty() {
            return ended(attributes, true, at);
        }
        if rest.starts_with('>') {
            return ended(attributes, false, at + 1);
        }
        if rest.starts_with("/>") {
            return ended(attributes, true, at + 2);
        }
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let key = rest[..end].to_string();
        let Some(quote) = rest[end..].find(['"', '\'']).map(|n| end + n) else {
            return ended(attributes, true, text.len());
        };
        let mark = &rest[quote..=quote];
        let close = rest[quote + 1..].find(mark).map_or(rest.len(), |n| quote + 1 + n);
        if !key.is_empty() {
            attributes.push((key, decoded(&rest[quote + 1..close])));
        }
        at += (close + 1).min(rest.len());
    }
}

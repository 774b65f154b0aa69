//! A document, read into nodes.

use crate::pieces;
use taffrail_base::SqlResult;

/// So many tags and texts are read between two looks at whether the batch was cancelled.
const PARTS_PER_LOOK: u32 = 4096;

/// Something in a document.
pub(super) enum Node {
    Element {
        name: String,
        attributes: Vec<(String, String)>,
        children: Vec<usize>,
    },
    Text(String),
    /// Comments and processing instructions, as they are written.
    Other(String),
}

/// A document's nodes; the first stands for the document itself.
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// The default namespace that a node stands in is not empty.
    pub spaced: Vec<bool>,
    /// The node in which each node stands; the document's own number for the document.
    pub parents: Vec<usize>,
}

/// A node or attribute that a path finds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Found {
    Node(usize),
    Attribute(usize, usize),
}

impl Found {
    fn node(self) -> usize {
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

/// The first character of a part that is an attribute; the next two are those of the document, and
/// of a part within a default namespace.
const ATTRIBUTE: char = '\u{1}';
const DOCUMENT: char = '\u{2}';
const SPACED: char = '\u{3}';

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

pub(super) fn escaped(text: &str, quotes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if quotes => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

impl Tree {
    /// Reads well-formed content into a tree.
    pub fn read(text: &str) -> SqlResult<Tree> {
        Tree::within(text, false)
    }

    /// Reads content; `spaced`: it stands within a default namespace.
    fn within(text: &str, spaced: bool) -> SqlResult<Tree> {
        crate::xml::check(text)?;
        let root =
            Node::Element { name: String::new(), attributes: Vec::new(), children: Vec::new() };
        let mut tree = Tree { nodes: vec![root], spaced: vec![spaced], parents: vec![0] };
        let mut open = vec![0usize];
        let mut rest = text;
        let mut parts = 0u32;
        while !rest.is_empty() {
            parts = parts.wrapping_add(1);
            if parts.is_multiple_of(PARTS_PER_LOOK) {
                pieces::look()?;
            }
            let top = *open.last().expect("the document");
            let Some(at) = rest.find('<') else {
                tree.text(top, decoded(rest));
                break;
            };
            if at > 0 {
                tree.text(top, decoded(&rest[..at]));
            }
            rest = &rest[at..];
            let part = |end: &str| rest.find(end).map_or(rest.len(), |n| n + end.len());
            if let Some(inner) = rest.strip_prefix("<![CDATA[") {
                let end = inner.find("]]>").unwrap_or(inner.len());
                tree.text(top, inner[..end].to_string());
                rest = inner.get(end + 3..).unwrap_or("");
            } else if rest.starts_with("<!--") || rest.starts_with("<?") {
                let end = part(if rest.starts_with("<?") { "?>" } else { "-->" });
                // The declaration is no node.
                if !rest.starts_with("<?xml ") {
                    tree.add(top, Node::Other(rest[..end].to_string()), false);
                }
                rest = &rest[end..];
            } else if rest.starts_with("</") {
                open.pop();
                rest = &rest[part(">")..];
                if open.is_empty() {
                    break;
                }
            } else {
                let (name, attributes, closed, length) = tag(rest);
                let own = attributes.iter().find(|a| a.0 == "xmlns").map(|a| !a.1.is_empty());
                let spaced = own.unwrap_or(tree.spaced[top]);
                let element = Node::Element { name, attributes, children: Vec::new() };
                let n = tree.add(top, element, spaced);
                if !closed {
                    open.push(n);
                }
                rest = &rest[length..];
            }
        }
        Ok(tree)
    }

    fn add(&mut self, parent: usize, node: Node, spaced: bool) -> usize {
        self.nodes.push(node);
        self.spaced.push(spaced);
        self.parents.push(parent);
        let n = self.nodes.len() - 1;
        if let Node::Element { children, .. } = &mut self.nodes[parent] {
            children.push(n);
        }
        n
    }

    /// Text after text is one node.
    fn text(&mut self, parent: usize, text: String) {
        if let Some(Node::Text(before)) =
            self.children(parent).last().copied().map(|n| &mut self.nodes[n])
        {
            before.push_str(&text);
        } else {
            self.add(parent, Node::Text(text), false);
        }
    }

    pub fn children(&self, n: usize) -> &[usize] {
        match &self.nodes[n] {
            Node::Element { children, .. } => children,
            _ => &[],
        }
    }

    /// The name of what was found.
    pub fn name(&self, found: Found) -> &str {
        match (found, &self.nodes[found.node()]) {
            (Found::Attribute(_, at), Node::Element { attributes, .. }) => &attributes[at].0,
            (Found::Node(_), Node::Element { name, .. }) => name,
            _ => "",
        }
    }

    /// A node as text, for the methods that are called on the result of nodes(): an element as XML,
    /// text as text; any other begins with a character that no XML has.
    pub fn part(&self, found: Found) -> String {
        let mut out = String::new();
        match (found, &self.nodes[found.node()]) {
            (Found::Attribute(_, at), Node::Element { attributes, .. }) => {
                let (name, value) = &attributes[at];
                out = format!("{ATTRIBUTE}{name}{ATTRIBUTE}{value}");
            }
            (Found::Node(0), _) => {
                out.push(DOCUMENT);
                self.write(0, &mut out);
            }
            (Found::Node(n), _) => {
                if self.spaced[self.parents[n]] {
                    out.push(SPACED);
                }
                self.write(n, &mut out);
            }
            (Found::Attribute(..), _) => {}
        }
        out
    }

    /// Reads that again, and says where it is.
    pub(crate) fn of_part(text: &str) -> SqlResult<(Tree, Found)> {
        if let Some((name, value)) =
            text.strip_prefix(ATTRIBUTE).and_then(|t| t.split_once(ATTRIBUTE))
        {
            let attributes = vec![(name.to_owned(), value.to_owned())];
            let root = Node::Element { name: String::new(), attributes, children: Vec::new() };
            let tree = Tree { nodes: vec![root], spaced: vec![false], parents: vec![0] };
            return Ok((tree, Found::Attribute(0, 0)));
        }
        if let Some(text) = text.strip_prefix(DOCUMENT) {
            return Ok((Tree::read(text)?, Found::Node(0)));
        }
        let inner = text.strip_prefix(SPACED);
        let tree = Tree::within(inner.unwrap_or(text), inner.is_some())?;
        let first = usize::from(tree.nodes.len() > 1);
        Ok((tree, Found::Node(first)))
    }

    /// The text of what was found.
    pub fn string(&self, found: Found, out: &mut String) {
        match found {
            Found::Attribute(n, at) => {
                if let Node::Element { attributes, .. } = &self.nodes[n] {
                    out.push_str(&attributes[at].1);
                }
            }
            Found::Node(n) => match &self.nodes[n] {
                Node::Text(text) => out.push_str(text),
                Node::Other(_) => {}
                Node::Element { children, .. } => {
                    children.iter().for_each(|c| self.string(Found::Node(*c), out));
                }
            },
        }
    }

    /// Writes a node as XML.
    pub fn write(&self, n: usize, out: &mut String) {
        match &self.nodes[n] {
            Node::Text(text) => out.push_str(&escaped(text, false)),
            Node::Other(text) => out.push_str(text),
            Node::Element { name, attributes, children } => {
                if !name.is_empty() {
                    out.push_str(&format!("<{name}"));
                    for (name, value) in attributes {
                        out.push_str(&format!(" {name}=\"{}\"", escaped(value, true)));
                    }
                    out.push_str(if children.is_empty() { "/>" } else { ">" });
                }
                children.iter().for_each(|c| self.write(*c, out));
                if !name.is_empty() && !children.is_empty() {
                    out.push_str(&format!("</{name}>"));
                }
            }
        }
    }
}

/// A start tag: name, attributes, whether it is an empty element, and its length.
fn tag(text: &str) -> (String, Vec<(String, String)>, bool, usize) {
    let is_name = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
    let mut at = 1 + text[1..].find(|c| !is_name(c)).unwrap_or(text.len() - 1);
    let name = text[1..at].to_string();
    let mut attributes = Vec::new();
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        let rest = &text[at..];
        if rest.is_empty() {
            return (name, attributes, true, at);
        }
        if rest.starts_with('>') {
            return (name, attributes, false, at + 1);
        }
        if rest.starts_with("/>") {
            return (name, attributes, true, at + 2);
        }
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let key = rest[..end].to_string();
        let Some(quote) = rest[end..].find(['"', '\'']).map(|n| end + n) else {
            return (name, attributes, true, text.len());
        };
        let mark = &rest[quote..=quote];
        let close = rest[quote + 1..].find(mark).map_or(rest.len(), |n| quote + 1 + n);
        if !key.is_empty() {
            attributes.push((key, decoded(&rest[quote + 1..close])));
        }
        at += (close + 1).min(rest.len());
    }
}

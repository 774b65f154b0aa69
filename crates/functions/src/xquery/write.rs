//! Nodes as XML, in the form in which xml is kept; namespaces are declared where they are first used.

use super::name::{Prefixes, QName};
use super::tree::{Node, Tree};
use crate::pieces;
use crate::xml::{escape, is_white};
use std::sync::Arc;
use taffrail_base::SqlResult;

/// The text of nodes, and the namespaces that are in scope.
pub(super) struct NodeWriter<'t> {
    tree: &'t Tree,
    scope: Prefixes,
    pub out: String,
    looked: usize,
}

/// Writes an attribute's value to `out`: `="…"`, with references for what does not stand in it as it is.
pub fn quoted(value: &str, out: &mut String) {
    out.push_str("=\"");
    for c in value.chars() {
        match c {
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#x09;"),
            '\n' => out.push_str("&#x0A;"),
            c => escape(c, out),
        }
    }
    out.push('"');
}

/// Text; of white space alone the last character is a reference, which keeps it.
pub(super) fn text(text: &str, out: &mut String) {
    let white = !text.is_empty() && text.chars().all(is_white) && !text.contains('\r');
    let last = text.chars().last().filter(|_| white);
    let plain = last.map_or(text, |c| &text[..text.len() - c.len_utf8()]);
    plain.chars().for_each(|c| escape(c, out));
    if let Some(last) = last {
        out.push_str(&format!("&#x{:02X};", last as u32));
    }
}

impl<'t> NodeWriter<'t> {
    pub fn new(tree: &'t Tree) -> NodeWriter<'t> {
        NodeWriter { tree, scope: Prefixes::of_documents(), out: String::new(), looked: 0 }
    }

    /// Writes a node and what is in it.
    pub fn node(&mut self, n: usize) -> SqlResult<()> {
        self.looked += 1;
        if self.looked.is_multiple_of(4096) {
            pieces::look()?;
            pieces::memory(2 * self.out.len())?;
        }
        match &self.tree.nodes[n] {
            Node::Text(t) => text(t, &mut self.out),
            Node::Comment(t) => self.out.push_str(&format!("<!--{t}-->")),
            Node::Instruction(name, t) => self.out.push_str(&format!("<?{name} {t}?>")),
            Node::Element { children, .. } if n == 0 => {
                for child in children {
                    self.node(*child)?;
                }
            }
            Node::Element { name, declared, attributes, children } => {
                let before = self.scope.len();
                let tag = self.start(name, declared, attributes);
                if children.is_empty() {
                    self.out.push_str("/>");
                } else {
                    self.out.push('>');
                    for child in children {
                        self.node(*child)?;
                    }
                    self.out.push_str(&format!("</{tag}>"));
                }
                self.scope.truncate(before);
            }
        }
        Ok(())
    }

    /// A start tag without its end; the name as it is written.
    fn start(
        &mut self,
        name: &QName,
        declared: &[(Arc<str>, Arc<str>)],
        attributes: &[(QName, String)],
    ) -> String {
        let mut spaces = String::new();
        let mut declare = |scope: &mut Prefixes, prefix: &str, uri: &str| {
            scope.declare(prefix, uri);
            spaces.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
            spaces.push_str(prefix);
            quoted(uri, &mut spaces);
        };
        for (prefix, uri) in declared {
            let in_scope = self.scope.find(prefix);
            let same = match in_scope {
                Some(now) => now == *uri,
                None => uri.is_empty(),
            };
            // An element without a namespace takes no default one.
            let wrong = prefix.is_empty() && name.prefix.is_empty() && name.uri != *uri;
            if !same && !wrong {
                declare(&mut self.scope, prefix, uri);
            }
        }
        let in_scope = self.scope.find(&name.prefix).unwrap_or_else(|| "".into());
        if in_scope != name.uri {
            declare(&mut self.scope, &name.prefix, &name.uri);
        }
        let tag = name.written(&name.prefix);
        let mut rest = String::new();
        for (name, value) in attributes {
            let prefix = match (&*name.uri, &*name.prefix) {
                ("", _) => "".into(),
                (uri, prefix)
                    if !prefix.is_empty() && self.scope.find(prefix).as_deref() == Some(uri) =>
                {
                    name.prefix.clone()
                }
                (uri, prefix) => {
                    let is_free = |p: &str| !p.is_empty() && self.scope.find(p).is_none();
                    let made = || {
                        (1..).map(|n| Arc::from(format!("p{n}"))).find(|p: &Arc<str>| is_free(p))
                    };
                    let prefix = match is_free(prefix) {
                        true => name.prefix.clone(),
                        false => made().unwrap_or_else(|| name.prefix.clone()),
                    };
                    declare(&mut self.scope, &prefix, uri);
                    prefix
                }
            };
            rest.push_str(&format!(" {}", name.written(&prefix)));
            quoted(value, &mut rest);
        }
        self.out.push_str(&format!("<{tag}{spaces}{rest}"));
        tag
    }
}

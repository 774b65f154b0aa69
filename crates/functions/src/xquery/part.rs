//! The nodes that nodes() finds, as texts: the methods that are called on them read these again.
//!
//! A text begins with the number of the node in its document, and of the attribute in the node, within characters that no XML has. The
//! rest is the node as XML, with the namespaces that it needs, or an attribute's name and value.

use super::eval::{Here, Item};
use super::expr::Body;
use super::name::QName;
use super::tree::{Found, Tree};
use super::write::NodeWriter;
use super::{Whence, asked_of, kept, packed};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

const MARK: char = '\u{1}';

/// The place that a part says, in its document.
pub(super) fn place(part: &str) -> Option<Found> {
    let (number, _) = part.strip_prefix(MARK)?.split_once(MARK)?;
    Some(match number.split_once(',') {
        Some((n, at)) => Found::Attribute(n.parse().ok()?, at.parse().ok()?),
        None => Found::Node(number.parse().ok()?),
    })
}

/// The tree of a part alone, where the part is in it, and the number of the first node in the document.
pub(super) fn read(part: &str) -> SqlResult<(Tree, Found, usize)> {
    let rest = part.strip_prefix(MARK).and_then(|p| p.split_once(MARK)).map_or("", |p| p.1);
    match place(part) {
        Some(Found::Attribute(n, _)) => {
            let mut tree = Tree::empty();
            let holder = tree.alone(super::construct::holder());
            let mut parts = rest.splitn(4, MARK);
            let mut next = || parts.next().unwrap_or_default();
            let name = QName { prefix: next().into(), local: next().into(), uri: next().into() };
            tree.set_attribute(holder, name, next().to_owned())?;
            Ok((tree, Found::Attribute(holder, 0), n))
        }
        Some(Found::Node(0)) | None => Ok((Tree::read(rest)?, Found::Node(0), 0)),
        Some(Found::Node(n)) => {
            let tree = Tree::read(rest)?;
            let at = usize::from(tree.nodes.len() > 1);
            Ok((tree, Found::Node(at), n))
        }
    }
}

/// A node as text; `first`: the number of the tree's first node in the document, 0 where the tree is the document.
fn written(tree: &Tree, found: Found, first: usize) -> SqlResult<String> {
    let number = |n: usize| if first == 0 { n } else { first + n - 1 };
    Ok(match found {
        Found::Attribute(n, at) => {
            let Some((name, value)) = tree.attributes(n).get(at) else { return Ok(String::new()) };
            let QName { prefix, local, uri } = name;
            let n = number(n);
            format!("{MARK}{n},{at}{MARK}{prefix}{MARK}{local}{MARK}{uri}{MARK}{value}")
        }
        Found::Node(n) => {
            let mut writer = NodeWriter::new(tree);
            writer.node(n)?;
            format!("{MARK}{}{MARK}{}", number(n), writer.out)
        }
    })
}

/// The nodes that nodes() finds, one after the other.
pub struct Parts {
    found: std::vec::IntoIter<String>,
}

impl Parts {
    /// The nodes of a document; of what nodes() has found (`part` 1); or of that, with the document behind it (`part` 2).
    pub fn of(
        text: &Value,
        path: &str,
        (part, document): (i64, &Value),
        outside: &[Value],
    ) -> SqlResult<Parts> {
        let unpacked = packed::unpack(path)?;
        let whence = match part {
            0 => Whence::Document,
            1 => Whence::Part,
            _ => Whence::PartOf,
        };
        let (given, fragments) = unpacked.given(outside);
        let find = |tree: &mut Tree, at: Found, first: usize, own: &str| {
            let Body::Value(expr) = &unpacked.query.body else {
                return Err(SqlError::new(6306, &[]));
            };
            let mut asked = asked_of(tree, &unpacked.query, (&given, &fragments));
            let found = asked.value(expr, Here::alone(at))?;
            let mut out = Vec::with_capacity(found.len());
            let mut bytes = 0;
            for item in found {
                if let Item::Node(found) = item {
                    // A part of its own keeps its place, which an attribute's tree does not say.
                    let same = !own.is_empty() && found == at;
                    out.push(if same {
                        own.to_owned()
                    } else {
                        written(asked.tree, found, first)?
                    });
                    bytes += out.last().map_or(0, String::len);
                    crate::pieces::look()?;
                    crate::pieces::memory(bytes)?;
                }
            }
            Ok(Parts { found: out.into_iter() })
        };
        match whence {
            Whence::Document => kept::with_document(text, |tree| find(tree, Found::Node(0), 0, "")),
            Whence::Part => {
                let text = text.as_text().unwrap_or_default();
                let (mut tree, at, first) = read(&text)?;
                find(&mut tree, at, first, &text)
            }
            Whence::PartOf => {
                let at = place(&text.as_text().unwrap_or_default());
                kept::with_document(document, |tree| {
                    match at.filter(|f| f.node() < tree.nodes.len()) {
                        Some(at) => find(tree, at, 0, ""),
                        None => Ok(Parts { found: Vec::new().into_iter() }),
                    }
                })
            }
        }
    }
}

impl Iterator for Parts {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.found.next()
    }
}

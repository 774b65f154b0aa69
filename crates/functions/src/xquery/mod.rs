//! The methods of xml values: value(), query(), exist(), nodes() and modify(), with expressions of XQuery.
//!
//! ```text
//! at binding   Query::read (text ──▶ expression) ──▶ Query::judged (shapes, 2389 and its like) ──▶ a packed text
//! at run time  packed text ──▶ expression ──▶ Asked::value over a Tree ──▶ text
//! ```
//! What nodes() finds is a [`Parts`] item: its number in the document and its own text. A method that stays within it reads that
//! text alone; one that leads out of it (`..`, `/a`) reads the document, which the binder hands over as well.
//!
//! | module | it has |
//! |---|---|
//! | `read` | text to expressions |
//! | `expr`, `atom`, `name` | the parts of expressions, values, names |
//! | `shape` | what is known of a value before it is there |
//! | `eval`, `call`, `construct`, `change` | what an expression comes to; functions; new nodes; modify() |
//! | `tree`, `write` | a document, and its text |

mod atom;
mod call;
mod change;
mod construct;
mod eval;
mod expr;
mod kept;
mod name;
mod packed;
mod part;
mod read;
mod shape;
mod tree;
mod write;

pub use packed::{Given, Method};
pub use part::Parts;
pub use read::{Namespace, Outside, Query};
pub use write::quoted;

use super::typing::signature;
use super::{Function, Rule, Signature};
use atom::Atom;
use eval::{Asked, Here, Item, Val};
use expr::Body;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{SqlType, Value};
use tree::{Found, Tree};
use write::NodeWriter;

/// Names that cannot be written in a query: only the binder calls them. The first is that of a document, the second that of what nodes()
/// has found, the third that of such a node with its document behind it.
pub const VALUE: [&str; 3] = ["XML VALUE", "XML NODE VALUE", "XML NODE VALUE OF"];
/// The method that gives the nodes of a path as xml.
pub const QUERY: [&str; 3] = ["XML QUERY", "XML NODE QUERY", "XML NODE QUERY OF"];
/// The method that says whether a path finds a node.
pub const EXIST: [&str; 3] = ["XML EXIST", "XML NODE EXIST", "XML NODE EXIST OF"];
/// The method that changes a document: the document, the expression and the name of what holds it.
pub const MODIFY: &str = "XML MODIFY";

/// The document, the expression, one argument more, and values of SQL that the expression names.
const MOST: u8 = 3 + OUTSIDE_MOST as u8;
/// So many values of SQL an expression may name.
pub const OUTSIDE_MOST: usize = 16;

pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new(VALUE[0], 2, MOST, text, |_, args| value(args, Whence::Document)),
    Function::new(VALUE[1], 2, MOST, text, |_, args| value(args, Whence::Part)),
    Function::new(VALUE[2], 3, MOST, text, |_, args| value(args, Whence::PartOf)),
    Function::new(QUERY[0], 2, MOST, text, |_, args| query(args, Whence::Document)),
    Function::new(QUERY[1], 2, MOST, text, |_, args| query(args, Whence::Part)),
    Function::new(QUERY[2], 3, MOST, text, |_, args| query(args, Whence::PartOf)),
    Function::new(EXIST[0], 2, MOST, bit, |_, args| exist(args, Whence::Document)),
    Function::new(EXIST[1], 2, MOST, bit, |_, args| exist(args, Whence::Part)),
    Function::new(EXIST[2], 3, MOST, bit, |_, args| exist(args, Whence::PartOf)),
    Function::new(MODIFY, 3, MOST, text, |_, args| modify(args)),
];

const MAX: SqlType = SqlType::NVARCHAR_MAX;

fn text(rule: &Rule<'_>) -> SqlResult<Signature> {
    Ok(signature(&vec![MAX; rule.args.len()], MAX))
}

fn bit(rule: &Rule<'_>) -> SqlResult<Signature> {
    Ok(signature(&vec![MAX; rule.args.len()], SqlType::Bit))
}

/// Where the node is from that an expression is looked at from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::xquery) enum Whence {
    Document,
    /// It is what nodes() has found.
    Part,
    /// The same, and its document is the third argument.
    PartOf,
}

impl Whence {
    /// The number of arguments before the values of SQL.
    fn fixed(self) -> usize {
        if self == Whence::PartOf { 3 } else { 2 }
    }
}

/// The value of an expression, shown; None for NULL.
fn asked<R>(
    args: &[Value],
    whence: Whence,
    show: impl FnOnce(&mut Asked<'_>, Val) -> SqlResult<R>,
) -> SqlResult<Option<R>> {
    let fixed = whence.fixed();
    let (document, path) = match whence {
        Whence::PartOf => (&args[2], args[1].as_text()),
        _ => (&args[0], args[1].as_text()),
    };
    let Some(path) = path.filter(|_| !args[..fixed].iter().any(Value::is_null)) else {
        return Ok(None);
    };
    let unpacked = packed::unpack(&path)?;
    let body = |tree: &mut Tree, at: Found| {
        let Body::Value(expr) = &unpacked.query.body else { return Err(SqlError::new(6306, &[])) };
        let (outside, fragments) = unpacked.given(&args[fixed..]);
        let mut asked = asked_of(tree, &unpacked.query, (&outside, &fragments));
        let found = asked.value(expr, Here::alone(at))?;
        show(&mut asked, found).map(Some)
    };
    match whence {
        Whence::Document => kept::with_document(document, |tree| body(tree, Found::Node(0))),
        Whence::Part => {
            let (mut tree, at, _) = part::read(&args[0].as_text().unwrap_or_default())?;
            body(&mut tree, at)
        }
        Whence::PartOf => {
            let at = part::place(&args[0].as_text().unwrap_or_default());
            kept::with_document(document, |tree| match at.filter(|f| f.node() < tree.nodes.len()) {
                Some(at) => body(tree, at),
                None => Ok(None),
            })
        }
    }
}

fn asked_of<'a>(
    tree: &'a mut Tree,
    query: &Query,
    (outside, fragments): (&'a [Option<Atom>], &'a [Option<String>]),
) -> Asked<'a> {
    let variables = vec![Vec::new(); query.variables()];
    let heap = taffrail_io::heap::taken();
    Asked { tree, outside, fragments, variables, item: None, visited: 0, heap }
}

fn value(args: &[Value], whence: Whence) -> SqlResult<Value> {
    let found = asked(args, whence, |asked, found| {
        Ok(if found.is_empty() { Value::Null } else { Value::nvarchar(&asked.text(&found)) })
    });
    Ok(found?.unwrap_or(Value::Null))
}

fn query(args: &[Value], whence: Whence) -> SqlResult<Value> {
    let found = asked(args, whence, |asked, found| {
        let mut values = String::new();
        let mut writer = NodeWriter::new(asked.tree);
        let mut after_value = false;
        for item in &found {
            match item {
                Item::Node(Found::Node(n)) => writer.node(*n)?,
                // «Attribute may not appear outside of an element»
                Item::Node(Found::Attribute(..)) => return Err(SqlError::new(6307, &[])),
                Item::Atom(a) => {
                    values.clear();
                    values.push_str(if after_value { " " } else { "" });
                    values.push_str(&a.text());
                    write::text(&values, &mut writer.out);
                }
            }
            after_value = matches!(item, Item::Atom(_));
        }
        allowed(&writer.out)?;
        Ok(Value::nvarchar(&writer.out))
    });
    Ok(found?.unwrap_or(Value::Null))
}

/// 6309 for a character that XML has no way to write.
fn allowed(text: &str) -> SqlResult<()> {
    match text.chars().find(|c| !crate::xml::is_allowed(*c)) {
        Some(c) => Err(SqlError::new(6309, &[&"NoName", &format!("{:04X}", c as u32)])),
        None => Ok(()),
    }
}

fn exist(args: &[Value], whence: Whence) -> SqlResult<Value> {
    let found = asked(args, whence, |_, found| Ok(Value::Bit(!found.is_empty())));
    Ok(found?.unwrap_or(Value::Null))
}

/// 5302 for a document that is NULL.
fn modify(args: &[Value]) -> SqlResult<Value> {
    let Some(text) = args[0].as_text() else {
        return Err(SqlError::new(5302, &[&"modify()", &args[2].as_text().unwrap_or_default()]));
    };
    let unpacked = packed::unpack(&args[1].as_text().unwrap_or_default())?;
    let Body::Change(change) = &unpacked.query.body else {
        return Err(SqlError::new(6305, &[]));
    };
    let mut tree = Tree::read(&text)?;
    let (outside, fragments) = unpacked.given(&args[3..]);
    asked_of(&mut tree, &unpacked.query, (&outside, &fragments)).changed(change)?;
    let mut writer = NodeWriter::new(&tree);
    writer.node(0)?;
    let out = writer.out;
    allowed(&out)?;
    crate::xml::check(&out)?;
    Ok(Value::nvarchar(&out))
}

#[cfg(test)]
mod tests;

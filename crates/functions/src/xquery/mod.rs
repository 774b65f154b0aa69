//! The methods of xml values: value(), query(), exist(), nodes(), with expressions as scripts write them.
//!
//! ```text
//! expression  comparison { and | or comparison }        comparison  operand [ = != < <= > >= operand ]
//! operand     path  "text"  number  count() not() contains() local-name() string() data() number() position() last()
//!             sql:column("c")  sql:variable("@v")  ( expression )  (path)[n]
//! path        .     /step/step      //step      step/step
//! step        name  *  @name  @*  text()  node()  .  ..     each with [ n ] or [ expression ] after it
//! ```
//! Anything else of XQuery (FLWOR, namespaces, other functions) is refused. Elements in a namespace are not found by a name
//! without a prefix. What nodes() finds is the text of its part of the document: a path that leads out of it is refused.
//!
//! | module | what |
//! |---|---|
//! | [`read`] | text to expressions |
//! | [`expr`] | expressions, and what they come to |
//! | [`tree`] | a document |

mod expr;
mod read;
mod tree;

pub use read::{Outside, Query};

use super::typing::signature;
use super::{Function, Rule, Signature};
use expr::{Asked, Here, Val};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{SqlType, Value};
use tree::{Found, Tree};

/// Names that cannot be written in a query: only the binder calls them. Of each pair the second is that of what nodes() has found.
pub const VALUE: [&str; 2] = ["XML VALUE", "XML NODE VALUE"];
/// The method that gives the nodes of a path as xml.
pub const QUERY: [&str; 2] = ["XML QUERY", "XML NODE QUERY"];
/// The method that says whether a path finds a node.
pub const EXIST: [&str; 2] = ["XML EXIST", "XML NODE EXIST"];

/// The document, the expression, and values of SQL that it names.
const MOST: u8 = 2 + OUTSIDE_MOST as u8;
/// So many values of SQL an expression may name.
pub const OUTSIDE_MOST: usize = 16;

pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new(VALUE[0], 2, MOST, text, |_, args| value(args, false)),
    Function::new(VALUE[1], 2, MOST, text, |_, args| value(args, true)),
    Function::new(QUERY[0], 2, MOST, text, |_, args| query(args, false)),
    Function::new(QUERY[1], 2, MOST, text, |_, args| query(args, true)),
    Function::new(EXIST[0], 2, MOST, bit, |_, args| exist(args, false)),
    Function::new(EXIST[1], 2, MOST, bit, |_, args| exist(args, true)),
];

const MAX: SqlType = SqlType::NVARCHAR_MAX;

fn text(rule: &Rule<'_>) -> SqlResult<Signature> {
    Ok(signature(&vec![MAX; rule.args.len()], MAX))
}

fn bit(rule: &Rule<'_>) -> SqlResult<Signature> {
    Ok(signature(&vec![MAX; rule.args.len()], SqlType::Bit))
}

/// The tree, and what the expression comes to with it; None for NULL.
fn asked<R>(
    args: &[Value],
    part: bool,
    show: impl FnOnce(&Asked<'_>, Val) -> SqlResult<R>,
) -> SqlResult<Option<R>> {
    let (Some(text), Some(path)) = (args[0].as_text(), args[1].as_text()) else { return Ok(None) };
    let (tree, at) = match part {
        true => Tree::of_part(&text)?,
        false => (Tree::read(&text)?, Found::Node(0)),
    };
    let query = Query::read(&path)?;
    let outside: Vec<Option<String>> = args[2..].iter().map(Value::as_text).collect();
    let mut asked = Asked { tree: &tree, part, outside: &outside, visited: 0 };
    let found = asked.value(&query.expr, Here::alone(at))?;
    show(&asked, found).map(Some)
}

fn nothing(v: &Val) -> bool {
    matches!(v, Val::Nothing) || matches!(v, Val::Found(list) if list.is_empty())
}

fn value(args: &[Value], part: bool) -> SqlResult<Value> {
    let found = asked(args, part, |asked, found| {
        Ok(if nothing(&found) { Value::Null } else { Value::nvarchar(&asked.text(&found)) })
    });
    Ok(found?.unwrap_or(Value::Null))
}

fn query(args: &[Value], part: bool) -> SqlResult<Value> {
    let found = asked(args, part, |asked, found| {
        let mut out = String::new();
        match found {
            Val::Found(list) => {
                for f in list {
                    crate::pieces::look()?;
                    crate::pieces::memory(2 * out.len())?;
                    match f {
                        Found::Node(n) => asked.tree.write(n, &mut out),
                        // «Attribute may not appear outside of an element»
                        Found::Attribute(..) => return Err(SqlError::new(2390, &[&"query"])),
                    }
                }
            }
            other => out = tree::escaped(&asked.text(&other), false),
        }
        Ok(Value::nvarchar(&out))
    });
    Ok(found?.unwrap_or(Value::Null))
}

fn exist(args: &[Value], part: bool) -> SqlResult<Value> {
    let found = asked(args, part, |_, found| Ok(Value::Bit(!nothing(&found))));
    Ok(found?.unwrap_or(Value::Null))
}

/// The nodes that nodes() finds, one after the other.
pub struct Parts {
    tree: Tree,
    found: std::vec::IntoIter<Found>,
}

impl Parts {
    /// Of a document, or of what nodes() has found (`part`).
    pub fn of(text: &str, path: &str, part: bool, outside: &[Option<String>]) -> SqlResult<Parts> {
        let (tree, at) = match part {
            true => Tree::of_part(text)?,
            false => (Tree::read(text)?, Found::Node(0)),
        };
        let query = Query::read(path)?;
        let mut asked = Asked { tree: &tree, part, outside, visited: 0 };
        let Val::Found(list) = asked.value(&query.expr, Here::alone(at))? else {
            return Err(taffrail_base::message::unsupported("nodes() of values"));
        };
        Ok(Parts { tree, found: list.into_iter() })
    }
}

impl Iterator for Parts {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.found.next().map(|f| self.tree.part(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(xml: &str, path: &str) -> Vec<String> {
        let tree = Tree::read(xml).unwrap();
        let mut asked = Asked { tree: &tree, part: false, outside: &[], visited: 0 };
        let query = Query::read(path).unwrap();
        match asked.value(&query.expr, Here::alone(Found::Node(0))).unwrap() {
            Val::Found(list) => {
                list.into_iter().map(|f| asked.text(&Val::Found(vec![f]))).collect()
            }
            v => vec![asked.text(&v)],
        }
    }

    #[test]
    fn paths_find_what_they_say() {
        let doc =
            "<r a='1'><b n=\"x\">one</b><b n='y'>t&amp;w<c/>o</b><!-- - --><![CDATA[<]]></r>tail";
        for (path, want) in [
            (".", vec!["onet&wo<tail"]),
            ("/r/b", vec!["one", "t&wo"]),
            ("(/r/b)[2]", vec!["t&wo"]),
            ("/r/b[2]", vec!["t&wo"]),
            ("r/b[@n=\"y\"]", vec!["t&wo"]),
            ("/r/b[c]", vec!["t&wo"]),
            ("//b/@n", vec!["x", "y"]),
            ("/r/@a", vec!["1"]),
            ("//c", vec![""]),
            ("(./text())[1]", vec!["tail"]),
            ("/r/text()", vec!["<"]),
            ("/r/*", vec!["one", "t&wo"]),
            ("/r/nothing", vec![]),
            ("(//b)[3]", vec![]),
            ("(//b)[1]/@n", vec!["x"]),
            ("//c/../@n", vec!["y"]),
            ("/r/child::b", vec!["one", "t&wo"]),
            ("/child::r/child::b[child::c]/@n", vec!["y"]),
            ("/r/child::*", vec!["one", "t&wo"]),
            ("/r/b[1]/child::node()", vec!["one"]),
            ("/r/child :: text()", vec!["<"]),
            ("//child::c", vec![""]),
            ("/r/child", vec![]),
            ("count(//b)", vec!["2"]),
            ("//b[@n='x' or @n=\"z\"]", vec!["one"]),
            ("//b[@n and not(c)]", vec!["one"]),
            ("//b[@n != 'x'][c]/@n", vec!["y"]),
            ("/r[@a = 1]/@a", vec!["1"]),
            ("/r[@a >= 01.5]/@a", vec![]),
            ("//b[last()]/@n", vec!["y"]),
            ("(//b)[last()]/@n", vec!["y"]),
            ("(//b[@n])[ last ( ) ]/@n", vec!["y"]),
            ("(//nope)[last()]", vec![]),
            ("//b[position() = 1]", vec!["one"]),
            ("local-name((//@n)[1])", vec!["n"]),
            ("//*[contains(., 'w')]/@n", vec!["y"]),
        ] {
            assert_eq!(of(doc, path), want, "{path}");
        }
        assert_eq!(of("<a xmlns='u'><b/></a>", "//b").len(), 0);
        assert_eq!(of("<a><child>it</child></a>", "/a/child"), ["it"]);
        assert_eq!(of("&#x41;&#66;&lt;", "."), ["AB<"]);
    }

    /// Each node that is looked at counts, whoever has led there.
    #[test]
    fn wide_documents_are_left_when_the_batch_is_cancelled() {
        let doc = format!("<a n='1'>{}</a>", "<b>1</b>".repeat(5000));
        let tree = Tree::read(&doc).unwrap();
        let ask = |path: &str| {
            let mut asked = Asked { tree: &tree, part: false, outside: &[], visited: 0 };
            let query = Query::read(path).unwrap();
            let found = asked.value(&query.expr, Here::alone(Found::Node(0)));
            found.map(|_| ()).map_err(|e| e.number)
        };
        let paths = ["/a/b", "count(/a/*)", "/a[@n = 1]/b", "count(/a/b[count(../b) = 1])"];
        assert_eq!(ask(paths[2]), Ok(()));
        let cell = taffrail_observe::SessionCell::new(51);
        let _in = taffrail_observe::SessionCell::enter(&cell);
        cell.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
        for path in paths {
            assert_eq!(ask(path), Err(taffrail_base::message::CANCELLED), "{path}");
        }
        assert_eq!(ask("/a/@n"), Ok(()));
    }

    #[test]
    fn what_is_not_here_is_refused() {
        for path in [
            "for $x in /a return $x",
            "sum(/a)",
            "p:a",
            "@p:a",
            "a[",
            "a b",
            "(a",
            "count(a, b)",
            "(1)/a",
        ] {
            assert_eq!(Query::read(path).err().map(|e| e.number), Some(40510), "{path}");
        }
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |n: usize| "<a>".repeat(n) + &"</a>".repeat(n);
        assert_eq!(of(&nested(128), "//a[not]").len(), 0);
        assert_eq!(Tree::read(&nested(300_000)).err().map(|e| e.number), Some(6335));
        let path = |n: usize| "(".repeat(n) + "/a" + &")".repeat(n);
        assert!(Query::read(&path(63)).is_ok());
        assert_eq!(Query::read(&path(300_000)).err().map(|e| e.number), Some(40510));
        let path = "a[".repeat(300_000) + "a" + &"]".repeat(300_000);
        assert_eq!(Query::read(&path).err().map(|e| e.number), Some(40510));
    }

    #[test]
    fn parts_know_what_they_are() {
        let doc = "<r><b n=\"x\">o&lt;e</b><!--c-->t</r>";
        let parts =
            |text: &str, path: &str, part| Parts::of(text, path, part, &[]).unwrap().collect();
        let all: Vec<String> = parts(doc, "/r/node()", false);
        assert_eq!(all, ["<b n=\"x\">o&lt;e</b>", "<!--c-->", "t"]);
        let value = |text: &str, path: &str| {
            let args = [Value::nvarchar(text), Value::nvarchar(path)];
            super::value(&args, true).map(|v| v.as_text())
        };
        assert_eq!(value(&all[0], "@n").unwrap().unwrap(), "x");
        assert_eq!(value(&all[0], ".").unwrap().unwrap(), "o<e");
        assert_eq!(value(&all[2], ".").unwrap().unwrap(), "t");
        assert_eq!(value(&all[0], "b").unwrap(), None);
        let attributes: Vec<String> = parts(doc, "//@n", false);
        assert_eq!(value(&attributes[0], ".").unwrap().unwrap(), "x");
        let whole: Vec<String> = parts(doc, ".", false);
        assert_eq!(value(&whole[0], "r/b/@n").unwrap().unwrap(), "x");
        for path in ["/r", "../b", "//b"] {
            assert_eq!(value(&all[0], path).err().map(|e| e.number), Some(40510), "{path}");
        }
        let deeper: Vec<String> = parts(&all[0], "text()", true);
        assert_eq!(deeper, ["o&lt;e"]);
    }

    #[test]
    fn value_wants_one_thing() {
        for (path, one) in [
            (".", true),
            ("(/a/b)[1]", true),
            ("/a[1]/b[1]", true),
            ("@x", true),
            ("/a/b", false),
            ("//a[1]", false),
            ("count(//a)", true),
            ("(//a)[1]/b", false),
            ("(//a)[1]/@b", true),
        ] {
            assert_eq!(Query::read(path).unwrap().is_singleton(), one, "{path}");
        }
    }
}

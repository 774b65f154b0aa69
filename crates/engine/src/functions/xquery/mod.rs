//! The methods of xml values: value(), query(), exist(), with paths as scripts write them.
//!
//! ```text
//! expression  ( path ) [ n ]        path
//! path        .     /step/step      //step      step/step
//! step        name  *  @name  @*  text()  node()  .        each with [ n ], [ path ], [ path = "literal" ] after it
//! ```
//! Anything else of XQuery (FLWOR, namespaces, functions, `..`) is refused. Elements in a namespace are not found by a name
//! without a prefix.

mod path;
mod tree;

pub(crate) use path::Path;

use super::typing::signature;
use super::{Call, Function};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{SqlType, Value};
use tree::{Found, Tree};

/// Names that cannot be written in a query: only the binder calls them.
pub const VALUE: &str = "XML VALUE";
pub const QUERY: &str = "XML QUERY";
pub const EXIST: &str = "XML EXIST";

pub static FUNCTIONS: &[Function] = &[
    Function::new(VALUE, 2, 2, |_| Ok(signature(&[MAX; 2], MAX)), value),
    Function::new(QUERY, 2, 2, |_| Ok(signature(&[MAX; 2], MAX)), query),
    Function::new(EXIST, 2, 2, |_| Ok(signature(&[MAX; 2], SqlType::Bit)), exist),
];

const MAX: SqlType = SqlType::NVARCHAR_MAX;

/// The tree and what the path finds; None for NULL.
fn found(args: &[Value]) -> SqlResult<Option<(Tree, Vec<Found>)>> {
    let (Some(text), Some(path)) = (args[0].as_text(), args[1].as_text()) else { return Ok(None) };
    let (tree, path) = (Tree::read(&text)?, Path::read(&path)?);
    let found = path.find(&tree, Found::Node(0))?;
    Ok(Some((tree, found)))
}

fn value(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(match found(args)? {
        Some((tree, found)) if !found.is_empty() => {
            let mut out = String::new();
            tree.string(found[0], &mut out);
            Value::nvarchar(&out)
        }
        _ => Value::Null,
    })
}

fn query(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some((tree, found)) = found(args)? else { return Ok(Value::Null) };
    let mut out = String::new();
    for f in found {
        match f {
            Found::Node(n) => tree.write(n, &mut out),
            // «Attribute may not appear outside of an element»
            Found::Attribute(..) => return Err(SqlError::new(2390, &[&"query"])),
        }
    }
    Ok(Value::nvarchar(&out))
}

fn exist(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(found(args)?.map_or(Value::Null, |(_, found)| Value::Bit(!found.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(xml: &str, path: &str) -> Vec<String> {
        let tree = Tree::read(xml).unwrap();
        let text = |f| {
            let mut out = String::new();
            tree.string(f, &mut out);
            out
        };
        let found = Path::read(path).unwrap().find(&tree, Found::Node(0)).unwrap();
        found.into_iter().map(text).collect()
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
        ] {
            assert_eq!(of(doc, path), want, "{path}");
        }
        assert_eq!(of("<a xmlns='u'><b/></a>", "//b").len(), 0);
        assert_eq!(of("&#x41;&#66;&lt;", "."), ["AB<"]);
    }

    #[test]
    fn what_is_not_here_is_refused() {
        for path in
            ["../a", "for $x in /a return $x", "count(/a)", "p:a", "a[", "a b", "(a", "a[@b=1]"]
        {
            assert_eq!(Path::read(path).err().map(|e| e.number), Some(40510), "{path}");
        }
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |n: usize| "<a>".repeat(n) + &"</a>".repeat(n);
        assert_eq!(of(&nested(128), "//a[not]").len(), 0);
        assert_eq!(Tree::read(&nested(300_000)).err().map(|e| e.number), Some(6335));
        let path = |n: usize| "(".repeat(n) + "/a" + &")".repeat(n);
        assert!(Path::read(&path(63)).is_ok());
        assert_eq!(Path::read(&path(300_000)).err().map(|e| e.number), Some(40510));
        let path = "a[".repeat(300_000) + "a" + &"]".repeat(300_000);
        assert_eq!(Path::read(&path).err().map(|e| e.number), Some(40510));
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
        ] {
            assert_eq!(Path::read(path).unwrap().is_singleton(), one, "{path}");
        }
    }
}

//! An expression with all that its evaluation needs, as one text: the argument of the functions that the binder calls.

use super::atom::Atom;
use super::expr::{AtomType, Body};
use super::read::{Namespace, Query};
use super::shape::{ItemKind, Judge};
use std::cell::RefCell;
use std::rc::Rc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Family, SqlType, Value};

/// Between the parts of a packed text, and between those of a namespace: characters that no expression has.
const PARTS: char = '\u{2}';
const NAMES: char = '\u{1}';
/// The expressions that a thread keeps as they were read.
const KEPT: usize = 16;

/// The method that an expression is an argument of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The method `value()`, of one value.
    Value,
    /// The method `query()`, of nodes as xml.
    Query,
    /// The method `exist()`, of a bit.
    Exist,
    /// The method `nodes()`, of rows.
    Nodes,
    /// The method `modify()`, of a change.
    Modify,
}

/// The type that a value of SQL has in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Given(Option<AtomType>);

const LETTERS: [(AtomType, char); 9] = [
    (AtomType::Untyped, 'u'),
    (AtomType::Text, 's'),
    (AtomType::Integer, 'i'),
    (AtomType::Decimal, 'd'),
    (AtomType::Double, 'f'),
    (AtomType::Boolean, 'b'),
    (AtomType::Date, 'e'),
    (AtomType::Time, 'c'),
    (AtomType::DateTime, 't'),
];

impl Given {
    /// The type of a value of type xml.
    pub const XML: Given = Given(None);

    /// The type of a value of SQL; None where an expression knows none for it.
    pub fn of(ty: SqlType) -> Option<Given> {
        Some(Given(Some(match ty {
            SqlType::Bit => AtomType::Boolean,
            SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => {
                AtomType::Integer
            }
            SqlType::Date => AtomType::Date,
            SqlType::Time(_) => AtomType::Time,
            _ => match ty.family() {
                Family::Char | Family::NChar | Family::Guid => AtomType::Text,
                Family::Decimal | Family::Money => AtomType::Decimal,
                Family::Float => AtomType::Double,
                Family::OldDate | Family::NewDate => AtomType::DateTime,
                _ => return None,
            },
        })))
    }

    fn letter(self) -> char {
        let found = LETTERS.iter().find(|(ty, _)| Some(*ty) == self.0);
        found.map_or('x', |(_, letter)| *letter)
    }

    fn of_letter(letter: char) -> Given {
        Given(LETTERS.iter().find(|(_, l)| *l == letter).map(|(ty, _)| *ty))
    }
}

impl Query {
    pub(super) fn variables(&self) -> usize {
        self.variables
    }

    /// Judges what the method is given: 2389, 6305 and their like. `name`: the method as errors name it.
    pub fn judged(&self, method: Method, name: &str, given: &[Given]) -> SqlResult<()> {
        let types: Vec<Option<AtomType>> = given.iter().map(|g| g.0).collect();
        let variables = Vec::new();
        let mut judge = Judge { method: name, outside: &types, variables, xml_allowed: false };
        let expr = match (&self.body, method) {
            (Body::Change(change), Method::Modify) => return judge.change(change),
            (Body::Change(_), _) => return Err(SqlError::new(6306, &[])),
            (Body::Value(_), Method::Modify) => return Err(SqlError::new(6305, &[])),
            (Body::Value(expr), _) => expr,
        };
        let shape = judge.shape(expr)?;
        match method {
            Method::Value => judge.single("value()", &shape),
            Method::Query if matches!(shape.kind, ItemKind::Attribute(_)) => {
                Err(judge.error(2390, &[&"attribute"]))
            }
            Method::Nodes if !shape.is_node() => Err(judge.error(2374, &[&"nodes()"])),
            _ => Ok(()),
        }
    }

    /// The text that the functions of the methods take: the expression alone where nothing else is to be known.
    pub fn packed(text: &str, namespaces: &[Namespace], given: &[Given]) -> String {
        if namespaces.is_empty() && given.is_empty() {
            return text.to_owned();
        }
        let mut out: String = given.iter().map(|g| g.letter()).collect();
        out.push(PARTS);
        for (prefix, uri) in namespaces {
            out.push_str(&format!("{prefix}{NAMES}{uri}{NAMES}"));
        }
        out.push(PARTS);
        out.push_str(text);
        out
    }
}

/// A packed text that has been read.
pub(super) struct Unpacked {
    pub query: Query,
    given: Vec<Given>,
}

thread_local! {
    static READ: RefCell<Vec<(String, Rc<Unpacked>)>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn unpack(packed: &str) -> SqlResult<Rc<Unpacked>> {
    let known = |list: &RefCell<Vec<(String, Rc<Unpacked>)>>| {
        list.borrow().iter().find(|e| e.0 == packed).map(|e| e.1.clone())
    };
    if let Some(known) = READ.with(known) {
        return Ok(known);
    }
    let (letters, spaces, text) = match packed.split_once(PARTS) {
        Some((letters, rest)) => {
            let (spaces, text) = rest.split_once(PARTS).unwrap_or(("", rest));
            (letters, spaces, text)
        }
        None => ("", "", packed),
    };
    let names: Vec<&str> = spaces.split(NAMES).collect();
    let spaces = names.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned()));
    let namespaces: Vec<Namespace> = spaces.collect();
    let query = Query::read(text, "", &namespaces)?;
    let given = letters.chars().map(Given::of_letter).collect();
    let read = Rc::new(Unpacked { query, given });
    READ.with(|list| {
        let mut list = list.borrow_mut();
        if list.len() == KEPT {
            list.remove(0);
        }
        list.push((packed.to_owned(), read.clone()));
    });
    Ok(read)
}

impl Unpacked {
    /// The values of SQL: atoms, and texts of type xml.
    pub fn given(&self, args: &[Value]) -> (Vec<Option<Atom>>, Vec<Option<String>>) {
        let of = |n: usize| args.get(n).and_then(Value::as_text);
        let mut atoms = Vec::new();
        let mut texts = Vec::new();
        for (n, given) in self.given.iter().enumerate() {
            let text = of(n);
            match given.0 {
                Some(ty) => {
                    atoms.push(text.and_then(|t| Atom::Text(t).cast(ty)));
                    texts.push(None);
                }
                None => {
                    atoms.push(None);
                    texts.push(text);
                }
            }
        }
        (atoms, texts)
    }
}

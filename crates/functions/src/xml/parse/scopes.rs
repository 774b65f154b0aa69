//! Namespaces: which prefix stands for which where. Each declaration and each attribute is looked up once, however many an element
//! has.

use super::super::characters::*;
use super::Attribute;
use std::collections::{HashMap, HashSet};

/// A namespace, by number.
type Namespace = u32;

/// More attributes than these are compared by a hash.
const FEW: usize = 8;

/// The prefixes that are declared where the reading is.
#[derive(Default)]
pub(super) struct Scopes<'t> {
    /// In the order of their declarations.
    declared: Vec<&'t str>,
    /// Of each prefix its declarations that hold: where they stand among all, and their namespaces; the innermost last.
    meanings: HashMap<&'t str, Vec<(usize, Namespace)>>,
    /// Two prefixes may stand for one namespace: each has one number.
    numbers: HashMap<Box<str>, Namespace>,
}

impl<'t> Scopes<'t> {
    /// How many declarations hold.
    pub fn len(&self) -> usize {
        self.declared.len()
    }

    /// Only so many hold from now on.
    pub fn truncate(&mut self, len: usize) {
        for prefix in self.declared.drain(len..) {
            if let Some(meanings) = self.meanings.get_mut(prefix) {
                meanings.pop();
            }
        }
    }

    fn number(&mut self, uri: &str) -> Namespace {
        if let Some(known) = self.numbers.get(uri) {
            return *known;
        }
        let number = self.numbers.len() as Namespace;
        self.numbers.insert(uri.into(), number);
        number
    }

    /// The namespaces that a tag declares.
    pub fn declare(&mut self, attributes: &[Attribute<'t>]) -> Read<()> {
        let before = self.declared.len();
        for a in attributes {
            let prefix = match a.name.split_once(':') {
                Some(("xmlns", prefix)) => prefix,
                None if a.name == "xmlns" => "",
                _ => continue,
            };
            if prefix == "xmlns" {
                return Err(XMLNS);
            }
            if !prefix.is_empty() && a.value.is_empty() {
                return Err(EMPTY_URI);
            }
            let number = self.number(&a.value);
            let meanings = self.meanings.entry(prefix).or_default();
            if meanings.last().is_some_and(|(at, _)| *at >= before) {
                return Err(REDECLARED);
            }
            meanings.push((self.declared.len(), number));
            self.declared.push(prefix);
        }
        Ok(())
    }

    /// The namespace of a name's prefix, if it has one: an error where nothing declares it.
    fn namespace(&mut self, name: &'t str) -> Read<(Option<Namespace>, &'t str)> {
        let Some((prefix, local)) = name.split_once(':') else { return Ok((None, name)) };
        let declared = self.meanings.get(prefix).and_then(|m| m.last());
        let number = match (declared, prefix) {
            (Some((_, number)), _) => *number,
            (None, "xml") => self.number("http://www.w3.org/XML/1998/namespace"),
            (None, "xmlns") => self.number("http://www.w3.org/2000/xmlns/"),
            _ => return Err(UNDECLARED),
        };
        Ok((Some(number), local))
    }

    /// The prefixes of an element and its attributes are declared, and no two attributes are the same.
    pub fn check(&mut self, element: &'t str, attributes: &[Attribute<'t>]) -> Read<()> {
        self.namespace(element)?;
        let expanded = attributes.iter().map(|a| self.namespace(a.name));
        let expanded = expanded.collect::<Read<Vec<_>>>()?;
        let differ = match expanded.len() <= FEW {
            true => expanded.iter().enumerate().all(|(n, a)| !expanded[..n].contains(a)),
            false => {
                let mut seen = HashSet::with_capacity(expanded.len());
                expanded.iter().all(|a| seen.insert(a))
            }
        };
        if differ { Ok(()) } else { Err(DUPLICATE) }
    }
}

//! Names with their namespaces, and the prefixes that are in scope.

use std::sync::Arc;

/// The namespace of `xs:`.
pub(super) const SCHEMA: &str = "http://www.w3.org/2001/XMLSchema";
/// The namespace of `xdt:`.
pub(super) const DATA_TYPES: &str = "http://www.w3.org/2004/07/xpath-datatypes";
/// The namespace of the functions that have no prefix.
pub(super) const FUNCTION_NAMES: &str = "http://www.w3.org/2004/07/xpath-functions";
/// The namespace of `sql:`.
pub(super) const SQL: &str = "urn:schemas-microsoft-com:xml-sql";
/// The namespace of `xsi:`.
pub(super) const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// The namespace of `xml:`.
pub(super) const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// A name of an element or attribute.
#[derive(Clone, Debug)]
pub(super) struct QName {
    /// The prefix that the name was written with; empty without one.
    pub prefix: Arc<str>,
    /// The part behind the prefix.
    pub local: Arc<str>,
    /// The namespace; empty for none.
    pub uri: Arc<str>,
}

impl QName {
    /// The name of a document and of other nodes that have none.
    pub fn none() -> QName {
        QName { prefix: "".into(), local: "".into(), uri: "".into() }
    }

    /// Whether two names are one: prefixes do not count.
    pub fn is(&self, other: &QName) -> bool {
        self.local == other.local && self.uri == other.uri
    }

    /// The name as it is written, with a prefix.
    pub fn written(&self, prefix: &str) -> String {
        match prefix.is_empty() {
            true => self.local.to_string(),
            false => format!("{prefix}:{}", self.local),
        }
    }
}

/// Prefixes and their namespaces, the innermost last.
#[derive(Clone, Default, Debug)]
pub(super) struct Prefixes(Vec<(Arc<str>, Arc<str>)>);

impl Prefixes {
    /// The prefixes that every expression knows.
    pub(super) fn of_expressions() -> Prefixes {
        let known = [
            ("xs", SCHEMA),
            ("xdt", DATA_TYPES),
            ("fn", FUNCTION_NAMES),
            ("sql", SQL),
            ("xsi", INSTANCE),
            ("xml", XML),
        ];
        Prefixes(known.iter().map(|(p, u)| ((*p).into(), (*u).into())).collect())
    }

    /// The prefix that every document knows.
    pub(super) fn of_documents() -> Prefixes {
        Prefixes(vec![("xml".into(), XML.into())])
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    pub fn declare(&mut self, prefix: &str, uri: &str) {
        self.0.push((prefix.into(), uri.into()));
    }

    /// The namespace of a prefix; the empty prefix stands for the default namespace.
    pub fn find(&self, prefix: &str) -> Option<Arc<str>> {
        self.0.iter().rev().find(|(p, _)| &**p == prefix).map(|(_, u)| u.clone())
    }

    /// The namespace of names of elements without a prefix.
    pub fn default(&self) -> Arc<str> {
        self.find("").unwrap_or_else(|| "".into())
    }
}

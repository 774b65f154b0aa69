//! LIKE.
use crate::Collation;

/// A compiled LIKE pattern.
#[derive(Clone, Debug)]
pub struct Pattern {}

impl Pattern {
    /// Of UTF-16LE text (`unicode`) or code page text; `escape` is one character as a code unit.
    pub fn new(pattern: &[u8], unicode: bool, escape: Option<u16>, collation: Collation) -> Pattern { let _ = (pattern, unicode, escape, collation); todo!() }
    /// Whether the text (in the same encoding) matches.
    pub fn matches(&self, text: &[u8]) -> bool { let _ = text; todo!() }
    /// PATINDEX: 1-based position in characters of the first match, 0 if none.
    pub fn position(&self, text: &[u8]) -> usize { let _ = text; todo!() }
}

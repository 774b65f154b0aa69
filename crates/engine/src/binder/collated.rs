//! Whose word the collation of a text is, and which of two holds.

use super::expr::is_text;
use super::{Binder, Bound};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Collation;

/// What a collation is told by; of two, the stronger holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Label {
    /// The database's: of a literal, a variable, of what is made of something else than text.
    #[default]
    CoercibleDefault,
    /// A column's.
    Implicit,
    /// Written, by COLLATE.
    Explicit,
}

/// A collation with its label.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Collated {
    /// The collation.
    pub collation: Collation,
    /// How strongly it is meant.
    pub label: Label,
}

impl Collated {
    /// A column's.
    pub fn implicit(collation: Collation) -> Collated {
        Collated { collation, label: Label::Implicit }
    }

    /// That of two texts together; none where two columns, or two COLLATE, differ.
    pub fn with(self, other: Collated) -> Option<Collated> {
        let label = self.label.max(other.label);
        match () {
            _ if self.collation == other.collation => {
                Some(Collated { collation: self.collation, label })
            }
            _ if self.label > other.label => Some(self),
            _ if self.label < other.label => Some(other),
            _ => None,
        }
    }
}

impl Bound {
    /// Its collation with the label.
    pub fn collated(&self) -> Collated {
        Collated { collation: self.collation, label: self.label }
    }

    /// The same with another collation.
    pub fn collate(self, by: Collated) -> Bound {
        Bound { collation: by.collation, label: by.label, ..self }
    }
}

impl Binder<'_> {
    /// The collation of two texts together: 468 where none of them gives way.
    pub(crate) fn merge_collation(
        &self,
        a: &Bound,
        b: &Bound,
        operation: &str,
    ) -> SqlResult<Collated> {
        match (is_text(a.ty), is_text(b.ty)) {
            (true, true) => {}
            (_, false) => return Ok(a.collated()),
            (false, true) => return Ok(b.collated()),
        }
        let conflict =
            || SqlError::new(468, &[&a.collation.name(), &b.collation.name(), &operation]);
        a.collated().with(b.collated()).ok_or_else(conflict)
    }

    /// The collation under which texts are compared with each other: 468.
    pub(super) fn one_collation(&self, args: &[Bound], name: &str) -> SqlResult<Collated> {
        let mut texts = args.iter().filter(|b| is_text(b.ty));
        let Some(first) = texts.next() else { return Ok(Collated::default()) };
        let mut one = Bound::new(crate::plan::expr::Expr::NULL, first.ty).collate(first.collated());
        for b in texts {
            let both = self.merge_collation(&one, b, &name.to_ascii_lowercase())?;
            one = one.collate(both);
        }
        Ok(one.collated())
    }
}

/// That of values of which one is taken, or which are put together: the first that nothing stronger follows.
pub(super) fn together<'b>(all: impl IntoIterator<Item = &'b Bound>) -> Collated {
    let texts = all.into_iter().filter(|b| is_text(b.ty) && !b.untyped);
    let strongest = |a: Collated, b: Collated| if b.label > a.label { b } else { a };
    texts.map(|b| b.collated()).reduce(strongest).unwrap_or_default()
}

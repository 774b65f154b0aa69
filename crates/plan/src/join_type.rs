//! Which rows joins give.

use crate::expr::Slot;

/// Which rows a join gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JoinType {
    /// Pairs.
    Inner,
    /// Pairs, and left rows without a partner.
    Left,
    /// Pairs, and rows of either side without a partner (not by loops).
    Full,
    /// Left rows that have a partner, each once (not by loops).
    Semi,
    /// Left rows that have none (not by loops).
    Anti,
    /// NOT IN: left rows whose last key is none of those of the right rows that the other keys lead to, where none of these and not the
    /// row's own is NULL; all left rows that no right row is led to (by hash alone).
    NullAwareAnti,
    /// All left rows, each once, with what IN or EXISTS says of it (by hash alone).
    Mark(Mark),
}

/// See [`JoinType::Mark`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mark {
    /// Where the answer goes: a bit, NULL for unknown.
    pub slot: Slot,
    /// IN: the last key is the value that is looked for, and a NULL among the values makes it unknown.
    pub null_aware: bool,
}

impl JoinType {
    /// Whether its rows have the left side's columns only, and at most one more.
    pub(crate) fn is_one_sided(self) -> bool {
        match self {
            JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti | JoinType::Mark(_) => true,
            JoinType::Inner | JoinType::Left | JoinType::Full => false,
        }
    }

    /// Whether a NULL has a say in its last key.
    pub fn is_null_aware(self) -> bool {
        match self {
            JoinType::NullAwareAnti => true,
            JoinType::Mark(m) => m.null_aware,
            _ => false,
        }
    }

    /// The column that it adds to those of its sides.
    pub fn mark(self) -> Option<Slot> {
        match self {
            JoinType::Mark(m) => Some(m.slot),
            _ => None,
        }
    }
}

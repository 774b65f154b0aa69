//! Where a text stands in another: CHARINDEX, REPLACE.

use super::typing::Text;
use crate::pieces::{PIECE, look};
use taffrail_base::SqlResult;
use taffrail_types::Collation;
use taffrail_types::collation::Elements;

/// A search of a text in another under a collation.
pub enum Search {
    /// Character by character: the weights of both.
    Characters { wanted: Vec<u16>, text: Vec<u16> },
    /// Letter by letter, where a character is not one letter.
    Letters { wanted: Elements, text: Elements },
}

impl Search {
    /// A search of `wanted` in `text`, which are of one encoding.
    pub fn new(wanted: &Text, text: &Text, collation: Collation) -> SqlResult<Search> {
        let (one, other) = (wanted.letters_apart(collation), text.letters_apart(collation));
        if one || other {
            let wanted = collation.elements(&wanted.wide());
            return Ok(Search::Letters { wanted, text: collation.elements(&text.wide()) });
        }
        Ok(Search::Characters {
            wanted: wanted.weights(collation)?,
            text: text.weights(collation)?,
        })
    }

    /// Where the wanted text begins and ends that is found first at or after a character; a text that weighs nothing is found nowhere.
    pub fn next(&self, from: usize) -> SqlResult<Option<(usize, usize)>> {
        match self {
            Search::Characters { wanted, .. } if wanted.is_empty() => Ok(None),
            Search::Characters { wanted, text } => {
                Ok(position(wanted, text, from)?.map(|at| (at, at + wanted.len())))
            }
            Search::Letters { wanted, .. } if wanted.is_empty() => Ok(None),
            Search::Letters { wanted, text } => {
                let piece = (PIECE / wanted.len()).max(1);
                let mut from = text.from_unit(from);
                while from + wanted.len() <= text.len() {
                    look()?;
                    let to = from.saturating_add(piece);
                    if let Some(at) = text.find(wanted, from..to) {
                        return Ok(Some((text.unit(at), text.unit(at + wanted.len()))));
                    }
                    from = to;
                }
                Ok(None)
            }
        }
    }
}

/// Where `find`, which is not empty, first occurs in `text` at or after `from`.
fn position(find: &[u16], text: &[u16], from: usize) -> SqlResult<Option<usize>> {
    let Some(end) = (text.len() + 1).checked_sub(find.len()) else { return Ok(None) };
    let piece = (PIECE / find.len()).max(1);
    let mut from = from;
    while from < end {
        let to = end.min(from.saturating_add(piece));
        if let Some(at) = (from..to).find(|&at| text[at..at + find.len()] == *find) {
            return Ok(Some(at));
        }
        from = to;
        if from < end {
            look()?;
        }
    }
    Ok(None)
}

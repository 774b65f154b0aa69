//! Subqueries answered from their results for all outer rows, see [`Keyed`].
//!
//! The results are found once the outer rows are enough ([`Keyed::after`]). What then fails by a value of a row that nobody has asked
//! for, or has no room, is not told: the subquery goes on one by one, and fails where it would have.

use crate::exec::key_map::KeyMap;
use crate::exec::ops;
use crate::exec::runtime::Rt;
use crate::memory::Held;
use crate::plan::expr::Subquery;
use crate::plan::locking::Isolation;
use crate::plan::subquery::Keyed;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Collation, Value};

/// What is asked of a subquery.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Its value.
    Scalar,
    /// Whether it has a row.
    Exists,
    /// Which values it has, under this collation.
    Values(Collation),
}

/// How far a subquery's results are.
pub enum Keying {
    /// So many outer rows have been answered one by one.
    One(u32),
    /// There are none.
    Refused,
    /// They are there.
    Found(Box<Results>),
}

impl Default for Keying {
    fn default() -> Keying {
        Keying::One(0)
    }
}

/// The results by key.
pub struct Results {
    keys: KeyMap,
    /// What each key comes to.
    entries: Vec<Entry>,
    /// Key and value, where values are asked for.
    pairs: KeyMap,
    /// What no row at all comes to.
    pub nothing: Option<Value>,
    key: Vec<Value>,
    /// The entries and their values.
    held: Held,
}

/// What the rows of one key come to.
struct Entry {
    /// The first row's value.
    value: Value,
    /// There are more rows.
    more: bool,
    /// One of the values is NULL.
    nulls: bool,
}

/// What is known of an outer row.
pub(super) enum Known {
    /// Nothing: the subquery runs.
    No,
    /// The number of its key.
    Key(u32),
    /// There are no rows for it.
    Nothing,
}

impl Rt<'_> {
    /// Looks for the outer row in the frame.
    pub(super) fn known(&mut self, s: &Subquery, asked: Asked) -> SqlResult<Known> {
        let at = s.index as usize;
        let subqueries = self.subqueries;
        let Some(keyed) = &subqueries[at].keyed else { return Ok(Known::No) };
        // An index leads to the rows of each outer row: whoever keeps locks locks no others.
        let isolation = self.cx.session.activation.options.isolation;
        let keeps = matches!(isolation, Isolation::RepeatableRead | Isolation::Serializable);
        if keyed.after > 1 && keeps {
            return Ok(Known::No);
        }
        match &mut self.subs[at].keying {
            Keying::Refused => return Ok(Known::No),
            Keying::One(runs) if *runs < keyed.after => {
                *runs += 1;
                return Ok(Known::No);
            }
            Keying::One(_) => match self.results(s, keyed, asked)? {
                None => {
                    self.subs[at].keying = Keying::Refused;
                    return Ok(Known::No);
                }
                Some(found) => self.subs[at].keying = Keying::Found(Box::new(found)),
            },
            Keying::Found(_) => {}
        }
        let mut key = std::mem::take(&mut self.found(s).key);
        key.clear();
        let mut null = false;
        for (outer, ..) in &keyed.keys {
            let value = self.eval(outer)?;
            null |= value.is_null();
            key.push(value);
        }
        let results = self.found(s);
        let number = if null { None } else { results.keys.find(&key) };
        results.key = key;
        Ok(number.map_or(Known::Nothing, Known::Key))
    }

    /// The results, where they have been found.
    pub(super) fn found(&mut self, s: &Subquery) -> &mut Results {
        match &mut self.subs[s.index as usize].keying {
            Keying::Found(results) => results,
            Keying::One(_) | Keying::Refused => unreachable!("a key has been looked for"),
        }
    }

    /// Whether the subquery aggregates: without rows it has a result, too.
    pub(super) fn is_grouped(&self, s: &Subquery) -> bool {
        self.subqueries[s.index as usize].keyed.as_ref().is_some_and(|k| k.grouped)
    }

    /// The results for all outer rows; `None` where finding them fails by a value or for want of room.
    #[cold]
    fn results(&mut self, s: &Subquery, keyed: &Keyed, asked: Asked) -> SqlResult<Option<Results>> {
        // A value for each key, whatever it is, is not among the values of none.
        if keyed.grouped && matches!(asked, Asked::Values(_)) {
            return Ok(None);
        }
        let session = &mut *self.cx.session;
        let before =
            (session.activation.warnings.overflowed, session.activation.warnings.divided_by_zero);
        let eliminated = session.activation.warnings.null_eliminated;
        (session.activation.warnings.overflowed, session.activation.warnings.divided_by_zero) =
            (false, false);
        let found = self.all_results(s, keyed, asked);
        let session = &mut *self.cx.session;
        let excused =
            session.activation.warnings.overflowed || session.activation.warnings.divided_by_zero;
        (session.activation.warnings.overflowed, session.activation.warnings.divided_by_zero) =
            before;
        match found {
            Ok(found) if !excused => return Ok(Some(found)),
            Err(e) if ends_all(&e) => return Err(e),
            _ => session.activation.warnings.null_eliminated = eliminated,
        }
        Ok(None)
    }

    fn all_results(&mut self, s: &Subquery, keyed: &Keyed, asked: Asked) -> SqlResult<Results> {
        let collations: Vec<Collation> = keyed.keys.iter().map(|k| k.2).collect();
        let mut with_value = collations.clone();
        if let Asked::Values(collation) = asked {
            with_value.push(collation);
        }
        let mut results = Results {
            keys: KeyMap::new(collations),
            entries: Vec::new(),
            pairs: KeyMap::new(with_value),
            nothing: None,
            key: Vec::new(),
            held: Held::default(),
        };
        let mut op = ops::build(&keyed.node);
        op.open(self)?;
        'rows: while op.next(self)? {
            self.tick()?;
            let mut key = Vec::with_capacity(keyed.keys.len() + 1);
            for (_, inner, _) in &keyed.keys {
                let value = self.eval(inner)?;
                if value.is_null() {
                    continue 'rows;
                }
                key.push(value);
            }
            let value = match asked {
                Asked::Exists => Value::Null,
                Asked::Scalar | Asked::Values(_) => self.frame[s.output as usize].clone(),
            };
            let nulls = value.is_null();
            if matches!(asked, Asked::Values(_)) && !nulls {
                let mut pair = key.clone();
                pair.push(value.clone());
                results.pairs.insert(&mut pair);
            }
            match results.keys.insert(&mut key) {
                (_, true) => {
                    results.held.values(std::slice::from_ref(&value));
                    results.entries.push(Entry { value, more: false, nulls });
                }
                (at, false) => {
                    let entry = &mut results.entries[at as usize];
                    entry.more = true;
                    entry.nulls |= nulls;
                }
            }
        }
        Ok(results)
    }
}

impl Results {
    /// The value of a key: 512 where it has several.
    pub fn value(&self, key: u32) -> SqlResult<Value> {
        let entry = &self.entries[key as usize];
        match entry.more {
            true => Err(SqlError::new(512, &[])),
            false => Ok(entry.value.clone()),
        }
    }

    /// Whether a value is among those of the key that was looked for last.
    pub fn has(&mut self, key: u32, value: &Value) -> Option<bool> {
        if value.is_null() {
            return None;
        }
        self.key.push(value.clone());
        match self.pairs.find(&self.key) {
            Some(_) => Some(true),
            None if self.entries[key as usize].nulls => None,
            None => Some(false),
        }
    }
}

/// Whether an error is none of a row that nobody may ask for: it would come one by one, too, or must not be tried again. 701 is no room
/// for all results.
fn ends_all(e: &SqlError) -> bool {
    // Below 0: nobody is told, the statement or its client has been called off.
    let waited = e.number < 0 || matches!(e.number, 1204 | 1205 | 1222);
    waited || e.severity >= 17 && e.number != 701
}

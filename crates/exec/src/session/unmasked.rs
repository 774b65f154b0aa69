//! UNMASK: whether a session sees what masks cover, by the rights of the context that holds when a value leaves.

use super::Session;
use super::rights::securable_of;
use crate::catalog::Table;
use crate::database::Database;
use crate::functions::mask::{Mask, MaskedColumn};
use crate::permissions::{PermissionId, SecurableAt, SecurableClass, known};
use std::cell::RefCell;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError};

const UNMASK: PermissionId = known(SecurableClass::Object, "UNMASK");
const UNMASK_DATABASE: PermissionId = known(SecurableClass::Database, "UNMASK");

/// How many answers are remembered.
const REMEMBERED: usize = 16;

/// The masks that were asked about last, each by the number of the rights it was asked under.
#[derive(Default)]
pub(crate) struct KnownMasks(RefCell<Vec<(u64, Arc<Mask>, bool)>>);

impl Session {
    /// Whether the session has UNMASK on each column that a masked value comes from.
    pub(crate) fn has_unmask(&self, mask: &Arc<Mask>) -> bool {
        if self.activation.security().is_sa() {
            return true;
        }
        // The rights that are known are those in the current database.
        let here = mask.columns.iter().all(|c| c.database == self.database.id);
        let stamp = || self.known_stamp().filter(|_| here);
        let asked = stamp().or_else(|| {
            self.rights_in(&self.database).ok()?;
            stamp()
        });
        if let Some(stamp) = asked {
            let known = self.kept.known_masks.0.borrow();
            let found = known.iter().find(|(by, m, _)| *by == stamp && Arc::ptr_eq(m, mask));
            if let Some((.., answer)) = found {
                return *answer;
            }
        }
        let answer = mask.columns.iter().all(|c| self.unmasks_column(c));
        // Rights that have changed meanwhile are those of some columns alone.
        if let Some(by) = asked.filter(|by| stamp() == Some(*by)) {
            let mut known = self.kept.known_masks.0.borrow_mut();
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.push((by, mask.clone(), answer));
        }
        answer
    }

    fn unmasks_column(&self, column: &MaskedColumn) -> bool {
        let own = (self.database.id == column.database).then(|| self.database.clone());
        let database = own.or_else(|| self.instance.databases().by_id(column.database));
        let Some(database) = database else { return false };
        let Ok(rights) = self.rights_in(&database) else { return false };
        if rights.is_everything() {
            return true;
        }
        if column.table.0 == 0 {
            return rights.may(&SecurableAt::DATABASE, UNMASK_DATABASE);
        }
        let Some(object) = database.catalog.object(column.table, self.id) else { return false };
        let at = securable_of(&database, object.head(), self.id);
        rights.columns(&at, UNMASK, std::iter::once(column.column)).is_ok()
    }

    /// Whether the session has UNMASK on each masked column of a table.
    fn unmasks_table(&self, database: &Database, table: &Table) -> bool {
        let temporary = database.is_temporary() && table.is_temporary();
        let column = |id| MaskedColumn {
            database: database.id,
            table: if temporary { ObjectId(0) } else { table.id() },
            column: id,
        };
        let mut masked = table.columns.iter().filter(|c| c.mask.is_some());
        masked.all(|c| self.unmasks_column(&column(c.id)))
    }

    /// An error of a statement on these tables, without the value that it tells, where one of them has columns that are masked for the
    /// session.
    pub fn cover<'t>(
        &self,
        e: Box<SqlError>,
        tables: impl Iterator<Item = (&'t Database, &'t Table)>,
    ) -> Box<SqlError> {
        let mut masked = tables.filter(|(_, t)| t.is_masked()).peekable();
        let fired = self.activation.fired().is_some_and(|f| f.table.is_masked());
        if self.activation.security().is_sa() || !fired && masked.peek().is_none() {
            return e;
        }
        let Some(message) = without_value(&e) else { return e };
        if self.hides_changed_rows() || masked.any(|(d, t)| !self.unmasks_table(d, t)) {
            return Box::new(SqlError { message, ..*e });
        }
        e
    }

    /// Whether [`Session::cover`] may have something to hide in an error, whatever the tables are.
    pub fn may_cover(&self, e: &SqlError) -> bool {
        !self.activation.security().is_sa() && without_value(e).is_some()
    }

    /// Whether a trigger runs whose table has columns that are masked for the session: `inserted` and `deleted` are no table that its
    /// statements name.
    fn hides_changed_rows(&self) -> bool {
        let Some(fired) = self.activation.fired().filter(|f| f.table.is_masked()) else {
            return false;
        };
        let database = self.instance.databases().by_id(fired.database);
        database.is_none_or(|d| !self.unmasks_table(&d, &fired.table))
    }
}

/// Put in place of a value.
const COVER: &str = "******";

/// The messages that tell a value among names: what stands before it, and behind it.
const TELL_VALUES: [(&[i32], &str, &str); 4] = [
    (&[244, 248], "value '", "' overflowed"),
    (&[245], "value '", "' to data type"),
    (&[1505, 2601, 2627], "duplicate key value is ", "."),
    (&[2628], "Truncated value: '", "'."),
];

/// The messages of running statements that tell names and types, and no values.
const TELL_NAMES: [i32; 31] = [
    208, 217, 229, 230, 235, 241, 242, 295, 296, 297, 300, 512, 515, 517, 535, 547, 548, 550, 916,
    1105, 1205, 1222, 3609, 3902, 3960, 3961, 8114, 8115, 8134, 8152, 33504,
];

/// The text of an error with `******` in place of the value that it tells, if it tells one. Whatever is not known to tell names alone may
/// tell values: a style, a culture, a character of a document.
fn without_value(e: &SqlError) -> Option<String> {
    if let Some((_, before, behind)) = TELL_VALUES.iter().find(|t| t.0.contains(&e.number)) {
        let from = e.message.find(before)? + before.len();
        let to = e.message.rfind(behind).filter(|to| *to >= from)?;
        return Some(format!("{}{COVER}{}", &e.message[..from], &e.message[to..]));
    }
    // Numbers below zero are ends of a statement, of which nobody is told: an attention, a client that has gone.
    let of_none = e.number <= 0 || e.number >= 50_000 || e.severity > 16;
    if of_none || TELL_NAMES.contains(&e.number) {
        return None;
    }
    let cover: &dyn std::fmt::Display = &COVER;
    Some(SqlError::new(e.number, &[cover; 8]).message).filter(|text| *text != e.message)
}

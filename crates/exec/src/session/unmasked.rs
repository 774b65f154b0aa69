//! UNMASK: whether a session sees what masks cover, by the rights of the context that holds when a value leaves.

use super::Session;
use super::rights::securable_of;
use crate::functions::mask::{Mask, MaskedColumn};
use crate::permissions::{PermissionId, SecurableAt, SecurableClass, known};
use std::cell::RefCell;
use std::sync::Arc;

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
        let stamp = self.known_stamp().filter(|_| here);
        if let Some(stamp) = stamp {
            let known = self.kept.known_masks.0.borrow();
            let found = known.iter().find(|(by, m, _)| *by == stamp && Arc::ptr_eq(m, mask));
            if let Some((.., answer)) = found {
                return *answer;
            }
        }
        let answer = mask.columns.iter().all(|c| self.unmasks_column(c));
        if let Some(stamp) = self.known_stamp().filter(|_| here) {
            let mut known = self.kept.known_masks.0.borrow_mut();
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.push((stamp, mask.clone(), answer));
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
}

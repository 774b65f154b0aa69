//! The rows of permissions on one securable, and what GRANT, DENY and REVOKE make of them.

use crate::catalog::principals::{
    Permission, PermissionKey, PermissionState as State, Principals, Scope, rows,
};
use std::collections::BTreeMap;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::Transaction;

/// The rows of a securable while a statement changes them.
pub(super) struct SecurableRows {
    before: BTreeMap<PermissionKey, State>,
    now: BTreeMap<PermissionKey, State>,
}

impl SecurableRows {
    /// Those that a list of principals has.
    pub fn of(all: &Principals, class: u8, major: i32) -> SecurableRows {
        let rows = all.permissions_on(class, major).map(|p| (p.key, p.state));
        let now: BTreeMap<_, _> = rows.collect();
        SecurableRows { before: now.clone(), now }
    }

    /// The rows of one grantor that have passed a permission on to others, beginning with whom `from` names.
    fn chain(&self, from: &PermissionKey) -> Vec<PermissionKey> {
        let mut found: Vec<PermissionKey> = Vec::new();
        let mut open = vec![from.grantee];
        while let Some(grantor) = open.pop() {
            let passed = self.now.keys().filter(|k| {
                (k.minor, k.ty, k.grantor) == (from.minor, from.ty, grantor) && **k != *from
            });
            for key in passed {
                if !found.contains(key) {
                    found.push(*key);
                    open.push(key.grantee);
                }
            }
        }
        found
    }

    /// A permission on the whole stands for its columns from now on.
    fn forget_columns(&mut self, key: &PermissionKey) {
        if key.minor == 0 {
            let of_column =
                |k: &PermissionKey| k.minor != 0 && (k.grantee, k.ty) == (key.grantee, key.ty);
            self.now.retain(|k, _| !of_column(k));
        }
    }

    /// The whole is granted to the grantee of a column's row.
    fn whole_is_granted(&self, key: &PermissionKey) -> bool {
        let whole = self.now.get(&PermissionKey { minor: 0, ..*key });
        matches!(whole, Some(State::Grant | State::GrantWithGrantOption))
    }

    /// Changes the rows as `GRANT` does.
    pub fn grant(&mut self, key: PermissionKey, with_option: bool) {
        self.forget_columns(&key);
        if key.minor != 0 && !with_option && self.whole_is_granted(&key) {
            self.now.remove(&key);
            return;
        }
        let kept = self.now.get(&key) == Some(&State::GrantWithGrantOption);
        let state = if with_option || kept { State::GrantWithGrantOption } else { State::Grant };
        self.now.insert(key, state);
    }

    /// Refuses what would leave those to whom a permission was passed on: 4611.
    fn needs_cascade(&self, key: &PermissionKey, cascade: bool) -> SqlResult<()> {
        match self.now.get(key) {
            Some(State::GrantWithGrantOption) if !cascade => Err(SqlError::new(4611, &[])),
            _ => Ok(()),
        }
    }

    /// Changes the rows as `DENY` does: 4611.
    pub fn deny(&mut self, key: PermissionKey, cascade: bool) -> SqlResult<()> {
        self.needs_cascade(&key, cascade)?;
        if cascade {
            for passed in self.chain(&key) {
                self.now.insert(passed, State::Deny);
            }
        }
        self.forget_columns(&key);
        self.now.insert(key, State::Deny);
        Ok(())
    }

    /// `REVOKE`; `option_only`: `GRANT OPTION FOR`.
    pub fn revoke(
        &mut self,
        key: PermissionKey,
        option_only: bool,
        cascade: bool,
    ) -> SqlResult<()> {
        self.needs_cascade(&key, cascade)?;
        let had = self.now.get(&key).copied();
        if had == Some(State::GrantWithGrantOption) {
            for passed in self.chain(&key) {
                self.now.remove(&passed);
            }
        }
        if option_only {
            if had == Some(State::GrantWithGrantOption) {
                self.now.insert(key, State::Grant);
            }
            return Ok(());
        }
        self.forget_columns(&key);
        self.now.remove(&key);
        if key.minor != 0 && had != Some(State::Deny) && self.whole_is_granted(&key) {
            self.now.insert(key, State::Revoke);
        }
        Ok(())
    }

    /// Whether anything is not as it was.
    pub fn is_changed(&self) -> bool {
        self.before != self.now
    }

    /// Writes what is not as it was.
    pub fn write(&self, tx: &mut Transaction, scope: Scope) -> SqlResult<()> {
        for key in self.before.keys().filter(|k| !self.now.contains_key(*k)) {
            rows::remove_permission(tx, scope, key)?;
        }
        for (key, state) in &self.now {
            if self.before.get(key) != Some(state) {
                rows::put_permission(tx, scope, &Permission { key: *key, state: *state })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SELECT: [u8; 4] = *b"SL  ";

    fn key(minor: i32, grantee: i32, grantor: i32) -> PermissionKey {
        PermissionKey { class: 1, major: 11, minor, grantee, grantor, ty: SELECT }
    }

    fn empty() -> SecurableRows {
        SecurableRows { before: BTreeMap::new(), now: BTreeMap::new() }
    }

    fn shown(rows: &SecurableRows) -> Vec<(i32, i32, i32, State)> {
        rows.now.iter().map(|(k, s)| (k.minor, k.grantee, k.grantor, *s)).collect()
    }

    #[test]
    fn one_row_stands_for_a_grantee_and_a_grantor() {
        let mut rows = empty();
        rows.grant(key(0, 7, 1), false);
        assert_eq!(shown(&rows), [(0, 7, 1, State::Grant)]);
        rows.deny(key(0, 7, 1), false).unwrap();
        assert_eq!(shown(&rows), [(0, 7, 1, State::Deny)]);
        rows.grant(key(0, 7, 1), true);
        assert_eq!(shown(&rows), [(0, 7, 1, State::GrantWithGrantOption)]);
        rows.grant(key(0, 7, 1), false);
        assert_eq!(shown(&rows), [(0, 7, 1, State::GrantWithGrantOption)], "the option stays");
        assert_eq!(rows.revoke(key(0, 7, 1), false, false).unwrap_err().number, 4611);
        assert_eq!(rows.deny(key(0, 7, 1), false).unwrap_err().number, 4611);
        rows.revoke(key(0, 7, 1), true, true).unwrap();
        assert_eq!(shown(&rows), [(0, 7, 1, State::Grant)]);
        rows.revoke(key(0, 7, 1), false, false).unwrap();
        assert!(shown(&rows).is_empty());
        rows.revoke(key(0, 7, 1), false, false).unwrap();
    }

    #[test]
    fn a_cascade_takes_the_chain() {
        let mut rows = empty();
        rows.grant(key(0, 7, 1), true);
        rows.grant(key(0, 8, 7), true);
        rows.grant(key(0, 9, 8), false);
        rows.grant(key(0, 9, 1), false);
        rows.revoke(key(0, 7, 1), false, true).unwrap();
        assert_eq!(shown(&rows), [(0, 9, 1, State::Grant)]);
    }

    #[test]
    fn columns_have_rows_where_they_differ_from_the_table() {
        let mut rows = empty();
        rows.grant(key(0, 7, 1), false);
        rows.grant(key(2, 7, 1), false);
        assert_eq!(shown(&rows), [(0, 7, 1, State::Grant)]);
        rows.revoke(key(2, 7, 1), false, false).unwrap();
        assert_eq!(shown(&rows), [(0, 7, 1, State::Grant), (2, 7, 1, State::Revoke)]);
        rows.grant(key(2, 7, 1), false);
        assert_eq!(shown(&rows), [(0, 7, 1, State::Grant)]);
        rows.deny(key(0, 7, 1), false).unwrap();
        rows.grant(key(2, 7, 1), false);
        assert_eq!(shown(&rows), [(0, 7, 1, State::Deny), (2, 7, 1, State::Grant)]);
        rows.revoke(key(0, 7, 1), false, false).unwrap();
        assert!(shown(&rows).is_empty(), "the whole takes its columns along");
    }
}

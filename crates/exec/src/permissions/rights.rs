//! What the identities of a principal hold, and the answers that follow from it.

use super::fixed_roles::{self, Carried};
use super::{Letters, PermissionId, SecurableClass};
use hashbrown::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a permission is held, or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// GRANT, and it may not be passed on.
    Granted,
    /// GRANT … WITH GRANT OPTION.
    WithGrantOption,
    /// DENY, which outweighs every grant.
    Denied,
    /// REVOKE of a column, where the table is granted.
    Revoked,
}

/// A row of permissions, as it is held by a grantee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HeldPermission {
    /// The number of the securable's class.
    pub class: u8,
    /// The id of the securable, by its class.
    pub major: i32,
    /// The column's number; 0: the securable itself.
    pub minor: i32,
    /// The principal that holds it.
    pub grantee: i32,
    /// The letters of the permission.
    pub code: Letters,
    /// How it is held.
    pub standing: Standing,
}

/// A securable with what contains it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecurableAt {
    /// The class of the securable.
    pub class: SecurableClass,
    /// Its id; 0 for the server and the database.
    pub id: i32,
    /// The principal that owns it, where it has an owner of its own.
    pub owner: Option<i32>,
    /// Id and owner of its schema, where it is in one.
    pub schema: Option<(i32, i32)>,
}

impl SecurableAt {
    /// The server as a securable.
    pub const SERVER: SecurableAt = SecurableAt::alone(SecurableClass::Server, 0);
    /// The database as a securable.
    pub const DATABASE: SecurableAt = SecurableAt::alone(SecurableClass::Database, 0);

    /// A securable that is in no schema and belongs to no principal of its database.
    pub const fn alone(class: SecurableClass, id: i32) -> SecurableAt {
        SecurableAt { class, id, owner: None, schema: None }
    }

    /// A schema with its owner.
    pub const fn schema(id: i32, owner: i32) -> SecurableAt {
        SecurableAt { class: SecurableClass::Schema, id, owner: Some(owner), schema: None }
    }

    /// The securable and those that contain it, the innermost first: numbers of classes and ids.
    fn levels(&self) -> impl Iterator<Item = (u8, i32)> {
        let own = (self.class.number(), self.id);
        let schema = self.schema.map(|(id, _)| (SecurableClass::Schema.number(), id));
        let server = SecurableClass::Server.number();
        let database = own.0 != 0 && !self.class.is_of_server();
        let database = database.then_some((0, 0));
        let above = (own.0 != server).then_some((server, 0));
        [Some(own), schema, database, above].into_iter().flatten()
    }
}

/// The columns of a table that a principal may not reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ColumnsRefused {
    /// All columns there are.
    Everything,
    /// These, by their numbers.
    Some(Vec<i32>),
}

/// A row among those of its securable.
#[derive(Clone, Copy)]
struct HeldRow {
    minor: i32,
    grantee: i32,
    code: Letters,
    standing: Standing,
}

/// A number that no other has.
struct Stamp(u64);

impl Default for Stamp {
    fn default() -> Stamp {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Stamp(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The permissions that a principal's identities hold in a database and on the server.
#[derive(Default)]
pub struct Rights {
    /// No other rights have this number.
    stamp: Stamp,
    everything: bool,
    everything_on_server: bool,
    /// The user, its roles and public, ascending.
    identities: Box<[i32]>,
    /// The login, its roles and public, ascending.
    server_identities: Box<[i32]>,
    held: HashMap<(u8, i32), Vec<HeldRow>, foldhash::fast::RandomState>,
}

impl Rights {
    /// Those of a member of sysadmin.
    pub(crate) fn of_sysadmin() -> Rights {
        Rights { everything: true, everything_on_server: true, ..Rights::default() }
    }

    /// Those of identities in a database and on the server; `everything`: the user is dbo. Rows of others are left out.
    pub(crate) fn new(
        everything: bool,
        identities: Vec<i32>,
        server_identities: Vec<i32>,
        rows: impl Iterator<Item = HeldPermission>,
    ) -> Rights {
        let sorted = |mut ids: Vec<i32>| {
            ids.sort_unstable();
            ids.dedup();
            ids.into_boxed_slice()
        };
        let mut rights = Rights {
            everything,
            identities: sorted(identities),
            server_identities: sorted(server_identities),
            ..Rights::default()
        };
        rows.for_each(|row| rights.add(row));
        let of_server = SecurableClass::Server.number();
        for (class, carried) in [(0, &*fixed_roles::DATABASE), (of_server, &*fixed_roles::SERVER)] {
            for Carried { role, code, denied } in carried {
                let standing = if *denied { Standing::Denied } else { Standing::Granted };
                let (major, minor) = (0, 0);
                let (grantee, code) = (*role, *code);
                rights.add(HeldPermission { class, major, minor, grantee, code, standing });
            }
        }
        rights
    }

    fn add(&mut self, row: HeldPermission) {
        let HeldPermission { class, major, minor, grantee, code, standing } = row;
        let server = class >= SecurableClass::Server.number();
        let own = if server { &self.server_identities } else { &self.identities };
        if own.binary_search(&grantee).is_ok() {
            let row = HeldRow { minor, grantee, code, standing };
            self.held.entry((class, major)).or_default().push(row);
        }
    }

    /// The number of these rights, which no others have, and never 0.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp.0
    }

    /// Whether nothing in the database is refused.
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// Whether nothing on the server is refused.
    pub(crate) fn is_everything_on_server(&self) -> bool {
        self.everything_on_server
    }

    /// Whether the user, or one of its roles, is this principal of the database.
    pub fn is(&self, principal: i32) -> bool {
        self.identities.binary_search(&principal).is_ok()
    }

    /// Whether the login, or one of its roles, is this principal of the server.
    pub fn is_on_server(&self, principal: i32) -> bool {
        self.server_identities.binary_search(&principal).is_ok()
    }

    /// Whether the principal owns a securable: nothing about it is refused.
    pub(crate) fn owns(&self, at: &SecurableAt) -> bool {
        let own = |owner| match at.class.is_of_server() {
            true => self.is_on_server(owner),
            false => self.is(owner),
        };
        at.owner.is_some_and(own)
    }

    /// Rows of a securable: (the class's number, the row).
    fn rows(&self, level: (u8, i32)) -> impl Iterator<Item = (u8, &HeldRow)> {
        let rows = self.held.get(&level).map_or(&[][..], Vec::as_slice);
        rows.iter().map(move |r| (level.0, r))
    }

    /// Refused nothing there, without any look at rows.
    fn is_above(&self, at: &SecurableAt) -> bool {
        let everything =
            if at.class.is_of_server() { self.everything_on_server } else { self.everything };
        everything || self.owns(at)
    }

    /// How far up rows count: those of the schema and what is above it say nothing to who owns the schema.
    fn levels(&self, at: &SecurableAt) -> (impl Iterator<Item = (u8, i32)>, bool) {
        let owner = at.schema.is_some_and(|(_, owner)| self.is(owner));
        (at.levels().take(if owner { 1 } else { 4 }), owner)
    }

    /// Whether a permission on a securable is held, columns apart.
    pub fn may(&self, at: &SecurableAt, permission: PermissionId) -> bool {
        if self.is_above(at) {
            return true;
        }
        let above = permission.above();
        let (levels, mut granted) = self.levels(at);
        for (class, row) in levels.flat_map(|level| self.rows(level)) {
            if row.minor == 0 && above.contains(&(class, row.code)) {
                match row.standing {
                    Standing::Denied => return false,
                    Standing::Granted | Standing::WithGrantOption => granted = true,
                    Standing::Revoked => {}
                }
            }
        }
        granted
    }

    /// Whether a permission, or one that implies it, is denied for a securable; an owner is denied nothing.
    pub(crate) fn is_denied(&self, at: &SecurableAt, permission: PermissionId) -> bool {
        let above = permission.above();
        let (levels, _) = self.levels(at);
        let denied = |(class, row): (u8, &HeldRow)| {
            row.minor == 0 && row.standing == Standing::Denied && above.contains(&(class, row.code))
        };
        !self.is_above(at) && levels.flat_map(|level| self.rows(level)).any(denied)
    }

    /// Whether there are rows about the securable itself.
    pub(crate) fn has_rows(&self, at: &SecurableAt) -> bool {
        self.held.contains_key(&(at.class.number(), at.id)) || self.owns(at)
    }

    /// Whether columns of a table have rows of their own.
    pub(crate) fn has_column_rows(&self, at: &SecurableAt) -> bool {
        self.rows((at.class.number(), at.id)).any(|(_, r)| r.minor != 0)
    }

    /// Whether a permission on a column is held.
    pub(crate) fn may_column(
        &self,
        at: &SecurableAt,
        permission: PermissionId,
        column: i32,
    ) -> bool {
        if self.is_above(at) {
            return true;
        }
        let above = permission.above();
        let own = (at.class.number(), at.id);
        let counts = |class: u8, row: &HeldRow| above.contains(&(class, row.code));
        // Those whose row of the column stands before that of the table.
        let mut apart: Vec<(i32, Standing)> = Vec::new();
        for (class, row) in self.rows(own).filter(|(_, r)| r.minor == column && r.minor != 0) {
            if counts(class, row) {
                apart.push((row.grantee, row.standing));
            }
        }
        let mut granted = false;
        for (_, standing) in &apart {
            match standing {
                Standing::Denied => return false,
                Standing::Granted | Standing::WithGrantOption => granted = true,
                Standing::Revoked => {}
            }
        }
        let (levels, owner) = self.levels(at);
        for (class, row) in levels.flat_map(|level| self.rows(level)) {
            if row.minor != 0 || !counts(class, row) {
                continue;
            }
            let of_database = class < SecurableClass::Server.number();
            let by_column = apart.iter().find(|(g, _)| of_database && *g == row.grantee);
            let on_table = class == own.0;
            match (row.standing, by_column) {
                (Standing::Denied, Some(_)) if on_table => {}
                (Standing::Denied, _) => return false,
                (Standing::Granted | Standing::WithGrantOption, None) => granted = true,
                _ => {}
            }
        }
        granted || owner
    }

    /// Whether a permission on these columns of a table is held, and which of them are refused.
    pub(crate) fn columns(
        &self,
        at: &SecurableAt,
        permission: PermissionId,
        columns: impl Iterator<Item = i32>,
    ) -> Result<(), ColumnsRefused> {
        if self.is_above(at) {
            return Ok(());
        }
        let table = self.may(at, permission);
        if !self.has_column_rows(at) {
            return if table { Ok(()) } else { Err(ColumnsRefused::Everything) };
        }
        let refused: Vec<i32> = columns.filter(|c| !self.may_column(at, permission, *c)).collect();
        if refused.is_empty() {
            return Ok(());
        }
        match table || self.reaches_any_column(at, permission) {
            true => Err(ColumnsRefused::Some(refused)),
            false => Err(ColumnsRefused::Everything),
        }
    }

    /// Whether a permission is held on a column that has a row of its own.
    pub(crate) fn reaches_any_column(&self, at: &SecurableAt, permission: PermissionId) -> bool {
        let rows = self.rows((at.class.number(), at.id)).filter(|(_, r)| r.minor != 0);
        let mut columns = rows.map(|(_, r)| r.minor);
        columns.any(|c| self.may_column(at, permission, c))
    }

    /// Whether a permission on a securable may be passed on, by a row WITH GRANT OPTION for just that: of this grantee, or of any identity.
    pub fn passes_on(&self, at: &SecurableAt, permission: PermissionId, only: Option<i32>) -> bool {
        let letters = super::code(permission.permission().code);
        let mut rows = self.rows((at.class.number(), at.id));
        rows.any(|(_, r)| {
            r.minor == 0
                && r.code == letters
                && r.standing == Standing::WithGrantOption
                && only.is_none_or(|g| g == r.grantee)
        })
    }
}

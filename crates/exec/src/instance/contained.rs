//! Contained users: a database knows their passwords, and no login stands behind them.
//!
//! A client names the database in its login. A user with a password of that name decides there, before any login of the same name.

use super::Instance;
use crate::catalog::principals::{Authentication, Principal, PrincipalKind, Scope, rows};
use crate::catalog::registry::{CONTAINED_AUTHENTICATION, FLAG_RESTRICTED_USER};
use crate::connection::Connection;
use crate::database::Database;
use crate::session::ConnectOptions;
use std::sync::Arc;
use taffrail_base::{DatabaseId, SessionId, SqlError, SqlResult};
use taffrail_storage::BeginSpec;

/// A user that a database authenticates.
#[derive(Clone)]
pub struct ContainedUser {
    /// The database that knows the password.
    pub database: Arc<Database>,
    /// The user of that database.
    pub user: Arc<Principal>,
}

impl Instance {
    /// Whether the option `contained database authentication` is in force.
    pub fn authenticates_contained(&self) -> bool {
        let running = self.databases.running_configurations();
        running.iter().any(|(id, value)| *id == CONTAINED_AUTHENTICATION && *value != 0)
    }

    /// The user with a password that a login names with a database. None: there is none, so that a login of the name decides. A
    /// database in RESTRICTED_USER authenticates nobody.
    pub fn contained_user(&self, database: &str, name: &str) -> Option<ContainedUser> {
        if database.is_empty() || !self.authenticates_contained() {
            return None;
        }
        self.await_database(Some(database), name);
        let database = self.databases.get(database).ok()?;
        let restricted = database.storage.engine_flags() & FLAG_RESTRICTED_USER != 0;
        if restricted || !database.is_contained() {
            return None;
        }
        let committed = crate::catalog::Sight::COMMITTED;
        let here = database.catalog.principals(Scope::Database, committed);
        let own = |p: &&Arc<Principal>| {
            p.kind == PrincipalKind::User && p.authentication == Authentication::Database
        };
        let user = here.find(name).filter(own)?.clone();
        Some(ContainedUser { database, user })
    }

    /// Opens a session for a user whose password has been verified: 4060 where it may not connect, 6005 when the instance is about to end.
    pub fn connect_contained(
        self: &Arc<Self>,
        mut client: ConnectOptions,
        of: &ContainedUser,
    ) -> SqlResult<Connection> {
        let _entered = self.enter()?;
        let security = self.context_of_contained(&of.database, &of.user)?;
        client.login = of.user.name.to_string();
        client.authenticating_database = of.database.id.0;
        self.open_session(client, security, of.user.language.as_deref(), of.database.clone())
    }

    /// Ends the sessions of contained users: of one database, or of all.
    pub fn end_contained_sessions(&self, of: Option<DatabaseId>) {
        for session in self.sessions() {
            let by = session.client.authenticating_database;
            if by != 0 && of.is_none_or(|of| of.0 == by) {
                self.kill_session(session.id);
            }
        }
    }

    /// The databases that are contained, by name.
    fn contained_databases(&self) -> Vec<String> {
        let slots = self.databases.list();
        let contained = |database: &Arc<Database>| database.is_contained();
        let open = slots.iter().filter(|s| s.database.as_ref().is_some_and(contained));
        open.map(|s| s.entry.name.clone()).collect()
    }

    /// Looks at what `RECONFIGURE` is about to do: switched off while there are contained databases is 12818 without OVERRIDE, and with it
    /// the message that tells of it.
    pub fn check_contained(&self, with_override: bool) -> SqlResult<Option<Box<SqlError>>> {
        let wanted = self.databases.configured_value(CONTAINED_AUTHENTICATION)?.unwrap_or(0) != 0;
        if wanted || !self.authenticates_contained() || self.contained_databases().is_empty() {
            return Ok(None);
        }
        match with_override {
            true => Ok(Some(SqlError::new(12826, &[]))),
            false => Err(SqlError::new(12818, &[])),
        }
    }

    /// Gives a contained user another password; durable when it returns.
    pub fn set_contained_password(&self, of: &ContainedUser, hash: &str) -> SqlResult<()> {
        let (storage, catalog) = (&of.database.storage, &of.database.catalog);
        let lock_timeout_ms = super::logins::RECORD_WAITS_MS;
        let spec = BeginSpec { name: "password", lock_timeout_ms, ..BeginSpec::default() };
        let mut tx = storage.begin(spec);
        catalog.lock_principals(&mut tx, SessionId(0))?;
        // It may have gone while the lock was waited for, or have got another password.
        let here = catalog.principals(Scope::Database, crate::catalog::Sight::COMMITTED);
        let same =
            |p: &&Arc<Principal>| p.sid == of.user.sid && p.password_hash == of.user.password_hash;
        let gone = || SqlError::new(15151, &[&"alter", &"user", &of.user.name]);
        let mut user = (**here.get(of.user.id).filter(same).ok_or_else(gone)?).clone();
        user.password_hash = hash.into();
        user.modified = catalog.now();
        rows::write(&mut tx, Scope::Database, &user)?;
        super::logins::commit_principals(catalog, tx)
    }
}

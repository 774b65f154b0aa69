//! The logins of an instance, as master records them.

use super::Instance;
use crate::catalog::Sight;
use crate::catalog::principals::{
    LoginFacts, Principal, PrincipalKind, Principals, SA, Scope, rows,
};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::{BeginSpec, Durability};

/// A login as it is recorded in master.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Login {
    /// `principal_id`.
    pub id: i32,
    /// The login's name.
    pub name: String,
    /// The login's security identifier.
    pub sid: Vec<u8>,
    /// A PHC string (Argon2id), or `0x…` of SQL Server's; empty when no password has been set.
    pub password_hash: String,
    /// It may not log in.
    pub is_disabled: bool,
    /// Where its sessions begin.
    pub default_database: String,
}

impl From<&Principal> for Login {
    fn from(p: &Principal) -> Login {
        Login {
            id: p.id,
            name: p.name.to_string(),
            sid: p.sid.clone().unwrap_or_default(),
            password_hash: p.password_hash.clone(),
            is_disabled: p.login.is_disabled,
            default_database: p.login.default_database.clone(),
        }
    }
}

impl Instance {
    /// The principals of the server, as they are committed. While master is lost: as they were.
    pub fn server_principals(&self) -> Arc<Principals> {
        let Ok(master) = self.databases.master() else { return self.logins.read().clone() };
        let now = master.catalog.principals(Scope::Server, Sight::COMMITTED);
        if self.logins.read().version() != now.version() {
            *self.logins.write() = now.clone();
        }
        now
    }

    /// The login by its name (as the default collation compares names).
    pub fn login_principal(&self, name: &str) -> Option<Arc<Principal>> {
        let all = self.server_principals();
        all.find(name).filter(|p| p.kind == PrincipalKind::Login).cloned()
    }

    /// All logins.
    pub fn logins(&self) -> Vec<Login> {
        let all = self.server_principals();
        let login = |p: &&Arc<Principal>| p.kind == PrincipalKind::Login;
        all.all().filter(login).map(|p| Login::from(&**p)).collect()
    }

    /// The login by its name.
    pub fn find_login(&self, name: &str) -> Option<Login> {
        self.login_principal(name).map(|p| Login::from(&*p))
    }

    /// The name of the login with the id 1, which may be called other than sa.
    pub fn sa_name(&self) -> Arc<str> {
        self.server_principals().get(SA).map_or_else(|| "sa".into(), |p| p.name.clone())
    }

    /// Records a login's password hash, creating the login if it does not exist; durable when it returns.
    pub fn set_login_password(&self, name: &str, password_hash: &str) -> SqlResult<()> {
        let all = self.server_principals();
        let now = crate::catalog::datetime_now(&*self.options.env.clock);
        let known = all.find(name).filter(|p| p.kind == PrincipalKind::Login);
        let mut login = match known {
            Some(login) => (**login).clone(),
            None => Principal {
                sid: Some(self.options.env.entropy.guid().to_vec()),
                language: Some("us_english".into()),
                login: LoginFacts { default_database: "master".into(), ..LoginFacts::default() },
                ..Principal::new(all.new_id(Scope::Server), name, PrincipalKind::Login)
            },
        };
        login.password_hash = password_hash.into();
        login.login.must_change = false;
        login.login.password_set = now.clone();
        self.record_login(login)
    }

    /// Records a login in a transaction of the server's own; durable when it returns.
    pub fn record_login(&self, mut login: Principal) -> SqlResult<()> {
        let master = self.databases.master()?;
        let now = crate::catalog::datetime_now(&*self.options.env.clock);
        if login.created == taffrail_types::Value::Null {
            login.created = now.clone();
        }
        login.modified = now;
        let spec = BeginSpec { name: "master", lock_timeout_ms: -1, ..BeginSpec::default() };
        let mut tx = master.storage.begin(spec);
        tx.lock(master.catalog.principals_resource(), taffrail_storage::lock::LockMode::X)
            .map_err(|e| e.to_sql())?;
        rows::write(&mut tx, Scope::Server, &login)?;
        tx.commit(Durability::Full).map_err(|e| e.to_sql())?;
        master.catalog.reload_principals()
    }
}

//! The logins of an instance, as master records them.

use super::Instance;
use crate::catalog::Sight;
use crate::catalog::principals::{
    LoginFacts, Permission, Principal, PrincipalKind, Principals, SA, SYSADMIN, Scope,
    hash_as_bytes, hash_from_bytes, rows,
};
use crate::functions::password;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SessionId, SqlError, SqlResult};
use taffrail_storage::{BeginSpec, Durability};
use taffrail_types::{MaxLen, SqlType, Value};

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

/// How long a change of a login waits for another one, where nobody can give it up: less than a login may take.
pub(super) const RECORD_WAITS_MS: i32 = 10_000;

/// Commits a change of principals, which everybody sees before the lock of their list is free again.
pub(super) fn commit_principals(
    catalog: &crate::catalog::Catalog,
    mut tx: taffrail_storage::Transaction,
) -> SqlResult<()> {
    let before = catalog.publish_principals(&mut tx)?;
    tx.commit(Durability::Full).map_err(|e| {
        catalog.show_principals(before);
        e.to_sql()
    })
}

/// `PasswordHashAlgorithm` of Argon2id: SQL Server's own end at 3.
const OWN_ALGORITHM: i32 = 4;

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

    /// Whether a login is in the server role sysadmin.
    pub fn is_sysadmin(&self, login: i32) -> bool {
        login == SA || self.server_principals().roles_of(login).contains(&SYSADMIN)
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
        self.record_login(login.clone())?;
        self.forget_wrong_passwords(&login)
    }

    /// Gives a login another password, which has shown that it knows the one before; durable when it returns. 15151 where the login has
    /// gone since, or has got another password.
    pub fn change_login_password(&self, known: &Principal, password_hash: &str) -> SqlResult<()> {
        let master = self.databases.master()?;
        let lock_timeout_ms = RECORD_WAITS_MS;
        let spec = BeginSpec { name: "master", lock_timeout_ms, ..BeginSpec::default() };
        let mut tx = master.storage.begin(spec);
        master.catalog.lock_principals(&mut tx, SessionId(0))?;
        let all = self.server_principals();
        let same =
            |p: &&Arc<Principal>| p.sid == known.sid && p.password_hash == known.password_hash;
        let gone = || SqlError::new(15151, &[&"alter", &"login", &known.name]);
        let mut login = (**all.get(known.id).filter(same).ok_or_else(gone)?).clone();
        let now = crate::catalog::datetime_now(&*self.options.env.clock);
        login.password_hash = password_hash.into();
        login.login.must_change = false;
        login.login.password_set = now.clone();
        login.modified = now;
        rows::write(&mut tx, Scope::Server, &login)?;
        commit_principals(&master.catalog, tx)?;
        self.forget_wrong_passwords(&login)
    }

    /// Records a login in a transaction of the server's own; durable when it returns. 1222 where another session's change of a login stays
    /// open for ten seconds.
    pub fn record_login(&self, login: Principal) -> SqlResult<()> {
        self.record_login_as(login, SessionId(0), RECORD_WAITS_MS)
    }

    /// As [`Instance::record_login`] for a session, whose wait may be cancelled and ends with its LOCK_TIMEOUT (1222).
    pub fn record_login_as(
        &self,
        mut login: Principal,
        session: SessionId,
        lock_timeout_ms: i32,
    ) -> SqlResult<()> {
        let master = self.databases.master()?;
        let now = crate::catalog::datetime_now(&*self.options.env.clock);
        if login.created.is_null() {
            login.created = now.clone();
        }
        login.modified = now;
        let spec = BeginSpec { session, name: "master", lock_timeout_ms, ..BeginSpec::default() };
        let mut tx = master.storage.begin(spec);
        master.catalog.lock_principals(&mut tx, session)?;
        rows::write(&mut tx, Scope::Server, &login)?;
        if login.id != SA && self.server_principals().get(login.id).is_none() {
            rows::put_permission(&mut tx, Scope::Server, &Permission::to_connect(login.id))?;
        }
        commit_principals(&master.catalog, tx)
    }

    /// The hash to keep of a password: 40510 where the instance has no host that makes them.
    pub fn hash_password(&self, password: &str) -> SqlResult<String> {
        let host = self.host().ok_or_else(|| unsupported("a password without a server"))?;
        host.hash_password(password).map_err(|e| SqlError::new(15150, &[&"alter", &"login", &e]))
    }

    /// Whether a password is that of a hash, as [`hash_as_bytes`] gives it or a script of SQL Server's has it.
    pub fn is_password(&self, password: &str, hash: &[u8]) -> SqlResult<bool> {
        if let Some(right) = password::is_sql_servers(password, hash) {
            return Ok(right);
        }
        let Some(stored) = hash_from_bytes(hash) else { return Ok(false) };
        let host = self.host().ok_or_else(|| unsupported("a password without a server"))?;
        Ok(host.is_password("", password, &stored))
    }

    /// A property of a login, by its name in lower case: LOGINPROPERTY.
    pub(crate) fn property_of_login(&self, p: &Principal, name: &str) -> Option<(SqlType, Value)> {
        let int = |n: i32| (SqlType::Int, Value::Int(n));
        let moment = |at: Value| {
            let never = Value::DateTime { days: 0, ticks: 0 };
            (SqlType::DateTime, if at.is_null() { never } else { at })
        };
        let text = |s: &str| (SqlType::SYSNAME, Value::nvarchar(s));
        let bad = || self.told_attempts(p);
        Some(match name {
            // No old password is kept.
            "historylength" => int(0),
            "islocked" => int((!bad().2.is_null()).into()),
            "isexpired" => int(self.is_expired(p).into()),
            "daysuntilexpiration" => {
                (SqlType::Int, self.days_until_expiration(p).map_or(Value::Null, Value::Int))
            }
            "ismustchange" => int(p.login.must_change.into()),
            "badpasswordcount" => int(bad().0),
            "badpasswordtime" => moment(bad().1),
            "lockouttime" => moment(bad().2),
            "passwordlastsettime" => moment(self.password_set(p)),
            "defaultdatabase" => text(&p.login.default_database),
            "defaultlanguage" => text(p.language.as_deref()?),
            "passwordhash" => {
                let hash = hash_as_bytes(&p.password_hash)?;
                (SqlType::VarBinary(MaxLen::N(256)), Value::binary(&hash))
            }
            "passwordhashalgorithm" => int(match p.password_hash.get(..4) {
                Some("0x01") => 1,
                Some("0x02") => 2,
                Some(_) => OWN_ALGORITHM,
                None => return None,
            }),
            _ => return None,
        })
    }
}

//! The logins of an instance, as master records them.

use super::Instance;
use crate::catalog::master::{self, LoginEntry};
use taffrail_base::SqlResult;
use taffrail_types::Collation;

/// A login as it is recorded in master.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Login {
    /// `principal_id`.
    pub id: i32,
    /// The login's name.
    pub name: String,
    /// The login's security identifier.
    pub sid: Vec<u8>,
    /// A PHC string (Argon2id); empty when no password has been set.
    pub password_hash: String,
    /// It may not log in.
    pub is_disabled: bool,
    /// Where its sessions begin.
    pub default_database: String,
}

impl From<LoginEntry> for Login {
    fn from(l: LoginEntry) -> Login {
        Login {
            id: l.id,
            name: l.name,
            sid: l.sid,
            password_hash: l.password_hash,
            is_disabled: l.is_disabled,
            default_database: l.default_database,
        }
    }
}

impl Instance {
    /// Takes over what master holds of logins.
    pub fn read_logins(&self) -> SqlResult<()> {
        let master = self.databases.master()?;
        let all = master::logins(&master.storage)?;
        *self.logins.write() = all.into_iter().map(Login::from).collect();
        Ok(())
    }

    /// All logins.
    pub fn logins(&self) -> Vec<Login> {
        self.logins.read().clone()
    }

    /// Finds a login by its name (as the default collation compares names).
    pub fn find_login(&self, name: &str) -> Option<Login> {
        let collation = Collation::default();
        self.logins.read().iter().find(|l| collation.eq_str(&l.name, name)).cloned()
    }

    /// Records a login's password hash, creating the login if it does not exist; durable when it returns.
    pub fn set_login_password(&self, name: &str, password_hash: &str) -> SqlResult<()> {
        let master = self.databases.master()?;
        let all = master::logins(&master.storage)?;
        let collation = Collation::default();
        let now = crate::catalog::datetime_now(&*self.options.env.clock);
        let sa = collation.eq_str(name, "sa");
        let entry = match all.iter().find(|l| collation.eq_str(&l.name, name)) {
            Some(l) => {
                LoginEntry { password_hash: password_hash.into(), modified: now, ..l.clone() }
            }
            None => LoginEntry {
                id: if sa { 1 } else { all.iter().map(|l| l.id).max().unwrap_or(0).max(266) + 1 },
                name: name.into(),
                sid: if sa { vec![1] } else { self.options.env.entropy.guid().to_vec() },
                password_hash: password_hash.into(),
                is_disabled: false,
                default_database: "master".into(),
                created: now.clone(),
                modified: now,
            },
        };
        master::put_login(&master.storage, &entry)?;
        self.read_logins()
    }
}

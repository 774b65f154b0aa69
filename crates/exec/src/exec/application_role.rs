//! Application roles: a context that a password opens, for what the whole session does from then on.
//!
//! The frame lies on the session's own activation, above its login's, and stays there until sp_unsetapprole brings its cookie or the
//! session ends. REVERT does not reach it. The permissions are the role's and public's: nothing of the user, nothing of the server.

use super::activation::Frame;
use crate::catalog::principals::{Principal, PrincipalKind, Scope};
use crate::session::Session;
use crate::session::identity::{ContextScope, SecurityContext};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};

/// Bytes of a cookie, as many as SQL Server's has.
const COOKIE: usize = 50;

impl SecurityContext {
    /// Whether it is that of an application role.
    pub(crate) fn is_application_role(&self) -> bool {
        matches!(self.scope, ContextScope::ApplicationRole(..))
    }
}

impl Session {
    fn application_role(&self) -> Option<&Frame> {
        let mut frames = self.activation.stack().flat_map(|a| &a.security);
        frames.find(|f| f.context.is_application_role())
    }

    /// The role of the current database that sp_setapprole names: 15002 in a transaction, 15422 but on the level of batches, 2762 where
    /// one is set already, 15161 where there is none of the name. The caller compares the password.
    pub fn application_role_to_set(&self, name: &str) -> SqlResult<Arc<Principal>> {
        if self.transaction.count > 0 {
            return Err(SqlError::new(15002, &[&"sys.sp_setapprole"]));
        }
        // The procedure itself is one level below the batch.
        if self.activation.nest_level > 1 {
            return Err(SqlError::new(15422, &[]));
        }
        if self.application_role().is_some() {
            return Err(SqlError::new(2762, &[]));
        }
        let here = self.database.catalog.principals(Scope::Database, self.id);
        let role = here.find(name).filter(|p| p.kind == PrincipalKind::ApplicationRole);
        role.cloned().ok_or_else(|| SqlError::new(15161, &[&name]))
    }

    /// Takes on the context of an application role of the current database; with a cookie, that is what lays it down again.
    pub fn set_application_role(&mut self, role: &Principal, wanted: bool) -> Option<Vec<u8>> {
        let login = self.activation.security().clone();
        let context = SecurityContext {
            sid: role.sid.as_deref().unwrap_or_default().into(),
            scope: ContextScope::ApplicationRole(self.database.id, role.id),
            ..login
        };
        let cookie = wanted.then(|| {
            let mut cookie = vec![0; COOKIE];
            self.instance.options().env.entropy.fill(&mut cookie);
            cookie
        });
        let frame =
            Frame { context, cookie: cookie.clone(), no_revert: true, database: self.database.id };
        self.activation.sessions_own_mut().security.push(frame);
        cookie
    }

    /// Lays the context of an application role down: 15592 for a cookie that is not its own, and where none is set.
    pub fn unset_application_role(&mut self, cookie: &[u8]) -> SqlResult<()> {
        if self.activation.nest_level > 1 {
            return Err(SqlError::new(15422, &[]));
        }
        let own = self.activation.sessions_own_mut();
        let is_it =
            |f: &Frame| f.context.is_application_role() && f.cookie.as_deref() == Some(cookie);
        if !own.security.last().is_some_and(is_it) {
            return Err(SqlError::new(15592, &[]));
        }
        own.security.pop();
        Ok(())
    }
}

//! The security context of a session as others see it.

use super::SessionEntry;
use std::sync::Arc;

impl SessionEntry {
    /// Another security context holds, or the client's own again.
    pub(crate) fn impersonates(&self, login: &Arc<str>) {
        let other = *self.client.login != **login;
        *self.impersonated.lock() = other.then(|| login.clone());
    }

    /// `login_name`: the login in whose context the session runs.
    pub fn login_name(&self) -> Arc<str> {
        let other = self.impersonated.lock().clone();
        other.unwrap_or_else(|| self.client.login.as_str().into())
    }
}

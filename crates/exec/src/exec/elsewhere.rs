//! Procedures that run in another database than their caller's: it is the current one for the call.
//!
//! 1. However the call ends, the session is back in its caller's database.
//! 2. The caller's database is in use while it waits ([`SessionEntry::uses`]): nobody else drops it or takes it offline.
//!
//! [`SessionEntry::uses`]: crate::session::entry::SessionEntry::uses

use super::procedure::Callee;
use crate::database::Database;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::SqlResult;

impl Session {
    /// The database that a procedure runs in: a user's in its own, the system's in the one that its name says, `None` for the
    /// current one.
    pub(super) fn runs_in(
        &self,
        callee: &Callee,
        named: Option<&str>,
    ) -> SqlResult<Option<Arc<Database>>> {
        match (callee, named) {
            (Callee::User(own, _), _) => Ok(Some(own.clone())),
            (Callee::Function(f), _) => Ok(Some(f.database.clone())),
            (_, None | Some("")) => Ok(None),
            (_, Some(name)) => self.instance.databases().get(name).map(Some),
        }
    }
}

//! The process beside the engine tells an instance what it has written and whom it has refused: the default trace and sessions of events
//! hear of it.

use super::Instance;
use crate::features::server_observer;
use crate::features::server_observer::FailedLogin;

impl Instance {
    /// Tells of an entry of the error log, with the time and source of each line; `error`: number, severity and state where it is about
    /// one.
    pub fn trace_error_log(&self, text: &str, error: Option<(i32, u8, u8)>) {
        server_observer().error_log(self, text, error);
    }

    /// Tells of a login that was refused.
    pub fn trace_failed_login(&self, failed: &FailedLogin<'_>) {
        server_observer().failed_login(self, failed);
    }
}

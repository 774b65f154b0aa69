//! The cursors of a session, as others see them.

use super::SessionEntry;
use crate::exec::cursor::ShownCursor;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// Cursors that the session itself holds: one that has gone is dead here.
#[derive(Default)]
pub(super) struct SessionCursors(Mutex<Vec<Weak<ShownCursor>>>);

impl SessionEntry {
    /// Shows a cursor that has been made.
    pub(crate) fn show_cursor(&self, cursor: &Arc<ShownCursor>) {
        let mut cursors = self.cursors.0.lock();
        cursors.retain(|c| c.strong_count() > 0);
        cursors.push(Arc::downgrade(cursor));
    }

    /// The cursors that the session has now.
    pub fn cursors(&self) -> Vec<Arc<ShownCursor>> {
        self.cursors.0.lock().iter().filter_map(Weak::upgrade).collect()
    }
}

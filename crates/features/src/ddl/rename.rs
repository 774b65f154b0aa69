//! `ALTER DATABASE … MODIFY NAME`.

use super::users_of;
use crate::catalog::registry::Slot;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};

/// Gives a database another name: 5058 for a system database, 5030 while others use it, 1801 for a name that is taken.
pub(super) fn modify_name(cx: &mut StatementContext<'_>, slot: &Slot, new: &str) -> SqlResult<()> {
    let (id, name) = (slot.entry.id, &slot.entry.name);
    if id.0 <= 4 {
        return Err(SqlError::new(5058, &[&"MODIFY NAME", name]));
    }
    if new.is_empty() || new.encode_utf16().count() > 128 {
        return Err(SqlError::new(103, &[&"identifier", &new, &128]));
    }
    if !users_of(cx, id.0, true).is_empty() {
        return Err(SqlError::new(5030, &[name]));
    }
    cx.instance().databases().rename(name, new)?;
    cx.instance().adopt_databases();
    cx.session.follow_databases();
    cx.session.publish();
    cx.message(SqlError::new(5021, &[&"database", &new]))
}

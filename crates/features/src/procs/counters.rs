//! sp_user_counter1 to sp_user_counter10: the values of SQLServer:User Settable.

use super::Arguments;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};

/// Sets the counter of a number from 0.
pub(super) fn set<const N: usize>(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    let value = args.number(0).and_then(|n| i32::try_from(n).ok());
    let wrong = || SqlError::new(214, &[&"@newvalue", &"int"]);
    cx.instance().counters().user_settable[N].set(value.ok_or_else(wrong)?.into());
    Ok(0)
}

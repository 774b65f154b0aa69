//! sp_migrate_user_to_contained.

use super::Arguments;
use crate::ddl::contained;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};

const PROCEDURE: &str = "sp_migrate_user_to_contained";

/// `@username`, `@rename`, `@disablelogin`: 15600 for another word than the procedure knows.
pub(super) fn migrate(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let words = (
        either(args, 1, ["copy_login_name", "keep_name"]),
        either(args, 2, ["disable_login", "do_not_disable_login"]),
    );
    let migrated = match words {
        (Some(copies), Some(disables)) => contained::migrate(cx, &args.named(0), copies, disables),
        _ => Err(SqlError::new(15600, &[&PROCEDURE])),
    };
    migrated.map(|()| 0).map_err(|e| e.in_procedure(PROCEDURE).with_line(1))
}

/// Whether an argument is the first of two words. None: it is neither.
fn either(args: &Arguments<'_>, at: usize, words: [&str; 2]) -> Option<bool> {
    let given = args.named(at);
    words.iter().position(|word| given.eq_ignore_ascii_case(word)).map(|at| at == 0)
}

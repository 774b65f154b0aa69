//! sp_setapprole and sp_unsetapprole.

use super::Arguments;
use crate::catalog::principals::hash_as_bytes;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{MaxLen, SqlType, Value};

/// `@rolename`, `@password`, `@encrypt`, `@fCreateCookie`, `@cookie OUTPUT`: 15161 for a role that is not there or another password.
pub(super) fn set(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<Vec<(usize, Value, SqlType)>> {
    opened(cx, args).map_err(|e| e.in_procedure("sp_setapprole").with_line(1))
}

fn opened(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<Vec<(usize, Value, SqlType)>> {
    let name = args.named(0);
    if args.text(2).is_some_and(|how| !how.eq_ignore_ascii_case("none")) {
        return Err(unsupported("sp_setapprole with @encrypt"));
    }
    let role = cx.session.application_role_to_set(&name)?;
    let given = args.text(1).unwrap_or_default();
    let hash = hash_as_bytes(&role.password_hash);
    if !hash.map_or(Ok(false), |hash| cx.instance().is_password(&given, &hash))? {
        return Err(SqlError::new(15161, &[&name]));
    }
    let cookie = cx.session.set_application_role(&role, args.flag(3));
    let ty = SqlType::VarBinary(MaxLen::N(8000));
    Ok(cookie.map(|cookie| (4, Value::binary(&cookie), ty)).into_iter().collect())
}

/// `@cookie`: 15592 for one that is not that of the role which is set.
pub(super) fn unset(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let given = match args.typed(0) {
        Some((Value::Binary(bytes), _)) => bytes.to_vec(),
        _ => Vec::new(),
    };
    let unset = cx.session.unset_application_role(&given);
    unset.map(|()| 0).map_err(|e| e.in_procedure("sp_unsetapprole").with_line(1))
}

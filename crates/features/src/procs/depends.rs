//! `sp_depends`: what an object of the session's database names, and what names it.

use super::Arguments;
use super::help::object;
use crate::catalog::{Object, ObjectKind};
use crate::exec::dependencies::{columns_of, named, references, referencing};
use crate::features::view::ViewContext;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{MaxLen, SqlType, Value};

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(257));
const KIND: SqlType = SqlType::NVarChar(MaxLen::N(16));

/// The kind of an object in the procedure's words.
fn kind(of: &Object) -> &'static str {
    match of.head().kind {
        ObjectKind::Table => "user table",
        ObjectKind::View => "view",
        ObjectKind::Procedure => "stored procedure",
        ObjectKind::ScalarFunction => "scalar function",
        ObjectKind::InlineFunction => "inline function",
        ObjectKind::TableFunction => "table function",
        ObjectKind::Trigger => "trigger",
        _ => "constraint",
    }
}

/// The rows about what an object names: a row a column, or one where no column is named.
fn names(cx: &ViewContext<'_>, of: &Object) -> SqlResult<Vec<Vec<Value>>> {
    let found = references(cx, of)?;
    let mut rows = Vec::new();
    for n in named(cx, of, found.names) {
        let Some(to) = n.object else { continue };
        let (name, kind) = (to.head().qualified(), kind(&to));
        let columns = columns_of(&to, &found.needs);
        if columns.is_empty() {
            rows.push(row![&name, kind, "no", "no", ()]);
        }
        let yes = |holds: bool| if holds { "yes" } else { "no" };
        for (_, column, read, changed) in columns {
            rows.push(row![&name, kind, yes(changed), yes(read), column]);
        }
    }
    Ok(rows)
}

/// `sp_depends`.
pub(super) fn depends(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = args.named(0);
    let object = object(cx, &name)?;
    let database = cx.database();
    let (to, from) = cx.settled(|cx| {
        let (session, dirty, scope) = (&*cx.session, false, None);
        let context = ViewContext { session, database: &database, dirty, scope };
        Ok((names(&context, &object)?, referencing(&context, &object)?))
    })?;
    if to.is_empty() && from.is_empty() {
        cx.message(SqlError::new(15461, &[]))?;
        return Ok(0);
    }
    if !to.is_empty() {
        cx.message(SqlError::new(15459, &[]))?;
        let columns = [
            ("name", NAME, false),
            ("type", KIND, false),
            ("updated", SqlType::NVarChar(MaxLen::N(7)), false),
            ("selected", SqlType::NVarChar(MaxLen::N(8)), false),
            ("column", SqlType::nvarchar(128), true),
        ];
        send(cx, &columns, to)?;
    }
    if !from.is_empty() {
        cx.message(SqlError::new(15460, &[]))?;
        let from = from.iter().map(|(o, _)| row![o.head().qualified(), kind(o)]);
        send(cx, &[("name", NAME, false), ("type", KIND, false)], from.collect())?;
    }
    Ok(0)
}

//! `DBCC CHECKIDENT ('table' [, NORESEED | RESEED [, value]])`.
//!
//! | says | does |
//! |---|---|
//! | NORESEED | tells the last identity value and the farthest value of the column |
//! | nothing, RESEED | the same; then goes on behind the farthest value, if the identity value has not come so far |
//! | RESEED, value | goes on behind the value; with it, where nothing was given out yet |

use super::{number_of, text_of};
use crate::catalog::{Table, fold};
use crate::database::Database;
use crate::results::print;
use crate::rowcodec::NoLobs;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast;
use taffrail_types::Value;
use taffrail_types::near::integer_range;

/// 2501, 2560, 7997.
pub(super) fn check(
    cx: &mut StatementContext<'_>,
    dbcc: &ast::Dbcc,
    silent: bool,
) -> SqlResult<()> {
    let name = dbcc.arguments.first().and_then(text_of);
    let name = name.ok_or_else(|| SqlError::new(2560, &[&1]))?;
    let (database, table) =
        crate::names::table_by_text(cx, &name)?.ok_or_else(|| SqlError::new(2501, &[&name]))?;
    let Some(identity) = table.identity.clone() else {
        return Err(SqlError::new(7997, &[&table.name()]));
    };
    let mode = dbcc.arguments.get(1).and_then(text_of).map(|m| fold(&m));
    let current = identity.sequence.last();
    let shown = |v: Option<i64>| v.map_or_else(|| "NULL".to_string(), |v| v.to_string());
    let mut text =
        format!("Checking identity information: current identity value '{}'", shown(current));
    match (mode.as_deref(), dbcc.arguments.get(2)) {
        (Some("reseed"), Some(value)) => {
            let ty = table.columns[identity.column].ty;
            let fits =
                |n: &i64| integer_range(ty).is_none_or(|(least, most)| (least..=most).contains(n));
            let value = number_of(value).filter(fits);
            let value = value.ok_or_else(|| SqlError::new(2560, &[&3]))?;
            crate::ddl::reseed_identity(cx, &database, &table, value)?;
        }
        (None | Some("reseed" | "noreseed"), None) => {
            let farthest = farthest_value(cx, &database, &table)?;
            let behind = match (current, farthest) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(given), Some(there)) if identity.increment > 0 => given < there,
                (Some(given), Some(there)) => given > there,
            };
            if behind && mode.as_deref() != Some("noreseed") {
                // Numbers are given out in the column's steps: the first that lies behind.
                identity.sequence.saw(farthest.unwrap_or(identity.seed))?;
            }
            text += &format!(", current column value '{}'", shown(farthest));
        }
        _ => return Err(SqlError::new(2560, &[&2])),
    }
    if !silent {
        print(cx, &(text + "."))?;
    }
    Ok(())
}

/// The value of the identity column that lies farthest in its direction. Nobody changes rows meanwhile.
fn farthest_value(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
) -> SqlResult<Option<i64>> {
    let session = cx.session.id;
    let Some(identity) = &table.identity else { return Ok(None) };
    let tx = cx.transaction(database)?;
    database.catalog.lock_table(tx, session, table.head.id, LockMode::S)?;
    let mut farthest = None;
    crate::exec::bulk::build::for_each_row(tx, table, |_, _, row| {
        let value = match table.layout.get(row, identity.column, &mut NoLobs)? {
            Value::Decimal(d) => {
                let n = i64::try_from(d.magnitude()).ok();
                n.map(|n| if d.is_negative() { -n } else { n })
            }
            v => v.as_i64(),
        };
        farthest = match (farthest, value) {
            (None, v) => v,
            (far, None) => far,
            (Some(far), Some(v)) if identity.increment > 0 => Some(v.max(far)),
            (Some(far), Some(v)) => Some(v.min(far)),
        };
        Ok(())
    })?;
    Ok(farthest)
}

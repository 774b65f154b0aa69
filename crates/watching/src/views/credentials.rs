//! sys.credentials: the credentials of `CREATE CREDENTIAL`, without their secrets.

use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::{credentials, datetime};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let columns = "credential_id int! · name sysname! · credential_identity nvarchar(4000)? · create_date datetime! · \
                   modify_date datetime! · target_type nvarchar(100)? · target_id int?";
    views.push(sys("credentials", needs::CREDENTIALS, &[columns], rows));
}

fn rows(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    if !cx.session.holds_in(cx.database, &needs::CREDENTIALS) {
        return Ok(());
    }
    let master = cx.session.instance.databases().master()?;
    for c in credentials::all(&master.storage)? {
        let (created, modified) = (datetime(c.created), datetime(c.modified));
        rows.push(row![c.id, c.name, c.identity, created, modified, (), ()]);
    }
    Ok(())
}

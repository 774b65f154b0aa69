//! sys.backup_devices: the devices of `sp_addumpdevice`. Who may add them or see all definitions of the server sees them.

use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::devices;
use crate::features::needs::{self, Needs, OnServer, ServerRole};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let device =
        "name sysname! · type tinyint? · type_desc nvarchar(60)? · physical_name nvarchar(260)?";
    views.push(sys("backup_devices", needs::METADATA, &[device], backup_devices));
}

const SEEN: Needs = Needs::Any(&[
    Needs::InServerRole(ServerRole::Diskadmin),
    Needs::Server(OnServer::ViewAnyDefinition),
]);

fn backup_devices(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    if !cx.session.holds_in(cx.database, &SEEN) {
        return Ok(());
    }
    let master = cx.session.instance.databases().master()?;
    for device in devices::all(&master.storage)? {
        rows.push(row![device.name, device.kind, "DISK", device.path]);
    }
    Ok(())
}

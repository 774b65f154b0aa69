//! sys.dm_server_*: the service.

use super::{Declaration, Rows, ViewContext, sys};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::{Conversion, SqlType, Value, convert};

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(sys(
        "dm_server_services",
        &[
            "servicename nvarchar(256)!",
            "startup_type int?",
            "startup_type_desc nvarchar(256)!",
            "status int?",
            "status_desc nvarchar(256)!",
            "process_id int?",
            "last_startup_time datetimeoffset(7)?",
            "service_account nvarchar(256)!",
            "filename nvarchar(256)!",
            "is_clustered nvarchar(1)!",
            "cluster_nodename nvarchar(256)?",
            "instant_file_initialization_enabled nvarchar(1)!",
        ],
        services,
    ));
}

/// The database engine. Who starts it, and as whom, the system knows, not the server. Data files grow without being written
/// over, so instant file initialization is on.
fn services(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let started = cx.session.instance.start_time();
    let (from, to) = (SqlType::DateTime, SqlType::DateTimeOffset(7));
    let started = convert::cast(&started, from, to, None, Conversion::Implicit)?;
    let program = std::env::current_exe().map(|p| p.display().to_string()).unwrap_or_default();
    rows.push(row![
        "SQL Server (MSSQLSERVER)",
        (),
        "",
        4,
        "Running",
        std::process::id(),
        started,
        "",
        program,
        "N",
        (),
        "Y"
    ]);
    Ok(())
}

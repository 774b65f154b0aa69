//! sys.dm_server_*: the service.

use super::cell::{Columns, null};
use super::{Declaration, Rows, ViewContext, by_column, sys};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::{Conversion, SqlType, Value, convert};

/// Audits, of which there are none.
const AUDITS: Columns<()> = &[&[
    ("audit_id int!", null),
    ("name sysname!", null),
    ("status smallint!", null),
    ("status_desc nvarchar(256)!", null),
    ("status_time datetime2(7)!", null),
    ("event_session_address varbinary(8)?", null),
    ("audit_file_path nvarchar(256)?", null),
    ("audit_file_size bigint?", null),
]];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(by_column(
        "dm_server_audit_status",
        needs::SERVER_SECURITY,
        AUDITS,
        super::empty::none,
    ));
    views.push(sys(
        "dm_server_registry",
        needs::SERVER_PERFORMANCE,
        &["registry_key nvarchar(256)?", "value_name nvarchar(256)?", "value_data sql_variant?"],
        registry,
    ));
    views.push(sys(
        "dm_server_services",
        needs::SERVER_SECURITY,
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

/// There is no registry: what scripts ask for and what has a meaning here, under the names that they ask by.
fn registry(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    const INSTANCE: &str =
        r"HKLM\Software\Microsoft\Microsoft SQL Server\MSSQL16.MSSQLSERVER\MSSQLServer";
    let instance = &cx.session.instance;
    let file = |path: std::path::PathBuf| path.display().to_string();
    let mut put = |key: &str, name: &str, data: String| {
        rows.push(row![format!("{INSTANCE}{key}"), name, data]);
    };
    put(r"\CurrentVersion", "CurrentVersion", "16.0.1000.6".into());
    let [data, log] = match &instance.databases().default_files("master")[..] {
        [data, log] => [data.clone(), log.clone()],
        _ => Default::default(),
    };
    put(r"\Parameters", "SQLArg0", format!("-d{}", file(data)));
    if let Some(dir) = &instance.options().trace_dir {
        put(r"\Parameters", "SQLArg1", format!("-e{}", file(dir.join("errorlog"))));
    }
    put(r"\Parameters", "SQLArg2", format!("-l{}", file(log)));
    if let Some(port) = instance.host().and_then(|host| host.tcp_port()) {
        put(r"\SuperSocketNetLib\Tcp\IPAll", "TcpPort", port.to_string());
        put(r"\SuperSocketNetLib\Tcp\IPAll", "TcpDynamicPorts", String::new());
    }
    Ok(())
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

//! A walk over every system view, procedure and DBCC command as somebody with CONNECT alone: errors and rows that one may see, no more.
//! Whether something is refused stands in tables written from the documentation, never from what is registered.

use crate::permissions::two;
use crate::support::errors;
use taffrail_exec::features::{procedure, view};

/// Views of states that everybody reads, as far as oneself is concerned.
const STATES_OF_ONES_OWN: [&str; 6] = [
    "cursor_columns",
    "cursor_references",
    "cursor_tables",
    "dm_exec_requests",
    "dm_exec_session_wait_stats",
    "dm_exec_sessions",
];

/// Beginnings of the names of other views that need a permission: the query store's and the sessions of events, which are states of a
/// database or of the server, as are old counters, and the dependencies, which only db_owner reads from the beginning.
const REFUSED: [&str; 7] = [
    "database_event_session",
    "database_query_store",
    "query_context",
    "query_store",
    "server_event_session",
    "sql_expression_dependencies",
    "sysperfinfo",
];

/// Numbers with which views are refused.
const DENIALS: [u32; 6] = [229, 262, 297, 300, 9010, 9011];

#[test]
fn every_view_is_refused_or_shows_what_one_may_see() {
    let (_world, _sa, mut u) = two();
    let mut wrong = Vec::new();
    for v in view::all().iter().filter(|v| v.arguments.is_none() && v.schema != view::MSDB) {
        let said = u.run(&format!("SELECT COUNT(*) FROM {}.{}", v.schema, v.name));
        let found = errors(&said);
        let own = STATES_OF_ONES_OWN.contains(&v.name);
        let state = v.name.starts_with("dm_") || v.schema == "taffrail";
        let refused = !own && (state || REFUSED.iter().any(|r| v.name.starts_with(r)));
        let as_expected = match refused {
            true => !found.is_empty() && found.iter().all(|n| DENIALS.contains(n)),
            false => found.is_empty(),
        };
        if !as_expected {
            wrong.push(format!("{}.{}: {found:?}", v.schema, v.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Procedures that nobody but an administrator calls, by the documentation of each.
const OF_ADMINISTRATORS: [&str; 16] = [
    "sp_attach_db",
    "sp_attach_single_file_db",
    "sp_cycle_errorlog",
    "sp_detach_db",
    "sp_enumerrorlogs",
    "sp_helplogins",
    "sp_lock",
    "sp_monitor",
    "sp_readerrorlog",
    "sp_renamedb",
    "sp_server_diagnostics",
    "sp_updatestats",
    "sp_validatelogins",
    "xp_create_subdir",
    "xp_dirtree",
    "xp_readerrorlog",
];

#[test]
fn every_procedure_ends_with_an_error_or_with_what_one_may_see() {
    let (_world, mut sa, mut u) = two();
    let before = sa.run("SELECT COUNT(*) FROM sys.objects; SELECT COUNT(*) FROM sys.databases");
    for (name, _) in procedure::names() {
        let said = u.run(&format!("EXEC {name}"));
        assert!(!said.contains("closed"), "{name}: {said}");
        let found = errors(&said);
        if OF_ADMINISTRATORS.contains(&name) {
            let denied = [262, 297, 300, 15003, 15247];
            assert!(found.iter().any(|n| denied.contains(n)), "{name}: {said}");
        }
        let named = u.run(&format!("EXEC {name} 'dbo.t'"));
        assert!(!named.contains("closed"), "{name}: {named}");
        assert!(!named.contains("\n1 | 2"), "{name} shows a row of the table: {named}");
    }
    let after = sa.run("SELECT COUNT(*) FROM sys.objects; SELECT COUNT(*) FROM sys.databases");
    assert_eq!(before, after);
}

#[test]
fn every_command_is_refused_but_those_of_the_public() {
    let (_world, _sa, mut u) = two();
    for (command, refused) in [
        ("CHECKALLOC", true),
        ("CHECKCATALOG", true),
        ("CHECKDB", true),
        ("CHECKIDENT ('dbo.t')", true),
        ("CHECKTABLE ('dbo.t')", true),
        ("DBREINDEX ('dbo.t')", true),
        ("FREEPROCCACHE", true),
        ("INPUTBUFFER (1)", true),
        ("LOGINFO", true),
        ("OPENTRAN", true),
        ("SHRINKDATABASE (d)", true),
        ("SHRINKFILE (1)", true),
        ("SQLPERF (LOGSPACE)", true),
        ("SQLPERF ('sys.dm_os_wait_stats', CLEAR)", true),
        ("TRACEOFF (3604)", true),
        ("TRACEON (3604)", true),
        ("TRACESTATUS", false),
        ("USEROPTIONS", false),
    ] {
        let said = u.run(&format!("DBCC {command}"));
        let denied = [297, 2557, 2571, 7983];
        let found = errors(&said);
        assert_eq!(found.iter().any(|n| denied.contains(n)), refused, "{command}: {said}");
        assert_eq!(found.is_empty(), !refused, "{command}: {said}");
    }
}

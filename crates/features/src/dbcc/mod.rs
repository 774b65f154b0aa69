//! DBCC commands.
//!
//! Whatever a command prints or returns, it ends with message 2528, unless `WITH NO_INFOMSGS` was said.
//! `WITH TABLERESULTS` turns what others print into rows; the commands that always give rows accept it.

mod catalog;
mod check;
mod check_rows;
mod identity;
mod input_buffer;
mod opentran;
mod reindex;
mod shrink;
mod trace;

pub(crate) use trace::quiet_backups;

use crate::catalog::fold;
use crate::database::Database;
use crate::exec::authority::AskedAt;
use crate::features::needs::{
    Case, DB_OWNER, DatabaseRole, Needs, OWNS_TABLE, OnServer, Owned, SYSADMIN,
};
use crate::features::pipelining::Pipelining::{self, Reads, Session, Waits};
use crate::features::{self, DbccCommand, Feature, RegisteredStatement, Run};
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use crate::vlfs::{log_file_ids, vlf_status};
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::session::Command as Shown;
use taffrail_observe::{WaitStats, WaitType};
use taffrail_storage::FileKind;
use taffrail_syntax::ast::{self, ExprKind, Literal, StatementKind};
use taffrail_types::{MaxLen, SqlType, Value};

/// The tables of the feature `dbcc`.
pub(crate) static FEATURE: Feature =
    Feature { statements: STATEMENTS, dbcc: COMMANDS, ..Feature::NOTHING };

static STATEMENTS: &[RegisteredStatement] = &[RegisteredStatement::new(
    "DBCC",
    Needs::ItsCommand,
    Pipelining::Command,
    Run::Itself(|it, s, line| {
        let StatementKind::Dbcc(dbcc) = &s.kind else { unreachable!("registered for DBCC") };
        it.in_statement(|it| execute(&mut it.context(line), dbcc)).map(|()| None)
    }),
)
.shown(Shown::Dbcc)
.filled(filled_in)];

const fn command(
    name: &'static str,
    needs: Needs,
    pipelining: Pipelining,
    run: fn(&mut StatementContext<'_>, &ast::Dbcc) -> SqlResult<()>,
) -> DbccCommand {
    DbccCommand { name, needs, pipelining, run }
}

/// Ownership of the table's schema, or a role that may do with every table what its owner may.
const OWNS_SCHEMA: Needs = Needs::Any(&[
    Needs::Owner(Owned::Schema),
    DB_OWNER,
    Needs::InDatabaseRole(DatabaseRole::Ddladmin),
]);

/// One's own input buffer is everybody's to see.
const INPUT: Needs = Needs::All(&[
    Needs::Public,
    Needs::When(Case::OtherSessions, &Needs::Server(OnServer::ViewServerState)),
]);

/// Figures of the server, which SQLPERF shows and clears.
const FIGURES: Needs = Needs::All(&[
    Needs::Server(OnServer::ViewServerState),
    Needs::When(Case::Cleared, &Needs::Server(OnServer::AlterServerState)),
]);

static COMMANDS: &[DbccCommand] = &[
    command("CHECKALLOC", DB_OWNER, Waits, check::alloc),
    command("CHECKCATALOG", DB_OWNER, Waits, catalog::check),
    command("CHECKDB", DB_OWNER, Waits, check::database),
    command("CHECKIDENT", OWNS_SCHEMA, Waits, |cx, dbcc| {
        identity::check(cx, dbcc, is_silent(dbcc))
    }),
    command("CHECKTABLE", OWNS_TABLE, Waits, check::table),
    command("DBREINDEX", OWNS_TABLE, Waits, reindex::run),
    command("FREEPROCCACHE", Needs::Server(OnServer::AlterServerState), Waits, free_plans),
    command("INPUTBUFFER", INPUT, Reads, input_buffer::run),
    command("LOGINFO", SYSADMIN, Reads, log_info),
    command("OPENTRAN", DB_OWNER, Reads, |cx, dbcc| {
        opentran::run(cx, dbcc, has(dbcc, "TABLERESULTS"))
    }),
    command("SHOWFILESTATS", DB_OWNER, Reads, file_stats),
    command("SHRINKDATABASE", DB_OWNER, Waits, |cx, dbcc| {
        shrink::shrink_database(cx, dbcc, is_silent(dbcc))
    }),
    command("SHRINKFILE", DB_OWNER, Waits, |cx, dbcc| {
        shrink::shrink_file(cx, dbcc, is_silent(dbcc))
    }),
    command("SQLPERF", FIGURES, Waits, sqlperf),
    command("TRACEOFF", SYSADMIN, Waits, |cx, dbcc| trace::set(cx, dbcc, false)),
    command("TRACEON", SYSADMIN, Waits, |cx, dbcc| trace::set(cx, dbcc, true)),
    command("TRACESTATUS", Needs::Public, Reads, trace::status),
    command("USEROPTIONS", Needs::Public, Session, |cx, _| user_options(cx)),
];

/// An option stands behind WITH.
fn has(dbcc: &ast::Dbcc, name: &str) -> bool {
    dbcc.options.iter().any(|o| o.name.is(name))
}

fn is_silent(dbcc: &ast::Dbcc) -> bool {
    has(dbcc, "NO_INFOMSGS")
}

/// `DBCC dll (FREE)`: a library of extended procedures would go out of memory.
fn frees_a_library(dbcc: &ast::Dbcc) -> bool {
    let free = |e| text_of(e).is_some_and(|word| word.eq_ignore_ascii_case("FREE"));
    matches!(&dbcc.arguments[..], [only] if free(only))
}

/// Runs a DBCC statement.
fn execute(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let name = dbcc.command.value.to_ascii_uppercase();
    match features::dbcc(&name) {
        Some(command) => {
            allow(cx, command, dbcc)?;
            (command.run)(cx, dbcc)?;
        }
        None if crate::absent::dbcc(&name) => return Err(unsupported(format!("DBCC {name}"))),
        None if frees_a_library(dbcc) => {
            return Err(unsupported(format!("DBCC {} (FREE)", dbcc.command)));
        }
        None => return Err(SqlError::new(2526, &[])),
    }
    if !is_silent(dbcc) {
        cx.message(SqlError::new(2528, &[]))?;
    }
    Ok(())
}

/// Commands whose first argument is a table.
const OF_TABLES: [&str; 3] = ["CHECKIDENT", "CHECKTABLE", "DBREINDEX"];
/// Commands whose first argument is a database.
const OF_DATABASES: [&str; 5] =
    ["CHECKALLOC", "CHECKCATALOG", "CHECKDB", "OPENTRAN", "SHRINKDATABASE"];

/// Asks for what a command needs, about the table or database that its first argument names.
fn allow(cx: &StatementContext<'_>, command: &DbccCommand, dbcc: &ast::Dbcc) -> SqlResult<()> {
    if cx.session.activation.security().is_sa() {
        return Ok(());
    }
    let first = dbcc.arguments.first();
    let of_table = OF_TABLES.contains(&command.name);
    let table = first.filter(|_| of_table).and_then(text_of);
    let place = match &table {
        Some(name) => cx.session.place_by_text(name),
        None if OF_DATABASES.contains(&command.name) => {
            AskedAt::of_database(&database_of(cx, first)?)
        }
        None => AskedAt::of_database(&cx.database()),
    };
    let clears = command.name == "SQLPERF" && dbcc.arguments.len() > 1;
    let other = command.name == "INPUTBUFFER"
        && first.and_then(number_of) != Some(i64::from(cx.session.id.0));
    let place = match (clears, other) {
        (true, _) => AskedAt { cases: &[Case::Cleared], ..place },
        (_, true) => AskedAt { cases: &[Case::OtherSessions], ..place },
        _ => place,
    };
    match cx.session.refused_command(command.name, &command.needs, &place, table.as_deref()) {
        Some(e) => Err(e),
        None => Ok(()),
    }
}

/// Plans of all databases; by a handle those of one text, or one plan; by a pool's name all, which are the default pool's.
fn free_plans(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let plans = cx.instance().plans();
    let Some(argument) = dbcc.arguments.first() else {
        plans.forget_all();
        return Ok(());
    };
    if let ExprKind::Literal(Literal::Binary(handle)) = &argument.kind {
        plans.forget(|m| m.plan_handle()[..] == **handle || m.sql_handle()[..] == **handle);
        return Ok(());
    }
    let pool = text_of(argument);
    match pool.as_deref().map(str::to_lowercase).as_deref() {
        Some("default") => plans.forget_all(),
        Some("internal") => {}
        _ => return Err(SqlError::new(2560, &[&1])),
    }
    Ok(())
}

/// Scripts divide by the sum of all waits right after they have cleared them, most without the waits of the lazy writer.
/// On a machine with many databases some idle thread ends a wait every moment; here the recovery writer is asked to end
/// its own, and is waited for (up to a second, if it writes pages just now) until that wait has counted for a millisecond.
fn some_wait_ends(cx: &StatementContext<'_>) {
    for _ in 0..500 {
        std::thread::sleep(std::time::Duration::from_millis(2));
        cx.instance().wake_background();
        if WaitStats::global().row(WaitType::DirtyPagePoll).wait_time_ms() > 0 {
            break;
        }
    }
}

/// The statement with variables among its arguments replaced by what they hold; none when it has none.
fn filled_in(
    statement: &ast::Statement,
    look_up: features::Values<'_>,
) -> SqlResult<Option<ast::Statement>> {
    let has =
        |dbcc: &ast::Dbcc| dbcc.arguments.iter().any(|a| matches!(a.kind, ExprKind::Variable(_)));
    if !matches!(&statement.kind, StatementKind::Dbcc(dbcc) if has(dbcc)) {
        return Ok(None);
    }
    let mut copy = statement.clone();
    if let StatementKind::Dbcc(dbcc) = &mut copy.kind {
        for argument in &mut dbcc.arguments {
            let ExprKind::Variable(name) = &argument.kind else { continue };
            let held = look_up(&name.value)?;
            argument.kind = ExprKind::Literal(match (&held, held.as_text(), held.as_i64()) {
                (Value::Binary(bytes), ..) => Literal::Binary(bytes.to_vec().into()),
                (Value::Decimal(d), ..) => Literal::Decimal(d.to_string().into()),
                (_, Some(text), _) => Literal::NString(text.into()),
                (_, None, Some(number)) => Literal::Decimal(number.to_string().into()),
                (_, None, None) => Literal::Null,
            });
        }
    }
    Ok(Some(copy))
}

/// The text of an argument: a literal, or a bare word.
fn text_of(e: &ast::Expr) -> Option<String> {
    match &e.kind {
        ExprKind::Literal(Literal::String(s) | Literal::NString(s)) => Some(s.to_string()),
        ExprKind::Column(c) => Some(match &c.qualifier {
            Some(q) => format!("{q}.{}", c.name.value),
            None => c.name.value.to_string(),
        }),
        _ => None,
    }
}

fn number_of(e: &ast::Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Literal(Literal::Int(n)) => Some(*n as i64),
        // What comes after the point does not count.
        ExprKind::Literal(Literal::Decimal(s)) => s.split('.').next()?.parse().ok(),
        ExprKind::Unary(ast::UnaryOp::Minus, e) => Some(-number_of(e)?),
        ExprKind::Unary(ast::UnaryOp::Plus, e) => number_of(e),
        _ => None,
    }
}

/// The database of an optional argument: a name or a number, 0 the current one (2520, 2560).
fn database_of(
    cx: &StatementContext<'_>,
    argument: Option<&ast::Expr>,
) -> SqlResult<Arc<Database>> {
    let Some(argument) = argument else { return Ok(cx.database()) };
    if let Some(name) = text_of(argument) {
        // One that is there and not open says so itself: 942, 927, 926, 945.
        let missing = |e: Box<SqlError>| match e.number {
            911 => SqlError::new(2520, &[&name]),
            _ => e,
        };
        return cx.instance().databases().get(&name).map_err(missing);
    }
    match number_of(argument) {
        Some(0) => Ok(cx.database()),
        Some(id) => {
            let slots = cx.instance().databases().list();
            let slot = slots.into_iter().find(|s| i64::from(s.entry.id.0) == id);
            let slot = slot.ok_or_else(|| SqlError::new(2520, &[&id]))?;
            cx.instance().databases().get(&slot.entry.name)
        }
        None => Err(SqlError::new(2560, &[&1])),
    }
}

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));
const LSN: SqlType = SqlType::Numeric { precision: 25, scale: 0 };

/// A row per VLF, by file and offset.
fn log_info(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    if dbcc.arguments.len() > 1 {
        return Err(SqlError::new(2560, &[&2]));
    }
    let known = |o: &str| ["NO_INFOMSGS", "TABLERESULTS"].iter().any(|k| k.eq_ignore_ascii_case(o));
    if let Some(o) = dbcc.options.iter().find(|o| !known(&o.name.value)) {
        return Err(SqlError::new(102, &[&o.name.value]));
    }
    let database = database_of(cx, dbcc.arguments.first())?;
    let ids = log_file_ids(&database);
    let mut vlfs = database.storage.log().vlfs();
    vlfs.sort_by_key(|v| (v.file, v.offset));
    let mut rows = Vec::new();
    for v in vlfs {
        rows.push(row![
            0,
            ids.get(v.file).copied().unwrap_or(0),
            v.size,
            v.offset,
            v.seqno.0,
            vlf_status(v.status),
            v.parity,
            v.create_lsn
        ]);
    }
    let columns = [
        ("RecoveryUnitId", SqlType::Int, false),
        ("FileId", SqlType::Int, false),
        ("FileSize", SqlType::BigInt, false),
        ("StartOffset", SqlType::BigInt, false),
        ("FSeqNo", SqlType::Int, false),
        ("Status", SqlType::Int, false),
        ("Parity", SqlType::TinyInt, false),
        ("CreateLSN", LSN, false),
    ];
    send(cx, &columns, rows)
}

/// A row per data file of the current database, or the one of that number.
fn file_stats(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    /// Bytes of an extent.
    const EXTENT: u64 = 64 << 10;
    let wanted = match dbcc.arguments.first() {
        None => None,
        Some(e) => Some(number_of(e).ok_or_else(|| SqlError::new(2560, &[&1]))?),
    };
    let mut rows = Vec::new();
    for f in cx.database().storage.files() {
        if f.kind != FileKind::Rows || wanted.is_some_and(|id| id != i64::from(f.id.0)) {
            continue;
        }
        let path = f.path.display().to_string();
        rows.push(row![
            i32::from(f.id.0),
            1,
            (f.size / EXTENT) as i64,
            f.used.div_ceil(EXTENT) as i64,
            &f.name,
            path
        ]);
    }
    let columns = [
        ("Fileid", SqlType::Int, false),
        ("FileGroup", SqlType::Int, false),
        ("TotalExtents", SqlType::BigInt, false),
        ("UsedExtents", SqlType::BigInt, false),
        ("Name", NAME, false),
        ("FileName", SqlType::NVarChar(MaxLen::N(260)), false),
    ];
    send(cx, &columns, rows)
}

fn sqlperf(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let what = dbcc.arguments.first().and_then(text_of);
    let what = what.ok_or_else(|| SqlError::new(2526, &[]))?;
    let clear = dbcc.arguments.get(1).and_then(text_of);
    match (fold(&what).as_str(), clear.as_deref().map(fold).as_deref()) {
        ("logspace", None) => log_space(cx),
        ("sys.dm_os_wait_stats", Some("clear")) => {
            WaitStats::global().clear();
            some_wait_ends(cx);
            Ok(())
        }
        ("sys.dm_os_latch_stats", Some("clear")) => {
            taffrail_observe::latches::LATCHES.clear();
            Ok(())
        }
        // Nobody spins, so nothing has been counted.
        ("sys.dm_os_spinlock_stats", Some("clear")) => Ok(()),
        _ => Err(SqlError::new(2526, &[])),
    }
}

fn log_space(cx: &mut StatementContext<'_>) -> SqlResult<()> {
    let mut rows = Vec::new();
    for slot in cx.instance().databases().list() {
        let Some(database) = &slot.database else { continue };
        let space = database.storage.log().space();
        let size = space.usable as f64 / (1 << 20) as f64;
        let used = space.used as f64 * 100.0 / space.usable.max(1) as f64;
        rows.push(row![&database.name, size, used, 0]);
    }
    let columns = [
        ("Database Name", NAME, false),
        ("Log Size (MB)", SqlType::Real, true),
        ("Log Space Used (%)", SqlType::Real, true),
        ("Status", SqlType::Int, false),
    ];
    send(cx, &columns, rows)
}

fn user_options(cx: &mut StatementContext<'_>) -> SqlResult<()> {
    let o = cx.session.activation.options;
    let isolation = match o.isolation {
        crate::session::Isolation::ReadUncommitted => "read uncommitted",
        crate::session::Isolation::ReadCommitted
            if cx.session.database.has_read_committed_snapshot() =>
        {
            "read committed snapshot"
        }
        crate::session::Isolation::ReadCommitted => "read committed",
        crate::session::Isolation::Snapshot => "snapshot",
        crate::session::Isolation::RepeatableRead => "repeatable read",
        crate::session::Isolation::Serializable => "serializable",
    };
    let mut rows = vec![
        row!["textsize", o.text_size.to_string()],
        row!["language", o.language.get().name],
        row!["dateformat", format!("{:?}", o.date_format).to_lowercase()],
        row!["datefirst", o.date_first.to_string()],
        row!["lock_timeout", o.lock_timeout.to_string()],
    ];
    for (name, on) in [
        ("quoted_identifier", o.quoted_identifier),
        ("arithabort", o.arithabort),
        ("nocount", o.nocount),
        ("xact_abort", o.xact_abort),
        ("ansi_null_dflt_on", o.ansi_null_dflt_on),
        ("ansi_warnings", o.ansi_warnings),
        ("ansi_padding", o.ansi_padding),
        ("ansi_nulls", o.ansi_nulls),
        ("concat_null_yields_null", o.concat_null_yields_null),
        ("numeric_roundabort", o.numeric_roundabort),
        ("implicit_transactions", o.implicit_transactions),
        ("cursor_close_on_commit", o.cursor_close_on_commit),
    ] {
        if on {
            rows.push(row![name, "SET"]);
        }
    }
    rows.push(row!["isolation level", isolation]);
    let columns = [("Set Option", NAME, false), ("Value", SqlType::NVarChar(MaxLen::N(46)), true)];
    send(cx, &columns, rows)
}

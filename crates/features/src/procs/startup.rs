//! sp_procoption, and the procedures of master that run once the server has started.
//!
//! ```text
//! start ──▶ a thread, which waits for the recovery of all databases ──▶ a thread for each procedure: EXEC in a session of sa's
//! ```
//! The configuration option `scan for startup procs` is on while there is one; who sets it to 0 has a start without them.

use super::Arguments;
use super::first_error::FirstError;
use super::help::object_if_any;
use crate::catalog::{Module, Object, Sight, master, startup_procedures};
use crate::instance::Instance;
use crate::session::ConnectOptions;
use crate::session::context::StatementContext;
use std::sync::Arc;
use std::time::Duration;
use taffrail_base::{DatabaseId, SessionId, SqlError, SqlResult};
use taffrail_observe::{Command, Event, EventRing};

/// `scan for startup procs`.
const SCAN: i32 = 1547;
/// The stack of a thread that runs statements, in bytes: that of a session.
const STACK: usize = if cfg!(debug_assertions) { 8 << 20 } else { 2 << 20 };
/// How often it is looked whether recovery has ended.
const LOOK: Duration = Duration::from_millis(20);

/// `sp_procoption`: 15002, 15165, 15398, 15399, 15600.
pub(super) fn option(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    const PROCEDURE: &str = "sys.sp_procoption";
    let wrong = || SqlError::new(15600, &[&PROCEDURE]);
    let option = args.text(1).unwrap_or_default();
    if !option.trim_end().eq_ignore_ascii_case("startup") {
        return Err(wrong());
    }
    let on = match &*args.text(2).unwrap_or_default().trim_end().to_ascii_lowercase() {
        "true" | "on" => true,
        "false" | "off" => false,
        _ => return Err(wrong()),
    };
    if cx.session.transaction.count() > 0 {
        return Err(SqlError::new(15002, &[&PROCEDURE]));
    }
    let name = args.named(0);
    let found = object_if_any(cx, &name)?;
    let Some(Object::Procedure(module)) = found else {
        return Err(SqlError::new(15165, &[&name]));
    };
    let database = cx.database();
    let master = cx.instance().databases().master()?;
    if database.id != master.id || !module.head.schema.eq_ignore_ascii_case("dbo") {
        return Err(SqlError::new(15398, &[]));
    }
    if on && !module.parameters.is_empty() {
        return Err(SqlError::new(15399, &[]));
    }
    startup_procedures::set(cx.transaction(&master)?, module.head.id, on)?;
    let mut others = startup_procedures::all(&master.storage)?;
    others.retain(|id| *id != module.head.id);
    let scanned = i64::from(on || !others.is_empty());
    master::put_configuration(&master.storage, SCAN, scanned)?;
    Ok(0)
}

/// Has the startup procedures run, unless there is none or they are not wanted.
pub(super) fn launch(instance: &Arc<Instance>) -> SqlResult<()> {
    let databases = instance.databases();
    if !databases.running_configurations().contains(&(SCAN, 1)) {
        return Ok(());
    }
    let Ok(master) = databases.master() else { return Ok(()) };
    let ids = startup_procedures::all(&master.storage)?;
    // One that was dropped has left its row to this. One that another schema has meanwhile is not run, nor what has its name in dbo.
    let procedures: Vec<Arc<Module>> = ids
        .into_iter()
        .filter_map(|id| match master.catalog.object(id, Sight::COMMITTED) {
            Some(Object::Procedure(module)) => Some(module),
            _ => None,
        })
        .filter(|module| module.head.schema.eq_ignore_ascii_case("dbo"))
        .collect();
    if procedures.is_empty() {
        return Ok(());
    }
    let own = Arc::downgrade(instance);
    let shown = (Command::DbStartup, DatabaseId(1));
    let started = instance.background("startup procedures".into(), STACK, shown, move || {
        loop {
            let Some(instance) = own.upgrade().filter(|i| !i.is_stopping()) else { return };
            if !instance.databases().list().iter().any(|slot| slot.recovering) {
                return procedures.into_iter().for_each(|module| start(&instance, module));
            }
            drop(instance);
            std::thread::sleep(LOOK);
        }
    });
    if let Err(e) = started {
        tell(&SqlError::new(17133, &[&e]));
    }
    Ok(())
}

/// Runs one in a thread of its own: it may go on for as long as the server does.
fn start(instance: &Arc<Instance>, module: Arc<Module>) {
    let own = Arc::downgrade(instance);
    let shown = (Command::DbStartup, DatabaseId(1));
    let name = module.head.name.clone();
    let started = instance.background("startup procedure".into(), STACK, shown, move || {
        if let Some(instance) = own.upgrade() {
            run(&instance, &module);
        }
    });
    if started.is_err() {
        tell(&SqlError::new(17133, &[&name]));
    }
}

fn run(instance: &Arc<Instance>, module: &Module) {
    let name = &module.head.name;
    let connected = instance.connect_within(ConnectOptions {
        login: instance.sa_name().to_string(),
        program_name: "startup procedure".into(),
        database: Some("master".into()),
        ..ConnectOptions::default()
    });
    let mut connection = match connected {
        Ok(connection) => connection,
        Err(e) => {
            tell(&SqlError::new(17133, &[name]));
            return tell(&e);
        }
    };
    let text = SqlError::new(17135, &[name]).message;
    EventRing::global().push(Event::RecoveryMessage { database: DatabaseId(1), text });
    let mut first = FirstError::default();
    connection.execute_batch(&format!("EXEC dbo.[{}]", name.replace(']', "]]")), &mut first);
    // A stop of the server ends it.
    if let Some(e) = first.0.filter(|_| !instance.is_stopping()) {
        tell(&SqlError::new(17133, &[name]));
        tell(&e);
    }
}

/// Puts a message into the error log.
fn tell(e: &SqlError) {
    let (number, severity, state) = (e.number, e.severity, e.state);
    let event =
        Event::Raised { session: SessionId(0), number, severity, state, text: e.message.clone() };
    EventRing::global().push(event);
}

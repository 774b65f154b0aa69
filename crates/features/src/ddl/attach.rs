//! `CREATE DATABASE … FOR ATTACH` and `AS CLONE OF`, and sp_detach_db.

use super::database::users_of;
use super::options;
use crate::catalog::registry::NotAttached;
use crate::features::procedure::Arguments;
use crate::paths;
use crate::session::context::StatementContext;
use std::path::PathBuf;
use taffrail_base::message::unsupported;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_syntax::ast;

/// `FOR ATTACH`: the first file is the primary one, the others are log files that have moved. What is wrong with the first is followed by
/// 1802, what is wrong with others and inside by 1813.
pub(super) fn attach(cx: &mut StatementContext<'_>, s: &ast::CreateDatabase) -> SqlResult<()> {
    if s.collation.is_some() {
        return Err(SqlError::new(1812, &[]));
    }
    for option in &s.options {
        options::at_creation(option)?;
    }
    let files = s.filegroups.iter().flat_map(|g| &g.files).chain(&s.log);
    let named: Option<Vec<&str>> = files.map(|f| f.filename.as_deref()).collect();
    let named = named.filter(|n| !n.is_empty() && !s.filegroups.is_empty());
    let Some(named) = named else { return Err(SqlError::new(1829, &[])) };
    let all: SqlResult<Vec<PathBuf>> = named.iter().map(|f| paths::checked_path(cx, f)).collect();
    let mut logs = all?;
    let primary = logs.remove(0);
    let name = &*s.name.value;
    match cx.instance().databases().attach(name, primary, logs) {
        Ok(database) => {
            cx.instance().adopt_databases();
            super::database::own(cx, database.id)
        }
        Err(NotAttached::Refused(e)) => Err(e),
        Err(NotAttached::Primary(e)) => {
            cx.reason(e)?;
            Err(SqlError::new(1802, &[]).with_state(7))
        }
        Err(NotAttached::Unopened(e)) => {
            cx.reason(e)?;
            Err(SqlError::new(1813, &[&name]).with_state(2))
        }
    }
}

/// sp_detach_db. Statistics are kept by the engine itself: `@skipchecks` only has to be true or false.
pub(super) fn detach(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let told = |at| {
        let word = args.text(at).unwrap_or_else(|| "true".into());
        word.eq_ignore_ascii_case("true") || word.eq_ignore_ascii_case("false")
    };
    let (Some(name), true) = (args.text(0), told(1) && told(2)) else {
        return Err(SqlError::new(15354, &[]));
    };
    if cx.session.transaction.count() > 0 {
        return Err(SqlError::new(15002, &[&"sys.sp_detach_db"]));
    }
    let Some(slot) = cx.instance().databases().slot(&name) else {
        return Err(SqlError::new(15010, &[&name]));
    };
    let id = slot.entry.id;
    if id.0 <= 4 {
        return Err(SqlError::new(7940, &[]));
    }
    cx.instance().databases().detach(&name, &|id| !users_of(cx, id.0, false).is_empty())?;
    cx.instance().adopt_databases();
    crate::features::forget_database(cx.instance(), id);
    Ok(0)
}

/// `AS CLONE OF` (ours): the clone has the logical files of the template, in the default directories under its own name.
pub(super) fn clone_of(cx: &mut StatementContext<'_>, s: &ast::CreateDatabase) -> SqlResult<()> {
    let template = s.options.iter().find_map(|option| match &option.value {
        Some(ast::OptionValue::Word(template)) => Some(template),
        _ => None,
    });
    let plain = s.filegroups.is_empty() && s.log.is_empty() && s.collation.is_none();
    let Some(template) = template.filter(|_| plain && s.options.len() == 1) else {
        return Err(unsupported("CREATE DATABASE … AS CLONE OF with files or options of its own"));
    };
    let (name, template) = (&*s.name.value, &*template.value);
    let slot = cx.instance().databases().slot(template);
    if slot.is_some_and(|slot| slot.entry.id.0 <= 4) {
        return Err(unsupported("CREATE DATABASE … AS CLONE OF a system database"));
    }
    let (data_dir, log_dir) = (cx.instance().default_data_dir(), cx.instance().default_log_dir());
    let places = |logs: usize| {
        let mut all = vec![paths::default_file(data_dir, name, "mdf")?];
        for n in 1..=logs {
            let log = if n == 1 { format!("{name}_log") } else { format!("{name}_log{n}") };
            all.push(paths::default_file(log_dir, &log, "ldf")?);
        }
        Ok(all)
    };
    let in_use = |id: DatabaseId| !users_of(cx, id.0, false).is_empty();
    let going_on = || cx.session.check_cancel();
    let databases = cx.instance().databases();
    databases.clone_database(name, template, &places, &in_use, &going_on)?;
    let made = databases.get(name)?.id;
    cx.instance().adopt_databases();
    super::database::own(cx, made)
}

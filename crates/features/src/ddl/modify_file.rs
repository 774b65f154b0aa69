//! ALTER DATABASE … MODIFY FILE.

use super::database::{check_growth, growth_of};
use super::sql;
use crate::catalog::fold;
use crate::catalog::registry::FileChange;
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::{Event, EventRing, Whose};
use taffrail_storage::{FileInfo, FileKind, Growth, LOG_FILE_BYTES_MAX, StorageError};
use taffrail_syntax::ast;

/// `MODIFY FILE`: a logical name with SIZE, MAXSIZE, FILEGROWTH, NEWNAME.
pub(super) fn modify_file(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    spec: &ast::FileSpec,
) -> SqlResult<()> {
    let Some(name) = &spec.name else {
        return Err(SqlError::new(5036, &[]));
    };
    if spec.filename.is_some() {
        return Err(unsupported("MODIFY FILE with FILENAME"));
    }
    if spec.offline {
        return Err(unsupported("MODIFY FILE with OFFLINE"));
    }
    let files = database.storage.files();
    let key = fold(&name.value);
    let Some(file) = files.iter().find(|f| fold(&f.name) == key) else {
        return Err(SqlError::new(5041, &[&name.value]));
    };
    if let Some(new) = &spec.new_name
        && files.iter().any(|f| fold(&f.name) == fold(&new.value))
    {
        return Err(SqlError::new(1828, &[&new.value]));
    }
    if spec.size.is_none()
        && spec.max_size.is_none()
        && spec.growth.is_none()
        && spec.new_name.is_none()
    {
        return Err(SqlError::new(5038, &[&file.name]));
    }
    let is_log = file.kind == FileKind::Log;
    let max_size = match spec.max_size {
        None => None,
        Some(ast::MaxFileSize::Unlimited) => Some(is_log.then_some(LOG_FILE_BYTES_MAX)),
        Some(ast::MaxFileSize::Size(max)) => Some(Some(max.bytes())),
    };
    let limit = max_size.unwrap_or(file.max_size);
    let size = spec.size.map(|s| s.bytes());
    if let Some(size) = size {
        if size <= file.size {
            return Err(SqlError::new(5039, &[]));
        }
        if is_log && size > LOG_FILE_BYTES_MAX {
            return Err(SqlError::new(5150, &[]));
        }
        if let Some(limit) = limit
            && size > limit
        {
            let (size, limit) = (size >> 10, limit >> 10);
            return Err(SqlError::new(5040, &[&database.name, &file.id, &size, &limit]));
        }
    } else if limit.is_some_and(|limit| limit < file.size) {
        return Err(SqlError::new(5103, &[&file.name]));
    }
    let growth = spec.growth.map(growth_of);
    if let Some(growth) = growth {
        check_growth(&file.name, growth, limit)?;
    }
    if growth.is_some() || max_size.is_some() || spec.new_name.is_some() {
        let new_name = spec.new_name.as_ref().map(|n| &*n.value);
        alter_file(database, file, new_name, growth, max_size)?;
        let change = FileChange { name: new_name, growth, max_size, size: None };
        configure(cx, database, file, change)?;
        if let Some(new) = new_name {
            cx.message(SqlError::new(5021, &[&"file", &new]))?;
        }
    }
    match size {
        Some(size) => {
            let size = size.next_multiple_of(8192);
            let grown = grow_file(database, file, size);
            if grown.is_ok() {
                let change = FileChange { size: Some(size), ..FileChange::default() };
                configure(cx, database, file, change)?;
            }
            if let Err(e) = &grown
                && e.number == 5149
            {
                // What the system refused is for whoever looks after the disk, too.
                let text = e.message.to_string();
                let database = Whose::new(database.id, &database.name);
                EventRing::global().push(Event::BackgroundError { database, text });
            }
            grown
        }
        None => Ok(()),
    }
}

/// Of tempdb, which is made anew at every start, master keeps what was said of its files.
fn configure(
    cx: &StatementContext<'_>,
    database: &Database,
    file: &FileInfo,
    change: FileChange<'_>,
) -> SqlResult<()> {
    match database.storage.is_temporary() {
        true => cx.instance().databases().configure_tempdb(file.id, change),
        false => Ok(()),
    }
}

fn alter_file(
    database: &Arc<Database>,
    file: &FileInfo,
    name: Option<&str>,
    growth: Option<Growth>,
    max_size: Option<Option<u64>>,
) -> SqlResult<()> {
    if file.kind == FileKind::Rows {
        return database.storage.alter_data_file(file.id, name, growth, max_size).map_err(sql);
    }
    if growth.is_some() || max_size.is_some() {
        let at = log_file(database, file)?;
        let growth = match growth.unwrap_or(file.growth) {
            Growth::None => taffrail_log::Growth::None,
            Growth::Bytes(by) => taffrail_log::Growth::Bytes(by),
            Growth::Percent(n) => taffrail_log::Growth::Percent(n),
        };
        let max_size = max_size.unwrap_or(file.max_size).unwrap_or(LOG_FILE_BYTES_MAX);
        let log = database.storage.log();
        log.set_file_options(at, growth, max_size).map_err(|e| log_error(database, file, e))?;
    }
    match name {
        Some(name) => database.storage.rename_log_file(file.id, name).map_err(sql),
        None => Ok(()),
    }
}

/// A log file's place among the log's files.
fn log_file(database: &Database, file: &FileInfo) -> SqlResult<usize> {
    let at = database.storage.log_file_number(file.id);
    at.ok_or_else(|| SqlError::new(5041, &[&file.name]))
}

fn log_error(database: &Database, file: &FileInfo, e: taffrail_log::LogError) -> Box<SqlError> {
    match e {
        taffrail_log::LogError::Io(io) => {
            SqlError::new(5149, &[&io.system_error(), &file.path.display()]).with_state(3)
        }
        taffrail_log::LogError::Unavailable => SqlError::new(9001, &[&database.name]),
        taffrail_log::LogError::Cancelled => taffrail_base::message::cancelled(),
        other => SqlError::new(5149, &[&other, &file.path.display()]),
    }
}

fn grow_file(database: &Arc<Database>, file: &FileInfo, to: u64) -> SqlResult<()> {
    if file.kind == FileKind::Log {
        let at = log_file(database, file)?;
        let grown = database.storage.grow_log_file(at, to);
        return grown.map_err(|e| log_error(database, file, e));
    }
    let grown = database.storage.grow_data_file(file.id, to);
    grown.map_err(|e| match e {
        StorageError::Io(io) => {
            SqlError::new(5149, &[&io.source.system_error(), &file.path.display()]).with_state(3)
        }
        other => sql(other),
    })
}

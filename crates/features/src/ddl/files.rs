//! ALTER DATABASE … ADD LOG FILE, REMOVE FILE.

use super::database::file_spec;
use super::sql;
use crate::catalog::fold;
use crate::catalog::registry::{DEFAULT_SIZE, FileDefaults};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::FileKind;
use taffrail_syntax::ast;

/// What ADD LOG FILE makes where nothing is said: what SQL Server takes.
const DEFAULT_LOG: FileDefaults = FileDefaults::described(DEFAULT_SIZE);

/// `ADD LOG FILE (…), (…)`: one after the other; those before one that fails stay.
pub(super) fn add_log_files(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    specs: &[ast::FileSpec],
) -> SqlResult<()> {
    if database.storage.is_temporary() {
        return Err(unsupported("ADD LOG FILE to tempdb"));
    }
    let mut wanted = Vec::new();
    for spec in specs {
        let Some(name) = &spec.name else {
            return Err(SqlError::new(153, &[&"NAME", &"ALTER DATABASE"]));
        };
        let name = name.value.to_string();
        let log_dir = cx.instance().default_log_dir();
        let place = {
            let name = name.clone();
            move || crate::paths::default_file(log_dir, &name, "ldf")
        };
        let file = file_spec(cx, spec, name, place, DEFAULT_LOG, true)?;
        let used = database.storage.files().into_iter().map(|f| f.name);
        let mut used =
            used.chain(wanted.iter().map(|f: &taffrail_storage::DataFileSpec| f.name.clone()));
        if used.any(|n| fold(&n) == fold(&file.name)) {
            return Err(SqlError::new(1828, &[&file.name]));
        }
        wanted.push(file);
    }
    for file in wanted {
        database.storage.add_log_file(&file).map_err(sql)?;
    }
    Ok(())
}

/// `REMOVE FILE name`.
pub(super) fn remove_file(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    name: &ast::Ident,
) -> SqlResult<()> {
    let files = database.storage.files();
    let key = fold(&name.value);
    let Some(file) = files.iter().find(|f| fold(&f.name) == key) else {
        return Err(SqlError::new(5009, &[]));
    };
    let first_log = files.iter().find(|f| f.kind == FileKind::Log).map(|f| f.id);
    if file.kind == FileKind::Rows || Some(file.id) == first_log {
        return Err(SqlError::new(5020, &[]));
    }
    if !database.storage.remove_log_file(file.id).map_err(sql)? {
        return Err(SqlError::new(5042, &[&"file", &file.name]));
    }
    crate::results::print(cx, &format!("The file '{}' has been removed.", file.name))
}

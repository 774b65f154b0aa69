//! `taffrail.log_changes(from, to, table, backup …)`: the committed changes of rows that the log holds. See [`crate::explain`].

use super::{Declaration, SCHEMA, ViewContext};
use crate::catalog::Sight;
use crate::explain::{Change, Range, Scan, Shown, Source, local, table_of};
use crate::features::needs;
use crate::paths::backup_path;
use crate::views::fn_dblog::text;
use crate::views::{RowStream, streamed};
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_types::Value;

/// LSNs, table; and up to 64 files.
const ARGUMENTS: (usize, usize) = (3, 67);

const COLUMNS: &[&str] = &[
    "lsn nvarchar(23)! · operation nvarchar(20)! · schema_name sysname? · table_name sysname? · object_id int!",
    "key_columns nvarchar(max)?",
    "before nvarchar(max)?",
    "after nvarchar(max)?",
    "changed_columns nvarchar(max)?",
    "note nvarchar(4000)?",
    "transaction_id nvarchar(14)!",
    "xact_id bigint?",
    "transaction_name nvarchar(33)?",
    "session_id int?",
    "begin_time datetime2(7)?",
    "commit_time datetime2(7)!",
    "commit_lsn nvarchar(23)!",
];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let found = streamed("log_changes", needs::DB_OWNER, ARGUMENTS, COLUMNS, open);
    views.push(Declaration { schema: SCHEMA, ..found });
}

/// An argument that is text, or NULL. 8114: it is something else.
fn text_of(v: &Value) -> SqlResult<Option<String>> {
    if v.is_null() {
        return Ok(None);
    }
    let text = v.as_text();
    text.map(Some).ok_or_else(|| SqlError::new(8114, &[&kind(v), &"nvarchar"]))
}

/// What type of value an argument is.
pub(super) fn kind(v: &Value) -> &'static str {
    match v {
        Value::Bit(_) => "bit",
        Value::TinyInt(_) => "tinyint",
        Value::SmallInt(_) => "smallint",
        Value::Int(_) => "int",
        Value::BigInt(_) => "bigint",
        Value::Decimal(_) => "numeric",
        Value::Real(_) => "real",
        Value::Float(_) => "float",
        Value::Money(_) => "money",
        Value::Binary(_) => "varbinary",
        Value::VarChar(_) => "varchar",
        Value::NVarChar(_) => "nvarchar",
        Value::Variant(_) => "sql_variant",
        _ => "datetime2",
    }
}

/// The table of an argument; none: all of them. 208 if there is none of the name.
pub(super) fn object(cx: &ViewContext<'_>, name: Option<&Value>) -> SqlResult<Option<ObjectId>> {
    let Some(name) = name.map(text_of).transpose()?.flatten() else { return Ok(None) };
    let sight = Sight { session: cx.session.id, dirty: true };
    match table_of(&cx.database.catalog, &name, sight) {
        Some(table) => Ok(Some(table.id())),
        None => Err(SqlError::new(208, &[&name])),
    }
}

/// The log that the arguments name: of these backups and what follows them, or of the database's files.
pub(super) fn source(cx: &ViewContext<'_>, files: &[Value]) -> SqlResult<Arc<Source>> {
    let env = &cx.session.instance.options().env;
    let names: SqlResult<Vec<Option<String>>> = files.iter().map(text_of).collect();
    let names: Vec<String> = names?.into_iter().flatten().collect();
    if names.is_empty() {
        return Source::of_files(cx.database, env).map(Arc::new);
    }
    let mut files = Vec::new();
    for name in names {
        let path = backup_path(&cx.session.instance, &name);
        let path = path.map_err(|refusal| refusal.backup(&name))?;
        if cx.session.instance.databases().owner_of(&path).is_some() {
            return Err(SqlError::new(3201, &[&name, &crate::media::IN_USE]));
        }
        files.push((name, path));
    }
    Source::of_backups(cx.database, env, files).map(Arc::new)
}

struct Changes {
    scan: Scan,
    wanted: Vec<usize>,
}

fn open(
    cx: &ViewContext<'_>,
    arguments: &[Value],
    wanted: &[usize],
) -> SqlResult<Box<dyn RowStream>> {
    for bound in &arguments[..2] {
        text_of(bound)?;
    }
    let first = crate::views::fn_dblog::bound(arguments.first())?;
    let last = crate::views::fn_dblog::bound(arguments.get(1))?;
    let object = object(cx, arguments.get(2))?;
    let source = source(cx, arguments.get(3..).unwrap_or(&[]))?;
    let scan = Scan::open(source, Range { first, last, object, txn: None })?;
    Ok(Box::new(Changes { scan, wanted: wanted.to_vec() }))
}

impl RowStream for Changes {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        let Some(mut change) = self.scan.next()? else { return Ok(false) };
        let shown = match self.wanted.iter().any(|c| (5..10).contains(c)) {
            true => Shown::of(&self.scan.source, &mut change)?,
            false => Shown::default(),
        };
        for (cell, column) in cells.iter_mut().zip(&self.wanted) {
            *cell = value(*column, &change, &shown);
        }
        Ok(true)
    }
}

fn value(column: usize, c: &Change, shown: &Shown) -> Value {
    let maybe = |t: Option<&str>| t.map_or(Value::Null, text::text);
    let begin = c.begin.as_deref();
    match column {
        0 => text::lsn(c.lsn),
        1 => text::text(c.kind.name()),
        2 => maybe(c.owner.name.as_ref().map(|n| &*n.0)),
        3 => maybe(c.owner.name.as_ref().map(|n| &*n.1)),
        4 => Value::Int(c.owner.object.0),
        5 => maybe(shown.key.as_deref()),
        6 => maybe(shown.before.as_deref()),
        7 => maybe(shown.after.as_deref()),
        8 => maybe(shown.changed.as_deref()),
        9 => maybe(c.note.as_deref()),
        10 => text::transaction(c.txn),
        11 => begin.and_then(|b| b.number).map_or(Value::Null, |n| Value::BigInt(n as i64)),
        12 => begin.map_or(Value::Null, |b| text::text_up_to(&b.name, 33)),
        13 => {
            begin.filter(|b| b.session != 0).map_or(Value::Null, |b| Value::Int(b.session.into()))
        }
        14 => begin.map_or(Value::Null, |b| local(b.time)),
        15 => local(c.commit.1),
        _ => text::lsn(c.commit.0),
    }
}

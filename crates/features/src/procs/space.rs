//! Sizes: sp_spaceused, sp_helpdb, sp_helpfile, sp_databases.

use super::Arguments;
use crate::database::Database;
use crate::names::{check_database, table_by_text};
use crate::results::as_varchar;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{HobtId, SqlError, SqlResult};
use taffrail_storage::{FileInfo, FileKind, Growth};
use taffrail_types::{MaxLen, SqlType, Value};

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));
const SIZE: SqlType = SqlType::VarChar(MaxLen::N(18));

fn kb(pages: u64) -> String {
    format!("{} KB", pages * 8)
}

fn mb(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / (1 << 20) as f64)
}

/// Pages of tables.
#[derive(Default)]
struct Pages {
    reserved: u64,
    used: u64,
    /// In heaps and clustered indexes.
    data: u64,
}

impl Pages {
    fn add(&mut self, database: &Arc<Database>, hobt: HobtId, is_base: bool) -> SqlResult<()> {
        let s = database.storage.space_used(hobt).map_err(|e| e.to_sql())?;
        self.reserved += s.reserved_pages;
        self.used += s.used_pages;
        if is_base {
            self.data += s.used_pages.saturating_sub(s.iam_pages);
        }
        Ok(())
    }

    /// reserved, data, index_size, unused.
    fn shares(&self) -> [String; 4] {
        let index = self.used.saturating_sub(self.data);
        let unused = self.reserved.saturating_sub(self.used);
        [kb(self.reserved), kb(self.data), kb(index), kb(unused)]
    }
}

/// `xp_fixeddrives`: the file system of the data directory, as `C`, the drive that stands for it.
pub(super) fn fixed_drives(cx: &mut StatementContext<'_>, _: &Arguments<'_>) -> SqlResult<i32> {
    let dir = cx.instance().databases().data_dir().to_path_buf();
    let space = cx.instance().options().env.disk.space(&dir).map_err(|e| {
        // 823's text, but nothing of a database is at stake.
        let zero = "0x0000000000000000";
        SqlError::new(823, &[&e, &"statvfs", &zero, &dir.display()]).with_severity(16)
    })?;
    let columns = [("drive", SqlType::Char(1), true), ("MB free", SqlType::Int, true)];
    send(cx, &columns, vec![row!["C", space.available >> 20]])?;
    Ok(0)
}

/// `sp_spaceused`.
pub(super) fn spaceused(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    if let Some(name) = args.text(0) {
        return object_space(cx, &name);
    }
    let database = cx.database();
    let files = database.storage.files();
    let total: u64 = files.iter().map(|f| f.size).sum();
    let free: u64 = files
        .iter()
        .filter(|f| f.kind == FileKind::Rows)
        .map(|f| f.size.saturating_sub(f.used))
        .sum();
    let mut sum = Pages::default();
    for hobt in database.storage.hobts().map_err(|e| e.to_sql())? {
        let base = database.storage.hobt(hobt).map_err(|e| e.to_sql())?.index().0 <= 1;
        sum.add(&database, hobt, base)?;
    }
    let shares = sum.shares();
    let head = [
        ("database_name", NAME, true),
        ("database_size", SIZE, true),
        ("unallocated space", SIZE, true),
    ];
    let tail = [
        ("reserved", SIZE, true),
        ("data", SIZE, true),
        ("index_size", SIZE, true),
        ("unused", SIZE, true),
    ];
    let first = row![&database.name, mb(total), mb(free)];
    let second: Vec<Value> = shares.iter().map(|s| Value::nvarchar(s)).collect();
    if args.flag(3) {
        let columns: Vec<_> = head.into_iter().chain(tail).collect();
        let row = first.into_iter().chain(second).collect();
        send(cx, &columns, vec![row])?;
    } else {
        send(cx, &head, vec![first])?;
        send(cx, &tail, vec![second])?;
    }
    Ok(0)
}

fn object_space(cx: &mut StatementContext<'_>, name: &str) -> SqlResult<i32> {
    let current = cx.database();
    check_database(cx, name)?;
    let found = table_by_text(cx, name)?;
    let missing = || SqlError::new(15009, &[&name, &current.name]);
    let found = found.filter(|(home, _)| home.id == current.id);
    let (database, table) = found.ok_or_else(missing)?;
    let mut sum = Pages::default();
    for index in &table.indexes {
        sum.add(&database, index.hobt_id, index.id.0 <= 1)?;
    }
    let [reserved, data, index, unused] = sum.shares();
    let rows = format!("{:<20}", table.row_count());
    let columns = [
        ("name", NAME, false),
        ("rows", SqlType::Char(20), true),
        ("reserved", SIZE, true),
        ("data", SIZE, true),
        ("index_size", SIZE, true),
        ("unused", SIZE, true),
    ];
    // Ids are unique within a database only: a name of the session counts for tables of tempdb alone.
    let temporary = |id| cx.session.temp_tables().find(|t| t.object_id == id);
    let shown = temporary(table.head.id).filter(|_| database.id.0 == 2);
    let shown = shown.map_or_else(|| table.name().to_string(), |t| t.name.clone());
    send(cx, &columns, vec![row![shown, rows, reserved, data, index, unused]])?;
    Ok(0)
}

fn file_cells(f: &FileInfo) -> Vec<Value> {
    let is_log = f.kind == FileKind::Log;
    let max = f.max_size.map_or_else(|| "Unlimited".to_string(), |m| format!("{} KB", m >> 10));
    let growth = match f.growth {
        Growth::None => "0 KB".to_string(),
        Growth::Bytes(by) => format!("{} KB", by >> 10),
        Growth::Percent(n) => format!("{n}%"),
    };
    row![
        &f.name,
        f.id.0,
        f.path.to_string_lossy().into_owned(),
        (!is_log).then_some("PRIMARY"),
        format!("{} KB", f.size >> 10),
        max,
        growth,
        if is_log { "log only" } else { "data only" }
    ]
}

const N18: SqlType = SqlType::NVarChar(MaxLen::N(18));

fn file_columns(name: SqlType) -> [(&'static str, SqlType, bool); 8] {
    [
        ("name", name, false),
        ("fileid", SqlType::SmallInt, true),
        ("filename", SqlType::NChar(260), true),
        ("filegroup", NAME, true),
        ("size", N18, true),
        ("maxsize", N18, true),
        ("growth", N18, true),
        ("usage", SqlType::VarChar(MaxLen::N(9)), true),
    ]
}

/// `sp_helpfile`.
pub(super) fn helpfile(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let wanted = args.text(0).map(|n| crate::catalog::fold(&n));
    let files = cx.database().storage.files();
    let fits = |f: &&FileInfo| wanted.as_ref().is_none_or(|w| *w == crate::catalog::fold(&f.name));
    let rows: Vec<_> = files.iter().filter(fits).map(file_cells).collect();
    if rows.is_empty() {
        return Err(SqlError::new(15325, &[&"file", &args.text(0).unwrap_or_default()]));
    }
    send(cx, &file_columns(NAME), rows)?;
    Ok(0)
}

/// `sp_helpdb`.
pub(super) fn helpdb(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let wanted = args.text(0);
    let slots = cx.instance().databases().list();
    let key = wanted.as_deref().map(crate::catalog::fold);
    let seen = cx.session.databases_seen();
    let slots: Vec<_> = slots
        .into_iter()
        .filter(|s| seen.database(&s.entry))
        .filter(|s| key.as_ref().is_none_or(|k| *k == crate::catalog::fold(&s.entry.name)))
        .collect();
    if let (true, Some(name)) = (slots.is_empty(), &wanted) {
        return Err(SqlError::new(15010, &[name]));
    }
    let mut rows = Vec::new();
    let mut files: Vec<FileInfo> = Vec::new();
    for slot in &slots {
        let e = &slot.entry;
        let open: Option<&Arc<Database>> = slot.database.as_ref();
        let size: Option<u64> = open.map(|d| d.storage.files().iter().map(|f| f.size).sum());
        files = open.map_or_else(Vec::new, |d| d.storage.files());
        let created = as_varchar(&e.created, SqlType::DateTime, Some(109))?;
        let created: String = created.chars().take(11).collect();
        let status = match open {
            Some(d) => {
                let o = d.storage.options();
                let access = match o.engine_flags {
                    f if f & crate::catalog::registry::FLAG_SINGLE_USER != 0 => "SINGLE_USER",
                    f if f & crate::catalog::registry::FLAG_RESTRICTED_USER != 0 => {
                        "RESTRICTED_USER"
                    }
                    _ => "MULTI_USER",
                };
                let recovery = format!("{:?}", o.recovery_model).to_uppercase();
                format!(
                    "Status=ONLINE, Updateability=READ_WRITE, UserAccess={access}, Recovery={recovery}, \
                        Version=957, Collation={}, SQLSortOrder={}, IsAutoCreateStatistics, IsAutoUpdateStatistics",
                    d.collation().name(),
                    d.collation().sort_order()
                )
            }
            None => "Status=OFFLINE".to_string(),
        };
        rows.push(row![
            &e.name,
            size.map(|s| format!("{:>13}", mb(s))),
            "sa",
            e.id.0,
            created,
            status,
            e.compatibility_level
        ]);
    }
    let columns = [
        ("name", NAME, true),
        ("db_size", SqlType::NVarChar(MaxLen::N(13)), true),
        ("owner", NAME, true),
        ("dbid", SqlType::SmallInt, true),
        ("created", SqlType::NVarChar(MaxLen::N(11)), true),
        ("status", SqlType::NVarChar(MaxLen::N(600)), true),
        ("compatibility_level", SqlType::TinyInt, true),
    ];
    send(cx, &columns, rows)?;
    if wanted.is_some() {
        let rows = files.iter().map(file_cells).collect();
        send(cx, &file_columns(SqlType::NChar(128)), rows)?;
    }
    Ok(0)
}

/// `sp_databases`.
pub(super) fn databases(cx: &mut StatementContext<'_>, _: &Arguments<'_>) -> SqlResult<i32> {
    let (list, seen) = (cx.instance().databases().list(), cx.session.databases_seen());
    let shown = list.iter().filter(|slot| seen.database(&slot.entry));
    let mut all: Vec<_> = shown.filter_map(|slot| slot.database.as_ref()).collect();
    all.sort_by_cached_key(|d| crate::catalog::fold(&d.name));
    let mut rows = Vec::new();
    for d in all {
        let size: u64 = d.storage.files().iter().map(|f| f.size).sum();
        rows.push(row![&d.name, size >> 10, ()]);
    }
    let columns = [
        ("DATABASE_NAME", NAME, true),
        ("DATABASE_SIZE", SqlType::Int, true),
        ("REMARKS", SqlType::VarChar(MaxLen::N(254)), true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

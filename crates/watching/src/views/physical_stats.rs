//! sys.dm_db_index_physical_stats ( database_id, object_id, index_id, partition_number, mode ).
//!
//! | mode | read | rows |
//! |---|---|---|
//! | LIMITED (default) | pages above the leaves; of a heap, allocation maps | one per index; what is on the pages is NULL |
//! | SAMPLED | leaves too: all of them, so that nothing is an estimate | one per index |
//! | DETAILED | everything | one per level |
//!
//! NULL, 0 and DEFAULT stand for all databases, objects and partitions; NULL and -1 for all indexes (0 is the heap). Large values lie
//! among the pages of their heap or tree and are not told of. Fragmentation: of a tree, the share of pages that are not followed, in the
//! order of keys, by the level's next page on disk; of a heap, of extents that are not followed by the one that comes next on disk.

use super::{Declaration, Rows, ViewContext, function};
use crate::catalog::{Index, IndexKind, Table};
use crate::features::needs::{self, Needs, OnDatabase, OnServer};
use crate::row;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::StorageError;
use taffrail_storage::access::stats::{IndexStats, LevelStats, StatsMode};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(function(
        "dm_db_index_physical_stats",
        needs::PHYSICAL_STATS,
        5,
        &[
            "database_id smallint?",
            "object_id int?",
            "index_id int?",
            "partition_number int?",
            "index_type_desc nvarchar(60)?",
            "alloc_unit_type_desc nvarchar(60)?",
            "index_depth tinyint?",
            "index_level tinyint?",
            "avg_fragmentation_in_percent float?",
            "fragment_count bigint?",
            "avg_fragment_size_in_pages float?",
            "page_count bigint?",
            "avg_page_space_used_in_percent float?",
            "record_count bigint?",
            "ghost_record_count bigint?",
            "version_ghost_record_count bigint?",
            "min_record_size_in_bytes int?",
            "max_record_size_in_bytes int?",
            "avg_record_size_in_bytes float?",
            "forwarded_record_count bigint?",
            "compressed_page_count bigint?",
            "hobt_id bigint?",
            "columnstore_delete_buffer_state tinyint?",
            "columnstore_delete_buffer_state_desc nvarchar(60)?",
        ],
        physical_stats,
    ));
}

/// An argument's number; none: the argument stands for all.
fn chosen(args: &[Value], at: usize, all: i64) -> Option<i64> {
    args.get(at).and_then(Value::as_i64).filter(|n| *n != all)
}

fn mode(args: &[Value]) -> SqlResult<StatsMode> {
    let text = args.get(4).and_then(Value::as_text).map(|t| t.trim().to_ascii_uppercase());
    Ok(match text.as_deref() {
        None | Some("" | "LIMITED" | "DEFAULT" | "NULL") => StatsMode::Limited,
        Some("SAMPLED") => StatsMode::Sampled,
        Some("DETAILED") => StatsMode::Detailed,
        Some(_) => return Err(SqlError::new(2561, &[&5])),
    })
}

/// The state of a database, or of the server.
const STATE_SEEN: Needs = Needs::Any(&[
    Needs::Database(OnDatabase::ViewDatabaseState),
    Needs::Database(OnDatabase::ViewDatabasePerformanceState),
    Needs::Server(OnServer::ViewServerState),
    Needs::Server(OnServer::ViewServerPerformanceState),
]);

fn physical_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let mode = mode(args)?;
    for_each(cx, args, &mut |here, table, index| one(here, table, index, mode, rows))
}

/// Calls `f` with each index that the first four arguments (database, object, index, partition) choose and that may be seen: 262.
pub(super) fn for_each(
    cx: &ViewContext<'_>,
    args: &[Value],
    f: &mut dyn FnMut(&ViewContext<'_>, &Table, &Index) -> SqlResult<()>,
) -> SqlResult<()> {
    if chosen(args, 3, 0).is_some_and(|partition| partition != 1) {
        return Ok(());
    }
    let databases = cx.session.instance.databases();
    let databases = match chosen(args, 0, 0) {
        Some(id) => {
            let id = u16::try_from(id).ok().map(DatabaseId);
            id.and_then(|id| databases.by_id(id)).into_iter().collect::<Vec<_>>()
        }
        None => databases.open(),
    };
    let (object, index_id) = (chosen(args, 1, 0), chosen(args, 2, -1));
    for database in &databases {
        let here = ViewContext { session: cx.session, database, dirty: cx.dirty, scope: None };
        let whole = cx.session.holds_in(database, &STATE_SEEN);
        if !whole && object.is_none() {
            let missing = "VIEW DATABASE PERFORMANCE STATE";
            let e = SqlError::new(262, &[&missing, &database.name]);
            return Err(e.with_severity(14));
        }
        for table in here.tables().into_iter().chain(here.indexed_views()) {
            if !whole && !cx.session.controls(database, &table.head) {
                continue;
            }
            if object.is_some_and(|id| id != i64::from(table.head.id.0)) {
                continue;
            }
            for index in &table.indexes {
                if index_id.is_none_or(|id| id == i64::from(index.id.0)) {
                    f(&here, &table, index)?;
                }
            }
        }
    }
    Ok(())
}

fn one(
    cx: &ViewContext<'_>,
    table: &Table,
    index: &Index,
    mode: StatsMode,
    rows: &mut Rows,
) -> SqlResult<()> {
    let storage = &cx.database.storage;
    let mut give_up = || cx.session.check_cancel().is_err();
    let stats = match storage.physical_stats(index.hobt_id, mode, &mut give_up) {
        Ok(stats) => stats,
        // Dropped since the catalogue was looked at.
        Err(StorageError::NoSuchHobt(_)) => return Ok(()),
        Err(e) => return Err(e.to_sql()),
    };
    if stats.levels.is_empty() {
        return level(cx, table, index, mode, &stats, &LevelStats::default(), rows);
    }
    stats.levels.iter().try_for_each(|l| level(cx, table, index, mode, &stats, l, rows))
}

fn level(
    cx: &ViewContext<'_>,
    table: &Table,
    index: &Index,
    mode: StatsMode,
    stats: &IndexStats,
    l: &LevelStats,
    rows: &mut Rows,
) -> SqlResult<()> {
    let (kind, heap) = match index.kind {
        IndexKind::Heap => ("HEAP", true),
        IndexKind::Clustered => ("CLUSTERED INDEX", false),
        IndexKind::Nonclustered => ("NONCLUSTERED INDEX", false),
    };
    let share = |part: u64, of: u64| if of == 0 { 0.0 } else { part as f64 / of as f64 };
    let content = match mode {
        StatsMode::Limited => None,
        _ => Some(l.content.unwrap_or_default()),
    };
    let c = content.as_ref();
    rows.push(row![
        cx.database.id.0,
        table.head.id.0,
        index.id.0,
        1,
        kind,
        "IN_ROW_DATA",
        stats.depth,
        l.level,
        share(l.stray, l.steps) * 100.0,
        l.fragments,
        share(l.pages, l.fragments),
        l.pages,
        c.map(|c| share(c.used, c.room) * 100.0),
        c.map(|c| c.records),
        c.map(|c| c.ghosts),
        c.map(|_| 0),
        c.map(|c| c.shortest),
        c.map(|c| c.longest),
        c.map(|c| share(c.bytes, c.records)),
        c.filter(|_| heap).map(|c| c.forwarded),
        c.map(|_| 0),
        index.hobt_id.0,
        0,
        "NOT APPLICABLE"
    ]);
    Ok(())
}

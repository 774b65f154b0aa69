//! sys.dm_db_index_usage_stats: the times that statements have used indexes since their databases were opened.

use super::dm_exec::moment;
use super::{Declaration, Rows, ViewContext, by_column};
use crate::catalog::Sight;
use crate::catalog::usage::{IndexUsage, IndexUse};
use crate::features::cell::{Column, Columns};
use crate::features::needs;
use std::sync::Arc;
use taffrail_base::{IndexId, ObjectId, SqlResult};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let needs = needs::SERVER_PERFORMANCE;
    views.push(by_column("dm_db_index_usage_stats", needs, COLUMNS, usage_stats));
}

/// An index that has been used.
struct Used {
    database: u16,
    table: ObjectId,
    index: IndexId,
    usage: Arc<IndexUsage>,
    /// When it was used last, by the way of its use.
    last: [Value; 4],
}

impl Used {
    fn count(&self, way: IndexUse) -> Value {
        Value::BigInt(self.usage.of(way).0 as i64)
    }
}

fn none(_: &Used) -> Value {
    Value::BigInt(0)
}

const USER: &[Column<Used>] = &[
    ("user_seeks bigint!", |u| u.count(IndexUse::Seek)),
    ("user_scans bigint!", |u| u.count(IndexUse::Scan)),
    ("user_lookups bigint!", |u| u.count(IndexUse::Lookup)),
    ("user_updates bigint!", |u| u.count(IndexUse::Update)),
    ("last_user_seek datetime?", |u| u.last[0].clone()),
    ("last_user_scan datetime?", |u| u.last[1].clone()),
    ("last_user_lookup datetime?", |u| u.last[2].clone()),
    ("last_user_update datetime?", |u| u.last[3].clone()),
];

// The server reads no index of a user's for itself, but for checks and rebuilds, which are statements and count as none.
const SYSTEM: &[Column<Used>] = &[
    ("system_seeks bigint!", none),
    ("system_scans bigint!", none),
    ("system_lookups bigint!", none),
    ("system_updates bigint!", none),
    ("last_system_seek datetime?", |_| Value::Null),
    ("last_system_scan datetime?", |_| Value::Null),
    ("last_system_lookup datetime?", |_| Value::Null),
    ("last_system_update datetime?", |_| Value::Null),
];

const COLUMNS: Columns<Used> = &[
    &[
        ("database_id smallint!", |u| Value::SmallInt(u.database as i16)),
        ("object_id int!", |u| Value::Int(u.table.0)),
        ("index_id int!", |u| Value::Int(u.index.0)),
    ],
    USER,
    SYSTEM,
];

fn usage_stats(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for slot in cx.session.instance.databases().list() {
        let Some(database) = &slot.database else { continue };
        let catalog = &database.catalog;
        for (table, index, usage) in catalog.usage().list() {
            let is_there = |sight: Sight| {
                let found = catalog.table(table, sight);
                found.is_some_and(|t| t.indexes.iter().chain(&t.disabled).any(|i| i.id == index))
            };
            if !is_there(cx.session.id.into()) {
                // It was dropped with its table, or the transaction that made it was rolled back. DDL that is open may come to nothing.
                if !is_there(Sight::COMMITTED) && !is_there(Sight::EVERYTHING) {
                    catalog.usage().forget(table, index);
                }
                continue;
            }
            let last = IndexUse::ALL.map(|way| usage.of(way).1.and_then(|at| moment(cx, at)));
            // A plan counts when it runs.
            if last.iter().all(Option::is_none) {
                continue;
            }
            let last = last.map(Option::unwrap_or_default);
            rows.show(COLUMNS, &Used { database: database.id.0, table, index, usage, last });
        }
    }
    Ok(())
}

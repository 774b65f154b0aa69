//! The cursors of sessions: sys.dm_exec_cursors for all of them, and the views of the session's own behind sp_describe_cursor, its
//! relatives and sp_cursor_list.

use super::dm_exec::moment;
use super::taffrail::SCHEMA;
use super::{Declaration, Rows, ViewContext, by_column, sys};
use crate::exec::cursor::{CursorModel, CursorReference, CursorState, ShownCursor};
use crate::features::cell::{Columns, no, null};
use crate::features::needs;
use crate::plan::node::Node;
use crate::plan::sink::ColumnDesc;
use crate::plan::statement::Statement;
use crate::row;
use std::collections::HashMap;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_observe::Moment;
use taffrail_syntax::ast::{self, TableHintKind, TableRef};
use taffrail_types::type_facts::Types;
use taffrail_types::{Collation, SqlType, Value};

/// A cursor of a session, and its state when it was looked at.
struct SeenCursor {
    session: u16,
    cursor: Arc<ShownCursor>,
    state: CursorState,
    /// Where its statement begins and ends, in bytes of UTF-16.
    place: (i32, i32),
    generation: u64,
    created: Value,
}

const CURSORS: Columns<SeenCursor> = &[&[
    ("session_id int!", |c| Value::Int(c.session.into())),
    ("cursor_id int!", |c| Value::Int(c.cursor.id)),
    ("name nvarchar(256)?", |c| match &*c.cursor.name {
        "" => Value::Null,
        name => Value::nvarchar(name),
    }),
    ("properties nvarchar(256)!", |c| Value::nvarchar(&properties(&c.cursor))),
    ("sql_handle varbinary(64)?", |c| Value::binary(&c.cursor.module.sql_handle())),
    ("statement_start_offset int!", |c| Value::Int(c.place.0)),
    ("statement_end_offset int!", |c| Value::Int(c.place.1)),
    ("plan_generation_num bigint!", |c| Value::BigInt(c.generation as i64)),
    ("creation_time datetime!", |c| c.created.clone()),
    ("is_open bit!", |c| Value::Bit(c.state.is_open)),
    ("is_async_population bit!", no),
    ("is_close_on_commit bit!", |c| Value::Bit(c.cursor.closes_on_commit)),
    ("fetch_status int!", |c| Value::Int(c.state.fetch_status.unwrap_or(NO_FETCH))),
    ("fetch_buffer_size int!", |_| Value::Int(1)),
    ("fetch_buffer_start int!", |c| Value::BigInt(c.state.place)),
    ("ansi_position int!", |c| Value::Int((c.state.fetch_status == Some(0)).into())),
    ("worker_time bigint!", |c| Value::BigInt((c.state.worker_ns / 1000) as i64)),
    ("reads bigint!", |c| Value::BigInt(c.state.reads as i64)),
    ("writes bigint!", |c| Value::BigInt(c.state.writes as i64)),
    ("dormant_duration bigint!", |c| {
        Value::BigInt((Moment::now().since(c.state.began) / 1_000_000) as i64)
    }),
    ("statement_sql_handle varbinary(64)?", null),
    ("statement_context_id bigint?", null),
]];

const REFERENCES: &str = "reference_name sysname! · cursor_name sysname! · cursor_scope smallint! · nest_level int? · \
     status smallint! · model smallint! · concurrency smallint! · scrollable smallint! · open_status smallint! · \
     cursor_rows decimal(10,0)! · fetch_status smallint! · column_count smallint! · row_count decimal(10,0)! · \
     last_operation smallint! · cursor_handle int!";

const COLUMNS: &str = "cursor_handle int! · column_name sysname? · ordinal_position int! · \
     column_characteristics_flags int! · column_size int! · data_type_sql smallint! · column_precision tinyint! · \
     column_scale tinyint! · order_position int! · order_direction varchar(1)? · hidden_column smallint! · \
     columnid int! · objectid int! · dbid int! · dbname sysname?";

const TABLES: &str = "cursor_handle int! · table_owner sysname! · table_name sysname! · optimizer_hint smallint! · \
     lock_type smallint! · server_name sysname? · objectid int! · dbid int! · dbname sysname?";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let own = |name, columns: &'static [&'static str], make| Declaration {
        schema: SCHEMA,
        ..sys(name, needs::PUBLIC, columns, make)
    };
    views.extend([
        Declaration {
            arguments: Some((1, 1)),
            ..by_column("dm_exec_cursors", needs::SERVER_PERFORMANCE, CURSORS, all)
        },
        own("cursor_references", &[REFERENCES], references),
        own("cursor_columns", &[COLUMNS], columns),
        own("cursor_tables", &[TABLES], tables),
    ]);
}

/// `TSQL | Fast_Forward | Read Only | Global (0)`.
fn properties(c: &ShownCursor) -> String {
    let interface = if c.is_api { "API" } else { "TSQL" };
    let model = shown_model(c).word();
    let scope = if c.is_global { "Global" } else { "Local" };
    let concurrency = c.concurrency.words();
    format!("{interface} | {model} | {concurrency} | {scope} ({})", c.level)
}

/// The model of a cursor: one that had to copy its rows is told as static.
fn shown_model(c: &ShownCursor) -> CursorModel {
    match (c.is_copy, c.model) {
        (true, CursorModel::FastForward) => CursorModel::Static,
        (_, model) => model,
    }
}

/// `@@FETCH_STATUS` before the first FETCH, as views show it.
const NO_FETCH: i32 = -9;

fn all(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let wanted = super::integer(args, 0)?.unwrap_or(-1);
    for session in cx.session.instance.sessions() {
        if wanted != 0 && wanted != i64::from(session.id.0) {
            continue;
        }
        for c in session.cursors() {
            rows.show(CURSORS, &seen(cx, session.id.0, c));
        }
    }
    Ok(())
}

fn seen(cx: &ViewContext<'_>, session: u16, cursor: Arc<ShownCursor>) -> SeenCursor {
    let module = &cursor.module;
    let planned = module.planned();
    let place = planned.iter().find(|p| p.plan == cursor.plan).map_or((0, 0), |p| p.place);
    SeenCursor {
        session,
        state: cursor.state(),
        place: module.place(place.0, place.1),
        generation: module.shared.get(cursor.plan as usize).map_or(0, |v| v.kept().generation),
        created: moment(cx, cursor.created).unwrap_or_default(),
        cursor,
    }
}

/// The columns that the query of a cursor gives.
fn columns_of<'a>(r: &CursorReference<'a>) -> &'a [ColumnDesc] {
    match &r.query.kind {
        Statement::Select(q, _) => &q.plan.columns,
        _ => &[],
    }
}

fn references(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for r in cx.session.held.cursors.references() {
        let (c, state) = (r.shown, r.shown.state());
        rows.push(row![
            r.name,
            &*c.name,
            if r.level.is_some() { 1 } else { 2 },
            r.level.map(|l| l as i32),
            if state.is_open { state.open_status } else { -1 },
            shown_model(c).number(),
            c.concurrency.number(),
            c.is_scrollable as i32,
            state.is_open as i32,
            i64::from(state.rows),
            state.fetch_status.unwrap_or(NO_FETCH),
            columns_of(&r).len() as i32,
            state.row_count as i64,
            state.last_operation as i32,
            c.id
        ]);
    }
    Ok(())
}

/// The references of the session, each cursor once.
fn each_cursor<'a>(cx: &ViewContext<'a>) -> Vec<CursorReference<'a>> {
    let mut all = cx.session.held.cursors.references();
    all.dedup_by_key(|r| r.shown.id);
    all
}

/// A column of a table: its `column_id`, the table, and the database with its name.
type Base = (i32, ObjectId, i32, String);

/// For each column of a query the column of a table that it shows.
fn bases(r: &CursorReference<'_>) -> Vec<Option<Base>> {
    let Statement::Select(q, _) = &r.query.kind else { return Vec::new() };
    let mut by_slot = HashMap::new();
    q.plan.node.visit(&mut |n| {
        let Node::Scan(s) = n else { return };
        for (at, slot) in &s.columns {
            let database = (i32::from(s.database.id.0), s.database.name.to_string());
            by_slot
                .insert(*slot, (s.table.columns[*at].id, s.table.head.id, database.0, database.1));
        }
    });
    let shown = q.plan.outputs.iter().zip(&q.plan.columns);
    shown.map(|(slot, c)| by_slot.get(slot).filter(|_| !c.computed).cloned()).collect()
}

/// For each column of a query its place in ORDER BY, from 1, and whether the order is descending.
fn ordered(r: &CursorReference<'_>) -> Vec<Option<(i32, bool)>> {
    let columns = columns_of(r);
    let mut found = vec![None; columns.len()];
    for (n, item) in (1..).zip(r.select.query.order_by.iter()) {
        let at = match &item.expr.kind {
            ast::ExprKind::Column(c) => {
                let named = |d: &ColumnDesc| Collation::default().eq_str(&d.name, &c.name.value);
                columns.iter().position(named)
            }
            ast::ExprKind::Literal(ast::Literal::Int(n)) => usize::try_from(n - 1).ok(),
            _ => None,
        };
        if let Some(place) = at.and_then(|at| found.get_mut(at)) {
            place.get_or_insert((n, item.order == ast::SortOrder::Descending));
        }
    }
    found
}

fn columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for r in each_cursor(cx) {
        let (bases, ordered) = (bases(&r), ordered(&r));
        for (n, c) in columns_of(&r).iter().enumerate() {
            let types = Types::declared(c.declared(), c.user_type);
            let base = bases.get(n).cloned().flatten();
            let order = ordered.get(n).copied().flatten();
            rows.push(row![
                r.shown.id,
                (!c.name.is_empty()).then_some(&*c.name),
                n as i32,
                flags(c),
                i32::from(types.length),
                i32::from(types.system),
                i32::from(types.precision),
                i32::from(types.scale),
                order.map_or(0, |o| o.0),
                order.map(|o| if o.1 { "D" } else { "A" }),
                0,
                base.as_ref().map_or(-1, |b| b.0),
                base.as_ref().map_or(-1, |b| b.1.0),
                base.as_ref().map_or(-1, |b| b.2),
                base.map(|b| b.3)
            ]);
        }
    }
    Ok(())
}

/// `column_characteristics_flags`: fixed length, nullable, rowversion. None can be updated.
fn flags(c: &ColumnDesc) -> i32 {
    let varies = matches!(
        c.ty,
        SqlType::VarChar(_) | SqlType::NVarChar(_) | SqlType::VarBinary(_) | SqlType::Variant
    );
    let of = |is: bool, flag: i32| if is { flag } else { 0 };
    of(!varies, 2) | of(c.nullable, 4) | of(c.ty == SqlType::RowVersion, 8)
}

/// The numbers of the hints that a table is read with in the FROM of a query.
fn hints(from: &[TableRef], name: &str) -> i32 {
    let mut found = 0;
    for source in from {
        found |= match source {
            TableRef::Join(j) => {
                hints(std::slice::from_ref(&j.left), name)
                    | hints(std::slice::from_ref(&j.right), name)
            }
            TableRef::Named(t) if Collation::default().eq_str(&t.name.name.value, name) => {
                t.hints.iter().map(|h| number_of_hint(&h.kind)).fold(0, |all, one| all | one)
            }
            _ => 0,
        };
    }
    found
}

fn number_of_hint(hint: &TableHintKind) -> i32 {
    match hint {
        TableHintKind::RowLock => 1,
        TableHintKind::PagLock => 4,
        TableHintKind::TabLock => 8,
        TableHintKind::TabLockX => 16,
        TableHintKind::UpdLock => 32,
        TableHintKind::NoLock | TableHintKind::ReadUncommitted => 64,
        TableHintKind::HoldLock | TableHintKind::Serializable => 4096,
        _ => 0,
    }
}

fn tables(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for r in each_cursor(cx) {
        let from = match &r.select.query.body {
            ast::QueryBody::Select(block) => &block.from[..],
            _ => &[],
        };
        for (schema, name, id, database) in tables_of(&r) {
            let own =
                cx.session.instance.databases().open().into_iter().find(|d| d.id.0 == database);
            rows.push(row![
                r.shown.id,
                schema,
                &*name,
                hints(from, &name),
                // No cursor takes scroll locks.
                0,
                &cx.session.instance.options().server_name,
                id.0,
                i32::from(database),
                own.map(|d| d.name.to_string())
            ]);
        }
    }
    Ok(())
}

/// Schema, name and id of a table or view, and its database.
type Named = (String, String, ObjectId, u16);

/// The tables and views that the text of a cursor names, then the temporary tables.
fn tables_of(r: &CursorReference<'_>) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let needs = r.query.facts.needs.iter().filter(|n| n.through.is_none());
    for o in needs.map(|n| &n.object) {
        found.push((o.schema.to_string(), o.name.to_string(), o.object, o.database.0));
    }
    for u in r.query.uses.iter().filter(|u| u.table.head.name.starts_with('#')) {
        let head = &u.table.head;
        let name = u.table.shown().to_string();
        found.push((head.schema.to_string(), name, head.id, u.database.id.0));
    }
    found.dedup_by_key(|t| (t.2, t.3));
    found
}

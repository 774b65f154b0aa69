//! The plan cache: its plans, what their executions have cost, and what each was compiled under.
//!
//! A statement has a row in sys.dm_exec_query_stats, and a module in one of its siblings, for each plan that the cache holds, from the
//! end of its first execution on. Figures begin anew when a statement is planned anew, and go with the plan.

use super::dm_exec::moment;
use super::{Declaration, Rows, ViewContext, by_column, function};
use crate::catalog::ObjectKind;
use crate::exec::figures::{Figures, Spread};
use crate::exec::module::Module;
use crate::features::cell::{Column, Columns};
use crate::features::needs;
use crate::row;
use crate::session::SetOptions;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_types::datetime::DateFormat;
use taffrail_types::{MaxLen, SqlType, Value};

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let performance = needs::SERVER_PERFORMANCE;
    views.extend([
        by_column("dm_exec_query_stats", performance, STATEMENTS, statements),
        by_column("dm_exec_procedure_stats", performance, PROCEDURES, procedures),
        by_column("dm_exec_trigger_stats", performance, PROCEDURES, triggers),
        by_column("dm_exec_function_stats", performance, FUNCTIONS, functions),
        by_column("dm_exec_cached_plans", performance, PLANS, plans),
        function(
            "dm_exec_plan_attributes",
            performance,
            1,
            &["attribute nvarchar(128)!", "value sql_variant?", "is_cache_key bit!"],
            attributes,
        ),
    ]);
}

/// A figure in nanoseconds as microseconds.
fn micro(of: Spread) -> Spread {
    let each = |n: u64| n / 1000;
    Spread { total: each(of.total), last: each(of.last), min: each(of.min), max: each(of.max) }
}

fn number(n: u64) -> Value {
    Value::BigInt(n as i64)
}

/// The four columns of a figure: its sum, the last execution's, the least and the greatest.
macro_rules! spread {
    ($of:ty, $name:literal, $figure:expr) => {{
        const FOUR: &[Column<$of>] = &[
            (concat!("total_", $name, " bigint!"), |of| number($figure(&of.figures).total)),
            (concat!("last_", $name, " bigint!"), |of| number($figure(&of.figures).last)),
            (concat!("min_", $name, " bigint!"), |of| number($figure(&of.figures).min)),
            (concat!("max_", $name, " bigint!"), |of| number($figure(&of.figures).max)),
        ];
        FOUR
    }};
}

/// A statement that has run.
struct Ran {
    module: Arc<Module>,
    /// Where its text begins and ends, in bytes of UTF-16.
    place: (i32, i32),
    generation: u64,
    planned: Value,
    began: Value,
    query_hash: u64,
    plan_hash: u64,
    figures: Figures,
}

fn nothing(_: &Figures) -> Spread {
    Spread::default()
}

/// Every execution runs on one worker.
fn workers(f: &Figures) -> Spread {
    Spread { total: f.executions, last: 1, min: 1, max: 1 }
}

const STATEMENTS: Columns<Ran> = &[
    &[
        ("sql_handle varbinary(64)!", |r| Value::binary(&r.module.sql_handle())),
        ("statement_start_offset int!", |r| Value::Int(r.place.0)),
        ("statement_end_offset int!", |r| Value::Int(r.place.1)),
        ("plan_generation_num bigint!", |r| number(r.generation)),
        ("plan_handle varbinary(64)!", |r| Value::binary(&r.module.plan_handle())),
        ("creation_time datetime?", |r| r.planned.clone()),
        ("last_execution_time datetime?", |r| r.began.clone()),
        ("execution_count bigint!", |r| number(r.figures.executions)),
    ],
    spread!(Ran, "worker_time", |f: &Figures| micro(f.worker)),
    spread!(Ran, "physical_reads", |f: &Figures| f.physical_reads),
    spread!(Ran, "logical_writes", |f: &Figures| f.logical_writes),
    spread!(Ran, "logical_reads", |f: &Figures| f.logical_reads),
    spread!(Ran, "clr_time", nothing),
    spread!(Ran, "elapsed_time", |f: &Figures| micro(f.elapsed)),
    &[
        ("query_hash binary(8)?", |r| Value::binary(&r.query_hash.to_be_bytes())),
        ("query_plan_hash binary(8)?", |r| Value::binary(&r.plan_hash.to_be_bytes())),
    ],
    spread!(Ran, "rows", |f: &Figures| f.rows),
    &[
        ("statement_sql_handle varbinary(64)?", |_| Value::Null),
        ("statement_context_id bigint?", |_| Value::Null),
    ],
    spread!(Ran, "dop", workers),
    // No memory is reserved for a statement, and no thread.
    spread!(Ran, "grant_kb", nothing),
    spread!(Ran, "used_grant_kb", nothing),
    spread!(Ran, "ideal_grant_kb", nothing),
    spread!(Ran, "reserved_threads", nothing),
    spread!(Ran, "used_threads", nothing),
    spread!(Ran, "columnstore_segment_reads", nothing),
    spread!(Ran, "columnstore_segment_skips", nothing),
    spread!(Ran, "spills", |f: &Figures| f.spills),
    spread!(Ran, "page_server_reads", nothing),
];

fn statements(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for module in cx.session.instance.plans().modules() {
        cx.session.check_cancel()?;
        for planned in module.planned() {
            let variants = &module.shared[planned.plan as usize];
            let figures = variants.tally.figures();
            if figures.executions == 0 {
                continue;
            }
            let kept = variants.kept();
            let ran = Ran {
                place: module.place(planned.place.0, planned.place.1),
                generation: kept.generation,
                planned: moment(cx, kept.planned).unwrap_or_default(),
                began: moment(cx, figures.began).unwrap_or_default(),
                query_hash: module.query_hash(&planned),
                plan_hash: kept.plans.first().map_or(0, |p| module.plan_hash(p)),
                figures,
                module: module.clone(),
            };
            rows.show(STATEMENTS, &ran);
        }
    }
    Ok(())
}

/// A module that has run.
struct RanModule {
    module: Arc<Module>,
    database: u16,
    object: i32,
    kind: ObjectKind,
    cached: Value,
    began: Value,
    figures: Figures,
}

const MODULE: &[Column<RanModule>] = &[
    ("database_id int!", |r| Value::Int(r.database.into())),
    ("object_id int!", |r| Value::Int(r.object)),
    ("type char(2)?", |r| Value::nvarchar(r.kind.code())),
    ("type_desc nvarchar(60)?", |r| Value::nvarchar(r.kind.description())),
    ("sql_handle varbinary(64)!", |r| Value::binary(&r.module.sql_handle())),
    ("plan_handle varbinary(64)!", |r| Value::binary(&r.module.plan_handle())),
    ("cached_time datetime?", |r| r.cached.clone()),
    ("last_execution_time datetime?", |r| r.began.clone()),
    ("execution_count bigint!", |r| number(r.figures.executions)),
];

const PROCEDURES: Columns<RanModule> = &[
    MODULE,
    spread!(RanModule, "worker_time", |f: &Figures| micro(f.worker)),
    spread!(RanModule, "physical_reads", |f: &Figures| f.physical_reads),
    spread!(RanModule, "logical_writes", |f: &Figures| f.logical_writes),
    spread!(RanModule, "logical_reads", |f: &Figures| f.logical_reads),
    spread!(RanModule, "elapsed_time", |f: &Figures| micro(f.elapsed)),
    spread!(RanModule, "spills", |f: &Figures| f.spills),
    spread!(RanModule, "page_server_reads", nothing),
];

const FUNCTIONS: Columns<RanModule> = &[
    MODULE,
    spread!(RanModule, "worker_time", |f: &Figures| micro(f.worker)),
    spread!(RanModule, "physical_reads", |f: &Figures| f.physical_reads),
    spread!(RanModule, "logical_writes", |f: &Figures| f.logical_writes),
    spread!(RanModule, "logical_reads", |f: &Figures| f.logical_reads),
    spread!(RanModule, "elapsed_time", |f: &Figures| micro(f.elapsed)),
    spread!(RanModule, "page_server_reads", nothing),
];

/// The modules of the cache that are objects of a kind and have run.
fn modules(cx: &ViewContext<'_>, kind: ObjectKind) -> Vec<RanModule> {
    let one = |module: Arc<Module>| {
        let (database, object) = module.object()?;
        let home = module.database.as_ref()?;
        let own = home.catalog.object(ObjectId(object), cx.session.id)?.head().kind;
        let figures = module.ran.figures();
        (own == kind && figures.executions > 0).then(|| RanModule {
            database,
            object,
            kind,
            cached: moment(cx, module.compiled.at).unwrap_or_default(),
            began: moment(cx, figures.began).unwrap_or_default(),
            figures,
            module,
        })
    };
    cx.session.instance.plans().modules().into_iter().filter_map(one).collect()
}

fn procedures(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    modules(cx, ObjectKind::Procedure).iter().for_each(|m| rows.show(PROCEDURES, m));
    Ok(())
}

fn triggers(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    modules(cx, ObjectKind::Trigger).iter().for_each(|m| rows.show(PROCEDURES, m));
    Ok(())
}

fn functions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    modules(cx, ObjectKind::ScalarFunction).iter().for_each(|m| rows.show(FUNCTIONS, m));
    Ok(())
}

/// The buckets of a cache's hash table, of which the documentation tells.
const BUCKETS: u64 = 10_007;

const PLANS: Columns<Arc<Module>> = &[&[
    ("bucketid int!", |m| {
        let handle = m.sql_handle();
        let hash = handle[4..12].iter().fold(0_u64, |hash, b| hash << 8 | u64::from(*b));
        Value::Int((hash % BUCKETS) as i32)
    }),
    // This row has one of its own.
    ("refcounts int!", |m| Value::Int(Arc::strong_count(m).saturating_sub(1) as i32)),
    ("usecounts int!", |m| Value::Int(i32::try_from(m.uses.load(Relaxed)).unwrap_or(i32::MAX))),
    ("size_in_bytes int!", |m| Value::Int(i32::try_from(m.bytes).unwrap_or(i32::MAX))),
    ("memory_object_address varbinary(8)!", |m| {
        Value::binary(&(Arc::as_ptr(m) as usize as u64).to_be_bytes())
    }),
    ("cacheobjtype nvarchar(34)!", |_| Value::nvarchar("Compiled Plan")),
    ("objtype nvarchar(16)!", |m| Value::nvarchar(kind(m))),
    ("plan_handle varbinary(64)!", |m| Value::binary(&m.plan_handle())),
    ("pool_id int!", |_| Value::Int(2)),
]];

/// `objtype` of a plan.
fn kind(module: &Module) -> &'static str {
    match module.object_id {
        0 if module.declarations.is_empty() => "Adhoc",
        0 => "Prepared",
        _ if module.trigger.is_some() => "Trigger",
        _ => "Proc",
    }
}

fn plans(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    cx.session.instance.plans().modules().iter().for_each(|m| rows.show(PLANS, m));
    Ok(())
}

/// `set_options`: the bits that the documentation gives.
fn set_options(o: &SetOptions) -> i32 {
    let bits = [
        (o.ansi_padding, 1),
        (o.concat_null_yields_null, 8),
        (o.ansi_warnings, 16),
        (o.ansi_nulls, 32),
        (o.quoted_identifier, 64),
        (o.ansi_null_dflt_on, 128),
        (o.arithabort, 4096),
        (o.numeric_roundabort, 8192),
    ];
    bits.iter().filter(|(on, _)| *on).map(|(_, bit)| bit).sum()
}

/// The number of a date format.
fn format_number(format: DateFormat) -> i16 {
    match format {
        DateFormat::Mdy => 1,
        DateFormat::Dmy => 2,
        DateFormat::Ymd => 3,
        DateFormat::Ydm => 4,
        DateFormat::Myd => 5,
        DateFormat::Dym => 6,
    }
}

fn attributes(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(wanted) = args.first().and_then(Value::as_bytes) else { return Ok(()) };
    let Some(module) = cx.session.instance.plans().by_handle(wanted) else { return Ok(()) };
    if module.plan_handle()[..] != *wanted {
        return Ok(());
    }
    let under = &module.compiled;
    let mut options = under.options;
    options.quoted_identifier = module.quoted_identifier.unwrap_or(options.quoted_identifier);
    options.ansi_nulls = module.ansi_nulls.unwrap_or(options.ansi_nulls);
    let language = i16::from(options.language.number());
    let level = cx.session.instance.databases().list().into_iter();
    let level = level.map(|s| s.entry).find(|e| e.id == under.database);
    let int = |n: i32| Value::Variant(Box::new((SqlType::Int, Value::Int(n))));
    let small = |n: i16| Value::Variant(Box::new((SqlType::SmallInt, Value::SmallInt(n))));
    let tiny = |n: u8| Value::Variant(Box::new((SqlType::TinyInt, Value::TinyInt(n))));
    let handle = Value::binary(&module.sql_handle());
    let sql = Value::Variant(Box::new((SqlType::VarBinary(MaxLen::N(64)), handle)));
    // A batch is known by its text, whose hash stands in its place.
    let object = module.sql_handle();
    let object = i32::from_le_bytes([object[4], object[5], object[6], object[7]]);
    let keys = [
        ("set_options", int(set_options(&options))),
        ("objectid", int(object)),
        ("dbid", int(under.database.0.into())),
        ("dbid_execute", int(0)),
        ("user_id", int(-2)),
        ("language_id", small(language)),
        ("date_format", small(format_number(options.date_format))),
        ("date_first", tiny(options.date_first)),
        ("compat_level", level.map_or(Value::Null, |e| tiny(e.compatibility_level))),
        ("status", int(0)),
        ("required_cursor_options", int(0)),
        ("acceptable_cursor_options", int(0)),
        ("merge_action_type", small(0)),
        ("is_replication_specific", int(0)),
        ("optional_spid", small(0)),
        ("optional_clr_trigger_dbid", int(0)),
        ("optional_clr_trigger_objid", int(0)),
    ];
    keys.into_iter().for_each(|(name, value)| rows.push(row![name, value, true]));
    rows.push(row!["parent_plan_handle", (), false]);
    rows.push(row!["sql_handle", sql, false]);
    Ok(())
}

//! What the process is made of: sys.dm_os_hosts, dm_os_dispatcher_pools, dm_os_loaded_modules, dm_os_memory_cache_counters,
//! dm_os_memory_objects, and where it listens: dm_tcp_listener_states.

use super::dm_io::totals;
use super::dm_os_memory::clerk_sizes;
use super::{Declaration, Rows, ViewContext, sys};
use crate::features::needs;
use crate::row;
use std::collections::BTreeMap;
use taffrail_base::SqlResult;
use taffrail_observe::Command;
use taffrail_types::Value;

const HOSTS: &str = "\
    host_address varbinary(8)! · type nvarchar(60)! · name nvarchar(32)! · enqueued_tasks_count int! · \
    active_tasks_count int! · completed_ios_count int! · completed_ios_in_bytes bigint! · active_ios_count int! · \
    default_memory_clerk_address varbinary(8)!";
const DISPATCHERS: &str = "\
    dispatcher_pool_address varbinary(8)! · type nvarchar(256)! · name nvarchar(256)! · dispatcher_count int! · \
    dispatcher_ideal_count int! · dispatcher_timeout_ms int! · dispatcher_waiting_count int! · queue_length int!";
const MODULES: &str = "\
    base_address varbinary(8)! · file_version varchar(23)? · product_version varchar(23)? · debug bit? · patched bit? · \
    prerelease bit? · private_build bit? · special_build bit? · language int? · company nvarchar(256)? · \
    description nvarchar(256)? · name nvarchar(255)!";
const CACHES: &str = "\
    cache_address varbinary(8)! · name nvarchar(256)! · type nvarchar(60)! · pages_kb bigint! · pages_in_use_kb bigint? · \
    entries_count bigint! · entries_in_use_count bigint!";
const OBJECTS: &str = "\
    memory_object_address varbinary(8)! · parent_address varbinary(8)? · pages_in_bytes bigint! · creation_options int! · \
    bytes_used bigint? · type nvarchar(60)! · name varchar(128)? · memory_node_id smallint! · creation_time datetime! · \
    max_pages_in_bytes bigint! · page_size_in_bytes int! · page_allocator_address varbinary(8)! · \
    creation_stack_address varbinary(8)? · sequence_num int? · partition_type int! · contention_factor real! · \
    waiting_tasks_count bigint! · exclusive_access_count bigint!";
const LISTENERS: &str = "\
    listener_id int! · ip_address nvarchar(48)! · is_ipv4 bit! · port int! · type tinyint! · type_desc nvarchar(20)! · \
    state tinyint! · state_desc nvarchar(16)! · start_time datetime!";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("dm_os_hosts", needs::SERVER_PERFORMANCE, &[HOSTS], hosts),
        sys("dm_os_dispatcher_pools", needs::SERVER_PERFORMANCE, &[DISPATCHERS], dispatchers),
        sys("dm_os_loaded_modules", needs::SERVER_PERFORMANCE, &[MODULES], modules),
        sys("dm_os_memory_cache_counters", needs::SERVER_PERFORMANCE, &[CACHES], caches),
        sys("dm_os_memory_objects", needs::SERVER_PERFORMANCE, &[OBJECTS], objects),
        sys("dm_tcp_listener_states", needs::SERVER_SECURITY, &[LISTENERS], listeners),
    ]);
}

const NOWHERE: [u8; 8] = [0; 8];

fn address(of: u64, number: usize) -> [u8; 8] {
    (of << 40 | number as u64).to_be_bytes()
}

/// One: the server itself.
fn hosts(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let running = instance.sessions().iter().filter(|s| s.is_running()).count();
    let (mut ios, mut bytes) = (0u64, 0u64);
    for file in instance.databases().open().iter().flat_map(|d| d.storage.file_sizes()) {
        for io in totals(instance, &file) {
            (ios, bytes) = (ios + io.count, bytes + io.bytes);
        }
    }
    rows.push(row![
        &address(0x7f80, 0)[..],
        "SQLHOST",
        "Default",
        running,
        running,
        ios.min(i32::MAX as u64),
        bytes,
        instance.file_io().pending().len(),
        &address(0x7f60, 0)[..]
    ]);
    Ok(())
}

/// The thread that gives events to their files, if there is one.
fn dispatchers(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let all = cx.session.instance.all_sessions();
    let threads = all.iter().filter(|s| s.cell.command() == Command::XeDispatcher);
    let (mut count, mut waiting) = (0, 0);
    for s in threads {
        count += 1;
        waiting += i32::from(s.cell.wait_type().is_some());
    }
    let at = address(0x7f81, 0);
    rows.push(row![&at[..], "DISP_POOL_XE_ENGINE", "Default", count, 1, 0, waiting, 0]);
    Ok(())
}

/// The program and its libraries, as the system has mapped them.
fn modules(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let program = std::env::current_exe().map(|p| p.display().to_string()).unwrap_or_default();
    let mut bases = BTreeMap::<&str, u64>::new();
    for line in maps.lines() {
        let mut fields = line.splitn(6, ' ');
        let from = fields.next().and_then(|range| range.split('-').next());
        let Some(from) = from.and_then(|hex| u64::from_str_radix(hex, 16).ok()) else { continue };
        let path = fields.nth(4).map_or("", str::trim);
        if path == program || path.contains(".so") {
            let base = bases.entry(path).or_insert(from);
            *base = from.min(*base);
        }
    }
    let mut all: Vec<(u64, &str)> = bases.into_iter().map(|(path, base)| (base, path)).collect();
    all.sort_unstable();
    for (base, path) in all {
        let own = path == program;
        let version = own.then_some("2022.160.1000.6");
        rows.push(row![
            &base.to_be_bytes()[..],
            version,
            version,
            own.then_some(cfg!(debug_assertions)),
            own.then_some(false),
            own.then_some(false),
            own.then_some(false),
            own.then_some(false),
            (),
            (),
            own.then_some("Taffrail"),
            path
        ]);
    }
    Ok(())
}

/// The plan cache: of texts and of modules.
fn caches(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let plans = cx.session.instance.plans().figures();
    let kinds = [
        ("SQL Plans", "CACHESTORE_SQLCP", plans.text_bytes as u64 / 1024, plans.texts.plans),
        // What the plan of a module takes is not measured.
        ("Object Plans", "CACHESTORE_OBJCP", 0, plans.procedures.plans),
    ];
    for (n, (name, kind, kb, entries)) in kinds.into_iter().enumerate() {
        let at = address(0x7f82, n);
        rows.push(row![&at[..], name, kind, kb, (), entries as u64, 0]);
    }
    Ok(())
}

/// The same memory as sys.dm_os_memory_clerks has.
fn objects(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let started = cx.session.instance.start_time();
    for (n, (kind, name, kb)) in clerk_sizes(cx).into_iter().enumerate() {
        let at = address(0x7f83, n);
        let kind = kind.replace("MEMORYCLERK_", "MEMOBJ_").replace("CACHESTORE_", "MEMOBJ_CACHE");
        let size = if kind == "MEMOBJ_SQLBUFFERPOOL" { 8192 } else { 4096 };
        rows.push(row![
            &at[..],
            (),
            kb * 1024,
            0,
            kb * 1024,
            kind,
            name,
            0,
            started.clone(),
            kb * 1024,
            size,
            &NOWHERE[..],
            (),
            (),
            0,
            0.0,
            0,
            0
        ]);
    }
    Ok(())
}

/// Where clients find the server. The reserved listener is one for T-SQL, too.
fn listeners(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let all = instance.host().map_or_else(Vec::new, |host| host.listeners());
    for (n, at) in all.into_iter().enumerate() {
        rows.push(row![
            n + 1,
            at.ip().to_string(),
            at.is_ipv4(),
            at.port(),
            0,
            "TSQL",
            1,
            "ONLINE",
            instance.start_time()
        ]);
    }
    Ok(())
}

//! What is there: sp_help, sp_helpindex, sp_helptext, sp_who, sp_configure, xp_msver.

use super::Arguments;
use super::odbc_columns::alias_of;
use super::odbc_types::{Dialect, odbc};
use crate::catalog::registry::MAX_SERVER_MEMORY;
use crate::catalog::{Column, Identity, Index, IndexKind, Module, Object, Table, fold, master};
use crate::configurations::{CONFIGURATIONS, Option_, configured, in_force, kept, settable};
use crate::features::cell::collation_cell;
use crate::instance::SessionInfo;
use crate::names::{check_database, name_parts, table_by_text};
use crate::permissions::{PermissionId, SecurableClass, known};
use crate::results::as_varchar;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::Status;
use taffrail_types::{Family, MaxLen, SqlType};

const NAME: SqlType = SqlType::NVarChar(MaxLen::N(128));

/// An object of the current database by the text of its name: 15009.
pub(super) fn object(cx: &mut StatementContext<'_>, name: &str) -> SqlResult<Object> {
    let database = cx.database();
    let missing = || SqlError::new(15009, &[&name, &database.name]);
    check_database(cx, name)?;
    if let Some((home, table)) = table_by_text(cx, name)? {
        // Ids are a database's own: what is asked about them is asked there.
        return if home.id == database.id { Ok(Object::Table(table)) } else { Err(missing()) };
    }
    let parts = name_parts(name);
    let schema = parts.get(1).map(String::as_str);
    let bare = parts.first().map_or("", |p| p);
    let found = cx.settled(|cx| {
        let (catalog, id) = (&database.catalog, cx.session.id);
        cx.session.note_blocked(catalog.blocked_name(schema, bare, id));
        let found = cx.session.found_in(&database, schema, bare);
        Ok(found.filter(|o| cx.session.seen(&database).object(o)))
    })?;
    found.ok_or_else(missing)
}

/// The object of this name, if there is one: only a name that [`object`] does not find (15009) is none.
pub(super) fn object_if_any(
    cx: &mut StatementContext<'_>,
    name: &str,
) -> SqlResult<Option<Object>> {
    match object(cx, name) {
        Ok(object) => Ok(Some(object)),
        Err(e) if e.number == 15009 => Ok(None),
        Err(e) => Err(e),
    }
}

/// The view whose rows a table is, where the table is that of an indexed view; any other object as it is.
fn view_of_rows(cx: &StatementContext<'_>, found: Object) -> Object {
    let Object::Table(table) = &found else { return found };
    match cx.database().catalog.object(table.head.id, cx.session.id) {
        Some(view @ Object::View(_)) => view,
        _ => found,
    }
}

/// `sp_help`.
pub(super) fn help(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let Some(name) = args.text(0) else {
        let mut rows = Vec::new();
        let database = cx.database();
        cx.settle_objects(&database, |_| true)?;
        let mut all = Vec::new();
        for o in cx.session.seen_objects(&database, cx.sight()) {
            let h = o.head();
            let kind = h.kind.description().to_lowercase().replace('_', " ");
            all.push((h.schema.clone(), std::cmp::Reverse(kind), h.name.clone()));
        }
        all.sort_by_cached_key(|(schema, kind, name)| (fold(schema), kind.clone(), fold(name)));
        for (schema, kind, name) in all {
            rows.push(row![&name, &schema, kind.0]);
        }
        let columns = [
            ("Name", NAME, true),
            ("Owner", NAME, true),
            ("Object_type", SqlType::NVarChar(MaxLen::N(31)), true),
        ];
        send(cx, &columns, rows)?;
        return Ok(0);
    };
    let object = match object(cx, &name) {
        Err(e) if e.number == 15009 => return super::help_type::help_type(cx, &name, e),
        found => found?,
    };
    let h = object.head();
    let kind = h.kind.description().to_lowercase().replace('_', " ");
    let columns = [
        ("Name", NAME, true),
        ("Owner", NAME, true),
        ("Type", SqlType::NVarChar(MaxLen::N(31)), true),
        ("Created_datetime", SqlType::DateTime, true),
    ];
    let rows = vec![row![&h.name, &h.schema, kind, &h.created]];
    send(cx, &columns, rows)?;
    if let Object::View(view) = &object {
        help_columns(cx, &view.columns, None)?;
    }
    if let Object::Function(function) = &object
        && !function.columns.is_empty()
    {
        help_columns(cx, &function.columns, None)?;
    }
    if let Object::Procedure(module) | Object::Function(module) = &object {
        help_parameters(cx, module)?;
    }
    if let Object::Table(table) = &object {
        help_columns(cx, &table.columns, table.identity.as_ref())?;
        send(cx, &[("Data_located_on_filegroup", NAME, true)], vec![row!["PRIMARY"]])?;
        help_indexes(cx, table, &name)?;
        super::constraints::send_constraints(cx, table, &name)?;
        // A view WITH SCHEMABINDING cannot be made.
        cx.message(SqlError::new(15647, &[&name]))?;
    }
    Ok(0)
}

/// Types whose precision and scale sp_help shows.
const WITH_PRECISION: [&str; 14] = [
    "tinyint",
    "smallint",
    "decimal",
    "int",
    "bigint",
    "real",
    "money",
    "float",
    "numeric",
    "smallmoney",
    "date",
    "time",
    "datetime2",
    "datetimeoffset",
];

pub(super) fn yes_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

/// The parameters of a procedure or function, before them the result of a scalar function; nothing where there are none.
fn help_parameters(cx: &mut StatementContext<'_>, module: &Module) -> SqlResult<()> {
    let result = module.result.iter().map(|p| (0, p));
    let all: Vec<_> = result.chain((1_usize..).zip(&module.parameters)).collect();
    if all.is_empty() {
        return Ok(());
    }
    let mut rows = Vec::new();
    let (database, collation) = (cx.database(), cx.session.database.collation());
    for (place, p) in all {
        let o = odbc(p.ty.name(), p.ty, Dialect::new(80, None));
        let alias = alias_of(&database, cx.sight(), p.user_type);
        let uuid = p.ty == SqlType::UniqueIdentifier;
        rows.push(row![
            &p.name,
            alias.as_deref().unwrap_or(p.ty.name()),
            if p.readonly { -1 } else { p.ty.max_length() },
            if uuid { 0 } else { o.precision },
            o.scale,
            place,
            collation_cell(p.ty, collation)
        ]);
    }
    let columns = [
        ("Parameter_name", NAME, true),
        ("Type", NAME, true),
        ("Length", SqlType::SmallInt, false),
        ("Prec", SqlType::Int, true),
        ("Scale", SqlType::Int, true),
        ("Param_order", SqlType::Int, false),
        ("Collation", NAME, true),
    ];
    send(cx, &columns, rows)
}

fn help_columns(
    cx: &mut StatementContext<'_>,
    of: &[Column],
    identity: Option<&Identity>,
) -> SqlResult<()> {
    let (database, mut rows) = (cx.database(), Vec::new());
    for c in of {
        let text = collation_cell(c.ty, c.collation);
        let name = c.type_name();
        let numeric = WITH_PRECISION.contains(&name);
        let padded = matches!(name, "char" | "varchar" | "binary" | "varbinary");
        let alias = alias_of(&database, cx.sight(), c.user_type);
        rows.push(row![
            &c.name,
            alias.as_deref().unwrap_or(name),
            yes_no(c.computed.is_some()),
            if c.old_large { 16 } else { c.ty.max_length() },
            if numeric { c.ty.precision().to_string() } else { String::new() },
            match c.ty.family() {
                Family::Float => None,
                _ if numeric => Some(c.ty.scale().to_string()),
                _ => Some(String::new()),
            },
            yes_no(c.nullable),
            if padded { yes_no(c.unpadded) } else { "(n/a)" },
            if padded { yes_no(c.nullable) } else { "(n/a)" },
            text
        ]);
    }
    let short = SqlType::VarChar(MaxLen::N(35));
    let columns = [
        ("Column_name", NAME, true),
        ("Type", NAME, true),
        ("Computed", short, true),
        ("Length", SqlType::Int, true),
        ("Prec", SqlType::Char(5), true),
        ("Scale", SqlType::Char(5), true),
        ("Nullable", short, true),
        ("TrimTrailingBlanks", short, true),
        ("FixedLenNullInSource", short, true),
        ("Collation", NAME, true),
    ];
    send(cx, &columns, rows)?;
    let row = match identity {
        Some(i) => row![&of[i.column].name, i.seed, i.increment, 0],
        None => row!["No identity column defined.", (), (), ()],
    };
    let big = SqlType::Numeric { precision: 38, scale: 0 };
    let columns = [
        ("Identity", NAME, true),
        ("Seed", big, true),
        ("Increment", big, true),
        ("Not For Replication", SqlType::Int, true),
    ];
    send(cx, &columns, vec![row])?;
    let guid = of.iter().find(|c| c.is_rowguid).map(|c| &*c.name);
    let row = row![guid.unwrap_or("No rowguidcol column defined.")];
    send(cx, &[("RowGuidCol", NAME, true)], vec![row])
}

/// The columns of a key, `(-)` behind those that descend.
pub(super) fn key_text(table: &Table, index: &Index) -> String {
    let column = |k: &crate::rowcodec::KeyColumn| {
        let name = &table.columns[k.column].name;
        if k.descending { format!("{name}(-)") } else { name.to_string() }
    };
    index.key.columns().iter().map(column).collect::<Vec<_>>().join(", ")
}

fn help_indexes(cx: &mut StatementContext<'_>, table: &Table, asked: &str) -> SqlResult<()> {
    let mut rows = Vec::new();
    for i in table.defined().filter(|i| i.kind != IndexKind::Heap) {
        let mut words = vec![match i.kind {
            IndexKind::Clustered => "clustered",
            _ => "nonclustered",
        }];
        if i.ignore_dup_key {
            words.push("ignore duplicate keys");
        }
        if i.unique {
            words.push("unique");
        }
        if i.primary_key {
            words.push("primary key");
        }
        if i.unique_constraint {
            words.push("unique key");
        }
        let description = format!("{} located on PRIMARY", words.join(", "));
        rows.push(row![&i.name, description, key_text(table, i)]);
    }
    if rows.is_empty() {
        return cx.message(SqlError::new(15472, &[&asked]));
    }
    let columns = [
        ("index_name", NAME, true),
        ("index_description", SqlType::VarChar(MaxLen::N(210)), true),
        ("index_keys", SqlType::NVarChar(MaxLen::N(2078)), true),
    ];
    send(cx, &columns, rows)
}

/// `sp_helpindex`.
pub(super) fn helpindex(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = args.named(0);
    match object(cx, &name)? {
        Object::Table(table) => help_indexes(cx, &table, &name)?,
        _ => cx.message(SqlError::new(15472, &[&name]))?,
    }
    Ok(0)
}

/// `sp_refreshview`: the columns of a view as they are now.
pub(super) fn refresh(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = args.named(0);
    let found = object_if_any(cx, &name)?.map(|o| view_of_rows(cx, o));
    let Some(Object::View(view)) = found else {
        return Err(SqlError::new(15165, &[&name]));
    };
    let database = cx.database();
    crate::ddl::refresh_view(cx, &database, &view)?;
    Ok(0)
}

/// `sp_refreshsqlmodule`: a module as its text is taken now.
pub(super) fn refresh_module(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    let (name, space) = (args.named(0), args.text(1));
    let is_object = space.is_none_or(|s| s.eq_ignore_ascii_case("OBJECT"));
    let Some(object) = object_if_any(cx, &name)?.filter(|_| is_object) else {
        return Err(SqlError::new(15165, &[&name]));
    };
    let object = view_of_rows(cx, object);
    let database = cx.database();
    crate::ddl::refresh_module(cx, &database, &object, &name)?;
    Ok(0)
}

/// `sp_helptext`: a row per line.
pub(super) fn helptext(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = args.named(0);
    let bare = name_parts(&name).into_iter().next().unwrap_or_default();
    let temporary = bare.starts_with('#').then(|| cx.session.find_temp_procedure(&bare));
    let found = match temporary.flatten() {
        Some(own) => Object::Procedure(own),
        None => {
            let found = object(cx, &name)?;
            view_of_rows(cx, found)
        }
    };
    let text = match found {
        Object::Procedure(m) | Object::View(m) | Object::Function(m) | Object::Trigger(m) => {
            match m.shown() {
                Some(text) => text.clone(),
                None => {
                    cx.message(SqlError::new(15471, &[&m.head.name]).with_severity(0))?;
                    return Ok(0);
                }
            }
        }
        Object::Constraint(c) if !c.definition.is_empty() => c.definition.clone(),
        _ => return Err(SqlError::new(15197, &[&name])),
    };
    let rows = text.split_inclusive('\n').flat_map(pieces).map(|line| row![line]).collect();
    send(cx, &[("Text", SqlType::NVarChar(MaxLen::N(TEXT_ROW)), true)], rows)?;
    Ok(0)
}

/// What a row of sp_helptext takes, UTF-16 units; a longer line goes on in the next row.
const TEXT_ROW: u16 = 255;

fn pieces(line: &str) -> Vec<&str> {
    let (mut pieces, mut start, mut units) = (Vec::new(), 0, 0);
    for (at, c) in line.char_indices() {
        if units + c.len_utf16() > usize::from(TEXT_ROW) {
            pieces.push(&line[start..at]);
            (start, units) = (at, 0);
        }
        units += c.len_utf16();
    }
    pieces.push(&line[start..]);
    pieces
}

/// The permission to see sessions of others.
const SESSIONS: PermissionId = known(SecurableClass::Server, "VIEW SERVER STATE");

/// The sessions that sp_who is asked for: all, `active`, a number or a login (15007).
fn chosen(cx: &StatementContext<'_>, wanted: Option<&str>) -> SqlResult<Vec<Arc<SessionInfo>>> {
    let (own, others) = (cx.session.id, cx.session.may_on_server(SESSIONS));
    let mut all = cx.instance().all_sessions();
    all.retain(|s| others || s.id == own);
    let Some(wanted) = wanted else { return Ok(all) };
    if wanted.eq_ignore_ascii_case("active") {
        return Ok(all.into_iter().filter(|s| s.cell.status() != Status::Sleeping).collect());
    }
    if let Ok(id) = wanted.parse::<u16>() {
        return Ok(all.into_iter().filter(|s| s.id.0 == id).collect());
    }
    let of_login: Vec<_> =
        all.into_iter().filter(|s| s.client.login.eq_ignore_ascii_case(wanted)).collect();
    if of_login.is_empty() {
        return Err(SqlError::new(15007, &[&wanted]));
    }
    Ok(of_login)
}

fn database_name(cx: &StatementContext<'_>, s: &SessionInfo) -> Option<String> {
    let id = taffrail_base::DatabaseId(s.cell.database_id.load(Relaxed));
    cx.instance().databases().by_id(id).map(|d| d.name.clone())
}

/// `sp_who`.
pub(super) fn who(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let mut rows = Vec::new();
    for s in chosen(cx, args.text(0).as_deref())? {
        rows.push(row![
            s.id.0,
            0,
            s.cell.status().name(),
            &s.client.login,
            &s.client.host_name,
            s.cell.blocking_session().to_string(),
            database_name(cx, &s),
            s.cell.command().name(),
            0
        ]);
    }
    let columns = [
        ("spid", SqlType::SmallInt, true),
        ("ecid", SqlType::SmallInt, true),
        ("status", SqlType::NChar(30), true),
        ("loginame", SqlType::NChar(128), true),
        ("hostname", SqlType::NChar(128), true),
        ("blk", SqlType::Char(5), true),
        ("dbname", SqlType::NChar(128), true),
        ("cmd", SqlType::NChar(26), true),
        ("request_id", SqlType::Int, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_who2`.
pub(super) fn who2(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let mut rows = Vec::new();
    for s in chosen(cx, args.text(0).as_deref())? {
        let status = s.cell.status();
        let status = match status {
            Status::Sleeping => "sleeping".to_string(),
            other => other.name().to_uppercase(),
        };
        let blank = |t: &str| if t.is_empty() { "  .".to_string() } else { t.to_string() };
        let blocker = s.cell.blocking_session();
        let id = format!("{:<5}", s.id.0);
        let last = as_varchar(&s.login_time, SqlType::DateTime, Some(120))?;
        let last = match (last.get(5..10), last.get(11..19)) {
            (Some(date), Some(time)) => format!("{} {time}", date.replace('-', "/")),
            _ => last,
        };
        rows.push(row![
            id.clone(),
            status,
            &s.client.login,
            blank(&s.client.host_name),
            if blocker == 0 { "  .".to_string() } else { blocker.to_string() },
            database_name(cx, &s),
            s.cell.command().name(),
            s.cpu_ms(),
            s.cell.reads.get() + s.cell.writes.get(),
            last,
            &s.client.program_name,
            id,
            0
        ]);
    }
    let columns = [
        ("SPID", SqlType::Char(5), true),
        ("Status", SqlType::NVarChar(MaxLen::N(30)), true),
        ("Login", NAME, true),
        ("HostName", NAME, true),
        ("BlkBy", SqlType::Char(5), true),
        ("DBName", NAME, true),
        ("Command", SqlType::NVarChar(MaxLen::N(32)), true),
        ("CPUTime", SqlType::Int, true),
        ("DiskIO", SqlType::Int, true),
        ("LastBatch", SqlType::VarChar(MaxLen::N(14)), true),
        ("ProgramName", NAME, true),
        ("SPID", SqlType::Char(5), true),
        ("REQUESTID", SqlType::Int, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_configure`: shows options; only those that do something can be set.
pub(super) fn configure(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let master = cx.instance().databases().master()?;
    let set = master::configurations(&master.storage)?;
    let running = cx.instance().databases().running_configurations();
    let advanced = running.iter().any(|(id, v)| *id == 518 && *v != 0);
    let wanted = args.text(0);
    let mut found: Vec<_> = CONFIGURATIONS
        .iter()
        .filter(|o| match &wanted {
            Some(w) => o.1.to_lowercase().starts_with(&w.to_lowercase()),
            None => advanced || !o.7,
        })
        .collect();
    if let Some(w) = &wanted {
        if let Some(exact) = found.iter().find(|o| o.1.eq_ignore_ascii_case(w)).copied() {
            found = vec![exact];
        }
        if found.len() != 1 || (found[0].7 && !advanced) {
            return Err(SqlError::new(15123, &[w]));
        }
    }
    let value_of = |cx: &StatementContext<'_>, o: &Option_, run: bool| {
        let instance = cx.instance();
        if run { in_force(instance, o, &running) } else { configured(instance, o, &set) }
    };
    if let Some(value) = args.number(1) {
        let option = found[0];
        // The default may lie outside: it says that the server decides.
        if (value < option.3 || value > option.4) && value != option.2 {
            return Err(SqlError::new(15129, &[&value, &option.1]));
        }
        let old = value_of(cx, option, false);
        if value != old && !settable(option.0) && !kept(option.0) {
            let what = format!("Changing the configuration option '{}'", option.1);
            return Err(SqlError::new(40510, &[&what]));
        }
        if value != old {
            master::put_configuration(&master.storage, option.0, value)?;
        }
        cx.message(SqlError::new(15457, &[&option.1, &old, &value]))?;
        let budget = cx.instance().options().max_server_memory_mb;
        if kept(option.0) {
            let text = format!(
                "The configuration option '{}' is kept and shown, and has no effect in this server.",
                option.1
            );
            crate::results::print(cx, &text)?;
        } else if option.0 == MAX_SERVER_MEMORY && value > budget as i64 {
            let text = format!("The setting max_server_memory_mb allows {budget} MB at most.");
            crate::results::print(cx, &text)?;
        }
        return Ok(0);
    }
    let mut rows = Vec::new();
    found.sort_by_key(|o| o.1.to_lowercase());
    for o in found {
        let (value, in_use) = (value_of(cx, o, false), value_of(cx, o, true));
        rows.push(row![o.1, o.3, o.4, value, in_use]);
    }
    let columns = [
        ("name", SqlType::NVarChar(MaxLen::N(35)), true),
        ("minimum", SqlType::Int, true),
        ("maximum", SqlType::Int, true),
        ("config_value", SqlType::Int, true),
        ("run_value", SqlType::Int, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `xp_msver`: the facts that clients ask for.
pub(super) fn msver(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    let all = [
        ("ProductName", None, "Taffrail".to_string()),
        ("ProductVersion", Some(16 << 16), "16.0.1000.6".to_string()),
        ("Language", Some(1033), "English (United States)".to_string()),
        ("Platform", None, format!("{} {}", std::env::consts::ARCH, std::env::consts::OS)),
        ("FileVersion", None, env!("CARGO_PKG_VERSION").to_string()),
        ("ProcessorCount", Some(cpus as i64), cpus.to_string()),
    ];
    let wanted: Vec<String> = (0..args.count()).filter_map(|at| args.text(at)).collect();
    let mut rows = Vec::new();
    for (n, (name, internal, text)) in all.into_iter().enumerate() {
        if wanted.is_empty() || wanted.iter().any(|w| w.eq_ignore_ascii_case(name)) {
            rows.push(row![n + 1, name, internal, text]);
        }
    }
    let columns = [
        ("Index", SqlType::SmallInt, true),
        ("Name", NAME, true),
        ("Internal_Value", SqlType::Int, true),
        ("Character_Value", NAME, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

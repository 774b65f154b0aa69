//! CREATE, UPDATE and DROP STATISTICS, and sp_updatestats: maintenance scripts run them every night.
//!
//! Statistics are names of columns in the catalogue. What plans go by is counted exactly while rows change, so there is nothing
//! to bring up to date, and that is what these say, once names and options have been found good.

use super::filter::filter;
use super::{events, index, resolve};
use crate::catalog::rows;
use crate::features::procedure::Arguments;
use crate::plan::names::bracketed;
use crate::results::print;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;

/// WITH …
const OPTIONS: &[&str] = &[
    "FULLSCAN",
    "SAMPLE",
    "RESAMPLE",
    "ALL",
    "COLUMNS",
    "INDEX",
    "NORECOMPUTE",
    "INCREMENTAL",
    "MAXDOP",
    "PERSIST_SAMPLE_PERCENT",
    "AUTO_DROP",
];

/// WITH … of UPDATE STATISTICS alone: numbers that plans of SQL Server go by in place of what was counted.
const COUNTS: &[&str] = &["ROWCOUNT", "PAGECOUNT"];

fn check_options<'o>(
    options: impl IntoIterator<Item = &'o ast::NamedOption>,
    statement: &str,
) -> SqlResult<()> {
    match options.into_iter().find(|o| !OPTIONS.iter().any(|known| o.name.is(known))) {
        Some(o) if o.name.is("STATS_STREAM") => {
            Err(unsupported(format!("{statement} … WITH STATS_STREAM")))
        }
        Some(o) => Err(SqlError::new(155, &[&o.name.value, &statement])),
        None => Ok(()),
    }
}

/// `CREATE STATISTICS name ON table (columns) [ WITH … ]`: 1088, 1911, 1909, 1927, 155.
pub(crate) fn create(cx: &mut StatementContext<'_>, s: &ast::CreateStatistics) -> SqlResult<()> {
    let missing = || SqlError::new(1088, &[&s.table]);
    check_options(&s.options, "CREATE STATISTICS")?;
    let (database, table) = resolve::table(cx, &s.table, missing)?;
    let table = resolve::lock_for_change(cx, &database, &table, missing)?;
    super::disabled::refuse_table(&table)?;
    let name = &s.name.value;
    if table.own_statistics(name).is_some() || table.index(name).is_some() {
        return Err(SqlError::new(1927, &[&s.table, name]));
    }
    let mut columns: Vec<i32> = Vec::new();
    for c in &s.columns {
        let at = table.column(&c.value).ok_or_else(|| SqlError::new(1911, &[&c.value]))?;
        let id = table.columns[at].id;
        if columns.contains(&id) {
            return Err(SqlError::new(1909, &[&"statistics", &c.value]));
        }
        columns.push(id);
    }
    let filter = match &s.filter {
        None => None,
        Some(f) => Some(filter(("statistics", name), table.name(), &table.columns, f)?),
    };
    let terms = filter.as_ref().map(|f| f.to_bytes(&table.columns)).transpose()?;
    let kept = filter.as_ref().zip(terms.as_ref()).map(|(f, terms)| (&*f.definition, &terms[..]));
    let no_recompute = s.options.iter().any(|o| o.name.is("NORECOMPUTE"));
    let new = (table.next_index_id(), &**name);
    let tx = cx.transaction(&database)?;
    rows::write_statistics(tx, table.head.id, new, &columns, no_recompute, kept)?;
    index::refresh(cx, &database, &table, &[])?;
    events::of_part(cx, ("CREATE", "STATISTICS"), &database, &table, name);
    Ok(())
}

/// `DROP STATISTICS table.name, …`: 3701, 3739.
pub(crate) fn drop(cx: &mut StatementContext<'_>, s: &ast::Drop) -> SqlResult<()> {
    for name in &s.names {
        let missing = || SqlError::new(3701, &[&"drop", &"statistics", name]).with_state(6);
        let Some(of) = name.schema.clone() else { return Err(missing()) };
        let (schema, database) = (name.database.clone(), name.server.clone());
        let of = ast::ObjectName { server: None, database, schema, name: of, ..name.clone() };
        let (database, table) = match resolve::table(cx, &of, missing) {
            Err(e) if e.number == 3701 && s.if_exists => continue,
            found => found?,
        };
        let table = resolve::lock_for_change(cx, &database, &table, missing)?;
        let Some(own) = table.own_statistics(&name.name.value) else {
            if table.index(&name.name.value).is_some() {
                return Err(SqlError::new(3739, &[&"DROP", &name.name.value]));
            }
            if s.if_exists {
                continue;
            }
            return Err(missing());
        };
        rows::remove_index(cx.transaction(&database)?, table.head.id, own.id)?;
        index::refresh(cx, &database, &table, &[])?;
        events::of_part(cx, ("DROP", "STATISTICS"), &database, &table, &name.name.value);
    }
    Ok(())
}

/// `UPDATE STATISTICS table [ index | (indexes) ] [ WITH … ]`: 2706, 2767, 155.
pub(crate) fn update(cx: &mut StatementContext<'_>, s: &ast::UpdateStatistics) -> SqlResult<()> {
    let missing = || SqlError::new(2706, &[&s.table]);
    let (database, table) = resolve::indexed(cx, &s.table, missing)?;
    cx.session.change_in(&database)?;
    for name in &s.names {
        if table.index(&name.value).is_none() && table.own_statistics(&name.value).is_none() {
            return Err(SqlError::new(2767, &[&name.value]));
        }
    }
    let is_count = |o: &&ast::NamedOption| COUNTS.iter().any(|known| o.name.is(known));
    let (counts, rest): (Vec<_>, Vec<_>) = s.options.iter().partition(is_count);
    check_options(rest, "UPDATE STATISTICS")?;
    for o in counts {
        let text = format!(
            "Warning: {} was ignored. Plans go by the number of rows and pages that there are.",
            o.name.value.to_ascii_uppercase()
        );
        print(cx, &text)?;
    }
    Ok(())
}

/// `sp_updatestats [ @resample = ] 'resample'`.
pub(crate) fn update_all(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    if let Some(resample) = args.text(0)
        && !["NO", "RESAMPLE"].iter().any(|word| word.eq_ignore_ascii_case(&resample))
    {
        return Err(SqlError::new(14138, &[&resample]));
    }
    let database = cx.database();
    if database.storage.is_read_only() {
        return Err(SqlError::new(15635, &[&"sp_updatestats"]));
    }
    for table in database.catalog.tables(cx.session.id) {
        let name = format!("{}.{}", bracketed(&table.head.schema), bracketed(&table.head.name));
        cx.message(SqlError::new(15650, &[&name]))?;
        let indexes = table.indexes.iter().filter(|i| !i.name.is_empty()).count();
        let all = indexes + table.statistics.len();
        cx.message(SqlError::new(15651, &[&0, &all]))?;
    }
    cx.message(SqlError::new(15005, &[]))?;
    Ok(0)
}

//! UPDATE STATISTICS and sp_updatestats: maintenance scripts run them every night.
//!
//! There are no statistics objects: what plans go by is counted exactly while rows change. So there is nothing to bring up to date, and
//! that is what these say, once names and options have been found good.

use super::{quoted, resolve};
use crate::context::StatementContext;
use crate::procs::{Argument, Arguments};
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;

/// `UPDATE STATISTICS table [ index | (indexes) ] [ WITH … ]`: 2706, 2767, 155.
pub(crate) fn update(cx: &mut StatementContext<'_>, s: &ast::UpdateStatistics) -> SqlResult<()> {
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
    let missing = || SqlError::new(2706, &[&s.table]);
    let (_, table) = resolve::table(cx, &s.table, missing)?;
    for name in &s.names {
        if table.index(&name.value).is_none() {
            return Err(SqlError::new(2767, &[&name.value]));
        }
    }
    match s.options.iter().find(|o| !OPTIONS.iter().any(|known| o.name.is(known))) {
        Some(o) => Err(SqlError::new(155, &[&o.name.value, &"UPDATE STATISTICS"])),
        None => Ok(()),
    }
}

/// `sp_updatestats [ @resample = ] 'resample'`.
pub(crate) fn update_all(cx: &mut StatementContext<'_>, given: &[Argument]) -> SqlResult<i32> {
    let args = Arguments::new("sp_updatestats", &["@resample"], given)?;
    if let Some(resample) = args.text(0)
        && !["NO", "RESAMPLE"].iter().any(|word| word.eq_ignore_ascii_case(&resample))
    {
        return Err(SqlError::new(14138, &[&resample]));
    }
    let database = cx.database();
    for table in database.catalog.tables(cx.session.id) {
        let name = format!("{}.{}", quoted(&table.head.schema), quoted(&table.head.name));
        cx.message(SqlError::new(15650, &[&name]))?;
        let indexes = table.indexes.iter().filter(|i| !i.name.is_empty()).count();
        cx.message(SqlError::new(15651, &[&0, &indexes]))?;
    }
    cx.message(SqlError::new(15005, &[]))?;
    Ok(0)
}

//! `WITH (…)` of indexes and constraints: which options there are, and what each means here.
//!
//! | option | here |
//! |---|---|
//! | FILLFACTOR, PAD_INDEX | kept in the catalogue; used by builds, rebuilds and reorganizations |
//! | ONLINE = ON | accepted and told: the index is built, and changes of the table wait meanwhile ([`tell_of_online`]) |
//! | DATA_COMPRESSION = ROW, PAGE | 7738, likewise |
//! | MAXDOP | 0 to 32767, else 304; builds have one thread |
//! | SORT_IN_TEMPDB, STATISTICS_*, OPTIMIZE_FOR_SEQUENTIAL_KEY | accepted: sorts spill beside the database, there are no statistics |
//! | ALLOW_PAGE_LOCKS | kept in the catalogue; no lock is ever taken on a page |
//! | ALLOW_ROW_LOCKS, XML_COMPRESSION, DROP_EXISTING, RESUMABLE, IGNORE_DUP_KEY | as they are by default; otherwise 40510 |

use crate::results::print;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, OptionValue};

/// The highest MAXDOP that SQL Server takes.
const MAXDOP_MAX: u16 = 32_767;

/// What is said of ONLINE = ON.
const OFFLINE: &str = "Warning: ONLINE = ON was ignored. The index is built offline: changes of the table wait for it.";

/// What is kept of an index's options; none: not given.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct IndexOptions {
    /// FILLFACTOR.
    pub fill_factor: Option<u8>,
    /// PAD_INDEX.
    pub padded: Option<bool>,
    /// ALLOW_PAGE_LOCKS.
    pub page_locks: Option<bool>,
}

/// The options of CREATE INDEX and of constraints; `table`: for messages.
pub(crate) fn index_options(options: &[ast::NamedOption], table: &str) -> SqlResult<IndexOptions> {
    read(options, "CREATE INDEX", table)
}

/// The options of ALTER INDEX … REBUILD and ALTER TABLE … REBUILD. PARTITION is the caller's affair.
pub(crate) fn rebuild_options(
    options: &[ast::NamedOption],
    table: &str,
) -> SqlResult<IndexOptions> {
    let rest: Vec<ast::NamedOption> =
        options.iter().filter(|o| !o.name.is("PARTITION")).cloned().collect();
    if let Some(o) = rest.iter().find(|o| o.name.is("DROP_EXISTING")) {
        return Err(SqlError::new(155, &[&o.name.value, &"ALTER INDEX REBUILD"]));
    }
    read(&rest, "ALTER INDEX REBUILD", table)
}

/// Says what ONLINE = ON does not do.
pub(crate) fn tell_of_online(
    cx: &mut StatementContext<'_>,
    options: &[ast::NamedOption],
) -> SqlResult<()> {
    let off = |o: &&ast::NamedOption| !matches!(o.value, Some(OptionValue::Off));
    match options.iter().filter(|o| o.name.is("ONLINE")).find(off) {
        Some(_) => print(cx, OFFLINE),
        None => Ok(()),
    }
}

/// The options of ALTER INDEX … SET.
pub(crate) fn set_options(options: &[ast::NamedOption], table: &str) -> SqlResult<IndexOptions> {
    const SETTABLE: &[&str] = &[
        "ALLOW_ROW_LOCKS",
        "ALLOW_PAGE_LOCKS",
        "OPTIMIZE_FOR_SEQUENTIAL_KEY",
        "IGNORE_DUP_KEY",
        "STATISTICS_NORECOMPUTE",
    ];
    if let Some(o) = options.iter().find(|o| !SETTABLE.iter().any(|name| o.name.is(name))) {
        return Err(SqlError::new(155, &[&o.name.value, &"ALTER INDEX SET"]));
    }
    read(options, "ALTER INDEX SET", table)
}

/// The options of ALTER INDEX … REORGANIZE. Large values have pages of their own, which are free as soon as the value is: there is
/// nothing to compact, whatever LOB_COMPACTION says.
pub(crate) fn reorganize_options(options: &[ast::NamedOption]) -> SqlResult<()> {
    for o in options.iter().filter(|o| !o.name.is("PARTITION")) {
        let known = o.name.is("LOB_COMPACTION") || o.name.is("COMPRESS_ALL_ROW_GROUPS");
        match o.value {
            Some(OptionValue::On | OptionValue::Off) if known => {}
            _ => return Err(SqlError::new(155, &[&o.name.value, &"ALTER INDEX REORGANIZE"])),
        }
    }
    Ok(())
}

/// PARTITION = ALL or nothing; a number is 7729.
pub(crate) fn check_partition(
    options: &[ast::NamedOption],
    action: &str,
    index: &str,
) -> SqlResult<()> {
    match options.iter().find(|o| o.name.is("PARTITION")).map(|o| &o.value) {
        None => Ok(()),
        Some(Some(OptionValue::Word(w))) if w.is("ALL") => Ok(()),
        Some(_) => Err(SqlError::new(7729, &[&"alter index", &action, &"index", &index])),
    }
}

fn read(options: &[ast::NamedOption], statement: &str, table: &str) -> SqlResult<IndexOptions> {
    let mut read = IndexOptions::default();
    for option in options {
        let name = option.name.value.to_ascii_uppercase();
        let on = matches!(option.value, Some(OptionValue::On | OptionValue::List(_)) | None);
        match name.as_str() {
            "FILLFACTOR" => {
                let Some(OptionValue::Number(n)) = &option.value else {
                    return Err(SqlError::new(155, &[&option.name.value, &statement]));
                };
                let percent = n.parse::<u8>().ok().filter(|n| (1..=100).contains(n));
                read.fill_factor = Some(percent.ok_or_else(|| SqlError::new(129, &[&n]))?);
            }
            "PAD_INDEX" => read.padded = Some(on),
            "MAXDOP" => {
                let Some(OptionValue::Number(n)) = &option.value else {
                    return Err(SqlError::new(155, &[&option.name.value, &statement]));
                };
                if n.parse::<u16>().ok().is_none_or(|n| n > MAXDOP_MAX) {
                    return Err(SqlError::new(304, &[&n, &"maxdop", &"max degree of parallelism"]));
                }
            }
            "DATA_COMPRESSION" => match &option.value {
                Some(OptionValue::Word(w)) if w.is("NONE") => {}
                Some(OptionValue::Word(w)) if w.is("ROW") || w.is("PAGE") => {
                    return Err(SqlError::new(7738, &[&table]));
                }
                _ => return Err(unsupported("DATA_COMPRESSION")),
            },
            "ALLOW_PAGE_LOCKS" => read.page_locks = Some(on),
            "ALLOW_ROW_LOCKS" if !on => {
                return Err(unsupported(format!("{name} = OFF")));
            }
            "IGNORE_DUP_KEY" | "DROP_EXISTING" | "RESUMABLE" | "XML_COMPRESSION" if on => {
                return Err(unsupported(format!("{name} = ON")));
            }
            "IGNORE_DUP_KEY"
            | "SORT_IN_TEMPDB"
            | "STATISTICS_NORECOMPUTE"
            | "STATISTICS_INCREMENTAL"
            | "DROP_EXISTING"
            | "ONLINE"
            | "RESUMABLE"
            | "XML_COMPRESSION"
            | "ALLOW_ROW_LOCKS"
            | "OPTIMIZE_FOR_SEQUENTIAL_KEY"
            | "MAX_DURATION" => {}
            _ => return Err(SqlError::new(155, &[&option.name.value, &statement])),
        }
    }
    Ok(read)
}

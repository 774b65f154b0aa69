//! `WITH (…)` of indexes and constraints: which options there are, and what each means here.
//!
//! | option | here |
//! |---|---|
//! | FILLFACTOR, PAD_INDEX | kept in the catalogue; used by builds, rebuilds and reorganizations |
//! | MAXDOP | 0 to 32767, else 304; builds have one thread |
//! | ALLOW_PAGE_LOCKS | kept in the catalogue; no lock is ever taken on a page |
//! | DROP_EXISTING | CREATE INDEX replaces the index of the name |
//! | ONLINE, DATA_COMPRESSION, XML_COMPRESSION, SORT_IN_TEMPDB, STATISTICS_* | accepted and told ([`tell`]) |
//! | OPTIMIZE_FOR_SEQUENTIAL_KEY | likewise: neither rows nor promises depend on any of these |
//! | ALLOW_ROW_LOCKS | kept in the catalogue; OFF: who reads or changes rows locks the table |
//! | IGNORE_DUP_KEY | kept in the catalogue; ON: an INSERT passes over rows whose keys are there (3604) |
//! | RESUMABLE | accepted and told; the build is done in one go |
//! | BUCKET_COUNT, COMPRESSION_DELAY, DATA_COMPRESSION = COLUMNSTORE | 40510 |
//!
//! A switch is ON or OFF ([`is_on`]), another value 102.

use crate::results::print;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{self, OptionValue};

/// The highest MAXDOP that SQL Server takes.
const MAXDOP_MAX: u16 = 32_767;

/// Options that are ignored where they are on, and the reason that is told.
const IGNORED: &[(&str, &str)] = &[
    ("ONLINE", "The index is built offline: changes of the table wait for it."),
    ("RESUMABLE", "The index is built in one go: it cannot be paused."),
    ("OPTIMIZE_FOR_SEQUENTIAL_KEY", "Inserts go on as without it."),
    ("SORT_IN_TEMPDB", "The rows are sorted beside the files of the database."),
    ("STATISTICS_INCREMENTAL", "An index has no statistics of partitions."),
    ("STATISTICS_NORECOMPUTE", "An index has no statistics that are computed again."),
    ("XML_COMPRESSION", "The rows are stored without compression."),
];

/// What is kept of an index's options; none: not given.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct IndexOptions {
    /// FILLFACTOR.
    pub fill_factor: Option<u8>,
    /// PAD_INDEX.
    pub padded: Option<bool>,
    /// ALLOW_PAGE_LOCKS.
    pub page_locks: Option<bool>,
    /// The state of ALLOW_ROW_LOCKS.
    pub row_locks: Option<bool>,
    /// The state of IGNORE_DUP_KEY.
    pub ignore_dup_key: Option<bool>,
}

/// The options of CREATE INDEX.
pub(crate) fn index_options(options: &[ast::NamedOption]) -> SqlResult<IndexOptions> {
    read(options, "CREATE INDEX")
}

/// The options of a PRIMARY KEY, a UNIQUE constraint and an index within a table: 155 for those of CREATE INDEX alone.
pub(crate) fn constraint_options(options: &[ast::NamedOption]) -> SqlResult<IndexOptions> {
    let alone = |o: &&ast::NamedOption| o.name.is("DROP_EXISTING") || o.name.is("RESUMABLE");
    match options.iter().find(alone) {
        Some(o) => Err(SqlError::new(155, &[&o.name.value, &"CREATE TABLE"])),
        None => index_options(options),
    }
}

/// The options of ALTER INDEX … REBUILD and ALTER TABLE … REBUILD. PARTITION is the caller's affair.
pub(crate) fn rebuild_options(options: &[ast::NamedOption]) -> SqlResult<IndexOptions> {
    let rest: Vec<ast::NamedOption> =
        options.iter().filter(|o| !o.name.is("PARTITION")).cloned().collect();
    if let Some(o) = rest.iter().find(|o| o.name.is("DROP_EXISTING")) {
        return Err(SqlError::new(155, &[&o.name.value, &"ALTER INDEX REBUILD"]));
    }
    read(&rest, "ALTER INDEX REBUILD")
}

/// The options of DROP INDEX and of ALTER TABLE … DROP CONSTRAINT, checked and told: ONLINE and MAXDOP, 155 for others.
pub(crate) fn drop_options(
    cx: &mut StatementContext<'_>,
    options: &[ast::NamedOption],
    statement: &str,
) -> SqlResult<()> {
    known_alone(options, &["ONLINE", "MAXDOP"], statement)?;
    read(options, statement)?;
    tell(cx, options)
}

/// The options of ALTER TABLE … ALTER COLUMN, checked and told: ONLINE, 155 for others.
pub(crate) fn column_options(
    cx: &mut StatementContext<'_>,
    options: &[ast::NamedOption],
) -> SqlResult<()> {
    known_alone(options, &["ONLINE"], "ALTER TABLE")?;
    for option in options {
        if is_on(option)? {
            let reason = "The column is changed offline: changes of the table wait for it.";
            print(cx, &format!("Warning: ONLINE = ON was ignored. {reason}"))?;
        }
    }
    Ok(())
}

/// 155 for an option with none of these names.
fn known_alone(options: &[ast::NamedOption], known: &[&str], statement: &str) -> SqlResult<()> {
    match options.iter().find(|o| !known.iter().any(|name| o.name.is(name))) {
        Some(o) => Err(SqlError::new(155, &[&o.name.value, &statement])),
        None => Ok(()),
    }
}

/// The state of a switch: a name alone and `ON (…)` are on. 102 near a value that is neither ON nor OFF.
pub(crate) fn is_on(option: &ast::NamedOption) -> SqlResult<bool> {
    let near: &str = match &option.value {
        Some(OptionValue::On | OptionValue::List(_)) | None => return Ok(true),
        Some(OptionValue::Off) => return Ok(false),
        Some(OptionValue::Word(word) | OptionValue::Variable(word)) => &word.value,
        Some(OptionValue::Number(text) | OptionValue::Text(text)) => text,
        Some(OptionValue::Quantity(_, unit)) => &unit.value,
        Some(OptionValue::Binary(_)) => &option.name.value,
    };
    Err(SqlError::new(102, &[&near]))
}

/// Tells of options that were accepted and change nothing. The options have been read.
pub(crate) fn tell<'o>(
    cx: &mut StatementContext<'_>,
    options: impl IntoIterator<Item = &'o ast::NamedOption>,
) -> SqlResult<()> {
    for option in options {
        if let Some(text) = ignored(option)? {
            print(cx, &text)?;
        }
    }
    Ok(())
}

fn ignored(option: &ast::NamedOption) -> SqlResult<Option<String>> {
    let told = |value: &str, reason: &str| {
        let name = option.name.value.to_ascii_uppercase();
        Some(format!("Warning: {name} = {value} was ignored. {reason}"))
    };
    Ok(match (&option.value, IGNORED.iter().find(|(name, _)| option.name.is(name))) {
        (Some(OptionValue::Word(word)), None) if option.name.is("DATA_COMPRESSION") => {
            let reason = "The rows are stored without compression.";
            if word.is("NONE") { None } else { told(&word.value.to_ascii_uppercase(), reason) }
        }
        (_, Some((_, reason))) if is_on(option)? => told("ON", reason),
        _ => None,
    })
}

/// DATA_COMPRESSION = NONE, ROW or PAGE; 40510 for what only columnstore indexes have.
pub(crate) fn check_compression(value: Option<&OptionValue>) -> SqlResult<()> {
    match value {
        Some(OptionValue::Word(w)) if ["NONE", "ROW", "PAGE"].iter().any(|known| w.is(known)) => {
            Ok(())
        }
        Some(OptionValue::Word(w)) => Err(unsupported(format!("DATA_COMPRESSION = {w}"))),
        _ => Err(unsupported("DATA_COMPRESSION")),
    }
}

/// The options of ALTER INDEX … SET.
pub(crate) fn set_options(options: &[ast::NamedOption]) -> SqlResult<IndexOptions> {
    const SETTABLE: &[&str] = &[
        "ALLOW_ROW_LOCKS",
        "ALLOW_PAGE_LOCKS",
        "OPTIMIZE_FOR_SEQUENTIAL_KEY",
        "IGNORE_DUP_KEY",
        "STATISTICS_NORECOMPUTE",
        "COMPRESSION_DELAY",
    ];
    known_alone(options, SETTABLE, "ALTER INDEX SET")?;
    read(options, "ALTER INDEX SET")
}

/// The options of ALTER INDEX … REORGANIZE. Large values have pages of their own, which are free as soon as the value is: there is
/// nothing to compact, whatever LOB_COMPACTION says.
pub(crate) fn reorganize_options(options: &[ast::NamedOption]) -> SqlResult<()> {
    for o in options.iter().filter(|o| !o.name.is("PARTITION")) {
        let known = o.name.is("LOB_COMPACTION") || o.name.is("COMPRESS_ALL_ROW_GROUPS");
        if !known || matches!(o.value, None | Some(OptionValue::List(_))) {
            return Err(SqlError::new(155, &[&o.name.value, &"ALTER INDEX REORGANIZE"]));
        }
        is_on(o)?;
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

fn read(options: &[ast::NamedOption], statement: &str) -> SqlResult<IndexOptions> {
    let mut read = IndexOptions::default();
    for option in options {
        let name = option.name.value.to_ascii_uppercase();
        match name.as_str() {
            "FILLFACTOR" => {
                let Some(OptionValue::Number(n)) = &option.value else {
                    return Err(SqlError::new(155, &[&option.name.value, &statement]));
                };
                let percent = n.parse::<u8>().ok().filter(|n| (1..=100).contains(n));
                read.fill_factor = Some(percent.ok_or_else(|| SqlError::new(129, &[&n]))?);
            }
            "PAD_INDEX" => read.padded = Some(is_on(option)?),
            "MAXDOP" => {
                let Some(OptionValue::Number(n)) = &option.value else {
                    return Err(SqlError::new(155, &[&option.name.value, &statement]));
                };
                if n.parse::<u16>().ok().is_none_or(|n| n > MAXDOP_MAX) {
                    return Err(SqlError::new(304, &[&n, &"maxdop", &"max degree of parallelism"]));
                }
            }
            "DATA_COMPRESSION" => check_compression(option.value.as_ref())?,
            "ALLOW_PAGE_LOCKS" => read.page_locks = Some(is_on(option)?),
            "ALLOW_ROW_LOCKS" => read.row_locks = Some(is_on(option)?),
            "IGNORE_DUP_KEY" => read.ignore_dup_key = Some(is_on(option)?),
            "BUCKET_COUNT" | "COMPRESSION_DELAY" => return Err(unsupported(name)),
            "SORT_IN_TEMPDB"
            | "STATISTICS_NORECOMPUTE"
            | "STATISTICS_INCREMENTAL"
            | "DROP_EXISTING"
            | "ONLINE"
            | "RESUMABLE"
            | "XML_COMPRESSION"
            | "OPTIMIZE_FOR_SEQUENTIAL_KEY" => {
                is_on(option)?;
            }
            "MAX_DURATION" => {}
            _ => return Err(SqlError::new(155, &[&option.name.value, &statement])),
        }
    }
    Ok(read)
}

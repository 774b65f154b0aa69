//! Names that SQL Server has, whether they are here or not: one that is not found is told as missing (40510), not as a
//! name that is wrong (208, 2812, 195, 2526). Looked at only where an error is about to be raised.

use std::sync::LazyLock;

type Names = LazyLock<hashbrown::HashSet<String, foldhash::fast::RandomState>>;

/// Names of a text, folded as names of ASCII are.
fn names(text: &str) -> hashbrown::HashSet<String, foldhash::fast::RandomState> {
    text.split_ascii_whitespace().map(str::to_ascii_lowercase).collect()
}

static VIEWS: Names = LazyLock::new(|| names(include_str!("views.txt")));
static INFORMATION_SCHEMA: Names = LazyLock::new(|| names(include_str!("information_schema.txt")));
static MANAGED_BACKUP: Names = LazyLock::new(|| names(include_str!("managed_backup.txt")));
static MASTER: Names = LazyLock::new(|| names(include_str!("master.txt")));
static MSDB: Names = LazyLock::new(|| names(include_str!("msdb.txt")));
static PROCEDURES: Names = LazyLock::new(|| names(include_str!("procedures.txt")));
static FUNCTIONS: Names = LazyLock::new(|| names(include_str!("functions.txt")));
static ROWSETS: Names = LazyLock::new(|| names(include_str!("rowset_functions.txt")));
static DBCC: Names = LazyLock::new(|| names(include_str!("dbcc.txt")));

/// The `database_id` of master.
const MASTER_ID: u16 = 1;
/// The `database_id` of msdb.
const MSDB_ID: u16 = 4;

/// The name of a view or table-valued function of the system's, as a message shows it. `database`: the number of the one
/// where it was looked for.
pub fn view(schema: Option<&str>, name: &str, database: u16) -> Option<String> {
    let bare = name.to_ascii_lowercase();
    match schema.map(str::to_ascii_lowercase).as_deref() {
        Some("sys") => (VIEWS.contains(&bare)
            || bare.starts_with("fn_") && ROWSETS.contains(&bare))
        .then(|| format!("sys.{bare}")),
        Some("information_schema") => {
            let shown = || format!("INFORMATION_SCHEMA.{}", bare.to_ascii_uppercase());
            INFORMATION_SCHEMA.contains(&bare).then(shown)
        }
        Some(schema @ "managed_backup")
            if database == MSDB_ID && MANAGED_BACKUP.contains(&bare) =>
        {
            Some(format!("msdb.{schema}.{bare}"))
        }
        None | Some("" | "dbo") if database == MSDB_ID && MSDB.contains(&bare) => {
            Some(format!("msdb.dbo.{bare}"))
        }
        None | Some("" | "dbo") if database == MASTER_ID && MASTER.contains(&bare) => {
            Some(format!("master.dbo.{bare}"))
        }
        // The catalogue of SQL Server 2000 is found without its schema.
        None | Some("" | "dbo") if bare.starts_with("sys") && VIEWS.contains(&bare) => {
            Some(format!("sys.{bare}"))
        }
        _ => None,
    }
}

/// Whether SQL Server has a procedure of this name.
pub fn procedure(schema: Option<&str>, name: &str) -> bool {
    let known = ["", "dbo", "sys", "core", "managed_backup"];
    schema.is_none_or(|s| known.iter().any(|k| s.eq_ignore_ascii_case(k)))
        && PROCEDURES.contains(&name.to_ascii_lowercase())
}

/// Whether it has a scalar function of this name.
pub fn function(name: &str) -> bool {
    FUNCTIONS.contains(&name.to_ascii_lowercase())
}

/// Whether it has a function in FROM of this name.
pub fn rowset_function(name: &str) -> bool {
    ROWSETS.contains(&name.to_ascii_lowercase())
}

/// Whether it has a DBCC command of this name.
pub fn dbcc(name: &str) -> bool {
    DBCC.contains(&name.to_ascii_lowercase())
}

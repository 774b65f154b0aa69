//! `ALTER DATABASE … SET`: what each option means here. An option that the engine does not have may be set to the value
//! that is true. Another value is accepted and told where neither results nor promises depend on it ([`ignored`]); the
//! catalogue goes on showing what is true. All else is refused.

use crate::catalog::registry::{
    COMPATIBILITY_LEVEL, FLAG_CONTAINED, FLAG_LOCAL_CURSORS, FLAG_READ_ONLY,
    FLAG_RECURSIVE_TRIGGERS, FLAG_RESTRICTED_USER, FLAG_SINGLE_USER,
};
use crate::database::Database;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{DatabaseOptions, RecoveryModel};
use taffrail_syntax::ast::{self, DatabaseOption};

/// The fate of a switch that is set to another value than it has here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    /// Results and promises are the same either way: the statement is accepted, and a warning says that nothing changes.
    Ignored,
    /// The other value would promise or change something: 40510.
    Refused,
}

/// Options that are on or off: the value that each has here, and the fate of the other one.
///
/// A database's options of sessions (`ANSI_NULLS` …) are for those that have none of their own; every session has them.
const SWITCHES: &[(&str, bool, Otherwise)] = {
    use Otherwise::{Ignored, Refused};
    &[
        ("ACCELERATED_DATABASE_RECOVERY", false, Refused),
        ("ANSI_NULLS", false, Ignored),
        ("ANSI_NULL_DEFAULT", false, Ignored),
        ("ANSI_PADDING", false, Ignored),
        ("ANSI_WARNINGS", false, Ignored),
        ("ARITHABORT", false, Ignored),
        ("AUTO_CLOSE", false, Ignored),
        ("AUTO_CREATE_STATISTICS", true, Ignored),
        ("AUTO_SHRINK", false, Ignored),
        ("AUTO_UPDATE_STATISTICS", true, Ignored),
        ("AUTO_UPDATE_STATISTICS_ASYNC", false, Ignored),
        ("CHANGE_TRACKING", false, Refused),
        ("CONCAT_NULL_YIELDS_NULL", false, Ignored),
        ("CURSOR_CLOSE_ON_COMMIT", false, Ignored),
        ("DATA_RETENTION", false, Refused),
        ("DATE_CORRELATION_OPTIMIZATION", false, Ignored),
        ("DB_CHAINING", false, Ignored),
        ("ENCRYPTION", false, Refused),
        ("HONOR_BROKER_PRIORITY", false, Ignored),
        ("MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT", false, Ignored),
        ("MIXED_PAGE_ALLOCATION", false, Ignored),
        ("NUMERIC_ROUNDABORT", false, Refused),
        ("QUERY_STORE", false, Ignored),
        ("QUOTED_IDENTIFIER", false, Ignored),
        ("REMOTE_DATA_ARCHIVE", false, Refused),
        ("SUPPLEMENTAL_LOGGING", false, Refused),
        ("TEMPORAL_HISTORY_RETENTION", true, Refused),
        ("TORN_PAGE_DETECTION", false, Ignored),
        ("TRUSTWORTHY", false, Ignored),
    ]
};

/// The compatibility levels that SQL Server 2022 has.
const COMPATIBILITY_LEVELS: [u32; 7] = [100, 110, 120, 130, 140, 150, 160];

/// The warning about an option that was accepted and changes nothing, if there is one.
pub(super) fn ignored(option: &DatabaseOption) -> Option<String> {
    let told = |what: &str, stays: &str| Some(format!("Warning: SET {what} was ignored. {stays}"));
    match option {
        DatabaseOption::Switch(name, on) => {
            let (_, is, otherwise) = SWITCHES.iter().find(|s| s.0 == &**name)?;
            let word = |on: bool| if on { "ON" } else { "OFF" };
            match otherwise {
                Otherwise::Ignored if is != on => told(
                    &format!("{name} {}", word(*on)),
                    &format!("The option stays {}.", word(*is)),
                ),
                _ => None,
            }
        }
        DatabaseOption::CompatibilityLevel(level) if *level != COMPATIBILITY_LEVEL.into() => told(
            &format!("COMPATIBILITY_LEVEL = {level}"),
            &format!("The compatibility level stays {COMPATIBILITY_LEVEL}."),
        ),
        DatabaseOption::PageVerify(ast::PageVerify::TornPageDetection) => {
            told("PAGE_VERIFY TORN_PAGE_DETECTION", "The option stays CHECKSUM.")
        }
        DatabaseOption::PageVerify(ast::PageVerify::None) => {
            told("PAGE_VERIFY NONE", "The option stays CHECKSUM.")
        }
        DatabaseOption::Other(name, Some(ast::OptionValue::List(list))) => match &**name {
            "QUERY_STORE" => told("QUERY_STORE", "There is no query store: the option stays OFF."),
            "AUTO_CREATE_STATISTICS" if !all_off(list, "INCREMENTAL") => {
                told("AUTO_CREATE_STATISTICS ON (INCREMENTAL = ON)", "INCREMENTAL stays OFF.")
            }
            _ => None,
        },
        DatabaseOption::Other(name, Some(ast::OptionValue::Word(w)))
            if &**name == "PARAMETERIZATION" && w.is("FORCED") =>
        {
            told("PARAMETERIZATION FORCED", "The option stays SIMPLE.")
        }
        _ => None,
    }
}

/// Applies one option.
pub(crate) fn apply(
    database: &Database,
    options: &mut DatabaseOptions,
    option: &DatabaseOption,
) -> SqlResult<()> {
    match option {
        DatabaseOption::Recovery(model) => {
            if database.id.0 == 2 {
                return Err(SqlError::new(5058, &[&"RECOVERY", &database.name]));
            }
            options.recovery_model = match model {
                ast::RecoveryModel::Simple => RecoveryModel::Simple,
                ast::RecoveryModel::BulkLogged => RecoveryModel::BulkLogged,
                ast::RecoveryModel::Full => RecoveryModel::Full,
            };
            Ok(())
        }
        DatabaseOption::DelayedDurability(d) => {
            options.delayed_durability = match d {
                ast::DelayedDurability::Disabled => 0,
                ast::DelayedDurability::Allowed => 1,
                ast::DelayedDurability::Forced => 2,
            };
            Ok(())
        }
        DatabaseOption::UserAccess(access) => {
            options.engine_flags &= !(FLAG_SINGLE_USER | FLAG_RESTRICTED_USER);
            options.engine_flags |= match access {
                ast::UserAccess::Single => FLAG_SINGLE_USER,
                ast::UserAccess::Restricted => FLAG_RESTRICTED_USER,
                ast::UserAccess::Multi => 0,
            };
            Ok(())
        }
        DatabaseOption::ReadOnly(on) => {
            if database.id.0 <= 4 && *on {
                return Err(SqlError::new(5058, &[&"READ_ONLY", &database.name]));
            }
            options.engine_flags &= !FLAG_READ_ONLY;
            options.engine_flags |= if *on { FLAG_READ_ONLY } else { 0 };
            Ok(())
        }
        DatabaseOption::State(state) => {
            Err(unsupported(format!("{state:?} together with other options")))
        }
        DatabaseOption::TargetRecoveryTime(seconds) => {
            options.target_recovery_time_s = *seconds;
            Ok(())
        }
        // Pages have checksums, whatever is asked for: see `ignored`.
        DatabaseOption::PageVerify(_) => Ok(()),
        DatabaseOption::CompatibilityLevel(level) => match COMPATIBILITY_LEVELS.contains(level) {
            true => Ok(()),
            false => {
                let levels = COMPATIBILITY_LEVELS.each_ref().map(|l| l as &dyn std::fmt::Display);
                Err(SqlError::new(15048, &levels).with_severity(16))
            }
        },
        DatabaseOption::Switch(name, on) if &**name == "RECURSIVE_TRIGGERS" => {
            options.engine_flags &= !FLAG_RECURSIVE_TRIGGERS;
            options.engine_flags |= if *on { FLAG_RECURSIVE_TRIGGERS } else { 0 };
            Ok(())
        }
        DatabaseOption::Switch(name, on) => {
            let known = SWITCHES.iter().find(|s| s.0 == &**name);
            match known {
                Some((_, is, otherwise)) if is == on || *otherwise == Otherwise::Ignored => Ok(()),
                _ => {
                    let value = if *on { "ON" } else { "OFF" };
                    Err(unsupported(format!("SET {name} {value}")))
                }
            }
        }
        DatabaseOption::Other(name, value) => other(options, name, value.as_ref()),
    }
}

/// An option that is neither on nor off.
fn other(
    options: &mut DatabaseOptions,
    name: &str,
    value: Option<&ast::OptionValue>,
) -> SqlResult<()> {
    match (name, value) {
        ("DISABLE_BROKER", None) => Ok(()),
        ("PARAMETERIZATION", Some(ast::OptionValue::Word(w)))
            if w.is("SIMPLE") || w.is("FORCED") =>
        {
            Ok(())
        }
        ("CONTAINMENT", Some(ast::OptionValue::Word(w))) if w.is("NONE") => {
            options.engine_flags &= !FLAG_CONTAINED;
            Ok(())
        }
        ("CONTAINMENT", Some(ast::OptionValue::Word(w))) if w.is("PARTIAL") => {
            options.engine_flags |= FLAG_CONTAINED;
            Ok(())
        }
        // An empty store needs no clearing.
        ("QUERY_STORE", Some(ast::OptionValue::Word(w))) if w.is("CLEAR") => Ok(()),
        ("QUERY_STORE", Some(ast::OptionValue::List(_))) => Ok(()),
        // `ON (INCREMENTAL = OFF)`, as scripts of Management Studio have it.
        ("AUTO_CREATE_STATISTICS", Some(ast::OptionValue::List(list)))
            if list.iter().all(|o| o.name.is("INCREMENTAL")) =>
        {
            Ok(())
        }
        ("AUTOMATIC_TUNING", Some(ast::OptionValue::List(list)))
            if all_off(list, "FORCE_LAST_GOOD_PLAN") =>
        {
            Ok(())
        }
        ("FILESTREAM", Some(ast::OptionValue::List(list)))
            if all_off(list, "NON_TRANSACTED_ACCESS") =>
        {
            Ok(())
        }
        ("CURSOR_DEFAULT", Some(ast::OptionValue::Word(w))) if w.is("GLOBAL") => {
            options.engine_flags &= !FLAG_LOCAL_CURSORS;
            Ok(())
        }
        ("CURSOR_DEFAULT", Some(ast::OptionValue::Word(w))) if w.is("LOCAL") => {
            options.engine_flags |= FLAG_LOCAL_CURSORS;
            Ok(())
        }
        _ => Err(unsupported(format!("SET {name}"))),
    }
}

/// Nothing but `name = OFF`, or DEFAULT, which is that.
fn all_off(list: &[ast::NamedOption], name: &str) -> bool {
    list.iter().all(|o| {
        o.name.is(name)
            && match &o.value {
                Some(ast::OptionValue::Off) => true,
                Some(ast::OptionValue::Word(w)) => w.is("OFF") || w.is("DEFAULT"),
                _ => false,
            }
    })
}

/// An option of `CREATE DATABASE … WITH`: what is so anyway may be said.
pub(super) fn at_creation(option: &ast::NamedOption) -> SqlResult<()> {
    use taffrail_types::Collation;
    let is_default = |w: &ast::Ident| {
        w.is("DATABASE_DEFAULT") || Collation::from_name(&w.value) == Some(Collation::default())
    };
    match (&*option.name.value.to_ascii_uppercase(), &option.value) {
        ("CATALOG_COLLATION", Some(ast::OptionValue::Word(w))) if is_default(w) => Ok(()),
        ("LEDGER" | "DB_CHAINING" | "TRUSTWORTHY", Some(ast::OptionValue::Off)) => Ok(()),
        (name, _) => Err(unsupported(format!("CREATE DATABASE … WITH {name}"))),
    }
}

//! `ALTER DATABASE … SET`: what each option means here. An option that would change nothing because the engine does not
//! know the thing may be set to the value that is true; any other value is refused.

use crate::catalog::registry::{
    COMPATIBILITY_LEVEL, FLAG_READ_ONLY, FLAG_RESTRICTED_USER, FLAG_SINGLE_USER,
};
use crate::database::Database;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{DatabaseOptions, RecoveryModel};
use taffrail_syntax::ast::{self, DatabaseOption};

/// Options that are on or off, and what they are here.
const SWITCHES: &[(&str, bool)] = &[
    ("ALLOW_SNAPSHOT_ISOLATION", false),
    ("ANSI_NULLS", false),
    ("ANSI_NULL_DEFAULT", false),
    ("ANSI_PADDING", false),
    ("ANSI_WARNINGS", false),
    ("ARITHABORT", false),
    ("AUTO_CLOSE", false),
    ("AUTO_CREATE_STATISTICS", true),
    ("AUTO_SHRINK", false),
    ("AUTO_UPDATE_STATISTICS", true),
    ("AUTO_UPDATE_STATISTICS_ASYNC", false),
    ("CONCAT_NULL_YIELDS_NULL", false),
    ("CURSOR_CLOSE_ON_COMMIT", false),
    ("DATE_CORRELATION_OPTIMIZATION", false),
    ("DB_CHAINING", false),
    ("ENCRYPTION", false),
    ("HONOR_BROKER_PRIORITY", false),
    ("MIXED_PAGE_ALLOCATION", false),
    ("NUMERIC_ROUNDABORT", false),
    ("QUERY_STORE", false),
    ("QUOTED_IDENTIFIER", false),
    ("READ_COMMITTED_SNAPSHOT", false),
    ("RECURSIVE_TRIGGERS", false),
    ("TORN_PAGE_DETECTION", false),
    ("TRUSTWORTHY", false),
    ("ACCELERATED_DATABASE_RECOVERY", false),
];

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
        DatabaseOption::PageVerify(ast::PageVerify::Checksum) => Ok(()),
        DatabaseOption::PageVerify(_) => Err(unsupported("PAGE_VERIFY other than CHECKSUM")),
        DatabaseOption::CompatibilityLevel(level) => match *level == COMPATIBILITY_LEVEL as u32 {
            true => Ok(()),
            false => Err(unsupported(format!("COMPATIBILITY_LEVEL = {level}"))),
        },
        DatabaseOption::Switch(name, on) => {
            match SWITCHES.iter().find(|s| s.0.eq_ignore_ascii_case(name)) {
                Some((_, is)) if is == on => Ok(()),
                _ => {
                    let value = if *on { "ON" } else { "OFF" };
                    Err(unsupported(format!("SET {name} {value}")))
                }
            }
        }
        DatabaseOption::Other(name, value) => match (&**name, value) {
            ("DISABLE_BROKER", _) => Ok(()),
            ("PARAMETERIZATION", Some(ast::OptionValue::Word(w))) if w.is("SIMPLE") => Ok(()),
            ("QUERY_STORE", Some(ast::OptionValue::Off)) => Ok(()),
            // `ON (INCREMENTAL = OFF)`, as scripts of Management Studio have it.
            ("AUTO_CREATE_STATISTICS", Some(ast::OptionValue::List(list)))
                if all_off(list, "INCREMENTAL") =>
            {
                Ok(())
            }
            ("FILESTREAM", Some(ast::OptionValue::List(list)))
                if all_off(list, "NON_TRANSACTED_ACCESS") =>
            {
                Ok(())
            }
            ("CURSOR_DEFAULT", Some(ast::OptionValue::Word(w))) if w.is("GLOBAL") => Ok(()),
            _ => Err(unsupported(format!("SET {name}"))),
        },
    }
}

/// Nothing but `name = OFF`.
fn all_off(list: &[ast::NamedOption], name: &str) -> bool {
    list.iter().all(|o| {
        o.name.is(name)
            && match &o.value {
                Some(ast::OptionValue::Off) => true,
                Some(ast::OptionValue::Word(w)) => w.is("OFF"),
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

//! `ALTER DATABASE SCOPED CONFIGURATION`: the configurations of a database, and which can be changed.
//!
//! Two are the product's own: how the log's files are initialised, and how many VLFs a growth makes. Those of SQL Server
//! that the engine has nothing to change for can be set to the value that is true.

use super::database::put_options;
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{Initialization, VlfAlgorithm};
use taffrail_syntax::ast::{self, OptionValue};

/// `configuration_id`, name and value of what SQL Server has and is fixed here.
pub(crate) const FIXED: &[(i32, &str, i32)] = &[
    (1, "MAXDOP", 0),
    (2, "LEGACY_CARDINALITY_ESTIMATION", 0),
    (3, "PARAMETER_SNIFFING", 1),
    (4, "QUERY_OPTIMIZER_HOTFIXES", 0),
    (6, "IDENTITY_CACHE", 1),
    (13, "OPTIMIZE_FOR_AD_HOC_WORKLOADS", 0),
];
/// How new parts of the log's files are initialised.
pub(crate) const LOG_INITIALIZATION: (i32, &str) = (10_001, "LOG_INITIALIZATION");
/// How many VLFs a growth of a log file makes.
pub(crate) const LOG_VLF_ALGORITHM: (i32, &str) = (10_002, "LOG_VLF_ALGORITHM");

/// `SET name = value`, `CLEAR name`.
pub(super) fn alter(
    cx: &StatementContext<'_>,
    database: &Arc<Database>,
    secondary: bool,
    clear: bool,
    option: &ast::NamedOption,
) -> SqlResult<()> {
    let name = option.name.value.to_uppercase();
    if secondary {
        return Err(unsupported("SCOPED CONFIGURATION FOR SECONDARY"));
    }
    if clear {
        return Err(unsupported(format!("SCOPED CONFIGURATION CLEAR {name}")));
    }
    let text = match &option.value {
        Some(OptionValue::On) => "1".to_owned(),
        Some(OptionValue::Off) => "0".to_owned(),
        Some(OptionValue::Number(n)) => n.to_string(),
        Some(OptionValue::Word(w)) => w.value.to_uppercase(),
        Some(OptionValue::Text(t)) => t.to_uppercase(),
        _ => return Err(SqlError::new(102, &[&option.name.value])),
    };
    let is_default = text == "DEFAULT";
    let wrong = |allowed: &str| {
        let what = format!("{name} = {text} (possible: {allowed}, DEFAULT)");
        unsupported(format!("SCOPED CONFIGURATION {what}"))
    };
    // It is the database's, and lasts: not a part of any transaction.
    cx.session.check_cancel()?;
    if name == LOG_INITIALIZATION.1 {
        let mode = Initialization::from_name(&text);
        if mode.is_none() && !is_default {
            return Err(wrong("ZERO, SQL2022, AHEAD"));
        }
        put_options(cx, database, |options| {
            options.log_initialization = mode;
            Ok(())
        })
    } else if name == LOG_VLF_ALGORITHM.1 {
        let algorithm = VlfAlgorithm::from_name(&text);
        if algorithm.is_none() && !is_default {
            return Err(wrong("2012, 2014, 2022"));
        }
        put_options(cx, database, |options| {
            options.log_vlf_algorithm = algorithm;
            Ok(())
        })
    } else {
        match FIXED.iter().find(|f| f.1 == name) {
            Some((_, _, value)) if is_default || text == value.to_string() => Ok(()),
            _ => Err(unsupported(format!("SCOPED CONFIGURATION {name} = {text}"))),
        }
    }
}

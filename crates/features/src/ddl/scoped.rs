//! `ALTER DATABASE SCOPED CONFIGURATION`: the configurations of a database, and which can be changed.
//!
//! Three are the product's own: how the log's files are initialised, how many VLFs a growth makes, and whether commits release their locks
//! before they are durable. `TSQL_SCALAR_UDF_INLINING` is SQL
//! Server's. Those of the others that the engine has nothing to change for can be set to the value that is true; where neither results
//! nor promises depend on one, another value is ignored and told.

use super::database::put_options;
use crate::catalog::registry::{FLAG_FUNCTIONS_CALLED, FLAG_PIPELINED_COMMIT};
use crate::configurations::{
    FIXED, FUNCTION_INLINING, LOG_INITIALIZATION, LOG_VLF_ALGORITHM, PIPELINED_COMMIT,
};
use crate::database::Database;
use crate::results::print;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{Initialization, VlfAlgorithm};
use taffrail_syntax::ast::{self, OptionValue};

/// Configurations of plans and measurements, which change no result: ignored, whatever they are set to.
const IGNORED: &[&str] = &[
    "ACCELERATED_PLAN_FORCING",
    "ASYNC_STATS_UPDATE_WAIT_AT_LOW_PRIORITY",
    "BATCH_MODE_ADAPTIVE_JOINS",
    "BATCH_MODE_MEMORY_GRANT_FEEDBACK",
    "BATCH_MODE_ON_ROWSTORE",
    "CE_FEEDBACK",
    "DEFERRED_COMPILATION_TV",
    "DOP_FEEDBACK",
    "EXEC_QUERY_STATS_FOR_SCALAR_FUNCTIONS",
    "FORCE_SHOWPLAN_RUNTIME_PARAMETER_COLLECTION",
    "INTERLEAVED_EXECUTION_TVF",
    "ISOLATE_SECURITY_POLICY_CARDINALITY",
    "LAST_QUERY_PLAN_STATS",
    "LEGACY_CARDINALITY_ESTIMATION",
    "LIGHTWEIGHT_QUERY_PROFILING",
    "MAXDOP",
    "MEMORY_GRANT_FEEDBACK_PERCENTILE_GRANT",
    "MEMORY_GRANT_FEEDBACK_PERSISTENCE",
    "OPTIMIZED_PLAN_FORCING",
    "OPTIMIZE_FOR_AD_HOC_WORKLOADS",
    "PARAMETER_SENSITIVE_PLAN_OPTIMIZATION",
    "PARAMETER_SNIFFING",
    "QUERY_OPTIMIZER_HOTFIXES",
    "ROW_MODE_MEMORY_GRANT_FEEDBACK",
    "TSQL_SCALAR_UDF_INLINING",
    "XTP_PROCEDURE_EXECUTION_STATISTICS",
    "XTP_QUERY_EXECUTION_STATISTICS",
];
/// Further configurations that have one value here: results or messages depend on the others.
const OTHERS: &[(&str, &str)] = &[
    ("ELEVATE_ONLINE", "OFF"),
    ("ELEVATE_RESUMABLE", "OFF"),
    ("GLOBAL_TEMPORARY_TABLE_AUTO_DROP", "ON"),
    ("VERBOSE_TRUNCATION_WARNINGS", "ON"),
];
/// `SET name = value`, `CLEAR name`.
pub(super) fn alter(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    secondary: bool,
    clear: bool,
    option: &ast::NamedOption,
) -> SqlResult<()> {
    let name = option.name.value.to_uppercase();
    // These configurations and the cache are those of the database that is here, the primary.
    let own = [LOG_INITIALIZATION.1, LOG_VLF_ALGORITHM.1, PIPELINED_COMMIT.1];
    if secondary && (clear || own.contains(&&*name)) {
        let verb = if clear { "CLEAR" } else { "SET" };
        return Err(unsupported(format!("SCOPED CONFIGURATION FOR SECONDARY {verb} {name}")));
    }
    if clear && name == "PROCEDURE_CACHE" && option.value.is_none() {
        cx.instance().plans().forget_all();
        return Ok(());
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
    } else if name == PIPELINED_COMMIT.1 {
        set_pipelined(cx, database, &text)
    } else if name == FUNCTION_INLINING.1 && !secondary {
        set_inlining(cx, database, &text)
    } else {
        set_foreign(cx, secondary, &name, &text)
    }
}

/// `TSQL_SCALAR_UDF_INLINING`: no plan of before is used again.
fn set_inlining(cx: &StatementContext<'_>, database: &Arc<Database>, text: &str) -> SqlResult<()> {
    let called = match text {
        "1" | "ON" | "DEFAULT" => 0,
        "0" | "OFF" => FLAG_FUNCTIONS_CALLED,
        _ => return Err(SqlError::new(102, &[&text])),
    };
    put_options(cx, database, |options| {
        options.engine_flags = options.engine_flags & !FLAG_FUNCTIONS_CALLED | called;
        Ok(())
    })?;
    cx.instance().plans().forget_all();
    Ok(())
}

/// `PIPELINED_COMMIT`: for commits from now on. When it is OFF all that were released before are durable.
fn set_pipelined(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    text: &str,
) -> SqlResult<()> {
    let pipelined = match text {
        "1" | "ON" => FLAG_PIPELINED_COMMIT,
        "0" | "OFF" | "DEFAULT" => 0,
        _ => return Err(SqlError::new(102, &[&text])),
    };
    put_options(cx, database, |options| {
        options.engine_flags = options.engine_flags & !FLAG_PIPELINED_COMMIT | pipelined;
        Ok(())
    })?;
    // Behind the option: a commit that has not seen it yet waits like any other.
    cx.session.promises.barrier()
}

/// Sets a configuration of SQL Server's. There is no secondary replica: as the primary one is, so is none.
fn set_foreign(
    cx: &mut StatementContext<'_>,
    secondary: bool,
    name: &str,
    text: &str,
) -> SqlResult<()> {
    let word = |value: &str| match value {
        "0" if name != "MAXDOP" => "OFF".to_owned(),
        "1" if name != "MAXDOP" => "ON".to_owned(),
        value => value.to_owned(),
    };
    let fixed = FIXED.iter().find(|f| f.1 == name).map(|f| word(&f.2.to_string()));
    let other = OTHERS.iter().find(|(other, _)| *other == name).map(|o| o.1.to_owned());
    let (value, text, ignored) = (fixed.or(other), word(text), IGNORED.contains(&name));
    let is_so = |value: &String| text == "DEFAULT" || text == *value;
    match &value {
        _ if secondary && text == "PRIMARY" && (ignored || value.is_some()) => Ok(()),
        Some(value) if is_so(value) && !secondary => Ok(()),
        _ if !ignored => Err(unsupported(format!("SCOPED CONFIGURATION {name} = {text}"))),
        _ => {
            let stays = match &value {
                _ if secondary => "There is no secondary replica.".to_owned(),
                Some(value) => format!("The configuration stays {value}."),
                None => "It has no effect here.".to_owned(),
            };
            print(cx, &format!("Warning: {name} = {text} was ignored. {stays}"))
        }
    }
}

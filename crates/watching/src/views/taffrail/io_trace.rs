//! taffrail.io_trace.

use super::{Declaration, Times, ViewContext, owners, taffrail};
use crate::features::needs;
use crate::row;
use crate::views::Rows;
use std::collections::HashMap;
use std::path::PathBuf;
use taffrail_base::SqlResult;
use taffrail_io::IoReason;
use taffrail_io::counted::FileOperation;
use taffrail_observe::trace;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(taffrail(
        "io_trace",
        needs::SERVER_PERFORMANCE,
        &[
            "sequence_number bigint!",
            "start_time datetime2(7)!",
            "session_id smallint!",
            "operation nvarchar(60)!",
            "database_id smallint?",
            "file_id smallint?",
            "physical_name nvarchar(260)?",
            "offset bigint?",
            "length bigint?",
            "is_durable bit!",
            "duration_us bigint!",
            "result nvarchar(256)!",
            "system_error int?",
            "reason nvarchar(60)?",
        ],
        io_trace,
    ));
}

fn io_trace(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    use FileOperation::{Allocate, Read, Truncate, Write};
    let (times, owners) = (Times::new(cx), owners(cx));
    let mut names: HashMap<u32, Option<(PathBuf, String)>> = HashMap::new();
    for (number, io) in trace::file_io().read_after(0) {
        let Some(operation) = FileOperation::from_number(io.operation) else { continue };
        let name = names.entry(io.file).or_insert_with(|| {
            trace::file_name(io.file).map(|p| (p.clone(), p.display().to_string()))
        });
        let owner = name.as_ref().and_then(|(path, _)| owners.get(path));
        let has_bytes = matches!(operation, Read | Write | Allocate);
        let result = match io.error {
            0 => "SUCCESS".to_owned(),
            -1 => "FAILED".to_owned(),
            n => std::io::Error::from_raw_os_error(n).to_string(),
        };
        rows.push(row![
            number,
            times.before(io.at, io.ns),
            io.session,
            operation.name(),
            owner.map(|o| o.0),
            owner.map(|o| o.1),
            name.as_ref().map(|n| n.1.as_str()),
            (has_bytes || operation == Truncate).then_some(io.offset),
            has_bytes.then_some(io.length),
            io.durable,
            io.ns / 1000,
            result,
            (io.error > 0).then_some(i64::from(io.error)),
            IoReason::from_number(io.reason).and_then(IoReason::name)
        ]);
    }
    Ok(())
}

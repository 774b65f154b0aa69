//! taffrail.flush_history.

use super::{Declaration, Times, ViewContext, database_names, taffrail};
use crate::features::needs;
use crate::row;
use crate::views::Rows;
use crate::vlfs::log_file_ids;
use std::collections::HashMap;
use taffrail_base::{Lsn, SqlResult};
use taffrail_observe::trace;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(taffrail(
        "flush_history",
        needs::SERVER_PERFORMANCE,
        &[
            "sequence_number bigint!",
            "start_time datetime2(7)!",
            "session_id smallint!",
            "database_id smallint!",
            "database_name nvarchar(128)?",
            "file_id smallint?",
            "operation nvarchar(60)!",
            "cause nvarchar(60)!",
            "first_lsn nvarchar(24)?",
            "last_lsn nvarchar(24)?",
            "offset bigint?",
            "bytes bigint!",
            "blocks int!",
            "records int!",
            "commits int!",
            "is_durable bit!",
            "duration_us bigint!",
            "is_failed bit!",
        ],
        flush_history,
    ));
}

fn flush_history(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let (times, names) = (Times::new(cx), database_names(cx));
    let mut files: HashMap<u16, Vec<u16>> = HashMap::new();
    let lsn = |l: Lsn| (l != Lsn::ZERO).then(|| l.to_string());
    for (number, flush) in trace::flushes().read_after(0) {
        let files = files.entry(flush.database.0).or_insert_with(|| {
            let open = cx.session.instance.databases().by_id(flush.database);
            open.map(|d| log_file_ids(&d)).unwrap_or_default()
        });
        rows.push(row![
            number,
            times.before(flush.at, flush.ns),
            flush.session,
            flush.database.0,
            names.get(&flush.database),
            files.get(usize::from(flush.file)).copied().filter(|id| *id != 0),
            if flush.sync { "SYNC" } else { "WRITE" },
            flush.cause.name(),
            lsn(flush.first),
            lsn(flush.last),
            (!flush.sync).then_some(flush.offset),
            flush.bytes,
            flush.blocks,
            flush.records,
            flush.commits,
            flush.durable,
            flush.ns / 1000,
            flush.failed
        ]);
    }
    Ok(())
}

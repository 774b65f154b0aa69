//! taffrail.trace_rings.

use super::{Declaration, ViewContext, taffrail};
use crate::features::needs;
use crate::row;
use crate::views::Rows;
use taffrail_base::SqlResult;
use taffrail_observe::trace::{self, RingState};
use taffrail_observe::{EventRing, History};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(taffrail(
        "trace_rings",
        needs::SERVER_PERFORMANCE,
        &[
            "name nvarchar(128)!",
            "capacity bigint!",
            "recorded bigint!",
            "overwritten bigint!",
            "missed bigint!",
        ],
        trace_rings,
    ));
}

fn trace_rings(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let mut put = |name: &str, s: RingState| {
        rows.push(row![name, s.capacity, s.recorded, s.overwritten, s.missed]);
    };
    put("io_trace", trace::file_io().state());
    put("flush_history", trace::flushes().state());
    for (name, of) in
        [("growth_history", History::Growths), ("checkpoint_history", History::Checkpoints)]
    {
        let capacity = History::CAPACITY as u64;
        let recorded = EventRing::global().recorded(of);
        let overwritten = recorded.saturating_sub(capacity);
        put(name, RingState { capacity, recorded, overwritten, missed: 0 });
    }
    Ok(())
}

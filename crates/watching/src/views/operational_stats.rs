//! sys.dm_db_index_operational_stats ( database_id, object_id, index_id, partition_number ).
//!
//! | columns | counted |
//! |---|---|
//! | leaf_insert_count, leaf_update_count, leaf_ghost_count | each row or entry that comes, changes or goes; a deletion always leaves a ghost |
//! | nonleaf_insert_count, leaf_allocation_count, nonleaf_allocation_count | by splits; of a heap each new page; of bulk loads, too |
//! | range_scan_count, singleton_lookup_count, forwarded_fetch_count | by the scans and seeks of queries |
//! | row_lock_count, row_lock_wait_count, row_lock_wait_in_ms | each request of a lock on a row or key; page locks there are none |
//! | the others | not counted: NULL |
//!
//! A transaction's counts come when it ends ([`taffrail_storage::Operations`]).

use super::physical_stats::for_each;
use super::{Declaration, Rows, ViewContext, function};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_storage::Operation;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(function(
        "dm_db_index_operational_stats",
        needs::PHYSICAL_STATS,
        4,
        &[
            "database_id smallint!",
            "object_id int!",
            "index_id int!",
            "partition_number int!",
            "hobt_id bigint?",
            "leaf_insert_count bigint!",
            "leaf_delete_count bigint!",
            "leaf_update_count bigint!",
            "leaf_ghost_count bigint!",
            "nonleaf_insert_count bigint!",
            "nonleaf_delete_count bigint?",
            "nonleaf_update_count bigint?",
            "leaf_allocation_count bigint!",
            "nonleaf_allocation_count bigint!",
            "leaf_page_merge_count bigint?",
            "nonleaf_page_merge_count bigint?",
            "range_scan_count bigint!",
            "singleton_lookup_count bigint!",
            "forwarded_fetch_count bigint!",
            "lob_fetch_in_pages bigint?",
            "lob_fetch_in_bytes bigint?",
            "lob_orphan_create_count bigint?",
            "lob_orphan_insert_count bigint?",
            "row_overflow_fetch_in_pages bigint?",
            "row_overflow_fetch_in_bytes bigint?",
            "column_value_push_off_row_count bigint?",
            "column_value_pull_in_row_count bigint?",
            "row_lock_count bigint!",
            "row_lock_wait_count bigint!",
            "row_lock_wait_in_ms bigint!",
            "page_lock_count bigint!",
            "page_lock_wait_count bigint!",
            "page_lock_wait_in_ms bigint!",
            "index_lock_promotion_attempt_count bigint?",
            "index_lock_promotion_count bigint?",
            "page_latch_wait_count bigint?",
            "page_latch_wait_in_ms bigint?",
            "page_io_latch_wait_count bigint?",
            "page_io_latch_wait_in_ms bigint?",
            "tree_page_latch_wait_count bigint?",
            "tree_page_latch_wait_in_ms bigint?",
            "tree_page_io_latch_wait_count bigint?",
            "tree_page_io_latch_wait_in_ms bigint?",
            "page_compression_attempt_count bigint?",
            "page_compression_success_count bigint?",
        ],
        operational_stats,
    ));
}

fn operational_stats(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for_each(cx, args, &mut |here, table, index| {
        // Dropped since the catalogue was looked at.
        let Ok(hobt) = index.hobt() else { return Ok(()) };
        let operations = hobt.operations();
        let of = |operation| operations.of(operation) as i64;
        // What nobody counts.
        let none = || None::<i64>;
        rows.push(row![
            here.database.id.0,
            table.head.id.0,
            index.id.0,
            1,
            // That of the delta store or the like of a columnstore index.
            none(),
            of(Operation::LeafInsert),
            0,
            of(Operation::LeafUpdate),
            of(Operation::LeafGhost),
            of(Operation::InteriorInsert),
            none(),
            none(),
            of(Operation::LeafAllocation),
            of(Operation::InteriorAllocation),
            none(),
            none(),
            of(Operation::RangeScan),
            of(Operation::SingletonLookup),
            of(Operation::ForwardedFetch),
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            of(Operation::RowLock),
            of(Operation::RowLockWait),
            of(Operation::RowLockWaitMicros) / 1000,
            0,
            0,
            0,
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            none()
        ]);
        Ok(())
    })
}

//! Row versions: how much memory they take, whose rows have them, and who reads by which snapshot.
//!
//! Sequence numbers are given to transactions that begin to make row versions and to their commits, one after the other. A snapshot's
//! number is the one that was given last when it was taken.

use super::cell::{Columns, IntoCell, null};
use super::{Declaration, Rows, ViewContext, by_column};
use crate::database::Database;
use crate::features::needs;
use crate::plan::locking::Isolation;
use crate::session::entry::SessionEntry;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::{IndexId, SqlResult};
use taffrail_io::UtcTime;
use taffrail_storage::VersionWriter;
use taffrail_storage::txn::TxnEntry;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("dm_tran_version_store", needs::SERVER_PERFORMANCE, RECORD, records),
        by_column("dm_tran_version_store_space_usage", needs::SERVER_PERFORMANCE, SPACE, space),
        by_column(
            "dm_tran_top_version_generators",
            needs::SERVER_PERFORMANCE,
            GENERATOR,
            generators,
        ),
        by_column(
            "dm_tran_active_snapshot_database_transactions",
            needs::SERVER_PERFORMANCE,
            TRANSACTION,
            transactions,
        ),
        by_column("dm_tran_transactions_snapshot", needs::SERVER_PERFORMANCE, UNSEEN, unseen),
        by_column("dm_tran_current_snapshot", needs::SERVER_PERFORMANCE, UNSEEN_NOW, unseen_now),
    ]);
}

/// The bytes of a page, of which memory for versions is told in.
const PAGE: u64 = 8192;

/// Memory for the versions of a database.
struct Space {
    database: u16,
    pages: u64,
}

const SPACE: Columns<Space> = &[&[
    ("database_id int!", |s| s.database.cell()),
    ("reserved_page_count bigint!", |s| s.pages.cell()),
    ("reserved_space_kb bigint!", |s| (s.pages * PAGE / 1024).cell()),
]];

fn space(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for slot in cx.session.instance.databases().list() {
        let bytes = slot.database.as_ref().map_or(0, |d| d.storage.row_versions().bytes);
        rows.show(SPACE, &Space { database: slot.entry.id.0, pages: bytes.div_ceil(PAGE) });
    }
    Ok(())
}

/// The most bytes of a record that one of its two columns shows.
const PART: usize = 8000;

/// A row as it was.
struct Record {
    database: u16,
    hobt: u64,
    /// The number under which its transaction has committed; 0: it has not.
    sequence: u64,
    /// The place among the records of that transaction, from 1 on.
    nth: i64,
    bytes: Vec<u8>,
}

impl Record {
    fn parts(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.bytes.len().min(PART))
    }
}

const RECORD: Columns<Record> = &[&[
    ("transaction_sequence_num bigint?", |r| r.sequence.cell()),
    ("version_sequence_num bigint?", |r| r.nth.cell()),
    ("database_id int?", |r| i32::from(r.database).cell()),
    ("rowset_id bigint?", |r| r.hobt.cell()),
    ("status tinyint?", |r| u8::from(!r.parts().1.is_empty()).cell()),
    ("min_length_in_bytes smallint?", null),
    ("record_length_first_part_in_bytes smallint?", |r| (r.parts().0.len() as i16).cell()),
    ("record_image_first_part varbinary(8000)?", |r| r.parts().0.cell()),
    ("record_length_second_part_in_bytes smallint?", |r| (r.parts().1.len() as i16).cell()),
    ("record_image_second_part varbinary(8000)?", |r| {
        Some(r.parts().1).filter(|second| !second.is_empty()).cell()
    }),
]];

/// The versions of all databases. A record is the row of a heap; of a tree, its key and then what stands beside it.
fn records(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for database in cx.session.instance.databases().open() {
        let mut told: HashMap<u64, i64> = HashMap::new();
        for v in database.storage.version_rows() {
            let nth = told.entry(v.transaction).or_default();
            *nth += 1;
            let is_heap = v.index == IndexId(0);
            let bytes = if is_heap { v.before.to_vec() } else { [&*v.key, &*v.before].concat() };
            let (database, hobt) = (database.id.0, v.hobt.0);
            let record = Record { database, hobt, sequence: v.sequence, nth: *nth, bytes };
            rows.show(RECORD, &record);
        }
    }
    Ok(())
}

/// As many rows as SQL Server shows.
const GENERATORS: usize = 256;

/// The versions of a heap or tree.
struct Generator {
    database: u16,
    hobt: u64,
    bytes: u64,
}

const GENERATOR: Columns<Generator> = &[&[
    ("database_id int?", |g| i32::from(g.database).cell()),
    ("rowset_id bigint?", |g| g.hobt.cell()),
    ("aggregated_record_length_in_bytes int?", |g| {
        i32::try_from(g.bytes).unwrap_or(i32::MAX).cell()
    }),
]];

fn generators(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let mut all = Vec::new();
    for database in cx.session.instance.databases().open() {
        for t in database.storage.versions_by_tree().iter().filter(|t| t.rows.bytes > 0) {
            let (database, hobt) = (database.id.0, t.hobt.0);
            all.push(Generator { database, hobt, bytes: t.rows.bytes });
        }
    }
    all.sort_unstable_by_key(|g| std::cmp::Reverse(g.bytes));
    all.iter().take(GENERATORS).for_each(|g| rows.show(GENERATOR, g));
    Ok(())
}

/// A transaction that reads by a snapshot, or makes versions.
struct Versioned {
    transaction: u64,
    session: u16,
    /// The number of its snapshot, or under which it has begun to write.
    sequence: u64,
    is_snapshot: bool,
    /// The lowest number of the transactions that ran when a snapshot of its own was taken, that itself included; 0: it has none.
    first: u64,
    /// The most versions that were passed over to find one.
    longest: u32,
    /// The mean of these numbers.
    mean: Option<f64>,
    /// The transaction changes rows.
    writes: bool,
    seconds: u64,
}

/// The transactions that read by snapshots, then those that only make versions.
fn versioned(cx: &ViewContext<'_>) -> Vec<Versioned> {
    let sessions = cx.session.instance.sessions();
    let writers = writers(cx);
    let mut all: Vec<Versioned> = Vec::new();
    for open in cx.session.instance.storage().snapshots.open() {
        let Some(s) = sessions.iter().find(|s| s.id == open.session) else { continue };
        let is_snapshot = is_transactions(s);
        let unseen = writers.iter().find(|w| w.ran_at(open.sequence));
        let first = unseen.map_or(open.sequence, |w| w.sequence);
        all.push(Versioned {
            transaction: s.cell.transaction_id.load(Relaxed),
            session: s.id.0,
            sequence: open.sequence,
            is_snapshot,
            first: if is_snapshot { first } else { 0 },
            longest: open.longest,
            mean: (open.found > 0).then(|| open.passed as f64 / open.found as f64),
            writes: false,
            seconds: cx.session.instance.seconds_in_transaction(s),
        });
    }
    for database in cx.session.instance.databases().open() {
        for t in writing(&database) {
            let (transaction, session) = (t.number.load(Relaxed), t.session.0);
            let mut same = all.iter_mut().filter(|v| v.session == session);
            match same.find(|v| v.transaction == transaction) {
                Some(v) => v.writes = true,
                None => all.push(Versioned {
                    transaction,
                    session,
                    sequence: t.begin_sequence(),
                    is_snapshot: false,
                    first: 0,
                    longest: 0,
                    mean: None,
                    writes: true,
                    seconds: seconds_since(cx, t.begun),
                }),
            }
        }
    }
    all
}

/// The transactions that change rows in a database which keeps versions.
fn writing(database: &Database) -> Vec<Arc<TxnEntry>> {
    if !database.storage.versions_on() {
        return Vec::new();
    }
    let mut writers = database.storage.active_transactions();
    writers.retain(|t| !t.system && !t.has_ended());
    writers
}

fn seconds_since(cx: &ViewContext<'_>, since: UtcTime) -> u64 {
    let now = cx.session.instance.options().env.clock.now_utc();
    now.since(since).as_secs()
}

const TRANSACTION: Columns<Versioned> = &[&[
    ("transaction_id bigint?", |v| v.transaction.cell()),
    ("transaction_sequence_num bigint?", |v| v.sequence.cell()),
    ("commit_sequence_num bigint?", null),
    ("is_snapshot int?", |v| i32::from(v.is_snapshot).cell()),
    ("session_id int?", |v| i32::from(v.session).cell()),
    ("first_snapshot_sequence_num bigint?", |v| v.first.cell()),
    ("max_version_chain_traversed int?", |v| v.longest.cell()),
    ("average_version_chain_traversed real?", |v| v.mean.unwrap_or(0.0).cell()),
    ("elapsed_time_seconds bigint?", |v| v.seconds.cell()),
]];

fn transactions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    versioned(cx).iter().for_each(|v| rows.show(TRANSACTION, v));
    Ok(())
}

/// Whether a session's snapshot is that of its transaction, and not of a statement.
fn is_transactions(session: &SessionEntry) -> bool {
    i16::from(session.cell.isolation_level.load(Relaxed)) == Isolation::Snapshot.number()
}

/// The transactions that make versions, of all databases.
fn writers(cx: &ViewContext<'_>) -> Vec<VersionWriter> {
    let databases = cx.session.instance.databases().open();
    let mut all: Vec<_> = databases.iter().flat_map(|d| d.storage.version_writers()).collect();
    all.sort_unstable_by_key(|w| w.sequence);
    all
}

/// A snapshot, and a transaction that ran when it was taken.
struct Unseen {
    snapshot: u64,
    /// 0: the snapshot is a transaction's.
    id: u32,
    running: u64,
}

const UNSEEN: Columns<Unseen> = &[&[
    ("transaction_sequence_num bigint?", |u| u.snapshot.cell()),
    ("snapshot_id int?", |u| u.id.cell()),
    ("snapshot_sequence_num bigint?", |u| u.running.cell()),
]];

/// For each snapshot the transactions whose changes it does not see, though they have begun before it.
fn unseen(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let sessions = cx.session.instance.sessions();
    let open = cx.session.instance.storage().snapshots.open();
    // Behind the snapshots: whoever ran when one of them was taken runs still, or has left versions for it.
    let writers = writers(cx);
    for open in open {
        let of_transaction =
            sessions.iter().find(|s| s.id == open.session).is_some_and(|s| is_transactions(s));
        let id = if of_transaction { 0 } else { open.id };
        for w in writers.iter().filter(|w| w.ran_at(open.sequence)) {
            rows.show(UNSEEN, &Unseen { snapshot: open.sequence, id, running: w.sequence });
        }
    }
    Ok(())
}

const UNSEEN_NOW: Columns<VersionWriter> =
    &[&[("transaction_sequence_num bigint?", |w| w.sequence.cell())]];

/// For the snapshot of one's own transaction the transactions whose changes it does not see.
fn unseen_now(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let own = cx.session.snapshot_in_force().filter(|_| cx.session.transaction.has_snapshot());
    if let Some(at) = own.map(|s| s.sequence()) {
        writers(cx).iter().filter(|w| w.ran_at(at)).for_each(|w| rows.show(UNSEEN_NOW, w));
    }
    Ok(())
}

/// The gauges and running totals of SQLServer:Transactions.
pub(super) struct VersionCounters {
    /// Transactions that read by a snapshot of theirs.
    pub snapshots: i64,
    /// Those of them that change rows.
    pub updating: i64,
    /// Transactions that make versions and read by no snapshot of theirs.
    pub plain: i64,
    /// Seconds since the oldest of all these has begun.
    pub longest_s: i64,
    /// Kilobytes of versions in memory.
    pub size_kb: i64,
    /// Kilobytes of versions that were ever made.
    pub generated_kb: u64,
    /// Kilobytes of versions that were made and have gone.
    pub cleaned_kb: u64,
}

/// The counters of row versions, as they stand now.
pub(super) fn version_counters(cx: &ViewContext<'_>) -> VersionCounters {
    let all = versioned(cx);
    let count = |wanted: &dyn Fn(&Versioned) -> bool| all.iter().filter(|v| wanted(v)).count();
    let (mut bytes, mut generated) = (0, 0);
    for database in cx.session.instance.databases().open() {
        let rows = database.storage.row_versions();
        bytes += rows.bytes;
        generated += rows.generated_bytes;
    }
    let kb = |bytes: u64| (bytes / 1024) as i64;
    VersionCounters {
        snapshots: count(&|v| v.is_snapshot) as i64,
        updating: count(&|v| v.is_snapshot && v.writes) as i64,
        plain: count(&|v| !v.is_snapshot && v.writes) as i64,
        longest_s: all.iter().map(|v| v.seconds).max().unwrap_or(0) as i64,
        size_kb: kb(bytes),
        generated_kb: generated / 1024,
        cleaned_kb: generated.saturating_sub(bytes) / 1024,
    }
}

/// The numbers of the own transaction: its snapshot's, or under which it has begun to write; whether the snapshot is one of SNAPSHOT; the
/// last number that was given; the oldest snapshot's.
pub(super) fn current(cx: &ViewContext<'_>) -> (u64, bool, u64, u64) {
    let snapshots = &cx.session.instance.storage().snapshots;
    let own = cx.session.snapshot_in_force().map(|s| s.sequence());
    let number = cx.session.transaction.number();
    let writes = || {
        let databases = cx.session.instance.databases().open();
        let mut all = databases.iter().flat_map(|d| writing(d));
        all.find(|t| t.number.load(Relaxed) == number).map_or(0, |t| t.begin_sequence())
    };
    let own = own.unwrap_or_else(writes);
    let now = snapshots.now();
    (own, cx.session.transaction.has_snapshot(), now, snapshots.oldest().unwrap_or(now))
}

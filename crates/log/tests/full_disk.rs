//! A log that is full, on a disk that is full: what it has kept back for the ends of transactions and for checkpoints.

use std::path::PathBuf;
use std::sync::Arc;

use taffrail_base::{LogPos, PageId, TransactionId};
use taffrail_io::sim::{SimOptions, SimWorld};
use taffrail_log::{
    AppendError, FlushReason, Growth, Lcx, Log, LogFileSpec, LogOptions, Lop, RecordFlags,
    RecordHeader, Reserve, TxLog,
};

/// A log of 512 KB that does not grow, on sectors of this size.
fn create(sector: u32) -> (SimWorld, Arc<Log>) {
    let world = SimWorld::with_options(9, SimOptions { sector, ..SimOptions::default() });
    let spec = LogFileSpec {
        growth: Growth::None,
        ..LogFileSpec::new(PathBuf::from("/db_log.ldf"), 512 << 10)
    };
    let log = Log::create(&world.env(), &[spec], LogOptions::default(), [7; 16]).unwrap();
    log.set_checkpoint(log.appended());
    (world, log)
}

fn begin(log: &Log, id: u64) -> TxLog {
    let mut tx = TxLog::new(TransactionId(id));
    let header = RecordHeader::new(Lop::BeginXact, Lcx::Null);
    log.append(&mut tx, &header, &[b"begin"], Reserve::NONE).unwrap();
    insert(log, &mut tx).unwrap();
    tx
}

fn insert(log: &Log, tx: &mut TxLog) -> Result<LogPos, AppendError> {
    let header =
        RecordHeader { page: PageId::new(1, 80), ..RecordHeader::new(Lop::InsertRows, Lcx::Heap) };
    log.append(tx, &header, &[&[1; 40]], Reserve::undo(8))
}

/// Fills what transactions may fill.
fn fill(log: &Log, tx: &mut TxLog) {
    loop {
        match insert(log, tx) {
            Ok(_) => {}
            Err(AppendError::LogFull { .. }) => return,
            Err(e) => panic!("{e}"),
        }
    }
}

/// A rollback that flushes after each record wastes more than was reserved for it, and comes to an end before its own. What it must
/// leave is the ends of the others.
#[test]
fn a_rollback_that_runs_out_of_log_leaves_the_others_their_commits() {
    for sector in [512, 4096] {
        let (world, log) = create(sector);
        let mut others: Vec<TxLog> = (0..20).map(|n| begin(&log, n + 1)).collect();
        let mut tx = begin(&log, 99);
        fill(&log, &mut tx);
        world.set_capacity(0);
        let mut at = tx.undo_next;
        loop {
            let record = log.fetch(at).unwrap();
            assert_ne!(record.header.op, Lop::BeginXact, "it came to its end");
            at = record.header.prev;
            let header = RecordHeader {
                flags: RecordFlags::COMPENSATION,
                undo_next: at,
                ..RecordHeader::new(Lop::DeleteRows, Lcx::Heap)
            };
            match log.append(&mut tx, &header, &[&[0; 8]], Reserve::NONE) {
                Ok(pos) => log.harden(pos, FlushReason::WriteAhead).unwrap(),
                Err(AppendError::LogFull { .. }) => break,
                Err(e) => panic!("{e}"),
            };
        }
        for tx in &mut others {
            let header = RecordHeader::new(Lop::CommitXact, Lcx::Null);
            let pos = log.append(tx, &header, &[], Reserve::NONE);
            let pos = pos.unwrap_or_else(|e| panic!("sector {sector}, {:?}: {e}", tx.id));
            log.release(tx);
            log.harden(pos, FlushReason::Commit).unwrap();
        }
        assert_eq!(log.space().total, 512 << 10, "nothing has grown");
    }
}

/// Who fills the log leaves a checkpoint its room: it is what makes the log usable again.
#[test]
fn a_checkpoint_finds_its_room_where_a_transaction_finds_none() {
    for sector in [512, 4096] {
        let (world, log) = create(sector);
        let mut tx = begin(&log, 1);
        fill(&log, &mut tx);
        world.set_capacity(0);
        for op in [Lop::BeginCkpt, Lop::EndCkpt] {
            let header = RecordHeader::new(op, Lcx::Null);
            let pos = log.append_system(&header, &[&[0; 300]]);
            let pos = pos.unwrap_or_else(|e| panic!("sector {sector}, {op}: {e}"));
            log.harden(pos, FlushReason::Checkpoint).unwrap();
        }
        assert_eq!(log.space().total, 512 << 10, "nothing has grown");
    }
}

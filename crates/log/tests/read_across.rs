//! A reader that follows a log of small VLFs, near its head or far behind it, for many laps: pieces that it reads go on behind
//! the ends of VLFs, and what they hold of an earlier use must never be taken for log. On the simulated disk.

use std::path::PathBuf;

use taffrail_base::TransactionId;
use taffrail_io::sim::{SimRng, SimWorld};
use taffrail_log::{
    AppendError, FlushReason, Growth, Lcx, Log, LogFileSpec, LogOptions, Lop, RecordHeader,
    Reserve, TxLog,
};

/// One small transaction; its number is its payload.
fn append(log: &Log, n: u64, padding: usize) -> Result<(), AppendError> {
    let mut tx = TxLog::new(TransactionId(n));
    let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
    log.append(&mut tx, &header, &[&n.to_le_bytes(), &vec![0; padding]], Reserve::NONE)?;
    let end = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    log.append(&mut tx, &end, &[], Reserve::NONE)?;
    log.release(&mut tx);
    Ok(())
}

#[test]
fn a_reader_behind_a_log_that_goes_round_reads_every_record_once() {
    const LAPS: u64 = 12;
    for (seed, size) in [(1, 1032 << 10), (2, 1032 << 10), (3, 2 << 20), (4, 2 << 20)] {
        let world = SimWorld::new(seed);
        let mut rng = SimRng::new(seed);
        let spec =
            LogFileSpec { growth: Growth::None, ..LogFileSpec::new(PathBuf::from("/log"), size) };
        let log = Log::create(&world.env(), &[spec], LogOptions::default(), [7; 16]).unwrap();
        assert_eq!(log.vlf_count(), 4, "small VLFs, one behind the other");
        let first = log.vlfs().iter().map(|v| v.seqno.0).max().unwrap();
        let mut reader = log.reader(log.oldest()).unwrap();
        let (mut written, mut read) = (0, 0);
        while u64::from(log.vlfs().iter().map(|v| v.seqno.0).max().unwrap() - first) < 4 * LAPS {
            for _ in 0..rng.below(40) {
                match append(&log, written, rng.below(20_000) as usize) {
                    Ok(()) => written += 1,
                    // The reader holds it.
                    Err(AppendError::LogFull { .. }) => break,
                    Err(e) => panic!("seed {seed}: {e}"),
                }
            }
            log.flush(FlushReason::Request).unwrap();
            for _ in 0..rng.below(100) {
                let Some(record) = reader.next().unwrap() else { break };
                if record.header.op == Lop::InsertRows {
                    assert_eq!(record.payload[..8], u64::to_le_bytes(read), "seed {seed}");
                    read += 1;
                }
            }
            log.set_checkpoint(log.durable());
            log.truncate();
        }
        while let Some(record) = reader.next().unwrap() {
            read += u64::from(record.header.op == Lop::InsertRows);
        }
        assert_eq!(read, written, "seed {seed}");
    }
}

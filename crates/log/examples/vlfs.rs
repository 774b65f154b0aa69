//! What many VLFs cost: builds a log of 20,000 small ones (10,000 growths of 512 KB under algorithm 2012) and one of 16
//! large ones, of the same size and on the same disk, and times what could depend on their number.
//!
//! ```text
//! cargo run --release -p taffrail-log --example vlfs -- DIRECTORY [GROWTHS]
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taffrail_base::TransactionId;
use taffrail_io::Env;
use taffrail_log::{
    FlushReason, Growth, Lcx, Log, LogAnchor, LogFileSpec, LogOptions, Lop, RecordHeader, Reserve,
    ShrinkMode, TxLog, VlfAlgorithm,
};

const KB: u64 = 1 << 10;

struct Bench {
    env: Env,
    path: PathBuf,
    log: Arc<Log>,
    anchor: [u8; LogAnchor::BYTES],
}

fn options() -> LogOptions {
    LogOptions { vlf_algorithm: VlfAlgorithm::V2012, ..LogOptions::default() }
}

fn timed<R>(f: impl FnOnce() -> R) -> (R, Duration) {
    let started = Instant::now();
    let result = f();
    (result, started.elapsed())
}

fn tell(what: &str, took: Duration, more: &str) {
    println!("  {what:<44} {:>10.3} ms  {more}", took.as_secs_f64() * 1e3);
}

impl Bench {
    fn create(dir: &str, name: &str, size: u64, growth: Growth) -> Bench {
        let env = Env::os();
        let path = PathBuf::from(dir).join(name);
        let _ = std::fs::remove_file(&path);
        let spec = LogFileSpec { growth, ..LogFileSpec::new(&path, size) };
        let (log, took) = timed(|| Log::create(&env, &[spec], options(), [1; 16]).unwrap());
        println!("{name}");
        tell("creation", took, &format!("{} VLFs", log.vlf_count()));
        let anchor = log.anchor_at(log.appended()).unwrap().to_bytes();
        Bench { env, path, log, anchor }
    }

    /// Appends so many bytes in transactions of one record of 8,000 bytes, written in the large pieces that a writer thread writes.
    fn write(&self, bytes: u64) {
        let data = [7u8; 8000];
        let header = RecordHeader::new(Lop::CommitXact, Lcx::Null);
        for n in 0..bytes / data.len() as u64 {
            let mut tx = TxLog::new(TransactionId(n + 1));
            self.log.append(&mut tx, &header, &[&data], Reserve::NONE).unwrap();
            // What a writer thread does as soon as there is enough.
            self.log.writer_tick();
        }
        self.log.flush(FlushReason::Request).unwrap();
    }

    fn checkpoint(&mut self) {
        let header = RecordHeader::new(Lop::EndCkpt, Lcx::Null);
        let begin = self.log.appended();
        self.log.append_system(&header, &[&[0; 8]]).unwrap();
        self.log.flush(FlushReason::Checkpoint).unwrap();
        self.anchor = self.log.anchor_at(begin).unwrap().to_bytes();
        self.log.set_checkpoint(begin);
        // As storage's checkpoints do.
        self.log.note_vlf_uses(512).unwrap();
    }

    fn reopen(&mut self) -> Duration {
        let anchor = LogAnchor::from_bytes(&self.anchor).unwrap();
        self.log.close();
        let paths = [self.path.clone()];
        let (opened, took) = timed(|| Log::open(&self.env, &paths, options(), &anchor).unwrap());
        self.log = opened.0;
        took
    }

    fn measure(&mut self) {
        let total = self.log.space().total;
        let (_, took) = timed(|| self.log.vlfs());
        tell("listing (dm_db_log_info)", took, &format!("{} VLFs", self.log.vlf_count()));
        let head = |log: &Log| log.vlfs().iter().map(|v| v.seqno.0).max().unwrap_or(0);
        let before = head(&self.log);
        let (_, took) = timed(|| self.write(total / 2));
        let crossed = head(&self.log) - before;
        let mb = (total / 2) as f64 / 1e6;
        tell(
            "writing half of it",
            took,
            &format!("{crossed} VLFs crossed, {:.0} MB/s", mb / took.as_secs_f64()),
        );
        let (reopened, _) = timed(|| self.reopen());
        tell("opening after a crash, all of that read", reopened, "");
        self.checkpoint();
        let (_, took) = timed(|| self.log.truncate());
        tell("truncation of all of that", took, "");
        let took = self.reopen();
        tell("opening after a crash, nothing to read", took, "");
        let (_, took) = timed(|| self.log.vlfs());
        tell("first listing after it", took, "");
        let (noted, took) = timed(|| self.log.note_vlf_uses(1));
        noted.unwrap();
        tell("noting last uses in the directory", took, "");
        let (_, took) = timed(|| self.log.vlfs());
        tell("listing again", took, "");
        let n = 1000;
        let (_, took) = timed(|| {
            for n in 0..n {
                let mut tx = TxLog::new(TransactionId(n + 1));
                let header = RecordHeader::new(Lop::CommitXact, Lcx::Null);
                let pos = self.log.append(&mut tx, &header, &[&[1; 100]], Reserve::NONE).unwrap();
                self.log.harden(pos, FlushReason::Commit).unwrap();
            }
        });
        tell("one small durable commit", took / n as u32, "mean of 1,000");
        let (report, took) =
            timed(|| self.log.shrink_file(0, ShrinkMode::To(total * 3 / 4)).unwrap());
        tell("cutting a quarter off", took, &format!("{} VLFs gone", report.vlfs));
        self.log.check_vlfs().unwrap();
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let temporary = || std::env::temp_dir().display().to_string();
    let dir = args.next().unwrap_or_else(temporary);
    let growths: u64 = args.next().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let mut many = Bench::create(&dir, "many_vlfs.ldf", 512 * KB, Growth::Bytes(512 * KB));
    let (_, took) = timed(|| {
        for n in 1..=growths {
            many.log.grow_file(0, (n + 1) * 512 * KB).unwrap();
        }
    });
    let each =
        format!("{growths} growths, {:.2} ms each", took.as_secs_f64() * 1e3 / growths as f64);
    tell("growth", took, &each);
    let size = many.log.space().total;
    many.measure();
    drop(many);
    let mut few = Bench::create(&dir, "few_vlfs.ldf", size, Growth::Bytes(512 * KB));
    few.measure();
    for name in ["many_vlfs.ldf", "few_vlfs.ldf"] {
        let _ = std::fs::remove_file(PathBuf::from(&dir).join(name));
    }
}

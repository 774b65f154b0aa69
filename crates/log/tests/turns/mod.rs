//! Group commit under a schedule: sessions commit, the log writer and the thread that zeroes and grows ahead run beside them, and at
//! some step the power goes, the process is killed, or the device fails. Every preemption follows from the seed.
//!
//! 1. Nobody sleeps for ever.
//! 2. What was acknowledged as durable is there after the restart, and everything before it: the log's records are a prefix of what
//!    was appended.
//! 3. After a write or a sync that failed nothing more is acknowledged.
//! 4. No two writes are ever in flight at one place.
//! 5. A record that is read by its position beside all this is what was appended there.
//! 6. With a log writer, what is lost of delayed commits is no older than their window and the writes in its way, on slow devices too.
//!
//! A failing seed is shrunk, and told with a command that has it again.
#![cfg(debug_assertions)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use taffrail_base::sched::{self, Case, Failure, JoinHandle, Ran, programme};
use taffrail_base::sync::now;
use taffrail_base::{LogPos, TransactionId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimOptions, SimRng, SimWorld, Slow};
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, Lcx, Log, LogError, LogFileSpec, LogOptions, Lop,
    RecordHeader, Reserve, ReuseWait, TxLog,
};

const SEEDS: u64 = 600;

/// What ends a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    PowerCut,
    /// The process is killed; power fails later.
    Kill,
    Fault(IoKind, FaultKind),
    /// Nothing.
    Calm,
}

/// What the sessions know.
#[derive(Default)]
struct Known {
    /// By position: the number of the commit.
    appended: BTreeMap<LogPos, u64>,
    /// The last position that was acknowledged.
    durable: LogPos,
    acknowledged: u64,
    refused: u64,
    fetched: u64,
    /// When delayed commits were told that they are committed.
    delayed: BTreeMap<LogPos, Instant>,
}

/// How long who is awake may have to wait for the baton.
const STEPS: Duration = Duration::from_millis(60);

#[derive(Clone, Copy, Default)]
struct Seen {
    acknowledged: u64,
    lost: u64,
    refused: u64,
    grown: u64,
    wrapped: u64,
    torn: u64,
    killed: u64,
    young: u64,
    fetched: u64,
}

fn path() -> PathBuf {
    "/db_log.ldf".into()
}

struct Session {
    log: Arc<Log>,
    known: Arc<Mutex<Known>>,
    rng: SimRng,
    number: u64,
    /// Checkpoints let go of log.
    lets_go: bool,
    /// Reads records of all sessions.
    fetches: bool,
}

impl Session {
    /// A transaction of some records and its commit. False: the log has failed, or power is gone.
    fn transaction(&mut self, delayed: bool) -> bool {
        self.number += 1;
        let failed = self.log.is_failed();
        let mut tx = TxLog::new(TransactionId(self.number));
        let records = match self.rng.below(12) {
            0 => 1 + self.rng.below(12),
            _ => self.rng.below(3),
        };
        let insert = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
        if self.fetches && self.rng.one_in(3) && !self.fetch() {
            return false;
        }
        for _ in 0..records {
            let bytes = vec![7; self.rng.below(12_000) as usize];
            if !self.append(&mut tx, &insert, &bytes) {
                return false;
            }
        }
        let commit = RecordHeader::new(Lop::CommitXact, Lcx::Null);
        if !self.append(&mut tx, &commit, &[]) {
            return false;
        }
        let at = tx.last;
        self.log.release(&mut tx);
        if delayed {
            self.log.request_lazy();
            self.known.lock().unwrap().delayed.insert(at, now());
            return true;
        }
        let result = self.log.harden(at, FlushReason::Commit);
        let mut known = self.known.lock().unwrap();
        match result {
            Ok(()) => {
                assert!(!failed, "appended and acknowledged after a failure");
                known.durable = known.durable.max(at);
                known.acknowledged += 1;
                true
            }
            Err(_) => {
                known.refused += 1;
                false
            }
        }
    }

    /// A record of anybody's, from the open block, a closed one or the file, is what was appended. False: nothing can be read any more.
    fn fetch(&mut self) -> bool {
        let (at, number) = {
            let known = self.known.lock().unwrap();
            let Some((last, _)) = known.appended.last_key_value() else { return true };
            let some = LogPos(self.rng.below(last.0 + 1));
            let (at, number) = known.appended.range(some..).next().expect("up to the last");
            (*at, *number)
        };
        match self.log.fetch(at) {
            Ok(record) => {
                assert_eq!((record.pos, &record.payload[..8]), (at, &number.to_le_bytes()[..]));
                self.known.lock().unwrap().fetched += 1;
                true
            }
            // It was let go of.
            Err(LogError::NotFound(_)) if at < self.log.oldest() => true,
            Err(LogError::Io(_)) => false,
            Err(e) => panic!("record {at:?}: {e}"),
        }
    }

    fn append(&mut self, tx: &mut TxLog, header: &RecordHeader, more: &[u8]) -> bool {
        let number = self.number.to_le_bytes();
        match self.log.append(tx, header, &[&number, more], Reserve::NONE) {
            Ok(at) => {
                self.known.lock().unwrap().appended.insert(at, self.number);
                true
            }
            Err(AppendError::LogUnavailable) => false,
            Err(AppendError::LogFull { .. }) => !self.log.is_failed() && self.let_go(),
            Err(e) => panic!("{e}"),
        }
    }

    /// What a checkpoint does to a log.
    fn let_go(&self) -> bool {
        if self.lets_go {
            self.log.set_checkpoint(LogPos(self.log.durable().0.saturating_sub(100_000)));
            self.log.truncate();
        }
        true
    }
}

fn world(seed: u64, rng: &mut SimRng) -> SimWorld {
    let sector = if rng.one_in(2) { 512 } else { 4096 };
    SimWorld::with_options(seed, SimOptions { sector, ..SimOptions::default() })
}

/// Sessions, the log writer and the log ahead, until the load is done or cut. True: there was a log writer.
fn work(case: &Case, log: &Arc<Log>, known: &Arc<Mutex<Known>>, lets_go: bool) -> bool {
    let mut rng = SimRng::new(case.seed ^ 0x10ad);
    let sessions = case.part(2 + rng.below(5));
    let transactions = case.part(4 + rng.below(30));
    let runs: [(&str, fn(&Log)); 2] =
        [("log writer", Log::run_writer), ("log ahead", Log::run_ahead)];
    let mut writes = false;
    let served: Vec<JoinHandle<()>> = runs
        .iter()
        .filter(|(name, _)| {
            let runs = !rng.one_in(4);
            writes |= runs && *name == "log writer";
            runs
        })
        .map(|(name, run)| {
            let (log, run) = (log.clone(), *run);
            sched::spawn_daemon(name, move || run(&log))
        })
        .collect();
    let all: Vec<JoinHandle<()>> = (1..=sessions)
        .map(|n| {
            let mut session = Session {
                log: log.clone(),
                known: known.clone(),
                rng: SimRng::new(case.seed << 8 | n),
                number: n << 32,
                lets_go,
                fetches: case.seed.is_multiple_of(3),
            };
            sched::spawn(&format!("session {n}"), move || {
                for _ in 0..transactions {
                    let delayed = session.rng.one_in(5);
                    if !session.transaction(delayed) {
                        return;
                    }
                    if session.rng.one_in(10) {
                        session.let_go();
                    }
                }
            })
        })
        .collect();
    all.into_iter().for_each(JoinHandle::join);
    log.stop_writer();
    served.into_iter().for_each(JoinHandle::join);
    writes
}

fn one(case: &Case) -> Result<Ran<Seen>, Failure> {
    let case = case.clone();
    sched::run(&case.plan(), move || run(&case))
}

fn run(case: &Case) -> Seen {
    let mut rng = SimRng::new(case.seed);
    let world = world(case.seed, &mut rng);
    let growth = match rng.below(3) {
        0 => Growth::None,
        1 => Growth::Bytes(256 << 10),
        _ => Growth::Percent(20),
    };
    let spec = LogFileSpec { growth, max_size: 4 << 20, ..LogFileSpec::new(path(), 512 << 10) };
    let options = LogOptions {
        buffers: 4 + rng.below(6) as usize,
        flushes_in_flight: 1 + rng.below(4) as usize,
        always_plain: rng.one_in(2),
        ..LogOptions::default()
    };
    let log = Log::create(&world.env(), &[spec], options.clone(), [1; 16]).unwrap();
    // The block that a boot page names is durable.
    let mut tx = TxLog::new(TransactionId(1));
    let header = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    let begin = log.append(&mut tx, &header, &[&0u64.to_le_bytes()], Reserve::NONE).unwrap();
    log.release(&mut tx);
    log.harden(begin, FlushReason::Commit).unwrap();
    let lets_go = rng.one_in(2);
    let first = log.oldest();
    if !lets_go {
        log.register_holder(Box::new(move || {
            Some(Hold { wait: ReuseWait::LogBackup, pos: first })
        }));
    }
    let end = match rng.below(8) {
        0..3 => End::PowerCut,
        3..5 => End::Kill,
        5 => End::Fault(IoKind::WriteDurable, FaultKind::Io),
        6 => {
            let kind = [IoKind::Sync, IoKind::Write, IoKind::Allocate][rng.below(3) as usize];
            let fault = [FaultKind::Io, FaultKind::Full][rng.below(2) as usize];
            End::Fault(kind, fault)
        }
        _ => End::Calm,
    };
    let scale = 7 + rng.below(9);
    let at = 100 + rng.below(1 << scale);
    let cut = world.clone();
    let ended: Arc<Mutex<Option<Instant>>> = Arc::default();
    let note = ended.clone();
    match end {
        End::PowerCut => sched::after(at, move || {
            *note.lock().unwrap() = Some(now());
            cut.crash();
        }),
        End::Kill => sched::after(at, move || {
            *note.lock().unwrap() = Some(now());
            cut.kill();
        }),
        End::Fault(kind, fault) => {
            let nth = 1 + rng.below(40);
            let sticky = rng.one_in(2);
            let path_contains = String::new();
            world.inject(Fault { nth, kind: Some(kind), path_contains, fault, sticky });
        }
        End::Calm => {}
    }
    let known: Arc<Mutex<Known>> = Arc::default();
    known.lock().unwrap().appended.insert(begin, 0);
    // Where reading begins: the first record, or the last one that a checkpoint has left.
    let anchor = log.anchor_at(first).unwrap();
    let mut slow = Duration::ZERO;
    if rng.one_in(3) {
        slow = Duration::from_millis([20, 300][rng.below(2) as usize]);
        let one_in = 1 + rng.below(8);
        let path_contains = String::new();
        world.slow(Some(Slow { kind: None, path_contains, one_in, most: slow }));
    }
    let writes = work(case, &log, &known, lets_go);
    world.slow(None);
    assert_eq!(world.stats().races, 0, "two writes at one place at once");
    sched::call_off();
    let known = known.lock().unwrap();
    let mut seen = Seen { acknowledged: known.acknowledged, ..Seen::default() };
    (seen.refused, seen.fetched) = (known.refused, known.fetched);
    seen.grown = u64::from(log.vlf_count() > 4);
    seen.wrapped = u64::from(log.oldest() > first);
    let anchor = if lets_go { log.anchor_at(log.oldest()).unwrap_or(anchor) } else { anchor };
    match end {
        End::Kill => {
            world.kill();
            world.revive();
            seen.killed = 1;
        }
        _ => world.restart(),
    }
    drop(log);
    let mut found = open(&world, &options, &anchor);
    if end == End::Kill {
        // What the first process after it has read, it has acted on: power fails, and it is there.
        world.restart();
        let again = open(&world, &options, &anchor);
        assert!(found == again, "{} records, {} after a power cut", found.len(), again.len());
        found = again;
    }
    let want = known.appended.range(anchor.pos..);
    for ((at, number), (found_at, found_number)) in want.zip(&found) {
        assert_eq!((at, number), (found_at, found_number), "no prefix of what was appended");
    }
    let last = found.last_key_value().map_or(LogPos::ZERO, |(at, _)| *at);
    assert!(
        last >= known.durable || known.durable < anchor.pos,
        "acknowledged up to {:?}, there up to {last:?}",
        known.durable
    );
    let ended = *ended.lock().unwrap();
    if let (true, Some(ended)) = (writes, ended) {
        // The window, what is being written when it ends, its own writes and sync.
        let most = options.delayed_window + 5 * (slow + Duration::from_millis(6)) + STEPS;
        for (at, told) in known.delayed.range(LogPos(last.0 + 1)..) {
            let age = ended.saturating_duration_since(*told);
            assert!(age <= most, "a delayed commit at {at:?}, of {age:?}, is lost; {most:?}");
            seen.young += 1;
        }
    }
    seen.lost = known.appended.range(LogPos(last.0 + 1)..).count() as u64;
    seen.torn = world.stats().torn_files;
    seen
}

fn open(
    world: &SimWorld,
    options: &LogOptions,
    anchor: &taffrail_log::LogAnchor,
) -> BTreeMap<LogPos, u64> {
    let mut found = BTreeMap::new();
    let opened = Log::open_with(&world.env(), &[path()], options.clone(), anchor, |r| {
        found.insert(r.pos, u64::from_le_bytes(r.payload[..8].try_into().unwrap()));
        Ok(())
    });
    opened.unwrap_or_else(|e| panic!("open: {e}"));
    found
}

#[test]
fn what_is_acknowledged_at_any_preemption_is_there() {
    let began = std::time::Instant::now();
    let again = "-p taffrail-log --test it turns:: -- --nocapture";
    let seen = programme(again, 1, SEEDS, one);
    let sum = |f: fn(&Seen) -> u64| seen.results.iter().map(f).sum::<u64>();
    let counts = [
        ("acknowledged", sum(|s| s.acknowledged)),
        ("lost", sum(|s| s.lost)),
        ("refused", sum(|s| s.refused)),
        ("grown", sum(|s| s.grown)),
        ("let go", sum(|s| s.wrapped)),
        ("torn", sum(|s| s.torn)),
        ("killed", sum(|s| s.killed)),
        ("delayed and lost", sum(|s| s.young)),
        ("fetched", sum(|s| s.fetched)),
    ];
    eprintln!(
        "{} runs, {} steps, {} switches, {:?}: {counts:?}",
        seen.results.len(),
        seen.steps,
        seen.switches,
        began.elapsed()
    );
    assert!(seen.told || counts.iter().all(|c| c.1 > 0), "never seen: {counts:?}");
}

/// The same case is the same run, and a sync that is left out is noticed.
#[test]
fn a_seed_is_one_run() {
    for seed in 1..20 {
        let (a, b) = (one(&Case::new(seed)).unwrap(), one(&Case::new(seed)).unwrap());
        assert_eq!((a.steps, a.fingerprint), (b.steps, b.fingerprint), "seed {seed}");
        assert_eq!(a.decisions, b.decisions);
    }
}

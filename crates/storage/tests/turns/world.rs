//! One case: a world, the lives of a database in it, how each ends, the restarts between them, and what is looked at afterwards.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use taffrail_base::sched::{self, Case, JoinHandle};
use taffrail_base::sync::{now, thread};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimRng, SimWorld, Slow};
use taffrail_log::{Log, LogOptions};
use taffrail_storage::backup::BackupKind;
use taffrail_storage::{
    CheckpointKind, CreateSpec, Database, DatabaseState, Growth, RecoveryModel, RecoveryReport,
    StorageError, StorageInstance, StorageResult, Workers,
};

use super::operator::{self, Operator};
use super::part::{Cut, Part};
use super::session::Session;
use crate::rig::{KB, MB, Rig};

macro_rules! seen {
    ($($field:ident),* $(,)?) => {
        /// What was met.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Seen {
            $(pub $field: u64,)*
        }

        impl Seen {
            pub fn add(&mut self, other: &Seen) {
                $(self.$field += other.$field;)*
            }

            /// What never was.
            pub fn missing(&self) -> Vec<&'static str> {
                let mut missing = Vec::new();
                $(if self.$field == 0 {
                    missing.push(stringify!($field));
                })*
                missing
            }
        }
    };
}

seen! {
    power_cuts,
    kills,
    faults,
    calm,
    cut_in_recovery,
    durable,
    delayed,
    delayed_lost,
    refused,
    rolled_back,
    deadlocks,
    sums,
    snapshots,
    no_room,
    undone_by_restart,
    undone_beside_work,
    torn_repaired,
    redo_helpers,
    checkpoints,
    evictions,
    splits,
    data_growths,
    log_growths,
    tables,
    backups,
    log_backups,
    restored,
    shrunk,
    temporary,
    unlogged,
    two_databases,
    one_failed,
    slow_calls,
    timed_out,
}

/// How long who is awake may have to wait for the baton.
pub const STEPS: Duration = Duration::from_millis(60);

/// How a life ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    PowerCut,
    /// The process is killed; what it wrote is in the system's cache.
    Kill,
    /// The device fails; then one of the above.
    Fault,
    /// It is closed.
    Calm,
}

/// Says what is done in a run that was asked for alone.
fn tell(text: impl FnOnce() -> String) {
    if std::env::var_os("TAFFRAIL_TURNS").is_some() {
        eprintln!("{}", text());
    }
}

struct World {
    world: SimWorld,
    /// The databases of the instance.
    parts: Vec<Part>,
    rng: SimRng,
    seen: Seen,
    seed: u64,
    /// How long a call may take beyond the usual.
    slow: Duration,
    cut: Arc<Mutex<Option<Instant>>>,
}

fn rig(seed: u64, rng: &mut SimRng) -> Rig {
    let sector = if rng.one_in(2) { 512 } else { 4096 };
    let mut rig = Rig::sectors(seed, sector).dir_synced().named("turns");
    let growth = [Growth::Bytes(64 * KB), Growth::Bytes(256 * KB), Growth::Percent(20)];
    let log_growth = match rng.below(3) {
        0 => Growth::None,
        _ => Growth::Bytes(256 * KB),
    };
    rig = rig.frames(48 + rng.below(64)).data(MB, growth[rng.below(3) as usize]);
    rig = rig.log((512 + 256 * rng.below(4)) * KB, log_growth);
    if rng.one_in(3) {
        rig = rig.data_max((1536 + 512 * rng.below(4)) << 10);
    }
    if rng.one_in(3) {
        rig = rig.model(RecoveryModel::Full);
    }
    rig.options.delayed_durability = 1;
    rig.machine.redo_log_max = [256 << 20, 64 << 10, 300 << 10][rng.below(3) as usize];
    rig.machine.workers = workers(rng.below(4) as usize);
    rig
}

fn workers(helpers: usize) -> Workers {
    Workers::new(helpers, |n, work| match n {
        0 => work(0),
        _ => sched::together("redo", n, work),
    })
}

/// A second database of the same instance.
fn second(first: &Rig, rng: &mut SimRng) -> Rig {
    let mut rig = first.clone().id(7).named("second");
    rig = rig.log((512 + 256 * rng.below(4)) * KB, Growth::Bytes(256 * KB)).data_max(None);
    let models = [RecoveryModel::Simple, RecoveryModel::Full];
    rig.model(models[rng.below(2) as usize])
}

/// `left_out`: the sync, counted from when the sessions begin, that the disk leaves out.
pub fn run(case: &Case, left_out: Option<u64>) -> Seen {
    let mut rng = SimRng::new(case.seed);
    let mut rigs = vec![rig(case.seed, &mut rng)];
    if rng.one_in(3) {
        rigs.push(second(&rigs[0], &mut rng));
    }
    let (instance, sim) = (rigs[0].instance(), rigs[0].world.clone());
    let made = rigs.into_iter().map(|rig| Part::new(rig, &instance));
    let (parts, dbs): (Vec<Part>, Vec<Arc<Database>>) = made.unzip();
    if let Some(n) = left_out {
        sim.drop_sync(Some(sim.stats().syncs + n));
    }
    let (seen, cut) = (Seen::default(), Arc::default());
    let (seed, slow) = (case.seed, Duration::ZERO);
    let mut world = World { world: sim, parts, rng, seen, seed, slow, cut };
    world.seen.redo_helpers = u64::from(world.parts[0].rig.machine.workers.helpers() > 0);
    world.seen.two_databases = u64::from(world.parts.len() > 1);
    let lives = case.part(1 + world.rng.below(3)).min(3);
    let mut next = Some((instance, dbs));
    for life in 1..=lives {
        // The first has just been made; the later ones begin while what the former left open is undone.
        let (instance, dbs) = next.take().unwrap_or_else(|| world.restarted(false));
        let undo =
            if life > 1 { dbs.iter().map(|db| world.undo(db)).collect() } else { Vec::new() };
        world.settle(&dbs);
        if case.seed.is_multiple_of(3) {
            dbs.iter().for_each(|db| db.set_versions(true));
        }
        world.live(case, life, &instance, &dbs, undo);
    }
    world.look_at_the_end();
    world.seen
}

impl World {
    /// One life: sessions and those who serve them, until the load is done or what ends it has struck.
    fn live(
        &mut self,
        case: &Case,
        life: u64,
        instance: &Arc<StorageInstance>,
        dbs: &[Arc<Database>],
        undo: Vec<JoinHandle<()>>,
    ) {
        let end = match self.rng.below(10) {
            0..3 => End::PowerCut,
            3..6 => End::Kill,
            6..9 => End::Fault,
            _ => End::Calm,
        };
        let scale = self.rng.below(8);
        let steps = 200 + self.rng.below(500 << scale);
        let world = self.world.clone();
        let temp = self.tempdb(instance);
        tell(|| format!("life {life}: {end:?}, step {steps} at the latest"));
        let cut = self.cut.clone();
        let note = move || *cut.lock().unwrap() = Some(now());
        match end {
            End::PowerCut => sched::after(steps, move || {
                note();
                world.crash();
            }),
            End::Kill => sched::after(steps, move || {
                note();
                world.kill();
            }),
            End::Fault => self.plan_fault(),
            End::Calm => {}
        }
        self.slow_down();
        let stop = Arc::new(AtomicBool::new(false));
        let served = self.serve(instance, dbs, &temp, &stop);
        let mut all = Vec::new();
        for (part, db) in dbs.iter().enumerate() {
            all.extend(self.operate(case, life, part, db));
        }
        all.extend(self.sessions(case, life, dbs, &temp));
        all.into_iter().for_each(JoinHandle::join);
        if !self.world.is_powered() {
            dbs.iter().for_each(|db| db.stop_recovery());
        }
        undo.into_iter().for_each(JoinHandle::join);
        self.look_at_the_spared(dbs);
        stop.store(true, Ordering::SeqCst);
        dbs.iter().for_each(|db| db.log().stop_writer());
        served.into_iter().for_each(JoinHandle::join);
        sched::call_off();
        self.world.slow(None);
        self.seen.slow_calls = self.world.stats().slow_calls;
        self.note(instance, dbs);
        if let Some(temp) = temp {
            let _ = temp.close();
        }
        self.end(end, dbs);
    }

    /// Sessions of one database, and where there are two some that work in both by turns.
    fn sessions(
        &mut self,
        case: &Case,
        life: u64,
        dbs: &[Arc<Database>],
        temp: &Option<Arc<Database>>,
    ) -> Vec<JoinHandle<()>> {
        let sessions = case.part(2 + self.rng.below(4));
        let transactions = case.part(2 + self.rng.below(14));
        let mut all = Vec::new();
        for me in 1..=sessions {
            let first = me as usize % dbs.len();
            let both = dbs.len() > 1 && self.rng.one_in(3);
            let of = |part: usize| {
                let (db, part) = (&dbs[part], &self.parts[part]);
                let mut session = Session::new(db, &self.world, part, me, (self.seed, life));
                session.temp = temp.clone();
                session.versions = db.versions_on();
                session
            };
            let mut own = vec![of(first)];
            if both {
                own.push(of(1 - first));
            }
            all.push(sched::spawn(&format!("session {me}"), move || {
                // A database that has failed stops nobody's work in the other.
                for _ in 0..transactions {
                    own.retain_mut(|session| session.work(1));
                }
            }));
        }
        all
    }

    /// A database whose files do not fail goes on beside one whose files do.
    fn look_at_the_spared(&mut self, dbs: &[Arc<Database>]) {
        let failed = dbs
            .iter()
            .zip(&self.parts)
            .any(|(db, part)| part.faulty && matches!(db.state(), DatabaseState::Suspect(_)));
        for (db, part) in dbs.iter().zip(&self.parts) {
            if failed && !part.faulty && self.world.is_powered() {
                match db.checkpoint(CheckpointKind::Manual) {
                    Ok(_) | Err(StorageError::LogFull(_)) => self.seen.one_failed += 1,
                    Err(e) => panic!("a checkpoint beside a database that failed: {e} ({e:?})"),
                }
            }
        }
    }

    /// What nobody wants back after the end of a life.
    fn tempdb(&mut self, instance: &Arc<StorageInstance>) -> Option<Arc<Database>> {
        if !self.rng.one_in(3) {
            return None;
        }
        let temp = self.parts[0].rig.clone().id(2).named("tempdb").model(RecoveryModel::Simple);
        let disk = self.world.env().disk;
        for file in temp.logs.iter().chain([&temp.data]) {
            if disk.exists(&file.path).unwrap() {
                disk.remove(&file.path).unwrap();
            }
        }
        let spec = CreateSpec { temporary: true, ..temp.spec() };
        Some(Database::create(instance, temp.id, "tempdb", &spec).unwrap())
    }

    /// Somebody who takes backups.
    fn operate(
        &mut self,
        case: &Case,
        life: u64,
        part: usize,
        db: &Arc<Database>,
    ) -> Option<JoinHandle<()>> {
        let deeds = case.part(1 + self.rng.below(8));
        if !self.rng.one_in(3) {
            return None;
        }
        let rng = SimRng::new(self.rng.next_u64());
        let mut operator = Operator::new(db, &self.parts[part], rng, life);
        Some(sched::spawn("operator", move || operator.work(deeds)))
    }

    /// Part of the name of files: all, some, or those of one database.
    fn some_files(&mut self) -> String {
        let one = &self.parts[self.rng.below(self.parts.len() as u64) as usize].rig.name;
        match self.rng.below(3) {
            _ if self.parts.len() > 1 && self.rng.one_in(2) => one.clone(),
            n => ["", ".mdf", ".ldf"][n as usize].into(),
        }
    }

    fn plan_fault(&mut self) {
        let kinds =
            [IoKind::WriteDurable, IoKind::Write, IoKind::Sync, IoKind::Allocate, IoKind::Read];
        let kind = kinds[self.rng.below(5) as usize];
        let fault = [FaultKind::Io, FaultKind::Full, FaultKind::Short][self.rng.below(3) as usize];
        let fault = if kind == IoKind::Read { FaultKind::Io } else { fault };
        let path_contains = self.some_files();
        for part in &mut self.parts {
            let names = format!("{}.mdf {}_log.ldf", part.rig.name, part.rig.name);
            part.faulty = names.contains(&path_contains);
        }
        let scale = self.rng.below(5);
        let (nth, sticky) = (1 + self.rng.below(6 << scale), self.rng.one_in(2));
        tell(|| format!("{kind:?} {nth} of '{path_contains}' fails, {fault:?}, sticky: {sticky}"));
        self.world.inject(Fault { nth, kind: Some(kind), path_contains, fault, sticky });
    }

    /// In some lives the device takes long for some calls.
    fn slow_down(&mut self) {
        self.slow = Duration::ZERO;
        if !self.rng.one_in(4) {
            return;
        }
        let kinds = [
            None,
            Some(IoKind::Read),
            Some(IoKind::Write),
            Some(IoKind::WriteDurable),
            Some(IoKind::Sync),
        ];
        let kind = kinds[self.rng.below(5) as usize];
        let path_contains = self.some_files();
        let one_in = 1 + self.rng.below(12);
        self.slow = Duration::from_millis([20, 300, 3_000][self.rng.below(3) as usize]);
        let slow = Slow { kind, path_contains, one_in, most: self.slow };
        tell(|| format!("slow: {slow:?}"));
        self.world.slow(Some(slow));
    }

    /// The threads that the engine gives a database.
    fn serve(
        &mut self,
        instance: &Arc<StorageInstance>,
        dbs: &[Arc<Database>],
        temp: &Option<Arc<Database>>,
        stop: &Arc<AtomicBool>,
    ) -> Vec<JoinHandle<()>> {
        let mut all = Vec::new();
        let runs: [(&str, fn(&Log)); 2] =
            [("log ahead", Log::run_ahead), ("log writer", Log::run_writer)];
        for (part, db) in self.parts.iter_mut().zip(dbs) {
            for (name, run) in runs {
                let log = db.log().clone();
                part.has_writer = !self.rng.one_in(5);
                if part.has_writer {
                    all.push(sched::spawn_daemon(name, move || run(&log)));
                }
            }
        }
        let (ticked, stopped) = (dbs.iter().chain(temp).cloned().collect::<Vec<_>>(), stop.clone());
        all.push(sched::spawn_daemon("recovery writer", move || {
            while !stopped.load(Ordering::SeqCst) {
                let pause = ticked.iter().map(|db| db.background_tick()).min();
                let pause = pause.expect("there is a database");
                thread::sleep(pause.clamp(Duration::from_millis(5), Duration::from_millis(50)));
            }
        }));
        let (own, stopped) = (instance.clone(), stop.clone());
        all.push(sched::spawn_daemon("lazy writer", move || {
            while !stopped.load(Ordering::SeqCst) {
                let pause = own.lazy_writer_tick();
                thread::sleep(pause);
            }
        }));
        all
    }

    /// Undo beside whatever else is done.
    fn undo(&mut self, db: &Arc<Database>) -> JoinHandle<()> {
        let (db, world) = (db.clone(), self.world.clone());
        let records = 1 + self.rng.below(20) as usize;
        self.seen.undone_beside_work += u64::from(db.is_undoing());
        sched::spawn("undo", move || {
            let all = || -> StorageResult<()> {
                while db.undo_step(records)? {}
                db.finish_recovery().map(drop)
            };
            if let Err(e) = all() {
                // A device that fails, or no power.
                assert!(!world.is_powered() || world.stats().faults > 0, "undo: {e} ({e:?})");
            }
        })
    }

    fn note(&mut self, instance: &Arc<StorageInstance>, dbs: &[Arc<Database>]) {
        self.seen.evictions += instance.pool.counters.evictions.get();
        for db in dbs {
            let counters = db.counters();
            self.seen.checkpoints += counters.checkpoints.get();
            self.seen.splits += counters.page_splits.get();
            self.seen.log_growths += counters.log_growths.get();
            self.seen.shrunk += counters.log_shrinks.get();
            self.seen.unlogged += db.rarities().minimally_logged.load(Ordering::Relaxed);
            let data = db.file_sizes().first().map_or(0, |f| f.size);
            self.seen.data_growths += u64::from(data > MB);
        }
    }

    fn end(&mut self, end: End, dbs: &[Arc<Database>]) {
        let world = &self.world;
        assert_eq!(world.stats().races, 0, "two writes at one place at once");
        let failed = end == End::Fault && world.stats().faults > 0;
        let killed = match end {
            End::PowerCut => false,
            End::Kill => true,
            // After a sync that failed the system's cache has what the medium has not, and nobody tells the next process.
            _ => self.rng.one_in(2),
        };
        self.seen.faults += u64::from(failed);
        tell(|| format!("the end: {end:?}, killed: {killed}, {:?}", world.stats()));
        world.clear_faults();
        if end == End::Calm {
            for (db, part) in dbs.iter().zip(&self.parts) {
                let closed = db.close();
                assert!(closed.is_ok(), "close: {closed:?}");
                part.ledger.lock().unwrap().all_hardened();
            }
            self.seen.calm += 1;
        }
        if killed {
            world.kill();
            world.revive();
            self.seen.kills += 1;
        } else {
            world.restart();
            self.seen.power_cuts += 1;
        }
    }

    /// Starts the machine until nothing cuts it short. `all`: with all that is to be undone.
    fn restarted(&mut self, all: bool) -> (Arc<StorageInstance>, Vec<Arc<Database>>) {
        loop {
            let cut = self.rng.one_in(3);
            let kill = self.rng.one_in(2);
            if cut {
                let scale = self.rng.below(9);
                let world = self.world.clone();
                let deed = move || if kill { world.kill() } else { world.crash() };
                sched::after(1 + self.rng.below(20 << scale), deed);
            }
            let instance = self.parts[0].rig.instance();
            let open = |part: &Part| match all {
                true => part.rig.open_in(&instance),
                false => part.rig.open_deferred_in(&instance),
            };
            let opened: StorageResult<Vec<(Arc<Database>, RecoveryReport)>> =
                self.parts.iter().map(open).collect();
            sched::call_off();
            if !self.world.is_powered() {
                self.seen.cut_in_recovery += 1;
                tell(|| format!("recovery is cut, killed: {kill}"));
                drop((opened, instance));
                if kill {
                    self.world.revive()
                } else {
                    self.world.restart()
                }
                continue;
            }
            let opened = opened.unwrap_or_else(|e| panic!("restart: {e} ({e:?})"));
            for (_, report) in &opened {
                self.seen.torn_repaired += report.torn_repaired;
                self.seen.undone_by_restart += report.rolled_back;
            }
            return (instance, opened.into_iter().map(|(db, _)| db).collect());
        }
    }

    /// What has survived is the truth from here on.
    fn settle(&mut self, dbs: &[Arc<Database>]) {
        let cut = self.cut.lock().unwrap().take();
        // The window, what is being written when it ends, its own writes and sync.
        let usual = Duration::from_millis(6);
        let window = LogOptions::default().delayed_window;
        let cut: Cut = cut.map(|at| (at, window + 5 * (self.slow + usual) + STEPS));
        for (part, db) in self.parts.iter_mut().zip(dbs) {
            self.seen.delayed_lost += part.settle(db, cut);
            part.faulty = false;
        }
    }

    /// The last restart; everything is looked at, and again after a loss of power.
    fn look_at_the_end(&mut self) {
        let (_, dbs) = self.restarted(true);
        self.settle(&dbs);
        self.look(&dbs);
        drop(dbs);
        self.world.restart();
        let (instance, dbs) = self.restarted(true);
        self.settle(&dbs);
        self.look(&dbs);
        for (part, db) in self.parts.iter().zip(&dbs) {
            look_at_backups(part, &instance, &mut self.seen);
            let closed = db.close();
            assert!(closed.is_ok(), "close: {closed:?}");
            let ledger = part.ledger.lock().unwrap();
            self.seen.durable += ledger.durable;
            self.seen.delayed += ledger.delayed;
            self.seen.refused += ledger.refused;
            self.seen.rolled_back += ledger.rolled_back;
            self.seen.deadlocks += ledger.deadlocks;
            self.seen.timed_out += ledger.timed_out;
            self.seen.sums += ledger.sums;
            self.seen.snapshots += ledger.snapshots;
            self.seen.no_room += ledger.full;
            self.seen.temporary += ledger.temporary;
        }
    }

    fn look(&mut self, dbs: &[Arc<Database>]) {
        for (part, db) in self.parts.iter().zip(dbs) {
            let want = part.ledger.lock().unwrap().content();
            part.compare(db, &want);
            self.seen.tables += want.tables.len() as u64;
        }
    }
}

/// What the last chain of backups restores.
fn look_at_backups(part: &Part, instance: &Arc<StorageInstance>, seen: &mut Seen) {
    let sets = part.sets.lock().unwrap().clone();
    let logs = sets.iter().filter(|s| s.kind == BackupKind::Log).count() as u64;
    seen.backups += sets.len() as u64 - logs;
    seen.log_backups += logs;
    let Some((copy, least)) = operator::restore(&part.rig, instance, &sets) else { return };
    let there = part.counts(&copy);
    for (session, least) in least {
        let n = there.get(&session).copied().unwrap_or(0);
        assert!(n >= least, "session {session}: {n} commits in a backup, of {least} at its begin");
    }
    let want = part.ledger.lock().unwrap().content_of(|session| there[&session]);
    part.compare(&copy, &want);
    seen.restored += 1;
    copy.close().unwrap();
}

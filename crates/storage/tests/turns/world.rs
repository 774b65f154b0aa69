//! One case: a world, the lives of a database in it, how each ends, the restarts between them, and what is looked at afterwards.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taffrail_base::HobtId;
use taffrail_base::sched::{self, Case, JoinHandle};
use taffrail_base::sync::{now, thread};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimRng};
use taffrail_log::Log;
use taffrail_storage::backup::BackupKind;
use taffrail_storage::check::{RowFault, Rows};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CreateSpec, Database, Durability, Growth, HobtKind, LobRef, RecoveryModel, RecoveryReport, Rid,
    ScanLocks, StorageInstance, StorageResult, Workers, btree, lob,
};

use crate::ledger::{Content, Ledger, Place};
use crate::loads::keyed;
use crate::operator::{self, Operator, Sets};
use crate::rig::{KB, MB, Rig, begin, heap_rows, make, whole_tree};
use crate::session::{ACCOUNTS, Ids, START, Session, account_row, amount, counter, key};

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
}

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
    rig: Rig,
    rng: SimRng,
    ledger: Arc<Mutex<Ledger>>,
    ids: Ids,
    sets: Sets,
    seen: Seen,
    seed: u64,
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

/// `left_out`: the sync, counted from when the sessions begin, that the disk leaves out.
pub fn run(case: &Case, left_out: Option<u64>) -> Seen {
    let mut rng = SimRng::new(case.seed);
    let rig = rig(case.seed, &mut rng);
    let instance = rig.instance();
    let db = rig.create_in(&instance).unwrap();
    let ids = Ids {
        bank: make(&db, 1001, 1),
        tree: make(&db, 1002, 1),
        heap: make(&db, 1003, 0),
        lobs: make(&db, 1004, 1),
    };
    let mut tx = begin(&db);
    let bank = db.hobt(ids.bank).unwrap();
    for n in 0..ACCOUNTS {
        btree::insert(&mut tx, &bank, &key(n), &account_row(START)).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    if let Some(n) = left_out {
        rig.world.drop_sync(Some(rig.world.stats().syncs + n));
    }
    let ledger = Arc::default();
    let sets = Sets::default();
    let mut world = World { rig, rng, ledger, ids, sets, seen: Seen::default(), seed: case.seed };
    world.seen.redo_helpers = u64::from(world.rig.machine.workers.helpers() > 0);
    let lives = case.part(1 + world.rng.below(3)).min(3);
    let mut next = Some((instance, db));
    for life in 1..=lives {
        // The first has just been made; the later ones begin while what the former left open is undone.
        let (instance, db) = next.take().unwrap_or_else(|| world.restarted(false));
        let undo = (life > 1).then(|| world.undo(&db));
        world.settle(&db);
        world.live(case, life, &instance, &db, undo);
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
        db: &Arc<Database>,
        undo: Option<JoinHandle<()>>,
    ) {
        let end = match self.rng.below(10) {
            0..3 => End::PowerCut,
            3..6 => End::Kill,
            6..9 => End::Fault,
            _ => End::Calm,
        };
        let scale = self.rng.below(8);
        let steps = 200 + self.rng.below(500 << scale);
        let world = self.rig.world.clone();
        let temp = self.tempdb(instance);
        tell(|| format!("life {life}: {end:?}, step {steps} at the latest"));
        match end {
            End::PowerCut => sched::after(steps, move || world.crash()),
            End::Kill => sched::after(steps, move || world.kill()),
            End::Fault => self.plan_fault(),
            End::Calm => {}
        }
        let stop = Arc::new(AtomicBool::new(false));
        let served = self.serve(instance, db, &temp, &stop);
        let operated = self.operate(case, life, db, end == End::Fault);
        let sessions = case.part(2 + self.rng.below(4));
        let transactions = case.part(2 + self.rng.below(14));
        let all: Vec<JoinHandle<()>> = (1..=sessions)
            .map(|me| {
                let seed = (self.seed, life);
                let mut session =
                    Session::new(db, &self.rig.world, self.ids, &self.ledger, me, seed);
                session.faulty = end == End::Fault;
                session.temp = temp.clone();
                sched::spawn(&format!("session {me}"), move || session.work(transactions))
            })
            .collect();
        all.into_iter().chain(operated).for_each(JoinHandle::join);
        if let Some(undo) = undo {
            if !self.rig.world.is_powered() {
                db.stop_recovery();
            }
            undo.join();
        }
        stop.store(true, Ordering::SeqCst);
        db.log().stop_writer();
        served.into_iter().for_each(JoinHandle::join);
        sched::call_off();
        self.note(instance, db);
        if let Some(temp) = temp {
            let _ = temp.close();
        }
        self.end(end, db);
    }

    /// What nobody wants back after the end of a life.
    fn tempdb(&mut self, instance: &Arc<StorageInstance>) -> Option<Arc<Database>> {
        if !self.rng.one_in(3) {
            return None;
        }
        let temp = self.rig.clone().id(2).named("tempdb").model(RecoveryModel::Simple);
        let disk = self.rig.world.env().disk;
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
        db: &Arc<Database>,
        faulty: bool,
    ) -> Option<JoinHandle<()>> {
        let deeds = case.part(1 + self.rng.below(8));
        if !self.rng.one_in(3) {
            return None;
        }
        let mut operator = Operator {
            db: db.clone(),
            world: self.rig.world.clone(),
            ledger: self.ledger.clone(),
            sets: self.sets.clone(),
            ids: self.ids,
            rng: SimRng::new(self.rng.next_u64()),
            faulty,
            life,
        };
        Some(sched::spawn("operator", move || operator.work(deeds)))
    }

    fn plan_fault(&mut self) {
        let kinds =
            [IoKind::WriteDurable, IoKind::Write, IoKind::Sync, IoKind::Allocate, IoKind::Read];
        let kind = kinds[self.rng.below(5) as usize];
        let fault = [FaultKind::Io, FaultKind::Full, FaultKind::Short][self.rng.below(3) as usize];
        let fault = if kind == IoKind::Read { FaultKind::Io } else { fault };
        let path_contains: String = ["", ".mdf", ".ldf"][self.rng.below(3) as usize].into();
        let scale = self.rng.below(5);
        let (nth, sticky) = (1 + self.rng.below(6 << scale), self.rng.one_in(2));
        tell(|| format!("{kind:?} {nth} of '{path_contains}' fails, {fault:?}, sticky: {sticky}"));
        self.rig.world.inject(Fault { nth, kind: Some(kind), path_contains, fault, sticky });
    }

    /// The threads that the engine gives a database.
    fn serve(
        &mut self,
        instance: &Arc<StorageInstance>,
        db: &Arc<Database>,
        temp: &Option<Arc<Database>>,
        stop: &Arc<AtomicBool>,
    ) -> Vec<JoinHandle<()>> {
        let mut all = Vec::new();
        let runs: [(&str, fn(&Log)); 2] =
            [("log writer", Log::run_writer), ("log ahead", Log::run_ahead)];
        for (name, run) in runs {
            let log = db.log().clone();
            if !self.rng.one_in(5) {
                all.push(sched::spawn_daemon(name, move || run(&log)));
            }
        }
        let (own, world, stopped) = (db.clone(), self.rig.world.clone(), stop.clone());
        let temp = temp.clone();
        all.push(sched::spawn_daemon("recovery writer", move || {
            let mut last = now();
            while !stopped.load(Ordering::SeqCst) {
                let pause = own
                    .background_tick()
                    .clamp(Duration::from_millis(5), Duration::from_millis(50));
                if let Some(temp) = &temp {
                    temp.background_tick();
                }
                thread::sleep(pause);
                world.clock().advance(now() - last);
                last = now();
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
        let (db, world) = (db.clone(), self.rig.world.clone());
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

    fn note(&mut self, instance: &Arc<StorageInstance>, db: &Arc<Database>) {
        let counters = db.counters();
        self.seen.checkpoints += counters.checkpoints.get();
        self.seen.splits += counters.page_splits.get();
        self.seen.log_growths += counters.log_growths.get();
        self.seen.shrunk += counters.log_shrinks.get();
        self.seen.unlogged += db.rarities().minimally_logged.load(Ordering::Relaxed);
        self.seen.evictions += instance.pool.counters.evictions.get();
        let data = db.file_sizes().first().map_or(0, |f| f.size);
        self.seen.data_growths += u64::from(data > MB);
    }

    fn end(&mut self, end: End, db: &Arc<Database>) {
        let world = &self.rig.world;
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
            let closed = db.close();
            assert!(closed.is_ok(), "close: {closed:?}");
            self.ledger.lock().unwrap().all_hardened();
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
    fn restarted(&mut self, all: bool) -> (Arc<StorageInstance>, Arc<Database>) {
        loop {
            let cut = self.rng.one_in(3);
            let kill = self.rng.one_in(2);
            if cut {
                let scale = self.rng.below(9);
                let world = self.rig.world.clone();
                let deed = move || if kill { world.kill() } else { world.crash() };
                sched::after(1 + self.rng.below(20 << scale), deed);
            }
            let instance = self.rig.instance();
            let opened = match all {
                true => self.rig.open_in(&instance),
                false => self.rig.open_deferred_in(&instance),
            };
            sched::call_off();
            if !self.rig.world.is_powered() {
                self.seen.cut_in_recovery += 1;
                tell(|| format!("recovery is cut, killed: {kill}"));
                drop((opened, instance));
                if kill {
                    self.rig.world.revive()
                } else {
                    self.rig.world.restart()
                }
                continue;
            }
            let (db, report): (_, RecoveryReport) =
                opened.unwrap_or_else(|e| panic!("restart: {e} ({e:?})"));
            self.seen.torn_repaired += report.torn_repaired;
            self.seen.undone_by_restart += report.rolled_back;
            return (instance, db);
        }
    }

    /// What has survived is the truth from here on.
    fn settle(&mut self, db: &Arc<Database>) {
        let there = self.counts(db);
        let lost = self.ledger.lock().unwrap().settle(|session| there[&session]);
        self.seen.delayed_lost += lost;
    }

    /// How many commits of each session are there.
    fn counts(&self, db: &Arc<Database>) -> BTreeMap<u64, u64> {
        let sessions: Vec<u64> = (1..=5).collect();
        let mut there = BTreeMap::new();
        let bank = db.hobt(self.ids.bank).unwrap();
        let mut tx = begin(db);
        tx.lock_object(bank.object(), LockMode::IS).unwrap();
        for session in sessions {
            let mut row = Vec::new();
            // A loser's counter is locked until that is undone.
            let read = btree::get(&mut tx, &bank, &counter(session), ScanLocks::Shared, &mut row);
            let found = read.unwrap_or_else(|e| panic!("a counter: {e} ({e:?})"));
            there.insert(session, if found { amount(&row) as u64 } else { 0 });
        }
        tx.rollback().unwrap();
        there
    }

    /// The last restart; everything is looked at, and again after a loss of power.
    fn look_at_the_end(&mut self) {
        let (_, db) = self.restarted(true);
        self.settle(&db);
        self.look(&db);
        drop(db);
        self.rig.world.restart();
        let (instance, db) = self.restarted(true);
        self.settle(&db);
        self.look(&db);
        self.look_at_backups(&instance);
        let closed = db.close();
        assert!(closed.is_ok(), "close: {closed:?}");
        let ledger = self.ledger.lock().unwrap();
        self.seen.durable = ledger.durable;
        self.seen.delayed = ledger.delayed;
        self.seen.refused = ledger.refused;
        self.seen.rolled_back = ledger.rolled_back;
        self.seen.deadlocks = ledger.deadlocks;
        self.seen.sums = ledger.sums;
        self.seen.no_room = ledger.full;
        self.seen.temporary = ledger.temporary;
    }

    /// What the last chain of backups restores.
    fn look_at_backups(&mut self, instance: &Arc<StorageInstance>) {
        let sets = self.sets.lock().unwrap().clone();
        let logs = sets.iter().filter(|s| s.kind == BackupKind::Log).count() as u64;
        self.seen.backups += sets.len() as u64 - logs;
        self.seen.log_backups += logs;
        let Some((copy, least)) = operator::restore(&self.rig, instance, &sets) else { return };
        let there = self.counts(&copy);
        for (session, least) in least {
            let n = there.get(&session).copied().unwrap_or(0);
            assert!(
                n >= least,
                "session {session}: {n} commits in a backup, of {least} at its begin"
            );
        }
        let want = self.ledger.lock().unwrap().content_of(|session| there[&session]);
        self.compare(&copy, &want);
        self.seen.restored += 1;
        copy.close().unwrap();
    }

    fn look(&mut self, db: &Arc<Database>) {
        let want = self.ledger.lock().unwrap().content();
        self.compare(db, &want);
        self.seen.tables += want.tables.len() as u64;
    }

    /// It holds this and nothing else, and is whole.
    fn compare(&self, db: &Arc<Database>, want: &Content) {
        let found = self.read(db, want);
        for (place, rows) in &want.rows {
            let there = &found.rows[place];
            for (key, value) in rows {
                let same = there.get(key).map(|v| v == value);
                assert_eq!(same, Some(true), "{place:?} {key:?}: is it there, is it the same?");
            }
            let more = there.keys().find(|k| !rows.contains_key(*k));
            assert_eq!(more, None, "{place:?}: a row from nowhere");
        }
        assert_eq!(want.tables, found.tables, "tables");
        let money = |c: &Content, n| c.money.get(&n).copied().unwrap_or(0);
        for n in 0..ACCOUNTS {
            assert_eq!(START + money(want, n), money(&found, n), "account {n}");
        }
        let findings = db.check_all(|hobt| Box::new(Values(hobt == self.ids.lobs)), &mut || false);
        let findings = findings.unwrap_or_else(|e| panic!("check: {e} ({e:?})"));
        assert!(findings.is_empty(), "{} findings, {:?}", findings.len(), findings[0]);
    }

    /// What is there.
    fn read(&self, db: &Arc<Database>, want: &Content) -> Content {
        let mut c = Content::default();
        let mut tx = begin(db);
        let tree = |id: HobtId| db.hobt(id).unwrap_or_else(|e| panic!("{id}: {e} ({e:?})"));
        for (key, row) in whole_tree(&mut tx, &tree(self.ids.bank)).unwrap() {
            let n = u64::from_be_bytes(key[..].try_into().unwrap());
            if n < ACCOUNTS {
                assert_eq!(row, account_row(amount(&row)), "account {n}");
                c.money.insert(n, amount(&row));
            }
        }
        c.rows.insert(Place::Tree, whole_tree(&mut tx, &tree(self.ids.tree)).unwrap());
        let rows = heap_rows(&mut tx, &tree(self.ids.heap), ScanLocks::None).unwrap();
        let rows = keyed(rows);
        assert_eq!(tree(self.ids.heap).row_count(), rows.len() as u64, "rows of the heap");
        c.rows.insert(Place::Heap, rows);
        let lobs = tree(self.ids.lobs);
        let mut values = BTreeMap::new();
        for (key, row) in whole_tree(&mut tx, &lobs).unwrap() {
            let stored = LobRef::from_bytes(row[..].try_into().unwrap());
            let mut value = Vec::new();
            lob::read(&mut tx, &lobs, stored, 0, stored.length, &mut value).unwrap();
            values.insert(key, value);
        }
        c.rows.insert(Place::Lobs, values);
        let shared = [self.ids.bank, self.ids.tree, self.ids.heap, self.ids.lobs];
        let all = db.hobts().unwrap().into_iter().filter(|id| id.0 > 63 && !shared.contains(id));
        c.tables = all.collect();
        c.tables.sort();
        for id in &want.tables {
            let table = tree(*id);
            let rows = match table.kind() {
                HobtKind::BTree => whole_tree(&mut tx, &table).unwrap(),
                HobtKind::Heap => keyed(heap_rows(&mut tx, &table, ScanLocks::None).unwrap()),
            };
            c.rows.insert(Place::Own(*id), rows);
        }
        tx.rollback().unwrap();
        c
    }
}

/// Tells the check which rows refer to large values.
struct Values(bool);

impl Rows for Values {
    fn row(
        &mut self,
        _: Rid,
        _: &[u8],
        value: &[u8],
        lobs: &mut Vec<LobRef>,
    ) -> Result<(), RowFault> {
        if self.0 {
            lobs.push(LobRef::from_bytes(value.try_into().expect("a reference")));
        }
        Ok(())
    }
}

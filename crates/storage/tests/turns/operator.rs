//! What somebody does to a database that others work in: backups, a log that is shrunk, files that grow, a tree put in order, a pool that
//! is to be smaller or larger.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taffrail_base::sync::thread;
use taffrail_base::{DatabaseId, FileId};
use taffrail_io::sim::{SimRng, SimWorld};
use taffrail_storage::backup::{
    self, BackupError, BackupKind, BackupSpec, Device, RestoreKind, RestoreSpec,
};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Database, Durability, RecoveryModel, ShrinkMode, StorageError, StorageInstance, StorageResult,
    btree,
};

use super::ledger::Ledger;
use super::part::Part;
use super::session::Ids;
use crate::rig::{KB, Rig, begin_as};

/// A backup that was begun.
#[derive(Clone, Debug)]
pub struct Set {
    pub path: String,
    pub kind: BackupKind,
    /// Commits of each session that were acknowledged as durable when it began.
    pub least: BTreeMap<u64, u64>,
    /// It is known that it came to its end.
    pub taken: bool,
}

/// All of them, the oldest first.
pub type Sets = Arc<Mutex<Vec<Set>>>;

pub struct Operator {
    db: Arc<Database>,
    world: SimWorld,
    ledger: Arc<Mutex<Ledger>>,
    sets: Sets,
    ids: Ids,
    rng: SimRng,
    faulty: bool,
    life: u64,
}

/// Nothing more can be done.
struct Stopped;

impl Operator {
    pub fn new(db: &Arc<Database>, part: &Part, rng: SimRng, life: u64) -> Operator {
        Operator {
            db: db.clone(),
            world: part.rig.world.clone(),
            ledger: part.ledger.clone(),
            sets: part.sets.clone(),
            ids: part.ids,
            rng,
            faulty: part.faulty,
            life,
        }
    }

    pub fn work(&mut self, deeds: u64) {
        for n in 0..deeds {
            let pause = Duration::from_micros(self.rng.below(20_000));
            thread::sleep(pause);
            let done = match self.rng.below(9) {
                0..4 => self.back_up(n),
                4..6 => self.shrink(),
                6 => self.grow(),
                7 => self.resize(),
                _ => self.put_in_order(),
            };
            if done.is_err() {
                return;
            }
        }
    }

    fn judge(&self, what: &str, e: &StorageError) -> Result<(), Stopped> {
        match e {
            _ if !self.world.is_powered() => Err(Stopped),
            // Somebody else is there, or there is no room.
            StorageError::LogFull(_) | StorageError::FileFull(_) | StorageError::Lock(_) => Ok(()),
            StorageError::Sql(e) if [3023, 5149].contains(&e.number) => Ok(()),
            _ if self.faulty => Err(Stopped),
            e => panic!("{what}: {e} ({e:?})"),
        }
    }

    /// The pool gets another target; the lazy writer empties what lies beyond it.
    fn resize(&mut self) -> Result<(), Stopped> {
        let frames = 64 + self.rng.below(64);
        self.db.instance().pool.set_target(frames * 8 * KB);
        Ok(())
    }

    fn back_up(&mut self, n: u64) -> Result<(), Stopped> {
        let full = self.db.options().recovery_model == RecoveryModel::Full;
        let begun = self.sets.lock().unwrap().iter().any(|s| s.taken && s.kind == BackupKind::Full);
        let kind = match full && begun && !self.rng.one_in(3) {
            true => BackupKind::Log,
            false => BackupKind::Full,
        };
        let path = format!("/data/{}-{}-{n}.bak", self.db.name(), self.life);
        let least = self.ledger.lock().unwrap().durable_counts();
        let mut spec = BackupSpec::new(kind, vec![Device::Disk(path.clone().into())]);
        spec.checksum = self.rng.one_in(2);
        spec.compression = self.rng.one_in(3);
        let set = Set { path, kind, least, taken: false };
        let index = {
            let mut sets = self.sets.lock().unwrap();
            sets.push(set);
            sets.len() - 1
        };
        match self.db.backup(&spec, &mut ()) {
            Ok(_) => {
                self.sets.lock().unwrap()[index].taken = true;
                Ok(())
            }
            Err(BackupError::Storage(e)) => self.judge("a backup", &e),
            Err(_) if !self.world.is_powered() || self.faulty => Err(Stopped),
            Err(e) => panic!("a backup: {e} ({e:?})"),
        }
    }

    fn shrink(&mut self) -> Result<(), Stopped> {
        let files = self.db.log_files();
        let id = files[self.rng.below(files.len() as u64) as usize].0;
        let to = 512 * KB + self.rng.below(4) * 128 * KB;
        let shrunk = self.db.shrink_log_file(id, ShrinkMode::To(to)).map(drop);
        shrunk.or_else(|e| self.judge("a shrink", &e))
    }

    fn grow(&mut self) -> Result<(), Stopped> {
        let size = self.db.file_sizes()[0].size + (1 + self.rng.below(4)) * 64 * KB;
        self.db.grow_data_file(FileId(1), size).or_else(|e| self.judge("a growth", &e))
    }

    fn put_in_order(&mut self) -> Result<(), Stopped> {
        let id = if self.rng.one_in(2) { self.ids.tree } else { self.ids.bank };
        let fill = [100, 80, 50][self.rng.below(3) as usize];
        let work = || -> StorageResult<()> {
            let mut work = btree::Reorganize::new(&self.db.hobt(id)?, fill)?;
            let mut tx = begin_as(&self.db, 90);
            let mut done = || -> StorageResult<()> {
                tx.lock_object(self.db.hobt(id)?.object(), LockMode::IX)?;
                for _ in 0..40 {
                    if !work.step(&mut tx)? {
                        break;
                    }
                }
                Ok(())
            };
            match done() {
                Ok(()) => tx.commit(Durability::Delayed),
                Err(e) => tx.rollback().and(Err(e)),
            }
        };
        work().or_else(|e| self.judge("a tree put in order", &e))
    }
}

/// Restores the newest chain of backups that goes on to the end: the copy, and how many commits of each session are to be there at least.
pub fn restore(
    rig: &Rig,
    instance: &Arc<StorageInstance>,
    sets: &[Set],
) -> Option<(Arc<Database>, BTreeMap<u64, u64>)> {
    // What ended and could not say so any more: the next one goes on behind it.
    let ended = |s: &&Set| {
        let devices = [Device::Disk(s.path.clone().into())];
        let read = || backup::read_sets(&rig.world.env(), &devices);
        s.taken || read().is_ok_and(|sets| sets.iter().all(|s| s.complete) && !sets.is_empty())
    };
    let sets: Vec<&Set> = sets.iter().filter(ended).collect();
    let first = sets.iter().rposition(|s| s.kind == BackupKind::Full)?;
    let chain = &sets[first..];
    let file = |end| PathBuf::from(format!("/data/copy of {}.{end}", rig.name));
    let (primary, log) = (file("mdf"), file("ldf"));
    let moves =
        vec![(rig.data.name.clone(), primary.clone()), (rig.logs[0].name.clone(), log.clone())];
    let mut restored = None;
    for (n, set) in chain.iter().enumerate() {
        let is_log = set.kind == BackupKind::Log;
        let spec = RestoreSpec {
            kind: if is_log { RestoreKind::Log } else { RestoreKind::Database },
            devices: vec![Device::Disk(set.path.clone().into())],
            position: 1,
            id: DatabaseId(rig.id.0 + 1),
            name: format!("copy of {}", rig.name),
            primary: Some(primary.clone()),
            moves: if is_log { Vec::new() } else { moves.clone() },
            replaces: vec![primary.clone(), log.clone()],
            guid: None,
            recovery: n + 1 == chain.len(),
        };
        let done = backup::restore(instance, &spec, &mut ());
        let done = done.unwrap_or_else(|e| panic!("a restore of {set:?}: {e} ({e:?})"));
        restored = done.database;
    }
    let last = chain.last().expect("a chain has its full backup");
    Some((restored.expect("the last one recovers"), last.least.clone()))
}

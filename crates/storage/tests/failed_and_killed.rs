//! A write or a sync fails, the process is killed, and another one goes on with what the system's cache has: which it calls clean, and
//! which the medium may not have. Then the power goes. What either process has acknowledged is there.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::{FileId, HobtId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimRng};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{CheckpointKind, Database, Durability, Growth, StorageResult, btree};

use crate::rig;

use rig::{KB, MB, Rig, begin, make, whole_tree};

fn rig(seed: u64) -> Rig {
    let sector = if seed.is_multiple_of(2) { 512 } else { 4096 };
    let rig = Rig::sectors(seed, sector).dir_synced().frames(64);
    rig.data(MB, Growth::Bytes(256 * KB)).log(512 * KB, Growth::Bytes(256 * KB))
}

/// A row of which nobody can say: not acknowledged.
type Rows = BTreeMap<u64, Vec<u64>>;

struct History {
    tree: HobtId,
    rng: SimRng,
    /// The values that a row may have; 0: none.
    may: Rows,
    value: u64,
}

impl History {
    /// Some rows in one transaction. An error: nothing is known of them.
    fn transaction(&mut self, db: &Arc<Database>) -> StorageResult<()> {
        let tree = db.hobt(self.tree)?;
        let mut tx = begin(db);
        tx.lock_object(tree.object(), LockMode::IX)?;
        self.value += 1;
        let mut keys = Vec::new();
        let done = (|| {
            for _ in 0..1 + self.rng.below(8) {
                let n = self.rng.below(400);
                let key = n.to_be_bytes();
                let mut row = self.value.to_be_bytes().to_vec();
                row.resize(1000 + self.rng.below(1500) as usize, self.value as u8);
                keys.push(n);
                let mut old = Vec::new();
                let locks = taffrail_storage::ScanLocks::Exclusive;
                match btree::get(&mut tx, &tree, &key, locks, &mut old)? {
                    true => btree::update(&mut tx, &tree, &key, &row)?,
                    false => btree::insert(&mut tx, &tree, &key, &row)?,
                }
            }
            tx.commit(Durability::Full)
        })();
        for n in keys {
            let may = self.may.entry(n).or_insert_with(|| vec![0]);
            match done {
                Ok(()) => *may = vec![self.value],
                Err(_) => may.push(self.value),
            }
        }
        done
    }

    /// Commits and what is written besides, until something fails.
    fn go_on(&mut self, db: &Arc<Database>, rounds: u64) -> StorageResult<()> {
        for _ in 0..rounds {
            match self.rng.below(24) {
                0 => db.checkpoint(CheckpointKind::Manual)?,
                1 => {
                    let size = db.file_sizes()[0].size + 64 * KB;
                    db.grow_data_file(FileId(1), size)?;
                }
                2 => {
                    db.log().ahead_tick();
                    db.log().writer_tick();
                }
                _ => self.transaction(db)?,
            }
        }
        Ok(())
    }

    /// What is there is known from here on.
    fn look(&mut self, db: &Arc<Database>, what: &str) {
        let mut tx = begin(db);
        let rows = whole_tree(&mut tx, &db.hobt(self.tree).unwrap()).unwrap();
        tx.rollback().unwrap();
        for (n, may) in &mut self.may {
            let there = rows.get(&n.to_be_bytes()[..]);
            let value = there.map_or(0, |r| u64::from_be_bytes(r[..8].try_into().unwrap()));
            assert!(may.contains(&value), "{what}: row {n} is {value}, and may be {may:?}");
            *may = vec![value];
        }
    }
}

#[derive(Default, Debug)]
struct Seen {
    struck: u64,
    cut: u64,
}

fn one(seed: u64, kind: IoKind, nth: u64, seen: &mut Seen) {
    let what = format!("{kind:?} {nth}, seed {seed}");
    let rig = rig(seed);
    let db = rig.create();
    let mut history =
        History { tree: make(&db, 1000, 1), rng: SimRng::new(seed), may: Rows::new(), value: 0 };
    let fault = FaultKind::Io;
    let path_contains: String = ["", ".mdf", ".ldf"][history.rng.below(3) as usize].into();
    rig.world.inject(Fault { nth, kind: Some(kind), path_contains, fault, sticky: false });
    let failed = history.go_on(&db, 40 + nth * 4).is_err();
    seen.struck += u64::from(failed);
    rig.world.clear_faults();
    rig.world.kill();
    drop(db);
    rig.world.revive();
    // The next process, at whose I/O the power goes sooner or later.
    for life in 0..2 {
        if life > 0 || history.rng.one_in(2) {
            rig.world.crash_at(1 + history.rng.below(400));
        }
        match rig.restart() {
            Ok((db, _)) => {
                let rounds = history.rng.below(60);
                let gone_on = history.go_on(&db, rounds);
                assert!(gone_on.is_ok() || !rig.world.is_powered(), "{what}: {gone_on:?}");
            }
            Err(e) => assert!(!rig.world.is_powered(), "{what}: {e}"),
        }
        seen.cut += u64::from(!rig.world.is_powered());
        rig.world.restart();
    }
    for _ in 0..2 {
        let opened = rig.restart();
        let (db, _) = opened.unwrap_or_else(|e| panic!("{what}: {e}"));
        history.look(&db, &what);
        let findings = db.check_all(|_| Box::new(Plain), &mut || false).unwrap();
        assert!(findings.is_empty(), "{what}: {findings:?}");
        rig.lose_power(db);
    }
}

/// Rows refer to nothing.
struct Plain;

impl taffrail_storage::check::Rows for Plain {
    fn row(
        &mut self,
        _: taffrail_storage::Rid,
        _: &[u8],
        _: &[u8],
        _: &mut Vec<taffrail_storage::LobRef>,
    ) -> Result<(), taffrail_storage::check::RowFault> {
        Ok(())
    }
}

#[test]
fn what_the_cache_has_and_the_medium_has_not_is_written_again() {
    let mut seen = Seen::default();
    for seed in rig::seeds(1, 120) {
        for (i, kind) in [IoKind::Sync, IoKind::WriteDurable, IoKind::Write].into_iter().enumerate()
        {
            let nth = 1 + (seed * 7 + i as u64 * 5) % 40;
            one(seed, kind, nth, &mut seen);
        }
    }
    eprintln!("{seen:?}");
    assert!(rig::number("TAFFRAIL_SIM_SEED").is_some() || seen.struck > 100, "{seen:?}");
}

/// The write of one copy of a header fails and leaves it in the cache alone; the power goes at some I/O of the next process, which writes
/// the other copy. Gives whether it failed, and how many I/Os that process had.
fn copies(seed: u64, file: &str, nth: u64, cut: Option<u64>) -> (bool, u64) {
    let what = format!("seed {seed}, write {nth} of {file}, power until I/O {cut:?}");
    let rig = Rig::sectors(seed, 512).dir_synced().frames(64);
    let rig = rig.data(MB, Growth::Bytes(256 * KB)).log(512 * KB, Growth::Bytes(256 * KB));
    // A path so long that the boot page differs in two sectors, and can be torn.
    let rig = rig.named(&"n".repeat(225));
    let db = rig.create();
    let (tree, rng, may) = (make(&db, 1000, 1), SimRng::new(seed), Rows::new());
    let mut history = History { tree, rng, may, value: 0 };
    history.transaction(&db).unwrap();
    db.grow_data_file(FileId(1), MB + 256 * KB).unwrap();
    let (kind, path_contains) = (Some(IoKind::WriteDurable), file.to_owned());
    let fault = FaultKind::Io;
    rig.world.inject(Fault { nth, kind, path_contains, fault, sticky: false });
    let failed = match file {
        ".ldf" => db.log().grow_file(0, MB).is_err(),
        _ => db.checkpoint(CheckpointKind::Manual).is_err(),
    };
    rig.world.clear_faults();
    rig.world.kill();
    drop(db);
    rig.world.revive();
    let before = rig.world.stats().operations;
    if let Some(at) = cut {
        rig.world.crash_at(at);
    }
    let opened = rig.restart().map(|(db, _)| db.checkpoint(CheckpointKind::Manual));
    let fine = matches!(opened, Ok(Ok(())));
    assert!(fine || !rig.world.is_powered(), "{what}: {opened:?}");
    let operations = rig.world.stats().operations - before;
    rig.world.restart();
    let opened = rig.restart();
    let (db, _) = opened.unwrap_or_else(|e| panic!("{what}: {e}"));
    history.look(&db, &what);
    (failed, operations)
}

/// The boot page and the log's header have two copies each.
#[test]
fn never_are_both_copies_of_a_header_lost() {
    let mut struck = 0;
    for at in 1..120 {
        for (file, nth) in [(".ldf", 1), (".ldf", 2), (".mdf", 1), (".mdf", 2)] {
            struck += u64::from(copies(at, file, nth, Some(at)).0);
        }
    }
    assert!(struck > 300, "hardly anything failed: {struck}");
}

/// The other copy of the boot page is what the next process writes last: torn, as the first may be.
#[test]
fn never_are_both_copies_of_the_boot_page_torn() {
    let mut struck = 0;
    for seed in 1..40 {
        for nth in 1..4 {
            let (failed, operations) = copies(seed, ".mdf", nth, None);
            struck += u64::from(failed);
            for back in 0..if failed { 3 } else { 0 } {
                copies(seed, ".mdf", nth, Some(operations - back));
            }
        }
    }
    assert!(struck > 60, "hardly anything failed: {struck}");
}

/// What the newest copy of the boot page lets go of, the copy before it needs: while the newest may be in the cache alone, no log that was
/// let go of is written over.
#[test]
fn log_is_not_reused_by_the_word_of_a_boot_page_in_the_cache() {
    let (mut struck, mut reused) = (0, 0);
    for seed in 1..60 {
        let rig = Rig::sectors(seed, 512).dir_synced().frames(256);
        let rig = rig.data(4 * MB, Growth::Bytes(256 * KB)).log(MB, Growth::None);
        let db = rig.create();
        let (tree, rng, may) = (make(&db, 1000, 1), SimRng::new(seed), Rows::new());
        let mut history = History { tree, rng, may, value: 0 };
        db.checkpoint(CheckpointKind::Manual).unwrap();
        // A good part of the log; the checkpoint that lets go of it fails in its last write.
        let begun = db.log().appended();
        while db.log().appended().since(begun) < 500 * KB {
            history.transaction(&db).unwrap();
        }
        let (nth, kind) = (1 + seed % 4, Some(IoKind::WriteDurable));
        let (path_contains, fault) = (".mdf".into(), FaultKind::Io);
        rig.world.inject(Fault { nth, kind, path_contains, fault, sticky: false });
        struck += u32::from(db.checkpoint(CheckpointKind::Manual).is_err());
        rig.world.clear_faults();
        rig.world.kill();
        drop(db);
        rig.world.revive();
        // No checkpoint in this life: its log goes round.
        let (db, _) = rig.open_deferred().unwrap();
        db.finish_recovery().unwrap();
        let begun = db.log().appended();
        while db.log().appended().since(begun) < 700 * KB && history.transaction(&db).is_ok() {}
        reused += u32::from(db.log().appended().since(begun) >= 300 * KB);
        rig.lose_power(db);
        let opened = rig.restart();
        let (db, _) = opened.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        history.look(&db, &format!("seed {seed}"));
    }
    assert!(struck > 10 && reused > 10, "{struck} checkpoints failed, {reused} logs went round");
}

//! Commits of one row each: as they are; with a tag in the row, one that changes with the row; with the image before kept beside the page.
//!
//! The tag is a part of the value here, so it is logged before and after; tags of storage's own would log the one before alone.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use hashbrown::HashMap;
use taffrail_base::{DatabaseId, IndexId, ObjectId, PageId, SessionId};
use taffrail_io::Env;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CreateSpec, DataFileSpec, Database, DatabaseOptions, Direction, Durability, Growth,
    Hobt, HobtKind, InstanceOptions, KeyRange, RecoveryModel, ScanLocks, StorageInstance,
    Transaction, btree,
};

/// Versions of a page: the hash of the key, the transaction, the image before.
type Page = Vec<(u64, u64, Option<Box<[u8]>>)>;

#[derive(Default)]
struct KeptBeside(Vec<Mutex<HashMap<PageId, Page, foldhash::fast::FixedState>>>);

impl KeptBeside {
    fn note(&self, page: PageId, hash: u64, txn: u64, before: Option<&[u8]>, horizon: u64) {
        let mut shard = self.0[page.page as usize % self.0.len()].lock().unwrap();
        let versions = shard.entry(page).or_default();
        if versions.last().is_some_and(|last| last.1 < horizon) {
            versions.clear();
        }
        versions.push((hash, txn, before.map(Into::into)));
    }
}

struct Run {
    db: Arc<Database>,
    tree: Arc<Hobt>,
    tagged: bool,
    /// With the versions of storage itself; reads are by snapshots.
    on: bool,
    beside: Option<KeptBeside>,
}

const OBJECT: ObjectId = ObjectId(1000);

fn key(n: u64) -> [u8; 8] {
    n.to_be_bytes()
}

impl Run {
    fn value(&self, n: u64, count: u32) -> Vec<u8> {
        let mut value = vec![n as u8; 92];
        value.extend_from_slice(&count.to_le_bytes());
        if self.tagged && (count > 0 || n.is_multiple_of(2)) {
            value.extend_from_slice(&(u64::from(count) << 40 | n).to_le_bytes());
            value.extend_from_slice(&n.to_le_bytes()[..6]);
        }
        value
    }

    fn begin(&self) -> Transaction {
        let mut tx = self.db.begin(BeginSpec { session: SessionId(51), ..BeginSpec::default() });
        tx.lock_object(OBJECT, LockMode::IX).unwrap();
        tx
    }

    fn note(&self, tx: &Transaction, n: u64, before: Option<&[u8]>) {
        if let Some(beside) = &self.beside {
            // Eighty rows to a page.
            let id = tx.id().0;
            beside.note(PageId::new(1, (n / 80) as u32), n, id, before, id);
        }
    }

    fn each(&self, n: u64, what: &str) {
        let mut tx = self.begin();
        let mut row = Vec::new();
        let mut locks = ScanLocks::ReadCommitted;
        if self.on && matches!(what, "scan" | "seek") {
            tx.set_snapshot(Some(self.db.instance().snapshots.take(SessionId(51)).unwrap()));
            locks = ScanLocks::Versions;
        }
        match what {
            "insert" => {
                btree::insert(&mut tx, &self.tree, &key(n), &self.value(n, 1)).unwrap();
                self.note(&tx, n, None);
            }
            "scan" => {
                let all = KeyRange::default();
                let mut cursor = btree::seek(&self.tree, all, Direction::Forward, locks);
                while cursor.next(&mut tx).unwrap().is_some() {}
            }
            "seek" => {
                let k = Some(key(n).to_vec());
                let one = KeyRange {
                    lower: k.clone(),
                    upper: k,
                    upper_inclusive: true,
                    ..KeyRange::default()
                };
                let mut cursor = btree::seek(&self.tree, one, Direction::Forward, locks);
                while cursor.next(&mut tx).unwrap().is_some() {}
            }
            "update" => {
                assert!(
                    btree::get(&mut tx, &self.tree, &key(n), ScanLocks::Update, &mut row).unwrap()
                );
                btree::update(&mut tx, &self.tree, &key(n), &self.value(n, 7)).unwrap();
                self.note(&tx, n, Some(&row[90..96]));
            }
            _ => {
                assert!(
                    btree::get(&mut tx, &self.tree, &key(n), ScanLocks::Update, &mut row).unwrap()
                );
                btree::delete(&mut tx, &self.tree, &key(n)).unwrap();
                self.note(&tx, n, Some(&row));
            }
        }
        tx.commit(Durability::Full).unwrap();
    }
}

fn file(dir: &Path, name: &str, size: u64) -> DataFileSpec {
    DataFileSpec {
        name: name.into(),
        path: dir.join(name),
        size,
        growth: Growth::Bytes(16 << 20),
        max_size: None,
    }
}

fn create(dir: &Path) -> Arc<Database> {
    let env = Env::os();
    if dir.exists() {
        std::fs::remove_dir_all(dir).unwrap();
    }
    env.disk.create_dir(dir).unwrap();
    let instance = StorageInstance::new(env, InstanceOptions::default()).unwrap();
    let spec = CreateSpec {
        data_files: vec![file(dir, "v.mdf", 64 << 20)],
        log_files: vec![file(dir, "v.ldf", 64 << 20)],
        options: DatabaseOptions {
            recovery_model: RecoveryModel::Simple,
            ..DatabaseOptions::default()
        },
        temporary: false,
    };
    Database::create(&instance, DatabaseId(5), "v", &spec).unwrap()
}

pub fn run(dir: &Path, how: &str, what: &str, n: u64) {
    let db = create(dir);
    let mut tx = db.begin(BeginSpec::default());
    let id = db.create_hobt(&mut tx, HobtKind::BTree, OBJECT, IndexId(1)).unwrap();
    tx.commit(Durability::Full).unwrap();
    let tree = db.hobt(id).unwrap();
    let beside = (how == "memory").then(|| KeptBeside((0..64).map(|_| Mutex::default()).collect()));
    let (tagged, on) = (how == "tag", how == "on");
    let run = Run { db: db.clone(), tree, tagged, on, beside };
    // The rows that are changed, in one transaction: one of two has a tag.
    const ROWS: u64 = 4_000;
    let mut tx = run.begin();
    for k in 0..ROWS {
        btree::insert(&mut tx, &run.tree, &key(k), &run.value(k, 0)).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    if on {
        db.set_versions(true);
        assert!(db.versions_ready());
    }
    // Every second row has a tag, where rows have tags.
    let (first, step, what) = match what {
        "insert" => (ROWS, 1, "insert"),
        "update-tagged" => (0, 2, "update"),
        "update-untagged" => (1, 2, "update"),
        what => (0, 1, what),
    };
    assert!(n * step <= ROWS);
    (0..n).for_each(|k| run.each(first + k * step, what));
}

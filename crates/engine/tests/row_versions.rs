//! Rows that carry a version tag: every reader takes them for what they are without it, and redo and undo carry it along.

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use support::sim::{start, world};
use support::{Client, connect};
use taffrail_base::{HobtId, LogPos, SessionId};
use taffrail_engine::Instance;
use taffrail_engine::rows::{VersionTag, key, version};
use taffrail_io::sim::SimOptions;
use taffrail_storage::{
    BeginSpec, Database, Direction, Durability, Hobt, HobtKind, KeyRange, Rid, ScanLocks,
    Transaction, btree, heap,
};

const TABLES: &str = "
    CREATE TABLE c (id int NOT NULL PRIMARY KEY, n int NOT NULL, v varchar(20) NULL, m varchar(max) NULL);
    CREATE INDEX cn ON c (n) INCLUDE (v);
    CREATE TABLE h (id int NOT NULL, n int NOT NULL, v varchar(20) NULL, m varchar(max) NULL);
    CREATE INDEX hn ON h (n) INCLUDE (v);
    INSERT c VALUES (1, 10, 'one', NULL), (2, 20, NULL, REPLICATE(CAST('x' AS varchar(max)), 9000)),
                    (3, 30, 'three', 'short'), (4, 40, 'four', '');
    INSERT h SELECT * FROM c";

/// What is read: whole rows, and rows by their indexes.
const LOOKS: [&str; 4] = [
    "SELECT id, n, v, DATALENGTH(m), LEFT(m, 5) FROM c ORDER BY id",
    "SELECT id, n, v, DATALENGTH(m), LEFT(m, 5) FROM h ORDER BY id",
    "SELECT n, v FROM c WITH (INDEX(cn)) WHERE n >= 20 ORDER BY n",
    "SELECT n, v, m FROM h WITH (INDEX(hn)) WHERE n > 20 ORDER BY n",
];

fn look(c: &mut Client) -> Vec<String> {
    LOOKS.iter().map(|sql| c.rows(sql)).collect()
}

fn storage(instance: &Arc<Instance>) -> Arc<Database> {
    instance.databases().get("d").unwrap().storage.clone()
}

fn begin(db: &Arc<Database>) -> Transaction {
    db.begin(BeginSpec { session: SessionId(99), ..BeginSpec::default() })
}

fn row_of<'a>(hobt: &Hobt, value: &'a [u8]) -> &'a [u8] {
    if hobt.index().0 > 1 { key::read_entry(value).unwrap().1 } else { value }
}

/// Rows of the tables' heaps and trees as they are stored, by key or place.
fn stored(db: &Arc<Database>, hobts: &[HobtId]) -> BTreeMap<(HobtId, Vec<u8>), Vec<u8>> {
    let mut tx = begin(db);
    let mut rows = BTreeMap::new();
    for &id in hobts {
        let hobt = db.hobt(id).unwrap();
        match hobt.kind() {
            HobtKind::Heap => {
                let mut cursor = heap::scan(&hobt, ScanLocks::None);
                while let Some((rid, row)) = cursor.next(&mut tx).unwrap() {
                    rows.insert((id, rid.to_bytes().to_vec()), row.to_vec());
                }
            }
            HobtKind::BTree => {
                let all = KeyRange::default();
                let mut cursor = btree::seek(&hobt, all, Direction::Forward, ScanLocks::None);
                while let Some((k, v)) = cursor.next(&mut tx).unwrap() {
                    rows.insert((id, k.to_vec()), v.to_vec());
                }
            }
        }
    }
    tx.rollback().unwrap();
    rows
}

/// Gives every row a tag of its own, beneath everything that reads rows.
fn tag_all(db: &Arc<Database>, hobts: &[HobtId]) {
    let mut tx = begin(db);
    for (n, ((id, place), value)) in (1..).zip(stored(db, hobts)) {
        let hobt = db.hobt(id).unwrap();
        let mut row = row_of(&hobt, &value).to_vec();
        let before = row.len();
        let tag =
            VersionTag { before: LogPos(n << 20 | 1), sequence: VersionTag::MAX_SEQUENCE - n };
        version::set(&mut row, Some(tag)).unwrap();
        assert_eq!(row.len(), before + VersionTag::BYTES);
        if hobt.index().0 > 1 {
            let mut entry = Vec::new();
            key::write_entry(key::read_entry(&value).unwrap().0, &row, &mut entry);
            row = entry;
        }
        match hobt.kind() {
            HobtKind::Heap => {
                let rid = Rid::from_bytes(place.try_into().unwrap());
                heap::update(&mut tx, &hobt, rid, &row).unwrap();
            }
            HobtKind::BTree => btree::update(&mut tx, &hobt, &place, &row).unwrap(),
        }
    }
    tx.commit(Durability::Full).unwrap();
}

/// How many rows have a tag.
fn tagged(db: &Arc<Database>, rows: &BTreeMap<(HobtId, Vec<u8>), Vec<u8>>) -> usize {
    let has = |((id, _), value): &(&(HobtId, Vec<u8>), &Vec<u8>)| {
        version::of(row_of(&db.hobt(*id).unwrap(), value)).unwrap().is_some()
    };
    rows.iter().filter(has).count()
}

#[test]
fn tagged_rows_are_read_changed_undone_and_redone() {
    let world = world(5, SimOptions::default());
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d");
    c.ok("USE d");
    c.ok(TABLES);
    let db = storage(&instance);
    let ids = c.rows("SELECT object_id FROM sys.tables ORDER BY name");
    let ids: Vec<i32> = ids.lines().map(|l| l.parse().unwrap()).collect();
    let ours = |id: &HobtId| ids.contains(&db.hobt(*id).unwrap().object().0);
    let hobts: Vec<HobtId> = db.hobts().unwrap().into_iter().filter(ours).collect();
    assert_eq!(hobts.len(), 4);
    let plain = look(&mut c);
    tag_all(&db, &hobts);
    let all = stored(&db, &hobts);
    assert_eq!((all.len(), tagged(&db, &all)), (16, 16));
    assert_eq!(look(&mut c), plain);
    assert_eq!(c.rows("DBCC CHECKDB('d') WITH NO_INFOMSGS"), "");

    // Undone: each row is as it was, with its tag.
    let changes = "UPDATE c SET id = id WHERE id = 1; UPDATE c SET n = n + 1; UPDATE h SET v = 'longer than it was';
                   UPDATE h SET m = REPLICATE('y', 50) WHERE id = 2; DELETE c WHERE id = 3; DELETE h WHERE n = 20";
    c.ok(&format!("BEGIN TRANSACTION; {changes}; ROLLBACK"));
    assert_eq!(stored(&db, &hobts), all);
    // Copies of rows are rows of their own.
    c.ok("SELECT * INTO k FROM h; INSERT k SELECT * FROM k; CREATE TABLE e (id int, n int, v varchar(20), m varchar(max))");
    c.ok("INSERT e SELECT * FROM h");
    let named = "SELECT partition_id FROM sys.partitions WHERE object_id IN (OBJECT_ID('k'), OBJECT_ID('e'))";
    let copies = c.rows(named);
    let copies: Vec<_> = copies.lines().map(|l| HobtId(l.parse().unwrap())).collect();
    let rows = stored(&db, &copies);
    assert_eq!((rows.len(), tagged(&db, &rows)), (12, 0));

    // Redone, and what had not ended undone.
    c.ok(&format!("BEGIN TRANSACTION; {changes}"));
    db.flush_log().unwrap();
    world.crash();
    drop((c, db, instance));
    world.restart();
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("USE d");
    assert_eq!(look(&mut c), plain);
    let db = storage(&instance);
    assert_eq!(stored(&db, &hobts), all);

    // Changed for good, where it is or written anew: no row has the tag of the version before.
    for (sql, changed) in [("UPDATE h SET id = 1 WHERE id = 1", 1), (changes, 12)] {
        c.ok(sql);
        let now = stored(&db, &hobts);
        let new = now.into_iter().filter(|(at, row)| all.get(at) != Some(row)).collect();
        assert_eq!((BTreeMap::len(&new), tagged(&db, &new)), (changed, 0), "{sql}");
    }
    // Built anew.
    assert_eq!(c.rows("SELECT COUNT(*) FROM c WHERE n % 10 = 1"), "3");
    c.ok("ALTER INDEX ALL ON c REBUILD; ALTER INDEX ALL ON h REBUILD; ALTER TABLE h REBUILD; ALTER TABLE c ADD \
        extra int NOT NULL DEFAULT 7");
    assert_eq!(
        c.rows("SELECT id, n, v, extra FROM c ORDER BY id"),
        "1 | 11 | one | 7\n2 | 21 | NULL | 7\n4 | 41 | four | 7"
    );
    assert_eq!(c.rows("DBCC CHECKDB('d') WITH NO_INFOMSGS"), "");
}

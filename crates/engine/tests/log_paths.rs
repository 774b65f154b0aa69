//! The log explained from backups that are not, or not all, of the database's own past; and transactions whose number is not theirs alone.

use crate::support;

use support::{Client, World, errors};

const OF: &str = "SELECT operation, after FROM taffrail.log_changes(NULL, NULL, 'dbo.acc'";

fn changes(c: &mut Client, backups: &[&str]) -> String {
    let named: String = backups.iter().map(|b| format!(", '{b}'")).collect();
    c.rows(&format!("{OF}{named})"))
}

/// A database with a full backup, two log backups, and, restored up to the first of them, another life since: (its work so far).
fn forked(world: &World) -> Client {
    let mut c = world.connect();
    c.ok("CREATE DATABASE t; ALTER DATABASE t SET RECOVERY FULL");
    c.ok("CREATE TABLE t.dbo.acc (id int PRIMARY KEY, v int, n varchar(20)); INSERT t.dbo.acc VALUES (1, 100, 'a'), (2, 100, 'b')");
    c.ok("BACKUP DATABASE t TO DISK = 'full.bak'; UPDATE t.dbo.acc SET v = 101 WHERE id = 1; BACKUP LOG t TO DISK = 'l1.trn'");
    c.ok("UPDATE t.dbo.acc SET v = 666 WHERE id = 2; BACKUP LOG t TO DISK = 'l2.trn' WITH NORECOVERY");
    c.ok("RESTORE DATABASE t FROM DISK = 'full.bak' WITH REPLACE, NORECOVERY; RESTORE LOG t FROM DISK = 'l1.trn'");
    c.ok("USE t");
    c
}

fn update(c: &mut Client, v: i32) {
    c.ok(&format!("UPDATE dbo.acc SET v = {v} WHERE id = 1"));
}

fn update_told(v: i32) -> String {
    format!("UPDATE | {{\"id\":1,\"v\":{v},\"n\":\"a\"}}")
}

#[test]
fn backups_of_a_path_that_was_left_are_refused_as_restore_refuses_them() {
    let world = World::new();
    let mut c = forked(&world);
    // At once, before anything was logged on the new path, and when its log is longer than what was left.
    for v in 102..140 {
        if v == 102 || v == 139 {
            for backups in [&["l2.trn"][..], &["l1.trn", "l2.trn"]] {
                let said = changes(&mut c, backups);
                assert_eq!(errors(&said), [4330], "{backups:?} {said}");
                assert!(said.contains("'l2.trn', position 1"), "{said}");
            }
            let named = "SELECT * FROM taffrail.log_undo('0000:00000001', 'l1.trn', 'l2.trn')";
            assert_eq!(errors(&c.rows(named)), [4330]);
        }
        update(&mut c, v);
    }
    // The one before the fork is of both paths, and what followed it is told.
    let told = changes(&mut c, &["l1.trn"]);
    let all: Vec<String> = std::iter::once(101).chain(102..140).map(update_told).collect();
    assert!(told.ends_with(&all.join("\n")), "{told}");
    assert!(!told.contains("666"), "{told}");
}

#[test]
fn a_backup_of_the_new_path_leads_back_to_the_old_one() {
    let world = World::new();
    let mut c = forked(&world);
    update(&mut c, 102);
    c.ok("BACKUP LOG t TO DISK = 'l3.trn'");
    update(&mut c, 103);
    c.ok("BACKUP LOG t TO DISK = 'l4.trn'");
    update(&mut c, 104);
    let told = changes(&mut c, &["l4.trn", "l3.trn", "l1.trn"]);
    let all: Vec<String> = (101..105).map(update_told).collect();
    assert!(told.ends_with(&all.join("\n")), "{told}");
    assert!(changes(&mut c, &["l3.trn", "l4.trn"]).starts_with(&all[1..].join("\n")));
    // Between the two of them lies one of the path that was left.
    for backups in [&["l1.trn", "l2.trn", "l3.trn"][..], &["l1.trn", "l2.trn", "l3.trn", "l4.trn"]]
    {
        assert_eq!(errors(&changes(&mut c, backups)), [4330], "{backups:?}");
    }
    // Long since: the log has gone on in other VLFs, and the files have nothing of what was left.
    c.ok("ALTER DATABASE t SET RECOVERY SIMPLE; CREATE TABLE w (a int, b char(7000)); \
        INSERT w SELECT value, 'x' FROM GENERATE_SERIES(1, 3000); CHECKPOINT; TRUNCATE TABLE w; \
        INSERT w SELECT value, 'x' FROM GENERATE_SERIES(1, 3000); CHECKPOINT");
    assert_eq!(errors(&changes(&mut c, &["l2.trn"])), [4330]);
    // Of the present path there is one; its rows cannot be followed to the present any more.
    let told = changes(&mut c, &["l4.trn"]);
    assert_eq!(told, "UPDATE | NULL", "the change is told");
}

/// A clone goes its own way from where it was made.
#[test]
fn a_templates_backups_are_none_of_its_clone() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE acc (id int PRIMARY KEY, v int); INSERT acc VALUES (1, 1), (2, 2)");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'; BACKUP LOG d TO DISK = 'd0.trn'; USE master; CREATE DATABASE c AS CLONE OF d");
    c.ok("UPDATE d.dbo.acc SET v = 10 WHERE id = 2; BACKUP LOG d TO DISK = 'd1.trn'");
    c.ok(
        "UPDATE c.dbo.acc SET v += 1 WHERE id = 1; UPDATE c.dbo.acc SET v += 1 WHERE id = 1; USE c",
    );
    let said = changes(&mut c, &["d1.trn"]);
    // Another database's, or another recovery path's.
    assert!(matches!(errors(&said)[..], [4330] | [3154]), "{said}");
    assert!(!said.contains("\"v\":10"), "{said}");
    let said = c.rows("SELECT * FROM taffrail.log_undo('0000:00000001', 'd1.trn')");
    assert!(matches!(errors(&said)[..], [4330] | [3154]), "{said}");
}

#[test]
fn a_damaged_log_backup_is_said_to_be_damaged() {
    let (world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE acc (id int PRIMARY KEY, v int)");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'; INSERT acc SELECT value, 0 FROM GENERATE_SERIES(1, 500)");
    c.ok("BACKUP LOG d TO DISK = 'd0.trn'; UPDATE acc SET v = 1 WHERE id < 10; BACKUP LOG d TO DISK = 'd1.trn'");
    let file = world.dir.join("backup/d0.trn");
    let whole = std::fs::read(&file).unwrap();
    let blocks = whole.len() / 4096;
    let named = [&["d0.trn"][..], &["d0.trn", "d1.trn"]];
    let sound = named.map(|backups| changes(&mut c, backups));
    assert!(errors(&sound[1]).is_empty() && sound[1].lines().count() >= 509, "{}", sound[1]);
    let mut told = std::collections::BTreeMap::new();
    for block in 0..blocks {
        let mut bytes = whole.clone();
        bytes[block * 4096 + 100] ^= 0x20;
        bytes[block * 4096 + 30] ^= 0x20;
        std::fs::write(&file, bytes).unwrap();
        for (backups, sound) in named.iter().zip(&sound) {
            let said = changes(&mut c, backups);
            // Between the chunks lies what nobody reads.
            if said == *sound {
                continue;
            }
            let number = *errors(&said).last().unwrap_or_else(|| panic!("block {block}: {said}"));
            assert!(!said.contains("00000000:00000000"), "block {block}: {said}");
            assert!(matches!(number, 3189 | 3241 | 3256), "block {block}: {said}");
            assert!(number != 3256 || said.contains("it is damaged"), "block {block}: {said}");
            *told.entry(number).or_insert(0) += 1;
        }
    }
    assert!(told.contains_key(&3189), "{told:?}");
    // Cut off.
    std::fs::write(&file, &whole[..whole.len() / 2 / 4096 * 4096]).unwrap();
    assert_eq!(errors(&changes(&mut c, &["d0.trn", "d1.trn"])), [3256]);
    std::fs::write(&file, &whole).unwrap();
    assert_eq!(changes(&mut c, &["d0.trn", "d1.trn"]), sound[1]);
}

/// Numbers begin anew when the server starts.
#[test]
fn a_number_that_two_transactions_bear_is_asked_for() {
    let (world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; CREATE TABLE acc (id int PRIMARY KEY, v int); INSERT acc VALUES (1, 100), (2, 100)");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    let txn = |c: &mut Client, id: i32| -> u64 {
        let number = c.rows(&format!(
            "SET NOCOUNT ON; BEGIN TRAN; UPDATE acc SET v += 1 WHERE id = {id}; \
             SELECT transaction_id FROM sys.dm_tran_current_transaction; COMMIT"
        ));
        number.parse().unwrap()
    };
    // Enough of them that the numbers after the restart come by.
    let first: Vec<u64> = (0..200).map(|_| txn(&mut c, 1)).collect();
    drop(c);
    let world = world.restart();
    let mut c = world.connect_to("d");
    let shared = loop {
        let number = txn(&mut c, 2);
        assert!(number <= *first.last().unwrap(), "numbers did not begin anew");
        if first.contains(&number) {
            break number;
        }
    };
    let said = c.rows(&format!("SELECT * FROM taffrail.log_undo({shared})"));
    assert_eq!(errors(&said), [9003], "{said}");
    assert!(said.contains("has 2 transactions with number"), "{said}");
    let ids = c.rows(&format!(
        "SELECT DISTINCT transaction_id FROM taffrail.log_changes(NULL, NULL, 'acc') WHERE xact_id = {shared} ORDER BY 1"
    ));
    assert_eq!(ids.lines().count(), 2, "{ids}");
    assert!(ids.lines().all(|id| said.contains(id)), "{said}\n{ids}");
    // By its own name each is found; and so is a number that only one bears.
    for (id, row) in ids.lines().zip([1, 2]) {
        let script = c.rows(&format!("SELECT statement FROM taffrail.log_undo('{id}')"));
        assert!(script.contains(&format!("WHERE [id] = {row} ")), "{script}");
    }
    let last = first.last().unwrap();
    let script = c.rows(&format!("SELECT statement FROM taffrail.log_undo({last})"));
    assert!(script.contains("WHERE [id] = 1 "), "{script}");
}

//! Backups of a database with a damaged page, and what is made from them: CHECKSUM, CONTINUE_AFTER_ERROR, `suspect_pages`.

use crate::support;

use std::path::Path;
use support::{Client, World, errors, numbers};
use taffrail_observe::{Event, EventRing};

const PAGE: usize = 8192;

/// Flips a bit in the middle of a row that has this text; returns its page.
fn damage(file: &Path, text: &str) -> usize {
    let mut bytes = std::fs::read(file).expect("a data file");
    let at = bytes.windows(text.len()).position(|w| w == text.as_bytes()).expect("it is there");
    bytes[at + 5] ^= 4;
    std::fs::write(file, bytes).expect("written");
    at / PAGE
}

/// A row to a page, and the one that says `there` damaged: (1:page).
fn damaged_database() -> (World, Client, usize) {
    let (world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (i int PRIMARY KEY, s varchar(8000))");
    c.ok("INSERT t VALUES (1, REPLICATE('here ', 1200)), (2, REPLICATE('there', 1200)), (3, REPLICATE('where', 1200))");
    drop(c);
    world.instance.shutdown().unwrap();
    let page = damage(&world.dir.join("d.mdf"), "therethere");
    let world = world.restart();
    let c = world.connect();
    (world, c, page)
}

fn said_in_error_log(page: usize) -> usize {
    let text = format!("BACKUP 'd' detected an error on page (1:{page}) in file '");
    let events = EventRing::global().read_after(0);
    let told = |e: &&taffrail_observe::NumberedEvent| matches!(&e.event, Event::Backup { text: t, .. } if t.starts_with(&text));
    events.iter().filter(told).count()
}

const SUSPECTS: &str =
    "SELECT DB_NAME(database_id), file_id, page_id, event_type, SIGN(error_count),
    DATEDIFF(minute, last_update_date, GETDATE()) FROM msdb.dbo.suspect_pages";
const MOVED: &str = "MOVE 'd' TO 'e.mdf', MOVE 'd_log' TO 'e_log.ldf'";

#[test]
fn checksum_finds_a_damaged_page_and_the_session_lives() {
    let (world, mut c, page) = damaged_database();
    assert_eq!(c.rows(SUSPECTS), "");
    for with in ["CHECKSUM", "COMPRESSION"] {
        let said = c.rows(&format!("BACKUP DATABASE d TO DISK = 'd.bak' WITH {with}"));
        assert_eq!(errors(&said), [3043, 3013], "{with}: {said}");
        let file = world.dir.join("d.mdf");
        let told = format!(
            "BACKUP 'd' detected an error on page (1:{page}) in file '{}'.",
            file.display()
        );
        assert!(said.contains(&told) && said.contains("Msg 3043, Level 16,"), "{said}");
    }
    assert_eq!(c.rows("SELECT 1"), "1", "the session lives");
    assert_eq!(c.rows(SUSPECTS), format!("d | 1 | {page} | 2 | 1 | 0"));
    // What was written is no set.
    assert_eq!(c.rows("SELECT COUNT(*) FROM msdb.dbo.backupset"), "0");
    assert_eq!(errors(&c.rows("RESTORE VERIFYONLY FROM DISK = 'd.bak'")), [3256, 3013]);
    // Nobody asked: the page is copied as it is, and comes back so.
    let said = c.rows("BACKUP DATABASE d TO DISK = 'd.bak' WITH FORMAT");
    assert_eq!(numbers(&said).last(), Some(&3014), "{said}");
    assert!(!numbers(&said).contains(&3042), "{said}");
    assert_eq!(c.rows("SELECT has_backup_checksums, is_damaged FROM msdb.dbo.backupset"), "0 | 0");
    assert_eq!(numbers(&c.rows("RESTORE VERIFYONLY FROM DISK = 'd.bak'")), [3262]);
    c.ok(&format!("RESTORE DATABASE e FROM DISK = 'd.bak' WITH {MOVED}"));
    assert_eq!(c.rows("SELECT LEN(s) FROM e.dbo.t WHERE i = 3"), "6000");
    assert!(c.run("SELECT LEN(s) FROM e.dbo.t WHERE i = 2").contains("Msg 824, Level 24"));
    let mut c = world.connect();
    let both = format!("d | 1 | {page} | 2 | 1 | 0\ne | 1 | {page} | 2 | 1 | 0");
    assert_eq!(c.rows(&format!("{SUSPECTS} ORDER BY 1")), both, "a reader met it");
    // CHECKSUM of a set that has none.
    for what in ["RESTORE VERIFYONLY", "RESTORE DATABASE f"] {
        let said = c.rows(&format!("{what} FROM DISK = 'd.bak' WITH CHECKSUM"));
        assert_eq!(errors(&said), [3187, 3013], "{what}: {said}");
    }
    // Our own checksums of the media find any flipped bit all the same.
    damage(&world.dir.join("backup/d.bak"), "wherewhere");
    assert_eq!(errors(&c.rows("RESTORE VERIFYONLY FROM DISK = 'd.bak'")), [3189, 3013]);
    // A database that is dropped leaves no rows to the next with its number.
    c.ok("DROP DATABASE e");
    assert_eq!(c.rows(SUSPECTS), format!("d | 1 | {page} | 2 | 1 | 0"));
}

#[test]
fn continue_after_error_tells_of_every_damaged_page() {
    let (world, mut c, page) = damaged_database();
    let before = said_in_error_log(page);
    let said = c.rows("BACKUP DATABASE d TO DISK = 'd.bak' WITH CHECKSUM, CONTINUE_AFTER_ERROR");
    assert_eq!(numbers(&said), [4035, 4035, 3042, 3014], "{said}");
    assert_eq!(said_in_error_log(page), before + 1);
    assert_eq!(c.rows(SUSPECTS), format!("d | 1 | {page} | 2 | 1 | 0"));
    let flags = "SELECT has_backup_checksums, is_damaged, flags FROM msdb.dbo.backupset";
    assert_eq!(c.rows(flags), "1 | 1 | 48");
    // Who verifies hears of the damage.
    let said = c.rows("RESTORE VERIFYONLY FROM DISK = 'd.bak'");
    assert_eq!(numbers(&said), [3188, 3189, 3013], "{said}");
    let said = c.rows("RESTORE VERIFYONLY FROM DISK = 'd.bak' WITH CONTINUE_AFTER_ERROR, CHECKSUM");
    assert_eq!(numbers(&said), [3188, 3262], "{said}");
    // Who restores is refused, and nothing has changed: neither a new database nor the one that is there.
    for (what, with) in [("e", MOVED), ("d", "REPLACE")] {
        let said = c.rows(&format!("RESTORE DATABASE {what} FROM DISK = 'd.bak' WITH {with}"));
        assert_eq!(errors(&said), [3183, 3013], "{said}");
        let told = format!("error on page (1:{page}) in database \"{what}\" as read from");
        assert!(said.contains(&told), "{said}");
    }
    let said = c.rows(&format!("RESTORE DATABASE e FROM DISK = 'd.bak' WITH NO_CHECKSUM, {MOVED}"));
    assert_eq!(errors(&said), [3182, 3013], "{said}");
    assert_eq!(c.rows("SELECT state_desc FROM sys.databases WHERE database_id > 4"), "ONLINE");
    assert_eq!(c.rows("SELECT LEN(s) FROM d.dbo.t WHERE i = 3"), "6000");
    assert!(!world.dir.join("e.mdf").exists() && !world.dir.join("e_log.ldf").exists());
    let said = c.rows(&format!(
        "RESTORE DATABASE e FROM DISK = 'd.bak' WITH CONTINUE_AFTER_ERROR, {MOVED}"
    ));
    assert_eq!(numbers(&said), [4035, 4035, 3188, 3184, 3014], "{said}");
    assert_eq!(c.rows("SELECT LEN(s) FROM e.dbo.t WHERE i = 3"), "6000");
    // A whole backup over it: the page is suspect no more.
    c.ok("CREATE DATABASE good");
    c.ok("BACKUP DATABASE good TO DISK = 'good.bak' WITH CHECKSUM");
    let moved = "MOVE 'good' TO 'd2.mdf', MOVE 'good_log' TO 'd2.ldf'";
    c.ok(&format!("RESTORE DATABASE d FROM DISK = 'good.bak' WITH REPLACE, CHECKSUM, {moved}"));
    assert_eq!(c.rows(SUSPECTS), format!("d | 1 | {page} | 4 | 1 | 0"));
}

#[test]
fn a_check_records_suspect_pages_and_the_table_has_an_end() {
    let (_world, mut c, page) = damaged_database();
    c.ok("DECLARE @i int = 0 SET NOCOUNT ON
          WHILE @i < 999 BEGIN INSERT msdb.dbo.suspect_pages VALUES (4, 1, @i, 2, 1, '20200101') SET @i += 1 END");
    c.rows("DBCC CHECKDB (d)");
    assert_eq!(
        c.rows(&format!("{SUSPECTS} WHERE database_id > 4")),
        format!("d | 1 | {page} | 2 | 1 | 0")
    );
    c.ok("UPDATE msdb.dbo.suspect_pages SET database_id = 4, page_id = 999 WHERE database_id > 4");
    c.rows("DBCC CHECKDB (d)");
    assert_eq!(c.rows("SELECT COUNT(*), MAX(database_id) FROM msdb.dbo.suspect_pages"), "1000 | 4");
}

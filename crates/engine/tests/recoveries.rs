//! A start recovers several databases at once and waits for none of them: who is ready first is used first, and what is wrong with one is
//! no trouble of the others'.

use crate::support;

use std::sync::Arc;
use std::time::Duration;
use support::sim::{Gate, start, start_behind, world};
use support::{Client, connect, errors};
use taffrail_engine::{ConnectOptions, Instance};
use taffrail_io::OpenSpec;
use taffrail_io::sim::{SimOptions, SimWorld};

/// Rows of each database, two on a page: more than its first megabyte.
const ROWS: u32 = 600;
const COUNT: &str = "SELECT COUNT(*), MIN(b), MAX(b) FROM";

/// Databases of these names, with rows that no checkpoint has written. The last row of each is changed by a transaction that does not
/// end, and whose records are durable.
fn filled(instance: &Arc<Instance>, names: &[&str]) -> Vec<Client> {
    let mut c = connect(instance);
    let mut open = Vec::new();
    for name in names {
        c.ok(&format!("CREATE DATABASE {name}"));
        c.ok(&format!("ALTER DATABASE {name} SET RECOVERY SIMPLE USE {name}"));
        if *name == "slow" {
            // More records than a restart reads before it says how far it is.
            c.ok("CREATE TABLE s (a int) SET NOCOUNT ON BEGIN TRAN DECLARE @i int = 0
                 WHILE @i < 6000 BEGIN INSERT s VALUES (@i) SET @i += 1 END COMMIT");
        }
        c.ok(&format!(
            "CREATE TABLE t (a int PRIMARY KEY, b int, c char(3900)) SET NOCOUNT ON BEGIN TRAN
             DECLARE @i int = 0 WHILE @i < {ROWS} BEGIN INSERT t VALUES (@i, 1, 'x') SET @i += 1 END COMMIT"
        ));
        let mut other = connect(instance);
        other.ok(&format!("USE {name} BEGIN TRAN UPDATE t SET b = 9 WHERE a >= {ROWS} - 100"));
        c.ok("CREATE TABLE witness (a int)");
        open.push(other);
    }
    open
}

/// Power fails; the instance is let go, whatever its threads wait for.
fn crash(world: &SimWorld, instance: &Arc<Instance>, gate: &Gate) {
    world.crash();
    gate.open();
    let _ = instance.shutdown();
    world.restart();
}

fn state(c: &mut Client, name: &str) -> String {
    c.rows(&format!("SELECT state, state_desc FROM sys.databases WHERE name = '{name}'"))
}

/// Every row is there, and none is as the transaction has left it that did not end.
fn whole(instance: &Arc<Instance>, name: &str) {
    let mut c = connect(instance);
    // What is still being undone is waited for.
    assert_eq!(c.rows(&format!("{COUNT} {name}.dbo.t")), format!("{ROWS} | 1 | 1"), "{name}");
    assert_eq!(c.rows(&format!("DBCC CHECKDB ({name}) WITH NO_INFOMSGS")), "");
}

#[test]
fn others_answer_while_one_is_recovered_for_long() {
    let world = world(1, SimOptions::default());
    let gate = Arc::new(Gate::default());
    let instance = start_behind(&world, &gate);
    let open = filled(&instance, &["before", "slow", "behind"]);
    world.crash();
    drop(open);
    let _ = instance.shutdown();
    world.restart();
    gate.close("slow.mdf", 3);
    let instance = start_behind(&world, &gate);
    gate.wait();
    for name in ["before", "behind"] {
        instance.databases().wait_for(name, Duration::from_secs(60));
        whole(&instance, name);
    }
    let mut c = connect(&instance);
    assert_eq!(state(&mut c, "slow"), "2 | RECOVERING");
    make_login(&mut c, "own");
    assert_eq!(
        c.rows(
            "SELECT DATABASEPROPERTYEX('slow', 'Status'), DATABASEPROPERTY('slow', 'IsInRecovery')"
        ),
        "RECOVERING | 1"
    );
    for (sql, number) in [
        ("USE slow", 922),
        ("SELECT COUNT(*) FROM slow.dbo.t", 922),
        ("BACKUP DATABASE slow TO DISK = 'slow.bak'", 922),
        ("CREATE DATABASE slow", 1801),
        ("DROP DATABASE slow", 3702),
        ("ALTER DATABASE slow SET OFFLINE WITH ROLLBACK IMMEDIATE", 5052),
        ("ALTER DATABASE slow SET RECOVERY FULL", 5052),
        ("ALTER DATABASE slow MODIFY NAME = quick", 5052),
        ("EXEC sp_detach_db 'slow'", 3703),
        ("ALTER AUTHORIZATION ON DATABASE::slow TO own", 922),
    ] {
        assert_eq!(errors(&c.rows(sql)).first(), Some(&number), "{sql}");
    }
    let requests = "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE database_id = DB_ID('slow')
        AND command = 'DB STARTUP' AND percent_complete > 1 AND percent_complete < 100";
    // What is read of the log before the first page that is waited for.
    while c.rows(requests) == "0" {
        std::thread::sleep(Duration::from_millis(2));
    }
    let recovering = instance.recovering();
    assert_eq!(recovering.len(), 1);
    assert!(recovering[0].0 == "slow" && recovering[0].1 > 1.0, "{recovering:?}");
    // Who logs in to it waits a little; it opens then.
    let (of_login, at) = (instance.clone(), "slow".to_owned());
    let login = std::thread::spawn(move || {
        let to = ConnectOptions { login: "sa".into(), database: Some(at), ..Default::default() };
        of_login.connect(to).map(|_| ())
    });
    gate.open();
    login.join().unwrap().expect("it is let in as soon as the database is open");
    assert_eq!(state(&mut c, "slow"), "0 | ONLINE");
    whole(&instance, "slow");
    let told: Vec<_> =
        instance.take_start_reports().into_iter().map(|r| (r.name, r.result.is_ok())).collect();
    assert!(
        told.contains(&("slow".into(), true)) && told.contains(&("behind".into(), true)),
        "{told:?}"
    );
    drop(c);
    instance.shutdown().unwrap();
}

#[test]
fn a_start_that_is_killed_in_redo_or_undo_is_begun_again() {
    let world = world(2, SimOptions::default());
    let gate = Arc::new(Gate::default());
    let mut instance = start_behind(&world, &gate);
    let open = filled(&instance, &["first", "second"]);
    world.crash();
    drop(open);
    let _ = instance.shutdown();
    world.restart();
    // In redo, ever later.
    for pass in [0, 9, 60, 150] {
        gate.close("second.mdf", pass);
        instance = start_behind(&world, &gate);
        gate.wait();
        crash(&world, &instance, &gate);
    }
    // An order to stop, in redo.
    gate.close("second.mdf", 30);
    instance = start_behind(&world, &gate);
    gate.wait();
    let (stopped, released) = (instance.clone(), gate.clone());
    let stopper = std::thread::spawn(move || stopped.shutdown());
    std::thread::sleep(Duration::from_millis(20));
    released.open();
    stopper.join().unwrap().expect("what is not open need not be closed");
    // In undo, or just behind it.
    for _ in 0..3 {
        instance = start_behind(&world, &gate);
        instance.databases().wait_recovered(Duration::from_secs(60));
        crash(&world, &instance, &gate);
    }
    instance = start_behind(&world, &gate);
    instance.databases().wait_recovered(Duration::from_secs(60));
    ["first", "second"].into_iter().for_each(|name| whole(&instance, name));
    instance.shutdown().unwrap();
}

/// Overwrites a part of a file with nonsense.
fn harm(world: &SimWorld, file: &str, from: u64, bytes: usize) {
    let path = format!("/data/{file}");
    let volume = world.env().disk.open(path.as_ref(), OpenSpec::PLAIN).unwrap();
    volume.write_at(from, &vec![0xa5; bytes]).unwrap();
    volume.sync().unwrap();
}

#[test]
fn a_damaged_log_a_damaged_page_and_a_missing_file_leave_the_others_usable() {
    let world = world(3, SimOptions::default());
    let gate = Arc::new(Gate::default());
    let instance = start(&world).unwrap();
    let names = ["good", "torn_log", "torn_page", "missing"];
    let open = filled(&instance, &names);
    world.crash();
    drop(open);
    let _ = instance.shutdown();
    world.restart();
    harm(&world, "torn_log_log.ldf", 512 << 10, 512 << 10);
    // Its maps and its directory: the log does not have their beginnings any more.
    harm(&world, "torn_page.mdf", 11 * 8192, 500 << 10);
    world.env().disk.remove("/data/missing.mdf".as_ref()).unwrap();
    let instance = start_behind(&world, &gate);
    instance.databases().wait_recovered(Duration::from_secs(60));
    let mut c = connect(&instance);
    assert_eq!(state(&mut c, "torn_log"), "4 | SUSPECT");
    assert_eq!(state(&mut c, "torn_page"), "4 | SUSPECT");
    assert_eq!(state(&mut c, "missing"), "3 | RECOVERY_PENDING");
    whole(&instance, "good");
    for (name, number) in [("torn_log", 926), ("torn_page", 926), ("missing", 945)] {
        assert_eq!(errors(&c.rows(&format!("USE {name}"))), [number], "{name}");
    }
    let mut told = instance.take_start_reports();
    told.sort_by(|a, b| a.name.cmp(&b.name));
    let told: Vec<_> = told.iter().filter(|r| r.result.is_err()).map(|r| &*r.name).collect();
    assert_eq!(told, ["missing", "torn_log", "torn_page"]);
    c.ok("USE good INSERT witness VALUES (1) DROP DATABASE torn_log DROP DATABASE torn_page DROP DATABASE missing");
    drop(c);
    instance.shutdown().unwrap();
}

#[test]
fn emergency_reads_what_can_be_read_and_changes_nothing() {
    let world = world(4, SimOptions::default());
    let gate = Arc::new(Gate::default());
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d ALTER DATABASE d SET RECOVERY SIMPLE");
    c.ok(&format!(
        "USE d CREATE TABLE t (a int PRIMARY KEY, c char(3900)) CREATE TABLE u (a int) INSERT u VALUES (7) SET NOCOUNT ON
         DECLARE @i int = 0 WHILE @i < {ROWS} BEGIN INSERT t VALUES (@i, 'x') SET @i += 1 END"
    ));
    c.ok("CHECKPOINT");
    c.ok(
        "DECLARE @i int = 0 WHILE @i < 300 BEGIN UPDATE t SET c = 'y' WHERE a = @i SET @i += 1 END",
    );
    world.crash();
    drop(c);
    let _ = instance.shutdown();
    world.restart();
    harm(&world, "d_log.ldf", 64 << 10, 8064 << 10);
    let instance = start_behind(&world, &gate);
    instance.databases().wait_recovered(Duration::from_secs(60));
    let mut c = connect(&instance);
    assert_ne!(state(&mut c, "d"), "0 | ONLINE");
    c.ok("ALTER DATABASE d SET EMERGENCY");
    assert_eq!(state(&mut c, "d"), "5 | EMERGENCY");
    c.ok("ALTER DATABASE d SET EMERGENCY");
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t SELECT a FROM d.dbo.u"), format!("{ROWS}\n7"));
    assert_eq!(c.rows("SELECT DATABASEPROPERTY('d', 'IsEmergencyMode')"), "1");
    for (sql, number) in [
        ("INSERT d.dbo.u VALUES (8)", 3908),
        ("DELETE d.dbo.u", 3908),
        ("USE d CREATE TABLE v (a int)", 3908),
        ("USE d TRUNCATE TABLE u", 3908),
        ("USE d ALTER TABLE u ADD b int", 3908),
        ("USE master SELECT a INTO d.dbo.v FROM d.dbo.u", 3908),
        ("ALTER DATABASE d SET RECOVERY FULL", 3908),
        ("BACKUP DATABASE d TO DISK = 'd.bak'", 3033),
        ("EXEC sp_detach_db 'd'", 3707),
    ] {
        assert_eq!(errors(&c.rows(sql)).first(), Some(&number), "{sql}");
    }
    c.ok("USE d CHECKPOINT USE master");
    // Online again it is what it was: nobody has mended its log. Its files are as they were.
    assert!(!errors(&c.rows("ALTER DATABASE d SET ONLINE")).is_empty());
    assert_ne!(state(&mut c, "d"), "0 | ONLINE");
    let disk = world.env().disk;
    let there = |name: &str| disk.exists(format!("/data/{name}").as_ref()).unwrap();
    assert!(there("d.mdf") && there("d_log.ldf") && !there("d.mdf.emergency"));
    // A page that is damaged too: who reads it is told, and nobody else.
    c.ok("ALTER DATABASE d SET EMERGENCY");
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t"), ROWS.to_string());
    drop(c);
    let _ = instance.shutdown();
    harm(&world, "d.mdf", 2 << 20, 64 << 10);
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    assert_ne!(state(&mut c, "d"), "5 | EMERGENCY", "a start tries to recover it");
    c.ok("ALTER DATABASE d SET EMERGENCY");
    assert_eq!(errors(&c.rows("SELECT COUNT(c) FROM d.dbo.t")).first(), Some(&824));
    let mut c = connect(&instance);
    assert_eq!(c.rows("SELECT a FROM d.dbo.u SELECT COUNT(*) FROM d.dbo.t WHERE a < 20"), "7\n20");
    c.ok("DROP DATABASE d");
    assert!(!there("d.mdf") && !there("d_log.ldf"));
    // One that is whole is closed first, and loses nothing.
    c.ok("CREATE DATABASE whole");
    c.ok("CREATE TABLE whole.dbo.t (a int) INSERT whole.dbo.t VALUES (1)");
    c.ok("ALTER DATABASE whole SET EMERGENCY WITH ROLLBACK IMMEDIATE");
    assert_eq!(c.rows("SELECT a FROM whole.dbo.t"), "1");
    c.ok("ALTER DATABASE whole SET ONLINE");
    c.ok("INSERT whole.dbo.t VALUES (2)");
    assert_eq!(c.rows("SELECT COUNT(*) FROM whole.dbo.t"), "2");
    drop(c);
    instance.shutdown().unwrap();
}

/// A login with a password that nobody knows: only a server makes digests of passwords.
fn make_login(c: &mut Client, name: &str) {
    c.ok(&format!("CREATE LOGIN {name} WITH PASSWORD = 0x0200{} HASHED", "5A".repeat(68)));
}

/// Its owner is in master's row, which whoever is busy with the database writes anew.
#[test]
fn a_database_that_somebody_closes_gets_no_other_owner_meanwhile() {
    let world = world(5, SimOptions::default());
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d");
    make_login(&mut c, "own");
    let owner = "SELECT SUSER_SNAME(owner_sid) FROM sys.databases WHERE name = 'd'";
    let mut said = String::new();
    let databases = instance.databases();
    databases
        .set_offline("d", &mut || {
            said = c.rows("ALTER AUTHORIZATION ON DATABASE::d TO own");
            Ok(())
        })
        .unwrap();
    assert_eq!(errors(&said), [5061]);
    assert_eq!(c.rows(owner), "sa");
    // Nobody is busy with it any more.
    c.ok("ALTER AUTHORIZATION ON DATABASE::d TO own ALTER DATABASE d SET ONLINE");
    assert_eq!(c.rows(owner), "own");
    drop(c);
    instance.shutdown().unwrap();
}

#[test]
fn in_emergency_only_a_sysadmin_comes_in() {
    let world = world(6, SimOptions::default());
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d");
    make_login(&mut c, "own");
    make_login(&mut c, "other");
    c.ok("ALTER AUTHORIZATION ON DATABASE::d TO own USE d CREATE USER other CREATE TABLE t (a int) GRANT SELECT ON t TO other");
    let to = |login: &str| ConnectOptions { login: login.into(), ..Default::default() };
    let mut them: Vec<Client> = ["own", "other"]
        .map(|login| Client { connection: instance.connect(to(login)).unwrap() })
        .into();
    // Seen while it is online: what is known of it from then counts no more.
    them.iter_mut().for_each(|c| c.ok("SELECT a FROM d.dbo.t"));
    c.ok("USE master ALTER DATABASE d SET EMERGENCY WITH ROLLBACK IMMEDIATE");
    for other in &mut them {
        for sql in ["SELECT a FROM d.dbo.t", "USE d"] {
            assert_eq!(errors(&other.rows(sql)).first(), Some(&916), "{sql}");
        }
        assert_eq!(other.rows("SELECT HAS_DBACCESS('d')"), "0");
    }
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t"), "0");
    c.ok("ALTER DATABASE d SET ONLINE");
    them.iter_mut().for_each(|c| c.ok("SELECT a FROM d.dbo.t"));
    drop((c, them));
    instance.shutdown().unwrap();
}

/// A refusal ends nobody, and leaves what the database says of itself.
#[test]
fn options_of_a_database_in_emergency_stay() {
    let world = world(8, SimOptions::default());
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d ALTER DATABASE d SET RESTRICTED_USER ALTER DATABASE d SET EMERGENCY");
    let mut other = connect(&instance);
    other.ok("USE d");
    for sql in [
        "ALTER DATABASE d SET SINGLE_USER WITH ROLLBACK IMMEDIATE",
        "ALTER DATABASE d SET MULTI_USER",
        "ALTER DATABASE d SET READ_ONLY",
        "ALTER DATABASE d SET READ_WRITE WITH NO_WAIT",
        "ALTER DATABASE d MODIFY NAME = e",
        "CREATE DATABASE e AS CLONE OF d",
    ] {
        assert_eq!(errors(&c.rows(sql)).first(), Some(&3908), "{sql}");
    }
    assert_eq!(other.rows("SELECT DB_NAME()"), "d");
    let says =
        "SELECT user_access_desc, is_read_only, state_desc FROM sys.databases WHERE name = 'd'";
    assert_eq!(c.rows(says), "RESTRICTED_USER | 0 | EMERGENCY");
    other.ok("USE master");
    c.ok("ALTER DATABASE d SET ONLINE ALTER DATABASE d SET MULTI_USER");
    assert_eq!(c.rows(says), "MULTI_USER | 0 | ONLINE");
    drop((c, other));
    instance.shutdown().unwrap();
}

/// Whatever the primary file is called, no file of the database is taken for a log that stands in.
#[test]
fn emergency_removes_no_file_of_the_database() {
    let world = world(7, SimOptions::default());
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d ON (NAME = d, FILENAME = 'd.emergency') LOG ON (NAME = l, FILENAME = 'd.ldf')");
    c.ok("CREATE TABLE d.dbo.t (a int) INSERT d.dbo.t VALUES (1)");
    c.ok("ALTER DATABASE d SET EMERGENCY");
    assert_eq!(c.rows("SELECT a FROM d.dbo.t"), "1");
    c.ok("ALTER DATABASE d SET ONLINE");
    assert_eq!(c.rows("SELECT a FROM d.dbo.t"), "1");
    drop(c);
    instance.shutdown().unwrap();
    let instance = start(&world).unwrap();
    assert_eq!(connect(&instance).rows("SELECT a FROM d.dbo.t"), "1");
    instance.shutdown().unwrap();
}

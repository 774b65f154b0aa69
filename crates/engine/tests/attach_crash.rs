//! Databases that leave and come back with their files, cut off at each step: no file is lost, and a name is one database's or nobody's.
//! READ_ONLY over a crash.

use crate::support;

use std::path::Path;
use support::connect;
use support::sim::{crash_and_start, start, start_with_hook, world};
use taffrail_io::OpenSpec;
use taffrail_io::sim::SimOptions;

const CREATE: &str = "CREATE DATABASE d ON (NAME = d, FILENAME = '/data/d.mdf', SIZE = 4MB)
    LOG ON (NAME = l, FILENAME = '/data/d.ldf', SIZE = 1MB)";
const FILL: &str = "USE d; CREATE TABLE t (a int); INSERT t VALUES (1), (2); USE master";
const ATTACH: &str =
    "CREATE DATABASE e ON (FILENAME = '/data/d.mdf'), (FILENAME = '/data/d.ldf') FOR ATTACH";

#[test]
fn a_detachment_and_an_attachment_cut_off_at_each_step_lose_nothing() {
    let (mut at_first, mut offline, mut away, mut back) = (0, 0, 0, 0);
    let mut step = 0;
    loop {
        step += 1;
        let world = world(step, SimOptions::default());
        let instance = start(&world).expect("a first start");
        let mut c = connect(&instance);
        c.ok(CREATE);
        c.ok(FILL);
        world.crash_at(step);
        // Power that fails in it leaves the database where it is; whatever a detachment writes first may have reached the disk.
        let _ = c.try_run("USE d; CHECKPOINT; USE master");
        let detached = c.try_run("USE master; EXEC sp_detach_db 'd'").is_ok();
        let attached = detached && c.try_run(ATTACH).is_ok();
        let over = world.is_powered();
        drop(c);
        // Power may fail here.
        let _ = instance.shutdown();
        world.restart();
        let instance = start(&world).expect("a start after the crash");
        let mut c = connect(&instance);
        for file in ["/data/d.mdf", "/data/d.ldf"] {
            assert!(
                world.env().disk.exists(Path::new(file)).unwrap(),
                "step {step}: {file} is gone"
            );
        }
        let known = c.rows("SELECT name, state_desc FROM sys.databases WHERE name IN ('d', 'e')");
        match known.as_str() {
            "d | ONLINE" => at_first += 1,
            "d | OFFLINE" => {
                offline += 1;
                c.ok("EXEC sp_detach_db 'd'");
                c.ok(ATTACH);
            }
            "" => {
                away += 1;
                c.ok(ATTACH);
            }
            "e | ONLINE" => back += 1,
            other => panic!("step {step}: {other}"),
        }
        if detached {
            assert!(!known.starts_with('d'), "step {step}: an acknowledged detachment is undone");
        }
        if attached {
            assert_eq!(known, "e | ONLINE", "step {step}");
        }
        let name = if known == "d | ONLINE" { "d" } else { "e" };
        assert_eq!(
            c.rows(&format!("SELECT a FROM {name}.dbo.t ORDER BY a")),
            "1\n2",
            "step {step}"
        );
        c.ok(&format!("INSERT {name}.dbo.t VALUES (3)"));
        c.ok(&format!("DROP DATABASE {name}"));
        drop(c);
        instance.shutdown().expect("an orderly end");
        if over {
            break;
        }
    }
    println!("{step} steps: {at_first} as before, {offline} offline, {away} away, {back} back");
    assert!(
        at_first > 0 && offline > 0 && away > 0 && back > 0,
        "{at_first} {offline} {away} {back}"
    );
}

#[test]
fn an_attached_database_is_found_where_it_was_attached_from() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(CREATE);
    c.ok(FILL);
    c.ok("EXEC sp_detach_db 'd'");
    let disk = world.env().disk;
    disk.create_dir(Path::new("/data/logs")).unwrap();
    for (from, to) in [("/data/d.mdf", "/data/new.mdf"), ("/data/d.ldf", "/data/logs/other.ldf")] {
        disk.rename(Path::new(from), Path::new(to)).unwrap();
    }
    for dir in ["/data", "/data/logs"] {
        disk.sync_dir(Path::new(dir)).unwrap();
    }
    for (statement, said) in [
        (
            "CREATE DATABASE d ON (FILENAME = '/data/gone.mdf') FOR ATTACH",
            "Msg 5120, Level 16, State 101, Line 1: Unable to open the physical file \"/data/gone.mdf\". \
             Operating system error 2: \"2(The system cannot find the file specified.)\".",
        ),
        (
            "CREATE DATABASE d ON (FILENAME = '/data/logs/other.ldf') FOR ATTACH",
            "Msg 5171, Level 16, State 1, Line 1: /data/logs/other.ldf is not a primary database file.",
        ),
        (
            "CREATE DATABASE d ON (FILENAME = '/data/master.mdf') FOR ATTACH",
            "Operating system error 32",
        ),
    ] {
        let heard = c.run(statement);
        assert!(heard.contains(said) && heard.contains("Msg 1802, "), "{heard}");
    }
    // It says where the log was: it is not there any more.
    let said = c.run("CREATE DATABASE d ON (FILENAME = '/data/new.mdf') FOR ATTACH");
    assert!(said.contains("Msg 5120, ") && said.contains("Msg 1813, "), "{said}");
    c.ok("CREATE DATABASE d ON (FILENAME = '/data/new.mdf') LOG ON (FILENAME = '/data/logs/other.ldf') FOR ATTACH");
    drop(c);
    let instance = crash_and_start(&world, instance);
    let mut c = connect(&instance);
    assert_eq!(
        c.rows("SELECT physical_name FROM d.sys.database_files ORDER BY file_id"),
        "/data/new.mdf\n/data/logs/other.ldf"
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t"), "2");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn read_only_outlives_a_crash() {
    let world = world(2, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(CREATE);
    c.ok(FILL);
    c.ok("ALTER DATABASE d SET READ_ONLY WITH ROLLBACK IMMEDIATE");
    drop(c);
    let instance = crash_and_start(&world, instance);
    let mut c = connect(&instance);
    assert_eq!(c.rows("SELECT is_read_only FROM sys.databases WHERE name = 'd'"), "1");
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t"), "2");
    assert!(c.run("INSERT d.dbo.t VALUES (3)").contains("Msg 3906, "));
    c.ok("ALTER DATABASE d SET READ_WRITE");
    c.ok("INSERT d.dbo.t VALUES (3)");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn attached_copies_go_on_with_the_chain_on_forks_of_their_own() {
    let world = world(3, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(CREATE);
    c.ok(FILL);
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("EXEC sp_detach_db 'd'");
    let disk = world.env().disk;
    for (from, to) in [("/data/d.mdf", "/data/f.mdf"), ("/data/d.ldf", "/data/f.ldf")] {
        let from = disk.open(Path::new(from), OpenSpec::DATA.read_only()).unwrap();
        let to = disk.create(Path::new(to), OpenSpec::DATA).unwrap();
        let mut all = taffrail_io::AlignedBuf::zeroed(from.len().unwrap() as usize);
        from.read_at(0, &mut all).unwrap();
        to.allocate(0, all.len() as u64).unwrap();
        to.write_at(0, &all).unwrap();
        to.sync().unwrap();
    }
    c.ok(ATTACH);
    c.ok("CREATE DATABASE f ON (FILENAME = '/data/f.mdf') LOG ON (FILENAME = '/data/f.ldf') FOR ATTACH");
    // One of them twice, with no log backup between.
    c.ok("EXEC sp_detach_db 'e'");
    c.ok(ATTACH);
    c.ok("INSERT e.dbo.t VALUES (10)");
    c.ok("INSERT f.dbo.t VALUES (20)");
    for name in ["e", "f"] {
        c.ok(&format!("BACKUP LOG {name} TO DISK = '{name}1.trn'"));
        let many = vec!["(30)"; 300].join(", ");
        c.ok(&format!("INSERT {name}.dbo.t VALUES {many}"));
        c.ok(&format!("BACKUP LOG {name} TO DISK = '{name}2.trn'"));
        c.ok(&format!("DROP DATABASE {name}"));
    }
    for (name, other, rows) in [("e", "f", "1\n2\n10\n30"), ("f", "e", "1\n2\n20\n30")] {
        c.ok("RESTORE DATABASE d FROM DISK = 'd.bak' WITH NORECOVERY");
        c.ok(&format!("RESTORE LOG d FROM DISK = '{name}1.trn' WITH NORECOVERY"));
        let said = c.run(&format!("RESTORE LOG d FROM DISK = '{other}2.trn'"));
        // The log of e has grown by one attachment more: that of f would go on before its end.
        let number = if name == "e" { "Msg 4330, " } else { "Msg 43" };
        assert!(said.contains(number), "{name}: {said}");
        c.ok(&format!("RESTORE LOG d FROM DISK = '{name}2.trn'"));
        assert_eq!(c.rows("SELECT DISTINCT a FROM d.dbo.t ORDER BY a"), rows, "{name}");
        c.ok("DROP DATABASE d");
    }
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn what_is_reserved_ahead_is_given_back_before_read_only() {
    for options in ["READ_ONLY", "SINGLE_USER, READ_ONLY"] {
        let world = world(4, SimOptions::default());
        let instance = start(&world).expect("a first start");
        let mut c = connect(&instance);
        c.ok(CREATE);
        c.ok("USE d; CREATE TABLE i (a int IDENTITY, b int); INSERT i VALUES (1), (2); USE master");
        c.ok(&format!("ALTER DATABASE d SET {options}"));
        drop(c);
        world.crash();
        let _ = instance.shutdown();
        world.restart();
        let instance = start(&world).expect("a start after the crash");
        let mut c = connect(&instance);
        c.ok("ALTER DATABASE d SET READ_WRITE");
        c.ok("INSERT d.dbo.i VALUES (3)");
        assert_eq!(c.rows("SELECT a FROM d.dbo.i ORDER BY a"), "1\n2\n3", "{options}");
        drop(c);
        instance.shutdown().expect("an orderly end");
    }
}

#[test]
fn nobody_begins_to_write_while_a_database_becomes_read_only() {
    let world = world(5, SimOptions::default());
    let (instance, once) = start_with_hook(&world);
    let mut c = connect(&instance);
    c.ok(CREATE);
    c.ok(FILL);
    c.ok("CHECKPOINT");
    let mut late = connect(&instance);
    let (tell, told) = std::sync::mpsc::channel();
    // The boot page says that it is READ_ONLY; nobody has been told.
    let write = move || tell.send(late.run("INSERT d.dbo.t VALUES (3)")).expect("somebody listens");
    *once.lock().unwrap() = Some(("/d.mdf", Box::new(write)));
    c.ok("ALTER DATABASE d SET READ_ONLY");
    let said = told.recv().expect("the boot page was written");
    assert!(said.contains("Msg 3906, "), "{said}");
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t"), "2");
    c.ok("ALTER DATABASE d SET READ_WRITE");
    c.ok("INSERT d.dbo.t VALUES (3)");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn maintenance_leaves_what_is_read_only_alone() {
    let world = world(6, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(CREATE);
    c.ok(FILL);
    c.ok("CREATE INDEX i ON d.dbo.t (a)");
    c.ok("ALTER DATABASE d SET READ_ONLY");
    c.ok("USE d");
    for (statement, number) in [
        ("DBCC SHRINKFILE (l, 1)", 7992),
        ("DBCC SHRINKDATABASE (d)", 7992),
        ("UPDATE STATISTICS t", 3906),
        ("UPDATE STATISTICS t i WITH FULLSCAN", 3906),
        ("EXEC sp_updatestats", 15635),
        ("ALTER INDEX ALL ON t REORGANIZE", 3906),
        ("ALTER INDEX i ON t REBUILD", 3906),
        ("ALTER INDEX i ON t SET (ALLOW_PAGE_LOCKS = OFF)", 3906),
        ("CREATE STATISTICS s ON t (a)", 3906),
    ] {
        let said = c.run(statement);
        assert_eq!(support::errors(&said), [number], "{statement}: {said}");
    }
    c.ok("CREATE TABLE #t (a int, INDEX i (a)); UPDATE STATISTICS #t; ALTER INDEX i ON #t REORGANIZE");
    c.ok("USE master");
    c.ok("ALTER DATABASE d SET READ_WRITE");
    c.ok("USE d; DBCC SHRINKFILE (l, 1) WITH NO_INFOMSGS; ALTER INDEX ALL ON t REORGANIZE");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_named_log_that_does_not_belong_is_not_passed_over() {
    let world = world(5, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(CREATE);
    c.ok(FILL);
    c.ok("CREATE DATABASE x ON (NAME = x, FILENAME = '/data/x.mdf') LOG ON (NAME = xl, FILENAME = '/data/x.ldf', SIZE = 1MB)");
    c.ok("EXEC sp_detach_db 'd'; EXEC sp_detach_db 'x'");
    // The right one is in its old place all the while.
    for (logs, number) in [
        ("(FILENAME = '/data/x.ldf')", "Msg 1813, "),
        ("(FILENAME = '/data/d.ldf'), (FILENAME = '/data/x.ldf')", "Msg 5173, "),
        ("(FILENAME = '/data/x.ldf'), (FILENAME = '/data/d.ldf')", "Msg 5173, "),
        ("(FILENAME = '/data/d.ldf'), (FILENAME = '/data/nothing.ldf')", "Msg 5173, "),
        ("(FILENAME = '/data/d.ldf'), (FILENAME = '/data/d.mdf')", "Msg 5173, "),
    ] {
        let said = c.run(&format!(
            "CREATE DATABASE d ON (FILENAME = '/data/d.mdf') LOG ON {logs} FOR ATTACH"
        ));
        assert!(said.contains(number) && said.contains("Msg 1813, "), "{logs}: {said}");
        assert_eq!(c.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'd'"), "0", "{logs}");
    }
    c.ok(ATTACH);
    assert_eq!(c.rows("SELECT COUNT(*) FROM e.dbo.t"), "2");
    c.ok("CREATE DATABASE x ON (FILENAME = '/data/x.mdf') FOR ATTACH");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

//! CREATE DATABASE … AS CLONE OF: what the clone has, what it has not, and what is left of it when it is cut off at any step.

use crate::support;

use std::path::Path;
use support::connect;
use support::sim::{crash_and_start, start, start_with_hook, world};
use taffrail_io::OpenSpec;
use taffrail_io::sim::SimOptions;

const TEMPLATE: &str = "CREATE DATABASE d ON (NAME = d, FILENAME = '/data/d.mdf', SIZE = 4MB)
    LOG ON (NAME = l, FILENAME = '/data/d.ldf', SIZE = 1MB), (NAME = m, FILENAME = '/data/m.ldf', SIZE = 1MB)";
const FILL: &str = "USE d; CREATE TABLE t (a int IDENTITY, b char(2000) DEFAULT 'x');
    INSERT t DEFAULT VALUES; INSERT t DEFAULT VALUES; USE master";
const FILES: [&str; 3] = ["/data/c.mdf", "/data/c_log.ldf", "/data/c_log2.ldf"];

/// Of a log whose VLF has grown long: it goes on in another one before it is copied.
const LONG: &str = "CREATE DATABASE d ON (NAME = d, FILENAME = '/data/d.mdf', SIZE = 4MB)
    LOG ON (NAME = l, FILENAME = '/data/d.ldf', SIZE = 16MB), (NAME = m, FILENAME = '/data/m.ldf', SIZE = 1MB)";
const MUCH: &str = "USE d; CREATE TABLE t (a int IDENTITY, b char(2000) DEFAULT 'x');
    INSERT t DEFAULT VALUES; INSERT t DEFAULT VALUES; CREATE TABLE u (b char(4000));
    INSERT u SELECT 'u' FROM GENERATE_SERIES(1, 700); DROP TABLE u; USE master";

#[test]
fn a_clone_cut_off_at_each_step_is_there_or_nothing_of_it() {
    cut_off_at_each_step(TEMPLATE, FILL);
}

#[test]
fn the_same_where_the_templates_log_goes_on_in_another_vlf() {
    cut_off_at_each_step(LONG, MUCH);
}

fn cut_off_at_each_step(template: &str, fill: &str) {
    let (mut without, mut with) = (0, 0);
    let mut step = 0;
    loop {
        // Most steps are pieces of files.
        step += 3;
        let world = world(step, SimOptions::default());
        let instance = start(&world).expect("a first start");
        let mut c = connect(&instance);
        c.ok(template);
        c.ok(fill);
        world.crash_at(step);
        let made = c.try_run("CREATE DATABASE c AS CLONE OF d").is_ok();
        let over = world.is_powered();
        drop(c);
        // Power may fail here.
        let _ = instance.shutdown();
        world.restart();
        let instance = start(&world).expect("a start after the crash");
        let mut c = connect(&instance);
        let disk = world.env().disk;
        match c.rows("SELECT state_desc FROM sys.databases WHERE name = 'c'").as_str() {
            "" => {
                without += 1;
                assert!(!made, "step {step}: an acknowledged database is gone");
                let left = FILES.iter().filter(|f| disk.exists(Path::new(f)).unwrap()).count();
                assert_eq!(left, 0, "step {step}");
                c.ok("CREATE DATABASE c AS CLONE OF d");
            }
            "ONLINE" => with += 1,
            other => panic!("step {step}: {other}"),
        }
        for name in ["c", "d"] {
            assert_eq!(c.rows(&format!("SELECT a FROM {name}.dbo.t")), "1\n2", "step {step}");
            c.ok(&format!("INSERT {name}.dbo.t DEFAULT VALUES"));
        }
        drop(c);
        instance.shutdown().expect("an orderly end");
        if over {
            break;
        }
    }
    println!("{step} steps: {without} without the clone, {with} with it");
    assert!(without > 5 && with > 0, "{without} {with}");
}

#[test]
fn a_clone_is_a_database_of_its_own() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(TEMPLATE);
    c.ok(FILL);
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("ALTER DATABASE d SET READ_ONLY");
    c.ok("CREATE DATABASE c AS CLONE OF d");
    let mut user = connect(&instance);
    user.ok("USE d");
    let said = c.run("CREATE DATABASE e AS CLONE OF d");
    assert!(said.contains("Msg 5030, "), "{said}");
    assert!(!world.env().disk.exists(Path::new("/data/e.mdf")).unwrap());
    user.ok("USE master");
    c.ok("CREATE DATABASE e AS CLONE OF c");
    assert_eq!(
        c.rows("SELECT name, is_read_only FROM sys.databases WHERE database_id > 4 ORDER BY 1"),
        "c | 0\nd | 1\ne | 0"
    );
    assert_eq!(
        c.rows("SELECT name, physical_name FROM c.sys.database_files ORDER BY file_id"),
        "d | /data/c.mdf\nl | /data/c_log.ldf\nm | /data/c_log2.ldf"
    );
    // The template's backups are none of the clone's.
    c.ok("INSERT c.dbo.t DEFAULT VALUES");
    assert!(c.run("BACKUP DATABASE c TO DISK = 'c.bak' WITH DIFFERENTIAL").contains("Msg 3035, "));
    assert!(c.run("BACKUP LOG c TO DISK = 'c.trn'").contains("Msg 4214, "));
    c.ok("DROP DATABASE d");
    drop((c, user));
    let instance = crash_and_start(&world, instance);
    let mut c = connect(&instance);
    assert_eq!(c.rows("SELECT COUNT(*) FROM c.dbo.t"), "3");
    assert_eq!(c.rows("SELECT COUNT(*) FROM e.dbo.t"), "2");
    c.ok("DBCC CHECKDB (c)");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_clone_that_cannot_be_made_leaves_its_template_open() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(TEMPLATE);
    c.ok(FILL);
    for file in [FILES[0], FILES[1]] {
        let disk = world.env().disk;
        drop(disk.create(Path::new(file), OpenSpec::PLAIN).expect("a file in the way"));
        let said = c.run("CREATE DATABASE c AS CLONE OF d");
        assert!(said.contains("Msg 5170, ") || said.contains("Msg 5123, "), "{said}");
        assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t"), "2");
        assert_eq!(c.rows("SELECT state_desc FROM sys.databases WHERE name = 'd'"), "ONLINE");
        assert!(disk.exists(Path::new(file)).unwrap(), "{file} was not the clone's");
        disk.remove(Path::new(file)).unwrap();
    }
    c.ok("INSERT d.dbo.t DEFAULT VALUES");
    c.ok("CREATE DATABASE c AS CLONE OF d");
    assert_eq!(c.rows("SELECT COUNT(*) FROM c.dbo.t"), "3");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn logs_of_a_clone_and_of_its_template_do_not_mix() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(TEMPLATE);
    c.ok(FILL);
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("CREATE DATABASE c AS CLONE OF d");
    c.ok("BACKUP DATABASE c TO DISK = 'c.bak'");
    // More of the clone's than of the template's: as to where they begin and end, its log would follow.
    for (name, rows) in [("d", vec!["('x')"; 50]), ("c", vec!["('c')"; 200])] {
        c.ok(&format!("INSERT {name}.dbo.t VALUES {}", rows.join(", ")));
    }
    c.ok("BACKUP LOG c TO DISK = 'c.trn'");
    c.ok("BACKUP LOG d TO DISK = 'd.trn'");
    let forks = "SELECT COUNT(DISTINCT recovery_fork_guid), COUNT(DISTINCT family_guid) \
        FROM sys.database_recovery_status WHERE database_id > 4";
    assert_eq!(c.rows(forks), "2 | 2");
    c.ok("DROP DATABASE c");
    c.ok("RESTORE DATABASE d FROM DISK = 'd.bak' WITH NORECOVERY, REPLACE");
    c.ok("RESTORE LOG d FROM DISK = 'd.trn' WITH NORECOVERY");
    let said = c.run("RESTORE LOG d FROM DISK = 'c.trn'");
    assert!(said.contains("Msg 3154, "), "{said}");
    c.ok("RESTORE DATABASE d");
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t WHERE b = 'x'"), "52");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_clone_that_is_called_off_leaves_its_template_as_it_was() {
    let world = world(1, SimOptions::default());
    let (instance, once) = start_with_hook(&world);
    let mut c = connect(&instance);
    c.ok(TEMPLATE);
    c.ok(FILL);
    let handle = c.connection.cancel_handle();
    // Its first file is copied then, the others are not.
    *once.lock().unwrap() = Some(("/c.mdf", Box::new(move || handle.cancel())));
    c.run("CREATE DATABASE c AS CLONE OF d");
    assert!(c.connection.was_cancelled());
    assert_eq!(c.rows("SELECT name FROM sys.databases WHERE database_id > 4"), "d");
    for file in FILES {
        assert!(!world.env().disk.exists(Path::new(file)).unwrap(), "{file} is left");
    }
    c.ok("INSERT d.dbo.t DEFAULT VALUES");
    c.ok("CREATE DATABASE c AS CLONE OF d");
    assert_eq!(c.rows("SELECT COUNT(*) FROM c.dbo.t"), "3");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn what_lies_behind_the_end_of_the_templates_log_stays_behind() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d ON (NAME = d, FILENAME = '/data/d.mdf', SIZE = 4MB)
        LOG ON (NAME = l, FILENAME = '/data/d.ldf', SIZE = 2MB, FILEGROWTH = 0)
        ALTER DATABASE d SET RECOVERY SIMPLE");
    c.ok(FILL);
    // Each VLF is used for the second time then.
    let active =
        "SELECT vlf_begin_offset, CAST(vlf_size_mb * 1048576 AS bigint), vlf_sequence_number
        FROM sys.dm_db_log_info(DB_ID('d')) WHERE vlf_active = 1";
    let number = |c: &mut support::Client, n: usize| -> u64 {
        c.rows(active).split(" | ").nth(n).unwrap().parse().unwrap()
    };
    let first = number(&mut c, 2);
    while number(&mut c, 2) < first + 6 {
        c.ok("UPDATE d.dbo.t SET b = REPLICATE('y', 1999); UPDATE d.dbo.t SET b = 'x'; CHECKPOINT");
        c.ok("USE d; CHECKPOINT; USE master");
    }
    let (begin, size) = (number(&mut c, 0), number(&mut c, 1));
    c.ok("CREATE DATABASE c AS CLONE OF d");
    c.ok("INSERT c.dbo.t DEFAULT VALUES");
    drop(c);
    instance.shutdown().expect("an orderly end");
    let last = |name: &str| {
        let disk = world.env().disk;
        let file = disk.open(Path::new(name), OpenSpec::PLAIN.read_only()).unwrap();
        let mut bytes = vec![0; 8192];
        file.read_at(begin + size - 8192, &mut bytes).unwrap();
        bytes.iter().any(|b| *b != 0)
    };
    assert!(last("/data/d.ldf"), "what the template had logged a round before");
    assert!(!last(FILES[1]), "nothing of that");
    let instance = start(&world).expect("a start");
    let mut c = connect(&instance);
    assert_eq!(c.rows("SELECT COUNT(*) FROM c.dbo.t"), "3");
    c.ok("DBCC CHECKDB (c)");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_template_whose_log_has_grown_long_goes_on_in_another_vlf() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(LONG);
    c.ok(MUCH);
    let active = "SELECT vlf_sequence_number, vlf_begin_offset FROM sys.dm_db_log_info(DB_ID('d'))
        WHERE vlf_active = 1";
    let before = c.rows(active);
    let head = |rows: &str| -> Vec<u64> { rows.split(" | ").map(|n| n.parse().unwrap()).collect() };
    let first = head(&before);
    c.ok("CREATE DATABASE c AS CLONE OF d");
    let second = head(&c.rows(active));
    assert_eq!(second[0], first[0] + 1, "the next VLF");
    // Now there is little to copy: it stays where it is.
    c.ok("CREATE DATABASE e AS CLONE OF d");
    assert_eq!(head(&c.rows(active))[0], second[0]);
    c.ok("INSERT c.dbo.t DEFAULT VALUES");
    assert_eq!(c.rows("SELECT COUNT(*) FROM c.dbo.t"), "3");
    drop(c);
    instance.shutdown().expect("an orderly end");
    let file = world.env().disk.open(Path::new(FILES[1]), OpenSpec::PLAIN.read_only()).unwrap();
    let mut bytes = vec![0; 2 << 20];
    file.read_at(first[1] + 8192, &mut bytes).unwrap();
    assert!(bytes.iter().all(|b| *b == 0), "what the template had logged there");
    let instance = start(&world).expect("a start");
    let mut c = connect(&instance);
    for name in ["c", "d", "e"] {
        c.ok(&format!("DBCC CHECKDB ({name})"));
        c.ok(&format!("SELECT COUNT(*) FROM {name}.sys.fn_dblog(NULL, NULL)"));
    }
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_clone_has_guids_of_its_own() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok(TEMPLATE);
    c.ok(FILL);
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'; BACKUP LOG d TO DISK = 'd.trn'");
    for clone in ["c AS CLONE OF d", "e AS CLONE OF c"] {
        c.ok(&format!("CREATE DATABASE {clone}"));
    }
    let guids = "SELECT COUNT(DISTINCT database_guid), COUNT(DISTINCT family_guid),
        COUNT(CASE WHEN database_guid = family_guid THEN 1 END)
        FROM sys.database_recovery_status WHERE database_id > 4";
    assert_eq!(c.rows(guids), "3 | 3 | 3");
    // The copy of the boot page that is not read now and the log's header say so, too.
    c.ok("INSERT c.dbo.t DEFAULT VALUES; BACKUP DATABASE c TO DISK = 'c.bak'");
    drop(c);
    let instance = crash_and_start(&world, instance);
    let mut c = connect(&instance);
    assert_eq!(c.rows(guids), "3 | 3 | 3");
    // None takes the place of another by mistake.
    c.ok("ALTER DATABASE d SET RECOVERY SIMPLE; ALTER DATABASE e SET RECOVERY SIMPLE");
    let over = |name: &str, set: &str, files: [&str; 3], with: &str| {
        let [data, one, two] = files;
        format!(
            "RESTORE DATABASE {name} FROM DISK = '{set}' WITH MOVE 'd' TO '/data/{data}',
                MOVE 'l' TO '/data/{one}', MOVE 'm' TO '/data/{two}' {with}"
        )
    };
    let of_e = ["e.mdf", "e_log.ldf", "e_log2.ldf"];
    for set in ["c.bak", "d.bak"] {
        let said = c.run(&over("e", set, of_e, ""));
        assert!(said.contains("Msg 3154, "), "{set}: {said}");
    }
    assert_eq!(c.rows("SELECT COUNT(*) FROM e.dbo.t"), "2");
    c.ok(&over("e", "c.bak", of_e, ", REPLACE"));
    assert_eq!(c.rows("SELECT COUNT(*) FROM e.dbo.t"), "3");
    // What was backed up of the template tells nothing of a clone's rows.
    let said = c.run("USE c; SELECT * FROM taffrail.log_changes(NULL, NULL, NULL, 'd.trn')");
    assert!(said.contains("Msg 3154, "), "{said}");
    c.ok("USE master");
    // A clone's backups bring back the clone, the tail of a lost one too: the log knows whose it is.
    c.ok("INSERT c.dbo.t DEFAULT VALUES; BACKUP LOG c TO DISK = 'c.trn'; INSERT c.dbo.t DEFAULT VALUES");
    drop(c);
    instance.shutdown().expect("an orderly end");
    let disk = world.env().disk;
    disk.remove(Path::new(FILES[0])).unwrap();
    disk.sync_dir(Path::new("/data")).unwrap();
    let instance = start(&world).expect("a start without the clone's data file");
    let mut c = connect(&instance);
    c.ok("BACKUP LOG c TO DISK = 'tail.trn' WITH NO_TRUNCATE");
    c.ok(&over("c", "c.bak", ["c.mdf", "c_log.ldf", "c_log2.ldf"], ", NORECOVERY, REPLACE"));
    c.ok("RESTORE LOG c FROM DISK = 'c.trn' WITH NORECOVERY; RESTORE LOG c FROM DISK = 'tail.trn'");
    assert_eq!(c.rows("SELECT COUNT(*) FROM c.dbo.t"), "5");
    for name in ["c", "d", "e"] {
        c.ok(&format!("DBCC CHECKDB ({name})"));
    }
    drop(c);
    instance.shutdown().expect("an orderly end");
}

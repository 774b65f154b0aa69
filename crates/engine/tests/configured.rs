//! What new databases are made like (tempdb at every start, others after model), and what is said of files that cannot be made.

use crate::support;

use support::sim::{start, world};
use support::{Client, World, connect, numbers};
use taffrail_engine::Instance;
use taffrail_io::sim::{SimOptions, SimWorld};

const FILES: &str =
    "SELECT name, size, growth, is_percent_growth, max_size FROM sys.database_files";
const OPTIONS: &str = "SELECT recovery_model_desc, delayed_durability_desc, target_recovery_time_in_seconds \
    FROM sys.databases WHERE name = ";

#[test]
fn tempdb_is_made_as_it_was_configured() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("USE tempdb");
    assert_eq!(
        c.rows(FILES),
        "tempdev | 1024 | 8192 | 0 | -1\ntemplog | 1024 | 8192 | 0 | 268435456"
    );
    c.ok("ALTER DATABASE tempdb MODIFY FILE (NAME = templog, SIZE = 20MB, FILEGROWTH = 5MB)");
    c.ok("ALTER DATABASE tempdb MODIFY FILE (NAME = tempdev, SIZE = 12MB)");
    c.ok("ALTER DATABASE tempdb MODIFY FILE (NAME = tempdev, NEWNAME = temp1, FILEGROWTH = 10%, MAXSIZE = 500MB)");
    c.ok("ALTER DATABASE tempdb SET TARGET_RECOVERY_TIME = 30 SECONDS");
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET LOG_VLF_ALGORITHM = 2014");
    let want = "temp1 | 1536 | 10 | 1 | 64000\ntemplog | 2560 | 640 | 0 | 268435456";
    assert_eq!(c.rows(FILES), want);
    let mut w = w;
    for _ in 0..2 {
        drop(c);
        w = w.restart();
        c = w.connect();
        c.ok("USE tempdb");
        assert_eq!(c.rows(FILES), want);
        assert_eq!(c.rows(&format!("{OPTIONS}'tempdb'")), "SIMPLE | DISABLED | 30");
        assert_eq!(
            c.rows("SELECT value FROM sys.database_scoped_configurations WHERE name = 'LOG_VLF_ALGORITHM'"),
            "2014"
        );
    }
    c.ok("ALTER DATABASE tempdb MODIFY FILE (NAME = temp1, MAXSIZE = UNLIMITED)");
    c.ok("ALTER DATABASE tempdb MODIFY FILE (NAME = templog, FILEGROWTH = 0)");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    c.ok("USE tempdb");
    assert_eq!(c.rows(FILES), "temp1 | 1536 | 10 | 1 | -1\ntemplog | 2560 | 0 | 0 | 268435456");
    c.ok("CREATE TABLE #t (a int) INSERT #t VALUES (1)");
}

#[test]
fn a_new_database_is_like_model() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE before");
    c.ok("USE before");
    assert_eq!(
        c.rows(FILES),
        "before | 1024 | 8192 | 0 | -1\nbefore_log | 1024 | 8192 | 0 | 268435456"
    );
    assert_eq!(c.rows(&format!("{OPTIONS}'before'")), "FULL | DISABLED | 60");
    c.ok("ALTER DATABASE model MODIFY FILE (NAME = modeldev, SIZE = 12MB, FILEGROWTH = 1MB, MAXSIZE = 1GB)");
    c.ok("ALTER DATABASE model MODIFY FILE (NAME = modellog, SIZE = 10MB, FILEGROWTH = 20%, MAXSIZE = 2GB)");
    c.ok("ALTER DATABASE model SET RECOVERY SIMPLE");
    c.ok("ALTER DATABASE model SET DELAYED_DURABILITY = ALLOWED");
    c.ok("ALTER DATABASE model SET TARGET_RECOVERY_TIME = 90 SECONDS");
    c.ok("USE model");
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET LOG_INITIALIZATION = ZERO");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    c.ok("CREATE DATABASE after");
    c.ok("USE after");
    let like_model = "after | 1536 | 128 | 0 | 131072\nafter_log | 1280 | 20 | 1 | 262144";
    assert_eq!(c.rows(FILES), like_model);
    assert_eq!(c.rows(&format!("{OPTIONS}'after'")), "SIMPLE | ALLOWED | 90");
    assert_eq!(
        c.rows(
            "SELECT value FROM sys.database_scoped_configurations WHERE name = 'LOG_INITIALIZATION'"
        ),
        "ZERO"
    );
    // A file that is described has model's size, if it is the primary and none is said, and the other defaults.
    c.ok("CREATE DATABASE named ON (NAME = d, FILENAME = 'd.mdf') LOG ON (NAME = l, FILENAME = 'd.ldf')");
    c.ok("USE named");
    assert_eq!(c.rows(FILES), "d | 1536 | 8192 | 0 | -1\nl | 1024 | 8192 | 0 | 268435456");
    // Without LOG ON, a quarter of a data file that has a size.
    c.ok("CREATE DATABASE sized ON (NAME = s, FILENAME = 's.mdf', SIZE = 64MB)");
    c.ok("USE sized");
    assert_eq!(c.rows(FILES), "s | 8192 | 8192 | 0 | -1\nsized_log | 2048 | 20 | 1 | 262144");
    // Nothing is smaller than model was made.
    let said = c.rows("CREATE DATABASE small ON (NAME = x, FILENAME = 'x.mdf', SIZE = 8MB)");
    assert_eq!(numbers(&said), [1803], "{said}");
    assert!(said.contains("at least 12 MB"), "{said}");
    // What is as it was before stays so.
    c.ok("USE before");
    assert_eq!(c.rows(&format!("{OPTIONS}'before'")), "FULL | DISABLED | 60");
}

#[test]
fn files_that_cannot_be() {
    let w = World::new();
    let mut c = w.connect();
    let mut said = |sql: &str| numbers(&c.rows(sql));
    let log = |size: &str| {
        format!("CREATE DATABASE x LOG ON (NAME = l, FILENAME = 'l.ldf', SIZE = {size})")
    };
    assert_eq!(said(&log("3TB")), [5150]);
    assert_eq!(said(&log("8MB, MAXSIZE = 4MB")), [5103]);
    assert_eq!(said("CREATE DATABASE x ON (NAME = d, FILENAME = 'none/x.mdf')"), [5133, 1802]);
    assert_eq!(
        said(
            "CREATE DATABASE x ON (NAME = d, FILENAME = 'd.mdf') LOG ON (NAME = d, FILENAME = 'd.ldf')"
        ),
        [1828, 1802]
    );
    assert_eq!(said("CREATE DATABASE x ON (NAME = d, FILENAME = 'master.mdf')"), [5170, 1802]);
    let twice = c.rows(
        "CREATE DATABASE x ON (NAME = d, FILENAME = 'd.mdf') LOG ON (NAME = l, FILENAME = 'd.mdf')",
    );
    assert_eq!(numbers(&twice), [5123, 1802], "{twice}");
    assert!(twice.contains("operating system error 80(The file exists.) while"), "{twice}");
    let mut said = |sql: &str| numbers(&c.rows(sql));
    assert_eq!(said("CREATE DATABASE x"), []);
    assert_eq!(said("ALTER DATABASE x MODIFY FILE (NAME = x)"), [5038, 5069]);
    assert_eq!(said("ALTER DATABASE x MODIFY FILE (SIZE = 9MB)"), [5036, 5069]);
    assert_eq!(said("ALTER DATABASE x MODIFY FILE (NAME = x_log, SIZE = 3TB)"), [5150, 5069]);
    assert_eq!(said("ALTER DATABASE x ADD LOG FILE (NAME = m, SIZE = 3TB)"), [5150, 5069]);
}

#[test]
fn each_growth_by_hand_has_its_lsn() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE g LOG ON (NAME = g_log, FILENAME = 'g.ldf', SIZE = 2MB)");
    for mb in 3..7 {
        c.ok(&format!("ALTER DATABASE g MODIFY FILE (NAME = g_log, SIZE = {mb}MB)"));
    }
    assert_eq!(
        c.rows(
            "SELECT COUNT(*), COUNT(DISTINCT vlf_create_lsn) FROM sys.dm_db_log_info(DB_ID('g'))"
        ),
        "8 | 5"
    );
    // Each is that of the record that tells of it.
    c.ok("USE g");
    assert_eq!(
        c.rows(
            "SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID('g')) v JOIN sys.fn_dblog(NULL, NULL) r \
             ON r.[Current LSN] = v.vlf_create_lsn \
             WHERE r.Operation = 'LOP_BEGIN_XACT' AND r.[Transaction Name] = 'GrowFile'"
        ),
        "4"
    );
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    c.ok("USE g");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID('g'))"), "8");
}

/// Starts the instance, with a session.
fn started(world: &SimWorld) -> (std::sync::Arc<Instance>, Client) {
    let instance = start(world).expect("the instance starts");
    let c = connect(&instance);
    (instance, c)
}

fn used(world: &SimWorld) -> u64 {
    let space = world.env().disk.space("/data".as_ref()).expect("a directory");
    space.total - space.available
}

#[test]
fn what_the_disk_has_not_is_refused_at_once() {
    let world = world(7, SimOptions::default());
    let (instance, mut c) = started(&world);
    c.ok("CREATE DATABASE a");
    c.ok("ALTER DATABASE tempdb MODIFY FILE (NAME = templog, SIZE = 40MB)");
    world.set_capacity(used(&world) + (100 << 20));
    let full = "operating system error 112(There is not enough space on the disk.) while";
    for (sql, want) in [
        ("CREATE DATABASE b ON (NAME = b, FILENAME = 'b.mdf', SIZE = 1GB)", [5123, 1802]),
        ("CREATE DATABASE b LOG ON (NAME = l, FILENAME = 'b.ldf', SIZE = 1GB)", [5123, 1802]),
        ("ALTER DATABASE a MODIFY FILE (NAME = a, SIZE = 1GB)", [5149, 5069]),
        ("ALTER DATABASE a MODIFY FILE (NAME = a_log, SIZE = 1GB)", [5149, 5069]),
        ("ALTER DATABASE a ADD LOG FILE (NAME = a2, SIZE = 1GB)", [5123, 5069]),
    ] {
        let before = used(&world);
        let said = c.rows(sql);
        assert_eq!(numbers(&said), want, "{sql}: {said}");
        assert!(said.contains(full), "{said}");
        // But for records and checkpoints within the files nothing has become longer.
        assert_eq!(used(&world), before, "{sql}");
    }
    c.ok("CREATE DATABASE b");
    // A tempdb that there is no room for as configured must not keep the server from starting.
    drop(c);
    instance.shutdown().unwrap();
    drop(instance);
    world.env().disk.remove("/data/tempdb_log.ldf".as_ref()).unwrap();
    world.set_capacity(used(&world) + (20 << 20));
    let (instance, mut c) = started(&world);
    c.ok("USE tempdb");
    assert_eq!(c.rows("SELECT size FROM sys.database_files"), "1024\n1024");
    drop(c);
    instance.shutdown().unwrap();
    drop(instance);
    world.set_capacity(u64::MAX);
    let (instance, mut c) = started(&world);
    c.ok("USE tempdb");
    assert_eq!(c.rows("SELECT size FROM sys.database_files"), "1024\n5120");
    drop(c);
    instance.shutdown().unwrap();
}

#[test]
fn a_log_of_small_sectors_has_no_file_on_a_disk_of_large_ones() {
    let world = world(3, SimOptions { sector: 512, ..SimOptions::default() });
    let (instance, mut c) = started(&world);
    c.ok("CREATE DATABASE a");
    world.set_sector(4096);
    let said = c.rows("ALTER DATABASE a ADD LOG FILE (NAME = a2)");
    assert_eq!(numbers(&said), [40510], "{said}");
    assert!(said.contains("sectors of 512 bytes on a volume with sectors of 4096 bytes"), "{said}");
    assert!(!world.env().disk.exists("/data/a2.ldf".as_ref()).unwrap(), "the file has stayed");
    world.set_sector(512);
    c.ok("ALTER DATABASE a ADD LOG FILE (NAME = a2)");
    drop(c);
    instance.shutdown().unwrap();
}

//! What sessions, msdb and the error log hear of a device that fails to read, or is full.

use crate::support;

use support::sim::{start, world};
use support::{connect, errors};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimOptions, SimWorld};
use taffrail_observe::{Event, EventRing};

fn fail_reads(world: &SimWorld, times: u64) {
    for nth in 1..=times {
        let (path_contains, kind) = ("readable.mdf".into(), Some(IoKind::Read));
        world.inject(Fault { nth, kind, path_contains, fault: FaultKind::Io, sticky: false });
    }
}

#[test]
fn a_page_that_cannot_be_read_is_823_and_a_suspect_page_and_one_that_can_in_the_end_is_825() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE readable");
    c.ok("CREATE TABLE readable.dbo.t (a int PRIMARY KEY, b char(4000))
        DECLARE @i int = 0 WHILE @i < 300 BEGIN INSERT readable.dbo.t VALUES (@i, 'x') SET @i += 1 END");
    drop(c);
    instance.shutdown().unwrap();
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("USE readable SELECT a FROM t WHERE a = 0");
    fail_reads(&world, 3);
    assert_eq!(c.rows("SELECT COUNT(*) FROM t WHERE a < 20"), "20");
    let told = EventRing::global().read_after(0).into_iter().any(|r| match r.event {
        Event::Raised { number: 825, severity: 10, text, .. } => {
            text.contains("readable.mdf") && text.contains("after failing 3 time(s)")
        }
        _ => false,
    });
    assert!(told, "825");
    fail_reads(&world, 4);
    let said = c.rows("SELECT COUNT(*) FROM t");
    assert_eq!(errors(&said)[0], 823, "{said}");
    let mut c = connect(&instance);
    assert_eq!(
        c.rows("SELECT DB_NAME(database_id), file_id, event_type, error_count FROM msdb.dbo.suspect_pages"),
        "readable | 1 | 1 | 1"
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM readable.dbo.t"), "300", "the database goes on");
    drop(c);
    instance.shutdown().unwrap();
}

#[test]
fn a_full_data_disk_is_told_with_the_systems_words() {
    let world = world(2, SimOptions::default());
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE filled");
    c.ok("ALTER DATABASE filled SET RECOVERY SIMPLE");
    c.ok("CREATE TABLE filled.dbo.t (a int, b char(8000)) USE filled");
    let space = world.env().disk.space("/data".as_ref()).unwrap();
    world.set_capacity(space.total - space.available);
    let mut said = String::new();
    for _ in 0..20 {
        said = c.rows("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 300 BEGIN INSERT t VALUES (@i, 'x') SET @i += 1 END");
        if !said.is_empty() {
            break;
        }
    }
    assert_eq!(errors(&said)[0], 1105, "{said}");
    let told = EventRing::global().read_after(0).into_iter().find_map(|r| match r.event {
        Event::DataFull { database, number: 1105, severity: 17, state: 2, text, refused } => {
            (&*database.name == "filled").then_some((text, refused))
        }
        _ => None,
    });
    let (text, refused) = told.expect("the error log hears of it");
    assert!(text.contains("'dbo.t'") && said.contains(&text), "{text}");
    let (path, why) = refused.expect("the system's words");
    assert!(path.ends_with("filled.mdf"), "{}", path.display());
    assert_eq!(why, "112(There is not enough space on the disk.)");
    drop(c);
    let _ = instance.shutdown();
}

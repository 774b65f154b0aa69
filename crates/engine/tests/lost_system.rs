//! master or tempdb is lost while the server runs: the instance ends, or tempdb is made anew; nobody is told that his login is wrong.

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use support::sim::{start, world};
use support::{World, connect};
use taffrail_engine::{ConnectOptions, Connection, Instance};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimOptions, SimWorld};

fn fault(world: &SimWorld, kind: Option<IoKind>, path: &str) {
    let path_contains = path.into();
    world.inject(Fault { nth: 1, kind, path_contains, fault: FaultKind::Io, sticky: false });
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < until, "{what} takes too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn login(instance: &Arc<Instance>, database: Option<&str>) -> Result<Connection, i32> {
    let database = database.map(str::to_owned);
    let options = ConnectOptions { login: "sa".into(), database, ..ConnectOptions::default() };
    instance.connect(options).map_err(|e| e.number)
}

#[test]
fn a_lost_master_ends_the_instance() {
    for kind in [IoKind::WriteDurable, IoKind::Sync] {
        let world = world(1, SimOptions::default());
        let instance = start(&world).unwrap();
        let mut c = connect(&instance);
        c.ok("CREATE DATABASE d");
        let told = Arc::new(AtomicU32::new(0));
        let hears = told.clone();
        instance.when_lost(move |e| {
            assert_eq!((e.number, e.severity), (3449, 21));
            hears.fetch_add(1, Ordering::SeqCst);
        });
        fault(&world, Some(kind), "master");
        c.run("CREATE DATABASE e");
        c.run("USE master CHECKPOINT");
        // Whoever comes before the instance itself has noticed is told no less.
        assert_eq!(login(&instance, None).err(), Some(6005), "{kind:?}");
        assert_eq!(login(&instance, Some("d")).err(), Some(6005), "{kind:?}");
        wait_until("the loss of master", || told.load(Ordering::SeqCst) == 1);
        assert!(instance.lost().is_some_and(|e| e.message.contains("database ID 1")));
        drop(c);
        let _ = instance.shutdown();
        world.restart();
        let instance = start(&world).unwrap();
        connect(&instance).ok("USE d");
        assert_eq!(told.load(Ordering::SeqCst), 1, "once");
        instance.shutdown().unwrap();
    }
}

/// Fills a temp table until pages and log of tempdb have to be written.
const FILL: &str = "CREATE TABLE #t (a int, b char(4000))
    DECLARE @i int = 0 WHILE @i < 8000 BEGIN INSERT #t VALUES (@i, 'x') SET @i += 1 END";

#[test]
fn a_lost_tempdb_is_made_anew() {
    let world = world(2, SimOptions::default());
    let instance = start(&world).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d CREATE TABLE d.dbo.t (a int) INSERT d.dbo.t VALUES (7)");
    let mut idle = connect(&instance);
    idle.ok("CREATE TABLE #old (a int) INSERT #old VALUES (1)");
    let old = instance.databases().tempdb().unwrap();
    fault(&world, None, "tempdb");
    let said = c.run(FILL);
    wait_until("the failure", || world.stats().faults > 0);
    let suspect = || format!("{:?}", old.storage.state()).contains("Suspect");
    wait_until("the end of tempdb", || suspect() || c.run("CHECKPOINT").is_empty());
    assert!(instance.lost().is_none(), "{said}");
    // The server ends the sessions.
    drop((c, idle));
    let mut c = connect(&instance);
    c.ok("CREATE TABLE #t (a int) INSERT #t VALUES (1), (2)");
    assert_eq!(c.rows("SELECT COUNT(*) FROM #t SELECT a FROM d.dbo.t"), "2\n7");
    assert!(!Arc::ptr_eq(&old, &instance.databases().tempdb().unwrap()));
    assert!(instance.lost().is_none());
    drop(c);
    instance.shutdown().unwrap();
}

#[test]
fn a_tempdb_that_cannot_be_made_anew_ends_the_instance() {
    let world = world(3, SimOptions::default());
    let instance = start(&world).unwrap();
    let path_contains = "tempdb".into();
    world.inject(Fault { nth: 1, kind: None, path_contains, fault: FaultKind::Io, sticky: true });
    let mut c = connect(&instance);
    c.run(FILL);
    drop(c);
    wait_until("the loss of tempdb", || instance.lost().is_some());
    assert!(instance.lost().is_some_and(|e| e.message.contains("database ID 2")));
    assert_eq!(login(&instance, None).err(), Some(6005));
    let _ = instance.shutdown();
}

#[test]
fn a_database_that_cannot_be_opened_is_4060_and_the_logins_own_is_4064() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE d");
    c.ok("ALTER DATABASE d SET OFFLINE");
    drop(c);
    assert_eq!(login(&world.instance, Some("d")).err(), Some(4060));
    assert_eq!(login(&world.instance, Some("nowhere")).err(), Some(4060));
    world.instance.set_login_password("sa", "").unwrap();
    let mut sa = (*world.instance.login_principal("sa").unwrap()).clone();
    sa.login.default_database = "d".into();
    world.instance.record_login(sa).unwrap();
    let world = world.restart();
    assert_eq!(login(&world.instance, None).err(), Some(4064));
    assert_eq!(login(&world.instance, Some("")).err(), Some(4064));
    assert!(login(&world.instance, Some("master")).is_ok());
}

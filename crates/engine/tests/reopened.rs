//! A database that is closed and opened anew, whyever: what had been planned, prepared or cached before works on.

use crate::support;

use std::sync::Arc;
use support::sim::{start, world};
use support::{Client, Heard, World, connect, errors};
use taffrail_engine::{Instance, InstanceOptions};
use taffrail_engine::{RpcCall, RpcParam, RpcProcedure};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimOptions, SimWorld};
use taffrail_types::{Collation, MaxLen, SqlType, Value};

fn param(ty: SqlType, value: Value) -> RpcParam {
    RpcParam { name: String::new(), by_ref: false, default: false, ty, value, table: None }
}

fn text(v: &str) -> RpcParam {
    param(SqlType::NVarChar(MaxLen::N(4000)), Value::nvarchar(v))
}

fn int(v: i32) -> RpcParam {
    param(SqlType::Int, Value::Int(v))
}

fn call(c: &mut Client, id: u16, params: Vec<RpcParam>) -> String {
    let mut heard = Heard::default();
    c.connection.execute_rpc(RpcCall { procedure: RpcProcedure::Id(id), params }, &mut heard);
    heard.text()
}

const FROM_OUTSIDE: &str = "SELECT SUM(i) FROM d.dbo.t";
const STATE: &str = "SELECT state_desc FROM sys.databases WHERE name = 'd'";

/// One session in the database, one outside of it, one text each, a procedure, a view, a system procedure and two prepared
/// handles: everything once, so that it is cached.
struct Users {
    inside: Client,
    outside: Client,
}

impl Users {
    fn new(instance: &Arc<Instance>) -> Users {
        let (mut inside, mut outside) = (connect(instance), connect(instance));
        outside.ok("CREATE DATABASE d");
        inside.ok("USE d");
        inside.ok("CREATE TABLE t (i int PRIMARY KEY, s varchar(20) DEFAULT 'x', CHECK (i > 0))");
        inside.ok("INSERT t (i) VALUES (1), (2)");
        inside.ok("CREATE VIEW v AS SELECT i FROM t");
        inside.ok("CREATE PROCEDURE p AS SELECT SUM(i) FROM v");
        for c in [&mut inside, &mut outside] {
            let handle = RpcParam { by_ref: true, value: Value::Null, ..int(0) };
            let prepared = text("SELECT SUM(i) FROM d.dbo.t WHERE i < @below");
            let said = call(c, 11, vec![handle, text("@below int"), prepared, int(1)]);
            assert!(said.contains("out 0  = 1"), "{said}");
        }
        Users { inside, outside }
    }

    /// Everything works, on 1 and 2 and what else is in the table.
    fn work(&mut self, sum: i64) {
        self.work_outside(sum);
        let c = &mut self.inside;
        let sum = sum.to_string();
        assert_eq!(c.rows("SELECT SUM(i) FROM t"), sum, "a text");
        assert_eq!(c.rows("EXEC p"), sum, "a procedure");
        assert_eq!(c.rows("SELECT SUM(i) FROM v"), sum, "a view");
        assert!(c.rows("EXEC sp_helptext 'v'").contains("CREATE VIEW"), "a system procedure");
        assert_eq!(c.rows("EXEC sp_spaceused 't'").lines().count(), 1, "another");
        assert!(call(c, 12, vec![int(1), int(1000)]).contains(&format!("\n{sum}\n")), "a handle");
        c.ok("BEGIN TRAN INSERT t (i) VALUES (77) DELETE t WHERE i = 77 COMMIT");
        c.ok("DECLARE @i int = (SELECT COUNT(*) FROM t) IF EXISTS (SELECT * FROM t) SET @i += 1");
    }

    fn work_outside(&mut self, sum: i64) {
        let c = &mut self.outside;
        let sum = sum.to_string();
        assert_eq!(c.rows(FROM_OUTSIDE), sum, "a text");
        assert_eq!(c.rows("EXEC d.dbo.p"), sum, "a procedure");
        assert_eq!(c.rows("SELECT SUM(i) FROM d.dbo.v"), sum, "a view");
        assert!(call(c, 12, vec![int(1), int(1000)]).contains(&format!("\n{sum}\n")), "a handle");
        c.ok("INSERT d.dbo.t (i) VALUES (78) DELETE d.dbo.t WHERE i = 78");
    }
}

/// From now on the log of `d` cannot be written.
fn break_log(world: &SimWorld) {
    world.inject(Fault {
        nth: 1,
        kind: Some(IoKind::WriteDurable),
        path_contains: "d_log".into(),
        fault: FaultKind::Denied,
        sticky: true,
    });
}

/// Makes `d` SUSPECT by a commit that cannot be hardened, and takes the cause away again.
fn make_suspect(world: &SimWorld, instance: &Arc<Instance>) {
    break_log(world);
    let mut c = connect(instance);
    let said = c.rows("INSERT d.dbo.t (i) VALUES (5)");
    assert!(said.contains("Msg 9001, Level 21") && said.contains("closed"), "{said}");
    world.clear_faults();
    assert_eq!(connect(instance).rows(STATE), "SUSPECT");
}

#[test]
fn what_was_cached_before_a_database_was_suspect_works_after_set_online() {
    let world = world(11, SimOptions::default());
    let instance = start(&world).expect("it starts");
    let mut users = Users::new(&instance);
    users.work(3);
    for _ in 0..2 {
        make_suspect(&world, &instance);
        // It is asked for meanwhile: that, too, must not be remembered.
        assert_eq!(errors(&users.outside.rows(FROM_OUTSIDE)), [926]);
        assert_eq!(errors(&users.outside.rows("EXEC d.dbo.p")), [926]);
        users.outside.ok("ALTER DATABASE d SET ONLINE");
        users.work(3);
        let mut new = connect(&instance);
        assert_eq!(new.rows(FROM_OUTSIDE), "3");
        new.ok("USE d");
        assert_eq!(new.rows("SELECT SUM(i) FROM t"), "3");
    }
    // By a session of its own, which goes on in what is open now, within the same batch.
    make_suspect(&world, &instance);
    assert_eq!(users.inside.rows("ALTER DATABASE d SET ONLINE SELECT SUM(i) FROM t"), "3");
    users.work(3);
    drop(users);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_suspect_database_can_be_taken_offline_and_dropped() {
    let world = world(12, SimOptions::default());
    let instance = start(&world).expect("it starts");
    let mut users = Users::new(&instance);
    users.work(3);
    users.inside.ok("USE master");
    make_suspect(&world, &instance);
    users.outside.ok("ALTER DATABASE d SET OFFLINE");
    assert_eq!(users.outside.rows(STATE), "OFFLINE");
    assert_eq!(errors(&users.outside.rows(FROM_OUTSIDE)), [942]);
    users.outside.ok("ALTER DATABASE d SET ONLINE");
    users.inside.ok("USE d");
    users.work(3);
    // Offline it stays over a restart.
    make_suspect(&world, &instance);
    users.inside.ok("USE master");
    users.outside.ok("ALTER DATABASE d SET OFFLINE WITH ROLLBACK IMMEDIATE");
    drop(users);
    instance.shutdown().expect("an orderly end");
    let instance = start(&world).expect("it starts");
    let mut c = connect(&instance);
    assert_eq!(c.rows(STATE), "OFFLINE");
    c.ok("ALTER DATABASE d SET ONLINE");
    assert_eq!(c.rows(FROM_OUTSIDE), "3");
    make_suspect(&world, &instance);
    c.ok("DROP DATABASE d CREATE DATABASE d");
    c.ok("CREATE TABLE d.dbo.t (i int) INSERT d.dbo.t VALUES (9)");
    assert_eq!(c.rows(FROM_OUTSIDE), "9");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

/// Ends a session when it is killed, as a server does.
fn end_when_killed(mut c: Client) -> std::thread::JoinHandle<()> {
    let (told, killed) = std::sync::mpsc::channel();
    c.connection.on_kill(Box::new(move || _ = told.send(())));
    std::thread::spawn(move || {
        let _ = killed.recv();
        drop(c);
    })
}

/// Transactions that were open when their database became suspect: recovery has rolled them back, nothing of them is left that
/// others would wait for, and their sessions do not go on as if nothing had happened.
#[test]
fn a_transaction_of_the_old_opening_holds_nothing_up() {
    let world = world(13, SimOptions::default());
    let instance = start(&world).expect("it starts");
    let mut users = Users::new(&instance);
    users.work(3);
    users.inside.ok("BEGIN TRAN UPDATE t SET s = 'mine' WHERE i = 1");
    let mut crossing = connect(&instance);
    crossing.ok("BEGIN TRAN UPDATE d.dbo.t SET s = 'too' WHERE i = 2 CREATE TABLE #t (i int)");
    let mut reader = connect(&instance);
    reader.ok("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    reader.ok("BEGIN TRAN SELECT * FROM d.dbo.t WHERE i = 99");
    let mut idle = connect(&instance);
    idle.ok("USE d");
    make_suspect(&world, &instance);
    let inside = std::mem::replace(&mut users.inside, connect(&instance));
    let ended = [inside, crossing, reader].map(end_when_killed);
    users.outside.ok("SET LOCK_TIMEOUT 5000");
    users.outside.ok("ALTER DATABASE d SET ONLINE");
    users.work_outside(3);
    let read = "SELECT s FROM d.dbo.t ORDER BY i";
    assert_eq!(users.outside.rows(read), "x\nx");
    ended.into_iter().for_each(|session| session.join().expect("it was killed"));
    users.outside.ok("UPDATE d.dbo.t SET s = 'y'");
    idle.ok("UPDATE t SET s = 'z'");
    drop(users);
    drop(idle);
    instance.shutdown().expect("an orderly end");
}

/// Who has begun a transaction in a database uses it, wherever he is.
#[test]
fn a_database_with_a_part_of_a_transaction_from_elsewhere_is_in_use() {
    let world = World::new();
    let mut users = Users::new(&world.instance);
    users.inside.ok("USE master BEGIN TRAN UPDATE d.dbo.t SET s = 'y' WHERE i = 1");
    let c = &mut users.outside;
    assert_eq!(errors(&c.rows("ALTER DATABASE d SET OFFLINE WITH NO_WAIT")), [5070, 5069]);
    assert_eq!(errors(&c.rows("DROP DATABASE d")), [3702]);
    assert_eq!(errors(&c.rows("ALTER DATABASE d MODIFY NAME = e")), [5030, 5069]);
    assert_eq!(errors(&c.rows("RESTORE DATABASE d FROM DISK = 'd.bak'")).last(), Some(&3013));
    users.inside.ok("COMMIT");
    users.outside.ok("ALTER DATABASE d SET OFFLINE WITH NO_WAIT ALTER DATABASE d SET ONLINE");
    users.inside.ok("USE d");
    users.work(3);
}

#[test]
fn what_was_cached_works_after_every_other_way_of_closing_and_opening() {
    let world = World::new();
    let mut users = Users::new(&world.instance);
    users.work(3);
    let mut admin = world.connect();
    let mut good = |sql: &str| {
        let said = admin.rows(sql);
        assert!(errors(&said).is_empty(), "{sql}: {said}");
    };
    let ways: [&[&str]; 5] = [
        &["ALTER DATABASE d SET OFFLINE", "ALTER DATABASE d SET ONLINE"],
        &["ALTER DATABASE d MODIFY NAME = e", "ALTER DATABASE e MODIFY NAME = d"],
        &[
            "BACKUP DATABASE d TO DISK = 'd.bak' WITH INIT",
            "RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE",
        ],
        &[
            "BACKUP LOG d TO DISK = 'tail.bak' WITH INIT, NORECOVERY",
            "RESTORE DATABASE d WITH RECOVERY",
        ],
        &["DROP DATABASE d", "RESTORE DATABASE d FROM DISK = 'd.bak'"],
    ];
    for way in ways {
        users.inside.ok("USE master");
        for (n, sql) in way.iter().enumerate() {
            good(sql);
            // What is refused on the way is not remembered either.
            if n + 1 < way.len() {
                users.outside.rows(FROM_OUTSIDE);
                users.outside.rows("EXEC d.dbo.p");
            }
        }
        users.inside.ok("USE d");
        users.work(3);
    }
}

/// A server's collation is settled when its directory is made; a database takes its own along wherever it goes.
#[test]
fn a_collation_stays() {
    let world = world(7, SimOptions::default());
    let start = |collation: &str| {
        let mut options = InstanceOptions::new("/data", world.env());
        options.max_server_memory_mb = 16;
        options.collation = Collation::from_name(collation).expect("a collation");
        taffrail_engine::start(options).expect("a start")
    };
    const SAME: &str = "SELECT IIF('a' = 'A', 1, 0), IIF('e' = 'é', 1, 0)";
    const NAMES: &str =
        "SELECT collation_name FROM sys.databases WHERE name <> 'd' GROUP BY collation_name";
    let of = |c: &mut Client| {
        c.ok("USE d");
        let same = c.rows(SAME);
        c.ok("USE master");
        same
    };
    let first = start("Latin1_General_CS_AI");
    let mut c = connect(&first);
    assert_eq!(c.rows("SELECT SERVERPROPERTY('Collation')"), "Latin1_General_CS_AI");
    assert_eq!(c.rows(NAMES), "Latin1_General_CS_AI");
    assert_eq!(c.rows(SAME), "0 | 1");
    c.ok("CREATE DATABASE d COLLATE Latin1_General_CI_AI");
    assert_eq!(of(&mut c), "1 | 1");
    c.ok("CREATE TABLE d.dbo.t (a varchar(5) PRIMARY KEY)");
    assert!(errors(&c.rows("INSERT d.dbo.t VALUES ('a'), ('Á')")).contains(&2627));
    c.ok("INSERT d.dbo.t VALUES ('a')");
    drop(c);
    first.shutdown().expect("an orderly end");
    drop(first);

    // Another one is not asked any more.
    let second = start("Latin1_General_CI_AS");
    let mut c = connect(&second);
    assert_eq!(c.rows(NAMES), "Latin1_General_CS_AI");
    assert_eq!(c.rows(SAME), "0 | 1");
    assert_eq!(of(&mut c), "1 | 1");
    c.rows("BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("DROP DATABASE d");
    c.ok("CREATE DATABASE d");
    assert_eq!(of(&mut c), "0 | 1");
    c.ok("DROP DATABASE d");
    c.rows("RESTORE DATABASE d FROM DISK = 'd.bak'");
    assert_eq!(of(&mut c), "1 | 1");
    c.ok("ALTER DATABASE d COLLATE French_CS_AS");
    assert_eq!(of(&mut c), "0 | 0");
    c.ok("ALTER DATABASE d SET OFFLINE ALTER DATABASE d SET ONLINE");
    assert_eq!(of(&mut c), "0 | 0");
    assert!(errors(&c.rows("INSERT d.dbo.t VALUES ('Á')")).contains(&2627));
    drop(c);
    second.shutdown().expect("an orderly end");
}

//! Security policies over a restart, in a restored copy, under bulk loads, and for plans that another user has made.

use crate::support;

use support::{Client, World};

/// A table of two tenants with a policy that shows and takes the rows of the session's own.
fn tenants() -> (World, Client) {
    let (w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int PRIMARY KEY, tenant int NOT NULL)");
    c.ok("INSERT t VALUES (1, 1), (2, 2), (3, 1)");
    c.ok("CREATE FUNCTION own(@t int) RETURNS TABLE WITH SCHEMABINDING AS \
          RETURN SELECT 1 AS ok WHERE @t = CAST(SESSION_CONTEXT(N'tenant') AS int)");
    c.ok("CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.own(tenant) ON dbo.t, \
          ADD BLOCK PREDICATE dbo.own(tenant) ON dbo.t");
    (w, c)
}

fn be(c: &mut Client, tenant: i32) {
    c.ok(&format!("EXEC sp_set_session_context N'tenant', {tenant}"));
}

const SEEN: &str = "SELECT COUNT(*) FROM d.dbo.t";

#[test]
fn a_policy_holds_after_a_restart() {
    let (w, mut c) = tenants();
    assert_eq!(c.rows(SEEN), "0");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    assert_eq!(c.rows(SEEN), "0");
    be(&mut c, 1);
    assert_eq!(c.rows(SEEN), "2");
    assert_eq!(support::errors(&c.rows("INSERT d.dbo.t VALUES (4, 2)")), [33504]);
    c.ok("USE d");
    c.ok("ALTER SECURITY POLICY p WITH (STATE = OFF)");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    assert_eq!(c.rows(SEEN), "3");
    c.ok("USE d");
    c.ok("DROP SECURITY POLICY p");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.sys.security_predicates"), "0");
    c.ok("DROP TABLE d.dbo.t");
}

#[test]
fn a_restored_copy_has_the_policy() {
    let (_w, mut c) = tenants();
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("ALTER SECURITY POLICY p WITH (STATE = OFF)");
    c.ok("RESTORE DATABASE copy FROM DISK = 'd.bak' WITH MOVE 'd' TO 'copy.mdf', MOVE 'd_log' TO 'copy_log.ldf'");
    assert_eq!(c.rows(SEEN), "3");
    assert_eq!(c.rows("SELECT COUNT(*) FROM copy.dbo.t"), "0");
    be(&mut c, 2);
    assert_eq!(c.rows("SELECT COUNT(*) FROM copy.dbo.t"), "1");
    assert_eq!(c.rows("SELECT COUNT(*) FROM copy.sys.security_predicates"), "2");
}

#[test]
fn a_cached_plan_follows_the_policy_of_others_and_its_rollback() {
    let (w, mut c) = tenants();
    let mut other = w.connect_to("d");
    be(&mut other, 1);
    assert_eq!(other.rows(SEEN), "2");
    c.ok("ALTER SECURITY POLICY p WITH (STATE = OFF)");
    assert_eq!(other.rows(SEEN), "3");
    c.ok("ALTER SECURITY POLICY p WITH (STATE = ON)");
    assert_eq!(other.rows(SEEN), "2");
    c.ok("BEGIN TRANSACTION");
    c.ok("SAVE TRANSACTION s");
    c.ok("DROP SECURITY POLICY p");
    assert_eq!(c.rows(SEEN), "3");
    c.ok("ROLLBACK TRANSACTION s");
    assert_eq!(c.rows(SEEN), "0");
    c.ok("DROP SECURITY POLICY p");
    c.ok("ROLLBACK");
    assert_eq!(c.rows(SEEN), "0");
    assert_eq!(other.rows(SEEN), "2");
    c.ok("DROP SECURITY POLICY p");
    c.ok("BEGIN TRANSACTION");
    c.ok("CREATE SECURITY POLICY p ADD FILTER PREDICATE dbo.own(tenant) ON dbo.t");
    assert_eq!(c.rows(SEEN), "0");
    c.ok("ROLLBACK");
    assert_eq!(c.rows(SEEN), "3");
    assert_eq!(other.rows(SEEN), "3");
}

#[test]
fn a_bulk_load_is_blocked() {
    let (w, mut c) = tenants();
    be(&mut c, 1);
    std::fs::write(w.dir.join("rows.csv"), "10,1\n11,2\n").expect("a file of rows");
    let load = format!(
        "BULK INSERT t FROM '{}' WITH (FIELDTERMINATOR = ',', TABLOCK)",
        w.dir.join("rows.csv").display()
    );
    assert_eq!(support::errors(&c.rows(&load)), [33504]);
    assert_eq!(c.rows(SEEN), "2");
    std::fs::write(w.dir.join("rows.csv"), "10,1\n").expect("a file of rows");
    c.ok(&load);
    assert_eq!(c.rows(SEEN), "3");
    c.ok("SELECT * INTO all_of FROM t");
    assert_eq!(c.rows("SELECT COUNT(*) FROM all_of"), "3");
    c.ok("INSERT all_of WITH (TABLOCK) SELECT * FROM t");
    assert_eq!(c.rows("SELECT COUNT(*) FROM all_of"), "6");
    assert_eq!(
        support::errors(&c.rows("INSERT t WITH (TABLOCK) SELECT 50 + id, 2 FROM all_of")),
        [33504]
    );
}

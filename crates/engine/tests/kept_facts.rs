//! Facts of tables that the catalogue keeps over a restart: statistics, identity values before the seed, LOCK_ESCALATION.

use crate::support;

use support::World;

#[test]
fn facts_of_tables_outlive_a_restart() {
    let (world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int IDENTITY(10, 5), a int, b int)");
    c.ok("CREATE STATISTICS s ON t (b, a) WITH NORECOMPUTE");
    c.ok("DBCC CHECKIDENT('t', RESEED, -20) WITH NO_INFOMSGS");
    c.ok("INSERT t (a) VALUES (1)");
    c.ok("ALTER TABLE t SET (LOCK_ESCALATION = DISABLE)");
    drop(c);
    let world = world.restart();
    let mut c = world.connect_to("d");
    c.ok("INSERT t (a) VALUES (2)");
    assert_eq!(c.rows("SELECT id FROM t ORDER BY id"), "-20\n-15");
    assert_eq!(c.rows("SELECT IDENT_SEED('t'), IDENT_CURRENT('t')"), "10 | -15");
    let kept = "SELECT s.name, s.no_recompute, c.stats_column_id, c.column_id FROM sys.stats s \
                JOIN sys.stats_columns c ON c.object_id = s.object_id AND c.stats_id = s.stats_id \
                WHERE s.user_created = 1 ORDER BY 3";
    assert_eq!(c.rows(kept), "s | 1 | 1 | 3\ns | 1 | 2 | 2");
    assert_eq!(c.rows("SELECT lock_escalation_desc FROM sys.tables"), "DISABLE");
    assert_eq!(c.rows("DBCC CHECKCATALOG WITH NO_INFOMSGS"), "");
    c.ok("DROP STATISTICS t.s");
    assert_eq!(c.rows(kept), "");
}

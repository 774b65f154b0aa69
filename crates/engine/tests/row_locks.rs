//! Which rows a statement leaves locked, and hints that say so.

use crate::support;

use std::time::{Duration, Instant};
use support::two::two;
use support::{Client, World};

/// Three rows in a clustered table with an index, and in a heap.
const TABLES: &str = "CREATE TABLE k (a int PRIMARY KEY, b int, c int, INDEX ib (b))
    CREATE TABLE h (a int, b int, c int)
    INSERT k VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3); INSERT h SELECT * FROM k
    CREATE TABLE s (a int, b int); INSERT s VALUES (3, 7)";

/// The locks on rows of the tables' own heap or tree, but those on entries of the index.
fn locks(watcher: &mut Client, session: u16) -> String {
    watcher.rows(&format!(
        "SELECT request_mode, COUNT(*) FROM sys.dm_tran_locks l
        LEFT JOIN sys.partitions p ON p.hobt_id = l.resource_associated_entity_id
        WHERE l.request_session_id = {session} AND l.resource_type IN ('KEY', 'RID') AND ISNULL(p.index_id, 0) < 2
        GROUP BY request_mode ORDER BY 1"
    ))
}

#[test]
fn rows_that_do_not_qualify_are_let_go_where_the_level_says_so() {
    let world = World::new();
    let (mut one, mut watcher) = (world.connect(), world.connect());
    one.ok(TABLES);
    let session = one.connection.session_id().0;
    // The statement; what it leaves locked under READ COMMITTED and under REPEATABLE READ (rows of s
    // among them).
    let statements = [
        ("UPDATE k SET c = 9 WHERE c = 3", "X | 1", "S | 2\nX | 1"),
        ("UPDATE h SET c = 9 WHERE c = 3", "X | 1", "S | 2\nX | 1"),
        ("UPDATE k SET c = 9 WHERE b = 2 AND c = 3", "", "S | 3"),
        ("UPDATE k SET c = 9 WHERE b = 3 AND c = 3", "X | 1", "S | 2\nX | 1"),
        ("UPDATE k SET b = 9 WHERE c = 3", "X | 1", "S | 2\nX | 1"),
        ("UPDATE k SET c = 9 WHERE c = 100", "", "S | 3"),
        ("DELETE k WHERE c = 3", "X | 1", "S | 2\nX | 1"),
        ("DELETE h WHERE c = 3", "X | 1", "S | 2\nX | 1"),
        ("UPDATE k SET c = s.b FROM k JOIN s ON s.a = k.c", "X | 1", "S | 3\nX | 1"),
        ("UPDATE h SET c = s.b FROM h JOIN s ON s.a = h.c", "X | 1", "S | 3\nX | 1"),
        (
            "UPDATE k SET c = 9 WHERE EXISTS (SELECT * FROM s WHERE s.a = k.c)",
            "X | 1",
            "S | 3\nX | 1",
        ),
        ("DELETE h WHERE EXISTS (SELECT * FROM s WHERE s.a = h.c)", "X | 1", "S | 3\nX | 1"),
        (
            "MERGE k USING s ON s.a = k.c WHEN MATCHED THEN UPDATE SET c = s.b;",
            "X | 1",
            "S | 3\nX | 1",
        ),
        ("MERGE h USING s ON s.a = h.c WHEN MATCHED THEN DELETE;", "X | 1", "S | 3\nX | 1"),
        ("WITH x AS (SELECT * FROM k WHERE c > 2) DELETE x", "X | 1", "S | 2\nX | 1"),
        ("SELECT * FROM k WITH (UPDLOCK) WHERE c = 3", "U | 1", "U | 3"),
        ("SELECT * FROM h WITH (XLOCK) WHERE c = 3", "X | 1", "X | 3"),
        ("SELECT b FROM k WITH (UPDLOCK) WHERE b = 3", "U | 1", "U | 1"),
        ("SELECT * FROM k WITH (UPDLOCK, REPEATABLEREAD) WHERE c = 3", "U | 3", "U | 3"),
        ("UPDATE k WITH (UPDLOCK) SET c = 9 WHERE c = 3", "X | 1", "U | 2\nX | 1"),
        // What another mention of the target locks for good stays.
        (
            "UPDATE k SET c = 9 FROM k JOIN k AS o WITH (UPDLOCK) ON o.a = k.b - 1 WHERE k.c = 3",
            "U | 1\nX | 1",
            "S | 1\nU | 1\nX | 1",
        ),
        // So does what it reads and is to stay as it is, though the target had it in U before.
        (
            "UPDATE k SET c = 9 FROM k JOIN k AS o WITH (REPEATABLEREAD) ON o.a = k.a
             WHERE k.a = 2 AND k.c > o.c + 5 OPTION (FORCE ORDER)",
            "S | 1",
            "S | 1",
        ),
        (
            "UPDATE k SET c = 9 FROM k JOIN k AS o WITH (HOLDLOCK) ON o.a = k.a
             WHERE k.a = 2 AND k.c > o.c + 5 OPTION (FORCE ORDER)",
            "S | 1",
            "S | 1",
        ),
        ("SELECT * FROM k WHERE c = 3", "", "S | 3"),
        ("SELECT * FROM h WHERE c = 3", "", "S | 3"),
        (
            "DECLARE x CURSOR LOCAL STATIC FOR SELECT a FROM k WITH (UPDLOCK) WHERE c = 3; OPEN x",
            "U | 1",
            "U | 3",
        ),
        (
            "DECLARE x CURSOR LOCAL FOR SELECT a FROM k WITH (UPDLOCK) WHERE c = 3; OPEN x; FETCH x",
            "U | 1",
            "U | 3",
        ),
        ("SELECT * FROM k WHERE c = 3; UPDATE k SET c = 9 WHERE c = 3", "X | 1", "S | 2\nX | 1"),
        (
            "SELECT * FROM k WHERE c = 3; UPDATE k SET c = s.b FROM k JOIN s ON s.a = k.c",
            "X | 1",
            "S | 3\nX | 1",
        ),
        (
            "SELECT * FROM h WITH (REPEATABLEREAD) WHERE c > 0; UPDATE h SET c = 9 WHERE c = 3",
            "S | 2\nX | 1",
            "S | 2\nX | 1",
        ),
        // What was locked before stays.
        (
            "SELECT * FROM k WITH (UPDLOCK) WHERE c < 3; UPDATE k SET c = 9 WHERE c = 3",
            "U | 2\nX | 1",
            "U | 2\nX | 1",
        ),
        (
            "SELECT * FROM k WITH (UPDLOCK) WHERE c < 3; UPDATE k SET c = s.b FROM k JOIN s ON s.a = k.c",
            "U | 2\nX | 1",
            "",
        ),
    ];
    let mut wrong = Vec::new();
    for (sql, committed, repeatable) in statements {
        for (level, expected) in [("COMMITTED", committed), ("UNCOMMITTED", committed)] {
            // NOLOCK's level reads without S, and changes as READ COMMITTED does.
            one.ok(&format!("SET TRANSACTION ISOLATION LEVEL READ {level}; BEGIN TRAN"));
            one.run(sql);
            let left = locks(&mut watcher, session);
            if left != expected {
                wrong.push(format!("{level}: {sql}: {left}"));
            }
            one.ok("ROLLBACK");
        }
        if repeatable.is_empty() {
            continue;
        }
        one.ok("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; BEGIN TRAN");
        one.run(sql);
        let left = locks(&mut watcher, session);
        if left != repeatable {
            wrong.push(format!("REPEATABLE READ: {sql}: {left}"));
        }
        one.ok("ROLLBACK");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_row_that_one_statement_has_let_go_is_anothers() {
    let world = World::new();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.ok(TABLES);
    two.ok("SET LOCK_TIMEOUT 0");
    one.ok("BEGIN TRAN; UPDATE k SET c = 9 WHERE c = 3");
    two.ok("UPDATE k SET c = 8 WHERE a = 1; DELETE k WHERE a = 2");
    assert!(two.rows("UPDATE k SET c = 8 WHERE a = 3").starts_with("Msg 1222,"));
    one.ok("COMMIT");
    assert_eq!(two.rows("SELECT a, c FROM k"), "1 | 8\n3 | 9");
}

/// The usual upsert, in many sessions at once: nobody reads what another is about to change, and nobody is a victim.
#[test]
fn updlock_with_holdlock_keeps_the_update_lock() {
    let world = World::new();
    let mut one = world.connect();
    one.ok("CREATE TABLE u (a int PRIMARY KEY, n int)");
    const ROUNDS: u32 = 12;
    let upserts = [
        "BEGIN TRAN
         IF EXISTS (SELECT * FROM u WITH (UPDLOCK, HOLDLOCK) WHERE a = @a) UPDATE u SET n = n + 1 WHERE a = @a
         ELSE INSERT u VALUES (@a, 1)
         COMMIT",
        "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRAN
         UPDATE u WITH (UPDLOCK, SERIALIZABLE) SET n = n + 1 WHERE a = @a
         IF @@ROWCOUNT = 0 INSERT u VALUES (@a, 1)
         COMMIT",
        "MERGE u WITH (HOLDLOCK) USING (SELECT @a) s (a) ON s.a = u.a
         WHEN MATCHED THEN UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT VALUES (a, 1);",
        "INSERT u SELECT @a, 0 WHERE NOT EXISTS (SELECT * FROM u WITH (UPDLOCK, HOLDLOCK) WHERE a = @a)
         UPDATE u SET n = n + 1 WHERE a = @a",
    ];
    for upsert in upserts {
        one.ok("DELETE u");
        let threads: Vec<_> = (0..16)
            .map(|_| {
                let mut client = world.connect();
                std::thread::spawn(move || {
                    for round in 0..ROUNDS {
                        let said = client.rows(&format!("DECLARE @a int = {round} {upsert}"));
                        assert_eq!(said, "", "{upsert}");
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
        let counted = one.rows("SELECT COUNT(*), MIN(n), MAX(n) FROM u");
        assert_eq!(counted, format!("{ROUNDS} | 16 | 16"), "{upsert}");
    }
}

/// A row's lock holds others up at that row alone; the gap before the next key is locked where there was no row.
#[test]
fn a_held_range_is_locked_for_update() {
    let world = World::new();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.ok(TABLES);
    one.ok("INSERT k VALUES (9, 9, 9)");
    two.ok("SET LOCK_TIMEOUT 0");
    let blocked = |two: &mut Client, sql: &str| two.rows(sql).starts_with("Msg 1222,");
    let held = "SELECT * FROM k WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE a = ";
    one.ok("BEGIN TRAN");
    one.rows(&format!("{held}2"));
    assert_eq!(two.rows("SELECT COUNT(*) FROM k"), "4");
    assert!(blocked(&mut two, &format!("{held}2")));
    assert_eq!(two.rows(&format!("{held}1")), "1 | 1 | 1");
    let past = "SELECT a FROM k WITH (UPDLOCK, ROWLOCK, READPAST) WHERE a IN (1, 2)";
    assert_eq!(two.rows(past), "1");
    two.ok("INSERT k VALUES (4, 4, 4); UPDATE k SET c = 7 WHERE a = 1; DELETE k WHERE a = 4");
    one.ok("UPDATE k SET c = 5 WHERE a = 2; COMMIT");
    // A target that is held so: its other rows can be read and changed.
    one.ok("BEGIN TRAN; UPDATE k WITH (HOLDLOCK) SET c = 6 WHERE a = 2");
    assert_eq!(two.rows("SELECT c FROM k WHERE a = 1"), "7");
    assert!(blocked(&mut two, "SELECT c FROM k WHERE a = 2"));
    two.ok("INSERT k VALUES (5, 5, 5); DELETE k WHERE a = 5");
    one.ok("ROLLBACK");
    // There is no row: nobody puts one before the next key, who reads so waits there.
    one.ok("BEGIN TRAN");
    assert_eq!(one.rows(&format!("{held}6")), "");
    assert!(blocked(&mut two, "INSERT k VALUES (7, 7, 7)"));
    assert!(blocked(&mut two, &format!("{held}7")));
    two.ok("INSERT k VALUES (10, 1, 1); DELETE k WHERE a = 10; UPDATE k SET c = 1 WHERE a = 3");
    assert_eq!(two.rows("SELECT a FROM k WHERE a = 9"), "9");
    one.ok("INSERT k VALUES (6, 6, 6); COMMIT");
    assert_eq!(two.rows(&format!("{held}6")), "6 | 6 | 6");
}

/// SERIALIZABLE without hints: where a change has found no row, nobody puts one.
#[test]
fn a_serializable_change_sees_no_phantoms() {
    let world = World::new();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.ok(TABLES);
    two.ok("SET LOCK_TIMEOUT 0");
    one.ok("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    // Whether a row that is moved to where another index would find it is kept away: not where the clustered index was sought in.
    for (sql, moves) in [
        ("UPDATE k SET c = 9 WHERE a = 4", true),
        ("UPDATE k SET c = 9 FROM k WITH (INDEX (ib)) WHERE b = 4", false),
        ("DELETE k WHERE c = 4", false),
        ("DELETE k FROM k JOIN s ON s.b = k.c", false),
        ("WITH x AS (SELECT * FROM k WHERE a > 3) UPDATE x SET c = 0", true),
        ("SELECT * FROM k WHERE a = 4", true),
        ("SELECT a FROM k WITH (INDEX (ib)) WHERE b = 4", false),
    ] {
        one.ok("BEGIN TRAN");
        one.run(sql);
        let put = two.rows("INSERT k VALUES (4, 4, 4)");
        assert!(put.starts_with("Msg 1222,"), "{sql}: {put}");
        let moved = two.rows("BEGIN TRAN; UPDATE k SET b = 4 WHERE a = 1");
        two.ok("ROLLBACK");
        assert_eq!(moved.is_empty(), moves, "{sql}: {moved}");
        assert_eq!(two.rows("SELECT a FROM k WHERE a = 1"), "1", "{sql}");
        one.ok("ROLLBACK");
    }
    // New rows are in nobody's way but a reader's whose range they are in.
    one.ok("BEGIN TRAN; INSERT k VALUES (4, 4, 4)");
    two.ok("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; INSERT k VALUES (5, 5, 5)");
    one.ok("ROLLBACK");
    // A heap has no keys.
    one.ok("BEGIN TRAN");
    one.run("UPDATE h SET c = 9 WHERE a = 4");
    assert!(two.rows("INSERT h VALUES (9, 9, 9)").starts_with("Msg 1222,"));
    assert_eq!(
        two.rows("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT COUNT(*) FROM h"),
        "3"
    );
    one.ok("ROLLBACK");
}

/// Serializable sessions count up the same rows in the same order: nobody is a victim of a change that begins with the change.
#[test]
fn serializable_changes_wait_for_one_another() {
    let world = World::new();
    let mut one = world.connect();
    one.ok("CREATE TABLE u (a int PRIMARY KEY, n int); INSERT u VALUES (1, 0), (2, 0)");
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let mut client = world.connect();
            std::thread::spawn(move || {
                client.ok("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
                for _ in 0..20 {
                    client.ok("BEGIN TRAN; UPDATE u SET n = n + 1 WHERE a = 1
                        UPDATE u SET n = n + 1 WHERE a = 2; COMMIT");
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
    assert_eq!(one.rows("SELECT a, n FROM u"), "1 | 80\n2 | 80");
}

#[test]
fn nowait_is_told_at_once() {
    let world = World::new();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.ok(TABLES);
    one.ok("BEGIN TRAN; UPDATE k SET c = 9 WHERE a = 2; UPDATE h SET c = 9 WHERE a = 2");
    // Who waits after all is told the same in the end.
    two.ok("SET LOCK_TIMEOUT 60000");
    let begun = Instant::now();
    for sql in [
        "SELECT * FROM k WITH (NOWAIT)",
        "SELECT * FROM k (NOWAIT) WHERE a = 2",
        "SELECT c FROM k WITH (NOWAIT) WHERE b = 2",
        "SELECT * FROM h WITH (NOWAIT)",
        "UPDATE k WITH (NOWAIT) SET c = 7 WHERE a = 2",
        "DELETE h WITH (NOWAIT)",
    ] {
        let said = two.rows(sql);
        assert!(said.contains("Msg 1222,"), "{sql}: {said}");
    }
    assert_eq!(two.rows("SELECT c FROM k WITH (NOWAIT) WHERE a = 1"), "1");
    one.ok("COMMIT; BEGIN TRAN; SELECT * INTO was FROM k WITH (TABLOCKX)");
    assert!(two.rows("SELECT * FROM k WITH (NOWAIT)").starts_with("Msg 1222,"));
    assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
}

#[test]
fn readpast_passes_over_what_others_have_locked() {
    let world = World::new();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.ok(TABLES);
    two.ok("SET LOCK_TIMEOUT 0");
    one.ok("BEGIN TRAN; UPDATE k SET c = 9 WHERE a = 2; UPDATE h SET c = 9 WHERE a = 2");
    one.ok("INSERT k VALUES (4, 4, 4); DELETE k WHERE a = 3");
    for (sql, expected) in [
        ("SELECT a FROM k WITH (READPAST)", "1"),
        ("SELECT a FROM k (READPAST) ORDER BY a DESC", "1"),
        ("SELECT a FROM k WITH (READPAST) WHERE b BETWEEN 1 AND 4", "1"),
        ("SELECT a, c FROM k WITH (READPAST) WHERE b BETWEEN 1 AND 4", "1 | 1"),
        ("SELECT a FROM k WITH (READPAST, UPDLOCK, ROWLOCK) WHERE b > 1", ""),
        ("SELECT a FROM k WITH (READPAST) WHERE a = 2", ""),
        ("SELECT a FROM h WITH (READPAST) ORDER BY a", "1\n3"),
        ("SELECT a FROM h WITH (READPAST, REPEATABLEREAD) ORDER BY a", "1\n3"),
        ("SELECT COUNT(*) FROM h x WITH (READPAST) JOIN k y WITH (READPAST) ON x.a = y.a", "1"),
        ("UPDATE h WITH (READPAST) SET c = c + 1; SELECT @@ROWCOUNT", "2"),
        ("DELETE TOP (1) FROM k WITH (READPAST, ROWLOCK) OUTPUT deleted.a", "1"),
        ("DELETE k WITH (READPAST); SELECT @@ROWCOUNT", "0"),
        ("SELECT COUNT(*) FROM sys.objects WITH (READPAST) WHERE name = 'h'", "1"),
    ] {
        assert_eq!(two.rows(sql), expected, "{sql}");
    }
    // U locks: a reader is not kept out, another who means to write is.
    one.ok("COMMIT; BEGIN TRAN");
    one.rows("SELECT * FROM h WITH (UPDLOCK) WHERE a = 1");
    assert_eq!(two.rows("SELECT COUNT(*) FROM h WITH (READPAST)"), "3");
    assert_eq!(two.rows("SELECT COUNT(*) FROM h WITH (READPAST, UPDLOCK)"), "2");
    one.ok("COMMIT");
    // A table that is locked as a whole is waited for.
    one.ok("BEGIN TRAN; UPDATE h WITH (TABLOCKX) SET c = 0");
    assert!(two.rows("SELECT * FROM h WITH (READPAST)").starts_with("Msg 1222,"));
    one.ok("COMMIT");
    for level in ["READ UNCOMMITTED", "SERIALIZABLE"] {
        two.ok(&format!("SET TRANSACTION ISOLATION LEVEL {level}"));
        for sql in ["SELECT * FROM h WITH (READPAST)", "DELETE h WITH (READPAST)"] {
            assert!(two.rows(sql).starts_with("Msg 650, Level 16"), "{sql}");
        }
    }
    two.ok("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(two.rows("SELECT COUNT(*) FROM h WITH (READPAST)"), "3");
}

/// Workers take what is in a queue: each item once.
#[test]
fn a_queue_is_emptied_by_many() {
    let world = World::new();
    let mut one = world.connect();
    one.ok("CREATE TABLE q (id int IDENTITY PRIMARY KEY, state int); CREATE TABLE done (id int)");
    one.ok("INSERT q (state) SELECT 0 FROM GENERATE_SERIES(1, 60)");
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let mut client = world.connect();
            std::thread::spawn(move || {
                loop {
                    let said = client.rows(
                        "BEGIN TRAN; DECLARE @t TABLE (id int)
                        DELETE TOP (1) q WITH (ROWLOCK, READPAST) OUTPUT deleted.id INTO @t
                        INSERT done SELECT id FROM @t
                        COMMIT; SELECT COUNT(*) FROM q WITH (NOLOCK)",
                    );
                    if said == "0" {
                        break;
                    }
                    assert!(!said.contains("Msg"), "{said}");
                }
            })
        })
        .collect();
    workers.into_iter().for_each(|w| w.join().unwrap());
    assert_eq!(one.rows("SELECT COUNT(*), COUNT(DISTINCT id) FROM done"), "60 | 60");
}

#[test]
fn waiting_tasks_name_the_lock_that_they_wait_for() {
    let mut t = two("CREATE TABLE w (a int NOT NULL CONSTRAINT w_pk PRIMARY KEY, b int); \
        CREATE TABLE h (a int); INSERT w VALUES (1, 1); INSERT h VALUES (1)");
    let db = t.watcher.rows("SELECT DB_ID()");
    let object = t.watcher.rows("SELECT OBJECT_ID('w')");
    let hobt = t.watcher.rows(
        "SELECT hobt_id FROM sys.partitions WHERE object_id = OBJECT_ID('w') AND index_id = 1",
    );
    // What holds the lock, what waits for it and how, and what is told before and behind the lock's address.
    let all = [
        (
            "UPDATE w SET b = 2",
            "SELECT * FROM w",
            "LCK_M_S",
            format!("keylock hobtid={hobt} dbid={db} id=lock"),
            format!(" mode=X associatedObjectId={hobt}"),
        ),
        (
            "UPDATE w SET b = 2",
            "DROP TABLE w",
            "LCK_M_SCH_M",
            format!("objectlock lockPartition=0 objid={object} subresource=FULL dbid={db} id=lock"),
            format!(" mode=IX associatedObjectId={object}"),
        ),
        (
            "UPDATE h SET a = 2",
            "SELECT * FROM h",
            "LCK_M_S",
            "ridlock fileid=1 pageid=".to_owned(),
            " mode=X associatedObjectId=0".to_owned(),
        ),
        (
            "EXEC sp_getapplock 'app', 'Exclusive'",
            "BEGIN TRAN; EXEC sp_getapplock 'app', 'Shared'; ROLLBACK",
            "LCK_M_S",
            "applicationlock hash=".to_owned(),
            " mode=X associatedObjectId=0".to_owned(),
        ),
    ];
    for (holds, waits, wait, before, behind) in all {
        t.ddl.ok(&format!("BEGIN TRAN; {holds}"));
        let waiting = t.waits(waits, wait);
        // The lock's address is that of its request in sys.dm_tran_locks.
        let told = t.watcher.rows(&format!(
            "SELECT w.resource_description, l.request_status FROM sys.dm_os_waiting_tasks w
             JOIN sys.dm_tran_locks l ON l.lock_owner_address = w.resource_address
             WHERE w.session_id = {}",
            waiting.session
        ));
        t.ddl.ok("ROLLBACK");
        drop(waiting.end());
        let (lock, status) = told.split_once(" | ").expect("two columns");
        assert_eq!(status, "WAIT", "{waits}");
        assert!(lock.starts_with(&before) && lock.ends_with(&behind), "{waits}: {lock}");
    }
}

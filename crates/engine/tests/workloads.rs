//! Workloads that users run, whole: the insert loop, lazy commits, the customer table, wait statistics, VLF counts.

use crate::support;

use support::{Heard, World};
use taffrail_engine::{RpcCall, RpcParam, RpcProcedure};
use taffrail_types::{MaxLen, SqlType, Value};

/// After "Lazy Commit with Delayed Durability" (B. Singh): two procedures, one durable and one lazy.
#[test]
fn durable_and_lazy_commits() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("USE master\nIF DB_ID('MyDemoDB') IS NOT NULL BEGIN ALTER DATABASE [MyDemoDB] SET SINGLE_USER WITH \
        ROLLBACK IMMEDIATE DROP DATABASE [MyDemoDB] END");
    c.ok("CREATE DATABASE [MyDemoDB]");
    c.ok("ALTER DATABASE [MyDemoDB] SET RECOVERY FULL WITH NO_WAIT");
    c.ok("ALTER DATABASE [MyDemoDB] MODIFY FILE ( NAME = N'MyDemoDB', SIZE = 20MB )");
    c.ok("ALTER DATABASE [MyDemoDB] MODIFY FILE ( NAME = N'MyDemoDB_log', SIZE = 20MB )");
    let backup = c.rows("BACKUP DATABASE [MyDemoDB] to DISK = 'MyDemoDB.bak'");
    assert!(backup.contains("BACKUP DATABASE successfully processed"), "{backup}");
    c.ok("Use [MyDemoDB]");
    c.ok("create table DemoTable (col1 int identity primary key clustered, col2 varchar(100))");
    c.ok("USE [master]");
    c.ok("ALTER DATABASE [MyDemoDB] SET DELAYED_DURABILITY = ALLOWED WITH NO_WAIT");
    assert_eq!(
        c.rows("select [name], [delayed_durability], [delayed_durability_desc] from sys.databases where name = 'MyDemoDB'"),
        "MyDemoDB | 1 | ALLOWED"
    );
    c.ok("Use MyDemoDB");
    for (name, count, option) in
        [("Insert_DemoTable", 100, "OFF"), ("Insert_DemoTable_Delayed", 1000, "ON")]
    {
        c.ok(&format!(
            "Create Procedure {name} as begin SET NOCOUNT ON DECLARE @counter AS INT = 0 DECLARE @start datetime \
             Select @start = getdate() WHILE (@counter < {count}) BEGIN begin tran INSERT INTO DemoTable VALUES( @counter) \
             SET @counter = @counter + 1 commit with (delayed_durability = {option}) END \
             Select datediff(second, @start, getdate() ) end"
        ));
    }
    assert!(c.rows("EXEC Insert_DemoTable").parse::<i32>().is_ok());
    assert!(c.rows("Insert_DemoTable_Delayed").parse::<i32>().is_ok());
    c.ok("EXEC sys.sp_flush_log");
    assert_eq!(c.rows("SELECT COUNT(*), MAX(col1) FROM DemoTable"), "1100 | 1100");
    drop(c);
    let w = w.restart();
    assert_eq!(w.connect().rows("SELECT COUNT(*) FROM MyDemoDB.dbo.DemoTable"), "1100");
}

const CUSTOMER: &str = "CREATE TABLE customer (c_id int, c_d_id tinyint, c_w_id int, c_first char(16), c_middle char(2), \
    c_last char(16), c_street_1 char(20), c_street_2 char(20), c_city char(20), c_state char(2), c_zip char(9), \
    c_phone char(16), c_since datetime, c_credit char(2), c_credit_lim numeric(12,2), c_discount numeric(4,4), \
    c_balance numeric(12,2), c_ytd_payment numeric(12,2), c_payment_cnt smallint, c_delivery_cnt smallint, c_data char(500))";

/// After "Performance impact: a large number of virtual log files" (L. Shea): the TPC-C customer table.
#[test]
fn the_customer_table() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE v");
    c.ok("USE v");
    c.ok(CUSTOMER);
    c.ok("CREATE UNIQUE CLUSTERED INDEX ci_customer on customer(c_w_id, c_d_id, c_id)");
    c.ok("SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < 2000 BEGIN INSERT customer VALUES (@i % 300, @i / 300 % 10, \
          @i / 3000, 'first' + CONVERT(varchar, @i), 'OE', 'BAR', 'street', 'x', 'city', 'ST', '123456789', '0123456789012345', \
          '2026-01-01', 'GC', 50000, 0.1, -10, 10, 1, 0, REPLICATE('ABCDEFGHIJ', 50)) SET @i = @i + 1 END COMMIT");
    assert_eq!(
        c.run("SELECT * INTO customer_tmp FROM customer WHERE 1=2").lines().last(),
        Some("done 0xc2")
    );
    c.ok("SET NOCOUNT OFF");
    assert_eq!(c.run("INSERT customer_tmp SELECT * FROM customer"), "done 0xc3 rows=2000");
    assert_eq!(c.run("UPDATE customer SET c_data = lower(c_data)"), "done 0xc5 rows=2000");
    assert_eq!(
        c.rows("SELECT TOP 1 c_w_id, c_d_id, c_id, LEFT(c_data, 3), c_credit_lim, c_discount FROM customer"),
        "0 | 0 | 0 | abc | 50000.00 | 0.1000"
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM customer_tmp t JOIN customer k ON k.c_w_id = t.c_w_id AND k.c_d_id \
        = t.c_d_id AND k.c_id = t.c_id"), "2000");
    assert_eq!(
        c.rows("SELECT c_first FROM customer WHERE c_w_id = 0 AND c_d_id = 3 AND c_id = 7"),
        "first907         ".trim_end().to_string() + "        "
    );
    assert_eq!(c.run("DELETE FROM customer"), "done 0xc4 rows=2000");
    assert_eq!(c.rows("SELECT COUNT(*) FROM customer"), "0");
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM customer_tmp WHERE c_data = REPLICATE('abcdefghij', 50)"),
        "2000"
    );
}

/// The scripts in the comments there: VLFs of all databases, and the waits.
#[test]
fn vlf_counts_and_wait_statistics() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE #VLFS (recoveryunitid int,fileid int,filesize bigint,startoffset bigint,fseqno \
        bigint,status int,parity int,createlsn varchar(1000))\n\
          CREATE TABLE #Results (SRV_Name nvarchar(500),Database_Name nvarchar(500),VLFS INT)");
    c.ok("exec master.dbo.sp_msforeachdb @command1 = 'USE ? INSERT INTO #VLFS EXEC(''DBCC LOGINFO WITH TABLERESULTS'')', \
          @command2 = 'insert into #Results SELECT @@SERVERNAME,''?'',count(*) from #vlfs', @command3 = 'truncate table #vlfs'");
    let results = c.rows("SELECT Database_Name FROM #Results WHERE VLFS > 0 ORDER BY 1");
    assert_eq!(results, "master\nmodel\nmsdb\ntempdb");
    c.ok("drop table #vlfs\ndrop table #Results");
    c.ok("DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR)");
    c.ok("CREATE DATABASE x");
    c.ok("CREATE TABLE x.dbo.t (i int) INSERT x.dbo.t VALUES (1) INSERT x.dbo.t VALUES (2)");
    let waits = c.rows(
        "WITH Waits AS (SELECT wait_type, wait_time_ms / 1000. AS wait_time_s, 100. * wait_time_ms / SUM(wait_time_ms) OVER() AS pct, \
         ROW_NUMBER() OVER(ORDER BY wait_time_ms DESC) AS rn FROM sys.dm_os_wait_stats WHERE wait_type NOT IN( 'SLEEP_TASK', \
         'BROKER_TASK_STOP', 'SQLTRACE_BUFFER_FLUSH', 'CLR_AUTO_EVENT', 'CLR_MANUAL_EVENT', 'LAZYWRITER_SLEEP') AND wait_time_ms > 0) \
         SELECT W1.wait_type, CAST(W1.wait_time_s AS DECIMAL(12, 2)) AS wait_time_s, CAST(W1.pct AS DECIMAL(12, 2)) AS pct, \
         CAST(SUM(W2.pct) AS DECIMAL(12, 2)) AS running_pct FROM Waits AS W1 INNER JOIN Waits AS W2 ON W2.rn <= W1.rn \
         GROUP BY W1.rn, W1.wait_type, W1.wait_time_s, W1.pct HAVING SUM(W2.pct) - W1.pct < 95; -- percentage threshold",
    );
    assert!(!waits.contains("Msg "), "{waits}");
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM sys.dm_os_wait_stats WHERE wait_type = 'WRITELOG'"),
        "1"
    );
}

fn int(name: &str, v: i32) -> RpcParam {
    RpcParam {
        name: name.into(),
        by_ref: false,
        default: false,
        ty: SqlType::Int,
        value: Value::Int(v),
        table: None,
    }
}

fn text(v: &str) -> RpcParam {
    RpcParam {
        name: String::new(),
        by_ref: false,
        default: false,
        ty: SqlType::NVarChar(MaxLen::N(4000)),
        value: Value::nvarchar(v),
        table: None,
    }
}

#[test]
fn remote_calls_of_numbered_unnamed_and_unknown_procedures() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE PROCEDURE dbo.p @i int AS SELECT @i AS i");
    let mut call = |procedure: RpcProcedure, params: Vec<RpcParam>| {
        let mut heard = Heard::default();
        c.connection.execute_rpc(RpcCall { procedure, params }, &mut heard);
        heard.text()
    };
    let name = |text: &str| RpcProcedure::Name(text.into());
    let first = "[i int]\n7\ndone in proc 0xc1 rows=1\nstatus 0\ndone proc 0xe0";
    for spelling in ["p", "p;1", "dbo.p;1", "[dbo].[p];1", "dbo.p ; 1", "master.dbo.p;1"] {
        assert_eq!(call(name(spelling), vec![int("@i", 7)]), first, "{spelling}");
    }
    let text_of = "SELECT @p1 + 1";
    assert_eq!(
        call(name("sp_executesql;1"), vec![text(text_of), text("@p1 int"), int("@p1", 41)]),
        "[int]\n42\ndone in proc 0xc1 rows=1\nstatus 0\ndone proc 0xe0"
    );
    assert_eq!(call(name("sp_reset_connection;1"), vec![]), "env reset\nstatus 0\ndone proc 0xe0");
    for (spelling, shown) in [("p;2", "p"), ("dbo.p;0", "dbo.p"), ("dbo.nobody;1", "dbo.nobody")] {
        let said = call(name(spelling), vec![int("@i", 7)]);
        let want = format!(
            "Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure '{shown}'."
        );
        assert!(said.starts_with(&want), "{said}");
    }
    for nobody in [name(""), name("  "), name(";1"), RpcProcedure::Id(0), RpcProcedure::Id(99)] {
        let said = call(nobody, vec![]);
        assert!(said.starts_with("Msg 8004, Level 16, State 1, Line 1: "), "{said}");
    }
    // What sp_executesql must have.
    let said = call(RpcProcedure::Id(10), vec![]);
    assert!(said.starts_with("Msg 201, "), "{said}");
    let said = call(RpcProcedure::Id(10), vec![int("", 1)]);
    assert!(said.starts_with("Msg 214, "), "{said}");
    let said = call(RpcProcedure::Id(10), vec![text(text_of), text("@p1 int")]);
    assert!(said.starts_with("Msg 8178, "), "{said}");
    assert_eq!(call(name("p;1"), vec![int("@i", 7)]), first, "the session goes on");
    assert_eq!(c.rows("EXEC dbo.p;1 7"), "7");
    assert!(c.rows("EXEC dbo.p;2 7").starts_with("Msg 2812, "));
}

#[test]
fn remote_calls() {
    let w = World::new();
    let mut c = w.connect();
    let mut call = |procedure: RpcProcedure, params: Vec<RpcParam>| {
        let mut heard = Heard::default();
        c.connection.execute_rpc(RpcCall { procedure, params }, &mut heard);
        heard.text()
    };
    assert_eq!(
        call(RpcProcedure::Id(10), vec![text("SELECT @p1 + 1"), text("@p1 int"), int("@p1", 41)]),
        "[int]\n42\ndone in proc 0xc1 rows=1\nstatus 0\ndone proc 0xe0"
    );
    let handle = RpcParam { by_ref: true, value: Value::Null, ..int("", 0) };
    assert_eq!(
        call(RpcProcedure::Id(13), vec![handle, text("@a int"), text("SELECT @a"), int("", 5)]),
        "[int]\n5\ndone in proc 0xc1 rows=1\nstatus 0\nout 0  = 1\ndone proc 0xe0"
    );
    assert_eq!(
        call(RpcProcedure::Id(12), vec![int("", 1), int("", 6)]),
        "[int]\n6\ndone in proc 0xc1 rows=1\nstatus 0\ndone proc 0xe0"
    );
    assert_eq!(call(RpcProcedure::Id(15), vec![int("", 1)]), "status 0\ndone proc 0xe0");
    assert!(call(RpcProcedure::Id(12), vec![int("", 1), int("", 6)]).starts_with("Msg 8179"));
    let out = RpcParam { by_ref: true, value: Value::Null, ..int("@y", 0) };
    assert_eq!(
        call(
            RpcProcedure::Name("sp_executesql".into()),
            vec![text("SET @y = 9"), text("@y int output"), out]
        ),
        "done in proc 0xc1 rows=1\nstatus 0\nout 2 @y = 9\ndone proc 0xe0"
    );
    // What comes back is the client's variable, of its type, whatever the declaration says.
    call(
        RpcProcedure::Name("sp_executesql".into()),
        vec![text("EXEC ('CREATE PROCEDURE half @o decimal(9, 2) OUTPUT AS SET @o = @o / 2')")],
    );
    let given = RpcParam { by_ref: true, ..int("@o", 7) };
    assert_eq!(
        call(RpcProcedure::Name("half".into()), vec![given]),
        "done in proc 0xc1 rows=1\nstatus 0\nout 0 @o = 3\ndone proc 0xe0"
    );
    assert!(call(RpcProcedure::Name("[sys].[nothing]".into()), vec![]).starts_with("Msg 2812"));
}

/// An attention ends a running loop at once; the session goes on.
#[test]
fn a_loop_is_cancelled() {
    let w = World::new();
    let mut c = w.connect();
    let handle = c.connection.cancel_handle();
    let waiter = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        handle.cancel();
    });
    let begun = std::time::Instant::now();
    c.run("DECLARE @i int = 0 WHILE 1 = 1 SET @i = 1 - @i");
    assert!(c.connection.was_cancelled());
    assert!(begun.elapsed() < std::time::Duration::from_secs(5));
    waiter.join().unwrap();
    assert_eq!(c.rows("SELECT 1"), "1");
}

#[test]
fn two_sessions_see_only_what_is_committed() {
    let w = World::new();
    let mut a = w.connect();
    let mut b = w.connect();
    a.ok("CREATE DATABASE d");
    a.ok("CREATE TABLE d.dbo.t (id int PRIMARY KEY, v int) INSERT d.dbo.t VALUES (1, 1)");
    a.ok("BEGIN TRAN UPDATE d.dbo.t SET v = 2 WHERE id = 1");
    assert_eq!(
        b.rows("SET LOCK_TIMEOUT 50 SELECT v FROM d.dbo.t"),
        "Msg 1222, Level 16, State 51, Line 1: Lock request time out period exceeded."
    );
    assert_eq!(b.rows("SELECT v FROM d.dbo.t WITH (NOLOCK)"), "2");
    a.ok("ROLLBACK");
    assert_eq!(b.rows("SELECT v FROM d.dbo.t"), "1");
    // Prepared work notices that its table has changed.
    b.ok("SELECT * FROM d.dbo.t");
    a.ok("ALTER TABLE d.dbo.t ADD w int NULL");
    assert_eq!(b.rows("SELECT * FROM d.dbo.t"), "1 | 1 | NULL");
    a.ok("DROP TABLE d.dbo.t");
    assert!(b.rows("SELECT * FROM d.dbo.t").starts_with("Msg 208"));
}

/// Money moves between accounts from eight sessions; deadlock victims try again; the sum never changes.
#[test]
fn transfers_from_many_sessions_keep_the_sum() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("CREATE TABLE d.dbo.account (id int NOT NULL PRIMARY KEY, balance int NOT NULL, note varchar(20) NULL)");
    c.ok("CREATE INDEX ib ON d.dbo.account (balance)");
    c.ok("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 20 BEGIN INSERT d.dbo.account VALUES (@i, 100, NULL) SET @i += 1 END");
    let done: u32 = std::thread::scope(|s| {
        let workers: Vec<_> = (0..8u32)
            .map(|n| {
                let mut k = w.connect();
                s.spawn(move || {
                    let mut done = 0;
                    let mut seed = n * 7919 + 1;
                    let mut next = |most: u32| {
                        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (seed >> 8) % most
                    };
                    k.ok("USE d SET NOCOUNT ON");
                    for _ in 0..60 {
                        let (a, b, m) = (next(20), next(20), next(50));
                        let said = k.rows(&format!(
                            "BEGIN TRAN UPDATE account SET balance = balance - {m} WHERE id = {a} \
                             UPDATE account SET balance = balance + {m}, note = 'by {n}' WHERE id = {b} \
                             IF {m} % 7 = 0 ROLLBACK ELSE COMMIT"
                        ));
                        assert!(said.is_empty() || said.starts_with("Msg 1205"), "{said}");
                        done += said.is_empty() as u32;
                        if next(10) == 0 {
                            let sum = k.rows("SELECT SUM(balance), COUNT(*) FROM account WITH (TABLOCK)");
                            assert_eq!(sum, "2000 | 20");
                        }
                    }
                    done
                })
            })
            .collect();
        workers.into_iter().map(|w| w.join().expect("a worker")).sum()
    });
    assert!(done > 100, "{done} transfers");
    assert_eq!(c.rows("SELECT SUM(balance) FROM d.dbo.account"), "2000");
    // The index says the same as the table.
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM d.dbo.account a WHERE EXISTS (SELECT 1 FROM d.dbo.account b WHERE \
            b.balance = a.balance AND b.id = a.id)"),
        "20"
    );
}

#[test]
fn a_database_is_taken_from_its_users() {
    let w = World::new();
    let mut a = w.connect();
    let mut b = w.connect();
    a.ok("CREATE DATABASE d");
    b.ok("USE d");
    assert!(a.rows("DROP DATABASE d").starts_with("Msg 3702"));
    a.ok("ALTER DATABASE d SET SINGLE_USER WITH ROLLBACK IMMEDIATE DROP DATABASE d");
    let killed = "Msg 596, Level 21, State 1, Line 1: Cannot continue the execution because the session is in the kill state.\n\
                  done 0x0 error\nclosed";
    assert_eq!(b.run("SELECT 1"), killed);
    assert_eq!(a.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'd'"), "0");
    let mut c = w.connect();
    assert!(a.rows("KILL 9999").starts_with("Msg 6106"));
    let id = c.connection.session_id();
    a.ok(&format!("KILL {id}"));
    assert_eq!(c.run("SELECT 1"), killed);
}

//! `taffrail.undrop_table`: a table as it was, beside the present one, from backups and the log's tail.

use crate::support;

use support::{Client, World, numbers};

/// A database in FULL with a full backup.
fn with_chain() -> (World, Client) {
    let (world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL; BACKUP DATABASE d TO DISK = 'd.bak' WITH FORMAT");
    (world, c)
}

/// The row that an undrop answers with, after its messages.
fn undrop(c: &mut Client, arguments: &str) -> Vec<String> {
    let said = c.rows(&format!("EXEC msdb.taffrail.undrop_table N'd', {arguments}"));
    let last = said.lines().last().unwrap_or_default();
    let row: Vec<String> = last.split(" | ").map(str::to_owned).collect();
    assert_eq!(row.len(), 11, "{said}");
    row
}

/// The message that an undrop is refused with.
fn refused(c: &mut Client, database: &str, arguments: &str) -> String {
    let said = c.rows(&format!("EXEC msdb.taffrail.undrop_table N'{database}', {arguments}"));
    let error = said.lines().find(|l| l.contains("Msg 50000")).unwrap_or_else(|| panic!("{said}"));
    error.to_owned()
}

/// Neither a copy nor a file nor a row of msdb is left of it.
fn assert_nothing_is_left(world: &World, c: &mut Client) {
    let left = "SELECT (SELECT COUNT(*) FROM sys.databases WHERE name LIKE 'taffrail%')
        + (SELECT COUNT(*) FROM msdb.dbo.restorehistory) + (SELECT COUNT(*) FROM msdb.dbo.backupset WHERE name = 'taffrail_undrop')";
    assert_eq!(c.rows(left), "0");
    let mut files = Vec::new();
    for dir in [world.dir.clone(), world.dir.join("backup")] {
        files.extend(std::fs::read_dir(dir).unwrap().map(|f| f.unwrap().file_name()));
    }
    assert!(!files.iter().any(|f| f.to_string_lossy().contains("undrop")), "{files:?}");
}

/// The shape of a table by its catalogue: columns, then indexes, then constraints, without names.
const SHAPE: &str = "
    SELECT STRING_AGG(CONCAT(c.name, ' ', t.name, ' ', c.max_length, ' ', c.precision, ' ', c.scale, ' ', c.is_nullable, ' ',
            c.collation_name, ' ', c.is_identity, CONVERT(nvarchar(20), i.seed_value),
            CONVERT(nvarchar(20), i.increment_value), ' ', k.definition, ' ', d.definition), '; ')
            WITHIN GROUP (ORDER BY c.column_id)
        FROM sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id
            LEFT JOIN sys.identity_columns i ON i.object_id = c.object_id AND i.column_id = c.column_id
            LEFT JOIN sys.computed_columns k ON k.object_id = c.object_id AND k.column_id = c.column_id
            LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id
        WHERE c.object_id = OBJECT_ID('$t')
    SELECT STRING_AGG(CONCAT(i.type_desc, i.is_unique, i.is_primary_key, i.is_unique_constraint, i.fill_factor, i.filter_definition,
            z.columns), '; ') WITHIN GROUP (ORDER BY i.index_id)
        FROM sys.indexes i CROSS APPLY (SELECT STRING_AGG(CONCAT(COL_NAME(x.object_id, x.column_id), x.is_descending_key,
                x.is_included_column), ',') WITHIN GROUP (ORDER BY x.index_column_id) AS columns FROM sys.index_columns x
                WHERE x.object_id = i.object_id AND x.index_id = i.index_id) z
        WHERE i.object_id = OBJECT_ID('$t')
    SELECT STRING_AGG(CONCAT(k.definition, k.is_disabled, k.is_not_trusted), '; ') WITHIN GROUP (ORDER BY k.object_id)
        FROM sys.check_constraints k WHERE k.parent_object_id = OBJECT_ID('$t')
    SELECT id, kind, LEN(note), CHECKSUM(note), twice, price, HASHBYTES('MD5', note) FROM $t ORDER BY id";

fn shape(c: &mut Client, table: &str) -> String {
    c.rows(&SHAPE.replace("$t", table))
}

#[test]
fn a_dropped_table_comes_back_with_all_that_belongs_to_it() {
    let (world, mut c) = with_chain();
    c.ok("EXEC ('CREATE SCHEMA sales')");
    c.ok("CREATE TABLE sales.orders (id int IDENTITY(10, 5) NOT NULL CONSTRAINT pk_orders PRIMARY KEY,
            kind nvarchar(20) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT df_kind DEFAULT N'plain', note varchar(max) NULL,
            twice AS id * 2 PERSISTED, price decimal(9, 3) NULL CONSTRAINT ck_price CHECK (price > 0), v rowversion,
            CONSTRAINT uq_kind UNIQUE (kind, id DESC))");
    c.ok("CREATE INDEX ix_price ON sales.orders (price DESC) INCLUDE (kind) WHERE price > 5 WITH (FILLFACTOR = 80)");
    c.ok("CREATE TABLE other (a int PRIMARY KEY, b char(4000)); INSERT other SELECT value, 'b' FROM GENERATE_SERIES(1, 600)");
    c.ok("INSERT sales.orders (note, price)
            SELECT REPLICATE(CAST('n' AS varchar(max)), value * 1500), value FROM GENERATE_SERIES(1, 20)");
    c.ok("BACKUP LOG d TO DISK = 'd.trn'; UPDATE sales.orders SET kind = N'ödd' WHERE id % 2 = 1");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak' WITH DIFFERENTIAL");
    c.ok("DELETE sales.orders WHERE id BETWEEN 30 AND 45; BACKUP LOG d TO DISK = 'd.trn'");
    c.ok("INSERT sales.orders (kind, note, price) 
            VALUES (N'last', REPLICATE(CAST('z' AS varchar(max)), 100000), 7);
        DELETE sales.orders WHERE id = 100");
    let before = shape(&mut c, "sales.orders");
    assert!(numbers(&before).is_empty(), "{before}");
    c.ok("DROP TABLE sales.orders; CREATE TABLE sales.orders (other int)");
    // A drop that is rolled back is none, nor is that of a table whose name begins with this one's.
    c.ok("BEGIN TRAN; DROP TABLE sales.orders; ROLLBACK;
        CREATE TABLE sales.orders_2 (a int); DROP TABLE sales.orders_2");
    let row = undrop(&mut c, "N'sales.orders'");
    assert_eq!(row[..4], ["d", "sales.orders", "sales.orders_undropped", "NULL"], "{row:?}");
    assert_eq!(
        [&row[5], &row[6], &row[7], &row[9], &row[10]],
        ["16", "3", "4", "4", "NULL"],
        "{row:?}"
    );
    assert_eq!(shape(&mut c, "sales.orders_undropped"), before);
    let pages: u64 = row[8].parse().unwrap();
    assert!((10..450).contains(&pages), "{row:?}");
    c.ok("INSERT sales.orders_undropped (price) VALUES (1)");
    let next = c.rows("SELECT IIF(MAX(id) > 110, 'beyond', 'again') FROM sales.orders_undropped");
    assert_eq!(next, "beyond");
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM sys.columns WHERE object_id = OBJECT_ID('sales.orders')"),
        "1"
    );
    assert_eq!(c.rows("DBCC CHECKDB (d) WITH NO_INFOMSGS"), "");
    assert_nothing_is_left(&world, &mut c);
    // The chain goes on as if nothing had been.
    c.ok("BACKUP LOG d TO DISK = 'd.trn'");
}

#[test]
fn truncated_and_deleted_rows_come_back_beside_the_present_ones() {
    let (world, mut c) = with_chain();
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, v varchar(900), INDEX iv (v)); CREATE TABLE h (a int, b varchar(max))");
    c.ok("INSERT t SELECT CONCAT('v', value) FROM GENERATE_SERIES(1, 900);
        INSERT h SELECT value, REPLICATE(CAST('h' AS varchar(max)), 9000) FROM GENERATE_SERIES(1, 9)");
    c.ok("TRUNCATE TABLE t; INSERT t (v) VALUES ('new'); BACKUP LOG d TO DISK = 'd.trn'");
    let row = undrop(&mut c, "N't', @new_name = N'before_truncate'");
    assert_eq!(row[5], "900", "{row:?}");
    assert_eq!(
        c.rows("SELECT COUNT(*), COUNT(DISTINCT v), MAX(id) FROM before_truncate"),
        "900 | 900 | 900"
    );
    assert_eq!(c.rows("SELECT id, v FROM t"), "1 | new");
    // Somebody who changes the table and others at the moment.
    let mut other = world.connect_to("d");
    other.ok("BEGIN TRAN; UPDATE h SET b = 'open' WHERE a < 4; INSERT t (v) VALUES ('open');
        DELETE before_truncate WHERE id < 500; CREATE TABLE made (a int)");
    let moment =
        c.rows("WAITFOR DELAY '00:00:00.020'; SELECT CONVERT(varchar(30), SYSDATETIME(), 126)");
    c.ok("WAITFOR DELAY '00:00:00.020'");
    other.ok("COMMIT");
    c.ok("DELETE h; BACKUP LOG d TO DISK = 'd.trn'");
    let row = undrop(&mut c, &format!("N'dbo.h', '{moment}'"));
    assert_eq!(row[5], "9", "{row:?}");
    assert_eq!(
        c.rows("SELECT SUM(a), SUM(LEN(b)), MIN(b) FROM h_undropped"),
        format!("45 | 81000 | {}", "h".repeat(9000))
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM h"), "0");
    // By the LSN of a record, and of a moment behind all records.
    let lsn = c.rows(
        "SELECT MIN([Current LSN]) FROM sys.fn_dump_dblog(NULL, NULL, N'DISK', 2, N'd.trn')
            WHERE [Transaction Name] = 'DELETE'",
    );
    assert_eq!(undrop(&mut c, &format!("N'h', @lsn = N'0x{lsn}', @new_name = N'h3'"))[5], "9");
    c.ok("INSERT h VALUES (1, 'now')");
    let now =
        c.rows("WAITFOR DELAY '00:00:00.020'; SELECT CONVERT(varchar(30), SYSDATETIME(), 126)");
    assert_eq!(undrop(&mut c, &format!("N'h', '{now}', @new_name = N'h4'"))[5], "1");
    assert_eq!(c.rows("DBCC CHECKDB (d) WITH NO_INFOMSGS"), "");
    assert_nothing_is_left(&world, &mut c);
}

/// Of the truncations behind it one goes back to a savepoint, one with its transaction, and one finds no rows.
#[test]
fn a_truncation_inside_a_transaction_is_found() {
    let (_world, mut c) = with_chain();
    c.ok("CREATE TABLE t (a int, INDEX i (a)); INSERT t VALUES (1), (2)");
    c.ok("BEGIN TRAN; CREATE TABLE beside (a int); TRUNCATE TABLE t; COMMIT; TRUNCATE TABLE t; INSERT t VALUES (3)");
    c.ok("BEGIN TRAN; SAVE TRAN s; TRUNCATE TABLE t; ROLLBACK TRAN s; COMMIT");
    c.ok("BEGIN TRAN; TRUNCATE TABLE t; ROLLBACK");
    assert_eq!(undrop(&mut c, "N't'")[5], "2");
    assert_eq!(c.rows("SELECT a FROM t_undropped ORDER BY a"), "1\n2");
    assert_eq!(c.rows("SELECT a FROM t"), "3");
}

#[test]
fn names_that_are_taken_are_told() {
    let (_world, mut c) = with_chain();
    c.ok("CREATE TABLE t (a int CONSTRAINT pk PRIMARY KEY, b int CONSTRAINT ck CHECK (b > 0) CONSTRAINT df DEFAULT 3);
        INSERT t (a) VALUES (1), (2)");
    let moment =
        c.rows("WAITFOR DELAY '00:00:00.020'; SELECT CONVERT(varchar(30), SYSDATETIME(), 126)");
    c.ok("WAITFOR DELAY '00:00:00.020'; DELETE t");
    let row = undrop(&mut c, &format!("N't', '{moment}'"));
    assert_eq!((&*row[5], &*row[7]), ("2", "3"));
    let told: Vec<&str> =
        row[10].split(", ").map(|n| n.split("_undropped").next().unwrap()).collect();
    assert_eq!(told, ["ck is ck", "df is df", "pk is pk"]);
    assert_eq!(c.rows("SELECT b FROM t_undropped"), "3\n3");
}

/// Of a database with a collation of its own, by a name as it is written there; from a set with minimally logged work.
#[test]
fn a_table_of_another_collation_comes_back() {
    let (_world, mut c) = World::with_database();
    c.ok("CREATE DATABASE x COLLATE Latin1_General_100_CS_AS");
    c.ok("ALTER DATABASE x SET RECOVERY BULK_LOGGED; BACKUP DATABASE x TO DISK = 'x.bak'; USE x");
    c.ok("CREATE TABLE dbo.[Odd 'name]]x] (a int, v sql_variant, x xml, n ntext, CHECK (a > 0), INDEX i (a))");
    c.ok("INSERT dbo.[Odd 'name]]x] VALUES (1, CAST(5 AS tinyint), '<a/>', N'né'), (2, NULL, NULL, NULL)");
    c.ok("SELECT value AS a, REPLICATE('b', 500) AS b INTO bulky FROM GENERATE_SERIES(1, 1000)");
    c.ok("BACKUP LOG x TO DISK = 'x.trn'; DROP TABLE dbo.[Odd 'name]]x]; DROP TABLE bulky");
    c.ok("EXEC msdb.taffrail.undrop_table N'x', N'[Odd ''name]]x]', @new_name = N'odd'");
    let rows = "SELECT a, v, SQL_VARIANT_PROPERTY(v, 'BaseType'), CAST(x AS nvarchar(9)), n FROM odd ORDER BY a";
    assert_eq!(c.rows(rows), "1 | 5 | tinyint | <a/> | né\n2 | NULL | NULL | NULL | NULL");
    c.ok("EXEC msdb.taffrail.undrop_table N'x', N'bulky'");
    assert_eq!(c.rows("SELECT COUNT(*), SUM(LEN(b)) FROM bulky_undropped"), "1000 | 500000");
    let said = c.rows("EXEC msdb.taffrail.undrop_table N'x', N'BULKY', @new_name = N'big'");
    assert!(said.contains("no record of a drop or truncation of table 'dbo.BULKY'"), "{said}");
}

#[test]
fn what_cannot_come_back_is_refused_by_name() {
    let (world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a int); ALTER DATABASE d SET RECOVERY FULL");
    assert!(refused(&mut c, "d", "N't'").contains("no full backup of database 'd'"));
    c.ok("ALTER DATABASE d SET RECOVERY SIMPLE");
    assert!(refused(&mut c, "d", "N't'").contains("simple recovery model"));
    assert!(refused(&mut c, "nowhere", "N't'").contains("no user database 'nowhere'"));
    assert!(refused(&mut c, "master", "N't'").contains("no user database 'master'"));
    let early = c.rows("SELECT CONVERT(varchar(30), SYSDATETIME(), 126)");
    c.ok("ALTER DATABASE d SET RECOVERY FULL; WAITFOR DELAY '00:00:01'; BACKUP DATABASE d TO DISK = 'd.bak' WITH FORMAT");
    assert!(
        refused(&mut c, "d", "N't'").contains("no record of a drop or truncation of table 'dbo.t'")
    );
    assert!(refused(&mut c, "d", &format!("N't', '{early}'")).contains("No full backup"));
    assert!(refused(&mut c, "d", "N't', '9999-01-01'").contains("has not come yet"));
    c.ok("WAITFOR DELAY '00:00:00.020'");
    let now = c.rows("SELECT CONVERT(varchar(30), SYSDATETIME(), 126)");
    assert!(
        refused(&mut c, "d", &format!("N'missing', '{now}'"))
            .contains("There was no table 'dbo.missing'")
    );
    c.ok("CREATE TABLE t_undropped (a int)");
    assert!(refused(&mut c, "d", &format!("N't', '{now}'")).contains("give another @new_name"));
    assert!(
        refused(&mut c, "d", "N't', '2026-01-01', N'1:2:3'").contains("Give a moment or an LSN")
    );
    assert!(
        refused(&mut c, "d", "N't', @lsn = N'it''s', @new_name = N'n'")
            .contains("'it's' is no LSN")
    );
    let said = refused(&mut c, "d", "N't', @lsn = N'0x00000022:000000zz:0001', @new_name = N'n'");
    assert!(said.contains("'0x00000022:000000zz:0001' is no LSN"), "{said}");
    c.ok("BEGIN TRAN");
    assert!(refused(&mut c, "d", &format!("N't', '{now}'")).contains("within a transaction"));
    c.ok("ROLLBACK");
    assert_nothing_is_left(&world, &mut c);
}

/// The server ends while the copy and the tail are there: the next start removes them.
#[test]
fn what_an_undrop_leaves_is_removed_by_the_next_start() {
    let (world, mut c) = with_chain();
    c.ok("CREATE TABLE t (a int); INSERT t VALUES (1)");
    c.ok("BACKUP LOG d TO DISK = 'taffrail_undrop.trn' WITH COPY_ONLY, FORMAT, NAME = N'taffrail_undrop'");
    let restore = "RESTORE DATABASE taffrail_undrop FROM DISK = 'd.bak' WITH FILE = 1, HOBTS = N'',
        MOVE 'd' TO 'taffrail_undrop_1', MOVE 'd_log' TO 'taffrail_undrop_2'";
    for ending in [", NORECOVERY", ", RECOVERY"] {
        c.ok(&format!("{restore}{ending}; DROP DATABASE taffrail_undrop"));
    }
    c.ok(&format!("{restore}, NORECOVERY"));
    drop(c);
    let world = world.restart();
    let mut c = world.connect_to("d");
    assert_nothing_is_left(&world, &mut c);
    c.ok(restore);
    drop(c);
    let world = world.restart();
    let mut c = world.connect_to("d");
    assert_nothing_is_left(&world, &mut c);
    // A database of that name which is somebody's own stays.
    c.ok("CREATE DATABASE taffrail_undrop");
    assert!(refused(&mut c, "d", "N't'").contains("already exists"));
    drop(c);
    let world = world.restart();
    let mut c = world.connect();
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'taffrail_undrop'"), "1");
}

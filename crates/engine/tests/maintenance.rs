//! What the scripts of database administrators say: changes through queries, XML, files of backups, views of what is not there.

use crate::support;

use support::World;

#[test]
fn changes_go_through_common_table_expressions() {
    let w = World::new();
    let mut c = w.connect();
    c.run("CREATE TABLE t (id int PRIMARY KEY, g int, n int NULL, s varchar(10) NULL)");
    c.run("INSERT t VALUES (1, 1, NULL, 'a'), (2, 1, NULL, 'b'), (3, 2, NULL, 'c'), (4, 2, NULL, 'd')");
    // The order of rows into a column of their table variable, as maintenance scripts do.
    assert_eq!(
        c.rows(
            "DECLARE @d TABLE (ID int IDENTITY, Name nvarchar(10), [Order] int, Selected bit, PRIMARY KEY (Selected, ID))
             INSERT @d (Name, [Order], Selected) VALUES ('b', 0, 1), ('a', 0, 1), ('x', 0, 0);
             WITH d AS (SELECT Name, [Order], ROW_NUMBER() OVER (ORDER BY Name ASC) AS RowNumber FROM @d d WHERE Selected = 1)
             UPDATE d SET [Order] = RowNumber
             SELECT Name, [Order] FROM @d ORDER BY ID"
        ),
        "b | 2\na | 1\nx | 0"
    );
    c.run("WITH x AS (SELECT n, ROW_NUMBER() OVER (PARTITION BY g ORDER BY id DESC) AS r FROM t) UPDATE x SET n = r");
    assert_eq!(c.rows("SELECT id, n FROM t ORDER BY id"), "1 | 2\n2 | 1\n3 | 2\n4 | 1");
    // Columns by other names, += and a condition from outside.
    c.run("WITH x (a, b) AS (SELECT id, n FROM t) UPDATE x SET b += 10 WHERE a > 2");
    assert_eq!(c.rows("SELECT id, n FROM t ORDER BY id"), "1 | 2\n2 | 1\n3 | 12\n4 | 11");
    // Of a join, that table whose column is set.
    c.run("WITH x AS (SELECT t.s, u.v FROM t JOIN (VALUES (1, 'one'), (4, 'four')) u(id, v) ON t.id = u.id) UPDATE x SET s = v");
    assert_eq!(c.rows("SELECT s FROM t ORDER BY id"), "one\nb\nc\nfour");
    // A derived table, and an expression named in FROM and joined there.
    c.run("UPDATE d SET n = 0 FROM (SELECT n, g FROM t WHERE id < 3) AS d WHERE d.g = 1");
    c.run("WITH x AS (SELECT id, n FROM t) UPDATE q SET n = v.n FROM x AS q JOIN (VALUES (3, 33)) v(id, n) ON v.id = q.id");
    assert_eq!(c.rows("SELECT n FROM t ORDER BY id"), "0\n0\n33\n11");
    assert_eq!(
        c.rows("WITH x AS (SELECT TOP (1) * FROM t ORDER BY id DESC) DELETE x OUTPUT deleted.id, deleted.s"),
        "4 | four"
    );
    assert_eq!(
        c.rows(
            "WITH x AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY id) AS r FROM t)
             DELETE FROM x OUTPUT deleted.id WHERE r > 1"
        ),
        "2"
    );
    assert_eq!(c.rows("SELECT id FROM t ORDER BY id"), "1\n3");
}

#[test]
fn queries_that_cannot_be_changed_say_so() {
    let w = World::new();
    let mut c = w.connect();
    c.run("CREATE TABLE t (id int PRIMARY KEY, n int); CREATE TABLE u (id int)");
    for (statement, number) in [
        ("WITH x AS (SELECT id, n + 1 AS m FROM t) UPDATE x SET m = 1", 4406),
        ("WITH x AS (SELECT id, n FROM t) UPDATE x SET m = 1", 207),
        ("WITH x AS (SELECT n FROM t GROUP BY n) UPDATE x SET n = 1", 4403),
        ("WITH x AS (SELECT DISTINCT n FROM t) DELETE x", 4403),
        ("WITH x AS (SELECT COUNT(*) AS n FROM t) DELETE x", 4403),
        ("WITH x AS (SELECT t.n FROM t JOIN u ON t.id = u.id) DELETE x", 4405),
        ("WITH x AS (SELECT n FROM t UNION ALL SELECT id FROM u) DELETE x", 40510),
        ("WITH x AS (SELECT n FROM t), y AS (SELECT n FROM x) DELETE y", 40510),
        ("WITH x AS (SELECT n FROM t) DELETE x OUTPUT deleted.*", 40510),
    ] {
        let heard = c.rows(statement);
        assert!(heard.starts_with(&format!("Msg {number},")), "{statement}: {heard}");
    }
}

#[test]
fn rows_become_xml() {
    let w = World::new();
    let mut c = w.connect();
    // The extended information that maintenance scripts log.
    assert_eq!(
        c.rows(
            "DECLARE @x xml
             SET @x = (SELECT * FROM (SELECT '5' AS [PageCount], '3.5' AS Fragmentation) i FOR XML RAW('ExtendedInfo'), ELEMENTS)
             SELECT @x"
        ),
        "<ExtendedInfo><PageCount>5</PageCount><Fragmentation>3.5</Fragmentation></ExtendedInfo>"
    );
    c.run("CREATE TABLE t (id int, s varchar(10) NULL); INSERT t VALUES (1, 'a<\"'), (2, NULL)");
    assert_eq!(
        c.rows("SELECT id, s FROM t FOR XML RAW"),
        "<row id=\"1\" s=\"a&lt;&quot;\"/><row id=\"2\"/>"
    );
    assert_eq!(
        c.rows("SELECT id AS [@id], s FROM t FOR XML PATH('t'), ROOT('r')"),
        "<r><t id=\"1\"><s>a&lt;\"</s></t><t id=\"2\"/></r>"
    );
    assert_eq!(
        c.rows("SELECT 'SELECT 1 < 2' AS [processing-instruction(query)] FOR XML PATH('')"),
        "<?query SELECT 1 < 2?>"
    );
    // Lists of names: the text comes back as it was.
    assert_eq!(
        c.rows("SELECT STUFF((SELECT ',' + s FROM t FOR XML PATH(''), TYPE).value('.', 'nvarchar(max)'), 1, 1, '')"),
        "a<\""
    );
    assert_eq!(c.rows("SELECT (SELECT s + 'x' FROM t FOR XML PATH(''), TYPE).value('(./text())[1]', 'varchar(3)')"), "a<\"");
    // XML within XML is not escaped, through a derived table too.
    assert_eq!(
        c.rows("SELECT 1 AS a, d.x FROM (SELECT (SELECT id FROM t FOR XML PATH('i'), TYPE) AS x) d FOR XML PATH('o')"),
        "<o><a>1</a><x><i><id>1</id></i><i><id>2</id></i></x></o>"
    );
    for (statement, number) in [
        ("SELECT s, id AS [@id] FROM t FOR XML PATH", 6852),
        ("SELECT id AS [@id] FROM t FOR XML PATH('')", 6864),
        ("SELECT id + 1 FROM t FOR XML RAW", 6809),
        ("SELECT 1 AS id FOR XML AUTO", 6800),
    ] {
        let heard = c.rows(statement);
        assert!(heard.starts_with(&format!("Msg {number},")), "{statement}: {heard}");
    }
}

#[test]
fn xml_is_asked() {
    let w = World::new();
    let mut c = w.connect();
    c.run("CREATE TABLE t (id int, x xml NULL); INSERT t VALUES (1, '<e a=\"7\"><m>hi</m></e>'), (2, NULL)");
    assert_eq!(
        c.rows("SELECT id, x.value('(/e/@a)[1]', 'int'), t.x.value('(/e/m)[1]', 'varchar(10)'), x.exist('/e/n'), x.query('/e/m') FROM t"),
        "1 | 7 | hi | 0 | <m>hi</m>\n2 | NULL | NULL | NULL | NULL"
    );
    assert_eq!(
        c.rows("DECLARE @x xml = N'<a>1</a><a>2</a>' SELECT @x.value('(/a)[2]', 'bigint') + 1"),
        "3"
    );
    assert_eq!(c.rows("SELECT TRY_CONVERT(xml, '<a>'), TRY_CAST('<a/>' AS xml)"), "NULL | <a/>");
    assert_eq!(
        c.rows("SELECT ty.name, c.max_length FROM sys.columns c JOIN sys.types ty ON ty.user_type_id = \
            c.user_type_id WHERE c.object_id = OBJECT_ID('t') AND c.name = 'x'"),
        "xml | -1"
    );
    assert_eq!(c.rows("SELECT x.value('count(/e)', 'int') FROM t"), "1\nNULL");
    for (statement, number) in [
        ("SELECT x.value('/e/m', 'int') FROM t", 2389),
        ("SELECT x.value('(/e)[1]', 'nothing') FROM t", 243),
        ("DECLARE @p varchar(9) = '.' SELECT x.value(@p, 'int') FROM t", 8172),
        ("DECLARE @s nvarchar(max) = '<a/>' SELECT @s.value('.', 'int')", 258),
        ("SELECT x.nodes('/e') FROM t", 40510),
    ] {
        let heard = c.rows(statement);
        assert!(heard.starts_with(&format!("Msg {number},")), "{statement}: {heard}");
    }
}

#[test]
fn files_of_backups_are_looked_after() {
    let w = World::new();
    let mut c = w.connect();
    c.run("CREATE DATABASE d");
    let exists = |path: &str| format!("EXEC master.dbo.xp_fileexist '{path}'");
    assert_eq!(c.rows(&exists("srv/d")), "0 | 0 | 0");
    assert_eq!(
        c.rows("DECLARE @r int EXEC @r = master.dbo.xp_create_subdir N'srv/d/FULL' SELECT @r"),
        "0"
    );
    assert_eq!(c.rows(&exists("srv/d/")), "0 | 1 | 1");
    c.run("BACKUP DATABASE d TO DISK = 'srv/d/FULL/a.bak'");
    assert_eq!(c.rows(&exists("srv/d/FULL/a.bak")), "1 | 0 | 1");
    // What differential backups are based on is seen at the data file.
    let based = "SELECT f.type, CASE WHEN f.differential_base_lsn = s.first_lsn THEN 'base' END, \
        CASE WHEN f.differential_base_guid = s.backup_set_uuid THEN 'set' END \
        FROM sys.master_files f CROSS JOIN (SELECT * FROM msdb.dbo.backupset WHERE database_name = 'd') s \
        WHERE f.database_id = DB_ID('d') ORDER BY f.file_id";
    assert_eq!(c.rows(based), "0 | base | set\n1 | NULL | NULL");
    assert_eq!(
        c.rows("DECLARE @e int EXEC xp_fileexist 'srv/d/FULL/a.bak', @e OUTPUT SELECT @e"),
        "1"
    );
    assert_eq!(
        c.rows("EXEC master.sys.xp_dirtree 'srv', 0, 1"),
        "d | 1 | 0\nFULL | 2 | 0\na.bak | 3 | 1"
    );
    assert_eq!(c.rows("EXEC master.sys.xp_dirtree 'srv', 1"), "d | 1");
    // A directory of Windows' stands for the one that the files go to.
    assert_eq!(c.rows(&exists("D:\\Backup")), "0 | 1 | 1");
    assert_eq!(c.rows(&exists("D:\\Backup\\none.bak")), "0 | 0 | 1");
    // What is older than yesterday, of another extension, or no backup stays.
    c.run("EXEC xp_delete_file 0, 'srv/d/FULL', 'bak', '2000-01-01'");
    c.run("EXEC xp_delete_file 0, 'srv/d/FULL', 'trn', '2100-01-01'");
    assert_eq!(c.rows(&exists("srv/d/FULL/a.bak")), "1 | 0 | 1");
    c.run("EXEC xp_delete_file 0, 'srv', 'bak', '2100-01-01T00:00:00', 1");
    assert_eq!(c.rows(&exists("srv/d/FULL/a.bak")), "0 | 0 | 1");
    for (statement, number) in [
        ("EXEC xp_delete_file 0, 'D:\\Backup', 'bak', '2100-01-01'", 40510),
        ("EXEC xp_delete_file 0, 'nowhere', 'bak', '2100-01-01'", 22048),
        ("EXEC xp_create_subdir '/etc/taffrail'", 22048),
        ("EXEC xp_create_subdir '../x'", 22048),
    ] {
        let heard = c.rows(statement);
        assert!(heard.starts_with(&format!("Msg {number},")), "{statement}: {heard}");
    }
    assert_eq!(c.rows(&exists("/etc/passwd")), "0 | 0 | 0");
    let directory = "DECLARE @d nvarchar(4000)
        EXEC master.dbo.xp_instance_regread N'HKEY_LOCAL_MACHINE',
            N'SOFTWARE\\Microsoft\\MSSQLServer\\MSSQLServer', N'BackupDirectory', @d OUTPUT
        SELECT CASE WHEN @d = SERVERPROPERTY('InstanceDefaultBackupPath') THEN 'same' END";
    assert_eq!(c.rows(directory), "same");
}

#[test]
fn what_is_not_there_has_no_rows() {
    let w = World::new();
    let mut c = w.connect();
    assert_eq!(
        c.rows(
            "SELECT d.name FROM sys.databases d JOIN sys.availability_databases_cluster c ON d.group_database_id = c.group_database_id
             JOIN sys.availability_groups g ON c.group_id = g.group_id
             JOIN sys.dm_hadr_availability_replica_states s ON g.group_id = s.group_id AND d.replica_id = s.replica_id"
        ),
        ""
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM msdb.dbo.log_shipping_primary_databases"), "0");
    assert_eq!(
        c.rows("SELECT COUNT(*), SUM(reserved_page_count) FROM sys.dm_tran_version_store_space_usage WHERE database_id < 5"),
        "4 | 0"
    );
    c.run("CREATE TABLE t (id int CONSTRAINT k PRIMARY KEY)");
    assert_eq!(
        c.rows("SELECT s.name, p.rows, p.modification_counter FROM sys.stats s OUTER APPLY \
            sys.dm_db_stats_properties(s.object_id, s.stats_id) p WHERE s.object_id = OBJECT_ID('t')"),
        "k | NULL | NULL"
    );
    assert_eq!(
        c.rows(
            "SELECT status_desc, instant_file_initialization_enabled FROM sys.dm_server_services"
        ),
        "Running | Y"
    );
    assert_eq!(
        c.rows("SELECT name FROM sys.databases WHERE name = 'master' COLLATE DATABASE_DEFAULT"),
        "master"
    );
}

//! Rows that have no room in the memory of a request: statements give what they give where there is room.

use crate::support;

use support::{Client, World};

/// 20,000 customers and 30,000 orders, of which some know no customer.
fn fill(c: &mut Client) {
    c.ok("CREATE TABLE customer (id int NOT NULL PRIMARY KEY, name varchar(200) NOT NULL, city nvarchar(40), at datetime2(3),
        owed decimal(12, 2), note varchar(max))");
    c.ok("INSERT customer SELECT value, REPLICATE(CHAR(97 + value % 26), 20 + value % 70) + CAST(value * 7919 % 20011 AS varchar(9)),
        NULLIF(CONCAT(N'Städtchen ', value % 61), N'Städtchen 7'), DATEADD(minute, value * 31 % 9973, '2020-01-01'),
        value * 37 % 1009 / 4.0, CASE WHEN value % 5000 = 0 THEN REPLICATE(CAST('n' AS varchar(max)), 90000 + value) END
        FROM GENERATE_SERIES(1, 20000)");
    c.ok(
        "CREATE TABLE orders (id int NOT NULL PRIMARY KEY, customer int, item varchar(100), n int)",
    );
    c.ok("INSERT orders SELECT value, NULLIF(value * 7 % 23003, 11), CONCAT('item ', value % 97, REPLICATE('-', value % 60)),
        value % 13 FROM GENERATE_SERIES(1, 30000)");
}

/// Statements whose rows do not fit in two megabytes.
const STATEMENTS: &[&str] = &[
    // Sorts.
    "SELECT id, name, city, at, owed, LEN(note) FROM customer ORDER BY name, id",
    "SELECT id, city FROM customer ORDER BY city DESC, owed, id",
    "SELECT LEN(note), name FROM customer ORDER BY note DESC, id",
    "SELECT TOP (15000) id, name FROM customer ORDER BY name DESC, id",
    "SELECT TOP (50) PERCENT id, name FROM customer ORDER BY name, id",
    "SELECT id, name FROM customer ORDER BY name, id OFFSET 12345 ROWS FETCH NEXT 17 ROWS ONLY",
    "SELECT MAX(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY name DESC, id) AS n, at FROM customer) x WHERE at > '2020-01-02'",
    "SELECT id, ROW_NUMBER() OVER (PARTITION BY city ORDER BY name, id), RANK() OVER (PARTITION BY city ORDER BY owed) FROM
        customer ORDER BY id",
    "SELECT x.id, y.item FROM customer x INNER MERGE JOIN orders y ON y.customer = x.id ORDER BY x.name, y.id",
    // Groups.
    "SELECT name, COUNT(*), SUM(owed), MIN(at), MAX(city) FROM customer GROUP BY name ORDER BY name",
    "SELECT customer, COUNT(*), SUM(n), AVG(n), MIN(item), STDEV(n) FROM orders GROUP BY customer ORDER BY customer",
    "SELECT COUNT(*), SUM(c), MAX(l) FROM (SELECT COUNT(*) c, LEN(STRING_AGG(item, ',') WITHIN GROUP (ORDER BY n, id)) l
        FROM orders GROUP BY customer) x",
    "SELECT customer, STRING_AGG(item, ';') WITHIN GROUP (ORDER BY id DESC), COUNT(DISTINCT n) FROM orders GROUP BY customer
        ORDER BY customer",
    "SELECT customer, n, COUNT(*) FROM orders GROUP BY customer, n HAVING COUNT(*) >= 1 ORDER BY n, customer",
    // Different values, without groups.
    "SELECT COUNT(DISTINCT name), COUNT(*), SUM(owed), COUNT(DISTINCT city), MIN(id) FROM customer",
    "SELECT SUM(DISTINCT id), COUNT(DISTINCT LOWER(name) + 'x'), COUNT(DISTINCT note), MAX(DISTINCT name) FROM customer",
    "SELECT COUNT(DISTINCT CAST(o.id AS varchar(9)) + c.name), AVG(DISTINCT CAST(o.id AS bigint) + 100000 * v.n) FROM orders o
        JOIN customer c ON c.id = o.customer CROSS JOIN (VALUES (1), (2)) v (n)",
    // Different rows.
    "SELECT DISTINCT name, city FROM customer",
    "SELECT COUNT(*), MIN(name) FROM (SELECT DISTINCT name, owed FROM customer) x",
    "SELECT id, name FROM customer UNION SELECT customer, item FROM orders ORDER BY 1, 2",
    "SELECT name, id FROM customer EXCEPT SELECT name, id FROM customer WHERE id % 3 = 0 ORDER BY id",
    "SELECT name, owed FROM customer INTERSECT SELECT name, owed FROM customer WHERE id % 3 = 0 ORDER BY name, owed",
    "SELECT customer FROM orders EXCEPT SELECT id FROM customer ORDER BY 1",
    // Joins: with the order of the left side, and without.
    "SELECT x.id, x.name, y.name FROM customer x INNER HASH JOIN customer y ON y.id = x.id",
    "SELECT COUNT(*), SUM(CAST(x.id AS bigint) * y.id), MAX(x.name + y.item) FROM orders y INNER HASH JOIN customer x ON x.id =
        y.customer",
    "SELECT y.id, x.name FROM orders y LEFT HASH JOIN customer x ON x.id = y.customer AND x.owed > y.n * 10",
    "SELECT x.id, y.item, y.id FROM customer x FULL HASH JOIN orders y ON x.id = y.customer AND y.n > 3 ORDER BY x.id, y.id",
    "SELECT x.id, y.item, y.id FROM customer x RIGHT HASH JOIN orders y ON x.id = y.customer ORDER BY y.id",
    "SELECT id FROM orders o WHERE EXISTS (SELECT * FROM customer c WHERE c.id = o.customer AND c.name > o.item) ORDER BY id
        OPTION (HASH JOIN)",
    "SELECT id FROM orders o WHERE NOT EXISTS (SELECT * FROM customer c WHERE c.id = o.customer AND c.name > o.item) ORDER BY
        id OPTION (HASH JOIN)",
    // All rows of the build side have one of three keys: no partition is smaller than a third.
    "SELECT COUNT(*), SUM(y.id) FROM customer x INNER HASH JOIN (SELECT id, item, customer % 3 AS k FROM orders) y ON y.k =
        x.id AND LEN(y.item) > 7",
    "SELECT x.id, COUNT(y.item) FROM customer x LEFT HASH JOIN (SELECT id, item, customer % 3 + 19998 AS k FROM orders) y ON
        y.k = x.id AND y.item > '' GROUP BY x.id HAVING x.id > 19990 ORDER BY x.id",
    // Several of them at once.
    "SELECT c.city, COUNT(*), SUM(o.n) FROM orders o INNER HASH JOIN customer c ON c.id = o.customer INNER HASH JOIN customer d
        ON d.name = c.name GROUP BY c.city ORDER BY COUNT(*) DESC, c.city",
    "SELECT TOP (20) x.name, x.n FROM (SELECT name, COUNT(*) n FROM (SELECT name, id FROM customer UNION SELECT item, id
        FROM orders) u GROUP BY name) x ORDER BY x.n DESC, x.name",
    // Rows that are kept to be read again.
    "SELECT COUNT(*), SUM(v.n) FROM (VALUES (1), (2), (3)) v (n) CROSS JOIN (SELECT DISTINCT name, id FROM customer) c WHERE
        c.id > v.n",
    "SELECT COUNT(*), SUM(v.n) FROM (VALUES (1), (2), (3)) v (n) INNER LOOP JOIN (SELECT name, MAX(id) AS id FROM customer
        GROUP BY name) c ON c.id > v.n",
];

/// Statements whose rows do not fit in six megabytes.
const WINDOWS: &[&str] = &[
    // Windows: of one partition, and of many.
    "SELECT id, SUM(owed) OVER (ORDER BY city, id ROWS BETWEEN 5 PRECEDING AND 3 FOLLOWING), LAG(name, 40) OVER (ORDER BY name, id)
        FROM customer ORDER BY id",
    "SELECT id, COUNT(*) OVER (), MAX(name) OVER (PARTITION BY city), FIRST_VALUE(name) OVER (PARTITION BY city ORDER BY at, id),
        SUM(owed) OVER (PARTITION BY city ORDER BY at), NTILE(7) OVER (PARTITION BY city ORDER BY id) FROM customer ORDER BY id",
    "SELECT id, LEAD(id, 3, -1) OVER (PARTITION BY owed ORDER BY name), DENSE_RANK() OVER (ORDER BY owed DESC),
        COUNT(*) OVER (ORDER BY owed RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM customer ORDER BY id",
];

fn small_and_large(mb: u64) -> ((World, Client), (World, Client)) {
    let mut both = (World::with_query_memory(Some(mb)), World::with_query_memory(Some(512)));
    fill(&mut both.0.1);
    fill(&mut both.1.1);
    both
}

fn internal_pages(c: &mut Client) -> [i64; 2] {
    let said = c.rows(
        "SELECT internal_objects_alloc_page_count, internal_objects_dealloc_page_count FROM
        sys.dm_db_session_space_usage WHERE session_id = @@SPID",
    );
    let (taken, given) = said.split_once(" | ").expect("two columns");
    [taken, given].map(|n| n.parse().expect("a number"))
}

/// Runs statements with so many megabytes and with memory enough.
fn compare(mb: u64, statements: &[&str]) {
    compare_after(mb, |_| {}, statements);
}

/// Runs statements so after both worlds are given more.
fn compare_after(mb: u64, more: fn(&mut Client), statements: &[&str]) {
    let ((_small, mut a), (_large, mut b)) = small_and_large(mb);
    more(&mut a);
    more(&mut b);
    let (mut wrong, mut in_memory) = (Vec::new(), Vec::new());
    for sql in statements {
        let [before, _] = internal_pages(&mut a);
        let (small, large) = (a.rows(sql), b.rows(sql));
        if small != large {
            let line = small.lines().zip(large.lines()).position(|(a, b)| a != b);
            let begins: String = small.chars().take(100).collect();
            let (s, l) = (small.lines().count(), large.lines().count());
            wrong.push(format!("{sql}\n  line {line:?} of {s}, {l}: {begins}"));
        }
        let [taken, given] = internal_pages(&mut a);
        if given != taken {
            wrong.push(format!("{sql}\n  pages {before} {taken} {given}"));
        }
        if taken == before {
            in_memory.push(sql);
        }
    }
    assert_eq!(internal_pages(&mut b), [0, 0]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        in_memory.len() * 4 <= statements.len(),
        "no rows of these went to files: {in_memory:?}"
    );
}

#[test]
fn statements_give_what_they_give_with_memory_enough() {
    compare(2, STATEMENTS);
}

#[test]
fn windows_give_what_they_give_with_memory_enough() {
    compare(6, WINDOWS);
}

/// Statements that keep rows until all of theirs are read or changed.
const KEPT: &[&str] = &[
    // Cursors that are copies, to and fro.
    "DECLARE c CURSOR LOCAL STATIC FOR SELECT id, name, city, owed FROM customer ORDER BY id; OPEN c; SELECT @@CURSOR_ROWS
        FETCH LAST FROM c; FETCH PRIOR FROM c; FETCH ABSOLUTE 7777 FROM c; FETCH RELATIVE -33 FROM c; FETCH NEXT FROM c
        FETCH FIRST FROM c; FETCH PRIOR FROM c; FETCH ABSOLUTE -2 FROM c; FETCH NEXT FROM c; FETCH NEXT FROM c; FETCH PRIOR FROM c",
    "DECLARE c CURSOR LOCAL SCROLL FOR SELECT note, id FROM customer WHERE id > 4000 ORDER BY id; OPEN c
        FETCH ABSOLUTE 1001 FROM c; FETCH LAST FROM c; FETCH ABSOLUTE 6001 FROM c",
    "DECLARE c CURSOR LOCAL STATIC FOR SELECT id FROM orders; DECLARE @id int, @n bigint = 0; OPEN c; FETCH NEXT FROM c INTO @id
        WHILE @@FETCH_STATUS = 0 BEGIN SET @n = @n * 3 % 1000003 + @id; FETCH NEXT FROM c INTO @id END SELECT @n",
    // OUTPUT.
    "INSERT copy (id, name, owed) OUTPUT inserted.* SELECT id, name, owed FROM customer",
    "INSERT copy (id, name, owed, n) OUTPUT inserted.n, inserted.id, inserted.name INTO copy (owed, id, name)
        SELECT id, name, owed, 3 FROM customer",
    "UPDATE customer SET owed = owed + 1, name = UPPER(name) OUTPUT inserted.id, deleted.name, inserted.owed, inserted.name",
    "DELETE orders OUTPUT deleted.* WHERE id % 3 <> 0",
    // INSERT of what the statement itself reads, and of what a text gives.
    "INSERT copy (id, name) SELECT id + 1, name FROM copy; SELECT COUNT(*), SUM(CAST(id AS bigint)) FROM copy",
    "INSERT copy (id, name, owed) EXEC ('SELECT id, name, owed FROM customer SELECT TOP (9000) n, CAST(item AS char(70)), 7 FROM orders')
        SELECT COUNT(*), SUM(CAST(id AS bigint)), SUM(LEN(name)), SUM(owed) FROM copy",
    "INSERT copy (id, name, owed) EXEC ('SELECT id, name, 10 / (id - 20000) FROM customer ORDER BY id')
        SELECT COUNT(*), SUM(CAST(id AS bigint)), SUM(LEN(name)), SUM(owed) FROM copy",
    // Rows of a function, read once and several times.
    "SELECT COUNT(*), SUM(CAST(f.id AS bigint)), MAX(f.name) FROM dbo.filled(20000) AS f",
    "SELECT v.n, COUNT(*), MIN(f.name) FROM (VALUES (1), (2), (3)) v (n) INNER LOOP JOIN dbo.filled(15000) AS f ON f.id > v.n GROUP BY v.n
        ORDER BY v.n",
];

/// Statements beside whose rows others are kept: of joins, and in triggers.
const KEPT_BESIDE: &[&str] = &[
    "INSERT copy (id, name) SELECT id, name FROM customer",
    "UPDATE c SET name = o.item, owed += o.n OUTPUT deleted.id, deleted.name, inserted.name, inserted.owed, o.id FROM customer AS c
        INNER HASH JOIN orders AS o ON o.customer = c.id AND o.id < 23000",
    "DELETE c OUTPUT deleted.name, o.item FROM copy AS c INNER HASH JOIN orders AS o ON o.id = c.id WHERE o.n > 1",
    // Rows that triggers read, some of which come in two parts.
    "UPDATE audited SET id = id + 1, n = 7; SELECT COUNT(*), SUM(a), SUM(b), MIN(x), MAX(y) FROM audit
        SELECT MIN(id), MAX(id) FROM audited",
    "UPDATE audited SET name = LOWER(name) + '.', n = n + 1; SELECT COUNT(*), SUM(a), SUM(b), MIN(x), MAX(y) FROM audit",
    "DELETE audited WHERE id % 8 <> 1; SELECT COUNT(*), SUM(a), SUM(b), MIN(x), MAX(y) FROM audit",
    "INSERT audited EXEC ('SELECT id + 100000, name, 3 FROM customer SELECT id + 200000, item, n FROM orders')
        SELECT COUNT(*), SUM(a), SUM(b), MIN(x), MAX(y) FROM audit",
    "UPDATE replaced SET name = name + '!' WHERE id < 15000; SELECT COUNT(*), SUM(a), SUM(b), MIN(x), MAX(y) FROM audit",
];

/// Tables with triggers, and a copy to fill.
fn more_tables(c: &mut Client) {
    c.ok("CREATE TABLE copy (id int, name varchar(300), owed decimal(12, 2), n int)");
    c.ok("CREATE TABLE audited (id int NOT NULL PRIMARY KEY, name varchar(300), n int)");
    c.ok("INSERT audited SELECT id, name, 0 FROM customer");
    c.ok("CREATE TABLE audit (a bigint, b bigint, x varchar(300), y varchar(300))");
    c.ok("CREATE TRIGGER tr ON audited AFTER INSERT, UPDATE, DELETE AS
        INSERT audit SELECT i.id, d.n, i.name, d.name FROM inserted AS i FULL JOIN deleted AS d ON d.id = i.id");
    c.ok("CREATE FUNCTION filled (@n int) RETURNS @r TABLE (id int, name varchar(300), c AS id * 2) AS BEGIN
        INSERT @r SELECT id, name FROM dbo.customer WHERE id <= @n RETURN END");
    c.ok("CREATE VIEW replaced AS SELECT id, name FROM customer");
    c.ok("CREATE TRIGGER tr_replaced ON replaced INSTEAD OF UPDATE AS
        INSERT audit SELECT i.id, d.id, i.name, d.name FROM inserted AS i JOIN deleted AS d ON d.id = i.id");
}

#[test]
fn rows_that_are_kept_to_a_statements_end_go_to_files() {
    compare_after(2, more_tables, KEPT);
    compare_after(5, more_tables, KEPT_BESIDE);
}

/// Nothing of the files has a name.
fn has_spilled_files(world: &World) -> bool {
    let names =
        std::fs::read_dir(world.dir.join("data")).or_else(|_| std::fs::read_dir(&world.dir));
    names.expect("a directory").flatten().any(|f| f.file_name().to_string_lossy().contains("spill"))
}

#[test]
fn rows_in_files_change_what_they_should_and_leave_nothing() {
    let ((small, mut a), (_large, mut b)) = small_and_large(2);
    let changes = [
        "UPDATE o SET item = c.name, n += 1 FROM orders o INNER HASH JOIN customer c ON c.id = o.customer WHERE c.owed > 247",
        "DELETE o FROM orders o LEFT HASH JOIN customer c ON c.name = o.item WHERE c.id IS NULL AND o.n > 4",
        "SELECT id, name, ROW_NUMBER() OVER (ORDER BY name, id) AS n INTO sorted FROM customer",
        "CREATE TABLE copy (id int, name varchar(300), m int)",
        "INSERT copy SELECT MIN(id), name, COUNT(*) FROM (SELECT id, name FROM customer UNION ALL SELECT id, item FROM orders)
        x GROUP BY name",
    ];
    let state = "SELECT COUNT(*), SUM(CAST(CHECKSUM(item) AS bigint)), SUM(CAST(n AS bigint)) FROM orders; SELECT COUNT_BIG(*),
        SUM(CAST(CHECKSUM(name) AS bigint)), SUM(CAST(m AS bigint)) FROM copy;
        SELECT COUNT(*), SUM(CAST(CHECKSUM(id, name, n) AS bigint)) FROM sorted";
    for sql in changes {
        let (said, expected) = (a.run(sql), b.run(sql));
        assert_eq!(said, expected, "{sql}");
    }
    assert_eq!(a.rows(state), b.rows(state));
    assert!(!has_spilled_files(&small));
}

/// An error at the last row, when others are in files: their blocks and the memory are free for the next statement.
#[test]
fn an_error_in_the_middle_gives_files_and_memory_back() {
    let (_small, mut c) = World::with_query_memory(Some(2));
    fill(&mut c);
    let failing = [
        "SELECT id, name FROM customer ORDER BY name, 10 / (id - 20000)",
        "SELECT name, 10 / (id - 20000) AS q, COUNT(*) FROM customer GROUP BY name, 10 / (id - 20000)",
        "SELECT name, SUM(10 / (id - 20000)) FROM customer GROUP BY name",
        "SELECT COUNT(*) FROM (SELECT DISTINCT name, 10 / (id - 20000) AS q FROM customer) x",
        "SELECT COUNT(*) FROM (SELECT name, id FROM customer EXCEPT SELECT name, 10 / (id - 20000) FROM customer) x",
        "SELECT COUNT(*), MAX(x.name + y.name) FROM customer x INNER HASH JOIN customer y ON y.id = x.id AND 10 / (y.id - 20000) < 9",
        "SELECT MAX(q) FROM (SELECT LEAD(10 / (id - 20000)) OVER (ORDER BY name, id) AS q, note FROM customer) x",
    ];
    for sql in failing {
        let [before, _] = internal_pages(&mut c);
        let said = c.rows(sql);
        assert!(said.contains("Msg 8134"), "{sql}: {said}");
        let [taken, given] = internal_pages(&mut c);
        assert!(taken > before && taken == given, "{sql}: {before} {taken} {given}");
        // There is as much memory as before: these rows need no file.
        let sort = "SELECT COUNT(*) FROM (SELECT TOP (4000) id FROM customer ORDER BY owed, id) x";
        assert_eq!(c.rows(sort), "4000");
        assert_eq!(internal_pages(&mut c), [taken, given], "after {sql}");
    }
}

/// A cursor goes on with its files from batch to batch; another session's statements have files of their own.
#[test]
fn a_cursor_keeps_its_files() {
    let ((small, mut a), (_large, mut b)) = small_and_large(2);
    let open = "DECLARE c CURSOR GLOBAL FORWARD_ONLY FOR SELECT name, id FROM customer ORDER BY name, id; OPEN c";
    for c in [&mut a, &mut b] {
        c.ok(open);
    }
    let mut other = small.connect_to("d");
    for n in 0..40 {
        assert_eq!(a.rows("FETCH NEXT FROM c"), b.rows("FETCH NEXT FROM c"), "row {n}");
        assert_eq!(other.rows("SELECT COUNT(DISTINCT id) FROM (SELECT DISTINCT name, id FROM customer) x WHERE id < 100"), "99");
    }
    a.ok("CLOSE c; DEALLOCATE c");
    let [taken, given] = internal_pages(&mut a);
    assert!(taken > 0 && taken == given, "{taken} {given}");
}

#[test]
fn sessions_of_events_hear_of_rows_in_files() {
    let ((_small, mut a), _) = small_and_large(2);
    a.ok("CREATE EVENT SESSION s ON SERVER ADD EVENT sqlserver.sort_warning, ADD EVENT sqlserver.hash_warning ADD TARGET
        package0.ring_buffer; ALTER EVENT SESSION s ON SERVER STATE = START");
    let told = "SELECT COUNT(*) FROM sys.dm_xe_sessions s JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address
        CROSS APPLY (SELECT CAST(t.target_data AS xml) x) d CROSS APPLY d.x.nodes('RingBufferTarget/event[@name=\"NAME\"]') e
        (v) WHERE s.name = 's'";
    let count = |a: &mut Client, name: &str| a.rows(&told.replace("NAME", name));
    a.ok("SELECT MAX(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY name) n FROM customer) x");
    assert_eq!([count(&mut a, "sort_warning"), count(&mut a, "hash_warning")], ["1", "0"]);
    a.ok("SELECT COUNT(*) FROM (SELECT DISTINCT name, id + 0 AS id FROM customer) x");
    assert_eq!(count(&mut a, "sort_warning"), "1");
    assert_ne!(count(&mut a, "hash_warning"), "0");
}

"""pymssql (FreeTDS DB-Library) against a running server: HOST PORT PASSWORD WORKLOADS."""
import datetime
import decimal
import pathlib
import re
import sys
import threading
import uuid

import pymssql

host, port, password, workloads = sys.argv[1:5]


def connect(**more):
    return pymssql.connect(server=host, port=port, user="sa", password=password, login_timeout=20, **more)


def check(name, got, expected):
    if got != expected:
        sys.exit(f"FAILED {name}: got {got!r}, expected {expected!r}")
    print("ok", name)


def run_script(cursor, name, **variables):
    """Runs a workload batch by batch; returns every result set."""
    text = (pathlib.Path(workloads) / name).read_text()
    for key, value in variables.items():
        text = text.replace(f"$({key})", str(value))
    results = []
    for batch in re.split(r"(?im)^\s*go\s*$", text):
        if not batch.strip():
            continue
        cursor.execute(batch)
        while True:
            if cursor.description is not None:
                results.append(cursor.fetchall())
            if not cursor.nextset():
                break
    return results


with connect(autocommit=True) as connection:
    cursor = connection.cursor()
    cursor.execute("SELECT 1")
    check("select 1", cursor.fetchall(), [(1,)])
    cursor.execute("SELECT %s, %d, %s", ("it's", 42, None))
    check("pasted parameters", cursor.fetchall(), [("it's", 42, None)])

    cursor.execute("CREATE DATABASE PymssqlTypes")
    cursor.execute("USE PymssqlTypes")
    cursor.execute("""CREATE TABLE t (
        i int NOT NULL PRIMARY KEY, b bit, ti tinyint, si smallint, bi bigint, de decimal(38,10), nu numeric(9,2),
        f float, vc varchar(20), nv nvarchar(20), ch char(5), nc nchar(5), vb varbinary(8), bn binary(4),
        dt datetime, d2 datetime2(7), d date, tm time(3), g uniqueidentifier, vmax varchar(max), nmax nvarchar(max))""")
    row = (1, True, 255, -32768, -(2**63), decimal.Decimal("-1234567890123456789012345678.0123456789"),
           decimal.Decimal("12345.67"), 1.5e300, "caf\u00e9", "\u4f60\u597d \U0001f600", "ab", "cd",
           b"\x00\x01\xff", b"\x01\x02", datetime.datetime(2026, 11, 21, 12, 34, 56, 997000),
           datetime.datetime(9999, 12, 31, 23, 59, 59, 999000), datetime.date(1, 1, 1), datetime.time(23, 59, 59, 999000),
           uuid.UUID("01234567-89ab-cdef-0123-456789abcdef"), "x" * 20000, "\u00df" * 9000)
    cursor.execute(f"INSERT t VALUES ({','.join(['%s'] * len(row))})", tuple(
        # Of bytes pymssql makes a text, which no binary column takes.
        bytearray(v) if isinstance(v, bytes) else str(v) if isinstance(v, uuid.UUID) else v.isoformat() if isinstance(v, (datetime.date, datetime.time)) and not isinstance(v, datetime.datetime) else v
        for v in row))
    check("rowcount", cursor.rowcount, 1)
    cursor.execute("SELECT * FROM t")
    got = cursor.fetchone()
    expected = list(row)
    expected[10], expected[11], expected[13] = "ab   ", "cd   ", b"\x01\x02\x00\x00"
    check("every type comes back", got, tuple(expected))
    cursor.execute("INSERT t (i) VALUES (2)")
    cursor.execute("SELECT * FROM t WHERE i = 2")
    check("every type as NULL", cursor.fetchone(), (2,) + (None,) * (len(row) - 1))

    try:
        cursor.execute("INSERT t (i) VALUES (2)")
        sys.exit("FAILED duplicate key: no error")
    except pymssql.IntegrityError as e:
        check("duplicate key is 2627", e.args[0], 2627)
    try:
        cursor.execute("SELECT nope FROM t")
        sys.exit("FAILED invalid column: no error")
    except pymssql.Error as e:
        check("invalid column is 207", e.args[0], 207)
    cursor.execute("SELECT COUNT(*) FROM t")
    check("session usable after errors", cursor.fetchone(), (2,))

    cursor.execute("""CREATE PROCEDURE p @a int, @b varchar(30) OUTPUT AS
        SET @b = 'got ' + CONVERT(varchar(10), @a); RETURN 7""")
    result = cursor.callproc("p", (5, pymssql.output(str, "")))
    check("procedure's output parameter", result[1], "got 5")
    check("procedure's return status", cursor.returnvalue, 7)
    cursor.execute("CREATE PROCEDURE r @a int AS SELECT @a AS a SELECT @a + 1 AS b")
    cursor.callproc("r", (5,))
    sets = [cursor.fetchall()]
    while cursor.nextset():
        sets.append(cursor.fetchall())
    check("procedure's results", sets, [[(5,)], [(6,)]])

with connect(database="PymssqlTypes") as connection:
    cursor = connection.cursor()
    cursor.execute("INSERT t (i) VALUES (3)")
    connection.rollback()
    cursor.execute("SELECT COUNT(*) FROM t")
    check("rollback", cursor.fetchone(), (2,))
    cursor.execute("INSERT t (i) VALUES (3)")
    connection.commit()
with connect(database="PymssqlTypes", autocommit=True) as connection:
    cursor = connection.cursor()
    cursor.execute("SELECT COUNT(*) FROM t")
    check("commit", cursor.fetchone(), (3,))
    # A result far larger than any buffer, abandoned half-way: the client sends an attention.
    cursor.execute("CREATE TABLE n (i int IDENTITY PRIMARY KEY, s char(200) NOT NULL DEFAULT 'x')")
    cursor.execute("SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < 20000 BEGIN INSERT n DEFAULT VALUES SET @i = @i + 1 END COMMIT")
    cursor.execute("SELECT a.i, a.s FROM n a INNER JOIN n b ON a.i = b.i ORDER BY a.i")
    check("first row of many", cursor.fetchone()[0], 1)
    cursor.close()
    cursor = connection.cursor()
    cursor.execute("SELECT COUNT(*), SUM(i) FROM n")
    check("after an abandoned result", cursor.fetchone(), (20000, 200010000))

try:
    pymssql.connect(server=host, port=port, user="sa", password="wrong", login_timeout=20)
    sys.exit("FAILED wrong password: let in")
except pymssql.OperationalError as e:
    check("wrong password is 18456", e.args[0][0] if isinstance(e.args[0], tuple) else e.args[0], 18456)

with connect(autocommit=True) as connection:
    cursor = connection.cursor()
    results = run_script(cursor, "while-loop.sql", rows=1000)
    check("while loop, autocommit", results[0], [(1000, 1, 1000)])
    check("while loop, one transaction", results[1], [(1000,)])
    check("while loop, rows", results[2], [
        (1, "Num:1000", "1000 bottles of beer on the wall"), (2, "Num:999", "999 bottles of beer on the wall"),
        (3, "Num:998", "998 bottles of beer on the wall")])
    check("while loop, waits", results[3], [("WRITELOG", "one per row")])
    check("while loop, counters", [r[0] for r in results[4]], [
        "Log Flush Wait Time", "Log Flush Waits/sec", "Log Flush Write Time (ms)", "Log Flushes/sec"])
with connect(autocommit=True) as connection:
    cursor = connection.cursor()
    results = run_script(cursor, "delayed-durability.sql")
    check("delayed durability, option", results[0], [("MyDemoDB", 1, "ALLOWED")])
    check("delayed durability, counts", results[-2], [(1100, 1, 1100)])
    check("delayed durability, rows", results[-1], [(1, "0"), (100, "99"), (1100, "999")])
with connect(autocommit=True) as connection:
    cursor = connection.cursor()
    results = run_script(cursor, "customer.sql", rows=3000)
    check("customer, loaded", results[0], [(3000,)])
    check("customer, space", (results[1][0][0], int(results[1][0][1])), ("customer", 3000))
    check("customer, copied", results[2], [(3000,)])
    check("customer, updated", results[3], [("data of a customer, with capitals.",)])
    check("customer, deleted", results[4], [(0,)])
    results = run_script(cursor, "wait-statistics.sql")
    names = dict(results[-1])
    check("VLFs of every database", {names.get(d) for d in ("master", "model", "msdb", "tempdb", "dbVLF")}, {"yes"})

errors = []


def insert_many(n):
    try:
        with connect(database="PymssqlTypes", autocommit=True) as connection:
            cursor = connection.cursor()
            for i in range(50):
                cursor.execute("INSERT t (i, vc) VALUES (%d, %s)", (1000 + n * 100 + i, f"client {n}"))
    except Exception as e:  # reported below, with the thread's number
        errors.append((n, e))


threads = [threading.Thread(target=insert_many, args=(n,)) for n in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check("eight clients at once", errors, [])
with connect(database="PymssqlTypes", autocommit=True) as connection:
    cursor = connection.cursor()
    cursor.execute("SELECT vc, COUNT(*) FROM t WHERE i >= 1000 GROUP BY vc ORDER BY vc")
    check("all their rows", cursor.fetchall(), [(f"client {n}", 50) for n in range(8)])

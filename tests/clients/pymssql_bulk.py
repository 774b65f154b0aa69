"""pymssql's bulk_copy (DB-Library's bcp calls) against a running server: HOST PORT PASSWORD WORKLOADS."""
import datetime
import decimal
import sys

import pymssql

host, port, password = sys.argv[1:4]


def check(name, got, expected):
    if got != expected:
        sys.exit(f"FAILED {name}: got {got!r}, expected {expected!r}")
    print("ok", name)


connection = pymssql.connect(server=host, port=port, user="sa", password=password, login_timeout=20, autocommit=True)
cursor = connection.cursor()
cursor.execute("CREATE DATABASE PymssqlBulk")
cursor.execute("USE PymssqlBulk")


def rows_of(sql):
    cursor.execute(sql)
    return cursor.fetchall()


cursor.execute("""CREATE TABLE t (i int NOT NULL, b bit, ti tinyint, si smallint, bi bigint, de decimal(20,4), f float, r real,
    vc varchar(20), nv nvarchar(20), ch char(5), vb varbinary(8), dt datetime, vmax varchar(max), nmax nvarchar(max))""")
N = 4000
def row(i):
    if i % 7 == 3:
        return (i,) + (None,) * 14
    return (i, i % 2 == 0, i % 256, i % 32768 - 16000, i * 10**12, decimal.Decimal(i) / 16, i / 4, i / 8, f"text {i}",
            f"\u4f60\u597d {i}", "abcde", bytes([i % 256, 255]), datetime.datetime(2026, 11, 21, 12, 34, 56) + datetime.timedelta(days=i),
            "x" * (i % 5000 + 1), "\u00fc" * (i % 3000 + 1))  # DB-Library sends an empty string as NULL
rows = [row(i) for i in range(N)]
connection.bulk_copy("t", rows, batch_size=1500, tablock=True, check_constraints=True)
got = rows_of("SELECT * FROM t ORDER BY i")
check("bulk_copy, rows", len(got), N)
for g, e in zip(got, rows):
    if tuple(g) != e:
        sys.exit(f"FAILED bulk_copy, row {e[0]}:\n got      {g!r}\n expected {e!r}")
check("bulk_copy, every value comes back", True, True)

cursor.execute("CREATE TABLE d (id int IDENTITY(10, 5) PRIMARY KEY, a int NOT NULL DEFAULT 7, s varchar(5) NULL DEFAULT 'dflt', u nvarchar(10))")
connection.bulk_copy("d", [(1, "one", "eins"), (2, None, None)], column_ids=[2, 3, 4])
check("defaults stand for NULLs, identity counts", rows_of("SELECT * FROM d ORDER BY id"), [(10, 1, "one", "eins"), (15, 2, "dflt", None)])

cursor.execute("CREATE TABLE k (id int NOT NULL CONSTRAINT pk PRIMARY KEY CONSTRAINT positive CHECK (id > 0), v int NOT NULL)")
for name, rows, number, options in [
    ("duplicate key", [(1, 1), (2, 2), (1, 3)], 2627, {}),
    ("check constraint", [(1, 1), (-1, 2)], 547, {"check_constraints": True}),
]:
    try:
        connection.bulk_copy("k", rows, **options)
        sys.exit(f"FAILED {name}: no error")
    except pymssql._mssql.MSSQLDatabaseException as e:
        check(f"{name} is {number}", e.number, number)
    connection.close()
    connection = pymssql.connect(server=host, port=port, user="sa", password=password, database="PymssqlBulk", autocommit=True)
    cursor = connection.cursor()
    check(f"nothing is left after {name}", rows_of("SELECT COUNT(*) FROM k"), [(0,)])
connection.bulk_copy("k", [(-5, 1)], check_constraints=False)
check("constraints are not looked at by default", rows_of("SELECT id FROM k"), [(-5,)])
cursor.execute("TRUNCATE TABLE k")

with pymssql.connect(server=host, port=port, user="sa", password=password, database="PymssqlBulk") as inside:
    c = inside.cursor()
    c.execute("SELECT 1")
    c.fetchall()
    inside.bulk_copy("k", [(i, i) for i in range(1, 1001)])
    c.execute("SELECT COUNT(*) FROM k")
    check("loaded inside the transaction", c.fetchone(), (1000,))
    inside.rollback()
check("and rolled back with it", rows_of("SELECT COUNT(*) FROM k"), [(0,)])
check("a last query", rows_of("SELECT 1"), [(1,)])

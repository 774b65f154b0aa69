"""mssql-python (Microsoft's ODBC driver, which its wheel carries) against a running server: HOST PORT PASSWORD WORKLOADS."""
import datetime
import decimal
import sys
import uuid

import mssql_python

host, port, password, _ = sys.argv[1:5]


def check(name, got, expected):
    if got != expected:
        sys.exit(f"FAILED {name}: got {got!r}, expected {expected!r}")
    print("ok", name)


def connect():
    return mssql_python.connect(
        f"Server={host},{port};Database=master;Uid=sa;Pwd={password};Encrypt=yes;TrustServerCertificate=yes;",
        autocommit=True)


with connect() as connection:
    cursor = connection.cursor()
    cursor.execute("SELECT 1")
    check("select 1", [tuple(r) for r in cursor.fetchall()], [(1,)])
    cursor.execute("SELECT ?, ?, ?", ("it's", 42, None))
    check("parameters", [tuple(r) for r in cursor.fetchall()], [("it's", 42, None)])

    cursor.execute("CREATE DATABASE MssqlPython")
    cursor.execute("USE MssqlPython")
    cursor.execute("""CREATE TABLE t (
        id int NOT NULL PRIMARY KEY, v varchar(8000), n nvarchar(4000), vm varchar(max), nm nvarchar(max),
        b varbinary(8000), bm varbinary(max), tx text, nt ntext, im image, x xml,
        de decimal(20,4), d date, dt datetime2(7), g uniqueidentifier)""")
    # Past the longest string (2,000 characters, 4,000 of nvarchar) and binary (8,000 bytes) that a driver binds without
    # knowing the server's types of large values.
    for number, (characters, octets) in enumerate([(10, 10), (2001, 8000), (4001, 8001), (70000, 300000)]):
        text = "x\u00e9" * (characters // 2)
        data = bytes(range(256)) * (octets // 256 + 1)
        cursor.execute("INSERT t (id, vm, nm, bm) VALUES (?, ?, ?, ?)", (number, text, text + "\u4f60", data))
        cursor.execute("SELECT vm, nm, bm FROM t WHERE id = ?", (number,))
        check(f"{characters} characters, {octets} bytes", [tuple(r) for r in cursor.fetchall()],
              [(text, text + "\u4f60", data)])
    text, data = "y" * 9000, b"\x00\xff" * 9000
    cursor.execute("INSERT t (id, tx, nt, im, x) VALUES (?, ?, ?, ?, ?)",
                   (10, text, text + "\u4f60", data, "<a>" + text + "</a>"))
    cursor.execute("SELECT tx, nt, im, x FROM t WHERE id = 10")
    check("text, ntext, image, xml", [tuple(r) for r in cursor.fetchall()],
          [(text, text + "\u4f60", data, "<a>" + text + "</a>")])
    row = (11, "v" * 8000, "n" * 4000, decimal.Decimal("1234567890.1234"), datetime.date(2026, 11, 22),
           datetime.datetime(2026, 11, 22, 12, 34, 56, 123456), uuid.UUID("01234567-89ab-cdef-0123-456789abcdef"))
    cursor.execute("INSERT t (id, v, n, de, d, dt, g) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    cursor.execute("SELECT id, v, n, de, d, dt, g FROM t WHERE id = 11")
    check("other types", [tuple(r) for r in cursor.fetchall()], [row])
    cursor.execute("INSERT t (id, bm, b) VALUES (?, ?, ?)", (12, None, None))
    cursor.execute("SELECT bm, b FROM t WHERE id = 12")
    check("NULL into varbinary", [tuple(r) for r in cursor.fetchall()], [(None, None)])
    many = [(20 + i, "m" * (i * 500), b"b" * (i * 1000)) for i in range(20)]
    cursor.executemany("INSERT t (id, nm, bm) VALUES (?, ?, ?)", many)
    cursor.execute("SELECT id, nm, bm FROM t WHERE id BETWEEN 20 AND 39 ORDER BY id")
    check("executemany", [tuple(r) for r in cursor.fetchall()], many)
    cursor.getTypeInfo(12)
    check("types of a number", cursor.fetchall()[0][0], "varchar")
    cursor.getTypeInfo()
    names = [r[0] for r in cursor.fetchall()]
    check("all types", [n for n in ("text", "ntext", "image", "xml", "int identity") if n not in names], [])
    cursor.execute("CREATE PROCEDURE p @a int, @b nvarchar(max) AS SELECT @a + 1, LEN(@b)")
    cursor.execute("{CALL p(?, ?)}", (1, "z" * 5000))
    check("call", [tuple(r) for r in cursor.fetchall()], [(2, 5000)])
    cursor.tables(table="t")
    check("tables", [r[2] for r in cursor.fetchall()], ["t"])
    cursor.columns(table="t", column="x")
    check("columns", [(r[3], r[4]) for r in cursor.fetchall()], [("x", -152)])

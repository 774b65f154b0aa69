#!/usr/bin/env bash
# wheel.sh WHEEL: installed into an empty virtual environment, used by a program and by pytest's fixtures. pip gets pytest and pymssql.
set -euo pipefail
wheel=$(realpath "$1")
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-wheel.XXXXXX")
trap 'rm -rf "$here"' EXIT
cd "$here"
unset TAFFRAIL_BINARY PYTHONPATH
python3 -m venv env
env/bin/pip install -q --disable-pip-version-check --no-index "$wheel"
cat > use.py <<'PROGRAM'
import os
import subprocess
import sys

import taffrail

with taffrail.server() as s:
    assert s.query("SELECT 1, 'a' + CAST(2 AS char(1))") == [["1", "a2"]]
    assert s.dsn.startswith(f"Server=127.0.0.1,{s.port};Database=master;UID=sa;")
    # Each value whole and in its place, whatever is in it; nothing but rows.
    odd = ["", None, "NULL", "a\n\nb\tc\u2028\x85d", "$(HOME)", "x" * 5000, "0x0A0B", "\U0001f600"]
    assert s.query(
        "PRINT 'no row'; SELECT '', NULL, 'NULL', N'a' + NCHAR(10) + NCHAR(10) + N'b' + NCHAR(9) + N'c' + NCHAR(8232)"
        " + NCHAR(133) + N'd', '$(HOME)', REPLICATE('x', 5000), CAST(0x0A0B AS varbinary(2)), N'\U0001f600'"
    ) == [odd]
    assert s.results("SELECT 1 WHERE 1 = 0; SELECT 2; PRINT 3") == [[], [["2"]]]
    assert s.query("SELECT ''") == [[""]] and s.query("PRINT 'no row'") == []
    assert s.query("CREATE VIEW dbo.first AS SELECT 1 AS one") == []
    with s.create_database("a b]c") as d:
        assert d.query("SELECT DB_NAME()") == [["a b]c"]]
    assert s.query("SELECT COUNT(*) FROM sys.databases WHERE name = 'a b]c'") == [["0"]]
    try:
        s.query("SELECT 1 / 0")
        sys.exit("an error is none")
    except RuntimeError as e:
        assert "Msg 8134" in str(e), e
    data, pid = s.data, s.pid
assert not os.path.exists(data) and not os.path.exists(f"/proc/{pid}")
with taffrail.server(data="kept", password="Wheel-test-1!") as s:
    s.create_database("stays")
with taffrail.server(data="kept", password="Wheel-test-1!") as s:
    assert s.query("SELECT name FROM sys.databases WHERE name = 'stays'") == [["stays"]]
try:
    taffrail.server(arguments=["--tls", "perhaps"])
    sys.exit("it starts with a wrong setting")
except taffrail.StartError as e:
    assert "perhaps" in str(e), e
# A program that ends without stopping its server leaves nobody behind.
left = "import taffrail; s = taffrail.server(); print(s.pid, s.data)"
pid, data = subprocess.check_output([sys.executable, "-c", left], text=True).split()
assert not os.path.exists(data) and not os.path.exists(f"/proc/{pid}")
PROGRAM
env/bin/python use.py
echo 'ok a program'
env/bin/taffrail --version | grep -q '^taffrail [0-9]' && echo 'ok the command'
env/bin/pip install -q --disable-pip-version-check pytest==9.0.2 pymssql==2.4.6
cat > test_it.py <<'PROGRAM'
import pymssql

seen = []


def connect(d):
    s = d.server
    return pymssql.connect(server=s.host, port=str(s.port), user=s.user, password=s.password, database=d.name, autocommit=True)


def test_a_database_is_empty_and_its_own(taffrail_database):
    connect(taffrail_database).cursor().execute("CREATE TABLE t (a int)")
    seen.append(taffrail_database)


def test_the_next_test_has_another(taffrail_database, taffrail_server):
    cursor = connect(taffrail_database).cursor()
    cursor.execute("SELECT COUNT(*) FROM sys.tables")
    assert cursor.fetchone() == (0,)
    assert taffrail_database.server is seen[0].server is taffrail_server
    # The first one is gone, although its connection was never closed.
    cursor.execute("SELECT DB_ID(%s)", (seen[0].name,))
    assert cursor.fetchone() == (None,)
PROGRAM
env/bin/python -m pytest -q test_it.py
echo 'ok pytest'

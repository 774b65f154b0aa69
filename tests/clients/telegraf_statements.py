"""The statements of telegraf's sqlserver input, unmodified, against a running server: HOST PORT PASSWORD WORKLOADS. The folder
TELEGRAF has the sources that hold them, one folder for each version."""
import os
import pathlib
import re
import sys
import time

import pymssql

host, port, password, _ = sys.argv[1:5]
# These answer where there is something to tell: availability groups, versions of rows, who is at work, and minutes ago.
MAY_BE_EMPTY = re.compile("Replica|PersistentVersionStore|Requests|RingBufferCPU|CPUHistory|WaitStats", re.I)


def statements(source):
    """The constants of a Go source that are texts."""
    return re.findall(r"^const (\w+)(?: string)? = `(.*?)`", source.read_text(), re.S | re.M)


def run(cursor, sql):
    """The columns and rows of all result sets."""
    cursor.execute(sql)
    results = []
    while True:
        if cursor.description is not None:
            results.append(([c[0] for c in cursor.description], cursor.fetchall()))
        if not cursor.nextset():
            return results


def connect():
    return pymssql.connect(
        server=host, port=port, user="sa", password=password, login_timeout=20, appname="telegraf", autocommit=True
    )


# Some divide by how long pages have stayed in memory, in seconds.
with connect() as connection:
    cursor = connection.cursor()
    for _ in range(100):
        life = "SELECT MIN(cntr_value) FROM sys.dm_os_performance_counters WHERE counter_name = 'Page life expectancy'"
        if run(cursor, life)[0][1][0][0] > 0:
            break
        time.sleep(0.1)
failed = 0
for folder in sorted(pathlib.Path(os.environ["TELEGRAF"]).iterdir()):
    # Of SQL Server itself, not of the clouds.
    for source in sorted(folder.glob("sql[sq]*.go")):
        for name, sql in statements(source):
            connection = connect()
            try:
                results = run(connection.cursor(), sql)
                rows = sum(len(rows) for _, rows in results)
                measured = all(columns[0] == "measurement" for columns, _ in results)
                assert rows > 0 or MAY_BE_EMPTY.search(name), "no rows"
                assert measured, f"columns {[columns for columns, _ in results]}"
                print("ok", folder.name, name, rows)
            except Exception as e:
                print("FAILED", folder.name, name, e)
                failed += 1
            finally:
                connection.close()
sys.exit(failed > 0)

"""Debian's prometheus-sql-exporter against a running server: HOST PORT PASSWORD WORKLOADS. EXPORTER names the program.
What it tells is looked for among what has just happened and what the machine says of itself."""
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import pymssql

host, port, password, _ = sys.argv[1:5]
DATABASE = "ExporterShop"
BUFFERS = "SQLServer:Buffer Manager"


def connect(database="master"):
    return pymssql.connect(
        server=host, port=port, user="sa", password=password, database=database, login_timeout=20, autocommit=True
    )


def scrape(web):
    """Values by name, column and labels; the text as it came."""
    with urllib.request.urlopen(f"http://{web}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    own = {"col", "database", "driver", "host", "sql_job", "user"}
    values = {}
    for name, labels, value in re.findall(r"^sql_(\w+)\{(.*)\} (\S+)$", text, re.M):
        labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels))
        rest = tuple(sorted((k, v) for k, v in labels.items() if k not in own))
        values[name, labels.get("col", ""), rest] = float(value)
    return values


def wait_for(what, check):
    for _ in range(200):
        found = check()
        if found:
            return found
        time.sleep(0.1)
    sys.exit(f"FAILED {what}: not within 20 s")


class Figures:
    def __init__(self, values):
        self.values = values

    def of(self, name, column, **labels):
        return self.values[name, column, tuple(sorted(labels.items()))]

    def counter(self, object_name, counter, instance=""):
        return self.of("counters", "cntr_value", object=object_name, counter=counter, instance=instance)


def deadlock():
    """Two sessions that each want what the other has: one is ended."""
    victims = []
    both = threading.Barrier(2)

    def work(first, second):
        with connect(DATABASE) as connection:
            cursor = connection.cursor()
            cursor.execute("BEGIN TRANSACTION")
            cursor.execute(f"UPDATE t SET v = v + 1 WHERE id = {first}")
            both.wait(20)
            try:
                cursor.execute(f"UPDATE t SET v = v + 1 WHERE id = {second}")
                cursor.execute("COMMIT")
            except pymssql.Error as e:
                victims.append(e.args[0])

    threads = [threading.Thread(target=work, args=pair) for pair in ((1, 2), (2, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert victims == [1205], victims


def happen(cursor):
    """Three errors of users, a deadlock, a killed connection, pages written, and a log that grows."""
    for _ in range(3):
        try:
            cursor.execute("SELECT 1 / 0")
            cursor.fetchall()
        except pymssql.Error:
            pass
    deadlock()
    victim = connect()
    with victim.cursor() as c:
        c.execute("SELECT @@SPID")
        spid = c.fetchone()[0]
    cursor.execute(f"KILL {spid}")
    cursor.execute(f"INSERT {DATABASE}.dbo.wide SELECT TOP (8000) REPLICATE('x', 2000) FROM sys.all_columns a CROSS JOIN sys.all_columns b")
    cursor.execute(f"USE {DATABASE}; CHECKPOINT; USE master")


def meminfo(name):
    return int(re.search(rf"^{name}: +(\d+) kB", pathlib.Path("/proc/meminfo").read_text(), re.M)[1]) * 1024


checked = []


def ok(name, condition, found):
    print("ok" if condition else "FAILED", name, found)
    checked.append(condition)


with connect() as connection, tempfile.TemporaryDirectory() as folder:
    cursor = connection.cursor()
    cursor.execute(f"CREATE DATABASE {DATABASE}")
    cursor.execute(f"CREATE TABLE {DATABASE}.dbo.t (id int PRIMARY KEY, v int); INSERT {DATABASE}.dbo.t VALUES (1, 0), (2, 0)")
    cursor.execute(f"CREATE TABLE {DATABASE}.dbo.wide (v varchar(2000))")
    cursor.execute(f"ALTER DATABASE {DATABASE} MODIFY FILE (NAME = {DATABASE}_log, FILEGROWTH = 1MB)")
    cursor.execute(f"SELECT size * 8 FROM sys.master_files WHERE database_id = DB_ID('{DATABASE}') AND type = 1")
    log_before = cursor.fetchone()[0]

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        web = "127.0.0.1:%d" % free.getsockname()[1]
    source = f"sqlserver://sa:{password}@{host}:{port}?database=master&encrypt=true&TrustServerCertificate=true"
    config = pathlib.Path(folder, "exporter.yml")
    written = pathlib.Path(__file__).with_name("exporter.yml").read_text()
    config.write_text(written.replace("CONNECTION", source))
    queries = set(re.findall(r"- name: (\w+)\n +help", written))
    with open(pathlib.Path(folder, "log"), "wb") as log:
        exporter = subprocess.Popen(
            [os.environ["EXPORTER"], "-config.file", str(config), "-web.listen-address", web], stdout=log, stderr=log
        )
    try:

        def answered():
            """The figures when every query has answered."""
            try:
                values = scrape(web)
            except OSError:
                return None
            failed = {dict(rest)["query"]: v for (name, _, rest), v in values.items() if name == "exporter_last_scrape_failed"}
            return Figures(values) if failed.keys() == queries and not any(failed.values()) else None

        before = wait_for("every query", answered)
        happen(cursor)
        errors = ("SQLServer:SQL Errors", "Errors/sec")
        # The job asks its queries in turn: the last one tells that all are newer than what has happened.
        wait_for(
            "the grown log",
            lambda: (f := answered()) and f.of("file_kilobytes", "size_kb", db=DATABASE, logicalname=f"{DATABASE}_log", type="LOG") > log_before,
        )
        time.sleep(1.5)
        after = wait_for("every query", answered)

        def grown(name, *counter):
            return name, after.counter(*counter) - before.counter(*counter)

        name, found = grown("deadlocks", "SQLServer:Locks", "Number of Deadlocks/sec", "_Total")
        ok(name, found == 1, found)
        name, found = grown("user errors", *errors, "User Errors")
        ok(name, found == 4, found)
        name, found = grown("kill connection errors", *errors, "Kill Connection Errors")
        ok(name, 0 <= found <= 1, found)
        name, found = grown("log growths", "SQLServer:Databases", "Log Growths", DATABASE)
        cursor.execute(
            f"SELECT COUNT(*) FROM taffrail.growth_history WHERE database_id = DB_ID('{DATABASE}') AND file_id = 2 AND is_cancelled = 0"
        )
        ok(name, 0 < found == (told := cursor.fetchone()[0]), (found, told))
        name, found = grown("transactions", "SQLServer:Databases", "Transactions/sec", DATABASE)
        ok(name, found >= 3, found)
        name, found = grown("batches", "SQLServer:SQL Statistics", "Batch Requests/sec")
        ok(name, 12 <= found <= 2000, found)
        name, found = grown("checkpoint pages", BUFFERS, "Checkpoint pages/sec")
        ok(name, found >= 700, found)
        part, whole = (after.counter(BUFFERS, f"Buffer cache hit ratio{base}") for base in ("", " base"))
        ok("buffer cache hit ratio", 0 < part <= whole, (part, whole))
        ok("page life", 0 <= after.of("page_life_expectancy_seconds", "cntr_value") < 3600, "")
        for column, counter in (("writes", "Page writes/sec"), ("checkpointed", "Checkpoint pages/sec")):
            ok(f"buffer manager: {counter}", after.of("buffer_manager", column) >= 700, after.of("buffer_manager", column))
        stall = [after.of("io_stall_seconds", column, db=DATABASE) for column in ("read", "write", "io_stall")]
        ok("stalls", stall[1] > 0 and abs(stall[0] + stall[1] - stall[2]) < 1e-9, stall)
        ok("time", abs(after.of("local_time_seconds", "unix_time") - time.time()) < 30, "")
        ok("connections", after.of("connections", "count", db="master") >= 2, "")
        ok(
            "connections of this client",
            sum(v for (name, _, rest), v in after.values.items() if name == "client_connections" and ("login", "sa") in rest) >= 2,
            "",
        )
        resident, committed = (after.of("process_memory", column) for column in ("resident", "committed"))
        ok("memory in use", 4 << 20 < resident < 2 << 30, resident)
        ok("memory committed", resident <= committed < 2 << 30, committed)
        ok("memory utilization", 1 <= after.of("process_memory", "utilization") <= 100, after.of("process_memory", "utilization"))
        ok("page faults", after.of("process_memory", "faults") >= before.of("process_memory", "faults") > 0, "")
        memory = after.of("os_memory", "used") + after.of("os_memory", "available")
        ok("the machine's memory", memory == meminfo("MemTotal"), memory)
        ok("page file", after.of("os_memory", "page_available") > 0 <= after.of("os_memory", "page_used"), "")
        ok("state", after.of("database_state", "state", db=DATABASE) == 0, "")
        cursor.execute(f"SELECT size * 8 FROM sys.master_files WHERE database_id = DB_ID('{DATABASE}') AND type = 1")
        size = after.of("file_kilobytes", "size_kb", db=DATABASE, logicalname=f"{DATABASE}_log", type="LOG")
        ok("size of the log", size == cursor.fetchone()[0], size)
    finally:
        exporter.terminate()
        exporter.wait(20)
        sys.stderr.write(pathlib.Path(folder, "log").read_text()[-2000:] if not all(checked) else "")
sys.exit(not all(checked))

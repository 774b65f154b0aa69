"""The three engines, each of which runs a list of statements and gives the rows of those that have some."""

import calendar
import datetime
import decimal
import glob
import os
import re
import sqlite3
import subprocess
import tempfile
import time

import pymssql

PASSWORD = "Tests-only-1!"
SECONDS = 20


class Refused(Exception):
    """A statement failed: `number` is the server's, or the class of the error."""

    def __init__(self, number, text):
        super().__init__(f"{number}: {text}")
        self.number, self.text = number, text


class Slow(Exception):
    """It has run for too long."""


def same(value, type):
    """A value in the form in which all engines give it."""
    if value is None:
        return None
    if type == "int":
        return int(value)
    if type == "dec":
        return decimal.Decimal(repr(value) if isinstance(value, float) else str(value)).normalize() + 0
    if type == "float":
        return float(value) + 0.0
    if type == "approx":
        return round(float(value), 4) + 0.0
    return str(value)


class Taffrail:
    name = "Taffrail"

    def __init__(self, binary, folder):
        command = [binary, "serve", "--data", os.path.join(folder, "taffrail"), "--listen", "127.0.0.1:0", "--console", "off"]
        self.log = open(os.path.join(folder, "taffrail.stderr"), "w")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, text=True, env={**os.environ, "TAFFRAIL_SA_PASSWORD": PASSWORD}
        )
        line = self.process.stdout.readline()
        self.port = line.split("tds=")[1].split()[0].rsplit(":", 1)[1]
        self.connection = None
        self.database = "master"

    def connect(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = pymssql.connect(
            server="127.0.0.1", port=self.port, user="sa", password=PASSWORD, database=self.database, autocommit=True, timeout=SECONDS
        )

    def world(self, name, script):
        self.database = "master"
        self.connect()
        cursor = self.connection.cursor()
        cursor.execute(f"CREATE DATABASE {name}")
        self.database = name
        self.connect()
        for sql in script:
            try:
                self.connection.cursor().execute(sql)
            except pymssql.Error as e:
                raise Refused(e.args[0], f"{e}: {sql}") from None

    def end_world(self, name):
        self.database = "master"
        self.connect()
        self.connection.cursor().execute(f"ALTER DATABASE {name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE {name}")

    def run(self, statements, types):
        if self.connection is None:
            self.connect()
        cursor = self.connection.cursor()
        began = time.monotonic()
        try:
            cursor.execute(";\n".join(statements))
            sets = []
            while True:
                if cursor.description is not None:
                    sets.append([tuple(same(v, t) for v, t in zip(row, types[len(sets)])) for row in cursor.fetchall()])
                if not cursor.nextset():
                    return sets
        except pymssql.Error as e:
            if time.monotonic() - began > SECONDS - 1:
                self.connection = None
                raise Slow(f"more than {SECONDS} s") from None
            number, text = e.args[0] if e.args and isinstance(e.args[0], tuple) else (e.args + (0, ""))[:2]
            text = text.decode() if isinstance(text, bytes) else str(text)
            text = re.sub(r"DB-Lib error message.*", "", text, flags=re.DOTALL).strip()
            try:
                if self.process.poll() is not None:
                    raise SystemExit("the server has ended")
                self.connection.cursor().execute("IF @@TRANCOUNT > 0 ROLLBACK")
            except pymssql.Error:
                self.connection = None
            raise Refused(number, text) from None

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Postgres:
    name = "PostgreSQL"

    def __init__(self, folder):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda p: int(re.search(r"postgresql/(\d+)", p)[1]))
        if not found:
            raise SystemExit("PostgreSQL is not installed: tests/install-peers.sh")
        self.bin, self.folder = found[-1], os.path.join(folder, "postgres")
        # A socket's path may not be long.
        self.sockets = tempfile.mkdtemp(prefix="pg", dir="/tmp")
        os.mkdir(self.folder)
        if os.getuid() == 0:
            for path in (self.folder, self.sockets):
                subprocess.run(["chown", "postgres", path], check=True)
            os.chmod(folder, 0o755)
        self.as_postgres("initdb", "-D", self.folder, "-A", "trust", "--no-locale", "-E", "UTF8", "-U", "postgres")
        options = f"-k {self.sockets} -h '' -c fsync=off -c jit=off -c statement_timeout={SECONDS * 1000} -c client_min_messages=error"
        self.as_postgres("pg_ctl", "-D", self.folder, "-w", "-o", options, "-l", os.path.join(self.folder, "log"), "start")
        self.psql = None

    def as_postgres(self, program, *arguments):
        before = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []
        done = subprocess.run(
            [*before, os.path.join(self.bin, program), *arguments],
            capture_output=program != "pg_ctl",
            stdout=None if program != "pg_ctl" else subprocess.DEVNULL,
            cwd="/",
        )
        if done.returncode:
            raise SystemExit(f"{program} failed: {done.stderr}")

    def open(self, database):
        if self.psql:
            self.psql.stdin.close()
            self.psql.wait()
        self.psql = subprocess.Popen(
            [
                "psql",
                "-h",
                self.sockets,
                "-U",
                "postgres",
                "-d",
                database,
                "-qAtX",
                "-F",
                "\x1f",
                "-P",
                "null=\x01",
                "-v",
                "VERBOSITY=verbose",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )

    def ask(self, statements):
        """The lines of each statement."""
        self.psql.stdin.write("".join(f"{s};\n\\echo \x1d\n" for s in statements))
        self.psql.stdin.flush()
        out = []
        for _ in statements:
            lines = []
            while (line := self.psql.stdout.readline()) != "\x1d\n":
                if not line:
                    raise SystemExit("psql has ended")
                lines.append(line[:-1])
            out.append(lines)
        return out

    def world(self, name, script):
        self.open("postgres")
        self.ask([f"CREATE DATABASE {name}"])
        self.open(name)
        for sql, lines in zip(script, self.ask(script)):
            if lines:
                raise SystemExit(f"PostgreSQL: {lines}: {sql[:200]}")

    def end_world(self, name):
        self.open("postgres")
        self.ask([f"DROP DATABASE {name}"])

    def run(self, statements, types):
        sets = []
        answers = self.ask(statements)
        for sql, lines in zip(statements, answers):
            for line in lines:
                if found := re.match(r"ERROR:  (\w+): (.*)", line):
                    if found[1] == "57014":
                        raise Slow(f"more than {SECONDS} s")
                    raise Refused(found[1], found[2])
            if sql.startswith(("SELECT", "WITH", "(")) or " RETURNING " in sql:
                kinds = types[len(sets)]
                sets.append([tuple(same(None if v == "\x01" else v, t) for v, t in zip(line.split("\x1f"), kinds)) for line in lines])
        return sets

    def stop(self):
        if self.psql:
            self.psql.stdin.close()
            self.psql.wait()
        self.as_postgres("pg_ctl", "-D", self.folder, "-m", "immediate", "stop")
        subprocess.run(["rm", "-rf", self.sockets], check=False)


def months(date, n):
    """The same day of another month, or that month's last one."""
    year, month, day = (int(x) for x in date.split("-"))
    year, month = divmod(year * 12 + month - 1 + n, 12)
    day = min(day, calendar.monthrange(year, month + 1)[1])
    return datetime.date(year, month + 1, day).isoformat()


# What SQLite lacks, or may be built without. NULL gives NULL.
FUNCTIONS = {
    "FLOOR": (lambda x: float(x // 1), 1),
    "CEIL": (lambda x: float(-(-x // 1)), 1),
    "REVERSE": (lambda x: x[::-1], 1),
    "REPEAT": (lambda x, n: x * n, 2),
    "TRANSLATE": (lambda x, old, new: x.translate(str.maketrans(old, new)), 3),
    "OVERLAY": (lambda x, at, length, new: x[: at - 1] + new + x[at - 1 + length :], 4),
    "MONTHS": (months, 2),
}


class Sqlite:
    name = "SQLite"

    def __init__(self):
        self.connection = None

    def world(self, name, script):
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.execute("PRAGMA case_sensitive_like = ON")
        for name, (function, arguments) in FUNCTIONS.items():
            known = lambda *given, function=function: None if None in given else function(*given)
            self.connection.create_function(name, arguments, known, deterministic=True)
        for sql in script:
            try:
                self.connection.execute(sql)
            except sqlite3.OperationalError as e:
                raise Refused(type(e).__name__, f"{e}: {sql[:200]}") from None

    def end_world(self, name):
        self.connection.close()

    def run(self, statements, types):
        end = time.monotonic() + SECONDS
        self.connection.set_progress_handler(lambda: int(time.monotonic() > end), 100_000)
        sets = []
        try:
            for sql in statements:
                cursor = self.connection.execute(sql)
                if cursor.description is not None:
                    sets.append([tuple(same(v, t) for v, t in zip(row, types[len(sets)])) for row in cursor.fetchall()])
            return sets
        except sqlite3.Error as e:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            if "interrupted" in str(e):
                raise Slow(f"more than {SECONDS} s") from None
            raise Refused(type(e).__name__, str(e)) from None

    def stop(self):
        pass

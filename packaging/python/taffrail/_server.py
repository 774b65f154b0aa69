"""A server process on a free port, which ends with its owner."""

import atexit
import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.parse
from pathlib import Path

READY = "taffrail ready: tds="


class StartError(RuntimeError):
    """The server did not start; says what it has said."""


def binary():
    """The `taffrail` binary: what TAFFRAIL_BINARY names, else the one of this package, else that of PATH."""
    named = os.environ.get("TAFFRAIL_BINARY")
    own = Path(__file__).parent / "bin" / "taffrail"
    found = named or (str(own) if own.exists() else shutil.which("taffrail"))
    if not found:
        raise StartError("there is no taffrail binary: set TAFFRAIL_BINARY")
    return found


def _environment(**more):
    """Ours without the variables that would be settings of the server."""
    ours = ("TAFFRAIL_", "MSSQL_", "SQLCMD")
    kept = {n: v for n, v in os.environ.items() if not n.startswith(ours) and n != "SA_PASSWORD"}
    return {**kept, **more}


class _Place:
    """How a database of a server is reached."""

    server = None
    name = None

    @property
    def dsn(self):
        """A connection string as ODBC and mssql-python take it."""
        s = self.server
        return (
            f"Server={s.host},{s.port};Database={self.name};UID={s.user};PWD={s.password};"
            "Encrypt=yes;TrustServerCertificate=yes;"
        )

    def url(self, driver="pymssql"):
        """SQLAlchemy's URL, for a driver."""
        s = self.server
        user, password, name = (
            urllib.parse.quote(p, safe="") for p in (s.user, s.password, self.name)
        )
        return f"mssql+{driver}://{user}:{password}@{s.host}:{s.port}/{name}"

    def query(self, sql):
        """Runs a batch; the rows of its first result set as lists of text, None for NULL, binary as '0x…'. For what needs no
        driver."""
        results = self.results(sql)
        return results[0] if results else []

    def results(self, sql):
        """Runs a batch; all its result sets, each as `query` has the first. An error of the server is a RuntimeError."""
        s = self.server
        done = subprocess.run(
            [binary(), "query", "-S", f"{s.host},{s.port}", "-U", s.user, "-d", self.name],
            env=_environment(SQLCMDPASSWORD=s.password),
            input=sql.encode(),
            capture_output=True,
        )
        results, errors = [], []
        for line in done.stdout.split(b"\n"):
            event = json.loads(line) if line else {}
            if "columns" in event:
                results.append([])
            elif "row" in event:
                results[-1].append(event["row"])
            elif "message" in event and event["message"]["severity"] > 10:
                errors.append(_said(event["message"]))
        if done.returncode:
            errors.append(done.stderr.decode(errors="replace").strip())
            raise RuntimeError("\n".join(e for e in errors if e))
        return results


def _said(m):
    """An error as sqlcmd shows it."""
    procedure = f"Procedure {m['procedure']}, " if m["procedure"] else ""
    where = f"Level {m['severity']}, State {m['state']}, {procedure}Line {m['line']}"
    return f"Msg {m['number']}, {where}\n{m['text']}"


class Database(_Place):
    """A database of a server; as a context it is dropped at the end."""

    def __init__(self, server, name):
        self.server, self.name = server, name

    def drop(self):
        """Drops it, whoever is still in it."""
        quoted = _quoted(self.name)
        self.server.query(
            f"ALTER DATABASE {quoted} SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE {quoted}"
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.drop()


class Server(_Place):
    """A running server. `dsn`, `url()` and `query()` are those of its master."""

    name = "master"
    host = "127.0.0.1"
    user = "sa"

    def __init__(self, data=None, password=None, port=0, arguments=(), timeout=60):
        self.server = self
        self.password = password or secrets.token_urlsafe(15) + "aA1!"
        self._own = data is None
        self.data = tempfile.mkdtemp(prefix="taffrail-") if self._own else os.fspath(data)
        self._made = 0
        words = ["serve", "--data", self.data, "--listen", f"{self.host}:{port}"]
        words += ["--admin-listen", "off", "--console", "off", *arguments]
        self._said = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            [binary(), *words],
            env=_environment(TAFFRAIL_SA_PASSWORD=self.password),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
        )
        atexit.register(self.stop)
        watch = threading.Timer(timeout, self._process.kill)
        watch.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watch.cancel()
        if not line.startswith(READY):
            self._process.kill()
            self._process.wait()
            self._said.seek(0)
            text = self._said.read().strip()
            self.stop()
            raise StartError(f"the server did not start: {text or f'not ready in {timeout} s'}")
        self.port = int(line[len(READY) :].split()[0].rsplit(":", 1)[1])

    @property
    def pid(self):
        """The process's number."""
        return self._process.pid

    def create_database(self, name=None):
        """A new, empty database; without a name it gets one that nobody has."""
        self._made += 1
        name = name or f"test_{self._made}_{secrets.token_hex(4)}"
        self.query(f"CREATE DATABASE {_quoted(name)}")
        return Database(self, name)

    def stop(self):
        """SIGTERM, the end, and the data directory goes if it is this object's own. Twice is as good as once."""
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process.stdout.close()
        self._said.close()
        if self._own:
            shutil.rmtree(self.data, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def _quoted(name):
    return "[" + name.replace("]", "]]") + "]"


def server(**options):
    """Starts a server on a free port and a data directory of its own. Options: `data` (a directory that stays), `password`,
    `port`, `arguments` (more flags of `taffrail serve`), `timeout` (seconds until it must be ready)."""
    return Server(**options)

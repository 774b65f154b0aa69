"""Makes the kept data directories with a release: make.py BINARY. Needs pymssql and GNU tar.

A directory is made once, by the release that its folder is named after, and never again: it stands for what users of that release have.
"""
import os, re, shutil, subprocess, sys, tempfile
import pymssql._mssql as low

here = os.path.dirname(os.path.abspath(__file__))
password = "Tests-only-1!"


def batches(name):
    return [b for b in re.split(r"(?im)^go\s*$", open(os.path.join(here, name)).read()) if b.strip()]


class Server:
    def __init__(self, binary, data):
        self.process = subprocess.Popen([binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--max-server-memory-mb", "64"],
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, "TAFFRAIL_SA_PASSWORD": password})
        self.port = re.search(r"tds=\S+:(\d+)", self.process.stdout.readline()).group(1)
        self.sessions = {}

    def run(self, name):
        session = "one"
        for batch in batches(name):
            found = re.search(r"--@ session (\w+)", batch)
            session = found.group(1) if found else session
            if session not in self.sessions:
                self.sessions[session] = low.connect(server="127.0.0.1", port=self.port, user="sa", password=password)
            self.sessions[session].execute_query(batch)
            while self.sessions[session].nextresult():
                pass


def pack(data, name):
    # The server makes these anew; a key does not belong into a repository.
    own = ["--exclude=./" + file for file in ("server.key", "server.crt", "taffrail.lock", "log")]
    subprocess.run(["tar", *own, "--sparse", "--sort=name", "--owner=0", "--group=0", "-C", data, "-czf", os.path.join(here, name), "."], check=True)


for name in ("stopped", "killed"):
    data = tempfile.mkdtemp()
    server = Server(sys.argv[1], data)
    server.run("fill.sql")
    if name == "killed":
        server.run("leave.sql")
        server.process.kill()
    else:
        server.process.terminate()
    server.process.wait()
    pack(data, name + ".tar.gz")
    shutil.rmtree(data)

//! Other products that do an experiment's work with `--peers`, each by its own client, on the device of the lab's own server.
//!
//! | product | client | durable by |
//! | --- | --- | --- |
//! | SQLite | `sqlite3` on a file | the scripts, which set `journal_mode` and `synchronous` |
//! | PostgreSQL | `psql`, over a socket of a cluster of the lab's own | `fsync`, `full_page_writes` and `synchronous_commit` are on |
//!
//! A product that is not installed is left out by name. A cluster runs only while it is measured, in a directory of its owner alone.
//! Servers and clients end with the lab. They see no password, and none of the caller's variables for a product. Durations are those of
//! the client's process: its start is part of them.

use super::spec::Product;
use super::stop::{Interrupted, Stop};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Between two looks for an interrupt.
const LOOK: Duration = Duration::from_millis(100);
/// How long a cluster may take to start.
const STARTS: Duration = Duration::from_secs(30);
/// Settings of a cluster, which are its defaults but for the last: said, because they decide.
const DURABLE: [&str; 4] =
    ["fsync=on", "full_page_writes=on", "synchronous_commit=on", "autovacuum=off"];
/// Name of a cluster's socket in the directory of its data, by the port that servers and clients have without PGPORT.
const SOCKET: &str = ".s.PGSQL.5432";
/// Bytes of a socket's path that Linux takes, without the zero at its end.
const SOCKET_BYTES: usize = 107;
/// Beginnings of variables that another product is not given: settings of PostgreSQL's, settings and passwords of servers like ours.
const WITHHELD: [&str; 5] = ["PG", "SQLCMD", "TAFFRAIL_", "MSSQL_", "SA_PASSWORD"];

/// The products that a run asks for.
#[derive(Default)]
pub struct Peers {
    found: BTreeMap<Product, Result<Found, String>>,
}

/// A product that is installed.
struct Found {
    version: String,
    /// The directory of its data.
    place: PathBuf,
    /// The directory of its server's programs; empty for one without a server.
    programs: PathBuf,
}

/// A script of a product's, and the measure's name; without a name it is not timed.
pub type Script = (Option<String>, String);

impl Peers {
    /// Looks for each product, with its data to go below `scratch`; without one, nothing is run beside a server that is elsewhere.
    pub fn look(scratch: Option<&Path>) -> Peers {
        let look = |product| match scratch {
            Some(scratch) => Found::of(product, &scratch.join("peers")),
            None => Err("only beside a server of the lab's own".to_owned()),
        };
        let products = [Product::Sqlite, Product::Postgresql];
        Peers { found: products.into_iter().map(|p| (p, look(p))).collect() }
    }

    /// Nobody has asked for any.
    pub fn are_none(&self) -> bool {
        self.found.is_empty()
    }

    /// Why a product cannot be measured.
    pub fn lacks(&self, product: Product) -> Option<String> {
        match self.found.get(&product) {
            None => Some("only with --peers".into()),
            Some(Ok(_)) => None,
            Some(Err(why)) => Some(why.clone()),
        }
    }

    /// Products and versions that are there, as a reader sees them.
    pub fn versions(&self) -> Vec<String> {
        let told = |(product, found): (&Product, &Result<Found, String>)| {
            found.as_ref().ok().map(|f| format!("{} {}", product.name(), f.version))
        };
        self.found.iter().filter_map(told).collect()
    }

    /// Runs scripts in a new database; the seconds of each that has a name.
    pub fn run(
        &self,
        product: Product,
        scripts: &[Script],
        interrupted: &Interrupted,
    ) -> Result<Vec<(String, f64)>, Stop> {
        let found = match self.found.get(&product) {
            Some(Ok(found)) => found,
            _ => return Err(Stop::Failed(format!("{} is not there", product.name()))),
        };
        let done = match product {
            Product::Sqlite => found.in_sqlite(scripts, interrupted),
            Product::Postgresql => found.in_postgresql(scripts, interrupted),
        };
        done.map_err(|e| e.at(product.name()))
    }
}

impl Found {
    fn of(product: Product, below: &Path) -> Result<Found, String> {
        let absent = |why: &str| format!("{} is not installed: {why}", product.name());
        match product {
            Product::Sqlite => {
                let told = told(Command::new("sqlite3").arg("--version"))
                    .map_err(|_| absent("there is no sqlite3"))?;
                told_of_help("setpriv", "--version").map_err(|why| absent(&why))?;
                // An awk need not know --version.
                told_of_help("awk", "BEGIN { }").map_err(|why| absent(&why))?;
                let version = told.split_whitespace().next().unwrap_or_default().to_owned();
                let place = below.join("sqlite");
                std::fs::create_dir_all(&place).map_err(|e| e.to_string())?;
                Ok(Found { version, place, programs: PathBuf::new() })
            }
            Product::Postgresql => {
                let programs =
                    programs().ok_or_else(|| absent("there is no postgres beside an initdb"))?;
                for client in ["psql", "setpriv"] {
                    told_of_help(client, "--version").map_err(|why| absent(&why))?;
                }
                let told = told(Command::new(programs.join("postgres")).arg("--version"))
                    .map_err(|e| absent(&e.to_string()))?;
                let version = told.split_whitespace().nth(2).unwrap_or_default().to_owned();
                let found = Found { version, place: below.join("pg"), programs };
                if found.place.join(SOCKET).as_os_str().len() > SOCKET_BYTES {
                    return Err(format!(
                        "PostgreSQL's socket in {} has a path of more than {SOCKET_BYTES} bytes: choose a shorter --out",
                        found.place.display()
                    ));
                }
                found.cluster().map_err(|e| format!("PostgreSQL makes no cluster: {e}"))?;
                Ok(found)
            }
        }
    }

    fn in_sqlite(&self, scripts: &[Script], interrupted: &Interrupted) -> TimedPeer {
        let file = self.place.join("lab.db");
        for end in ["", "-wal", "-shm", "-journal"] {
            match std::fs::remove_file(self.place.join(format!("lab.db{end}"))) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e.into()),
                _ => {}
            }
        }
        timed(scripts, interrupted, || {
            let mut client = client("sqlite3");
            client.args(["-init", "/dev/null", "-batch", "-bail"]).arg(&file);
            client
        })
    }

    /// A program of the server's; as root it is run by the owner of the cluster, whom the package has made.
    fn program(&self, name: &str) -> Command {
        // A fast shutdown.
        let mut command = ending_with_the_lab("INT");
        if rustix::process::geteuid().is_root() {
            command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]);
        }
        command.arg("--").arg(self.programs.join(name)).stdin(Stdio::null());
        command.current_dir("/").process_group(0);
        command
    }

    fn cluster(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.place)?;
        if rustix::process::geteuid().is_root() {
            told(Command::new("chown").arg("postgres:").arg(&self.place))?;
        }
        let mut initdb = self.program("initdb");
        initdb.arg("-D").arg(&self.place);
        told(initdb.args(["-A", "trust", "-U", "postgres", "--no-locale", "-E", "UTF8"]))?;
        Ok(())
    }

    /// A client of the cluster, which nobody but its owner reaches: the socket lies in the directory of the data.
    fn psql(&self, database: &str) -> Command {
        let mut client = client("psql");
        client.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", database, "-h"]);
        client.arg(&self.place);
        client
    }

    fn in_postgresql(&self, scripts: &[Script], interrupted: &Interrupted) -> TimedPeer {
        let mut server = self.program("postgres");
        server.arg("-D").arg(&self.place).arg("-k").arg(&self.place).args(["-h", ""]);
        server.args(DURABLE.iter().flat_map(|setting| ["-c", setting]));
        // Beside the data, which is its owner's alone.
        let complaints = self.place.with_extension("log");
        let server = server.stdout(Stdio::null()).stderr(File::create(&complaints)?).spawn()?;
        let mut server = Running(server);
        let fails = |why: String| match std::fs::read_to_string(&complaints) {
            Ok(text) => {
                let why = complaint(&text).map_or(why, str::to_owned);
                Stop::Failed(format!("the cluster does not start: {why}"))
            }
            Err(e) => Stop::Failed(format!("{}: {e}", complaints.display())),
        };
        let began = Instant::now();
        let ask = |sql: &str| told(self.psql("postgres").args(["-c", sql]));
        while let Err(e) = ask("SELECT 1") {
            if let Some(status) = server.0.try_wait()? {
                return Err(fails(status.to_string()));
            }
            if began.elapsed() > STARTS {
                return Err(fails(e.to_string()));
            }
            interrupted.check()?;
            std::thread::sleep(LOOK);
        }
        ask("DROP DATABASE IF EXISTS lab")?;
        ask("CREATE DATABASE lab")?;
        timed(scripts, interrupted, || self.psql("lab"))
    }
}

/// Names of measures, and their seconds.
type TimedPeer = Result<Vec<(String, f64)>, Stop>;

/// A server of a cluster; a fast shutdown ends it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(pid) = pid(&self.0) {
            let _ = kill_process(pid, Signal::INT);
        }
        let _ = self.0.wait();
    }
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// The directory with postgres and initdb: the highest number below /usr/lib/postgresql, or one of PATH.
fn programs() -> Option<PathBuf> {
    let whole = |bin: &PathBuf| ["postgres", "initdb"].iter().all(|p| bin.join(p).exists());
    let numbered = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let number = |e: &std::fs::DirEntry| e.file_name().to_string_lossy().parse::<u32>().ok();
    let mut numbered: Vec<_> =
        numbered.filter_map(|e| Some((number(&e)?, e.path().join("bin")))).collect();
    numbered.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    numbered.into_iter().rev().map(|(_, bin)| bin).chain(std::env::split_paths(&path)).find(whole)
}

/// The beginning of a command that gets a signal when the lab ends, however that is, and no variable of [`WITHHELD`].
fn ending_with_the_lab(signal: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", signal]);
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_withheld(name)) {
        command.env_remove(name);
    }
    command
}

/// True for a variable that another product is not given.
fn is_withheld(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    WITHHELD.iter().any(|beginning| name.starts_with(beginning))
}

/// A client's command, which is killed when the lab ends.
fn client(program: &str) -> Command {
    let mut command = ending_with_the_lab("KILL");
    command.args(["--", program]);
    command
}

/// An error in words where a program that helps a product is not there.
fn told_of_help(program: &str, word: &str) -> Result<(), String> {
    told(Command::new(program).arg(word)).map(drop).map_err(|_| format!("there is no {program}"))
}

/// The output of a command that ends well; else its complaint.
fn told(command: &mut Command) -> io::Result<String> {
    let out = command.stdin(Stdio::null()).output()?;
    well(&out).map_err(io::Error::other)?;
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// An error where a command has not ended well.
fn well(out: &Output) -> Result<(), String> {
    if out.status.success() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&out.stderr);
    Err(complaint(&told).map_or_else(|| out.status.to_string(), str::to_owned))
}

/// The first line that speaks of an error, without the lines that are drawn below it; else the last one.
fn complaint(told: &str) -> Option<&str> {
    let mut lines = told.lines().filter(|l| !l.trim().is_empty());
    let speaks = |line: &str| {
        let line = line.to_lowercase();
        ["error", "fatal", "panic"].iter().any(|word| line.contains(word))
    };
    lines.clone().find(|line| speaks(line)).or(lines.next_back())
}

/// Runs each script by a client of its own.
fn timed(scripts: &[Script], interrupted: &Interrupted, client: impl Fn() -> Command) -> TimedPeer {
    let mut measured = Vec::new();
    for (name, script) in scripts {
        let seconds = once(client(), script, interrupted)?;
        measured.extend(name.clone().map(|name| (name, seconds)));
    }
    Ok(measured)
}

/// Seconds from the start of a client to its end; an interrupt kills it.
fn once(mut client: Command, script: &str, interrupted: &Interrupted) -> Result<f64, Stop> {
    let began = Instant::now();
    client.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = client.spawn()?;
    let process = pid(&child);
    let stdin = child.stdin.take();
    let (ended, end) = channel();
    let (out, seconds) = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A client that has ended says why on its standard error.
            let written = stdin.map(|mut stdin| stdin.write_all(script.as_bytes()));
            drop(written);
            let out = child.wait_with_output();
            let _ = ended.send((out, began.elapsed().as_secs_f64()));
        });
        loop {
            match end.recv_timeout(LOOK) {
                Ok(told) => return Ok(told),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Stop::Failed("the thread of a client has panicked".into()));
                }
                Err(RecvTimeoutError::Timeout) if interrupted.is_set() => {
                    if let Some(process) = process {
                        let _ = kill_process(process, Signal::KILL);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })?;
    interrupted.check()?;
    well(&out?)?;
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::files::fill;
    use crate::experiment::read::Experiment;

    /// The scripts of `loop` for a product, of few rows, and one more.
    fn scripts(product: Product, more: &str) -> Vec<Script> {
        let experiment = Experiment::find("loop").unwrap();
        let values = [("rows", "25"), ("commit_rows", "10")];
        let values = values.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let text = |file: &str| fill(&experiment.files.texts[&product.script(file)], &values);
        vec![
            (None, text("setup.sql").unwrap()),
            (Some("insert".into()), text("loop.sql").unwrap()),
            (None, more.to_owned()),
        ]
    }

    fn scratch(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("taffrail-{name}-{}", std::process::id()))
    }

    /// False, and said, where a product is not installed; nothing else keeps it from its work.
    fn is_there(peers: &Peers, product: Product) -> bool {
        let lacks = peers.lacks(product);
        if let Some(why) = &lacks {
            assert!(why.contains("is not installed"), "{why}");
            eprintln!("{} IS NOT TESTED: {why}", product.name());
        }
        lacks.is_none()
    }

    #[test]
    fn products_that_are_installed_do_the_work() {
        let scratch = scratch("peers");
        let peers = Peers::look(Some(&scratch));
        let count = "CREATE TABLE whole (found int CHECK (found = 25));
INSERT INTO whole SELECT count(*) FROM my_table;\n";
        for product in [Product::Sqlite, Product::Postgresql] {
            if !is_there(&peers, product) {
                continue;
            }
            let run = |scripts: &[Script]| peers.run(product, scripts, &Interrupted::default());
            let done = run(&scripts(product, count)).unwrap();
            assert!(matches!(&*done, [(name, s)] if name == "insert" && *s > 0.0), "{done:?}");
            // Once more: what the first one has made is gone.
            assert!(run(&scripts(product, count)).is_ok());
            let wrong = run(&scripts(product, "SELECT nothing FROM my_table;\n"));
            let said = wrong.unwrap_err().to_string();
            assert!(said.starts_with(product.name()) && said.contains("nothing"), "{said}");
            let missing = run(&scripts(product, &count.replace("25", "26"))).unwrap_err();
            assert!(missing.to_string().to_lowercase().contains("check"), "{missing}");
        }
        std::fs::remove_dir_all(&scratch).unwrap();
    }

    #[test]
    fn a_loop_that_loses_rows_fails() {
        let scratch = scratch("few-rows");
        let peers = Peers::look(Some(&scratch));
        let lossy = [
            (Product::Sqlite, "|awk ", "|false "),
            (Product::Sqlite, "rows=25", "rows=24"),
            (Product::Postgresql, "counter - 1;", "counter - 2;"),
        ];
        for (product, whole, less) in lossy {
            if !is_there(&peers, product) {
                continue;
            }
            let mut scripts = scripts(product, "");
            assert!(scripts[1].1.contains(whole), "{}", scripts[1].1);
            scripts[1].1 = scripts[1].1.replace(whole, less);
            let said = peers.run(product, &scripts, &Interrupted::default()).unwrap_err();
            assert!(said.to_string().contains("rows_are_there"), "{said}");
        }
        std::fs::remove_dir_all(&scratch).unwrap();
    }

    #[test]
    fn a_cluster_that_does_not_start_says_why() {
        let scratch = scratch("no-start");
        let peers = Peers::look(Some(&scratch));
        if is_there(&peers, Product::Postgresql) {
            let settings = scratch.join("peers/pg/postgresql.conf");
            std::fs::write(&settings, "no_such_setting = 1\n").unwrap();
            let said = peers.run(Product::Postgresql, &[], &Interrupted::default()).unwrap_err();
            assert!(said.to_string().contains("postgresql.conf"), "{said}");
        }
        std::fs::remove_dir_all(&scratch).unwrap();
    }

    #[test]
    fn a_path_too_long_for_a_socket_leaves_postgresql_out() {
        let scratch = scratch("long");
        let peers = Peers::look(Some(&scratch.join("x".repeat(SOCKET_BYTES))));
        let why = peers.lacks(Product::Postgresql).unwrap();
        let told = ["more than 107 bytes: choose a shorter --out", "is not installed"];
        assert!(told.iter().any(|words| why.contains(words)), "{why}");
        is_there(&peers, Product::Sqlite);
        std::fs::remove_dir_all(&scratch).unwrap();
    }

    #[test]
    fn passwords_and_settings_are_withheld() {
        for name in ["PGPORT", "SQLCMDPASSWORD", "TAFFRAIL_LAB_PASSWORD", "MSSQL_SA_PASSWORD"] {
            assert!(is_withheld(OsStr::new(name)), "{name}");
        }
        assert!(!is_withheld(OsStr::new("PATH")));
    }

    #[test]
    fn without_a_server_of_the_labs_own_there_are_none() {
        let peers = Peers::look(None);
        let why = peers.lacks(Product::Sqlite).unwrap();
        assert_eq!(why, "only beside a server of the lab's own");
        assert_eq!(Peers::default().lacks(Product::Sqlite).unwrap(), "only with --peers");
    }
}

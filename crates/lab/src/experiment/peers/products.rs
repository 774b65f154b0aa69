//! The products: where their programs are, how their data is made, how their servers start and their clients connect.

use super::super::spec::Product;
use super::super::stop::{Interrupted, Stop};
use super::process::{
    Dialog, LOOK, client, complaint, ending_with_the_lab, pid, told, told_of_help,
};
use rustix::process::{Signal, kill_process};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to start.
const STARTS: Duration = Duration::from_secs(30);
/// Name of a server's socket in the directory of its data. PostgreSQL's bears the port that it has without PGPORT.
const SOCKET: &str = ".s.PGSQL.5432";
/// Bytes of a socket's path that Linux takes, without the zero at its end.
const SOCKET_BYTES: usize = 107;

/// Settings of a PostgreSQL server, which are its defaults but for the last two.
const POSTGRESQL: [&str; 5] = [
    "fsync=on",
    "full_page_writes=on",
    "synchronous_commit=on",
    "autovacuum=off",
    "max_connections=300",
];
/// Settings of a MariaDB server, which are its defaults but for the last one.
const MARIADB: [&str; 4] = [
    "innodb-flush-log-at-trx-commit=1",
    "innodb-doublewrite=1",
    "skip-log-bin",
    "max-connections=300",
];

/// The program that makes MariaDB's data.
const INSTALLS_MARIADB: &str = "mariadb-install-db";

/// A product that is installed.
pub struct Installed {
    product: Product,
    /// Version of its server, or of its client where it has none.
    pub version: String,
    /// The directory of its data.
    place: PathBuf,
    /// The directory of its server's programs; empty for one without a server.
    programs: PathBuf,
}

/// An empty database of a product, served while this lives.
pub struct Ready<'a> {
    product: &'a Installed,
    _server: Option<Running>,
}

impl Installed {
    /// Looks for a product, whose data is to lie below a directory; else why it cannot be measured. Makes nothing.
    pub fn look(product: Product, below: &Path) -> Result<Installed, String> {
        let absent = |why: &str| format!("{} is not installed: {why}", product.name());
        let bin = match product {
            Product::Sqlite => PathBuf::new(),
            Product::Postgresql => {
                programs(&numbered("/usr/lib/postgresql"), &["postgres", "initdb"])
                    .ok_or_else(|| absent("there is no postgres beside an initdb"))?
            }
            Product::Mariadb => programs(&["/usr/sbin".into()], &["mariadbd"])
                .ok_or_else(|| absent("there is no mariadbd"))?,
        };
        let (server, helpers, place): (PathBuf, &[&str], _) = match product {
            Product::Sqlite => ("sqlite3".into(), &["setpriv", "stdbuf"], "sqlite"),
            Product::Postgresql => (bin.join("postgres"), &["psql", "setpriv", "stdbuf"], "pg"),
            Product::Mariadb => {
                let helpers = &["mariadb", INSTALLS_MARIADB, "setpriv", "stdbuf"];
                (bin.join("mariadbd"), helpers, "maria")
            }
        };
        let told = told(Command::new(&server).arg("--version"))
            .map_err(|_| absent(&format!("there is no {}", server.display())))?;
        for helper in helpers {
            if *helper == INSTALLS_MARIADB {
                // A script that knows no --version.
                let there = programs(&[], &[helper]);
                there.ok_or_else(|| absent(&format!("there is no {helper}")))?;
                continue;
            }
            told_of_help(helper, "--version").map_err(|why| absent(&why))?;
        }
        if product == Product::Sqlite {
            // An awk need not know --version.
            told_of_help("awk", "BEGIN { }").map_err(|why| absent(&why))?;
        }
        let version = version(&told);
        let found = Installed { product, version, place: below.join(place), programs: bin };
        if product != Product::Sqlite && found.socket().as_os_str().len() > SOCKET_BYTES {
            return Err(format!(
                "{}'s socket in {} has a path of more than {SOCKET_BYTES} bytes: choose a shorter --out",
                product.name(),
                found.place.display()
            ));
        }
        Ok(found)
    }

    /// Its durable settings, for readers.
    pub fn settings(&self) -> String {
        match self.product {
            Product::Sqlite => "journal_mode = WAL".to_owned(),
            Product::Postgresql => POSTGRESQL[..4].join(", ").replace('=', " = "),
            Product::Mariadb => MARIADB[..3].join(", ").replace('=', " = ").replace('-', "_"),
        }
    }

    /// Disk that it takes without the work's own, MB.
    pub fn disk_mb(product: Product) -> u64 {
        match product {
            Product::Sqlite => 1,
            Product::Postgresql => 60,
            Product::Mariadb => 150,
        }
    }

    /// Makes the directory of its data, and a server's files in it.
    pub fn make(&self) -> io::Result<()> {
        for place in [&self.place, &self.temporary()] {
            std::fs::create_dir_all(place)?;
            if rustix::process::geteuid().is_root() && self.product != Product::Sqlite {
                told(Command::new("chown").arg(format!("{}:", self.owner())).arg(place))?;
            }
        }
        if self.product == Product::Sqlite {
            return Ok(());
        }
        let mut maker = match self.product {
            Product::Mariadb => {
                let mut maker = self.program(Path::new(INSTALLS_MARIADB));
                maker.arg("--no-defaults").arg(self.argument("--datadir=", &self.place));
                maker.arg(self.argument("--tmpdir=", &self.temporary()));
                maker.args(["--auth-root-authentication-method=normal", "--skip-test-db"]);
                maker
            }
            _ => {
                let mut maker = self.program(&self.programs.join("initdb"));
                maker.arg("-D").arg(&self.place);
                maker.args(["-A", "trust", "-U", "postgres", "--no-locale", "-E", "UTF8"]);
                maker
            }
        };
        told(&mut maker).map(drop)
    }

    /// Name of the user whom the product's package has made.
    fn owner(&self) -> &'static str {
        if self.product == Product::Mariadb { "mysql" } else { "postgres" }
    }

    /// A directory for temporary files: those of two MariaDBs in one directory may have the same names.
    fn temporary(&self) -> PathBuf {
        self.place.with_extension("tmp")
    }

    fn socket(&self) -> PathBuf {
        self.place.join(SOCKET)
    }

    fn argument(&self, name: &str, path: &Path) -> std::ffi::OsString {
        let mut argument = std::ffi::OsString::from(name);
        argument.push(path);
        argument
    }

    /// A program of the server's; as root it is run by the owner of the data.
    fn program(&self, program: &Path) -> Command {
        // PostgreSQL's fast shutdown; the signal that MariaDB ends at.
        let signal = if self.product == Product::Mariadb { "TERM" } else { "INT" };
        let mut command = ending_with_the_lab(signal);
        if rustix::process::geteuid().is_root() {
            let owner = self.owner();
            command.arg(format!("--reuid={owner}")).arg(format!("--regid={owner}"));
            command.arg("--init-groups");
        }
        command.arg("--").arg(program).stdin(Stdio::null());
        command.current_dir("/").process_group(0);
        command
    }

    /// The command that serves the data, to clients that reach its directory alone.
    fn server(&self) -> Command {
        if self.product == Product::Mariadb {
            let mut server = self.program(&self.programs.join("mariadbd"));
            server.arg("--no-defaults").arg(self.argument("--datadir=", &self.place));
            server.arg(self.argument("--socket=", &self.socket()));
            server.arg(self.argument("--pid-file=", &self.place.join("pid")));
            server.arg(self.argument("--tmpdir=", &self.temporary())).arg("--skip-networking");
            server.args(MARIADB.iter().map(|setting| format!("--{setting}")));
            return server;
        }
        let mut server = self.program(&self.programs.join("postgres"));
        server.arg("-D").arg(&self.place).arg("-k").arg(&self.place).args(["-h", ""]);
        server.args(POSTGRESQL.iter().flat_map(|setting| ["-c", setting]));
        server
    }

    /// Starts its server, if it has one, with an empty database.
    pub fn ready(&self, interrupted: &Interrupted) -> Result<Ready<'_>, Stop> {
        if self.product == Product::Sqlite {
            for end in ["", "-wal", "-shm", "-journal"] {
                match std::fs::remove_file(self.place.join(format!("lab.db{end}"))) {
                    Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e.into()),
                    _ => {}
                }
            }
            return Ok(Ready { product: self, _server: None });
        }
        // Beside the data, which is its owner's alone.
        let complaints = self.place.with_extension("log");
        let child =
            self.server().stdout(Stdio::null()).stderr(File::create(&complaints)?).spawn()?;
        let mut server = Running { child, maria: self.product == Product::Mariadb };
        let fails = |why: String| match std::fs::read_to_string(&complaints) {
            Ok(text) => {
                let why = complaint(&text).map_or(why, str::to_owned);
                Stop::Failed(format!("its server does not start: {why}"))
            }
            Err(e) => Stop::Failed(format!("{}: {e}", complaints.display())),
        };
        let began = Instant::now();
        let ask = |sql: &str| told(self.client("").args([self.words(), sql]));
        while let Err(e) = ask("SELECT 1") {
            if let Some(status) = server.child.try_wait()? {
                return Err(fails(status.to_string()));
            }
            if began.elapsed() > STARTS {
                return Err(fails(e.to_string()));
            }
            interrupted.check()?;
            std::thread::sleep(LOOK);
        }
        if self.product == Product::Postgresql {
            // A script may have changed settings of the cluster.
            ask("ALTER SYSTEM RESET ALL")?;
            ask("SELECT pg_reload_conf()")?;
        }
        ask("DROP DATABASE IF EXISTS lab")?;
        ask("CREATE DATABASE lab")?;
        Ok(Ready { product: self, _server: Some(server) })
    }

    /// The flag of its client before a statement.
    fn words(&self) -> &'static str {
        if self.product == Product::Mariadb { "-e" } else { "-c" }
    }

    /// A client of a database, or of the one that there is always.
    fn client(&self, database: &str) -> Command {
        match self.product {
            Product::Sqlite => {
                let mut client = client("sqlite3");
                client.args(["-init", "/dev/null", "-batch", "-bail"]);
                client.arg(self.place.join("lab.db"));
                client
            }
            Product::Postgresql => {
                let mut client = client("psql");
                client.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-h"]);
                let database = if database.is_empty() { "postgres" } else { database };
                client.arg(&self.place).args(["-d", database]);
                client
            }
            Product::Mariadb => {
                let mut client = client("mariadb");
                client.args(["--no-defaults", "-u", "root", "-N", "-B", "-n"]);
                client.arg(self.argument("--socket=", &self.socket()));
                client.args([database].iter().filter(|d| !d.is_empty()));
                client
            }
        }
    }
}

impl Ready<'_> {
    /// So many clients of the database, when all of them are connected.
    pub fn dialogs(&self, count: u32, interrupted: &Interrupted) -> Result<Vec<Dialog>, Stop> {
        let marks = match self.product.product {
            Product::Sqlite => ".print taffrail-lab-done",
            Product::Postgresql => "\\echo taffrail-lab-done",
            Product::Mariadb => "SELECT 'taffrail-lab-done';",
        };
        let begin = |_| Dialog::begin(self.product.client("lab"), marks);
        let mut all = (0..count).map(begin).collect::<io::Result<Vec<_>>>()?;
        all.iter_mut().try_for_each(|client| client.ask("", interrupted))?;
        Ok(all)
    }
}

/// A server; it is shut down where this is dropped.
struct Running {
    child: Child,
    maria: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(pid) = pid(&self.child) {
            let signal = if self.maria { Signal::TERM } else { Signal::INT };
            let _ = kill_process(pid, signal);
        }
        let _ = self.child.wait();
    }
}

/// `…/NN/bin`, the highest number first.
fn numbered(root: &str) -> Vec<PathBuf> {
    let there = std::fs::read_dir(root).into_iter().flatten().flatten();
    let number = |e: &std::fs::DirEntry| e.file_name().to_string_lossy().parse::<u32>().ok();
    let mut there: Vec<_> =
        there.filter_map(|e| Some((number(&e)?, e.path().join("bin")))).collect();
    there.sort();
    there.into_iter().rev().map(|(_, bin)| bin).collect()
}

/// The first of these directories, and of PATH, that has all of these programs.
fn programs(first: &[PathBuf], names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&path).collect::<Vec<_>>();
    let whole = |bin: &&PathBuf| names.iter().all(|name| bin.join(name).exists());
    first.iter().chain(&path).find(whole).cloned()
}

/// The first word that begins with a digit and has a point, as far as it is a number: `15.18`, `10.11.19`.
fn version(told: &str) -> String {
    let is_version = |w: &&str| w.starts_with(|c: char| c.is_ascii_digit()) && w.contains('.');
    let word = told.split_whitespace().find(is_version).unwrap_or_default();
    word.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        for (told, number) in [
            ("3.40.1 2022-12-28 14:03:47 df5c", "3.40.1"),
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "15.18"),
            ("mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu", "10.11.19"),
            ("nothing", ""),
        ] {
            assert_eq!(version(told), number, "{told}");
        }
    }

    #[test]
    fn a_path_too_long_for_a_socket_leaves_a_server_out() {
        let place = std::env::temp_dir().join("x".repeat(SOCKET_BYTES));
        for product in [Product::Postgresql, Product::Mariadb] {
            let why = Installed::look(product, &place).err().unwrap();
            let told = ["more than 107 bytes: choose a shorter --out", "is not installed"];
            assert!(told.iter().any(|words| why.contains(words)), "{why}");
        }
        assert!(!place.exists(), "to look makes nothing");
    }
}

//! The server that is measured: one of the lab's own, or one that is there.

use super::record::Server;
use super::stop::Stop;
use crate::client::{Answer, Client, ClientError, ConnectOptions, Disagreement, display};
use crate::launch::{Launch, Taffrail};
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A server, and how to reach it.
pub struct Place {
    connect: ConnectOptions,
    own: Option<Own>,
    /// Holds the lock of [`TURN`] on a server that is there.
    _turn: Option<Client>,
    /// Product, version and machine, as the server tells them.
    pub server: Server,
    /// Where its data and log files go: a path that ends in its separator, or nothing where it does not say.
    pub paths: [String; 2],
}

/// A way to run the binary of the lab's own server.
pub type Binary = Box<dyn Fn() -> io::Result<Command>>;

/// A server of the lab's own, with its data in a scratch directory.
struct Own {
    binary: Binary,
    scratch: PathBuf,
    server: Option<Taffrail>,
    keep: bool,
    /// Locked while the run lasts, so that another one leaves the directory alone.
    mark: File,
}

/// The file by which a directory is known as one of the lab's.
const MARK: &str = "taffrail-lab-scratch";
/// The text of that file where the directory stays.
const KEPT: &str = "kept";

/// Takes the one place for a run that a server has, for as long as the session lasts: a negative value where another run has it. Two
/// runs would drop each other's databases.
const TURN: &str = "DECLARE @turn int
EXEC @turn = sp_getapplock @Resource = N'taffrail lab', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0
SELECT @turn";

impl Place {
    /// A server that is there.
    pub fn there(connect: ConnectOptions) -> Result<Place, Stop> {
        let mut client =
            connected(&ConnectOptions { database: "master".into(), ..connect.clone() })?;
        let turn = client.query(TURN)?.first_value();
        if turn.starts_with('-') {
            let at = format!("{},{}", connect.host, connect.port);
            return Err(Stop::Failed(format!(
                "{at}: another run of the lab goes on there, and its databases have the same names: wait for its end"
            )));
        }
        let (server, paths) = told(&mut client, None)?;
        Ok(Place { connect, own: None, _turn: Some(client), server, paths })
    }

    /// Starts a server with its data in `scratch`, which is made, and removed in the end unless it is to be kept.
    pub fn start(binary: Binary, scratch: &Path) -> Result<Place, Stop> {
        let shown = |e: std::io::Error| Stop::Failed(format!("{}: {e}", scratch.display()));
        if scratch.exists() {
            let refused = |why: &str| Stop::Failed(format!("{} {why}", scratch.display()));
            let mark = File::open(scratch.join(MARK))
                .map_err(|_| refused("is there already, and the lab has not made it"))?;
            flock(&mark, FlockOperation::NonBlockingLockExclusive)
                .map_err(|_| refused("is in use by another run: choose another --out"))?;
            if io::read_to_string(&mark).map_err(shown)? == KEPT {
                return Err(refused(
                    "holds the data of an earlier --keep: remove it, or choose another --out",
                ));
            }
            if is_served(&scratch.join("data")).map_err(shown)? {
                return Err(refused(
                    "holds the data of a server that runs: stop it, or choose another --out",
                ));
            }
            std::fs::remove_dir_all(scratch).map_err(shown)?;
        }
        std::fs::create_dir_all(scratch).map_err(shown)?;
        let mark = File::create(scratch.join(MARK)).map_err(shown)?;
        flock(&mark, FlockOperation::NonBlockingLockExclusive)?;
        let scratch = scratch.canonicalize().map_err(shown)?;
        let connect = ConnectOptions { password: password()?, ..ConnectOptions::default() };
        let mut own = Own { binary, scratch, server: None, keep: false, mark };
        let connect = own.launch(connect)?;
        let mut client = connected(&connect)?;
        let (server, paths) = told(&mut client, Some(&own.scratch))?;
        Ok(Place { connect, own: Some(own), _turn: None, server, paths })
    }

    /// Keeps the data of a server of the lab's own, however the run ends: later runs leave it alone.
    pub fn keep(&mut self) -> Result<(), Stop> {
        if let Some(own) = &mut self.own {
            own.mark.write_all(KEPT.as_bytes())?;
            own.mark.sync_all()?;
            own.keep = true;
        }
        Ok(())
    }

    /// The data directory of a server of the lab's own, and the password of its `sa`.
    pub fn kept(&self) -> Option<(PathBuf, &str)> {
        let own = self.own.as_ref().filter(|own| own.keep)?;
        Some((own.scratch.join("data"), &self.connect.password))
    }

    /// A connection to a database; empty for the login's.
    pub fn client(&self, database: &str) -> Result<Client, Stop> {
        connected(&ConnectOptions { database: database.into(), ..self.connect.clone() })
    }

    /// The scratch directory of a server of the lab's own.
    pub fn scratch(&self) -> Option<&Path> {
        self.own.as_ref().map(|own| own.scratch.as_path())
    }

    /// Bytes that a server of the lab's own has sent to the device.
    pub fn written(&self) -> Option<u64> {
        self.own.as_ref()?.server.as_ref()?.written().ok()
    }

    /// Kills a server of the lab's own (SIGKILL).
    pub fn kill(&mut self) -> Result<(), Stop> {
        let server = self.own.as_mut().and_then(|own| own.server.take());
        let server = server.ok_or_else(|| Stop::Failed("the lab kills only its own".into()))?;
        Ok(server.kill()?)
    }

    /// Starts it again; returns when it is ready and has recovered its databases.
    pub fn again(&mut self) -> Result<(), Stop> {
        const LEFT: &str = "SELECT COUNT(*) FROM sys.databases WHERE state_desc = 'RECOVERING'";
        let Some(own) = &mut self.own else { return Ok(()) };
        self.connect = own.launch(self.connect.clone())?;
        let mut client = self.client("master")?;
        while client.query(LEFT)?.first_value() != "0" {
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Own {
    fn launch(&mut self, connect: ConnectOptions) -> Result<ConnectOptions, Stop> {
        let complaints = self.scratch.join("server.log");
        // However the lab ends, its server does not outlive it.
        let lab = std::process::id().to_string();
        let more = ["--console", "off", "--end-with", &lab].map(OsStr::new);
        let launch = Launch {
            data: &self.scratch.join("data"),
            more: &more,
            password: &connect.password,
            complaints: Some(&complaints),
        };
        let (server, _) = Taffrail::launched((self.binary)()?, &launch).map_err(|e| {
            let told = std::fs::read_to_string(&complaints).unwrap_or_default();
            let last = told.lines().rev().find(|l| !l.is_empty());
            let why = last.map_or_else(|| e.to_string(), str::to_owned);
            Stop::Failed(format!("the lab's own server does not start: {why}"))
        })?;
        let port = server.port();
        self.server = Some(server);
        Ok(ConnectOptions { port, ..connect })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // An orderly end only where the files stay; those that go need none.
        match self.server.take() {
            Some(server) if self.keep => {
                let _ = server.end();
            }
            server => drop(server),
        }
        if !self.keep {
            let _ = std::fs::remove_dir_all(&self.scratch);
        }
    }
}

/// Whether a server holds the lock of a data directory.
fn is_served(data: &Path) -> io::Result<bool> {
    let lock = match File::open(data.join("taffrail.lock")) {
        Ok(lock) => lock,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(e),
    };
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(false),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(true),
        Err(e) => Err(e.into()),
    }
}

/// A password that nobody else knows.
fn password() -> Result<String, Stop> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    Ok(format!("Lab-{hex}!"))
}

fn connected(options: &ConnectOptions) -> Result<Client, Stop> {
    let at = format!("{},{}", options.host, options.port);
    Client::connect(options).map_err(|e| {
        Stop::Failed(match e {
            ClientError::Server(messages) => {
                let texts: Vec<&str> = messages.iter().map(|m| m.message.as_str()).collect();
                let none = match options.password.is_empty() {
                    true => " No password was given: SQLCMDPASSWORD or -P has it.",
                    false => "",
                };
                format!("{at} refuses the login: {}{none}", texts.join(" "))
            }
            ClientError::Io(e) if e.kind() == std::io::ErrorKind::ConnectionRefused => {
                format!("{at}: nobody listens there")
            }
            ClientError::Io(e) if e.kind() == std::io::ErrorKind::TimedOut => {
                format!("{at}: no answer in time: is this a SQL Server?")
            }
            ClientError::Io(e) => format!("{at}: {e}: is this a SQL Server?"),
            ClientError::Protocol(why) => format!("{at} is no SQL Server: {why}"),
            ClientError::Encryption(Disagreement::EncryptsNothing) => {
                format!("{at}: {}: -N disable sends it all the same", Disagreement::EncryptsNothing)
            }
            ClientError::Encryption(why) => format!("{at}: {why}"),
        })
    })
}

/// The first row of an answer as texts.
pub fn first_row(answer: &Answer) -> Vec<String> {
    let row = answer.sets.first().and_then(|s| Some((s.rows.first()?, &s.types)));
    row.map_or(Vec::new(), |(row, types)| {
        row.iter().zip(types).map(|(v, t)| display(v, *t)).collect()
    })
}

/// Product, version, machine and directories, as a server tells them.
fn told(client: &mut Client, scratch: Option<&Path>) -> Result<(Server, [String; 2]), Stop> {
    let version = client.query("SELECT @@VERSION")?.first_value();
    let lines: Vec<&str> = version.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let taffrail = version.contains("Taffrail");
    // A server that does not show these to this login is measured all the same.
    let mut asked = |sql: &str| client.query(sql).map(|a| first_row(&a)).unwrap_or_default();
    let machine = asked("SELECT cpu_count, physical_memory_kb / 1024 FROM sys.dm_os_sys_info");
    let number = |at: usize| machine.get(at).and_then(|t: &String| t.parse().ok()).unwrap_or(0);
    let paths = asked(
        "SELECT CONVERT(nvarchar(400), SERVERPROPERTY('InstanceDefaultDataPath')), \
         CONVERT(nvarchar(400), SERVERPROPERTY('InstanceDefaultLogPath'))",
    );
    let path = |at: usize| paths.get(at).filter(|p| *p != "NULL").cloned().unwrap_or_default();
    let server = Server {
        product: if taffrail { "Taffrail" } else { "SQL Server" }.into(),
        version: lines.get(usize::from(taffrail)).copied().unwrap_or_default().to_owned(),
        own: scratch.is_some(),
        processors: number(0) as u32,
        memory_mb: number(1),
        machine: scratch.map(machine_in_words).unwrap_or_default(),
    };
    Ok((server, [path(0), path(1)]))
}

/// Processor, kernel and file system of this machine.
fn machine_in_words(scratch: &Path) -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": "));
    let kernel = rustix::system::uname();
    let mut words = Vec::new();
    words.extend(model.map(|(_, name)| name.trim().to_owned()));
    words.push(format!("Linux {}", kernel.release().to_string_lossy()));
    words.extend(file_system(scratch));
    words.join(", ")
}

/// The type of the file system that a directory lies on: that of the longest mount point above it.
fn file_system(place: &Path) -> Option<String> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    let above = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        let (at, kind) = (words.next()?, words.next()?);
        place.starts_with(at).then_some((at.len(), kind))
    });
    above.max_by_key(|(length, _)| *length).map(|(_, kind)| kind.to_owned())
}

/// Room on the file system of a directory, MB.
pub fn free_mb(place: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(place).ok()?;
    Some(stat.f_bavail * stat.f_frsize / (1 << 20))
}

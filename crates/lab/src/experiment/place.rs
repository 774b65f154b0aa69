//! The server that is measured: one of the lab's own, or one that is there.

use super::record::Server;
use super::stop::Stop;
use crate::client::{Answer, Client, ClientError, ConnectOptions, Disagreement, display};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server, and how to reach it.
pub struct Place {
    connect: ConnectOptions,
    own: Option<Own>,
    /// Product, version and machine, as the server tells them.
    pub server: Server,
    /// Where its data and log files go: a path that ends in its separator, or nothing where it does not say.
    pub paths: [String; 2],
}

/// A server of the lab's own, with its data in a scratch directory.
struct Own {
    binary: PathBuf,
    scratch: PathBuf,
    child: Option<Child>,
    keep: bool,
    /// Locked while the run lasts, so that another one leaves the directory alone.
    _mark: File,
}

/// The file by which a directory is known as one of the lab's.
const MARK: &str = "taffrail-lab-scratch";

impl Place {
    /// A server that is there.
    pub fn there(connect: ConnectOptions) -> Result<Place, Stop> {
        let mut client = connected(&connect)?;
        let (server, paths) = told(&mut client, None)?;
        Ok(Place { connect, own: None, server, paths })
    }

    /// Starts `binary` as a server with its data in `scratch`, which is made, and removed in the end unless `keep`.
    pub fn start(binary: &Path, scratch: &Path, keep: bool) -> Result<Place, Stop> {
        let shown = |e: std::io::Error| Stop::Failed(format!("{}: {e}", scratch.display()));
        if scratch.exists() {
            let refused = |why: &str| Stop::Failed(format!("{} {why}", scratch.display()));
            let mark = File::open(scratch.join(MARK))
                .map_err(|_| refused("is there already, and the lab has not made it"))?;
            flock(&mark, FlockOperation::NonBlockingLockExclusive)
                .map_err(|_| refused("is in use by another run: choose another --out"))?;
            std::fs::remove_dir_all(scratch).map_err(shown)?;
        }
        std::fs::create_dir_all(scratch).map_err(shown)?;
        let mark = File::create(scratch.join(MARK)).map_err(shown)?;
        flock(&mark, FlockOperation::NonBlockingLockExclusive)?;
        let scratch = scratch.canonicalize().map_err(shown)?;
        let connect = ConnectOptions { password: password()?, ..ConnectOptions::default() };
        let mut own = Own { binary: binary.to_owned(), scratch, child: None, keep, _mark: mark };
        let connect = own.launch(connect)?;
        let mut client = connected(&connect)?;
        let (server, paths) = told(&mut client, Some(&own.scratch))?;
        Ok(Place { connect, own: Some(own), server, paths })
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
        let pid = self.own.as_ref()?.child.as_ref()?.id();
        let text = std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
        text.lines().find_map(|l| l.strip_prefix("write_bytes:")?.trim().parse().ok())
    }

    /// Kills a server of the lab's own (SIGKILL).
    pub fn kill(&mut self) -> Result<(), Stop> {
        let child = self.own.as_mut().and_then(|own| own.child.take());
        let mut child = child.ok_or_else(|| Stop::Failed("the lab kills only its own".into()))?;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// Starts it again; returns when it is ready.
    pub fn again(&mut self) -> Result<(), Stop> {
        if let Some(own) = &mut self.own {
            self.connect = own.launch(self.connect.clone())?;
        }
        Ok(())
    }
}

impl Own {
    fn launch(&mut self, connect: ConnectOptions) -> Result<ConnectOptions, Stop> {
        let log = self.scratch.join("server.log");
        let log = File::options().create(true).append(true).open(log)?;
        let mut child = Command::new(&self.binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--console", "off", "--data"])
            .arg(self.scratch.join("data"))
            .env("TAFFRAIL_SA_PASSWORD", &connect.password)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            // A group of its own: Ctrl+C is the lab's, which ends the server when it has cleaned up.
            .process_group(0)
            .spawn()
            .map_err(|e| Stop::Failed(format!("{}: {e}", self.binary.display())))?;
        let stdout = child.stdout.take();
        self.child = Some(child);
        let mut line = String::new();
        if let Some(stdout) = stdout {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let port = line.split("tds=").nth(1).and_then(|t| t.split_whitespace().next());
        let port = port.and_then(|t| t.rsplit(':').next()?.parse().ok());
        let port = port.ok_or_else(|| {
            let told = std::fs::read_to_string(self.scratch.join("server.log")).unwrap_or_default();
            let last = told.lines().rev().find(|l| !l.is_empty()).unwrap_or_default();
            Stop::Failed(format!("the lab's own server does not start: {last}"))
        })?;
        Ok(ConnectOptions { port, ..connect })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
            // An orderly end only where the files stay; those that go need none.
            let asked = pid.filter(|_| self.keep).is_some_and(|pid| {
                rustix::process::kill_process(pid, rustix::process::Signal::TERM).is_ok()
            });
            if !asked {
                let _ = child.kill();
            }
            let _ = child.wait();
        }
        if !self.keep {
            let _ = std::fs::remove_dir_all(&self.scratch);
        }
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

//! A server of one's own: a binary in a process of its own, to be measured, killed and started again.

use crate::client::Client;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PASSWORD: &str = "Bench-only-1!";

/// A running server of one's own.
pub struct Taffrail {
    child: Child,
    port: u16,
    password: String,
    /// From the start of the process to its ready line.
    pub time_to_ready: Duration,
}

/// A start of a server: everything but its binary and environment.
pub struct Launch<'a> {
    /// The data directory of the server.
    pub data: &'a Path,
    /// More arguments of `serve`.
    pub more: &'a [&'a OsStr],
    /// The password of `sa`.
    pub password: &'a str,
    /// File behind whose end standard error goes; without it nobody hears that.
    pub complaints: Option<&'a Path>,
}

impl Taffrail {
    /// Starts `binary` on the data directory `data`.
    pub fn start(binary: &Path, data: &Path) -> io::Result<Taffrail> {
        Taffrail::start_with(binary, data, &[])
    }

    /// Starts a server with more arguments.
    pub fn start_with(binary: &Path, data: &Path, more: &[&OsStr]) -> io::Result<Taffrail> {
        Taffrail::started(binary, data, more).map(|(server, _)| server)
    }

    /// Starts a server with a console; the address of the console beside it.
    pub fn start_watched(binary: &Path, data: &Path) -> io::Result<(Taffrail, String)> {
        let more = ["--console", "127.0.0.1:0"].map(OsStr::new);
        let (server, line) = Taffrail::started(binary, data, &more)?;
        let at = line.split("console=http://").nth(1).and_then(|t| t.split_whitespace().next());
        let at = at.ok_or_else(|| io::Error::other(format!("no console: {line:?}")))?;
        let at = at.trim_end_matches('/').to_owned();
        Ok((server, at))
    }

    /// The password of `sa`.
    pub fn password() -> &'static str {
        PASSWORD
    }

    fn started(binary: &Path, data: &Path, more: &[&OsStr]) -> io::Result<(Taffrail, String)> {
        let launch = Launch { data, more, password: PASSWORD, complaints: None };
        Taffrail::launched(Command::new(binary), &launch)
    }

    /// Runs a command of the binary as a server on a free port; the server and its ready line.
    pub fn launched(mut command: Command, with: &Launch<'_>) -> io::Result<(Taffrail, String)> {
        const READY: &str = "taffrail ready:";
        let complaints = match with.complaints {
            Some(file) => File::options().create(true).append(true).open(file)?.into(),
            None => Stdio::null(),
        };
        let began = Instant::now();
        let child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(with.data)
            .args(with.more)
            .env("TAFFRAIL_SA_PASSWORD", with.password)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(complaints)
            .spawn()?;
        let (password, time_to_ready) = (with.password.to_owned(), Duration::ZERO);
        // Ends with this value where it does not become ready.
        let mut server = Taffrail { child, port: 0, password, time_to_ready };
        let stdout =
            server.child.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
        // Lines of the error log may come before.
        let mut lines = BufReader::new(stdout).lines();
        let line = lines.find(|l| l.as_ref().map_or(true, |l| l.starts_with(READY)));
        let line = line.ok_or_else(|| io::Error::other("it has ended before it was ready"))??;
        server.time_to_ready = began.elapsed();
        server.port = line
            .split("tds=")
            .nth(1)
            .and_then(|t| t.split_whitespace().next()?.rsplit(':').next()?.parse().ok())
            .ok_or_else(|| io::Error::other(format!("not a ready line: {line:?}")))?;
        Ok((server, line))
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A connection to a database.
    pub fn client(&self, database: &str) -> io::Result<Client> {
        self.client_at(self.port, database)
    }

    /// A connection as soon as a start has recovered the database: a login waits for that a few seconds by itself.
    pub fn client_once_open(&self, database: &str, at_most: Duration) -> io::Result<Client> {
        let began = Instant::now();
        loop {
            match self.client(database) {
                Err(_) if began.elapsed() < at_most => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                connected => return connected,
            }
        }
    }

    /// A connection by way of somebody who listens at another port.
    pub fn client_at(&self, port: u16, database: &str) -> io::Result<Client> {
        Client::connect(&crate::client::ConnectOptions {
            port,
            password: self.password.clone(),
            database: database.into(),
            ..Default::default()
        })
        .map_err(io::Error::other)
    }

    /// SIGKILL; returns when the process is gone.
    pub fn kill(mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(|_| ())
    }

    /// SIGTERM; returns when the process is gone.
    pub fn end(mut self) -> io::Result<()> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("no process"))?;
        kill_process(pid, Signal::TERM)?;
        self.child.wait().map(|_| ())
    }

    /// Waits until nothing is written any more: a new log is zeroed ahead in the background, and whoever commits beside that
    /// is measured beside that. Half a second without a write is rest; a server that never rests is measured as it is.
    pub fn rest(&self) -> io::Result<()> {
        const QUIET: Duration = Duration::from_millis(500);
        const PATIENCE: Duration = Duration::from_secs(60);
        let began = Instant::now();
        let mut before = self.written()?;
        while began.elapsed() < PATIENCE {
            std::thread::sleep(QUIET);
            let now = self.written()?;
            if now == before {
                break;
            }
            before = now;
        }
        Ok(())
    }

    /// Bytes that the process has sent to the device so far.
    pub fn written(&self) -> io::Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/io", self.child.id()))?;
        text.lines()
            .find_map(|l| l.strip_prefix("write_bytes:")?.trim().parse().ok())
            .ok_or_else(|| io::Error::other("no write_bytes line"))
    }

    /// Proportional memory of the process, MiB.
    pub fn memory_mib(&self) -> io::Result<f64> {
        let path = PathBuf::from(format!("/proc/{}/smaps_rollup", self.child.id()));
        let text = std::fs::read_to_string(path)?;
        let kib = text
            .lines()
            .find_map(|l| {
                l.strip_prefix("Pss:")?.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()
            })
            .ok_or_else(|| io::Error::other("no Pss line"))?;
        Ok(kib / 1024.0)
    }

    /// Processor time of each thread so far: its number, and seconds.
    pub fn threads(&self) -> io::Result<Vec<(u32, f64)>> {
        // The kernel counts in hundredths on every architecture that we run on.
        const TICKS: f64 = 100.0;
        let mut threads = Vec::new();
        for entry in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let path = entry?.path();
            // A thread that has ended meanwhile.
            let Ok(text) = std::fs::read_to_string(path.join("stat")) else { continue };
            let number = path.file_name().and_then(|n| n.to_str()?.parse().ok()).unwrap_or(0);
            // Behind the name, which may have anything in it: state is field 3, utime 14, stime 15.
            let rest = text.rsplit(')').next().unwrap_or_default();
            let fields: Vec<f64> =
                rest.split_whitespace().skip(11).take(2).filter_map(|f| f.parse().ok()).collect();
            threads.push((number, fields.iter().sum::<f64>() / TICKS));
        }
        Ok(threads)
    }
}

impl Drop for Taffrail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

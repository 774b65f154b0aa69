//! Starts the real binary on a free port and takes it down again, for the tests in `e2e/` and for nobody else.
#![forbid(unsafe_code)]

pub mod powercut;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// `sa`'s password in every test.
pub const PASSWORD: &str = "Tests-only-1!";

/// A folder below the system's temporary one that goes with its owner.
pub struct TempDir(PathBuf);

impl TempDir {
    /// A new, empty folder.
    pub fn new(name: &str) -> TempDir {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        // TAFFRAIL_TEST_DIR: a file system that takes O_DIRECT, where /tmp does not.
        let base =
            std::env::var_os("TAFFRAIL_TEST_DIR").map_or(std::env::temp_dir(), PathBuf::from);
        let path = base.join(format!("taffrail-{name}-{}-{n}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("temporary folder");
        TempDir(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        } else {
            eprintln!("kept for a look: {}", self.0.display());
        }
    }
}

/// The `taffrail` binary that belongs to this test run.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("TAFFRAIL_BINARY") {
        return path.into();
    }
    // target/PROFILE/deps/e2e-… → target/PROFILE/taffrail
    let test = std::env::current_exe().expect("own path");
    let path = test.parent().and_then(Path::parent).expect("target folder").join("taffrail");
    assert!(path.exists(), "{} is missing: run `make test`, or build it first", path.display());
    path
}

/// A server process.
pub struct Server {
    child: Child,
    /// The port it listens on.
    pub port: u16,
    /// The line that it printed when it was ready.
    pub ready_line: String,
    /// From the start of the process to that line.
    pub time_to_ready: Duration,
}

impl Server {
    /// Starts a server on a data directory and a free port, with extra arguments, and waits until it is ready.
    pub fn start(data: &Path, arguments: &[&str]) -> Server {
        Server::try_start(data, arguments).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The same; an error when the process ends before it is ready or takes over a minute.
    pub fn try_start(data: &Path, arguments: &[&str]) -> Result<Server, String> {
        Server::launch(Command::new(binary()), data, data, arguments)
    }

    /// Starts a server in a folder, with its data in `./data` there: as `make run` does.
    pub fn start_in(folder: &Path, arguments: &[&str]) -> Server {
        let mut command = Command::new(binary());
        command.current_dir(folder);
        Server::launch(command, Path::new("./data"), &folder.join("data"), arguments)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// `named` is what the command line says, `data` the same seen from here.
    fn launch(
        mut command: Command,
        named: &Path,
        data: &Path,
        arguments: &[&str],
    ) -> Result<Server, String> {
        let started = Instant::now();
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(named)
            .args(arguments)
            .env("TAFFRAIL_SA_PASSWORD", PASSWORD)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr_of(data))
            .spawn()
            .map_err(|e| format!("starting {}: {e}", binary().display()))?;
        let stdout = child.stdout.take().expect("piped");
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let Ok(ready_line) = receive.recv_timeout(Duration::from_secs(60)) else {
            let _ = child.kill();
            let status = child.wait();
            return Err(format!("no ready line; {status:?}; see {}", data.display()));
        };
        let port = ready_line
            .split("tds=")
            .nth(1)
            .and_then(|t| t.split_whitespace().next()?.rsplit(':').next()?.parse().ok())
            .ok_or_else(|| format!("not a ready line: {ready_line}"))?;
        Ok(Server { child, port, ready_line, time_to_ready: started.elapsed() })
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The process's number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL, as a crash of the process would be.
    pub fn kill(mut self) {
        self.child.kill().expect("kill");
        self.child.wait().expect("wait");
    }

    /// SIGKILL from another thread than the one that owns it, which drops it then.
    pub fn kill_now(&self) {
        let pid = rustix::process::Pid::from_raw(self.child.id() as i32).expect("a process id");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("SIGKILL");
    }

    /// SIGTERM; waits for the end.
    pub fn stop(mut self) -> ExitStatus {
        let pid = rustix::process::Pid::from_raw(self.child.id() as i32).expect("a process id");
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("SIGTERM");
        self.child.wait().expect("wait")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stderr_of(data: &Path) -> Stdio {
    let name = format!("{}.stderr", data.display());
    match fs::OpenOptions::new().create(true).append(true).open(name) {
        Ok(file) => file.into(),
        Err(_) => Stdio::inherit(),
    }
}

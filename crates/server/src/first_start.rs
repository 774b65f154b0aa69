//! The first start on a new data directory: a database is made, scripts are run.
//!
//! 1. It is done by a server of its own, which listens on a free port of the loopback interface: nobody else comes in
//!    before it is done.
//! 2. `.init-pending` in the data directory says that it is not done. Who fails ends the server, and the next start begins
//!    with the first script again; a data directory that was there before has nothing to do.
//! 3. An order to stop ends what runs, and no second server comes up: to the next start nothing is done yet.

use crate::errorlog::Level;
use crate::listener::{Server, StartFailure};
use crate::orders::Orders;
use crate::settings::{Place, Settings};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::Access;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use taffrail_io::write_small_file;

/// The file that says that the first start is not done; with [`DONE`] in it, that it is, though it could not be removed.
const PENDING: &str = ".init-pending";
const DONE: &str = "done";
/// The source of our entries.
const SOURCE: &str = "Init";

/// How long between two looks at whether a script has ended, or is to end.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
/// A line that is longer is told in parts.
const LINE_BYTES: usize = 64 << 10;
/// How long a script may take to end that was told to.
const ENDS: Duration = Duration::from_secs(5);

/// Does what there is to do before the server serves, for as long as there is no order to stop. `sqlcmd` is what makes this
/// binary the everyday client.
pub fn run(settings: &Settings, sqlcmd: &[&str], orders: &Orders) -> Result<(), StartFailure> {
    if settings.init_dir.is_none() && settings.init_database.is_none() {
        return Ok(());
    }
    let at = |path: &Path, e: std::io::Error| StartFailure(format!("{}: {e}", path.display()));
    let pending = settings.data.join(PENDING);
    let is_new =
        !settings.data.join("master.mdf").try_exists().map_err(|e| at(&settings.data, e))?;
    // Of a data directory that is made now nothing is left where there are no scripts to run.
    let new_scripts = if is_new { Some(scripts(settings.init_dir.as_deref())?) } else { None };
    if is_new {
        std::fs::create_dir_all(&settings.data).map_err(|e| at(&settings.data, e))?;
        write_small_file(&pending, b"", 0o644).map_err(|e| StartFailure(e.to_string()))?;
    } else {
        match std::fs::read_to_string(&pending) {
            Ok(text) if text.trim() == DONE => return Ok(()),
            Ok(_) => {}
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(at(&pending, e)),
        }
    }
    let scripts = match new_scripts {
        Some(scripts) => scripts,
        None => scripts(settings.init_dir.as_deref())?,
    };
    let private = Settings {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        admin_listen: Place::Off,
        console: Place::Off,
        // The server that stays says these.
        unknown_variables: Vec::new(),
        notes: Vec::new(),
        // What the scripts make is theirs until they have run: a backup would be in the way of what they do next.
        backup_schedule: None,
        ..settings.clone()
    };
    orders.hear()?;
    let server = Server::start(private)?;
    orders.reach(&server)?;
    let done = all(&server, settings, &scripts, sqlcmd, orders)
        .and_then(|all| if all { finish(&server, &pending).map(|()| true) } else { Ok(false) });
    match &done {
        Ok(false) => {
            server.note(Level::Warning, SOURCE, "The order to stop has ended the first start.");
        }
        Ok(true) => server.note(Level::Info, SOURCE, "The first start is done."),
        Err(e) => server.note(Level::Error, SOURCE, &e.0),
    }
    server.stop();
    server.wait()?;
    done.map(|_| ())
}

/// The scripts have run: no later start runs them again, whatever befalls this machine from here on.
fn finish(server: &Server, pending: &Path) -> Result<(), StartFailure> {
    let dir = pending.parent().unwrap_or(Path::new("."));
    let removed =
        std::fs::remove_file(pending).and_then(|()| File::open(dir).and_then(|dir| dir.sync_all()));
    let Err(e) = removed else { return Ok(()) };
    let what = format!("{} could not be removed for good: {e}", pending.display());
    match write_small_file(pending, DONE.as_bytes(), 0o644) {
        Ok(()) => {
            server.note(Level::Warning, SOURCE, &format!("{what}; it says '{DONE}' instead."));
            Ok(())
        }
        Err(also) => Err(StartFailure(format!(
            "first start: all scripts have run, but {what}, nor written: {also}. The next start would run them again: remove it."
        ))),
    }
}

/// The scripts of a directory in order of their names.
fn scripts(dir: Option<&Path>) -> Result<Vec<PathBuf>, StartFailure> {
    let Some(dir) = dir else { return Ok(Vec::new()) };
    let fail = |e: std::io::Error| StartFailure(format!("init_dir: {}: {e}", dir.display()));
    let mut scripts = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|e| e == "sql" || e == "sh") {
            scripts.push(path);
        }
    }
    scripts.sort();
    Ok(scripts)
}

/// Runs everything; false when an order to stop came first.
fn all(
    server: &Server,
    settings: &Settings,
    scripts: &[PathBuf],
    sqlcmd: &[&str],
    orders: &Orders,
) -> Result<bool, StartFailure> {
    let password = match &settings.sa_password {
        Some(password) => password.clone(),
        None => {
            let path = crate::sa::password_file(&settings.data);
            let text = std::fs::read_to_string(&path)
                .map_err(|e| StartFailure(format!("{}: {e}", path.display())))?;
            text.lines().next().unwrap_or_default().to_string()
        }
    };
    let binary = std::env::current_exe().map_err(|e| StartFailure(format!("own path: {e}")))?;
    let client = || {
        let mut command = Command::new(&binary);
        command.args(sqlcmd).args(["-C", "-b"]);
        command
    };
    let connected = |mut command: Command, what: &str| {
        command
            .env("SQLCMDSERVER", format!("127.0.0.1,{}", server.address().port()))
            .env("SQLCMDUSER", "sa")
            .env("SQLCMDPASSWORD", &password);
        step(server, command, what, orders)
    };
    if let Some(name) = &settings.init_database {
        let quoted = name.replace(']', "]]");
        let text = name.replace('\'', "''");
        let mut command = client();
        // A start that failed may have made it. Its name is nothing to put variables into.
        let make = format!("IF DB_ID(N'{text}') IS NULL CREATE DATABASE [{quoted}]");
        command.args(["-x", "-Q", &make]);
        if !connected(command, &format!("database '{name}'"))? {
            return Ok(false);
        }
    }
    for script in scripts {
        let command = match script.extension().is_some_and(|e| e == "sh") {
            true => shell_script(script),
            false => {
                let mut command = client();
                command.arg("-i").arg(script);
                command
            }
        };
        if !connected(command, &script.display().to_string())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// One that may be executed says by its first line what runs it; the others are the shell's.
fn shell_script(script: &Path) -> Command {
    let says = File::open(script).and_then(|mut file| {
        let mut mark = [0; 2];
        file.read_exact(&mut mark).map(|()| mark == *b"#!")
    });
    if says.unwrap_or(false) && rustix::fs::access(script, Access::EXEC_OK).is_ok() {
        // A name without a slash would be looked for elsewhere.
        return Command::new(Path::new(".").join(script));
    }
    let mut shell = Command::new("/bin/sh");
    shell.arg(script);
    shell
}

/// Runs one thing; its output goes to the log line by line. False when an order to stop has ended it.
fn step(
    server: &Server,
    mut command: Command,
    what: &str,
    orders: &Orders,
) -> Result<bool, StartFailure> {
    if orders.to_stop() {
        return Ok(false);
    }
    let fail = |e: &dyn std::fmt::Display| StartFailure(format!("first start: {what}: {e}"));
    server.note(Level::Info, SOURCE, &format!("First start: {what}."));
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // What a script calls ends with it.
        .process_group(0)
        .spawn()
        .map_err(|e| fail(&e))?;
    let status = watch(server, child, orders).map_err(|e| fail(&e))?;
    match status.success() {
        true => Ok(true),
        false if orders.to_stop() => Ok(false),
        false => Err(fail(&status)),
    }
}

/// Waits for a child, tells what it says meanwhile, and ends it on an order to stop. What it leaves running in the background may
/// hold the pipes for as long as it likes.
fn watch(server: &Server, mut child: Child, orders: &Orders) -> std::io::Result<ExitStatus> {
    let mut out = Lines::new(Level::Info, child.stdout.take());
    let mut err = Lines::new(Level::Warning, child.stderr.take());
    let group = Pid::from_raw(child.id() as i32);
    let end = |signal| {
        if let Some(group) = group {
            // It may have gone by itself.
            let _ = kill_process_group(group, signal);
        }
    };
    let mut told: Option<Instant> = None;
    let status = loop {
        read(server, [&mut out, &mut err], &LOOK)?;
        if let Some(status) = child.try_wait()? {
            break status;
        }
        match told {
            None if orders.to_stop() => {
                end(Signal::TERM);
                told = Some(Instant::now());
            }
            Some(at) if at.elapsed() > ENDS => end(Signal::KILL),
            _ => {}
        }
    };
    // What the pipes hold, and not all that somebody in the background goes on writing.
    for _ in 0..64 {
        if !read(server, [&mut out, &mut err], &Timespec { tv_sec: 0, tv_nsec: 0 })? {
            break;
        }
    }
    out.rest(server);
    err.rest(server);
    Ok(status)
}

/// Takes what has come, or comes within some time; false when there was nothing.
fn read(server: &Server, both: [&mut Lines; 2], within: &Timespec) -> std::io::Result<bool> {
    let open: Vec<&mut Lines> = both.into_iter().filter(|lines| lines.from.is_some()).collect();
    let mut fds: Vec<PollFd<'_>> =
        open.iter().filter_map(|l| Some(PollFd::new(l.from.as_ref()?, PollFlags::IN))).collect();
    match rustix::event::poll(&mut fds, Some(within)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(e) => return Err(e.into()),
    }
    let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
    drop(fds);
    for (lines, _) in open.into_iter().zip(&ready).filter(|(_, ready)| **ready) {
        lines.take(server)?;
    }
    Ok(ready.contains(&true))
}

/// One of a child's outputs.
struct Lines {
    level: Level,
    /// None after its end.
    from: Option<File>,
    line: Vec<u8>,
}

impl Lines {
    fn new(level: Level, from: Option<impl Into<OwnedFd>>) -> Lines {
        Lines { level, from: from.map(|from| File::from(from.into())), line: Vec::new() }
    }

    /// Takes what there is; there is something, or the end.
    fn take(&mut self, server: &Server) -> std::io::Result<()> {
        let Some(from) = &mut self.from else { return Ok(()) };
        let mut bytes = [0; 8192];
        let n = match from.read(&mut bytes) {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
            n => n?,
        };
        if n == 0 {
            self.from = None;
        }
        for byte in &bytes[..n] {
            match byte {
                b'\n' => self.rest(server),
                byte => self.line.push(*byte),
            }
            if self.line.len() >= LINE_BYTES {
                self.rest(server);
            }
        }
        Ok(())
    }

    /// Tells what is there of a line.
    fn rest(&mut self, server: &Server) {
        let line = String::from_utf8_lossy(&self.line);
        if !line.trim().is_empty() {
            server.note(self.level, SOURCE, line.trim_end());
        }
        self.line.clear();
    }
}

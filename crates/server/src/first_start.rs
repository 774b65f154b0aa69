//! The first start on a new data directory: a database is made, scripts are run.
//!
//! 1. It is done by a server of its own, which listens on a free port of the loopback interface: nobody else comes in
//!    before it is done.
//! 2. `.init-pending` in the data directory says that it is not done. Who fails ends the server, and the next start begins
//!    with the first script again; a data directory that was there before has nothing to do.

use crate::errorlog::Level;
use crate::listener::{Server, StartFailure};
use crate::settings::{Place, Settings};
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What says that the first start is not done.
const PENDING: &str = ".init-pending";
/// What an entry of ours has for its source.
const SOURCE: &str = "Init";

/// Does what there is to do before the server serves. `sqlcmd` is what makes this binary the everyday client.
pub fn run(settings: &Settings, sqlcmd: &[&str]) -> Result<(), StartFailure> {
    if settings.init_dir.is_none() && settings.init_database.is_none() {
        return Ok(());
    }
    let at = |path: &Path, e: std::io::Error| StartFailure(format!("{}: {e}", path.display()));
    let pending = settings.data.join(PENDING);
    let is_new =
        !settings.data.join("master.mdf").try_exists().map_err(|e| at(&settings.data, e))?;
    if is_new {
        std::fs::create_dir_all(&settings.data).map_err(|e| at(&settings.data, e))?;
        std::fs::write(&pending, "").map_err(|e| at(&pending, e))?;
    } else if !pending.try_exists().map_err(|e| at(&pending, e))? {
        return Ok(());
    }
    let scripts = scripts(settings.init_dir.as_deref())?;
    let private = Settings {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        admin_listen: Place::Off,
        console: Place::Off,
        // The server that stays says these.
        unknown_variables: Vec::new(),
        notes: Vec::new(),
        ..settings.clone()
    };
    let server = Server::start(private)?;
    server.listen_to_signals()?;
    let done = all(&server, settings, &scripts, sqlcmd);
    match &done {
        Ok(()) => server.note(Level::Info, SOURCE, "The first start is done."),
        Err(e) => server.note(Level::Error, SOURCE, &e.0),
    }
    server.stop();
    server.wait()?;
    done?;
    std::fs::remove_file(&pending).map_err(|e| at(&pending, e))
}

/// The scripts of a directory in order of their names; none if it is not there.
fn scripts(dir: Option<&Path>) -> Result<Vec<PathBuf>, StartFailure> {
    let Some(dir) = dir else { return Ok(Vec::new()) };
    let fail = |e: std::io::Error| StartFailure(format!("{}: {e}", dir.display()));
    let entries = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(fail)?,
    };
    let mut scripts = Vec::new();
    for entry in entries {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|e| e == "sql" || e == "sh") {
            scripts.push(path);
        }
    }
    scripts.sort();
    Ok(scripts)
}

fn all(
    server: &Server,
    settings: &Settings,
    scripts: &[PathBuf],
    sqlcmd: &[&str],
) -> Result<(), StartFailure> {
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
        step(server, command, what)
    };
    if let Some(name) = &settings.init_database {
        let quoted = name.replace(']', "]]");
        let text = name.replace('\'', "''");
        let mut command = client();
        // A start that failed may have made it. Its name is nothing to put variables into.
        let make = format!("IF DB_ID(N'{text}') IS NULL CREATE DATABASE [{quoted}]");
        command.args(["-x", "-Q", &make]);
        connected(command, &format!("database '{name}'"))?;
    }
    for script in scripts {
        let command = match script.extension().is_some_and(|e| e == "sh") {
            true => {
                let mut shell = Command::new("/bin/sh");
                shell.arg(script);
                shell
            }
            false => {
                let mut command = client();
                command.arg("-i").arg(script);
                command
            }
        };
        connected(command, &script.display().to_string())?;
    }
    Ok(())
}

/// Runs one thing; its output goes to the log line by line.
fn step(server: &Server, mut command: Command, what: &str) -> Result<(), StartFailure> {
    let fail = |e: &dyn std::fmt::Display| StartFailure(format!("first start: {what}: {e}"));
    server.note(Level::Info, SOURCE, &format!("First start: {what}."));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| fail(&e))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        scope.spawn(|| tell(server, Level::Warning, err));
        tell(server, Level::Info, out);
    });
    let status = child.wait().map_err(|e| fail(&e))?;
    match status.success() {
        true => Ok(()),
        false => Err(fail(&status)),
    }
}

fn tell(server: &Server, level: Level, from: Option<impl Read>) {
    let Some(from) = from else { return };
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if !line.trim().is_empty() {
            server.note(level, SOURCE, line.trim_end());
        }
    }
}

//! This very binary as a process of its own.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Beginnings of the names of variables that hold settings, logins and passwords.
const SETTINGS: [&str; 4] = ["TAFFRAIL_", "MSSQL_", "SQLCMD", "SA_PASSWORD"];

/// This binary by its own name, in a process group of its own, with nothing of this process's settings and passwords in its environment.
pub fn command() -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    // Under another name it would be another program.
    command.arg0("taffrail").stdin(Stdio::null()).process_group(0);
    for (name, _) in std::env::vars_os() {
        if SETTINGS.iter().any(|beginning| name.to_string_lossy().starts_with(beginning)) {
            command.env_remove(name);
        }
    }
    Ok(command)
}

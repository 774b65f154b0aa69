//! Processes of other products: their clients, which are talked with over their standard streams, and what their servers complain of.

use super::super::stop::{Interrupted, Stop};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two looks for an interrupt.
pub const LOOK: Duration = Duration::from_millis(100);
/// Beginnings of variables that another product is not given: settings of its own, settings and passwords of servers like ours.
const WITHHELD: [&str; 7] =
    ["PG", "MYSQL_", "MARIADB_", "SQLCMD", "TAFFRAIL_", "MSSQL_", "SA_PASSWORD"];
/// A line of a client's that says that everything before it is done.
pub const MARK: &str = "taffrail-lab-done";

/// The beginning of a command that gets a signal when the lab ends, however that is, and no variable of [`WITHHELD`].
pub fn ending_with_the_lab(signal: &str) -> Command {
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

/// A client's command, which is killed when the lab ends. A line that it prints is seen at once.
pub fn client(program: &str) -> Command {
    let mut command = ending_with_the_lab("KILL");
    command.args(["--", "stdbuf", "-oL", program]);
    command
}

/// An error in words where a program that helps a product is not there.
pub fn told_of_help(program: &str, word: &str) -> Result<(), String> {
    told(Command::new(program).arg(word)).map(drop).map_err(|_| format!("there is no {program}"))
}

/// The output of a command that ends well; else its complaint.
pub fn told(command: &mut Command) -> io::Result<String> {
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
pub fn complaint(told: &str) -> Option<&str> {
    let mut lines = told.lines().filter(|l| !l.trim().is_empty());
    let speaks = |line: &str| {
        let line = line.to_lowercase();
        ["error", "fatal", "panic"].iter().any(|word| line.contains(word))
    };
    lines.clone().find(|line| speaks(line)).or(lines.next_back())
}

/// A child's number.
pub fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// A client that takes one script after another. It is killed where it is dropped before its end.
pub struct Dialog {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    complaints: Option<JoinHandle<String>>,
    /// The line by which this client prints [`MARK`].
    marks: &'static str,
}

impl Dialog {
    /// Starts a client. It connects meanwhile: whoever asks it for nothing waits until it has.
    pub fn begin(mut client: Command, marks: &'static str) -> io::Result<Dialog> {
        client.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = client.spawn()?;
        let stdin = child.stdin.take();
        let (told, lines) = channel();
        let stdout = child.stdout.take();
        // Ends with the client, who holds the other end.
        std::thread::spawn(move || {
            let lines = stdout.map(|s| BufReader::new(s).lines());
            for line in lines.into_iter().flatten().map_while(Result::ok) {
                if told.send(line).is_err() {
                    break;
                }
            }
        });
        let stderr = child.stderr.take();
        let complaints = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What can be read of it is told.
            let _ = stderr.map(|mut stderr| stderr.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let complaints = Some(complaints);
        Ok(Dialog { child, stdin, lines, complaints, marks })
    }

    /// Has a script run, and waits for its end.
    pub fn ask(&mut self, script: &str, interrupted: &Interrupted) -> Result<(), Stop> {
        let text = format!("{script}\n{}\n", self.marks);
        let written = self.stdin.as_mut().map(|stdin| stdin.write_all(text.as_bytes()));
        // A client that has ended says why on its standard error.
        drop(written);
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) if line == MARK => return Ok(()),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => interrupted.check()?,
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()?),
            }
        }
    }

    /// The complaint of a client that has ended unasked.
    fn ended(&mut self) -> io::Result<Stop> {
        self.stdin = None;
        let status = self.child.wait()?;
        let told = self.complaints.take().and_then(|c| c.join().ok()).unwrap_or_default();
        Ok(Stop::Failed(complaint(&told).map_or_else(|| status.to_string(), str::to_owned)))
    }
}

impl Drop for Dialog {
    fn drop(&mut self) {
        self.stdin = None;
        if let (Some(pid), Ok(None)) = (pid(&self.child), self.child.try_wait()) {
            // It has done everything, or nobody waits for it any more.
            let _ = kill_process(pid, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_settings_are_withheld() {
        for name in ["PGPORT", "SQLCMDPASSWORD", "TAFFRAIL_LAB_PASSWORD", "MSSQL_SA_PASSWORD"] {
            assert!(is_withheld(OsStr::new(name)), "{name}");
        }
        assert!(is_withheld(OsStr::new("MYSQL_PWD")) && !is_withheld(OsStr::new("PATH")));
    }
}

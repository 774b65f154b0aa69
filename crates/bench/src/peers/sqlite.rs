//! SQLite, embedded in a small C program (`sqlite_bench.c`): no wire, no interpreter, one writer.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiled program and the folder of its database.
pub struct Sqlite {
    folder: PathBuf,
    program: PathBuf,
}

impl Sqlite {
    /// Compiles the program into `folder`.
    pub fn build(folder: &Path) -> io::Result<Sqlite> {
        let source = folder.join("sqlite_bench.c");
        std::fs::write(&source, include_str!("sqlite_bench.c"))?;
        let program = folder.join("sqlite_bench");
        super::run(
            Command::new("cc").arg("-O2").arg("-o").arg(&program).arg(&source).arg("-lsqlite3"),
        )?;
        Ok(Sqlite { folder: folder.into(), program })
    }

    /// Runs `autocommit`, `transaction`, `relaxed` or `customer`: the seconds that it printed, one a figure.
    pub fn run(&self, work: &str, rows: u32) -> io::Result<Vec<f64>> {
        let out = Command::new(&self.program)
            .arg(&self.folder)
            .arg(work)
            .arg(rows.to_string())
            .output()?;
        if !out.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&out.stderr).into_owned()));
        }
        String::from_utf8_lossy(&out.stdout)
            .lines()
            .map(|l| l.trim().parse().map_err(|_| io::Error::other(format!("not a figure: {l}"))))
            .collect()
    }
}

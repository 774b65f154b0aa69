//! One of the two servers, and its database.

use super::FEW;
use crate::bulk;
use crate::peers::Peer;
use crate::reading::{number, run_all};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taffrail_lab::client::Client;
use taffrail_lab::launch::Taffrail;

const LOG_INFO: &str = "sys.dm_db_log_info(DB_ID())";
/// Rows that fill the log by being changed; each change logs 16 KB.
const FILLERS: u32 = 1_000;

/// A server of its own, so that neither's work is the other's.
pub struct Side {
    binary: PathBuf,
    data: PathBuf,
    server: Option<Taffrail>,
    pub client: Client,
    /// Turns the filling rows' letter.
    letter: u8,
}

impl Side {
    /// Starts a server, makes the database and its log. `vlfs`: the log begins small and grows until it has so many;
    /// otherwise it is made with its size.
    pub fn make(
        binary: &Path,
        data: &Path,
        customers: u32,
        log_bytes: u64,
        growth: u64,
        vlfs: Option<u64>,
    ) -> io::Result<Side> {
        let server = Taffrail::start(binary, data)?;
        let first = vlfs.map_or(log_bytes, |_| growth);
        run_all(
            &mut server.client("master")?,
            &[format!(
                "CREATE DATABASE bench ON (NAME = bench, FILENAME = 'bench.mdf', SIZE = {}MB) \
                 LOG ON (NAME = bench_log, FILENAME = 'bench_log.ldf', SIZE = {}KB, FILEGROWTH = {}KB)",
                64 + 2 * u64::from(customers) * 700 / (1 << 20),
                first >> 10,
                growth >> 10
            )],
        )?;
        let mut client = server.client("bench")?;
        run_all(&mut client, &server.setup())?;
        run_all(
            &mut client,
            &[
                "ALTER DATABASE SCOPED CONFIGURATION SET LOG_VLF_ALGORITHM = 2012".into(),
                "CREATE TABLE filler (id int NOT NULL, text char(8000) NOT NULL)".into(),
                format!(
                    "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < {FILLERS} BEGIN INSERT filler \
                        VALUES (@i, 'x') SET @i = @i + 1 END COMMIT"
                ),
                "SELECT * INTO work FROM customer WHERE 1 = 2".into(),
                "CREATE UNIQUE CLUSTERED INDEX ci_work ON work (c_w_id, c_d_id, c_id)".into(),
                "CHECKPOINT".into(),
                "BACKUP DATABASE bench TO DISK = 'NUL'".into(),
            ],
        )?;
        let (binary, data) = (binary.to_owned(), data.to_owned());
        let mut side = Side { binary, data, server: Some(server), client, letter: 0 };
        match vlfs {
            Some(wanted) => {
                while side.vlfs()? < wanted {
                    side.fill(FILLERS)?;
                }
            }
            None => {
                // Into the last VLF: one more would not fit before the log is backed up.
                let last = log_bytes / FEW * (FEW - 1) - (1 << 20);
                while side.head()?.offset < last {
                    side.fill(FILLERS)?;
                }
            }
        }
        side.settle()?;
        // On to the end of the file, and into the first VLF.
        let mut at = side.head()?.offset;
        loop {
            side.fill(FILLERS / 16)?;
            let now = side.head()?.offset;
            if now < at {
                break;
            }
            at = now;
        }
        bulk::from_tds(&mut side.client, customers)?;
        side.settle()?;
        Ok(side)
    }

    /// Writes 16 KB of log for each of so many rows.
    fn fill(&mut self, rows: u32) -> io::Result<()> {
        self.letter = (self.letter + 1) % 26;
        self.run(&format!(
            "UPDATE filler SET text = REPLICATE(CHAR(65 + {}), 8000) WHERE id < {rows}",
            self.letter
        ))
    }

    /// Lets the log go: nothing is left to recovery, nor to the next log backup.
    pub fn settle(&mut self) -> io::Result<()> {
        self.run("CHECKPOINT")?;
        self.run("BACKUP LOG bench TO DISK = 'NUL'")
    }

    /// Runs statements to their end.
    pub fn run(&mut self, sql: &str) -> io::Result<()> {
        self.client.run(sql).map(|_| ()).map_err(|e| io::Error::other(format!("{e} in {sql}")))
    }

    /// Runs statements; the seconds that they took.
    pub fn timed(&mut self, sql: &str) -> io::Result<f64> {
        let began = Instant::now();
        self.run(sql)?;
        Ok(began.elapsed().as_secs_f64())
    }

    /// Processor time that the server's threads have taken.
    pub fn cpu(&self) -> io::Result<f64> {
        match &self.server {
            Some(server) => Ok(server.threads()?.iter().map(|t| t.1).sum()),
            None => Err(io::Error::other("the server was killed")),
        }
    }

    /// Another connection to this side's database.
    pub fn connect(&self) -> io::Result<Client> {
        match &self.server {
            Some(server) => server.client("bench"),
            None => Err(io::Error::other("the server was killed")),
        }
    }

    /// How many VLFs the log has.
    pub fn vlfs(&mut self) -> io::Result<u64> {
        Ok(number(&mut self.client, &format!("SELECT COUNT(*) FROM {LOG_INFO}"))? as u64)
    }

    /// The log file's size.
    pub fn log_bytes(&mut self) -> io::Result<u64> {
        let pages = "SELECT SUM(CONVERT(bigint, size)) FROM sys.database_files WHERE type = 1";
        Ok(number(&mut self.client, pages)? as u64 * 8192)
    }

    /// The number of the VLF that is being written; its difference is how many were crossed.
    pub fn head_number(&mut self) -> io::Result<u64> {
        let newest = format!("SELECT MAX(vlf_sequence_number) FROM {LOG_INFO}");
        Ok(number(&mut self.client, &newest)? as u64)
    }

    fn head(&mut self) -> io::Result<Head> {
        let seqno = self.head_number()?;
        let place =
            format!("SELECT vlf_begin_offset FROM {LOG_INFO} WHERE vlf_sequence_number = {seqno}");
        Ok(Head { offset: number(&mut self.client, &place)? as u64 })
    }

    /// Kills the server and starts it again: seconds until the first row of `customer` has come.
    pub fn restart(&mut self) -> io::Result<f64> {
        match self.server.take() {
            Some(server) => server.kill()?,
            None => return Err(io::Error::other("the server was killed")),
        }
        let began = Instant::now();
        let server = Taffrail::start(&self.binary, &self.data)?;
        self.client = server.client_once_open("bench", Duration::from_secs(300))?;
        self.server = Some(server);
        self.run("SELECT TOP 1 c_id FROM customer")?;
        Ok(began.elapsed().as_secs_f64())
    }

    /// Ends it and removes its files.
    pub fn remove(self) -> io::Result<()> {
        drop((self.client, self.server));
        std::fs::remove_dir_all(&self.data)
    }
}

/// Where the log is being written.
struct Head {
    /// Of its VLF in the file.
    offset: u64,
}

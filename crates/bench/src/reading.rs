//! Reading the log: `sys.fn_dblog` on the running server, then `taffrail log verify` on the file that a kill leaves.
//!
//! Half of the log's bytes come from a loop of small inserts (150 bytes a record), half from customers that are inserted,
//! changed and deleted.

use super::Figure;
use super::rows::median;
use super::sequential::{self, Amounts};
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use taffrail_lab::client::Client;
use taffrail_lab::launch::Taffrail;

/// A single number that a query returns.
pub(super) fn number(client: &mut Client, sql: &str) -> io::Result<f64> {
    let text = client.query(sql).map_err(io::Error::other)?.first_value();
    text.parse().map_err(|_| io::Error::other(format!("{sql}: {text:?} is no number")))
}

/// Runs statements, one after another.
pub(super) fn run_all(client: &mut Client, statements: &[String]) -> io::Result<()> {
    statements.iter().try_for_each(|sql| client.run(sql).map(|_| ()).map_err(io::Error::other))
}

/// Customers of a piece of the workload, and the rows of the small table that log as many bytes.
const CUSTOMERS: u32 = 10_000;
const SMALL: u32 = 180_000;

/// One piece of the workload.
fn piece() -> Vec<String> {
    vec![
        format!(
            "SET NOCOUNT ON DECLARE @i int = {SMALL} BEGIN TRAN WHILE @i > 0 BEGIN INSERT INTO small (a, b) \
                VALUES ('Num:' + CONVERT(varchar, @i), \
             CONVERT(varchar, @i) + ' bottles of beer on the wall') SET @i = @i - 1 END COMMIT"
        ),
        format!(
            "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < {CUSTOMERS} BEGIN INSERT wide VALUES (@i, \
                'First' + CONVERT(varchar, @i), \
             REPLICATE('Data of a customer, WITH CAPITALS. ', 14)) SET @i = @i + 1 END COMMIT"
        ),
        "UPDATE wide SET c_data = lower(c_data)".into(),
        "DELETE FROM wide".into(),
    ]
}

/// Both readers over one log.
pub fn reading(binary: &Path, dir: &Path, amounts: Amounts) -> io::Result<Vec<Figure>> {
    let data = dir.join("reading");
    let server = Taffrail::start(binary, &data)?;
    let mut client = server.client("master")?;
    run_all(
        &mut client,
        &[
            format!(
                "CREATE DATABASE reading ON (NAME = reading, FILENAME = 'reading.mdf', SIZE = 256MB) \
                 LOG ON (NAME = reading_log, FILENAME = 'reading_log.ldf', SIZE = {}MB) ALTER DATABASE reading SET RECOVERY FULL",
                amounts.log_mb * 3 / 2
            ),
            "BACKUP DATABASE reading TO DISK = 'NUL'".into(),
        ],
    )?;
    let mut client = server.client("reading")?;
    run_all(
        &mut client,
        &[
            "CREATE TABLE small (id int IDENTITY(1,1) NOT NULL, a varchar(10) NULL, b varchar(50) NULL)".into(),
            "CREATE TABLE wide (c_id int PRIMARY KEY, c_first char(16), c_data char(500))".into(),
        ],
    )?;
    let used = "SELECT used_log_space_in_bytes FROM sys.dm_db_log_space_usage";
    let mut pieces = 0;
    while number(&mut client, used)? < amounts.log_mb as f64 * 1e6 {
        run_all(&mut client, &piece())?;
        pieces += 1;
    }
    let (mut scans, mut records) = (Vec::new(), 0.0);
    for _ in 0..amounts.rounds {
        let began = Instant::now();
        let counts = client
            .query("SELECT COUNT(*), Operation FROM sys.fn_dblog(NULL, NULL) GROUP BY Operation")
            .map_err(io::Error::other)?;
        let seconds = began.elapsed().as_secs_f64();
        records = counts
            .text()
            .lines()
            .filter_map(|l| l.split('|').next()?.parse::<f64>().ok())
            .sum::<f64>();
        scans.push(records / seconds);
    }
    if records < f64::from(SMALL * pieces) {
        return Err(io::Error::other(format!("fn_dblog has only {records} records")));
    }
    drop(client);
    server.kill()?;
    let file = data.join("reading_log.ldf");
    let (mut checks, mut device, mut megabytes) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..amounts.rounds {
        device.push(sequential::read(&file, amounts.log_mb * 1_000_000)?);
        let began = Instant::now();
        let out = Command::new(binary).args(["log", "verify", "--json"]).arg(&file).output()?;
        let took = began.elapsed();
        let told = String::from_utf8_lossy(&out.stdout).into_owned();
        let bytes = told
            .lines()
            .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok())
            .find(|v| v["kind"] == "verdict" && v["sound"] == true)
            .and_then(|v| v["bytes"].as_u64())
            .ok_or_else(|| io::Error::other(format!("log verify: {told}")))?;
        megabytes = bytes as f64 / 1e6;
        checks.push(sequential::mb_per_s(bytes, took));
    }
    std::fs::remove_dir_all(&data)?;
    let (checked, read) = (median(checks), median(device));
    let size = megabytes * 1e6 / records;
    Ok(vec![
        Figure::ours(
            "fn_dblog, records by operation",
            median(scans),
            "records/s",
            format!("{records:.0} records, {megabytes:.0} MB, {size:.0} B each"),
        ),
        Figure::ours(
            "log verify",
            checked,
            "MB/s",
            format!("the device reads {read:.0} MB/s, {:.2} of it", checked / read),
        ),
    ])
}

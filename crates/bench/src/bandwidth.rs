//! How fast one long transaction logs, beside how fast the device takes durable writes of the log's size.
//!
//! The table has rows of 4 KB; one INSERT fills it in one transaction, fully logged, into a log that has been written
//! before. The yardstick writes in the same way, `O_DIRECT|O_DSYNC`, pieces as large as the log's were on the average, one
//! after another: the log's writer has one write at a time in flight. Where the server's thread is busy all the time the
//! device is not what holds it up, so its share of a processor is part of the figure.

use super::Figure;
use super::reading::{number, run_all};
use super::rows::median;
use super::sequential::{self, Amounts};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_lab::launch::Taffrail;

/// Rows of the source; the INSERT takes them as often as it needs.
const SOURCE: u64 = 5_000;
const ROW: u64 = 4_000;

/// One INSERT of megabytes: its rate beside the device's own.
pub fn bandwidth(binary: &Path, dir: &Path, amounts: Amounts) -> io::Result<Vec<Figure>> {
    let data = dir.join("bandwidth");
    let server = Taffrail::start(binary, &data)?;
    let times = amounts.insert_mb * 1_000_000 / (SOURCE * ROW);
    run_all(
        &mut server.client("master")?,
        &[format!(
            "CREATE DATABASE bandwidth ON (NAME = bandwidth, FILENAME = 'bandwidth.mdf', SIZE = {}MB) \
             LOG ON (NAME = bandwidth_log, FILENAME = 'bandwidth_log.ldf', SIZE = {}MB) ALTER DATABASE bandwidth SET RECOVERY SIMPLE",
            amounts.insert_mb * 5 / 4 + 64,
            amounts.insert_mb * 3 / 2
        )],
    )?;
    let mut client = server.client("bandwidth")?;
    run_all(
        &mut client,
        &[
            format!("CREATE TABLE source (id int NOT NULL, text char({ROW}) NOT NULL)"),
            format!("CREATE TABLE target (id int NOT NULL, text char({ROW}) NOT NULL)"),
            "CREATE TABLE times (n int NOT NULL)".into(),
            format!(
                "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < {SOURCE} BEGIN INSERT source VALUES \
                    (@i, REPLICATE('A wide row. ', 300)) SET @i = @i + 1 END COMMIT"
            ),
            format!(
                "SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < {times} BEGIN INSERT times VALUES (@i) SET @i = @i + 1 END"
            ),
        ],
    )?;
    let written = "SELECT num_of_bytes_written FROM sys.dm_io_virtual_file_stats(DB_ID(), 2)";
    let writes = "SELECT num_of_writes FROM sys.dm_io_virtual_file_stats(DB_ID(), 2)";
    let probe = dir.join("bandwidth-probe");
    sequential::fill(&probe, 256 << 20)?;
    let mut rates = Vec::new();
    let mut device = Vec::new();
    let mut two = Vec::new();
    let (mut busiest, mut busy) = (Vec::new(), Vec::new());
    let mut size = 60 << 10;
    // The first pass writes the log for the first time, and is not counted.
    for round in 0..=amounts.rounds {
        run_all(&mut client, &["TRUNCATE TABLE target".into(), "CHECKPOINT".into()])?;
        let (bytes, count) = (number(&mut client, written)?, number(&mut client, writes)?);
        let cpu = server.threads()?;
        let began = Instant::now();
        client
            .run("INSERT target SELECT s.id, s.text FROM times CROSS JOIN source s")
            .map_err(io::Error::other)?;
        let took = began.elapsed();
        let (most, all) = since(&cpu, &server.threads()?);
        let bytes = number(&mut client, written)? - bytes;
        let count = number(&mut client, writes)? - count;
        size = (bytes / count) as usize / 4096 * 4096;
        if round == 0 {
            continue;
        }
        rates.push(sequential::mb_per_s(bytes as u64, took));
        busiest.push(most / took.as_secs_f64());
        busy.push(all / took.as_secs_f64());
        device.push(sequential::write_durably(&probe, size, 1, Duration::from_secs(1))?);
        two.push(sequential::write_durably(&probe, size, 2, Duration::from_secs(1))?);
    }
    drop(client);
    drop(server);
    std::fs::remove_file(&probe)?;
    std::fs::remove_dir_all(&data)?;
    let (rate, device) = (median(rates), median(device));
    Ok(vec![Figure {
        work: "one INSERT of 4 KB rows, log".into(),
        engine: "Taffrail".into(),
        value: rate,
        unit: "MB/s",
        of_device: None,
        note: format!(
            "durable writes of {} KiB: {device:.0} MB/s one at a time, {:.0} two; {:.2} of one; busiest thread {:.0} %, all {:.0} %",
            size >> 10,
            median(two),
            rate / device,
            median(busiest) * 100.0,
            median(busy) * 100.0
        ),
        drift: 0.0,
    }])
}

/// Processor seconds since then: of the thread with most of them, and of all.
fn since(before: &[(u32, f64)], now: &[(u32, f64)]) -> (f64, f64) {
    let used = now
        .iter()
        .map(|(id, seconds)| seconds - before.iter().find(|b| b.0 == *id).map_or(0.0, |b| b.1));
    used.fold((0.0, 0.0), |(most, all), s| (f64::max(most, s), all + s))
}

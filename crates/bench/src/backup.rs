//! Backup of a database to disk, idle and under writing clients.
//!
//! Idle: the data file is copied as `cp` does, with a sync, and backed up, in turn. The source of a copy is cold (the
//! server reads past the page cache, so its files never are in it), or it lies in the page cache as a file that has just
//! been copied does; both are told. What a removed file leaves to be discarded is out of the way before the next is measured.
//!
//! Under load: eight clients insert all the time, each insert a commit; a window without a backup and a window that one
//! backup fills take turns, and a window is compared with the mean of its neighbours. How much of the loss is the device's, a copy
//! of the same speed beside mere writers shows ([`super::beside`]).

use super::Figure;
use super::beside::copy_beside_writes;
use super::peers::Peer;
use super::reading::{number, run_all};
use super::rows::median;
use super::sequential::{self, Amounts, mb_per_s};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use taffrail_lab::device::Probe;
use taffrail_lab::launch::Taffrail;

const CLIENTS: usize = 8;
/// Rows of the table that is doubled, 8 KB each: a page.
const ROWS: u64 = 1_000;

/// Backups of one database.
pub fn backup(
    binary: &Path,
    dir: &Path,
    probe: &Probe,
    amounts: Amounts,
) -> io::Result<Vec<Figure>> {
    let data = dir.join("backup");
    let server = Taffrail::start(binary, &data)?;
    fill(&server, amounts)?;
    let mut client = server.client("bench")?;
    let file = data.join("bench.mdf");
    let copy = dir.join("copy-of-bench");
    let pages = number(
        &mut client,
        "SELECT SUM(allocated_extent_page_count) FROM sys.dm_db_file_space_usage",
    )?;
    let bytes = (pages * 8192.0) as u64;
    let length = std::fs::metadata(&file)?.len();
    let mut take = || -> io::Result<Duration> {
        let began = Instant::now();
        client
            .run("BACKUP DATABASE bench TO DISK = 'bench.bak' WITH FORMAT, COPY_ONLY")
            .map_err(io::Error::other)?;
        Ok(began.elapsed())
    };
    let remove = || -> io::Result<()> {
        std::fs::remove_file(data.join("backup/bench.bak"))?;
        settle(dir)
    };
    let (mut cold, mut warm, mut idle) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..amounts.rounds {
        for (from_disk, copies) in [(true, &mut cold), (false, &mut warm)] {
            settle(dir)?;
            copies.push(mb_per_s(length, sequential::copy(&file, &copy, from_disk)?));
            settle(dir)?;
            idle.push(mb_per_s(bytes, take()?));
            remove()?;
        }
    }
    let (cold, warm, idle) = (median(cold), median(warm), median(idle));
    let pace = under_load(&server, amounts, bytes, &mut take, &remove)?;
    drop(server);
    settle(dir)?;
    // As fast as the backup was under load.
    let floor = copy_beside_writes(probe, &file, &copy, pace.speed, amounts.rounds * 2 - 1)?;
    std::fs::remove_dir_all(&data)?;
    let figure = |work: &str, engine: &str, value: f64, unit, note: String| Figure {
        work: work.into(),
        engine: engine.into(),
        value,
        unit,
        of_device: None,
        note,
        drift: 0.0,
    };
    let size = format!("{} MB", bytes / 1_000_000);
    Ok(vec![
        figure("copy of the data file + fsync", "cp", cold, "MB/s", format!("{size}, source cold")),
        figure(
            "copy of the data file + fsync",
            "cp",
            warm,
            "MB/s",
            format!("{size}, source cached"),
        ),
        figure(
            "backup, idle",
            "Taffrail",
            idle,
            "MB/s",
            format!(
                "{size}; {:.2} of the cold copy, {:.2} of the cached",
                idle / cold,
                idle / warm
            ),
        ),
        figure(
            "backup under 8 writing clients",
            "Taffrail",
            pace.speed,
            "MB/s",
            format!("{:.2} of its idle speed", pace.speed / idle),
        ),
        figure(
            "8 clients during a backup",
            "Taffrail",
            pace.during,
            "commits/s",
            format!(
                "{:.0} without; they lose {:.1} % (lowest {:.1}, highest {:.1})",
                pace.without,
                pace.loss[pace.loss.len() / 2],
                pace.loss[0],
                pace.loss[pace.loss.len() - 1]
            ),
        ),
        figure(
            "4 durable writers beside a copy of that speed, no server",
            "device",
            floor.loss,
            "% lost",
            format!("of {:.0} writes/s; the copy went at {:.0} MB/s", floor.without, floor.copied),
        ),
    ])
}

/// Waits until the device is no longer busy with earlier writes and removals: the file system's journal is written, freed blocks
/// are discarded.
pub(super) fn settle(dir: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(std::fs::File::open(dir)?)?)
}

/// A database of which nearly every page is in use.
fn fill(server: &Taffrail, amounts: Amounts) -> io::Result<()> {
    let mb = amounts.database_mb;
    run_all(
        &mut server.client("master")?,
        &[format!(
            "CREATE DATABASE bench ON (NAME = bench, FILENAME = 'bench.mdf', SIZE = {}MB) \
             LOG ON (NAME = bench_log, FILENAME = 'bench_log.ldf', SIZE = 1GB) ALTER DATABASE bench SET RECOVERY SIMPLE",
            mb * 51 / 50
        )],
    )?;
    let mut client = server.client("bench")?;
    run_all(&mut client, &server.setup())?;
    let times = mb * 1_000_000 / (ROWS * 8192) - 1;
    run_all(
        &mut client,
        &[
            "CREATE TABLE piece (id int NOT NULL, text char(8000) NOT NULL)".into(),
            "CREATE TABLE whole (id int NOT NULL, text char(8000) NOT NULL)".into(),
            format!(
                "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < {ROWS} BEGIN INSERT piece VALUES (@i, \
                    REPLICATE('A page. ', 900)) SET @i = @i + 1 END COMMIT"
            ),
            format!(
                "SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < {times} BEGIN INSERT whole WITH (TABLOCK) SELECT \
                    * FROM piece SET @i = @i + 1 END"
            ),
            "CHECKPOINT".into(),
            // Full backups of a database under FULL are the usual ones; its log is kept from this one on.
            "ALTER DATABASE bench SET RECOVERY FULL".into(),
            "BACKUP DATABASE bench TO DISK = 'NUL'".into(),
        ],
    )
}

/// The pace of backups and of clients beside each other.
struct Pace {
    /// Of the backup, MB/s.
    speed: f64,
    /// Commits a second of the clients: in windows without a backup, and with one.
    without: f64,
    during: f64,
    /// Loss of each window with a backup, per cent, ascending.
    loss: Vec<f64>,
}

fn under_load(
    server: &Taffrail,
    amounts: Amounts,
    bytes: u64,
    take: &mut dyn FnMut() -> io::Result<Duration>,
    remove: &dyn Fn() -> io::Result<()>,
) -> io::Result<Pace> {
    let commits: Vec<AtomicU64> = (0..CLIENTS).map(|_| AtomicU64::new(0)).collect();
    let over = AtomicBool::new(false);
    let mut drivers = Vec::new();
    for _ in 0..CLIENTS {
        let mut driver = server.connect()?;
        driver.prepare_insert()?;
        drivers.push(driver);
    }
    let mut log = server.client("bench")?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = drivers
            .into_iter()
            .zip(&commits)
            .map(|(mut driver, count)| {
                let over = &over;
                scope.spawn(move || -> io::Result<()> {
                    while !over.load(Ordering::Relaxed) {
                        driver.insert("Num:12345", "12345 bottles of beer on the wall")?;
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        let total = || commits.iter().map(|c| c.load(Ordering::Relaxed)).sum::<u64>() as f64;
        let mut windows = || -> io::Result<Pace> {
            std::thread::sleep(Duration::from_secs(1));
            // About as long as the backups are.
            let mut quiet = Duration::from_secs(1);
            let still = |quiet: Duration| {
                let (began, before) = (Instant::now(), total());
                std::thread::sleep(quiet);
                (total() - before) / began.elapsed().as_secs_f64()
            };
            let (mut speeds, mut during, mut without, mut loss) = (vec![], vec![], vec![], vec![]);
            let mut last = still(quiet);
            // Rounds are cheap beside the noise of the device.
            for _ in 0..amounts.rounds * 2 - 1 {
                let (began, before) = (Instant::now(), total());
                let took = take()?;
                let rate = (total() - before) / began.elapsed().as_secs_f64();
                remove()?;
                // What the clients have logged is not to make the next backup longer.
                log.run("BACKUP LOG bench TO DISK = 'NUL'").map_err(io::Error::other)?;
                quiet = took.clamp(Duration::from_secs(1), Duration::from_secs(4));
                let next = still(quiet);
                let usual = (last + next) / 2.0;
                speeds.push(mb_per_s(bytes, took));
                during.push(rate);
                without.push(usual);
                loss.push((1.0 - rate / usual) * 100.0);
                last = next;
            }
            loss.sort_by(f64::total_cmp);
            Ok(Pace {
                speed: median(speeds),
                without: median(without),
                during: median(during),
                loss,
            })
        };
        let pace = windows();
        over.store(true, Ordering::Relaxed);
        for worker in workers {
            worker.join().map_err(|_| io::Error::other("a client panicked"))??;
        }
        pace
    })
}

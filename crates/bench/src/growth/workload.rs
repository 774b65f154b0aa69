//! 100 transactions of 1,000 rows of 4 KB on logs that grow by 64 MB or 1 GB, in each mode, and on one that need not.

use super::{Kind, Plan, growths, make, remove};
use crate::Figure;
use crate::pairs::Pairs;
use crate::reading::{number, run_all};
use crate::rows::median;
use std::io;
use std::path::Path;
use std::time::Instant;
use taffrail_lab::launch::Taffrail;

const TRANSACTIONS: u32 = 100;
const ROWS: u32 = 1_000;
const ROW_BYTES: u32 = 4_000;
const LIMIT: f64 = 1.03;
const MB: f64 = (1 << 20) as f64;

/// Figures of one run.
struct Run {
    seconds: f64,
    /// PREEMPTIVE_OS_WRITEFILEGATHER, milliseconds: in all, and the longest.
    gather: (f64, f64),
    growths: u64,
    vlfs: u64,
    bytes: f64,
}

/// The table of all kinds, and the pairs.
pub fn workload(server: &Taffrail, data: &Path, plan: Plan) -> io::Result<Vec<Figure>> {
    let ahead = [64, 1024].map(|by_mb| Kind::Grows { mode: "AHEAD", by_mb });
    let mut kinds = vec![Kind::PreSized, ahead[0], ahead[1]];
    let others = ["ZERO", "SQL2022"]
        .into_iter()
        .flat_map(|mode| [64, 1024].map(|by_mb| Kind::Grows { mode, by_mb }));
    kinds.extend(others);
    let mut runs: Vec<Vec<Run>> = kinds.iter().map(|_| Vec::new()).collect();
    let mut pairs = [Pairs::default(), Pairs::default()];
    // The first is not counted: it takes the server's and the file system's beginnings.
    run(server, data, Kind::PreSized)?;
    for n in 0..plan.pairs {
        // Pre-sized stands between the two, so that each is its neighbour; from pair to pair they are turned round.
        let mut order = [1, 0, 2];
        if n % 2 == 1 {
            order = [2, 0, 1];
        }
        // And it comes first and last in turn.
        if n % 4 >= 2 {
            order = if n % 2 == 1 { [0, 2, 1] } else { [0, 1, 2] };
        }
        let mut took = [0.0; 3];
        for which in order {
            let run = run(server, data, kinds[which])?;
            took[which] = run.seconds;
            runs[which].push(run);
        }
        pairs[0].push(took[0], took[1]);
        pairs[1].push(took[0], took[2]);
        if n < plan.rounds {
            for which in 3..kinds.len() {
                runs[which].push(run(server, data, kinds[which])?);
            }
        }
    }
    print(&kinds, &runs);
    let mut figures = Vec::new();
    for (kind, runs) in kinds.iter().zip(&runs) {
        let at = |value: fn(&Run) -> f64| median(runs.iter().map(value).collect());
        figures.push(Figure {
            work: format!("growth: {TRANSACTIONS} x {ROWS} rows of 4 KB, {}", kind.name()),
            engine: "Taffrail".into(),
            value: at(|r| r.seconds),
            unit: "s",
            of_device: None,
            note: format!(
                "PREEMPTIVE_OS_WRITEFILEGATHER {:.0} ms, longest {:.0} ms; {} growths, {} VLFs of {:.1} MB, log {:.0} MB; median of {}",
                at(|r| r.gather.0),
                at(|r| r.gather.1),
                at(|r| r.growths as f64),
                at(|r| r.vlfs as f64),
                at(|r| r.bytes / r.vlfs as f64 / MB),
                at(|r| r.bytes / MB),
                runs.len()
            ),
            drift: 0.0,
        });
    }
    for (kind, pairs) in kinds[1..].iter().zip(&pairs) {
        let ratio = pairs.ratio();
        let verdict = if ratio.median <= LIMIT { "reached" } else { "not reached" };
        figures.push(Figure {
            work: format!("growth: {} : pre-sized", kind.name()),
            engine: "Taffrail".into(),
            value: ratio.median,
            unit: "ratio",
            of_device: None,
            note: format!(
                "95 % in [{:.3}, {:.3}], {} pairs; <= {LIMIT}: {verdict}",
                ratio.low, ratio.high, ratio.pairs
            ),
            drift: 0.0,
        });
    }
    Ok(figures)
}

/// One run, from the database's making to its end; again, where the file system had no room for a growth at that
/// moment.
fn run(server: &Taffrail, data: &Path, kind: Kind) -> io::Result<Run> {
    const NAME: &str = "grows";
    for _ in 0..4 {
        match run_once(server, data, NAME, kind) {
            // A growth, or a file to be made, that the disk refused.
            Err(e)
                if ["Msg 9002", "Msg 5123", "Msg 5149"]
                    .iter()
                    .any(|m| e.to_string().contains(m)) =>
            {
                println!("{}: once more, the disk was full", kind.name());
                std::thread::sleep(std::time::Duration::from_secs(1));
                let gone = format!("IF DB_ID('{NAME}') IS NULL SELECT 1 ELSE SELECT 0");
                if number(&mut server.client("master")?, &gone)? == 0.0 {
                    remove(server, NAME)?;
                }
            }
            done => return done,
        }
    }
    run_once(server, data, NAME, kind)
}

fn run_once(server: &Taffrail, data: &Path, name: &str, kind: Kind) -> io::Result<Run> {
    let tables = [
        format!("CREATE TABLE source (id int NOT NULL, text char({ROW_BYTES}) NOT NULL)"),
        format!("CREATE TABLE target (id int NOT NULL, text char({ROW_BYTES}) NOT NULL)"),
        format!(
            "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < {ROWS} BEGIN INSERT source VALUES (@i, \
                REPLICATE('A row. ', 570)) SET @i = @i + 1 END COMMIT"
        ),
    ];
    let mut client = make(server, data, name, kind, &tables)?;
    run_all(&mut client, &["DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR)".into()])?;
    let before = growths(&mut client, name)?;
    let began = Instant::now();
    client
        .run(&format!(
            "SET NOCOUNT ON DECLARE @t int = 0 WHILE @t < {TRANSACTIONS} BEGIN BEGIN TRAN INSERT target SELECT \
                * FROM source COMMIT SET @t = @t + 1 END"
        ))
        .map_err(io::Error::other)?;
    let seconds = began.elapsed().as_secs_f64();
    let wait = |column: &str| {
        format!(
            "SELECT ISNULL(SUM({column}), 0) FROM sys.dm_os_wait_stats WHERE wait_type = 'PREEMPTIVE_OS_WRITEFILEGATHER'"
        )
    };
    let info = |what: &str| format!("SELECT {what} FROM sys.dm_db_log_info(DB_ID())");
    let run = Run {
        seconds,
        gather: (
            number(&mut client, &wait("wait_time_ms"))?,
            number(&mut client, &wait("max_wait_time_ms"))?,
        ),
        growths: growths(&mut client, name)? - before,
        vlfs: number(&mut client, &info("COUNT(*)"))? as u64,
        bytes: number(
            &mut client,
            "SELECT SUM(CONVERT(bigint, size)) * 8192 FROM sys.database_files WHERE type = 1",
        )?,
    };
    drop(client);
    remove(server, name)?;
    Ok(run)
}

fn print(kinds: &[Kind], runs: &[Vec<Run>]) {
    println!(
        "{:<16} {:>9} {:>9} {:>9} {:>30} {:>8} {:>5} {:>10} {:>11}",
        "log",
        "duration",
        "shortest",
        "longest",
        "PREEMPTIVE_OS_WRITEFILEGATHER",
        "growths",
        "VLFs",
        "avg. VLF",
        "final size"
    );
    for (kind, runs) in kinds.iter().zip(runs) {
        let at = |value: fn(&Run) -> f64| median(runs.iter().map(value).collect());
        let all: Vec<f64> = runs.iter().map(|r| r.seconds).collect();
        println!(
            "{:<16} {:>7.3} s {:>7.3} s {:>7.3} s {:>27.0} ms {:>8} {:>5} {:>7.1} MB {:>8.0} MB",
            kind.name(),
            at(|r| r.seconds),
            all.iter().copied().fold(f64::MAX, f64::min),
            all.iter().copied().fold(0.0, f64::max),
            at(|r| r.gather.0),
            at(|r| r.growths as f64),
            at(|r| r.vlfs as f64),
            at(|r| r.bytes / r.vlfs as f64 / MB),
            at(|r| r.bytes / MB)
        );
    }
    println!();
}

//! `taffrail-bench --server BINARY [--peers] [--quick] [--only PART] [--out DIR] [--dir DIR]`, or
//! `taffrail-bench --instructions OLD NEW [--only WORK] [--tpch DIR]`
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use taffrail_bench::pairs::Effort;
use taffrail_bench::peers::{Peer, mariadb::MariaDb, postgres::Postgres, sqlite::Sqlite};
use taffrail_bench::rows::{self, Scale};
use taffrail_bench::sequential::Amounts;
use taffrail_bench::{
    Figure, backup, bandwidth, bare, bulk, checkpoints, deadlocks, frames, fresh, groups, growth,
    instructions, lob, permissions, pipelined, plans, points, print_table, reading, restart, spill,
    tpch, versions, vlfs, watching, wire,
};
use taffrail_lab::device::Probe;
use taffrail_lab::launch::Taffrail;

const USAGE: &str = "usage: taffrail-bench --server BINARY [--peers] [--quick] [--only PART] \
                     [--scale paper] [--pairs N] [--disk-gb N] [--rounds N] [--mb N] [--clients N,N] [--seconds \
                     S] [--tpch DIR] [--out DIR] [--dir DIR]\n\
                     parts: life, fresh, plans, loops, clients, customers, bulk, reading, backup, bandwidth, vlfs, growth, \
                     deadlocks, permissions, pipelined, versions (all three alone), watching, frames, checkpoints, restart, lob, \
                     groups, points (both with \
                     --peers), \
                     tpch (with --tpch), spill (alone)\n\
                     or: taffrail-bench --instructions OLD NEW [--only WORK] [--tpch DIR], two binaries under callgrind: loops, \
                     clients, customers, points, plans, groups, TPC-H (files of scale 0.01)";

/// The parts, as `--only` names them: with servers of their own (`bulk` of millions), then those that share one.
const ALONE: [&str; 22] = [
    "life",
    "fresh",
    "plans",
    "reading",
    "backup",
    "bandwidth",
    "vlfs",
    "growth",
    "deadlocks",
    "permissions",
    "pipelined",
    "versions",
    "watching",
    "frames",
    "checkpoints",
    "restart",
    "lob",
    "spill",
    "groups",
    "points",
    "tpch",
    "bulk",
];
const TOGETHER: [&str; 3] = ["loops", "clients", "customers"];

struct Arguments {
    server: PathBuf,
    peers: bool,
    only: Option<String>,
    /// How many clients, one figure each.
    counts: Vec<usize>,
    /// The files of TPC-H.
    tpch: Option<PathBuf>,
    out: PathBuf,
    dir: PathBuf,
    scale: Scale,
    amounts: Amounts,
    /// Of what is measured in pairs.
    effort: Effort,
}

impl Arguments {
    fn wants(&self, part: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == part)
    }

    /// More customers than most machines' caches hold.
    fn millions(&self) -> bool {
        self.scale.customers >= 1_000_000
    }
}

fn arguments() -> Option<Arguments> {
    let mut a = Arguments {
        server: PathBuf::new(),
        peers: false,
        only: None,
        counts: vec![1, 8, 32, 64],
        tpch: None,
        out: "bench-results".into(),
        dir: "bench-results/data".into(),
        scale: Scale {
            commits: 50_000,
            rows: 500_000,
            customers: 300_000,
            rounds: 5,
            client_seconds: 3.0,
        },
        amounts: Amounts::FULL,
        effort: Effort::default(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--server" => a.server = words.next()?.into(),
            "--peers" => a.peers = true,
            "--quick" => {
                a.amounts = Amounts::QUICK;
                a.effort.quick = true;
                a.scale = Scale {
                    commits: 10_000,
                    rows: 200_000,
                    customers: 60_000,
                    rounds: 1,
                    client_seconds: 1.0,
                }
            }
            // Three million customers: a table larger than the caches of most machines. Their bulk load, unless --only says
            // otherwise.
            "--scale" => {
                (words.next()? == "paper").then_some(())?;
                a.scale.customers = 3_000_000;
                a.scale.rounds = 1;
                a.only.get_or_insert_with(|| "bulk".into());
            }
            "--only" => {
                let part = words.next()?;
                ALONE.iter().chain(&TOGETHER).find(|known| **known == part)?;
                a.only = Some(part);
            }
            "--pairs" => a.effort.pairs = words.next()?.parse().ok().filter(|n| *n > 0),
            "--disk-gb" => a.effort.disk_gb = words.next()?.parse().ok(),
            "--rounds" => {
                a.scale.rounds = words.next()?.parse().ok().filter(|n| *n > 0)?;
                a.amounts.rounds = a.scale.rounds;
            }
            // Of the log that is read, the database that is backed up, the long INSERT.
            "--mb" => {
                let mb = words.next()?.parse().ok().filter(|n| *n >= 50)?;
                a.amounts.log_mb = mb;
                a.amounts.database_mb = mb;
                a.amounts.insert_mb = mb;
            }
            "--clients" => {
                let counts = words.next()?;
                a.counts = counts.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?;
            }
            "--seconds" => a.scale.client_seconds = words.next()?.parse().ok()?,
            "--tpch" => a.tpch = Some(words.next()?.into()),
            "--out" => a.out = words.next()?.into(),
            "--dir" => a.dir = words.next()?.into(),
            _ => return None,
        }
    }
    a.server.exists().then_some(a)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [command, file, port] = &words[..]
        && command == bare::COMMAND
        && let Ok(port) = port.parse()
    {
        return match bare::serve(file.as_ref(), port) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    if let Some((command, rest)) = words.split_first()
        && command == "--instructions"
    {
        return compared(rest);
    }
    let Some(arguments) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("taffrail-bench: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The run of `--instructions OLD NEW`.
fn compared(words: &[String]) -> ExitCode {
    let parse = || {
        let (mut tpch, mut only) = (None, None);
        let [old, new, more @ ..] = words else { return None };
        for pair in more.chunks(2) {
            match pair {
                [flag, value] if flag == "--tpch" => tpch = Some(PathBuf::from(value)),
                [flag, value] if flag == "--only" => only = Some(value.clone()),
                _ => return None,
            }
        }
        Some((Path::new(old).canonicalize().ok()?, Path::new(new).canonicalize().ok()?, tpch, only))
    };
    let Some((old, new, tpch, only)) = parse() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let dir = instructions::place(Path::new("bench-results"));
    let counted = instructions::instructions(&old, &new, &dir, tpch.as_deref(), only.as_deref());
    let _ = std::fs::remove_dir_all(&dir);
    match counted {
        Err(e) => {
            eprintln!("taffrail-bench: {e}");
            ExitCode::FAILURE
        }
        Ok(figures) => {
            print_table(&figures);
            let beyond = instructions::beyond(&figures);
            beyond.iter().for_each(|line| eprintln!("taffrail-bench: {line}"));
            if beyond.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}

/// Each part that is wanted. One that fails does not take the others' figures with it.
fn run(a: &Arguments) -> std::io::Result<()> {
    // Of its own: what else lies there is somebody's.
    let dir = a.dir.join("taffrail-bench");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let dir = dir.canonicalize()?;
    let probe = Probe::new(&dir)?;
    let device = probe.measure()?;
    println!(
        "device: {:.0} durable 4 KiB writes/s at depth 1 (p50 {:.0} us, p99 {:.0} us), {:.0}/s at depth 4\n",
        device.depth1_per_s, device.p50_us, device.p99_us, device.depth4_per_s
    );
    let mut figures: Vec<Figure> = Vec::new();
    let mut failed = Vec::new();
    for part in ALONE {
        if a.wants(part) {
            match alone(part, a, &dir, &probe) {
                Ok(measured) => figures.extend(measured),
                Err(e) => failed.push(format!("{part}: {e}")),
            }
        }
    }
    if let Err(e) = together(a, &dir, &probe, &mut figures) {
        failed.push(e.to_string());
    }
    print_table(&figures);
    failed.extend(checkpoints::beyond(&figures));
    failed.extend(frames::beyond(&figures));
    failed.extend(fresh::beyond(&figures));
    failed.extend(groups::beyond(&figures));
    failed.extend(permissions::beyond(&figures));
    failed.extend(pipelined::beyond(&figures));
    failed.extend(plans::beyond(&figures));
    failed.extend(points::beyond(&figures));
    failed.extend(spill::beyond(&figures));
    failed.extend(restart::beyond(&figures));
    failed.extend(tpch::beyond(&figures));
    failed.extend(versions::beyond(&figures));
    failed.extend(watching::beyond(&figures));
    std::fs::create_dir_all(&a.out)?;
    let json = serde_json::to_string_pretty(&figures).map_err(std::io::Error::other)?;
    std::fs::write(a.out.join("bench.json"), json)?;
    println!("\nwritten: {}", a.out.join("bench.json").display());
    drop(probe);
    std::fs::remove_dir_all(&dir)?;
    match failed.is_empty() {
        true => Ok(()),
        false => Err(std::io::Error::other(failed.join("\n"))),
    }
}

/// A part with servers of its own.
fn alone(part: &str, a: &Arguments, dir: &Path, probe: &Probe) -> std::io::Result<Vec<Figure>> {
    match part {
        "life" => rows::life(&a.server, dir, a.scale),
        "fresh" => fresh::fresh(&a.server, dir, probe),
        "plans" => plans::plans(&a.server, dir),
        "reading" => reading::reading(&a.server, dir, a.amounts),
        "backup" => backup::backup(&a.server, dir, probe, a.amounts),
        "bandwidth" => bandwidth::bandwidth(&a.server, dir, a.amounts),
        "vlfs" => {
            let plan = vlfs::Plan::new(a.scale.customers, a.effort, dir)?;
            vlfs::vlfs(&a.server, dir, plan)
        }
        "deadlocks" => deadlocks::deadlocks(&a.server, dir, deadlocks::Plan::new(a.effort.quick)),
        // Minutes under callgrind: where it is named alone.
        "permissions" if a.only.is_some() => permissions::permissions(&a.server, dir),
        "permissions" => Ok(Vec::new()),
        // Minutes, as the next one: where it is named alone.
        "pipelined" if a.only.is_some() => pipelined::pipelined(&a.server, dir, probe, a.effort),
        "pipelined" => Ok(Vec::new()),
        "versions" if a.only.is_some() => versions::versions(&a.server, dir, a.effort),
        "versions" => Ok(Vec::new()),
        "watching" => watching::watching(&a.server, dir, a.effort),
        "frames" => frames::frames(&a.server, dir, a.effort.quick),
        "checkpoints" => checkpoints::checkpoints(&a.server, dir, a.effort),
        "restart" => restart::restart(&a.server, dir, a.effort.quick),
        "lob" => lob::lob(&a.server, dir),
        // Minutes, and a gigabyte of rows: where it is named alone.
        "spill" if a.only.is_some() => spill::spill(&a.server, dir, a.effort.quick),
        "spill" => Ok(Vec::new()),
        "groups" if a.peers || a.only.is_some() => groups::groups(&a.server, dir, a.effort),
        "points" if a.peers || a.only.is_some() => points::points(&a.server, dir, a.effort),
        "groups" | "points" => Ok(Vec::new()),
        "tpch" => match &a.tpch {
            Some(files) => tpch::tpch(&a.server, dir, files),
            None if a.only.is_some() => {
                Err(std::io::Error::other("--tpch says where its files are"))
            }
            None => Ok(Vec::new()),
        },
        "growth" => growth::growth(&a.server, dir, growth::Plan::new(a.effort)),
        _ if a.millions() => bulk::in_turn(&a.server, a.peers, dir, a.scale),
        // With the others, below.
        _ => Ok(Vec::new()),
    }
}

/// The parts that share one server, and those of the others.
fn together(
    a: &Arguments,
    dir: &Path,
    probe: &Probe,
    figures: &mut Vec<Figure>,
) -> std::io::Result<()> {
    let bulk = a.wants("bulk") && !a.millions();
    if !(a.wants("loops") || a.wants("clients") || a.wants("customers") || bulk) {
        return Ok(());
    }
    let ours = Taffrail::start(&a.server, &dir.join("taffrail"))?;
    ours.client("master")?
        .run("CREATE DATABASE bench ON (NAME = bench, FILENAME = 'bench.mdf', SIZE = 1GB) LOG ON (NAME = \
            bench_log, FILENAME = 'bench_log.ldf', SIZE = 2GB) ALTER DATABASE bench SET DELAYED_DURABILITY = ALLOWED")
        .map_err(std::io::Error::other)?;
    let (postgres, mariadb, sqlite) = match a.peers {
        true => (
            Some(Postgres::start(dir, 25432)?),
            Some(MariaDb::start(dir, 23306)?),
            Some(Sqlite::build(dir)?),
        ),
        false => (None, None, None),
    };
    let mut peers: Vec<&dyn Peer> = vec![&ours];
    peers.extend(postgres.iter().map(|p| p as &dyn Peer));
    peers.extend(mariadb.iter().map(|p| p as &dyn Peer));
    for peer in &peers {
        let mut driver = peer.connect()?;
        for sql in peer.setup() {
            driver.run(&sql)?;
        }
    }
    ours.rest()?;
    if a.wants("loops") {
        figures.extend(rows::loops(&peers, sqlite.as_ref(), probe, a.scale)?);
    }
    if a.wants("clients") {
        if a.counts.contains(&1) {
            figures.extend(wire::one_client(&ours, dir, probe, a.scale)?);
        }
        figures.extend(rows::clients(&peers, probe, &a.counts, a.scale)?);
    }
    if a.wants("customers") {
        figures.extend(rows::customers(&peers, sqlite.as_ref(), a.scale)?);
    }
    if bulk {
        figures.extend(bulk::bulk(&ours, &peers, dir, a.scale)?);
    }
    Ok(())
}

//! `taffrail-fuzz`: runs targets for a while, makes their corpus, replays an input. `cargo run -p taffrail-fuzz -- --help`

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use taffrail_fuzz::runner::{self, Plan};
use taffrail_fuzz::{TARGETS, Target, target};

#[derive(Parser)]
#[command(about = "Readers and any bytes")]
struct Arguments {
    #[command(subcommand)]
    command: What,
}

#[derive(Subcommand)]
enum What {
    /// The targets.
    List,
    /// Runs a target (or all of them in turn) for some time.
    Run {
        /// Which; all of them if it is left out.
        target: Option<String>,
        /// How long, each.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Where to begin.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Runs a target on an input from a file.
    Replay { target: String, path: PathBuf },
    /// Writes the seeds of the present formats into fuzz/corpus, where libFuzzer begins.
    Corpus,
    /// What `run` starts.
    #[command(hide = true)]
    Worker {
        target: String,
        #[arg(long)]
        seed: u64,
        #[arg(long)]
        from: u64,
        #[arg(long)]
        to: u64,
        #[arg(long)]
        seconds: Option<u64>,
        #[arg(long)]
        state: PathBuf,
    },
}

fn named(name: &str) -> Result<&'static Target> {
    target(name).with_context(|| format!("there is no target {name}"))
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        What::List => TARGETS.iter().for_each(|t| println!("{:<12} {}", t.name, t.about)),
        What::Run { target, seconds, seed } => {
            let program = std::env::current_exe()?;
            let one = target.as_deref().map(named).transpose()?;
            for t in TARGETS.iter().filter(|t| one.is_none_or(|one| one.name == t.name)) {
                let time = Some(Duration::from_secs(seconds));
                let plan = Plan { seed, from: 0, to: u64::MAX, time };
                let tally = runner::supervise(&program, t, plan)?;
                println!("{:<12} seed {seed}: {tally:?}", t.name);
            }
        }
        What::Replay { target, path } => {
            let understood = (named(&target)?.run)(&std::fs::read(&path)?);
            println!("{}", if understood { "understood" } else { "refused" });
        }
        What::Corpus => TARGETS.iter().try_for_each(write_corpus)?,
        What::Worker { target, seed, from, to, seconds, state } => {
            let time = seconds.map(Duration::from_secs);
            runner::worker(named(&target)?, Plan { seed, from, to, time }, &state)?;
        }
    }
    Ok(())
}

/// Seeds of a target that are checked in, and bytes of one.
const SEEDS_MAX: usize = 40;
const SEED_BYTES_MAX: usize = 16 << 10;

/// Replaces the seeds in a target's corpus; what has another name stays.
fn write_corpus(target: &Target) -> Result<()> {
    let directory = runner::corpus_directory(target);
    std::fs::create_dir_all(&directory)?;
    for entry in std::fs::read_dir(&directory)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("seed-")) {
            std::fs::remove_file(path)?;
        }
    }
    // Small enough to be checked in: a bounded run makes all seeds anew, libFuzzer finds its way from fewer.
    let seeds: Vec<_> =
        (target.seeds)().into_iter().filter(|s| s.len() <= SEED_BYTES_MAX).collect();
    for (n, seed) in seeds.iter().step_by(seeds.len().div_ceil(SEEDS_MAX).max(1)).enumerate() {
        std::fs::write(directory.join(format!("seed-{n:02}")), seed)?;
    }
    Ok(())
}

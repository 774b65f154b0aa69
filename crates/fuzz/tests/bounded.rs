//! Every target for a bounded number of inputs on a seed that is always the same: `TAFFRAIL_FUZZ_SEED=n` tries others,
//! `TAFFRAIL_FUZZ_INPUTS=n` more or fewer. For minutes or hours see CONTRIBUTING.md.

use std::path::Path;

use taffrail_fuzz::TARGETS;
use taffrail_fuzz::runner::{Plan, supervise};

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Two threads, each taking the next target: heavy ones first would gain little.
#[test]
fn every_reader_answers_or_refuses() {
    let program = Path::new(env!("CARGO_BIN_EXE_taffrail-fuzz"));
    let seed = number("TAFFRAIL_FUZZ_SEED").unwrap_or(1);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let take = || TARGETS.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    let failures: Vec<String> = std::thread::scope(|scope| {
        let run = || {
            let mut failures = Vec::new();
            while let Some(target) = take() {
                let to = number("TAFFRAIL_FUZZ_INPUTS").unwrap_or(target.bounded);
                let plan = Plan { seed, from: 0, to, time: None };
                match supervise(program, target, plan) {
                    // A target that understands nothing tests nothing.
                    Ok(tally) if tally.understood > 0 => println!("{}: {tally:?}", target.name),
                    Ok(tally) => failures.push(format!("{}: {tally:?}", target.name)),
                    Err(e) => failures.push(format!("{e:#}")),
                }
            }
            failures
        };
        let both = [scope.spawn(run), scope.spawn(run)];
        both.into_iter().flat_map(|t| t.join().expect("a thread")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

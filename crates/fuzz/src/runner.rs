//! A target, a seed, a number of inputs.
//!
//! Input `n` of a seed is made by that number alone, from the seeds and the corpus: so any input can be made again without the ones before
//! it. A run happens in a process of its own, which notes the number before it begins an input: whoever started it can tell which input
//! crashed it, overflowed its stack, ate all memory or never came to an end. Memory is limited, the stack is a session's.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use taffrail_io::sim::SimRng;

use crate::{Target, mutate};

/// The stack that a session has at least.
const STACK_BYTES: usize = 2 << 20;
/// Address space of a run: what a reader that trusts a number asks for is far more.
const MEMORY_BYTES: u64 = 4 << 30;
/// An input that takes this long never ends. Inputs take milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which inputs.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The seed of all of them.
    pub seed: u64,
    /// The first.
    pub from: u64,
    /// Behind the last.
    pub to: u64,
    /// No further one is begun when so much time has passed.
    pub time: Option<Duration>,
}

/// What a run was like.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Inputs.
    pub inputs: u64,
    /// Of those, understood by the reader.
    pub understood: u64,
}

/// The directory of a target's corpus.
pub fn corpus_directory(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name)
}

/// Seeds, then what is checked in: inputs of earlier formats, and what once found a mistake.
pub fn pool(target: &Target) -> Result<Vec<Vec<u8>>> {
    let mut pool = (target.seeds)();
    let directory = corpus_directory(target);
    if directory.is_dir() {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(&directory)?.map(|e| Ok(e?.path())).collect::<Result<_>>()?;
        paths.sort();
        for path in paths {
            pool.push(std::fs::read(&path).with_context(|| path.display().to_string())?);
        }
    }
    Ok(pool)
}

/// Makes an input. The first ones are the pool itself.
pub fn input(target: &Target, pool: &[Vec<u8>], seed: u64, n: u64) -> Vec<u8> {
    if let Some(whole) = usize::try_from(n).ok().and_then(|n| pool.get(n)) {
        return whole.clone();
    }
    let rng = &mut SimRng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n);
    let mut input = match pool.len() as u64 {
        0 => Vec::new(),
        len => pool[rng.below(len) as usize].clone(),
    };
    if target.text && !rng.one_in(8) {
        mutate::text(rng, &mut input, pool);
    } else {
        mutate::bytes(rng, &mut input, pool);
    }
    input
}

/// Runs inputs in this process; `note` is told each number before it is begun. An error is an input that made the reader panic.
pub fn work(target: &Target, plan: Plan, mut note: impl FnMut(u64) + Send) -> Result<Tally> {
    let pool = pool(target)?;
    let begun = Instant::now();
    let run = || {
        let mut tally = Tally::default();
        for n in plan.from..plan.to {
            if plan.time.is_some_and(|limit| begun.elapsed() >= limit) {
                break;
            }
            note(n);
            let input = input(target, &pool, plan.seed, n);
            match catch_unwind(AssertUnwindSafe(|| (target.run)(&input))) {
                Ok(understood) => tally.understood += u64::from(understood),
                Err(_) => bail!("input {n} of seed {} made the reader panic", plan.seed),
            }
            tally.inputs += 1;
        }
        Ok(tally)
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        thread.context("a thread")?.join().expect("panics are caught")
    })
}

/// The worker's side: limits memory, notes numbers in a file, prints what it was like.
pub fn worker(target: &Target, plan: Plan, state: &Path) -> Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    setrlimit(Resource::As, Rlimit { current: Some(MEMORY_BYTES), maximum: Some(MEMORY_BYTES) })
        .context("limiting memory")?;
    let file = std::fs::File::create(state).with_context(|| state.display().to_string())?;
    let note = |n: u64| {
        use std::os::unix::fs::FileExt;
        // Without it a crash is still told, only not its input.
        let _ = file.write_all_at(&n.to_le_bytes(), 0);
    };
    let tally = work(target, plan, note)?;
    writeln!(std::io::stdout(), "{} {}", tally.inputs, tally.understood)?;
    Ok(())
}

fn last_input(state: &Path) -> Option<u64> {
    let bytes = std::fs::read(state).ok()?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// Waits for a worker; kills it when an input does not come to an end. None: killed.
fn watch(child: &mut Child, state: &Path) -> Result<Option<ExitStatus>> {
    let (mut last, mut since) = (None, Instant::now());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let now = last_input(state);
        if now != last {
            (last, since) = (now, Instant::now());
        }
        if since.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs a plan in a process of its own (`program` is `taffrail-fuzz`). An error names the input, which is kept in a file.
pub fn supervise(program: &Path, target: &Target, plan: Plan) -> Result<Tally> {
    let directory = std::env::temp_dir().join("taffrail-fuzz");
    std::fs::create_dir_all(&directory)?;
    let state = directory.join(format!("{}-{}.state", target.name, std::process::id()));
    let mut command = Command::new(program);
    command.args(["worker", target.name, "--state"]).arg(&state);
    command.args(["--seed", &plan.seed.to_string(), "--from", &plan.from.to_string()]);
    command.args(["--to", &plan.to.to_string()]);
    if let Some(time) = plan.time {
        command.args(["--seconds", &time.as_secs().to_string()]);
    }
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().context("a worker")?;
    let status = watch(&mut child, &state)?;
    let last = last_input(&state);
    std::fs::remove_file(&state).ok();
    if status.is_some_and(|s| s.success()) {
        let mut said = String::new();
        let out = child.stdout.as_mut().context("a pipe")?;
        std::io::Read::read_to_string(out, &mut said)?;
        let mut numbers = said.split_whitespace().filter_map(|n| n.parse().ok());
        let (inputs, understood) =
            numbers.next().zip(numbers.next()).with_context(|| format!("worker said {said}"))?;
        return Ok(Tally { inputs, understood });
    }
    let how = status.map_or("did not come to an end".to_owned(), |s| s.to_string());
    let Some(n) = last else { bail!("{}: {how}, before its first input", target.name) };
    let kept = directory.join(format!("{}-{}-{n}", target.name, plan.seed));
    std::fs::write(&kept, input(target, &pool(target)?, plan.seed, n))?;
    bail!(
        "{}: {how} at input {n} of seed {seed}; again: taffrail-fuzz replay {} {}",
        target.name,
        target.name,
        kept.display(),
        seed = plan.seed,
    )
}

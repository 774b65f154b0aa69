//! `taffrail lab run`: says what a run needs and makes, asks before it takes much, runs, prints tables, writes pages.

use super::ask::{Terminal, yes};
use crate::place::{Trust, password};
use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use taffrail_lab::client::ConnectOptions;
use taffrail_lab::experiment::files::built_in;
use taffrail_lab::experiment::judge::number;
use taffrail_lab::experiment::peers::Peers;
use taffrail_lab::experiment::place::Place;
use taffrail_lab::experiment::plan::{NOT_ASKED_FOR, Needs, Wish, size_in_words, time_in_words};
use taffrail_lab::experiment::read::{Experiment, SCALES};
use taffrail_lab::experiment::record::Device;
use taffrail_lab::experiment::run::{self, Listener};
use taffrail_lab::experiment::spec::Variant;
use taffrail_lab::experiment::stop::{Interrupted, Stop};
use taffrail_lab::experiment::store::REPORT;
use taffrail_lab::experiment::table::table;
use taffrail_lab::experiment::trial::database;
use taffrail_sqlcmd::{PORT, split_server};

/// Above this the user is asked first: seconds.
const LONG_S: f64 = 330.0;
/// Above this the user is asked first: megabytes.
const LARGE_MB: u64 = 5 * 1024;
/// Exit code after Ctrl+C.
const INTERRUPTED: u8 = 130;

/// Text below the flags of `lab run --help`.
pub const HELP: &str = "\
Examples:
  taffrail lab run loop                                  on a server of its own, in ./taffrail-lab
  taffrail lab run all --scale quick --out /mnt/ssd/lab
  taffrail lab run vlfs -S db.example.com,1433 -U sa -C  on a SQL Server of yours

Before it begins it says what it needs and makes. It makes databases whose names begin with
TaffrailLab_, marks each with an extended property, and drops them at the end, also after Ctrl+C;
a database of such a name without the mark is never touched. What is measured on is the device
below --out, or that of the server of -S.
The same command goes on where a run was broken off. The password can also be given as SQLCMDPASSWORD.";

/// The flags of `lab run`; those of the connection are sqlcmd's.
#[derive(Args)]
pub struct Run {
    /// Experiments; see 'taffrail lab list'. 'all': the five that repeat an article; 'beyond': the others; ./DIRECTORY: one of your own
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// How large: 'quick' takes minutes, 'article' more, 'paper' is what was published; 'tiny' is for tests
    #[arg(long, default_value = "quick", value_parser = SCALES)]
    scale: String,
    /// Number of rounds, without the warm-up
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    repeat: u32,
    /// Directory for results, and for the data of the lab's own server meanwhile
    #[arg(long, value_name = "DIR", default_value = "taffrail-lab")]
    out: PathBuf,
    /// Only this variant; may be repeated
    #[arg(long, value_name = "VARIANT")]
    only: Vec<String>,
    /// Keep the databases of the last round, and the data of the lab's own server
    #[arg(long)]
    keep: bool,
    /// Have SQLite, PostgreSQL and MariaDB do the same work where they are installed, on the device of the lab's own server
    #[arg(long)]
    peers: bool,
    /// Make each database with PIPELINED_COMMIT = ON, where its experiment does not set that itself; a Taffrail has it
    #[arg(long)]
    pipelined_commit: bool,
    /// Say what happens as lines of JSON: {"line":…}, {"progress":{"what":…,"done":0 to 1,"left":…}}, {"report":path}
    #[arg(long)]
    json: bool,
    /// Do not ask before much time or disk is taken
    #[arg(short, long)]
    yes: bool,
    /// A server that is there [default: one of the lab's own]
    #[arg(short = 'S', long, value_name = "HOST[,PORT]")]
    server: Option<String>,
    /// Login, as sqlcmd takes it
    #[arg(short = 'U', long, value_name = "LOGIN", env = "SQLCMDUSER", default_value = "sa")]
    user: String,
    /// Password of the login
    #[arg(
        short = 'P',
        long,
        value_name = "PASSWORD",
        env = "TAFFRAIL_LAB_PASSWORD",
        hide_env_values = true
    )]
    password: Option<String>,
    #[command(flatten)]
    trust: Trust,
    /// How long the login may take in s; 0: as long as it takes
    #[arg(short = 'l', long, value_name = "S", default_value_t = 15)]
    login_timeout: u64,
}

/// Runs the command to its end.
pub fn run(flags: Run) -> ExitCode {
    let mut terminal = Terminal::new(flags.json);
    let new = !flags.out.exists();
    let mut kept = false;
    let ended = carry_out(&flags, &mut terminal, &mut kept);
    terminal.clear();
    if new {
        // Goes only where nothing is in it.
        let _ = std::fs::remove_dir(&flags.out);
    }
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Interrupted) => {
            let made = match (kept, &flags.server) {
                (false, _) => "what was made is gone. The same command goes on",
                (true, Some(_)) => "what is there of it is kept. The same command goes on",
                (true, None) => {
                    "what was made is kept. Where it is removed, the same command goes on"
                }
            };
            eprintln!("taffrail: interrupted; {made} after the trials that are done.");
            ExitCode::from(INTERRUPTED)
        }
        Err(Stop::Failed(why)) => {
            eprintln!("taffrail: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs everything; `keeps` is set once the things that are made stay, whatever happens.
fn carry_out(flags: &Run, terminal: &mut Terminal, keeps: &mut bool) -> Result<(), Stop> {
    let experiments = found(&flags.names)?;
    let interrupted = listening()?;
    let wish = Wish { scale: flags.scale.clone(), repeat: flags.repeat, only: flags.only.clone() };
    let mut place = match &flags.server {
        Some(server) => Place::there(options(flags, server)?)?,
        None => {
            Place::start(Box::new(taffrail_server::binary::command), &run::scratch(&flags.out))?
        }
    };
    if flags.pipelined_commit && place.server.product != "Taffrail" {
        return Err(Stop::Failed("--pipelined-commit: only Taffrail has this setting".into()));
    }
    let mut peers = if flags.peers { Peers::look(place.scratch()) } else { Peers::default() };
    let device = run::device(&place)?;
    let wanted = needs(&experiments, &wish, &place, device.as_ref(), &peers)?;
    // Nothing of a product's is made before there is room for it.
    peers.make(&wanted.iter().flat_map(|(_, needs)| needs.products.clone()).collect());
    let all = needs(&experiments, &wish, &place, device.as_ref(), &peers)?;
    told(flags, &place, &all, device.as_ref(), terminal);
    if flags.peers {
        told_of_peers(&peers, &all, terminal);
    }
    asked(flags, &all)?;
    interrupted.check()?;
    let lab = Common { flags, wish, peers, interrupted };
    if !flags.keep {
        return each(&lab, &mut place, &all, device, terminal);
    }
    place.keep()?;
    *keeps = true;
    let done = each(&lab, &mut place, &all, device, terminal);
    kept(&place, terminal);
    done
}

/// Needs of each experiment, for which there is room.
fn needs<'e>(
    experiments: &'e [Experiment],
    wish: &Wish,
    place: &Place,
    device: Option<&Device>,
    peers: &Peers,
) -> Result<Vec<(&'e Experiment, Needs<'e>)>, Stop> {
    let each = experiments.iter().map(|experiment| {
        let needs = Needs::of(experiment, wish, &place.server, device, peers)?;
        run::room(place, &needs)?;
        Ok((experiment, needs))
    });
    each.collect()
}

/// Everything that the runs of a command have in common.
struct Common<'a> {
    flags: &'a Run,
    wish: Wish,
    peers: Peers,
    interrupted: Interrupted,
}

/// Runs one experiment after another, and shows each.
fn each(
    common: &Common<'_>,
    place: &mut Place,
    all: &[(&Experiment, Needs<'_>)],
    mut device: Option<Device>,
    terminal: &mut Terminal,
) -> Result<(), Stop> {
    for (experiment, needs) in all {
        let run = run::Run {
            experiment,
            wish: common.wish.clone(),
            out: common.flags.out.clone(),
            keep: common.flags.keep,
            interrupted: common.interrupted.clone(),
            peers: &common.peers,
            pipelined_commit: common.flags.pipelined_commit,
        };
        let (record, at) = run.go(place, needs, device, terminal)?;
        device = record.device.map(|[_, after]| after);
        for line in table(&record, experiment) {
            terminal.line(&line);
        }
        terminal.report(&at.join(REPORT));
    }
    Ok(())
}

fn found(names: &[String]) -> Result<Vec<Experiment>, Stop> {
    let mut experiments: Vec<Experiment> = Vec::new();
    for name in names {
        // Those that repeat an article, or those of our own.
        let published = match name.as_str() {
            "all" => Some(true),
            "beyond" => Some(false),
            _ => None,
        };
        let words: Vec<&str> = if published.is_some() { built_in().collect() } else { vec![name] };
        for word in words {
            let experiment = Experiment::find(word)?;
            if published.is_some_and(|wanted| experiment.spec.document.is_some() != wanted) {
                continue;
            }
            if !experiments.iter().any(|e| e.files.name == experiment.files.name) {
                experiments.push(experiment);
            }
        }
    }
    Ok(experiments)
}

/// Ctrl+C, and whatever else asks for an end, is heard between two steps; the second one ends it at once.
fn listening() -> Result<Interrupted, Stop> {
    let interrupted = Interrupted::default();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let flag = &interrupted.0;
        signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED.into(), flag.clone())?;
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(interrupted)
}

fn options(flags: &Run, server: &str) -> Result<ConnectOptions, Stop> {
    let (host, port) = split_server(server)?;
    Ok(flags.trust.checked(ConnectOptions {
        port: port.unwrap_or(PORT),
        user: flags.user.clone(),
        password: flags.password.clone().unwrap_or_else(password),
        application: "taffrail lab".into(),
        login_timeout: (flags.login_timeout > 0)
            .then(|| Duration::from_secs(flags.login_timeout.min(3600))),
        host,
        ..ConnectOptions::default()
    }))
}

/// Says what is needed and made.
fn told(
    flags: &Run,
    place: &Place,
    all: &[(&Experiment, Needs<'_>)],
    device: Option<&Device>,
    terminal: &mut Terminal,
) {
    let server = &place.server;
    terminal.line(&match (place.scratch(), &flags.server) {
        (Some(scratch), _) => {
            let end = if flags.keep { "which stays" } else { "which is removed at the end" };
            format!(
                "On {}, started by the lab with its data in {}, {end}.",
                server.version,
                scratch.display()
            )
        }
        (None, server_at) => {
            format!("On {} at {}.", server.version, server_at.as_deref().unwrap_or_default())
        }
    });
    if let Some(device) = device {
        terminal.line(&format!(
            "The device makes {} durable writes of 4 KB a second.",
            number(device.writes_per_s)
        ));
    }
    for (experiment, needs) in all {
        let name = &experiment.files.name;
        let variants: Vec<&str> =
            needs.variants.iter().map(|v| v.name.get_ref().as_str()).collect();
        let rounds = if flags.repeat == 1 { "round" } else { "rounds" };
        terminal.line(&format!(
            "{name}: {}\n  {} {rounds} of {}: about {}, up to {} of disk. Makes {} and alike, one after another.",
            experiment.spec.title,
            flags.repeat,
            variants.join(", "),
            time_in_words(needs.seconds),
            size_in_words(needs.disk_mb),
            database(name, variants[0])
        ));
    }
}

/// Says which products do the work as well, and why others do not.
fn told_of_peers(peers: &Peers, all: &[(&Experiment, Needs<'_>)], terminal: &mut Terminal) {
    for (experiment, needs) in all {
        let name = &experiment.files.name;
        let mut lines: Vec<String> = Vec::new();
        let missing = |(v, why): &&(&Variant, String)| v.peer.is_some() && why != NOT_ASKED_FOR;
        for (variant, why) in needs.left_out.iter().filter(missing) {
            let line = format!("  without {}: {why}", variant.label);
            lines.push(line);
        }
        if experiment.spec.variant.iter().all(|v| v.peer.is_none()) {
            lines.push(format!("{name} has no work for others than the server."));
        }
        lines.iter().for_each(|line| terminal.line(line));
    }
    let products = all.iter().flat_map(|(_, needs)| needs.products.iter().copied()).collect();
    if let versions @ [_, ..] = &*peers.versions(&products) {
        terminal.line(&format!("Beside it: {}.", versions.join(", ")));
    }
}

/// Asks where a run takes long or much.
fn asked(flags: &Run, all: &[(&Experiment, Needs<'_>)]) -> Result<(), Stop> {
    let seconds: f64 = all.iter().map(|(_, n)| n.seconds).sum();
    let mb = all.iter().map(|(_, n)| n.disk_mb).max().unwrap_or(0);
    if flags.yes || seconds <= LONG_S && mb <= LARGE_MB {
        return Ok(());
    }
    let takes =
        format!("This takes about {} and up to {}", time_in_words(seconds), size_in_words(mb));
    match yes(&format!("{takes}. Go on?")) {
        Some(true) => Ok(()),
        Some(false) => Err(Stop::Failed("nothing was done".into())),
        None => Err(Stop::Failed(format!("{takes}: --yes says that it may"))),
    }
}

/// Says what stays, and how to look into it.
fn kept(place: &Place, terminal: &mut Terminal) {
    match place.kept() {
        Some((data, password)) => terminal.line(&format!(
            "\n  kept: TAFFRAIL_SA_PASSWORD='{password}' taffrail serve --data '{}'",
            data.display()
        )),
        None => terminal.line("\n  kept: the databases of the last round"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_and_beyond_are_every_experiment_once() {
        let names = |words: &[&str]| -> Vec<String> {
            let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
            let found = found(&words).unwrap_or_else(|_| panic!("{words:?} are words"));
            found.iter().map(|e| e.files.name.clone()).collect()
        };
        let (all, both) = (names(&["all"]), names(&["all", "beyond", "loop"]));
        assert_eq!(all.len(), 5, "{all:?}");
        let mut sorted = both.clone();
        sorted.sort();
        let mut every: Vec<String> = built_in().map(String::from).collect();
        every.sort();
        assert_eq!(sorted, every);
    }
}

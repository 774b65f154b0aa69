//! `taffrail assess`: scripts of another server are judged in an instance of its own, statement by statement. What judges is in the
//! engine's `assess`, what reads scripts in `taffrail_sqlcmd::scripts`.

use clap::{Args, ValueEnum};
use serde::Serialize;
use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use taffrail_server::assess::{Judged, Scratch, Verdict};
use taffrail_sqlcmd::scripts::{self, ScriptBatch};

const HELP: &str = "\
PATH is a script or a folder, whose files *.sql are read in the order of their names, with those of its folders. GO, :r, :setvar and
$(variables) mean what they mean in sqlcmd; other commands are passed over. UTF-8, or UTF-16 with a byte order mark.

The scripts meet a new instance in a temporary directory. Definitions (CREATE, ALTER, DROP, GRANT …) are carried out there, so that
names are known; queries, changes and the bodies of modules are bound and not run. What cannot be told without running it, or for
want of a name that no script makes, is \"not judged\". With --execute everything is run, in the order of the files.

Exit code 0: nothing is refused, 1: something is, 2: a file cannot be read or the command is wrong.";

/// The flags of the command `assess`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Assess {
    /// Scripts and folders of scripts
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Run all statements in the instance, with their data
    #[arg(long)]
    execute: bool,
    /// Value of a variable of the scripts; may be repeated
    #[arg(short = 'v', long = "variable", value_name = "NAME=VALUE")]
    variables: Vec<String>,
}

/// The forms of the result.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    /// Lines for people: FILE:LINE:COLUMN
    Text,
    /// One document for programs
    Json,
}

/// A statement that does not simply run.
#[derive(Serialize)]
struct Finding {
    file: String,
    line: u32,
    column: u32,
    verdict: &'static str,
    number: Option<i32>,
    message: String,
    statement: String,
}

/// The result as a whole.
#[derive(Serialize, Default)]
struct Assessed {
    files: usize,
    batches: usize,
    statements: usize,
    runs: usize,
    refused: usize,
    not_judged: usize,
    findings: Vec<Finding>,
}

/// Runs the command with its flags.
pub fn run(flags: &Assess) -> ExitCode {
    let assessed = match assess(flags) {
        Ok(assessed) => assessed,
        Err(why) => {
            eprintln!("taffrail: {why}");
            return ExitCode::from(super::USAGE);
        }
    };
    let written = match flags.format {
        Format::Text => write_text(&assessed),
        Format::Json => serde_json::to_writer_pretty(io::stdout(), &assessed)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(io::stdout())),
    };
    match written {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("taffrail: {e}");
            ExitCode::from(super::USAGE)
        }
        _ if assessed.refused > 0 => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

/// A directory that goes away with its value.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> io::Result<Temporary> {
        for n in 0.. {
            let name = format!("taffrail-assess-{}-{n}", std::process::id());
            let path = std::env::temp_dir().join(name);
            // What scripts make is nobody else's to read.
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Temporary(path)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The result does not depend on it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn assess(flags: &Assess) -> Result<Assessed, String> {
    let mut files = Vec::new();
    for path in &flags.paths {
        add_files(path, &mut files).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let variables = flags.variables.iter().map(|v| {
        let (name, value) =
            v.split_once('=').ok_or_else(|| format!("-v {v}: NAME=VALUE is wanted"))?;
        Ok((name.to_owned(), value.to_owned()))
    });
    let variables = variables.collect::<Result<Vec<_>, String>>()?;
    let mut scripts = Vec::new();
    for file in &files {
        scripts.push(scripts::batches_of(file, &variables)?);
    }
    let directory = Temporary::new().map_err(|e| format!("a temporary directory: {e}"))?;
    let mut scratch = Scratch::open(&directory.0, flags.execute)?;
    for batches in &scripts {
        scratch.begin_file()?;
        for batch in batches.iter().filter(|b| b.undefined.is_none()) {
            scratch.batch(&batch.text);
        }
    }
    let mut judged = scratch.finish().into_iter();
    let mut all = Assessed { files: files.len(), ..Assessed::default() };
    for batch in scripts.iter().flatten() {
        all.batches += 1;
        match &batch.undefined {
            Some(name) => all.add(batch, &of_undefined(batch, name)),
            None => judged.next().unwrap_or_default().iter().for_each(|j| all.add(batch, j)),
        }
    }
    Ok(all)
}

/// The judgement of a batch with a variable that has no value: as one statement.
fn of_undefined(batch: &ScriptBatch, name: &str) -> Judged {
    let why = format!("the variable $({name}) has no value: -v {name}=VALUE");
    let start = batch.text.len() - batch.text.trim_start().len();
    Judged { start, end: batch.text.len(), verdict: Verdict::NotJudged(why) }
}

/// The scripts of a path, those of folders in the order of their names.
fn add_files(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !std::fs::metadata(path)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = std::fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
    let mut entries: Vec<PathBuf> = entries.into_iter().map(|e| e.path()).collect();
    entries.sort();
    for entry in entries {
        let is_script = entry.extension().is_some_and(|e| e.eq_ignore_ascii_case("sql"));
        // A link to a folder may lead back to one in which it lies.
        let is_followed = if entry.is_dir() { !entry.is_symlink() } else { is_script };
        if is_followed {
            add_files(&entry, files)?;
        }
    }
    Ok(())
}

impl Assessed {
    /// Counts a statement, and keeps what is to be said of it.
    fn add(&mut self, batch: &ScriptBatch, judged: &Judged) {
        self.statements += 1;
        let (verdict, number, message) = match &judged.verdict {
            Verdict::Runs => {
                self.runs += 1;
                return;
            }
            Verdict::Refused(e) => {
                self.refused += 1;
                ("refused", Some(e.number), e.message.clone())
            }
            Verdict::NotJudged(why) => {
                self.not_judged += 1;
                ("not judged", None, why.clone())
            }
        };
        let before = batch.text.get(..judged.start).unwrap_or_default();
        let row = before.matches('\n').count();
        let (file, line) = match batch.lines.get(row) {
            Some((file, line)) => (file.display().to_string(), *line),
            None => (String::new(), 0),
        };
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) as u32 + 1;
        let text = batch.text.get(judged.start..judged.end).unwrap_or_default();
        let statement = shortened(text);
        self.findings.push(Finding { file, line, column, verdict, number, message, statement });
    }
}

/// A statement on one line, cut where it is long.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 100;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line,
    }
}

fn write_text(all: &Assessed) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for f in &all.findings {
        let number = f.number.map_or(String::new(), |n| format!(" ({n})"));
        writeln!(out, "{}:{}:{}: {}: {}{number}", f.file, f.line, f.column, f.verdict, f.message)?;
        writeln!(out, "    {}", f.statement)?;
    }
    writeln!(
        out,
        "{} files, {} statements: {} run, {} refused, {} not judged",
        all.files, all.statements, all.runs, all.refused, all.not_judged
    )
}

//! `lab list`, `show`, `report`, `compare` and `new`: everything about experiments that needs no server.

use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use taffrail_lab::experiment::compare::Compared;
use taffrail_lab::experiment::files::{Files, built_in};
use taffrail_lab::experiment::judge::number;
use taffrail_lab::experiment::plan::size_in_words;
use taffrail_lab::experiment::read::{Experiment, SCALES};
use taffrail_lab::experiment::record::Record;
use taffrail_lab::experiment::spec::{Need, Product, Variant};
use taffrail_lab::experiment::store;
use taffrail_lab::experiment::table::{aligned, table};
use taffrail_lab::experiment::{page, stop::Stop};
use taffrail_lab::load::GENERATORS;

/// The flags of `lab list`.
#[derive(Args)]
pub struct List {
    /// The experiments as JSON: name, title, question, document, scales with their disk and time, products of --peers
    #[arg(long)]
    json: bool,
}

/// The flags of `lab show`.
#[derive(Args)]
pub struct Show {
    /// The experiment; see 'taffrail lab list', or ./DIRECTORY
    name: String,
}

/// The flags of `lab report`.
#[derive(Args)]
pub struct Report {
    /// The directory of a run
    #[arg(value_name = "DIR")]
    run: PathBuf,
}

/// The flags of `lab compare`.
#[derive(Args)]
pub struct Compare {
    /// The directory of a run, or its page
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Another run of the same experiment
    #[arg(value_name = "B")]
    b: PathBuf,
    /// File for the page
    #[arg(long, value_name = "FILE", default_value = "taffrail-lab-compare.html")]
    out: PathBuf,
}

/// The flags of `lab new`.
#[derive(Args)]
pub struct New {
    /// The directory that is made; its name is the experiment's
    #[arg(value_name = "NAME")]
    place: PathBuf,
    /// The experiment to begin with
    #[arg(long, value_name = "NAME", default_value = "loop")]
    from: String,
}

fn shown(stop: Stop) -> String {
    stop.to_string()
}

/// The lines of `lab list`.
pub fn list(flags: &List) -> Result<Vec<String>, String> {
    if flags.json {
        let all: Result<Vec<_>, String> = built_in().map(described).collect();
        return Ok(vec![serde_json::Value::from(all?).to_string()]);
    }
    let mut cells = Vec::new();
    for name in built_in() {
        cells.push(vec![name.to_owned(), Experiment::find(name)?.spec.title]);
    }
    let mut lines = vec!["Experiments (taffrail lab run NAME):".to_owned()];
    lines.extend(left(&cells));
    lines.extend([String::new(), "Generators of rows (taffrail lab load NAME):".to_owned()]);
    let generators = GENERATORS.iter().map(|g| vec![g.name.to_owned(), g.description.to_owned()]);
    lines.extend(left(&generators.collect::<Vec<_>>()));
    Ok(lines)
}

/// An experiment for programs. `seconds` are those of a round on an idle machine of two cores.
fn described(name: &str) -> Result<serde_json::Value, String> {
    let spec = Experiment::find(name)?.spec;
    let scales = SCALES.iter().filter_map(|scale| {
        let s = spec.scale.get(*scale)?;
        Some(json!({ "name": scale, "disk_mb": s.disk_mb, "seconds": s.seconds, "durable_writes": s.durable_writes }))
    });
    // A label may name values: those of the usual size.
    let filled = |variant: &Variant| {
        let values = spec.scale.get("quick").into_iter().flat_map(|s| &s.values);
        values.fold(labelled(variant), |text, (k, v)| {
            text.replace(&format!("$({k})"), &v.to_string())
        })
    };
    let peers: BTreeSet<Product> = spec.variant.iter().filter_map(|v| v.peer).collect();
    Ok(json!({
        "name": name,
        "title": spec.title,
        "question": spec.question,
        "document": spec.document.as_ref().map(|d| &d.title),
        "variants": spec.variant.iter().filter(|v| v.peer.is_none()).map(filled).collect::<Vec<_>>(),
        "peers": peers.into_iter().map(Product::name).collect::<Vec<_>>(),
        "scales": scales.collect::<Vec<_>>(),
    }))
}

/// A variant's label; one that not every server has says so.
fn labelled(variant: &Variant) -> String {
    let asked =
        if variant.needs.contains(&Need::Create) { " (where the server has it)" } else { "" };
    format!("{}{asked}", variant.label)
}

/// A name and what it is.
fn left(cells: &[Vec<String>]) -> Vec<String> {
    cells.iter().map(|c| format!("  {:<16} {}", c[0], c[1])).collect()
}

/// The lines of `lab show`.
pub fn show(flags: &Show) -> Result<Vec<String>, String> {
    let experiment = Experiment::find(&flags.name)?;
    let spec = &experiment.spec;
    let name = &experiment.files.name;
    let mut lines = vec![format!("{name}: {}", spec.title), format!("  {}", spec.question)];
    if let Some(document) = &spec.document {
        lines.push(format!("  After \"{}\".", document.title));
        lines.extend(document.figures.iter().map(|f| format!("    {f}")));
    }
    lines.extend([String::new(), "Variants:".into()]);
    let described = spec.variant.iter().map(|v| {
        let flag = if v.peer.is_some() { " (with --peers)" } else { "" };
        vec![v.name.get_ref().clone(), format!("{}{flag}", labelled(v))]
    });
    let cells: Vec<Vec<String>> = described.collect();
    lines.extend(left(&cells));
    lines.extend([String::new(), "Measures:".into()]);
    let cells: Vec<Vec<String>> =
        spec.measure.iter().map(|m| vec![m.name.get_ref().clone(), m.label.clone()]).collect();
    lines.extend(left(&cells));
    lines.extend([String::new(), "Scales:".into()]);
    let head = ["scale", "disk", "a round", "durable writes", "values"].map(str::to_owned).to_vec();
    let mut cells = vec![head];
    for scale in SCALES {
        let Some(s) = spec.scale.get(scale) else { continue };
        let values: Vec<String> = s.values.iter().map(|(k, v)| format!("{k} {v}")).collect();
        cells.push(vec![
            scale.to_owned(),
            size_in_words(s.disk_mb),
            format!("{} s", number(s.seconds)),
            number(s.durable_writes),
            values.join(", "),
        ]);
    }
    lines.extend(aligned(&cells));
    let claims = if spec.document.is_some() { "Claims of the document:" } else { "Claims:" };
    lines.extend([String::new(), claims.into()]);
    lines.extend(spec.claim.iter().map(|c| format!("  {}", c.text)));
    let files: Vec<&str> = experiment.files.texts.keys().map(String::as_str).collect();
    lines.extend([String::new(), format!("Files: {}", files.join(", "))]);
    Ok(lines)
}

/// The experiment as it was when a run began.
fn experiment_of(record: &Record) -> Result<Experiment, String> {
    Experiment::read(Files {
        name: record.plan.experiment.clone(),
        place: PathBuf::from(&record.plan.experiment),
        texts: record.plan.files.clone(),
    })
}

/// Writes the page anew; the lines of `lab report`.
pub fn report(flags: &Report) -> Result<Vec<String>, String> {
    let record = store::record(&flags.run).map_err(shown)?;
    let experiment = experiment_of(&record)?;
    store::write_page(&flags.run, &page::page(&record, &experiment)).map_err(shown)?;
    let mut lines = table(&record, &experiment);
    lines.extend([String::new(), format!("  {}", flags.run.join(store::REPORT).display())]);
    Ok(lines)
}

/// Writes the page of two runs; the lines of `lab compare`.
pub fn compare(flags: &Compare) -> Result<Vec<String>, String> {
    let a = store::record(&flags.a).map_err(shown)?;
    let b = store::record(&flags.b).map_err(shown)?;
    let names = [&flags.a, &flags.b].map(|p| short(p));
    let compared = Compared::of(&a, &b, names).map_err(shown)?;
    std::fs::write(&flags.out, compared.page())
        .map_err(|e| format!("{}: {e}", flags.out.display()))?;
    let mut lines = compared.table();
    lines.extend([String::new(), format!("  {}", flags.out.display())]);
    Ok(lines)
}

/// A directory as a name: its last two parts.
fn short(place: &Path) -> String {
    let parts: Vec<_> = place.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}

/// Copies an experiment; the lines of `lab new`.
pub fn new(flags: &New) -> Result<Vec<String>, String> {
    let from = Files::find(&flags.from)?;
    from.copy_to(&flags.place)?;
    // The name of the directory is the experiment's: one that is none is told at once.
    if let Err(why) = Files::of_directory(&flags.place) {
        std::fs::remove_dir_all(&flags.place).map_err(|e| e.to_string())?;
        return Err(why);
    }
    let at = match flags.place.is_absolute() {
        true => flags.place.clone(),
        // By one dot: a name without a slash would be that of an experiment that the binary has.
        false => Path::new(".").join(flags.place.strip_prefix(".").unwrap_or(&flags.place)),
    };
    let at = at.display();
    Ok(vec![
        format!("{at} has the files of '{}'.", flags.from),
        format!("Change them, then: taffrail lab show {at}; taffrail lab run {at}"),
    ])
}

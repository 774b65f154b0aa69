//! The directory of a run: `plan.json` from its beginning, a line of `trials.jsonl` for each trial that is done,
//! `result.json` and `report.html` in the end. A run that was broken off is taken up where its trials end.

use super::page::html::record_in;
use super::record::{Plan, Record, Trial};
use super::stop::Stop;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

const PLAN: &str = "plan.json";
const TRIALS: &str = "trials.jsonl";
/// File of the finished record.
pub const RESULT: &str = "result.json";
/// File of the page.
pub const REPORT: &str = "report.html";

/// Where a run is kept.
#[derive(Clone, Debug)]
pub struct Store {
    /// Directory of the run.
    pub place: PathBuf,
    /// Trials that a run that was broken off has left.
    pub trials: Vec<Trial>,
}

fn shown(path: &Path) -> impl Fn(std::io::Error) -> Stop {
    let path = path.to_owned();
    move |e| Stop::Failed(format!("{}: {e}", path.display()))
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Stop> {
    let text = fs::read_to_string(path).map_err(shown(path))?;
    serde_json::from_str(&text).map_err(|e| Stop::Failed(format!("{}: {e}", path.display())))
}

impl Store {
    /// A directory below `out` for a plan: that of a run with the same plan that was broken off, else a new one.
    pub fn open(out: &Path, plan: &Plan) -> Result<Store, Stop> {
        for n in 1..10_000 {
            let base = format!("{}-{}", plan.experiment, plan.scale);
            let place = out.join(if n == 1 { base } else { format!("{base}-{n}") });
            if !place.exists() {
                fs::create_dir_all(&place).map_err(shown(&place))?;
                let path = place.join(PLAN);
                let json = serde_json::to_string_pretty(plan).map_err(|e| e.to_string())?;
                fs::write(&path, json).map_err(shown(&path))?;
                return Ok(Store { place, trials: Vec::new() });
            }
            let same = read::<Plan>(&place.join(PLAN)).is_ok_and(|p| p == *plan);
            if same && !place.join(RESULT).exists() {
                let trials = trials(&place)?;
                return Ok(Store { place, trials });
            }
        }
        Err(Stop::Failed(format!("{}: there are too many runs", out.display())))
    }

    /// Keeps a trial: it is on disk when this returns.
    pub fn add(&self, trial: &Trial) -> Result<(), Stop> {
        let path = self.place.join(TRIALS);
        let mut line = serde_json::to_string(trial).map_err(|e| e.to_string())?;
        line.push('\n');
        let mut file =
            File::options().create(true).append(true).open(&path).map_err(shown(&path))?;
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data()).map_err(shown(&path))
    }

    /// Keeps what a run came to.
    pub fn finish(&self, record: &Record, page: &str) -> Result<(), Stop> {
        let path = self.place.join(RESULT);
        let json = serde_json::to_string_pretty(record).map_err(|e| e.to_string())?;
        fs::write(&path, json).map_err(shown(&path))?;
        write_page(&self.place, page)
    }

    /// Removes a directory in which nothing has been measured.
    pub fn remove_if_empty(&self) {
        if !self.place.join(TRIALS).exists() {
            // The directory holds a plan and nothing else: if it stays, the next run takes it up.
            let _ = fs::remove_dir_all(&self.place);
        }
    }
}

/// Writes the page of a run.
pub fn write_page(place: &Path, page: &str) -> Result<(), Stop> {
    let path = place.join(REPORT);
    fs::write(&path, page).map_err(shown(&path))
}

/// The finished record in a directory, or in the page of one: a page can be sent to somebody, and holds all of it.
pub fn record(place: &Path) -> Result<Record, Stop> {
    if place.is_file() {
        let page = fs::read_to_string(place).map_err(shown(place))?;
        let json = record_in(&page).ok_or_else(|| {
            Stop::Failed(format!("{}: this is no page of 'taffrail lab run'", place.display()))
        })?;
        return serde_json::from_str(json)
            .map_err(|e| Stop::Failed(format!("{}: {e}", place.display())));
    }
    let path = place.join(RESULT);
    if !path.exists() {
        let why = if place.join(PLAN).exists() {
            "the run in it is not finished: 'taffrail lab run' takes it up"
        } else {
            "there is no run in it"
        };
        return Err(Stop::Failed(format!("{}: {why}", place.display())));
    }
    read(&path)
}

/// The whole lines of a directory's trials; a last one that was cut off is no trial.
fn trials(place: &Path) -> Result<Vec<Trial>, Stop> {
    let path = place.join(TRIALS);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path).map_err(shown(&path))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    if whole.len() < text.len() {
        fs::write(&path, whole).map_err(shown(&path))?;
    }
    whole
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|e| Stop::Failed(format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::record::Server;

    fn plan(repeat: u32) -> Plan {
        let server = Server {
            product: "Taffrail".into(),
            version: "1".into(),
            own: true,
            processors: 1,
            memory_mb: 1,
            machine: String::new(),
        };
        Plan {
            experiment: "x".into(),
            files: [("experiment.toml".to_owned(), "text".to_owned())].into(),
            scale: "quick".into(),
            repeat,
            variants: vec!["a".into()],
            server,
            channels: Vec::new(),
        }
    }

    #[test]
    fn a_run_that_was_broken_off_is_taken_up_and_no_other_is() {
        let out = std::env::temp_dir().join(format!("taffrail-lab-store-{}", std::process::id()));
        let _ = fs::remove_dir_all(&out);
        let trial = Trial { round: 1, variant: "a".into(), measures: Vec::new() };
        let first = Store::open(&out, &plan(3)).unwrap();
        first.add(&trial).unwrap();
        // A line that a crash has cut off.
        let path = first.place.join(TRIALS);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}{{\"round\":2,")).unwrap();
        let again = Store::open(&out, &plan(3)).unwrap();
        assert_eq!((again.place, again.trials), (first.place.clone(), vec![trial]));
        let other = Store::open(&out, &plan(5)).unwrap();
        assert_eq!(other.place, out.join("x-quick-2"));
        // A finished one is finished.
        fs::write(first.place.join(RESULT), "{}").unwrap();
        assert_eq!(Store::open(&out, &plan(3)).unwrap().place, out.join("x-quick-3"));
        fs::remove_dir_all(&out).unwrap();
    }
}

//! One variant in one round: its database is made, set up, measured and dropped.

use super::clients::{self, Crowd};
use super::figures::{self, KB, MB};
use super::files::{batches, fill};
use super::peers::{PeerTimes, PeerWork, Peers};
use super::place::{Place, first_row};
use super::read::Experiment;
use super::record::{LeftOut, Measured, Server};
use super::sample::{Look, Sampler, Samples, Views};
use super::spec::{Kill, Measure, Name, Need, Product, Step, Variant};
use super::statistics::rounded;
use super::stop::{Interrupted, Stop};
use super::tear::{self, Tear};
use crate::client::stream::{Token, is_timeout};
use crate::client::{Client, ClientError, ServerMessage};
use crate::load::{LoadOptions, load_into};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// The extended property that a database of the lab's bears.
pub const MARK: &str = "made by taffrail lab";

/// Lets the commits of a database be pipelined.
const PIPELINED: &str = "ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = ON";

/// Between two looks for an interrupt.
const LOOK: Duration = Duration::from_millis(100);

/// Where trials are run, and of what.
pub struct Bench<'a> {
    /// The experiment, read and checked.
    pub experiment: &'a Experiment,
    /// The server that is measured.
    pub place: &'a mut Place,
    /// Views that the server shows.
    pub views: Views,
    /// Values of the scale.
    pub values: BTreeMap<String, String>,
    /// Is set by Ctrl+C, SIGTERM and SIGHUP.
    pub interrupted: Interrupted,
    /// Products that do the work as well.
    pub peers: &'a Peers,
    /// Each database has PIPELINED_COMMIT = ON, before the rest of its script says otherwise.
    pub pipelined_commit: bool,
}

/// The name of a variant's database.
pub fn database(experiment: &str, variant: &str) -> String {
    format!("TaffrailLab_{experiment}_{variant}").replace('-', "_")
}

/// Why a variant cannot be run on a server.
pub fn lacks(variant: &Variant, server: &Server) -> Option<String> {
    let taffrail = server.product == "Taffrail";
    variant.needs.iter().find_map(|need| match need {
        Need::Taffrail if !taffrail => Some("only Taffrail has this setting".to_owned()),
        Need::SqlServer if taffrail => Some("only for SQL Server".to_owned()),
        Need::OwnServer if !server.own => Some("only on a server of the lab's own".to_owned()),
        _ => None,
    })
}

/// Why a measure cannot be made on a server.
pub fn lacks_for(measure: &Measure, server: &Server) -> Option<String> {
    let own = measure.kill.is_none() || server.own;
    (!own).then(|| "only a server of the lab's own is killed".to_owned())
}

/// Runs batches one after another, each to its end; an interrupt cancels the one under way.
pub fn run_batches(
    client: &mut Client,
    batches: &[String],
    interrupted: &Interrupted,
) -> Result<(), Stop> {
    for batch in batches {
        client.send_batch(batch)?;
        let mut errors = Vec::new();
        loop {
            match client.next_token(Some(Instant::now() + LOOK)) {
                Ok(None) => break,
                Ok(Some(Token::Message { number, state, class, text, line, .. })) if class > 10 => {
                    errors.push(ServerMessage {
                        number,
                        severity: class,
                        state,
                        line,
                        message: text,
                    });
                }
                Ok(Some(_)) => {}
                Err(e) if is_timeout(&e) => {
                    if interrupted.is_set() {
                        client.cancel()?;
                        return Err(Stop::Interrupted);
                    }
                }
                Err(e) => return Err(e.into()),
            }
        }
        if !errors.is_empty() {
            return Err(ClientError::Server(errors).into());
        }
    }
    interrupted.check()
}

impl Bench<'_> {
    /// Values of a variant and a measure, before those of the scale.
    fn values(&self, variant: &Variant, measure: Option<&Measure>) -> BTreeMap<String, String> {
        let mut values = self.values.clone();
        let name = database(&self.experiment.files.name, variant.name.get_ref());
        values.insert("database".into(), name);
        for (key, path) in ["data_path", "log_path"].into_iter().zip(&self.place.paths) {
            values.insert(key.into(), path.clone());
        }
        let more = variant.values.iter().chain(measure.iter().flat_map(|m| &m.values));
        values.extend(more.map(|(k, v)| (k.clone(), v.to_string())));
        values
    }

    /// A label with the variant's values put in.
    pub fn label(&self, variant: &Variant) -> String {
        // A name without a value stays as it is: it is a label, not a statement.
        fill(&variant.label, &self.values(variant, None)).unwrap_or_else(|_| variant.label.clone())
    }

    /// A script's batches with all values but the client's and the round's put in.
    fn script(&self, name: &Name, values: &BTreeMap<String, String>) -> Result<Vec<String>, Stop> {
        let values = with_numbers_left(values.clone());
        let file = name.get_ref();
        let text = fill(self.experiment.script(name), &values)
            .map_err(|name| Stop::Failed(format!("{file}: $({name}) has no value")))?;
        Ok(batches(&text))
    }

    /// Makes a variant's database; one that is there already is the lab's own, or this is refused.
    pub fn create(&mut self, variant: &Variant) -> Result<(), Stop> {
        let values = self.values(variant, None);
        let name = &values["database"];
        let mut client = self.place.client("master")?;
        remove(&mut client, name)?;
        let script = self.script(&self.experiment.spec.database.create, &values)?;
        let Some((create, rest)) = script.split_first() else { return Ok(()) };
        let interrupted = self.interrupted.clone();
        let at = self.experiment.spec.database.create.get_ref();
        // Not interrupted: a database without the mark would be nobody's.
        client.run(create).map_err(|e| Stop::from(e).at(at))?;
        client.run(&format!(
            "EXEC [{name}].sys.sp_addextendedproperty @name = N'{MARK}', @value = N'taffrail lab'"
        ))?;
        if self.pipelined_commit {
            self.place.client(name)?.run(PIPELINED)?;
        }
        run_batches(&mut client, rest, &interrupted).map_err(|e| e.at(at))
    }

    /// Makes a variant's database and drops it; the reason where the server refuses it.
    pub fn refuses(&mut self, variant: &Variant) -> Result<Option<String>, Stop> {
        let made = self.create(variant);
        // Where the server is gone, it has refused nothing, and this fails as well.
        self.remove(variant)?;
        match made {
            Ok(()) => Ok(None),
            Err(Stop::Failed(why)) => Ok(Some(format!("the server refuses it: {why}"))),
            Err(Stop::Interrupted) => Err(Stop::Interrupted),
        }
    }

    /// Drops a variant's database if the lab has made it.
    pub fn remove(&mut self, variant: &Variant) -> Result<(), Stop> {
        if variant.peer.is_some() {
            return Ok(());
        }
        let name = database(&self.experiment.files.name, variant.name.get_ref());
        remove(&mut self.place.client("master")?, &name)
    }

    /// Sets a variant up and makes its measures.
    pub fn run(
        &mut self,
        variant: &Variant,
        told: &mut dyn FnMut(&str),
    ) -> Result<Vec<Measured>, Stop> {
        told("set-up");
        if let Some(product) = variant.peer {
            return self.beside(product, variant, told);
        }
        self.create(variant)?;
        let experiment = self.experiment;
        let values = self.values(variant, None);
        self.steps(&experiment.spec.setup, &values)?;
        let mut measured = Vec::new();
        for measure in &experiment.spec.measure {
            if lacks_for(measure, &self.place.server).is_some() {
                continue;
            }
            told(&measure.label);
            let values = self.values(variant, Some(measure));
            self.steps(&measure.before, &values)?;
            measured.push(self.measure(measure, &values).map_err(|e| e.at(&measure.label))?);
        }
        Ok(measured)
    }

    /// Has a product run its own scripts: those that there are.
    fn beside(
        &mut self,
        product: Product,
        variant: &Variant,
        told: &mut dyn FnMut(&str),
    ) -> Result<Vec<Measured>, Stop> {
        let values = |measure: Option<&Measure>| self.values(variant, measure);
        let works = works(self.experiment, product, values)?;
        told(product.name());
        let all = self.peers.run(product, &works, &self.interrupted)?;
        let measured = all.into_iter().map(|PeerTimes { name, seconds, runs }| {
            let figures = BTreeMap::from([("seconds".to_owned(), seconds)]);
            let mut measured = Measured { name, figures, ..Measured::default() };
            clients::latencies(&runs, seconds, &mut measured);
            measured.figures.values_mut().for_each(|v| *v = rounded(*v));
            measured
        });
        Ok(measured.collect())
    }

    fn steps(&mut self, steps: &[Step], values: &BTreeMap<String, String>) -> Result<(), Stop> {
        for step in steps {
            self.interrupted.check()?;
            if let Some(run) = &step.run {
                let script = self.script(run, values)?;
                let mut client = self.place.client(&values["database"])?;
                run_batches(&mut client, &script, &self.interrupted)
                    .map_err(|e| e.at(run.get_ref()))?;
            } else if let (Some(_), Some(table), Some(rows)) = (&step.load, &step.table, &step.rows)
            {
                let rows = number(&rows.get_ref().to_string(), values)?;
                let mut client = self.place.client(&values["database"])?;
                load_into(&mut client, &LoadOptions::of_rows(table, rows))?;
            } else if step.rest {
                self.rest(&values["database"])?;
            }
        }
        Ok(())
    }

    /// Waits until nothing is written any more: half a second without a write is rest. A server that never rests is measured
    /// as it is.
    fn rest(&self, database: &str) -> Result<(), Stop> {
        const QUIET: Duration = Duration::from_millis(500);
        const PATIENCE: Duration = Duration::from_secs(60);
        let began = Instant::now();
        let mut client = self.place.client(database)?;
        let mut written = || -> Result<String, Stop> {
            if let Some(bytes) = self.place.written() {
                return Ok(bytes.to_string());
            }
            let sql =
                "SELECT SUM(num_of_bytes_written) FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL)";
            // Without the view there is nothing to wait for but time.
            Ok(client.query(sql).map(|a| a.first_value()).unwrap_or_default())
        };
        let mut before = written()?;
        while began.elapsed() < PATIENCE {
            std::thread::sleep(QUIET);
            self.interrupted.check()?;
            let now = written()?;
            if now == before {
                break;
            }
            before = now;
        }
        Ok(())
    }

    fn measure(
        &mut self,
        measure: &Measure,
        values: &BTreeMap<String, String>,
    ) -> Result<Measured, Stop> {
        let script = self.script(&measure.run, values)?;
        let database = values["database"].clone();
        let mut measured = Measured { name: measure.name.get_ref().clone(), ..Measured::default() };
        match (measure.kill, measure.clients) {
            (Some(Kill::Before), _) => {
                self.place.kill()?;
                let began = Instant::now();
                self.place.again()?;
                let mut client = self.place.client(&database)?;
                run_batches(&mut client, &script, &self.interrupted)?;
                measured.figures.insert("seconds".into(), began.elapsed().as_secs_f64());
            }
            (Some(Kill::During), clients) => {
                let crowd = Crowd { clients: clients.unwrap_or(1), database, script };
                let after = Duration::from_millis(measure.after_ms.unwrap_or(0));
                let found = match &measure.found {
                    Some(found) => self.script(found, values)?.join("\n"),
                    None => String::new(),
                };
                measured.figures =
                    clients::killed(self.place, &crowd, after, &found, &self.interrupted)?;
            }
            (Some(Kill::Tear), _) => {
                measured.figures = self.torn(measure, values, &script)?;
            }
            (None, _) => self.sampled(measure, values, script, &mut measured)?,
        }
        if let Some(ask) = &measure.ask {
            self.ask(ask, measure, values, &mut measured)?;
        }
        measured.figures.values_mut().for_each(|v| *v = rounded(*v));
        Ok(measured)
    }

    /// Figures that a query gives; where the server refuses it, they are left out by name.
    fn ask(
        &mut self,
        ask: &Name,
        measure: &Measure,
        values: &BTreeMap<String, String>,
        measured: &mut Measured,
    ) -> Result<(), Stop> {
        let sql = self.script(ask, values)?.join("\n");
        let answer = match self.place.client(&values["database"])?.query(&sql) {
            Ok(answer) => answer,
            Err(ClientError::Server(messages)) => {
                let labels: Vec<&str> = measure.asked.values().map(String::as_str).collect();
                let why = messages.first().map(|m| m.message.clone()).unwrap_or_default();
                self.views.leave_out(LeftOut { what: labels.join(", "), why });
                return Ok(());
            }
            Err(e) => return Err(e.into()),
        };
        let names = answer.sets.first().map(|s| s.columns.clone()).unwrap_or_default();
        for (name, value) in names.into_iter().zip(first_row(&answer)) {
            if let (true, Ok(value)) = (measure.asked.contains_key(&name), value.parse()) {
                measured.figures.insert(name, value);
            }
        }
        Ok(())
    }

    /// Pages that a script has changed are torn between a kill and the restart.
    fn torn(
        &mut self,
        measure: &Measure,
        values: &BTreeMap<String, String>,
        change: &[String],
    ) -> Result<BTreeMap<String, f64>, Stop> {
        let script = |name: &Option<Name>| match name {
            Some(name) => self.script(name, values),
            None => Ok(Vec::new()),
        };
        let (then, found) = (script(&measure.then)?, script(&measure.found)?);
        let rounds = measure.rounds.as_ref().map_or(String::new(), |r| r.get_ref().to_string());
        let database = &values["database"];
        let sql = "SELECT physical_name FROM sys.database_files WHERE file_id = 1";
        let file = self.place.client(database)?.query(sql)?.first_value();
        let tear = Tear {
            database,
            file: Path::new(&file),
            change,
            then: &then,
            found: &found,
            rounds: number(&rounds, values)?,
        };
        tear::torn(self.place, &tear, &self.interrupted)
    }

    /// A script, or many clients' scripts, with the sampler beside.
    fn sampled(
        &mut self,
        measure: &Measure,
        values: &BTreeMap<String, String>,
        script: Vec<String>,
        measured: &mut Measured,
    ) -> Result<(), Stop> {
        let database = &values["database"];
        let (seconds, runs, samples) = match (measure.clients, &measure.rounds) {
            (Some(clients), Some(rounds)) => {
                let rounds = number(&rounds.get_ref().to_string(), values)?;
                let crowd = Crowd { clients, database: database.clone(), script };
                let ready = crowd.connect(self.place)?;
                let (sampler, began) = Sampler::start(self.place, &self.views, database)?;
                let runs = crowd.run(ready, rounds, began, &self.interrupted);
                let seconds = began.elapsed().as_secs_f64();
                let samples = sampler.stop();
                (seconds, runs?, samples?)
            }
            _ => {
                let mut client = self.place.client(database)?;
                let beside = match &measure.beside {
                    Some(file) => Some((self.place.client(database)?, self.script(file, values)?)),
                    None => None,
                };
                let (sampler, began) = Sampler::start(self.place, &self.views, database)?;
                let (done, runs) = clients::beside(beside, began, || {
                    run_batches(&mut client, &script, &self.interrupted)
                        .map(|()| began.elapsed().as_secs_f64())
                });
                let samples = sampler.stop();
                (done?, runs?, samples?)
            }
        };
        measured.figures.insert("seconds".into(), seconds);
        take(&samples, seconds, &self.views, measured);
        clients::latencies(&runs, seconds, measured);
        Ok(())
    }
}

/// Drops a database that bears the lab's mark; one without it is refused.
pub fn remove(client: &mut Client, name: &str) -> Result<(), Stop> {
    let there = client.query(&format!("SELECT DB_ID(N'{name}')"))?;
    if there.first_value() == "NULL" {
        return Ok(());
    }
    let mark = client.query(&format!(
        "SELECT COUNT(*) FROM [{name}].sys.extended_properties WHERE class = 0 AND name = N'{MARK}'"
    ))?;
    if mark.first_value() == "0" {
        return Err(Stop::Failed(format!(
            "the server has a database {name} that the lab has not made: rename it, or choose another server"
        )));
    }
    client.run(&format!(
        "ALTER DATABASE [{name}] SET SINGLE_USER WITH ROLLBACK IMMEDIATE\nDROP DATABASE [{name}]"
    ))?;
    Ok(())
}

/// Values by which the client's and the round's numbers are left to be put in.
fn with_numbers_left(mut values: BTreeMap<String, String>) -> BTreeMap<String, String> {
    for own in ["client", "round"] {
        values.entry(own.into()).or_insert_with(|| format!("\u{1}{own}\u{1}"));
    }
    values
}

/// Everything that a product does for an experiment: a work for each of its steps of which the product has a script.
pub fn works(
    experiment: &Experiment,
    product: Product,
    values: impl Fn(Option<&Measure>) -> BTreeMap<String, String>,
) -> Result<Vec<PeerWork>, Stop> {
    let script = |measure: Option<&Measure>, file: &Name| {
        let name = product.script(file.get_ref());
        let Some(text) = experiment.files.texts.get(&name) else { return Ok(None) };
        let text = fill(text, &with_numbers_left(values(measure)));
        text.map(Some).map_err(|value| Stop::Failed(format!("{name}: $({value}) has no value")))
    };
    let untimed = |measure: Option<&Measure>, steps: &[Step]| -> Result<Vec<PeerWork>, Stop> {
        let mut works = Vec::new();
        for run in steps.iter().filter_map(|step| step.run.as_ref()) {
            let script = script(measure, run)?;
            works.extend(script.map(|script| PeerWork { script, ..PeerWork::default() }));
        }
        Ok(works)
    };
    let mut works = untimed(None, &experiment.spec.setup)?;
    for measure in &experiment.spec.measure {
        let Some(text) = script(Some(measure), &measure.run)? else { continue };
        works.extend(untimed(Some(measure), &measure.before)?);
        let crowd = match (measure.clients, &measure.rounds) {
            (Some(clients), Some(rounds)) => {
                let rounds = rounds.get_ref().to_string();
                Some((clients, number(&rounds, &values(Some(measure)))?))
            }
            _ => None,
        };
        let beside = measure.beside.as_ref().map(|file| script(Some(measure), file));
        works.push(PeerWork {
            name: Some(measure.name.get_ref().clone()),
            script: text,
            crowd,
            beside: beside.transpose()?.flatten(),
        });
    }
    Ok(works)
}

/// A number that a step names.
fn number(text: &str, values: &BTreeMap<String, String>) -> Result<u64, Stop> {
    let text = fill(text, values).map_err(|name| format!("$({name}) has no value"))?;
    text.parse().map_err(|_| Stop::Failed(format!("'{text}' is no number")))
}

/// Samples and the figures that follow from the first and the last look.
fn take(samples: &Samples, seconds: f64, views: &Views, measured: &mut Measured) {
    let (Some((_, first)), Some((_, last))) = (samples.looks.first(), samples.looks.last()) else {
        return;
    };
    let at = |look: &Look, name: &str| figures::place(name).and_then(|p| look[p]);
    let grown = |name: &str| Some(at(last, name)? - at(first, name)?);
    let share = |a: Option<f64>, b: Option<f64>| Some(a? / b.filter(|b| *b > 0.0)?);
    let scaled = |a: Option<f64>, by: f64| a.map(|a| a / by);
    let figures = [
        ("log_flushes", grown("log_flushes")),
        ("log_flushes_per_s", scaled(grown("log_flushes"), seconds)),
        ("log_flush_wait_ms", grown("log_flush_wait_ms")),
        ("log_writes", grown("log_writes")),
        ("log_mb", scaled(grown("log_bytes"), MB)),
        ("log_kb_per_write", scaled(share(grown("log_bytes"), grown("log_writes")), KB)),
        ("log_mb_per_s", scaled(grown("log_bytes"), MB * seconds)),
        ("log_write_ms", grown("log_write_ms")),
        ("data_writes", grown("data_writes")),
        ("data_mb", scaled(grown("data_bytes"), MB)),
        ("data_kb_per_write", scaled(share(grown("data_bytes"), grown("data_writes")), KB)),
        ("data_mb_per_s", scaled(grown("data_bytes"), MB * seconds)),
        ("writelog_waits", grown("writelog_waits")),
        ("writelog_ms", grown("writelog_ms")),
        ("gather_ms", grown("gather_ms")),
        ("growths", grown("log_growths")),
        ("checkpoint_pages", grown("checkpoint_pages")),
        ("vlfs", at(last, "vlfs")),
        ("vlf_mb", scaled(share(at(last, "log_size_bytes"), at(last, "vlfs")), MB)),
        ("log_size_mb", scaled(at(last, "log_size_bytes"), MB)),
        ("vlfs_crossed", grown("newest_vlf")),
    ];
    let known = figures.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    measured.figures.extend(known);
    let shown: Vec<usize> = views.channels.iter().filter_map(|c| figures::place(c)).collect();
    measured.samples = samples
        .looks
        .iter()
        .map(|(ms, look)| {
            let values = shown.iter().map(|p| look[*p].unwrap_or(0.0));
            std::iter::once((ms * 10.0).round() / 10.0).chain(values).collect()
        })
        .collect();
    measured.waits.clone_from(&samples.waits);
    measured.flushes.clone_from(&samples.flushes);
}

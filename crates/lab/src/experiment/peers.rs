//! Other products that do an experiment's work with `--peers`, each by its own client, on the device of the lab's own server.
//!
//! | product | client | durable by |
//! | --- | --- | --- |
//! | SQLite | `sqlite3` on a file | the scripts, which set `journal_mode` and `synchronous` |
//! | PostgreSQL | `psql`, over a socket of a cluster of the lab's own | `fsync`, `full_page_writes` and `synchronous_commit` are on |
//! | MariaDB | `mariadb`, over a socket of a server of the lab's own | `innodb_flush_log_at_trx_commit` is 1, `innodb_doublewrite` on |
//!
//! A product that is not installed is left out by name. A server runs only while it is measured, in a directory of its owner alone.
//! Servers and clients end with the lab. They see no password, and none of the caller's variables for a product. Durations begin when
//! the clients are connected, and end when each has said that its script is done.

mod process;
mod products;
#[cfg(test)]
mod tests;

use super::clients::{Run, numbered};
use super::spec::Product;
use super::stop::{Interrupted, Stop};
use process::Dialog;
use products::{Installed, Ready};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The products that a run asks for.
#[derive(Default)]
pub struct Peers {
    found: BTreeMap<Product, Result<Installed, String>>,
}

/// PeerWork of a product's.
#[derive(Default)]
pub struct PeerWork {
    /// The measure's name; without one it is not timed.
    pub name: Option<String>,
    /// A script in the product's dialect, in which the client's and the round's numbers are still to be put in.
    pub script: String,
    /// So many clients run it so often each; without these one does, once.
    pub crowd: Option<(u32, u64)>,
    /// A script that one more client runs again and again meanwhile.
    pub beside: Option<String>,
}

/// Times of one measure.
pub struct PeerTimes {
    /// The measure's name.
    pub name: String,
    /// From the first client's beginning to the last one's end.
    pub seconds: f64,
    /// Runs of a crowd, or of the script beside.
    pub runs: Vec<Run>,
}

impl Peers {
    /// Looks for each product, with its data to go below `scratch`; without one, nothing is run beside a server that is elsewhere.
    pub fn look(scratch: Option<&Path>) -> Peers {
        let look = |product| match scratch {
            Some(scratch) => Installed::look(product, &scratch.join("peers")),
            None => Err("only beside a server of the lab's own".to_owned()),
        };
        Peers { found: Product::ALL.into_iter().map(|p| (p, look(p))).collect() }
    }

    /// Nobody has asked for any.
    pub fn are_none(&self) -> bool {
        self.found.is_empty()
    }

    /// Why a product cannot be measured.
    pub fn lacks(&self, product: Product) -> Option<String> {
        match self.found.get(&product) {
            None => Some("only with --peers".into()),
            Some(Ok(_)) => None,
            Some(Err(why)) => Some(why.clone()),
        }
    }

    /// Makes the data of those that a run wants; forgets those that it does not want. One whose data cannot be made is lacking.
    pub fn make(&mut self, wanted: &BTreeSet<Product>) {
        for (product, found) in &mut self.found {
            let Ok(installed) = found else { continue };
            if !wanted.contains(product) {
                *found = Err("this run has no work for it".to_owned());
            } else if let Err(e) = installed.make() {
                *found = Err(format!("{} makes no database: {e}", product.name()));
            }
        }
    }

    /// Disk that the data of products takes without the work's own, MB.
    pub fn disk_mb(products: &BTreeSet<Product>) -> u64 {
        products.iter().map(|p| Installed::disk_mb(*p)).sum()
    }

    /// Products that are there, with versions and the settings that make them durable, as a reader sees them.
    pub fn versions(&self, products: &BTreeSet<Product>) -> Vec<String> {
        let told = |(product, found): (&Product, &Result<Installed, String>)| {
            let found = found.as_ref().ok().filter(|_| products.contains(product))?;
            Some(format!("{} {} ({})", product.name(), found.version, found.settings()))
        };
        self.found.iter().filter_map(told).collect()
    }

    /// Does works one after another in a new database; the times of those that have a name.
    pub fn run(
        &self,
        product: Product,
        works: &[PeerWork],
        interrupted: &Interrupted,
    ) -> Result<Vec<PeerTimes>, Stop> {
        let found = match self.found.get(&product) {
            Some(Ok(found)) => found,
            _ => return Err(Stop::Failed(format!("{} is not there", product.name()))),
        };
        let all = || {
            let ready = found.ready(interrupted)?;
            let mut measured = Vec::new();
            for work in works {
                let (seconds, runs) = done(&ready, work, interrupted)?;
                measured.extend(work.name.clone().map(|name| PeerTimes { name, seconds, runs }));
            }
            Ok(measured)
        };
        all().map_err(|e: Stop| e.at(product.name()))
    }
}

/// Seconds and runs.
type PeerTook = Result<(f64, Vec<Run>), Stop>;

/// Does one work by clients of its own.
fn done(ready: &Ready<'_>, work: &PeerWork, interrupted: &Interrupted) -> PeerTook {
    if let Some((clients, rounds)) = work.crowd {
        return crowd(ready, work, clients, rounds, interrupted);
    }
    let mut clients = ready.dialogs(1 + u32::from(work.beside.is_some()), interrupted)?;
    let (first, others) = clients.split_at_mut(1);
    let client = &mut first[0];
    let script = numbered(std::slice::from_ref(&work.script), 1, 1).concat();
    let (Some(beside), [other]) = (&work.beside, others) else {
        let began = Instant::now();
        client.ask(&script, interrupted)?;
        return Ok((began.elapsed().as_secs_f64(), Vec::new()));
    };
    let (over, began) = (AtomicBool::new(false), Instant::now());
    std::thread::scope(|scope| {
        let runs = scope.spawn(|| {
            let mut runs = Vec::new();
            while !over.load(Ordering::Relaxed) {
                runs.push(once(other, beside, 1, runs.len() as u64 + 1, began, interrupted)?);
            }
            Ok::<_, Stop>(runs)
        });
        let asked = client.ask(&script, interrupted);
        let seconds = began.elapsed().as_secs_f64();
        over.store(true, Ordering::Relaxed);
        let runs = runs.join().unwrap_or_else(|_| Err(panicked()));
        asked.and(Ok((seconds, runs?)))
    })
}

/// Many clients run a script so often each, from one moment on.
fn crowd(
    ready: &Ready<'_>,
    work: &PeerWork,
    clients: u32,
    rounds: u64,
    interrupted: &Interrupted,
) -> PeerTook {
    let dialogs = ready.dialogs(clients, interrupted)?;
    let (barrier, began) = (Barrier::new(dialogs.len()), Instant::now());
    let all: Vec<Result<Vec<Run>, Stop>> = std::thread::scope(|scope| {
        let each = (1..).zip(dialogs).map(|(number, mut client)| {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                let round = |n| once(&mut client, &work.script, number, n, began, interrupted);
                (1..=rounds).map(round).collect()
            })
        });
        let threads: Vec<_> = each.collect();
        threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(panicked()))).collect()
    });
    let runs = all.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    Ok((began.elapsed().as_secs_f64(), runs))
}

/// A client's script once.
fn once(
    client: &mut Dialog,
    script: &String,
    number: u32,
    round: u64,
    began: Instant,
    interrupted: &Interrupted,
) -> Result<Run, Stop> {
    let script = numbered(std::slice::from_ref(script), number, round).concat();
    let from: Duration = began.elapsed();
    client.ask(&script, interrupted)?;
    Ok(Run::between(from, began.elapsed()))
}

fn panicked() -> Stop {
    Stop::Failed("the thread of a client has panicked".into())
}

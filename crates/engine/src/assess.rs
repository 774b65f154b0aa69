//! The assessment of scripts in an instance of its own: which statements run, which are refused, and where.

use std::path::Path;
use std::sync::Arc;
use taffrail_exec::connection::Connection;
use taffrail_exec::instance::Instance;
use taffrail_exec::instance_options::InstanceOptions;
use taffrail_exec::session::ConnectOptions;

pub use taffrail_exec::exec::assess::{Judged, Verdict};

/// The database in which scripts begin that say no other.
const DATABASE: &str = "assessed";

/// So many times batches are looked at again whose names have come since.
const ROUNDS: usize = 8;

/// A batch that was assessed.
struct Batch {
    text: String,
    database: String,
    judged: Vec<Judged>,
}

/// An instance in a directory of its own, in which scripts are assessed.
pub struct Scratch {
    instance: Arc<Instance>,
    connection: Connection,
    batches: Vec<Batch>,
    executes: bool,
}

/// The client that every session says it is: a driver of ODBC, whose options scripts are written for.
fn client() -> ConnectOptions {
    ConnectOptions {
        login: "sa".into(),
        program_name: "taffrail assess".into(),
        odbc_defaults: true,
        ..ConnectOptions::default()
    }
}

impl Scratch {
    /// A new instance in an empty directory; with `executes` all statements are run. The error is a sentence.
    pub fn open(directory: &Path, executes: bool) -> Result<Scratch, String> {
        let options = InstanceOptions::of_scratch(directory);
        let instance = crate::start(options).map_err(|e| e.to_string())?;
        let connection = instance.connect(client()).map_err(|e| e.to_string())?;
        let mut scratch = Scratch { instance, connection, batches: Vec::new(), executes };
        scratch.make_database(DATABASE);
        scratch.enter(DATABASE);
        Ok(scratch)
    }

    /// Begins a file: in a session of its own, in the database in which files begin.
    pub fn begin_file(&mut self) -> Result<(), String> {
        self.connection = self.instance.connect(client()).map_err(|e| e.to_string())?;
        self.enter(DATABASE);
        Ok(())
    }

    /// Assesses one batch of a script.
    pub fn batch(&mut self, text: &str) {
        for name in self.connection.databases_used(text) {
            self.make_database(&name);
        }
        let database = self.connection.database().to_owned();
        let judged = self.connection.assess(text, self.executes);
        self.batches.push(Batch { text: text.to_owned(), database, judged });
    }

    /// The verdicts on all batches, in their order. What was not judged for want of a name is looked at again first: a later batch may
    /// have made it.
    pub fn finish(mut self) -> Vec<Vec<Judged>> {
        let mut batches = std::mem::take(&mut self.batches);
        let rounds = if self.executes { 0 } else { ROUNDS };
        for _ in 0..rounds {
            let mut better = false;
            for batch in &mut batches {
                better |= self.improve(batch);
            }
            if !better {
                break;
            }
        }
        // What is left of the instance is removed with its directory.
        let _ = self.instance.shutdown();
        batches.into_iter().map(|b| b.judged).collect()
    }

    /// Looks again at a batch of which something was not judged; whether something is, now.
    fn improve(&mut self, batch: &mut Batch) -> bool {
        let before = open(&batch.judged);
        if before == 0 {
            return false;
        }
        self.enter(&batch.database);
        let again = self.connection.assess_again(&batch.text);
        learn(&mut batch.judged, again);
        if open(&batch.judged) > 0 {
            // A definition whose names were missing. Those that were carried out are refused now, which says nothing.
            let again = self.connection.assess(&batch.text, false);
            learn(&mut batch.judged, again);
        }
        batch.judged.sort_by_key(|j| (j.start, j.end));
        open(&batch.judged) < before
    }

    /// Makes a database, if there is none of the name.
    fn make_database(&mut self, name: &str) {
        let quoted = name.replace(']', "]]");
        let text = name.replace('\'', "''");
        let statement = format!("IF DB_ID(N'{text}') IS NULL CREATE DATABASE [{quoted}]");
        self.connection.assess(&statement, true);
    }

    fn enter(&mut self, database: &str) {
        self.connection.assess(&format!("USE [{}]", database.replace(']', "]]")), true);
    }
}

/// How many statements are not judged.
fn open(judged: &[Judged]) -> usize {
    judged.iter().filter(|j| matches!(j.verdict, Verdict::NotJudged(_))).count()
}

/// Takes over what another look has found of statements that were not judged, or not known.
fn learn(judged: &mut Vec<Judged>, again: Vec<Judged>) {
    for new in again {
        let is_open = |v: &Verdict| matches!(v, Verdict::NotJudged(_));
        match judged.iter_mut().find(|j| j.start == new.start && j.end == new.end) {
            Some(known) if is_open(&known.verdict) && !is_open(&new.verdict) => {
                known.verdict = new.verdict;
            }
            Some(_) => {}
            None => judged.push(new),
        }
    }
}

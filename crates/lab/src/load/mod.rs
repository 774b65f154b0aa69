//! `taffrail lab load`: rows made by a generator, bulk-copied into any server that speaks TDS.

pub mod progress;
pub mod tpcc;

use crate::client::bulk::BulkOptions;
use crate::client::{Client, ClientError, ConnectOptions};
use progress::Progress;
use std::time::{Duration, Instant};

/// A generator by name.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// As the command line calls it.
    pub name: &'static str,
    /// The rows that it makes, in words.
    pub description: &'static str,
}

/// All generators, by name.
pub const GENERATORS: &[Generator] = &[Generator {
    name: "tpcc-customer",
    description: "customers of the TPC-C benchmark, 30,000 of each warehouse (clause 4.3.3.1)",
}];

/// The rows of a load and their table.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// The generator's name.
    pub generator: String,
    /// The server and its login.
    pub connect: ConnectOptions,
    /// The table, as T-SQL names it.
    pub table: String,
    /// The number of rows.
    pub rows: u64,
    /// The first of them.
    pub first: u64,
    /// The seed of the random values.
    pub seed: u64,
    /// Rows per batch, each committed by itself; 0 for all in one.
    pub batch: u64,
    /// The hint TABLOCK.
    pub tablock: bool,
    /// A table that is made gets no clustered index.
    pub heap: bool,
    /// Empty the table first.
    pub truncate: bool,
    /// Whether there is no progress bar.
    pub quiet: bool,
}

impl LoadOptions {
    /// Rows into a table that is there, without a word to anybody.
    pub fn of_rows(table: &str, rows: u64) -> LoadOptions {
        LoadOptions {
            generator: GENERATORS[0].name.into(),
            connect: ConnectOptions::default(),
            table: table.into(),
            rows,
            first: 0,
            seed: 1,
            batch: 0,
            tablock: false,
            heap: false,
            truncate: false,
            quiet: true,
        }
    }
}

/// Time and size of a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loaded {
    /// Rows that the server has confirmed.
    pub rows: u64,
    /// Bytes that were sent.
    pub bytes: u64,
    /// From the first row made to the last confirmation.
    pub time: Duration,
    /// The table was made.
    pub created: bool,
}

/// Rows between two looks at the clock.
const ROWS_PER_LOOK: u64 = 1024;

/// Makes the table if it is not there, and loads.
pub fn load(options: &LoadOptions) -> Result<Loaded, ClientError> {
    if !GENERATORS.iter().any(|g| g.name == options.generator) {
        let names: Vec<&str> = GENERATORS.iter().map(|g| g.name).collect();
        let names = names.join(", ");
        let text = format!("there is no generator '{}'; there are: {names}", options.generator);
        return Err(ClientError::Protocol(text));
    }
    let mut client = Client::connect(&options.connect)?;
    if options.connect.database.is_empty() {
        refuse_system_database(&mut client, &options.table)?;
    }
    load_into(&mut client, options)
}

/// The login's own database is one of the system's for most: nobody means to fill that.
fn refuse_system_database(client: &mut Client, table: &str) -> Result<(), ClientError> {
    let quoted = table.replace('\'', "''");
    let asked = format!(
        "SELECT CASE WHEN PARSENAME(N'{quoted}', 3) IS NULL AND DB_ID() <= 4 THEN DB_NAME() END"
    );
    match client.query(&asked)?.first_value().as_str() {
        "NULL" => Ok(()),
        name => Err(ClientError::Protocol(format!(
            "the login's database is {name}: -d NAME says into which database the rows go"
        ))),
    }
}

/// Loads over a connection that is there.
pub fn load_into(client: &mut Client, options: &LoadOptions) -> Result<Loaded, ClientError> {
    let quoted = options.table.replace('\'', "''");
    let there = client.query(&format!("SELECT OBJECT_ID(N'{quoted}')"))?;
    let created = there.first_value() == "NULL";
    if created {
        for sql in tpcc::create_table(&options.table, options.heap) {
            client.run(&sql)?;
        }
    } else if options.truncate {
        client.run(&format!("TRUNCATE TABLE {}", options.table))?;
    }
    let bulk = BulkOptions { tablock: options.tablock, batch: options.batch, ..Default::default() };
    let mut progress = Progress::new(options.rows, options.quiet);
    let began = Instant::now();
    let (rows, bytes) = copy(client, options, bulk, &mut progress)?;
    let time = began.elapsed();
    progress.end();
    Ok(Loaded { rows, bytes, time, created })
}

fn copy(
    client: &mut Client,
    options: &LoadOptions,
    bulk: BulkOptions,
    progress: &mut Progress,
) -> Result<(u64, u64), ClientError> {
    let columns = tpcc::COLUMNS.map(|(name, ty)| (name, tpcc::sent_as(ty)));
    let mut copy = client.bulk(&options.table, &columns, bulk);
    let customers = tpcc::Customers::new(options.seed);
    let mut row = Vec::with_capacity(columns.len());
    for n in 0..options.rows {
        customers.row(options.first + n, &mut row);
        copy.row(&row)?;
        if n % ROWS_PER_LOOK == 0 {
            progress.at(n, copy.progress().1);
        }
    }
    let (loaded, bytes) = (copy.progress().0, copy.progress().1);
    let rows = copy.finish()?;
    debug_assert!(rows >= loaded, "batches only add");
    Ok((rows, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_generator_names_those_that_exist() {
        let options = LoadOptions {
            generator: "nope".into(),
            connect: ConnectOptions::default(),
            table: "t".into(),
            rows: 1,
            first: 0,
            seed: 0,
            batch: 0,
            tablock: false,
            heap: false,
            truncate: false,
            quiet: true,
        };
        let said = load(&options).unwrap_err().to_string();
        assert!(said.contains("'nope'") && said.contains("tpcc-customer"), "{said}");
    }
}

//! Small transactions: 1, 10 and 100 rows of `customer`'s kind inserted, changed and deleted in each, by 1 and by 8 clients.
//!
//! Each client loops inside the server, over rows of its own. Their number is settled once for each kind, on the log of few
//! VLFs, and then the same for both; the clients begin each part together, and what counts is when the last has ended.

use super::side::Side;
use super::{Measured, Plan};
use crate::Figure;
use crate::pairs::{Pairs, order};
use std::io;
use std::sync::Barrier;
use std::time::Instant;
use taffrail_lab::client::Client;

/// Customers of a district, of which a warehouse has ten.
const DISTRICT: u32 = 3_000;
const CLIENTS: [usize; 2] = [1, 8];

const PARTS: [(&str, &str); 3] = [
    ("insert", "INSERT work SELECT * FROM customer WHERE"),
    ("update", "UPDATE work SET c_data = lower(c_data) WHERE"),
    ("delete", "DELETE FROM work WHERE"),
];

/// How many transactions of how many rows each client of a kind runs, in districts of its own.
#[derive(Clone, Copy)]
struct Amount {
    rows: u32,
    count: u32,
    /// Districts of a client.
    districts: u32,
}

/// One part's batch of a client.
fn batch(statement: &str, client: u32, a: Amount) -> String {
    let Amount { rows, count, districts } = a;
    format!(
        "SET NOCOUNT ON DECLARE @i int = 0, @w int, @d tinyint, @c int WHILE @i < {count} BEGIN \
         SET @c = @i * {rows} / {DISTRICT} + {} SET @w = @c / 10 + 1 SET @d = @c % 10 + 1 SET @c = @i * {rows} % {DISTRICT} + 1 BEGIN TRAN \
         {statement} c_w_id = @w AND c_d_id = @d AND c_id BETWEEN @c AND @c + {} COMMIT SET @i = @i + 1 END",
        client * districts,
        rows - 1
    )
}

/// Seconds from the common start to the last client's end.
fn part(clients: &mut [Client], statement: &str, amount: Amount) -> io::Result<f64> {
    let start = Barrier::new(clients.len());
    std::thread::scope(|scope| {
        let workers: Vec<_> = clients
            .iter_mut()
            .zip(0..)
            .map(|(client, n)| {
                let start = &start;
                let sql = batch(statement, n, amount);
                scope.spawn(move || -> io::Result<(Instant, Instant)> {
                    start.wait();
                    let began = Instant::now();
                    client.run(&sql).map_err(io::Error::other)?;
                    Ok((began, Instant::now()))
                })
            })
            .collect();
        let mut times = Vec::new();
        for worker in workers {
            times.push(worker.join().map_err(|_| io::Error::other("a client panicked"))??);
        }
        let began = times.iter().map(|t| t.0).min();
        let ended = times.iter().map(|t| t.1).max();
        match (began, ended) {
            (Some(began), Some(ended)) => Ok((ended - began).as_secs_f64()),
            _ => Err(io::Error::other("no clients")),
        }
    })
}

fn connect(side: &Side, clients: usize) -> io::Result<Vec<Client>> {
    (0..clients).map(|_| side.connect()).collect()
}

/// How many transactions of each client take about as long as is wanted.
fn settle_amount(side: &mut Side, clients: usize, rows: u32, plan: Plan) -> io::Result<Amount> {
    let districts = (plan.customers / DISTRICT / CLIENTS[1] as u32).max(1);
    let most = districts * DISTRICT / rows;
    let mut connections = connect(side, clients)?;
    let trial = Amount { rows, count: (400 / rows).clamp(20, most), districts };
    let mut took = 0.0;
    // The first knows no plans.
    for _ in 0..2 {
        side.run("TRUNCATE TABLE work")?;
        took = part(&mut connections, PARTS[0].1, trial)?;
    }
    // A lone client's commits write one block each, so it crosses the fewest VLFs in its time.
    let slice = if clients == 1 && rows == 1 { 2.0 * plan.slice } else { plan.slice };
    let count = ((f64::from(trial.count) * slice / took) as u32).clamp(20, most);
    Ok(Amount { count, ..trial })
}

/// Small transactions of all kinds.
pub fn small(sides: &mut [Side; 2], plan: Plan) -> io::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for clients in CLIENTS {
        for rows in [1, 10, 100] {
            figures.push(kind(sides, plan, clients, rows)?);
        }
    }
    Ok(figures)
}

fn kind(sides: &mut [Side; 2], plan: Plan, clients: usize, rows: u32) -> io::Result<Figure> {
    let amount = settle_amount(&mut sides[0], clients, rows, plan)?;
    let name = format!("VLFs: {clients} client{}, {rows} row", if clients > 1 { "s" } else { "" });
    let mut whole = Measured {
        each: false,
        ..Measured::new(&format!("{name}{}", if rows > 1 { "s" } else { "" }))
    };
    let mut cpu_pairs = Pairs::default();
    let mut parts = vec![Pairs::default(); PARTS.len()];
    for pair in 0..=plan.pairs {
        let (mut took, mut cpu) = ([[0.0; PARTS.len()]; 2], [0.0; 2]);
        for which in order(pair) {
            let side = &mut sides[which];
            side.run("TRUNCATE TABLE work")?;
            side.settle()?;
            let mut connections = connect(side, clients)?;
            let before = side.head_number()?;
            let busy = side.cpu()?;
            for (n, (_, statement)) in PARTS.iter().enumerate() {
                took[which][n] = part(&mut connections, statement, amount)?;
            }
            cpu[which] = side.cpu()? - busy;
            if which == 1 && pair > 0 {
                whole.crossed += side.head_number()? - before;
            }
        }
        // The first is not counted.
        if pair > 0 {
            whole.pairs.push(took[0].iter().sum(), took[1].iter().sum());
            cpu_pairs.push(cpu[0], cpu[1]);
            for (n, pairs) in parts.iter_mut().enumerate() {
                pairs.push(took[0][n], took[1][n]);
            }
        }
    }
    whole.cpu = Some(cpu_pairs);
    let mut figure = whole.figure(1.03);
    for ((what, _), pairs) in PARTS.iter().zip(&parts) {
        let r = pairs.ratio();
        figure.note += &format!("; {what} {:.3} [{:.3}, {:.3}]", r.median, r.low, r.high);
    }
    figure.note += &format!("; {} transactions each", amount.count as usize * clients);
    Ok(figure)
}

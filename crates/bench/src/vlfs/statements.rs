//! The three statements on all customers, each a transaction; and the checkpoint and the log backup behind them.
//!
//! The log has some [`DELETE_LOG_BYTES`] of a deleted row only, so one DELETE crosses few VLFs. It has a row of its own
//! besides: so many copies of all customers deleted, one after another, that enough are crossed in each half of a pair. Only
//! the DELETEs are timed, not what puts the customers there.

use super::side::Side;
use super::{ENOUGH, MANY, Measured, Plan};
use crate::Figure;
use crate::pairs::{Pairs, order};
use std::io;

const STATEMENTS: [(&str, &str); 3] = [
    ("insert", "INSERT customer_tmp SELECT * FROM customer"),
    ("update", "UPDATE customer SET c_data = lower(c_data)"),
    ("delete", "DELETE FROM customer"),
];

/// Bytes of log of a deleted customer, roughly.
const DELETE_LOG_BYTES: u64 = 76;
/// Bytes of log of a customer that is put there and deleted, at most.
const COPY_LOG_BYTES: u64 = 1_000;

/// Statement after statement, the sides in turn.
pub fn statements(sides: &mut [Side; 2], plan: Plan) -> io::Result<Vec<Figure>> {
    let name = |what: &str| format!("VLFs: {what} of {} customers", plan.customers);
    let mut measured = STATEMENTS
        .map(|(what, _)| Measured { cpu: Some(Pairs::default()), ..Measured::new(&name(what)) });
    let mut checkpoint = Measured::new("VLFs: CHECKPOINT after the update");
    let mut backup = Measured::new("VLFs: log backup of update and delete");
    // The first round reads and writes everything once, and is not counted.
    for pair in 0..=plan.pairs {
        let counts = pair > 0;
        let mut behind = [[0.0; 2]; 2];
        let mut behind_crossed = [0; 2];
        for (n, (_, sql)) in STATEMENTS.iter().enumerate() {
            let (mut took, mut cpu, mut crossed) = ([0.0; 2], [0.0; 2], 0);
            for which in order(pair) {
                let side = &mut sides[which];
                if n == 0 {
                    side.settle()?;
                }
                let before = side.head_number()?;
                let busy = side.cpu()?;
                took[which] = side.timed(sql)?;
                cpu[which] = side.cpu()? - busy;
                let across = side.head_number()? - before;
                if which == 1 {
                    crossed = across;
                }
                // The insert's log is let go, so that the others' finds room in a log of any size.
                match n {
                    0 => side.settle()?,
                    1 => behind[0][which] = side.timed("CHECKPOINT")?,
                    _ => {
                        side.run("CHECKPOINT")?;
                        behind[1][which] = side.timed("BACKUP LOG bench TO DISK = 'NUL'")?;
                    }
                }
            }
            if n > 0 {
                behind_crossed[0] = behind_crossed[0].max(crossed);
                behind_crossed[1] += crossed;
            }
            if counts {
                measured[n].pairs.push(took[0], took[1]);
                if let Some(pairs) = &mut measured[n].cpu {
                    pairs.push(cpu[0], cpu[1]);
                }
                measured[n].crossed += crossed;
            }
        }
        if counts {
            for ((m, took), crossed) in
                [&mut checkpoint, &mut backup].into_iter().zip(behind).zip(behind_crossed)
            {
                m.pairs.push(took[0], took[1]);
                m.crossed += crossed;
            }
        }
        for side in sides.iter_mut() {
            restore(side)?;
        }
    }
    let mut figures: Vec<Figure> = measured.iter().map(|m| m.figure(1.03)).collect();
    figures.extend([checkpoint.figure(1.10), backup.figure(1.10), deletes(sides, plan)?]);
    Ok(figures)
}

/// DELETE of as many copies of all customers as it takes to cross [`ENOUGH`] VLFs.
fn deletes(sides: &mut [Side; 2], plan: Plan) -> io::Result<Figure> {
    let log_bytes = u64::from(plan.customers) * DELETE_LOG_BYTES;
    let copies = (ENOUGH * plan.many_bytes() / MANY).div_ceil(log_bytes);
    let name = format!("VLFs: delete of {} customers, {copies} times", plan.customers);
    let mut measured = Measured { cpu: Some(Pairs::default()), ..Measured::new(&name) };
    // The log of few VLFs may be the smaller one; a third of it holds so many copies put there and deleted.
    let between = (plan.few_bytes()? / 3 / (u64::from(plan.customers) * COPY_LOG_BYTES)).max(1);
    for side in sides.iter_mut() {
        side.run("INSERT customer_tmp WITH (TABLOCK) SELECT * FROM customer")?;
        side.settle()?;
    }
    for pair in 0..=plan.pairs {
        let (mut took, mut cpu) = ([0.0; 2], [0.0; 2]);
        for which in order(pair) {
            let side = &mut sides[which];
            let mut crossed = 0;
            for copy in 1..=copies {
                let before = side.head_number()?;
                let busy = side.cpu()?;
                took[which] += side.timed("DELETE FROM customer")?;
                cpu[which] += side.cpu()? - busy;
                crossed += side.head_number()? - before;
                side.run("TRUNCATE TABLE customer")?;
                side.run("INSERT customer WITH (TABLOCK) SELECT * FROM customer_tmp")?;
                if copy % between == 0 || copy == copies {
                    side.settle()?;
                }
            }
            if which == 1 && pair > 0 {
                measured.crossed += crossed;
            }
        }
        // The first is not counted.
        if pair > 0 {
            measured.pairs.push(took[0], took[1]);
            if let Some(pairs) = &mut measured.cpu {
                pairs.push(cpu[0], cpu[1]);
            }
        }
    }
    for side in sides.iter_mut() {
        side.run("TRUNCATE TABLE customer_tmp")?;
        side.settle()?;
    }
    Ok(measured.figure(1.03))
}

/// The customers as they were.
fn restore(side: &mut Side) -> io::Result<()> {
    side.run("TRUNCATE TABLE customer")?;
    side.run("INSERT customer WITH (TABLOCK) SELECT * FROM customer_tmp")?;
    side.run("TRUNCATE TABLE customer_tmp")?;
    side.settle()
}

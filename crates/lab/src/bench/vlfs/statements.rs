//! The three statements on all customers, each a transaction; and the checkpoint and the log backup behind them.

use super::side::Side;
use super::{Measured, Plan};
use crate::bench::Figure;
use crate::bench::pairs::{Pairs, order};
use std::io;

const STATEMENTS: [(&str, &str); 3] = [
    ("insert", "INSERT customer_tmp SELECT * FROM customer"),
    ("update", "UPDATE customer SET c_data = lower(c_data)"),
    ("delete", "DELETE FROM customer"),
];

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
    figures.extend([checkpoint.figure(1.10), backup.figure(1.10)]);
    Ok(figures)
}

/// The customers as they were.
fn restore(side: &mut Side) -> io::Result<()> {
    side.run("TRUNCATE TABLE customer")?;
    side.run("INSERT customer WITH (TABLOCK) SELECT * FROM customer_tmp")?;
    side.run("TRUNCATE TABLE customer_tmp")?;
    side.settle()
}

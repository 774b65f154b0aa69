//! Restart after a kill, and listings of all VLFs.

use super::side::Side;
use super::{MANY, Measured, Plan};
use crate::Figure;
use crate::pairs::order;
use crate::rows::median;
use std::io;

/// Killed after all customers were changed: to the first row of that table.
pub fn restart(sides: &mut [Side; 2], plan: Plan) -> io::Result<Vec<Figure>> {
    let mut measured = Measured::new("VLFs: restart after SIGKILL, first row");
    for pair in 0..plan.pairs {
        let mut took = [0.0; 2];
        for which in order(pair) {
            let side = &mut sides[which];
            side.settle()?;
            let before = side.head_number()?;
            let case = if pair.is_multiple_of(2) { "lower" } else { "upper" };
            side.run(&format!("UPDATE customer SET c_data = {case}(c_data)"))?;
            if which == 1 {
                measured.crossed += side.head_number()? - before;
            }
            took[which] = side.restart()?;
        }
        measured.pairs.push(took[0], took[1]);
    }
    Ok(vec![measured.figure(1.10)])
}

/// All VLFs, by both ways.
pub fn listing(sides: &mut [Side; 2]) -> io::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (work, sql, limit) in [
        (
            "COUNT(*) of sys.dm_db_log_info",
            "SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID())",
            Some(100.0),
        ),
        ("DBCC LOGINFO, all rows", "DBCC LOGINFO WITH NO_INFOMSGS", None),
    ] {
        let mut times = Vec::new();
        for _ in 0..15 {
            times.push(sides[1].timed(sql)? * 1e3);
        }
        let value = median(times);
        let verdict = match limit {
            Some(limit) if value <= limit => format!("; <= {limit} ms: reached"),
            Some(limit) => format!("; <= {limit} ms: not reached"),
            None => String::new(),
        };
        figures.push(Figure {
            work: format!("VLFs: {work}"),
            engine: "Taffrail".into(),
            value,
            unit: "ms",
            of_device: None,
            note: format!("{MANY} VLFs, median of 15{verdict}"),
            drift: 0.0,
        });
    }
    Ok(figures)
}

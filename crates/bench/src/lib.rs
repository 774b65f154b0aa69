//! `taffrail-bench`: speed, each figure with the device's own beside it, in one run.
//!
//! The machines are shared and their disks noisy, so a row is bracketed by two measurements of the device; when they
//! differ by more than 10 % the row is measured again (up to three times), and what is compared is the ratio.

#![forbid(unsafe_code)]

pub mod backup;
pub mod bandwidth;
pub mod bare;
mod beside;
pub mod bulk;
pub mod checkpoints;
pub mod deadlocks;
pub mod frames;
pub mod fresh;
pub mod groups;
pub mod growth;
pub mod instructions;
pub mod lob;
pub mod pairs;
pub mod peers;
pub mod permissions;
pub mod pipelined;
pub mod plans;
pub mod points;
pub mod reading;
pub mod restart;
pub mod rows;
pub mod sequential;
pub mod spill;
mod taffrail;
pub mod tpch;
pub mod versions;
pub mod vlfs;
pub mod watching;
pub mod wire;

use serde::Serialize;

/// One measured figure of one engine.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// The work that was measured.
    pub work: String,
    /// The engine that did it.
    pub engine: String,
    /// The figure, in `unit`.
    pub value: f64,
    /// The unit of `value`.
    pub unit: &'static str,
    /// The figure over the device's durable 4 KiB writes/s at depth 1 in the same minute, where that says something.
    pub of_device: Option<f64>,
    /// Anything else worth a column: percentiles, counts.
    pub note: String,
    /// The device's drift from before to after, in per cent.
    pub drift: f64,
}

impl Figure {
    /// One of our own server, beside no figure of the device.
    pub fn ours(work: &str, value: f64, unit: &'static str, note: String) -> Figure {
        let (work, engine) = (work.into(), "Taffrail".into());
        Figure { work, engine, value, unit, of_device: None, note, drift: 0.0 }
    }
}

/// Prints figures as a table, rows of one work together.
pub fn print_table(figures: &[Figure]) {
    let wide = figures.iter().map(|f| f.work.chars().count()).max().unwrap_or(0).max(34);
    println!(
        "{:<wide$} {:<11} {:>14} {:<9} {:>9}  note",
        "work", "engine", "figure", "unit", "of device"
    );
    for f in figures {
        let of_device = f.of_device.map_or(String::new(), |r| format!("{r:.2}"));
        let value = match f.value {
            v if v >= 1000.0 => format!("{v:.0}"),
            v => format!("{v:.3}"),
        };
        println!(
            "{:<wide$} {:<11} {value:>14} {:<9} {of_device:>9}  {}",
            f.work, f.engine, f.unit, f.note
        );
    }
}

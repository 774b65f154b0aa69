//! Does the number of VLFs matter? Two servers, each with one database of the same content; the log of one has 16 VLFs, that
//! of the other 20,000.
//!
//! Both logs are made by use, as such logs come about: recovery model FULL, a full backup, and writing until the log is
//! full; that of many VLFs grows by 512 KB at a time, by the rule of 2012, which makes two VLFs of each growth. Then
//! the log is backed up and written on until its head is in the first VLF again. So every byte of both files was written before
//! anything is measured, no VLF is used for the first time, and nothing grows.
//!
//! Everything is measured in pairs (see [`super::pairs`]); with each goes the number of VLFs that the log of many
//! crossed, by sequence numbers of `sys.dm_db_log_info`. A figure that crossed fewer than [`ENOUGH`] does not count, and says so:
//! each statement on all customers is to cross so many, small transactions in all pairs together. Rows are a tenth more than the
//! other parts of the benchmark have, which is what an INSERT takes to cross 1,000 VLFs of 256 KB. A DELETE, of whose rows the
//! log has next to nothing, is repeated on copies.

mod restart;
mod side;
mod small;
mod statements;

use super::Figure;
use super::pairs::{Effort, Pairs};
use side::Side;
use std::io;
use std::path::Path;

/// VLFs of the one log.
const FEW: u64 = 16;
/// VLFs of the other.
const MANY: u64 = 20_000;
/// So many VLFs are to be crossed.
const ENOUGH: u64 = 1_000;
const GB: u64 = 1 << 30;

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of customers.
    pub customers: u32,
    /// Pairs of each figure.
    pub pairs: usize,
    /// Seconds of each half of a pair with small transactions.
    pub slice: f64,
    /// Bytes on disk that may be taken; the log of few VLFs is smaller than the other if there is less than both take.
    pub disk: u64,
}

impl Plan {
    /// The plan for so many customers, of so much effort, in a directory.
    pub fn new(customers: u32, effort: Effort, dir: &Path) -> io::Result<Plan> {
        let (pairs, slice) = if effort.quick { (3, 0.1) } else { (15, 0.25) };
        let disk = match effort.disk_gb {
            Some(gb) => gb * GB,
            // Others may need some.
            None => {
                let free = rustix::fs::statvfs(dir)?;
                (free.f_bavail * free.f_frsize).saturating_sub(8 * GB)
            }
        };
        let customers = customers / 10 * 11;
        Ok(Plan { customers, pairs: effort.pairs.unwrap_or(pairs), slice, disk })
    }

    /// Bytes of a growth of the log of many VLFs, and how many VLFs that makes.
    fn growth(self) -> (u64, u64) {
        match self.customers {
            ..1_000_000 => (512 << 10, 2),
            // The log of one statement, and as much kept for its rollback.
            _ => (2 << 20, 4),
        }
    }

    /// Bytes of the log of many VLFs.
    fn many_bytes(self) -> u64 {
        let (growth, vlfs) = self.growth();
        MANY / vlfs * growth
    }

    /// Bytes of the log of few VLFs.
    fn few_bytes(self) -> io::Result<u64> {
        // Two tables of customers in each, and what belongs to a server.
        let data = 2 * (2 * u64::from(self.customers) * 700 + (300 << 20));
        let left = self.disk.saturating_sub(self.many_bytes() + data).min(self.many_bytes());
        // More than 1 GB: fewer make eight VLFs.
        match left / (64 << 20) * (64 << 20) {
            bytes if bytes > GB => Ok(bytes),
            _ => Err(io::Error::other(format!(
                "{} GB of disk are too few: the logs of {MANY} and {FEW} VLFs take {} at least",
                self.disk / GB,
                (self.many_bytes() + data + GB) / GB + 1
            ))),
        }
    }
}

/// One kind of work in pairs: of the log of few VLFs, and of many.
struct Measured {
    work: String,
    pairs: Pairs,
    /// Processor time of the servers, which a busy machine does less to; in hundredths of a second, so only what is long
    /// says something.
    cpu: Option<Pairs>,
    /// VLFs that the log of many crossed, over all pairs.
    crossed: u64,
    /// They are to be enough in each half of a pair; otherwise over all pairs.
    each: bool,
}

impl Measured {
    fn new(work: &str) -> Measured {
        Measured { work: work.into(), pairs: Pairs::default(), cpu: None, crossed: 0, each: true }
    }

    fn figure(&self, limit: f64) -> Figure {
        let ratio = self.pairs.ratio();
        let halves = if self.each { ratio.pairs as u64 } else { 1 };
        let crossed = self.crossed / halves;
        let counts = if crossed < ENOUGH { ", but too few were crossed to count" } else { "" };
        let verdict = if ratio.median <= limit { "reached" } else { "not reached" };
        let cpu = self.cpu.as_ref().map_or(String::new(), |cpu| {
            let r = cpu.ratio();
            format!("; processor time {:.3} [{:.3}, {:.3}]", r.median, r.low, r.high)
        });
        let times = if self.each { "each time" } else { "in all" };
        Figure {
            work: self.work.clone(),
            engine: "Taffrail".into(),
            value: ratio.median,
            unit: "ratio",
            of_device: None,
            note: format!(
                "95 % in [{:.3}, {:.3}], {} pairs; {FEW} VLFs {:.4} s, {MANY} VLFs {:.4} s, {crossed} VLFs \
                    crossed {times}; <= {limit}: {verdict}{counts}{cpu}",
                ratio.low, ratio.high, ratio.pairs, ratio.base, ratio.other
            ),
            drift: 0.0,
        }
    }
}

/// Work beside few and beside many VLFs: statements, small transactions, restarts.
pub fn vlfs(binary: &Path, dir: &Path, plan: Plan) -> io::Result<Vec<Figure>> {
    let (growth, each) = plan.growth();
    let few_bytes = plan.few_bytes()?;
    let began = std::time::Instant::now();
    let few = Side::make(binary, &dir.join("vlfs-few"), plan.customers, few_bytes, growth, None)?;
    println!(
        "log of {FEW} VLFs made, filled and wrapped after {:.0} s",
        began.elapsed().as_secs_f64()
    );
    let many = Side::make(
        binary,
        &dir.join("vlfs-many"),
        plan.customers,
        plan.many_bytes(),
        growth,
        Some(MANY / each * each),
    )?;
    let mut sides = [few, many];
    for (side, wanted) in sides.iter_mut().zip([FEW, MANY]) {
        let vlfs = side.vlfs()?;
        println!("log of {} MB: {vlfs} VLFs", side.log_bytes()? >> 20);
        if vlfs.abs_diff(wanted) > wanted / 100 {
            return Err(io::Error::other(format!("{vlfs} VLFs were made, not {wanted}")));
        }
    }
    println!("both made, filled and wrapped after {:.0} s", began.elapsed().as_secs_f64());
    let before = [sides[0].vlfs()?, sides[1].vlfs()?];
    let mut figures = statements::statements(&mut sides, plan)?;
    figures.extend(small::small(&mut sides, plan)?);
    figures.extend(restart::listing(&mut sides)?);
    figures.extend(restart::restart(&mut sides, plan)?);
    if before != [sides[0].vlfs()?, sides[1].vlfs()?] {
        return Err(io::Error::other("a log has grown while it was measured"));
    }
    for side in sides {
        side.remove()?;
    }
    Ok(figures)
}

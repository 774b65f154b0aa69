//! What `@@CPU_BUSY` and its relatives tell of the process.

use crate::session::Session;

/// `@@TIMETICKS`.
pub(super) const TICK_MICROSECONDS: i32 = 31_250;

impl Session {
    /// Since the start, as the process and the disks count: times in ticks of 31.25 ms (`@@TIMETICKS`), operations. What is
    /// too large stays at int's end.
    pub(super) fn measured(&self, name: &str) -> i32 {
        let io = self.instance.file_io().sum();
        let ticks = |ms: u128| ms * 1000 / TICK_MICROSECONDS as u128;
        let (user, kernel, _) = crate::process::proc_stat().unwrap_or_default();
        let busy = (user + kernel) as u128;
        let n = match name {
            "@@CPU_BUSY" => ticks(busy),
            "@@IDLE" => {
                let cpus = std::thread::available_parallelism().map_or(1, |n| n.get()) as u128;
                ticks((self.instance.up_time().as_millis() * cpus).saturating_sub(busy))
            }
            "@@IO_BUSY" => {
                ticks((io.reads.stall + io.writes.stall + io.plain_writes.stall).as_millis())
            }
            "@@TOTAL_READ" => io.reads.count as u128,
            _ => (io.writes.count + io.plain_writes.count) as u128,
        };
        i32::try_from(n).unwrap_or(i32::MAX)
    }
}

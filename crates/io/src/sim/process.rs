//! The end of a process whose machine goes on.

use super::world::{Called, SimWorld};

impl SimWorld {
    /// The process is killed: nothing that it was doing goes on, and every handle is dead. The machine goes on with what its cache has;
    /// of a write that was under way there may be a part. Call [`SimWorld::revive`], and open everything anew.
    pub fn kill(&self) {
        let mut s = self.lock();
        let s = &mut *s;
        s.powered = false;
        let sector = s.options.sector as usize;
        for file in &mut s.files {
            let submitted = std::mem::take(&mut file.in_flight).into_iter();
            let submitted = submitted.map(|op| {
                s.writes += 1;
                let data = op.buf[..op.len].to_vec();
                Called { number: s.writes, offset: op.offset, data }
            });
            let submitted: Vec<Called> = submitted.collect();
            for call in std::mem::take(&mut file.called).into_iter().chain(submitted) {
                let sectors = call.data.len().div_ceil(sector) as u64;
                let n = s.rng.below(sectors + 1) as usize * sector;
                let n = n.min(call.data.len());
                file.write(call.number, call.offset, &call.data[..n], sector);
            }
        }
    }

    /// The next process begins, after [`SimWorld::kill`]: the disk is as it was left. Planned faults are forgotten.
    pub fn revive(&self) {
        let mut s = self.lock();
        s.powered = true;
        s.crash_at = None;
        s.faults.clear();
        s.epoch += 1;
    }
}

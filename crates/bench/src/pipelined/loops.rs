//! Loops of single-row inserts in one batch, a durable commit each.

use super::{COMMITS_PER_S, Extent, LOOP_BOTH, LOOP_OFF, LOOP_ON, Ours, TIMES_DEVICE, figure};
use crate::Figure;
use crate::pairs::Pairs;
use crate::peers::{Peer, time_last};
use crate::rows::steady;
use std::io;
use taffrail_lab::device::Probe;

/// The loop, ON and OFF in turn: each against the device in the same seconds, and against each other.
pub(super) fn loops(ours: &mut Ours, probe: &Probe, portion: &Extent) -> io::Result<Vec<Figure>> {
    let [mut on, mut off, mut both] = [(); 3].map(|()| Pairs::default());
    let mut drift: f64 = 0.0;
    for round in 0..portion.rounds[0] {
        let mut rates = [0.0; 2];
        for turn in 0..2 {
            let pipelined = (round + turn).is_multiple_of(2);
            let commits = portion.commits[usize::from(!pipelined)];
            ours.pipelined(pipelined)?;
            let (took, device, drifted) = steady(probe, || {
                let mut driver = ours.server.connect()?;
                time_last(&mut *driver, &ours.server.autocommit_loop(commits))
            })?;
            ours.has_all("SELECT COUNT(*) FROM MyTable", commits.into())?;
            let rate = f64::from(commits) / took.as_secs_f64();
            rates[usize::from(!pipelined)] = rate;
            drift = if drifted.abs() > drift.abs() { drifted } else { drift };
            if pipelined { &mut on } else { &mut off }.push(device.depth1_per_s, rate);
        }
        both.push(rates[1], rates[0]);
    }
    let [commits_on, commits_off] = portion.commits;
    let (many, few) = (on.ratio(), figure(LOOP_OFF, &off, "commits/s and writes/s"));
    let note = format!(
        "at least {COMMITS_PER_S} commits/s, or {TIMES_DEVICE} x the device; [{:.1}, {:.1}] x in {} rounds of {commits_on} commits",
        many.low, many.high, many.pairs
    );
    let fast = Figure {
        of_device: Some(many.median),
        drift,
        ..Figure::ours(LOOP_ON, many.other, "commits/s", note)
    };
    let slow = Figure {
        of_device: Some(few.value),
        drift,
        note: format!("{}; {commits_off} commits a round", few.note),
        ..few
    };
    Ok(vec![fast, slow, figure(LOOP_BOTH, &both, "commits/s, ON and OFF")])
}

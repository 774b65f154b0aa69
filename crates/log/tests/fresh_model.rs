//! The state machine of initialisation ahead of the head, against a disk that performs writes at any moment between
//! their beginning and their end.
//!
//! `GROWTH_SEEDS` sets how many seeds run.

use std::collections::BTreeMap;

use taffrail_io::sim::SimRng;
use taffrail_log::fresh::Fresh;

fn seeds(default: u64) -> u64 {
    std::env::var("GROWTH_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// How the model breaks the protocol on purpose: a test that notices nothing proves nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Broken {
    Nothing,
    /// A flush writes without waiting for the piece in flight.
    Wait,
    /// A flush does not claim what it writes.
    Claim,
}

const CELL: u64 = 4096;

/// What a cell of the disk holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    Reserved,
    Zero,
    Log(u32),
}

/// A write on its way: its cells reach the disk one by one, at any moment until its end.
struct Moving {
    cells: Vec<u64>,
    content: Cell,
}

impl Moving {
    fn new(start: u64, end: u64, content: Cell) -> Moving {
        Moving { cells: (start / CELL..end / CELL).collect(), content }
    }

    fn some(&mut self, rng: &mut SimRng, disk: &mut [Cell]) {
        for _ in 0..rng.below(4) {
            if self.cells.is_empty() {
                return;
            }
            let at = rng.below(self.cells.len() as u64) as usize;
            disk[self.cells.swap_remove(at) as usize] = self.content;
        }
    }

    fn all(&mut self, disk: &mut [Cell]) {
        for cell in self.cells.drain(..) {
            disk[cell as usize] = self.content;
        }
    }
}

#[derive(Default, Debug)]
struct Met {
    waits: u64,
    missed: u64,
    pieces: u64,
    flushes: u64,
}

/// One run of the state machine. The log writes ascending from place to place, as VLFs follow each other; up to three
/// flushes are in flight beside the one zeroing write. At the end every acknowledged block must be on the disk.
fn model(seed: u64, broken: Broken, met: &mut Met) -> Result<(), String> {
    let mut rng = SimRng::new(seed);
    let mut fresh = Fresh::default();
    let size = 400 + rng.below(400);
    let mut disk = vec![Cell::Reserved; 2000];
    let mut acknowledged: BTreeMap<u64, u32> = BTreeMap::new();
    let mut end = size;
    fresh.add(0, 0, size * CELL);
    let mut head = 0;
    let mut number = 0;
    let mut zeroing: Option<Moving> = None;
    // A flush: the bytes, and whether it still waits for the piece.
    let mut flushes: Vec<(u64, u64, bool, Moving)> = Vec::new();
    let fast = rng.below(10);
    for _ in 0..2000 {
        fresh.check();
        match rng.below(12) {
            0..4 if zeroing.is_none() => {
                let max = (1 + rng.below(24)) * CELL;
                if let Some(p) = fresh.begin((0, head * CELL), max) {
                    met.pieces += 1;
                    zeroing = Some(Moving::new(p.start, p.end, Cell::Zero));
                }
            }
            4..6 if rng.below(10) < fast => {
                let done = match &mut zeroing {
                    Some(z) => {
                        z.some(&mut rng, &mut disk);
                        rng.one_in(2)
                    }
                    None => false,
                };
                if done && let Some(mut z) = zeroing.take() {
                    z.all(&mut disk);
                    fresh.end();
                    if rng.one_in(3) {
                        for (file, bytes) in fresh.unsynced_files() {
                            fresh.synced(file, bytes);
                        }
                    }
                }
            }
            6..9 if flushes.len() < 3 => {
                let cells = 1 + rng.below(6);
                if head + cells > end {
                    if end + 200 > disk.len() as u64 {
                        break;
                    }
                    // A growth: space that nobody knows yet.
                    fresh.add(0, end * CELL, (end + 200) * CELL);
                    end += 200;
                    continue;
                }
                number += 1;
                met.flushes += 1;
                let (start, stop) = (head * CELL, (head + cells) * CELL);
                let waits = broken != Broken::Claim && fresh.claim(0, start, stop);
                met.waits += u64::from(waits);
                let waits = waits && broken != Broken::Wait;
                flushes.push((start, stop, waits, Moving::new(start, stop, Cell::Log(number))));
                head += cells;
                // Now and then the head leaves a rest behind, as at the end of a VLF.
                head += u64::from(rng.one_in(20)) * rng.below(10).min(end - head);
            }
            9..12 if !flushes.is_empty() => {
                let at = rng.below(flushes.len() as u64) as usize;
                let flush = &mut flushes[at];
                if flush.2 && fresh.blocks(0, flush.0, flush.1) {
                    continue;
                }
                flush.2 = false;
                flush.3.some(&mut rng, &mut disk);
                if rng.one_in(2) {
                    flush.3.all(&mut disk);
                    let (start, stop, _, m) = flushes.swap_remove(at);
                    let Cell::Log(n) = m.content else { unreachable!() };
                    acknowledged.extend((start / CELL..stop / CELL).map(|c| (c, n)));
                }
            }
            11 => {
                // A shrink: cut the end off, and let it grow again later.
                let from = (head + rng.below(50)).min(end);
                if zeroing.is_none() && !fresh.forget(0, from * CELL) {
                    disk[from as usize..].fill(Cell::Reserved);
                    end = from;
                }
            }
            _ => {}
        }
    }
    if let Some(mut z) = zeroing.take() {
        z.all(&mut disk);
        fresh.end();
    }
    met.missed += u64::from(fresh.missed() > 0);
    for (cell, n) in acknowledged {
        if disk[cell as usize] != Cell::Log(n) {
            return Err(format!("cell {cell}: {:?} instead of block {n}", disk[cell as usize]));
        }
    }
    Ok(())
}

#[test]
fn no_zero_ever_lands_on_a_log_block() {
    let mut met = Met::default();
    for seed in 0..seeds(600) {
        if let Err(text) = model(seed, Broken::Nothing, &mut met) {
            panic!("seed {seed}: {text}");
        }
    }
    println!("{met:?}");
    assert!(met.waits > 100 && met.missed > 100 && met.pieces > 1000 && met.flushes > 1000);
}

#[test]
fn a_broken_protocol_is_noticed() {
    for broken in [Broken::Wait, Broken::Claim] {
        let mut met = Met::default();
        let noticed = (0..200).filter(|&s| model(s, broken, &mut met).is_err()).count();
        println!("{broken:?}: {noticed} of 200 noticed");
        assert!(noticed > 20, "{broken:?}: {noticed} of 200");
    }
}

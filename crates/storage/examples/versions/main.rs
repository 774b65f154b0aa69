//! What versions of rows would cost, by where they are kept: in the log, found by a tag on the row, or beside the page in memory.
//!
//! ```text
//! versions fetch DIR                one record of the log: cached, from the file, beside appenders; and from a list of closed blocks
//! versions walk                     a snapshot's way back: by chains, by one pass over the log, in memory
//! versions space                    pages of rows that grow by a tag, stripped or not
//! versions snapshot                 taking a snapshot: slots and atomics, or a mutex
//! versions write DIR HOW WHAT N     N commits of one row each, to be counted by `valgrind --tool=callgrind`; HOW: off, tag, memory;
//!                                   WHAT: insert, update-tagged, update-untagged, delete; scan, seek
//! ```
//! Times are of the thread's processor (`/proc/thread-self/schedstat`), since the machine may be busy. A tag is 14 bytes: the position
//! of the row's record before, and the transaction's number. The decision that these figures led to, and why, is in
//! docs/engineering/isolation.md.

mod fetch;
mod snapshot;
mod space;
mod walk;
mod write;

use std::path::PathBuf;

/// Nanoseconds that this thread has had a processor. The kernel brings them up to date when a thread yields.
pub fn cpu_ns() -> u64 {
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().and_then(|n| n.parse().ok()).unwrap()
}

/// The middle one of some values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Numbers that look random and are the same each time.
pub struct Numbers(pub u64);

impl Numbers {
    /// The next one, of 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next one, below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(n)) >> 64) as u64
    }

    /// Puts values into some order.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for i in (1..values.len()).rev() {
            values.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let word = |n: usize| args.get(n).map_or("", String::as_str);
    let dir = || PathBuf::from(word(1));
    match word(0) {
        "fetch" => fetch::run(&dir()),
        "walk" => walk::run(),
        "space" => space::run(),
        "snapshot" => snapshot::run(),
        "write" => write::run(&dir(), word(2), word(3), word(4).parse().unwrap()),
        _ => eprintln!("versions fetch DIR | walk | space | snapshot | write DIR HOW WHAT N"),
    }
}

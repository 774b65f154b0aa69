//! The way back of a snapshot that reads all rows, changed 1, 10 or 100 times since: along each row's chain of records; by one pass over
//! the log from the snapshot on, that keeps the first image of each row; along versions beside the page, all of them or, where those
//! between snapshots have gone, the one.

use std::hint::black_box;

use hashbrown::HashMap;

use crate::{Numbers, cpu_ns};

/// Bytes of a record: header, place, before and after images of an int, key, the old tag.
const RECORD: usize = 88;
const RECORDS: usize = 4 << 20;
/// Rows of a page.
const ROWS: usize = 100;

type Copy = [u64; ROWS];

/// Where the versions of rows are. A reader has copied a page, and rows in it are newer than its snapshot.
trait VersionSource {
    /// Puts into the copy what the rows were for the snapshot.
    fn patch(&self, page: usize, copy: &mut Copy);
}

struct LogImage {
    /// The log: row, position of the row's record before (+ 1), before image.
    log: Vec<u8>,
    /// The last record of each row (+ 1).
    last: Vec<u64>,
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn build(rows: usize, times: usize, shuffled: bool) -> LogImage {
    let mut image =
        LogImage { log: Vec::with_capacity(rows * times * RECORD), last: vec![0; rows] };
    let mut order: Vec<usize> = (0..rows).collect();
    for _ in 0..times {
        if shuffled {
            Numbers(image.log.len() as u64).shuffle(&mut order);
        }
        for &row in &order {
            let n = (image.log.len() / RECORD) as u64 + 1;
            let mut record = [0; RECORD];
            record[..8].copy_from_slice(&(row as u64).to_le_bytes());
            record[8..16].copy_from_slice(&image.last[row].to_le_bytes());
            record[16..24].copy_from_slice(&n.to_le_bytes());
            image.log.extend_from_slice(&record);
            image.last[row] = n;
        }
    }
    image
}

/// Each row's own chain, from its tag on.
impl VersionSource for LogImage {
    fn patch(&self, page: usize, copy: &mut Copy) {
        for (last, row) in self.last[page * ROWS..].iter().zip(copy) {
            let mut at = *last;
            while at != 0 {
                let record = &self.log[(at as usize - 1) * RECORD..][..RECORD];
                *row = word(record, 16);
                at = word(record, 8);
            }
        }
    }
}

/// The first image of each row since the snapshot.
struct Pass(HashMap<u64, u64, foldhash::fast::FixedState>);

impl Pass {
    fn over(image: &LogImage) -> Pass {
        let mut first = HashMap::default();
        for record in image.log.chunks_exact(RECORD) {
            first.entry(word(record, 0)).or_insert_with(|| word(record, 16));
        }
        Pass(first)
    }
}

impl VersionSource for Pass {
    fn patch(&self, page: usize, copy: &mut Copy) {
        for (n, row) in copy.iter_mut().enumerate() {
            *row = self.0[&((page * ROWS + n) as u64)];
        }
    }
}

/// Beside each page a list of (row, before image), in the order of changes.
struct Beside(Vec<Vec<(u64, u64)>>);

impl Beside {
    fn of(image: &LogImage) -> Beside {
        let mut pages = vec![Vec::new(); image.last.len() / ROWS];
        for record in image.log.chunks_exact(RECORD) {
            let row = word(record, 0);
            pages[row as usize / ROWS].push((row, word(record, 16)));
        }
        Beside(pages)
    }

    /// Without those that no snapshot can see: there is one snapshot, older than all of them.
    fn pruned(mut self) -> Beside {
        for page in &mut self.0 {
            let mut seen = [false; ROWS];
            page.retain(|(row, _)| !std::mem::replace(&mut seen[*row as usize % ROWS], true));
        }
        self
    }
}

impl VersionSource for Beside {
    fn patch(&self, page: usize, copy: &mut Copy) {
        for (row, before) in self.0[page].iter().rev() {
            copy[*row as usize % ROWS] = *before;
        }
    }
}

/// Nanoseconds a row that reading all of them takes; `make` counts.
fn timed<V: VersionSource>(rows: usize, make: impl FnOnce() -> V) -> f64 {
    let before = cpu_ns();
    let source = make();
    for page in 0..rows / ROWS {
        let mut copy = [0; ROWS];
        source.patch(page, &mut copy);
        black_box(&copy);
    }
    (cpu_ns() - before) as f64 / rows as f64
}

impl<V: VersionSource> VersionSource for &V {
    fn patch(&self, page: usize, copy: &mut Copy) {
        (**self).patch(page, copy);
    }
}

pub fn run() {
    println!("ns a row");
    println!(
        "   rows × changes   order          chain   pass over the log   beside the page   … pruned"
    );
    for times in [1, 10, 100] {
        let rows = (RECORDS / times).min(1_000_000) / ROWS * ROWS;
        for (shuffled, name) in [(false, "key order"), (true, "shuffled")] {
            let image = build(rows, times, shuffled);
            let chain = timed(rows, || &image);
            let pass = timed(rows, || Pass::over(&image));
            let beside = Beside::of(&image);
            let all = timed(rows, || &beside);
            let beside = beside.pruned();
            let pruned = timed(rows, || &beside);
            println!(
                "{rows:8} × {times:3}   {name:10} {chain:9.1} {pass:13.1} {all:15.1} {pruned:12.1}"
            );
        }
    }
}

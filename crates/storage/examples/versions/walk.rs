//! The way back of a snapshot that reads all rows, changed 1, 10 or 100 times since: along each row's chain of records; by one pass over
//! the log from the snapshot on, that keeps the first image of each row; along versions beside the page, all of them or, where those
//! between snapshots have gone, the one.

use std::hint::black_box;

use hashbrown::HashMap;

use crate::{Numbers, cpu_ns};

/// Bytes of a record: header, place, before and after images of an int, key, the old tag.
const RECORD: usize = 88;
const BYTES: usize = 4 << 20;

struct Image {
    /// The log: row, position of the row's record before (+ 1), before image.
    log: Vec<u8>,
    /// The last record of each row (+ 1).
    last: Vec<u64>,
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn build(rows: usize, times: usize, shuffled: bool) -> Image {
    let mut image = Image { log: Vec::with_capacity(rows * times * RECORD), last: vec![0; rows] };
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

fn timed(rows: usize, f: impl FnOnce() -> u64) -> f64 {
    let before = cpu_ns();
    black_box(f());
    (cpu_ns() - before) as f64 / rows as f64
}

pub fn run() {
    println!("ns a row; rows × times   order      chain   pass over the log   beside the page   … pruned");
    for times in [1, 10, 100] {
        let rows = (BYTES / times).min(1_000_000);
        for (shuffled, name) in [(false, "key order"), (true, "shuffled")] {
            let image = build(rows, times, shuffled);
            let chain = timed(rows, || {
                let mut sum = 0;
                for &last in &image.last {
                    let mut at = last;
                    let mut value = 0;
                    while at != 0 {
                        let record = &image.log[(at as usize - 1) * RECORD..][..RECORD];
                        value = word(record, 16);
                        at = word(record, 8);
                    }
                    sum += value;
                }
                sum
            });
            let pass = timed(rows, || {
                let mut first: HashMap<u64, u64, foldhash::fast::FixedState> = HashMap::default();
                for record in image.log.chunks_exact(RECORD) {
                    first.entry(word(record, 0)).or_insert_with(|| word(record, 16));
                }
                first.values().sum()
            });
            // A hundred rows to a page; each page has a list of (row, before image), in the order of changes.
            let mut pages: Vec<Vec<(u64, u64)>> = vec![Vec::new(); rows.div_ceil(100)];
            for record in image.log.chunks_exact(RECORD) {
                let row = word(record, 0);
                pages[row as usize / 100].push((row, word(record, 16)));
            }
            let beside = timed(rows, || {
                let mut sum = 0;
                for page in &pages {
                    let mut first = [0; 100];
                    page.iter().rev().for_each(|(row, v)| first[*row as usize % 100] = *v);
                    sum += first.iter().sum::<u64>();
                }
                sum
            });
            for page in &mut pages {
                let mut seen = [false; 100];
                page.retain(|(row, _)| !std::mem::replace(&mut seen[*row as usize % 100], true));
            }
            let pruned = timed(rows, || {
                let mut sum = 0;
                for page in &pages {
                    let mut first = [0; 100];
                    page.iter().rev().for_each(|(row, v)| first[*row as usize % 100] = *v);
                    sum += first.iter().sum::<u64>();
                }
                sum
            });
            println!("{rows:8} × {times:3}   {name:10} {chain:9.1} {pass:13.1} {beside:15.1} {pruned:12.1}");
        }
    }
}

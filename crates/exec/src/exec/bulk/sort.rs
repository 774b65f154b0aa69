//! Keys and what belongs to them, in order of the keys: in memory as long as they are few, else in sorted runs in temporary files that
//! are merged.
//!
//! ```text
//! run   per entry: u32 bytes of the key, u32 bytes of the value, key, value
//! ```
//! A run's file is removed when it is not needed any more; what a crash leaves is removed when the next sort first needs a file.

use crate::pieces::look;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::{Disk, OpenSpec, Volume};

/// Bytes of entries that are kept in memory.
pub(crate) const MEMORY: usize = 64 << 20;
/// Bytes that are read or written at once.
const BUFFER: usize = 256 << 10;
/// Entries that are sorted at once: some milliseconds of work.
const PIECE: usize = 16 << 10;
/// What an entry costs besides its bytes.
const ENTRY_COST: usize = size_of::<(usize, usize, usize)>();
const PREFIX: &str = "taffrail-sort-";

/// Where runs go.
#[derive(Clone)]
pub(crate) struct SortSpace {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    limit: usize,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);
static CLEANED: AtomicBool = AtomicBool::new(false);

impl SortSpace {
    /// Beside a database's files; beyond `limit` bytes in memory.
    pub fn beside(database: &taffrail_storage::Database, limit: usize) -> SortSpace {
        let primary = database.files().into_iter().next().map(|f| f.path).unwrap_or_default();
        let dir = primary.parent().unwrap_or(Path::new(".")).to_owned();
        SortSpace { disk: database.instance().env.disk.clone(), dir, limit }
    }

    fn create(&self) -> SqlResult<Run> {
        let fail = |e: taffrail_io::IoError| io_error(&e);
        if !CLEANED.swap(true, Ordering::Relaxed) {
            for path in self.disk.list(&self.dir).map_err(fail)? {
                let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
                if name.starts_with(PREFIX) {
                    self.disk.remove(&path).map_err(fail)?;
                }
            }
        }
        let n = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = self.dir.join(format!("{PREFIX}{n}.tmp"));
        let volume = self.disk.create(&path, OpenSpec::PLAIN).map_err(fail)?;
        Ok(Run { disk: self.disk.clone(), path, volume, length: 0 })
    }
}

#[cold]
fn io_error(e: &taffrail_io::IoError) -> Box<SqlError> {
    match e.is_full() {
        true => SqlError::new(1101, &[&"tempdb", &"DEFAULT"]),
        false => {
            SqlError::new(823, &[&e.source, &e.op, &format_args!("{:#018x}", 0), &e.path.display()])
        }
    }
}

/// A file that goes away with it.
struct Run {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    volume: Arc<dyn Volume>,
    length: u64,
}

impl Drop for Run {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the first sort after the next start.
        let _ = self.disk.remove(&self.path);
    }
}

/// Entries in one piece of memory.
#[derive(Default)]
struct Entries {
    bytes: Vec<u8>,
    /// Start, end of the key, end of the value.
    places: Vec<(usize, usize, usize)>,
    ascending: bool,
}

impl Entries {
    fn key(&self, n: usize) -> &[u8] {
        &self.bytes[self.places[n].0..self.places[n].1]
    }

    fn value(&self, n: usize) -> &[u8] {
        &self.bytes[self.places[n].1..self.places[n].2]
    }

    fn cost(&self) -> usize {
        self.bytes.len() + self.places.len() * ENTRY_COST
    }

    fn push(&mut self, key: &[u8], value: &[u8]) {
        let first = self.places.is_empty();
        self.ascending = first || (self.ascending && key > self.key(self.places.len() - 1));
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let middle = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.places.push((start, middle, self.bytes.len()));
    }

    /// Piece by piece, then two and two of them, with a look between at whether the batch was cancelled. (The standard
    /// library's sort finds the two ascending runs of a pair and merges them.)
    fn sort(&mut self) -> SqlResult<()> {
        if self.ascending {
            return Ok(());
        }
        let bytes = &self.bytes;
        let mut length = PIECE;
        loop {
            for part in self.places.chunks_mut(length) {
                look()?;
                part.sort_by(|a, b| bytes[a.0..a.1].cmp(&bytes[b.0..b.1]));
            }
            if length >= self.places.len() {
                break;
            }
            length *= 2;
        }
        self.ascending = true;
        Ok(())
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }
}

/// Takes entries in any order.
pub(crate) struct Sorter {
    space: SortSpace,
    entries: Entries,
    runs: Vec<Run>,
}

impl Sorter {
    pub fn new(space: SortSpace) -> Sorter {
        Sorter { space, entries: Entries::default(), runs: Vec::new() }
    }

    pub fn push(&mut self, key: &[u8], value: &[u8]) -> SqlResult<()> {
        if self.entries.cost() + key.len() + value.len() > self.space.limit {
            self.spill()?;
        }
        self.entries.push(key, value);
        Ok(())
    }

    /// True while the entries came in ascending order and none is on disk.
    pub(crate) fn is_ascending(&self) -> bool {
        self.runs.is_empty() && self.entries.ascending
    }

    /// Bytes in memory.
    pub fn cost(&self) -> usize {
        self.entries.cost()
    }

    fn spill(&mut self) -> SqlResult<()> {
        if self.entries.places.is_empty() {
            return Ok(());
        }
        self.entries.sort()?;
        let mut run = self.space.create()?;
        let mut buf: Vec<u8> = Vec::with_capacity(BUFFER * 2);
        for n in 0..self.entries.places.len() {
            let (key, value) = (self.entries.key(n), self.entries.value(n));
            buf.extend_from_slice(&(key.len() as u32).to_le_bytes());
            buf.extend_from_slice(&(value.len() as u32).to_le_bytes());
            buf.extend_from_slice(key);
            buf.extend_from_slice(value);
            if buf.len() >= BUFFER {
                look()?;
                write(&mut run, &mut buf)?;
            }
        }
        write(&mut run, &mut buf)?;
        self.runs.push(run);
        self.entries.clear();
        Ok(())
    }

    /// Everything in order of the keys; equal keys next to each other, in the order in which they came.
    pub fn sorted(mut self) -> SqlResult<Sorted> {
        if self.runs.is_empty() {
            self.entries.sort()?;
            return Ok(Sorted { entries: self.entries, at: 0, merge: None });
        }
        self.spill()?;
        let mut readers = Vec::with_capacity(self.runs.len());
        let mut heap = BinaryHeap::new();
        for (n, run) in self.runs.into_iter().enumerate() {
            let mut reader = Reader { run, offset: 0, buf: Vec::new(), at: 0, value: Vec::new() };
            if let Some(key) = reader.next()? {
                heap.push(Reverse((key, n)));
            }
            readers.push(reader);
        }
        let merge = Merge { readers, heap, current: None };
        Ok(Sorted { entries: Entries::default(), at: 0, merge: Some(merge) })
    }
}

fn write(run: &mut Run, buf: &mut Vec<u8>) -> SqlResult<()> {
    let _why = taffrail_io::IoReason::Spill.begin();
    run.volume.write_at(run.length, buf).map_err(|e| io_error(&e))?;
    run.length += buf.len() as u64;
    buf.clear();
    Ok(())
}

struct Reader {
    run: Run,
    offset: u64,
    buf: Vec<u8>,
    at: usize,
    value: Vec<u8>,
}

impl Reader {
    fn fill(&mut self, need: usize) -> SqlResult<bool> {
        if self.buf.len() - self.at >= need {
            return Ok(true);
        }
        self.buf.drain(..self.at);
        self.at = 0;
        let have = self.buf.len();
        let more = (BUFFER.max(need) - have).min((self.run.length - self.offset) as usize);
        self.buf.resize(have + more, 0);
        self.run.volume.read_at(self.offset, &mut self.buf[have..]).map_err(|e| io_error(&e))?;
        self.offset += more as u64;
        Ok(self.buf.len() >= need)
    }

    /// The next key; its value is in `value`.
    fn next(&mut self) -> SqlResult<Option<Vec<u8>>> {
        if !self.fill(8)? {
            return Ok(None);
        }
        let int = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize;
        let (key, value) = (int(&self.buf[self.at..]), int(&self.buf[self.at + 4..]));
        if !self.fill(8 + key + value)? {
            return Err(crate::rowcodec::damaged("a temporary file of a sort"));
        }
        let start = self.at + 8;
        let out = self.buf[start..start + key].to_vec();
        self.value.clear();
        self.value.extend_from_slice(&self.buf[start + key..start + key + value]);
        self.at = start + key + value;
        Ok(Some(out))
    }
}

struct Merge {
    readers: Vec<Reader>,
    /// The least key of each run, and the run.
    heap: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
    current: Option<(Vec<u8>, Vec<u8>)>,
}

/// Entries in order.
pub(crate) struct Sorted {
    entries: Entries,
    at: usize,
    merge: Option<Merge>,
}

impl Sorted {
    /// The next key and value.
    pub fn next(&mut self) -> SqlResult<Option<(&[u8], &[u8])>> {
        let Some(merge) = &mut self.merge else {
            let n = self.at;
            self.at += 1;
            return Ok((n < self.entries.places.len())
                .then(|| (self.entries.key(n), self.entries.value(n))));
        };
        let Some(Reverse((key, n))) = merge.heap.pop() else { return Ok(None) };
        let reader = &mut merge.readers[n];
        let value = std::mem::take(&mut reader.value);
        if let Some(next) = reader.next()? {
            merge.heap.push(Reverse((next, n)));
        }
        let (key, value) = merge.current.insert((key, value));
        Ok(Some((key, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_io::sim::SimWorld;

    #[test]
    fn runs_are_merged_in_order() {
        let world = SimWorld::new(1);
        let disk = world.env().disk;
        disk.create_dir(Path::new("/tmp")).unwrap();
        for (count, limit) in [(0u64, 100), (50, 1 << 20), (3000, 20_000), (3000, 500)] {
            let space = SortSpace { disk: disk.clone(), dir: "/tmp".into(), limit };
            let mut sorter = Sorter::new(space);
            let mut want = Vec::new();
            for i in 0..count {
                let n = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1000;
                sorter.push(&n.to_be_bytes(), &i.to_be_bytes()).unwrap();
                want.push((n.to_be_bytes().to_vec(), i.to_be_bytes().to_vec()));
            }
            want.sort();
            let mut sorted = sorter.sorted().unwrap();
            let mut found = Vec::new();
            while let Some((k, v)) = sorted.next().unwrap() {
                found.push((k.to_vec(), v.to_vec()));
            }
            assert_eq!(found, want, "{count} entries, {limit} bytes");
            drop(sorted);
            assert!(disk.list(Path::new("/tmp")).unwrap().is_empty());
        }
    }

    #[test]
    fn a_sort_in_memory_keeps_order_and_ends_when_its_batch_is_cancelled() {
        let disk: Arc<dyn Disk> = SimWorld::new(1).env().disk;
        let filled = || {
            let space = SortSpace { disk: disk.clone(), dir: "/tmp".into(), limit: MEMORY };
            let mut sorter = Sorter::new(space);
            for i in 0..PIECE as u64 * 5 + 7 {
                let key = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 9973;
                sorter.push(&key.to_be_bytes(), &i.to_be_bytes()).unwrap();
            }
            sorter
        };
        let mut sorted = filled().sorted().unwrap();
        let mut last = Vec::new();
        let mut count = 0;
        while let Some((k, v)) = sorted.next().unwrap() {
            let entry = [k, v].concat();
            assert!(last < entry, "entry {count}");
            (last, count) = (entry, count + 1);
        }
        assert_eq!(count, PIECE * 5 + 7);
        let cell = taffrail_observe::SessionCell::new(51);
        let _in = taffrail_observe::SessionCell::enter(&cell);
        let sorter = filled();
        cell.cancel_flag().store(true, Ordering::Relaxed);
        let number = sorter.sorted().err().map(|e| e.number);
        assert_eq!(number, Some(taffrail_base::message::CANCELLED));
    }
}

//! The flush core stepped by golden scripts in `tests/flush/`. `UPDATE_GOLDEN=1` writes their output anew.
//!
//! ```text
//! close POS BYTES [FILE OFFSET]   a block is closed (default: file 0, offset = position)
//! write                           claim the next write
//! plain                           the same, of what nobody waits for
//! done N [failed]                 write N ended
//! sync POS                        begin a sync for the record at POS
//! sync                            begin one for whatever is written
//! synced N [failed]               sync N ended
//! wait NAME POS                   NAME waits for the record at POS
//! ```

use std::collections::BTreeSet;
use std::fmt::Write as _;

use taffrail_base::LogPos;
use taffrail_io::sim::SimRng;
use taffrail_log::flush::{Closed, FlushCore, Wake, WriteId};

fn number(word: Option<&&str>) -> u64 {
    word.expect("a number").parse().expect("a number")
}

fn step(core: &mut FlushCore<u64, String>, line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[0] {
        "close" => {
            let (pos, bytes) = (number(words.get(1)), number(words.get(2)));
            let file = words.get(3).map_or(0, |w| w.parse().expect("a file"));
            let offset = words.get(4).map_or(pos, |w| w.parse().expect("an offset"));
            core.push(Closed {
                pos: LogPos(pos),
                end: LogPos(pos + bytes),
                file,
                offset,
                bytes: bytes as u32,
                data: pos,
            });
            format!("ready {} bytes", core.ready_bytes())
        }
        "write" | "plain" => match core.next_write(words[0] == "plain") {
            Some(w) => format!(
                "{}write {} file {} offset {} bytes {} blocks {:?}, {} in flight",
                if w.durable { "" } else { "plain " },
                w.id.0,
                w.file,
                w.offset,
                w.bytes,
                w.data,
                core.in_flight()
            ),
            None => "nothing to write".into(),
        },
        "sync" => {
            let sync = match words.get(1) {
                None => core.next_sync_of_any(),
                pos => core.next_sync(LogPos(number(pos))),
            };
            match sync {
                Some(s) => format!("sync {} file {}, {} loose", s.id.0, s.file, core.loose_bytes()),
                None => "nothing to sync".into(),
            }
        }
        "done" | "synced" => {
            let ok = words.get(2) != Some(&"failed");
            let id = WriteId(number(words.get(1)));
            let done =
                if words[0] == "done" { core.completed(id, ok) } else { core.synced(id, ok) };
            let mut out = format!("durable {}", done.durable.0);
            let mut wakes = done.wakes;
            wakes.sort_by_key(|w| format!("{:?} {}", w.0 != Wake::Lead, w.1));
            for (wake, who) in wakes {
                write!(out, ", {who}: {wake:?}").expect("writing to a string");
            }
            out
        }
        "wait" => {
            core.wait(LogPos(number(words.get(2))), words[1].into());
            format!("{} waiting", core.waiting())
        }
        other => panic!("unknown command {other}"),
    }
}

#[test]
fn scripts() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flush");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut out = String::new();
        // At most 2 writes in flight, of at most 16 KiB, so that scripts stay short.
        let mut core = FlushCore::new(LogPos(4096), 2, 16_384);
        for line in text.lines() {
            if line.starts_with("→") {
                continue;
            }
            writeln!(out, "{line}").unwrap();
            if !line.is_empty() && !line.starts_with('#') {
                writeln!(out, "→ {}", step(&mut core, line)).unwrap();
            }
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, &out).unwrap();
            continue;
        }
        assert_eq!(out, text, "{} (UPDATE_GOLDEN=1 to accept)", file.display());
    }
}

/// Committers, a writer that writes plainly, and ends of writes and syncs in any order, beside a model of the medium.
struct Model {
    core: FlushCore<u64, u64>,
    rng: SimRng,
    next: u64,
    /// Writes in flight: name, whether durable, blocks.
    writes: Vec<(WriteId, bool, Vec<u64>)>,
    /// Syncs in flight: name, and what had been written when it began.
    syncs: Vec<(WriteId, u16, Vec<u64>)>,
    /// Written blocks that no ended sync covers, with their files.
    written: Vec<(u64, u16)>,
    medium: BTreeSet<u64>,
    pushed: Vec<(u64, u16)>,
    plain: u64,
    synced: u64,
}

impl Model {
    fn new(seed: u64) -> Model {
        Model {
            core: FlushCore::new(LogPos(4096), 1 + (seed % 4) as usize, 16_384),
            rng: SimRng::new(seed),
            next: 4096,
            writes: Vec::new(),
            syncs: Vec::new(),
            written: Vec::new(),
            medium: BTreeSet::new(),
            pushed: Vec::new(),
            plain: 0,
            synced: 0,
        }
    }

    fn file_of(&self, pos: u64) -> u16 {
        self.pushed.iter().find(|b| b.0 == pos).expect("a block").1
    }

    fn push(&mut self) {
        let pos = self.next;
        self.next += 4096;
        // Now and then the log goes on in the other file.
        let file = (pos / 40_960 % 2) as u16;
        self.pushed.push((pos, file));
        let end = LogPos(self.next);
        self.core.push(Closed { pos: LogPos(pos), end, file, offset: pos, bytes: 4096, data: pos });
    }

    fn write(&mut self, plain: bool) -> bool {
        let Some(w) = self.core.next_write(plain) else { return false };
        assert!(!(plain && w.durable));
        self.plain += u64::from(!w.durable);
        self.writes.push((w.id, w.durable, w.data));
        true
    }

    fn sync(&mut self, upto: Option<LogPos>) -> bool {
        let sync = match upto {
            Some(pos) => self.core.next_sync(pos),
            None => self.core.next_sync_of_any(),
        };
        let Some(sync) = sync else { return false };
        let covered = self.written.iter().filter(|b| b.1 == sync.file).map(|b| b.0).collect();
        self.syncs.push((sync.id, sync.file, covered));
        true
    }

    /// What a committer does until he has to wait, as the driver does it.
    fn harden(&mut self, upto: u64) {
        if upto < self.core.durable().0 {
            return;
        }
        if LogPos(upto) >= self.core.claimed_end() && self.write(false) {
            // He comes back when it has ended; until then he is as good as waiting.
            self.core.wait(LogPos(upto), upto);
            return;
        }
        self.sync(Some(LogPos(upto)));
        self.core.wait(LogPos(upto), upto);
    }

    fn end_one(&mut self) {
        let n = self.writes.len() + self.syncs.len();
        if n == 0 {
            return;
        }
        let i = self.rng.below(n as u64) as usize;
        let done = if i < self.writes.len() {
            let (id, durable, blocks) = self.writes.swap_remove(i);
            for b in blocks {
                match durable {
                    true => drop(self.medium.insert(b)),
                    false => self.written.push((b, self.file_of(b))),
                }
            }
            self.core.completed(id, true)
        } else {
            let (id, file, covered) = self.syncs.swap_remove(i - self.writes.len());
            self.synced += 1;
            self.written.retain(|b| b.1 != file || !covered.contains(&b.0));
            self.medium.extend(covered);
            self.core.synced(id, true)
        };
        for b in (4096..self.core.durable().0).step_by(4096) {
            assert!(self.medium.contains(&b), "{b} is called durable and is not on the medium");
        }
        for (wake, upto) in done.wakes {
            match wake {
                Wake::Lead => self.harden(upto),
                Wake::Durable => assert!(upto < self.core.durable().0),
                Wake::Failed => panic!("nothing failed"),
            }
        }
        let idle = self.writes.is_empty() && self.syncs.is_empty();
        assert!(
            !idle || self.core.waiting() == 0,
            "invariant 4: nothing is in flight, and somebody waits"
        );
        assert_eq!(idle, self.core.is_at_rest());
    }
}

#[test]
fn durable_is_on_the_medium_and_nobody_waits_for_ever() {
    let (mut plain, mut synced) = (0, 0);
    for seed in 0..300 {
        let mut m = Model::new(seed);
        for _ in 0..400 {
            match m.rng.below(10) {
                0..4 => m.push(),
                4 => drop(m.write(true)),
                5 if m.next > 4096 => {
                    let blocks = (m.next - 4096) / 4096;
                    let upto = 4096 * (1 + m.rng.below(blocks)) + 1;
                    m.harden(upto);
                }
                6 => drop(m.sync(None)),
                _ => m.end_one(),
            }
        }
        while !m.core.is_at_rest() {
            m.end_one();
        }
        // Whoever asks now gets everything durable.
        let last = m.next - 4096 + 1;
        while m.next > 4096 && m.core.durable().0 <= last {
            m.harden(last);
            while !m.core.is_at_rest() {
                m.end_one();
            }
        }
        (plain, synced) = (plain + m.plain, synced + m.synced);
    }
    assert!(plain > 1000 && synced > 1000, "{plain} plain writes, {synced} syncs");
}

//! The flush core stepped by golden scripts in `tests/flush/`. `UPDATE_GOLDEN=1` writes their output anew.
//!
//! ```text
//! close POS BYTES [FILE OFFSET]   a block is closed (default: file 0, offset = position)
//! write                           claim the next write
//! done N [failed]                 write N ended
//! wait NAME POS                   NAME waits for the record at POS
//! ```

use std::fmt::Write as _;

use taffrail_base::LogPos;
use taffrail_log::flush::{Closed, FlushCore, WriteId};

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
        "write" => match core.next_write() {
            Some(w) => format!(
                "write {} file {} offset {} bytes {} blocks {:?}, {} in flight",
                w.id.0,
                w.file,
                w.offset,
                w.bytes,
                w.data,
                core.in_flight()
            ),
            None => "nothing to write".into(),
        },
        "done" => {
            let ok = words.get(2) != Some(&"failed");
            let done = core.completed(WriteId(number(words.get(1))), ok);
            let mut out = format!("durable {}", done.durable.0);
            let mut wakes = done.wakes;
            wakes.sort_by_key(|w| format!("{:?} {}", w.0 != taffrail_log::flush::Wake::Lead, w.1));
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

//! Files of events and of the default trace.

use std::path::Path;

use taffrail_engine::event_files::{Files, count, sealed};
use taffrail_io::OpenSpec;
use taffrail_io::sim::SimWorld;

/// The first byte says which kind of file, and whether the others are a file or what a right block holds.
pub fn event_file(input: &[u8]) -> bool {
    let Some((&how, bytes)) = input.split_first() else { return false };
    let files = if how & 1 == 0 { Files::Events } else { Files::Trace };
    let bytes = if how & 2 == 0 { sealed(files, bytes) } else { bytes.to_vec() };
    let world = SimWorld::new(1);
    let (disk, path) = (world.env().disk, Path::new("/events"));
    let volume = disk.create(path, OpenSpec::PLAIN).expect("a new name");
    if !bytes.is_empty() {
        volume.write_at(0, &bytes).expect("a sound disk");
    }
    count(files, &*disk, path).is_some_and(|n| n > 0)
}

fn event(name: &str, xml: &str) -> Vec<u8> {
    let mut bytes = (xml.len() as u32).to_le_bytes().to_vec();
    bytes.extend(638_000_000_000_000_000_u64.to_le_bytes());
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend(xml.as_bytes());
    bytes
}

/// A row of a trace: numbers and texts by the ids of their columns.
fn row(numbers: &[(u8, i64)], texts: &[(u8, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (column, n) in numbers {
        bytes.push(*column);
        bytes.extend(n.to_le_bytes());
    }
    for (column, text) in texts {
        bytes.push(*column);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    [(bytes.len() as u32).to_le_bytes().to_vec(), bytes].concat()
}

pub fn event_file_seeds() -> Vec<Vec<u8>> {
    let one = event("checkpoint_end", "<event name=\"checkpoint_end\"/>");
    let two = [one.clone(), event("error_reported", "<event><data name=\"é\"/></event>")].concat();
    // A growth of a log, and an entry of the error log.
    let growth = row(&[(27, 93), (12, 51), (13, 1500), (14, 1 << 59), (25, 8)], &[(36, "d_log")]);
    let entry = row(&[(27, 22), (20, 10), (51, 7)], &[(1, "Something happened."), (11, "sa")]);
    let rows = [growth.clone(), entry].concat();
    let as_file = |files, contents: &[u8]| sealed(files, contents);
    let with = |how: u8, bytes: Vec<u8>| [vec![how], bytes].concat();
    vec![
        with(2, as_file(Files::Events, &two)),
        with(3, as_file(Files::Trace, &rows)),
        with(0, one),
        with(0, two),
        with(1, growth),
        with(1, rows),
    ]
}

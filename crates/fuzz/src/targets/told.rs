//! What is told of what has happened: files of events and of the default trace, changes of rows out of a log.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use taffrail_engine::event_files::{Files, count, sealed};
use taffrail_engine::logfile::{self, Data, Rows};
use taffrail_engine::{
    ColumnDesc, ConnectOptions, Instance, InstanceOptions, ResultSink, SinkResult,
};
use taffrail_io::sim::SimWorld;
use taffrail_io::{AlignedBuf, OpenSpec};
use taffrail_storage::raw;
use taffrail_types::Value;

use crate::base;
use crate::edits::{self, Image, Structures};

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

/// Nobody listens.
struct Quiet;

impl ResultSink for Quiet {
    fn columns(&mut self, _: &[ColumnDesc]) -> SinkResult {
        Ok(())
    }
    fn row(&mut self, _: &[Value]) -> SinkResult {
        Ok(())
    }
    fn message(&mut self, m: &taffrail_base::SqlError) -> SinkResult {
        assert!(m.severity <= 10, "{m}");
        Ok(())
    }
}

/// Of every kind of change that the log tells, some.
const CHANGES: [&str; 13] = [
    "CREATE DATABASE d ON (NAME = d, FILENAME = '/data/d.mdf', SIZE = 3 MB) \
     LOG ON (NAME = d_log, FILENAME = '/data/d_log.ldf', SIZE = 1 MB)",
    "ALTER DATABASE d SET RECOVERY FULL",
    "USE d",
    "CREATE TABLE t (id int NOT NULL PRIMARY KEY, name nvarchar(40) NULL, n decimal(9,2) NULL, at datetime2 NULL)",
    "CREATE INDEX by_name ON t (name)",
    "CREATE TABLE h (i int NULL, v varchar(max) NULL, b varbinary(20) NULL)",
    "INSERT t SELECT value, CONCAT('row ', value), value / 3.0, '20260101' FROM GENERATE_SERIES(1, 60)",
    "BEGIN TRAN pay; UPDATE t SET name = N'uno' WHERE id < 5; UPDATE t SET n = 7 WHERE id = 3; COMMIT",
    "BEGIN TRAN; DELETE t WHERE id > 50; ROLLBACK; DELETE t WHERE id > 55",
    "INSERT h VALUES (1, REPLICATE(CONVERT(varchar(max), 'long '), 3000), 0x0102), (2, 'short', NULL); UPDATE h SET i = 5 WHERE i = 1",
    "ALTER TABLE t ADD more int NULL",
    "UPDATE t SET more = 4 WHERE id = 2",
    "TRUNCATE TABLE h; INSERT h VALUES (9, 'after', 0x09)",
];

fn explained() -> &'static (Vec<Image>, Structures) {
    static FILES: OnceLock<(Vec<Image>, Structures)> = OnceLock::new();
    FILES.get_or_init(|| {
        let world = SimWorld::new(7);
        let env = world.env();
        env.disk.create_dir(Path::new("/data")).expect("an empty disk");
        let mut options = InstanceOptions::new("/data", env.clone());
        options.max_server_memory_mb = 16;
        let instance: Arc<Instance> = taffrail_engine::start(options).expect("a start");
        let login = ConnectOptions { login: "sa".into(), ..ConnectOptions::default() };
        let mut session = instance.connect(login).expect("a session");
        for sql in CHANGES {
            session.execute_batch(sql, &mut Quiet);
        }
        drop(session);
        instance.shutdown().expect("an orderly end");
        let paths = ["/data/d.mdf", "/data/d_log.ldf"];
        let images: Vec<Image> = paths
            .iter()
            .map(|path| {
                let volume = env.disk.open(path.as_ref(), OpenSpec::LOG).expect("its file");
                let mut bytes = AlignedBuf::zeroed(volume.len().expect("its length") as usize);
                volume.read_at(0, &mut bytes).expect("a sound disk");
                let path = path.replace("/data/", "/db/");
                Image { path, bytes: bytes.to_vec() }
            })
            .collect();
        let find: [fn(&[u8]) -> Vec<(usize, usize)>; 2] =
            [raw::page_structures, taffrail_log::raw::structures];
        let mut all = Structures::new();
        for (file, find) in find.iter().enumerate() {
            all.extend(find(&images[file].bytes).into_iter().map(|(at, len)| (file, at, len)));
        }
        (images, all)
    })
}

/// Changes of rows, read from the files of a database that nobody has open.
pub fn log_changes(input: &[u8]) -> bool {
    let (images, structures) = explained();
    let mut images = images.clone();
    if edits::apply(&mut images, structures, input) {
        raw::mend_pages(&mut images[0].bytes);
        taffrail_log::raw::mend(&mut images[1].bytes);
    }
    let mut out = Vec::new();
    let data = Data {
        env: base::world(&images).env(),
        primary: images[0].path.clone().into(),
        logs: vec![images[1].path.clone().into()],
        backups: Vec::new(),
        out: &mut out,
    };
    let rows = Rows { limit: Some(5000), json: input.len().is_multiple_of(2), ..Rows::default() };
    logfile::changes(data, &rows).is_ok() && !out.is_empty()
}

pub fn log_changes_seeds() -> Vec<Vec<u8>> {
    let structures = &explained().1;
    let mut seeds = vec![vec![0]];
    // The log's lie behind the pages.
    for n in 0..32 {
        seeds.push(edits::write(n * structures.len() / 32, 8 * n, &[n as u8; 8]));
        seeds.push(edits::write(
            structures.len() - 1 - n.min(structures.len() - 1),
            40,
            &[n as u8; 3],
        ));
    }
    seeds
}

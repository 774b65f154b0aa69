//! The lab on servers that answer as SQL Server's documentation says of 2014, 2016 SP2 and 2022.
//!
//! Between the lab and a server stands one that passes everything on, but for batches: a version tells its own name, and
//! knows no view and no statement that came later. So a script or a look that needs more than a version has is an error here.

use super::{LEFT, client, said};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use taffrail_lab::experiment::record::{Record, Verdict};
use taffrail_lab::experiment::store;
use taffrail_tds::packet::{Framer, PacketType};
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

/// A version of SQL Server.
#[derive(Clone, Copy)]
struct Version {
    name: &'static str,
    /// Text of @@VERSION.
    says: &'static str,
    /// Words that it does not know.
    lacks: &'static [&'static str],
    /// It has memory-optimised tables, and natively compiled procedures for them.
    memory: bool,
}

/// Words of Taffrail's own.
const OWN: &[&str] = &["LOG_INITIALIZATION", "LOG_VLF_ALGORITHM", "PIPELINED_COMMIT", "taffrail."];

const V2014: Version = Version {
    name: "2014",
    says: "Microsoft SQL Server 2014 (SP3) (KB4022619) - 12.0.6024.0 (X64)",
    lacks: &[
        "dm_db_log_info",
        "dm_db_log_stats",
        "dm_exec_input_buffer",
        "SCOPED CONFIGURATION",
        "IF EXISTS",
        "CREATE OR ALTER",
        "AT TIME ZONE",
        "DATEDIFF_BIG",
        "JSON_VALUE",
        "OPENJSON",
        "SESSION_CONTEXT",
        "STRING_SPLIT",
        "STRING_AGG",
        "CONCAT_WS",
        "GENERATE_SERIES",
        "GREATEST",
        " TRIM(",
        "InstanceDefaultBackupPath",
    ],
    memory: false,
};

const V2016: Version = Version {
    name: "2016 SP2",
    says: "Microsoft SQL Server 2016 (SP2) (KB4052908) - 13.0.5026.0 (X64)",
    lacks: &[
        "STRING_AGG",
        "CONCAT_WS",
        "GENERATE_SERIES",
        "GREATEST",
        " TRIM(",
        "dm_os_host_info",
        "InstanceDefaultBackupPath",
    ],
    memory: false,
};

const V2022: Version = Version {
    name: "2022",
    says: "Microsoft SQL Server 2022 (RTM) - 16.0.1000.6 (X64)",
    lacks: &[],
    memory: true,
};

/// A login that may see nothing of the server's state.
const UNSEEING: Version = Version {
    lacks: &[
        "dm_os_performance_counters",
        "dm_os_wait_stats",
        "dm_io_virtual_file_stats",
        "fn_dblog",
    ],
    ..V2022
};

/// A batch as the version hears it.
fn heard(version: Version, text: &str) -> String {
    let text = text.replace("@@VERSION", &format!("N'{}'", version.says));
    for word in OWN.iter().chain(version.lacks) {
        if text.to_uppercase().contains(&word.to_uppercase()) {
            return format!("SELECT * FROM [{word} is not there]");
        }
    }
    if version.memory { on_disk(&text) } else { text }
}

/// Statements of memory-optimised tables as a server without them carries them out: on tables of the other kind, with the atomic
/// block as a transaction.
fn on_disk(text: &str) -> String {
    if ["CONTAINS MEMORY_OPTIMIZED_DATA", "TO FILEGROUP"].iter().any(|of| text.contains(of)) {
        return "PRINT 'a filegroup'".into();
    }
    let text =
        text.replace("NONCLUSTERED", "CLUSTERED").replace("WITH (MEMORY_OPTIMIZED = ON)", "");
    let Some((create, body)) =
        text.split_once("WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER")
    else {
        return text;
    };
    let (options, statements) = body.split_once(")\n").expect("options of an atomic block");
    assert!(
        options.contains("TRANSACTION ISOLATION LEVEL") && options.contains("LANGUAGE"),
        "{options}"
    );
    let (_, durability) = options.split_once("DELAYED_DURABILITY = ").expect("a durability");
    let statements = statements.trim().strip_suffix("END").expect("an end");
    format!("{create} AS BEGIN TRAN {statements} COMMIT WITH (DELAYED_DURABILITY = {durability})")
}

/// Listens, and passes on to a server as a version would hear it; where it listens.
fn stand_between(version: Version, port: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let server = TcpStream::connect(("127.0.0.1", port)).unwrap();
            let (mut back, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut back, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            std::thread::spawn(move || {
                let _ = pass_on(version, client, &server);
                let _ = server.shutdown(Shutdown::Both);
            });
        }
    });
    at
}

/// Messages of a client to a server until one of them ends.
fn pass_on(version: Version, mut client: TcpStream, mut server: &TcpStream) -> std::io::Result<()> {
    const BATCH: u8 = 1;
    loop {
        let (mut raw, mut data) = (Vec::new(), Vec::new());
        loop {
            let mut header = [0; 8];
            client.read_exact(&mut header)?;
            let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
            let mut body = vec![0; length - header.len()];
            client.read_exact(&mut body)?;
            raw.extend_from_slice(&header);
            raw.extend_from_slice(&body);
            data.extend_from_slice(&body);
            if header[1] & 1 != 0 {
                break;
            }
        }
        if raw[0] != BATCH {
            server.write_all(&raw)?;
            continue;
        }
        // All headers, whose length stands first; then UTF-16.
        let headers = u32::from_le_bytes([data[0], data[1], data[2], data[3]]) as usize;
        let units: Vec<u16> =
            data[headers..].chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
        let text = heard(version, &String::from_utf16_lossy(&units));
        data.truncate(headers);
        data.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        let mut packets = Vec::new();
        Framer::new(PacketType::Batch).frame(&data, true, &mut packets);
        server.write_all(&packets)?;
    }
}

/// Checks a record of such a server.
fn check(version: Version, record: &Record) {
    let server = &record.plan.server;
    assert_eq!((&*server.product, &*server.version), ("SQL Server", version.says));
    for variant in &record.variants {
        let own = variant.left_out.as_deref() == Some("only Taffrail has this setting");
        let names = ["many-20", "-zero", "-sql2022", "-ahead", "pipelined"];
        assert_eq!(own, names.iter().any(|n| variant.name.contains(n)), "{}", variant.name);
    }
    let killed = record.measures.iter().filter(|m| ["restart", "loss"].contains(&&*m.name));
    for measure in killed {
        let why = measure.left_out.as_deref();
        assert_eq!(why, Some("only a server of the lab's own is killed"), "{}", measure.name);
    }
    // VLFs are counted, by the view or without it.
    let first = &record.plan.variants[0];
    let measure = &record.measures[0].name;
    let vlfs = record.figure(first, measure, "vlfs").unwrap().spread.median;
    assert!(vlfs >= 4.0, "{vlfs}");
    let without = record.left_out.iter().any(|l| l.what.contains("sys.dm_db_log_info"));
    assert_eq!(without, version.name == "2014", "{:?}", record.left_out);
    assert_eq!(record.left_out.len(), usize::from(without), "{:?}", record.left_out);
    let left_out = record.claims.iter().filter(|c| c.verdict == Verdict::LeftOut);
    let is_own = |text: &str| text.contains("killed") || text.contains("pipelined");
    assert!(left_out.clone().all(|c| is_own(&c.text)), "{}", left_out.count());
}

/// `lab run` of a version behind a port.
fn run_of(port: u16, out: &Path, words: &[&str]) -> Output {
    Command::new(binary())
        .args(["lab", "run", "--scale", "tiny", "--repeat", "1", "-N", "disable", "-S"])
        .arg(format!("127.0.0.1,{port}"))
        .arg("--out")
        .arg(out)
        .args(words)
        .env("SQLCMDPASSWORD", PASSWORD)
        .output()
        .unwrap()
}

/// Runs experiments through a version; their records. Nothing is left on the server.
fn run_through(version: Version, names: &[&str]) -> Vec<Record> {
    let dir = TempDir::new("lab-versions");
    let server = Server::start(&dir.path().join("data"), &["--console", "off"]);
    let port = stand_between(version, server.port);
    let out = dir.path().join("out");
    let run = run_of(port, &out, names);
    assert!(run.status.success(), "{}: {}", version.name, said(&run));
    assert_eq!(client(&server).query(LEFT).unwrap().text(), "");
    names.iter().map(|name| store::record(&out.join(format!("{name}-tiny"))).unwrap()).collect()
}

#[test]
fn pipelined_commit_is_asked_of_no_sql_server() {
    let dir = TempDir::new("lab-versions");
    let server = Server::start(&dir.path().join("data"), &["--console", "off"]);
    let port = stand_between(V2022, server.port);
    let refused = run_of(port, &dir.path().join("out"), &["loop", "--pipelined-commit"]);
    let told = "--pipelined-commit: only Taffrail has this setting";
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains(told), "{}", said(&refused));
}

const ARTICLES: [&str; 5] = ["vlfs", "growth", "checkpoints", "loop", "lazy"];

#[test]
fn version_2014_is_measured_without_what_it_lacks() {
    let beyond = ["tpcc", "big-transaction", "rollback", "hot-row", "group-commit", "blocking"];
    for record in run_through(V2014, &[&ARTICLES[..], &beyond].concat()) {
        check(V2014, &record);
    }
}

#[test]
fn version_2016_is_measured_without_what_it_lacks() {
    run_through(V2016, &ARTICLES).iter().for_each(|record| check(V2016, record));
}

#[test]
fn version_2022_is_measured_whole() {
    let records = run_through(V2022, &ARTICLES);
    records.iter().for_each(|record| check(V2022, record));
    let lazy = records.iter().find(|r| r.plan.experiment == "lazy").unwrap();
    let writes = |variant| lazy.figure(variant, "hundred", "log_writes").unwrap().spread.median;
    assert!(writes("atomic-delayed") < writes("atomic-durable"), "{}", writes("atomic-delayed"));
}

#[test]
fn a_login_that_sees_little_measures_durations() {
    for record in run_through(UNSEEING, &["loop", "checkpoints", "lazy"]) {
        let lazy = record.plan.experiment == "lazy";
        for view in UNSEEING.lacks.iter().filter(|view| lazy || **view != "fn_dblog") {
            assert!(record.left_out.iter().any(|l| l.why.contains(view)), "{:?}", record.left_out);
        }
        let (variant, measure) = (&record.plan.variants[0], &record.measures[0].name);
        assert!(record.figure(variant, measure, "seconds").is_some());
        assert!(record.figure(variant, measure, "log_flushes").is_none());
        assert!(record.figure(variant, measure, "records_each").is_none());
        let of_flushes = record.claims.iter().filter(|c| c.text.contains("log flush"));
        assert!(of_flushes.clone().all(|c| c.verdict == Verdict::LeftOut));
        assert!(record.plan.experiment != "loop" || of_flushes.count() == 2);
    }
}

//! The lab on servers that answer as SQL Server's documentation says of 2014, 2016 SP2 and 2022.
//!
//! Between the lab and a server stands one that passes everything on, but for batches: a version tells its own name, and
//! knows no view and no statement that came later. So a script or a look that needs more than a version has is an error here.

use super::{LEFT, client, said};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
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
}

/// Words of Taffrail's own.
const OWN: &[&str] = &["LOG_INITIALIZATION", "LOG_VLF_ALGORITHM", "taffrail."];

const VERSIONS: [Version; 3] = [
    Version {
        name: "2014",
        says: "Microsoft SQL Server 2014 (SP3) (KB4022619) - 12.0.6024.0 (X64)",
        lacks: &[
            "dm_db_log_info",
            "dm_db_log_stats",
            "SCOPED CONFIGURATION",
            "IF EXISTS",
            "CREATE OR ALTER",
            "STRING_AGG",
            "GENERATE_SERIES",
            " TRIM(",
        ],
    },
    Version {
        name: "2016 SP2",
        says: "Microsoft SQL Server 2016 (SP2) (KB4052908) - 13.0.5026.0 (X64)",
        lacks: &["STRING_AGG", "GENERATE_SERIES"],
    },
    Version {
        name: "2022",
        says: "Microsoft SQL Server 2022 (RTM) - 16.0.1000.6 (X64)",
        lacks: &[],
    },
];

/// A batch as the version hears it.
fn heard(version: Version, text: &str) -> String {
    let text = text.replace("@@VERSION", &format!("N'{}'", version.says));
    for word in OWN.iter().chain(version.lacks) {
        if text.to_uppercase().contains(&word.to_uppercase()) {
            return format!("SELECT * FROM [{word} is not there]");
        }
    }
    text
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
        let names = ["many-20", "-zero", "-sql2022", "-ahead"];
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
    assert!(left_out.clone().all(|c| c.text.contains("killed")), "{}", left_out.count());
}

#[test]
fn what_a_version_lacks_is_left_out_by_name() {
    let dir = TempDir::new("lab-versions");
    let server = Server::start(&dir.path().join("data"), &["--console", "off"]);
    for (n, version) in VERSIONS.into_iter().enumerate() {
        let port = stand_between(version, server.port);
        let out = dir.path().join(n.to_string());
        let all = ["loop", "lazy", "checkpoints", "tpcc", "vlfs", "growth"];
        // The versions differ in what is known of the log.
        let names = if n == 0 { &all[..] } else { &all[4..] };
        let run = Command::new(binary())
            .args(["lab", "run", "--scale", "tiny", "--repeat", "1", "-N", "disable", "-S"])
            .arg(format!("127.0.0.1,{port}"))
            .arg("--out")
            .arg(&out)
            .args(names)
            .env("SQLCMDPASSWORD", PASSWORD)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}: {}", version.name, said(&run));
        for name in names {
            check(version, &store::record(&out.join(format!("{name}-tiny"))).unwrap());
        }
    }
    assert_eq!(client(&server).query(LEFT).unwrap().text(), "");
}

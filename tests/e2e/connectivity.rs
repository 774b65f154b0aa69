//! Connections that end badly: what sys.dm_os_ring_buffers and an event tell of them.

use crate::life::connect;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_tests::{PASSWORD, Server, TempDir};

const RING: &str = "SELECT r.value('(//RecordType)[1]', 'varchar(30)') + ' ' + \
    r.value('(//SniConsumerError)[1]', 'varchar(30)') + ' ' + r.value('(//State)[1]', 'varchar(30)') + \
    CASE WHEN r.value('(//Spid)[1]', 'int') > 50 THEN ' session' ELSE '' END + \
    CASE WHEN r.exist('//TdsDisconnectFlags/*[text()=\"1\"]') = 1 \
        THEN ' ' + r.value('local-name((//TdsDisconnectFlags/*[text()=\"1\"])[1])', 'varchar(60)') ELSE '' END + ' ' + \
    r.value('(//RemoteHost)[1]', 'varchar(60)') AS line \
    FROM (SELECT CAST(record AS xml) AS r, timestamp FROM sys.dm_os_ring_buffers \
        WHERE ring_buffer_type = 'RING_BUFFER_CONNECTIVITY') x ORDER BY r.value('(/Record/@id)[1]', 'int')";
const TOLD: &str = "SELECT e.value('(data[@name=\"type\"]/text)[1]', 'varchar(30)') + ' ' + \
    e.value('(data[@name=\"sni_consumer_error\"]/value)[1]', 'varchar(30)') + ' ' + \
    e.value('(data[@name=\"tds_flags\"]/text)[1]', 'varchar(100)') + ' ' + \
    e.value('(data[@name=\"remote_host\"]/value)[1]', 'varchar(60)') AS line \
    FROM (SELECT CAST(t.target_data AS xml) AS data FROM sys.dm_xe_sessions s JOIN sys.dm_xe_session_targets t \
        ON t.event_session_address = s.address WHERE s.name = 'ends') d \
    CROSS APPLY data.nodes('/RingBufferTarget/event') AS n(e)";

/// A query's first column, until it has so many rows.
fn lines(c: &mut Client, sql: &str, count: usize) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let text = c.query(sql).unwrap().text();
        let all: Vec<String> = text
            .lines()
            .filter(|l| l.starts_with("Error ") || l.starts_with("ConnectionClose "))
            .map(|l| l.trim_end().to_owned())
            .collect();
        if all.len() >= count || Instant::now() > until {
            return all;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn logins_that_fail_and_sessions_that_are_killed_are_recorded() {
    let temp = TempDir::new("connectivity");
    let server = Server::start(temp.path(), &[]);
    let mut c = connect(&server, "master");
    c.run(
        "CREATE EVENT SESSION ends ON SERVER ADD EVENT sqlserver.connectivity_ring_buffer_recorded \
         ADD TARGET package0.ring_buffer; ALTER EVENT SESSION ends ON SERVER STATE = START",
    )
    .unwrap();
    // A session that ends as its client wants is nobody's business.
    drop(connect(&server, "master"));
    assert!(lines(&mut c, RING, 0).is_empty());

    let wrong = ConnectOptions {
        port: server.port,
        user: "sa".into(),
        password: format!("not {PASSWORD}"),
        ..Default::default()
    };
    assert!(Client::connect(&wrong).is_err());
    let mut victim = connect(&server, "master");
    let id = victim.query("SELECT @@SPID").unwrap().first_value();
    c.run(&format!("KILL {id}")).unwrap();
    assert!(victim.run("SELECT 1").is_err());
    assert_eq!(lines(&mut c, RING, 2).len(), 2);
    let mut stranger = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let _ = stranger.read_to_end(&mut Vec::new());
    assert_eq!(
        lines(&mut c, RING, 3),
        [
            "Error 18456 8 ErrorFoundBeforeLogin 127.0.0.1",
            "ConnectionClose 0 0 session PhysicalConnectionIsKilled 127.0.0.1",
            "Error 0 0 NetworkErrorFoundInInputStream 127.0.0.1",
        ]
    );
    assert_eq!(
        lines(&mut c, TOLD, 3),
        [
            "Error 18456 ErrorFoundBeforeLogin 127.0.0.1",
            "ConnectionClose 0 PhysicalConnectionIsKilled, SessionIsKilled 127.0.0.1",
            "Error 0 NetworkErrorFoundInInputStream, ErrorFoundBeforeLogin 127.0.0.1",
        ]
    );
    assert!(server.stop().success());
}

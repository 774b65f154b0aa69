//! `taffrail sql` where the connection breaks in the middle of a result.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

/// Bytes of a packet's header, and of a DONE token.
const HEADER: usize = 8;
const DONE: usize = 13;

/// Carries what one client and the server say, until a packet holds `last`: the DONE token behind it is cut off, and the
/// connection, too.
fn cut_behind(server: u16, last: &str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let last: Vec<u8> = last.encode_utf16().flat_map(u16::to_le_bytes).collect();
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut server = TcpStream::connect(("127.0.0.1", server)).unwrap();
        let (mut asks, mut hears) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut asks, &mut hears));
        let mut packet = vec![0; HEADER];
        while server.read_exact(&mut packet[..HEADER]).is_ok() {
            packet.resize(usize::from(u16::from_be_bytes([packet[2], packet[3]])), 0);
            server.read_exact(&mut packet[HEADER..]).unwrap();
            let breaks = packet.windows(last.len()).any(|w| w == last);
            if breaks {
                packet.truncate(packet.len() - DONE);
                let length = (packet.len() as u16).to_be_bytes();
                // Not the last packet of the answer.
                (packet[1], packet[2], packet[3]) = (0, length[0], length[1]);
            }
            client.write_all(&packet).unwrap();
            if breaks {
                break;
            }
        }
        let _ = (client.shutdown(Shutdown::Both), server.shutdown(Shutdown::Both));
    });
    port
}

#[test]
fn messages_among_rows_are_shown_when_the_connection_breaks() {
    let folder = TempDir::new("lost-connection");
    let server = Server::start(&folder.path().join("data"), &["--tls", "off"]);
    let port = cut_behind(server.port, "Divide by zero");
    let out = Command::new(binary())
        .args(["sql", "-S", &format!("127.0.0.1,{port}"), "-U", "sa", "-h", "-1", "-W"])
        .args(["-N", "disable"])
        .args(["-Q", "SELECT 12 / n FROM (VALUES (4), (0)) AS v (n) OPTION (FORCE ORDER)"])
        .env("SQLCMDPASSWORD", PASSWORD)
        .output()
        .unwrap();
    let (said, complained) =
        (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(said.starts_with("3\n"), "{said}{complained}");
    assert!(said.contains("Msg 8134, Level 16, State 1"), "{said}{complained}");
    assert!(complained.contains("the connection is lost"), "{complained}");
    assert_eq!(out.status.code(), Some(1));
}

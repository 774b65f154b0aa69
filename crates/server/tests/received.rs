//! What clients send that has no end, or is larger than there is memory for.

use crate::support;

use std::io::Write;
use std::time::Duration;
use support::{Client, start};
use taffrail_tds::PacketType;
use taffrail_tds::token::Token;

/// Packets of a message that does not end, so many MB.
fn unfinished(kind: PacketType, mb: usize) -> Vec<u8> {
    let data = [b'x', 0].repeat(4084 / 2);
    let mut packet = vec![kind as u8, 0, 0x0F, 0xFC, 0, 0, 1, 0];
    packet.extend(data);
    packet.repeat((mb << 20) / 4084)
}

fn stop(server: taffrail_server::Server) {
    server.stop();
    server.wait().unwrap();
}

/// The numbers of the errors that come before the end of the connection.
fn last_words(c: &mut Client) -> Vec<i32> {
    let tokens = c.tokens();
    let errors = tokens.iter().filter_map(|t| match t {
        Token::Message { error: true, number, .. } => Some(*number),
        _ => None,
    });
    let errors = errors.collect();
    assert!(c.receive().is_none(), "the connection goes on");
    errors
}

fn answers(c: &mut Client) -> bool {
    c.batch("SELECT 1", 0);
    c.tokens().iter().any(|t| matches!(t, Token::Row(_)))
}

/// A request has 16 MB here, all requests together 32.
#[test]
fn requests_without_an_end_are_refused_where_their_memory_ends() {
    let server = start("received", 20);
    let session = || Client::session_at(server.address());
    let mut other = session();
    // One that is too large by itself.
    let mut c = session();
    let _ = c.socket.write_all(&unfinished(PacketType::Batch, 17));
    assert_eq!(last_words(&mut c), [701]);
    // Several that are too large together.
    let mut many: Vec<Client> = (0..3).map(|_| session()).collect();
    for c in &mut many[..2] {
        c.send_bytes(&unfinished(PacketType::Batch, 14));
        // It is taken before the next one comes.
        std::thread::sleep(Duration::from_millis(300));
    }
    let _ = many[2].socket.write_all(&unfinished(PacketType::Rpc, 14));
    assert_eq!(last_words(&mut many[2]), [701]);
    // Small ones go on, and large ones as soon as the others have gone.
    assert!(answers(&mut other));
    let text = format!("SELECT LEN('{}')", "x".repeat(3 << 20));
    drop(many);
    std::thread::sleep(Duration::from_millis(500));
    for _ in 0..10 {
        other.batch(&text, 0);
        assert!(other.tokens().iter().any(|t| matches!(t, Token::Row(_))));
    }
    stop(server);
    let log = support::data("received").join("log/errorlog");
    let log = std::fs::read_to_string(log).unwrap();
    for part in ["a request of more than 16 MB", "all clients together are larger than 32 MB"] {
        assert!(log.contains(part), "{part}: {log}");
    }
}

/// A client that sends all of it before it reads hears why.
#[test]
fn a_request_that_is_too_large_is_told_so_when_it_has_ended() {
    let server = start("too-large", 10);
    let mut c = Client::session_at(server.address());
    let mut packets = unfinished(PacketType::Batch, 40);
    let last = packets.len() - 4092;
    packets[last + 1] = 1;
    c.send_bytes(&packets);
    assert_eq!(last_words(&mut c), [701]);
    stop(server);
}

/// Rows of a bulk load are read as they come; one row without an end is not.
#[test]
fn a_row_without_an_end_is_refused_where_its_memory_ends() {
    let server = start("endless-row", 10);
    let mut c = Client::session_at(server.address());
    for sql in ["CREATE TABLE ##t (a varbinary(max))", "INSERT BULK ##t ([a] varbinary(max))"] {
        c.batch(sql, 0);
        c.tokens();
    }
    // COLMETADATA of one varbinary(max) named a; a row whose value has no length, and one piece of 2 GB.
    let mut data = vec![0x81, 1, 0, 0, 0, 0, 0, 9, 0, 0xA5, 0xFF, 0xFF, 1, b'a', 0, 0xD1];
    data.extend(0xFFFF_FFFF_FFFF_FFFE_u64.to_le_bytes());
    data.extend(0x7FFF_FFFF_u32.to_le_bytes());
    let mut first = vec![PacketType::BulkLoad as u8, 0];
    first.extend((data.len() as u16 + 8).to_be_bytes());
    first.extend([0, 0, 1, 0]);
    first.extend(data);
    c.send_bytes(&first);
    let _ = c.socket.write_all(&unfinished(PacketType::BulkLoad, 17));
    assert_eq!(last_words(&mut c), [701]);
    assert!(answers(&mut Client::session_at(server.address())));
    stop(server);
}

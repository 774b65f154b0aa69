//! The least server there can be: what one client's commit costs when nothing is done but to write and to answer.
//!
//! A client's commit is more than the device's write and the wire's round trip, each measured by itself. A processor
//! that has slept through the write has to be woken, and its caches have gone cold; a round trip of `SELECT 1` and a
//! probe that writes in a circle see little of it. The bare server sees it: it receives the very same requests, makes
//! one durable 4 KiB write as the probe does, and sends the very same answers, which it has learnt from a real server:
//!
//! ```text
//! client ──request──▶ bare server ──not seen before: passed on──▶ real server
//!                         │  ◀──────────answer, kept───────────────┘
//!                         └─ seen before: one durable write (or none), the kept answer
//! ```
//!
//! It is a process of its own (`taffrail-bench bare-server FILE PORT`) with a thread that blocks in `recv`, as servers
//! are, and listens on two ports: requests to the first are written, those to the second only answered.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use taffrail_lab::device;

/// The word after which the program of the benchmark is a bare server.
pub const COMMAND: &str = "bare-server";

const BLOCK: usize = 4096;
const FILE_BYTES: u64 = 64 << 20;
/// Bytes before a packet's data; bytes 2 and 3 are its length, the lowest bit of byte 1 marks a message's last.
const HEADER: usize = 8;
const LAST: u8 = 1;
/// RPC requests are what is learnt; the login before them is passed on each time.
const RPC: u8 = 3;

/// A bare server that runs.
pub struct Bare {
    child: Child,
    /// Where each request is answered after a durable write.
    pub durable_port: u16,
    /// Where it is answered at once.
    pub wire_port: u16,
}

impl Bare {
    /// Starts one that learns from the server at `port` and writes to a file in `folder`.
    pub fn start(folder: &Path, port: u16) -> io::Result<Bare> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(COMMAND)
            .arg(folder.join("bare-server"))
            .arg(port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or_else(|| io::Error::other("no stdout"))?;
        BufReader::new(stdout).read_line(&mut line)?;
        let ports: Vec<u16> = line.split_whitespace().filter_map(|p| p.parse().ok()).collect();
        match ports[..] {
            [durable_port, wire_port] => Ok(Bare { child, durable_port, wire_port }),
            _ => Err(io::Error::other(format!("the bare server says {line:?}"))),
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // Its file goes with the folder.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bare server itself: runs until it is killed.
pub fn serve(file: &Path, real: u16) -> io::Result<()> {
    let direct = device::open(file, true).is_ok();
    let fd = device::open(file, direct)?;
    let (buffer, at) = device::aligned(1 << 20);
    for offset in (0..FILE_BYTES).step_by(1 << 20) {
        device::write_all(&fd, &buffer[at..at + (1 << 20)], offset)?;
    }
    let durable = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let wire = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("{} {}", durable.local_addr()?.port(), wire.local_addr()?.port());
    io::stdout().flush()?;
    std::thread::scope(|scope| {
        for (listener, durable) in [(durable, true), (wire, false)] {
            let fd = &fd;
            scope.spawn(move || {
                for client in listener.incoming() {
                    // A client that leaves, or that never was one, is nobody's concern.
                    let _ = client.and_then(|client| {
                        let mut n = 0;
                        let (block, at) = device::aligned(BLOCK);
                        answer(client, TcpStream::connect((Ipv4Addr::LOCALHOST, real))?, || {
                            if !durable {
                                return Ok(());
                            }
                            n = (n + BLOCK as u64) % FILE_BYTES;
                            device::write_all(fd, &block[at..at + BLOCK], n)
                        })
                    });
                }
            });
        }
    });
    Ok(())
}

/// One client to its end.
fn answer(
    mut client: TcpStream,
    mut real: TcpStream,
    mut write: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    client.set_nodelay(true)?;
    real.set_nodelay(true)?;
    let mut learnt: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let (mut request, mut response) = (Vec::new(), Vec::new());
    while message(&mut client, &mut request)? {
        if let Some(known) = learnt.get(&request) {
            write()?;
            client.write_all(known)?;
            continue;
        }
        real.write_all(&request)?;
        if !message(&mut real, &mut response)? {
            return Ok(());
        }
        client.write_all(&response)?;
        if request[0] == RPC {
            learnt.insert(request.clone(), response.clone());
        }
    }
    Ok(())
}

/// Reads a message's packets, whole; false where the stream ends.
fn message(from: &mut TcpStream, into: &mut Vec<u8>) -> io::Result<bool> {
    let mut chunk = [0; 16 << 10];
    into.clear();
    let mut packet = 0;
    loop {
        while into.len() >= packet + HEADER {
            let length = usize::from(u16::from_be_bytes([into[packet + 2], into[packet + 3]]));
            if length < HEADER {
                return Err(io::ErrorKind::InvalidData.into());
            }
            if into.len() < packet + length {
                break;
            }
            let last = into[packet + 1] & LAST != 0;
            packet += length;
            if last {
                return Ok(true);
            }
        }
        match from.read(&mut chunk)? {
            0 => return Ok(false),
            n => into.extend_from_slice(&chunk[..n]),
        }
    }
}

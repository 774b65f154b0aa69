//! What stands between a server and its object store, and goes wrong as it is told.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The fate of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// It is passed on, and so is its answer.
    Pass,
    /// It is answered here, once it has come whole.
    Answer(u16),
    /// It is answered here before its body has come, and the connection closed.
    Early(u16),
    /// The connection is closed in the middle of its body.
    CutRequest,
    /// It is answered here with 200 and nothing else, once it has come whole.
    Empty,
    /// It is passed on; the answer is another.
    Deny(u16),
    /// It is passed on; the answer is not.
    LoseAnswer,
    /// It is passed on; half of the answer's body is not.
    CutAnswer,
    /// Passed on, with a rest before each 64 KiB.
    Slow(Duration),
}

type Rule = Box<dyn FnMut(&str) -> Fault + Send>;

/// A proxy that runs.
pub struct Proxy {
    /// Where it listens on this machine.
    pub port: u16,
    rule: Arc<Mutex<Rule>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// Starts one in front of a port of this machine; it passes everything on.
    pub fn start(to: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let rule: Rule = Box::new(|_| Fault::Pass);
        let proxy = Proxy {
            port: listener.local_addr().unwrap().port(),
            rule: Arc::new(Mutex::new(rule)),
            seen: Arc::default(),
        };
        let (rule, seen) = (proxy.rule.clone(), proxy.seen.clone());
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (rule, seen) = (rule.clone(), seen.clone());
                // An end that is not orderly is what it is for.
                thread::spawn(move || while let Ok(true) = one(&client, to, &rule, &seen) {});
            }
        });
        proxy
    }

    /// From now on a request's method and target say what becomes of it. Forgets what was seen.
    pub fn rule(&self, rule: impl FnMut(&str) -> Fault + Send + 'static) {
        *self.rule.lock().unwrap() = Box::new(rule);
        self.seen.lock().unwrap().clear();
    }

    /// How many requests had all of these words in their first lines since the last rule.
    pub fn seen(&self, words: &[&str]) -> usize {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|line| words.iter().all(|word| line.contains(word))).count()
    }
}

/// A rule by which each of these words has its faults, one after the other; what has none left is passed on.
pub fn in_turn(faults: &[(&'static str, &[Fault])]) -> impl FnMut(&str) -> Fault + Send + 'static {
    let mut left: Vec<(&str, Vec<Fault>)> =
        faults.iter().map(|(word, f)| (*word, f.iter().rev().copied().collect())).collect();
    move |line| {
        let here = left.iter_mut().find(|(word, f)| line.contains(word) && !f.is_empty());
        here.and_then(|(_, f)| f.pop()).unwrap_or(Fault::Pass)
    }
}

/// Head and body of what comes, the body as far as it is to be read.
fn message(from: &mut impl Read, part: impl FnOnce(&str) -> f64) -> io::Result<(String, Vec<u8>)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        from.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
    });
    let mut body = vec![0; (length.unwrap_or(0) as f64 * part(&head)) as usize];
    from.read_exact(&mut body)?;
    Ok((head, body))
}

/// One request. True: another may follow.
fn one(
    mut client: &TcpStream,
    to: u16,
    rule: &Mutex<Rule>,
    seen: &Mutex<Vec<String>>,
) -> io::Result<bool> {
    let mut fault = Fault::Pass;
    let mut buffered = io::BufReader::with_capacity(1 << 16, client);
    let (head, body) = message(&mut buffered, |head| {
        let line = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1");
        fault = rule.lock().unwrap()(line);
        seen.lock().unwrap().push(line.to_owned());
        match fault {
            Fault::CutRequest => 0.5,
            Fault::Early(_) => 0.0,
            _ => 1.0,
        }
    })?;
    assert!(buffered.buffer().is_empty() || matches!(fault, Fault::CutRequest | Fault::Early(_)));
    if let Fault::Answer(status) | Fault::Early(status) = fault {
        let code = if status == 503 { "SlowDown" } else { "InternalError" };
        let body = format!("<Error><Code>{code}</Code><Message>Not now.</Message></Error>");
        let length = body.len();
        write!(client, "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n{body}")?;
        return Ok(matches!(fault, Fault::Answer(_)));
    }
    if fault == Fault::Empty {
        write!(client, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")?;
        return Ok(true);
    }
    if fault == Fault::CutRequest {
        return Ok(false);
    }
    let mut server = TcpStream::connect(("127.0.0.1", to))?;
    let asks_for_head = head.starts_with("HEAD ");
    let head = head.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    server.write_all(head.as_bytes())?;
    server.write_all(&body)?;
    let part = if asks_for_head { 0.0 } else { 1.0 };
    let (head, body) = message(&mut io::BufReader::new(server), |_| part)?;
    let head = head.replace("Connection: close\r\n", "");
    match fault {
        Fault::LoseAnswer => return Ok(false),
        Fault::Deny(status) => {
            write!(client, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n")?;
        }
        Fault::CutAnswer => {
            client.write_all(head.as_bytes())?;
            client.write_all(&body[..body.len() / 2])?;
            return Ok(false);
        }
        Fault::Slow(rest) => {
            client.write_all(head.as_bytes())?;
            for piece in body.chunks(64 << 10) {
                thread::sleep(rest);
                client.write_all(piece)?;
            }
        }
        _ => {
            client.write_all(head.as_bytes())?;
            client.write_all(&body)?;
        }
    }
    Ok(true)
}

//! The object store of `tests/clients/s3_store.py`, as a process.

use crate::clients::{installed, repository};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A store that runs.
pub struct Store {
    child: Child,
    ask: ChildStdin,
    hear: BufReader<ChildStdout>,
    /// Its ports: without TLS, and with it or 0.
    pub ports: (u16, u16),
    /// The key that it knows, `id:secret`.
    pub key: String,
}

impl Store {
    /// Starts one, with the certificate and key of a directory where TLS is wanted.
    pub fn start(certificate: Option<&Path>) -> Store {
        let mut command = Command::new(installed("python/bin/python"));
        command.arg(repository().join("tests/clients/s3_store.py"));
        if let Some(data) = certificate {
            command.args([data.join("server.crt"), data.join("server.key")]);
        }
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("the store starts");
        let ask = child.stdin.take().expect("piped");
        let hear = BufReader::new(child.stdout.take().expect("piped"));
        let mut store = Store { child, ask, hear, ports: (0, 0), key: String::new() };
        let line = store.line();
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, http, https, id, secret] = words[..] else { panic!("not ready: {line}") };
        store.ports = (http.parse().unwrap(), https.parse().unwrap());
        store.key = format!("{id}:{secret}");
        store
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.hear.read_line(&mut line).expect("the store answers");
        line
    }

    /// Says something to it, and hears what it says.
    pub fn say(&mut self, what: &str) -> String {
        writeln!(self.ask, "{what}").expect("the store hears");
        self.line().trim().to_owned()
    }

    /// The objects that there are, and how many uploads are open.
    pub fn list(&mut self) -> (Vec<(String, u64)>, usize) {
        let line = self.say("list");
        let mut words = line.split_whitespace();
        let uploads = words.next().unwrap().parse().unwrap();
        let object = |word: &str| {
            let (key, size) = word.rsplit_once('=').unwrap();
            (key.to_owned(), size.parse().unwrap())
        };
        (words.map(object).collect(), uploads)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

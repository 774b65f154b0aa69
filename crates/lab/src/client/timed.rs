//! A socket that can tell how long its calls took: what is left of a client's time is the client's own.

use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connected socket whose calls may be timed.
pub struct Timed {
    socket: TcpStream,
    /// Spent in reads and writes since the last [`Timed::waited`]; `None` before the first one: nobody asks.
    spent: Option<Duration>,
}

impl Timed {
    /// One that is not timed yet.
    pub fn new(socket: TcpStream) -> Timed {
        Timed { socket, spent: None }
    }

    /// The socket itself, whose calls are not timed.
    pub fn plain(&self) -> &TcpStream {
        &self.socket
    }

    /// Time spent in reads and writes since this was called last. The first call answers zero and begins to time them.
    pub fn waited(&mut self) -> Duration {
        self.spent.replace(Duration::ZERO).unwrap_or_default()
    }

    fn timed<T>(&mut self, call: impl FnOnce(&mut TcpStream) -> io::Result<T>) -> io::Result<T> {
        let Some(spent) = &mut self.spent else { return call(&mut self.socket) };
        let began = Instant::now();
        let result = call(&mut self.socket);
        *spent += began.elapsed();
        result
    }
}

impl Read for Timed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.timed(|socket| socket.read(into))
    }
}

impl Write for Timed {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.timed(|socket| socket.write(from))
    }

    // TLS hands over many records at once.
    fn write_vectored(&mut self, from: &[IoSlice<'_>]) -> io::Result<usize> {
        self.timed(|socket| socket.write_vectored(from))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn calls_are_timed_from_the_first_question_on() {
        const LATE: Duration = Duration::from_millis(30);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut near = Timed::new(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        let (mut far, _) = listener.accept().unwrap();
        far.write_all(b"ab").unwrap();
        near.read_exact(&mut [0]).unwrap();
        assert_eq!(near.waited(), Duration::ZERO);
        near.read_exact(&mut [0]).unwrap();
        let other = std::thread::spawn(move || {
            std::thread::sleep(LATE);
            far.write_all(b"c").unwrap();
        });
        near.read_exact(&mut [0]).unwrap();
        other.join().unwrap();
        assert!(near.waited() >= LATE / 2);
        assert_eq!(near.waited(), Duration::ZERO);
    }
}

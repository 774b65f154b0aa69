//! An answer read token by token as it arrives: what a person in front of a screen wants, and what large results need.

use super::transport::Transport;
use super::{Client, ClientError, Result, VERSION, changed};
use std::io;
use std::time::{Duration, Instant};
use taffrail_tds::packet::PacketType;
pub use taffrail_tds::token::{Column, DONE_COUNT, DoneKind, DoneToken, Token};
use taffrail_tds::token::{DONE_ATTENTION, DONE_MORE, TokenReader};
pub use taffrail_tds::typeinfo::{TypeInfo, Wire};
use taffrail_tds::{ProtocolError, Reader, request};

/// A token that is larger than this is not looked at again before twice as much of it has come.
const PATIENT_BYTES: usize = 256 << 10;

/// How long the server may take to acknowledge that it has stopped: it does so at once, or the network is gone.
const ACKNOWLEDGED: Duration = Duration::from_secs(5);

/// The state of such an answer.
pub(super) struct Arriving {
    tokens: TokenReader,
    /// Bytes that have come; those that are not read yet begin at `at`.
    data: Vec<u8>,
    at: usize,
    /// The message is complete.
    whole: bool,
    /// The next token is not complete in fewer bytes than these.
    wanted: usize,
    /// The last DONE of the message has been read.
    ended: bool,
}

impl Client {
    /// Sends a batch; its answer is then read with [`Client::next_token`], to its end.
    pub fn send_batch(&mut self, sql: &str) -> Result<()> {
        assert!(self.arriving.is_none(), "the answer before is read to its end");
        request::encode_batch(sql, self.transaction, VERSION, &mut self.payload);
        self.send(PacketType::Batch)?;
        self.arriving = Some(Arriving {
            tokens: TokenReader::new(VERSION),
            data: Vec::new(),
            at: 0,
            whole: false,
            wanted: 0,
            ended: false,
        });
        Ok(())
    }

    /// The next token of the answer, `None` at its end. Past the deadline it is [`io::ErrorKind::TimedOut`]:
    /// nothing is lost, the caller may go on or [`Client::cancel`].
    pub fn next_token(&mut self, deadline: Option<Instant>) -> Result<Option<Token>> {
        let Some(arriving) = &mut self.arriving else { return Ok(None) };
        let read = arriving.next(&mut self.transport, deadline);
        match &read {
            Ok(Some(Token::EnvChange { kind, data })) => {
                changed(&mut self.transaction, &mut self.packet_bytes, *kind, data)?;
            }
            Ok(None) => self.arriving = None,
            _ => {}
        }
        read
    }

    /// An answer is under way.
    pub fn is_busy(&self) -> bool {
        self.arriving.is_some()
    }

    /// Asks the server to stop what it does, and throws away what it still says. Where no acknowledgement comes, the
    /// connection is of no more use.
    pub fn cancel(&mut self) -> Result<()> {
        let Some(arriving) = &mut self.arriving else { return Ok(()) };
        // The answer may be complete already: the server then acknowledges in a message of its own.
        let mut packet = Vec::new();
        taffrail_tds::packet::Framer::new(PacketType::Attention).frame(&[], true, &mut packet);
        self.transport.write(&packet)?;
        let deadline = Instant::now() + ACKNOWLEDGED;
        loop {
            match arriving.next(&mut self.transport, Some(deadline))? {
                Some(Token::Done(done)) if done.status & DONE_ATTENTION != 0 => break,
                Some(Token::EnvChange { kind, data }) => {
                    changed(&mut self.transaction, &mut self.packet_bytes, kind, &data)?;
                }
                Some(_) => {}
                None => arriving.another(),
            }
        }
        self.arriving = None;
        Ok(())
    }
}

impl Arriving {
    fn next(
        &mut self,
        transport: &mut Transport,
        deadline: Option<Instant>,
    ) -> Result<Option<Token>> {
        loop {
            if self.data.len() - self.at >= self.wanted || self.whole {
                let mut reader = Reader::new(&self.data[self.at..]);
                match self.tokens.next(&mut reader) {
                    Ok(Some(token)) => {
                        self.at += reader.position();
                        self.wanted = 0;
                        if let Token::Done(done) = &token {
                            self.ended = done.status & DONE_MORE == 0;
                        }
                        return Ok(Some(token));
                    }
                    Ok(None) if self.whole && self.ended => return Ok(None),
                    Ok(None) | Err(ProtocolError::Truncated) if !self.whole => {
                        let have = self.data.len() - self.at;
                        self.wanted = if have < PATIENT_BYTES { have + 1 } else { have * 2 };
                    }
                    Ok(None) => {
                        let what = "the answer does not end with a final DONE";
                        return Err(ClientError::Protocol(what.into()));
                    }
                    Err(e) => return Err(e.into()),
                }
            }
            self.data.drain(..self.at);
            self.at = 0;
            transport.set_deadline(deadline)?;
            let received = transport.receive_some(&mut self.data);
            transport.set_deadline(None)?;
            self.whole = received?;
        }
    }

    /// The next message belongs to the same request.
    fn another(&mut self) {
        (self.whole, self.ended, self.wanted) = (false, false, 0);
    }
}

/// The error of [`Client::next_token`] past its deadline.
pub fn is_timeout(e: &ClientError) -> bool {
    matches!(e, ClientError::Io(e) if e.kind() == io::ErrorKind::TimedOut)
}

//! Packets: cutting messages into them, and putting them together again.
//!
//! ```text
//!   0    1      2       4     6        7      8
//!   type status length  spid  packet#  window │ data …
//!               (big-endian, header included)
//! ```
//!
//! A message is one or more packets of one type, the last marked by status 0x01. A client's message may carry the
//! request to reset the session (on its first packet), or end by saying that it is to be ignored.

use crate::error::ProtocolError;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 8;
/// Smallest packet size that may be negotiated.
pub const PACKET_BYTES_MIN: usize = 512;
/// Largest packet size that may be negotiated, and the largest packet accepted from anyone.
pub const PACKET_BYTES_MAX: usize = 32767;
/// Packet size until the login has negotiated another.
pub const PACKET_BYTES_DEFAULT: usize = 4096;

/// Status bit: last packet of the message.
pub const END_OF_MESSAGE: u8 = 0x01;
/// Status bit: forget this message (together with [`END_OF_MESSAGE`]).
pub const IGNORE: u8 = 0x02;
/// Status bit: reset the session before this request.
pub const RESET_CONNECTION: u8 = 0x08;
/// Status bit: the same, but the open transaction goes on.
pub const RESET_KEEP_TRANSACTION: u8 = 0x10;

/// The first byte of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum PacketType {
    /// A batch of SQL text.
    Batch = 0x01,
    /// One or more calls of procedures.
    Rpc = 0x03,
    /// Everything a server says.
    Response = 0x04,
    /// Cancel what is running; no data.
    Attention = 0x06,
    /// Rows of an INSERT BULK.
    BulkLoad = 0x07,
    /// A token of federated authentication.
    FedAuth = 0x08,
    /// Begin, commit, roll back, save.
    TransactionManager = 0x0E,
    /// The login message LOGIN7.
    Login7 = 0x10,
    /// Integrated authentication, further rounds.
    Sspi = 0x11,
    /// PRELOGIN, and the envelope of the TLS handshake.
    Prelogin = 0x12,
}

impl PacketType {
    /// The type of a packet's first byte.
    pub fn from_byte(byte: u8) -> Option<PacketType> {
        use PacketType::*;
        Some(match byte {
            0x01 => Batch,
            0x03 => Rpc,
            0x04 => Response,
            0x06 => Attention,
            0x07 => BulkLoad,
            0x08 => FedAuth,
            0x0E => TransactionManager,
            0x10 => Login7,
            0x11 => Sspi,
            0x12 => Prelogin,
            _ => return None,
        })
    }
}

/// The reset bits of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reset {
    /// The session goes on as it is.
    #[default]
    No,
    /// Back to the state after login; an open transaction is rolled back.
    Full,
    /// The same, but the open transaction goes on.
    KeepTransaction,
}

/// A complete message; its data is [`Assembler::data`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The type of the message.
    pub kind: PacketType,
    /// Reset bits of its first packet.
    pub reset: Reset,
    /// The sender gave it up half-way: read it, do nothing.
    pub ignored: bool,
}

/// The findings of [`Assembler::next_part`] in a bulk load message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// No complete packet waits.
    Nothing,
    /// Data was appended; more will come.
    Data,
    /// Data was appended perhaps, and the message ends here.
    End {
        /// The sender gave it up half-way.
        ignored: bool,
    },
    /// The sender broke off with an attention: the message ends here.
    Attention,
}

/// Puts messages together out of bytes as they arrive.
///
/// A bulk load message can be larger than memory. It is announced at its first packet, with no data, and handed out
/// part by part ([`Assembler::next_part`]).
///
/// Invariants: (1) `start <= input.len()`; (2) `input[start..]` holds bytes not yet looked at, beginning with a
/// packet header; (3) `data` holds the packets' data of the message under way, at most `limit` bytes; (4) while
/// `in_parts`, `under_way` is the bulk load and `next_message` is not called.
#[derive(Debug)]
pub struct Assembler {
    input: Vec<u8>,
    start: usize,
    data: Vec<u8>,
    under_way: Option<(PacketType, Reset)>,
    finished: bool,
    in_parts: bool,
    limit: usize,
    packets: u64,
}

impl Assembler {
    /// Messages of at most `limit` bytes.
    pub fn new(limit: usize) -> Assembler {
        Assembler {
            input: Vec::new(),
            start: 0,
            data: Vec::new(),
            under_way: None,
            finished: false,
            in_parts: false,
            limit,
            packets: 0,
        }
    }

    /// How many packets were taken apart since this was asked last.
    pub fn take_packets(&mut self) -> u64 {
        std::mem::take(&mut self.packets)
    }

    /// Another limit from here on.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Takes bytes as they came.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.compact();
        self.input.extend_from_slice(bytes);
    }

    /// Bytes that are kept: of the message under way or just complete, and of what waits behind it.
    pub fn kept(&self) -> usize {
        self.data.len() + self.input.len()
    }

    /// The message that [`Assembler::next_message`] returned last has been read: its data may go.
    pub fn forget(&mut self) {
        debug_assert!(self.finished);
        self.data.clear();
        self.data.shrink_to(PACKET_BYTES_MAX);
    }

    /// Bytes taken but not yet part of a message.
    pub fn buffered(&self) -> usize {
        self.input.len() - self.start
    }

    /// The next complete message, if it has arrived. Its data stays readable until the next call.
    pub fn next_message(&mut self) -> Result<Option<Message>, ProtocolError> {
        debug_assert!(!self.in_parts, "a bulk load is read to its end first");
        if self.finished {
            self.finished = false;
            self.data.clear();
            // One huge message must not keep its memory for the life of the session.
            self.data.shrink_to(PACKET_BYTES_MAX);
        }
        while let Some((header, body)) = self.peek_packet()? {
            let (kind, status) = header;
            let reset = match status & (RESET_CONNECTION | RESET_KEEP_TRANSACTION) {
                0 => Reset::No,
                RESET_CONNECTION => Reset::Full,
                RESET_KEEP_TRANSACTION => Reset::KeepTransaction,
                _ => return Err(ProtocolError::Malformed("both reset bits in one packet")),
            };
            match self.under_way {
                None => self.under_way = Some((kind, reset)),
                Some((first, _)) if first == kind => {}
                Some(_) => {
                    return Err(ProtocolError::Malformed(
                        "packet of another type inside a message",
                    ));
                }
            }
            if kind == PacketType::BulkLoad {
                (self.in_parts, self.finished) = (true, true);
                return Ok(Some(Message { kind, reset, ignored: false }));
            }
            let (from, to) = (self.start + HEADER_BYTES, self.start + HEADER_BYTES + body);
            if self.data.len() + body > self.limit {
                return Err(ProtocolError::TooLong);
            }
            self.data.extend_from_slice(&self.input[from..to]);
            self.start = to;
            self.packets += 1;
            if status & END_OF_MESSAGE != 0 {
                let (kind, reset) = self.under_way.take().expect("set above");
                self.finished = true;
                return Ok(Some(Message { kind, reset, ignored: status & IGNORE != 0 }));
            }
            if kind == PacketType::Attention {
                return Err(ProtocolError::Malformed("attention without end of message"));
            }
        }
        Ok(None)
    }

    /// The data of the message that [`Assembler::next_message`] returned last.
    pub fn data(&self) -> &[u8] {
        debug_assert!(self.finished);
        &self.data
    }

    /// The complete packets that wait of the bulk load message under way: their data is appended to `out`.
    pub fn next_part(&mut self, out: &mut Vec<u8>) -> Result<Part, ProtocolError> {
        if !self.in_parts {
            return Ok(Part::End { ignored: false });
        }
        let before = out.len();
        while let Some(((kind, status), body)) = self.peek_packet()? {
            let from = self.start + HEADER_BYTES;
            match kind {
                PacketType::BulkLoad => out.extend_from_slice(&self.input[from..from + body]),
                PacketType::Attention => {}
                _ => {
                    return Err(ProtocolError::Malformed(
                        "packet of another type inside a message",
                    ));
                }
            }
            self.start = from + body;
            self.packets += 1;
            if kind == PacketType::Attention || status & END_OF_MESSAGE != 0 {
                (self.in_parts, self.under_way) = (false, None);
                return Ok(match kind {
                    PacketType::Attention => Part::Attention,
                    _ => Part::End { ignored: status & IGNORE != 0 },
                });
            }
        }
        Ok(if out.len() > before { Part::Data } else { Part::Nothing })
    }

    /// True if the bytes that wait, as far as they are complete packets, begin with an attention; takes it.
    ///
    /// Used while a request runs: nothing but an attention may follow it, so nothing else is taken.
    pub fn take_attention(&mut self) -> Result<bool, ProtocolError> {
        if self.under_way.is_some() {
            return Ok(false);
        }
        match self.peek_packet()? {
            Some(((PacketType::Attention, _), body)) => {
                self.start += HEADER_BYTES + body;
                self.packets += 1;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The first packet that waits, if all of it is here: type, status, bytes of data.
    #[allow(clippy::type_complexity)]
    fn peek_packet(&self) -> Result<Option<((PacketType, u8), usize)>, ProtocolError> {
        let waiting = &self.input[self.start..];
        if waiting.len() < HEADER_BYTES {
            // A wrong first byte is told at once: what follows may never come.
            return match waiting.first() {
                Some(&b) if PacketType::from_byte(b).is_none() => {
                    Err(ProtocolError::Malformed("unknown packet type"))
                }
                _ => Ok(None),
            };
        }
        let kind = PacketType::from_byte(waiting[0])
            .ok_or(ProtocolError::Malformed("unknown packet type"))?;
        let length = u16::from_be_bytes([waiting[2], waiting[3]]) as usize;
        if !(HEADER_BYTES..=PACKET_BYTES_MAX).contains(&length) {
            return Err(ProtocolError::Malformed("packet length"));
        }
        if waiting.len() < length {
            return Ok(None);
        }
        Ok(Some(((kind, waiting[1]), length - HEADER_BYTES)))
    }

    /// Drops the bytes that are done with, if that is cheap.
    fn compact(&mut self) {
        if self.start == self.input.len() {
            self.input.clear();
            self.start = 0;
        } else if self.start > PACKET_BYTES_MAX {
            self.input.drain(..self.start);
            self.start = 0;
        }
        if self.input.len() < PACKET_BYTES_MAX {
            self.input.shrink_to(4 * PACKET_BYTES_MAX);
        }
    }
}

/// Cuts a message into packets.
#[derive(Clone, Debug)]
pub struct Framer {
    kind: PacketType,
    packet_bytes: usize,
    spid: u16,
    number: u8,
    packets: u64,
}

impl Framer {
    /// Packets of the default size.
    pub fn new(kind: PacketType) -> Framer {
        Framer { kind, packet_bytes: PACKET_BYTES_DEFAULT, spid: 0, number: 1, packets: 0 }
    }

    /// How many packets were made since this was asked last.
    pub fn take_packets(&mut self) -> u64 {
        std::mem::take(&mut self.packets)
    }

    /// The negotiated size, from the next packet on.
    pub fn set_packet_bytes(&mut self, bytes: usize) {
        assert!((PACKET_BYTES_MIN..=PACKET_BYTES_MAX).contains(&bytes));
        self.packet_bytes = bytes;
    }

    /// The size in force.
    pub fn packet_bytes(&self) -> usize {
        self.packet_bytes
    }

    /// The session id that the headers carry.
    pub fn set_spid(&mut self, spid: u16) {
        self.spid = spid;
    }

    /// Appends to `out` the packets of `data` that can go now and returns how many bytes of `data` they hold.
    ///
    /// With `last` that is all of it, and the message ends there. Otherwise only full packets go, and never the last
    /// byte: it must stay for the packet that ends the message.
    pub fn frame(&mut self, data: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
        self.frame_with(data, last, 0, out)
    }

    /// As [`Self::frame`], with status bits (a reset) on the first packet.
    pub fn frame_with(&mut self, data: &[u8], last: bool, status: u8, out: &mut Vec<u8>) -> usize {
        let room = self.packet_bytes - HEADER_BYTES;
        let mut status = status;
        let mut at = 0;
        while data.len() - at > room {
            self.packet(&data[at..at + room], status, out);
            status = 0;
            at += room;
        }
        if last {
            self.packet(&data[at..], status | END_OF_MESSAGE, out);
            at = data.len();
            self.number = 1;
        }
        at
    }

    /// Appends all of `data` as packets that do not end the message, the last of them perhaps short: for what must
    /// reach the client now although more will follow.
    pub fn flush(&mut self, data: &[u8], out: &mut Vec<u8>) {
        for chunk in data.chunks(self.packet_bytes - HEADER_BYTES) {
            self.packet(chunk, 0, out);
        }
    }

    fn packet(&mut self, data: &[u8], status: u8, out: &mut Vec<u8>) {
        let length = (data.len() + HEADER_BYTES) as u16;
        let [l1, l0] = length.to_be_bytes();
        let [s1, s0] = self.spid.to_be_bytes();
        out.extend_from_slice(&[self.kind as u8, status, l1, l0, s1, s0, self.number, 0]);
        out.extend_from_slice(data);
        self.number = self.number.wrapping_add(1);
        self.packets += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_survives_any_cut() {
        let data: Vec<u8> = (0..5000u32).map(|i| i as u8).collect();
        let mut framer = Framer::new(PacketType::Batch);
        framer.set_packet_bytes(512);
        let mut wire = Vec::new();
        framer.frame_with(&data, true, RESET_CONNECTION, &mut wire);
        assert_eq!(wire.len(), 5000 + 8 * 5000usize.div_ceil(504));
        for step in [1, 7, 511, 512, 513, 9999] {
            let mut assembler = Assembler::new(5000);
            let mut seen = None;
            for chunk in wire.chunks(step) {
                assert!(seen.is_none());
                assembler.feed(chunk);
                seen = assembler.next_message().unwrap();
            }
            let want = Message { kind: PacketType::Batch, reset: Reset::Full, ignored: false };
            assert_eq!(seen, Some(want));
            assert_eq!(assembler.data(), &data[..]);
        }
    }

    #[test]
    fn a_stream_is_cut_without_its_last_byte() {
        let mut framer = Framer::new(PacketType::Response);
        framer.set_packet_bytes(512);
        let mut wire = Vec::new();
        assert_eq!(framer.frame(&[0; 504], false, &mut wire), 0);
        assert_eq!(framer.frame(&[0; 505], false, &mut wire), 504);
        assert_eq!(framer.frame(&[0; 1], true, &mut wire), 1);
        assert_eq!(wire.len(), 512 + 9);
        assert_eq!(wire[512 + 1], END_OF_MESSAGE);
    }

    #[test]
    fn limits_hold() {
        let mut wire = Vec::new();
        Framer::new(PacketType::Batch).frame(&[0; 101], true, &mut wire);
        let mut assembler = Assembler::new(100);
        assembler.feed(&wire);
        assert_eq!(assembler.next_message(), Err(ProtocolError::TooLong));

        for bad in [
            &[0x16u8][..],
            &[1, 1, 0, 7, 0, 0, 0, 0],
            &[1, 0x19, 0, 8, 0, 0, 0, 0],
            &[1, 1, 0xff, 0xff, 0, 0, 0, 0],
        ] {
            let mut assembler = Assembler::new(100);
            assembler.feed(bad);
            assert!(
                matches!(assembler.next_message(), Err(ProtocolError::Malformed(_))),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn a_bulk_load_is_handed_out_in_parts() {
        let mut framer = Framer::new(PacketType::BulkLoad);
        framer.set_packet_bytes(512);
        let (data, mut wire) = (vec![7; 5000], Vec::new());
        framer.frame(&data, true, &mut wire);
        wire.extend([6, 1, 0, 8, 0, 0, 0, 0]);
        // The limit is not for messages that are not kept.
        let mut assembler = Assembler::new(100);
        let (mut got, mut announced, mut parts) = (Vec::new(), false, Vec::new());
        for chunk in wire.chunks(100) {
            assembler.feed(chunk);
            if !announced {
                let Some(message) = assembler.next_message().unwrap() else { continue };
                assert_eq!((message.kind, assembler.data()), (PacketType::BulkLoad, &[][..]));
                announced = true;
            }
            if parts.last() != Some(&Part::End { ignored: false }) {
                assert_eq!(assembler.take_attention(), Ok(false));
                parts.push(assembler.next_part(&mut got).unwrap());
            }
        }
        assert_eq!(got, data);
        assert_eq!(parts.last(), Some(&Part::End { ignored: false }));
        assert_eq!(assembler.take_attention(), Ok(true));

        let mut assembler = Assembler::new(100);
        assembler.feed(&wire[..512]);
        assembler.feed(&[6, 1, 0, 8, 0, 0, 0, 0]);
        assert!(assembler.next_message().unwrap().is_some());
        assert_eq!(assembler.next_part(&mut Vec::new()), Ok(Part::Attention));
        assembler.feed(&wire[..512]);
        assembler.feed(&[1, 1, 0, 8, 0, 0, 0, 0]);
        assert!(assembler.next_message().unwrap().is_some());
        assert!(matches!(assembler.next_part(&mut Vec::new()), Err(ProtocolError::Malformed(_))));
    }

    #[test]
    fn an_attention_is_taken_alone() {
        let mut assembler = Assembler::new(100);
        assembler.feed(&[6, 1, 0, 8, 0, 0]);
        assert_eq!(assembler.take_attention(), Ok(false));
        assembler.feed(&[0, 0]);
        assert_eq!(assembler.take_attention(), Ok(true));
        assert_eq!(assembler.take_attention(), Ok(false));
        assembler.feed(&[1, 1, 0, 8, 0, 0, 0, 0]);
        assert_eq!(assembler.take_attention(), Ok(false));
        assert_eq!(assembler.next_message().unwrap().unwrap().kind, PacketType::Batch);
    }
}

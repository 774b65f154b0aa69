//! What a session says to its client: a [`ResultSink`] that encodes tokens, cuts packets and sends them.
//!
//! 1. At most [`BATCH_BYTES`] and one row wait here: a full buffer is sent before the engine goes on, and sending
//!    blocks while the client does not read. That is the back-pressure; memory does not grow with the result.
//! 2. The last DONE must lack the "more" bit, and only the end of the request tells which one it is: one DONE is
//!    always held back (`held`).
//! 3. A long run of messages behind a result is cut by DONE tokens ([`MESSAGES_IN_A_ROW`]).
//! 4. No packet leaves before all commits that the session depends on are durable ([`Output::pass`], the one gate). Once some
//!    of them are lost nothing but that is said, and only where nothing of the answer has left: its last token may have left in part.
//! 5. After an error of the socket nothing is sent any more and the engine hears [`ClientGone`].

use crate::channel::Channel;
use std::sync::Arc;
use taffrail_base::SqlError;
use taffrail_engine::{
    ClientGone, ColumnDesc, Command, CursorTables, Done, DoneKind, EnvChange, Large, Promises,
    ResultSink, ReturnValue, SinkResult,
};
use taffrail_observe::totals;
use taffrail_tds::packet::HEADER_BYTES;
use taffrail_tds::token::encode::CursorColumn;
use taffrail_tds::token::{self, ColumnSpec, DoneToken, MessageToken, RowEncoder, encode};
use taffrail_tds::{Framer, PacketType, TdsVersion};
use taffrail_types::{Collation, Value};

/// Bytes gathered for one write once a result has proved to be long.
const BATCH_BYTES: usize = 32 * 1024;
/// A result is long from here on; before, every full packet goes at once, so that the first rows come early.
const LONG_BYTES: usize = 64 * 1024;

/// So many messages at most follow one another without a DONE once the answer had a result.
///
/// go-mssqldb's message queue holds 15. Behind a result its reader waits for the next columns or DONE before it takes
/// another message, so a longer run (`SELECT 1; DBCC CHECKDB`, PRINT under NOCOUNT) would stop it for ever, and sqlcmd
/// with it. A DONE without a count is nothing to every client.
const MESSAGES_IN_A_ROW: usize = 8;

const PLAIN_DONE: DoneToken =
    DoneToken { kind: token::DoneKind::Statement, status: 0, command: 0, rows: 0 };

pub(crate) struct Output {
    channel: Arc<Channel>,
    framer: Framer,
    version: TdsVersion,
    server_name: Arc<str>,
    /// The server's, for character columns and parameters that name none.
    collation: [u8; 5],
    tokens: Vec<u8>,
    packets: Vec<u8>,
    held: Option<DoneToken>,
    rows: RowEncoder,
    /// Another call of the same message follows the one that runs.
    more_calls: bool,
    sent: usize,
    /// Something of this answer is not merely a change of the environment: until then nothing is sent.
    said: bool,
    /// Messages since the last DONE, once the answer has had a result.
    run: Option<usize>,
    gone: bool,
    /// Something of severity 20 or more was said, or could not be said.
    fatal: Option<Box<SqlError>>,
    /// A part of the answer has left.
    left: bool,
    /// The commits that the session depends on; none before the login.
    promises: Option<Arc<Promises>>,
}

impl Output {
    pub(crate) fn new(channel: Arc<Channel>, server_name: Arc<str>) -> Output {
        Output {
            channel,
            framer: Framer::new(PacketType::Response),
            version: TdsVersion::default(),
            server_name,
            collation: Collation::default().tds(),
            tokens: Vec::new(),
            packets: Vec::new(),
            held: None,
            rows: RowEncoder::default(),
            more_calls: false,
            sent: 0,
            said: false,
            run: None,
            gone: false,
            fatal: None,
            left: false,
            promises: None,
        }
    }

    /// From now on nothing leaves before what the session depends on is durable.
    pub(crate) fn set_promises(&mut self, promises: Arc<Promises>) {
        self.promises = Some(promises);
    }

    pub(crate) fn set_version(&mut self, version: TdsVersion) {
        self.version = version;
    }

    pub(crate) fn version(&self) -> TdsVersion {
        self.version
    }

    pub(crate) fn set_spid(&mut self, spid: u16) {
        self.framer.set_spid(spid);
    }

    pub(crate) fn set_packet_bytes(&mut self, bytes: usize) {
        self.framer.set_packet_bytes(bytes);
    }

    /// Whether another call of the same message follows the one that runs.
    pub(crate) fn set_more_calls(&mut self, more: bool) {
        self.more_calls = more;
    }

    /// Something was said, or could not be said, after which the connection cannot go on.
    pub(crate) fn is_fatal(&self) -> bool {
        self.fatal.is_some()
    }

    /// The error that ends the connection, if one does; once.
    pub(crate) fn take_fatal(&mut self) -> Option<Box<SqlError>> {
        self.fatal.take()
    }

    /// Room for tokens that are written directly, after what is held back.
    pub(crate) fn tokens(&mut self) -> &mut Vec<u8> {
        self.settle();
        &mut self.tokens
    }

    /// Ends the answer: the held DONE without "more", and the last packet.
    pub(crate) fn finish(&mut self) -> SinkResult {
        match self.held.take() {
            Some(held) if held.kind != token::DoneKind::InProcedure => {
                encode::done(&mut self.tokens, &held, self.version);
            }
            // A DONEINPROC never ends an answer.
            held => {
                self.held = held;
                self.settle();
                encode::done(&mut self.tokens, &PLAIN_DONE, self.version);
            }
        }
        self.send(true)
    }

    /// Acknowledges an attention: a message of its own after the answer that it cut short.
    ///
    /// Clients discard everything up to the acknowledgement. All of them know it as a separate message, since that is
    /// what they get when the answer was complete before the attention arrived; tedious knows no other form.
    pub(crate) fn acknowledge_attention(&mut self) -> SinkResult {
        let done = DoneToken { status: token::DONE_ATTENTION, ..PLAIN_DONE };
        encode::done(&mut self.tokens, &done, self.version);
        self.send(true)
    }

    /// Ends the answer with the tokens that are there.
    pub(crate) fn end_raw(&mut self) -> SinkResult {
        self.settle();
        self.send(true)
    }

    /// Writes the held DONE: something follows it.
    fn settle(&mut self) {
        if let Some(mut held) = self.held.take() {
            held.status |= token::DONE_MORE;
            encode::done(&mut self.tokens, &held, self.version);
            self.run = self.run.map(|_| 0);
        }
    }

    /// Counts a message, and cuts a run that is too long for a client's queue.
    fn cut_run(&mut self) {
        let Some(run) = &mut self.run else { return };
        *run += 1;
        if *run > MESSAGES_IN_A_ROW {
            *run = 1;
            let done = DoneToken { status: token::DONE_MORE, ..PLAIN_DONE };
            encode::done(&mut self.tokens, &done, self.version);
        }
    }

    /// Sends what is full.
    #[inline]
    fn drain(&mut self) -> SinkResult {
        let packet = self.framer.packet_bytes() - HEADER_BYTES;
        let enough = if self.sent < LONG_BYTES { packet } else { packet.max(BATCH_BYTES) };
        if self.tokens.len() > enough { self.send(false) } else { self.alive() }
    }

    fn alive(&self) -> SinkResult {
        if self.gone { Err(ClientGone) } else { Ok(()) }
    }

    /// Lets what is to be sent pass when the commits that the session depends on are durable.
    #[inline]
    fn pass(&mut self) -> SinkResult {
        match self.promises.as_ref().map(|p| p.pass()) {
            Some(Err(e)) => self.shut(e),
            _ => Ok(()),
        }
    }

    /// Commits that the session depends on are lost: its client hears of that alone, and the connection ends.
    #[cold]
    fn shut(&mut self, e: Box<SqlError>) -> SinkResult {
        self.alive()?;
        self.promises = None;
        self.held = None;
        self.tokens.clear();
        self.framer.take_packets();
        if !self.left {
            let error =
                Done { kind: DoneKind::Statement, command: Command::NONE, rows: None, error: true };
            self.message(&e).and_then(|()| self.done(error)).and_then(|()| self.finish())?;
        }
        self.fatal = Some(e);
        self.gone = true;
        Err(ClientGone)
    }

    fn send(&mut self, last: bool) -> SinkResult {
        self.packets.clear();
        let taken = self.framer.frame(&self.tokens, last, &mut self.packets);
        self.tokens.drain(..taken);
        if last {
            self.sent = 0;
            self.said = false;
            self.run = None;
            // One row of a gigabyte must not keep its memory for the life of the session.
            self.tokens.shrink_to(2 * BATCH_BYTES);
            self.packets.shrink_to(2 * BATCH_BYTES);
        } else {
            self.sent += taken;
        }
        self.transmit(last)
    }

    /// Everything that leaves passes here. `last`: the answer ends with it.
    fn transmit(&mut self, last: bool) -> SinkResult {
        self.alive()?;
        if self.packets.is_empty() {
            return Ok(());
        }
        self.pass()?;
        totals::PACKETS_SENT.add(self.framer.take_packets());
        if self.channel.send(&self.packets).is_err() {
            totals::PACKET_ERRORS.inc();
            self.gone = true;
        }
        self.left = !last;
        if let Some(promises) = self.promises.as_ref().filter(|_| last) {
            promises.answered();
        }
        self.alive()
    }

    /// A value that does not fit its column is a fault of the engine: the connection ends, the reason is logged.
    fn misfit(&mut self, e: taffrail_tds::EncodeError) -> SinkResult {
        let now = crate::clock::Stamp::local(std::time::SystemTime::now()).errorlog();
        let mut error = SqlError::new(21, &[&0, &now]);
        self.message(&error)?;
        error.message.push_str(&format!(" A result could not be encoded: {e}."));
        self.fatal = Some(error);
        Err(ClientGone)
    }
}

impl ResultSink for Output {
    fn is_gated(&self) -> bool {
        self.promises.is_some()
    }

    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.settle();
        self.said = true;
        self.run = Some(0);
        let specs: Vec<ColumnSpec<'_>> = columns
            .iter()
            .map(|c| ColumnSpec {
                name: &c.name,
                ty: c.ty,
                collation: c.collation.map_or(self.collation, Collation::tds),
                nullable: c.nullable,
                identity: c.identity,
                computed: c.computed,
                large: match c.large {
                    Large::Plain => taffrail_tds::Large::Plain,
                    Large::Xml => taffrail_tds::Large::Xml,
                    Large::Old => taffrail_tds::Large::Old,
                },
                user_type: c.user_type.unsigned_abs(),
            })
            .collect();
        encode::columns(&mut self.tokens, &specs, self.version);
        self.rows = RowEncoder::new(&specs, self.version);
        self.drain()
    }

    fn cursor_columns(&mut self, columns: &[ColumnDesc], tables: &CursorTables) -> SinkResult {
        self.columns(columns)?;
        let shown = |(at, c): (usize, &ColumnDesc)| {
            let (table, base) = tables.columns.get(at).cloned().unwrap_or_default();
            CursorColumn { computed: c.computed, table, base }
        };
        let columns: Vec<CursorColumn> = columns.iter().enumerate().map(shown).collect();
        encode::cursor_columns(&mut self.tokens, &tables.tables, &columns);
        self.drain()
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        match self.rows.row(&mut self.tokens, values) {
            Ok(()) => self.drain(),
            Err(e) => self.misfit(e),
        }
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        self.settle();
        self.said = true;
        self.cut_run();
        let server_name = self.server_name.clone();
        encode::message(
            &mut self.tokens,
            &MessageToken {
                number: message.number,
                state: message.state,
                class: message.severity,
                text: &message.message,
                server: &server_name,
                procedure: message.procedure.as_deref().unwrap_or_default(),
                line: message.line,
            },
            self.version,
        );
        if message.severity >= 20 {
            self.fatal = Some(Box::new(message.clone()));
        }
        self.drain()
    }

    fn done(&mut self, done: Done) -> SinkResult {
        self.settle();
        self.said = true;
        let mut status = 0;
        if done.error {
            status |= token::DONE_ERROR;
            if self.is_fatal() {
                status |= token::DONE_SERVER_ERROR;
            }
        }
        if done.rows.is_some() {
            status |= token::DONE_COUNT;
        }
        let kind = match done.kind {
            DoneKind::Statement => token::DoneKind::Statement,
            DoneKind::InProcedure => token::DoneKind::InProcedure,
            DoneKind::Procedure => token::DoneKind::Procedure,
        };
        if kind == token::DoneKind::Procedure && self.more_calls {
            status |= token::DONE_RPC_IN_BATCH;
        }
        let rows = done.rows.unwrap_or(0);
        self.held = Some(DoneToken { kind, status, command: done.command.0, rows });
        self.drain()
    }

    fn return_status(&mut self, status: i32) -> SinkResult {
        encode::return_status(self.tokens(), status);
        self.drain()
    }

    fn return_value(&mut self, v: ReturnValue) -> SinkResult {
        self.settle();
        let (collation, version) = (self.collation, self.version);
        let tokens = &mut self.tokens;
        match encode::return_value(tokens, v.ordinal, &v.name, v.ty, collation, &v.value, version) {
            Ok(()) => self.drain(),
            Err(e) => self.misfit(e),
        }
    }

    fn env_change(&mut self, change: EnvChange) -> SinkResult {
        let change = match &change {
            EnvChange::Database { new, old } => encode::EnvChange::Database(new, old),
            EnvChange::Language { new, old } => encode::EnvChange::Language(new, old),
            EnvChange::Collation(collation) => {
                self.collation = collation.tds();
                encode::EnvChange::Collation(self.collation)
            }
            EnvChange::BeginTransaction(d) => encode::EnvChange::BeginTransaction(*d),
            EnvChange::CommitTransaction(d) => encode::EnvChange::CommitTransaction(*d),
            EnvChange::RollbackTransaction(d) => encode::EnvChange::RollbackTransaction(*d),
            EnvChange::ResetAck => encode::EnvChange::ResetAck,
        };
        encode::env_change(self.tokens(), &change);
        self.drain()
    }

    fn order(&mut self, columns: &[u16]) -> SinkResult {
        encode::order(self.tokens(), columns);
        self.drain()
    }

    fn flush(&mut self) -> SinkResult {
        // After a pooled reset a client would take its acknowledgement for the beginning of the answer.
        if !self.said {
            return self.alive();
        }
        self.packets.clear();
        self.framer.flush(&self.tokens, &mut self.packets);
        self.tokens.clear();
        self.transmit(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::{TcpListener, TcpStream};
    use taffrail_engine::Command;
    use taffrail_tds::token::{DONE_COUNT, DONE_MORE, DONE_RPC_IN_BATCH, Token, TokenReader};
    use taffrail_tds::{Assembler, Reader};

    fn output() -> (Output, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (socket, peer) = listener.accept().unwrap();
        let channel = Arc::new(Channel::new(socket, peer).unwrap());
        (Output::new(channel, "S".into()), client)
    }

    fn message(client: &mut TcpStream, assembler: &mut Assembler) -> Vec<Token> {
        let mut buffer = [0; 4096];
        while assembler.next_message().unwrap().is_none() {
            let n = client.read(&mut buffer).unwrap();
            assembler.feed(&buffer[..n]);
        }
        let (mut reader, mut tokens) = (TokenReader::default(), Vec::new());
        let mut r = Reader::new(assembler.data());
        while let Some(token) = reader.next(&mut r).unwrap() {
            tokens.push(token);
        }
        tokens
    }

    fn statuses(tokens: &[Token]) -> Vec<u16> {
        let status = |t: &Token| if let Token::Done(d) = t { Some(d.status) } else { None };
        tokens.iter().filter_map(status).collect()
    }

    fn done(kind: DoneKind, rows: Option<u64>) -> Done {
        Done { kind, command: Command::OTHER, rows, error: false }
    }

    #[test]
    fn only_the_last_done_lacks_more() {
        let (mut output, mut client) = output();
        let mut assembler = Assembler::new(1 << 20);
        for _ in 0..2 {
            output.done(done(DoneKind::Statement, Some(3))).unwrap();
        }
        output.message(&SqlError::new(208, &[&"x"])).unwrap();
        output.done(done(DoneKind::Statement, None)).unwrap();
        output.finish().unwrap();
        let more = DONE_MORE | DONE_COUNT;
        assert_eq!(statuses(&message(&mut client, &mut assembler)), [more, more, 0]);
        // Nothing but declarations: the answer still ends.
        output.finish().unwrap();
        assert_eq!(statuses(&message(&mut client, &mut assembler)), [0]);
        // A DONEINPROC is not an end.
        output.done(done(DoneKind::InProcedure, None)).unwrap();
        output.finish().unwrap();
        assert_eq!(statuses(&message(&mut client, &mut assembler)), [DONE_MORE, 0]);
    }

    #[test]
    fn a_long_run_of_messages_behind_a_result_is_cut() {
        let (mut output, mut client) = output();
        let mut assembler = Assembler::new(1 << 20);
        let mut run = |output: &mut Output, n: usize| {
            for _ in 0..n {
                output.message(&SqlError::new(208, &[&"x"])).unwrap();
            }
            output.done(done(DoneKind::Statement, None)).unwrap();
            output.finish().unwrap();
            statuses(&message(&mut client, &mut assembler))
        };
        assert_eq!(run(&mut output, 100), [0], "no result came before");
        for (n, cuts) in [(8, 0), (9, 1), (16, 1), (17, 2)] {
            output.columns(&[]).unwrap();
            output.done(done(DoneKind::Statement, Some(1))).unwrap();
            let dones = run(&mut output, n);
            assert_eq!(dones.len(), cuts + 2, "{n} messages: {dones:?}");
        }
        assert_eq!(run(&mut output, 100), [0], "the next answer begins anew");
    }

    #[test]
    fn calls_of_one_message_are_told_apart() {
        let (mut output, mut client) = output();
        output.set_more_calls(true);
        output.done(done(DoneKind::Procedure, None)).unwrap();
        output.set_more_calls(false);
        output.done(done(DoneKind::Procedure, None)).unwrap();
        output.finish().unwrap();
        let tokens = message(&mut client, &mut Assembler::new(1 << 20));
        assert_eq!(statuses(&tokens), [DONE_MORE | DONE_RPC_IN_BATCH, 0]);
    }

    #[test]
    fn a_long_result_leaves_in_pieces() {
        let (mut output, mut client) = output();
        let reader = std::thread::spawn(move || message(&mut client, &mut Assembler::new(1 << 30)));
        let ty = taffrail_types::SqlType::VarChar(taffrail_types::MaxLen::N(1000));
        output.columns(&[ColumnDesc::new("v", ty)]).unwrap();
        let row = [Value::VarChar([b'x'; 1000][..].into())];
        let mut most = 0;
        for _ in 0..2000 {
            output.row(&row).unwrap();
            most = most.max(output.tokens.len());
        }
        output.done(done(DoneKind::Statement, Some(2000))).unwrap();
        output.finish().unwrap();
        assert!(most <= BATCH_BYTES + 1003, "{most} bytes waited");
        let tokens = reader.join().unwrap();
        assert_eq!(tokens.iter().filter(|t| matches!(t, Token::Row(_))).count(), 2000);
    }

    #[test]
    fn flush_sends_no_change_of_the_environment_alone() {
        let (mut output, mut client) = output();
        output.env_change(EnvChange::ResetAck).unwrap();
        output.flush().unwrap();
        client.set_nonblocking(true).unwrap();
        let nothing = client.read(&mut [0; 8]).unwrap_err();
        assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
        client.set_nonblocking(false).unwrap();
        output.done(done(DoneKind::Statement, None)).unwrap();
        output.finish().unwrap();
        let tokens = message(&mut client, &mut Assembler::new(1 << 20));
        assert!(matches!(tokens[0], Token::EnvChange { .. }), "{tokens:?}");
        assert_eq!(statuses(&tokens), [0]);
    }

    #[test]
    fn flush_sends_what_is_there() {
        let (mut output, mut client) = output();
        let text = SqlError::new(208, &[&"now"]);
        output.message(&text).unwrap();
        output.flush().unwrap();
        let mut buffer = [0; 4096];
        let n = client.read(&mut buffer).unwrap();
        // One packet that does not end the message.
        assert_eq!((buffer[1], u16::from_be_bytes([buffer[2], buffer[3]]) as usize), (0, n));
    }

    #[test]
    fn a_client_that_has_gone_stops_the_result() {
        let (mut output, client) = output();
        drop(client);
        let ty = taffrail_types::SqlType::VarChar(taffrail_types::MaxLen::N(1000));
        output.columns(&[ColumnDesc::new("v", ty)]).unwrap();
        let row = [Value::VarChar([b'x'; 1000][..].into())];
        assert!((0..100_000).any(|_| output.row(&row).is_err()));
    }
}

//! Connections that never became sessions, or ended otherwise than their clients wanted: RING_BUFFER_CONNECTIVITY of
//! sys.dm_os_ring_buffers, and an event.

use crate::instance::Instance;
use std::net::SocketAddr;
use taffrail_observe::xe::{Event, Val, tell, wanted};

/// What a record is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectivityKind {
    /// A login that failed.
    Error = 0,
    /// The server has closed the connection.
    ConnectionClose = 1,
}

/// Why a connection has ended, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DisconnectFlags(pub u8);

impl DisconnectFlags {
    /// The server has ended it.
    pub const KILLED: DisconnectFlags = DisconnectFlags(1 | 16);
    /// Nothing came any more.
    pub const READ_ERROR: DisconnectFlags = DisconnectFlags(2);
    /// What came was no TDS.
    pub const BAD_STREAM: DisconnectFlags = DisconnectFlags(4);
    /// It was no session yet.
    pub const BEFORE_LOGIN: DisconnectFlags = DisconnectFlags(8);

    /// Both.
    pub const fn and(self, other: DisconnectFlags) -> DisconnectFlags {
        DisconnectFlags(self.0 | other.0)
    }
}

/// A record.
#[derive(Clone, Copy, Debug)]
pub struct Connectivity {
    /// What it is about.
    pub kind: ConnectivityKind,
    /// Whose it was; 0: there was no session.
    pub session: u16,
    /// The number and state of the message that the client got, if it got one.
    pub error: (i32, u8),
    /// Why.
    pub flags: DisconnectFlags,
    /// The server's end.
    pub local: Option<SocketAddr>,
    /// The client's end.
    pub remote: SocketAddr,
    /// From its beginning to the end of a login that failed, ms.
    pub login_ms: u32,
}

impl Instance {
    /// Keeps a record, and tells of it.
    pub fn note_connectivity(&self, record: Connectivity) {
        let ms = self.options().env.clock.monotonic().as_millis() as u64;
        let utc = self.options().env.clock.now_utc();
        let id = self.rings().connections.push((ms, utc, record));
        if wanted(Event::ConnectivityRingBufferRecorded) {
            tell_record(id, ms, &record);
        }
    }
}

#[cold]
fn tell_record(id: u64, ms: u64, r: &Connectivity) {
    const TDS: u8 = 1;
    let port = |a: Option<SocketAddr>| a.map_or(0, |a| a.port());
    let host = |a: Option<SocketAddr>| a.map_or(Val::Empty, |a| Val::text(&host(a)));
    let mut fields: Vec<Val> = vec![
        id.into(),
        ms.into(),
        (r.kind as u8).into(),
        TDS.into(),
        r.session.into(),
        0.into(),
        0.into(),
        r.error.0.into(),
        r.error.1.into(),
        port(r.local).into(),
        r.remote.port().into(),
        host(r.local),
        host(Some(r.remote)),
        0.into(),
        0.into(),
        0.into(),
        r.flags.0.into(),
        r.login_ms.into(),
    ];
    // Where that time went is not measured; and a connection's number is its session's.
    let all = Event::ConnectivityRingBufferRecorded.info().fields.len();
    fields.resize(all, Val::Empty);
    tell(Event::ConnectivityRingBufferRecorded, &fields);
}

/// An address as records have it.
pub(crate) fn host(of: SocketAddr) -> String {
    of.ip().to_canonical().to_string()
}

impl Connectivity {
    /// Its text in sys.dm_os_ring_buffers.
    pub fn record(&self, id: u64, ms: u64, time: &str) -> String {
        let kind = match self.kind {
            ConnectivityKind::Error => "Error",
            ConnectivityKind::ConnectionClose => "ConnectionClose",
        };
        let flag = |bit: u8| u8::from(self.flags.0 & bit != 0);
        let local = self.local.map_or_else(String::new, host);
        format!(
            "<Record id=\"{id}\" type=\"RING_BUFFER_CONNECTIVITY\" time=\"{ms}\"><ConnectivityTraceRecord>\
             <RecordType>{kind}</RecordType><RecordSource>Tds</RecordSource><Spid>{}</Spid>\
             <SniProvider>7</SniProvider><OSError>0</OSError><SniConsumerError>{}</SniConsumerError>\
             <State>{}</State><RemoteHost>{}</RemoteHost><RemotePort>{}</RemotePort>\
             <LocalHost>{local}</LocalHost><LocalPort>{}</LocalPort><RecordTime>{time}</RecordTime>\
             <TdsDisconnectFlags>\
             <PhysicalConnectionIsKilled>{}</PhysicalConnectionIsKilled>\
             <DisconnectDueToReadError>{}</DisconnectDueToReadError>\
             <NetworkErrorFoundInInputStream>{}</NetworkErrorFoundInInputStream>\
             <ErrorFoundBeforeLogin>{}</ErrorFoundBeforeLogin><SessionIsKilled>{}</SessionIsKilled>\
             <NormalDisconnect>0</NormalDisconnect></TdsDisconnectFlags>\
             <LoginTimers><TotalLoginTimeInMilliseconds>{}</TotalLoginTimeInMilliseconds></LoginTimers>\
             </ConnectivityTraceRecord></Record>",
            self.session,
            self.error.0,
            self.error.1,
            host(self.remote),
            self.remote.port(),
            self.local.map_or(0, |a| a.port()),
            flag(1),
            flag(2),
            flag(4),
            flag(8),
            flag(16),
            self.login_ms,
        )
    }
}

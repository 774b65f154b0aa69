//! The beginning of TLS on a channel.

use super::{Channel, ChannelError, PRE_AUTH_MESSAGE_MAX, Result};
use rustix::net::RecvFlags;
use rustls::{ServerConfig, ServerConnection};
use std::sync::Arc;
use taffrail_tds::{Framer, PacketType, ProtocolError};

/// Messages that a TLS handshake may take.
const HANDSHAKE_MESSAGES_MAX: usize = 16;

impl Channel {
    /// The handshake of TDS 7.x: TLS records as data of PRELOGIN packets, both ways.
    pub(crate) fn handshake_in_packets(&self, config: Arc<ServerConfig>) -> Result<()> {
        let tls_error = |e: rustls::Error| ChannelError::Tls(e.to_string());
        let mut tls = Box::new(ServerConnection::new(config).map_err(tls_error)?);
        tls.set_buffer_limit(None);
        let mut framer = Framer::new(PacketType::Prelogin);
        for _ in 0..HANDSHAKE_MESSAGES_MAX {
            let result = {
                let mut input = self.input.lock();
                let message = self.wait_for_message(&mut input)?;
                if message.kind != PacketType::Prelogin {
                    return Err(
                        ProtocolError::Malformed("TLS handshake outside PRELOGIN packets").into()
                    );
                }
                let mut records = input.assembler.data();
                let mut result = Ok(());
                while !records.is_empty() && result.is_ok() {
                    tls.read_tls(&mut records)?;
                    result = tls.process_new_packets().map(|_| ());
                }
                result
            };
            let (mut records, mut packets) = (Vec::new(), Vec::new());
            while tls.wants_write() {
                tls.write_tls(&mut records)?;
            }
            if !records.is_empty() {
                framer.frame(&records, true, &mut packets);
                self.write_socket(&packets)?;
            }
            result.map_err(tls_error)?;
            if !tls.is_handshaking() {
                let mut input = self.input.lock();
                if input.assembler.buffered() > 0 {
                    return Err(ProtocolError::Malformed(
                        "data before the end of the TLS handshake",
                    )
                    .into());
                }
                input.tls = Some(tls);
                return Ok(());
            }
        }
        Err(ChannelError::Tls("too many messages".into()))
    }

    /// The handshake of TDS 8.0: TLS records on the bare socket.
    pub(crate) fn handshake_on_socket(&self, config: Arc<ServerConfig>) -> Result<()> {
        let mut tls =
            Box::new(ServerConnection::new(config).map_err(|e| ChannelError::Tls(e.to_string()))?);
        tls.set_buffer_limit(None);
        let mut input = self.input.lock();
        input.tls = Some(tls);
        let mut reads = 0;
        loop {
            self.arm_deadline()?;
            let result = self.receive(&mut input, RecvFlags::empty());
            let tls = input.tls.as_mut().expect("set above");
            let mut records = Vec::new();
            while tls.wants_write() {
                tls.write_tls(&mut records)?;
            }
            self.write_socket(&records)?;
            result?;
            if !tls.is_handshaking() {
                return Ok(());
            }
            reads += 1;
            if reads > PRE_AUTH_MESSAGE_MAX / 64 {
                return Err(ChannelError::Tls("too many pieces".into()));
            }
        }
    }
}

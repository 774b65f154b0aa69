//! PRELOGIN: the first words of both sides: versions, encryption, instance, MARS.
//!
//! ```text
//!   token u8 · offset u16 BE · length u16 BE     repeated, then 0xFF, then the data the offsets point at
//! ```

use crate::error::ProtocolError;
use crate::reader::Reader;

/// The values of the option ENCRYPTION.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Encryption {
    /// Available; only the login is encrypted.
    Off = 0,
    /// Encryption of everything is wanted.
    On = 1,
    /// Encryption is not available.
    NotSupported = 2,
    /// Encryption of everything is demanded.
    Required = 3,
    /// TLS came first (TDS 8.0): nothing is left to negotiate.
    Strict = 4,
}

/// The server's wish for encryption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EncryptionPolicy {
    /// Clients decide; at least the login is encrypted if the client can.
    Optional,
    /// Everything is encrypted, or the connection ends.
    Required,
    /// No TLS at all.
    Off,
}

/// The use of TLS that both sides follow after PRELOGIN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Negotiated {
    /// No TLS: all is clear text.
    Clear,
    /// TLS until LOGIN7 has been read.
    LoginOnly,
    /// TLS for the whole connection.
    Full,
    /// The two do not fit; the answer is sent and the connection ends.
    Refused,
}

/// The server's answer and what follows from it.
pub fn negotiate(client: Encryption, policy: EncryptionPolicy) -> (Encryption, Negotiated) {
    use Encryption::*;
    use EncryptionPolicy as P;
    match (client, policy) {
        (Off, P::Optional) => (Off, Negotiated::LoginOnly),
        // Strict without TLS around it: such a client wants encryption in any case.
        (On | Required | Strict, P::Optional | P::Required) => (On, Negotiated::Full),
        (NotSupported, P::Optional) => (NotSupported, Negotiated::Clear),
        (Off, P::Required) => (Required, Negotiated::Full),
        (NotSupported, P::Required) => (Required, Negotiated::Refused),
        (Off | NotSupported, P::Off) => (NotSupported, Negotiated::Clear),
        (On | Required | Strict, P::Off) => (NotSupported, Negotiated::Refused),
    }
}

/// A PRELOGIN message of either side. Options that nobody here acts upon (trace id, nonce) are skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prelogin {
    /// The version: major, minor, build.
    pub version: (u8, u8, u16),
    /// The ENCRYPTION option; absent is OFF.
    pub encryption: Encryption,
    /// Instance name asked for; from a server: empty if it matches.
    pub instance: String,
    /// The number of the client's thread.
    pub thread_id: u32,
    /// Multiple active result sets.
    pub mars: bool,
    /// The client can negotiate federated authentication (absent: None).
    pub fed_auth: Option<u8>,
}

impl Default for Prelogin {
    fn default() -> Self {
        Prelogin {
            version: (0, 0, 0),
            encryption: Encryption::Off,
            instance: String::new(),
            thread_id: 0,
            mars: false,
            fed_auth: None,
        }
    }
}

const VERSION: u8 = 0;
const ENCRYPTION: u8 = 1;
const INSTOPT: u8 = 2;
const THREADID: u8 = 3;
const MARS: u8 = 4;
const FEDAUTHREQUIRED: u8 = 6;
const TERMINATOR: u8 = 0xFF;

impl Prelogin {
    /// Reads a message's data.
    pub fn decode(data: &[u8]) -> Result<Prelogin, ProtocolError> {
        let mut r = Reader::new(data);
        let mut prelogin = Prelogin::default();
        let mut first = true;
        loop {
            let token = r.u8()?;
            if token == TERMINATOR {
                break;
            }
            let (offset, length) = (r.u16_be()? as usize, r.u16_be()? as usize);
            let value = data.get(offset..offset + length).ok_or(ProtocolError::Truncated)?;
            let mut v = Reader::new(value);
            if first != (token == VERSION) {
                return Err(ProtocolError::Malformed("PRELOGIN must begin with its one VERSION"));
            }
            first = false;
            match token {
                VERSION => prelogin.version = (v.u8()?, v.u8()?, v.u16_be()?),
                ENCRYPTION => {
                    prelogin.encryption = match v.u8()? & 0x7F {
                        0 => Encryption::Off,
                        1 => Encryption::On,
                        2 => Encryption::NotSupported,
                        3 => Encryption::Required,
                        4 => Encryption::Strict,
                        _ => return Err(ProtocolError::Malformed("PRELOGIN encryption")),
                    }
                }
                INSTOPT => {
                    let name = value.split(|&b| b == 0).next().unwrap_or_default();
                    prelogin.instance = String::from_utf8_lossy(name).into_owned();
                }
                THREADID if length >= 4 => prelogin.thread_id = v.u32()?,
                MARS if length >= 1 => prelogin.mars = v.u8()? == 1,
                FEDAUTHREQUIRED if length >= 1 => prelogin.fed_auth = Some(v.u8()?),
                _ => {}
            }
        }
        if first {
            return Err(ProtocolError::Malformed("PRELOGIN without VERSION"));
        }
        Ok(prelogin)
    }

    /// Appends the message's data. A server's thread id is empty, its instance option one zero byte.
    pub fn encode(&self, server: bool, out: &mut Vec<u8>) {
        let (major, minor, build) = self.version;
        let [b1, b0] = build.to_be_bytes();
        let mut instance = self.instance.as_bytes().to_vec();
        instance.push(0);
        let thread = if server { Vec::new() } else { self.thread_id.to_le_bytes().to_vec() };
        let mut options = vec![
            (VERSION, vec![major, minor, b1, b0, 0, 0]),
            (ENCRYPTION, vec![self.encryption as u8]),
            (INSTOPT, instance),
            (THREADID, thread),
            (MARS, vec![self.mars as u8]),
        ];
        if let Some(fed_auth) = self.fed_auth {
            options.push((FEDAUTHREQUIRED, vec![fed_auth]));
        }
        let mut offset = options.len() * 5 + 1;
        for (token, value) in &options {
            out.push(*token);
            out.extend_from_slice(&(offset as u16).to_be_bytes());
            out.extend_from_slice(&(value.len() as u16).to_be_bytes());
            offset += value.len();
        }
        out.push(TERMINATOR);
        for (_, value) in &options {
            out.extend_from_slice(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_truncation() {
        let prelogin = Prelogin {
            version: (16, 0, 1000),
            encryption: Encryption::On,
            instance: "MSSQLServer".into(),
            thread_id: 77,
            mars: true,
            fed_auth: Some(1),
        };
        let mut data = Vec::new();
        prelogin.encode(false, &mut data);
        assert_eq!(Prelogin::decode(&data), Ok(prelogin));
        for n in 0..data.len() {
            assert!(Prelogin::decode(&data[..n]).is_err(), "{n} bytes");
        }
    }

    #[test]
    fn the_table_of_answers() {
        use Encryption::*;
        use EncryptionPolicy as P;
        let answers = |p| [Off, On, NotSupported, Required].map(|c| negotiate(c, p).0 as u8);
        assert_eq!(answers(P::Optional), [0, 1, 2, 1]);
        assert_eq!(answers(P::Required), [3, 1, 3, 1]);
        assert_eq!(answers(P::Off), [2, 2, 2, 2]);
    }
}

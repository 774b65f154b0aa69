//! LOGIN7: who connects, with what, to which database.
//!
//! ```text
//!   0 length · 4 version · 8 packet size · 12 client program version · 16 process id · 20 connection id
//!  24 flags1 flags2 type-flags flags3 · 28 time zone · 32 LCID
//!  36 (offset u16, length u16): host user password application server extension library language database
//!  72 client id[6] · 78 SSPI · 82 attach-file · 86 new password (from 7.2) · 90 SSPI long length (from 7.2) · data
//! ```
//!
//! Offsets count from the start of the message, lengths are UTF-16 units (bytes for SSPI and the extension). The
//! password is masked, not encrypted: each byte has its halves swapped and is then combined with 0xA5.

use crate::error::ProtocolError;
use crate::reader::{Reader, put_utf16, utf16};

/// A feature in the FeatureExt block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feature {
    /// 0x0A UTF-8 support, 0x01 session recovery …
    pub id: u8,
    /// The feature's data, in the client's form.
    pub data: Vec<u8>,
}

/// The number of the feature UTF8_SUPPORT.
pub const FEATURE_UTF8: u8 = 0x0A;

/// LOGIN7 as the server needs it and a client fills it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Login7 {
    /// The version DWORD as sent.
    pub tds_version: u32,
    /// Packet size asked for; 0 leaves it to the server.
    pub packet_size: u32,
    /// The client program's version.
    pub client_prog_version: u32,
    /// The number of the client's process.
    pub client_pid: u32,
    /// The byte OptionFlags1 as sent.
    pub flags1: u8,
    /// The byte OptionFlags2 as sent.
    pub flags2: u8,
    /// The byte TypeFlags as sent.
    pub type_flags: u8,
    /// The byte OptionFlags3 as sent.
    pub flags3: u8,
    /// The client's time zone, minutes from UTC.
    pub time_zone: i32,
    /// The client's locale (LCID).
    pub lcid: u32,
    /// The name of the client's machine.
    pub host_name: String,
    /// The name of the login.
    pub user_name: String,
    /// The password, no longer masked.
    pub password: String,
    /// The name of the application.
    pub app_name: String,
    /// Server as the client calls it.
    pub server_name: String,
    /// The name of the client's library.
    pub library_name: String,
    /// The language that is asked for; empty is the login's.
    pub language: String,
    /// The database that is asked for; empty is the login's.
    pub database: String,
    /// Network address of the client, by tradition.
    pub client_id: [u8; 6],
    /// The path of a database file to attach.
    pub attach_file: String,
    /// New password, if the password is to change.
    pub new_password: String,
    /// Integrated authentication: the first token.
    pub sspi: Vec<u8>,
    /// The extensions that the client asks for, in order.
    pub features: Vec<Feature>,
}

impl std::fmt::Debug for Login7 {
    /// Shows the login without its passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login7")
            .field("tds_version", &format_args!("{:#010x}", self.tds_version))
            .field("packet_size", &self.packet_size)
            .field("user_name", &self.user_name)
            .field("app_name", &self.app_name)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

const NAME_UNITS_MAX: usize = 128;
const ATTACH_UNITS_MAX: usize = 260;
const FEATURE_END: u8 = 0xFF;
const FLAG3_EXTENSION: u8 = 0x10;

impl Login7 {
    /// ODBC or OLE DB: the session starts with ANSI defaults.
    pub fn wants_ansi_defaults(&self) -> bool {
        self.flags2 & 0x02 != 0 || self.type_flags & 0x10 != 0
    }

    /// The named database must open for the login to succeed (fDatabase); else the session begins in the login's own.
    pub fn needs_database(&self) -> bool {
        self.flags1 & 0x40 != 0
    }

    /// Integrated authentication asked for.
    pub fn is_integrated(&self) -> bool {
        self.flags2 & 0x80 != 0
    }

    /// A password change is asked for.
    pub fn changes_password(&self) -> bool {
        self.flags3 & 0x01 != 0
    }

    /// The application only reads.
    pub fn is_read_only(&self) -> bool {
        self.type_flags & 0x20 != 0
    }

    /// Whether the client asked for a feature.
    pub fn asks_for(&self, feature: u8) -> bool {
        self.features.iter().any(|f| f.id == feature)
    }

    /// Reads a message's data.
    pub fn decode(data: &[u8]) -> Result<Login7, ProtocolError> {
        let mut r = Reader::new(data);
        let length = r.u32()? as usize;
        if length > data.len() || length < 86 {
            return Err(ProtocolError::Malformed("LOGIN7 length"));
        }
        let message = &data[..length];
        let mut login = Login7 {
            tds_version: r.u32()?,
            packet_size: r.u32()?,
            client_prog_version: r.u32()?,
            client_pid: r.u32()?,
            ..Login7::default()
        };
        r.u32()?; // connection id
        [login.flags1, login.flags2, login.type_flags, login.flags3] = r.array()?;
        login.time_zone = r.i32()?;
        login.lcid = r.u32()?;

        let wide = crate::TdsVersion::negotiate(login.tds_version).is_some_and(|v| v.is_wide());
        if wide && length < 94 {
            return Err(ProtocolError::Malformed("LOGIN7 length"));
        }
        let mut pair = || pair_of(&mut r);
        let slice = |(at, bytes): (usize, usize)| -> Result<&[u8], ProtocolError> {
            if bytes == 0 {
                return Ok(&[]);
            }
            message.get(at..at + bytes).ok_or(ProtocolError::Malformed("LOGIN7 offset"))
        };
        let text = |(at, units): (usize, usize), max: usize| -> Result<&[u8], ProtocolError> {
            if units > max {
                return Err(ProtocolError::Malformed("LOGIN7 name too long"));
            }
            slice((at, units * 2))
        };
        login.host_name = utf16(text(pair()?, NAME_UNITS_MAX)?);
        login.user_name = utf16(text(pair()?, NAME_UNITS_MAX)?);
        login.password = unmask(text(pair()?, NAME_UNITS_MAX)?);
        login.app_name = utf16(text(pair()?, NAME_UNITS_MAX)?);
        login.server_name = utf16(text(pair()?, NAME_UNITS_MAX)?);
        let extension = pair()?;
        login.library_name = utf16(text(pair()?, NAME_UNITS_MAX)?);
        login.language = utf16(text(pair()?, NAME_UNITS_MAX)?);
        login.database = utf16(text(pair()?, NAME_UNITS_MAX)?);
        login.client_id = Reader::new(&message[72..78]).array()?;

        let mut r = Reader::new(&message[78..]);
        let mut pair = || pair_of(&mut r);
        let mut sspi = pair()?;
        login.attach_file = utf16(text(pair()?, ATTACH_UNITS_MAX)?);
        if wide {
            login.new_password = unmask(text(pair()?, NAME_UNITS_MAX)?);
            let long = r.u32()? as usize;
            if sspi.1 == 0xFFFF && long > 0 {
                sspi.1 = long;
            }
        }
        if sspi.1 > message.len() {
            return Err(ProtocolError::Malformed("LOGIN7 offset"));
        }
        login.sspi = slice(sspi)?.to_vec();
        if login.flags3 & FLAG3_EXTENSION != 0 && wide {
            let at = Reader::new(slice((extension.0, 4))?).u32()? as usize;
            login.features = features(message.get(at..).ok_or(ProtocolError::Truncated)?)?;
        }
        Ok(login)
    }

    /// Appends the message's data in the layout of 7.2 and later.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let put = |out: &mut Vec<u8>, v: u32| out.extend_from_slice(&v.to_le_bytes());
        put(out, 0);
        put(out, self.tds_version);
        put(out, self.packet_size);
        put(out, self.client_prog_version);
        put(out, self.client_pid);
        put(out, 0);
        let extension = if self.features.is_empty() { 0 } else { FLAG3_EXTENSION };
        out.extend_from_slice(&[
            self.flags1,
            self.flags2,
            self.type_flags,
            self.flags3 | extension,
        ]);
        put(out, self.time_zone as u32);
        put(out, self.lcid);

        const FIXED: usize = 94;
        let mut data = Vec::new();
        let put_pair = |out: &mut Vec<u8>, at: usize, count: usize| {
            out.extend_from_slice(&((FIXED + at) as u16).to_le_bytes());
            out.extend_from_slice(&(count as u16).to_le_bytes());
        };
        let put_text = |out: &mut Vec<u8>, data: &mut Vec<u8>, text: &str, masked: bool| {
            let at = data.len();
            let units = put_utf16(data, text);
            if masked {
                data[at..].iter_mut().for_each(|b| *b = b.rotate_left(4) ^ 0xA5);
            }
            put_pair(out, at, units);
        };
        put_text(out, &mut data, &self.host_name, false);
        put_text(out, &mut data, &self.user_name, false);
        put_text(out, &mut data, &self.password, true);
        put_text(out, &mut data, &self.app_name, false);
        put_text(out, &mut data, &self.server_name, false);
        let extension_at = data.len();
        if self.features.is_empty() {
            put_pair(out, extension_at, 0);
        } else {
            put_pair(out, extension_at, 4);
            data.extend_from_slice(&[0; 4]);
        }
        put_text(out, &mut data, &self.library_name, false);
        put_text(out, &mut data, &self.language, false);
        put_text(out, &mut data, &self.database, false);
        out.extend_from_slice(&self.client_id);
        put_pair(out, data.len(), self.sspi.len());
        data.extend_from_slice(&self.sspi);
        put_text(out, &mut data, &self.attach_file, false);
        put_text(out, &mut data, &self.new_password, true);
        put(out, 0);
        if !self.features.is_empty() {
            let at = (FIXED + data.len()) as u32;
            data[extension_at..extension_at + 4].copy_from_slice(&at.to_le_bytes());
            for feature in &self.features {
                data.push(feature.id);
                data.extend_from_slice(&(feature.data.len() as u32).to_le_bytes());
                data.extend_from_slice(&feature.data);
            }
            data.push(FEATURE_END);
        }
        debug_assert_eq!(out.len() - start, FIXED);
        out.extend_from_slice(&data);
        let length = (out.len() - start) as u32;
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }
}

/// An offset and a length of the fixed part.
fn pair_of(r: &mut Reader<'_>) -> Result<(usize, usize), ProtocolError> {
    Ok((r.u16()? as usize, r.u16()? as usize))
}

fn unmask(bytes: &[u8]) -> String {
    let clear: Vec<u8> = bytes.iter().map(|b| (b ^ 0xA5).rotate_left(4)).collect();
    utf16(&clear)
}

fn features(block: &[u8]) -> Result<Vec<Feature>, ProtocolError> {
    let mut r = Reader::new(block);
    let mut features = Vec::new();
    loop {
        let id = r.u8()?;
        if id == FEATURE_END {
            return Ok(features);
        }
        let length = r.u32()? as usize;
        features.push(Feature { id, data: r.bytes(length)?.to_vec() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login() -> Login7 {
        Login7 {
            tds_version: 0x7400_0004,
            packet_size: 8000,
            client_pid: 42,
            flags1: 0xE0,
            flags2: 0x03,
            lcid: 0x409,
            host_name: "box".into(),
            user_name: "sa".into(),
            password: "Pä55wörd".into(),
            app_name: "app".into(),
            library_name: "lib".into(),
            database: "lab".into(),
            new_password: "neu".into(),
            features: vec![
                Feature { id: FEATURE_UTF8, data: vec![1] },
                Feature { id: 1, data: vec![] },
            ],
            ..Login7::default()
        }
    }

    #[test]
    fn round_trip() {
        let mut data = Vec::new();
        login().encode(&mut data);
        let read = Login7::decode(&data).unwrap();
        let mut want = login();
        want.flags3 |= FLAG3_EXTENSION;
        assert_eq!(read, want);
        assert!(read.wants_ansi_defaults() && read.asks_for(FEATURE_UTF8));
        assert!(!format!("{read:?}").contains("55w"));
    }

    #[test]
    fn broken_logins_are_errors() {
        let mut data = Vec::new();
        login().encode(&mut data);
        for n in 0..data.len() {
            assert!(Login7::decode(&data[..n]).is_err(), "{n} bytes");
        }
        for at in 36..94 {
            let mut broken = data.clone();
            broken[at] = 0xFF;
            let _ = Login7::decode(&broken);
        }
    }

    #[test]
    fn the_layout_of_7_1_is_eight_bytes_shorter() {
        let mut data = vec![0u8; 86];
        data[0] = 86 + 4;
        data[4..8].copy_from_slice(&0x7100_0001u32.to_le_bytes());
        data[40..44].copy_from_slice(&[86, 0, 2, 0]); // user name at 86, two units
        data.extend_from_slice(&[b's', 0, b'a', 0]);
        assert_eq!(Login7::decode(&data).unwrap().user_name, "sa");
    }
}

//! Requests without parameters: ALL_HEADERS, SQL batches, transaction manager requests.

use crate::error::ProtocolError;
use crate::reader::{Reader, put_utf16, utf16};
use crate::version::TdsVersion;

type Result<T> = std::result::Result<T, ProtocolError>;

/// ALL_HEADERS: the stream headers that batches, RPCs and transaction requests begin with from 7.2 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllHeaders {
    /// The descriptor of the last ENVCHANGE "begin", 0 in autocommit.
    pub transaction: u64,
    /// Requests under way on this connection, this one included.
    pub outstanding: u32,
}

const HEADER_TRANSACTION: u16 = 2;

impl AllHeaders {
    /// Reads the headers, if the version has them.
    pub fn decode(r: &mut Reader<'_>, version: TdsVersion) -> Result<AllHeaders> {
        let mut headers = AllHeaders::default();
        if !version.is_wide() {
            return Ok(headers);
        }
        let total = r.u32()? as usize;
        let Some(rest) = total.checked_sub(4) else {
            return Err(ProtocolError::Malformed("ALL_HEADERS length"));
        };
        let mut r = Reader::new(r.bytes(rest)?);
        while !r.is_empty() {
            let length = r.u32()? as usize;
            let kind = r.u16()?;
            let Some(rest) = length.checked_sub(6) else {
                return Err(ProtocolError::Malformed("ALL_HEADERS header length"));
            };
            let mut data = Reader::new(r.bytes(rest)?);
            if kind == HEADER_TRANSACTION {
                headers = AllHeaders { transaction: data.u64()?, outstanding: data.u32()? };
            }
        }
        Ok(headers)
    }

    /// Appends the headers, if the version has them.
    pub fn encode(transaction: u64, version: TdsVersion, out: &mut Vec<u8>) {
        if version.is_wide() {
            out.extend_from_slice(&[22, 0, 0, 0, 18, 0, 0, 0, 2, 0]);
            out.extend_from_slice(&transaction.to_le_bytes());
            out.extend_from_slice(&1u32.to_le_bytes());
        }
    }
}

/// Reads a SQL batch's text.
pub fn decode_batch(data: &[u8], version: TdsVersion) -> Result<String> {
    let mut r = Reader::new(data);
    AllHeaders::decode(&mut r, version)?;
    let text = r.rest();
    if !text.len().is_multiple_of(2) {
        return Err(ProtocolError::Malformed("batch text of an odd number of bytes"));
    }
    Ok(utf16(text))
}

/// Appends a SQL batch.
pub fn encode_batch(text: &str, transaction: u64, version: TdsVersion, out: &mut Vec<u8>) {
    AllHeaders::encode(transaction, version, out);
    put_utf16(out, text);
}

/// A transaction to begin.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BeginSpec {
    /// 0 keep, 1 read uncommitted, 2 read committed, 3 repeatable read, 4 serializable, 5 snapshot.
    pub isolation: u8,
    /// The transaction's name, perhaps empty.
    pub name: String,
}

/// A transaction manager request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransactionRequest {
    /// Begins a transaction, nested or not.
    Begin(BeginSpec),
    /// Commit the current one, perhaps beginning the next.
    Commit {
        /// The transaction's name, perhaps empty.
        name: String,
        /// Begin another at once.
        begin: Option<BeginSpec>,
    },
    /// Roll back, to a savepoint if it is the name of one, perhaps beginning the next.
    Rollback {
        /// The savepoint's or transaction's name, perhaps empty.
        name: String,
        /// Begin another at once.
        begin: Option<BeginSpec>,
    },
    /// Sets a savepoint in the transaction.
    Save {
        /// The savepoint's name, not empty.
        name: String,
    },
}

impl TransactionRequest {
    /// Reads a message's data.
    pub fn decode(data: &[u8], version: TdsVersion) -> Result<TransactionRequest> {
        let mut r = Reader::new(data);
        AllHeaders::decode(&mut r, version)?;
        let spec = |r: &mut Reader<'_>| -> Result<BeginSpec> {
            let isolation = r.u8()?;
            if isolation > 5 {
                return Err(ProtocolError::Malformed("isolation level"));
            }
            Ok(BeginSpec { isolation, name: utf16(r.b_varbyte()?) })
        };
        let kind = r.u16()?;
        Ok(match kind {
            5 => TransactionRequest::Begin(spec(&mut r)?),
            7 | 8 => {
                let name = utf16(r.b_varbyte()?);
                let begin = if r.u8()? & 1 != 0 { Some(spec(&mut r)?) } else { None };
                match kind {
                    7 => TransactionRequest::Commit { name, begin },
                    _ => TransactionRequest::Rollback { name, begin },
                }
            }
            9 => {
                let name = utf16(r.b_varbyte()?);
                if name.is_empty() {
                    return Err(ProtocolError::Malformed("savepoint without a name"));
                }
                TransactionRequest::Save { name }
            }
            0 | 1 | 6 => return Err(ProtocolError::Unsupported("distributed transactions")),
            _ => return Err(ProtocolError::Malformed("transaction manager request")),
        })
    }

    /// Appends the message's data.
    pub fn encode(&self, transaction: u64, version: TdsVersion, out: &mut Vec<u8>) {
        AllHeaders::encode(transaction, version, out);
        let put_name = |out: &mut Vec<u8>, name: &str| {
            let at = out.len();
            out.push(0);
            out[at] = (put_utf16(out, name) * 2).min(254) as u8;
            let keep = at + 1 + out[at] as usize;
            out.truncate(keep);
        };
        let put_spec = |out: &mut Vec<u8>, spec: &BeginSpec| {
            out.push(spec.isolation);
            put_name(out, &spec.name);
        };
        match self {
            TransactionRequest::Begin(spec) => {
                out.extend_from_slice(&[5, 0]);
                put_spec(out, spec);
            }
            TransactionRequest::Commit { name, begin }
            | TransactionRequest::Rollback { name, begin } => {
                let commit = matches!(self, TransactionRequest::Commit { .. });
                out.extend_from_slice(&[if commit { 7 } else { 8 }, 0]);
                put_name(out, name);
                out.push(begin.is_some() as u8);
                if let Some(spec) = begin {
                    put_spec(out, spec);
                }
            }
            TransactionRequest::Save { name } => {
                out.extend_from_slice(&[9, 0]);
                put_name(out, name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_round_trip() {
        for version in [TdsVersion::V7_1, TdsVersion::V7_4] {
            let mut data = Vec::new();
            encode_batch("SELECT N'ü';", 9, version, &mut data);
            assert_eq!(decode_batch(&data, version).unwrap(), "SELECT N'ü';");
        }
        let mut data = Vec::new();
        encode_batch("x", 0x1234, TdsVersion::V7_4, &mut data);
        let headers = AllHeaders::decode(&mut Reader::new(&data), TdsVersion::V7_4).unwrap();
        assert_eq!(headers, AllHeaders { transaction: 0x1234, outstanding: 1 });
        for n in 0..22 {
            assert!(decode_batch(&data[..n], TdsVersion::V7_4).is_err());
        }
    }

    #[test]
    fn transaction_requests_round_trip() {
        use TransactionRequest::*;
        let spec = BeginSpec { isolation: 2, name: "t1".into() };
        for request in [
            Begin(spec.clone()),
            Commit { name: String::new(), begin: None },
            Commit { name: "a".into(), begin: Some(spec.clone()) },
            Rollback { name: String::new(), begin: Some(BeginSpec::default()) },
            Save { name: "s".into() },
        ] {
            let mut data = Vec::new();
            request.encode(0, TdsVersion::V7_4, &mut data);
            assert_eq!(TransactionRequest::decode(&data, TdsVersion::V7_4), Ok(request));
            for n in 0..data.len() {
                assert!(TransactionRequest::decode(&data[..n], TdsVersion::V7_4).is_err());
            }
        }
    }
}

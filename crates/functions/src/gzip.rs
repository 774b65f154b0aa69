//! COMPRESS and DECOMPRESS: the bytes of a value as GZIP (RFC 1952).

use super::pieces;
use super::typing::signature;
use super::{Call, Function, Rule, Signature};
use flate2::read::GzDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::io::{Read, Write};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Bytes, Family, MaxLen, SqlType, Value};

const RESULT: SqlType = SqlType::VarBinary(MaxLen::Max);

/// The header of a member: deflate, no flags, no time, written for speed on a FAT file system, as SQL Server says.
const HEADER: [u8; 10] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 4, 0];

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("COMPRESS", 1, 1, compress_rule, compress),
    Function::new("DECOMPRESS", 1, 1, decompress_rule, decompress),
];

fn compress_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    match r.args[0].family() {
        Family::Char | Family::NChar | Family::Binary => Ok(signature(&[r.args[0]], RESULT)),
        _ => Err(r.invalid(0)),
    }
}

fn decompress_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    match r.args[0].family() {
        Family::Binary => Ok(signature(&[r.args[0]], RESULT)),
        _ => Err(r.invalid(0)),
    }
}

fn compress(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(bytes) = args[0].as_bytes() else { return Ok(Value::Null) };
    pieces::memory(bytes.len())?;
    let failed = |_| SqlError::new(9823, &[]);
    let mut crc = Crc::new();
    let mut encoder = DeflateEncoder::new(HEADER.to_vec(), Compression::default());
    for piece in bytes.chunks(pieces::PIECE) {
        pieces::look()?;
        crc.update(piece);
        encoder.write_all(piece).map_err(failed)?;
    }
    let mut out = encoder.finish().map_err(failed)?;
    out.extend_from_slice(&crc.sum().to_le_bytes());
    // The length is told modulo 2^32.
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    Ok(Value::Binary(Bytes::from_vec(out)))
}

/// The first member of the bytes; behind it anything may stand, as the zeros of a binary(n) do.
fn decompress(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(bytes) = args[0].as_bytes() else { return Ok(Value::Null) };
    let mut decoder = GzDecoder::new(bytes);
    let mut out = Vec::new();
    loop {
        pieces::look()?;
        // A few bytes may stand for very many.
        pieces::memory(out.len() + pieces::PIECE)?;
        let mut piece = (&mut decoder).take(pieces::PIECE as u64);
        match piece.read_to_end(&mut out) {
            Ok(0) => return Ok(Value::Binary(Bytes::from_vec(out))),
            Ok(_) => {}
            Err(_) => return Err(SqlError::new(9826, &[])),
        }
    }
}

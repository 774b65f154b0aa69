//! Hashes of passwords: PWDCOMPARE, PWDENCRYPT, and SQL Server's own formats.
//!
//! A hash of SQL Server's is a version, a salt of four bytes and the digest of the password (UTF-16, little-endian) and the salt:
//! SHA-512 since version 0x0200, SHA-1 before; of version 0x0100 the digest of the password in capitals may follow.

use super::typing::{any_null, string};
use super::{Call, Function};
use sha1::Sha1;
use sha2::{Digest, Sha512};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{MaxLen, SqlType, Value};

/// A password, which is 128 characters long at most.
const PASSWORD: SqlType = SqlType::NVarChar(MaxLen::N(4000));
const HASH: SqlType = SqlType::VarBinary(MaxLen::N(256));

/// Characters of the longest password.
const LONGEST: usize = 128;

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("PWDCOMPARE", 2, 3, |r| r.fixed(&[PASSWORD, HASH, SqlType::Int], SqlType::Int), compare).per_call(),
    Function::new("PWDENCRYPT", 1, 1, |r| r.fixed(&[PASSWORD], SqlType::VarBinary(MaxLen::N(128))), encrypt).per_call(),
];

fn compare(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(&args[..2]) {
        return Ok(Value::Null);
    }
    let right = match args[1].as_bytes() {
        Some(hash) => c.context.is_password(&string(&args[0]), hash)?,
        None => false,
    };
    Ok(Value::Int(right.into()))
}

fn encrypt(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let password = string(&args[0]);
    if password.chars().count() > LONGEST {
        return Err(SqlError::new(6607, &[&"pwdencrypt", &1]));
    }
    Ok(Value::binary(&c.context.encrypt_password(&password)?))
}

/// Whether a password is that of a hash in one of SQL Server's formats. None: the hash is in none of them.
pub fn is_sql_servers(password: &str, hash: &[u8]) -> Option<bool> {
    let salt = hash.get(2..6)?;
    let digest = hash.get(6..)?;
    let bytes = |password: &str| -> Vec<u8> {
        password.encode_utf16().flat_map(u16::to_le_bytes).chain(salt.iter().copied()).collect()
    };
    match (hash.get(..2)?, digest.len()) {
        ([2, 0], 64) => Some(same(&Sha512::digest(bytes(password)), digest)),
        ([1, 0], 20 | 40) => Some(same(&Sha1::digest(bytes(password)), &digest[..20])),
        _ => None,
    }
}

/// Compares in a time that says nothing of where two digests differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (x, y)| all | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hash as SQL Server makes it: version, salt, digest.
    fn made(version: u8, password: &str, salt: [u8; 4]) -> Vec<u8> {
        let mut text: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
        text.extend(salt);
        let digest = match version {
            2 => Sha512::digest(&text).to_vec(),
            _ => Sha1::digest(&text).to_vec(),
        };
        [&[version, 0], &salt[..], &digest].concat()
    }

    #[test]
    fn hashes_of_sql_server_are_compared() {
        for version in [1, 2] {
            let hash = made(version, "Grün!1", [1, 2, 3, 4]);
            assert_eq!(is_sql_servers("Grün!1", &hash), Some(true));
            assert_eq!(is_sql_servers("grün!1", &hash), Some(false));
            assert_eq!(is_sql_servers("Grün!1", &hash[..hash.len() - 1]), None);
        }
        assert_eq!(is_sql_servers("", &[]), None);
        assert_eq!(is_sql_servers("a", &made(3, "a", [0; 4])), None);
    }
}

//! Hashes and random bytes: HASHBYTES, CRYPT_GEN_RANDOM.

use super::typing::{int, signature, string};
use super::{Call, Function, Rule, Signature};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Family, MaxLen, SqlType, Value};

const VARBINARY: SqlType = SqlType::VarBinary(MaxLen::N(8000));

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("HASHBYTES", 2, 2, hashbytes_rule, hashbytes),
    Function::new("CRYPT_GEN_RANDOM", 1, 2, |r| r.fixed(&[SqlType::Int, VARBINARY], VARBINARY), random).per_call(),
];

/// Text and binary only: the bytes of other types are nobody's business (8116).
fn hashbytes_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let algorithm = r.text(0)?;
    match r.args[1].family() {
        Family::Char | Family::NChar | Family::Binary => {
            Ok(signature(&[algorithm, r.args[1]], VARBINARY))
        }
        _ => Err(r.invalid(1)),
    }
}

/// NULL for an algorithm that is none. MD2 and MD4 are refused: nobody may rely on them.
fn hashbytes(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(bytes) = args[1].as_bytes() else { return Ok(Value::Null) };
    Ok(match &*string(&args[0]).trim_end().to_ascii_uppercase() {
        "MD5" => Value::binary(&Md5::digest(bytes)),
        "SHA" | "SHA1" => Value::binary(&Sha1::digest(bytes)),
        "SHA2_256" => Value::binary(&Sha256::digest(bytes)),
        "SHA2_512" => Value::binary(&Sha512::digest(bytes)),
        name @ ("MD2" | "MD4") => {
            return Err(SqlError::new(40510, &[&format_args!("HASHBYTES with {name}")]));
        }
        _ => Value::Null,
    })
}

/// So many bytes of the system's generator, which needs no seed of ours: the second argument changes nothing.
fn random(c: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let n = int(&args[0]);
    if !(1..=8000).contains(&n) {
        return Err(SqlError::new(1023, &[&1, &"crypt_gen_random"]).with_severity(16));
    }
    let mut bytes = vec![0; n as usize];
    c.context.entropy(&mut bytes);
    Ok(Value::binary(&bytes))
}
